# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A small glTF 2.0 reader and evaluator, independent of the C program.

Reads .glb and .gltf with embedded, data-URI and external buffers; every component type, normalised integers, sparse
accessors and strides; STEP, LINEAR and CUBICSPLINE; matrix nodes. Everything is evaluated in float64. It is made to
judge sound files: what it does not understand raises GltfError.
"""

import base64
import json
import os
import re
import struct
import urllib.parse

import numpy as np

COMPONENTS = {5120: ("<i1", 127.0), 5121: ("<u1", 255.0), 5122: ("<i2", 32767.0), 5123: ("<u2", 65535.0),
              5125: ("<u4", 4294967295.0), 5126: ("<f4", None)}
WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT2": 4, "MAT3": 9, "MAT4": 16}
PATHS = {"translation": 3, "rotation": 4, "scale": 3}
JSON_CHUNK, BIN_CHUNK = 0x4E4F534A, 0x004E4942


class GltfError(ValueError):
    pass


def split_glb(data):
    """[(type, bytes)] of a GLB's chunks, and what follows the stated length."""
    if len(data) < 12 or data[:4] != b"glTF":
        raise GltfError("no GLB")
    _, version, length = struct.unpack_from("<III", data)
    if version != 2 or length > len(data):
        raise GltfError("GLB version %d, length %d of %d" % (version, length, len(data)))
    chunks, at = [], 12
    while at + 8 <= length:
        size, kind = struct.unpack_from("<II", data, at)
        if at + 8 + size > length:
            raise GltfError("chunk at byte %d is cut" % at)
        chunks.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    if at != length:
        raise GltfError("%d bytes after the last chunk" % (length - at))
    return chunks, data[length:]


def decode_data_uri(uri):
    head, _, body = uri.partition(",")
    if not head.endswith(";base64"):
        return urllib.parse.unquote_to_bytes(body)
    body = urllib.parse.unquote(body).replace("-", "+").replace("_", "/").rstrip("=")
    return base64.b64decode(body + "=" * (-len(body) % 4))


def number(text):
    """1.0 and 1e0 are integers, to be used as indices."""
    value = float(text)
    return int(value) if value.is_integer() and abs(value) < 2 ** 53 else value


class Document:
    def __init__(self, path):
        self.path = str(path)
        with open(path, "rb") as file:
            self.data = file.read()
        self.is_glb = self.data[:4] == b"glTF"
        self.chunks, self.tail = split_glb(self.data) if self.is_glb else ([(JSON_CHUNK, self.data)], b"")
        if not self.chunks or self.chunks[0][0] != JSON_CHUNK:
            raise GltfError("the first chunk is no JSON")
        self.text = self.chunks[0][1]
        self.json = json.loads(self.text.decode("utf-8"), parse_float=number)
        self.nodes = self.json.get("nodes", [])
        self.animations = self.json.get("animations", [])
        self._buffers = {}
        self.parents = [-1] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", ()):
                if self.parents[child] >= 0:
                    raise GltfError("node %d has two parents" % child)
                self.parents[child] = i
        self.order = self._parents_first()

    def _parents_first(self):
        order = [i for i, parent in enumerate(self.parents) if parent < 0]
        for i in order:
            order += self.nodes[i].get("children", ())
        if len(order) != len(self.nodes):
            raise GltfError("node loop")
        return order

    def name(self, node):
        return self.nodes[node].get("name")

    def find(self, name):
        """The one node of that name."""
        found = [i for i, node in enumerate(self.nodes) if node.get("name") == name]
        if len(found) != 1:
            raise GltfError("%d nodes named %r" % (len(found), name))
        return found[0]

    def buffer(self, index):
        if index not in self._buffers:
            uri = self.json["buffers"][index].get("uri")
            if uri is None:
                if index != 0 or not self.is_glb or len(self.chunks) < 2 or self.chunks[1][0] != BIN_CHUNK:
                    raise GltfError("buffer %d has no bytes" % index)
                data = self.chunks[1][1]
            elif uri.startswith("data:"):
                data = decode_data_uri(uri)
            else:
                data = self._beside(uri)
            length = self.json["buffers"][index]["byteLength"]
            if len(data) < length:
                raise GltfError("buffer %d: %d of %d bytes" % (index, len(data), length))
            self._buffers[index] = data
        return self._buffers[index]

    def _beside(self, uri):
        if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", uri):
            raise GltfError("URI %s" % uri)
        folder = os.path.realpath(os.path.dirname(os.path.abspath(self.path)))
        target = os.path.realpath(os.path.join(folder, urllib.parse.unquote(uri)))
        if not target.startswith(folder + os.sep):
            raise GltfError("%s lies outside the folder" % uri)
        with open(target, "rb") as file:
            return file.read()

    def _view(self, view, offset, count, width, dtype):
        """(count, width) raw elements from a buffer view."""
        v = self.json["bufferViews"][view]
        data = self.buffer(v["buffer"])
        start = v.get("byteOffset", 0) + offset
        size = np.dtype(dtype).itemsize
        stride = v.get("byteStride", width * size)
        end = v.get("byteOffset", 0) + v["byteLength"]
        if count and (start + (count - 1) * stride + width * size > end or end > len(data)):
            raise GltfError("bufferView %d is too short" % view)
        return np.ndarray((count, width), dtype, data, start, (stride, size)).copy() if count else np.zeros((0, width))

    def accessor(self, index):
        """(count, width) float64; normalised integers made fractions."""
        a = self.json["accessors"][index]
        dtype, full = COMPONENTS[a["componentType"]]
        width, count = WIDTHS[a["type"]], a["count"]
        if a["type"].startswith("MAT") and width * np.dtype(dtype).itemsize % 4 and a["type"] != "MAT4":
            raise GltfError("accessor %d: a matrix with padded columns" % index)
        raw = np.zeros((count, width), dtype)
        if "bufferView" in a:
            raw = self._view(a["bufferView"], a.get("byteOffset", 0), count, width, dtype)
        if "sparse" in a:
            s = a["sparse"]
            at = self._view(s["indices"]["bufferView"], s["indices"].get("byteOffset", 0), s["count"], 1,
                            COMPONENTS[s["indices"]["componentType"]][0])[:, 0].astype(np.int64)
            raw[at] = self._view(s["values"]["bufferView"], s["values"].get("byteOffset", 0), s["count"], width, dtype)
        values = raw.astype(np.float64)
        if a.get("normalized") and full:
            values = np.maximum(values / full, -1.0)
        return values

    def rest(self, node):
        """(translation, rotation, scale) of a node; a matrix is given as None (see rest_matrix)."""
        n = self.nodes[node]
        return (np.array(n.get("translation", (0, 0, 0)), float), np.array(n.get("rotation", (0, 0, 0, 1)), float),
                np.array(n.get("scale", (1, 1, 1)), float))

    def rest_matrix(self, node):
        if "matrix" in self.nodes[node]:
            return np.array(self.nodes[node]["matrix"], float).reshape(4, 4).T
        t, r, s = self.rest(node)
        return compose(t[None], r[None], s[None])[0]

    def clip(self, which):
        """An Animation by index or name."""
        if isinstance(which, str):
            names = [a.get("name") for a in self.animations]
            which = names.index(which)
        return Animation(self, which)


def compose(t, r, s):
    """(n, 4, 4) from (n, 3), (n, 4) xyzw, (n, 3). The quaternion is used as it is; unit is the caller's duty."""
    x, y, z, w = r.T
    m = np.zeros((len(t), 4, 4))
    m[:, 0, 0], m[:, 0, 1], m[:, 0, 2] = 1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)
    m[:, 1, 0], m[:, 1, 1], m[:, 1, 2] = 2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)
    m[:, 2, 0], m[:, 2, 1], m[:, 2, 2] = 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)
    m[:, :3, :3] *= s[:, None, :]
    m[:, :3, 3] = t
    m[:, 3, 3] = 1.0
    return m


def normalised(q):
    return q / np.linalg.norm(q, axis=-1, keepdims=True)


def slerp(a, b, u):
    dot = np.sum(a * b, axis=1)
    b = np.where(dot[:, None] < 0.0, -b, b)
    angle = np.arccos(np.clip(np.abs(dot), -1.0, 1.0))
    small = angle < 1e-6
    sine = np.where(small, 1.0, np.sin(angle))
    wa = np.where(small, 1.0 - u, np.sin((1.0 - u) * angle) / sine)
    wb = np.where(small, u, np.sin(u * angle) / sine)
    return normalised(wa[:, None] * a + wb[:, None] * b)


class Channel:
    """One TRS channel with its keys."""

    def __init__(self, doc, animation, index):
        a = doc.animations[animation]
        c = a["channels"][index]
        s = a["samplers"][c["sampler"]]
        self.index, self.sampler = index, c["sampler"]
        self.node, self.path = c["target"].get("node"), c["target"]["path"]
        self.interpolation = s.get("interpolation", "LINEAR")
        self.input, self.output = s["input"], s["output"]
        self.doc = doc
        self._keys = None

    @property
    def keys(self):
        """(times (n,), values (n, width) or (n, 3, width) with tangents)."""
        if self._keys is None:
            times, values = self.doc.accessor(self.input)[:, 0], self.doc.accessor(self.output)
            cubic = self.interpolation == "CUBICSPLINE"
            if len(values) != len(times) * (3 if cubic else 1):
                raise GltfError("channel %d: %d keys, %d values" % (self.index, len(times), len(values)))
            self._keys = times, values.reshape(len(times), 3, -1) if cubic else values
        return self._keys

    def sample(self, at):
        """Values at the times `at` (m,); times outside the keys take the nearest key."""
        times, values = self.keys
        at = np.clip(np.asarray(at, float), times[0], times[-1])
        i = np.clip(np.searchsorted(times, at, "right") - 1, 0, len(times) - 1)
        k = np.minimum(i + 1, len(times) - 1)
        step = np.where(k > i, times[k] - times[i], 1.0)
        u = (at - times[i]) / step
        turn = self.path == "rotation"
        if self.interpolation == "STEP":
            out = values[i]
        elif self.interpolation == "LINEAR":
            if turn:
                q = normalised(values)
                return slerp(q[i], q[k], u)
            out = values[i] + u[:, None] * (values[k] - values[i])
        elif self.interpolation == "CUBICSPLINE":
            v, u, step = values, u[:, None], step[:, None]
            out = ((2 * u ** 3 - 3 * u ** 2 + 1) * v[i, 1] + step * (u ** 3 - 2 * u ** 2 + u) * v[i, 2]
                   + (-2 * u ** 3 + 3 * u ** 2) * v[k, 1] + step * (u ** 3 - u ** 2) * v[k, 0])
        else:
            raise GltfError("interpolation %s" % self.interpolation)
        return normalised(out) if turn else out


class Animation:
    def __init__(self, doc, index):
        self.doc, self.index = doc, index
        self.name = doc.animations[index].get("name")
        self.channels = [Channel(doc, index, i) for i, c in enumerate(doc.animations[index]["channels"])
                         if c["target"].get("node") is not None and c["target"]["path"] in PATHS]

    def of(self, node, path):
        found = [c for c in self.channels if c.node == node and c.path == path]
        return found[0] if found else None

    def locals(self, at):
        """(len(at), nodes, 4, 4) local transforms."""
        doc, at = self.doc, np.asarray(at, float)
        out = np.empty((len(at), len(doc.nodes), 4, 4))
        moved = {}
        for c in self.channels:
            moved.setdefault(c.node, {})[c.path] = c
        for i in range(len(doc.nodes)):
            if i not in moved:
                out[:, i] = doc.rest_matrix(i)
                continue
            if "matrix" in doc.nodes[i]:
                raise GltfError("node %d has a matrix and is animated" % i)
            parts = [np.broadcast_to(p, (len(at), len(p))) for p in doc.rest(i)]
            for n, path in enumerate(("translation", "rotation", "scale")):
                if path in moved[i]:
                    parts[n] = moved[i][path].sample(at)
            out[:, i] = compose(*parts)
        return out

    def globals(self, at):
        """(len(at), nodes, 4, 4) transforms from node to scene."""
        return chain(self.doc, self.locals(at))

    def times(self):
        """Key times of the densest rotation channel (the first of the longest)."""
        turns = [c for c in self.channels if c.path == "rotation"]
        return max(turns, key=lambda c: len(c.keys[0])).keys[0] if turns else np.zeros(0)


def chain(doc, local):
    out = np.array(local)
    for i in doc.order:
        if doc.parents[i] >= 0:
            out[:, i] = out[:, doc.parents[i]] @ local[:, i]
    return out


def rest_globals(doc):
    return chain(doc, np.array([[doc.rest_matrix(i) for i in range(len(doc.nodes))]]))[0]
