#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check.sh [FOLDER]: installs static and shared builds, moves the installed tree, and builds and runs an outside program
# against it by find_package and by pkg-config. The source tree must not be seen by the program. The static build is
# that of `make`; the shared one is of its own, in groups of sources.
set -eu
cd "$(dirname "$0")/../.."
work=${1:-build-ci/install}
rm -rf "$work"
mkdir -p "$work"
work=$(cd "$work" && pwd)
generator=
command -v ninja >/dev/null && generator="-G Ninja"

for kind in static shared; do
    tree=$work/$kind
    build=build
    if [ $kind = static ]; then
        make >"$tree.log" 2>&1 || { cat "$tree.log"; exit 1; }
    else
        build=$tree/build
        # shellcheck disable=SC2086
        cmake -S . -B "$build" $generator -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=ON -DSFT_UNITY=ON \
            -DSFT_BUILD_TESTS=OFF -DSFT_BUILD_BENCH=OFF >"$tree.log" 2>&1 || { cat "$tree.log"; exit 1; }
        cmake --build "$build" --parallel 2 >"$tree.log" 2>&1 || { cat "$tree.log"; exit 1; }
    fi
    DESTDIR=$tree/stage cmake --install "$build" --prefix /opt/surefoot >"$tree.log"
    mv "$tree/stage/opt/surefoot" "$tree/moved"
    [ ! -e "$build/bin/surefoot" ] || "$tree/moved/bin/surefoot" --help >/dev/null

    mkdir -p "$tree/outside"
    cp tests/install/CMakeLists.txt tests/install/outside.c "$tree/outside"
    # shellcheck disable=SC2086
    cmake -S "$tree/outside" -B "$tree/outside/build" $generator -DCMAKE_BUILD_TYPE=Release \
        -DCMAKE_PREFIX_PATH="$tree/moved"
    cmake --build "$tree/outside/build"
    "$tree/outside/build/outside"

    pc=$(find "$tree/moved" -name surefoot.pc)
    library=$(dirname "$(dirname "$pc")")
    export PKG_CONFIG_PATH="${pc%/*}"
    # shellcheck disable=SC2046
    cc -std=c17 -Wall -Wextra -Werror $(pkg-config --cflags surefoot) "$tree/outside/outside.c" \
        $(pkg-config --libs surefoot) -o "$tree/outside/by-pkg-config"
    LD_LIBRARY_PATH=$library "$tree/outside/by-pkg-config"
    [ "$(pkg-config --modversion surefoot)" = "$(sed -n 's/^project(surefoot VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)" ]
done
# Nothing but the API is exported.
nm -D --defined-only "$work/shared/moved"/lib*/libsurefoot.so | awk '{print $3}' | grep -v '^sft_' | grep . \
    && { echo "symbols outside sft_ are exported"; exit 1; }
echo "install: static and shared, find_package and pkg-config"
