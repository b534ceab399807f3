// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Height and tilt of the body. They follow a plane through the soles: those that stand, and those in the air at the
// point of the straight line between their two footholds by the part of their time, so that nothing jumps when a foot
// lifts or lands. The plane z = height + b left + c ahead is least squares; where the feet's homes lie nearly in a row
// (a biped's side by side), they say little about the tilt that way, and the body keeps upright. A body whose feet are
// spread far sinks.

#include "creature/creature.h"

// Parts of its threshold at which a foot lifts at the latest, as a rule.
#define LATEST 1.1

typedef struct plane
{
    double height, left, ahead; // [m] at the body's place; slopes
    double sink;                // [m] world, by which the body must be lower than it is; below 0: may be higher
} plane;

typedef struct sums
{
    double n, l, a, y, ll, la, aa, ly, ay;
    double nl, na, ny; // of the normals: left, ahead, up
} sums;

double sft_creature_sink_for(const sft_creature* creature, int32_t leg, sft_v3d arm)
{
    const double far = creature->limbs[leg].stretched;
    const double across = arm.x * arm.x + arm.z * arm.z;
    const double drop = far * far > across ? sqrt(far * far - across) : 0;
    return creature->def.scale * (-arm.y - drop);
}

// By how much the body must be lower than it is for a foot's leg, not now but where the foot will be left behind by the
// time that the height has followed: up to its threshold, where it lifts.
static double foot_sink(const sft_creature* creature, const sft_creature_state* state, const sft_creature_view* view,
                        int32_t leg, const sft_creature_foot* foot)
{
    const sft_creature_leg* def = &creature->def.legs[leg];
    const sft_v3d hip = creature->limbs[leg].hip;
    const sft_v3d p = sft_creature_seen(view, foot->position);
    const sft_v3d v =
        sft_v3d_scale(creature->def.motion.level_time, sft_creature_apply3(&view->in, state->body.velocity));
    const sft_v3d home = sft_creature_led(view, def->home);
    double x = p.x - home.x, z = p.z - home.z;
    const double most = sft_maxd(sqrt(x * x + z * z), LATEST * def->step_distance);
    x -= v.x;
    z -= v.z;
    const double size = sqrt(x * x + z * z), part = size > most ? most / size : 1;
    x = home.x + part * x - hip.x;
    z = home.z + part * z - hip.z;
    return sft_creature_sink_for(creature, leg, sft_v3d_make(x, p.y - hip.y, z));
}

// The same for a foot in the air, where it comes down.
static double landing_sink(const sft_creature* creature, const sft_creature_state* state, const sft_creature_view* view,
                           int32_t leg, const sft_creature_foot* foot)
{
    const double left = (1 - foot->time) * creature->def.swing.time;
    const sft_v3d p = sft_creature_seen(view, sft_v3d_madd(foot->to, -left, state->body.velocity));
    return sft_creature_sink_for(creature, leg, sft_v3d_sub(p, creature->limbs[leg].hip));
}

static void solve(const sft_creature* creature, const sums* s, plane* out)
{
    const double l = s->l / s->n, a = s->a / s->n, y = s->y / s->n;
    const double ll = s->ll - s->n * l * l, la = s->la - s->n * l * a, aa = s->aa - s->n * a * a;
    const double ly = s->ly - s->n * l * y, ay = s->ay - s->n * a * y;
    // A ridge keeps three feet in a row, or two, from saying what they do not know.
    const double ridge = 1e-3 * (ll + aa) + 1e-12 * creature->def.scale * creature->def.scale;
    const double det = (ll + ridge) * (aa + ridge) - la * la;
    out->left = out->ahead = 0;
    if (det > 0)
    {
        out->left = creature->trust_left * (ly * (aa + ridge) - ay * la) / det;
        out->ahead = creature->trust_ahead * (ay * (ll + ridge) - ly * la) / det;
    }
    const double steep = sqrt(out->left * out->left + out->ahead * out->ahead);
    if (steep > creature->tan_tilt)
    {
        out->left *= creature->tan_tilt / steep;
        out->ahead *= creature->tan_tilt / steep;
    }
    // Where the heights say little, the normals of what the feet stand on say how the ground goes on to below the body:
    // it keeps upright, but it goes down with the slope.
    const double normal_y = sft_maxd(s->ny, 0.1 * s->n);
    const double left = out->left - (1 - creature->trust_left) * s->nl / normal_y;
    const double ahead = out->ahead - (1 - creature->trust_ahead) * s->na / normal_y;
    out->height = y - left * l - ahead * a;
}

static bool fit(const sft_creature* creature, sft_creature_state* state, sft_v3d left, sft_v3d ahead, plane* out)
{
    const sft_creature_foot* feet = sft_creature_feet(state);
    const sft_v3d at = state->body.place.t;
    const sft_creature_view view = sft_creature_view_of(creature, &state->body);
    sums s = {0};
    out->sink = -SFT_HUGE;
    for (int32_t i = 0; i < creature->def.leg_count; ++i)
    {
        const sft_creature_foot* foot = &feet[i];
        if (!foot->standing) continue;
        sft_v3d p = foot->position, n = foot->normal;
        if (foot->swinging)
        {
            // Not by its eased time: a foot goes three times as fast in its middle, and the body's tilt would with it.
            const double u = foot->time;
            p = sft_v3d_lerp(foot->from, foot->to, u);
            n = sft_v3d_lerp(n, foot->to_normal, u);
            out->sink = sft_maxd(out->sink, landing_sink(creature, state, &view, i, foot));
        }
        else
            out->sink = sft_maxd(out->sink, foot_sink(creature, state, &view, i, foot));
        p = sft_v3d_sub(sft_v3d_madd(p, -creature->def.scale * creature->def.legs[i].ankle_offset, n), at);
        const double l = sft_v3d_dot(p, left), a = sft_v3d_dot(p, ahead);
        s.n += 1;
        s.nl += sft_v3d_dot(n, left);
        s.na += sft_v3d_dot(n, ahead);
        s.ny += n.y;
        s.l += l;
        s.a += a;
        s.y += p.y;
        s.ll += l * l;
        s.la += l * a;
        s.aa += a * a;
        s.ly += l * p.y;
        s.ay += a * p.y;
    }
    if (!(s.n > 0)) return false;
    solve(creature, &s, out);
    return true;
}

double sft_creature_level(const sft_creature* creature, sft_creature_state* state)
{
    const sft_quatd half = sft_creature_upright(state);
    const double sine = 2 * half.y * half.w, cosine = 1 - 2 * half.y * half.y;
    const sft_v3d left = sft_creature_headed(creature->left, sine, cosine);
    const sft_v3d ahead = sft_creature_headed(creature->def.forward, sine, cosine);
    double y = state->body.place.t.y;
    plane ground;
    if (!fit(creature, state, left, ahead, &ground))
    {
        state->height_speed = 0;
        return y;
    }
    // Of the height that the plane says the body is short by so much already.
    const double level = y + ground.height - creature->def.scale * creature->stand_height;
    state->sunk = level - y;
    const double sink = sft_maxd(state->sunk + ground.sink, state->ahead_sink);
    double target = level - sft_clampd(sink, 0, creature->most_sink);
    // A follower of this kind is two of its times late on a ramp: on a slope the body would trail behind its height.
    if (creature->level_spring.rate > 0)
        target += 2 / creature->level_spring.rate * sft_creature_rise(creature, state, state->body.velocity);
    sft_creature_follow(&creature->level_spring, target, &y, &state->height_speed);

    const double length = sqrt(1 + ground.left * ground.left + ground.ahead * ground.ahead);
    const sft_v3d normal =
        sft_v3d_scale(1 / length, sft_v3d_sub(sft_v3d_make(0, 1, 0), sft_v3d_add(sft_v3d_scale(ground.left, left),
                                                                                 sft_v3d_scale(ground.ahead, ahead))));
    // Between two tilts less than right angles apart the short cut through the chord is as good as the arc.
    const sft_quatd tilt = sft_quatd_normalize((sft_quatd){normal.z, 0, -normal.x, 1 + normal.y});
    const double k = 1 - creature->level_spring.decay;
    sft_quatd q = state->level;
    if (fabs(tilt.x - q.x) + fabs(tilt.y - q.y) + fabs(tilt.z - q.z) < 1e-15)
    {
        // There: no numbers too small for the machine's full speed.
        state->level = tilt;
        return y;
    }
    q.x += k * (tilt.x - q.x);
    q.y += k * (tilt.y - q.y);
    q.z += k * (tilt.z - q.z);
    q.w += k * (tilt.w - q.w);
    state->level = sft_quatd_normalize(q);
    return y;
}
