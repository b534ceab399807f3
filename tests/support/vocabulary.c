// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/vocabulary.h"

// Places of a body of 1.78 m in T-pose, left side.
typedef struct place
{
    const char* name;
    double x, y, z;
} place;

static const place PLACES[] = {
    {"ground", 0, 0, 0},           {"centre", 0, 0.65, 0},
    {"hips", 0, 1.0, 0},           {"s1", 0, 1.08, 0},
    {"s2", 0, 1.18, 0.01},         {"s3", 0, 1.3, 0.0},
    {"s4", 0, 1.36, 0.0},          {"neck", 0, 1.48, -0.02},
    {"neck2", 0, 1.52, -0.015},    {"head", 0, 1.58, -0.01},
    {"top", 0, 1.78, 0.0},         {"clav", 0.03, 1.44, 0},
    {"uarm", 0.17, 1.42, 0},       {"utw", 0.31, 1.42, 0},
    {"farm", 0.45, 1.42, -0.01},   {"ftw", 0.58, 1.42, -0.005},
    {"hand", 0.71, 1.42, 0},       {"thumb1", 0.74, 1.41, 0.03},
    {"thumb2", 0.77, 1.4, 0.05},   {"thumb3", 0.8, 1.39, 0.06},
    {"index1", 0.8, 1.42, 0.02},   {"index2", 0.84, 1.42, 0.02},
    {"index3", 0.87, 1.42, 0.02},  {"pinky1", 0.79, 1.42, -0.03},
    {"pinky2", 0.82, 1.42, -0.03}, {"butt", 0.08, 0.97, 0},
    {"thigh", 0.09, 0.94, 0},      {"ttw", 0.09, 0.73, 0.005},
    {"shin", 0.09, 0.52, 0.01},    {"stw", 0.09, 0.3, 0.0},
    {"foot", 0.09, 0.09, -0.01},   {"meta", 0.09, 0.05, 0.06},
    {"toe", 0.09, 0.02, 0.12},     {"tip", 0.09, 0.02, 0.19},
    {"eye", 0.03, 1.65, 0.08},     {"bust", 0.08, 1.3, 0.1},
    {"bust2", 0.08, 1.3, 0.16},    {"hair1", 0.08, 1.7, -0.08},
    {"hair2", 0.1, 1.5, -0.1},     {"hair3", 0.1, 1.3, -0.1},
    {"hair4", 0.1, 1.1, -0.1},     {"skirt1", 0.12, 0.95, 0.05},
    {"skirt2", 0.15, 0.75, 0.08},  {"skirt3", 0.16, 0.55, 0.1},
    {"pole", 0.09, 0.52, 0.6},     {"gun", -0.71, 1.42, 0},
};

static int32_t find_place(const char* name, size_t size)
{
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; ++i)
        if (strlen(PLACES[i].name) == size && strncmp(PLACES[i].name, name, size) == 0) return (int32_t)i;
    fail_msg("no place '%.*s'", (int)size, name);
    return -1;
}

// '%1' and '%2' are the words of a side that has two.
static void put_name(char out[64], const char* text, size_t size, const char* side)
{
    const char* const second = strchr(side, ' ');
    size_t n = 0;
    for (size_t i = 0; i < size; ++i)
    {
        if (text[i] == '%')
        {
            const bool other = second != NULL && text[i + 1] == '2';
            for (const char* s = other ? second + 1 : side; *s != '\0' && *s != ' '; ++s)
                out[n++] = *s;
            i += second != NULL;
        }
        else
            out[n++] = text[i] == '~' ? ' ' : text[i];
    }
    out[n] = '\0';
}

static int32_t find_name(const vocabulary_body* b, const char* name)
{
    for (int32_t i = b->count - 1; i >= 0; --i)
        if (strcmp(b->text[i], name) == 0) return i;
    fail_msg("no joint '%s'", name);
    return -1;
}

static void add_joint(vocabulary_body* b, const char* row, const char* side, double mirror)
{
    const size_t name = strcspn(row, "<"), parent = strcspn(row + name + 1, "@");
    const char* at = row + name + 1 + parent + 1;
    const size_t where = strcspn(at, "= ");
    char above[64];
    assert_true(b->count < VOCABULARY_JOINTS);
    put_name(above, row + name + 1, parent, side);
    const int32_t p = parent > 0 ? find_name(b, above) : -1;
    const int32_t i = b->count++;
    put_name(b->text[i], row, name, side);
    b->names[i] = b->text[i];
    b->parents[i] = p;
    b->places[i] = find_place(at, where);
    b->mirror[i] = mirror;
    const place* own = &PLACES[b->places[i]];
    b->offsets[i] = sft_v3d_make(mirror * own->x, own->y, own->z);
    if (p >= 0)
    {
        const place* up = &PLACES[b->places[p]];
        b->offsets[i] = sft_v3d_sub(b->offsets[i], sft_v3d_make(b->mirror[p] * up->x, up->y, up->z));
    }
    const size_t meaning = at[where] == '=' ? strcspn(at + where + 1, " ") : 0;
    const bool sided = memchr(row, '%', name) != NULL;
    if (meaning == 0)
        snprintf(b->want[i], sizeof b->want[i], "none");
    else
        snprintf(b->want[i], sizeof b->want[i], "%.*s%s", (int)meaning, at + where + 1,
                 !sided         ? ""
                 : mirror > 0.0 ? " L"
                                : " R");
}

void vocabulary_build(vocabulary_body* b, const char* rows, const char* left, const char* right)
{
    b->count = 0;
    for (const char* p = rows; *p != '\0'; p += strcspn(p, " "))
    {
        p += *p == ' ';
        const size_t name = strcspn(p, "<");
        add_joint(b, p, left, 1.0);
        if (memchr(p, '%', name) != NULL) add_joint(b, p, right, -1.0);
    }
}

void vocabulary_write(const sft_joint_meaning* m, char out[64])
{
    static const char* const sides[] = {" L", " R", ""};
    char digit[16] = "", index[16] = "";
    if (m->digit >= 0) snprintf(digit, sizeof digit, ".%d", (int)m->digit);
    if (m->index > 0) snprintf(index, sizeof index, "%d", (int)m->index);
    snprintf(out, 64, "%s%s%s%s", sft_part_word(m->part), index, digit, sides[m->side]);
}

void vocabulary_ask(vocabulary_body* b)
{
    const sft_skeleton def = {b->count, b->names, b->parents, NULL, b->offsets, NULL};
    sft_skeleton* s = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &s), SFT_OK);
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = 0;
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    assert_int_equal(sft_rig_find_meanings(s, NULL, legs, count, NULL, b->got), SFT_OK);
    sft_skeleton_destroy(s, NULL);
}

int vocabulary_check(const char* what, const char* rows, const char* left, const char* right)
{
    static vocabulary_body body;
    vocabulary_body* b = &body;
    vocabulary_build(b, rows, left, right);
    vocabulary_ask(b);
    int wrong = 0;
    for (int32_t i = 0; i < b->count; ++i)
    {
        char got[64];
        vocabulary_write(&b->got[i], got);
        if (strcmp(got, b->want[i]) == 0) continue;
        printf("%s: %s is '%s', not '%s' (%s)\n", what, b->text[i], got, b->want[i], b->got[i].reason);
        ++wrong;
    }
    return wrong;
}
