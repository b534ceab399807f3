// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Reference poses of figures whose hips and chest turn where no bone shows it, as in motion made by networks. A figure
// of known reference gets a twin in which what hangs from hips and chest hangs from joints in their own place; its clip
// turns joints by constants that move nothing.

#include "support/angles.h"
#include "support/figures.h"

#include <math.h>

#define DEGREES (SFT_PI / 180.0)

typedef struct twin
{
    figure f;
    int of[FIGURE_JOINTS]; ///< joint of the twin that is the figure's
    sft_quatd hidden[FIGURE_JOINTS];
} twin;

static sft_quatd about_y(double degrees)
{
    return sft_quatd_exp(sft_v3d_make(0, degrees * DEGREES, 0));
}

static void make_twin(const figure* f, twin* out)
{
    figure* t = &out->f;
    *t = *f;
    t->count = 0;
    for (int j = 0; j < f->count; ++j)
    {
        int up = f->parents[j] < 0 ? -1 : out->of[f->parents[j]];
        if (f->parents[j] == f->hips || f->parents[j] == f->chest)
        {
            const int b = t->count++;
            t->parents[b] = up;
            t->flags[b] = 0;
            t->rest_t[b] = sft_v3d_make(0, 0, 0);
            t->rest_r[b] = sft_quatd_identity();
            t->meanings[b] = (sft_joint_meaning){.part = SFT_PART_NONE, .side = SFT_LEG_MIDDLE, .carrier = -1};
            snprintf(t->names[b], sizeof t->names[b], "between%d", j);
            up = b;
        }
        const int own = t->count++;
        out->of[j] = own;
        t->parents[own] = up;
        t->flags[own] = f->flags[j];
        t->rest_t[own] = f->rest_t[j];
        t->rest_r[own] = f->rest_r[j];
        t->meanings[own] = f->meanings[j];
        memcpy(t->names[own], f->names[j], sizeof t->names[own]);
    }
    t->hips = out->of[f->hips];
    t->chest = out->of[f->chest];
    for (int i = 0; i < f->leg_count; ++i)
    {
        sft_leg* leg = &t->legs[i];
        leg->pelvis = t->hips;
        leg->hip = out->of[leg->hip];
        leg->knee = out->of[leg->knee];
        leg->heel = out->of[leg->heel];
        leg->toe = out->of[leg->toe];
        if (leg->toe_end >= 0) leg->toe_end = out->of[leg->toe_end];
    }
    for (int j = 0; j < FIGURE_JOINTS; ++j)
        out->hidden[j] = sft_quatd_identity();
}

// Hips and chest by anything, joints between and above about the bone they carry: all of these point up, the figure's
// axes being plain.
static void hide_turns(const figure* f, double size, twin* out)
{
    out->hidden[f->hips] = about_y(-90.0 * size);
    out->hidden[f->chest] = sft_quatd_mul(about_y(70.0 * size), sft_quatd_exp(sft_v3d_make(0.6 * size, 0, 0)));
    for (int j = 0; j < f->count; ++j)
        if (f->meanings[j].part == SFT_PART_SPINE && j != f->chest) out->hidden[j] = about_y(40.0 * size);
    out->hidden[f->head] = about_y(-80.0 * size);
}

// The figure's clip on the twin, each joint turned by what is hidden.
static sft_clip* hidden_clip(const figure* f, const sft_clip* clip, const twin* t)
{
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_create(t->f.count, clip->frame_count, clip->frame_time, NULL, &out), SFT_OK);
    for (int k = 0; k < clip->frame_count; ++k)
    {
        sft_xformd model[FIGURE_JOINTS];
        sft_quatd turned[FIGURE_JOINTS];
        figure_model(f, clip, k, model);
        for (int j = 0, i = 0; j < f->count; ++j)
            for (; i <= t->of[j]; ++i)
            {
                // What lies between has the rotation that its parent should have.
                const bool own = i == t->of[j];
                turned[i] = own ? sft_quatd_mul(model[j].r, t->hidden[j]) : model[f->parents[j]].r;
                const int up = t->f.parents[i], at = k * t->f.count + i;
                const sft_quatd above = up < 0 ? sft_quatd_identity() : turned[up];
                out->translations[at] = own && up < 0 ? model[j].t : t->f.rest_t[i];
                out->rotations[at] = sft_quatd_normalize(sft_quatd_mul(sft_quatd_conjugate(above), turned[i]));
            }
    }
    return out;
}

// Only arms and legs move.
static sft_clip* still_trunk(const figure* f, int frames)
{
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(f->count, frames, 0.04, NULL, &clip), SFT_OK);
    for (int k = 0; k < frames; ++k)
        for (int j = 0; j < f->count; ++j)
        {
            const int at = k * f->count + j;
            const sft_part part = f->meanings[j].part;
            clip->translations[at] = f->rest_t[j];
            clip->rotations[at] = f->rest_r[j];
            if (part == SFT_PART_SHIN)
                clip->rotations[at] = sft_quatd_exp(sft_v3d_make(0.5 + 0.4 * sin(0.3 * k), 0, 0));
            // The whole figure turns as it goes.
            if (j == f->hips) clip->rotations[at] = about_y(20.0 + 3.0 * k);
        }
    return clip;
}

static void assert_places(const figure* f, const twin* t, const sft_rig* rig)
{
    for (int j = 0; j < f->count; ++j)
        if (f->meanings[j].part != SFT_PART_TOE && (f->flags[j] & SFT_JOINT_END_SITE) == 0 &&
            sft_v3d_distance(rig->pose[t->of[j]].t, f->place[j]) > 1e-9)
            fail_msg("%s: %g m off", f->names[j], sft_v3d_distance(rig->pose[t->of[j]].t, f->place[j]));
}

static double off(const figure* f, const twin* t, const sft_rig* rig, int joint)
{
    const sft_quatd due = sft_quatd_mul(f->orientation[joint], t->hidden[joint]);
    return angle_between(rig->pose[t->of[joint]].r, due) / DEGREES;
}

static void test_rig_reference_unseen__constants_of_a_still_trunk_are_found(void** state)
{
    (void)state;
    for (int spines = 2; spines <= 5; ++spines)
    {
        figure_def def = figure_default();
        def.spine_count = spines;
        static figure f;
        static twin t;
        figure_make(&def, &f);
        make_twin(&f, &t);
        hide_turns(&f, 1.0, &t);
        sft_clip *plain = still_trunk(&f, 40), *clip = hidden_clip(&f, plain, &t);
        sft_rig* rig = figure_rig(&t.f, clip);
        assert_int_equal(rig->pose_frame, SFT_RIG_POSE_REST);
        assert_non_null(strstr(rig->reason, "hips and chest turned by 90 degrees"));
        assert_places(&f, &t, rig);
        for (int j = 0; j < f.count; ++j)
        {
            const sft_part part = f.meanings[j].part;
            if (part == SFT_PART_HIPS || part == SFT_PART_SPINE || part == SFT_PART_NECK || part == SFT_PART_HEAD)
                assert_true(off(&f, &t, rig, j) < 1e-6);
        }
        sft_rig_destroy(rig, NULL);
        sft_clip_destroy(plain, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

// A dancer stoops and shrugs: what is found is as good as its mean is straight.
static void test_rig_reference_unseen__of_a_dance_they_are_found_nearly(void** state)
{
    (void)state;
    figure_def def = figure_default();
    static figure f;
    static twin t;
    figure_make(&def, &f);
    make_twin(&f, &t);
    hide_turns(&f, 1.0, &t);
    sft_clip *plain = figure_dance(&f, 56, 0.04), *clip = hidden_clip(&f, plain, &t);
    sft_rig* rig = figure_rig(&t.f, clip);
    assert_places(&f, &t, rig);
    assert_true(off(&f, &t, rig, f.hips) < 10.0);
    assert_true(off(&f, &t, rig, f.chest) < 10.0);
    assert_true(off(&f, &t, rig, f.head) < 10.0);
    sft_rig_destroy(rig, NULL);
    sft_clip_destroy(plain, NULL);
    sft_clip_destroy(clip, NULL);
}

static void assert_rest_stays(const figure* f, const sft_clip* clip)
{
    sft_rig* rig = figure_rig(f, clip);
    assert_memory_equal(rig->base_r, f->rest_r, (size_t)f->count * sizeof *rig->base_r);
    assert_null(strstr(rig->reason, "hips and chest"));
    sft_rig_destroy(rig, NULL);
}

// What a body does for itself, and what is little, leaves the rest pose as the file has it, to the last bit.
static void test_rig_reference_unseen__what_is_seen_or_small_stays(void** state)
{
    (void)state;
    figure_def def = figure_default();
    static figure f;
    static twin t;
    figure_make(&def, &f);
    sft_clip* plain = figure_dance(&f, 56, 0.04);
    assert_rest_stays(&f, plain);
    make_twin(&f, &t);
    const double sizes[2] = {0.0, 0.3};
    for (int i = 0; i < 2; ++i)
    {
        hide_turns(&f, sizes[i], &t);
        sft_clip* clip = hidden_clip(&f, plain, &t);
        assert_rest_stays(&t.f, clip);
        sft_clip_destroy(clip, NULL);
    }
    // Sockets beside the joint show how it turns: then the clip means it.
    for (int j = 0; j < FIGURE_JOINTS; ++j)
        t.hidden[j] = sft_quatd_identity();
    t.hidden[f.hips] = about_y(-90.0);
    for (int j = 0; j < f.count; ++j)
    {
        if (f.parents[j] != f.hips) continue;
        const int own = t.of[j], between = t.f.parents[own];
        t.f.rest_t[between] = sft_v3d_scale(0.5, t.f.rest_t[own]);
        t.f.rest_t[own] = sft_v3d_sub(t.f.rest_t[own], t.f.rest_t[between]);
    }
    sft_clip* clip = hidden_clip(&f, plain, &t);
    assert_rest_stays(&t.f, clip);
    sft_clip_destroy(clip, NULL);
    sft_clip_destroy(plain, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_reference_unseen__constants_of_a_still_trunk_are_found),
        cmocka_unit_test(test_rig_reference_unseen__of_a_dance_they_are_found_nearly),
        cmocka_unit_test(test_rig_reference_unseen__what_is_seen_or_small_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
