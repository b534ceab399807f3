#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Cleans clips of glTF files with the program and judges what came back, on the program's own plants.

usage: gltf_judge.py [--surefoot build/bin/surefoot] [--keep FOLDER] FILE[:CLIP]...

The figures are those of judge.py (see README.md), with the evaluator of gltf.py; "untouched" is gltf_compare.py.
Exit status: 0 all pass, 1 some line fails, 2 a file cannot be judged.
"""

import argparse
import os
import shutil
import sys
import tempfile

import numpy as np

import f1
import gltf
import gltf_compare
import judge
import measure
from gltf_scene import GltfScene
from program import Program, ProgramError


def clean(program, path, clip, folder):
    """(cleaned file, report, labels, info) of a clip; clip may be None."""
    ending = os.path.splitext(path)[1]
    made, csv = os.path.join(folder, "cleaned" + ending), os.path.join(folder, "own.csv")
    program.own_labels(path, csv, clip)
    report = program.clean(path, made, None, clip)
    return made, report, f1.plant_columns(csv), program.info(path, clip)


def judge_clip(program, path, clip, folder):
    """The result of judge.judge for one clip, and its GltfScene."""
    made, report, labels, info = clean(program, path, clip, folder)
    doc = gltf.Document(path)
    which = doc.animations.index(next(a for a in doc.animations if a.get("name") == clip)) if clip else 0
    legs, unit = info["legs"], info.get("unit_metres") or 1.0
    entry = info["clips"][info["clip_index"]]
    times = entry["start"] + np.arange(entry["frames"]) * entry["frame_time"]
    dense = gltf.Animation(doc, which).times()
    if entry["stored_frames"]:
        for i, t in enumerate(times):
            near = dense[np.argmin(np.abs(dense - t))]
            times[i] = near if abs(near - t) < 1e-4 else t
    given = GltfScene(path, which, legs, unit, times)
    cleaned = GltfScene(made, which, legs, unit, given.times)
    missing = [leg.name for leg in given.legs if leg.name not in labels]
    if missing:
        raise ValueError("no labels of %s (have %s)" % (missing, list(labels)))
    frames = {len(v) for v in labels.values()}
    if frames != {len(given.times)}:
        raise ValueError("labels have %s frames, the clip %d" % (frames, len(given.times)))
    unreached = {}
    for entry in report.get("unreached", []):
        unreached.setdefault(entry["foot"], {})[int(entry["frame"])] = entry.get("distance_cm")
    velocity = report.get("ground_velocity_m_s")
    velocity = np.array(velocity, float) if velocity is not None and np.any(velocity) else None
    findings = gltf_compare.compare(path, made, report)
    result = {
        "class": "own", "slide": measure.slide(cleaned, labels, unreached, velocity),
        "slide_given": measure.slide(given, labels, None, velocity),
        "plant_height": measure.plant_height(cleaned, given, labels, unreached),
        "depth": measure.depth(cleaned, given), "bone_lengths": measure.bone_lengths(
            cleaned, given, {e["name"] for e in report["changed_joints"] if e["translation"]}),
        "angular": measure.angular(cleaned, given), "pelvis": measure.pelvis(cleaned, given),
        "untouched": {"same_tree": True, "same_offsets": True, "same_frame_time": True, "same_frames": True,
                      "changed": findings, "travel_rotation_changed": False, "leg_positions_changed": [],
                      "reference_rows_changed": 0},
        "again": None, "ground_velocity": None if velocity is None else velocity.tolist()}
    result["lines"] = judge.verdict(result, judge.LIMITS["own"])
    result["pass"] = judge.passes(result["lines"])
    return result, given


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surefoot", default="build/bin/surefoot")
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("--brief", action="store_true", help="one line a clip, and the lines that fail")
    parser.add_argument("clips", nargs="+", metavar="FILE[:CLIP]")
    args = parser.parse_args()
    folder = args.keep or tempfile.mkdtemp(prefix="surefoot-gltf-")
    os.makedirs(folder, exist_ok=True)
    program, status = Program(os.path.abspath(args.surefoot)), 0
    try:
        for text in args.clips:
            path, clip = (text, None) if os.path.exists(text) else text.rsplit(":", 1)
            try:
                result, scene = judge_clip(program, path, clip, folder)
            except (ProgramError, ValueError, KeyError, OSError) as error:
                print("%s: %s" % (text, error))
                status = 2
                continue
            status = max(status, 0 if result["pass"] else 1)
            if not args.brief:
                print("== %s" % text)
                judge.print_report(result)
                continue
            rows = result["slide"].values()
            print("%s  %s: %d frames, %d legs, planted %d, slide %.3f/%.2f cm/s -> %.3f/%.2f cm/s%s" % (
                "pass" if result["pass"] else "FAIL", text, len(scene.times), len(scene.legs),
                sum(r["planted_frames"] for r in rows),
                *(f([r["all"]["mean" if f is np.mean else "max"] for r in result["slide_given"].values()])
                  for f in (np.mean, max)),
                *(f([r["reached"]["mean" if f is np.mean else "max"] for r in rows]) for f in (np.mean, max)),
                "".join("\n      %s %.4g (limit %g) %s" % (e["name"], e["value"], e["limit"], e["where"])
                        for e in judge.failing(result["lines"]))))
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    return status


if __name__ == "__main__":
    sys.exit(main())
