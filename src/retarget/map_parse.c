// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A map read back from text that people edited: every complaint has its line, its joint, and what to do.

#include "retarget/map_json.h"

#include "core/core.h"

typedef struct reader
{
    const sft_rig_pair* rigs;
    const sft_allocator* allocator;
    sft_json* json;
    map_names names[2]; ///< source, target
    sft_joint_pair* pairs;
    uint32_t* numbers; ///< by target joint: which pair of the list is its own, from 1; 0 none
    int32_t count;
    sft_error* error;
} reader;

static sft_result refuse(const reader* r, sft_json_value at, sft_result code, const char* joint, const char* message)
{
    sft_json_fail(r->json, at.start, code, message, r->error);
    if (r->error != NULL && joint != NULL) sft_core_format(r->error->joint, sizeof r->error->joint, "%s", joint);
    return code;
}

// ---- what the map was made for ----

/// The first joint that is another, with its name and parent in the file and here.
static sft_result say_difference(const reader* r, const char* which, const sft_skeleton* s, sft_json_value rig)
{
    char text[256];
    const sft_json_value joints = sft_json_get(r->json, rig, "joints");
    const size_t count = sft_json_count(r->json, joints);
    if (joints.kind == SFT_JSON_ARRAY && count != (size_t)s->joint_count)
    {
        sft_core_format(text, sizeof text,
                        "this map was made for another %s: that had %z joints, this one has %d; make a new map, or "
                        "use the file it was made for",
                        which, count, (int)s->joint_count);
        return refuse(r, joints, SFT_ERR_UNSUPPORTED, NULL, text);
    }
    int32_t j = 0;
    for (sft_json_iter it = sft_json_iterate(r->json, joints); sft_json_next(r->json, &it); ++j)
    {
        const sft_json_value name = sft_json_at(r->json, it.value, 0);
        int32_t parent = -2;
        const sft_json_fit fit = sft_json_int32(r->json, sft_json_at(r->json, it.value, 1), &parent);
        if (fit == SFT_JSON_EXACT && parent == s->parents[j] && sft_json_equals(r->json, name, s->names[j])) continue;
        char was[48] = "";
        sft_json_decode(r->json, name, was, sizeof was);
        sft_core_format(text, sizeof text,
                        "this map was made for another %s: its joint %d was '%s' with parent %d, here it is '%s' with "
                        "parent %d; make a new map",
                        which, (int)j, was, (int)parent, s->names[j], (int)s->parents[j]);
        return refuse(r, it.value, SFT_ERR_UNSUPPORTED, s->names[j], text);
    }
    sft_core_format(text, sizeof text,
                    "this map was made for another %s: joints and parents are the same, but places in the rest pose "
                    "are not; make a new map",
                    which);
    return refuse(r, rig, SFT_ERR_UNSUPPORTED, NULL, text);
}

static sft_result check_rig(const reader* r, const char* which, const sft_rig* rig)
{
    char text[128], hex[17];
    const sft_json_value value = sft_json_get(r->json, sft_json_root(r->json), which);
    const sft_json_value identity = sft_json_get(r->json, value, "identity");
    if (identity.kind != SFT_JSON_STRING)
    {
        sft_core_format(text, sizeof text, "'%s' and its 'identity' are missing: what was this map made for?", which);
        return refuse(r, value.kind == SFT_JSON_NONE ? sft_json_root(r->json) : value, SFT_ERR_SYNTAX, NULL, text);
    }
    sft_map_hex(rig->identity, hex);
    if (sft_json_equals(r->json, identity, hex)) return SFT_OK;
    return say_difference(r, which, rig->skeleton, value);
}

// ---- pairs ----

/// A joint by name, and by `key`_index where the name repeats.
static sft_result read_joint(const reader* r, sft_json_value pair, const char* key, int which, int32_t* out)
{
    static const char* const sides[2] = {"source", "target"};
    char text[256], index_key[16];
    const sft_json_value value = sft_json_get(r->json, pair, key);
    sft_core_format(index_key, sizeof index_key, "%s_index", key);
    const sft_json_value number = sft_json_get(r->json, pair, index_key);
    if (value.kind != SFT_JSON_STRING)
    {
        sft_core_format(text, sizeof text, "'%s' must name a joint", key);
        return refuse(r, value.kind == SFT_JSON_NONE ? pair : value, SFT_ERR_SYNTAX, NULL, text);
    }
    char* name = NULL;
    size_t length = 0;
    if (sft_json_string(r->json, value, r->allocator, &name, &length) != SFT_OK) return SFT_ERR_MEMORY;
    const sft_skeleton* s = r->names[which].skeleton;
    bool repeats = false;
    const int32_t found = sft_map_names_find(&r->names[which], name, &repeats);
    int32_t joint = found;
    sft_result result = SFT_OK;
    if (number.kind != SFT_JSON_NONE)
    {
        const bool whole = sft_json_int32(r->json, number, &joint) == SFT_JSON_EXACT;
        bool fits = whole && joint >= 0 && joint < s->joint_count;
        // A name that is no UTF-8 was written as well as it could be.
        if (fits && found >= 0) fits = strcmp(s->names[joint], name) == 0;
        if (!fits)
        {
            sft_core_format(text, sizeof text, "the %s's joint of that '%s' is not called '%s'", sides[which],
                            index_key, name);
            result = refuse(r, number, SFT_ERR_ARG, name, text);
        }
    }
    else if (found < 0)
    {
        sft_core_format(text, sizeof text, "the %s has no joint '%s'", sides[which], name);
        result = refuse(r, value, SFT_ERR_ARG, name, text);
    }
    else if (repeats)
    {
        sft_core_format(text, sizeof text, "the %s has several joints '%s': say which by '%s'", sides[which], name,
                        index_key);
        result = refuse(r, value, SFT_ERR_ARG, name, text);
    }
    sft_core_free(r->allocator, name, 1, length + 1);
    if (result == SFT_OK) *out = joint;
    return result;
}

static sft_result read_rule(const reader* r, sft_json_value value, const char* joint, sft_pair_rule* out)
{
    const sft_json_value rule = sft_json_get(r->json, value, "rule");
    for (int k = 0; k < 5; ++k)
        if (sft_json_equals(r->json, rule, sft_map_rules[k]))
        {
            *out = (sft_pair_rule)k;
            return SFT_OK;
        }
    if (rule.kind == SFT_JSON_NONE) return refuse(r, value, SFT_ERR_SYNTAX, joint, "a pair has no 'rule'");
    return refuse(r, rule, SFT_ERR_ARG, joint, "'rule' is one of \"rest\", \"joint\", \"chain\", \"twist\", \"root\"");
}

/// A number from 0 to 1.
static sft_result read_fraction(const reader* r, sft_json_value pair, const char* key, const char* joint, double* out)
{
    const sft_json_value value = sft_json_get(r->json, pair, key);
    if (value.kind == SFT_JSON_NONE) return SFT_OK;
    double number = -1.0;
    if (sft_json_double(r->json, value, &number) && number >= 0.0 && number <= 1.0)
    {
        *out = number;
        return SFT_OK;
    }
    char text[64];
    sft_core_format(text, sizeof text, "'%s' is a number from 0 to 1", key);
    return refuse(r, value, SFT_ERR_ARG, joint, text);
}

static sft_result check_members(const reader* r, sft_json_value value)
{
    static const char* const known[] = {"target", "target_index", "rule",  "source",     "source_index",
                                        "next",   "next_index",   "share", "confidence", "reason"};
    for (sft_json_iter it = sft_json_iterate(r->json, value); sft_json_next(r->json, &it);)
    {
        bool found = false;
        for (size_t k = 0; k < SFT_COUNT_OF(known); ++k)
            found = found || sft_json_equals(r->json, it.key, known[k]);
        if (found) continue;
        char key[48], text[128];
        sft_json_decode(r->json, it.key, key, sizeof key);
        sft_core_format(text, sizeof text, "a pair has no member '%s': a slip of the pen?", key);
        return refuse(r, it.key, SFT_ERR_SYNTAX, NULL, text);
    }
    return SFT_OK;
}

/// What a pair says beside its target.
static sft_result read_rest(const reader* r, sft_json_value value, sft_joint_pair* pair)
{
    const char* name = r->rigs->target->skeleton->names[pair->target];
    double confidence = 1.0;
    sft_result result = read_rule(r, value, name, &pair->rule);
    const bool source = pair->rule == SFT_PAIR_JOINT || pair->rule == SFT_PAIR_CHAIN ||
                        sft_json_get(r->json, value, "source").kind != SFT_JSON_NONE;
    if (result == SFT_OK && source) result = read_joint(r, value, "source", 0, &pair->source);
    if (result == SFT_OK && pair->rule == SFT_PAIR_CHAIN) result = read_joint(r, value, "next", 0, &pair->source_next);
    if (result == SFT_OK) result = read_fraction(r, value, "share", name, &pair->share);
    if (result == SFT_OK) result = read_fraction(r, value, "confidence", name, &confidence);
    pair->confidence = (float)confidence;
    sft_json_decode(r->json, sft_json_get(r->json, value, "reason"), pair->reason, sizeof pair->reason);
    // Complaints about a source's joint are this pair's too.
    if (result != SFT_OK && r->error != NULL && result != SFT_ERR_MEMORY && r->error->joint[0] == '\0')
        sft_core_format(r->error->joint, sizeof r->error->joint, "%s", name);
    return result;
}

static sft_result read_pair(reader* r, sft_json_value value)
{
    if (value.kind != SFT_JSON_OBJECT) return refuse(r, value, SFT_ERR_SYNTAX, NULL, "a pair is an object");
    sft_result result = check_members(r, value);
    sft_joint_pair pair = {.target = -1, .source = -1, .source_next = -1};
    if (result == SFT_OK) result = read_joint(r, value, "target", 1, &pair.target);
    if (result != SFT_OK) return result;
    if (r->numbers[pair.target] != 0)
    {
        char text[96];
        sft_core_format(text, sizeof text, "this joint of the target has a pair already, number %u of the list",
                        (unsigned)r->numbers[pair.target]);
        return refuse(r, value, SFT_ERR_ARG, r->rigs->target->skeleton->names[pair.target], text);
    }
    result = read_rest(r, value, &pair);
    if (result != SFT_OK) return result;
    r->numbers[pair.target] = 1 + (uint32_t)r->count;
    r->pairs[r->count++] = pair;
    return SFT_OK;
}

static sft_result read_pairs(reader* r)
{
    const sft_json_value root = sft_json_root(r->json);
    int32_t version = 0;
    if (sft_json_int32(r->json, sft_json_get(r->json, root, "surefoot_map"), &version) != SFT_JSON_EXACT)
        return refuse(r, root, SFT_ERR_SYNTAX, NULL, "this is no map: it has no \"surefoot_map\": 1");
    if (version != 1)
        return refuse(r, sft_json_get(r->json, root, "surefoot_map"), SFT_ERR_UNSUPPORTED, NULL,
                      "this map is of another version than 1");
    sft_result result = check_rig(r, "source", r->rigs->source);
    if (result == SFT_OK) result = check_rig(r, "target", r->rigs->target);
    if (result != SFT_OK) return result;
    const sft_json_value pairs = sft_json_get(r->json, root, "pairs");
    if (pairs.kind != SFT_JSON_ARRAY)
        return refuse(r, pairs.kind == SFT_JSON_NONE ? root : pairs, SFT_ERR_SYNTAX, NULL,
                      "'pairs' must be an array: a line a target joint");
    for (sft_json_iter it = sft_json_iterate(r->json, pairs); result == SFT_OK && sft_json_next(r->json, &it);)
        result = read_pair(r, it.value);
    return result;
}

static bool rigs_named(const sft_rig_pair* rigs)
{
    return rigs != NULL && rigs->source != NULL && rigs->target != NULL && rigs->source->skeleton != NULL &&
           rigs->target->skeleton != NULL && rigs->source->skeleton->joint_count > 0 &&
           rigs->target->skeleton->joint_count > 0;
}

sft_result sft_retarget_map_parse_json(const sft_rig_pair* rigs, const char* text, size_t size,
                                       const sft_allocator* allocator, sft_retarget_map** out, sft_error* error)
{
    if (!rigs_named(rigs) || text == NULL || out == NULL)
        return sft_core_fail(error, SFT_ERR_ARG, 0, 0, NULL, "rigs, a text and a place for the map are needed");
    reader r = {.rigs = rigs, .allocator = allocator, .error = error};
    sft_json_options options = sft_json_default_options();
    options.allow_bom = true;
    sft_result result = sft_json_parse(allocator, text, size, &options, &r.json, error);
    if (result != SFT_OK) return result;
    const size_t n = (size_t)rigs->target->skeleton->joint_count;
    r.pairs = sft_core_alloc(allocator, n, sizeof *r.pairs);
    r.numbers = sft_core_alloc(allocator, n, sizeof *r.numbers);
    if (r.pairs == NULL || r.numbers == NULL || !sft_map_names_make(rigs->source->skeleton, allocator, &r.names[0]) ||
        !sft_map_names_make(rigs->target->skeleton, allocator, &r.names[1]))
        result = SFT_ERR_MEMORY;
    if (result == SFT_OK) result = read_pairs(&r);
    if (result == SFT_OK)
        result = sft_retarget_map_from_pairs(rigs, r.pairs, r.count, allocator, out, error);
    else if (result == SFT_ERR_MEMORY)
        sft_core_fail(error, result, 0, 0, NULL, "there is no memory for the map");
    sft_core_free(allocator, r.pairs, n, sizeof *r.pairs);
    sft_core_free(allocator, r.numbers, n, sizeof *r.numbers);
    sft_map_names_free(&r.names[0], allocator);
    sft_map_names_free(&r.names[1], allocator);
    sft_json_destroy(r.json);
    return result;
}
