# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Clips on uneven ground: the command's bytes, and feet on grounds in closed form."""
import math
import pickle
import re
import unittest
import warnings

import numpy as np

import surefoot as sf
from support import FOLDER, SLID, TWO, WALK, run, surefoot

DEGREE = math.pi / 180.0


def height_at(seed, column, row):
    """Of `rough`, by docs/cli.md: SplitMix64 over seed, column and row."""
    mask = (1 << 64) - 1
    h = seed
    for step in (column, row):
        h = (h + 0x9E3779B97F4A7C15 + step) & mask
        h = ((h ^ (h >> 30)) * 0xBF58476D1CE4E5B9) & mask
        h = ((h ^ (h >> 27)) * 0x94D049BB133111EB) & mask
        h ^= h >> 31
    return (h >> 11) * 2.0**-53


class SameAsCommand(unittest.TestCase):
    def assert_same(self, clip, path, ground, spec, *words, **options):
        name = f"adapted{path.suffix}"
        done = surefoot("adapt", path, "--ground", spec, "-o", FOLDER / name, *words)
        made = sf.adapt(clip, ground, **options)
        self.assertEqual(sf.to_bytes(made), (FOLDER / name).read_bytes(), spec)
        self.assertNotEqual(sf.to_bytes(made), path.read_bytes())
        return done.decode()

    def test_grounds_that_lie_on_the_way(self):
        for path in (WALK, SLID):
            clip = sf.read(path)
            self.assert_same(clip, path, sf.slope(), "slope:")
            self.assert_same(clip, path, sf.stairs(0.1, 0.4, 5), "stairs:rise=0.1,run=0.4,count=5")
        self.assert_same(clip, path, sf.stairs(-0.12), "stairs:rise=0.12,down")
        self.assert_same(clip, path, sf.slope(-7.5, length=1.5, start=0.6, heading=20 * math.pi / 180.0),
                         "slope:angle=-7.5,length=1.5,start=0.6,heading=20")
        gap = sf.Profile([0.0, 0.0, 0.25], [0.0, np.nan, 0.0], start=0.7)
        self.assert_same(clip, path, gap, "gap:width=0.25,start=0.7")

    def test_a_clip_that_goes_nowhere(self):
        path = FOLDER / "belt.bvh"
        run("surefoot-make-sample", path, "--frames", 120, "--treadmill", "--heading", 30)
        with self.assertWarnsRegex(sf.SurefootWarning, "walks in place: its feet ride over the ground"):
            self.assert_same(sf.read(path), path, sf.slope(5), "slope:angle=5")

    def test_options(self):
        clip = sf.read(SLID)
        ground, spec = sf.slope(12), "slope:angle=12"
        outputs = set()
        for words, options in (
                ((), {}), (("--no-clean",), {"clean": False}), (("--floor", 0.02), {"floor": 0.02}),
                (("--pitch-max", 5), {"pitch_max": 5 * math.pi / 180}), (("--max-extension", 0.97), {"max_extension": 0.97}),
                (("--contact-threshold", 0.4), {"threshold": 0.4})):
            self.assert_same(clip, SLID, ground, spec, *words, **options)
            outputs.add((FOLDER / "adapted.bvh").read_bytes())
        self.assertGreaterEqual(len(outputs), 5, "the options do something")
        ground, spec = sf.stairs(0.15, 0.5), "stairs:rise=0.15,run=0.5"
        for words, options in (
                (("--place-max", 0), {"place_max": 0}), (("--clearance", 0.08), {"clearance": 0.08}),
                (("--pelvis-drop", 0.02), {"pelvis_drop": 0.02}), (("--edge-height", 0.3), {"edge_height": 0.3}),
                (("--roll-max", 5), {"roll_max": 5 * math.pi / 180})):
            self.assert_same(clip, SLID, ground, spec, *words, **options)

    def test_height_fields_and_meshes(self):
        clip = sf.read(WALK)
        self.assert_same(clip, WALK, sf.Mesh([[-9, 0, -9], [9, 1, -9], [9, 1, 9], [-9, 0, 9]], [[0, 1, 2], [0, 2, 3]]),
                                self.obj())
        said = surefoot("adapt", WALK, "--ground", "rough:height=0.1,cell=0.3,seed=5", "-o", FOLDER / "rough.bvh").decode()
        x, y, z = (float(re.search(rf"\b{axis}=([-0-9.e]+)", said).group(1)) for axis in "xyz")
        feet = [joint for leg in clip.legs for joint in (leg.heel, leg.toe, leg.toe_end)]
        places = np.concatenate([clip.positions()[:, feet].reshape(-1, 3), clip.positions()[:1, clip.legs[0].pelvis]])
        low, high = places.min(axis=0) - 2.0, places.max(axis=0) + 2.0
        columns = range(math.floor((low[0] - x) / 0.3), math.ceil((high[0] - x) / 0.3) + 1)
        rows = range(math.floor((low[2] - z) / 0.3), math.ceil((high[2] - z) / 0.3) + 1)
        heights = np.array([[0.1 * (height_at(5, i, k) - 0.5) for i in columns] for k in rows])
        ground = sf.Heights(heights, 0.3, (x + columns[0] * 0.3, y, z + rows[0] * 0.3))
        made = sf.adapt(clip, pickle.loads(pickle.dumps(ground)))
        self.assertEqual(sf.to_bytes(made), (FOLDER / "rough.bvh").read_bytes())

    @staticmethod
    def obj():
        path = FOLDER / "tilted.obj"
        path.write_text("v -9 0 -9\nv 9 1 -9\nv 9 1 9\nv -9 0 9\nf 1 2 3\nf 1 3 4\n")
        return path

    def test_one_clip_of_several(self):
        surefoot("adapt", TWO, "--clip", "walk", "--ground", "slope:angle=6", "-o", FOLDER / "one-adapted.glb")
        self.assertEqual(sf.to_bytes(sf.adapt(sf.read(TWO, clip="walk"), sf.slope(6))),
                         (FOLDER / "one-adapted.glb").read_bytes())


class OnGrounds(unittest.TestCase):
    def test_level_ground_changes_nothing(self):
        clip = sf.read(WALK)
        level = sf.adapt(clip, sf.Plane(), floor=0.0, clean=False)
        self.assertEqual(sf.to_bytes(level), WALK.read_bytes())
        self.assertFalse(level.changed.any())

    def test_planted_feet_stand_on_a_height_field_of_numpy(self):
        clip = sf.read(WALK)
        labels = sf.contacts(clip)
        # A hillside: 0.1 m a metre along +Z and 0.05 along +X, linear, so that the grid says it exactly.
        x, z = np.arange(-4, 10, 0.25), np.arange(-4, 10, 0.25)
        hill = 0.05 * x[None, :] + 0.1 * z[:, None]
        made = sf.adapt(clip, sf.Heights(hill, (0.25, 0.25), (-4.0, 0.0, -4.0)), labels)
        self.assertEqual(len(made.misses), 0)
        slope = math.sqrt(1 + 0.05**2 + 0.1**2)
        # It slides a little, and is cleaned first.
        flat, stood = sf.clean(clip, labels).positions(), made.positions()
        for foot, leg in enumerate(clip.legs):
            planted = labels.planted()[foot]
            height = stood[planted, leg.toe] @ np.array([-0.05, 1.0, -0.1]) / slope
            # Square to the ground it is as high as it was over the floor, to millimetres; and it stays below where it was.
            was = flat[planted, leg.toe, 1] - made.floor
            self.assertLess(abs(height - was).max(), 0.006)
            self.assertLess(abs(stood[planted, leg.toe][:, [0, 2]] - flat[planted, leg.toe][:, [0, 2]]).max(), 0.001)
        # Up by more than a quarter of a metre on its way: the test is not of level ground.
        self.assertGreater(np.ptp(stood[:, clip.legs[0].toe, 1]), 0.25)

    def test_what_could_not_be_done_is_said(self):
        made = sf.adapt(sf.read(WALK), sf.Heights(np.zeros((2, 2)), 0.01))
        self.assertTrue((made.misses["fault"] == 1).any())
        again = pickle.loads(pickle.dumps(made))
        self.assertEqual(again.report.as_dict(), made.report.as_dict())
        self.assertEqual((again.floor, again.misses.tobytes(), sf.to_bytes(again)),
                         (made.floor, made.misses.tobytes(), sf.to_bytes(made)))

    def test_grounds_that_are_none_are_refused_by_name(self):
        clip = sf.read(WALK)
        for call, said in (
                (lambda: sf.adapt(WALK, sf.slope()), "clip wants a Clip"),
                (lambda: sf.adapt(clip, np.zeros((4, 4))), r"ground wants a Plane, Profile, .*surefoot.Heights\(array, step\)"),
                (lambda: sf.adapt(clip, "stairs:"), "ground wants a Plane, Profile, Heights or Mesh, not 'stairs:'"),
                (lambda: sf.adapt(clip, sf.slope(), 5), "labels wants Labels, not 5"),
                (lambda: sf.adapt(clip, sf.slope(), clean="no"), "clean wants True or False, not 'no'"),
                (lambda: sf.adapt(clip, sf.slope(), pitch_max=40), "pitch_max wants a number from 0 to 1.4, not 40"),
                (lambda: sf.adapt(clip, sf.slope(), floor="x"), "floor wants a number"),
                (lambda: sf.slope("steep"), "degrees wants a number from -60 to 60, not 'steep'"),
                (lambda: sf.stairs(count=2.5), "count wants a whole number"), (lambda: sf.stairs(0.0), "a rise that is not 0"),
                (lambda: sf.Plane(normal=(0, 0, 0)), "normal wants a direction"),
                (lambda: sf.Plane("x"), "point wants three numbers, not 'x'"),
                (lambda: sf.Profile([0, 2, 1], [0, 0, 0]), "distances want numbers that do not decrease"),
                (lambda: sf.Profile([0, 1], [0]), "as many heights as distances"),
                (lambda: sf.Profile("ab", [0]), "distances wants a row of metres, not 'ab'"),
                (lambda: sf.Heights([1, 2, 3], 0.1), r"heights wants an array \(z, x\) of metres, not an array of shape \(3,\)"),
                (lambda: sf.Heights(np.zeros((3, 3)), 0), "step wants a number from 1e-06"),
                (lambda: sf.Heights(np.zeros((3, 3)), "x"), "step wants a number"),
                (lambda: sf.Heights(np.zeros((3, 3)), (1, 2, 3)), "step wants metres, or a pair"),
                (lambda: sf.Mesh(np.zeros((3, 3)), [[0, 1, 3]]), "triangles name vertices 0 to 3, of 3"),
                (lambda: sf.Mesh(np.zeros((3, 2)), [[0, 1, 2]]), r"vertices wants rows of three, not an array of shape \(3, 2\)")):
            with self.subTest(said), self.assertRaisesRegex((TypeError, sf.OptionError), said):
                call()

    def test_given_arrays_may_change_afterwards(self):
        heights = np.zeros((40, 40))
        ground = sf.Heights(heights, 0.5, (-10.0, 0.0, -10.0))
        before = sf.to_bytes(sf.adapt(sf.read(WALK), ground))
        heights[:] = 7.0
        self.assertEqual(sf.to_bytes(sf.adapt(sf.read(WALK), ground)), before)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    unittest.main()
