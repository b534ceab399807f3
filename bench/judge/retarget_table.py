#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Moves every humanoid of the optional data folder onto every humanoid rig there, and judges each pair.

usage: retarget_table.py SUREFOOT [--data DIR] [--quick] [--sources A,B] [--targets A,B] [--mode transfer|clean|both]
                         [--frames N] [--jobs N] [--json FILE] [--markdown FILE] [--keep DIR] [--no-special]

One row a pair, each without clean-up (`--no-clean`) and with it; then what has rows of its own: A onto A, A to B to A, the
public DAZ conversion, creatures, and a clip onto its own character. Long BVH clips are cut to --frames (400) frames.
Exit status: 0 every row holds, 1 one does not.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import struct
import subprocess
import sys
import tempfile
import time

import numpy as np

import bvh
import gltf
import retarget_judge
import retarget_measure as measure
from retarget_figure import open_figure, rotations_of
from retarget_rigs import LIMBS, RIGS, Rig, SIDES

QUICK_SOURCES = ("cmu_12_01_walk", "mixamo_names_69f", "kaykit_Knight:Walking_A", "ozz_walk")
QUICK_TARGETS = ("geno_stance_6ch", "m2m_rig-human", "makehuman_tpose")


class Source:
    """A clip as the program gets it (`given`) and as the judge reads it (`read`)."""

    def __init__(self, name, rig, clip, given, read):
        self.name, self.rig, self.clip, self.given, self.read = name, rig, clip, given, read
        self.labels = None

    def clip_option(self):
        return ["--clip", str(self.clip)] if self.clip is not None else []


class Bench:
    def __init__(self, args, work):
        self.surefoot, self.data, self.frames, self.work = args.surefoot, args.data, args.frames, work
        self.mode, self.keep = args.mode, args.keep

    def run(self, *arguments):
        started = time.monotonic()
        try:
            done = subprocess.run([self.surefoot] + [str(a) for a in arguments], capture_output=True, timeout=240,
                                  check=False)
        except subprocess.TimeoutExpired:
            return None, "", "no answer after 240 s", 240.0
        return (done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace").strip(),
                time.monotonic() - started)

    def converted(self, rig):
        """The file itself, or what convert makes of an FBX."""
        if rig.suffix != "fbx":
            return rig.path(self.data)
        made = os.path.join(self.work, "converted", rig.stem + ".glb")
        if not os.path.exists(made):
            os.makedirs(os.path.dirname(made), exist_ok=True)
            code, _, text, _ = self.run("convert", rig.path(self.data), "-o", made)
            if code != 0:
                raise RuntimeError("convert %s: %s" % (rig.stem, text))
        return made

    def source(self, name):
        stem, _, clip = name.partition(":")
        rig = RIGS[stem]
        clip = clip or (rig.clips[0] if rig.clips else None)
        given = rig.path(self.data)
        if rig.suffix == "bvh" and self.frames:
            whole = bvh.read(given, rig.positions)
            if whole.frames > self.frames or whole.warnings:
                given = os.path.join(self.work, "sources", stem + ".bvh")
                os.makedirs(os.path.dirname(given), exist_ok=True)
                bvh.write(whole.with_values(whole.values[:self.frames]), given)
        out = Source(name, rig, clip, given, self.converted(rig) if rig.suffix == "fbx" else given)
        labels = os.path.join(self.work, "labels", name.replace(":", "-") + ".csv")
        os.makedirs(os.path.dirname(labels), exist_ok=True)
        if self.run("contacts", given, "-o", labels, *out.clip_option())[0] == 0:
            out.labels = labels
        return out

    def retarget(self, source, target_file, made, *options):
        """(exit code, report or None, message, seconds)."""
        code, text, message, seconds = self.run("retarget", source.given, "--onto", target_file, "-o", made, "--json",
                                                *source.clip_option(), *options)
        try:
            report = json.loads(text) if text.strip() else None
        except ValueError:
            report = None
        return code, report, message, seconds

    def pair(self, source, target_name):
        """A row."""
        target = RIGS[target_name]
        row = {"source": source.name, "target": target_name, "modes": {}}
        suffix = "glb" if target.suffix == "fbx" else target.suffix
        with tempfile.TemporaryDirectory(dir=self.work) as folder:
            paths = {}
            for mode in ("transfer", "clean") if self.mode == "both" else (self.mode,):
                made = paths[mode] = os.path.join(self.keep or folder, "%s-onto-%s-%s.%s" % (
                    source.name.replace(":", "-"), target_name, mode, suffix))
                code, report, message, seconds = self.retarget(
                    source, target.path(self.data), made, *(["--no-clean"] if mode == "transfer" else []))
                if code != 0:
                    last = message.split("\n")[-1][-240:] if message else "no message"
                    row["modes"][mode] = {"refused": "exit %s: %s" % (code, last), "failed": ["refused"]}
                    continue
                row["modes"][mode] = self.judged(source, target, made, report, mode) | {"seconds": seconds}
            if all(row["modes"].get(m, {}).get("figures") for m in ("transfer", "clean")):
                row["extra_turn"] = self.extra_turn(target, paths)
        return row

    def judged(self, source, target, made, report, mode, path=None):
        try:
            f, lines = retarget_judge.judge(
                source.read, made, path or target.path(self.data), source.clip, source_rig=source.rig, target_rig=target,
                labels=source.labels, report=report, clean=mode == "clean",
                converted=self.converted(target) if target.suffix == "fbx" else None)
        except (ValueError, KeyError, IndexError, OSError, gltf.GltfError) as error:
            return {"refused": "cannot be judged: %s" % error, "failed": ["unreadable"]}
        short = lambda entry: entry["name"].split(":")[0]
        return {"figures": f, "lines": lines, "failed": [short(e) for e in lines if not e["pass"] and not e["advisory"]],
                "noted": [short(e) for e in lines if not e["pass"] and e["advisory"]]}

    def extra_turn(self, target, paths):
        """{limb: (mean, largest) degrees} by which clean-up turned the limbs."""
        like = open_figure(self.converted(target), target, "none")
        a, b = (open_figure(paths[m], target, -1, like=like) for m in ("transfer", "clean"))
        if a.frames != b.frames:
            return None
        return {name: (float(v.mean()), float(v.max())) for name, v in measure.directions(a, b, 0.0).items()}


# what a row says

def worst(f, *keys):
    """Largest of figures[...] over limbs or ends."""
    values = [v[keys[-1]] for v in f[keys[0]].values()] if f.get(keys[0]) else []
    return max(values) if values else float("nan")


def cells(mode):
    if "figures" not in mode or not mode["figures"] or not mode["figures"].get("limbs"):
        return mode.get("refused", "no figures")
    f = mode["figures"]
    turns = f.get("turns", {})
    acc = [x for pair in f["acceleration"].values() for x in pair]
    slide, stand = f.get("slide program") or f.get("slide plain"), f.get("standing program") or f.get("standing plain")
    text = "limbs %5.2f/%5.2f chest %5.2f head %5.2f acc %5.2f turn %6.1f" % (
        worst(f, "limbs", "mean"), worst(f, "limbs", "p99"), turns.get("chest", {}).get("mean", np.nan),
        turns.get("head", {}).get("mean", np.nan), max(acc) if acc and f["frames"] >= 10 else np.nan, f["turn"])
    if slide and slide["steps"]:
        text += " slide %6.2f (%.2f)" % (slide["mean"], slide["source"])
    if stand:
        text += " floor %5.2f sink %5.2f float %5.2f" % (stand["floor"], stand["sink"], stand["float"])
    return text


def show(row, out=sys.stdout):
    print("%s -> %s" % (row["source"], row["target"]), file=out)
    for name, mode in row["modes"].items():
        print("   %-8s %-4s %s%s%s" % (name, "FAIL" if mode["failed"] else "ok", cells(mode),
                                       "  [%s]" % ", ".join(mode["failed"]) if mode["failed"] else "",
                                       "  (%s)" % ", ".join(mode["noted"][:6]) if mode.get("noted") else ""), file=out)
    if row.get("extra_turn"):
        print("   mended by  " + ", ".join("%s %.2f/%.1f" % (n, a, b) for n, (a, b) in row["extra_turn"].items()), file=out)


def summary(rows, specials, out=sys.stdout):
    for mode in ("transfer", "clean"):
        these = [r["modes"][mode] for r in rows if mode in r["modes"]]
        if not these:
            continue
        kinds = collections.Counter(name for m in these for name in set(m["failed"]))
        good = [m for m in these if m.get("figures") and m["figures"].get("limbs")]
        print("%s: %d of %d pairs hold" % (mode, sum(not m["failed"] for m in these), len(these)), file=out)
        for name, count in kinds.most_common():
            print("   %4d  %s" % (count, name), file=out)
        if good:
            for limb in LIMBS:
                means = [m["figures"]["limbs"][limb]["mean"] for m in good if limb in m["figures"]["limbs"]]
                print("   %-10s mean %.2f, worst pair %.2f degrees" % (limb, np.mean(means), max(means)), file=out)
    for mode in ("transfer", "clean"):
        bad = collections.Counter(r["target"] for r in rows if r["modes"].get(mode, {}).get("failed"))
        by = collections.Counter(r["source"] for r in rows if r["modes"].get(mode, {}).get("failed"))
        if bad:
            print("%s fails by target: %s" % (mode, ", ".join("%s %d" % p for p in bad.most_common())), file=out)
            print("%s fails by source: %s" % (mode, ", ".join("%s %d" % p for p in by.most_common())), file=out)
    for name, ok, text in specials:
        print("%s  %s: %s" % ("ok  " if ok else "FAIL", name, text), file=out)


def markdown(rows, specials, out):
    print("| source | target | mode | limbs mean / p99 | chest | head | acceleration | slide cm/s | sink cm | float cm | |",
          file=out)
    print("|---|---|---|---|---|---|---|---|---|---|---|", file=out)
    for row in rows:
        for name, mode in row["modes"].items():
            f = mode.get("figures")
            if not f or not f.get("limbs"):
                print("| %s | %s | %s | | | | | | | | %s |" % (row["source"], row["target"], name, mode.get("refused", "")),
                      file=out)
                continue
            acc = [x for pair in f["acceleration"].values() for x in pair]
            slide, stand = f.get("slide program") or {}, f.get("standing program") or {}
            number = lambda v, form="%.2f": "" if v is None or not np.isfinite(v) else form % v
            print("| %s | %s | %s | %.2f / %.2f | %s | %s | %s | %s | %s | %s | %s |" % (
                row["source"], row["target"], name, worst(f, "limbs", "mean"), worst(f, "limbs", "p99"),
                number(f.get("turns", {}).get("chest", {}).get("mean")), number(f.get("turns", {}).get("head", {}).get("mean")),
                number(max(acc) if acc and f["frames"] >= 10 else None), number(slide.get("mean")), number(stand.get("sink")),
                number(stand.get("float")), "ok" if not mode["failed"] else "fails: " + ", ".join(mode["failed"])), file=out)
    for name, ok, text in specials:
        print("| %s | | | | | | | | | | %s: %s |" % (name, "ok" if ok else "fails", text), file=out)


# rows of their own

def onto_itself(bench, name):
    """A onto A: every rotation and place as it was."""
    source = bench.source(name)
    rig = source.rig
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        made = os.path.join(folder, "itself." + ("glb" if rig.suffix == "fbx" else rig.suffix))
        target = source.given if rig.suffix == "bvh" else rig.path(bench.data)
        code, _, message, _ = bench.retarget(source, target, made, "--no-clean")
        if code != 0:
            return False, "exit %s: %s" % (code, message[-200:])
        a = open_figure(source.read, rig, source.clip)
        b = open_figure(made, rig, -1, like=a)
        if a.frames != b.frames:
            return False, "%d frames became %d" % (a.frames, b.frames)
        # joints of the body: what hangs from them may be a mirror image, as may ends of toes, which has no rotation
        nodes = sorted(set(a.joints.values()))
        turned = [n for n in nodes if np.all(np.linalg.det(a.rotation[:, n]) > 0) and np.all(np.linalg.det(b.rotation[:, n]) > 0)]
        if len(turned) < len(nodes) - 1:
            return False, "%d of %d joints are mirror images" % (len(nodes) - len(turned), len(nodes))
        turn = float(np.max(measure.angle_between(a.rotation[:, turned], b.rotation[:, turned]))) * measure.DEGREE
        off = float(np.max(np.abs(a.position[:, nodes] - b.position[:, nodes]))) * 100.0
        bits = rig.suffix == "bvh" and np.array_equal(a.clip.values, b.clip.values)
        # GLB holds float32; the text of a BVH comes back through angles
        least = 1e-9 if rig.suffix == "bvh" else 1e-3
        return turn < least and off < least, "largest turn %.2g degrees, place %.2g cm%s" % (
            turn, off, ", numbers equal" if bits else "")


def there_and_back(bench, name, via):
    """A to B to A within a degree."""
    source, middle = bench.source(name), RIGS[via]
    rig = source.rig
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        there = os.path.join(folder, via + "." + ("glb" if middle.suffix == "fbx" else middle.suffix))
        code, _, message, _ = bench.retarget(source, middle.path(bench.data), there, "--no-clean")
        if code != 0:
            return False, "there: exit %s: %s" % (code, message[-200:])
        clip = None if there.endswith(".bvh") else str(len(gltf.Document(there).animations) - 1)
        back = os.path.join(folder, "back." + ("glb" if rig.suffix == "fbx" else rig.suffix))
        again = Source(via, middle, clip, there, there)
        code, _, message, _ = bench.retarget(again, rig.path(bench.data), back, "--no-clean")
        if code != 0:
            return False, "back: exit %s: %s" % (code, message[-200:])
        try:
            a, b, _ = retarget_judge.open_pair(source.read, back, source.read, source.clip, rig, rig)
        except ValueError as error:
            return False, str(error)
        means = {n: float(v.mean()) for n, v in measure.directions(a, b, 0.0).items()}
        for part in ("chest", "head"):
            found = measure.end_to_end(a, b, part, "", 0.0)
            if found:
                means[part] = float(found[0].mean())
        return max(means.values()) < 1.0, ", ".join("%s %.3f" % p for p in means.items())


def beside_daz(bench):
    """The MotionBuilder skeleton's dance onto the DAZ skeleton: better than the public conversion on every limb."""
    paths = [os.path.join(bench.data, "bvh", "cmu_05_20_dance_%s.bvh" % n) for n in ("mb", "daz")]
    source, public, _ = retarget_judge.open_pair(paths[0], paths[1], paths[1])
    theirs = measure.directions(source, public, 0.0)
    given = Source("cmu_05_20_dance_mb", RIGS["cmu_05_20_dance_mb"], None, paths[0], paths[0])
    labels = measure.plain_labels(source, 1)
    text, ok = [], True
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        for mode in ("transfer", "clean"):
            made = os.path.join(folder, mode + ".bvh")
            code, _, message, _ = bench.retarget(given, paths[1], made, *(["--no-clean"] if mode == "transfer" else []))
            if code != 0:
                return False, "exit %s: %s" % (code, message[-200:])
            _, ours, _ = retarget_judge.open_pair(paths[0], made, paths[1])
            mine = measure.directions(source, ours, measure.turn_between(source, ours)[0])
            for n in LIMBS:
                value, p99, other = float(mine[n].mean()), float(np.percentile(mine[n], 99)), float(theirs[n].mean())
                ok &= value < other and (mode == "clean" or (value <= 2.0 and p99 <= 6.0))
                text.append("%s %s %.2f (p99 %.2f, public %.1f)" % (mode, n, value, p99, other))
            text.append("%s slide %.2f (public %.2f, source %.2f) cm/s" % (
                mode, measure.slide(ours, labels)[0], measure.slide(public, labels)[0], measure.slide(source, labels)[0]))
    return ok, "; ".join(text)


def creatures(bench):
    """What is not alike is refused with a reason; what is alike works."""
    data = os.path.join(bench.data, "gltf")
    at = lambda n: os.path.join(data, n)
    out = []

    def attempt(title, source, clip, target, refuse, more=None, options=()):
        with tempfile.TemporaryDirectory(dir=bench.work) as folder:
            made = os.path.join(folder, "made" + os.path.splitext(target)[1])
            given = Source(title, None, clip, source, source)
            code, _, message, _ = bench.retarget(given, target, made, *options)
            if refuse:
                good = code not in (0, None) and code > 0 and len(message) > 20 and not os.path.exists(made)
                out.append((title, good, "exit %s: %s" % (code, message.split("\n")[-1][-240:])))
            elif code != 0:
                out.append((title, False, "exit %s: %s" % (code, message.split("\n")[-1][-240:])))
            else:
                out.append((title,) + (more(made) if more else (True, "written")))

    def spider(made, limit=0.01):
        """The made spider does what the given one does; clean-up may turn its legs, but has little to do."""
        a, b = gltf.Document(at("m2m_spider-animations.glb")), gltf.Document(made)
        clip = b.clip(len(b.animations) - 1)
        times = clip.times()
        first = a.clip(0)
        x = first.globals(first.times()[0] + times - times[0])
        y = clip.globals(times)
        names = {a.name(i): i for i in range(len(a.nodes))}
        shared = [(names[b.name(i)], i) for i in range(len(b.nodes)) if b.name(i) in names]
        ra, rb = (rotations_of(w[:, [p[k] for p in shared]]) for k, w in ((0, x), (1, y)))
        turn = float(np.max(measure.angle_between(ra, rb))) * measure.DEGREE
        return bool(np.all(np.isfinite(y)) and turn < limit), "%d shared joints, largest turn apart %.2f degrees, %d frames" % (
            len(shared), turn, len(times))

    attempt("fox onto spider", at("m2m_fox-animations.glb"), 0, at("m2m_rig-spider.glb"), True)
    attempt("human onto spider", at("kaykit_Knight.glb"), "Walking_A", at("m2m_rig-spider.glb"), True)
    attempt("spider onto spider", at("m2m_spider-animations.glb"), 0, at("m2m_rig-spider.glb"), False, spider,
            ("--no-clean",))
    attempt("spider onto spider, mended", at("m2m_spider-animations.glb"), 0, at("m2m_rig-spider.glb"), False,
            lambda made: spider(made, 15.0))
    attempt("khronos fox onto m2m fox", at("khronos_Fox.glb"), 1, at("m2m_fox-animations.glb"), False)
    attempt("m2m fox onto khronos fox", at("m2m_fox-animations.glb"), 0, at("khronos_Fox.glb"), False)
    for clip in ("bitmoji_walk", "bitmoji_idle"):
        source = bench.source(clip)
        row = bench.pair(source, "bitmoji_model")
        bad = {name: mode["failed"] for name, mode in row["modes"].items() if mode["failed"]}
        out.append(("%s onto bitmoji_model" % clip, not bad, "; ".join(
            "%s %s" % (n, cells(m)) for n, m in row["modes"].items()) + (" %s" % bad if bad else "")))
    attempt("greenman onto itself", at("raylib_greenman.glb"), "2_move", at("raylib_greenman.glb"), False)
    attempt("human onto greenman", at("kaykit_Knight.glb"), "Walking_A", at("raylib_greenman.glb"), False)
    attempt("greenman onto human", at("raylib_greenman.glb"), "2_move", at("m2m_rig-human.glb"), False)
    return out


def without_names(rig, path, folder):
    """(Rig, path) of the same BVH or GLB whose joints are called J0, J1, ... or nothing at all."""
    made = os.path.join(folder, "nameless-" + os.path.basename(path))
    if rig.suffix == "bvh":
        clip = bvh.read(path, rig.positions)
        table, count = {}, 0
        for node in clip.nodes:
            if not node.is_end:
                table[node.name], node.name = "J%d" % count, "J%d" % count
                count += 1
        for node in clip.nodes:
            if node.is_end:
                old = node.name[:-len(":end")]
                table[node.name] = table[old] + ":end"
                node.name = table[old] + ":end"
        bvh.write(clip, made)
        names = {key: table[name] for key, name in rig.table.items()}
    else:
        doc = gltf.Document(path)
        names = {key: doc.find(name) for key, name in rig.table.items()}
        text = dict(doc.json, nodes=[{k: v for k, v in n.items() if k != "name"} for n in doc.nodes])
        raw = json.dumps(text).encode()
        raw += b" " * (-len(raw) % 4)
        chunks = [(gltf.JSON_CHUNK, raw)] + list(doc.chunks[1:])
        body = b"".join(struct.pack("<II", len(data), kind) + data for kind, data in chunks)
        with open(made, "wb") as file:
            file.write(b"glTF" + struct.pack("<II", 2, 12 + len(body)) + body)
    return Rig(rig.stem, rig.suffix, names, rig.unit, rig.up, rig.clips, rig.reference, rig.odd_rest), made


def nameless(bench, source_name, target_name, which):
    """As a pair of the matrix, but with the names of one side taken away."""
    source, target = bench.source(source_name), RIGS[target_name]
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        path = target.path(bench.data)
        if which == "source":
            rig, given = without_names(source.rig, source.given, folder)
            source = Source(source.name, rig, source.clip, given, given)
        else:
            target, path = without_names(target, path, folder)
        made = os.path.join(folder, "made." + target.suffix)
        code, report, message, _ = bench.retarget(source, path, made, "--no-clean")
        if code != 0:
            return False, "exit %s: %s" % (code, message[-240:])
        mode = bench.judged(source, target, made, report, "transfer", path)
        return not mode["failed"], "%s %s" % (cells(mode), mode["failed"] or "")


def mirrored(bench, name):
    """--mirror onto its own rig: the left does what the right did, as in a mirror."""
    source = bench.source(name)
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        made = os.path.join(folder, "made." + source.rig.suffix)
        code, _, message, _ = bench.retarget(source, source.given, made, "--no-clean", "--mirror")
        if code != 0:
            return False, "exit %s: %s" % (code, message[-240:])
        a, b, _ = retarget_judge.open_pair(source.read, made, source.read, source.clip, source.rig, source.rig)
        flip = np.array([-1.0, 1.0, 1.0])
        means = {n: max(float(np.mean(measure.between(flip * a.limb(n, s), b.limb(n, o)))) for s, o in (SIDES, SIDES[::-1]))
                 for n in LIMBS}
        path = a.at("pelvis") - a.at("pelvis")[:1]
        other = b.at("pelvis") - b.at("pelvis")[:1]
        off = float(np.max(np.abs(flip * path - other))) * 100.0
        return max(means.values()) < 2.0 and off < 2.0, ", ".join("%s %.2f" % p for p in means.items()) + \
            "; path off by %.2f cm" % off


def map_there_and_back(bench, name, target_name, other_name):
    """A map that was written gives the same bytes when it is read; it is refused for another rig."""
    source, target, other = bench.source(name), RIGS[target_name], RIGS[other_name]
    with tempfile.TemporaryDirectory(dir=bench.work) as folder:
        at = lambda n: os.path.join(folder, n)
        suffix = "." + target.suffix
        code, _, message, _ = bench.retarget(source, target.path(bench.data), at("one" + suffix), "--map-out", at("map.json"))
        if code != 0:
            return False, "exit %s: %s" % (code, message[-240:])
        code, _, message, _ = bench.retarget(source, target.path(bench.data), at("two" + suffix), "--map", at("map.json"))
        if code != 0:
            return False, "with its own map: exit %s: %s" % (code, message[-240:])
        with open(at("one" + suffix), "rb") as one, open(at("two" + suffix), "rb") as two:
            same = one.read() == two.read()
        code, _, message, _ = bench.retarget(source, other.path(bench.data), at("three." + other.suffix), "--map",
                                             at("map.json"))
        refused = code not in (0, None) and len(message) > 20
        return same and refused, "%s; another rig: exit %s: %s" % ("same bytes" if same else "OTHER BYTES", code,
                                                                 message.split("\n")[-1][-240:])


def special(bench):
    out = []
    for name in ("cmu_12_01_walk", "fair_dab", "makehuman_walk1", "kinect_brekel_a", "geno_stance_6ch", "mixed_orders_zup",
                 "kaykit_Knight:Walking_A", "khronos_CesiumMan", "mixamo_original_rig", "ozz_walk"):
        out.append((name + " onto itself",) + onto_itself(bench, name))
    for name, via in (("cmu_12_01_walk", "geno_stance_6ch"), ("cmu_12_01_walk", "m2m_rig-human"),
                      ("mixamo_names_69f", "makehuman_tpose"), ("fair_dab", "xsens_a_40fps"), ("xsens_a_40fps", "kaykit_Knight"),
                      ("kaykit_Knight:Running_A", "bitmoji_model"), ("khronos_CesiumMan", "mixamo_sample_rig"),
                      ("mocapbank_crlf", "cmu_jumping_jacks_max"), ("ozz_walk", "ozz_arnaud")):
        out.append(("%s to %s and back" % (name, via),) + there_and_back(bench, name, via))
    for name, target, which in (("cmu_12_01_walk", "xsens_a_40fps", "source"), ("cmu_12_01_walk", "xsens_a_40fps", "target"),
                                ("kaykit_Knight:Walking_A", "m2m_rig-human", "target"), ("mixamo_names_69f", "fair_dab", "source"),
                                ("fair_dab", "mixamo_names_69f", "target"), ("mixed_orders_zup", "cmu_05_20_dance_daz", "target")):
        out.append(("%s onto %s, %s without names" % (name, target, which),) + nameless(bench, name, target, which))
    for name in ("cmu_12_01_walk", "fair_dab", "mixamo_names_69f"):
        out.append(("%s in a mirror" % name,) + mirrored(bench, name))
    out.append(("a map of its own", ) + map_there_and_back(bench, "cmu_12_01_walk", "m2m_rig-human", "kaykit_Knight"))
    out.append(("dance onto the DAZ skeleton",) + beside_daz(bench))
    return out + creatures(bench)


def all_sources():
    return [rig.stem if len(rig.clips) < 2 else "%s:%s" % (rig.stem, clip)
            for rig in RIGS.values() for clip in (rig.clips[:1] if len(rig.clips) < 2 else rig.clips)]


def chosen(text, known):
    """Names that start with one of the given ones."""
    if not text:
        return known
    wanted = text.split(",")
    return [n for n in known if any(n.startswith(w) for w in wanted)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("surefoot")
    parser.add_argument("--data", default=os.environ.get("SFT_DATA") or os.path.join(
        os.path.dirname(os.path.abspath(__file__)), "../../../shared/data"))
    parser.add_argument("--quick", action="store_true", help="12 pairs")
    parser.add_argument("--sources", help="names, or how they begin, with commas; kaykit_Knight:Walking_A names a clip")
    parser.add_argument("--targets")
    parser.add_argument("--mode", choices=("transfer", "clean", "both"), default="both")
    parser.add_argument("--frames", type=int, default=400, help="longest BVH source; 0: whole clips")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json")
    parser.add_argument("--markdown")
    parser.add_argument("--keep", help="folder for the files that are made")
    parser.add_argument("--no-special", action="store_true")
    args = parser.parse_args()
    if not os.path.isdir(args.data):
        print("SKIP: the optional data folder %s is not there" % args.data)
        return 0
    sources = list(QUICK_SOURCES) if args.quick else chosen(args.sources, all_sources())
    targets = list(QUICK_TARGETS) if args.quick else chosen(args.targets, [r.stem for r in RIGS.values() if r.target])
    if args.keep:
        os.makedirs(args.keep, exist_ok=True)
    rows, specials = [], []
    with tempfile.TemporaryDirectory() as work:
        bench = Bench(args, work)
        for rig in RIGS.values():
            if rig.suffix == "fbx" and (rig.stem in targets or any(s.partition(":")[0] == rig.stem for s in sources)):
                bench.converted(rig)
        opened = [bench.source(name) for name in sources]
        with concurrent.futures.ProcessPoolExecutor(args.jobs) as pool:
            waiting = [pool.submit(bench.pair, s, t) for s in opened for t in targets]
            extra = pool.submit(special, bench) if not (args.no_special or args.quick) else None
            for future in waiting:
                row = future.result()
                rows.append(row)
                show(row)
                sys.stdout.flush()
            specials = extra.result() if extra else []
    summary(rows, specials)
    for path, write in ((args.json, lambda f: json.dump({"rows": rows, "specials": specials}, f, indent=1, default=float)),
                        (args.markdown, lambda f: markdown(rows, specials, f))):
        if path:
            with open(path, "w", encoding="utf-8") as file:
                write(file)
    return int(any(m["failed"] for r in rows for m in r["modes"].values()) or any(not s[1] for s in specials))


if __name__ == "__main__":
    sys.exit(main())
