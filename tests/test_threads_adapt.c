// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Ten thousand characters walk over one ground, on four threads and on one: skeleton, legs, ground and settings are
// shared, the bits are the same.
#define _POSIX_C_SOURCE 200809L

#include "support/support.h"

#include <pthread.h>

#include "sample/walker.h"

#define THREADS 4
#define CHARACTERS 10000
#define STEPS 4

typedef struct stage
{
    walker walk;
    sft_leg legs[2];
    int32_t leg_count;
    sft_adapt_def def;
    double along[4], heights[4];
    sft_ground_profile profile;
    sft_ground ground;
} stage;

typedef struct character
{
    sft_adapt_state body;
    sft_adapt_leg_state feet[2];
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
} character;

typedef struct worker
{
    const stage* stage;
    character* characters;
    int first, step;
    bool failed;
} worker;

static void* run(void* data)
{
    worker* w = data;
    const stage* s = w->stage;
    double scratch[1024];
    if (sft_adapt_scratch_size(s->walk.skeleton, 2) > sizeof scratch) w->failed = true;
    for (int step = 0; step < STEPS && !w->failed; ++step)
        for (int id = w->first; id < CHARACTERS && !w->failed; id += w->step)
        {
            character* c = &w->characters[id];
            const int frame = (id * 7 + step) % s->walk.clip->frame_count;
            const size_t row = (size_t)frame * WALKER_JOINTS;
            bool contacts[2];
            for (int l = 0; l < 2; ++l)
                contacts[l] = s->walk.labels.plant[l * s->walk.labels.frame_count + frame] > 0.75f;
            memcpy(c->t, s->walk.clip->translations + row, sizeof c->t);
            memcpy(c->r, s->walk.clip->rotations + row, sizeof c->r);
            c->t[0].z += 0.001 * id;
            const sft_adapt_input in = {s->walk.skeleton, s->legs, 2, contacts, NULL, NULL, &s->ground};
            w->failed = sft_adapt_update(&s->def, &in, 1.0 / 60.0, &c->body, c->feet, c->t, c->r, scratch,
                                         sizeof scratch, NULL) != SFT_OK;
        }
    return NULL;
}

static void test_threads_adapt__many_characters_have_the_bits_of_one_thread(void** state)
{
    (void)state;
    stage s = {.along = {1.0, 1.0, 3.0, 5.0}, .heights = {0.0, 0.12, 0.12, 0.3}};
    walker_def def = walker_default_def();
    def.frames = 90;
    assert_int_equal(walker_create(&def, &s.walk), SFT_OK);
    assert_int_equal(sft_leg_find(s.walk.skeleton, s.walk.clip, NULL, s.legs, 2, &s.leg_count), SFT_OK);
    assert_int_equal(s.leg_count, 2);
    s.def = sft_default_adapt_def();
    s.profile = (sft_ground_profile){.count = 4, .distances = s.along, .heights = s.heights};
    s.ground = sft_ground_from_profile(&s.profile);
    character* alone = calloc(CHARACTERS, sizeof *alone);
    character* together = calloc(CHARACTERS, sizeof *together);
    assert_non_null(alone);
    assert_non_null(together);
    worker one = {&s, alone, 0, 1, false}, many[THREADS];
    pthread_t threads[THREADS];
    run(&one);
    assert_false(one.failed);
    for (int i = 0; i < THREADS; ++i)
    {
        many[i] = (worker){&s, together, i, THREADS, false};
        assert_int_equal(pthread_create(&threads[i], NULL, run, &many[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
    {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(many[i].failed);
    }
    for (int id = 0; id < CHARACTERS; ++id)
        if (memcmp(alone[id].t, together[id].t, sizeof alone[id].t) != 0 ||
            memcmp(alone[id].r, together[id].r, sizeof alone[id].r) != 0 ||
            memcmp(&alone[id].feet[0].height, &together[id].feet[0].height, sizeof alone[id].feet[0].height) != 0)
            fail_msg("character %d differs between one thread and %d", id, THREADS);
    assert_true(memcmp(alone[0].r, alone[1].r, sizeof alone[0].r) != 0);
    free(alone);
    free(together);
    walker_release(&s.walk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_adapt__many_characters_have_the_bits_of_one_thread),
    };
    return cmocka_run_group_tests_name("threads_adapt", tests, NULL, NULL);
}
