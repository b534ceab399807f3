// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Thousands of people made at random, without names: proportions, helpers above the hip, twist joints, toes or none,
// arms in any pose, fingers, skirt, tail, hair, roots above, unit and up axis. Seeded; the counts allowed to fail are
// what a rest pose alone cannot tell.

#include "support/rigs.h"
#include "support/support.h"

typedef struct person
{
    rig rig;
    int legs[2][5]; // hip, knee, heel, toe, toe end
    double unit;
    sft_axis up;
} person;

static double between(support_rng* rng, double lo, double hi)
{
    return support_uniform(rng, lo, hi);
}

static bool chance(support_rng* rng, double p)
{
    return support_uniform(rng, 0, 1) < p;
}

// A straight bone cut into `parts`; answers the joint at its end.
static int cut_bone(rig* r, int parent, int parts, sft_v3d way)
{
    for (int i = 0; i < parts; ++i)
        parent = rig_add(r, parent, "n", way.x / parts, way.y / parts, way.z / parts);
    return parent;
}

typedef struct proportions
{
    double thigh, shank, ankle, foot, toe, half_width, drop, bow;
    int thigh_parts, shank_parts, foot_kind; // 0 no toe joint, 1 flat toe, 2 sloping
    bool helper;
} proportions;

static void add_leg(rig* r, int hips, const proportions* p, int side, int* leg)
{
    const double x = side == 0 ? 1.0 : -1.0, out = p->helper ? 0.03 : 0.0;
    const int parent = p->helper ? rig_add(r, hips, "n", x * out, -0.02, 0) : hips;
    leg[0] = rig_add(r, parent, "n", x * (p->half_width - out), p->helper ? 0.02 - p->drop : -p->drop, 0);
    leg[1] = cut_bone(r, leg[0], p->thigh_parts, sft_v3d_make(x * 0.01, -p->thigh, p->bow));
    leg[2] = cut_bone(r, leg[1], p->shank_parts, sft_v3d_make(0, -p->shank, -p->bow));
    leg[4] = -1;
    if (p->foot_kind == 0)
    {
        leg[3] = rig_end(r, leg[2], x * 0.02, -p->ankle, p->foot + p->toe);
        return;
    }
    leg[3] = rig_add(r, leg[2], "n", x * 0.01, p->foot_kind == 1 ? -p->ankle : -0.8 * p->ankle, p->foot);
    leg[4] = rig_end(r, leg[3], 0, p->foot_kind == 1 ? 0.0 : -0.2 * p->ankle, p->toe);
}

static void add_arm(rig* r, support_rng* rng, int chest, double pose, double length, int side)
{
    const double x = side == 0 ? 1.0 : -1.0, c = sft_cos(pose) * x, s = -sft_sin(pose);
    const int collar = rig_add(r, chest, "n", x * 0.04, 0.02, 0), shoulder = rig_add(r, collar, "n", x * 0.14, 0, 0);
    const int elbow = rig_add(r, shoulder, "n", c * length * 0.5, s * length * 0.5, 0);
    const int wrist = rig_add(r, elbow, "n", c * length * 0.45, s * length * 0.45, 0);
    if (!chance(rng, 0.3))
    {
        rig_end(r, wrist, c * 0.17, s * 0.17, 0);
        return;
    }
    for (int f = 0; f < 5; ++f)
    {
        const int first = rig_add(r, wrist, "n", c * 0.08, s * 0.08, 0.02 * (f - 2));
        rig_end(r, first, c * 0.07, s * 0.07, 0);
    }
}

static void add_trunk(rig* r, support_rng* rng, int hips)
{
    const int parts = 1 + (int)between(rng, 0, 4.99);
    const int chest = cut_bone(r, hips, parts, sft_v3d_make(0, between(rng, 0.35, 0.55), between(rng, -0.03, 0.03)));
    const int neck = rig_add(r, chest, "n", 0, between(rng, 0.05, 0.15), 0), head = rig_add(r, neck, "n", 0, 0.1, 0.02);
    rig_end(r, head, 0, 0.18, 0);
    const double pose = between(rng, 0, 1.5), length = between(rng, 0.5, 0.75);
    add_arm(r, rng, chest, pose, length, 0);
    add_arm(r, rng, chest, pose, length, 1);
    const bool skirt = chance(rng, 0.15), tail = chance(rng, 0.1), hair = chance(rng, 0.1);
    for (int side = 0; side < 2; ++side)
    {
        const double x = side == 0 ? 1.0 : -1.0;
        if (skirt) cut_bone(r, rig_add(r, hips, "n", x * 0.1, -0.05, 0.08), 3, sft_v3d_make(0, -0.6, 0.06));
        if (hair) cut_bone(r, rig_add(r, head, "n", x * 0.08, 0.08, -0.05), 4, sft_v3d_make(0, -1.0, -0.04));
    }
    if (tail) rig_end(r, cut_bone(r, rig_add(r, hips, "n", 0, 0, -0.12), 4, sft_v3d_make(0, -0.6, -0.48)), 0, 0, -0.1);
}

static void make_person(support_rng* rng, person* out)
{
    static const double units[] = {1.0, 0.01, 0.001, 0.0254, 0.1, 0.0254 / 0.45};
    memset(out, 0, sizeof *out);
    rig* r = &out->rig;
    r->title = "random";
    proportions p = {.thigh = between(rng, 0.36, 0.46)};
    p.shank = p.thigh * between(rng, 0.85, 1.18);
    p.ankle = between(rng, 0.05, 0.11);
    p.foot = between(rng, 0.1, 0.17);
    p.toe = between(rng, 0.03, 0.09);
    p.half_width = between(rng, 0.06, 0.12);
    p.drop = between(rng, 0, 0.1);
    p.bow = chance(rng, 0.5) ? 0.012 : 0.0;
    p.thigh_parts = 1 + (int)between(rng, 0, 2.99);
    p.shank_parts = 1 + (int)between(rng, 0, 1.99);
    p.foot_kind = (int)between(rng, 0, 2.99);
    p.helper = chance(rng, 0.3);
    int parent = -1;
    for (int stem = (int)between(rng, 0, 2.99); stem > 0; --stem)
        parent = rig_add(r, parent, "n", 0, 0, 0);
    const int hips = rig_add(r, parent, "n", 0, p.thigh + p.shank + p.ankle + p.drop, 0);
    const bool legs_first = chance(rng, 0.5);
    if (!legs_first) add_trunk(r, rng, hips);
    add_leg(r, hips, &p, 0, out->legs[0]);
    add_leg(r, hips, &p, 1, out->legs[1]);
    if (legs_first) add_trunk(r, rng, hips);
    // For rig_animate, which swings what it is told are hips and bends what it is told are knees.
    r->leg_count = 2;
    for (int i = 0; i < 2; ++i)
        r->legs[i] = (rig_leg){i == 0 ? -1 : 1, hips,           out->legs[i][0], out->legs[i][1], out->legs[i][2],
                               out->legs[i][3], out->legs[i][4]};
    out->unit = units[(int)between(rng, 0, 5.99)];
    out->up = chance(rng, 0.33) ? SFT_AXIS_Z : SFT_AXIS_Y;
    rig_scale(r, between(rng, 0.85, 1.15) / out->unit);
}

static bool legs_match(const person* p, const sft_leg* legs, int32_t count)
{
    if (count != 2) return false;
    for (int i = 0; i < 2; ++i)
    {
        const int* want = p->legs[i];
        if (legs[i].side != (i == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT) || legs[i].hip != want[0] ||
            legs[i].knee != want[1] || legs[i].heel != want[2] || legs[i].toe != want[3] || legs[i].toe_end != want[4])
            return false;
    }
    return true;
}

// Share of wrong legs and of wrong unit or up axis among `people`; `axes` below 0: rest pose alone.
static void survey(int axes, uint64_t seed, int people, double* wrong_legs, double* wrong_space)
{
    support_rng rng = {seed};
    int legs_off = 0, space_off = 0;
    for (int k = 0; k < people; ++k)
    {
        person p;
        make_person(&rng, &p);
        sft_skeleton* s = NULL;
        sft_clip* clip = NULL;
        if (axes < 0)
        {
            rig_turn_to(&p.rig, p.up);
            s = rig_skeleton(&p.rig);
        }
        else
        {
            rig_animate(&p.rig, &rng, 40, 0.4, (rig_axes)axes, NULL, &s, &clip);
            p.up = SFT_AXIS_Y;
        }
        sft_space space;
        assert_int_equal(sft_clip_infer_space(s, clip, NULL, &space), SFT_OK);
        if (space.up != p.up || fabs(space.unit_metres / p.unit - 1.0) > 1e-9) ++space_off;
        const sft_space truth = {p.unit, p.up, 0, true, true, ""};
        assert_int_equal(sft_clip_rescale(s, clip, &truth), SFT_OK);
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = -1;
        assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
        if (!legs_match(&p, legs, count)) ++legs_off;
        sft_skeleton_destroy(s, NULL);
        sft_clip_destroy(clip, NULL);
    }
    *wrong_legs = (double)legs_off / people;
    *wrong_space = (double)space_off / people;
}

static void test_leg_find_random__people_without_names(void** state)
{
    (void)state;
    const struct
    {
        int axes;
        const char* what;
        double legs, space; // shares allowed
    } cases[] = {
        {-1, "rest pose alone", 0.03, 0.02}, // a helper 3 cm beside the hip may be taken for it
        {RIG_AXES_PLAIN, "walk", 0.0, 0.02},
        {RIG_AXES_RANDOM, "walk, rest pose a knot", 0.01, 0.03},
        {RIG_AXES_ALONG_X, "walk, bones along X", 0.005, 0.02},
        {RIG_AXES_AGAINST_X, "walk, bones against X", 0.005, 0.02},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        double legs, space;
        survey(cases[i].axes, 100 + i, 1000, &legs, &space);
        printf("%s: %.1f %% of legs, %.1f %% of units and axes wrong\n", cases[i].what, 100.0 * legs, 100.0 * space);
        assert_true(legs <= cases[i].legs);
        assert_true(space <= cases[i].space);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_find_random__people_without_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
