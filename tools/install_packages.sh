#!/usr/bin/env bash
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# install_packages.sh TARGET...: brings what a make target needs (build, demo, test, bench, fuzz, install, web, python, ci).
# Asks first whether each thing is there already, so that it is quick, needs no rights and touches no network where
# nothing is missing, and works with tools that came from elsewhere. On Debian and its kin it then calls apt-get, as
# root or through sudo; on other systems it says what to install.
set -euo pipefail

have() { command -v "$1" >/dev/null 2>&1; }
# One for administrators, which may lie where users do not look.
program() { PATH=$PATH:/usr/sbin:/sbin have "$1"; }
# A header that a C compiler finds without being told where.
header() { have cc && printf '#include <%s>\n' "$1" | cc -E -x c - >/dev/null 2>&1; }
clang_runtime() { have clang && [ -e "$(clang --print-file-name="libclang_rt.$1-$(uname -m).a" 2>/dev/null)" ]; }
wasi() { [ -e /usr/include/wasm32-wasi/stdio.h ] && have clang \
    && ls "$(clang --print-resource-dir)"/lib/wasi/libclang_rt.builtins-wasm32.a >/dev/null 2>&1; }

missing=()   # packages the target cannot do without
wanted=()    # packages it can do without, saying so

need() { local package=$1; shift; "$@" || missing+=("$package"); }
want() { local package=$1; shift; "$@" || wanted+=("$package"); }

needs_build() {
    need gcc have cc
    need libc6-dev header stdio.h
    need make have make
    need cmake have cmake
    want ninja-build have ninja
    # surefoot-fbx, which reads FBX.
    want libassimp-dev header assimp/cimport.h
    want zlib1g-dev header zlib.h
    # surefoot view, which gives the studio to a browser.
    want libmicrohttpd-dev header microhttpd.h
    # surefoot batch, which tells by hashes what changed.
    want libxxhash-dev header xxhash.h
}
needs_demo() { needs_build; }
needs_install() { needs_build; }
needs_test() {
    needs_build
    need libcmocka-dev have_cmocka
    want python3-numpy numpy
    # The Kubernetes job of docs/batch.md is read as YAML.
    want python3-yaml module yaml
}
needs_bench() {
    needs_build
    want libjson-c-dev header json-c/json.h
    want libembree-dev header embree3/rtcore.h
}
needs_fuzz() {
    needs_build
    need clang have clang
    need libclang-rt-dev clang_runtime fuzzer
    need python3 have python3
}
needs_ci() {
    needs_test
    needs_bench
    needs_fuzz
    need python3 have python3
    need python3-numpy numpy
    need libassimp-dev header assimp/cimport.h
    need zlib1g-dev header zlib.h
    need libmicrohttpd-dev header microhttpd.h
    need libxxhash-dev header xxhash.h
    need libjson-c-dev header json-c/json.h
    need libembree-dev header embree3/rtcore.h
    need ninja-build have ninja
    need git have git
    # Several steps compile the same sources with the same flags.
    want ccache have ccache
    need g++ have g++
    need clang-format have clang-format
    need pkg-config have pkg-config
    need gcc-mingw-w64-x86-64-win32 have x86_64-w64-mingw32-gcc
    need gcc-aarch64-linux-gnu have aarch64-linux-gnu-gcc
    need libc6-dev-arm64-cross test -e /usr/aarch64-linux-gnu/include/stdio.h
    need qemu-user-static have qemu-aarch64-static
    # Sanitizers name lines through llvm-symbolizer.
    need llvm have llvm-ar
    # The studio's tests.
    need chromium have chromium
    # Jobs of batches, on a Slurm that the tests start and stop.
    need slurm-wlm program slurmctld
    need slurm-wlm program slurmd
    need munge program munged
    needs_web
    needs_python
    need python3-installer module installer
}
needs_web() {
    needs_build
    need ninja-build have ninja
    need clang have clang
    need lld have wasm-ld
    need wasi-libc test -e /usr/include/wasm32-wasi/stdio.h
    need libclang-rt-dev-wasm32 wasi
    # An archive of wasm objects gets its index from llvm-ar only.
    need llvm have llvm-ar
    want binaryen have wasm-opt
    need nodejs have node
    need npm have npm
}
needs_python() {
    needs_build
    need python3 test -x /usr/bin/python3
    need python3-dev python_header
    need python3-numpy module numpy
    need python3-cffi module cffi
    need python3-build module build
    need python3-setuptools module setuptools
    need python3-wheel module wheel
}
# A module of Debian's Python. Asked for at a place where no folder of that name can be taken for it.
module() { (cd / && /usr/bin/python3 -c "import $1") >/dev/null 2>&1; }
python_header() { [ -e "$(/usr/bin/python3 -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null)/Python.h" ]; }
# cmocka.h wants its friends first, but finding it is enough.
have_cmocka() { have cc && printf '#include <stdarg.h>\n#include <stddef.h>\n#include <stdint.h>\n#include <setjmp.h>\n#include <cmocka.h>\n' | cc -E -x c - >/dev/null 2>&1; }
numpy() { /usr/bin/python3 -c 'import numpy' >/dev/null 2>&1 || python3 -c 'import numpy' >/dev/null 2>&1; }

as_root() {
    if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}
may_install() {
    have apt-get || return 1
    [ "$(id -u)" -eq 0 ] && return 0
    have sudo || return 1
    # Ask for a password only where somebody can type one.
    sudo -n true 2>/dev/null || [ -t 0 ]
}
unique() { printf '%s\n' "$@" | awk 'NF && !seen[$0]++'; }

explain() {
    {
        echo "surefoot: $1 needs software that is not here. On Debian 12, as root:"
        echo "    apt-get install$(unique "${missing[@]}" "${wanted[@]}" | sed 's/^/ /' | tr -d '\n')"
        echo "On other systems install the same by their own means: a C17 compiler (gcc 12 or clang 14 and later),"
        echo "make and CMake 3.22 or later; for tests cmocka; for fuzzing clang with its sanitizer libraries."
    } >&2
}

[ $# -gt 0 ] || { echo "usage: $0 build|demo|test|bench|fuzz|install|web|python|ci ..." >&2; exit 2; }
for target in "$@"; do
    declare -F "needs_$target" >/dev/null || { echo "$0: unknown target '$target'" >&2; exit 2; }
    "needs_$target"
done

[ ${#missing[@]} -gt 0 ] || [ ${#wanted[@]} -gt 0 ] || exit 0
if may_install; then
    mapfile -t packages < <(unique "${missing[@]}" "${wanted[@]}")
    echo "surefoot: installing ${packages[*]}" >&2
    export DEBIAN_FRONTEND=noninteractive
    log=$(mktemp)
    trap 'rm -f "$log"' EXIT
    if as_root apt-get update -q >"$log" 2>&1 \
        && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${packages[@]}" >"$log" 2>&1
    then
        exit 0
    fi
    tail -n 20 "$log" >&2
fi
if [ ${#missing[@]} -gt 0 ]; then
    explain "$*"
    exit 1
fi
echo "surefoot: going on without $(unique "${wanted[@]}" | tr '\n' ' ')(not needed, but it would be used)" >&2
