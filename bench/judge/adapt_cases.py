# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Which clips of the optional data folder are put onto which grounds."""

import numpy as np

import grounds

# (file, clip name or None, moves): walks of different exporters, 24 to 120 frames a second. `moves`: the figure gets
# somewhere; what walks on the spot is put on slopes and rubble alone, since its feet ride over any stair.
CLIPS = [
    ("bvh/cmu_12_01_walk.bvh", None, True),  # 120 Hz, heel low over the toe, floor uneven by 3 cm
    ("bvh/xia_neutral_01_000.bvh", None, True),  # 120 Hz, toe end equal to the toe
    ("bvh/xia_strutting_01_000.bvh", None, True),
    ("bvh/xia_depressed_13_000.bvh", None, True),
    ("bvh/opensim_gait2354_walk_overground.bvh", None, True),  # 60 Hz, force plates, subtalar joints
    ("bvh/mixamo_names_69f.bvh", None, True),  # 30 Hz, ankle 10 cm over the sole
    ("bvh/fair_zombie_walk.bvh", None, True),  # 30 Hz, Z up, 8 m
    ("bvh/dme_demo_video_1_fixed.bvh", None, True),  # 30 Hz, network output
    ("bvh/dme_demo_video_2_fixed.bvh", None, True),
    ("bvh/bvhacker_walk_cycle_42.bvh", None, True),  # 24 Hz, no toes, floor at 52 cm
    ("gltf/bitmoji_walk.glb", None, None),  # 30 Hz
    ("gltf/khronos_CesiumMan.gltf", None, None),  # 24 Hz, Z up below a node with a matrix
    ("gltf/kaykit_Knight.glb", "Walking_A", None),  # 30 Hz, on the spot, short legs
    ("gltf/khronos_Fox.glb", "Walk", None),  # 24 Hz, four legs
    ("gltf/m2m_fox-animations.glb", "Walk", None),
    ("gltf/m2m_spider-animations.glb", "Walk", None),  # eight legs
]
# what makes sense on the spot
STILL_GROUNDS = ("slope up", "slope down", "slope across", "rough")


class Course:
    """A walk's line: where it begins (own space, on the floor), its heading [rad] from +Z to +X, its length."""

    def __init__(self, path, floor):
        step = path[-1] - path[0]
        self.length = float(np.hypot(step[0], step[2]))
        self.heading = float(np.arctan2(step[0], step[2])) if self.length > 0.3 else 0.0
        self.origin = np.array([path[0, 0], floor, path[0, 2]])
        self.moves = self.length > 0.3
        self.reach = float(np.max(np.abs((path - path[0])[:, [0, 2]])))


def rough(course, height=0.03):
    """Rubble from three waves, on a grid of 5 cm."""
    side = course.reach + 4.0
    n = int(2 * side / 0.05) + 1
    x = np.linspace(-side, side, n)
    u, w = np.meshgrid(x, x)
    h = height * (np.sin(5.3 * u + 1.0) * np.sin(4.1 * w) + 0.5 * np.sin(11.0 * u) * np.sin(9.0 * w + 2.0)) / 1.5
    return grounds.HeightField(h, 2 * side / (n - 1), 2 * side / (n - 1), course.origin - [side, 0.0, side])


def make(name, course):
    """(ground, whose limits of pelvis jerk) by name, laid over a course."""
    o, a, n = course.origin, course.heading, course.length
    if name in ("slope up", "slope down"):
        rise = 10 if name == "slope up" else -10
        if course.moves:
            return grounds.slope(rise, 0.25 * n, None, o, a), "slope"
        ahead = np.array([np.sin(a), 0.0, np.cos(a)])
        return grounds.Plane(o, np.array([0, 1.0, 0]) - np.tan(np.radians(rise)) * ahead), "slope"
    if name == "slope across":
        side = np.array([np.cos(a), 0.0, -np.sin(a)])
        return grounds.Plane(o, np.array([0, 1.0, 0]) - np.tan(np.radians(10)) * side), "slope"
    if name == "stairs up":
        return grounds.stairs(0.17, 0.29, 8, 0.25 * n, o, a), "stairs"
    if name == "stairs down":
        return grounds.stairs(-0.17, 0.29, 8, 0.25 * n, o, a), "stairs"
    if name == "gap":
        return grounds.gap(0.25, 0.5 * n, o, a), "stairs"
    if name == "rough":
        return rough(course), "stairs"
    raise KeyError(name)


NAMES = ("slope up", "slope down", "slope across", "stairs up", "stairs down", "rough", "gap")
