#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Says whether a cleaned glTF file is the given one in everything but the solved channels.

usage: gltf_compare.py IN OUT [REPORT]

REPORT is the output of `surefoot clean --json`; its list changed_joints names the channels that may differ, and its
clip the animation. Without it the files must be equal: JSON text, chunks and buffers.

Allowed: appended accessors, buffer views, buffers, samplers, channels; the byteLength of a buffer that grew; input,
output and interpolation of samplers that only solved channels use; the sampler of a solved channel; the uri of a buffer
whose bytes follow the old ones. All other text is compared byte for byte, spaces and number spelling included, and all
old binary bytes at their old offsets. Exit status: 0 equal so far as it must be, 1 not, 2 cannot be compared.
"""

import json
import os
import sys

import numpy as np

import gltf
import gltf_spans

UNIT = 1e-6


class Comparison:
    def __init__(self, given, made, report=None):
        self.given, self.made = gltf.Document(given), gltf.Document(made)
        # one object a clip with --all-clips
        self.report = report if not isinstance(report, list) else {
            "changed_joints": [e for r in report for e in r.get("changed_joints", [])],
            "kept_keys": any(r.get("kept_keys") for r in report)}
        self.findings = []
        self.changed = []  # (animation, channel index, node, path) of channels whose keys are other ones
        self.appended = {}
        self.same_text = self.given.text == self.made.text
        self._solved = {}

    def say(self, text, *values):
        self.findings.append(text % values if values else text)

    # what may change

    def solved(self):
        """{(node name or index, path)} that the report allows; None where it allows any channel."""
        out = set()
        for entry in (self.report or {}).get("changed_joints", []):
            keys = [entry["name"]] + ([entry["node"]] if entry.get("node") is not None else [])
            for path in ("rotation", "translation"):
                if entry.get(path):
                    out |= {(key, path) for key in keys}
        return out

    def is_solved(self, node, path):
        """A nameless node goes by what the report calls it, which ends in its index."""
        if node is None:
            return False
        allowed, name = self.solved(), self.given.name(node)
        names = [node, name or "node %d" % node]
        # the second of a name is name#2
        return any((n, path) in allowed for n in names) or (bool(name) and any(
            p == path and isinstance(n, str) and n.startswith(name + "#") and n[len(name) + 1:].isdigit()
            for n, p in allowed))

    def solved_channel(self, channel):
        target = channel.get("target", {})
        return self.is_solved(target.get("node"), target.get("path"))

    # text

    def text(self):
        if self.report is None:
            if not self.same_text:
                at = next((i for i, (a, b) in enumerate(zip(self.given.text, self.made.text)) if a != b), "the end")
                self.say("JSON text differs at byte %s", at)
            return
        a, b = gltf_spans.parse(self.given.text), gltf_spans.parse(self.made.text)
        head, tail = self.given.text[:a.start], self.given.text[a.end:]
        if self.made.text[:b.start] != head:
            self.say("text before the document differs")
        # behind the document of a GLB stands padding
        if not self.given.is_glb and self.made.text[b.end:] != tail:
            self.say("text after the document differs")
        self.inserted = self._inserted()
        self._object(a, b, "", {"accessors": self._list(self._equal), "bufferViews": self._list(self._view),
                                "buffers": self._buffers, "animations": self._animations,
                                "nodes": self._list(self._node)},
                     {"accessors", "bufferViews", "buffers"})

    def _equal(self, a, b, where):
        if a.raw() != b.raw():
            self.say("%s: %s became %s", where, a.raw()[:80], b.raw()[:80])

    def _object(self, a, b, where, handlers, may_append=()):
        """Members equal in order and text, but for those with a handler, and appended ones of the names given."""
        if a.kind != "object" or b.kind != "object":
            return self._equal(a, b, where)
        n = len(a.members)
        if b.keys()[:n] != a.keys() or not set(b.keys()[n:]) <= set(may_append):
            return self.say("%s: keys %s became %s", where or "document", a.keys(), b.keys())
        self._gaps(a, b, where)
        for (key, one), (_, other) in zip(a.members, b.members):
            handlers.get(key, self._equal)(one, other, "%s/%s" % (where, key))

    def _gaps(self, a, b, where):
        n = len(a.members)
        if a.gaps[:n] != b.gaps[:n] or a.gaps[-1] != b.gaps[-1]:
            self.say("%s: spaces between members differ", where or "document")

    def _list(self, handler, count=None):
        def compare(a, b, where):
            if a.kind != "array" or b.kind != "array" or len(b.members) < len(a.members):
                return self._equal(a, b, where)
            if a.members:
                self._gaps(a, b, where)
            self.appended[where] = len(b.members) - len(a.members)
            if self.appended[where] and where in ("/nodes",):
                self.say("%s: %d were appended", where, self.appended[where])
            for i, (one, other) in enumerate(zip(a.members, b.members)):
                handler(one, other, "%s/%d" % (where, i))
        return compare

    def _node(self, a, b, where):
        """A solved node that a matrix places becomes translation, rotation and scale: animated nodes have no matrix."""
        if a.raw() == b.raw():
            return
        index = int(where.rsplit("/", 1)[1])
        parts = {"translation", "rotation", "scale"}
        others = lambda v: [(k, m.raw()) for k, m in v.members if k not in parts | {"matrix"}]
        if a.get("matrix") is None or b.get("matrix") is not None or others(a) != others(b) or not any(
                self.is_solved(index, path) for path in ("rotation", "translation")):
            return self._equal(a, b, where)
        if np.max(np.abs(self.given.rest_matrix(index) - self.made.rest_matrix(index))) > 1e-5:
            self.say("%s: the matrix became another transform", where)

    def _inserted(self):
        """Whether a GLB without binary data got its first chunk of it, which has to be buffer 0: all others move up."""
        has = lambda doc: any(kind == gltf.BIN_CHUNK for kind, _ in doc.chunks)
        return self.given.is_glb and not has(self.given) and has(self.made) and "uri" in (
            self.given.json.get("buffers") or [{}])[0]

    def _view(self, a, b, where):
        if not self.inserted or a.kind != "object":
            return self._equal(a, b, where)

        def moved(one, other, at):
            if int(other.plain()) != int(one.plain()) + 1:
                self.say("%s: %s became %s", at, one.raw(), other.raw())
        inner = lambda one, other, at: self._object(one, other, at, {"buffer": moved})
        return self._object(a, b, where, {"buffer": moved, "extensions": lambda one, other, at: self._object(
            one, other, at, {"EXT_meshopt_compression": inner})})

    def _buffers(self, a, b, where):
        if not self.inserted:
            return self._list(self._buffer)(a, b, where)
        if [m.raw() for m in b.members[1:1 + len(a.members)]] != [m.raw() for m in a.members]:
            self.say("%s: the old ones differ", where)
        return None

    def _buffer(self, a, b, where):
        self._object(a, b, where, {"byteLength": self._grown, "uri": self._uri})

    def _grown(self, a, b, where):
        if int(b.plain()) < int(a.plain()):
            self.say("%s shrank", where)

    def _uri(self, a, b, where):
        pass  # what it leads to is compared in bytes()

    def _animations(self, a, b, where):
        if len(a.members) != len(b.members):
            return self.say("%d animations became %d", len(a.members), len(b.members))
        self._gaps(a, b, where)
        for i, (one, other) in enumerate(zip(a.members, b.members)):
            if one.raw() != other.raw():
                self._animation(i, one, other, "%s/%d" % (where, i))
        return None

    def _animation(self, index, a, b, where):
        old = self.given.animations[index]
        shared = {s: [c for c in old["channels"] if c.get("sampler") == s] for s in range(len(old["samplers"]))}

        def sampler(one, other, at):
            if one.raw() == other.raw():
                return
            users = shared[int(at.rsplit("/", 1)[1])]
            if not users or not all(self.solved_channel(c) for c in users):
                return self.say("%s changed, which other channels use", at)
            free = lambda *_: None
            return self._object(one, other, at, {"input": free, "output": free, "interpolation": free},
                                {"interpolation"})

        def channel(one, other, at):
            if one.raw() == other.raw():
                return
            if not self.solved_channel(one.plain()):
                return self.say("%s changed, whose target was not solved", at)
            return self._object(one, other, at, {"sampler": lambda *_: None})

        self._object(a, b, where, {"samplers": self._list(sampler), "channels": self._list(channel)})
        new = self.made.animations[index]
        for c in new["channels"][len(old["channels"]):]:
            if not self.solved_channel(c):
                self.say("%s: a channel was appended for node %s, which was not solved", where, c["target"])

    # bytes

    def bytes(self):
        a, b = self.given, self.made
        if a.is_glb != b.is_glb:
            return self.say("one file is a GLB, the other is none")
        if a.tail != b.tail:
            self.say("bytes after the GLB differ")
        kinds = [k for k, _ in a.chunks]
        others = [k for k, _ in b.chunks]
        if gltf.BIN_CHUNK not in kinds and gltf.BIN_CHUNK in others and self.report is not None:
            others.remove(gltf.BIN_CHUNK)  # a first binary chunk was added
        if kinds != others:
            return self.say("chunks %s became %s", kinds, others)
        if self.report is None:
            if a.chunks != b.chunks:
                self.say("chunks differ")
        else:
            for (kind, data), (_, other) in zip([c for c in a.chunks if c[0] not in (gltf.JSON_CHUNK, gltf.BIN_CHUNK)],
                                                [c for c in b.chunks if c[0] not in (gltf.JSON_CHUNK, gltf.BIN_CHUNK)]):
                if data != other:
                    self.say("chunk %08x differs", kind)
        for i in range(len(a.json.get("buffers", []))):
            try:
                data = a.buffer(i)
                to = i + int(self._inserted())
            except (gltf.GltfError, OSError):
                continue
            length = a.json["buffers"][i]["byteLength"]
            try:
                other = b.buffer(to)
            except (gltf.GltfError, OSError) as error:
                self.say("buffer %d cannot be read back: %s", i, error)
                continue
            if other[:length] != data[:length]:
                self.say("buffer %d: old bytes differ", i)
            if self.report is None and other != data:
                self.say("buffer %d differs", i)
        return None

    # motion

    def channels(self):
        """Finds the channels whose keys are other ones, and checks their form."""
        for index in range(len(self.given.animations)):
            old = {(c.node, c.path): c for c in gltf.Animation(self.given, index).channels} if self._readable(index) else {}
            if not old:
                continue
            for c in gltf.Animation(self.made, index).channels:
                before = old.get((c.node, c.path))
                if before is not None and self._same(before, c):
                    continue
                self.changed.append((index, c.index, c.node, c.path))
                if not self.is_solved(c.node, c.path):
                    self.say("animation %d: %s of node %s (%s) differs and was not solved", index, c.path, c.node,
                             self.given.name(c.node))
                self._form(index, c)

    def _readable(self, index):
        """Compressed or broken animations are compared as text and bytes only."""
        try:
            for c in gltf.Animation(self.given, index).channels:
                c.keys
        except (gltf.GltfError, KeyError, IndexError, ValueError):
            return False
        return True

    @staticmethod
    def _same(a, b):
        if (a.input, a.output, a.interpolation) == (b.input, b.output, b.interpolation):
            return True
        return a.interpolation == b.interpolation and all(np.array_equal(x, y) for x, y in zip(a.keys, b.keys))

    def _form(self, index, c):
        where = "animation %d: %s of node %d (%s)" % (index, c.path, c.node, self.given.name(c.node))
        if c.interpolation != "LINEAR":
            self.say("%s is %s", where, c.interpolation)
            return
        times, values = c.keys
        if not (np.diff(times) > 0).all():
            self.say("%s: times do not grow", where)
        for index_, name in ((c.input, "input"), (c.output, "output")):
            a = self.made.json["accessors"][index_]
            if a["componentType"] != 5126 or a.get("normalized") or "sparse" in a:
                self.say("%s: %s is no plain float accessor", where, name)
        bounds = self.made.json["accessors"][c.input]
        said = [[np.float32(v) for v in bounds.get(name, [])] for name in ("min", "max")]
        if said != [[np.float32(times[0])], [np.float32(times[-1])]]:
            self.say("%s: input bounds %s, keys %r to %r", where, said, times[0], times[-1])
        if c.path == "rotation":
            off = np.max(np.abs(np.linalg.norm(values, axis=1) - 1.0))
            if off > UNIT:
                self.say("%s: quaternions are off unit by %.2g", where, off)
            dots = np.sum(values[1:] * values[:-1], axis=1)
            if len(dots) and dots.min() <= 0.0:
                self.say("%s: sign turns at key %d", where, int(np.argmin(dots)) + 1)
        if not np.isfinite(values).all():
            self.say("%s: values are not finite", where)

    def times(self):
        """Solved channels of an animation share the times of its frames: the densest rotation channel's, where those
        are evenly spaced, or an even grid from the first to the last key of the joints."""
        if (self.report or {}).get("kept_keys"):
            return
        for index in sorted({c[0] for c in self.changed}):
            animation = gltf.Animation(self.made, index)
            inputs = [animation.channels[[k.index for k in animation.channels].index(c[1])].keys[0]
                      for c in self.changed if c[0] == index]
            first = inputs[0]
            if any(len(t) != len(first) or (t != first).any() for t in inputs):
                self.say("animation %d: solved channels have different times", index)
            step = np.diff(first)
            if len(step) and np.ptp(step) > 2e-4:
                self.say("animation %d: frames %.6g to %.6g s apart", index, step.min(), step.max())
            stored = np.unique(np.concatenate([c.keys[0] for c in gltf.Animation(self.given, index).channels]))
            dense = gltf.Animation(self.given, index).times()
            if len(dense) > 1 and np.ptp(np.diff(dense)) <= 1e-4 and abs(np.diff(dense).mean() - step.mean()) < 1e-4:
                lost = [t for t in first if np.abs(stored - t).min() < 1e-4 and t not in stored]
                if lost:
                    self.say("animation %d: key times %s are not the stored ones", index, lost[:3])

    def run(self):
        self.text()
        self.bytes()
        if self.report is not None and not self.findings:
            self.channels()
            self.times()
        return self.findings


def compare(given, made, report=None):
    """Findings, empty where all is well. report: `clean --json` as a dict, None for files that must be equal."""
    return Comparison(given, made, report).run()


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__.split("\n")[2], file=sys.stderr)
        return 2
    report = None
    if len(sys.argv) == 4:
        with open(sys.argv[3], encoding="utf-8") as file:
            report = json.load(file)
    try:
        comparison = Comparison(sys.argv[1], sys.argv[2], report)
        findings = comparison.run()
    except (ValueError, OSError, KeyError, IndexError) as error:
        print("gltf_compare: %s" % error, file=sys.stderr)
        return 2
    for text in findings:
        print(text)
    print("%s: %d channels changed, appended %s" % (os.path.basename(sys.argv[2]), len(comparison.changed),
                                                    {k: v for k, v in comparison.appended.items() if v}))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
