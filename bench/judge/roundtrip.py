#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Reads and writes clips with the program and compares what comes back, number for number, with the judge's reader.

usage: roundtrip.py [--surefoot build/bin/surefoot] FILE.bvh...

Compared as doubles: OFFSETs, frame time, every channel number; as text: names, channel lists, the tree. `info` must
give the same joint and frame counts, and say the same of position channels only in effect: a clip with both readings
would give other bone lengths. Exit status 1 if any file differs.
"""

import argparse
import os
import sys
import tempfile

import numpy as np

import bvh
from program import Program, ProgramError


def differences(program, path, folder):
    """Sentences on what differs; empty when all is equal."""
    target = os.path.join(folder, "copy.bvh")
    out = []
    a = bvh.read(path)
    info = program.info(path)
    joints = sum(not node.is_end for node in a.nodes)
    for name, want in (("joints", joints), ("frames", a.frames)):
        if info.get(name) != want:
            out.append("info says %s %s, the judge reads %d" % (name, info.get(name), want))
    if info.get("frame_time") != a.frame_time:
        out.append("info says frame_time %r, the judge reads %r" % (info.get("frame_time"), a.frame_time))
    program.copy(path, target)
    b = bvh.read(target)
    tree = lambda c: [(n.name, n.parent, n.is_end, n.channels) for n in c.nodes]
    if tree(a) != tree(b):
        out.append("the tree, names or channels differ")
    elif any(not np.array_equal(n.offset, m.offset) for n, m in zip(a.nodes, b.nodes)):
        out.append("OFFSETs differ: %s" % [n.name for n, m in zip(a.nodes, b.nodes) if (n.offset != m.offset).any()][:5])
    if a.frame_time != b.frame_time:
        out.append("frame time %r became %r" % (a.frame_time, b.frame_time))
    if a.values.shape != b.values.shape:
        out.append("%s numbers became %s" % (a.values.shape, b.values.shape))
    elif (a.values != b.values).any():
        frame, column = np.argwhere(a.values != b.values)[0]
        out.append("%d numbers differ, first in frame %d column %d: %r became %r" % (
            (a.values != b.values).sum(), frame, column, a.values[frame, column], b.values[frame, column]))
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--surefoot", default="build/bin/surefoot")
    parser.add_argument("files", nargs="+")
    args = parser.parse_args()
    program, failed = Program(os.path.abspath(args.surefoot)), 0
    with tempfile.TemporaryDirectory(prefix="surefoot-roundtrip-") as folder:
        for path in args.files:
            try:
                found = differences(program, path, folder)
            except (ProgramError, ValueError, OSError) as error:
                found = [str(error)]
            failed += bool(found)
            print("%s  %s%s" % ("FAIL" if found else "same", path, "".join("\n      " + text for text in found)))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
