// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// --goal JOINT[:OTHER]@FIRST-LAST[=X,Y,Z]: read from its end, since names may hold colons and at signs.

#include "retarget.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_GOALS 10000
// [s] over which a goal fades in and out.
#define GOAL_BLEND 0.2
// [m] places beyond are a slip of the pen.
#define MOST_PLACE 1e5

static int refuse(const char* text)
{
    return cli_fail(EXIT_USAGE,
                    "retarget: --goal wants JOINT[:OTHER]@FIRST-LAST[=X,Y,Z], frames from 0 and metres, such as "
                    "LeftHand:Head@10-50 or Hand_R@0-99=0.3,1.1,0.2, not '%s'",
                    text);
}

static bool take_place(const char* text, double place[3])
{
    for (int i = 0; i < 3; ++i)
    {
        char* end = NULL;
        place[i] = strtod(text, &end);
        if (end == text || *end != (i == 2 ? '\0' : ',') || !(fabs(place[i]) <= MOST_PLACE)) return false;
        text = end + 1;
    }
    return true;
}

static bool take_frame(const char* text, char stop, int32_t* frame, const char** rest)
{
    int64_t value = 0;
    const char* at = text;
    for (; *at >= '0' && *at <= '9' && value <= INT32_MAX; ++at)
        value = 10 * value + (*at - '0');
    *frame = (int32_t)value;
    *rest = at;
    return at > text && value <= INT32_MAX && (*at == stop || (stop == '\0' && *at == '='));
}

int retarget_take_goal(retarget* r, const char* text)
{
    goal_spec spec = {.text = text};
    const char* at = strrchr(text, '@');
    const char* rest = NULL;
    if (at == NULL || at == text || !take_frame(at + 1, '-', &spec.first, &rest)) return refuse(text);
    if (!take_frame(rest + 1, '\0', &spec.last, &rest) || spec.last < spec.first) return refuse(text);
    spec.placed = *rest == '=';
    if (spec.placed && !take_place(rest + 1, spec.place)) return refuse(text);
    spec.name_size = (size_t)(at - text);
    if (r->goal_count == MOST_GOALS)
        return cli_fail(EXIT_USAGE, "retarget: more than %d goals; move the clip in parts", MOST_GOALS);
    // Doubling, at the powers of two.
    if ((r->goal_count & (r->goal_count - 1)) == 0)
    {
        const size_t room = r->goal_count > 0 ? 2 * (size_t)r->goal_count : 1;
        goal_spec* more = realloc(r->goals, room * sizeof *more);
        if (more == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
        r->goals = more;
    }
    r->goals[r->goal_count++] = spec;
    return EXIT_DONE;
}

// ---- joints by name ----

static bool is_called(const char* name, const char* text, size_t size)
{
    return strlen(name) == size && memcmp(name, text, size) == 0;
}

// `name`, or `name#2` for its second bearer, as everywhere in this program; -1: none.
static int32_t find_joint(const sft_skeleton* s, const char* text, size_t size)
{
    for (int32_t j = 0; j < s->joint_count; ++j)
        if ((s->flags[j] & SFT_JOINT_END_SITE) == 0 && is_called(s->names[j], text, size)) return j;
    size_t stem = size;
    while (stem > 0 && text[stem - 1] >= '0' && text[stem - 1] <= '9')
        --stem;
    if (stem == size || stem < 2 || text[stem - 1] != '#' || size - stem > 6) return -1;
    long bearer = strtol(text + stem, NULL, 10);
    for (int32_t j = 0; j < s->joint_count; ++j)
        if ((s->flags[j] & SFT_JOINT_END_SITE) == 0 && is_called(s->names[j], text, stem - 1) && --bearer == 0)
            return j;
    return -1;
}

// The whole as one name first; else a colon in between, whichever of them it is.
static bool find_joints(const sft_skeleton* s, const goal_spec* spec, int32_t* joint, int32_t* other)
{
    *other = -1;
    *joint = find_joint(s, spec->text, spec->name_size);
    if (*joint >= 0) return true;
    for (size_t i = 1; i + 1 < spec->name_size; ++i)
    {
        if (spec->text[i] != ':') continue;
        *joint = find_joint(s, spec->text, i);
        *other = find_joint(s, spec->text + i + 1, spec->name_size - i - 1);
        if (*joint >= 0 && *other >= 0) return true;
    }
    return false;
}

// As given, or where `clip` has it.
static void place(const retarget_job* j, const sft_clip* clip, const goal_spec* spec, sft_touch_goal* goal)
{
    if (!spec->placed)
    {
        (void)sft_retarget_place_goal(j->target->skeleton, clip, goal);
        return;
    }
    const sft_v3d given = sft_v3d_make(spec->place[0], spec->place[1], spec->place[2]);
    const sft_space turn_only = {.unit_metres = 1.0, .up = j->target->space.up};
    goal->offset = goal->other < 0 ? sft_space_to_inside(&turn_only, given) : given;
}

// Hands hold on, and what hangs from them.
static bool is_of_a_hand(const sft_rig* rig, int32_t joint)
{
    while (joint >= 0 && rig->meanings[joint].part != SFT_PART_HAND)
        joint = rig->skeleton->parents[joint];
    return joint >= 0;
}

bool retarget_goals_want_places(const retarget* r)
{
    for (int32_t i = 0; i < r->goal_count; ++i)
        if (!r->goals[i].placed) return true;
    return false;
}

int retarget_make_goals(const retarget* r, retarget_job* j, const sft_clip* clip)
{
    j->goals = calloc((size_t)r->goal_count + 1, sizeof *j->goals);
    if (j->goals == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    for (int32_t i = 0; i < r->goal_count; ++i)
    {
        const goal_spec* spec = &r->goals[i];
        sft_touch_goal* goal = &j->goals[i];
        *goal = (sft_touch_goal){.first = spec->first, .last = spec->last, .blend = GOAL_BLEND, .fixed = true};
        if (!find_joints(j->target->skeleton, spec, &goal->joint, &goal->other))
            return cli_fail(EXIT_USAGE, "retarget: --goal '%.*s': %s has no such joint; `surefoot info` names them",
                            (int)(spec->name_size < 200 ? spec->name_size : 200), spec->text, j->target->path);
        if (!is_of_a_hand(j->target_rig, goal->joint))
            return cli_fail(
                EXIT_USAGE,
                "retarget: --goal '%s': that joint of %s is no hand, nor a part of one; `surefoot info` says "
                "which are. Feet are planted by their contacts: --contacts",
                spec->text, j->target->path);
        if (goal->joint == goal->other)
            return cli_fail(EXIT_USAGE, "retarget: --goal '%s': a joint cannot hold on to itself", spec->text);
        if (spec->last >= j->moved->frame_count)
            return cli_fail(EXIT_USAGE, "retarget: --goal '%s' does not fit the clip, which has %d frames (0 to %d)",
                            spec->text, (int)j->moved->frame_count, (int)j->moved->frame_count - 1);
        place(j, clip, spec, goal);
    }
    return EXIT_DONE;
}
