// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Transfer of one frame and of clips, on rigs made by hand: what must come out is worked out here from figure space.

#include "support/angles.h"
#include "support/counted_heap.h"
#include "support/mover.h"

// Two figures of other proportions, facings and axes; the second with other chains.
static void two_figures(mover* a, mover* b, uint64_t seed)
{
    mover_def def = mover_default();
    def.axes = seed;
    def.facing = 0.7;
    mover_make(&def, a);
    def.scale = 0.62;
    def.leg_scale = 1.2;
    def.axes = seed + 1000;
    def.facing = -2.1;
    mover_make(&def, b);
}

static void test_retarget_transfer__the_reference_pose_gives_the_reference_pose(void** state)
{
    (void)state;
    const sft_transfer_def def = sft_default_transfer_def();
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        static mover a, b;
        static moved from, to;
        two_figures(&a, &b, seed);
        sft_retarget_map* map = mover_map(&a.rig, &b.rig);
        memcpy(from.t, a.base_t, sizeof from.t);
        memcpy(from.r, a.pose_r, sizeof from.r);
        mover_move(&def, map, &a, &from, &b, &to);
        assert_memory_equal(to.r, b.pose_r, (size_t)b.count * sizeof *to.r);
        for (int j = 0; j < b.count; ++j)
            assert_true(sft_v3d_distance(to.t[j], b.base_t[j]) < 1e-15);
        sft_retarget_map_destroy(map);
    }
}

static void test_retarget_transfer__limb_directions_are_the_sources(void** state)
{
    (void)state;
    const sft_transfer_def def = sft_default_transfer_def();
    static const sft_part parts[4][2] = {{SFT_PART_UPPER_ARM, SFT_PART_FOREARM},
                                         {SFT_PART_FOREARM, SFT_PART_HAND},
                                         {SFT_PART_THIGH, SFT_PART_SHIN},
                                         {SFT_PART_SHIN, SFT_PART_FOOT}};
    support_rng rng = {77};
    for (uint64_t seed = 1; seed <= 50; ++seed)
    {
        static mover a, b;
        static moved from, to;
        two_figures(&a, &b, seed);
        sft_retarget_map* map = mover_map(&a.rig, &b.rig);
        mover_random_pose(&a, &rng, 1.5, from.t, from.r);
        // Shoulders, elbows and knees slide, as some captures have them.
        for (int j = 1; j < a.count; ++j)
            from.t[j] = sft_v3d_madd(from.t[j], 0.02, sft_v3d_make(support_uniform(&rng, -1.0, 1.0), 0.5, 0.3));
        mover_forward(&a, from.t, from.r, from.figure);
        mover_move(&def, map, &a, &from, &b, &to);
        for (int k = 0; k < 4; ++k)
            for (int side = 0; side < 2; ++side)
            {
                sft_v3d way[2];
                for (int w = 0; w < 2; ++w)
                {
                    const mover* m = w == 0 ? &a : &b;
                    const sft_xformd* x = w == 0 ? from.figure : to.figure;
                    way[w] = sft_v3d_sub(x[mover_find(m, parts[k][1], (sft_leg_side)side, 0)].t,
                                         x[mover_find(m, parts[k][0], (sft_leg_side)side, 0)].t);
                }
                assert_true(angle_of(way[0], way[1]) < 1e-9);
            }
        sft_retarget_map_destroy(map);
    }
}

// Of joints that no bone corrects, the change in figure space is the source's.
static void test_retarget_transfer__trunk_and_ends_turn_as_the_source(void** state)
{
    (void)state;
    const sft_transfer_def def = sft_default_transfer_def();
    support_rng rng = {5};
    static const sft_part parts[6] = {SFT_PART_HIPS, SFT_PART_SPINE, SFT_PART_HEAD,
                                      SFT_PART_HAND, SFT_PART_FOOT,  SFT_PART_UPPER_ARM};
    for (uint64_t seed = 1; seed <= 50; ++seed)
    {
        static mover a, b;
        static moved from, to;
        two_figures(&a, &b, seed);
        sft_retarget_map* map = mover_map(&a.rig, &b.rig);
        mover_random_pose(&a, &rng, 1.5, from.t, from.r);
        mover_forward(&a, from.t, from.r, from.figure);
        mover_move(&def, map, &a, &from, &b, &to);
        for (int k = 0; k < 6; ++k)
        {
            const sft_leg_side side = k < 3 ? SFT_LEG_MIDDLE : SFT_LEG_RIGHT;
            const int s = mover_find(&a, parts[k], side, 0), t = mover_find(&b, parts[k], side, 0);
            const sft_quatd ds = sft_quatd_mul(from.figure[s].r, sft_quatd_conjugate(a.pose[s].r));
            const sft_quatd dt = sft_quatd_mul(to.figure[t].r, sft_quatd_conjugate(b.pose[t].r));
            assert_true(angle_between(ds, dt) < 1e-12);
        }
        sft_retarget_map_destroy(map);
    }
}

static sft_v3d between_sockets(const mover* m, const sft_xformd* pose)
{
    return sft_v3d_lerp(pose[mover_find(m, SFT_PART_THIGH, SFT_LEG_LEFT, 0)].t,
                        pose[mover_find(m, SFT_PART_THIGH, SFT_LEG_RIGHT, 0)].t, 0.5);
}

static void test_retarget_transfer__travel_is_scaled_and_turned(void** state)
{
    (void)state;
    const sft_transfer_def def = sft_default_transfer_def();
    static mover a, b;
    static moved from, to;
    two_figures(&a, &b, 3);
    sft_retarget_map* map = mover_map(&a.rig, &b.rig);
    const double s = 0.62 * 1.2;
    assert_true(fabs(sft_retarget_map_view(map)->scale - s) < 1e-15);
    support_rng rng = {11};
    mover_random_pose(&a, &rng, 0.5, from.t, from.r);
    mover_forward(&a, from.t, from.r, from.figure);
    mover_move(&def, map, &a, &from, &b, &to);
    // Legs begin between the sockets of the thighs: that is what travels.
    const sft_v3d ps = between_sockets(&a, from.figure), pt = between_sockets(&b, to.figure);
    const double own_s = between_sockets(&a, a.pose).y, own_t = between_sockets(&b, b.pose).y;
    assert_true(fabs(pt.x - s * ps.x) < 1e-14 && fabs(pt.z - s * ps.z) < 1e-14);
    assert_true(fabs((pt.y - own_t) - s * (ps.y - own_s)) < 1e-14);
    sft_retarget_map_destroy(map);
}

// Hips far from the sockets on one side: legs go where the source's go all the same, whichever way the pelvis leans.
static void test_retarget_transfer__hips_away_from_the_sockets_do_not_matter(void** state)
{
    (void)state;
    const sft_transfer_def def = sft_default_transfer_def();
    static mover a, b;
    static moved from, to;
    support_rng rng = {12};
    for (int k = 0; k < 20; ++k)
    {
        mover_def made = mover_default();
        made.root = k % 2 == 0;
        mover_make(&made, &a);
        made.root = k % 3 == 0;
        mover_make(&made, &b);
        // 12 cm up and 9 cm back; nothing else moves.
        b.pose[b.rig.hips].t = sft_v3d_add(b.pose[b.rig.hips].t, sft_v3d_make(0.0, 0.12, -0.09));
        mover_finish(&b, (uint64_t)k, 0.3 * k);
        sft_retarget_map* map = mover_map(&a.rig, &b.rig);
        mover_random_pose(&a, &rng, 0.8, from.t, from.r);
        mover_forward(&a, from.t, from.r, from.figure);
        mover_move(&def, map, &a, &from, &b, &to);
        for (int side = 0; side < 2; ++side)
            for (int part = SFT_PART_THIGH; part <= SFT_PART_FOOT; ++part)
            {
                const int s = mover_find(&a, (sft_part)part, (sft_leg_side)side, 0);
                const int t = mover_find(&b, (sft_part)part, (sft_leg_side)side, 0);
                assert_true(sft_v3d_distance(from.figure[s].t, to.figure[t].t) < 1e-13);
            }
        sft_retarget_map_destroy(map);
    }
}

// A frame asks the heap for nothing, whatever its map holds: twist joints along bones and beside them, chains of other
// numbers, a root, stretching bones, the mirror.
static void test_retarget_transfer__a_frame_allocates_nothing(void** state)
{
    (void)state;
#ifndef SFT_WRAPPED_HEAP
    skip();
#else
    static mover from, onto;
    mover_def def = mover_default();
    def.spines = 5;
    mover_make(&def, &from);
    def.spines = 2;
    def.twists = 2;
    def.aside = 1;
    def.root = true;
    def.axes = 3;
    mover_make(&def, &onto);
    sft_retarget_map* map = mover_map(&from.rig, &onto.rig);
    void* scratch = malloc(sft_retarget_scratch_size(map));
    assert_non_null(scratch);
    support_rng rng = {21};
    sft_v3d t[MOVER_JOINTS], out_t[MOVER_JOINTS];
    sft_quatd r[MOVER_JOINTS], out_r[MOVER_JOINTS];
    const long before = heap_calls;
    sft_result result = SFT_OK;
    for (int i = 0; i < 400 && result == SFT_OK; ++i)
    {
        sft_transfer_def how = sft_default_transfer_def();
        how.mirror = i % 2 == 1;
        how.non_rigid = i % 4 < 2 ? SFT_NON_RIGID_NONE : SFT_NON_RIGID_RATIO;
        mover_random_pose(&from, &rng, 1.5, t, r);
        result = sft_retarget_frame(&how, map, t, r, scratch, out_t, out_r);
    }
    const long after = heap_calls;
    assert_int_equal(result, SFT_OK);
    assert_true(before > 0);
    assert_int_equal(after - before, 0);
    free(scratch);
    sft_retarget_map_destroy(map);
#endif
}

static void test_retarget_transfer__hostile_values_are_refused(void** state)
{
    (void)state;
    static mover a, b;
    static moved from, to;
    two_figures(&a, &b, 4);
    sft_retarget_map* map = mover_map(&a.rig, &b.rig);
    void* scratch = malloc(sft_retarget_scratch_size(map));
    sft_transfer_def def = sft_default_transfer_def();
    memcpy(from.t, a.base_t, sizeof from.t);
    memcpy(from.r, a.pose_r, sizeof from.r);
    memset(&to, 7, sizeof to);
    const moved before = to;
    const double bad[3] = {(double)NAN, (double)INFINITY, 1e7};
    for (int k = 0; k < 3; ++k)
    {
        from.t[5].y = bad[k];
        assert_int_equal(sft_retarget_frame(&def, map, from.t, from.r, scratch, to.t, to.r), SFT_ERR_RANGE);
        from.t[5].y = 0.1;
        from.r[6].z += bad[k];
        assert_int_equal(sft_retarget_frame(&def, map, from.t, from.r, scratch, to.t, to.r), SFT_ERR_RANGE);
        from.r[6] = a.pose_r[6];
    }
    assert_int_equal(sft_retarget_frame(&def, map, NULL, from.r, scratch, to.t, to.r), SFT_ERR_ARG);
    assert_int_equal(sft_retarget_frame(&def, NULL, from.t, from.r, scratch, to.t, to.r), SFT_ERR_ARG);
    def.scale = -1.0;
    assert_int_equal(sft_retarget_frame(&def, map, from.t, from.r, scratch, to.t, to.r), SFT_ERR_DEF);
    def.scale = (double)NAN;
    assert_int_equal(sft_retarget_frame(&def, map, from.t, from.r, scratch, to.t, to.r), SFT_ERR_DEF);
    def = (sft_transfer_def){0};
    assert_int_equal(sft_retarget_frame(&def, map, from.t, from.r, scratch, to.t, to.r), SFT_ERR_DEF);
    assert_memory_equal(&to, &before, sizeof to);
    free(scratch);
    sft_retarget_map_destroy(map);
}

static void test_retarget_transfer__a_clip_onto_its_own_rig_is_the_same_clip(void** state)
{
    (void)state;
    static mover a;
    mover_def made = mover_default();
    made.axes = 9;
    mover_make(&made, &a);
    sft_retarget_map* map = mover_map(&a.rig, &a.rig);
    sft_clip *clip = NULL, *out = NULL;
    assert_int_equal(sft_clip_create(a.count, 20, 1.0 / 30.0, NULL, &clip), SFT_OK);
    support_rng rng = {3};
    for (int f = 0; f < 20; ++f)
        mover_random_pose(&a, &rng, 2.0, clip->translations + f * a.count, clip->rotations + f * a.count);
    const sft_transfer_def def = sft_default_transfer_def();
    sft_transfer_report report;
    assert_int_equal(sft_retarget_clip(&def, map, clip, NULL, &out, &report), SFT_OK);
    const size_t n = (size_t)a.count * 20;
    assert_memory_equal(out->translations, clip->translations, n * sizeof *clip->translations);
    assert_memory_equal(out->rotations, clip->rotations, n * sizeof *clip->rotations);
    assert_true(report.direction_error < 1e-12 && report.scale == 1.0);
    sft_clip_destroy(out, NULL);
    sft_clip_destroy(clip, NULL);
    sft_retarget_map_destroy(map);
}

// A figure's twin whose thighs and spine hang from joints in the hips' place; twin[j] is j there.
static void unseen_twin(const mover* m, mover* out, int* twin)
{
    memset(out, 0, sizeof *out);
    out->rig.root = -1;
    for (int j = 0; j < m->count; ++j)
    {
        int up = m->parents[j] < 0 ? -1 : twin[m->parents[j]];
        if (m->parents[j] == m->rig.hips)
        {
            char name[32];
            snprintf(name, sizeof name, "between_%d", j);
            up = mover_add(out, up, name, (sft_joint_meaning){.part = SFT_PART_NONE}, m->pose[m->rig.hips].t);
        }
        twin[j] = mover_add(out, up, m->names[j], m->meanings[j], m->pose[j].t);
    }
    out->rig.hips = twin[m->rig.hips];
    out->rig.leg_count = m->rig.leg_count;
    for (int i = 0; i < m->rig.leg_count; ++i)
    {
        out->legs[i] = m->legs[i];
        out->legs[i].pelvis = twin[m->legs[i].pelvis];
        out->legs[i].hip = twin[m->legs[i].hip];
        out->legs[i].knee = twin[m->legs[i].knee];
        out->legs[i].heel = twin[m->legs[i].heel];
        out->legs[i].toe = twin[m->legs[i].toe];
    }
    mover_finish(out, 0, 0.0);
}

/// The figure's pose on the twin, the hips turned by `turn` in their own space and all below them turned back.
static void hide_turn(const mover* m, const moved* from, const mover* twin, const int* name, sft_quatd turn, moved* to)
{
    sft_quatd world[MOVER_JOINTS];
    for (int j = 0, i = 0; j < m->count; ++j)
        for (; i <= name[j]; ++i)
            world[i] = from->figure[i == name[j] ? j : m->parents[j]].r;
    world[name[m->rig.hips]] = sft_quatd_mul(world[name[m->rig.hips]], turn);
    for (int i = 0; i < twin->count; ++i)
    {
        const int up = twin->parents[i];
        to->t[i] = up < 0 ? from->t[0] : twin->base_t[i];
        to->r[i] = up < 0 ? world[i] : sft_quatd_mul(sft_quatd_conjugate(world[up]), world[i]);
    }
}

// What networks make: hips turn, and joints in their place turn back, so that every bone lies as before. It must come
// out as if nothing had turned.
static void test_retarget_transfer__hips_that_turn_unseen_lie_as_their_sockets(void** state)
{
    (void)state;
    static mover a, twin, b;
    static moved from, hidden, to, expected;
    static int name[MOVER_JOINTS];
    mover_def made = mover_default();
    mover_make(&made, &a);
    unseen_twin(&a, &twin, name);
    made.scale = 0.7;
    made.axes = 31;
    made.spines = 5;
    mover_make(&made, &b);
    sft_retarget_map *plain = mover_map(&a.rig, &b.rig), *map = mover_map(&twin.rig, &b.rig);
    support_rng rng = {17};
    for (int k = 0; k < 60; ++k)
    {
        sft_transfer_def def = sft_default_transfer_def();
        def.mirror = k % 2 == 1;
        mover_random_pose(&a, &rng, 0.4, from.t, from.r);
        mover_forward(&a, from.t, from.r, from.figure);
        // Any turn about an axis at right angles to the line of the sockets, which is X.
        const double angle = support_uniform(&rng, -2.5, 2.5), slant = support_uniform(&rng, -1.0, 1.0);
        const sft_quatd turn = sft_quatd_exp(sft_v3d_make(0.0, angle * cos(slant), angle * sin(slant)));
        hide_turn(&a, &from, &twin, name, turn, &hidden);
        mover_move(&def, map, &twin, &hidden, &b, &to);
        mover_move(&def, plain, &a, &from, &b, &expected);
        for (int j = 0; j < b.count; ++j)
        {
            assert_true(angle_between(to.figure[j].r, expected.figure[j].r) < 1e-9);
            assert_true(sft_v3d_distance(to.figure[j].t, expected.figure[j].t) < 1e-9);
        }
    }
    sft_retarget_map_destroy(map);
    sft_retarget_map_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_transfer__the_reference_pose_gives_the_reference_pose),
        cmocka_unit_test(test_retarget_transfer__limb_directions_are_the_sources),
        cmocka_unit_test(test_retarget_transfer__trunk_and_ends_turn_as_the_source),
        cmocka_unit_test(test_retarget_transfer__travel_is_scaled_and_turned),
        cmocka_unit_test(test_retarget_transfer__hips_away_from_the_sockets_do_not_matter),
        cmocka_unit_test(test_retarget_transfer__hips_that_turn_unseen_lie_as_their_sockets),
        cmocka_unit_test(test_retarget_transfer__a_frame_allocates_nothing),
        cmocka_unit_test(test_retarget_transfer__hostile_values_are_refused),
        cmocka_unit_test(test_retarget_transfer__a_clip_onto_its_own_rig_is_the_same_clip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
