// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which records of a file are kept. Meshes, textures and the like are stepped over without a look inside.

#include "fbx.h"

#include <string.h>

static const char magic[] = "Kaydara FBX Binary  ";

uint32_t fbx_binary_version(const void* bytes, size_t size)
{
    const unsigned char* p = bytes;
    if (size < 27 || memcmp(bytes, magic, sizeof magic) != 0) return 0;
    return (uint32_t)p[23] | (uint32_t)p[24] << 8 | (uint32_t)p[25] << 16 | (uint32_t)p[26] << 24;
}

bool fbx_keeps(const char* parent, const char* name, size_t name_size, int depth)
{
    // Parent and child.
    static const char* const kept[][2] = {{"", "Objects"},
                                          {"", "Connections"},
                                          {"", "FBXHeaderExtension"},
                                          {"FBXHeaderExtension", "FBXVersion"},
                                          {"", "GlobalSettings"},
                                          {"GlobalSettings", "Properties70"},
                                          {"Objects", "Deformer"},
                                          {"Objects", "Model"},
                                          {"Objects", "AnimationStack"},
                                          {"Objects", "AnimationLayer"},
                                          {"Objects", "AnimationCurveNode"},
                                          {"Objects", "AnimationCurve"},
                                          {"Connections", "C"},
                                          {"Model", "Properties70"},
                                          {"AnimationStack", "Properties70"},
                                          {"AnimationCurve", "KeyTime"},
                                          {"AnimationCurve", "KeyValueFloat"},
                                          {"AnimationCurve", "KeyAttrFlags"},
                                          {"AnimationCurve", "KeyAttrRefCount"},
                                          {"Properties70", "P"},
                                          {"KeyTime", "a"},
                                          {"KeyValueFloat", "a"},
                                          {"KeyAttrFlags", "a"},
                                          {"KeyAttrRefCount", "a"}};
    if (depth >= FBX_DEPTH) return false;
    const char* above = parent != NULL ? parent : "";
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; ++i)
        if (strcmp(kept[i][0], above) == 0 && strlen(kept[i][1]) == name_size &&
            memcmp(kept[i][1], name, name_size) == 0)
            return true;
    return false;
}

fbx_record* fbx_tree(fbx_arena* arena, const void* bytes, size_t size, char place[FBX_PLACE])
{
    if (fbx_binary_version(bytes, size) > 0) return fbx_binary_tree(arena, bytes, size, place);
    return fbx_text_tree(arena, bytes, size, place);
}

const fbx_record* fbx_child(const fbx_record* record, const char* name)
{
    for (const fbx_record* r = record != NULL ? record->child : NULL; r != NULL; r = r->next)
        if (strcmp(r->name, name) == 0) return r;
    return NULL;
}

bool fbx_is(const fbx_value* value, const char* string)
{
    return value->kind == FBX_STRING && strcmp(value->string, string) == 0;
}
