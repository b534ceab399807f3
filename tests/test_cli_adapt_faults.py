#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What `surefoot adapt` says is wrong where no miss names it: the sentence that all is well is said only where the
figures beside it say so too. Right values come from the files' own numbers and from bench/judge.
"""

import math
import re
import unittest

from test_cli import read_bvh
from test_cli_adapt import Adapt

WELL = "Every planted foot stands on its place."


def joints_of(header):
    """[(name, [(axis, column) of its turns])] in a BVH's order."""
    joints, column = [], 0
    for line in header:
        words = line.split()
        if words and words[0] in ("ROOT", "JOINT"):
            joints.append((words[1], []))
        elif words and words[0] == "CHANNELS":
            for channel in words[2:]:
                if channel.endswith("rotation"):
                    joints[-1][1].append((channel[0], column))
                column += 1
    return joints


def product(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(3)) for j in range(3)] for i in range(3)]


def matrix(turns, row):
    out = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]
    for axis, column in turns:
        c, s = math.cos(math.radians(row[column])), math.sin(math.radians(row[column]))
        out = product(out, {"X": [[1, 0, 0], [0, c, -s], [0, s, c]], "Y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
                            "Z": [[c, -s, 0], [s, c, 0], [0, 0, 1]]}[axis])
    return out


def turns_of(path):
    """{joint: [degrees it turns by from the frame before]}, from trace(A' B) = 1 + 2 cos."""
    header, _, rows = read_bvh(path)
    out = {}
    for name, turns in joints_of(header):
        poses = [matrix(turns, row) for row in rows]
        out[name] = [0.0] + [
            math.degrees(math.acos(max(-1.0, min(1.0, (sum(a[i][k] * b[i][k] for i in range(3) for k in range(3)) - 1) / 2))))
            for a, b in zip(poses, poses[1:])]
    return out


class Faults(Adapt):
    def said(self, ground, *more, source=None):
        return self.ok("adapt", source or self.walk, "--ground", ground, "-o", self.path("said.bvh"), *more)

    def test_all_is_well_where_it_is(self):
        report, _ = self.adapt("slope:angle=8")
        self.assertEqual((report["stands"], report["faults"], report["misses"]), (True, [], []))
        self.assertIn(WELL, self.said("slope:angle=8"))

    def test_a_foot_that_slides_is_named(self):
        """By its true labels the walk's feet stand; with its travel times 1.25 they slide by a fifth of what it travels."""
        more = ("--no-clean", "--contacts", self.path("true.csv"))
        report, _ = self.adapt("plane:", *more, source=self.slid)
        self.assertFalse(report["stands"])
        self.assertEqual({(f["fault"], f["foot"]) for f in report["faults"]},
                         {("slides", "LeftToeBase"), ("slides", "RightToeBase")})
        _, time, rows = read_bvh(self.slid)
        for fault in report["faults"]:
            a, b = rows[fault["frame"] - 1], rows[fault["frame"]]
            self.assertAlmostEqual(fault["amount"], 0.2 * math.hypot(b[0] - a[0], b[2] - a[2]) / time, delta=0.1)
            self.assertEqual((fault["unit"], fault["allowed"], fault["joint"]), ("cm/s", 1, None))
            self.assertIn("--no-clean", fault["remedy"])
        text = self.said("plane:", *more, source=self.slid)
        self.assertNotIn(WELL, text)
        self.assertRegex(text, r"LeftToeBase slides by up to [0-9.]+ cm/s while planted, frame \d+: leave out --no-clean")

    def test_a_foot_off_the_ground_or_in_it_is_named(self):
        """Run time that follows a step within half a second stands beside it meanwhile."""
        labels = self.path("labels.csv")
        self.ok("contacts", self.walk, "-o", labels)
        ground, more = "stairs:rise=0.1,run=0.45", ("--method", "runtime", "--blend", "0.5")
        report, out = self.adapt(ground, *more)
        worst = {fault: max(f["amount"] for f in report["faults"] if f["fault"] == fault)
                 for fault in ("off the ground", "through the ground")}
        text = self.said(ground, *more)
        self.assertNotIn(WELL, text)
        self.assertIn("is up to %.2f cm off the ground" % worst["off the ground"], text)
        self.assertTrue(all("--blend" in f["remedy"] or f["fault"] == "slides" for f in report["faults"]))
        _, said = self.judge(self.walk, out, report["ground"], report, labels)
        for fault, name in (("off the ground", "support off ground cm"), ("through the ground", "through ground cm")):
            found = re.search(r"FAIL  %s +([0-9.]+) .* (\w+) frame (\d+)" % name, said)
            self.assertAlmostEqual(float(found.group(1)), worst[fault], delta=0.02)
            entry = next(f for f in report["faults"] if f["amount"] == worst[fault])
            self.assertEqual((entry["foot"], entry["frame"]), (found.group(2), int(found.group(3))))
            self.assertGreater(entry["frames"], 3)

    def test_a_joint_that_is_thrown_is_named(self):
        """Run time without any blending jumps up high steps. How far joints turn is worked out from the channels."""
        ground, more = "stairs:rise=0.25,run=0.45", ("--method", "runtime", "--blend", "0", "--no-clean")
        report, out = self.adapt(ground, *more)
        was, now = turns_of(self.walk), turns_of(out)
        wrong = {}
        for name in now:
            for i, turn in enumerate(now[name]):
                around = max(was[name][max(i - 1, 1):i + 2])
                if i > 0 and turn > 30 and turn > 4 * around and turn > wrong.get(name, (0,))[0]:
                    wrong[name] = (turn, around, i)
        self.assertTrue(wrong)
        thrown = {f["joint"]: f for f in report["faults"] if f["fault"] == "thrown"}
        self.assertEqual(set(thrown), set(wrong))
        for name, (turn, around, frame) in wrong.items():
            self.assertEqual(thrown[name]["frame"], frame)
            self.assertAlmostEqual(thrown[name]["amount"], turn, delta=0.01)
            self.assertAlmostEqual(thrown[name]["source"], around, delta=0.01)
            self.assertIn("%s turns by %.1f degrees in one frame" % (name, turn), self.said(ground, *more))
        self.assertFalse(report["stands"])

    def bent_back(self, most, frames):
        """The walk whose right knee opens further by `most` degrees in each swing; the column of its bend."""
        header, time, rows = read_bvh(self.walk)
        knee = next(c for _, c in dict(joints_of(header))["RightLeg"] if max(abs(row[c]) for row in rows) > 80)
        for i, row in enumerate(rows):
            phase = (i - 79) % 60
            if phase <= frames:
                row[knee] -= most * math.sin(math.pi * phase / frames) ** 2
        return self.write("back.bvh", "\n".join(header + ["Frames: %d" % len(rows), "Frame Time: %r" % time] + [
            " ".join("%.6f" % v for v in row) for row in rows]) + "\n"), knee

    def test_toes_do_not_ring_with_a_turn_that_settled_them(self):
        """The knee opens until the foot bears, which holds the toe's end through the floor: it is turned out of it by at
        most 25 degrees, the foot by 1.6, and a swing may go 5 beyond. On level ground nothing else turns a toe, but heels
        that are lifted so that legs reach, which is listed."""
        back, _ = self.bent_back(41.0, 18)
        report, out = self.adapt("plane:height=0.1", "--no-clean", "--contacts", self.path("true.csv"), source=back)
        self.assertEqual([f for f in report["faults"] if f["fault"] == "thrown"], [])
        header, _, before = read_bvh(back)
        turns, most = dict(joints_of(header))["RightToeBase"], 0.0
        lifted = {i for m in report["misses"] for i in range(m["first"], m["last"] + 1)}
        self.assertLess(len(lifted), 30)
        for i, (a, b) in enumerate(zip(before, read_bvh(out)[2])):
            if i in lifted:
                continue
            a, b = matrix(turns, a), matrix(turns, b)
            trace = sum(a[i][k] * b[i][k] for i in range(3) for k in range(3))
            most = max(most, math.degrees(math.acos(max(-1.0, min(1.0, (trace - 1) / 2)))))
        self.assertGreater(most, 24.0)
        self.assertLess(most, 31.7)

    def test_a_knee_caught_bent_back_does_not_turn_over(self):
        """A walk whose right knee opens too far in its swing, to 20 degrees back, as captures do now and then. On any ground
        it bends no further back than it did, and turns smoothly."""
        back, knee = self.bent_back(50.0, 14)
        self.assertAlmostEqual(min(row[knee] for row in read_bvh(back)[2]), -19.7, delta=0.5)
        for ground in ("slope:angle=15", "slope:angle=-10", "stairs:rise=0.1,run=0.45", "rough:"):
            with self.subTest(ground):
                report, out = self.adapt(ground, "--no-clean", "--contacts", self.path("true.csv"), source=back)
                self.assertEqual([f for f in report["faults"] if f["fault"] == "thrown"], [])
                turns = turns_of(out)
                self.assertLess(max(turns["RightLeg"]), 25.0)
                self.assertLess(max(turns["RightUpLeg"]), 15.0)
                self.assertGreaterEqual(min(row[knee] for row in read_bvh(out)[2]), -20.5)

    def test_ground_in_the_wrong_unit_has_no_figures_and_a_remedy(self):
        """A floor drawn in centimetres 30 cm up, read as metres."""
        obj = self.write("cm.obj", "v -900 30 -900\nv 900 30 -900\nv 900 30 900\nv -900 30 900\nf 1 2 3 4\n")
        report, out = self.adapt(obj)
        self.assertFalse(report["stands"])
        self.assertEqual(len(report["misses"]), report["plants"])
        for miss in report["misses"]:
            self.assertEqual(miss["fault"], "no ground")
            self.assertIn("unit=", miss["remedy"])
        for foot in report["feet"]:
            self.assertEqual([foot[k] for k in ("support_off_cm", "through_ground_cm", "pitch_off_degrees",
                                                "roll_off_degrees")], [None] * 4)
        text = self.said(obj)
        self.assertRegex(text, r"off the ground in support \[cm\] +-\n")
        self.assertIn("unit=", text)
        self.assertNotIn(WELL, text)
        self.assertTrue(self.adapt(obj + ",unit=cm")[0]["stands"])


if __name__ == "__main__":
    unittest.main()
