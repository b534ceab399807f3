#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# wheel.sh OUT: builds the wheel into OUT. Works without a network. SFT_BUILD: build folder of CMake with the library;
# without it the library is built too.
set -eu
[ $# -eq 1 ] || { echo "usage: sh python/wheel.sh OUT: builds the wheel into the folder OUT; \`make python\` does, into build/python" >&2; exit 2; }
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "$0")"
# What an earlier build left, of another version say, is not wanted in this one.
rm -rf build/lib* build/temp* build/bdist* surefoot.egg-info
${PYTHON:-/usr/bin/python3} -m build --wheel --no-isolation --outdir "$out" . >"$out/build.log" 2>&1 || { cat "$out/build.log"; exit 1; }
rm -rf build/lib* build/temp* build/bdist* surefoot.egg-info surefoot/_surefoot.c
ls "$out"/surefoot-*.whl
