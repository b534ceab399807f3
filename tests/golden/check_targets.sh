#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check_targets.sh [--update | --without gcc-O3]: builds the golden program for every compiler, level and target that is
# here, runs it, and compares with tests/golden/golden.txt. One target runs while the next is built. --update writes that
# file anew from gcc -O3 and then compares the rest with it. --without: for who runs `make test`, whose golden test is
# gcc -O3 too.
set -eu
cd "$(dirname "$0")/../.."
expected=tests/golden/golden.txt
out=build-ci/golden
mkdir -p "$out"
rm -f "$out"/*.equal "$out"/*.failed
update=no
left_out=
case ${1:-} in
--update) update=yes ;;
--without) left_out=${2:?which target} ;;
esac

# compare NAME RUNNER PROGRAM: says how it ended, and leaves a file that does.
compare() {
    : >"$out/$1.failed"
    if ! $2 "$3" >"$out/$1.txt" 2>"$out/$1.err"; then
        cat "$out/$1.err"
        echo "golden: $1 does not run"
        return
    fi
    [ "$update" = no ] || cp "$out/$1.txt" $expected
    if diff -u $expected "$out/$1.txt"; then
        echo "golden: $1 equal"
        mv "$out/$1.failed" "$out/$1.equal"
    else
        echo "golden: $1 DIFFERS"
    fi
}

# target NAME RUNNER CMAKE-ARGUMENTS...
target() {
    name=$1
    runner=$2
    shift 2
    [ "$name" != "$left_out" ] || return 0
    if ! cmake -S . -B "build-ci/$name" -G Ninja -DSFT_BUILD_GOLDEN=ON "$@" >"$out/$name.log" 2>&1 ||
        ! cmake --build "build-ci/$name" --parallel 2 --target golden >>"$out/$name.log" 2>&1; then
        tail -n 40 "$out/$name.log"
        echo "golden: $name does not build"
        : >"$out/$name.failed"
        return
    fi
    program=build-ci/$name/bin/golden
    [ -e "$program" ] || program=$program.wasm
    wait
    if [ "$update" = yes ]; then
        compare "$name" "$runner" "$program"
        update=no
    else
        compare "$name" "$runner" "$program" &
    fi
}
bare="-DSFT_BUILD_TESTS=OFF -DSFT_BUILD_CLI=OFF -DSFT_BUILD_BENCH=OFF -DSFT_UNITY=ON"
wasi_flag=
node --experimental-wasi-unstable-preview1 -e 0 2>/dev/null && wasi_flag=--experimental-wasi-unstable-preview1

# Sources in groups here; by themselves in `make test`, whose golden test is gcc -O3 too.
# shellcheck disable=SC2086
target gcc-O3 "" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release $bare
target gcc-O0 "" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Debug
target clang-O3 "" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Release
# shellcheck disable=SC2086
target clang-O0 "" -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug $bare
# Wide vectors and fused multiply-add at hand, and still the same bits.
if grep -q '\bavx2\b' /proc/cpuinfo && grep -q '\bfma\b' /proc/cpuinfo; then
    # shellcheck disable=SC2086
    target gcc-avx2 "" -DCMAKE_C_COMPILER=gcc -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-march=x86-64-v3 $bare
fi
# Crowds by vectors; the two-file library is run without them (tests/amalgam/check.sh).
# shellcheck disable=SC2086
target wasm-simd "node --no-warnings $wasi_flag tests/golden/run_wasi.mjs" \
    -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/wasm32-wasi.cmake" -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS=-msimd128 $bare
# shellcheck disable=SC2086
target aarch64 qemu-aarch64-static -DCMAKE_TOOLCHAIN_FILE="$PWD/cmake/aarch64-linux.cmake" \
    -DCMAKE_BUILD_TYPE=Release $bare
wait
compared=$(find "$out" -name '*.equal' | wc -l)
echo "golden: $compared targets equal to $expected"
[ -z "$(find "$out" -name '*.failed')" ]
