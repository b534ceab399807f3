// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A creature as text (docs/creature_file.md): every number there is, so that people see what can be turned.

#include "creature/fields.h"
#include "json/json.h"

typedef struct writer
{
    sft_json_out out;
    const sft_skeleton* skeleton;
    bool first; // no comma before the next member
} writer;

static void text(writer* w, const char* s)
{
    sft_json_out_text(&w->out, s);
}

static void key(writer* w, const char* name, const char* before)
{
    if (!w->first) text(w, ",");
    w->first = false;
    text(w, before);
    text(w, "\"");
    text(w, name);
    text(w, "\": ");
}

// By name where the name says it all, else by number.
static void joint(writer* w, int32_t j)
{
    const sft_skeleton* s = w->skeleton;
    bool plain = (s->flags[j] & SFT_JOINT_END_SITE) == 0 && sft_skeleton_find(s, s->names[j]) == j;
    for (const char* c = s->names[j]; *c != '\0' && plain; ++c)
        plain = (unsigned char)*c < 0x80;
    for (int32_t k = j + 1; k < s->joint_count && plain; ++k)
        plain = (s->flags[k] & SFT_JOINT_END_SITE) != 0 || strcmp(s->names[k], s->names[j]) != 0;
    if (plain)
        sft_json_out_string(&w->out, s->names[j], strlen(s->names[j]));
    else
        sft_json_out_int64(&w->out, j);
}

static void joints(writer* w, const int32_t* list, int32_t count)
{
    text(w, "[");
    for (int32_t k = 0; k < count; ++k)
    {
        if (k > 0) text(w, ", ");
        joint(w, list[k]);
    }
    text(w, "]");
}

static void number(writer* w, double value, bool degrees)
{
    sft_json_out_double(&w->out, degrees ? sft_creature_degrees(value) : value);
}

static void fields(writer* w, const sft_creature_table* table, const void* base, const char* before)
{
    for (size_t i = 0; i < table->count; ++i)
    {
        const sft_creature_field* f = &table->fields[i];
        const bool degrees = f->unit == SFT_CREATURE_DEGREES || f->unit == SFT_CREATURE_VECTOR_DEGREES;
        const char* at = (const char*)base + f->offset;
        key(w, f->key, before);
        if (f->unit == SFT_CREATURE_PLAIN || f->unit == SFT_CREATURE_DEGREES)
        {
            double value;
            memcpy(&value, at, sizeof value);
            number(w, value, degrees);
            continue;
        }
        sft_v3d v;
        memcpy(&v, at, sizeof v);
        text(w, "[");
        number(w, v.x, degrees);
        text(w, ", ");
        number(w, v.y, degrees);
        text(w, ", ");
        number(w, v.z, degrees);
        text(w, "]");
    }
}

static void object(writer* w, const char* name, const sft_creature_table* table, const void* base)
{
    key(w, name, "\n  ");
    text(w, "{");
    w->first = true;
    fields(w, table, base, "\n    ");
    text(w, "\n  }");
    w->first = false;
}

static void side(writer* w, sft_leg_side of)
{
    key(w, "side", "");
    text(w, "\"");
    text(w, sft_creature_side_words[of]);
    text(w, "\"");
}

static void leg(writer* w, const sft_creature_leg* l)
{
    text(w, "\n    {");
    w->first = true;
    side(w, l->side);
    key(w, "pair", " ");
    sft_json_out_int64(&w->out, l->pair);
    key(w, "joints", " ");
    joints(w, l->joints, l->joint_count);
    key(w, "groups", "\n     ");
    text(w, "{");
    w->first = true;
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        if (l->group[g] >= 0)
        {
            key(w, sft_creature_gait_words[g], w->first ? "" : " ");
            sft_json_out_int64(&w->out, l->group[g]);
        }
    text(w, "}");
    w->first = false;
    fields(w, sft_creature_leg_table(), l, "\n     ");
    text(w, "}");
}

static void links(writer* w, const char* name, const sft_creature_link* list, int32_t count)
{
    key(w, name, "\n  ");
    text(w, "[");
    for (int32_t i = 0; i < count; ++i)
    {
        text(w, i > 0 ? ",\n    {" : "\n    {");
        w->first = true;
        key(w, "joint", "");
        joint(w, list[i].joint);
        fields(w, sft_creature_link_table(), &list[i], " ");
        text(w, "}");
    }
    text(w, "]");
    w->first = false;
}

static void eyes(writer* w, const sft_creature_def* def)
{
    key(w, "eyes", "\n  ");
    text(w, "[");
    for (int32_t i = 0; i < def->eye_count; ++i)
    {
        text(w, i > 0 ? ",\n    {" : "\n    {");
        w->first = true;
        key(w, "joint", "");
        joint(w, def->eyes[i].joint);
        fields(w, sft_creature_eye_table(), &def->eyes[i], " ");
        text(w, "}");
    }
    text(w, "]");
    w->first = false;
}

static void arms(writer* w, const sft_creature_def* def)
{
    key(w, "arms", "\n  ");
    text(w, "[");
    for (int32_t i = 0; i < def->arm_count; ++i)
    {
        text(w, i > 0 ? ",\n    {" : "\n    {");
        w->first = true;
        side(w, def->arms[i].side);
        key(w, "joints", " ");
        joints(w, def->arms[i].joints, 3);
        fields(w, sft_creature_arm_table(), &def->arms[i], " ");
        text(w, "}");
    }
    text(w, "]");
    w->first = false;
}

static void gaits(writer* w, const sft_creature_def* def)
{
    key(w, "gaits", "\n  ");
    text(w, "{");
    w->first = true;
    for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
        if ((def->gaits & 1u << g) != 0)
        {
            key(w, sft_creature_gait_words[g], w->first ? "" : " ");
            sft_json_out_double(&w->out, def->gait_speed[g]);
        }
    text(w, "}");
    w->first = false;
}

static void creature(writer* w, const sft_creature_def* def)
{
    text(w, "{");
    w->first = true;
    key(w, "surefoot_creature", "\n  ");
    text(w, "1");
    key(w, "scale", "\n  ");
    number(w, def->scale, false);
    key(w, "forward", "\n  ");
    text(w, "[");
    number(w, def->forward.x, false);
    text(w, ", ");
    number(w, def->forward.y, false);
    text(w, ", ");
    number(w, def->forward.z, false);
    text(w, "]");
    key(w, "body", "\n  ");
    joint(w, def->body);
    key(w, "legs", "\n  ");
    text(w, "[");
    for (int32_t l = 0; l < def->leg_count; ++l)
    {
        if (l > 0) text(w, ",");
        leg(w, &def->legs[l]);
    }
    text(w, "]");
    w->first = false;
    gaits(w, def);
    object(w, "motion", sft_creature_motion_table(), &def->motion);
    object(w, "swing", sft_creature_swing_table(), &def->swing);
    object(w, "bob", sft_creature_bob_table(), &def->bob);
    links(w, "spine", def->spine, def->spine_count);
    links(w, "head", def->head, def->head_count);
    object(w, "aim", sft_creature_aim_table(), def);
    eyes(w, def);
    arms(w, def);
    key(w, "tail", "\n  ");
    text(w, "{");
    w->first = true;
    key(w, "joints", "\n    ");
    joints(w, def->tail, def->tail_count);
    fields(w, sft_creature_tail_table(), def, "\n    ");
    text(w, "\n  }\n}\n");
}

static bool in(const sft_skeleton* s, int32_t j)
{
    return j >= 0 && j < s->joint_count;
}

// A def that was made by hand may name anything.
static bool named(const sft_creature_def* def, const sft_skeleton* s)
{
    bool fine = in(s, def->body) && def->leg_count >= 0 && def->leg_count <= SFT_MAX_LEGS && def->spine_count >= 0 &&
                def->spine_count <= SFT_CREATURE_LINKS && def->head_count >= 0 &&
                def->head_count <= SFT_CREATURE_LINKS && def->eye_count >= 0 && def->eye_count <= SFT_CREATURE_LINKS &&
                def->arm_count >= 0 && def->arm_count <= SFT_CREATURE_LINKS && def->tail_count >= 0 &&
                def->tail_count <= SFT_CREATURE_LINKS;
    for (int32_t l = 0; fine && l < def->leg_count; ++l)
    {
        const sft_creature_leg* g = &def->legs[l];
        fine = g->joint_count >= 0 && g->joint_count <= SFT_CREATURE_LEG_JOINTS && g->side <= SFT_LEG_MIDDLE;
        for (int32_t k = 0; fine && k < g->joint_count; ++k)
            fine = in(s, g->joints[k]);
    }
    for (int32_t i = 0; fine && i < def->spine_count; ++i)
        fine = in(s, def->spine[i].joint);
    for (int32_t i = 0; fine && i < def->head_count; ++i)
        fine = in(s, def->head[i].joint);
    for (int32_t i = 0; fine && i < def->eye_count; ++i)
        fine = in(s, def->eyes[i].joint);
    for (int32_t i = 0; fine && i < def->arm_count; ++i)
    {
        fine = def->arms[i].side <= SFT_LEG_MIDDLE;
        for (int k = 0; fine && k < 3; ++k)
            fine = in(s, def->arms[i].joints[k]);
    }
    for (int32_t i = 0; fine && i < def->tail_count; ++i)
        fine = in(s, def->tail[i]);
    return fine;
}

sft_result sft_creature_format(const sft_creature_def* def, const sft_skeleton* skeleton,
                               const sft_allocator* allocator, char** text_out, size_t* size)
{
    if (def == NULL || skeleton == NULL || text_out == NULL || size == NULL) return SFT_ERR_ARG;
    if (def->cookie != SFT_CREATURE_COOKIE) return SFT_ERR_DEF;
    if (!named(def, skeleton)) return SFT_ERR_ARG;
    writer w = {.out = {.allocator = allocator}, .skeleton = skeleton};
    creature(&w, def);
    char* block = w.out.failed ? NULL : sft_core_alloc(allocator, 1, w.out.size);
    if (block != NULL)
    {
        memcpy(block, w.out.data, w.out.size);
        *text_out = block;
        *size = w.out.size;
    }
    sft_json_out_free(&w.out);
    return block != NULL ? SFT_OK : SFT_ERR_MEMORY;
}
