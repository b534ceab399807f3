#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Every clip of a folder onto one figure, a file each, and how well its feet stand there.

usage: retarget_folder.py IN FIGURE OUT
"""
import pathlib
import sys

import surefoot as sf


def main() -> int:
    if len(sys.argv) != 4:
        print(__doc__.split("\n\n")[-1].strip(), file=sys.stderr)
        return 2
    folder, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[3])
    out.mkdir(parents=True, exist_ok=True)
    figure = sf.load(sys.argv[2])
    failed = 0
    for path in sorted(folder.glob("*.bvh")):
        try:
            moved = sf.retarget(sf.read(path), onto=figure)
        except sf.SurefootError as error:
            print(error, file=sys.stderr)
            failed += 1
            continue
        sf.write(moved, out / f"{path.stem}{pathlib.Path(sys.argv[2]).suffix}")
        slide = sf.check(moved, moved.labels).clip.slide_mean_cm_s if moved.labels is not None else float("nan")
        print(f"{path.name}: {moved.map}, slide {slide:.3f} cm/s, {len(moved.misses)} goals out of reach")
    return 3 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
