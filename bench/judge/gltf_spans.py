# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""JSON text as a tree that knows where each value stands, so that two documents can be compared byte for byte."""

import json
import re

_SPACE = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\\x00-\x1f]|\\.)*"', re.S)
_ATOM = re.compile(rb"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")


class Value:
    """kind: 'object', 'array' or 'atom'; text[start:end] is the value. members: [(key, Value)] or [Value];
    gaps: the bytes before, between and after members, brackets, commas, keys and colons included."""

    __slots__ = ("kind", "start", "end", "members", "gaps", "text")

    def raw(self):
        return self.text[self.start:self.end]

    def get(self, key):
        if self.kind == "object":
            for name, value in self.members:
                if name == key:
                    return value
        return None

    def items(self):
        return [m if self.kind == "array" else m[1] for m in self.members]

    def keys(self):
        return [name for name, _ in self.members]

    def plain(self):
        return json.loads(self.raw().decode("utf-8"))


def parse(text):
    """The Value of a whole document; text is bytes. No recursion."""
    at = _SPACE.match(text, 3 if text.startswith(b"\xef\xbb\xbf") else 0).end()
    stack, root = [], None
    while True:
        # here a value starts at `at`
        value = Value()
        value.text, value.start = text, at
        byte = text[at:at + 1]
        if byte in (b"{", b"["):
            value.kind, value.members, value.gaps = ("object" if byte == b"{" else "array"), [], []
        else:
            value.kind, value.members, value.gaps = "atom", [], []
            found = _STRING.match(text, at) or _ATOM.match(text, at)
            if not found:
                raise ValueError("byte %d: no JSON value" % at)
            value.end = found.end()
        if root is None:
            root = value
        if stack:
            holder, key, gap = stack[-1]
            holder.gaps.append(text[gap:at])
            holder.members.append((key, value) if holder.kind == "object" else value)
        if value.kind != "atom":
            gap = at
            at = _SPACE.match(text, at + 1).end()
            if text[at:at + 1] == (b"}" if value.kind == "object" else b"]"):
                value.end = at + 1
                value.gaps.append(text[gap:at + 1])
            else:
                key, at = _key(text, at) if value.kind == "object" else (None, at)
                stack.append((value, key, gap))
                continue
        at = value.end
        # close what ends here, or go on to the next member
        while stack:
            holder, _, _ = stack.pop()
            gap = at
            at = _SPACE.match(text, at).end()
            byte = text[at:at + 1]
            if byte == b",":
                at = _SPACE.match(text, at + 1).end()
                key, at = _key(text, at) if holder.kind == "object" else (None, at)
                stack.append((holder, key, gap))
                break
            if byte != (b"}" if holder.kind == "object" else b"]"):
                raise ValueError("byte %d: comma or end expected" % at)
            holder.end = at = at + 1
            holder.gaps.append(text[gap:at])
        if not stack:
            rest = text[root.end:]
            if rest.strip(b" \t\r\n\x00"):
                raise ValueError("byte %d: more after the document" % root.end)
            return root


def _key(text, at):
    found = _STRING.match(text, at)
    if not found:
        raise ValueError("byte %d: no key" % at)
    key = json.loads(found.group().decode("utf-8"))
    at = _SPACE.match(text, found.end()).end()
    if text[at:at + 1] != b":":
        raise ValueError("byte %d: no colon" % at)
    return key, _SPACE.match(text, at + 1).end()
