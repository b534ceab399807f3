#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Writes valid glTF files for the corners of the format, most with a walking figure whose feet slide.

usage: gltf_samples.py FOLDER [NAME...]

samples() gives them as Sample objects: files by name, and what a reader must find in them.
"""

import json
import sys

import numpy as np

import gltf
import gltf_samples_odd  # noqa: F401 (enters its makers)
from gltf_build import (BYTE, FLOAT, MAKERS, SHAPE, SHORT, UBYTE, UINT, USHORT, Doc, Sample, dump, hermite, pack_glb,
                        sample, single)
from gltf_figure import Walk, about, quaternion


# interpolation and component types


@sample
def linear():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk))
    return single("linear.glb", doc.glb())


@sample
def linear_by_default():
    """A sampler without interpolation is LINEAR, a node without a member rests."""
    doc, walk = Doc(), Walk(fps=60.0, frames=90)
    doc.walk(walk, doc.figure(walk), interpolation=None)
    return single("linear_by_default.glb", doc.glb())


@sample
def step():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk), interpolation="STEP")
    return single("step.glb", doc.glb())


def sparse_keys(interpolation, every=4):
    """Hips dense, all else with a key every few frames."""
    doc, walk = Doc(), Walk(frames=61)
    nodes = doc.figure(walk)
    a = doc.animation()
    doc.channel(a, nodes[0], "translation", walk.times, walk.hips)
    keys = slice(0, 61, every)
    for i, node in enumerate(nodes):
        values = walk.rotations[keys, i]
        if interpolation == "CUBICSPLINE":
            values = hermite(walk.times[keys], values, True)
        doc.channel(a, node, "rotation", walk.times[keys], values, interpolation)
    return doc


@sample
def cubicspline():
    return single("cubicspline.glb", sparse_keys("CUBICSPLINE").glb())


@sample
def sparse_linear():
    return single("sparse_linear.glb", sparse_keys("LINEAR", 3).glb())


@sample
def cubicspline_dense():
    doc, walk = Doc(), Walk()
    nodes, a = doc.figure(walk), doc.animation()
    doc.channel(a, nodes[0], "translation", walk.times, hermite(walk.times, walk.hips, False), "CUBICSPLINE")
    for i, node in enumerate(nodes):
        doc.channel(a, node, "rotation", walk.times, hermite(walk.times, walk.rotations[:, i], True), "CUBICSPLINE")
    return single("cubicspline_dense.glb", doc.glb())


@sample
def mixed_interpolation():
    doc, walk = Doc(), Walk()
    nodes, a = doc.figure(walk), doc.animation()
    doc.channel(a, nodes[0], "translation", walk.times, walk.hips)
    for i, node in enumerate(nodes):
        kind = ("LINEAR", "STEP", "CUBICSPLINE")[i % 3]
        values = hermite(walk.times, walk.rotations[:, i], True) if i % 3 == 2 else walk.rotations[:, i]
        doc.channel(a, node, "rotation", walk.times, values, kind)
    return single("mixed_interpolation.glb", doc.glb())


@sample
def component_types():
    """Rotations as every type that an animation may have: bytes on the arms, shorts on the legs. An unsigned type
    holds a turn whose four numbers are none negative."""
    doc, walk = Doc(), Walk()
    nodes, a = doc.figure(walk), doc.animation()
    times = doc.accessor(walk.times, bounds=True)
    doc.channel(a, nodes[0], "translation", times, walk.hips)
    for i, node in enumerate(nodes):
        kind = BYTE if "Arm" in walk.names[i] or "Hand" in walk.names[i] else SHORT
        doc.channel(a, node, "rotation", times, walk.rotations[:, i], component=kind)
    for name, kind in (("PropA", UBYTE), ("PropB", USHORT)):
        node = doc.node(name=name)
        doc.json["scenes"][0]["nodes"].append(node)
        half = 0.5 * np.linspace(0.1, 1.0, len(walk.times))
        doc.channel(a, node, "rotation", times, np.stack([np.sin(half), 0 * half, 0 * half, np.cos(half)], axis=1),
                    component=kind)
    return single("component_types.glb", doc.glb())


@sample
def short_rotations():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk), component=SHORT)
    return single("short_rotations.glb", doc.glb())


# accessors


@sample
def sparse_accessors():
    """Rotations as a constant base with sparse rows over it, index types 8, 16 and 32 bits; a sparse accessor without
    a base is zeros; the scale of the head is one of that kind with all rows given."""
    doc, walk = Doc(), Walk()
    nodes, a = doc.figure(walk), doc.animation()
    times = doc.accessor(walk.times, bounds=True)
    n = len(walk.times)

    def sparse(values, base, index_type):
        values = np.asarray(values, np.float32)
        rows = np.arange(n) if base is None else np.flatnonzero((values != np.float32(base)).any(axis=1))
        acc = {"componentType": FLOAT, "count": n, "type": SHAPE[values.shape[1]]}
        if base is not None:
            acc["bufferView"] = doc.view(np.tile(np.float32(base), (n, 1)).tobytes())
        if len(rows):
            acc["sparse"] = {
                "count": len(rows),
                "indices": {"bufferView": doc.view(rows.astype(gltf.COMPONENTS[index_type][0]).tobytes()),
                            "componentType": index_type},
                "values": {"bufferView": doc.view(values[rows].tobytes())}}
        doc.json["accessors"].append(acc)
        return len(doc.json["accessors"]) - 1

    doc.channel(a, nodes[0], "translation", times, sparse(walk.hips, None, UINT))
    for i, node in enumerate(nodes):
        doc.channel(a, node, "rotation", times, sparse(walk.rotations[:, i], walk.rotations[0, i],
                                                       (UBYTE, USHORT, UINT)[i % 3]))
    doc.channel(a, nodes[walk.names.index("Head")], "scale", times, sparse(np.ones((n, 3)), None, USHORT))
    return single("sparse_accessors.glb", doc.glb())


@sample
def interleaved():
    """All rotations in one strided view, offsets by accessor. The validator wants none of that in animations; readers
    take it."""
    doc, walk = Doc(), Walk()
    nodes, a = doc.figure(walk), doc.animation()
    times = doc.accessor(walk.times, bounds=True)
    block = np.float32(walk.rotations[:, :12]).reshape(len(walk.times), -1)
    view = doc.view(block.tobytes(), stride=12 * 16)
    doc.channel(a, nodes[0], "translation", times, walk.hips)
    for i, node in enumerate(nodes):
        values = doc.accessor(walk.rotations[:, i], view=view, offset=16 * i) if i < 12 else walk.rotations[:, i]
        doc.channel(a, node, "rotation", times, values)
    return single("interleaved.glb", doc.glb())


@sample
def shared_data():
    """One sampler for both hands and a toe, one accessor for two clips: what is solved must not change the rest."""
    doc, walk = Doc(), Walk()
    nodes, a = doc.figure(walk), doc.animation()
    times = doc.accessor(walk.times, bounds=True)
    doc.channel(a, nodes[0], "translation", times, walk.hips)
    outputs = {}
    for i, node in enumerate(nodes):
        outputs[i] = doc.accessor(walk.rotations[:, i])
        doc.channel(a, node, "rotation", times, outputs[i])
    channels = doc.json["animations"][a]["channels"]
    foot = 1 + walk.names.index("LeftFoot")
    for name in ("LeftHand", "RightHand", "LeftToeBase", "Neck"):
        channels[1 + walk.names.index(name)]["sampler"] = channels[foot]["sampler"]
    b = doc.animation("again")
    doc.channel(b, nodes[0], "translation", times, doc.json["animations"][a]["samplers"][0]["output"])
    for i, node in enumerate(nodes):
        doc.channel(b, node, "rotation", times, outputs[i])
    return single("shared_data.glb", doc.glb(), clips=["walk", "again"])


@sample
def flipped_signs():
    """q and -q are one rotation."""
    doc, walk = Doc(), Walk()
    rng = np.random.default_rng(5)
    walk.rotations = walk.rotations * rng.choice([-1.0, 1.0], walk.rotations.shape[:2])[..., None]
    doc.walk(walk, doc.figure(walk))
    return single("flipped_signs.glb", doc.glb())


# where the bytes are


def _uri(name, uri, files=(), **facts):
    doc, walk = Doc(), Walk(frames=40)
    doc.walk(walk, doc.figure(walk))
    files = {f: bytes(doc.bytes) for f in files}
    uri = uri(doc) if callable(uri) else uri
    return Sample(name, {name + ".gltf": doc.gltf(uri), **files}, name + ".gltf", **facts)


@sample
def data_uri_padded():
    return _uri("data_uri_padded", lambda d: d.data_uri())


@sample
def data_uri_bare():
    doc, walk = Doc(), Walk(frames=40)
    doc.walk(walk, doc.figure(walk))
    doc.bytes += b"x" * (1 + (-len(doc.bytes)) % 3)  # a length that wants padding
    return single("data_uri_bare.gltf", doc.gltf(doc.data_uri("application/gltf-buffer", "bare")))


@sample
def data_uri_escaped():
    return _uri("data_uri_escaped", lambda d: d.data_uri(style="escaped"))


@sample
def data_uri_plain():
    return _uri("data_uri_plain", lambda d: d.data_uri(style="plain"))


@sample
def external():
    return _uri("external", "external.bin", ["external.bin"])


@sample
def external_spaces():
    return _uri("external_spaces", "my%20walk%2520data.bin", ["my walk%20data.bin"])


@sample
def external_raw_space():
    return _uri("external_raw_space", "raw space.bin", ["raw space.bin"])


@sample
def external_unicode():
    return _uri("external_unicode", "g\u00e4nge-%E6%AD%A9.bin", ["g\u00e4nge-\u6b69.bin"])


@sample
def external_folder():
    return _uri("external_folder", "parts/./walk.bin", ["parts/walk.bin"])


@sample
def several_buffers():
    """Times in a file, rotations in a data URI, the rest in a GLB-like first buffer; views that overlap."""
    doc, walk = Doc(), Walk(frames=40)
    doc.walk(walk, doc.figure(walk))
    whole, half = bytes(doc.bytes), len(doc.bytes) // 2 // 4 * 4
    first, second = Doc(), Doc()
    first.bytes, second.bytes = whole, whole[half:]
    out = doc.clean()
    for view in out["bufferViews"]:
        if view["byteOffset"] >= half:
            view["byteOffset"] -= half
            view["buffer"] = 1
    out["buffers"] = [{"byteLength": len(whole), "uri": "several_buffers.bin"},
                      {"byteLength": len(whole) - half, "uri": second.data_uri()}]
    return Sample("several_buffers", {"several_buffers.gltf": dump(out, 2), "several_buffers.bin": whole},
                  "several_buffers.gltf")


@sample
def glb_with_other_buffers():
    """A GLB whose second buffer is a data URI, holding the keys."""
    doc, walk = Doc(), Walk(frames=40)
    doc.walk(walk, doc.figure(walk))
    other = Doc()
    other.bytes = bytes(doc.bytes)
    out = doc.clean()
    out["buffers"].append({"byteLength": len(other.bytes), "uri": other.data_uri()})
    first_key = out["animations"][0]["samplers"][0]["input"]
    for view in out["bufferViews"][out["accessors"][first_key]["bufferView"]:]:
        view["buffer"] = 1
    return single("glb_with_other_buffers.glb", pack_glb(dump(out), bytes(doc.bytes)))


@sample
def glb_without_binary():
    doc, walk = Doc(), Walk(frames=40)
    doc.walk(walk, doc.figure(walk))
    out = doc.clean()
    out["buffers"][0]["uri"] = doc.data_uri()
    return single("glb_without_binary.glb", pack_glb(dump(out), b""))


# nodes


@sample
def matrix_nodes():
    """A wrapper, the spine and the toes by matrix; what an animation moves has none."""
    doc, walk = Doc(), Walk()
    wrapper = doc.node(name="Wrapper", matrix=[0, 0, -1, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0.5, 0.25, -2, 1])
    doc.json["scenes"][0]["nodes"].append(wrapper)
    nodes = doc.figure(walk, parent=wrapper)
    still = [i for i, n in enumerate(walk.names) if n in ("Spine", "Chest", "LeftToeBase", "RightToeBase", "LeftHand")]
    for i in still:
        n = doc.json["nodes"][nodes[i]]
        m = gltf.compose(np.array([n.pop("translation")]), np.array([n.pop("rotation")]), np.ones((1, 3)))[0]
        n["matrix"] = [float(v) for v in np.float32(m).T.ravel()]
    doc.walk(walk, nodes, skip=still)
    return single("matrix_nodes.glb", doc.glb())


@sample
def several_skins():
    """Upper and lower body are two skins of one skeleton, a sword is a third; a joint is in no skin."""
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk, skin=False)
    lower = [i for i in range(len(nodes)) if walk.names[i].startswith(("Left", "Right", "Hips")) and i < 11]
    upper = [i for i in range(11, len(nodes)) if walk.names[i] != "Neck"]
    doc.skin(walk, nodes, joints=lower)
    doc.skin(walk, nodes, joints=upper)
    del doc.json["skins"][1]["skeleton"]
    sword = doc.node(name="Sword", translation=[0, 0.1, 0])
    doc.json["nodes"][nodes[walk.names.index("RightHand")]]["children"] = [sword]
    doc.json["skins"].append({"joints": [sword]})
    doc.walk(walk, nodes)
    return single("several_skins.glb", doc.glb())


@sample
def two_characters():
    """Two figures with the same joint names; the clip moves both."""
    doc, walk, other = Doc(), Walk(), Walk(seed=9)
    a = doc.node(name="One")
    b = doc.node(name="Two", translation=[1.5, 0, 0])
    doc.json["scenes"][0]["nodes"] += [a, b]
    first, second = doc.figure(walk, a), doc.figure(other, b)
    index = doc.walk(walk, first)
    times = doc.accessor(other.times, bounds=True)
    doc.channel(index, second[0], "translation", times, other.hips)
    for i, node in enumerate(second):
        doc.channel(index, node, "rotation", times, other.rotations[:, i])
    return single("two_characters.glb", doc.glb(), legs=None)


@sample
def no_skin():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk, skin=False))
    return single("no_skin.glb", doc.glb())


@sample
def skin_without_mesh():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk, mesh=False))
    return single("skin_without_mesh.glb", doc.glb())


@sample
def nameless():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk, names=False), name=None)
    return single("nameless.glb", doc.glb(), legs=None, clips=[""])


@sample
def same_names():
    """Every joint of a side is called alike."""
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk)
    for node in nodes:
        n = doc.json["nodes"][node]
        n["name"] = "Left" if n["name"].startswith("Left") else "Right" if n["name"].startswith("Right") else "Bone"
    doc.walk(walk, nodes)
    return single("same_names.glb", doc.glb(), legs=None)


@sample
def strange_names():
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk)
    for i, node in enumerate(nodes):
        n = doc.json["nodes"][node]
        n["name"] = ("mixamorig:%s", "%s \u6b69\u304f", "%s \"quoted\" \\ / {x}", "%s\twith tab", "%s \U0001f43e", "%s %%20",
                     "%s,comma;semicolon")[i % 7] % n["name"]
    doc.walk(walk, nodes, name="walk\nin two lines")
    text = json.dumps(doc.clean(), separators=(",", ":")).encode()  # with \u escapes
    return single("strange_names.glb", doc.glb(text), clips=["walk\nin two lines"])


@sample
def children_first():
    """Nodes stand in the file before their parents."""
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk))
    out, n = doc.clean(), len(doc.json["nodes"])
    turn = lambda i: n - 1 - i
    for node in out["nodes"]:
        if "children" in node:
            node["children"] = [turn(c) for c in node["children"]]
    out["nodes"] = out["nodes"][::-1]
    out["scenes"][0]["nodes"] = [turn(i) for i in out["scenes"][0]["nodes"]]
    for skin in out["skins"]:
        skin["joints"], skin["skeleton"] = [turn(i) for i in skin["joints"]], turn(skin["skeleton"])
    for c in out["animations"][0]["channels"]:
        c["target"]["node"] = turn(c["target"]["node"])
    return single("children_first.glb", pack_glb(dump(out), bytes(doc.bytes)))


def _wrapped(name, figure_scale, walk=None, **wrapper):
    """The figure below a node with a transform, its own lengths divided by figure_scale."""
    facts = {k: wrapper.pop(k) for k in ("legs", "solves", "refusal") if k in wrapper}
    doc, walk = Doc(), walk or Walk()
    top = doc.node(name="Armature", **wrapper)
    doc.json["scenes"][0]["nodes"].append(top)
    doc.walk(walk, doc.figure(walk, top, figure_scale), scale=figure_scale)
    return single(name + ".glb", doc.glb(), **facts)


@sample
def armature_hundredth():
    """Centimetres under a scale of 0.01, turned from Z up, as exporters do."""
    return _wrapped("armature_hundredth", 0.01, _z_up(Walk()), scale=[0.01] * 3,
                    rotation=[-0.7071067690849304, 0, 0, 0.7071067690849304])


@sample
def armature_hundred():
    return _wrapped("armature_hundred", 100.0, scale=[100.0] * 3)


@sample
def armature_in_two():
    """Scales of 0.01 and 100 above one another, with moves."""
    doc, walk = Doc(), Walk()
    inner = doc.node(name="Inner", scale=[100.0] * 3, translation=[100, 0, 0])
    outer = doc.node(name="Outer", scale=[0.01] * 3, children=[inner], rotation=[0, 0.3826834261417389, 0, 0.9238795042037964])
    doc.json["scenes"][0]["nodes"].append(outer)
    doc.walk(walk, doc.figure(walk, inner))
    return single("armature_in_two.glb", doc.glb())


def _z_up(walk):
    """The same walk written with Z up: the root's axes and path are turned, offsets below stay."""
    m = about(0, np.pi / 2)[0]
    walk.hips = walk.hips @ m.T
    walk.rotations[:, 0] = quaternion(m @ walk.turn[:, 0] @ walk.axes[0])
    walk.rest_rotations[0] = quaternion(m @ walk.axes[0])
    walk.offsets[0] = m @ walk.offsets[0]
    walk.rest = walk.rest @ m.T
    walk.axes = m @ walk.axes
    return walk


@sample
def z_up_matrix():
    return _wrapped("z_up_matrix", 1.0, _z_up(Walk()), matrix=[1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 1])


@sample
def mirrored():
    return _wrapped("mirrored", 1.0, scale=[-1.0, 1.0, 1.0])


@sample
def mirrored_whole():
    return _wrapped("mirrored_whole", 1.0, scale=[-1.0, -1.0, -1.0], rotation=[0, 0, 1, 0])


@sample
def non_uniform():
    """A scale that shears what turns below it: positions can be read, but no turn can be put back."""
    return _wrapped("non_uniform", 1.0, scale=[1.0, 1.15, 1.0], solves=None, refusal="scale")


@sample
def joint_scales():
    """Uniform scales on joints, at rest and in the clip."""
    doc, walk = Doc(), Walk()
    nodes = doc.figure(walk)
    index = doc.walk(walk, nodes)
    for name, k in (("LeftUpLeg", 1.25), ("Chest", 0.8), ("Head", 2.0)):
        i = nodes[walk.names.index(name)]
        doc.json["nodes"][i]["scale"] = [k] * 3
        below = list(doc.json["nodes"][i].get("children", []))
        for child in below:
            t = doc.json["nodes"][child]["translation"]
            doc.json["nodes"][child]["translation"] = [float(np.float32(v / k)) for v in t]
            below += doc.json["nodes"][child].get("children", [])
    wave = 1.0 + 0.1 * np.sin(np.arange(len(walk.times)))
    doc.channel(index, nodes[walk.names.index("Head")], "scale", walk.times, np.stack([wave] * 3, axis=1))
    return single("joint_scales.glb", doc.glb())


@sample
def moving_parent():
    """The node above the skeleton carries the travel, the hips only bob."""
    doc, walk = Doc(), Walk()
    top = doc.node(name="Mover")
    doc.json["scenes"][0]["nodes"].append(top)
    nodes = doc.figure(walk, top)
    path = walk.hips.copy()
    walk.hips = walk.hips * [1, 1, 0]
    index = doc.walk(walk, nodes)
    doc.channel(index, top, "translation", walk.times, path * [0, 0, 1])
    return single("moving_parent.glb", doc.glb())


# scenes and clips


@sample
def several_scenes():
    doc, walk = Doc(), Walk()
    camera = doc.node(name="Camera", camera=0, translation=[0, 1, 5])
    doc.json["cameras"] = [{"type": "perspective", "perspective": {"yfov": 0.8, "znear": 0.01, "aspectRatio": 1.5}}]
    doc.json["scenes"] = [{"nodes": [], "name": "The walk"}, {"nodes": [camera], "name": "Nothing"}]
    doc.walk(walk, doc.figure(walk))
    doc.json["scenes"].append({"nodes": list(doc.json["scenes"][0]["nodes"])})
    doc.json["scene"] = 1
    return single("several_scenes.glb", doc.glb())


@sample
def no_default_scene():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk))
    del doc.json["scene"]
    return single("no_default_scene.glb", doc.glb())


@sample
def no_scene_at_all():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk))
    del doc.json["scene"], doc.json["scenes"]
    return single("no_scene_at_all.glb", doc.glb())


@sample
def several_clips():
    """Five clips, two of one name, one of no name, one for the camera alone, at different rates."""
    doc = Doc()
    walk = Walk()
    nodes = doc.figure(walk)
    for name, fps, frames in (("walk", 30.0, 50), ("walk", 60.0, 90), (None, 24.0, 40)):
        other = Walk(frames=frames, fps=fps)
        doc.walk(other, nodes, name=name)
    camera = doc.node(name="Camera", camera=0)
    doc.json["cameras"] = [{"type": "orthographic", "orthographic": {"xmag": 1, "ymag": 1, "zfar": 10, "znear": 0.1}}]
    doc.json["scenes"][0]["nodes"].append(camera)
    a = doc.animation("pan")
    doc.channel(a, camera, "translation", [0.0, 1.0], [[0, 0, 0], [1, 0, 0]])
    standing = doc.animation("stand")
    doc.channel(standing, nodes[0], "rotation", [0.0], walk.rotations[:1, 0])
    return single("several_clips.glb", doc.glb(), clips=["walk", "walk", "", "pan", "stand"])


@sample
def late_start():
    doc, walk = Doc(), Walk()
    doc.walk(walk, doc.figure(walk), start=1.25)
    return single("late_start.glb", doc.glb())


@sample
def character_alone():
    doc, walk = Doc(), Walk()
    doc.figure(walk)
    return single("character_alone.glb", doc.glb(), clips=[])


@sample
def clip_alone():
    """The walk for the character of character_alone.glb: nodes in another order, no mesh, no skin."""
    doc, walk = Doc(), Walk()
    doc.node(name="Unused")
    doc.json["scenes"][0]["nodes"].append(0)
    doc.walk(walk, doc.figure(walk, skin=False))
    return single("clip_alone.glb", doc.glb())


@sample
def uneven_keys():
    doc, walk = Doc(), Walk(frames=61)
    rng = np.random.default_rng(11)
    nodes, a = doc.figure(walk), doc.animation()
    for i, node in enumerate(nodes):
        keys = np.unique(np.concatenate([[0, 60], rng.choice(61, 35, replace=False)]))
        doc.channel(a, node, "rotation", walk.times[keys], walk.rotations[keys, i])
    doc.channel(a, nodes[0], "translation", walk.times, walk.hips)
    return single("uneven_keys.glb", doc.glb())


@sample
def channels_of_different_lengths():
    """Arms end early, the hips go on: values are held."""
    doc, walk = Doc(), Walk(frames=61)
    nodes, a = doc.figure(walk), doc.animation()
    doc.channel(a, nodes[0], "translation", walk.times, walk.hips)
    for i, node in enumerate(nodes):
        keys = slice(5, 40) if i > 12 else slice(0, 50) if i > 5 else slice(0, 61)
        doc.channel(a, node, "rotation", walk.times[keys], walk.rotations[keys, i])
    return single("channels_of_different_lengths.glb", doc.glb())


# figures of other kinds


@sample
def snake():
    doc, n = Doc(), 24
    first = len(doc.json["nodes"])
    for i in range(n):
        doc.node(name="Spine%d" % i, translation=[0, 0.05 if i == 0 else 0, 0.1 if i else 0],
                 **({"children": [first + i + 1]} if i + 1 < n else {}))
    doc.json["scenes"][0]["nodes"].append(first)
    doc.json["skins"].append({"joints": list(range(first, first + n))})
    a, times = doc.animation("slither"), np.arange(60) / 30.0
    for i in range(n):
        q = quaternion(about(1, 0.2 * np.sin(2 * np.pi * times + 0.5 * i)))
        doc.channel(a, first + i, "rotation", times, q)
    return single("snake.glb", doc.glb(), legs=0, clips=["slither"])


@sample
def box():
    doc = Doc()
    doc.json["scenes"][0]["nodes"].append(doc.node(name="Box"))
    a = doc.animation("turn")
    doc.channel(a, 0, "rotation", [0.0, 1.0, 2.0], [[0, 0, 0, 1], [0, 1, 0, 0], [0, 0, 0, -1]])
    doc.channel(a, 0, "translation", [0.0, 1.0], [[0, 0, 0], [0, 1, 0]], "STEP")
    doc.channel(a, 0, "scale", [0.0, 1.0], [[1, 1, 1], [2, 2, 2]])
    return single("box.glb", doc.glb(), legs=0, clips=["turn"])


@sample
def nothing():
    return single("nothing.gltf", b'{"asset":{"version":"2.0"}}', legs=0, clips=[])


@sample
def four_legs():
    """A quadruped that stands, two figures' legs under one spine: fore legs and hind legs of three segments."""
    doc = Doc()
    nodes = [{"name": "root", "translation": [0, 0, 0]}, {"name": "hips", "translation": [0, 0.6, -0.3]},
             {"name": "spine", "translation": [0, 0.02, 0.3]}, {"name": "chest", "translation": [0, 0, 0.3]},
             {"name": "neck", "translation": [0, 0.15, 0.15]}, {"name": "head", "translation": [0, 0.1, 0.15]},
             {"name": "tail", "translation": [0, 0, -0.15]}, {"name": "tail_end", "translation": [0, -0.1, -0.2]}]
    parents = [-1, 0, 1, 2, 3, 4, 1, 6]
    for part, holder, z in (("front", 3, 0.02), ("hind", 1, 0.02)):
        for side, x in (("L", 0.12), ("R", -0.12)):
            at = holder
            for name, offset in (("upper", (x, -0.02, z)), ("lower", (0, -0.22, 0.04)), ("cannon", (0, -0.2, -0.05)),
                                 ("paw", (0, -0.15, 0.0)), ("paw_end", (0, -0.01, 0.07))):
                nodes.append({"name": "%s_%s.%s" % (part, name, side), "translation": list(offset)})
                parents.append(at)
                at = len(nodes) - 1
    for i, p in enumerate(parents):
        if p >= 0:
            nodes[p].setdefault("children", []).append(i)
    doc.json["nodes"] = nodes
    doc.json["scenes"][0]["nodes"].append(0)
    doc.json["skins"].append({"joints": list(range(len(nodes)))})
    a, times = doc.animation("shift"), np.arange(40) / 30.0
    path = np.array([[0.03 * np.sin(3 * t), 0.6 + 0.01 * np.sin(5 * t), -0.3 + 0.02 * t] for t in times])
    doc.channel(a, 1, "translation", times, path)
    for i, node in enumerate(nodes):
        doc.channel(a, i, "rotation", times, quaternion(about(0, 0.02 * np.sin(times * 4 + i))))
    return single("four_legs.glb", doc.glb(), legs=None, clips=["shift"])


def samples(names=None):
    return [MAKERS[name]() for name in (names or MAKERS)]


def main():
    if len(sys.argv) < 2:
        print(__doc__.split("\n")[2], file=sys.stderr)
        return 2
    for made in samples(sys.argv[2:]):
        print(made.write(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
