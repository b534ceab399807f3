// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How much of bob and spine the feet leave. The body stands where every foot is within reach of the rest pose; bob and
// spine move hips away from there. Bob shrinks first, then the spine's turn.
//
// Two things say how much. Long before a foot is at the end of its reach, what would take it there is wanted less, by
// how much room is left, and that is followed in time: so it comes and goes without a jolt. And there is what is
// possible, which nothing exceeds: a hip's way from one amount to another is nearly straight, and distance along a
// straight line is convex, so it stays below the line between its ends, and the ends alone say how far one may go. A
// last look at all feet stands behind it, with halving where it fails.
//
// A foot that has just left the ground holds nothing: hips may go on, and pull it along. Towards its landing that
// freedom is taken back, and what is asked for is again what the foot leaves where it stands next.

#include "creature/creature.h"

// Part of the room between a foot's distance and its limit in which amounts level off, at most the leg's edge.
#define SOFT 0.3
// Part of the edge that is kept from the very end: a way is only nearly straight, and rounding has its share.
#define SLACK 0.01
// The same of what is wanted, at most a zone.
#define WIDE 0.6
// A zone is no more than so many of the ways that are asked for.
#define WAYS 8
// The bob is gone where the spine begins to turn less: from so many zones on to the last.
#define ZONES 3
#define HALVINGS 20
// So many of the ways that are asked for may lead beyond the reach of a foot that has just left the ground; and by this
// part of the least reach hips may come nearer to it, for its direction must not turn about.
#define FARTHER 2
#define NEARER 0.3

// sft_quatd_exp without the sine and cosine where the turn is as small as bobs are (23 degrees): series to the 10th
// power.
static sft_quatd small_turn(sft_v3d v)
{
    double z = 0.25 * sft_v3d_dot(v, v);
    if (z > 0.04) return sft_quatd_exp(v);
    double k = 0.5 * (1 + z * (-1.0 / 6 + z * (1.0 / 120 - z * (1.0 / 5040 - z * (1.0 / 362880))))), s = 4 * k * k * z;
    return (sft_quatd){k * v.x, k * v.y, k * v.z, sqrt(1 - s)};
}

// Yaw that the body turns against so much of the spine's.
static double counter_of(const sft_creature* creature, double spine, const sft_creature_trunk* trunk)
{
    double counter = 0;
    for (int32_t i = 0; i < creature->def.spine_count; ++i)
        counter -= creature->def.hips_counter * spine * trunk->spine_yaw[i];
    return counter;
}

// Sines and cosines of a yaw after a pitch.
typedef struct bow
{
    double sy, cy, sx, cx;
} bow;

static bow bow_of(double yaw, double pitch)
{
    double y = sft_creature_half_sine(yaw), x = sft_creature_half_sine(pitch);
    return (bow){2 * y * sft_creature_half_cosine(y), 1 - 2 * y * y, 2 * x * sft_creature_half_cosine(x),
                 1 - 2 * x * x};
}

SFT_INLINE sft_v3d bow_apply(const bow* b, sft_v3d v)
{
    double z = v.y * b->sx + v.z * b->cx;
    return (sft_v3d){v.x * b->cy + z * b->sy, v.y * b->cx - v.z * b->sx, z * b->cy - v.x * b->sy};
}

// Body and spine with so much of bob and of the spine's turn.
static void shape_trunk(const sft_creature* creature, double bob, double spine, sft_creature_trunk* trunk)
{
    const sft_creature_def* def = &creature->def;
    double counter = counter_of(creature, spine, trunk);
    sft_quatd turn = small_turn(sft_v3d_scale(bob, trunk->bob_turn));
    trunk->turn[0] = counter != 0 ? sft_quatd_mul(sft_creature_yaw(counter), turn) : turn;
    trunk->bend[0] = sft_quatd_identity();
    trunk->at[0] = sft_v3d_madd(creature->trunk[0].at, bob, trunk->bob);
    trunk->yaw[0] = trunk->pitch[0] = trunk->roll[0] = 0;
    // Shoulders go against hips: the spine takes the bob's yaw and roll back twice, as far as its joints turn.
    double twice = def->spine_count > 0 ? -2 * bob / def->spine_count : 0;
    // Where it carries no legs, none of its own turn is felt by feet: that of the hips against it is.
    double own = creature->carrier_count > 1 ? spine : 1;
    double against = twice * trunk->bob_turn.y, level = twice * trunk->bob_turn.z;
    for (int32_t i = 0; i < def->spine_count; ++i)
    {
        double most = def->spine[i].max_yaw, yaw = sft_clampd(own * trunk->spine_yaw[i] + against, -most, most);
        sft_v3d more = {yaw, own * trunk->spine_pitch[i], sft_clampd(level, -most, most)};
        sft_creature_turn_link(creature, 1 + i, more, trunk);
    }
}

// From hips to feet, into the trunk.
static void measure(const sft_creature* creature, const sft_v3d* feet, sft_creature_trunk* trunk)
{
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_hip* hip = &creature->hips[l];
        sft_v3d arm = sft_v3d_sub(feet[l], sft_creature_carried(trunk, hip->above, hip->arm));
        trunk->arms[l] = arm;
        trunk->reach[l] = sft_v3d_length(arm);
    }
}

static bool all_within(const sft_creature* creature, const sft_creature_trunk* trunk)
{
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_hip* hip = &creature->hips[l];
        bool loose = trunk->loose[l] > 0;
        double least = loose ? (1 - NEARER) * hip->least : hip->least;
        if (!(trunk->reach[l] >= least && (loose || trunk->reach[l] <= hip->most))) return false;
    }
    return true;
}

// The same of the spine's turn alone, without any bob: no rolls, and yaws about one axis add up, so all of it is sines
// and cosines. distances: one a leg out.
static void measure_turned(const sft_creature* creature, const sft_creature_trunk* trunk, const sft_v3d* feet,
                           double* distances)
{
    bow bows[1 + SFT_CREATURE_LINKS];
    sft_v3d at[1 + SFT_CREATURE_LINKS];
    double yaw[1 + SFT_CREATURE_LINKS], pitch[1 + SFT_CREATURE_LINKS];
    at[0] = creature->trunk[0].at;
    yaw[0] = counter_of(creature, 1, trunk);
    pitch[0] = 0;
    bows[0] = bow_of(yaw[0], 0);
    for (int32_t i = 1; i < creature->carrier_count; ++i)
    {
        const sft_creature_turned* t = &creature->trunk[i];
        at[i] = sft_v3d_add(at[t->above], bow_apply(&bows[t->above], t->arm));
        yaw[i] = yaw[t->above] + trunk->spine_yaw[i - 1];
        pitch[i] = pitch[t->above] + trunk->spine_pitch[i - 1];
        bows[i] = bow_of(yaw[i], pitch[i]);
    }
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_hip* hip = &creature->hips[l];
        sft_v3d to = sft_v3d_add(at[hip->above], bow_apply(&bows[hip->above], hip->arm));
        distances[l] = sft_v3d_distance(to, feet[l]);
    }
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

static bool is_within(const sft_creature* creature, const sft_v3d* feet, double bob, double spine,
                      sft_creature_trunk* trunk)
{
    shape_trunk(creature, bob, spine, trunk);
    measure(creature, feet, trunk);
    return all_within(creature, trunk);
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

typedef struct amounts
{
    double wanted;
    double before; // of what goes before it
} amounts;

static double smooth_step(double x)
{
    double t = sft_clampd(x, 0, 1);
    return t * t * (3 - 2 * t);
}

// At one end of one leg's reach: how much is wanted of what takes its foot from d0 to d1, farther out, and is less long
// before the end.
static void limit_wanted(double d0, double d1, double most, double loose, const double* sizes, amounts* out)
{
    double way = d1 - d0, zone = sizes[0], edge = sizes[1];
    if (!(way > 0)) return;
    most += loose * WAYS * way;
    double left = sft_maxd(most - d0, 0);
    // A small way takes little room, however little there is.
    out->wanted = sft_mind(out->wanted, smooth_step(left / sft_mind(zone, WAYS * way)));
    out->wanted = sft_mind(out->wanted, amount_below(d0, d1, most, WIDE, zone));
    double zones = (most - d1) / sft_mind(sft_maxd(zone, 2 * edge), WAYS * way);
    out->before = sft_mind(out->before, smooth_step((zones - 1) / (ZONES - 1)));
}

// The same of all legs, for what takes feet from d0 to distances of which the nearest and farthest are given. What
// brings hip and foot nearer, or away from a fold, is wanted whole however far they are, as a bob mostly does: it is
// lowest where feet are far ahead and behind, and turned with the stride.
static amounts find_wanted(const sft_creature* creature, const double* loose, const double* d0, const double* nearest,
                           const double* farthest)
{
    amounts out = {1, 1};
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_hip* hip = &creature->hips[l];
        double far[] = {hip->zone_far, hip->edge}, near[] = {hip->zone_near, hip->edge};
        if (farthest[l] > hip->free_far) limit_wanted(d0[l], farthest[l], hip->most, loose[l], far, &out);
        if (nearest[l] < hip->free_near) limit_wanted(-d0[l], -nearest[l], -hip->least, loose[l], near, &out);
    }
    return out;
}

static double below_end(double d0, double d1, double most, double edge)
{
    double slack = sft_mind(SLACK * edge, 0.5 * sft_maxd(most - d0, 0));
    return amount_below(d0, d1, most - slack, SOFT, edge);
}

// How much is possible of what takes feet from d0 to d1.
static double find_possible(const sft_creature* creature, const double* loose, const double* d0, const double* d1)
{
    double amount = 1;
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        const sft_creature_hip* hip = &creature->hips[l];
        double far = FARTHER * loose[l] * fabs(d1[l] - d0[l]), near = NEARER * loose[l] * hip->least;
        if (d1[l] > hip->free_far) amount = sft_mind(amount, below_end(d0[l], d1[l], hip->most + far, hip->edge));
        if (d1[l] < hip->free_near) amount = sft_mind(amount, below_end(-d0[l], -d1[l], near - hip->least, hip->edge));
    }
    return amount;
}

// Where all of the bob takes a foot from a distance, nearly: as its ways are small.
static double bob_to(const sft_creature_hip* hip, sft_v3d towards, double from, sft_v3d bob, sft_v3d turn)
{
    sft_v3d by = sft_v3d_madd(bob, turn.x, hip->by_pitch);
    by = sft_v3d_madd(sft_v3d_madd(by, turn.y, hip->by_yaw), turn.z, hip->by_roll);
    return from - sft_v3d_dot(towards, by);
}

// Followed towards what is wanted.
static double follow_amount(const sft_creature* creature, double wanted, double* amount, double* speed)
{
    if (*amount == 1 && *speed == 0 && wanted == 1) return 1;
    sft_creature_follow(&creature->amount_spring, wanted, amount, speed);
    if (wanted == 1 && *amount > 1 - 1e-6) *amount = 1, *speed = 0;
    *amount = sft_clampd(*amount, 0, 1);
    return *amount;
}

// What is possible is never exceeded; what stops it is then how fast it goes.
static double stop_amount(double possible, double before, double* amount, double* speed)
{
    *amount = possible;
    *speed = sft_mind((possible - before) * SFT_CREATURE_RATE, 0);
    return possible;
}

// How much of the spine's turn the feet leave. distances: of hips and feet, from none of it to so much. Answers what it
// leaves of the bob.
static double fit_spine(const sft_creature* creature, const sft_v3d* feet, const sft_creature_trunk* trunk,
                        sft_creature_state* state, double* distances)
{
    sft_creature_body* body = &state->body;
    static const double held[SFT_MAX_LEGS] = {0};
    double all[SFT_MAX_LEGS] = {0}, before = body->spine_given;
    measure_turned(creature, trunk, feet, all);
    amounts turn = find_wanted(creature, held, distances, all, all);
    double possible = find_possible(creature, held, distances, all);
    double spine = follow_amount(creature, turn.wanted, &body->spine_given, &state->spine_given_speed);
    if (spine > possible) spine = stop_amount(possible, before, &body->spine_given, &state->spine_given_speed);
    // With less of the turn a distance is below the line between none and all of it.
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
        distances[l] += spine * (all[l] - distances[l]);
    return turn.before;
}

// How little feet hold: those in the air are taken along, less and less until they land.
static void find_loose(const sft_creature* creature, const sft_creature_foot* feet, sft_creature_trunk* trunk)
{
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        trunk->loose[l] = feet[l].swinging ? smooth_step(6 * feet[l].time) * smooth_step(1 - feet[l].time) : 0;
    }
}

// Feet in the air that legs do not reach come to where they do.
static void pull_along(const sft_creature* creature, sft_creature_state* state, sft_creature_trunk* trunk)
{
    sft_creature_foot* feet = sft_creature_feet(state);
    for (int32_t l = 0; l < creature->def.leg_count; ++l)
    {
        double least = sft_creature_near_end(creature->hips[l].least, feet[l].time);
        least = sft_mind(sft_maxd(least, creature->limbs[l].closest), creature->hips[l].least);
        double is = trunk->reach[l], to = sft_clampd(is, least, creature->hips[l].most);
        if (!feet[l].swinging || is == to || !(is > SFT_LENGTH_EPS)) continue;
        sft_v3d by = sft_v3d_scale(to / is - 1, trunk->arms[l]);
        trunk->arms[l] = sft_v3d_scale(to / is, trunk->arms[l]);
        trunk->reach[l] = to;
        feet[l].position = sft_v3d_madd(feet[l].position, creature->def.scale, sft_quatd_rotate(trunk->world, by));
    }
}

void sft_creature_fit_trunk(const sft_creature* creature, const sft_v3d* feet, sft_creature_state* state,
                            sft_creature_trunk* trunk)
{
    sft_creature_body* body = &state->body;
    const int32_t legs = creature->def.leg_count;
    double turned[SFT_MAX_LEGS], nearest[SFT_MAX_LEGS], farthest[SFT_MAX_LEGS], left = 1;
    sft_v3d towards[SFT_MAX_LEGS];
    find_loose(creature, sft_creature_feet(state), trunk);
    for (int32_t l = 0; l < legs; ++l)
    {
        towards[l] = sft_v3d_sub(feet[l], creature->hips[l].at);
        turned[l] = sft_v3d_length(towards[l]);
        towards[l] = sft_v3d_scale(1 / sft_maxd(turned[l], SFT_LENGTH_EPS), towards[l]);
    }
    if (body->aim_yaw != 0 || body->aim_pitch != 0)
        left = fit_spine(creature, feet, trunk, state, turned);
    else
        body->spine_given = 1, state->spine_given_speed = 0;
    for (int32_t l = 0; l < legs; ++l)
    {
        const sft_creature_hip* hip = &creature->hips[l];
        double now = bob_to(hip, towards[l], turned[l], trunk->bob, trunk->bob_turn);
        double soon = bob_to(hip, towards[l], turned[l], trunk->soon, trunk->soon_turn);
        nearest[l] = sft_mind(now, soon);
        farthest[l] = sft_maxd(now, soon);
    }
    double wanted = sft_mind(find_wanted(creature, trunk->loose, turned, nearest, farthest).wanted, left);
    double before = body->bob_given, spine = body->spine_given;
    double bob = follow_amount(creature, wanted, &body->bob_given, &state->bob_given_speed);
    shape_trunk(creature, bob, spine, trunk);
    measure(creature, feet, trunk);
    double possible = find_possible(creature, trunk->loose, turned, trunk->reach);
    if (possible < 1)
    {
        bob = stop_amount(possible * bob, before, &body->bob_given, &state->bob_given_speed);
        shape_trunk(creature, bob, spine, trunk);
        measure(creature, feet, trunk);
    }
    if (!all_within(creature, trunk))
    {
        search(creature, feet, &bob, &spine, trunk);
        is_within(creature, feet, bob, spine, trunk);
        body->bob_given = bob;
        body->spine_given = spine;
    }
    pull_along(creature, state, trunk);
}
