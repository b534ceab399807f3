// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Bodies whose legs hang from two girdles pitch with the ground. A four-legged figure by construction stands still, so
// that where it comes to is known in closed form.

#include "support/grounds.h"
#include "support/walks.h"

enum
{
    ROOT,
    PELVIS,
    SPINE,
    CHEST,
    HEAD,
    LEGS, // five joints a leg: left and right of the pelvis, left and right of the chest
    JOINTS = LEGS + 20,
    FRAMES = 40
};

static const double HIP = 0.6, HALF = 0.4; // [m] height of the hips, half the length of the body

typedef struct beast
{
    sft_skeleton* skeleton;
    walk w;
} beast;

static void stand(beast* b)
{
    static const char* const names[JOINTS] = {"root",       "pelvis",      "spine",       "chest",      "head",
                                              "hind_hip_L", "hind_knee_L", "hind_heel_L", "hind_toe_L", "hind_end_L",
                                              "hind_hip_R", "hind_knee_R", "hind_heel_R", "hind_toe_R", "hind_end_R",
                                              "hip_L",      "knee_L",      "heel_L",      "toe_L",      "end_L",
                                              "hip_R",      "knee_R",      "heel_R",      "toe_R",      "end_R"};
    static const sft_v3d leg[5] = {{0.1, 0, 0}, {0, -0.28, 0.14}, {0, -0.26, -0.14}, {0, -0.06, 0.06}, {0, 0, 0.04}};
    int32_t parents[JOINTS] = {-1, ROOT, PELVIS, SPINE, CHEST};
    sft_v3d t[JOINTS] = {{0, 0, 0}, {0, HIP, -HALF}, {0, 0.05, HALF}, {0, -0.05, HALF}, {0, 0.1, 0.2}};
    *b = (beast){0};
    for (int l = 0; l < 4; ++l)
        for (int k = 0; k < 5; ++k)
        {
            const int j = LEGS + 5 * l + k;
            parents[j] = k > 0 ? j - 1 : l < 2 ? PELVIS : CHEST;
            t[j] = leg[k];
            if (l % 2 == 1) t[j].x = -t[j].x;
        }
    const sft_skeleton def = {.joint_count = JOINTS, .names = names, .parents = parents, .rest_translations = t};
    assert_int_equal(sft_skeleton_create(&def, NULL, &b->skeleton), SFT_OK);
    b->w = (walk){.skeleton = b->skeleton, .leg_count = 4};
    assert_int_equal(sft_clip_create(JOINTS, FRAMES, 1.0 / 30.0, NULL, &b->w.clip), SFT_OK);
    for (int i = 0; i < FRAMES; ++i)
        for (int j = 0; j < JOINTS; ++j)
        {
            b->w.clip->translations[i * JOINTS + j] = t[j];
            b->w.clip->rotations[i * JOINTS + j] = sft_quatd_identity();
        }
    for (int l = 0; l < 4; ++l)
    {
        const int32_t hip = LEGS + 5 * l;
        b->w.legs[l] = (sft_leg){.pair = l / 2,
                                 .pelvis = l < 2 ? PELVIS : CHEST,
                                 .hip = hip,
                                 .knee = hip + 1,
                                 .heel = hip + 2,
                                 .toe = hip + 3,
                                 .toe_end = hip + 4};
        assert_int_equal(sft_leg_complete(b->skeleton, b->w.clip, &b->w.legs[l], NULL), SFT_OK);
    }
    assert_int_equal(sft_contact_labels_create(FRAMES, 4, NULL, &b->w.labels), SFT_OK);
    for (int k = 0; k < 4 * FRAMES; ++k)
        b->w.labels->plant[k] = b->w.labels->touch[k] = 1.0f;
}

static void release(beast* b)
{
    sft_contact_labels_destroy(b->w.labels, NULL);
    sft_clip_destroy(b->w.clip, NULL);
    sft_skeleton_destroy(b->skeleton, NULL);
}

static sft_clip* adapt(const beast* b, const support_ground* g, uint8_t changed[JOINTS], sft_adapt_clip_report* report)
{
    sft_adapt_clip_def def = sft_default_adapt_clip_def();
    def.travel_joint = ROOT;
    const sft_ground ground = support_ground_of(g);
    sft_clip* out = walk_copy(&b->w);
    memset(changed, 0, JOINTS);
    assert_int_equal(sft_adapt_clip(&def, b->skeleton, b->w.legs, 4, b->w.labels, &ground, NULL, out, changed, report),
                     SFT_OK);
    assert_true(report->converged);
    return out;
}

static sft_xformd at(const beast* b, const sft_clip* clip, int32_t joint, int32_t frame)
{
    const size_t base = (size_t)frame * JOINTS;
    return sft_skeleton_joint_model(b->skeleton, clip->translations + base, clip->rotations + base, joint);
}

static void assert_near(double x, double y, double most)
{
    if (!(fabs(x - y) <= most)) fail_msg("%.9f is not %.9f", x, y);
}

static void assert_toes_stand(const beast* b, const sft_clip* out, const support_ground* g)
{
    for (int l = 0; l < 4; ++l)
        for (int i = 0; i < FRAMES; ++i)
        {
            const sft_v3d was = at(b, b->w.clip, b->w.legs[l].toe, i).t, toe = at(b, out, b->w.legs[l].toe, i).t;
            double height = 0.0;
            assert_true(support_ground_height(g, toe.x, toe.z, &height, NULL));
            assert_near(toe.y, height, 1e-6);
            assert_near(toe.x, was.x, 1e-6);
            assert_near(toe.z, was.z, 1e-6);
        }
}

// Turned with the slope about the middle of the hips, which is as high over the slope as over the floor, plumb: the
// body is parallel to the slope.
static void assert_parallel(const beast* b, const sft_clip* out, double angle)
{
    for (int i = 0; i < FRAMES; ++i)
    {
        const sft_xformd pelvis = at(b, out, PELVIS, i), chest = at(b, out, CHEST, i), head = at(b, out, HEAD, i);
        assert_near(pelvis.t.y, HIP - HALF * sin(angle), 1e-6);
        assert_near(pelvis.t.z, -HALF * cos(angle), 1e-6);
        assert_near(chest.t.y, HIP + HALF * sin(angle), 1e-6);
        assert_near(chest.t.z, HALF * cos(angle), 1e-6);
        assert_near(pelvis.t.x, 0.0, 1e-9);
        // The head goes with the body.
        const sft_v3d nose = sft_quatd_rotate(head.r, sft_v3d_make(0, 0, 1));
        assert_near(nose.y, sin(angle), 1e-6);
    }
}

static void test_adapt_girdles__a_body_is_parallel_to_the_slope(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    for (int degrees = -20; degrees <= 20; degrees += 10)
    {
        if (degrees == 0) continue;
        const double angle = degrees * SFT_PI / 180.0;
        const support_ground g = {.kind = SUPPORT_GROUND_SLOPE, .rise_z = tan(angle)};
        uint8_t changed[JOINTS];
        sft_adapt_clip_report report;
        sft_clip* out = adapt(&b, &g, changed, &report);
        assert_int_equal(report.turn_joint, PELVIS);
        assert_int_equal(report.travel_joint, ROOT);
        assert_int_equal(report.miss_count, 0);
        assert_near(degrees > 0 ? report.pitch_max : report.pitch_min, angle, 1e-6);
        assert_near(degrees > 0 ? report.pitch_min : report.pitch_max, 0.0, 0.0);
        assert_toes_stand(&b, out, &g);
        assert_parallel(&b, out, angle);
        // Nothing else: the travel joint is moved, the lowest joint above all legs turned.
        assert_int_equal(changed[ROOT], 2);
        assert_int_equal(changed[PELVIS], 1);
        assert_int_equal(changed[SPINE] | changed[CHEST] | changed[HEAD], 0);
        sft_adapt_clip_report_release(&report, NULL);
        sft_clip_destroy(out, NULL);
    }
    release(&b);
}

static void test_adapt_girdles__level_and_side_slopes_do_not_pitch(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    uint8_t changed[JOINTS];
    sft_adapt_clip_report report;
    const support_ground level = {.kind = SUPPORT_GROUND_SLOPE};
    sft_clip* out = adapt(&b, &level, changed, &report);
    assert_memory_equal(out->rotations, b.w.clip->rotations, JOINTS * FRAMES * sizeof *out->rotations);
    assert_memory_equal(out->translations, b.w.clip->translations, JOINTS * FRAMES * sizeof *out->translations);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);

    const support_ground side = {.kind = SUPPORT_GROUND_SLOPE, .rise_x = 0.2};
    out = adapt(&b, &side, changed, &report);
    assert_near(report.pitch_max, 0.0, 1e-9);
    assert_near(report.pitch_min, 0.0, 1e-9);
    assert_toes_stand(&b, out, &side);
    assert_parallel(&b, out, 0.0);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    release(&b);
}

// The joint above may be turned as it likes: the body is turned and moved in the world.
static void test_adapt_girdles__whatever_the_root_is_turned_by(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.4, 1.1, -0.7)),
                    mark = sft_quatd_exp(sft_v3d_make(-0.3, 0.2, 1));
    for (int i = 0; i < FRAMES; ++i)
    {
        sft_v3d* t = b.w.clip->translations + (size_t)i * JOINTS;
        sft_quatd* r = b.w.clip->rotations + (size_t)i * JOINTS;
        // Root turned, the pelvis and what hangs from it as they were in the world, but for the pelvis's own frame.
        r[ROOT] = turn;
        t[PELVIS] = sft_quatd_unrotate(turn, t[PELVIS]);
        r[PELVIS] = sft_quatd_mul(sft_quatd_conjugate(turn), mark);
        for (int j = SPINE; j < JOINTS; ++j)
            if (b.skeleton->parents[j] == PELVIS)
            {
                t[j] = sft_quatd_unrotate(mark, t[j]);
                r[j] = sft_quatd_conjugate(mark);
            }
    }
    const support_ground g = {.kind = SUPPORT_GROUND_SLOPE, .rise_z = tan(0.2)};
    uint8_t changed[JOINTS];
    sft_adapt_clip_report report;
    sft_clip* out = adapt(&b, &g, changed, &report);
    assert_toes_stand(&b, out, &g);
    assert_parallel(&b, out, 0.2);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    release(&b);
}

// Nothing below the front feet: the body does not pitch by them, and they go with it, local rotations bit for bit.
static void test_adapt_girdles__feet_without_ground_go_with_the_body(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    const support_ground g = {.kind = SUPPORT_GROUND_GAP, .rise = 0.05, .run = 0.0, .width = 2.0, .heading = {0, 0, 1}};
    uint8_t changed[JOINTS];
    sft_adapt_clip_report report;
    sft_clip* out = adapt(&b, &g, changed, &report);
    assert_int_equal(report.miss_count, 2);
    for (int k = 0; k < 2; ++k)
        assert_int_equal(report.misses[k].fault, SFT_ADAPT_FAULT_NO_GROUND);
    for (int i = 0; i < FRAMES; ++i)
        for (int j = LEGS + 10; j < JOINTS; ++j)
            assert_memory_equal(out->rotations + i * JOINTS + j, b.w.clip->rotations + i * JOINTS + j,
                                sizeof *out->rotations);
    for (int l = 0; l < 2; ++l)
        assert_near(at(&b, out, b.w.legs[l].toe, FRAMES / 2).t.y, 0.05, 1e-6);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    release(&b);
}

// Legs that all hang from one girdle do not pitch, whatever the ground.
static void test_adapt_girdles__one_girdle_does_not_pitch(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    for (int l = 0; l < 4; ++l)
        b.w.legs[l].pair = 0;
    const support_ground g = {.kind = SUPPORT_GROUND_SLOPE, .rise_z = 0.1};
    uint8_t changed[JOINTS];
    sft_adapt_clip_report report;
    sft_clip* out = adapt(&b, &g, changed, &report);
    assert_int_equal(report.turn_joint, -1);
    assert_near(report.pitch_max, 0.0, 0.0);
    assert_int_equal(changed[PELVIS], 0);
    assert_toes_stand(&b, out, &g);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    release(&b);
}

// ---- run time ----

typedef struct player
{
    sft_adapt_state body;
    sft_adapt_leg_state legs[4];
    sft_adapt_report report;
    sft_v3d t[JOINTS];
    sft_quatd r[JOINTS];
} player;

// One step of a 60th of a second from the figure's stance, moved by `travel`.
static void step(const beast* b, const support_ground* g, const double* weights, sft_v3d travel, player* p)
{
    const sft_adapt_def def = sft_default_adapt_def();
    const sft_ground ground = support_ground_of(g);
    const bool contacts[4] = {true, true, true, true};
    const sft_adapt_input input = {.skeleton = b->skeleton,
                                   .legs = b->w.legs,
                                   .leg_count = 4,
                                   .contacts = contacts,
                                   .weights = weights,
                                   .ground = &ground};
    double scratch[4096];
    memcpy(p->t, b->w.clip->translations, sizeof p->t);
    memcpy(p->r, b->w.clip->rotations, sizeof p->r);
    p->t[ROOT] = travel;
    assert_true(sft_adapt_scratch_size(b->skeleton, 4) <= sizeof scratch);
    assert_int_equal(
        sft_adapt_update(&def, &input, 1.0 / 60.0, &p->body, p->legs, p->t, p->r, scratch, sizeof scratch, &p->report),
        SFT_OK);
}

static sft_xformd played(const beast* b, const player* p, int32_t joint)
{
    return sft_skeleton_joint_model(b->skeleton, p->t, p->r, joint);
}

static void test_adapt_girdles__at_run_time_too_a_body_is_parallel_to_the_slope(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    for (int degrees = -20; degrees <= 20; degrees += 10)
    {
        const double angle = degrees * SFT_PI / 180.0;
        const support_ground g = {.kind = SUPPORT_GROUND_SLOPE, .rise_z = tan(angle)};
        player p = {0};
        // From the first step on: it begins on the ground.
        for (int i = 0; i < 5; ++i)
        {
            step(&b, &g, NULL, sft_v3d_make(0, 0, 0), &p);
            assert_near(p.report.pitch, angle, 1e-9);
            assert_near(p.report.toe_miss, 0.0, 1e-9);
            assert_near(played(&b, &p, PELVIS).t.y, HIP - HALF * sin(angle), 1e-6);
            assert_near(played(&b, &p, CHEST).t.z, HALF * cos(angle), 1e-6);
            for (int l = 0; l < 4; ++l)
            {
                const sft_v3d toe = played(&b, &p, b.w.legs[l].toe).t;
                assert_near(toe.y, toe.z * tan(angle), 1e-6);
            }
        }
        if (degrees != 0) continue;
        assert_memory_equal(p.t, b.w.clip->translations, sizeof p.t);
        assert_memory_equal(p.r, b.w.clip->rotations, sizeof p.r);
    }
    release(&b);
}

// The ground tips from level to a slope at once: the pitch follows without a step, and without going beyond.
static void test_adapt_girdles__pitch_follows_without_a_step(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    support_ground g = {.kind = SUPPORT_GROUND_SLOPE};
    player p = {0};
    for (int i = 0; i < 3; ++i)
        step(&b, &g, NULL, sft_v3d_make(0, 0, 0), &p);
    g.rise_z = tan(0.25);
    double was = 0.0, velocity = 0.0;
    for (int i = 0; i < 120; ++i)
    {
        step(&b, &g, NULL, sft_v3d_make(0, 0, 0), &p);
        const double now = p.report.pitch;
        assert_true(now >= was - 1e-12 && now <= 0.25 + 1e-9);
        // At 14 a second (three times the smooth time) a step of 0.25 begins with an acceleration of 48 at most.
        assert_true(fabs((now - was) * 60.0 - velocity) < 48.0 / 60.0);
        velocity = (now - was) * 60.0;
        was = now;
    }
    assert_near(was, 0.25, 1e-6);
    release(&b);
}

static void test_adapt_girdles__no_weight_is_the_source_bit_for_bit(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    const support_ground g = {.kind = SUPPORT_GROUND_SLOPE, .rise_z = 0.3};
    const double none[4] = {0};
    player p = {0};
    for (int i = 0; i < 3; ++i)
        step(&b, &g, none, sft_v3d_make(0, 0, 0), &p);
    assert_memory_equal(p.t, b.w.clip->translations, sizeof p.t);
    assert_memory_equal(p.r, b.w.clip->rotations, sizeof p.r);
    // Let go while it stands, it comes back to where it was.
    player q = {0};
    step(&b, &g, NULL, sft_v3d_make(0, 0, 0), &q);
    for (int i = 0; i < 600; ++i)
        step(&b, &g, none, sft_v3d_make(0, 0, 0), &q);
    assert_memory_equal(q.t, b.w.clip->translations, sizeof q.t);
    assert_memory_equal(q.r, b.w.clip->rotations, sizeof q.r);
    release(&b);
}

// Only the hind feet weigh: the body does not pitch by what it does not stand on, and the front legs go along.
static void test_adapt_girdles__legs_without_weight_go_along(void** state)
{
    (void)state;
    beast b;
    stand(&b);
    const support_ground g = {.kind = SUPPORT_GROUND_SLOPE, .rise_z = 0.3, .origin = {0, 0.1, 0}};
    const double hind[4] = {1.0, 1.0, 0.0, 0.0};
    player p = {0};
    for (int i = 0; i < 3; ++i)
        step(&b, &g, hind, sft_v3d_make(0, 0, 0), &p);
    for (int l = 2; l < 4; ++l)
        for (int j = b.w.legs[l].hip; j <= b.w.legs[l].toe_end; ++j)
            assert_memory_equal(&p.r[j], &b.w.clip->rotations[j], sizeof p.r[j]);
    release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_girdles__a_body_is_parallel_to_the_slope),
        cmocka_unit_test(test_adapt_girdles__level_and_side_slopes_do_not_pitch),
        cmocka_unit_test(test_adapt_girdles__whatever_the_root_is_turned_by),
        cmocka_unit_test(test_adapt_girdles__feet_without_ground_go_with_the_body),
        cmocka_unit_test(test_adapt_girdles__one_girdle_does_not_pitch),
        cmocka_unit_test(test_adapt_girdles__at_run_time_too_a_body_is_parallel_to_the_slope),
        cmocka_unit_test(test_adapt_girdles__pitch_follows_without_a_step),
        cmocka_unit_test(test_adapt_girdles__no_weight_is_the_source_bit_for_bit),
        cmocka_unit_test(test_adapt_girdles__legs_without_weight_go_along),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
