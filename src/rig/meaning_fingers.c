// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Fingers: all that forks below a hand. Which is which the names say; else, of five, the thumb is the one that leaves
// the hand first, and the others lie side by side from it.

#include "core/core.h"
#include "rig/meaning.h"
#include "skeleton/joint_names.h"

#define FINGERS 5

static bool belongs(const sft_reading* r, int32_t joint)
{
    return r->out[joint].part == SFT_PART_NONE && !sft_read_is_site(r, joint) &&
           (r->joints[joint].marks & (SFT_READ_SKIP | SFT_READ_DUMMY)) == 0;
}

// A finger of this hand: in a file the joints of both hands may be mixed.
static bool is_finger(const sft_reading* r, int32_t joint, int32_t hand)
{
    const uint32_t inside = (uint32_t)SFT_READ_HAND << r->out[hand].side;
    return r->out[joint].part == SFT_PART_FINGER && (r->joints[joint].marks & inside) != 0;
}

// First finger joint above, past dummies; -1 where the hand is.
static int32_t finger_above(const sft_reading* r, int32_t joint, int32_t hand)
{
    int32_t p = r->skeleton->parents[joint];
    while (p > hand && (r->joints[p].marks & SFT_READ_DUMMY) != 0)
        p = r->skeleton->parents[p];
    return p > hand && r->out[p].part == SFT_PART_FINGER ? p : -1;
}

// A number behind "finger" counts from 0 (3ds Max: 0 the thumb), from 1 with the thumb (MakeHuman), or from 1 without.
static void read_numbers(sft_reading* r, int32_t hand, int32_t last)
{
    int least = 100;
    bool thumb = false;
    for (int32_t j = hand + 1; j <= last; ++j)
    {
        if (!is_finger(r, j, hand)) continue;
        const int32_t p = finger_above(r, j, hand);
        // Of a chain the first number is the finger's: "Finger21" comes after "Finger2".
        if (p >= 0 && r->joints[p].number >= 0) r->joints[j].number = r->joints[p].number;
        if (r->joints[j].number >= 0 && r->joints[j].number < least) least = r->joints[j].number;
        thumb = thumb || r->joints[j].digit == 0;
    }
    for (int32_t j = hand + 1; j <= last; ++j)
    {
        if (!is_finger(r, j, hand) || r->joints[j].digit >= 0 || r->joints[j].number < 0) continue;
        const int digit = r->joints[j].number - (least > 0 && !thumb ? 1 : 0);
        if (digit >= 0 && digit < FINGERS) r->joints[j].digit = digit;
    }
}

// Names say the digit of a joint, else of what hangs below it where that is one digit alone, else of what is above.
static void inherit_digits(sft_reading* r, int32_t hand, int32_t last)
{
    for (int32_t j = hand + 1; j <= last; ++j)
        if (is_finger(r, j, hand)) r->out[j].digit = r->joints[j].digit;
    for (int32_t j = last; j > hand; --j)
    {
        if (!is_finger(r, j, hand)) continue;
        const int32_t p = finger_above(r, j, hand);
        if (p < 0 || r->joints[p].digit >= 0 || r->out[j].digit == -1) continue;
        // -2: several.
        if (r->out[p].digit == -1)
            r->out[p].digit = r->out[j].digit;
        else if (r->out[p].digit != r->out[j].digit)
            r->out[p].digit = -2;
    }
    for (int32_t j = hand + 1; j <= last; ++j)
    {
        if (!is_finger(r, j, hand)) continue;
        if (r->out[j].digit == -2) r->out[j].digit = -1;
        const int32_t p = finger_above(r, j, hand);
        if (r->out[j].digit < 0 && p >= 0) r->out[j].digit = r->out[p].digit;
    }
}

static sft_v3d tip_of(const sft_reading* r, int32_t joint)
{
    int32_t j = joint;
    for (int32_t k = 0; k < 8 && r->joints[j].main >= 0; ++k)
        j = r->joints[j].main;
    return r->joints[j].position;
}

// The second joint of a finger: the first ones of all may lie in one place, where the hand's bones begin.
static sft_v3d knuckle(const sft_reading* r, int32_t base)
{
    return r->joints[r->joints[base].main >= 0 ? r->joints[base].main : base].position;
}

// Five fingers without names.
static void number_by_place(sft_reading* r, int32_t hand, int32_t last)
{
    int32_t base[FINGERS], count = 0;
    for (int32_t c = r->joints[hand].child; c >= 0; c = r->joints[c].sibling)
    {
        if (r->out[c].part != SFT_PART_FINGER) continue;
        if (count == FINGERS || r->out[c].digit >= 0) return;
        base[count++] = c;
    }
    if (count != FINGERS) return;
    // The thumb ends nearest to the hand; the others by how far they are from it.
    int32_t thumb = 0;
    double least = -1.0;
    for (int32_t k = 0; k < FINGERS; ++k)
    {
        const double reach = sft_v3d_distance(tip_of(r, base[k]), r->joints[hand].position) + r->joints[base[k]].bone;
        if (least < 0.0 || reach < least) least = reach, thumb = k;
    }
    for (int32_t k = 0; k < FINGERS; ++k)
    {
        int32_t rank = k == thumb ? 0 : 1;
        const double own = sft_v3d_distance(knuckle(r, base[k]), knuckle(r, base[thumb]));
        for (int32_t i = 0; i < FINGERS && k != thumb; ++i)
            if (i != thumb && i != k && sft_v3d_distance(knuckle(r, base[i]), knuckle(r, base[thumb])) < own) ++rank;
        r->out[base[k]].digit = rank;
    }
    for (int32_t j = hand + 1; j <= last; ++j)
    {
        const int32_t p = r->skeleton->parents[j];
        if (is_finger(r, j, hand) && p != hand) r->out[j].digit = r->out[p].digit;
    }
}

void sft_read_fingers(sft_reading* r, int32_t hand, sft_leg_side side)
{
    // What hangs below the hand comes after it, but not alone.
    const uint32_t inside = (uint32_t)SFT_READ_HAND << side;
    int32_t last = hand, left = r->joints[hand].size - 1;
    r->joints[hand].marks |= inside;
    for (int32_t j = hand + 1; left > 0 && j < r->skeleton->joint_count; ++j)
    {
        const int32_t up = r->skeleton->parents[j];
        if (up < 0 || (r->joints[up].marks & inside) == 0) continue;
        r->joints[j].marks |= inside;
        --left;
        last = j;
        const int32_t p = r->skeleton->parents[j];
        if (!belongs(r, j) ||
            (p != hand && r->out[p].part != SFT_PART_FINGER && (r->joints[p].marks & SFT_READ_DUMMY) == 0))
            continue;
        if (sft_read_is_end(r, j) && (p != hand || (r->joints[j].parts & SFT_NAME_END) != 0)) continue;
        sft_read_set(r, j, SFT_PART_FINGER, side, 0);
    }
    read_numbers(r, hand, last);
    inherit_digits(r, hand, last);
    number_by_place(r, hand, last);
}
