#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# Makes a walk with known contacts, lets it slide, cleans it, and shows before and after.
# usage: demo.sh BIN_FOLDER OUT_FOLDER
set -eu
bin=${1:-build/bin}
out=${2:-build/demo}
mkdir -p "$out"

say() { printf '\n== %s\n' "$1"; }

say "A synthetic walk whose planted toes stand exactly still, its travel then scaled by 1.25"
"$bin/surefoot-make-sample" "$out/walk.bvh" --labels "$out/true_contacts.csv" --frames 480
"$bin/surefoot" convert "$out/walk.bvh" --root-scale 1.25 -o "$out/slid.bvh"

say "Before: surefoot check $out/slid.bvh"
"$bin/surefoot" check "$out/slid.bvh"

say "surefoot clean $out/slid.bvh -o $out/fixed.bvh --report $out/report.html"
"$bin/surefoot" clean "$out/slid.bvh" -o "$out/fixed.bvh" --report "$out/report.html" --picture "$out/picture.svg"

say "After: surefoot check $out/fixed.bvh"
"$bin/surefoot" check "$out/fixed.bvh"

say "Left in $out"
echo "  walk.bvh           the walk as it was made; true_contacts.csv its contacts"
echo "  slid.bvh           the same with the root's travel scaled by 1.25: the feet slide"
echo "  fixed.bvh          cleaned"
echo "  report.html        open it in a browser; picture.svg is its heart as one picture"
