# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""The clean-up figures of one clip. Every function returns plain dicts of numbers; nothing here decides pass or fail.

Inputs are Scenes of the clip as it was given to the clean-up (`given`) and as it came back (`cleaned`), and plant
labels {foot name: bool array}. Lengths in cm, speeds in cm/s, accelerations in rad/s^2 and m/s^2.
"""

import numpy as np

import plants
from rotations import angle_between, angular_acceleration

CM = 100.0
# below this [rad/s^2] at the 99.9th percentile a joint counts as still: a ratio to it would mean nothing
STILL_JOINT = 1.0


def _stats(values):
    if len(values) == 0:
        return {"n": 0, "mean": 0.0, "max": 0.0}
    return {"n": int(len(values)), "mean": float(np.mean(values)), "max": float(np.max(values))}


def slide(cleaned, labels, unreached=None, ground_velocity=None):
    """Speed of planted toes between two planted frames of one plant.

    Per foot: 3-D and horizontal, over all such steps; over those where neither frame is listed as unreached; away
    from the plant's two end steps (inner); and with the step into each plant counted as well (entry), which is the
    swing's last step and no slide, for those who count speed(i) at every planted frame.
    unreached: {foot name: set of frames}. ground_velocity: (3,) m/s of the ground that feet are locked to.
    """
    out = {}
    for leg in cleaned.legs:
        label = labels[leg.name]
        step = np.diff(cleaned.path_of(leg.toe), axis=0)
        if ground_velocity is not None:
            step = step - np.asarray(ground_velocity) * cleaned.dt
        speed = np.linalg.norm(step, axis=1) / cleaned.dt * CM
        flat = np.linalg.norm(cleaned.horizontal(step), axis=1) / cleaned.dt * CM
        pair = label[1:] & label[:-1]
        lost = np.zeros(len(label), bool)
        lost[[f for f in (unreached or {}).get(leg.name, ()) if f < len(lost)]] = True
        reached = pair & ~(lost[1:] | lost[:-1])
        inner = np.zeros_like(pair)
        for first, end in plants.runs(label):
            inner[first + 1:max(first + 1, end - 2)] = True
        worst = int(np.argmax(np.where(reached, speed, -1.0))) + 1 if reached.any() else None
        out[leg.name] = {
            "planted_frames": int(label.sum()),
            "unreached_planted_frames": int((lost & label).sum()),
            "all": _stats(speed[pair]),
            "all_horizontal": _stats(flat[pair]),
            "reached": _stats(speed[reached]),
            "reached_horizontal": _stats(flat[reached]),
            "inner": _stats(speed[inner & reached]),
            "entry": _stats(speed[label[1:]]),
            "worst_frame": worst,
        }
    return out


def plant_height(cleaned, given, labels, unreached=None):
    """Distance [cm] of planted toes from the plant's own height (median over its frames), and what the plant's height
    is against the same frames of the given clip."""
    out = {}
    for leg in cleaned.legs:
        high, was = cleaned.height(leg.toe) * CM, given.height(leg.toe) * CM
        lost = (unreached or {}).get(leg.name, ())
        off, off_all, shift = [], [], []
        for first, end in plants.runs(labels[leg.name]):
            d = np.abs(high[first:end] - np.median(high[first:end]))
            off_all += d.tolist()
            off += [v for i, v in enumerate(d) if first + i not in lost]
            shift.append(float(np.median(high[first:end]) - np.median(was[first:end])))
        out[leg.name] = {
            "off_max": max(off, default=0.0),
            "off_max_all": max(off_all, default=0.0),
            "shift_max": max((abs(s) for s in shift), default=0.0),
        }
    return out


def depth(cleaned, given):
    """How much deeper heel, toe and toe end go than in the given clip [cm], reference frames left out.

    clip: lowest height of the given clip minus lowest of the cleaned one.
    frame: per frame, depth below the point's own floor in the given clip (its 5th percentile height, so that a single
    dip does not excuse every frame) less the depth that the same frame had; the largest, and the count above 0.1 cm.
    """
    out = {}
    keep = ~given.reference
    for leg in cleaned.legs:
        row = {}
        for part in ("heel", "toe", "toe_end"):
            node = getattr(leg, part)
            if node is None:
                continue
            new, old = cleaned.height(node)[keep] * CM, given.height(node)[keep] * CM
            floor = np.percentile(old, 5.0)
            extra = np.maximum(0.0, floor - new) - np.maximum(0.0, floor - old)
            row[part] = {
                "clip": float(old.min() - new.min()),
                "frame_max": float(max(extra.max(), 0.0)),
                "frames_over": int((extra > 0.1).sum()),
                "worst_frame": int(np.flatnonzero(keep)[int(np.argmax(extra))]),
            }
        out[leg.name] = row
    return out


def bone_lengths(cleaned, given, travel=()):
    """Largest change [cm] of any joint's or End Site's distance from its parent, frame by frame, and where. travel:
    names of joints that carry the body's path below something that stands still; theirs is no bone."""
    worst, where = 0.0, None
    for i, node in enumerate(cleaned.clip.nodes):
        if node.parent < 0 or node.name in travel:
            continue
        p = node.parent
        new = np.linalg.norm(cleaned.path_of(i) - cleaned.path_of(p), axis=1)
        old = np.linalg.norm(given.path_of(i) - given.path_of(p), axis=1)
        change = float(np.max(np.abs(new - old))) * CM
        if change > worst:
            worst, where = change, node.name
    return {"max": worst, "joint": where}


def _usable(scene):
    """Second differences (entry n uses frames n, n+1, n+2) that touch no reference frame."""
    r = scene.reference
    return ~(r[:-2] | r[1:-1] | r[2:])


def _ratio(new, old, floor):
    return float(new / old) if old >= floor else (1.0 if new < floor else float("inf"))


def angular(cleaned, given):
    """Angular acceleration of the pelvis and of every joint from hip to toe, local and model space.

    ratio_p999, ratio_max: cleaned over given. A joint whose given 99.9th percentile lies below STILL_JOINT is marked
    still: its ratios are 1 if it stays below, else infinite.
    """
    keep = _usable(given)
    joints = [given.legs[0].pelvis] + [i for leg in given.legs for i in leg.chain(given.clip)]
    out = {}
    for i in dict.fromkeys(joints):
        row = {}
        for space in ("local", "model"):
            new = angular_acceleration(getattr(cleaned.pose, space)[:, i], given.dt)[keep]
            old = angular_acceleration(getattr(given.pose, space)[:, i], given.dt)[keep]
            if len(new) == 0:
                continue
            n, o = float(np.percentile(new, 99.9)), float(np.percentile(old, 99.9))
            row[space] = {
                "given_p999": o, "cleaned_p999": n, "given_max": float(old.max()), "cleaned_max": float(new.max()),
                "ratio_p999": _ratio(n, o, STILL_JOINT), "ratio_max": _ratio(new.max(), old.max(), STILL_JOINT),
                "still": bool(o < STILL_JOINT),
                "worst_frame": int(np.flatnonzero(keep)[int(np.argmax(new))]) + 1,
            }
        out[given.clip.nodes[i].name] = row
    return out


def pelvis(cleaned, given):
    """Linear acceleration of the pelvis joint against the given clip's, and its change of mean height [cm]."""
    node = given.legs[0].pelvis
    keep = _usable(given)
    acc = lambda s: np.linalg.norm(np.diff(s.path_of(node), 2, axis=0), axis=1)[keep] / s.dt ** 2
    new, old = acc(cleaned), acc(given)
    body = ~given.reference
    change = (cleaned.height(node) - given.height(node))[body] * CM
    n, o = float(np.percentile(new, 99.0)), float(np.percentile(old, 99.0))
    return {
        "given_p99": o, "cleaned_p99": n, "given_max": float(old.max()), "cleaned_max": float(new.max()),
        "ratio_p99": _ratio(n, o, 1e-3), "ratio_max": _ratio(new.max(), old.max(), 1e-3),
        "worst_frame": int(np.flatnonzero(keep)[int(np.argmax(new))]) + 1,
        "height_mean_change": float(np.mean(change)), "height_max_change": float(np.max(np.abs(change))),
        "travel_max_change": float(np.max(np.linalg.norm(cleaned.horizontal(
            cleaned.path_of(node) - given.path_of(node)), axis=1)) * CM),
    }


def untouched(cleaned, given):
    """Joints whose channel numbers changed although they are neither in a leg nor carry the travel.

    Also: whether the travel joint's rotations changed, position channels of leg joints that changed, and the
    reference frames' rows that changed.
    """
    a, b = given.clip, cleaned.clip
    names = [(n.name, n.parent, tuple(n.channels)) for n in a.nodes]
    same_tree = names == [(n.name, n.parent, tuple(n.channels)) for n in b.nodes]
    same_offsets = same_tree and all(np.array_equal(n.offset, m.offset) for n, m in zip(a.nodes, b.nodes))
    out = {"same_tree": same_tree, "same_offsets": same_offsets, "same_frame_time": a.frame_time == b.frame_time,
           "same_frames": a.frames == b.frames, "changed": [], "travel_rotation_changed": False,
           "leg_positions_changed": [], "reference_rows_changed": 0}
    if not (same_tree and out["same_frames"]):
        return out
    chain = {i for leg in given.legs for i in leg.chain(a)}
    for i, node in enumerate(a.nodes):
        old, new = a.joint_values(i), b.joint_values(i)
        differs = ~np.all(old == new, axis=0)
        is_rotation = np.array([c.endswith("rotation") for c in node.channels], bool)
        if i == given.travel:
            out["travel_rotation_changed"] = bool((differs & is_rotation).any())
        elif i in chain:
            if (differs & ~is_rotation).any():
                out["leg_positions_changed"].append(node.name)
        elif differs.any():
            out["changed"].append(node.name)
    rows = given.reference
    out["reference_rows_changed"] = int((a.values[rows] != b.values[rows]).any(axis=1).sum()) if rows.any() else 0
    return out


def largest_turn(a, b):
    """Largest angle [degrees] by which any joint's local rotation differs between two clips, and where."""
    angle = np.degrees(angle_between(a.pose.local, b.pose.local))
    frame, node = np.unravel_index(int(np.argmax(angle)), angle.shape)
    return {"degrees": float(angle[frame, node]), "joint": a.clip.nodes[node].name, "frame": int(frame)}
