#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""What cffi is told of the library, taken from the public headers at build.

The headers go through the C preprocessor; of its output the lines that came from include/surefoot are kept, without
the bodies of inline functions and the words that only linkers care for. Constants are the #defines of a number.
"""
from __future__ import annotations

import pathlib
import re
import subprocess

# What the bindings use and what these include. Others (crowds, creatures, run-time locks of games) stay out of the
# module: a wrapper each costs half a second of compiling.
HEADERS = ("base", "math", "skeleton", "clip", "bvh", "gltf", "io", "contact", "leg", "metrics", "tracks", "cleanup",
           "lock", "rig", "retarget", "take", "ground", "adapt")

LINE_MARKER = re.compile(r'^# \d+ "([^"]*)"')
NUMBER = re.compile(r'^#define (SFT_[A-Z0-9_]+) +(\(?-?(?:0x[0-9A-Fa-f]+|\d+)u?\)?)(?: |$)', re.M)


def source_text() -> str:
    """The C text that the module is compiled with."""
    return "".join(f'#include "surefoot/{name}.h"\n' for name in HEADERS)


def preprocess(include: pathlib.Path, compiler: str) -> str:
    command = [compiler, "-E", "-std=c17", f"-I{include}", "-x", "c", "-"]
    done = subprocess.run(command, input=source_text(), text=True, capture_output=True, check=True)
    kept, ours = [], False
    own = str(include)
    for line in done.stdout.splitlines():
        marker = LINE_MARKER.match(line)
        if marker:
            ours = marker.group(1).startswith(own)
        elif ours:
            kept.append(line)
    return "\n".join(kept)


def without_bodies(text: str) -> str:
    """Cuts `static inline ... { ... }`, braces counted."""
    out, at = [], 0
    for match in re.finditer(r"\bstatic\s+(?:inline|const)\b", text):
        if match.start() < at:
            continue
        out.append(text[at:match.start()])
        depth, at = 0, match.end()
        while True:
            character = text[at]
            at += 1
            depth += (character == "{") - (character == "}")
            if depth == 0 and character in "};":
                break
        # An initialiser's semicolon.
        if text[at:at + 1] == ";":
            at += 1
    out.append(text[at:])
    return "".join(out)


def constants(include: pathlib.Path) -> list[str]:
    names = []
    for name in HEADERS:
        text = (include / "surefoot" / f"{name}.h").read_text(encoding="utf-8")
        names += [match.group(1) for match in NUMBER.finditer(text)]
    return names


def declarations(include: pathlib.Path, compiler: str = "cc") -> str:
    """The text for FFI.cdef()."""
    text = without_bodies(preprocess(include, compiler))
    text = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", "", text)
    text = re.sub(r"\bextern\b", "", text)
    return "\n".join(f"#define {name} ..." for name in constants(include)) + "\n" + text


if __name__ == "__main__":
    print(declarations(pathlib.Path(__file__).resolve().parent.parent / "include"))
