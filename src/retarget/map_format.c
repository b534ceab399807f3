// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The map as text: what both skeletons were, so that a reader can say what differs, and a line a target joint.

#include "retarget/map_json.h"

#include "core/core.h"

#define LINE_LENGTH 110

const char* const sft_map_rules[5] = {"rest", "joint", "chain", "twist", "root"};

void sft_map_hex(uint64_t identity, char out[17])
{
    for (int i = 0; i < 16; ++i)
        out[i] = "0123456789abcdef"[identity >> (60 - 4 * i) & 15];
    out[16] = '\0';
}

static uint64_t name_hash(const char* name)
{
    return sft_core_hash(SFT_HASH_SEED, name, strlen(name));
}

bool sft_map_names_make(const sft_skeleton* skeleton, const sft_allocator* allocator, map_names* out)
{
    part_entry* entries = sft_core_alloc(allocator, (size_t)skeleton->joint_count, sizeof *entries);
    if (entries == NULL) return false;
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
        entries[j] = (part_entry){name_hash(skeleton->names[j]), j};
    sft_map_sort(entries, skeleton->joint_count);
    *out = (map_names){skeleton, entries};
    return true;
}

void sft_map_names_free(map_names* names, const sft_allocator* allocator)
{
    if (names->skeleton == NULL) return;
    sft_core_free(allocator, names->entries, (size_t)names->skeleton->joint_count, sizeof *names->entries);
}

int32_t sft_map_names_find(const map_names* names, const char* name, bool* repeats)
{
    const uint64_t hash = name_hash(name);
    int32_t lo = 0, hi = names->skeleton->joint_count;
    while (lo < hi)
    {
        const int32_t middle = lo + (hi - lo) / 2;
        if (names->entries[middle].key < hash)
            lo = middle + 1;
        else
            hi = middle;
    }
    int32_t found = -1, ends = 0;
    *repeats = false;
    // The first of a name is enough to know, and a second to know that it is not the only one.
    for (; lo < names->skeleton->joint_count && names->entries[lo].key == hash && !*repeats; ++lo)
    {
        const int32_t joint = names->entries[lo].joint;
        if (strcmp(names->skeleton->names[joint], name) != 0) continue;
        // An End Site answers to its parent's name, but nobody means it by that. A crowd of them is not gone through.
        const uint32_t* flags = names->skeleton->flags;
        if (found >= 0 && (flags[joint] & SFT_JOINT_END_SITE) != 0 && ++ends < 64) continue;
        if (found < 0 || (flags[found] & SFT_JOINT_END_SITE) != 0)
            found = joint;
        else
            *repeats = true;
    }
    return found;
}

static bool plain(const char* name)
{
    for (; *name != '\0'; ++name)
        if ((unsigned char)*name >= 0x80) return false;
    return true;
}

static void put_name(sft_json_out* out, const char* key, const map_names* names, int32_t joint)
{
    const char* name = names->skeleton->names[joint];
    bool repeats = false;
    sft_map_names_find(names, name, &repeats);
    sft_json_out_text(out, "\"");
    sft_json_out_text(out, key);
    sft_json_out_text(out, "\": ");
    sft_json_out_string(out, name, strlen(name));
    // A name that is no UTF-8 does not come back as it was.
    if (!repeats && plain(name) && (names->skeleton->flags[joint] & SFT_JOINT_END_SITE) == 0) return;
    sft_json_out_text(out, ", \"");
    sft_json_out_text(out, key);
    sft_json_out_text(out, "_index\": ");
    sft_json_out_int64(out, joint);
}

static void put_pair(sft_json_out* out, const sft_joint_pair* pair, const map_names* source, const map_names* target)
{
    sft_json_out_text(out, "    {");
    put_name(out, "target", target, pair->target);
    sft_json_out_text(out, ", \"rule\": \"");
    sft_json_out_text(out, sft_map_rules[pair->rule]);
    sft_json_out_text(out, "\"");
    if (pair->source >= 0)
    {
        sft_json_out_text(out, ", ");
        put_name(out, "source", source, pair->source);
    }
    if (pair->rule == SFT_PAIR_CHAIN)
    {
        sft_json_out_text(out, ", ");
        put_name(out, "next", source, pair->source_next);
    }
    if (pair->rule == SFT_PAIR_CHAIN || pair->rule == SFT_PAIR_TWIST)
    {
        sft_json_out_text(out, ", \"share\": ");
        sft_json_out_double(out, pair->share);
    }
    sft_json_out_text(out, ", \"confidence\": ");
    sft_json_out_float(out, pair->confidence);
    sft_json_out_text(out, ", \"reason\": ");
    sft_json_out_string(out, pair->reason, strlen(pair->reason));
    sft_json_out_text(out, "}");
}

/// Names and parents in the skeleton's order: nobody edits them, they say what the map was made for.
static void put_rig(sft_json_out* out, const char* key, const sft_rig* rig)
{
    char hex[17];
    sft_map_hex(rig->identity, hex);
    sft_json_out_text(out, "  \"");
    sft_json_out_text(out, key);
    sft_json_out_text(out, "\": {\"identity\": \"");
    sft_json_out_text(out, hex);
    sft_json_out_text(out, "\", \"joints\": [\n   ");
    size_t line = out->size;
    for (int32_t j = 0; j < rig->skeleton->joint_count; ++j)
    {
        if (j > 0) sft_json_out_text(out, ",");
        if (out->size - line > LINE_LENGTH)
        {
            sft_json_out_text(out, "\n   ");
            line = out->size;
        }
        sft_json_out_text(out, " [");
        sft_json_out_string(out, rig->skeleton->names[j], strlen(rig->skeleton->names[j]));
        sft_json_out_text(out, ", ");
        sft_json_out_int64(out, rig->skeleton->parents[j]);
        sft_json_out_text(out, "]");
    }
    sft_json_out_text(out, "]},\n");
}

static void put_map(sft_json_out* out, const sft_retarget_map_contents* view, const sft_rig_pair* rigs,
                    const map_names names[2])
{
    sft_json_out_text(out, "{\n  \"surefoot_map\": 1,\n");
    put_rig(out, "source", rigs->source);
    put_rig(out, "target", rigs->target);
    sft_json_out_text(out, "  \"pairs\": [\n");
    bool first = true;
    for (int32_t j = 0; j < view->target_joint_count; ++j)
    {
        const bool end = (rigs->target->skeleton->flags[j] & SFT_JOINT_END_SITE) != 0;
        // An End Site turns nothing.
        if (end && view->pairs[j].rule == SFT_PAIR_REST) continue;
        if (!first) sft_json_out_text(out, ",\n");
        first = false;
        put_pair(out, &view->pairs[j], &names[0], &names[1]);
    }
    sft_json_out_text(out, "\n  ]\n}\n");
}

sft_result sft_retarget_map_format_json(const sft_retarget_map* map, const sft_rig_pair* rigs,
                                        const sft_allocator* allocator, char** text, size_t* size)
{
    const sft_retarget_map_contents* view = sft_retarget_map_view(map);
    if (view == NULL || rigs == NULL || rigs->source == NULL || rigs->target == NULL || text == NULL || size == NULL)
        return SFT_ERR_ARG;
    const sft_skeleton *s = rigs->source->skeleton, *t = rigs->target->skeleton;
    if (s == NULL || t == NULL || rigs->source->identity != view->source_identity ||
        rigs->target->identity != view->target_identity || s->joint_count != view->source_joint_count ||
        t->joint_count != view->target_joint_count)
        return SFT_ERR_ARG;
    map_names names[2] = {{NULL, NULL}, {NULL, NULL}};
    sft_json_out out = {.allocator = allocator};
    bool fine = sft_map_names_make(s, allocator, &names[0]) && sft_map_names_make(t, allocator, &names[1]);
    if (fine) put_map(&out, view, rigs, names);
    char* block = fine && !out.failed ? sft_core_alloc(allocator, 1, out.size + 1) : NULL;
    if (block != NULL)
    {
        memcpy(block, out.data, out.size);
        *text = block;
        *size = out.size;
    }
    sft_json_out_free(&out);
    sft_map_names_free(&names[0], allocator);
    sft_map_names_free(&names[1], allocator);
    return block != NULL ? SFT_OK : SFT_ERR_MEMORY;
}
