# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""The package itself: declarations against the headers, reports against the structs, hints and words complete; and the
examples, run."""
import copy
import inspect
import os
import pathlib
import pickle
import pydoc
import re
import shutil
import subprocess
import sys
import unittest

import numpy as np

import surefoot as sf
from support import CHILD, FOLDER, SLID, SOURCE, TWO, WALK
from surefoot import _core

HEADERS = SOURCE / "include" / "surefoot"
EXAMPLES = SOURCE / "python" / "examples"


class Package(unittest.TestCase):
    def test_every_public_function_of_its_headers_is_there(self):
        # For this import alone: processes that are spawned take the path over, and the package there is not built.
        sys.path.insert(0, str(SOURCE / "python"))
        try:
            import declarations
        finally:
            sys.path.remove(str(SOURCE / "python"))
        count = 0
        for name in declarations.HEADERS:
            text = re.sub(r"//.*", "", (HEADERS / f"{name}.h").read_text())
            for function in re.findall(r"\bSFT_API\b[^;()]*?\b(sft_\w+)\s*\(", text):
                self.assertTrue(hasattr(_core.lib, function), function)
                count += 1
            for constant in re.findall(r"^#define (SFT_[A-Z_]+) \(?-?(?:0x)?\d+u?\)?(?:\s|$)", text, re.M):
                self.assertTrue(hasattr(_core.lib, constant), constant)
        self.assertGreater(count, 100)

    def test_reports_name_the_fields_of_their_structs(self):
        kinds = _core.Values.__subclasses__()
        self.assertGreaterEqual(len(kinds), 7)
        for kind in kinds:
            said = set(inspect.get_annotations(kind))
            self.assertEqual(said, set(_core.record_type(kind.KIND).names), kind)

    def test_reports_and_figures_go_between_processes(self):
        cleaned = sf.clean(sf.read(SLID))
        figures = sf.check(cleaned)
        report, again = pickle.loads(pickle.dumps((cleaned.report, figures)))
        self.assertEqual(report.as_dict(), cleaned.report.as_dict())
        self.assertEqual(repr(again.as_dict()), repr(figures.as_dict()))
        self.assertEqual(copy.copy(report).iterations, report.iterations)

    def test_structured_types_lie_as_the_compiler_laid_them(self):
        for kind in ("sft_metrics_foot", "sft_metrics_clip", "sft_joint_pair", "sft_xformd"):
            dtype = _core.record_type(kind)
            self.assertEqual(dtype.itemsize, _core.ffi.sizeof(kind))
            for name in dtype.names:
                self.assertEqual(dtype.fields[name][1], _core.ffi.offsetof(kind, name))
        one = _core.ffi.new("sft_joint_pair*", {"target": 7, "share": 0.25, "reason": b"why"})
        record = _core.records(one, 1, "sft_joint_pair")[0]
        self.assertEqual((record["target"], record["share"], record["reason"]), (7, 0.25, b"why"))

    def test_what_is_public_has_words_and_hints(self):
        for name in sf.__all__:
            thing = getattr(sf, name)
            self.assertTrue(inspect.getdoc(thing), name)
            functions = [thing] if inspect.isfunction(thing) else [
                f for n, f in vars(thing).items() if inspect.isfunction(f) and (not n.startswith("_") or n == "__init__")]
            for function in functions:
                signature = inspect.signature(function)
                missing = [p for p in list(signature.parameters.values()) if p.annotation is p.empty and p.name != "self"]
                self.assertFalse(missing, f"{name}: {function}")
                self.assertIsNot(signature.return_annotation, signature.empty, f"{name}: {function}")
        self.assertTrue((pathlib.Path(sf.__file__).parent / "py.typed").exists())

    def test_hints_are_right(self):
        mypy = shutil.which("mypy", path="/usr/bin:" + os.environ["PATH"])
        if mypy is None:
            print("SKIP: no mypy (Debian: mypy)")
            self.skipTest("no mypy")
        # From the package as it is installed: a type checker finds what a user's would.
        package = pathlib.Path(sf.__file__).parent
        command = [mypy, "--strict", "--cache-dir", os.devnull, str(package), *map(str, EXAMPLES.glob("*.py")),
                   str(SOURCE / "python" / "tests" / "typed_user.py")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=FOLDER,
                              env=dict(os.environ, MYPYPATH=str(package.parent)))
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_help_tells_of_what_there_is(self):
        said = pydoc.plaintext.document(sf)
        for name in ("adapt", "clean", "contacts", "read", "retarget", "write", "Heights"):
            self.assertRegex(said, rf"(?m)^ *(class )?{name}\(", name)

    def test_the_version_is_that_of_the_library(self):
        text = (SOURCE / "CMakeLists.txt").read_text()
        self.assertEqual(sf.__version__, re.search(r"VERSION ([0-9.]+) LANGUAGES", text).group(1))


class Examples(unittest.TestCase):
    def run_example(self, name, *arguments, code=0):
        # A child of the same interpreter finds the same package.
        environment = dict(os.environ, PYTHONPATH=str(pathlib.Path(sf.__file__).parents[1]))
        done = subprocess.run([sys.executable, str(EXAMPLES / name), *map(str, arguments)], capture_output=True, text=True,
                              timeout=120, check=False, env=environment)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stdout, done.stderr

    def test_clean_folder(self):
        folder, out = FOLDER / "in", FOLDER / "out"
        folder.mkdir()
        for path in (SLID, WALK, TWO):
            (folder / path.name).write_bytes(path.read_bytes())
        (folder / "broken.bvh").write_text("HIERARCHY\nROOT x\n{\n")
        said, errors = self.run_example("clean_folder.py", folder, out, 2, code=3)
        self.assertIn("2 of 4 clips", said)
        self.assertIn("broken.bvh:", errors)
        self.assertIn("two.glb", errors)  # holds two clips
        rows = (out / "figures.csv").read_text().splitlines()
        self.assertEqual(len(rows), 5)
        self.assertEqual((out / "slid.bvh").read_bytes(), sf.to_bytes(sf.clean(sf.read(SLID))))
        slid = dict(zip(rows[0].split(","), next(r for r in rows if r.startswith("slid")).split(",")))
        self.assertGreater(float(slid["slide_before_cm_s"]), 5.0)
        self.assertLess(float(slid["slide_after_cm_s"]), 0.01)
        self.assertAlmostEqual(float(slid["root_travel"]), 1.25, delta=0.01)

    def test_dataset(self):
        self.run_example("dataset.py", FOLDER / "set.npz", SLID, TWO)
        arrays = np.load(FOLDER / "set.npz")
        self.assertEqual(arrays[f"{SLID}/positions"].shape, (150, 26, 3))
        self.assertEqual(arrays[f"{TWO}:walk/plant"].shape[1], 2)
        self.assertIn("slide_mean_cm_s", arrays[f"{SLID}/feet"].dtype.names)

    def test_windows(self):
        folder, out = FOLDER / "takes", FOLDER / "windows.npz"
        folder.mkdir()
        for path in (SLID, WALK, TWO):
            (folder / path.name).write_bytes(path.read_bytes())
        said, errors = self.run_example("windows.py", folder, out, 40)
        self.assertIn("two.glb:slid: left out", errors)
        arrays = np.load(out)
        # 150 frames, windows of 40, 20 apart: first frames 0 to 100, of two clips.
        self.assertEqual(arrays["rotations"].shape, (12, 40, 26, 4))
        self.assertEqual({arrays[name].dtype for name in ("translations", "rotations", "plant")}, {np.dtype(np.float32)})
        self.assertEqual(list(arrays["first"]), 2 * [0, 20, 40, 60, 80, 100])
        self.assertEqual(arrays["rotations"][3].tobytes(), sf.read(SLID).rotations[60:100].astype(np.float32).tobytes())
        back = sf.read(FOLDER / "windows.bvh")
        self.assertEqual((len(back), back.fps), (40, sf.read(SLID).fps))
        self.assertIn("12 windows", said)

    def test_hills(self):
        said, _ = self.run_example("hills.py", TWO, FOLDER / "hilly", 1)
        self.assertEqual(sorted(p.name for p in (FOLDER / "hilly").iterdir()), ["two-slid-hills0.glb", "two-walk-hills0.glb"])
        hilly = sf.read(FOLDER / "hilly" / "two-walk-hills0.glb", clip="walk")
        self.assertGreater(np.ptp(hilly.positions()[:, hilly.legs[0].toe, 1]), np.ptp(
            sf.read(TWO, clip="walk").positions()[:, hilly.legs[0].toe, 1]))
        self.assertRegex(said, "[1-9] plants")

    def test_retarget_folder(self):
        folder, out = FOLDER / "moves", FOLDER / "moved"
        folder.mkdir()
        (folder / "slid.bvh").write_bytes(SLID.read_bytes())
        said, _ = self.run_example("retarget_folder.py", folder, CHILD, out)
        self.assertIn("slid.bvh", said)
        self.assertEqual((out / "slid.glb").read_bytes(), sf.to_bytes(sf.retarget(sf.read(SLID), CHILD)))


if __name__ == "__main__":
    unittest.main()
