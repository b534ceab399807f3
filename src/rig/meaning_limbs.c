// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Names the joints of legs, which the leg finder chose, and of arms. Every choice of upper arm, forearm and hand along
// an arm gets a score from proportions, from where fingers fork and from names; both arms of a body choose together.

#include "core/core.h"
#include "rig/meaning.h"
#include "skeleton/joint_names.h"

// ---- twist ----

static bool is_free(const sft_reading* r, int32_t joint)
{
    return r->out[joint].part == SFT_PART_NONE && !sft_read_is_site(r, joint) &&
           (r->joints[joint].marks & SFT_READ_DUMMY) == 0;
}

// A side joint lies on its carrier's bone, away from both ends, and carries nothing.
static bool lies_on_bone(const sft_reading* r, int32_t joint, int32_t from, int32_t to)
{
    const sft_v3d bone = sft_v3d_sub(r->joints[to].position, r->joints[from].position);
    const sft_v3d at = sft_v3d_sub(r->joints[joint].position, r->joints[from].position);
    const double length = sft_v3d_dot(bone, bone);
    if (!(length > 0.0)) return false;
    const double t = sft_v3d_dot(at, bone) / length;
    const double off = sft_v3d_length(sft_v3d_madd(at, -t, bone));
    return t > 0.05 && t < 0.97 && off < 0.1 * sqrt(length);
}

static void set_twist(sft_reading* r, int32_t joint, int32_t carrier)
{
    const sft_joint_meaning* c = &r->out[carrier];
    sft_read_set(r, joint, SFT_PART_TWIST, c->side, c->pair);
    r->out[joint].carrier = carrier;
}

// Side joints of `joint`, which is the carrier or an in-line joint of its bone.
static void find_side_twists(sft_reading* r, int32_t joint, int32_t carrier, int32_t end)
{
    for (int32_t c = r->joints[joint].child; c >= 0; c = r->joints[c].sibling)
    {
        if (!is_free(r, c) || sft_read_below(r, end, c) || c == end) continue;
        if ((r->joints[c].parts & (SFT_NAME_HELPER | SFT_NAME_BESIDE | SFT_NAME_LOOSE)) != 0) continue;
        const bool named = (r->joints[c].parts & SFT_NAME_TWIST) != 0;
        const bool marks_end = (r->joints[c].parts & SFT_NAME_END) != 0;
        const bool leaf = sft_read_is_leaf(r, c);
        if (named ? r->joints[c].size <= 8 : leaf && !marks_end && lies_on_bone(r, c, carrier, end))
            set_twist(r, c, carrier);
        // Twist joints one below the other.
        for (int32_t d = named ? r->joints[c].child : -1; d >= 0; d = r->joints[d].child)
            if (is_free(r, d) && (r->joints[d].parts & SFT_NAME_TWIST) != 0) set_twist(r, d, carrier);
    }
}

// In-line joints between a carrier and the end of its bone, and side joints of all of them.
static void find_twists(sft_reading* r, int32_t carrier, int32_t end)
{
    for (int32_t j = r->skeleton->parents[end]; j > carrier; j = r->skeleton->parents[j])
    {
        // An ankle bone above the heel turns by itself.
        const bool other = (r->joints[j].parts & (SFT_NAME_FOOT | SFT_NAME_HEEL | SFT_NAME_HAND)) != 0;
        if (is_free(r, j) && (!other || (r->joints[j].parts & SFT_NAME_TWIST) != 0)) set_twist(r, j, carrier);
        find_side_twists(r, j, carrier, end);
    }
    find_side_twists(r, carrier, carrier, end);
}

// ---- legs ----

// Shoulder blades: joints above a fore leg that carry it alone.
static void find_blades(sft_reading* r, const sft_leg* leg)
{
    for (int32_t j = r->skeleton->parents[leg->hip]; j > leg->pelvis; j = r->skeleton->parents[j])
    {
        for (int32_t i = 0; i < r->leg_count; ++i)
            if (r->legs[i].hip != leg->hip && sft_read_below(r, r->legs[i].hip, j)) return;
        if (is_free(r, j)) sft_read_set(r, j, SFT_PART_CLAVICLE, leg->side, leg->pair);
    }
}

void sft_read_legs(sft_reading* r)
{
    for (int32_t i = 0; i < r->leg_count; ++i)
    {
        const sft_leg* leg = &r->legs[i];
        sft_read_set(r, leg->hip, SFT_PART_THIGH, leg->side, leg->pair);
        sft_read_set(r, leg->knee, SFT_PART_SHIN, leg->side, leg->pair);
        sft_read_set(r, leg->heel, SFT_PART_FOOT, leg->side, leg->pair);
        for (int32_t j = leg->toe; j > leg->heel; j = r->skeleton->parents[j])
            if (!sft_read_is_cap(r, j)) sft_read_set(r, j, SFT_PART_TOE, leg->side, leg->pair);
        find_twists(r, leg->hip, leg->knee);
        find_twists(r, leg->knee, leg->heel);
        if (leg->pair > 0) find_blades(r, leg);
    }
}

// ---- arms ----

typedef struct arm
{
    int32_t joint[SFT_READ_ARM]; // from the first below the chest along the longest way
    double way[SFT_READ_ARM];
    bool forks[SFT_READ_ARM]; // fingers, or what looks like them, start here
    int32_t count;
} arm;

static bool forks_at(const sft_reading* r, int32_t joint)
{
    const int32_t on = r->joints[joint].main;
    for (int32_t c = r->joints[joint].child; c >= 0; c = r->joints[c].sibling)
    {
        if (c == on || on < 0 || sft_read_is_site(r, c)) continue;
        if ((r->joints[c].parts & (SFT_NAME_TWIST | SFT_NAME_END)) != 0 || (r->joints[c].marks & SFT_READ_SKIP) != 0)
            continue;
        // A leaf on the bone or at its end is a twist joint or an end marker.
        const double apart = sft_v3d_distance(r->joints[c].position, r->joints[on].position);
        if (sft_read_is_leaf(r, c) && r->joints[c].below <= 0.0 &&
            (lies_on_bone(r, c, joint, on) || apart < 0.05 * r->joints[on].bone))
            continue;
        return true;
    }
    return false;
}

static void lay_out(const sft_reading* r, int32_t first, arm* a)
{
    a->count = 0;
    double way = 0.0;
    for (int32_t j = first; j >= 0 && a->count < SFT_READ_ARM; j = r->joints[j].main)
    {
        if (a->count > 0) way += r->joints[j].bone;
        a->joint[a->count] = j;
        a->way[a->count] = way;
        a->forks[a->count] = forks_at(r, j);
        ++a->count;
    }
}

static double straightness(const sft_reading* r, const arm* a, int32_t from, int32_t to)
{
    const double way = a->way[to] - a->way[from];
    if (!(way > 0.0)) return 1.0;
    return sft_v3d_distance(r->joints[a->joint[from]].position, r->joints[a->joint[to]].position) / way;
}

// A joint inside upper arm or forearm at which the arm turns sharply is no twist joint, but one that was skipped.
static double skipped_corners(const sft_reading* r, const arm* a, int32_t from, int32_t to)
{
    double worst = 0.0;
    const sft_v3d zero = {0, 0, 0};
    const sft_v3d first = r->joints[a->joint[from]].position, last = r->joints[a->joint[to]].position;
    for (int32_t k = from + 1; k < to; ++k)
    {
        if (sft_mind(a->way[k] - a->way[from], a->way[to] - a->way[k]) < 0.15 * (a->way[to] - a->way[from])) continue;
        const sft_v3d at = r->joints[a->joint[k]].position;
        const double cosine = sft_v3d_dot(sft_v3d_normalize_or(sft_v3d_sub(at, first), zero),
                                          sft_v3d_normalize_or(sft_v3d_sub(last, at), zero));
        worst = sft_maxd(worst, (0.87 - cosine) / 0.23);
    }
    return sft_clampd(worst, 0.0, 1.0);
}

static double proportions(const sft_reading* r, const arm* a, const int32_t pick[3])
{
    const double upper = a->way[pick[1]] - a->way[pick[0]], fore = a->way[pick[2]] - a->way[pick[1]];
    const double all = a->way[a->count - 1], below = all - a->way[pick[2]];
    if (!(upper > 0.0) || !(fore > 0.0)) return -1e3;
    const double longer = sft_maxd(upper, fore), shorter = sft_mind(upper, fore);
    double score = -1.2 * sft_mind(longer / shorter - 1.0, 3.0);
    score -= 4.0 * (2.0 - straightness(r, a, pick[0], pick[1]) - straightness(r, a, pick[1], pick[2]));
    score -= skipped_corners(r, a, pick[0], pick[1]) + skipped_corners(r, a, pick[1], pick[2]);
    score += 1.0 * (upper + fore) / all - 1.2 * a->way[pick[0]] / all;
    if (below > 0.9 * fore) score -= 1.5 * sft_mind(below / fore - 0.9, 1.0);
    // A bone that is next to nothing carries the upper arm.
    if (a->way[pick[0] + 1] - a->way[pick[0]] < 0.17 * upper) score -= 0.5;
    // A collar bone: an arm that starts at the body's middle has a joint at the shoulder.
    const double from_middle =
        fabs(sft_v3d_dot(sft_v3d_sub(r->joints[a->joint[pick[0]]].position, r->joints[r->chest].position), r->left));
    if (from_middle < 0.15 * (upper + fore) && pick[0] == 0 && a->count > 3) score -= 1.0;
    if (a->forks[pick[2]]) score += 0.8;
    for (int32_t k = pick[0]; k < pick[2]; ++k)
        if (a->forks[k]) score -= 0.5;
    return score;
}

static double says(uint32_t parts, uint32_t right, uint32_t wrong)
{
    return (parts & right) != 0 ? 1.0 : (parts & wrong) != 0 ? -1.0 : 0.0;
}

static double named(const sft_reading* r, const arm* a, const int32_t pick[3])
{
    const uint32_t u = r->joints[a->joint[pick[0]]].parts, f = r->joints[a->joint[pick[1]]].parts;
    const uint32_t h = r->joints[a->joint[pick[2]]].parts;
    const uint32_t which =
        SFT_NAME_CLAVICLE | SFT_NAME_UPPER_ARM | SFT_NAME_FOREARM | SFT_NAME_HAND | SFT_NAME_FINGER | SFT_NAME_SHOULDER;
    double score = says(u, SFT_NAME_UPPER_ARM, SFT_NAME_CLAVICLE | SFT_NAME_FOREARM | SFT_NAME_HAND | SFT_NAME_FINGER);
    if ((u & SFT_NAME_ARM) != 0 && (u & which) == 0) score += 0.7;
    if ((u & SFT_NAME_SHOULDER) != 0 && (u & SFT_NAME_UPPER_ARM) == 0) score += 0.4;
    score += says(f, SFT_NAME_FOREARM,
                  SFT_NAME_UPPER_ARM | SFT_NAME_HAND | SFT_NAME_FINGER | SFT_NAME_CLAVICLE | SFT_NAME_SHOULDER);
    score += says(h, SFT_NAME_HAND, SFT_NAME_FOREARM | SFT_NAME_UPPER_ARM | SFT_NAME_FINGER | SFT_NAME_CLAVICLE);
    for (int32_t k = 0; k < 3; ++k)
        if ((r->joints[a->joint[pick[k]]].parts & SFT_NAME_TWIST) != 0) score -= 0.8;
    for (int32_t k = 0; k < pick[2]; ++k)
    {
        const uint32_t parts = r->joints[a->joint[k]].parts;
        if (k == pick[0] || k == pick[1] || (parts & SFT_NAME_TWIST) != 0) continue;
        const bool upper = (parts & SFT_NAME_UPPER_ARM) != 0 || ((parts & SFT_NAME_ARM) != 0 && (parts & which) == 0);
        if (k < pick[0] && upper) score -= 0.7;
        if (k < pick[1] && (parts & SFT_NAME_FOREARM) != 0) score -= 0.7;
        if ((parts & SFT_NAME_HAND) != 0) score -= 0.7;
    }
    return score;
}

// Humerus, ulna and hand of a bird: the first three joints that are called wings.
static bool choose_wing(const sft_reading* r, const arm* a, int32_t* pick)
{
    int32_t found = 0;
    for (int32_t k = 0; k < a->count && found < 3; ++k)
    {
        if ((r->joints[a->joint[k]].parts & SFT_NAME_ARM) != 0 && found > 0) return false;
        if ((r->joints[a->joint[k]].parts & SFT_NAME_WING) != 0) pick[found++] = k;
    }
    return found == 3;
}

static bool choose(const sft_reading* r, const arm* const* arms, int32_t count, int32_t* best)
{
    double most = -50.0;
    int32_t pick[3];
    bool any = false;
    for (pick[0] = 0; pick[0] + 2 < arms[0]->count; ++pick[0])
        for (pick[1] = pick[0] + 1; pick[1] + 1 < arms[0]->count; ++pick[1])
            for (pick[2] = pick[1] + 1; pick[2] < arms[0]->count; ++pick[2])
            {
                double score = 0.0;
                bool site = false;
                for (int32_t k = 0; k < count; ++k)
                {
                    site = site || sft_read_is_site(r, arms[k]->joint[pick[2]]);
                    score += (proportions(r, arms[k], pick) + named(r, arms[k], pick)) / (double)count;
                }
                if (site || !(score > most + 1e-9)) continue;
                most = score;
                any = true;
                memcpy(best, pick, sizeof pick);
            }
    return any;
}

static bool same_places(const sft_reading* r, const arm* a, const arm* b)
{
    if (a->count != b->count) return false;
    for (int32_t k = 0; k < a->count; ++k)
        if (sft_read_is_site(r, a->joint[k]) != sft_read_is_site(r, b->joint[k])) return false;
    return true;
}

static void write_arm(sft_reading* r, const arm* a, const int32_t pick[3], sft_leg_side side)
{
    for (int32_t k = 0; k < pick[0]; ++k)
        if (is_free(r, a->joint[k])) sft_read_set(r, a->joint[k], SFT_PART_CLAVICLE, side, 0);
    sft_read_set(r, a->joint[pick[0]], SFT_PART_UPPER_ARM, side, 0);
    sft_read_set(r, a->joint[pick[1]], SFT_PART_FOREARM, side, 0);
    sft_read_set(r, a->joint[pick[2]], SFT_PART_HAND, side, 0);
    find_twists(r, a->joint[pick[0]], a->joint[pick[1]]);
    find_twists(r, a->joint[pick[1]], a->joint[pick[2]]);
    sft_read_fingers(r, a->joint[pick[2]], side);
}

void sft_read_arms(sft_reading* r)
{
    if (r->arm[0] < 0 || r->arm[1] < 0) return;
    arm arms[2];
    int32_t picks[2][3];
    const arm* const both[2] = {&arms[0], &arms[1]};
    for (int32_t k = 0; k < 2; ++k)
        lay_out(r, r->arm[k], &arms[k]);
    const bool together = same_places(r, &arms[0], &arms[1]);
    for (int32_t k = 0; k < 2; ++k)
        if (choose_wing(r, &arms[k], picks[k]) || choose(r, together ? both : &both[k], together ? 2 : 1, picks[k]))
            write_arm(r, &arms[k], picks[k], k == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT);
}
