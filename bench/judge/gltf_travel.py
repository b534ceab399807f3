#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Lets a glTF clip that walks on the spot get somewhere: a node above all others moves steadily.

usage: gltf_travel.py IN CLIP OUT.glb VX VY VZ     metres a second, scene axes

Everything else of the file stays; external buffers are taken into the GLB.
"""

import argparse
import json
import struct

import numpy as np

import gltf


def add_travel(doc, clip, velocity, target, unit=1.0):
    """Writes `doc` as a GLB whose clip (index) moves by `velocity` [m/s]; unit: metres a scene unit."""
    tree = json.loads(doc.text.decode("utf-8"))
    blob, starts = b"", []
    for i in range(len(tree.get("buffers", []))):
        starts.append(len(blob))
        data = doc.buffer(i)[:tree["buffers"][i]["byteLength"]]
        blob += data + b"\0" * (-len(data) % 4)
    for view in tree.get("bufferViews", []):
        view["byteOffset"] = view.get("byteOffset", 0) + starts[view["buffer"]]
        view["buffer"] = 0
    times = doc.clip(clip).times()
    keys = np.array([times[0], times[-1]], "<f4")
    places = np.outer(keys - keys[0], np.asarray(velocity) / unit).astype("<f4")
    views, accessors = tree["bufferViews"], tree["accessors"]
    for values, kind in ((keys, "SCALAR"), (places, "VEC3")):
        views.append({"buffer": 0, "byteOffset": len(blob), "byteLength": values.nbytes})
        entry = {"bufferView": len(views) - 1, "componentType": 5126, "count": 2, "type": kind}
        if kind == "SCALAR":
            entry.update(min=[float(keys[0])], max=[float(keys[1])])
        accessors.append(entry)
        blob += values.tobytes()
    tree["buffers"] = [{"byteLength": len(blob)}]
    roots = [i for i, parent in enumerate(doc.parents) if parent < 0]
    tree["nodes"].append({"name": "travel", "children": roots})
    for scene in tree.get("scenes", []):
        scene["nodes"] = [len(tree["nodes"]) - 1]
    animation = tree["animations"][clip]
    animation["samplers"].append({"input": len(accessors) - 2, "output": len(accessors) - 1, "interpolation": "LINEAR"})
    animation["channels"].append({"sampler": len(animation["samplers"]) - 1,
                                  "target": {"node": len(tree["nodes"]) - 1, "path": "translation"}})
    text = json.dumps(tree).encode()
    text += b" " * (-len(text) % 4)
    blob += b"\0" * (-len(blob) % 4)
    with open(target, "wb") as file:
        file.write(b"glTF" + struct.pack("<II", 2, 28 + len(text) + len(blob)))
        file.write(struct.pack("<II", len(text), gltf.JSON_CHUNK) + text)
        file.write(struct.pack("<II", len(blob), gltf.BIN_CHUNK) + blob)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("clip", help="name or number")
    parser.add_argument("target")
    parser.add_argument("velocity", nargs=3, type=float)
    args = parser.parse_args()
    doc = gltf.Document(args.source)
    clip = doc.clip(int(args.clip) if args.clip.isdigit() else args.clip).index
    add_travel(doc, clip, args.velocity, args.target)


if __name__ == "__main__":
    main()
