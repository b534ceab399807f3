// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/gait.h"

gait_def gait_default(void)
{
    return (gait_def){.frames = 120, .fps = 30.0, .stride_time = 1.0, .stride = 0.5, .duty = 0.65, .root_scale = 1.0};
}

static void find_creature(const char* title, rig* out)
{
    for (int i = 0; i < creature_count(); ++i)
    {
        creature_make(i, out);
        if (strcmp(out->title, title) == 0) return;
    }
    fprintf(stderr, "no creature %s\n", title);
    abort();
}

static double leg_length(const gait* g, const sft_leg* leg)
{
    double length = 0.0;
    for (int32_t j = leg->toe; j != leg->hip; j = g->skeleton->parents[j])
        length += sft_v3d_length(g->skeleton->rest_translations[j]);
    return length;
}

// Quadrupeds walk in a lateral sequence; beyond, every second leg is in step.
static double phase_of(const gait* g, const sft_leg* leg)
{
    const double side = leg->side == SFT_LEG_LEFT ? 0.0 : 0.5;
    const double pair = g->leg_count <= 4 ? 0.25 * leg->pair : 0.5 * (leg->pair % 2);
    const double phase = side + pair;
    return phase - floor(phase);
}

// Where the foot is against the body, along the way, over the stride, and how high over half of it; true in stance.
static bool foot_at(const gait_def* def, double u, double* along, double* up)
{
    *up = 0.0;
    if (u < def->duty)
    {
        const double s = u / def->duty;
        *along = def->duty * (0.5 - (def->eased ? s * s * (3.0 - 2.0 * s) : s));
        return true;
    }
    const double s = (u - def->duty) / (1.0 - def->duty), hop = sft_sin(SFT_PI * s);
    *along = def->duty * (s * s * (3.0 - 2.0 * s) - 0.5);
    *up = hop * hop;
    return false;
}

static void pose_leg(const gait* g, int32_t l, sft_v3d target, sft_v3d* t, sft_quatd* r)
{
    sft_leg_solve_def def = sft_default_leg_solve_def();
    def.keep_foot = true;
    sft_leg_pose before, after;
    sft_leg_report report;
    assert_int_equal(sft_leg_pose_read(g->skeleton, &g->legs[l], t, r, &before), SFT_OK);
    after = before;
    assert_int_equal(sft_leg_solve(&def, &g->legs[l], target, &after, &report), SFT_OK);
    assert_true(report.toe_miss < 1e-6);
    assert_int_equal(sft_leg_pose_write(&g->legs[l], &before, &after, r), SFT_OK);
}

static void pose_frame(const gait_def* def, gait* g, const sft_v3d* homes, double length, int frame)
{
    const int32_t n = g->skeleton->joint_count;
    sft_v3d* t = g->clip->translations + (size_t)frame * (size_t)n;
    sft_quatd* r = g->clip->rotations + (size_t)frame * (size_t)n;
    memcpy(t, g->skeleton->rest_translations, (size_t)n * sizeof *t);
    memcpy(r, g->skeleton->rest_rotations, (size_t)n * sizeof *r);
    const double time = (double)frame / def->fps, stride = def->stride * length;
    t[0].y -= 0.05 * length;
    const double place = def->in_place ? 0.0 : g->speed * time;
    t[0].z += place;
    for (int32_t l = 0; l < g->leg_count; ++l)
    {
        double u = time / def->stride_time + phase_of(g, &g->legs[l]), along, up;
        u -= floor(u);
        const bool stands = foot_at(def, u, &along, &up);
        const sft_v3d step = sft_v3d_make(0, 0.12 * length * up, place + along * stride);
        pose_leg(g, l, sft_v3d_add(homes[l], step), t, r);
        g->labels->plant[(size_t)l * (size_t)def->frames + (size_t)frame] = stands ? 1.0f : 0.0f;
        g->labels->touch[(size_t)l * (size_t)def->frames + (size_t)frame] = stands ? 1.0f : 0.0f;
    }
    // The slide comes last: legs were posed for the true way.
    t[0].z += (def->root_scale - 1.0) * place;
}

void gait_create(const gait_def* def, const char* title, support_rng* rng, gait* out)
{
    memset(out, 0, sizeof *out);
    find_creature(title, &out->r);
    out->skeleton = rng != NULL ? rig_skeleton_rolled(&out->r, rng) : rig_skeleton(&out->r);
    assert_int_equal(sft_leg_find(out->skeleton, NULL, NULL, out->legs, 16, &out->leg_count), SFT_OK);
    assert_int_equal(out->leg_count, out->r.leg_count);
    assert_int_equal(sft_clip_create(out->skeleton->joint_count, def->frames, 1.0 / def->fps, NULL, &out->clip),
                     SFT_OK);
    assert_int_equal(sft_contact_labels_create(def->frames, out->leg_count, NULL, &out->labels), SFT_OK);
    double length = 0.0;
    sft_v3d homes[16];
    for (int32_t l = 0; l < out->leg_count; ++l)
    {
        length += leg_length(out, &out->legs[l]) / (double)out->leg_count;
        homes[l] = sft_skeleton_joint_model(out->skeleton, out->skeleton->rest_translations,
                                            out->skeleton->rest_rotations, out->legs[l].toe)
                       .t;
    }
    out->speed = def->stride * length / def->stride_time;
    for (int f = 0; f < def->frames; ++f)
        pose_frame(def, out, homes, length, f);
}

void gait_release(gait* g)
{
    sft_contact_labels_destroy(g->labels, NULL);
    sft_clip_destroy(g->clip, NULL);
    sft_skeleton_destroy(g->skeleton, NULL);
}
