#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot batch` where recipes, folders, disks and clips are against it."""

import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
import unittest

from test_cli_batch import BIN, DONE, READ, USAGE, WRITE, Batch, children_of, surefoot, tree, wait_for_workers


CLIPS = 6  # of Batch


class Recipes(Batch):
    def test_every_way_to_write_one_page_for_all(self):
        for options in ({"rep": "all.html"}, {"report": ["{name}.html", "all.html"]}, {"report": 5}, {"pic": "all.svg"}):
            with self.subTest(options):
                code, _, err = surefoot("batch", self.recipe(command="clean", options=options), self.clips, "-o", self.out)
                self.assertEqual(code, READ)
                self.assertIn("recipe.json:4: every clip would write this file", err)
        # Two folders have clips of one last name.
        clips = self.path("clips")
        for name in ("left/x.bvh", "right/x.bvh"):
            os.makedirs(os.path.dirname(os.path.join(clips, name)))
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, name))
        code, _, err = surefoot("batch", self.recipe(command="clean", options={"report": "pages/{stem}.html"}), clips, "-o", self.out)
        self.assertEqual(code, USAGE)
        self.assertRegex(err, r"left/x\.bvh and .*right/x\.bvh an option would both write pages/x\.html")
        self.assertFalse(os.path.exists(self.out))

    def test_options_cut_short_write_where_they_should(self):
        recipe = self.recipe(command="clean", options={"repo": self.path("deep/pages") + "/{name}.html"})
        for before in (0, 1):
            self.assertEqual(self.batch(recipe, inputs=os.path.join(self.clips, "a.bvh"))["before"], before)
        self.assertEqual(os.listdir(self.path("deep/pages")), ["a.html"])

    def test_values_for_options_that_take_none_and_endings(self):
        for members, said in (({"options": {"loop": "yes"}}, "--loop takes no value"), ({"options": {"loop": 1}}, "--loop takes no value"),
                              ({"ending": "."}, "an ending is"), ({"ending": ".b\nvh"}, "an ending is"), ({"ending": ".bvh."}, "an ending is")):
            with self.subTest(members):
                code, _, err = surefoot("batch", self.recipe(command="clean", **members), self.clips, "-o", self.out)
                self.assertEqual(code, READ)
                self.assertIn(said, err)
        self.batch(self.recipe(command="convert", ending=".v2.bvh"), inputs=os.path.join(self.clips, "a.bvh"))
        self.assertEqual(list(tree(self.out)), ["a.v2.bvh"])

    def test_a_file_that_an_option_names_is_not_written_over(self):
        os.mkdir(self.out)
        with open(os.path.join(self.out, "a.csv"), "w", encoding="utf-8") as file:
            file.write("by hand")
        recipe = self.recipe(command="contacts", options={"contacts": "{out}.csv"})
        code, out, _ = surefoot("batch", recipe, os.path.join(self.clips, "a.bvh"), "-o", self.out)
        self.assertEqual(code, READ)
        self.assertIn("an option names it", out)
        self.assertEqual(tree(self.out), {"a.csv": b"by hand"})

    def test_the_message_is_the_one_that_says_what_is_wrong(self):
        recipe = self.recipe(command="clean", options={"clip": "Dance"})
        _, said, _ = surefoot("batch", recipe, os.path.join(self.clips, "a2.glb"), "-o", self.out, "--json")
        alone = surefoot("clean", os.path.join(self.clips, "a2.glb"), "-o", self.path("x.glb"), "--clip", "Dance")[2]
        self.assertGreater(len(alone.splitlines()), 1)
        self.assertEqual("surefoot: " + json.loads(said)["failures"][0]["message"], alone.splitlines()[0])


class Folders(Batch):
    def test_what_failed_leaves_no_output(self):
        """The clip is written before its page, for which there is no room."""
        recipe = self.recipe(command="clean", options={"report": self.path("page") + "/{name}.html"})
        os.makedirs(self.path("page/a.html"))
        code, said, _ = surefoot("batch", recipe, os.path.join(self.clips, "a.bvh"), "-o", self.out, "--json")
        self.assertEqual((code, json.loads(said)["failures"][0]["code"]), (READ, WRITE))
        self.assertEqual(tree(self.out), {})
        os.rmdir(self.path("page/a.html"))
        self.batch(recipe, inputs=os.path.join(self.clips, "a.bvh"))
        self.assertEqual(list(tree(self.out)), ["a.bvh"])

    def test_what_a_killed_run_left_of_files_of_clips(self):
        clips = self.path("clips")
        os.mkdir(clips)
        for name in ("x.glb", "x-y.glb"):
            shutil.copy(os.path.join(self.clips, "a2.glb"), os.path.join(clips, name))
        recipe = self.recipe(command="convert", ending=".bvh", options={"all-clips": True})
        self.assertEqual(self.batch(recipe, inputs=clips)["done"], 2)
        made = sorted(tree(self.out))
        self.assertEqual(len(made), 2)
        kept = ["notes-1.bvh.tmp0", "x-1.txt.tmp0", "x-1.bvh.tmp", "x-1.bvh.old3"]
        for name in [name + ".tmp0" for name in made] + [made[0] + ".tmp11"] + kept:
            with open(os.path.join(self.out, name), "wb") as file:
                file.write(b"half")
        # Of clips that are done nothing is at work.
        os.remove(os.path.join(self.out, "manifest.jsonl"))
        self.batch(recipe, inputs=clips)
        self.assertEqual(sorted(tree(self.out)), sorted(made + kept))

    def test_folders_that_go_too_deep_and_names_that_are_too_long(self):
        clips = self.path("clips")
        os.mkdir(clips)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "a.bvh"))
        # No path of its own is long enough to name what lies at the bottom.
        at = os.open(clips, os.O_RDONLY)
        for _ in range(30):
            os.mkdir("n" * 200, dir_fd=at)
            below = os.open("n" * 200, os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        os.close(os.open("x.bvh", os.O_CREAT | os.O_WRONLY, dir_fd=at))
        os.close(at)
        code, said, err = surefoot("batch", self.recipe(command="info"), clips, "-o", self.out, "--json")
        self.assertEqual((code, json.loads(said)["done"], json.loads(said)["failed"]), (READ, 1, 0))
        self.assertIn("left out: File name too long: ", err)
        shutil.rmtree(os.path.join(clips, "n" * 200))
        os.makedirs(os.path.join(clips, *("d" * 66)))
        code, _, err = surefoot("batch", self.recipe(command="info"), clips, "-o", self.out)
        self.assertEqual(code, READ)
        self.assertIn("more than 64 deep", err)

    def test_links_pipes_and_devices(self):
        clips = self.path("clips")
        os.mkdir(clips)
        for name, to in (("up", ".."), ("one.bvh", "two.bvh"), ("two.bvh", "one.bvh"), ("zero.bvh", "/dev/zero"),
                         ("a.bvh", os.path.join(self.clips, "a.bvh"))):
            os.symlink(to, os.path.join(clips, name))
        os.mkfifo(os.path.join(clips, "pipe.bvh"))
        os.mkdir(os.path.join(clips, "folder.bvh"))
        said = self.batch(self.recipe(command="info"), inputs=clips)
        self.assertEqual((said["clips"], said["done"]), (1, 1))
        code, _, err = surefoot("batch", self.recipe(command="info"), os.path.join(clips, "pipe.bvh"), "-o", self.out)
        self.assertEqual(code, READ)
        self.assertIn("is neither a file nor a folder", err)

    def test_a_disk_that_is_full_or_read_only(self):
        if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", self.folder], check=False, capture_output=True).returncode != 0:
            self.skipTest("no right to mount a file system")
        self.addCleanup(subprocess.run, ["umount", self.folder], check=True)
        clips = self.path("clips")
        os.mkdir(clips)
        for i in range(6):
            shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, f"{i}.bvh"))
        recipe = self.recipe(command="clean")
        free = os.statvfs(self.folder).f_bavail * os.statvfs(self.folder).f_frsize
        with open(self.path("full"), "wb") as file:
            file.write(bytes(free - int(2.5 * os.path.getsize(os.path.join(clips, "0.bvh")))))
        code, said, err = surefoot("batch", recipe, clips, "-o", self.out, "--json")
        self.assertIn(code, (READ, WRITE), err)
        self.assertLess(len(tree(self.out)), 6)
        self.assertFalse([name for name in tree(self.out) if ".tmp" in name])
        subprocess.run(["mount", "-o", "remount,ro", self.folder], check=True)
        self.assertEqual(surefoot("batch", recipe, clips, "-o", self.out)[0], WRITE)
        subprocess.run(["mount", "-o", "remount,rw", self.folder], check=True)
        os.remove(self.path("full"))
        self.batch(recipe, inputs=clips)
        self.assertEqual(sorted(tree(self.out)), [f"{i}.bvh" for i in range(6)])


class Disk(Batch):
    """A clip is done when its output is on the disk, for which all wait together."""

    def begin(self, *more):
        return subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", self.recipe(command="clean"), self.clips, "-o", self.out, *more],
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def stopped(self):
        """A run whose clips are written, and which the disk does not answer."""
        run, syncs = self.begin(), []
        while not syncs:
            syncs = children_of(run.pid)[1]
        os.kill(syncs[0], signal.SIGSTOP)
        while len(tree(self.out)) < CLIPS or children_of(run.pid)[0]:
            time.sleep(0.01)
        time.sleep(0.3)
        return run, syncs[0]

    def lines(self):
        with open(os.path.join(self.out, "manifest.jsonl"), encoding="utf-8") as file:
            return len(file.readlines())

    def test_no_line_comes_before_the_output(self):
        run, sync = self.stopped()
        before = self.lines()
        self.assertLess(before, CLIPS)
        os.kill(sync, signal.SIGCONT)
        run.communicate(timeout=60)
        self.assertEqual((run.returncode, self.lines()), (DONE, CLIPS))

    def test_what_is_done_is_done_where_the_run_is_broken_off(self):
        run, sync = self.stopped()
        run.send_signal(signal.SIGINT)
        time.sleep(0.1)
        os.kill(sync, signal.SIGCONT)
        run.communicate(timeout=60)
        self.assertIn(run.returncode, (DONE, 130))
        self.assertEqual(self.lines(), CLIPS)

    def test_without_the_process_that_waits(self):
        run, sync = self.stopped()
        os.kill(sync, signal.SIGKILL)
        run.communicate(timeout=60)
        self.assertEqual((run.returncode, self.lines()), (DONE, CLIPS))

    @unittest.skipIf(os.environ.get("SFT_SANITIZED"), "sanitizers want to see every copy, and the run makes its own")
    def test_without_the_process_that_starts_others(self):
        run, starters = self.begin("--jobs", "1"), []
        while not starters and run.poll() is None:
            starters = children_of(run.pid)[2]
        os.kill(starters[0], signal.SIGKILL)
        run.communicate(timeout=60)
        self.assertEqual((run.returncode, self.lines()), (DONE, CLIPS))

    def test_a_run_killed_before_the_disk_answers_begins_again(self):
        run, sync = self.stopped()
        run.kill()
        run.communicate()
        # It holds nothing that would keep another run away.
        said = self.batch(self.recipe(command="clean"))
        os.kill(sync, signal.SIGCONT)
        self.assertEqual(said["done"], CLIPS)

    def test_outputs_that_do_not_reach_the_disk(self):
        shim = os.environ.get("SFT_NO_SYNC")
        if not shim:
            self.skipTest("SFT_NO_SYNC is not set")
        recipe = self.recipe(command="clean")
        done = subprocess.run([os.path.join(BIN, "surefoot"), "batch", recipe, self.clips, "-o", self.out, "--json"],
                              env={**os.environ, "LD_PRELOAD": shim}, capture_output=True, check=False)
        said = json.loads(done.stdout)
        self.assertEqual((done.returncode, said["failed"], said["done"]), (READ, CLIPS, 0))
        self.assertIn("the output is not on the disk: Input/output error", said["failures"][0]["message"])
        self.assertEqual(tree(self.out), {})
        again = self.batch(recipe)
        self.assertEqual((again["before"], again["done"]), (0, CLIPS))


class Says(Batch):
    """How far it is, on a terminal and elsewhere."""

    def begin(self, errors, *more):
        with open(os.path.join(self.clips, "a.bvh"), "rb") as file, open(self.path("broken.bvh"), "wb") as broken:
            broken.write(file.read()[:500])
        return subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", self.recipe(command="clean"), self.clips, self.path("broken.bvh"),
                                 "-o", self.out, "--jobs", "1", *more], stdout=subprocess.DEVNULL, stderr=errors)

    def test_a_bar_with_rate_estimate_and_failures_on_a_terminal(self):
        ours, theirs = pty.openpty()
        run = self.begin(theirs)
        os.close(theirs)
        said = b""
        try:
            while piece := os.read(ours, 65536):
                said += piece
        except OSError:  # the other end is closed
            pass
        os.close(ours)
        self.assertEqual(run.wait(), READ)
        # The last of it is the whole: six done and one failed, nothing left to do; then the line is wiped.
        self.assertRegex(said, rb"#{24} 7 of 7, [0-9.]+ a second, 0 s left, 1 failed")
        self.assertNotIn(b"\n", said.split(b"7 of 7")[0])

    def test_a_line_in_ten_seconds_elsewhere(self):
        run = self.begin(subprocess.PIPE, "--json")
        worker = wait_for_workers(run)[0]
        os.kill(worker, signal.SIGSTOP)
        time.sleep(11.0)
        os.kill(worker, signal.SIGCONT)
        said = run.communicate(timeout=60)[1].decode().splitlines()
        lines = [line for line in said if " of 7, " in line]
        self.assertEqual(len(lines), 1, said)
        self.assertRegex(lines[0], r"^surefoot: batch: [0-6] of 7, [0-9.]+ a second, .* left, [01] failed$")

    def test_the_largest_clip_goes_first(self):
        self.begin(subprocess.DEVNULL).wait()
        with open(os.path.join(self.out, "manifest.jsonl"), encoding="utf-8") as file:
            entries = [json.loads(line) for line in file]
        sizes = [entry["size"] for entry in entries]
        self.assertEqual(len(sizes), CLIPS + 1)
        self.assertEqual(sizes, sorted(sizes, reverse=True))


class Clips(Batch):
    def long_clip(self, frames):
        clips = self.path("clips")
        os.mkdir(clips)
        subprocess.run([os.path.join(BIN, "surefoot-make-sample"), os.path.join(clips, "long.bvh"), "--frames", str(frames)], check=True)
        shutil.copy(os.path.join(self.clips, "a.bvh"), os.path.join(clips, "short.bvh"))
        return clips

    def begin(self, recipe, clips):
        """A run and its worker, which is at the longest clip."""
        run = subprocess.Popen([os.path.join(BIN, "surefoot"), "batch", recipe, clips, "-o", self.out, "--json", "--jobs", "1"],
                               stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return run, wait_for_workers(run)

    def test_a_worker_that_is_stopped_ends_at_its_limit(self):
        clips = self.long_clip(20000)
        run, workers = self.begin(self.recipe(command="clean", options={"method": "relax"}, limits={"seconds": 2}), clips)
        os.kill(workers[0], signal.SIGSTOP)
        said = json.loads(run.communicate(timeout=60)[0])
        self.assertEqual((run.returncode, said["timeout"], said["done"]), (READ, 1, 1))

    @unittest.skipIf(os.environ.get("SFT_SANITIZED"), "sanitizers take all addresses for themselves")
    def test_a_clip_that_grows(self):
        clips = self.long_clip(60000)
        said = json.loads(surefoot("batch", self.recipe(command="clean", limits={"memory_mb": 64}), clips, "-o", self.out, "--json")[1])
        self.assertEqual((said["memory"], said["done"]), (1, 1))
        self.assertEqual(list(tree(self.out)), ["short.bvh"])

    def test_workers_of_a_run_that_is_killed_end(self):
        run, workers = self.begin(self.recipe(command="clean", options={"method": "relax"}), self.long_clip(60000))
        run.kill()
        run.communicate()

        def at_work(pid):
            try:
                with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as file:
                    return file.read().rpartition(")")[2].split()[0] not in "ZX"
            except FileNotFoundError:
                return False

        until = time.monotonic() + 10
        while any(map(at_work, workers)) and time.monotonic() < until:
            time.sleep(0.01)
        self.assertFalse(any(map(at_work, workers)))

    def test_a_hundred_thousand_lines(self):
        os.mkdir(self.out)
        entry = {"hash": "0" * 32, "options": "0" * 32, "version": "0.1.0", "result": "done", "code": 0, "size": 9, "seconds": 0.01,
                 "output": "x.bvh", "output_size": 9, "frames": 300, "clips": 1, "slide_before_cm_s": 4.0, "slide_after_cm_s": 0.5,
                 "slide_after_max_cm_s": 1.0, "contact_share": 0.5}
        with open(os.path.join(self.out, "manifest.jsonl"), "w", encoding="utf-8") as file:
            for i in range(100000):
                file.write(json.dumps({"input": f"{i % 100}/{i}.bvh", "ended": 1e9 + i, **entry}) + "\n")
        said = json.loads(self.ok("batch", "summary", self.out, "--json")[0])
        self.assertEqual((said["clips"], said["slide_before_cm_s"], said["slide_after_cm_s"]), (100000, 4.0, 0.5))
        with open(os.path.join(self.out, "report.html"), encoding="utf-8") as file:
            rows = json.loads(file.read().split('id="rows">')[1].split("</script>")[0])
        self.assertEqual(len(rows), 100000)


if __name__ == "__main__":
    if surefoot("batch", "--help")[0] != DONE:
        print("SKIP: this build has no `surefoot batch` (no xxhash.h)")
        sys.exit(77)
    unittest.main()
