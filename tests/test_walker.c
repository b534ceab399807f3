// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The synthetic walker is what other tests measure against, so it is measured first.

#include "support/support.h"

#include "sample/walker.h"

typedef struct tracks
{
    sft_v3d* at[2][3]; // [side][heel, toe, toe end]
} tracks;

static tracks tracks_of(const walker* w)
{
    tracks t;
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
        {
            t.at[side][k] = calloc((size_t)w->clip->frame_count, sizeof(sft_v3d));
            const int joint = (side == 0 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP) + 2 + k;
            sft_clip_joint_track(w->skeleton, w->clip, joint, t.at[side][k]);
        }
    return t;
}

static void tracks_free(tracks* t)
{
    for (int side = 0; side < 2; ++side)
        for (int k = 0; k < 3; ++k)
            free(t->at[side][k]);
}

static void check_pose_follows_formula(const walker_def* def)
{
    walker w;
    assert_int_equal(walker_create(def, &w), SFT_OK);
    tracks t = tracks_of(&w);
    for (int32_t f = w.first_frame; f < def->frames; ++f)
        for (int side = 0; side < 2; ++side)
        {
            const walker_foot foot = walker_foot_at(def, side, (double)(f - w.first_frame) / def->fps);
            assert_true(sft_v3d_distance(t.at[side][0][f], foot.heel) < 1e-12);
            assert_true(sft_v3d_distance(t.at[side][1][f], foot.toe) < 1e-12);
            assert_true(sft_v3d_distance(t.at[side][2][f], foot.toe_end) < 1e-12);
        }
    tracks_free(&t);
    walker_release(&w);
}

static void test_walker__pose_follows_formula(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    check_pose_follows_formula(&def);
    def.reference = true;
    def.heading = 2.1;
    def.start = 0.37;
    check_pose_follows_formula(&def);
    def.rise = 0.16;
    def.step_length = 0.45;
    def.speed = 0.7;
    check_pose_follows_formula(&def);
    def.rise = 0.0;
    def.slope = 0.12;
    check_pose_follows_formula(&def);
    def.slope = -0.12;
    def.treadmill = true;
    check_pose_follows_formula(&def);
}

static void test_walker__planted_points_are_still(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.frames = 600;
    def.rise = 0.1;
    def.step_length = 0.5;
    walker w;
    assert_int_equal(walker_create(&def, &w), SFT_OK);
    tracks t = tracks_of(&w);
    int planted = 0;
    for (int side = 0; side < 2; ++side)
        for (int32_t f = 1; f < def.frames; ++f)
        {
            const float* plant = w.labels.plant + side * def.frames;
            if (plant[f] < 0.5f || plant[f - 1] < 0.5f) continue;
            planted += 1;
            // Toe and toe end both: toes stay flat while the heel rises.
            assert_true(sft_v3d_distance(t.at[side][1][f], t.at[side][1][f - 1]) < 1e-12);
            assert_true(sft_v3d_distance(t.at[side][2][f], t.at[side][2][f - 1]) < 1e-12);
        }
    // 0.52 of the time on each foot.
    assert_in_range(planted, 540, 620);
    tracks_free(&t);
    walker_release(&w);
}

static void test_walker__swing_is_smooth_and_clears_the_ground(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    // Very short steps in time: a jump in position, speed or acceleration would stand out against the step.
    const double h = 1e-4;
    for (int side = 0; side < 2; ++side)
        for (double time = 0.0; time < 2.0; time += h)
        {
            sft_v3d p[4];
            for (int k = 0; k < 4; ++k)
            {
                const walker_foot foot = walker_foot_at(&def, side, time + h * (double)k);
                p[k] = foot.toe;
                // Toe end 0.012 m and toe 0.02 m above the sole when flat, heel 0.085 m.
                assert_true(foot.toe.y > 0.02 - 1e-9);
                assert_true(foot.toe_end.y > 0.012 - 1e-9);
                assert_true(foot.heel.y > 0.08);
                // The back of the heel never goes under the ground.
                const sft_v3d back = sft_quatd_rotate(foot.heel_r, sft_v3d_make(0.0, -0.085, -0.05));
                assert_true(foot.heel.y + back.y > -1e-9);
            }
            // Third difference / h^3 is the jerk: bounded where acceleration has no step.
            const sft_v3d third = sft_v3d_sub(sft_v3d_sub(p[3], p[0]), sft_v3d_scale(3.0, sft_v3d_sub(p[2], p[1])));
            assert_true(sft_v3d_length(third) / (h * h) < 4.0);
        }
}

static void test_walker__root_scale_scales_only_horizontal_travel(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    walker a, b;
    assert_int_equal(walker_create(&def, &a), SFT_OK);
    def.root_scale = 1.25;
    assert_int_equal(walker_create(&def, &b), SFT_OK);
    const sft_v3d p0 = a.clip->translations[0];
    for (int32_t f = 0; f < def.frames; ++f)
    {
        const sft_v3d p = a.clip->translations[f * WALKER_JOINTS], q = b.clip->translations[f * WALKER_JOINTS];
        assert_true(fabs(q.x - p0.x - 1.25 * (p.x - p0.x)) < 1e-12);
        assert_true(fabs(q.z - p0.z - 1.25 * (p.z - p0.z)) < 1e-12);
        assert_true(q.y == p.y);
    }
    const size_t cells = (size_t)def.frames * WALKER_JOINTS;
    assert_memory_equal(a.clip->rotations, b.clip->rotations, cells * sizeof(sft_quatd));
    walker_release(&a);
    walker_release(&b);
}

static void test_walker__treadmill_feet_ride_the_belt(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.treadmill = true;
    walker w;
    assert_int_equal(walker_create(&def, &w), SFT_OK);
    assert_true(fabs(w.ground_velocity.z + 1.3) < 1e-12);
    tracks t = tracks_of(&w);
    for (int32_t f = 1; f < def.frames; ++f)
    {
        if (w.labels.plant[f] < 0.5f || w.labels.plant[f - 1] < 0.5f) continue;
        const sft_v3d step = sft_v3d_sub(t.at[0][1][f], t.at[0][1][f - 1]);
        assert_true(sft_v3d_distance(step, sft_v3d_scale(1.0 / 60.0, w.ground_velocity)) < 1e-12);
    }
    tracks_free(&t);
    walker_release(&w);
}

static void test_walker__impossible_steps_are_refused(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    walker w;
    def.step_length = 2.5;
    assert_int_equal(walker_create(&def, &w), SFT_ERR_RANGE);
    def.step_length = -1.0;
    assert_int_equal(walker_create(&def, &w), SFT_ERR_RANGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walker__pose_follows_formula),
        cmocka_unit_test(test_walker__planted_points_are_still),
        cmocka_unit_test(test_walker__swing_is_smooth_and_clears_the_ground),
        cmocka_unit_test(test_walker__root_scale_scales_only_horizontal_travel),
        cmocka_unit_test(test_walker__treadmill_feet_ride_the_belt),
        cmocka_unit_test(test_walker__impossible_steps_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
