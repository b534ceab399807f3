// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which foot stood when, as the creature knows it: labels for `check` and `clean`, in their own form.

#include "roam.h"

#include <stdlib.h>

// The creature's leg that a leg found in the skeleton is: they share the hip's side of the chain, or what is below it.
static int32_t leg_of(const roam_job* j, const sft_leg* found)
{
    for (int32_t l = 0; l < j->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &j->def.legs[l];
        for (int32_t k = 0; k < leg->joint_count; ++k)
            if (leg->joints[k] == found->knee || leg->joints[k] == found->heel) return l;
    }
    return -1;
}

int roam_write_labels(const roam_job* j, const char* path)
{
    static loaded feet; // for the names that other commands give
    feet = (loaded){.skeleton = j->skeleton, .clip = j->clip, .path = j->name};
    sft_contact_labels* labels = NULL;
    char* text = NULL;
    size_t size = 0;
    sft_result result = sft_leg_find(j->skeleton, j->clip, NULL, feet.legs, SFT_MAX_LEGS, &feet.leg_count);
    if (result == SFT_OK && feet.leg_count == 0) return cli_fail_no_legs(&feet);
    if (result == SFT_OK) cli_name_feet(&feet);
    if (result == SFT_OK) result = sft_contact_labels_create(j->clip->frame_count, feet.leg_count, NULL, &labels);
    const size_t frames = (size_t)j->clip->frame_count, legs = (size_t)j->def.leg_count;
    for (int32_t i = 0; result == SFT_OK && i < feet.leg_count; ++i)
    {
        const int32_t l = leg_of(j, &feet.legs[i]);
        for (size_t f = 0; l >= 0 && f < frames; ++f)
        {
            const float stands = j->swings[f * legs + (size_t)l] != 0 ? 0.0F : 1.0F;
            labels->plant[(size_t)i * frames + f] = stands;
            labels->touch[(size_t)i * frames + f] = stands;
        }
    }
    if (result == SFT_OK)
        result = sft_contact_format_csv(labels, j->clip->frame_time, feet.foot_name_list, NULL, &text, &size);
    const int code =
        result == SFT_OK ? cli_write_bytes(path, text, size) : cli_fail(EXIT_MEMORY, "%s: out of memory", path);
    free(text);
    sft_contact_labels_destroy(labels, NULL);
    return code;
}
