// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The document itself: memory, names, warnings, copies.

#include "bvh/bvh.h"

#include <stdarg.h>

sft_bvh_read_def sft_default_bvh_read_def(void)
{
    const uint64_t four_gib = UINT64_C(4) << 30;
    return (sft_bvh_read_def){SFT_BVH_POSITIONS_AUTO, four_gib > SIZE_MAX / 2 ? SIZE_MAX / 2 : (size_t)four_gib,
                              BVH_COOKIE};
}

sft_bvh* sft_bvh_alloc(const sft_allocator* allocator)
{
    sft_bvh* bvh = sft_core_alloc(allocator, 1, sizeof *bvh);
    if (bvh == NULL) return NULL;
    bvh->allocator = sft_core_allocator(allocator);
    bvh->style = (bvh_style){"\n", "\t", false};
    return bvh;
}

void sft_bvh_destroy(sft_bvh* bvh)
{
    if (bvh == NULL) return;
    const sft_allocator allocator = bvh->allocator;
    sft_core_free(&allocator, bvh->joints, bvh->joint_capacity, sizeof *bvh->joints);
    sft_core_free(&allocator, bvh->notes, bvh->joint_capacity, sizeof *bvh->notes);
    sft_core_free(&allocator, bvh->names, bvh->names_capacity, 1);
    sft_core_free(&allocator, bvh->values, bvh->value_capacity, sizeof *bvh->values);
    sft_core_free(&allocator, bvh, 1, sizeof *bvh);
}

const sft_bvh_contents* sft_bvh_view(const sft_bvh* bvh)
{
    return bvh != NULL ? &bvh->view : NULL;
}

// Not sft_core_grow: the numbers need no zeros first, and the block is larger than what is used of it.
bool sft_bvh_reserve_values(sft_bvh* bvh, size_t used, size_t capacity)
{
    if (capacity > SIZE_MAX / 2 / sizeof(double)) return false;
    const size_t bytes = capacity == 0 ? 1 : capacity * sizeof(double);
    double* grown = bvh->allocator.allocate(bvh->allocator.user, bytes);
    if (grown == NULL) return false;
    if (used > 0) memcpy(grown, bvh->values, used * sizeof *grown);
    sft_core_free(&bvh->allocator, bvh->values, bvh->value_capacity, sizeof *bvh->values);
    bvh->values = grown;
    bvh->value_capacity = capacity;
    return true;
}

void sft_bvh_warn(sft_bvh* bvh, uint32_t line, const char* format, ...)
{
    if (bvh->view.warning_count == BVH_MAX_WARNINGS)
    {
        ++bvh->warnings_lost;
        return;
    }
    sft_warning* warning = &bvh->warnings[bvh->view.warning_count++];
    warning->line = line;
    va_list args;
    va_start(args, format);
    sft_core_vformat(warning->message, sizeof warning->message, format, args);
    va_end(args);
}

void sft_bvh_finish_warnings(sft_bvh* bvh)
{
    bvh->view.warnings = bvh->warnings;
    if (bvh->warnings_lost == 0) return;
    sft_warning* last = &bvh->warnings[BVH_MAX_WARNINGS - 1];
    last->line = 0;
    sft_core_format(last->message, sizeof last->message, "and %z more warnings", bvh->warnings_lost + 1);
    bvh->warnings_lost = 0;
}

void sft_bvh_set_frame_time(sft_bvh* bvh, double seconds, const char* text, size_t length)
{
    double said = 0.0;
    const char* next = NULL;
    bvh->view.frame_time = seconds;
    bvh->view.frame_time_text = NULL;
    if (text == NULL || length >= sizeof bvh->frame_time_text ||
        sft_decimal_read(text, text + length, &said, &next) != SFT_DECIMAL_OK || next != text + length ||
        said != seconds)
        return;
    memcpy(bvh->frame_time_text, text, length);
    bvh->frame_time_text[length] = '\0';
    bvh->view.frame_time_text = bvh->frame_time_text;
}

bvh_columns sft_bvh_joint_columns(const sft_bvh_joint* joint)
{
    bvh_columns columns = {.position = {-1, -1, -1}};
    for (int32_t c = 0; c < joint->channel_count; ++c)
    {
        const uint8_t channel = joint->channels[c];
        if (channel < SFT_BVH_XROTATION)
            columns.position[channel] = joint->channel_first + c;
        else
        {
            columns.rotation[columns.rotation_count] = joint->channel_first + c;
            columns.axes[columns.rotation_count++] = (uint8_t)(channel - SFT_BVH_XROTATION);
        }
    }
    return columns;
}

void sft_bvh_bind_names(sft_bvh* bvh)
{
    bvh->view.joints = bvh->joints;
    for (int32_t j = 0; j < bvh->view.joint_count; ++j)
    {
        sft_bvh_joint* joint = &bvh->joints[j];
        joint->name =
            joint->end_site && joint->parent >= 0 ? bvh->joints[joint->parent].name : bvh->names + bvh->notes[j].label;
    }
}

// Everything but the numbers.
static bool copy_tables(sft_bvh* copy, const sft_bvh* bvh)
{
    const size_t joints = (size_t)bvh->view.joint_count;
    copy->joints = sft_core_alloc(&copy->allocator, joints, sizeof *copy->joints);
    copy->notes = sft_core_alloc(&copy->allocator, joints, sizeof *copy->notes);
    copy->joint_capacity = joints;
    copy->names = sft_core_alloc(&copy->allocator, bvh->names_size, 1);
    copy->names_size = copy->names_capacity = bvh->names_size;
    if (copy->joints == NULL || copy->notes == NULL || copy->names == NULL) return false;
    if (joints > 0) memcpy(copy->joints, bvh->joints, joints * sizeof *copy->joints);
    if (joints > 0) memcpy(copy->notes, bvh->notes, joints * sizeof *copy->notes);
    if (bvh->names_size > 0) memcpy(copy->names, bvh->names, bvh->names_size);
    return true;
}

sft_bvh* sft_bvh_copy_header(const sft_bvh* bvh, int32_t frames, const sft_allocator* allocator)
{
    sft_bvh* copy = sft_bvh_alloc(allocator);
    if (copy == NULL) return NULL;
    const uint64_t count = (uint64_t)frames * (uint64_t)bvh->view.channel_count;
    if (!copy_tables(copy, bvh) || count > SIZE_MAX / 2 / sizeof(double) ||
        !sft_bvh_reserve_values(copy, 0, (size_t)count))
    {
        sft_bvh_destroy(copy);
        return NULL;
    }
    copy->view = bvh->view;
    copy->view.frame_count = frames;
    copy->view.values = copy->values;
    copy->style = bvh->style;
    sft_bvh_set_frame_time(copy, bvh->view.frame_time, bvh->view.frame_time_text,
                           bvh->view.frame_time_text != NULL ? strlen(bvh->view.frame_time_text) : 0);
    memcpy(copy->reason, bvh->reason, sizeof copy->reason);
    copy->view.positions_reason = copy->reason;
    memcpy(copy->warnings, bvh->warnings, sizeof copy->warnings);
    copy->view.warnings = copy->warnings;
    sft_bvh_bind_names(copy);
    return copy;
}
