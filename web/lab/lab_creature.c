// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature that is led step by step. It is made, put down and led by the same functions as `surefoot roam`, so that
// roam --goals, given what was asked of it here, walks the same walk.

#include "../../cli/roam.h"
#include "lab.h"

#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_WORDS 64
// The block: of the body, of each leg, of each joint; web/src/lab.js reads it.
#define BODY_NUMBERS 28
#define LEG_NUMBERS 24
#define JOINT_NUMBERS 7

typedef struct lab
{
    roam_options options;
    roam_job job;
    roam_walker walker;
    char* words; // of the options, which point into it
    double* memory;
    sft_xformd *now, *before;
    double* block;
    size_t block_size;
    int64_t steps[SFT_MAX_LEGS]; // of the feet, when `before` was
    bool stood[SFT_MAX_LEGS];
    int64_t step;
    double slide, slide_most; // [cm/s] of standing feet since the last look: mean now, most since it was put down
    double safe_speed;
    bool made;
} lab;

static lab it;

void LAB_EXPORT(lab_creature_release)(void)
{
    roam_close(&it.job);
    roam_options_free(&it.options);
    free(it.words);
    free(it.memory);
    free(it.now);
    free(it.before);
    free(it.block);
    it = (lab){0};
}

static int put_down(void)
{
    it.job.goals = (roam_goals){0};
    it.slide = it.slide_most = 0;
    const int code = roam_put_down(&it.options, &it.job, it.memory, &it.walker);
    if (code != EXIT_DONE) return code;
    it.step = -1;
    return EXIT_DONE;
}

static int reserve(void)
{
    const size_t joints = (size_t)it.job.skeleton->joint_count, legs = (size_t)it.job.def.leg_count;
    it.memory = malloc(sft_creature_state_size(it.job.creature));
    it.now = calloc(joints, sizeof *it.now);
    it.before = calloc(joints, sizeof *it.before);
    it.block_size = BODY_NUMBERS + LEG_NUMBERS * legs + JOINT_NUMBERS * joints;
    it.block = calloc(it.block_size, sizeof *it.block);
    if (it.memory == NULL || it.now == NULL || it.before == NULL || it.block == NULL)
        return cli_fail(EXIT_MEMORY, "out of memory");
    return EXIT_DONE;
}

static int open_creature(void)
{
    char* words[MOST_WORDS];
    bool helped = false;
    const size_t size = lab_room_size();
    it.words = malloc(size + 1);
    if (it.words == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    // The room is written to again while the options live.
    int count = lab_room_words(words, MOST_WORDS);
    memcpy(it.words, count > 1 ? words[1] : "", count > 1 ? size : 1);
    for (int i = 2; i < count; ++i)
        words[i] = it.words + (words[i] - words[1]);
    if (count > 1) words[1] = it.words;
    optind = 0;
    const int code = roam_parse(count, words, &it.options, &helped);
    // What leads it comes from the page, not from a file.
    it.options.goals = NULL;
    return code;
}

// The words of `surefoot roam` are in the room. EXIT_DONE, or what the command would answer, its message on standard
// error; nothing is left of the one before in either case.
int LAB_EXPORT(lab_creature_make)(void)
{
    lab_creature_release();
    int code = open_creature();
    if (code == EXIT_DONE) code = roam_open(&it.options, &it.job);
    if (code == EXIT_DONE) code = reserve();
    it.options.goals = "";
    if (code == EXIT_DONE) code = put_down();
    for (int g = 0; code == EXIT_DONE && g < SFT_GAIT_COUNT; ++g)
        if ((it.job.def.gaits & 1u << g) != 0)
            it.safe_speed = fmax(it.safe_speed, sft_creature_safe_speed(it.job.creature, (sft_gait)g));
    it.made = code == EXIT_DONE;
    if (!it.made) lab_creature_release();
    return code;
}

int LAB_EXPORT(lab_creature_put_down)(void)
{
    return it.made ? put_down() : EXIT_USAGE;
}

// At a place of the world instead, at rest: what was asked for stays. Nothing changes where it cannot stand.
int LAB_EXPORT(lab_creature_move)(double x, double z, double heading)
{
    if (!it.made) return EXIT_USAGE;
    const sft_v3d ahead = {sft_sin(heading), 0, sft_cos(heading)};
    const sft_xformd place = {{x, 0, z}, sft_quatd_between(it.job.def.forward, ahead)};
    const sft_result result = sft_creature_place(it.job.creature, place, &it.job.ground.ground, it.memory,
                                                 sft_creature_state_size(it.job.creature), &it.walker.state);
    it.step = -1;
    return result == SFT_OK ? EXIT_DONE : cli_fail(EXIT_READ, "%s: cannot be put down there", it.job.name);
}

// From the next step on; `kind` as in roam.h.
void LAB_EXPORT(lab_creature_lead)(int kind, double x, double y, double z)
{
    if (it.made) roam_goals_take(&it.job.goals, (lead_kind)kind, (sft_v3d){x, y, z});
}

int LAB_EXPORT(lab_creature_step)(int steps)
{
    if (!it.made) return EXIT_USAGE;
    const sft_result result = sft_creature_update(it.job.creature, (steps + 0.25) / SFT_CREATURE_RATE, steps,
                                                  roam_sample, &it.walker, it.walker.state, NULL);
    return result == SFT_OK ? EXIT_DONE : cli_fail(EXIT_READ, "%s: the walk left the numbers' range", it.job.name);
}

// ---- what is seen ----

// On the joints that are drawn, from look to look.
static void measure(const sft_creature_foot* feet, int64_t step)
{
    double sum = 0;
    int count = 0;
    const double seconds = (double)(step - it.step) / SFT_CREATURE_RATE;
    for (int32_t l = 0; l < it.job.def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &it.job.def.legs[l];
        const int32_t joint = leg->joints[leg->joint_count - 1];
        const bool stands = feet[l].standing && !feet[l].swinging;
        if (stands && it.stood[l] && feet[l].steps == it.steps[l] && it.step >= 0 && seconds > 0)
        {
            const double speed = 100 * sft_v3d_length(sft_v3d_sub(it.now[joint].t, it.before[joint].t)) / seconds;
            sum += speed;
            it.slide_most = fmax(it.slide_most, speed);
            ++count;
        }
        it.stood[l] = stands;
        it.steps[l] = feet[l].steps;
    }
    if (step != it.step) it.slide = count > 0 ? sum / count : 0;
}

static double* put_body(double* at, const sft_creature_body* b)
{
    *at++ = (double)b->step;
    at = lab_put_xform(at, b->place);
    at = lab_put_v3(at, b->velocity);
    *at++ = b->turn;
    *at++ = b->speed_limit;
    *at++ = it.safe_speed;
    *at++ = b->gait;
    *at++ = b->group;
    *at++ = b->blocked;
    *at++ = b->moving;
    at = lab_put_v3(at, b->push_refused);
    at = lab_put_v3(at, b->head);
    *at++ = it.slide;
    *at++ = it.slide_most;
    *at++ = b->bob_given;
    *at++ = b->spine_given;
    return at;
}

static double* put_leg(double* at, int32_t l, const sft_creature_foot* f)
{
    const sft_creature_leg* leg = &it.job.def.legs[l];
    double* const end = at + LEG_NUMBERS;
    at = lab_put_v3(at, it.now[leg->joints[leg->joint_count - 1]].t);
    at = lab_put_v3(at, f->position);
    at = lab_put_v3(at, f->normal);
    at = lab_put_v3(at, f->from);
    at = lab_put_v3(at, f->to);
    at = lab_put_v3(at, f->to_normal);
    *at++ = f->swinging;
    *at++ = f->standing;
    *at++ = f->time;
    *at++ = (double)f->steps;
    *at++ = leg->ankle_offset * it.job.def.scale;
    *at = leg->side;
    return end;
}

// The block as it stands now; null: nothing was made.
const double* LAB_EXPORT(lab_creature_look)(void)
{
    if (!it.made) return NULL;
    const sft_creature_body* body = sft_creature_get_body(it.walker.state);
    const sft_creature_foot* feet = sft_creature_get_feet(it.job.creature, it.walker.state);
    sft_creature_get_world(it.job.creature, it.walker.state, it.now);
    measure(feet, body->step);
    double* at = it.block;
    put_body(at, body);
    at += BODY_NUMBERS;
    for (int32_t l = 0; l < it.job.def.leg_count; ++l)
        at = put_leg(at, l, &feet[l]);
    for (int32_t j = 0; j < it.job.skeleton->joint_count; ++j)
        at = lab_put_xform(at, it.now[j]);
    it.step = body->step;
    memcpy(it.before, it.now, (size_t)it.job.skeleton->joint_count * sizeof *it.now);
    return it.block;
}

int LAB_EXPORT(lab_creature_legs)(void)
{
    return it.made ? it.job.def.leg_count : 0;
}

int LAB_EXPORT(lab_creature_joints)(void)
{
    return it.made ? it.job.skeleton->joint_count : 0;
}

// [m] from a goal at which it starts to walk: the page's measure of how large it is.
double LAB_EXPORT(lab_creature_reach)(void)
{
    return it.made ? it.job.def.motion.approach_distance : 0;
}

// Into the room: names of all joints, a line each; a line of the feet's; a line of the gaits that fit; the ground, as
// it can be given back.
int LAB_EXPORT(lab_creature_words)(void)
{
    if (!it.made) return EXIT_USAGE;
    cli_text text = {0};
    for (int32_t j = 0; j < it.job.skeleton->joint_count; ++j)
        text_fmt(&text, "%s\n", it.job.skeleton->names[j]);
    for (int32_t l = 0; l < it.job.def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &it.job.def.legs[l];
        text_fmt(&text, "%s%d", l > 0 ? "," : "", (int)leg->joints[leg->joint_count - 1]);
    }
    text_str(&text, "\n");
    bool first = true;
    for (int g = 0; g < SFT_GAIT_COUNT; ++g)
        if ((it.job.def.gaits & 1u << g) != 0)
        {
            text_fmt(&text, "%s%s", first ? "" : ",", roam_gait_names[g]);
            first = false;
        }
    text_fmt(&text, "\n%s", it.job.ground.text);
    if (text.failed)
    {
        text_free(&text);
        return cli_fail(EXIT_MEMORY, "out of memory");
    }
    lab_room_take(text.data, text.size);
    return EXIT_DONE;
}

// Writes the ground within `reach` metres of the origin as OBJ to the file ground.obj.
int LAB_EXPORT(lab_creature_ground)(double reach)
{
    if (!it.made) return EXIT_USAGE;
    const ground_place box = {.low = {-reach, -reach, -reach}, .high = {reach, reach, reach}};
    const sft_space metres = {.unit_metres = 1, .up = SFT_AXIS_Y};
    return ground_write(&it.job.ground, &box, &metres, "ground.obj");
}

// ---- kept and brought back ----

// State and goal into the room.
int LAB_EXPORT(lab_creature_save)(void)
{
    if (!it.made) return EXIT_USAGE;
    const size_t size = sft_creature_save_size(it.job.creature);
    char* room = lab_room(size + sizeof it.job.goals);
    if (room == NULL) return cli_fail(EXIT_MEMORY, "out of memory");
    memcpy(room + size, &it.job.goals, sizeof it.job.goals);
    return sft_creature_save(it.job.creature, it.walker.state, room, size) == SFT_OK ? EXIT_DONE : EXIT_READ;
}

int LAB_EXPORT(lab_creature_restore)(void)
{
    if (!it.made) return EXIT_USAGE;
    const size_t size = sft_creature_save_size(it.job.creature);
    const char* room = lab_room_bytes();
    if (lab_room_size() != size + sizeof it.job.goals)
        return cli_fail(EXIT_READ, "%s: these are not the bytes of its state", it.job.name);
    const sft_result result = sft_creature_restore(it.job.creature, room, size, it.memory,
                                                   sft_creature_state_size(it.job.creature), &it.walker.state);
    if (result != SFT_OK) return cli_fail(EXIT_READ, "%s: these are not the bytes of its state", it.job.name);
    memcpy(&it.job.goals, room + size, sizeof it.job.goals);
    it.job.goals.events = NULL;
    it.job.goals.count = it.job.goals.next = 0;
    it.step = -1;
    return EXIT_DONE;
}
