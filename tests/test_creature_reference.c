// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Who steps when and where to, against a plain restatement of the rules of docs/creature.md for level ground: angles
// instead of quaternions, matrices instead of rotations, whole swings instead of running times. It is told where the
// body is and how it moves; all about feet it works out by itself. Nothing of the library is called for it.

#include "support/roamers.h"

#include <math.h>

#define RATE 120
#define PI 3.14159265358979323846

typedef struct ref_foot
{
    double x, y, z, heading; ///< where it stands
    double to_x, to_z, to_heading;
    int left; ///< steps until it lands; 0: it stands
    int wait; ///< steps until a foothold is looked for again
    bool stepped;
    int count;
} ref_foot;

typedef struct reference
{
    const sft_creature_def* def;
    sft_gait gait;
    int turns, group, last, swing_steps;
    double hip[SFT_MAX_LEGS][3], stretched[SFT_MAX_LEGS];
    ref_foot feet[SFT_MAX_LEGS];
    // The body at this step.
    double at[3], m[3][3], v[3], pace[3], heading, turn, stood;
} reference;

// ---- the body ----

static void take_body(reference* r, const sft_creature_body* b)
{
    const double x = b->place.r.x, y = b->place.r.y, z = b->place.r.z, w = b->place.r.w;
    const double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
    memcpy(r->m, m, sizeof m);
    r->at[0] = b->place.t.x;
    r->at[1] = b->place.t.y;
    r->at[2] = b->place.t.z;
    r->v[0] = b->velocity.x;
    r->v[2] = b->velocity.z;
    r->pace[0] = b->pace.x;
    r->pace[1] = b->pace.y;
    r->pace[2] = b->pace.z;
    r->heading = atan2(m[0][2], m[2][2]);
    r->turn = b->turn;
    r->stood = b->stood;
}

static void to_body(const reference* r, double x, double y, double z, double out[3])
{
    const double d[3] = {x - r->at[0], y - r->at[1], z - r->at[2]};
    for (int i = 0; i < 3; ++i)
        out[i] = (r->m[0][i] * d[0] + r->m[1][i] * d[1] + r->m[2][i] * d[2]) / r->def->scale;
}

static void to_world(const reference* r, const double p[3], double out[3])
{
    for (int i = 0; i < 3; ++i)
        out[i] = r->at[i] + r->def->scale * (r->m[i][0] * p[0] + r->m[i][1] * p[1] + r->m[i][2] * p[2]);
}

static double distance3(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static double wrapped(double angle)
{
    return atan2(sin(angle), cos(angle));
}

// ---- what a foot wants ----

// A home counts ahead of itself by what it goes in a part of a step's time, along the body's own ground.
static void led_home(const reference* r, int l, double out[3])
{
    const sft_creature_leg* leg = &r->def->legs[l];
    const double time = r->def->swing.lead * r->def->swing.time;
    double v[3];
    to_body(r, r->at[0] + r->pace[0], r->at[1] + r->pace[1], r->at[2] + r->pace[2], v);
    out[0] = leg->home.x + time * (v[0] + r->turn * leg->home.z);
    out[1] = leg->home.y;
    out[2] = leg->home.z + time * (v[2] - r->turn * leg->home.x);
}

static void error_of(const reference* r, int l, double* x, double* z)
{
    double p[3];
    to_body(r, r->feet[l].x, r->feet[l].y, r->feet[l].z, p);
    double home[3];
    led_home(r, l, home);
    *x = p[0] - home[0];
    *z = p[2] - home[2];
}

static double angle_part(const reference* r, int l)
{
    return tan(fabs(wrapped(r->feet[l].heading - r->heading)) / 2) / tan(r->def->legs[l].step_angle / 2);
}

static double need_now(const reference* r, int l)
{
    const sft_creature_leg* leg = &r->def->legs[l];
    double x, z, p[3];
    error_of(r, l, &x, &z);
    double part = fmax(hypot(x, z) / leg->step_distance, angle_part(r, l));
    to_body(r, r->feet[l].x, r->feet[l].y, r->feet[l].z, p);
    if (part >= 0.25 && distance3(p, r->hip[l]) > r->stretched[l] && part <= 1) part = 1.0000001;
    return part;
}

static double need_rate(const reference* r, int l)
{
    const sft_creature_leg* leg = &r->def->legs[l];
    if (r->stood > 0) return 0;
    const double home[3] = {leg->home.x, leg->home.y, leg->home.z};
    double w[3];
    to_world(r, home, w);
    // A home turns about the body's vertical.
    const double vx = r->pace[0] + r->turn * (w[2] - r->at[2]), vz = r->pace[2] - r->turn * (w[0] - r->at[0]);
    return fmax(hypot(vx, vz) / (leg->step_distance * r->def->scale), fabs(r->turn) / leg->step_angle);
}

// Stretched after a time at this pace: the hip goes on, the foot stays.
static bool stretched_after(const reference* r, int l, double time)
{
    double p[3], v[3];
    to_body(r, r->feet[l].x, r->feet[l].y, r->feet[l].z, p);
    to_body(r, r->at[0] + r->pace[0], r->at[1] + r->pace[1], r->at[2] + r->pace[2], v);
    if (r->stood > 0) return distance3(p, r->hip[l]) > r->stretched[l];
    const double vx = -v[0] - r->turn * p[2], vz = -v[2] + r->turn * p[0];
    p[0] += time * vx;
    p[2] += time * vz;
    return distance3(p, r->hip[l]) > r->stretched[l];
}

static bool may(const reference* r, int l)
{
    return r->feet[l].left == 0 && !r->feet[l].stepped;
}

// ---- footholds ----

// Where the body comes to rest if it brakes at once.
static bool in_reach_braking(const reference* r, int l, double x, double z)
{
    const sft_creature_leg* leg = &r->def->legs[l];
    const double speed = hypot(r->v[0], r->v[2]),
                 time = fmin(speed / 2 / r->def->motion.acceleration, r->def->swing.time);
    double p[3];
    to_body(r, x - time * r->v[0], leg->ankle_offset * r->def->scale, z - time * r->v[2], p);
    const double d = distance3(p, r->hip[l]);
    return d >= leg->reach_min && d <= leg->reach_max;
}

static bool in_reach(const reference* r, int l, double x, double z, double time)
{
    const sft_creature_leg* leg = &r->def->legs[l];
    // Where the body will be: turned about up by turn * time, moved by velocity * time.
    const double a = r->turn * time, c = cos(a), s = sin(a);
    const double dx = x - (r->at[0] + time * r->pace[0]), dz = z - (r->at[2] + time * r->pace[2]);
    double p[3];
    to_body(r, r->at[0] + c * dx - s * dz, leg->ankle_offset * r->def->scale, r->at[2] + s * dx + c * dz, p);
    const double d = distance3(p, r->hip[l]);
    return d >= leg->reach_min && d <= leg->reach_max;
}

static bool try_lift(reference* r, int l, bool settle)
{
    static const double choices[8][2] = {{1, 0}, {0.75, 0}, {0.5, 0}, {0.25, 0}, {0, 0}, {1.5, 0}, {0, 1}, {0, -1}};
    const sft_creature_leg* leg = &r->def->legs[l];
    ref_foot* f = &r->feet[l];
    if (f->wait > 0)
    {
        --f->wait;
        return false;
    }
    double x, z;
    error_of(r, l, &x, &z);
    const double d = hypot(x, z), over = r->def->swing.overshoot * fmin(leg->step_distance, d);
    const double ax = d > 1e-9 ? -x / d : 0, az = d > 1e-9 ? -z / d : 1;
    for (int k = settle ? 4 : 0; k < 8; ++k)
    {
        const double ox = over * (choices[k][0] * ax + choices[k][1] * az);
        const double oz = over * (choices[k][0] * az - choices[k][1] * ax);
        if (k > 0 && !(hypot(ox, oz) < 0.9 * d)) continue;
        // Straight down the body's own up, to y = 0; the ankle stands over the sole.
        double home[3];
        led_home(r, l, home);
        home[0] += ox;
        home[2] += oz;
        double w[3];
        to_world(r, home, w);
        const double down = (w[1] - leg->ankle_offset * r->def->scale) / r->m[1][1];
        const double px = w[0] - down * r->m[0][1], pz = w[2] - down * r->m[2][1];
        if (!in_reach_braking(r, l, px, pz) || !in_reach(r, l, px, pz, r->def->swing.time)) continue;
        if (settle && !(angle_part(r, l) > r->def->swing.settle_part))
        {
            const ref_foot keep = *f;
            f->x = px;
            f->z = pz;
            double nx, nz;
            error_of(r, l, &nx, &nz);
            *f = keep;
            if (!(hypot(nx, nz) < 0.9 * d)) continue;
        }
        f->to_x = px;
        f->to_z = pz;
        f->to_heading = r->heading;
        f->left = r->swing_steps;
        f->stepped = true;
        ++f->count;
        return true;
    }
    f->wait = 8;
    return false;
}

// ---- whose turn it is ----

static void run_turns(reference* r)
{
    const int n = r->def->leg_count;
    const double time = r->def->swing.time;
    bool air = false;
    for (int l = 0; l < n; ++l)
        air = air || r->feet[l].left > 0;
    if (r->group >= 0 && air)
    {
        for (int l = 0; l < n; ++l)
            if (r->def->legs[l].group[r->gait] == r->group && may(r, l) && need_now(r, l) > 1) try_lift(r, l, false);
        return;
    }
    if (r->group >= 0)
    {
        r->last = r->group;
        r->group = -1;
        for (int l = 0; l < n; ++l)
            r->feet[l].stepped = false;
    }
    // Would a foot be past its threshold when its turn comes, each turn before it taking a swing?
    bool urgent = false, settle = false;
    for (int l = 0; l < n; ++l)
    {
        int before = 0;
        for (int g = (r->last + 1) % r->turns; g != r->def->legs[l].group[r->gait]; g = (g + 1) % r->turns)
            ++before;
        const double now = need_now(r, l);
        urgent = urgent || now + before * time * need_rate(r, l) > 1;
        urgent = urgent || (now >= 0.25 && stretched_after(r, l, before * time));
        settle = settle || need_now(r, l) > r->def->swing.settle_part;
    }
    settle = settle && !urgent && r->def->swing.settle_time > 0 && r->stood >= r->def->swing.settle_time;
    if (!urgent && !settle) return;
    for (int k = 1; k <= r->turns; ++k)
    {
        const int group = (r->last + k) % r->turns;
        bool any = false;
        for (int l = 0; l < n; ++l)
        {
            if (r->def->legs[l].group[r->gait] != group) continue;
            const double now = need_now(r, l);
            const bool soon =
                now >= 0.25 && (now + r->turns * time * need_rate(r, l) > 1 || stretched_after(r, l, r->turns * time));
            if (settle ? now > r->def->swing.settle_part : now > 1 || soon) any = try_lift(r, l, settle) || any;
        }
        if (!any) continue;
        r->group = group;
        return;
    }
}

static void step(reference* r, const sft_creature_body* body)
{
    take_body(r, body);
    for (int l = 0; l < r->def->leg_count; ++l)
    {
        ref_foot* f = &r->feet[l];
        if (f->left == 0 || --f->left > 0) continue;
        f->x = f->to_x;
        f->z = f->to_z;
        f->y = r->def->legs[l].ankle_offset * r->def->scale;
        f->heading = f->to_heading;
        f->wait = 0;
    }
    run_turns(r);
}

static void start(reference* r, const roamer* made, const sft_creature_state* state, const sft_creature_foot* feet)
{
    memset(r, 0, sizeof *r);
    r->def = &made->def;
    while ((made->def.gaits & 1u << r->gait) == 0)
        r->gait = (sft_gait)(r->gait + 1);
    for (int l = 0; l < made->def.leg_count; ++l)
    {
        const sft_creature_leg* leg = &made->def.legs[l];
        if (leg->group[r->gait] >= r->turns) r->turns = leg->group[r->gait] + 1;
        // Roamers have no rest rotations: places add up.
        for (int32_t j = leg->joints[0]; j >= 0; j = made->skeleton->parents[j])
        {
            r->hip[l][0] += made->skeleton->rest_translations[j].x;
            r->hip[l][1] += made->skeleton->rest_translations[j].y;
            r->hip[l][2] += made->skeleton->rest_translations[j].z;
        }
        const double home[3] = {leg->home.x, leg->home.y, leg->home.z};
        const double rest = distance3(home, r->hip[l]);
        r->stretched[l] = rest + 0.85 * (leg->reach_max - rest);
        r->feet[l] = (ref_foot){.x = feet[l].position.x, .y = feet[l].position.y, .z = feet[l].position.z};
    }
    r->group = -1;
    r->last = sft_creature_get_body(state)->last_group;
    r->swing_steps = (int)ceil(made->def.swing.time * RATE - 1e-6);
}

// ---- goals ----

typedef enum goal_kind
{
    GOAL_LINE,
    GOAL_CIRCLE,
    GOAL_JUMPS,
    GOAL_STOPS,
    GOAL_KINDS
} goal_kind;

static sft_creature_input input_at(goal_kind kind, double time, double length, const sft_ground* ground)
{
    sft_creature_input input = {.kind = SFT_CREATURE_GO_TO, .ground = ground};
    switch (kind)
    {
    case GOAL_LINE:
        input.goal = (sft_v3d){0, 0, 20 * length};
        break;
    case GOAL_CIRCLE:
        input.goal = (sft_v3d){4 * length * sin(0.2 * time), 0, 4 * length * cos(0.2 * time)};
        break;
    case GOAL_JUMPS:
        input.goal =
            (sft_v3d){(((int)(time / 3) * 7) % 5 - 2) * 3 * length, 0, (((int)(time / 3) * 11) % 7 - 3) * 3 * length};
        break;
    default:
        input.goal = (sft_v3d){2 * length, 0, 6 * length};
        if (fmod(time, 8) > 3) input.kind = SFT_CREATURE_STAND;
        break;
    }
    return input;
}

static int compare(const roamer* made, goal_kind goal, int seconds)
{
    sft_creature* creature = NULL;
    sft_error error = {0};
    if (sft_creature_create(&made->def, made->skeleton, NULL, &creature, &error) != SFT_OK)
        fail_msg("%s", error.message);
    const size_t size = sft_creature_state_size(creature);
    void* memory = malloc(size);
    assert_non_null(memory);
    const sft_ground_plane plane = {.normal = {0, 1, 0}};
    const sft_ground ground = sft_ground_from_plane(&plane);
    const sft_xformd place = {{0, 0, 0}, sft_quatd_identity()};
    sft_creature_state* state = NULL;
    assert_int_equal(sft_creature_place(creature, place, &ground, memory, size, &state), SFT_OK);
    const sft_creature_foot* feet = sft_creature_get_feet(creature, state);
    static reference r;
    start(&r, made, state, feet);
    int total = 0;
    for (int k = 0; k < seconds * RATE; ++k)
    {
        const sft_creature_input input = input_at(goal, (double)k / RATE, made->length, &ground);
        assert_int_equal(sft_creature_step(creature, &input, state), SFT_OK);
        step(&r, sft_creature_get_body(state));
        for (int l = 0; l < made->def.leg_count; ++l)
        {
            if (feet[l].steps != r.feet[l].count || feet[l].swinging != (r.feet[l].left > 0))
                fail_msg("goal %d, step %d, leg %d: %lld steps, here %d", goal, k, l, (long long)feet[l].steps,
                         r.feet[l].count);
            if (!feet[l].swinging) continue;
            assert_true(fabs(feet[l].to.x - r.feet[l].to_x) < 1e-9 * made->def.scale);
            assert_true(fabs(feet[l].to.z - r.feet[l].to_z) < 1e-9 * made->def.scale);
        }
    }
    for (int l = 0; l < made->def.leg_count; ++l)
        total += r.feet[l].count;
    free(memory);
    sft_creature_destroy(creature, NULL);
    return total;
}

static void test_creature_reference__steps_begin_and_end_where_the_plain_rules_say(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
        for (int g = 0; g < GOAL_KINDS; ++g)
        {
            roamer made;
            make_roamer((roamer_kind)k, &made);
            // A body that turns as fast as its legs serve reaches the threshold after just so many steps of the clock
            // where a swing takes a whole number of them: then rounding decides, here and there each its own way.
            made.def.swing.time *= 1.013;
            const int total = compare(&made, (goal_kind)g, 24);
            assert_true(total >= 10 * made.def.leg_count);
            release_roamer(&made);
        }
}

static void test_creature_reference__at_other_sizes_and_gaits(void** state)
{
    (void)state;
    const double scales[3] = {0.1, 0.5, 10};
    for (int i = 0; i < 3; ++i)
    {
        roamer made;
        make_roamer(ROAMER_LIZARD, &made);
        made.def.scale = scales[i];
        made.def.motion.max_speed *= scales[i];
        made.def.motion.acceleration *= scales[i];
        made.def.motion.stop_distance *= scales[i];
        made.def.motion.approach_distance *= scales[i];
        made.def.motion.back_distance *= scales[i];
        made.length *= scales[i];
        assert_true(compare(&made, GOAL_CIRCLE, 24) > 40);
        release_roamer(&made);
    }
    // A wave of the hexapod: six turns.
    roamer made;
    make_roamer(ROAMER_HEXAPOD, &made);
    for (int l = 0; l < 6; ++l)
        made.def.legs[l].group[SFT_GAIT_WAVE] = l;
    made.def.gaits = 1u << SFT_GAIT_WAVE;
    assert_true(compare(&made, GOAL_LINE, 24) > 20);
    assert_true(compare(&made, GOAL_JUMPS, 24) > 20);
    release_roamer(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_reference__steps_begin_and_end_where_the_plain_rules_say),
        cmocka_unit_test(test_creature_reference__at_other_sizes_and_gaits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
