# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Arrays: whose memory they are, how long it lives, what is in them, and motion of one's own."""
import gc
import os
import unittest

import numpy as np

import surefoot as sf
from support import FOLDER, SLID, TWO, WALK


def address(array):
    return array.__array_interface__["data"][0]


def turned(q, v):
    """v turned by the quaternion q (xyzw), by the textbook formula."""
    u, w = q[..., :3], q[..., 3:]
    return v + 2.0 * np.cross(u, np.cross(u, v) + w * v)


class Memory(unittest.TestCase):
    def test_poses_are_not_copies(self):
        clip = sf.read(WALK)
        for array in (clip.translations, clip.rotations, clip.skeleton.parents, clip.skeleton.rest_translations):
            self.assertFalse(array.flags.owndata)
            self.assertFalse(array.flags.writeable)
            with self.assertRaises(ValueError):
                array[0] = 1
        self.assertEqual(clip.translations.shape, (150, 26, 3))
        self.assertEqual(clip.rotations.shape, (150, 26, 4))
        self.assertEqual((clip.translations.dtype, clip.skeleton.parents.dtype), (np.float64, np.int32))
        # Slices and other views are of the same memory.
        self.assertEqual(address(clip.rotations[1]), address(clip.rotations) + 26 * 32)

    def test_arrays_keep_their_owner_alive(self):
        want = sf.read(WALK).rotations.copy()
        arrays = [sf.read(WALK).rotations for _ in range(20)]
        parents = sf.read(WALK).skeleton.parents
        plant = sf.contacts(sf.read(WALK)).plant
        slices = [sf.clean(sf.read(SLID)).translations[10:20, 3] for _ in range(5)]
        gc.collect()
        # Memory that was given back would be written over by these.
        for _ in range(20):
            sf.clean(sf.read(SLID))
        for array in arrays:
            self.assertTrue((array == want).all())
        self.assertEqual(parents[:3].tolist(), [-1, 0, 1])
        self.assertTrue(((plant >= 0) & (plant <= 1)).all() and 0.4 < plant.mean() < 0.7)
        for part in slices:
            self.assertTrue((part == slices[0]).all())

    def test_what_is_done_again_and_again_costs_no_memory(self):
        def resident():
            with open("/proc/self/statm", encoding="ascii") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        if not os.path.exists("/proc/self/statm"):
            self.skipTest("no /proc")
        clip, child = sf.read(SLID), sf.load(FOLDER / "child.glb")

        def once():
            sf.check(sf.clean(sf.read(SLID)))
            sf.retarget(clip, child)

        for _ in range(10):
            once()
        gc.collect()
        before = resident()
        for _ in range(30):
            once()
        gc.collect()
        # Poses of one clip are 0.2 MB, so 30 of them that stayed would be 6 MB.
        self.assertLess(resident() - before, 4e6)

    def test_labels_are_edited_in_place(self):
        labels = sf.contacts(sf.read(WALK))
        self.assertEqual(labels.plant.shape, (2, 150))
        self.assertFalse(labels.plant.flags.owndata)
        labels.plant[:] = 0.0
        labels.plant[1, 7] = 0.8
        self.assertEqual(labels.planted().sum(), 1)
        self.assertEqual(labels.planted(0.8).sum(), 1)  # 0.8 as float32 is above 0.8
        self.assertEqual(labels.planted(0.81).sum(), 0)
        again = sf.contacts(sf.read(WALK))
        again.read_csv(labels.to_csv().encode())
        self.assertTrue((again.plant == labels.plant).all())

    def test_labels_that_are_assigned_are_those_that_count(self):
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        plant, touch = labels.plant, labels.touch
        where = address(plant), address(touch)
        labels.plant = np.zeros((2, 150))
        labels.touch = np.ones((2, 150), bool)
        self.assertEqual((address(labels.plant), address(labels.touch)), where)
        self.assertEqual((plant.sum(), touch.sum()), (0, 300))
        self.assertEqual(sf.clean(clip, labels).report.planted_frames, 0)
        labels.plant += 1
        self.assertEqual(sf.check(clip, labels).feet["planted_frames"].tolist(), [150, 150])
        again = sf.contacts(clip)
        again.read_csv(labels.to_csv().encode())
        self.assertTrue((again.plant == 1).all() and (again.touch == 1).all())
        for rows in (1.0, np.ones(150), np.ones((2, 149)), np.ones((1, 150))):
            with self.assertRaisesRegex(sf.OptionError, r"labels.plant wants an array of shape \(2, 150\), not"):
                labels.plant = rows
        self.assertTrue((labels.plant == 1).all())

    def test_poses_are_not_replaced(self):
        clip = sf.read(WALK)
        for name in ("translations", "rotations"):
            with self.assertRaises(AttributeError):
                setattr(clip, name, getattr(clip, name).copy())
            self.assertFalse(getattr(clip, name).flags.owndata)

    def test_what_was_given_does_not_change(self):
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        before = (clip.translations.tobytes(), clip.rotations.tobytes(), labels.plant.tobytes(), sf.to_bytes(clip))
        sf.clean(clip, labels)
        sf.retarget(clip, FOLDER / "child.glb", labels)
        self.assertEqual((clip.translations.tobytes(), clip.rotations.tobytes(), labels.plant.tobytes(),
                          sf.to_bytes(clip)), before)


class Contents(unittest.TestCase):
    def test_a_clips_number_may_be_numpys(self):
        self.assertEqual(sf.read(TWO, clip=np.int64(1)).index, 1)
        with self.assertRaises(sf.OptionError):
            sf.read(TWO, clip=np.int64(2))
        with self.assertRaises(TypeError):
            sf.read(TWO, clip=1.0)

    def test_places_follow_from_the_local_poses(self):
        clip = sf.read(TWO, clip="slid")
        places = np.zeros_like(clip.translations)
        turns = np.zeros_like(clip.rotations)
        for joint, parent in enumerate(clip.skeleton.parents):
            t, r = clip.translations[:, joint], clip.rotations[:, joint]
            if parent < 0:
                places[:, joint], turns[:, joint] = t, r
                continue
            q = turns[:, parent]
            places[:, joint] = places[:, parent] + turned(q, t)
            turns[:, joint, :3] = q[:, 3:] * r[:, :3] + r[:, 3:] * q[:, :3] + np.cross(q[:, :3], r[:, :3])
            turns[:, joint, 3] = q[:, 3] * r[:, 3] - (q[:, :3] * r[:, :3]).sum(axis=1)
        positions, rotations = clip.world()
        self.assertLess(np.abs(positions - places).max(), 1e-12)
        self.assertLess(1.0 - np.abs((rotations * turns).sum(axis=2)).min(), 1e-12)
        self.assertTrue((clip.positions() == positions).all())

    def test_units_are_metres_whatever_the_file_is_in(self):
        clip = sf.read(WALK)
        self.assertEqual(clip.space.unit_metres, 0.01)
        # The sample walks 1.3 m/s along +Z and is about 1.7 m tall.
        path = clip.positions()[:, clip.travel_joint]
        speed = (path[-1] - path[0])[2] / ((len(clip) - 1) * clip.frame_time)
        self.assertAlmostEqual(speed, 1.3, delta=0.03)
        self.assertTrue(1.5 < np.ptp(clip.positions()[0, :, 1]) < 1.9)

    def test_figures_are_structured_arrays_of_the_structs(self):
        figures = sf.check(sf.read(SLID))
        self.assertEqual(figures.feet.shape, (2,))
        self.assertEqual(figures.names, sf.read(SLID).feet)
        self.assertGreater(figures.feet["slide_mean_cm_s"].min(), 5.0)
        self.assertEqual(figures.clip.slide_max_cm_s, figures.feet["slide_max_cm_s"].max())
        self.assertEqual(figures.as_dict()["clip"]["published"]["edge_pfc"], figures.published.edge_pfc)
        with self.assertRaises(AttributeError):
            figures.clip.no_such_figure

    def test_the_slide_is_measured_as_an_eye_would(self):
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        figures = sf.check(clip, labels)
        where, planted = clip.positions(), labels.planted()
        for foot, leg in enumerate(clip.legs):
            step = np.linalg.norm(np.diff(where[:, leg.toe], axis=0), axis=1) / clip.frame_time
            both = planted[foot, 1:] & planted[foot, :-1]
            self.assertAlmostEqual(figures.feet["slide_mean_cm_s"][foot], 100.0 * step[both].mean(), places=8)

    def test_meanings_name_the_parts(self):
        parts = {m.part: m for m in sf.meanings(sf.read(WALK))}
        self.assertIn("hips", parts)
        self.assertIn("thigh", parts)
        self.assertTrue(all(0.0 <= m.confidence <= 1.0 for m in parts.values()))


class Motion(unittest.TestCase):
    def columns(self, path):
        text = path.read_text().split("Frame Time:")[1].splitlines()[1:]
        return [line.split() for line in text if line.strip()]

    def test_untouched_numbers_stay_as_they_were_written(self):
        clip = sf.read(WALK)
        turns = clip.rotations.copy()
        joint = clip.skeleton.names.index("LeftArm")
        turns[30, joint] = turns[31, joint]
        edited = clip.with_motion(rotations=turns)
        sf.write(edited, FOLDER / "edited-arm.bvh")
        was, now = self.columns(WALK), self.columns(FOLDER / "edited-arm.bvh")
        different = [(f, c) for f, row in enumerate(was) for c, word in enumerate(row) if now[f][c] != word]
        self.assertTrue(different)
        self.assertEqual({f for f, _ in different}, {30})
        self.assertLessEqual(len(different), 3)
        self.assertLess(np.abs(np.abs((edited.rotations * turns).sum(axis=2)) - 1.0).max(), 1e-12)

    def test_no_change_changes_no_byte(self):
        for path, name in ((WALK, None), (TWO, "walk")):
            clip = sf.read(path, clip=name)
            same = clip.with_motion(translations=clip.translations.copy(), rotations=clip.rotations.copy())
            self.assertEqual(sf.to_bytes(same), path.read_bytes())

    def test_what_does_not_fit_is_refused(self):
        clip = sf.read(WALK)
        with self.assertRaisesRegex(sf.OptionError, "shape"):
            clip.with_motion(rotations=clip.rotations[:10])
        broken = clip.translations.copy()
        broken[3, 0, 1] = np.nan
        with self.assertRaisesRegex(sf.OptionError, r"finite numbers; translations\[3, 0, 1\] is nan"):
            clip.with_motion(translations=broken)
        # A joint without position channels cannot move.
        moved = clip.translations.copy()
        moved[:, 5, 0] += 0.1
        with self.assertRaises(sf.SurefootError) as caught:
            clip.with_motion(translations=moved)
        self.assertTrue(caught.exception.joint)


if __name__ == "__main__":
    unittest.main()
