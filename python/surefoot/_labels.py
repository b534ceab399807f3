# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""When feet are on the ground, and figures for how well a clip stands."""
from __future__ import annotations

import os
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _errors
from ._arguments import flag, number, three, wrong
from ._clip import Clip, want_clip
from ._core import check as check_result, error_slot, ffi, lib, plain, records, text, view
from ._reports import ClipFigures, Mismatch, Published
from ._types import Flags, Floats, Floats32, Path, Records

__all__ = ["Figures", "Ground", "Labels", "check", "contacts"]

#: "auto" (worked out from the feet), None (the ground stands still), or its velocity [m/s], Y up.
Ground = Union[None, str, Sequence[float]]


def _need_legs(clip: Clip) -> None:
    if clip.legs:
        return
    why = ffi.new("char[]", lib.SFT_LEG_NONE_SIZE)
    said = lib.sft_leg_explain_none(clip._take.skeleton, clip._clip, ffi.NULL, why) == lib.SFT_OK and text(why)
    raise _errors.NoLegsError(
        f"no legs were found in its {int((~clip.skeleton.end_sites).sum())} joints{f' ({said})' if said else ''}, so "
        "there are no feet to plant. If it has some, name them: legs=", path=clip.document.path)


def _tracks(clip: Clip, motion: Any = None) -> Any:
    """Of the clip's own motion, or of another of its joints."""
    _need_legs(clip)
    if clip.frame_count == 0:
        raise _errors.ReadError("holds no frames", path=clip.document.path)
    out = ffi.new("sft_tracks**")
    moved = motion if motion is not None else clip._clip
    check_result(lib.sft_take_tracks(clip._take, moved, ffi.NULL, out), path=clip.document.path,
                 doing="following the feet")
    return ffi.gc(out[0], _destroy_tracks)


def _destroy_tracks(tracks: Any) -> None:
    lib.sft_tracks_destroy(tracks, ffi.NULL)


def _destroy_labels(labels: Any) -> None:
    lib.sft_contact_labels_destroy(labels, ffi.NULL)


class Labels:
    """When each foot of a clip is on the ground.

    plant            float32 (feet, frames), 0 to 1: the toe stands still and may be locked
    touch            float32 (feet, frames), 0 to 1: any part of the foot bears on the ground
    feet             names of the toe joints, as in the clip
    frame_time       [s]
    mismatch         what the clip's slide comes from (sft_contact_mismatch): `root_travel` 1.25 where the root travels
                     1.25 times what the feet support, `text` says it in words
    ground_velocity  float64 (3,) [m/s], Y up: what planted feet should ride; not zero on treadmills
    ground_velocities  float64 (feet, 3): each foot's, where a clip has several characters; mismatch and ground_velocity
                     are then those of the first. Another ground_velocity assigned holds for all feet

    `plant` and `touch` may be edited in place; what is assigned to them is copied into their memory. Above the threshold
    (0.75 unless said otherwise) a label counts.
    """

    def __init__(self, clip: Clip, mismatch: Mismatch, ground_velocity: Floats) -> None:
        self._make(clip.feet, clip.frame_count, clip.frame_time, mismatch, ground_velocity)

    def _make(self, feet: tuple[str, ...], frame_count: int, frame_time: float, mismatch: Mismatch,
              ground_velocity: Floats) -> None:
        out = ffi.new("sft_contact_labels**")
        check_result(lib.sft_contact_labels_create(frame_count, len(feet), ffi.NULL, out), doing="labels")
        self._pointer = ffi.gc(out[0], _destroy_labels)
        shape = (len(feet), frame_count)
        self._plant: Floats32 = view(self._pointer, self._pointer.plant, shape, np.float32, writable=True)
        self._touch: Floats32 = view(self._pointer, self._pointer.touch, shape, np.float32, writable=True)
        self.feet: tuple[str, ...] = feet
        self.frame_time: float = frame_time
        self.mismatch: Mismatch = mismatch
        self.ground_velocity = ground_velocity

    def copy(self) -> "Labels":
        """The same in memory of its own."""
        made = Labels.__new__(Labels)
        made._make(self.feet, self._plant.shape[1], self.frame_time, self.mismatch, self.ground_velocity)
        made._plant[...] = self._plant
        made._touch[...] = self._touch
        if np.any(self.ground_velocities != self.ground_velocity):
            made.ground_velocities = np.array(self.ground_velocities)
        return made

    def __copy__(self) -> "Labels":
        return self.copy()

    def __deepcopy__(self, _: Any) -> "Labels":
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        each = np.array(self.ground_velocities) if np.any(self.ground_velocities != self.ground_velocity) else None
        return _restore_labels, (self.feet, self.frame_time, self.mismatch, np.array(self.ground_velocity), each,
                                 self._plant.copy(), self._touch.copy())

    @property
    def ground_velocity(self) -> Floats:
        return self._ground

    @ground_velocity.setter
    def ground_velocity(self, velocity: Floats) -> None:
        self._ground: Floats = np.asarray(velocity, np.float64)
        # One memory, so that what is edited in place holds for all feet as well.
        self.ground_velocities: Floats = np.broadcast_to(self._ground, (len(self.feet), 3))

    # Assigning another array in place of the view would leave the library with the old labels.

    @property
    def plant(self) -> Floats32:
        return self._plant

    @plant.setter
    def plant(self, rows: Floats32) -> None:
        self._take("plant", self._plant, rows)

    @property
    def touch(self) -> Floats32:
        return self._touch

    @touch.setter
    def touch(self, rows: Floats32) -> None:
        self._take("touch", self._touch, rows)

    @staticmethod
    def _take(name: str, into: Floats32, rows: Floats32) -> None:
        if np.shape(rows) != into.shape:
            raise _errors.OptionError(f"labels.{name} wants an array of shape {into.shape}, not {np.shape(rows)}")
        into[...] = rows

    def planted(self, threshold: float = 0.75) -> Flags:
        """bool (feet, frames): where the plant label is above the threshold."""
        above: Flags = self.plant.astype(np.float64) > threshold
        return above

    def touching(self, threshold: float = 0.75) -> Flags:
        """bool (feet, frames): where the touch label is above the threshold."""
        above: Flags = self.touch.astype(np.float64) > threshold
        return above

    def to_csv(self) -> str:
        """As the command `surefoot contacts` writes them."""
        out, size, names = ffi.new("char**"), ffi.new("size_t*"), self._names()
        check_result(lib.sft_contact_format_csv(self._pointer, self.frame_time, names[0], ffi.NULL, out, size),
                     doing="labels as text")
        made = bytes(ffi.buffer(out[0], size[0]))
        lib.free(out[0])
        return made.decode("utf-8")

    def save(self, path: Path) -> None:
        """Writes `to_csv()` to a file, whole or not at all."""
        data = self.to_csv().encode("utf-8")
        error = error_slot()
        check_result(lib.sft_file_write(os.fsencode(path), data, len(data), error), error, path=os.fspath(path))

    def read_csv(self, source: Union[Path, bytes]) -> None:
        """Takes the labels of a CSV file, or of its bytes, in place of these. ReadError with the line."""
        path = None if isinstance(source, bytes) else os.fspath(source)
        try:
            data = source if isinstance(source, bytes) else open(source, "rb").read()
        except OSError as error:
            raise _errors.FileError(f"cannot read: {error.strerror}", path=path) from error
        slot, names = error_slot(), self._names()
        check_result(lib.sft_contact_parse_csv(data, len(data), names[0], ffi.NULL, self._pointer, slot), slot,
                     path=path, doing="labels")

    def _names(self) -> tuple[Any, list[Any]]:
        kept = [ffi.new("char[]", name.encode("utf-8")) for name in self.feet]
        return ffi.new("char*[]", kept), kept

    def __repr__(self) -> str:
        shares = ", ".join(f"{name} {share:.0%}" for name, share in zip(self.feet, self.planted().mean(axis=1)))
        return f"<Labels of {self.plant.shape[1]} frames; planted: {shares}>"


def _restore_labels(feet: tuple[str, ...], frame_time: float, mismatch: Mismatch, ground_velocity: Floats,
                    ground_velocities: Optional[Floats], plant: Floats32, touch: Floats32) -> Labels:
    made = Labels.__new__(Labels)
    made._make(feet, plant.shape[1], frame_time, mismatch, ground_velocity)
    made.plant, made.touch = plant, touch
    if ground_velocities is not None:
        made.ground_velocities = ground_velocities
    return made


def contacts(clip: Clip, *, ground_velocity: Ground = "auto", plain: bool = False, held_only: bool = False) -> Labels:
    """Labels when each foot is on the ground.

    ground_velocity  "auto": worked out from the feet; None: the ground stands still; three numbers [m/s], Y up
    plain            by the plain speed rule, for comparison
    held_only        plants of feet that something holds exactly end where it lets go, for measuring

    The interpreter's lock is released meanwhile. Raises NoLegsError, ReadError.
    """
    want_clip(clip)
    plain = flag("plain", plain)
    define = ffi.new("sft_contact_def*", lib.sft_default_contact_def())
    define.held_only = flag("held_only", held_only)
    if isinstance(ground_velocity, str) and ground_velocity != "auto":
        raise _errors.OptionError(f"ground_velocity wants 'auto', None or three numbers, not {ground_velocity!r}")
    if not isinstance(ground_velocity, str):
        define.given_ground = True
        numbers = (0.0, 0.0, 0.0) if ground_velocity is None else three("ground_velocity", ground_velocity)
        define.ground_velocity.x, define.ground_velocity.y, define.ground_velocity.z = numbers
    tracks = _tracks(clip)
    mismatch = ffi.new("sft_contact_mismatch[]", max(len(clip.feet), 1))
    labels = Labels(clip, Mismatch.of(mismatch), np.zeros(3))
    check_result(lib.sft_contact_label_bodies(define, ffi.addressof(tracks.input), ffi.NULL, labels._pointer, mismatch),
                 path=clip.document.path, doing="contacts")
    if plain:
        check_result(lib.sft_contact_label_plain(define, ffi.addressof(tracks.input), ffi.NULL, labels._pointer),
                     path=clip.document.path, doing="contacts")
    grounds = [lib.sft_contact_ground_velocity(define, ffi.addressof(mismatch, foot)) for foot in range(len(clip.feet))]
    labels.mismatch = Mismatch.of(mismatch)
    rows = np.array([[ground.x, ground.y, ground.z] for ground in grounds])
    labels.ground_velocity = rows[0].copy()
    if np.any(rows != rows[0]):
        labels.ground_velocities = rows
    return labels


class Figures:
    """How well a clip stands (docs/metrics.md).

    feet       structured array, one entry a foot (sft_metrics_foot): `figures.feet["slide_mean_cm_s"]` is float64 (feet,)
    names      of the feet
    clip       figures of the whole clip (sft_metrics_clip): `figures.clip.slide_mean_cm_s`
    published  the skate figures that others publish, with their definitions: `figures.published.gmd_skating_ratio`

    Units are in the names: cm/s, cm, rad/s^2, m/s^2. Frames are -1 where there is none.
    """

    def __init__(self, names: tuple[str, ...], feet: Records, clip: ClipFigures) -> None:
        self.names: tuple[str, ...] = names
        self.feet: Records = feet
        self.clip: ClipFigures = clip

    @property
    def published(self) -> Published:
        return self.clip.published

    def as_dict(self) -> dict[str, Any]:
        """Feet by name, and the clip, as plain Python values."""
        return {"feet": {name: plain(foot) for name, foot in zip(self.names, self.feet)}, "clip": self.clip.as_dict()}

    def __repr__(self) -> str:
        c = self.clip
        return (f"<Figures: slide {c.slide_mean_cm_s:.3g} cm/s mean, {c.slide_max_cm_s:.3g} max; penetration "
                f"{c.penetration_max_cm:.3g} cm; {c.pop_count} pops>")


def check(clip: Clip, labels: Optional[Labels] = None, *, threshold: float = 0.75) -> Figures:
    """Measures how well a clip stands. Without labels those of `contacts(clip, held_only=True)` count, as in the
    command. The interpreter's lock is released meanwhile. Raises NoLegsError, OptionError."""
    want_clip(clip)
    threshold = number("threshold", threshold, 0.0, 1.0)
    labels = labels if labels is not None else contacts(clip, held_only=True)
    tracks = _tracks(clip)
    labels = _fitting(clip, labels)
    define = ffi.new("sft_metrics_input*", lib.sft_tracks_metrics_input(tracks, labels._pointer))
    define.contact_threshold = threshold
    grounds = ffi.from_buffer("sft_v3d[]", np.ascontiguousarray(labels.ground_velocities, np.float64))
    define.ground_velocities = grounds
    feet = ffi.new("sft_metrics_foot[]", len(clip.feet))
    whole = ffi.new("sft_metrics_clip*")
    check_result(lib.sft_metrics_measure(define, ffi.NULL, feet, whole), path=clip.document.path, doing="measuring")
    return Figures(clip.feet, records(feet, len(clip.feet), "sft_metrics_foot"),
                   ClipFigures.of(whole))


def _fitting(clip: Clip, labels: Labels) -> Labels:
    """A copy of labels that are the clip's: what other threads edit while the library reads, it must not see, for what
    it counted once it relies on."""
    if not isinstance(labels, Labels):
        raise wrong("labels", "Labels", labels, "contacts(clip) gives them; put an array into their .plant"
                    if isinstance(labels, np.ndarray) else "contacts(clip) gives them")
    wanted = (len(clip.feet), clip.frame_count)
    if labels.plant.shape != wanted:
        raise _errors.OptionError(f"labels of {labels.plant.shape[0]} feet and {labels.plant.shape[1]} frames do not fit "
                                  f"a clip of {wanted[0]} and {wanted[1]}", path=clip.document.path)
    own = labels.copy()
    for name, rows in (("plant", own.plant), ("touch", own.touch)):
        if not np.all((rows >= 0) & (rows <= 1)):
            foot, frame = np.argwhere(~((rows >= 0) & (rows <= 1)))[0]
            raise _errors.OptionError(f"labels.{name}[{foot}, {frame}] is {rows[foot, frame]}, where labels are 0 to 1",
                                      path=clip.document.path)
    return own
