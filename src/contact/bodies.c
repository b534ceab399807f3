// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Several characters in one clip: each is labelled as if it were alone, for what the one's travel explains of its feet
// says nothing about the other's.

#include "contact/contact_internal.h"

#include "core/core.h"

/// Feet of one character, and where they stand among all.
typedef struct group
{
    sft_contact_input input;
    sft_foot_tracks feet[SFT_MAX_FEET];
    int32_t rows[SFT_MAX_FEET];
} group;

// The character of foot `first`, if no foot before it is of the same.
static bool group_of(const sft_contact_input* in, int32_t first, group* out)
{
    out->input = *in;
    out->input.pelvis = in->bodies[first].pelvis;
    out->input.leg_length = in->bodies[first].leg_length;
    out->input.bodies = NULL;
    out->input.feet = out->feet;
    out->input.foot_count = 0;
    for (int32_t f = 0; f < in->foot_count; ++f)
    {
        if (in->bodies[f].pelvis != in->bodies[first].pelvis) continue;
        if (f < first) return false;
        out->rows[out->input.foot_count] = f;
        out->feet[out->input.foot_count++] = in->feet[f];
    }
    return true;
}

// Rows of a group's labels to their place among all.
static void scatter(const group* g, const sft_contact_labels* own, sft_contact_labels* all)
{
    const size_t n = (size_t)all->frame_count;
    for (int32_t k = 0; k < g->input.foot_count; ++k)
    {
        memcpy(all->plant + (size_t)g->rows[k] * n, own->plant + (size_t)k * n, n * sizeof *all->plant);
        memcpy(all->touch + (size_t)g->rows[k] * n, own->touch + (size_t)k * n, n * sizeof *all->touch);
    }
}

static sft_result label_group(const sft_contact_def* def, const group* g, const sft_allocator* allocator,
                              sft_contact_labels* all, sft_contact_mismatch* mismatches)
{
    sft_contact_labels* own = NULL;
    sft_contact_mismatch mismatch;
    sft_result result = sft_contact_labels_create(all->frame_count, g->input.foot_count, allocator, &own);
    if (result == SFT_OK) result = sft_contact_label_one(def, &g->input, allocator, own, &mismatch);
    if (result == SFT_OK) scatter(g, own, all);
    for (int32_t k = 0; k < g->input.foot_count && result == SFT_OK; ++k)
        mismatches[g->rows[k]] = mismatch;
    sft_contact_labels_destroy(own, allocator);
    return result;
}

sft_result sft_contact_label_groups(const sft_contact_def* def, const sft_contact_input* input,
                                    const sft_allocator* allocator, sft_contact_labels* labels,
                                    sft_contact_mismatch* mismatches)
{
    // Nobody's labels are touched until everybody has them.
    sft_contact_labels* all = NULL;
    group* g = sft_core_alloc(allocator, 1, sizeof *g);
    sft_result result = g != NULL ? SFT_OK : SFT_ERR_MEMORY;
    if (result == SFT_OK) result = sft_contact_labels_create(input->frame_count, input->foot_count, allocator, &all);
    for (int32_t f = 0; f < input->foot_count && result == SFT_OK; ++f)
        if (group_of(input, f, g)) result = label_group(def, g, allocator, all, mismatches);
    const size_t size = (size_t)input->frame_count * (size_t)input->foot_count * sizeof *labels->plant;
    if (result == SFT_OK)
    {
        memcpy(labels->plant, all->plant, size);
        memcpy(labels->touch, all->touch, size);
    }
    sft_contact_labels_destroy(all, allocator);
    sft_core_free(allocator, g, 1, sizeof *g);
    return result;
}
