# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What is known of the clips of the optional data folder: unit, up axis, kind of motion.

A clip is known by its file's stem. Everything else is guessed by legs.py, or given on the command line.
"""

import os

CMU = 0.05644

# stem: (metres a unit, up axis, class); class 'walk' and 'run' are judged on the plain rule's plants of the
# unscaled original, 'own' on their own labels, None has nothing to judge (a pose, no travel, no legs)
KNOWN = {
    "cmu_12_01_walk": (CMU, "Y", "walk"),
    "xia_neutral_01_000": (CMU, "Y", "walk"),
    "xia_strutting_01_000": (CMU, "Y", "walk"),
    "xia_angry_13_000": (CMU, "Y", "run"),
    "xia_depressed_13_000": (CMU, "Y", "run"),
    "opensim_gait2354_walk_overground": (1.0, "Y", "walk"),
    "mixamo_names_69f": (0.01, "Y", "walk"),
    "fair_zombie_walk": (0.04, "Z", "walk"),
    "dme_demo_3d_1_fixed": (CMU, "Y", "walk"),
    "dme_demo_video_1_fixed": (CMU, "Y", "walk"),
    "dme_demo_video_2_fixed": (CMU, "Y", "walk"),
    "opensim_gait2354_walk_treadmill": (1.0, "Y", "own"),
    "dme_demo_3d_1_raw": (CMU, "Y", "own"),
    "dme_demo_video_1_raw": (CMU, "Y", "own"),
    "dme_demo_video_2_raw": (CMU, "Y", "own"),
    "makehuman_walk1": (0.1, "Z", "own"),
    "bvhacker_walk_cycle_42": (0.01, "Y", "own"),
    "bvhacker_walk_cycle_43": (0.01, "Y", "own"),
    "mocapbank_crlf": (0.01, "Y", "own"),
    "xsens_a_40fps": (0.01, "Y", "own"),
    "cmu_01_01_playground": (CMU, "Y", "own"),
    "cmu_05_20_dance_mb": (CMU, "Y", "own"),
    "cmu_05_20_dance_daz": (0.01, "Y", "own"),
    "cmu_jumping_jacks_max": (CMU, "Y", None),
    "cmu_rest_pose": (CMU, "Y", None),
    "fair_dab": (0.04, "Z", None),
    "kinect_brekel_a": (0.01, "Y", None),
    "boxing_toes": (0.01, "Y", None),
    "xsens_23_standing": (0.01, "Y", None),
    "mixed_orders_zup": (0.0254, "Z", None),
    "makehuman_dance1": (0.1, "Z", None),
    "makehuman_tpose": (0.1, "Z", None),
    "geno_stance_6ch": (0.01, "Y", None),
}

JUDGED = [stem for stem, (_, _, kind) in KNOWN.items() if kind in ("walk", "run")]
OWN = [stem for stem, (_, _, kind) in KNOWN.items() if kind == "own"]


def stem_of(path):
    return os.path.splitext(os.path.basename(str(path)))[0]


def known(path):
    """(unit, up, class) for a file of the data folder, (None, None, None) for any other."""
    return KNOWN.get(stem_of(path), (None, None, None))


def up_axis(text):
    """'Y', 'Z', '-Z', '+X' ... to (axis, sign)."""
    text = text.strip().upper()
    sign = -1.0 if text.startswith("-") else 1.0
    return "XYZ".index(text.lstrip("+-")), sign
