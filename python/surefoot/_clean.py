# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Takes the slide out of clips."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from . import _errors
from ._arguments import choice as _choice, flag, number, wrong
from ._clip import Clip, want_clip
from ._core import check as check_result, ffi, lib, records
from ._document import Document
from ._labels import Ground, Labels, _fitting, _need_legs, contacts
from ._reports import CleanReport, LockReport
from ._types import Bits, Records

__all__ = ["Cleaned", "clean", "clean_all"]

METHODS = {"direct": lib.SFT_CLEANUP_DIRECT, "relax": lib.SFT_CLEANUP_RELAX, "runtime": None}
GIVE_WAY = {"both": lib.SFT_GIVE_WAY_BOTH, "legs": lib.SFT_GIVE_WAY_LEGS, "root": lib.SFT_GIVE_WAY_ROOT}


class Cleaned(Clip):
    """A cleaned clip in a copy of its document, as a file of it says it.

    labels   that it was cleaned by
    report   what was done (sft_cleanup_report; with method "runtime" sft_lock_clip_report)
    misses   structured array, read-only: planted frames whose foot could not stand (sft_cleanup_miss: frame, foot,
             distance [m], gave_up), or with method "runtime" runs of frames that were not held (sft_lock_gap)
    changed  uint8 (joints,), read-only: bit 0 rotation, bit 1 translation was changed
    """

    labels: Labels
    report: Union[CleanReport, LockReport]
    misses: Records
    changed: Bits

    _SAID = ("labels", "report", "misses", "changed")


class _Settings:
    """Options of `clean`, checked once for all clips."""

    def __init__(self, method: str, give_way: str, loop: bool, allow_stretch: bool, threshold: float, keep_keys: bool,
                 live: dict[str, Any]) -> None:
        self.runtime = _choice("method", method, METHODS) is None
        threshold = number("threshold", threshold, 0.0, 1.0)
        loop, allow_stretch = flag("loop", loop), flag("allow_stretch", allow_stretch)
        keep_keys = flag("keep_keys", keep_keys)
        offline = [name for name, given in (("give_way", give_way != "both"), ("loop", loop),
                                            ("allow_stretch", allow_stretch)) if given]
        if self.runtime and offline:
            raise _errors.OptionError("method 'runtime' sees no frame before its time and moves legs alone, so it knows "
                                      f"no {offline[0]}")
        known = [name for name, value in live.items() if value is not None]
        if not self.runtime and known:
            raise _errors.OptionError(f"{known[0]} is for method 'runtime'")
        self.keep_keys = keep_keys
        self.define = ffi.new("sft_cleanup_def*", lib.sft_default_cleanup_def())
        if not self.runtime:
            self.define.method = METHODS[method]
        self.define.give_way = _choice("give_way", give_way, GIVE_WAY)
        self.define.loop = loop
        self.define.allow_stretch = allow_stretch
        self.lock = ffi.new("sft_lock_clip_def*", lib.sft_default_lock_clip_def())
        for name, field, most in (("blend", "blend_time", 10.0), ("lock_distance", "lock_distance", 1000.0),
                                  ("unlock_distance", "unlock_distance", 1000.0)):
            if live[name] is not None:
                setattr(self.lock.lock, field, number(name, live[name], 0.0, most))
        if live["lock_orientation"] is not None:
            self.lock.lock.lock_orientation = flag("lock_orientation", live["lock_orientation"])
        self.define.contact_threshold = self.lock.contact_threshold = threshold

    def run(self, clip: Clip, labels: Labels) -> "_Solved":
        define = ffi.new("sft_lock_clip_def*" if self.runtime else "sft_cleanup_def*",
                         (self.lock if self.runtime else self.define)[0])
        grounds = ffi.from_buffer("sft_v3d[]", np.ascontiguousarray(labels.ground_velocities, np.float64))
        define.ground_velocities = grounds
        define.first_frame = clip.first_frame
        return _Solved(self, define, clip, labels)


class _Solved:
    """One clip after the solver: the motion, what was changed, and the story."""

    def __init__(self, settings: _Settings, define: Any, clip: Clip, labels: Labels) -> None:
        take = clip._take
        self.labels = labels
        self.motion = clip._new_motion()
        self.changed = np.zeros(max(clip.joint_count, 1), np.uint8)
        mask = ffi.from_buffer("uint8_t[]", self.changed, require_writable=True)
        told: Union[type[CleanReport], type[LockReport]] = LockReport if settings.runtime else CleanReport
        solve, release, listed, count, inner = (
            (lib.sft_lock_clip, lib.sft_lock_clip_report_release, "gaps", "gap_count", "sft_lock_gap")
            if settings.runtime else
            (lib.sft_cleanup_clip, lib.sft_cleanup_report_release, "misses", "miss_count", "sft_cleanup_miss"))
        report = ffi.new(told.KIND + "*")
        # The interpreter's lock is released inside this call.
        result = solve(define, take.skeleton, take.legs, take.leg_count, labels._pointer, ffi.NULL, self.motion, mask,
                       report)
        check_result(result, path=clip.document.path, doing="cleaning")
        self.report: Union[CleanReport, LockReport] = told.of(report)
        self.misses = records(getattr(report, listed), getattr(report, count), inner)
        release(report, ffi.NULL)
        self.changed.flags.writeable = False

    def tell(self, clip: Cleaned) -> Cleaned:
        clip.labels = self.labels
        clip.report = self.report
        clip.misses = self.misses
        clip.changed = self.changed[:clip.joint_count]
        return clip


def clean(clip: Clip, labels: Optional[Labels] = None, *, method: str = "direct", give_way: str = "both",
          loop: bool = False, allow_stretch: bool = False, threshold: float = 0.75, keep_keys: bool = False,
          ground_velocity: Ground = "auto", blend: Optional[float] = None, lock_distance: Optional[float] = None,
          unlock_distance: Optional[float] = None, lock_orientation: Optional[bool] = None) -> Cleaned:
    """Takes the foot sliding out: planted toes stand still, the legs and the path of the pelvis give way smoothly, and
    everything else keeps its numbers. The clip that is given stays as it is.

    labels           when feet are planted; None: `contacts(clip)`
    method           "direct": banded least squares; "relax": particle relaxation, slow, the reference; "runtime": the
                     foot lock of games, frame by frame
    give_way         who pays: "both" (pelvis path and strides), "legs" (the root's path is kept number for number),
                     "root" (the root follows what the feet support)
    loop             the clip is a cycle
    allow_stretch    where a leg is too short to reach, stretch it
    threshold        labels above it count as planted, 0 to 1
    keep_keys        glTF: fit the result to the source's own key times instead of a key a frame
    ground_velocity  as in `contacts`; with labels theirs counts
    blend, lock_distance, unlock_distance, lock_orientation
                     "runtime" alone: seconds of a crossing (0.2), metres within which a foot locks (0.01) and beyond
                     which it is let go (0.25), and whether the foot's orientation is held too (False)

    What `write` makes of the result is byte for byte what `surefoot clean` writes with the same options. The
    interpreter's lock is released while solving. Raises NoLegsError, OptionError, ReadError.
    """
    live = {"blend": blend, "lock_distance": lock_distance, "unlock_distance": unlock_distance,
            "lock_orientation": lock_orientation}
    want_clip(clip)
    settings = _Settings(method, give_way, loop, allow_stretch, threshold, keep_keys, live)
    _need_legs(clip)
    labels = labels if labels is not None else contacts(clip, ground_velocity=ground_velocity)
    labels = _fitting(clip, labels)
    solved = settings.run(clip, labels)
    document = clip._with(solved.motion, solved.changed, keep_keys)
    return solved.tell(Cleaned(document, clip.index, legs=clip._given_legs, space=clip._given_space))


def clean_all(document: Document, *, method: str = "direct", give_way: str = "both", loop: bool = False,
              allow_stretch: bool = False, threshold: float = 0.75, keep_keys: bool = False,
              ground_velocity: Ground = "auto", blend: Optional[float] = None, lock_distance: Optional[float] = None,
              unlock_distance: Optional[float] = None, lock_orientation: Optional[bool] = None) -> Document:
    """Every clip of a document cleaned, in a copy of it: what `surefoot clean --all-clips` writes. Options as `clean`."""
    live = {"blend": blend, "lock_distance": lock_distance, "unlock_distance": unlock_distance,
            "lock_orientation": lock_orientation}
    if not isinstance(document, Document):
        raise wrong("document", "a Document", document, "surefoot.load(...) gives one")
    settings = _Settings(method, give_way, loop, allow_stretch, threshold, keep_keys, live)
    steps: list[Any] = []
    first: Optional[Clip] = None
    for info in document.clips:
        if document._trouble(info) is not None:
            continue
        # One space for all clips of a file.
        clip = Clip(document, info.index, space=ffi.addressof(first._take.space) if first is not None else None)
        first = first or clip
        _need_legs(clip)
        solved = settings.run(clip, contacts(clip, ground_velocity=ground_velocity))
        steps.append(clip._put_step(solved.motion, solved.changed, keep_keys))
    return document._copy(*steps)
