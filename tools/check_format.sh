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
printf '%s\n' $sources | xargs -P "$(getconf _NPROCESSORS_ONLN)" -n 40 $formatter --dry-run -Werror || status=1
# shellcheck disable=SC2046
awk '
    function fault(what) { print FILENAME ":" what; bad = 1 }
    function close_file() {
        if (name != "" && spdx != 2) { print name ": the two SPDX lines are missing at its head"; bad = 1 }
        if (code && lines > 800) { print name ": more than 800 lines; split it by idea"; bad = 1 }
    }
    FNR == 1 { close_file(); name = FILENAME; spdx = 0; code = name ~ /\.(c|h|inc|py)$/ }
    { lines = FNR }
    FNR <= 4 && /SPDX-/ { spdx++ }
    /[[:space:]]$/ { fault(FNR ": blanks at the end of a line") }
    code && /\t/ { fault(FNR ": tabs") }
    END { close_file(); exit bad }
' $(git ls-files '*.c' '*.h' '*.inc' '*.py' '*.sh' '*.cmake' '*CMakeLists.txt' Makefile .ci/run) || status=1
[ "$status" -ne 0 ] || echo "format: clean"
exit "$status"
