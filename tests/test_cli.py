#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Runs the surefoot command as people do: every subcommand, exit codes, exactness, hostile arguments.

SFT_BIN is the folder of the programs. Only the standard library is needed.
"""

import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from html.parser import HTMLParser

BIN = os.environ.get("SFT_BIN", "build/bin")
DONE, CHECK, USAGE, READ, WRITE, MEMORY, NO_LEGS = range(7)

ONE_JOINT = """HIERARCHY
ROOT stick
{
  OFFSET 0 0 0
  CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
  End Site
  {
    OFFSET 0 1 0
  }
}
MOTION
Frames: 2
Frame Time: 0.1
0 0 0 0 0 0
1 0 0 0 0 0
"""

# The travel is carried below a root that is turned by a quarter about X, as some exporters write Z-up files.
TURNED = """HIERARCHY
ROOT Armature
{
  OFFSET 0 0 0
  CHANNELS 3 Zrotation Xrotation Yrotation
  JOINT Hips
  {
    OFFSET 0 0 0
    CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
    End Site
    {
      OFFSET 0 10 0
    }
  }
}
MOTION
Frames: 3
Frame Time: 0.1
0 -90 0   1 2 90 0 0 0
0 -90 0   3 8 91 0 0 0
0 -90 0   5 14 92 0 0 0
"""


def run(program, *arguments, stdin=None, env=None):
    done = subprocess.run([os.path.join(BIN, program)] + [str(a) for a in arguments], capture_output=True,
                          input=stdin, timeout=120, check=False, env=env)
    return done.returncode, done.stdout, done.stderr.decode("utf-8")


def surefoot(*arguments, **more):
    return run("surefoot", *arguments, **more)


def content(path):
    with open(path, "rb") as file:
        return file.read()


def read_bvh(path):
    """(header lines, frame time, rows of floats)"""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("Frame Time:"))
    rows = [[float(t) for t in line.split()] for line in lines[start + 1:] if line.strip()]
    return lines[:start - 1], float(lines[start].split(":")[1]), rows


class Cli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="surefoot-cli-")
        cls.folder = cls.temporary.name
        cls.walk, cls.slid = cls.path("walk.bvh"), cls.path("slid.bvh")
        code, _, err = run("surefoot-make-sample", cls.walk, "--labels", cls.path("true.csv"), "--frames", 300)
        assert code == 0, err
        code, _, err = surefoot("convert", cls.walk, "--root-scale", 1.25, "-o", cls.slid)
        assert code == 0, err

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def ok(self, *arguments, **more):
        code, out, err = surefoot(*arguments, **more)
        self.assertEqual(code, DONE, err)
        return out.decode("utf-8")

    def fails(self, expected, *arguments, **more):
        code, out, err = surefoot(*arguments, **more)
        self.assertEqual(code, expected, (arguments, out, err))
        self.assertTrue(err.startswith("surefoot: "), err)
        self.assertEqual(out, b"")
        return err

    # ---- help and usage ----

    def test_help_says_options_units_defaults_examples_and_exit_codes(self):
        self.assertIn("clean", self.ok("--help"))
        self.assertRegex(self.ok("--version"), r"^surefoot \d+\.\d+\.\d+\n$")
        for command in ("info", "check", "contacts", "clean", "convert"):
            text = self.ok(command, "--help")
            for word in ("usage:", "--json", "--unit", "Default", "Examples", "Exit codes"):
                self.assertIn(word, text, command)
            self.assertLessEqual(max(map(len, text.split("\n"))), 120)

    def test_help_of_a_command_in_both_orders(self):
        self.assertEqual(self.ok("help", "clean"), self.ok("clean", "--help"))

    def test_options_that_are_not_there_are_named(self):
        """In the command's own words on every system, with the option that was meant where one is near."""
        for given, said in ((["--metod", "direct"], "there is no option --metod; did you mean --method?"),
                            (["--report-page=x"], "there is no option --report-page"),
                            (["--keep-keys=3"], "--keep-keys takes no value"),
                            (["--con", "x"], "--con could be more than one option, --contacts for one"),
                            (["--json", "-qr"], "there is no option -q"),
                            (["--method"], "--method wants a value behind it"),
                            (["-o"], "-o wants a value behind it")):
            err = self.fails(USAGE, "clean", self.walk, *given)
            self.assertEqual(err, f"surefoot: clean: {said}\nsurefoot: try `surefoot clean --help`\n")

    def test_wrong_command_lines_are_refused(self):
        for arguments in ([], ["fly"], ["info"], ["clean", self.walk], ["clean", "-o", "x.bvh"],
                          ["clean", self.walk, self.walk, "-o", self.path("x.bvh")], ["convert", self.walk],
                          ["info", self.walk, "--unit", "furlong"], ["info", self.walk, "--unit", "-1"],
                          ["info", self.walk, "--unit", "nan"], ["info", self.walk, "--up", "W"],
                          ["info", self.walk, "--up", ""], ["info", self.walk, "--positions", "maybe"],
                          ["check", self.walk, "--max-slide", "fast"], ["check", self.walk, "--max-slide"],
                          ["check", self.walk, "--contact-threshold", "2"],
                          ["check", self.walk, "--ground-velocity", "1,2"],
                          ["check", self.walk, "--ground-velocity", "1,2,3,4"],
                          ["check", self.walk, "--ground-velocity", "inf,0,0"],
                          ["clean", self.walk, "-o", self.path("x.bvh"), "--method", "magic"],
                          ["clean", self.walk, "-o", self.path("x.bvh"), "--give-way", "nobody"],
                          ["clean", self.walk, "-o", self.path("x.usd")],
                          ["clean", self.walk, "-o", self.path("x.FBX")],
                          ["clean", self.walk, "-o", self.path("x.bvh"), "--report", self.path("x.bvh")],
                          ["clean", self.walk, "-o", self.path("x.bvh"), "--report", "p", "--picture", "p"],
                          ["clean", self.walk, "-o", "-", "--json"], ["convert", self.walk, "-o", "-", "--json"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--root-scale", "1e9"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--fps", "0"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--frames", "3"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--frames", "a:b"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--frames", "-1:5"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--frames", "9:9"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--frames", "0:301"],
                          ["convert", self.walk, "-o", self.path("x.bvh"), "--frames", "1e99:2e99"],
                          ["info", "--no-such-option", self.walk]):
            code, out, err = surefoot(*arguments)
            self.assertEqual(code, USAGE, (arguments, err))
            self.assertEqual(out, b"", arguments)
            self.assertTrue("surefoot" in err and len(err) > 20, arguments)
        self.assertFalse(os.path.exists(self.path("x.bvh")))
        self.assertFalse(os.path.exists(self.path("x.usd")))

    # ---- reading ----

    def test_inputs_that_cannot_be_read_say_so(self):
        empty = self.write("empty.bvh", "")
        header = self.write("header.bvh", "HIERARCHY\n")
        broken = self.write("broken.bvh", ONE_JOINT.replace("Xrotation", "Xrotasion"))
        for command in (["info"], ["check"], ["contacts"], ["clean", "-o", self.path("no.bvh")],
                        ["convert", "-o", self.path("no.bvh")]):
            for file in (self.path("missing.bvh"), self.folder, empty, header, broken, self.path("model.glb")):
                err = self.fails(READ, *command, file)
                self.assertIn(file, err)
        self.assertFalse(os.path.exists(self.path("no.bvh")))
        self.assertIn("broken.bvh:5:", self.fails(READ, "info", broken))

    def test_odd_bytes_in_arguments_and_names_do_no_harm(self):
        self.fails(READ, "info", b"no\xff\xfe.bvh".decode("utf-8", "surrogateescape"))
        name = self.path("%s%n \"quoted\" \u00e9.bvh")
        with open(name, "w", encoding="utf-8") as file:
            file.write(ONE_JOINT.replace("stick", "st\u00efck %s"))
        info = json.loads(self.ok("info", "--json", name))
        self.assertEqual(info["file"], name)
        raw = self.path("latin.bvh")
        with open(raw, "wb") as file:
            file.write(ONE_JOINT.replace("stick", "st@ck").encode().replace(b"@", b"\xef"))
        self.assertEqual(json.loads(self.ok("info", "--json", raw))["joints"], 1)
        # Escape sequences in names must not reach a terminal, and come back whole through JSON.
        evil = self.write("evil.bvh", ONE_JOINT.replace("stick", "st\x1b[31mick"))
        self.assertNotIn("\x1b", self.ok("info", evil))
        self.assertEqual(json.loads(self.ok("info", "--json", evil))["travel_joint"], "st\x1b[31mick")
        self.fails(USAGE, "x" * 5000)
        self.fails(READ, "info", "x" * 5000)

    def test_standard_input_and_output(self):
        text = content(self.walk)
        self.assertEqual(json.loads(self.ok("info", "--json", "-", stdin=text))["frames"], 300)
        out = self.ok("convert", "-", "-o", "-", stdin=text)
        self.assertEqual(out.encode(), content(self.walk))
        code, cleaned, err = surefoot("clean", "-", "-o", "-", stdin=text)
        self.assertEqual(code, DONE)
        self.assertTrue(cleaned.startswith(b"HIERARCHY"))
        self.assertIn("toes held in", err)

    # ---- hostile surroundings ----

    def test_outputs_never_replace_an_input_or_one_another(self):
        copy, labels, legs = self.path("mine.bvh"), self.path("mine.csv"), self.path("mine.json")
        link, out = self.path("link.bvh"), self.path("never.bvh")
        with open(copy, "wb") as target:
            target.write(content(self.slid))
        self.ok("contacts", copy, "-o", labels)
        self.write("mine.json", self.ok("info", "--json", copy))
        os.symlink(copy, link)
        before = [content(p) for p in (copy, labels, legs)]
        for arguments in (["clean", copy, "-o", out, "--report", copy], ["clean", copy, "-o", out, "--picture", link],
                          ["clean", copy, "-o", out, "--report", out], ["clean", copy, "-o", out, "--picture", out],
                          ["clean", copy, "-o", out, "--report", self.path("a"), "--picture", self.path("a")],
                          ["clean", copy, "-o", labels, "--contacts", labels],
                          ["clean", copy, "-o", legs, "--legs", legs], ["clean", copy, "-o", "-", "--report", "-"],
                          ["clean", copy, "-o", out, "--report", "-", "--json"],
                          ["contacts", copy, "-o", copy], ["contacts", copy, "-o", link],
                          ["contacts", copy, "--json", "-o", "-"], ["contacts", copy, "--legs", legs, "-o", legs],
                          ["check", "-", "--contacts", "-"], ["clean", "-", "--legs", "-", "-o", out]):
            self.fails(USAGE, *arguments, stdin=b"")
        self.assertEqual([content(p) for p in (copy, labels, legs)], before)
        self.assertFalse(os.path.exists(out))
        self.ok("clean", copy, "-o", link)
        self.assertTrue(os.path.islink(link))

    @unittest.skipUnless(os.path.exists("/dev/full") and os.path.exists("/dev/zero"), "SKIP: no /dev/full here")
    def test_full_disks_and_endless_inputs(self):
        out = self.path("device.bvh")
        for arguments in (["--help"], ["--version"], ["clean", "--help"], ["info", self.walk],
                          ["info", "--json", self.walk], ["check", self.walk], ["contacts", self.walk],
                          ["clean", self.slid, "-o", out], ["convert", self.walk, "-o", out],
                          ["convert", self.walk, "-o", "-"]):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([os.path.join(BIN, "surefoot"), *arguments], stdout=full, stderr=subprocess.PIPE,
                                      timeout=60, check=False)
            self.assertEqual(done.returncode, WRITE, arguments)
            self.assertIn(b"standard output", done.stderr)
        self.fails(WRITE, "clean", self.slid, "-o", "/dev/full")
        # No memory to speak of, for text that never ends: refused after the first megabyte.
        for arguments in (["info", "/dev/zero"], ["check", self.walk, "--legs", "/dev/zero"],
                          ["check", self.walk, "--contacts", "/dev/zero"], ["info", "/dev/urandom"]):
            self.assertIn("no text", self.fails(READ, *arguments))

    def test_stretching_without_position_channels_says_what_to_leave_out(self):
        far, out = self.path("stretch_far.bvh"), self.path("stretched.bvh")
        self.ok("convert", self.walk, "--root-scale", 4, "-o", far)
        err = self.fails(READ, "clean", far, "--contacts", self.path("true.csv"), "--give-way", "legs",
                         "--allow-stretch", "-o", out)
        self.assertIn("leave --allow-stretch out", err)
        self.assertFalse(os.path.exists(out))

    def test_values_beyond_all_measure_are_named(self):
        header, motion = content(self.walk).decode().split("MOTION\n")
        lines = motion.split("\n")
        far = list(lines)
        row = far[52].split()
        far[52] = " ".join(["1e30"] + row[1:])
        far = self.write("far.bvh", header + "MOTION\n" + "\n".join(far))
        quick = self.write("quick.bvh", header + "MOTION\n" + "\n".join([lines[0], "Frame Time: 1e-9"] + lines[2:]))
        out = self.path("beyond.bvh")
        for command in (["check"], ["contacts"], ["clean", "-o", out]):
            err = self.fails(READ, *command, far)
            for words in ("far.bvh", "Hips", "frame 50", "--unit"):
                self.assertIn(words, err)
            self.assertIn("Frame Time", self.fails(READ, *command, quick))
        self.assertFalse(os.path.exists(out))

    def test_absurd_lengths_and_times_end_in_an_answer(self):
        text = content(self.walk).decode()
        out = self.path("absurd.bvh")
        for name, pattern, other in (("offset", r"(JOINT LeftLeg\s+\{\s+OFFSET) \S+ \S+ \S+", r"\1 1e100 1e100 1e100"),
                                     ("offset2", r"(JOINT LeftLeg\s+\{\s+OFFSET) \S+ \S+ \S+", r"\1 1e308 0 -1e308"),
                                     ("offsets", r"OFFSET \S+ \S+ \S+", "OFFSET 1e200 -1e200 1e200"),
                                     ("points", r"OFFSET \S+ \S+ \S+", "OFFSET 0 0 0"),
                                     ("denormal", r"Frame Time: \S+", "Frame Time: 5e-324"),
                                     ("tiny", r"Frame Time: \S+", "Frame Time: 1e-300"),
                                     ("huge", r"Frame Time: \S+", "Frame Time: 1e308")):
            file = self.write("absurd_%s.bvh" % name, re.sub(pattern, other, text))
            for command in (["info", "--json"], ["check"], ["contacts"], ["clean", "-o", out], ["convert", "-o", out],
                            ["convert", "--fps", "30", "-o", out]):
                code, _, err = surefoot(*command, file)
                self.assertIn(code, (DONE, READ, MEMORY, NO_LEGS), (name, command, err))
            if os.path.exists(out):
                self.assertIsNone(re.search(r"\b(nan|inf)\b", content(out).decode()))
                os.remove(out)

    # ---- info ----

    def test_info_names_everything(self):
        info = json.loads(self.ok("info", "--json", self.walk))
        self.assertEqual((info["joints"], info["end_sites"], info["frames"]), (21, 5, 300))
        self.assertEqual(info["frame_time"], 1.0 / 60.0)
        self.assertEqual((info["unit_metres"], info["up"], info["travel_joint"]), (0.01, "Y", "Hips"))
        left, right = info["legs"]
        for leg, side in ((left, "Left"), (right, "Right")):
            self.assertEqual(leg["side"], side.lower())
            self.assertEqual([leg[k] for k in ("pelvis", "hip", "knee", "heel", "toe", "toe_end")],
                             ["Hips", side + "UpLeg", side + "Leg", side + "Foot", side + "ToeBase", side + "ToeBase"])
        meanings = {m["joint"]: (m["part"], m["side"]) for m in info["meanings"]}
        self.assertEqual(meanings["Hips"], ("hips", "middle"))
        self.assertEqual(meanings["LeftUpLeg"], ("thigh", "left"))
        self.assertEqual(meanings["RightForeArm"], ("forearm", "right"))
        self.assertEqual({m["confidence"] for m in info["meanings"]}, {1})
        text = self.ok("info", self.walk)
        self.assertIn("LeftUpLeg", text)
        self.assertIn("travel", text)
        self.assertRegex(text, "left .*LeftForeArm > LeftHand")

    def test_info_takes_several_files_and_overrides(self):
        both = json.loads(self.ok("info", "--json", self.walk, self.slid, "--unit", "inch", "--up", "z"))
        self.assertEqual(len(both), 2)
        self.assertEqual((both[0]["unit_metres"], both[1]["up"]), (0.0254, "Z"))
        for name, metres in (("m", 1), ("dm", 0.1), ("cm", 0.01), ("mm", 0.001), ("foot", 0.3048),
                             ("cmu", 0.0254 / 0.45), ("0.04", 0.04)):
            self.assertEqual(json.loads(self.ok("info", "--json", self.walk, "--unit", name))["unit_metres"], metres)
        code, out, err = surefoot("info", "--json", self.path("missing.bvh"), self.walk)
        self.assertEqual((code, len(json.loads(out))), (READ, 1))
        self.assertIn("missing.bvh", err)

    def test_no_legs_is_an_answer(self):
        stick = self.write("stick.bvh", ONE_JOINT)
        self.assertEqual(json.loads(self.ok("info", "--json", stick))["legs"], [])
        for command in (["check"], ["contacts"], ["clean", "-o", self.path("no.bvh")]):
            self.assertIn("--legs", self.fails(NO_LEGS, *command, stick))
        self.assertFalse(os.path.exists(self.path("no.bvh")))

    # ---- legs from a file ----

    def test_legs_go_round(self):
        info = json.loads(self.ok("info", "--json", self.walk))
        whole = self.write("whole.json", json.dumps(info))
        part = self.write("list.json", json.dumps(info["legs"]))
        for file in (whole, part):
            again = json.loads(self.ok("info", "--json", self.walk, "--legs", file))
            for key in ("side", "pelvis", "hip", "knee", "heel", "toe", "toe_end", "end_sites", "knee_side"):
                self.assertEqual([a[key] for a in again["legs"]], [a[key] for a in info["legs"]], key)
            one = self.ok("contacts", self.slid)
            self.assertEqual(self.ok("contacts", self.slid, "--legs", file), one)

    def test_legs_by_hand(self):
        legs = [{"side": "left", "hip": "LeftUpLeg", "knee": "LeftLeg", "heel": "LeftFoot", "toe": "LeftToeBase"},
                {"side": "right", "hip": 6, "knee": 7, "heel": 8, "toe": "RightToeBase", "toe_end": "RightToeBase"}]
        info = json.loads(self.ok("info", "--json", self.walk, "--legs", self.write("l.json", json.dumps(legs))))
        self.assertEqual([leg["toe_end"] for leg in info["legs"]], [None, "RightToeBase"])
        self.assertEqual(info["legs"][1]["end_sites"], ["toe_end"])
        self.assertEqual(info["legs"][0]["pelvis"], "Hips")

    def test_knee_sides_go_round_to_the_last_bit(self):
        legs = json.loads(self.ok("info", "--json", self.walk))["legs"]
        for k in range(40):
            angle = 0.1 * k
            legs[0]["knee_side"] = [math.cos(angle), math.sin(angle) * math.cos(3 * angle),
                                    math.sin(angle) * math.sin(3 * angle)]
            again = json.loads(self.ok("info", "--json", self.walk, "--legs", self.write("k.json", json.dumps(legs))))
            self.assertEqual(again["legs"][0]["knee_side"], legs[0]["knee_side"])
        legs[0]["knee_side"] = [0, 3, 4]
        again = json.loads(self.ok("info", "--json", self.walk, "--legs", self.write("k.json", json.dumps(legs))))
        for value, want in zip(again["legs"][0]["knee_side"], (0, 0.6, 0.8)):
            self.assertAlmostEqual(value, want, delta=1e-15)

    def test_bad_legs_files_are_refused(self):
        hip = '{"hip": "LeftUpLeg", "knee": "LeftLeg", "heel": "LeftFoot", "toe": "%s"}'
        for text in ("", "{", "[", "nonsense", "{}", "[1]", "[{}]", "[" * 5000, '[{"hip": "\\u12"}]', '{"legs": 3}',
                     '[{"hip": "LeftUpLeg", "knee": "LeftLeg"}]', "[%s]" % (hip % "NoSuchJoint"),
                     '[{"hip": -1, "knee": 2, "heel": 3, "toe": 4}]', '[{"hip": 1e99, "knee": 2, "heel": 3, "toe": 4}]',
                     '[{"hip": 1.5, "knee": 2, "heel": 3, "toe": 4}]', '[{"hip": [], "knee": 2, "heel": 3, "toe": 4}]',
                     '[{"hip": "LeftLeg", "knee": "LeftUpLeg", "heel": "LeftFoot", "toe": "LeftToeBase"}]',
                     '[{"hip": "Hips", "knee": "LeftUpLeg", "heel": "LeftLeg", "toe": "LeftFoot"}]',
                     '[{"hip": 0, "knee": 1, "heel": 2, "toe": 3}]',
                     "[%s] tail" % (hip % "LeftToeBase"), "[%s,]" % (hip % "LeftToeBase"), "[]", '{"legs": []}',
                     "[%s]" % (hip % "LeftToeBase").replace("}", ', "toeend": null}'),
                     "[%s]" % (hip % "LeftToeBase").replace("}", ', "side": "links"}'),
                     "[%s]" % (hip % "LeftToeBase").replace("}", ', "side": 1}'),
                     "[%s]" % (hip % "LeftToeBase").replace("}", ', "knee_side": [1, 0]}'),
                     "[%s]" % (hip % "LeftToeBase").replace("}", ', "knee_side": [0, 0, 0]}'),
                     "[%s]" % (hip % "LeftToeBase").replace("}", ', "knee_side": [1, "0", 0]}')):
            self.fails(READ, "check", self.walk, "--legs", self.write("bad.json", text))
        self.assertIn("bad.json:3:", self.fails(READ, "info", self.walk, "--legs", self.write(
            "bad.json", "[\n\n" + hip % "NoSuchJoint" + "]")))
        self.fails(READ, "check", self.walk, "--legs", self.path("missing.json"))

    # ---- contacts ----

    def test_contacts_table_and_json_agree(self):
        table = self.ok("contacts", self.walk).strip().split("\n")
        head = table[0].split(",")
        self.assertEqual(head[:2], ["frame", "time"])
        self.assertEqual(sorted(head[2:]), ["LeftToeBase", "LeftToeBase:touch", "RightToeBase", "RightToeBase:touch"])
        self.assertEqual(len(table), 301)
        column = head.index("LeftToeBase")
        values = [float(line.split(",")[column]) for line in table[1:]]
        self.assertTrue(all(0.0 <= v <= 1.0 for v in values))
        spans = json.loads(self.ok("contacts", "--json", self.walk))["feet"][0]["plants"]
        frames = [f for s in spans for f in range(s["first"], s["last"] + 1)]
        self.assertEqual(frames, [i for i, v in enumerate(values) if v > 0.75])
        self.ok("contacts", self.walk, "-o", self.path("labels.csv"))
        self.assertEqual(content(self.path("labels.csv")).decode().strip().split("\n"), table)

    def test_contacts_follow_the_truth_through_slide(self):
        def plants(csv, foot):
            lines = [line.split(",") for line in csv.strip().split("\n")]
            column = lines[0].index(foot)
            return [float(line[column]) > 0.75 for line in lines[1:]]

        with open(self.path("true.csv"), encoding="utf-8") as file:
            truth = file.read()
        for foot in ("LeftToeBase", "RightToeBase"):
            true, found = plants(truth, foot), plants(self.ok("contacts", self.slid), foot)
            self.assertLess(sum(a != b for a, b in zip(true, found)), 0.06 * len(true))
            # 0.33 m/s of slide is over the plain rule's threshold, so that finds nothing.
            self.assertFalse(any(plants(self.ok("contacts", "--rule", self.slid), foot)))

    def test_bad_label_files_are_refused(self):
        good = self.ok("contacts", self.walk)
        cut = "\n".join(good.split("\n")[:50])
        for text in ("", "frame,time\n", good.replace("LeftToeBase", "LeftFoot"), cut, good.replace(",1", ",x")):
            self.fails(READ, "check", self.walk, "--contacts", self.write("bad.csv", text))
        self.fails(READ, "check", self.walk, "--contacts", self.path("missing.csv"))

    # ---- check ----

    def test_check_figures(self):
        good = json.loads(self.ok("check", "--json", self.walk, "--contacts", self.path("true.csv")))
        bad = json.loads(self.ok("check", "--json", self.slid, "--contacts", self.path("true.csv")))
        self.assertEqual([f["name"] for f in good["feet"]], ["LeftToeBase", "RightToeBase"])
        for foot in good["feet"]:
            for key in ("planted_frames", "slide_mean_cm_s", "slide_max_cm_s", "penetration_max_cm"):
                self.assertIn(key, foot)
            self.assertLess(foot["slide_max_cm_s"], 1e-6)
            self.assertAlmostEqual(foot["planted_frames"] / 300.0, 0.52, delta=0.04)
        # Travel scaled by 1.25 at 1.3 m/s: a quarter of 130 cm/s in the mean.
        self.assertAlmostEqual(bad["clip"]["slide_mean_cm_s"], 32.5, delta=0.6)
        self.assertAlmostEqual(bad["mismatch"]["root_travel"], 1.25, delta=0.02)
        self.assertIn("1.25 times", bad["mismatch"]["text"])
        for key in ("gmd_skating_ratio", "kimodo_skate_ratio", "height_weighted_slide", "edge_pfc"):
            self.assertIn(key, bad["clip"]["published"])
        self.assertIn("1.25 times", self.ok("check", self.slid))

    def test_check_limits_fail_a_pipeline(self):
        self.ok("check", self.walk, "--max-slide", 8, "--max-mean-slide", 1, "--max-mismatch", 0.05)
        for limit in ("--max-slide", "--max-mean-slide"):
            code, out, err = surefoot("check", self.slid, limit, 5)
            self.assertEqual(code, CHECK)
            self.assertIn(limit, err)
            self.assertIn("LeftToeBase", err)
        code, out, err = surefoot("check", "--json", self.slid, "--max-mismatch", 0.1, "--max-slide", 1)
        report = json.loads(out)
        self.assertEqual((code, report["passed"]), (CHECK, False))
        self.assertEqual({f["limit"] for f in report["failures"]}, {"max-mismatch", "max-slide"})
        code, out, err = surefoot("check", "--json", self.slid, self.walk, "--max-slide", 8)
        self.assertEqual((code, [r["passed"] for r in json.loads(out)]), (CHECK, [False, True]))
        self.assertEqual(surefoot("check", self.slid, self.path("missing.bvh"), "--max-slide", 5)[0], READ)

    # ---- clean ----

    def test_clean_plants_the_feet_and_leaves_the_rest(self):
        fixed, page, picture = self.path("fixed.bvh"), self.path("page.html"), self.path("picture.svg")
        report = json.loads(self.ok("clean", "--json", self.slid, "-o", fixed, "--report", page, "--picture", picture))
        self.assertGreater(report["plants"], 8)
        self.assertEqual(report["travel_joint"], "Hips")
        self.assertIsInstance(report["unreached"], list)
        for miss in report["unreached"]:
            self.assertEqual(set(miss), {"frame", "foot", "distance_cm", "gave_up"})
        self.assertGreater(report["before"]["clip"]["slide_mean_cm_s"], 30.0)
        self.assertLess(report["after"]["clip"]["slide_mean_cm_s"], 0.05)
        after = json.loads(self.ok("check", "--json", fixed, "--contacts", self.path("true.csv")))
        self.assertLess(after["clip"]["slide_mean_cm_s"], 0.5)
        header, dt, rows = read_bvh(self.slid)
        fixed_header, fixed_dt, fixed_rows = read_bvh(fixed)
        self.assertEqual((header, dt, len(rows)), (fixed_header, fixed_dt, len(fixed_rows)))
        changed = {j["name"] for j in report["changed_joints"]}
        self.assertLessEqual(changed, {"Hips"} | {s + p for s in ("Left", "Right")
                                                  for p in ("UpLeg", "Leg", "Foot", "ToeBase")})
        # Columns: hips 0 to 5, legs 6 to 29, then everything that must come back number for number.
        for a, b in zip(rows, fixed_rows):
            self.assertEqual(a[3:6], b[3:6])
            self.assertEqual(a[30:], b[30:])
        self.check_page(page, picture)

    def check_page(self, page, picture):
        with open(page, encoding="utf-8") as file:
            text = file.read()
        parser = HTMLParser()
        parser.feed(text)
        self.assertLess(len(text), 2_000_000)
        for word in ("Toes from above", "Poses", "Feet over time", "Figures", "1.25 times", "LeftToeBase"):
            self.assertIn(word, text)
        # Stands alone: nothing is fetched.
        self.assertIsNone(re.search(r"https?://|<link|<img|@import|src=", text))
        self.assertNotIn("nan", re.sub(r"<style>.*?</style>|<script.*?</script>", "", text, flags=re.S).lower()
                         .replace("&nbsp;", ""))
        data = re.search(r'id="data">(.*?)</script>', text, re.S).group(1)
        self.assertEqual(len(json.loads(data)["feet"]), 2)
        root = xml.etree.ElementTree.parse(picture).getroot()
        self.assertTrue(root.tag.endswith("svg"))

    def test_clean_options(self):
        out = self.path("options.bvh")
        for extra in (["--give-way", "legs"], ["--give-way", "root"], ["--loop"], ["--allow-stretch"],
                      ["--contacts", self.path("true.csv")], ["--ground-velocity", "none"],
                      ["--unit", "cm", "--up", "Y"]):
            report = json.loads(self.ok("clean", "--json", self.slid, "-o", out, *extra))
            self.assertGreater(report["plants"], 0, extra)
            self.assertLess(report["after"]["clip"]["slide_mean_cm_s"], 3.0, extra)
        # With legs the root's path is kept number for number.
        self.ok("clean", self.slid, "-o", out, "--give-way", "legs")
        self.assertEqual([r[:6] for r in read_bvh(self.slid)[2]], [r[:6] for r in read_bvh(out)[2]])
        text = self.ok("clean", self.slid, "-o", out)
        for words in ("1.25 times", "toes held in", "before", "after", "Hips carries"):
            self.assertIn(words, text)

    def test_clean_rides_a_treadmill(self):
        mill, fixed = self.path("mill.bvh"), self.path("mill_fixed.bvh")
        self.assertEqual(run("surefoot-make-sample", mill, "--treadmill", "--frames", 240)[0], 0)
        for extra in ([], ["--ground-velocity", "0,0,-1.3"]):
            report = json.loads(self.ok("clean", "--json", mill, "-o", fixed, *extra))
            ground = report["ground_velocity_m_s"]
            self.assertAlmostEqual(ground[2], -1.3, delta=0.03)
            self.assertLess(report["after"]["clip"]["slide_mean_cm_s"], 0.5)

    def test_a_treadmill_clip_cleaned_again_keeps_still(self):
        mill, labels = self.path("rough.bvh"), self.path("rough.csv")
        once, twice = self.path("once.bvh"), self.path("twice.bvh")
        self.assertEqual(run("surefoot-make-sample", mill, "--treadmill", "--frames", 240, "--noise", "0.1",
                             "--hip-edit", 1)[0], 0)
        self.ok("contacts", mill, "-o", labels)
        for who in ("both", "legs"):
            grounds = []
            for file, out in ((mill, once), (once, twice)):
                report = json.loads(self.ok("clean", "--json", file, "-o", out, "--contacts", labels, "--give-way", who))
                grounds.append(report["ground_velocity_m_s"])
                self.assertAlmostEqual(grounds[-1][2], -1.3, delta=0.01)
            for first, again in zip(*grounds):
                self.assertAlmostEqual(first, again, delta=1e-6)
            most = max(abs(a - b) for one, two in zip(read_bvh(once)[2], read_bvh(twice)[2])
                       for a, b in zip(one[6:], two[6:]))
            self.assertLess(most, 0.01)

    def test_frames_not_reached_are_named_in_spans(self):
        labels, out = self.path("everywhere.csv"), self.path("everywhere.bvh")
        with open(labels, "w", encoding="utf-8") as file:
            file.write("frame,time,LeftToeBase,RightToeBase\n")
            file.writelines("%d,%.6f,1,1\n" % (i, i / 60.0) for i in range(300))
        command = ("clean", self.slid, "-o", out, "--contacts", labels, "--give-way", "legs")
        unreached = json.loads(self.ok(*command, "--json"))["unreached"]
        text = self.ok(*command)
        self.assertIn("Hips keeps its path", text)
        self.assertIn("Not reached: %d of 600 frames" % len(unreached), text)
        spans = re.findall(r"(\w+) +frames +(\d+) to +(\d+)  up to +([\d.]+) cm  gave up: (.+)", text)
        named = {(foot, frame): (float(most), gave) for foot, first, last, most, gave in spans
                 for frame in range(int(first), int(last) + 1)}
        self.assertEqual(set(named), {(miss["foot"], miss["frame"]) for miss in unreached})
        for miss in unreached:
            most, gave = named[miss["foot"], miss["frame"]]
            self.assertEqual(gave, miss["gave_up"])
            self.assertLess(miss["distance_cm"], most + 0.001)

    def test_clean_may_replace_its_input(self):
        copy = self.path("copy.bvh")
        with open(copy, "wb") as target:
            target.write(content(self.slid))
        self.ok("clean", copy, "-o", copy)
        self.assertNotEqual(content(copy), content(self.slid))
        self.assertEqual(len(read_bvh(copy)[2]), 300)

    def test_a_clip_without_plants_is_written_as_it_is(self):
        labels = self.path("none.csv")
        with open(labels, "w", encoding="utf-8") as file:
            file.write("frame,time,LeftToeBase,RightToeBase\n")
            file.writelines("%d,%.6f,0,0\n" % (i, i / 60.0) for i in range(300))
        out = self.path("same.bvh")
        # No label is above 1.
        for extra in (["--contacts", labels], ["--contact-threshold", "1"]):
            text = self.ok("clean", self.slid, "-o", out, *extra)
            self.assertIn("nothing was changed", text)
            self.assertEqual(read_bvh(out)[2], read_bvh(self.slid)[2])

    def test_outputs_that_cannot_be_written(self):
        nowhere = self.path("no/such/folder/out.bvh")
        for command in (["clean", self.slid, "-o"], ["convert", self.slid, "-o"], ["contacts", self.slid, "-o"]):
            self.assertIn(nowhere, self.fails(WRITE, *command, nowhere))
            self.fails(WRITE, *command, self.folder)
        out = self.path("report_fails.bvh")
        self.fails(WRITE, "clean", self.slid, "-o", out, "--report", nowhere)

    def test_outputs_with_an_ending_of_no_format_are_refused(self):
        for ending in (".txt", ".glb2", ".bvh.tmp", ".json"):
            out = self.path("odd" + ending)
            for command in (["clean", self.slid], ["convert", self.slid], ["adapt", self.slid, "--ground", "slope:angle=10"],
                            ["retarget", self.walk, "--onto", self.slid], ["roam", "--seconds", 1]):
                told = self.fails(USAGE, *command, "-o", out)
                self.assertIn(out, told)
                self.assertIn(".bvh, .glb or .gltf", told)
                self.assertFalse(os.path.exists(out))
        # No ending at all is the format of the input, in whatever folder.
        for name in ("bare", "trailing.", ".hidden"):
            self.ok("convert", self.walk, "-o", self.path(name))
            self.assertEqual(read_bvh(self.path(name)), read_bvh(self.walk))
        os.makedirs(self.path("folder.txt"), exist_ok=True)
        self.ok("convert", self.walk, "-o", self.path("folder.txt/bare"))

    # ---- convert ----

    def test_convert_without_options_keeps_every_number(self):
        out = self.path("same.bvh")
        self.ok("convert", self.walk, "-o", out)
        self.assertEqual(read_bvh(out), read_bvh(self.walk))

    def test_root_scale_is_exact_and_touches_nothing_else(self):
        _, _, rows = read_bvh(self.walk)
        for scale in (0.75, 1.25, 0.0, -1.0, 1.0):
            out = self.path("scaled.bvh")
            self.ok("convert", self.walk, "--root-scale", scale, "-o", out)
            for row, scaled in zip(rows, read_bvh(out)[2]):
                for axis in (0, 2):
                    expected = row[axis] if scale == 1.0 else rows[0][axis] + scale * (row[axis] - rows[0][axis])
                    self.assertEqual(scaled[axis], expected)
                self.assertEqual(scaled[1:2] + scaled[3:], row[1:2] + row[3:])

    def test_root_scale_starts_at_the_first_frame_of_motion(self):
        reference = self.path("reference.bvh")
        self.assertEqual(run("surefoot-make-sample", reference, "--reference", "--frames", 90, "--start", 0.3)[0], 0)
        self.assertEqual(json.loads(self.ok("info", "--json", reference))["first_frame"], 1)
        self.ok("convert", reference, "--root-scale", 0.5, "-o", self.path("half.bvh"))
        rows, half = read_bvh(reference)[2], read_bvh(self.path("half.bvh"))[2]
        self.assertEqual(half[1], rows[1])
        self.assertEqual(half[60][2], rows[1][2] + 0.5 * (rows[60][2] - rows[1][2]))

    def test_root_scale_below_a_turned_root_and_z_up(self):
        turned, out = self.write("turned.bvh", TURNED), self.path("turned_out.bvh")
        # Inside the turned root, Y runs along -Z of the world and Z is its height.
        self.ok("convert", turned, "--root-scale", 2, "--up", "Y", "--unit", "cm", "-o", out)
        rows = read_bvh(out)[2]
        for got, expected in zip(rows, ((1, 2, 90), (5, 14, 91), (9, 26, 92))):
            for a, b in zip(got[3:6], expected):
                self.assertAlmostEqual(a, b, delta=1e-12)
            self.assertEqual(got[5], expected[2])
            self.assertEqual(got[:3], [0, -90, 0])
        stick = self.write("zup.bvh", ONE_JOINT.replace("1 0 0 0 0 0", "1 2 3 0 0 0"))
        self.ok("convert", stick, "--root-scale", 3, "--up", "Z", "-o", out)
        self.assertEqual(read_bvh(out)[2][1][:3], [3, 6, 3])

    def test_frames_are_sliced_from_zero(self):
        header, dt, rows = read_bvh(self.walk)
        for text, first, last in (("10:20", 10, 20), (":5", 0, 5), ("290:", 290, 300), ("0:300", 0, 300), ("7:8", 7, 8)):
            self.ok("convert", self.walk, "--frames", text, "-o", self.path("part.bvh"))
            part_header, part_dt, part = read_bvh(self.path("part.bvh"))
            self.assertEqual((part_header[:-1], part_dt, part), (header[:-1], dt, rows[first:last]), text)

    def test_fps_resamples(self):
        out = self.path("slow.bvh")
        self.ok("convert", self.walk, "--fps", 30, "-o", out)
        _, dt, rows = read_bvh(out)
        fine = read_bvh(self.walk)[2]
        self.assertEqual(dt, 1.0 / 30.0)
        # 299 / 60 s at 30 Hz are 149.5 steps, rounded to 150, and the frame at the start.
        self.assertEqual(len(rows), 151)
        for i, row in enumerate(rows[:150]):
            for a, b in zip(row, fine[2 * i]):
                self.assertLess(abs((a - b + 180.0) % 360.0 - 180.0), 1e-6)
        self.ok("convert", self.walk, "--fps", 60, "-o", out)
        self.assertEqual(read_bvh(out)[2], fine)
        self.ok("convert", self.walk, "--fps", 120, "--frames", "0:100", "--root-scale", 0.9, "-o", out)
        self.assertEqual(len(read_bvh(out)[2]), 199)

    # ---- two characters in one file ----

    def two_walkers(self):
        """Files of one walker whose root goes too far, of one on a belt that goes east, and of both together."""
        paths = [self.path(name) for name in ("one.bvh", "other.bvh", "both.bvh")]
        for path, options in zip(paths, (["--root-scale", 1.25], ["--treadmill", "--heading", 90])):
            self.assertEqual(run("surefoot-make-sample", path, "--frames", 120, *options)[0], 0)
        texts = [content(path).decode("utf-8").replace("HIERARCHY\n", "").split("MOTION\n") for path in paths[:2]]
        figures = texts[0][0] + texts[1][0].replace("ROOT ", "ROOT B_").replace("JOINT ", "JOINT B_")
        rows = [motion.rstrip("\n").split("\n") for _, motion in texts]
        both = rows[0][:2] + [" ".join(pair) for pair in zip(rows[0][2:], rows[1][2:])]
        self.write("both.bvh", "HIERARCHY\n" + figures + "MOTION\n" + "\n".join(both) + "\n")
        return paths

    def test_two_characters_are_cleaned_each_by_itself(self):
        one, other, both = self.two_walkers()
        out = [self.path(name) for name in ("one_c.bvh", "other_c.bvh", "both_c.bvh")]
        self.ok("clean", one, "-o", out[0])
        self.ok("clean", other, "-o", out[1])
        told = self.ok("clean", both, "-o", out[2], "--picture", self.path("both.svg"))
        self.assertIn("2 characters, each by itself.", content(self.path("both.svg")).decode("utf-8"))
        self.assertIn("Hips: The root travels 1.25 times", told)
        self.assertIn("B_Hips: Planted feet move at a steady 1.3 m/s", told)
        self.assertIn("2 characters, each solved by itself", told)
        rows = [read_bvh(path)[2] for path in out]
        self.assertEqual(rows[2], [a + b for a, b in zip(rows[0], rows[1])])
        # Labels go out and come in as one table; figures know each foot's ground.
        labels = self.path("both.csv")
        self.ok("contacts", both, "-o", labels)
        self.ok("clean", both, "--contacts", labels, "-o", self.path("again.bvh"))
        self.assertEqual(content(self.path("again.bvh")), content(out[2]))
        figures = json.loads(self.ok("check", out[2], "--json"))
        self.assertEqual(len(figures["feet"]), 4)
        self.assertLess(figures["clip"]["slide_max_cm_s"], 0.01)
        self.assertEqual([c["root"] for c in figures["characters"]], ["Hips", "B_Hips"])
        self.assertEqual([c["mismatch"]["moving_ground"] for c in figures["characters"]], [False, True])
        self.assertIn("legs       4 of 2 characters", self.ok("info", both))
        self.assertNotIn("characters", self.ok("check", one, "--json"))
        self.assertEqual(surefoot("check", both, "--max-mismatch", 0.2)[0], CHECK)

    def test_what_takes_one_figure_says_which(self):
        one, _, both = self.two_walkers()
        for arguments in (["adapt", both, "--ground", "slope:angle=5"], ["retarget", both, "--onto", one],
                          ["retarget", one, "--onto", both]):
            code, _, err = surefoot(*arguments, "-o", self.path("first.bvh"))
            self.assertEqual(code, DONE, err)
            self.assertIn("has 2 characters: only the first, Hips, is taken", err)

    # ---- the sample itself, and whatever the locale is ----

    def test_locale_does_not_matter(self):
        env = dict(os.environ, LC_ALL="de_DE.UTF-8", LANG="de_DE.UTF-8")
        self.assertEqual(self.ok("check", "--json", self.slid, env=env), self.ok("check", "--json", self.slid))

    def test_sample_refuses_what_cannot_be_walked(self):
        for arguments in ([], [self.path("s.bvh"), "--step", "3"], [self.path("s.bvh"), "--frames", "0"],
                          [self.path("s.bvh"), "--fps", "x"], [self.path("s.bvh"), "--fps"],
                          [self.path("s.bvh"), "--dance"]):
            self.assertEqual(run("surefoot-make-sample", *arguments)[0], 2, arguments)
        self.assertFalse(os.path.exists(self.path("s.bvh")))

    def test_the_demo_runs(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "examples", "demo.sh")
        done = subprocess.run(["sh", script, BIN, self.path("demo")], capture_output=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(b"1.25 times", done.stdout)
        for name in ("walk.bvh", "slid.bvh", "fixed.bvh", "true_contacts.csv", "report.html", "picture.svg"):
            self.assertGreater(os.path.getsize(self.path(os.path.join("demo", name))), 1000, name)

    def test_long_clips_make_small_pages(self):
        long, page = self.path("long.bvh"), self.path("long.html")
        self.assertEqual(run("surefoot-make-sample", long, "--frames", 12000, "--root-scale", 0.8)[0], 0)
        self.ok("clean", long, "-o", self.path("long_fixed.bvh"), "--report", page)
        self.assertLess(os.path.getsize(page), 2_000_000)


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BIN, "surefoot")):
        sys.exit("no program in %s; set SFT_BIN" % BIN)
    unittest.main()
