// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Any bytes as a foot's life: steps of any length, sources and bodies that go anywhere, teleports, releases, settings
// that change. What is refused leaves the state; what is shown is finite, and a moment later, with nothing changed, it
// is where it was: whatever crossing began, it began without a step.

#include <stdlib.h>
#include <string.h>

#include "surefoot/surefoot.h"

typedef struct reader
{
    const uint8_t* data;
    size_t size;
} reader;

static uint8_t byte(reader* r)
{
    if (r->size == 0) return 0;
    --r->size;
    return *r->data++;
}

// Mostly a number of everyday size, seldom any bits at all.
static double number(reader* r, double scale)
{
    if (byte(r) == 255)
    {
        uint64_t bits = 0;
        for (int i = 0; i < 8; ++i)
            bits = bits << 8 | byte(r);
        double value;
        memcpy(&value, &bits, sizeof value);
        return value;
    }
    const int high = byte(r), low = byte(r);
    return scale * ((high * 256 + low) / 32768.0 - 1.0);
}

static sft_v3d vector(reader* r, double scale)
{
    const double x = number(r, scale), y = number(r, scale), z = number(r, scale);
    return sft_v3d_make(x, y, z);
}

static void require(bool condition)
{
    if (!condition) abort();
}

static bool finite3(sft_v3d v)
{
    return fabs(v.x) < 1e300 && fabs(v.y) < 1e300 && fabs(v.z) < 1e300;
}

typedef struct moment
{
    sft_lock_input in;
    sft_v3d velocity, body_velocity, plant;
} moment;

static void next_moment(reader* r, moment* m)
{
    const uint8_t what = byte(r), more = byte(r);
    const double scale = (what & 3) == 0 ? 100.0 : 0.02;
    sft_v3d toe = vector(r, scale);
    if ((what & 3) != 0) toe = sft_v3d_add(m->in.toe, toe);
    m->in.toe = toe;
    m->in.foot = sft_quatd_exp(vector(r, 3.0));
    m->in.contact = (what & 4) != 0;
    m->in.teleport = (what & 0xf8) == 0xf8;
    m->in.release = (more & 7) == 7;
    m->in.body.id = (what >> 3) & 1 ? more >> 6 : 0;
    m->in.body.place = (sft_xformd){sft_v3d_add(m->in.body.place.t, vector(r, scale)), sft_quatd_exp(vector(r, 0.1))};
    m->in.contact_height = (more & 8) != 0 ? number(r, 0.1) : (double)NAN;
    m->velocity = vector(r, 4.0);
    m->body_velocity = vector(r, 4.0);
    m->plant = sft_v3d_add(toe, vector(r, 0.05));
    m->in.velocity = (more & 16) != 0 ? &m->velocity : NULL;
    m->in.body_velocity = (more & 32) != 0 ? &m->body_velocity : NULL;
    m->in.plant = (what & 0xc0) == 0x40 ? &m->plant : NULL;
}

// The same moment again, a ten-millionth of a second later.
static void check_still(const sft_lock_def* def, const moment* m, const sft_lock_state* state)
{
    sft_lock_input in = m->in;
    in.teleport = false;
    sft_lock_state later = *state;
    if (sft_lock_update(def, &in, 1e-7, &later) != SFT_OK) return;
    const double size = 1.0 + sft_v3d_length(state->position) + sft_v3d_length(state->offset_position) +
                        sft_v3d_length(state->body_place.t) + sft_v3d_length(state->planted);
    const double speed = sft_v3d_length(state->velocity) + sft_v3d_length(state->offset_velocity) +
                         10.0 * sft_v3d_length(state->offset_position) / def->blend_time;
    require(sft_v3d_distance(later.position, state->position) <= 1e-9 * size + 1e-6 * speed);
}

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    reader r = {data, size};
    sft_lock_def def = sft_default_lock_def();
    sft_lock_state state;
    moment m;
    memset(&state, 0, sizeof state);
    memset(&m, 0, sizeof m);
    m.in.body.place.r = sft_quatd_identity();
    for (int step = 0; step < 200 && r.size > 0; ++step)
    {
        const uint8_t how = byte(&r);
        if ((how & 0xf0) == 0xf0)
        {
            def.blend_time = 0.02 + 0.01 * (how & 15);
            def.lock_distance = (how & 1) != 0 ? (double)INFINITY : 0.01;
            def.unlock_distance = (how & 2) != 0 ? (double)INFINITY : 0.25;
            def.teleport_speed = (how & 4) != 0 ? 0.0 : 30.0;
            def.lock_orientation = (how & 8) != 0;
            // A crossing at work keeps the length that it began with only if the settings stay.
            memset(&state, 0, sizeof state);
        }
        const double dt = (how & 3) == 0 ? 1e-5 * (how >> 2) : (how & 3) == 1 ? number(&r, 10.0) : 1.0 / 60.0;
        next_moment(&r, &m);
        const sft_lock_state before = state;
        sft_lock_state twin = state;
        const sft_result result = sft_lock_update(&def, &m.in, dt, &state);
        require(sft_lock_update(&def, &m.in, dt, &twin) == result);
        require(memcmp(&twin, &state, sizeof state) == 0);
        if (result != SFT_OK)
        {
            require(memcmp(&before, &state, sizeof state) == 0);
            // What was refused is not gone on from.
            memset(&m, 0, sizeof m);
            m.in.body.place.r = sft_quatd_identity();
            continue;
        }
        require(finite3(state.position) && finite3(state.velocity) && finite3(state.spin));
        require(!state.locked || state.release == SFT_LOCK_RELEASE_NONE);
        if (def.lock_orientation) require(fabs(sft_quatd_dot(state.rotation, state.rotation) - 1.0) < 1e-6);
        if (dt > 0.0) check_still(&def, &m, &state);
    }
    return 0;
}
