# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Moves clips onto other figures."""
from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, Optional, Sequence, Union

import numpy as np

from . import _errors
from ._arguments import choice as _choice, flag, is_file, listed, number, three, wrong
from ._clip import Clip, _destroy_clip, copy_of, want_clip
from ._core import check as check_result, error_slot, ffi, lib, records, text
from ._document import Document, PathOrBytes, _Source, load, written
from ._labels import Ground, Labels, _fitting, _tracks, contacts
from ._reports import MendReport, TransferReport
from ._types import Floats, Path, Records

__all__ = ["Goal", "Map", "Moved", "map_joints", "retarget"]

POSES = {"auto": lib.SFT_RIG_POSE_AUTO, "rest": lib.SFT_RIG_POSE_REST}
ROOTS = {"root": lib.SFT_TRAVEL_ROOT, "hips": lib.SFT_TRAVEL_HIPS}
NON_RIGID = {"none": lib.SFT_NON_RIGID_NONE, "ratio": lib.SFT_NON_RIGID_RATIO}
UNREACHABLE = {"pelvis": lib.SFT_UNREACHABLE_PELVIS, "release": lib.SFT_UNREACHABLE_RELEASE,
               "stretch": lib.SFT_UNREACHABLE_STRETCH}
RULES = ("rest", "joint", "chain", "twist", "root")

#: "auto", "rest", or a frame of the clip in which the figure stands as a figure.
Pose = Union[str, int]
#: A file or Clip with the figure; of a file with clips the first tells of its motion.
Onto = Union[PathOrBytes, Document, Clip]


def _destroy_rig(rig: Any) -> None:
    lib.sft_rig_destroy(rig, ffi.NULL)


def _rig(clip: Clip, pose: Pose, name: str) -> Any:
    define = ffi.new("sft_rig_def*", lib.sft_default_rig_def())
    if isinstance(pose, (int, np.integer)) and not isinstance(pose, bool):
        if not (0 <= pose < clip.frame_count and clip.index >= 0):
            raise _errors.OptionError(f"{name} {pose} does not fit {clip!r}")
        define.pose_frame = int(pose)
    else:
        define.pose_frame = _choice(name, pose, POSES)
    if clip.joint_count == 0:
        raise _errors.ReadError("holds no joints", path=clip.document.path)
    take = clip._take
    if take.leg_count > 0:
        define.legs = take.legs
        define.leg_count = take.leg_count
    out = ffi.new("sft_rig**")
    motion = clip._clip if clip.frame_count > 0 else ffi.NULL
    check_result(lib.sft_rig_create(define, take.skeleton, motion, ffi.NULL, out), path=clip.document.path,
                 doing="understanding the figure")
    return ffi.gc(out[0], _destroy_rig)


@dataclass(frozen=True)
class Goal:
    """A hand of the target that keeps its place on something over a span of frames.

    joint        a hand, or a joint below it, by name or number
    first, last  frames, both inclusive
    other        joint that it touches and rides along with; None: a point of the world
    place        [m] in the world, Y up, or in the space of `other`; None: where it is in frame `first` anyway
    """

    joint: Union[str, int]
    first: int
    last: int
    other: Union[None, str, int] = None
    place: Optional[tuple[float, float, float]] = None


# [s] over which a goal fades in and out.
_GOAL_BLEND = 0.2


class _Pair:
    """Two figures and the map between them."""

    def __init__(self, source: Clip, target: Clip, source_pose: Pose, target_pose: Pose,
                 given: Union[None, Path, bytes]) -> None:
        self.source, self.target = source, target
        self.target_rig = _rig(target, target_pose, "target_pose")
        self.source_rig = _rig(source, source_pose, "source_pose")
        if source_pose == "auto":
            shared = ffi.new("sft_rig**")
            check_result(lib.sft_rig_share_pose(self.source_rig, self.target_rig, ffi.NULL, shared),
                         path=source.document.path, doing="understanding the figure")
            if shared[0] != ffi.NULL:
                self.source_rig = ffi.gc(shared[0], _destroy_rig)
        self.rigs = ffi.new("sft_rig_pair*")
        self.rigs.source, self.rigs.target = self.source_rig, self.target_rig
        out, error = ffi.new("sft_retarget_map**"), error_slot()
        if given is None:
            result = lib.sft_retarget_map_create(self.rigs, ffi.NULL, out, error)
            check_result(result, error, path=f"{source.document.name} onto {target.document.name}", doing="mapping",
                         kind=_errors.UnalikeError)
        else:
            data, path = _map_text(given)
            result = lib.sft_retarget_map_parse_json(self.rigs, data, len(data), ffi.NULL, out, error)
            check_result(result, error, path=path, doing="map")
        self.map = ffi.gc(out[0], lib.sft_retarget_map_destroy)
        self.contents = lib.sft_retarget_map_view(self.map)


def _map_text(given: Union[Path, bytes]) -> tuple[bytes, Optional[str]]:
    if isinstance(given, bytes):
        return given, None
    if isinstance(given, str) and given.lstrip().startswith("{"):
        return given.encode("utf-8"), None
    path = os.fspath(given)
    try:
        with open(path, "rb") as file:
            return file.read(), path
    except OSError as error:
        raise _errors.FileError(f"cannot read: {error.strerror}", path=path) from error


class Map:
    """Which joint of a figure follows which of another.

    pairs      structured array, one a target joint (sft_joint_pair): target, source, source_next, rule, share,
               confidence, reason (bytes)
    scale      target leg length over source leg length
    fallbacks  sentences: limbs of the target that the source lacks
    unused     sentences: parts of the source that the target lacks
    """

    def __init__(self, pair: _Pair) -> None:
        self._text = self._json(pair)
        c = pair.contents
        self.pairs: Records = records(c.pairs, c.target_joint_count, "sft_joint_pair")
        self.scale: float = c.scale
        self.fallbacks: tuple[str, ...] = tuple(text(c.fallbacks[i]) for i in range(c.fallback_count))
        self.unused: tuple[str, ...] = tuple(text(c.unused[i]) for i in range(c.unused_count))

    def to_json(self) -> str:
        """The map as text to read and edit, for `retarget(map=...)` and `surefoot retarget --map`."""
        return self._text

    @staticmethod
    def _json(pair: _Pair) -> str:
        out, size = ffi.new("char**"), ffi.new("size_t*")
        check_result(lib.sft_retarget_map_format_json(pair.map, pair.rigs, ffi.NULL, out, size), doing="map as text")
        made = bytes(ffi.buffer(out[0], size[0]))
        lib.free(out[0])
        return made.decode("utf-8")

    def __repr__(self) -> str:
        moved = int((self.pairs["rule"] != lib.SFT_PAIR_REST).sum())
        return f"<Map: {moved} of {len(self.pairs)} joints follow, scale {self.scale:.4g}>"


class Moved(Clip):
    """A clip on another figure, in a copy of that figure's document.

    map       which joint followed which
    transfer  what the transfer came to (sft_transfer_report)
    report    what was mended (sft_mend_report); None where nothing was to be
    misses    structured array, read-only: goals that could not be met (sft_mend_miss)
    labels    the source's labels on this figure's feet; None where either has no legs
    """

    map: Map
    transfer: TransferReport
    report: Optional[MendReport]
    misses: Records
    labels: Optional[Labels]

    _SAID = ("map", "transfer", "report", "misses", "labels")


def _figure(onto: Onto) -> Clip:
    if isinstance(onto, Clip):
        return onto
    if not isinstance(onto, Document) and not is_file(onto):
        raise wrong("onto", "a path, a file's bytes, a Document or a Clip", onto)
    document = onto if isinstance(onto, Document) else load(onto)
    fit = [c.index for c in document.clips if document._trouble(c) is None]
    return Clip(document, fit[0]) if fit else document.rest()


def map_joints(clip: Clip, onto: Onto, *, source_pose: Pose = "auto", target_pose: Pose = "auto") -> Map:
    """The map alone, to look at and edit. Raises UnalikeError."""
    want_clip(clip)
    return Map(_Pair(clip, _figure(onto), source_pose, target_pose, None))


class _Move:
    """One clip from one figure to the other."""

    def __init__(self, pair: _Pair, labels: Optional[Labels], threshold: float, transfer: Any, mend: Any,
                 plant: bool, goals: Sequence[Goal]) -> None:
        self.pair, self.labels = pair, labels
        source = pair.source
        grounds = self._grounds(threshold, transfer)
        transfer.sole_lift = grounds.sole_lift
        out, self.transfer_report = ffi.new("sft_clip**"), ffi.new("sft_transfer_report*")
        check_result(lib.sft_retarget_clip(transfer, pair.map, source._clip, ffi.NULL, out, self.transfer_report),
                     path=source.document.path, doing="moving the clip")
        self.motion = ffi.gc(out[0], _destroy_clip)
        self.report: Optional[MendReport] = None
        self.misses = records(ffi.NULL, 0, "sft_mend_miss")
        self.planted = plant and labels is not None and pair.target_rig.leg_count > 0
        if not self.planted and not mend.hands and not goals:
            return
        mend.feet = self.planted
        mend.contact_threshold = threshold
        mend.source_ground = grounds.source_level
        mend.ground = grounds.target_level
        placed = self._place(goals, mend)
        mend.goals, mend.goal_count = placed if goals else ffi.NULL, len(goals)
        self._mend(mend)

    def _place(self, goals: Sequence[Goal], mend: Any) -> Any:
        """Goals as the library takes them. A hand that is to stay where it is stays where planting the feet, which moves
        the body, leaves it."""
        target = self.pair.target
        out = ffi.new("sft_touch_goal[]", len(goals))
        moved, shown = self.motion, self.motion
        if self.planted and any(goal.place is None for goal in goals):
            shown = self.motion = copy_of(moved)
            hands, mend.hands = mend.hands, False
            self._mend(mend)
            mend.hands, self.motion = hands, moved
        for slot, goal in zip(out, goals):
            slot.joint = target._joint_of(target.skeleton, goal.joint, "a goal's joint")
            slot.other = target._joint_of(target.skeleton, goal.other, "a goal's other")
            slot.first, slot.last, slot.blend, slot.fixed = goal.first, goal.last, _GOAL_BLEND, True
            if not 0 <= goal.first <= goal.last < moved.frame_count or slot.joint == slot.other:
                raise _errors.OptionError(f"{goal} does not fit a clip of {moved.frame_count} frames, or a joint is to "
                                          "hold on to itself")
            if not self._is_of_a_hand(slot.joint):
                raise _errors.OptionError(f"{goal}: that joint is no hand, nor a part of one; meanings() says which are. "
                                          "Feet are planted by their labels")
            if goal.place is not None:
                slot.offset.x, slot.offset.y, slot.offset.z = three("a goal's place", goal.place)
            else:
                check_result(lib.sft_retarget_place_goal(target._take.skeleton, shown, ffi.addressof(slot)),
                             doing="placing a goal")
        return out

    def _is_of_a_hand(self, joint: int) -> bool:
        rig = self.pair.target_rig
        while joint >= 0 and rig.meanings[joint].part != lib.SFT_PART_HAND:
            joint = rig.skeleton.parents[joint]
        return joint >= 0

    def _grounds(self, threshold: float, transfer: Any) -> Any:
        pair, source = self.pair, self.pair.source
        footing = ffi.new("sft_retarget_footing*")
        if self.labels is not None:
            tracks, floor = _tracks(source), ffi.new("sft_take_floor*")
            level, found = ffi.new("double*"), ffi.new("_Bool*")
            check_result(lib.sft_take_find_floor(source._stage, tracks, self.labels._pointer, threshold, ffi.NULL, floor),
                         doing="the floor")
            check_result(lib.sft_tracks_plant_level(tracks, self.labels._pointer, threshold, ffi.NULL, level, found),
                         doing="the floor")
            footing.floor = floor.height
            footing.level = level[0] if found[0] else floor.height
        gltf = lib.sft_io_gltf(source._stage)
        footing.source_soles = gltf != ffi.NULL and lib.sft_gltf_view(gltf).mesh_count > 0
        footing.target_stands = pair.target.document._format != lib.SFT_IO_BVH
        footing.scale = transfer.scale if transfer.scale > 0.0 else pair.contents.scale
        grounds = ffi.new("sft_retarget_grounds*")
        check_result(lib.sft_retarget_find_grounds(footing, pair.rigs, grounds), doing="the ground")
        return grounds

    def _mend(self, mend: Any) -> None:
        pair, source = self.pair, self.pair.source
        given = ffi.new("sft_mend_input*")
        given.map = pair.map
        given.rigs = pair.rigs[0]
        given.source_clip = source._clip
        given.labels = self.labels._pointer if self.planted and self.labels is not None else ffi.NULL
        if self.labels is not None:
            ground = self.labels.ground_velocity
            mend.ground_velocity.x, mend.ground_velocity.y, mend.ground_velocity.z = ground
        mend.first_frame = source.first_frame
        report = ffi.new("sft_mend_report*")
        check_result(lib.sft_retarget_mend(mend, given, ffi.NULL, self.motion, ffi.NULL, report),
                     path=source.document.path, doing="planting feet")
        self.report = MendReport.of(report)
        self.misses = records(report.misses, report.miss_count, "sft_mend_miss")
        lib.sft_mend_report_release(report, ffi.NULL)

    # ---- into the figure's document ----

    def _name(self, document: Document) -> str:
        """That of the source's clip, or of its file; with a number behind where the target has it already."""
        source = self.pair.source
        stem = source.name or os.path.splitext(source.document.name)[0]
        taken = {c.name for c in document.clips}
        name, number = stem, 2
        while name in taken:
            name = f"{stem} {number}"
            number += 1
        return name

    def put(self, document: Document, space: Any, replace: Optional[str]) -> tuple[Document, int]:
        replaced = document._choose(replace) if replace is not None else -1
        name = ffi.new("char[]", self._name(document).encode("utf-8"))
        motion, target = self.motion, self.pair.target
        where = ffi.new("int32_t*")
        bvh = document._format == lib.SFT_IO_BVH

        def put(copy: Any) -> None:
            error = error_slot()
            result = lib.sft_io_put_clip(copy, replaced, motion, space, name, where, error)
            if (result == lib.SFT_ERR_UNSUPPORTED and bvh
                    and lib.sft_bvh_fold_travel(lib.sft_io_bvh(copy), target._take.skeleton, motion)):
                result = lib.sft_io_put_clip(copy, replaced, motion, space, name, where, error)
            if result == lib.SFT_ERR_UNSUPPORTED and bvh:
                raise _errors.WriteError(
                    f"{text(error.message)}. The motion needs channels that this BVH has not: say glb=True, where every "
                    "joint can move", path=document.path, joint=text(error.joint) or None)
            check_result(result, error, path=document.path, doing="putting the clip in")

        made = document._copy(put)
        return made, where[0]

    def carry(self, moved: Clip, mirror: bool) -> Optional[Labels]:
        """The source's labels on the target's feet."""
        source, labels = self.pair.source, self.labels
        if labels is None or not moved.legs:
            return None
        carried = Labels(moved, labels.mismatch, self._ground(mirror))
        other = {"left": "right", "right": "left"} if mirror else {}
        for row, leg in enumerate(moved.legs):
            wanted = (other.get(leg.side, leg.side), leg.pair)
            for k, own in enumerate(source.legs):
                if (own.side, own.pair) == wanted:
                    carried.plant[row] = labels.plant[k]
                    carried.touch[row] = labels.touch[k]
                    break
        return carried

    def _ground(self, mirror: bool) -> Floats:
        assert self.labels is not None
        if self.planted and self.report is not None:
            return np.array(self.report.ground_velocity)
        # A direction of the source's model space in the target's.
        x, y, z = self.labels.ground_velocity
        for turn, flip in ((self.pair.source_rig.facing, mirror), (-self.pair.target_rig.facing, False)):
            x, z = x * np.cos(turn) + z * np.sin(turn), z * np.cos(turn) - x * np.sin(turn)
            x = -x if flip else x
        turned: Floats = self.transfer_report.scale * np.array([x, y, z])
        return turned


def _as_glb(target: Clip) -> tuple[Document, Any]:
    """A BVH's figure as a GLB without motion, and the space that clips are put into it by."""
    document = target.document
    define = ffi.new("sft_io_convert_def*", lib.sft_default_io_convert_def())
    define.format = lib.SFT_IO_GLB
    define.space = ffi.addressof(target._take.space)
    out, error = ffi.new("sft_io_document**"), error_slot()
    check_result(lib.sft_io_convert_figure(document._pointer, define, ffi.NULL, out, ffi.NULL, error), error,
                 path=document.path, doing="the figure as GLB", kind=_errors.WriteError)
    made = ffi.gc(out[0], lib.sft_io_destroy)
    data = written(made, lib.SFT_IO_GLB, document.path)
    space = ffi.new("sft_space*")
    space.unit_metres = 1.0
    space.up = lib.SFT_AXIS_Y
    return Document(_Source(data, document.path, lib.SFT_BVH_POSITIONS_AUTO, lib.SFT_IO_GLB), document._options), space


def retarget(clip: Clip, onto: Onto, labels: Optional[Labels] = None, *,
             map: Union[None, Map, Path, bytes] = None, mirror: bool = False,
             scale: Optional[float] = None, root: str = "root", non_rigid: str = "none", clean: bool = True,
             keep_hands: bool = False,
             goals: Sequence[Goal] = (), unreachable: str = "pelvis", loop: bool = False, threshold: float = 0.75,
             ground_velocity: Ground = "auto", source_pose: Pose = "auto", target_pose: Pose = "auto",
             replace: Optional[str] = None, glb: bool = False) -> Moved:
    """Moves a clip onto another figure: joints are paired by meaning, limbs point where the source's do, the root's
    travel is scaled by leg length, and feet that were planted are planted anew. Both files stay as they are; the result
    lies in a copy of the target's document, meshes and other clips included.

    onto             a file, Document or Clip with the figure
    labels           when feet of the source are planted; None: `contacts(clip)`
    map              from `map_joints`, edited JSON text, or a file of it; None: found
    mirror           swap left and right
    scale            of travel and height; None: the map's
    root             where the travel goes on a target with a root above its hips: "root" or "hips"
    non_rigid        "ratio": a target bone is as much longer than at rest as its source bone is; "none"
    clean            plant what was planted
    keep_hands       keep hands that touch something touching
    goals            hands of the target that keep a place over a span of frames
    unreachable      what gives where a goal is beyond reach: "pelvis", "release" or "stretch"
    loop             the clip is a cycle
    source_pose, target_pose
                     "auto", "rest", or the frame in which the figure stands as a figure
    replace          glTF: put it in the place of this clip of the target
    glb              onto a BVH: make its figure a GLB, in which every joint can move

    What `write` makes of the result is byte for byte what `surefoot retarget` writes with the same options (`glb`: with
    an output in .glb). The interpreter's lock is released while solving. Raises UnalikeError, OptionError, ReadError,
    WriteError.
    """
    want_clip(clip)
    if clip.frame_count == 0 or clip.index < 0:
        raise _errors.ReadError("holds no frames", path=clip.document.path)
    if scale is not None:
        scale = number("scale", scale, 0.001, 1000.0)
    threshold = number("threshold", threshold, 0.0, 1.0)
    mirror, clean, glb = flag("mirror", mirror), flag("clean", clean), flag("glb", glb)
    goals = listed("goals", goals, Goal, "Goal")
    if not (map is None or isinstance(map, Map) or is_file(map)):
        raise wrong("map", "a Map, JSON text, or a file of it", map)
    target = _figure(onto)
    bvh = target.document._format == lib.SFT_IO_BVH
    if bvh and replace is not None:
        raise _errors.OptionError("replace: the target is a BVH, whose one clip is replaced in any case",
                                  path=target.document.path)
    transfer = ffi.new("sft_transfer_def*", lib.sft_default_transfer_def())
    mend = ffi.new("sft_mend_def*", lib.sft_default_mend_def())
    transfer.scale = mend.scale = scale or 0.0
    transfer.mirror = mend.mirror = mirror
    transfer.travel = _choice("root", root, ROOTS)
    transfer.non_rigid = _choice("non_rigid", non_rigid, NON_RIGID)
    mend.unreachable = _choice("unreachable", unreachable, UNREACHABLE)
    mend.hands = flag("keep_hands", keep_hands)
    mend.loop = flag("loop", loop)
    pair = _Pair(clip, target, source_pose, target_pose, map.to_json() if isinstance(map, Map) else map)
    if labels is None and clip.legs:
        labels = contacts(clip, ground_velocity=ground_velocity)
    if labels is not None:
        labels = _fitting(clip, labels)
    move = _Move(pair, labels, threshold, transfer, mend, clean, goals)
    document, space = _as_glb(target) if bvh and glb else (target.document, ffi.addressof(target._take.space))
    made, index = move.put(document, space, replace)
    moved = Moved(made, index, legs=target._given_legs, fps=clip.fps, space=space)
    moved.map = Map(pair)
    moved.transfer = TransferReport.of(move.transfer_report)
    moved.report = move.report
    moved.misses = move.misses
    moved.labels = move.carry(moved, mirror)
    return moved
