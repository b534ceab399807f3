// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Blocks in a list, released at once. Bounded, because sizes come from files.

#include "fbx.h"

#include <stdlib.h>
#include <string.h>

#define BLOCK ((size_t)1 << 16)
#define ALIGN ((size_t)16)

struct fbx_block
{
    struct fbx_block* next;
    size_t size, used;
};

void* fbx_alloc(fbx_arena* arena, size_t count, size_t size)
{
    if (size > 0 && count > (SIZE_MAX / 4) / size) arena->failed = true;
    const size_t want = arena->failed ? 0 : (count * size + ALIGN - 1) / ALIGN * ALIGN + ALIGN;
    if (arena->failed || want > arena->most - arena->used)
    {
        arena->failed = true;
        return NULL;
    }
    const size_t head = (sizeof(struct fbx_block) + ALIGN - 1) / ALIGN * ALIGN;
    struct fbx_block* block = arena->blocks;
    if (block == NULL || block->size - block->used < want)
    {
        const size_t room = want > BLOCK ? want : BLOCK;
        block = calloc(1, head + room);
        if (block == NULL)
        {
            arena->failed = true;
            return NULL;
        }
        block->size = room;
        block->next = arena->blocks;
        arena->blocks = block;
    }
    void* p = (char*)block + head + block->used;
    block->used += want;
    arena->used += want;
    return p;
}

char* fbx_copy(fbx_arena* arena, const char* bytes, size_t size)
{
    char* copy = fbx_alloc(arena, size + 1, 1);
    if (copy != NULL && size > 0) memcpy(copy, bytes, size);
    return copy;
}

void fbx_release(fbx_arena* arena)
{
    struct fbx_block* block = arena->blocks;
    while (block != NULL)
    {
        struct fbx_block* next = block->next;
        free(block);
        block = next;
    }
    arena->blocks = NULL;
}
