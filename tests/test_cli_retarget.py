#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot retarget` as people run it. Files are read by the judge's readers (bench/judge), not by the program itself.

Rigs are made here: the sample's walker, the sample's other figure (other proportions, names, rest pose and axes), and a
skinned figure of joints whose axes are turned at random. Real files come from the optional data folder (SFT_DATA, default
../shared/data beside the checkout); their tests are skipped where it is absent. SFT_BIN is the folder of the programs.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "bench", "judge"))

import numpy as np  # noqa: E402

import bvh  # noqa: E402
import gltf  # noqa: E402
import gltf_build  # noqa: E402
import gltf_figure  # noqa: E402
import retarget_files  # noqa: E402
from retarget_figure import rotations_of  # noqa: E402

BIN = os.environ.get("SFT_BIN") or os.path.join(ROOT, "build", "bin")
DATA = os.environ.get("SFT_DATA") or os.path.join(ROOT, "..", "shared", "data")
DONE, CHECK, USAGE, READ, WRITE, MEMORY, NO_LEGS, UNALIKE = range(8)

LIMBS = ("upper arm", "forearm", "thigh", "shin")
WALKER = {"upper arm": ("%sArm", "%sForeArm"), "forearm": ("%sForeArm", "%sHand"), "thigh": ("%sUpLeg", "%sLeg"),
          "shin": ("%sLeg", "%sFoot")}
CHILD = {"upper arm": ("upperarm_%s", "lowerarm_%s"), "forearm": ("lowerarm_%s", "hand_%s"),
         "thigh": ("thigh_%s", "calf_%s"), "shin": ("calf_%s", "foot_%s")}
SIDES = {"left": ("Left", "l"), "right": ("Right", "r")}
# feet of the child, in the order of the walker's labels
CHILD_TOES = ("ball_l", "ball_r")


def run(program, *arguments, stdin=None):
    done = subprocess.run([os.path.join(BIN, program)] + [str(a) for a in arguments], capture_output=True,
                          input=stdin, timeout=240, check=False)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Motion:
    """Places of joints [m], frame by frame: position (F, N, 3), names; of a BVH in centimetres or a glTF in metres."""

    def __init__(self, path, clip=0, scale=0.01):
        if str(path).endswith(".bvh"):
            made = bvh.read(path)
            self.names = [n.name if not n.is_end else n.name + ":end" for n in made.nodes]
            self.position = bvh.Pose(made).position * scale
            self.dt = made.frame_time
        else:
            doc = gltf.Document(path)
            self.names = [doc.name(i) for i in range(len(doc.nodes))]
            animation = doc.clip(clip)
            times = animation.times()
            self.position = animation.globals(times)[..., :3, 3]
            self.dt = float(np.mean(np.diff(times))) if len(times) > 1 else 0.0

    def at(self, name):
        return self.position[:, self.names.index(name)]

    def limb(self, table, limb, side):
        a, b = (name % SIDES[side][0 if table is WALKER else 1] for name in table[limb])
        d = self.at(b) - self.at(a)
        return d / np.linalg.norm(d, axis=-1, keepdims=True)


def angles(a, b):
    """Degrees between unit vectors."""
    return np.degrees(np.arctan2(np.linalg.norm(np.cross(a, b), axis=-1), np.sum(a * b, axis=-1)))


def labels_of(path):
    rows = [line.split(",") for line in content(path).decode().split("\n") if line]
    table = np.array([[float(v) for v in row] for row in rows[1:]])
    return {name: table[:, i] > 0.75 for i, name in enumerate(rows[0]) if i > 1 and ":" not in name}


class Retarget(unittest.TestCase):
    """Helpers, and files that all tests share."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="surefoot-retarget-")
        cls.folder = cls.temporary.name
        cls.walk, cls.labels = cls.path("walk.bvh"), cls.path("walk.csv")
        cls.child, cls.child_bvh = cls.path("child.glb"), cls.path("child.bvh")
        for arguments in ((cls.walk, "--labels", cls.labels, "--frames", 180), (cls.child, "--figure"),
                          (cls.child_bvh, "--figure")):
            code, _, err = run("surefoot-make-sample", *arguments)
            assert code == 0, err
        cls.skinned = cls.make_skinned("skinned.glb")

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    @classmethod
    def make_skinned(cls, name, clips=("walk", "other")):
        """A figure with a skin, a mesh, random bone axes and animations of its own."""
        walk = gltf_figure.Walk(frames=40)
        doc = gltf_build.Doc()
        nodes = doc.figure(walk)
        for clip in clips:
            doc.walk(walk, nodes, clip)
        with open(cls.path(name), "wb") as file:
            file.write(doc.glb())
        return cls.path(name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def ok(self, *arguments, **more):
        code, out, err = run("surefoot", "retarget", *arguments, **more)
        self.assertEqual(code, DONE, (arguments, err))
        return out.decode("utf-8")

    def fails(self, expected, *arguments, **more):
        code, out, err = run("surefoot", "retarget", *arguments, **more)
        self.assertEqual(code, expected, (arguments, out, err))
        self.assertTrue(err.startswith("surefoot: "), err)
        self.assertEqual(out, b"")
        return err

    def moved(self, name, *arguments, source=None, target=None):
        """Runs it and gives the path of what was made."""
        made = self.path(name)
        self.ok(source or self.walk, "--onto", target or self.child, "-o", made, *arguments)
        return made

    def assert_limbs(self, source, made, tables=(WALKER, CHILD), limit=1e-3, mirror=False):
        for limb in LIMBS:
            for side in SIDES:
                other = {"left": "right", "right": "left"}[side] if mirror else side
                a = source.limb(tables[0], limb, other) * (np.array([-1, 1, 1]) if mirror else 1.0)
                worst = float(np.max(angles(a, made.limb(tables[1], limb, side))))
                self.assertLess(worst, limit, (limb, side))


class Words(Retarget):
    def test_help_says_options_defaults_examples_and_exit_codes(self):
        text = self.ok("--help")
        for word in ("usage:", "--onto", "--map-out", "--keep hands", "--goal", "Default", "Examples", "Exit codes",
                     "7 the two figures"):
            self.assertIn(word, text)
        self.assertLessEqual(max(map(len, text.split("\n"))), 120)
        code, out, _ = run("surefoot", "--help")
        self.assertEqual(code, DONE)
        self.assertIn(b"retarget", out)

    def test_wrong_command_lines_are_refused_before_any_work(self):
        made = self.path("never.glb")
        whole = [self.walk, "--onto", self.child, "-o", made]
        for arguments in ([], [self.walk], [self.walk, "-o", made], [self.walk, "--onto", self.child],
                          [self.walk, self.walk, "--onto", self.child, "-o", made],
                          whole + ["--scale", "nan"], whole + ["--scale", "0"], whole + ["--scale", "inf"],
                          whole + ["--scale", "-1"], whole + ["--source-pose", "nan"], whole + ["--source-pose", "-1"],
                          whole + ["--source-pose", "1.5"], whole + ["--source-pose", "1e300"],
                          whole + ["--target-pose", "first"], whole + ["--root", "head"], whole + ["--keep", "feet"],
                          whole + ["--non-rigid", "maybe"], whole + ["--unreachable", "cry"],
                          whole + ["--target-unit", "furlong"], whole + ["--target-up", "W"],
                          whole + ["--contact-threshold", "nan"], whole + ["--ground-velocity", "nan,0,0"],
                          whole + ["--goal", ""], whole + ["--goal", "hand_l"], whole + ["--goal", "hand_l@"],
                          whole + ["--goal", "hand_l@5"], whole + ["--goal", "hand_l@5-2"],
                          whole + ["--goal", "@1-2"], whole + ["--goal", "hand_l@1-2=1,2"],
                          whole + ["--goal", "hand_l@1-2=1,2,nan"], whole + ["--goal", "hand_l@1-99999999999"],
                          whole + ["--goal", "hand_l@1-2=1,2,3,4"], whole + ["--fps", "0"], whole + ["--no-such"],
                          whole + ["--json", "-o", "-"], whole + ["--report", made], whole + ["--map-out", made],
                          whole + ["--report", "p", "--picture", "p"],
                          [self.walk, "--onto", self.child, "-o", self.path("never.usd")],
                          [self.walk, "--onto", self.child, "-o", self.path("never.fbx")],
                          [self.walk, "--onto", self.child, "-o", self.walk],
                          [self.walk, "--onto", self.child, "--map-out", self.walk],
                          [self.walk, "--onto", self.child, "--map-out", self.child],
                          [self.walk, "--onto", self.child, "--map-out", self.path("m"), "--report", self.path("p")],
                          ["-", "--onto", "-", "-o", made]):
            code, out, err = run("surefoot", "retarget", *arguments)
            self.assertEqual(code, USAGE, (arguments, err))
            self.assertEqual(out, b"", arguments)
            self.assertTrue("surefoot" in err and len(err) > 20, arguments)
        self.assertFalse(os.path.exists(made))
        self.assertTrue(content(self.walk).startswith(b"HIERARCHY"))

    def test_what_only_the_files_can_tell_is_refused_too(self):
        made = self.path("never2.glb")
        whole = [self.walk, "--onto", self.child, "-o", made]
        self.assertIn("180 frames", self.fails(USAGE, *whole, "--source-pose", 180))
        self.assertIn("--target-pose rest", self.fails(USAGE, *whole, "--target-pose", 0))
        self.assertIn("no such joint", self.fails(USAGE, *whole, "--goal", "nobody@1-2"))
        self.assertIn("180 frames", self.fails(USAGE, *whole, "--goal", "hand_l@1-180"))
        self.assertIn("no hand", self.fails(USAGE, *whole, "--goal", "foot_r@1-2"))
        self.assertIn("itself", self.fails(USAGE, *whole, "--goal", "hand_l:hand_l@1-2"))
        self.assertIn("to replace", self.fails(READ, *whole, "--replace", "nothing"))
        self.assertIn("holds no clip", self.fails(READ, *whole, "--clip", "nothing"))
        self.fails(USAGE, self.walk, "--onto", self.child_bvh, "-o", self.path("n.bvh"), "--replace", "0")
        self.assertFalse(os.path.exists(made))

    def test_inputs_that_cannot_be_read_say_which(self):
        made = self.path("never3.glb")
        broken = self.write("broken.bvh", "HIERARCHY\nROOT a\n{\n")
        model = self.path("missing.glb")
        for source, target, named in ((self.path("missing.bvh"), self.child, "missing.bvh"),
                                      (self.walk, model, "missing.glb"), (broken, self.child, "broken.bvh"),
                                      (self.walk, broken, "broken.bvh"), (self.walk, self.folder, self.folder),
                                      (self.folder, self.child, self.folder)):
            self.assertIn(named, self.fails(READ, source, "--onto", target, "-o", made))
        self.fails(READ, self.walk, "--onto", self.child, "-o", made, "--map", self.path("missing.json"))
        self.fails(READ, self.walk, "--onto", self.child, "-o", made, "--contacts", self.path("missing.csv"))
        self.fails(READ, self.walk, "--onto", self.child, "-o", made, "--target-legs", self.path("missing.json"))
        self.assertFalse(os.path.exists(made))

    def test_words_say_map_scale_owner_and_feet(self):
        text = self.ok(self.walk, "--onto", self.child, "-o", self.path("words.glb"))
        for word in ("walk.bvh onto child.glb", "as 'walk'", "one to one", "along chains", "root carries the travel",
                     "pelvis height and sway", "degrees mean", "slide of planted feet", "below the feet's support"):
            self.assertIn(word, text)

    def test_json_says_the_same(self):
        made = self.path("json.glb")
        report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", made, "--json"))
        self.assertEqual((report["source"], report["target"], report["output"]), (self.walk, self.child, made))
        self.assertEqual((report["frames"], report["written_as"]), (180, "walk"))
        source, child = Motion(self.walk), Motion(made)

        def leg(m, table):
            return np.mean([np.linalg.norm(m.at(table[k][1] % n)[0] - m.at(table[k][0] % n)[0])
                            for k in ("thigh", "shin") for n in (SIDES[s][0 if table is WALKER else 1] for s in SIDES)])

        self.assertAlmostEqual(report["scale"], leg(child, CHILD) / leg(source, WALKER), places=5)
        pairs = {p["target"]: p for p in report["map"]["pairs"]}
        self.assertEqual(len(pairs), 51)
        self.assertEqual(pairs["upperarm_l"]["source"], "LeftArm")
        self.assertEqual(pairs["calf_r"]["source"], "RightLeg")
        self.assertTrue(all(p["reason"] for p in pairs.values() if p["rule"] != "rest"))
        self.assertTrue(any("finger" in s or "thumb" in s or "index" in s for s in report["map"]["fallbacks"]) or
                        pairs["index_01_l"]["rule"] == "rest")
        self.assertEqual({limb["name"] for limb in report["limbs"]}, {"%s %s" % (s, l) for s in SIDES for l in LIMBS})
        self.assertTrue(isinstance(report["misses"], list))


class Formats(Retarget):
    def test_bvh_onto_bvh_keeps_the_targets_hierarchy_and_the_sources_frames(self):
        made = self.moved("a.bvh", "--no-clean", target=self.child_bvh)
        source = Motion(self.walk)
        self.assertEqual(retarget_files.bvh_findings(self.child_bvh, made, 180, source.dt), [])
        self.assert_limbs(source, Motion(made))

    def test_bvh_onto_glb_adds_one_animation(self):
        made = self.moved("b.glb", "--no-clean")
        self.assertEqual(retarget_files.gltf_findings(self.child, made), [])
        motion = Motion(made, "walk")
        self.assertEqual(len(motion.position), 180)
        self.assertAlmostEqual(motion.dt, Motion(self.walk).dt, places=6)
        self.assert_limbs(Motion(self.walk), motion)

    def test_bvh_target_as_glb_has_the_same_motion(self):
        one = Motion(self.moved("c.bvh", "--no-clean", target=self.child_bvh))
        other = Motion(self.moved("c.glb", "--no-clean", target=self.child_bvh))
        for name in ("pelvis", "hand_l", "foot_r", "head"):
            self.assertLess(float(np.max(np.abs(one.at(name) - other.at(name)))), 2e-6)

    def test_glb_onto_bvh_and_back_again(self):
        there = self.moved("d.glb", "--no-clean")
        back = self.moved("d.bvh", "--no-clean", source=there, target=self.walk)
        self.assertEqual(retarget_files.bvh_findings(self.walk, back, 180, Motion(self.walk).dt), [])
        self.assert_limbs(Motion(self.walk), Motion(back), (WALKER, WALKER))
        hips = Motion(back).at("Hips") - Motion(self.walk).at("Hips")
        self.assertLess(float(np.max(np.abs(hips - hips[0]))), 1e-5)

    def test_glb_target_as_bvh(self):
        made = self.moved("e.bvh", "--no-clean")
        self.assert_limbs(Motion(self.walk), Motion(made), limit=1e-2)
        both = self.moved("e.gltf", "--no-clean")
        self.assert_limbs(Motion(self.walk), Motion(both))

    def test_skinned_target_is_kept_whole(self):
        made = self.moved("f.glb", "--no-clean", target=self.skinned)
        self.assertEqual(retarget_files.gltf_findings(self.skinned, made), [])
        doc = gltf.Document(made)
        self.assertEqual([a["name"] for a in doc.json["animations"]], ["walk", "other", "walk 2"])
        self.assert_limbs(Motion(self.walk), Motion(made, "walk 2"), (WALKER, WALKER))

    def test_replace_puts_it_in_the_place_of_a_clip(self):
        made = self.moved("g.glb", "--no-clean", "--replace", "other", target=self.skinned)
        old, new = gltf.Document(self.skinned), gltf.Document(made)
        self.assertEqual([a["name"] for a in new.json["animations"]], ["walk", "other"])
        self.assertEqual(new.json["animations"][0], old.json["animations"][0])
        for key in ("nodes", "meshes", "skins", "scenes"):
            self.assertEqual(new.json[key], old.json[key])
        self.assert_limbs(Motion(self.walk), Motion(made, "other"), (WALKER, WALKER))
        self.assertLess(float(np.max(np.abs(Motion(made, "walk").position - Motion(self.skinned, "walk").position))), 1e-9)

    def test_output_may_be_the_target(self):
        own = self.make_skinned("own.glb")
        self.ok(self.walk, "--onto", own, "-o", own)
        self.assertEqual(len(gltf.Document(own).json["animations"]), 3)
        self.ok(self.walk, "--onto", own, "-o", own)
        self.assertEqual([a["name"] for a in gltf.Document(own).json["animations"]],
                         ["walk", "other", "walk 2", "walk 3"])

    def test_streams(self):
        whole = content(self.moved("h.glb"))
        code, out, err = run("surefoot", "retarget", self.walk, "--onto", self.child, "-o", "-")
        self.assertEqual((code, out), (DONE, whole), err)
        self.assertIn("carries the travel", err)
        code, out, _ = run("surefoot", "retarget", "-", "--onto", self.child_bvh, "-o", "-", stdin=content(self.walk))
        self.assertEqual(code, DONE)
        self.assertTrue(out.startswith(b"HIERARCHY"))
        code, out, _ = run("surefoot", "retarget", self.walk, "--onto", "-", "-o", self.path("h2.glb"),
                           stdin=content(self.child))
        self.assertEqual((code, content(self.path("h2.glb"))), (DONE, whole))

    def test_all_clips(self):
        made = self.path("all.glb")
        text = self.ok(self.skinned, "--onto", self.child, "--all-clips", "-o", made)
        self.assertIn("2 clips", text)
        self.assertEqual([a["name"] for a in gltf.Document(made).json["animations"]], ["walk", "other"])
        self.fails(USAGE, self.skinned, "--onto", self.child, "-o", self.path("one.glb"))
        self.ok(self.skinned, "--onto", self.child_bvh, "--all-clips", "-o", self.path("each.bvh"),
                "--report", self.path("each.html"))
        for name in ("each-walk.bvh", "each-other.bvh"):
            self.assertEqual(retarget_files.bvh_findings(self.child_bvh, self.path(name), 40, 1 / 30), [])
        for name in ("each-walk.html", "each-other.html"):
            self.assertIn(b"Side by side", content(self.path(name)))
        self.fails(USAGE, self.skinned, "--onto", self.child_bvh, "--all-clips", "-o", "-")
        reports = json.loads(self.ok(self.skinned, "--onto", self.child, "--all-clips", "--json", "-o", made))
        self.assertEqual([r["written_as"] for r in reports], ["walk", "other"])

    def test_a_bvh_that_lacks_channels_says_what_to_do(self):
        text = content(self.child_bvh).decode()
        start = text.index("JOINT calf_l")
        channels = re.search(r"CHANNELS 3 .*", text[start:]).group(0)
        hinge = text[:start] + text[start:].replace(channels, "CHANNELS 1 Xrotation", 1)
        rows = hinge.rstrip("\n").split("\n")
        rows[-1] = " ".join(rows[-1].split()[:-2])
        path = self.write("hinge.bvh", "\n".join(rows) + "\n")
        err = self.fails(READ, self.walk, "--onto", path, "-o", self.path("hinge_out.bvh"))
        self.assertIn("calf_l", err)
        self.assertIn(".glb", err)
        self.assertFalse(os.path.exists(self.path("hinge_out.bvh")))
        made = self.moved("hinge_out.glb", "--no-clean", target=path)
        self.assert_limbs(Motion(self.walk), Motion(made))


class Transfer(Retarget):
    def test_a_figure_onto_itself_comes_back_number_by_number(self):
        made = self.moved("same.bvh", "--no-clean", target=self.walk)
        self.assertTrue(np.array_equal(bvh.read(made).values, bvh.read(self.walk).values))

    def test_travel_goes_by_leg_length_and_lies_on_the_root(self):
        made = Motion(self.moved("root.glb", "--no-clean"))
        report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", self.path("x.glb"), "--json"))
        path = Motion(self.walk).at("Hips")[:, [0, 2]]
        root, pelvis = made.at("root"), made.at("pelvis")
        # legs begin between the sockets: that place travels, whichever joint above it is the hips
        source = Motion(self.walk)
        legs = 0.5 * (source.at("LeftUpLeg") + source.at("RightUpLeg"))[:, [0, 2]]
        made_legs = 0.5 * (made.at("thigh_l") + made.at("thigh_r"))[:, [0, 2]]
        self.assertLess(float(np.max(np.abs(root[:, [0, 2]] - report["scale"] * path))), 1e-4 + 0.02)
        self.assertLess(float(np.max(np.abs(root[:, 1]))), 1e-6)
        moved = made_legs - made_legs[0]
        self.assertLess(float(np.max(np.abs(moved - report["scale"] * (legs - legs[0])))), 1e-5)
        hips = Motion(self.moved("hips.glb", "--no-clean", "--root", "hips"))
        self.assertLess(float(np.max(np.abs(hips.at("root")))), 1e-6)
        self.assertLess(float(np.max(np.abs(hips.at("pelvis") - pelvis))), 1e-5)

    def test_scale_is_taken_as_told(self):
        one = Motion(self.moved("s1.glb", "--no-clean", "--scale", 1)).at("pelvis")[:, 2]
        two = Motion(self.moved("s2.glb", "--no-clean", "--scale", 0.25)).at("pelvis")[:, 2]
        self.assertAlmostEqual(float((two[-1] - two[0]) / (one[-1] - one[0])), 0.25, places=5)

    def test_mirror_swaps_left_and_right(self):
        made = Motion(self.moved("mirror.glb", "--no-clean", "--mirror"))
        self.assert_limbs(Motion(self.walk), made, mirror=True)

    def test_poses_may_be_given(self):
        plain = content(self.moved("p0.glb"))
        self.assertEqual(content(self.moved("p1.glb", "--source-pose", "rest", "--target-pose", "rest")), plain)
        bent = Motion(self.moved("p2.glb", "--no-clean", "--source-pose", 30))
        self.assertEqual(len(bent.position), 180)
        # A T-pose in frame 0 of the walker instead of its rest pose.
        reference = self.path("reference.bvh")
        run("surefoot-make-sample", reference, "--reference", "--frames", 60)
        one = Motion(self.moved("p3.glb", "--no-clean", "--source-pose", 0, source=reference))
        two = Motion(self.moved("p4.glb", "--no-clean", "--source-pose", "rest", source=reference))
        self.assertLess(float(np.max(np.abs(one.position - two.position))), 1e-4)

    def test_units_and_axes_of_the_target_may_be_given(self):
        made = self.moved("unit.bvh", "--no-clean", "--target-unit", "cm", "--target-up", "Y", target=self.child_bvh)
        plain = self.moved("unit0.bvh", "--no-clean", target=self.child_bvh)
        self.assertEqual(content(made), content(plain))
        # A Z-up copy of the child gets the same motion, turned.
        code, _, err = run("surefoot", "convert", self.child_bvh, "--out-up", "Z", "--out-unit", "m", "-o",
                           self.path("child_z.bvh"))
        self.assertEqual(code, DONE, err)
        turned = Motion(self.moved("z.bvh", "--no-clean", target=self.path("child_z.bvh")), scale=1.0)
        straight = Motion(plain)
        for name in ("pelvis", "hand_r", "foot_l"):
            p = turned.at(name)
            self.assertLess(float(np.max(np.abs(np.stack([p[:, 0], p[:, 2], -p[:, 1]], 1) - straight.at(name)))), 1e-6)

    def test_same_input_same_bytes(self):
        self.assertEqual(content(self.moved("once.glb")), content(self.moved("twice.glb")))


class Maps(Retarget):
    def write_map(self, name="map.json", target=None):
        path = self.path(name)
        self.ok(self.walk, "--onto", target or self.child, "--map-out", path)
        return path

    def test_map_alone_writes_nothing_else(self):
        before = set(os.listdir(self.folder))
        path = self.write_map("alone.json")
        self.assertEqual(set(os.listdir(self.folder)) - before, {"alone.json"})
        json.loads(content(path))
        report = json.loads(self.ok(self.walk, "--onto", self.child, "--map-out", path, "--json"))
        self.assertEqual(report["source_rig"]["hips"], "Hips")
        code, out, err = run("surefoot", "retarget", self.walk, "--onto", self.child, "--map-out", "-")
        self.assertEqual((code, out), (DONE, content(path)), err)

    def test_a_map_needs_no_clip(self):
        self.ok(self.child, "--onto", self.skinned, "--map-out", self.path("rest.json"))
        self.fails(READ, self.child, "--onto", self.skinned, "-o", self.path("rest.glb"))

    def test_map_goes_round(self):
        made = self.path("round.glb")
        self.ok(self.walk, "--onto", self.child, "-o", made, "--map-out", self.path("round.json"))
        self.assertEqual(content(made), content(self.moved("round2.glb", "--map", self.path("round.json"))))
        self.ok(self.walk, "--onto", self.child, "--map", self.path("round.json"), "--map-out",
                self.path("round3.json"))
        self.assertEqual(content(self.path("round.json")), content(self.path("round3.json")))

    def test_an_edited_map_is_followed(self):
        text = content(self.write_map("edit.json")).decode()
        edited = text.replace('"LeftForeArm"', '"RightForeArm"')
        self.assertNotEqual(edited, text)
        report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", self.path("edited.glb"), "--json", "--map",
                                    self.write("edited.json", edited)))
        pairs = {p["target"]: p for p in report["map"]["pairs"]}
        self.assertEqual(pairs["lowerarm_l"]["source"], "RightForeArm")
        self.assertEqual(pairs["lowerarm_r"]["source"], "RightForeArm")

    def test_a_hand_is_meant_by_its_name_though_its_end_site_answers_to_it_too(self):
        text = content(self.write_map("hand.json")).decode()
        edited = re.sub(r'\{"target": "thumb_01_l".*', '{"target": "thumb_01_l", "rule": "joint", "source": "LeftHand"},',
                        text)
        self.assertNotEqual(edited, text)
        report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", self.path("hand.glb"), "--json", "--map",
                                    self.write("hand2.json", edited)))
        pairs = {p["target"]: p for p in report["map"]["pairs"]}
        self.assertEqual(pairs["thumb_01_l"]["source"], "LeftHand")

    def test_a_map_of_another_rig_is_refused_with_what_differs(self):
        path = self.write_map("other.json")
        err = self.fails(READ, self.walk, "--onto", self.skinned, "-o", self.path("no.glb"), "--map", path)
        self.assertIn("other.json", err)
        self.assertIn("target", err)
        # A joint more in the source.
        text = content(self.walk).decode()
        renamed = self.write("renamed.bvh", text.replace("LeftForeArm", "LeftLowerArm"))
        err = self.fails(READ, renamed, "--onto", self.child, "-o", self.path("no.glb"), "--map", path)
        self.assertIn("source", err)
        self.assertIn("LeftLowerArm", err)
        self.assertFalse(os.path.exists(self.path("no.glb")))

    def test_broken_maps_say_where(self):
        text = content(self.write_map("whole.json")).decode()
        for name, broken in (("empty.json", ""), ("cut.json", text[:len(text) // 2]), ("list.json", "[]"),
                             ("joint.json", text.replace('"LeftForeArm"', '"Nobody"')),
                             ("share.json", re.sub(r'"share": *[0-9.]+', '"share": 7', text, count=1)),
                             ("bytes.json", "\x00\x01{"), ("deep.json", "[" * 100000)):
            err = self.fails(MEMORY if name == "deep.json" else READ, self.walk, "--onto", self.child, "-o",
                             self.path("no.glb"), "--map", self.write(name, broken))
            self.assertIn(name, err)
        self.assertFalse(os.path.exists(self.path("no.glb")))


class Feet(Retarget):
    def planted(self, made, labels):
        """Mean and largest speed [cm/s] of the child's toes where the walker's are planted."""
        steps = []
        for toe, plant in zip(CHILD_TOES, labels.values()):
            speed = 100.0 * np.linalg.norm(np.diff(made.at(toe), axis=0), axis=1) / made.dt
            steps.append(speed[plant[1:] & plant[:-1]])
        return float(np.mean(np.concatenate(steps))), float(np.max(np.concatenate(steps)))

    def test_planted_feet_stand_on_the_targets_ground(self):
        labels = labels_of(self.labels)
        for name, target in (("feet.glb", self.child), ("feet.bvh", self.child_bvh)):
            before = self.planted(Motion(self.moved("raw" + name, "--no-clean", target=target)), labels)
            made = Motion(self.moved(name, "--contacts", self.labels, target=target))
            after = self.planted(made, labels)
            self.assertGreater(before[0], 1.0)
            self.assertLess(after[0], 0.1)
            for toe, plant in zip(CHILD_TOES, labels.values()):
                height = made.at(toe)[:, 1]
                self.assertLess(float(np.ptp(height[plant])), 0.002)
                self.assertGreater(float(np.min(height)), float(np.median(height[plant])) - 0.005)

    def test_found_contacts_do_as_well(self):
        report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", self.path("found.glb"), "--json"))
        self.assertLess(report["written_figures"]["clip"]["slide_mean_cm_s"], 0.1)
        self.assertGreater(report["moved_figures"]["clip"]["slide_mean_cm_s"], 1.0)
        self.assertGreater(report["mended"]["plants"], 4)

    def test_no_clean_leaves_them(self):
        text = self.ok(self.walk, "--onto", self.child, "-o", self.path("left.glb"), "--no-clean")
        self.assertIn("--no-clean", text)
        report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", self.path("left.glb"), "--no-clean",
                                    "--json"))
        self.assertFalse(report["cleaned"])
        for key, value in report["moved_figures"]["clip"].items():
            if isinstance(value, float):
                self.assertAlmostEqual(report["written_figures"]["clip"][key], value, delta=1e-3, msg=key)

    def test_a_goal_holds_a_hand(self):
        made = Motion(self.moved("goal.glb", "--goal", "hand_l:head@60-120"))
        free = Motion(self.moved("free.glb"))

        def near(m, frames):
            return np.linalg.norm(m.at("hand_l") - m.at("head"), axis=1)[frames]

        inside = slice(60, 121)
        self.assertLess(float(np.ptp(near(made, inside))), 0.01)
        self.assertGreater(float(np.ptp(near(free, inside))), 0.02)
        placed = Motion(self.moved("placed.glb", "--unreachable", "release", "--goal", "hand_r@100-110=-0.25,0.7,1.2"))
        self.assertEqual(len(placed.position), 180)

    def test_goals_out_of_reach_are_named(self):
        for how in ("pelvis", "release", "stretch"):
            report = json.loads(self.ok(self.walk, "--onto", self.child, "-o", self.path("far.glb"), "--json",
                                        "--unreachable", how, "--goal", "hand_r@100-110=30,30,30"))
            named = [m for m in report["misses"] if m["joint"].startswith("hand_r")]
            self.assertTrue(named)
            self.assertTrue(all(100 <= m["frame"] <= 110 or how != "" for m in named))
            self.assertGreater(named[0]["target_distance_m"], 30.0)
            self.assertAlmostEqual(named[0]["chain_length_m"], 0.292, delta=0.01)
        text = self.ok(self.walk, "--onto", self.child, "-o", self.path("far.glb"), "--goal",
                       "hand_r@100-110=30,30,30")
        self.assertIn("Not reached", text)
        self.assertIn("hand_r", text)

    def test_hands_are_kept_where_asked(self):
        made = Motion(self.moved("keep.glb", "--keep", "hands"))
        self.assertEqual(len(made.position), 180)

    def test_a_treadmill_keeps_its_ground(self):
        still = self.path("treadmill.bvh")
        run("surefoot-make-sample", still, "--treadmill", "--frames", 180)
        report = json.loads(self.ok(still, "--onto", self.child, "-o", self.path("mill.glb"), "--json"))
        self.assertLess(report["written_figures"]["clip"]["slide_mean_cm_s"], 0.1)
        pelvis = Motion(self.path("mill.glb")).at("pelvis")
        self.assertLess(float(np.max(np.abs(pelvis[:, [0, 2]] - pelvis[0, [0, 2]]))), 0.1)


class Pages(Retarget):
    def test_page_and_picture_stand_alone(self):
        page, picture = self.path("page.html"), self.path("picture.svg")
        self.ok(self.walk, "--onto", self.child, "-o", self.path("page.glb"), "--report", page, "--picture", picture)
        text = content(page).decode()
        for word in ("Side by side", "Limbs over time", "Feet over time", "Map", "Figures", "prefers-color-scheme:dark",
                     "width=device-width", "upperarm_l", "LeftForeArm", "ball_l"):
            self.assertIn(word, text)
        self.assertNotRegex(text, r"(src|href)\s*=\s*[\"']?https?:")
        self.assertEqual(text.count("<section>"), text.count("</section>"))
        self.assertEqual(text.count("<div"), text.count("</div>"))
        self.assertNotIn("nan", text.lower().replace("finance", ""))
        root = xml.etree.ElementTree.fromstring(content(picture))
        self.assertTrue(root.tag.endswith("svg"))
        self.assertGreater(len(list(root.iter())), 100)

    def test_names_cannot_break_the_page(self):
        evil = self.write("evil.bvh", content(self.child_bvh).decode().replace("upperarm_l", "<script>\"&'_l"))
        page, picture = self.path("evil.html"), self.path("evil.svg")
        self.ok(self.walk, "--onto", evil, "-o", self.path("evil_out.bvh"), "--report", page, "--picture", picture)
        self.assertNotIn("<script>\"", content(page).decode())
        xml.etree.ElementTree.fromstring(content(picture))


ONE_JOINT = """HIERARCHY
ROOT stick
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 1 0
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0
1 0 0 0 0 0
"""


class Hostile(Retarget):
    def test_figures_that_are_not_alike(self):
        stick = self.write("stick.bvh", ONE_JOINT)
        made = self.path("stick.glb")
        for source, target in ((self.walk, stick), (stick, self.child)):
            err = self.fails(UNALIKE, source, "--onto", target, "-o", made)
            self.assertIn(source, err)
            self.assertIn(target, err)
            self.assertGreater(len(err), 60)
        self.assertFalse(os.path.exists(made))

    def test_sources_without_frames_and_targets_without_joints(self):
        head, tail = content(self.walk).decode().split("MOTION")
        none = self.write("none.bvh", head + "MOTION\nFrames: 0\nFrame Time: 0.01\n")
        made = self.path("no_frames.glb")
        self.assertIn("no frames", self.fails(READ, none, "--onto", self.child, "-o", made))
        # The same as a target: its rest pose is enough.
        self.ok(self.walk, "--onto", none, "-o", self.path("onto_none.bvh"))
        self.assertEqual(bvh.read(self.path("onto_none.bvh")).frames, 180)
        empty = self.write("empty.gltf", '{"asset": {"version": "2.0"}}')
        code, _, err = run("surefoot", "retarget", self.walk, "--onto", empty, "-o", made)
        self.assertIn(code, (READ, UNALIKE), err)
        self.assertIn("empty.gltf", err)
        self.assertFalse(os.path.exists(made))

    def test_one_frame_is_enough(self):
        head, tail = content(self.walk).decode().split("MOTION")
        rows = tail.strip().split("\n")
        one = self.write("one.bvh", head + "MOTION\nFrames: 1\nFrame Time: 0.01\n" + rows[2] + "\n")
        made = self.moved("one.glb", source=one)
        self.assertEqual(len(gltf.Document(made).json["animations"]), 1)
        self.moved("one_out.bvh", "--report", self.path("one.html"), source=one, target=self.child_bvh)

    def test_huge_and_odd_names(self):
        text = content(self.child_bvh).decode()
        long = self.write("long.bvh", text.replace("upperarm_l", "u" * 20000 + "_l").replace("calf_r", "\u00e9\u200b%s%n"))
        made = self.moved("long_out.bvh", "--report", self.path("long.html"), "--map-out", self.path("long.json"),
                          target=long)
        self.assertIn("u" * 20000, content(made).decode())
        self.ok(self.walk, "--onto", long, "-o", self.path("long2.bvh"), "--map", self.path("long.json"))
        same = self.write("same_names.bvh", re.sub(r"(JOINT|ROOT) \S+", r"\1 bone", text))
        self.moved("same_out.bvh", "--map-out", self.path("same.json"), target=same)
        self.moved("same_out2.bvh", "--map", self.path("same.json"), target=same)
        self.assertEqual(content(self.path("same_out.bvh")), content(self.path("same_out2.bvh")))

    def test_numbers_that_are_out_of_range_are_named(self):
        lines = content(self.walk).decode().rstrip("\n").split("\n")
        lines[-1] = "1e30 " + " ".join(lines[-1].split()[1:])
        far = self.write("far.bvh", "\n".join(lines) + "\n")
        err = self.fails(READ, far, "--onto", self.child, "-o", self.path("far_out.glb"))
        self.assertIn("far.bvh", err)
        self.assertFalse(os.path.exists(self.path("far_out.glb")))

    def test_a_failed_run_leaves_the_target_alone(self):
        own = self.make_skinned("kept.glb")
        before = content(own)
        self.fails(USAGE, self.walk, "--onto", own, "-o", own, "--goal", "nobody@0-1")
        self.fails(WRITE, self.walk, "--onto", own, "-o", os.path.join(self.folder, "no", "such", "place.glb"))
        self.assertEqual(content(own), before)
        self.assertEqual([n for n in os.listdir(self.folder) if ".tmp" in n], [])


@unittest.skipUnless(os.path.isdir(DATA), "SKIP: the optional data folder is not there (SFT_DATA)")
class RealFiles(Retarget):
    """One pair of each kind; the whole matrix is the judge's business."""

    def data(self, name):
        path = os.path.join(DATA, name)
        if not os.path.exists(path):
            self.skipTest("SKIP: %s is not there" % name)
        return path

    def report(self, source, target, made, *more):
        return json.loads(self.ok(source, "--onto", target, "-o", made, "--json", *more))

    def assert_good(self, report, limbs=8):
        self.assertGreaterEqual(len(report["limbs"]), limbs)
        for limb in report["limbs"]:
            self.assertLess(limb["moved_mean_degrees"], 2.0, limb)
            self.assertLess(limb["moved_p99_degrees"], 6.0, limb)

    def test_cmu_walk_onto_knight(self):
        target, made = self.data("gltf/kaykit_Knight.glb"), self.path("knight.glb")
        report = self.report(self.data("bvh/cmu_12_01_walk.bvh"), target, made)
        self.assertEqual(retarget_files.gltf_findings(target, made), [])
        self.assert_good(report)

    def test_bitmoji_walk_onto_its_model(self):
        target, made = self.data("gltf/bitmoji_model.glb"), self.path("bitmoji.glb")
        report = self.report(self.data("gltf/bitmoji_walk.glb"), target, made)
        # Nodes that a matrix placed are placed by translation, rotation and scale now: animated ones may have no matrix.
        self.assertEqual([f for f in retarget_files.gltf_findings(target, made) if f != "nodes differs"], [])
        old, new = gltf.Document(target), gltf.Document(made)
        place = ("matrix", "translation", "rotation", "scale")
        self.assertEqual(*([{k: v for k, v in n.items() if k not in place} for n in d.nodes] for d in (old, new)))
        self.assertLess(float(np.max(np.abs(gltf.rest_globals(old) - gltf.rest_globals(new)))), 1e-6)
        self.assert_good(report)

    def test_clips_onto_their_character_turn_every_joint_as_they_are(self):
        """Their own rest poses are frames of them; the character's reference pose must be that of both."""
        for clip in ("bitmoji_walk", "bitmoji_idle"):
            target, made = self.data("gltf/bitmoji_model.glb"), self.path(clip + ".glb")
            report = self.report(self.data("gltf/%s.glb" % clip), target, made, "--no-clean")
            self.assertEqual(report["source_rig"]["reason"], "pose of its character")
            documents = [gltf.Document(p) for p in (self.data("gltf/%s.glb" % clip), made)]
            clips = [d.clip(len(d.animations) - 1) for d in documents]
            turns = []
            for document, motion in zip(documents, clips):
                world = rotations_of(motion.globals(motion.times()[0] + clips[1].times() - clips[1].times()[0]))
                hips = world[:, document.find("C_spine0001_bind_JNT")]
                turns.append({document.name(i): np.swapaxes(hips, -1, -2) @ world[:, i] for i in range(len(document.nodes))})
            shared = [n for n in turns[0] if n in turns[1] and n.endswith("_bind_JNT") and "0001" in n]
            self.assertGreater(len(shared), 15)
            for name in shared:
                self.assertLess(float(np.max(np.abs(turns[0][name] - turns[1][name]))), 1e-3, name)

    def test_fox_onto_spider_is_refused_and_spider_onto_spider_is_not(self):
        fox, spider = self.data("gltf/m2m_fox-animations.glb"), self.data("gltf/m2m_spider-animations.glb")
        rig = self.data("gltf/m2m_rig-spider.glb")
        err = self.fails(UNALIKE, fox, "--clip", "0", "--onto", rig, "-o", self.path("no.glb"))
        self.assertIn("legs", err)
        report = self.report(spider, rig, self.path("spider.glb"), "--clip", "0")
        self.assertEqual(len(report["limbs"]), 16)
        self.assert_good(report, 16)

    def test_mixamo_fbx_onto_a_rig_without_a_mesh(self):
        if not os.path.exists(os.path.join(BIN, "surefoot-fbx")):
            self.skipTest("SKIP: no surefoot-fbx here")
        target, made = self.data("gltf/m2m_rig-human.glb"), self.path("m2m.glb")
        report = self.report(self.data("fbx/mixamo_original_rig.fbx"), target, made, "--clip", "mixamo.com")
        self.assertEqual(retarget_files.gltf_findings(target, made), [])
        self.assert_good(report)

    def test_onto_a_bvh_of_six_channels_everywhere(self):
        target, made = self.data("bvh/geno_stance_6ch.bvh"), self.path("geno.bvh")
        source = self.data("bvh/cmu_12_01_walk.bvh")
        report = self.report(source, target, made)
        clip = bvh.read(source)
        findings = retarget_files.bvh_findings(target, made, clip.frames, clip.frame_time)
        # Numbers are written in the fewest digits: 2e-5 for 2e-05.
        self.assertEqual([f for f in findings if f != "the text of the hierarchy differs"], [])
        self.assert_good(report)

    def test_onto_makehuman(self):
        target, made = self.data("bvh/makehuman_tpose.bvh"), self.path("makehuman.bvh")
        report = self.report(self.data("bvh/cmu_jumping_jacks_max.bvh"), target, made)
        self.assertEqual(bvh.read(made).frames, 125)
        self.assert_good(report)

    def test_fbx_target_comes_out_as_glb(self):
        if not os.path.exists(os.path.join(BIN, "surefoot-fbx")):
            self.skipTest("SKIP: no surefoot-fbx here")
        made = self.path("fbx_target.glb")
        self.report(self.walk, self.data("fbx/geno_stance.fbx"), made)
        self.assertEqual(content(made)[:4], b"glTF")


if __name__ == "__main__":
    if not os.path.isdir(DATA):
        print("SKIP RealFiles: the optional data folder is not there (SFT_DATA)")
    unittest.main(verbosity=1 if len(sys.argv) > 1 else 0)
