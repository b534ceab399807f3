// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Poses move through one map on four threads and on one: the map is shared, scratch is each thread's own, the bits are
// the same.
#define _POSIX_C_SOURCE 200809L

#include "support/mover.h"

#include <pthread.h>

#define THREADS 4
#define POSES 2000

typedef struct pose
{
    sft_v3d t[MOVER_JOINTS];
    sft_quatd r[MOVER_JOINTS];
} pose;

typedef struct worker
{
    const sft_retarget_map* map;
    const pose* from;
    pose* onto;
    int first, step;
    bool failed;
} worker;

static void* run(void* data)
{
    worker* w = data;
    void* scratch = malloc(sft_retarget_scratch_size(w->map));
    w->failed = scratch == NULL;
    for (int i = w->first; i < POSES && !w->failed; i += w->step)
    {
        sft_transfer_def def = sft_default_transfer_def();
        def.mirror = i % 3 == 0;
        w->failed =
            sft_retarget_frame(&def, w->map, w->from[i].t, w->from[i].r, scratch, w->onto[i].t, w->onto[i].r) != SFT_OK;
    }
    free(scratch);
    return NULL;
}

static void test_threads_retarget__one_map_serves_many_threads(void** state)
{
    (void)state;
    static mover source, target;
    mover_def def = mover_default();
    def.spines = 4;
    mover_make(&def, &source);
    def.twists = 2;
    def.aside = 1;
    def.spines = 2;
    def.axes = 9;
    mover_make(&def, &target);
    sft_retarget_map* map = mover_map(&source.rig, &target.rig);
    pose *from = calloc(POSES, sizeof *from), *alone = calloc(POSES, sizeof *alone);
    pose* together = calloc(POSES, sizeof *together);
    assert_true(from != NULL && alone != NULL && together != NULL);
    support_rng rng = {17};
    for (int i = 0; i < POSES; ++i)
        mover_random_pose(&source, &rng, 1.2, from[i].t, from[i].r);
    worker one = {map, from, alone, 0, 1, false}, many[THREADS];
    pthread_t threads[THREADS];
    run(&one);
    assert_false(one.failed);
    for (int i = 0; i < THREADS; ++i)
    {
        many[i] = (worker){map, from, together, i, THREADS, false};
        assert_int_equal(pthread_create(&threads[i], NULL, run, &many[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
    {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(many[i].failed);
    }
    for (int i = 0; i < POSES; ++i)
        if (memcmp(&alone[i], &together[i], sizeof alone[i]) != 0)
            fail_msg("pose %d differs between one thread and %d", i, THREADS);
    assert_true(memcmp(alone[0].r, alone[1].r, sizeof alone[0].r) != 0);
    free(from);
    free(alone);
    free(together);
    sft_retarget_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads_retarget__one_map_serves_many_threads),
    };
    return cmocka_run_group_tests_name("threads_retarget", tests, NULL, NULL);
}
