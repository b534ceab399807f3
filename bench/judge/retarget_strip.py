#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Draws a retargeted motion beside its source as a PNG: what figures do not see, eyes do.

usage: retarget_strip.py SOURCE MADE OUT.png --onto TARGET [--clip NAME] [--count N] [--frames A:B]

Four rows a strip: the source from the front and from its left, then the made figure at the same frames. Both are turned
along with the source's hips and drawn as large as each other. Left limbs are blue, right ones red; thumbs are orange and
the foot's front is thick; the line is the ground that planted feet stand on.
"""

import argparse

import numpy as np

import retarget_judge
import retarget_measure as measure
from retarget_figure import unit_vector
from retarget_rigs import SIDES
from strip import COLOURS, Picture

LEG, WIDTH, UP, DOWN = 80.0, 190, 150, 105  # pixels: a leg, a panel, over and under the pelvis
THUMB, GROUND = (230, 140, 0), (170, 150, 120)


def sides_of(figure):
    """{node: left, right or other} of pelvis and below."""
    pelvis = figure.joint("pelvis")
    out = {i: "other" for i in [pelvis] + figure.below(pelvis)}
    for side in SIDES:
        for part in ("arm", "hip"):
            top = figure.joint(part, side)
            if top is not None:
                out.update({i: side for i in [top] + figure.below(top)})
        thumb = figure.joint("thumb", side)
        if thumb is not None:
            out.update({i: "thumb" for i in [thumb] + figure.below(thumb)})
    return out


def size_of(figure):
    """What is drawn LEG pixels long: a leg, or half the body where legs are short."""
    p = figure.rest_position[sorted(set(figure.joints.values())), 1]
    return max(figure.leg_length(), 0.48 * float(np.ptp(p)))


def draw(picture, figure, frame, turn, floor, left, top, view):
    """One figure in one panel; turn: about the vertical, into the panel's own front."""
    c, s = np.cos(-turn), np.sin(-turn)
    p = (figure.position[frame] - figure.position[frame, figure.joint("pelvis")]) * (LEG / size_of(figure))
    x, z = c * p[:, 0] + s * p[:, 2], -s * p[:, 0] + c * p[:, 2]
    across = x if view == "front" else z
    to = lambda i: (left + WIDTH / 2 + across[i], top + UP - p[i, 1])
    ground = (floor - figure.position[frame, figure.joint("pelvis"), 1]) * (LEG / size_of(figure))
    if -DOWN < ground < UP:
        picture.line(left + 4, top + UP - ground, left + WIDTH - 4, top + UP - ground, GROUND)
    toes = {figure.joint("toe", side) for side in SIDES}
    for i, side in sides_of(figure).items():
        parent = figure.parents[i]
        if parent < 0 or i == figure.joint("pelvis"):
            continue
        (x0, y0), (x1, y1) = to(parent), to(i)
        if not all(left < v < left + WIDTH for v in (x0, x1)) or not all(top < v < top + UP + DOWN for v in (y0, y1)):
            continue
        picture.line(x0, y0, x1, y1, THUMB if side == "thumb" else COLOURS[side], 4 if i in toes else (2 if side != "thumb" else 3))


def floor_of(figure, labels):
    """Height that planted feet stand on, or that of the lowest sole."""
    heights = [measure.sole_heights(figure, side) for side in SIDES]
    planted = [h[labels[side]] for h, side in zip(heights, SIDES) if labels[side].any()]
    return float(np.median(np.concatenate(planted))) if planted else float(np.min(heights))


def strip(source, made, frames, path):
    turn, _ = measure.turn_between(source, made)
    labels = measure.plain_labels(source, measure.reference_frames(source))
    height = UP + DOWN
    picture = Picture(WIDTH * len(frames), height * 4)
    floors = [floor_of(f, labels) for f in (source, made)]
    hips = unit_vector(source.at("hip", "left") - source.at("hip", "right"))
    for n, frame in enumerate(frames):
        facing = np.arctan2(-hips[frame, 2], hips[frame, 0])
        for row, (figure, more, floor) in enumerate(((source, 0.0, floors[0]), (made, turn, floors[1]))):
            for k, view in enumerate(("front", "side")):
                draw(picture, figure, frame, facing + more, floor, n * WIDTH, (2 * row + k) * height, view)
    for row in range(4):
        picture.line(0, row * height, WIDTH * len(frames), row * height, (60, 60, 60) if row == 2 else (225, 225, 225))
    for n in range(len(frames)):
        picture.line(n * WIDTH, 0, n * WIDTH, 4 * height, (225, 225, 225))
    picture.write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("made")
    parser.add_argument("out")
    parser.add_argument("--onto", required=True)
    parser.add_argument("--clip")
    parser.add_argument("--count", type=int, default=8)
    parser.add_argument("--frames")
    args = parser.parse_args()
    source, made, _ = retarget_judge.open_pair(args.source, args.made, args.onto, args.clip)
    first, end = (int(v) for v in args.frames.split(":")) if args.frames else (0, made.frames)
    frames = np.unique(np.linspace(first, end - 1, min(args.count, end - first)).astype(int))
    strip(source, made, list(frames), args.out)


if __name__ == "__main__":
    main()
