#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot batch`: what it makes, what it makes again, and what is left of it when it is killed.

SFT_BIN is the folder of the programs; SFT_KILLS (default 15) how often runs are killed.
"""

import csv
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
BIN = os.environ.get("SFT_BIN") or os.path.join(os.path.dirname(HERE), "build", "bin")
DONE, CHECK, USAGE, READ, WRITE, MEMORY = range(6)
KILLS = int(os.environ.get("SFT_KILLS") or 15)


def surefoot(*arguments, stdin=None):
    done = subprocess.run([os.path.join(BIN, "surefoot"), *map(str, arguments)], capture_output=True, timeout=300,
                          check=False, input=stdin)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def tree(folder):
    """Bytes of all outputs by name; manifests and the page, which hold times, are left out."""
    found = {}
    for at, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(at, name)
            if not name.endswith(".jsonl") and name != "report.html":
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = file.read()
    return found


def name_of(pid):
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return file.read().strip()
    except (FileNotFoundError, ProcessLookupError):
        return ""


def children_of(pid):
    """A run's workers, the process that waits for the disk, and the one that starts workers, each in a list. Those that are there
    before the disk's only check the recipe, and are left out."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        children = [int(word) for word in file.read().split()]
    syncs = [child for child in children if name_of(child) == "surefoot-sync"]
    starters = [child for child in children if name_of(child) == "surefoot-start"]
    return [child for child in children if child not in syncs + starters] if syncs else [], syncs, starters


def wait_for_workers(process):
    workers = []
    while not workers:
        time.sleep(0.002)
        workers = children_of(process.pid)[0]
    return workers


class Batch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.made = tempfile.mkdtemp(prefix="surefoot-batch-")
        cls.clips = os.path.join(cls.made, "takes")
        os.makedirs(os.path.join(cls.clips, "day 2", "runs"))
        walk = os.path.join(cls.made, "walk.bvh")
        for i, name in enumerate(("a.bvh", "b.bvh", "day 2/c.bvh", "day 2/runs/d.bvh", "day 2/runs/é.bvh")):
            subprocess.run([os.path.join(BIN, "surefoot-make-sample"), walk, "--frames", str(120 + 30 * i)], check=True,
                           capture_output=True)
            code, _, err = surefoot("convert", walk, "--root-scale", 1.1 + 0.05 * i, "-o", os.path.join(cls.clips, name))
            assert code == DONE, err
        code, _, err = surefoot("convert", os.path.join(cls.clips, "a.bvh"), "-o", os.path.join(cls.clips, "a2.glb"))
        assert code == DONE, err

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.made)

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="surefoot-batch-")
        self.addCleanup(shutil.rmtree, self.folder)
        self.out = os.path.join(self.folder, "out")

    def path(self, name):
        return os.path.join(self.folder, name)

    def recipe(self, name="recipe.json", **members):
        with open(self.path(name), "w", encoding="utf-8") as file:
            json.dump(members, file, indent=1)
        return self.path(name)

    def ok(self, *arguments, **how):
        code, out, err = surefoot(*arguments, **how)
        self.assertEqual(code, DONE, out + err)
        return out, err

    def batch(self, recipe, *more, inputs=None, out=None):
        said, _ = self.ok("batch", recipe, inputs or self.clips, "-o", out or self.out, "--json", *more)
        return json.loads(said)

    def entries(self, out=None):
        """Of each clip its last line in any manifest."""
        found = {}
        folder = out or self.out
        for name in sorted(os.listdir(folder)):
            if name.endswith(".jsonl"):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    for line in file:
                        entry = json.loads(line)
                        found[entry["input"]] = entry
        return found

    def rows(self):
        """Of the page's table by clip: its cells by the heads of their columns, as the script draws them, and its link."""
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            page = file.read()
        heads = re.findall(r'<th scope="col"[^>]*><button type="button">([^<]*)<', page)
        columns, rows = (json.loads(page.split(f'id="{name}">')[1].split("</script>")[0]) for name in ("columns", "rows"))
        self.assertEqual(len(heads), len(columns))
        found = {}
        for row in rows:
            self.assertEqual(len(row), 7 + sum(at >= 7 for at, _, _ in columns), row)
            found[row[0]] = {head: row[at] for head, (at, _, _) in zip(heads, columns)} | {"link": row[1], "page": row[2]}
        return found

    def times(self):
        return {name: os.stat(os.path.join(self.out, name)).st_mtime_ns for name in tree(self.out)}


class Makes(Batch):
    def test_the_tree_is_mirrored_with_the_commands_own_bytes(self):
        recipe = self.recipe(command="clean", options={"give-way": "legs", "contact-threshold": 0.6},
                             **{"for": [{"files": "day 2/**", "options": {"give-way": False, "loop": True}},
                                        {"files": "**/d.bvh", "options": {"contact-threshold": 0.75, "loop": False}}]})
        said = self.batch(recipe)
        self.assertEqual((said["clips"], said["done"], said["before"]), (6, 6, 0))
        legs, half = ("--give-way", "legs"), ("--contact-threshold", "0.6")
        expected = {"a.bvh": legs + half, "a2.glb": legs + half, "b.bvh": legs + half, "day 2/c.bvh": half + ("--loop",),
                    "day 2/runs/d.bvh": ("--contact-threshold", "0.75"), "day 2/runs/é.bvh": half + ("--loop",)}
        made = tree(self.out)
        self.assertEqual(sorted(made), sorted(expected))
        for name, options in expected.items():
            alone = self.path("alone" + os.path.splitext(name)[1])
            self.ok("clean", os.path.join(self.clips, name), *options, "-o", alone)
            with open(alone, "rb") as file:
                self.assertEqual(made[name], file.read(), name)

    def test_figures_are_the_commands_own(self):
        self.batch(self.recipe(command="clean"))
        alone = json.loads(self.ok("clean", os.path.join(self.clips, "b.bvh"), "-o", self.path("b.bvh"), "--json")[0])
        entry = self.entries()["b.bvh"]
        feet = alone["before"]["feet"]
        planted = sum(foot["planted_frames"] for foot in feet)
        self.assertAlmostEqual(entry["slide_before_cm_s"], alone["before"]["clip"]["slide_mean_cm_s"], places=4)
        self.assertAlmostEqual(entry["contact_share"], planted / (alone["frames"] * len(feet)), places=9)
        self.assertEqual(entry["slide_after_max_cm_s"], max(foot["slide_max_cm_s"] for foot in alone["after"]["feet"]))
        self.assertEqual(entry["frames"], alone["frames"])

    def test_figures_that_a_command_does_not_have_are_not_there(self):
        limit = {"max-mean-slide": 0.5}
        for command, options, code in (("info", {}, DONE), ("check", limit, READ)):
            words = ("batch", self.recipe(command=command, options=options), self.clips, "-o", self.path(command))
            got, said, err = surefoot(*words, "--csv", "-")
            self.assertEqual(got, code)
            rows = {row["input"]: row for row in csv.DictReader(said.splitlines())}
            summary = json.loads(surefoot(*words, "--json")[1])
            self.assertEqual([row["slide_after_cm_s"] for row in rows.values()], [""] * 6)
            self.assertIsNone(summary["slide_after_cm_s"])
            self.assertNotIn("after", err)
            if command == "info":
                self.assertEqual([row["slide_before_cm_s"] for row in rows.values()], [""] * 6)
                self.assertNotIn("slide", err)
        # Clips that slide too much are what the mean is about; here all do.
        self.assertEqual({row["result"] for row in rows.values()}, {"failed"})
        slides = [float(row["slide_before_cm_s"]) for row in rows.values()]
        self.assertGreater(min(slides), 0.5)
        self.assertAlmostEqual(summary["slide_before_cm_s"], sum(slides) / 6, places=4)

    def test_other_commands(self):
        for command, ending, more in (("contacts", ".csv", {}), ("check", ".json", {}), ("info", ".json", {}),
                                      ("convert", ".glb", {"ending": ".glb", "for": [{"files": "a.bvh", "skip": True}]}),
                                      ("adapt", None, {"options": {"ground": "slope:angle=5"}})):
            with self.subTest(command):
                out = self.path(command)
                self.batch(self.recipe(command=command, **{"for": [{"files": "a2.glb", "skip": True}], **more}), out=out)
                made = tree(out)
                self.assertEqual(len(made), 5)
                self.assertTrue(all(name.endswith(ending or ".bvh") for name in made), made.keys())
        with open(os.path.join(self.path("check"), "b.json"), encoding="utf-8") as file:
            self.assertIn("feet", json.load(file))

    def test_words_that_stand_for_the_clip(self):
        labels = self.path("labels")
        self.batch(self.recipe(command="contacts"), out=labels, inputs=os.path.join(self.clips, "day 2"))
        self.batch(self.recipe(command="clean", options={"contacts": "{recipe}/labels/{name}.csv", "report": "{out}.html"}),
                   inputs=os.path.join(self.clips, "day 2"))
        self.assertEqual(sorted(tree(self.out)), ["c.bvh", "c.html", "runs/d.bvh", "runs/d.html", "runs/é.bvh", "runs/é.html"])

    def test_labels_of_clips_one_by_one_are_looked_at(self):
        clip, labels = os.path.join(self.clips, "a2.glb"), self.path("labels/a2.csv")
        os.mkdir(self.path("labels"))
        self.ok("contacts", clip, "--all-clips", "-o", labels)
        own, = (self.path("labels/" + name) for name in os.listdir(self.path("labels")))
        self.assertNotEqual(own, labels)
        recipe = self.recipe(command="clean", options={"all-clips": True, "contacts": "{recipe}/labels/{stem}.csv"})
        self.assertEqual(self.batch(recipe, inputs=clip)["done"], 1)
        self.assertEqual(self.batch(recipe, inputs=clip)["before"], 1)
        with open(own, encoding="utf-8") as file:
            head, *rows = file.read().splitlines()
        with open(own, "w", encoding="utf-8") as file:
            file.write("\n".join([head] + [re.sub(",[0-9.]+$", ",0", row) for row in rows]) + "\n")
        self.assertEqual(self.batch(recipe, inputs=clip)["before"], 0)
        self.ok("clean", clip, "--all-clips", "--contacts", labels, "-o", self.path("alone.glb"))
        with open(self.path("alone.glb"), "rb") as file:
            self.assertEqual(tree(self.out)["a2.glb"], file.read())

    def test_inputs_by_list_pattern_and_file(self):
        recipe = self.recipe(command="info")
        listed = "\n".join(os.path.join(self.clips, name) for name in ("a.bvh", "day 2/c.bvh")) + "\n"
        self.ok("batch", recipe, "-", "-o", self.out, stdin=listed.encode())
        below = os.path.join(self.out, *self.clips.split("/")[1:])
        self.assertEqual(sorted(tree(below)), ["a.json", "day 2/c.json"])
        for given, names in ((os.path.join(self.clips, "**/*.bvh"), 5), (os.path.join(self.clips, "*.bvh"), 2),
                             (os.path.join(self.clips, "day 2/runs/?.bvh"), 1), (os.path.join(self.clips, "b.bvh"), 1)):
            with self.subTest(given):
                out = self.path("by pattern")
                self.batch(recipe, inputs=given, out=out)
                self.assertEqual(len(tree(out)), names)
                shutil.rmtree(out)

    def test_patterns_take_motion_files_only_and_files_twice_are_taken_once(self):
        clips = self.path("clips")
        shutil.copytree(os.path.join(self.clips, "day 2"), clips)
        for name in ("notes.txt", "runs/labels.csv", "clean.json"):
            with open(os.path.join(clips, name), "w", encoding="utf-8") as file:
                file.write("no motion")
        recipe = self.recipe(command="info")
        self.assertEqual(self.batch(recipe, os.path.join(clips, "**"), inputs=clips)["clips"], 3)
        code, _, err = surefoot("batch", recipe, os.path.join(clips, "*.txt"), "-o", self.out)
        self.assertEqual(code, READ)
        self.assertIn("no BVH, glTF, GLB or FBX file below it fits *.txt", err)
        # Who names a file means it.
        code, said, _ = surefoot("batch", recipe, os.path.join(clips, "notes.txt"), "-o", self.path("named"), "--json")
        self.assertEqual((code, json.loads(said)["failed"]), (READ, 1))

    def test_lists_with_zero_bytes_and_long_ones(self):
        clips = self.path("clips")
        os.mkdir(clips)
        names = [b"two\nlines.bvh", b" blank .bvh", b"return\r.bvh", b"caf\xe9.bvh"]
        for name in names:
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(os.fsencode(clips), name))
        listed = b"".join(os.path.join(os.fsencode(clips), name) + b"\0" for name in names)
        said = subprocess.run([os.path.join(BIN, "surefoot"), "batch", self.recipe(command="info"), "-", "-o", self.out, "--json"],
                              input=listed, capture_output=True, check=False)
        self.assertEqual((said.returncode, json.loads(said.stdout)["done"]), (DONE, 4), said.stderr)
        self.assertEqual({os.path.basename(os.fsencode(name)) for name in self.entries()}, set(names))
        # Over 1 MiB; one of the names is there.
        here = os.path.join(self.clips, "a.bvh").encode()
        listed = b"".join(b"%s/%s%06d.bvh\0" % (os.fsencode(clips), b"x" * 200, i) for i in range(6000))
        said = subprocess.run([os.path.join(BIN, "surefoot"), "batch", "--shard", "1/6001",
                               self.recipe(command="info"), "-", "-o", self.path("long"), "--json"],
                              input=listed + here, capture_output=True, check=False)
        self.assertGreater(len(listed), 1 << 20)
        self.assertEqual(json.loads(said.stdout)["clips"], 1, said.stderr)

    def test_the_table_and_the_summary_do_not_mix(self):
        recipe = self.recipe(command="info")
        for words in (("batch", recipe, self.clips, "-o", self.out, "--csv", "-"), ("batch", "summary", self.out, "--csv", "-")):
            said, err = self.ok(*words)
            rows = list(csv.reader(said.splitlines()))
            self.assertEqual([len(row) for row in rows], [len(rows[0])] * 7)
            self.assertIn("6 clips: 6 done, 0 failed", err)
            code, said, err = surefoot(*words, "--json")
            self.assertEqual((code, said), (USAGE, ""))
            self.assertIn("would both write to standard output", err)

    def test_one_bad_clip_costs_only_itself(self):
        clips = self.path("clips")
        shutil.copytree(self.clips, clips)
        with open(os.path.join(clips, "bad.bvh"), "w", encoding="utf-8") as file:
            file.write("HIERARCHY\nROOT\n")
        recipe = self.recipe(command="clean")
        code, out, err = surefoot("batch", recipe, clips, "-o", self.out, "--csv", self.path("all.csv"))
        self.assertEqual(code, READ, err)
        self.assertIn("7 clips: 6 done, 1 failed", out)
        self.assertRegex(out, r"failed +bad\.bvh: .*bad\.bvh:\d+: ")
        with open(self.path("all.csv"), encoding="utf-8", newline="") as file:
            rows = {row["input"]: row for row in csv.DictReader(file)}
        self.assertEqual(len(rows), 7)
        self.assertEqual((rows["bad.bvh"]["result"], rows["bad.bvh"]["code"]), ("failed", "3"))
        self.assertEqual(rows["day 2/runs/é.bvh"]["result"], "done")
        again = json.loads(surefoot("batch", recipe, clips, "-o", self.out, "--json")[1])
        self.assertEqual((again["before"], again["failed"]), (7, 1))

    def test_the_page_has_every_clip_and_no_markup_of_theirs(self):
        clips = self.path("clips")
        os.mkdir(clips)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "a <b> & #1.bvh"))
        with open(os.path.join(clips, "<script>x.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        surefoot("batch", self.recipe(command="check"), clips, "-o", self.out)
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            page = file.read()
        rows = self.rows()
        self.assertEqual({name: (row["result"], row["link"]) for name, row in rows.items()},
                         {"<script>x.bvh": ("failed", 0), "a <b> & #1.bvh": ("done", "a%20%3Cb%3E%20%26%20%231.json")})
        row = rows["a <b> & #1.bvh"]
        self.assertAlmostEqual(row["slide, cm/s"], self.entries()["a <b> & #1.bvh"]["slide_before_cm_s"], places=4)
        self.assertIn('<a class="to" href="a%20%3Cb%3E%20%26%20%231.json">', page)
        self.assertIn('<span class="base">a &lt;b&gt; &amp; #1.bvh</span>', page)
        self.assertNotIn("<script>x", page)
        self.assertEqual(page.count("HIERARCHY must come first"), 2, "once in its kind, once in its row")

    def test_shards_are_parts_of_the_whole(self):
        recipe = self.recipe(command="clean")
        self.batch(recipe)
        parts = self.path("parts")
        counts = [self.batch(recipe, "--shard", f"{k}/4", out=parts)["clips"] for k in (3, 1, 4, 2)]
        self.assertEqual(sorted(counts), [1, 1, 2, 2])
        self.assertEqual(tree(parts), tree(self.out))
        summary = json.loads(self.ok("batch", "summary", parts, "--json")[0])
        self.assertEqual((summary["clips"], summary["done"]), (6, 6))
        # The whole run knows what shards did.
        self.assertEqual(self.batch(recipe, out=parts)["before"], 6)


    def test_outputs_are_no_inputs(self):
        """The output folder below the inputs is left out; inputs in the output folder are refused, and stay as they are."""
        clips = self.path("clips")
        os.mkdir(clips)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "x.bvh"))
        before = tree(clips)
        recipe = self.recipe(command="convert", options={"root-scale": 2})
        os.symlink(clips, self.path("link"))
        for inputs, out in ((clips, clips), (clips, self.folder), (os.path.join(clips, "x.bvh"), clips),
                            (os.path.join(clips, "*.bvh"), clips), (self.path("link"), clips), (clips, self.path("link"))):
            with self.subTest((inputs, out)):
                code, _, err = surefoot("batch", recipe, inputs, "-o", out)
                self.assertEqual(code, USAGE)
                self.assertIn("lies in the output folder", err)
        self.assertEqual(surefoot("batch", recipe, "-", "-o", clips, stdin=os.path.join(clips, "x.bvh").encode())[0], USAGE)
        self.assertEqual(tree(clips), before)
        for _ in range(2):
            self.assertEqual(self.batch(recipe, inputs=clips, out=os.path.join(clips, "out"))["clips"], 1)

    def test_names_of_all_kinds(self):
        clips = self.path("clips")
        os.mkdir(clips)
        raw = (b"-x.bvh", b"--json.bvh", b"caf\xe9.bvh", b"two\nlines, \"q\".bvh", b"it's {name} * %s.bvh", b"FBX.Bvh")
        for name in raw:
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(os.fsencode(clips), name))
        for before in (0, 6):
            self.assertEqual(self.batch(self.recipe(command="contacts"), "--csv", self.path("all.csv"), inputs=clips)["before"], before)
        self.assertEqual({os.fsencode(name) for name in self.entries()}, set(raw))
        self.assertEqual({name for name in os.listdir(os.fsencode(self.out)) if name.endswith(b".csv")},
                         {name[:-4] + b".csv" for name in raw})
        with open(self.path("all.csv"), encoding="utf-8", newline="") as file:
            self.assertIn("caf\ufffd.bvh", [row["input"] for row in csv.DictReader(file)])
        # In the folder itself such a name would be an option.
        for words, names in ((("--", "-x.bvh", "--json.bvh"), None), (("-",), b"-x.bvh\n--json.bvh\n")):
            said = subprocess.run([os.path.join(BIN, "surefoot"), "batch", self.recipe(command="info"), "-o", self.path("dash"),
                                   *words], cwd=clips, input=names, capture_output=True, check=False)
            self.assertEqual(said.returncode, DONE, said)

    def test_what_cannot_be_read_or_written_costs_only_itself(self):
        clips = self.path("clips")
        shutil.copytree(self.clips, clips)
        os.symlink(".", os.path.join(clips, "loop"))
        os.symlink("nothing", os.path.join(clips, "broken.bvh"))
        os.makedirs(os.path.join(self.out, "b.json"))
        with open(os.path.join(self.out, "day 2"), "w", encoding="utf-8"):
            pass
        recipe = self.recipe(command="info")
        code, said, _ = surefoot("batch", recipe, clips, "-o", self.out, "--json")
        said = json.loads(said)
        self.assertEqual((code, said["done"], said["failed"]), (READ, 2, 4))
        self.assertEqual({failure["code"] for failure in said["failures"]}, {WRITE})
        # Which was the machine's fault, and is done again when that is over.
        os.rmdir(os.path.join(self.out, "b.json"))
        os.remove(os.path.join(self.out, "day 2"))
        self.assertEqual(self.batch(recipe, inputs=clips)["before"], 2)
        listed = os.path.join(clips, "a.bvh") + "\n" + os.path.join(clips, "gone.bvh")
        code, said, _ = surefoot("batch", recipe, "-", "-o", self.path("listed"), "--json", stdin=listed.encode())
        self.assertEqual((code, json.loads(said)["done"], json.loads(said)["failed"]), (READ, 1, 1))
        if os.geteuid() != 0:
            os.chmod(os.path.join(clips, "day 2"), 0)
            self.addCleanup(os.chmod, os.path.join(clips, "day 2"), 0o700)
            code, said, err = surefoot("batch", recipe, clips, "-o", self.path("some"), "--json")
            self.assertEqual((code, json.loads(said)["done"]), (READ, 3))
            self.assertIn("left out: ", err)

    def test_odd_surroundings(self):
        """Closed standard files, ends of processes ignored, few open files."""
        recipe = self.recipe(command="info")
        program = [os.path.join(BIN, "surefoot"), "batch", recipe, self.clips, "-o", self.out]
        said = subprocess.run(["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", *program], timeout=60, check=False)
        self.assertEqual(said.returncode, WRITE)
        self.assertEqual({entry["result"] for entry in self.entries().values()}, {"done"})
        shutil.rmtree(self.out)
        said = subprocess.run(program, timeout=60, check=False, capture_output=True,
                              preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
        self.assertEqual(said.returncode, DONE)
        said = subprocess.run(["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", *program, "--retry", "--jobs", "1024"], timeout=60,
                              check=False, capture_output=True)
        self.assertEqual(said.returncode, DONE, "no more processes than there are clips to do")
        shutil.rmtree(self.out)
        said = subprocess.run(["sh", "-c", 'ulimit -n 40; exec "$@"', "sh", *program, "--jobs", "1024"], timeout=60,
                              check=False, capture_output=True)
        self.assertEqual(said.returncode, USAGE)
        self.assertIn(b"give a smaller --jobs", said.stderr)


class Refuses(Batch):
    def test_recipes_by_their_line(self):
        for members, line, said in (({"command": "clean", "options": {"give-way": "arms"}}, 4, "give-way"),
                                    ({"command": "clean", "options": {"give-wey": "legs"}}, 4, "give-wey"),
                                    ({"command": "clean", "options": {"loop": None}}, 4, "a text, a number"),
                                    ({"command": "clean", "options": {"o": "x"}}, 4, "output follows"),
                                    ({"command": "sweep"}, 2, "no batch can be made of 'sweep'"),
                                    ({"command": "roam"}, 2, "no batch"),
                                    ({"command": "retarget"}, 1, "give --onto"),
                                    ({"command": "adapt", "for": [{"files": "b.bvh", "options": {"ground": "slope:angle=5"}}]}, 1, "for a.bvh"),
                                    ({"command": "clean", "options": {"hel": True}}, 4, "not --hel"),
                                    ({"command": "clean", "options": {"json=": True}}, 4, "no option has such a name"),
                                    ({"command": "clean", "options": {"report": "all.html"}}, 4, "every clip would write"),
                                    ({"command": "clean", "option": {}}, 3, 'there is no "option"'),
                                    ({"command": "clean", "limits": {"seconds": 0}}, 4, "seconds"),
                                    ({"command": "clean", "limits": {"minutes": 1}}, 4, "minutes"),
                                    ({"command": "clean", "ending": "glb"}, 3, "an ending"),
                                    ({"command": "clean", "for": [{"options": {}}]}, 4, '"files" is missing'),
                                    ({"command": "clean", "for": [{"files": "*", "options": {"blend": "x"}}]}, 7, "blend")):
            with self.subTest(members):
                code, _, err = surefoot("batch", self.recipe(**members), self.clips, "-o", self.out)
                self.assertEqual(code, READ, err)
                self.assertIn(f"recipe.json:{line}: ", err)
                self.assertIn(said, err)
                self.assertFalse(os.path.exists(self.out), "nothing runs before the recipe holds")
        for text, said in (("", "recipe.json:"), ("[]", "a recipe is a JSON object"), ('{"command": "clean"', "recipe.json: byte 19"),
                           ('{"command": "clean",\n"command": "info"}', 'recipe.json:2: "command" stands here for the second'),
                           ('{"command": "clean", "options": {"blend": 1,\n"blend": 2}}', "recipe.json:2: "),
                           ('{"command": "clean", "limits": {"seconds": 1e999}}', "recipe.json:1: seconds"),
                           ("[" * 100000, "more than 64 deep"), ('{"command": "cl\ufffdan"}', "no batch can be made")):
            with open(self.path("recipe.json"), "w", encoding="utf-8") as file:
                file.write(text)
            code, _, err = surefoot("batch", self.path("recipe.json"), self.clips, "-o", self.out)
            self.assertEqual(code, READ)
            self.assertIn(said, err)

    def test_command_lines(self):
        recipe = self.recipe(command="info")
        os.mkdir(self.path("other"))
        other = shutil.copy(os.path.join(self.clips, "a.bvh"), self.path("other/walk.bvh"))
        for words, code in ((("batch",), USAGE), (("batch", "summary", self.clips), READ), (("batch", recipe, self.clips), USAGE),
                            (("batch", recipe, self.clips, "-o", self.out, "--jobs", "0"), USAGE),
                            (("batch", recipe, self.clips, "-o", self.out, "--shard", "5/4"), USAGE),
                            (("batch", recipe, self.clips, "-o", self.out, "--shard", "x"), USAGE),
                            (("batch", recipe, self.path("none"), "-o", self.out), READ),
                            (("batch", recipe, os.path.join(self.clips, "*.c3d"), "-o", self.out), READ),
                            (("batch", recipe, self.clips, "-o", self.out, "--jobs", "1.5"), USAGE),
                            (("batch", recipe, self.clips, os.path.join(self.made, "walk.bvh"), other, "-o", self.out), USAGE),
                            (("batch", recipe, self.clips, "-o", recipe), WRITE)):
            with self.subTest(words):
                got, _, err = surefoot(*words)
                self.assertEqual(got, code, err)
                self.assertTrue(err.startswith("surefoot: "), err)

    def test_two_clips_of_one_output(self):
        clips = self.path("clips")
        os.mkdir(clips)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "x.bvh"))
        shutil.copy(os.path.join(self.clips, "a2.glb"), os.path.join(clips, "x.glb"))
        code, _, err = surefoot("batch", self.recipe(command="contacts"), clips, "-o", self.out)
        self.assertEqual(code, USAGE)
        self.assertRegex(err, r"x\.bvh and .*x\.glb would both be written to x\.csv")

    def test_a_manifest_that_is_none(self):
        recipe = self.recipe(command="info")
        self.batch(recipe)
        with open(os.path.join(self.out, "manifest.jsonl"), "a", encoding="utf-8") as file:
            file.write("{\"input\": 3}\n")
        code, _, err = surefoot("batch", recipe, self.clips, "-o", self.out)
        self.assertEqual(code, READ)
        self.assertIn("manifest.jsonl:7: not a line of a manifest", err)


    def test_a_manifest_that_is_no_file(self):
        recipe = self.recipe(command="info")
        for name, make in (("manifest.jsonl", os.mkfifo), ("manifest-1-of-2.jsonl", os.mkfifo), ("manifest.jsonl", os.mkdir)):
            out = tempfile.mkdtemp(dir=self.folder)
            make(os.path.join(out, name))
            code, _, err = surefoot("batch", recipe, self.clips, "-o", out)
            self.assertIn(code, (READ, WRITE))
            self.assertIn(name, err)
        os.mkdir(self.path("m"))
        shutil.copy(os.path.join(self.clips, "a.bvh"), self.path("m/manifest.bvh"))
        code, _, err = surefoot("batch", self.recipe(command="contacts", ending=".jsonl"), self.path("m"), "-o", self.out)
        self.assertEqual(code, USAGE)
        self.assertIn("a name that batches need", err)


class Again(Batch):
    def test_only_what_changed(self):
        clips = self.path("clips")
        shutil.copytree(self.clips, clips)
        recipe = self.recipe(command="clean", options={"contacts": self.path("none")},
                             **{"for": [{"files": "**", "options": {"contacts": False}}]})
        self.batch(recipe, inputs=clips)
        before = self.times()
        self.assertEqual(self.batch(recipe, inputs=clips)["before"], 6)
        self.assertEqual(self.times(), before)

        shutil.copy(os.path.join(clips, "a.bvh"), os.path.join(clips, "b.bvh"))
        os.remove(os.path.join(self.out, "day 2/c.bvh"))
        self.assertEqual(self.batch(recipe, inputs=clips)["before"], 4)
        after = self.times()
        self.assertEqual({name for name in after if after[name] != before.get(name)}, {"b.bvh", "day 2/c.bvh"})

        recipe = self.recipe(command="clean", **{"for": [{"files": "day 2/*", "options": {"blend": 0.3, "method": "runtime"}}]})
        self.assertEqual(self.batch(recipe, inputs=clips)["before"], 5)

    def test_files_that_options_name_count(self):
        labels = self.path("labels.csv")
        clip = os.path.join(self.clips, "a.bvh")
        self.ok("contacts", clip, "-o", labels)
        recipe = self.recipe(command="clean", options={"contacts": "{recipe}/labels.csv"})
        self.batch(recipe, inputs=clip)
        self.assertEqual(self.batch(recipe, inputs=clip)["before"], 1)
        with open(labels, "a", encoding="utf-8") as file:
            file.write("\n")
        self.assertEqual(self.batch(recipe, inputs=clip)["before"], 0)

    def test_files_that_a_command_writes_beside_do_not(self):
        recipe = self.recipe(command="clean", options={"report": self.path("pages") + "/{name}.html"})
        for before in (0, 1):
            self.assertEqual(self.batch(recipe, inputs=os.path.join(self.clips, "day 2/c.bvh"))["before"], before)
        self.assertEqual(os.listdir(self.path("pages")), ["c.html"])

    def test_the_newest_line_counts_whichever_manifest_it_is_in(self):
        clips = self.path("clips")
        os.mkdir(clips)
        for name in ("x.bvh", "y.bvh"):
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, name))
        recipe = self.recipe(command="info")
        self.batch(recipe, inputs=clips)
        shutil.copy(os.path.join(self.clips, "b.bvh"), os.path.join(clips, "x.bvh"))
        self.assertEqual(self.batch(recipe, "--shard", "1/2", inputs=clips)["before"], 0)
        self.assertEqual(self.batch(recipe, "--shard", "1/2", inputs=clips)["before"], 1)
        self.assertEqual(self.batch(recipe, inputs=clips)["before"], 2)
        # What is no longer given is no longer told.
        with open(os.path.join(clips, "y.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        self.assertEqual(surefoot("batch", recipe, clips, "-o", self.out)[0], READ)
        os.remove(os.path.join(clips, "y.bvh"))
        self.assertEqual(self.batch(recipe, inputs=clips)["failures"], [])

    def test_parts_of_a_gltf_count(self):
        clips = self.path("clips")
        os.mkdir(clips)
        self.ok("convert", os.path.join(self.clips, "a.bvh"), "-o", os.path.join(clips, "x.gltf"))
        recipe = self.recipe(command="convert")
        for before in (0, 1):
            self.assertEqual(self.batch(recipe, inputs=clips)["before"], before)
        with open(os.path.join(clips, "x.bin"), "rb+") as file:
            file.seek(1600)
            byte = file.read(1)[0]
            file.seek(1600)
            file.write(bytes([byte ^ 1]))
        self.assertEqual(self.batch(recipe, inputs=clips)["before"], 0)

    def test_what_fails_now_leaves_nothing_of_before(self):
        clips = self.path("clips")
        os.mkdir(clips)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "x.bvh"))
        recipe = self.recipe(command="convert")
        self.batch(recipe, inputs=clips)
        with open(os.path.join(clips, "x.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        self.assertEqual(surefoot("batch", recipe, clips, "-o", self.out)[0], READ)
        self.assertNotIn("x.bvh", os.listdir(self.out))

    def test_failures_are_done_again_where_asked(self):
        clips = self.path("clips")
        os.mkdir(clips)
        with open(os.path.join(clips, "x.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        recipe = self.recipe(command="info")
        for more, before in (((), 0), ((), 1), (("--retry",), 0)):
            code, out, _ = surefoot("batch", recipe, clips, "-o", self.out, "--json", *more)
            self.assertEqual((code, json.loads(out)["before"]), (READ, before))


class Survives(Batch):
    """Clips that never end, runs that are killed."""

    def slow_recipe(self, **limits):
        return self.recipe("slow.json", command="clean", limits=limits,
                           **{"for": [{"files": "long.bvh", "options": {"method": "relax"}}]})

    def slow_clip(self):
        made = os.path.join(self.made, "long.bvh")
        if not os.path.exists(made):
            subprocess.run([os.path.join(BIN, "surefoot-make-sample"), made, "--frames", "60000"], check=True,
                           capture_output=True)
        os.link(made, self.path("long.bvh"))
        return self.path("long.bvh")

    def test_a_clip_that_does_not_end(self):
        clip = self.slow_clip()
        shutil.copy(os.path.join(self.clips, "a.bvh"), self.path("short.bvh"))
        code, out, err = surefoot("batch", self.slow_recipe(seconds=4), clip, self.path("short.bvh"), "-o", self.out, "--jobs", 2)
        self.assertEqual(code, READ, err)
        self.assertRegex(out, r"timeout +long\.bvh: not done after 4 s, and ended")
        self.assertEqual(self.entries()["short.bvh"]["result"], "done")
        self.assertEqual(list(tree(self.out)), ["short.bvh"])

    def test_a_clip_that_crashes(self):
        process = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", self.slow_recipe(), self.slow_clip(), "-o",
                                    self.out, "--json"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        workers = wait_for_workers(process)
        # Not by a signal that sanitizers take for themselves.
        os.kill(workers[0], signal.SIGABRT)
        said = json.loads(process.communicate(timeout=60)[0])
        self.assertEqual((process.returncode, said["crashed"]), (READ, 1))
        self.assertIn("signal 6", said["failures"][0]["message"])

    def test_a_second_run_is_refused_or_waits(self):
        recipe = self.slow_recipe(seconds=5)
        first = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", recipe, self.slow_clip(), "-o", self.out],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(os.path.join(self.out, "manifest.jsonl")):
            time.sleep(0.01)
        time.sleep(0.1)
        quick = self.recipe(command="info")
        code, _, err = surefoot("batch", quick, self.clips, "-o", self.out)
        self.assertEqual(code, WRITE)
        self.assertIn("another run is at work here", err)
        self.assertEqual(surefoot("batch", quick, self.clips, "-o", self.out, "--wait")[0], DONE)
        self.assertIsNotNone(first.poll(), "it waited for the other's end")
        self.assertEqual(first.wait(), READ)

    def test_shards_of_another_number_are_refused(self):
        """They would do the same clips at once."""
        recipe = self.slow_recipe(seconds=30)
        first = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", recipe, self.slow_clip(), "-o", self.out, "--shard", "1/2"],
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while not os.path.exists(os.path.join(self.out, "manifest-1-of-2.jsonl")):
            time.sleep(0.01)
        time.sleep(0.1)
        for worker in wait_for_workers(first):
            os.kill(worker, signal.SIGSTOP)
        quick = self.recipe(command="info")
        for more, code in (((), WRITE), (("--shard", "2/3"), WRITE), (("--shard", "2/2"), DONE)):
            self.assertEqual(surefoot("batch", quick, self.clips, "-o", self.out, *more)[0], code, more)
        first.terminate()
        self.assertEqual(first.wait(), 130)

    def test_hangups_are_ignored_where_they_are_to_be(self):
        process = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", self.slow_recipe(seconds=1), self.slow_clip(), "-o", self.out],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        while not os.path.exists(os.path.join(self.out, "manifest.jsonl")):
            time.sleep(0.01)
        time.sleep(0.2)
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(), READ)

    def test_a_clip_that_ended_while_the_run_was_stopped_is_not_late(self):
        process = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", self.recipe(command="clean", limits={"seconds": 2}),
                                    os.path.join(self.clips, "a.bvh"), "-o", self.out], stdout=subprocess.DEVNULL)
        while not os.path.exists(os.path.join(self.out, "manifest.jsonl")):
            time.sleep(0.0005)
        process.send_signal(signal.SIGSTOP)
        time.sleep(2.5)
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(), DONE)

    def test_ctrl_c_ends_workers_too(self):
        process = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", self.slow_recipe(), self.slow_clip(), "-o", self.out],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        workers = wait_for_workers(process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 130)
        self.assertIn(b"the same command goes on from here", err)
        self.assertFalse(os.path.exists(f"/proc/{workers[0]}"))
        self.assertEqual(tree(self.out), {})

    def test_killed_at_any_instant(self):
        """Runs that are killed and begun again end with the bytes of one that was not."""
        recipe = self.recipe(command="clean")
        began = time.monotonic()
        self.batch(recipe)
        lasts = time.monotonic() - began
        expected = tree(self.out)
        chance = random.Random(5)
        out = self.path("killed")
        ended_early = 0
        for _ in range(KILLS):
            process = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", recipe, self.clips, "-o", out],
                                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            time.sleep(chance.uniform(0.0, 1.1 * lasts))
            process.kill()
            ended_early += process.wait() == -signal.SIGKILL
            if chance.random() < 0.3 and os.path.exists(out):
                self.batch(recipe, out=out)
                self.assertEqual(tree(out), expected)
                shutil.rmtree(out)
        self.assertGreater(ended_early, KILLS // 4)
        self.batch(recipe, out=out)
        self.assertEqual(tree(out), expected)
        self.assertEqual({entry["result"] for entry in self.entries(out).values()}, {"done"})

    def test_half_a_line_counts_as_none(self):
        recipe = self.recipe(command="info")
        self.batch(recipe)
        manifest = os.path.join(self.out, "manifest.jsonl")
        with open(manifest, "rb+") as file:
            file.truncate(os.path.getsize(manifest) - 9)
        self.assertEqual(self.batch(recipe)["before"], 5)
        self.assertEqual(len(self.entries()), 6)


if __name__ == "__main__":
    if surefoot("batch", "--help")[0] != DONE:
        print("SKIP: this build has no `surefoot batch` (no xxhash.h)")
        sys.exit(77)
    unittest.main()
