#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""FBX through `surefoot adapt` and `surefoot clean` with `--method runtime`: the walk of the sample, written as FBX here,
does what it does as BVH. Clips of the optional data folder too.

SFT_BIN is the folder of the programs; SFT_DATA (default ../shared/data beside the checkout) the optional data folder."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from fbx_text import Curve, Joint, Take, write

BIN = pathlib.Path(os.environ["SFT_BIN"])
SOURCE = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("SFT_DATA") or SOURCE.parent / "shared" / "data")
YXZ = 3  # FBX turns about y first: what BVH writes as Zrotation Xrotation Yrotation
DONE, USAGE = 0, 2


def surefoot(*arguments, **options):
    done = subprocess.run([str(BIN / "surefoot"), *map(str, arguments)], capture_output=True, timeout=300, check=False,
                          **options)
    return done.returncode, done.stdout, done.stderr.decode("utf-8")


def bvh_as_fbx(text):
    """A BVH whose joints turn by Zrotation Xrotation Yrotation, as FBX with a key a frame."""
    head, motion = text.split("MOTION")
    joints, stack, channels, pending, ends = [], [], [], None, 0
    for line in head.splitlines():
        words = line.split()
        if not words:
            continue
        if words[0] in ("ROOT", "JOINT"):
            pending = words[1]
        elif words[0] == "End":
            pending = stack[-1] + "_End"
            ends += 1
        elif words[0] == "{":
            stack.append(pending)
        elif words[0] == "}":
            stack.pop()
        elif words[0] == "OFFSET":
            parent = stack[-2] if len(stack) > 1 else None
            joints.append(Joint(stack[-1], parent, tuple(map(float, words[1:4])), RotationOrder=YXZ, RotationActive=1,
                                InheritType=1))
        elif words[0] == "CHANNELS":
            channels += [(stack[-1], word[1:].capitalize(), word[0]) for word in words[2:]]
    rows = motion.strip().splitlines()
    step = float(rows[1].split(":")[1])
    frames = [list(map(float, row.split())) for row in rows[2:] if row.strip()]
    kinds = {"Position": "Translation", "Rotation": "Rotation"}
    curves = [Curve(joint, kinds[kind], axis, [(f, row[i]) for f, row in enumerate(frames)])
              for i, (joint, kind, axis) in enumerate(channels)]
    assert abs(step - 1.0 / 60.0) < 1e-5, "TimeMode 3 is 60 frames a second"
    return write(joints, [Take("Walk", curves, 0, len(frames) - 1)], fps=60, mode=3)


class Runtime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="surefoot-fbx-runtime-")
        cls.folder = pathlib.Path(cls.temporary.name)
        walk, slid = cls.folder / "walk.bvh", cls.folder / "slid.bvh"
        subprocess.run([str(BIN / "surefoot-make-sample"), str(walk), "--frames", "240"], check=True)
        code, _, err = surefoot("convert", walk, "--root-scale", 1.25, "-o", slid)
        assert code == DONE, err
        for path in (walk, slid):
            path.with_suffix(".fbx").write_text(bvh_as_fbx(path.read_text()))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def report(self, *arguments):
        code, out, err = surefoot(*arguments, "--json")
        self.assertEqual(code, DONE, err)
        return json.loads(out)

    def near(self, got, want, off, what):
        self.assertLessEqual(abs(got - want), off, (what, got, want))

    def both(self, command, name, *more, out="glb"):
        """Reports of the same walk from BVH and FBX, and where the latter was written."""
        to = self.folder / f"fbx.{out}"
        bvh = self.report(command, self.folder / f"{name}.bvh", "-o", self.folder / "bvh.bvh", *more)
        return bvh, self.report(command, self.folder / f"{name}.fbx", "-o", to, *more), to


class Made(Runtime):
    def test_fbx_runtime__adapt_does_what_it_does_to_bvh(self):
        for ground in ("slope:angle=12", "stairs:rise=0.15,run=0.6", "gap:width=0.3"):
            for out in ("glb", "gltf", "bvh"):
                with self.subTest(ground=ground, out=out):
                    bvh, fbx, to = self.both("adapt", "walk", "--ground", ground, "--method", "runtime", "--no-clean",
                                             out=out)
                    self.assertEqual((fbx["method"], fbx["frames"], fbx["plants"]), ("runtime", 240, bvh["plants"]))
                    self.assertGreater(fbx["plants"], 6)
                    for a, b in zip(bvh["feet"], fbx["feet"]):
                        self.assertEqual(a["support_frames"], b["support_frames"])
                        for key in ("support_off_cm", "through_ground_cm"):
                            self.near(b[key], a[key], 0.02, key)
                        for key in ("pitch_off_degrees", "roll_off_degrees"):
                            self.near(b[key], a[key], 0.1, key)
                    self.near(fbx["toe_miss_max_cm"], bvh["toe_miss_max_cm"], 0.02, "miss")
                    self.near(fbx["pelvis_jerk_ratio"], bvh["pelvis_jerk_ratio"], 0.02, "jerk")
                    self.assertEqual(len(fbx["misses"]), len(bvh["misses"]))
                    again = self.report("check", to)
                    (again,) = again if isinstance(again, list) else (again,)
                    self.assertEqual(again["frames"], 240)

    def test_fbx_runtime__clean_does_what_it_does_to_bvh(self):
        bvh, fbx, to = self.both("clean", "slid", "--method", "runtime")
        self.assertEqual(fbx["plants"], bvh["plants"])
        before, after = fbx["before"]["clip"], fbx["after"]["clip"]
        self.assertGreater(before["slide_mean_cm_s"], 20.0)
        self.near(after["slide_mean_cm_s"], bvh["after"]["clip"]["slide_mean_cm_s"], 0.1, "slide")
        self.near(before["slide_mean_cm_s"], bvh["before"]["clip"]["slide_mean_cm_s"], 0.1, "slide before")
        self.assertTrue(to.stat().st_size > 1000)
        self.assertEqual({j["name"] for j in fbx["changed_joints"]}, {j["name"] for j in bvh["changed_joints"]})

    def test_fbx_runtime__level_ground_changes_no_joint(self):
        out = self.folder / "level.glb"
        report = self.report("adapt", self.folder / "walk.fbx", "--ground", "plane:", "--method", "runtime",
                             "--no-clean", "-o", out)
        self.assertEqual(report["changed_joints"], [])

    def test_fbx_runtime__from_standard_input(self):
        text = (self.folder / "walk.fbx").read_bytes()
        arguments = ("adapt", "-", "--ground", "slope:", "--method", "runtime", "-o", "-")
        code, out, err = surefoot(*arguments, input=text)
        self.assertEqual((code, out[:4]), (DONE, b"glTF"), err)
        code, again, _ = surefoot(*arguments, input=text)
        self.assertEqual(again, out)

    def test_fbx_runtime__fbx_is_not_written(self):
        for command in (("adapt", "--ground", "slope:"), ("clean",)):
            code, _, err = surefoot(*command, self.folder / "walk.fbx", "--method", "runtime", "-o",
                                    self.folder / "out.fbx")
            self.assertEqual(code, USAGE)
            self.assertIn(".glb", err)
            self.assertFalse((self.folder / "out.fbx").exists())

    def test_fbx_runtime__a_page_too(self):
        page = self.folder / "page.html"
        self.report("adapt", self.folder / "walk.fbx", "--ground", "stairs:", "--method", "runtime", "-o",
                    self.folder / "p.glb", "--report", page)
        self.assertIn("run time, frame by frame", page.read_text(encoding="utf-8"))


class RealFiles(Runtime):
    """Clips of the optional data folder."""

    NAMES = ("ozz_walk.fbx", "ozz_jog.fbx", "cmu_91_48_makehuman.fbx", "cmu_91_50_makehuman.fbx")

    def setUp(self):
        self.files = [DATA / "fbx" / name for name in self.NAMES if (DATA / "fbx" / name).is_file()]
        if not self.files:
            self.skipTest("SKIP: no FBX clips in the data folder (SFT_DATA)")

    def clip(self, path):
        info = json.loads(surefoot("info", "--json", path)[1])
        clips = info[0]["clips"] if isinstance(info, list) else info.get("clips", [])
        return ("--clip", len(clips) - 1) if len(clips) > 1 else ()

    def test_fbx_runtime__real_clips(self):
        for path in self.files:
            with self.subTest(path.name):
                out = self.folder / "real.glb"
                # The last take is the one with the motion, where a file has several.
                which = self.clip(path)
                report = self.report("adapt", path, *which, "--ground", "slope:angle=8", "--method", "runtime", "-o", out)
                # A jog of a dozen frames has no plants.
                self.assertTrue(report["plants"] > 0 or "jog" in path.name)
                self.assertEqual(report["misses"], [])
                for foot in report["feet"]:
                    # Of a foot that never stands there is no such figure.
                    self.assertEqual(foot["support_off_cm"] is None, foot["support_frames"] == 0, path.name)
                    self.assertLess(foot["support_off_cm"] or 0.0, 0.5, path.name)
                cleaned = self.report("clean", path, *which, "--method", "runtime", "-o", out)
                self.assertEqual(cleaned["plants"] > 0, report["plants"] > 0)
                self.assertLessEqual(cleaned["settled_slide_max_cm_s"], 0.05)


if __name__ == "__main__":
    if not (BIN / "surefoot-fbx").exists():
        print("SKIP test_fbx_runtime: surefoot-fbx was not built (no assimp)")
        sys.exit(77)
    unittest.main()
