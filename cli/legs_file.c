// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Legs as JSON, out (info) and in (--legs).

#include "cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char* const roles[] = {"pelvis", "hip", "knee", "heel", "toe", "toe_end"};
enum
{
    ROLE_COUNT = 6
};

static int32_t* role_of(sft_leg* leg, int role)
{
    int32_t* fields[ROLE_COUNT] = {&leg->pelvis, &leg->hip, &leg->knee, &leg->heel, &leg->toe, &leg->toe_end};
    return fields[role];
}

static const char* side_name(sft_leg_side side)
{
    return side == SFT_LEG_LEFT ? "left" : side == SFT_LEG_RIGHT ? "right" : "middle";
}

static bool is_end(const loaded* file, int32_t joint)
{
    return joint >= 0 && (file->skeleton->flags[joint] & SFT_JOINT_END_SITE) != 0;
}

void cli_json_legs(json_out* json, const loaded* file)
{
    json_begin(json, "legs", '[');
    for (int32_t i = 0; i < file->leg_count; ++i)
    {
        sft_leg leg = file->legs[i];
        char name[NAME_SIZE];
        json_begin(json, NULL, '{');
        json_text(json, "side", side_name(leg.side));
        for (int r = 0; r < ROLE_COUNT; ++r)
        {
            const int32_t joint = *role_of(&leg, r);
            json_text(json, roles[r], joint < 0 ? NULL : cli_joint_name(file, joint, name, sizeof name));
        }
        // An End Site answers to its parent's name; this says which roles stand on one.
        json_begin(json, "end_sites", '[');
        for (int r = 0; r < ROLE_COUNT; ++r)
            if (is_end(file, *role_of(&leg, r))) json_text(json, NULL, roles[r]);
        json_end(json, ']');
        json_int(json, "pair", leg.pair);
        json_vector(json, "knee_side", leg.knee_side);
        json_figure(json, "heel_min_cm", 100.0 * leg.heel_min);
        json_figure(json, "toe_min_cm", 100.0 * leg.toe_min);
        if (leg.toe_end >= 0)
            json_figure(json, "toe_end_min_cm", 100.0 * leg.toe_end_min);
        else
            json_text(json, "toe_end_min_cm", NULL);
        json_text(json, "reason", leg.reason);
        json_end(json, '}');
    }
    json_end(json, ']');
}

// ---- in ----

typedef struct reader
{
    const char* path;
    const loaded* file;
    int code;
} reader;

static int fault(reader* r, uint32_t line, const char* message, const char* detail)
{
    r->code = cli_fail(EXIT_READ, "%s:%u: %s%s", r->path, (unsigned)line, message, detail);
    return r->code;
}

static int32_t end_site_below(const sft_skeleton* s, int32_t joint)
{
    for (int32_t j = joint + 1; j < s->joint_count; ++j)
        if (s->parents[j] == joint && (s->flags[j] & SFT_JOINT_END_SITE) != 0) return j;
    return -1;
}

static int32_t find_joint(reader* r, const json_value* value, const char* role)
{
    const sft_skeleton* s = r->file->skeleton;
    if (value->kind == JSON_NUMBER)
    {
        if (value->number >= 0.0 && value->number < (double)s->joint_count && floor(value->number) == value->number)
            return (int32_t)value->number;
        fault(r, value->line, role, " is a joint index outside the skeleton");
        return -1;
    }
    if (value->kind != JSON_STRING)
    {
        fault(r, value->line, role, " wants a joint's name, its index, or null");
        return -1;
    }
    char name[NAME_SIZE];
    for (int32_t j = 0; j < s->joint_count; ++j)
        if ((s->flags[j] & SFT_JOINT_END_SITE) == 0 &&
            (strcmp(value->string, cli_joint_name(r->file, j, name, sizeof name)) == 0 ||
             strcmp(value->string, s->names[j]) == 0))
            return j;
    char detail[NAME_SIZE + 64];
    snprintf(detail, sizeof detail, " names a joint that %.60s does not have: %.80s", r->file->name, value->string);
    fault(r, value->line, role, detail);
    return -1;
}

static bool listed(const json_value* list, const char* role)
{
    if (list == NULL || list->kind != JSON_ARRAY) return false;
    for (const json_value* item = list->child; item != NULL; item = item->next)
        if (item->kind == JSON_STRING && strcmp(item->string, role) == 0) return true;
    return false;
}

static int read_joints(reader* r, const json_value* entry, sft_leg* leg)
{
    const json_value* ends = json_get(entry, "end_sites");
    int32_t above = -1;
    for (int role = 0; role < ROLE_COUNT; ++role)
    {
        const json_value* value = json_get(entry, roles[role]);
        if (value == NULL || value->kind == JSON_NULL) continue;
        int32_t joint = find_joint(r, value, roles[role]);
        if (r->code != EXIT_DONE) return r->code;
        if (value->kind == JSON_STRING && (listed(ends, roles[role]) || (joint == above && role >= 4)))
        {
            const int32_t end = end_site_below(r->file->skeleton, joint);
            if (end >= 0) joint = end;
        }
        *role_of(leg, role) = joint;
        above = joint;
    }
    if (leg->hip < 0 || leg->knee < 0 || leg->heel < 0)
        return fault(r, entry->line, "a leg wants at least hip, knee, heel and toe", "");
    if (leg->pelvis < 0) leg->pelvis = r->file->skeleton->parents[leg->hip];
    if (leg->pelvis < 0)
        return fault(r, entry->line, "the hip is a root, but a leg hangs from a pelvis; name a joint further down", "");
    // A leg that ends at its heel locks what hangs below the heel, or the heel itself.
    if (leg->toe < 0) leg->toe = end_site_below(r->file->skeleton, leg->heel);
    if (leg->toe < 0) return fault(r, entry->line, "a leg wants a toe: the point that is locked", "");
    return EXIT_DONE;
}

static int check_keys(reader* r, const json_value* entry)
{
    static const char* const others[] = {"side",        "end_sites",  "pair",           "knee_side",
                                         "heel_min_cm", "toe_min_cm", "toe_end_min_cm", "reason"};
    for (const json_value* item = entry->child; item != NULL; item = item->next)
    {
        bool known = false;
        for (size_t i = 0; i < ROLE_COUNT; ++i)
            known = known || strcmp(item->key, roles[i]) == 0;
        for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
            known = known || strcmp(item->key, others[i]) == 0;
        if (!known)
            return fault(r, item->line,
                         "a leg has side, pelvis, hip, knee, heel, toe, toe_end and what `surefoot info "
                         "--json` prints beside them, but no ",
                         item->key);
    }
    return EXIT_DONE;
}

static int read_side(reader* r, const json_value* side, sft_leg* leg)
{
    if (side == NULL || side->kind == JSON_NULL) return EXIT_DONE;
    for (int s = 0; side->kind == JSON_STRING && s < 3; ++s)
    {
        const sft_leg_side sides[3] = {SFT_LEG_LEFT, SFT_LEG_RIGHT, SFT_LEG_MIDDLE};
        if (strcmp(side->string, side_name(sides[s])) != 0) continue;
        leg->side = sides[s];
        return EXIT_DONE;
    }
    return fault(r, side->line, "side wants \"left\", \"right\" or \"middle\"", "");
}

static int read_knee_side(reader* r, const json_value* given, sft_leg* leg)
{
    if (given == NULL || given->kind == JSON_NULL) return EXIT_DONE;
    double v[3];
    int count = 0;
    const json_value* item = given->kind == JSON_ARRAY ? given->child : NULL;
    for (; item != NULL && item->kind == JSON_NUMBER && count < 3; item = item->next)
        v[count++] = item->number;
    const sft_v3d side = count == 3 ? sft_v3d_make(v[0], v[1], v[2]) : sft_v3d_make(0.0, 0.0, 0.0);
    const double length = sft_v3d_length(side);
    if (item != NULL || !(length > 1e-6 && length < 1e6))
        return fault(r, given->line, "knee_side wants three numbers, a direction in knee space", "");
    // One that is unit already comes back as it was: what info prints goes round without a change.
    leg->knee_side = fabs(length - 1.0) < 1e-14 ? side : sft_v3d_scale(1.0 / length, side);
    return EXIT_DONE;
}

static int read_leg(reader* r, const json_value* entry, sft_leg* leg)
{
    if (entry->kind != JSON_OBJECT) return fault(r, entry->line, "a leg is an object {...}", "");
    if (check_keys(r, entry) != EXIT_DONE) return r->code;
    *leg = (sft_leg){.side = SFT_LEG_MIDDLE, .pelvis = -1, .hip = -1, .knee = -1, .heel = -1, .toe = -1, .toe_end = -1};
    if (read_joints(r, entry, leg) != EXIT_DONE) return r->code;
    const json_value* pair = json_get(entry, "pair");
    if (pair != NULL && pair->kind == JSON_NUMBER && pair->number >= 0.0 && pair->number < SFT_MAX_LEGS)
        leg->pair = (int32_t)pair->number;
    sft_error error = {0};
    const sft_result result = sft_leg_complete(r->file->skeleton, r->file->clip, leg, &error);
    if (result != SFT_OK)
        return fault(r, entry->line, error.message[0] != '\0' ? error.message : sft_result_string(result), "");
    if (read_side(r, json_get(entry, "side"), leg) != EXIT_DONE) return r->code;
    if (read_knee_side(r, json_get(entry, "knee_side"), leg) != EXIT_DONE) return r->code;
    snprintf(leg->reason, sizeof leg->reason, "given by --legs");
    return EXIT_DONE;
}

int cli_read_legs(const char* path, loaded* file)
{
    void* bytes = NULL;
    size_t size = 0;
    const int code = cli_read_bytes(path, &bytes, &size);
    if (code != EXIT_DONE) return code;
    sft_error error = {0};
    json_value* root = json_parse(bytes, size, &error);
    free(bytes);
    if (root == NULL) return cli_fail_error(path, SFT_ERR_SYNTAX, &error);
    reader r = {path, file, EXIT_DONE};
    const json_value* list = root->kind == JSON_OBJECT ? json_get(root, "legs") : root;
    if (list == NULL || list->kind != JSON_ARRAY)
        fault(&r, 1, "a list of legs is missing: [...] or {\"legs\": [...]}", "");
    else if (list->child == NULL)
        fault(&r, 1, "the list of legs is empty; give each leg as {\"side\", \"hip\", \"knee\", \"heel\", \"toe\"}",
              "");
    for (const json_value* entry = r.code == EXIT_DONE ? list->child : NULL; entry != NULL; entry = entry->next)
    {
        if (file->leg_count == SFT_MAX_LEGS)
            fault(&r, entry->line, "more legs than 64", "");
        else if (read_leg(&r, entry, &file->legs[file->leg_count]) == EXIT_DONE)
            file->leg_count += 1;
        if (r.code != EXIT_DONE) break;
    }
    json_destroy(root);
    return r.code;
}
