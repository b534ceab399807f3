#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Hostile glTF files, and what must hold for a program that is given them.

usage: gltf_hostile.py SUREFOOT [--random N] [--seed S] [--only TEXT] [--keep FOLDER] [--no-limits]

Every case goes through info, convert (to itself and to BVH) and clean. Must hold: a documented exit code, an answer
within 5 s, memory within a few times the files plus a constant, on failure one located message and nothing written, and
nothing read from or written to other folders (a canary file lies there whose bytes would do). --no-limits is for
builds with sanitizers. Same seed, same files.
"""

import argparse
import atexit
import json
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile

import numpy as np

import gltf
import gltf_build
import leaks
from gltf_figure import Walk

SECONDS, TIMES, CONSTANT = 5.0, 10, 24 << 20
EXIT_DONE, EXIT_READ, EXIT_LAST = 0, 3, 6
LOCATED = re.compile(r":\d+:|byte|line|/[a-z]+|node|buffer|accessor|animation|chunk|skin|clip|joint|file|version|frame|begins", re.I)
LINK, PIPE, FOLDER = "link", "pipe", "folder"


class Case:
    """files: {name: bytes, or (LINK, target), (PIPE,), (FOLDER,)}. expect: 'error', 'read' or None for either."""

    def __init__(self, name, files, main="case.glb", expect=None):
        self.name, self.main, self.expect = name, main, expect
        self.files = files if isinstance(files, dict) else {main: files}

    def write(self, folder):
        for name, data in self.files.items():
            path = os.path.join(folder, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if isinstance(data, bytes):
                with open(path, "wb") as file:
                    file.write(data)
            elif data[0] == LINK:
                os.symlink(data[1], path)
            elif data[0] == PIPE:
                os.mkfifo(path)
            else:
                os.makedirs(path)
        return os.path.join(folder, self.main)


class Base:
    """A small sound document to spoil: JSON as a dict, buffer bytes."""

    def __init__(self, frames=12):
        doc, walk = gltf_build.Doc(), Walk(frames=frames)
        doc.walk(walk, doc.figure(walk))
        self.doc, self.bytes = doc.clean(), bytes(doc.bytes)
        self.text = gltf_build.dump(self.doc)

    def copy(self):
        return json.loads(self.text)

    def glb(self, doc=None, data=None, text=None):
        text = text if text is not None else gltf_build.dump(doc if doc is not None else self.doc)
        return gltf_build.pack_glb(text, self.bytes if data is None else data)

    def at(self, animation, channel):
        """(accessor of the keys, of the values) of a channel."""
        a = self.doc["animations"][animation]
        s = a["samplers"][a["channels"][channel]["sampler"]]
        return s["input"], s["output"]

    def patched(self, accessor, element, values):
        """Buffer bytes with float values written over an accessor from an element on."""
        a = self.doc["accessors"][accessor]
        v = self.doc["bufferViews"][a["bufferView"]]
        width = gltf.WIDTHS[a["type"]]
        at = v["byteOffset"] + 4 * width * element
        raw = np.float32(values).tobytes()
        return self.bytes[:at] + raw + self.bytes[at + len(raw):]


def put(doc, path, value):
    """Sets doc[path...] = value; path as a list."""
    for step in path[:-1]:
        doc = doc[step]
    doc[path[-1]] = value


def raw_json(doc, path, text):
    """JSON text with `text` as it stands in place of one value."""
    mark = "@@here@@"
    put(doc, path, mark)
    return gltf_build.dump(doc).replace(b'"' + mark.encode() + b'"', text if isinstance(text, bytes) else text.encode())


def containers(base):
    whole = base.glb()
    size = len(whole)
    json_size = struct.unpack_from("<I", whole, 12)[0]
    bin_at = 20 + json_size

    def at(offset, value, data=whole):
        return data[:offset] + struct.pack("<I", value & 0xFFFFFFFF) + data[offset + 4:]

    yield "magic", b"glTG" + whole[4:], "error"
    for v in (0, 1, 3, 0x02000000, 0xFFFFFFFF):
        yield "version %d" % v, at(4, v), "error"
    for v in (0, 1, 11, 12, 19, 20, size - 1, size + 1, size + 4, 1 << 31, 0xFFFFFFFF):
        yield "length %d" % v, at(8, v), None
    for v in (0, 1, json_size - 4, json_size - 1, json_size + 1, json_size + 4, size, 1 << 31, 0xFFFFFFFC, 0xFFFFFFFF):
        yield "JSON chunk of %d" % v, at(12, v), None
    for v in (0, 1, 4, size, 1 << 31, 0xFFFFFFFC, 0xFFFFFFFF):
        yield "BIN chunk of %d" % v, at(bin_at, v), "error"
    yield "JSON chunk of no type", at(16, 0), "error"
    yield "JSON chunk called BIN", at(16, gltf.BIN_CHUNK), "error"
    yield "BIN chunk of unknown type", at(bin_at + 4, 0x12345678), "error"
    yield "no BIN", at(8, bin_at, whole[:bin_at]), "error"
    yield "only a magic", b"glTF", "error"
    yield "nothing", b"", "error"
    yield "text in place of a GLB", base.text, None
    yield "zeros", bytes(4096), "error"
    places = sorted({0, 3, 4, 8, 11, 12, 13, 16, 19, 20, 21, bin_at - 1, bin_at, bin_at + 1, bin_at + 7, bin_at + 8,
                     bin_at + 9, size - 5, size - 4, size - 1})
    for n in places:
        yield "cut at %d" % n, whole[:n], "error"
        if n > 12:
            yield "cut at %d, length mended" % n, at(8, n, whole[:n]), None


def accessors(base):
    key, value = base.at(0, 3)
    view = base.doc["accessors"][value]["bufferView"]
    big = ("2147483647", "2147483648", "4294967295", "4294967296", "9007199254740993", "9223372036854775807",
           "9223372036854775808", "18446744073709551615", "18446744073709551616", "1e18", "1e308", "-1", "-1e30", "0.5", "0",
           '"12"', "null", "true", "[]", "{}", "1e999")
    for number in big:
        for path in (["accessors", value, "count"], ["accessors", key, "count"]):
            yield "%s %s" % ("/".join(map(str, path)), number), base.glb(text=raw_json(base.copy(), path, number)), "error"
    # a member that wraps around to a place that exists
    for number in ("4294967292", "4294967296", "9007199254740992", "18446744073709551612", "18446744073709551616", "-4",
                   "0.5", "1e300", '"0"'):
        for path in (["accessors", value, "byteOffset"], ["bufferViews", view, "byteOffset"],
                     ["bufferViews", view, "byteLength"]):
            yield "%s %s" % ("/".join(map(str, path)), number), base.glb(text=raw_json(base.copy(), path, number)), "error"
    for number in ("2147483648", "4294967296", "18446744073709551616", "-1", "1.5", "null"):
        yield "buffer of " + number, base.glb(text=raw_json(base.copy(), ["buffers", 0, "byteLength"], number)), "error"
    for number in ("0", "1", "3", "253", "4294967296", "-16", "1073741824", "0.5"):
        yield "stride " + number, base.glb(text=raw_json(base.copy(), ["bufferViews", view, "byteStride"], number)), None
    for number in ("0", "5124", "5126.5", "-5126", "1e10", '"FLOAT"', "null"):
        yield "component " + number, base.glb(text=raw_json(base.copy(), ["accessors", value, "componentType"], number)), \
            "error"
    for text in ('"VEC5"', '"VEC3"', '"MAT4"', '"vec4"', '""', "4", "null"):
        yield "type " + text, base.glb(text=raw_json(base.copy(), ["accessors", value, "type"], text)), "error"
    for count in (2 ** 31 - 1, 2 ** 31, 2 ** 40):
        doc = base.copy()
        for i in (key, value):
            doc["accessors"][i].pop("bufferView")
            doc["accessors"][i]["count"] = count
        yield "%d zeros without a view" % count, base.glb(doc), "error"
        doc = base.copy()
        doc["accessors"][value]["count"] = count
        doc["accessors"][value].pop("bufferView")
        yield "%d values without a view" % count, base.glb(doc), "error"
    for count, start, kind in ((2 ** 31, 0, 5125), (13, 0, 5121), (0, 0, 5121), (-1, 0, 5121), (5, 2 ** 40, 5123), (2, 0, 5126)):
        doc = base.copy()
        doc["accessors"][value]["sparse"] = {
            "count": count, "indices": {"bufferView": view, "byteOffset": start, "componentType": kind},
            "values": {"bufferView": view}}
        yield "sparse %d at %d of %d" % (count, start, kind), base.glb(doc), "error" if count else None
    for rows in ([0, 0], [5, 2], [12, 13], [255, 255]):
        doc = base.copy()
        data = base.bytes + bytes(rows) + b"\0\0" + np.float32([0, 0, 0, 1] * 2).tobytes()
        doc["bufferViews"] += [{"buffer": 0, "byteOffset": len(base.bytes), "byteLength": 2},
                               {"buffer": 0, "byteOffset": len(base.bytes) + 4, "byteLength": 32}]
        doc["buffers"][0]["byteLength"] = len(data)
        n = len(doc["bufferViews"])
        doc["accessors"][value]["sparse"] = {"count": 2, "indices": {"bufferView": n - 2, "componentType": 5121},
                                             "values": {"bufferView": n - 1}}
        yield "sparse rows %s" % rows, base.glb(doc, data), "error" if max(rows) > 11 else None


def indices(base):
    places = (["scenes", 0, "nodes", 0], ["nodes", 0, "children", 0], ["skins", 0, "joints", 1],
              ["animations", 0, "channels", 3, "sampler"], ["animations", 0, "channels", 3, "target", "node"],
              ["animations", 0, "samplers", 3, "input"], ["animations", 0, "samplers", 3, "output"],
              ["accessors", 8, "bufferView"], ["bufferViews", 8, "buffer"], ["scene"], ["skins", 0, "skeleton"],
              ["skins", 0, "inverseBindMatrices"], ["nodes", 21, "mesh"], ["nodes", 21, "skin"])
    soft = (["scene"], ["skins", 0, "skeleton"], ["skins", 0, "inverseBindMatrices"], ["nodes", 21, "mesh"],
            ["nodes", 21, "skin"], ["scenes", 0, "nodes", 0], ["accessors", 8, "bufferView"], ["bufferViews", 8, "buffer"],
            ["skins", 0, "joints", 1])
    for path in places:
        for number in ("-1", "0.5", "99", "2147483648", "4294967296", "18446744073709551616", "1e999", '"0"', "null", "[0]"):
            yield "%s = %s" % ("/".join(map(str, path)), number), base.glb(text=raw_json(base.copy(), path, number)), \
                None if path in soft else "error"


def trees(base):
    def nodes(children, **more):
        doc = base.copy()
        doc["nodes"] = [dict({"name": "n%d" % i}, **({"children": c} if c else {})) for i, c in enumerate(children)]
        doc.pop("animations")
        doc.pop("skins")
        doc["scenes"] = [{"nodes": [0]}]
        doc.update(more)
        return base.glb(doc)

    yield "its own child", nodes([[0]]), "error"
    yield "ring of two", nodes([[1], [0]]), "error"
    yield "ring beside a tree", nodes([[1], [], [3], [2]]), "error"
    yield "diamond", nodes([[1, 2], [3], [3], []]), "error"
    yield "a child twice", nodes([[1, 1], []]), "error"
    yield "the last closes a ring", nodes([[i + 1] for i in range(999)] + [[0]]), "error"
    yield "chain of 3000", nodes([[i + 1] for i in range(2999)] + [[]]), None
    yield "chain of 100000", nodes([[i + 1] for i in range(99999)] + [[]]), None
    yield "100000 side by side", nodes([list(range(1, 100000))] + [[]] * 99999), None
    yield "100000 roots", nodes([[]] * 100000, scenes=[{"nodes": list(range(100000))}]), None
    yield "a skin that names a joint twice", nodes([[1], []], skins=[{"joints": [1, 1, 0]}]), None
    yield "100000 skins of one joint", nodes([[]], skins=[{"joints": [0]}] * 100000), None
    many = [{"samplers": [], "channels": []}] * 50000
    yield "50000 empty animations", nodes([[]], animations=many), None
    doc = base.copy()
    doc["animations"][0]["channels"] = doc["animations"][0]["channels"] * 3000
    yield "60000 channels of the same targets", base.glb(doc), None
    doc = base.copy()
    doc["skins"] = [dict(doc["skins"][0]) for _ in range(3000)]
    yield "3000 skins of all joints", base.glb(doc), None


def texts(base):
    t = base.text
    deep = 100000
    yield "deep arrays", base.glb(text=b"[" * deep), "error"
    yield "deep objects", base.glb(text=b'{"a":' * deep), "error"
    yield "deep extras", base.glb(text=t[:-1] + b',"extras":' + b"[" * deep + b"]" * deep + b"}"), None
    yield "deep objects in extras", base.glb(text=t[:-1] + b',"extras":' + b'{"a":' * deep + b"1" + b"}" * deep + b"}"), None
    for text in ("NaN", "Infinity", "-Infinity", "0x10", "01", ".5", "5.", "+1", "1e", "1e+", "-", "--1", "1.0.0", "1e5.0",
                 "1_000", "tru", "nul", "'a'", "undefined", "1 2", "\xff"):
        yield "number %r" % text, base.glb(text=raw_json(base.copy(), ["nodes", 0, "translation", 0], text)), "error"
    for text in ("1e999", "-1e999", "1e40", "1" * 100000, "null", '"1"', "[]", "1e99999999999999999999"):
        yield "translation %s" % text[:24], base.glb(text=raw_json(base.copy(), ["nodes", 0, "translation", 0], text)), None
    for text in ("1e-999", "0." + "0" * 100000 + "1", "-0", "1E0", "0e999"):
        yield "small number %s" % text[:24], base.glb(text=raw_json(base.copy(), ["nodes", 0, "translation", 0], text)), "read"
    for member, value in (("rotation", [0, 0, 0, 0]), ("rotation", [0, 0, 0]), ("rotation", [1e300] * 4), ("scale", [0, 0, 0]),
                          ("scale", [1e-300] * 3), ("translation", []), ("translation", [1, 2, 3, 4]), ("matrix", [0] * 16),
                          ("matrix", [1] * 15), ("matrix", [1e300] * 16), ("children", []), ("children", {}), ("name", 7)):
        doc = base.copy()
        doc["nodes"][1][member] = value
        if member == "children":
            doc["nodes"][1].pop("children")
            doc["nodes"][1]["children"] = value
        yield "node %s %s" % (member, str(value)[:30]), base.glb(doc), None
    for name, raw in (("bytes ff", b"\xff\xfe"), ("overlong", b"\xc0\xaf"), ("surrogate bytes", b"\xed\xa0\x80"),
                      ("beyond unicode", b"\xf5\x80\x80\x80"), ("cut", b"\xe6\xad")):
        yield "name of " + name, base.glb(text=t.replace(b'"Hips"', b'"' + raw + b'"')), None
    for name, raw in (("lone surrogate", b"\\ud800"), ("turned surrogates", b"\\udc00\\ud800"), ("zero", b"\\u0000"),
                      ("line ends", b"a\\nb\\rc\\u2028"), ("escape codes", b"\\u001b[2J\\u001b]0;x\\u0007"),
                      ("a megabyte", b"x" * (1 << 20)), ("nothing", b""), ("percent", b"%s%n%1000000d")):
        yield "name of " + name, base.glb(text=t.replace(b'"Hips"', b'"' + raw + b'"')), None
    for name, raw in (("control", b"a\x01b"), ("line end", b"a\nb"), ("bad escape", b"\\x41"), ("short escape", b"\\u12"),
                      ("open end", b'a\\')):
        yield "string with " + name, base.glb(text=t.replace(b'"Hips"', b'"' + raw + b'"')), "error"
    yield "BOM", base.glb(text=b"\xef\xbb\xbf" + t), None
    yield "UTF-16", Case("", {"case.gltf": t.decode().encode("utf-16")}, "case.gltf"), "error"
    yield "zero in the text", base.glb(text=t[:40] + b"\0" + t[40:]), "error"
    yield "comment", base.glb(text=t[:-1] + b"/* x */}"), "error"
    yield "comma at the end", base.glb(text=t[:-1] + b",}"), "error"
    yield "two documents", base.glb(text=t + t), "error"
    yield "text after it", base.glb(text=t + b" x"), "error"
    yield "nodes twice", base.glb(text=t[:-1] + b',"nodes":[]}'), None
    yield "asset twice", base.glb(text=t[:-1] + b',"asset":{"version":"9"}}'), None
    for version in (b'"1.0"', b'"3.0"', b'"2"', b'"two"', b"2.0", b"null", b'""'):
        yield "version %s" % version.decode(), base.glb(text=t.replace(b'"version":"2.0"', b'"version":' + version)), None
    doc = base.copy()
    doc.pop("asset")
    yield "no asset", base.glb(doc), "error"
    doc = base.copy()
    doc["asset"]["minVersion"] = "2.9"
    yield "minVersion", base.glb(doc), None
    doc = base.copy()
    doc["extensionsRequired"] = ["X_unheard_of"] * 3
    yield "required extension", base.glb(doc), None
    for key in ("nodes", "scenes", "skins", "animations", "accessors", "bufferViews", "buffers", "asset"):
        for value in (b"null", b"{}", b"[]", b"7", b'"x"', b"[null]", b"[7]", b"[[]]", b"[{}]"):
            yield "%s is %s" % (key, value.decode()), base.glb(text=raw_json(base.copy(), [key], value)), None


def keys(base):
    key, value = base.at(0, 3)
    n = 12
    nan, inf = float("nan"), float("inf")
    yield "NaN in a rotation", base.glb(data=base.patched(value, 4, [nan])), None
    yield "Inf in a rotation", base.glb(data=base.patched(value, 4, [inf])), None
    yield "a zero rotation", base.glb(data=base.patched(value, 4, [0, 0, 0, 0])), None
    yield "all zero rotations", base.glb(data=base.patched(value, 0, [0] * (4 * n))), None
    yield "rotation of 1e38", base.glb(data=base.patched(value, 4, [1e38] * 4)), None
    yield "rotation of 1e-40", base.glb(data=base.patched(value, 4, [1e-40] * 4)), None
    hips = base.at(0, 0)[1]
    for v in (nan, inf, 3e38, -3e38, 1e30, 1e-45):
        yield "travel of %g" % v, base.glb(data=base.patched(hips, 4, [v])), None
    for name, times in (("falling", np.arange(n)[::-1]), ("equal", [1] * n), ("two equal", [0, 1, 2, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
                        ("NaN", [0, nan] + list(range(2, n))), ("Inf", list(range(n - 1)) + [inf]), ("-Inf", [-inf] + list(range(1, n))),
                        ("NaN first", [nan] + list(range(1, n)))):
        yield "times " + name, base.glb(data=base.patched(key, 0, times)), None
    for name, times in (("negative", np.arange(n) - 5.0), ("far", np.arange(n) + 1e7), ("days", np.arange(n) * 1e9),
                        ("beyond", np.arange(n) * 1e37), ("tiny", np.arange(n) * 1e-30), ("denormal", np.arange(n) * 1e-45),
                        ("one long step", [0, 1e-3, 2e-3, 3e-3, 4e-3, 5e-3, 6e-3, 7e-3, 8e-3, 9e-3, 1e-2, 1e9])):
        yield "times " + name, base.glb(data=base.patched(key, 0, times)), None
    # an even dense channel that another one makes very long
    doc = base.copy()
    doc["accessors"].append({"componentType": 5126, "type": "SCALAR", "count": 2, "bufferView": len(doc["bufferViews"])})
    doc["bufferViews"].append({"buffer": 0, "byteOffset": len(base.bytes), "byteLength": 8})
    doc["buffers"][0]["byteLength"] = len(base.bytes) + 8
    doc["accessors"].append(dict(doc["accessors"][value], count=2))
    sampler = doc["animations"][0]["samplers"][5]
    sampler["input"], sampler["output"] = len(doc["accessors"]) - 2, len(doc["accessors"]) - 1
    for last in (2.0, 1e6, 1e12, 3e38):
        data = base.patched(key, 0, np.arange(n) * 1e-3) + np.float32([0, last]).tobytes()
        yield "dense keys, and one at %g s" % last, base.glb(doc, data), None
    for count in (0, 1, 11, 13):
        doc = base.copy()
        doc["accessors"][value]["count"] = count
        yield "%d values for 12 keys" % count, base.glb(doc), None
    for member, edit in (
            ("no node", lambda c: c["target"].pop("node")), ("no path", lambda c: c["target"].pop("path")),
            ("path x", lambda c: c["target"].update(path="x")), ("path 7", lambda c: c["target"].update(path=7)),
            ("no target", lambda c: c.pop("target")), ("no sampler", lambda c: c.pop("sampler")),
            ("pointer without extension", lambda c: c["target"].update(path="pointer")),
            ("scale", lambda c: c["target"].update(path="scale")), ("weights", lambda c: c["target"].update(path="weights"))):
        doc = base.copy()
        edit(doc["animations"][0]["channels"][3])
        yield "channel: " + member, base.glb(doc), None
    for name in ("CATMULL", "cubicspline", "CUBICSPLINE", "", 7, None):
        doc = base.copy()
        doc["animations"][0]["samplers"][3]["interpolation"] = name
        yield "interpolation %r" % name, base.glb(doc), None
    for samplers, channels in (([], None), (None, []), ([], []), ({}, {}), ([{}], None)):
        doc = base.copy()
        a = doc["animations"][0]
        a["samplers"] = a["samplers"] if samplers is None else samplers
        a["channels"] = a["channels"] if channels is None else channels
        yield "samplers %s, channels %s" % (samplers, channels if channels is not None else "kept"), base.glb(doc), None


def uris(base, secret):
    """secret: path of a file outside, whose bytes would do."""
    folder = os.path.dirname(secret)
    name = os.path.basename(secret)
    for uri in ("../" + name, "%2e%2e/" + name, "..%2f" + name, "%2e%2e%2f" + name, "..\\" + name, "..%5c" + name,
                "x/../../" + name, "x/%2e%2e/%2e%2e/" + name, "./../" + name, ".../../../" + name, secret, "/" + secret,
                "%2f" + secret[1:], "file://" + secret, "file:" + secret, "file:///" + secret, "FILE://" + secret,
                "file:" + name, "http://localhost/" + name, "https://localhost/" + name, "//localhost" + secret,
                "ftp://x/" + name, "C:\\" + name, "C:/" + name, "c:" + name, "\\\\host\\share\\" + name, "~/" + name,
                name + "\\u0000", name + "%00", "%00", "", ".", "..", "/", "./", "%", "%2", "%zz", "a%", "?" + name,
                "#" + name, "nowhere.bin", "case.gltf/x", "link.bin", "linked/" + name, "link2.bin", "pipe.bin", "folder",
                "zero.bin", "dangling.bin", "ring.bin", "\\ud800.bin", "a" * 5000, "a/" * 3000 + "b", "\\n", " "):
        doc = base.copy()
        doc["buffers"][0]["uri"] = "@@"
        text = gltf_build.dump(doc).replace(b'"@@"', b'"' + uri.replace("\\", "\\\\").replace("\\\\u", "\\u").replace(
            "\\\\n", "\\n").encode("utf-8", "surrogatepass") + b'"')
        yield "URI %s" % uri[:60], Case("", {
            "case.gltf": text, "link.bin": (LINK, "../" + name), "linked": (LINK, folder), "link2.bin": (LINK, "link.bin"),
            "zero.bin": (LINK, "/dev/zero"), "dangling.bin": (LINK, "not there"), "ring.bin": (LINK, "ring.bin"),
            "pipe.bin": (PIPE,), "folder": (FOLDER,)}, "case.gltf"), "error"
    for uri in ("../out.png", "%2e%2e/out.png", "/tmp/out.png", "..\\out.png", "file:///etc/passwd", "link.png", "a/../../x.png"):
        doc = base.copy()
        doc["images"] = [{"uri": uri}]
        doc["buffers"][0]["uri"] = "case.bin"
        yield "image %s" % uri, Case("", {"case.gltf": gltf_build.dump(doc), "case.bin": base.bytes,
                                          "link.png": (LINK, "../" + name)}, "case.gltf"), None
    whole = gltf_build.Doc()
    whole.bytes = base.bytes
    body = whole.data_uri().split(",", 1)[1]
    for title, uri in (("padded wrongly", "data:;base64," + body + "==="), ("cut", "data:;base64," + body[:-9]),
                       ("of a bad character", "data:;base64," + body[:100] + "*" + body[101:]), ("empty", "data:"),
                       ("without data", "data:,"), ("of nothing", "data:;base64,"), ("of padding", "data:;base64,===="),
                       ("bad escapes", "data:;base64," + "%G1%" * 200), ("escape at the end", "data:;base64," + body + "%"),
                       ("without comma", "data:;base64" + body), ("huge and wrong", "data:;base64," + "A" * 3000001),
                       ("huge padding", "data:;base64," + body + "=" * 1000000), ("inner padding", "data:;base64," + "AA==" * 2000),
                       ("percent only", "data:," + "%00" * len(base.bytes)), ("percent cut", "data:," + "%0" * 100),
                       ("other charset", "data:text/plain;charset=utf-7;base64," + body)):
        doc = base.copy()
        doc["buffers"][0]["uri"] = uri
        yield "data URI " + title, Case("", {"case.gltf": gltf_build.dump(doc)}, "case.gltf"), None


STRANGE = ("null", "true", "-1", "0", "1", "0.5", "99", "4294967295", "4294967296", "1e300", "1e999", '""', '"x"', "[]", "{}",
           "[0]", '[[]]', '{"a":1}', "18446744073709551617")


def mutations(base, rng, count):
    """Random edits: of values of the JSON, of bytes of its text, of the buffer, of the container."""
    def walk(value, path, out):
        out.append(path)
        if isinstance(value, dict):
            for k, v in value.items():
                walk(v, path + [k], out)
        elif isinstance(value, list):
            for k, v in enumerate(value):
                walk(v, path + [k], out)

    places = []
    walk(base.doc, [], places)
    places = places[1:]
    whole = base.glb()
    for n in range(count):
        kind = n % 5
        if kind == 0:  # some values replaced
            doc = base.copy()
            text = None
            for _ in range(rng.randint(1, 3)):
                path = rng.choice(places)
                try:
                    text = raw_json(doc if text is None else json.loads(text), path, rng.choice(STRANGE))
                    json.loads(text)
                except (KeyError, IndexError, TypeError, ValueError, OverflowError):
                    pass
            yield "random %d: values" % n, base.glb(text=text if text is not None else base.text), None
        elif kind == 1:  # a member or element dropped or doubled
            doc = base.copy()
            path = rng.choice(places)
            holder = doc
            for step in path[:-1]:
                holder = holder[step]
            if isinstance(holder, list) and rng.random() < 0.5:
                holder.insert(path[-1], holder[rng.randrange(len(holder))])
            else:
                del holder[path[-1]]
            yield "random %d: members" % n, base.glb(doc), None
        elif kind == 2:  # bytes of the text
            text = bytearray(base.text)
            for _ in range(rng.randint(1, 6)):
                at = rng.randrange(len(text))
                what = rng.randrange(3)
                if what == 0:
                    text[at] = rng.randrange(256)
                elif what == 1:
                    del text[at:at + rng.randint(1, 8)]
                else:
                    text[at:at] = bytes(rng.choice(b'{}[],:"0-9.eE\\/ \n') for _ in range(rng.randint(1, 4)))
            yield "random %d: text" % n, base.glb(text=bytes(text)), None
        elif kind == 3:  # numbers of the buffer
            data = bytearray(base.bytes)
            for _ in range(rng.randint(1, 20)):
                at = rng.randrange(len(data) // 4) * 4
                data[at:at + 4] = rng.choice((b"\0\0\xc0\x7f", b"\0\0\x80\x7f", b"\0\0\0\0", b"\xff\xff\x7f\x7f", b"\1\0\0\0",
                                              bytes(rng.randrange(256) for _ in range(4))))
            yield "random %d: numbers" % n, base.glb(data=bytes(data)), None
        else:  # the container
            data = bytearray(whole)
            if rng.random() < 0.5:
                del data[rng.randrange(len(data)):]
            for _ in range(rng.randint(0, 3)):
                at = rng.choice((rng.randrange(24), rng.randrange(len(whole))))
                if at < len(data):
                    data[at] = rng.randrange(256)
            yield "random %d: container" % n, bytes(data), None


def cases(secret, random_count=60, seed=1):
    """Case objects. secret: path of the canary; write it with `canary` first."""
    base = Base()
    for title, group in (("container", containers(base)), ("accessor", accessors(base)), ("index", indices(base)),
                         ("tree", trees(base)), ("text", texts(base)), ("keys", keys(base)), ("uri", uris(base, secret)),
                         ("mutation", mutations(base, random.Random(seed), random_count))):
        for name, data, expect in group:
            case = data if isinstance(data, Case) else Case("", data)
            case.name, case.expect = "%s: %s" % (title, name), expect
            yield case


def canary(secret):
    with open(secret, "wb") as file:
        file.write(Base().bytes)


# Starts programs from a small process, since the system counts the peak memory of who starts one in.
STARTER = r"""
import json, os, resource, sys, time
for line in sys.stdin:
    job = json.loads(line)
    limit = job["memory"] or resource.RLIM_INFINITY
    resource.setrlimit(resource.RLIMIT_AS, (limit, resource.RLIM_INFINITY))
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
    start = time.monotonic()
    own = {**os.environ, "ASAN_OPTIONS": job["asan"]} if job["asan"] else os.environ
    pid = os.posix_spawn(job["command"][0], job["command"], own, file_actions=[
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0), (os.POSIX_SPAWN_OPEN, 1, job["out"], flags, 0o600),
        (os.POSIX_SPAWN_OPEN, 2, job["err"], flags, 0o600)])
    done, status, usage = os.wait4(pid, os.WNOHANG)
    while not done:
        seconds = time.monotonic() - start
        if seconds > job["seconds"]:
            os.kill(pid, 9)
        time.sleep(0.001 if seconds < 0.05 else 0.01)
        done, status, usage = os.wait4(pid, os.WNOHANG)
    print(json.dumps([os.waitstatus_to_exitcode(status), time.monotonic() - start, usage.ru_maxrss * 1024,
                      usage.ru_utime + usage.ru_stime]), flush=True)
"""


class Run:
    """One run of the program: exit code (negative: a signal), seconds, seconds of the processor, peak memory, what it
    said."""

    starter = folder = None

    def __init__(self, command, limits=True, seconds=30):
        if Run.starter is None:
            Run.folder = tempfile.TemporaryDirectory(prefix="surefoot-run-")
            Run.starter = subprocess.Popen([sys.executable, "-S", "-E", "-c", STARTER], stdin=subprocess.PIPE,
                                           stdout=subprocess.PIPE)
            atexit.register(Run.stop)
        out, err = (os.path.join(Run.folder.name, n) for n in ("out", "err"))
        job = {"command": command, "out": out, "err": err, "seconds": seconds, "memory": 4 << 30 if limits else 0,
               "asan": leaks.options()}
        Run.starter.stdin.write(json.dumps(job).encode() + b"\n")
        Run.starter.stdin.flush()
        self.code, self.seconds, self.memory, self.cpu = json.loads(Run.starter.stdout.readline())
        with open(out, "rb") as file:
            self.out = file.read(1 << 20)
        with open(err, "rb") as file:
            self.err = file.read(1 << 20)

    @staticmethod
    def stop():
        Run.starter.stdin.close()
        Run.starter.wait()
        Run.starter.stdout.close()
        Run.folder.cleanup()


def tree_of(folder):
    out = {}
    for path, _, names in os.walk(folder):
        for name in names:
            full = os.path.join(path, name)
            out[os.path.relpath(full, folder)] = os.lstat(full).st_mtime_ns
    return out


def judge(program, case, root, limits=True, only=()):
    """Findings of one case, as texts. root holds the canary, and gets folders in/ and out/. only: commands to run."""
    source, target = os.path.join(root, "in"), os.path.join(root, "out")
    for folder in (source, target):
        shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(source)
    path = case.write(source)
    size = sum(len(d) for d in case.files.values() if isinstance(d, bytes))
    before, findings = tree_of(root), []
    ending = os.path.splitext(path)[1]
    commands = [("info", ["info", path]), ("convert", ["convert", path, "-o", os.path.join(target, "x" + ending)]),
                ("bvh", ["convert", path, "-o", os.path.join(target, "x.bvh")]),
                ("clean", ["clean", path, "-o", os.path.join(target, "y" + ending)])]
    codes = {}
    for name, arguments in commands:
        if only and name not in only:
            continue
        shutil.rmtree(target, ignore_errors=True)
        os.makedirs(target)
        run = Run([program] + arguments, limits)
        codes[name] = run.code
        text = run.err.decode("utf-8", "replace").strip()
        say = lambda what: findings.append("%s: %s: %s [exit %d, %.2f s, %d MB] %s" % (
            case.name, name, what, run.code, run.seconds, run.memory >> 20, text[:300]))
        if run.code < 0 or run.code > EXIT_LAST:
            say("no documented exit code")
        if limits and run.cpu > SECONDS or run.seconds > 30:
            say("slow")
        if limits and run.memory > CONSTANT + TIMES * size:
            say("memory for %d bytes of file" % size)
        after = tree_of(root)
        fresh = [f for f in after if after[f] != before.get(f) and not f.startswith("out/")]
        if fresh or set(before) - set(after):
            say("wrote elsewhere: %s" % fresh)
        made = [f for f in after if f.startswith("out/")]
        if run.code == EXIT_DONE:
            if name != "info" and not made:
                say("says done, but wrote nothing")
            if any(".tmp" in f for f in made):
                say("left a temporary file")
        else:
            if made and run.code != 1:
                say("left %s" % made)
            if not text:
                say("no message")
            lines = [l for l in text.split("\n") if not re.match(r"surefoot: (warning|note)", l) and "warning" not in l]
            if len(lines) > 2:
                say("more than one message")
            if run.code == EXIT_READ and not LOCATED.search(re.sub(re.escape(path) + r"(?!:\d)", "", text)):
                say("the message does not say where")
        if "\x1b" in text or "\x00" in text or "\x1b" in run.out.decode("utf-8", "replace"):
            say("control characters reach the terminal")
    if case.expect == "error" and codes.get("bvh") == 0:
        findings.append("%s: must be refused, but was converted to BVH" % case.name)
    if case.expect == "read" and codes.get("info", 0) != 0:
        findings.append("%s: must be read, exit %d" % (case.name, codes["info"]))
    if codes.get("info") == EXIT_DONE and codes.get("convert", 0) not in (EXIT_DONE, 4):
        findings.append("%s: info reads it, convert to itself does not" % case.name)
    return findings


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("surefoot")
    parser.add_argument("--random", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--commands", nargs="+", choices=("info", "convert", "bvh", "clean"), default=())
    parser.add_argument("--keep", metavar="FOLDER", help="keep the files of cases with findings there")
    parser.add_argument("--no-limits", action="store_true")
    args = parser.parse_args()
    root = os.path.realpath(tempfile.mkdtemp(prefix="surefoot-hostile-"))
    secret = os.path.join(root, "secret.bin")
    canary(secret)
    count = bad = 0
    try:
        for case in cases(secret, args.random, args.seed):
            if args.only not in case.name:
                continue
            count += 1
            found = judge(os.path.abspath(args.surefoot), case, root, not args.no_limits, args.commands)
            bad += bool(found)
            for text in found:
                print(text, flush=True)
            if found and args.keep:
                case.write(os.path.join(args.keep, "%05d" % count))
    finally:
        shutil.rmtree(root, ignore_errors=True)
    print("%d cases, %d with findings" % (count, bad))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
