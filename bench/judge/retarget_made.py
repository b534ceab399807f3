# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Two figures of other proportions, axes, units and rest poses, a motion of the first, and its plain transfer to the
second, written down without the program: what a good answer is, and what planted faults look like."""

import numpy as np

import bvh
from retarget_figure import open_figure, unit_vector
from retarget_rigs import SIDES, Rig, XSENS
from rotations import axis_matrix

TABLE = {key: name for key, name in XSENS.items() if key[0] != "finger"} | {("chest", ""): "Chest"}
FPS = 60.0
# bones of one side: name, parent, offset in canonical axes [m] of the first figure and the second
BODY = [("Hips", None, (0, 0, 0), (0, 0, 0)), ("Spine", "Hips", (0, 0.12, 0), (0, 0.2, 0.02)),
        ("Chest", "Spine", (0, 0.18, 0), (0, 0.25, -0.03)), ("Neck", "Chest", (0, 0.25, 0), (0, 0.3, 0.02)),
        ("Head", "Neck", (0, 0.1, 0.02), (0, 0.07, 0))]
SIDE = [("Collar", "Chest", (0.03, 0.2, 0), (0.05, 0.22, 0)), ("Shoulder", "*Collar", (0.14, 0, 0), (0.2, 0.02, 0)),
        ("Elbow", "*Shoulder", (0.28, 0, 0), (0.2, -0.17, 0)), ("Wrist", "*Elbow", (0.25, 0, 0), (0.18, -0.15, 0.05)),
        ("Hip", "Hips", (0.09, -0.05, 0), (0.14, 0.03, 0)), ("Knee", "*Hip", (0, -0.42, 0), (0.02, -0.25, 0.01)),
        ("Ankle", "*Knee", (0, -0.4, 0), (0, -0.27, -0.01)), ("Toe", "*Ankle", (0, -0.07, 0.13), (0, -0.05, 0.1))]
FIRST = Rig("made_first", "bvh", TABLE, 0.01)
SECOND = Rig("made_second", "bvh", TABLE, 0.1, up="Z")
# canonical to file: the first has y up and faces z, the second z up and faces -y
AXES = {"made_first": np.eye(3), "made_second": np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]], float)}


def skeleton(rig, frames):
    """A clip of the figure at rest."""
    which = 2 if rig is FIRST else 3
    axes, unit = AXES[rig.stem], rig.unit
    clip = bvh.Clip()
    clip.frame_time = 1.0 / FPS
    bones = [(b[0], b[1], b[which]) for b in BODY]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        for b in SIDE:
            x, y, z = b[which]
            bones.append((side + b[0], b[1].replace("*", side), (sign * x, y, z)))
    order, at = ["ZXY", "YZX"][rig is SECOND], {}
    total = 0

    def add(name, parent, offset, end=False):
        nonlocal total
        node = bvh.Node(name, -1 if parent is None else at[parent], end)
        node.offset = axes.T @ np.array(offset) / unit
        if not end:
            node.channels = (["xposition", "yposition", "zposition"] if parent is None else []) + [
                c.lower() + "rotation" for c in order]
            node.first_channel, total = total, total + len(node.channels)
            at[name] = len(clip.nodes)
        clip.nodes.append(node)
        for child, above, off in bones:
            if above == name:
                add(child, name, off)
        if not end and not any(above == name for _, above, _ in bones):
            add(name + ":end", name, (0.02, 0, 0.06), True)

    add("Hips", None, (0, 0, 0))
    clip.values = np.zeros((frames, total))
    return clip


def euler(matrix, order):
    """Degrees about the three axes of `order`, first applied last, of rotations (F, 3, 3)."""
    i, j, k = ("xyz".index(c) for c in order)
    sign = 1.0 if (i, j, k) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
    b = np.arcsin(np.clip(sign * matrix[:, i, k], -1.0, 1.0))
    a = np.arctan2(-sign * matrix[:, j, k], matrix[:, k, k])
    c = np.arctan2(-sign * matrix[:, i, j], matrix[:, i, i])
    return np.degrees(np.stack([a, b, c], axis=1))


def set_pose(clip, local, root):
    """local: {name: (F, 3, 3)} in file axes; root (F, 3) in file units."""
    for node in clip.nodes:
        if node.is_end:
            continue
        order = "".join(c[0] for c in node.channels if c.endswith("rotation"))
        at = node.first_channel + len(node.channels) - 3
        if node.name in local:
            clip.values[:, at:at + 3] = euler(local[node.name], order)
        if node.parent < 0:
            clip.values[:, node.first_channel:node.first_channel + 3] = root
    return clip


def first_motion(frames=240):
    """Swings arms, legs, spine and head while it travels, then stands still for the second half."""
    clip = skeleton(FIRST, frames)
    t = np.arange(frames) / FPS
    u = np.clip(t / (frames / FPS * 0.5), 0.0, 1.0)
    ease = u * u * (3.0 - 2.0 * u)
    swing = np.sin(np.pi * u) ** 2 * np.sin(2.0 * np.pi * 2.0 * t)
    local = {"Spine": axis_matrix("x", 0.15 * ease) @ axis_matrix("y", 0.2 * swing), "Chest": axis_matrix("z", 0.1 * swing),
             "Head": axis_matrix("y", 0.5 * swing)}
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        local[side + "Shoulder"] = axis_matrix("z", -sign * 1.1 * ease) @ axis_matrix("y", -sign * 0.3 * ease + 0.4 * swing)
        local[side + "Elbow"] = axis_matrix("y", -sign * (0.5 * ease + 0.3 * np.abs(swing)))
        local[side + "Hip"] = axis_matrix("x", -0.45 * ease - sign * 0.4 * swing)
        local[side + "Knee"] = axis_matrix("x", 0.8 * ease + 0.3 * (1.0 + sign * np.sin(2.0 * np.pi * 2.0 * t)) * np.sin(np.pi * u))
        local[side + "Ankle"] = axis_matrix("x", -0.35 * ease)
    root = np.stack([10.0 * ease, 94.0 - 8.0 * ease, 150.0 * ease], axis=1)
    return set_pose(clip, local, root)


def align(a, b):
    """Smallest rotation that takes unit vector a to b."""
    v, c = np.cross(a, b), float(a @ b)
    k = np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])
    return np.eye(3) + k + k @ k / (1.0 + c)


def transfer(source, target, change=None, heading=0.0, scale=None):
    """The second figure's clip that does what the Figure `source` does. change: a function of ({name: canonical
    orientations}, root path in canonical metres) that plants a fault before they are written."""
    follow = {"upper": ("Shoulder", "Elbow"), "fore": ("Elbow", "Wrist"), "thigh": ("Hip", "Knee"), "shin": ("Knee", "Ankle"),
              "foot": ("Ankle", "Toe")}
    turn = axis_matrix("y", heading)
    world = {}
    for i, node in enumerate(target.clip.nodes):
        if node.is_end:
            continue
        k = source.names.index(node.name)
        moved = turn @ source.rotation[:, k] @ source.rest_rotation[k].T
        straight = np.eye(3)
        for a, b in follow.values():
            for side in ("Left", "Right"):
                if node.name == side + a:
                    one, other = (unit_vector(f.rest_position[f.names.index(side + b)] - f.rest_position[f.names.index(side + a)])
                                  for f in (source, target))
                    straight = align(other, one) if a != "Ankle" else np.eye(3)
        world[node.name] = moved @ straight @ target.rest_rotation[i]
    ratio = target.leg_length() / source.leg_length() if scale is None else scale
    root = (ratio * source.at("pelvis")) @ turn.T
    if change is not None:
        world, root = change(world, root)
    local = {}
    for node in target.clip.nodes:
        if not node.is_end:
            local[node.name] = world[node.name] if node.parent >= 0 else target.axes.T @ world[node.name]
            if node.parent >= 0:
                local[node.name] = np.swapaxes(world[target.names[node.parent]], -1, -2) @ world[node.name]
    clip = skeleton(SECOND, source.frames)
    return set_pose(clip, local, root @ target.axes / SECOND.unit)


def on_ground(source, target, folder, change=None, **how):
    """As transfer, with the feet of the standing half where the source has them: returns the path of the clip."""
    import retarget_measure as measure
    path = folder + "/made.bvh"
    bvh.write(transfer(source, target, None), path)
    made = open_figure(path, SECOND, like=target)
    half = slice(source.frames * 3 // 4, None)
    ratio = target.leg_length() / source.leg_length()
    lift = np.mean([np.median((ratio * measure.sole_heights(source, s) - measure.sole_heights(made, s))[half]) for s in SIDES])

    def both(world, root):
        root = root + [0.0, lift, 0.0]
        return change(world, root) if change else (world, root)

    bvh.write(transfer(source, target, both, **how), path)
    return path
