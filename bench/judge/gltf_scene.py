# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A clip of a glTF file as the judge's measures want it: in place of scene.Scene, without the program's reader."""

import numpy as np

import gltf
import legs as leg_finder


class Joint:
    def __init__(self, name, parent):
        self.name, self.parent, self.is_end, self.channels = name, parent, False, []


class Skeleton:
    """The nodes of a document, in the role of bvh.Clip."""

    def __init__(self, doc, frames):
        self.nodes = [Joint(doc.name(i) or "node %d" % i, doc.parents[i]) for i in range(len(doc.nodes))]
        self.frames = frames

    def index(self, name):
        found = [i for i, n in enumerate(self.nodes) if n.name == name]
        if len(found) != 1:
            raise KeyError("%d nodes named %r" % (len(found), name))
        return found[0]

    def children(self, i):
        return [k for k, n in enumerate(self.nodes) if n.parent == i]

    def end_site(self, i):
        return None


class Pose:
    """Rotations and positions of all nodes: model space is the scene; scales and mirrors taken out."""

    def __init__(self, doc, world):
        linear = world[..., :3, :3]
        self.position = world[..., :3, 3]
        # nearest rotation, by the polar decomposition; a mirror leaves its improper part in all nodes alike
        u, _, vt = np.linalg.svd(linear)
        self.model = u @ vt
        self.model *= np.sign(np.linalg.det(self.model))[..., None, None]
        self.local = self.model.copy()
        for i, parent in enumerate(doc.parents):
            if parent >= 0:
                self.local[:, i] = np.swapaxes(self.model[:, parent], -1, -2) @ self.model[:, i]


class GltfScene:
    """legs: the `legs` list of `surefoot info --json`. unit: metres a unit. times: frames [s]; None: the keys of the
    densest rotation channel."""

    def __init__(self, path, clip, legs, unit=1.0, times=None, up=(1, 1.0)):
        self.path = str(path)
        self.doc = path if isinstance(path, gltf.Document) else gltf.Document(path)
        animation = self.doc.clip(clip)
        self.times = animation.times() if times is None else np.asarray(times, float)
        self.dt = float(np.mean(np.diff(self.times)))
        self.pose = Pose(self.doc, animation.globals(self.times))
        self.clip = Skeleton(self.doc, len(self.times))
        self.unit, self.up, self.kind = unit, up, "own"
        self.legs = leg_finder.from_json(self.clip, legs)
        self.reference = np.zeros(len(self.times), bool)

    def rest_positions(self):
        return gltf.rest_globals(self.doc)[:, :3, 3]

    def path_of(self, node):
        return self.pose.position[:, node] * self.unit

    def height(self, node):
        return self.up[1] * self.path_of(node)[:, self.up[0]]

    def horizontal(self, vectors):
        out = np.array(vectors)
        out[..., self.up[0]] = 0.0
        return out
