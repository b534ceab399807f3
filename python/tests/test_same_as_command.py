# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What Python writes and says, against the command: bytes of files, figures, labels, what info tells."""
import json
import math
import unittest
import warnings

import numpy as np

import surefoot as sf
from support import BIN, CHILD, DATA, FOLDER, SLID, TWO, WALK, run, surefoot, surefoot_json


OURS, THEIRS = FOLDER / "ours", FOLDER / "theirs"
OURS.mkdir()
THEIRS.mkdir()


class SameFiles(unittest.TestCase):
    def assert_same(self, made, name, *command):
        """`made`, written, is what the command writes to a file of the same name."""
        ours, theirs = OURS / name, THEIRS / name
        sf.write(made, ours)
        surefoot(*command, "-o", theirs)
        self.assertEqual(ours.read_bytes(), theirs.read_bytes())
        # Resources beside a .gltf.
        if name.endswith(".gltf") and theirs.with_suffix(".bin").exists():
            self.assertEqual(ours.with_suffix(".bin").read_bytes(), theirs.with_suffix(".bin").read_bytes())

    def test_clean_with_every_option(self):
        clip = sf.read(SLID)
        cases = [({}, ()), ({"give_way": "legs"}, ("--give-way", "legs")), ({"give_way": "root"}, ("--give-way", "root")),
                 ({"loop": True}, ("--loop",)), ({"threshold": 0.4}, ("--contact-threshold", 0.4)),
                 ({"ground_velocity": None}, ("--ground-velocity", "none")),
                 ({"ground_velocity": (0.0, 0.0, -0.2)}, ("--ground-velocity", "0,0,-0.2")),
                 ({"method": "runtime"}, ("--method", "runtime")),
                 ({"method": "runtime", "blend": 0.3, "lock_distance": 0.02, "unlock_distance": 0.4,
                   "lock_orientation": True},
                  ("--method", "runtime", "--blend", 0.3, "--lock-distance", 0.02, "--unlock-distance", 0.4,
                   "--lock-orientation"))]
        outputs = set()
        for options, words in cases:
            with self.subTest(options):
                self.assert_same(sf.clean(clip, **options), "clean.bvh", "clean", SLID, *words)
                outputs.add((OURS / "clean.bvh").read_bytes())
        # The options do something: all but the ground at rest, which is what is found, give other files.
        self.assertGreaterEqual(len(outputs), len(cases) - 2)

    def test_clean_of_other_formats(self):
        for name in ("slid.glb", "slid.gltf"):
            clip = sf.read(FOLDER / name)
            self.assert_same(sf.clean(clip), name, "clean", FOLDER / name)
            self.assert_same(sf.clean(clip, keep_keys=True), f"keys-{name}", "clean", FOLDER / name, "--keep-keys")
        self.assert_same(sf.clean(sf.read(SLID)), "cleaned.glb", "clean", SLID)
        self.assert_same(sf.clean(sf.read(FOLDER / "slid.glb")), "cleaned.bvh", "clean", FOLDER / "slid.glb")
        self.assertEqual(sf.to_bytes(sf.clean(sf.read(SLID)), "glb"), (THEIRS / "cleaned.glb").read_bytes())

    def test_clean_of_two_characters(self):
        # One whose root goes too far, and one on a belt that goes east: each has a ground of its own.
        texts = []
        for number, options in enumerate((("--root-scale", 1.25), ("--treadmill", "--heading", 90))):
            path = FOLDER / f"walker{number}.bvh"
            run("surefoot-make-sample", path, "--frames", 120, *options)
            texts.append(path.read_text().replace("HIERARCHY\n", "").split("MOTION\n"))
        names = texts[1][0].replace("ROOT ", "ROOT B_").replace("JOINT ", "JOINT B_")
        rows = [motion.rstrip("\n").split("\n") for _, motion in texts]
        both = rows[0][:2] + [" ".join(pair) for pair in zip(rows[0][2:], rows[1][2:])]
        path = FOLDER / "walkers.bvh"
        path.write_text("HIERARCHY\n" + texts[0][0] + names + "MOTION\n" + "\n".join(both) + "\n")
        clip = sf.read(path)
        self.assert_same(sf.clean(clip), "walkers.bvh", "clean", path)
        labels = sf.contacts(clip)
        self.assertEqual(labels.ground_velocities.shape, (4, 3))
        self.assertLess(abs(labels.ground_velocities[2, 0] + 1.3), 0.05)
        self.assertLess(sf.check(sf.clean(clip, labels), labels).clip.slide_max_cm_s, 0.01)
        # A ground that is assigned holds for all.
        labels.ground_velocity = np.array([0.0, 0.0, 0.0])
        self.assertGreater(sf.check(clip, labels).feet["slide_mean_cm_s"][2], 100.0)

    def test_one_clip_of_several_and_all_of_them(self):
        document = sf.load(TWO)
        self.assertEqual([c.name for c in document.clips], ["slid", "walk"])
        self.assert_same(sf.clean(document.clip("slid")), "one-of-two.glb", "clean", TWO, "--clip", "slid")
        self.assert_same(sf.clean(document.clip(1)), "other-of-two.glb", "clean", TWO, "--clip", 1)
        self.assert_same(sf.clean_all(document), "both.glb", "clean", TWO, "--all-clips")
        self.assert_same(sf.clean(document.clip("slid")), "of-two.bvh", "clean", TWO, "--clip", "slid")

    def test_edited_labels(self):
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        labels.plant[0, 20:60] = 1.0
        labels.save(FOLDER / "edited.csv")
        self.assert_same(sf.clean(clip, labels), "edited.bvh", "clean", SLID, "--contacts", FOLDER / "edited.csv")

    def test_given_legs_unit_and_axes(self):
        clip = sf.read(SLID, unit="inch", up="Y")
        self.assert_same(sf.clean(clip), "inch.bvh", "clean", SLID, "--unit", "inch", "--up", "Y")
        legs = sf.info(SLID)["legs"]
        (FOLDER / "legs.json").write_text(json.dumps(legs[:1]))
        self.assert_same(sf.clean(sf.read(SLID, legs=legs[:1])), "left.bvh", "clean", SLID, "--legs", FOLDER / "legs.json")

    def test_retarget_with_every_option(self):
        clip = sf.read(SLID)
        cases = [({}, ()), ({"mirror": True}, ("--mirror",)), ({"scale": 0.7}, ("--scale", 0.7)),
                 ({"root": "hips"}, ("--root", "hips")), ({"clean": False}, ("--no-clean",)),
                 ({"keep_hands": True}, ("--keep", "hands")), ({"unreachable": "stretch"}, ("--unreachable", "stretch")),
                 ({"unreachable": "release"}, ("--unreachable", "release")), ({"non_rigid": "ratio"}, ("--non-rigid", "ratio")),
                 ({"source_pose": 10}, ("--source-pose", 10)), ({"target_pose": "rest"}, ("--target-pose", "rest"))]
        for options, words in cases:
            with self.subTest(options):
                self.assert_same(sf.retarget(clip, CHILD, **options), "moved.glb", "retarget", SLID, "--onto", CHILD, *words)

    def test_goals_for_hands(self):
        clip = sf.read(SLID)
        goals = [sf.Goal("hand_l", 20, 40), sf.Goal("hand_r", 10, 40, other="head"),
                 sf.Goal("hand_r", 80, 100, place=(0.2, 0.7, 0.4))]
        words = ("--goal", "hand_l@20-40", "--goal", "hand_r:head@10-40", "--goal", "hand_r@80-100=0.2,0.7,0.4")
        self.assert_same(sf.retarget(clip, CHILD, goals=goals), "held.glb", "retarget", SLID, "--onto", CHILD, *words)
        self.assert_same(sf.retarget(clip, CHILD, goals=goals, clean=False, keep_hands=True), "held.glb", "retarget", SLID,
                         "--onto", CHILD, "--no-clean", "--keep", "hands", *words)
        held = sf.retarget(clip, CHILD, goals=goals)
        self.assertEqual(held.report.goal_count, 3)
        # A hand that is to stay where it is stays there, where else it goes on by more than 5 cm.
        hand = held.skeleton.index("hand_l")
        free = sf.retarget(clip, CHILD).positions()[20:41, hand]
        self.assertLess(abs(held.positions()[20:41, hand] - free[0]).max(), 1e-6)
        self.assertGreater(abs(free - free[0]).max(), 0.05)

    def test_retarget_between_formats(self):
        clip, moved = sf.read(WALK), sf.read(FOLDER / "one.glb")
        self.assert_same(sf.retarget(clip, WALK), "onto-itself.bvh", "retarget", WALK, "--onto", WALK)
        self.assert_same(sf.retarget(moved, WALK), "back.bvh", "retarget", FOLDER / "one.glb", "--onto", WALK)
        self.assert_same(sf.retarget(moved, WALK, glb=True), "back.glb", "retarget", FOLDER / "one.glb", "--onto", WALK)
        self.assert_same(sf.retarget(clip, CHILD), "child.bvh", "retarget", WALK, "--onto", CHILD)
        self.assert_same(sf.retarget(clip, TWO, replace="slid"), "replaced.glb", "retarget", WALK, "--onto", TWO,
                         "--replace", "slid")

    def test_maps_go_round(self):
        clip = sf.read(WALK)
        surefoot("retarget", WALK, "--onto", CHILD, "--map-out", FOLDER / "map.json")
        found = sf.map_joints(clip, CHILD)
        self.assertEqual(found.to_json().encode(), (FOLDER / "map.json").read_bytes())
        plain = sf.to_bytes(sf.retarget(clip, CHILD))
        for given in (found, found.to_json(), FOLDER / "map.json"):
            self.assertEqual(sf.to_bytes(sf.retarget(clip, CHILD, map=given)), plain)

    def test_results_are_worked_on_as_if_they_were_files(self):
        chain = sf.clean(sf.retarget(sf.clean(sf.read(SLID)), CHILD))
        # A moved clip is named after the file that it came from.
        surefoot("clean", SLID, "-o", THEIRS / "slid.bvh")
        surefoot("retarget", THEIRS / "slid.bvh", "--onto", CHILD, "-o", THEIRS / "between.glb")
        self.assert_same(chain, "chain.glb", "clean", THEIRS / "between.glb")

    def test_a_character_in_a_file_of_its_own(self):
        clip = sf.read(TWO, clip="slid", character=CHILD)
        self.assert_same(sf.clean(clip), "bound.glb", "clean", TWO, "--clip", "slid", "--character", CHILD)

    def test_a_character_that_is_a_result(self):
        # Nothing but the clip holds on to the bytes that the character was read from.
        cleaned = sf.clean(sf.read(TWO, clip="slid", character=sf.clean(sf.read(TWO, clip="walk")).document))
        self.assert_same(sf.clean(sf.read(TWO, clip="walk")), "walk-cleaned.glb", "clean", TWO, "--clip", "walk")
        self.assert_same(cleaned, "bound-to-result.glb", "clean", TWO, "--clip", "slid", "--character",
                         THEIRS / "walk-cleaned.glb")

    def test_unchanged_goes_out_as_it_came(self):
        for path in (WALK, TWO, FOLDER / "slid.gltf"):
            sf.write(sf.load(path), FOLDER / f"copy{path.suffix}")
            self.assertEqual((FOLDER / f"copy{path.suffix}").read_bytes(), path.read_bytes())


class SameAnswers(unittest.TestCase):
    def assert_like(self, ours, theirs, where=""):
        """Equal but for numbers, which JSON shows in seven digits."""
        if isinstance(theirs, dict):
            for key, value in theirs.items():
                self.assertIn(key, ours, where)
                self.assert_like(ours[key], value, f"{where}.{key}")
        elif isinstance(theirs, list):
            self.assertEqual(len(ours), len(theirs), where)
            for i, (a, b) in enumerate(zip(ours, theirs)):
                self.assert_like(a, b, f"{where}[{i}]")
        elif isinstance(theirs, float):
            self.assertTrue(math.isclose(ours, theirs, rel_tol=2e-6, abs_tol=1e-12), f"{where}: {ours} {theirs}")
        else:
            self.assertEqual(ours, theirs, where)

    def test_info(self):
        files = [WALK, CHILD, TWO, FOLDER / "slid.gltf"]
        files += [p for p in (DATA / "bvh" / "cmu_12_01_walk.bvh", DATA / "bvh" / "xsens_a_40fps.bvh",
                              DATA / "gltf" / "khronos_Fox.glb") if p.exists()]
        for path in files:
            with self.subTest(path.name):
                theirs = surefoot_json("info", path)
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    self.assert_like(sf.info(path), theirs)

    def test_contacts(self):
        clip = sf.read(SLID)
        self.assertEqual(sf.contacts(clip).to_csv().encode(), surefoot("contacts", SLID))
        self.assertEqual(sf.contacts(clip, plain=True).to_csv().encode(), surefoot("contacts", SLID, "--rule"))
        self.assertEqual(sf.contacts(clip, held_only=True).to_csv().encode(), surefoot("contacts", SLID, "--held"))

    def test_check(self):
        theirs = surefoot_json("check", SLID)
        ours = sf.check(sf.read(SLID))
        for foot, figures in zip(theirs["feet"], ours.feet):
            for key in ("planted_frames", "slide_mean_cm_s", "slide_max_cm_s", "penetration_max_cm", "pop_max_rad_s2"):
                self.assert_like(figures[key].item(), foot[key], key)
        self.assert_like(ours.published.as_dict(), {k.replace("_m_s", ""): v
                                                    for k, v in theirs["clip"]["published"].items()})
        self.assert_like(ours.clip.slide_mean_cm_s, theirs["clip"]["slide_mean_cm_s"])
        self.assert_like(ours.clip.pelvis_accel_p99, theirs["clip"]["pelvis_accel_p99_m_s2"])
        labels = sf.contacts(sf.read(SLID))
        self.assert_like(labels.mismatch.root_travel, theirs["mismatch"]["root_travel"])
        self.assertEqual(labels.mismatch.text, theirs["mismatch"]["text"])

    def test_what_cleaning_says(self):
        theirs = surefoot_json("clean", SLID, "-o", FOLDER / "said.bvh")
        cleaned = sf.clean(sf.read(SLID))
        self.assertEqual([cleaned.skeleton.unique_name(j) for j in cleaned.changed.nonzero()[0]],
                         [joint["name"] for joint in theirs["changed_joints"]])
        self.assert_like(sf.check(cleaned, cleaned.labels).clip.slide_mean_cm_s, theirs["after"]["clip"]["slide_mean_cm_s"])


class RealFiles(unittest.TestCase):
    """Files of other people's exporters, where they are there."""

    CLIPS = ("bvh/cmu_12_01_walk.bvh", "bvh/mixed_orders_zup.bvh", "bvh/opensim_gait2354_walk_treadmill.bvh",
             "gltf/m2m_fox-animations.glb", "gltf/m2m_spider-animations.glb", "fbx/ozz_walk.fbx")

    def test_cleaned_byte_for_byte(self):
        if not DATA.is_dir():
            print("SKIP: no data folder")
            self.skipTest("no data folder")
        for name in self.CLIPS:
            path = DATA / name
            if path.suffix == ".fbx" and not (BIN / "surefoot-fbx").exists():
                continue
            with self.subTest(name):
                ending = ".bvh" if path.suffix == ".bvh" else ".glb"
                document = sf.load(path)
                clip = document.clip(0)
                theirs = FOLDER / f"real{ending}"
                surefoot("clean", path, "--clip", 0, "-o", theirs)
                self.assertEqual(sf.to_bytes(sf.clean(clip)), theirs.read_bytes())


if __name__ == "__main__":
    unittest.main()
