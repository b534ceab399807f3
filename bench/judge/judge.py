#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Judges one cleaned clip against the clip that was cleaned.

usage: judge.py ORIG GIVEN CLEANED [options]

ORIG     the unscaled original; its plants by the plain rule say which frames are judged
GIVEN    the clip that was given to the clean-up (ORIG with its travel scaled, or ORIG itself)
CLEANED  what came back

Exit status: 0 all lines pass, 1 some line fails, 2 the files cannot be judged.
"""

import argparse
import json
import sys

import numpy as np

import bvh
import clips
import measure
import plants
from scene import Scene

# limits by class of motion; smoothness is looser on jogs and runs
LIMITS = {"walk": {"angular_p999": 1.5, "angular_max": 2.5}, "run": {"angular_p999": 2.0, "angular_max": 2.5}}
LIMITS["own"] = LIMITS["walk"]
SLIDE_MEAN, SLIDE_MAX, UNREACHED_SHARE = 0.05, 0.5, 0.02  # cm/s, cm/s, of planted frames
HEIGHT_OFF, DEEPER, BONE, PELVIS_HEIGHT = 0.1, 0.1, 1e-4, 1.0  # cm
PELVIS_P99, PELVIS_MAX = 1.5, 2.0
SAME_TURN = 0.01  # degrees


def read_unreached(path):
    """{foot: {frame: distance}} from a `clean --json` report."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    out = {}
    for entry in report.get("unreached", []):
        out.setdefault(entry["foot"], {})[int(entry["frame"])] = entry.get("distance_cm")
    return out


def ground_velocity_of(given, labels):
    """Median velocity [m/s] of planted toes of the given clip: the ground's own, on a treadmill or in place."""
    steps = []
    for leg in given.legs:
        label = labels[leg.name]
        step = np.diff(given.path_of(leg.toe), axis=0)[label[1:] & label[:-1]]
        steps.append(step / given.dt)
    steps = np.concatenate(steps) if steps else np.zeros((0, 3))
    return given.horizontal(np.median(steps, axis=0)) if len(steps) else np.zeros(3)


def judge(original, given, cleaned, labels=None, unreached=None, kind=None, again=None, ground_velocity=None):
    """All figures and the verdict lines; Scenes in, dict out. labels: {foot: bool array}, None for the plain rule."""
    kind = kind or original.kind or "walk"
    if given.clip.frames != cleaned.clip.frames:
        raise ValueError("the cleaned clip has %d frames, the given one %d" % (cleaned.clip.frames, given.clip.frames))
    if [n.name for n in given.clip.nodes] != [n.name for n in cleaned.clip.nodes]:
        raise ValueError("the cleaned clip has other joints than the given one")
    labels = labels or original.plain_plants()
    for leg in given.legs:
        if leg.name not in labels:
            raise ValueError("no plant labels for foot %s (have: %s)" % (leg.name, ", ".join(labels)))
    if isinstance(ground_velocity, str):
        ground_velocity = ground_velocity_of(given, labels)
    out = {
        "class": kind,
        "slide": measure.slide(cleaned, labels, unreached, ground_velocity),
        "slide_given": measure.slide(given, labels, None, ground_velocity),
        "plant_height": measure.plant_height(cleaned, given, labels, unreached),
        "depth": measure.depth(cleaned, given),
        "bone_lengths": measure.bone_lengths(cleaned, given),
        "angular": measure.angular(cleaned, given),
        "pelvis": measure.pelvis(cleaned, given),
        "untouched": measure.untouched(cleaned, given),
        "again": measure.largest_turn(cleaned, again) if again else None,
        "ground_velocity": None if ground_velocity is None else [float(v) for v in ground_velocity],
    }
    out["lines"] = verdict(out, LIMITS[kind])
    out["pass"] = passes(out["lines"])
    return out


def passes(lines):
    return all(entry["pass"] or entry["advisory"] for entry in lines)


def failing(lines):
    return [entry for entry in lines if not entry["pass"] and not entry["advisory"]]


def line(name, value, limit, where="", at_least=False, advisory=False):
    """One verdict line; a yes-or-no line has value True or False and limit True. Advisory lines decide nothing."""
    return {"name": name, "value": value, "limit": limit, "where": where, "advisory": advisory,
            "pass": bool(value >= limit) if at_least else bool(value <= limit)}


def yes(name, value, where=""):
    return line(name, bool(value), True, where, at_least=True)


def _worst(rows, key):
    """(value, name) of the largest key(row)."""
    name = max(rows, key=lambda n: key(rows[n]))
    return key(rows[name]), name


def verdict(f, limits):
    slide, lines = f["slide"], []
    value, foot = _worst(slide, lambda r: r["reached"]["mean"])
    lines.append(line("slide mean cm/s", value, SLIDE_MEAN, foot))
    value, foot = _worst(slide, lambda r: r["reached"]["max"])
    lines.append(line("slide max cm/s", value, SLIDE_MAX, "%s frame %s" % (foot, slide[foot]["worst_frame"])))
    planted = sum(r["planted_frames"] for r in slide.values())
    lost = sum(r["unreached_planted_frames"] for r in slide.values())
    lines.append(line("unreached share", lost / planted if planted else 0.0, UNREACHED_SHARE,
                       "%d of %d" % (lost, planted)))
    value, foot = _worst(f["plant_height"], lambda r: r["off_max"])
    lines.append(line("plant height off cm", value, HEIGHT_OFF, foot))
    for part in ("heel", "toe", "toe_end"):
        rows = {foot: row[part] for foot, row in f["depth"].items() if part in row}
        if rows:
            value, foot = _worst(rows, lambda r: r["clip"])
            lines.append(line("%s deeper (clip) cm" % part, value, DEEPER, foot))
            value, foot = _worst(rows, lambda r: r["frame_max"])
            lines.append(line("%s deeper (frame) cm" % part, value, DEEPER, "%s frame %d, %d frames over" % (
                foot, rows[foot]["worst_frame"], sum(r["frames_over"] for r in rows.values())), advisory=True))
    lines.append(line("bone length change cm", f["bone_lengths"]["max"], BONE, f["bone_lengths"]["joint"] or ""))
    for space in ("local", "model"):
        for key, limit in (("ratio_p999", limits["angular_p999"]), ("ratio_max", limits["angular_max"])):
            rows = {j: r[space] for j, r in f["angular"].items() if space in r}
            if not rows:
                continue
            value, joint = _worst(rows, lambda r: r[key])
            lines.append(line("angular acc %s %s" % (space, key[6:]), value, limit, "%s frame %d" % (
                joint, rows[joint]["worst_frame"])))
    p = f["pelvis"]
    lines.append(line("pelvis acc p99", p["ratio_p99"], PELVIS_P99))
    lines.append(line("pelvis acc max", p["ratio_max"], PELVIS_MAX, "frame %d" % p["worst_frame"]))
    lines.append(line("pelvis height mean change cm", abs(p["height_mean_change"]), PELVIS_HEIGHT))
    u = f["untouched"]
    ok = u["same_tree"] and u["same_offsets"] and u["same_frame_time"] and u["same_frames"]
    lines.append(yes("same hierarchy and timing", ok))
    lines.append(yes("other joints untouched", not u["changed"], ", ".join(u["changed"][:6])))
    lines.append(yes("travel rotation untouched", not u["travel_rotation_changed"]))
    lines.append(yes("leg positions untouched", not u["leg_positions_changed"],
                     ", ".join(u["leg_positions_changed"][:6])))
    lines.append(yes("reference rows untouched", u["reference_rows_changed"] == 0))
    if f["again"]:
        a = f["again"]
        lines.append(line("cleaned again, turn degrees", a["degrees"], SAME_TURN, "%s frame %d" % (a["joint"], a["frame"])))
    return lines


def print_report(f, out=sys.stdout):
    for entry in f["lines"]:
        value = str(entry["value"]) if isinstance(entry["value"], bool) else "%.5g" % entry["value"]
        print("%s  %-30s %12s  limit %-7g %s" % (
            "pass" if entry["pass"] else "note" if entry["advisory"] else "FAIL", entry["name"], value,
                                                 entry["limit"], entry["where"]), file=out)
    print("\nslide by foot, cm/s (3-D; 'entry' also counts the step into a plant)", file=out)
    for foot, r in f["slide"].items():
        g = f["slide_given"][foot]
        print("  %-28s %4d planted, %3d unreached; given mean %.3f max %.3f; cleaned mean %.4f max %.4f; reached %.4f %.4f;"
              " horizontal %.4f %.4f; inner %.4f %.4f; entry %.3f %.3f" % (
                  foot, r["planted_frames"], r["unreached_planted_frames"], g["all"]["mean"], g["all"]["max"],
                  r["all"]["mean"], r["all"]["max"], r["reached"]["mean"], r["reached"]["max"],
                  r["reached_horizontal"]["mean"], r["reached_horizontal"]["max"], r["inner"]["mean"], r["inner"]["max"],
                  r["entry"]["mean"], r["entry"]["max"]), file=out)
    print("\nangular acceleration, rad/s^2 (given p99.9, max; ratio p99.9, max; frame of the largest)", file=out)
    for joint, row in f["angular"].items():
        for space, r in row.items():
            print("  %-28s %-5s %9.1f %9.1f   %7.3f %7.3f  @%d%s" % (
                joint, space, r["given_p999"], r["given_max"], r["ratio_p999"], r["ratio_max"], r["worst_frame"],
                "  STILL IN THE INPUT: must stay still (cleaned max %.3g)" % r["cleaned_max"] if r["still"] else ""), file=out)
    p = f["pelvis"]
    print("\npelvis: acc m/s^2 given p99 %.2f max %.2f, cleaned %.2f %.2f; height mean %+.3f cm, at most %.3f; path moved %.2f cm"
          % (p["given_p99"], p["given_max"], p["cleaned_p99"], p["cleaned_max"], p["height_mean_change"],
             p["height_max_change"], p["travel_max_change"]), file=out)
    for foot, r in f["plant_height"].items():
        print("plant height %s: off %.4f cm (all frames %.4f), plants moved up or down by %.3f cm at most" % (
            foot, r["off_max"], r["off_max_all"], r["shift_max"]), file=out)
    print("\n%s (class %s)" % ("PASS" if f["pass"] else "FAIL: " + "; ".join(
        entry["name"] for entry in failing(f["lines"])), f["class"]), file=out)


def load_three(original, given, cleaned, unit=None, up=None, legs=None, positions="auto"):
    """Scenes of the three files with the original's unit, up axis and legs."""
    o = Scene(original, unit, up, legs, positions)
    if not o.legs:
        raise ValueError("%s: no legs found; give --legs" % original)
    same = dict(unit=o.unit, up=o.up, positions=positions, legs=legs, like=o.clip)
    return o, Scene(given, **same), Scene(cleaned, **same)


def legs_argument(path):
    if not path:
        return None
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    return data["legs"] if isinstance(data, dict) else data


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("original")
    parser.add_argument("given")
    parser.add_argument("cleaned")
    parser.add_argument("--labels", help="label file whose plants are judged instead of the plain rule's")
    parser.add_argument("--report", help="`clean --json` output: its unreached frames are judged apart")
    parser.add_argument("--again", help="CLEANED cleaned once more with the same labels")
    parser.add_argument("--legs", help="`info --json` output, or a list of legs in that form")
    parser.add_argument("--unit", type=float, help="metres a file unit")
    parser.add_argument("--up", help="Y, Z, -Z ...")
    parser.add_argument("--class", dest="kind", choices=sorted(LIMITS))
    parser.add_argument("--positions", choices=("auto", "absolute", "additive"), default="auto")
    parser.add_argument("--ground-velocity", nargs="+", metavar="V",
                        help="three numbers, m/s in file axes, or 'auto': the planted toes' median velocity in GIVEN")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        legs = legs_argument(args.legs)
        o, g, c = load_three(args.original, args.given, args.cleaned, args.unit, args.up, legs, args.positions)
        again = Scene(args.again, o.unit, o.up, legs, args.positions, o.clip) if args.again else None
        velocity = args.ground_velocity
        if velocity is not None:
            velocity = "auto" if velocity == ["auto"] else np.array([float(v) for v in velocity])
        result = judge(o, g, c, plants.read_labels(args.labels) if args.labels else None,
                       read_unreached(args.report) if args.report else None, args.kind, again, velocity)
    except (ValueError, OSError, KeyError) as error:
        print("judge: %s" % error, file=sys.stderr)
        return 2
    if args.json:
        json.dump(result, sys.stdout, indent=1, default=float)
        print()
    else:
        print_report(result)
    return 0 if result["pass"] else 1


if __name__ == "__main__":
    sys.exit(main())
