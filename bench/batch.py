#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What `surefoot batch` costs beside what it runs, and what a second core brings: one dataset, all in one run.

batch.py [--clips N] [--folder DIR] [--bin DIR] [--json]: makes N clips (10,000) of 300 frames and 30 joints by
surefoot-make-clips and cleans them three times, by a shell loop over `surefoot clean`, by a batch of one process and by one of as
many as there are cores; the bytes of all three have to be the same. Then, with one process:

  nothing new  the finished batch once more: list, hashes, manifest, page
  start        as many files with nothing in them, each of which fails at once: what a process of its own costs

Both read the manifest and write the page too, which `batch summary` does alone: what it takes is measured and left out of the
overhead, which is both beside the batch of one process; with it the overhead is printed as well. Exit code 1 where bytes
differ or a clip is not done; figures are printed and not judged: they are of this machine, at this moment. DIR needs four
times the clips (some 230 KB each).
"""

import argparse
import filecmp
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))


def run(words, code=0, **how):
    """Wall and processor seconds, and what it printed."""
    os.sync()
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False, **how)
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if code is not None and done.returncode != code:
        sys.exit(f"batch.py: {' '.join(words[:3])} ... ended with {done.returncode}, not {code}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, done.stdout


def files_of(folder):
    found = []
    for at, folders, names in os.walk(folder):
        folders.sort()
        found += [os.path.relpath(os.path.join(at, name), folder) for name in sorted(names) if name.endswith(".bvh")]
    return found


def make_clips(program, folder, count, jobs):
    """Each process makes a part of the numbers."""
    part = -(-count // jobs)
    makers = [subprocess.Popen([program, folder, str(first), str(min(part, count - first))]) for first in range(0, count, part)]
    if any([maker.wait() for maker in makers]):
        sys.exit("batch.py: the clips could not be made")


def compare(first, second, names):
    missing = [name for name in names if not os.path.exists(os.path.join(first, name))]
    _, differ, errors = filecmp.cmpfiles(first, second, names, shallow=False)
    if missing or differ or errors:
        sys.exit(f"batch.py: {second} is not {first}: {(missing + differ + errors)[:3]}")


def measure(options, folder):
    program = os.path.join(options.bin, "surefoot")
    if run([program, "batch", "--help"], code=None)[2] == b"":
        print("SKIP: this build has no `surefoot batch` (no xxhash.h)")
        sys.exit(77)
    cores = len(os.sched_getaffinity(0))
    at = lambda name: os.path.join(folder, name)
    make_clips(os.path.join(options.bin, "surefoot-make-clips"), at("clips"), options.clips, cores)
    names = files_of(at("clips"))
    size = sum(os.path.getsize(os.path.join(at("clips"), name)) for name in names)
    with open(at("clean.json"), "w", encoding="ascii") as file:
        json.dump({"command": "clean"}, file)
    batch = lambda out, jobs, given="clips": [program, "batch", at("clean.json"), at(given), "-o", at(out), "--json", "--jobs", str(jobs)]

    seconds, cpu = {}, {}

    def take(what, words, **how):
        seconds[what], cpu[what], said = run(words, **how)
        return said

    for name in names:
        os.makedirs(os.path.join(at("loop"), os.path.dirname(name)), exist_ok=True)
    take("loop", ["sh", "-c", 'cd "$2" && find . -name "*.bvh" | while read -r f; do "$1" clean "$f" -o "$3/$f" || exit; done', "sh", program,
                  at("clips"), at("loop")])
    said = json.loads(take("one", batch("one", 1)))
    if said["done"] != len(names):
        sys.exit("batch.py: not all clips were done")
    compare(at("loop"), at("one"), names)
    shutil.rmtree(at("loop"))
    take("cores", batch("cores", cores))
    compare(at("one"), at("cores"), names)
    shutil.rmtree(at("cores"))
    if json.loads(take("again", batch("one", 1)))["before"] != len(names):
        sys.exit("batch.py: clips were done again")
    for name in names:
        path = os.path.join(at("empty"), name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        open(path, "wb").close()
    take("start", batch("nothing", 1, "empty"), code=3)

    for what, folder_of in (("page", "one"), ("start_page", "nothing")):
        take(what, [program, "batch", "summary", at(folder_of), "--json"])

    whole = lambda of: 100.0 * (of["start"] + of["again"]) / of["one"]
    share = lambda of: 100.0 * (of["start"] + of["again"] - of["page"] - of["start_page"]) / of["one"]
    return {"clips": len(names), "megabytes": size / 1e6, "cores": cores, "seconds": seconds, "cpu_seconds": cpu,
            "cores_to_one": seconds["one"] / seconds["cores"], "one_to_loop": seconds["loop"] / seconds["one"],
            "overhead_percent": share(seconds), "overhead_cpu_percent": share(cpu), "overhead_with_pages_percent": whole(seconds)}


def show(f):
    clips, mega = f["clips"], f["megabytes"]
    print(f"{clips} clips of 300 frames at 30 joints, {mega:.0f} MB; the outputs of all three runs are the same bytes")
    for what, name in (("loop", "shell loop over surefoot clean"), ("one", "batch, 1 process"), ("cores", f"batch, {f['cores']} processes")):
        s = f["seconds"][what]
        print(f"  {name:32}{s:9.2f} s {clips / s:9.1f} clips/s {mega / s:8.2f} MB/s   {f['cpu_seconds'][what]:9.2f} s of the processor")
    for what, name in (("again", "batch again, nothing new"), ("page", "its manifest and page alone"), ("start", "batch of empty files"),
                       ("start_page", "its manifest and page alone")):
        s = f["seconds"][what]
        print(f"  {name:32}{s:9.2f} s {1e3 * s / clips:9.3f} ms/clip                  {f['cpu_seconds'][what]:9.2f} s of the processor")
    print(f"{f['cores']} processes against 1: {f['cores_to_one']:.2f} times; batch of 1 against the loop: {f['one_to_loop']:.2f} times")
    print(f"start and hashing: {f['overhead_percent']:.1f} % of the batch of 1 process, {f['overhead_cpu_percent']:.1f} % of its processor time "
          f"({f['overhead_with_pages_percent']:.1f} % with manifests and pages)")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--clips", type=int, default=10000)
    parser.add_argument("--folder", help="where the clips are made, and removed again (the system's for temporary files)")
    parser.add_argument("--bin", default=os.path.join(os.path.dirname(HERE), "build", "bin"), help="folder of the programs")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.bin = os.path.abspath(options.bin)
    if options.clips < 1:
        parser.error("--clips wants 1 or more")
    if options.folder and not os.path.isdir(options.folder):
        parser.error("--folder: there is no folder " + options.folder)
    with tempfile.TemporaryDirectory(prefix="surefoot-bench-", dir=options.folder) as folder:
        figures = measure(options, os.path.abspath(folder))
    if options.json:
        print(json.dumps(figures, indent=1))
    else:
        show(figures)


if __name__ == "__main__":
    main()
