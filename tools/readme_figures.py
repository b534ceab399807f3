#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Writes the measured figures into README.md, between its two marks.

usage: readme_figures.py TABLE.md BENCH.json [README.md]

TABLE.md   from  sh bench/table.sh --brief --markdown TABLE.md
BENCH.json from  build/bin/surefoot-bench --json > BENCH.json
"""
import json
import pathlib
import sys

BEGIN, END = "<!-- figures: begin (tools/readme_figures.py) -->", "<!-- figures: end -->"
SAY = {
    "bvh_read": "reading BVH text",
    "cleanup_direct": "clean-up, direct method, two legs",
    "cleanup_relax": "clean-up, relaxation in 25,000 sweeps",
    "cleanup_tenfold": "clean-up, direct method, 10,000 frames",
    "cleanup_100k": "clean-up, direct method, 100,000 frames",
    "leg_solve": "one leg solved",
    "fabrik10": "FABRIK, ten bones",
    "two_bone_batch": "two bones, one of 20,000 at once",
    "leg_lock_update": "foot lock and whole leg, one of 20,000",
    "mesh_ray": "ray down onto a million triangles, many at once",
    "clean_file": "whole `clean` command, 10,000 frames of 60 joints",
    "glb_clean": "whole `clean` command, a GLB of 100 MB with 10,000 frames",
}
PEER = {"cleanup_relax": "the relaxation", "scalar path": "the scalar path", "embree_1M": "as fast as Embree"}


def rows_of(table: str):
    lines = [line for line in table.splitlines() if line.startswith("|")]
    split = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    head = split[0]
    return [dict(zip(head, cells)) for cells in split[2:]]


def worst(rows, column):
    """The largest of one column's numbers, as the table writes it."""
    cells = [row[column] for row in rows if row[column]]
    return max(cells, key=lambda cell: float(cell.rstrip("% *")))


def summary(rows):
    """One line a clip: the worst of all scales and both ways of labelling."""
    yield "| clip | slide given | slide left, mean | slide left, max | unreached | joint acceleration | pelvis acceleration | plant F1 |"
    yield "|---|---|---|---|---|---|---|---|"
    for clip in dict.fromkeys(row["clip"] for row in rows):
        mine = [row for row in rows if row["clip"] == clip]
        f1 = min(mine, key=lambda row: float(row["plant F1"]))["plant F1"]
        cells = [worst(mine, c) for c in ("given slide", "slide mean", "slide max", "unreached", "ang p99.9", "pelvis p99")]
        yield "| " + " | ".join([f"`{clip}`", *cells, f1]) + " |"


def figure(value: float, unit: str) -> str:
    """Three digits, without exponents; nanoseconds a frame as microseconds."""
    if unit == "ns/frame":
        value, unit = value / 1000.0, "µs/frame"
    return f"{value:.0f} {unit}" if value >= 100.0 else f"{value:.3g} {unit}"


def bench(entries):
    yield "| measured | median | best | beside it in the same run |"
    yield "|---|---|---|---|"
    for entry in entries:
        if entry["name"] not in SAY:
            continue
        rate = entry["unit"].endswith("/s")
        best = entry["max"] if rate else entry["min"]
        peer = f"{entry['ratio']:.3g} times {PEER.get(entry['peer'], entry['peer'])}" if "peer" in entry else ""
        slide = f"slide {entry['slide_before_cm_s']:.1f} to {entry['slide_cm_s']:.1f} cm/s" if "slide_cm_s" in entry else ""
        memory = f"{entry['memory_per_file']:.2f} times the file in memory" if "memory_per_file" in entry else ""
        say = ", ".join(text for text in (peer, slide, memory) if text)
        yield f"| {SAY[entry['name']]} | {figure(entry['median'], entry['unit'])} | {figure(best, entry['unit'])} | {say} |"


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__)
        return 2
    table = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8")
    entries = json.loads(pathlib.Path(sys.argv[2]).read_text(encoding="utf-8"))
    readme = pathlib.Path(sys.argv[3] if len(sys.argv) == 4 else "README.md")
    rows = rows_of(table)
    judged = [row for row in rows if row["class"] != "own"]
    whole = [line for line in table.splitlines() if line.startswith("|")]
    passed = sum(row["verdict"] == "pass" for row in rows)
    text = [
        "Real clips of several exporters, their root travel scaled by 0.75, 1 and 1.25, cleaned with labels found in the",
        "unscaled clip and with labels found in the scaled clip alone; the worst of the six is shown. Slide in cm/s of toes",
        "that the plain rule calls planted in the unscaled clip; accelerations as ratios to the clip that was given; plant F1:",
        "labels of the scaled clip against the plain rule on the unscaled one. From `make table`.",
        "", *summary(judged), "",
        f"<details><summary>The whole table: {passed} of {len(rows)} rows pass every line</summary>", "",
        "Lengths in cm; `ang` is the angular acceleration of local rotations, `model` that of rotations in model space, both",
        "the worst leg joint; `again` is how far cleaning once more turns any joint, in degrees. Definitions:",
        "[bench/judge](bench/judge/README.md). Rows of class `own` are judged on the program's own plants: there the ground moves",
        "or the clip slides by itself, the plain rule finds little, and plant F1 says nothing.", "", *whole, "", "</details>", "",
        "From `make bench`, on two shared cores:", "", *bench(entries),
    ]
    old = readme.read_text(encoding="utf-8")
    head, rest = old.split(BEGIN)
    tail = rest.split(END)[1]
    readme.write_text(head + BEGIN + "\n" + "\n".join(text) + "\n" + END + tail, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
