// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// One foot: where it may stand, how it gets there. A step starts only when its end is found, so that a foot is never
// in the air without a place to come down; the end is fixed then, position and orientation, whatever the body does.

#include "creature/creature.h"

// Steps that a foot without a foothold waits before it looks again: a fifteenth of a second.
#define RETRY_STEPS 8
// A foothold other than the first choice must bring the foot nearer home by this part at least.
#define FALLBACK_GAIN 0.9
// Creature space [m]: a foot that is out of reach by so little is so by rounding.
#define REACH_SLACK 1e-9
// Part of the shortest reach that a place to step to keeps off it, at most half of the way to home.
#define NEAR_ROOM 0.35
// Once in so many steps a foot in the air looks whether it goes past its hip.
#define STEER_STEPS 2
// The choice that is home itself: with which feet begin that settle; and the last one before which whole feet are
// better than such as had to be put back.
#define HOME_CHOICE 4
#define AHEAD_CHOICE 3
// A step aside ends no nearer to the body's middle than this part of its foot's home.
#define ASIDE_PART 0.5

static sft_v3d up_of(const sft_xformd* place)
{
    return sft_quatd_rotate(place->r, sft_v3d_make(0, 1, 0));
}

// Turns creature space so that up comes to `normal` and forward to the heading, along the ground.
static sft_quatd stand_rotation(const sft_creature* creature, const sft_xformd* place, sft_v3d normal)
{
    // The least turn of the body's up to the normal would swing the heading aside where the body leans: so up first,
    // then heading about it.
    const sft_quatd tilt = sft_quatd_mul(sft_quatd_between(up_of(place), normal), place->r);
    const sft_v3d wanted = sft_quatd_rotate(place->r, creature->def.forward);
    const sft_v3d is = sft_quatd_rotate(tilt, creature->def.forward);
    const sft_v3d flat = sft_v3d_madd(wanted, -sft_v3d_dot(wanted, normal), normal);
    const double c = sft_v3d_dot(is, flat), s = sft_v3d_dot(sft_v3d_cross(is, flat), normal);
    const double length = sqrt(c * c + s * s);
    if (!(length > SFT_LENGTH_EPS)) return sft_quatd_normalize(tilt);
    // Half of the angle whose cosine is c / length.
    sft_quatd turn = {0, 0, 0, 1 + c / length};
    if (turn.w < 1e-9) return sft_quatd_normalize(tilt);
    turn.x = s / length * normal.x;
    turn.y = s / length * normal.y;
    turn.z = s / length * normal.z;
    return sft_quatd_normalize(sft_quatd_mul(sft_quatd_normalize(turn), tilt));
}

static bool within_reach(const sft_creature* creature, const sft_xformd* place, int32_t leg, sft_v3d position)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const double d = sft_v3d_distance(sft_creature_from_world(creature, place, position), creature->limbs[leg].hip);
    return d >= def->reach_min && d <= def->reach_max;
}

// The same for a place to step to: not so near that a body that goes on is soon held by it.
static bool within_stride(const sft_creature* creature, const sft_xformd* place, int32_t leg, sft_v3d position)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const double d = sft_v3d_distance(sft_creature_from_world(creature, place, position), creature->limbs[leg].hip);
    const double room = sft_mind(NEAR_ROOM * def->reach_min, 0.5 * (creature->limbs[leg].home_reach - def->reach_min));
    return d >= def->reach_min + room && d <= def->reach_max;
}

static bool is_stretched(const sft_creature* creature, const sft_xformd* place, int32_t leg, sft_v3d position)
{
    const sft_v3d p = sft_creature_from_world(creature, place, position);
    return sft_v3d_distance(p, creature->limbs[leg].hip) >= creature->limbs[leg].stretched;
}

// As sft_creature_find_foothold, whatever the reach.
static bool find_ground(const sft_creature* creature, const sft_ground* ground, const sft_xformd* place, int32_t leg,
                        sft_v3d wanted, sft_creature_foothold* out)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const sft_creature_swing* swing = &creature->def.swing;
    const sft_v3d up = up_of(place);
    const sft_v3d sole = sft_v3d_make(wanted.x, wanted.y - def->ankle_offset + swing->probe_above, wanted.z);
    const double depth = creature->def.scale * (swing->probe_above + swing->probe_below);
    sft_ground_hit hit;
    if (ground == NULL ||
        !sft_ground_cast(ground, sft_creature_to_world(creature, place, sole), sft_v3d_scale(-1, up), depth, 0, &hit))
        return false;
    const double length = sft_v3d_length(hit.normal);
    if (!(fabs(length - 1) < 1e-6) || !sft_v3d_in_range(hit.point) || !(hit.normal.y >= creature->cos_slope))
        return false;
    out->position = sft_v3d_madd(hit.point, creature->def.scale * def->ankle_offset, hit.normal);
    out->normal = hit.normal;
    out->body = hit.body;
    out->rotation = sft_quatd_mul(stand_rotation(creature, place, hit.normal), creature->limbs[leg].home_rotation);
    return true;
}

bool sft_creature_find_foothold(const sft_creature* creature, const sft_ground* ground, const sft_xformd* place,
                                int32_t leg, sft_v3d wanted, sft_creature_foothold* out)
{
    sft_creature_foothold found;
    if (!find_ground(creature, ground, place, leg, wanted, &found) ||
        !within_reach(creature, place, leg, found.position))
        return false;
    *out = found;
    return true;
}

// The places tried: past home by the whole overshoot first, then less of it, home, more of it, aside; then back towards
// where the foot stands, for there is ground there.
typedef struct choice
{
    double along, aside; // parts of the overshoot
    double back;         // part of the way from home to the foot
} choice;
static const choice choices[] = {{1, 0, 0}, {0.75, 0, 0}, {0.5, 0, 0}, {0.25, 0, 0}, {0, 0, 0},  {1.5, 0, 0},
                                 {0, 1, 0}, {0, -1, 0},   {0, 0, 0.3}, {0, 0, 0.55}, {0, 0, 0.8}};

// Whether a place is nearer to the body's middle than so much of its foot's home, or across it: legs would cross.
static bool crosses(const sft_creature* creature, int32_t leg, sft_v3d wanted, double part)
{
    const double is = sft_v3d_dot(wanted, creature->left);
    const double home = sft_v3d_dot(creature->def.legs[leg].home, creature->left);
    return home < 0 ? is > part * home : home > 0 && is < part * home;
}

// A foothold whose toes stand in a riser, put back before it on the same tread, if that will do: a heel may be over the
// edge behind it.
static bool put_back(const sft_creature* creature, const sft_ground* ground, int32_t leg, const sft_xformd* soonest,
                     const sft_xformd* later, sft_creature_foothold* found)
{
    sft_creature_foothold back = *found;
    if (!sft_creature_put_back(creature, ground, leg, &back) || !within_reach(creature, soonest, leg, back.position) ||
        !within_stride(creature, later, leg, back.position))
        return false;
    *found = back;
    return true;
}

// *over: the control point of the way there, where it is easy.
static bool search(const sft_creature* creature, const sft_ground* ground, int32_t leg, bool settle,
                   const sft_creature_state* state, sft_creature_foothold* out, sft_v3d* over)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const sft_creature_foot* foot = &sft_creature_feet(sft_creature_plain(state))[leg];
    const sft_xformd* place = &state->body.place;
    // The foot comes down a step's time from now: the place must be within reach from where the body means to be then,
    // and from where it comes to rest if it brakes at once.
    const sft_xformd later = sft_creature_place_ahead(creature, state, creature->def.swing.time);
    const sft_v3d hip = creature->limbs[leg].hip;
    const sft_v3d hips[2] = {sft_creature_to_world(creature, place, hip), sft_creature_to_world(creature, &later, hip)};
    sft_xformd soonest = *place;
    sft_v3d velocity = state->body.velocity;
    velocity.y = sft_creature_rise(creature, state, velocity);
    const double brake = sft_v3d_length(velocity) / creature->def.motion.acceleration + SFT_CREATURE_DT;
    soonest.t = sft_v3d_madd(place->t, sft_mind(0.5 * brake, creature->def.swing.time), velocity);
    const sft_v3d error = sft_creature_foot_error(creature, &state->body, leg, foot);
    const sft_v3d home = sft_creature_led_home(creature, &state->body, leg);
    const double distance = sft_v3d_length(error);
    // Fixed, by the threshold; a foot that asks by its turn alone has no direction to speak of and gets its part.
    const double reach = creature->def.swing.overshoot * sft_mind(def->step_distance, distance);
    const sft_v3d along = distance > 1e-9 ? sft_v3d_scale(-1 / distance, error) : creature->def.forward;
    const sft_v3d aside = sft_v3d_make(along.z, 0, -along.x);
    const bool by_angle = sft_creature_angle_part(creature, place, leg, foot) > creature->def.swing.settle_part;
    // A foot that will be at the end of its leg before it is asked again takes a place for which the body must brake
    // rather than none.
    const bool pressed = foot->standing && (is_stretched(creature, place, leg, foot->position) ||
                                            is_stretched(creature, &later, leg, foot->position));
    bool braked = false;
    sft_creature_foothold short_of;
    sft_v3d short_over;
    int best = 0;
    for (size_t k = settle ? HOME_CHOICE : 0; k < SFT_COUNT_OF(choices); ++k)
    {
        const sft_v3d offset = sft_v3d_madd(
            sft_v3d_add(sft_v3d_scale(choices[k].along * reach, along), sft_v3d_scale(choices[k].aside * reach, aside)),
            choices[k].back, error);
        if (k > 0 && foot->standing && !(sft_v3d_length(offset) < FALLBACK_GAIN * distance)) continue;
        if (crosses(creature, leg, sft_v3d_add(home, offset), choices[k].aside != 0 ? ASIDE_PART : 0)) continue;
        sft_creature_foothold found;
        if (!find_ground(creature, ground, place, leg, sft_v3d_add(home, offset), &found) ||
            !within_reach(creature, &soonest, leg, found.position))
            continue;
        const bool later_too = within_stride(creature, &later, leg, found.position);
        if (!later_too && (braked || !pressed)) continue;
        // On a slope the ankle stands off home: what would be no nearer is not stepped to, or it would never end.
        sft_creature_foot landed = *foot;
        landed.position = found.position;
        if (settle && foot->standing && !by_angle &&
            !(sft_v3d_length(sft_creature_foot_error(creature, &state->body, leg, &landed)) < FALLBACK_GAIN * distance))
            continue;
        // A foot that had to be put back before a stair is second best. A place with no way to it above the ground is a
        // last resort but one, one where toes poke into a stair the last.
        const bool whole = sft_creature_toes_fit(creature, ground, leg, &found);
        const bool fit = whole || (best < 3 && put_back(creature, ground, leg, &soonest, &later, &found));
        landed.position = foot->position;
        const bool easy =
            sft_creature_plan_swing(creature, ground, leg, up_of(place), &found, hips, &landed) || !foot->standing;
        if (!later_too)
        {
            braked = fit && easy;
            if (braked) short_of = found, short_over = landed.over;
            continue;
        }
        const int worth = fit ? (easy ? (whole ? 4 : 3) : 2) : 1;
        if (worth > best) *out = found, *over = landed.over;
        best = worth > best ? worth : best;
        if (best == 4 || (best == 3 && k >= AHEAD_CHOICE)) break;
    }
    if (best < 3 && braked)
    {
        *out = short_of;
        *over = short_over;
        return true;
    }
    // They will do for a body that is held, which has nothing better to wait for.
    return best >= 3 || (best > 0 && (state->held > 0 || !foot->standing));
}

bool sft_creature_lift(const sft_creature* creature, const sft_ground* ground, int32_t leg, bool settle,
                       sft_creature_state* state)
{
    sft_creature_foot* foot = &sft_creature_feet(state)[leg];
    if (foot->wait > 0)
    {
        --foot->wait;
        return false;
    }
    sft_creature_foothold to;
    sft_v3d over;
    if (!search(creature, ground, leg, settle, state, &to, &over))
    {
        foot->wait = RETRY_STEPS;
        return false;
    }
    foot->wait = 0;
    foot->over = over;
    foot->from = foot->position;
    foot->from_rotation = foot->rotation;
    foot->to = to.position;
    foot->to_rotation = to.rotation;
    foot->to_normal = to.normal;
    foot->to_body = to.body;
    foot->time = 0;
    foot->swinging = true;
    foot->stepped = true;
    ++foot->steps;
    return true;
}

void sft_creature_foresee(const sft_creature* creature, const sft_ground* ground, int32_t leg, double time,
                          sft_creature_state* state)
{
    sft_creature_foot* foot = &sft_creature_feet(state)[leg];
    sft_creature_foothold to;
    sft_v3d over;
    const sft_xformd place = state->body.place;
    state->body.place = sft_creature_place_ahead(creature, state, time);
    foot->wait = search(creature, ground, leg, false, state, &to, &over) ? 0 : -1;
    state->body.place = place;
}

sft_v3d sft_creature_swing_point(const sft_creature_foot* foot, double time)
{
    const double u = sft_creature_ease(time), v = 1 - u;
    return sft_v3d_add(sft_v3d_scale(v * v, foot->from),
                       sft_v3d_add(sft_v3d_scale(2 * u * v, foot->over), sft_v3d_scale(u * u, foot->to)));
}

static void land(sft_creature_foot* foot)
{
    foot->position = foot->to;
    foot->rotation = foot->to_rotation;
    foot->normal = foot->to_normal;
    foot->body = foot->to_body;
    foot->swinging = false;
    foot->standing = true;
    foot->time = 0;
    foot->wait = 0;
}

// A foot in the air goes no farther from its hip than its leg reaches, and no nearer: a body that goes on pulls it
// along.
static sft_v3d within_leg(const sft_creature* creature, const sft_xformd* place, int32_t leg, double time, sft_v3d p)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const double least = sft_creature_near_end(def->reach_min, time);
    const sft_v3d hip = creature->limbs[leg].hip;
    const sft_v3d arm = sft_v3d_sub(sft_creature_from_world(creature, place, p), hip);
    const double square = sft_v3d_dot(arm, arm);
    if (square <= def->reach_max * def->reach_max && square >= least * least) return p;
    const double length = sqrt(square), wanted = sft_clampd(length, least, def->reach_max);
    const sft_v3d down = sft_v3d_make(0, -1, 0);
    const sft_v3d way = length > SFT_LENGTH_EPS ? sft_v3d_scale(1 / length, arm) : down;
    return sft_creature_to_world(creature, place, sft_v3d_madd(hip, wanted, way));
}

// A swing whose next point its leg does not reach, since the body was held: from where the foot is in the air it goes
// to the place nearest its home that there is on the way to where it came from. It is the same step.
static void turn_aside(const sft_creature* creature, const sft_ground* ground, int32_t leg, sft_creature_state* state)
{
    sft_creature_foot* foot = &sft_creature_feet(state)[leg];
    const sft_xformd* place = &state->body.place;
    foot->position = within_leg(creature, place, leg, foot->time, foot->position);
    if (foot->wait > 0)
    {
        --foot->wait;
        return;
    }
    static const double parts[] = {0, 0.25, 0.5, 0.75};
    const sft_v3d home = creature->def.legs[leg].home;
    sft_v3d back = sft_v3d_sub(sft_creature_from_world(creature, place, foot->from), home);
    back.y = 0;
    sft_creature_foothold to;
    bool found = false;
    for (size_t k = 0; k < SFT_COUNT_OF(parts) && !found; ++k)
        found = sft_creature_find_foothold(creature, ground, place, leg, sft_v3d_madd(home, parts[k], back), &to);
    if (!found)
    {
        if (!within_reach(creature, place, leg, foot->from))
        {
            foot->wait = RETRY_STEPS;
            return;
        }
        to = (sft_creature_foothold){foot->from, foot->from_rotation, foot->normal, foot->body};
    }
    const sft_v3d hip = sft_creature_to_world(creature, place, creature->limbs[leg].hip);
    const sft_v3d hips[2] = {hip, sft_v3d_madd(hip, creature->def.swing.time, state->body.velocity)};
    sft_creature_plan_swing(creature, ground, leg, up_of(place), &to, hips, foot);
    foot->from = foot->position;
    foot->from_rotation = foot->rotation;
    foot->to = to.position;
    foot->to_rotation = to.rotation;
    foot->to_normal = to.normal;
    foot->to_body = to.body;
    foot->time = 0;
}

// Whether a foot will be able to come down where it means to, going by how the body moves. Asked where its leg is
// stretched.
static bool will_land(const sft_creature* creature, const sft_creature_state* state, int32_t leg,
                      const sft_creature_foot* foot, double time)
{
    sft_xformd place = state->body.place;
    place.t = sft_v3d_madd(place.t, (1 - time) * creature->def.swing.time, state->body.velocity);
    const double far = sft_v3d_distance(sft_creature_from_world(creature, &place, foot->to), creature->limbs[leg].hip);
    return far <= creature->def.legs[leg].reach_max + REACH_SLACK;
}

void sft_creature_swing_feet(const sft_creature* creature, const sft_ground* ground, sft_creature_state* state)
{
    sft_creature_foot* feet = sft_creature_feet(state);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        sft_creature_foot* foot = &feet[l];
        if (foot->swinging)
        {
            const double time = sft_creature_next_time(creature, foot);
            if ((state->body.step + l) % STEER_STEPS == 0) sft_creature_steer_swing(creature, ground, l, state, foot);
            const sft_v3d on = time < 1 ? sft_creature_swing_point(foot, time) : foot->to;
            const sft_v3d p = within_leg(creature, &state->body.place, l, time, on);
            const bool pulled = p.x != on.x || p.y != on.y || p.z != on.z;
            if (pulled && !will_land(creature, state, l, foot, time))
            {
                turn_aside(creature, ground, l, state);
                continue;
            }
            foot->time = time;
            if (foot->time >= 1)
            {
                land(foot);
                continue;
            }
            foot->position = p;
            foot->rotation = sft_quatd_slerp(foot->from_rotation, foot->to_rotation, sft_creature_ease(foot->time));
        }
        else if (!foot->standing)
        {
            // Nothing below it was ever found: it hangs at home.
            foot->position = sft_creature_to_world(creature, &state->body.place, creature->def.legs[l].home);
            foot->rotation = sft_quatd_mul(state->body.place.r, creature->limbs[l].home_rotation);
        }
    }
}
