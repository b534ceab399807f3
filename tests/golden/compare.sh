#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# compare.sh PROGRAM: the golden program of this build against the hashes written down.
set -eu
expected=$(dirname "$0")/golden.txt
if "$1" | diff -u "$expected" -; then
    echo "golden: equal"
else
    echo "Results changed. Where that is meant: $1 > tests/golden/golden.txt, in the same commit, and say why;"
    echo "tests/golden/check_targets.sh then tells whether all compilers and targets agree."
    exit 1
fi
