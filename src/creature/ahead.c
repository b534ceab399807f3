// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What lies ahead, looked at before the body moves: a sphere swept along its way against obstacles, and the ground
// under the homes at the place it would come to. What was seen holds for some steps, less the way gone since.

#include "creature/creature.h"

#define LOOK_STEPS 8
// Part of a sink that was seen that is left at the next look.
#define KEEP_SINK 0.8
// Halvings of the way to where ground ends.
#define EDGE_STEPS 5
// Part of a step distance that a foot is past its home where the body stops.
#define PAST_HOME 0.25
// Part of the longest leg's reach that a wall is higher than the body's middle.
#define WALL_REACH 0.5
// Cosine of the turn of direction after which what was seen says nothing: 10 degrees.
#define SAME_WAY 0.985

// True where a leg finds ground at a place: past home as far as it steps, or at home. *sink: by how much the body must
// be lower there for the leg to reach it.
static bool home_has_ground(const sft_creature* creature, const sft_ground* ground, const sft_xformd* place,
                            int32_t leg, sft_v3d along, double* sink)
{
    static const double parts[] = {1, 0};
    const sft_creature_leg* def = &creature->def.legs[leg];
    const sft_creature_swing* swing = &creature->def.swing;
    const double scale = creature->def.scale;
    const sft_v3d up = sft_quatd_rotate(place->r, sft_v3d_make(0, 1, 0));
    const sft_v3d home = sft_creature_to_world(creature, place, def->home);
    // Ground that rises or falls along the way is not known yet: look higher and lower than a foot does.
    const double above = scale * (swing->probe_above - def->ankle_offset + def->reach_max);
    const double depth = above + scale * (def->ankle_offset + swing->probe_below + def->reach_max);
    for (size_t k = 0; k < SFT_COUNT_OF(parts); ++k)
    {
        sft_ground_hit hit;
        const sft_v3d at = sft_v3d_madd(home, parts[k] * scale * swing->overshoot * def->step_distance, along);
        if (!sft_ground_cast(ground, sft_v3d_madd(at, above, up), sft_v3d_scale(-1, up), depth, 0, &hit) ||
            !(hit.normal.y >= creature->cos_slope))
            continue;
        const sft_v3d foot = sft_v3d_madd(hit.point, scale * def->ankle_offset, hit.normal);
        *sink = sft_creature_sink_for(
            creature, leg, sft_v3d_sub(sft_creature_from_world(creature, place, foot), creature->limbs[leg].hip));
        return true;
    }
    return false;
}

// Its tilt says how it rises; where feet in a row say nothing of the tilt, the normals of the ground they stand on do.
double sft_creature_rise(const sft_creature* creature, const sft_creature_state* state, sft_v3d way)
{
    const double length = sqrt(way.x * way.x + way.z * way.z);
    if (!(length > 0)) return 0;
    const sft_v3d along = sft_v3d_make(way.x / length, 0, way.z / length);
    const sft_creature_foot* feet = sft_creature_feet(sft_creature_plain(state));
    sft_v3d normal = {0, 0, 0};
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        normal = sft_v3d_add(normal, feet[l].normal);
    const sft_v3d up = sft_quatd_rotate(state->body.place.r, sft_v3d_make(0, 1, 0));
    const double trust = sft_mind(creature->trust_left, creature->trust_ahead);
    double rise = -sft_v3d_dot(up, along) / sft_maxd(up.y, 0.1);
    if (normal.y > 0) rise = trust * rise - (1 - trust) * sft_v3d_dot(normal, along) / normal.y;
    return length * sft_clampd(rise, -creature->tan_tilt, creature->tan_tilt);
}

// Where the body would be after a way.
static sft_xformd place_after(const sft_creature* creature, const sft_creature_state* state, sft_v3d along, double way)
{
    sft_xformd place = state->body.place;
    place.t = sft_v3d_madd(place.t, way, along);
    place.t.y += way * sft_creature_rise(creature, state, along);
    return place;
}

// Every girdle needs a foot with ground, and there must be as many as the gait keeps down. *sink: the most of any leg.
static bool carries(const sft_creature* creature, const sft_ground* ground, const sft_creature_state* state,
                    sft_v3d along, double way, double* sink)
{
    const sft_xformd place = place_after(creature, state, along, way);
    uint64_t girdles = 0;
    int32_t count = 0;
    *sink = -SFT_HUGE;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        double leg_sink = 0;
        if (!home_has_ground(creature, ground, &place, l, along, &leg_sink)) continue;
        ++count;
        girdles |= (uint64_t)1 << creature->limbs[l].girdle;
        *sink = sft_maxd(*sink, leg_sink);
    }
    return girdles == creature->girdles && count >= creature->ground_feet[state->body.gait];
}

// [m] by which feet at home, or the head, are farther along a way than the sphere about the body.
static double reach_out(const sft_creature* creature, const sft_creature_state* state, sft_v3d along)
{
    const sft_xformd* place = &state->body.place;
    double most = sft_v3d_dot(sft_v3d_sub(state->body.head, place->t), along) + creature->def.scale * creature->nose;
    if (creature->def.head_count == 0) most = 0;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_v3d tip = sft_v3d_add(creature->def.legs[l].home, creature->limbs[l].toe);
        const sft_v3d home = sft_quatd_rotate(place->r, tip);
        // Feet come down past home.
        const double past = PAST_HOME * creature->def.legs[l].step_distance;
        most = sft_maxd(most, creature->def.scale * (sft_v3d_dot(home, along) + past));
    }
    return sft_maxd(most - creature->def.scale * creature->def.motion.body_radius, 0);
}

// [m] to ground that rises like a wall: two rays, at the body's height and WALL_REACH of the longest leg over it, that
// meet it nearer to each other than ground lies that feet can take. Low walls and stairs are the feet's matter.
static double wall_ahead(const sft_creature* creature, const sft_ground* ground, sft_v3d from, sft_v3d slant,
                         sft_v3d up, double way, double out)
{
    const double scale = creature->def.scale, radius = scale * creature->def.motion.body_radius + out;
    const double high = scale * WALL_REACH * creature->longest, far = way + radius;
    const double run =
        high * sft_maxd(creature->cos_slope, 0.1) / sqrt(sft_maxd(1 - creature->cos_slope * creature->cos_slope, 1e-6));
    sft_ground_hit low, top;
    if (!sft_ground_cast(ground, from, slant, far, 0, &low) || low.normal.y >= creature->cos_slope) return way;
    if (!sft_ground_cast(ground, sft_v3d_madd(from, high, up), slant, far + run, 0, &top)) return way;
    if (top.normal.y >= creature->cos_slope || top.distance - low.distance > run) return way;
    return sft_clampd(sft_mind(low.distance, top.distance) - radius, 0, way);
}

static double look(const sft_creature* creature, const sft_creature_input* input, const sft_creature_state* state,
                   sft_v3d along, double way, double* sink)
{
    const sft_creature_motion* motion = &creature->def.motion;
    const double scale = creature->def.scale;
    double clear = way;
    const sft_v3d up = sft_quatd_rotate(state->body.place.r, sft_v3d_make(0, 1, 0));
    const sft_v3d slant = sft_v3d_madd(along, -sft_v3d_dot(along, up), up);
    const sft_v3d from = sft_v3d_madd(state->body.place.t, scale * motion->body_height, up);
    const double out = reach_out(creature, state, along);
    if (input->blocks != NULL)
    {
        sft_ground_hit hit;
        // One touched already holds back only what would move into it.
        if (sft_ground_cast(input->blocks, from, slant, way + out, scale * motion->body_radius, &hit) &&
            (hit.distance > 0 || sft_v3d_dot(hit.normal, along) < 0))
            clear = sft_mind(clear, sft_maxd(hit.distance - out, 0));
    }
    if (input->ground == NULL) return 0;
    clear = sft_mind(clear, wall_ahead(creature, input->ground, from, slant, up, way, out));
    if (carries(creature, input->ground, state, along, clear, sink)) return clear;
    double lo = 0, hi = clear;
    for (int32_t k = 0; k < EDGE_STEPS; ++k)
    {
        const double mid = (lo + hi) / 2;
        if (carries(creature, input->ground, state, along, mid, sink))
            lo = mid;
        else
            hi = mid;
    }
    return lo;
}

double sft_creature_room(const sft_creature* creature, const sft_creature_input* input, sft_v3d along, double way,
                         const sft_creature_state* state)
{
    double sink = 0;
    return input->ground != NULL ? look(creature, input, state, along, way, &sink) : way;
}

double sft_creature_look_ahead(const sft_creature* creature, const sft_creature_input* input, sft_v3d velocity,
                               sft_creature_state* state)
{
    const double speed = sqrt(velocity.x * velocity.x + velocity.z * velocity.z);
    if (!(speed > 0))
    {
        state->clear_wait = state->ahead_sink = state->clear_ends = 0;
        return 0;
    }
    const sft_v3d along = sft_v3d_make(velocity.x / speed, 0, velocity.z / speed);
    if (state->clear_wait <= 0 || along.x * state->clear_x + along.z * state->clear_z < SAME_WAY)
    {
        const sft_creature_motion* motion = &creature->def.motion;
        const double way = speed * (motion->look_ahead + 2 * LOOK_STEPS * SFT_CREATURE_DT) +
                           speed * speed / (2 * motion->acceleration);
        // The way down is seen once before the foot is put there: it is kept for a while.
        double sink = -SFT_HUGE;
        state->clear = look(creature, input, state, along, way, &sink);
        state->clear_ends = state->clear < way;
        sink = sft_clampd(state->sunk + sink, 0, creature->most_sink);
        const double kept = KEEP_SINK * state->ahead_sink;
        state->ahead_sink = sink > kept ? sink : kept < 1e-9 * creature->def.scale ? 0 : kept;
        state->clear_x = along.x;
        state->clear_z = along.z;
        state->clear_wait = LOOK_STEPS;
    }
    state->clear_wait -= 1;
    return state->clear;
}
