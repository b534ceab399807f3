#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Runs the surefoot command on glTF, GLB and FBX as people do: clips, formats, resources, exactness.

SFT_BIN is the folder of the programs. Files are built here, with the standard library alone; the files of the optional
data folder (SFT_DATA, default ../shared/data beside the checkout) are run too where they are there.
"""

import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest

from gltf_walk import Figure, channel_bytes, put, read_glb

SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")
sys.path.append(os.path.join(SOURCE, "bench", "judge"))
import leaks  # noqa: E402

BIN = os.environ.get("SFT_BIN", "build/bin")
DATA = os.environ.get("SFT_DATA") or os.path.join(SOURCE, "..", "shared", "data")
TOO_OLD = ("ufbx_max7_skin_5000_binary.fbx",)  # FBX of 2004
DONE, CHECK, USAGE, READ, WRITE, MEMORY, NO_LEGS = range(7)


def run(program, *arguments, stdin=None):
    done = subprocess.run([os.path.join(BIN, program)] + [str(a) for a in arguments], capture_output=True,
                          input=stdin, timeout=300, check=False, env=leaks.environment())
    return done.returncode, done.stdout, done.stderr.decode("utf-8")


def surefoot(*arguments, **more):
    return run("surefoot", *arguments, **more)


def content(path):
    with open(path, "rb") as file:
        return file.read()


class Case(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="surefoot-gltf-")
        cls.folder = cls.temporary.name
        cls.one = put(cls.path("one.glb"), Figure().clip("Walk", speed=1.25).glb())
        cls.many = put(cls.path("many.glb"), cls.many_clips().glb())
        cls.bvh = cls.path("walk.bvh")
        assert run("surefoot-make-sample", cls.bvh, "--frames", 120, "--root-scale", 1.25)[0] == 0

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    @staticmethod
    def many_clips():
        figure = Figure().clip("Walk", speed=1.25).clip("Walk", frames=60, start=0.5).morph_clip("Smile")
        return figure.clip("../up/A|B: 50%", frames=40).clip("", frames=30).clip("walk", frames=45, uneven=True)

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder, name)

    def ok(self, *arguments, **more):
        code, out, err = surefoot(*arguments, **more)
        self.assertEqual(code, DONE, err)
        return out.decode("utf-8")

    def fails(self, expected, *arguments, **more):
        code, out, err = surefoot(*arguments, **more)
        self.assertEqual(code, expected, (arguments, out, err))
        self.assertTrue("surefoot: " in err, err)
        self.assertEqual(out, b"")
        return err


class Clips(Case):
    def test_info_lists_all_clips(self):
        info = json.loads(self.ok("info", "--json", self.many))
        self.assertEqual((info["format"], len(info["clips"]), info["clip_index"]), ("GLB", 6, 0))
        self.assertEqual([c["name"] for c in info["clips"]], ["Walk", "Walk", "Smile", "../up/A|B: 50%", "", "walk"])
        self.assertEqual([c["frames"] for c in info["clips"]][:5], [120, 60, 1, 40, 30])
        self.assertEqual(info["clips"][0]["frame_time"], 1.0 / 30.0)
        self.assertEqual([c["start"] for c in info["clips"]][:2], [0.0, 0.5])
        self.assertEqual([c["channels"] for c in info["clips"]], [7, 7, 0, 7, 7, 7])
        self.assertEqual(info["clips"][2]["other_channels"], 1)
        self.assertEqual([c["stored_frames"] for c in info["clips"]][3:], [True, True, False])
        self.assertEqual((info["joints"], info["unit_metres"], info["up"], len(info["legs"])), (20, 1, "Y", 2))
        self.assertEqual(info["legs"][0]["toe"], "LeftToeBase")
        text = self.ok("info", self.many)
        for words in ("clips      6", "../up/A|B: 50%", "moves no joint", "uneven keys", "0.500 to", "clip 4"):
            self.assertIn(words, text)

    def test_a_clip_by_name_and_by_number(self):
        for name, index in (("Walk", 0), ("1", 1), ("../up/A|B: 50%", 3), ("4", 4), ("walk", 5)):
            info = json.loads(self.ok("info", "--json", self.many, "--clip", name))
            self.assertEqual(info["clip_index"], index)
        self.assertIn("Walk", self.fails(READ, "info", self.many, "--clip", "Run"))
        self.fails(READ, "info", self.many, "--clip", "6")
        self.assertIn("moves no joint", self.fails(READ, "check", self.many, "--clip", "Smile"))
        self.fails(READ, "check", self.bvh, "--clip", "Walk")
        self.ok("check", self.bvh, "--clip", "0")

    def test_check_measures_every_clip(self):
        code, out, err = surefoot("check", "--json", self.many)
        self.assertEqual(code, DONE, err)
        self.assertEqual([e["clip_name"] for e in json.loads(out)], ["Walk", "Walk", "../up/A|B: 50%", "", "walk"])
        self.assertIn("Smile is left out", err)
        self.assertEqual(json.loads(self.ok("check", "--json", self.many, "--clip", "0"))["clip_name"], "Walk")
        self.assertIsInstance(json.loads(self.ok("check", "--json", self.one)), dict)
        self.assertEqual(len(json.loads(self.ok("check", "--json", self.one, "--all-clips"))), 1)
        self.assertEqual(len(json.loads(self.ok("check", "--json", self.one, self.bvh))), 2)
        text = self.ok("check", self.many)
        self.assertEqual(text.count("slide in all"), 5)
        self.assertIn("many.glb, ../up/A|B: 50%", text)
        code, _, err = surefoot("check", self.many, "--max-slide", 1)
        self.assertEqual(code, CHECK)
        self.assertIn("Walk: ", err)

    def test_frames_are_told_with_seconds_where_a_clip_starts_late(self):
        self.assertRegex(self.ok("check", self.many, "--clip", "1"), r"fastest slide at frame \d+ \(\d+\.\d+ s\)")
        self.assertRegex(self.ok("check", self.many, "--clip", "0"), r"fastest slide at frame \d+ \(\D")

    def test_one_clip_must_be_chosen_where_it_matters(self):
        out = self.path("never.glb")
        for command in (["clean", "-o", out], ["contacts"], ["convert", "-o", self.path("never.bvh")],
                        ["convert", "--frames", "3:", "-o", out]):
            err = self.fails(USAGE, *command, self.many)
            for words in ("--clip", "--all-clips", "A|B", "Smile"):
                self.assertIn(words, err)
        self.assertFalse(os.path.exists(out))

    def test_contacts_of_all_clips_are_a_table_each(self):
        labels = self.path("labels.csv")
        out = self.ok("contacts", self.many, "--all-clips", "-o", labels)
        names = [os.path.basename(line) for line in out.split()]
        self.assertEqual(names, ["labels-Walk#0.csv", "labels-Walk#1.csv", "labels-.._up_A_B__50_.csv",
                                 "labels-4.csv", "labels-walk#5.csv"])
        self.assertFalse(os.path.exists(labels))
        for name, frames in zip(names, (120, 60, 40, 30)):
            self.assertEqual(content(self.path(name)).count(b"\n"), frames + 1)
        self.fails(USAGE, "contacts", self.many, "--all-clips")
        spans = json.loads(self.ok("contacts", self.many, "--all-clips", "--json"))
        self.assertEqual([len(s["feet"]) for s in spans], [2] * 5)
        # They are read back by the same names.
        checked = json.loads(self.ok("check", "--json", self.many, "--contacts", labels))
        self.assertEqual([c["labels"] for c in checked], [labels] * 5)
        os.remove(self.path(names[3]))
        self.assertIn(names[3], self.fails_any(READ, "check", self.many, "--contacts", labels))

    def fails_any(self, expected, *arguments):
        code, _, err = surefoot(*arguments)
        self.assertEqual(code, expected, err)
        return err

    def test_frame_rate_of_uneven_keys(self):
        frames = [json.loads(self.ok("info", "--json", self.many, "--clip", "walk", *more))["frames"]
                  for more in ([], ["--fps", 30], ["--fps", 120])]
        self.assertAlmostEqual(frames[0], 44 / 30 * 60, delta=2)
        self.assertAlmostEqual(frames[1], 44, delta=2)
        self.assertAlmostEqual(frames[2], 44 / 30 * 120, delta=3)
        self.assertEqual(json.loads(self.ok("info", "--json", self.one, "--fps", 7))["frames"], 120)


class Clean(Case):
    def test_clean_changes_solved_channels_alone(self):
        out = self.path("fixed.glb")
        report = json.loads(self.ok("clean", "--json", self.one, "-o", out))
        self.assertGreater(report["plants"], 3)
        self.assertGreater(report["before"]["clip"]["slide_mean_cm_s"], 5.0)
        self.assertLess(report["after"]["clip"]["slide_mean_cm_s"], 0.1)
        self.assertLess(json.loads(self.ok("check", "--json", out))["clip"]["slide_mean_cm_s"], 5.0)
        before, after = read_glb(content(self.one)), read_glb(content(out))
        self.assertEqual(after[1][:len(before[1])], before[1])
        self.assertEqual(after[2], before[2])
        old, new = json.loads(before[0]), json.loads(after[0])
        for key in old:
            if key not in ("animations", "accessors", "bufferViews", "buffers"):
                self.assertEqual(new[key], old[key], key)
        self.assertEqual(new["accessors"][:len(old["accessors"])], old["accessors"])
        self.assertEqual(new["bufferViews"][:len(old["bufferViews"])], old["bufferViews"])
        self.assertIn(b'"kept": [\n    1.0,\n    100.0', after[0])

    def test_other_clips_keep_every_byte(self):
        out = self.path("chosen.glb")
        self.ok("clean", self.many, "--clip", "Walk", "-o", out)
        before, after = content(self.many), content(out)
        for clip in (1, 3, 4, 5):
            for node in (2, 3, 4, 7, 8, 9):
                self.assertEqual(channel_bytes(before, clip, node, "rotation"),
                                 channel_bytes(after, clip, node, "rotation"))
        self.assertNotEqual(channel_bytes(before, 0, 2, "rotation"), channel_bytes(after, 0, 2, "rotation"))
        self.assertEqual(channel_bytes(before, 2, 21, "weights"), channel_bytes(after, 2, 21, "weights"))

    def test_all_clips_at_once(self):
        out, page, picture = self.path("all.glb"), self.path("page.html"), self.path("pic.svg")
        text = self.ok("clean", self.many, "--all-clips", "-o", out, "--report", page, "--picture", picture)
        self.assertIn("5 clips", text)
        self.assertEqual(len(text.strip().split("\n")), 6)
        self.assertIn("../up/A|B: 50%: ", text)
        for name in ("Walk#0", "Walk#1", ".._up_A_B__50_", "4", "walk#5"):
            self.assertIn(b"Toes from above", content(self.path("page-%s.html" % name)))
            self.assertTrue(content(self.path("pic-%s.svg" % name)).startswith(b"<svg"))
        self.assertFalse(os.path.exists(page))
        reports = json.loads(self.ok("clean", "--json", self.many, "--all-clips", "--loop", "-o", out))
        self.assertEqual([r["clip_name"] for r in reports], ["Walk", "Walk", "../up/A|B: 50%", "", "walk"])
        self.assertTrue(all(r["loop"] for r in reports))
        for report in reports:
            self.assertLess(report["after"]["clip"]["slide_mean_cm_s"] or 0.0, 2.0)

    def test_one_clip_gives_what_all_give(self):
        both, single = self.path("both.glb"), self.path("single.glb")
        self.ok("clean", self.many, "--all-clips", "-o", both)
        self.ok("clean", self.many, "--clip", "1", "-o", single)
        for node in (2, 3, 4, 7, 8, 9):
            self.assertEqual(channel_bytes(content(both), 1, node, "rotation"),
                             channel_bytes(content(single), 1, node, "rotation"))

    def test_uneven_keys_and_kept_keys(self):
        dense, kept = self.path("dense.glb"), self.path("kept.glb")
        report = json.loads(self.ok("clean", "--json", self.many, "--clip", "walk", "-o", dense))
        self.assertLess(report["after"]["clip"]["slide_mean_cm_s"], 0.5)
        self.assertGreater(len(channel_bytes(content(dense), 5, 2, "rotation")), 80 * 16)
        report = json.loads(self.ok("clean", "--json", self.many, "--clip", "walk", "--keep-keys", "-o", kept))
        self.assertEqual(len(channel_bytes(content(kept), 5, 2, "rotation")), 45 * 16)
        keys = report["kept_keys"]
        self.assertGreater(keys["rotation_error_degrees"], 0.0)
        self.assertIsNotNone(keys["rotation_joint"])
        self.assertIn("degrees (", self.ok("clean", self.many, "--clip", "walk", "--keep-keys", "-o", kept))

    def test_a_clip_without_plants_is_written_byte_for_byte(self):
        out = self.path("same.glb")
        text = self.ok("clean", self.one, "--contact-threshold", 1, "-o", out)
        self.assertIn("nothing was changed", text)
        self.assertEqual(content(out), content(self.one))

    def test_clean_may_replace_its_input(self):
        copy = put(self.path("mine.glb"), content(self.one))
        self.ok("clean", copy, "-o", copy)
        self.assertNotEqual(content(copy), content(self.one))
        self.assertLess(json.loads(self.ok("check", "--json", copy))["clip"]["slide_mean_cm_s"], 5.0)

    def test_nothing_to_stand_on(self):
        figure = Figure().morph_clip("Smile")
        morph, rest = put(self.path("morph.glb"), figure.glb()), put(self.path("rest.glb"), Figure().glb())
        out = self.path("nothing.glb")
        self.assertIn("no clip moves a joint", self.fails(NO_LEGS, "clean", morph, "-o", out))
        self.assertIn("rest pose", self.fails(READ, "clean", rest, "-o", out))
        self.assertIn("only a rest pose", self.ok("info", rest))
        snake = Figure()
        snake.BONES = [("Bone%d" % k, k - 1, (0.0, 0.0, 0.1)) for k in range(20)]
        snake.__init__()
        path = put(self.path("snake.glb"), snake.clip("Slither").glb())
        self.assertIn("no feet", self.fails(NO_LEGS, "clean", path, "-o", out))
        self.assertEqual(json.loads(self.ok("info", "--json", path))["legs"], [])
        self.assertFalse(os.path.exists(out))

    def test_units_of_other_files(self):
        figure = Figure()
        for node in figure.doc["nodes"]:
            if "translation" in node:
                node["translation"] = [100.0 * v for v in node["translation"]]
        path = put(self.path("large.glb"), figure.glb())
        code, out, err = surefoot("info", "--json", path)
        self.assertEqual((code, json.loads(out)["unit_metres"]), (DONE, 0.01))
        self.assertIn("the figure would be 163 m high; taken as 0.01 m a unit", err)
        code, out, err = surefoot("info", "--json", path, "--unit", "inch")
        self.assertEqual((code, json.loads(out)["unit_metres"], err), (DONE, 0.0254, ""))


class Character(Case):
    """Clips in one file, the character in another."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        clips = Figure().clip("Walk", speed=1.25).clip("Stroll", frames=60)
        # A clip file as exporters make it: nodes without a skin or mesh.
        for key in ("skins", "meshes"):
            del clips.doc[key]
        for key in ("mesh", "skin"):
            del clips.doc["nodes"][21][key]
        cls.clips = put(cls.path("clips.glb"), clips.glb())
        model = Figure()
        for node in model.doc["nodes"]:
            if node["name"].endswith("Leg"):
                node["translation"] = [0.9 * v for v in node["translation"]]
        cls.model = put(cls.path("model.glb"), model.glb())

    def test_legs_are_those_of_the_character(self):
        own = json.loads(self.ok("info", "--json", self.clips))
        bound = json.loads(self.ok("info", "--json", self.clips, "--character", self.model))
        self.assertEqual([c["name"] for c in bound["clips"]], ["Walk", "Stroll"])
        self.assertLess(bound["figure_height_m"], own["figure_height_m"])
        self.assertEqual(len(bound["legs"]), 2)

    def test_clean_writes_the_clip_file(self):
        out = self.path("clips_fixed.glb")
        report = json.loads(self.ok("clean", "--json", self.clips, "--clip", "Walk", "--character", self.model, "-o", out))
        self.assertLess(report["after"]["clip"]["slide_mean_cm_s"], 0.1)
        before, after = read_glb(content(self.clips)), read_glb(content(out))
        self.assertEqual(json.loads(before[0])["nodes"], json.loads(after[0])["nodes"])
        self.assertEqual(channel_bytes(content(self.clips), 1, 3, "rotation"), channel_bytes(content(out), 1, 3, "rotation"))
        self.assertNotEqual(channel_bytes(content(self.clips), 0, 3, "rotation"),
                            channel_bytes(content(out), 0, 3, "rotation"))
        again = json.loads(self.ok("check", "--json", out, "--clip", "Walk", "--character", self.model))
        self.assertLess(again["clip"]["slide_mean_cm_s"], 5.0)
        text = self.ok("clean", self.clips, "--all-clips", "--character", self.model, "-o", out)
        self.assertIn("Stroll: ", text)

    def test_convert_adds_the_clips_to_the_character(self):
        out = self.path("moving.glb")
        self.ok("convert", self.clips, "--character", self.model, "--all-clips", "-o", out)
        info = json.loads(self.ok("info", "--json", out))
        self.assertEqual([(c["name"], c["frames"]) for c in info["clips"]], [("Walk", 120), ("Stroll", 60)])
        self.assertEqual(json.loads(read_glb(content(out))[0])["meshes"], json.loads(read_glb(content(self.model))[0])["meshes"])
        self.ok("convert", self.clips, "--character", self.model, "--clip", "Stroll", "-o", self.path("moving.bvh"))
        self.assertEqual(json.loads(self.ok("info", "--json", self.path("moving.bvh")))["frames"], 60)

    def test_what_does_not_fit_is_named(self):
        other = Figure()
        other.doc["nodes"][3]["name"] = "LeftKnee"
        path = put(self.path("other.glb"), other.glb())
        code, _, err = surefoot("check", self.clips, "--clip", "Walk", "--character", path)
        self.assertIn(code, (DONE, NO_LEGS))
        self.assertIn("find no node", err)
        self.assertIn("LeftLeg", err)
        self.fails(READ, "check", self.clips, "--clip", "Walk", "--character", self.bvh)
        self.fails(READ, "check", self.clips, "--clip", "Walk", "--character", self.path("missing.glb"))
        self.fails(USAGE, "clean", self.clips, "--clip", "Walk", "--character", self.model, "-o", self.model)


class Words(Case):
    """Sentences that must be true of what was written."""

    def test_kept_keys_are_not_said_to_reach(self):
        source = put(self.path("sparse.glb"), Figure().clip("Walk", speed=1.25).glb())
        text = self.ok("clean", source, "-o", self.path("kept.glb"), "--keep-keys")
        self.assertIn("before the clip was fitted to the file's own keys", text)
        self.assertNotIn("Every planted toe was reached.", text)

    def test_a_file_without_a_skeleton_is_no_matter_of_feet(self):
        figure = Figure().morph_clip("Smile")
        figure.doc["skins"], figure.doc["nodes"] = [], [dict(figure.doc["nodes"][-1])]
        figure.doc["animations"][0]["channels"][0]["target"]["node"] = 0
        figure.doc["scenes"] = [{"nodes": [0]}]
        source = put(self.path("smile.glb"), figure.glb())
        self.assertNotIn("feet", self.fails(READ, "convert", source, "-o", self.path("smile.bvh")))

    def test_what_a_character_does_not_get_is_named(self):
        clips = Figure().clip("Walk")
        clips.morph_clip("Smile")
        clips.doc["animations"][0]["channels"].append(clips.doc["animations"][1]["channels"][0])
        clips.doc["animations"][0]["samplers"].append(clips.doc["animations"][1]["samplers"][0])
        clips.doc["animations"][0]["channels"][-1]["sampler"] = len(clips.doc["animations"][0]["samplers"]) - 1
        del clips.doc["animations"][1]
        source = put(self.path("morphs.glb"), clips.glb())
        model = put(self.path("model.glb"), Figure().glb())
        code, _, err = surefoot("convert", source, "--character", model, "-o", self.path("both.glb"))
        self.assertEqual(code, DONE, err)
        self.assertIn("stay behind: 1", err)


class Streams(Case):
    def test_standard_input_and_output(self):
        data = content(self.one)
        self.assertEqual(json.loads(self.ok("info", "--json", "-", stdin=data))["clips"][0]["name"], "Walk")
        code, out, _ = surefoot("convert", "-", "-o", "-", stdin=data)
        self.assertEqual((code, out), (DONE, data))
        code, out, err = surefoot("clean", "-", "-o", "-", stdin=data)
        self.assertEqual(code, DONE, err)
        self.assertEqual(read_glb(out)[2], read_glb(data)[2])
        self.assertIn("toes held in", err)
        self.ok("clean", self.one, "-o", self.path("piped.glb"))
        self.assertEqual(out, content(self.path("piped.glb")))

    def test_a_gltf_text_from_a_pipe_must_stand_alone(self):
        figure = Figure().clip("Walk")
        self.assertEqual(json.loads(self.ok("info", "--json", "-", stdin=figure.data_uri()))["format"], "glTF")
        err = self.fails(READ, "info", "-", stdin=figure.text(uri="walk.bin"))
        self.assertIn("walk.bin", err)

    def test_formats_are_told_by_content(self):
        odd = put(self.path("odd.bvh"), content(self.one))
        self.assertEqual(json.loads(self.ok("info", "--json", odd))["format"], "GLB")
        odd = put(self.path("odd.glb"), content(self.bvh))
        self.assertEqual(json.loads(self.ok("info", "--json", odd))["format"], "BVH")
        odd = put(self.path("picture.glb"), b"\x89PNG\r\n\x1a\n" + b"\0" * 100)
        self.assertIn("picture.glb", self.fails(READ, "info", odd))
        self.assertIn(".usd", self.fails(READ, "info", put(self.path("scene.usd"), b"PXR-USDC")))


class Files(Case):
    def folder_of(self, name):
        path = self.path(name)
        os.mkdir(path)
        return path

    def test_gltf_with_its_buffer_beside_it(self):
        source, target = self.folder_of("source"), self.folder_of("target")
        path = Figure().clip("Walk", speed=1.25).beside(source, "walk.gltf", "walk data.bin")
        binary = content(os.path.join(source, "walk data.bin"))
        out = os.path.join(target, "fixed.gltf")
        self.ok("clean", path, "-o", out)
        self.assertEqual(sorted(os.listdir(target)), ["fixed.bin", "fixed.gltf", "walk data.bin"])
        self.assertEqual(content(os.path.join(target, "walk data.bin")), binary)
        self.assertEqual(content(os.path.join(source, "walk data.bin")), binary)
        self.assertLess(json.loads(self.ok("check", "--json", out))["clip"]["slide_mean_cm_s"], 5.0)
        # Again: what is there already is not written anew, and never with other bytes.
        self.ok("clean", path, "-o", out)
        self.assertEqual(sorted(os.listdir(target)), ["fixed.bin", "fixed.gltf", "walk data.bin"])
        put(os.path.join(target, "walk data.bin"), b"somebody else's")
        err = self.fails(WRITE, "clean", path, "-o", os.path.join(target, "second.gltf"))
        self.assertIn("walk data.bin", err)
        self.assertFalse(os.path.exists(os.path.join(target, "second.gltf")))
        # In place: the source's buffer stays.
        self.ok("clean", path, "-o", path)
        self.assertEqual(content(os.path.join(source, "walk data.bin")), binary)
        self.assertLess(json.loads(self.ok("check", "--json", path))["clip"]["slide_mean_cm_s"], 5.0)

    def test_a_gltf_in_one_file_stays_in_one(self):
        source = Figure().clip("Walk", speed=1.25).data_uri()
        with tempfile.TemporaryDirectory(prefix="surefoot-alone-") as folder:
            self.ok("clean", put(os.path.join(folder, "in.gltf"), source), "-o", os.path.join(folder, "out.gltf"))
            self.assertEqual(sorted(os.listdir(folder)), ["in.gltf", "out.gltf"])
            with open(os.path.join(folder, "out.gltf"), "rb") as file:
                buffers = json.load(file)["buffers"]
            self.assertEqual(buffers[0], json.loads(source)["buffers"][0])
            self.assertTrue(len(buffers) == 2 and buffers[1]["uri"].startswith("data:"), buffers[1:])

    def test_outputs_never_replace_resources(self):
        source = self.folder_of("resources")
        path = Figure().clip("Walk", speed=1.25).beside(source, "walk.gltf", "walk.bin")
        binary = os.path.join(source, "walk.bin")
        before = content(binary)
        for arguments in (["clean", path, "-o", binary], ["contacts", path, "-o", binary],
                          ["clean", path, "-o", os.path.join(source, "x.glb"), "--report", binary],
                          ["clean", path, "-o", os.path.join(source, "x.glb"), "--picture", binary],
                          ["convert", path, "-o", binary]):
            self.assertIn("walk.bin", self.fails(USAGE, *arguments))
        self.assertEqual(content(binary), before)
        self.assertEqual(sorted(os.listdir(source)), ["walk.bin", "walk.gltf"])

    def test_files_of_all_clips_never_replace_inputs_or_resources(self):
        source = self.folder_of("all")
        figure = Figure().clip("Walk", speed=1.25).clip("Run", speed=1.25)
        binary = os.path.join(source, "x-Run.bvh")
        path = figure.beside(source, "x-Walk.gltf", "x-Run.bvh")
        before = content(path), content(binary)
        for arguments in (["convert", path, "--all-clips", "-o", os.path.join(source, "x.bvh")],
                          ["contacts", path, "--all-clips", "-o", os.path.join(source, "x.bvh")],
                          ["contacts", path, "--all-clips", "-o", os.path.join(source, "x.gltf")],
                          ["clean", path, "--all-clips", "-o", os.path.join(source, "y.glb"),
                           "--report", os.path.join(source, "x.bvh")]):
            self.fails(USAGE, *arguments)
        # What the character needs is no less an input.
        clips = put(os.path.join(source, "clips.glb"), Figure().clip("Walk").glb())
        self.assertIn("x-Run.bvh", self.fails(USAGE, "convert", clips, "--character", path, "-o", binary))
        self.assertEqual((content(path), content(binary)), before)
        self.assertEqual(sorted(os.listdir(source)), ["clips.glb", "x-Run.bvh", "x-Walk.gltf"])

    def test_resources_outside_the_folder_are_refused(self):
        source = self.folder_of("hostile")
        put(self.path("secret.bin"), Figure().clip("Walk").binary)
        for number, uri in enumerate(("../secret.bin", self.path("secret.bin"), "file://" + self.path("secret.bin"),
                                      "http://localhost/secret.bin", "..%2Fsecret.bin", "link.bin")):
            path = put(os.path.join(source, "f%d.gltf" % number), Figure().clip("Walk").text(uri=uri))
            if uri == "link.bin":
                os.symlink(self.path("secret.bin"), os.path.join(source, "link.bin"))
            self.fails(READ, "info", path)
        put(os.path.join(source, "inside.bin"), Figure().clip("Walk").binary)
        os.remove(os.path.join(source, "link.bin"))
        os.symlink("inside.bin", os.path.join(source, "link.bin"))
        self.ok("info", os.path.join(source, "f5.gltf"))
        self.assertIn("missing.bin", self.fails(READ, "info", put(
            os.path.join(source, "f9.gltf"), Figure().clip("Walk").text(uri="missing.bin"))))

    def test_images_go_along(self):
        source, target = self.folder_of("with_images"), self.folder_of("images_out")
        figure = Figure().clip("Walk")
        figure.doc["images"] = [{"uri": "textures/skin%20one.png"}, {"uri": "not%20there.png"}]
        path = figure.beside(source, "walk.gltf", "walk.bin")
        os.mkdir(os.path.join(source, "textures"))
        put(os.path.join(source, "textures", "skin one.png"), b"\x89PNG picture")
        self.ok("convert", path, "-o", os.path.join(target, "walk.gltf"))
        self.assertEqual(content(os.path.join(target, "textures", "skin one.png")), b"\x89PNG picture")
        self.assertEqual(content(os.path.join(target, "walk.gltf")), content(path))
        self.assertEqual(sorted(os.listdir(target)), ["textures", "walk.bin", "walk.gltf"])


class Convert(Case):
    def test_without_options_every_byte_stays(self):
        for source, name in ((self.one, "copy.glb"), (self.many, "copy_many.glb")):
            self.ok("convert", source, "-o", self.path(name))
            self.assertEqual(content(self.path(name)), content(source))

    def test_between_containers(self):
        text, back, alone = self.path("as_text.gltf"), self.path("back.glb"), self.path("alone.gltf")
        self.ok("convert", self.many, "-o", text)
        self.assertTrue(os.path.exists(self.path("as_text.bin")))
        self.ok("convert", self.many, "-o", alone, "--embed")
        self.assertEqual(json.loads(content(alone))["buffers"][0]["uri"][:5], "data:")
        names = [c["name"] for c in json.loads(self.ok("info", "--json", self.many))["clips"]]
        for path in (text, alone):
            self.ok("convert", path, "-o", back)
            info = json.loads(self.ok("info", "--json", back))
            self.assertEqual([c["name"] for c in info["clips"]], names)
            self.assertEqual(channel_bytes(content(back), 0, 2, "rotation"),
                             channel_bytes(content(self.many), 0, 2, "rotation"))

    def test_bvh_to_glb_and_back(self):
        glb, back = self.path("walk.glb"), self.path("walk_back.bvh")
        self.ok("convert", self.bvh, "-o", glb)
        info = json.loads(self.ok("info", "--json", glb))
        self.assertEqual((info["frames"], info["frame_time"], info["unit_metres"]), (120, 1.0 / 60.0, 1))
        self.ok("convert", glb, "-o", back)
        a, b = content(self.bvh).decode().split("MOTION"), content(back).decode().split("MOTION")
        self.assertEqual(re.findall(r"(?:ROOT|JOINT|CHANNELS).*", a[0]), re.findall(r"(?:ROOT|JOINT|CHANNELS).*", b[0]))
        self.assertEqual(re.search("Frame Time:.*", a[1]).group(), re.search("Frame Time:.*", b[1]).group())
        rows = [[[float(t) for t in line.split()] for line in text.split("\n")[3:] if line] for text in (a[1], b[1])]
        self.assertEqual(len(rows[0]), len(rows[1]))
        for one, two in zip(*rows):
            for x, y in zip(one, two):
                self.assertLess(abs((x - y + 180.0) % 360.0 - 180.0), 1e-3)

    def test_glb_to_bvh(self):
        out = self.path("one.bvh")
        self.ok("convert", self.one, "-o", out)
        info = json.loads(self.ok("info", "--json", out))
        self.assertEqual((info["joints"], info["frames"], info["unit_metres"]), (20, 120, 0.01))
        self.ok("convert", self.one, "-o", out, "--out-unit", "m", "--out-up", "Z")
        info = json.loads(self.ok("info", "--json", out, "--unit", "m"))
        self.assertEqual((info["up"], info["frames"]), ("Z", 120))
        self.ok("convert", self.many, "--all-clips", "-o", out)
        for name, frames in (("Walk#0", 120), ("Walk#1", 60), (".._up_A_B__50_", 40), ("4", 30)):
            info = json.loads(self.ok("info", "--json", self.path("one-%s.bvh" % name)))
            self.assertEqual(info["frames"], frames)

    def test_clean_may_change_the_format(self):
        out = self.path("cleaned.bvh")
        self.ok("clean", self.one, "-o", out)
        self.assertLess(json.loads(self.ok("check", "--json", out))["clip"]["slide_mean_cm_s"], 5.0)
        out = self.path("cleaned.glb")
        self.ok("clean", self.bvh, "-o", out)
        self.assertLess(json.loads(self.ok("check", "--json", out))["clip"]["slide_mean_cm_s"], 5.0)

    # ---- changes on the way ----

    def track(self, path, clip=0, node=1, way="translation"):
        data = channel_bytes(content(path), clip, node, way)
        width = 3 if way == "translation" else 4
        return [struct.unpack_from("<%df" % width, data, at) for at in range(0, len(data), 4 * width)]

    def times(self, path, clip=0):
        text, binary, _ = read_glb(content(path))
        doc = json.loads(text)
        accessor = doc["accessors"][doc["animations"][clip]["samplers"][0]["input"]]
        start = doc["bufferViews"][accessor["bufferView"]].get("byteOffset", 0) + accessor.get("byteOffset", 0)
        return list(struct.unpack_from("<%df" % accessor["count"], binary, start))

    def test_root_scale_touches_travel_alone(self):
        for clip, name in ((0, "Walk"), (5, "walk")):
            out = self.path("scaled.glb")
            self.ok("convert", self.many, "--clip", name, "--root-scale", 0.5, "-o", out)
            before, after = self.track(self.many, clip), self.track(out, clip)
            self.assertEqual(len(before), len(after))
            for a, b in zip(before, after):
                self.assertAlmostEqual(b[2], 0.5 * a[2], delta=1e-6)
                self.assertEqual(a[:2], b[:2])
            for node in (2, 3, 4, 7, 8, 9):
                self.assertEqual(channel_bytes(content(self.many), clip, node, "rotation"),
                                 channel_bytes(content(out), clip, node, "rotation"))
        self.ok("convert", self.many, "--clip", "Walk", "--root-scale", 1, "-o", out)
        self.assertEqual(content(out), content(self.many))

    def test_frames_of_a_clip(self):
        out = self.path("part.glb")
        self.ok("convert", self.many, "--clip", "1", "--frames", "10:25", "-o", out)
        info = json.loads(self.ok("info", "--json", out, "--clip", "1"))
        self.assertEqual((info["frames"], info["start"]), (15, 0.5))
        self.assertEqual(self.track(out, 1), self.track(self.many, 1)[10:25])
        self.assertEqual(self.track(out, 1, 3, "rotation"), self.track(self.many, 1, 3, "rotation")[10:25])
        self.assertEqual(self.times(out, 1)[0], 0.5)
        for clip in (0, 3, 4, 5):
            self.assertEqual(self.track(out, clip), self.track(self.many, clip))
        for bad in ("25:10", "0:61", "60:"):
            self.fails(USAGE, "convert", self.many, "--clip", "1", "--frames", bad, "-o", out)

    def test_another_rate(self):
        out = self.path("rate.glb")
        self.ok("convert", self.many, "--clip", "0", "--fps", 15, "-o", out)
        self.assertEqual(self.track(out, 0, 3, "rotation"), self.track(self.many, 0, 3, "rotation")[0:119:2] +
                         self.track(self.many, 0, 3, "rotation")[-1:])
        self.ok("convert", self.many, "--clip", "0", "--fps", 60, "-o", out)
        fine, coarse = self.track(out), self.track(self.many)
        self.assertEqual(fine[::2], coarse)
        for i in range(len(coarse) - 1):
            self.assertAlmostEqual(fine[2 * i + 1][2], 0.5 * (coarse[i][2] + coarse[i + 1][2]), delta=1e-6)
        self.ok("convert", self.many, "--clip", "0", "--fps", 30, "-o", out)
        self.assertEqual(content(out), content(self.many))
        self.ok("convert", self.many, "--all-clips", "--fps", 20, "-o", out)
        rates = [c["frame_time"] for c in json.loads(self.ok("info", "--json", out))["clips"]]
        self.assertEqual(rates[:2] + rates[3:], [0.05] * 5)

    def test_changes_on_the_way_to_bvh(self):
        out = self.path("changed.bvh")
        self.ok("convert", self.many, "--clip", "1", "--frames", "10:25", "--fps", 60, "--root-scale", 0.5, "-o", out)
        info = json.loads(self.ok("info", "--json", out))
        self.assertEqual((info["frames"], info["frame_time"]), (29, 1.0 / 60.0))
        self.ok("convert", self.bvh, "--frames", "10:25", "-o", self.path("changed.glb"))
        self.assertEqual(json.loads(self.ok("info", "--json", self.path("changed.glb")))["frames"], 15)

    def test_channels_that_keep_their_times_are_counted(self):
        figure = Figure().clip("Walk")
        times, weights = figure.accessor([0.0, 1.0], "SCALAR", bounds=True), figure.accessor([0.0, 1.0], "SCALAR")
        figure.doc["animations"][0]["samplers"].append({"input": times, "output": weights})
        figure.doc["animations"][0]["channels"].append({"sampler": 7, "target": {"node": 21, "path": "weights"}})
        path = put(self.path("weights.glb"), figure.glb())
        code, _, err = surefoot("convert", path, "--frames", "3:9", "-o", self.path("weights_out.glb"))
        self.assertEqual(code, DONE)
        self.assertIn("1 channel of this clip", err)

    def test_fbx_output_is_refused(self):
        err = self.fails(USAGE, "clean", self.one, "-o", self.path("x.fbx"))
        self.assertIn("not there yet", err)
        self.assertIn("meshes", err)
        self.fails(USAGE, "convert", self.one, "-o", self.path("x.FBX"))

    def test_choosing_a_clip_that_no_option_wants(self):
        for extra in (["--clip", "Walk"], ["--all-clips"]):
            self.assertIn("keep all clips", self.fails(USAGE, "convert", self.many, "-o", self.path("n.glb"), *extra))

    def test_names_begin_no_lines_and_steer_no_terminal(self):
        evil = "a\nsurefoot: warning: forged\u009b31m\u202e\u2028\x1b[0m"
        figure = Figure()
        figure.doc["nodes"][2]["name"] = evil
        path = put(self.path("evil.glb"), figure.clip(evil, speed=1.25).clip("b", speed=1.25).glb())
        for arguments in (["info", path], ["check", path, "--clip", "0"], ["check", path, "--clip", "none"],
                          ["clean", path, "--all-clips", "-o", self.path("evil-out.glb")],
                          ["contacts", path, "--all-clips", "-o", self.path("evil.csv")],
                          ["convert", path, "--clip", "0", "-o", self.path("evil.bvh")]):
            _, out, err = surefoot(*arguments)
            said = out.decode("utf-8") + err
            for mark in "\u009b\u202e\u2028\x1b":
                self.assertNotIn(mark, said, arguments)
            self.assertFalse([line for line in said.split("\n") if line.startswith("surefoot: warning: forged")])
        # No files either whose names do so; JSON says the name of a clip as it is.
        self.assertIn("evil-a_surefoot__warning__forged_31m____0m.csv", os.listdir(os.path.dirname(path)))
        self.assertEqual(json.loads(surefoot("info", "--json", path)[1])["clips"][0]["name"], evil)

    @unittest.skipUnless(hasattr(os, "fork"), "limits of this kind are of Unix")
    def test_a_limit_on_files_leaves_no_half_file(self):
        folder = self.path("limit")
        os.mkdir(folder)
        path = put(self.path("long.glb"), Figure().clip("Walk", frames=200).glb())
        done = subprocess.run(["sh", "-c", 'ulimit -f 1 && exec "$0" convert "$1" -o "$2"',
                               os.path.join(BIN, "surefoot"), path, os.path.join(folder, "x.bvh")],
                              capture_output=True, timeout=100, check=False)
        self.assertEqual(done.returncode, WRITE, done.stderr)
        self.assertIn(b"too large", done.stderr)
        self.assertEqual(os.listdir(folder), [])

    def test_names_that_bvh_cannot_hold_are_listed(self):
        figure = Figure()
        figure.doc["nodes"][2]["name"] = "Left {Up} Leg"
        path = put(self.path("names.glb"), figure.clip("Walk").glb())
        code, out, err = surefoot("convert", "--json", path, "-o", self.path("names.bvh"))
        self.assertEqual(code, DONE, err)
        renamed = {r["before"]: r["after"] for r in json.loads(out)["renamed"]}
        self.assertIn("Left {Up} Leg", renamed)
        self.assertIn("Left {Up} Leg", err)


class RealFiles(Case):
    """Every file of the optional data folder goes through every command."""

    def every(self, folder, names):
        for name in names[::int(os.environ.get("SFT_SAMPLE") or 1)]:
            path = os.path.join(folder, name)
            code, out, err = surefoot("info", "--json", path)
            if name in TOO_OLD:
                self.assertIn("can be read", err)
                self.assertEqual(code, READ, (name, err))
                continue
            self.assertEqual(code, DONE, (name, err))
            info = json.loads(out)
            self.convert(path, name, info)
            expected = (DONE, CHECK) if info["legs"] and info["clip_index"] is not None else (READ, NO_LEGS)
            for command in (["check", "--json"], ["contacts", "--json", "--all-clips"],
                            ["clean", "--json", "--all-clips", "-o", self.path("real.glb")]):
                code, out, err = surefoot(*command, path)
                self.assertIn(code, expected, (name, command, err))
                if code == DONE and command[0] == "clean":
                    self.assertGreater(len(json.loads(out)), 0)
                    code, out, err = surefoot("info", "--json", self.path("real.glb"))
                    self.assertEqual(code, DONE, (name, err))
                    self.assertEqual([c["name"] for c in json.loads(out)["clips"]], [c["name"] for c in info["clips"]])

    def convert(self, path, name, info):
        out = self.path("real_" + re.sub(r"\.fbx$", ".glb", name))
        code, _, err = surefoot("convert", path, "-o", out)
        self.assertEqual(code, DONE, (name, err))
        if not name.endswith(".fbx"):
            self.assertEqual(content(out), content(path), name)
        if info["joints"] == 0:
            return
        code, _, err = surefoot("convert", path, "--all-clips", "-o", self.path("real.bvh"))
        self.assertEqual(code, DONE, (name, err))

    @unittest.skipUnless(os.path.isdir(os.path.join(DATA, "gltf")), "SKIP: no glTF files in the optional data folder")
    def test_gltf(self):
        folder = os.path.join(DATA, "gltf")
        self.every(folder, sorted(f for f in os.listdir(folder) if not f.endswith(".bin")))

    @unittest.skipUnless(os.path.isdir(os.path.join(DATA, "fbx")), "SKIP: no FBX files in the optional data folder")
    @unittest.skipUnless(os.path.exists(os.path.join(BIN, "surefoot-fbx")), "SKIP: surefoot-fbx was not built")
    def test_fbx(self):
        folder = os.path.join(DATA, "fbx")
        self.every(folder, sorted(os.listdir(folder)))


if __name__ == "__main__":
    if not os.path.exists(os.path.join(BIN, "surefoot")):
        sys.exit("no program in %s; set SFT_BIN" % BIN)
    unittest.main()
