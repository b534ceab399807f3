#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# table.sh [OPTION...]: cleans every judged clip of the optional data folder and prints the whole table of figures
# (bench/judge/table.py; options go there). Exit code 1 where a line fails, 0 with SKIP where the folder is absent.
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
        exec "$python" bench/judge/table.py --surefoot build/bin/surefoot --data "$data" "$@"
    fi
done
echo "Python with NumPy is not here; on Debian: apt-get install python3-numpy"
exit 2
