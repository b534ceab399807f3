# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Finds the two legs of a biped for the judge, and the up axis and unit where they are not given.

Deliberately plain: below the pelvis, a leg is a chain whose two longest links that follow each other are thigh
and shin. A legs list in the form of `surefoot info --json` overrides it.
"""

import numpy as np

import bvh

FIELDS = ("side", "pelvis", "hip", "knee", "heel", "toe", "toe_end")


class Leg:
    """Node indices; toe is the point that is locked (an End Site where the rig has no toe), toe_end may be None.

    name is the foot's column name in label files: the toe joint, or the End Site's parent joint.
    """

    def __init__(self, side, pelvis, hip, knee, heel, toe, toe_end, name):
        self.side, self.pelvis, self.hip, self.knee = side, pelvis, hip, knee
        self.heel, self.toe, self.toe_end, self.name = heel, toe, toe_end, name

    def chain(self, clip):
        """Joints from hip to toe, the ones a leg solve may turn."""
        out, i = [], self.toe
        while i >= 0:
            if not clip.nodes[i].is_end:
                out.append(i)
            if i == self.hip:
                return out[::-1]
            i = clip.nodes[i].parent
        return out[::-1]

    def describe(self, clip):
        name = lambda i: None if i is None else clip.nodes[i].name
        return {f: (self.side if f == "side" else name(getattr(self, f))) for f in FIELDS}


def _depth_chain(clip, rest, i):
    """Links (parent, child, length) below i, following at each fork the child with the longest subtree."""
    out = []
    while True:
        below = clip.children(i)
        if not below:
            return out
        nxt = max(below, key=lambda k: np.linalg.norm(rest[k] - rest[i]) + _reach(clip, rest, k))
        out.append((i, nxt, float(np.linalg.norm(rest[nxt] - rest[i]))))
        i = nxt


def _reach(clip, rest, i):
    below = clip.children(i)
    if not below:
        return 0.0
    return max(np.linalg.norm(rest[k] - rest[i]) + _reach(clip, rest, k) for k in below)


def _foot_points(clip, rest, heel):
    """(toe, toe_end): along the longest chain below the heel, its last joint and that joint's end."""
    chain = [heel] + [child for _, child, _ in _depth_chain(clip, rest, heel)]
    joints = [i for i in chain if not clip.nodes[i].is_end]
    if len(joints) == 1:
        end = clip.end_site(heel)
        return (end, None)
    # a toe joint that ends in a joint (no End Site, or a zero one) still is the toe: the first joint that is
    # farther from the heel than nearly half of the foot, so that a subtalar joint beside the ankle is passed over
    span = max(np.linalg.norm(rest[i] - rest[heel]) for i in chain)
    for n, i in enumerate(joints[1:], 1):
        if np.linalg.norm(rest[i] - rest[heel]) > 0.45 * span:
            after = [k for k in chain[chain.index(i) + 1:]]
            return i, (after[0] if after else None)
    return joints[-1], clip.end_site(joints[-1])


def _is_thigh_and_shin(clip, rest, hip, total):
    """(knee, heel) if the two longest links that follow each other start at hip."""
    links = _depth_chain(clip, rest, hip)
    if len(links) < 2:
        return None
    thigh, shin = links[0], links[1]
    rest_of = [l for _, _, l in links[2:]]
    if min(thigh[2], shin[2]) < 0.12 * total or (rest_of and max(rest_of) > min(thigh[2], shin[2])):
        return None
    if not 0.55 < thigh[2] / shin[2] < 1.8 or clip.nodes[shin[1]].is_end:
        return None
    return thigh[1], shin[1]


def find(clip, pose, up=None):
    """The legs of a biped, left first when names or sides tell. up: (axis, sign) or None."""
    rest = bvh.rest_positions(clip)
    total = float(np.max(np.linalg.norm(rest - rest[0], axis=1))) * 2.0
    mean = np.mean(pose.position[:: max(1, clip.frames // 200)], axis=0)
    candidates = []
    for i, node in enumerate(clip.nodes):
        if node.is_end:
            continue
        found = _is_thigh_and_shin(clip, rest, i, total)
        if not found:
            continue
        knee, heel = found
        toe, toe_end = _foot_points(clip, rest, heel)
        if toe is not None:
            candidates.append((i, knee, heel, toe, toe_end))
    # arms look alike; legs are the pair whose ends lie lowest, seen along the up axis or, unknown, farthest from the head
    if up is not None:
        low = lambda c: up[1] * float(mean[c[2]][up[0]])
    else:
        low = lambda c: -float(np.linalg.norm(rest[c[2]] - rest[c[0]]))
    candidates.sort(key=low)
    legs = []
    for c in candidates:
        if len(legs) == 2:
            break
        if any(_related(clip, c[0], other[0]) for other in legs):
            continue
        legs.append(c)
    if len(legs) < 2:
        return []
    pelvis = _common_ancestor(clip, legs[0][0], legs[1][0])
    out = []
    for hip, knee, heel, toe, toe_end in legs:
        name = clip.nodes[clip.nodes[toe].parent if clip.nodes[toe].is_end else toe].name
        out.append(Leg(_side(clip.nodes[hip].name, clip.nodes[heel].name), pelvis, hip, knee, heel, toe, toe_end, name))
    out.sort(key=lambda leg: (leg.side != "left", leg.hip))
    return out


def _side(*names):
    for name in names:
        low = name.lower().split(":")[-1]
        if "left" in low or low.startswith("l") or low.endswith(("_l", ".l")):
            return "left"
        if "right" in low or low.startswith("r") or low.endswith(("_r", ".r")):
            return "right"
    return "unknown"


def _ancestors(clip, i):
    out = [i]
    while clip.nodes[i].parent >= 0:
        i = clip.nodes[i].parent
        out.append(i)
    return out


def _related(clip, a, b):
    return a in _ancestors(clip, b) or b in _ancestors(clip, a)


def _common_ancestor(clip, a, b):
    above = set(_ancestors(clip, b))
    return next(i for i in _ancestors(clip, a) if i in above)


def from_json(clip, entries):
    """Legs from the `legs` list of `surefoot info --json` (joint names; null where absent)."""
    out = []
    for entry in entries:
        get = lambda f: None if entry.get(f) is None else _node(clip, entry[f])
        heel, toe, toe_end = get("heel"), get("toe"), get("toe_end")
        name = entry.get("toe") or entry.get("heel")
        if toe is None or (toe == heel and toe_end in (None, toe)):
            toe, toe_end = clip.end_site(heel if toe is None else toe), None
            if toe is None:
                toe = heel
        elif toe_end in (None, toe) and not clip.nodes[toe].is_end:
            toe_end = clip.end_site(toe)  # an End Site answers to its parent's name
        if name.endswith(":end"):
            name = name[:-4]
        out.append(Leg(entry.get("side", "unknown"), get("pelvis"), get("hip"), get("knee"), heel, toe, toe_end, name))
    return out


def _node(clip, name):
    try:
        return clip.index(name)
    except KeyError:
        # an End Site may be written as its parent with a suffix
        for suffix in (":end", "_end", " End", "_End", ".end", "/End Site"):
            if name.endswith(suffix):
                try:
                    return clip.index(name[:-len(suffix)] + ":end")
                except KeyError:
                    pass
        raise


def guess_up(clip, pose, legs):
    """(axis, sign) along which the pelvis stands above the heels, averaged over the clip."""
    mean = np.mean(pose.position, axis=0)
    rise = mean[legs[0].pelvis] - 0.5 * (mean[legs[0].heel] + mean[legs[1].heel])
    axis = int(np.argmax(np.abs(rise)))
    return axis, (1.0 if rise[axis] > 0.0 else -1.0)


UNITS = (1.0, 0.1, 0.01, 0.001, 0.0254, 0.05644, 0.04)


def guess_unit(clip, legs):
    """Metres per file unit: the usual unit that brings hip-knee-heel nearest to 0.82 m."""
    rest = bvh.rest_positions(clip)
    leg = legs[0]
    length = np.linalg.norm(rest[leg.knee] - rest[leg.hip]) + np.linalg.norm(rest[leg.heel] - rest[leg.knee])
    return min(UNITS, key=lambda u: abs(np.log(u * length / 0.82)))
