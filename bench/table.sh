#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# table.sh [OPTION...]: cleans every judged clip of the optional data folder and prints the whole table of figures
# (bench/judge/table.py; options go there), then a line a glTF clip (bench/judge/gltf_judge.py), then the table of walks put
# onto grounds (bench/judge/adapt_table.py). Exit code 1 where a line fails, 0 with SKIP where the folder is absent.
set -eu
cd "$(dirname "$0")/.."
data=${SFT_DATA:-../shared/data}/bvh
if [ ! -d "$data" ]; then
    echo "SKIP: the optional data folder $data is not there; set SFT_DATA to the folder that holds bvh/"
    exit 0
fi
[ -x build/bin/surefoot ] || { echo "build/bin/surefoot is not there: run make first"; exit 2; }
# Debian's own Python comes first: NumPy is there as a package.
for python in /usr/bin/python3 python3; do
    if "$python" -c 'import numpy' 2>/dev/null; then
        status=0
        "$python" bench/judge/table.py --surefoot build/bin/surefoot --data "$data" "$@" || status=$?
        gltf=${data%/bvh}/gltf
        [ -d "$gltf" ] || exit $status
        knight=$gltf/kaykit_Knight.glb
        OMP_NUM_THREADS=1 "$python" bench/judge/gltf_judge.py --brief --surefoot build/bin/surefoot \
            "$knight:Walking_A" "$knight:Walking_B" "$knight:Walking_C" "$knight:Walking_Backwards" \
            "$gltf/bitmoji_walk.glb" "$gltf/khronos_CesiumMan.gltf" "$gltf/khronos_Fox.glb:Run" \
            "$gltf/m2m_fox-animations.glb:Walk" || status=1
        echo
        echo "Feet on ground (bench/judge/adapt_table.py)"
        "$python" bench/judge/adapt_table.py --surefoot build/bin/surefoot --data "${data%/bvh}" --brief || status=1
        exit $status
    fi
done
echo "Python with NumPy is not here; on Debian: apt-get install python3-numpy"
exit 2
