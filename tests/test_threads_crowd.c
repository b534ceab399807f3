// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One crowd in flat arrays, cut into pieces for threads, as crowd.h allows: neighbours share cache lines and write side
// by side, and every leg has the bits it has when one thread does them all.
#define _POSIX_C_SOURCE 200809L

#include "support/support.h"

#include <math.h>
#include <pthread.h>

#include "support/crowd_legs.h"

#define THREADS 4
/// Two legs a character; no multiple of a block's lanes, so that the last piece ends within one.
#define LEGS (2 * THREADS * 2500 - 3)
#define STEPS 6

static sft_v3_array v3_from(sft_v3_array a, int32_t first)
{
    if (a.x == NULL) return a;
    return (sft_v3_array){a.x + first, a.y + first, a.z + first};
}

static sft_quat_array quat_from(sft_quat_array a, int32_t first)
{
    return (sft_quat_array){a.x + first, a.y + first, a.z + first, a.w + first};
}

static const float* from(const float* a, int32_t first)
{
    return a != NULL ? a + first : NULL;
}

static void pose_from(sft_crowd_pose* p, int32_t first)
{
    sft_v3_array* points[] = {&p->hip, &p->knee, &p->heel, &p->toe, &p->toe_end};
    sft_quat_array* turns[] = {&p->hip_r, &p->knee_r, &p->heel_r, &p->toe_r};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i)
        *points[i] = v3_from(*points[i], first);
    for (size_t i = 0; i < sizeof turns / sizeof turns[0]; ++i)
        *turns[i] = quat_from(*turns[i], first);
}

typedef struct piece
{
    sft_crowd_def def; ///< a copy a thread would do too; the crowd's arrays are what is shared
    sft_two_bone_arrays bones;
    sft_crowd_legs legs;
    sft_crowd_feet feet;
    float* contact;
    int32_t first, count;
    sft_result result;
} piece;

static piece piece_of(const crowd* c, sft_crowd_path path, int32_t first, int32_t end)
{
    piece p = {.def = sft_default_crowd_def(), .bones = c->bones, .legs = c->legs, .feet = c->feet};
    p.def.path = path;
    p.def.lock_distance = INFINITY; // plants are drawn, and may be far
    p.first = first;
    p.count = end - first;
    sft_v3_array* points[] = {&p.bones.hip,         &p.bones.knee,     &p.bones.heel,     &p.bones.side,
                              &p.bones.target,      &p.bones.new_knee, &p.bones.new_heel, &p.legs.knee_side,
                              &p.legs.target,       &p.feet.toe,       &p.feet.velocity,  &p.feet.plant,
                              &p.feet.body_velocity};
    for (size_t i = 0; i < sizeof points / sizeof points[0]; ++i)
        *points[i] = v3_from(*points[i], first);
    const float** rows[] = {&p.bones.max_reach,  &p.bones.softening,     &p.legs.heel_min, &p.legs.toe_min,
                            &p.legs.toe_end_min, &p.feet.contact_height, &p.feet.release,  &p.feet.teleport};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; ++i)
        *rows[i] = from(*rows[i], first);
    p.bones.hip_turn = quat_from(c->bones.hip_turn, first);
    p.bones.knee_turn = quat_from(c->bones.knee_turn, first);
    pose_from(&p.legs.pose, first);
    pose_from(&p.legs.out, first);
    p.legs.heel_miss = c->legs.heel_miss != NULL ? c->legs.heel_miss + first : NULL;
    p.legs.toe_miss = c->legs.toe_miss != NULL ? c->legs.toe_miss + first : NULL;
    p.bones.flags = NULL;
    p.legs.flags = c->flags + first;
    p.feet.flags = NULL;
    p.feet.states = c->states + first / SFT_CROWD_LANES;
    p.contact = (float*)c->feet.contact + first;
    p.feet.contact = p.contact;
    return p;
}

static void* run(void* data)
{
    piece* p = data;
    p->result = sft_two_bone_batch(&p->bones, p->count, p->def.path);
    for (int step = 0; step < STEPS && p->result == SFT_OK; ++step)
    {
        for (int32_t i = 0; i < p->count; ++i)
            p->contact[i] = (p->first + i + step) % 3 == 0 ? 0.0f : 1.0f;
        p->result = sft_crowd_update(&p->def, &p->feet, &p->legs, 1.0f / 60.0f, p->count);
    }
    return NULL;
}

static void run_path(sft_crowd_path path, const crowd* drawn)
{
    crowd alone = crowd_create(LEGS, 0), together = crowd_create(LEGS, 0);
    crowd_copy(&alone, drawn, 0, LEGS);
    crowd_copy(&together, drawn, 0, LEGS);
    piece whole = piece_of(&alone, path, 0, LEGS);
    run(&whole);
    assert_int_equal(whole.result, SFT_OK);

    piece pieces[THREADS];
    pthread_t threads[THREADS];
    const int32_t size = LEGS / THREADS / SFT_CROWD_LANES * SFT_CROWD_LANES;
    for (int i = 0; i < THREADS; ++i)
    {
        pieces[i] = piece_of(&together, path, i * size, i == THREADS - 1 ? LEGS : (i + 1) * size);
        assert_int_equal(pthread_create(&threads[i], NULL, run, &pieces[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
    {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(pieces[i].result, SFT_OK);
    }
    int32_t locked = 0;
    for (int32_t i = 0; i < LEGS; ++i)
    {
        if (crowd_hash(&alone, i, 1) != crowd_hash(&together, i, 1))
            fail_msg("leg %d differs between one thread and %d", i, THREADS);
        locked += sft_crowd_lock_is_locked(together.states, i);
    }
    assert_true(locked > LEGS / 4);
    crowd_release(&alone);
    crowd_release(&together);
}

static void test_threads_crowd__pieces_have_the_bits_of_the_whole(void** state)
{
    (void)state;
    crowd drawn = crowd_create(LEGS, 0);
    crowd_fill(&drawn, CROWD_WALKING, 19);
    for (int path = SFT_CROWD_BEST; path <= SFT_CROWD_NEON; ++path)
        if (sft_crowd_has_path((sft_crowd_path)path)) run_path((sft_crowd_path)path, &drawn);
    crowd_release(&drawn);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_crowd__pieces_have_the_bits_of_the_whole),
    };
    return cmocka_run_group_tests_name("threads_crowd", tests, NULL, NULL);
}
