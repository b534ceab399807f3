# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Self-tests of the glTF judge: the reader against formulas, the comparison against files with one thing changed.

Run: /usr/bin/python3 -m unittest bench/judge/test_gltf.py
"""

import json
import os
import struct
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import gltf  # noqa: E402
import gltf_build  # noqa: E402
import gltf_compare  # noqa: E402
import gltf_samples  # noqa: E402
import gltf_spans  # noqa: E402
from gltf_figure import Walk, quaternion  # noqa: E402

# samples of the plain walk, by what a reader of the scene sees of a point (x, y, z) of the figure
PLAIN = ("linear", "step", "cubicspline_dense", "mixed_interpolation", "sparse_accessors", "interleaved",
         "flipped_signs", "several_skins", "no_skin", "skin_without_mesh", "children_first", "armature_hundredth",
         "armature_hundred", "z_up_matrix", "joint_scales", "moving_parent", "several_scenes", "late_start", "clip_alone",
         "strange_names", "unknown_chunks", "morphs_and_cameras", "pointer_elsewhere", "meshopt_on_mesh")
SHORT = ("data_uri_padded", "data_uri_bare", "data_uri_escaped", "data_uri_plain", "external", "external_spaces",
         "external_raw_space", "external_unicode", "external_folder", "several_buffers", "glb_with_other_buffers",
         "glb_without_binary")
OTHERS = {"matrix_nodes": lambda p: p[..., [2, 1, 0]] * [1, 1, -1] + [0.5, 0.25, -2],
          "mirrored": lambda p: p * [-1, 1, 1], "mirrored_whole": lambda p: p * [1, 1, -1],
          "non_uniform": lambda p: p * [1, 1.15, 1]}


class Reader(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def figure(self, name):
        """Positions (frames, joints, 3) of the figure's nodes at the frames of the file's first clip."""
        made = gltf_samples.MAKERS[name]()
        doc = gltf.Document(made.write(self.folder.name))
        clip = doc.clip(0)
        hips = [i for i, n in enumerate(doc.nodes) if "Hips" in n.get("name", "")]
        nodes, stack = [], hips[:1]
        base = Walk().names
        by = {}
        while stack:
            i = stack.pop()
            for k, n in enumerate(base):
                if n in doc.nodes[i].get("name", "") and len(n) > len(by.get(i, "")):
                    by[i] = n
            stack += doc.nodes[i].get("children", ())
        nodes = [next(i for i in by if by[i] == n) for n in base]
        return clip.globals(clip.times())[:, nodes][..., :3, 3]

    def test_reader__positions_by_formula(self):
        for name in PLAIN + SHORT + tuple(OTHERS):
            with self.subTest(name):
                found = self.figure(name)
                truth = OTHERS.get(name, lambda p: p)(Walk(frames=len(found)).positions())
                self.assertLess(np.max(np.abs(found - truth)), 2e-6)

    def test_reader__integers_to_their_step(self):
        for name, step in (("short_rotations", 2e-4), ("component_types", 3e-2)):
            self.assertLess(np.max(np.abs(self.figure(name) - Walk().positions())), step)

    def test_reader__between_keys(self):
        doc = gltf.Document(gltf_samples.box().write(self.folder.name))
        clip = doc.clip(0)
        np.testing.assert_allclose(clip.of(0, "translation").sample([-1, 0.99, 1.0, 9]), [[0, 0, 0]] * 2 + [[0, 1, 0]] * 2)
        np.testing.assert_allclose(clip.of(0, "scale").sample([0.25]), [[1.25] * 3])
        s = np.sqrt(0.5)
        np.testing.assert_allclose(np.abs(clip.of(0, "rotation").sample([0.5, 1.5])), [[0, s, 0, s]] * 2, atol=1e-15)

    def test_reader__hermite_of_a_cubic_is_that_cubic(self):
        doc = gltf_build.Doc()
        doc.json["scenes"][0]["nodes"].append(doc.node(name="a"))
        f = lambda t: np.stack([t ** 3 - t, t ** 2, 2 * t], axis=1)
        d = lambda t: np.stack([3 * t ** 2 - 1, 2 * t, 2 + 0 * t], axis=1)
        t = np.array([0.0, 0.5, 2.0])
        values = np.stack([d(t), f(t), d(t)], axis=1).reshape(-1, 3)
        doc.channel(doc.animation(), 0, "translation", t, values, "CUBICSPLINE")
        clip = gltf.Document(gltf_samples.single("c.glb", doc.glb()).write(self.folder.name)).clip(0)
        at = np.linspace(0, 2, 21)
        np.testing.assert_allclose(clip.channels[0].sample(at), f(at), atol=1e-12)

    def test_reader__refuses_what_lies_elsewhere(self):
        for uri in ("../x.bin", "/etc/passwd", "file:///etc/passwd", "%2e%2e/x.bin"):
            made = gltf_samples._uri("away", uri)
            with self.assertRaises((gltf.GltfError, OSError)):
                gltf.Document(made.write(self.folder.name)).clip(0).channels[0].keys

    def test_quaternion__of_matrices(self):
        rng = np.random.default_rng(1)
        q = gltf.normalised(rng.normal(size=(200, 4)))
        q *= np.sign(q[:, 3:])
        m = gltf.compose(np.zeros((200, 3)), q, np.ones((200, 3)))[:, :3, :3]
        np.testing.assert_allclose(quaternion(m), q, atol=1e-12)


class Spans(unittest.TestCase):
    def test_spans__cover_the_text(self):
        text = b' { "a" : [ 1 , {} , [], "x,]}\\"" ] , "b":{"\\u0061":-1.5e+3, "c":null}\t}\r\n'
        root = gltf_spans.parse(text)
        self.assertEqual(root.plain(), json.loads(text))
        self.assertEqual([v.raw() for v in root.get("a").items()], [b"1", b"{}", b"[]", b'"x,]}\\""'])
        self.assertEqual(root.get("b").keys(), ["a", "c"])
        for value in (root, root.get("a"), root.get("b")):
            rest = b"".join(g for g in value.gaps) if not value.members else b"".join(
                g + v.raw() for g, v in zip(value.gaps, value.items())) + value.gaps[-1]
            self.assertEqual(rest, value.raw())

    def test_spans__refuse_what_is_no_json(self):
        for text in (b"", b"{", b"[1,]", b'{"a" 1}', b"[1] 2", b"{'a':1}"):
            with self.assertRaises(ValueError):
                gltf_spans.parse(text)


class Compare(unittest.TestCase):
    """The fake cleaning turns the left knee by the smallest bit and writes it as the program is asked to."""

    REPORT = {"changed_joints": [{"name": "LeftLeg", "rotation": True, "translation": False}]}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.given = gltf_samples.MAKERS["unknown_chunks"]().write(self.folder.name)
        self.doc = gltf.Document(self.given)

    def made(self, change=None, text=None, data=None, chunks=None):
        """A cleaned file. change: edits the JSON as parsed; text, data: edit the bytes; chunks: other extra chunks."""
        doc = json.loads(self.doc.text)
        old = self.doc.buffer(0)
        times, values = self.doc.clip(0).of(self.doc.find("LeftLeg"), "rotation").keys
        values = np.float32(gltf.normalised(values + [1e-3, 0, 0, 0]))
        new = old + np.float32(times).tobytes() + values.tobytes()
        n = len(times)
        doc["bufferViews"] += [{"buffer": 0, "byteOffset": len(old), "byteLength": 4 * n},
                               {"buffer": 0, "byteOffset": len(old) + 4 * n, "byteLength": 16 * n}]
        doc["accessors"] += [{"componentType": 5126, "count": n, "type": "SCALAR", "bufferView": len(doc["bufferViews"]) - 2,
                              "min": [float(np.float32(times[0]))], "max": [float(np.float32(times[-1]))]},
                             {"componentType": 5126, "count": n, "type": "VEC4", "bufferView": len(doc["bufferViews"]) - 1}]
        doc["buffers"][0]["byteLength"] = len(new)
        channel = next(c for c in doc["animations"][0]["channels"] if doc["nodes"][c["target"]["node"]]["name"] == "LeftLeg"
                       and c["target"]["path"] == "rotation")
        sampler = doc["animations"][0]["samplers"][channel["sampler"]]
        sampler["input"], sampler["output"] = len(doc["accessors"]) - 2, len(doc["accessors"]) - 1
        if change:
            change(doc)
        raw = gltf_build.dump(doc)
        raw = text(raw) if text else raw
        new = data(new) if data else new
        extra = self.doc.chunks[2:] if chunks is None else chunks
        path = os.path.join(self.folder.name, "made.glb")
        with open(path, "wb") as file:
            file.write(gltf_build.pack_glb(raw, new, extra))
        return path

    def findings(self, **changes):
        return gltf_compare.compare(self.given, self.made(**changes), self.REPORT)

    def test_compare__fake_cleaning_passes(self):
        self.assertEqual(self.findings(), [])

    def test_compare__same_file_passes(self):
        self.assertEqual(gltf_compare.compare(self.given, self.given), [])
        self.assertNotEqual(gltf_compare.compare(self.given, self.made()), [])

    def test_compare__finds_each_single_change(self):
        def set_(*path_and_value):
            *path, key, value = path_and_value
            def change(doc):
                for step in path:
                    doc = doc[step]
                doc[key] = value
            return change

        def flip(data):
            return data[:-16] + np.float32(-np.frombuffer(data[-16:], np.float32)).tobytes()

        def long(data):
            return data[:-16] + np.float32(1.001 * np.frombuffer(data[-16:], np.float32)).tobytes()

        arm = next(c["sampler"] for c in json.loads(self.doc.text)["animations"][0]["channels"]
                   if self.doc.name(c["target"]["node"]) == "Head")
        cases = {
            "node": dict(change=set_("nodes", 3, "translation", [0, 0, 0])),
            "node name": dict(text=lambda t: t.replace(b'"RightHand"', b'"RightHanD"')),
            "number text": dict(text=lambda t: t.replace(b'"translation":[0.0,', b'"translation":[0,', 1)),
            "space": dict(text=lambda t: t.replace(b'"scene":0,', b'"scene": 0,', 1)),
            "generator": dict(text=lambda t: t.replace(b"sample maker", b"maker", 1)),
            "old accessor": dict(change=set_("accessors", 0, "count", 1)),
            "old view": dict(change=set_("bufferViews", 0, "byteOffset", 4)),
            "another sampler": dict(change=set_("animations", 0, "samplers", arm, "output", 1)),
            "target": dict(change=set_("animations", 0, "channels", 4, "target", "node", 1)),
            "another clip's name": dict(change=set_("animations", 0, "name", "Walk")),
            "scene": dict(change=set_("scenes", 0, "nodes", [0])),
            "new member": dict(change=set_("extras", {})),
            "new node": dict(change=lambda d: d["nodes"].append({})),
            "fewer accessors": dict(change=lambda d: d["accessors"].pop()),
            "old bytes": dict(data=lambda b: b"\x01" + b[1:]),
            "chunk": dict(chunks=[(k, d[:-1] + b"\x01") for k, d in self.doc.chunks[2:]]),
            "chunk gone": dict(chunks=self.doc.chunks[2:-1]),
            "sign": dict(data=flip), "unit": dict(data=long),
            "STEP": dict(change=lambda d: d["animations"][0]["samplers"][d["animations"][0]["channels"][3]["sampler"]]
                         .update(interpolation="STEP")),
        }
        for name, changes in cases.items():
            with self.subTest(name):
                try:
                    self.assertNotEqual(self.findings(**changes), [])
                except (IndexError, gltf.GltfError):
                    pass  # cannot even be read: also found


if __name__ == "__main__":
    unittest.main()
