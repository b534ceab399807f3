// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature led by hand: what was asked of it, and at which step, as a file or as it happens.

#include "roam.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MAX_EVENTS 100000
// Longest that --seconds may be.
#define MAX_SECONDS 36000.0

static const struct
{
    const char* word; // empty: none, a place follows at once
    lead_kind kind;
    int numbers;
} words[] = {{"", LEAD_TO, 2}, {"stand", LEAD_STAND, 0}, {"push", LEAD_PUSH, 2}, {"look", LEAD_LOOK, 3}};

// ---- as it happens ----

void roam_goals_take(roam_goals* goals, lead_kind kind, sft_v3d place)
{
    switch (kind)
    {
    case LEAD_TO:
        goals->leads = true;
        goals->goal = place;
        break;
    case LEAD_STAND:
        goals->leads = false;
        break;
    case LEAD_PUSH:
        goals->push = sft_v3d_scale(1.0 / ROAM_PUSH_STEPS, place);
        goals->push_left = ROAM_PUSH_STEPS;
        break;
    case LEAD_LOOK:
        goals->looks = true;
        goals->look = place;
        break;
    }
}

void roam_goals_sample(roam_goals* goals, int64_t step, sft_creature_input* input)
{
    for (; goals->next < goals->count && goals->events[goals->next].step <= step; ++goals->next)
        roam_goals_take(goals, goals->events[goals->next].kind, goals->events[goals->next].place);
    if (goals->leads)
    {
        input->kind = SFT_CREATURE_GO_TO;
        input->goal = goals->goal;
    }
    if (goals->push_left > 0)
    {
        input->push = goals->push;
        --goals->push_left;
    }
    if (goals->looks) input->look = &goals->look;
}

// ---- from a file ----

// `,NUMBER` so often, and nothing behind.
static bool read_numbers(const char* at, int count, double* out)
{
    for (int i = 0; i < count; ++i)
    {
        char* end = NULL;
        at += strspn(at, " \t");
        if (*at != ',') return false;
        out[i] = strtod(at + 1, &end);
        if (end == at + 1 || !(fabs(out[i]) <= 1e6)) return false;
        at = end;
    }
    return at[strspn(at, " \t\r")] == '\0';
}

// SECONDS, what, where.
static bool read_event(const char* line, double* seconds, roam_event* out)
{
    char* at = NULL;
    double v[3] = {0, 0, 0};
    *seconds = strtod(line, &at);
    if (at == line || !(*seconds >= 0 && *seconds <= MAX_SECONDS)) return false;
    // The step next to it: times are written in decimals.
    out->step = (int64_t)floor(*seconds * SFT_CREATURE_RATE + 0.5);
    const char* word = at + strspn(at, " \t");
    if (*word != ',') return false;
    word += 1 + strspn(word + 1, " \t");
    for (size_t i = 1; i < sizeof words / sizeof words[0]; ++i)
    {
        const size_t length = strlen(words[i].word);
        if (strncmp(word, words[i].word, length) != 0) continue;
        out->kind = words[i].kind;
        if (!read_numbers(word + length, words[i].numbers, v)) return false;
        out->place = words[i].numbers == 3 ? (sft_v3d){v[0], v[1], v[2]} : (sft_v3d){v[0], 0, v[1]};
        return true;
    }
    out->kind = words[0].kind;
    if (!read_numbers(at, words[0].numbers, v)) return false;
    out->place = (sft_v3d){v[0], 0, v[1]};
    return true;
}

static int read_line(const char* file, int line, const char* text, double* before, roam_goals* out)
{
    double seconds = 0;
    const char* at = text + strspn(text, " \t\r");
    if (*at == '\0' || *at == '#') return EXIT_DONE;
    if (!read_event(at, &seconds, &out->events[out->count]))
        return cli_fail(EXIT_READ,
                        "%s:%d: wants SECONDS,x,z or SECONDS,stand or SECONDS,push,x,z or SECONDS,look,x,y,z in metres",
                        file, line);
    if (seconds < *before)
        return cli_fail(EXIT_READ, "%s:%d: %g s is before the line above; put lines in the order of time", file, line,
                        seconds);
    *before = seconds;
    ++out->count;
    return EXIT_DONE;
}

int roam_goals_read(const char* file, roam_goals* out)
{
    void* bytes = NULL;
    size_t size = 0;
    *out = (roam_goals){0};
    int code = cli_read_bytes(file, &bytes, &size);
    if (code != EXIT_DONE) return code;
    char* text = bytes;
    int lines = 1, line = 0;
    for (size_t i = 0; i < size && lines <= MAX_EVENTS; ++i)
        lines += text[i] == '\n';
    if (lines > MAX_EVENTS)
        code = cli_fail(EXIT_READ, "%s: more than %d lines; cut the walk into pieces", file, MAX_EVENTS);
    else if ((out->events = calloc((size_t)lines, sizeof *out->events)) == NULL)
        code = cli_fail(EXIT_MEMORY, "out of memory");
    double before = 0;
    for (char* p = text; code == EXIT_DONE && p < text + size;)
    {
        char* end = memchr(p, '\n', (size_t)(text + size - p));
        if (end == NULL) end = text + size;
        *end = '\0'; // cli_read_bytes leaves room for one more
        code = read_line(file, ++line, p, &before, out);
        p = end + 1;
    }
    free(bytes);
    return code;
}

void roam_goals_free(roam_goals* goals)
{
    free(goals->events);
    *goals = (roam_goals){0};
}
