# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Figures of a clip that was put onto a ground, against the clip as it was on its flat floor. Nothing here decides pass
or fail. README.md, "Feet on ground", says what each figure means and why it is taken so.

Own space: Y up, metres, as grounds.py has it. Source and adapted clip are Scenes (or GltfScenes) of the same skeleton.
"""

import numpy as np

import bvh
import plants

CM = 100.0
SIDE = 0.04  # m, half the width over which the ground under a sole is looked at
STEP = 0.03  # m, a jump of the ground within one sample along the sole: an edge, not a slope
PITCH_MAX, ROLL_MAX = 40.0, 25.0  # degrees, the ankle's own limits
STEEP = 0.8  # rise of a foot from toe to heel as a share of its length: 53 degrees
ALONG = 5  # samples along each part of the sole


def own_axes(up):
    """Matrix from file axes to own axes, for an up axis (axis, sign)."""
    axis, sign = up
    if axis == 1:
        return np.diag([1.0, sign, sign])
    if axis == 2:
        return np.array([[1.0, 0, 0], [0, 0, sign], [0, -sign, 0]])
    return np.array([[0, -sign, 0], [sign, 0, 0], [0, 0, 1.0]])


class World:
    """Paths and rotations of a scene in own space."""

    def __init__(self, scene):
        self.scene, self.c = scene, own_axes(scene.up)

    def path(self, node):
        return self.scene.path_of(node) @ self.c.T

    def rotation(self, node):
        return self.c @ self.scene.pose.model[:, node]


def rest_positions(scene):
    """Nodes of the rest pose, own axes, metres."""
    rest = scene.rest_positions() if hasattr(scene, "rest_positions") else bvh.rest_positions(scene.clip)
    return rest @ own_axes(scene.up).T * scene.unit


def on_tips(scene, labels):
    """Names of legs that walk on their tips: in most planted frames the foot stands steeper than STEEP, whatever the rest
    pose says. A spider's may lie flat in it."""
    world, out = World(scene), set()
    for leg in scene.legs:
        label = labels[leg.name] & ~scene.reference
        d = (world.path(leg.heel) - world.path(leg.toe))[label]
        if len(d) and np.median(d[:, 1] / np.maximum(np.linalg.norm(d, axis=1), 1e-9)) >= STEEP:
            out.add(leg.name)
    return out


def heel_bears(scene, leg):
    """Whether the heel is part of a sole: not where the foot stands steeper than 53 degrees in the rest pose, as hocks do,
    and the last bones of a spider's legs, or in the scene's clip; what lies below it then is no sole."""
    if leg.heel == leg.toe or leg.name in getattr(scene, "tips", ()):
        return False
    rest = rest_positions(scene)
    d = rest[leg.heel] - rest[leg.toe]
    return bool(d[1] < STEEP * np.linalg.norm(d))


def parts(scene, leg):
    """[(name, node, node whose rotation carries it)] of a sole, heel first. The toe joint is carried by what lies
    above it. A foot whose heel is no part of the sole begins with its toe."""
    nodes = scene.clip.nodes
    out = [("heel", leg.heel, leg.heel)] if heel_bears(scene, leg) else []
    out.append(("toe", leg.toe, leg.toe if leg.heel == leg.toe else nodes[leg.toe].parent))
    if leg.toe_end is not None and leg.toe_end not in (leg.toe, leg.heel):
        out.append(("toe_end", leg.toe_end, nodes[leg.toe_end].parent))
    return out


def flat_frames(world, leg, label):
    """Planted frames at which the foot stands flat: its heel is still and in the lower half of its planted heights."""
    heel = world.path(leg.heel)
    still = plants.speeds(heel, world.scene.dt) < plants.SPEED_LIMIT
    use = label & still if (label & still).any() else label
    if not use.any():
        return np.ones(len(label), bool) if not label.any() else label
    return use & (heel[:, 1] <= np.median(heel[use, 1]))


def rest_heights(scene, leg, thick, label=None):
    """{part: what lies between each joint and the sole [m]}: its height over the lowest of them in the rest pose, and
    what the sole is thick below the lowest. Rest poses need not stand: a heel that is lower over toe and toe end while
    the foot stands flat is that much nearer to the sole."""
    rest = rest_positions(scene)
    high = {name: float(rest[node][1]) for name, node, _ in parts(scene, leg)}
    low = min(high.values())
    out = {name: value - low for name, value in high.items()}
    if label is not None and label.any() and "heel" in out:
        world = World(scene)
        path = {name: world.path(node)[:, 1] for name, node, _ in parts(scene, leg)}
        front = np.min([path[name] - out[name] for name in path if name != "heel"], axis=0)
        flat = flat_frames(world, leg, label)
        out["heel"] = max(0.0, min(out["heel"], float(np.median((path["heel"] - front)[flat]))))
    return {name: value + thick for name, value in out.items()}


def stance_heights(scene, leg, label, floor):
    """{part: height [m] over the floor} while the foot stands flat in the clip: medians over flat_frames."""
    world = World(scene)
    flat = flat_frames(world, leg, label)
    return {name: float(np.median(world.path(node)[flat, 1])) - floor for name, node, _ in parts(scene, leg)}


class Foot:
    """One leg's points in both clips. rest: height of each joint over the sole; the point of the sole below it is
    straight down in the source and goes along with the foot's tilt in the adapted clip."""

    def __init__(self, source, adapted, leg, label, floor, rest):
        a, b = World(source), World(adapted)
        self.leg, self.label, self.rest = leg, label, rest
        self.names, self.sole, self.source_height, self.up, self.points = [], [], [], [], []
        for name, node, carrier in parts(source, leg):
            up = np.einsum("fij,fkj->fik", b.rotation(carrier), a.rotation(carrier))[:, :, 1]
            self.names.append(name)
            self.source_height.append(a.path(node)[:, 1] - floor - rest[name])
            self.up.append(up)
            self.points.append(b.path(node))
            self.sole.append(b.path(node) - rest[name] * up)

    def along(self):
        """(sole points of the adapted clip, how deep the source was there) between the joints of the sole: [(F, 3)],
        [(F,)], ends included."""
        if len(self.sole) == 1:
            return self.sole, self.source_height
        points, heights = [], []
        for k in range(len(self.sole) - 1):
            for t in np.arange(ALONG + (k == len(self.sole) - 2)) / ALONG:
                points.append((1 - t) * self.sole[k] + t * self.sole[k + 1])
                heights.append((1 - t) * self.source_height[k] + t * self.source_height[k + 1])
        return points, heights


def clearance(ground, points):
    """Distance of points from the ground, below it negative; NaN where there is none."""
    gap = ground.gap(points)
    above = gap * ground.normal(points[:, 0], points[:, 2])[:, 1]
    return np.where(gap < 0.0, -ground.depth(points), above)


def support(foot, ground, use):
    """In support, how far the lowest of the foot's points is from the ground [cm], frames in `use`.

    off      past the ground and the source's own level: 0 where it lies between them (decides)
    absolute distance from the ground, the source's own unevenness counted
    relative distance from where the source's own height over its floor puts it
    """
    c = np.array([clearance(ground, p) for p in foot.sole])
    lost = np.isnan(c).all(axis=0)
    low = np.min(np.where(np.isnan(c), np.inf, c), axis=0)
    was = np.min(np.array(foot.source_height), axis=0)
    rows = np.flatnonzero(use & ~lost)
    off = np.maximum(low - np.maximum(was, 0.0), np.minimum(was, 0.0) - low)
    out = {"frames": int(len(rows)), "lost_frames": int((use & lost).sum())}
    for name, values in (("off", np.maximum(off, 0.0)), ("absolute", np.abs(low)), ("relative", np.abs(low - was))):
        v = values[rows] * CM
        out[name] = {"max": float(v.max()) if len(v) else 0.0, "mean": float(v.mean()) if len(v) else 0.0,
                     "over": int((v > 0.5).sum()), "frame": int(rows[np.argmax(v)]) if len(v) else None}
    if len(rows):
        worst = out["off"]["frame"]
        out["signed"] = float(low[worst] * CM)
        out["source"] = float(was[worst] * CM)
    return out


def penetration(foot, ground, keep):
    """How deep the sole goes through the ground at any frame [cm]: heel, toe, toe end and points between.

    off       deeper than the same point of the source went through its floor at that frame (decides)
    absolute  as it is
    """
    points, was = foot.along()
    depth = np.array([ground.depth(p) for p in points]) * CM
    extra = np.maximum(depth - np.maximum(-np.array(was) * CM, 0.0), 0.0)
    out = {}
    for name, values in (("off", extra), ("absolute", depth)):
        values = np.where(keep[None], values, 0.0)
        k, f = np.unravel_index(int(np.argmax(values)), values.shape)
        out[name] = {"max": float(values[k, f]), "frame": int(f), "along": float(k / max(1, len(points) - 1)),
                     "over": int((values.max(axis=0) > 0.5).sum()), "planted": bool(foot.label[f])}
    return out


def ground_angles(ground, points, heading):
    """Least and largest angles of the ground under a sole, along `heading` and across [degrees], (F, 2) each.

    points: the sole's [(F, 3)], heel first; heading (F, 3) horizontal unit. On smooth ground both are the same. Where
    the ground under the sole is not one plane, what any patch of it has, and the planes through it, all count: they
    bound what a stiff sole may be said to stand on. Across an edge only the treads do, not the way between them.
    """
    side = np.cross(np.array([0.0, 1.0, 0.0]), heading)
    first, last = points[0], points[-1]
    low = np.full((len(first), 2), np.inf)
    high = -low
    grid, spots = [], np.linspace(0.0, 1.0, 9)
    for t in spots:
        for across in (-SIDE, 0.0, SIDE):
            grid.append((1 - t) * first + t * last + across * side)
    heights = np.array([ground.height(p[:, 0], p[:, 2]) for p in grid]).reshape(9, 3, -1)
    for n, p in enumerate(grid):
        up = ground.normal(p[:, 0], p[:, 2])
        known = ~np.isnan(heights[n // 3, n % 3])
        angle = _angles(up, heading, side)
        low[known] = np.minimum(low, angle)[known]
        high[known] = np.maximum(high, angle)[known]
    length = np.linalg.norm((last - first)[:, [0, 2]], axis=1)
    steep = np.tan(np.radians(60.0)) * length / 8.0
    jump = np.nanmax(np.abs(np.diff(np.nan_to_num(heights, nan=1e6), axis=0)), axis=(0, 1))
    smooth = (jump < np.maximum(STEP, steep)) & (length > 0.02) & ~np.isnan(heights).any(axis=(0, 1))
    if smooth.any():
        h = heights[:, :, smooth]
        along = (spots - 0.5)[:, None, None] * length[smooth][None, None]
        weight = np.sum(along ** 2, axis=(0, 1))
        fit = np.sum(along * h, axis=(0, 1)) / weight
        across = np.mean(h[:, 2] - h[:, 0], axis=0) / (2 * SIDE)
        chord = (h[-1, 1] - h[0, 1]) / length[smooth]
        for pitch in (fit, chord):
            angle = np.degrees(np.arctan(np.stack([pitch, across], axis=1)))
            low[smooth] = np.minimum(low[smooth], angle)
            high[smooth] = np.maximum(high[smooth], angle)
    return low, high


def _angles(up, heading, side):
    """Rise along heading and across it of a plane whose normal is up, degrees (F, 2)."""
    return np.degrees(np.stack([np.arctan2(-np.sum(up * heading, axis=1), up[:, 1]),
                                np.arctan2(-np.sum(up * side, axis=1), up[:, 1])], axis=1))


def tilt(foot, ground, use):
    """How far pitch and roll of the sole to the ground under it are from what they were to the floor [degrees].

    The foot's rotation against the source's takes the floor's up to `up`; that should be the ground's. Yaw is free.
    Frames whose ground needs more than the ankle's limits are counted apart. The toes' own turn is given too.
    """
    heading = foot.points[-1] - foot.points[0] if len(foot.points) > 1 else foot.up[0][:, [2, 1, 0]] * 0.0
    if len(foot.points) == 1:
        heading = np.gradient(foot.points[0], axis=0)
    heading = heading * np.array([1.0, 0.0, 1.0])
    length = np.linalg.norm(heading, axis=1, keepdims=True)
    heading = np.where(length > 1e-6, heading / np.maximum(length, 1e-12), [[0.0, 0.0, 1.0]])
    side = np.cross(np.array([0.0, 1.0, 0.0]), heading)
    known = ~np.isnan(np.array([ground.gap(p) for p in foot.sole])).all(axis=0)
    low, high = ground_angles(ground, foot.sole, heading)
    # a plant has one foothold: a foot that rises onto its toe keeps what it had, whatever lies under the raised heel
    for first, end in plants.runs(foot.label):
        low[first:end], high[first:end] = low[first:end].min(axis=0), high[first:end].max(axis=0)
    out = {}
    beyond = (np.maximum(low, -high) > [PITCH_MAX, ROLL_MAX]).any(axis=1)
    for which, up in (("foot", foot.up[0]), ("toes", foot.up[-1])):
        got = _angles(up, heading, side)
        off = np.maximum(np.maximum(got - high, low - got), 0.0)
        rows = np.flatnonzero(use & known & ~beyond & np.isfinite(low).all(axis=1))
        out[which] = {"frames": int(len(rows)), "beyond_limits": int((use & known & beyond).sum())}
        for n, axis in enumerate(("pitch", "roll")):
            v = off[rows, n]
            worst = int(rows[np.argmax(v)]) if len(v) else None
            out[which][axis] = {"max": float(v.max()) if len(v) else 0.0, "over": int((v > 2.0).sum()), "frame": worst,
                                "got": float(got[worst, n]) if len(v) else 0.0,
                                "ground": [float(low[worst, n]), float(high[worst, n])] if len(v) else None}
    return out


def knee(source, adapted, leg, keep):
    """Largest distance hip to heel as a part of thigh and shin: of the source, of the adapted clip, and where."""
    def straight(scene):
        p = [scene.path_of(n) for n in (leg.hip, leg.knee, leg.heel)]
        chain = np.linalg.norm(p[1] - p[0], axis=1) + np.linalg.norm(p[2] - p[1], axis=1)
        return np.linalg.norm(p[2] - p[0], axis=1) / np.maximum(chain, 1e-12)
    was, now = straight(source), straight(adapted)
    now = np.where(keep, now, 0.0)
    return {"source": float(was[keep].max()), "adapted": float(now.max()), "frame": int(np.argmax(now)),
            "over": int((now > max(0.995, float(was[keep].max())) + 1e-5).sum())}


def jerk(source, adapted):
    """rms of the third difference of the pelvis position, and the largest, as ratios to the source's."""
    node = source.legs[0].pelvis
    r = source.reference
    keep = ~(r[:-3] | r[1:-2] | r[2:-1] | r[3:])
    third = lambda s: np.linalg.norm(np.diff(s.path_of(node), 3, axis=0), axis=1)[keep]
    was, now = third(source), third(adapted)
    rms = lambda v: float(np.sqrt(np.mean(v * v))) if len(v) else 0.0
    low = 1e-9
    return {"source": rms(was), "adapted": rms(now), "ratio": rms(now) / max(rms(was), low),
            "ratio_max": float(now.max() / max(was.max(), low)) if len(now) else 0.0,
            "frame": int(np.flatnonzero(keep)[np.argmax(now)]) if len(now) else 0}


def slide(source, adapted, leg, label, velocity=None):
    """Speed [cm/s] of the planted toe over steps within a plant: mean and largest, of the source too, and by how much
    a step is longer than the source's. velocity: of the ground, m/s, own axes; then level speeds count."""
    def speed(scene):
        step = np.diff(World(scene).path(leg.toe), axis=0)
        if velocity is not None:
            step = (step - np.asarray(velocity) * scene.dt) * [1.0, 0.0, 1.0]
        return np.linalg.norm(step, axis=1) / scene.dt * CM
    pair = label[1:] & label[:-1]
    was, now = speed(source)[pair], speed(adapted)[pair]
    frames = np.flatnonzero(pair) + 1
    extra = np.maximum(now - was, 0.0)
    stats = lambda v: {"mean": float(v.mean()) if len(v) else 0.0, "max": float(v.max()) if len(v) else 0.0,
                       "frame": int(frames[np.argmax(v)]) if len(v) else None}
    return {"steps": int(pair.sum()), "source": stats(was), "adapted": stats(now), "extra": stats(extra)}


def shift(source, adapted, leg, label):
    """Horizontal shift of the toe against the source's [cm]: planted frames, all frames."""
    step = (World(adapted).path(leg.toe) - World(source).path(leg.toe)) * [1.0, 0.0, 1.0]
    size = np.linalg.norm(step, axis=1) * CM
    return {"planted": float(size[label].max()) if label.any() else 0.0, "all": float(size.max())}


def swing(source, adapted, leg, keep):
    """Largest acceleration of toe and heel [m/s^2], as a ratio to the source's: jumps of a swinging foot show here."""
    out = {}
    for name, node in (("toe", leg.toe), ("heel", leg.heel), ("knee", leg.knee)):
        k = keep[:-2] & keep[1:-1] & keep[2:]
        acc = lambda s: np.linalg.norm(np.diff(s.path_of(node), 2, axis=0), axis=1)[k] / s.dt ** 2
        was, now = acc(source), acc(adapted)
        out[name] = {"source": float(was.max()), "adapted": float(now.max()),
                     "ratio": float(now.max() / max(was.max(), 1e-6)), "frame": int(np.flatnonzero(k)[np.argmax(now)]) + 1}
    return out


def lift(foot, ground, keep):
    """How much higher a swinging foot goes than it has to [cm]: the lowest sole point over the highest ground that this
    swing passes, less its height over the floor in the source. Swings end at plants and at the clip's ends."""
    low = np.min([p[:, 1] for p in foot.sole], axis=0)
    was = np.maximum(np.min(foot.source_height, axis=0), 0.0)
    under = np.array([ground.height(p[:, 0], p[:, 2]) for p in foot.sole])
    top = np.max(np.where(np.isnan(under), -np.inf, under), axis=0)
    worst, where = 0.0, None
    for first, end in plants.runs(~foot.label & keep):
        highest = top[max(0, first - 1):end + 1].max()
        if not np.isfinite(highest):
            continue
        extra = (low - highest - was)[first:end] * CM
        if extra.max() > worst:
            worst, where = float(extra.max()), first + int(np.argmax(extra))
    return {"max": worst, "frame": where}


def travel(source, adapted):
    """Change of the pelvis's place [cm]: along up least and most, level at most."""
    node = source.legs[0].pelvis
    change = (World(adapted).path(node) - World(source).path(node)) * CM
    level = np.linalg.norm(change[:, [0, 2]], axis=1)
    return {"lowest": float(change[:, 1].min()), "highest": float(change[:, 1].max()), "level": float(level.max())}


def floor_of(source, labels):
    """A floor height [m] from the clip alone: the median over all plants of the median height of the front of the sole,
    which is toe and toe end."""
    world, heights = World(source), []
    for leg in source.legs:
        front = [(name, node) for name, node, _ in parts(source, leg) if name != "heel"]
        rest = rest_heights(source, leg, 0.0)
        least = min(rest[name] for name, _ in front)
        low = np.min([world.path(node)[:, 1] - rest[name] + least for name, node in front], axis=0)
        heights += [float(np.median(low[a:b])) for a, b in plants.runs(labels[leg.name])]
    return float(np.median(heights)) if heights else float(np.min([world.path(l.toe)[:, 1].min() for l in source.legs]))
