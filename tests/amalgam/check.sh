#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check.sh [quick]: makes the two-file run-time library, builds it away from the tree as an engine would, without this
# project's flags, and runs the golden scenes of the run time against it: every hash must be the one of the library.
# quick: one compiler, gcc or what CC names. Whole: every compiler, level and target that is here.
set -eu
export LC_ALL=C
tree=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fault() {
    echo "amalgam: $*"
    # A file, since half of this runs in the background.
    : >"$work/failed"
}
finish() {
    [ ! -e "$work/failed" ] || exit 1
    exit 0
}

# ---- the two files, the same at every run ----

"$tree/tools/amalgamate" "$work/lib" >"$work/made"
PYTHONHASHSEED=7 "$tree/tools/amalgamate" "$work/again" >/dev/null
diff -r "$work/lib" "$work/again" >/dev/null || fault "two runs gave two results"
sed "s|$work/lib/|amalgam: |" "$work/made"

# ---- the scenes, which see surefoot/surefoot.h ----

mkdir -p "$work/user/surefoot"
echo '#include "surefoot_runtime.h"' >"$work/user/surefoot/surefoot.h"
cp "$tree"/tests/golden/golden*.[ch] "$work/user"
cp -r "$tree/examples/sample" "$work/user/sample"
# Files and whole clips.
rm -f "$work/user/golden_clips.c" "$work/user/golden_adapt.c" "$work/user/golden_mend.c" "$work/user/golden_retarget.c"
cd "$work"

strict="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Werror"
# The scenes compute too: their own sums must not be contracted. The library looks after itself.
scenes="-std=c17 -ffp-contract=off -DSFT_GOLDEN_RUNTIME -Ilib -Iuser"

# target NAME RUNNER COMPILER LIBRARY-FLAGS [SCENE-FLAGS]
target() {
    name=$1 runner=$2 compiler=$3
    own="$scenes ${5:-}"
    case $compiler in *gcc*) own="$own -fno-tree-slp-vectorize" ;; esac
    # shellcheck disable=SC2086
    if ! $compiler $strict $4 -c lib/surefoot_runtime.c -o "$name.o" ||
        ! $compiler $own $4 user/golden*.c user/sample/walker.c "$name.o" -o "$name.out" -lm; then
        fault "$name does not build"
        return
    fi
    if ! $runner "./$name.out" >"$name.txt"; then
        fault "$name does not run"
        return
    fi
    grep -F -x -f "$name.txt" "$tree/tests/golden/golden.txt" >"$name.same" || true
    if [ -s "$name.txt" ] && cmp -s "$name.txt" "$name.same"; then
        echo "amalgam: $name equal, $(wc -l <"$name.txt") scenes" | tee "$name.equal"
    else
        fault "$name DIFFERS"
        diff "$name.same" "$name.txt" || true
    fi
}

# symbols OBJECT: calls that the library may make, names that it may show.
symbols() {
    allowed='memcpy|memmove|memset|memcmp|strcmp|strlen|strncmp|strstr|sqrtf?|floorf?|ceilf?|fmod|ldexp|fabsf?|malloc|calloc|free'
    calls=$(nm -u "$1" | awk '{print $NF}' | grep -Evx "$allowed|_GLOBAL_OFFSET_TABLE_|__stack_chk_fail|__cpu_model" || true)
    [ -z "$calls" ] || fault "calls what it must not:" $calls
    shown=$(nm -g --defined-only "$1" | awk '{print $NF}' | sort)
    # What the header declares is what the object shows, no more and no less.
    declared=$(grep -Eo '^SFT_API [^(]*\bsft_[a-z0-9_]+\(' lib/surefoot_runtime.h | grep -Eo 'sft_[a-z0-9_]+\($' | tr -d '(' | sort)
    [ "$shown" = "$declared" ] || fault "header and object show other names: $(printf '%s\n%s\n' "$shown" "$declared" | sort | uniq -u | tr '\n' ' ')"
    strange=$(nm --defined-only "$1" | awk '{print $NF}' | grep -Ev '^(sft|SFT)_|\.' || true)
    [ -z "$strange" ] || fault "names without prefix:" $strange
    writable=$(objdump -t "$1" | awk 'NF > 3 && $(NF-2) ~ /^\.(data|bss|tdata|tbss)$/ && $NF !~ /^\./ {print $NF}')
    [ -z "$writable" ] || fault "writable globals:" $writable
    size "$1" | awk 'NR == 2 {print "amalgam: " $1 " bytes of code and constants"}'
}

# refused COMPILER FLAGS: what changes bits must not compile, and say so.
refused() {
    # shellcheck disable=SC2086
    if $1 $2 -c lib/surefoot_runtime.c -o refused.o 2>refused.txt || ! grep -q 'without -ffast-math' refused.txt; then
        fault "$1 $2 is not refused"
    fi
}

# one C++-COMPILER: the header in C++, linked with the C object.
one() {
    printf '%s\n' '#include "surefoot_runtime.h"' '#include "surefoot_runtime.h"' \
        'int main() { sft_leg_solve_def def = sft_default_leg_solve_def();' \
        'return def.max_extension > 0.0 && sft_version() > 0 && sft_v3d_make(1, 2, 3).y == 2.0 ? 0 : 1; }' >one.cpp
    # shellcheck disable=SC2086
    "$1" -std=c++17 $strict -Ilib one.cpp "$2" -o one.out && ./one.out || fault "$1 does not take the header"
}

# whole COMPILER: all in one file of the user's, everything static.
whole() {
    printf '%s\n' '#define SFT_STATIC' '#include "surefoot_runtime.c"' \
        'int main(void) { return sft_cos(0.0) == 1.0 ? 0 : 1; }' >whole.c
    # shellcheck disable=SC2086
    "$1" -std=c17 -O1 $strict -Ilib whole.c -o whole.out -lm && ./whole.out || fault "$1 does not take it as static"
    left=$(nm -g --defined-only whole.out | awk '{print $NF}' | grep '^sft_' || true)
    [ -z "$left" ] || fault "static, and yet shown:" $left
}

have() { command -v "$1" >/dev/null 2>&1; }

if [ "${1:-}" = quick ]; then
    cc=${CC:-gcc}
    target quick "" "$cc" "-std=c17 -O2"
    symbols quick.o
    refused "$cc" -ffast-math
    ! have g++ || one g++ quick.o
    finish
fi

here() {
    target gcc-O0 "" gcc "-std=gnu17 -O0"
    target gcc-O3 "" gcc "-std=c17 -O3"
    target clang-O3 "" clang "-std=gnu17 -O3"
    # Wide vectors and fused multiply-add at hand, and still the same bits.
    if grep -q '\bavx2\b' /proc/cpuinfo && grep -q '\bfma\b' /proc/cpuinfo; then
        target gcc-v3 "" gcc "-std=gnu17 -O3 -march=x86-64-v3"
        target clang-v3 "" clang "-std=gnu17 -O3 -march=x86-64-v3"
    else
        echo "SKIP amalgam: no AVX2 and FMA here, x86-64-v3 is not run"
    fi
}
elsewhere() {
    if have aarch64-linux-gnu-gcc && have qemu-aarch64-static; then
        target aarch64-gcc qemu-aarch64-static aarch64-linux-gnu-gcc "-std=gnu17 -O3" -static
        target aarch64-clang qemu-aarch64-static "clang --target=aarch64-linux-gnu" "-std=gnu17 -O3" -static
    else
        echo "SKIP amalgam: no compiler or no qemu for aarch64"
    fi
    if [ -e /usr/include/wasm32-wasi/stdio.h ] && have node; then
        flag=
        node --experimental-wasi-unstable-preview1 -e 0 2>/dev/null && flag=--experimental-wasi-unstable-preview1
        # Without vectors; the golden check has them.
        target wasm "node --no-warnings $flag $tree/tests/golden/run_wasi.mjs" "clang --target=wasm32-wasi" "-std=gnu17 -O3"
    else
        echo "SKIP amalgam: no wasi-libc or no node"
    fi
    if have x86_64-w64-mingw32-gcc; then
        # shellcheck disable=SC2086
        x86_64-w64-mingw32-gcc $strict -Wno-float-conversion -std=c17 -O2 -c lib/surefoot_runtime.c -o mingw.o ||
            fault "mingw does not build"
    fi
    for compiler in gcc clang; do
        refused $compiler "-O2 -ffast-math"
        refused $compiler -Ofast
        whole $compiler
    done
    refused gcc "-O2 -fassociative-math -fno-signed-zeros -fno-trapping-math"
}
# Side by side on two cores.
elsewhere >elsewhere.txt &
here
wait $! || fault "broke off elsewhere"
cat elsewhere.txt
symbols gcc-O0.o
symbols gcc-O3.o
symbols clang-O3.o
one g++ gcc-O3.o
one clang++ clang-O3.o
echo "amalgam: $(ls *.equal | wc -l) targets equal to tests/golden/golden.txt"
finish
