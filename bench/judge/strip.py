#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Draws a clip on a ground as PNG strips, source above and adapted below: what figures do not see, eyes do.

usage: strip.py SOURCE ADAPTED OUT.png --ground SPEC|FILE.obj [--frames A:B] [--count N] [--clip NAME --info JSON]
"""

import argparse
import json
import struct
import zlib

import numpy as np

import adapt_measure
import adapt_table
import grounds

COLOURS = {"ground": (150, 130, 100), "other": (120, 120, 120), "left": (40, 90, 200), "right": (200, 60, 40)}


class Picture:
    def __init__(self, width, height):
        self.pixels = np.full((height, width, 3), 255, np.uint8)

    def line(self, x0, y0, x1, y1, colour, thick=1):
        n = int(max(abs(x1 - x0), abs(y1 - y0))) * 2 + 2
        if n > 20000:
            return
        x = np.linspace(x0, x1, n)
        y = np.linspace(y0, y1, n)
        for dx in range(-(thick // 2), thick - thick // 2):
            for dy in range(-(thick // 2), thick - thick // 2):
                i, k = np.round(x + dx).astype(int), np.round(y + dy).astype(int)
                keep = (i >= 0) & (k >= 0) & (i < self.pixels.shape[1]) & (k < self.pixels.shape[0])
                self.pixels[k[keep], i[keep]] = colour

    def write(self, path):
        rows = b"".join(b"\0" + row.tobytes() for row in self.pixels)
        chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(
            ">I", zlib.crc32(kind + data))
        with open(path, "wb") as file:
            file.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(
                ">IIBBBBB", self.pixels.shape[1], self.pixels.shape[0], 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(rows, 6)) + chunk(b"IEND", b""))


def strip(scenes, ground, frames, path, scale=170.0, columns=8):
    """One panel a frame, seen from the side of the walk; rows of source and adapted by turns."""
    worlds = [adapt_measure.World(s) for s in scenes]
    clip = scenes[0].clip
    paths = [np.stack([w.path(i) for i in range(len(clip.nodes))], axis=1) for w in worlds]
    pelvis = scenes[0].legs[0].pelvis
    way = paths[0][-1, pelvis] - paths[0][0, pelvis]
    angle = np.arctan2(way[0], way[2])
    ahead = np.array([np.sin(angle), 0.0, np.cos(angle)])
    inside = set()
    for leg in scenes[0].legs:
        for i in (pelvis, leg.hip, leg.toe):
            while i >= 0:
                inside.add(i)
                i = clip.nodes[i].parent
    sides = {}
    for leg in scenes[0].legs:
        for i in range(len(clip.nodes)):
            k = i
            while k >= 0 and k != leg.hip:
                k = clip.nodes[k].parent
            if k == leg.hip:
                sides[i] = leg.side if leg.side in COLOURS else "left"
    width, height = int(1.3 * scale), int(1.9 * scale)
    rows = (len(frames) + columns - 1) // columns
    picture = Picture(width * columns, height * rows * len(scenes))
    reach = np.linspace(-0.65, 0.65, 261)
    for n, f in enumerate(frames):
        for s, p in enumerate(paths):
            left, top = (n % columns) * width, (n // columns * len(scenes) + s) * height
            centre = p[f, pelvis]
            base = centre[1] - 1.05
            to_x = lambda q: left + width / 2 + scale * float((q - centre) @ ahead)
            to_y = lambda y: top + height - 1 - scale * (y - base)
            if s == len(paths) - 1:
                for leg in scenes[0].legs:
                    off = (p[f, leg.toe] - centre) - ahead * float((p[f, leg.toe] - centre) @ ahead)
                    spots = centre + off + reach[:, None] * ahead
                    level = ground.height(spots[:, 0], spots[:, 2])
                    for a, b, u, v in zip(spots, spots[1:], level, level[1:]):
                        if np.isfinite(u) and np.isfinite(v) and top < to_y(u) < top + height and top < to_y(v) < top + height:
                            picture.line(to_x(a), to_y(u), to_x(b), to_y(v), COLOURS["ground"])
            for i, node in enumerate(clip.nodes):
                if node.parent < 0 or (i not in sides and node.parent in sides):
                    continue
                a, b = p[f, node.parent], p[f, i]
                if np.linalg.norm(a - b) > 1.2:
                    continue
                ya, yb = to_y(a[1]), to_y(b[1])
                if min(ya, yb) < top or max(ya, yb) > top + height:
                    continue
                picture.line(to_x(a), ya, to_x(b), yb, COLOURS[sides.get(i, "other")], 3 if i in sides else 2)
            picture.line(left, top, left, top + height, (225, 225, 225))
            picture.line(left, top, left + width, top, (225, 225, 225))
    picture.write(path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("source")
    parser.add_argument("adapted")
    parser.add_argument("out")
    parser.add_argument("--ground", required=True)
    parser.add_argument("--info", required=True, help="`info --json` output of SOURCE")
    parser.add_argument("--frames")
    parser.add_argument("--count", type=int, default=24)
    args = parser.parse_args()
    with open(args.info, encoding="utf-8") as file:
        info = json.load(file)
    source = adapt_table.open_scene(args.source, info)
    adapted = adapt_table.open_scene(args.adapted, info, source)
    ground = grounds.read_obj(args.ground) if args.ground.endswith(".obj") else grounds.from_spec(args.ground)[0]
    first, end = (int(v) for v in args.frames.split(":")) if args.frames else (0, source.clip.frames)
    frames = np.unique(np.linspace(first, end - 1, min(args.count, end - first)).astype(int))
    strip([source, adapted], ground, list(frames), args.out)


if __name__ == "__main__":
    main()
