#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Runs `surefoot adapt` as people do: grounds of every kind, every format, pipes, JSON, wrong and hostile arguments.

What stands on the ground is judged by bench/judge, which has its own grounds and kinematics, where a Python with NumPy
is at hand. SFT_BIN is the folder of the programs.
"""

import csv
import json
import math
import os
import random
import re
import struct
import subprocess
import tempfile
import unittest

import test_cli
from test_cli import DONE, MEMORY, NO_LEGS, READ, USAGE, WRITE, content, run, surefoot

JUDGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "bench", "judge", "adapt_judge.py")
DATA = os.environ.get("SFT_DATA") or os.path.join(os.path.dirname(JUDGE), "..", "..", "..", "shared", "data")


def numpy_python():
    for python in ("/usr/bin/python3", "python3"):
        try:
            if subprocess.run([python, "-c", "import numpy"], capture_output=True, check=False).returncode == 0:
                return python
        except OSError:
            pass
    return None


PYTHON = numpy_python()


class Adapt(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="surefoot-adapt-")
        cls.folder = cls.temporary.name
        cls.walk, cls.slid, cls.glb = cls.path("walk.bvh"), cls.path("slid.bvh"), cls.path("walk.glb")
        for code, _, err in (run("surefoot-make-sample", cls.walk, "--labels", cls.path("true.csv"), "--frames", 300),
                             run("surefoot-make-sample", cls.glb, "--frames", 200),
                             surefoot("convert", cls.walk, "--root-scale", 1.25, "-o", cls.slid)):
            assert code == 0, err

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return self.path(name)

    def ok(self, *arguments, **more):
        code, out, err = surefoot(*arguments, **more)
        self.assertEqual(code, DONE, err)
        return out.decode("utf-8")

    def fails(self, expected, *arguments, **more):
        code, out, err = surefoot(*arguments, **more)
        self.assertEqual(code, expected, (arguments, out, err))
        self.assertTrue(err.startswith("surefoot: "), err)
        return err

    def adapt(self, ground, *more, source=None, out="out.bvh"):
        out = self.path(out)
        text = self.ok("adapt", source or self.walk, "--ground", ground, "-o", out, "--json", *more)
        return json.loads(text), out

    def judge(self, source, out, ground, report, labels):
        if PYTHON is None:
            self.skipTest("SKIP: no Python with NumPy")
        with open(self.path("report.json"), "w", encoding="utf-8") as file:
            json.dump(report, file)
        done = subprocess.run([PYTHON, JUDGE, source, out, "--ground", ground, "--labels", labels, "--report",
                               self.path("report.json")], capture_output=True, check=False, timeout=300)
        return done.returncode, done.stdout.decode("utf-8") + done.stderr.decode("utf-8")


class Grounds(Adapt):
    """What comes out."""

    def test_level_ground_changes_nothing(self):
        for source, out in ((self.walk, "same.bvh"), (self.glb, "same.glb")):
            _, out = self.adapt("plane:", "--no-clean", source=source, out=out)
            self.assertEqual(content(source), content(out))

    def test_every_made_ground_is_stood_on(self):
        labels = self.path("labels.csv")
        self.ok("contacts", self.walk, "-o", labels)
        for ground in ("slope:angle=10", "slope:angle=-8,start=1,length=2", "stairs:rise=0.1,run=0.4", "rough:height=0.06",
                       "plane:pitch=4,roll=3,height=0.05", "stairs:rise=0.12,run=0.65,down", "gap:width=0.25,depth=0.3"):
            with self.subTest(ground):
                report, out = self.adapt(ground)
                for foot in report["feet"]:
                    self.assertLess(foot["support_off_cm"], 0.5)
                    self.assertLess(foot["through_ground_cm"], 0.5)
                    self.assertLess(foot["pitch_off_degrees"], 2.0)
                    self.assertLess(foot["roll_off_degrees"], 2.0)
                    self.assertLessEqual(foot["knee_straightest"],
                                         max(foot["knee_straightest_source"], 0.995) + 1e-4)
                self.assertLess(report["pelvis_jerk_ratio"], 3.0)
                self.assertEqual((report["stands"], report["faults"]), (True, []))
                self.assertLess(report["after"]["clip"]["slide_max_cm_s"], 0.5)
                if PYTHON is None:
                    continue
                _, said = self.judge(self.walk, out, report["ground"], report, labels)
                for name in ("support off ground cm", "pelvis jerk ratio", "slide max cm/s", "other joints untouched",
                             "foot pitch off degrees", "foot roll off degrees"):
                    self.assertIn("pass  " + name, said)

    def test_a_foot_that_rises_onto_its_toe_keeps_its_foothold(self):
        """By the walk's true contacts plants last until the heel is high over the lower end of the slope."""
        walk, truth = self.path("longer.bvh"), self.path("longer.csv")
        self.assertEqual(run("surefoot-make-sample", walk, "--labels", truth, "--frames", 480)[0], 0)
        for ground in ("slope:angle=-8,start=1,length=2", "rough:height=0.06"):
            with self.subTest(ground):
                report, out = self.adapt(ground, "--contacts", truth, source=walk)
                for foot in report["feet"]:
                    self.assertLess(foot["pitch_off_degrees"], 2.0)
                if PYTHON is not None:
                    self.assertIn("pass  foot pitch off degrees", self.judge(walk, out, report["ground"], report, truth)[1])

    def test_the_figures_are_the_judges(self):
        labels = self.path("labels.csv")
        self.ok("contacts", self.walk, "-o", labels)
        # A heel that a knife would pass under: the ankle may not tilt, so that the sole stands off.
        report, out = self.adapt("slope:angle=15", "--pitch-max", 5)
        _, said = self.judge(self.walk, out, report["ground"], report, labels)
        self.assertIn("pelvis jerk ratio", said)
        line = next(l for l in said.split("\n") if "pelvis jerk ratio" in l)
        self.assertAlmostEqual(float(line[len("pass  pelvis jerk ratio"):].split()[0]), report["pelvis_jerk_ratio"],
                               delta=0.02)
        self.assertTrue(any(m["fault"] == "tilt" for m in report["misses"]), report["misses"])
        miss = next(m for m in report["misses"] if m["fault"] == "tilt")
        self.assertGreater(miss["tilt_degrees"], 5.0)
        self.assertIn("--pitch-max", miss["remedy"])

    def test_what_was_chosen_can_be_given_back(self):
        for ground in ("plane:pitch=3", "slope:", "stairs:", "stairs:down", "gap:", "gap:depth=0.2", "rough:"):
            report, out = self.adapt(ground)
            again, other = self.adapt(report["ground"], out="again.bvh")
            self.assertEqual(content(out), content(other), ground)
            self.assertEqual(report["ground"], again["ground"])

    def test_the_ground_is_written_for_viewers_and_is_the_same_ground(self):
        for ground in ("plane:pitch=5,roll=2", "stairs:rise=0.12", "rough:", "slope:start=0.5,length=1"):
            report, out = self.adapt(ground, "--ground-out", self.path("g.obj"))
            # In the file's own unit, centimetres.
            self.assertIn(b"# unit 0.01 m, up Y", content(self.path("g.obj")))
            again, other = self.adapt(self.path("g.obj") + ",unit=cm", out="again.bvh")
            a, b = test_cli.read_bvh(out)[2], test_cli.read_bvh(other)[2]
            worst = max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q))
            self.assertLess(worst, 0.02, ground)  # cm and degrees
            self.assertEqual(report["plants"], again["plants"])

    def test_an_obj_moved_turned_and_scaled(self):
        # A ramp along +X in inches with Z up: 1 in 5.
        obj = self.write("ramp.obj", "v 0 -100 0\nv 500 -100 100\nv 500 100 100\nv 0 100 0\nf 1 2 3 4\n")
        report, out = self.adapt(obj + ",unit=inch,up=z,scale=2,heading=-90,z=-0.5,y=0.1")
        self.assertEqual(report["misses"], [])
        same, other = self.adapt("plane:pitch=%r,x=0,z=-0.5,y=0.1,heading=0" % math.degrees(math.atan(0.2)), out="b.bvh")
        a, b = test_cli.read_bvh(out)[2], test_cli.read_bvh(other)[2]
        self.assertLess(max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p, q)), 0.02)
        self.assertEqual(same["plants"], report["plants"])

    def test_a_glb_with_the_sample_walker_is_no_ground_but_one_with_a_mesh_is(self):
        self.fails(READ, "adapt", self.walk, "--ground", self.glb, "-o", self.path("x.bvh"))
        points = struct.pack("<12f", -50, 0.1, -50, 50, 0.1, -50, 50, 0.1, 50, -50, 0.1, 50)
        corners = struct.pack("<6H", 0, 2, 1, 0, 3, 2)
        j = {"asset": {"version": "2.0"}, "nodes": [{"mesh": 0}],
             "meshes": [{"primitives": [{"attributes": {"POSITION": 0}, "indices": 1}]}],
             "accessors": [{"bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3"},
                           {"bufferView": 1, "componentType": 5123, "count": 6, "type": "SCALAR"}],
             "bufferViews": [{"buffer": 0, "byteLength": 48}, {"buffer": 0, "byteOffset": 48, "byteLength": 12}],
             "buffers": [{"byteLength": 60, "uri": "floor.bin"}]}
        with open(self.path("floor.bin"), "wb") as file:
            file.write(points + corners)
        floor = self.write("floor.gltf", json.dumps(j))
        report, _ = self.adapt(floor)
        self.assertEqual(report["misses"], [])
        shift = 100 * (0.1 - report["floor_m"])
        self.assertAlmostEqual(report["pelvis_shift_max_cm"], shift, delta=0.3)

    def test_a_profile_from_a_table(self):
        table = self.write("kerb.csv", "distance,height\n0,0\r\n1.2,0\n1.2;0.1\n# a gap\n3, nan\n3.2, 0.1")
        report, out = self.adapt("profile:%s,start=0.2" % table)
        self.assertIn("start=0.2", report["ground"])
        again, other = self.adapt("stairs:rise=0.1,count=1,start=1.4", out="b.bvh")
        self.assertEqual(report["plants"], again["plants"])
        self.assertAlmostEqual(report["pelvis_shift_max_cm"], again["pelvis_shift_max_cm"], delta=1.5)
        for text, message in (("1,0\n0,0", ":2: distances"), ("1\n", ":1: a line"), ("1,2\n3\n", ":2: a line"),
                              ("1,x\n", ":1: the height"), ("1e9,0\n1,0\n", ":1:"), ("", "no line"), ("1,0\0", "no text")):
            err = self.fails(READ, "adapt", self.walk, "--ground", "profile:" + self.write("bad.csv", text), "-o",
                             self.path("x.bvh"))
            self.assertIn(message, err)

    def test_missing_ground_is_listed_with_its_frames(self):
        patch = self.write("patch.obj", "v -2 0.02 -1\nv 2 0.02 -1\nv 2 0.02 2\nv -2 0.02 2\nf 1 2 3 4\n")
        report, _ = self.adapt(patch)
        faults = {m["fault"] for m in report["misses"]}
        self.assertEqual(faults, {"no ground"})
        for miss in report["misses"]:
            self.assertLessEqual(miss["first"], miss["last"])
            self.assertIn("move the ground", miss["remedy"])
        text = self.ok("adapt", self.walk, "--ground", patch, "-o", self.path("x.bvh"))
        self.assertIn("no ground", text)

    def test_sliding_feet_are_cleaned_first(self):
        report, _ = self.adapt("slope:", source=self.slid)
        self.assertTrue(report["cleaned"])
        self.assertLess(report["after"]["clip"]["slide_max_cm_s"], 0.5)
        self.assertGreater(report["before"]["clip"]["slide_mean_cm_s"], 5.0)
        report, _ = self.adapt("slope:", "--no-clean", source=self.slid)
        self.assertFalse(report["cleaned"])
        text = self.ok("adapt", self.slid, "--ground", "slope:", "-o", self.path("x.bvh"))
        self.assertIn("cleaned first", text)

    def test_the_floor_is_found_or_given(self):
        report, _ = self.adapt("plane:")
        self.assertIn("lowest", report["floor_reason"])
        given, _ = self.adapt("plane:", "--floor", report["floor_m"])
        self.assertEqual(given["floor_reason"], "given on the command line")
        self.assertEqual(given["ground"], report["ground"])

    def test_frame_by_frame(self):
        for ground in ("slope:angle=8", "stairs:rise=0.1,run=0.45", "rough:height=0.05"):
            report, out = self.adapt(ground, "--method", "runtime")
            self.assertEqual(report["method"], "runtime")
            self.assertEqual(report["misses"], [])
            for foot in report["feet"]:
                self.assertLess(foot["support_off_cm"], 4.0)
            # What comes later changes nothing that was.
            cut = self.path("cut.bvh")
            self.ok("convert", self.walk, "--frames", "0:150", "-o", cut)
            labels, first = self.path("labels.csv"), self.path("first.csv")
            self.ok("contacts", self.walk, "-o", labels)
            with open(labels, encoding="utf-8") as file:
                lines = file.read().split("\n")
            self.write("first.csv", "\n".join(lines[:1] + [l for l in lines[1:] if l and int(l.split(",")[0]) < 150]) + "\n")
            more = ("--method", "runtime", "--no-clean", "--floor", report["floor_m"])
            self.adapt(report["ground"], "--contacts", labels, *more)
            self.adapt(report["ground"], "--contacts", first, *more, source=cut, out="b.bvh")
            a, b = test_cli.read_bvh(out)[2], test_cli.read_bvh(self.path("b.bvh"))[2]
            self.assertEqual(a[:len(b)], b)
        _, out = self.adapt("plane:", "--method", "runtime", "--no-clean")
        self.assertEqual(content(self.walk), content(out))
        patch = self.write("patch.obj", "v -2 0.02 -1\nv 2 0.02 -1\nv 2 0.02 2\nv -2 0.02 2\nf 1 2 3 4\n")
        report, _ = self.adapt(patch, "--method", "runtime")
        self.assertEqual({m["fault"] for m in report["misses"]}, {"no ground"})
        self.assertIn("--method", self.fails(USAGE, "adapt", self.walk, "--ground", "plane:", "-o", self.path("never.bvh"),
                                             "--method", "magic"))

    def test_a_walk_there_and_back_is_laid_along_its_way(self):
        # Frame by frame forward, then backward: it ends where it began, and its way is still the way there.
        head, _, rows = content(self.walk).decode("utf-8").partition("Frame Time:")
        time, *rows = rows.strip().split("\n")
        both = rows + rows[::-1]
        back = self.write("back.bvh", "%sFrame Time:%s\n%s\n" % (
            head.replace("Frames: %d" % len(rows), "Frames: %d" % len(both)), time, "\n".join(both)))
        for ground in ("stairs:", "slope:", "gap:"):
            one, _ = self.adapt(ground, "--no-clean")
            two, _ = self.adapt(ground, "--no-clean", "--floor", one["floor_m"], source=back, out="b.bvh")
            self.assertEqual(one["ground"], two["ground"])
            self.assertEqual(two["frames"], 2 * one["frames"])

    def test_options_reach_the_solver(self):
        wide, _ = self.adapt("stairs:rise=0.15,run=0.3")
        tight, _ = self.adapt("stairs:rise=0.15,run=0.3", "--place-max", 0)
        self.assertEqual(tight["moved_plants"], 0)
        self.assertGreater(wide["moved_plants"], 0)


class Files(Adapt):
    """Formats, streams, many clips."""

    def test_every_format_that_can_be_written(self):
        for source in (self.walk, self.glb):
            for name in ("o.bvh", "o.glb", "o.gltf"):
                report, out = self.adapt("slope:angle=8", source=source, out=name)
                self.assertEqual(report["misses"], [])
                info = json.loads(self.ok("info", out, "--json"))
                self.assertEqual(len(info["legs"]), 2)
                # What is read from the file again stands on the ground: its last plants are higher than its first.
                shift = report["pelvis_shift_max_cm"]
                self.assertGreater(shift, 10.0)

    def test_streams(self):
        code, out, err = surefoot("adapt", "-", "--ground", "slope:", "-o", "-", stdin=content(self.walk))
        self.assertEqual(code, DONE, err)
        self.assertTrue(out.startswith(b"HIERARCHY"))
        self.assertIn("ground: slope:angle=10", err)
        _, path = self.adapt("slope:")
        self.assertEqual(out, content(path))
        code, out, err = surefoot("adapt", "-", "--ground", "slope:", "-o", "-", stdin=content(self.glb))
        self.assertEqual(code, DONE, err)
        self.assertTrue(out.startswith(b"glTF"))

    def test_in_place_of_the_input(self):
        own = self.path("own.bvh")
        with open(own, "wb") as file:
            file.write(content(self.walk))
        self.ok("adapt", own, "--ground", "slope:", "-o", own)
        _, path = self.adapt("slope:")
        self.assertEqual(content(own), content(path))

    def test_all_clips(self):
        text = self.ok("adapt", self.glb, "--ground", "slope:", "-o", self.path("all.glb"), "--all-clips")
        self.assertIn("1 clip", text)
        listed = json.loads(self.ok("adapt", self.glb, "--ground", "slope:", "-o", self.path("all.glb"), "--all-clips",
                                    "--json", "--ground-out", self.path("way.obj")))
        self.assertEqual(len(listed), 1)
        self.assertTrue([n for n in os.listdir(self.folder) if n.startswith("way-")])

    def test_labels_and_legs_may_be_given(self):
        report, _ = self.adapt("slope:", "--contacts", self.path("true.csv"))
        self.assertEqual(report["labels"], self.path("true.csv"))
        self.assertFalse(report["cleaned"])  # by its true labels the sample does not slide
        with open(self.path("legs.json"), "w", encoding="utf-8") as file:
            file.write(self.ok("info", self.walk, "--json"))
        self.adapt("slope:", "--legs", self.path("legs.json"))

    def test_a_stick_has_no_legs(self):
        stick = self.write("stick.bvh", test_cli.ONE_JOINT)
        self.fails(NO_LEGS, "adapt", stick, "--ground", "plane:", "-o", self.path("x.bvh"))

    def test_treadmill_clips_are_warned_of(self):
        mill = self.path("mill.bvh")
        run("surefoot-make-sample", mill, "--treadmill", "--frames", 200)
        code, _, err = surefoot("adapt", mill, "--ground", "plane:", "-o", self.path("x.bvh"))
        self.assertEqual(code, DONE, err)
        self.assertIn("in place", err)


class Words(Adapt):
    """Wrong and hostile command lines and grounds."""

    def test_help(self):
        text = self.ok("adapt", "--help")
        for word in ("--ground", "stairs:", "profile:", "--floor", "--ground-out", "Exit codes"):
            self.assertIn(word, text)
        self.assertIn("adapt", self.ok("--help"))

    def test_wrong_grounds_are_refused_with_the_remedy(self):
        for ground, message in (
                ("", "FILE.obj"), ("stair:", "stairs:"), ("hill.fbx", "FILE.obj"), ("stairs:rize=1", "knows no 'rize'"),
                ("stairs:rize=1", "rise"), ("stairs:rise=x", "number"), ("stairs:rise", "rise=..."),
                ("stairs:rise=0", "rise"), ("stairs:count=2.5", "whole"), ("stairs:count=0", "1"),
                ("stairs:count=1e9", "10000"), ("stairs:rise=0.1,rise=0.2", "twice"), ("stairs:,", "comma"),
                ("stairs:rise=0.1,", "behind a comma"), ("slope:angle=90", "60"), ("slope:angle=nan", "number"),
                ("slope:angle=inf", "number"), ("gap:width=-1", "width"), ("plane:angle=3", "pitch"),
                ("rough:heading=3", "knows no 'heading'"), ("rough:cell=0", "0.01"), ("rough:seed=-1", "seed"),
                ("profile:", "profile:FILE.csv"), ("profile:x.obj", "profile:FILE.csv"), ("f.obj,unit=parsec", "unit"),
                ("f.obj,up=w", "X, Y, Z"), ("f.obj,scale=0", "scale"), ("f.obj,rise=1", "knows no 'rise'"),
                ("f.obj,", "comma"), ("x" * 5000, "FILE.obj"), ("stairs:" + "rise=1," * 1000, "twice"),
                ("plane:\u202e=1", "knows no"), ("slope:start=1e300", "start"), ("=,:", "FILE.obj")):
            with self.subTest(ground[:40]):
                err = self.fails(USAGE, "adapt", self.walk, "--ground", ground, "-o", self.path("x.bvh"))
                self.assertIn(message, err)

    def test_wrong_options_are_refused(self):
        out = ("-o", self.path("x.bvh"))
        spec = ("--ground", "plane:")
        for arguments, message in (((), "--ground SPEC"), (spec, "-o OUT"), (spec + out + ("--floor", "x"), "--floor"),
                                   (spec + out + ("--pitch-max", "95"), "--pitch-max"),
                                   (spec + out + ("--place-max", "-1"), "--place-max"),
                                   (spec + ("--json", "-o", "-"), "standard output"),
                                   (spec + out + ("--ground-out", "g.stl"), ".obj"),
                                   (spec + out + ("--ground-out", "g.obj,rise=1"), "rise"),
                                   (spec + out + ("--ground-out", "g.obj,heading=1"), "heading"),
                                   (spec + ("-o", "x.fbx"), "FBX"), (spec + out + ("more.bvh",), "one file")):
            with self.subTest(arguments):
                self.assertIn(message, self.fails(USAGE, "adapt", self.walk, *arguments))
        ground = self.write("own.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n")
        err = self.fails(USAGE, "adapt", self.walk, "--ground", ground, "--ground-out", ground, *out)
        self.assertIn("replace", err)
        self.fails(USAGE, "adapt", self.walk, "--ground", ground, "-o", self.walk, "--ground-out", self.walk)

    def test_broken_grounds_are_refused_with_the_place(self):
        out = self.path("never.bvh")
        for name, text, message in (("a.obj", "v 0 0 0\nf 1 2 3\n", "a.obj:2:"), ("b.obj", "", "empty"),
                                    ("c.obj", "HIERARCHY\n", "BVH"), ("d.glb", "glTF", "d.glb"),
                                    ("e.gltf", "{\"asset\":{\"version\":\"2.0\"}}", "no triangles"),
                                    ("f.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "none of its 1 triangles has an area"),
                                    ("g.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1e9\nf 1 2 3\n", "unit")):
            err = self.fails(READ, "adapt", self.walk, "--ground", self.write(name, text), "-o", out)
            self.assertIn(message, err)
        self.fails(READ, "adapt", self.walk, "--ground", self.path("none.obj"), "-o", out)
        self.assertFalse(os.path.exists(out))

    def test_random_grounds_do_no_harm(self):
        rng = random.Random(5)
        alphabet = list("slopetairsgrunhv:=,.-0123456789e \n\\/#") + ["v 0 0 0\n", "f 1 2 3\n", "f -1 -2 -3", "nan", "\u00e9"]
        for _ in range(60):
            text = "".join(rng.choice(alphabet) for _ in range(rng.randrange(1, 60)))
            code, _, err = surefoot("adapt", self.walk, "--ground", text.replace("\0", ""), "-o", self.path("r.bvh"))
            self.assertIn(code, (DONE, USAGE, READ, MEMORY), err)
            path = self.write("r.obj", text * 3)
            code, _, err = surefoot("adapt", self.walk, "--ground", path, "-o", self.path("r.bvh"))
            self.assertIn(code, (DONE, READ, MEMORY), err)

    def test_far_grounds_and_tiny_cells_have_an_answer(self):
        report, _ = self.adapt("plane:y=-500")
        self.assertTrue(report["misses"])
        far = self.path("far.bvh")  # a walk of a hundred metres, or as good as
        self.ok("convert", self.walk, "--root-scale", 20, "-o", far)
        err = self.fails(MEMORY, "adapt", far, "--ground", "rough:cell=0.01", "--no-clean", "-o", self.path("x.bvh"))
        self.assertIn("larger cell", err)

    def test_an_output_that_cannot_be_written(self):
        self.fails(WRITE, "adapt", self.walk, "--ground", "plane:", "-o", self.path("no/such/x.bvh"))
        self.fails(WRITE, "adapt", self.walk, "--ground", "plane:", "-o", self.path("x.bvh"), "--ground-out",
                   self.path("no/such/g.obj"))


class Pages(Adapt):
    """`--report`: a page that stands alone."""

    @staticmethod
    def page(path):
        with open(path, encoding="utf-8") as file:
            return file.read()

    def strips(self, page):
        drawing = re.search(r'<svg viewBox="0 0 1120 (\d+)" role="img".*?</svg>', page, re.S)
        self.assertIsNotNone(drawing)
        return drawing.group(0), float(drawing.group(1))

    def test_it_stands_alone_and_has_the_figures(self):
        path = self.path("page.html")
        report, _ = self.adapt("stairs:rise=0.15,run=0.3", "--report", path)
        self.assertEqual(report["report"], path)
        page = self.page(path)
        self.assertTrue(page.startswith("<!doctype html>") and page.rstrip().endswith("</html>"))
        for outside in ("http:", "https:", "src=", "@import", "url("):
            self.assertNotIn(outside, page)
        self.assertEqual(len(re.findall(r'class="foot"', page)), 2)
        self.assertIn(report["ground"], page)
        for foot in report["feet"]:
            self.assertIn(foot["name"], page)
            row = r"Through the ground, max</td><td class=\"was\"></td><td class=\"now\">([\d.]+)"
            self.assertTrue(any(abs(float(x) - foot["through_ground_cm"]) < 0.001 for x in re.findall(row, page)))
        jerk = re.search(r"over the source's</td><td class=\"was\">1.00</td><td class=\"now\">([\d.]+)", page)
        self.assertAlmostEqual(float(jerk.group(1)), report["pelvis_jerk_ratio"], delta=0.006)
        data = json.loads(re.search(r'id="data">(.*?)</script>', page).group(1))
        self.assertEqual((data["frames"], len(data["feet"]), len(data["feet"][0][0])), (300, 2, 300))
        self.assertNotIn("nan", re.sub(r"<script.*?</script>", "", page, flags=re.S).lower())

    def test_the_slice_is_the_ground_under_the_walk(self):
        path = self.path("slice.html")
        self.adapt("stairs:rise=0.2,run=0.4,count=3,start=1.5", "--report", path)
        drawing, height = self.strips(self.page(path))
        earth = re.search(r'class="ground" d="(M[^"]*)"', drawing[drawing.index('class="earth"'):])
        points = [tuple(map(float, p)) for p in re.findall(r"[ML]([\d.]+) ([\d.]+)", earth.group(1))]
        self.assertTrue(all(0.0 <= y <= height for _, y in points))
        levels = sorted({y for _, y in points}, reverse=True)
        # Three risers of one height; the run is twice the rise, in the same scale both ways.
        self.assertEqual(len(levels), 4)
        rises = [a - b for a, b in zip(levels, levels[1:])]
        self.assertLess(max(rises) - min(rises), 0.25)
        first = [next(x for x, y in points if y == level) for level in levels]
        self.assertAlmostEqual(first[2] - first[1], 2.0 * rises[0], delta=4.5)

    def test_planted_feet_meet_the_height_that_they_had(self):
        path = self.path("meet.html")
        for method in ("clip", "runtime"):
            self.adapt("slope:angle=8", "--report", path, "--method", method)
            page = self.page(path)
            before, after = json.loads(re.search(r'id="data">(.*?)</script>', page).group(1))["feet"][0]
            with open(self.path("true.csv"), encoding="utf-8") as file:
                rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
            planted = [int(r["frame"]) for r in rows if float(r["LeftToeBase"]) > 0.75]
            self.assertGreater(len(planted), 100)
            for frame in planted:
                self.assertLess(abs(before[frame] - after[frame]), 6.0, (method, frame))
            self.assertIn("run time, frame by frame" if method == "runtime" else "whole clip", page)

    def test_missing_ground_is_a_gap_and_a_row(self):
        path = self.path("gap.html")
        report, _ = self.adapt("gap:width=1,start=1.5", "--report", path)
        self.assertTrue(report["misses"])
        page = self.page(path)
        self.assertEqual(len(re.findall(r"<td>no ground</td>", page)), len(report["misses"]))
        self.assertIn("null", re.search(r'id="data">(.*?)</script>', page).group(1))
        self.assertGreaterEqual(len(re.findall(r'class="earth"', page)), 2)

    def test_one_page_a_clip(self):
        both = self.path("pages_two.glb")
        self.ok("convert", self.walk, "-o", both)
        reports = json.loads(self.ok("adapt", both, "--ground", "slope:", "-o", self.path("pages_out.glb"), "--json",
                                     "--all-clips", "--report", self.path("clip.html")))
        self.assertEqual(len(reports), 1)
        self.assertNotEqual(reports[0]["report"], self.path("clip.html"))
        self.assertIn("</html>", self.page(reports[0]["report"]))
        self.assertFalse(os.path.exists(self.path("clip.html")))

    def test_names_are_text_not_markup(self):
        evil = self.path("evil.bvh")
        text = content(self.walk).decode().replace("LeftToeBase", "LeftToe<b>&Base")
        self.write("evil.bvh", text)
        self.adapt("slope:", "--report", self.path("evil.html"), source=evil)
        page = self.page(self.path("evil.html"))
        self.assertIn("LeftToe&lt;b&gt;&amp;Base", page)
        self.assertNotIn("LeftToe<b>", page)

    def test_a_page_goes_nowhere_but_where_it_may(self):
        out = self.path("page_out.bvh")
        for page in (out, self.walk):
            self.fails(USAGE, "adapt", self.walk, "--ground", "plane:", "-o", out, "--report", page)
        self.fails(USAGE, "adapt", self.walk, "--ground", "plane:", "-o", out, "--report", self.path("g.obj"),
                   "--ground-out", self.path("g.obj"))
        self.fails(USAGE, "adapt", self.walk, "--ground", "plane:", "-o", "-", "--report", "-")
        self.fails(USAGE, "adapt", self.walk, "--ground", "plane:", "-o", out, "--report", "-", "--json")
        self.fails(WRITE, "adapt", self.walk, "--ground", "plane:", "-o", out, "--report", self.path("no/such/p.html"))

    def test_short_still_and_creature_clips_have_pages_too(self):
        short = self.path("short.bvh")
        run("surefoot-make-sample", short, "--frames", 2)
        self.adapt("slope:", "--report", self.path("short.html"), source=short)
        self.strips(self.page(self.path("short.html")))
        still = self.path("still.bvh")
        self.ok("convert", self.walk, "--root-scale", 0, "-o", still)
        self.adapt("rough:", "--report", self.path("still.html"), "--no-clean", source=still)
        self.assertIn("side by side", self.page(self.path("still.html")))


class RealFiles(Adapt):
    """Clips of the optional data folder."""

    def test_real_walks(self):
        folder = os.path.join(DATA, "bvh")
        if not os.path.isdir(folder):
            self.skipTest("SKIP: no data folder (SFT_DATA)")
        names = sorted(n for n in os.listdir(folder) if n.lower().endswith(".bvh") and "walk" in n.lower())[:3]
        if not names:
            self.skipTest("SKIP: no walks in the data folder")
        for name in names:
            for ground in ("slope:angle=8", "stairs:rise=0.12,run=0.35"):
                with self.subTest(name + " " + ground):
                    report, out = self.adapt(ground, source=os.path.join(folder, name))
                    self.assertGreater(report["plants"], 0)
                    self.assertTrue(os.path.getsize(out) > 1000)


if __name__ == "__main__":
    unittest.main()
