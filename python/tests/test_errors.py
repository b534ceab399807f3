# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Errors: which, and where. The right places are those that this file put the faults at."""
import os
import pickle
import unittest
import warnings

import surefoot as sf
from support import CHILD, DATA, FOLDER, SLID, TWO, WALK, run


class Errors(unittest.TestCase):
    def caught(self, kind, call, *arguments, **options):
        with self.assertRaises(kind) as caught:
            call(*arguments, **options)
        self.assertIsInstance(caught.exception, sf.SurefootError)
        return caught.exception

    def test_a_bad_number_is_named_by_its_line(self):
        lines = WALK.read_text().splitlines()
        at = next(i for i, line in enumerate(lines) if line.startswith("Frame Time")) + 8
        lines[at] = lines[at].replace(" ", " nan ", 1)
        path = FOLDER / "nan.bvh"
        path.write_text("\n".join(lines))
        error = self.caught(sf.ReadError, sf.read, path)
        self.assertIsInstance(error, ValueError)
        self.assertEqual((error.path, error.line, error.byte is None or error.byte > 0), (str(path), at + 1, True))
        # The command's own line, of the same file.
        said = run("surefoot", "check", path).stderr.decode().strip()
        self.assertEqual("surefoot: " + str(error), said)

    def test_a_broken_glb_is_named_by_its_byte(self):
        data = bytearray(TWO.read_bytes())
        at = data.index(b'"animations"')
        data[at:at + 1] = b"x"
        path = FOLDER / "broken.glb"
        path.write_bytes(data)
        error = self.caught(sf.ReadError, sf.read, path)
        self.assertEqual(error.byte, at)
        said = run("surefoot", "check", path).stderr.decode().strip()
        self.assertEqual("surefoot: " + str(error), said)
        self.assertIsNone(self.caught(sf.ReadError, sf.read, bytes(data)).path)

    def test_truncated_files_are_refused_and_do_no_harm(self):
        for path in (WALK, TWO):
            data = path.read_bytes()
            for share in (0.0, 0.01, 0.3, 0.7, 0.999):
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    try:
                        sf.load(data[:int(share * len(data))])
                    except sf.SurefootError as error:
                        self.assertTrue(error.message)

    def test_malformed_files_are_refused_in_the_commands_words(self):
        paths = [p for p in sorted(DATA.glob("malformed_*/*")) if p.is_file() and p.suffix != ".md"][::3]
        if not paths:
            print("SKIP: no data folder")
            self.skipTest("no data folder")
        for path in paths:
            with self.subTest(path.name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    sf.load(path)
                    said = []
                except sf.SurefootError as error:
                    said = [f"surefoot: {error}"]
                done = run("surefoot", "info", path)
                lines = done.stderr.decode("utf-8", "replace").splitlines()
                told = [line for line in lines if not line.startswith("surefoot: warning")]
                self.assertEqual(said, told if done.returncode in (3, 5) else [])

    def test_joints_are_named(self):
        path = FOLDER / "channel.bvh"
        path.write_text(WALK.read_text().replace("Zrotation", "Qrotation", 2))
        error = self.caught(sf.ReadError, sf.read, path)
        self.assertEqual(error.line, 1 + WALK.read_text()[:WALK.read_text().index("Zrotation")].count("\n"))
        self.assertTrue(error.joint)

    def test_files_that_are_not_there(self):
        error = self.caught(sf.FileError, sf.read, FOLDER / "none.bvh")
        self.assertIsInstance(error, OSError)
        self.assertEqual(error.path, str(FOLDER / "none.bvh"))
        self.caught(sf.FileError, sf.write, sf.read(WALK), FOLDER / "no" / "such" / "folder.bvh")
        self.caught(sf.FileError, sf.read, FOLDER)

    def test_outputs_are_whole_or_not_at_all(self):
        clip = sf.read(WALK)
        target = FOLDER / "good.bvh"
        target.write_text("good")
        before = sorted(os.listdir(FOLDER))
        self.caught(sf.OptionError, sf.write, clip, FOLDER / "x.fbx")
        self.caught(sf.OptionError, sf.write, clip, FOLDER / "x.txt")
        self.caught(sf.OptionError, sf.write, sf.load(TWO), target)  # a BVH holds one clip
        self.assertEqual(target.read_text(), "good")
        self.assertEqual(sorted(os.listdir(FOLDER)), before)

    def test_options(self):
        clip = sf.read(WALK)
        for call, options in ((sf.clean, {"method": "magic"}), (sf.clean, {"give_way": "arms"}),
                              (sf.clean, {"threshold": 1.5}), (sf.clean, {"blend": 0.1}),
                              (sf.clean, {"method": "runtime", "loop": True}), (sf.contacts, {"ground_velocity": "none"}),
                              (sf.contacts, {"ground_velocity": (1.0, 2.0)})):
            with self.subTest(options):
                error = self.caught(sf.OptionError, call, clip, **options)
                self.assertTrue(any(str(value) in str(error) or name in str(error) for name, value in options.items()))
        self.caught(sf.OptionError, sf.read, WALK, unit="ell")
        self.caught(sf.OptionError, sf.read, WALK, up="W")
        self.caught(sf.OptionError, sf.retarget, clip, CHILD, scale=0.0)
        self.caught(sf.OptionError, sf.retarget, clip, CHILD, source_pose=1000)
        self.caught(sf.OptionError, sf.retarget, clip, WALK, replace="walk")
        for goal in (sf.Goal("hand_l", 10, 5), sf.Goal("hand_l", 10, 5000), sf.Goal("foot_l", 0, 5), sf.Goal("paw", 0, 5),
                     sf.Goal("hand_l", 0, 5, other="hand_l")):
            self.caught(sf.OptionError, sf.retarget, clip, CHILD, goals=[goal])
        self.caught(sf.OptionError, sf.clean, clip, sf.contacts(sf.read(TWO, clip=0)).__class__(
            sf.load(CHILD).rest(), sf.contacts(clip).mismatch, sf.contacts(clip).ground_velocity))

    def test_clips_of_several(self):
        error = self.caught(sf.OptionError, sf.read, TWO)
        self.assertIn("slid", str(error))
        self.assertIn("walk", str(error))
        self.caught(sf.OptionError, sf.read, TWO, clip="run")
        self.caught(sf.OptionError, sf.read, TWO, clip=2)

    def test_no_legs(self):
        path = FOLDER / "chain.bvh"
        path.write_text("HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nJOINT b\n{\n"
                        "OFFSET 0 100 0\nCHANNELS 3 Xrotation Yrotation Zrotation\nEnd Site\n{\nOFFSET 0 70 0\n}\n}\n}\n"
                        "MOTION\nFrames: 2\nFrame Time: 0.1\n0 0 0 0 0 0\n0 0 0 0 0 1\n")
        clip = sf.read(path)
        for call in (sf.contacts, sf.check, sf.clean):
            self.assertIn("no legs", str(self.caught(sf.NoLegsError, call, clip)))
        self.caught(sf.UnalikeError, sf.retarget, clip, WALK)

    def test_labels_of_another_clip(self):
        clip, other = sf.read(WALK), sf.read(SLID)
        labels = sf.contacts(clip)
        sf.check(other, labels)  # as many frames: fine
        text = labels.to_csv().replace("LeftToeBase", "Hand").encode()
        error = self.caught(sf.ReadError, labels.read_csv, text)
        self.assertEqual(error.line, 1)

    def test_labels_that_are_no_labels(self):
        clip = sf.read(WALK)
        for value in (float("nan"), -0.5, 2.0):
            for call in (sf.check, sf.clean, lambda c, l: sf.retarget(c, TWO, l)):
                labels = sf.contacts(clip)
                labels.plant[1, 7] = value
                self.assertIn("labels.plant[1, 7] is %s" % value, str(self.caught(sf.OptionError, call, clip, labels)))

    def test_maps_are_refused_by_line(self):
        text = sf.map_joints(sf.read(WALK), CHILD).to_json()
        broken = text.replace('"share"', '"sham"', 1)
        if broken == text:
            broken = text.replace('"rule": "joint"', '"rule": "jump"', 1)
        error = self.caught(sf.SurefootError, sf.retarget, sf.read(WALK), CHILD, map=broken)
        self.assertGreater(error.line or 0, 1)

    def test_fbx_without_the_command_says_the_remedy(self):
        path = FOLDER / "take.fbx"
        path.write_bytes(b"Kaydara FBX Binary  \x00\x1a\x00" + bytes(64))
        kept, paths = os.environ.pop("SUREFOOT"), os.environ["PATH"]
        os.environ["PATH"] = ""
        try:
            error = self.caught(sf.ReadError, sf.read, path)
            self.assertIn("SUREFOOT", str(error))
            os.environ["SUREFOOT"] = str(FOLDER / "nothing")
            self.caught(sf.FileError, sf.read, path)
        finally:
            os.environ["SUREFOOT"], os.environ["PATH"] = kept, paths
        error = self.caught(sf.ReadError, sf.read, path)
        self.assertEqual(str(error).count("take.fbx"), 1)

    def test_errors_go_between_processes(self):
        error = self.caught(sf.ReadError, sf.read, b"HIERARCHY\nROOT a\n{\n")
        again = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(again), str(again), again.line), (type(error), str(error), error.line))

    def test_warnings(self):
        path = FOLDER / "frames.bvh"
        path.write_text(WALK.read_text().replace("Frames: 150", "Frames: 160"))
        with self.assertWarnsRegex(sf.SurefootWarning, "frames.bvh.*1[56]0"):
            document = sf.load(path)
        self.assertEqual(len(document.warnings), 1)
        self.assertEqual(len(document.clip()), 150)

    def test_arguments_of_another_kind_are_named_with_what_is_wanted(self):
        clip, document = sf.read(SLID), sf.load(TWO)
        rows = sf.contacts(clip).plant
        for call, said in (
                (lambda: sf.clean("x.bvh"), r"clip wants a Clip, not 'x.bvh'; read it first: surefoot.read"),
                (lambda: sf.check(document), r"clip wants a Clip, not a Document; take one by document.clip\(name\), or go over all"),
                (lambda: sf.contacts(None), r"clip wants a Clip, not None$"),
                (lambda: sf.retarget(5, CHILD), r"clip wants a Clip, not 5$"),
                (lambda: sf.map_joints(SLID, CHILD), r"clip wants a Clip, not a PosixPath; read it first"),
                (lambda: sf.meanings(document), r"clip wants a Clip"),
                (lambda: sf.clean(clip, rows), r"labels wants Labels, not an array of shape .*; contacts\(clip\) gives them; put an array into"),
                (lambda: sf.check(clip, "labels.csv"), r"labels wants Labels, not 'labels.csv'"),
                (lambda: sf.retarget(clip, CHILD, rows), r"labels wants Labels"),
                (lambda: sf.clean(clip, loop="yes"), r"loop wants True or False, not 'yes'"),
                (lambda: sf.clean(clip, keep_keys=None), r"keep_keys wants True or False, not None"),
                (lambda: sf.clean(clip, method="runtime", lock_orientation="no"), r"lock_orientation wants True or False"),
                (lambda: sf.clean(clip, threshold="x"), r"threshold wants a number from 0 to 1, not 'x'"),
                (lambda: sf.check(clip, threshold=None), r"threshold wants a number from 0 to 1, not None"),
                (lambda: sf.clean(clip, method="runtime", blend="x"), r"blend wants a number from 0 to 10, not 'x'"),
                (lambda: sf.clean(clip, method=3), r"method wants one of direct, relax, runtime, not 3"),
                (lambda: sf.clean(clip, give_way=["both"]), r"give_way wants one of both, legs, root, not a list"),
                (lambda: sf.clean_all(clip), r"document wants a Document, not a Clip; surefoot.load"),
                (lambda: sf.contacts(clip, ground_velocity=1.0), r"three finite numbers"),
                (lambda: sf.contacts(clip, ground_velocity=[1, "x", 2]), r"ground_velocity wants three numbers, not a list"),
                (lambda: sf.contacts(clip, plain="x"), r"plain wants True or False"),
                (lambda: sf.retarget(clip, 5), r"onto wants a path, a file's bytes, a Document or a Clip, not 5"),
                (lambda: sf.retarget(clip, CHILD, mirror="x"), r"mirror wants True or False"),
                (lambda: sf.retarget(clip, CHILD, scale="x"), r"scale wants a number from 0.001 to 1000, not 'x'"),
                (lambda: sf.retarget(clip, CHILD, map=5), r"map wants a Map"),
                (lambda: sf.retarget(clip, CHILD, goals=5), r"goals wants a list of Goal, not 5"),
                (lambda: sf.retarget(clip, CHILD, goals=[3]), r"goals\[0\] wants Goal, not 3"),
                (lambda: sf.retarget(clip, CHILD, source_pose=1.5), r"source_pose wants"),
                (lambda: sf.load(5), r"source wants a path or a file's bytes, not 5"),
                (lambda: sf.load(SLID, unit=[]), r"unit in metres wants a number"),
                (lambda: sf.load(SLID, up=1), r"up wants X, Y, Z"),
                (lambda: sf.load(SLID, fps="x"), r"fps wants a number from 0.1 to 10000, not 'x'"),
                (lambda: sf.load(SLID, positions=[]), r"positions wants one of"),
                (lambda: sf.read(clip), r"source wants .*, not a Clip; it is read already"),
                (lambda: sf.read(SLID, legs=5), r"legs wants a list of Leg"),
                (lambda: sf.read(TWO, clip=1.5), r"clip wants a name or a number, not 1.5"),
                (lambda: sf.info(5), r"source wants"),
                (lambda: sf.write(5, FOLDER / "no.bvh"), r"what is written wants a Clip or a Document, not 5"),
                (lambda: sf.write(clip, FOLDER / "no.bvh", embed="x"), r"embed wants True or False"),
                (lambda: sf.to_bytes(clip, 5), r"format wants one of bvh, gltf, glb, not 5"),
                (lambda: clip.with_motion(translations="x"), r"translations wants an array of shape"),
        ):
            with self.assertRaisesRegex((TypeError, sf.OptionError), said):
                call()
        # Of the right kind, and out of bounds: still an option's error.
        for call in (lambda: sf.clean(clip, threshold=1.5), lambda: sf.clean(clip, threshold=float("nan")),
                     lambda: sf.retarget(clip, CHILD, scale=0), lambda: sf.load(SLID, fps=0)):
            self.caught(sf.OptionError, call)
        # NumPy's numbers and truths are as good.
        import numpy as np
        self.assertEqual(sf.to_bytes(sf.clean(clip, threshold=np.float32(0.75), loop=np.bool_(False))),
                         sf.to_bytes(sf.clean(clip, loop=0)))
        self.assertFalse((FOLDER / "no.bvh").exists())

    def test_a_file_of_several_clips_says_how_to_take_them(self):
        error = self.caught(sf.OptionError, sf.read, TWO)
        self.assertIn("holds 2 clips; name one by clip=, or take all by `for clip in surefoot.load(...)`", str(error))


if __name__ == "__main__":
    unittest.main()
