# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Samples of what passes through untouched, what cannot be read, and odd spellings of the text."""

import json
import re

import numpy as np

from gltf_build import FLOAT, Doc, dump, pack_glb, sample, single
from gltf_figure import Walk

# what passes through, and what cannot be read


def _compressed_view(doc, count):
    """A view whose bytes only a decoder knows; its fallback buffer has none."""
    junk = doc.view(bytes(range(64)))
    size = count * 16
    doc.json["buffers"].append({"byteLength": size, "extensions": {"EXT_meshopt_compression": {"fallback": True}}})
    view = doc.json["bufferViews"][junk]
    doc.json["bufferViews"].append({
        "buffer": 1, "byteLength": size, "extensions": {"EXT_meshopt_compression": {
            "buffer": 0, "byteOffset": view["byteOffset"], "byteLength": view["byteLength"], "byteStride": 16,
            "count": count, "mode": "ATTRIBUTES"}}})
    doc.json["extensionsUsed"] = ["EXT_meshopt_compression"]
    return len(doc.json["bufferViews"]) - 1


@sample
def meshopt_on_clip():
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk)
    doc.walk(walk, nodes, "sound")
    a = doc.walk(walk, nodes, "packed", skip=(1,))
    view = _compressed_view(doc, len(walk.times))
    doc.json["accessors"].append({"componentType": FLOAT, "type": "VEC4", "count": len(walk.times), "bufferView": view})
    doc.channel(a, nodes[1], "rotation", doc.json["animations"][a]["samplers"][0]["input"],
                len(doc.json["accessors"]) - 1)
    return single("meshopt_on_clip.glb", doc.glb(), clips=["sound", "packed"], problem={1: "meshopt"})


@sample
def meshopt_on_mesh():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk))
    view = _compressed_view(doc, 8)
    doc.json["accessors"].append({"componentType": FLOAT, "type": "VEC4", "count": 8, "bufferView": view})
    doc.json["meshes"][0]["primitives"][0]["attributes"]["TANGENT"] = len(doc.json["accessors"]) - 1
    doc.json["extensionsRequired"] = ["EXT_meshopt_compression"]
    return single("meshopt_on_mesh.glb", doc.glb())


def _pointer(doc, animation, pointer, values):
    doc.channel(animation, 0, "translation", [0.0, 1.0], values)
    doc.json["animations"][animation]["channels"][-1]["target"] = {
        "path": "pointer", "extensions": {"KHR_animation_pointer": {"pointer": pointer}}}
    doc.json["extensionsUsed"] = ["KHR_animation_pointer"]


@sample
def pointer_on_joint():
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk)
    a = doc.walk(walk, nodes, skip=(2,))
    _pointer(doc, a, "/nodes/%d/rotation" % nodes[2], [[0, 0, 0, 1], [0, 0, 1, 0]])
    return single("pointer_on_joint.glb", doc.glb(), problem={0: "KHR_animation_pointer"})


@sample
def pointer_elsewhere():
    doc, walk = Doc(), Walk()
    doc.json["materials"] = [{"name": "Skin"}]
    nodes = doc.figure(walk)
    a = doc.walk(walk, nodes)
    _pointer(doc, a, "/materials/0/pbrMetallicRoughness/baseColorFactor", [[0, 0, 0, 1], [1, 1, 1, 1]])
    return single("pointer_elsewhere.glb", doc.glb())


@sample
def morphs_and_cameras():
    """Weights and a camera in the same clip; a morph channel with more keys than any joint."""
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk)
    a = doc.walk(walk, nodes)
    primitive = doc.json["meshes"][0]["primitives"][0]
    primitive["targets"] = [{"POSITION": doc.accessor([[0, 0, 0.01]] * 3, bounds=True, target=34962)} for _ in range(2)]
    doc.json["meshes"][0].update(weights=[0.25, 0.5], extras={"targetNames": ["smile", "frown"]})
    body = len(doc.json["nodes"]) - 1
    times = np.linspace(0, walk.times[-1], 200)
    doc.channel(a, body, "weights", times, np.abs(np.sin(np.arange(400) * 0.01)))
    camera = doc.node(name="Camera", camera=0)
    doc.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 1.0, "znear": 0.1}}]
    doc.json["nodes"][nodes[walk.names.index("Head")]]["children"] = [camera]
    doc.channel(a, camera, "rotation", [0.0, 2.0], [[0, 0, 0, 1], [0, 1, 0, 0]])
    return single("morphs_and_cameras.glb", doc.glb())


@sample
def unknown_chunks():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk))
    return single("unknown_chunks.glb", doc.glb(chunks=[(0x54534554, b"one chunk"), (0x00000001, b"\0" * 12),
                                                        (0xFFFFFFFF, bytes(range(256)))]))


@sample
def chunk_without_binary():
    doc, walk = Doc(), Walk(frames=40)
    doc.walk(walk, doc.figure(walk))
    out = doc.clean()
    out["buffers"][0]["uri"] = doc.data_uri()
    return single("chunk_without_binary.glb", pack_glb(dump(out), b"", [(0x54534554, b"no BIN before me")]))


def dressed(doc):
    """Extras and unknown extensions on everything, members in odd order."""
    extras = {"who": "x", "n": [1.0, None, True, {"deep": [[[]]]}], "": 0}
    doc["extensionsUsed"] = ["X_surefoot_test"]
    extension = {"X_surefoot_test": {"nodes": [7, 8], "animations": "none", "matrix": [1e0]}}

    def dress(value, depth=0):
        if isinstance(value, dict):
            for v in list(value.values()):
                dress(v, depth + 1)
            if depth and not value.keys() & {"attributes", "POSITION", "JOINTS_0", "who", "X_surefoot_test"}:
                value["extras"], value["extensions"] = extras, extension
            for key in sorted(value, key=lambda k: hash_of(k)):
                value[key] = value.pop(key)
        elif isinstance(value, list):
            for v in value:
                dress(v, depth + 1)

    dress({k: v for k, v in doc.items() if k != "extensionsUsed"}, 0)
    doc["extras"], doc["extensions"] = extras, extension
    return {key: doc[key] for key in sorted(doc, key=hash_of)}


def hash_of(text):
    """An order that is the same everywhere and looks like none."""
    value = 2166136261
    for byte in text.encode():
        value = (value ^ byte) * 16777619 % 2 ** 32
    return value


def odd_numbers(text):
    """The same numbers in other spellings, by turns."""
    turn = [0]

    def spell(found):
        turn[0] += 1
        number = found.group(0)
        if "." in number and "e" not in number:
            return number + "0" * (turn[0] % 3) if turn[0] % 4 else number + ("e0", "E+0", "e-00")[turn[0] % 3]
        return number if "." in number or turn[0] % 5 or "-" in number else number + ("", ".0", "e0")[turn[0] % 3]

    return re.sub(rb"(?<=[:,\[ \t\n])-?[0-9]+(?:\.[0-9]+)?(?:e[+-]?[0-9]+)?(?=[,\]} \t\r\n])",
                  lambda m: spell_bytes(m, spell), text)


def spell_bytes(found, spell):
    class Text:
        @staticmethod
        def group(_):
            return found.group(0).decode()
    return spell(Text).encode()


@sample
def odd_text():
    """Extras and extensions everywhere, odd order, tabs, CRLF, odd number texts. The validator takes 1.0 for no
    integer, so that only fractions are spelled oddly here."""
    doc, walk = Doc(), Walk(frames=45)
    doc.walk(walk, doc.figure(walk))
    out = dressed(doc.clean())
    text = json.dumps(out, indent="\t", separators=(" ,", "\t: ")).replace("\n", "\r\n").encode()
    text = re.sub(rb"(?<=\t)-?[0-9]+\.[0-9]+(?=[ \r])", lambda m: m.group(0) + b"0", text)
    text = text.replace(b"\t1.00", b"\t1.0e0").replace(b"\t0.00", b"\t0e-0")
    return single("odd_text.glb", doc.glb(b" \r\n" + text + b"\r\n\t"))


@sample
def odd_integers():
    """Indices written 1.0 and 1e0, which JSON takes for the same numbers."""
    doc, walk = Doc(), Walk(frames=45)
    doc.walk(walk, doc.figure(walk))
    return single("odd_integers.glb", doc.glb(odd_numbers(dump(doc.clean(), 1))))


@sample
def escaped_keys():
    """Members and values spelled with escapes: \"n\\u006fdes\"."""
    doc, walk = Doc(), Walk(frames=45)
    doc.walk(walk, doc.figure(walk))
    text = dump(doc.clean())
    for plain, other in ((b'"nodes":[{', b'"n\\u006fdes":[{'), (b'"samplers"', b'"s\\u0061mplers"'),
                         (b'"rotation"', b'"rotati\\u006Fn"'), (b'"LINEAR"', b'"L\\u0049NEAR"'),
                         (b'"accessors"', b'"\\u0061ccessors"'), (b'"VEC4"', b'"\\u0056EC4"')):
        text = text.replace(plain, other)
    return single("escaped_keys.glb", doc.glb(text))


@sample
def padded_json():
    """A JSON chunk with more padding than it needs, a BIN chunk longer than its buffer."""
    doc, walk = Doc(), Walk(frames=45)
    doc.walk(walk, doc.figure(walk))
    text = dump(doc.clean()) + b" " * 21
    data = bytes(doc.bytes) + b"\0" * 3
    return single("padded_json.glb", pack_glb(text, data))
