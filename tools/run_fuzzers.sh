#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# run_fuzzers.sh BUILD SECONDS: each BUILD/bin/fuzz_<name> from fuzz/corpus/fuzz_<name> (or all of fuzz/corpus) for
# SECONDS, as many at a time as there are cores.
# What it finds goes into BUILD/corpus, so the corpus in the tree stays as it is.
set -eu
build=$1
seconds=$2

if [ $# -eq 3 ]; then
    program=$3
    name=$(basename "$program")
    seeds=fuzz/corpus/$name
    [ -d "$seeds" ] || seeds=fuzz/corpus
    work=$build/corpus/$name
    mkdir -p "$work"
    log=$build/$name.log
    if ! "$program" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 -print_final_stats=1 \
        -artifact_prefix="$build/$name." "$work" "$seeds" >"$log" 2>&1; then
        tail -n 60 "$log"
        echo "$name: FAILED; the input is the newest $build/$name.* file"
        exit 1
    fi
    # One write, so that lines of two do not mix.
    printf '%s: %s s from %s\n%s\n' "$name" "$seconds" "$seeds" \
        "$(grep -E 'number_of_executed_units|new_units_added|peak_rss' "$log" | sed 's/^stat::/    /')"
    exit 0
fi

programs=$(find "$build/bin" -name 'fuzz_*' -type f -perm -u+x | sort)
[ -n "$programs" ] || { echo "no fuzz targets in $build/bin"; exit 1; }
printf '%s\n' "$programs" | xargs -n 1 -P "$(getconf _NPROCESSORS_ONLN)" sh "$0" "$build" "$seconds"
