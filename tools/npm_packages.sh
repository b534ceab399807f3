#!/usr/bin/env bash
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# npm_packages.sh FOLDER NAME@VERSION...: brings npm packages into FOLDER/node_modules, for tests that ask a second
# opinion. Asks first whether each is there in that version, so that it touches no network where nothing is missing.
# Exit code 1, with a reason, where they cannot be had.
set -euo pipefail

[ $# -ge 2 ] || { echo "usage: $0 FOLDER NAME@VERSION..." >&2; exit 2; }
folder=$1
shift

version_of() { sed -n 's/^ *"version": *"\([^"]*\)".*/\1/p' "$folder/node_modules/$1/package.json" 2>/dev/null | head -n 1; }
missing() {
    local spec
    for spec in "$@"; do
        [ "$(version_of "${spec%@*}")" = "${spec##*@}" ] || echo "$spec"
    done
}

mkdir -p "$folder"
# Tests run side by side: one of them installs, the others wait and then find everything there.
exec 9>"$folder/.lock"
if command -v flock >/dev/null 2>&1; then flock 9; fi
mapfile -t wanted < <(missing "$@")
[ ${#wanted[@]} -gt 0 ] || exit 0
command -v npm >/dev/null 2>&1 || { echo "$0: no npm here, and missing: ${wanted[*]} (Debian: npm)" >&2; exit 1; }
# Installing prunes whatever else lies in the folder, so that which is there is asked for once more.
mapfile -t kept < <(for file in "$folder"/node_modules/{*,@*/*}/package.json; do
    [ -e "$file" ] || continue
    name=${file#"$folder/node_modules/"}
    name=${name%/package.json}
    [[ " $* " == *" $name@"* ]] || echo "$name@$(version_of "$name")"
done)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! npm install --no-save --no-audit --no-fund --no-progress --fetch-retries=1 --prefix "$folder" "$@" "${kept[@]}" \
    >"$log" 2>&1; then
    tail -n 5 "$log" >&2
    echo "$0: npm could not install ${wanted[*]}" >&2
    exit 1
fi
