#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Judges one clip that was put onto a ground (`surefoot adapt`) against the clip as it was on its flat floor.

usage: adapt_judge.py SOURCE ADAPTED --ground FILE.obj|SPEC [--labels CSV] [--report JSON] [options]

What each line means, and why it is measured so: README.md, "Feet on ground".
Exit status: 0 all lines pass, 1 some line fails, 2 the files cannot be judged.
"""

import argparse
import json
import sys

import numpy as np

import adapt_measure as measure
import grounds
import judge as clean_judge
import measure as clean_measure
import plants
from judge import failing, line, passes, yes
from scene import Scene

CONTACT, DEPTH, TILT = 0.5, 0.5, 2.0  # cm, cm, degrees
KNEE, KNEE_SLACK = 0.995, 1e-4  # of the chain
JERK = {"slope": 1.5, "stairs": 3.0}
SLIDE_MEAN, SLIDE_MAX = clean_judge.SLIDE_MEAN, clean_judge.SLIDE_MAX  # cm/s
MISSED_SHARE = clean_judge.UNREACHED_SHARE
PLACE, LIFT, BONE = 10.1, 10.0, 1e-4  # cm
POP = 2.5  # angular acceleration as a multiple of the source's: advisory


def read_misses(report):
    """{foot: {fault: [(first, last)]}} of an `adapt --json` report."""
    out = {}
    for entry in report.get("misses", []):
        out.setdefault(entry["foot"], {}).setdefault(entry["fault"], []).append((entry["first"], entry["last"]))
    return out


def _listed(misses, foot, faults, frames):
    mask = np.zeros(frames, bool)
    for fault in faults:
        for first, last in misses.get(foot, {}).get(fault, []):
            mask[first:last + 1] = True
    return mask


def figures(source, adapted, ground, labels, floor, misses=None, velocity=None, travel=None):
    """Every figure; labels {foot: bool array}; misses as read_misses gives them; travel: name of the joint that carries
    the body, which is no bone."""
    if source.clip.frames != adapted.clip.frames:
        raise ValueError("the adapted clip has %d frames, the source %d" % (adapted.clip.frames, source.clip.frames))
    if [n.name for n in source.clip.nodes] != [n.name for n in adapted.clip.nodes]:
        raise ValueError("the adapted clip has other joints than the source")
    misses, keep, out = misses or {}, ~source.reference, {"feet": {}}
    source.tips = measure.on_tips(source, labels)
    # of a figure with a mesh the floor is where its soles are, below the joints
    thick = max(0.0, measure.floor_of(source, labels) - floor)
    for leg in source.legs:
        if leg.name not in labels:
            raise ValueError("no labels for foot %s (have: %s)" % (leg.name, ", ".join(labels)))
        label = labels[leg.name] & keep
        foot = measure.Foot(source, adapted, leg, label, floor, measure.rest_heights(source, leg, thick, label))
        stance = measure.Foot(source, adapted, leg, label, floor, measure.stance_heights(source, leg, label, floor))
        gone = _listed(misses, leg.name, ("no ground", "reach"), len(label))
        out["feet"][leg.name] = {
            "plants": len(plants.runs(label)), "planted": int(label.sum()), "missed": int((label & gone).sum()),
            "rest_cm": {k: v * 100.0 for k, v in foot.rest.items()},
            "stance_cm": {k: v * 100.0 for k, v in stance.rest.items()},
            "support": measure.support(foot, ground, label & ~gone),
            "stance": measure.support(stance, ground, label & ~gone),
            "penetration": measure.penetration(foot, ground, keep),
            "tilt": measure.tilt(foot, ground, label & ~gone & ~_listed(misses, leg.name, ("tilt",), len(label))),
            "knee": measure.knee(source, adapted, leg, keep),
            "slide": measure.slide(source, adapted, leg, label & ~gone, velocity),
            "shift": measure.shift(source, adapted, leg, label & ~gone),
            "lift": measure.lift(foot, ground, keep),
            "swing": measure.swing(source, adapted, leg, keep),
        }
    out["jerk"] = measure.jerk(source, adapted)
    out["travel"] = measure.travel(source, adapted)
    out["angular"] = clean_measure.angular(adapted, source)
    if travel is None and hasattr(source, "travel"):
        travel = source.clip.nodes[source.travel].name
    out["bone_lengths"] = clean_measure.bone_lengths(adapted, source, {travel})
    out["floor"] = floor
    return out


def touched(source, adapted, turn=None):
    """Joints whose numbers changed and should not have, as text; for BVH by channel numbers, else by local rotation.
    turn: name of the joint that pitches a body whose legs hang from more than one joint."""
    if turn is not None and len({leg.pelvis for leg in source.legs}) < 2 and len(source.legs) <= 2:
        return ["%s, which pitches a body of one girdle" % turn]
    if hasattr(source.clip, "values"):
        u = clean_measure.untouched(adapted, source)
        if not (u["same_tree"] and u["same_offsets"] and u["same_frame_time"] and u["same_frames"]):
            return ["hierarchy or timing"]
        found = [n for n in u["changed"] if n != turn] + u["leg_positions_changed"]
        if u["travel_rotation_changed"] and source.clip.nodes[source.travel].name != turn and not any(source.travel in leg.chain(source.clip) for leg in source.legs):
            found.append("rotation of the travel joint")
        if u["reference_rows_changed"]:
            found.append("%d reference rows" % u["reference_rows_changed"])
        return found
    chain = {i for leg in source.legs for i in leg.chain(source.clip)}
    same = np.abs(source.pose.local - adapted.pose.local).max(axis=(0, 2, 3)) < 1e-6
    return [n.name for i, n in enumerate(source.clip.nodes) if i not in chain and not same[i] and n.name != turn]


def verdict(f, kind, changed):
    feet, lines = f["feet"], []

    def worst(key, text=lambda r: "frame %s" % r.get("frame")):
        foot = max(feet, key=lambda n: key(feet[n])[0])
        value, entry = key(feet[foot])
        return value, "%s %s" % (foot, text(entry))

    value, where = worst(lambda r: (r["support"]["off"]["max"], r["support"]),
                         lambda s: "frame %s, %d of %d frames over; %.2f cm over ground, source %.2f" % (
                             s["off"]["frame"], s["off"]["over"], s["frames"], s.get("signed", 0), s.get("source", 0)))
    lines.append(line("support off ground cm", value, CONTACT, where))
    for name, sole, kind_of in (("support absolute cm", "support", "absolute"), ("support relative cm", "support", "relative"),
                                ("support by stance cm", "stance", "off")):
        value, where = worst(lambda r: (r[sole][kind_of]["max"], r[sole][kind_of]),
                             lambda s: "frame %s, %d frames over" % (s["frame"], s["over"]))
        lines.append(line(name, value, CONTACT, where, advisory=True))
    for name, key, advisory in (("through ground cm", "off", False), ("through ground absolute cm", "absolute", True)):
        value, where = worst(lambda r: (r["penetration"][key]["max"], r["penetration"][key]),
                             lambda s: "frame %d, %.0f %% of the sole from the heel, %s, %d frames over" % (
                                 s["frame"], 100 * s["along"], "planted" if s["planted"] else "swing", s["over"]))
        lines.append(line(name, value, DEPTH, where, advisory=advisory))
    for which, advisory in (("foot", False), ("toes", True)):
        for axis in ("pitch", "roll"):
            value, where = worst(lambda r: (r["tilt"][which][axis]["max"], r["tilt"][which][axis]),
                                 lambda s: "frame %s, %d frames over; turned %.1f, ground %s" % (
                                     s["frame"], s["over"], s["got"],
                                     "none" if s["ground"] is None else "%.1f..%.1f" % tuple(s["ground"])))
            lines.append(line("%s %s off degrees" % (which, axis), value, TILT, where, advisory=advisory))
    beyond = sum(r["tilt"]["foot"]["beyond_limits"] for r in feet.values())
    lines.append(line("frames beyond ankle limits", beyond, 0, advisory=True))
    value, where = worst(lambda r: (r["knee"]["adapted"] - max(r["knee"]["source"], KNEE), r["knee"]),
                         lambda k: "frame %d, %d frames over; %.4f of the chain, source's %.4f" % (
                             k["frame"], k["over"], k["adapted"], k["source"]))
    lines.append(line("knee straighter than allowed", max(value, 0.0), KNEE_SLACK, where))
    lines.append(line("pelvis jerk ratio", f["jerk"]["ratio"], JERK[kind], "rms; largest %.2f at frame %d" % (
        f["jerk"]["ratio_max"], f["jerk"]["frame"])))
    for name, limit in (("mean", SLIDE_MEAN), ("max", SLIDE_MAX)):
        # what slid in the source may slide on; what stood must stand
        value, where = worst(lambda r: (min(r["slide"]["adapted"][name], r["slide"]["extra"][name]), r["slide"]),
                             lambda s: "frame %s; source %.3f, adapted %.3f" % (
                                 s["adapted"]["frame"], s["source"][name], s["adapted"][name]))
        lines.append(line("slide %s cm/s" % name, value, limit, where))
    value, where = worst(lambda r: (r["shift"]["planted"], r["shift"]), lambda s: "")
    lines.append(line("plants moved cm", value, PLACE, where))
    value, where = worst(lambda r: (r["lift"]["max"], r["lift"]))
    lines.append(line("swing lifted over need cm", value, LIFT, where))
    planted = sum(r["planted"] for r in feet.values())
    missed = sum(r["missed"] for r in feet.values())
    lost = sum(r["support"]["lost_frames"] for r in feet.values())
    lines.append(line("listed as out of reach or ground", missed / planted if planted else 0.0, MISSED_SHARE,
                      "%d of %d planted frames" % (missed, planted), advisory=True))
    lines.append(line("over no ground and not listed", lost, 0, advisory=True))
    lines.append(line("bone length change cm", f["bone_lengths"]["max"], BONE, f["bone_lengths"]["joint"] or ""))
    lines.append(yes("other joints untouched", not changed, ", ".join(changed[:6])))
    for space in ("local", "model"):
        rows = {j: r[space] for j, r in f["angular"].items() if space in r}
        for key in ("ratio_p999", "ratio_max"):
            joint = max(rows, key=lambda j: rows[j][key])
            lines.append(line("angular acc %s %s" % (space, key[6:]), rows[joint][key], POP, "%s frame %d" % (
                joint, rows[joint]["worst_frame"]), advisory=True))
    for point in ("toe", "heel", "knee"):
        value, where = worst(lambda r: (r["swing"][point]["ratio"], r["swing"][point]))
        lines.append(line("%s acceleration ratio" % point, value, POP, where, advisory=True))
    return lines


def judge(source, adapted, ground, labels=None, floor=None, kind="stairs", misses=None, velocity=None,
          travel=None, turn=None):
    """All figures and lines. labels None: the plain rule on the source; floor None: from the source's plants."""
    labels = labels or source.plain_plants()
    floor = measure.floor_of(source, labels) if floor is None else floor
    out = figures(source, adapted, ground, labels, floor, misses, velocity, travel)
    out["lines"] = verdict(out, kind, touched(source, adapted, turn))
    out["pass"] = passes(out["lines"])
    return out


def print_report(f, out=sys.stdout):
    for entry in f["lines"]:
        value = str(entry["value"]) if isinstance(entry["value"], bool) else "%.5g" % entry["value"]
        print("%s  %-32s %10s  limit %-6g %s" % ("pass" if entry["pass"] else "note" if entry["advisory"] else "FAIL",
                                                 entry["name"], value, entry["limit"], entry["where"]), file=out)
    t = f["travel"]
    print("\npelvis %+.2f to %+.2f cm along up, %.2f level; floor at %.2f cm" % (
        t["lowest"], t["highest"], t["level"], f["floor"] * 100.0), file=out)
    for foot, r in f["feet"].items():
        print("  %-28s %d plants, %d frames, %d missed; rest cm %s; stance %s; moved %.2f cm; swing toe acc x%.2f" % (
            foot, r["plants"], r["planted"], r["missed"], " ".join("%s %.1f" % p for p in r["rest_cm"].items()),
            " ".join("%.1f" % v for v in r["stance_cm"].values()),
            r["shift"]["planted"], r["swing"]["toe"]["ratio"]), file=out)
    print("\n%s" % ("PASS" if f["pass"] else "FAIL: " + "; ".join(e["name"] for e in failing(f["lines"]))), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("adapted")
    parser.add_argument("--ground", required=True, help="FILE.obj, or a ground as `surefoot adapt` takes it")
    parser.add_argument("--floor", type=float, help="height of the source's floor, m; default from its plants")
    parser.add_argument("--kind", choices=sorted(JERK), help="whose limits of pelvis jerk; default by the ground")
    parser.add_argument("--labels", help="label file; default the plain rule on the source")
    parser.add_argument("--report", help="`adapt --json` output")
    parser.add_argument("--legs", help="`info --json` output, or a list of legs in that form")
    parser.add_argument("--unit", type=float)
    parser.add_argument("--up")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    try:
        legs = clean_judge.legs_argument(args.legs)
        source = Scene(args.source, args.unit, args.up, legs)
        adapted = Scene(args.adapted, source.unit, source.up, legs, like=source.clip)
        adapted.legs, adapted.travel = source.legs, source.travel
        report = json.load(open(args.report, encoding="utf-8")) if args.report else {}
        labels = plants.read_labels(args.labels) if args.labels else source.plain_plants()
        floor = args.floor if args.floor is not None else report.get("floor_m", measure.floor_of(source, labels))
        if args.ground.lower().endswith(".obj"):
            ground, kind = grounds.read_obj(args.ground), "stairs"
        else:
            ground, kind = grounds.from_spec(args.ground)
        result = judge(source, adapted, ground, labels, floor, args.kind or kind, read_misses(report),
                       turn=report.get("turn_joint"))
    except (ValueError, OSError, KeyError) as error:
        print("adapt_judge: %s" % error, file=sys.stderr)
        return 2
    if args.json:
        json.dump(result, sys.stdout, indent=1, default=float)
        print()
    else:
        print_report(result)
    return 0 if result["pass"] else 1


if __name__ == "__main__":
    sys.exit(main())
