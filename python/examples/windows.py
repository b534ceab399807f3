#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A folder of clips into windows for learning, and windows back into files.

usage: windows.py FOLDER OUT.npz [LENGTH]

OUT.npz holds float32 arrays: translations (windows, LENGTH, joints, 3), rotations (..., 4), plant (windows, LENGTH, feet),
and which clip and first frame each window is of. Clips of another skeleton than the first one's are told and left out.
Beside it the first window is written as a clip, as a model's output would be, its planted feet made to stand.
"""
import pathlib
import sys
import warnings
from typing import Any, Optional

import numpy as np

import surefoot as sf

ENDINGS = (".bvh", ".glb", ".gltf")


def windows(array: "np.ndarray[Any, Any]", length: int) -> "np.ndarray[Any, Any]":
    """(windows, length, ...) of (frames, ...), half a window apart; views, not copies."""
    made = np.lib.stride_tricks.sliding_window_view(array, length, axis=0)[::length // 2]
    return np.moveaxis(made, -1, 1)


def main() -> int:
    if len(sys.argv) not in (3, 4):
        print((__doc__ or "").split("\n\n")[1], file=sys.stderr)
        return 2
    length = int(sys.argv[3]) if len(sys.argv) == 4 else 64
    parts: dict[str, list[Any]] = {name: [] for name in ("translations", "rotations", "plant", "clip", "first")}
    model: Optional[sf.Clip] = None
    for path in sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.suffix.lower() in ENDINGS):
        try:
            for clip in sf.load(path):  # a file may hold many
                label = f"{path.name}:{clip.name}" if clip.name else path.name
                model = model or clip
                if clip.skeleton.names != model.skeleton.names or len(clip) - clip.first_frame < length:
                    print(f"{label}: left out: {len(clip)} frames, {len(clip.skeleton)} joints", file=sys.stderr)
                    continue
                labels = sf.contacts(clip)
                first = clip.first_frame  # what comes before it is a reference pose
                given: dict[str, np.ndarray[Any, Any]] = {
                    "translations": clip.translations, "rotations": clip.rotations, "plant": labels.plant.T}
                for name, array in given.items():
                    parts[name].append(windows(array[first:], length).astype(np.float32))
                count = len(parts["plant"][-1])
                parts["clip"].append(np.full(count, label))
                parts["first"].append(first + np.arange(count) * (length // 2))
        except sf.SurefootError as error:
            print(error, file=sys.stderr)
    if model is None or not parts["plant"]:
        print("no clip has a window", file=sys.stderr)
        return 3
    arrays: dict[str, np.ndarray[Any, Any]] = {name: np.concatenate(part) for name, part in parts.items()}
    np.savez(sys.argv[2], names=np.array(model.skeleton.names), parents=model.skeleton.parents,
             fps=np.array(model.fps), **arrays)
    # Back: numbers of any count of frames go into a copy of a clip's file.
    made = model.with_motion(translations=arrays["translations"][0], rotations=arrays["rotations"][0])
    labels = sf.contacts(made)
    labels.plant = arrays["plant"][0].T
    out = pathlib.Path(sys.argv[2]).with_suffix(pathlib.Path(model.document.name).suffix)
    sf.write(sf.clean(made, labels), out)
    print(f"{len(arrays['plant'])} windows of {length} frames; the first of them in {out}")
    return 0


if __name__ == "__main__":
    warnings.simplefilter("ignore", sf.SurefootWarning)
    sys.exit(main())
