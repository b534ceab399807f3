// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Labels, slide and clean-up on animals with four and eight legs that walk with known footfalls.

#include "support/gait.h"

typedef struct tracks
{
    sft_contact_input input;
    sft_foot_tracks feet[16];
    sft_v3d* points; // pelvis, then heel, toe and toe end of each leg
} tracks;

static tracks track(const gait* g, const sft_clip* clip)
{
    tracks t;
    memset(&t, 0, sizeof t);
    const size_t n = (size_t)clip->frame_count;
    t.points = calloc((1 + 3 * (size_t)g->leg_count) * n, sizeof *t.points);
    assert_non_null(t.points);
    sft_clip_joint_track(g->skeleton, clip, g->legs[0].pelvis, t.points);
    double length = 0.0;
    for (int32_t l = 0; l < g->leg_count; ++l)
    {
        const sft_leg* leg = &g->legs[l];
        const int32_t joints[3] = {leg->heel, leg->toe, leg->toe_end};
        const sft_v3d* at[3] = {NULL, NULL, NULL};
        for (size_t k = 0; k < 3; ++k)
        {
            if (joints[k] < 0) continue;
            sft_v3d* out = t.points + (1 + 3 * (size_t)l + k) * n;
            sft_clip_joint_track(g->skeleton, clip, joints[k], out);
            at[k] = out;
        }
        t.feet[l] = (sft_foot_tracks){at[0], at[1], at[2]};
        for (int32_t j = leg->toe; j != leg->hip; j = g->skeleton->parents[j])
            length += sft_v3d_length(g->skeleton->rest_translations[j]) / (double)g->leg_count;
    }
    t.input = (sft_contact_input){.frame_count = clip->frame_count,
                                  .frame_time = clip->frame_time,
                                  .pelvis = t.points,
                                  .foot_count = g->leg_count,
                                  .leg_length = length};
    return t;
}

static sft_contact_labels* label(const gait* g, sft_contact_mismatch* m)
{
    tracks t = track(g, g->clip);
    t.input.feet = t.feet;
    sft_contact_labels* labels = NULL;
    assert_int_equal(sft_contact_labels_create(g->clip->frame_count, g->leg_count, NULL, &labels), SFT_OK);
    const sft_contact_def def = sft_default_contact_def();
    assert_int_equal(sft_contact_label(&def, &t.input, NULL, labels, m), SFT_OK);
    free(t.points);
    return labels;
}

static double f1(const gait* g, const sft_contact_labels* got)
{
    double both = 0.0, sum = 0.0;
    const size_t all = (size_t)got->frame_count * (size_t)got->foot_count;
    for (size_t i = 0; i < all; ++i)
    {
        const bool a = got->plant[i] > 0.75f, b = g->labels->plant[i] > 0.75f;
        both += a && b ? 1.0 : 0.0;
        sum += (a ? 1.0 : 0.0) + (b ? 1.0 : 0.0);
    }
    return sum > 0.0 ? 2.0 * both / sum : 1.0;
}

// Largest step [m] of a toe between frames that are both planted, less the ground's.
static double slide(const gait* g, const sft_contact_labels* labels, sft_v3d ground)
{
    const size_t n = (size_t)g->clip->frame_count;
    sft_v3d* toe = calloc(n, sizeof *toe);
    assert_non_null(toe);
    double worst = 0.0;
    for (int32_t l = 0; l < g->leg_count; ++l)
    {
        sft_clip_joint_track(g->skeleton, g->clip, g->legs[l].toe, toe);
        for (size_t i = 1; i < n; ++i)
        {
            const float* plant = labels->plant + (size_t)l * n;
            if (!(plant[i] > 0.75f && plant[i - 1] > 0.75f)) continue;
            const sft_v3d step = sft_v3d_madd(sft_v3d_sub(toe[i], toe[i - 1]), -g->clip->frame_time, ground);
            const double length = sft_v3d_length(step);
            worst = length > worst ? length : worst;
        }
    }
    free(toe);
    return worst;
}

// Largest angular acceleration [rad/s^2] of a joint over the clip.
static double pop(const sft_clip* clip, int32_t joint)
{
    double worst = 0.0;
    sft_v3d before = {0, 0, 0};
    for (int32_t i = 0; i + 1 < clip->frame_count; ++i)
    {
        const size_t at = (size_t)i * (size_t)clip->joint_count + (size_t)joint;
        const sft_quatd d =
            sft_quatd_mul(sft_quatd_conjugate(clip->rotations[at]), clip->rotations[at + (size_t)clip->joint_count]);
        const double s = d.w < 0.0 ? -2.0 : 2.0;
        const sft_v3d turn = sft_v3d_make(s * d.x, s * d.y, s * d.z);
        const double a = sft_v3d_distance(turn, before) / (clip->frame_time * clip->frame_time);
        if (i > 0 && a > worst) worst = a;
        before = turn;
    }
    return worst;
}

static double shake(const gait* g, const sft_clip* clip)
{
    const size_t n = (size_t)clip->frame_count;
    sft_v3d* p = calloc(n, sizeof *p);
    assert_non_null(p);
    sft_clip_joint_track(g->skeleton, clip, g->legs[0].pelvis, p);
    double worst = 0.0;
    for (size_t i = 1; i + 1 < n; ++i)
    {
        const sft_v3d sum = sft_v3d_add(p[i - 1], p[i + 1]);
        const double a = sft_v3d_length(sft_v3d_madd(sum, -2.0, p[i])) / (clip->frame_time * clip->frame_time);
        worst = a > worst ? a : worst;
    }
    free(p);
    return worst;
}

// Answers the joint that carried the correction.
static int32_t clean_and_judge(gait* g, const sft_contact_labels* labels, sft_v3d ground)
{
    const size_t cells = (size_t)g->clip->joint_count * (size_t)g->clip->frame_count;
    sft_clip* before = NULL;
    assert_int_equal(sft_clip_create(g->clip->joint_count, g->clip->frame_count, g->clip->frame_time, NULL, &before),
                     SFT_OK);
    memcpy(before->translations, g->clip->translations, cells * sizeof *before->translations);
    memcpy(before->rotations, g->clip->rotations, cells * sizeof *before->rotations);
    uint8_t changed[RIG_JOINTS] = {0};
    sft_cleanup_report report;
    sft_cleanup_def def = sft_default_cleanup_def();
    def.ground_velocity = ground;
    assert_int_equal(
        sft_cleanup_clip(&def, g->skeleton, g->legs, g->leg_count, labels, NULL, g->clip, changed, &report), SFT_OK);
    assert_true(report.residual_m < 1e-5);
    assert_int_equal(report.miss_count, 0);
    assert_true(slide(g, labels, ground) < 1e-5);
    // One joint carries the whole body, so that the spine stays as long as it was; legs alone turn.
    for (int32_t j = 0; j < g->skeleton->joint_count; ++j)
    {
        bool of_leg = false;
        for (int32_t l = 0; l < g->leg_count; ++l)
            of_leg = of_leg || j == g->legs[l].hip || j == g->legs[l].knee || j == g->legs[l].heel;
        assert_true(of_leg || (changed[j] & 1) == 0);
        assert_true(j == report.travel_joint || (changed[j] & 2) == 0);
        if (!of_leg) continue;
        const double was = pop(before, j), is = pop(g->clip, j);
        if (is > 2.0 * (was > 20.0 ? was : 20.0))
            printf("%s: %s pops at %g, was %g\n", g->r.title, g->r.names[j], is, was);
        assert_true(is <= 2.0 * (was > 20.0 ? was : 20.0));
    }
    const double was = shake(g, before), is = shake(g, g->clip);
    assert_true(is <= 2.0 * (was > 2.0 ? was : 2.0));
    sft_cleanup_report_release(&report, NULL);
    sft_clip_destroy(before, NULL);
    return report.travel_joint;
}

static const char* const walkers[] = {"horse, anatomical names", "dog, body-model names",
                                      "walking robot, abduction joints above the thighs",
                                      "elephant, the trunk on the ground", "crab with claws"};
#define SLOW 0.15 // [m/s]
#define WALKERS ((int)(sizeof walkers / sizeof walkers[0]))

static void test_creature_gaits__scaled_travel_is_found_and_taken_out(void** state)
{
    (void)state;
    static const double scales[] = {1.0, 0.75, 1.25};
    support_rng rng = {41};
    for (int w = 0; w < WALKERS; ++w)
        for (int k = 0; k < 3; ++k)
        {
            gait_def def = gait_default();
            def.root_scale = scales[k];
            if (w == WALKERS - 1) def.stride = 0.2;
            gait g;
            gait_create(&def, walkers[w], k > 0 ? &rng : NULL, &g);
            sft_contact_mismatch m;
            sft_contact_labels* labels = label(&g, &m);
            const double agree = f1(&g, labels);
            printf("%s x %g: F1 %.3f, travel %.3f\n", walkers[w], scales[k], agree, m.root_travel);
            assert_true(agree >= 0.95);
            // What crawls by centimetres slides by less than a foot's own restlessness.
            if (g.speed > SLOW) assert_true(m.known && fabs(m.root_travel - scales[k]) < 0.05);
            clean_and_judge(&g, labels, sft_v3d_make(0, 0, 0));
            sft_contact_labels_destroy(labels, NULL);
            gait_release(&g);
        }
}

static void test_creature_gaits__in_place_rides_the_ground(void** state)
{
    (void)state;
    for (int w = 0; w < WALKERS; ++w)
        for (int eased = 0; eased < 2; ++eased)
        {
            gait_def def = gait_default();
            def.in_place = true;
            if (w == WALKERS - 1) def.stride = 0.2;
            def.eased = eased == 1;
            gait g;
            gait_create(&def, walkers[w], NULL, &g);
            sft_contact_mismatch m;
            sft_contact_labels* labels = label(&g, &m);
            const double agree = f1(&g, labels);
            printf("%s in place%s: F1 %.3f, ground %.3f of %.3f m/s: %s\n", walkers[w], eased ? ", eased" : "", agree,
                   m.ground_velocity.z, -g.speed, m.text);
            assert_true(agree >= (eased ? 0.85 : 0.95));
            if (g.speed > SLOW)
            {
                assert_true(m.known && m.moving_ground);
                assert_true(fabs(m.ground_velocity.z + g.speed) < (eased ? 0.2 : 0.05) * g.speed);
            }
            clean_and_judge(&g, labels, m.ground_velocity);
            sft_contact_labels_destroy(labels, NULL);
            gait_release(&g);
        }
}

// Hind and fore quarters that travel each by themselves, below a joint that stands still: the correction goes to that.
static void test_creature_gaits__one_correction_for_the_whole_body(void** state)
{
    (void)state;
    gait_def def = gait_default();
    def.root_scale = 1.25;
    gait g;
    gait_create(&def, "horse, joints numbered down each leg", NULL, &g);
    const int32_t body = sft_skeleton_find(g.skeleton, "Body");
    const int32_t quarters[2] = {sft_skeleton_find(g.skeleton, "Pelvis"), sft_skeleton_find(g.skeleton, "Chest")};
    for (int32_t i = 0; i < g.clip->frame_count; ++i)
    {
        sft_v3d* t = g.clip->translations + (size_t)i * (size_t)g.clip->joint_count;
        const sft_v3d moved = sft_v3d_sub(t[0], g.clip->translations[0]);
        for (int k = 0; k < 2; ++k)
            t[quarters[k]] = sft_v3d_add(t[quarters[k]], moved);
        t[0] = g.clip->translations[0];
    }
    sft_contact_mismatch m;
    sft_contact_labels* labels = label(&g, &m);
    assert_true(m.known && fabs(m.root_travel - 1.25) < 0.05);
    assert_int_equal(clean_and_judge(&g, labels, sft_v3d_make(0, 0, 0)), body);
    sft_contact_labels_destroy(labels, NULL);
    gait_release(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_gaits__scaled_travel_is_found_and_taken_out),
        cmocka_unit_test(test_creature_gaits__in_place_rides_the_ground),
        cmocka_unit_test(test_creature_gaits__one_correction_for_the_whole_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
