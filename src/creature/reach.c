// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How much of bob and spine the feet leave. The body stands where every foot is within reach of the rest pose; bob and
// spine move hips away from there. Bob shrinks first, then the spine's turn.
//
// Two things say how much. Long before a foot is at the end of its reach from the rest pose, both are wanted less, by
// how much room is left, and that is followed in time: so they come and go without a jolt. And there is what is
// possible, which nothing exceeds: a hip's way from one amount to another is nearly straight, and distance along a
// straight line is convex, so it stays below the line between its ends, and the ends alone say how far one may go. A
// last look at all feet stands behind it, with halving where it fails.

#include "creature/creature.h"

// Part of the room between a foot's distance and its limit in which amounts level off, at most EDGE of its range.
#define SOFT 0.3
// The same of what is wanted, at most a zone.
#define WIDE 0.6
#define EDGE 0.03
#define HALVINGS 20
// The spine's turn is wanted less in a leg's last zone, the bob from so many zones on to that.
#define BOB_ZONES 3

typedef struct leg_range
{
    double least, most, edge; // [m]
} leg_range;

static leg_range range_of(const sft_creature* creature, int32_t l)
{
    const sft_creature_leg* leg = &creature->def.legs[l];
    return (leg_range){leg->reach_min, leg->reach_max, EDGE * (leg->reach_max - leg->reach_min)};
}

static double smooth_step(double x)
{
    double t = sft_clampd(x, 0, 1);
    return t * t * (3 - 2 * t);
}

// sft_quatd_exp without the sine and cosine where the turn is as small as bobs are (23 degrees): series to the 10th
// power.
static sft_quatd small_turn(sft_v3d v)
{
    double z = 0.25 * sft_v3d_dot(v, v);
    if (z > 0.04) return sft_quatd_exp(v);
    double k = 0.5 * (1 + z * (-1.0 / 6 + z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880))))), s = 4 * k * k * z;
    return (sft_quatd){k * v.x, k * v.y, k * v.z, sqrt(1 - s)};
}

// Body and spine with so much of bob and of the spine's turn.
static void shape_trunk(const sft_creature* creature, double bob, double spine, sft_creature_trunk* trunk)
{
    const sft_creature_def* def = &creature->def;
    double counter = 0;
    for (int32_t i = 0; i < def->spine_count; ++i)
        counter -= def->hips_counter * spine * trunk->spine_yaw[i];
    sft_quatd turn = small_turn(sft_v3d_scale(bob, trunk->bob_turn));
    trunk->turn[0] = counter != 0 ? sft_quatd_mul(sft_creature_yaw(counter), turn) : turn;
    trunk->bend[0] = sft_quatd_identity();
    trunk->at[0] = sft_v3d_madd(creature->trunk[0].at, bob, trunk->bob);
    trunk->yaw[0] = trunk->pitch[0] = trunk->roll[0] = 0;
    // Shoulders go against hips: the spine takes the bob's yaw and roll back twice, as far as its joints turn.
    double twice = def->spine_count > 0 ? -2 * bob / def->spine_count : 0;
    double against = twice * trunk->bob_turn.y, level = twice * trunk->bob_turn.z;
    for (int32_t i = 0; i < def->spine_count; ++i)
    {
        double most = def->spine[i].max_yaw, yaw = sft_clampd(spine * trunk->spine_yaw[i] + against, -most, most);
        sft_v3d more = {yaw, spine * trunk->spine_pitch[i], sft_clampd(level, -most, most)};
        sft_creature_turn_link(creature, 1 + i, more, trunk);
    }
}

// Distances of hips to feet. distances: one a leg out.
static void measure(const sft_creature* creature, const sft_creature_trunk* trunk, const sft_v3d* feet,
                    double* distances)
{
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_limb* limb = &creature->limbs[l];
        sft_v3d hip = sft_creature_carried(creature, trunk, limb->above, limb->hip_facing);
        distances[l] = sft_v3d_distance(hip, feet[l]);
    }
}

static bool all_within(const sft_creature* creature, const double* distances)
{
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        leg_range r = range_of(creature, l);
        if (!(distances[l] >= r.least && distances[l] <= r.most)) return false;
    }
    return true;
}

static double soft_room(double room, double part, double edge)
{
    return sft_mind(part * sft_maxd(room, 0), edge);
}

// How far from d0 (0) to d1 (1) a distance may go that must not come over `most`.
static double amount_below(double d0, double d1, double most, double part, double edge)
{
    if (!(d1 > d0)) return 1;
    if (!(most > d0)) return 0;
    double span = soft_room(most - d0, part, edge), over = d1 - (most - span);
    if (!(over > 0)) return 1;
    double taken = over < 2 * span ? d1 - over * over / (4 * span) : most;
    return sft_clampd((taken - d0) / (d1 - d0), 0, 1);
}

static double smallest_amount(const sft_creature* creature, const double* d0, const double* d1)
{
    double amount = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        leg_range r = range_of(creature, l);
        amount = sft_mind(amount, amount_below(d0[l], d1[l], r.most, SOFT, r.edge));
        amount = sft_mind(amount, amount_below(-d0[l], -d1[l], -r.least, SOFT, r.edge));
    }
    return amount;
}

static bool is_within(const sft_creature* creature, const sft_v3d* feet, double bob, double spine,
                      sft_creature_trunk* trunk)
{
    double distances[SFT_MAX_LEGS];
    shape_trunk(creature, bob, spine, trunk);
    measure(creature, trunk, feet, distances);
    return all_within(creature, distances);
}

// What the ends promised did not hold: the largest amounts that do, by halving.
static void search(const sft_creature* creature, const sft_v3d* feet, double* bob, double* spine,
                   sft_creature_trunk* trunk)
{
    bool bob_alone = is_within(creature, feet, 0, *spine, trunk);
    double low = 0, high = bob_alone ? *bob : *spine;
    for (int32_t i = 0; i < HALVINGS; ++i)
    {
        double middle = 0.5 * (low + high);
        bool fits = is_within(creature, feet, bob_alone ? middle : 0, bob_alone ? *spine : middle, trunk);
        *(fits ? &low : &high) = middle;
    }
    *bob = bob_alone ? low : 0;
    if (!bob_alone) *spine = low;
}

// Zones that a leg has left before the nearer end of its reach.
static double zones_left(const sft_creature* creature, int32_t l, double distance)
{
    const sft_creature_leg* leg = &creature->def.legs[l];
    const sft_creature_limb* limb = &creature->limbs[l];
    return sft_mind((leg->reach_max - distance) / limb->zone_far, (distance - leg->reach_min) / limb->zone_near);
}

// How much spine is wanted, by one leg: it goes in the last zone from the rest pose, and where all of the turn would
// lead into the last zone, it turns less.
static double wanted_turn(const sft_creature* creature, int32_t l, double still, double turned)
{
    const sft_creature_leg* leg = &creature->def.legs[l];
    const sft_creature_limb* limb = &creature->limbs[l];
    double wanted = smooth_step(zones_left(creature, l, still));
    wanted = sft_mind(wanted, amount_below(still, turned, leg->reach_max, WIDE, limb->zone_far));
    return sft_mind(wanted, amount_below(-still, -turned, -leg->reach_min, WIDE, limb->zone_near));
}

// Followed towards what is wanted, never beyond what is possible; what stops it is then how fast it goes.
static double follow_amount(const sft_creature* creature, double wanted, double possible, double* amount, double* speed)
{
    double before = *amount;
    if (before == 1 && *speed == 0 && wanted == 1 && possible == 1) return 1;
    sft_creature_follow(&creature->amount_spring, wanted, amount, speed);
    if (*amount > possible)
    {
        *amount = possible;
        *speed = sft_mind((possible - before) * SFT_CREATURE_RATE, 0);
    }
    if (wanted == 1 && possible == 1 && *amount > 1 - 1e-6) *amount = 1, *speed = 0;
    *amount = sft_clampd(*amount, 0, 1);
    return *amount;
}

void sft_creature_fit_trunk(const sft_creature* creature, const sft_v3d* feet, sft_creature_state* state,
                            sft_creature_trunk* trunk)
{
    sft_creature_body* body = &state->body;
    double still[SFT_MAX_LEGS], turned[SFT_MAX_LEGS], bobbed[SFT_MAX_LEGS];
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        still[l] = sft_v3d_distance(creature->limbs[l].hip_facing, feet[l]);
    shape_trunk(creature, 0, 1, trunk);
    measure(creature, trunk, feet, turned);
    double bob = 1, spine = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        double zones = sft_mind(zones_left(creature, l, still[l]), zones_left(creature, l, turned[l]));
        bob = sft_mind(bob, smooth_step((zones - 1) / (BOB_ZONES - 1)));
        spine = sft_mind(spine, wanted_turn(creature, l, still[l], turned[l]));
    }
    double possible = smallest_amount(creature, still, turned);
    spine = follow_amount(creature, spine, possible, &body->spine_given, &state->spine_given_speed);
    if (spine < 1)
    {
        shape_trunk(creature, 0, spine, trunk);
        measure(creature, trunk, feet, turned);
    }
    shape_trunk(creature, 1, spine, trunk);
    measure(creature, trunk, feet, bobbed);
    possible = smallest_amount(creature, turned, bobbed);
    bob = follow_amount(creature, bob, possible, &body->bob_given, &state->bob_given_speed);
    if (bob == 1 ? all_within(creature, bobbed) : is_within(creature, feet, bob, spine, trunk)) return;
    search(creature, feet, &bob, &spine, trunk);
    shape_trunk(creature, bob, spine, trunk);
    body->bob_given = bob;
    body->spine_given = spine;
}
