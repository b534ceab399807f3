#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check.sh [BUILD_FOLDER [TEST...]]: builds the wheel from the library in a build folder of CMake (build), installs it
# into a folder of its own as an installer does, and runs the tests and the examples over that, by Debian's Python.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ $# -eq 0 ] || shift
mkdir -p "$build"
build=$(cd "$build" && pwd)
python=${PYTHON:-/usr/bin/python3}
out=$build/python-check
rm -rf "$out"
SFT_BUILD=$build PYTHON=$python sh python/wheel.sh "$out"
$python -m installer --destdir "$out/root" "$out"/surefoot-*.whl
# Where it ended up below the root is the installer's business.
found=$(find "$out/root" -name surefoot -path '*-packages/*' -type d)
site=$(dirname "$found")
cd python/tests
# Memory that was given back is written over, so that an array whose owner is gone shows it.
export MALLOC_PERTURB_=165
SFT_BIN=$build/bin PYTHONPATH=$site PYTHONDONTWRITEBYTECODE=1 $python -W error::ResourceWarning -m unittest "$@"
