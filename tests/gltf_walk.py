# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A walking figure as glTF, built by hand for the tests of the command, and what it takes to look into a GLB."""

import base64
import json
import math
import os
import struct


def put(path, data):
    with open(path, "wb") as file:
        file.write(data)
    return path


def turn(axis, angle):
    s = math.sin(0.5 * angle)
    return [s * axis[0], s * axis[1], s * axis[2], math.cos(0.5 * angle)]


class Figure:
    """A figure in metres whose left foot stands and whose right foot stands in turn: legs turn at hip, knee and heel
    about X so that the planted toe slides by a known, steady amount. Clips: a list of (name, start, frames, fps)."""

    BONES = [("Hips", -1, (0, 0.95, 0)),
             ("LeftUpLeg", 0, (0.1, 0, 0)), ("LeftLeg", 1, (0, -0.45, 0)), ("LeftFoot", 2, (0, -0.42, 0)),
             ("LeftToeBase", 3, (0, -0.06, 0.14)), ("LeftToeEnd", 4, (0, 0, 0.06)),
             ("RightUpLeg", 0, (-0.1, 0, 0)), ("RightLeg", 6, (0, -0.45, 0)), ("RightFoot", 7, (0, -0.42, 0)),
             ("RightToeBase", 8, (0, -0.06, 0.14)), ("RightToeEnd", 9, (0, 0, 0.06)),
             ("Spine", 0, (0, 0.15, 0)), ("Neck", 11, (0, 0.4, 0)), ("Head", 12, (0, 0.15, 0)),
             ("LeftArm", 11, (0.2, 0.35, 0)), ("LeftForeArm", 14, (0.25, 0, 0)), ("LeftHand", 15, (0.25, 0, 0)),
             ("RightArm", 11, (-0.2, 0.35, 0)), ("RightForeArm", 17, (-0.25, 0, 0)), ("RightHand", 18, (-0.25, 0, 0))]

    def __init__(self):
        self.binary = b""
        self.doc = {"asset": {"version": "2.0", "generator": "by hand", "extras": {"kept": [1.0, 1e2, "\u00e9"]}},
                    "scene": 0, "scenes": [{"nodes": [0]}], "nodes": [], "bufferViews": [], "accessors": [],
                    "buffers": [{}], "animations": [], "skins": [{"joints": list(range(1, 21))}],
                    "extensionsUsed": ["VENDOR_unknown"], "extensions": {"VENDOR_unknown": {"x": 0.10}}}
        self.doc["nodes"].append({"name": "Armature", "children": [1]})
        for index, (name, _, offset) in enumerate(self.BONES):
            children = [k + 1 for k, bone in enumerate(self.BONES) if bone[1] == index]
            node = {"name": name, "translation": list(offset)}
            if children:
                node["children"] = children
            self.doc["nodes"].append(node)
        self.doc["nodes"].append({"name": "Body", "mesh": 0, "skin": 0})
        self.doc["nodes"][0]["children"].append(21)
        position = self.accessor([[0, 0, 0], [1, 0, 0], [0, 1, 0]], "VEC3", bounds=True)
        weights = self.accessor([[1, 0, 0, 0]] * 3, "VEC4")
        joints = self.accessor([[0, 0, 0, 0]] * 3, "VEC4", "H")
        self.doc["meshes"] = [{"primitives": [{"attributes": {"POSITION": position, "WEIGHTS_0": weights,
                                                              "JOINTS_0": joints}}]}]

    def accessor(self, values, kind, form="f", bounds=False):
        rows = [v if isinstance(v, list) else [v] for v in values]
        data = b"".join(struct.pack("<%d%s" % (len(r), form), *r) for r in rows)
        self.doc["bufferViews"].append({"buffer": 0, "byteOffset": len(self.binary), "byteLength": len(data)})
        self.binary += data + b"\0" * (-len(data) % 4)
        entry = {"bufferView": len(self.doc["bufferViews"]) - 1, "componentType": {"f": 5126, "H": 5123}[form],
                 "count": len(rows), "type": kind}
        if bounds:
            single = [struct.unpack("<%df" % len(r), struct.pack("<%df" % len(r), *r)) for r in rows]
            entry["min"] = [min(c) for c in zip(*single)]
            entry["max"] = [max(c) for c in zip(*single)]
        self.doc["accessors"].append(entry)
        return len(self.doc["accessors"]) - 1

    def clip(self, name, frames=120, fps=30.0, start=0.0, speed=1.0, uneven=False, extra=None):
        """A walk of steady steps; `speed` scales the travel of the hips, so that the feet slide."""
        times = [start + i / fps for i in range(frames)]
        if uneven:
            times = [start + (i + (0.3 if i % 3 == 1 else 0.0)) / fps for i in range(frames)]
        tracks = {j: [] for j in (1, 2, 3, 6, 7, 8)}
        hips = []
        for t in times:
            phase = (t - start) * 2 * math.pi
            for side, joint in ((0.0, 1), (math.pi, 6)):
                swing = math.sin(phase + side)
                lift = max(0.0, math.cos(phase + side))
                tracks[joint].append(turn((1, 0, 0), -0.35 * swing - 0.5 * lift))
                tracks[joint + 1].append(turn((1, 0, 0), 0.05 + 1.0 * lift))
                tracks[joint + 2].append(turn((1, 0, 0), 0.35 * swing - 0.5 * lift - 0.05))
            hips.append([0.0, 0.93, 1.2 * speed * (t - start)])
        clip_input = self.accessor(times, "SCALAR", bounds=True)
        entry = {"name": name, "samplers": [], "channels": []}
        if name is None:
            del entry["name"]
        for joint, values in tracks.items():
            entry["samplers"].append({"input": clip_input, "output": self.accessor(values, "VEC4")})
            entry["channels"].append({"sampler": len(entry["samplers"]) - 1,
                                      "target": {"node": joint + 1, "path": "rotation"}})
        entry["samplers"].append({"input": clip_input, "output": self.accessor(hips, "VEC3")})
        entry["channels"].append({"sampler": len(entry["samplers"]) - 1, "target": {"node": 1, "path": "translation"}})
        if extra is not None:
            entry.update(extra)
        self.doc["animations"].append(entry)
        return self

    def morph_clip(self, name):
        """A clip that moves no joint."""
        entry = {"name": name, "samplers": [{"input": self.accessor([0.0, 1.0], "SCALAR", bounds=True),
                                             "output": self.accessor([0.0, 1.0], "SCALAR")}],
                 "channels": [{"sampler": 0, "target": {"node": 21, "path": "weights"}}]}
        self.doc["animations"].append(entry)
        return self

    def text(self, **buffer):
        doc = dict(self.doc, buffers=[dict({"byteLength": len(self.binary)}, **buffer)])
        if not doc["animations"]:
            del doc["animations"]
        return json.dumps(doc, indent=1, ensure_ascii=False).encode("utf-8")

    def glb(self):
        text = self.text()
        text += b" " * (-len(text) % 4)
        unknown = struct.pack("<II", 8, 0x58585858) + b"keep me!"
        total = 12 + 8 + len(text) + 8 + len(self.binary) + len(unknown)
        return (struct.pack("<III", 0x46546C67, 2, total) + struct.pack("<II", len(text), 0x4E4F534A) + text +
                struct.pack("<II", len(self.binary), 0x004E4942) + self.binary + unknown)

    def data_uri(self):
        return self.text(uri="data:application/octet-stream;base64," + base64.b64encode(self.binary).decode())

    def beside(self, folder, name, bin_name):
        put(os.path.join(folder, bin_name), self.binary)
        return put(os.path.join(folder, name), self.text(uri=bin_name))


def read_glb(data):
    """(JSON text, binary, [(type, data)] of the other chunks)"""
    assert data[:4] == b"glTF" and struct.unpack("<I", data[8:12])[0] == len(data)
    at, chunks = 12, []
    while at < len(data):
        size, kind = struct.unpack("<II", data[at:at + 8])
        chunks.append((kind, data[at + 8:at + 8 + size]))
        at += 8 + size
    assert chunks[0][0] == 0x4E4F534A
    binary = chunks[1][1] if len(chunks) > 1 and chunks[1][0] == 0x004E4942 else b""
    return chunks[0][1], binary, chunks[2 if binary else 1:]


def channel_bytes(data, clip, node, path):
    """The stored values of a channel, as bytes; interleaving and sparse accessors do not come up here."""
    text, binary, _ = read_glb(data)
    doc = json.loads(text)
    animation = doc["animations"][clip]
    for channel in animation["channels"]:
        if channel["target"].get("node") == node and channel["target"]["path"] == path:
            accessor = doc["accessors"][animation["samplers"][channel["sampler"]]["output"]]
            view = doc["bufferViews"][accessor["bufferView"]]
            start = view.get("byteOffset", 0) + accessor.get("byteOffset", 0)
            size = accessor["count"] * {"SCALAR": 4, "VEC3": 12, "VEC4": 16}[accessor["type"]]
            return binary[start:start + size]
    return None
