#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""Checks from the #include lines that modules include strictly downward (docs/layers.md)."""
import pathlib
import re
import sys

LAYERS = {
    "core": 0, "decimal": 0, "base": 0, "math": 0,
    "skeleton": 1, "clip": 1, "ground": 1, "json": 1,
    "bvh": 2, "gltf": 2, "io": 2, "ik": 2, "contact": 2,
    "leg": 3, "metrics": 3, "rig": 3,
    "tracks": 4, "lock": 4, "cleanup": 4, "adapt": 4, "crowd": 4, "creature": 4,
    "retarget": 5,
    "take": 6,
}
# Pairs that may look sideways, and modules that only take and the outside may use.
SIDEWAYS = {("clip", "skeleton"), ("io", "bvh"), ("io", "gltf"), ("rig", "leg")}
FILES = {"json", "bvh", "gltf", "io"}
IO_USERS = FILES | {"take"}
# The map of a retarget and the file of a creature are JSON that people edit.
FILE_USERS = {("retarget", "json"), ("creature", "json")}
# json has no public header, but what measures it and what attacks it must see it.
INSIDERS = {("bench/bench_json.c", "json"), ("fuzz/fuzz_json.c", "json")}
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')


def module_of_source(path: pathlib.Path) -> str:
    return path.parts[1] if path.parts[0] == "src" else path.stem


def module_of_include(text: str) -> str:
    parts = text.split("/")
    if parts[0] == "surefoot":
        return parts[1].removesuffix(".h")
    return parts[0] if len(parts) > 1 else ""


def faults(root: pathlib.Path):
    files = sorted((root / "src").rglob("*.[ch]")) + sorted((root / "include").rglob("*.h"))
    for file in files:
        path = file.relative_to(root)
        own = module_of_source(path)
        if own == "surefoot":
            continue
        if own not in LAYERS:
            yield f"{path}: module '{own}' has no layer; add it to tools/check_layers.py and docs/layers.md"
            continue
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = INCLUDE.match(line)
            other = module_of_include(match.group(1)) if match else ""
            if not other or other == own:
                continue
            where = f"{path}:{number}"
            if other not in LAYERS:
                yield f"{where}: includes '{match.group(1)}', which has no layer"
            elif other in FILES and own not in IO_USERS and (own, other) not in FILE_USERS:
                yield f"{where}: only take and programs may include {other}"
            elif LAYERS[other] >= LAYERS[own] and LAYERS[own] > 0 and (own, other) not in SIDEWAYS:
                yield f"{where}: {own} (layer {LAYERS[own]}) includes {other} (layer {LAYERS[other]})"
            elif LAYERS[own] == 0 and LAYERS[other] > 0:
                yield f"{where}: core includes {other}"
    for folder in ("cli", "examples", "bench", "fuzz"):
        for file in sorted((root / folder).rglob("*.[ch]")):
            for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                module = match.group(1).split("/")[0] if match and "/" in match.group(1) else ""
                if module in LAYERS and (file.relative_to(root).as_posix(), module) not in INSIDERS:
                    yield f"{file.relative_to(root)}:{number}: programs see public headers only"


def main() -> int:
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    found = list(faults(root))
    print("\n".join(found) if found else "layers: clean")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
