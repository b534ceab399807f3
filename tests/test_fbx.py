#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""surefoot-fbx on files written here, with positions worked out by hand, and on broken ones.

SFT_BIN is the folder of the programs; SFT_FBX_READER another reader to test (the studio's); SFT_DATA (default ../shared/data beside the checkout) the optional data folder;
SFT_FBX_MUTANTS the number of mutated copies of real files (default 80)."""
import os
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

from fbx_text import AUTO, CONSTANT, CUBIC, LINEAR, USER, X_UP, Y_UP, Z_UP, Curve, Glb, Joint, Take, write

BIN = pathlib.Path(os.environ["SFT_BIN"])
READER = pathlib.Path(os.environ.get("SFT_FBX_READER") or BIN / "surefoot-fbx")
SOURCE = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("SFT_DATA") or SOURCE.parent / "shared" / "data")
INHERIT_PLAIN = {"InheritType": 1}


def run(arguments, **options):
    return subprocess.run([str(a) for a in arguments], capture_output=True, timeout=60, check=False, **options)


def read(text):
    """The GLB of a text, read from standard input."""
    done = run([READER, "-"], input=text.encode())
    assert done.returncode == 0, done.stderr.decode()
    return Glb(done.stdout)


def chain(**properties):
    """Hip 100 up, knee 40 below it, ankle 40 below and 5 before the knee."""
    all_ = {**INHERIT_PLAIN, **properties}
    return [Joint("Hip", None, (0, 100, 0), **all_), Joint("Knee", "Hip", (0, -40, 0), **all_),
            Joint("Ankle", "Knee", (0, -40, 5), **all_)]


class Case(unittest.TestCase):
    def close(self, got, want, tolerance=2e-6):
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            self.assertLessEqual(abs(g - w), tolerance * max(1.0, abs(w)), f"{got} is not {want}")

    def warns(self, glb, *words):
        self.assertTrue(any(all(w in warning for w in words) for warning in glb.warnings), f"{words}: {glb.warnings}")


class Rest(Case):
    def test_fbx__units_become_metres(self):
        for unit, metres in ((1.0, 0.01), (100.0, 1.0), (2.54, 0.0254), (0.1, 0.001), (91.44, 0.9144)):
            glb = read(write(chain(), unit=unit))
            self.assertEqual(glb.extras["unit_metres"], metres)
            at = glb.positions()
            self.close(at["Hip"], [0, 100 * metres, 0])
            self.close(at["Ankle"], [0, 20 * metres, 5 * metres])
            # The nodes' own numbers stay what they are in the file.
            self.assertEqual(glb.nodes[glb.names().index("Ankle")]["translation"], [0, -40, 5])

    def test_fbx__axes_become_y_up(self):
        point = [Joint("Point", None, (1, 2, 3), **INHERIT_PLAIN)]
        self.close(read(write(point, axes=Y_UP)).positions()["Point"], [0.01, 0.02, 0.03])
        self.close(read(write(point, axes=Z_UP)).positions()["Point"], [0.01, 0.03, -0.02])
        self.close(read(write(point, axes=X_UP)).positions()["Point"], [-0.02, 0.01, 0.03])
        self.close(read(write(point, axes=Z_UP, unit=100.0)).positions()["Point"], [1, 3, -2])
        self.assertEqual(read(write(point, axes=Z_UP)).extras["up"], "Z")
        # Left-handed: right is -X. Mirrored, and said.
        left = read(write(point, axes=(1, 1, 2, 1, 0, -1)))
        self.close(left.positions()["Point"], [-0.01, 0.02, 0.03])
        self.warns(left, "left-handed")

    def test_fbx__nonsense_units_and_axes_are_said(self):
        glb = read(write(chain(), unit=-3.0, axes=(1, 1, 1, 1, 0, 1)))
        self.close(glb.positions()["Hip"], [0, 1, 0])
        self.warns(glb, "unit")
        self.warns(glb, "axes")

    def test_fbx__rotations_and_their_order(self):
        # XYZ: about x first. (0,0,1) turned 90 about x is (0,-1,0), then 90 about z is (1,0,0).
        for order, want in ((0, (1, 0, 0)), (1, (1, 0, 0)), (5, (0, -1, 0))):
            glb = read(write([Joint("A", None, r=(90, 0, 90), RotationOrder=order, RotationActive=1, **INHERIT_PLAIN),
                              Joint("B", "A", (0, 0, 1), **INHERIT_PLAIN)], unit=100.0))
            self.close(glb.positions()["B"], want)

    def test_fbx__pre_and_post_rotation(self):
        # Turned by PreRotation, then Lcl Rotation, then back by PostRotation, from the left: 90 about z, 0, -90 about x.
        # (0,0,1): -90 about x gives (0,1,0), 90 about z gives (-1,0,0).
        joints = [Joint("A", None, PreRotation=(0, 0, 90), PostRotation=(90, 0, 0), RotationActive=1, **INHERIT_PLAIN),
                  Joint("B", "A", (0, 0, 1), **INHERIT_PLAIN)]
        self.close(read(write(joints, unit=100.0)).positions()["B"], [-1, 0, 0])
        # The same where a curve moves it: at its end 90 about z more, so (0,0,1) goes on to (0,-1,0).
        curve = Curve("A", "Rotation", "Z", [(0, 0), (1, 90)])
        glb = read(write(joints, [Take("turn", [curve], 0, 1)], unit=100.0))
        self.close(glb.positions("turn", 0)["B"], [-1, 0, 0])
        self.close(glb.positions("turn", 1 / 30)["B"], [0, -1, 0])

    def test_fbx__pivots(self):
        # A turn of 90 about z around the point (1,0,0): the origin goes to (1,-1,0).
        joints = [Joint("A", None, (5, 0, 0), RotationPivot=(1, 0, 0), RotationActive=1, **INHERIT_PLAIN)]
        glb = read(write(joints, [Take("t", [Curve("A", "Rotation", "Z", [(0, 0), (1, 90)])], 0, 1)], unit=100.0))
        self.close(glb.positions()["A"], [5, 0, 0])
        self.close(glb.positions("t", 0)["A"], [5, 0, 0])
        self.close(glb.positions("t", 1 / 30)["A"], [6, -1, 0])
        self.assertEqual(glb.names(), ["RootNode", "A"])

    def test_fbx__geometric_transforms_stay_with_the_mesh(self):
        joints = [Joint("A", None, (0, 1, 0), GeometricTranslation=(7, 7, 7), GeometricRotation=(0, 0, 90),
                        **INHERIT_PLAIN), Joint("B", "A", (0, 1, 0), **INHERIT_PLAIN)]
        glb = read(write(joints, [Take("t", [Curve("A", "Translation", "X", [(0, 0), (1, 3)])], 0, 1)], unit=100.0))
        self.close(glb.positions()["B"], [0, 2, 0])
        self.close(glb.positions("t", 1 / 30)["B"], [3, 2, 0])

    def test_fbx__axes_without_a_curve_stay_where_they_are(self):
        # With a pivot (which is at the joint itself here) assimp goes another way, and takes them to 0.
        for properties in ({}, {"GeometricTranslation": (1, 1, 1)}):
            joints = [Joint("A", None, (0, 1, 0), r=(0, 0, 90), s=(1, 2, 1), RotationOrder=3, RotationActive=1,
                            **properties, **INHERIT_PLAIN), Joint("B", "A", (1, 1, 0), **INHERIT_PLAIN)]
            curves = [Curve("A", "Translation", "X", [(0, 0), (1, 3)]), Curve("A", "Rotation", "X", [(0, 0), (1, 90)]),
                      Curve("A", "Scaling", "X", [(0, 1), (1, 3)])]
            glb = read(write(joints, [Take("t", curves, 0, 1)], unit=100.0))
            self.close(glb.positions("t", 0)["B"], [-2, 2, 0])
            # YXZ, at the end: (1,1,0) scaled is (3,2,0), turned 90 about x (3,0,2), then 90 about z (0,3,2).
            self.close(glb.positions("t", 1 / 30)["B"], [3, 4, 2])

    def test_fbx__segment_scale_compensation(self):
        # Rrs: B does not inherit the 2 of A; its own place is still scaled by it. C is 1 from B, times 3.
        joints = [Joint("A", None, s=(2, 2, 2), InheritType=1), Joint("B", "A", (0, 1, 0), s=(3, 3, 3), InheritType=2),
                  Joint("C", "B", (0, 1, 0), InheritType=2)]
        glb = read(write(joints, unit=100.0))
        self.close(glb.positions()["B"], [0, 2, 0])
        self.close(glb.positions()["C"], [0, 5, 0])
        self.assertEqual(glb.warnings, [])

    def test_fbx__uneven_scale_kept_apart_from_turns(self):
        # RrSs: B's place is scaled by A. C's is scaled by A and B (6,1,1), then turned by B: (6,0,0) to (0,6,0), where a
        # matrix would scale once more along x.
        joints = [Joint("A", None, s=(2, 1, 1), InheritType=0),
                  Joint("B", "A", (1, 1, 0), r=(0, 0, 90), s=(3, 1, 1), InheritType=0),
                  Joint("C", "B", (1, 0, 0), InheritType=0), Joint("D", "C", (0, 1, 1), InheritType=0)]
        glb = read(write(joints, unit=100.0))
        at = glb.positions()
        self.close(at["B"], [2, 1, 0])
        self.close(at["C"], [2, 7, 0])
        self.close(at["D"], [1, 7, 1])
        self.assertEqual(glb.warnings, [])
        curves = [Curve("B", "Rotation", "Z", [(0, 90), (1, 0)]), Curve("C", "Translation", "X", [(0, 1), (1, 2)]),
                  Curve("B", "Scaling", "X", [(0, 3), (1, 3)])]
        glb = read(write(joints, [Take("t", curves, 0, 1)], unit=100.0))
        self.close(glb.positions("t", 0)["D"], [1, 7, 1])
        self.close(glb.positions("t", 1 / 30)["C"], [14, 1, 0])
        self.close(glb.positions("t", 1 / 30)["D"], [14, 2, 1])

    def test_fbx__scale_inheritance_that_is_not_understood_is_said(self):
        joints = [Joint("A", None, s=(2, 1, 1), InheritType=0), Joint("B", "A", (0, 1, 0), r=(0, 0, 30), InheritType=0),
                  Joint("C", "B", (0, 1, 0), InheritType=0), Joint("D", "C", (0, 1, 0), InheritType=1)]
        self.warns(read(write(joints)), "InheritType", "B")
        self.warns(read(write(joints[:3], [Take("t", [Curve("B", "Scaling", "Y", [(0, 1), (1, 2)])], 0, 1)])), "InheritType")


class Structure(Case):
    def test_fbx__skins_and_names(self):
        joints = [Joint("Group", None, kind="Null"), Joint("Hüfte \\ 左", "Group"), Joint("Knee", "Hüfte \\ 左"),
                  Joint("Prop", "Knee", kind="Mesh"), Joint("Other", "Group"), Joint("Alone", None),
                  Joint("Camera", None, kind="Camera")]
        glb = read(write(joints))
        self.assertEqual(glb.skins, [["Hüfte \\ 左", "Knee", "Other"], ["Alone"]])
        self.assertEqual(glb.names(), ["RootNode", "Group", "Hüfte \\ 左", "Knee", "Other", "Alone"])

    def test_fbx__without_joints_all_nodes_come(self):
        glb = read(write([Joint("Cube", None, kind="Mesh"), Joint("Under", "Cube", kind="Null")]))
        self.assertEqual(glb.names(), ["RootNode", "Cube", "Under"])
        self.assertEqual(glb.skins, [])

    def test_fbx__numbers_are_short(self):
        node = read(write([Joint("A", None, (0.1, 1e-7, 123.456))])).nodes[1]
        self.assertEqual([repr(v) for v in node["translation"]], ["0.1", "1e-07", "123.456"])

    def test_fbx__a_chain_of_many_joints(self):
        joints = [Joint("J0", None, **INHERIT_PLAIN)]
        joints += [Joint(f"J{i}", f"J{i - 1}", (0, 1, 0), **INHERIT_PLAIN) for i in range(1, 500)]
        self.close(read(write(joints)).positions()["J499"], [0, 4.99, 0], 1e-5)


class Takes(Case):
    def test_fbx__a_clip_moves_as_its_keys_say(self):
        curve = Curve("Knee", "Rotation", "Z", [(f, 9 * f) for f in range(11)])
        for unit, metres in ((1.0, 0.01), (100.0, 1.0)):
            glb = read(write(chain(), [Take("bend", [curve], 0, 10)], unit=unit))
            # The knee at 90 turns (0,-40,5) to (40,0,5).
            self.close(glb.positions("bend", 10 / 30)["Ankle"], [40 * metres, 60 * metres, 5 * metres])
            self.close(glb.positions("bend", 0)["Ankle"], [0, 20 * metres, 5 * metres])
            self.assertEqual(glb.extras["frame_rate"], 30)
            self.assertEqual(glb.warnings, [])
        (node, path, times, _), = glb.clips["bend"]
        self.assertEqual((glb.nodes[node]["name"], path), ("Knee", "rotation"))
        self.close(times, [f / 30 for f in range(11)], 1e-7)

    def test_fbx__key_times_are_those_of_the_file(self):
        # The range starts at frame 1 of 24 a second; assimp would count from there.
        curve = Curve("Hip", "Translation", "X", [(f, f) for f in range(1, 6)])
        glb = read(write(chain(), [Take("Take 001", [curve], 1, 5)], fps=24, mode=11))
        times = next(c[2] for c in glb.clips["Take 001"] if c[1] == "translation")
        self.close(times, [f / 24 for f in range(1, 6)], 1e-7)
        self.close(glb.positions("Take 001", 3 / 24)["Hip"], [0.03, 1, 0])
        self.assertEqual(glb.extras["frame_rate"], 24)
        extras = glb.json["animations"][0]["extras"]["surefoot"]
        self.close([extras["start"], extras["stop"]], [1 / 24, 5 / 24], 1e-9)
        # Without a range assimp counts from the first key.
        glb = read(write(chain(), [Take("t", [curve])], fps=24, mode=11))
        self.close(next(c[2] for c in glb.clips["t"] if c[1] == "translation"), [f / 24 for f in range(1, 6)], 1e-7)

    def test_fbx__keys_before_zero_move_the_clip(self):
        curve = Curve("Hip", "Translation", "X", [(f, f) for f in range(-3, 3)])
        glb = read(write(chain(), [Take("t", [curve], -3, 2)]))
        times = next(c[2] for c in glb.clips["t"] if c[1] == "translation")
        self.close(times, [f / 30 for f in range(6)], 1e-6)
        self.close([glb.json["animations"][0]["extras"]["surefoot"]["shift"]], [0.1], 1e-6)

    def test_fbx__takes_in_which_nothing_moves_are_listed(self):
        curve = Curve("Hip", "Translation", "X", [(0, 0), (1, 1)])
        takes = [Take("empty", [], 1, 4), Take("moving", [curve], 0, 1), Take("nothing")]
        glb = read(write(chain(), takes))
        self.assertEqual(list(glb.clips), ["empty", "moving", "nothing"])
        (node, path, times, values), = glb.clips["empty"]
        self.assertEqual((glb.nodes[node]["name"], path), ("Hip", "rotation"))
        self.close(times, [f / 30 for f in range(1, 5)], 1e-6)
        self.assertEqual(set(values), {(0, 0, 0, 1)})
        self.assertEqual(len(glb.clips["nothing"][0][2]), 1)

    def test_fbx__frame_rates(self):
        for mode, rate in ((3, 60), (1, 120), (11, 24), (10, 25), (9, 30000 / 1001)):
            self.close([read(write(chain(), mode=mode, fps=rate)).extras["frame_rate"]], [rate], 1e-12)

    def test_fbx__a_turn_of_more_than_half(self):
        curve = Curve("Hip", "Rotation", "Z", [(0, 0), (10, 350)])
        glb = read(write(chain(), [Take("t", [curve], 0, 10)]))
        # At frame 5 it is at 175 degrees, not at -5.
        self.close(glb.positions("t", 5 / 30)["Knee"], [0.4 * 0.08715574274765817, 1 + 0.4 * 0.9961946980917455, 0], 1e-4)


class Losses(Case):
    def take(self, curve, *more, joints=None, **options):
        last = max(f for f, _ in curve.keys)
        return read(write(joints or chain(), [Take("walk", [curve, *more], 0, last)], **options))

    def test_fbx__tangents_on_sparse_keys_are_said(self):
        sparse = [(0, 0), (10, 30), (20, 0)]
        self.warns(self.take(Curve("Knee", "Rotation", "X", sparse, CUBIC | AUTO)), "walk", "Knee", "tangents are lost",
                   "10 frames")
        self.assertEqual(self.take(Curve("Knee", "Rotation", "X", sparse, LINEAR)).warnings, [])
        dense = [(f, f * f) for f in range(20)]
        self.assertEqual(self.take(Curve("Knee", "Rotation", "X", dense, CUBIC | AUTO)).warnings, [])
        still = [(0, 7), (10, 7), (20, 7)]
        self.assertEqual(self.take(Curve("Knee", "Rotation", "X", still, CUBIC | AUTO)).warnings, [])
        # One gap in a dense curve; flat there with automatic tangents, perhaps not with tangents by hand.
        flat = [(0, 0), (1, 5), (9, 5), (10, 0)]
        self.assertEqual(self.take(Curve("Knee", "Rotation", "X", flat, CUBIC | AUTO)).warnings, [])
        self.warns(self.take(Curve("Knee", "Rotation", "X", flat, CUBIC | USER)), "Knee", "8 frames")

    def test_fbx__unknown_tangents_may_be_lost(self):
        self.warns(self.take(Curve("Knee", "Rotation", "X", [(0, 0), (10, 30)]), flags=False), "Knee", "may be lost")

    def test_fbx__steps_and_spins_are_said(self):
        self.warns(self.take(Curve("Hip", "Translation", "X", [(0, 0), (10, 30)], CONSTANT)), "Hip", "steps")
        x, y = Curve("Hip", "Rotation", "X", [(0, 0), (10, 80)]), Curve("Hip", "Rotation", "Y", [(0, 0), (10, 80)])
        self.warns(self.take(x, y), "Hip", "several axes")
        self.assertEqual(self.take(x).warnings, [])

    def test_fbx__keys_outside_the_range_are_said(self):
        curve = Curve("Hip", "Translation", "X", [(0, 0), (10, 10), (20, 20)])
        self.warns(read(write(chain(), [Take("t", [curve], 5, 15)])), "Hip", "outside")
        self.assertEqual(read(write(chain(), [Take("t", [curve], 0, 10)])).warnings, [])

    def test_fbx__layers_are_said(self):
        curves = [Curve("Hip", "Translation", "X", [(0, 0), (1, 1)]), Curve("Hip", "Translation", "X", [(0, 0), (1, 5)], layer=1)]
        glb = read(write(chain(), [Take("t", curves, 0, 1, layers=2)]))
        self.warns(glb, "Hip", "2 animation layers")
        # A layer without curves changes nothing.
        self.assertEqual(read(write(chain(), [Take("t", curves[:1], 0, 1, layers=2)])).warnings, [])

    def test_fbx__many_joints_are_counted(self):
        joints = [Joint(f"J{i}", None) for i in range(12)]
        curves = [Curve(j.name, "Rotation", "X", [(0, 0), (10, 30)], CUBIC) for j in joints]
        self.warns(read(write(joints, [Take("t", curves, 0, 10)])), "J0, J1", "and 4 more")

    def test_fbx__what_is_no_part_of_the_figure_does_not_count(self):
        joints = chain() + [Joint("Target", None, kind="Null")]
        curve = Curve("Target", "Translation", "X", [(0, 0), (10, 30)], CUBIC)
        self.assertEqual(self.take(curve, joints=joints).warnings, [])
        self.warns(self.take(curve, joints=joints[3:]), "Target")

    def test_fbx__warnings_fit_where_they_are_shown(self):
        joints = [Joint(f"A name of many words, number {i}", None) for i in range(12)]
        curves = [Curve(j.name, "Rotation", a, [(0, 0), (10, 30)], f) for j in joints
                  for a, f in (("X", CUBIC), ("Y", CONSTANT), ("Z", LINEAR))]
        for flags in (True, False):
            glb = read(write(joints, [Take("A take with a name of " + "very " * 40 + "many words", curves, 5, 8)], flags=flags))
            self.warns(glb, "number 0, ", "and 9 more")
            for warning in glb.warnings:
                self.assertLessEqual(len(warning.encode()), 255)
                self.assertRegex(warning, "and [0-9]+ more$")


def binary(records, version=7400):
    """A binary file of records (name, values, records inside); lists of numbers are packed by zlib, as exporters do."""
    def value(v):
        if isinstance(v, str):
            return b"S" + struct.pack("<I", len(v.encode())) + v.encode()
        if isinstance(v, int):
            return b"L" + struct.pack("<q", v)
        if isinstance(v, float):
            return b"D" + struct.pack("<d", v)
        kind, level, numbers = v
        packed = zlib.compress(struct.pack(f"<{len(numbers)}{'q' if kind == 'l' else kind}", *numbers), level)
        return kind.encode() + struct.pack("<III", len(numbers), 1, len(packed)) + packed

    def record(at, name, values, inside):
        data = b"".join(value(v) for v in values)
        body = b""
        for one in inside:
            body += record(at + 13 + len(name) + len(data) + len(body), *one)
        body += bytes(13) if inside else b""
        end = at + 13 + len(name) + len(data) + len(body)
        return struct.pack("<IIIB", end, len(values), len(data), len(name)) + name.encode() + data + body

    out = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", version)
    for one in records:
        out += record(len(out), *one)
    return out + bytes(13)


@unittest.skipIf(READER.name == "surefoot-fbx", "assimp, which has zlib itself, asks for more of a file than these records")
class Packed(Case):
    def test_fbx__packed_arrays_are_read_at_every_level(self):
        """Stored, fixed and dynamic codes; long and short arrays; values that repeat and values that do not."""
        dice = random.Random(3)
        for level, count, step in ((0, 7, 1.0), (1, 3, 0.5), (6, 400, 0.0), (9, 3000, 0.25), (6, 3000, None), (0, 9000, None)):
            values = [step * i if step is not None else dice.uniform(-1e3, 1e3) for i in range(count)]
            times = [i * 46186158000 // 100 for i in range(count)]
            glb = Glb(self.converted(binary([
                ("Objects", [], [
                    ("Model", [1, "Hip\0\1Model", "LimbNode"], []), ("AnimationStack", [2, "t\0\1AnimStack", ""], []),
                    ("AnimationLayer", [3, "l\0\1AnimLayer", ""], []), ("AnimationCurveNode", [4, "T\0\1AnimCurveNode", ""], []),
                    ("AnimationCurve", [5, "\0\1AnimCurve", ""], [("KeyTime", [("l", level, times)], []), ("KeyValueFloat", [("f", level, values)], [])])]),
                ("Connections", [], [("C", ["OO", 1, 0], []), ("C", ["OO", 3, 2], []), ("C", ["OO", 4, 3], []),
                                     ("C", ["OP", 4, 1, "Lcl Translation"], []), ("C", ["OP", 5, 4, "d|X"], [])])])))
            for i in {1, count // 2, count - 1}:
                at = glb.positions("t", times[i] / 46186158000)["Hip"]
                self.close(at, [values[i] / 100, 0, 0], 1e-5)

    def converted(self, data):
        done = run([READER, "-"], input=data)
        self.assertEqual(done.returncode, 0, done.stderr.decode())
        return done.stdout


class Errors(Case):
    def refused(self, data, code, *words):
        done = run([READER, "-"], input=data)
        text = done.stderr.decode()
        self.assertEqual((done.returncode, done.stdout), (code, b""), text)
        self.assertEqual(text.count("\n"), 1, text)
        for word in words:
            self.assertIn(word, text)

    def test_fbx__what_is_no_fbx_is_refused(self):
        self.refused(b"", 3, "empty")
        self.refused(b"HIERARCHY\nROOT Hips\n", 3, "byte 0", "no FBX")
        self.refused(b"solid cube\nfacet normal 0 0 0\n", 3, "no FBX")
        self.refused(b"glTF\2\0\0\0" + bytes(100), 3, "no FBX")
        self.refused(b"Kaydara FBX Binary  \0\x1a\0" + (6100).to_bytes(4, "little") + bytes(100), 3, "byte 23", "6100")

    def test_fbx__broken_text_is_located(self):
        good = write(chain(), [Take("t", [Curve("Hip", "Translation", "X", [(0, 0), (1, 1)])], 0, 1)])
        self.refused(good[:len(good) // 2].encode(), 3)
        self.refused(good.replace("7400", "6100").encode(), 3)

    def test_fbx__usage(self):
        self.assertEqual(run([READER]).returncode, 2)
        self.assertEqual(run([READER, "--no-such-option"]).returncode, 2)
        self.assertEqual(run([READER, "a", "b"]).returncode, 2)
        self.assertEqual(run([READER, "--help"]).returncode, 0)
        done = run([READER, "/nowhere/at/all.fbx"])
        self.assertEqual((done.returncode, done.stderr.count(b"\n")), (3, 1))

    def test_fbx__files_and_standard_input_give_the_same(self):
        text = write(chain()).encode()
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "a.fbx"
            path.write_bytes(text)
            self.assertEqual(run([READER, path]).stdout, run([READER, "-"], input=text).stdout)


def mutants(files, count, seed):
    """Copies with bytes flipped, blocks moved, cut off, numbers made large."""
    dice = random.Random(seed)
    for _ in range(count):
        data = bytearray(dice.choice(files))
        for _ in range(dice.choice((1, 1, 2, 4, 16, 64))):
            at = dice.randrange(len(data))
            kind = dice.randrange(6)
            if kind == 0:
                data[at] ^= 1 << dice.randrange(8)
            elif kind == 1:
                data[at] = dice.randrange(256)
            elif kind == 2:
                data[at:at + 4] = dice.choice((b"\xff\xff\xff\x7f", b"\xff\xff\xff\xff", b"\0\0\0\0", b"\0\0\0\x80"))
            elif kind == 3 and len(data) > 100:
                del data[at:at + dice.randrange(1, 200)]
            elif kind == 4:
                other = dice.randrange(len(data))
                data[at:at] = data[other:other + dice.randrange(1, 200)]
            elif dice.randrange(8) == 0 and at > 30:
                del data[at:]
        yield bytes(data)


class Broken(Case):
    """Each file is read, or gives one sentence that names it; through the child process, as the command does it."""

    def judge(self, files):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, data in enumerate(files):
                paths.append(pathlib.Path(folder) / f"{i:05}.fbx")
                paths[-1].write_bytes(data)
            counts = {}
            for start in range(0, len(paths), 50):
                part = paths[start:start + 50]
                done = subprocess.run([str(BIN / "fbx_driver"), *map(str, part)], capture_output=True, timeout=1800, check=False)
                self.assertEqual(done.returncode, 0, done.stderr.decode(errors="replace"))
                lines = done.stdout.decode().splitlines()
                said = done.stderr.decode().splitlines()
                self.assertEqual(len(lines), len(part))
                for path, line in zip(part, lines):
                    code, size = map(int, line.split())
                    own = [s for s in said if str(path) in s]
                    self.assertIn(code, (0, 3, 5), own)
                    self.assertEqual(len(own), 0 if code == 0 else 1, own)
                    self.assertEqual(size > 0, code == 0)
                    what = "read" if code == 0 else "crash" if "signal" in own[0] else f"refused {code}"
                    counts[what] = counts.get(what, 0) + 1
                    if what == "crash" or code == 5:
                        print(own[0])
            return counts

    def test_fbx__mutants_of_a_small_file(self):
        text = write(chain(), [Take("t", [Curve("Hip", "Rotation", "X", [(f, f) for f in range(9)])], 0, 8)]).encode()
        print(self.judge(list(mutants([text], 40, 1))))

    def test_fbx__mutants_of_real_files(self):
        files = sorted((DATA / "fbx").glob("*.fbx"))
        if not files:
            self.skipTest(f"no data folder {DATA}")
        small = [p.read_bytes() for p in files if p.stat().st_size < 300000]
        print(self.judge(list(mutants(small, int(os.environ.get("SFT_FBX_MUTANTS", "80")), 7))))

    def test_fbx__malformed_files(self):
        files = sorted((DATA / "malformed_fbx").glob("*.fbx"))
        if not files:
            self.skipTest(f"no data folder {DATA}")
        print(self.judge([p.read_bytes() for p in files]))


if __name__ == "__main__":
    if not READER.exists():
        print("SKIP test_fbx: surefoot-fbx was not built (no assimp)")
        sys.exit(77)
    unittest.main()
