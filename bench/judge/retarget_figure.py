# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A figure in motion, from a BVH or glTF file, in its own canonical space.

Canonical space: metres, x to the figure's left, y up, z ahead, by the figure's own rest pose. Two figures that do the
same have the same directions there, whatever axes, units and facings their files have.
"""

import numpy as np

import bvh
import clips
import gltf
from retarget_rigs import LIMBS, SIDES, rig_of


def unit_vector(v):
    v = np.asarray(v, float)
    return v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-12)


def canonical_axes(left, up):
    """Rows: left, up, ahead."""
    left = unit_vector(left - up * (left @ up))
    return np.stack([left, up, np.cross(left, up)])


def rotations_of(world):
    """Rotation parts of 4x4 or 3x3 matrices whose scale is uniform; by singular values where it is not."""
    m = world[..., :3, :3]
    size = np.linalg.norm(m, axis=-2)
    if np.max(np.ptp(size, axis=-1)) < 1e-4 * np.max(size):
        return m / np.maximum(size[..., None, :], 1e-300)
    u, _, vt = np.linalg.svd(m)
    return u @ vt


class Figure:
    """names, parents, joints {(part, side): node}; canonical position (F, N, 3) in metres and rotation (F, N, 3, 3);
    rest_position (N, 3) and rest_rotation (N, 3, 3) of the reference pose; dt and times in seconds."""

    def joint(self, part, side=""):
        return self.joints.get((part, side))

    def _settle(self, position, rotation, rest_position, rest_rotation, rig, like):
        """like: a figure of the same rig whose reference pose counts; None: this file's own."""
        axis, sign = clips.up_axis(rig.up) if self.kind == "bvh" else (1, 1.0)
        up = np.zeros(3)
        up[axis] = sign
        if rig.reference != "rest" and len(position):
            rest_position, rest_rotation = position[rig.reference], rotation[rig.reference]
        self.axes = canonical_axes(rest_position[self.joint("hip", "left")] - rest_position[self.joint("hip", "right")], up)
        self.position = position @ self.axes.T * rig.unit
        self.rotation = self.axes @ rotation
        self.rest_position = rest_position @ self.axes.T * rig.unit
        self.rest_rotation = self.axes @ rest_rotation
        self.rig = rig
        if like is not None:
            turn = like.axes @ self.axes.T
            self.position, self.rotation, self.axes = self.position @ turn.T, turn @ self.rotation, like.axes
            self.rest_position, self.rest_rotation = like.rest_position, like.rest_rotation

    @property
    def frames(self):
        return len(self.position)

    def at(self, part, side=""):
        return self.position[:, self.joint(part, side)]

    def limb(self, name, side):
        """Unit directions (F, 3), or None where the figure lacks the limb."""
        a, b = (self.joint(part, side) for part in LIMBS[name])
        if a is None or b is None:
            return None
        return unit_vector(self.position[:, b] - self.position[:, a])

    def leg_length(self):
        """Hip to knee to ankle in the reference pose, mean of both sides [m]."""
        p = self.rest_position
        return float(np.mean([np.linalg.norm(p[self.joint("knee", s)] - p[self.joint("hip", s)])
                              + np.linalg.norm(p[self.joint("ankle", s)] - p[self.joint("knee", s)]) for s in SIDES]))

    def below(self, top):
        """Nodes below `top`, without it."""
        inside = {top}
        for i in self.order:
            if self.parents[i] in inside:
                inside.add(i)
        return [i for i in self.order if i in inside and i != top]


class BvhFigure(Figure):
    kind = "bvh"

    def __init__(self, path, rig=None, like=None):
        """like: the target as a figure, whose reference pose and reading of position channels are taken over."""
        rig = rig or rig_of(path)
        self.path = str(path)
        self.clip = bvh.read(path, rig.positions)
        if like is not None:
            bvh.same_positions(self.clip, like.clip)
        self.names = [n.name for n in self.clip.nodes]
        self.parents = [n.parent for n in self.clip.nodes]
        self.order = range(len(self.names))
        self.is_end = [n.is_end for n in self.clip.nodes]
        self.joints = {key: self.clip.index(name) for key, name in rig.table.items()}
        self.dt = self.clip.frame_time
        self.times = self.dt * np.arange(self.clip.frames)
        pose = bvh.Pose(self.clip)
        self.local = pose.local
        count = len(self.names)
        self._settle(pose.position, pose.model, bvh.rest_positions(self.clip), np.broadcast_to(np.eye(3), (count, 3, 3)),
                     rig, like)


class GltfFigure(Figure):
    kind = "gltf"

    def __init__(self, path, rig=None, clip=None, times=None, like=None):
        """clip: name or index; None: the first; 'none': no motion, one frame of the rest pose. times: when to look;
        None: the keys."""
        rig = rig or rig_of(path)
        self.path = str(path)
        self.doc = gltf.Document(path)
        self.names = [self.doc.name(i) or "node %d" % i for i in range(len(self.doc.nodes))]
        self.parents, self.order = self.doc.parents, self.doc.order
        self.is_end = [False] * len(self.names)
        self.joints = {key: name if isinstance(name, int) else self.doc.find(name) for key, name in rig.table.items()}
        rest = gltf.rest_globals(self.doc)
        if clip == "none" or not self.doc.animations:
            self.animation, self.times, world = None, np.zeros(1), rest[None]
        else:
            self.animation = self.doc.clip(0 if clip is None else clip)
            self.times = self.animation.times() if times is None else np.asarray(times, float)
            world = self.animation.globals(self.times)
        self.dt = float(np.mean(np.diff(self.times))) if len(self.times) > 1 else 1.0 / 30.0
        self._settle(world[..., :3, 3], rotations_of(world), rest[:, :3, 3], rotations_of(rest), rig, like)


def is_bvh(path):
    return str(path).lower().endswith(".bvh")


def open_figure(path, rig=None, clip=None, times=None, like=None):
    return BvhFigure(path, rig, like) if is_bvh(path) else GltfFigure(path, rig, clip, times, like)


def resampled(source, times):
    """The source figure at other times from its own start: glTF anew from its curves, BVH only at its own frames."""
    if source.kind == "gltf" and source.animation is not None:
        return GltfFigure(source.path, source.rig, source.animation.index, source.times[0] + times)
    if len(times) == source.frames and np.allclose(times, source.times - source.times[0], atol=0.02 * source.dt):
        return source
    raise ValueError("%d frames to %.4f s became %d to %.4f s" % (source.frames, source.times[-1], len(times),
                                                               times[-1] if len(times) else 0.0))
