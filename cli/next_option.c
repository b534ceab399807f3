// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Options off the command line. What is wrong with one is told in the command's own words: each system's getopt has
// others, or none.

#include "cli.h"

#include <string.h>

// Letters to add, drop or change to make `b` of `a` (the first `length` letters of it), both shorter than 64.
static int edits_between(const char* a, size_t length, const char* b)
{
    enum
    {
        MOST = 64
    };
    const size_t other = strlen(b);
    if (length >= MOST || other >= MOST) return MOST;
    int row[MOST];
    for (size_t j = 0; j <= other; ++j)
        row[j] = (int)j;
    for (size_t i = 1; i <= length; ++i)
    {
        int diagonal = row[0];
        row[0] = (int)i;
        for (size_t j = 1; j <= other; ++j)
        {
            const int change = diagonal + (a[i - 1] != b[j - 1]);
            diagonal = row[j];
            const int one = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            row[j] = change < one ? change : one;
        }
    }
    return row[other];
}

typedef struct guess
{
    const char* nearest; ///< null: none is near
    int begin_so;        ///< options whose names begin as what was given
    bool exact;
} guess;

static guess look_up(const char* name, size_t length, const struct option* known)
{
    guess g = {0};
    int best = length < 5 ? 2 : 3;
    for (const struct option* o = known; o->name != NULL; ++o)
    {
        const bool begins = length > 0 && strncmp(o->name, name, length) == 0;
        g.exact = g.exact || (begins && o->name[length] == '\0');
        g.begin_so += begins;
        const int edits = begins ? 0 : edits_between(name, length, o->name);
        if (edits >= best) continue;
        best = edits;
        g.nearest = o->name;
    }
    return g;
}

static void tell(const char* command, const char* given, bool wants_value, const struct option* known)
{
    // Long options have keys from 256 on.
    if (optopt > 0 && optopt < 256)
    {
        cli_fail(EXIT_USAGE, wants_value ? "%s: -%c wants a value behind it" : "%s: there is no option -%c", command,
                 optopt);
        return;
    }
    const char* name = given + 2;
    const size_t length = strcspn(name, "=");
    const guess g = look_up(name, length, known);
    const int shown = (int)(length < 64 ? length : 64);
    if (wants_value)
        cli_fail(EXIT_USAGE, "%s: --%.*s wants a value behind it", command, shown, name);
    else if ((g.exact || g.begin_so == 1) && name[length] == '=')
        cli_fail(EXIT_USAGE, "%s: --%.*s takes no value", command, shown, name);
    else if (g.begin_so > 1)
        cli_fail(EXIT_USAGE, "%s: --%.*s could be more than one option, --%s for one", command, shown, name, g.nearest);
    else if (g.nearest != NULL)
        cli_fail(EXIT_USAGE, "%s: there is no option --%.*s; did you mean --%s?", command, shown, name, g.nearest);
    else
        cli_fail(EXIT_USAGE, "%s: there is no option --%.*s", command, shown, name);
}

int cli_next_option(const char* command, int argc, char** argv, bool output, const struct option* known)
{
    opterr = 0;
    const int key = getopt_long(argc, argv, output ? ":o:" : ":", known, NULL);
    if (key != '?' && key != ':') return key;
    // Letters that share one argument are at hand in optopt, long options behind optind.
    tell(command, argv[optind - 1], key == ':', known);
    return '?';
}
