// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The creatures that `roam` makes itself: a lizard, an insect, a spider and a bird-like biped. Metres, standing, facing
// +Z. The lizard's joints are those of the sample, which examples and tests walk without a skin.

#include "../examples/sample/lizard.h"

#include "roam.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char* const roam_kind_names[ROAM_KINDS] = {"lizard", "hexapod", "spider", "biped"};

typedef struct maker
{
    roam_body body;
    roam_mesh mesh;
} maker;

static int find_joint(const maker* m, const char* name)
{
    for (int j = 0; j < m->body.count; ++j)
        if (strcmp(m->body.names[j], name) == 0) return j;
    return -1;
}

// The joint of this name, made where there is none.
static int joint(maker* m, int parent, const char* name, sft_v3d place)
{
    const int found = find_joint(m, name);
    if (found >= 0) return found;
    const int j = m->body.count++;
    m->body.parents[j] = parent;
    snprintf(m->body.names[j], sizeof m->body.names[j], "%s", name);
    m->body.places[j] = place;
    return j;
}

static sft_v3d at(double x, double y, double z)
{
    return (sft_v3d){x, y, z};
}

static sft_v3d between(sft_v3d a, sft_v3d b, double t)
{
    return sft_v3d_add(sft_v3d_scale(1 - t, a), sft_v3d_scale(t, b));
}

// ---- limbs ----

typedef struct limb_plan
{
    int carrier, count;        // joints, foot included; a toe follows
    const char* names[6];      // without side
    sft_v3d places[6];         // of the left; the toe last. Of joints that there are already: not looked at
    double thick[6];           // [m] at each joint
    double knob;               // how much thicker joints are than bones
    double foot_wide;          // [m]
    uint32_t top, under, foot; // colours
    sft_v3d up;                // side of the limb that is the upper one
} limb_plan;

// Three rings a bone; those at a joint belong half to each side.
static void limb_skin(maker* m, const limb_plan* p, const int* joints, double side)
{
    roam_ring rings[25];
    int n = 0;
    // Rounded where it leaves the trunk.
    const sft_v3d hip = m->body.places[joints[0]], knee = m->body.places[joints[1]];
    const double bone = sft_v3d_length(sft_v3d_sub(knee, hip));
    rings[n++] = (roam_ring){.centre = between(hip, knee, bone > 0 ? -0.4 * p->thick[0] / bone : 0),
                             .wide = 0.8 * p->thick[0],
                             .high = 0.8 * p->thick[0],
                             .a = joints[0],
                             .b = p->carrier,
                             .blend = 0.5,
                             .top = p->top,
                             .under = p->under};
    for (int k = 0; k + 1 < p->count; ++k)
    {
        const sft_v3d a = m->body.places[joints[k]], b = m->body.places[joints[k + 1]];
        const double ra = p->thick[k], rb = p->thick[k + 1];
        const int above = k == 0 ? p->carrier : joints[k - 1];
        const double steps[4] = {0, 0.14, 0.5, 0.86};
        for (int i = 0; i < 4; ++i)
        {
            const double t = steps[i], knob = i == 0 ? p->knob : 1;
            const double r = (ra * (1 - t) + rb * t) * knob;
            rings[n++] = (roam_ring){.centre = between(a, b, t),
                                     .wide = r,
                                     .high = r,
                                     .a = joints[k],
                                     .b = above,
                                     .blend = i == 0 ? 0.5 : 0,
                                     .top = p->top,
                                     .under = p->under};
        }
    }
    const int foot = joints[p->count - 1];
    rings[n++] = (roam_ring){.centre = m->body.places[foot],
                             .wide = p->thick[p->count - 1] * p->knob,
                             .high = p->thick[p->count - 1] * p->knob,
                             .a = foot,
                             .b = foot,
                             .top = p->top,
                             .under = p->under};
    sft_v3d up = p->up;
    up.x *= side;
    roam_mesh_tube(&m->mesh, rings, n, up);
}

// A flat pad under the foot, and three toes ahead and to the sides.
static void foot_skin(maker* m, const limb_plan* p, int foot, sft_v3d toe)
{
    const sft_v3d heel = m->body.places[foot];
    sft_v3d ahead = sft_v3d_sub(toe, heel);
    ahead.y = 0;
    const double length = sft_v3d_length(ahead);
    const double w = p->foot_wide;
    roam_mesh_ball(&m->mesh, at(heel.x, 0.35 * w, heel.z), at(w, 0.35 * w, w), foot, p->foot);
    for (int k = -1; k <= 1; ++k)
    {
        const double turn = 0.55 * k, c = sft_cos(turn), s = sft_sin(turn);
        const sft_v3d out = at(ahead.x * c + ahead.z * s, 0, ahead.z * c - ahead.x * s);
        const double reach = k == 0 ? 1.0 : 0.85;
        roam_ring rings[4];
        for (int i = 0; i < 4; ++i)
        {
            const double t = i / 3.0, r = 0.42 * w * (1 - 0.55 * t);
            sft_v3d centre = sft_v3d_add(heel, sft_v3d_scale(reach * t, out));
            centre.y = r * 0.8;
            rings[i] = (roam_ring){
                .centre = centre, .wide = r, .high = 0.8 * r, .a = foot, .b = foot, .top = p->foot, .under = p->foot};
        }
        if (length > 0) roam_mesh_tube(&m->mesh, rings, 4, at(0, 1, 0));
    }
}

static void limbs(maker* m, const limb_plan* p)
{
    for (int s = 0; s < 2; ++s)
    {
        const double side = s == 0 ? 1 : -1;
        int joints[6], above = p->carrier;
        for (int k = 0; k <= p->count; ++k)
        {
            char name[32];
            snprintf(name, sizeof name, "%s_%c", p->names[k], s == 0 ? 'L' : 'R');
            sft_v3d place = p->places[k];
            place.x *= side;
            above = joint(m, above, name, place);
            joints[k] = above;
        }
        limb_skin(m, p, joints, side);
        foot_skin(m, p, joints[p->count - 1], m->body.places[joints[p->count]]);
    }
}

// ---- trunks ----

typedef struct trunk_ring
{
    double y, z, wide, high;
    int a, b;
    double blend;
} trunk_ring;

typedef struct paint
{
    uint32_t top, stripe, under;
} paint;

// A tube in the middle plane. Every other ring is darker above, by `stripe`.
static void trunk(maker* m, const trunk_ring* plan, int count, paint colours, sft_v3d up)
{
    roam_ring rings[40];
    for (int i = 0; i < count; ++i)
        rings[i] = (roam_ring){.centre = {0, plan[i].y, plan[i].z},
                               .wide = plan[i].wide,
                               .high = plan[i].high,
                               .a = plan[i].a,
                               .b = plan[i].b,
                               .blend = plan[i].blend,
                               .top = i % 2 == 0 ? colours.top : colours.stripe,
                               .under = colours.under};
    roam_mesh_tube(&m->mesh, rings, count, up);
}

static void eyes(maker* m, int head, sft_v3d place, double radius)
{
    for (int s = 0; s < 2; ++s)
    {
        const double x = s == 0 ? place.x : -place.x;
        const int eye = joint(m, head, s == 0 ? "eye_L" : "eye_R", at(x, place.y, place.z));
        const sft_v3d ball = m->body.places[eye];
        roam_mesh_ball(&m->mesh, ball, at(radius, radius, radius), eye, 0xF4E9C8);
        roam_mesh_ball(&m->mesh, at(ball.x, ball.y, ball.z + 0.55 * radius),
                       at(0.55 * radius, 0.55 * radius, 0.55 * radius), eye, 0x20242A);
    }
}

// ---- the creatures ----

static void take_lizard(maker* m)
{
    sft_skeleton* skeleton = NULL;
    if (lizard_create(&skeleton) != SFT_OK)
    {
        m->mesh.failed = true;
        return;
    }
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const int32_t parent = skeleton->parents[j];
        const sft_v3d t = skeleton->rest_translations[j];
        joint(m, parent, skeleton->names[j], parent < 0 ? t : sft_v3d_add(m->body.places[parent], t));
    }
    sft_skeleton_destroy(skeleton, NULL);
}

static void lizard(maker* m)
{
    take_lizard(m);
    if (m->mesh.failed) return;
    const paint colours = {0x5F9E58, 0x3F7A4B, 0xE3DDA6};
    const int hips = find_joint(m, "hips"), spine = find_joint(m, "spine_1"), spine_2 = find_joint(m, "spine_2");
    const int chest = find_joint(m, "spine_3"), neck = find_joint(m, "neck"), head = find_joint(m, "head");
    int tail[6];
    for (int i = 0; i < 6; ++i)
    {
        char name[32];
        snprintf(name, sizeof name, "tail_%d", i + 1);
        tail[i] = find_joint(m, name);
    }
    eyes(m, head, at(0, 0, 0), 0.012);
    const trunk_ring rings[] = {
        {0.020, -0.590, 0.003, 0.003, tail[5], tail[5], 0},   {0.027, -0.555, 0.007, 0.007, tail[5], tail[5], 0},
        {0.035, -0.515, 0.010, 0.010, tail[5], tail[4], 0.5}, {0.043, -0.480, 0.012, 0.012, tail[4], tail[4], 0},
        {0.049, -0.445, 0.014, 0.014, tail[4], tail[3], 0.5}, {0.055, -0.410, 0.016, 0.015, tail[3], tail[3], 0},
        {0.061, -0.375, 0.018, 0.017, tail[3], tail[2], 0.5}, {0.067, -0.340, 0.020, 0.019, tail[2], tail[2], 0},
        {0.073, -0.303, 0.023, 0.022, tail[2], tail[1], 0.5}, {0.079, -0.267, 0.026, 0.024, tail[1], tail[1], 0},
        {0.085, -0.231, 0.030, 0.028, tail[1], tail[0], 0.5}, {0.091, -0.195, 0.034, 0.031, tail[0], tail[0], 0},
        {0.096, -0.160, 0.039, 0.034, tail[0], hips, 0.5},    {0.100, -0.125, 0.046, 0.038, hips, hips, 0},
        {0.102, -0.080, 0.050, 0.040, hips, spine, 0.3},      {0.104, -0.030, 0.055, 0.043, spine, hips, 0.4},
        {0.104, 0.005, 0.058, 0.045, spine, spine_2, 0.3},    {0.104, 0.040, 0.057, 0.045, spine_2, spine, 0.4},
        {0.104, 0.075, 0.054, 0.043, spine_2, chest, 0.4},    {0.105, 0.110, 0.049, 0.040, chest, chest, 0},
        {0.108, 0.140, 0.040, 0.034, chest, neck, 0.4},       {0.113, 0.168, 0.031, 0.028, neck, chest, 0.4},
        {0.118, 0.195, 0.033, 0.028, neck, head, 0.6},        {0.121, 0.220, 0.040, 0.031, head, head, 0},
        {0.120, 0.245, 0.037, 0.028, head, head, 0},          {0.116, 0.275, 0.027, 0.021, head, head, 0},
        {0.113, 0.297, 0.015, 0.013, head, head, 0},          {0.112, 0.305, 0.005, 0.005, head, head, 0},
    };
    trunk(m, rings, (int)(sizeof rings / sizeof rings[0]), colours, at(0, 1, 0));
    limb_plan leg = {.carrier = hips,
                     .count = 3,
                     .names = {"hind_thigh", "hind_shin", "hind_foot", "hind_toe"},
                     .thick = {0.026, 0.018, 0.011},
                     .knob = 1.12,
                     .foot_wide = 0.016,
                     .top = colours.top,
                     .under = colours.under,
                     .foot = 0x476B42,
                     .up = {0.3, 1, 0}};
    limbs(m, &leg);
    static const char* const fore[4] = {"front_upper_leg", "front_lower_leg", "front_foot", "front_toe"};
    leg.carrier = chest;
    for (int k = 0; k < 4; ++k)
        leg.names[k] = fore[k];
    leg.thick[0] = 0.023;
    leg.thick[1] = 0.016;
    leg.thick[2] = 0.010;
    leg.foot_wide = 0.015;
    limbs(m, &leg);
}

// Legs of insects: coxa, femur, tibia and foot, spread like a fan.
static void fan(maker* m, int body, int pairs, double reach, const uint32_t colours[3])
{
    static const char* const names[4][5] = {{"leg_1_coxa", "leg_1_femur", "leg_1_tibia", "leg_1_foot", "leg_1_tip"},
                                            {"leg_2_coxa", "leg_2_femur", "leg_2_tibia", "leg_2_foot", "leg_2_tip"},
                                            {"leg_3_coxa", "leg_3_femur", "leg_3_tibia", "leg_3_foot", "leg_3_tip"},
                                            {"leg_4_coxa", "leg_4_femur", "leg_4_tibia", "leg_4_foot", "leg_4_tip"}};
    for (int i = 0; i < pairs; ++i)
    {
        const double u = 2.0 * i / (pairs - 1) - 1, turn = 0.85 * u; // -1 hind to 1 fore
        const double c = sft_cos(turn), s = sft_sin(turn), z = 0.062 * u;
        const double out[5] = {0.040, 0.072, 0.072 + 0.42 * reach, 0.072 + 0.85 * reach, 0.080 + 0.92 * reach};
        const double high[5] = {0.115, 0.122, 0.122 + 0.45 * reach, 0.012, 0.003};
        limb_plan p = {.carrier = body,
                       .count = 4,
                       .thick = {0.016, 0.013, 0.010, 0.006},
                       .knob = 1.2,
                       .foot_wide = 0.010,
                       .top = colours[0],
                       .under = colours[1],
                       .foot = colours[2],
                       .up = {0, 1, 0.2}};
        for (int k = 0; k < 5; ++k)
        {
            p.names[k] = names[i][k];
            p.places[k] = at(out[k] * c, high[k], z + out[k] * s);
        }
        limbs(m, &p);
    }
}

static void hexapod(maker* m)
{
    const paint colours = {0xB5532A, 0x8E3D20, 0xE8B873};
    const uint32_t dark = 0x5A2A1A;
    const int body = joint(m, -1, "thorax", at(0, 0.120, 0));
    const int abdomen = joint(m, body, "tail_1", at(0, 0.128, -0.080));
    const int tip = joint(m, abdomen, "tail_2", at(0, 0.128, -0.160));
    const int head = joint(m, body, "head", at(0, 0.122, 0.085));
    eyes(m, head, at(0.030, 0.138, 0.128), 0.013);
    const trunk_ring rings[] = {
        {0.124, -0.255, 0.004, 0.004, tip, tip, 0},         {0.126, -0.235, 0.028, 0.024, tip, tip, 0},
        {0.128, -0.205, 0.046, 0.038, tip, tip, 0},         {0.129, -0.165, 0.056, 0.046, tip, abdomen, 0.5},
        {0.129, -0.125, 0.052, 0.044, abdomen, abdomen, 0}, {0.127, -0.092, 0.034, 0.030, abdomen, body, 0.5},
        {0.122, -0.070, 0.030, 0.026, body, body, 0},       {0.121, -0.035, 0.045, 0.034, body, body, 0},
        {0.120, 0.010, 0.048, 0.036, body, body, 0},        {0.120, 0.050, 0.038, 0.030, body, body, 0},
        {0.121, 0.080, 0.024, 0.021, body, head, 0.5},      {0.123, 0.100, 0.037, 0.030, head, head, 0},
        {0.124, 0.125, 0.040, 0.031, head, head, 0},        {0.120, 0.150, 0.027, 0.022, head, head, 0},
        {0.118, 0.162, 0.006, 0.006, head, head, 0},
    };
    trunk(m, rings, (int)(sizeof rings / sizeof rings[0]), colours, at(0, 1, 0));
    for (int s = -1; s <= 1; s += 2)
    {
        roam_ring feeler[5];
        for (int i = 0; i < 5; ++i)
        {
            const double t = i / 4.0;
            feeler[i] =
                (roam_ring){.centre = {s * (0.014 + 0.05 * t), 0.145 + 0.05 * t - 0.03 * t * t, 0.145 + 0.09 * t},
                            .wide = 0.004 - 0.002 * t,
                            .high = 0.004 - 0.002 * t,
                            .a = head,
                            .b = head,
                            .top = dark,
                            .under = dark};
        }
        roam_mesh_tube(&m->mesh, feeler, 5, at(0, 1, 0));
    }
    fan(m, body, 3, 0.20, (const uint32_t[]){dark, colours.top, dark});
}

static void spider(maker* m)
{
    const paint colours = {0x4A4E69, 0x34374D, 0x9A8C98};
    const int body = joint(m, -1, "body", at(0, 0.120, 0));
    const int abdomen = joint(m, body, "tail_1", at(0, 0.130, -0.075));
    const int head = joint(m, body, "head", at(0, 0.122, 0.060));
    eyes(m, head, at(0.017, 0.142, 0.098), 0.011);
    const trunk_ring rings[] = {
        {0.138, -0.235, 0.006, 0.006, abdomen, abdomen, 0}, {0.140, -0.220, 0.038, 0.036, abdomen, abdomen, 0},
        {0.143, -0.190, 0.062, 0.058, abdomen, abdomen, 0}, {0.143, -0.150, 0.070, 0.064, abdomen, abdomen, 0},
        {0.138, -0.110, 0.055, 0.050, abdomen, abdomen, 0}, {0.130, -0.082, 0.026, 0.024, abdomen, body, 0.5},
        {0.123, -0.062, 0.034, 0.026, body, body, 0},       {0.121, -0.020, 0.050, 0.034, body, body, 0},
        {0.120, 0.025, 0.050, 0.034, body, body, 0},        {0.121, 0.062, 0.041, 0.030, body, head, 0.4},
        {0.122, 0.092, 0.034, 0.027, head, head, 0},        {0.119, 0.112, 0.016, 0.015, head, head, 0},
        {0.118, 0.118, 0.004, 0.004, head, head, 0},
    };
    trunk(m, rings, (int)(sizeof rings / sizeof rings[0]), colours, at(0, 1, 0));
    fan(m, body, 4, 0.22, (const uint32_t[]){colours.top, colours.stripe, 0xF2CC8F});
}

static void biped(maker* m)
{
    const paint colours = {0x3E7CB1, 0x2F638F, 0xF1E3C6};
    const uint32_t leg = 0xE3A94B;
    const int hips = joint(m, -1, "hips", at(0, 0.430, 0));
    const int chest = joint(m, hips, "spine_1", at(0, 0.455, 0.070));
    const int neck = joint(m, chest, "neck_1", at(0, 0.500, 0.135));
    const int neck_2 = joint(m, neck, "neck_2", at(0, 0.580, 0.160));
    const int head = joint(m, neck_2, "head", at(0, 0.655, 0.165));
    eyes(m, head, at(0.040, 0.678, 0.195), 0.017);
    int tail[3], above = hips;
    for (int i = 0; i < 3; ++i)
    {
        char name[32];
        snprintf(name, sizeof name, "tail_%d", i + 1);
        above = tail[i] = joint(m, above, name, at(0, 0.440 + 0.015 * i, -0.085 - 0.055 * i));
    }
    const trunk_ring rings[] = {
        {0.490, -0.290, 0.006, 0.005, tail[2], tail[2], 0},   {0.482, -0.255, 0.034, 0.012, tail[2], tail[2], 0},
        {0.470, -0.200, 0.034, 0.016, tail[2], tail[1], 0.5}, {0.455, -0.145, 0.036, 0.026, tail[1], tail[0], 0.5},
        {0.442, -0.090, 0.060, 0.056, tail[0], hips, 0.5},    {0.432, -0.040, 0.088, 0.085, hips, hips, 0},
        {0.430, 0.010, 0.098, 0.098, hips, hips, 0},          {0.440, 0.060, 0.092, 0.095, chest, hips, 0.4},
        {0.462, 0.100, 0.072, 0.078, chest, chest, 0},
    };
    trunk(m, rings, (int)(sizeof rings / sizeof rings[0]), colours, at(0, 1, 0));
    const trunk_ring throat[] = {
        {0.462, 0.078, 0.030, 0.030, chest, chest, 0},   {0.470, 0.096, 0.062, 0.062, chest, chest, 0},
        {0.495, 0.125, 0.050, 0.050, chest, neck, 0.5},  {0.540, 0.148, 0.036, 0.036, neck, neck, 0},
        {0.585, 0.160, 0.031, 0.031, neck_2, neck, 0.5}, {0.625, 0.164, 0.034, 0.034, neck_2, neck_2, 0},
        {0.655, 0.166, 0.046, 0.046, head, neck_2, 0.4}, {0.690, 0.167, 0.050, 0.050, head, head, 0},
        {0.718, 0.166, 0.034, 0.034, head, head, 0},     {0.730, 0.166, 0.008, 0.008, head, head, 0},
    };
    trunk(m, throat, (int)(sizeof throat / sizeof throat[0]), colours, at(0, 0, -1));
    const trunk_ring beak[] = {
        {0.672, 0.200, 0.0260, 0.018, head, head, 0},
        {0.668, 0.224, 0.0185, 0.013, head, head, 0},
        {0.656, 0.248, 0.0110, 0.008, head, head, 0},
        {0.636, 0.272, 0.0035, 0.003, head, head, 0},
    };
    trunk(m, beak, (int)(sizeof beak / sizeof beak[0]), (paint){leg, leg, leg}, at(0, 1, 0));
    const limb_plan legs = {.carrier = hips,
                            .count = 4,
                            .names = {"thigh", "shin", "hock", "foot", "toe"},
                            .places = {{0.062, 0.395, 0.005},
                                       {0.070, 0.275, 0.085},
                                       {0.070, 0.135, -0.035},
                                       {0.070, 0.018, 0.010},
                                       {0.070, 0.005, 0.075}},
                            .thick = {0.046, 0.026, 0.015, 0.013},
                            .knob = 1.15,
                            .foot_wide = 0.022,
                            .top = leg,
                            .under = leg,
                            .foot = leg,
                            .up = {0, 0, 1}};
    limbs(m, &legs);
}

int roam_make_glb(roam_kind kind, double scale, void** bytes, size_t* size)
{
    static void (*const makers[ROAM_KINDS])(maker*) = {lizard, hexapod, spider, biped};
    maker m = {0};
    makers[kind](&m);
    for (int j = 0; j < m.body.count; ++j)
        m.body.places[j] = sft_v3d_scale(scale, m.body.places[j]);
    for (size_t i = 0; i < m.mesh.vertex_count && !m.mesh.failed; ++i)
        for (int k = 0; k < 3; ++k)
            m.mesh.vertices[i].place[k] = (float)(scale * (double)m.mesh.vertices[i].place[k]);
    if (!m.mesh.failed) roam_mesh_finish(&m.mesh);
    const int code = roam_write_glb(roam_kind_names[kind], &m.body, &m.mesh, bytes, size);
    roam_mesh_free(&m.mesh);
    return code;
}
