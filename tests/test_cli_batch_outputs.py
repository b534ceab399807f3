#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot batch`: what a dataset is sorted by, and what lies in the output folder that is of no input.

SFT_BIN is the folder of the programs.
"""

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import unittest

from test_cli_batch import BIN, DONE, HERE, READ, USAGE, Batch, surefoot, tree

SLIDES = ("slide_before_cm_s", "slide_after_cm_s", "slide_before_max_cm_s", "slide_after_max_cm_s")
DIPS = ("below_ground_before_cm", "below_ground_after_cm")
MISSES = ("unreached_frames", "unreached_max_cm")


def several_clips(source, to, names):
    """The only clip of a GLB again under other names."""
    with open(source, "rb") as file:
        whole = file.read()
    size = int.from_bytes(whole[12:16], "little")
    scene = json.loads(whole[20:20 + size])
    scene["animations"] = [dict(scene["animations"][0], name=name) for name in names]
    text = json.dumps(scene).encode()
    text += b" " * (-len(text) % 4)
    rest = whole[20 + size:]
    with open(to, "wb") as file:
        for part in (b"glTF", 2, 20 + len(text) + len(rest), len(text), b"JSON", text, rest):
            file.write(part.to_bytes(4, "little") if isinstance(part, int) else part)


class Figures(Batch):
    """Each command's figures, by its own --json of the same clip."""

    def setUp(self):
        super().setUp()
        self.one = self.path("clips")
        os.mkdir(self.one)
        self.clip = os.path.join(self.one, "far.bvh")
        self.ok("convert", os.path.join(self.clips, "a.bvh"), "--root-scale", 3, "-o", self.clip)
        self.walk = os.path.join(self.clips, "b.bvh")

    def figures(self, command, *words, output=None, code=DONE, **options):
        """What the batch says of the clip in its table, and what the command says of it."""
        recipe = self.recipe(command=command, options=options)
        out = self.path("out-" + command)
        self.assertEqual(surefoot("batch", recipe, self.one, "-o", out, "--csv", self.path("all.csv"))[0], code)
        with open(self.path("all.csv"), encoding="utf-8", newline="") as file:
            (row,) = csv.DictReader(file)
        with open(os.path.join(out, "manifest.jsonl"), encoding="utf-8") as file:
            *_, entry = map(json.loads, file)
        for key, text in row.items():
            if key not in ("input", "result", "output", "message"):
                # Absent in the one, blank in the other; never a 0 that nobody measured.
                self.assertEqual(text, "" if key not in entry else text, key)
                if text:
                    self.assertEqual(float(text), entry[key], key)
        got, said, err = surefoot(command, self.clip, *words, *(("-o", self.path(output)) if output else ()), "--json")
        self.assertIn(got, (DONE, 1), err)
        return {key: float(text) if text else None for key, text in row.items() if key not in ("input", "result", "output", "message")}, json.loads(said)

    def slides(self, row, before, after):
        for feet, mean, most in ((before, "slide_before_cm_s", "slide_before_max_cm_s"), (after, "slide_after_cm_s", "slide_after_max_cm_s")):
            self.assertAlmostEqual(row[mean], feet["clip"]["slide_mean_cm_s"], places=4)
            self.assertAlmostEqual(row[most], feet["clip"]["slide_max_cm_s"], places=4)

    def blank(self, row, *keys):
        self.assertEqual([row[key] for key in keys], [None] * len(keys))

    def test_clean(self):
        row, said = self.figures("clean", "--give-way", "legs", output="x.bvh", **{"give-way": "legs"})
        self.slides(row, said["before"], said["after"])
        self.assertGreater(len(said["unreached"]), 0)
        self.assertEqual(row["unreached_frames"], len(said["unreached"]))
        self.assertEqual(row["unreached_max_cm"], max(miss["distance_cm"] for miss in said["unreached"]))
        self.assertEqual([row[key] for key in DIPS], [said[at]["clip"]["penetration_max_cm"] for at in ("before", "after")])
        self.blank(row, "joints", "legs", "duration_s")

    def test_clean_at_run_time(self):
        row, said = self.figures("clean", "--method", "runtime", output="x.bvh", method="runtime")
        gaps = sum(gap["last"] - gap["first"] + 1 for gap in said["gaps"])
        self.assertGreater(gaps, 0)
        self.assertEqual(row["unreached_frames"], gaps)

    def test_adapt(self):
        # Steeper than the ankle may go.
        ground = "slope:angle=30"
        row, said = self.figures("adapt", "--ground", ground, "--pitch-max", 3, output="x.bvh", ground=ground, **{"pitch-max": 3})
        self.slides(row, said["before"], said["after"])
        self.assertGreater(len(said["misses"]), 0)
        self.assertEqual(row["unreached_frames"], sum(miss["last"] - miss["first"] + 1 for miss in said["misses"]))
        self.assertEqual(row["below_ground_after_cm"], max(foot["through_ground_cm"] for foot in said["feet"]))

    def test_retarget(self):
        goal = "LeftHand@10-20=5,5,5"
        row, said = self.figures("retarget", "--onto", self.walk, "--goal", goal, output="x.bvh", onto=self.walk, goal=goal)
        self.slides(row, said["moved_figures"], said["written_figures"])
        hand = [miss for miss in said["misses"] if miss["joint"] == "LeftHand"]
        self.assertEqual([miss["frame"] for miss in hand], list(range(10, 21)))
        self.assertEqual(row["unreached_frames"], len(said["misses"]))
        self.assertEqual([row[key] for key in DIPS], [said["moved_below_ground_cm"], said["written_below_ground_cm"]])
        # Nothing was to be anywhere.
        row, said = self.figures("retarget", "--onto", self.walk, "--no-clean", output="x.bvh", onto=self.walk, **{"no-clean": True})
        self.slides(row, said["moved_figures"], said["written_figures"])
        self.blank(row, *MISSES)

    def test_check(self):
        row, said = self.figures("check", "--max-mean-slide", 0.5, code=READ, **{"max-mean-slide": 0.5})
        self.assertAlmostEqual(row["slide_before_cm_s"], said["clip"]["slide_mean_cm_s"], places=4)
        self.assertEqual((row["slide_before_max_cm_s"], row["below_ground_before_cm"]),
                         (said["clip"]["slide_max_cm_s"], said["clip"]["penetration_max_cm"]))
        self.blank(row, "slide_after_cm_s", "slide_after_max_cm_s", "below_ground_after_cm", *MISSES)

    def test_contacts(self):
        row, said = self.figures("contacts", output="x.csv")
        planted = sum(plant["last"] - plant["first"] + 1 for foot in said["feet"] for plant in foot["plants"])
        self.assertAlmostEqual(row["contact_share"], planted / (said["frames"] * len(said["feet"])), places=9)
        self.blank(row, *SLIDES, *DIPS, *MISSES)

    def test_info_and_convert(self):
        row, said = self.figures("info")
        self.assertEqual((row["joints"], row["legs"], row["frames"], row["clips"]), (said["joints"], 2, said["frames"], 1))
        self.assertAlmostEqual(row["duration_s"], (said["frames"] - 1) * said["frame_time"], places=9)
        self.blank(row, "contact_share", *SLIDES, *DIPS, *MISSES)
        row, _ = self.figures("convert", output="x.bvh")
        self.assertEqual(row["frames"], said["frames"])
        self.blank(row, "contact_share", "joints", "legs", *SLIDES, *DIPS, *MISSES)

    def test_feet_that_never_stand_have_no_slide(self):
        with open(self.path("none.csv"), "w", encoding="utf-8") as file:
            labels = self.path("labels.csv")
            self.ok("contacts", self.clip, "-o", labels)
            with open(labels, encoding="utf-8") as whole:
                for line in whole:
                    cells = line.rstrip("\n").split(",")
                    file.write(",".join(cells[:1] + ["0"] * (len(cells) - 1) if cells[0].isdigit() else cells) + "\n")
        row, _ = self.figures("check", "--contacts", self.path("none.csv"), contacts=self.path("none.csv"))
        self.assertEqual(row["contact_share"], 0)
        self.blank(row, *SLIDES, *DIPS)

    def test_warnings_are_counted(self):
        with open(self.clip, encoding="utf-8") as file:
            text = file.read()
        for name, braces in (("one.bvh", "}\n"), ("two.bvh", "}\n}\n")):
            with open(os.path.join(self.one, name), "w", encoding="utf-8") as file:
                file.write(text.replace("MOTION", braces + "MOTION"))
        said = {}
        for name in ("far.bvh", "one.bvh", "two.bvh"):
            err = surefoot("check", os.path.join(self.one, name), "--json")[2]
            said[name] = sum(line.startswith("surefoot: warning: ") for line in err.splitlines())
        self.assertEqual(said, {"far.bvh": 0, "one.bvh": 1, "two.bvh": 2})
        summary = self.batch(self.recipe(command="check"), "--csv", self.path("all.csv"), inputs=self.one)
        self.assertEqual({name: entry["warnings"] for name, entry in self.entries().items()}, said)
        self.assertEqual(summary["warnings"], sum(said.values()))

    def test_the_summary_and_the_page_have_them(self):
        shutil.copy(self.walk, self.one)
        recipe = self.recipe(command="clean", options={"give-way": "legs"})
        said = self.batch(recipe, inputs=self.one)
        entries = self.entries()
        missed = entries["far.bvh"]["unreached_frames"]
        self.assertEqual((said["unreached_frames"], said["unreached_clips"]), (missed, 1))
        self.assertEqual(entries["b.bvh"]["unreached_frames"], 0)
        for key in ("slide_after_max_cm_s", *DIPS):
            self.assertAlmostEqual(said[key], max(entry[key] for entry in entries.values()), places=4)
        rows = self.rows()
        self.assertEqual((rows["far.bvh"]["missed frames"], rows["b.bvh"]["missed frames"]), (missed, 0))
        text, _ = self.ok("batch", recipe, self.one, "-o", self.out)
        self.assertIn(f"not reached: in {missed} frames of 1 clip,", text)
        # Columns that no clip has are not there.
        self.batch(self.recipe(command="info"), inputs=self.one)
        self.assertIn("joints", self.rows()["b.bvh"])
        self.assertNotIn("slide after", self.rows()["b.bvh"])

    def test_clips_of_one_file_are_put_together(self):
        os.remove(self.clip)
        self.clip = os.path.join(self.one, "three.glb")
        several_clips(os.path.join(self.clips, "a2.glb"), self.clip, ("One", "Two", "Three"))
        row, said = self.figures("clean", "--all-clips", output="x.glb", **{"all-clips": True})
        self.assertEqual((row["clips"], row["frames"]), (3, sum(clip["frames"] for clip in said)))
        self.assertEqual(len(said), 3)
        self.assertAlmostEqual(row["slide_before_cm_s"], said[0]["before"]["clip"]["slide_mean_cm_s"], places=4)
        row, _ = self.figures("convert", output="x.glb")
        self.assertEqual(row["clips"], 3)


class Orphans(Batch):
    def setUp(self):
        super().setUp()
        self.takes = self.path("takes")
        shutil.copytree(self.clips, self.takes)
        os.rename(os.path.join(self.takes, "day 2", "runs", "é.bvh"), os.path.join(self.takes, "day 2", "runs", "e.bvh"))
        self.clean = self.recipe(command="clean")

    def run_on_takes(self, *more, recipe=None):
        return self.batch(recipe or self.clean, *more, inputs=self.takes)

    def test_they_are_named_and_kept(self):
        self.assertEqual(self.run_on_takes()["orphans"], [])
        made = tree(self.out)
        os.remove(os.path.join(self.takes, "a.bvh"))
        os.rename(os.path.join(self.takes, "b.bvh"), os.path.join(self.takes, "b2.bvh"))
        recipe = self.recipe("skips.json", command="clean", **{"for": [{"files": "**/d.bvh", "skip": True}]})
        said = self.run_on_takes(recipe=recipe)
        left = [{"path": name, "input": name, "why": why, "changed": False, "removed": False}
                for name, why in (("a.bvh", "its clip is not among the inputs"), ("b.bvh", "its clip is not among the inputs"),
                                  ("day 2/runs/d.bvh", "the recipe skips its clip"))]
        self.assertEqual((said["clips"], said["orphans"]), (4, left))
        self.assertEqual(set(tree(self.out)) - {"b2.bvh"}, set(made), "nothing is removed that was not asked for")
        text, _ = self.ok("batch", recipe, self.takes, "-o", self.out)
        self.assertIn("3 files of earlier runs are no more of this batch; --prune removes", text)
        self.assertIn("left     day 2/runs/d.bvh: the recipe skips its clip\n", text)
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            page = file.read()
        self.assertIn("Of earlier runs", page)
        self.assertIn("<td>day 2/runs/d.bvh</td><td>the recipe skips its clip</td><td>left</td>", page)

    def test_of_a_clip_that_is_written_elsewhere_now(self):
        self.run_on_takes()
        said = self.run_on_takes(recipe=self.recipe("glb.json", command="clean", ending=".glb"))
        self.assertEqual([(orphan["path"], orphan["why"]) for orphan in said["orphans"]],
                         [(name, "its clip is written elsewhere now") for name in
                          ("a.bvh", "b.bvh", "day 2/c.bvh", "day 2/runs/d.bvh", "day 2/runs/e.bvh")])
        # And back again: now the others are.
        said = self.run_on_takes()
        self.assertEqual([orphan["path"] for orphan in said["orphans"]],
                         ["a.glb", "b.glb", "day 2/c.glb", "day 2/runs/d.glb", "day 2/runs/e.glb"])

    def test_prune_takes_what_is_as_it_was_written(self):
        page = self.path("pages")
        recipe = self.recipe(command="clean", options={"report": page + "/{name}.html"})
        self.run_on_takes(recipe=recipe)
        for name in ("a.bvh", "b.bvh", "day 2/c.bvh"):
            os.remove(os.path.join(self.takes, name))
        shutil.rmtree(os.path.join(self.takes, "day 2", "runs"))
        # One was edited to other bytes of the same number, later; and there are files that are not the batch's.
        edited = os.path.join(self.out, "b.bvh")
        with open(edited, "r+b") as file:
            file.write(b"hierarchy")
        os.utime(edited, (2e9, 2e9))
        with open(os.path.join(self.out, "day 2", "runs", "notes.txt"), "w", encoding="utf-8") as file:
            file.write("mine")
        shutil.copy(os.path.join(self.out, "a2.glb"), os.path.join(self.out, "x.bvh"))
        said = self.run_on_takes("--prune", recipe=recipe)
        state = {orphan["path"]: (orphan["changed"], orphan["removed"]) for orphan in said["orphans"]}
        gone = ["a.bvh", "day 2/c.bvh", "day 2/runs/d.bvh", "day 2/runs/e.bvh"] + [
            f"{page}/{name}.html" for name in ("a", "b", "day 2/c", "day 2/runs/d", "day 2/runs/e")]
        self.assertEqual(state, {"b.bvh": (True, False), **{name: (False, True) for name in gone}})
        self.assertEqual(sorted(tree(self.out)), ["a2.glb", "b.bvh", "day 2/runs/notes.txt", "x.bvh"])
        self.assertEqual(sorted(tree(page)), ["a2.html"])
        # The manifest knows no more of those that are gone; a summary shows what there is.
        self.assertEqual(self.entries_left(), {"a2.glb", "b.bvh"})
        self.assertEqual(self.run_on_takes("--prune", recipe=recipe)["orphans"][0]["path"], "b.bvh")
        # What comes back is done again.
        shutil.copy(os.path.join(self.clips, "a.bvh"), self.takes)
        said = self.run_on_takes(recipe=recipe)
        self.assertEqual((said["before"], said["done"]), (1, 2))
        self.assertEqual(self.entries_left(), {"a.bvh", "a2.glb", "b.bvh"})

    def test_a_file_that_was_there_before_is_not_the_batchs(self):
        """A page's path is relative to where the batch ran; somewhere else another file may be there."""
        recipe = self.recipe(command="clean", options={"report": "pages/{name}.html"})
        for place in ("here", "there"):
            os.makedirs(self.path(place + "/pages"))
        def run(place, *words):
            done = subprocess.run([os.path.join(BIN, "surefoot"), "batch", *words, self.takes, "-o", self.out, "--json"], cwd=self.path(place),
                                  capture_output=True, check=False)
            self.assertEqual(done.returncode, DONE, done.stderr)
            return json.loads(done.stdout)["orphans"]
        run("here", recipe)
        with open(self.path("there/pages/a.html"), "w", encoding="utf-8") as file:
            file.write("of something else")
        os.utime(self.path("there/pages/a.html"), (1e9, 1e9))
        os.remove(os.path.join(self.takes, "a.bvh"))
        self.assertEqual([(orphan["path"], orphan["changed"], orphan["removed"]) for orphan in run("there", self.clean, "--prune")
                          if orphan["input"] == "a.bvh"], [("a.bvh", False, True), ("pages/a.html", True, False)])
        self.assertEqual(os.listdir(self.path("there/pages")), ["a.html"])

    def test_prune_forgets_those_of_which_nothing_is_left(self):
        """Inputs that failed, and those of a run that was killed between a file and its line."""
        with open(os.path.join(self.takes, "bad.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        self.assertEqual(surefoot("batch", self.clean, self.takes, "-o", self.out)[0], READ)
        for name in ("bad.bvh", "a.bvh"):
            os.remove(os.path.join(self.takes, name))
        os.remove(os.path.join(self.out, "a.bvh"))
        self.assertLessEqual({"a.bvh", "bad.bvh"}, self.entries_left())
        self.assertEqual(self.run_on_takes("--prune")["orphans"], [])
        self.assertEqual(self.entries_left(), {"a2.glb", "b.bvh", "day 2/c.bvh", "day 2/runs/d.bvh", "day 2/runs/e.bvh"})
        size = os.path.getsize(os.path.join(self.out, "manifest.jsonl"))
        self.run_on_takes("--prune")
        self.assertEqual(os.path.getsize(os.path.join(self.out, "manifest.jsonl")), size)

    def test_names_that_are_no_text(self):
        raw = os.path.join(os.fsencode(self.takes), b"caf\xe9 \"q\"\n<b>.bvh")
        shutil.copy(os.path.join(self.clips, "a.bvh"), raw)
        os.rename(os.path.join(self.takes, "b.bvh"), os.path.join(self.takes, "b\nb.bvh"))
        self.run_on_takes()
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            self.assertNotIn("<b>.bvh", file.read())
        # Links lead to them all the same.
        self.assertEqual({name: row["link"] for name, row in self.rows().items() if "\ufffd" in name},
                         {"caf\ufffd \"q\"\ufffd<b>.bvh": "caf%E9%20%22q%22%0A%3Cb%3E.bvh", "b\ufffdb.bvh": "b%0Ab.bvh"})
        os.remove(raw)
        (orphan,) = self.run_on_takes()["orphans"]
        self.assertEqual(orphan["path"], "caf\ufffd \"q\"\n<b>.bvh")
        text, _ = self.ok("batch", self.clean, self.takes, "-o", self.out)
        self.assertEqual(text.count("left "), 1)
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            self.assertNotIn("<b>.bvh", file.read())
        self.assertTrue(self.run_on_takes("--prune")["orphans"][0]["removed"])
        self.assertEqual([name for name in os.listdir(os.fsencode(self.out)) if name.startswith(b"caf")], [])

    def entries_left(self):
        said = self.ok("batch", "summary", self.out, "--csv", "-")[0]
        return {row["input"] for row in csv.DictReader(said.splitlines())}

    def test_folders_that_are_empty_then_go_too(self):
        self.run_on_takes()
        shutil.rmtree(os.path.join(self.takes, "day 2"))
        self.run_on_takes("--prune")
        self.assertEqual(sorted(os.listdir(self.out)), ["a.bvh", "a2.glb", "b.bvh", "manifest.jsonl", "report.html"])

    def test_one_file_by_two_names_is_none(self):
        """The output folder, and with it the page of each clip, is given in another way."""
        recipe = self.recipe(command="clean", options={"report": "{out}.html"})
        self.run_on_takes(recipe=recipe)
        made = tree(self.out)
        os.rename(os.path.join(self.takes, "a.bvh"), os.path.join(self.takes, "z.bvh"))
        self.assertEqual([orphan["path"] for orphan in self.run_on_takes(recipe=recipe)["orphans"]], ["a.bvh", "a.html"])
        os.rename(os.path.join(self.takes, "z.bvh"), os.path.join(self.takes, "a.bvh"))
        self.assertEqual([orphan["path"] for orphan in self.run_on_takes("--prune", recipe=recipe)["orphans"]], ["z.bvh", "z.html"])
        for again in (os.path.join(self.folder, ".", "out"), os.path.join(self.folder, "takes", "..", "out")):
            said = self.batch(recipe, "--prune", inputs=self.takes, out=again)
            self.assertEqual(said["orphans"], [])
        self.assertEqual(set(tree(self.out)), set(made))

    def test_prune_does_nothing_where_inputs_may_be_missed(self):
        self.run_on_takes()
        shutil.rmtree(os.path.join(self.takes, "day 2"))
        # Too deep to be read, as a folder without permission is for all but root.
        os.makedirs(os.path.join(self.takes, *("d" * 66)))
        code, said, err = surefoot("batch", self.clean, self.takes, "-o", self.out, "--prune", "--json")
        self.assertEqual((code, [orphan["removed"] for orphan in json.loads(said)["orphans"]]), (READ, [False] * 3))
        self.assertIn("nothing is pruned", err)

    def test_prune_is_of_the_whole_list(self):
        self.run_on_takes()
        os.remove(os.path.join(self.takes, "a.bvh"))
        for words in (("--shard", "1/2"), ("--merge",), ("--freeze", self.path("x")), ("--slurm",)):
            code, _, err = surefoot("batch", self.clean, self.takes, "-o", self.out, "--prune", *words)
            self.assertEqual(code, USAGE)
            self.assertIn("--prune goes with a run of the whole list", err)
        self.assertEqual(surefoot("batch", "summary", self.out, "--prune")[0], USAGE)
        self.assertIn("a.bvh", tree(self.out))
        # A shard cannot say what the others do.
        self.assertEqual(self.run_on_takes("--shard", "1/2")["orphans"], [])

    def test_a_gltf_goes_with_its_buffer(self):
        clips = self.path("models")
        os.mkdir(clips)
        for name in ("a2.glb", "a3.glb"):
            shutil.copy(os.path.join(self.clips, "a2.glb"), os.path.join(clips, name))
        recipe = self.recipe(command="convert", ending=".gltf")
        self.batch(recipe, inputs=clips)
        self.assertEqual(sorted(tree(self.out)), ["a2.bin", "a2.gltf", "a3.bin", "a3.gltf"])
        os.remove(os.path.join(clips, "a2.glb"))
        self.batch(recipe, "--prune", inputs=clips)
        self.assertEqual(sorted(tree(self.out)), ["a3.bin", "a3.gltf"])


class Pages(Batch):
    def test_a_clip_that_fails_now_has_no_page_of_before(self):
        clip = self.path("a.bvh")
        shutil.copy(os.path.join(self.clips, "a.bvh"), clip)
        recipe = self.recipe(command="adapt", options={"ground": "slope:angle=5", "report": self.path("pages") + "/{name}.html",
                                                       "ground-out": self.path("grounds") + "/{name}.obj"})
        self.batch(recipe, inputs=clip)
        self.assertEqual((os.listdir(self.path("pages")), os.listdir(self.path("grounds"))), (["a.html"], ["a.obj"]))
        self.assertEqual(sorted(self.entries()["a.bvh"]["beside"]), [self.path("grounds/a.obj"), self.path("pages/a.html")])
        with open(clip, "w", encoding="utf-8") as file:
            file.write("no motion")
        self.assertEqual(surefoot("batch", recipe, clip, "-o", self.out)[0], READ)
        self.assertEqual((tree(self.out), os.listdir(self.path("pages")), os.listdir(self.path("grounds"))), ({}, [], []))

    def test_the_table_is_written_over_nothing_of_the_batch(self):
        clips = self.path("clips")
        shutil.copytree(self.clips, clips)
        recipe = self.recipe(command="info")
        link = self.path("link.csv")
        os.symlink(os.path.join(clips, "a.bvh"), link)
        before = tree(self.folder)
        # The output folder is not there yet, and then it is.
        for there in (False, True):
            for option in ("--csv", "--freeze"):
                for path in (recipe, os.path.join(clips, "a.bvh"), link, self.path("out/manifest.jsonl"), self.path("out/manifest-1-of-2.jsonl"),
                             self.path("out/report.html"), self.path("out/a.json"), *([self.path("clips/../out/manifest.jsonl")] if there else [])):
                    with self.subTest(path):
                        code, _, err = surefoot("batch", recipe, clips, "-o", self.out, option, path)
                        self.assertEqual(code, USAGE)
                        self.assertIn(f"{option}: {path} is a file that the batch reads or keeps", err)
            if there:
                self.assertEqual(surefoot("batch", "summary", self.out, "--csv", self.path("out/manifest.jsonl"))[0], USAGE)
                self.assertEqual(self.batch(recipe, inputs=clips)["before"], 6)
            else:
                self.assertEqual(tree(self.folder), before)
                self.batch(recipe, "--csv", self.path("out/table.csv"), inputs=clips)

    def test_what_is_read_too_is_not_lost(self):
        """The command refuses to write over what it reads; it has to be there still."""
        clip = os.path.join(self.clips, "a.bvh")
        maps = self.path("{}.json".format("a"))
        self.ok("retarget", clip, "--onto", os.path.join(self.clips, "b.bvh"), "--map-out", maps, "-o", self.path("x.bvh"))
        with open(maps, "rb") as file:
            whole = file.read()
        recipe = self.recipe(command="retarget", options={"onto": os.path.join(self.clips, "b.bvh"), "map": maps,
                                                          "map-out": self.folder + "/{name}.json"})
        surefoot("batch", recipe, clip, "-o", self.out)
        with open(maps, "rb") as file:
            self.assertEqual(file.read(), whole)

    def test_pages_are_linked(self):
        self.batch(self.recipe(command="clean", options={"report": "{out} 1.html"}), inputs=os.path.join(self.clips, "a.bvh"))
        self.assertEqual(self.rows()["a.bvh"]["page"], "a%201.html")


class ClipsOfTheirOwn(Batch):
    """Of a file with several clips, each in a file of its own."""

    def setUp(self):
        super().setUp()
        self.models = self.path("models")
        os.mkdir(self.models)
        self.model("fox.glb", "Run", "Walk")
        self.model("fox-Rest.glb", "Sit")
        self.labels = self.recipe(command="contacts", options={"all-clips": True})

    def model(self, name, *clips):
        several_clips(os.path.join(self.clips, "a2.glb"), os.path.join(self.models, name), clips)

    def run_on_models(self, *more, recipe=None):
        return self.batch(recipe or self.labels, *more, inputs=self.models)

    def test_another_inputs_plan_may_have_the_name_of_a_clips_file(self):
        # The larger goes first: then the other begins, which would be called as the clip's file is, and fails.
        os.remove(os.path.join(self.models, "fox-Rest.glb"))
        with open(os.path.join(self.models, "fox-Run.glb"), "wb") as file:
            file.write(b"glTF")
        one = ("batch", self.labels, self.models, "-o", self.out, "--jobs", "1", "--json")
        self.assertEqual(surefoot(*one)[0], READ)
        self.assertEqual(sorted(tree(self.out)), ["fox-Run.csv", "fox-Walk.csv"])
        self.assertEqual({name: entry["result"] for name, entry in self.entries().items()},
                         {"fox.glb": "done", "fox-Run.glb": "failed"})
        self.assertEqual(json.loads(surefoot(*one)[1])["before"], 2)

    def test_the_manifest_knows_them(self):
        self.run_on_models()
        self.assertEqual(sorted(tree(self.out)), ["fox-Rest-Sit.csv", "fox-Run.csv", "fox-Walk.csv"])
        self.assertEqual({name: sorted(map(os.path.basename, entry["beside"])) for name, entry in self.entries().items()},
                         {"fox.glb": ["fox-Run.csv", "fox-Walk.csv"], "fox-Rest.glb": ["fox-Rest-Sit.csv"]})
        self.assertEqual(self.run_on_models()["before"], 2)
        # One that was taken away is made again, and nothing else.
        os.remove(os.path.join(self.out, "fox-Walk.csv"))
        self.assertEqual(self.run_on_models()["before"], 1)
        self.assertEqual(sorted(tree(self.out)), ["fox-Rest-Sit.csv", "fox-Run.csv", "fox-Walk.csv"])

    def test_clips_that_are_no_more(self):
        recipe = self.recipe("clean.json", command="clean", ending=".bvh", options={"all-clips": True, "report": "{out}.html"})
        self.run_on_models(recipe=recipe)
        self.assertEqual(sorted(tree(self.out)), [f"fox-{name}.{kind}" for name in ("Rest-Sit", "Run", "Walk") for kind in ("bvh", "html")])
        self.model("fox.glb", "Trot")
        self.run_on_models(recipe=recipe)
        self.assertEqual(sorted(tree(self.out)), [f"fox-{name}.{kind}" for name in ("Rest-Sit", "Trot") for kind in ("bvh", "html")])
        with open(os.path.join(self.models, "fox.glb"), "w", encoding="utf-8") as file:
            file.write("no motion")
        self.assertEqual(surefoot("batch", recipe, self.models, "-o", self.out)[0], READ)
        self.assertEqual(sorted(tree(self.out)), ["fox-Rest-Sit.bvh", "fox-Rest-Sit.html"])

    def test_what_was_written_by_somebody_since_stays(self):
        self.run_on_models()
        mine = os.path.join(self.out, "fox-Walk.csv")
        os.utime(mine, (2e9, 2e9))
        self.model("fox.glb", "Trot")
        self.run_on_models()
        self.assertEqual(sorted(tree(self.out)), ["fox-Rest-Sit.csv", "fox-Trot.csv", "fox-Walk.csv"])

    def test_files_that_are_no_more(self):
        self.run_on_models()
        os.remove(os.path.join(self.models, "fox.glb"))
        self.assertEqual([os.path.basename(orphan["path"]) for orphan in self.run_on_models()["orphans"]], ["fox-Run.csv", "fox-Walk.csv"])
        said = self.run_on_models("--prune")
        self.assertEqual([orphan["removed"] for orphan in said["orphans"]], [True, True])
        self.assertEqual(sorted(tree(self.out)), ["fox-Rest-Sit.csv"])

    def test_a_run_that_fails_halfway_leaves_none(self):
        recipe = self.recipe("clean.json", command="clean", ending=".bvh", options={"all-clips": True, "report": "{out}.html"})
        # There is no room for the page of the second clip.
        os.makedirs(os.path.join(self.out, "fox-Walk.html"))
        code, said, _ = surefoot("batch", recipe, self.models, "-o", self.out, "--json")
        self.assertEqual((code, [failure["input"] for failure in json.loads(said)["failures"]]), (READ, ["fox.glb"]))
        self.assertEqual(sorted(tree(self.out)), ["fox-Rest-Sit.bvh", "fox-Rest-Sit.html"])


class Inputs(Batch):
    def test_names_of_a_list_are_no_patterns(self):
        clips = self.path("clips")
        os.makedirs(os.path.join(clips, "t[1]*"))
        names = ["a*.bvh", "a[1].bvh", "?.bvh", "t[1]*/x.bvh"]
        for name in names + ["ab.bvh"]:
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, name))
        listed = "".join(os.path.join(clips, name) + "\n" for name in names + ["gone*.bvh"])
        code, said, err = surefoot("batch", self.recipe(command="info"), "-", "-o", self.out, "--json", stdin=listed.encode())
        said = json.loads(said)
        self.assertEqual((code, said["clips"], said["done"]), (READ, 5, 4), err)
        self.assertIn("gone*.bvh", said["failures"][0]["input"])
        self.assertEqual({os.path.basename(name) for name in self.entries()}, {"a*.bvh", "a[1].bvh", "?.bvh", "x.bvh", "gone*.bvh"})
        # On the command line too a file that is there is that file.
        self.assertEqual(self.batch(self.recipe(command="info"), inputs=os.path.join(clips, "a*.bvh"), out=self.path("one"))["clips"], 1)

    def test_a_clip_that_comes_twice_is_taken_once(self):
        """By its folder, by its name, and by a list, in all of which it is called differently; links are clips of their own."""
        clips = self.path("clips")
        os.mkdir(clips)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "a.bvh"))
        os.link(os.path.join(clips, "a.bvh"), os.path.join(clips, "hard.bvh"))
        os.symlink("a.bvh", os.path.join(clips, "soft.bvh"))
        os.symlink("clips", self.path("other"))
        listed = "\n".join([os.path.join(clips, "a.bvh"), self.path("other/a.bvh"), "clips/a.bvh", "./clips/../clips/hard.bvh"][:3])
        done = subprocess.run([os.path.join(BIN, "surefoot"), "batch", self.recipe(command="info"), clips, os.path.join(clips, "a.bvh"), "-",
                               "-o", self.out, "--json"], cwd=self.folder, input=listed.encode(), capture_output=True, check=False)
        self.assertEqual((done.returncode, json.loads(done.stdout)["clips"]), (DONE, 3), done.stderr)
        self.assertEqual(sorted(tree(self.out)), ["a.json", "hard.json", "soft.json"])

    def test_names_as_long_as_they_may_be(self):
        clips = self.path("clips")
        os.mkdir(clips)
        names = ["n" * 251 + ".bvh", "é" * 125 + ".bvh"]
        for name in names:
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, name))
        self.batch(self.recipe(command="clean"), inputs=clips)
        self.assertEqual(sorted(tree(self.out)), sorted(names))

    def test_a_clip_that_changes_during_the_run_is_done_again(self):
        clips = self.path("clips")
        os.mkdir(clips)
        subprocess.run([os.path.join(BIN, "surefoot-make-sample"), os.path.join(clips, "long.bvh"), "--frames", "6000"], check=True)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "short.bvh"))
        recipe = self.recipe(command="clean")
        run = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", recipe, clips, "-o", self.out, "--jobs", "1"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(os.path.join(self.out, "manifest.jsonl")):
            pass
        shutil.copy(os.path.join(self.clips, "b.bvh"), self.path("new.bvh"))
        os.replace(self.path("new.bvh"), os.path.join(clips, "short.bvh"))
        self.assertEqual(run.wait(timeout=60), DONE)
        self.batch(recipe, inputs=clips)
        self.ok("clean", os.path.join(self.clips, "b.bvh"), "-o", self.path("alone.bvh"))
        with open(self.path("alone.bvh"), "rb") as file:
            self.assertEqual(tree(self.out)["short.bvh"], file.read())


class Docs(Batch):
    """docs/batch.md, literally: its recipes as files, its command lines in a shell."""

    STEPS = re.compile(r"`(?P<name>\w+\.json)`(?: is\s+`(?P<line>{[^`]*})`|:\s+```json\n(?P<block>.*?)```)"
                       r"|`\"options\": (?P<options>{[^`]*})`\s+in\s+`(?P<of>\w+\.json)`"
                       r"|```\n(?P<commands>(?: *surefoot[^\n]*\n)+) *```", re.S)

    def setUp(self):
        super().setUp()
        takes = self.path("takes")
        shutil.copytree(self.clips, takes)
        os.mkdir(os.path.join(takes, "cycles"))
        shutil.copy(os.path.join(self.clips, "b.bvh"), os.path.join(takes, "cycles", "b.bvh"))
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(takes, "day 2", "calibration 1.bvh"))
        os.remove(os.path.join(takes, "a2.glb"))
        several_clips(os.path.join(self.clips, "a2.glb"), os.path.join(takes, "fox.glb"), ("Run", "Walk"))
        # Slurm as the page's line needs it.
        os.mkdir(self.path("bin"))
        for name, said in (("sbatch", "echo 12"), ("squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1")):
            with open(self.path("bin/" + name), "w", encoding="ascii") as file:
                file.write(f"#!/bin/sh\n{said}\n")
            os.chmod(file.name, 0o755)

    def shell(self, line):
        done = subprocess.run(["sh", "-c", line], cwd=self.folder, capture_output=True, text=True, check=False,
                              env={**os.environ, "PATH": os.pathsep.join((self.path("bin"), BIN, os.environ["PATH"]))})
        return done.returncode, done.stdout + done.stderr

    def recipe_of(self, found):
        path = self.path(found["name"] or found["of"])
        if found["of"]:
            with open(path, encoding="utf-8") as file:
                members = dict(json.load(file), options=json.loads(found["options"]))
        else:
            members = json.loads(found["line"] or found["block"])
        with open(path, "w", encoding="utf-8") as file:
            json.dump(members, file)

    def test_the_page(self):
        with open(os.path.join(os.path.dirname(HERE), "docs", "batch.md"), encoding="utf-8") as file:
            page = file.read()
        steps, rest = page.split("## The recipe", 1)
        ran = []
        for found in self.STEPS.finditer(steps):
            if not found["commands"]:
                self.recipe_of(found)
                if found["of"]:
                    code, said = self.shell(ran[-1][0])  # "and the same command again"
                    self.assertEqual(code, DONE, said)
                continue
            for line in map(str.strip, found["commands"].splitlines()):
                if "--prune" in line:
                    os.remove(self.path("takes/a.bvh"))
                code, said = self.shell(line)
                # Those that slide are what check is for.
                self.assertIn(code, (DONE, READ) if " check.json" in line else (DONE,), said)
                ran.append((line, said))
        self.assertEqual([line.split()[2] for line, _ in ran], ["info.json", "contacts.json", "clean.json", "check.json", "clean.json"])
        self.assertEqual(sorted(os.listdir(self.path("cleaned"))),
                         ["b.bvh", "cycles", "day 2", "fox.glb", "manifest.jsonl", "report.html"])
        self.assertIn("removed  a.bvh", ran[-1][1])
        self.assertNotIn("calibration 1.bvh", os.listdir(self.path("cleaned/day 2")))
        self.assertLessEqual({"b.csv", "fox-Run.csv", "fox-Walk.csv"}, set(os.listdir(self.path("labels"))))
        for table in ("seen.csv", "cleaned.csv"):
            self.assertTrue(os.path.getsize(self.path(table)))
        clips = json.loads(surefoot("info", self.path("cleaned/fox.glb"), "--json")[1])["clips"]
        self.assertEqual([clip["name"] for clip in clips], ["Run", "Walk"])
        # And those for several machines, in their order.
        more = [line.strip() for block in re.findall(r"^```\n(.*?)^```$", rest, re.M | re.S) for line in block.splitlines()
                if line.startswith("surefoot batch") and "/data/" not in line]
        self.assertEqual(len(more), 4)
        for line in more:
            code, said = self.shell(line)
            self.assertEqual(code, DONE, line + said)


class Manifests(Batch):
    def test_lines_that_are_none(self):
        os.mkdir(self.out)
        good = json.dumps({"input": "a.bvh", "hash": "0" * 32, "options": "0" * 32, "version": "0.1.0", "result": "done"}).encode()
        for bad in (b"\0", b"\xff\xfe", good[:-1] + b"\0}", b"[" * 100000, b'{"input":"' + b"x" * 10_000_000 + b'"}', b"null", b"0", b'"x"',
                    good.replace(b'"a.bvh"', b"5"), good.replace(b"done", b"gone"), b'{"result":"removed"}'):
            with self.subTest(bad[:60]), open(os.path.join(self.out, "manifest.jsonl"), "wb") as file:
                file.write(good + b"\n" + bad + b"\n" + good + b"\n")
                file.flush()
                for words in (("batch", "summary", self.out), ("batch", self.recipe(command="info"), self.clips, "-o", self.out)):
                    code, _, err = surefoot(*words)
                    self.assertEqual(code, READ, err)
                    self.assertIn("manifest.jsonl:2: not a line of a manifest", err)
                    self.assertLess(len(err), 1000)

    def test_long_lines_and_what_is_not_known_yet(self):
        os.mkdir(self.out)
        entry = {"input": "a.bvh", "hash": "0" * 32, "options": "0" * 32, "version": "9.9.9", "result": "failed", "message": "x" * 100_000,
                 "beside": [5, None, "page.html"], "of later versions": {"figures": ["x" * 10_000_000]}, "warnings": -3, "frames": [], "clips": "many"}
        with open(os.path.join(self.out, "manifest.jsonl"), "w", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
        said = self.ok("batch", "summary", self.out, "--csv", "-")[0]
        (row,) = csv.DictReader(said.splitlines())
        self.assertEqual((row["result"], row["warnings"], row["frames"], row["clips"]), ("failed", "0", "", ""))

    def test_a_clock_that_goes_back(self):
        clips = self.path("clips")
        shutil.copytree(self.clips, clips)
        recipe = self.recipe(command="clean")
        self.batch(recipe, inputs=clips)
        path = os.path.join(self.out, "manifest.jsonl")
        with open(path, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        with open(path, "w", encoding="utf-8") as file:
            for line in lines:
                file.write(json.dumps(dict(line, ended=line["ended"] + 1e8)) + "\n")
        with open(os.path.join(clips, "a.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        code, said, _ = surefoot("batch", recipe, clips, "-o", self.out, "--json")
        self.assertEqual((code, json.loads(said)["failed"], json.loads(said)["before"]), (READ, 1, 5))
        said = json.loads(surefoot("batch", recipe, clips, "-o", self.out, "--json")[1])
        self.assertEqual((said["failed"], said["before"]), (1, 6))
        # Whose file has another time than its line is not pruned; what is removed by hand is forgotten from then on.
        for name in ("b.bvh", "day 2/c.bvh"):
            os.remove(os.path.join(clips, name))
        os.remove(os.path.join(self.out, "day 2", "c.bvh"))
        surefoot("batch", recipe, clips, "-o", self.out, "--prune")
        self.assertIn("b.bvh", tree(self.out))
        said = self.ok("batch", "summary", self.out, "--csv", "-")[0]
        self.assertEqual({"b.bvh", "day 2/c.bvh"} & {row["input"] for row in csv.DictReader(said.splitlines())}, {"b.bvh"})


if __name__ == "__main__":
    if surefoot("batch", "--help")[0] != DONE:
        print("SKIP: this build has no `surefoot batch` (no xxhash.h)")
        sys.exit(77)
    unittest.main()
