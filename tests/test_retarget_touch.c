// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hands that keep touching, on figures made here: the wrists of the source go where the test puts them, so what they
// should do on another figure is known in numbers.

#include "support/figures.h"

#include "surefoot/retarget.h"

#define FRAMES 90
#define FPS 60.0
#define FIRST 30 // of the touch
#define LAST 60

typedef sft_v3d wrist_path(const figure* f, int side, double closed);

typedef struct pair
{
    figure source, target;
    sft_rig *source_rig, *target_rig;
    sft_retarget_map* map;
    sft_clip *clip, *moved, *mended;
} pair;

static double smooth(double x)
{
    const double t = sft_clampd(x, 0.0, 1.0);
    return t * t * t * (10.0 - 15.0 * t + 6.0 * t * t);
}

// 1 from FIRST to LAST, 0 a third of a second before and after.
static double closed_at(int frame)
{
    const double ahead = (double)(FIRST - frame) / 20.0, past = (double)(frame - LAST) / 20.0;
    return 1.0 - smooth(sft_maxd(ahead, past));
}

// Points the arm of a figure with plain axes at a wrist; the elbow hangs.
static void put_wrist(const figure* f, sft_quatd* local, int side, sft_v3d wrist)
{
    const sft_v3d out = sft_v3d_make(side == 0 ? 1.0 : -1.0, 0.0, 0.0), s = f->place[f->upper_arm[side]];
    const double a = sft_v3d_distance(f->place[f->forearm[side]], s);
    const double b = sft_v3d_distance(f->place[f->hand[side]], f->place[f->forearm[side]]);
    const sft_v3d way = sft_v3d_sub(wrist, s);
    const double d = sft_v3d_length(way);
    assert_true(d < a + b && d > fabs(a - b));
    const sft_v3d u = sft_v3d_scale(1.0 / d, way);
    const double x = 0.5 * (d + (a * a - b * b) / d), h = sqrt(a * a - x * x);
    sft_v3d down = sft_v3d_make(0.0, -1.0, 0.0);
    down = sft_v3d_normalize_or(sft_v3d_madd(down, -sft_v3d_dot(down, u), u), sft_v3d_make(0, 0, -1));
    const sft_v3d elbow = sft_v3d_madd(sft_v3d_madd(s, x, u), h, down);
    const sft_quatd upper = sft_quatd_between(out, sft_v3d_sub(elbow, s));
    const sft_quatd fore = sft_quatd_between(out, sft_v3d_sub(wrist, elbow));
    local[f->upper_arm[side]] = upper;
    local[f->forearm[side]] = sft_quatd_mul(sft_quatd_conjugate(upper), fore);
}

static sft_clip* make_clip(const figure* f, wrist_path* path)
{
    sft_clip* clip;
    assert_int_equal(sft_clip_create(f->count, FRAMES, 1.0 / FPS, NULL, &clip), SFT_OK);
    for (int i = 0; i < FRAMES; ++i)
    {
        const size_t row = (size_t)i * (size_t)f->count;
        memcpy(clip->translations + row, f->rest_t, (size_t)f->count * sizeof *f->rest_t);
        memcpy(clip->rotations + row, f->rest_r, (size_t)f->count * sizeof *f->rest_r);
        for (int side = 0; side < 2; ++side)
            put_wrist(f, clip->rotations + row, side, path(f, side, closed_at(i)));
    }
    return clip;
}

static figure_def wide(void)
{
    figure_def def = figure_default();
    def.arm_scale = 1.25;
    def.leg_scale = 0.8;
    return def;
}

static pair make_pair(wrist_path* path, const figure_def* target)
{
    pair p = {0};
    const figure_def plain = figure_default();
    figure_make(&plain, &p.source);
    figure_make(target, &p.target);
    p.clip = make_clip(&p.source, path);
    p.source_rig = figure_rig(&p.source, NULL);
    p.target_rig = figure_rig(&p.target, NULL);
    const sft_rig_pair rigs = {p.source_rig, p.target_rig};
    sft_error error;
    assert_int_equal(sft_retarget_map_create(&rigs, NULL, &p.map, &error), SFT_OK);
    const sft_transfer_def def = sft_default_transfer_def();
    assert_int_equal(sft_retarget_clip(&def, p.map, p.clip, NULL, &p.moved, NULL), SFT_OK);
    p.mended = support_copy_clip(p.moved);
    return p;
}

static void release_pair(pair* p)
{
    sft_clip_destroy(p->clip, NULL);
    sft_clip_destroy(p->moved, NULL);
    sft_clip_destroy(p->mended, NULL);
    sft_retarget_map_destroy(p->map);
    sft_rig_destroy(p->source_rig, NULL);
    sft_rig_destroy(p->target_rig, NULL);
}

static sft_mend_def hands_def(void)
{
    sft_mend_def def = sft_default_mend_def();
    def.feet = false;
    return def;
}

static sft_mend_input input_of(const pair* p)
{
    return (sft_mend_input){.map = p->map, .rigs = {p->source_rig, p->target_rig}, .source_clip = p->clip};
}

static sft_mend_report mend(pair* p, const sft_mend_def* def)
{
    const sft_mend_input in = input_of(p);
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(def, &in, NULL, p->mended, NULL, &report), SFT_OK);
    return report;
}

static sft_v3d place(const figure* f, const sft_clip* clip, int frame, int joint)
{
    static sft_xformd model[FIGURE_JOINTS];
    figure_model(f, clip, frame, model);
    return model[joint].t;
}

// Middle of the palm: a seventh of the arm beyond the wrist, as the docs say.
static sft_v3d palm(const figure* f, const sft_clip* clip, int frame, int side)
{
    static sft_xformd model[FIGURE_JOINTS];
    figure_model(f, clip, frame, model);
    const sft_v3d out = sft_v3d_make((side == 0 ? 0.14 : -0.14) * f->arm_length, 0.0, 0.0);
    const int hand = f->hand[side];
    return sft_xformd_apply(model[hand], sft_quatd_unrotate(f->orientation[hand], out));
}

static double largest_step(const sft_clip* clip)
{
    double most = 0.0;
    for (int32_t i = 0; i + 2 < clip->frame_count; ++i)
        for (int32_t j = 0; j < clip->joint_count; ++j)
        {
            const sft_quatd* q = clip->rotations + (size_t)i * (size_t)clip->joint_count + (size_t)j;
            const size_t n = (size_t)clip->joint_count;
            const sft_v3d a = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(q[0]), q[n]));
            const sft_v3d b = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(q[n]), q[2 * n]));
            most = sft_maxd(most, sft_v3d_distance(a, b) / (clip->frame_time * clip->frame_time));
        }
    return most;
}

static void assert_below(const char* what, double value, double limit)
{
    if (!(value <= limit)) fail_msg("%s is %g, more than %g", what, value, limit);
}

// ---- touches that are found ----

static sft_v3d clasp(const figure* f, int side, double closed)
{
    const double sign = side == 0 ? 1.0 : -1.0, y = f->place[f->upper_arm[side]].y - 0.25;
    const sft_v3d open = sft_v3d_make(sign * 0.5, y, 0.15), together = sft_v3d_make(sign * 0.065, y, 0.25);
    return sft_v3d_lerp(open, together, closed);
}

static void test_retarget_touch__clasped_hands_are_found_and_stay_clasped(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(clasp, &def);
    const sft_mend_input in = input_of(&p);
    sft_touch_goal goals[8];
    int32_t count = 0;
    assert_int_equal(sft_retarget_find_touches(&in, false, NULL, goals, 8, &count), SFT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(goals[0].joint, p.target.hand[0]);
    assert_int_equal(goals[0].other, p.target.hand[1]);
    assert_false(goals[0].fixed);
    assert_true(abs(goals[0].first - FIRST) <= 6 && abs(goals[0].last - LAST) <= 6);
    sft_mend_def mend_def = hands_def();
    mend_def.hands = true;
    sft_mend_report report = mend(&p, &mend_def);
    assert_int_equal(report.goal_count, 1);
    assert_int_equal(report.miss_count, 0);
    const double ratio = p.target.arm_length / p.source.arm_length;
    double apart = 0.0;
    for (int i = goals[0].first; i <= goals[0].last; ++i)
    {
        const sft_v3d a = sft_v3d_sub(palm(&p.source, p.clip, i, 0), palm(&p.source, p.clip, i, 1));
        const sft_v3d b = sft_v3d_sub(palm(&p.target, p.mended, i, 0), palm(&p.target, p.mended, i, 1));
        const sft_v3d c = sft_v3d_sub(palm(&p.target, p.moved, i, 0), palm(&p.target, p.moved, i, 1));
        assert_below("clasp off [m]", sft_v3d_distance(b, sft_v3d_scale(ratio, a)), 1e-6);
        apart = sft_maxd(apart, sft_v3d_distance(c, sft_v3d_scale(ratio, a)));
    }
    assert_true(apart > 0.02); // without mending they do not meet
    assert_below("acceleration", largest_step(p.mended), 1.5 * largest_step(p.moved));
    // Far from the touch nothing changes.
    const size_t row = (size_t)p.target.count;
    assert_memory_equal(p.mended->rotations, p.moved->rotations, row * sizeof *p.moved->rotations);
    // The hands keep the orientation that the transfer gave them.
    static sft_xformd before[FIGURE_JOINTS], after[FIGURE_JOINTS];
    figure_model(&p.target, p.moved, 45, before);
    figure_model(&p.target, p.mended, 45, after);
    for (int side = 0; side < 2; ++side)
    {
        const double cosine = fabs(sft_quatd_dot(before[p.target.hand[side]].r, after[p.target.hand[side]].r));
        assert_true(cosine > 1.0 - 1e-12);
    }
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

// The left palm on the left thigh, a third of the way down, 0.08 m from the bone.
static sft_v3d on_thigh(const figure* f, int side, double closed)
{
    const double sign = side == 0 ? 1.0 : -1.0;
    const sft_v3d open = sft_v3d_make(sign * 0.5, f->place[f->upper_arm[side]].y - 0.25, 0.15);
    if (side == 1) return open;
    const sft_v3d hip = f->place[f->thigh[0]], knee = f->place[f->shin[0]];
    const sft_v3d at = sft_v3d_add(sft_v3d_lerp(hip, knee, 0.15), sft_v3d_make(0.08, 0.1, 0.0));
    return sft_v3d_lerp(open, at, closed);
}

static void test_retarget_touch__a_hand_on_the_thigh_stays_at_the_same_share_of_it(void** state)
{
    (void)state;
    figure_def def = wide();
    def.scale = 0.9;
    pair p = make_pair(on_thigh, &def);
    sft_mend_def mend_def = hands_def();
    mend_def.hands = true;
    sft_mend_report report = mend(&p, &mend_def);
    assert_true(report.goal_count >= 1);
    assert_int_equal(report.miss_count, 0);
    double share[2], off[2];
    const figure* figures[2] = {&p.source, &p.target};
    const sft_clip* clips[2] = {p.clip, p.mended};
    for (int k = 0; k < 2; ++k)
    {
        const sft_v3d hip = place(figures[k], clips[k], 45, figures[k]->thigh[0]);
        const sft_v3d knee = place(figures[k], clips[k], 45, figures[k]->shin[0]);
        const sft_v3d at = sft_v3d_sub(palm(figures[k], clips[k], 45, 0), hip), bone = sft_v3d_sub(knee, hip);
        share[k] = sft_v3d_dot(at, bone) / sft_v3d_dot(bone, bone);
        off[k] = sft_v3d_length(sft_v3d_madd(at, -share[k], bone));
    }
    assert_below("share off", fabs(share[1] - share[0]), 1e-6);
    assert_below("distance off [m]", fabs(off[1] - off[0] * p.target.leg_length / p.source.leg_length), 1e-6);
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

static sft_v3d apart(const figure* f, int side, double closed)
{
    const double sign = side == 0 ? 1.0 : -1.0;
    return sft_v3d_make(sign * (0.5 - 0.1 * closed), f->place[f->upper_arm[side]].y - 0.25, 0.15);
}

static void test_retarget_touch__hands_in_the_air_touch_nothing(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(apart, &def);
    sft_mend_def mend_def = hands_def();
    mend_def.hands = true;
    sft_mend_report report = mend(&p, &mend_def);
    assert_int_equal(report.goal_count, 0);
    const size_t cells = (size_t)p.target.count * FRAMES;
    assert_memory_equal(p.mended->rotations, p.moved->rotations, cells * sizeof *p.moved->rotations);
    release_pair(&p);
}

static void test_retarget_touch__mirrored_the_other_hand_touches_the_other_thigh(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(on_thigh, &def);
    const sft_mend_input in = input_of(&p);
    sft_touch_goal goals[8];
    int32_t count = 0;
    assert_int_equal(sft_retarget_find_touches(&in, true, NULL, goals, 8, &count), SFT_OK);
    assert_true(count >= 1);
    bool thigh = false;
    for (int32_t k = 0; k < count; ++k)
    {
        assert_int_equal(goals[k].joint, p.target.hand[1]);
        thigh = thigh || goals[k].other == p.target.thigh[1];
    }
    assert_true(thigh);
    release_pair(&p);
}

// Wrists come down in front and rest at a height; what is 4 cm under their palms then is the ground.
static sft_v3d lowered(const figure* f, int side, double closed)
{
    const double x = side == 0 ? 0.2 : -0.2;
    (void)f;
    const sft_v3d up = sft_v3d_make(0.0, 0.15 * (1.0 - closed), 0.0);
    return sft_v3d_add(sft_v3d_make(x, 1.1, 0.25), up);
}

// A hand on the ground: on arms that are a quarter longer the palm is as high over the target's ground as the source's
// over its own, times the arms' ratio of 1.25, and rests there. Without hands asked for, it is through the ground.
static void test_retarget_touch__a_hand_on_the_ground_stays_on_it(void** state)
{
    (void)state;
    figure_def longer = figure_default();
    longer.arm_scale = 1.25;
    pair p = make_pair(lowered, &longer);
    const int middle = (FIRST + LAST) / 2;
    sft_mend_def def = hands_def();
    def.source_ground = palm(&p.source, p.clip, middle, 0).y - 0.04;
    def.ground = def.source_ground;
    sft_mend_report report = mend(&p, &def);
    assert_int_equal(report.goal_count, 0);
    sft_mend_report_release(&report, NULL);
    assert_true(palm(&p.target, p.mended, middle, 0).y < def.ground);
    def.hands = true;
    report = mend(&p, &def);
    assert_int_equal(report.goal_count, 2);
    assert_int_equal(report.miss_count, 0);
    for (int side = 0; side < 2; ++side)
    {
        const sft_v3d at = palm(&p.target, p.mended, middle, side);
        for (int i = FIRST; i <= LAST; ++i)
        {
            const sft_v3d own = palm(&p.source, p.clip, i, side), now = palm(&p.target, p.mended, i, side);
            assert_below("palm over the ground [m]", fabs(now.y - def.ground - 1.25 * (own.y - def.source_ground)),
                         1e-6);
            assert_below("slide of the palm [m]", hypot(now.x - at.x, now.z - at.z), 1e-6);
        }
    }
    assert_below("largest step", largest_step(p.mended), 3.0 * largest_step(p.moved) + 0.1);
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

// Hands that come down to 12 cm over the ground touch nothing; arms half as long again would take them through it. With
// hands asked for, palms and fingers stay out, no further up than that takes, and before and after they are as they
// were.
static void test_retarget_touch__hands_over_the_ground_stay_out_of_it(void** state)
{
    (void)state;
    figure_def longer = figure_default();
    longer.arm_scale = 1.5;
    pair p = make_pair(lowered, &longer);
    const int middle = (FIRST + LAST) / 2;
    sft_mend_def def = hands_def();
    def.source_ground = palm(&p.source, p.clip, middle, 0).y - 0.12;
    def.ground = def.source_ground;
    sft_mend_report report = mend(&p, &def);
    sft_mend_report_release(&report, NULL);
    assert_true(palm(&p.target, p.mended, middle, 0).y < def.ground - 0.02);
    def.hands = true;
    report = mend(&p, &def);
    assert_int_equal(report.goal_count, 0);
    assert_int_equal(report.miss_count, 0);
    double lowest = 1.0;
    sft_xformd x[FIGURE_JOINTS];
    for (int i = 0; i < p.mended->frame_count; ++i)
    {
        figure_model(&p.target, p.mended, i, x);
        for (int j = 0; j < p.target.count; ++j)
            if (p.target.meanings[j].part == SFT_PART_FINGER) lowest = sft_mind(lowest, x[j].t.y - def.ground);
        for (int side = 0; side < 2; ++side)
            lowest = sft_mind(lowest, palm(&p.target, p.mended, i, side).y - def.ground);
    }
    if (!(lowest > -1e-3 && lowest < 0.02)) fail_msg("lowest of the hands %g m over the ground", lowest);
    const sft_v3d before = palm(&p.target, p.moved, 0, 0), after = palm(&p.target, p.mended, 0, 0);
    assert_below("first frame moved [m]", sft_v3d_distance(before, after), 0.01);
    assert_below("largest step", largest_step(p.mended), 3.0 * largest_step(p.moved) + 0.1);
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

// ---- goals that are given: the grip of article 002 ----

static void test_retarget_touch__a_grip_in_the_world_is_met(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(apart, &def);
    const sft_v3d shoulder = p.target.place[p.target.upper_arm[1]];
    const sft_touch_goal goal = {.joint = p.target.hand[1],
                                 .other = -1,
                                 .offset = sft_v3d_add(shoulder, sft_v3d_make(-0.1, -0.2, 0.35)),
                                 .first = FIRST,
                                 .last = LAST,
                                 .blend = 0.3,
                                 .fixed = true};
    sft_mend_def mend_def = hands_def();
    mend_def.goals = &goal;
    mend_def.goal_count = 1;
    sft_mend_report report = mend(&p, &mend_def);
    assert_int_equal(report.goal_count, 1);
    assert_int_equal(report.miss_count, 0);
    for (int i = FIRST; i <= LAST; ++i)
        assert_below("end error [m]", sft_v3d_distance(place(&p.target, p.mended, i, goal.joint), goal.offset), 1e-9);
    assert_below("acceleration", largest_step(p.mended), 120.0);
    assert_true(report.limb_turn_max[1] > 0.05);
    assert_true(report.limb_turn_max[0] == 0.0);
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

static void test_retarget_touch__two_hands_on_one_object_keep_their_distance(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(apart, &def);
    sft_touch_goal goals[2];
    // Given in the wrong order: the left hand holds on to the right one, which goes to the object.
    goals[0] = (sft_touch_goal){.joint = p.target.hand[0],
                                .other = p.target.hand[1],
                                .offset = sft_v3d_make(0.1, 0.0, 0.2236),
                                .first = FIRST,
                                .last = LAST,
                                .blend = 0.3,
                                .fixed = true};
    goals[1] = goals[0];
    goals[1].joint = p.target.hand[1];
    goals[1].other = p.target.chest;
    goals[1].offset = sft_v3d_make(-0.2, -0.1, 0.35);
    sft_mend_def mend_def = hands_def();
    mend_def.goals = goals;
    mend_def.goal_count = 2;
    sft_mend_report report = mend(&p, &mend_def);
    assert_int_equal(report.miss_count, 0);
    for (int i = FIRST; i <= LAST; ++i)
    {
        const sft_v3d l = place(&p.target, p.mended, i, p.target.hand[0]);
        const sft_v3d r = place(&p.target, p.mended, i, p.target.hand[1]);
        assert_below("grip [m]", fabs(sft_v3d_distance(l, r) - sft_v3d_length(goals[0].offset)), 1e-9);
    }
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

// A little beyond the arm: the trunk leans, and the goal is met all the same.
static void test_retarget_touch__the_trunk_leans_where_the_arm_is_short(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(apart, &def);
    const sft_v3d shoulder = p.target.place[p.target.upper_arm[1]];
    const sft_touch_goal goal = {.joint = p.target.hand[1],
                                 .other = -1,
                                 .offset = sft_v3d_madd(shoulder, p.target.arm_length + 0.1, sft_v3d_make(0, 0, 1)),
                                 .first = FIRST,
                                 .last = LAST,
                                 .blend = 0.3,
                                 .fixed = true};
    sft_mend_def mend_def = hands_def();
    mend_def.goals = &goal;
    mend_def.goal_count = 1;
    sft_mend_report report = mend(&p, &mend_def);
    assert_int_equal(report.miss_count, 0);
    for (int i = FIRST; i <= LAST; ++i)
        assert_below("end error [m]", sft_v3d_distance(place(&p.target, p.mended, i, goal.joint), goal.offset), 1e-3);
    assert_below("acceleration", largest_step(p.mended), 250.0);
    sft_mend_report_release(&report, NULL);
    release_pair(&p);
}

// Two metres off: said with its figures, whatever gives way.
static void test_retarget_touch__what_cannot_be_reached_is_said(void** state)
{
    (void)state;
    const sft_unreachable rules[3] = {SFT_UNREACHABLE_PELVIS, SFT_UNREACHABLE_RELEASE, SFT_UNREACHABLE_STRETCH};
    for (int k = 0; k < 3; ++k)
    {
        const figure_def def = wide();
        pair p = make_pair(apart, &def);
        const sft_v3d shoulder = p.target.place[p.target.upper_arm[1]];
        const sft_touch_goal goal = {.joint = p.target.hand[1],
                                     .other = -1,
                                     .offset = sft_v3d_add(shoulder, sft_v3d_make(-2.0, 0.0, 0.0)),
                                     .first = FIRST,
                                     .last = LAST,
                                     .blend = 0.3,
                                     .fixed = true};
        sft_mend_def mend_def = hands_def();
        mend_def.goals = &goal;
        mend_def.goal_count = 1;
        mend_def.unreachable = rules[k];
        sft_mend_report report = mend(&p, &mend_def);
        assert_int_equal(report.miss_count, LAST - FIRST + 1);
        for (int32_t m = 0; m < report.miss_count; ++m)
        {
            const sft_mend_miss* miss = report.misses + m;
            assert_int_equal(miss->frame, FIRST + m);
            assert_int_equal(miss->joint, goal.joint);
            assert_int_equal(miss->gave, rules[k]);
            assert_true(fabs(miss->chain_length - p.target.arm_length) < 1e-9);
            const sft_v3d from = place(&p.target, p.mended, miss->frame, p.target.upper_arm[1]);
            assert_true(fabs(miss->target_distance - sft_v3d_distance(from, goal.offset)) < 1e-9);
            assert_true(miss->distance > 0.5 && miss->distance < 3.0);
        }
        if (k == 1) // let go: as the transfer had it
        {
            const size_t row = 45 * (size_t)p.target.count;
            assert_memory_equal(p.mended->rotations + row, p.moved->rotations + row,
                                (size_t)p.target.count * sizeof *p.moved->rotations);
        }
        if (k == 2) // a tenth longer and no more
        {
            const sft_v3d s = place(&p.target, p.mended, 45, p.target.upper_arm[1]);
            const sft_v3d e = place(&p.target, p.mended, 45, p.target.forearm[1]);
            const sft_v3d h = place(&p.target, p.mended, 45, p.target.hand[1]);
            const double length = sft_v3d_distance(s, e) + sft_v3d_distance(e, h);
            assert_true(fabs(length - 1.1 * p.target.arm_length) < 1e-9);
        }
        assert_below("acceleration", largest_step(p.mended), 1500.0); // a hand that flies after what is far off
        sft_mend_report_release(&report, NULL);
        release_pair(&p);
    }
}

static void test_retarget_touch__bad_goals_are_refused(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(apart, &def);
    const sft_mend_input in = input_of(&p);
    sft_touch_goal goal = {.joint = p.target.toe[0], .other = -1, .first = 0, .last = 5, .fixed = true};
    sft_mend_def mend_def = hands_def();
    mend_def.goals = &goal;
    mend_def.goal_count = 1;
    assert_int_equal(sft_retarget_mend(&mend_def, &in, NULL, p.mended, NULL, NULL), SFT_ERR_ARG); // a toe is no hand
    goal.joint = p.target.hand[0];
    goal.other = p.target.hand[0];
    assert_int_equal(sft_retarget_mend(&mend_def, &in, NULL, p.mended, NULL, NULL), SFT_ERR_ARG);
    goal.other = -1;
    goal.blend = NAN;
    assert_int_equal(sft_retarget_mend(&mend_def, &in, NULL, p.mended, NULL, NULL), SFT_ERR_RANGE);
    goal.blend = 0.0;
    goal.last = -1;
    assert_int_equal(sft_retarget_mend(&mend_def, &in, NULL, p.mended, NULL, NULL), SFT_ERR_ARG);
    int32_t count = 7;
    assert_int_equal(sft_retarget_find_touches(NULL, false, NULL, NULL, 0, &count), SFT_ERR_ARG);
    assert_int_equal(sft_retarget_find_touches(&in, false, NULL, NULL, 3, &count), SFT_ERR_ARG);
    assert_int_equal(count, 7);
    const size_t cells = (size_t)p.target.count * FRAMES;
    assert_memory_equal(p.mended->rotations, p.moved->rotations, cells * sizeof *p.moved->rotations);
    release_pair(&p);
}

static void test_retarget_touch__every_failing_allocation_leaves_the_clip(void** state)
{
    (void)state;
    const figure_def def = wide();
    pair p = make_pair(clasp, &def);
    const sft_mend_input in = input_of(&p);
    sft_mend_def mend_def = hands_def();
    mend_def.hands = true;
    mend_def.unreachable = SFT_UNREACHABLE_RELEASE;
    sft_touch_goal far = {
        .joint = p.target.hand[1], .other = -1, .offset = {3, 0, 0}, .first = 5, .last = 9, .fixed = true};
    mend_def.goals = &far;
    mend_def.goal_count = 1;
    const size_t cells = (size_t)p.target.count * FRAMES;
    sft_result result = SFT_ERR_MEMORY;
    for (long k = 0; result == SFT_ERR_MEMORY; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_mend_report report = {0};
        result = sft_retarget_mend(&mend_def, &in, &allocator, p.mended, NULL, &report);
        if (result != SFT_OK)
            assert_memory_equal(p.mended->rotations, p.moved->rotations, cells * sizeof *p.moved->rotations);
        if (result == SFT_OK) assert_true(k > 5);
        sft_mend_report_release(&report, &allocator);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_int_equal(result, SFT_OK);
    release_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_touch__clasped_hands_are_found_and_stay_clasped),
        cmocka_unit_test(test_retarget_touch__a_hand_on_the_thigh_stays_at_the_same_share_of_it),
        cmocka_unit_test(test_retarget_touch__hands_in_the_air_touch_nothing),
        cmocka_unit_test(test_retarget_touch__mirrored_the_other_hand_touches_the_other_thigh),
        cmocka_unit_test(test_retarget_touch__a_hand_on_the_ground_stays_on_it),
        cmocka_unit_test(test_retarget_touch__hands_over_the_ground_stay_out_of_it),
        cmocka_unit_test(test_retarget_touch__a_grip_in_the_world_is_met),
        cmocka_unit_test(test_retarget_touch__two_hands_on_one_object_keep_their_distance),
        cmocka_unit_test(test_retarget_touch__the_trunk_leans_where_the_arm_is_short),
        cmocka_unit_test(test_retarget_touch__what_cannot_be_reached_is_said),
        cmocka_unit_test(test_retarget_touch__bad_goals_are_refused),
        cmocka_unit_test(test_retarget_touch__every_failing_allocation_leaves_the_clip),
    };
    return cmocka_run_group_tests_name("test_retarget_touch", tests, NULL, NULL);
}
