#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""`surefoot batch` on more than one machine: frozen batches, merges, and what is written for Slurm and said to it.

Slurm's programs are stood in for by scripts that note how they were called; tests/slurm has the real ones. SFT_BIN is
the folder of the programs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import unittest

import test_cli_batch
from test_cli_batch import BIN, DONE, READ, USAGE, WRITE, surefoot, tree

# Notes its words and some of its environment; says what it is told to, with the code that it is told.
STAND_IN = """#!/bin/bash
here=$(dirname "$0") name=$(basename "$0")
printf '%s\\0' "$name" "$@" >>"$here/calls"
printf '\\n' >>"$here/calls"
env >>"$here/environment"
[ ! -e "$here/$name.error" ] || cat "$here/$name.error" >&2
if [ "$1" = --parsable ] && [ -e "$here/$name.fails.$(basename "${@: -1}")" ]; then exit 1; fi
[ ! -e "$here/$name.says" ] || cat "$here/$name.says"
[ "$name" != squeue ] || [ -e "$here/squeue.says" ] || { echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1; }
"""


class Shards(test_cli_batch.Batch):
    def setUp(self):
        super().setUp()
        self.home = self.path("it's \"a $HOME\" `%a`; é\nhere")
        os.mkdir(self.home)
        os.symlink(self.clips, os.path.join(self.home, "takes"))
        self.recipe_there(command="clean")
        self.slurm = self.path("slurm")
        os.mkdir(self.slurm)
        for name in ("sbatch", "squeue", "scancel"):
            with open(os.path.join(self.slurm, name), "w", encoding="ascii") as file:
                file.write(STAND_IN)
            os.chmod(file.name, 0o755)
        self.told("sbatch.says", "1234\n")

    def recipe_there(self, **members):
        with open(os.path.join(self.home, "clean.json"), "w", encoding="utf-8") as file:
            json.dump(members, file)

    def told(self, name, text):
        with open(os.path.join(self.slurm, name), "w", encoding="utf-8") as file:
            file.write(text)

    def calls(self):
        path = os.path.join(self.slurm, "calls")
        if not os.path.exists(path):
            return []
        with open(path, encoding="utf-8", newline="") as file:
            # Words may hold ends of lines, but a call ends with a zero and one.
            return [call.split("\0") for call in file.read().split("\0\n")[:-1]]

    def run_there(self, *words, path=None, stdin=None, **more):
        done = subprocess.run([os.path.join(BIN, "surefoot"), "batch", *words], cwd=self.home, input=stdin, timeout=300,
                              env={**os.environ, "PATH": path or self.slurm + ":" + os.environ["PATH"], **more},
                              capture_output=True, check=False)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def submit(self, *more, **how):
        return self.run_there("clean.json", "takes", "-o", "out", "--slurm", *more, **how)

    def submitted(self, *more, **how):
        code, out, err = self.submit("--json", *more, **how)
        self.assertEqual(code, DONE, out + err)
        return json.loads(out)

    def run_script(self, folder, name, **more):
        """As a node does: from anywhere."""
        return subprocess.run(["bash", os.path.join(folder, name)], cwd="/", env={**os.environ, **more},
                              capture_output=True, text=True, check=False)


class Submits(Shards):
    def test_scripts_do_what_one_machine_does(self):
        expected = self.path("alone")
        self.batch(os.path.join(self.home, "clean.json"), out=expected)
        said = self.submitted("--tasks", "4", "--jobs", "2", "--csv", "all 'clips'.csv")
        self.assertEqual((said["array"], said["tasks"], said["clips"]), ("1234", 4, 6))
        folder = os.path.join(self.home, "out/slurm/1")
        self.assertEqual(said["folder"], folder)
        log = folder.replace("%", "%%")
        self.assertEqual(self.calls(), [
            ["sbatch", "--parsable", f"--output={log}/task-%a.log", f"{folder}/array.sh"],
            ["sbatch", "--parsable", "--dependency=afterany:1234", f"--output={log}/merge.log", f"{folder}/merge.sh"]])
        for k in (3, 1, 4, 2):
            task = self.run_script(folder, "array.sh", SLURM_ARRAY_TASK_ID=str(k))
            self.assertEqual(task.returncode, DONE, task)
        merge = self.run_script(folder, "merge.sh")
        self.assertEqual(merge.returncode, DONE, merge)
        self.assertIn("6 clips: 6 done, 0 failed\n", merge.stdout)
        out = os.path.join(self.home, "out")
        self.assertEqual({name: data for name, data in tree(out).items() if not name.startswith("slurm/")}, tree(expected))
        self.assertTrue(os.path.exists(os.path.join(self.home, "all 'clips'.csv")))
        # The same here, and by a run of one machine, is done already: nothing depends on the way there.
        self.assertEqual(json.loads(self.run_there("clean.json", "takes", "-o", "out", "--json")[1])["before"], 6)
        # Outside of an array a task knows no number.
        self.assertNotEqual(self.run_script(folder, "array.sh").returncode, DONE)

    def test_options_of_the_cluster(self):
        given = ("--tasks", "5", "--at-once", "2", "--jobs", "3", "--partition", "a,b", "--account", "lab", "--qos", "long",
                 "--time", "1-00:00", "--mem", "8G", "--sbatch", "--constraint=big", "--sbatch", "--mail-type=END",
                 "--setup", "module load 'x y'", "--setup", "echo ready", "--retry")
        code, shown, err = self.submit("--dry-run", *given)
        self.assertEqual(code, DONE, err)
        # It shows and does nothing.
        self.assertEqual((self.calls(), sorted(os.listdir(self.home))), ([], ["clean.json", "takes"]))
        folder = self.submitted(*given)["folder"]
        texts = {}
        for name in ("array.sh", "merge.sh"):
            with open(os.path.join(folder, name), encoding="utf-8", newline="") as file:
                texts[name] = file.read()
            self.assertIn(f"# {name}\n{texts[name]}\n", shown)
            self.assertEqual(subprocess.run(["bash", "-n", file.name], check=False).returncode, 0)
        # sbatch reads as far as the first command.
        heads = {name: [line[8:] for line in text.split("\n\n")[0].split("\n") if line.startswith("#SBATCH ")]
                 for name, text in texts.items()}
        both = ["--partition=a,b", "--account=lab", "--qos=long", "--time=1-00:00", "--mem=8G", "--requeue",
                "--open-mode=append", "--constraint=big", "--mail-type=END"]
        self.assertEqual(heads["array.sh"], ["--job-name=surefoot-clean", "--array=1-5%2", "--nodes=1", "--ntasks=1",
                                             "--cpus-per-task=3", *both])
        self.assertEqual(heads["merge.sh"], ["--job-name=surefoot-clean-merge", "--nodes=1", "--ntasks=1",
                                             "--cpus-per-task=1", *both])
        self.assertIn("\nmodule load 'x y'\necho ready\ncd -- '", texts["array.sh"])
        self.assertTrue(texts["array.sh"].endswith(" --shard \"${SLURM_ARRAY_TASK_ID:?}/5\" --jobs 3 --wait --retry\n"))
        self.assertTrue(texts["merge.sh"].endswith(" --merge\n"))
        # What is shown can be given to a shell.
        self.told("calls", "")
        shell = subprocess.run(["bash", "-c", shown.split("# Submitted so:\n")[1]], capture_output=True, check=False,
                               env={**os.environ, "PATH": self.slurm + ":" + os.environ["PATH"]})
        self.assertEqual(shell.returncode, 0, shell)
        self.assertEqual([call[-1] for call in self.calls()], [f"{folder}/array.sh", f"{folder}/merge.sh"])

    def test_defaults(self):
        with open(os.path.join(self.submitted()["folder"], "array.sh"), encoding="utf-8", newline="") as file:
            text = file.read()
        # No more tasks than clips; what the cluster has of its own is left to it.
        self.assertIn("#SBATCH --array=1-6\n", text)
        for option in ("partition", "account", "qos", "time", "mem"):
            self.assertNotIn(f"--{option}", text)

    def test_the_environment_makes_no_other_array_of_it(self):
        """sbatch takes it before what stands in a script; what was given goes before both."""
        self.submitted("--account", "lab", SBATCH_ARRAY_INX="1-2", SBATCH_WAIT="1", SBATCH_PARTITION="kept",
                       SBATCH_ACCOUNT="other")
        with open(os.path.join(self.slurm, "environment"), encoding="utf-8") as file:
            seen = [line.split("=")[0] for line in file if line.startswith("SBATCH_")]
        self.assertEqual(set(seen), {"SBATCH_PARTITION"})

    def test_a_list_on_standard_input_is_kept(self):
        code, _, err = self.run_there("clean.json", "-", "-o", "out", "--slurm", stdin=b"takes/a.bvh\ntakes/day 2/c.bvh\n")
        self.assertEqual(code, DONE, err)
        folder = os.path.join(self.home, "out/slurm/1")
        self.assertEqual(self.run_script(folder, "array.sh", SLURM_ARRAY_TASK_ID="2").returncode, DONE)
        self.assertEqual(self.run_script(folder, "merge.sh").returncode, READ)
        self.assertTrue(os.path.exists(os.path.join(self.home, "out/takes/day 2/c.bvh")))

    def test_clusters_that_greet(self):
        self.told("sbatch.says", "-----\n  Welcome to the 1st cluster\n-----\n--> Verifying job request...OK\n77;east\n")
        self.told("sbatch.error", "sbatch: using account lab\n")
        code, out, err = self.submit()
        self.assertEqual((code, err), (DONE, "sbatch: using account lab\n" * 2))
        self.assertIn("job 77;", out)
        self.assertIn("--dependency=afterany:77", self.calls()[1])

    def test_sbatch_that_is_not_there(self):
        nothing = self.path("nothing")
        os.mkdir(nothing)
        code, _, err = self.submit(path=nothing)
        self.assertEqual(code, WRITE)
        self.assertIn("sbatch is not found", err)
        self.assertEqual(self.submit("--dry-run", path=nothing)[0], DONE)

    def test_jobs_that_are_not_taken(self):
        self.told("sbatch.error", "sbatch: error: Batch job submission failed: Invalid job array specification\n")
        self.told("sbatch.fails.array.sh", "")
        code, _, err = self.submit()
        self.assertEqual(code, WRITE)
        self.assertIn("Invalid job array specification (`scontrol show config` says", err)
        self.assertEqual(len(self.calls()), 1)
        # An array without its merge is taken back.
        os.rename(os.path.join(self.slurm, "sbatch.fails.array.sh"), os.path.join(self.slurm, "sbatch.fails.merge.sh"))
        code, _, err = self.submit()
        self.assertEqual(code, WRITE)
        self.assertIn("the array, job 1234, was cancelled", err)
        self.assertEqual(self.calls()[-1], ["scancel", "1234"])
        # The next is the first that was submitted.
        os.remove(os.path.join(self.slurm, "sbatch.fails.merge.sh"))
        self.assertEqual(os.path.basename(self.submitted()["folder"]), "1")
        self.told("sbatch.says", "no number\n")
        code, _, err = self.submit()
        self.assertEqual(code, WRITE)

    def test_submitted_twice(self):
        self.submitted()
        self.told("squeue.says", "1234_[3-6]\n")
        code, _, err = self.submit()
        self.assertEqual(code, WRITE)
        self.assertIn("jobs 1234 and 1234, which were submitted before, are not over", err)
        self.assertEqual(self.calls()[-1], ["squeue", "--noheader", "--format=%i", "--jobs", "1234,1234"])
        # Over, and still known; over, and forgotten.
        self.told("squeue.says", "")
        self.assertEqual(os.path.basename(self.submitted()["folder"]), "2")
        os.remove(os.path.join(self.slurm, "squeue.says"))
        self.assertEqual(os.path.basename(self.submitted()["folder"]), "3")

    def test_command_lines_that_say_nothing(self):
        for words, part in ((("--dry-run",), "--dry-run goes with --slurm"), (("--mem", "3G"), "--mem goes with --slurm"),
                            (("--slurm", "--shard", "1/2"), "whole list"), (("--slurm", "--merge"), "--merge does no clip"),
                            (("--merge", "--retry"), "--merge does no clip"), (("--slurm", "--tasks", "0"), "--tasks"),
                            (("--slurm", "--freeze", "x"), "freezes the batch by itself"),
                            (("--slurm", "--partition", "a b"), "--partition is one word"),
                            (("--slurm", "--time", "1:00\n#SBATCH --x"), "--time is one word"),
                            (("--slurm", "--sbatch", "constraint=x"), "--sbatch takes an option"),
                            (("--slurm", "--sbatch", "--x\ny"), "--sbatch takes an option"),
                            (("--slurm", "--sbatch", "--array=1-3"), "batch's own"),
                            (("--slurm", "--sbatch", "-a1-3"), "batch's own"),
                            (("--slurm", "--setup", "a\nb"), "one line"),
                            (("--frozen", "x"), "stand in its file")):
            with self.subTest(words):
                code, _, err = self.run_there("clean.json", "takes", "-o", "out", *words)
                self.assertEqual(code, USAGE, err)
                self.assertIn(part, err)
        code, _, err = self.run_there("clean.json", "takes", "-o", "back\\slash", "--slurm")
        self.assertEqual(code, USAGE)
        self.assertIn("no backslash", err)
        self.assertEqual(self.calls(), [])


class Freezes(Shards):
    def frozen(self, *words):
        return self.run_there("--frozen", "frozen.jsonl", "--json", *words)

    def freeze(self):
        code, _, err = self.run_there("clean.json", "takes", "-o", "out", "--freeze", "frozen.jsonl")
        self.assertEqual(code, DONE, err)
        with open(os.path.join(self.home, "frozen.jsonl"), "rb") as file:
            return file.read()

    def page(self):
        with open(os.path.join(self.home, "out", "report.html"), encoding="utf-8") as file:
            return file.read()

    def test_it_is_what_it_was(self):
        """Shards are parts of one list, whatever came into the folder between them, and of one recipe."""
        takes = os.path.join(self.home, "takes")
        os.remove(takes)
        shutil.copytree(self.clips, takes)
        os.rename(os.path.join(takes, "b.bvh"), os.path.join(os.fsencode(takes), b"caf\xe9 \"b\"\n.bvh"))
        self.freeze()
        self.assertEqual(json.loads(self.frozen("--shard", "1/2")[1])["done"], 3)
        shutil.copy(os.path.join(takes, "a.bvh"), os.path.join(takes, "a0.bvh"))
        self.recipe_there(command="info")
        self.assertEqual(json.loads(self.frozen("--shard", "2/2")[1])["done"], 3)
        code, said, _ = self.frozen("--merge")
        self.assertEqual((code, json.loads(said)["done"], json.loads(said)["missing"]), (DONE, 6, 0))
        self.assertIn(b"caf\xe9 \"b\"\n.bvh", os.listdir(os.fsencode(os.path.join(self.home, "out"))))

    def test_words_of_the_recipe_mean_what_they_did(self):
        """Its folder is where it was when it was frozen, relative as then."""
        os.mkdir(os.path.join(self.home, "recipes"))
        self.recipe_there(command="contacts")
        self.assertEqual(self.run_there("clean.json", "takes/day 2", "-o", "recipes/labels")[0], DONE)
        with open(os.path.join(self.home, "recipes", "r.json"), "w", encoding="utf-8") as file:
            json.dump({"command": "clean", "options": {"contacts": "{recipe}/labels/{name}.csv"}}, file)
        code, _, err = self.run_there("recipes/r.json", "takes/day 2", "-o", "out", "--freeze", "frozen.jsonl")
        self.assertEqual(code, DONE, err)
        os.remove(os.path.join(self.home, "recipes", "r.json"))
        self.assertEqual(json.loads(self.frozen("--shard", "2/2")[1])["done"], 1)
        self.assertEqual(json.loads(self.frozen()[1])["before"], 1)
        # Labels are not kept; a merge sees that others are meant.
        with open(os.path.join(self.home, "recipes", "labels", "c.csv"), "a", encoding="utf-8") as file:
            file.write("\n")
        self.assertEqual(json.loads(self.frozen("--merge")[1])["missing"], 1)

    def test_a_merge_says_what_is_missing(self):
        takes = os.path.join(self.home, "takes")
        os.remove(takes)
        shutil.copytree(self.clips, takes)
        with open(os.path.join(takes, "z.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        self.freeze()
        for shard, figures in (("1/2", (3, 1, 3)), ("2/2", (6, 1, 0))):
            self.frozen("--shard", shard)
            code, said, err = self.frozen("--merge", "--csv", "all.csv")
            said = json.loads(said)
            self.assertEqual((code, (said["done"], said["failed"], said["missing"])), (READ, figures), err)
        self.assertEqual(self.page().count("missing"), 0)
        # Done once, but not as it is now: missing, and not in the page.
        shutil.copy(os.path.join(takes, "b.bvh"), os.path.join(takes, "a.bvh"))
        os.remove(os.path.join(self.home, "out", "day 2", "c.bvh"))
        said = json.loads(self.frozen("--merge", "--csv", "all.csv")[1])
        self.assertEqual((said["done"], said["failed"], said["missing"]), (4, 1, 2))
        self.assertIn("5 clips: 4 done, 1 not, and 2 missing", self.page())
        with open(os.path.join(self.home, "all.csv"), encoding="utf-8") as file:
            self.assertEqual([line.split(",")[0] for line in file][1:],
                             ["a2.glb", "b.bvh", "day 2/runs/d.bvh", "day 2/runs/é.bvh", "z.bvh"])

    def test_a_merge_before_any_shard(self):
        """All is missing, by name, and nothing else is wrong."""
        self.freeze()
        names = ["a.bvh", "a2.glb", "b.bvh", "day 2/c.bvh", "day 2/runs/d.bvh", "day 2/runs/é.bvh"]
        code, said, err = self.frozen("--merge")
        said = json.loads(said)
        self.assertEqual((code, err, said["missing"], said["missing_clips"]), (READ, "", 6, names))
        code, said, _ = self.run_there("--frozen", "frozen.jsonl", "--merge")
        self.assertEqual(code, READ)
        self.assertIn("6 clips: 0 done, 0 failed, 6 missing", said)
        self.assertEqual([line.split(maxsplit=1)[1] for line in said.splitlines() if line.startswith("  missing ")], names)
        self.assertIn("<li>day 2/runs/é.bvh</li>", self.page())
        # What shards do later is not in its way.
        self.frozen("--shard", "1/2")
        self.assertEqual(json.loads(self.frozen("--merge")[1])["missing_clips"], names[1::2])

    def test_files_that_are_none(self):
        whole = self.freeze()
        head, clip = whole.split(b"\n")[:2]
        bad = [b"", b"\n", b"[]\n", b"{}\n", b"HIERARCHY\n", head, whole[:-1], clip + b"\n", head + b"\n", head + b"\n" + head + b"\n",
               whole.replace(b'"frozen":1', b'"frozen":2'), whole.replace(b'"input":"a.bvh"', b'"input":"../a.bvh"'),
               whole.replace(b'"input":"a.bvh"', b'"input":"/a.bvh"'), whole.replace(b'"output":"out"', b'"output":""'),
               whole + clip + b"\n", whole.replace(b"clean", b"cleanse")]
        bad += [whole[:size] for size in range(1, len(whole), 17)] + [whole[:whole[:-1].rindex(b"\n") + 1]]
        for text in bad:
            with self.subTest(text[-60:]):
                with open(os.path.join(self.home, "frozen.jsonl"), "wb") as file:
                    file.write(text)
                code, out, err = self.frozen("--merge")
                self.assertIn(code, (READ, USAGE), err)
                self.assertEqual((out, err.count("\n")), ("", 1))

    def page_of_docs(self):
        with open(os.path.join(os.path.dirname(test_cli_batch.HERE), "docs", "batch.md"), encoding="utf-8") as file:
            return file.read()

    def run_shards(self, commands):
        """Each command line in a shell, with more variables."""
        for words, more in commands:
            task = subprocess.run(["sh", "-c", words.replace("/data/", "")], cwd=self.home, capture_output=True, check=False,
                                  env={**os.environ, "PATH": BIN + ":" + os.environ["PATH"], **more})
            self.assertEqual(task.returncode, DONE, task)

    def shards_done(self):
        return sorted(int(re.search(r"manifest-(\d+)-of-16", name)[1]) for name in os.listdir(os.path.join(self.home, "out"))
                      if name.startswith("manifest-"))

    def test_gnu_parallel_as_the_page_has_it(self):
        words, count = re.search(r"^parallel .*?(surefoot .*?) ::: \$\(seq (\d+)\)$", self.page_of_docs(), re.M).groups()
        self.run_there("clean.json", "takes", "-o", "out", "--freeze", "batch.jsonl")
        self.run_shards((words.replace("{}", str(k)), {}) for k in range(1, int(count) + 1))
        self.assertEqual(self.shards_done(), list(range(1, 17)))
        self.assertEqual(json.loads(self.run_there("--frozen", "batch.jsonl", "--merge", "--json")[1])["done"], 6)

    def test_the_job_of_kubernetes_as_the_page_has_it(self):
        """What stands there is YAML and an indexed job, as its reference has it; Kubernetes counts pods from 0."""
        try:
            import yaml
        except ImportError:
            self.skipTest("no python3-yaml")
        job = yaml.safe_load(re.search(r"^```yaml\n(.*?)^```$", self.page_of_docs(), re.M | re.S)[1])
        self.assertEqual((job["apiVersion"], job["kind"], set(job)), ("batch/v1", "Job", {"apiVersion", "kind", "metadata", "spec"}))
        self.assertRegex(job["metadata"]["name"], r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
        spec = job["spec"]
        self.assertEqual({key: type(value) for key, value in spec.items()},
                         {"completions": int, "parallelism": int, "completionMode": str, "backoffLimit": int, "template": dict})
        self.assertEqual((spec["completionMode"], spec["completions"]), ("Indexed", 16))
        self.assertLessEqual(spec["parallelism"], spec["completions"])
        pod = spec["template"]["spec"]
        self.assertEqual((set(pod), pod["restartPolicy"]), ({"restartPolicy", "containers", "volumes"}, "Never"))
        (container,) = pod["containers"]
        self.assertEqual(set(container), {"name", "image", "command", "args", "resources", "volumeMounts"})
        self.assertEqual(container["command"], ["sh", "-c"])
        for kind in container["resources"].values():
            self.assertTrue(all(re.fullmatch(r"\d+(Gi)?", value) for value in kind.values()), kind)
        self.assertEqual({mount["name"] for mount in container["volumeMounts"]}, {volume["name"] for volume in pod["volumes"]})
        self.assertTrue(all(mount["mountPath"] == "/data" for mount in container["volumeMounts"]))
        (words,) = container["args"]
        self.assertNotIn("\n", words)
        self.run_there("clean.json", "takes", "-o", "out", "--freeze", "batch.jsonl")
        self.run_shards((words, {"JOB_COMPLETION_INDEX": str(k)}) for k in range(spec["completions"]))
        self.assertEqual(self.shards_done(), list(range(1, 17)))
        self.assertEqual(json.loads(self.run_there("--frozen", "batch.jsonl", "--merge", "--json")[1])["done"], 6)

    def test_a_pod_whose_clips_fail_is_not_begun_again(self):
        job = re.search(r"args:\n +- >-\n((?: {14}[^\n]*\n)+)", self.page_of_docs())[1]
        takes = os.path.join(self.home, "takes")
        os.remove(takes)
        os.mkdir(takes)
        with open(os.path.join(takes, "a.bvh"), "w", encoding="utf-8") as file:
            file.write("no motion")
        self.run_there("clean.json", "takes", "-o", "out", "--freeze", "batch.jsonl")
        # The shard ends with code 3, and its pod with 0; a batch that is not there is the pod's failure.
        self.run_shards([(" ".join(job.split()), {"JOB_COMPLETION_INDEX": "0"})])
        self.assertEqual(self.run_there("--frozen", "batch.jsonl", "--shard", "1/16")[0], READ)

    def test_file_systems_without_locks(self):
        shim = os.environ.get("SFT_NO_LOCKS")
        if not shim:
            self.skipTest("SFT_NO_LOCKS is not set")
        code, out, err = self.run_there("clean.json", "takes", "-o", "out", LD_PRELOAD=shim)
        self.assertEqual(code, DONE, err)
        self.assertIn("has no locks", err)
        self.assertIn("6 done", out)


if __name__ == "__main__":
    if surefoot("batch", "--help")[0] != DONE:
        print("SKIP: this build has no `surefoot batch` (no xxhash.h)")
        sys.exit(77)
    unittest.main()
