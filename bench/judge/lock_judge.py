#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Judges a clip that went through the run-time lock (`surefoot clean --method runtime`) by its files alone.

usage: lock_judge.py SOURCE LOCKED --labels CSV --report JSON [--unit M]

settled slide   speed of planted toes over steps both of whose frames are held and past the blend; at most 0.05 cm/s. Held
                means planted and in none of the report's gaps; the blend begins anew at each plant and after each gap.
step            second difference of each toe, over what the source and a crossing explain: the source's own at the frames
                around, or none where the toe stands, and the cubic's 6 |x0| / T^2 + 4 |v0| / T for the offset x0 that a
                crossing begun within the last T seconds had, and its velocity v0. At most 1 mm a frame squared.
"""

import argparse
import json
import sys

import numpy as np

import judge as clean_judge
import measure
import plants
from scene import Scene

SLIDE, STEP = 0.05, 0.1  # cm/s, cm


def held_frames(plant, gaps):
    held = plant.copy()
    for first, last in gaps:
        held[first:last + 1] = False
    return held


def settled_frames(held, blend, dt):
    """Held for at least `blend` seconds."""
    out = np.zeros(len(held), bool)
    for first, end in plants.runs(held):
        out[min(end, first + int(np.ceil(blend / dt - 1e-9))):end] = True
    return out


def steps(source, locked, held, blend, dt):
    """Second differences (F,) [m] that neither the source nor a crossing explains; frames 1 to F - 2."""
    second = lambda x: np.linalg.norm(x[2:] - 2 * x[1:-1] + x[:-2], axis=1)
    frames = len(source)
    out, own, got = np.zeros(frames), np.zeros(frames), np.zeros(frames)
    own[1:-1], got[1:-1] = second(source), second(locked)
    speed = np.vstack([np.zeros(3), np.diff(source, axis=0)]) / dt
    moved = np.vstack([np.zeros(3), np.diff(locked, axis=0)]) / dt
    begin = np.flatnonzero(np.diff(held.astype(int)) != 0) + 1
    for i in range(1, frames - 1):
        allowed = own[max(1, i - 2):i + 3].max()
        for b in begin[(begin <= i + 1) & (begin > i - 2 - blend / dt)]:
            at = slice(max(0, b - 2), min(frames, b + 2))
            # what the crossing began with: into a plant all of the toe's speed and how far it was off; out of it likewise
            offset = np.linalg.norm(locked[at] - source[at], axis=1).max() + np.linalg.norm(np.ptp(source[at], axis=0))
            rate = max(np.linalg.norm(speed[at], axis=1).max(), np.linalg.norm(moved[at] - speed[at], axis=1).max())
            if blend > 0.0:
                allowed += (6 * offset / blend ** 2 + 4 * rate / blend) * dt * dt
            else:
                allowed += offset + rate * dt
            # the frame in which it began takes the plant's speed for the toe's, or the other way round: at most its change
            if b - 1 <= i <= b + 1:
                allowed += own[max(0, b - 2):b + 2].max()
        out[i] = max(0.0, got[i] - allowed)
    return out


def judge(source, locked, labels, report):
    dt, lines = source.dt, []
    blend = report["blend_s"]
    worst = {"slide": (0.0, ""), "step": (0.0, "")}
    share = [0, 0]
    for leg in source.legs:
        gaps = [(g["first"], g["last"]) for g in report.get("gaps", []) if g["foot"] == leg.name]
        held = held_frames(labels[leg.name] & ~source.reference, gaps)
        settled = settled_frames(held, blend, dt)
        toe = locked.path_of(leg.toe)
        speed = np.linalg.norm(np.diff(toe, axis=0), axis=1) / dt * 100.0
        pair = settled[1:] & settled[:-1]
        share[0] += int(settled.sum())
        share[1] += int(labels[leg.name].sum())
        if pair.any():
            k = int(np.argmax(np.where(pair, speed, -1.0)))
            worst["slide"] = max(worst["slide"], (float(speed[k]), "%s frame %d" % (leg.name, k + 1)))
        first = int(np.argmax(~source.reference))
        over = steps(source.path_of(leg.toe)[first:], toe[first:], held[first:], blend, dt) * 100.0
        worst["step"] = max(worst["step"], (float(over.max()), "%s frame %d" % (leg.name, first + int(np.argmax(over)))))
    lines.append(clean_judge.line("settled slide cm/s", worst["slide"][0], SLIDE, worst["slide"][1] + "; %d of %d planted "
                                  "frames settled" % tuple(share)))
    lines.append(clean_judge.line("unexplained step cm", worst["step"][0], STEP, worst["step"][1]))
    u = measure.untouched(locked, source)
    lines.append(clean_judge.yes("other joints untouched", not u["changed"] and not u["leg_positions_changed"],
                                 ", ".join(u["changed"][:6])))
    move = np.abs(locked.path_of(source.legs[0].pelvis) - source.path_of(source.legs[0].pelvis)).max() * 100.0
    lines.append(clean_judge.line("pelvis moved cm", float(move), 1e-4))
    return {"lines": lines, "pass": clean_judge.passes(lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("locked")
    parser.add_argument("--labels", required=True)
    parser.add_argument("--report", required=True)
    parser.add_argument("--unit", type=float)
    args = parser.parse_args()
    source = Scene(args.source, args.unit)
    locked = Scene(args.locked, source.unit, source.up, like=source.clip)
    with open(args.report, encoding="utf-8") as file:
        report = json.load(file)
    result = judge(source, locked, plants.read_labels(args.labels), report)
    for entry in result["lines"]:
        print("%s  %-26s %10.4g  limit %-6g %s" % ("pass" if entry["pass"] else "FAIL", entry["name"],
                                                  float(entry["value"]), entry["limit"], entry["where"]))
    return 0 if result["pass"] else 1


if __name__ == "__main__":
    sys.exit(main())
