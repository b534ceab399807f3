// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// surefoot info: what the joints mean.

#include "cli.h"

#include <stdlib.h>
#include <string.h>

// Joints named in one line; skeletons of more than this are told by numbers alone, for names are made unique.
#define LISTED 24
#define NAMED_MOST 4096

static const char* const sides[] = {"left", "right", "middle"};

sft_joint_meaning* cli_find_meanings(const loaded* file)
{
    sft_joint_meaning* meanings = calloc((size_t)file->skeleton->joint_count + 1, sizeof *meanings);
    if (meanings == NULL) return NULL;
    if (sft_rig_find_meanings(file->skeleton, file->clip, file->legs, file->leg_count, NULL, meanings) == SFT_OK)
        return meanings;
    free(meanings);
    return NULL;
}

static const char* name_of(const loaded* file, int32_t joint, char* out)
{
    if (file->skeleton->joint_count > NAMED_MOST) return cli_safe_utf8(file->skeleton->names[joint], out, NAME_SIZE);
    return cli_joint_name(file, joint, out, NAME_SIZE);
}

void cli_json_meanings(json_out* json, const loaded* file, const sft_joint_meaning* meanings)
{
    char name[NAME_SIZE];
    json_begin(json, "meanings", '[');
    for (int32_t j = 0; j < file->skeleton->joint_count; ++j)
    {
        const sft_joint_meaning* m = &meanings[j];
        if (m->part == SFT_PART_NONE) continue;
        json_begin(json, NULL, '{');
        json_text(json, "joint", name_of(file, j, name));
        json_int(json, "index", j);
        json_text(json, "part", sft_part_word(m->part));
        json_text(json, "side", sides[m->side]);
        json_int(json, "pair", m->pair);
        if (m->digit >= 0)
            json_int(json, "digit", m->digit);
        else
            json_text(json, "digit", NULL);
        json_int(json, "place", m->index);
        json_text(json, "carrier", m->carrier >= 0 ? name_of(file, m->carrier, name) : NULL);
        json_figure(json, "confidence", 0.01 * (double)(int)(100.0 * (double)m->confidence + 0.5));
        json_text(json, "reason", m->reason);
        json_end(json, '}');
    }
    json_end(json, ']');
}

typedef struct line
{
    const char* label;
    uint32_t parts; // bits 1 << part
    int side;       // -1: any
    const char* between;
} line;

static bool on_line(const line* l, const sft_joint_meaning* m)
{
    return ((l->parts >> m->part) & 1u) != 0 && (l->side < 0 || l->side == (int)m->side);
}

static int32_t count_parts(const loaded* file, const sft_joint_meaning* meanings, const line* l)
{
    int32_t count = 0;
    for (int32_t j = 0; j < file->skeleton->joint_count; ++j)
        count += on_line(l, &meanings[j]);
    return count;
}

static void print_line(const loaded* file, const sft_joint_meaning* meanings, const line* l)
{
    char name[NAME_SIZE];
    const int32_t count = count_parts(file, meanings, l);
    if (count == 0) return;
    cli_print(stdout, "\n    %-8s ", l->label);
    int32_t said = 0;
    for (int32_t j = 0; j < file->skeleton->joint_count && said < LISTED; ++j)
    {
        if (!on_line(l, &meanings[j])) continue;
        fputs(said++ == 0 ? "" : l->between, stdout);
        cli_put_safe(stdout, name_of(file, j, name));
        if (meanings[j].carrier >= 0) cli_print(stdout, " on %s", name_of(file, meanings[j].carrier, name));
    }
    if (count > said) cli_print(stdout, " and %d more", (int)(count - said));
}

#define BIT(part) (1u << (part))

static void print_arm(const loaded* file, const sft_joint_meaning* meanings, int side)
{
    // Shoulder blades of animals belong to the legs.
    const line bones = {sides[side],
                        BIT(SFT_PART_CLAVICLE) | BIT(SFT_PART_UPPER_ARM) | BIT(SFT_PART_FOREARM) | BIT(SFT_PART_HAND),
                        side, " > "};
    const line fingers = {"", BIT(SFT_PART_FINGER), side, ""};
    const int32_t count = count_parts(file, meanings, &fingers);
    print_line(file, meanings, &bones);
    if (count > 0) cli_print(stdout, ", %d finger joint%s", (int)count, count == 1 ? "" : "s");
}

void cli_print_meanings(const loaded* file, const sft_joint_meaning* meanings)
{
    char name[NAME_SIZE];
    const line all = {"", ~1u, -1, ""};
    int32_t joints = 0;
    for (int32_t j = 0; j < file->skeleton->joint_count; ++j)
        joints += (file->skeleton->flags[j] & SFT_JOINT_END_SITE) == 0;
    cli_print(stdout, "  body       %d of %d joints mean something", (int)count_parts(file, meanings, &all),
              (int)joints);
    print_line(file, meanings, &(line){"root", BIT(SFT_PART_ROOT), -1, " > "});
    print_line(file, meanings, &(line){"hips", BIT(SFT_PART_HIPS), -1, ", "});
    print_line(file, meanings, &(line){"spine", BIT(SFT_PART_SPINE), -1, " > "});
    print_line(file, meanings, &(line){"neck", BIT(SFT_PART_NECK), -1, " > "});
    print_line(file, meanings, &(line){"head", BIT(SFT_PART_HEAD), -1, ", "});
    print_arm(file, meanings, SFT_LEG_LEFT);
    print_arm(file, meanings, SFT_LEG_RIGHT);
    print_line(file, meanings, &(line){"tail", BIT(SFT_PART_TAIL), -1, " > "});
    print_line(file, meanings, &(line){"twist", BIT(SFT_PART_TWIST), -1, ", "});
    // Legs that only their names show: those that were found stand above.
    const uint32_t legs = BIT(SFT_PART_THIGH) | BIT(SFT_PART_SHIN) | BIT(SFT_PART_FOOT) | BIT(SFT_PART_TOE);
    if (file->leg_count == 0) print_line(file, meanings, &(line){"legs", legs, -1, ", "});
    int32_t said = 0;
    for (int32_t j = 0; j < file->skeleton->joint_count && said < LISTED; ++j)
    {
        const sft_joint_meaning* m = &meanings[j];
        if (m->part == SFT_PART_NONE || m->confidence >= 0.5f) continue;
        cli_print(stdout, "\n    %-8s ", said++ == 0 ? "unsure" : "");
        cli_put_safe(stdout, name_of(file, j, name));
        cli_print(stdout, " as %s: ", sft_part_name(m->part));
        cli_put_safe(stdout, m->reason);
    }
    fputc('\n', stdout);
}
