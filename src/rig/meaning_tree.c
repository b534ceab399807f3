// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The skeleton as a tree with lengths, and the pose from which the figure is read: the rest pose where its legs hang
// down and something stands above them, else the frame of the clip that does best.

#include "core/core.h"
#include "rig/meaning.h"

// Joints of a body without its legs, less those that may be missing.
#define WHOLE_BODY 8
// Frames of the clip that are looked at where the rest pose says nothing.
#define SAMPLES 8

bool sft_read_below(const sft_reading* r, int32_t joint, int32_t ancestor)
{
    int32_t j = joint;
    while (j > ancestor)
        j = r->skeleton->parents[j];
    return j == ancestor && joint != ancestor;
}

bool sft_read_is_site(const sft_reading* r, int32_t joint)
{
    return (r->skeleton->flags[joint] & SFT_JOINT_END_SITE) != 0;
}

bool sft_read_is_cap(const sft_reading* r, int32_t child)
{
    if (sft_read_is_site(r, child)) return true;
    const int32_t joint = r->skeleton->parents[child];
    if (joint < 0) return false;
    if ((r->joints[child].marks & SFT_READ_END) == 0 || r->joints[child].child >= 0) return false;
    const char *own = r->skeleton->names[joint], *name = r->skeleton->names[child];
    const size_t length = strlen(own);
    return strncmp(name, own, length) == 0 && strcmp(name + length, "_end") == 0;
}

bool sft_read_is_leaf(const sft_reading* r, int32_t joint)
{
    for (int32_t c = r->joints[joint].child; c >= 0; c = r->joints[c].sibling)
        if (!sft_read_is_cap(r, c)) return false;
    return true;
}

bool sft_read_is_end(const sft_reading* r, int32_t joint)
{
    if (sft_read_is_site(r, joint)) return true;
    if (!sft_read_is_leaf(r, joint)) return false;
    if ((r->joints[joint].marks & SFT_READ_END) != 0) return true;
    if (r->joints[joint].child < 0) return r->bare_ends;
    // A cap of no length stands for none.
    return r->capped_ends && !(r->joints[joint].below > 0.0);
}

void sft_read_set(sft_reading* r, int32_t joint, sft_part part, sft_leg_side side, int32_t pair)
{
    sft_joint_meaning* m = &r->out[joint];
    m->part = part;
    m->side = side;
    m->pair = pair;
}

static void link_children(sft_reading* r)
{
    const sft_skeleton* s = r->skeleton;
    for (int32_t j = s->joint_count - 1; j >= 0; --j)
    {
        r->joints[j].child = r->joints[j].main = -1;
        r->joints[j].sibling = -1;
    }
    // Backward, so that the first child of a joint is the first in the file.
    for (int32_t j = s->joint_count - 1; j >= 0; --j)
    {
        const int32_t p = s->parents[j];
        if (p < 0) continue;
        r->joints[j].sibling = r->joints[p].child;
        r->joints[p].child = j;
    }
}

static void measure_bones(sft_reading* r)
{
    const sft_skeleton* s = r->skeleton;
    const sft_v3d* typical = NULL;
    if (r->clip != NULL) typical = r->clip->translations + (size_t)(r->clip->frame_count / 2) * (size_t)s->joint_count;
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        sft_v3d offset = s->rest_translations[j];
        if (typical != NULL && !(sft_v3d_length(offset) > 0.0)) offset = typical[j];
        const double length = s->parents[j] < 0 ? 0.0 : sft_v3d_length(offset);
        r->joints[j].bone = isfinite(length) ? length : 0.0;
        // What hangs below a helper is one too.
        if (s->parents[j] >= 0) r->joints[j].marks |= r->joints[s->parents[j]].marks & SFT_READ_SKIP;
    }
}

static void measure_ways(sft_reading* r)
{
    const sft_skeleton* s = r->skeleton;
    for (int32_t j = s->joint_count - 1; j >= 0; --j)
    {
        sft_read_joint* joint = &r->joints[j];
        ++joint->size;
        const int32_t p = s->parents[j];
        if (p < 0) continue;
        sft_read_joint* parent = &r->joints[p];
        parent->size += joint->size;
        // A skipped child carries a limb on only where the limb itself is one.
        if ((joint->marks & SFT_READ_SKIP) != 0 && (parent->marks & SFT_READ_SKIP) == 0) continue;
        const double way = joint->bone + joint->below, best = parent->below, slack = 1e-9 * sft_maxd(way, best);
        const bool longer = parent->main < 0 || way > best + slack;
        const bool equal = !longer && way >= best - slack;
        if (longer || (equal && joint->size > r->joints[parent->main].size)) parent->main = j;
        parent->below = sft_maxd(way, best);
    }
}

sft_result sft_read_open(sft_reading* r)
{
    r->joints = sft_core_alloc(&r->heap, (size_t)r->skeleton->joint_count, sizeof *r->joints);
    r->pose = sft_core_alloc(&r->heap, (size_t)r->skeleton->joint_count, sizeof *r->pose);
    return r->joints != NULL && r->pose != NULL ? SFT_OK : SFT_ERR_MEMORY;
}

void sft_read_close(sft_reading* r)
{
    sft_core_free(&r->heap, r->joints, (size_t)r->skeleton->joint_count, sizeof *r->joints);
    sft_core_free(&r->heap, r->pose, (size_t)r->skeleton->joint_count, sizeof *r->pose);
}

void sft_read_tree(sft_reading* r, bool names)
{
    sft_read_names(r, names);
    link_children(r);
    measure_bones(r);
    measure_ways(r);
}

// ---- the figure ----

static int32_t common_ancestor(const sft_reading* r, int32_t a, int32_t b)
{
    while (a != b && a >= 0 && b >= 0)
    {
        if (a > b)
            a = r->skeleton->parents[a];
        else
            b = r->skeleton->parents[b];
    }
    return a == b ? a : -1;
}

static int32_t child_towards(const sft_reading* r, int32_t ancestor, int32_t joint)
{
    while (r->skeleton->parents[joint] != ancestor)
        joint = r->skeleton->parents[joint];
    return joint;
}

// Joints from this one down that are in no leg.
static int32_t size_without_legs(const sft_reading* r, int32_t joint, const sft_leg* legs, int32_t leg_count)
{
    int32_t size = r->joints[joint].size;
    for (int32_t i = 0; i < leg_count; ++i)
        if (sft_read_below(r, legs[i].hip, joint)) size -= r->joints[legs[i].hip].size;
    return size;
}

// Legs of one body hang from each other's trunk, or from both sides of a trunk's middle; two characters have a place in
// the world in common, which is a root or carries two whole bodies.
static bool same_figure(const sft_reading* r, const sft_leg* legs, int32_t leg_count, const sft_leg* b)
{
    const sft_leg* a = &legs[0];
    if (a->pair == b->pair || a->pelvis == b->pelvis) return true;
    const int32_t common = common_ancestor(r, a->pelvis, b->pelvis);
    if (common < 0) return false;
    if (common == a->pelvis || common == b->pelvis) return true;
    if (r->skeleton->parents[common] < 0) return false;
    const int32_t own = size_without_legs(r, child_towards(r, common, a->pelvis), legs, leg_count);
    const int32_t other = size_without_legs(r, child_towards(r, common, b->pelvis), legs, leg_count);
    const int32_t less = own < other ? own : other, more = own < other ? other : own;
    return less < WHOLE_BODY || 10 * less < 8 * more;
}

static void place(sft_reading* r, const sft_v3d* local_t, const sft_quatd* local_r)
{
    sft_skeleton_forward(r->skeleton, local_t, local_r, r->pose);
    for (int32_t j = 0; j < r->skeleton->joint_count; ++j)
        r->joints[j].position = r->pose[j].t;
}

// Up to 2 for a figure whose legs hang down from a trunk that stands above them.
static double standing(const sft_reading* r)
{
    double down = 0.0, above = 0.0;
    int32_t legs = 0, joints = 0;
    double level = 0.0;
    for (int32_t i = 0; i < r->leg_count; ++i)
    {
        const sft_leg* leg = &r->legs[i];
        down += (r->joints[leg->hip].position.y - r->joints[leg->heel].position.y) / r->leg_length;
        level += r->joints[leg->hip].position.y / (double)r->leg_count;
        ++legs;
    }
    for (int32_t j = 0; j < r->skeleton->joint_count; ++j)
    {
        if ((r->joints[j].marks & (SFT_READ_LEG | SFT_READ_SKIP)) != 0 || r->skeleton->parents[j] < 0) continue;
        above += (r->joints[j].position.y - level) / r->leg_length;
        ++joints;
    }
    const double up = joints > 0 ? sft_clampd(above / (double)joints, -1.0, 1.0) : 0.0;
    return sft_clampd(legs > 0 ? down / (double)legs : 0.0, -1.0, 1.0) + (r->upright ? up : sft_mind(up, 0.0));
}

static void choose_pose(sft_reading* r)
{
    const sft_skeleton* s = r->skeleton;
    place(r, s->rest_translations, s->rest_rotations);
    const double rest = standing(r);
    if (rest > 0.8 || r->clip == NULL) return;
    double best = rest;
    int32_t frame = -1;
    const int32_t frames = r->clip->frame_count, samples = frames < SAMPLES ? frames : SAMPLES;
    for (int32_t k = 0; k < samples; ++k)
    {
        const int32_t f = (int32_t)((int64_t)k * frames / samples);
        const size_t row = (size_t)f * (size_t)s->joint_count;
        place(r, r->clip->translations + row, r->clip->rotations + row);
        const double score = standing(r);
        if (score > best + 1e-9) best = score, frame = f;
    }
    if (frame < 0)
    {
        place(r, s->rest_translations, s->rest_rotations);
        return;
    }
    const size_t row = (size_t)frame * (size_t)s->joint_count;
    place(r, r->clip->translations + row, r->clip->rotations + row);
}

static void find_sides(sft_reading* r)
{
    sft_v3d across = {0, 0, 0};
    for (int32_t i = 0; i < r->leg_count; ++i)
    {
        const sft_leg* leg = &r->legs[i];
        const double sign = leg->side == SFT_LEG_LEFT ? 1.0 : leg->side == SFT_LEG_RIGHT ? -1.0 : 0.0;
        across = sft_v3d_madd(across, sign, r->joints[leg->hip].position);
        across = sft_v3d_madd(across, 0.1 * sign, r->joints[leg->heel].position);
    }
    across.y = 0.0;
    r->left = sft_v3d_normalize_or(across, sft_v3d_make(0, 0, 0));
    r->facing = sft_v3d_cross(r->left, sft_v3d_make(0, 1, 0));
}

static void mark_legs(sft_reading* r)
{
    const sft_skeleton* s = r->skeleton;
    for (int32_t i = 0; i < r->leg_count; ++i)
    {
        r->joints[r->legs[i].hip].marks |= SFT_READ_LEG;
        for (int32_t j = s->parents[r->legs[i].hip]; j >= 0 && (r->joints[j].marks & SFT_READ_ABOVE) == 0;
             j = s->parents[j])
            r->joints[j].marks |= SFT_READ_ABOVE;
    }
    for (int32_t j = 0; j < s->joint_count; ++j)
        if (s->parents[j] >= 0) r->joints[j].marks |= r->joints[s->parents[j]].marks & SFT_READ_LEG;
}

bool sft_read_figure(sft_reading* r, const sft_leg* legs, int32_t leg_count)
{
    r->hips = r->chest = r->arm[0] = r->arm[1] = -1;
    r->leg_count = 0;
    r->leg_length = 0.0;
    r->bare_ends = r->capped_ends = false;
    for (int32_t i = 0; i < leg_count; ++i)
        if (legs[i].pelvis >= 0 && same_figure(r, legs, leg_count, &legs[i])) r->legs[r->leg_count++] = legs[i];
    if (r->leg_count == 0) return false;
    r->upright = r->leg_count <= 2;
    mark_legs(r);
    for (int32_t i = 0; i < r->leg_count; ++i)
    {
        const sft_leg* leg = &r->legs[i];
        if (leg->toe_end >= 0 && !sft_read_is_site(r, leg->toe_end))
        {
            r->bare_ends = r->bare_ends || r->joints[leg->toe_end].child < 0;
            r->capped_ends = r->capped_ends || r->joints[leg->toe_end].child >= 0;
        }
        if (i > 0) continue;
        for (int32_t j = leg->heel; j > leg->hip; j = r->skeleton->parents[j])
            r->leg_length += r->joints[j].bone;
    }
    if (!(r->leg_length > 0.0) || !isfinite(r->leg_length)) r->leg_length = 1.0;
    choose_pose(r);
    for (int32_t j = r->skeleton->joint_count - 1; j >= 0; --j)
    {
        r->joints[j].sum = sft_v3d_add(r->joints[j].sum, r->joints[j].position);
        const int32_t p = r->skeleton->parents[j];
        if (p >= 0) r->joints[p].sum = sft_v3d_add(r->joints[p].sum, r->joints[j].sum);
    }
    find_sides(r);
    return true;
}
