#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check_format.sh [--fix]: C sources as .clang-format says, no tabs or trailing blanks, two SPDX lines at each head,
# sources of at most 800 lines.
set -eu
cd "$(dirname "$0")/.."
formatter=clang-format
command -v clang-format-14 >/dev/null && formatter=clang-format-14
sources=$(git ls-files '*.c' '*.h' '*.inc')
if [ "${1:-}" = --fix ]; then
    # shellcheck disable=SC2086
    $formatter -i $sources
    exit 0
fi
status=0
# shellcheck disable=SC2086
$formatter --dry-run -Werror $sources || status=1
for file in $(git ls-files '*.c' '*.h' '*.inc' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' Makefile .ci/run); do
    if [ "$(head -n 4 "$file" | grep -c 'SPDX-')" -ne 2 ]; then
        echo "$file: the two SPDX lines are missing at its head"
        status=1
    fi
    if grep -nE '[[:space:]]+$' "$file" /dev/null; then
        echo "$file: blanks at the end of a line"
        status=1
    fi
    case $file in
    *.c | *.h | *.inc | *.py)
        if [ "$(wc -l <"$file")" -gt 800 ]; then
            echo "$file: more than 800 lines; split it by idea"
            status=1
        fi
        if grep -n "$(printf '\t')" "$file" /dev/null; then
            echo "$file: tabs"
            status=1
        fi
        ;;
    esac
done
[ "$status" -ne 0 ] || echo "format: clean"
exit "$status"
