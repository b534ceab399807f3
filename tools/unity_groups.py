#!/usr/bin/env -S /usr/bin/python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""unity_groups.py LINES FOLDER... < sources: which sources can be compiled as one (SFT_UNITY in CMakeLists.txt).

Reads paths of C sources, one a line, and prints "group path" for each that goes with others; one without a line is
compiled by itself. A group has some LINES at most. FOLDER...: where the project's own headers are looked up.

Two sources go together where neither defines at file level what the other defines or, but for functions, names: each
file may so have its own `put` and its own LARGEST, as it may without groups. A missed clash does not compile."""
import pathlib
import re
import sys

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
                   r"""|(?P<directive>^[ \t]*\#(?:\\\n|[^\n])*)|(?P<name>[A-Za-z_]\w*)|(?P<mark>[^\s\w])""", re.S | re.M)

# What does not bear company: feature-test macros, which come before all headers; what is taken in several times; headers
# that declare more names than those of C.
APART = re.compile(r'''^\#define\ _ | ^\#include\ "[^"]*\.inc" | ^\#\s*include\ <(?!(assert|errno|float|inttypes|limits
                   |math|stdarg|stdbool|stddef|stdint|stdio|stdlib|string|time)\.h>)''', re.M | re.X)


class File:
    """What a file defines for itself, what it names, and which headers of the project it takes in."""

    def __init__(self, path, folders):
        text = path.read_text(encoding="utf-8")
        self.path = path
        self.lines = text.count("\n")
        self.functions, self.others, self.named, self.headers = set(), set(), set(), []
        self.alone = APART.search(text) is not None
        tokens = []
        for match in TOKEN.finditer(text):
            if match.lastgroup == "directive":
                self.directive(match.group(), folders)
            elif match.lastgroup:
                tokens.append(match.group())
        self.named |= {t for t in tokens if t[0].isalpha() or t[0] == "_"}
        self.declarations(tokens)

    def directive(self, line, folders):
        self.named |= set(re.findall(r"[A-Za-z_]\w*", line))
        if defined := re.match(r"\s*#\s*define\s+(\w+)", line):
            self.others.add(defined.group(1))
        if taken := re.match(r'\s*#\s*include\s+"([^"]+)"', line):
            self.headers += [f for f in ((d / taken.group(1)).resolve() for d in (self.path.parent, *folders))
                             if f.is_file()][:1]

    def declarations(self, tokens):
        """Cut at file level: static functions, variables, types and the constants of enumerations."""
        depth, start = 0, 0
        for i, token in enumerate(tokens):
            depth += (token in "({[") - (token in ")}]")
            body_ends = token == "}" and depth == 0 and tokens[i + 1:i + 2] != [";"] and ")" in tokens[start:i]
            if depth == 0 and (token == ";" or body_ends):
                self.declaration(tokens[start:i + 1])
                start = i + 1

    def declaration(self, tokens):
        outside, depth = [], 0
        for i, token in enumerate(tokens):
            depth -= token in ")}]"
            if depth == 0:
                outside.append(token)
            elif "enum" in tokens[:3] and tokens[i + 1] in ",=}" and tokens[i - 1] in "{,":
                self.others.add(token)
            depth += token in "({["
        heads = zip(outside, outside[1:])
        names = [a for a, b in heads if b in "([=;,{" and (a[0].isalpha() or a[0] == "_")]
        if "typedef" in outside or "{" in outside and "(" not in outside:
            self.others |= set(names)
        elif "static" in outside:
            function = "(" in outside and "=" not in outside
            (self.functions if function else self.others).update(names[:1] if function else names)


class Unit:
    """A source with all headers of the project that it takes in."""

    def __init__(self, source, load):
        self.source, self.parts, ahead = source, {}, [source]
        while ahead:
            path = ahead.pop()
            if path not in self.parts:
                self.parts[path] = load(path)
                ahead += self.parts[path].headers
        self.alone = self.parts[source].alone
        self.lines = self.parts[source].lines

    def clashes(self, other):
        # what both take in is the same to both
        ours = [f for p, f in self.parts.items() if p not in other.parts]
        theirs = [f for p, f in other.parts.items() if p not in self.parts]
        return any(f.alone for f in ours + theirs) or any(
            a.functions & b.functions or a.others & b.named or b.others & a.named
            for a in ours for b in theirs)


def main():
    limit = int(sys.argv[1])
    folders = [pathlib.Path(f).resolve() for f in sys.argv[2:]]
    files = {}
    groups = []
    for line in sys.stdin:
        path = pathlib.Path(line.strip()).resolve()
        unit = Unit(path, lambda p: files.get(p) or files.setdefault(p, File(p, folders)))
        if unit.alone:
            continue
        for group in groups:
            if sum(u.lines for u in group) + unit.lines <= limit and not any(u.clashes(unit) for u in group):
                group.append(unit)
                break
        else:
            groups.append([unit])
    for number, group in enumerate(g for g in groups if len(g) > 1):
        for unit in group:
            print(f"{number} {unit.source}")


if __name__ == "__main__":
    main()
