// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Real walks of the optional data folder on grounds in closed form: what feet on ground are promised to keep to,
// measured by kinematics of the test's own. bench/judge/adapt_table.py asks more, of more clips, through the files.

#include "support/adapt_figures.h"

static int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return x < y ? -1 : x > y;
}

static double median(double* values, size_t count)
{
    qsort(values, count, sizeof *values, ascending);
    return count == 0 ? 0.0 : 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

static sft_v3d at(const walk* w, int32_t joint, int32_t frame)
{
    const size_t base = (size_t)frame * (size_t)w->clip->joint_count;
    return sft_skeleton_joint_model(w->skeleton, w->clip->translations + base, w->clip->rotations + base, joint).t;
}

// The median over all plants of the median height of the foot's lowest joint.
static double floor_of(const walk* w)
{
    const int32_t n = w->clip->frame_count;
    double *low = calloc((size_t)n, sizeof *low), *plants = calloc((size_t)(n * w->leg_count), sizeof *plants);
    assert_true(low != NULL && plants != NULL);
    size_t runs = 0;
    for (int32_t l = 0; l < w->leg_count; ++l)
    {
        size_t count = 0;
        for (int32_t i = w->first; i <= n; ++i)
        {
            if (i < n && w->labels->plant[l * n + i] > 0.75f)
            {
                const sft_leg* g = w->legs + l;
                low[count] = sft_mind(at(w, g->heel, i).y, at(w, g->toe, i).y);
                if (g->toe_end >= 0) low[count] = sft_mind(low[count], at(w, g->toe_end, i).y);
                ++count;
                continue;
            }
            if (count > 0) plants[runs++] = median(low, count);
            count = 0;
        }
    }
    const double y = median(plants, runs);
    free(low);
    free(plants);
    return y;
}

// The clip on a floor at 0, and which way it goes: to the place furthest from its first.
static sft_v3d lay(walk* w)
{
    const double y = floor_of(w);
    for (int32_t i = w->first; i < w->clip->frame_count; ++i)
        w->clip->translations[(size_t)i * (size_t)w->clip->joint_count].y -= y;
    const sft_v3d from = at(w, w->legs[0].pelvis, w->first);
    sft_v3d way = {0, 0, 0};
    for (int32_t i = w->first; i < w->clip->frame_count; ++i)
    {
        sft_v3d to = sft_v3d_sub(at(w, w->legs[0].pelvis, i), from);
        to.y = 0.0;
        if (sft_v3d_dot(to, to) > sft_v3d_dot(way, way)) way = to;
    }
    return sft_v3d_normalize_or(way, sft_v3d_make(0, 0, 1));
}

// Whether the report says of this frame that a leg does not reach: its heel is then lifted further than in the source.
static bool listed(const sft_adapt_clip_report* report, int32_t frame)
{
    for (int32_t k = 0; k < report->miss_count; ++k)
        if (report->misses[k].first <= frame && frame <= report->misses[k].last) return true;
    return false;
}

// Whether all of it holds; says what does not.
static bool stands(const walk* w, const char* name, const char* on, const support_ground* g, double jerk)
{
    const sft_ground ground = support_ground_of(g);
    sft_adapt_clip_def def = sft_default_adapt_clip_def();
    def.first_frame = w->first;
    sft_clip* out = walk_copy(w);
    sft_adapt_clip_report report;
    assert_int_equal(
        sft_adapt_clip(&def, w->skeleton, w->legs, w->leg_count, w->labels, &ground, NULL, out, NULL, &report), SFT_OK);
    const adapt_figures f = adapt_measure(w, out, g);
    const bool ok = report.converged && f.support_cm <= 0.5 && f.sunk_cm <= 0.5 &&
                    (f.tilt_degrees <= 2.0 || listed(&report, f.tilt_frame)) &&
                    f.straightest <= sft_maxd(f.source_straightest, 0.995) + 1e-6 && f.slide_cm_s <= 0.5 &&
                    f.jerk <= jerk;
    print_message(
        "%s%-36s %-12s support %.2f (%d) through %.2f (%d) tilt %.2f (%d) knee %.4f jerk %.2f slide %.3f, %d misses\n",
        ok ? "" : "OVER ", name, on, f.support_cm, (int)f.support_frame, f.sunk_cm, (int)f.sunk_frame, f.tilt_degrees,
        (int)f.tilt_frame, f.straightest, f.jerk, f.slide_cm_s, (int)report.miss_count);
    sft_adapt_clip_report_release(&report, NULL);
    sft_clip_destroy(out, NULL);
    return ok;
}

static void test_adapt_clip_data__walks_stand_on_slopes_stairs_and_rubble(void** state)
{
    (void)state;
    static const char* const names[] = {"cmu_12_01_walk",         "xia_neutral_01_000",
                                        "xia_strutting_01_000",   "xia_depressed_13_000",
                                        "mixamo_names_69f",       "fair_zombie_walk",
                                        "dme_demo_video_1_fixed", "dme_demo_video_2_fixed",
                                        "bvhacker_walk_cycle_42", "opensim_gait2354_walk_overground"};
    int over = 0, found = 0;
    for (size_t k = 0; k < sizeof names / sizeof names[0]; ++k)
    {
        walk w;
        if (!walk_load(names[k], &w)) continue;
        ++found;
        const sft_v3d way = lay(&w), from = at(&w, w.legs[0].pelvis, w.first);
        const double rise = tan(10.0 * SFT_PI / 180.0);
        const support_ground grounds[] = {{.kind = SUPPORT_GROUND_SLOPE,
                                           .rise_x = rise * way.x,
                                           .rise_z = rise * way.z,
                                           .origin = {from.x, 0, from.z}},
                                          {.kind = SUPPORT_GROUND_SLOPE,
                                           .rise_x = -rise * way.x,
                                           .rise_z = -rise * way.z,
                                           .origin = {from.x, 0, from.z}},
                                          {.kind = SUPPORT_GROUND_SLOPE,
                                           .rise_x = rise * way.z,
                                           .rise_z = -rise * way.x,
                                           .origin = {from.x, 0, from.z}},
                                          {.kind = SUPPORT_GROUND_STAIRS,
                                           .rise = 0.15,
                                           .run = 0.4,
                                           .origin = {from.x + 0.4 * way.x, 0, from.z + 0.4 * way.z},
                                           .heading = way},
                                          {.kind = SUPPORT_GROUND_STAIRS,
                                           .rise = -0.15,
                                           .run = 0.4,
                                           .origin = {from.x + 0.4 * way.x, 0, from.z + 0.4 * way.z},
                                           .heading = way},
                                          {.kind = SUPPORT_GROUND_ROUGH, .rise = 0.02, .run = 1.0}};
        static const char* const on[] = {"up 10", "down 10", "across 10", "stairs up", "stairs down", "rubble"};
        for (size_t n = 0; n < sizeof grounds / sizeof grounds[0]; ++n)
            over += !stands(&w, names[k], on[n], grounds + n, n < 3 ? 1.5 : 3.0);
        walk_release(&w);
    }
    if (found == 0) skip();
    assert_int_equal(over, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_adapt_clip_data__walks_stand_on_slopes_stairs_and_rubble),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
