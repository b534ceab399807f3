// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/mover.h"

mover_def mover_default(void)
{
    return (mover_def){.scale = 1.0,
                       .leg_scale = 1.0,
                       .spines = 2,
                       .necks = 1,
                       .finger_joints = {3, 3},
                       .clavicles = true,
                       .toes = true,
                       .arms = true,
                       .head = true};
}

int mover_add(mover* m, int parent, const char* name, sft_joint_meaning meaning, sft_v3d place)
{
    const int j = m->count++;
    snprintf(m->names[j], sizeof m->names[j], "%s", name);
    m->parents[j] = parent;
    meaning.confidence = 1.0f;
    if (meaning.part != SFT_PART_TWIST) meaning.carrier = -1;
    if (meaning.part != SFT_PART_FINGER) meaning.digit = -1;
    m->meanings[j] = meaning;
    m->pose[j].t = place;
    return j;
}

typedef struct builder
{
    mover* m;
    const mover_def* def;
    int side; // 0 left, 1 right, 2 middle
    double k;
} builder;

// A number behind a name.
static void label(char name[32], int number)
{
    const size_t length = strlen(name);
    snprintf(name + length, 32 - length, "_%d", number);
}

static int put(const builder* b, int parent, sft_part part, int index, sft_v3d place)
{
    static const char* const sides[3] = {"Left", "Right", ""};
    char name[32];
    snprintf(name, sizeof name, "%s%.12s%d", sides[b->side], sft_part_word(part), index);
    const double x = b->side == 1 ? -place.x : place.x;
    const sft_joint_meaning meaning = {.part = part, .side = (sft_leg_side)b->side, .index = index};
    return mover_add(b->m, parent, name, meaning, sft_v3d_make(b->k * x, b->k * place.y, b->k * place.z));
}

static int twist(const builder* b, int parent, int carrier, int index, sft_v3d place)
{
    const int j = put(b, parent, SFT_PART_TWIST, index, place);
    b->m->meanings[j].carrier = carrier;
    label(b->m->names[j], carrier);
    return j;
}

// A bone's first joint, with twist joints along it; the joint that the next one hangs from.
static int bone(const builder* b, int parent, sft_part part, sft_v3d from, sft_v3d to)
{
    const int start = put(b, parent, part, 0, from);
    int last = start;
    for (int i = 0; i < b->def->aside; ++i)
        twist(b, start, start, i, sft_v3d_lerp(from, to, (i + 1.0) / (b->def->aside + 1.0)));
    for (int i = 0; i < b->def->twists; ++i)
        last = twist(b, last, start, b->def->aside + i, sft_v3d_lerp(from, to, (i + 1.0) / (b->def->twists + 1.0)));
    return last;
}

static void add_arm(const builder* b, int chest)
{
    const sft_v3d shoulder = sft_v3d_make(0.18, 1.42, -0.01), elbow = sft_v3d_make(0.46, 1.42, -0.01);
    const sft_v3d wrist = sft_v3d_make(0.72, 1.42, -0.01);
    int up = chest;
    if (b->def->clavicles) up = put(b, up, SFT_PART_CLAVICLE, 0, sft_v3d_make(0.03, 1.4, 0.0));
    up = bone(b, up, SFT_PART_UPPER_ARM, shoulder, elbow);
    up = bone(b, up, SFT_PART_FOREARM, elbow, wrist);
    const int hand = put(b, up, SFT_PART_HAND, 0, wrist);
    for (int d = 0; d < b->def->digits; ++d)
        for (int i = 0; i < b->def->finger_joints[b->side]; ++i)
        {
            const double z = 0.04 - 0.02 * d, x = 0.8 + 0.08 * (i + 1.0) / b->def->finger_joints[b->side];
            const int j = put(b, i == 0 ? hand : b->m->count - 1, SFT_PART_FINGER, i, sft_v3d_make(x, 1.42, z));
            b->m->meanings[j].digit = d;
            label(b->m->names[j], d);
        }
}

static void add_leg(const builder* b, int hips)
{
    const double l = b->def->leg_scale;
    const sft_v3d hip = sft_v3d_make(0.09, 0.08 + 0.82 * l, 0.0), knee = sft_v3d_make(0.09, 0.08 + 0.4 * l, 0.0);
    const sft_v3d heel = sft_v3d_make(0.09, 0.08, 0.0);
    int up = bone(b, hips, SFT_PART_THIGH, hip, knee);
    const int thigh = b->m->count - 1 - b->def->twists - b->def->aside;
    up = bone(b, up, SFT_PART_SHIN, knee, heel);
    const int shin = b->m->count - 1 - b->def->twists - b->def->aside;
    const int foot = put(b, up, SFT_PART_FOOT, 0, heel);
    int toe = -1;
    if (b->def->toes) toe = put(b, foot, SFT_PART_TOE, 0, sft_v3d_make(0.09, 0.02, 0.13));
    b->m->legs[b->m->rig.leg_count++] = (sft_leg){.side = (sft_leg_side)b->side,
                                                  .pelvis = hips,
                                                  .hip = thigh,
                                                  .knee = shin,
                                                  .heel = foot,
                                                  .toe = toe,
                                                  .toe_end = -1};
}

void mover_make(const mover_def* def, mover* out)
{
    memset(out, 0, sizeof *out);
    builder b = {out, def, 2, def->scale};
    const double lift = 0.82 * (def->leg_scale - 1.0);
    int up = -1;
    out->rig.root = out->rig.hips = -1;
    if (def->root) out->rig.root = up = put(&b, -1, SFT_PART_ROOT, 0, sft_v3d_make(0.0, 0.0, 0.0));
    const int hips = out->rig.hips = put(&b, up, SFT_PART_HIPS, 0, sft_v3d_make(0.0, 0.95 + lift, 0.0));
    int chest = hips;
    for (int i = 0; i < def->spines; ++i)
        chest = put(&b, chest, SFT_PART_SPINE, i,
                    sft_v3d_make(0.0, 0.95 + lift + 0.35 * (i + 1.0) / def->spines, -0.02 * (i + 1.0) / def->spines));
    int neck = chest;
    for (int i = 0; i < def->necks; ++i)
        neck = put(&b, neck, SFT_PART_NECK, i, sft_v3d_make(0.0, 1.48 + lift + 0.05 * i, -0.02));
    if (def->head) put(&b, neck, SFT_PART_HEAD, 0, sft_v3d_make(0.0, 1.6 + lift, 0.0));
    int tail = hips;
    for (int i = 0; i < def->tail; ++i)
        tail = put(&b, tail, SFT_PART_TAIL, i, sft_v3d_make(0.0, 0.95 + lift, -0.1 - 0.5 * i / def->tail));
    for (b.side = 0; b.side < 2; ++b.side)
    {
        const int first = out->count;
        if (def->arms) add_arm(&b, chest);
        for (int j = first; j < out->count; ++j)
            out->pose[j].t.y += def->scale * lift;
        add_leg(&b, hips);
    }
    out->rig.leg_length = 0.82 * def->scale * def->leg_scale;
    out->rig.sole_height = 0.08 * def->scale;
    mover_finish(out, def->axes, def->facing);
}

sft_quatd mover_random_turn(support_rng* rng, double size)
{
    const double x = support_uniform(rng, -1.0, 1.0);
    const double y = support_uniform(rng, -1.0, 1.0);
    const double z = support_uniform(rng, -1.0, 1.0);
    return sft_quatd_exp(sft_v3d_scale(size / sqrt(3.0), sft_v3d_make(x, y, z)));
}

void mover_finish(mover* m, uint64_t axes, double facing)
{
    support_rng rng = {axes};
    // From figure to model space.
    const sft_quatd back = sft_quatd_exp(sft_v3d_make(0.0, -facing, 0.0));
    for (int j = 0; j < m->count; ++j)
    {
        m->name_list[j] = m->names[j];
        m->pose[j].r = axes != 0 ? mover_random_turn(&rng, 3.0) : sft_quatd_identity();
        const sft_xformd model = {sft_quatd_rotate(back, m->pose[j].t), sft_quatd_mul(back, m->pose[j].r)};
        const int up = m->parents[j];
        if (up < 0)
        {
            m->base_t[j] = model.t;
            m->pose_r[j] = model.r;
            continue;
        }
        const sft_xformd above = {sft_quatd_rotate(back, m->pose[up].t), sft_quatd_mul(back, m->pose[up].r)};
        m->base_t[j] = sft_quatd_unrotate(above.r, sft_v3d_sub(model.t, above.t));
        m->pose_r[j] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above.r), model.r));
    }
    memcpy(m->base_r, m->pose_r, sizeof m->base_r);
    m->skeleton = (sft_skeleton){m->count, m->name_list, m->parents, m->flags, m->base_t, m->base_r};
    m->rig.skeleton = &m->skeleton;
    m->rig.identity = sft_rig_identity(&m->skeleton);
    m->rig.meanings = m->meanings;
    m->rig.legs = m->legs;
    m->rig.pose_frame = -1;
    m->rig.facing = facing;
    m->rig.base_t = m->base_t;
    m->rig.base_r = m->base_r;
    m->rig.pose_r = m->pose_r;
    m->rig.pose = m->pose;
}

int mover_find(const mover* m, sft_part part, sft_leg_side side, int index)
{
    for (int j = 0; j < m->count; ++j)
        if (m->meanings[j].part == part && m->meanings[j].side == side && m->meanings[j].index == index) return j;
    return -1;
}

void mover_random_pose(const mover* m, support_rng* rng, double size, sft_v3d* t, sft_quatd* r)
{
    for (int j = 0; j < m->count; ++j)
    {
        t[j] = m->base_t[j];
        r[j] = sft_quatd_normalize(sft_quatd_mul(m->pose_r[j], mover_random_turn(rng, size)));
    }
    const double x = support_uniform(rng, -3.0, 3.0);
    const double y = support_uniform(rng, -0.3, 0.1);
    const double z = support_uniform(rng, -3.0, 3.0);
    t[0] = sft_v3d_add(t[0], sft_v3d_make(x, y, z));
}

void mover_forward(const mover* m, const sft_v3d* t, const sft_quatd* r, sft_xformd* out)
{
    const sft_quatd figure = sft_quatd_exp(sft_v3d_make(0.0, m->rig.facing, 0.0));
    sft_skeleton_forward(&m->skeleton, t, r, out);
    for (int j = 0; j < m->count; ++j)
        out[j] = (sft_xformd){sft_quatd_rotate(figure, out[j].t), sft_quatd_mul(figure, out[j].r)};
}

sft_retarget_map* mover_map(const sft_rig* source, const sft_rig* target)
{
    const sft_rig_pair rigs = {source, target};
    sft_retarget_map* map = NULL;
    sft_error error = {0};
    if (sft_retarget_map_create(&rigs, NULL, &map, &error) != SFT_OK) fail_msg("%s", error.message);
    return map;
}

void mover_move(const sft_transfer_def* def, const sft_retarget_map* map, const mover* source, moved* from,
                const mover* target, moved* to)
{
    void* scratch = malloc(sft_retarget_scratch_size(map));
    assert_int_equal(sft_retarget_frame(def, map, from->t, from->r, scratch, to->t, to->r), SFT_OK);
    free(scratch);
    mover_forward(source, from->t, from->r, from->figure);
    mover_forward(target, to->t, to->r, to->figure);
}

void mover_rest(const mover* m, moved* out)
{
    memcpy(out->t, m->base_t, sizeof out->t);
    memcpy(out->r, m->pose_r, sizeof out->r);
}
