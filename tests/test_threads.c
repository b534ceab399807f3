// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Many characters on many threads, one skeleton, one clip, one set of legs, limits and settings for all of them: the
// bits of every character are those it has on one thread alone. Under the thread sanitizer (SFT_SANITIZE_THREAD) a
// write to anything shared is found even where it does no harm.
#define _POSIX_C_SOURCE 200809L

#include "support/support.h"

#include <pthread.h>

#include "sample/walker.h"

#define THREADS 4
#define CHARACTERS (THREADS * SUPPORT_BULK(2500))
#define STEPS 3
#define GOALS 3
/// Whole bodies cost a hundred times what a leg does.
#define BODY_EVERY 25

/// What everybody reads and nobody writes while the threads run.
typedef struct stage
{
    walker walk;
    sft_leg legs[2];
    sft_limit limits[WALKER_JOINTS];
    sft_leg_solve_def leg;
    sft_ik_two_bone_def two_bone;
    sft_ik_chain_def chain;
    sft_ik_body_def body;
    sft_ik_aim_def aim;
    sft_ik_aim_link links[2];
    int32_t spine[3];
    sft_ground_mesh* rubble;
    sft_ground ground;
    sft_adapt_def adapt;
    sft_lock_def lock;
} stage;

/// What one character carries from frame to frame; those of all stand side by side, so that neighbours of different
/// threads share cache lines.
typedef struct character
{
    sft_xform local[WALKER_JOINTS];
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
    sft_ik_bend bend;
    double toe_miss, residual;
    uint64_t found; ///< hash over what it found of the ground, and where its feet were locked
} character;

/// What lock and foot IK remember of one character; apart from it, because they have bytes that mean nothing.
typedef struct stance
{
    sft_lock_state feet[2];
    sft_adapt_state body;
    sft_adapt_leg_state legs[2];
} stance;

/// A thread's own: scratch, and which characters are its.
typedef struct worker
{
    const stage* stage;
    character* characters;
    stance* stances; ///< one a character
    pthread_barrier_t* start;
    int first, step; ///< characters first, first + step, and so on
    void* scratch;
    size_t scratch_size;
    bool failed;
} worker;

static size_t frame_row(const stage* s, int id, int step)
{
    const int frames = s->walk.clip->frame_count;
    return (size_t)((id * 7 + step) % frames) * (size_t)s->walk.clip->joint_count;
}

// Where this character's goals lie off the animation: its own, the same in every run.
static sft_v3d nudge(int id, int step, double size)
{
    support_rng rng = {(uint64_t)id * 31u + (uint64_t)step};
    const double x = support_uniform(&rng, -size, size), y = support_uniform(&rng, -size, size);
    return (sft_v3d){x, y, support_uniform(&rng, -size, size)};
}

static bool solve_legs(const stage* s, int id, int step, character* c)
{
    sft_xform model[WALKER_JOINTS];
    const size_t row = frame_row(s, id, step);
    for (int j = 0; j < WALKER_JOINTS; ++j)
        c->local[j] = (sft_xform){sft_v3d_narrow(s->walk.clip->translations[row + (size_t)j]),
                                  sft_quatd_narrow(s->walk.clip->rotations[row + (size_t)j]),
                                  {1.0f, 1.0f, 1.0f}};
    for (int foot = 0; foot < 2; ++foot)
    {
        sft_leg_pose pose;
        sft_leg_report report;
        if (sft_leg_pose_read(s->walk.skeleton, &s->legs[foot], s->walk.clip->translations + row,
                              s->walk.clip->rotations + row, &pose) != SFT_OK)
            return false;
        const sft_v3d target = sft_v3d_add(pose.toe.t, nudge(id, step, 0.05));
        if (sft_leg_solve_pose(&s->leg, s->walk.skeleton, &s->legs[foot], sft_v3d_narrow(target), c->local, model,
                               &report) != SFT_OK)
            return false;
        c->toe_miss += report.toe_miss;
    }
    return true;
}

static bool solve_chains(const stage* s, int id, int step, const worker* w, character* c)
{
    const size_t row = frame_row(s, id, step);
    memcpy(c->t, s->walk.clip->translations + row, sizeof c->t);
    memcpy(c->r, s->walk.clip->rotations + row, sizeof c->r);
    const sft_ik_pose pose = {c->t, c->r};
    const sft_ik_chain chain = {s->walk.skeleton, 3, s->spine};
    const sft_ik_scratch scratch = {w->scratch, w->scratch_size};
    sft_ik_report report;
    const sft_v3d head = sft_skeleton_joint_model(s->walk.skeleton, c->t, c->r, s->spine[2]).t;
    const sft_v3d target = sft_v3d_add(head, nudge(id, step, 0.1));
    if ((id % 2 == 0 ? sft_ik_fabrik : sft_ik_ccd)(&s->chain, &chain, target, &pose, scratch, &report) != SFT_OK)
        return false;
    c->residual += report.residual;
    if (sft_ik_aim_at(&s->aim, s->walk.skeleton, nudge(id, step, 4.0), &pose, NULL) != SFT_OK) return false;
    sft_ik_two_bone two_bone;
    const sft_v3d hint = nudge(id, step + STEPS, 1.0);
    if (sft_ik_two_bone_place(&s->two_bone, head, target, &hint, &c->bend, &two_bone) != SFT_OK) return false;
    c->residual += two_bone.residual + two_bone.middle.x;
    return true;
}

static bool solve_body(const stage* s, int id, int step, const worker* w, character* c)
{
    if (id % BODY_EVERY != 0) return true;
    const int32_t ends[GOALS] = {s->legs[0].toe, s->legs[1].toe, s->spine[2]};
    sft_ik_goal list[GOALS];
    for (int i = 0; i < GOALS; ++i)
        list[i] = (sft_ik_goal){
            .kind = SFT_IK_GOAL_POSITION,
            .joint = ends[i],
            .position = sft_v3d_add(sft_skeleton_joint_model(s->walk.skeleton, c->t, c->r, ends[i]).t,
                                    nudge(id + i, step, 0.04)),
            .orientation = sft_quatd_identity(),
            .weight = 1.0,
            .priority = i / 2,
        };
    const sft_ik_goals goals = {list, GOALS, NULL};
    const sft_ik_pose pose = {c->t, c->r};
    const sft_ik_scratch scratch = {w->scratch, w->scratch_size};
    sft_ik_body_report report;
    if (sft_ik_body(&s->body, s->walk.skeleton, &goals, &pose, scratch, &report) != SFT_OK) return false;
    c->residual += report.position_residual;
    return true;
}

static void fold(character* c, const void* values, size_t size)
{
    const unsigned char* bytes = values;
    for (size_t i = 0; i < size; ++i)
        c->found = (c->found ^ bytes[i]) * UINT64_C(1099511628211);
}

static bool find_ground(const stage* s, int id, int step, character* c)
{
    const size_t row = frame_row(s, id, step);
    for (int foot = 0; foot < 2; ++foot)
    {
        sft_leg_pose pose;
        sft_adapt_foothold hold;
        if (sft_leg_pose_read(s->walk.skeleton, &s->legs[foot], s->walk.clip->translations + row,
                              s->walk.clip->rotations + row, &pose) != SFT_OK)
            return false;
        // Onto the rubble, which does not walk along.
        sft_xformd* joints = &pose.hip;
        for (int j = 0; j < 5; ++j)
            joints[j].t.z = joints[j].t.z - pose.toe.t.z + nudge(id, step, 1.5).z;
        if (sft_adapt_find_foothold(&s->adapt, &s->legs[foot], &pose, &s->ground, &hold) != SFT_OK) return false;
        fold(c, &hold.point, sizeof hold.point);
        fold(c, &hold.normal, sizeof hold.normal);
        fold(c, &hold.tilt, sizeof hold.tilt);
        sft_ground_hit hit = {.distance = -1.0};
        const sft_v3d above = sft_v3d_add(nudge(id, step, 1.5), (sft_v3d){0.0, 3.0, 0.0});
        sft_ground_cast(&s->ground, above, (sft_v3d){0.1, -1.0, 0.0}, 10.0, 0.05 * foot, &hit);
        fold(c, &hit.point, sizeof hit.point);
        fold(c, &hit.triangle, sizeof hit.triangle);
    }
    return true;
}

// A frame of the walk on the rubble: the character stays over it while its clip goes on.
static bool stand_on_ground(const stage* s, int id, int step, const worker* w, character* c)
{
    const int frame = (id * 7 + step) % s->walk.clip->frame_count;
    const size_t row = (size_t)frame * (size_t)s->walk.clip->joint_count;
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
    memcpy(t, s->walk.clip->translations + row, sizeof t);
    memcpy(r, s->walk.clip->rotations + row, sizeof r);
    t[WALKER_HIPS].z += 0.01 * step - s->walk.clip->translations[row + WALKER_HIPS].z;
    t[WALKER_HIPS].x += nudge(id, 0, 1.0).x;
    const float* plant = s->walk.labels.plant + frame;
    const bool contacts[2] = {plant[0] > 0.75f, plant[s->walk.labels.frame_count] > 0.75f};
    const sft_adapt_input input = {
        .skeleton = s->walk.skeleton, .legs = s->legs, .leg_count = 2, .contacts = contacts, .ground = &s->ground};
    stance* stand = &w->stances[id];
    sft_adapt_report report;
    if (sft_adapt_update(&s->adapt, &input, s->walk.clip->frame_time, &stand->body, stand->legs, t, r, w->scratch,
                         w->scratch_size, &report) != SFT_OK)
        return false;
    fold(c, t, sizeof t);
    fold(c, r, sizeof r);
    fold(c, &report.pelvis_shift, sizeof report.pelvis_shift);
    return true;
}

#define LOCK_STEPS 8

// Both feet over some frames of the walk, planted toes held, the leg solved for where they are.
static bool lock_feet(const stage* s, int id, int step, const worker* w, character* c)
{
    for (int i = 0; i < 2 * LOCK_STEPS; ++i)
    {
        const int foot = i % 2, frame = (id * 7 + step * LOCK_STEPS + i / 2) % s->walk.clip->frame_count;
        const size_t row = (size_t)frame * (size_t)s->walk.clip->joint_count;
        sft_leg_pose pose;
        if (sft_leg_pose_read(s->walk.skeleton, &s->legs[foot], s->walk.clip->translations + row,
                              s->walk.clip->rotations + row, &pose) != SFT_OK)
            return false;
        const float* plant = s->walk.labels.plant + foot * s->walk.labels.frame_count;
        sft_lock_state* state = &w->stances[id].feet[foot];
        // Feet that slide a little, so that locks have something to hold.
        const sft_lock_input input = {.toe = sft_v3d_add(pose.toe.t, nudge(id, frame, 0.002)),
                                      .foot = pose.heel.r,
                                      .contact = plant[frame] > 0.75f,
                                      .contact_height = pose.toe.t.y};
        if (sft_lock_update(&s->lock, &input, s->walk.clip->frame_time, state) != SFT_OK) return false;
        if (sft_leg_solve(&s->leg, &s->legs[foot], state->position, &pose, NULL) != SFT_OK) return false;
        fold(c, &state->position, sizeof state->position);
        fold(c, &state->velocity, sizeof state->velocity);
        fold(c, &state->locked, sizeof state->locked);
        fold(c, &pose.knee, sizeof pose.knee);
    }
    return true;
}

static void* run(void* data)
{
    worker* w = data;
    if (w->start != NULL) pthread_barrier_wait(w->start);
    // Step by step, as a game goes: all characters, then the next frame.
    for (int step = 0; step < STEPS && !w->failed; ++step)
        for (int id = w->first; id < CHARACTERS && !w->failed; id += w->step)
        {
            character* c = &w->characters[id];
            w->failed = !solve_legs(w->stage, id, step, c) || !solve_chains(w->stage, id, step, w, c) ||
                        !solve_body(w->stage, id, step, w, c) || !find_ground(w->stage, id, step, c) ||
                        !lock_feet(w->stage, id, step, w, c) || !stand_on_ground(w->stage, id, step, w, c);
        }
    return NULL;
}

static void make_worker(worker* w, const stage* s, character* characters, stance* stances, int first)
{
    const size_t chain = sft_ik_chain_scratch_size(3), body = sft_ik_body_scratch_size(s->walk.skeleton, GOALS);
    *w = (worker){.stage = s, .characters = characters, .stances = stances, .first = first, .step = THREADS};
    const size_t adapt = sft_adapt_scratch_size(s->walk.skeleton, 2);
    w->scratch_size = chain > body ? chain : body;
    w->scratch_size = adapt > w->scratch_size ? adapt : w->scratch_size;
    w->scratch = malloc(w->scratch_size);
    assert_non_null(w->scratch);
}

#define RUBBLE 40

// A square of 4 m, up to 10 cm high.
static void make_rubble(stage* s)
{
    static float vertices[RUBBLE * RUBBLE * 3];
    static int32_t indices[(RUBBLE - 1) * (RUBBLE - 1) * 6];
    support_rng rng = {41};
    int32_t* index = indices;
    for (int32_t i = 0; i < RUBBLE * RUBBLE; ++i)
    {
        vertices[3 * i] = 0.1f * (float)(i % RUBBLE) - 2.0f;
        vertices[3 * i + 1] = (float)support_uniform(&rng, 0.0, 0.1);
        vertices[3 * i + 2] = 0.1f * (float)(i / RUBBLE) - 2.0f;
        if (i % RUBBLE == RUBBLE - 1 || i / RUBBLE == RUBBLE - 1) continue;
        const int32_t corners[6] = {i, i + RUBBLE, i + 1, i + 1, i + RUBBLE, i + RUBBLE + 1};
        memcpy(index, corners, sizeof corners);
        index += 6;
    }
    const sft_ground_mesh_def def = {RUBBLE * RUBBLE, vertices, (int32_t)((index - indices) / 3), indices, NULL};
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &s->rubble, NULL), SFT_OK);
    s->ground = sft_ground_from_mesh(s->rubble);
    s->adapt = sft_default_adapt_def();
    s->lock = sft_default_lock_def();
}

static void make_stage(stage* s)
{
    memset(s, 0, sizeof *s);
    walker_def walk = walker_default_def();
    walk.frames = 90;
    assert_int_equal(walker_create(&walk, &s->walk), SFT_OK);
    assert_int_equal(s->walk.skeleton->joint_count, WALKER_JOINTS);
    for (int foot = 0; foot < 2; ++foot)
    {
        const int32_t hip = foot == 0 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP;
        s->legs[foot] = (sft_leg){.pelvis = WALKER_HIPS,
                                  .hip = hip,
                                  .knee = hip + 1,
                                  .heel = hip + 2,
                                  .toe = hip + 3,
                                  .toe_end = hip + 4,
                                  .knee_side = {1.0, 0.0, 0.0}};
    }
    assert_int_equal(
        sft_limit_learn(s->walk.skeleton, s->walk.clip->rotations, s->walk.clip->frame_count, 0.0, 0.3, s->limits),
        SFT_OK);
    s->leg = sft_default_leg_solve_def();
    s->two_bone = sft_default_ik_two_bone_def();
    s->chain = sft_default_ik_chain_def();
    s->chain.limits = s->limits;
    s->body = sft_default_ik_body_def();
    s->body.limits = s->limits;
    s->aim = sft_default_ik_aim_def();
    for (int i = 0; i < 3; ++i)
        s->spine[i] = WALKER_SPINE + i;
    s->links[0] = (sft_ik_aim_link){WALKER_SPINE, 0.4, 1.0};
    s->links[1] = (sft_ik_aim_link){WALKER_SPINE + 1, 1.0, 1.0};
    s->aim.links = s->links;
    s->aim.link_count = 2;
    make_rubble(s);
}

static stance* make_stances(void)
{
    stance* stances = calloc(CHARACTERS, sizeof *stances);
    assert_non_null(stances);
    return stances;
}

static void run_alone(const stage* s, character* characters)
{
    worker w;
    stance* stances = make_stances();
    make_worker(&w, s, characters, stances, 0);
    w.step = 1;
    run(&w);
    assert_false(w.failed);
    int locked = 0;
    for (int i = 0; i < 2 * CHARACTERS; ++i)
        locked += stances[i / 2].feet[i % 2].locked;
    assert_true(locked > CHARACTERS / 4 && locked < 2 * CHARACTERS);
    free(w.scratch);
    free(stances);
}

static void run_together(const stage* s, character* characters)
{
    worker workers[THREADS];
    pthread_t threads[THREADS];
    pthread_barrier_t start;
    stance* stances = make_stances();
    assert_int_equal(pthread_barrier_init(&start, NULL, THREADS), 0);
    for (int i = 0; i < THREADS; ++i)
    {
        make_worker(&workers[i], s, characters, stances, i);
        workers[i].start = &start;
        assert_int_equal(pthread_create(&threads[i], NULL, run, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; ++i)
    {
        assert_false(workers[i].failed);
        free(workers[i].scratch);
    }
    pthread_barrier_destroy(&start);
    free(stances);
}

static void test_threads__many_characters_have_the_bits_of_one_thread(void** state)
{
    (void)state;
    stage s;
    make_stage(&s);
    character* alone = calloc(CHARACTERS, sizeof *alone);
    character* together = calloc(CHARACTERS, sizeof *together);
    assert_non_null(alone);
    assert_non_null(together);
    run_alone(&s, alone);
    run_together(&s, together);
    for (int id = 0; id < CHARACTERS; ++id)
        if (memcmp(&alone[id], &together[id], sizeof *alone) != 0)
            fail_msg("character %d differs between one thread and %d", id, THREADS);
    // And they did something, each its own.
    assert_true(memcmp(&alone[0], &alone[1], sizeof *alone) != 0);
    free(alone);
    free(together);
    sft_ground_mesh_destroy(s.rubble, NULL);
    walker_release(&s.walk);
}

// Creation and release on many threads at once, by malloc: no state of the library's own is behind it.
static void* create_and_release(void* data)
{
    bool* failed = data;
    for (int i = 0; i < 20 && !*failed; ++i)
    {
        walker_def def = walker_default_def();
        def.frames = 20 + i;
        walker w;
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = 0;
        *failed = walker_create(&def, &w) != SFT_OK;
        if (*failed) break;
        *failed = sft_leg_find(w.skeleton, w.clip, NULL, legs, SFT_MAX_LEGS, &count) != SFT_OK || count != 2;
        walker_release(&w);
    }
    return NULL;
}

static void test_threads__creation_needs_no_lock(void** state)
{
    (void)state;
    pthread_t threads[THREADS];
    bool failed[THREADS] = {false};
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_create(&threads[i], NULL, create_and_release, &failed[i]), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < THREADS; ++i)
        assert_false(failed[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads__many_characters_have_the_bits_of_one_thread),
        cmocka_unit_test(test_threads__creation_needs_no_lock),
    };
    return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
