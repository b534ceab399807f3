#!/bin/sh
# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
#
# check_symbols.sh LIBRARY.a: what the library must not call (functions whose last bit or order differs between C
# libraries, functions that follow the locale or end the process), and that it has no writable globals.
set -eu
library=$1
status=0
forbidden='sin|cos|tan|sincos|asin|acos|atan|atan2|sinh|cosh|tanh|exp|exp2|expm1|log|log2|log10|log1p|pow|cbrt|hypot|fma|rint|nearbyint|lrint|llrint|round|lround'
forbidden="($forbidden)f?|qsort|qsort_r|bsearch|rand|random|strtod|strtof|atof|setlocale|isalpha|isspace|isdigit|tolower|toupper|exit|abort|__assert_fail|printf|puts|fprintf"
calls=$(nm -u "$library" | awk '$1 == "U" {print $2}' | sort -u | grep -Ex "$forbidden" || true)
if [ -n "$calls" ]; then
    echo "$library calls what it must not:" $calls
    nm -Au "$library" | grep -E " ($forbidden)\$" || true
    status=1
fi
globals=$(objdump -t "$library" | awk 'NF > 3 && $(NF-2) ~ /^\.(data|bss|tdata|tbss)$/ && $NF !~ /^\./' || true)
if [ -n "$globals" ]; then
    echo "$library has writable globals:"
    echo "$globals"
    status=1
fi
[ "$status" -ne 0 ] || echo "symbols: clean"
exit "$status"
