// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes: the reader must refuse them with a sentence and a place inside them, or read a document whose joints hang
// together and whose animations can be taken out or say why not. Memory is limited: nothing may need more.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "surefoot/gltf.h"

// Enough for the reader; clips of hours, which a few bytes can ask for, are refused at once.
#define MEMORY ((size_t)16 << 20)

static void require(bool condition)
{
    if (!condition) abort();
}

static void* limited_allocate(void* user, size_t size)
{
    size_t* used = user;
    if (size > MEMORY - *used) return NULL;
    void* block = malloc(size);
    if (block != NULL) *used += size;
    return block;
}

static void limited_release(void* user, void* block, size_t size)
{
    *(size_t*)user -= size;
    free(block);
}

// Every file is there and counts up.
static sft_result load(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator, void** bytes,
                       size_t* size, sft_error* error)
{
    (void)user;
    (void)error;
    require(path[0] != '\0' && path[0] != '/' && strstr(path, "..") != path && strchr(path, '\\') == NULL);
    const size_t count = max_bytes < 512 ? max_bytes : 512;
    uint8_t* block = allocator->allocate(allocator->user, count + 1);
    if (block == NULL) return SFT_ERR_MEMORY;
    for (size_t i = 0; i <= count; ++i)
        block[i] = (uint8_t)i;
    *bytes = block;
    *size = count;
    return SFT_OK;
}

static void check_view(const sft_gltf* gltf, size_t size)
{
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    for (int32_t j = 0; j < view->joint_count; ++j)
        require(view->joint_nodes[j] >= 0 && view->joint_nodes[j] < view->node_count &&
                view->node_joints[view->joint_nodes[j]] == j);
    for (int32_t n = 0; n < view->node_count; ++n)
    {
        size_t length = 0;
        const char* extras = sft_gltf_extras(gltf, SFT_GLTF_NODE, n, &length);
        require(extras == NULL ? length == 0 : length > 0 && length < size);
        require(view->node_joints[n] >= -1 && view->node_joints[n] < view->joint_count);
    }
    for (int32_t w = 0; w < view->warning_count; ++w)
        require(view->warnings[w].message[0] != '\0');
    for (int32_t i = 0; sft_gltf_image_path(gltf, i) != NULL; ++i)
        require(sft_gltf_image_path(gltf, i)[0] != '\0');
    require(strlen(view->generator) <= size);
}

static void check_clip(const sft_skeleton* skeleton, const sft_clip* clip)
{
    const size_t joints = (size_t)clip->joint_count, count = joints * (size_t)clip->frame_count;
    require(skeleton->joint_count == clip->joint_count && clip->frame_count > 0);
    for (size_t j = 0; j < joints; ++j)
        require(skeleton->parents[j] < (int32_t)j);
    for (size_t i = 0; i < count; ++i)
    {
        const sft_quatd q = clip->rotations[i];
        const sft_v3d t = clip->translations[i];
        require(fabs(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1.0) < 1e-9);
        require(isfinite(t.x) && isfinite(t.y) && isfinite(t.z));
    }
}

static void take_out(const sft_gltf* gltf, int32_t animation, const sft_allocator* allocator)
{
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    sft_gltf_frames frames;
    sft_error error = {.code = SFT_OK};
    const sft_result result = sft_gltf_to_clip(gltf, animation, NULL, allocator, &skeleton, &clip, &frames, &error);
    if (result != SFT_OK)
    {
        require(skeleton == NULL && clip == NULL);
        return;
    }
    require(frames.frame_count == clip->frame_count);
    check_clip(skeleton, clip);
    sft_skeleton_destroy(skeleton, allocator);
    sft_clip_destroy(clip, allocator);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t used = 0;
    const sft_allocator allocator = {limited_allocate, limited_release, &used};
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.keep_bytes = (size & 1) != 0;
    def.load = load;
    sft_gltf* gltf = NULL;
    sft_error error = {.code = SFT_OK};
    if (sft_gltf_read(&def, data, size, &allocator, &gltf, &error) != SFT_OK)
    {
        require(gltf == NULL && error.code != SFT_OK && error.message[0] != '\0' && error.byte <= size);
        require(used == 0);
        return 0;
    }
    check_view(gltf, size);
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    // The first few stand for all: a list of thousands would only be slow.
    for (int32_t a = -1; a < view->animation_count && a < 4; ++a)
        take_out(gltf, a, &allocator);
    sft_gltf_destroy(gltf);
    require(used == 0);
    return 0;
}
