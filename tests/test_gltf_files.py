#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What the surefoot command does with glTF files, judged by an independent reader (bench/judge).

Samples are made here (bench/judge/gltf_samples.py); real and malformed files come from the optional data folder
(SFT_DATA, default ../shared/data beside the checkout), and its tests are skipped where it is absent. Outputs go
through Khronos' validator where its npm package lies in SFT_NPM (see tools/npm_packages.sh) and node is there.
SFT_BIN is the folder of the programs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "bench", "judge"))

import numpy as np  # noqa: E402

import bvh  # noqa: E402
import gltf  # noqa: E402
import gltf_compare  # noqa: E402
import gltf_hostile  # noqa: E402
import gltf_samples  # noqa: E402
import leaks  # noqa: E402
from gltf_build import MAKERS  # noqa: E402

BIN = os.environ.get("SFT_BIN") or os.path.join(ROOT, "build", "bin")
DATA = os.environ.get("SFT_DATA") or os.path.join(ROOT, "..", "shared", "data")
SAMPLE = int(os.environ.get("SFT_SAMPLE") or 1)  # one of so many files, real and made
NPM = os.environ.get("SFT_NPM") or os.path.join(ROOT, "build", "npm")
PROGRAM = os.path.join(BIN, "surefoot")
DONE, CHECK, USAGE, READ, WRITE, MEMORY, NO_LEGS = range(7)
# of a position [m] between formats
EXACT = 1e-5


def run(*arguments):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, timeout=120, check=False, env=leaks.environment())
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def data_files(folder):
    path = os.path.join(DATA, folder)
    return sorted(os.path.join(path, n) for n in os.listdir(path) if n.endswith((".glb", ".gltf")))[::SAMPLE] \
        if os.path.isdir(path) else []


def makers(first):
    """Names of MAKERS; each test that samples starts elsewhere, so that together they take most."""
    return list(MAKERS)[first % SAMPLE::SAMPLE]


def validator_is_there():
    return shutil.which("node") is not None and os.path.isdir(os.path.join(NPM, "node_modules", "gltf-validator"))


class Files(unittest.TestCase):
    """Helpers. Pairs (given, made) of all tests of a class go through the validator at the end, in one run."""

    pairs = []

    @classmethod
    def setUpClass(cls):
        cls.work = tempfile.mkdtemp(prefix="surefoot-gltf-")
        cls.pairs = []

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.work, ignore_errors=True)

    def folder(self, *parts):
        path = os.path.join(self.work, *parts)
        os.makedirs(path, exist_ok=True)
        return path

    def good(self, *arguments):
        code, out, err = run(*arguments)
        self.assertEqual(code, DONE, err)
        return out

    def info(self, path, *more):
        return json.loads(self.good("info", path, "--json", *more))

    def identity(self, path, name):
        """convert without options gives the file and, of a .gltf, what belongs to it."""
        target = os.path.join(self.folder("same", name), os.path.basename(path))
        self.good("convert", path, "-o", target)
        self.assert_same(path, target)
        for buffer in gltf.Document(path).json.get("buffers", []):
            uri = buffer.get("uri", "data:")
            if not uri.startswith("data:"):
                beside = gltf.urllib.parse.unquote(uri)
                self.assert_same(*(os.path.join(os.path.dirname(p), beside) for p in (path, target)))

    def assert_same(self, one, other):
        with open(one, "rb") as a, open(other, "rb") as b:
            self.assertEqual(a.read(), b.read(), "%s and %s differ" % (one, other))

    def to_bvh(self, path, name, clip=None):
        """Joint positions of a clip as BVH, against the evaluator's, in metres."""
        target = os.path.join(self.folder("bvh", name), "x.bvh")
        self.good("convert", path, *(["--clip", clip] if clip is not None else []), "-o", target)
        info = self.info(path, *(["--clip", clip] if clip is not None else []))
        doc = gltf.Document(path)
        animation = gltf.Animation(doc, info["clip_index"])
        made = bvh.read(target, "absolute")
        pose = bvh.Pose(made)
        joints = self.joints(doc, made)
        times = self.frame_times(info["clips"][info["clip_index"]], animation, set(joints.values()))
        self.assertEqual(made.frames, len(times))
        self.assertAlmostEqual(made.frame_time, info["clips"][info["clip_index"]]["frame_time"], 9)
        world = animation.globals(times)[..., :3, 3] * info["unit_metres"]
        worst = max(np.max(np.abs(pose.position[:, i] * 0.01 - world[:, node])) for i, node in joints.items())
        self.assertLess(worst, EXACT, "%s %s: joints of the BVH are off by %.3g m" % (path, clip, worst))

    def frame_times(self, clip, animation, nodes):
        """Where the program says its frames are, held against the rule: the even keys of the densest rotation channel,
        extended to cover all channels of joints."""
        times = clip["start"] + np.arange(clip["frames"]) * clip["frame_time"]
        channels = [c for c in animation.channels if c.node in nodes]
        if not channels:
            return times
        step = clip["frame_time"]
        self.assertLess(times[0], min(c.keys[0][0] for c in channels) + 1e-4)
        # sampled frames stop where the next would lie behind the last key
        short = 1e-4 if clip["stored_frames"] else step
        self.assertGreater(times[-1], max(c.keys[0][-1] for c in channels) - short)
        turns = [c for c in channels if c.path == "rotation"] or channels
        dense = max((c.keys[0] for c in turns), key=len)
        # two keys are always even: they count as frames only where they are close
        far = len(dense) == 2 and dense[1] - dense[0] > 0.1
        even = len(dense) > 1 and not far and np.max(np.abs(dense - np.linspace(dense[0], dense[-1], len(dense)))) <= 1e-4
        self.assertEqual(bool(clip["stored_frames"]), bool(even), "%s of the keys" % clip)
        if even:
            self.assertLess(abs(np.mean(np.diff(dense)) - step), 1e-4)
            at = np.rint((dense - times[0]) / step).astype(int)
            self.assertLess(np.max(np.abs(times[at] - dense)), 1e-4)
            times[at] = dense
        else:
            self.assertAlmostEqual(step, 1 / 60, 12)
        return times

    def joints(self, doc, made):
        """{BVH node: glTF node}: the n-th of a name in one tree is the n-th in the other, depth first."""
        legal = lambda t: re.sub(r"[^0-9A-Za-z]+", "", t)
        stack, theirs, ours = [i for i in doc.order if doc.parents[i] < 0][::-1], {}, {}
        while stack:
            i = stack.pop()
            theirs.setdefault(legal(doc.name(i) or "node %d" % i), []).append(i)
            stack += doc.nodes[i].get("children", [])[::-1]
        for i, node in enumerate(made.nodes):
            if not node.is_end:
                ours.setdefault(legal(node.name), []).append(i)
        out = {}
        for name, found in ours.items():
            if len(found) == len(theirs.get(name, ())):
                out.update(zip(found, theirs[name]))
        self.assertGreater(len(out), 0.6 * sum(not n.is_end for n in made.nodes), "names do not match")
        return out

    def clean(self, path, name, clip=None, *more):
        """Cleans, compares; (report, made)."""
        made = os.path.join(self.folder("clean", name), os.path.basename(path))
        named = ["--clip", clip] if clip is not None else []
        report = json.loads(self.good("clean", path, "-o", made, "--json", *named, *more))
        comparison = gltf_compare.Comparison(path, made, report)
        self.assertEqual(comparison.run(), [], path)
        self.pairs.append((path, made))
        return report, made, comparison

    def validate(self):
        if not self.pairs:
            return
        if not validator_is_there():
            print("SKIP validator: no node, or no gltf-validator in %s (tools/npm_packages.sh)" % NPM)
            return
        flat = [p for pair in self.pairs for p in pair]
        done = subprocess.run(["node", os.path.join(ROOT, "tools", "validate_gltf.mjs"), "--packages", NPM, *flat],
                              capture_output=True, timeout=600, check=False)
        text = done.stdout.decode("utf-8", "replace")
        self.assertEqual(done.returncode, 0, "\n".join(l for l in text.split("\n") if not l.startswith("ok")))


class Samples(Files):
    def setUp(self):
        self.sources = self.folder("in")

    def test_samples__info_lists_what_is_there(self):
        for name in makers(0):
            with self.subTest(name):
                made = MAKERS[name]()
                path = made.write(self.folder("in", name))
                info = self.info(path)
                self.assertEqual([c["name"] for c in info["clips"]], made.clips)
                for index, word in made.problem.items():
                    self.assertIn(word, info["clips"][index]["problem"])
                if made.legs is not None and not made.problem:
                    self.assertEqual(len(info["legs"]), made.legs)

    def test_samples__convert_is_identity(self):
        for name in makers(1):
            with self.subTest(name):
                self.identity(MAKERS[name]().write(self.folder("in", name)), name)

    def test_samples__positions_as_bvh(self):
        for name in makers(2):
            with self.subTest(name):
                made = MAKERS[name]()
                path = made.write(self.folder("in", name))
                if not made.clips:
                    continue
                if 0 in made.problem:
                    code, _, err = run("convert", path, "-o", os.path.join(self.work, "never.bvh"))
                    self.assertEqual(code, READ)
                    self.assertIn(made.problem[0], err)
                    continue
                self.to_bvh(path, name, made.clips[0] if len(made.clips) > 1 else None)

    def test_samples__clean_changes_nothing_else(self):
        for name in makers(3):
            with self.subTest(name):
                made = MAKERS[name]()
                path = made.write(self.folder("in", name))
                if made.legs == 0 or not made.clips:
                    code, _, err = run("clean", path, "-o", os.path.join(self.work, "never.glb"))
                    self.assertIn(code, (READ, NO_LEGS, USAGE), err)
                    self.assertTrue(err)
                    continue
                if made.legs is None and not self.info(path)["legs"]:
                    continue
                clip = ["--clip", made.clips[0]] if len(made.clips) > 1 else []
                if 0 in made.problem or not made.solves:
                    code, _, err = run("clean", path, *clip, "-o", os.path.join(self.work, "never.glb"))
                    if code != DONE or 0 in made.problem:
                        self.assertEqual(code, READ if 0 in made.problem else code, err)
                        self.assertIn(made.problem.get(0, made.refusal), err)
                        continue
                _, _, comparison = self.clean(path, name, clip[1] if clip else None)
                if made.legs:
                    self.assertTrue(comparison.changed, "nothing was cleaned")
        self.validate()


class Data(Files):
    def setUp(self):
        if not data_files("gltf"):
            self.skipTest("no data folder at %s" % DATA)

    def test_data__convert_is_identity(self):
        for path in data_files("gltf"):
            with self.subTest(os.path.basename(path)):
                self.identity(path, os.path.basename(path))

    def test_data__positions_as_bvh(self):
        for path in data_files("gltf"):
            doc = gltf.Document(path)
            names = [a.get("name") for a in doc.animations]
            # a few clips of each file
            for index in sorted({0, len(names) // 2, len(names) - 1} if names else set()):
                if not gltf.Animation(doc, index).channels:
                    continue
                with self.subTest("%s %s" % (os.path.basename(path), names[index])):
                    self.to_bvh(path, os.path.basename(path), names[index] if len(names) > 1 else None)

    def test_data__clean_changes_nothing_else(self):
        for path in data_files("gltf"):
            name = os.path.basename(path)
            with self.subTest(name):
                info = self.info(path)
                clips = [c["name"] for c in info["clips"]]
                if not clips or not info["legs"]:
                    continue
                walks = [c for c in clips if re.search("walk|run|jog|trot", c, re.I)] or clips
                for clip in walks[:2]:
                    self.clean(path, name + re.sub(r"\W", "_", clip), clip if len(clips) > 1 else None)
        self.validate()


class Malformed(Files):
    def test_malformed__refused_or_read_as_expected(self):
        if not data_files("malformed_gltf"):
            self.skipTest("no data folder at %s" % DATA)
        with open(os.path.join(HERE, "gltf_expect.tsv"), encoding="utf-8") as file:
            rows = [l.rstrip("\n").split("\t") for l in file if not l.startswith("#")]
        there = [n for n in os.listdir(os.path.join(DATA, "malformed_gltf")) if n.endswith((".glb", ".gltf"))]
        self.assertEqual(sorted(r[0] for r in rows), sorted(there))
        for name, expect, words, _ in rows[::SAMPLE]:
            with self.subTest(name):
                path = os.path.join(DATA, "malformed_gltf", name)
                code, out, err = run("info", path)
                self.assertIn(code, (DONE, READ), err)
                target = os.path.join(self.folder("malformed"), name)
                other, _, said = run("convert", path, "-o", target)
                if code == DONE:
                    self.assertEqual(other, DONE, said)
                    self.assert_same(path, target)
                else:
                    self.assertEqual(other, READ, said)
                    self.assertFalse(os.path.exists(target))
                if expect == "read":
                    self.assertEqual(code, DONE, err)
                elif expect == "error":
                    # where only the animation is unusable, info may say so and read the rest
                    code, _, said = run("convert", path, "-o", os.path.join(self.work, "never.bvh"))
                    self.assertEqual(code, READ, "must be refused")
                    err += said
                if code == READ and words != "-":
                    for part in words.split(";"):
                        self.assertTrue(any(self.said(w, err) for w in part.split("/")), "%s: %r not in %s" % (name, part, err))

    @staticmethod
    def said(word, text):
        """\"accessor 1\" is also said by /accessors/1."""
        kind, _, number = word.rpartition(" ")
        spelled = [word.lower()] + (["/%ss/%s" % (kind, number)] if number.isdigit() else [])
        return any(s in text.lower().replace("'", "").replace('"', "") for s in spelled)


class Hostile(unittest.TestCase):
    EVERY, RANDOM = 4, 40

    def test_hostile__answers_soon_and_leaves_nothing(self):
        """One in four of the made cases, and some random ones; all of them and thousands: gltf_hostile.py by hand."""
        root = os.path.realpath(tempfile.mkdtemp(prefix="surefoot-hostile-"))
        self.addCleanup(shutil.rmtree, root, True)
        secret = os.path.join(root, "secret.bin")
        gltf_hostile.canary(secret)
        for n, case in enumerate(gltf_hostile.cases(secret, self.RANDOM)):
            if n % (SAMPLE * self.EVERY) == 0 or case.name.startswith(("mutation", "uri")):
                with self.subTest(case.name):
                    self.assertEqual(gltf_hostile.judge(PROGRAM, case, root, "asan" not in BIN), [])


if __name__ == "__main__":
    unittest.main()
