#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Clips into one .npz for learning: places of joints, contact labels and figures, each under the clip's name.

usage: dataset.py OUT.npz CLIP...
"""
import sys
from typing import Any

import numpy as np

import surefoot as sf


def main() -> int:
    if len(sys.argv) < 3:
        print(__doc__.split("\n\n")[-1].strip(), file=sys.stderr)
        return 2
    arrays: dict[str, np.ndarray[Any, Any]] = {}
    for path in sys.argv[2:]:
        for clip in sf.load(path):
            key = f"{path}:{clip.name}" if clip.name else path
            labels = sf.contacts(clip)
            first = clip.first_frame  # what comes before it is a reference pose
            arrays[f"{key}/positions"] = clip.positions()[first:].astype(np.float32)
            arrays[f"{key}/rotations"] = clip.rotations[first:].astype(np.float32)
            arrays[f"{key}/plant"] = labels.plant.T[first:]
            arrays[f"{key}/touch"] = labels.touch.T[first:]
            arrays[f"{key}/names"] = np.array(clip.skeleton.names)
            arrays[f"{key}/parents"] = clip.skeleton.parents
            arrays[f"{key}/fps"] = np.array(clip.fps)
            arrays[f"{key}/feet"] = sf.check(clip, labels).feet
            print(f"{key}: {len(clip) - first} frames, planted {labels.planted().mean():.0%}; {labels.mismatch.text}")
    np.savez(sys.argv[1], **arrays)
    return 0


if __name__ == "__main__":
    sys.exit(main())
