# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Builds the library with CMake and the module over it. From a checkout: the library's sources lie above this folder.

SFT_BUILD names a build folder of CMake that is to be used; without it one is made in build/ here.
"""
import os
import pathlib
import re
import subprocess

from setuptools import setup
from setuptools.command.build_ext import build_ext

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent


def version() -> str:
    found = re.search(r"project\(surefoot VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
    assert found is not None
    return found.group(1)


class BuildWithLibrary(build_ext):
    def run(self) -> None:
        folder = pathlib.Path(os.environ.get("SFT_BUILD") or HERE / "build" / "cmake")
        if not (folder / "CMakeCache.txt").exists():
            subprocess.run(["cmake", "-S", str(ROOT), "-B", str(folder), "-DCMAKE_BUILD_TYPE=Release",
                            "-DSFT_BUILD_CLI=OFF", "-DSFT_BUILD_BENCH=OFF", "-DSFT_BUILD_TESTS=OFF"], check=True)
        subprocess.run(["cmake", "--build", str(folder), "--target", "surefoot", "--parallel",
                        str(os.cpu_count() or 1)], check=True)
        for extension in self.extensions:
            extension.extra_objects = [str(folder / "libsurefoot.a")]
        super().run()


setup(version=version(), cffi_modules=["module.py:ffi"], cmdclass={"build_ext": BuildWithLibrary})
