# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""A small BVH reader, forward kinematics and writer, independent of the C program.

Values stay in the file's own unit and axes. A clip keeps the channel numbers exactly as read (doubles), so
that "untouched" can be tested with ==.

Position channels: a joint's position channels either replace its OFFSET ("absolute") or add to it
("additive"). The guess, joint by joint: with a zero OFFSET it does not matter; channels that stay small beside
the OFFSET in every frame add to it; everything else replaces it.
"""

import re

import numpy as np

from rotations import axis_matrix


class BvhError(ValueError):
    pass


class Node:
    """A joint or an End Site (is_end); End Sites carry no channels and are named '<parent>:end'."""

    def __init__(self, name, parent, is_end):
        self.name = name
        self.parent = parent
        self.is_end = is_end
        self.offset = np.zeros(3)
        self.channels = []
        self.first_channel = 0
        self.additive = False


class Clip:
    def __init__(self):
        self.nodes = []
        self.frame_time = 0.0
        self.values = np.zeros((0, 0))
        self.warnings = []
        self.path = ""

    @property
    def frames(self):
        return self.values.shape[0]

    def index(self, name):
        for i, node in enumerate(self.nodes):
            if node.name == name:
                return i
        raise KeyError("no joint named %r" % name)

    def children(self, i):
        return [k for k, node in enumerate(self.nodes) if node.parent == i]

    def end_site(self, i):
        """The End Site below joint i, or None."""
        for k in self.children(i):
            if self.nodes[k].is_end:
                return k
        return None

    def joint_values(self, i):
        node = self.nodes[i]
        return self.values[:, node.first_channel:node.first_channel + len(node.channels)]

    def with_values(self, values):
        other = Clip()
        other.nodes, other.frame_time, other.path = self.nodes, self.frame_time, self.path
        other.values = values
        return other


_CHANNEL = re.compile(r"^([xyz])(position|rotation)$")


def _header(text, clip):
    """Fills clip.nodes from the HIERARCHY part; returns the channel count of a row."""
    lines = [line.strip() for line in text.replace("{", "\n{\n").replace("}", "\n}\n").split("\n")]
    stack, current, total = [], None, 0
    for line in lines:
        if not line:
            continue
        word = line.split()[0].lower()
        if word == "hierarchy":
            continue
        if word in ("root", "joint"):
            parent = stack[-1] if stack else -1
            current = Node(line[len(word):].strip(), parent, False)
            clip.nodes.append(current)
        elif word == "end":
            if not stack:
                raise BvhError("End Site outside a joint")
            current = Node(clip.nodes[stack[-1]].name + ":end", stack[-1], True)
            clip.nodes.append(current)
        elif word == "{":
            stack.append(len(clip.nodes) - 1)
        elif word == "}":
            if not stack:
                clip.warnings.append("one closing brace too many")
                continue
            stack.pop()
        elif word == "offset":
            current.offset = np.array([float(x) for x in line.split()[1:4]])
            if current.offset.shape != (3,):
                raise BvhError("OFFSET of %s needs three numbers" % current.name)
        elif word == "channels":
            parts = line.split()
            count = int(parts[1])
            names = [p.lower() for p in parts[2:]]
            if len(names) != count or not all(_CHANNEL.match(n) for n in names):
                raise BvhError("CHANNELS of %s: %s" % (current.name, line))
            current.channels = names
            current.first_channel = total
            total += count
        else:
            raise BvhError("unexpected line in the hierarchy: %r" % line)
    if not clip.nodes:
        raise BvhError("no joints")
    return total


def _rows(text, width, declared, clip):
    """The motion table. Lines of the right width count; otherwise the stream of numbers is cut into rows."""
    lines = [line for line in text.split("\n") if line.strip()]
    tokens = text.split()
    if width == 0:
        return np.zeros((max(declared, 0), 0))
    numbers = np.array(tokens, dtype=float) if tokens else np.zeros(0)
    rows = len(numbers) // width
    if len(numbers) % width:
        clip.warnings.append("last row is incomplete: %d of %d numbers" % (len(numbers) % width, width))
    elif len(lines) != rows:
        clip.warnings.append("rows are wrapped: %d lines for %d rows" % (len(lines), rows))
    if rows != declared:
        clip.warnings.append("Frames: %d declared, %d rows found" % (declared, rows))
    return numbers[:rows * width].reshape(rows, width)


def parse(data, positions="auto"):
    """Reads a clip from bytes. positions: 'auto', 'absolute' or 'additive'."""
    text = data.decode("latin-1").replace("\r\n", "\n").replace("\r", "\n")
    found = re.search(r"^[ \t]*motion[ \t]*$", text, re.I | re.M)
    if not found:
        raise BvhError("no MOTION section")
    clip = Clip()
    width = _header(text[:found.start()], clip)
    head = re.match(r"\s*frames\s*:?\s*(-?\d+)\s*frame\s+time\s*:?\s*(\S+)[ \t]*\n?", text[found.end():], re.I)
    if not head:
        raise BvhError("MOTION needs Frames: and Frame Time:")
    declared, clip.frame_time = int(head.group(1)), float(head.group(2))
    if clip.frame_time > 5.0:
        clip.warnings.append("Frame Time %g taken for a rate" % clip.frame_time)
        clip.frame_time = 1.0 / clip.frame_time
    clip.values = _rows(text[found.end() + head.end():], width, declared, clip)
    decide_positions(clip, positions)
    return clip


def read(path, positions="auto"):
    with open(path, "rb") as file:
        data = file.read()
    try:
        clip = parse(data, positions)
    except (BvhError, ValueError) as error:
        raise BvhError("%s: %s" % (path, error)) from error
    clip.path = str(path)
    return clip


def position_columns(clip, i):
    """[(axis, column)] of joint i's position channels."""
    node = clip.nodes[i]
    return [("xyz".index(c[0]), node.first_channel + k) for k, c in enumerate(node.channels) if c.endswith("position")]


def decide_positions(clip, positions="auto"):
    for i, node in enumerate(clip.nodes):
        columns = position_columns(clip, i)
        if not columns or positions == "absolute":
            node.additive = False
        elif positions == "additive":
            node.additive = True
        else:
            size = np.linalg.norm(node.offset)
            values = clip.values[:, [c for _, c in columns]]
            reach = np.max(np.abs(values)) if values.size else 0.0
            node.additive = bool(size > 0.0 and reach < 0.25 * size)


def same_positions(clip, model):
    """Reads clip's position channels as model's were decided: a cleaned clip means what the given one meant."""
    if len(clip.nodes) == len(model.nodes):
        for node, other in zip(clip.nodes, model.nodes):
            node.additive = other.additive


def local_transforms(clip):
    """(rotation (F, N, 3, 3), translation (F, N, 3)) of every node relative to its parent, file units."""
    frames, count = clip.frames, len(clip.nodes)
    rotation = np.broadcast_to(np.eye(3), (frames, count, 3, 3)).copy()
    translation = np.zeros((frames, count, 3))
    for i, node in enumerate(clip.nodes):
        translation[:, i] = node.offset
        for k, channel in enumerate(node.channels):
            value = clip.values[:, node.first_channel + k]
            if channel.endswith("position"):
                axis = "xyz".index(channel[0])
                translation[:, i, axis] = value + (node.offset[axis] if node.additive else 0.0)
            else:
                rotation[:, i] = rotation[:, i] @ axis_matrix(channel[0], np.radians(value))
    return rotation, translation


class Pose:
    """Forward kinematics of a whole clip: local and model rotations, model positions (file units)."""

    def __init__(self, clip):
        self.local, translation = local_transforms(clip)
        self.model = np.empty_like(self.local)
        self.position = np.empty_like(translation)
        for i, node in enumerate(clip.nodes):
            if node.parent < 0:
                self.model[:, i] = self.local[:, i]
                self.position[:, i] = translation[:, i]
            else:
                parent = self.model[:, node.parent]
                self.model[:, i] = parent @ self.local[:, i]
                self.position[:, i] = self.position[:, node.parent] + np.einsum(
                    "fij,fj->fi", parent, translation[:, i])


def rest_positions(clip):
    """Positions of the nodes with all rotations zero and the OFFSETs as they stand."""
    out = np.zeros((len(clip.nodes), 3))
    for i, node in enumerate(clip.nodes):
        out[i] = node.offset + (out[node.parent] if node.parent >= 0 else 0.0)
    return out


def write(clip, path):
    """Writes the clip; numbers in the shortest text that reads back equal."""
    lines = ["HIERARCHY"]
    spell = {"x": "X", "y": "Y", "z": "Z"}

    def put(i, depth):
        node, tab = clip.nodes[i], "\t" * depth
        if node.is_end:
            lines.append(tab + "End Site")
        else:
            lines.append(tab + ("ROOT " if node.parent < 0 else "JOINT ") + node.name)
        lines.append(tab + "{")
        lines.append(tab + "\tOFFSET " + " ".join(repr(float(x)) for x in node.offset))
        if not node.is_end:
            names = [spell[c[0]] + c[1:] for c in node.channels]
            lines.append(tab + "\tCHANNELS " + " ".join([str(len(names))] + names))
        for k in clip.children(i):
            put(k, depth + 1)
        lines.append(tab + "}")

    for i, node in enumerate(clip.nodes):
        if node.parent < 0:
            put(i, 0)
    lines += ["MOTION", "Frames: %d" % clip.frames, "Frame Time: %r" % clip.frame_time]
    lines += [" ".join(repr(float(x)) for x in row) for row in clip.values]
    with open(path, "w", encoding="latin-1", newline="\n") as file:
        file.write("\n".join(lines) + "\n")
