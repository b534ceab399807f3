// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes through the face of all formats, as a file or as the FBX program hands them over: read, every clip taken
// out, written, converted to the other formats, and what was written read again. Extras are made up by whoever likes
// to, so what they claim may never break a conversion.

#include <stdlib.h>
#include <string.h>

#include "surefoot/io.h"

#define MEMORY ((size_t)256 << 20)
#define MOST_CLIPS 3
#define MOST_CELLS 200000

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

static void check_warnings(const sft_io_contents* view)
{
    for (int32_t i = 0; i < view->warning_count; ++i)
        require(memchr(view->warnings[i].message, 0, sizeof view->warnings[i].message) != NULL);
    for (int32_t i = 0; i < view->clip_count; ++i)
        require(view->clips[i].name != NULL && view->clips[i].frame_count >= 0);
}

// Small enough that a conversion takes no time worth speaking of.
static bool small(const sft_io_contents* view)
{
    int64_t cells = view->joint_count;
    for (int32_t i = 0; i < view->clip_count; ++i)
        cells += (int64_t)view->clips[i].frame_count * view->joint_count;
    return cells < MOST_CELLS;
}

static void read_again(sft_io_document* document, const sft_allocator* allocator)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_error error = {.code = SFT_OK};
    if (sft_io_write(document, SFT_IO_AUTO, allocator, &bytes, &size, &error) != SFT_OK) return;
    sft_io_document* again = NULL;
    const sft_result result = sft_io_read(NULL, bytes, size, allocator, &again, &error);
    require(result == SFT_OK || result == SFT_ERR_MEMORY);
    if (result == SFT_OK) require(sft_io_view(again)->joint_count == sft_io_view(document)->joint_count);
    sft_io_destroy(again);
    allocator->release(allocator->user, bytes, size + 1);
}

static void convert(const sft_io_document* document, sft_io_format format, int32_t clip, const sft_allocator* allocator)
{
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = format;
    def.clip = clip;
    sft_io_document* other = NULL;
    sft_io_converted names;
    sft_error error = {.code = SFT_OK};
    const sft_result result = sft_io_convert(document, &def, allocator, &other, &names, &error);
    if (result != SFT_OK)
    {
        require(other == NULL);
        return;
    }
    check_warnings(sft_io_view(other));
    read_again(other, allocator);
    sft_io_destroy(other);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    size_t used = 0;
    const sft_allocator allocator = {limited_allocate, limited_release, &used};
    sft_io_document* document = NULL;
    sft_error error = {.code = SFT_OK};
    const sft_result result = sft_io_read(NULL, data, size, &allocator, &document, &error);
    if (result != SFT_OK)
    {
        require(document == NULL && (error.message[0] != '\0' || result == SFT_ERR_MEMORY) && used == 0);
        return 0;
    }
    const sft_io_contents* view = sft_io_view(document);
    check_warnings(view);
    const bool quick = small(view);
    for (int32_t c = -1; quick && c < view->clip_count && c < MOST_CLIPS; ++c)
    {
        convert(document, SFT_IO_BVH, c, &allocator);
        convert(document, SFT_IO_GLB, c, &allocator);
    }
    if (quick) read_again(document, &allocator);
    sft_io_destroy(document);
    require(used == 0);
    return 0;
}
