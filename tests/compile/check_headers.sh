#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check_headers.sh [COMPILER...]: every public header alone as C17 and C++17, twice included, under strict warnings.
# Compilers are pairs C:C++; the default is whichever of gcc and clang is there.
set -eu
cd "$(dirname "$0")/../.."
strict="-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wundef -Werror -fsyntax-only -Iinclude"
if [ $# -eq 0 ]; then
    for pair in gcc:g++ clang:clang++; do
        command -v "${pair%%:*}" >/dev/null && command -v "${pair##*:}" >/dev/null && set -- "$@" "$pair"
    done
fi
[ $# -gt 0 ] || { echo "check_headers: neither gcc with g++ nor clang is here"; exit 1; }
status=0
count=0
for header in include/surefoot/*.h; do
    name=surefoot/$(basename "$header")
    for pair in "$@"; do
        for language in c:c17 c++:c++17; do
            compiler=${pair%%:*}
            [ "${language%%:*}" = c ] || compiler=${pair##*:}
            # shellcheck disable=SC2086
            if ! printf '#include "%s"\n#include "%s"\n' "$name" "$name" \
                | "$compiler" -x "${language%%:*}" -std="${language##*:}" $strict -; then
                echo "$name does not compile alone with $compiler as ${language##*:}"
                status=1
            fi
            count=$((count + 1))
        done
    done
done
echo "headers: $count compilations"
exit "$status"
