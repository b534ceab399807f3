// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/support.h"

#define HEADER 16

static void* counting_allocate(void* user, size_t size)
{
    support_heap* heap = user;
    const long call = heap->calls++;
    if (heap->fail_at >= 0 && call >= heap->fail_at) return NULL;
    unsigned char* block = malloc(size + HEADER);
    if (block == NULL) return NULL;
    memcpy(block, &size, sizeof size);
    // Fresh memory is never zero by luck.
    memset(block + HEADER, 0xA5, size);
    heap->live_blocks += 1;
    heap->live_bytes += size;
    if (heap->live_bytes > heap->peak_bytes) heap->peak_bytes = heap->live_bytes;
    return block + HEADER;
}

static void counting_release(void* user, void* block, size_t size)
{
    support_heap* heap = user;
    unsigned char* whole = (unsigned char*)block - HEADER;
    size_t allocated;
    memcpy(&allocated, whole, sizeof allocated);
    if (block == NULL || allocated != size)
    {
        fprintf(stderr, "release of %zu bytes that were allocated as %zu\n", size, allocated);
        abort();
    }
    heap->live_blocks -= 1;
    heap->live_bytes -= size;
    free(whole);
}

sft_allocator support_allocator(support_heap* heap)
{
    return (sft_allocator){counting_allocate, counting_release, heap};
}

bool support_data(const char* relative, char* out, size_t capacity)
{
    const char* folder = getenv("SFT_DATA");
    const char* source = getenv("SFT_SOURCE");
    if (folder != NULL && folder[0] != '\0')
        snprintf(out, capacity, "%s/%s", folder, relative);
    else
        snprintf(out, capacity, "%s/../shared/data/%s", source != NULL ? source : ".", relative);
    FILE* file = fopen(out, "rb");
    if (file == NULL)
    {
        printf("SKIP: optional data file %s is not there\n", relative);
        return false;
    }
    fclose(file);
    return true;
}

double support_uniform(support_rng* rng, double lo, double hi)
{
    // splitmix64: any seed is fine.
    uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return lo + (hi - lo) * ((double)(z >> 11) * 0x1p-53);
}

sft_clip* support_copy_clip(const sft_clip* clip)
{
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &out), SFT_OK);
    const size_t cells = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy(out->translations, clip->translations, cells * sizeof *out->translations);
    memcpy(out->rotations, clip->rotations, cells * sizeof *out->rotations);
    return out;
}
