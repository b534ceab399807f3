// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Walks put onto grounds frame by frame, judged on the poses that come out. The run time does not know what comes, so
// its limits are weaker than those of whole clips (test_adapt_clip.c), and of the source what it keeps it keeps with
// its faults: a foot that floats over its own floor floats as much over the ground.

#include "sample/walker.h"
#include "support/adapt_figures.h"
#include "support/gait.h"
#include "support/update_run.h"

static walk walk_of(const walker* made)
{
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .first = made->first_frame};
    w.labels = (sft_contact_labels*)&made->labels;
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    return w;
}

static void heading_of(const walk* w, sft_v3d* start, sft_v3d* middle, sft_v3d* heading)
{
    sft_v3d* at = calloc((size_t)w->clip->frame_count, sizeof *at);
    assert_non_null(at);
    sft_clip_joint_track(w->skeleton, w->clip, w->legs[0].pelvis, at);
    const sft_v3d from = at[w->first], to = at[w->clip->frame_count - 1];
    *heading = sft_v3d_sub(to, from);
    heading->y = 0.0;
    *heading = sft_v3d_normalize_or(*heading, sft_v3d_make(0, 0, 1));
    *middle = sft_v3d_lerp(from, to, 0.5);
    *start = from;
    middle->y = start->y = 0.0;
    free(at);
}

// Limits, each over what the source has itself.
typedef struct limits
{
    double support_cm, sunk_cm, tilt_degrees, jerk, miss_cm, lift_degrees;
} limits;

static bool judge(const char* title, const walk* w, const support_ground* g, const limits* most)
{
    const support_ground flat = support_slope(0.0, 0.0);
    const sft_ground ground = support_ground_of(g);
    sft_clip* out = walk_copy(w);
    update_run u = update_begin();
    update_clip(&u, w, &ground, out);
    const adapt_figures was = adapt_measure(w, w->clip, &flat), f = adapt_measure(w, out, g);
    const double support = f.support_cm - was.support_cm, sunk = f.sunk_cm - was.sunk_cm;
    printf("%-18s support %5.2f sunk %5.2f cm, tilt %5.1f deg, straightest %.4f (%.4f), jerk %5.2f, miss %.2f cm, heel "
           "lifted %4.1f deg\n",
           title, support, sunk, f.tilt_degrees, f.straightest, was.straightest, f.jerk, 100.0 * u.toe_miss,
           u.heel_lift * 180.0 / SFT_PI);
    sft_clip_destroy(out, NULL);
    const bool ok = support <= most->support_cm && sunk <= most->sunk_cm && f.tilt_degrees <= most->tilt_degrees &&
                    f.straightest <= sft_maxd(was.straightest, 0.995) + 1e-6 && f.jerk <= most->jerk &&
                    100.0 * u.toe_miss <= most->miss_cm && u.heel_lift * 180.0 / SFT_PI <= most->lift_degrees;
    if (!ok) print_error("%s: beyond its limits\n", title);
    return ok;
}

// What a walk may cost: what is asked of whole clips, but for the sole in the first sixth of a second on a slope of 15
// degrees and more, where a walk begins in mid-stride and the pelvis was not down yet; the heel of a trailing leg
// lifts.
static const limits on_slopes = {0.5, 0.5, 4.0, 1.5, 0.1, 11.0};
static const limits on_stairs = {0.5, 0.5, 2.0, 3.0, 0.1, 2.0};
// Treads half as deep: a swing passes five of them, and lands where an edge may be.
static const limits on_steep_stairs = {1.0, 2.0, 2.0, 4.5, 0.1, 2.0};
// Half a second of a walk of long strides keyed by hand at 24 frames a second, which begins with both feet in the air:
// all of it is the beginning. Its pelvis goes all but straight, and so little jerk is soon exceeded.
static const limits on_slopes_by_hand = {1.0, 2.4, 2.0, 3.2, 2.0, 40.1};
static const limits on_stairs_by_hand = {0.5, 0.6, 2.0, 3.0, 0.1, 2.0};
static const limits on_rough = {0.7, 0.5, 3.0, 2.0, 0.1, 2.0};

// `steep` may be null.
static bool judge_all(const walk* w, const limits* slopes, const limits* stairs, const limits* steep)
{
    char title[64];
    bool ok = true;
    sft_v3d start, middle, heading;
    heading_of(w, &start, &middle, &heading);
    for (int degrees = -20; degrees <= 20; degrees += 5)
        for (int way = 0; way < 3 && degrees != 0; ++way)
        {
            const double across = way * SFT_PI / 4.0;
            support_ground g = support_slope(degrees, sft_atan2(heading.x, heading.z) + across);
            g.origin = start;
            snprintf(title, sizeof title, "slope %d at %d", degrees, way * 45);
            ok = judge(title, w, &g, slopes) && ok;
        }
    for (int up = 1; up >= -1; up -= 2)
    {
        const support_ground g = {
            .kind = SUPPORT_GROUND_STAIRS, .rise = 0.15 * up, .run = 0.65, .origin = middle, .heading = heading};
        ok = judge(up > 0 ? "stairs up" : "stairs down", w, &g, stairs) && ok;
    }
    for (int up = 1; up >= -1 && steep != NULL; up -= 2)
    {
        const support_ground g = {
            .kind = SUPPORT_GROUND_STAIRS, .rise = 0.15 * up, .run = 0.325, .origin = middle, .heading = heading};
        ok = judge(up > 0 ? "steep stairs up" : "steep stairs down", w, &g, steep) && ok;
    }
    const support_ground rough = {.kind = SUPPORT_GROUND_ROUGH, .rise = 0.03, .run = 0.9};
    const support_ground gap = {
        .kind = SUPPORT_GROUND_GAP, .run = 0.2, .width = 0.15, .origin = middle, .heading = heading};
    ok = judge("rough", w, &rough, &on_rough) && ok;
    return judge("gap", w, &gap, &on_slopes) && ok;
}

static void test_adapt_update_walks__the_walker(void** state)
{
    (void)state;
    static const double rates[] = {24.0, 30.0, 60.0, 120.0};
    bool ok = true;
    for (int k = 0; k < 4; ++k)
    {
        walker made;
        walker_def def = walker_default_def();
        def.fps = rates[k];
        def.frames = (int32_t)(4.0 * rates[k]);
        assert_int_equal(walker_create(&def, &made), SFT_OK);
        const walk w = walk_of(&made);
        printf("the walker at %g frames a second\n", rates[k]);
        // A foot that comes down astride an edge has no one foothold: at 24 and 30 frames a second one does.
        ok = judge_all(&w, &on_slopes, &on_stairs, rates[k] == 60.0 ? &on_steep_stairs : NULL) && ok;
        walker_release(&made);
    }
    assert_true(ok);
}

// Of 16 walks that meet the edges of stairs elsewhere: in how many a planted foot stands off the ground by
// over 7 mm more than in the source.
static int stand_off(const walk* w, double rise, double run, double step_aside, double* most_aside)
{
    const support_ground flat = support_slope(0.0, 0.0);
    const double was = adapt_measure(w, w->clip, &flat).support_cm;
    int count = 0;
    sft_v3d start, middle, heading;
    heading_of(w, &start, &middle, &heading);
    for (int k = 0; k < 16; ++k)
    {
        support_ground g = {.kind = SUPPORT_GROUND_STAIRS, .rise = rise, .run = run, .heading = heading};
        g.origin = sft_v3d_madd(middle, g.run * k / 16.0, heading);
        const sft_ground ground = support_ground_of(&g);
        update_run u = update_begin();
        u.def.step_aside = step_aside;
        sft_clip* out = walk_copy(w);
        update_clip(&u, w, &ground, out);
        count += adapt_measure(w, out, &g).support_cm - was > 0.7;
        for (int32_t l = 0; l < w->leg_count; ++l)
            *most_aside = sft_maxd(*most_aside, fabs(u.feet[l].aside[1].goal));
        sft_clip_destroy(out, NULL);
    }
    return count;
}

static void test_adapt_update_walks__real_walks(void** state)
{
    (void)state;
    static const char* const names[] = {"cmu_12_01_walk", "xia_neutral_01_000", "xia_strutting_01_000",
                                        "makehuman_walk1"};
    bool ok = true;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    {
        walk w;
        if (!walk_load(names[k], &w)) continue;
        printf("%s\n", names[k]);
        const bool by_hand = strcmp(names[k], "makehuman_walk1") == 0;
        ok =
            judge_all(&w, by_hand ? &on_slopes_by_hand : &on_slopes, by_hand ? &on_stairs_by_hand : &on_stairs, NULL) &&
            ok;
        double most = 0.0;
        const int without = stand_off(&w, -0.15, 0.65, 0.0, &most), with = stand_off(&w, -0.15, 0.65, 0.1, &most);
        printf("%s: stairs down, %d of 16 stood off, %d step aside\n", names[k], without, with);
        ok = with <= without && ok;
        walk_release(&w);
    }
    assert_true(ok);
}

// Feet that would come down on a tread by their heel alone step aside where that helps; up stairs, where the toes come
// down first, nothing changes.
static void test_adapt_update_walks__heels_do_not_stand_alone(void** state)
{
    (void)state;
    walker made;
    walker_def def = walker_default_def();
    def.fps = 30.0;
    def.frames = 120;
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    double none = 0.0, most = 0.0;
    const int without = stand_off(&w, -0.15, 0.65, 0.0, &none), with = stand_off(&w, -0.15, 0.65, 0.1, &most);
    const int up_without = stand_off(&w, 0.15, 0.65, 0.0, &none), up_with = stand_off(&w, 0.15, 0.65, 0.1, &most);
    printf("stairs down: %d of 16 walks stood off, %d step aside; up: %d and %d\n", without, with, up_without, up_with);
    assert_true(2 * with <= without);
    assert_true(up_with <= up_without);
    assert_true(none == 0.0 && most > 0.02 && most <= 0.1 + 1e-9);
    walker_release(&made);
}

// What a stride needs of the pelvis it keeps until the next one needs it too: on an even slope it does not bob.
static void test_adapt_update_walks__the_pelvis_stays_down_from_stride_to_stride(void** state)
{
    (void)state;
    walker made;
    const walker_def def = walker_default_def();
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    for (int up = -1; up <= 1; up += 2)
    {
        const support_ground g = support_slope(15.0 * up, 0.0);
        const sft_ground ground = support_ground_of(&g);
        update_run u = update_begin();
        sft_v3d t[WALKER_JOINTS];
        sft_quatd r[WALKER_JOINTS];
        double low = INFINITY, high = 0.0;
        for (int32_t i = w.first; i < w.clip->frame_count; ++i)
        {
            update_frame(&u, &w, i, i > w.first ? w.clip->frame_time : 0.0, &ground, t, r);
            if (i < 120) continue;
            low = sft_mind(low, u.body.drop.value);
            high = sft_maxd(high, u.body.drop.value);
        }
        printf("slope of %d: down by %.2f to %.2f cm\n", 15 * up, 100.0 * low, 100.0 * high);
        assert_true(low > 0.02);
        assert_true(high - low < 0.002);
    }
    // And gets up again once it is not needed.
    const support_ground g = support_slope(-15.0, 0.0), flat = support_slope(0.0, 0.0);
    const sft_ground slope = support_ground_of(&g), level = support_ground_of(&flat);
    update_run u = update_begin();
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
    for (int32_t i = w.first; i < 100; ++i)
        update_frame(&u, &w, i, w.clip->frame_time, &slope, t, r);
    const double was = u.body.drop.value;
    for (int32_t i = 100; i < 100 + 1200; ++i)
        update_frame(&u, &w, 100, w.clip->frame_time, &level, t, r);
    assert_true(was > 0.02 && u.body.drop.value < 1e-4);
    walker_release(&made);
}

// A walk that begins on a slope goes along it from its second frame on.
static void test_adapt_update_walks__a_walk_may_begin_on_a_slope(void** state)
{
    (void)state;
    walker made;
    const walker_def def = walker_default_def();
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    const support_ground g = support_slope(12.0, 0.0);
    const sft_ground ground = support_ground_of(&g);
    update_run u = update_begin();
    sft_v3d t[WALKER_JOINTS], hips[2] = {{0}};
    sft_quatd r[WALKER_JOINTS];
    for (int32_t i = w.first; i < w.first + 60; ++i)
    {
        const size_t base = (size_t)i * WALKER_JOINTS;
        update_frame(&u, &w, i, i > w.first ? w.clip->frame_time : 0.0, &ground, t, r);
        hips[0] = hips[1];
        hips[1] = w.clip->translations[base];
        const double due = g.rise_z * hips[1].z + g.rise_x * hips[1].x;
        // The support continued to below the hips is the slope there.
        if (fabs(u.body.rise.value - due) > 0.012) fail_msg("frame %d: %g m off the slope", i, u.body.rise.value - due);
        if (i == w.first + 1)
        {
            const double climb = g.rise_z * (hips[1].z - hips[0].z) / w.clip->frame_time;
            assert_true(fabs(u.body.rise.velocity - climb) < 0.1 * climb);
        }
    }
    walker_release(&made);
}

// Stairs shake (USERS 30): while the figure climbs, no joint of the leg and no pelvis makes a step in its velocity that
// the source and the followed height do not explain.
static void test_adapt_update_walks__stairs_do_not_shake(void** state)
{
    (void)state;
    walker made;
    walker_def def = walker_default_def();
    def.fps = 120.0;
    def.frames = 480;
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    const support_ground g = {
        .kind = SUPPORT_GROUND_STAIRS, .rise = 0.15, .run = 0.65, .origin = {0, 0, 1.4}, .heading = {0, 0, 1}};
    const sft_ground ground = support_ground_of(&g);
    sft_clip* out = walk_copy(&w);
    update_run u = update_begin();
    update_clip(&u, &w, &ground, out);
    double worst_toe = 0.0, worst_pelvis = 0.0;
    const double dt = w.clip->frame_time;
    for (int32_t j = 0; j < 2; ++j)
    {
        const int32_t joint = j == 0 ? w.legs[0].toe : w.legs[0].pelvis;
        double now[3] = {0}, *worst = j == 0 ? &worst_toe : &worst_pelvis;
        for (int32_t i = 0; i < out->frame_count; ++i)
        {
            const size_t base = (size_t)i * WALKER_JOINTS;
            now[0] = now[1], now[1] = now[2];
            now[2] =
                sft_skeleton_joint_model(w.skeleton, out->translations + base, out->rotations + base, joint).t.y -
                sft_skeleton_joint_model(w.skeleton, w.clip->translations + base, w.clip->rotations + base, joint).t.y;
            if (i >= 2) *worst = sft_maxd(*worst, fabs(now[2] - 2.0 * now[1] + now[0]) / (dt * dt));
        }
    }
    const double rate = 5.0 / u.def.smooth_time;
    printf("acceleration added: toe %.0f, pelvis %.1f m/s^2\n", worst_toe, worst_pelvis);
    // A step of 0.15 m followed at that rate; two of them at once at most.
    assert_true(worst_toe <= 2.0 * 0.15 * rate * rate);
    assert_true(worst_pelvis <= 2.0 * 0.15 * rate * rate / 9.0);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// Toes hang downhill (USERS 30): planted on stairs down, heel, toe and toe end are all on the tread or over its edge,
// never below it, and the sole is level; on a slope down toe and toe end both touch.
static void test_adapt_update_walks__toes_do_not_hang_downhill(void** state)
{
    (void)state;
    walker made;
    const walker_def def = walker_default_def();
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    const support_ground g = support_slope(-15.0, 0.0);
    const sft_ground ground = support_ground_of(&g);
    sft_clip* out = walk_copy(&w);
    update_run u = update_begin();
    update_clip(&u, &w, &ground, out);
    for (int32_t l = 0; l < 2; ++l)
        for (int32_t i = 30; i < out->frame_count; ++i)
        {
            if (!(w.labels->plant[l * out->frame_count + i] > 0.75f)) continue;
            const size_t base = (size_t)i * WALKER_JOINTS;
            const int32_t joints[2] = {w.legs[l].toe, w.legs[l].toe_end};
            for (int k = 0; k < 2; ++k)
            {
                const sft_v3d p =
                    sft_skeleton_joint_model(w.skeleton, out->translations + base, out->rotations + base, joints[k]).t;
                const sft_v3d from = sft_skeleton_joint_model(w.skeleton, w.clip->translations + base,
                                                              w.clip->rotations + base, joints[k])
                                         .t;
                double y = 0.0;
                assert_true(support_ground_height(&g, p.x, p.z, &y, NULL));
                const double off = (p.y - y) * cos(15.0 * SFT_PI / 180.0) - from.y;
                if (!(fabs(off) < 0.005)) fail_msg("frame %d leg %d: %g m off the ground that it had", i, l, off);
            }
        }
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// Up a slope with a pelvis that may hardly sink, trailing legs are short and their heels lift: the toes stay on the
// slope as they lay on the floor, whose height over it is known, and do not dig in with the foot that turns about them.
static void test_adapt_update_walks__toes_lie_while_the_heel_lifts(void** state)
{
    (void)state;
    walker made;
    const walker_def def = walker_default_def();
    assert_int_equal(walker_create(&def, &made), SFT_OK);
    const walk w = walk_of(&made);
    const support_ground g = support_slope(12.0, 0.0);
    const sft_ground ground = support_ground_of(&g);
    sft_clip* out = walk_copy(&w);
    update_run u = update_begin();
    u.def.pelvis_drop_max = 0.01;
    update_clip(&u, &w, &ground, out);
    assert_true(u.heel_lift > 0.15);
    for (int32_t l = 0; l < 2; ++l)
        for (int32_t i = 30; i < out->frame_count; ++i)
        {
            if (!(w.labels->plant[l * out->frame_count + i] > 0.75f)) continue;
            const size_t base = (size_t)i * WALKER_JOINTS;
            const sft_v3d p =
                sft_skeleton_joint_model(w.skeleton, out->translations + base, out->rotations + base, w.legs[l].toe_end)
                    .t;
            const sft_v3d from = sft_skeleton_joint_model(w.skeleton, w.clip->translations + base,
                                                          w.clip->rotations + base, w.legs[l].toe_end)
                                     .t;
            double y = 0.0;
            assert_true(support_ground_height(&g, p.x, p.z, &y, NULL));
            const double off = (p.y - y) * cos(12.0 * SFT_PI / 180.0) - from.y;
            if (!(fabs(off) < 0.005)) fail_msg("frame %d leg %d: %g m off the ground that it had", i, l, off);
        }
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// Four, six and eight legs, with toes and without: level ground keeps every bit, slopes and bumps are stood on.
static void test_adapt_update_walks__any_number_of_legs(void** state)
{
    (void)state;
    static const char* const titles[] = {"horse, anatomical names", "dog, body-model names", "crab with claws"};
    for (size_t k = 0; k < sizeof titles / sizeof titles[0]; ++k)
    {
        gait made;
        gait_def def = gait_default();
        def.frames = 120;
        if (k == 2) def.stride = 0.2;
        gait_create(&def, titles[k], NULL, &made);
        walk w = {.skeleton = made.skeleton, .clip = made.clip, .leg_count = made.leg_count, .labels = made.labels};
        memcpy(w.legs, made.legs, sizeof made.legs);
        const size_t cells = (size_t)w.clip->joint_count * (size_t)w.clip->frame_count;
        const support_ground flat = support_slope(0.0, 0.0), slope = support_slope(8.0, 0.5);
        sft_clip* out = walk_copy(&w);
        sft_ground ground = support_ground_of(&flat);
        update_run u = update_begin();
        update_clip(&u, &w, &ground, out);
        assert_memory_equal(out->translations, w.clip->translations, cells * sizeof *out->translations);
        assert_memory_equal(out->rotations, w.clip->rotations, cells * sizeof *out->rotations);
        const adapt_figures was = adapt_measure(&w, out, &flat);
        ground = support_ground_of(&slope);
        u = update_begin();
        update_clip(&u, &w, &ground, out);
        const adapt_figures f = adapt_measure(&w, out, &slope);
        printf("%s, %d legs: support %.2f cm over the source's %.2f, miss %.2f cm\n", titles[k], w.leg_count,
               f.support_cm - was.support_cm, was.support_cm, 100.0 * u.toe_miss);
        assert_true(f.support_cm - was.support_cm <= 2.0);
        assert_true(u.toe_miss <= 0.01);
        sft_clip_destroy(out, NULL);
        gait_release(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_update_walks__the_walker),
        cmocka_unit_test(test_adapt_update_walks__real_walks),
        cmocka_unit_test(test_adapt_update_walks__heels_do_not_stand_alone),
        cmocka_unit_test(test_adapt_update_walks__the_pelvis_stays_down_from_stride_to_stride),
        cmocka_unit_test(test_adapt_update_walks__a_walk_may_begin_on_a_slope),
        cmocka_unit_test(test_adapt_update_walks__stairs_do_not_shake),
        cmocka_unit_test(test_adapt_update_walks__toes_do_not_hang_downhill),
        cmocka_unit_test(test_adapt_update_walks__toes_lie_while_the_heel_lifts),
        cmocka_unit_test(test_adapt_update_walks__any_number_of_legs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
