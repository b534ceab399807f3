// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures given what nobody should give them: refused with words, or a walk of finite numbers whose standing feet
// stand. Whatever happens, the joints of the pose are where the feet are meant.

#include "support/counted_heap.h"
#include "support/roam.h"

#include "core/core.h"

#include <math.h>

static const sft_xformd origin = {{0, 0, 0}, {0, 0, 0, 1}};
static const sft_ground_plane plane = {{0, 0, 0}, {0, 1, 0}, 0};

static void test_creature_hostile__nothing_is_allocated_after_creation(void** state)
{
    (void)state;
#ifndef SFT_WRAPPED_HEAP
    skip();
#else
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r;
        roam_begin((roamer_kind)k, 1, true, sft_ground_from_plane(&plane), origin, &r);
        const size_t size = sft_creature_state_size(r.creature), saved = sft_creature_save_size(r.creature);
        unsigned char* file = malloc(saved);
        assert_non_null(file);
        sft_xformd world[ROAMER_JOINTS];
        const sft_v3d look = {0, 0.5, 3};
        sft_creature_input input = {.kind = SFT_CREATURE_GO_TO, .goal = {1, 0, 3}, .look = &look, .ground = &r.ground};
        sft_creature_state* made = NULL;
        const long before = heap_calls;
        sft_result result = sft_creature_place(r.creature, origin, &r.ground, r.memory, size, &made);
        for (int i = 0; i < 1200 && result == SFT_OK; ++i)
            result = sft_creature_step_many(r.creature, 1, &input, made, size);
        sft_creature_get_world(r.creature, made, world);
        if (result == SFT_OK) result = sft_creature_face(r.creature, &look, made);
        if (result == SFT_OK) result = sft_creature_save(r.creature, made, file, saved);
        if (result == SFT_OK) result = sft_creature_restore(r.creature, file, saved, r.memory, size, &made);
        const long after = heap_calls;
        assert_int_equal(result, SFT_OK);
        assert_true(before > 0);
        assert_int_equal(after - before, 0);
        free(file);
        roam_end(&r);
    }
#endif
}

// ---- grounds that err ----

typedef enum lie
{
    LIE_NAN_POINT,
    LIE_NAN_NORMAL,
    LIE_NO_NORMAL,   // length 0
    LIE_LONG_NORMAL, // length 1000
    LIE_DOWN,        // normal points down
    LIE_ELSEWHERE,   // the point is a kilometre aside
    LIE_ABOVE,       // the point is over the origin of the ray
    LIE_HUGE,        // beyond all range
    LIE_NEGATIVE,    // distance below 0
    LIE_NOISE,       // another height and normal each time
    LIE_EVERY_OTHER, // there and not there by turns
    LIE_ONE_HIT,     // distance and point that do not belong together
    LIES
} lie;

typedef struct liar
{
    lie kind;
    support_rng rng;
    long asked;
} liar;

static bool query_liar(const void* data, sft_v3d from, sft_v3d way, double distance, double radius, sft_ground_hit* hit)
{
    liar* l = (liar*)(uintptr_t)data; // one thread
    (void)radius;
    ++l->asked;
    const double height = way.y < -0.5 ? from.y / -way.y : 1e300;
    if (!(height <= distance) || height < 0) return false;
    const sft_v3d p = sft_v3d_madd(from, height, way);
    *hit = (sft_ground_hit){.point = p, .normal = {0, 1, 0}, .distance = height, .triangle = -1};
    switch (l->kind)
    {
    case LIE_NAN_POINT:
        hit->point.x = NAN;
        break;
    case LIE_NAN_NORMAL:
        hit->normal.z = NAN;
        break;
    case LIE_NO_NORMAL:
        hit->normal = (sft_v3d){0, 0, 0};
        break;
    case LIE_LONG_NORMAL:
        hit->normal = (sft_v3d){300, 1000, 0};
        break;
    case LIE_DOWN:
        hit->normal = (sft_v3d){0, -1, 0};
        break;
    case LIE_ELSEWHERE:
        hit->point.x += 1000;
        break;
    case LIE_ABOVE:
        hit->point.y += 5;
        break;
    case LIE_HUGE:
        hit->point.y = 1e300;
        break;
    case LIE_NEGATIVE:
        hit->distance = -1;
        break;
    case LIE_NOISE:
        hit->point.y += support_uniform(&l->rng, -0.05, 0.05);
        hit->normal = sft_v3d_make(support_uniform(&l->rng, -2, 2), 1, support_uniform(&l->rng, -2, 2));
        break;
    case LIE_EVERY_OTHER:
        return l->asked % 2 == 0;
    case LIE_ONE_HIT:
        hit->distance = 0;
        break;
    case LIES:
        break;
    }
    return true;
}

static void expect_sound(const roam* r, const char* what)
{
    if (r->seen.bad) fail_msg("%s: a number is none", what);
    if (!(r->seen.slip < 1e-4 && r->seen.foot_off < 1e-4 && r->seen.foot_turned < 1.75e-3))
        fail_msg("%s: feet slip %g, joints off %g, turned %g", what, r->seen.slip, r->seen.foot_off,
                 r->seen.foot_turned);
    const sft_v3d* t;
    const sft_quatd* q;
    sft_creature_get_pose(r->creature, r->state, &t, &q);
    for (int32_t j = 0; j < r->made.skeleton->joint_count; ++j)
        if (!sft_v3d_in_range(t[j]) || !(fabs(sft_quatd_dot(q[j], q[j]) - 1) < 1e-6))
            fail_msg("%s: joint %d is no pose", what, (int)j);
}

static void test_creature_hostile__grounds_that_lie(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int kind = 0; kind < LIES; ++kind)
            for (int sudden = 0; sudden < 2; ++sudden)
            {
                liar l = {(lie)kind, {(uint64_t)kind + 1}, 0};
                const sft_ground lies = {query_liar, &l};
                roam r;
                // From the start, or after a while on honest ground.
                roam_begin((roamer_kind)k, 1, true, sudden ? sft_ground_from_plane(&plane) : lies, origin, &r);
                r.input = (sft_creature_input){.kind = SFT_CREATURE_GO_TO, .goal = {0.5, 0, 4}, .ground = &r.ground};
                if (sudden)
                {
                    roam_steps(&r, 130);
                    r.ground = lies;
                    r.input.blocks = &r.ground;
                }
                roam_steps(&r, 400);
                char what[64];
                snprintf(what, sizeof what, "kind %d, lie %d, sudden %d", k, kind, sudden);
                expect_sound(&r, what);
                roam_end(&r);
            }
}

// ---- numbers that are none, or wild ----

static void test_creature_hostile__inputs_that_are_no_numbers(void** state)
{
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY, 1e300};
    roam r;
    roam_begin(ROAMER_LIZARD, 1, true, sft_ground_from_plane(&plane), origin, &r);
    r.input = (sft_creature_input){.kind = SFT_CREATURE_GO_TO, .goal = {0, 0, 4}, .ground = &r.ground};
    roam_steps(&r, 100);
    const size_t size = sft_creature_state_size(r.creature);
    void* before = malloc(size);
    assert_non_null(before);
    memcpy(before, r.memory, size);
    for (size_t b = 0; b < SFT_COUNT_OF(bad); ++b)
        for (int axis = 0; axis < 3; ++axis)
        {
            const double x = bad[b];
            const sft_v3d v = {axis == 0 ? x : 0, axis == 1 ? x : 0, axis == 2 ? x : 0};
            const sft_creature_input inputs[] = {
                {.kind = SFT_CREATURE_GO_TO, .goal = v, .ground = &r.ground},
                {.kind = SFT_CREATURE_DRIVE, .velocity = v, .ground = &r.ground},
                {.kind = SFT_CREATURE_DRIVE, .turn = x, .ground = &r.ground},
                {.kind = SFT_CREATURE_STAND, .look = &v, .ground = &r.ground},
                {.kind = SFT_CREATURE_STAND, .push = v, .ground = &r.ground},
            };
            for (size_t i = 0; i < SFT_COUNT_OF(inputs); ++i)
                assert_int_equal(sft_creature_step(r.creature, &inputs[i], r.state), SFT_ERR_RANGE);
            sft_creature_state* out = r.state;
            const sft_xformd places[] = {{v, {0, 0, 0, 1}}, {{0, 0, 0}, {x, 0, 0, 1}}, {{0, 0, 0}, {0, 0, 0, 0}}};
            for (size_t i = 0; i < SFT_COUNT_OF(places); ++i)
                assert_int_equal(sft_creature_place(r.creature, places[i], &r.ground, r.memory, size, &out),
                                 SFT_ERR_RANGE);
            assert_int_equal(sft_creature_face(r.creature, &v, r.state), SFT_ERR_RANGE);
        }
    const sft_creature_input none = {.kind = (sft_creature_goal)7};
    assert_int_equal(sft_creature_step(r.creature, &none, r.state), SFT_ERR_ARG);
    assert_memory_equal(before, r.memory, size);
    free(before);
    roam_end(&r);
}

static void test_creature_hostile__inputs_that_are_wild(void** state)
{
    (void)state;
    support_rng rng = {77};
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roam r;
        roam_begin((roamer_kind)k, 1, true, sft_ground_from_plane(&plane), origin, &r);
        for (int i = 0; i < 1500; ++i)
        {
            const double far = exp(support_uniform(&rng, -20, 13));
            const sft_v3d look = {support_uniform(&rng, -far, far), support_uniform(&rng, -far, far),
                                  support_uniform(&rng, -far, far)};
            r.input = (sft_creature_input){.kind = (sft_creature_goal)(i / 7 % 3),
                                           .goal = look,
                                           .velocity = look,
                                           .turn = support_uniform(&rng, -far, far),
                                           .look = i % 3 ? &look : NULL,
                                           .ground = i % 50 < 40 ? &r.ground : NULL,
                                           .push = i % 5 ? (sft_v3d){0, 0, 0} : look};
            roam_steps(&r, 1);
        }
        expect_sound(&r, "wild");
        roam_end(&r);
    }
}

static void test_creature_hostile__clocks(void** state)
{
    (void)state;
    roam r;
    roam_begin(ROAMER_BIPED, 1, true, sft_ground_from_plane(&plane), origin, &r);
    const int32_t untouched = -5;
    int32_t taken = untouched;
    assert_int_equal(sft_creature_update(r.creature, 0.1, 5, NULL, NULL, r.state, &taken), SFT_ERR_ARG);
    assert_int_equal(sft_creature_update(NULL, 0.1, 5, NULL, NULL, r.state, &taken), SFT_ERR_ARG);
    assert_int_equal(taken, untouched);
    sft_creature_destroy(NULL, NULL);
    assert_null(sft_creature_get_body(NULL));
    assert_null(sft_creature_get_feet(NULL, NULL));
    assert_int_equal(sft_creature_turns(r.creature, (sft_gait)99), 0);
    assert_true(sft_creature_safe_speed(r.creature, (sft_gait)-1) == 0);
    roam_end(&r);
}

// ---- creatures of odd builds ----

#define LEGS_MOST SFT_MAX_LEGS

// A body with so many legs about it, each of hip, knee and foot.
static sft_skeleton* many_legged(int32_t legs, double size, sft_creature_def* def)
{
    static char text[1 + 3 * LEGS_MOST][16];
    const char* names[1 + 3 * LEGS_MOST];
    int32_t parents[1 + 3 * LEGS_MOST];
    sft_v3d t[1 + 3 * LEGS_MOST];
    *def = sft_default_creature_def();
    names[0] = "body";
    parents[0] = -1;
    t[0] = sft_v3d_make(0, 0.1 * size, 0);
    def->body = 0;
    def->leg_count = legs;
    for (int32_t l = 0; l < legs; ++l)
    {
        const double side = l % 2 ? -1 : 1, z = (l / 2 - 0.25 * (legs - 1)) * 0.08;
        const sft_v3d at[3] = {{side * 0.04, 0, z}, {side * 0.06, 0.04, 0}, {side * 0.03, -0.135, 0}};
        sft_creature_leg* leg = &def->legs[l];
        *leg = (sft_creature_leg){.side = l % 2 ? SFT_LEG_RIGHT : SFT_LEG_LEFT, .pair = l / 2, .joint_count = 3};
        sft_v3d home = t[0];
        for (int k = 0; k < 3; ++k)
        {
            const int32_t j = 1 + 3 * l + k;
            snprintf(text[j], sizeof text[j], "leg%d_%d", (int)l, k);
            names[j] = text[j];
            parents[j] = k == 0 ? 0 : j - 1;
            t[j] = sft_v3d_scale(size, at[k]);
            home = sft_v3d_add(home, t[j]);
            leg->joints[k] = j;
        }
        for (int g = 0; g < SFT_GAIT_COUNT; ++g)
            leg->group[g] = -1;
        leg->home = home;
        leg->ankle_offset = home.y;
        leg->step_distance = 0.05 * size;
        leg->step_angle = 0.6;
        leg->reach_min = 0.03 * size;
        leg->reach_max = 0.2 * size;
    }
    const sft_skeleton plan = {.joint_count = 1 + 3 * legs, .names = names, .parents = parents, .rest_translations = t};
    sft_skeleton* out = NULL;
    assert_int_equal(sft_skeleton_create(&plan, NULL, &out), SFT_OK);
    return out;
}

// Created and led about, or refused with words. Returns whether it was created.
static bool try_it(const sft_creature_def* def, const sft_skeleton* skeleton, const char* what)
{
    sft_creature* creature = NULL;
    sft_error error = {0};
    const sft_result result = sft_creature_create(def, skeleton, NULL, &creature, &error);
    if (result != SFT_OK)
    {
        if (error.message[0] == '\0' || creature != NULL) fail_msg("%s: refused without words", what);
        return false;
    }
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    sft_creature_state* state = NULL;
    const sft_ground ground = sft_ground_from_plane(&plane);
    assert_int_equal(sft_creature_place(creature, origin, &ground, memory, size, &state), SFT_OK);
    const sft_v3d goal = {0.3 * def->scale, 0, 3 * def->scale};
    sft_xformd* world = malloc((size_t)skeleton->joint_count * sizeof *world);
    assert_non_null(world);
    for (int i = 0; i < 600; ++i)
    {
        const sft_creature_input input = {.kind = (sft_creature_goal)(i / 250),
                                          .goal = goal,
                                          .velocity = goal,
                                          .turn = 1,
                                          .look = &goal,
                                          .ground = &ground};
        assert_int_equal(sft_creature_step(creature, &input, state), SFT_OK);
        sft_creature_get_world(creature, state, world);
        const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
        for (int32_t l = 0; l < def->leg_count; ++l)
        {
            const sft_creature_leg* leg = &def->legs[l];
            const double off = sft_v3d_distance(world[leg->joints[leg->joint_count - 1]].t, feet[l].position);
            if (feet[l].standing && !(off <= 1e-4 * def->scale + 1e-9))
                fail_msg("%s: step %d, leg %d is %g off", what, i, (int)l, off);
        }
        for (int32_t j = 0; j < skeleton->joint_count; ++j)
            if (!(fabs(world[j].t.x) < 1e15 && fabs(world[j].t.y) < 1e15 && fabs(world[j].t.z) < 1e15))
                fail_msg("%s: step %d, joint %d is nowhere", what, i, (int)j);
    }
    free(world);
    free(memory);
    sft_creature_destroy(creature, NULL);
    return true;
}

static void test_creature_hostile__one_leg_to_sixty_four(void** state)
{
    (void)state;
    const int32_t counts[] = {1, 2, 3, 5, 7, 16, 63, 64};
    for (size_t k = 0; k < SFT_COUNT_OF(counts); ++k)
    {
        sft_creature_def def;
        sft_skeleton* skeleton = many_legged(counts[k], 1, &def);
        assert_int_equal(sft_creature_propose_groups(&def), SFT_OK);
        char what[32];
        snprintf(what, sizeof what, "%d legs", (int)counts[k]);
        assert_true(try_it(&def, skeleton, what));
        // No leg in any group of the gaits that are allowed.
        for (int32_t l = 0; l < def.leg_count; ++l)
            for (int g = 0; g < SFT_GAIT_COUNT; ++g)
                def.legs[l].group[g] = -1;
        assert_false(try_it(&def, skeleton, what));
        def.gaits = 0;
        assert_false(try_it(&def, skeleton, what));
        sft_skeleton_destroy(skeleton, NULL);
    }
}

static void test_creature_hostile__legs_without_length(void** state)
{
    (void)state;
    const double sizes[] = {0, 1e-300, 1e-12, 1e-6};
    for (size_t k = 0; k < SFT_COUNT_OF(sizes); ++k)
    {
        sft_creature_def def;
        sft_skeleton* skeleton = many_legged(4, sizes[k], &def);
        sft_creature_def whole;
        sft_skeleton* sound = many_legged(4, 1, &whole);
        assert_int_equal(sft_creature_propose_groups(&def), SFT_OK);
        assert_int_equal(sft_creature_propose_groups(&whole), SFT_OK);
        try_it(&def, skeleton, "legs without length");
        // Numbers of a sound creature on such a skeleton.
        try_it(&whole, skeleton, "sound numbers, legs without length");
        sft_skeleton_destroy(skeleton, NULL);
        sft_skeleton_destroy(sound, NULL);
    }
}

static void test_creature_hostile__homes_out_of_reach_and_wild_fields(void** state)
{
    (void)state;
    sft_creature_def def;
    sft_skeleton* skeleton = many_legged(4, 1, &def);
    assert_int_equal(sft_creature_propose_groups(&def), SFT_OK);
    const sft_v3d homes[] = {{0, 100, 0}, {1e6, 0, 0}, {0, -1, 0}, {0.04, 0.1, -0.04}, {NAN, 0, 0}, {0, 0, INFINITY}};
    for (size_t k = 0; k < SFT_COUNT_OF(homes); ++k)
    {
        sft_creature_def other = def;
        other.legs[0].home = homes[k];
        char what[32];
        snprintf(what, sizeof what, "home %d", (int)k);
        try_it(&other, skeleton, what);
        for (int32_t l = 0; l < 4; ++l)
            other.legs[l].home = homes[k];
        try_it(&other, skeleton, what);
    }
    sft_skeleton_destroy(skeleton, NULL);
}

static void test_creature_hostile__scales(void** state)
{
    (void)state;
    const double scales[] = {1e-9, 1e-6, 1e-3, 0.01, 100, 1e3, 1e6, 1e9};
    for (int kind = 0; kind < ROAMER_KINDS; ++kind)
        for (size_t k = 0; k < SFT_COUNT_OF(scales); ++k)
        {
            roamer made;
            make_roamer((roamer_kind)kind, &made);
            made.def.scale = scales[k];
            char what[48];
            snprintf(what, sizeof what, "kind %d, scale %g", kind, scales[k]);
            try_it(&made.def, made.skeleton, what);
            release_roamer(&made);
        }
}

static void test_creature_hostile__garbage_is_no_state(void** state)
{
    (void)state;
    support_rng rng = {9};
    roam r;
    roam_begin(ROAMER_SPIDER, 1, true, sft_ground_from_plane(&plane), origin, &r);
    const size_t size = sft_creature_state_size(r.creature), saved = sft_creature_save_size(r.creature);
    unsigned char* bytes = malloc(saved + 64);
    void* memory = malloc(size);
    assert_true(bytes != NULL && memory != NULL);
    sft_creature_state* out = NULL;
    for (int i = 0; i < 300; ++i)
    {
        const int value = (int)support_uniform(&rng, 0, 256);
        for (size_t k = 0; k < saved + 64; ++k)
            bytes[k] = (unsigned char)(i % 2 ? value : (int)support_uniform(&rng, 0, 256));
        const size_t count = i % 3 ? saved : (size_t)support_uniform(&rng, 0, (double)saved + 64);
        const sft_result result = sft_creature_restore(r.creature, bytes, count, memory, size, &out);
        assert_true(result == SFT_ERR_SYNTAX || result == SFT_ERR_UNSUPPORTED);
        assert_null(out);
    }
    assert_int_equal(sft_creature_restore(r.creature, NULL, saved, memory, size, &out), SFT_ERR_ARG);
    assert_int_equal(sft_creature_restore(r.creature, bytes, saved, NULL, size, &out), SFT_ERR_ARG);
    // Memory that was never a state.
    memset(memory, 0x41, size);
    const sft_creature_input stand = {.ground = &r.ground};
    assert_int_equal(sft_creature_step(r.creature, &stand, memory), SFT_ERR_ARG);
    assert_int_equal(sft_creature_save(r.creature, memory, bytes, saved), SFT_ERR_ARG);
    free(bytes);
    free(memory);
    roam_end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_hostile__nothing_is_allocated_after_creation),
        cmocka_unit_test(test_creature_hostile__grounds_that_lie),
        cmocka_unit_test(test_creature_hostile__inputs_that_are_no_numbers),
        cmocka_unit_test(test_creature_hostile__inputs_that_are_wild),
        cmocka_unit_test(test_creature_hostile__clocks),
        cmocka_unit_test(test_creature_hostile__one_leg_to_sixty_four),
        cmocka_unit_test(test_creature_hostile__legs_without_length),
        cmocka_unit_test(test_creature_hostile__homes_out_of_reach_and_wild_fields),
        cmocka_unit_test(test_creature_hostile__scales),
        cmocka_unit_test(test_creature_hostile__garbage_is_no_state),
    };
    return cmocka_run_group_tests_name("creature_hostile", tests, NULL, NULL);
}
