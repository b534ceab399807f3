#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot batch --slurm` on a real Slurm, which is started for it and stopped behind it.

What it makes is compared with what one machine makes undisturbed. SFT_BIN is the folder of the programs.
"""

import csv
import json
import os
import shutil
import signal
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import test_cli_batch  # noqa: E402
from test_cli_batch import BIN, DONE, READ, WRITE  # noqa: E402

from cluster import Cluster, what_is_missing  # noqa: E402

# Some tenths of a second a clip, so that there is time to disturb it.
SLOW = {"command": "clean", "options": {"method": "relax"}}


def clips_of(folder):
    """Outputs without what a submission writes."""
    return {name: data for name, data in test_cli_batch.tree(folder).items() if not name.startswith("slurm/")}


def processes_of(shard, frozen):
    """Numbers of the processes of a task and its workers, its own first."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if shard.encode() in words and os.fsencode(frozen) in words:
            found.append(int(pid))
    return sorted(found)


class Slurm(test_cli_batch.Batch):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.cluster = Cluster()
        # As one machine does it.
        cls.alone = os.path.join(cls.made, "alone")
        recipe = os.path.join(cls.made, "recipe.json")
        with open(recipe, "w", encoding="utf-8") as file:
            json.dump(SLOW, file)
        subprocess.run([os.path.join(BIN, "surefoot"), "batch", recipe, cls.clips, "-o", cls.alone], check=True,
                       capture_output=True)
        cls.expected = clips_of(cls.alone)

    @classmethod
    def tearDownClass(cls):
        cls.cluster.stop()
        super().tearDownClass()

    def submit(self, *arguments, cwd=None, stdin=None):
        # sbatch takes these before what stands in a script.
        misleading = {"SBATCH_ARRAY_INX": "5-9", "SBATCH_TIMELIMIT": "7"}
        done = subprocess.run([os.path.join(BIN, "surefoot"), "batch", *arguments, "--slurm", "--json"],
                              cwd=cwd or self.folder, env={**self.cluster.environment, **misleading}, input=stdin, capture_output=True,
                              timeout=60, check=False)
        return done.returncode, json.loads(done.stdout) if done.returncode == DONE else done.stderr.decode()

    def lines(self, out, shard):
        path = os.path.join(out, f"manifest-{shard}.jsonl")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8") as file:
            return [json.loads(line)["input"] for line in file.read().split("\n")[:-1]]

    def said(self, folder, name):
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            return file.read()

    def test_an_array_and_its_merge(self):
        """A list on standard input, relative, below a folder whose name Slurm, bash and printf would all read otherwise."""
        home = self.path("lab's \"100 %a\" $HOME é")
        os.mkdir(home)
        os.symlink(self.clips, os.path.join(home, "takes"))
        recipe = os.path.join(home, "recipe.json")
        shutil.copy(os.path.join(self.made, "recipe.json"), recipe)
        listed = "".join(f"takes/{name}\n" for name in sorted(self.expected)).encode()
        given = ("recipe.json", "-", "-o", "out put", "--tasks", "3", "--partition", "main", "--time", "5", "--mem", "200M",
                 "--sbatch", "--comment=mine", "--setup", "echo set up on $SLURM_JOB_NUM_NODES", "--csv", "all clips.csv")
        code, said = self.submit(*given, cwd=home, stdin=listed)
        self.assertEqual(code, DONE, said)
        # What is changed now is not of this submission.
        with open(recipe, "w", encoding="utf-8") as file:
            file.write('{"command": "info"}')
        code, again = self.submit(*given, cwd=home, stdin=listed)
        self.assertEqual(code, WRITE)
        self.assertIn(f"jobs {said['array']} and {said['merge']}, which were submitted before, are not over", again)
        job = self.cluster.jobs(said["merge"])[None]
        self.assertEqual((job["Partition"], job["TimeLimit"], job["MinMemoryNode"], job["Comment"]),
                         ("main", "00:05:00", "200M", "mine"))
        self.cluster.wait_until_over(said["array"], said["merge"])
        tasks = self.cluster.jobs(said["array"])
        self.assertEqual({k: (task["JobState"], task["ExitCode"]) for k, task in tasks.items()},
                         {k: ("COMPLETED", "0:0") for k in (1, 2, 3)}, self.cluster.logs())
        self.assertEqual(self.cluster.jobs(said["merge"])[None]["ExitCode"], "0:0")
        self.assertEqual(said["folder"], os.path.join(home, "out put/slurm/1"))
        out = os.path.join(home, "out put")
        made = clips_of(out)
        self.assertEqual({name[len("takes/"):]: data for name, data in made.items()}, self.expected)
        self.assertIn("6 clips: 6 done, 0 failed\n", self.said(said["folder"], "merge.log"))
        self.assertIn("set up on 1\n", self.said(said["folder"], "task-2.log"))
        self.assertIn("2 clips: 2 done", self.said(said["folder"], "task-2.log"))
        self.assertTrue(os.path.exists(os.path.join(out, "report.html")))
        with open(os.path.join(home, "all clips.csv"), encoding="utf-8", newline="") as file:
            self.assertEqual([row["result"] for row in csv.DictReader(file)], ["done"] * 6)

    def test_a_task_that_is_killed_and_requeued(self):
        """As by a job that may take its node. It goes on where it was: no clip is done twice that came to its end."""
        code, said = self.submit(os.path.join(self.made, "recipe.json"), self.clips, "-o", self.out, "--tasks", "2")
        self.assertEqual(code, DONE, said)
        self.cluster.wait_for(lambda: self.lines(self.out, "1-of-2"), "the first clip")
        processes = processes_of("1/2", os.path.join(said["folder"], "frozen.jsonl"))
        # Held, until Slurm ends it, so that the next two do not come first.
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        self.cluster.say("scontrol", "requeue", said["array"] + "_1")
        self.cluster.wait_for(lambda: not os.path.exists(f"/proc/{processes[0]}"), "the end of the task")
        first = self.lines(self.out, "1-of-2")
        self.assertTrue(0 < len(first) < 3, "it was killed in the middle")
        self.cluster.wait_until_over(said["array"], said["merge"])
        task = self.cluster.jobs(said["array"])[1]
        self.assertEqual((task["JobState"], task["ExitCode"], task["Restarts"]), ("COMPLETED", "0:0", "1"))
        self.assertEqual(self.cluster.jobs(said["merge"])[None]["ExitCode"], "0:0")
        self.assertEqual(clips_of(self.out), self.expected)
        self.assertEqual(self.lines(self.out, "1-of-2")[:len(first)], first)
        self.assertEqual(len(self.lines(self.out, "1-of-2")), 3)
        self.assertIn(f"ended by a signal after {len(first)} of 3 clips", self.said(said["folder"], "task-1.log"))

    def test_a_task_that_fails_and_one_that_dies(self):
        """The others come to their end, the merge says what is wrong, and the same command makes it whole."""
        clips = self.path("takes")
        shutil.copytree(self.clips, clips)
        with open(os.path.join(clips, "day 2", "c.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        given = (os.path.join(self.made, "recipe.json"), "takes", "-o", "out", "--tasks", "3")
        code, said = self.submit(*given)
        self.assertEqual(code, DONE, said)
        frozen = os.path.join(said["folder"], "frozen.jsonl")
        # In order of names c is the fourth, of the first task's part; the second's process dies as those do that take
        # too much memory.
        self.cluster.wait_for(lambda: os.path.exists(os.path.join(self.out, "manifest-2-of-3.jsonl")), "the second task")
        os.kill(processes_of("2/3", frozen)[0], signal.SIGKILL)
        self.cluster.wait_until_over(said["array"], said["merge"])
        tasks = self.cluster.jobs(said["array"])
        self.assertEqual({k: (task["JobState"], task["ExitCode"]) for k, task in tasks.items()},
                         {1: ("FAILED", "3:0"), 2: ("FAILED", "0:9"), 3: ("COMPLETED", "0:0")})
        missing = 2 - len(self.lines(self.out, "2-of-3"))
        self.assertGreater(missing, 0)
        self.assertEqual(self.cluster.jobs(said["merge"])[None]["ExitCode"], "3:0")
        self.assertIn(f"6 clips: {5 - missing} done, 1 failed, {missing} missing", self.said(said["folder"], "merge.log"))
        shutil.copy(os.path.join(self.clips, "day 2", "c.bvh"), os.path.join(clips, "day 2", "c.bvh"))
        code, said = self.submit(*given)
        self.assertEqual(code, DONE, said)
        self.assertEqual(os.path.basename(said["folder"]), "2")
        self.cluster.wait_until_over(said["array"], said["merge"])
        self.assertEqual(self.cluster.jobs(said["merge"])[None]["ExitCode"], "0:0")
        self.assertEqual(clips_of(self.out), self.expected)
        self.assertEqual(len(self.lines(self.out, "3-of-3")), 2, "what was done is not done again")

    def test_what_slurm_does_not_take(self):
        """It is said in Slurm's words, and nothing is left in the queue."""
        recipe = os.path.join(self.made, "recipe.json")
        code, said = self.submit(recipe, self.clips, "-o", self.out, "--partition", "nowhere")
        self.assertEqual(code, WRITE)
        self.assertIn("Invalid partition name specified", said)
        self.assertEqual(self.cluster.say("squeue", "-h"), "")


if __name__ == "__main__":
    reason = what_is_missing()
    if test_cli_batch.surefoot("batch", "--help")[0] != DONE:
        reason = "this build has no `surefoot batch` (no xxhash.h)"
    if reason:
        print("SKIP: " + reason)
        sys.exit(77)
    unittest.main()
