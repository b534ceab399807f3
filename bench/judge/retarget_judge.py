#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Judges a motion that was moved from one figure to another.

usage: retarget_judge.py SOURCE MADE --onto TARGET [--clip NAME] [--labels CSV] [--report JSON] [--clean] [--json]

SOURCE, TARGET and MADE are BVH, glTF or GLB; FBX goes through `surefoot convert` first. SOURCE and TARGET are known by
their files' names (retarget_rigs.py). --labels: `surefoot contacts SOURCE`; --report: what `surefoot retarget --json`
said; --clean: MADE was mended (else --no-clean). Exit status: 0 every line holds, 1 one does not, 2 nothing to judge.
"""

import argparse
import json
import sys

import numpy as np

import plants
import retarget_files
import retarget_measure as measure
from retarget_figure import is_bvh, open_figure, resampled
from retarget_rigs import LIMBS, SIDES, rig_of

# degrees, ratios, centimetres
LIMITS = {"mean": 2.0, "p99": 6.0, "acceleration": 1.2, "clean_acceleration": 1.5, "slide": 0.1, "sink": 0.5, "float": 1.0,
          "bone": 1e-4, "heading": 3.0, "odd_heading": 12.0, "scale": 0.06, "clean_scale": 0.15, "path": 0.02, "hand": 45.0, "trunk": 20.0, "toe": 30.0}
RATIO_FRAMES = 10


def read_labels(path, source):
    """{side: plants} of a label file whose columns are named after joints of the source."""
    columns = plants.read_labels(path)
    inside = {side: set(source.below(source.joint("hip", side))) for side in SIDES}
    out = {}
    for name, values in columns.items():
        if name.endswith(":touch"):
            continue
        for side in SIDES:
            if name in source.names and source.names.index(name) in inside[side] and len(values) == source.frames:
                out[side] = values
    return out if len(out) == 2 else None


def unreached(report, made, least=0.01):
    """{side: frames that the program says it could not serve, by more than `least` cm}; None if it says nothing."""
    misses = (report or {}).get("misses")
    if not isinstance(misses, list):
        return None
    out = {side: np.zeros(made.frames, bool) for side in SIDES}
    below = {side: {made.names[i] for i in made.below(made.joint("hip", side))} for side in SIDES}
    for miss in misses:
        frame = miss.get("frame")
        if not isinstance(frame, int) or not 0 <= frame < made.frames or not miss.get("distance_cm", 0.0) > least:
            continue
        for side in SIDES:
            if miss.get("joint") in below[side]:
                out[side][max(0, frame - 1):frame + 2] = True
    return out


def map_faults(report, source, target):
    """(limb joints, trunk joints) of the target that the program paired with another joint than the tables do."""
    pairs = ((report or {}).get("map") or {}).get("pairs")
    if not isinstance(pairs, list):
        return None
    said = {pair.get("target"): pair for pair in pairs}
    limbs, trunk = [], []
    for (part, side), node in target.joints.items():
        if part in ("finger", "thumb", "index", "little", "toe", "tip", "pelvis") or (part, side) not in source.joints:
            continue
        pair = said.get(target.names[node])
        wanted = source.names[source.joints[part, side]]
        if pair is None or wanted not in (pair.get("source"), pair.get("source_next")):
            text = "%s from %s, not %s" % (target.names[node], pair and pair.get("source"), wanted)
            (trunk if part in ("chest", "head") else limbs).append(text)
    return limbs, trunk


def figures_of(source, made, target, labels=None, report=None, clean=False):
    """All figures of one pair, as a dictionary that JSON can hold."""
    skip = measure.reference_frames(source)
    turn, told = measure.turn_between(source, made)
    out = {"frames": made.frames, "reference_frame": skip, "turn": turn * measure.DEGREE, "told": told,
           "finite": bool(np.all(np.isfinite(made.position)) and np.all(np.isfinite(made.rotation)))}
    if not out["finite"]:
        return out
    likely = [-t for t in measure.rest_turns(source)] + measure.rest_turns(target)
    # a facing that keeps to another line of the rest pose is right too; what counts is that there is one
    out["heading_off"] = min(abs(np.angle(np.exp(1j * (turn - t)))) for t in likely) * measure.DEGREE
    out["same_rig"] = measure.same_skeleton(source, target)
    out["odd_rest"] = source.rig.odd_rest or target.rig.odd_rest
    out["limbs"] = {}
    for name, angles in measure.directions(source, made, turn).items():
        out["limbs"][name] = {"mean": float(angles.mean()), "p99": float(np.percentile(angles, 99.0)),
                              "max": float(angles.max()), "frame": int(np.argmax(angles.max(axis=1)))}
    out["unturned"] = {name: float(a.mean()) for name, a in measure.directions(source, made, 0.0).items()}
    out["sockets_slide"] = measure.sockets_slide(source)
    out["trunk"] = measure.trunk_lines(source, made, turn)
    straight = float(np.mean([v["mean"] for v in out["limbs"].values()]))
    other = measure.swapped(source, made, turn)
    out["swapped"] = bool(straight > 10.0 and other < 0.5 * straight)
    for part, side in (("chest", ""), ("head", ""), ("pelvis", ""), ("wrist", "left"), ("wrist", "right"),
                       ("ankle", "left"), ("ankle", "right")):
        found = measure.end_to_end(source, made, part, side, turn)
        if found:
            angles, rest = found
            out.setdefault("turns", {})[(part + " " + side).strip()] = {
                "mean": float(angles.mean()), "p99": float(np.percentile(angles, 99.0)), "max": float(angles.max()),
                "frame": int(np.argmax(angles)), "rest": rest}
    ratios = measure.acceleration_ratios(source, made, skip)
    out["acceleration"] = {" ".join(key).strip(): value for key, value in ratios.items()}
    out["bone"], out["bone_joint"] = measure.bone_lengths(made, target)
    out["leg_ratio"] = target.leg_length() / source.leg_length()
    out["root"] = measure.root_path(source, made, turn)
    scale = out["root"]["scale"] if out["root"]["extent"] > source.leg_length() else out["leg_ratio"]
    plain = measure.plain_labels(source, skip)
    left_out = unreached(report, made)
    for key, labelling in (("plain", plain), ("program", labels)):
        if labelling is None:
            continue
        belt = key == "program" and measure.treadmill(source, labelling)
        out["belt"] = out.get("belt", False) or belt
        mean, p99, steps = measure.slide(made, labelling, left_out if clean else None, belt)
        given = measure.slide(source, labelling, None, belt)
        out["slide " + key] = {"mean": mean, "p99": p99, "steps": steps, "source": given[0] * scale}
        # Heights go by leg length, whatever a short path says of travel.
        grounds = [(report or {}).get(k) for k in ("source_ground_m", "target_ground_m")]
        out["standing " + key] = measure.standing(source, made, labelling, out["leg_ratio"], *grounds, skip,
                                                  left_out if clean else None, out["same_rig"])
    if left_out is not None:
        planted = labels or plain
        out["left_out"] = sum(int((left_out[s] & planted[s]).sum()) for s in SIDES) / max(
            1, sum(int(planted[s].sum()) for s in SIDES))
    out["backward_knees"] = measure.backward(source, made, "knee", turn)
    out["backward_elbows"] = measure.backward(source, made, "elbow", turn)
    out["crossing"] = measure.crossing(source, made)
    out["fingers"], out["thumbs"] = measure.hands(source, made, turn)
    out["toe_heading"] = measure.toe_heading(source, made, turn)
    out["jump"], out["source_jump"] = measure.jump(source, made, skip)
    return out


def line(name, value, limit, where="", advisory=False):
    """One verdict: value at most limit. Advisory lines decide nothing."""
    ok = value is None or bool(value <= limit)
    return {"name": name, "value": value, "limit": limit, "where": where, "advisory": advisory, "pass": ok}


def verdict(f, clean=False):
    """Lines of what must hold."""
    lim = LIMITS
    if not f["finite"]:
        return [line("numbers that are none", True, False)]
    ratios = f["frames"] >= RATIO_FRAMES
    # what is mended may leave the source's directions: by how much is reported, not judged
    out = [line("%s %s" % (name, key), v[key], lim[key], "frame %d" % v["frame"], advisory=clean and name in ("thigh", "shin"))
           for name, v in f["limbs"].items() for key in ("mean", "p99")]
    for name, v in f.get("turns", {}).items():
        must = name in ("chest", "head")
        out += [line("%s turn %s" % (name, key), v[key], lim[key], "frame %d" % v["frame"], advisory=not must)
                for key in ("mean", "p99")]
        out.append(line("%s reference" % name, v["rest"], 20.0, advisory=True))
    for name, value in f["trunk"].items():
        out.append(line(name, value, lim["trunk"], advisory=f["odd_rest"] or (name == "line of hip" and f["sockets_slide"])))
    if ratios:
        limit = lim["clean_acceleration" if clean else "acceleration"]
        for name, pair in f["acceleration"].items():
            out += [line("%s acceleration %s" % (name, key), value, limit) for key, value in zip(("rms", "p99"), pair)]
    # a clip that stretches its own rig comes back as it was
    out.append(line("bone length", f["bone"], lim["bone"], f["bone_joint"] or "", f["same_rig"]))
    if f["told"] > 0.3:
        out.append(line("heading", f["heading_off"], lim["odd_heading" if f["odd_rest"] else "heading"],
                        "turned by %.1f" % f["turn"]))
    out.append(line("sides swapped", f["swapped"], False))
    root = f["root"]
    far = root["extent"] > 0.5
    if far:
        out.append(line("travel scale", abs(root["scale"] / f["leg_ratio"] - 1.0),
                        lim["clean_scale" if clean else "scale"],
                        "%.3f, legs %.3f" % (root["scale"], f["leg_ratio"]), clean and root["extent"] < 2.0))
        out.append(line("travel turn", abs(np.angle(np.exp(1j * (root["turn"] - f["turn"] / measure.DEGREE)))) * measure.DEGREE,
                        lim["heading"], "%.1f" % (root["turn"] * measure.DEGREE), clean and root["extent"] < 2.0))
        if not clean:
            out.append(line("travel off path", root["off"], max(0.03, lim["path"] * root["extent"])))
    else:
        out.append(line("travel of a clip on the spot", root["made_extent"] - f["leg_ratio"] * root["extent"],
                        0.05 if not clean else 0.15))
    if root["rise"] > 0.05:
        out.append(line("height scale", abs(root["slope"] / f["leg_ratio"] - 1.0), 0.1 if not clean else 0.3,
                        "%.3f" % root["slope"], True))
    for key in ("program", "plain"):
        slide, stand = f.get("slide " + key), f.get("standing " + key)
        advisory = not clean or key == "plain"
        if slide and slide["steps"]:
            out.append(line("slide (%s)" % key, slide["mean"], lim["slide"], "source %.2f, p99 %.2f" % (
                slide["source"], slide["p99"]), advisory))
        if stand:
            out.append(line("floor (%s)" % key, abs(stand["floor"]), 1.0 if clean else 3.0, "%.2f" % stand["floor"], True))
            out.append(line("sink (%s)" % key, stand["sink"], lim["sink"], advisory=advisory))
            out.append(line("dip (%s)" % key, stand["dip"], lim["sink"], advisory=advisory))
            out.append(line("float (%s)" % key, stand["float"], lim["float"], advisory=advisory))
            if abs(stand["source_floor"]) < 8.0:
                out.append(line("ground at 0 (%s)" % key, abs(stand["zero"]), 1.0, "source %.2f" % stand["source_floor"], True))
    if clean:
        out.append(line("listed as out of reach", f.get("left_out"), 0.2))
    out.append(line("backward knees", f["backward_knees"], 0.0))
    out.append(line("backward elbows", f["backward_elbows"], 0.0))
    # shorter shoulders let hands cross a little with the very directions of the source
    out.append(line("arms crossing", f["crossing"], 0.0 if max(
        v["p99"] for v in f["limbs"].values()) > lim["p99"] and not clean else 0.2))
    out.append(line("fingers", f["fingers"], lim["hand"]))
    out.append(line("thumbs", f["thumbs"], lim["hand"]))
    out.append(line("toes' heading", f["toe_heading"], lim["toe"], advisory=f["odd_rest"]))
    out.append(line("jump", f["jump"], max(0.05, 2.0 * f["source_jump"])))
    return out


def open_pair(source_path, made_path, target_path, clip=None, source_rig=None, target_rig=None, target_clip=None):
    """(source at the made frames' times, made, target)."""
    source_rig, target_rig = source_rig or rig_of(source_path), target_rig or rig_of(target_path)
    source = open_figure(source_path, source_rig, clip)
    # where no rest pose stands, a frame of the clip may be what bones are as long as in
    target = open_figure(target_path, target_rig, target_clip or (None if target_rig.odd_rest else "none"))
    made = open_figure(made_path, target_rig, -1, like=target)
    return resampled(source, made.times - made.times[0]), made, target


def judge(source_path, made_path, target_path, clip=None, source_rig=None, target_rig=None, labels=None, report=None,
          clean=False, converted=None, target_file=None):
    """(figures, lines). converted: the target is an FBX file, and this is what `convert` made of it. target_file: the
    file that was given to the program, where it is not target_path."""
    try:
        source, made, target = open_pair(source_path, made_path, converted or target_path, clip, source_rig, target_rig)
    except ValueError as error:
        return None, [line("frames: %s" % error, True, False)]
    given = read_labels(labels, source) if labels else None
    f = figures_of(source, made, target, given, report, clean)
    lines = verdict(f, clean)
    faults = map_faults(report, source, target)
    if faults is not None:
        f["map_faults"] = faults[0] + faults[1]
        lines.append(line("map", len(faults[0]), 0, "; ".join(faults[0][:4])))
        lines.append(line("map of the trunk", len(faults[1]), 0, "; ".join(faults[1][:4]), advisory=True))
    time = made.dt if source.kind == "bvh" else None
    found = retarget_files.findings_of(target_file or target_path, made_path, source.frames,
                                       source.dt if time else None, converted)
    f["file"] = found
    lines.append(line("file: " + "; ".join(found[:3]) if found else "file", len(found), 0))
    return f, lines


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("made")
    parser.add_argument("--onto", required=True)
    parser.add_argument("--clip")
    parser.add_argument("--labels")
    parser.add_argument("--report")
    parser.add_argument("--clean", action="store_true")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    report = None
    if args.report:
        with open(args.report, encoding="utf-8") as file:
            report = json.load(file)
    try:
        f, lines = judge(args.source, args.made, args.onto, args.clip, labels=args.labels, report=report, clean=args.clean)
    except (OSError, KeyError) as error:
        print("retarget_judge: %s" % error, file=sys.stderr)
        return 2
    failed = [entry for entry in lines if not entry["pass"] and not entry["advisory"]]
    if args.json:
        json.dump({"figures": f, "lines": lines, "pass": not failed}, sys.stdout, indent=1)
        print()
    else:
        for entry in lines:
            mark = "pass" if entry["pass"] else ("note" if entry["advisory"] else "FAIL")
            value = "-" if entry["value"] is None else "%.4g" % entry["value"]
            print("%s  %-32s %10s  limit %-7.4g %s" % (mark, entry["name"], value, entry["limit"], entry["where"]))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
