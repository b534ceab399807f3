# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Makes glTF documents piece by piece, for samples and for hostile files."""

import base64
import json
import os
import struct

import numpy as np

import gltf

FLOAT, BYTE, UBYTE, SHORT, USHORT, UINT = 5126, 5120, 5121, 5122, 5123, 5125
FULL = {BYTE: 127.0, UBYTE: 255.0, SHORT: 32767.0, USHORT: 65535.0}
SHAPE = {1: "SCALAR", 3: "VEC3", 4: "VEC4", 16: "MAT4"}


class Sample:
    """files: {name: bytes}, main first to be opened. legs: how many the figure has (None: a reader may differ).
    clips: names of animations. problem: {animation index: words, one of which must be named}; those cannot be sampled.
    solves: False where putting solved joints back must be refused (a word of the refusal in `refusal`)."""

    def __init__(self, name, files, main, **facts):
        self.name, self.files, self.main = name, files, main
        self.legs = facts.get("legs", 2)
        self.clips = facts.get("clips", ["walk"])
        self.problem = facts.get("problem", {})
        self.solves = facts.get("solves", True)
        self.refusal = facts.get("refusal", "")

    def write(self, folder):
        """Path of the main file."""
        for name, data in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as file:
                file.write(data)
        return os.path.join(folder, self.main)


class Doc:
    """A document in the making, with one buffer."""

    def __init__(self):
        self.json = {"asset": {"version": "2.0", "generator": "Surefoot's sample maker"}, "scene": 0,
                     "scenes": [{"nodes": []}], "nodes": [], "animations": [], "skins": [], "meshes": [],
                     "accessors": [], "bufferViews": [], "buffers": [{"byteLength": 0}]}
        self.bytes = bytearray()

    def view(self, data, stride=None, target=None):
        while len(self.bytes) % 4:
            self.bytes += b"\0"
        view = {"buffer": 0, "byteOffset": len(self.bytes), "byteLength": len(data)}
        if stride:
            view["byteStride"] = stride
        if target:
            view["target"] = target
        self.bytes += data
        self.json["bufferViews"].append(view)
        return len(self.json["bufferViews"]) - 1

    def accessor(self, values, component=FLOAT, bounds=False, view=None, offset=0, normalized=None, target=None):
        values = np.asarray(values, float)
        values = values[:, None] if values.ndim == 1 else values
        raw = encode(values, component, normalized)
        a = {"componentType": component, "count": len(values), "type": SHAPE[values.shape[1]]}
        if view is None:
            view = self.view(raw.tobytes(), target=target)
        a["bufferView"] = view
        if offset:
            a["byteOffset"] = offset
        if normalized if normalized is not None else component in FULL:
            a["normalized"] = True
        if bounds:
            a["min"], a["max"] = [float(v) for v in raw.min(axis=0)], [float(v) for v in raw.max(axis=0)]
        self.json["accessors"].append(a)
        return len(self.json["accessors"]) - 1

    def node(self, **members):
        self.json["nodes"].append(members)
        return len(self.json["nodes"]) - 1

    def figure(self, walk, parent=None, scale=1.0, prefix="", names=True, mesh=True, skin=True):
        """Nodes of the figure in rest pose, a skin, a triangle that is skinned to it. Returns the nodes."""
        first = len(self.json["nodes"])
        for i, p in enumerate(walk.parents):
            n = {"name": prefix + walk.names[i]} if names else {}
            below = [first + k for k, q in enumerate(walk.parents) if q == i]
            if below:
                n["children"] = below
            n["translation"] = [float(v) for v in np.float32(walk.offsets[i] / scale)]
            n["rotation"] = [float(v) for v in np.float32(walk.rest_rotations[i])]
            self.json["nodes"].append(n)
        nodes = list(range(first, first + len(walk.parents)))
        if parent is None:
            self.json["scenes"][0]["nodes"].append(first)
        else:
            self.json["nodes"][parent].setdefault("children", []).append(first)
        if skin:
            self.skin(walk, nodes, mesh)
        return nodes

    def skin(self, walk, nodes, mesh=True, joints=None):
        pick = list(range(len(nodes))) if joints is None else joints
        matrices = np.zeros((len(pick), 4, 4))
        matrices[:, 3, 3] = 1.0
        for n, i in enumerate(pick):
            matrices[n, :3, :3] = walk.axes[i].T
            matrices[n, :3, 3] = -walk.axes[i].T @ walk.rest[i]
        columns = np.swapaxes(matrices, 1, 2).reshape(-1, 16)
        self.json["skins"].append({"joints": [nodes[i] for i in pick], "inverseBindMatrices": self.accessor(columns),
                                   "skeleton": nodes[pick[0]]})
        skin = len(self.json["skins"]) - 1
        if mesh:
            position = self.accessor([[0, 0, 0], [0.1, 0, 0], [0, 0.1, 0]], bounds=True, target=34962)
            joints = self.accessor(np.zeros((3, 4)), USHORT, normalized=False, target=34962)
            weights = self.accessor([[1, 0, 0, 0]] * 3, target=34962)
            self.json["meshes"].append({"primitives": [{"attributes": {
                "POSITION": position, "JOINTS_0": joints, "WEIGHTS_0": weights}}]})
            self.json["scenes"][0]["nodes"].append(self.node(name="Body", mesh=len(self.json["meshes"]) - 1, skin=skin))
        return skin

    def animation(self, name="walk"):
        self.json["animations"].append(dict({"name": name} if name is not None else {}, samplers=[], channels=[]))
        return len(self.json["animations"]) - 1

    def channel(self, animation, node, path, times, values, interpolation="LINEAR", component=FLOAT):
        """times and values: arrays, or indices of accessors that are there already."""
        a = self.json["animations"][animation]
        times = times if isinstance(times, int) else self.accessor(times, bounds=True)
        values = values if isinstance(values, int) else self.accessor(values, component)
        s = {"input": times, "output": values}
        if interpolation:
            s["interpolation"] = interpolation
        a["samplers"].append(s)
        a["channels"].append({"sampler": len(a["samplers"]) - 1, "target": {"node": node, "path": path}})
        return len(a["channels"]) - 1

    def walk(self, walk, nodes, name="walk", scale=1.0, start=0.0, interpolation="LINEAR", component=FLOAT, skip=()):
        """Channels for every joint that moves."""
        animation = self.animation(name)
        times = self.accessor(walk.times + start, bounds=True)
        self.channel(animation, nodes[0], "translation", times, walk.hips / scale, interpolation)
        for i, node in enumerate(nodes):
            if i not in skip and not walk.names[i].endswith("_End"):
                self.channel(animation, node, "rotation", times, walk.rotations[:, i], interpolation, component)
        return animation

    def clean(self):
        """The JSON without lists that stayed empty, which the format forbids."""
        out = {k: v for k, v in self.json.items() if v != []}
        if self.bytes:
            out["buffers"][0]["byteLength"] = len(self.bytes)
        elif out.get("buffers") == [{"byteLength": 0}]:
            del out["buffers"]
        return out

    def glb(self, text=None, chunks=(), pad=b"\0"):
        return pack_glb(text if text is not None else dump(self.clean()), bytes(self.bytes), chunks, pad)

    def gltf(self, uri, text=None):
        doc = self.clean()
        doc["buffers"][0]["uri"] = uri
        return text(doc) if text else dump(doc)

    def data_uri(self, kind="application/octet-stream", style="padded"):
        body = base64.b64encode(bytes(self.bytes)).decode()
        if style == "bare":
            body = body.rstrip("=")
        elif style == "escaped":
            body = body.replace("+", "%2B").replace("/", "%2f").replace("=", "%3D")
        elif style == "plain":
            return "data:%s,%s" % (kind, "".join("%%%02X" % b for b in self.bytes))
        return "data:%s;base64,%s" % (kind, body)


def encode(values, component, normalized=None):
    if component in FULL and normalized is not False:
        values = np.round(values * FULL[component])
    return np.ascontiguousarray(values.astype(gltf.COMPONENTS[component][0]))


def dump(doc, indent=None):
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(doc, indent=indent, separators=separators, ensure_ascii=False).encode("utf-8")


def chunk(kind, data, pad=b"\0"):
    data = data + pad * (-len(data) % 4)
    return struct.pack("<II", len(data), kind) + data


def pack_glb(text, binary, chunks=(), pad=b"\0"):
    body = chunk(gltf.JSON_CHUNK, text, b" ")
    if binary:
        body += chunk(gltf.BIN_CHUNK, binary, pad)
    body += b"".join(chunk(kind, data) for kind, data in chunks)
    return b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body


def hermite(times, values, rotation):
    """Keys with tangents by central differences, as (3 n, width)."""
    tangents = np.gradient(values, times, axis=0)
    return np.stack([tangents, values, tangents], axis=1).reshape(-1, values.shape[1])


MAKERS = {}


def sample(function):
    MAKERS[function.__name__] = function
    return function


def single(name, data, **facts):
    return Sample(name.rsplit(".", 1)[0], {name: data}, name, **facts)
