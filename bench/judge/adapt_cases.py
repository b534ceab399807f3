# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Which clips of the optional data folder are put onto which grounds."""

# Walks of different exporters, 24 to 120 frames a second: (file, clip name or None, what is done with it first).
# "travel": it walks on the spot, and gets somewhere by a node above all others that moves as its feet say.
CLIPS = [
    ("bvh/cmu_12_01_walk.bvh", None, None),  # 120 Hz, heel low over the toe, its floor uneven by 3 cm
    ("bvh/xia_neutral_01_000.bvh", None, None),  # 120 Hz, toe end equal to the toe
    ("bvh/xia_strutting_01_000.bvh", None, None),
    ("bvh/xia_depressed_13_000.bvh", None, None),
    ("bvh/opensim_gait2354_walk_overground.bvh", None, None),  # 60 Hz, subtalar joints, toes that do not turn
    ("bvh/mixamo_names_69f.bvh", None, None),  # 30 Hz, ankle 10 cm over the sole
    ("bvh/fair_zombie_walk.bvh", None, None),  # 30 Hz, Z up, 8 m
    ("bvh/dme_demo_video_1_fixed.bvh", None, None),  # 30 Hz, network output
    ("bvh/dme_demo_video_2_fixed.bvh", None, None),
    ("bvh/bvhacker_walk_cycle_42.bvh", None, None),  # 24 Hz, no toes, floor at 52 cm
    ("gltf/bitmoji_walk.glb", None, "travel"),  # 30 Hz
    ("gltf/khronos_CesiumMan.gltf", None, "travel"),  # 24 Hz, Z up below a node with a matrix, nameless nodes
    ("gltf/kaykit_Knight.glb", "Walking_A", "travel"),  # 30 Hz, short legs
    ("gltf/khronos_Fox.glb", "Walk", "travel"),  # 24 Hz, four legs, centimetres
    ("gltf/m2m_fox-animations.glb", "Walk", "travel"),  # 30 Hz, four legs
    ("gltf/m2m_spider-animations.glb", "Walk", "travel"),  # 24 Hz, eight legs
    ("gltf/kaykit_Knight.glb", "Walking_A", None),  # on the spot: its feet ride over slopes and rubble
    ("gltf/m2m_fox-animations.glb", "Walk", None),
]
GROUNDS = [
    ("up 10", "slope:angle=10"),
    ("down 10", "slope:angle=-10"),
    ("across 10", "plane:roll=10"),
    ("stairs up", "stairs:rise=0.17,run=0.29,count=8"),
    ("stairs down", "stairs:rise=0.17,run=0.29,count=8,down"),
    ("rough", "rough:height=0.08,cell=0.25,seed=1"),
    ("gap", "gap:width=0.25"),
]
# These walk there and back, so that where they end says little of their way: (heading, start) of ramps and stairs.
WAYS = {"mixamo_names_69f": (0, 0.25), "fair_zombie_walk": (180, 1.5)}
ON_THE_SPOT = ("up 10", "down 10", "across 10", "rough")
LEVEL = "plane:"


def laid(spec, title):
    """The ground's text for a clip of this title."""
    kind = spec.partition(":")[0]
    if title not in WAYS or kind == "rough":
        return spec
    heading, start = WAYS[title]
    return spec + ",heading=%g" % heading + (",start=%g" % start if kind != "plane" else "")
