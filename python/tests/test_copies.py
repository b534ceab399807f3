# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Clips in other processes, copies, and numbers that went through float32."""
import concurrent.futures
import copy
import multiprocessing
import pickle
import unittest

import numpy as np

import surefoot as sf
from support import CHILD, FOLDER, SLID, TWO


def again(value):
    return pickle.loads(pickle.dumps(value))


def clean_there(clip):
    cleaned = sf.clean(clip)
    return sf.to_bytes(cleaned), cleaned.report.as_dict()


class Pickles(unittest.TestCase):
    def same_clip(self, one, other):
        self.assertIs(type(other), type(one))
        for name in ("translations", "rotations"):
            self.assertEqual(getattr(one, name).tobytes(), getattr(other, name).tobytes(), name)
            self.assertFalse(getattr(other, name).flags.writeable)
        self.assertEqual((one.name, one.legs, one.feet, one.space, one.start, one.first_frame),
                         (other.name, other.legs, other.feet, other.space, other.start, other.first_frame))
        self.assertEqual(sf.to_bytes(one), sf.to_bytes(other))

    def test_clips_of_every_format(self):
        for path, which in ((SLID, None), (FOLDER / "slid.glb", None), (FOLDER / "slid.gltf", None), (TWO, 1)):
            with self.subTest(path.name):
                self.same_clip(clip := sf.read(path, clip=which), again(clip))
        self.same_clip(clip := sf.read(SLID.read_bytes(), unit="inch", up="Z"), again(clip))
        legs = sf.info(SLID)["legs"][:1]
        other = again(sf.read(SLID, legs=legs))
        self.assertEqual(len(other.legs), 1)
        rest = again(sf.load(CHILD).rest())
        self.assertEqual(rest.frame_count, 1)

    def test_results_with_what_they_say(self):
        cleaned = sf.clean(sf.read(SLID))
        other = again(cleaned)
        self.same_clip(cleaned, other)
        self.assertEqual(cleaned.report.as_dict(), other.report.as_dict())
        self.assertEqual(cleaned.changed.tobytes(), other.changed.tobytes())
        self.assertEqual(cleaned.labels.plant.tobytes(), other.labels.plant.tobytes())
        # A result of a result.
        self.assertEqual(sf.to_bytes(sf.clean(other)), sf.to_bytes(sf.clean(cleaned)))
        moved = sf.retarget(sf.read(SLID), CHILD)
        other = again(moved)
        self.same_clip(moved, other)
        self.assertEqual(moved.map.to_json(), other.map.to_json())
        self.assertEqual(moved.map.pairs.tobytes(), other.map.pairs.tobytes())
        self.assertEqual(moved.report.as_dict(), other.report.as_dict())
        self.assertEqual(sf.to_bytes(sf.retarget(sf.read(SLID), CHILD, map=other.map)), sf.to_bytes(moved))

    def test_what_lies_in_several_files_says_so(self):
        cleaned = sf.clean(sf.read(FOLDER / "slid.gltf"))
        with self.assertRaisesRegex(TypeError, "slid.gltf: what was made of a .gltf in several files does not pickle.*read it as GLB"):
            pickle.dumps(cleaned)

    def test_labels_skeletons_figures(self):
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        labels.plant[0, 3] = 0.25
        other = again(labels)
        self.assertEqual(other.to_csv(), labels.to_csv())
        self.assertEqual(other.mismatch.as_dict(), labels.mismatch.as_dict())
        self.assertEqual(sf.to_bytes(sf.clean(clip, other)), sf.to_bytes(sf.clean(clip, labels)))
        # Written in place, as before.
        other.plant[0, 3] = 1.0
        self.assertNotEqual(other.to_csv(), labels.to_csv())
        skeleton = again(clip.skeleton)
        self.assertEqual(skeleton.names, clip.skeleton.names)
        self.assertEqual(skeleton.parents.tobytes(), clip.skeleton.parents.tobytes())
        self.assertEqual(skeleton.index("LeftFoot") if "LeftFoot" in skeleton.names else 0,
                         clip.skeleton.index("LeftFoot") if "LeftFoot" in clip.skeleton.names else 0)
        self.assertFalse(skeleton.rest_translations.flags.writeable)
        self.assertEqual(again(sf.check(clip, labels)).as_dict(), sf.check(clip, labels).as_dict())

    def test_other_processes_make_the_same_bytes(self):
        clip = sf.read(SLID)
        # A process that cannot start is an error here, where multiprocessing.Pool would start another for ever.
        context = multiprocessing.get_context("spawn")
        with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as pool:
            there, report = pool.submit(clean_there, clip).result(timeout=120)
        here, own = clean_there(clip)
        self.assertEqual(there, here)
        self.assertEqual(report, own)

    def test_copies(self):
        clip = sf.read(SLID)
        labels = sf.contacts(clip)
        for made in (copy.copy, copy.deepcopy):
            self.same_clip(clip, made(clip))
            self.assertEqual(len(made(clip.document)), 1)
            other = made(labels)
            other.plant[...] = 0.0
            self.assertTrue(labels.planted().any(), "the copy has memory of its own")


class Rounded(unittest.TestCase):
    """Numbers that are the clip's but for float32's rounding are the clip's."""

    def setUp(self):
        self.clip = sf.read(SLID)
        self.coarse = [a.astype(np.float32) for a in (self.clip.translations, self.clip.rotations)]

    def test_they_change_nothing(self):
        source = SLID.read_bytes()
        for kind in (np.float32, np.float64):
            t, r = (a.astype(kind) for a in self.coarse)
            self.assertEqual(sf.to_bytes(self.clip.with_motion(translations=t, rotations=r)), source)

    def test_what_changes_stays_alone(self):
        t = self.coarse[0].copy()
        t[7, 0, 1] += 0.5
        made = self.clip.with_motion(translations=t)
        lines = list(zip(SLID.read_text().splitlines(), sf.to_bytes(made).decode().splitlines()))
        differ = [(a, b) for a, b in lines if a != b]
        self.assertEqual(len(differ), 1)
        columns = [(float(x), float(y)) for x, y in zip(*(line.split() for line in differ[0])) if x != y]
        self.assertEqual(len(columns), 1)
        # 0.5 m in a file of centimetres.
        self.assertAlmostEqual(columns[0][1] - columns[0][0], 50.0, places=4)

    def test_windows_of_another_length(self):
        for path in (SLID, FOLDER / "slid.glb", FOLDER / "slid.gltf"):
            with self.subTest(path.name):
                clip = sf.read(path)
                t, r = (a[30:95].astype(np.float32) for a in (clip.translations, clip.rotations))
                made = clip.with_motion(translations=t, rotations=r)
                self.assertEqual((len(made), made.fps, made.name, made.feet), (65, clip.fps, clip.name, clip.feet))
                self.assertLess(abs(made.translations - t).max(), 1e-6)
                # q and -q turn alike.
                self.assertLess(abs(abs((made.rotations * r).sum(axis=2)) - 1).max(), 1e-6)
                self.assertLess(abs(made.positions() - clip.positions()[30:95]).max(), 2e-5)
                self.assertEqual(len(again(made)) if path.suffix != ".gltf" else 65, 65)
                self.assertEqual(sf.read(sf.to_bytes(made)).frame_count, 65)
                longer = clip.with_motion(translations=np.tile(clip.translations, (2, 1, 1)),
                                          rotations=np.tile(clip.rotations, (2, 1, 1)))
                self.assertEqual(len(sf.clean(longer)), 2 * len(clip))
        for arrays in ({"translations": t}, {"rotations": r}, {"translations": t, "rotations": r[:-1]}):
            with self.assertRaisesRegex(sf.OptionError, "wants numbers of shape"):
                clip.with_motion(**arrays)
        t[3, 2, 1] = np.nan
        with self.assertRaisesRegex(sf.OptionError, r"translations\[3, 2, 1\] is nan"):
            clip.with_motion(translations=t, rotations=r)
        with self.assertRaisesRegex(sf.OptionError, "keeps its number of frames"):
            sf.read(TWO, clip="slid", character=CHILD).with_motion(translations=np.zeros((5, 3, 3)), rotations=np.zeros((5, 3, 4)))

    def test_what_the_file_cannot_say_is_still_refused(self):
        t = self.coarse[0].copy()
        joint = 5
        t[3, joint, 0] += 0.01
        with self.assertRaises(sf.ReadError) as caught:
            self.clip.with_motion(translations=t)
        self.assertEqual(caught.exception.joint, self.clip.skeleton.unique_name(joint))


if __name__ == "__main__":
    unittest.main()
