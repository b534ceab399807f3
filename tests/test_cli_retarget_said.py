#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What `surefoot retarget` says of what it did: figures without legs, edited maps, clips on the spot, runs cut short.

Files and readers are those of test_cli_retarget.py. SFT_BIN is the folder of the programs; SFT_DATA the optional data
folder (default ../shared/data beside the checkout), whose tests are skipped where it is absent.
"""

import glob
import json
import math
import os
import re
import signal
import subprocess
import time
import unittest

import numpy as np

import test_cli_retarget as base
from test_cli_retarget import DATA, DONE, READ, UNALIKE, USAGE, content, run

BUST = """HIERARCHY
ROOT Hips
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  JOINT Spine
  {
    OFFSET 0 20 0
    CHANNELS 3 Zrotation Xrotation Yrotation
    JOINT Head
    {
      OFFSET 0 30 0
      CHANNELS 3 Zrotation Xrotation Yrotation
      End Site
      {
        OFFSET 0 15 0
      }
    }
  }
}
MOTION
Frames: 1
Frame Time: 0.016666
0 90 0 0 0 0 0 0 0 0 0 0
"""


class Said(base.Retarget):
    def said(self, *arguments, target=None):
        """Words and warnings of a run that went well."""
        code, out, err = run("surefoot", "retarget", self.walk, "--onto", target or self.child, "-o",
                             self.path("said.glb"), *arguments)
        self.assertEqual(code, DONE, err)
        return out.decode(), err

    def result(self, *arguments, source=None, target=None):
        return json.loads(self.ok(source or self.walk, "--onto", target or self.child, "-o", self.path("said.glb"),
                                  "--json", *arguments))


class Messages(Said):
    def test_options_of_the_target_are_named_as_they_were_given(self):
        whole = [self.walk, "--onto", self.child, "-o", self.path("never.glb")]
        for name, value in (("unit", "1e-30"), ("up", "Q")):
            self.assertIn("--target-" + name, self.fails(USAGE, *whole, "--target-" + name, value))
            err = self.fails(USAGE, *whole, "--" + name, value)
            self.assertNotIn("target-", err)
        far = self.write("far.bvh", content(self.child_bvh).decode().replace("OFFSET 0", "OFFSET 1e300", 1))
        code, _, err = run("surefoot", "retarget", self.walk, "--onto", far, "-o", self.path("never.bvh"))
        self.assertEqual(code, READ, err)

    def test_far_targets_are_told_of_the_targets_unit(self):
        lines = content(self.child_bvh).decode().replace("\r", "").rstrip("\n").split("\n")
        lines[-1] = " ".join(["1e20"] + lines[-1].split()[1:])
        far = self.write("far2.bvh", "\n".join(lines) + "\n")
        self.assertIn("--target-unit", self.fails(READ, self.walk, "--onto", far, "-o", self.path("never.bvh")))
        self.assertIn("with --unit", self.fails(READ, far, "--onto", self.child, "-o", self.path("never.glb")))

    def test_one_clip_and_all_clips_cannot_both_be_meant(self):
        made = self.path("never.glb")
        self.assertIn("--all-clips", self.fails(USAGE, self.walk, "--onto", self.child, "-o", made, "--all-clips",
                                                "--clip", "0"))
        code, _, err = run("surefoot", "clean", self.skinned, "-o", made, "--all-clips", "--clip", "0")
        self.assertEqual((code, "--all-clips" in err), (USAGE, True), err)
        self.assertFalse(os.path.exists(made))

    def test_a_bvh_of_one_clip_has_none_to_replace(self):
        made = self.path("never.bvh")
        err = self.fails(USAGE, self.walk, "--onto", self.skinned, "-o", made, "--replace", "walk")
        self.assertIn("--replace", err)
        self.assertFalse(os.path.exists(made))

    def test_goals_are_not_called_kept(self):
        text, _ = self.said("--goal", "hand_l@5-20=50,0,0")
        self.assertIn("1 goal given for hands.", text)
        self.assertIn("Not reached", text)
        self.assertNotIn("kept", text)
        self.assertNotIn("Hands touch", text)

    def test_a_given_pose_is_named(self):
        text, _ = self.said("--source-pose", "7")
        self.assertIn("pose of frame 7, ", text)
        made = self.result("--source-pose", "7")["source_rig"]
        self.assertEqual((made["pose"], made["pose_frame"]), ("frame", 7))
        self.assertEqual(self.result()["source_rig"]["pose"], "rest")

    def test_hands_alone_leave_the_feet_and_say_so(self):
        page = self.path("hands.html")
        text, _ = self.said("--keep", "hands", "--no-clean", "--report", page)
        self.assertIn("Feet are where the transfer left them (--no-clean).", text)
        self.assertTrue("feet were left where that puts them" in content(page).decode())
        self.assertNotIn("0 plants", text)

    def test_the_page_says_how_many_joints_the_map_has_and_how_far_the_pelvis_moved(self):
        page = self.path("map.html")
        self.said("--report", page)
        text = content(page).decode()
        self.assertTrue("Where the target's 51 joints get their motion from" in text)
        self.assertEqual(text.count("<tr><td>") + text.count('<tr class="rest">') >= 51, True)
        self.assertTrue("Pelvis moved against the transfer" in text)


class Legless(Said):
    def test_a_target_without_legs_is_scaled_by_height_and_plants_nothing(self):
        bust = self.write("bust.bvh", BUST)
        text, _ = self.said(target=bust)
        self.assertIn("(height, as the target has no legs)", text)
        self.assertIn("Feet are where the transfer left them (the target has no legs).", text)
        self.assertNotIn("plant", text.replace("transfer", ""))
        made = self.result(target=bust)
        self.assertIs(made["cleaned"], False)
        self.assertEqual(made["travel_on"], "hips")

    def test_a_source_without_legs_too(self):
        bust = self.write("bust2.bvh", BUST)
        text = self.ok(bust, "--onto", self.child, "-o", self.path("said.glb"))
        self.assertIn("(height, as the source has no legs)", text)
        self.assertIn("(the source has no legs)", text)


class LostLegs(Said):
    def test_a_figure_whose_legs_were_not_found_is_moved_onto_once_they_are_named(self):
        rows, name = [], None
        for row in content(self.child_bvh).decode().split("\n"):
            word = row.split()
            name = word[1] if word[:1] in (["ROOT"], ["JOINT"]) else "end" if word[:1] == ["End"] else name
            if word[:1] == ["OFFSET"] and name in ("calf_l", "foot_l", "calf_r", "foot_r"):
                length = math.sqrt(sum(float(v) ** 2 for v in word[1:4]))
                side = 1 if name.endswith("_l") else -1
                row = "OFFSET %g %g 0" % (side * 0.9 * length, 0.436 * length)
            rows.append(re.sub("(upperarm|lowerarm|hand|thigh|calf|foot|ball|pelvis|spine|neck|head|clavicle|root)",
                               lambda found: "".join(chr(ord(c) + 1) for c in found.group(1)), row))
        split, legs, made = self.write("split.bvh", "\n".join(rows)), self.path("legs.json"), self.path("never.bvh")
        err = self.fails(UNALIKE, self.walk, "--onto", split, "-o", made)
        self.assertIn("name them: --target-legs FILE.json", err)
        self.assertIn("name them: --legs FILE.json", self.fails(UNALIKE, split, "--onto", self.child, "-o", made))
        code, out, err = run("surefoot", "info", self.child_bvh, "--json")
        self.assertEqual(code, DONE, err)
        named = json.loads(out)["legs"]
        for leg in named:
            for part in ("pelvis", "hip", "knee", "heel", "toe", "toe_end"):
                if leg.get(part):
                    leg[part] = re.sub("(thigh|calf|foot|ball|pelvis)",
                                       lambda found: "".join(chr(ord(c) + 1) for c in found.group(1)), leg[part])
        self.write("legs.json", json.dumps({"legs": named}))
        text = self.ok(self.walk, "--onto", split, "-o", self.path("split_walk.bvh"), "--target-legs", legs)
        self.assertIn("onto: split.bvh, 2 legs", text)


class EditedMaps(Said):
    def edited(self, change):
        path = self.path("edited.json")
        self.ok(self.walk, "--onto", self.child, "--map-out", path)
        made = json.loads(content(path))
        change({pair["target"]: pair for pair in made["pairs"]})
        self.write("edited.json", json.dumps(made))
        return self.said("--map", path)

    def test_a_map_as_written_is_not_warned_of(self):
        _, err = self.edited(lambda pairs: None)
        self.assertEqual(err, "")

    def test_hips_and_limbs_at_rest_are_named(self):
        def rest(pairs):
            for name in ("pelvis", "upperarm_l", "calf_r"):
                pairs[name]["rule"] = "rest"
                del pairs[name]["source"]

        _, err = self.edited(rest)
        self.assertIn("nothing turns the hips, pelvis", err)
        self.assertIn("left upper arm (upperarm_l), right shin (calf_r)", err)

    def test_a_root_that_is_none_is_named_and_the_true_owner_said(self):
        def swap(pairs):
            pairs["head"]["rule"] = "root"
            pairs["root"]["rule"] = "rest"
            del pairs["root"]["source"]

        text, err = self.edited(swap)
        self.assertIn("head is a root but does not lie above the hips", err)
        self.assertIn("pelvis carries all of it", text)
        made = self.result("--map", self.path("edited.json"))
        self.assertEqual(made["travel_on"], "hips")
        self.assertEqual(self.result()["travel_on"], "root")

    def test_limbs_that_point_elsewhere_are_not_said_to_point_where_the_sources_do(self):
        def cross(pairs):
            pairs["upperarm_l"]["source"] = "RightArm"
            pairs["upperarm_r"]["source"] = "LeftArm"

        page = self.path("astray.html")
        self.assertIn("Limbs point where the source's do: ", self.said()[0])
        text, _ = self.edited(cross)
        self.assertIn("Limbs point elsewhere than the source's: at worst", text)
        self.said("--map", self.path("edited.json"), "--report", page)
        self.assertTrue(" degrees off the source's on average" in content(page).decode())

    def test_all_clips_are_warned_of_once(self):
        path = self.path("clips.json")
        self.ok(self.skinned, "--onto", self.child, "--map-out", path)
        made = json.loads(content(path))
        made["pairs"] = []
        self.write("clips.json", json.dumps(made))
        code, _, err = run("surefoot", "retarget", self.skinned, "--onto", self.child, "--all-clips", "-o",
                           self.path("said.glb"), "--map", path)
        self.assertEqual(code, DONE, err)
        self.assertEqual(err.count("nothing turns the hips"), 1)


class Goals(Said):
    def motion(self, name, *arguments):
        made = self.moved(name, *arguments)
        return base.Motion(made)

    def test_a_hand_that_stays_where_it_is_stays_where_planting_leaves_it(self):
        plain, held = self.motion("plain.glb"), self.motion("held.glb", "--goal", "hand_l@40-70")
        self.assertGreater(np.linalg.norm(plain.at("hand_l")[70] - plain.at("hand_l")[40]), 0.05)
        for frame in (40, 55, 70):
            self.assertLess(np.linalg.norm(held.at("hand_l")[frame] - plain.at("hand_l")[40]), 1e-4)

    def test_a_body_that_leans_does_not_turn_the_hand(self):
        plain = self.motion("plain.glb")
        at = plain.at("upperarm_l")[60] + 1.08 * np.array([0.0, 0.0, 0.292])
        held = self.motion("lean.glb", "--goal", "hand_l@50-70=%f,%f,%f" % tuple(at))
        trunk = [m.at("neck_01")[60] - m.at("pelvis")[60] for m in (plain, held)]
        self.assertGreater(base.angles(*[v / np.linalg.norm(v) for v in trunk]), 1.0)
        for finger in ("thumb_01_l", "middle_01_l"):
            way = [m.at(finger)[60] - m.at("hand_l")[60] for m in (plain, held)]
            self.assertLess(base.angles(*[v / np.linalg.norm(v) for v in way]), 0.01, finger)


class OnTheSpot(Said):
    def test_planted_feet_are_measured_against_the_ground_they_were_planted_on(self):
        belt = self.path("belt.bvh")
        code, _, err = run("surefoot-make-sample", belt, "--treadmill", "--frames", "120")
        self.assertEqual(code, DONE, err)
        made = self.result(source=belt)
        self.assertLess(made["written_figures"]["clip"]["slide_mean_cm_s"], 0.01)

    @unittest.skipUnless(os.path.isdir(DATA), "SKIP: the optional data folder is absent")
    def test_a_clip_whose_feet_tread_slower_on_the_target(self):
        made = self.result(source=os.path.join(DATA, "gltf", "bitmoji_walk.glb"),
                           target=os.path.join(DATA, "gltf", "kaykit_Knight.glb"))
        self.assertLess(made["written_figures"]["clip"]["slide_mean_cm_s"], 0.1)


@unittest.skipUnless(hasattr(signal, "SIGHUP"), "SKIP: no signals of POSIX here")
class CutShort(Said):
    def test_whoever_ends_it_finds_no_half_file(self):
        folder = self.path("cut")
        os.mkdir(folder)
        out = os.path.join(folder, "made.gltf")
        arguments = [os.path.join(base.BIN, "surefoot"), "retarget", self.walk, "--onto", self.child, "-o", out]
        start = time.monotonic()
        subprocess.run(arguments, check=True, stdout=subprocess.DEVNULL)
        whole = {path: content(path) for path in glob.glob(os.path.join(folder, "*"))}
        took = time.monotonic() - start
        for turn in range(8):
            for path in whole:
                if os.path.exists(path):
                    os.remove(path)
            process = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
            time.sleep(took * (0.5 + 0.07 * turn))
            process.send_signal((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)[turn % 3])
            process.wait()
            for path in glob.glob(os.path.join(folder, "*")):
                self.assertIn(path, whole)
                self.assertEqual(content(path), whole[path], path)


if __name__ == "__main__":
    unittest.main()
