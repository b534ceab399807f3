// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Problem: planted toes must stand; pelvis and legs give way so that no joint accelerates noticeably more than it did.
//
// Minimise, over all frames and with D2 the second difference in time,
//   sum over legs and the four angles of a leg:  (D2 angle / peak acceleration of that joint)^2 + (angle / scale)^2
//   + (D2 shift / peak pelvis acceleration)^2 + (speed of shift)^2 + small terms that fix height and mean of the shift
//   + one-sided terms: ankle, heel and toe end not below their floors, knee not bent backwards, foot not pitched past
//   its range
// subject to: hip + leg(angles) + foot(angles) puts a planted toe on its plant's place (unknown, one for each plant).
//
// The angles are what is judged and what is smooth; hip-ankle distance is not: near a straight knee a millimetre of it
// is six degrees. There the foot, not the knee, makes up the difference, since the constraint is solved along the
// direction in (knee, foot pitch) in which the toe answers most (see linearize).
//
// Planted frames keep one free number a leg (how knee and pitch share), the turn of the leg follows from the place;
// swing frames keep all four. That makes a Gauss-Newton step one pass of cu_front over the frames: linear time.

#include "cleanup/direct.h"

static const double STEP_LIMIT = 0.5;      // rad: linearisation holds; larger steps are scaled down as a whole
#define PATIENCE 10                        // steps that may be as long as they like
static const double STEP_DONE = 0.03;      // rad: what is left of the error is second order of this, 1e-3
static const double REACH_EPS = 1e-6;      // m^2: where neither knee nor pitch moves the toe along the leg
static const double FLOOR_WEIGHT = 3000.0; // 1/m
static const double FLOOR_ENTER = 2e-4, FLOOR_ENTER_LATE = 7e-4, FLOOR_LEAVE = 1e-4; // m
static const double NO_FLOOR = 1.0;                                                  // m: gap of a point that is far up
static const double NEAR_PLACE = 0.01;                                               // m
static const double LOCK_WEIGHT = 150.0;  // 1/m: plants stand at their level, within reason
static const double KNEE_BACK = 0.03;     // rad beyond straight, or beyond the source where that is further
static const double PITCH_RANGE = 0.6;    // rad
static const double RANGE_WEIGHT = 200.0; // 1/rad

// Exact geometry of one leg in one frame at the unknowns' current values.
typedef struct leg_state
{
    cu_bend bend;
    sft_v3d foot, tip;   // after pitch
    sft_v3d aim;         // hip to where the ankle has to be
    sft_v3d unit;        // along aim
    double length, gap;  // of aim; gap = length - bent leg's length
    double sine, cosine; // of the pitch
    double lever;        // rate of length with pitch
} leg_state;

static leg_state planted_state(const cu_leg_frame* f, const double* q, sft_v3d shift, sft_v3d place)
{
    leg_state s;
    s.bend = cu_bend_knee(f, q[2]);
    s.sine = sft_sin(q[3]);
    s.cosine = sft_cos(q[3]);
    s.foot = cu_turn(f->foot, f->pitch, s.sine, s.cosine);
    s.tip = cu_turn(f->tip, f->pitch, s.sine, s.cosine);
    s.aim = sft_v3d_sub(sft_v3d_add(place, s.foot), sft_v3d_add(f->hip, shift));
    s.length = sft_v3d_length(s.aim);
    s.unit = s.length > SFT_LENGTH_EPS ? sft_v3d_scale(1.0 / s.length, s.aim) : f->along;
    s.gap = s.length - s.bend.length;
    s.lever = sft_v3d_dot(s.unit, sft_v3d_cross(f->pitch, s.foot));
    return s;
}

void cu_measure_turn(const cu_leg_frame* f, sft_v3d w, sft_v3d unit, double* q)
{
    const double facing = sft_maxd(sft_v3d_dot(w, unit), 0.05);
    const sft_v3d m = sft_v3d_scale(1.0 / facing, sft_v3d_cross(w, unit));
    const double upright = sft_maxd(sft_v3d_dot(w, f->along), 0.05);
    const sft_v3d turn = sft_v3d_madd(m, -sft_v3d_dot(m, f->along) / upright, w);
    q[0] = sft_v3d_dot(turn, f->e_side);
    q[1] = sft_v3d_dot(turn, f->e_front);
}

sft_v3d cu_leg_line(const cu_leg_frame* f, const double* q, const cu_bend* bend)
{
    const sft_v3d turn = sft_v3d_madd(sft_v3d_scale(q[0], f->e_side), q[1], f->e_front);
    const sft_v3d unit = sft_v3d_add(bend->unit, sft_v3d_cross(turn, bend->unit));
    return sft_v3d_scale(bend->length / sft_v3d_length(unit), unit);
}

sft_v3d cu_toe(const cu_problem* p, size_t at, int32_t frame)
{
    const cu_leg_frame* f = p->source + at;
    const double* q = p->angles + at * 4;
    const cu_bend bend = cu_bend_knee(f, q[2]);
    const sft_v3d heel = sft_v3d_add(sft_v3d_add(f->hip, p->shift[frame]), cu_leg_line(f, q, &bend));
    return sft_v3d_sub(heel, cu_turn(f->foot, f->pitch, sft_sin(q[3]), sft_cos(q[3])));
}

// Derivatives of the four angles by the pelvis shift (3) and by the free number; the place's are the shift's negated.
static void linearize(const cu_leg_frame* f, const leg_state* s, const double* q, cu_linear* out)
{
    const double rate = s->bend.length_rate, lever = s->lever;
    const double h2 = rate * rate + lever * lever + REACH_EPS, h = sqrt(h2);
    const sft_v3d u = s->unit;
    // lever d(pitch) - rate d(knee) = -(gap + u . (d place - d shift)): least change plus the free direction.
    const double knee = rate / h2, pitch = -lever / h2;
    const double jk[4] = {-knee * u.x, -knee * u.y, -knee * u.z, lever / h};
    const double jp[4] = {-pitch * u.x, -pitch * u.y, -pitch * u.z, rate / h};
    const double dk = knee * s->gap, dp = pitch * s->gap;
    out->base[2] = q[2] + dk;
    out->base[3] = q[3] + dp;
    const sft_v3d w = s->bend.unit;
    const double inverse = 1.0 / sft_maxd(s->length, SFT_LENGTH_EPS);
    const double bent = 1.0 / sft_maxd(s->bend.length, SFT_LENGTH_EPS);
    const sft_v3d w_rate = sft_v3d_scale(bent, sft_v3d_madd(s->bend.rate, -s->bend.length_rate, w));
    const sft_v3d foot_rate = sft_v3d_cross(f->pitch, s->foot);
    for (int c = 0; c < 4; ++c)
    {
        out->jac[2][c] = (float)jk[c];
        out->jac[3][c] = (float)jp[c];
    }
    for (int k = 0; k < 2; ++k)
    {
        const sft_v3d e = k == 0 ? f->e_side : f->e_front;
        const sft_v3d x = sft_v3d_cross(e, w);
        const sft_v3d by_aim = sft_v3d_scale(inverse, sft_v3d_madd(x, -sft_v3d_dot(x, u), u));
        const double direct[4] = {-by_aim.x, -by_aim.y, -by_aim.z, 0.0};
        const double by_pitch = sft_v3d_dot(by_aim, foot_rate);
        const double by_knee = sft_v3d_dot(sft_v3d_cross(u, e), w_rate);
        for (int c = 0; c < 4; ++c)
            out->jac[k][c] = (float)(direct[c] + by_pitch * jp[c] + by_knee * jk[c]);
        out->base[k] = q[k] + by_pitch * dp + by_knee * dk;
    }
}

// How far ankle, tip and sole of a planted foot are over their floors once the constraint's error is taken out, and how
// fast they rise with pitch.
static void planted_floors(const cu_leg_frame* f, const leg_state* s, double place, double moved, bool sole,
                           cu_linear* out)
{
    sft_v3d points[CU_POINTS] = {s->foot, s->tip, s->foot};
    if (sole) points[2] = cu_turn(f->sole, f->pitch, s->sine, s->cosine);
    for (int k = 0; k < (sole ? 3 : 2); ++k)
    {
        const double rate = sft_v3d_cross(f->pitch, points[k]).y;
        out->floor_rate[k] = (float)rate;
        out->floor_gap[k] = (float)(place + points[k].y + rate * moved - f->floor[k]);
    }
}

// The same in swing, with the rates by all four angles; only near the floor.
static void swing_floors(const cu_leg_frame* f, const double* q, sft_v3d shift, bool sole, cu_linear* out)
{
    const double near = 0.05; // m; corrections in swing are smaller
    const int count = sole ? 3 : 2;
    const sft_v3d source[CU_POINTS] = {f->foot, f->tip, f->sole};
    bool any = false;
    for (int k = 0; k < count; ++k)
        any = any || f->toe.y + source[k].y - f->floor[k] <= near;
    if (!any) return;
    const cu_bend bend = cu_bend_knee(f, q[2]);
    const sft_v3d line = cu_leg_line(f, q, &bend);
    const double sine = sft_sin(q[3]), cosine = sft_cos(q[3]);
    const sft_v3d foot = cu_turn(f->foot, f->pitch, sine, cosine);
    const double ankle = f->hip.y + shift.y + line.y;
    for (int k = 0; k < count; ++k)
    {
        const sft_v3d point = k == 0 ? foot : cu_turn(source[k], f->pitch, sine, cosine);
        out->floor_gap[k] = (float)(ankle - foot.y + point.y - f->floor[k]);
        out->jac[k][0] = (float)sft_v3d_cross(f->e_side, line).y;
        out->jac[k][1] = (float)sft_v3d_cross(f->e_front, line).y;
        out->jac[k][2] = (float)bend.rate.y;
        out->jac[k][3] = (float)sft_v3d_cross(f->pitch, sft_v3d_sub(point, foot)).y;
    }
}

// Which floors push: one that is undercut starts to, one that would have to hold the foot down stops, but only once, so
// that the choice settles. A leg that is still far from its place has no say yet.
static int32_t choose_floors(cu_linear* lin, int32_t step)
{
    int32_t changes = 0;
    for (int k = 0; k < CU_POINTS; ++k)
    {
        const uint8_t before = lin->floor_on[k];
        if (!lin->near || !(lin->floor_gap[k] < NO_FLOOR))
            lin->floor_on[k] = 0;
        else if (!lin->floor_on[k] && lin->floor_gap[k] < (step > 2 ? -FLOOR_ENTER_LATE : -FLOOR_ENTER))
            lin->floor_on[k] = 1;
        else if (lin->floor_on[k] && lin->floor_gap[k] > FLOOR_LEAVE && !lin->floor_left[k])
        {
            lin->floor_on[k] = 0;
            lin->floor_left[k] = 1;
        }
        changes += lin->floor_on[k] && !before;
    }
    return changes;
}

// Returns how many floors began to push.
static int32_t linearize_frames(cu_direct* d, int32_t step)
{
    int32_t changes = 0;
    cu_problem* p = d->problem;
    const int32_t n = p->frames;
    for (int32_t l = 0; l < p->leg_count; ++l)
    {
        for (int32_t i = 0; i < n; ++i)
        {
            const size_t at = (size_t)l * (size_t)n + (size_t)i;
            double* q = p->angles + at * 4;
            cu_linear* out = d->linear + at;
            for (int k = 0; k < CU_POINTS; ++k)
                out->floor_gap[k] = (float)NO_FLOOR;
            const cu_leg_frame* f = p->source + at;
            if (p->plant_of[at] < 0)
            {
                memcpy(out->base, q, sizeof out->base);
                out->near = true;
                swing_floors(f, q, p->shift[i], p->soles[l] >= 0, out);
                changes += choose_floors(out, step);
                continue;
            }
            const cu_plant* plant = p->plants + p->plant_of[at];
            const sft_v3d place = sft_v3d_add(plant->place, cu_plant_offset(p, plant, i));
            const leg_state s = planted_state(f, q, p->shift[i], place);
            cu_measure_turn(f, s.bend.unit, s.unit, q);
            linearize(f, &s, q, out);
            planted_floors(f, &s, place.y, out->base[3] - q[3], p->soles[l] >= 0, out);
            out->lock = (float)(plant->place.y - plant->level);
            out->near = fabs(s.gap) < NEAR_PLACE;
            changes += choose_floors(out, step);
        }
    }
    return changes;
}

// Takes the step x, scaled down where it is longer than `limit` [rad]; returns the largest change before scaling [rad].
// Only what turns legs counts: a shift of the whole clip with its plants does not.
static double take_step(cu_direct* d, double limit)
{
    cu_problem* p = d->problem;
    const double* x = d->x;
    double largest = 0.0, change[4];
    for (int32_t l = 0; l < p->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            cu_direct_change(d, l, i, x, change);
            for (int k = 0; k < 4; ++k)
                largest = sft_maxd(largest, fabs(change[k]));
        }
    const double scale = largest > limit ? limit / largest : 1.0;
    for (int32_t l = 0; l < p->leg_count; ++l)
        for (int32_t i = 0; i < p->frames; ++i)
        {
            const size_t at = (size_t)l * (size_t)p->frames + (size_t)i;
            cu_direct_change(d, l, i, x, change);
            for (int k = p->plant_of[at] < 0 ? 0 : 2; k < 4; ++k)
                p->angles[at * 4 + (size_t)k] += scale * change[k];
        }
    for (int32_t i = 0; p->move_pelvis && i < p->frames; ++i)
    {
        const double* s = x + d->base[i];
        p->shift[i] = sft_v3d_madd(p->shift[i], scale, sft_v3d_make(s[0], s[1], s[2]));
    }
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        const double* s = x + d->plant_base + 3 * (int64_t)k;
        if (p->plants[k].count > 0)
            p->plants[k].place = sft_v3d_madd(p->plants[k].place, scale, sft_v3d_make(s[0], s[1], s[2]));
    }
    return largest;
}

// Where to start: the pelvis moves so that planted legs keep their shape, steadily on while no foot stands; far from
// smooth, but the first linearisation then happens near the answer however the root was scaled.
static void start_values(cu_problem* p)
{
    const int32_t n = p->frames;
    if (p->move_pelvis)
    {
        sft_v3d step = {0}, sum = {0};
        for (int32_t i = 1; i < n; ++i)
        {
            sft_v3d slide = {0};
            int32_t standing = 0;
            for (int32_t l = 0; l < p->leg_count; ++l)
            {
                const size_t at = (size_t)l * (size_t)n + (size_t)i;
                if (p->plant_of[at] < 0 || p->plant_of[at] != p->plant_of[at - 1]) continue;
                slide = sft_v3d_add(slide, sft_v3d_sub(p->source[at].toe, p->source[at - 1].toe));
                ++standing;
            }
            if (standing > 0) step = sft_v3d_madd(sft_v3d_scale(p->dt, p->ground), -1.0 / (double)standing, slide);
            step.y = 0.0;
            p->shift[i] = sft_v3d_add(p->shift[i - 1], step);
            sum = sft_v3d_add(sum, p->shift[i]);
        }
        // A cycle's shift ends where it began: what it has drifted by then is taken out evenly.
        const sft_v3d drift = p->loop ? sft_v3d_add(p->shift[n - 1], step) : sft_v3d_make(0, 0, 0);
        const sft_v3d middle = sft_v3d_madd(sft_v3d_scale(1.0 / (double)n, sum), -0.5, drift);
        for (int32_t i = 0; i < n; ++i)
        {
            const sft_v3d even = sft_v3d_madd(middle, (double)i / (double)n, drift);
            p->shift[i] = sft_v3d_sub(p->shift[i], even);
            if (!(p->def->hold_path > 0.0)) p->anchor[i] = p->shift[i];
        }
    }
    for (int32_t k = 0; k < p->plant_count; ++k)
    {
        cu_plant* plant = p->plants + k;
        sft_v3d sum = {0};
        for (int32_t j = 0; j < plant->count; ++j)
            sum = sft_v3d_add(sum, p->shift[(plant->first + j) % n]);
        if (plant->count > 0) plant->place = sft_v3d_madd(plant->place, 1.0 / (double)plant->count, sum);
    }
}

sft_result cu_direct_solve(cu_problem* p, int32_t* iterations, bool* converged)
{
    cu_direct d;
    sft_result r = cu_direct_create(&d, p);
    if (r != SFT_OK) return r;
    *converged = false;
    if (*iterations == 0) start_values(p);
    int32_t step = 0;
    double moved = 1.0, limit = STEP_LIMIT;
    while (step < CU_MAX_STEPS)
    {
        const int32_t changes = linearize_frames(&d, step);
        *converged = step > 0 && changes == 0 && moved < STEP_DONE;
        if (*converged) break;
        cu_direct_assemble_and_solve(&d);
        const double before = moved;
        moved = take_step(&d, limit);
        // Folded legs are far from linear: steps that get no shorter go to and fro, and half of one gets between.
        if (step >= PATIENCE && moved > 0.7 * before) limit *= 0.5;
        ++step;
    }
    *iterations += step;
    cu_direct_release(&d);
    return SFT_OK;
}

void cu_direct_close(cu_problem* p)
{
    const int32_t n = p->frames;
    for (int32_t l = 0; l < p->leg_count; ++l)
        for (int32_t i = 0; i < n; ++i)
        {
            const size_t at = (size_t)l * (size_t)n + (size_t)i;
            p->miss[at] = 0.0;
            if (p->plant_of[at] < 0) continue;
            const cu_leg_frame* f = p->source + at;
            const cu_plant* plant = p->plants + p->plant_of[at];
            const sft_v3d place = sft_v3d_add(plant->place, cu_plant_offset(p, plant, i));
            double* q = p->angles + at * 4;
            leg_state s = planted_state(f, q, p->shift[i], place);
            for (int round = 0; round < 12 && fabs(s.gap) > 1e-13; ++round)
            {
                const double h2 = s.bend.length_rate * s.bend.length_rate + s.lever * s.lever + REACH_EPS;
                const double pitch = sft_clampd(q[3] - s.lever * s.gap / h2, -PITCH_RANGE - 0.1, PITCH_RANGE + 0.1);
                q[2] += sft_clampd(s.bend.length_rate * s.gap / h2, -0.2, 0.2);
                q[3] = pitch;
                s = planted_state(f, q, p->shift[i], place);
            }
            cu_measure_turn(f, s.bend.unit, s.unit, q);
            const sft_v3d line = cu_leg_line(f, q, &s.bend);
            p->miss[at] = sft_v3d_distance(line, s.aim);
        }
}

double cu_leg_stretch(const cu_problem* p, size_t at, int32_t frame)
{
    if (p->plant_of[at] < 0 || !(p->miss[at] > 0.0)) return 1.0;
    const cu_plant* plant = p->plants + p->plant_of[at];
    const sft_v3d place = sft_v3d_add(plant->place, cu_plant_offset(p, plant, frame));
    const leg_state s = planted_state(p->source + at, p->angles + at * 4, p->shift[frame], place);
    return s.bend.length > SFT_LENGTH_EPS ? s.length / s.bend.length : 1.0;
}

// The one-sided terms of the angles themselves: how far an angle is past its range.
double cu_angle_excess(const cu_leg_frame* f, const double* base, int k)
{
    if (k == 2)
    {
        if (base[2] >= -KNEE_BACK) return 0.0;
        const double lowest = sft_mind(f->knee_angle, 0.0) - KNEE_BACK - f->knee_angle;
        return sft_mind(base[2] - lowest, 0.0);
    }
    return base[3] > PITCH_RANGE ? base[3] - PITCH_RANGE : sft_mind(base[3] + PITCH_RANGE, 0.0);
}

const cu_direct_scales cu_scales = {FLOOR_WEIGHT * FLOOR_WEIGHT, LOCK_WEIGHT* LOCK_WEIGHT, RANGE_WEIGHT* RANGE_WEIGHT};
