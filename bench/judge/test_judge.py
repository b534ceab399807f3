# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Self-tests of the judge on clips whose answers are known in closed form.

Run: /usr/bin/python3 -m unittest bench/judge/test_judge.py
Tests on real clips use the optional data folder (SFT_DATA, default ../shared/data beside the checkout) and are
skipped where it is absent.
"""

import json
import math
import os
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import bvh  # noqa: E402
import f1  # noqa: E402
import judge  # noqa: E402
import measure  # noqa: E402
import plants  # noqa: E402
import table  # noqa: E402
import rotations  # noqa: E402
from scene import Scene, reference_frames, scale_travel  # noqa: E402

DATA = os.environ.get("SFT_DATA") or os.path.join(HERE, "..", "..", "..", "shared", "data")

LEG = """
JOINT {s}Hip {{ OFFSET {x} 0 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT {s}Knee {{ OFFSET 0 -0.40 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT {s}Heel {{ OFFSET 0 -0.40 0
CHANNELS 3 Zrotation Xrotation Yrotation
JOINT {s}Toe {{ OFFSET 0 -0.10 0.15
CHANNELS 3 Zrotation Xrotation Yrotation
End Site {{ OFFSET 0 0 0.07 }} }} }} }} }}"""

BIPED = ("HIERARCHY\nROOT Pelvis {{ OFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
         "JOINT Chest {{ OFFSET 0 0.3 0\nCHANNELS 3 Zrotation Xrotation Yrotation\nEnd Site {{ OFFSET 0 0.3 0 }} }}"
         + LEG.replace("{s}", "Left").replace("{x}", "0.1") + LEG.replace("{s}", "Right").replace("{x}", "-0.1")
         + "\n}}\nMOTION\nFrames: {frames}\nFrame Time: {dt!r}\n{rows}\n")


def biped(values, dt=1 / 60):
    """A clip in metres, Y up; values (F, 33): pelvis xyz + ZXY, then chest, left leg, right leg, ZXY each."""
    rows = "\n".join(" ".join(repr(float(v)) for v in row) for row in values)
    return bvh.parse(BIPED.format(frames=len(values), dt=dt, rows=rows).encode())


def still(frames):
    values = np.zeros((frames, 33))
    values[:, 1] = 0.9
    return values


def scene(values, dt=1 / 60):
    return Scene(biped(values, dt), unit=1.0, up="Y")


def line(result, name):
    return next(entry for entry in result["lines"] if entry["name"] == name)


class Rotations(unittest.TestCase):
    def test_axis_matrix__quarter_turns(self):
        for axis, start, end in (("x", 1, 2), ("y", 2, 0), ("z", 0, 1)):
            m = rotations.axis_matrix(axis, math.pi / 2)
            np.testing.assert_allclose(m @ np.eye(3)[start], np.eye(3)[end], atol=1e-15)

    def test_rotation_vector__all_angles(self):
        rng = np.random.default_rng(7)
        for angle in (0.0, 1e-9, 1e-5, 0.3, 2.0, math.pi - 1e-7, math.pi):
            axis = rng.normal(size=3)
            axis /= np.linalg.norm(axis)
            k = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
            m = np.eye(3) + math.sin(angle) * k + (1 - math.cos(angle)) * k @ k
            got = rotations.rotation_vector(m)
            if angle > 3.1415926:  # at half a turn either sign of the axis is right
                got = got * np.sign(got @ axis)
            np.testing.assert_allclose(got, angle * axis, atol=2e-8)

    def test_angular_acceleration__constant_and_step(self):
        dt = 0.02
        t = np.arange(20) * dt
        m = rotations.axis_matrix("y", 0.5 * 3.0 * t * t)  # 3 rad/s^2
        np.testing.assert_allclose(rotations.angular_acceleration(m, dt), 3.0, rtol=1e-9)
        m = rotations.axis_matrix("y", np.where(np.arange(20) < 10, 0.0, 0.01))
        a = rotations.angular_acceleration(m, dt)
        np.testing.assert_allclose(a[8:10], 0.01 / dt ** 2, rtol=1e-9)
        self.assertEqual(np.count_nonzero(a > 1e-9), 2)


class Reader(unittest.TestCase):
    def test_parse__channel_order_and_line_ends(self):
        text = ("hierarchy\nroot A b\n{\noffset 1 2 3\nchannels 6 Zrotation Yrotation Xrotation Zposition Xposition"
                " Yposition\nend site\n{\noffset 0 0 2\n}\n}\nmotion\nframes: 2\nframe time: 0.5\n"
                "90 0 0 7 5 6\n0 90 0 1e1 -0 .5")
        for ends in ("\n", "\r\n", "\r"):
            clip = bvh.parse(text.replace("\n", ends).encode())
            self.assertEqual([n.name for n in clip.nodes], ["A b", "A b:end"])
            pose = bvh.Pose(clip)
            np.testing.assert_allclose(pose.position[0], [[5, 6, 7], [5, 6, 9]], atol=1e-12)
            np.testing.assert_allclose(pose.position[1], [[0, .5, 10], [2, .5, 10]], atol=1e-12)

    def test_parse__euler_product_is_in_channel_order(self):
        text = ("HIERARCHY\nROOT r {\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Zrotation\nEnd Site {\n"
                "OFFSET 1 0 0 } }\nMOTION\nFrames: 1\nFrame Time: 1\n90 90 90\n")
        # Rz Rx Rz applied to x: z-turn gives y, x-turn gives z, z-turn leaves z
        np.testing.assert_allclose(bvh.Pose(bvh.parse(text.encode())).position[0, 1], [0, 0, 1], atol=1e-15)

    def test_parse__six_channels_replace_or_add(self):
        text = ("HIERARCHY\nROOT r {\nOFFSET 0 0 0\nCHANNELS 3 Xposition Yposition Zposition\nJOINT j {\nOFFSET 0 2 0\n"
                "CHANNELS 3 Xposition Yposition Zposition\nEnd Site {\nOFFSET 0 1 0 } } }\nMOTION\nFrames: 1\n"
                "Frame Time: 1\n0 1 0 0 %s 0\n")
        self.assertEqual(bvh.Pose(bvh.parse((text % "2.5").encode())).position[0, 2, 1], 4.5)
        self.assertEqual(bvh.Pose(bvh.parse((text % "0").encode())).position[0, 2, 1], 4.0)
        self.assertEqual(bvh.Pose(bvh.parse((text % "2.5").encode(), "additive")).position[0, 2, 1], 6.5)
        self.assertEqual(bvh.Pose(bvh.parse((text % "0.1").encode())).position[0, 2, 1], 4.1)
        other = bvh.parse((text % "1.0").encode())
        bvh.same_positions(other, bvh.parse((text % "0").encode()))
        self.assertEqual(bvh.Pose(other).position[0, 2, 1], 5.0)

    def test_parse__wrong_frame_count_and_rate_warn(self):
        text = BIPED.format(frames=9, dt=30, rows="\n".join([" ".join(["0"] * 33)] * 3))
        clip = bvh.parse(text.encode())
        self.assertEqual(clip.frames, 3)
        self.assertAlmostEqual(clip.frame_time, 1 / 30)
        self.assertEqual(len(clip.warnings), 2)

    def test_parse__errors(self):
        for text in ("HIERARCHY\n", "HIERARCHY\nROOT a {\nOFFSET 0 0 0\nCHANNELS 1 Wrotation\n}\nMOTION\nFrames: 0\n"
                     "Frame Time: 1\n", "MOTION\nFrames: 1\nFrame Time: 1\n0\n"):
            with self.assertRaises(ValueError):
                bvh.parse(text.encode())

    def test_write__reads_back_equal(self):
        values = still(5) + np.random.default_rng(3).normal(size=(5, 33)) / 3.0
        clip = biped(values)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.bvh")
            bvh.write(clip, path)
            again = bvh.read(path)
        self.assertTrue(np.array_equal(clip.values, again.values))
        self.assertEqual(clip.frame_time, again.frame_time)


class PlainRule(unittest.TestCase):
    def test_window__by_rate(self):
        for rate, n in ((24, 3), (30, 3), (40, 3), (60, 5), (100, 9), (120, 11), (240, 21)):
            self.assertEqual(plants.window_frames(1 / rate), n, rate)

    def test_majority__edges_repeat(self):
        got = plants.majority(np.array([1, 0, 0, 1, 1, 0, 1], bool), 3)
        np.testing.assert_array_equal(got, [True, False, False, True, True, True, True])

    def test_plain_rule__threshold_and_first_frame(self):
        dt, frames = 1 / 60, 40
        x = np.zeros((frames, 3))
        speed = np.where(np.arange(frames) < 20, 0.249, 0.251)
        x[1:, 1] = np.cumsum(speed[1:]) * dt  # straight up: the rule is 3-D and knows no height
        label = plants.plain_rule(x, dt)
        self.assertTrue(label[:20].all())
        self.assertFalse(label[20:].any())

    def test_runs_and_f1(self):
        a = np.array([0, 1, 1, 1, 0, 0, 1], bool)
        self.assertEqual(plants.runs(a), [(1, 4), (6, 7)])
        b = np.array([0, 0, 1, 1, 0, 0, 0], bool)
        self.assertAlmostEqual(plants.f1(b, a), 2 * 2 / (2 + 4))
        np.testing.assert_array_equal(plants.away_from_boundaries(a), [0, 0, 1, 0, 0, 0, 0])
        self.assertEqual(plants.f1(b, a, plants.away_from_boundaries(a, b)), 1.0)

    def test_labels__round_trip_and_threshold(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "l.csv")
            plants.write_labels(path, 0.1, {"a,b": [0, 0.75, 0.76], "a,b:touch": [1, 1, 0]})
            got = plants.read_labels(path)
        np.testing.assert_array_equal(got["a,b"], [False, False, True])
        np.testing.assert_array_equal(got["a,b:touch"], [True, True, False])


class Legs(unittest.TestCase):
    def test_find__synthetic_biped(self):
        s = scene(still(4))
        names = [leg.describe(s.clip) for leg in s.legs]
        self.assertEqual(names[0], {"side": "left", "pelvis": "Pelvis", "hip": "LeftHip", "knee": "LeftKnee",
                                    "heel": "LeftHeel", "toe": "LeftToe", "toe_end": "LeftToe:end"})
        self.assertEqual(names[1]["toe"], "RightToe")
        self.assertEqual(Scene(s.clip, 1.0, "Y", legs=names).legs[1].toe, s.legs[1].toe)

    def test_from_json__end_sites_answer_to_their_parent(self):
        s = scene(still(4))
        named = dict(s.legs[0].describe(s.clip), toe_end="LeftToe")
        self.assertEqual(Scene(s.clip, 1.0, "Y", legs=[named]).legs[0].toe_end, s.legs[0].toe_end)
        toeless = dict(named, heel="LeftToe", toe="LeftToe", toe_end=None)
        leg = Scene(s.clip, 1.0, "Y", legs=[toeless]).legs[0]
        self.assertEqual((leg.name, leg.toe, leg.toe_end), ("LeftToe", s.legs[0].toe_end, None))

    def test_guess__unit_and_up(self):
        s = Scene(biped(still(4)))
        self.assertEqual((s.unit, s.up), (1.0, (1, 1.0)))


class Figures(unittest.TestCase):
    def test_slide__known_speed(self):
        dt, values = 1 / 60, still(30)
        values[:, 2] = 0.03 * np.arange(30) * dt  # 3 cm/s forward
        values[:, 1] += 0.04 * np.arange(30) * dt  # and 4 cm/s up: 5 cm/s in 3-D
        s = scene(values, dt)
        labels = s.plain_plants()
        self.assertTrue(labels["LeftToe"].all())
        got = measure.slide(s, labels)["LeftToe"]
        self.assertAlmostEqual(got["all"]["mean"], 5.0, places=9)
        self.assertAlmostEqual(got["all"]["max"], 5.0, places=9)
        self.assertAlmostEqual(got["all_horizontal"]["max"], 3.0, places=9)
        self.assertEqual(got["all"]["n"], 29)
        got = measure.slide(s, labels, ground_velocity=[0, 0.04, 0.03])["LeftToe"]
        self.assertAlmostEqual(got["all"]["max"], 0.0, places=9)

    def test_slide__unreached_steps_are_apart(self):
        values = still(30)
        values[10:, 2] = 0.01  # one step of 1 cm between frames 9 and 10
        s = scene(values)
        labels = {"LeftToe": np.ones(30, bool), "RightToe": np.ones(30, bool)}
        got = measure.slide(s, labels, {"LeftToe": {10: 1.0}})
        self.assertAlmostEqual(got["LeftToe"]["all"]["max"], 60.0, places=6)
        self.assertEqual(got["LeftToe"]["reached"]["max"], 0.0)
        self.assertEqual(got["LeftToe"]["unreached_planted_frames"], 1)
        self.assertAlmostEqual(got["RightToe"]["reached"]["max"], 60.0, places=6)

    def test_slide__entry_step_is_not_slide(self):
        values = still(30)
        values[:10, 2] = 0.02
        labels = {n: np.arange(30) >= 10 for n in ("LeftToe", "RightToe")}
        got = measure.slide(scene(values), labels)["LeftToe"]
        self.assertEqual(got["all"]["max"], 0.0)
        self.assertAlmostEqual(got["entry"]["max"], 120.0, places=6)

    def test_plant_height__median_of_the_plant(self):
        values = still(20)
        values[12, 1] += 0.002
        labels = {n: np.arange(20) >= 5 for n in ("LeftToe", "RightToe")}
        got = measure.plant_height(scene(values), scene(still(20)), labels)["LeftToe"]
        self.assertAlmostEqual(got["off_max"], 0.2, places=9)
        self.assertAlmostEqual(got["shift_max"], 0.0, places=9)

    def test_depth__clip_and_frame(self):
        given, cleaned = still(40), still(40)
        given[3, 1] -= 0.01  # the input itself dips 1 cm once
        cleaned[3, 1] -= 0.01
        cleaned[20, 1] -= 0.004  # the output dips 4 mm elsewhere: above the input's minimum, below its floor
        got = measure.depth(scene(cleaned), scene(given))["LeftToe"]["heel"]
        self.assertAlmostEqual(got["clip"], 0.0, places=9)
        self.assertAlmostEqual(got["frame_max"], 0.4, places=9)
        self.assertEqual((got["frames_over"], got["worst_frame"]), (1, 20))

    def test_bone_lengths__known_change(self):
        a, b = scene(still(6)), biped(still(6))
        b.nodes[b.index("LeftKnee")].offset = np.array([0, -0.4002, 0])
        got = measure.bone_lengths(Scene(b, 1.0, "Y"), a)
        self.assertAlmostEqual(got["max"], 0.02, places=9)
        self.assertEqual(got["joint"], "LeftKnee")

    def test_angular__known_ratio_and_still_joint(self):
        dt, frames = 1 / 60, 60
        t = np.arange(frames) * dt
        given, cleaned = still(frames), still(frames)
        given[:, 10] = np.degrees(0.5 * 5.0 * t * t)  # left hip about X: 5 rad/s^2
        cleaned[:, 10] = np.degrees(0.5 * 7.0 * t * t)
        cleaned[:, 13] = np.degrees(0.5 * 2.0 * t * t)  # left knee: still in the input
        got = measure.angular(scene(cleaned, dt), scene(given, dt))
        self.assertAlmostEqual(got["LeftHip"]["local"]["ratio_p999"], 1.4, places=9)
        self.assertAlmostEqual(got["LeftKnee"]["model"]["ratio_max"], 9.0 / 5.0, places=9)
        self.assertTrue(got["LeftKnee"]["local"]["still"])
        self.assertEqual(got["LeftKnee"]["local"]["ratio_max"], float("inf"))
        self.assertEqual(got["RightKnee"]["local"]["ratio_max"], 1.0)

    def test_pelvis__known_acceleration_and_height(self):
        dt, frames = 1 / 60, 60
        t = np.arange(frames) * dt
        given, cleaned = still(frames), still(frames)
        given[:, 2] = 0.5 * 2.0 * t * t
        cleaned[:, 2] = 0.5 * 3.0 * t * t
        cleaned[:, 1] += 0.013
        got = measure.pelvis(scene(cleaned, dt), scene(given, dt))
        self.assertAlmostEqual(got["ratio_p99"], 1.5, places=6)
        self.assertAlmostEqual(got["ratio_max"], 1.5, places=6)
        self.assertAlmostEqual(got["height_mean_change"], 1.3, places=9)

    def test_untouched__names_what_changed(self):
        a, values = scene(still(8)), still(8)
        values[3, 6] = 1e-300  # chest
        values[:, 9] = 5.0  # left hip may change
        values[2, 0] = 1.0  # travel may change
        got = measure.untouched(scene(values), a)
        self.assertEqual(got["changed"], ["Chest"])
        self.assertFalse(got["travel_rotation_changed"])
        values[2, 4] = 1.0
        self.assertTrue(measure.untouched(scene(values), a)["travel_rotation_changed"])

    def test_reference_frame__found_and_left_out(self):
        values = still(40)
        values[:, 10] = np.linspace(20, 22, 40)
        values[:, 13] = 30.0
        values[0, 9:] = 0.0
        s = scene(values)
        self.assertEqual(np.flatnonzero(s.reference).tolist(), [0])
        self.assertLess(measure.angular(s, s)["LeftKnee"]["local"]["given_max"], 1e-6)
        values[0] = values[1]
        self.assertFalse(reference_frames(biped(values), bvh.Pose(biped(values))).any())

    def test_scale_travel__about_the_first_true_frame(self):
        values = still(40)
        values[:, 2] = np.arange(40) * 0.01 + 1.0
        values[:, 13] = 30.0
        values[0, 13] = 0.0
        clip = scale_travel(scene(values), 1.25)
        np.testing.assert_allclose(clip.values[:, 2], values[1, 2] + 1.25 * (values[:, 2] - values[1, 2]), atol=1e-15)
        np.testing.assert_array_equal(np.delete(clip.values, [0, 2], axis=1), np.delete(values, [0, 2], axis=1))


class Verdict(unittest.TestCase):
    def test_judge__the_same_clip_passes(self):
        s = scene(still(40))
        result = judge.judge(s, s, s, again=s)
        self.assertTrue(result["pass"], [entry for entry in result["lines"] if not entry["pass"]])

    def test_judge__each_fault_fails_its_own_line(self):
        base = still(60)
        s = scene(base)
        faults = {
            "slide max cm/s": lambda v: v.__setitem__((30, 0), 0.001),
            "pelvis height mean change cm": lambda v: v.__setitem__((slice(None), 1), 0.915),
            "other joints untouched": lambda v: v.__setitem__((5, 7), 1.0),
            "heel deeper (clip) cm": lambda v: v.__setitem__((slice(None), 1), 0.8),
        }
        for name, spoil in faults.items():
            values = base.copy()
            spoil(values)
            result = judge.judge(s, s, scene(values))
            self.assertFalse(line(result, name)["pass"], name)
            self.assertFalse(result["pass"])

    def test_judge__again_counts_hundredths_of_a_degree(self):
        s, values = scene(still(40)), still(40)
        values[7, 12] = 0.011
        result = judge.judge(s, s, s, again=scene(values))
        self.assertFalse(line(result, "cleaned again, turn degrees")["pass"])
        values[7, 12] = 0.009
        self.assertTrue(line(judge.judge(s, s, s, again=scene(values)), "cleaned again, turn degrees")["pass"])


class ContactFiles(unittest.TestCase):
    def test_touch__pooled(self):
        truth = {"right": (["heel", "toe"], np.array([1, 1, 0, 0], bool)), "left": (["l"], np.array([0, 0, 1, 1], bool))}
        labels = {"toe:touch": np.array([1, 0, 0, 0], bool), "l:touch": np.array([0, 0, 1, 1], bool)}
        self.assertAlmostEqual(f1.pooled(f1.touch_pairs(labels, truth)), 2 * 3 / (3 + 4))


class StandIn:
    """Plays the program for the table: labels by the plain rule, a clean-up that only copies."""

    def info(self, clip):
        s = Scene(clip)
        return {"legs": [leg.describe(s.clip) for leg in s.legs], "unit_metres": s.unit, "up": "Y"}

    def scale(self, clip, factor, target):
        bvh.write(scale_travel(Scene(clip), factor), target)

    def rule_labels(self, clip, target):
        s = Scene(clip)
        plants.write_labels(target, s.dt, s.plain_plants())

    own_labels = rule_labels

    def clean(self, clip, target, labels=None):
        bvh.write(bvh.read(clip), target)
        return {"unreached": []}


class Table(unittest.TestCase):
    def test_run_one__a_copy_of_a_still_clip_passes_and_of_a_slid_one_fails(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "walker.bvh")
            values = still(90)
            values[:, 2] = 0.2 * np.arange(90) / 60  # 20 cm/s: planted by the rule, sliding
            bvh.write(biped(values), path)
            slid = table.run_one((StandIn(), path, "walker", 1.0, "rule", "walk", folder))
            bvh.write(biped(still(90)), path)
            good = table.run_one((StandIn(), path, "walker", 0.75, "own", "walk", folder))
        self.assertIsNone(good["error"])
        self.assertTrue(good["pass"], [e for e in good["result"]["lines"] if not e["pass"]])
        self.assertEqual(good["plant_f1"], 1.0)
        failing = {e["name"] for e in slid["result"]["lines"] if not e["pass"]}
        self.assertEqual(failing, {"slide mean cm/s", "slide max cm/s"})
        text = table.markdown([good, slid])
        self.assertIn("| walker | 0.75 | own | walk | 0.00 |", text)
        self.assertIn("20.000 *", text)
        self.assertTrue(all(len(table.cells(row)) == len(table.HEAD) for row in (good, slid)))


@unittest.skipUnless(os.path.isdir(os.path.join(DATA, "bvh")), "SKIP: the optional data folder is absent")
class RealClips(unittest.TestCase):
    def path(self, name):
        return os.path.join(DATA, "bvh", name + ".bvh")

    def test_overground__feet_on_the_plates_are_still(self):
        s = Scene(self.path("opensim_gait2354_walk_overground"))
        with open(os.path.join(DATA, "contacts", "opensim_gait2354_walk_contacts.json"), encoding="utf-8") as file:
            truth = json.load(file)
        for side in ("right", "left"):
            leg = next(entry for entry in s.legs if entry.side == side)
            force = np.array(truth["grf_vertical_%s_N" % side])
            # toe joint while the foot carries at least half of the body: within a few cm/s of rest
            loaded = force > 0.5 * force.max()
            speed = plants.speeds(s.path_of(leg.toe), s.dt)
            self.assertLess(np.median(speed[loaded]), 0.06)
            self.assertGreater(np.median(speed[force < 1.0]), 1.0)

    def test_overground__plain_rule_gets_the_published_touch_score(self):
        s = Scene(self.path("opensim_gait2354_walk_overground"))
        truth = f1.contact_truth(os.path.join(DATA, "contacts", "opensim_gait2354_walk_contacts.json"))
        self.assertAlmostEqual(f1.pooled(f1.touch_pairs(s.plain_plants(), truth, "")), 0.83, delta=0.005)

    def test_every_clip_reads(self):
        folder = os.path.join(DATA, "bvh")
        for name in sorted(os.listdir(folder)):
            clip = bvh.read(os.path.join(folder, name))
            self.assertGreater(clip.frames, 0, name)
            self.assertTrue(np.isfinite(clip.values).all(), name)


if __name__ == "__main__":
    unittest.main()
