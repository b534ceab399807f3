# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Clips: poses as arrays, in metres and Y up, with the legs found."""
from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _errors
from ._arguments import is_file, wrong
from ._core import check, error_slot, ffi, lib, record_type, text, view
from ._document import AXIS_NAMES, Document, PathOrBytes, load
from ._types import Bits, Flags, Floats, Ints

__all__ = ["Clip", "Leg", "Skeleton", "Space", "read"]

SIDES = ("left", "right", "middle")
ROLES = ("pelvis", "hip", "knee", "heel", "toe", "toe_end")


@dataclass(frozen=True)
class Space:
    """Unit and axes of a file, and why they were taken so."""

    unit_metres: float
    up: str
    unit_sure: bool
    up_sure: bool
    figure_height: float
    reason: str


class Skeleton:
    """Joints, parents first. Arrays are read-only and lie in the library's memory.

    names               str of each joint; an End Site has its parent's
    parents             int32 (joints,), -1 for a root
    end_sites           bool (joints,): leaves of a BVH that carry a position only
    rest_translations   float64 (joints, 3) [m], parent space
    rest_rotations      float64 (joints, 4) xyzw, parent space
    """

    def __init__(self, owner: Any, pointer: Any) -> None:
        self._owner = owner
        count = pointer.joint_count
        self._pointer = pointer
        self.names: tuple[str, ...] = tuple(text(pointer.names[j]) for j in range(count))
        self.parents: Ints = view(owner, pointer.parents, (count,), np.int32)
        self.end_sites: Flags = (view(owner, pointer.flags, (count,), np.uint32)
                                      & np.uint32(lib.SFT_JOINT_END_SITE)) != 0
        self.end_sites.flags.writeable = False
        self.rest_translations: Floats = view(owner, pointer.rest_translations, (count, 3))
        self.rest_rotations: Floats = view(owner, pointer.rest_rotations, (count, 4))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"<Skeleton of {len(self)} joints>"

    # It never changes, so a copy would only be the same again.

    def __copy__(self) -> "Skeleton":
        return self

    def __deepcopy__(self, _: Any) -> "Skeleton":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        # By itself it is its arrays; a clip has its own from its file.
        return _restore_skeleton, (self.names, self.parents.copy(), self.end_sites.copy(),
                                   self.rest_translations.copy(), self.rest_rotations.copy())

    def index(self, name: str) -> int:
        """The first joint of that name that is no End Site; `name#2` is the second. KeyError where there is none."""
        for joint in range(len(self.names)):
            if not self.end_sites[joint] and name in (self.names[joint], self.unique_name(joint)):
                return joint
        raise KeyError(name)

    def unique_name(self, joint: int) -> str:
        """`name`, or `name#2` for its second bearer. An End Site answers to its parent's; "" for -1."""
        while joint >= 0 and self.end_sites[joint]:
            joint = int(self.parents[joint])
        if joint < 0:
            return ""
        name = self.names[joint]
        bearer = 1 + sum(1 for k in range(joint) if not self.end_sites[k] and self.names[k] == name)
        return name if bearer == 1 else f"{name}#{bearer}"


@dataclass(frozen=True)
class Leg:
    """A leg as joint numbers, -1 where the rig has none; `toe` is the point that is locked."""

    side: str
    pair: int
    pelvis: int
    hip: int
    knee: int
    heel: int
    toe: int
    toe_end: int
    #: Knee space, unit: bending the knee turns the shin about it.
    knee_side: tuple[float, float, float]
    #: [m] rest-pose height of heel, toe and toe end above the leg's own sole.
    heel_min: float
    toe_min: float
    toe_end_min: float
    reason: str


LegSpec = Union[Leg, Mapping[str, Any]]


def _restore_skeleton(names: tuple[str, ...], *arrays: Any) -> Skeleton:
    made = Skeleton.__new__(Skeleton)
    made._owner = made._pointer = None
    made.names = names
    made.parents, made.end_sites, made.rest_translations, made.rest_rotations = arrays
    for array in arrays:
        array.flags.writeable = False
    return made


def _leg_of(leg: Any) -> Leg:
    return Leg(SIDES[leg.side], leg.pair, leg.pelvis, leg.hip, leg.knee, leg.heel, leg.toe, leg.toe_end,
               (leg.knee_side.x, leg.knee_side.y, leg.knee_side.z), leg.heel_min, leg.toe_min, leg.toe_end_min,
               text(leg.reason))


class Clip:
    """One clip of a document: poses in metres, Y up, right-handed, quaternions xyzw. It never changes.

    Made by `read`, `Document.clip`, `clean` and `retarget`. Arrays are read-only views of the library's memory and keep
    it alive; take `.copy()` to change numbers, and `with_motion` to put them into a file.
    """

    document: Document
    #: Number of the clip in its document; -1: the rest pose.
    index: int
    skeleton: Skeleton
    #: [s]
    frame_time: float
    #: [s] file time of frame 0.
    start: float
    #: Frames before it are a reference pose: never labelled, measured or solved.
    first_frame: int
    first_frame_reason: str
    #: Joint that carries the travel; -1 where none moves.
    travel_joint: int
    legs: tuple[Leg, ...]
    #: Unique name of each leg's toe joint: feet of labels and figures go by these, in this order.
    feet: tuple[str, ...]
    space: Space

    def __init__(self, document: Document, index: int, *, legs: Optional[Sequence[LegSpec]] = None,
                 fps: float = 0.0, space: Any = None) -> None:
        self.document = document
        self.index = index
        self._fps = fps or document._options.fps or document.frame_rate
        self._given_legs = None if legs is None else tuple(legs)
        self._given_space = ffi.new("sft_space*", space[0]) if space is not None else None
        self._stage, self._stage_index = document._bind(document._pointer, index)
        self._take = self._make_take(space)
        self._find_legs(legs)
        self._show(self._take.clip)

    # ---- made of the library's take ----

    def _make_take(self, space: Any) -> Any:
        options = self.document._options
        define = ffi.new("sft_take_def*", lib.sft_default_take_def())
        define.fps = self._fps
        if space is not None:
            define.space = space
        else:
            define.unit_metres = options.unit
            define.up = options.up
        out = ffi.new("sft_take**")
        error = error_slot()
        check(lib.sft_take_create(define, self._stage, self._stage_index, ffi.NULL, out, error), error,
              path=self.document.path, doing="taking the clip")
        take = ffi.gc(out[0], _destroy_take)
        doubt = text(take.doubt)
        if doubt and space is None:
            warnings.warn(f"{self.document.name}: {doubt}. Say unit= if not", _errors.SurefootWarning, stacklevel=4)
        return take

    def _find_legs(self, legs: Optional[Sequence[LegSpec]]) -> None:
        error = error_slot()
        if legs is None:
            result = lib.sft_take_find_legs(self._take, self._stage, ffi.NULL, error)
        else:
            given = ffi.new("sft_leg[]", len(legs))
            for slot, leg in zip(given, legs):
                self._fill_leg(slot, leg)
            result = lib.sft_take_set_legs(self._take, self._stage, given, len(legs), ffi.NULL, error)
        check(result, error, path=self.document.path, doing="finding legs")

    def _fill_leg(self, slot: Any, leg: LegSpec) -> None:
        skeleton = Skeleton(self._take, self._take.skeleton)
        said: Mapping[str, Any] = vars(leg) if isinstance(leg, Leg) else leg
        ends = said.get("end_sites") or ()
        above = -1
        slot.side = lib.SFT_LEG_MIDDLE
        for role in ROLES:
            joint = self._joint_of(skeleton, said.get(role), role)
            if isinstance(said.get(role), str) and (role in ends or (joint == above and role in ("toe", "toe_end"))):
                below = np.flatnonzero((skeleton.parents == joint) & skeleton.end_sites)
                joint = int(below[0]) if len(below) else joint
            setattr(slot, role, joint)
            above = joint if joint >= 0 else above
        if min(slot.hip, slot.knee, slot.heel, slot.toe) < 0:
            raise _errors.OptionError("a leg wants at least hip, knee, heel and toe", path=self.document.path)
        if slot.pelvis < 0:
            slot.pelvis = int(skeleton.parents[slot.hip])
        slot.pair = int(said.get("pair", 0))
        error = error_slot()
        check(lib.sft_leg_complete(self._take.skeleton, self._take.clip, ffi.addressof(slot), error), error,
              path=self.document.path, doing="legs")
        if said.get("side") is not None:
            if said["side"] not in SIDES:
                raise _errors.OptionError(f"side wants left, right or middle, not {said['side']!r}")
            slot.side = SIDES.index(said["side"])
        if said.get("knee_side") is not None:
            slot.knee_side.x, slot.knee_side.y, slot.knee_side.z = said["knee_side"]
        slot.reason = b"given"

    def _joint_of(self, skeleton: Skeleton, joint: Union[None, str, int], role: str) -> int:
        if joint is None or (isinstance(joint, (int, np.integer)) and -1 <= joint < len(skeleton)):
            return -1 if joint is None else int(joint)
        try:
            return skeleton.index(joint)  # type: ignore[arg-type]
        except KeyError:
            raise _errors.OptionError(f"{role} names a joint that is not there: {joint!r}",
                                      path=self.document.path) from None

    def _show(self, clip: Any) -> None:
        take = self._take
        self._clip = clip
        self.skeleton = Skeleton(take, take.skeleton)
        frames, joints = clip.frame_count, clip.joint_count
        self._translations: Floats = view(take, clip.translations, (frames, joints, 3))
        self._rotations: Floats = view(take, clip.rotations, (frames, joints, 4))
        self.frame_time = clip.frame_time
        self.start = take.frames.start
        self.first_frame = take.first_frame
        self.first_frame_reason = text(take.first_reason)
        self.travel_joint = take.travel
        self.legs = tuple(_leg_of(take.legs[i]) for i in range(take.leg_count))
        self.feet = self._foot_names()
        s = take.space
        self.space = Space(s.unit_metres, AXIS_NAMES[s.up], bool(s.unit_sure), bool(s.up_sure),
                           s.figure_height * s.unit_metres, text(s.reason))

    def _foot_names(self) -> tuple[str, ...]:
        names: list[str] = []
        for leg in self.legs:
            stem = name = self.skeleton.unique_name(leg.toe)
            copy = 2
            while name in names:
                name = f"{stem}~{copy}"
                copy += 1
            names.append(name)
        return tuple(names)

    # ---- to other processes ----

    #: Attributes that a result has beside what its file says.
    _SAID: tuple[str, ...] = ()

    # It never changes, so a copy would only be the same again.

    def __copy__(self) -> "Clip":
        return self

    def __deepcopy__(self, _: Any) -> "Clip":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        space = bytes(ffi.buffer(self._given_space)) if self._given_space is not None else None
        return _restore_clip, (type(self), self.document, self.index, self._given_legs, self._fps, space,
                               {name: getattr(self, name) for name in self._SAID})

    # ---- for people ----

    @property
    def name(self) -> str:
        """Of the clip; "" where the format or the file has none."""
        return self.document.clips[self.index].name if self.index >= 0 else ""

    @property
    def frame_count(self) -> int:
        return len(self.translations)

    @property
    def joint_count(self) -> int:
        return len(self.skeleton)

    @property
    def fps(self) -> float:
        """Frames a second."""
        return 1.0 / self.frame_time

    def __len__(self) -> int:
        """Number of frames."""
        return self.frame_count

    def __repr__(self) -> str:
        name = f", {self.name}" if self.name else ""
        return (f"<{type(self).__name__} {self.document.name!r}{name}: {self.frame_count} frames at {self.fps:.6g} fps, "
                f"{self.joint_count} joints, {len(self.legs)} legs>")

    # ---- poses ----

    # Without setters: another array in their place would be shown, but neither measured, solved nor written.

    @property
    def translations(self) -> Floats:
        """float64 (frames, joints, 3) [m]: full translation of each joint in its parent's space."""
        return self._translations

    @property
    def rotations(self) -> Floats:
        """float64 (frames, joints, 4) xyzw, unit: rotation of each joint in its parent's space."""
        return self._rotations

    # ---- poses in the world ----

    def world(self) -> tuple[Floats, Floats]:
        """Where the joints are: positions (frames, joints, 3) [m] and rotations (frames, joints, 4) xyzw, Y up."""
        dtype = record_type("sft_xformd")
        out = np.empty((self.frame_count, self.joint_count), dtype)
        t, r, where = self._clip.translations, self._clip.rotations, ffi.cast("sft_xformd*", out.ctypes.data)
        for frame in range(self.frame_count):
            row = frame * self.joint_count
            lib.sft_skeleton_forward(self._take.skeleton, t + row, r + row, where + row)
        return out["t"].copy(), out["r"].copy()

    def positions(self) -> Floats:
        """Where the joints are, (frames, joints, 3) [m], Y up."""
        return self.world()[0]

    # ---- motion of one's own ----

    def with_motion(self, *, translations: Optional[npt.ArrayLike] = None,
                    rotations: Optional[npt.ArrayLike] = None) -> "Clip":
        """This clip with other numbers in it: arrays of the shapes of `translations` and `rotations`. Joints whose
        numbers are the same stay as the file says them, digit for digit; in float32 arrays, or numbers that came
        through such, the same are those that differ by its rounding alone. Both arrays may have another number of frames
        than the clip, as a window or a model's output has: a new clip of so many frames takes this one's place. ReadError
        where the format cannot say it (a BVH joint without channels)."""
        if translations is not None and rotations is not None:
            frames = np.shape(translations)[:1]
            if frames and frames == np.shape(rotations)[:1] and frames[0] not in (0, self.frame_count):
                return self._with_new_motion(translations, rotations, int(frames[0]))
        solved = self._new_motion()
        changed = np.zeros(max(self.joint_count, 1), np.uint8)
        for bit, given, own, into in ((1, rotations, self.rotations, solved.rotations),
                                      (2, translations, self.translations, solved.translations)):
            if given is None:
                continue
            what = "rotations" if bit == 1 else "translations"
            numbers = _finite(what, _numbers(what, given, own))
            ffi.memmove(into, ffi.from_buffer(numbers), numbers.nbytes)
            changed |= np.where((numbers != own).any(axis=(0, 2)), bit, 0).astype(np.uint8)
        return Clip(self._with(solved, changed), self.index,
                    legs=self._given_legs, space=self._given_space)

    def _with_new_motion(self, translations: Any, rotations: Any, frames: int) -> "Clip":
        if self.index < 0:
            raise _errors.OptionError("a rest pose is no clip, and nothing can be put in its place",
                                      path=self.document.path)
        if self.document.character is not None:
            raise _errors.OptionError("a clip that is bound to a character keeps its number of frames, which is "
                                      f"{self.frame_count}; read it without character=", path=self.document.path)
        # Beside joints that move, those that never do are where they are, but for the rounding.
        own = [self.translations[:1].repeat(frames, axis=0), self.rotations[:1].repeat(frames, axis=0)]
        still = [(array == array[:1]).all(axis=(0, 2)) for array in (self.translations, self.rotations)]
        out = ffi.new("sft_clip**")
        check(lib.sft_clip_create(self.joint_count, frames, self.frame_time, ffi.NULL, out), doing="a clip")
        motion = ffi.gc(out[0], _destroy_clip)
        for name, given, base, fixed, into in (
                ("translations", translations, own[0], still[0], motion.translations),
                ("rotations", rotations, own[1], still[1], motion.rotations)):
            numbers = _finite(name, _numbers(name, given, base, fixed))
            ffi.memmove(into, ffi.from_buffer(numbers), numbers.nbytes)
        document, space, index = self.document, self._take.space, self.index
        take = self._take  # that space lies in
        name = ffi.new("char[]", self.name.encode("utf-8"))

        def put(copy: Any) -> None:
            _ = take
            error = error_slot()
            check(lib.sft_io_put_clip(copy, index, motion, ffi.addressof(space), name, ffi.NULL, error), error,
                  path=document.path, doing="putting the clip in")
        return Clip(document._copy(put), index, legs=self._given_legs, fps=self._fps, space=self._given_space)

    def _new_motion(self) -> Any:
        """A library clip of the same numbers, which its owner may change."""
        if self.index < 0:
            raise _errors.OptionError("a rest pose is no clip, and nothing can be put in its place",
                                      path=self.document.path)
        return copy_of(self._clip)

    def _put_step(self, solved: Any, changed: Bits, keep_keys: bool) -> Callable[[Any], None]:
        """What puts a solved clip of this take into a copy of its document."""
        document, take, index = self.document, self._take, self.index
        what = ffi.new("sft_take_solved*")
        mask = ffi.from_buffer("uint8_t[]", changed)
        what.clip = solved
        what.changed = mask
        define = ffi.new("sft_gltf_apply_def*", lib.sft_default_gltf_apply_def())
        define.keep_keys = keep_keys

        def put(copy: Any) -> None:
            _ = solved, mask  # what the struct points to lives as long as this function
            stage, stage_index = document._bind(copy, index)
            assert stage_index == take.clip_index
            error = error_slot()
            check(lib.sft_take_put(take, stage, what, define, ffi.NULL, error), error, path=document.path,
                  doing="putting the motion back")
            if stage is not copy and changed.any():
                check(lib.sft_io_bind_back(stage, stage_index, copy, index, error), error, path=document.path,
                      doing="bringing the motion back")
        return put

    def _with(self, solved: Any, changed: Bits, keep_keys: bool = False) -> Document:
        """A copy of the document into which `solved` was put."""
        return self.document._copy(self._put_step(solved, changed, keep_keys))


def _restore_clip(kind: "type[Clip]", document: Document, index: int, legs: Optional[Sequence[LegSpec]], fps: float,
                  space: Optional[bytes], said: Mapping[str, Any]) -> Clip:
    given = ffi.new("sft_space*") if space is not None else None
    if given is not None:
        ffi.memmove(given, space, ffi.sizeof("sft_space"))
    with warnings.catch_warnings():
        # What was odd was said where it was read.
        warnings.simplefilter("ignore", _errors.SurefootWarning)
        made = kind(document, index, legs=legs, fps=fps, space=given)
    for name, value in said.items():
        setattr(made, name, value)
    return made


def want_clip(value: Any, name: str = "clip") -> None:
    if isinstance(value, Clip):
        return
    if isinstance(value, Document):
        raise wrong(name, "a Clip", value, "take one by document.clip(name), or go over all by `for clip in document`")
    raise wrong(name, "a Clip", value, "read it first: surefoot.read(...)" if is_file(value) else "")


def _destroy_take(take: Any) -> None:
    lib.sft_take_destroy(take, ffi.NULL)


def _destroy_clip(clip: Any) -> None:
    lib.sft_clip_destroy(clip, ffi.NULL)


def copy_of(clip: Any) -> Any:
    """A library clip of the same numbers."""
    out = ffi.new("sft_clip**")
    check(lib.sft_clip_create(clip.joint_count, clip.frame_count, clip.frame_time, ffi.NULL, out), doing="a clip")
    made = ffi.gc(out[0], _destroy_clip)
    cells = clip.joint_count * clip.frame_count
    ffi.memmove(made.translations, clip.translations, cells * ffi.sizeof("sft_v3d"))
    ffi.memmove(made.rotations, clip.rotations, cells * ffi.sizeof("sft_quatd"))
    return made


def _finite(name: str, numbers: Floats) -> Floats:
    if not np.isfinite(numbers).all():
        frame, joint, part = np.argwhere(~np.isfinite(numbers))[0]
        raise _errors.OptionError(f"motion wants finite numbers; {name}[{frame}, {joint}, {part}] is "
                                  f"{numbers[frame, joint, part]}")
    return numbers


def _numbers(name: str, given: Any, own: Floats, among: Optional[Flags] = None) -> Floats:
    """Numbers to be put in the place of a clip's own, which stay where they were only rounded; of some joints alone."""
    try:
        array = np.asarray(given)
        numbers = np.array(array, np.float64, order="C")
    except (TypeError, ValueError):
        raise wrong(name, f"an array of shape {own.shape}", given) from None
    if numbers.shape != own.shape:
        raise _errors.OptionError(f"{name} wants numbers of shape {own.shape}, not {numbers.shape}")
    for coarse in (np.float32, np.float16):
        with np.errstate(over="ignore"):
            rounded = numbers.astype(coarse)
            if np.array_equal(rounded.astype(np.float64), numbers):
                same = rounded == own.astype(coarse)
                if among is not None:
                    same &= among[:, None]
                numbers[same] = own[same]
    return numbers


def read(source: Union[PathOrBytes, Document], *, clip: Union[None, str, int] = None,
         unit: Union[None, str, float] = None, up: Optional[str] = None, fps: Optional[float] = None,
         positions: str = "auto", character: Union[None, PathOrBytes, Document] = None,
         legs: Optional[Sequence[LegSpec]] = None) -> Clip:
    """Reads one clip of a motion file, in metres and Y up, with its legs.

    clip   name or number, from 0, of a file with several
    legs   joints of each leg, instead of finding them: Leg, or what `info(...)["legs"]` holds (names or numbers)

    The others as in `load`. Raises ReadError (with line or byte), FileError, OptionError.
    """
    if isinstance(source, Clip):
        raise wrong("source", "a path, a file's bytes or a Document", source, "it is read already")
    if legs is not None and (not isinstance(legs, Sequence) or isinstance(legs, (str, bytes))
                             or not all(isinstance(leg, (Leg, Mapping)) for leg in legs)):
        raise wrong("legs", "a list of Leg, or of dictionaries as info(...)['legs'] has them", legs)
    if not isinstance(source, Document):
        source = load(source, unit=unit, up=up, fps=fps, positions=positions, character=character)
    return Clip(source, source._choose(clip), legs=legs)
