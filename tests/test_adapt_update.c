// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Foot IK at run time: what a game sees. Grounds are closed forms of the test's own; poses are measured by plain
// forward kinematics.

#include "sample/walker.h"
#include "support/adapt_figures.h"
#include "support/leg_poses.h"
#include "support/update_run.h"

#define ALWAYS 1e9

// ---- a figure that stands ----

// The walker in mid-stance, its feet wherever the walk has them, all in contact.
typedef struct stand
{
    walker made;
    walk w;
    int32_t frame;
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
    bool contacts[2];
    update_run u;
    sft_v3d offset; // of the whole figure
} stand;

static walk walk_of(const walker* made)
{
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .first = made->first_frame};
    w.labels = (sft_contact_labels*)&made->labels;
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

static void stand_up(stand* s)
{
    const walker_def def = walker_default_def();
    memset(s, 0, sizeof *s);
    assert_int_equal(walker_create(&def, &s->made), SFT_OK);
    s->w = walk_of(&s->made);
    s->u = update_begin();
    s->contacts[0] = s->contacts[1] = true;
    // Both feet flat or nearly: double support.
    for (s->frame = 1; s->frame < 120; ++s->frame)
    {
        const float* plant = s->w.labels->plant + s->frame;
        if (plant[0] > 0.75f && plant[s->w.labels->frame_count] > 0.75f) break;
    }
    assert_true(s->frame < 120);
}

static sft_result stand_try(stand* s, double dt, const sft_ground* ground, const sft_v3d* toes, const double* weights)
{
    const size_t base = (size_t)s->frame * WALKER_JOINTS;
    memcpy(s->t, s->w.clip->translations + base, sizeof s->t);
    memcpy(s->r, s->w.clip->rotations + base, sizeof s->r);
    s->t[0] = sft_v3d_add(s->t[0], s->offset);
    const sft_adapt_input in = {s->w.skeleton, s->w.legs, 2, s->contacts, toes, weights, ground};
    double scratch[1024];
    assert_true(sft_adapt_scratch_size(s->w.skeleton, 2) <= sizeof scratch);
    return sft_adapt_update(&s->u.def, &in, dt, &s->u.body, s->u.feet, s->t, s->r, scratch, sizeof scratch,
                            &s->u.report);
}

static void stand_step(stand* s, double dt, const sft_ground* ground)
{
    assert_int_equal(stand_try(s, dt, ground, NULL, NULL), SFT_OK);
}

static void stand_steps(stand* s, double seconds, double dt, const sft_ground* ground)
{
    for (double t = 0.0; t < seconds - 0.5 * dt; t += dt)
        stand_step(s, dt, ground);
}

static sft_v3d stand_joint(const stand* s, int32_t joint)
{
    return sft_skeleton_joint_model(s->w.skeleton, s->t, s->r, joint).t;
}

static sft_v3d stand_source(const stand* s, int32_t joint)
{
    const size_t base = (size_t)s->frame * WALKER_JOINTS;
    const sft_v3d t =
        sft_skeleton_joint_model(s->w.skeleton, s->w.clip->translations + base, s->w.clip->rotations + base, joint).t;
    return sft_v3d_add(t, s->offset);
}

static bool stand_is_source(const stand* s)
{
    const size_t base = (size_t)s->frame * WALKER_JOINTS;
    return memcmp(s->r, s->w.clip->rotations + base, sizeof s->r) == 0 &&
           memcmp(s->t + 1, s->w.clip->translations + base + 1, sizeof s->t - sizeof s->t[0]) == 0 &&
           s->t[0].y == s->w.clip->translations[base].y + s->offset.y;
}

// ---- grounds ----

// Level, with steps in time or place as a test sets them.
typedef struct floor_ground
{
    double height; // left of x = 0 as well
    double right;  // x < 0
    double edge_z; // beyond it there is nothing
    int32_t body;
    sft_v3d normal; // zero: up
} floor_ground;

static bool floor_query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                        sft_ground_hit* hit)
{
    const floor_ground* g = data;
    (void)radius;
    const double y = origin.x < 0.0 ? g->right : g->height;
    if (direction.y != -1.0 || origin.z > g->edge_z || y > origin.y || origin.y - y > distance) return false;
    *hit = (sft_ground_hit){{origin.x, y, origin.z}, g->normal, origin.y - y, g->body, -1};
    return true;
}

static floor_ground level(double height)
{
    return (floor_ground){height, height, ALWAYS, 0, {0, 1, 0}};
}

// ---- bits ----

static void test_adapt_update__level_ground_at_the_floor_keeps_every_bit(void** state)
{
    (void)state;
    walker made;
    const walker_def def = walker_default_def();
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    const support_ground flat = support_slope(0.0, 0.0);
    const sft_ground ground = support_ground_of(&flat);
    sft_clip* out = walk_copy(&w);
    update_run u = update_begin();
    update_clip(&u, &w, &ground, out);
    const size_t cells = (size_t)out->joint_count * (size_t)out->frame_count;
    assert_memory_equal(out->translations, w.clip->translations, cells * sizeof *out->translations);
    assert_memory_equal(out->rotations, w.clip->rotations, cells * sizeof *out->rotations);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

static void test_adapt_update__weight_zero_keeps_every_bit(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    const floor_ground g = {0.1, 0.05, ALWAYS, 0, {0, 1, 0}};
    const sft_ground ground = {floor_query, &g};
    const double none[2] = {0.0, 0.0}, all[2] = {1.0, 1.0};
    for (int i = 0; i < 10; ++i)
    {
        assert_int_equal(stand_try(&s, 1.0 / 60.0, &ground, NULL, none), SFT_OK);
        assert_true(stand_is_source(&s));
    }
    // And back again after it was on: smoothly, and to the last bit.
    double last = 0.0, most = 0.0;
    for (int i = 0; i < 400; ++i)
    {
        assert_int_equal(stand_try(&s, 1.0 / 60.0, &ground, NULL, i < 60 ? all : none), SFT_OK);
        const double now = stand_joint(&s, s.w.legs[0].toe).y - stand_source(&s, s.w.legs[0].toe).y;
        most = sft_maxd(most, fabs(now - last));
        last = now;
        if (i == 59) assert_near(now, 0.1, 1e-3);
    }
    assert_true(most < 0.1 * 0.36);
    assert_true(stand_is_source(&s));
    walker_release(&s.made);
}

// ---- following ----

// (1 + w t) exp(-w t) is what is left of a step, whatever the frame rate.
static void test_adapt_update__a_step_is_followed_in_closed_form_at_any_rate(void** state)
{
    (void)state;
    const double rates[] = {30.0, 60.0, 120.0, 240.0};
    for (int k = 0; k < 4; ++k)
    {
        stand s;
        stand_up(&s);
        floor_ground g = level(0.0);
        const sft_ground ground = {floor_query, &g};
        stand_step(&s, 0.0, &ground);
        assert_true(stand_is_source(&s));
        const double dt = 1.0 / rates[k], rate = 5.0 / s.u.def.smooth_time;
        g = level(0.05);
        // The ground rises between this step and the one before.
        stand_step(&s, dt, &ground);
        const double from = s.u.feet[0].height.value;
        assert_true(from >= 0.0 && from <= 0.05);
        const double v = s.u.feet[0].height.velocity;
        for (int i = 1; i <= (int)(0.2 * rates[k]); ++i)
        {
            stand_step(&s, dt, &ground);
            const double t = i * dt, y = from - 0.05;
            const double expected = 0.05 + (y + (v + rate * y) * t) * exp(-rate * t);
            assert_near(s.u.feet[0].height.value, expected, 1e-12);
            assert_near(stand_joint(&s, s.w.legs[0].toe).y - stand_source(&s, s.w.legs[0].toe).y, expected, 2e-3);
        }
        walker_release(&s.made);
    }
}

// A walk over slopes sampled at 30 to 240 Hz is at the same place at the times they share.
static void test_adapt_update__rates_agree(void** state)
{
    (void)state;
    enum
    {
        RATES = 4,
        TIMES = 60
    };
    const double rates[RATES] = {240.0, 120.0, 60.0, 30.0};
    static double toe[RATES][TIMES], hips[RATES][TIMES];
    const support_ground slope = support_slope(12.0, 0.3);
    const sft_ground ground = support_ground_of(&slope);
    for (int k = 0; k < RATES; ++k)
    {
        walker made;
        walker_def def = walker_default_def();
        def.fps = rates[k];
        def.frames = (int32_t)(TIMES * rates[k] / 30.0);
        assert_int_equal(walker_create(&def, &made), SFT_OK);
        const walk w = walk_of(&made);
        sft_clip* out = walk_copy(&w);
        update_run u = update_begin();
        update_clip(&u, &w, &ground, out);
        for (int i = 0; i < TIMES; ++i)
        {
            const size_t base = (size_t)(i * (int)(rates[k] / 30.0)) * WALKER_JOINTS;
            toe[k][i] =
                sft_skeleton_joint_model(w.skeleton, out->translations + base, out->rotations + base, w.legs[0].toe)
                    .t.y;
            hips[k][i] = out->translations[base].y;
        }
        sft_clip_destroy(out, NULL);
        walker_release(&made);
    }
    double worst_toe[RATES] = {0}, worst_hips[RATES] = {0};
    for (int k = 1; k < RATES; ++k)
        for (int i = 4; i < TIMES; ++i)
        {
            worst_toe[k] = sft_maxd(worst_toe[k], fabs(toe[k][i] - toe[0][i]));
            worst_hips[k] = sft_maxd(worst_hips[k], fabs(hips[k][i] - hips[0][i]));
        }
    printf("rates against 240 Hz: toes %.2f %.2f %.2f cm, pelvis %.2f %.2f %.2f cm\n", 100 * worst_toe[1],
           100 * worst_toe[2], 100 * worst_toe[3], 100 * worst_hips[1], 100 * worst_hips[2], 100 * worst_hips[3]);
    // Contacts that begin between two frames are seen a frame late: at 30 Hz that is 33 ms.
    assert_true(worst_toe[1] < 0.005 && worst_toe[2] < 0.01 && worst_toe[3] < 0.03);
    assert_true(worst_hips[1] < 0.005 && worst_hips[2] < 0.01 && worst_hips[3] < 0.02);
}

static void test_adapt_update__pause_and_long_steps(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    floor_ground g = level(0.0);
    const sft_ground ground = {floor_query, &g};
    stand_step(&s, 0.0, &ground);
    g = level(0.08);
    stand_steps(&s, 0.05, 1.0 / 60.0, &ground);
    const double before = s.u.feet[0].height.value, speed = s.u.feet[0].height.velocity;
    const sft_v3d toe = stand_joint(&s, s.w.legs[0].toe);
    for (int i = 0; i < 20; ++i)
        stand_step(&s, 0.0, &ground);
    assert_true(s.u.feet[0].height.value == before && s.u.feet[0].height.velocity == speed);
    const sft_v3d paused = stand_joint(&s, s.w.legs[0].toe);
    assert_memory_equal(&toe, &paused, sizeof toe);
    // Hours asleep.
    stand_step(&s, 20000.0, &ground);
    assert_near(s.u.feet[0].height.value, 0.08, 1e-4);
    stand_step(&s, 20000.0, &ground);
    assert_near(s.u.feet[0].height.value, 0.08, 1e-9);
    // And steps of a nanosecond.
    for (int i = 0; i < 50; ++i)
        stand_step(&s, 1e-9, &ground);
    assert_near(s.u.feet[0].height.value, 0.08, 1e-9);
    walker_release(&s.made);
}

static void test_adapt_update__a_teleport_starts_on_the_ground(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    floor_ground g = level(0.0);
    const sft_ground ground = {floor_query, &g};
    stand_steps(&s, 0.3, 1.0 / 60.0, &ground);
    g = level(0.12);
    memset(s.u.feet, 0, sizeof s.u.feet);
    memset(&s.u.body, 0, sizeof s.u.body);
    stand_step(&s, 1.0 / 60.0, &ground);
    for (int l = 0; l < 2; ++l)
        assert_near(stand_joint(&s, s.w.legs[l].toe).y - stand_source(&s, s.w.legs[l].toe).y, 0.12, 1e-9);
    assert_near(stand_joint(&s, 0).y - stand_source(&s, 0).y, 0.12, 1e-9);
    walker_release(&s.made);
}

// ---- standing ----

// One foot on a kerb, the other below: the pelvis comes down until both reach, and knees are never straighter than
// allowed.
static void test_adapt_update__the_pelvis_sinks_until_all_legs_reach(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    const floor_ground g = {0.0, -0.16, ALWAYS, 0, {0, 1, 0}};
    const sft_ground ground = {floor_query, &g};
    stand_steps(&s, 1.5, 1.0 / 60.0, &ground);
    for (int l = 0; l < 2; ++l)
    {
        const sft_leg* leg = s.w.legs + l;
        const sft_v3d source = stand_source(&s, leg->toe), toe = stand_joint(&s, leg->toe);
        assert_near(toe.y - source.y, source.x < 0.0 ? -0.16 : 0.0, 1e-6);
        assert_near(toe.x, source.x, 1e-6);
        assert_near(toe.z, source.z, 1e-6);
        const sft_v3d hip = stand_joint(&s, leg->hip), knee = stand_joint(&s, leg->knee),
                      heel = stand_joint(&s, leg->heel);
        const double chain = sft_v3d_distance(hip, knee) + sft_v3d_distance(knee, heel);
        assert_true(sft_v3d_distance(hip, heel) <= 0.9951 * chain);
    }
    assert_true(s.u.report.pelvis_shift < -0.05 && s.u.report.pelvis_shift > -0.25);
    assert_true(s.u.report.heel_lift < 0.01);
    walker_release(&s.made);
}

// A foot in support keeps its foothold while the body turns and sways over it (USERS 31).
static void test_adapt_update__a_held_foot_does_not_move_with_the_body(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    const support_ground rough = {.kind = SUPPORT_GROUND_ROUGH, .rise = 0.04, .run = 0.5};
    const sft_ground ground = support_ground_of(&rough);
    sft_v3d toes[2];
    for (int l = 0; l < 2; ++l)
        toes[l] = stand_source(&s, s.w.legs[l].toe);
    assert_int_equal(stand_try(&s, 0.0, &ground, toes, NULL), SFT_OK);
    const sft_adapt_foothold held = s.u.feet[0].held;
    const sft_v3d toe = stand_joint(&s, s.w.legs[0].toe);
    for (int i = 0; i < 120; ++i)
    {
        s.offset = sft_v3d_make(0.03 * sin(0.05 * i), 0.0, 0.04 * sin(0.07 * i));
        assert_int_equal(stand_try(&s, 1.0 / 60.0, &ground, toes, NULL), SFT_OK);
        assert_memory_equal(&held, &s.u.feet[0].held, sizeof held);
        assert_true(sft_v3d_distance(stand_joint(&s, s.w.legs[0].toe), toe) < 1e-6);
    }
    walker_release(&s.made);
}

// A lift: feet and pelvis go along at once, not after the time of smoothing.
static void test_adapt_update__feet_ride_a_moving_body(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    floor_ground g = level(0.0);
    g.body = 3;
    const sft_ground ground = {floor_query, &g};
    stand_step(&s, 0.0, &ground);
    for (int i = 1; i <= 60; ++i)
    {
        g.height = g.right = 0.004 * i;
        stand_step(&s, 1.0 / 60.0, &ground);
        for (int l = 0; l < 2; ++l)
        {
            const int32_t toe = s.w.legs[l].toe;
            assert_near(stand_joint(&s, toe).y - stand_source(&s, toe).y, g.height, 1e-6);
        }
        assert_near(stand_joint(&s, 0).y - stand_source(&s, 0).y, g.height, 1e-6);
    }
    walker_release(&s.made);
}

// The character's floor jumps up a kerb, as controllers do: nothing visible jumps.
static void test_adapt_update__a_floor_that_jumps_moves_nothing_at_once(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    floor_ground g = level(0.0);
    const sft_ground ground = {floor_query, &g};
    stand_steps(&s, 0.1, 1.0 / 60.0, &ground);
    const sft_v3d toe = stand_joint(&s, s.w.legs[0].toe), hips = stand_joint(&s, 0);
    s.offset.y = s.u.def.floor = 0.15;
    stand_step(&s, 1.0 / 60.0, &ground);
    assert_near(stand_joint(&s, s.w.legs[0].toe).y, toe.y, 1e-6);
    assert_near(stand_joint(&s, 0).y, hips.y, 1e-3);
    walker_release(&s.made);
}

// ---- ground that is not there ----

// It vanishes and comes back: the source's pose, to the last bit, and no step on the way (USERS 30: dangling legs).
static void test_adapt_update__lost_ground_gives_the_source_back(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    floor_ground g = level(0.1);
    const sft_ground ground = {floor_query, &g};
    const int32_t toe = s.w.legs[0].toe;
    stand_steps(&s, 0.1, 1.0 / 120.0, &ground);
    double last = stand_joint(&s, toe).y, most = 0.0, speed = 0.0, jolt = 0.0;
    for (int i = 0; i < 480; ++i)
    {
        g.edge_z = i < 240 ? -ALWAYS : ALWAYS;
        stand_step(&s, 1.0 / 120.0, &ground);
        const double now = stand_joint(&s, toe).y;
        most = sft_maxd(most, fabs(now - last));
        jolt = sft_maxd(jolt, fabs(now - last - speed));
        speed = now - last;
        last = now;
        if (i == 239) assert_true(stand_is_source(&s));
        if (i > 4 && i < 239) assert_int_equal(s.u.report.lost, 3);
    }
    assert_int_equal(s.u.report.lost, 0);
    assert_near(stand_joint(&s, toe).y - stand_source(&s, toe).y, 0.1, 1e-4);
    // Critically damped over 0.1 m: speed at most 0.1 rate / e, and no step in it but what the rate allows.
    const double rate = 5.0 / s.u.def.smooth_time, dt = 1.0 / 120.0;
    assert_true(most <= 1.05 * 0.1 * rate / exp(1.0) * dt);
    assert_true(jolt <= 1.05 * 0.1 * rate * rate * dt * dt);
    walker_release(&s.made);
}

// Toes over a ledge: no foot hangs below it or stands in the air beside it.
static void test_adapt_update__a_foot_over_a_ledge_keeps_to_the_source(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    floor_ground g = level(0.06);
    const sft_ground ground = {floor_query, &g};
    // The front foot's toe is beyond the edge, the other's is not.
    const double z[2] = {stand_source(&s, s.w.legs[0].toe).z, stand_source(&s, s.w.legs[1].toe).z};
    const int front = z[0] > z[1] ? 0 : 1;
    g.edge_z = 0.5 * (z[0] + z[1]);
    stand_steps(&s, 1.0, 1.0 / 60.0, &ground);
    assert_int_equal(s.u.report.lost, UINT64_C(1) << front);
    const int32_t back = s.w.legs[1 - front].toe, over = s.w.legs[front].toe;
    assert_near(stand_joint(&s, back).y - stand_source(&s, back).y, 0.06, 1e-6);
    // The dangling foot rides with the body as the animation has it.
    const double pelvis = stand_joint(&s, 0).y - stand_source(&s, 0).y;
    assert_near(stand_joint(&s, over).y - stand_source(&s, over).y, pelvis, 1e-9);
    walker_release(&s.made);
}

// A user's ground that lies is no ground.
static void test_adapt_update__hits_without_numbers_are_no_ground(void** state)
{
    (void)state;
    const floor_ground lies[] = {
        {NAN, NAN, ALWAYS, 0, {0, 1, 0}},
        {0.1, 0.1, ALWAYS, 0, {0, 0, 0}},
        {0.1, 0.1, ALWAYS, 0, {NAN, 1, 0}},
        {0.1, 0.1, ALWAYS, 0, {0, INFINITY, 0}},
    };
    for (size_t k = 0; k < sizeof lies / sizeof lies[0]; ++k)
    {
        stand s;
        stand_up(&s);
        const sft_ground ground = {floor_query, &lies[k]};
        stand_steps(&s, 0.2, 1.0 / 60.0, &ground);
        assert_int_equal(s.u.report.lost, 3);
        assert_true(stand_is_source(&s));
        walker_release(&s.made);
    }
}

// ---- bad input ----

static void refused(stand* s, sft_result expected, double dt, const sft_ground* ground, const sft_v3d* toes,
                    const double* weights)
{
    const update_run before = s->u;
    assert_int_equal(stand_try(s, dt, ground, toes, weights), expected);
    assert_memory_equal(&before, &s->u, sizeof before);
    assert_true(stand_is_source(s) || isnan(s->offset.y));
}

static void test_adapt_update__bad_input_is_refused_untouched(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    const floor_ground g = level(0.1);
    const sft_ground ground = {floor_query, &g}, none = {NULL, NULL};
    stand_steps(&s, 0.1, 1.0 / 60.0, &ground);
    const sft_v3d nowhere[2] = {{0, 0, 0}, {NAN, 0, 0}};
    const double heavy[2] = {1.0, 1.5}, odd[2] = {NAN, 1.0};
    refused(&s, SFT_ERR_RANGE, -0.1, &ground, NULL, NULL);
    refused(&s, SFT_ERR_RANGE, NAN, &ground, NULL, NULL);
    refused(&s, SFT_ERR_RANGE, INFINITY, &ground, NULL, NULL);
    refused(&s, SFT_ERR_ARG, 0.1, &none, NULL, NULL);
    refused(&s, SFT_ERR_ARG, 0.1, NULL, NULL, NULL);
    refused(&s, SFT_ERR_RANGE, 0.1, &ground, nowhere, NULL);
    refused(&s, SFT_ERR_RANGE, 0.1, &ground, NULL, heavy);
    refused(&s, SFT_ERR_RANGE, 0.1, &ground, NULL, odd);
    const update_run good = s.u;
    s.u.feet[1].height.value = NAN;
    assert_int_equal(stand_try(&s, 0.1, &ground, NULL, NULL), SFT_ERR_RANGE);
    s.u = good;
    s.u.body.rise.velocity = INFINITY;
    assert_int_equal(stand_try(&s, 0.1, &ground, NULL, NULL), SFT_ERR_RANGE);
    s.u = good;
    s.u.def.cookie = 0;
    assert_int_equal(stand_try(&s, 0.1, &ground, NULL, NULL), SFT_ERR_DEF);
    s.u = good;
    s.offset.y = NAN;
    refused(&s, SFT_ERR_RANGE, 0.1, &ground, NULL, NULL);
    walker_release(&s.made);
}

static void test_adapt_update__scratch_is_asked_for_and_kept_to(void** state)
{
    (void)state;
    stand s;
    stand_up(&s);
    const floor_ground g = level(0.1);
    const sft_ground ground = {floor_query, &g};
    const size_t size = sft_adapt_scratch_size(s.w.skeleton, 2), base = (size_t)s.frame * WALKER_JOINTS;
    assert_true(sft_adapt_scratch_size(s.w.skeleton, 0) == 0);
    assert_true(sft_adapt_scratch_size(s.w.skeleton, SFT_MAX_LEGS + 1) == 0);
    unsigned char* memory = malloc(size + 64);
    assert_non_null(memory);
    memset(memory, 0x5a, size + 64);
    memcpy(s.t, s.w.clip->translations + base, sizeof s.t);
    memcpy(s.r, s.w.clip->rotations + base, sizeof s.r);
    const sft_adapt_input in = {s.w.skeleton, s.w.legs, 2, s.contacts, NULL, NULL, &ground};
    assert_int_equal(sft_adapt_update(&s.u.def, &in, 0.0, &s.u.body, s.u.feet, s.t, s.r, memory, size - 1, NULL),
                     SFT_ERR_MEMORY);
    assert_true(stand_is_source(&s) && !s.u.body.started);
    assert_int_equal(sft_adapt_update(&s.u.def, &in, 0.0, &s.u.body, s.u.feet, s.t, s.r, memory, size, NULL), SFT_OK);
    assert_false(stand_is_source(&s));
    for (size_t i = size; i < size + 64; ++i)
        assert_int_equal(memory[i], 0x5a);
    free(memory);
    walker_release(&s.made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_update__level_ground_at_the_floor_keeps_every_bit),
        cmocka_unit_test(test_adapt_update__weight_zero_keeps_every_bit),
        cmocka_unit_test(test_adapt_update__a_step_is_followed_in_closed_form_at_any_rate),
        cmocka_unit_test(test_adapt_update__rates_agree),
        cmocka_unit_test(test_adapt_update__pause_and_long_steps),
        cmocka_unit_test(test_adapt_update__a_teleport_starts_on_the_ground),
        cmocka_unit_test(test_adapt_update__the_pelvis_sinks_until_all_legs_reach),
        cmocka_unit_test(test_adapt_update__a_held_foot_does_not_move_with_the_body),
        cmocka_unit_test(test_adapt_update__feet_ride_a_moving_body),
        cmocka_unit_test(test_adapt_update__a_floor_that_jumps_moves_nothing_at_once),
        cmocka_unit_test(test_adapt_update__lost_ground_gives_the_source_back),
        cmocka_unit_test(test_adapt_update__a_foot_over_a_ledge_keeps_to_the_source),
        cmocka_unit_test(test_adapt_update__hits_without_numbers_are_no_ground),
        cmocka_unit_test(test_adapt_update__bad_input_is_refused_untouched),
        cmocka_unit_test(test_adapt_update__scratch_is_asked_for_and_kept_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
