// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One foot, one step: article 000's state machine, on bodies that move, with the cases of real games around it (pause,
// teleport, a platform that vanishes). World space unless a name says otherwise. See docs/lock.md.

#include "lock/lock_internal.h"

#define COOKIE 0x10c4f007u
// Longest crossing [s], and longest step that is told from a longer one.
#define MAX_SECONDS 3600.0

sft_lock_def sft_default_lock_def(void)
{
    return (sft_lock_def){
        .lock_distance = 0.01,
        .unlock_distance = 0.25,
        .blend_time = 0.5,
        .teleport_speed = 30.0,
        .lock_orientation = false,
        .cookie = COOKIE,
    };
}

// ---- checks ----

static bool def_ok(const sft_lock_def* def)
{
    return def->cookie == COOKIE && def->lock_distance >= 0.0 && def->unlock_distance >= 0.0 &&
           def->blend_time >= 0.0 && def->blend_time <= MAX_SECONDS && def->teleport_speed >= 0.0;
}

static bool rotation_ok(sft_quatd q)
{
    return fabs(sft_quatd_dot(q, q) - 1.0) <= 2e-3;
}

static bool input_ok(const sft_lock_def* def, const sft_lock_input* in)
{
    if (!sft_v3d_in_range(in->toe) || (def->lock_orientation && !rotation_ok(in->foot))) return false;
    if (in->velocity != NULL && !sft_v3d_in_range(*in->velocity)) return false;
    if (in->plant != NULL && !sft_v3d_in_range(*in->plant)) return false;
    if (fabs(in->contact_height) > SFT_HUGE) return false; // NaN passes: it means the toe's own
    if (in->body.id == 0) return true;
    if (in->body_velocity != NULL && !sft_v3d_in_range(*in->body_velocity)) return false;
    return sft_v3d_in_range(in->body.place.t) && rotation_ok(in->body.place.r);
}

// ---- what the foot stands on ----

static sft_xformd place_of(const sft_lock_body* body)
{
    if (body->id == 0) return (sft_xformd){{0}, sft_quatd_identity()};
    return (sft_xformd){body->place.t, sft_quatd_normalize(body->place.r)};
}

static sft_v3d to_body(sft_xformd place, sft_v3d point)
{
    return sft_quatd_unrotate(place.r, sft_v3d_sub(point, place.t));
}

static sft_v3d body_velocity_at(const sft_lock_input* in, const sft_lock_state* s, sft_v3d point)
{
    if (in->body.id == 0) return (sft_v3d){0};
    if (in->body_velocity != NULL) return *in->body_velocity;
    const sft_v3d arm = sft_v3d_sub(point, s->body_place.t);
    return sft_v3d_add(s->body_velocity, sft_v3d_cross(s->body_spin, arm));
}

static void meet_body(const sft_lock_input* in, sft_lock_state* s)
{
    s->body = in->body.id;
    s->body_place = place_of(&in->body);
    s->body_trace = s->body_turn = (sft_lock_trace){0};
    s->body_velocity = s->body_spin = (sft_v3d){0};
}

// ---- measuring ----

static sft_v3d turned(sft_quatd before, sft_quatd after)
{
    return sft_quatd_log(sft_quatd_mul(after, sft_quatd_conjugate(before)));
}

static void measure_source(const sft_lock_def* def, const sft_lock_input* in, double h, sft_lock_state* s)
{
    const sft_v3d way = sft_v3d_sub(in->toe, s->input_position);
    s->input_velocity = sft_lock_trace_add(&s->input_trace, sft_v3d_scale(1.0 / h, way), h);
    s->input_position = in->toe;
    // Where orientation was not asked for so far, what stands there may be anything.
    if (def->lock_orientation && rotation_ok(s->input_rotation))
    {
        const sft_v3d turn = turned(s->input_rotation, in->foot);
        s->input_spin = sft_lock_trace_add(&s->input_turn, sft_v3d_scale(1.0 / h, turn), h);
    }
    s->input_rotation = in->foot;
}

static void measure_body(const sft_lock_input* in, double h, sft_lock_state* s)
{
    const sft_xformd place = place_of(&in->body);
    const sft_v3d moved = sft_v3d_sub(place.t, s->body_place.t), turn = turned(s->body_place.r, place.r);
    s->body_velocity = sft_lock_trace_add(&s->body_trace, sft_v3d_scale(1.0 / h, moved), h);
    s->body_spin = sft_lock_trace_add(&s->body_turn, sft_v3d_scale(1.0 / h, turn), h);
    s->body_place = place;
}

// `met`: the body is seen for the first time.
static void measure(const sft_lock_def* def, const sft_lock_input* in, bool met, sft_lock_state* s)
{
    if (s->age >= LOCK_MIN_STEP)
    {
        measure_source(def, in, s->age, s);
        if (in->body.id != 0 && !met) measure_body(in, s->age, s);
        s->age = 0.0;
    }
    if (in->velocity != NULL) s->input_velocity = *in->velocity;
}

typedef enum jump
{
    JUMP_NONE,
    JUMP_TOE, // the character was put elsewhere
    JUMP_BODY // what it stood on was
} jump;

// Judged against the world and against the body: on a fast train a toe is fast in the world and slow in the train, and
// a lift that is put elsewhere without its passenger makes a toe fast in the lift and slow in the world.
static jump find_jump(const sft_lock_def* def, const sft_lock_input* in, const sft_lock_state* s)
{
    if (!(def->teleport_speed > 0.0)) return JUMP_NONE;
    const double most = def->teleport_speed * sft_maxd(s->age, LOCK_MIN_STEP);
    const bool in_world = sft_v3d_distance(in->toe, s->input_position) > most;
    if (in->body.id == 0 || in->body.id != s->body) return in_world ? JUMP_TOE : JUMP_NONE;
    const sft_v3d carried = sft_xformd_apply(place_of(&in->body), to_body(s->body_place, s->input_position));
    if (!(sft_v3d_distance(in->toe, carried) > most)) return JUMP_NONE;
    return in_world ? JUMP_TOE : JUMP_BODY;
}

// ---- crossings ----

static lock_turn base_turn(const sft_lock_state* s)
{
    return (lock_turn){s->base_rotation, s->base_spin};
}

// The state shows position, velocity, rotation and spin: from now on they cross to the base.
static void cross(const sft_lock_def* def, sft_lock_state* s)
{
    s->offset_position = sft_v3d_sub(s->position, s->base_position);
    s->offset_velocity = sft_v3d_sub(s->velocity, s->base_velocity);
    if (def->lock_orientation)
        sft_lock_turn_between((lock_turn){s->rotation, s->spin}, base_turn(s), &s->offset_rotation, &s->offset_spin);
    s->time = 0.0;
}

static void base_on_source(const sft_lock_input* in, sft_lock_state* s)
{
    s->base_position = in->toe;
    s->base_velocity = s->input_velocity;
    s->base_rotation = in->foot;
    s->base_spin = s->input_spin;
}

static void base_on_plant(const sft_lock_def* def, const sft_lock_input* in, sft_lock_state* s)
{
    const sft_xformd place = place_of(&in->body);
    s->base_position = sft_xformd_apply(place, s->planted);
    s->base_velocity = body_velocity_at(in, s, s->base_position);
    s->base_rotation = def->lock_orientation ? sft_quatd_mul(place.r, s->planted_rotation) : in->foot;
    s->base_spin = in->body.id != 0 ? s->body_spin : (sft_v3d){0};
}

// What it stood on is gone: for this step it goes on as it went.
static void base_goes_on(const sft_lock_def* def, const sft_lock_input* in, double dt, sft_lock_state* s)
{
    s->base_position = sft_v3d_madd(s->base_position, dt, s->base_velocity);
    const sft_quatd turn = sft_quatd_exp(sft_v3d_scale(dt, s->base_spin));
    s->base_rotation = def->lock_orientation ? sft_quatd_mul(turn, s->base_rotation) : in->foot;
}

static void show(const sft_lock_def* def, double dt, sft_lock_state* s)
{
    s->time = sft_mind(s->time + dt, SFT_HUGE);
    if (!(s->time < def->blend_time)) s->offset_position = s->offset_velocity = (sft_v3d){0};
    if (!(s->time < def->blend_time) || !def->lock_orientation) s->offset_rotation = s->offset_spin = (sft_v3d){0};
    const sft_inertia inertia = {s->offset_position, s->offset_velocity, s->time};
    sft_v3d offset, velocity;
    sft_inertia_at(&inertia, def->blend_time, &offset, &velocity);
    s->position = sft_v3d_add(s->base_position, offset);
    s->velocity = sft_v3d_add(s->base_velocity, velocity);
    lock_turn shown = base_turn(s);
    if (def->lock_orientation)
        shown = sft_lock_turn_at(s->offset_rotation, s->offset_spin, s->time, def->blend_time, shown);
    s->rotation = shown.rotation;
    s->spin = shown.spin;
}

// ---- the state machine ----

static void begin(const sft_lock_input* in, sft_lock_state* s)
{
    *s = (sft_lock_state){.started = true, .time = SFT_HUGE};
    s->input_position = in->toe;
    s->input_rotation = in->foot;
    // Nothing is known of its speed: at rest on what it stands on, or a start on a treadmill would be a crossing.
    if (in->velocity != NULL)
        s->input_velocity = *in->velocity;
    else if (in->body.id != 0 && in->body_velocity != NULL)
        s->input_velocity = *in->body_velocity;
    meet_body(in, s);
    base_on_source(in, s);
    s->position = in->toe;
    s->velocity = s->input_velocity;
    s->rotation = in->foot;
}

static void lock(const sft_lock_def* def, const sft_lock_input* in, sft_lock_state* s)
{
    sft_v3d place = in->toe;
    if (in->plant != NULL)
        place = *in->plant;
    else if (in->contact_height == in->contact_height) // no NaN
        place.y = in->contact_height;
    const sft_xformd body = place_of(&in->body);
    s->planted = to_body(body, place);
    if (def->lock_orientation) s->planted_rotation = sft_quatd_mul(sft_quatd_conjugate(body.r), in->foot);
    s->locked = true;
    s->release = SFT_LOCK_RELEASE_NONE;
    base_on_plant(def, in, s);
    cross(def, s);
}

static void unlock(const sft_lock_def* def, const sft_lock_input* in, sft_lock_release why, sft_lock_state* s)
{
    s->locked = false;
    s->release = why;
    base_on_source(in, s);
    cross(def, s);
}

static void decide(const sft_lock_def* def, const sft_lock_input* in, sft_lock_state* s)
{
    const double distance = sft_v3d_distance(s->position, in->toe);
    const bool far = distance > def->unlock_distance;
    // Half of the way back to the animation, or a lock at any distance would be let go in the next step.
    const bool back = s->release == SFT_LOCK_RELEASE_NONE || distance < 0.5 * def->unlock_distance;
    if (!in->contact)
        s->release = SFT_LOCK_RELEASE_NONE;
    else if (in->release && !s->locked)
        s->release = SFT_LOCK_RELEASE_ASKED;
    if (!s->locked && in->contact && !in->release && distance < def->lock_distance && !far && back)
        lock(def, in, s);
    else if (s->locked && !in->contact)
        unlock(def, in, SFT_LOCK_RELEASE_NONE, s);
    else if (s->locked && in->release)
        unlock(def, in, SFT_LOCK_RELEASE_ASKED, s);
    else if (s->locked && far)
        unlock(def, in, SFT_LOCK_RELEASE_DISTANCE, s);
}

static void step(const sft_lock_def* def, const sft_lock_input* in, double dt, sft_lock_state* s)
{
    s->age += dt;
    const jump jumped = find_jump(def, in, s);
    if (jumped == JUMP_TOE)
    {
        begin(in, s);
        decide(def, in, s);
        return;
    }
    const bool vanished = jumped == JUMP_BODY || in->body.id != s->body;
    if (vanished) meet_body(in, s);
    measure(def, in, vanished, s);
    if (!s->locked)
        base_on_source(in, s);
    else if (vanished)
        base_goes_on(def, in, dt, s);
    else
        base_on_plant(def, in, s);
    show(def, dt, s);
    if (s->locked && vanished)
        unlock(def, in, in->contact ? SFT_LOCK_RELEASE_BODY : SFT_LOCK_RELEASE_NONE, s);
    else
        decide(def, in, s);
}

sft_result sft_lock_update(const sft_lock_def* def, const sft_lock_input* input, double dt, sft_lock_state* state)
{
    if (def == NULL || input == NULL || state == NULL) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    if (!(dt >= 0.0) || !(dt <= SFT_HUGE) || !input_ok(def, input)) return SFT_ERR_RANGE;
    sft_lock_input in = *input;
    in.foot = def->lock_orientation ? sft_quatd_normalize(in.foot) : in.foot;
    if (!state->started || in.teleport)
    {
        begin(&in, state);
        decide(def, &in, state);
    }
    else if (dt > 0.0)
        step(def, &in, dt, state);
    return SFT_OK;
}

sft_result sft_lock_update_many(const sft_lock_def* def, int32_t count, const sft_lock_input* inputs, double dt,
                                sft_lock_state* states, sft_result* results)
{
    if (def == NULL || count < 0 || (count > 0 && (inputs == NULL || states == NULL))) return SFT_ERR_ARG;
    if (!def_ok(def)) return SFT_ERR_DEF;
    if (!(dt >= 0.0) || !(dt <= SFT_HUGE)) return SFT_ERR_RANGE;
    sft_result first = SFT_OK;
    for (int32_t i = 0; i < count; ++i)
    {
        const sft_result result = sft_lock_update(def, inputs + i, dt, states + i);
        if (results != NULL) results[i] = result;
        if (first == SFT_OK) first = result;
    }
    return first;
}
