// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Crowds: the same bits on every path, whatever the number, the alignment and the neighbours.

#include "support/crowd_legs.h"

#include <stdlib.h>

#include "support/support.h"

static const sft_crowd_path paths[] = {SFT_CROWD_SCALAR, SFT_CROWD_SSE2, SFT_CROWD_AVX2, SFT_CROWD_AVX512,
                                       SFT_CROWD_WASM,   SFT_CROWD_NEON, SFT_CROWD_BEST};
#define PATHS ((int)(sizeof paths / sizeof paths[0]))

typedef enum call
{
    CALL_TWO_BONE,
    CALL_LEG,
    CALL_LOCK,
    CALL_UPDATE,
    CALLS
} call;

// Settings that together take every branch.
static sft_crowd_def def_of(int variant)
{
    sft_crowd_def def = sft_default_crowd_def();
    def.leg.extension = (sft_extension)(variant % 3);
    def.leg.height_clamp = variant % 2 == 1;
    def.leg.keep_foot = variant % 4 < 2;
    def.leg.heel_aim = variant != 4;
    def.leg.heel_lift = variant >= 3 ? 0.6 : 0.0;
    def.leg.toe_aim = variant != 5;
    def.blend_time = variant == 2 ? 0.0f : 0.1f;
    def.lock_distance = variant == 1 ? INFINITY : 0.05f;
    def.unlock_distance = 0.1f;
    return def;
}
#define VARIANTS 6

static sft_result run(call what, const crowd* c, int variant, sft_crowd_path path)
{
    sft_crowd_def def = def_of(variant);
    def.path = path;
    if (what == CALL_TWO_BONE) return sft_two_bone_batch(&c->bones, c->count, path);
    if (what == CALL_LEG) return sft_crowd_leg_solve(&def, &c->legs, c->count);
    if (what == CALL_LOCK) return sft_crowd_lock_update(&def, &c->feet, 1.0f / 60.0f, c->count);
    return sft_crowd_update(&def, &c->feet, &c->legs, 1.0f / 60.0f, c->count);
}

// Feet go on by a few steps, so that states are in all their ways.
static void walk(const crowd* c, int variant, sft_crowd_path path)
{
    for (int step = 0; step < 5; ++step)
    {
        for (int32_t i = 0; i < c->count; ++i)
        {
            c->feet.toe.x[i] += 0.004f * (float)((i + step) % 7 - 3);
            ((float*)c->feet.contact)[i] = (i / 3 + step) % 4 == 0 ? 0.0f : 1.0f;
        }
        (void)run(CALL_LOCK, c, variant, path);
    }
}

static uint64_t hash_of(call what, crowd_kind kind, int32_t count, int variant, sft_crowd_path path, uint64_t seed)
{
    crowd c = crowd_create(count, 0);
    crowd_fill(&c, kind, seed);
    if (what == CALL_LOCK || what == CALL_UPDATE) walk(&c, variant, path);
    (void)run(what, &c, variant, path);
    const uint64_t hash = crowd_hash(&c, 0, count);
    crowd_release(&c);
    return hash;
}

static void test_crowd__every_path_gives_the_same_bits(void** state)
{
    (void)state;
    int tried = 0;
    int64_t legs = 0;
    for (int p = 0; p < PATHS; ++p)
        tried += sft_crowd_has_path(paths[p]) && paths[p] != SFT_CROWD_BEST;
    for (int what = 0; what < CALLS; ++what)
        for (int kind = CROWD_WALKING; kind <= CROWD_HOSTILE; ++kind)
            for (int variant = 0; variant < (what == CALL_TWO_BONE ? 1 : VARIANTS); ++variant)
            {
                const int32_t count = SUPPORT_BULK(10007);
                const uint64_t seed = (uint64_t)(100 * what + 10 * kind + variant);
                const uint64_t expected = hash_of((call)what, (crowd_kind)kind, count, variant, SFT_CROWD_SCALAR, seed);
                for (int p = 0; p < PATHS; ++p)
                    if (sft_crowd_has_path(paths[p]))
                    {
                        const uint64_t hash = hash_of((call)what, (crowd_kind)kind, count, variant, paths[p], seed);
                        assert_true(hash == expected);
                        legs += count;
                    }
            }
    printf("%lld legs, %d paths, best is %d\n", (long long)legs, tried, (int)sft_crowd_best_path());
}

static void test_crowd__a_leg_has_the_same_bits_alone_and_in_any_crowd(void** state)
{
    (void)state;
    const int32_t all = 300;
    crowd whole = crowd_create(all, 0), inputs = crowd_create(all, 0);
    for (int what = 0; what < CALLS; ++what)
        for (int kind = CROWD_WALKING; kind <= CROWD_HOSTILE; ++kind)
        {
            const int variant = kind + 1;
            crowd_fill(&whole, (crowd_kind)kind, 5);
            crowd_fill(&inputs, (crowd_kind)kind, 5);
            (void)run((call)what, &whole, variant, SFT_CROWD_SCALAR);
            for (int p = 0; p < PATHS; ++p)
                for (int32_t count = 0; count <= 33 && sft_crowd_has_path(paths[p]); ++count)
                {
                    const int32_t first = count * 7 % (all - 33), offset = count % 16;
                    crowd c = crowd_create(count, offset);
                    crowd_copy(&c, &inputs, first, count);
                    (void)run((call)what, &c, variant, paths[p]);
                    assert_true(crowd_hash(&c, 0, count) == crowd_hash(&whole, first, count));
                    // Nothing is written behind the last leg.
                    for (int32_t r = 0; r < c.rows; ++r)
                        for (size_t k = (size_t)count; k < c.stride; ++k)
                            assert_true(c.values[c.stride * (size_t)r + k] == 0.0f);
                    assert_true(c.flags[count] == 0u);
                    crowd_release(&c);
                }
        }
    crowd_release(&inputs);
    crowd_release(&whole);
}

static void test_crowd__lanes_behind_the_last_leg_keep_their_state(void** state)
{
    (void)state;
    for (int p = 0; p < PATHS; ++p)
        for (int32_t count = 1; count <= 16 && sft_crowd_has_path(paths[p]); ++count)
        {
            crowd c = crowd_create(count, 0);
            crowd_fill(&c, CROWD_WALKING, 3);
            float* values = (float*)c.states;
            const int32_t rows = (int32_t)(sizeof *c.states / sizeof(float[SFT_CROWD_LANES]));
            for (int32_t r = 0; r < rows; ++r)
                for (int32_t k = count; k < SFT_CROWD_LANES; ++k)
                    values[r * SFT_CROWD_LANES + k] = 7.0f;
            assert_int_equal(run(CALL_LOCK, &c, 0, paths[p]), SFT_OK);
            for (int32_t r = 0; r < rows; ++r)
                for (int32_t k = count; k < SFT_CROWD_LANES; ++k)
                    assert_true(values[r * SFT_CROWD_LANES + k] == 7.0f);
            crowd_release(&c);
        }
}

static void test_crowd__works_in_place(void** state)
{
    (void)state;
    const int32_t count = 1003;
    for (int what = 0; what < CALLS; ++what)
        for (int p = 0; p < PATHS; ++p)
        {
            if (!sft_crowd_has_path(paths[p]) || what == CALL_LOCK) continue;
            crowd apart = crowd_create(count, 0), here = crowd_create(count, 3);
            crowd_fill(&apart, CROWD_HOSTILE, 9);
            crowd_fill(&here, CROWD_HOSTILE, 9);
            if (what == CALL_TWO_BONE)
            {
                here.bones.new_knee = here.bones.knee;
                here.bones.new_heel = here.bones.heel;
            }
            else
                crowd_work_in_place(&here);
            (void)run((call)what, &apart, 3, paths[p]);
            (void)run((call)what, &here, 3, paths[p]);
            const sft_v3_array* a = &apart.legs.out.knee;
            const sft_v3_array* h = &here.legs.pose.knee;
            const size_t size = (size_t)count * sizeof(float);
            assert_memory_equal(a->x, h->x, size);
            assert_memory_equal(a->z, h->z, size);
            assert_memory_equal(apart.legs.out.heel.y, here.legs.pose.heel.y, size);
            if (what != CALL_TWO_BONE)
            {
                assert_memory_equal(apart.legs.out.toe.y, here.legs.pose.toe.y, size);
                assert_memory_equal(apart.legs.out.toe_end.x, here.legs.pose.toe_end.x, size);
                assert_memory_equal(apart.legs.out.hip_r.w, here.legs.pose.hip_r.w, size);
                assert_memory_equal(apart.legs.out.toe_r.x, here.legs.pose.toe_r.x, size);
            }
            assert_memory_equal(apart.flags, here.flags, (size_t)count * sizeof *apart.flags);
            crowd_release(&apart);
            crowd_release(&here);
        }
}

static void test_crowd__a_bad_leg_keeps_its_pose_and_touches_no_other(void** state)
{
    (void)state;
    const int32_t count = 2000;
    for (int p = 0; p < PATHS; ++p)
    {
        if (!sft_crowd_has_path(paths[p])) continue;
        for (int what = 0; what < CALLS; ++what)
        {
            crowd good = crowd_create(count, 0), bad = crowd_create(count, 0);
            crowd_fill(&good, CROWD_WALKING, 4);
            crowd_fill(&bad, CROWD_WALKING, 4);
            // One value after the other, at every second leg.
            const float wrong[4] = {(float)NAN, (float)INFINITY, -3e38f, 2e6f};
            const bool lock = what == CALL_LOCK;
            for (int32_t i = 0; i < count; i += 2)
            {
                const int32_t parts = what == CALL_TWO_BONE ? 9 : 31;
                const int32_t part = lock ? 9 + i / 2 % 3 : i / 2 % parts;
                bad.values[bad.stride * (size_t)part + (size_t)i] = wrong[i % 4];
            }
            assert_int_equal(run((call)what, &good, 0, paths[p]), SFT_OK);
            assert_int_equal(run((call)what, &bad, 0, paths[p]), SFT_ERR_RANGE);
            for (int32_t i = 0; i < count; ++i)
            {
                if (i % 2 == 1)
                {
                    assert_true(crowd_hash(&good, i, 1) == crowd_hash(&bad, i, 1));
                    continue;
                }
                assert_true(bad.flags[i] == SFT_CROWD_BAD);
                const sft_crowd_legs* l = &bad.legs;
                const sft_crowd_lock_block* s = bad.states + i / SFT_CROWD_LANES;
                if (lock) assert_true(s->seen[i % SFT_CROWD_LANES] == 0.0f);
                if (what == CALL_TWO_BONE) assert_true(l->out.hip_r.w[i] == 1.0f && l->out.hip_r.x[i] == 0.0f);
                if (what != CALL_LEG && what != CALL_UPDATE) continue;
                assert_memory_equal(l->out.toe.x + i, l->pose.toe.x + i, sizeof(float));
                assert_memory_equal(l->out.heel.y + i, l->pose.heel.y + i, sizeof(float));
                assert_memory_equal(l->out.toe_r.z + i, l->pose.toe_r.z + i, sizeof(float));
                assert_memory_equal(l->out.knee_r.x + i, l->pose.knee_r.x + i, sizeof(float));
            }
            crowd_release(&good);
            crowd_release(&bad);
        }
    }
}

// No NaN and no infinity comes out of what is not bad, however strange.
static void test_crowd__strange_legs_have_finite_answers(void** state)
{
    (void)state;
    const int32_t count = 20000;
    crowd c = crowd_create(count, 0);
    for (int variant = 0; variant < VARIANTS; ++variant)
        for (int what = 0; what < CALLS; ++what)
        {
            crowd_fill(&c, CROWD_SPECIAL, (uint64_t)variant);
            assert_int_equal(run((call)what, &c, variant, SFT_CROWD_BEST), SFT_OK);
            for (int32_t r = 31; r < 62; ++r) // the rows of the result
                for (int32_t i = 0; i < count; ++i)
                    assert_true(fabsf(c.values[c.stride * (size_t)r + (size_t)i]) < 2e6f);
            for (int32_t i = 0; i < count && what == CALL_LEG; ++i)
            {
                const sft_quatd q = crowd_quat(c.legs.out.knee_r, i), h = crowd_quat(c.legs.out.heel_r, i);
                assert_true(fabs(sft_quatd_dot(q, q) - 1.0) < 1e-5 && fabs(sft_quatd_dot(h, h) - 1.0) < 1e-5);
            }
        }
    crowd_release(&c);
}

static void test_crowd__lock_and_leg_in_one_are_lock_and_then_leg(void** state)
{
    (void)state;
    const int32_t count = 501;
    for (int variant = 0; variant < VARIANTS; ++variant)
    {
        crowd one = crowd_create(count, 0), two = crowd_create(count, 0);
        crowd_fill(&one, CROWD_WALKING, 8);
        crowd_fill(&two, CROWD_WALKING, 8);
        for (int step = 0; step < 3; ++step)
        {
            assert_int_equal(run(CALL_UPDATE, &one, variant, SFT_CROWD_BEST), SFT_OK);
            assert_int_equal(run(CALL_LOCK, &two, variant, SFT_CROWD_BEST), SFT_OK);
            for (int32_t i = 0; i < count; ++i)
            {
                const sft_v3 at = sft_crowd_lock_position(two.states, i);
                two.legs.target.x[i] = one.legs.target.x[i] = at.x;
                two.legs.target.y[i] = one.legs.target.y[i] = at.y;
                two.legs.target.z[i] = one.legs.target.z[i] = at.z;
                const bool locked = sft_crowd_lock_is_locked(two.states, i);
                assert_true(locked == ((two.flags[i] & SFT_CROWD_LOCKED) != 0u));
            }
            uint32_t lock_flags[501];
            for (int32_t i = 0; i < count; ++i)
                lock_flags[i] = two.flags[i];
            assert_int_equal(run(CALL_LEG, &two, variant, SFT_CROWD_BEST), SFT_OK);
            for (int32_t i = 0; i < count; ++i)
                two.flags[i] |= lock_flags[i];
            assert_true(crowd_hash(&one, 0, count) == crowd_hash(&two, 0, count));
        }
        crowd_release(&one);
        crowd_release(&two);
    }
}

static void test_crowd__refuses_what_makes_no_sense(void** state)
{
    (void)state;
    crowd c = crowd_create(5, 0);
    crowd_fill(&c, CROWD_WALKING, 1);
    const uint64_t before = crowd_hash(&c, 0, 5);
    sft_crowd_def def = sft_default_crowd_def();
    assert_int_equal(sft_two_bone_batch(NULL, 5, SFT_CROWD_BEST), SFT_ERR_ARG);
    assert_int_equal(sft_two_bone_batch(&c.bones, -1, SFT_CROWD_BEST), SFT_ERR_ARG);
    assert_int_equal(sft_two_bone_batch(&c.bones, 5, (sft_crowd_path)77), SFT_ERR_UNSUPPORTED);
    assert_int_equal(sft_two_bone_batch(&c.bones, 0, SFT_CROWD_BEST), SFT_OK);
    sft_two_bone_arrays bones = c.bones;
    bones.target.y = NULL;
    assert_int_equal(sft_two_bone_batch(&bones, 5, SFT_CROWD_BEST), SFT_ERR_ARG);
    assert_int_equal(sft_crowd_leg_solve(NULL, &c.legs, 5), SFT_ERR_ARG);
    sft_crowd_legs legs = c.legs;
    legs.heel_min = NULL; // read with height_clamp alone
    assert_int_equal(sft_crowd_leg_solve(&def, &legs, 0), SFT_OK);
    def.leg.height_clamp = true;
    assert_int_equal(sft_crowd_leg_solve(&def, &legs, 5), SFT_ERR_ARG);
    def.leg.cookie = 0;
    assert_int_equal(sft_crowd_leg_solve(&def, &c.legs, 5), SFT_ERR_DEF);
    def = sft_default_crowd_def();
    def.blend_time = (float)NAN;
    assert_int_equal(sft_crowd_lock_update(&def, &c.feet, 0.01f, 5), SFT_ERR_DEF);
    def = (sft_crowd_def){0};
    assert_int_equal(sft_crowd_update(&def, &c.feet, &c.legs, 0.01f, 5), SFT_ERR_DEF);
    def = sft_default_crowd_def();
    assert_int_equal(sft_crowd_lock_update(&def, &c.feet, -0.01f, 5), SFT_ERR_RANGE);
    assert_int_equal(sft_crowd_lock_update(&def, &c.feet, (float)NAN, 5), SFT_ERR_RANGE);
    sft_crowd_feet feet = c.feet;
    feet.states = NULL;
    assert_int_equal(sft_crowd_update(&def, &feet, &c.legs, 0.01f, 5), SFT_ERR_ARG);
    assert_true(crowd_hash(&c, 0, 5) == before);
    crowd_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowd__every_path_gives_the_same_bits),
        cmocka_unit_test(test_crowd__a_leg_has_the_same_bits_alone_and_in_any_crowd),
        cmocka_unit_test(test_crowd__lanes_behind_the_last_leg_keep_their_state),
        cmocka_unit_test(test_crowd__works_in_place),
        cmocka_unit_test(test_crowd__a_bad_leg_keeps_its_pose_and_touches_no_other),
        cmocka_unit_test(test_crowd__strange_legs_have_finite_answers),
        cmocka_unit_test(test_crowd__lock_and_leg_in_one_are_lock_and_then_leg),
        cmocka_unit_test(test_crowd__refuses_what_makes_no_sense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
