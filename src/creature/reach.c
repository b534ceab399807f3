// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How much of bob and spine the feet leave. The body stands where every foot is within reach of the rest pose; bob and
// spine move hips away from there. Bob shrinks first, then the spine's turn.
//
// A hip's way from one amount to another is nearly straight, and distance along a straight line is convex: it stays
// below the line between its ends. So the ends alone say how much is left: linear, no search, and steady from step to
// step. The amount is taken of a distance that levels off before the reach's end, so that it does not begin with a
// jolt. A last look at all feet stands behind it, with halving where it fails. Amounts drop at once and come back
// smoothly.

#include "creature/creature.h"

// Part of the room between a foot's distance and its limit in which amounts level off, at most EDGE of its range.
#define SOFT 0.3
// Part of a leg's range of reach, from its ends, in which the bob goes.
#define EDGE 0.03
// Part of what is missing that comes back a step: time constant 0.17 s.
#define COME_BACK 0.05

#define HALVINGS 20

typedef struct leg_range
{
    double least, most, edge; // [m]
} leg_range;

static leg_range range_of(const sft_creature* creature, int32_t l)
{
    const sft_creature_leg* leg = &creature->def.legs[l];
    return (leg_range){leg->reach_min, leg->reach_max, EDGE * (leg->reach_max - leg->reach_min)};
}

// sft_quatd_exp without the sine and cosine where the turn is as small as bobs are: series to the 8th power.
static sft_quatd small_turn(sft_v3d v)
{
    double z = 0.25 * sft_v3d_dot(v, v);
    if (z > 0.01) return sft_quatd_exp(v);
    double k = 0.5 * (1 + z * (-1.0 / 6 + z * (1.0 / 120 - z * (1.0 / 5040)))), s = 4 * k * k * z;
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
    trunk->yaw[0] = trunk->pitch[0] = 0;
    for (int32_t i = 0; i < def->spine_count; ++i)
        sft_creature_turn_link(creature, 1 + i, spine * trunk->spine_yaw[i], spine * trunk->spine_pitch[i], trunk);
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

// True where no foot is near enough to its limits for the bob to matter.
static bool all_easy(const sft_creature* creature, const sft_creature_trunk* trunk, const double* distances)
{
    double move = sft_v3d_length(trunk->bob), turn = sft_v3d_length(trunk->bob_turn);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        leg_range r = range_of(creature, l);
        double clear = 2 * r.edge + move + turn * creature->limbs[l].lever;
        if (!(distances[l] >= r.least + clear && distances[l] <= r.most - clear)) return false;
    }
    return true;
}

static double soft_room(double room, double edge)
{
    return sft_mind(SOFT * sft_maxd(room, 0), edge);
}

// How far from d0 (0) to d1 (1) a distance may go that must not come over `most`.
static double amount_below(double d0, double d1, double most, double edge)
{
    if (!(d1 > d0)) return 1;
    if (!(most > d0)) return 0;
    double span = soft_room(most - d0, edge), over = d1 - (most - span);
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
        amount = sft_mind(amount, amount_below(d0[l], d1[l], r.most, r.edge));
        amount = sft_mind(amount, amount_below(-d0[l], -d1[l], -r.least, r.edge));
    }
    return amount;
}

// The bob is gone where the spine begins to be short of room, so that the one goes before the other.
static double bob_before_spine(const sft_creature* creature, const double* still, const double* turned)
{
    double amount = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        leg_range r = range_of(creature, l);
        double high = r.most - soft_room(r.most - still[l], r.edge);
        double low = r.least + soft_room(still[l] - r.least, r.edge);
        amount = sft_mind(amount, sft_mind(high - turned[l], turned[l] - low) / r.edge);
    }
    double t = sft_clampd(amount, 0, 1);
    return t * t * (3 - 2 * t);
}

static double come_back(double given, double left)
{
    if (given < left) given += COME_BACK * (left - given);
    return given > left || given > 1 - 1e-6 ? left : given;
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

void sft_creature_fit_trunk(const sft_creature* creature, const sft_v3d* feet, sft_creature_state* state,
                            sft_creature_trunk* trunk)
{
    sft_creature_body* body = &state->body;
    double still[SFT_MAX_LEGS], turned[SFT_MAX_LEGS], bobbed[SFT_MAX_LEGS];
    shape_trunk(creature, 1, 1, trunk);
    measure(creature, trunk, feet, bobbed);
    double bob = 1, spine = 1;
    bool easy = all_easy(creature, trunk, bobbed);
    if (!easy)
    {
        shape_trunk(creature, 0, 0, trunk);
        measure(creature, trunk, feet, still);
        shape_trunk(creature, 0, 1, trunk);
        measure(creature, trunk, feet, turned);
        spine = smallest_amount(creature, still, turned);
        bob = spine < 1 ? 0 : bob_before_spine(creature, still, turned);
        if (bob > 0) bob = sft_mind(bob, smallest_amount(creature, turned, bobbed));
    }
    bob = come_back(body->bob_given, bob);
    spine = come_back(body->spine_given, spine);
    if (!(easy && bob == 1 && spine == 1) && !is_within(creature, feet, bob, spine, trunk))
    {
        search(creature, feet, &bob, &spine, trunk);
        shape_trunk(creature, bob, spine, trunk);
    }
    body->bob_given = bob;
    body->spine_given = spine;
}
