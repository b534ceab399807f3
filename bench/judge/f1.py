#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""F1 = 2TP / (predicted + true) of contact labels.

usage: f1.py touch LABELS.csv CONTACTS.json     the :touch columns against force-plate contacts
       f1.py plants A.csv B.csv                 plant columns of two label files (B may be a BVH: its plain rule)
       f1.py touch-from-plants LABELS.csv CONTACTS.json   the plant columns against force plates (what the plain rule gets)

Feet are pooled; each foot is printed as well. For plants, frames next to a boundary of either labelling are not
counted (both frames of every change go).
"""

import argparse
import json
import sys

import numpy as np

import plants
from scene import Scene


def contact_truth(path):
    """{side: (joint names of the foot, bool array)} from a contacts file."""
    with open(path, encoding="utf-8") as file:
        data = json.load(file)
    return {side: (data["joints_" + side], np.array(data["contact_" + side], bool)) for side in ("right", "left")}


def touch_pairs(labels, truth, suffix=":touch"):
    """[(column, predicted, true)] of the columns whose foot belongs to a side of the truth."""
    out = []
    for side, (joints, true) in truth.items():
        names = [j + suffix for j in joints if j + suffix in labels]
        if not names:
            raise ValueError("no column for the %s foot (looked for %s)" % (side, ", ".join(j + suffix for j in joints)))
        predicted = labels[names[0]]
        if len(predicted) != len(true):
            raise ValueError("%s: %d frames, the truth has %d" % (names[0], len(predicted), len(true)))
        out.append((names[0], predicted, true))
    return out


def pooled(pairs, masks=None):
    """F1 over all feet together."""
    masks = masks or [np.ones(len(p), bool) for _, p, _ in pairs]
    predicted = np.concatenate([p[m] for (_, p, _), m in zip(pairs, masks)])
    true = np.concatenate([t[m] for (_, _, t), m in zip(pairs, masks)])
    return plants.f1(predicted, true)


def plant_columns(path):
    if str(path).lower().endswith(".bvh"):
        return Scene(path).plain_plants()
    return {k: v for k, v in plants.read_labels(path).items() if not k.endswith(":touch")}


def plant_agreement(a, b):
    """(pooled F1, {foot: F1}, frames counted) of two {foot: labels}, boundaries of either left out."""
    if set(a) != set(b):
        raise ValueError("feet differ: %s / %s" % (sorted(a), sorted(b)))
    pairs = [(foot, a[foot], b[foot]) for foot in a]
    masks = [plants.away_from_boundaries(p, t) for _, p, t in pairs]
    per_foot = {foot: plants.f1(p, t, m) for (foot, p, t), m in zip(pairs, masks)}
    return pooled(pairs, masks), per_foot, int(sum(m.sum() for m in masks))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("touch", "plants", "touch-from-plants"))
    parser.add_argument("labels")
    parser.add_argument("truth")
    args = parser.parse_args()
    try:
        if args.what == "plants":
            total, per_foot, counted = plant_agreement(plant_columns(args.labels), plant_columns(args.truth))
            for foot, value in per_foot.items():
                print("%-28s F1 %.4f" % (foot, value))
            print("plants F1 %.4f over %d counted frames" % (total, counted))
        else:
            suffix = ":touch" if args.what == "touch" else ""
            labels = plant_columns(args.labels) if args.labels.lower().endswith(".bvh") else plants.read_labels(args.labels)
            pairs = touch_pairs(labels, contact_truth(args.truth), suffix)
            for name, p, t in pairs:
                print("%-28s F1 %.4f (predicted %d, true %d of %d)" % (name, plants.f1(p, t), p.sum(), t.sum(), len(t)))
            print("touch F1 %.4f" % pooled(pairs))
    except (ValueError, OSError, KeyError) as error:
        print("f1: %s" % error, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
