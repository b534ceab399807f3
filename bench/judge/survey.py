#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Prints what the judge sees in clips: unit, up, legs, plain-rule plants, accelerations of the leg joints.

usage: survey.py FILE.bvh...
"""

import argparse
import sys

import numpy as np

import bvh
import plants
from rotations import angular_acceleration
from scene import Scene


def describe(path, out=sys.stdout):
    s = Scene(path)
    clip = s.clip
    print("%s: %d frames, dt %g, unit %g m, up %s%s, class %s%s%s" % (
        path, clip.frames, s.dt, s.unit, "-" if s.up[1] < 0 else "", "XYZ"[s.up[0]], s.kind,
        ", reference frames %s" % np.flatnonzero(s.reference).tolist() if s.reference.any() else "",
        ", additive positions: %s" % ",".join(n.name for n in clip.nodes if n.additive)[:60]
        if any(n.additive for n in clip.nodes) else ""), file=out)
    for warning in clip.warnings:
        print("   warning: " + warning, file=out)
    if not s.legs:
        print("   no legs", file=out)
        return
    print("   travel joint %s" % clip.nodes[s.travel].name, file=out)
    for leg in s.legs:
        print("   %s" % leg.describe(clip), file=out)
    if clip.frames < 4:
        return
    for leg in s.legs:
        label = plants.plain_rule(s.path_of(leg.toe), s.dt)
        x = s.path_of(leg.toe)
        pair = label[1:] & label[:-1]
        slide = np.linalg.norm(x[1:] - x[:-1], axis=1)[pair] / s.dt * 100
        print("   %s: plants %s%s" % (leg.name, plants.runs(label),
              ", slide cm/s mean %.2f max %.2f" % (slide.mean(), slide.max()) if len(slide) else ""), file=out)
    keep = ~(s.reference[:-2] | s.reference[1:-1] | s.reference[2:])
    rows = [s.legs[0].pelvis] + [i for leg in s.legs for i in leg.chain(clip)]
    for i in dict.fromkeys(rows):
        a = angular_acceleration(s.pose.local[:, i], s.dt)[keep]
        b = angular_acceleration(s.pose.model[:, i], s.dt)[keep]
        print("   acc %-24s local p50 %9.3f p99.9 %9.1f max %9.1f   model p99.9 %9.1f max %9.1f%s" % (
            clip.nodes[i].name, np.median(a), np.percentile(a, 99.9), a.max(), np.percentile(b, 99.9), b.max(),
            "   <-- NO LOCAL TURN" if np.percentile(a, 99.9) < 1e-3 else ""), file=out)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+")
    for path in parser.parse_args().files:
        try:
            describe(path)
        except bvh.BvhError as error:
            print("%s: %s" % (path, error))


if __name__ == "__main__":
    main()
