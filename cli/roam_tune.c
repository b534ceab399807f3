// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// `--tune KEY=K,...`: parts of what a creature would choose for itself, as --speed is.

#include "roam.h"

#include <string.h>

typedef enum tune_key
{
    TUNE_STRIDE,
    TUNE_STEP_TIME,
    TUNE_LIFT,
    TUNE_BOB,
    TUNE_SPINE,
    TUNE_TAIL,
    TUNE_TURN,
    TUNES
} tune_key;

static const struct
{
    const char* name;
    double least, most;
} rules[TUNES] = {
    [TUNE_STRIDE] = {"stride", 0.2, 2}, [TUNE_STEP_TIME] = {"step-time", 0.2, 5}, [TUNE_LIFT] = {"lift", 0, 5},
    [TUNE_BOB] = {"bob", 0, 5},         [TUNE_SPINE] = {"spine", 0, 2},           [TUNE_TAIL] = {"tail", 0, 5},
    [TUNE_TURN] = {"turn", 0.1, 2}};

static int take(const char* pair, size_t length, double values[TUNES])
{
    char text[64];
    if (length < sizeof text)
    {
        memcpy(text, pair, length);
        text[length] = '\0';
        char* equals = strchr(text, '=');
        for (int k = 0; equals != NULL && k < TUNES; ++k)
            if (strlen(rules[k].name) == (size_t)(equals - text) &&
                strncmp(rules[k].name, text, (size_t)(equals - text)) == 0)
            {
                char option[32] = "--tune ";
                strcat(option, rules[k].name);
                return cli_take_number("roam", option, equals + 1, rules[k].least, rules[k].most, &values[k]);
            }
    }
    return cli_fail(EXIT_USAGE,
                    "roam: --tune %.*s: wants KEY=K, with one of stride, step-time, lift, bob, spine, tail, turn",
                    (int)(length < 80 ? length : 80), pair);
}

static int read(const char* spec, double values[TUNES])
{
    int code = EXIT_DONE;
    for (int k = 0; k < TUNES; ++k)
        values[k] = 1;
    while (code == EXIT_DONE)
    {
        const size_t length = strcspn(spec, ",");
        code = take(spec, length, values);
        if (spec[length] == '\0') break;
        spec += length + 1;
    }
    return code;
}

int roam_tune_check(const char* spec)
{
    double values[TUNES];
    return read(spec, values);
}

static double most(double value, double limit)
{
    return value < limit ? value : limit;
}

int roam_tune(const char* spec, sft_creature_def* def)
{
    double k[TUNES];
    const int code = read(spec, k);
    if (code != EXIT_DONE) return code;
    for (int32_t l = 0; l < def->leg_count; ++l)
        def->legs[l].step_distance *= k[TUNE_STRIDE];
    def->swing.time *= k[TUNE_STEP_TIME];
    def->swing.lift *= k[TUNE_LIFT];
    // What the legs can serve goes with both, and the speed it would choose with that.
    def->motion.max_speed *= k[TUNE_STRIDE] / k[TUNE_STEP_TIME];
    def->bob.amplitude = sft_v3d_scale(k[TUNE_BOB], def->bob.amplitude);
    def->bob.turn = sft_v3d_scale(k[TUNE_BOB], def->bob.turn);
    for (int32_t i = 0; i < def->spine_count; ++i)
    {
        def->spine[i].max_yaw *= k[TUNE_SPINE];
        def->spine[i].max_pitch *= k[TUNE_SPINE];
    }
    def->tail_gain *= k[TUNE_TAIL];
    def->tail_max = most(def->tail_max * (k[TUNE_TAIL] > 1 ? k[TUNE_TAIL] : 1), SFT_PI);
    def->motion.max_turn_speed *= k[TUNE_TURN];
    return EXIT_DONE;
}
