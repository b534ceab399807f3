// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The way of a foot through the air over ground that is not level. A swing is a quadratic Bezier curve whose control
// point is raised: over the middle of the step, or, where that would take it too high, nearer to one of its ends: a
// foot that goes up a stair rises first, one that comes down sinks last. Looked at are the sole below the joint and the
// tip of the toes, at points of the curve as it would be: where the control point is does not move them aside, so each
// place of it needs one look.

#include "creature/creature.h"

// Points of a swing that are looked at.
#define POINTS 24
// Room that is left below a foot in the middle of its swing, of the stride: between two points ground may rise.
#define MARGIN 0.02
// Toes may be so deep in the ground where a foot stands, of the leg's length.
#define TOE_SLACK 0.01
// Points from heel to toe that are looked at for where a riser begins.
#define TOE_POINTS 8
// Nearer to its hip than this part of where it rests, no foot is meant to pass, if the ground lets it; to that end it
// is put aside by this part of its step at most.
#define NEAR 0.48
#define NEAR_HALVINGS 5
#define MOST_ASIDE 0.5
// On its way it keeps off by this part of what is between its leg's shortest reach and where it rests.
#define CLEAR 0.6
// To that end its control point is lowered to this part of its step, where it would pass at the shortest reach, but to
// the second only, where it would pass farther off than the third part of the same: a foot that lifts goes up, not
// along the ground.
#define KEEP_LIFT 0.24
#define KEEP_MORE 0.4
#define KEEP_FAR 0.27
// And then moved aside, by this part of its step, less where it would pass farther off. So fast that the foot is not
// moved by more than the second part of where it rests each time it looks.
#define STEER_ASIDE 0.3
#define CREEP 0.03
// Points of the rest of a way that are looked at then, up to a part of it.
#define LOOKS 6
#define LAST_LOOK 0.95
// Where there is no way over the ground, a foot goes through it rather than over its hip: so high of its reach.
#define NO_WAY 0.4

// Sole and tip of the toes from the joint, world, for an orientation of the foot. Their number.
static int ends_of(const sft_creature* creature, int32_t leg, sft_quatd rotation, sft_v3d* out)
{
    const sft_creature_limb* limb = &creature->limbs[leg];
    const sft_quatd turned = sft_quatd_mul(rotation, sft_quatd_conjugate(limb->home_rotation));
    const double scale = creature->def.scale, ankle = creature->def.legs[leg].ankle_offset;
    out[0] = sft_v3d_scale(scale, sft_quatd_rotate(turned, sft_v3d_make(0, -ankle, 0)));
    if (limb->toe.x == 0 && limb->toe.z == 0) return 1;
    out[1] = sft_v3d_scale(scale, sft_quatd_rotate(turned, limb->toe));
    return 2;
}

// [m] by which a point is below the ground along up; 0: it is not, looked for from `above` on.
static double depth_of(const sft_ground* ground, sft_v3d p, sft_v3d up, double above)
{
    sft_ground_hit hit;
    if (!sft_ground_cast(ground, sft_v3d_madd(p, above, up), sft_v3d_scale(-1, up), above, 0, &hit)) return 0;
    return above - hit.distance;
}

bool sft_creature_toes_fit(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                           const sft_creature_foothold* at)
{
    sft_v3d ends[2];
    if (ends_of(creature, leg, at->rotation, ends) < 2) return true;
    const double scale = creature->def.scale;
    return depth_of(ground, sft_v3d_add(at->position, ends[1]), at->normal,
                    scale * creature->def.legs[leg].reach_max) <= scale * TOE_SLACK * creature->limbs[leg].length;
}

bool sft_creature_put_back(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                           sft_creature_foothold* at)
{
    sft_v3d ends[2];
    if (ends_of(creature, leg, at->rotation, ends) < 2) return true;
    const double scale = creature->def.scale, above = scale * creature->def.legs[leg].reach_max;
    const double slack = scale * TOE_SLACK * creature->limbs[leg].length;
    int out = 0;
    while (out < TOE_POINTS)
    {
        const sft_v3d p = sft_v3d_lerp(ends[0], ends[1], (double)(out + 1) / TOE_POINTS);
        if (depth_of(ground, sft_v3d_add(at->position, p), at->normal, above) > slack) break;
        ++out;
    }
    if (2 * out < TOE_POINTS) return false;
    at->position = sft_v3d_madd(at->position, (double)out / TOE_POINTS - 1, sft_v3d_sub(ends[1], ends[0]));
    return true;
}

// A step: of the joint, and of the ends of sole and toes.
typedef struct way
{
    sft_v3d start, end;
    sft_v3d from[2], to[2];
    int count;
    double along; // part of it over which the control point is
    double above; // [m] from which ground is looked for
} way;

// How high the control point of a step must be, when it is shifted aside.
static double rise_for(const sft_ground* ground, const way* w, sft_v3d aside, sft_v3d up)
{
    double most = 0;
    for (int i = 0; i < w->count; ++i)
    {
        const sft_v3d middle = sft_v3d_add(sft_v3d_lerp(w->from[i], w->to[i], w->along), aside);
        const double margin = MARGIN * sft_v3d_distance(w->from[i], w->to[i]);
        for (int k = 1; k < POINTS; ++k)
        {
            // The control point has weight 2 u (1 - u) there.
            const double u = (double)k / POINTS, v = 1 - u, weight = 2 * u * v;
            sft_v3d p = sft_v3d_madd(sft_v3d_scale(v * v, w->from[i]), weight, middle);
            p = sft_v3d_madd(p, u * u, w->to[i]);
            p = sft_v3d_madd(p, -2 * weight * margin, up);
            most = sft_maxd(most, depth_of(ground, p, up, w->above) / weight);
        }
    }
    return most;
}

// Times of a swing about its middle, and what the ease makes of them.
static const double pass_times[] = {0.3, 0.4, 0.5, 0.6, 0.7};
static const double pass_eased[] = {0.108, 0.256, 0.5, 0.744, 0.892};

// Nearest that a foot comes to its hip on its way, which goes from one place to the other meanwhile. [m] world.
static double nearest(const sft_v3d* hips, sft_v3d from, sft_v3d over, sft_v3d to, sft_v3d* arm, double* weight)
{
    double least = SFT_HUGE;
    for (size_t k = 0; k < SFT_COUNT_OF(pass_times); ++k)
    {
        const double u = pass_eased[k], v = 1 - u;
        const sft_v3d p = sft_v3d_madd(sft_v3d_madd(sft_v3d_scale(v * v, from), 2 * u * v, over), u * u, to);
        const sft_v3d away = sft_v3d_sub(p, sft_v3d_lerp(hips[0], hips[1], pass_times[k]));
        const double square = sft_v3d_dot(away, away);
        if (!(square < least)) continue;
        least = square;
        *arm = away;
        *weight = 2 * u * v;
    }
    return sqrt(least);
}

// A way that would lead past the hip: no higher than the ground asks for, `needed`, and then to the side of it.
static void keep_off_hip(const sft_creature* creature, const sft_ground* ground, int32_t leg, sft_v3d up,
                         const sft_v3d* hips, const way* w, double needed, sft_creature_foot* foot)
{
    const double wanted = NEAR * creature->def.scale * creature->limbs[leg].home_reach;
    sft_v3d arm;
    double weight, far = nearest(hips, w->start, foot->over, w->end, &arm, &weight);
    if (far >= wanted) return;
    const sft_v3d middle = sft_v3d_lerp(w->start, w->end, w->along);
    double hi = sft_v3d_dot(sft_v3d_sub(foot->over, middle), up);
    double lo = sft_maxd(needed, sft_mind(KEEP_LIFT * sft_v3d_distance(w->start, w->end), hi));
    for (int k = 0; k < NEAR_HALVINGS && lo < hi; ++k)
    {
        const double mid = k == 0 ? lo : (lo + hi) / 2;
        far = nearest(hips, w->start, sft_v3d_madd(middle, mid, up), w->end, &arm, &weight);
        if (far < wanted)
            hi = mid;
        else
            lo = mid;
        if (k == 0 && far < wanted) hi = lo;
    }
    foot->over = sft_v3d_madd(middle, lo, up);
    far = nearest(hips, w->start, foot->over, w->end, &arm, &weight);
    if (far >= wanted) return;
    // So far aside, square to up and to the step, that it is as far off as wanted.
    const sft_v3d step = sft_v3d_sub(w->end, w->start);
    sft_v3d aside = sft_v3d_normalize_or(sft_v3d_cross(up, step), sft_v3d_make(0, 0, 0));
    const double across = sft_v3d_dot(arm, aside);
    if (across < 0) aside = sft_v3d_scale(-1, aside);
    const double more = sqrt(wanted * wanted - far * far + across * across) - fabs(across);
    const double most = MOST_ASIDE * sft_v3d_length(step);
    const sft_v3d shift = sft_v3d_scale(sft_mind(more / weight, most), aside);
    const double rise = rise_for(ground, w, shift, up);
    foot->over = sft_v3d_add(middle, sft_v3d_madd(shift, sft_clampd(rise, lo, w->above), up));
}

// Whether the way from a time on would lead sole or toes into the ground.
static bool digs(const sft_creature* creature, const sft_ground* ground, int32_t leg, sft_v3d up,
                 const sft_creature_foot* foot, sft_v3d over, double from)
{
    sft_v3d a[2], b[2];
    const int count = ends_of(creature, leg, foot->from_rotation, a);
    const double above = creature->def.scale * creature->def.legs[leg].reach_max;
    ends_of(creature, leg, foot->to_rotation, b);
    for (int k = 1; k <= LOOKS; ++k)
    {
        const double u = from + (LAST_LOOK - from) * k / LOOKS, v = 1 - u;
        const sft_v3d p =
            sft_v3d_madd(sft_v3d_madd(sft_v3d_scale(v * v, foot->from), 2 * u * v, over), u * u, foot->to);
        for (int i = 0; i < count; ++i)
            if (depth_of(ground, sft_v3d_add(p, sft_v3d_lerp(a[i], b[i], u)), up, above) > 0) return true;
    }
    return false;
}

// Where a foot on its way is nearest to its hip, and how near it may be.
typedef struct pass
{
    sft_v3d arm;   // world, from the hip
    double square; // [m^2] of it
    double most;   // [m^2] below which it is too near
    double weight; // of the control point there
} pass;

// By how the body goes now. False: nowhere too near.
static bool find_pass(const sft_creature* creature, int32_t leg, const sft_creature_state* state,
                      const sft_creature_foot* foot, double wanted, pass* out)
{
    const sft_v3d hip = sft_creature_to_world(creature, &state->body.place, creature->limbs[leg].hip);
    sft_v3d velocity = state->body.velocity;
    velocity.y = state->height_speed;
    // No nearer than either end of what is left of the way: those are where they are.
    const double end = (1 - foot->time) * creature->def.swing.time;
    const sft_v3d first = sft_v3d_sub(foot->position, hip);
    const sft_v3d last = sft_v3d_sub(sft_v3d_madd(foot->to, -end, velocity), hip);
    const double ends = sft_mind(sft_v3d_dot(first, first), sft_v3d_dot(last, last));
    const double most = sft_mind(wanted * wanted, ends);
    *out = (pass){first, most, most, 1};
    for (size_t k = 0; k < SFT_COUNT_OF(pass_times); ++k)
    {
        const double ahead = (pass_times[k] - foot->time) * creature->def.swing.time;
        if (ahead < 0) continue;
        const double u = pass_eased[k], v = 1 - u, w = 2 * u * v;
        const sft_v3d p = sft_v3d_madd(sft_v3d_madd(sft_v3d_scale(v * v, foot->from), w, foot->over), u * u, foot->to);
        const sft_v3d arm = sft_v3d_sub(sft_v3d_madd(p, -ahead, velocity), hip);
        const double square = sft_v3d_dot(arm, arm);
        if (!(square < out->square)) continue;
        *out = (pass){arm, square, most, w};
    }
    return out->square < most;
}

void sft_creature_steer_swing(const sft_creature* creature, const sft_ground* ground, int32_t leg,
                              const sft_creature_state* state, sft_creature_foot* foot)
{
    const sft_creature_limb* limb = &creature->limbs[leg];
    const sft_creature_leg* def = &creature->def.legs[leg];
    const double scale = creature->def.scale, inner = scale * def->reach_min;
    const double room = scale * (limb->home_reach - def->reach_min);
    pass at;
    if (!find_pass(creature, leg, state, foot, inner + CLEAR * room, &at)) return;
    const sft_quatd turned = state->body.place.r;
    const sft_v3d up = sft_quatd_rotate(turned, sft_v3d_make(0, 1, 0)), step = sft_v3d_sub(foot->to, foot->from);
    const sft_v3d off = sft_v3d_sub(foot->over, sft_v3d_lerp(foot->from, foot->to, 0.5)), none = {0, 0, 0};
    const sft_v3d along = sft_v3d_normalize_or(sft_v3d_madd(step, -sft_v3d_dot(step, up), up), none);
    // Towards where it rests, square to its way, or straight aside: what keeps it out of the ground.
    sft_v3d home = sft_quatd_rotate(turned, sft_v3d_sub(def->home, limb->hip));
    home = sft_v3d_madd(home, -sft_v3d_dot(home, along), along);
    const sft_v3d ways[] = {home, sft_v3d_madd(home, -sft_v3d_dot(home, up), up)};
    const double u = sft_creature_ease(foot->time), now = sft_maxd(2 * u * (1 - u), 0.1), stride = sft_v3d_length(step);
    const double far = sft_clampd((sqrt(at.square) - inner) / (KEEP_FAR * room), 0, 1);
    const double keep = (KEEP_LIFT + (KEEP_MORE - KEEP_LIFT) * far) * stride;
    const double sprawl = sqrt(sft_v3d_dot(ways[1], ways[1]) / sft_maxd(sft_v3d_dot(home, home), 1e-24));
    const double aside = STEER_ASIDE * sft_maxd(1 - far, sprawl) * stride;
    for (int k = 0; k < 2; ++k)
    {
        const sft_v3d n = sft_v3d_normalize_or(ways[k], none);
        const double b = sft_v3d_dot(at.arm, n), lowers = -sft_v3d_dot(n, up);
        double shift = (sqrt(b * b + at.most - at.square) - b) / at.weight;
        shift = sft_mind(shift, CREEP * scale * limb->home_reach / now);
        if (k == 0 && lowers > 0) shift = sft_mind(shift, (sft_v3d_dot(off, up) - keep) / lowers);
        if (k == 1) shift = sft_mind(shift, aside - sft_v3d_dot(off, n));
        if (!(shift > 0)) continue;
        const sft_v3d over = sft_v3d_madd(foot->over, shift, n);
        if (digs(creature, ground, leg, up, foot, over, u)) continue;
        foot->over = over;
        return;
    }
}

bool sft_creature_plan_swing(const sft_creature* creature, const sft_ground* ground, int32_t leg, sft_v3d up,
                             const sft_creature_foothold* to, const sft_v3d* hips, sft_creature_foot* foot)
{
    static const double places[] = {0.25, 0.75, 0, 1};
    const sft_v3d still = {0, 0, 0};
    const sft_creature_swing* swing = &creature->def.swing;
    const double scale = creature->def.scale;
    const double stride = sft_v3d_distance(foot->position, to->position);
    const double least = sft_maxd(swing->lift * stride, scale * swing->clearance);
    way w = {.start = foot->position, .end = to->position, .along = 0.5};
    w.above = scale * creature->def.legs[leg].reach_max;
    w.count = ends_of(creature, leg, foot->rotation, w.from);
    ends_of(creature, leg, to->rotation, w.to);
    for (int i = 0; i < w.count; ++i)
    {
        w.from[i] = sft_v3d_add(w.from[i], foot->position);
        w.to[i] = sft_v3d_add(w.to[i], to->position);
    }
    double along = w.along, rise = rise_for(ground, &w, still, up);
    for (size_t k = 0; k < SFT_COUNT_OF(places) && rise > least; ++k)
    {
        w.along = places[k];
        const double other = rise_for(ground, &w, still, up);
        if (!(other < rise)) continue;
        rise = other;
        along = w.along;
    }
    w.along = along;
    // Higher than a leg reaches there is no way.
    const bool fits = rise <= sft_maxd(least, w.above);
    const double needed = fits ? rise : NO_WAY * w.above;
    foot->over = sft_v3d_madd(sft_v3d_lerp(w.start, w.end, along), sft_mind(sft_maxd(needed, least), w.above), up);
    keep_off_hip(creature, ground, leg, up, hips, &w, needed, foot);
    return fits;
}
