#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# build.sh OUT: the command for browsers and Node into the folder OUT: surefoot.wasm and the modules that run it. Wants
# clang, lld, wasi-libc and llvm-ar (Debian: `bash tools/install_packages.sh web`); wasm-opt makes it a fifth smaller
# where it is at hand.
set -eu
cd "$(dirname "$0")/.."
out=${1:?usage: build.sh OUT}
mkdir -p "$out"
cmake -S . -B "$out/cmake" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm32-wasi.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS=-msimd128 -DSFT_BUILD_WEB=ON -DSFT_BUILD_CLI=OFF -DSFT_BUILD_BENCH=OFF -DSFT_BUILD_TESTS=OFF \
    -DSFT_INSTALL=OFF -DSFT_UNITY=ON
cmake --build "$out/cmake" --parallel "$(getconf _NPROCESSORS_ONLN)" --target surefoot-web
# Written beside and renamed: a page that is open meanwhile finds a whole module.
if command -v wasm-opt >/dev/null 2>&1; then
    wasm-opt -O3 --enable-simd --enable-bulk-memory --strip-debug --strip-producers "$out/cmake/bin/surefoot.wasm" \
        -o "$out/surefoot.wasm.tmp"
else
    cp "$out/cmake/bin/surefoot.wasm" "$out/surefoot.wasm.tmp"
fi
mv "$out/surefoot.wasm.tmp" "$out/surefoot.wasm"
cp web/src/*.js "$out"
