// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Locks of crowds in float against the lock in double, foot by foot over time.

#include "support/crowd_legs.h"

#include <stdlib.h>

#include "support/support.h"

#define FEET 500
#define STEPS 400

/// What differs between runs.
typedef struct scene
{
    const char* name;
    bool velocity, plant, height, body, release, teleport;
    float lock_distance, unlock_distance, blend_time;
} scene;

// Walks with a swing and a stance that slides; each foot at its own pace, phase and drift.
static sft_v3d toe_at(int32_t foot, double time, sft_v3d* velocity, bool* contact)
{
    uint64_t seed = (uint64_t)foot + 1;
    const double pace = crowd_draw(&seed, 0.7, 1.6), drift = crowd_draw(&seed, -0.2, 0.2);
    const double phase = crowd_draw(&seed, 0.0, 1.0), lift = crowd_draw(&seed, 0.02, 0.2);
    const double turn = 2.0 * SFT_PI * (pace * time + phase), s = sft_sin(turn), c = sft_cos(turn);
    const double up = s > 0.0 ? s * s : 0.0, rise = s > 0.0 ? 4.0 * SFT_PI * pace * s * c : 0.0;
    *contact = s < -0.1;
    *velocity = sft_v3d_make(drift + (s > 0.0 ? 0.8 * up : 0.0), lift * rise, 0.3 * drift);
    // The x of the swing is not what its velocity says, but given velocities need not be exact either.
    return sft_v3d_make(drift * time + 0.1 * up, 0.02 + lift * up, 0.3 * drift * time);
}

static void set(sft_v3_array a, int32_t i, sft_v3d v)
{
    a.x[i] = (float)v.x;
    a.y[i] = (float)v.y;
    a.z[i] = (float)v.z;
}

static double step_of(uint64_t* seed, int n)
{
    if (n % 50 == 17) return 0.0;
    if (n % 60 < 4) return 3e-5; // gathered
    return crowd_draw(seed, 1.0 / 240.0, 1.0 / 30.0);
}

static void feed(crowd* c, const scene* s, int n, double time, double step, sft_lock_input* inputs, sft_v3d* more)
{
    for (int32_t i = 0; i < FEET; ++i)
    {
        sft_lock_input* in = inputs + i;
        sft_v3d* v = more + 3 * i;
        bool contact;
        sft_v3d toe = toe_at(i, time, v, &contact);
        if (n > 200) toe.x += 30.0 * (s->teleport && i % 3 == 0);
        const sft_v3d speed = s->body ? sft_v3d_make(0.2 * (double)(float)(i % 5), 0.0, 0.1) : sft_v3d_make(0, 0, 0);
        set(c->feet.toe, i, toe);
        set(c->feet.velocity, i, *v);
        set(c->feet.plant, i, sft_v3d_make(toe.x, 0.01, toe.z));
        set(c->feet.body_velocity, i, speed);
        ((float*)c->feet.contact)[i] = contact ? 0.9f : 0.3f;
        ((float*)c->feet.contact_height)[i] = i % 2 == 0 ? (float)NAN : 0.015f;
        ((float*)c->feet.release)[i] = s->release && (n + i) % 97 < 3 ? 1.0f : 0.0f;
        ((float*)c->feet.teleport)[i] = s->teleport && (n + i) % 151 == 0 ? 1.0f : 0.0f;
        // The very same numbers.
        v[0] = crowd_v3(c->feet.velocity, i);
        v[1] = crowd_v3(c->feet.plant, i);
        v[2] = crowd_v3(c->feet.body_velocity, i);
        const sft_xformd place = {sft_v3d_madd(in->body.place.t, step, v[2]), {0, 0, 0, 1}};
        *in = (sft_lock_input){.toe = crowd_v3(c->feet.toe, i), .foot = {0, 0, 0, 1}, .contact = contact};
        in->velocity = s->velocity ? v : NULL;
        in->plant = s->plant ? v + 1 : NULL;
        in->contact_height = s->height && i % 2 == 1 ? (double)0.015f : (double)NAN;
        in->body = (sft_lock_body){s->body ? 1 : 0, place};
        in->body_velocity = v + 2;
        in->release = c->feet.release[i] > 0.0f;
        in->teleport = c->feet.teleport[i] > 0.0f;
    }
}

// Thresholds on numbers that differ in the last bits: a foot that decided otherwise is left out from there on.
static void run_scene(const scene* s)
{
    crowd c = crowd_create(FEET, 0);
    sft_lock_input* inputs = calloc(FEET, sizeof *inputs);
    sft_lock_state* states = calloc(FEET, sizeof *states);
    sft_v3d* more = calloc(3 * FEET, sizeof *more);
    bool* left_out = calloc(FEET, sizeof *left_out);
    assert_true(inputs != NULL && states != NULL && more != NULL && left_out != NULL);
    sft_crowd_def def = sft_default_crowd_def();
    sft_lock_def lock = sft_default_lock_def();
    lock.lock_distance = (double)(def.lock_distance = s->lock_distance);
    lock.unlock_distance = (double)(def.unlock_distance = s->unlock_distance);
    lock.blend_time = (double)(def.blend_time = s->blend_time);
    if (!s->velocity) c.feet.velocity.x = NULL;
    sft_crowd_feet feet = c.feet;
    c.feet.velocity = (sft_v3_array){c.bones.hip_turn.x, c.bones.hip_turn.y, c.bones.hip_turn.z};
    if (s->velocity) feet.velocity = c.feet.velocity;
    if (!s->plant) feet.plant.x = NULL;
    if (!s->height) feet.contact_height = NULL;
    if (!s->body) feet.body_velocity.x = NULL;
    double time = 0.0, worst = 0.0, worst_speed = 0.0;
    int locked = 0, out = 0;
    uint64_t seed = 77;
    for (int n = 0; n < STEPS; ++n)
    {
        const float dt = (float)step_of(&seed, n);
        time += (double)dt;
        feed(&c, s, n, time, (double)dt, inputs, more);
        assert_int_equal(sft_crowd_lock_update(&def, &feet, dt, FEET), SFT_OK);
        assert_int_equal(sft_lock_update_many(&lock, FEET, inputs, (double)dt, states, NULL), SFT_OK);
        for (int32_t i = 0; i < FEET; ++i)
        {
            const bool is_locked = sft_crowd_lock_is_locked(c.states, i);
            out += !left_out[i] && is_locked != states[i].locked;
            left_out[i] = left_out[i] || is_locked != states[i].locked;
            if (left_out[i]) continue;
            locked += is_locked;
            const sft_crowd_lock_block* b = c.states + i / SFT_CROWD_LANES;
            const int32_t k = i % SFT_CROWD_LANES;
            const sft_v3d v = {(double)b->velocity[0][k], (double)b->velocity[1][k], (double)b->velocity[2][k]};
            const double apart =
                sft_v3d_distance(sft_v3_widen(sft_crowd_lock_position(c.states, i)), states[i].position);
            worst = sft_maxd(worst, apart);
            worst_speed = sft_maxd(worst_speed, sft_v3d_distance(v, states[i].velocity));
        }
    }
    printf("%-20s %.1e m, %.1e m/s apart; %d of %d steps locked, %d feet decided otherwise\n", s->name, worst,
           worst_speed, locked, FEET * STEPS, out);
    crowd_release(&c);
    free(inputs);
    free(states);
    free(more);
    free(left_out);
    assert_true(out <= FEET / 50);
    assert_true(locked > FEET * STEPS / 50);
    assert_true(worst < 1e-5);
}

static void test_crowd_lock__is_the_lock_of_one_foot(void** state)
{
    (void)state;
    const scene scenes[] = {
        {"by difference", 0, 0, 0, 0, 0, 0, 0.05f, 0.1f, 0.2f}, {"given velocity", 1, 0, 0, 0, 0, 0, 0.05f, 0.1f, 0.2f},
        {"plants", 0, 1, 0, 0, 0, 0, 0.05f, 0.1f, 0.2f},        {"heights", 0, 0, 1, 0, 0, 0, INFINITY, 0.1f, 0.2f},
        {"bodies", 0, 0, 0, 1, 0, 0, 0.05f, 0.1f, 0.2f},        {"let go", 0, 0, 1, 0, 1, 0, 0.05f, 0.04f, 0.1f},
        {"elsewhere", 0, 0, 0, 0, 0, 1, 0.05f, 0.1f, 0.2f},     {"all of it", 1, 1, 0, 1, 1, 1, 0.05f, 0.05f, 0.3f},
        {"at once", 0, 0, 0, 0, 0, 0, 0.05f, 0.1f, 0.0f},
    };
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; ++i)
        run_scene(scenes + i);
}

// Locked and with the blend over, a foot does not move by a single bit.
static void test_crowd_lock__a_held_foot_stands_still(void** state)
{
    (void)state;
    crowd c = crowd_create(17, 0);
    crowd_fill(&c, CROWD_WALKING, 2);
    sft_crowd_def def = sft_default_crowd_def();
    def.unlock_distance = 1.0f;
    sft_crowd_feet feet = {.toe = c.feet.toe, .contact = c.feet.contact, .states = c.states, .flags = c.flags};
    for (int32_t i = 0; i < 17; ++i)
        ((float*)c.feet.contact)[i] = 1.0f;
    sft_v3 before[17];
    for (int n = 0; n < 60; ++n)
    {
        for (int32_t i = 0; i < 17; ++i)
            c.feet.toe.x[i] += 0.003f;
        assert_int_equal(sft_crowd_lock_update(&def, &feet, 0.02f, 17), SFT_OK);
        for (int32_t i = 0; i < 17; ++i)
        {
            const sft_v3 at = sft_crowd_lock_position(c.states, i);
            assert_true(c.flags[i] == SFT_CROWD_LOCKED);
            if (n > 30) assert_memory_equal(&at, before + i, sizeof at);
            before[i] = at;
        }
    }
    // A pause changes nothing, a teleport does.
    sft_crowd_lock_block paused = c.states[0];
    assert_int_equal(sft_crowd_lock_update(&def, &feet, 0.0f, 17), SFT_OK);
    assert_memory_equal(&paused, c.states, sizeof paused);
    for (int32_t i = 0; i < 17; ++i)
        ((float*)c.feet.teleport)[i] = i == 3 ? 1.0f : 0.0f;
    feet.teleport = c.feet.teleport;
    assert_int_equal(sft_crowd_lock_update(&def, &feet, 0.0f, 17), SFT_OK);
    assert_true(sft_crowd_lock_position(c.states, 3).x == c.feet.toe.x[3]);
    assert_true(sft_crowd_lock_position(c.states, 4).x == before[4].x);
    crowd_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_crowd_lock__is_the_lock_of_one_foot),
        cmocka_unit_test(test_crowd_lock__a_held_foot_stands_still),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
