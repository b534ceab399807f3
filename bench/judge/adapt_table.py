#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""The acceptance table of feet on ground: real walks put onto slopes, stairs, rubble and a gap, and judged.

usage: adapt_table.py [--surefoot build/bin/surefoot] [--data ../shared/data] [--clips TEXT...] [--grounds NAME...]
                      [--markdown FILE] [--json FILE] [--keep FOLDER] [--jobs N] [--brief]

Every clip is cleaned first, so that its feet stand; the cleaned clip is the source. It is put onto every ground, on the
labels that the program finds in it, and judged by adapt_judge.py on a ground of the judge's own, made from the line in
which the program says what it stood on; the OBJ that the program writes of it must be the same ground. Put onto level
ground the file must come back byte for byte. Exit status 1 if any line fails.
"""

import argparse
import json
import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import adapt_cases
import adapt_judge
import adapt_measure
import f1
import gltf
import gltf_compare
import gltf_travel
import grounds
from gltf_scene import GltfScene
from program import Program, ProgramError
from scene import Scene

SAME_GROUND = 1e-3  # m


def frame_times(doc, which, entry):
    """Times of the program's frames; stored keys exactly."""
    times = entry["start"] + np.arange(entry["frames"]) * entry["frame_time"]
    dense = gltf.Animation(doc, which).times()
    if entry["stored_frames"]:
        for i, t in enumerate(times):
            near = dense[np.argmin(np.abs(dense - t))]
            times[i] = near if abs(near - t) < 1e-4 else t
    return times


def open_scene(path, info, like=None):
    """A Scene of a BVH or glTF file, with the program's word for unit (of a BVH whose unit nobody knows) and glTF legs;
    the judge's own legs of a BVH."""
    if path.endswith(".bvh"):
        scene = Scene(path, info["unit_metres"], like.up if like else None, like=like.clip if like else None)
        if like:
            scene.legs, scene.travel, scene.reference = like.legs, like.travel, like.reference
        return scene
    doc, which = gltf.Document(path), info["clip_index"]
    times = like.times if like else frame_times(doc, which, info["clips"][which])
    return GltfScene(doc, which, info["legs"], info.get("unit_metres") or 1.0, times)


def toe_velocity(scene, labels):
    """Level median velocity [m/s] of planted toes, own axes."""
    steps = [np.diff(adapt_measure.World(scene).path(leg.toe), axis=0)[labels[leg.name][1:] & labels[leg.name][:-1]]
             for leg in scene.legs]
    steps = np.concatenate(steps) / scene.dt
    return np.median(steps, axis=0) * [1.0, 0.0, 1.0] if len(steps) else np.zeros(3)


def prepare(program, path, clip, what, base):
    """(source file, label file, info): the clip as it is to be put onto grounds."""
    ending = os.path.splitext(path)[1]
    source, labels = base + "_source" + ending, base + "_source.csv"
    if what == "travel":
        walks = base + "_travel.glb"
        program.own_labels(path, labels, clip)
        info = program.info(path, clip)
        scene = open_scene(path, info)
        velocity = toe_velocity(scene, f1.plant_columns(labels))
        gltf_travel.add_travel(gltf.Document(path), info["clip_index"], -velocity, walks, scene.unit)
        path, source = walks, base + "_source.glb"
    program.clean(path, source, None, clip)
    program.own_labels(source, labels, clip)
    return source, labels, program.info(source, clip)


def same_ground(own, path, scene):
    """Whether the OBJ is the judge's own ground, over all places of feet; where the ground jumps nothing is compared."""
    written = grounds.read_obj(path)
    world = adapt_measure.World(scene)
    p = np.concatenate([world.path(n) for leg in scene.legs for n in (leg.heel, leg.toe)])
    x, z = p[:, 0], p[:, 2]
    around = [own.height(x + dx, z + dz) for dx, dz in ((0, 0), (2e-3, 0), (-2e-3, 0), (0, 2e-3), (0, -2e-3))]
    calm = np.ptp(np.nan_to_num(around, nan=1e6), axis=0) < 5e-3
    off, only = grounds.difference(own, written, x[calm], z[calm])
    return off < SAME_GROUND and only == 0, "%.4f m apart, %d places where one has ground alone" % (off, only)


def run_one(job):
    """One row: a clip on a ground. job: (program, source, labels, info, clip, clip label, ground name, spec, base)."""
    program, source, csv, info, clip, title, name, spec, base = job
    row = {"clip": title, "ground": name, "spec": spec, "error": None, "result": None, "pass": False}
    try:
        made, obj = base + os.path.splitext(source)[1], base + ".obj"
        labels = f1.plant_columns(csv)
        report = program.adapt(source, made, spec, csv, obj + ",unit=m,up=y", clip)
        row["said"] = report["ground"]
        before = open_scene(source, info)
        after = open_scene(made, info, before)
        if spec == adapt_cases.LEVEL:
            with open(source, "rb") as a, open(made, "rb") as b:
                row["pass"] = a.read() == b.read()
            row["level"] = True
            return row
        own, kind = grounds.from_spec(report["ground"])
        velocity = toe_velocity(before, labels)
        velocity = velocity if np.linalg.norm(velocity) > 0.1 else None
        result = adapt_judge.judge(before, after, own, labels, report["floor_m"], kind,
                                   adapt_judge.read_misses(report), velocity,
                                   report.get("travel_joint"), report.get("turn_joint"))
        result["lines"].append(adapt_judge.yes("ground is as said", *same_ground(own, obj, before)))
        if not source.endswith(".bvh"):
            findings = gltf_compare.compare(source, made, report)
            result["lines"].append(adapt_judge.yes("file otherwise the same", not findings, "; ".join(findings[:3])))
        floor = adapt_measure.floor_of(before, labels)
        result["lines"].append(adapt_judge.line("floor off the plants cm", abs(floor - report["floor_m"]) * 100.0, 1.0,
                                                report.get("floor_reason", ""), advisory=True))
        result["pass"] = adapt_judge.passes(result["lines"])
        row["result"], row["pass"] = result, result["pass"]
        row["moved"], row["cleaned"] = report.get("moved_plants"), report.get("cleaned")
    except (ProgramError, ValueError, OSError, KeyError) as error:
        row["error"] = "%s: %s" % (type(error).__name__, error)
    return row


COLUMNS = (
    ("support", "support off ground cm", "%.2f"), ("absolute", "support absolute cm", "%.2f"),
    ("through", "through ground cm", "%.2f"), ("pitch", "foot pitch off degrees", "%.2f"),
    ("roll", "foot roll off degrees", "%.2f"), ("knee over", "knee straighter than allowed", "%.4f"),
    ("jerk", "pelvis jerk ratio", "%.2f"), ("slide mean", "slide mean cm/s", "%.3f"),
    ("slide max", "slide max cm/s", "%.2f"), ("moved", "plants moved cm", "%.1f"),
    ("lift", "swing lifted over need cm", "%.1f"), ("listed", "listed as out of reach or ground", "%.1f%%"),
    ("angular", "angular acc local max", "%.1f"), ("toe acc", "toe acceleration ratio", "%.1f"),
)
HEAD = ["clip", "ground"] + [c[0] for c in COLUMNS] + ["verdict"]


def cells(row):
    out = [row["clip"], row["ground"]]
    verdict = "pass" if row["pass"] else "FAIL"
    if row["error"] or row.get("level"):
        return out + ["error" if row["error"] else "same bytes" if row["pass"] else "other bytes"] + [""] * (
            len(COLUMNS) - 1) + [verdict]
    lines = {entry["name"]: entry for entry in row["result"]["lines"]}
    for _, name, style in COLUMNS:
        entry = lines[name]
        out.append(style % (entry["value"] * (100.0 if "%%" in style else 1.0)) + (
            "" if entry["pass"] or entry["advisory"] else " *"))
    return out + [verdict]


def markdown(rows, brief=False):
    text = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    text += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    text += ["", "%d of %d rows pass. A star marks a value over its limit. Lengths in cm, angles in degrees, slide in cm/s, "
             "jerk and accelerations as ratios to the source." % (sum(r["pass"] for r in rows), len(rows)), ""]
    for row in rows:
        where = "%s, %s" % (row["clip"], row["ground"])
        if row["error"]:
            text.append("- %s: %s" % (where, row["error"]))
        for entry in (row["result"] or {"lines": []})["lines"]:
            if not entry["pass"] and not (entry["advisory"] and brief):
                text.append("- %s: %s%s %.4g (limit %g) %s" % (
                    where, "advisory: " if entry["advisory"] else "", entry["name"], entry["value"], entry["limit"],
                    entry["where"]))
    return "\n".join(text) + "\n"


def jobs_of(args, program, folder, problems):
    out = []
    for number, (file, clip, what) in enumerate(adapt_cases.CLIPS):
        path = os.path.join(args.data, file)
        title = os.path.splitext(os.path.basename(file))[0] + ("" if clip is None else ":" + clip)
        spot = what is None and not file.endswith(".bvh")
        title += " on the spot" if spot else ""
        if args.clips and not any(text in title for text in args.clips):
            continue
        if not os.path.exists(path):
            print("SKIP %s: not in %s" % (file, args.data), file=sys.stderr)
            continue
        base = os.path.join(folder, "%02d" % number)
        try:
            source, labels, info = prepare(program, path, clip, what, base)
        except (ProgramError, ValueError, OSError, KeyError) as error:
            problems.append({"clip": title, "ground": "", "error": str(error), "result": None, "pass": False})
            continue
        for k, (name, spec) in enumerate(adapt_cases.GROUNDS + [("level", adapt_cases.LEVEL)]):
            if (args.grounds and name not in args.grounds) or (spot and name not in adapt_cases.ON_THE_SPOT + ("level",)):
                continue
            laid = adapt_cases.laid(spec, title) if spec != adapt_cases.LEVEL else spec
            out.append((program, source, labels, info, clip, title, name, laid, "%s_%d" % (base, k)))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surefoot", default="build/bin/surefoot")
    parser.add_argument("--data", default="../shared/data")
    parser.add_argument("--clips", nargs="+", metavar="TEXT", help="only clips whose title holds one of these")
    parser.add_argument("--grounds", nargs="+", metavar="NAME")
    parser.add_argument("--brief", action="store_true", help="do not list advisory findings")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    if not os.path.exists(args.surefoot):
        print("adapt_table: no program at %s; build it, or give --surefoot" % args.surefoot, file=sys.stderr)
        return 2
    if not os.path.isdir(args.data):
        print("SKIP: no data folder at %s; give --data" % args.data)
        return 0
    folder = args.keep or tempfile.mkdtemp(prefix="surefoot-adapt-")
    os.makedirs(folder, exist_ok=True)
    rows = []
    try:
        jobs = jobs_of(args, Program(os.path.abspath(args.surefoot)), folder, rows)
        with ProcessPoolExecutor(args.jobs) as pool:
            rows += list(pool.map(run_one, jobs))
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    text = markdown(rows, args.brief)
    print(text)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as file:
            file.write(text)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1, default=float)
    return 0 if rows and all(row["pass"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
