#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Runs the acceptance table: every judged clip, its travel scaled, cleaned by the program, judged.

usage: table.py [--surefoot build/bin/surefoot] [--data ../shared/data/bvh] [--markdown FILE] [--csv FILE] [--json FILE]

For each clip and scale the program cleans twice over: with the plain rule's labels of the unscaled original ("rule"),
and with its own labels of the scaled clip ("own"). Both are judged on the plain rule's plants of the original. Clips
that do not travel, or slide in themselves, are judged on the program's own labels ("own clips"). Every cleaned clip is
cleaned once more with the same labels. Exit status 1 if any line fails.
"""

import argparse
import csv
import json
import os

# the matrices here are 3x3: more threads only get into each other's way (must be set before NumPy is loaded)
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import shutil
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor

import numpy as np

import bvh
import clips
import f1
import judge
from program import Program, ProgramError
from scene import Scene, scale_travel

SCALES = (0.75, 1.0, 1.25)
# of the clips judged on their own labels, those whose feet stand on moving ground: the program must notice
MOVING_GROUND = ("opensim_gait2354_walk_treadmill", "makehuman_walk1")
PLANT_F1 = {"walk": 0.97, "run": 0.92}
TOUCH_F1 = {"opensim_gait2354_walk_overground": ("opensim_gait2354_walk_contacts.json", 0.98)}


def _scaling_notes(original, factor, path):
    """Notes on where the program's scaled clip is not the judge's own: travel to rounding, all other numbers exactly."""
    ours, theirs = scale_travel(original, factor).values, bvh.read(path).values
    if ours.shape != theirs.shape:
        return ["scaled clip has another shape: %s, judge %s" % (theirs.shape, ours.shape)]
    travel = np.zeros(ours.shape[1], bool)
    travel[[c for axis, c in bvh.position_columns(original.clip, original.travel) if axis != original.up[0]]] = True
    notes = []
    if (ours[:, ~travel] != theirs[:, ~travel]).any():
        notes.append("scaling changed numbers other than the travel")
    difference = float(np.max(np.abs(ours - theirs)))
    if difference > 1e-9 * max(1.0, float(np.max(np.abs(ours)))):
        notes.append("scaled travel differs from the judge's own by %g units" % difference)
    return notes


def _info_notes(info, scene):
    """Notes on where what the program says of a clip differs from what the judge finds."""
    notes = []
    ours = [leg.name for leg in scene.legs]
    theirs = [entry.get("toe") or entry.get("heel") for entry in info.get("legs", [])]
    if sorted(ours) != sorted(t for t in theirs if t):
        notes.append("legs differ: judge %s, program %s" % (ours, theirs))
    unit = info.get("unit_metres")
    # a unit that the program itself calls a guess may be a tenth off
    if unit is not None and abs(unit / scene.unit - 1.0) > (1e-3 if info.get("unit_sure", True) else 0.1):
        notes.append("unit differs: judge %g, program %g" % (scene.unit, unit))
    up = str(info.get("up", "")).strip().upper().lstrip("+")
    if up and up != ("-" if scene.up[1] < 0 else "") + "XYZ"[scene.up[0]]:
        notes.append("up differs: judge %s, program %s" % (scene.up, up))
    first = info.get("first_frame")
    if first is not None and first != int(np.argmax(~scene.reference)):
        notes.append("first frame differs: judge %d, program %d" % (int(np.argmax(~scene.reference)), first))
    travel = info.get("travel_joint")
    if travel is not None and travel != scene.clip.nodes[scene.travel].name:
        notes.append("travel joint differs: judge %s, program %s" % (scene.clip.nodes[scene.travel].name, travel))
    return notes


def _ground(report, scene, labels, row):
    """Velocity [m/s, file axes] of the ground that the program says it locked feet to, held against the toes' own."""
    said = report.get("ground_velocity_m_s")
    if said is None or not np.any(said):
        if row["clip"] in MOVING_GROUND:
            row["notes"].append("the program sees no moving ground")
        return None
    # the program speaks of its own axes, Y up; a Z-up file is that turned by a quarter about X
    said = np.array(said, float)
    if scene.up[0] == 2:
        said = np.array([said[0], -said[2], said[1]]) * np.array([1.0, scene.up[1], scene.up[1]])
    toes = judge.ground_velocity_of(scene, labels)
    if np.linalg.norm(said - toes) > 0.05 + 0.05 * np.linalg.norm(toes):
        row["notes"].append("ground velocity %s m/s, but planted toes move at %s" % (np.round(said, 3), np.round(toes, 3)))
    return said


def _unreached(report):
    out = {}
    for entry in report.get("unreached", []):
        out.setdefault(entry["foot"], {})[int(entry["frame"])] = entry.get("distance_cm")
    return out


def _label_lines(row, own, plain, data):
    """Verdict lines on the program's own labels: plants against the plain rule on the unslid clip, touch on plates."""
    lines = []
    columns = f1.plant_columns(own)
    if set(columns) == set(plain):
        row["plant_f1"] = f1.plant_agreement(columns, plain)[0]
        if row["labels"] == "own" and row["class"] in PLANT_F1:
            lines.append(judge.line("plant F1", row["plant_f1"], PLANT_F1[row["class"]], at_least=True))
    else:
        row["notes"].append("own labels: feet %s" % sorted(columns))
    contacts, limit = TOUCH_F1.get(row["clip"], (None, None))
    contacts = contacts and os.path.join(data, "..", "contacts", contacts)
    if contacts and row["labels"] == "own" and row["scale"] == 1.0 and os.path.exists(contacts):
        labels = f1.plants.read_labels(own)
        try:
            score = f1.pooled(f1.touch_pairs(labels, f1.contact_truth(contacts)))
        except ValueError as error:
            score = 0.0
            row["notes"].append("touch: %s" % error)
        lines.append(judge.line("touch F1", score, limit, at_least=True))
    return lines


def run_one(job):
    """One row. job: (program, file, stem, scale, labels 'rule' or 'own', kind, work folder)."""
    program, path, stem, scale, mode, kind, folder = job
    row = {"clip": stem, "scale": scale, "labels": mode, "class": kind, "notes": [], "error": None}
    base = os.path.join(folder, "%s_%g_%s" % (stem, scale, mode))
    given, cleaned, again = base + "_given.bvh", base + "_cleaned.bvh", base + "_again.bvh"
    try:
        original = Scene(path)
        if not original.legs:
            raise ValueError("the judge finds no legs")
        info = program.info(path)
        row["notes"] += _info_notes(info, original)
        program.scale(path, scale, given)
        row["notes"] += _scaling_notes(original, scale, given)
        plain = original.plain_plants()
        rule, own = base + "_rule.csv", base + "_own.csv"
        program.rule_labels(path, rule)
        program.own_labels(given, own)
        # beside a reference frame the speed is undefined for one of the two; with a guessed unit so is the threshold
        sure = np.arange(original.clip.frames) >= original.reference.sum() * f1.plants.window_frames(original.dt)
        sure &= abs((info.get("unit_metres") or original.unit) / original.unit - 1.0) < 1e-3
        for foot, label in f1.plant_columns(rule).items():
            if foot not in plain or len(label) != len(plain[foot]):
                row["notes"].append("rule labels: foot %s unknown to the judge or of other length" % foot)
            elif (label != plain[foot])[sure].any():
                row["notes"].append("rule labels differ on %d frames of %s" % ((label != plain[foot])[sure].sum(), foot))
        label_lines = _label_lines(row, own, plain, os.path.dirname(path))
        labels = rule if mode == "rule" else own
        # "own" lets the program label for itself, as a user would run it
        report = program.clean(given, cleaned, rule if mode == "rule" else None)
        program.clean(cleaned, again, labels)
        o, g, c = judge.load_three(path, given, cleaned)
        scene_again = Scene(again, o.unit, o.up, like=o.clip)
        judged = f1.plant_columns(own) if kind == "own" else plain
        velocity = _ground(report, g, judged, row) if kind == "own" else None
        row["result"] = judge.judge(o, g, c, judged, _unreached(report), kind, scene_again, velocity)
        row["result"]["lines"] += label_lines
        if not sum(r["planted_frames"] for r in row["result"]["slide"].values()):
            row["notes"].append("nothing is planted, so nothing was judged")
        row["pass"] = judge.passes(row["result"]["lines"]) and not row["notes"]
    except (ProgramError, ValueError, OSError, KeyError) as error:
        row["error"], row["pass"] = "%s: %s" % (type(error).__name__, error), False
    return row


COLUMNS = (
    ("slide mean", "slide mean cm/s", "%.3f"), ("slide max", "slide max cm/s", "%.2f"),
    ("unreached", "unreached share", "%.1f%%"), ("height off", "plant height off cm", "%.3f"),
    ("heel", "heel deeper (clip) cm", "%.2f"), ("toe end", "toe_end deeper (clip) cm", "%.2f"),
    ("bone", "bone length change cm", "%.0e"), ("ang p99.9", "angular acc local p999", "%.2f"),
    ("ang max", "angular acc local max", "%.2f"), ("model p99.9", "angular acc model p999", "%.2f"),
    ("model max", "angular acc model max", "%.2f"), ("pelvis p99", "pelvis acc p99", "%.2f"),
    ("pelvis max", "pelvis acc max", "%.2f"), ("pelvis height", "pelvis height mean change cm", "%.2f"),
    ("again", "cleaned again, turn degrees", "%.4f"),
)


def cells(row):
    """The row's texts; a value over its limit is starred."""
    out = [row["clip"], "%g" % row["scale"], row["labels"], row["class"]]
    if row["error"]:
        return out + ["error"] + [""] * (len(COLUMNS) + 1)
    lines = {entry["name"]: entry for entry in row["result"]["lines"]}
    for _, name, style in COLUMNS:
        entry = lines.get(name)
        if entry is None:
            out.append("")
            continue
        value = entry["value"] * (100.0 if "%%" in style else 1.0)
        out.append(style % value + ("" if entry["pass"] else " *"))
    given = row["result"]["slide_given"].values()
    steps = sum(r["all"]["n"] for r in given)
    before = sum(r["all"]["mean"] * r["all"]["n"] for r in given) / steps if steps else 0.0
    out.insert(4, "%.2f" % before)
    late = row["labels"] == "own" and row.get("plant_f1", 1.0) < PLANT_F1.get(row["class"], 0.0)
    out.append("%.3f%s" % (row["plant_f1"], " *" if late else "") if "plant_f1" in row else "")
    return out + ["pass" if row["pass"] else "FAIL"]


HEAD = ["clip", "scale", "labels", "class", "given slide"] + [c[0] for c in COLUMNS] + ["plant F1", "verdict"]


def markdown(rows, brief=False):
    text = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    text += ["| " + " | ".join(cells(row)) + " |" for row in rows]
    passed = sum(row["pass"] for row in rows)
    text += ["", "%d of %d rows pass. A star marks a value over its limit. Slide in cm/s between planted frames, lengths in cm, "
             "accelerations as ratios to the clip that was given." % (passed, len(rows)), ""]
    for row in rows:
        where = "%s x%g %s" % (row["clip"], row["scale"], row["labels"])
        if row["error"]:
            text.append("- %s: %s" % (where, row["error"]))
            continue
        for note in row["notes"]:
            text.append("- %s: %s" % (where, note))
        for entry in row["result"]["lines"]:
            if not entry["pass"] and not (entry["advisory"] and brief):
                text.append("- %s: %s%s %.4g (limit %g) %s" % (
                    where, "advisory: " if entry["advisory"] else "", entry["name"], entry["value"], entry["limit"],
                    entry["where"]))
    return "\n".join(text) + "\n"


def jobs_of(args, program, folder):
    wanted = args.clips or clips.JUDGED + (clips.OWN if not args.judged_only else [])
    out = []
    for stem in wanted:
        path = os.path.join(args.data, stem + ".bvh")
        if not os.path.exists(path):
            print("SKIP %s: not in %s" % (stem, args.data), file=sys.stderr)
            continue
        kind = clips.known(stem)[2] or "own"
        if kind == "own":
            out.append((program, path, stem, 1.0, "own", kind, folder))
            continue
        out += [(program, path, stem, s, m, kind, folder) for s in args.scales for m in args.labels]
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surefoot", default="build/bin/surefoot")
    parser.add_argument("--data", default="../shared/data/bvh")
    parser.add_argument("--clips", nargs="+", metavar="STEM", help="only these clips")
    parser.add_argument("--scales", nargs="+", type=float, default=SCALES)
    parser.add_argument("--labels", nargs="+", choices=("rule", "own"), default=("rule", "own"))
    parser.add_argument("--judged-only", action="store_true", help="leave out the clips judged on their own labels")
    parser.add_argument("--clean-options", default="", help="further options of `surefoot clean`, in one string")
    parser.add_argument("--brief", action="store_true", help="do not list advisory findings")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--keep", metavar="FOLDER", help="keep the scaled and cleaned clips there")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--csv", metavar="FILE")
    parser.add_argument("--json", metavar="FILE")
    args = parser.parse_args()
    if not os.path.exists(args.surefoot):
        print("table: no program at %s; build it, or give --surefoot" % args.surefoot, file=sys.stderr)
        return 2
    if not os.path.isdir(args.data):
        print("SKIP: no data folder at %s; give --data" % args.data)
        return 0
    folder = args.keep or tempfile.mkdtemp(prefix="surefoot-table-")
    os.makedirs(folder, exist_ok=True)
    program = Program(os.path.abspath(args.surefoot), args.clean_options.split())
    try:
        with ProcessPoolExecutor(args.jobs) as pool:
            rows = list(pool.map(run_one, jobs_of(args, program, folder)))
    finally:
        if not args.keep:
            shutil.rmtree(folder, ignore_errors=True)
    text = markdown(rows, args.brief)
    print(text)
    if args.markdown:
        with open(args.markdown, "w", encoding="utf-8") as file:
            file.write(text)
    if args.csv:
        with open(args.csv, "w", newline="", encoding="utf-8") as file:
            csv.writer(file, lineterminator="\n").writerows([HEAD] + [cells(row) for row in rows])
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1, default=float)
    return 0 if rows and all(row["pass"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
