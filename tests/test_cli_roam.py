#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot roam` as people run it, judged by the joints in the files it writes, read by the judge's own reader.

Rigs of other people come from the optional data folder (SFT_DATA, default ../shared/data beside the checkout); their
tests say SKIP where it is absent. SFT_BIN is the folder of the programs.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
sys.path.insert(0, os.path.join(ROOT, "bench", "judge"))

import numpy as np  # noqa: E402

import bvh  # noqa: E402
import gltf  # noqa: E402

BIN = os.environ.get("SFT_BIN") or os.path.join(ROOT, "build", "bin")
DATA = os.environ.get("SFT_DATA") or os.path.join(ROOT, "..", "shared", "data")
NPM = os.environ.get("SFT_NPM") or ""
DONE, CHECK, USAGE, READ, WRITE, MEMORY, NO_LEGS, UNALIKE = range(8)
FEET = {"lizard": 4, "hexapod": 6, "spider": 8, "biped": 2}


def run(*arguments):
    done = subprocess.run([os.path.join(BIN, "surefoot")] + [str(a) for a in arguments], capture_output=True,
                          timeout=240, check=False)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Walk:
    """Places (F, N, 3) of all nodes of the clip `roam`, and the creature's own numbers."""

    def __init__(self, folder, *arguments, name="walk"):
        self.path = os.path.join(folder, name + ".glb")
        made = os.path.join(folder, name + ".json")
        code, out, err = run("roam", "-o", self.path, "--creature-out", made, "--json", *arguments)
        assert code == DONE, err
        self.said = json.loads(out)
        with open(made, encoding="utf-8") as file:
            self.creature = json.load(file)
        doc = gltf.Document(self.path)
        self.names = [doc.name(i) for i in range(len(doc.nodes))]
        animation = doc.clip("roam")
        self.times = animation.times()
        self.place = animation.globals(self.times)[..., :3, 3]
        self.feet = [self.names.index(leg["joints"][-1]) for leg in self.creature["legs"]]

    def foot(self, k):
        return self.place[:, self.feet[k]]

    def steps(self, k):
        """[(first, last)] frames of each time that a foot is where it was in the frame before, to a hundredth of a
        millimetre; both ends are frames at which it does not move."""
        still = np.linalg.norm(np.diff(self.foot(k), axis=0), axis=1) < 1e-5
        out, start = [], None
        for f, s in enumerate(list(still) + [False]):
            if s and start is None:
                start = f
            if not s and start is not None:
                out.append((start, f))
                start = None
        return out


class Made(unittest.TestCase):
    """The creatures that the program makes itself."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.walks = {k: Walk(cls.folder.name, "--creature", k, "--seconds", 8, name=k) for k in FEET}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_feet_stand_still_where_they_stand(self):
        for kind, walk in self.walks.items():
            for k in range(FEET[kind]):
                plants = [(a, b) for a, b in walk.steps(k) if b - a >= 2]
                self.assertGreater(len(plants), 6, kind)
                foot = walk.foot(k)
                slide = [np.linalg.norm(foot[f + 1] - foot[f]) / (walk.times[f + 1] - walk.times[f])
                         for a, b in plants for f in range(a, b)]
                self.assertLess(100 * np.mean(slide), 0.02, kind)
                for a, b in plants:
                    self.assertLess(np.ptp(foot[a:b + 1], axis=0).max(), 1e-4, kind)

    def test_as_many_feet_stand_as_the_gait_asks_for(self):
        for kind, walk in self.walks.items():
            moving = np.zeros(len(walk.times) - 1, int)
            for k in range(FEET[kind]):
                foot = walk.foot(k)
                # The first and last twelfth of a swing is slower than this.
                moving += np.linalg.norm(np.diff(foot, axis=0), axis=1) / np.diff(walk.times) > 0.02
            self.assertLessEqual(moving.max(), FEET[kind] // 2, kind)

    def test_it_goes_and_does_not_shuffle(self):
        for kind, walk in self.walks.items():
            self.assertEqual(len(walk.feet), FEET[kind])
            hips = walk.place[:, walk.names.index(walk.creature["body"])]
            # Second 2 to 8: it starts from rest.
            f = int(np.searchsorted(walk.times, 2.0))
            speed = (hips[-1, 2] - hips[f, 2]) / (walk.times[-1] - walk.times[f])
            self.assertGreater(speed, 0.7 * walk.said["safe_speed_m_s"], kind)
            self.assertLess(abs(hips[-1, 0]), 0.05 * hips[-1, 2], kind)
            for k, leg in enumerate(walk.creature["legs"]):
                plants = [a for a, b in walk.steps(k) if b - a >= 2]
                strides = [np.linalg.norm(walk.foot(k)[b] - walk.foot(k)[a]) for a, b in zip(plants, plants[1:])]
                self.assertGreater(np.mean(strides), 0.5 * leg["step_distance"], kind)
            counts = [leg["steps"] for leg in walk.said["legs"]]
            self.assertLessEqual(max(counts) - min(counts), 1, kind)

    def test_swings_are_lifted_and_stay_over_the_ground(self):
        for kind, walk in self.walks.items():
            for k in range(FEET[kind]):
                foot = walk.foot(k)
                rest = np.median(foot[:, 1])
                self.assertGreater(foot[:, 1].min(), rest - 1e-4, kind)
                # A control point half a stride up lifts a quarter of it; where that would pass the hip nearly, as legs
                # of insects and birds fold below it, it is lowered to two fifths, which lift a fifth.
                least = 0.2 if kind == "lizard" else 0.16
                self.assertGreater(foot[:, 1].max() - rest, least * walk.said["stride_m"], kind)

    def test_no_limb_flips_round_its_hip(self):
        """A foot in the air that its leg's shortest reach pushed round the hip turned bones by up to 4,700, 3,700 and
        3,500 degrees a second, where on level ground those of a lizard, whose are the fastest, turn by 2,540."""
        with tempfile.TemporaryDirectory() as folder:
            for kind in ("lizard", "hexapod", "spider"):
                for angle in (-35, -30, 35):
                    walk = Walk(folder, "--creature", kind, "--ground", f"slope:angle={angle},start=1", "--seconds", 8,
                                "--fps", 120)
                    for leg in walk.creature["legs"]:
                        for a, b in zip(leg["joints"], leg["joints"][1:]):
                            bone = walk.place[:, walk.names.index(b)] - walk.place[:, walk.names.index(a)]
                            bone /= np.linalg.norm(bone, axis=1, keepdims=True)
                            turned = 2 * np.arcsin(np.linalg.norm(np.diff(bone, axis=0), axis=1) / 2)
                            self.assertLess(np.degrees(turned.max()) * 120, 3000, (kind, angle, b))

    def test_legs_do_not_cross(self):
        """A biped's foot that found no place ahead was put down 0.3 m on the other side of the foot that stood."""
        with tempfile.TemporaryDirectory() as folder:
            for rise, run_length in ((0.08, 0.3), (0.1, 0.25), (0.15, 0.3)):
                walk = Walk(folder, "--creature", "biped", "--seconds", 12, "--fps", 120,
                            "--ground", f"stairs:rise={rise},run={run_length},count=60,start=1")
                sides = [leg["side"] for leg in walk.creature["legs"]]
                left, right = walk.foot(sides.index("left")), walk.foot(sides.index("right"))
                stand = [np.linalg.norm(np.diff(foot, axis=0), axis=1) < 1e-5 for foot in (left, right)]
                both = 1 + np.flatnonzero(stand[0] & stand[1])
                self.assertGreater(len(both), 20)
                # It goes along +Z, so its left is +X.
                self.assertGreater((left[both, 0] - right[both, 0]).min(), 0)

    def test_same_input_same_bytes_and_steps_do_not_depend_on_the_frame_rate(self):
        with tempfile.TemporaryDirectory() as folder:
            again = Walk(folder, "--creature", "hexapod", "--seconds", 8)
            self.assertEqual(content(again.path), content(self.walks["hexapod"].path))
            fast = Walk(folder, "--creature", "hexapod", "--seconds", 8, "--fps", 60, name="fast")
            self.assertTrue(np.array_equal(fast.place[::2], self.walks["hexapod"].place))

    def test_check_sees_no_slide_where_feet_stood(self):
        for kind in FEET:
            with tempfile.TemporaryDirectory() as folder:
                clip, labels = os.path.join(folder, "walk.glb"), os.path.join(folder, "labels.csv")
                code, _, err = run("roam", "--creature", kind, "--seconds", 8, "-o", clip, "--contacts-out", labels)
                self.assertEqual(code, DONE, err)
                code, out, err = run("check", clip, "--contacts", labels, "--json", "--max-mean-slide", "0.02")
                self.assertEqual(code, DONE, err)
                self.assertEqual(len(json.loads(out)["feet"]), FEET[kind], kind)

    def test_check_sees_no_slide_by_its_own_labels(self):
        with tempfile.TemporaryDirectory() as folder:
            clips = [walk.path for walk in self.walks.values()]
            for kind, more in (("lizard", ("--scale", 0.1)), ("spider", ("--scale", 10, "--fps", 60)),
                               ("hexapod", ("--ground", "slope:angle=-25", "--fps", 60)),
                               ("spider", ("--ground", "slope:angle=-35,start=0.6")),
                               ("hexapod", ("--path", "circle:radius=1", "--seconds", 20)),
                               ("hexapod", ("--path", "figure8:radius=1", "--seconds", 20)),
                               ("spider", ("--path", "circle:radius=1", "--seconds", 20)),
                               ("spider", ("--path", "figure8:radius=1", "--seconds", 20)),
                               ("biped", ("--path", "figure8", "--fps", 24)), ("lizard", ("--speed", 0.1))):
                for suffix in (".glb", ".bvh"):
                    clips.append(os.path.join(folder, str(len(clips)) + suffix))
                    code, _, err = run("roam", "--creature", kind, "--seconds", 8, "-o", clips[-1], *more)
                    self.assertEqual(code, DONE, err)
            for clip in clips:
                code, out, err = run("check", clip, "--unit", "cm" if clip.endswith("bvh") else "m", "--json",
                                     "--max-mean-slide", "0.02")
                self.assertEqual(code, DONE, clip + out + err)
                said = json.loads(out)
                # And sees feet that stand: a third of the time at least.
                frames = said["frames"]
                for foot in said["feet"]:
                    self.assertGreater(foot["planted_frames"], frames / 4, clip)

    def test_its_own_numbers_given_back_walk_the_same(self):
        walk = self.walks["lizard"]
        with tempfile.TemporaryDirectory() as folder:
            made = os.path.join(self.folder.name, "lizard.json")
            again = Walk(folder, "--rig", walk.path, "--creature", made, "--seconds", 8)
            self.assertTrue(np.array_equal(again.place, walk.place))

    def test_files_are_valid(self):
        if not NPM or shutil.which("node") is None or not os.path.isdir(os.path.join(NPM, "node_modules",
                                                                                     "gltf-validator")):
            self.skipTest("SKIP: node or gltf-validator is absent")
        paths = [w.path for w in self.walks.values()]
        done = subprocess.run(["node", os.path.join(ROOT, "tools", "validate_gltf.mjs"), "--packages", NPM, "--list",
                               *paths], capture_output=True, check=False)
        said = done.stdout.decode() + done.stderr.decode()
        self.assertEqual(done.returncode, 0, said)
        # Nor a warning: of each file its name alone is said.
        self.assertEqual(said.split(), paths)

    def test_bvh_comes_out_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "lizard.bvh")
            code, _, err = run("roam", "-o", path, "--seconds", 8)
            self.assertEqual(code, DONE, err)
            made = bvh.read(path)
            walk = self.walks["lizard"]
            names = [n.name for n in made.nodes]
            place = bvh.Pose(made).position * 0.01
            for k in walk.feet:
                self.assertLess(np.abs(place[:, names.index(walk.names[k])] - walk.place[:, k]).max(), 2e-5)


class Led(unittest.TestCase):
    """Paths and grounds."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def walk(self, *arguments):
        return Walk(self.folder.name, *arguments)

    def test_a_circle_is_a_circle(self):
        walk = self.walk("--path", "circle:radius=0.8", "--seconds", 20)
        hips = walk.place[:, walk.names.index("hips")]
        away = np.hypot(hips[:, 0] - 0.8, hips[:, 2])
        late = walk.times > 4
        self.assertLess(np.abs(away[late] - 0.8).max(), 0.25)
        # It goes to the left of +Z first, and all the way round.
        turned = np.unwrap(np.arctan2(hips[:, 2], 0.8 - hips[:, 0]))
        self.assertGreater(turned[-1], 1.5 * math.pi)

    def test_an_eight_crosses_itself(self):
        walk = self.walk("--path", "figure8:radius=0.6", "--seconds", 24)
        hips = walk.place[:, walk.names.index("hips")]
        self.assertGreater(hips[:, 0].max(), 0.7)
        self.assertLess(hips[:, 0].min(), -0.3)

    def test_standing_stands(self):
        walk = self.walk("--path", "stand", "--seconds", 10)
        self.assertEqual(walk.times[-1], 10)
        self.assertLess(np.abs(walk.place[-1] - walk.place[0]).max(), 1e-6)

    def test_points_of_a_file(self):
        path = os.path.join(self.folder.name, "points.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write("# x,z\n0,0\n0,1\n\n-1.5,1\n")
        walk = self.walk("--path", path, "--seconds", 24)
        hips = walk.place[:, walk.names.index("hips")]
        self.assertLess(hips[-1, 0], -0.9)
        self.assertLess(abs(hips[-1, 2] - 1), 0.4)

    def test_led_by_hand(self):
        goals = os.path.join(self.folder.name, "goals.csv")
        with open(goals, "w", encoding="utf-8") as file:
            file.write("# led by hand\n1,0.5,0.6\n\n9, push, 0.06, 0\n11,stand\n")
        walk = Walk(self.folder.name, "--goals", goals, "--seconds", 12, name="goals")
        hips = walk.place[:, walk.names.index(walk.creature["body"])]
        at = lambda seconds: hips[int(np.searchsorted(walk.times, seconds))][[0, 2]]  # noqa: E731
        # It stands until it is led, stops about the goal, and is shoved by what its legs allow of the push.
        self.assertLess(np.linalg.norm(at(1) - at(0)), 1e-4)
        self.assertLess(np.linalg.norm(at(8.5) - [0.5, 0.6]), walk.creature["motion"]["approach_distance"])
        # Hips sway a little about the body as it steps after the shove.
        self.assertGreater(at(9.5)[0] - at(8.9)[0], 0.03)
        self.assertLess(at(9.5)[0] - at(8.9)[0], 0.09)
        self.assertLess(walk.said["slide_max_cm_s"], 0.001)
        with open(goals, "w", encoding="utf-8") as file:
            file.write("")
        walk = Walk(self.folder.name, "--goals", goals, "--seconds", 2, name="goals")
        self.assertEqual([leg["steps"] for leg in walk.said["legs"]], [0, 0, 0, 0])

    def test_parts_of_what_it_would_choose(self):
        plain = Walk(self.folder.name, "--seconds", 6, name="plain")
        tuned = Walk(self.folder.name, "--seconds", 6, "--tune", "stride=0.5,lift=2", name="tuned")
        self.assertAlmostEqual(tuned.said["stride_m"] / plain.said["stride_m"], 0.5, delta=0.15)
        rise = [max(np.ptp(w.foot(k)[:, 1]) for k in range(4)) / w.said["stride_m"] for w in (plain, tuned)]
        self.assertAlmostEqual(rise[1] / rise[0], 2, delta=0.4)
        slow = Walk(self.folder.name, "--seconds", 6, "--tune", "step-time=2", name="tuned")
        self.assertAlmostEqual(slow.said["safe_speed_m_s"] / plain.said["safe_speed_m_s"], 0.5, delta=0.01)

    def test_stairs_are_stood_on(self):
        walk = self.walk("--ground", "stairs:rise=0.02,run=0.2,count=6,start=0.4", "--seconds", 16)
        for k in range(4):
            foot = walk.foot(k)
            offset = foot[0, 1]
            levels = set()
            for a, b in walk.steps(k):
                if b - a < 2:
                    continue
                z, y = foot[a, 2], foot[a, 1] - offset
                # Its own stairs: up by 2 cm at 0.4 m and every 0.2 m after that, six times.
                step = min(max(math.floor((z - 0.4) / 0.2) + 1, 0), 6)
                self.assertLess(abs(y - 0.02 * step), 1e-4)
                levels.add(step)
            self.assertGreater(len(levels), 4)

    def test_a_slope_is_stood_on(self):
        walk = self.walk("--ground", "slope:angle=20,start=0.3", "--seconds", 12)
        tangent = math.tan(math.radians(20))
        for k in range(4):
            foot, offset = walk.foot(k), walk.creature["legs"][k]["ankle_offset"]
            plants = [a for a, b in walk.steps(k) if b - a >= 2 and walk.foot(k)[a, 2] > 0.5]
            self.assertGreater(len(plants), 3)
            for a in plants:
                # A sole on the slope has its joint an ankle's height along the normal from it.
                z = foot[a, 2] + offset * math.sin(math.radians(20))
                y = foot[a, 1] - offset * math.cos(math.radians(20))
                self.assertLess(abs(y - tangent * (z - 0.3)), 1e-4)

    def test_it_stops_at_a_gap(self):
        walk = self.walk("--ground", "gap:width=3,start=0.8", "--seconds", 12)
        hips = walk.place[:, walk.names.index("hips")]
        self.assertLess(hips[-1, 2], 0.9)
        self.assertGreater(walk.said["blocked"], 0.2)
        for k in range(4):
            # No foot over the hole.
            for a, b in walk.steps(k):
                if b - a >= 2:
                    self.assertLess(walk.foot(k)[a, 2], 0.8)

    def test_it_stops_before_obstacles_and_walls_of_the_ground(self):
        wall = "v -3 0 1.5\nv 3 0 1.5\nv 3 1 1.5\nv -3 1 1.5\nv -3 0 1.7\nv 3 0 1.7\nv 3 1 1.7\nv -3 1 1.7\n"
        floor = "v -9 0 -9\nv 9 0 -9\nv 9 0 9\nv -9 0 9\nf 9 12 11 10\n"
        faces = "f 1 2 3 4\nf 5 8 7 6\nf 4 3 7 8\n"
        path = os.path.join(self.folder.name, "wall.obj")
        for option, text in (("--obstacles", wall + faces), ("--ground", wall + floor + faces)):
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            walk = self.walk(option, path, "--seconds", 8)
            self.assertLess(walk.place[..., 2].max(), 1.52)
            self.assertGreater(walk.place[-1, :, 2].max(), 1.3)
            self.assertGreater(walk.said["blocked"], 0.5)

    def test_sizes(self):
        for scale in (0.1, 10):
            walk = self.walk("--scale", scale, "--seconds", 10)
            self.assertGreater(walk.said["speed_m_s"], 0.6 * walk.said["safe_speed_m_s"])
            self.assertLess(walk.said["slide_mean_cm_s"], 0.02)

    def test_gaits(self):
        for gait, most in (("tripod", 3), ("ripple", 2), ("wave", 1)):
            walk = self.walk("--creature", "hexapod", "--gait", gait, "--seconds", 8)
            self.assertEqual(sum(share for k, share in enumerate(walk.said["feet_in_air"]) if k > most), 0)
            self.assertGreater(walk.said["speed_m_s"], 0.6 * walk.said["safe_speed_m_s"])

    def test_picture(self):
        path = os.path.join(self.folder.name, "traces.svg")
        self.walk("--picture", path, "--seconds", 4)
        text = content(path).decode()
        self.assertEqual(text.count("<polyline"), 5)
        self.assertIn("L0", text)
        # Eight poses of 29 bones, with four feet each, some of them in the air.
        self.assertEqual(text.count("<path"), 8 * 29)
        self.assertIn('fill="#fff"/>', text)
        # Who stands has poses too.
        self.walk("--picture", path, "--seconds", 0, "--path", "stand")
        self.assertEqual(content(path).decode().count("<path"), 29)

    def test_picture_of_a_rig_below_a_root(self):
        """A node above the body, which stays where it is, changes nothing of the picture."""
        plain, rooted = os.path.join(self.folder.name, "plain.glb"), os.path.join(self.folder.name, "rooted.glb")
        self.assertEqual(run("roam", "-o", plain, "--seconds", 0)[0], DONE)
        data = content(plain)
        size = int.from_bytes(data[12:16], "little")
        scene = json.loads(data[20:20 + size])
        scene["nodes"].append({"name": "world", "children": [0]})
        self.assertEqual(scene["nodes"][0]["name"], "hips")
        nodes = scene["scenes"][0]["nodes"]
        nodes[nodes.index(0)] = len(scene["nodes"]) - 1
        text = json.dumps(scene).encode()
        text += b" " * (-len(text) % 4)
        with open(rooted, "wb") as file:
            whole = 20 + len(text) + len(data) - 20 - size
            file.write(b"glTF" + (2).to_bytes(4, "little") + whole.to_bytes(4, "little"))
            file.write(len(text).to_bytes(4, "little") + b"JSON" + text + data[20 + size:])
        pictures = []
        for rig in (plain, rooted):
            path = os.path.join(self.folder.name, "p.svg")
            code, _, error = run("roam", "--rig", rig, "--seconds", 4, "--picture", path, "-o",
                                 os.path.join(self.folder.name, "x.glb"))
            self.assertEqual(code, DONE, error)
            pictures.append(content(path))
        self.assertEqual(pictures[0], pictures[1])

    def test_the_pictures_of_the_documentation_are_what_the_program_makes(self):
        """The commands are those of docs/creature.md."""
        page = content(os.path.join(ROOT, "docs", "creature.md")).decode()
        found = re.findall(r"`surefoot roam ([^`]* --picture (creature[a-z_]*\.svg)) -o [^`]*`", page)
        self.assertEqual(len(found), 6)
        for words, name in found:
            path = os.path.join(self.folder.name, name)
            code, _, error = run("roam", *words.split()[:-1], path, "-o", os.path.join(self.folder.name, "x.glb"))
            self.assertEqual((code, error), (DONE, ""))
            self.assertEqual(content(path), content(os.path.join(ROOT, "docs", "images", name)), name)


class Refused(unittest.TestCase):
    """What is not as it should be."""

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_words_and_numbers(self):
        out = self.path("o.glb")
        for arguments, says in (
                ([], "give -o"), (["-o", out, "extra"], "takes no files"), (["-o", out, "--path", "line:radius=3"], "takes"),
                (["-o", out, "--path", "circle:radius=-1"], "radius"), (["-o", out, "--gait", "gallop"], "gallop"),
                (["-o", out, "--gait", "tripod"], "can"), (["-o", out, "--seconds", "nan"], "--seconds"),
                (["-o", out, "--seconds", "36000", "--fps", "1000"], "too many"), (["-o", out, "--fps", "0"], "--fps"),
                (["-o", out, "--scale", "0"], "--scale"), (["-o", out, "--look", "1,2"], "--look"),
                (["-o", out, "--creature", "dragon.json"], "--rig"), (["-o", out, "--ground", "lava:"], "lava"),
                (["-o", "-", "--json"], "standard output"), (["-o", out, "--picture", out], "o.glb"),
                (["-o", out, "--rig", "x.glb", "--scale", "2"], "--scale"), (["-o", self.path("o.fbx")], "fbx"),
                (["-o", out, "--path", "cirle"], "figure8"), (["-o", out, "--nonsense"], ""),
                (["-o", out, "--path", "line", "--goals", "g.csv"], "--goals"), (["-o", out, "--tune", "gallop=2"], "stride"),
                (["-o", out, "--tune", "lift"], "KEY=K"), (["-o", out, "--tune", "bob=1,lift=9"], "--tune lift")):
            code, _, err = run("roam", *arguments)
            self.assertEqual(code, USAGE, (arguments, err))
            self.assertIn(says, err)
            self.assertFalse(os.path.exists(out))

    def test_files(self):
        out = self.path("o.glb")
        creature = self.path("c.json")
        rig = self.path("rig.glb")
        self.assertEqual(run("roam", "-o", rig, "--seconds", 0, "--creature-out", creature)[0], DONE)
        text = content(creature).decode()
        for before, after, says in (("\"hips\"", "\"hipz\"", "hipz"), ("\"lift\": 0.5", "\"lift\": -1", "lift"),
                                    ("\"motion\"", "\"motoin\"", "motoin"), ("\"scale\": 1", "\"scale\": 3", "size"),
                                    ("{", "", "")):
            with open(creature, "w", encoding="utf-8") as file:
                file.write(text.replace(before, after, 1))
            code, _, err = run("roam", "--rig", rig, "--creature", creature, "-o", out)
            self.assertEqual(code, READ, err)
            self.assertIn(says, err)
            self.assertRegex(err, r"c\.json:\d+:")
        code, _, err = run("roam", "--rig", self.path("nothing.glb"), "-o", out)
        self.assertEqual(code, READ, err)
        code, _, err = run("roam", "--path", self.path("nothing.csv"), "-o", out)
        self.assertEqual(code, READ, err)
        for line, number in (("0,zero", 2), ("1e9,0", 2), ("1,2,3,4", 2)):
            with open(self.path("p.csv"), "w", encoding="utf-8") as file:
                file.write("0,0\n" + line + "\n")
            code, _, err = run("roam", "--path", self.path("p.csv"), "-o", out)
            self.assertEqual(code, READ, err)
            self.assertIn("p.csv:%d" % number, err)
        for line, number in (("1,zero,2", 2), ("1,2,3,4", 2), ("-1,0,0", 2), ("0.5,push,1", 2), ("0.25,stand", 2)):
            with open(self.path("g.csv"), "w", encoding="utf-8") as file:
                file.write("0.5,0,1\n" + line + "\n")
            code, _, err = run("roam", "--goals", self.path("g.csv"), "-o", out)
            self.assertEqual(code, READ, err)
            self.assertIn("g.csv:%d" % number, err)
        code, _, err = run("roam", "-o", self.path("no/such/folder.glb"), "--seconds", 1)
        self.assertEqual(code, WRITE, err)
        self.assertFalse(os.path.exists(out))

    def test_a_file_without_joints(self):
        crate = self.path("crate.gltf")
        with open(crate, "w", encoding="utf-8") as file:
            json.dump({"asset": {"version": "2.0"}, "scenes": [{"nodes": [0]}], "nodes": [{"name": "crate", "mesh": 0}],
                       "meshes": [{"primitives": [{"attributes": {}}]}]}, file)
        code, _, err = run("roam", "--rig", crate, "-o", self.path("o.glb"))
        self.assertEqual(code, NO_LEGS, err)
        self.assertIn("no joints", err)

    def test_a_word_that_is_no_creature_of_a_rig(self):
        rig = self.path("rig.glb")
        self.assertEqual(run("roam", "-o", rig, "--seconds", 0)[0], DONE)
        code, _, err = run("roam", "-o", self.path("o.glb"), "--rig", rig, "--creature", "lizzard")
        self.assertEqual(code, USAGE, err)
        self.assertIn("no file", err)
        # Nor is one that the program makes put into it, or it instead.
        code, _, err = run("roam", "-o", self.path("o.glb"), "--rig", rig, "--creature", "hexapod")
        self.assertEqual(code, USAGE, err)
        self.assertIn("hexapod", err)

    def test_a_rig_without_legs(self):
        path = self.path("post.bvh")
        with open(path, "w", encoding="utf-8") as file:
            file.write("HIERARCHY\nROOT post\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Yrotation "
                       "Xrotation\nEnd Site\n{\nOFFSET 0 100 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n")
        code, _, err = run("roam", "--rig", path, "-o", self.path("o.glb"))
        self.assertEqual(code, NO_LEGS, err)
        self.assertIn("no legs", err)


class Rigs(unittest.TestCase):
    """Rigs of other people."""

    def test_every_bvh_walks_or_says_that_it_has_no_legs(self):
        folder = os.path.join(DATA, "bvh")
        if not os.path.isdir(folder):
            self.skipTest("SKIP: the optional data folder is absent")
        walked = 0
        with tempfile.TemporaryDirectory() as made:
            for name in sorted(os.listdir(folder)):
                if not name.endswith(".bvh"):
                    continue
                # Some have eyes that the hierarchy gives no channels.
                code, _, err = run("roam", "--rig", os.path.join(folder, name), "--seconds", 1, "-o",
                                   os.path.join(made, "o.bvh"))
                self.assertIn(code, (DONE, NO_LEGS), (name, err))
                walked += code == DONE
        self.assertGreater(walked, 20)

    def test_a_rig_in_another_unit_walks_as_it_would_in_metres(self):
        with tempfile.TemporaryDirectory() as folder:
            large, small = os.path.join(folder, "large.glb"), os.path.join(folder, "small.glb")
            self.assertEqual(run("roam", "--creature", "biped", "--scale", 100, "--seconds", 0, "-o", large)[0], DONE)
            self.assertEqual(run("roam", "--creature", "biped", "--seconds", 0, "-o", small)[0], DONE)
            # A figure of 67 m is none, so another unit is taken and said, as by every other command.
            code, _, err = run("roam", "--rig", large, "--seconds", 1, "-o", os.path.join(folder, "o.glb"))
            self.assertEqual(code, DONE, err)
            self.assertIn("--unit", err)
            guessed = Walk(folder, "--rig", large, "--seconds", 1, name="g")
            self.assertLess(guessed.creature["legs"][0]["reach_max"], 2)
            # What is said is in metres; the file keeps its unit.
            cm = Walk(folder, "--rig", large, "--unit", "cm", "--seconds", 4, name="a")
            metre = Walk(folder, "--rig", small, "--seconds", 4, name="b")
            self.assertAlmostEqual(cm.said["stride_m"], metre.said["stride_m"], places=4)
            self.assertAlmostEqual(cm.said["distance_m"], metre.said["distance_m"], places=4)
            self.assertLess(np.abs(cm.foot(0) - 100 * metre.foot(0)).max(), 0.01)

    def test_fox_and_spider(self):
        for name, legs in (("m2m_fox-animations", 4), ("m2m_spider-animations", 8)):
            rig = os.path.join(DATA, "gltf", name + ".glb")
            if not os.path.isfile(rig):
                self.skipTest("SKIP: the optional data folder is absent")
            with tempfile.TemporaryDirectory() as folder:
                walk = Walk(folder, "--rig", rig, "--seconds", 12)
                self.assertEqual(len(walk.feet), legs)
                self.assertLess(walk.said["slide_mean_cm_s"], 0.02)
                code, out, err = run("check", walk.path, "--clip", "roam", "--max-mean-slide", "0.02")
                self.assertEqual(code, DONE, name + out + err)
                self.assertGreater(walk.said["speed_m_s"], 0.7 * walk.said["safe_speed_m_s"])
                for k in range(legs):
                    plants = [(a, b) for a, b in walk.steps(k) if b - a >= 2]
                    self.assertGreater(len(plants), 4, name)
                # Its own clips are all there still.
                before, after = gltf.Document(rig), gltf.Document(walk.path)
                self.assertEqual(len(after.animations), len(before.animations) + 1)


if __name__ == "__main__":
    unittest.main(verbosity=1)
