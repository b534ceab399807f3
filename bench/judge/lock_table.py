#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What the length of the crossing costs the run-time lock: the table of docs/lock.md.

usage: lock_table.py SUREFOOT CLIP.bvh... [--scale K]... [--option NAME] [--values A,B,...]

Each clip is slid by every scale, cleaned with `--method runtime` for every value of the option (default: --blend), and
measured by the judge's own forward kinematics:

  held      share of planted frames in which the program says that the foot was locked
  settled   share in which the crossing was over as well
  slide     mean speed of planted toes [cm/s], before and after; of settled frames the largest
  knee      99th percentile of the joints' angular accelerations over the given clip's, the worst of hip, knee and heel of
            both legs; the clips' median
  toe       the same of the toe's acceleration
"""

import argparse
import csv
import os
import sys
import tempfile

import numpy as np

from program import Program
from rotations import angular_acceleration
from scene import Scene, scale_travel
import bvh


def plants_of(path, names):
    with open(path, encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return {n: np.array([float(r[rows[0].index(n)]) for r in rows[1:]]) > 0.75 for n in names if n in rows[0]}


def settled_frames(plant, gaps, blend, dt):
    """Held frames at least `blend` after the lock: a lock happens in a plant's first frame or in that after a gap."""
    held = plant.copy()
    for gap in gaps:
        held[gap["first"]:gap["last"] + 1] = False
    settled = np.zeros(len(plant), bool)
    since = 0.0
    for i, on in enumerate(held):
        since = since + dt if on and i > 0 and held[i - 1] else 0.0
        settled[i] = on and since >= blend - 1e-9
    return held, settled


def high(values):
    return float(np.percentile(values, 99.0)) if len(values) else 0.0


def compare(given, done, report, labels, blend):
    """Sums over both feet, so that clips weigh by their frames; ratios are the worst of the feet."""
    out = dict.fromkeys(("planted", "held", "settled", "steps", "before", "after", "worst", "knee", "toe"), 0.0)
    for a, b in zip(given.legs, done.legs):
        if a.name not in labels:
            continue
        plant, gaps = labels[a.name], [g for g in report["gaps"] if g["foot"] == a.name]
        held, settled = settled_frames(plant, gaps, blend, given.dt)
        x, y = given.path_of(a.toe), done.path_of(b.toe)
        before = np.linalg.norm(np.diff(x, axis=0), axis=1) / given.dt * 100.0
        after = np.linalg.norm(np.diff(y, axis=0), axis=1) / given.dt * 100.0
        both = plant[1:] & plant[:-1]
        still = settled[1:] & settled[:-1]
        out["planted"] += plant.sum()
        out["held"] += held.sum()
        out["settled"] += settled.sum()
        out["steps"] += both.sum()
        out["before"] += before[both].sum()
        out["after"] += after[both].sum()
        out["worst"] = max(out["worst"], after[still].max() if still.any() else 0.0)
        start = 2 if given.reference.any() else 0
        for joint in (a.hip, a.knee, a.heel):
            was = high(angular_acceleration(given.pose.local[start:, joint], given.dt))
            now = high(angular_acceleration(done.pose.local[start:, joint], given.dt))
            out["knee"] = max(out["knee"], now / max(was, 1e-9))
        was, now = (high(np.linalg.norm(np.diff(p[start:], 2, axis=0), axis=1)) for p in (x, y))
        out["toe"] = max(out["toe"], now / max(was, 1e-12))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("surefoot")
    parser.add_argument("clips", nargs="+")
    parser.add_argument("--scale", type=float, action="append")
    parser.add_argument("--option", default="--blend")
    parser.add_argument("--values", default="0,0.05,0.1,0.15,0.2,0.3,0.5")
    parser.add_argument("--each", action="store_true", help="a line a clip as well")
    args = parser.parse_args()
    scales, values = args.scale or [0.75, 1.0, 1.25], args.values.split(",")
    rows = {(v, s): [] for v in values for s in scales}
    with tempfile.TemporaryDirectory(prefix="surefoot-lock-") as folder:
        slid, clean, labels = (os.path.join(folder, n) for n in ("slid.bvh", "clean.bvh", "labels.csv"))
        for path in args.clips:
            for scale in scales:
                bvh.write(scale_travel(Scene(path), scale), slid)
                given = Scene(slid)
                program = Program(args.surefoot)
                program.own_labels(slid, labels)
                plants = plants_of(labels, [leg.name for leg in given.legs])
                for value in values:
                    program = Program(args.surefoot, ["--method", "runtime", args.option, value])
                    report = program.clean(slid, clean)
                    if any(report["ground_velocity_m_s"]):
                        print("%s is left out: its ground moves" % os.path.basename(path), file=sys.stderr)
                        break
                    row = compare(given, Scene(clean), report, plants, report["blend_s"])
                    rows[value, scale].append(row)
                    if args.each:
                        print(os.path.basename(path), scale, value, {k: round(float(v), 3) for k, v in row.items()},
                              flush=True)
    print("| %s | travel | held | settled | slide before | after | settled, most | knee | toe |" % args.option)
    print("|---|---|---|---|---|---|---|---|---|")
    for (value, scale), all_of in rows.items():
        total = {k: sum(r[k] for r in all_of) for k in ("planted", "held", "settled", "steps", "before", "after")}
        planted, steps = max(total["planted"], 1), max(total["steps"], 1)
        print("| %s | %g | %.0f %% | %.0f %% | %.1f | %.1f | %.4f | %.2f | %.2f |" % (
            value, scale, 100 * total["held"] / planted, 100 * total["settled"] / planted, total["before"] / steps,
            total["after"] / steps, max(r["worst"] for r in all_of), float(np.median([r["knee"] for r in all_of])),
            float(np.median([r["toe"] for r in all_of]))))


if __name__ == "__main__":
    sys.exit(main())
