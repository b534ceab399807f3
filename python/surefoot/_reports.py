# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Reports and figures of the library under the names of their C structs. What each field means, with its unit, stands
in the public header of the same name; a test holds these lists against the compiled structs."""
from __future__ import annotations

from ._core import Values
from ._types import Floats

__all__ = ["AdaptReport", "CleanReport", "ClipFigures", "LockReport", "MendReport", "Mismatch", "Published",
           "TransferReport"]


class Mismatch(Values):
    """What a clip's slide comes from (contact.h)."""

    KIND = "sft_contact_mismatch"
    known: bool
    root_travel: float
    root_travel_error: float
    ground_velocity: Floats
    moving_ground: bool
    evidence_frames: int
    residual_cm_s: float
    text: str


class Published(Values):
    """Skate figures that others publish (metrics.h, docs/metrics.md); NaN where a definition does not apply."""

    KIND = "sft_metrics_published"
    gmd_skating_ratio: float
    kimodo_skate_ratio: float
    kimodo_toe_speed: float
    height_weighted_slide: float
    edge_pfc: float
    lafan_contact_ratio: float
    humanml_contact_ratio: float


class ClipFigures(Values):
    """Figures of a whole clip (metrics.h)."""

    KIND = "sft_metrics_clip"
    slide_mean_cm_s: float
    slide_max_cm_s: float
    slide_max_foot: int
    slide_max_frame: int
    penetration_max_cm: float
    penetration_max_foot: int
    penetration_max_frame: int
    pop_count: int
    pop_foot: int
    pelvis_accel_p99: float
    pelvis_accel_max: float
    pelvis_accel_max_frame: int
    pelvis_height_mean: float
    published: Published


class CleanReport(Values):
    """What cleaning did (cleanup.h)."""

    KIND = "sft_cleanup_report"
    plant_count: int
    planted_frames: int
    iterations: int
    converged: bool
    residual_m: float
    pelvis_shift_max: float
    pelvis_height_mean_change: float
    travel_joint: int
    character_count: int
    loop_closed: bool
    seam_opened: float
    miss_count: int


class AdaptReport(Values):
    """What putting a clip onto a ground came to (adapt.h)."""

    KIND = "sft_adapt_clip_report"
    plant_count: int
    moved_plants: int
    place_shift_max: float
    pelvis_shift_min: float
    pelvis_shift_max: float
    pitch_min: float
    pitch_max: float
    travel_joint: int
    turn_joint: int
    iterations: int
    converged: bool
    miss_count: int


class LockReport(Values):
    """What cleaning with method "runtime" did (lock.h)."""

    KIND = "sft_lock_clip_report"
    plant_count: int
    planted_frames: int
    locked_frames: int
    settled_frames: int
    slide_max_cm_s: float
    miss_max_m: float
    miss_max_frame: int
    miss_max_foot: int
    gap_count: int


class TransferReport(Values):
    """What moving a clip came to (retarget.h)."""

    KIND = "sft_transfer_report"
    scale: float
    direction_error: float
    direction_frame: int
    direction_joint: int
    source_stretch: float


class MendReport(Values):
    """What planting feet and hands anew did (retarget.h)."""

    KIND = "sft_mend_report"
    plant_count: int
    planted_frames: int
    residual_m: float
    ground_velocity: Floats
    pelvis_shift_max: float
    limb_turn_mean: Floats
    limb_turn_max: Floats
    goal_count: int
    miss_count: int
