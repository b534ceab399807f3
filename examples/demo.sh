#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
# Makes a walk with known contacts, lets it slide, cleans it, and shows before and after; then moves the walk onto a figure
# of other proportions, whose feet slide and sink until they are planted anew.
# usage: demo.sh BIN_FOLDER OUT_FOLDER
set -eu
bin=${1:-build/bin}
out=${2:-build/demo}
mkdir -p "$out"

say() { printf '\n== %s\n' "$1"; }

# The first lines of a table: slide per foot. The whole of it stands in the file.
check()
{
    "$bin/surefoot" check "$out/$1.bvh" --contacts "$out/true_contacts.csv" > "$out/$1_check.txt"
    sed -n 1,9p "$out/$1_check.txt"
}

say "A synthetic walk whose planted toes stand exactly still; its travel is then scaled by 1.25"
"$bin/surefoot-make-sample" "$out/walk.bvh" --labels "$out/true_contacts.csv" --frames 480
"$bin/surefoot" convert "$out/walk.bvh" --root-scale 1.25 -o "$out/slid.bvh"

say "Before, measured where the toes are known to be planted"
check slid

say "surefoot clean $out/slid.bvh -o $out/fixed.bvh --report $out/report.html"
"$bin/surefoot" clean "$out/slid.bvh" -o "$out/fixed.bvh" --report "$out/report.html" --picture "$out/picture.svg"

say "After, measured where the toes are known to be planted"
check fixed

say "The same as GLB: surefoot convert, then clean; other clips, meshes and all else in a GLB come back byte for byte"
"$bin/surefoot" convert "$out/slid.bvh" -o "$out/slid.glb"
"$bin/surefoot" clean "$out/slid.glb" --all-clips -o "$out/fixed.glb"

say "The walk onto another figure: a child of 1.2 m with other joints, names, rest pose and bone axes"
"$bin/surefoot-make-sample" "$out/child.glb" --figure
"$bin/surefoot" retarget "$out/walk.bvh" --onto "$out/child.glb" -o "$out/child_walk.glb" \
    --report "$out/retarget.html" --picture "$out/retarget.svg"

say "Left in $out"
echo "  walk.bvh      the walk as it was made; true_contacts.csv has its contacts"
echo "  slid.bvh      the same with the root's travel scaled by 1.25: the feet slide; slid_check.txt has its figures"
echo "  fixed.bvh     cleaned; fixed_check.txt has its figures"
echo "  slid.glb      slid.bvh as GLB; fixed.glb cleaned"
echo "  child.glb     another figure, at rest; child_walk.glb with the walk; retarget.html, retarget.svg show both"
echo "  report.html   open it in a browser; picture.svg is its heart as one picture"
