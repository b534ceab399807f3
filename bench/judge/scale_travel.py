#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Scales the horizontal travel of a clip about its first frame that is no reference pose.

usage: scale_travel.py IN.bvh FACTOR OUT.bvh [--unit M] [--up Y]

The judge's own counterpart of `surefoot convert --root-scale`, so that the two can be compared.
"""

import argparse

import bvh
from scene import Scene, scale_travel

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("factor", type=float)
    parser.add_argument("target")
    parser.add_argument("--unit", type=float)
    parser.add_argument("--up")
    args = parser.parse_args()
    bvh.write(scale_travel(Scene(args.source, args.unit, args.up), args.factor), args.target)
