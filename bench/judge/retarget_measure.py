# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What can be measured of a motion that moved from one figure to another. Both figures in canonical space."""

import numpy as np

import plants
from retarget_figure import unit_vector
from retarget_rigs import LIMBS, SIDES
from rotations import angle_between, angular_acceleration, axis_matrix
from walk_on import about

DEGREE = 180.0 / np.pi
ENDS = (("wrist", "left"), ("wrist", "right"), ("ankle", "left"), ("ankle", "right"), ("head", ""))
TELLS = 0.1  # sum of squared sines against the vertical, below which directions tell no heading: one line at 18 degrees
STILL = 1.0  # rad/s^2: what turns less than that does not turn
BRIEF = 0.05  # s: shorter plants are no stands


def between(a, b):
    """Angles [degrees] between unit vectors."""
    return np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)) * DEGREE


def lines(figure):
    """Unit directions that both figures should share: limbs, and the lines from side to side."""
    out = {}
    for name in LIMBS:
        for side in SIDES:
            d = figure.limb(name, side)
            if d is not None:
                out[name, side] = d
    for part in ("hip", "arm"):
        a, b = figure.joint(part, "left"), figure.joint(part, "right")
        if a is not None and b is not None:
            out["line of " + part, ""] = unit_vector(figure.position[:, a] - figure.position[:, b])
    return out


def turn_between(source, made):
    """The one constant turn about the vertical [rad] that takes the source's limbs to the made ones, and how much of the
    directions is horizontal and so can tell it. Lines of the trunk stand in where limbs tell nothing, and where both tell
    and are far apart: limbs on the wrong side must not turn the whole figure."""
    a, b = lines(source), lines(made)

    def fit(keys):
        cross = dot = weight = 0.0
        for key in keys:
            x, y = a[key][:, [2, 0]], b[key][:, [2, 0]]
            dot += np.sum(x * y)
            cross += np.sum(x[:, 0] * y[:, 1] - x[:, 1] * y[:, 0])
            weight += np.sum(x * x)
        return float(np.arctan2(cross, dot)), float(weight / max(1, source.frames))

    shared = a.keys() & b.keys()
    limbs, told = fit([key for key in shared if key[1]])
    trunk, seen = fit([key for key in shared if not key[1]])
    if told < TELLS <= seen or (seen >= TELLS and abs(np.angle(np.exp(1j * (limbs - trunk)))) > 0.35):
        return trunk, told + seen
    return limbs, told + seen


def trunk_lines(source, made, turn):
    """{line of hip or arm: mean degrees between it and the source's}: how the trunk faces, whatever its joints' rotations
    say. Of shoulders it is what collar bones of other lengths make of the same shrug too."""
    a, b = lines(source), lines(made)
    return {key[0]: float(np.mean(between(a[key], turned(b[key], turn)))) for key in a.keys() & b.keys() if not key[1]}


def sockets_slide(figure):
    """Whether the clip slides the thighs' sockets along the pelvis: then their line is none of its."""
    pelvis = figure.at("pelvis")
    ways = [np.linalg.norm(figure.at("hip", s) - pelvis, axis=-1) for s in SIDES]
    return max(float(np.ptp(w)) for w in ways) > 1e-3 * figure.leg_length()


def rest_turns(figure):
    """Other readings of where the rest pose faces [rad], about the vertical and against the line of the hips."""
    out = [0.0]
    p = figure.rest_position
    if figure.joint("arm", "left") is not None:
        d = p[figure.joint("arm", "left")] - p[figure.joint("arm", "right")]
        out.append(float(np.arctan2(-d[2], d[0])))
    # a facing that keeps to an axis of the file
    ahead = figure.axes[2]
    k = int(np.argmax(np.abs(ahead)))
    axis = np.zeros(3)
    axis[k] = np.sign(ahead[k])
    d = figure.axes @ axis
    out.append(float(np.arctan2(d[0], d[2])))
    return out


def turned(figure_vectors, turn):
    return figure_vectors @ axis_matrix("y", -turn).T


def directions(source, made, turn):
    """{limb: degrees (F, sides)}, of the sides that both figures have."""
    out = {}
    for name in LIMBS:
        both = [between(source.limb(name, s), turned(made.limb(name, s), turn)) for s in SIDES
                if source.limb(name, s) is not None and made.limb(name, s) is not None]
        if both:
            out[name] = np.stack(both, axis=1)
    return out


def swapped(source, made, turn):
    """Mean direction error with the made figure's sides exchanged."""
    both = [between(source.limb(n, a), turned(made.limb(n, b), turn)) for n in LIMBS for a, b in (SIDES, SIDES[::-1])
            if source.limb(n, a) is not None and made.limb(n, b) is not None]
    return float(np.mean(both)) if both else np.inf


def mean_rotation(r):
    u, _, vt = np.linalg.svd(np.mean(r, axis=0))
    return u @ np.diag([1.0, 1.0, np.sign(np.linalg.det(u @ vt))]) @ vt


def end_to_end(source, made, part, side, turn):
    """(degrees (F,), degrees): how far the made joint's orientation is from one that turns as the source's does, and
    by how much the two reference poses differ in what that says. Needs no reference: what must be constant over the
    clip is inv(source) made."""
    i, k = source.joint(part, side), made.joint(part, side)
    if i is None or k is None:
        return None
    back = axis_matrix("y", -turn)
    constant = np.swapaxes(source.rotation[:, i], -1, -2) @ (back @ made.rotation[:, k])
    middle = mean_rotation(constant)
    rest = source.rest_rotation[i].T @ made.rest_rotation[k]
    return angle_between(middle[None], constant) * DEGREE, float(angle_between(rest[None], middle[None])[0] * DEGREE)


def accelerations(figure, skip):
    """{end: rad/s^2 (F-2,)} of the chain ends that the figure has; `skip` leading frames left out."""
    return {key: angular_acceleration(figure.rotation[skip:, figure.joints[key]], figure.dt)
            for key in ENDS if key in figure.joints and figure.frames - skip >= 4}


def acceleration_ratios(source, made, skip):
    """{end: (rms ratio, 99th percentile ratio)}; a source that does not turn asks the made one not to turn."""
    a, b = accelerations(source, skip), accelerations(made, skip)
    out = {}
    for key in a.keys() & b.keys():
        pair = []
        for f in (lambda x: np.sqrt(np.mean(x * x)), lambda x: np.percentile(x, 99.0)):
            given, now = f(a[key]), f(b[key])
            pair.append(float(now / given) if given > STILL else (1.0 if now <= 1.5 * STILL else np.inf))
        out[key] = tuple(pair)
    return out


def reference_frames(source):
    """1 where frame 0 is a reference pose: the step to frame 1 is five times any of the next 120, or it is the rest pose to 5
    degrees and left by more than 3 rad, all joints together, at once (a filter may have drawn that step over a few frames);
    else 0."""
    if source.frames < 6:
        return 0
    nodes = sorted(set(source.joints.values()))
    turn = np.zeros(source.frames - 1)
    for i in nodes:
        turn += angle_between(source.rotation[:-1, i], source.rotation[1:, i])
    from_rest = source.rotation[0, nodes] @ np.swapaxes(source.rest_rotation[nodes], -1, -2)
    rests = np.all(angle_between(from_rest, from_rest[:1]) * DEGREE < 5.0)
    return int(turn[0] > 5.0 * max(turn[1:121].max(), 1e-6) or bool(rests and turn[0] > 3.0))


def same_skeleton(a, b):
    """One rig, by what the files say: the same file, or another take of the same skeleton."""
    if a.rig.stem == b.rig.stem:
        return True
    return (list(a.names) == list(b.names) and list(a.parents) == list(b.parents)
            and bool(np.allclose(a.rest_position, b.rest_position, atol=1e-4)))


def bone_lengths(made, target):
    """Largest deviation of a bone below the pelvis from the target's rest pose, or from what it is in the target's own
    clip [fraction of the leg length], and the joint."""
    worst, where = 0.0, None
    leg = target.leg_length()
    for i in made.below(made.joint("pelvis")):
        if made.is_end[i]:
            continue
        p = made.parents[i]
        length = np.linalg.norm(made.position[:, i] - made.position[:, p], axis=-1)
        rest = np.linalg.norm(target.rest_position[i] - target.rest_position[p])
        off = float(np.max(np.abs(length - rest))) / leg
        if target.frames and off > 1e-6:
            own = np.linalg.norm(target.position[:, i] - target.position[:, p], axis=-1)
            off = min(off, max(float(np.ptp(length)), float(own.min() - length.max()), float(length.min() - own.max())) / leg)
        if off > worst:
            worst, where = off, made.names[i]
    return worst, where


def root_path(source, made, turn):
    """How the figure travels: scale and turn [rad] of the horizontal similarity that takes the source's path to the made
    one, largest distance from it [m], the source's extent [m]; slope of the height, and its largest residual [m]. The
    path is that of the pelvis or of the middle between the hips, whichever fits better: either may carry the travel."""
    ways = []
    for point in (lambda f: f.at("pelvis"), lambda f: 0.5 * (f.at("hip", "left") + f.at("hip", "right"))):
        ways.append(path_fit(point(source), point(made)))
    return min(ways, key=lambda w: w["off"])


def path_fit(a, b):
    x, y = (p[:, 2] + 1j * p[:, 0] for p in (a, b))
    x, y = x - x.mean(), y - y.mean()
    extent = float(np.max(np.abs(x)) * 2.0) if len(x) else 0.0
    norm = np.sum(np.abs(x) ** 2)
    factor = np.sum(np.conj(x) * y) / norm if norm > 0 else 1.0
    off = float(np.max(np.abs(y - factor * x))) if len(x) else 0.0
    h, g = a[:, 1] - a[:, 1].mean(), b[:, 1] - b[:, 1].mean()
    rise = np.sum(h * h)
    slope = float(np.sum(h * g) / rise) if rise > 0 else np.nan
    return {"scale": float(abs(factor)), "turn": float(np.angle(factor)), "off": off, "extent": extent,
            "made_extent": float(np.max(np.abs(y)) * 2.0) if len(y) else 0.0,
            "slope": slope, "slope_off": float(np.max(np.abs(g - (slope if rise > 0 else 0.0) * h))) if len(h) else 0.0,
            "rise": float(np.ptp(a[:, 1])) if len(a) else 0.0}


# feet

def foot_points(figure, side):
    """Nodes of a foot that can touch the ground: ankle, toe joint and what ends it."""
    nodes = [figure.joint("ankle", side)]
    toe = figure.joint("toe", side)
    if toe is not None:
        nodes.append(toe)
        below = [i for i in range(len(figure.parents)) if figure.parents[i] == toe]
        if len(below) == 1:
            nodes.append(below[0])
    return nodes


def sole_points(figure, side, bare=False):
    """[(node, rest height over the figure's ground)] of ankle, toe joint and what ends it. Each foot has its own sole: one
    that the reference pose holds a few millimetres higher than the other (a person who stood for a scan) is not higher
    when it is planted. bare: of a foot that is an ankle and nothing more the joint itself, see standing()."""
    if figure.rig.soles:
        return [(figure.joint(part, side), height) for part, height in figure.rig.soles.items()]
    nodes = foot_points(figure, side)
    if bare and len(nodes) == 1:
        return [(nodes[0], 0.0)]
    lowest = {s: float(np.min(figure.rest_position[foot_points(figure, s), 1])) for s in SIDES}
    ground = rest_ground(figure) + lowest[side] - min(lowest.values())
    return [(i, figure.rest_position[i, 1] - ground) for i in nodes]


def rest_ground(figure):
    """Where the ground is in the rest pose: at 0 for a figure that stands there (a mesh's soles are below its joints),
    else at its lowest foot joint."""
    nodes = [figure.joints[key] for key in figure.joints if key[0] in ("ankle", "toe")]
    nodes += [i for i in range(len(figure.parents)) if figure.parents[i] in [
        figure.joint("toe", s) for s in SIDES if figure.joint("toe", s) is not None]]
    lowest = float(np.min(figure.rest_position[nodes, 1]))
    return 0.0 if figure.kind == "gltf" and -0.02 <= lowest / figure.leg_length() < 0.2 else lowest


def sole_heights(figure, side, bare=False):
    """(F,) height of the lowest sole point: as high as it would be over the ground if the figure stood at height 0."""
    return np.min([figure.position[:, i, 1] - h for i, h in sole_points(figure, side, bare)], axis=0)


def level_foot(figure, side):
    """(3, 3) turn from a foot in the rest pose to one that stands level: nothing, save where a table gives the soles of a
    rest pose that does not stand. There the line from ankle to what ends the foot drops by the difference of their heights."""
    soles = figure.rig.soles or {}
    front = "tip" if "tip" in soles else "toe"
    if not {"ankle", front} <= soles.keys() or figure.joint(front, side) is None:
        return np.eye(3)
    line = figure.rest_position[figure.joint(front, side)] - figure.rest_position[figure.joint("ankle", side)]
    length, ahead = np.linalg.norm(line), line * [1.0, 0.0, 1.0]
    drop = (soles["ankle"] - soles[front]) / max(length, 1e-9)
    if abs(drop) > 1.0 or np.linalg.norm(ahead) < 0.1 * length:
        return np.eye(3)
    across = np.cross([0.0, 1.0, 0.0], ahead / np.linalg.norm(ahead))
    return about(across, np.arcsin([drop]) - np.arcsin(np.clip(-line[1] / length, -1.0, 1.0)))[0]


def rigid_heights(figure, side, bare=False):
    """As sole_heights, with the sole a point rigidly under each joint: lower at a pitch of the foot by less."""
    out, level = [], level_foot(figure, side)
    for i, h in sole_points(figure, side, bare):
        moved = figure.rotation[:, i] @ (level @ figure.rest_rotation[i]).T
        out.append(figure.position[:, i, 1] - h * moved[:, 1, 1])
    return np.min(out, axis=0)


def toe_node(figure, side):
    toe = figure.joint("toe", side)
    return figure.joint("ankle", side) if toe is None else toe


def plain_labels(source, skip):
    """{side: plants of the source's toe by the plain rule}; reference frames are no plants."""
    out = {}
    for side in SIDES:
        labels = plants.plain_rule(source.position[:, toe_node(source, side)], source.dt)
        labels[:skip] = False
        out[side] = labels
    return out


def treadmill(source, labels):
    """Whether planted feet of a clip on the spot move steadily, as on a treadmill."""
    path = source.at("pelvis")[:, [0, 2]]
    if len(path) < 3 or np.max(np.ptp(path, axis=0)) > source.leg_length():
        return False
    steps = planted_velocities(source, labels)
    v = np.concatenate(list(steps.values()))[:, [0, 2]]
    return bool(len(v) and np.linalg.norm(v.mean(axis=0)) > 0.3)


def planted_velocities(figure, labels, left_out=None):
    """{side: (n, 3) m/s of the toe over steps within a plant}."""
    out = {}
    for side in SIDES:
        inside = labels[side][1:] & labels[side][:-1]
        if left_out is not None:
            inside = inside & ~(left_out[side][1:] | left_out[side][:-1])
        out[side] = (np.diff(figure.position[:, toe_node(figure, side)], axis=0) / figure.dt)[inside]
    return out


def slide(figure, labels, left_out=None, on_belt=False):
    """Worst foot's mean and 99th percentile speed [cm/s] of the toe over steps within a plant; planted steps. on_belt:
    against the mean velocity of all of them, which is the belt's."""
    steps = planted_velocities(figure, labels, left_out)
    every = np.concatenate(list(steps.values()))
    belt = every.mean(axis=0) * [1.0, 0.0, 1.0] if on_belt and len(every) else np.zeros(3)
    worst = (0.0, 0.0)
    for v in steps.values():
        if len(v):
            speed = np.linalg.norm(v - belt, axis=1) * 100.0
            worst = max(worst, (float(speed.mean()), float(np.percentile(speed, 99.0))))
    return worst + (len(every),)


def levels(heights, labels):
    """{side: [(first, end, median height) of a plant]}."""
    return {s: [(a, b, float(np.median(heights[s][a:b]))) for a, b in plants.runs(labels[s])] for s in SIDES}


def standing(source, made, labels, scale, ground=None, made_ground=None, skip=0, left_out=None,
             same=False):
    """How planted feet stand, plant by plant [cm].

    ground: the source's [m]; None: what its lowest plants stand on. The made figure's ground is
    made_ground, None: the source's, scaled, as heights are. A plant may be on the ground, or as far from it
    as the source's was, scaled, or between; float and sink are what lies over and under that, of plants that last BRIEF:
    a foot that brushes by for a frame or two, because the source's did so, stands nowhere. floor: the lowest plants
    against the ground; zero: against height 0. dip: the deepest of all frames under the ground that the source was not
    under; the `skip` frames of a reference pose are no motion and stay as they are. left_out: frames that the program says
    it could not serve.

    A planted foot keeps the one height of its plant, so in a plant it may be as deep as sink allows the plant to be, while
    the source's foot rises and sinks about that; deeper than both is a dip there too. It stands from the frame before the
    first label on, for a label speaks of the step that leads to its frame. Whether a sole is round (its rest
    height under the joint at any pitch) or rigid nobody sees in joints: of sink and of dip the lesser counts, for a
    figure, not for a frame. A source's foot that is an ankle and nothing more has no sole that its file tells: a ground
    that was read from its plants is where that joint stands, so its rest height is not taken off once more (nor, with
    `same`, that of the made figure, which is of the same skeleton); where the ground is that of the world (0), it is."""
    bare = ground is not None and abs(ground) > 1e-6
    least = int(np.ceil(BRIEF / source.dt))
    low = lambda values: float(np.percentile(values, 10.0))
    kinds = []
    for heights in (sole_heights, rigid_heights):
        a = {s: heights(source, s, bare) for s in SIDES}
        b = {s: heights(made, s, bare and same) for s in SIDES}
        given, now = levels(a, labels), levels(b, labels)
        every = [v[2] for s in SIDES for v in given[s]]
        if not every:
            return None
        from_ = low(every) if ground is None else ground
        made_low = low([v[2] for s in SIDES for v in now[s]])
        onto = scale * from_ if made_ground is None else made_ground
        over, under, deepest = [0.0], [0.0], [0.0]
        for s in SIDES:
            allowed = scale * np.maximum(from_ - a[s], 0.0)
            for g, n in zip(given[s], now[s]):
                should = scale * (g[2] - from_)
                stand = slice(max(0, g[0] - 1), g[1])
                allowed[stand] = np.maximum(allowed[stand], -min(0.0, should))
                if g[1] - g[0] < least:
                    continue
                over.append(n[2] - onto - max(0.0, should))
                under.append(min(0.0, should) - (n[2] - onto))
            seen = np.arange(made.frames) >= skip
            if left_out is not None:
                seen &= ~left_out[s]
            deepest.append(float(np.max((onto - b[s] - allowed)[seen], initial=0.0)))
        kinds.append((max(over), max(under), max(deepest), made_low, low(every), from_, onto))
    first = kinds[0]
    return {"floor": 100.0 * (first[3] - first[6]), "zero": 100.0 * first[3], "source_floor": 100.0 * first[4],
            "source_ground": 100.0 * first[5], "made_ground": 100.0 * first[6], "float": 100.0 * first[0],
            "sink": 100.0 * min(k[1] for k in kinds), "dip": 100.0 * min(k[2] for k in kinds),
            "planted": sum(int(labels[s].sum()) for s in SIDES)}


# joints that bend the wrong way, arms that cross

def bends(figure, limb, side):
    """(axis of the bend (F, 3), angle in degrees (F,))."""
    a, b = (figure.limb(n, side) for n in (("thigh", "shin") if limb == "knee" else ("upper arm", "forearm")))
    if a is None or b is None:
        return None
    axis = np.cross(a, b)
    return unit_vector(axis), np.arctan2(np.linalg.norm(axis, axis=-1), np.sum(a * b, axis=-1)) * DEGREE


def backward(source, made, limb, turn, least=20.0):
    """Share of frames, of those at which both bend by `least` degrees, whose bend axis points the other way."""
    wrong = seen = 0
    for side in SIDES:
        a, b = bends(source, limb, side), bends(made, limb, side)
        if a is None or b is None:
            continue
        bent = (a[1] > least) & (b[1] > least)
        wrong += int(np.sum(np.sum(a[0] * turned(b[0], turn), axis=-1)[bent] < 0.0))
        seen += int(bent.sum())
    return wrong / seen if seen else 0.0


def across(figure, side):
    """(F,) how far the wrist is on its own side of the chest's middle, in shoulder widths from the middle."""
    left, right = (figure.at("arm", s) for s in SIDES)
    width = np.linalg.norm(left - right, axis=-1)
    own = unit_vector(left - right) * (1.0 if side == "left" else -1.0)
    return np.sum((figure.at("wrist", side) - 0.5 * (left + right)) * own, axis=-1) / width


def crossing(source, made):
    """Share of frames at which a hand of the made figure is well beyond the middle while the source's is on its own side."""
    if ("wrist", "left") not in source.joints or ("wrist", "left") not in made.joints:
        return 0.0
    bad = np.zeros(source.frames, bool)
    for side in SIDES:
        bad |= (across(made, side) < -0.25) & (across(source, side) > 0.1)
    return float(bad.mean()) if len(bad) else 0.0


def hand_axes(figure, side, palm=False):
    """(direction of the fingers (F, 3), side of the thumb at right angles to it (F, 3)); None for what cannot be told.
    With `palm` from little finger to index: thumbs of some builders start in the palm's plane, of others 40 degrees below."""
    wrist, finger, thumb = (figure.joint(p, side) for p in ("wrist", "finger", "thumb"))
    index, little = (figure.joint(p, side) for p in ("index", "little"))
    if wrist is None or finger is None:
        return None, None
    p = figure.position
    along = p[:, finger] - p[:, wrist]
    if np.min(np.linalg.norm(along, axis=-1)) < 1e-4:
        return None, None
    along = unit_vector(along)
    if thumb is None:
        return along, None
    over = p[:, index] - p[:, little] if palm else p[:, thumb] - p[:, wrist]
    over = over - along * np.sum(over * along, axis=-1, keepdims=True)
    if np.min(np.linalg.norm(over, axis=-1)) < 1e-3:
        return along, None
    return along, unit_vector(over)


def hands(source, made, turn):
    """(mean degrees between the fingers' directions, mean degrees between the thumbs' sides): twisted wrists show in the
    second. None where either figure cannot tell."""
    out = []
    for n in (0, 1):
        both = []
        for side in SIDES:
            palm = all(f.joint(p, side) is not None for f in (source, made) for p in ("index", "little"))
            a, b = hand_axes(source, side, palm)[n], hand_axes(made, side, palm)[n]
            if a is not None and b is not None:
                both.append(float(np.mean(between(a, turned(b, turn)))))
        out.append(max(both) if both else None)
    return tuple(out)


def toe_heading(source, made, turn):
    """Mean degrees between the horizontal directions from ankle to toe, worst foot; None without toes."""
    worst = None
    for side in SIDES:
        if source.joint("toe", side) is None or made.joint("toe", side) is None:
            continue
        flat, seen = [], []
        # a steep foot bone says little of where the foot heads
        rest = [f.rest_position[f.joint("toe", side)] - f.rest_position[f.joint("ankle", side)] for f in (source, made)]
        if any(-d[1] > 0.8 * np.hypot(d[0], d[2]) for d in rest):
            continue
        for f, t in ((source, 0.0), (made, turn)):
            d = turned(f.at("toe", side) - f.at("ankle", side), t)
            seen.append(np.abs(d[:, 1]) < 0.8 * np.hypot(d[:, 0], d[:, 2]))
            flat.append(d * [1.0, 0.0, 1.0])
        keep = seen[0] & seen[1]
        if keep.any():
            value = float(np.mean(between(*(unit_vector(d[keep]) for d in flat))))
            worst = value if worst is None else max(worst, value)
    return worst


def jump(source, made, skip):
    """Largest step in one frame that the made figure takes and the source's does not: of the pelvis in leg lengths, of the
    ends of limbs against the pelvis in lengths of their limbs; (made, source). As with the path, the pelvis is its joint or
    the middle between the hips, whichever steps less: a joint far from the sockets swings as the pelvis tilts."""
    def steps(f, key):
        p = f.position[skip:]
        if key[0] == "pelvis":
            ways = (p[:, f.joints[key]], 0.5 * (p[:, f.joints["hip", "left"]] + p[:, f.joints["hip", "right"]]))
            path = min(ways, key=lambda w: np.max(np.linalg.norm(np.diff(w, axis=0), axis=-1), initial=0.0))
            size = f.leg_length()
        else:
            top = f.joints[{"wrist": "arm", "ankle": "hip"}[key[0]], key[1]]
            path = p[:, f.joints[key]] - p[:, f.joints["pelvis", ""]]
            size = np.linalg.norm(p[:, f.joints[key]] - p[:, top], axis=-1).max()
        return float(np.max(np.linalg.norm(np.diff(path, axis=0), axis=-1))) / size if len(p) > 1 else 0.0
    keys = [k for k in (("pelvis", ""),) + ENDS if k in source.joints and k in made.joints and k[0] != "head"]
    return max(((steps(made, k), steps(source, k)) for k in keys), key=lambda pair: pair[0] - 1.5 * pair[1])
