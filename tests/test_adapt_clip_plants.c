// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Plants that are not what one foothold for a still foot expects: feet on the spot, toes that rise, ground that bulges
// below the sole or climbs faster than one query looks up.

#include "sample/walker.h"
#include "support/adapt_figures.h"

static const double SOLE = 0.005; // [m] off the ground, either way

static walk walk_of(const walker_def* def, walker* made)
{
    assert_int_equal(walker_create(def, made), SFT_OK);
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .labels = &made->labels, .first = made->first_frame};
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

static sft_adapt_clip_report adapt_by(const sft_adapt_clip_def* def, const walk* w, const sft_ground* ground,
                                      sft_clip* out)
{
    sft_adapt_clip_report report;
    assert_int_equal(
        sft_adapt_clip(def, w->skeleton, w->legs, w->leg_count, w->labels, ground, NULL, out, NULL, &report), SFT_OK);
    assert_true(report.converged);
    return report;
}

static sft_xformd joint_at(const walk* w, const sft_clip* clip, int32_t joint, int32_t frame)
{
    const size_t base = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(w->skeleton, clip->translations + base, clip->rotations + base, joint);
}

static bool is_planted(const walk* w, int32_t leg, int32_t frame)
{
    return w->labels->plant[leg * w->labels->frame_count + frame] > 0.75f;
}

// On the spot the ground below a planted foot is another one at every frame: on a slope s the toe joint, h over
// the floor, stands h / cos(s) above it, where it was in plan.
static void test_adapt_clip_plants__on_the_spot_feet_ride_over_the_ground(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.treadmill = true;
    walker made;
    const walk w = walk_of(&def, &made);
    const int angles[] = {10, -10};
    for (int k = 0; k < 2; ++k)
        for (int way = 0; way < 2; ++way)
        {
            const support_ground g = support_slope(angles[k], way * SFT_PI / 2.0);
            const sft_ground ground = support_ground_of(&g);
            const sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
            sft_clip* out = walk_copy(&w);
            sft_adapt_clip_report report = adapt_by(&adapt_def, &w, &ground, out);
            assert_int_equal(report.miss_count, 0);
            for (int32_t l = 0; l < 2; ++l)
                for (int32_t i = 0; i < out->frame_count; ++i)
                {
                    if (!is_planted(&w, l, i)) continue;
                    const sft_v3d a = joint_at(&w, w.clip, w.legs[l].toe, i).t,
                                  b = joint_at(&w, out, w.legs[l].toe, i).t;
                    assert_true(fabs(a.x - b.x) < 1e-4 && fabs(a.z - b.z) < 1e-4);
                    const double y = b.x * g.rise_x + b.z * g.rise_z + a.y / cos(angles[k] * SFT_PI / 180.0);
                    if (!(fabs(b.y - y) < SOLE)) fail_msg("frame %d: toe %g m off", (int)i, b.y - y);
                }
            const adapt_figures f = adapt_measure(&w, out, &g);
            assert_true(f.support_cm <= 0.5 && f.sunk_cm <= 0.5 && f.tilt_degrees <= 2.0);
            sft_adapt_clip_report_release(&report, NULL);
            sft_clip_destroy(out, NULL);
        }
    walker_release(&made);
}

// Labels that hold on while the toe rises by up to 2 cm: what is called planted stays on the ground.
static void test_adapt_clip_plants__a_planted_toe_that_rises_is_held_down(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    walker made;
    const walk w = walk_of(&def, &made);
    int32_t more = 0;
    double risen = 0.0;
    for (int32_t l = 0; l < 2; ++l)
        for (int32_t i = 1; i < w.clip->frame_count; ++i)
        {
            if (is_planted(&w, l, i) || !is_planted(&w, l, i - 1)) continue;
            const double from = joint_at(&w, w.clip, w.legs[l].toe, i - 1).t.y;
            for (; i < w.clip->frame_count; ++i, ++more)
            {
                const double rise = joint_at(&w, w.clip, w.legs[l].toe, i).t.y - from;
                if (!(rise < 0.02)) break;
                risen = sft_maxd(risen, rise);
                w.labels->plant[l * w.labels->frame_count + i] = 1.0f;
            }
        }
    assert_true(more > 4 && risen > 0.01);
    const support_ground g = support_slope(8.0, 0.0);
    const sft_ground ground = support_ground_of(&g);
    const sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
    sft_clip* out = walk_copy(&w);
    sft_adapt_clip_report report = adapt_by(&adapt_def, &w, &ground, out);
    const adapt_figures f = adapt_measure(&w, out, &g);
    if (!(f.support_cm <= 0.5)) fail_msg("%g cm off the ground at frame %d", f.support_cm, (int)f.support_frame);
    assert_true(f.sunk_cm <= 0.5);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// ---- ground that bulges below the sole ----

// A tent across the way: `rise` high at `middle`, `half` long either way.
typedef struct tent
{
    double middle, half, rise;
} tent;

static double tent_height(const tent* t, double z)
{
    return t->rise * sft_maxd(0.0, 1.0 - fabs(z - t->middle) / t->half);
}

static bool tent_query(const void* data, sft_v3d origin, sft_v3d direction, double distance, double radius,
                       sft_ground_hit* hit)
{
    const tent* t = data;
    const double y = tent_height(t, origin.z), s = t->rise / t->half;
    if (direction.y != -1.0 || radius != 0.0 || y > origin.y || origin.y - y > distance) return false;
    const double slope = y > 0.0 ? (origin.z < t->middle ? s : -s) : 0.0, n = 1.0 / sqrt(1.0 + slope * slope);
    *hit = (sft_ground_hit){.point = sft_v3d_make(origin.x, y, origin.z),
                            .normal = sft_v3d_make(0, n, -slope * n),
                            .distance = origin.y - y,
                            .triangle = -1};
    return true;
}

// The sole's point below a joint that the heel's rotation carries: `least` square to the foot as it was turned.
static sft_v3d sole_point(const walk* w, const sft_clip* out, int32_t leg, int32_t joint, double least, int32_t frame)
{
    const sft_quatd a = joint_at(w, w->clip, w->legs[leg].heel, frame).r,
                    b = joint_at(w, out, w->legs[leg].heel, frame).r;
    const sft_v3d up = sft_quatd_rotate(sft_quatd_mul(b, sft_quatd_conjugate(a)), sft_v3d_make(0, 1, 0));
    return sft_v3d_madd(joint_at(w, out, joint, frame).t, -least, up);
}

// A stone of 2 cm under the middle of the foot: the sole lies on it and on its toe or heel, nowhere deeper than 5 mm.
static void test_adapt_clip_plants__a_stone_under_the_sole_carries_it(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    walker made;
    const walk w = walk_of(&def, &made);
    const int32_t n = w.clip->frame_count;
    const double stride = made.stride_time;
    // The left foot lies flat from 0.08 to 0.40 of its cycle.
    const walker_foot flat = walker_foot_at(&def, 0, 1.24 * stride);
    assert_true(flat.plant);
    const double rises[] = {0.012, 0.02, 0.03};
    for (int k = 0; k < 3; ++k)
    {
        const tent t = {0.5 * (flat.heel.z + flat.toe.z), 0.05, rises[k]};
        const sft_ground ground = {tent_query, &t};
        const sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
        sft_clip* out = walk_copy(&w);
        sft_adapt_clip_report report = adapt_by(&adapt_def, &w, &ground, out);
        const int32_t first = (int32_t)(1.10 * stride * def.fps), last = (int32_t)(1.38 * stride * def.fps);
        assert_true(last < n && is_planted(&w, 0, first) && is_planted(&w, 0, last));
        for (int32_t i = first; i <= last; ++i)
        {
            const sft_leg* g = w.legs;
            const sft_v3d heel = sole_point(&w, out, 0, g->heel, flat.heel.y, i);
            const sft_v3d toe = sole_point(&w, out, 0, g->toe, flat.toe.y, i);
            const double h = heel.y - tent_height(&t, heel.z), e = toe.y - tent_height(&t, toe.z);
            if (!(sft_mind(h, e) < SOLE && sft_mind(h, e) > -SOLE)) fail_msg("rise %g: %g or %g off", t.rise, h, e);
            for (double s = 0.0; s <= 1.0; s += 1.0 / 64.0)
            {
                const sft_v3d q = sft_v3d_lerp(heel, toe, s);
                if (!(q.y - tent_height(&t, q.z) > -SOLE))
                    fail_msg("rise %g: %g m through at %g of the sole", t.rise, tent_height(&t, q.z) - q.y, s);
            }
        }
        sft_adapt_clip_report_release(&report, NULL);
        sft_clip_destroy(out, NULL);
    }
    walker_release(&made);
}

// Two treads of 17 cm between two plants of a foot, and queries that begin 20 cm above it: the swing sees them yet.
static void test_adapt_clip_plants__a_swing_sees_what_it_climbs_to(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    walker made;
    const walk w = walk_of(&def, &made);
    const support_ground g = {
        .kind = SUPPORT_GROUND_STAIRS, .rise = 0.15, .run = 0.325, .origin = {0, 0, 0.5}, .heading = {0, 0, 1}};
    const sft_ground ground = support_ground_of(&g);
    sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
    adapt_def.foot.probe_up = 0.2;
    sft_clip* out = walk_copy(&w);
    sft_adapt_clip_report report = adapt_by(&adapt_def, &w, &ground, out);
    const adapt_figures f = adapt_measure(&w, out, &g);
    if (!(f.sunk_cm <= 0.5)) fail_msg("%g cm through at frame %d", f.sunk_cm, (int)f.sunk_frame);
    assert_true(f.support_cm <= 0.5);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    walker_release(&made);
}

// A drop between heel and toe of one plant: held by its heel alone, the foot would stand on nothing once the heel
// rises. It is moved to where its toe is carried, further than place_max if need be, but no further than the foot is
// long.
static void test_adapt_clip_plants__a_plant_carries_its_toe(void** state)
{
    (void)state;
    const walker_def def = walker_default_def();
    walker made;
    const walk w = walk_of(&def, &made);
    const walker_foot flat = walker_foot_at(&def, 0, 1.24 * made.stride_time);
    const double length = flat.toe_end.z - flat.heel.z;
    for (int k = 1; k <= 6; ++k)
    {
        const double edge = flat.heel.z + 0.02 * k; // the toe is beyond
        assert_true(edge < flat.toe.z);
        const support_ground g = {
            .kind = SUPPORT_GROUND_STAIRS, .rise = -0.12, .run = 100.0, .origin = {0, 0, edge}, .heading = {0, 0, 1}};
        const sft_ground ground = support_ground_of(&g);
        sft_adapt_clip_def adapt_def = sft_default_adapt_clip_def();
        adapt_def.place_max = 0.01;
        sft_clip* out = walk_copy(&w);
        sft_adapt_clip_report report = adapt_by(&adapt_def, &w, &ground, out);
        const adapt_figures f = adapt_measure(&w, out, &g);
        if (!(f.support_cm <= 0.5)) fail_msg("edge %d: %g cm off at frame %d", k, f.support_cm, (int)f.support_frame);
        assert_true(f.sunk_cm <= 0.5);
        assert_true(report.moved_plants >= 1 && report.place_shift_max <= length + 0.005);
        const int32_t lifted = (int32_t)(1.5 * made.stride_time * def.fps);
        assert_true(is_planted(&w, 0, lifted));
        const sft_v3d toe = joint_at(&w, out, w.legs[0].toe, lifted).t;
        const double below = toe.z < edge ? 0.0 : -0.12;
        assert_true(fabs(toe.y - flat.toe.y - below) < SOLE);
        sft_adapt_clip_report_release(&report, NULL);
        sft_clip_destroy(out, NULL);
    }
    walker_release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_clip_plants__on_the_spot_feet_ride_over_the_ground),
        cmocka_unit_test(test_adapt_clip_plants__a_planted_toe_that_rises_is_held_down),
        cmocka_unit_test(test_adapt_clip_plants__a_stone_under_the_sole_carries_it),
        cmocka_unit_test(test_adapt_clip_plants__a_plant_carries_its_toe),
        cmocka_unit_test(test_adapt_clip_plants__a_swing_sees_what_it_climbs_to),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
