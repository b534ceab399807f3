// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes: the reader must refuse them or read a document that comes back from its own text number for number.

#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

static void require(bool condition)
{
    if (!condition) abort();
}

static void compare(const sft_bvh_contents* a, const sft_bvh_contents* b)
{
    require(a->joint_count == b->joint_count && a->channel_count == b->channel_count);
    require(a->frame_count == b->frame_count);
    require(memcmp(&a->frame_time, &b->frame_time, sizeof a->frame_time) == 0);
    for (int32_t j = 0; j < a->joint_count; ++j)
    {
        require(strcmp(a->joints[j].name, b->joints[j].name) == 0 && a->joints[j].parent == b->joints[j].parent);
        require(memcmp(&a->joints[j].offset, &b->joints[j].offset, sizeof a->joints[j].offset) == 0);
        require(memcmp(a->joints[j].channels, b->joints[j].channels, sizeof a->joints[j].channels) == 0);
    }
    const size_t count = (size_t)a->frame_count * (size_t)a->channel_count;
    require(count == 0 || memcmp(a->values, b->values, count * sizeof *a->values) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    sft_bvh *bvh = NULL, *again = NULL;
    sft_error error;
    if (sft_bvh_read(NULL, data, size, NULL, &bvh, &error) != SFT_OK)
    {
        require(error.code != SFT_OK && error.message[0] != '\0' && error.byte <= size);
        return 0;
    }
    char* text = NULL;
    size_t length = 0;
    require(sft_bvh_write(bvh, NULL, &text, &length) == SFT_OK);
    require(sft_bvh_read(NULL, text, length, NULL, &again, &error) == SFT_OK);
    compare(sft_bvh_view(bvh), sft_bvh_view(again));
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    if (sft_bvh_to_clip(bvh, NULL, &skeleton, &clip) == SFT_OK)
    {
        const size_t joints = (size_t)clip->joint_count;
        uint8_t* mask = malloc(joints + 1);
        require(mask != NULL);
        memset(mask, 1, joints + 1);
        // Nothing changed, so nothing may change.
        if (sft_bvh_apply(again, clip, NULL, mask, mask, &error) == SFT_OK)
            compare(sft_bvh_view(bvh), sft_bvh_view(again));
        free(mask);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
    }
    free(text);
    sft_bvh_destroy(again);
    sft_bvh_destroy(bvh);
    return 0;
}
