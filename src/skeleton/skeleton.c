// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "surefoot/skeleton.h"

#include "core/core.h"

// One block behind the public view: arrays, then the names' bytes.
typedef struct skeleton_block
{
    sft_skeleton view;
    size_t size;
} skeleton_block;

static sft_result check_def(const sft_skeleton* def, size_t* name_bytes)
{
    if (def->joint_count < 0 ||
        (def->joint_count > 0 && (def->names == NULL || def->parents == NULL || def->rest_translations == NULL)))
        return SFT_ERR_ARG;
    if (def->joint_count > SFT_MAX_JOINTS) return SFT_ERR_LIMIT;
    size_t bytes = 0;
    for (int32_t j = 0; j < def->joint_count; ++j)
    {
        if (def->names[j] == NULL || def->parents[j] >= j || def->parents[j] < -1) return SFT_ERR_ARG;
        const sft_v3d t = def->rest_translations[j];
        if (!isfinite(t.x) || !isfinite(t.y) || !isfinite(t.z)) return SFT_ERR_RANGE;
        bytes += strlen(def->names[j]) + 1;
    }
    *name_bytes = bytes;
    return SFT_OK;
}

sft_result sft_skeleton_create(const sft_skeleton* def, const sft_allocator* allocator, sft_skeleton** out)
{
    if (def == NULL || out == NULL) return SFT_ERR_ARG;
    size_t name_bytes = 0;
    const sft_result checked = check_def(def, &name_bytes);
    if (checked != SFT_OK) return checked;
    const size_t n = (size_t)def->joint_count;
    // Widest alignment first, so that every array starts aligned.
    const size_t size = sizeof(skeleton_block) +
                        n * (sizeof(sft_quatd) + sizeof(sft_v3d) + sizeof(char*) + sizeof(int32_t) + sizeof(uint32_t)) +
                        name_bytes;
    skeleton_block* block = sft_core_alloc(allocator, 1, size);
    if (block == NULL) return SFT_ERR_MEMORY;
    sft_quatd* rotations = (sft_quatd*)(void*)(block + 1);
    sft_v3d* translations = (sft_v3d*)(void*)(rotations + n);
    const char** names = (const char**)(void*)(translations + n);
    int32_t* parents = (int32_t*)(void*)(names + n);
    uint32_t* flags = (uint32_t*)(void*)(parents + n);
    char* text = (char*)(flags + n);
    for (size_t j = 0; j < n; ++j)
    {
        rotations[j] = def->rest_rotations != NULL ? def->rest_rotations[j] : sft_quatd_identity();
        translations[j] = def->rest_translations[j];
        parents[j] = def->parents[j];
        flags[j] = def->flags != NULL ? def->flags[j] : 0u;
        const size_t length = strlen(def->names[j]) + 1;
        memcpy(text, def->names[j], length);
        names[j] = text;
        text += length;
    }
    block->view = (sft_skeleton){def->joint_count, names, parents, flags, translations, rotations};
    block->size = size;
    *out = &block->view;
    return SFT_OK;
}

void sft_skeleton_destroy(sft_skeleton* skeleton, const sft_allocator* allocator)
{
    if (skeleton == NULL) return;
    skeleton_block* block = (skeleton_block*)(void*)skeleton;
    sft_core_free(allocator, block, 1, block->size);
}

int32_t sft_skeleton_find(const sft_skeleton* skeleton, const char* name)
{
    if (skeleton == NULL || name == NULL) return -1;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        if ((skeleton->flags[j] & SFT_JOINT_END_SITE) == 0 && strcmp(skeleton->names[j], name) == 0) return j;
    return -1;
}

void sft_skeleton_forward(const sft_skeleton* skeleton, const sft_v3d* local_t, const sft_quatd* local_r,
                          sft_xformd* out)
{
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const sft_xformd local = {local_t[j], local_r[j]};
        const int32_t parent = skeleton->parents[j];
        out[j] = parent < 0 ? local : sft_xformd_mul(out[parent], local);
    }
}

sft_xformd sft_skeleton_joint_model(const sft_skeleton* skeleton, const sft_v3d* local_t, const sft_quatd* local_r,
                                    int32_t joint)
{
    sft_xformd x = {local_t[joint], local_r[joint]};
    for (int32_t p = skeleton->parents[joint]; p >= 0; p = skeleton->parents[p])
        x = sft_xformd_mul((sft_xformd){local_t[p], local_r[p]}, x);
    return x;
}
