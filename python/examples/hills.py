#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Every clip of a file onto a hilly height field of NumPy: more motion for learning from what is there.

usage: hills.py CLIP OUT_FOLDER [COUNT]
"""
import pathlib
import sys

import numpy as np

import surefoot as sf


def hills(clip: sf.Clip, seed: int) -> sf.Heights:
    """Sums of waves, at most some 15 degrees steep, under all that the clip walks over."""
    places, step = clip.positions(), 0.1
    (x0, _, z0), (x1, _, z1) = places.min(axis=(0, 1)) - 2.0, places.max(axis=(0, 1)) + 2.0
    x, z = np.meshgrid(np.arange(x0, x1, step), np.arange(z0, z1, step))
    heights = np.zeros_like(x)
    for length, turn, phase in np.random.default_rng(seed).uniform((2.0, 0.0, 0.0), (6.0, np.pi, 6.3), (4, 3)):
        heights += 0.01 * length * np.sin(2 * np.pi * (x * np.sin(turn) + z * np.cos(turn)) / length + phase)
    return sf.Heights(heights, step, (x0, 0.0, z0))


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print((__doc__ or "").split("\n\n")[-1].strip(), file=sys.stderr)
        return 2
    path, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for clip in sf.load(path):
        for seed in range(int(sys.argv[3]) if len(sys.argv) == 4 else 3):
            made = sf.adapt(clip, hills(clip, seed))
            name = f"{path.stem}{'-' + clip.name if clip.name else ''}-hills{seed}{path.suffix}"
            sf.write(made, out / name)
            print(f"{name}: {made.report.plant_count} plants, {len(made.misses)} of them not as they should be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
