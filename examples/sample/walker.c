// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// A walking biped in closed form; see walker.h.

#include "walker.h"

#include <stdlib.h>

#define PHASE_FLAT 0.08 // share of the stride's time at which each part begins
#define PHASE_HEEL_OFF 0.40
#define PHASE_SWING 0.60
#define PHASE_MIDSTANCE 0.27 // the hips pass over the ankle here

#define STRIKE_PITCH (-12.0 * SFT_PI / 180.0) // toe up
#define OFF_PITCH (32.0 * SFT_PI / 180.0)     // heel up
#define TOE_OUT (5.0 * SFT_PI / 180.0)
#define TOE_LIFT 0.045 // [m] of the toe in mid-swing
#define MAX_EXTENSION 0.985

#define THIGH 0.43
#define SHIN 0.42
#define HIP_DROP 0.05
#define HIP_WIDTH 0.09 // [m] of hip and foot from the middle
#define BOB 0.015
#define SWAY 0.018

// Foot frame: origin at the ankle, flat on the ground, pointing along +Z.
static const sft_v3d toe_offset = {0.0, -0.065, 0.135};
static const sft_v3d toe_end_offset = {0.0, -0.008, 0.065}; // from the toe joint
static const sft_v3d heel_back = {0.0, -0.085, -0.05};      // the point that strikes the ground
static const double ankle_height = 0.085;

typedef struct joint_row
{
    const char* name;
    int32_t parent;
    sft_v3d rest;
} joint_row;

static const joint_row rows[WALKER_JOINTS] = {
    {"Hips", -1, {0.0, 0.985, 0.0}},
    {"LeftUpLeg", 0, {HIP_WIDTH, -HIP_DROP, 0.0}},
    {"LeftLeg", 1, {0.0, -THIGH, 0.0}},
    {"LeftFoot", 2, {0.0, -SHIN, 0.0}},
    {"LeftToeBase", 3, {0.0, -0.065, 0.135}},
    {NULL, 4, {0.0, -0.008, 0.065}},
    {"RightUpLeg", 0, {-HIP_WIDTH, -HIP_DROP, 0.0}},
    {"RightLeg", 6, {0.0, -THIGH, 0.0}},
    {"RightFoot", 7, {0.0, -SHIN, 0.0}},
    {"RightToeBase", 8, {0.0, -0.065, 0.135}},
    {NULL, 9, {0.0, -0.008, 0.065}},
    {"Spine", 0, {0.0, 0.11, -0.01}},
    {"Chest", 11, {0.0, 0.20, 0.0}},
    {"Neck", 12, {0.0, 0.24, 0.01}},
    {"Head", 13, {0.0, 0.09, 0.01}},
    {NULL, 14, {0.0, 0.19, 0.0}},
    {"LeftShoulder", 12, {0.03, 0.19, 0.0}},
    {"LeftArm", 16, {0.15, 0.0, 0.0}},
    {"LeftForeArm", 17, {0.28, 0.0, 0.0}},
    {"LeftHand", 18, {0.25, 0.0, 0.0}},
    {NULL, 19, {0.17, 0.0, 0.0}},
    {"RightShoulder", 12, {-0.03, 0.19, 0.0}},
    {"RightArm", 21, {-0.15, 0.0, 0.0}},
    {"RightForeArm", 22, {-0.28, 0.0, 0.0}},
    {"RightHand", 23, {-0.25, 0.0, 0.0}},
    {NULL, 24, {-0.17, 0.0, 0.0}},
};

enum
{
    CHEST = 12,
    HEAD = 14,
    LEFT_ARM = 17,
    RIGHT_ARM = 22
};

walker_def walker_default_def(void)
{
    return (walker_def){.frames = 240, .fps = 60.0, .speed = 1.3, .step_length = 0.65, .root_scale = 1.0, .seed = 1};
}

// ---- small mathematics ----

static sft_quatd about(sft_v3d axis, double angle)
{
    return sft_quatd_exp(sft_v3d_scale(angle, axis));
}

static sft_quatd about_x(double angle)
{
    return about(sft_v3d_make(1, 0, 0), angle);
}

static sft_quatd about_y(double angle)
{
    return about(sft_v3d_make(0, 1, 0), angle);
}

// Rotation that takes X and Y to two unit vectors at right angles.
static sft_quatd from_axes(sft_v3d x, sft_v3d y)
{
    const sft_quatd first = sft_quatd_between(sft_v3d_make(1, 0, 0), x);
    const sft_v3d turned = sft_quatd_rotate(first, sft_v3d_make(0, 1, 0));
    // What is left is a turn about x, whose angle the plane at right angles to x shows.
    const double c = sft_v3d_dot(turned, y), s = sft_v3d_dot(sft_v3d_cross(turned, y), x);
    return sft_quatd_normalize(sft_quatd_mul(about(x, sft_atan2(s, c)), first));
}

// Value, speed and acceleration with respect to time.
typedef struct jet
{
    double p, v, a;
} jet;

// The quintic through two jets that are `span` seconds apart, at the fraction u.
static double quintic(jet from, jet to, double span, double u)
{
    const double v0 = from.v * span, v1 = to.v * span, a0 = from.a * span * span, a1 = to.a * span * span;
    const double d = to.p - from.p;
    const double c3 = 10.0 * d - 6.0 * v0 - 4.0 * v1 - 1.5 * a0 + 0.5 * a1;
    const double c4 = -15.0 * d + 8.0 * v0 + 7.0 * v1 + 1.5 * a0 - a1;
    const double c5 = 6.0 * d - 3.0 * v0 - 3.0 * v1 - 0.5 * a0 + 0.5 * a1;
    return from.p + u * (v0 + u * (0.5 * a0 + u * (c3 + u * (c4 + u * c5))));
}

// 0 at both ends with two derivatives, 1 in the middle.
static double bump(double u)
{
    const double s = 4.0 * u * (1.0 - u);
    return s * s * s;
}

// ---- feet ----

static double stride_time(const walker_def* def)
{
    return 2.0 * def->step_length / def->speed;
}

// Position and rotation of a foot on level ground before slope and heading; pitch > 0 lifts the heel.
typedef struct flat_foot
{
    sft_v3d toe;
    double pitch, toe_pitch;
} flat_foot;

// Toe joint of a foot that stands flat after its heel strike number `stride`.
static sft_v3d flat_toe(const walker_def* def, int side, double stride)
{
    const double along = 2.0 * def->step_length * (stride + PHASE_MIDSTANCE);
    const double x = side == 0 ? HIP_WIDTH : -HIP_WIDTH, turn = side == 0 ? TOE_OUT : -TOE_OUT;
    const sft_v3d ankle = {x, ankle_height + def->rise * 2.0 * stride, along};
    return sft_v3d_add(ankle, sft_quatd_rotate(about_y(turn), toe_offset));
}

// Jets of the toe's coordinates where it strikes: it moves on a circle about the back of the heel.
static void strike_jets(const walker_def* def, int side, double stride, jet out[3], jet* pitch)
{
    const double span = PHASE_FLAT * stride_time(def);
    *pitch = (jet){STRIKE_PITCH, -3.0 * STRIKE_PITCH / span, 6.0 * STRIKE_PITCH / (span * span)};
    const sft_quatd turn = about_y(side == 0 ? TOE_OUT : -TOE_OUT);
    const sft_v3d arm0 = sft_v3d_sub(toe_offset, heel_back);
    const sft_v3d pivot = sft_v3d_sub(flat_toe(def, side, stride), sft_quatd_rotate(turn, arm0));
    const sft_v3d arm = sft_quatd_rotate(turn, sft_quatd_rotate(about_x(pitch->p), arm0));
    const sft_v3d side_axis = sft_quatd_rotate(turn, sft_v3d_make(1, 0, 0));
    const sft_v3d swing = sft_v3d_cross(side_axis, arm);
    const sft_v3d p = sft_v3d_add(pivot, arm), v = sft_v3d_scale(pitch->v, swing);
    const sft_v3d a =
        sft_v3d_madd(sft_v3d_scale(pitch->a, swing), pitch->v * pitch->v, sft_v3d_cross(side_axis, swing));
    out[0] = (jet){p.x, v.x, a.x};
    out[1] = (jet){p.y, v.y, a.y};
    out[2] = (jet){p.z, v.z, a.z};
}

static flat_foot swing_foot(const walker_def* def, int side, double stride, double u)
{
    const double span = (1.0 - PHASE_SWING) * stride_time(def);
    const double roll = (PHASE_SWING - PHASE_HEEL_OFF) * stride_time(def);
    const sft_v3d from = flat_toe(def, side, stride);
    const jet off = {OFF_PITCH, 3.0 * OFF_PITCH / roll, 6.0 * OFF_PITCH / (roll * roll)};
    jet to[3], strike;
    strike_jets(def, side, stride + 1.0, to, &strike);
    flat_foot foot;
    foot.toe.x = quintic((jet){from.x, 0, 0}, to[0], span, u);
    foot.toe.y = quintic((jet){from.y, 0, 0}, to[1], span, u) + (TOE_LIFT + fabs(def->rise)) * bump(u);
    foot.toe.z = quintic((jet){from.z, 0, 0}, to[2], span, u);
    foot.pitch = quintic(off, strike, span, u);
    const double level = quintic((jet){0, 0, 0}, strike, span, u);
    foot.toe_pitch = level + 0.3 * bump(u) * (foot.pitch - level);
    return foot;
}

walker_foot walker_foot_at(const walker_def* def, int side, double time)
{
    const double cycles = time / stride_time(def) + def->start + (side == 0 ? 0.0 : 0.5);
    // A frame that falls on a boundary belongs to the later part, in spite of rounding.
    const double stride_index = floor(cycles + 1e-9), phase = sft_maxd(cycles - stride_index, 0.0);
    // Both feet share the path: the right foot's stride k stands half a stride behind its own count.
    const double stride = stride_index - (side == 0 ? 0.0 : 0.5);
    const sft_quatd turn = about_y(side == 0 ? TOE_OUT : -TOE_OUT);
    walker_foot out = {.touch = phase <= PHASE_SWING + 1e-9};
    out.plant = out.touch && phase >= PHASE_FLAT - 1e-9;
    flat_foot foot = {flat_toe(def, side, stride), 0.0, 0.0};
    if (phase < PHASE_FLAT)
    {
        const double left = 1.0 - phase / PHASE_FLAT;
        foot.pitch = foot.toe_pitch = STRIKE_PITCH * left * left * left;
        const sft_v3d arm = sft_v3d_sub(toe_offset, heel_back);
        const sft_v3d moved = sft_v3d_sub(sft_quatd_rotate(about_x(foot.pitch), arm), arm);
        foot.toe = sft_v3d_add(foot.toe, sft_quatd_rotate(turn, moved));
    }
    else if (phase > PHASE_SWING)
        foot = swing_foot(def, side, stride, (phase - PHASE_SWING) / (1.0 - PHASE_SWING));
    else if (phase > PHASE_HEEL_OFF)
    {
        const double u = (phase - PHASE_HEEL_OFF) / (PHASE_SWING - PHASE_HEEL_OFF);
        foot.pitch = OFF_PITCH * u * u * u;
    }
    const sft_quatd world = sft_quatd_mul(about_y(def->heading), about_x(-def->slope));
    out.heel_r = sft_quatd_mul(world, sft_quatd_mul(turn, about_x(foot.pitch)));
    out.toe_r = sft_quatd_mul(world, sft_quatd_mul(turn, about_x(foot.toe_pitch)));
    out.toe = sft_quatd_rotate(world, foot.toe);
    if (def->treadmill)
    {
        const sft_v3d travel = sft_v3d_make(0, 0, -def->speed * time);
        out.toe = sft_v3d_add(out.toe, sft_quatd_rotate(world, travel));
    }
    out.heel = sft_v3d_sub(out.toe, sft_quatd_rotate(out.heel_r, toe_offset));
    out.toe_end = sft_v3d_add(out.toe, sft_quatd_rotate(out.toe_r, toe_end_offset));
    return out;
}

// ---- hips ----

// Hips above the ground line, with the legs' reach not asked yet (height 0 is filled in by walker_hips_height).
static sft_xformd hips_path(const walker_def* def, double time, double height)
{
    const double cycles = time / stride_time(def) + def->start, turn = 2.0 * SFT_PI * cycles;
    // Over the left foot in its mid-stance; lowest in double support, twice a stride.
    const double side = sft_cos(turn - 2.0 * SFT_PI * 0.30), bob = sft_cos(2.0 * (turn - 2.0 * SFT_PI * 0.30));
    const double along = 2.0 * def->step_length * cycles - (def->treadmill ? def->speed * time : 0.0);
    const sft_quatd yaw = about_y(0.07 * sft_cos(turn)), roll = about(sft_v3d_make(0, 0, 1), 0.03 * side);
    const sft_quatd heading = about_y(def->heading);
    const sft_v3d on_ground = sft_quatd_rotate(about_x(-def->slope), sft_v3d_make(0, 0, along));
    const double climbed = 2.0 * def->rise * (cycles - PHASE_MIDSTANCE);
    const sft_v3d p = {SWAY * side, on_ground.y + climbed + height + BOB * bob, on_ground.z};
    return (sft_xformd){sft_quatd_rotate(heading, p), sft_quatd_mul(heading, sft_quatd_mul(yaw, roll))};
}

static sft_v3d hip_of(sft_xformd hips, int side)
{
    return sft_xformd_apply(hips, rows[side == 0 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP].rest);
}

// With MAX_EXTENSION left in the legs.
double walker_hips_height(const walker_def* def)
{
    const double reach = MAX_EXTENSION * (THIGH + SHIN);
    double height = 10.0;
    for (int i = 0; i < 256; ++i)
    {
        const double time = stride_time(def) * (double)i / 256.0;
        for (int side = 0; side < 2; ++side)
        {
            const sft_v3d ankle = walker_foot_at(def, side, time).heel;
            const sft_v3d hip = hip_of(hips_path(def, time, 0.0), side);
            const double dx = ankle.x - hip.x, dz = ankle.z - hip.z, room = reach * reach - dx * dx - dz * dz;
            if (!(room > 0.01)) return (double)NAN;
            height = sft_mind(height, ankle.y + sqrt(room) - hip.y);
        }
    }
    return height;
}

sft_xformd walker_hips_at(const walker_def* def, double height, double time)
{
    return hips_path(def, time, height);
}

// ---- posing ----

typedef struct pose
{
    sft_v3d t[WALKER_JOINTS];
    sft_quatd r[WALKER_JOINTS];
} pose;

static double jitter(uint64_t* state, double amplitude)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15)); // splitmix64
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    z ^= z >> 31;
    return amplitude * ((double)(z >> 11) * 0x1p-52 - 1.0);
}

static sft_v3d jitter3(uint64_t* state, double amplitude)
{
    const double x = jitter(state, amplitude), y = jitter(state, amplitude), z = jitter(state, amplitude);
    return sft_v3d_make(x, y, z);
}

// Hip, knee, heel and toe of one leg: a hinge knee in the plane of the hips' side axis.
static void pose_leg(pose* out, sft_xformd hips, const walker_foot* foot, int side)
{
    const int first = side == 0 ? WALKER_LEFT_HIP : WALKER_RIGHT_HIP;
    const sft_v3d hip = hip_of(hips, side), to = sft_v3d_sub(foot->heel, hip);
    const double far = sft_mind(sft_v3d_length(to), 0.9999 * (THIGH + SHIN));
    const sft_v3d ray = sft_v3d_normalize_or(to, sft_v3d_make(0, -1, 0));
    const sft_v3d wide = sft_quatd_rotate(hips.r, sft_v3d_make(1, 0, 0));
    const sft_v3d axis = sft_v3d_normalize_or(sft_v3d_madd(wide, -sft_v3d_dot(wide, ray), ray), sft_v3d_make(1, 0, 0));
    // Knee at x along the ray and h before it: x^2 + h^2 = THIGH^2, (far - x)^2 + h^2 = SHIN^2.
    const double x = 0.5 * (far + (THIGH - SHIN) * (THIGH + SHIN) / far);
    const double h = sqrt(sft_maxd((THIGH - x) * (THIGH + x), 0.0));
    const sft_v3d knee = sft_v3d_madd(sft_v3d_madd(hip, x, ray), h, sft_v3d_cross(ray, axis));
    const sft_v3d heel = sft_v3d_madd(hip, far, ray);
    const sft_quatd thigh_r = from_axes(axis, sft_v3d_scale(1.0 / THIGH, sft_v3d_sub(hip, knee)));
    const sft_quatd shin_r = from_axes(axis, sft_v3d_scale(1.0 / SHIN, sft_v3d_sub(knee, heel)));
    out->r[first] = sft_quatd_mul(sft_quatd_conjugate(hips.r), thigh_r);
    out->r[first + 1] = sft_quatd_mul(sft_quatd_conjugate(thigh_r), shin_r);
    out->r[first + 2] = sft_quatd_mul(sft_quatd_conjugate(shin_r), foot->heel_r);
    out->r[first + 3] = sft_quatd_mul(sft_quatd_conjugate(foot->heel_r), foot->toe_r);
}

// Spine against the hips, arms against the legs, head level.
static void pose_upper(pose* out, const walker_def* def, double time)
{
    const double turn = 2.0 * SFT_PI * (time / stride_time(def) + def->start);
    const double yaw = 0.07 * sft_cos(turn), swing = 0.42 * sft_cos(turn), side = sft_cos(turn - 0.6 * SFT_PI);
    const sft_v3d ahead = {0, 0, 1};
    out->r[WALKER_SPINE] = sft_quatd_mul(about_y(-1.1 * yaw), about(ahead, -0.03 * side));
    out->r[CHEST] = sft_quatd_mul(about_y(-0.9 * yaw), about_x(0.04));
    out->r[HEAD] = sft_quatd_mul(about_y(yaw), about_x(-0.04));
    out->r[LEFT_ARM] = sft_quatd_mul(about_x(swing), about(ahead, -1.32));
    out->r[RIGHT_ARM] = sft_quatd_mul(about_x(-swing), about(ahead, 1.32));
    // Elbows bend more on the way forward.
    out->r[LEFT_ARM + 1] = about_y(-0.30 - 0.15 * (1.0 - sft_cos(turn)));
    out->r[RIGHT_ARM + 1] = about_y(0.30 + 0.15 * (1.0 + sft_cos(turn)));
}

static void rest_pose(pose* out)
{
    for (int j = 0; j < WALKER_JOINTS; ++j)
    {
        out->t[j] = rows[j].rest;
        out->r[j] = sft_quatd_identity();
    }
}

static void walk_pose(const walker_def* def, double time, double height, uint64_t* random, pose* out)
{
    rest_pose(out);
    sft_xformd hips = hips_path(def, time, height);
    hips.t = sft_v3d_add(hips.t, jitter3(random, def->noise));
    out->t[WALKER_HIPS] = hips.t;
    out->r[WALKER_HIPS] = hips.r;
    for (int side = 0; side < 2; ++side)
    {
        walker_foot foot = walker_foot_at(def, side, time);
        foot.heel = sft_v3d_add(foot.heel, jitter3(random, def->noise));
        pose_leg(out, hips, &foot, side);
    }
    pose_upper(out, def, time);
    const double edit = def->hip_edit * sft_sin(2.0 * SFT_PI * 0.7 * time);
    out->r[WALKER_LEFT_HIP] = sft_quatd_mul(about_x(edit), out->r[WALKER_LEFT_HIP]);
    out->r[WALKER_RIGHT_HIP] = sft_quatd_mul(about_x(edit), out->r[WALKER_RIGHT_HIP]);
}

static sft_result make_skeleton(sft_skeleton** out)
{
    const char* names[WALKER_JOINTS];
    int32_t parents[WALKER_JOINTS];
    uint32_t flags[WALKER_JOINTS];
    sft_v3d rest[WALKER_JOINTS];
    for (int j = 0; j < WALKER_JOINTS; ++j)
    {
        const bool end = rows[j].name == NULL;
        names[j] = end ? rows[rows[j].parent].name : rows[j].name;
        parents[j] = rows[j].parent;
        flags[j] = end ? SFT_JOINT_END_SITE : 0u;
        rest[j] = rows[j].rest;
    }
    // The rest position of a root that has position channels is the origin in the file.
    rest[WALKER_HIPS] = sft_v3d_make(0, 0, 0);
    return sft_skeleton_create(&(sft_skeleton){WALKER_JOINTS, names, parents, flags, rest, NULL}, NULL, out);
}

static void fill(const walker_def* def, double height, walker* w)
{
    uint64_t random = def->seed;
    sft_v3d origin = {0, 0, 0};
    for (int32_t f = 0; f < def->frames; ++f)
    {
        const size_t row = (size_t)f * WALKER_JOINTS;
        pose now;
        if (f < w->first_frame)
            rest_pose(&now);
        else
        {
            const double time = (double)(f - w->first_frame) / def->fps;
            walk_pose(def, time, height, &random, &now);
            sft_v3d* p = &now.t[WALKER_HIPS];
            if (f == w->first_frame) origin = *p;
            if (def->root_scale != 1.0)
            {
                p->x = origin.x + def->root_scale * (p->x - origin.x);
                p->z = origin.z + def->root_scale * (p->z - origin.z);
            }
            for (int side = 0; side < 2; ++side)
            {
                const walker_foot foot = walker_foot_at(def, side, time);
                w->labels.plant[side * def->frames + f] = foot.plant ? 1.0f : 0.0f;
                w->labels.touch[side * def->frames + f] = foot.touch ? 1.0f : 0.0f;
            }
        }
        for (int j = 0; j < WALKER_JOINTS; ++j)
        {
            w->clip->translations[row + (size_t)j] = now.t[j];
            w->clip->rotations[row + (size_t)j] = now.r[j];
        }
    }
}

sft_result walker_create(const walker_def* def, walker* out)
{
    if (def->frames <= 0 || !(def->fps > 0.0) || !(def->speed > 0.0) || !(def->step_length > 0.0)) return SFT_ERR_RANGE;
    const double height = walker_hips_height(def);
    if (!isfinite(height)) return SFT_ERR_RANGE;
    walker w = {.first_frame = def->reference ? 1 : 0, .stride_time = stride_time(def)};
    const size_t cells = 2 * (size_t)def->frames;
    w.labels = (sft_contact_labels){def->frames, 2, calloc(cells, sizeof(float)), calloc(cells, sizeof(float))};
    sft_result result = w.labels.plant != NULL && w.labels.touch != NULL ? SFT_OK : SFT_ERR_MEMORY;
    if (result == SFT_OK) result = make_skeleton(&w.skeleton);
    if (result == SFT_OK) result = sft_clip_create(WALKER_JOINTS, def->frames, 1.0 / def->fps, NULL, &w.clip);
    if (result != SFT_OK)
    {
        walker_release(&w);
        return result;
    }
    if (def->treadmill)
    {
        const sft_quatd world = sft_quatd_mul(about_y(def->heading), about_x(-def->slope));
        w.ground_velocity = sft_quatd_rotate(world, sft_v3d_make(0, 0, -def->speed));
    }
    fill(def, height, &w);
    *out = w;
    return SFT_OK;
}

void walker_release(walker* w)
{
    sft_clip_destroy(w->clip, NULL);
    sft_skeleton_destroy(w->skeleton, NULL);
    free(w->labels.plant);
    free(w->labels.touch);
    *w = (walker){0};
}
