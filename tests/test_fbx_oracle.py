#!/usr/bin/env python3
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""surefoot-fbx against three's FBXLoader (fbx_oracle.mjs), and its GLB against Khronos' validator, on the real files
of the optional data folder (SFT_DATA, default ../shared/data beside the checkout).

SFT_NPM names a folder for the npm packages; they are installed there where they are missing. Without it, or where they
cannot be had, the test says SKIP. `--table` prints the table of docs/fbx.md."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parent.parent
BIN = pathlib.Path(os.environ.get("SFT_BIN") or SOURCE / "build" / "bin")
READER = BIN / "surefoot-fbx"
DATA = pathlib.Path(os.environ.get("SFT_DATA") or SOURCE.parent / "shared" / "data")
PACKAGES = ("gltf-validator@2.0.0-dev.3.10", "three@0.187.0")


def skip(why):
    print(f"SKIP test_fbx_oracle: {why}")
    sys.exit(77)


def main():
    files = sorted((DATA / "fbx").glob("*.fbx"))
    if not READER.exists():
        skip("surefoot-fbx was not built (no assimp)")
    if not files:
        skip(f"no data folder {DATA}")
    if not os.environ.get("SFT_NPM"):
        skip("SFT_NPM does not name a folder for npm packages (three, gltf-validator)")
    if not shutil.which("node"):
        skip("no node")
    packages = pathlib.Path(os.environ["SFT_NPM"])
    got = subprocess.run(["bash", SOURCE / "tools" / "npm_packages.sh", packages, *PACKAGES], capture_output=True,
                         text=True, check=False)
    if got.returncode != 0:
        skip(got.stderr.strip().replace("\n", "; "))
    table = ["--table"] if "--table" in sys.argv[1:] else []
    code = subprocess.run(["node", SOURCE / "tests" / "fbx_oracle.mjs", *table, packages / "node_modules", READER, *files],
                          check=False).returncode
    if table:
        return code
    with tempfile.TemporaryDirectory() as folder:
        made = []
        for path in files:
            done = subprocess.run([READER, path], capture_output=True, check=False)
            if done.returncode == 0:
                made += ["-", pathlib.Path(folder) / f"{path.stem}.glb"]
                made[-1].write_bytes(done.stdout)
        checked = subprocess.run(["node", SOURCE / "tools" / "validate_gltf.mjs", "--packages", packages, *made], check=False)
    return code or checked.returncode


if __name__ == "__main__":
    sys.exit(main())
