# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Writes small FBX 7.4 text files for tests, and reads GLB: poses evaluated by a few lines that share nothing with the
library."""
import json
import math
import struct

TICKS = 46186158000
CONSTANT, LINEAR, CUBIC = 0x2, 0x4, 0x8
AUTO, USER = 0x100, 0x400
Y_UP = (1, 1, 2, 1, 0, 1)  # up, its sign, front, its sign, right, its sign
Z_UP = (2, 1, 1, -1, 0, 1)
X_UP = (0, 1, 2, 1, 1, -1)


class Joint:
    def __init__(self, name, parent=None, t=(0, 0, 0), r=(0, 0, 0), s=(1, 1, 1), kind="LimbNode", **properties):
        self.name, self.parent, self.t, self.r, self.s, self.kind = name, parent, t, r, s, kind
        self.properties = properties  # PreRotation=(x, y, z), RotationOrder=2, InheritType=1, ...


class Curve:
    """Keys are (frame, value); `flags` is one number for all keys, or a list."""

    def __init__(self, joint, property_, axis, keys, flags=LINEAR, layer=0):
        self.joint, self.property, self.axis, self.keys, self.layer = joint, property_, axis, keys, layer
        self.flags = flags if isinstance(flags, list) else [flags] * len(keys)


class Take:
    def __init__(self, name, curves=(), start=None, stop=None, layers=1):
        self.name, self.curves, self.start, self.stop, self.layers = name, list(curves), start, stop, layers


def ticks(frame, fps):
    return round(frame * TICKS / fps)


def _properties(pairs):
    lines = ["\t\tProperties70:  {"]
    for name, value in pairs:
        if isinstance(value, int):
            lines.append(f'\t\t\tP: "{name}", "int", "Integer", "",{value}')
        elif isinstance(value, float):
            lines.append(f'\t\t\tP: "{name}", "double", "Number", "",{value!r}')
        elif isinstance(value, str):
            lines.append(f'\t\t\tP: "{name}", "KTime", "Time", "",{value}')
        else:
            kind = name if name.startswith("Lcl") else "Vector3D"
            lines.append(f'\t\t\tP: "{name}", "{kind}", "Vector", "A",{",".join(repr(float(v)) for v in value)}')
    return lines + ["\t\t}"]


def _array(name, values):
    return [f"\t\t{name}: *{len(values)} {{", f"\t\t\ta: {','.join(str(v) for v in values)}", "\t\t}"]


def write(joints, takes=(), unit=1.0, axes=Y_UP, fps=30, mode=6, flags=True):
    """The text of a file. `mode` is FBX's number of the frame rate `fps`."""
    up, up_sign, front, front_sign, right, right_sign = axes
    out = ["; FBX 7.4.0 project file", "FBXHeaderExtension:  {", "\tFBXHeaderVersion: 1003", "\tFBXVersion: 7400", "}",
           "GlobalSettings:  {", "\tVersion: 1000"]
    out += _properties([("UpAxis", up), ("UpAxisSign", up_sign), ("FrontAxis", front), ("FrontAxisSign", front_sign),
                        ("CoordAxis", right), ("CoordAxisSign", right_sign), ("UnitScaleFactor", float(unit)),
                        ("TimeMode", mode)])
    out += ["}", "Objects:  {"]
    ids = {j.name: 1000 + i for i, j in enumerate(joints)}
    links = []
    for i, j in enumerate(joints):
        out.append(f'\tModel: {1000 + i}, "Model::{j.name}", "{j.kind}" {{')
        out.append("\t\tVersion: 232")
        out += _properties([("Lcl Translation", j.t), ("Lcl Rotation", j.r), ("Lcl Scaling", j.s)]
                           + list(j.properties.items()))
        out.append("\t}")
        links.append(f'\tC: "OO",{1000 + i},{ids[j.parent] if j.parent is not None else 0}')
    number = 5000
    for take in takes:
        stack = number
        number += 1
        out.append(f'\tAnimationStack: {stack}, "AnimStack::{take.name}", "" {{')
        if take.start is not None:
            out += _properties([("LocalStart", str(ticks(take.start, fps))), ("LocalStop", str(ticks(take.stop, fps)))])
        out.append("\t}")
        layers = []
        for n in range(take.layers):
            out.append(f'\tAnimationLayer: {number}, "AnimLayer::Layer{n}", "" {{')
            out.append("\t}")
            links.append(f'\tC: "OO",{number},{stack}')
            layers.append(number)
            number += 1
        nodes = {}
        for c in take.curves:
            key = (c.joint, c.property, c.layer)
            if key not in nodes:
                nodes[key] = number
                out += [f'\tAnimationCurveNode: {number}, "AnimCurveNode::{c.property}", "" {{', "\t}"]
                links.append(f'\tC: "OO",{number},{layers[c.layer]}')
                links.append(f'\tC: "OP",{number},{ids[c.joint]}, "Lcl {c.property}"')
                number += 1
            out.append(f'\tAnimationCurve: {number}, "AnimCurve::", "" {{')
            out += ["\t\tDefault: 0", "\t\tKeyVer: 4008"]
            out += _array("KeyTime", [ticks(f, fps) for f, _ in c.keys])
            out += _array("KeyValueFloat", [repr(float(v)) for _, v in c.keys])
            if flags:
                out += _array("KeyAttrFlags", c.flags)
                out += _array("KeyAttrDataFloat", [0] * (4 * len(c.flags)))
                out += _array("KeyAttrRefCount", [1] * len(c.flags))
            out.append("\t}")
            links.append(f'\tC: "OP",{number},{nodes[key]}, "d|{c.axis}"')
            number += 1
    out += ["}", "Connections:  {"] + links + ["}", ""]
    return "\n".join(out)


# ---- GLB ----

def _multiply(a, b):
    return [[sum(a[i][n] * b[n][k] for n in range(4)) for k in range(4)] for i in range(4)]


def _compose(t, q, s):
    x, y, z, w = q
    r = [[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
         [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
         [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]]
    return [[r[i][k] * s[k] for k in range(3)] + [t[i]] for i in range(3)] + [[0, 0, 0, 1]]


def _slerp(a, b, at):
    dot = sum(x * y for x, y in zip(a, b))
    sign = -1 if dot < 0 else 1
    angle = math.acos(min(1, abs(dot)))
    sine = math.sin(angle)
    x, y = (math.sin((1 - at) * angle) / sine, math.sin(at * angle) / sine) if sine > 1e-6 else (1 - at, at)
    q = [x * u + sign * y * v for u, v in zip(a, b)]
    length = math.sqrt(sum(v * v for v in q))
    return [v / length for v in q]


class Glb:
    def __init__(self, data):
        magic, version, size, json_size, kind = struct.unpack("<IIIII", data[:20])
        assert (magic, version, size, kind) == (0x46546C67, 2, len(data), 0x4E4F534A), "no GLB"
        self.json = json.loads(data[20:20 + json_size])
        self.bin = data[28 + json_size:]
        self.extras = self.json["asset"]["extras"]["surefoot"]
        self.warnings = self.extras["warnings"]
        self.nodes = self.json["nodes"]
        self.parents = [-1] * len(self.nodes)
        for i, node in enumerate(self.nodes):
            for child in node.get("children", []):
                self.parents[child] = i
        self.clips = {}
        for a in self.json.get("animations", []):
            channels = [(c["target"]["node"], c["target"]["path"],
                         [v[0] for v in self._floats(a["samplers"][c["sampler"]]["input"])],
                         self._floats(a["samplers"][c["sampler"]]["output"])) for c in a["channels"]]
            self.clips.setdefault(a["name"], channels)
        self.skins = [[self.nodes[j]["name"] for j in s["joints"]] for s in self.json.get("skins", [])]

    def _floats(self, index):
        a = self.json["accessors"][index]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
        return [struct.unpack_from(f"<{width}f", self.bin, a["byteOffset"] + 4 * width * i) for i in range(a["count"])]

    def names(self):
        return [n["name"] for n in self.nodes]

    def positions(self, clip=None, time=0.0):
        """World positions in metres by name."""
        pose = [{"translation": n.get("translation", [0, 0, 0]), "rotation": n.get("rotation", [0, 0, 0, 1]),
                 "scale": n.get("scale", [1, 1, 1])} for n in self.nodes]
        for node, path, times, values in self.clips[clip] if clip is not None else []:
            i = 0
            while i + 1 < len(times) and times[i + 1] <= time:
                i += 1
            k = min(i + 1, len(times) - 1)
            at = min(1.0, max(0.0, (time - times[i]) / (times[k] - times[i]))) if k > i else 0.0
            pose[node][path] = (_slerp(values[i], values[k], at) if path == "rotation"
                                else [u + (v - u) * at for u, v in zip(values[i], values[k])])
        worlds, out = [], {}
        for i, node in enumerate(self.nodes):
            if "matrix" in node:
                local = [[node["matrix"][4 * c + r] for c in range(4)] for r in range(4)]
            else:
                local = _compose(pose[i]["translation"], pose[i]["rotation"], pose[i]["scale"])
            worlds.append(_multiply(worlds[self.parents[i]], local) if self.parents[i] >= 0 else local)
            out.setdefault(node["name"], [worlds[i][r][3] for r in range(3)])
        return out
