# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Puts clips onto uneven ground."""
from __future__ import annotations

import math
import warnings
from typing import Any, Optional, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _errors
from ._arguments import flag, number, three, wrong
from ._clean import _Settings
from ._clip import Clip, copy_of, want_clip
from ._core import check as check_result, ffi, lib, records
from ._labels import Ground, Labels, _fitting, _need_legs, _tracks, check, contacts
from ._reports import AdaptReport
from ._types import Bits, Floats, Floats32, Ints, Records

__all__ = ["Adapted", "Heights", "Mesh", "OnGround", "Plane", "Profile", "adapt", "slope", "stairs"]

# [cm/s] A clip whose planted toes slide faster at any time is cleaned first, as by the command.
_SLIDE_LEAST = 0.5


def _array(name: str, values: Any, kind: Any, dimensions: int, wanted: str) -> Any:
    """A copy of numbers, read-only: grounds do not change while threads ask them."""
    try:
        made = np.array(values, kind, order="C")
    except (TypeError, ValueError, OverflowError):
        raise wrong(name, wanted, values) from None
    if made.ndim != dimensions:
        raise _errors.OptionError(f"{name} wants {wanted}, not an array of shape {made.shape}")
    made.flags.writeable = False
    return made


class _Way:
    """Where a clip walks: what grounds are laid by that do not say where they lie."""

    def __init__(self, tracks: Any, floor: float) -> None:
        way = ffi.new("sft_tracks_way*")
        check_result(lib.sft_tracks_find_way(tracks, way), doing="the clip's way")
        self.origin = (way.origin.x, floor, way.origin.z)
        self.heading = way.heading_degrees * math.pi / 180.0
        self.start = lib.sft_tracks_approach(way.travel)


class OnGround:
    """What feet are put on: Plane, Profile, Heights or Mesh. It never changes, and threads may share it."""

    def _lay(self, way: _Way) -> tuple[Any, Any]:
        """The library's ground, and what must live as long."""
        raise NotImplementedError


class Plane(OnGround):
    """A plane through a point [m], with the normal that it has; Y up."""

    def __init__(self, point: Sequence[float] = (0.0, 0.0, 0.0), normal: Sequence[float] = (0.0, 1.0, 0.0)) -> None:
        self.point: tuple[float, float, float] = three("point", point)
        self.normal: tuple[float, float, float] = three("normal", normal)
        if not any(self.normal):
            raise _errors.OptionError("normal wants a direction, and (0, 0, 0) is none")

    def _lay(self, way: _Way) -> tuple[Any, Any]:
        made = ffi.new("sft_ground_plane*", {"point": self.point, "normal": self.normal})
        return lib.sft_ground_from_plane(made), made

    def __repr__(self) -> str:
        return f"Plane(point={self.point}, normal={self.normal})"


class Profile(OnGround):
    """Heights along one horizontal direction, the same all the way across: stairs, ramps, kerbs and gaps.

    distances  (points,) [m], which do not decrease; two equal ones are a riser
    heights    (points,) [m]; NaN: the ground ends at the point before, and begins anew at the next
    start      [m] added to all distances; None: a quarter of the clip's way
    origin     world place of distance 0, with the y of height 0 [m]; None: on the clip's floor, below its pelvis in the
               first frame
    heading    [rad] about +Y of the direction of distance, 0 is +Z, pi/2 is +X; None: the way that the clip goes
    """

    def __init__(self, distances: npt.ArrayLike, heights: npt.ArrayLike, *, start: Optional[float] = 0.0,
                 origin: Optional[Sequence[float]] = None, heading: Optional[float] = None) -> None:
        self.distances: Floats = _array("distances", distances, np.float64, 1, "a row of metres")
        self.heights: Floats = _array("heights", heights, np.float64, 1, "a row of metres")
        if len(self.distances) != len(self.heights) or len(self.distances) == 0:
            raise _errors.OptionError(f"a profile wants as many heights as distances, and one at least, not "
                                      f"{len(self.heights)} and {len(self.distances)}")
        if not np.isfinite(self.distances).all() or (np.diff(self.distances) < 0).any():
            raise _errors.OptionError("distances want numbers that do not decrease")
        self.start = None if start is None else number("start", start, -1e4, 1e4)
        self.origin = None if origin is None else three("origin", origin)
        self.heading = None if heading is None else number("heading", heading, -100.0, 100.0)

    def _lay(self, way: _Way) -> tuple[Any, Any]:
        distances = self.distances + (way.start if self.start is None else self.start)
        kept = ffi.from_buffer("double[]", distances), ffi.from_buffer("double[]", self.heights)
        made = ffi.new("sft_ground_profile*", {
            "origin": self.origin or way.origin, "heading": way.heading if self.heading is None else self.heading,
            "count": len(distances), "distances": kept[0], "heights": kept[1]})
        return lib.sft_ground_from_profile(made), (made, kept)

    def __repr__(self) -> str:
        return f"<Profile of {len(self.distances)} points>"


class Heights(OnGround):
    """Heights on a grid, as a NumPy array says them.

    heights  (z, x) [m]: heights[k, i] lies at origin + (i * step_x, heights[k, i], k * step_z); NaN: a hole
    step     [m] from one to the next; a pair: along x, along z
    origin   world place of heights[0, 0] [m]; its y is added to all

    Outside the grid there is no ground.
    """

    def __init__(self, heights: npt.ArrayLike, step: Union[float, Sequence[float]],
                 origin: Sequence[float] = (0.0, 0.0, 0.0)) -> None:
        self.heights: Floats = _array("heights", heights, np.float64, 2, "an array (z, x) of metres")
        if min(self.heights.shape) < 2:
            raise _errors.OptionError(f"heights want two rows and columns at least, not {self.heights.shape}")
        steps = step if isinstance(step, (Sequence, np.ndarray)) and not isinstance(step, str) else (step, step)
        if len(steps) != 2:
            raise wrong("step", "metres, or a pair of them", step)
        self.step = tuple(number("step", value, 1e-6, 1e6) for value in steps)
        self.origin = three("origin", origin)

    def _lay(self, way: _Way) -> tuple[Any, Any]:
        kept = ffi.from_buffer("double[]", self.heights)
        rows, columns = self.heights.shape
        made = ffi.new("sft_ground_heights*", {
            "origin": self.origin, "step_x": self.step[0], "step_z": self.step[1], "count_x": columns, "count_z": rows,
            "heights": kept})
        return lib.sft_ground_from_heights(made), (made, kept)

    def __repr__(self) -> str:
        return f"<Heights {self.heights.shape[0]} x {self.heights.shape[1]}, {self.step[0]:g} m apart>"


class Mesh(OnGround):
    """Triangles.

    vertices   float32 (vertices, 3) [m], world, Y up
    triangles  int32 (triangles, 3): numbers of vertices
    """

    def __init__(self, vertices: npt.ArrayLike, triangles: npt.ArrayLike) -> None:
        self.vertices: Floats32 = _array("vertices", vertices, np.float32, 2, "an array (vertices, 3) of metres")
        self.triangles: Ints = _array("triangles", triangles, np.int32, 2, "an array (triangles, 3) of vertex numbers")
        for name, rows in (("vertices", self.vertices), ("triangles", self.triangles)):
            if rows.shape[1] != 3 or len(rows) == 0:
                raise _errors.OptionError(f"{name} wants rows of three, not an array of shape {rows.shape}")
        if not np.isfinite(self.vertices).all():
            raise _errors.OptionError("vertices want finite numbers")
        low, high = int(self.triangles.min()), int(self.triangles.max())
        if low < 0 or high >= len(self.vertices):
            raise _errors.OptionError(f"triangles name vertices {low} to {high}, of {len(self.vertices)}")
        kept = ffi.from_buffer("float[]", self.vertices), ffi.from_buffer("int32_t[]", self.triangles)
        define = ffi.new("sft_ground_mesh_def*", {
            "vertex_count": len(self.vertices), "vertices": kept[0], "triangle_count": len(self.triangles),
            "indices": kept[1]})
        out = ffi.new("sft_ground_mesh**")
        check_result(lib.sft_ground_mesh_create(define, ffi.NULL, out, ffi.NULL), doing="the ground's mesh")
        self._mesh = ffi.gc(out[0], _destroy_mesh)

    def __copy__(self) -> "Mesh":
        return self

    def __deepcopy__(self, _: Any) -> "Mesh":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Mesh, (self.vertices, self.triangles)

    def _lay(self, way: _Way) -> tuple[Any, Any]:
        return lib.sft_ground_from_mesh(self._mesh), self._mesh

    def __repr__(self) -> str:
        return f"<Mesh of {len(self.triangles)} triangles>"


def _destroy_mesh(mesh: Any) -> None:
    lib.sft_ground_mesh_destroy(mesh, ffi.NULL)


def slope(degrees: float = 10.0, *, length: float = 1e4, start: Optional[float] = None,
          origin: Optional[Sequence[float]] = None, heading: Optional[float] = None) -> Profile:
    """A ramp of `length` metres that rises by `degrees`, or falls; level before and after it. Where it lies: as Profile.
    The same bytes as `--ground slope:angle=...`."""
    degrees, length = number("degrees", degrees, -60.0, 60.0), number("length", length, 1e-3, 1e4)
    sine, cosine = ffi.new("double*"), ffi.new("double*")
    lib.sft_sincos_deg(degrees, sine, cosine)
    return Profile([0.0, length], [0.0, sine[0] / cosine[0] * length], start=start, origin=origin, heading=heading)


def stairs(rise: float = 0.17, run: float = 0.29, count: int = 8, *, start: Optional[float] = None,
           origin: Optional[Sequence[float]] = None, heading: Optional[float] = None) -> Profile:
    """`count` steps of `rise` metres, `run` metres apart; a negative rise goes down. Where they lie: as Profile. The same
    bytes as `--ground stairs:rise=...,run=...`."""
    rise, run = number("rise", rise, -2.0, 2.0), number("run", run, 0.01, 100.0)
    if not isinstance(count, (int, np.integer)) or isinstance(count, bool):
        raise wrong("count", "a whole number from 1 to 10000", count)
    if not 1 <= count <= 10000 or rise == 0.0:
        raise _errors.OptionError("stairs want 1 to 10000 steps and a rise that is not 0, not "
                                  f"{count} of {rise:g} m")
    steps = np.arange(int(count), dtype=np.float64)
    heights = np.stack([steps * rise, (steps + 1.0) * rise], axis=1).ravel()
    return Profile(np.repeat(steps * run, 2), heights, start=start, origin=origin, heading=heading)


class Adapted(Clip):
    """A clip on uneven ground, in a copy of its document.

    labels   that it was put there by
    report   what was done (sft_adapt_clip_report)
    misses   structured array, read-only: what could not be done (sft_adapt_miss: fault 1 no ground, 2 steeper than the
             ankle allows, 3 out of reach; foot, first, last, amount)
    changed  uint8 (joints,), read-only: bit 0 rotation, bit 1 translation was changed
    floor    [m] height of the floor that the clip was made on
    """

    labels: Labels
    report: AdaptReport
    misses: Records
    changed: Bits
    floor: float

    _SAID = ("labels", "report", "misses", "changed", "floor")


def _one_character(clip: Clip) -> None:
    take = clip._take
    roots = {lib.sft_leg_root(take.skeleton, ffi.addressof(take.legs, leg)) for leg in range(take.leg_count)}
    if len(roots) > 1:
        raise _errors.OptionError(f"has {len(roots)} characters, and one is put onto the ground at a time: read it with "
                                  "legs= of one of them, of those that info(...)['legs'] lists", path=clip.document.path)


def _stand(clip: Clip, labels: Labels, threshold: float, clean: bool) -> tuple[Any, Bits]:
    """The motion as it is to stand on its floor, and the joints that cleaning changed."""
    if clean and (check(clip, labels, threshold=threshold).feet["slide_max_cm_s"] > _SLIDE_LEAST).any():
        live = dict.fromkeys(("blend", "lock_distance", "unlock_distance", "lock_orientation"))
        solved = _Settings("direct", "both", False, False, threshold, False, live).run(clip, labels)
        return copy_of(solved.motion), solved.changed.copy()
    return clip._new_motion(), np.zeros(max(clip.joint_count, 1), np.uint8)


def adapt(clip: Clip, ground: OnGround, labels: Optional[Labels] = None, *, clean: bool = True,
          floor: Optional[float] = None, pitch_max: Optional[float] = None, roll_max: Optional[float] = None,
          edge_height: Optional[float] = None, place_max: Optional[float] = None, clearance: Optional[float] = None,
          pelvis_drop: Optional[float] = None, max_extension: Optional[float] = None, threshold: float = 0.75,
          keep_keys: bool = False, ground_velocity: Ground = "auto") -> Adapted:
    """Puts a clip that was made on a level floor onto other ground: planted feet stand on it with the pitch and roll they
    had to the floor, swinging feet pass over it, the pelvis follows smoothly. The clip that is given stays as it is.

    ground         Plane, Profile, Heights or Mesh; `slope(...)` and `stairs(...)` lie on the clip's way
    labels         when feet are planted; None: `contacts(clip)`
    clean          a clip whose planted toes slide by over 0.5 cm/s is cleaned first
    floor          [m] height of the floor that the clip was made on; None: found
    pitch_max      [rad] most that the ankle tilts up or down (40 degrees), and sideways:
    roll_max       [rad] (25 degrees)
    edge_height    [m] steps under one sole that are higher are edges, which it does not tilt over (0.04)
    place_max      [m] most that a plant moves to get off an edge (0.1); 0: never
    clearance      [m] least height of a swinging sole over what it passes (0.02)
    pelvis_drop    [m] most that the pelvis sinks so that legs reach; None: 0.3 leg lengths
    max_extension  knees no straighter than this part of the leg, or than the source's (0.995)
    keep_keys      glTF: fit the result to the source's own key times instead of a key a frame

    What `write` makes of the result is byte for byte what `surefoot adapt` writes onto the same ground. The interpreter's
    lock is released while solving. Raises NoLegsError, OptionError, ReadError.
    """
    want_clip(clip)
    if not isinstance(ground, OnGround):
        raise wrong("ground", "a Plane, Profile, Heights or Mesh", ground,
                    "an array of heights: surefoot.Heights(array, step)" if isinstance(ground, np.ndarray) else "")
    clean, keep_keys = flag("clean", clean), flag("keep_keys", keep_keys)
    threshold = number("threshold", threshold, 0.0, 1.0)
    define = ffi.new("sft_adapt_clip_def*", lib.sft_default_adapt_clip_def())
    define.contact_threshold = threshold
    define.first_frame = clip.first_frame
    for name, value, into, field, most in (
            ("pitch_max", pitch_max, define.foot, "pitch_max", 1.4),
            ("roll_max", roll_max, define.foot, "roll_max", 1.4),
            ("edge_height", edge_height, define.foot, "edge_height", 10.0),
            ("place_max", place_max, define, "place_max", 10.0),
            ("clearance", clearance, define.foot, "clearance", 1.0),
            ("pelvis_drop", pelvis_drop, define.foot, "pelvis_drop_max", 10.0)):
        if value is not None:
            setattr(into, field, number(name, value, 0.0, most))
    if max_extension is not None:
        define.foot.max_extension = number("max_extension", max_extension, 0.1, 1.0)
    given_floor = None if floor is None else number("floor", floor, -1e5, 1e5)
    _need_legs(clip)
    _one_character(clip)
    labels = _fitting(clip, labels if labels is not None else contacts(clip, ground_velocity=ground_velocity))
    if labels.ground_velocity[0] != 0.0 or labels.ground_velocity[2] != 0.0:
        warnings.warn(f"{clip.document.name}: the clip walks in place: its feet ride over the ground, which is laid where "
                      "they are. For ground that stands still below planted feet, give the clip with its travel",
                      _errors.SurefootWarning, stacklevel=2)
    motion, changed = _stand(clip, labels, threshold, clean)
    tracks = _tracks(clip, motion)
    level = ffi.new("sft_take_floor*")
    check_result(lib.sft_take_find_floor(clip._stage, tracks, labels._pointer, threshold, ffi.NULL, level),
                 path=clip.document.path, doing="the floor")
    define.foot.floor = level.height if given_floor is None else given_floor
    laid, kept = ground._lay(_Way(tracks, define.foot.floor))
    solved, report = np.zeros_like(changed), ffi.new("sft_adapt_clip_report*")
    take = clip._take
    mask = ffi.from_buffer("uint8_t[]", solved, require_writable=True)
    result = lib.sft_adapt_clip(define, take.skeleton, take.legs, take.leg_count, labels._pointer,
                                ffi.new("sft_ground*", laid), ffi.NULL, motion, mask, report)
    del kept  # it lived until here
    check_result(result, path=clip.document.path, doing="putting onto the ground")
    changed |= solved
    made = Adapted(clip._with(motion, changed, keep_keys), clip.index, legs=clip._given_legs, space=clip._given_space)
    made.labels, made.floor = labels, define.foot.floor
    made.report = AdaptReport.of(report)
    made.misses = records(report.misses, report.miss_count, "sft_adapt_miss")
    lib.sft_adapt_clip_report_release(report, ffi.NULL)
    changed.flags.writeable = False
    made.changed = changed[:clip.joint_count]
    return made
