// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Names of parts, and what names of joints say about them.

#include "core/core.h"
#include "rig/meaning.h"
#include "skeleton/joint_names.h"

typedef struct part_words
{
    const char* name;
    const char* word;
} part_words;

static const part_words PARTS[] = {
    {"none", "none"},       {"root", "root"}, {"hips", "hips"},         {"spine", "spine"},
    {"neck", "neck"},       {"head", "head"}, {"clavicle", "clavicle"}, {"upper arm", "upper_arm"},
    {"forearm", "forearm"}, {"hand", "hand"}, {"finger", "finger"},     {"thigh", "thigh"},
    {"shin", "shin"},       {"foot", "foot"}, {"toe", "toe"},           {"tail", "tail"},
    {"twist", "twist"},
};

const char* sft_part_name(sft_part part)
{
    return (size_t)part < SFT_COUNT_OF(PARTS) ? PARTS[part].name : PARTS[0].name;
}

const char* sft_part_word(sft_part part)
{
    return (size_t)part < SFT_COUNT_OF(PARTS) ? PARTS[part].word : PARTS[0].word;
}

int sft_read_digit(uint32_t parts)
{
    // "RingPinky" is the last finger of a hand that shares names.
    static const uint32_t digits[5] = {SFT_NAME_THUMB, SFT_NAME_INDEX, SFT_NAME_MIDDLE, SFT_NAME_RING, SFT_NAME_LITTLE};
    for (int k = 4; k >= 0; --k)
        if ((parts & digits[k]) != 0) return k;
    return -1;
}

static bool starts_with(const char* name, const char* prefix)
{
    return strncmp(name, prefix, strlen(prefix)) == 0;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool letter_is(char c, char lower)
{
    return c == lower || c == (char)(lower - 'a' + 'A');
}

// "finger2-1", "Bip01 L Finger21": 2 and 21.
static int number_of_finger(const char* name)
{
    static const char word[] = "finger";
    for (const char* p = name; *p != '\0'; ++p)
    {
        int k = 0;
        while (word[k] != '\0' && letter_is(p[k], word[k]))
            ++k;
        if (word[k] != '\0') continue;
        p += k;
        while (*p == '_' || *p == '.' || *p == ' ' || *p == '-')
            ++p;
        int number = -1;
        for (; is_digit(*p) && number < 100; ++p)
            number = (number < 0 ? 0 : 10 * number) + (*p - '0');
        return number;
    }
    return -1;
}

static void believe(sft_read_joint* joint, const char* name)
{
    joint->parts = joint->said;
    joint->side = joint->said_side;
    joint->digit = sft_read_digit(joint->parts);
    if ((joint->parts & SFT_NAME_FINGER) != 0) joint->number = number_of_finger(name);
    if (starts_with(name, "__")) joint->marks |= SFT_READ_DUMMY;
    if ((joint->parts & (SFT_NAME_HELPER | SFT_NAME_BESIDE)) != 0) joint->marks |= SFT_READ_SKIP;
    if ((joint->parts & SFT_NAME_LOOSE) != 0 && (joint->parts & SFT_NAME_WING) == 0) joint->marks |= SFT_READ_SKIP;
    if ((joint->parts & SFT_NAME_END) != 0) joint->marks |= SFT_READ_END;
}

void sft_read_names(sft_reading* r, bool believed)
{
    const sft_skeleton* s = r->skeleton;
    bool deform = false;
    for (int32_t j = 0; j < s->joint_count; ++j)
        deform = deform || starts_with(s->names[j], "DEF-") || starts_with(s->names[j], "DEF_");
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        sft_read_joint* joint = &r->joints[j];
        *joint = (sft_read_joint){.said = joint->said, .said_side = joint->said_side, .digit = -1, .number = -1};
        if ((s->flags[j] & SFT_JOINT_END_SITE) != 0)
        {
            joint->marks |= SFT_READ_END;
            continue;
        }
        if (!believed) continue;
        joint->said = sft_name_parts(s->names[j]);
        // Of a control rig without deforming bones the original bones are the body.
        if (!deform && starts_with(s->names[j], "ORG-")) joint->said &= ~(uint32_t)SFT_NAME_HELPER;
        joint->said_side = r->mirrored ? -sft_name_side(s->names[j]) : sft_name_side(s->names[j]);
        believe(joint, s->names[j]);
    }
}
