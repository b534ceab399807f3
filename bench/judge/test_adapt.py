# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Self-tests of the judge of feet on ground: grounds in closed form, perfect adaptations that must pass, and the same
with one fault each that must be found, and found as what it is.

Run: /usr/bin/python3 -m unittest bench/judge/test_adapt.py
"""

import math
import os
import sys
import tempfile
import unittest

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

import adapt_judge  # noqa: E402
import bvh  # noqa: E402
import grounds  # noqa: E402
import lock_judge  # noqa: E402
import walk_on  # noqa: E402
from scene import Scene  # noqa: E402

FLAT = grounds.Plane([0, 0, 0], [0, 1, 0])
SLOPE = grounds.slope(10, -0.1, 1.2)
STAIRS = grounds.stairs(0.10, 0.40, 4, -0.2)
CROSS = grounds.Plane([0, 0, 0], [0.15, 1, -0.15])


def triangles_of(ground, low=-3.0, high=3.0, step=0.05):
    """A field's or profile's surface as triangles: strips along z, risers included."""
    if isinstance(ground, grounds.Profile):
        out = []
        for a, b in zip(ground.a, ground.b):
            z0, z1 = max(a[0], low), min(b[0], high)
            if z1 < z0:
                continue
            p = [[-1, a[1], z0], [1, a[1], z0], [-1, b[1], z1], [1, b[1], z1]]
            out += [[p[0], p[1], p[2]], [p[2], p[1], p[3]]]
        return np.array(out, float)
    h, (dx, dz), o = ground.heights, ground.step, ground.origin
    at = lambda i, k: [o[0] + i * dx, o[1] + h[k, i], o[2] + k * dz]
    return np.array([t for k in range(h.shape[0] - 1) for i in range(h.shape[1] - 1)
                     for t in ([at(i, k), at(i + 1, k), at(i + 1, k + 1)], [at(i, k), at(i + 1, k + 1), at(i, k + 1)])])


class Grounds(unittest.TestCase):
    def test_plane__heights_and_depth(self):
        plane = grounds.Plane([1, 2, 3], [0, 2, -2])  # rises with z at 45 degrees
        np.testing.assert_allclose(plane.height(np.array([5.0]), np.array([4.0])), 3.0)
        np.testing.assert_allclose(plane.depth(np.array([[0, 2, 4.0], [0, 4, 4.0]])), [math.sqrt(0.5), 0.0], atol=1e-12)

    def test_slope__level_then_ramp_then_level(self):
        ramp = grounds.slope(45, 1.0, 2.0)
        np.testing.assert_allclose(ramp.height(np.zeros(4), np.array([0.0, 1.5, 3.0, 9.0])), [0, 0.5, 2, 2], atol=1e-12)
        n = ramp.normal(np.zeros(2), np.array([0.5, 2.0]))
        np.testing.assert_allclose(n, [[0, 1, 0], [0, math.sqrt(0.5), -math.sqrt(0.5)]], atol=1e-12)

    def test_heading__a_quarter_turn_runs_along_x(self):
        ramp = grounds.slope(45, 0.0, 2.0, (1.0, 0.5, 0.0), math.pi / 2)
        np.testing.assert_allclose(ramp.height(np.array([2.0]), np.array([7.0])), 1.5)
        np.testing.assert_allclose(ramp.normal(np.array([2.0]), np.array([7.0])), [[-math.sqrt(0.5), math.sqrt(0.5), 0]],
                                   atol=1e-12)

    def test_stairs__risers(self):
        s = grounds.stairs(0.17, 0.29, 3, 1.0)
        z = np.array([0.99, 1.0, 1.28, 1.3, 1.6, 9.0])
        np.testing.assert_allclose(s.height(np.zeros(6), z), np.array([0, 1, 1, 2, 3, 3]) * 0.17, atol=1e-12)

    def test_depth__along_a_riser_is_the_way_back_out(self):
        s = grounds.stairs(0.17, 0.29, 3, 1.0)
        np.testing.assert_allclose(s.depth(np.array([[0, 0.05, 1.01], [0, 0.16, 1.1]])), [0.01, 0.01], atol=1e-12)

    def test_gap__nothing_there(self):
        g = grounds.gap(0.3, 1.0)
        h = g.height(np.zeros(3), np.array([0.9, 1.1, 1.4]))
        self.assertEqual([bool(v) for v in np.isnan(h)], [False, True, False])
        np.testing.assert_array_equal(g.depth(np.array([[0, -1.0, 1.1]])), [0.0])

    def test_mesh__is_the_profile_it_was_made_of(self):
        rng = np.random.default_rng(5)
        for ground in (SLOPE, STAIRS, grounds.stairs(0.17, 0.29, 3, -0.5)):
            mesh = grounds.Mesh(triangles_of(ground))
            p = np.stack([rng.uniform(-0.9, 0.9, 400), rng.uniform(-0.3, 0.5, 400), rng.uniform(-2.9, 2.9, 400)], axis=1)
            np.testing.assert_allclose(mesh.height(p[:, 0], p[:, 2]), ground.height(p[:, 0], p[:, 2]), atol=1e-9)
            deep = ground.depth(p)
            near = deep < 0.05  # further in, the mesh has sides and ends that the profile has not
            np.testing.assert_allclose(mesh.depth(p)[near], deep[near], atol=1e-9)

    def test_mesh__is_the_height_field_it_was_made_of(self):
        rng = np.random.default_rng(6)
        field = grounds.HeightField(rng.uniform(-0.1, 0.1, (9, 7)), 0.3, 0.2, (-1.0, 0.5, -0.8))
        mesh = grounds.Mesh(triangles_of(field))
        x, z = rng.uniform(-1.0, 0.8, 500), rng.uniform(-0.8, 0.8, 500)
        np.testing.assert_allclose(mesh.height(x, z), field.height(x, z), atol=1e-9)
        np.testing.assert_allclose(mesh.normal(x, z), field.normal(x, z), atol=1e-9)
        self.assertTrue(np.isnan(field.height(np.array([5.0]), np.array([0.0])))[0])
        self.assertTrue(np.isnan(mesh.height(np.array([5.0]), np.array([0.0])))[0])

    def test_triangle_distance__face_edge_corner(self):
        t = np.array([[[0, 0, 0], [1, 0, 0], [0, 0, 1.0]]])
        for p, d in (([0.2, 0.5, 0.2], 0.5), ([0.5, 0, -2], 2.0), ([3, 0, -2], math.sqrt(8)), ([1, 0, 1], math.sqrt(0.5))):
            np.testing.assert_allclose(grounds.triangle_distance(np.array(p, float), t), d)

    def test_from_spec__what_the_words_mean(self):
        z = np.array([0.5, 1.5, 3.0])
        at = lambda text: grounds.from_spec(text)[0].height(np.zeros(3), z)
        t10 = math.tan(math.radians(10))
        np.testing.assert_allclose(at("slope:angle=10,start=1,length=1"), [0, 0.5 * t10, t10], atol=1e-12)
        np.testing.assert_allclose(at("slope:angle=-10,start=1,y=2"), [2, 2 - 0.5 * t10, 2 - 2 * t10], atol=1e-12)
        np.testing.assert_allclose(at("stairs:rise=0.2,run=1,count=2,start=1,down"), [0, -0.2, -0.4], atol=1e-12)
        np.testing.assert_array_equal(np.isnan(at("gap:width=1,start=1")), [False, True, False])
        np.testing.assert_allclose(at("gap:width=1,start=1,depth=0.5"), [0, -0.5, 0])
        np.testing.assert_allclose(at("plane:height=1,pitch=10"), 1 + z * t10)
        # ahead along +X, then left is -Z
        np.testing.assert_allclose(at("plane:roll=10,heading=90"), -z * t10, atol=1e-12)
        self.assertEqual([grounds.from_spec(t)[1] for t in ("plane:", "slope:", "rough:", "stairs:")],
                         ["slope", "slope", "stairs", "stairs"])
        for bad in ("hill:", "slope:steep=1"):
            self.assertRaises(ValueError, grounds.from_spec, bad)

    def test_rough__stays_within_its_heights_and_where_it_is(self):
        a, b = grounds.from_spec("rough:seed=3", 4.0)[0], grounds.from_spec("rough:seed=3,x=0,z=0", 9.0)[0]
        x, z = np.random.default_rng(1).uniform(-3.9, 3.9, (2, 300))
        np.testing.assert_allclose(a.height(x, z), b.height(x, z), atol=1e-12)
        h = a.heights
        self.assertTrue(-0.04 <= h.min() < -0.035 and 0.035 < h.max() <= 0.04)

    def test_read_obj__polygons_negative_indices_and_textures(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "a.obj")
            with open(path, "w", encoding="utf-8") as file:
                file.write("# a\no x\nv 0 0 0\nv 1 0 0 1\nv 1 1 1\nv 0 1 1\nvt 0 0\nf 1/1 2/1 3 4//\nf -4 -3 -2\n")
            mesh = grounds.read_obj(path)
        self.assertEqual(len(mesh.triangles), 3)
        np.testing.assert_allclose(mesh.height(np.array([0.5]), np.array([0.25])), 0.25)


def scene(walk, up="Y"):
    clip = walk.clip()
    if up == "Z":  # the same motion in a file whose Z points up: own (x, y, z) is file (x, -z, y)
        turn = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])
        for node in clip.nodes:
            node.offset = turn @ node.offset
        values = clip.values.copy()
        values[:, :3] = clip.values[:, :3] @ turn.T
        local = turn @ walk_local(walk) @ turn.T
        for j in range(10):
            values[:, 3 + 3 * j:6 + 3 * j] = walk_on.euler_zxy(local[:, j])
        clip = clip.with_values(values)
    return Scene(clip, unit=1.0, up=up)


def walk_local(walk):
    """Local rotations (F, 10, 3, 3) of the joints in file order."""
    clip = walk.clip()
    pose = bvh.Pose(clip)
    return pose.local[:, [i for i, n in enumerate(clip.nodes) if not n.is_end]]


def run(ground, change=None, kind="stairs", source_change=None, up="Y", dt=1 / 60, **options):
    """Judges a walk on `ground`, altered by `change`, against the walk on the flat."""
    frames = int(round(4.0 / dt))
    source = walk_on.Walk(FLAT, frames, dt, change=source_change)
    made = walk_on.Walk(ground, frames, dt, change=change)
    return adapt_judge.judge(scene(source, up), scene(made, up), ground, source.labels(), 0.0, kind, **options)


def failed(result, advisory=False):
    return {e["name"] for e in result["lines"] if not e["pass"] and (advisory or not e["advisory"])}


class Perfect(unittest.TestCase):
    """What is right passes, every line, the advisory ones too."""

    def check(self, *args, **options):
        self.assertEqual(failed(run(*args, **options), True), set())

    def test_flat(self):
        self.check(FLAT, kind="slope")

    def test_slope(self):
        self.check(SLOPE, kind="slope")

    def test_slope_down(self):
        self.check(grounds.slope(-8, -0.1, 1.2), kind="slope")

    def test_plane_that_leans_across(self):
        self.check(CROSS, kind="slope")

    def test_stairs(self):
        self.check(STAIRS)

    def test_stairs_down(self):
        self.check(grounds.stairs(-0.06, 0.40, 4, -0.1))

    def test_stairs_as_triangles(self):
        self.check(grounds.Mesh(triangles_of(STAIRS, -4.0, 6.0)))

    def test_z_up(self):
        self.check(CROSS, kind="slope", up="Z")

    def test_other_rates(self):
        for dt in (1 / 24, 1 / 120):
            self.check(SLOPE, kind="slope", dt=dt)

    def test_source_that_floats_may_be_put_down_or_kept(self):
        def float_plant(walk):
            rows = (walk.times > 1.3) & (walk.times < 1.85)
            walk.toe["Left"][:, 1] += np.where(rows, 0.02, 0.0)

        for change in (None, float_plant):
            got = failed(run(SLOPE, change, "slope", float_plant))
            self.assertFalse(got & {"support off ground cm", "through ground cm"}, got)


def window(walk, side="Left", plant=1, first=0.3, last=0.7):
    """Rows within a plant, by parts of it."""
    g = walk.gaits[side]
    starts = np.flatnonzero(np.diff(g.contact.astype(int)) > 0) + 1
    a = starts[plant - 1]
    n = int(np.argmin(g.contact[a:])) if not g.contact[a:].all() else walk.frames - a
    return np.arange(a + int(first * n), a + max(int(last * n), int(first * n) + 1))


def ease(walk, rows):
    """0 to 1 and back over rows, smooth, for faults that are no jumps."""
    out = np.zeros(walk.frames)
    out[rows] = walk_on.bump((np.arange(len(rows)) + 0.5) / len(rows))
    return out


class Faults(unittest.TestCase):
    """One fault each; `name` must be among the lines that fail."""

    def find(self, name, ground, change, kind="slope", only=None, advisory=False, **options):
        got = failed(run(ground, change, kind, **options), advisory)
        self.assertIn(name, got)
        if only is not None:
            self.assertLessEqual(got, set(only) | {name})

    def test_foot_hangs_a_centimetre(self):
        def change(walk):
            walk.toe["Left"][:, 1] += 0.01 * ease(walk, window(walk))
        self.find("support off ground cm", SLOPE, change, only={"slide max cm/s", "slide mean cm/s"})

    def test_foot_hangs_on_one_frame(self):
        def change(walk):
            walk.toe["Right"][window(walk, "Right", 1, 0.5, 0.5), 1] += 0.008
        self.find("support off ground cm", STAIRS, change, "stairs")

    def test_foot_hangs_all_the_time(self):
        def change(walk):
            walk.toe["Left"][:, 1] += 0.008
        self.find("support off ground cm", SLOPE, change, only=())

    def test_foot_sinks_a_centimetre(self):
        def change(walk):
            walk.toe["Left"][:, 1] -= 0.01 * ease(walk, window(walk))
        self.find("through ground cm", SLOPE, change,
                  only={"support off ground cm", "slide max cm/s", "slide mean cm/s"})

    def test_toes_hang_over_an_edge(self):
        # heel on the upper tread, foot kept level with the lower one: the toes stand on nothing, the heel is in the step
        def change(walk):
            rows = window(walk, "Right", 1, 0.1, 0.6)
            walk.toe["Right"][rows, 1] -= 0.10
        self.find("through ground cm", STAIRS, change, "stairs")

    def test_heel_through_a_riser(self):
        # going down, plants moved back until the heel stands in the step that the foot came from
        def change(walk):
            for side in walk.toe:
                walk.toe[side][:, 2] -= 0.09
        self.find("through ground cm", grounds.stairs(-0.06, 0.40, 4, 0.0), change, "stairs")

    def test_tip_through_a_riser_in_swing(self):
        def change(walk):
            g = walk.gaits["Left"]
            walk.toe["Left"][:, 1] -= np.where(g.contact, 0.0, 0.15 * walk_on.bump(g.swing))
        self.find("through ground cm", STAIRS, change, "stairs", only=())

    def test_pitch_is_three_degrees_off(self):
        def change(walk):
            a = math.radians(3.0) * ease(walk, window(walk, "Left", 1, 0.0, 0.7))
            walk.foot["Left"] = walk.foot["Left"] @ walk_on.about([1.0, 0, 0], a)
        self.find("foot pitch off degrees", SLOPE, change, only={"through ground cm", "support off ground cm"})

    def test_foot_stays_level_on_a_slope(self):
        def change(walk):
            walk.foot["Left"] = walk_on.about([1.0, 0, 0], walk.gaits["Left"].pitch)
        self.find("foot pitch off degrees", SLOPE, change)

    def test_roll_is_three_degrees_off(self):
        def change(walk):
            a = math.radians(3.0) * ease(walk, window(walk))
            walk.foot["Left"] = walk.foot["Left"] @ walk_on.about([0.0, 0, 1.0], a)
        self.find("foot roll off degrees", CROSS, change, only={"through ground cm", "support off ground cm"})

    def test_foot_tilts_the_wrong_way(self):
        def change(walk):
            for side, g in walk.gaits.items():
                back = np.swapaxes(walk_on.upright_to(g.up), 1, 2)
                walk.foot[side] = back @ back @ walk.foot[side]
        self.find("foot pitch off degrees", SLOPE, change)

    def test_foot_tilts_over_an_edge(self):
        # on a tread no way between treads counts as ground
        def change(walk):
            a = -math.radians(15.0) * ease(walk, window(walk, "Right"))
            walk.foot["Right"] = walk_on.about([1.0, 0, 0], a) @ walk.foot["Right"]
        self.find("foot pitch off degrees", STAIRS, change, "stairs")

    def test_knee_locks(self):
        def change(walk):
            walk.pelvis[:, 1] += 0.085 * ease(walk, np.arange(walk.frames))
        self.find("knee straighter than allowed", SLOPE, change)

    def test_pelvis_steps(self):
        def change(walk):
            walk.pelvis[100:, 1] += 0.01
        self.find("pelvis jerk ratio", SLOPE, change, only=())

    def test_pelvis_shakes(self):
        def change(walk):
            walk.pelvis[:, 1] += 0.0003 * np.cos(np.arange(walk.frames) * 2.0)
        self.find("pelvis jerk ratio", STAIRS, change, "stairs", only=())

    def test_planted_toe_slides(self):
        def change(walk):
            walk.toe["Left"][:, 2] += 0.004 * ease(walk, window(walk))
        self.find("slide max cm/s", FLAT, change, only={"slide mean cm/s"})

    def test_planted_toe_creeps(self):
        def change(walk):
            walk.toe["Left"][:, 0] += 0.001 * walk.times
        self.find("slide mean cm/s", SLOPE, change, only=())

    def test_plant_is_elsewhere(self):
        def change(walk):
            for side in walk.toe:
                walk.toe[side][:, 0] += 0.12
        self.find("plants moved cm", FLAT, change, only=())

    def test_arm_is_touched(self):
        def change(walk):
            walk.chest[120, 0] += 1e-9
        self.find("other joints untouched", SLOPE, change, only=())

    def test_swinging_foot_jumps(self):
        def change(walk):
            g = walk.gaits["Left"]
            row = np.flatnonzero(~g.contact & (g.swing > 0.5))[0]
            walk.toe["Left"][row, 1] += 0.04
        self.find("toe acceleration ratio", SLOPE, change, advisory=True)

    def test_swinging_foot_is_flung_up(self):
        def change(walk):
            g = walk.gaits["Left"]
            walk.toe["Left"][:, 1] += np.where(g.contact, 0.0, 0.14 * walk_on.bump(g.swing))
        self.find("swing lifted over need cm", SLOPE, change)

    def test_knee_pops(self):
        def change(walk):
            row = np.flatnonzero(~walk.gaits["Left"].contact)[5]
            walk.foot["Left"][row] = walk.foot["Left"][row] @ walk_on.about([1.0, 0, 0], np.array([0.2]))[0]
        self.find("angular acc local max", SLOPE, change, advisory=True)

    def test_other_ground(self):
        # the clip was put onto another slope than the one it is judged on
        made = run(SLOPE)
        self.assertTrue(made["pass"])
        source, other = walk_on.Walk(FLAT), walk_on.Walk(SLOPE)
        got = adapt_judge.judge(scene(source), scene(other), grounds.slope(13, -0.1, 1.2), source.labels(), 0.0, "slope")
        self.assertIn("support off ground cm", failed(got))
        self.assertIn("foot pitch off degrees", failed(got))

    def test_no_adaptation_at_all(self):
        source = walk_on.Walk(FLAT)
        got = adapt_judge.judge(scene(source), scene(source), STAIRS, source.labels(), 0.0, "stairs")
        self.assertLessEqual({"support off ground cm", "through ground cm"}, failed(got))


class Misses(unittest.TestCase):
    def test_listed_frames_are_left_out_and_counted(self):
        rows = []

        def change(walk):
            rows[:] = window(walk)
            walk.toe["Left"][:, 1] += 0.03 * ease(walk, window(walk))
        self.assertIn("support off ground cm", failed(run(SLOPE, change, "slope")))
        misses = {"LeftToe": {"reach": [(rows[0], rows[-1])]}}
        got = run(SLOPE, change, "slope", misses=misses)
        self.assertEqual(failed(got), set())
        self.assertIn("listed as out of reach or ground", failed(got, True))

    def test_lost_ground_is_counted(self):
        hole = grounds.gap(0.5, 0.05)
        got = run(hole, lambda walk: self.keep(walk), "stairs")
        self.assertIn("over no ground and not listed", failed(got, True))
        self.assertNotIn("support off ground cm", failed(got))

    @staticmethod
    def keep(walk):
        flat = walk_on.Walk(FLAT)
        for name in ("pelvis", "chest"):
            setattr(walk, name, getattr(flat, name))
        walk.toe, walk.foot, walk.toes = flat.toe, flat.foot, flat.toes


class Lock(unittest.TestCase):
    """The run-time lock's judge, on a toe that crosses into a plant and out of it by the cubic."""

    DT, BLEND = 1 / 120, 0.2

    def toe(self):
        """(source, output, held): a toe at 1 m/s that stands from 0.5 s to 1.2 s; the source stands a little off."""
        t = np.arange(240) * self.DT
        source = np.zeros((240, 3))
        speed = np.clip((np.abs(t - 0.85) - 0.35) * 8.0, 0.0, 1.0)
        source[:, 2] = np.cumsum(speed) * self.DT
        held = (t >= 0.5 - 1e-9) & (t < 1.2 - 1e-9)
        out, velocity = source.copy(), np.vstack([np.zeros(3), np.diff(source, axis=0)]) / self.DT
        x0 = v0 = np.zeros(3)
        start = None
        for i in range(1, 240):
            if held[i] != held[i - 1]:
                start = i
                target = source[i] + 0.004 if held[i] else None
                shown, moving = out[i - 1], (out[i - 1] - out[i - 2]) / self.DT
                base = target if held[i] else source[i - 1]
                x0, v0 = shown - base, moving - (0.0 if held[i] else velocity[i - 1])
            if start is None:
                continue
            u = min((i - start + 1) * self.DT / self.BLEND, 1.0)
            left = x0 * (2 * u ** 3 - 3 * u ** 2 + 1) + v0 * self.BLEND * (u ** 3 - 2 * u ** 2 + u)
            out[i] = (target if held[i] else source[i]) + left
        return source, out, held

    def over(self, out):
        source, _, held = self.toe()
        return lock_judge.steps(source, out, held, self.BLEND, self.DT).max() * 100.0

    def test_cubic_crossings_are_explained(self):
        self.assertLess(self.over(self.toe()[1]), lock_judge.STEP)

    def test_steps_of_position_and_velocity_are_not(self):
        for change in (lambda n: np.where(n >= 62, 0.01, 0.0), lambda n: np.where(n >= 100, 0.005, 0.0),
                       lambda n: np.maximum(n - 110, 0) * 0.003):
            out = self.toe()[1]
            out[:, 1] += change(np.arange(240))
            self.assertGreater(self.over(out), lock_judge.STEP)

    def test_no_crossing_at_all(self):
        source, out, held = self.toe()
        out[held] = source[held][0] + 0.03
        out[~held] = source[~held]
        self.assertGreater(self.over(out), lock_judge.STEP)

    def test_settled__after_the_blend_and_after_gaps(self):
        plant = np.zeros(100, bool)
        plant[10:90] = True
        held = lock_judge.held_frames(plant, [(40, 49)])
        settled = lock_judge.settled_frames(held, 0.1, 0.01)
        self.assertEqual(lock_judge.plants.runs(settled), [(20, 40), (60, 90)])


if __name__ == "__main__":
    unittest.main()
