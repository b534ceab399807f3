// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Many creatures of one kind in one flat array, cut into ranges for threads, one creature and one ground for all of
// them: each has the bits that it has when it walks alone. Under the thread sanitizer a write to anything shared is
// found even where it does no harm.
#define _POSIX_C_SOURCE 200809L

#include "support/roam.h"

#include <pthread.h>

#define THREADS 4
#if defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#endif
// Sanitizers multiply the time of a step by ten and more; shared writes show as well with fewer.
#ifdef SANITIZED
#define CREATURES (THREADS * 100)
#else
#define CREATURES (THREADS * SUPPORT_BULK(2500))
#endif
#define STEPS 24
#define GRID 33

/// What everybody reads and nobody writes while the threads run.
typedef struct stage
{
    roamer made;
    sft_creature* creature;
    double heights[GRID * GRID];
    sft_ground_heights field;
    sft_ground ground, wall;
    sft_ground_plane plane;
    size_t size;
} stage;

static void stage_begin(roamer_kind kind, stage* s)
{
    make_roamer(kind, &s->made);
    assert_int_equal(sft_creature_propose_groups(&s->made.def), SFT_OK);
    assert_int_equal(sft_creature_create(&s->made.def, s->made.skeleton, NULL, &s->creature, NULL), SFT_OK);
    for (int k = 0; k < GRID * GRID; ++k)
        s->heights[k] = 0.01 * (k * 7 % 5);
    s->field = (sft_ground_heights){{-16, 0, -16}, 1, 1, GRID, GRID, s->heights, 3};
    s->ground = sft_ground_from_heights(&s->field);
    s->plane = (sft_ground_plane){{0, 0, 15}, {0, 0, -1}, 0};
    s->wall = sft_ground_from_plane(&s->plane);
    s->size = (sft_creature_state_size(s->creature) + 63) / 64 * 64;
}

static void stage_end(stage* s)
{
    sft_creature_destroy(s->creature, NULL);
    release_roamer(&s->made);
}

// What creature i does at a step; look must live as long as the input.
static sft_creature_input input_of(const stage* s, int32_t i, int step, sft_v3d* look)
{
    *look = sft_v3d_make(0.1 * (i % 50), 0.3, 0.2 * step);
    return (sft_creature_input){.kind = (sft_creature_goal)((i + step / 20) % 3),
                                .goal = sft_v3d_make(i % 7 - 3, 0, i % 11 - 5),
                                .velocity = sft_v3d_make(0.02 * (i % 5), 0, 0.1),
                                .turn = 0.3 * (i % 3 - 1),
                                .look = i % 4 ? look : NULL,
                                .ground = &s->ground,
                                .blocks = i % 2 ? &s->wall : NULL,
                                .push = sft_v3d_make(i % 13 == 0 ? 0.002 : 0, 0, 0)};
}

static void put(const stage* s, int32_t i, void* memory)
{
    sft_creature_state* state;
    const sft_xformd place = {{0.3 * (i % 40) - 6, 0, 0.3 * (i / 40 % 40) - 6},
                              sft_quatd_exp(sft_v3d_make(0, 0.11 * (i % 29), 0))};
    assert_int_equal(sft_creature_place(s->creature, place, &s->ground, memory, s->size, &state), SFT_OK);
}

typedef struct range
{
    const stage* s;
    char* states;
    int32_t first, end;
    sft_result result;
    sft_creature_input* inputs; // of this range
    sft_v3d* looks;
} range;

static void* run(void* data)
{
    range* r = data;
    for (int step = 0; step < STEPS && r->result == SFT_OK; ++step)
    {
        for (int32_t i = r->first; i < r->end; ++i)
            r->inputs[i - r->first] = input_of(r->s, i, step, &r->looks[i - r->first]);
        r->result = sft_creature_step_many(r->s->creature, r->end - r->first, r->inputs,
                                           r->states + (size_t)r->first * r->s->size, r->s->size);
    }
    return NULL;
}

static void run_kind(roamer_kind kind)
{
    stage s;
    stage_begin(kind, &s);
    char *states = calloc(CREATURES, s.size), *alone = calloc(1, s.size);
    assert_true(states != NULL && alone != NULL);
    range ranges[THREADS];
    pthread_t threads[THREADS];
    for (int32_t i = 0; i < CREATURES; ++i)
        put(&s, i, states + (size_t)i * s.size);
    for (int t = 0; t < THREADS; ++t)
    {
        range* r = &ranges[t];
        *r = (range){
            .s = &s, .states = states, .first = t * (CREATURES / THREADS), .end = (t + 1) * (CREATURES / THREADS)};
        r->inputs = calloc(CREATURES / THREADS, sizeof *r->inputs);
        r->looks = calloc(CREATURES / THREADS, sizeof *r->looks);
        assert_true(r->inputs != NULL && r->looks != NULL);
        assert_int_equal(pthread_create(&threads[t], NULL, run, r), 0);
    }
    for (int t = 0; t < THREADS; ++t)
    {
        assert_int_equal(pthread_join(threads[t], NULL), 0);
        assert_int_equal(ranges[t].result, SFT_OK);
        free(ranges[t].inputs);
        free(ranges[t].looks);
    }
    int64_t steps = 0;
    for (int32_t i = 0; i < CREATURES; ++i)
    {
        put(&s, i, alone);
        sft_creature_state* state = (sft_creature_state*)(void*)alone;
        for (int step = 0; step < STEPS; ++step)
        {
            sft_v3d look;
            const sft_creature_input input = input_of(&s, i, step, &look);
            assert_int_equal(sft_creature_step(s.creature, &input, state), SFT_OK);
        }
        if (memcmp(alone, states + (size_t)i * s.size, s.size) != 0)
            fail_msg("creature %d differs between one thread and %d", (int)i, THREADS);
        const sft_creature_foot* feet = sft_creature_get_feet(s.creature, state);
        for (int32_t l = 0; l < s.made.def.leg_count; ++l)
            steps += feet[l].steps;
    }
    // They did something: feet lifted.
    assert_true(steps > CREATURES / 20);
    free(states);
    free(alone);
    stage_end(&s);
}

static void test_threads_creature__ten_thousand_have_the_bits_of_one_alone(void** state)
{
    (void)state;
    run_kind(ROAMER_LIZARD);
}

// One that roams for long on each thread, all of one creature: other paths through the same code.
typedef struct walker_thread
{
    const stage* s;
    char* state;
    int32_t number;
    int steps;
} walker_thread;

static void* roam_long(void* data)
{
    walker_thread* w = data;
    for (int step = 0; step < w->steps; ++step)
    {
        sft_v3d look;
        const sft_creature_input input = input_of(w->s, w->number, step / 20, &look);
        sft_creature_step(w->s->creature, &input, (sft_creature_state*)(void*)w->state);
    }
    return NULL;
}

static void test_threads_creature__long_walks_of_every_kind_side_by_side(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        stage s;
        stage_begin((roamer_kind)k, &s);
        char *states = calloc(THREADS, s.size), *alone = calloc(1, s.size);
        assert_true(states != NULL && alone != NULL);
        walker_thread walkers[THREADS];
        pthread_t threads[THREADS];
        for (int t = 0; t < THREADS; ++t)
        {
            walkers[t] = (walker_thread){&s, states + (size_t)t * s.size, 17 * t + 1, 1200};
            put(&s, walkers[t].number, walkers[t].state);
            assert_int_equal(pthread_create(&threads[t], NULL, roam_long, &walkers[t]), 0);
        }
        for (int t = 0; t < THREADS; ++t)
            assert_int_equal(pthread_join(threads[t], NULL), 0);
        for (int t = 0; t < THREADS; ++t)
        {
            walker_thread w = walkers[t];
            w.state = alone;
            put(&s, w.number, alone);
            roam_long(&w);
            assert_memory_equal(alone, walkers[t].state, s.size);
        }
        free(states);
        free(alone);
        stage_end(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_creature__ten_thousand_have_the_bits_of_one_alone),
        cmocka_unit_test(test_threads_creature__long_walks_of_every_kind_side_by_side),
    };
    return cmocka_run_group_tests_name("threads_creature", tests, NULL, NULL);
}
