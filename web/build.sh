#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# build.sh OUT [BIN]: the studio into the folder OUT: index.html and all that it needs. OUT/surefoot.wasm with
# surefoot.js and wasi.js runs the command in any page, and in Node. BIN (default build/bin) has the programs that make
# the samples. Wants clang, lld, wasi-libc, llvm-ar and npm (Debian: `bash tools/install_packages.sh web`); wasm-opt
# is asked where it is at hand.
set -eu
cd "$(dirname "$0")/.."
out=${1:?usage: build.sh OUT [BIN]}
bin=${2:-build/bin}
# What is only needed to make it lies beside it, so that the whole of OUT can be put on a host.
work=${out%/}-work
mkdir -p "$out/samples" "$out/pages" "$work"
cmake -S . -B "$work/cmake" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm32-wasi.cmake" -DCMAKE_BUILD_TYPE=Release \
    -DCMAKE_C_FLAGS=-msimd128 -DSFT_BUILD_WEB=ON -DSFT_BUILD_CLI=OFF -DSFT_BUILD_BENCH=OFF -DSFT_BUILD_TESTS=OFF \
    -DSFT_INSTALL=OFF -DSFT_UNITY=ON
cmake --build "$work/cmake" --parallel "$(getconf _NPROCESSORS_ONLN)" --target surefoot-web surefoot-fbx-web
# Written beside and renamed: a page that is open meanwhile finds a whole module.
for module in surefoot fbx; do
    if command -v wasm-opt >/dev/null 2>&1; then
        wasm-opt -O3 --enable-simd --enable-bulk-memory --strip-debug --strip-producers "$work/cmake/bin/$module.wasm" \
            -o "$out/$module.wasm.tmp"
    else
        cp "$work/cmake/bin/$module.wasm" "$out/$module.wasm.tmp"
    fi
    mv "$out/$module.wasm.tmp" "$out/$module.wasm"
done

# three, bundled to the parts that the page uses.
npm=${SFT_NPM:-$work/npm}
bash tools/npm_packages.sh "$npm" three@0.187.0 esbuild@0.28.2
NODE_PATH="$npm/node_modules" "$npm/node_modules/.bin/esbuild" web/src/three_parts.js --bundle --minify --format=esm \
    --log-level=warning --legal-comments=inline --outfile="$out/three.js"
for file in web/index.html web/style.css web/src/*.js; do
    case $file in *_parts.js) ;; *) cp "$file" "$out" ;; esac
done
cp web/src/pages/*.js "$out/pages"

# Samples: a walk whose travel is 1.25 times what its feet do, and the same on a child with a skin.
"$bin/surefoot-make-sample" "$out/samples/walk.bvh" --frames 480 >/dev/null
"$bin/surefoot" convert "$out/samples/walk.bvh" --root-scale 1.25 -o "$out/samples/slid.bvh" >/dev/null
"$bin/surefoot-make-sample" "$out/samples/figure.glb" --figure >/dev/null
"$bin/surefoot" retarget "$out/samples/slid.bvh" --onto "$out/samples/figure.glb" --no-clean -o "$out/samples/child.glb" >/dev/null
"$bin/surefoot" roam --creature lizard --path figure8 --seconds 12 -o "$out/samples/lizard.glb" >/dev/null
rm "$out/samples/walk.bvh" "$out/samples/figure.glb"
