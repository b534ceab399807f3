# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Whether a retargeted file is the target's file in everything but the motion that was added.

A BVH keeps its hierarchy to the number and holds the source's frames. A glTF or GLB holds one more animation, the last; all
else, old bytes of buffers included, is as it was. What came from FBX has the nodes that `surefoot convert` gives it.
"""

import re

import numpy as np

import bvh
import gltf

GROWING = ("accessors", "bufferViews", "buffers", "animations")


def bvh_findings(target, made, frames, frame_time):
    """Findings of a BVH that was made from the BVH `target`; frames and frame_time: what the motion should have."""
    findings = []
    a, b = bvh.read(target), bvh.read(made)
    if len(a.nodes) != len(b.nodes):
        return ["%d joints became %d" % (len(a.nodes), len(b.nodes))]
    for one, other in zip(a.nodes, b.nodes):
        if (one.name, one.parent, one.is_end, one.channels) != (other.name, other.parent, other.is_end, other.channels):
            findings.append("joint %s became %s" % (one.name, other.name))
        elif not np.array_equal(one.offset, other.offset):
            findings.append("OFFSET of %s: %s became %s" % (one.name, one.offset, other.offset))
    if b.frames != frames:
        findings.append("%d frames, not %d" % (b.frames, frames))
    if frame_time is not None and abs(b.frame_time - frame_time) > 1e-6:
        findings.append("frame time %.9g, not %.9g" % (b.frame_time, frame_time))
    findings += b.warnings
    if not np.all(np.isfinite(b.values)):
        findings.append("numbers that are none")
    with open(made, "rb") as file:
        text = file.read()
    with open(target, "rb") as file:
        old = file.read()
    if hierarchy_text(old) != hierarchy_text(text):
        findings.append("the words of the hierarchy differ")
    return findings


def hierarchy_text(data):
    """Words of the text before MOTION; numbers by what they are, not by how they are spelled."""
    found = re.search(rb"^[ \t]*motion[ \t\r]*$", data, re.I | re.M)
    out = []
    for word in data[:found.start() if found else None].split():
        try:
            out.append(float(word))
        except ValueError:
            out.append(word)
    return out


def gltf_findings(target, made):
    """Findings of a glTF or GLB made from `target`, one animation appended."""
    findings = []
    a, b = gltf.Document(target), gltf.Document(made)
    if a.is_glb != b.is_glb:
        findings.append("GLB and glTF are not the same form")
    for key in a.json.keys() | b.json.keys():
        one, other = a.json.get(key), b.json.get(key)
        if key == "nodes":
            findings += node_findings(a, b)
            continue
        if key not in GROWING:
            if one != other:
                findings.append("%s differs" % key)
            continue
        one, other = one or [], other or []
        if key == "buffers":
            continue
        if other[:len(one)] != one:
            first = next((i for i, (x, y) in enumerate(zip(one, other)) if x != y), len(other))
            findings.append("%s/%d differs" % (key, first))
    if len(b.animations) != len(a.animations) + 1:
        findings.append("%d animations became %d" % (len(a.animations), len(b.animations)))
    if a.tail != b.tail:
        findings.append("bytes after the GLB differ")
    for i, buffer in enumerate(a.json.get("buffers", [])):
        try:
            data, other = a.buffer(i), b.buffer(i)
        except (gltf.GltfError, OSError) as error:
            findings.append("buffer %d: %s" % (i, error))
            continue
        if other[:buffer["byteLength"]] != data[:buffer["byteLength"]]:
            findings.append("old bytes of buffer %d differ" % i)
    return findings + animation_findings(b)


def node_findings(a, b):
    """Nodes are as they were; one that the motion moves gets translation, rotation and scale in place of a matrix."""
    if len(a.nodes) != len(b.nodes):
        return ["%d nodes became %d" % (len(a.nodes), len(b.nodes))]
    moved = {c.node for c in gltf.Animation(b, len(b.animations) - 1).channels} if b.animations else set()
    parts = {"matrix", "translation", "rotation", "scale"}
    rest = lambda n: {k: v for k, v in n.items() if k not in parts}
    out = []
    for i, (one, other) in enumerate(zip(a.nodes, b.nodes)):
        if one == other:
            continue
        if "matrix" not in one or "matrix" in other or i not in moved or rest(one) != rest(other):
            out.append("node %d (%s) differs" % (i, a.name(i)))
        elif np.max(np.abs(a.rest_matrix(i) - b.rest_matrix(i))) > 1e-5 * max(1.0, np.max(np.abs(a.rest_matrix(i)))):
            out.append("the matrix of node %d (%s) became another transform" % (i, a.name(i)))
    return out


def converted_findings(converted, made):
    """Findings of a GLB made from an FBX file, against what `convert` makes of it: same nodes, one animation more."""
    findings = []
    a, b = gltf.Document(converted), gltf.Document(made)
    if [n.get("name") for n in a.nodes] != [n.get("name") for n in b.nodes] or a.parents != b.parents:
        findings.append("the nodes are not those that convert gives")
    elif np.max(np.abs(gltf.rest_globals(a) - gltf.rest_globals(b))) > 1e-5 * np.max(np.abs(gltf.rest_globals(a))):
        findings.append("the rest pose is not the one that convert gives")
    if not b.animations:
        findings.append("no animation")
    return findings + animation_findings(b)


def animation_findings(doc):
    """The last animation: numbers sound, quaternions unit, one channel a node and path, times that rise."""
    findings = []
    if not doc.animations:
        return findings
    seen = set()
    for c in gltf.Animation(doc, len(doc.animations) - 1).channels:
        times, values = c.keys
        if (c.node, c.path) in seen:
            findings.append("two channels for the %s of %s" % (c.path, doc.name(c.node)))
        seen.add((c.node, c.path))
        if not (np.all(np.isfinite(times)) and np.all(np.isfinite(values))):
            findings.append("numbers that are none: %s of %s" % (c.path, doc.name(c.node)))
        elif np.any(np.diff(times) <= 0):
            findings.append("times that do not rise: %s of %s" % (c.path, doc.name(c.node)))
        elif c.path == "rotation" and c.interpolation != "CUBICSPLINE" and np.max(
                np.abs(np.linalg.norm(values, axis=-1) - 1.0)) > 1e-5:
            findings.append("quaternions that are not unit: %s" % doc.name(c.node))
        if not 0 <= c.node < len(doc.nodes) or "matrix" in doc.nodes[c.node]:
            findings.append("a channel for a node that a matrix places: %s" % doc.name(c.node))
    if not seen:
        findings.append("an animation without channels")
    return findings


def findings_of(target, made, frames, frame_time, converted=None):
    if str(made).lower().endswith(".bvh"):
        return bvh_findings(target, made, frames, frame_time)
    return converted_findings(converted, made) if converted else gltf_findings(target, made)
