# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Self-tests of the retargeting judge: a good transfer passes, and every planted fault is named."""

import os
import tempfile
import unittest

import numpy as np

import bvh
import retarget_figure
import retarget_judge
import retarget_made as made_data
import retarget_measure as measure
import retarget_rigs
from rotations import axis_matrix

DATA = os.environ.get("SFT_DATA") or os.path.join(os.path.dirname(__file__), "../../../shared/data")


class Made(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.source_path = os.path.join(cls.folder.name, "made_first.bvh")
        cls.target_path = os.path.join(cls.folder.name, "made_second.bvh")
        bvh.write(made_data.first_motion(), cls.source_path)
        bvh.write(made_data.skeleton(made_data.SECOND, 1), cls.target_path)
        cls.source = retarget_figure.open_figure(cls.source_path, made_data.FIRST)
        cls.target = retarget_figure.open_figure(cls.target_path, made_data.SECOND)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def failures(self, change=None, edit=None, clean=False, **how):
        """Names of the lines that fail for a transfer with a fault."""
        path = made_data.on_ground(self.source, self.target, self.folder.name, change, **how)
        if edit is not None:
            clip = bvh.read(path)
            edit(clip)
            bvh.write(clip, path)
        self.figures, lines = retarget_judge.judge(
            self.source_path, path, self.target_path, source_rig=made_data.FIRST, target_rig=made_data.SECOND, clean=clean)
        return [entry["name"] for entry in lines if not entry["pass"] and not entry["advisory"]]

    def still(self):
        return np.arange(self.source.frames) >= self.source.frames // 2

    def test_one_skeleton_in_two_files_is_one_rig(self):
        twin = os.path.join(self.folder.name, "twin.bvh")
        bvh.write(made_data.first_motion(), twin)
        again = retarget_figure.open_figure(twin, retarget_rigs.Rig("twin", "bvh", made_data.FIRST.table, made_data.FIRST.unit))
        self.assertTrue(measure.same_skeleton(self.source, again))
        self.assertFalse(measure.same_skeleton(self.source, self.target))

    def test_a_good_transfer_passes(self):
        self.assertEqual(self.failures(), [])
        limbs = self.figures["limbs"]
        self.assertEqual(len(limbs), 4)
        for name, value in limbs.items():
            self.assertLess(value["max"], 1e-6, name)
        self.assertLess(self.figures["turns"]["chest"]["max"], 1e-6)
        self.assertAlmostEqual(self.figures["root"]["scale"], self.figures["leg_ratio"], places=6)
        stand = self.figures["standing plain"]
        self.assertGreater(stand["planted"], 100)
        # the first frames stand upright, the last crouch, on legs of other proportions
        self.assertLess(stand["sink"], 1.0)
        self.assertLess(self.figures["slide plain"]["mean"], 2.0)

    def test_swapped_sides_fail(self):
        axes = self.target.axes

        def swap(world, root):
            other = lambda n: n.replace("Left", "#").replace("Right", "Left").replace("#", "Right")
            # the bones of the left point where those of the right should: as if left were mapped to right
            about = axes.T @ axis_matrix("y", np.pi) @ axes
            return {n: world[other(n)] @ about if n != other(n) else world[n] for n in world}, root
        names = self.failures(swap)
        self.assertIn("sides swapped", names)
        self.assertIn("upper arm mean", names)

    def test_five_degrees_on_an_upper_arm_fail(self):
        def offset(world, root):
            world["LeftShoulder"] = axis_matrix("z", np.radians(5.0)) @ world["LeftShoulder"]
            return world, root
        # the mean of both arms is 2.5 degrees less what the turn about the bone takes
        names = self.failures(offset)
        self.assertIn("upper arm mean", names)
        self.assertGreater(self.figures["limbs"]["upper arm"]["mean"], 2.0)
        self.assertLess(self.figures["limbs"]["upper arm"]["mean"], 2.6)
        self.assertLess(self.figures["limbs"]["thigh"]["mean"], 0.1)

    def test_floating_by_two_centimetres_fails(self):
        self.failures(clean=True)
        before = self.figures["standing plain"]["float"]
        self.failures(lambda world, root: (world, root + [0.0, 0.02, 0.0]), clean=True)
        self.assertGreater(self.figures["standing plain"]["float"], before + 1.4)
        self.assertIn("float (plain)", self.all_lines(clean=True))

    def all_lines(self, clean):
        """Advisory lines too: without the program's own labels the feet are judged on the plain rule's."""
        return [entry["name"] for entry in retarget_judge.verdict(self.figures, clean) if not entry["pass"]]

    def test_slide_fails(self):
        drift = np.cumsum(self.still())[:, None] * [0.0, 0.0, 0.02 / made_data.FPS]
        self.failures(clean=True)
        before = self.figures["slide plain"]["mean"]
        self.failures(lambda world, root: (world, root + drift), clean=True)
        self.assertAlmostEqual(self.figures["slide plain"]["mean"], before + 2.0, delta=0.5)
        self.assertIn("slide (plain)", self.all_lines(clean=True))

    def test_a_stretched_bone_fails(self):
        def stretch(clip):
            clip.nodes[clip.index("LeftKnee")].offset *= 1.03
        names = self.failures(edit=stretch)
        self.assertIn("bone length", names)
        self.assertEqual(self.figures["bone_joint"], "LeftKnee")
        self.assertTrue(any(n.startswith("file: OFFSET of LeftKnee") for n in names), names)

    def test_a_wrong_heading_fails(self):
        names = self.failures(heading=np.radians(20.0))
        self.assertIn("heading", names)
        self.assertAlmostEqual(self.figures["turn"], 20.0, places=4)
        self.assertNotIn("thigh mean", names)

    def test_travel_that_does_not_turn_along_fails(self):
        self.assertIn("travel turn", self.failures(lambda world, root: (world, root @ axis_matrix("y", 0.3).T)))

    def test_unscaled_travel_fails(self):
        names = self.failures(scale=1.0)
        self.assertIn("travel scale", names)

    def test_a_backward_knee_fails(self):
        down = self.target.axes.T @ [0.0, -1.0, 0.0]

        def bend(world, root):
            hip, knee = world["LeftHip"], world["LeftKnee"]
            # the shin mirrored in the thigh's line, in the plane of the bend
            thigh = hip @ down
            half = np.zeros_like(knee)
            for f in range(len(knee)):
                shin = knee[f] @ down
                half[f] = made_data.align(shin, measure.unit_vector(2.0 * (shin @ thigh[f]) * thigh[f] - shin))
            world["LeftKnee"] = half @ knee
            return world, root
        self.assertIn("backward knees", self.failures(bend))

    def test_crossed_arms_fail(self):
        def cross(world, root):
            for side, sign in (("Left", 1.0), ("Right", -1.0)):
                for joint in ("Shoulder", "Elbow"):
                    bone, over = (measure.unit_vector(v) for v in ([sign, -0.85, 0.15], [-sign, -0.3, 0.3]))
                    world[side + joint] = np.broadcast_to(
                        made_data.align(bone, over) @ self.target.axes, (self.source.frames, 3, 3))
            return world, root
        self.assertIn("arms crossing", self.failures(cross))

    def test_a_jump_fails(self):
        def jump(world, root):
            root = root.copy()
            root[100:] += [0.3, 0.0, 0.0]
            return world, root
        self.assertIn("jump", self.failures(jump))

    def test_jitter_fails(self):
        noise = np.random.default_rng(1).normal(0.0, 0.02, self.source.frames)
        def shake(world, root):
            world["LeftWrist"] = axis_matrix("x", noise) @ world["LeftWrist"]
            return world, root
        self.assertIn("wrist left acceleration rms", self.failures(shake))

    def test_a_chest_that_does_not_turn_fails(self):
        def stiff(world, root):
            world["Chest"] = np.broadcast_to(world["Chest"][:1], world["Chest"].shape)
            return world, root
        self.assertIn("chest turn mean", self.failures(stiff))

    def test_a_pelvis_that_faces_elsewhere_fails(self):
        """What no rotation of joints between shows: the body is turned against its limbs."""
        def turn(world, root):
            world["Hips"] = self.target.axes.T @ axis_matrix("y", np.radians(35.0)) @ self.target.axes @ world["Hips"]
            return world, root
        names = self.failures(turn)
        self.assertIn("line of hip", names)
        self.assertNotIn("thigh mean", names)
        self.assertGreater(self.figures["trunk"]["line of hip"], 30.0)
        self.assertLess(self.figures["trunk"]["line of arm"], 1e-6)

    def test_a_lost_frame_is_named(self):
        def cut(clip):
            clip.values = clip.values[:-1]
        self.assertTrue(any("frames" in n for n in self.failures(edit=cut)))

    def test_euler_angles_come_back(self):
        rng = np.random.default_rng(2)
        angles = rng.uniform(-80, 80, (50, 3))
        for order in ("xyz", "zxy", "yzx", "xzy", "zyx", "yxz"):
            m = np.eye(3)
            for n, axis in enumerate(order):
                m = m @ axis_matrix(axis, np.radians(angles[:, n]))
            self.assertTrue(np.allclose(made_data.euler(m, order), angles), order)


class Foot:
    """A figure that is two feet: ankles, or ankles and level toes, 5 cm over the ground at rest and on it."""

    kind, frames, dt, parents = "gltf", 40, 1.0 / 60.0, (-1, -1, 0, 1)

    def __init__(self, heights, toes=True):
        self.rig = retarget_rigs.Rig("feet", "bvh", {}, 1.0)
        self.joints = {("ankle", "left"): 0, ("ankle", "right"): 1}
        if toes:
            self.joints |= {("toe", "left"): 2, ("toe", "right"): 3}
        nodes = 4 if toes else 2
        self.rest_position = np.array([[0.1, 0.05, 0], [-0.1, 0.05, 0], [0.1, 0.0, 0.1], [-0.1, 0.0, 0.1]])[:nodes]
        self.rest_rotation = np.tile(np.eye(3), (nodes, 1, 1))
        self.rotation = np.tile(np.eye(3), (40, nodes, 1, 1))
        self.position = self.rest_position + np.asarray(heights)[:, None, None] * [0.0, 1.0, 0.0]
        self.parents = self.parents[:nodes]

    def joint(self, part, side=""):
        return self.joints.get((part, side))

    def leg_length(self):
        return 0.9


class Standing(unittest.TestCase):
    """Sink, dip and float of feet whose heights are given."""

    def judged(self, source, made, ground, toes=True, same=False):
        labels = {side: (np.arange(40) >= 5) & (np.arange(40) < 35) for side in ("left", "right")}
        return measure.standing(Foot(source, toes), Foot(made), labels, 1.0, ground, None, same=same)

    def test_a_planted_foot_keeps_its_height_while_the_source_s_rises(self):
        rising = np.where(np.arange(40) < 20, -0.02, -0.005)
        kept = np.where((np.arange(40) >= 5) & (np.arange(40) < 35), np.median(rising[5:35]), 0.0)
        out = self.judged(rising - 0.01, kept - 0.01, -0.01)
        self.assertLess(max(out["sink"], out["dip"], out["float"]), 1e-6)

    def test_deeper_than_plant_and_source_is_a_dip(self):
        made = np.zeros(40)
        made[18:21] = -0.008
        self.assertAlmostEqual(self.judged(np.zeros(40), made, 0.0)["dip"], 0.8, 6)
        # beside a plant nothing is allowed but what the source does
        deep, made = np.where(np.arange(40) < 5, 0.0, -0.01), np.full(40, -0.01)
        self.assertAlmostEqual(self.judged(deep, made, 0.0)["dip"], 1.0, 6)

    def test_a_foot_stands_from_the_frame_before_its_first_label_on(self):
        rising = np.where(np.arange(40) < 5, 0.0, -0.01)
        arrived = np.where(np.arange(40) < 4, 0.0, -0.01)
        self.assertLess(self.judged(rising, arrived, 0.0)["dip"], 1e-6)
        early = np.where(np.arange(40) < 3, 0.0, -0.01)
        self.assertAlmostEqual(self.judged(rising, early, 0.0)["dip"], 1.0, 6)

    def test_a_rigid_sole_is_that_of_the_level_foot_where_a_table_says_how_it_stands(self):
        """Ankle and tip level in the rest pose, 3 cm apart in height when it stands: pitched down by 30 degrees, for the foot
        is 6 cm long. So pitched it has its sole 3 cm below the ankle, and as in the rest pose that times cos 30."""
        for pitch, below in ((30.0, 0.03), (0.0, 0.03 * np.cos(np.radians(30.0)))):
            foot = Foot(np.zeros(40))
            foot.rig.soles = {"ankle": 0.03, "toe": 0.0}
            foot.rest_position = np.array([[0.1, 0.03, 0], [-0.1, 0.03, 0], [0.1, 0.03, 0.06], [-0.1, 0.03, 0.06]])
            foot.rotation[:] = axis_matrix("x", np.radians(pitch))
            foot.position[:] = 0.5
            foot.position[:, 2:, 1] = 1.0
            self.assertAlmostEqual(float(measure.rigid_heights(foot, "left")[0]), 0.5 - below, 9)

    def test_a_rest_pose_that_opens_a_clip_is_no_motion_though_the_next_frames_hurry_too(self):
        foot = Foot(np.zeros(40))
        turns = np.r_[0.0, np.full(39, 1.0)]
        turns[2:5] = [1.5, 2.0, 2.4]
        turns[5:] = 2.4
        foot.rotation[:] = axis_matrix("x", turns)[:, None]
        foot.rotation[:, 0] = np.eye(3)
        self.assertEqual(measure.reference_frames(foot), 0)  # three joints turn by a radian each: no more than 3
        foot.rotation[1:] = foot.rotation[1:] @ axis_matrix("y", 0.5)
        foot.rotation[0] = np.eye(3)
        self.assertEqual(measure.reference_frames(foot), 1)
        foot.rotation[0, 1] = axis_matrix("x", 0.1)  # 5.7 degrees
        self.assertEqual(measure.reference_frames(foot), 0)

    def test_ankles_alone_stand_where_their_ground_says(self):
        """Ground at the height of the joints: the rest height of the ankle is not taken off once more."""
        up = np.zeros(40)
        up[5:35] = 0.012
        out = self.judged(up, np.full(40, 0.06), 0.05, toes=False)
        self.assertLess(max(out["float"], out["sink"]), 1e-6)
        self.assertAlmostEqual(self.judged(np.zeros(40), np.full(40, 0.063), 0.05, toes=False)["float"], 1.3, 6)
        # ground of the world: the sole is below
        self.assertLess(self.judged(np.zeros(40), np.zeros(40), 0.0, toes=False)["float"], 1e-6)


@unittest.skipUnless(os.path.isdir(DATA), "SKIP: the optional data folder is not there")
class Data(unittest.TestCase):
    def test_tables_fit_their_files(self):
        """Toes point ahead, left is left, arms are as long as the other side's."""
        for rig in retarget_rigs.RIGS.values():
            if rig.suffix == "fbx" or rig.odd_rest:
                continue
            figure = retarget_figure.open_figure(rig.path(DATA), rig, "none")
            p = figure.rest_position
            for side in ("left", "right"):
                if figure.joint("toe", side) is not None:
                    self.assertGreater(p[figure.joint("toe", side), 2], p[figure.joint("ankle", side), 2], rig.stem)
            self.assertTrue(0.3 < figure.leg_length() < 1.0, rig.stem)
            if figure.joint("arm", "left") is not None:
                self.assertGreater(p[figure.joint("arm", "left"), 0], p[figure.joint("arm", "right"), 0], rig.stem)
                arms = [sum(np.linalg.norm(p[figure.joint(b, s)] - p[figure.joint(a, s)])
                            for a, b in (("arm", "elbow"), ("elbow", "wrist"))) for s in ("left", "right")]
                self.assertAlmostEqual(arms[0] / arms[1], 1.0, delta=0.06, msg=rig.stem)

    def test_the_public_daz_conversion_has_the_figures_that_are_known_of_it(self):
        """The same take on two skeletons, moved by somebody else's program."""
        paths = [os.path.join(DATA, "bvh", "cmu_05_20_dance_%s.bvh" % n) for n in ("mb", "daz")]
        source, made, _ = retarget_judge.open_pair(paths[0], paths[1], paths[1])
        angles = measure.directions(source, made, 0.0)
        for name, known in (("upper arm", 4.8), ("forearm", 19.9), ("thigh", 5.2), ("shin", 2.9)):
            self.assertAlmostEqual(float(angles[name][:, 0].mean()), known, delta=0.05, msg=name)
        labels = measure.plain_labels(source, 1)
        labels["left"] = np.zeros_like(labels["left"])
        ratio = measure.slide(made, labels)[0] / measure.slide(source, labels)[0]
        self.assertAlmostEqual(ratio, 3.0, delta=0.1)


if __name__ == "__main__":
    unittest.main()
