# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A clip with everything that judging needs: unit, up axis, legs, reference frames, model paths in metres."""

import numpy as np

import bvh
import clips
import legs as leg_finder
import plants
from rotations import angle_between


class Scene:
    def __init__(self, path, unit=None, up=None, legs=None, positions="auto", like=None):
        """unit: metres a unit; up: 'Y', 'Z', '-Z'...; legs: list as in `surefoot info --json`. None: known or guessed.
        like: a clip whose reading of position channels is taken over."""
        self.clip = path if isinstance(path, bvh.Clip) else bvh.read(path, positions)
        if like is not None:
            bvh.same_positions(self.clip, like)
        self.path = self.clip.path
        self.dt = self.clip.frame_time
        self.pose = bvh.Pose(self.clip)
        known_unit, known_up, self.kind = clips.known(self.path)
        up = up or known_up
        axis = clips.up_axis(up) if isinstance(up, str) else up
        self.legs = leg_finder.from_json(self.clip, legs) if legs else leg_finder.find(self.clip, self.pose, axis)
        self.up = axis or (leg_finder.guess_up(self.clip, self.pose, self.legs) if self.legs else (1, 1.0))
        self.unit = unit or known_unit or (leg_finder.guess_unit(self.clip, self.legs) if self.legs else 0.01)
        self.reference = reference_frames(self.clip, self.pose)
        self.travel = travel_joint(self)

    def path_of(self, node):
        """Model positions (F, 3) of a node in metres."""
        return self.pose.position[:, node] * self.unit

    def height(self, node):
        axis, sign = self.up
        return sign * self.path_of(node)[:, axis]

    def horizontal(self, vectors):
        """vectors (.., 3) with the part along the up axis removed."""
        out = np.array(vectors)
        out[..., self.up[0]] = 0.0
        return out

    def plain_plants(self):
        """{foot name: bool array} by the plain rule."""
        return {leg.name: plants.plain_rule(self.path_of(leg.toe), self.dt) for leg in self.legs}


def reference_frames(clip, pose):
    """Mask of reference-pose frames. Only frame 0 is considered, as exporters write it: it counts as one when the
    step to frame 1 turns the joints (summed) five times as much as any step of the next 120, or turns them more than
    any of these and moves the root five times as much."""
    mask = np.zeros(clip.frames, bool)
    if clip.frames < 4:
        return mask
    turn = np.zeros(clip.frames - 1)
    for i, node in enumerate(clip.nodes):
        if any(c.endswith("rotation") for c in node.channels):
            turn += angle_between(pose.local[:-1, i], pose.local[1:, i])
    root = np.linalg.norm(pose.position[1:, 0] - pose.position[:-1, 0], axis=1)
    # only steps close by, so that a fast passage far off does not hide the jump
    near = slice(1, 1 + 120)
    mask[0] = turn[0] > 5.0 * max(turn[near].max(), 1e-6) or (
        turn[0] > turn[near].max() and root[0] > 5.0 * max(root[near].max(), 1e-9))
    return mask


def travel_joint(scene):
    """The joint whose position channels carry the travel: of the pelvis and what lies above it, the one whose
    horizontal channels range farthest."""
    clip = scene.clip
    start = scene.legs[0].pelvis if scene.legs else 0
    best, best_range = None, -1.0
    i = start
    while i >= 0:
        columns = [c for axis, c in bvh.position_columns(clip, i) if axis != scene.up[0]]
        if columns:
            reach = float(np.max(np.ptp(clip.values[:, columns], axis=0))) if clip.frames else 0.0
            if reach > best_range:
                best, best_range = i, reach
        i = clip.nodes[i].parent
    return 0 if best is None else best


def scale_travel(scene, factor):
    """The clip with root travel scaled: p0 + factor (p - p0), p0 the first frame that is no reference pose."""
    clip = scene.clip
    values = clip.values.copy()
    start = int(np.argmax(~scene.reference))
    for axis, column in bvh.position_columns(clip, scene.travel):
        if axis != scene.up[0]:
            p0 = values[start, column]
            values[:, column] = p0 + factor * (values[:, column] - p0)
    return clip.with_values(values)
