# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Surefoot takes the slide out of skeletal animation.

    import surefoot as sf

    clip = sf.read("walk.bvh")
    labels = sf.contacts(clip)
    figures = sf.check(clip, labels)
    cleaned = sf.clean(clip, labels)
    sf.write(cleaned, "out.bvh")
    moved = sf.retarget(clip, onto="knight.glb")
    uphill = sf.adapt(clip, sf.slope(10))

Metres, seconds, right-handed, Y up; quaternions x, y, z, w. Arrays of poses and labels lie in the library's memory and
keep it alive. Solving releases the interpreter's lock. What is written is byte for byte what the command writes.
"""
from ._adapt import Adapted, Heights, Mesh, OnGround, Plane, Profile, adapt, slope, stairs
from ._clean import Cleaned, clean, clean_all
from ._clip import Clip, Leg, Skeleton, Space, read
from ._core import Values, lib as _lib
from ._document import ClipInfo, Document, load
from ._errors import (FileError, NoLegsError, OptionError, OutOfMemoryError, ReadError, SurefootError, SurefootWarning,
                      UnalikeError, WriteError)
from ._info import Meaning, info, meanings
from ._labels import Figures, Labels, check, contacts
from ._reports import AdaptReport, CleanReport, ClipFigures, LockReport, MendReport, Mismatch, Published, TransferReport
from ._retarget import Goal, Map, Moved, map_joints, retarget
from ._write import to_bytes, write

__version__ = ".".join(str(part) for part in (_lib.sft_version() // 10000, _lib.sft_version() // 100 % 100,
                                              _lib.sft_version() % 100))

__all__ = ["AdaptReport", "Adapted", "CleanReport", "Cleaned", "Clip", "ClipFigures", "ClipInfo", "Document",
           "Figures", "FileError", "Goal", "Heights", "Labels", "Leg", "LockReport", "Map", "Meaning",
           "MendReport", "Mesh", "Mismatch", "Moved", "NoLegsError", "OnGround", "OptionError",
           "OutOfMemoryError", "Plane", "Profile", "Published", "ReadError", "Skeleton", "Space",
           "SurefootError", "SurefootWarning", "TransferReport", "UnalikeError", "Values", "WriteError",
           "adapt", "check", "clean", "clean_all", "contacts", "info", "load", "map_joints", "meanings",
           "read", "retarget", "slope", "stairs", "to_bytes", "write"]
