#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A folder of clips, cleaned on threads: OUT/NAME, OUT/NAME.contacts.csv, and OUT/figures.csv with slide before and after.

usage: clean_folder.py IN OUT [threads]
"""
import csv
import os
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import surefoot as sf


def clean_file(path: pathlib.Path, out: pathlib.Path) -> dict[str, object]:
    try:
        clip = sf.read(path)
        labels = sf.contacts(clip)
        cleaned = sf.clean(clip, labels)
        sf.write(cleaned, out / path.name)
        labels.save(out / f"{path.stem}.contacts.csv")
        before, after = sf.check(clip, labels).clip, sf.check(cleaned, labels).clip
    except sf.SurefootError as error:
        return {"file": path.name, "error": str(error)}
    return {"file": path.name, "frames": len(clip), "root_travel": labels.mismatch.root_travel,
            "slide_before_cm_s": before.slide_mean_cm_s, "slide_after_cm_s": after.slide_mean_cm_s,
            "unreached": len(cleaned.misses), "error": ""}


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print(__doc__.split("\n\n")[-1].strip(), file=sys.stderr)
        return 2
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    paths = sorted(p for p in folder.iterdir() if p.suffix.lower() in (".bvh", ".glb", ".gltf"))
    # Threads suffice: the interpreter's lock is released while the library works.
    with ThreadPoolExecutor(int(sys.argv[3]) if len(sys.argv) == 4 else os.cpu_count()) as pool:
        rows = list(pool.map(lambda path: clean_file(path, out), paths))
    with open(out / "figures.csv", "w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["file", "frames", "root_travel", "slide_before_cm_s", "slide_after_cm_s",
                                       "unreached", "error"])
        writer.writeheader()
        writer.writerows(rows)
    failed = [row for row in rows if row["error"]]
    for row in failed:
        print(row["error"], file=sys.stderr)
    print(f"{len(rows) - len(failed)} of {len(rows)} clips cleaned into {out}")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
