// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Making, placing, clocks, saving and restoring: same bits however it is driven, and nothing from bytes that are none.

#include "creature/fields.h"
#include "support/roam.h"

static const sft_ground_plane plane = {{0, 0, 0}, {0, 1, 0}, 0};
static const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};

// A goal that wanders, by simulated time alone.
static void wander(void* user, double time, sft_creature_input* input)
{
    const roam* r = user;
    input->kind = SFT_CREATURE_GO_TO;
    input->goal = sft_v3d_make(2 * sft_sin(0.3 * time), 0, 2 - 2 * sft_cos(0.37 * time));
    input->ground = &r->ground;
}

static void test_creature_state__clocks_of_any_rate_give_the_same_bits(void** state)
{
    (void)state;
    static const double rates[] = {120, 30, 60, 144, 90, 24};
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam first;
        roam_begin((roamer_kind)k, 1, true, sft_ground_from_plane(&plane), origin, &first);
        for (int i = 0; i < 6; ++i)
        {
            roam r;
            roam_begin((roamer_kind)k, 1, true, sft_ground_from_plane(&plane), origin, &r);
            int32_t steps = 0, taken = 0;
            for (int frame = 0; frame < (int)(20 * rates[i]); ++frame)
            {
                assert_int_equal(sft_creature_update(r.creature, 1 / rates[i], 8, wander, &r, r.state, &taken), SFT_OK);
                steps += taken;
            }
            assert_int_equal(steps, 2400);
            // The rest of a frame's time alone may differ; a whole number of frames leaves next to none.
            const sft_creature_body* body = sft_creature_get_body(r.state);
            const sft_creature_foot* feet = sft_creature_get_feet(r.creature, r.state);
            if (i == 0)
                memcpy(first.memory, r.memory, sft_creature_state_size(r.creature));
            else
            {
                assert_memory_equal(body, sft_creature_get_body(first.state), sizeof *body);
                assert_memory_equal(feet, sft_creature_get_feet(first.creature, first.state),
                                    (size_t)r.made.def.leg_count * sizeof *feet);
            }
            roam_end(&r);
        }
        roam_end(&first);
    }
}

static void test_creature_state__a_long_frame_is_bounded(void** state)
{
    (void)state;
    roam r;
    roam_begin(ROAMER_LIZARD, 1, false, sft_ground_from_plane(&plane), origin, &r);
    int32_t taken = -1;
    assert_int_equal(sft_creature_update(r.creature, 10, 5, wander, &r, r.state, &taken), SFT_OK);
    assert_int_equal(taken, 5);
    // What was cut is dropped.
    assert_int_equal(sft_creature_update(r.creature, 1.0 / 120, 5, wander, &r, r.state, &taken), SFT_OK);
    assert_int_equal(taken, 1);
    assert_int_equal(sft_creature_update(r.creature, 1.0 / 480, 5, wander, &r, r.state, &taken), SFT_OK);
    assert_int_equal(taken, 0);
    assert_int_equal(sft_creature_update(r.creature, -1, 5, wander, &r, r.state, &taken), SFT_ERR_RANGE);
    assert_int_equal(sft_creature_update(r.creature, NAN, 5, wander, &r, r.state, &taken), SFT_ERR_RANGE);
    assert_int_equal(sft_creature_update(r.creature, 1, -1, wander, &r, r.state, &taken), SFT_ERR_ARG);
    assert_int_equal(sft_creature_get_body(r.state)->step, 6);
    roam_end(&r);
}

static void step_wander(roam* r, int count)
{
    for (int i = 0; i < count; ++i)
    {
        sft_creature_input input = {.kind = SFT_CREATURE_STAND};
        wander(r, (double)sft_creature_get_body(r->state)->step / 120, &input);
        assert_int_equal(sft_creature_step(r->creature, &input, r->state), SFT_OK);
    }
}

// Saved anywhere in a walk, restored elsewhere, it goes on with the same bits; saved again, the same bytes.
static void test_creature_state__restored_goes_on_with_the_same_bits(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r, other;
        roam_begin((roamer_kind)k, 1, true, sft_ground_from_plane(&plane), origin, &r);
        roam_begin((roamer_kind)k, 1, true, sft_ground_from_plane(&plane), origin, &other);
        const size_t size = sft_creature_save_size(r.creature), all = sft_creature_state_size(r.creature);
        unsigned char *a = malloc(size), *b = malloc(size);
        assert_non_null(a);
        assert_non_null(b);
        for (int round = 0; round < 6; ++round)
        {
            step_wander(&r, 83);
            assert_int_equal(sft_creature_save(r.creature, r.state, a, size), SFT_OK);
            memset(other.memory, 0xA5, all);
            assert_int_equal(sft_creature_restore(other.creature, a, size, other.memory, all, &other.state), SFT_OK);
            assert_int_equal(sft_creature_save(other.creature, other.state, b, size), SFT_OK);
            assert_memory_equal(a, b, size);
            step_wander(&r, 200);
            step_wander(&other, 200);
            assert_int_equal(sft_creature_save(r.creature, r.state, a, size), SFT_OK);
            assert_int_equal(sft_creature_save(other.creature, other.state, b, size), SFT_OK);
            assert_memory_equal(a, b, size);
        }
        free(a);
        free(b);
        roam_end(&r);
        roam_end(&other);
    }
}

// The same hash as the format's, to make bytes that pass it.
static void seal(unsigned char* bytes, size_t size)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i + 8 < size; ++i)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    for (size_t i = 0; i < 8; ++i)
        bytes[size - 8 + i] = (unsigned char)(hash >> 8 * i);
}

static void test_creature_state__hostile_bytes_are_refused(void** state)
{
    (void)state;
    roam r, other;
    roam_begin(ROAMER_LIZARD, 1, false, sft_ground_from_plane(&plane), origin, &r);
    roam_begin(ROAMER_BIPED, 1, false, sft_ground_from_plane(&plane), origin, &other);
    step_wander(&r, 100);
    const size_t size = sft_creature_save_size(r.creature), all = sft_creature_state_size(r.creature);
    unsigned char *good = malloc(size + 8), *bytes = malloc(size + 8);
    void *memory = malloc(all), *before = malloc(all);
    assert_true(good != NULL && bytes != NULL && memory != NULL && before != NULL);
    assert_int_equal(sft_creature_save(r.creature, r.state, good, size - 1), SFT_ERR_MEMORY);
    assert_int_equal(sft_creature_save(r.creature, r.state, good, size), SFT_OK);
    memset(memory, 0x5A, all);
    memcpy(before, memory, all);
    sft_creature_state* out = NULL;
    for (size_t cut = 0; cut < size; ++cut)
        assert_int_equal(sft_creature_restore(r.creature, good, cut, memory, all, &out), SFT_ERR_SYNTAX);
    assert_int_equal(sft_creature_restore(r.creature, good, size, memory, all - 1, &out), SFT_ERR_MEMORY);
    assert_int_equal(sft_creature_restore(other.creature, good, size, memory, all, &out), SFT_ERR_UNSUPPORTED);
    memcpy(bytes, good, size);
    bytes[4] = 9;
    seal(bytes, size);
    assert_int_equal(sft_creature_restore(r.creature, bytes, size, memory, all, &out), SFT_ERR_UNSUPPORTED);
    support_rng rng = {5};
    int taken = 0;
    for (int i = 0; i < 20000; ++i)
    {
        memcpy(bytes, good, size);
        const size_t at = 16 + (size_t)support_uniform(&rng, 0, (double)(size - 24));
        bytes[at] ^= (unsigned char)(1 << (int)support_uniform(&rng, 0, 8));
        if (i % 2 == 0)
            assert_int_equal(sft_creature_restore(r.creature, bytes, size, memory, all, &out), SFT_ERR_SYNTAX);
        else
        {
            // Sealed anew: what passes must walk on, without a crash or a number that is none.
            if (i % 4 == 1) memset(bytes + (at & ~(size_t)7), i % 8 == 1 ? 0xFF : 0x7F, 8);
            seal(bytes, size);
            if (sft_creature_restore(r.creature, bytes, size, memory, all, &out) != SFT_OK) continue;
            ++taken;
            roam walked = r;
            walked.state = out;
            step_wander(&walked, 3);
            memcpy(memory, before, all);
        }
        assert_memory_equal(memory, before, all);
    }
    print_message("%d changed states could be states\n", taken);
    free(good);
    free(bytes);
    free(memory);
    free(before);
    roam_end(&r);
    roam_end(&other);
}

static void test_creature_state__many_have_the_bits_of_one(void** state)
{
    (void)state;
    roam r;
    roam_begin(ROAMER_HEXAPOD, 1, true, sft_ground_from_plane(&plane), origin, &r);
    enum
    {
        COUNT = 8
    };
    const size_t stride = sft_creature_state_size(r.creature);
    char *many = malloc(COUNT * stride), *one = malloc(stride);
    assert_true(many != NULL && one != NULL);
    sft_creature_input inputs[COUNT];
    for (int i = 0; i < COUNT; ++i)
    {
        sft_creature_state* made;
        const sft_xformd place = {{0.3 * i, 0, 0}, {0, 0, 0, 1}};
        assert_int_equal(sft_creature_place(r.creature, place, &r.ground, many + (size_t)i * stride, stride, &made),
                         SFT_OK);
        inputs[i] = (sft_creature_input){
            .kind = SFT_CREATURE_DRIVE, .velocity = {0, 0, 0.03 * (1 + i)}, .turn = 0.1 * i, .ground = &r.ground};
    }
    memcpy(one, many + 5 * stride, stride);
    for (int s = 0; s < 600; ++s)
    {
        assert_int_equal(sft_creature_step_many(r.creature, COUNT, inputs, many, stride), SFT_OK);
        assert_int_equal(sft_creature_step(r.creature, &inputs[5], (sft_creature_state*)(void*)one), SFT_OK);
    }
    assert_memory_equal(one, many + 5 * stride, stride);
    assert_int_equal(sft_creature_step_many(r.creature, COUNT, inputs, many, stride - 8), SFT_ERR_ARG);
    // One bad input: the others are stepped all the same.
    inputs[2].turn = NAN;
    assert_int_equal(sft_creature_step_many(r.creature, COUNT, inputs, many, stride), SFT_ERR_RANGE);
    assert_int_equal(sft_creature_get_body((sft_creature_state*)(void*)(many + 2 * stride))->step, 600);
    assert_int_equal(sft_creature_get_body((sft_creature_state*)(void*)(many + 7 * stride))->step, 601);
    free(many);
    free(one);
    roam_end(&r);
}

static sft_result create(const sft_creature_def* def, const sft_skeleton* skeleton, sft_error* error)
{
    sft_creature* made = NULL;
    memset(error, 0, sizeof *error);
    const sft_result result = sft_creature_create(def, skeleton, NULL, &made, error);
    assert_true((result == SFT_OK) == (made != NULL));
    sft_creature_destroy(made, NULL);
    return result;
}

static void test_creature_state__defs_are_checked_field_by_field(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    sft_error error;
    assert_int_equal(create(&made.def, made.skeleton, &error), SFT_OK);
#define REFUSED(change, result, words)                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        sft_creature_def def = made.def;                                                                               \
        change;                                                                                                        \
        assert_int_equal(create(&def, made.skeleton, &error), result);                                                 \
        if (strstr(error.message, words) == NULL) print_message("%s\n", error.message);                                \
        assert_non_null(strstr(error.message, words));                                                                 \
    } while (0)
    REFUSED(def.cookie = 0, SFT_ERR_DEF, "sft_default_creature_def");
    REFUSED(def.scale = -1, SFT_ERR_DEF, "scale");
    REFUSED(def.scale = 0, SFT_ERR_DEF, "scale");
    REFUSED(def.scale = NAN, SFT_ERR_RANGE, "scale");
    REFUSED(def.motion.max_speed = 0, SFT_ERR_DEF, "motion.max_speed");
    REFUSED(def.motion.approach_distance = 0.1, SFT_ERR_DEF, "approach_distance");
    REFUSED(def.motion.back_distance = 5, SFT_ERR_DEF, "back_distance");
    REFUSED(def.swing.time = 0, SFT_ERR_DEF, "swing.time");
    REFUSED(def.swing.max_slope = 2, SFT_ERR_DEF, "swing.max_slope");
    REFUSED(def.forward.y = 0.5, SFT_ERR_DEF, "forward");
    REFUSED(def.body = 99, SFT_ERR_DEF, "body");
    REFUSED(def.leg_count = 0, SFT_ERR_DEF, "legs");
    REFUSED(def.gaits = 0, SFT_ERR_DEF, "gaits");
    REFUSED(def.gaits = 64, SFT_ERR_DEF, "gaits");
    REFUSED(def.gaits |= 1u << SFT_GAIT_WAVE, SFT_ERR_DEF, "leg 0 has turn -1 in gait 5");
    REFUSED(def.legs[3].group[SFT_GAIT_DIAGONAL] = 3, SFT_ERR_DEF, "turn 3");
    REFUSED(def.gait_speed[2] = 2, SFT_ERR_DEF, "gait_speed");
    REFUSED(def.legs[1].reach_max = 9, SFT_ERR_RANGE, "leg 1");
    REFUSED(def.legs[1].reach_min = -1, SFT_ERR_DEF, "leg 1, reach_min");
    REFUSED(def.legs[1].step_distance = 0, SFT_ERR_DEF, "leg 1, step_distance");
    REFUSED(def.legs[1].home.x = INFINITY, SFT_ERR_RANGE, "leg 1, home");
    REFUSED(def.legs[1].home.x = 3, SFT_ERR_DEF, "leg 1, home");
    REFUSED(def.legs[1].joint_count = 2, SFT_ERR_DEF, "leg 1 has 2 joints");
    REFUSED(def.legs[1].joints[0] = def.legs[0].joints[0], SFT_ERR_DEF, "leg 1");
    REFUSED(def.spine[0].share = 2, SFT_ERR_DEF, "share");
    REFUSED(def.spine_count = 17, SFT_ERR_DEF, "chain");
    REFUSED(def.tail[0] = -2, SFT_ERR_DEF, "tail joint 0");
    REFUSED(def.eyes[0].forward.z = 2, SFT_ERR_DEF, "eye 0");
    REFUSED(def.arm_count = 17, SFT_ERR_DEF, "chain");
    REFUSED((def.arm_count = 1, def.arms[0].joints[0] = def.body), SFT_ERR_DEF, "arm 0");
    REFUSED((def.arm_count = 1, memcpy(def.arms[0].joints, def.legs[0].joints, sizeof def.arms[0].joints)), SFT_ERR_DEF,
            "arm 0 must not carry a leg");
    REFUSED((def.arm_count = 1, memcpy(def.arms[0].joints, def.tail, sizeof def.arms[0].joints), def.arms[0].swing = 9),
            SFT_ERR_DEF, "arm 0, swing");
#undef REFUSED
    release_roamer(&made);
}

/// A number that a file may not say no def may hold, and the other way round: one table says both.
static void test_creature_state__files_and_defs_have_the_same_ranges(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    const struct
    {
        const sft_creature_table* table;
        size_t at;
    } groups[] = {
        {sft_creature_motion_table(), offsetof(sft_creature_def, motion)},
        {sft_creature_swing_table(), offsetof(sft_creature_def, swing)},
        {sft_creature_bob_table(), offsetof(sft_creature_def, bob)},
        {sft_creature_aim_table(), 0},
        {sft_creature_tail_table(), 0},
        {sft_creature_leg_table(), offsetof(sft_creature_def, legs[1])},
        {sft_creature_link_table(), offsetof(sft_creature_def, spine[1])},
        {sft_creature_eye_table(), offsetof(sft_creature_def, eyes[1])},
    };
    int tried = 0;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; ++g)
        for (size_t k = 0; k < groups[g].table->count; ++k)
            for (int end = 0; end < 2; ++end)
            {
                const sft_creature_field* f = &groups[g].table->fields[k];
                const bool degrees = f->unit == SFT_CREATURE_DEGREES || f->unit == SFT_CREATURE_VECTOR_DEGREES;
                double x = end == 0 ? f->min - (1e-3 * fabs(f->min) + 1e-12) : f->max * (1 + 1e-3);
                if (degrees) x = sft_creature_radians(x);
                sft_creature_def def = made.def, back;
                memcpy((char*)&def + groups[g].at + f->offset, &x, sizeof x);
                sft_error error;
                const sft_result refused = create(&def, made.skeleton, &error);
                if (refused != SFT_ERR_DEF) fail_msg("%s %g: %s", f->key, x, sft_result_string(refused));
                char* text = NULL;
                size_t size = 0;
                assert_int_equal(sft_creature_format(&def, made.skeleton, NULL, &text, &size), SFT_OK);
                const sft_result parsed = sft_creature_parse(text, size, made.skeleton, NULL, &back, &error);
                if (parsed != SFT_ERR_RANGE) fail_msg("%s %g: %s", f->key, x, sft_result_string(parsed));
                free(text);
                ++tried;
            }
    assert_true(tried > 80);
    release_roamer(&made);
}

static void test_creature_state__no_memory_at_any_point(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_SPIDER, &made);
    for (long k = 0; k < 100; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_creature* creature = NULL;
        const sft_result result = sft_creature_create(&made.def, made.skeleton, &allocator, &creature, NULL);
        sft_creature_destroy(creature, &allocator);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK)
        {
            assert_true(k > 2);
            release_roamer(&made);
            return;
        }
        assert_int_equal(result, SFT_ERR_MEMORY);
    }
    fail();
}

// Put down turned and tilted, a leg's length too high: heading alone is kept, feet and height are the ground's.
static void test_creature_state__placed_on_the_ground(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int s = 0; s < 3; ++s)
        {
            static const double scales[] = {1, 0.1, 10};
            const sft_quatd turned =
                sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, 2, 0)), sft_quatd_exp(sft_v3d_make(0.2, 0, 0)));
            roam r;
            roam_begin((roamer_kind)k, scales[s], true, sft_ground_from_plane(&plane),
                       (sft_xformd){{3, 0.1 * scales[s], -2}, turned}, &r);
            const sft_creature_body* body = sft_creature_get_body(r.state);
            const sft_quatd level = sft_quatd_exp(sft_v3d_make(0, 2, 0));
            assert_true(fabs(body->place.t.y) < 1e-9 * scales[s]);
            assert_true(fabs(sft_quatd_dot(body->place.r, level)) > 1 - 1e-9);
            roam_steps(&r, 600);
            assert_true(r.seen.strides == 0 && r.seen.way == 0);
            assert_true(r.seen.least_down == r.made.def.leg_count);
            assert_true(r.seen.foot_off < 1e-6 && !r.seen.bad);
            roam_end(&r);
        }
}

// Groups by side and girdle, whatever the order of legs.
static void test_creature_state__groups_of_any_number_of_legs(void** state)
{
    (void)state;
    for (int32_t count = 1; count <= 16; ++count)
        for (int shuffle = 0; shuffle < 3; ++shuffle)
        {
            sft_creature_def def = sft_default_creature_def();
            def.leg_count = count;
            for (int32_t l = 0; l < count; ++l)
            {
                const int32_t of = (l * (shuffle == 1 ? 7 : 1) + shuffle) % count;
                const bool fits = shuffle != 1 || count % 7 != 0;
                const int32_t at = fits ? of : l;
                def.legs[l].side = at % 2 == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
                def.legs[l].pair = 10 * (at / 2);
            }
            assert_int_equal(sft_creature_propose_groups(&def), SFT_OK);
            assert_true(def.gaits != 0);
            for (int32_t g = 0; g < SFT_GAIT_COUNT; ++g)
            {
                int32_t of[SFT_MAX_LEGS] = {0}, turns = 0, most = 0;
                if ((def.gaits >> g & 1) == 0) continue;
                for (int32_t l = 0; l < count; ++l)
                {
                    const int32_t group = def.legs[l].group[g];
                    assert_true(group >= 0 && group < count);
                    ++of[group];
                    turns = group + 1 > turns ? group + 1 : turns;
                    most = of[group] > most ? of[group] : most;
                }
                for (int32_t k = 0; k < turns; ++k)
                    assert_true(of[k] > 0);
                // No more than half of the feet, rounded up, lift at once.
                assert_true(most <= (count + 1) / 2);
                if (g == SFT_GAIT_WAVE) assert_true(most == 1 && turns == count);
                if (g == SFT_GAIT_RIPPLE) assert_true(most == 2);
            }
            assert_true((count == 2) == ((def.gaits >> SFT_GAIT_ALTERNATE & 1) != 0));
            assert_true((count == 4) == ((def.gaits >> SFT_GAIT_DIAGONAL & 1) != 0));
            assert_true((count >= 6 && count % 2 == 0) == ((def.gaits >> SFT_GAIT_TRIPOD & 1) != 0));
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_state__clocks_of_any_rate_give_the_same_bits),
        cmocka_unit_test(test_creature_state__a_long_frame_is_bounded),
        cmocka_unit_test(test_creature_state__restored_goes_on_with_the_same_bits),
        cmocka_unit_test(test_creature_state__hostile_bytes_are_refused),
        cmocka_unit_test(test_creature_state__many_have_the_bits_of_one),
        cmocka_unit_test(test_creature_state__defs_are_checked_field_by_field),
        cmocka_unit_test(test_creature_state__files_and_defs_have_the_same_ranges),
        cmocka_unit_test(test_creature_state__no_memory_at_any_point),
        cmocka_unit_test(test_creature_state__placed_on_the_ground),
        cmocka_unit_test(test_creature_state__groups_of_any_number_of_legs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
