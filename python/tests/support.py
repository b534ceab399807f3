# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Clips that the project's own programs make, and the command to compare with. SFT_BIN is the folder of the programs."""
import atexit
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
BIN = pathlib.Path(os.environ.get("SFT_BIN") or SOURCE / "build" / "bin").resolve()
DATA = pathlib.Path(os.environ.get("SFT_DATA") or SOURCE.parent / "shared" / "data")
FOLDER = pathlib.Path(tempfile.mkdtemp(prefix="surefoot-python-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
# FBX is read through the command.
os.environ["SUREFOOT"] = str(BIN / "surefoot")
sys.path.append(str(SOURCE / "tests"))


def run(program, *arguments):
    return subprocess.run([str(BIN / program), *map(str, arguments)], capture_output=True, timeout=300, check=False)


def surefoot(*arguments):
    """Runs the command, which must do what it is asked; its standard output."""
    done = run("surefoot", *arguments)
    assert done.returncode == 0, (arguments, done.stderr.decode())
    return done.stdout


def surefoot_json(*arguments):
    return json.loads(surefoot(*arguments, "--json"))


def _make():
    assert run("surefoot-make-sample", FOLDER / "walk.bvh", "--frames", 150).returncode == 0
    assert run("surefoot-make-sample", FOLDER / "child.glb", "--figure").returncode == 0
    surefoot("convert", FOLDER / "walk.bvh", "--root-scale", 1.25, "-o", FOLDER / "slid.bvh")
    surefoot("convert", FOLDER / "slid.bvh", "-o", FOLDER / "slid.glb")
    surefoot("convert", FOLDER / "slid.bvh", "-o", FOLDER / "slid.gltf")
    # A file of two clips with a skin, made by two moves.
    surefoot("retarget", FOLDER / "slid.bvh", "--onto", FOLDER / "child.glb", "-o", FOLDER / "one.glb", "--no-clean")
    surefoot("retarget", FOLDER / "walk.bvh", "--onto", FOLDER / "one.glb", "-o", FOLDER / "two.glb", "--no-clean")


_make()
WALK, SLID, CHILD, TWO = (FOLDER / name for name in ("walk.bvh", "slid.bvh", "child.glb", "two.glb"))
