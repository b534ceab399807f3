# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What a file holds, and what was concluded from it."""
from __future__ import annotations

from typing import Any, Optional, Union

import numpy as np

from ._arguments import is_file, wrong
from ._clip import ROLES, Clip, Leg, want_clip
from ._core import check, ffi, lib, text
from ._document import Document, PathOrBytes, load

__all__ = ["Meaning", "info", "meanings"]

SIDES = ("left", "right", "middle")


class Meaning:
    """What one joint is of a body: part ("upper_arm"), side, and where along it."""

    def __init__(self, joint: int, m: Any) -> None:
        self.joint: int = joint
        self.part: str = text(lib.sft_part_word(m.part))
        self.side: str = SIDES[m.side]
        #: Girdle of legs and shoulders, 0 hind.
        self.pair: int = m.pair
        #: Finger: 0 thumb to 4 little; None where it is none.
        self.digit: Optional[int] = m.digit if m.digit >= 0 else None
        #: Along joints of the same part, from 0.
        self.place: int = m.index
        #: Twist: joint at whose bone it rolls; None elsewhere.
        self.carrier: Optional[int] = m.carrier if m.carrier >= 0 else None
        #: 0 to 1.
        self.confidence: float = m.confidence
        self.reason: str = text(m.reason)

    def __repr__(self) -> str:
        return f"<Meaning of joint {self.joint}: {self.side} {self.part}>"


def meanings(clip: Clip) -> list[Meaning]:
    """What the joints of a clip are, those that mean something, in order."""
    want_clip(clip)
    take = clip._take
    out = ffi.new("sft_joint_meaning[]", max(clip.joint_count, 1))
    check(lib.sft_rig_find_meanings(take.skeleton, clip._clip, take.legs, take.leg_count, ffi.NULL, out),
          path=clip.document.path, doing="meanings of joints")
    return [Meaning(j, out[j]) for j in range(clip.joint_count) if out[j].part != lib.SFT_PART_NONE]


def _leg(clip: Clip, leg: Leg) -> dict[str, Any]:
    joints = {role: getattr(leg, role) for role in ROLES}
    said: dict[str, Any] = {"side": leg.side}
    said.update({role: clip.skeleton.unique_name(j) if j >= 0 else None for role, j in joints.items()})
    said["end_sites"] = [role for role, j in joints.items() if j >= 0 and clip.skeleton.end_sites[j]]
    said.update(pair=leg.pair, knee_side=list(leg.knee_side), heel_min_cm=100.0 * leg.heel_min,
                toe_min_cm=100.0 * leg.toe_min, toe_end_min_cm=100.0 * leg.toe_end_min if leg.toe_end >= 0 else None,
                reason=leg.reason)
    return said


def _duration(frames: int, frame_time: float) -> float:
    return (frames - 1) * frame_time if frames > 1 else 0.0


def info(source: Union[PathOrBytes, Document, Clip], *, clip: Union[None, str, int] = None) -> dict[str, Any]:
    """What `surefoot info --json` says, as a dictionary of the same keys: clips, joints, frames, unit and up axis, a
    reference pose in frame 0, the joint that carries the travel, the legs, what the other joints mean, and the reasons.

    Of several clips the first, or that of `clip`, is described; a file without clips by its rest pose.
    """
    if isinstance(source, Clip):
        shown = source
    else:
        if not isinstance(source, Document) and not is_file(source):
            raise wrong("source", "a path, a file's bytes, a Document or a Clip", source)
        document = source if isinstance(source, Document) else load(source)
        shown = _described(document, clip)
    document, skeleton = shown.document, shown.skeleton
    bvh = lib.sft_io_bvh(document._pointer)
    positions = lib.sft_bvh_view(bvh) if bvh != ffi.NULL else None
    own = document.clips[shown.index] if shown.index >= 0 else None
    ends = int(skeleton.end_sites.sum())
    return {
        "file": document.path,
        "format": document.source_format,
        "clips": [{"index": c.index, "name": c.name, "frames": c.frame_count, "frame_time": c.frame_time,
                   "start": c.start, "duration": _duration(c.frame_count, c.frame_time), "stored_frames": c.stored,
                   "channels": c.channel_count, "other_channels": c.other_count, "problem": c.problem}
                  for c in document.clips],
        "clip_index": shown.index if own is not None else None,
        "clip_name": own.name if own is not None else None,
        "joints": len(skeleton) - ends,
        "end_sites": ends,
        "roots": int((np.asarray(skeleton.parents) < 0).sum()),
        "channels": own.channel_count if own is not None else 0,
        "frames": shown.frame_count if own is not None else 0,
        "frame_time": shown.frame_time,
        "start": shown.start,
        "unit_metres": shown.space.unit_metres,
        "unit_sure": shown.space.unit_sure,
        "up": shown.space.up,
        "up_sure": shown.space.up_sure,
        "space_reason": shown.space.reason,
        "figure_height_m": shown.space.figure_height,
        "positions": None if positions is None else
                     ("add" if positions.positions == lib.SFT_BVH_POSITIONS_ADD else "replace"),
        "positions_reason": None if positions is None else text(positions.positions_reason),
        "first_frame": shown.first_frame,
        "first_frame_reason": shown.first_frame_reason,
        "travel_joint": skeleton.unique_name(shown.travel_joint) if shown.travel_joint >= 0 else None,
        "legs": [_leg(shown, leg) for leg in shown.legs],
        "meanings": [{"joint": skeleton.unique_name(m.joint), "index": m.joint, "part": m.part, "side": m.side,
                      "pair": m.pair, "digit": m.digit, "place": m.place,
                      "carrier": skeleton.unique_name(m.carrier) if m.carrier is not None else None,
                      "confidence": 0.01 * int(100.0 * m.confidence + 0.5), "reason": m.reason}
                     for m in meanings(shown)],
        "warnings": [{"line": line, "message": message} for line, message in document._warned],
    }


def _described(document: Document, which: Union[None, str, int]) -> Clip:
    if which is not None:
        return document.clip(which)
    fit = [c.index for c in document.clips if document._trouble(c) is None]
    return Clip(document, fit[0]) if fit else document.rest()
