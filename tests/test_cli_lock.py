#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""surefoot clean --method runtime as people run it. SFT_BIN is the folder of the programs."""

import json
import os
import tempfile
import unittest

import test_cli
from test_cli import DONE, USAGE, content, read_bvh, run, surefoot


class Runtime(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="surefoot-lock-")
        cls.folder = cls.temporary.name
        cls.walk = cls.path("walk.bvh")
        code, _, err = run("surefoot-make-sample", cls.walk, "--frames", 300)
        assert code == DONE, err
        for name, scale in (("slow", 0.75), ("fast", 1.25)):
            code, _, err = surefoot("convert", cls.walk, "--root-scale", scale, "-o", cls.path(name + ".bvh"))
            assert code == DONE, err
        code, _, err = surefoot("convert", cls.path("slow.bvh"), "-o", cls.path("slow.glb"))
        assert code == DONE, err

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def ok(self, *arguments):
        code, out, err = surefoot(*arguments)
        self.assertEqual(code, DONE, err)
        return out.decode("utf-8")

    def clean(self, name, *more):
        out = self.path("out" + os.path.splitext(name)[1])
        return json.loads(self.ok("clean", self.path(name), "-o", out, "--method", "runtime", "--json", *more)), out

    def test_planted_toes_stand_after_the_crossing_in_every_format(self):
        for name in ("slow.bvh", "slow.glb", "fast.bvh"):
            report, out = self.clean(name)
            self.assertEqual(report["method"], "runtime")
            self.assertEqual(report["give_way"], "legs")
            self.assertEqual(report["blend_s"], 0.2)
            self.assertGreater(report["settled_frames"], report["planted_frames"] // 3)
            self.assertLess(report["settled_slide_max_cm_s"], 0.05)
            before, after = (report[w]["clip"]["slide_mean_cm_s"] for w in ("before", "after"))
            self.assertLess(after, 0.5 * before)
            again = json.loads(self.ok("check", out, "--json"))
            self.assertTrue(again)
            legs = {j["name"] for j in report["changed_joints"]}
            self.assertTrue(all(j["rotation"] and not j["translation"] for j in report["changed_joints"]))
            self.assertTrue(legs and not legs & {"Hips", "Spine"}, legs)

    def test_the_root_and_all_but_the_legs_keep_their_numbers(self):
        _, out = self.clean("fast.bvh")
        head, dt, rows = read_bvh(self.path("fast.bvh"))
        head_out, dt_out, rows_out = read_bvh(out)
        self.assertEqual((head, dt, len(rows)), (head_out, dt_out, len(rows_out)))
        for a, b in zip(rows, rows_out):
            self.assertEqual(a[:6], b[:6])
            self.assertEqual(len(a), len(b))

    def test_frames_that_were_let_go_are_listed(self):
        report, _ = self.clean("fast.bvh", "--unlock-distance", "0.06")
        self.assertTrue(report["gaps"])
        for gap in report["gaps"]:
            self.assertLessEqual(gap["first"], gap["last"])
            self.assertIn(gap["reason"], ("distance", "reach"))
        total = sum(g["last"] - g["first"] + 1 for g in report["gaps"])
        self.assertEqual(total, report["planted_frames"] - report["locked_frames"])
        self.assertEqual(total, len(report["unreached"]))
        text = self.ok("clean", self.path("fast.bvh"), "-o", self.path("x.bvh"), "--method", "runtime",
                       "--unlock-distance", "0.06")
        self.assertIn("Not held: %d of %d planted frames" % (total, report["planted_frames"]), text)
        self.assertIn("too far from the animation", text)
        self.assertIn("run-time lock", text)
        many = self.ok("clean", self.path("fast.bvh"), "-o", self.path("x.bvh"), "--method", "runtime",
                       "--unlock-distance", "0.002", "--blend", "0.01")
        self.assertLessEqual(many.count("too far from the animation"), 20)
        if "more spans" in many:
            self.assertIn("--json lists them all", many)

    def test_options_reach_the_lock(self):
        blends = [self.clean("slow.bvh", "--blend", b)[0]["settled_frames"] for b in ("0", "0.1", "0.5")]
        self.assertTrue(blends[0] > blends[1] > blends[2] >= 0, blends)
        report, turned = self.clean("slow.bvh", "--lock-orientation")
        self.assertTrue(report["lock_orientation"])
        turned = content(turned)
        _, plain = self.clean("slow.bvh")
        self.assertNotEqual(turned, content(plain))
        far, _ = self.clean("slow.bvh", "--lock-distance", "0")
        self.assertEqual(far["locked_frames"], 0)
        self.assertTrue(all(g["reason"] == "not_near_yet" for g in far["gaps"]))

    def test_same_bits_every_time(self):
        first = content(self.clean("fast.bvh")[1])
        self.assertEqual(first, content(self.clean("fast.bvh")[1]))

    def test_page_and_picture_tell_of_it(self):
        page, picture = self.path("page.html"), self.path("picture.svg")
        self.clean("fast.bvh", "--report", page, "--picture", picture)
        self.assertTrue(b"run-time lock, crossings of 0.200 s" in content(page))
        self.assertTrue(b"<svg" in content(picture))

    def test_wrong_command_lines_are_refused(self):
        base = ["clean", self.walk, "-o", self.path("x.bvh")]
        for extra, word in ((["--method", "runtime", "--give-way", "root"], "--give-way"),
                            (["--method", "runtime", "--loop"], "--loop"),
                            (["--allow-stretch", "--method", "runtime"], "--allow-stretch"),
                            (["--blend", "0.1"], "--method runtime"),
                            (["--lock-orientation"], "--method runtime"),
                            (["--method", "runtime", "--blend", "-1"], "--blend"),
                            (["--method", "runtime", "--blend", "nan"], "--blend"),
                            (["--method", "runtime", "--unlock-distance", "x"], "--unlock-distance")):
            code, _, err = surefoot(*base, *extra)
            self.assertEqual(code, USAGE, extra)
            self.assertIn(word, err)
            self.assertTrue(err.startswith("surefoot: "), err)

    def test_help_names_it(self):
        text = self.ok("clean", "--help")
        for word in ("runtime", "--blend", "--lock-distance", "--unlock-distance", "--lock-orientation"):
            self.assertIn(word, text)


if __name__ == "__main__":
    assert test_cli.BIN
    unittest.main()
