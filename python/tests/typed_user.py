# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A program of a user, as a type checker reads it: never run."""
from typing import Optional, assert_type

import numpy as np
import numpy.typing as npt

import surefoot as sf

clip = assert_type(sf.read("walk.bvh", clip=0), sf.Clip)
assert_type(clip.translations, npt.NDArray[np.float64])
assert_type(clip.skeleton.names, tuple[str, ...])
assert_type(clip.skeleton.parents, npt.NDArray[np.int32])
labels = assert_type(sf.contacts(clip, ground_velocity=(0.0, 0.0, 1.0)), sf.Labels)
assert_type(labels.plant, npt.NDArray[np.float32])
assert_type(labels.planted(), npt.NDArray[np.bool_])
assert_type(sf.check(clip, labels).clip.slide_mean_cm_s, float)
assert_type(sf.check(clip).clip.published.edge_pfc, float)
cleaned = assert_type(sf.clean(clip, labels, method="runtime", blend=0.1), sf.Cleaned)
moved = assert_type(sf.retarget(cleaned, b"...", goals=[sf.Goal("hand_l", 3, 9)]), sf.Moved)
assert_type(moved.labels, Optional[sf.Labels])
adapted = assert_type(sf.adapt(clip, sf.Heights(np.zeros((4, 4), np.float32), 0.25)), sf.Adapted)
assert_type(adapted.report.pelvis_shift_max, float)
assert_type(sf.stairs(0.17, count=4), sf.Profile)
assert_type([c.fps for c in sf.load("many.glb")], list[float])
assert_type(clip.with_motion(rotations=np.zeros((4, 3, 4), np.float32)), sf.Clip)
assert_type(sf.to_bytes(clip, "glb"), bytes)
sf.clean("walk.bvh")  # type: ignore[arg-type]
sf.adapt(clip, np.zeros((4, 4)))  # type: ignore[arg-type]
sf.clean(clip, threshold="x")  # type: ignore[arg-type]
