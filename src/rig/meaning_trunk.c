// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The middle of the body: hips where the legs hang, spine up to where the arms branch off, neck and head beyond, tail.

#include "core/core.h"
#include "rig/meaning.h"
#include "skeleton/joint_names.h"

// Arms score at least this: see meaning_couple.c.
#define ARMS_SCORE 1.2
// Most children of one joint among which the like of one is looked for.
#define COMPARED 64

static bool is_free(const sft_reading* r, int32_t joint)
{
    return r->out[joint].part == SFT_PART_NONE && !sft_read_is_site(r, joint) &&
           (r->joints[joint].marks & SFT_READ_LEG) == 0;
}

// How much the child `c` of `from` carries the trunk on.
static double trunk_score(const sft_reading* r, int32_t from, int32_t c)
{
    const sft_read_joint* joint = &r->joints[c];
    const sft_v3d mean = sft_v3d_scale(1.0 / (double)joint->size, joint->sum);
    const sft_v3d way = sft_v3d_scale(1.0 / r->leg_length, sft_v3d_sub(mean, r->joints[from].position));
    const uint32_t parts = joint->parts;
    double score = sft_mind(1.0, 0.05 * (double)joint->size);
    score += 0.7 * sft_mind(1.0, (joint->bone + joint->below) / r->leg_length);
    score += r->upright ? sft_clampd(way.y, -1.0, 1.0) : 0.7 * sft_clampd(sft_v3d_dot(way, r->facing), -1.0, 1.0);
    score -= 2.0 * sft_mind(1.0, fabs(sft_v3d_dot(way, r->left)));
    if ((joint->marks & SFT_READ_ABOVE) != 0) score += 5.0;
    if ((parts & (SFT_NAME_SPINE | SFT_NAME_NECK | SFT_NAME_HEAD)) != 0) score += 0.8;
    if ((parts & (SFT_NAME_ARM | SFT_NAME_WING)) != 0) score -= 1.0;
    if ((parts & SFT_NAME_TAIL) != 0 || (joint->marks & SFT_READ_SKIP) != 0) score -= 3.0;
    return score;
}

// The child that carries the trunk on, `but` two of them; -1 where none does.
static int32_t trunk_child(const sft_reading* r, int32_t from, const int32_t but[2], double* score)
{
    int32_t best = -1;
    *score = -0.5;
    for (int32_t c = r->joints[from].child; c >= 0; c = r->joints[c].sibling)
    {
        if (c == but[0] || c == but[1] || !is_free(r, c)) continue;
        // The hind legs' own stumps: buttocks, hip bones.
        if ((r->joints[c].marks & SFT_READ_ABOVE) != 0 && (r->upright || sft_read_below(r, r->legs[0].hip, c)))
            continue;
        const double s = trunk_score(r, from, c);
        if (s > *score + 1e-9) *score = s, best = c;
    }
    return best;
}

// How far it lies to the left of the joint it hangs from, over how far it lies at all.
static double lateral(const sft_reading* r, int32_t from, int32_t c)
{
    const sft_v3d mean = sft_v3d_scale(1.0 / (double)r->joints[c].size, r->joints[c].sum);
    const sft_v3d way = sft_v3d_sub(mean, r->joints[from].position);
    const double length = sft_v3d_length(way);
    return length > 0.0 ? sft_v3d_dot(way, r->left) / length : 0.0;
}

// Lies to one side, or a bit to one side with its like on the other: claws, horns.
static bool is_lateral(const sft_reading* r, int32_t from, int32_t c)
{
    const double own = lateral(r, from, c), reach = r->joints[c].bone + r->joints[c].below;
    if (fabs(own) > 0.6) return true;
    if (fabs(own) < 0.1) return false;
    int32_t siblings = 0;
    for (int32_t d = r->joints[from].child; d >= 0 && siblings <= COMPARED; d = r->joints[d].sibling)
        ++siblings;
    // Of a broom nothing is anything's like.
    if (siblings > COMPARED) return false;
    for (int32_t d = r->joints[from].child; d >= 0; d = r->joints[d].sibling)
        if (d != c && fabs(r->joints[d].bone + r->joints[d].below - reach) < 0.1 * reach &&
            own * lateral(r, from, d) < -0.01)
            return true;
    return false;
}

static bool carries_tail(const sft_reading* r, int32_t joint)
{
    for (int32_t c = r->joints[joint].child; c >= 0; c = r->joints[c].sibling)
        if ((r->joints[c].parts & SFT_NAME_TAIL) != 0) return true;
    return false;
}

static bool carries_body(const sft_reading* r, int32_t child, double score)
{
    return child >= 0 && score > 0.0 && r->joints[child].bone + r->joints[child].below > 0.15 * r->leg_length;
}

// The lowest joint that carries the hind legs and a trunk. A spine joint that the legs hang from, as in 3ds Max bipeds,
// has the pelvis above it.
static void find_hips(sft_reading* r)
{
    const int32_t none[2] = {-1, -1};
    const int32_t pelvis = r->legs[0].pelvis;
    double score;
    r->hips = pelvis;
    int32_t child = trunk_child(r, pelvis, none, &score);
    if (!carries_body(r, child, score))
    {
        int32_t below = pelvis, steps = 0;
        for (int32_t j = r->skeleton->parents[pelvis]; j >= 0 && steps < 8; j = r->skeleton->parents[j], ++steps)
        {
            const int32_t but[2] = {below, -1};
            child = trunk_child(r, j, but, &score);
            below = j;
            if (!carries_body(r, child, score) || score < 0.8) continue;
            r->hips = j;
            break;
        }
    }
    if ((r->joints[r->hips].parts & SFT_NAME_SPINE) == 0 || (r->joints[r->hips].parts & SFT_NAME_PELVIS) != 0) return;
    double way = r->joints[r->hips].bone;
    int32_t steps = 0;
    for (int32_t j = r->skeleton->parents[r->hips]; j >= 0 && way < 0.35 * r->leg_length && steps < 8;
         way += r->joints[j].bone, j = r->skeleton->parents[j], ++steps)
    {
        if ((r->joints[j].parts & (SFT_NAME_PELVIS | SFT_NAME_HIP)) == 0) continue;
        r->hips = j;
        break;
    }
}

typedef struct trunk
{
    int32_t path[SFT_READ_PATH]; // from the hips up
    int32_t count;
    int32_t arms_at; // place of the joint that carries the arms, -1 none
} trunk;

// The spine from the hips to the joint the legs hang from, where they hang from a spine joint.
static int32_t way_to_pelvis(const sft_reading* r, trunk* t)
{
    int32_t count = 0;
    for (int32_t j = r->legs[0].pelvis; j > r->hips && count < SFT_READ_PATH - 1; j = r->skeleton->parents[j])
        ++count;
    if (!sft_read_below(r, r->legs[0].pelvis, r->hips) || (r->joints[r->legs[0].pelvis].parts & SFT_NAME_SPINE) == 0)
        return 0;
    int32_t place = count;
    for (int32_t j = r->legs[0].pelvis; place > 0; j = r->skeleton->parents[j])
        t->path[place--] = j;
    return count;
}

static void walk_trunk(sft_reading* r, trunk* t)
{
    double best = ARMS_SCORE;
    t->arms_at = -1;
    t->path[0] = r->hips;
    t->count = 1 + way_to_pelvis(r, t);
    for (int32_t k = 0; k < t->count; ++k)
    {
        int32_t pair[2] = {-1, -1};
        const double score = sft_read_couple(r, t->path[k], pair);
        if (score > best)
        {
            best = score;
            t->arms_at = k;
            r->arm[0] = pair[0];
            r->arm[1] = pair[1];
        }
        if (k + 1 < t->count || t->count == SFT_READ_PATH) continue;
        double carried;
        const int32_t next =
            trunk_child(r, t->path[k], score > ARMS_SCORE ? pair : (const int32_t[2]){-1, -1}, &carried);
        if (next >= 0) t->path[t->count++] = next;
    }
}

static int32_t place_on(const trunk* t, int32_t joint)
{
    for (int32_t k = 0; k < t->count; ++k)
        if (t->path[k] == joint) return k;
    return -1;
}

// Place of the last spine joint: what carries the arms, else the foremost fore legs, else what the names say.
static int32_t last_of_spine(const sft_reading* r, const trunk* t)
{
    int32_t last = t->arms_at;
    for (int32_t i = 0; i < r->leg_count && t->arms_at < 0; ++i)
    {
        const int32_t k = place_on(t, r->legs[i].pelvis);
        if (r->legs[i].pair > 0 && k > last) last = k;
    }
    if (last >= 0) return last;
    last = t->count - 1;
    for (int32_t k = 1; k < t->count; ++k)
    {
        if ((r->joints[t->path[k]].parts & (SFT_NAME_NECK | SFT_NAME_HEAD)) == 0) continue;
        last = k - 1;
        break;
    }
    while (last > 0 && sft_read_is_end(r, t->path[last]))
        --last;
    return last;
}

static void add_to_spine(sft_reading* r, const trunk* t, int32_t last)
{
    for (int32_t k = 1; k <= last; ++k)
        sft_read_set(r, t->path[k], SFT_PART_SPINE, SFT_LEG_MIDDLE, 0);
}

// ---- neck and head ----

static int32_t real_children(const sft_reading* r, int32_t joint)
{
    int32_t count = 0;
    for (int32_t c = r->joints[joint].child; c >= 0; c = r->joints[c].sibling)
        if (is_free(r, c) && c != r->arm[0] && c != r->arm[1] && !sft_read_is_end(r, c) &&
            (r->joints[c].parts & SFT_NAME_TWIST) == 0)
            ++count;
    return count;
}

// From the first joint above the chest to the head: the joint that is called so, or that forks, or the last one.
static void name_head(sft_reading* r, int32_t first)
{
    int32_t chain[SFT_READ_PATH], count = 0;
    const int32_t arms[2] = {r->arm[0], r->arm[1]};
    int32_t j = first;
    while (j >= 0 && count < SFT_READ_PATH)
    {
        chain[count++] = j;
        if ((r->joints[j].parts & SFT_NAME_HEAD) != 0) break;
        double score;
        const int32_t next = trunk_child(r, j, arms, &score);
        const bool named = next >= 0 && (r->joints[next].parts & (SFT_NAME_NECK | SFT_NAME_HEAD)) != 0;
        if (!named && real_children(r, j) > 1) break;
        if (next >= 0 && !named && (r->joints[next].marks & SFT_READ_SKIP) != 0) break;
        j = next;
    }
    if (count > 1 && sft_read_is_end(r, chain[count - 1]) && (r->joints[chain[count - 1]].parts & SFT_NAME_HEAD) == 0)
        --count;
    for (int32_t k = 0; k < count; ++k)
        sft_read_set(r, chain[k], k + 1 < count ? SFT_PART_NECK : SFT_PART_HEAD, SFT_LEG_MIDDLE, 0);
}

static void find_head(sft_reading* r, const trunk* t, int32_t last)
{
    int32_t best = -1;
    double most = 0.0;
    for (int32_t k = last; k >= 0 && k + 3 > last; --k)
        for (int32_t c = r->joints[t->path[k]].child; c >= 0; c = r->joints[c].sibling)
        {
            if (!is_free(r, c) || c == r->arm[0] || c == r->arm[1] || (r->joints[c].marks & SFT_READ_SKIP) != 0)
                continue;
            if ((r->joints[c].marks & SFT_READ_ABOVE) != 0) continue;
            // A mark where the trunk ends is no head, but a leaf that is no more than that may be one.
            if ((r->joints[c].marks & SFT_READ_END) != 0 && sft_read_is_leaf(r, c) &&
                (r->joints[c].parts & SFT_NAME_HEAD) == 0)
                continue;
            const bool named = (r->joints[c].parts & (SFT_NAME_NECK | SFT_NAME_HEAD)) != 0;
            double score = trunk_score(r, t->path[k], c) - 0.3 * (double)(last - k) + (named ? 1.0 : 0.0);
            if (!named && (is_lateral(r, t->path[k], c) || carries_tail(r, c))) continue;
            if (!named && r->joints[c].bone + r->joints[c].below < 0.08 * r->leg_length) continue;
            if (sft_read_is_end(r, c)) score -= 0.5;
            if (score > most + 1e-9) most = score, best = c;
        }
    if (best >= 0) name_head(r, best);
}

// ---- tail ----

static void find_tail(sft_reading* r, int32_t at)
{
    int32_t best = -1;
    double most = 0.0;
    for (int32_t c = r->joints[at].child; c >= 0; c = r->joints[c].sibling)
    {
        if (!is_free(r, c) || (r->joints[c].marks & SFT_READ_ABOVE) != 0) continue;
        const bool named = (r->joints[c].parts & SFT_NAME_TAIL) != 0;
        if (!named && (r->joints[c].marks & SFT_READ_SKIP) != 0) continue;
        double length = r->joints[c].below;
        int32_t deep = 0, tip = c;
        for (int32_t j = c; j >= 0 && deep < SFT_READ_PATH; j = r->joints[j].main, ++deep)
            tip = j;
        const sft_v3d way = sft_v3d_sub(r->joints[tip].position, r->joints[at].position);
        const double back = -sft_v3d_dot(way, r->facing), across = fabs(sft_v3d_dot(way, r->left));
        const double span = sft_v3d_length(way);
        if (!named && (deep < 3 || length < 0.25 * r->leg_length || back < 0.3 * span || across > 0.3 * span)) continue;
        const double score = (named ? 2.0 : 1.0) + sft_mind(1.0, length / r->leg_length);
        if (score > most + 1e-9) most = score, best = c;
    }
    int32_t deep = 0;
    for (int32_t j = best; j >= 0 && deep < SFT_READ_PATH; j = r->joints[j].main, ++deep)
        if (is_free(r, j) && !sft_read_is_end(r, j)) sft_read_set(r, j, SFT_PART_TAIL, SFT_LEG_MIDDLE, 0);
}

void sft_read_trunk(sft_reading* r)
{
    trunk t;
    find_hips(r);
    sft_read_set(r, r->hips, SFT_PART_HIPS, SFT_LEG_MIDDLE, 0);
    for (int32_t j = r->skeleton->parents[r->hips]; j >= 0; j = r->skeleton->parents[j])
        sft_read_set(r, j, SFT_PART_ROOT, SFT_LEG_MIDDLE, 0);
    r->joints[r->hips].marks |= SFT_READ_INSIDE;
    for (int32_t j = r->hips + 1; j < r->skeleton->joint_count; ++j)
        if (r->skeleton->parents[j] >= 0)
            r->joints[j].marks |= r->joints[r->skeleton->parents[j]].marks & SFT_READ_INSIDE;
    walk_trunk(r, &t);
    int32_t last = last_of_spine(r, &t);
    // Collar bones of 3ds Max bipeds hang from the neck.
    int32_t neck = -1;
    if (last > 1 && last == t.arms_at && (r->joints[t.path[last]].parts & SFT_NAME_NECK) != 0) neck = t.path[last--];
    add_to_spine(r, &t, last);
    r->chest = t.path[last];
    if (neck >= 0)
        name_head(r, neck);
    else
        find_head(r, &t, last);
    find_tail(r, r->hips);
    if (r->legs[0].pelvis != r->hips) find_tail(r, r->legs[0].pelvis);
}
