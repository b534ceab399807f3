// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Article 002's four inputs (reference, one axis, stride, grip), the travel with and without root joints, the mirror,
// and figures that dance: what came out is held against what was worked out without the library.

#include "support/angles.h"
#include "support/figures.h"
#include "support/mover.h"

static mover source, target;
static moved from, to;

static void move(const sft_transfer_def* def)
{
    sft_retarget_map* map = mover_map(&source.rig, &target.rig);
    mover_move(def, map, &source, &from, &target, &to);
    sft_retarget_map_destroy(map);
}

static void make(mover* m, double scale, double facing, bool root, uint64_t axes)
{
    mover_def def = mover_default();
    def.scale = scale;
    def.facing = facing;
    def.root = root;
    def.axes = axes;
    mover_make(&def, m);
}

// ---- article 002 ----

// C, from source to target axes, a quarter turn about Z: a joint that turns by 30 degrees about its own X turns the
// target's joint by 30 degrees about its own Y.
static void test_retarget_transfer_root__a_quarter_turn_between_the_axes(void** state)
{
    (void)state;
    mover* both[2] = {&source, &target};
    const sft_quatd c = sft_quatd_exp(sft_v3d_make(0, 0, SFT_PI / 2.0));
    for (int k = 0; k < 2; ++k)
        make(both[k], 1.0, 0.0, false, 0);
    // C = inv(R) L: with L identity, R = inv(C).
    const int chest = mover_find(&target, SFT_PART_SPINE, SFT_LEG_MIDDLE, 1);
    target.pose[chest].r = sft_quatd_conjugate(c);
    const sft_quatd up = target.pose[target.parents[chest]].r;
    target.pose_r[chest] = sft_quatd_mul(sft_quatd_conjugate(up), target.pose[chest].r);
    mover_rest(&source, &from);
    const double angle = SFT_PI / 6.0;
    from.r[chest] = sft_quatd_mul(from.r[chest], sft_quatd_exp(sft_v3d_make(angle, 0, 0)));
    const sft_transfer_def def = sft_default_transfer_def();
    move(&def);
    const sft_v3d change = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(target.pose_r[chest]), to.r[chest]));
    assert_true(sft_v3d_distance(change, sft_v3d_make(0, angle, 0)) < 1e-15);
}

// A bone that turns about its own length turns the target's about its own, by as much, whatever axes they have.
static void test_retarget_transfer_root__a_turn_about_a_bone_stays_one(void** state)
{
    (void)state;
    const sft_transfer_def def = sft_default_transfer_def();
    static const sft_part parts[3][2] = {
        {SFT_PART_UPPER_ARM, SFT_PART_FOREARM}, {SFT_PART_FOREARM, SFT_PART_HAND}, {SFT_PART_SHIN, SFT_PART_FOOT}};
    for (uint64_t seed = 1; seed < 20; ++seed)
        for (int k = 0; k < 3; ++k)
        {
            make(&source, 1.0, 0.3, false, seed);
            make(&target, 0.7, -1.0, false, seed + 50);
            mover_rest(&source, &from);
            const int s0 = mover_find(&source, parts[k][0], SFT_LEG_LEFT, 0);
            const int s1 = mover_find(&source, parts[k][1], SFT_LEG_LEFT, 0);
            const int t0 = mover_find(&target, parts[k][0], SFT_LEG_LEFT, 0);
            const int t1 = mover_find(&target, parts[k][1], SFT_LEG_LEFT, 0);
            const double angle = SFT_PI / 6.0;
            const sft_v3d own_s = sft_v3d_normalize_or(source.base_t[s1], sft_v3d_make(0, 0, 0));
            const sft_v3d own_t = sft_v3d_normalize_or(target.base_t[t1], sft_v3d_make(0, 0, 0));
            from.r[s0] = sft_quatd_mul(from.r[s0], sft_quatd_exp(sft_v3d_scale(angle, own_s)));
            move(&def);
            const sft_v3d change = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(target.pose_r[t0]), to.r[t0]));
            assert_true(sft_v3d_distance(change, sft_v3d_scale(angle, own_t)) < 1e-14);
        }
}

// A stride: the root goes as much farther as legs are longer, into the target's own facing; feet then are where the
// source's are, as seen from the hips and as much larger [m].
static void test_retarget_transfer_root__stride(void** state)
{
    (void)state;
    const double turn = 0.8;
    make(&source, 1.0, 0.0, false, 4);
    make(&target, 1.25, turn, false, 5);
    const sft_transfer_def def = sft_default_transfer_def();
    sft_v3d last = {0, 0, 0};
    for (int step = 0; step <= 10; ++step)
    {
        mover_rest(&source, &from);
        // Walking ahead, +Z, with a swinging leg.
        from.t[0] = sft_v3d_add(from.t[0], sft_v3d_make(0.0, 0.0, 0.07 * step));
        const int hip = mover_find(&source, SFT_PART_THIGH, SFT_LEG_LEFT, 0);
        const sft_v3d across = sft_quatd_unrotate(source.pose[hip].r, sft_v3d_make(1, 0, 0));
        from.r[hip] = sft_quatd_mul(from.r[hip], sft_quatd_exp(sft_v3d_scale(0.4 * sin(0.6 * step), across)));
        move(&def);
        if (step > 0)
        {
            const sft_v3d went = sft_v3d_sub(to.t[0], last);
            // dp_t = s A dp_s: a figure that needs `turn` to face +Z faces that much the other way.
            const sft_v3d want = sft_v3d_scale(1.25 * 0.07, sft_v3d_make(-sin(turn), 0.0, cos(turn)));
            assert_true(sft_v3d_distance(went, want) < 1e-14);
        }
        last = to.t[0];
        for (int side = 0; side < 2; ++side)
        {
            const int fs = mover_find(&source, SFT_PART_FOOT, (sft_leg_side)side, 0);
            const sft_v3d want = sft_v3d_scale(1.25, sft_v3d_sub(from.figure[fs].t, from.figure[0].t));
            const sft_v3d have = sft_v3d_sub(to.figure[fs].t, to.figure[0].t);
            assert_true(sft_v3d_distance(want, have) < 1e-14);
        }
    }
}

// A grip: hands that hold one thing do so on a figure of the same proportions, whatever its size; where arms are longer
// against the body they miss by what that makes [m]: it is for the mending to bring them back.
static void test_retarget_transfer_root__grip(void** state)
{
    (void)state;
    make(&source, 1.0, 0.0, false, 6);
    make(&target, 0.8, 0.0, false, 7);
    const sft_transfer_def def = sft_default_transfer_def();
    double gap[2];
    for (int longer = 0; longer < 2; ++longer)
    {
        if (longer)
        {
            // Forearms grow by 5 cm.
            for (int side = 0; side < 2; ++side)
            {
                const int hand = mover_find(&target, SFT_PART_HAND, (sft_leg_side)side, 0);
                target.pose[hand].t.x += side == 0 ? 0.05 : -0.05;
            }
            mover_finish(&target, 7, 0.0);
        }
        mover_rest(&source, &from);
        for (int side = 0; side < 2; ++side)
        {
            // Arms forward and in, until the hands meet in front.
            const int arm = mover_find(&source, SFT_PART_UPPER_ARM, (sft_leg_side)side, 0);
            const double reach = 0.54, away = 0.18, angle = SFT_PI - acos(away / reach);
            const sft_v3d up = sft_quatd_unrotate(source.pose[arm].r, sft_v3d_make(0, side == 0 ? -angle : angle, 0));
            from.r[arm] = sft_quatd_mul(from.r[arm], sft_quatd_exp(up));
        }
        move(&def);
        const int l = mover_find(&source, SFT_PART_HAND, SFT_LEG_LEFT, 0);
        const int r = mover_find(&source, SFT_PART_HAND, SFT_LEG_RIGHT, 0);
        assert_true(sft_v3d_distance(from.figure[l].t, from.figure[r].t) < 1e-14);
        gap[longer] = sft_v3d_distance(to.figure[l].t, to.figure[r].t);
    }
    assert_true(gap[0] < 1e-14);
    assert_true(fabs(gap[1] - 2.0 * 0.05 * 0.18 / 0.54) < 1e-14);
}

static void test_retarget_transfer_root__a_crouch_leaves_the_scale(void** state)
{
    (void)state;
    make(&source, 1.0, 0.0, false, 8);
    make(&target, 0.5, 0.0, false, 9);
    const sft_transfer_def def = sft_default_transfer_def();
    for (int crouch = 0; crouch < 2; ++crouch)
    {
        mover_rest(&source, &from);
        from.t[0] = sft_v3d_add(from.t[0], sft_v3d_make(0.6, crouch ? -0.4 : 0.0, 0.0));
        for (int side = 0; side < 2 && crouch; ++side)
        {
            const int knee = mover_find(&source, SFT_PART_SHIN, (sft_leg_side)side, 0);
            const sft_v3d across = sft_quatd_unrotate(source.pose[knee].r, sft_v3d_make(2.0, 0, 0));
            from.r[knee] = sft_quatd_mul(from.r[knee], sft_quatd_exp(across));
        }
        move(&def);
        assert_true(fabs(to.t[0].x - 0.3) < 1e-15);
        assert_true(fabs(to.t[0].y - (0.5 * 0.95 - (crouch ? 0.2 : 0.0))) < 1e-15);
    }
}

// ---- roots ----

// Roots on either side, both, none; Z-up nodes; the source's root with a heading of its own.
static void test_retarget_transfer_root__travel_has_one_owner(void** state)
{
    (void)state;
    support_rng rng = {21};
    for (int k = 0; k < 32; ++k)
    {
        const bool root_s = (k & 1) != 0, root_t = (k & 2) != 0, on_hips = (k & 4) != 0, heading = (k & 8) != 0;
        const bool moving_root = (k & 16) != 0;
        make(&source, 1.0, 0.4, root_s, 10);
        // Axes of any kind in the target's root: a Z-up node is one of them.
        make(&target, 0.7, -0.9, root_t, 11);
        mover_random_pose(&source, &rng, heading ? 0.8 : 0.0, from.t, from.r);
        if (root_s && !moving_root)
        {
            // All travel on the hips.
            from.t[1] = sft_v3d_add(from.t[1], sft_quatd_unrotate(from.r[0], sft_v3d_sub(from.t[0], source.base_t[0])));
            from.t[0] = source.base_t[0];
        }
        sft_transfer_def def = sft_default_transfer_def();
        def.travel = on_hips ? SFT_TRAVEL_HIPS : SFT_TRAVEL_ROOT;
        move(&def);
        const sft_v3d hs = from.figure[source.rig.hips].t, ht = to.figure[target.rig.hips].t;
        assert_true(fabs(ht.x - 0.7 * hs.x) < 1e-13 && fabs(ht.z - 0.7 * hs.z) < 1e-13);
        assert_true(fabs(ht.y - 0.7 * hs.y) < 1e-13);
        // The hips turn as the source's do, root or not.
        const sft_quatd ds =
            sft_quatd_mul(from.figure[source.rig.hips].r, sft_quatd_conjugate(source.pose[source.rig.hips].r));
        const sft_quatd dt =
            sft_quatd_mul(to.figure[target.rig.hips].r, sft_quatd_conjugate(target.pose[target.rig.hips].r));
        assert_true(angle_between(ds, dt) < 1e-12);
        if (!root_t) continue;
        assert_memory_equal(&to.r[0], &target.base_r[0], sizeof to.r[0]);
        const sft_v3d root = to.figure[0].t;
        // Without a root in the source what legs hang from leads it.
        const sft_v3d legs = sft_v3d_lerp(from.figure[mover_find(&source, SFT_PART_THIGH, SFT_LEG_LEFT, 0)].t,
                                          from.figure[mover_find(&source, SFT_PART_THIGH, SFT_LEG_RIGHT, 0)].t, 0.5);
        const sft_v3d path = on_hips ? sft_v3d_make(0, 0, 0) : root_s ? from.figure[0].t : legs;
        assert_true(fabs(root.x - 0.7 * path.x) < 1e-13 && fabs(root.z - 0.7 * path.z) < 1e-13);
        assert_true(fabs(root.y) < 1e-13);
    }
}

static void test_retarget_transfer_root__in_place_stays_in_place(void** state)
{
    (void)state;
    support_rng rng = {31};
    for (int k = 0; k < 4; ++k)
    {
        make(&source, 1.0, 0.4, (k & 1) != 0, 12);
        make(&target, 1.7, 2.0, (k & 2) != 0, 13);
        for (int n = 0; n < 5; ++n)
        {
            mover_random_pose(&source, &rng, 0.0, from.t, from.r);
            from.t[0] = source.base_t[0];
            const sft_transfer_def def = sft_default_transfer_def();
            move(&def);
            for (int j = 0; j <= target.rig.hips; ++j)
                assert_true(fabs(to.figure[j].t.x) < 1e-14 && fabs(to.figure[j].t.z) < 1e-14);
        }
    }
}

static void test_retarget_transfer_root__scale_and_lift_as_asked(void** state)
{
    (void)state;
    make(&source, 1.0, 0.0, false, 0);
    make(&target, 0.5, 0.0, false, 0);
    mover_rest(&source, &from);
    from.t[0] = sft_v3d_add(from.t[0], sft_v3d_make(1.0, -0.1, 2.0));
    sft_transfer_def def = sft_default_transfer_def();
    def.scale = 2.0;
    def.sole_lift = 0.02;
    move(&def);
    assert_true(sft_v3d_distance(to.t[0], sft_v3d_make(2.0, 0.475 - 0.2 + 0.02, 4.0)) < 1e-15);
}

// ---- bones that stretch ----

static void test_retarget_transfer_root__bones_stretch_only_when_asked(void** state)
{
    (void)state;
    make(&source, 1.0, 0.0, false, 14);
    make(&target, 0.5, 0.0, false, 15);
    mover_rest(&source, &from);
    const int hand = mover_find(&source, SFT_PART_HAND, SFT_LEG_LEFT, 0);
    from.t[hand] = sft_v3d_scale(1.3, from.t[hand]);
    sft_transfer_def def = sft_default_transfer_def();
    move(&def);
    for (int j = 1; j < target.count; ++j)
        assert_memory_equal(&to.t[j], &target.base_t[j], sizeof to.t[j]);
    def.non_rigid = SFT_NON_RIGID_RATIO;
    move(&def);
    for (int j = 1; j < target.count; ++j)
    {
        const double k = j == hand ? 1.3 : 1.0;
        assert_true(sft_v3d_distance(to.t[j], sft_v3d_scale(k, target.base_t[j])) < 1e-14);
    }
}

// ---- the mirror ----

// The mirror image of the source's figure, moved: limb directions with x negated, on the other side.
static void test_retarget_transfer_root__mirrored(void** state)
{
    (void)state;
    static const sft_part bones[4][2] = {{SFT_PART_UPPER_ARM, SFT_PART_FOREARM},
                                         {SFT_PART_FOREARM, SFT_PART_HAND},
                                         {SFT_PART_THIGH, SFT_PART_SHIN},
                                         {SFT_PART_SHIN, SFT_PART_FOOT}};
    support_rng rng = {41};
    sft_transfer_def def = sft_default_transfer_def();
    def.mirror = true;
    for (uint64_t seed = 1; seed < 20; ++seed)
    {
        make(&source, 1.0, 0.5, false, seed);
        make(&target, 0.6, -1.5, false, seed + 100);
        mover_random_pose(&source, &rng, 1.2, from.t, from.r);
        move(&def);
        const sft_v3d hs = from.figure[0].t, ht = to.figure[0].t;
        assert_true(sft_v3d_distance(ht, sft_v3d_scale(0.6, sft_v3d_make(-hs.x, hs.y, hs.z))) < 1e-13);
        for (int k = 0; k < 8; ++k)
        {
            const sft_leg_side own = (sft_leg_side)(k & 1), other = (sft_leg_side)(1 - (k & 1));
            const int s0 = mover_find(&source, bones[k / 2][0], other, 0);
            const int s1 = mover_find(&source, bones[k / 2][1], other, 0);
            const int t0 = mover_find(&target, bones[k / 2][0], own, 0);
            const int t1 = mover_find(&target, bones[k / 2][1], own, 0);
            sft_v3d way = sft_v3d_sub(from.figure[s1].t, from.figure[s0].t);
            way.x = -way.x;
            way = sft_v3d_normalize_or(way, sft_v3d_make(0, 0, 0));
            const sft_v3d made =
                sft_v3d_normalize_or(sft_v3d_sub(to.figure[t1].t, to.figure[t0].t), sft_v3d_make(0, 0, 0));
            assert_true(sft_v3d_distance(way, made) < 1e-12);
        }
    }
}

// Twice mirrored is the original, also with fingers and clavicles of unlike axes on both sides.
static void test_retarget_transfer_root__mirrored_twice_is_the_original(void** state)
{
    (void)state;
    support_rng rng = {51};
    sft_transfer_def def = sft_default_transfer_def();
    def.mirror = true;
    for (uint64_t seed = 1; seed < 20; ++seed)
    {
        mover_def made = mover_default();
        made.axes = seed;
        made.facing = 1.1;
        made.digits = 3;
        made.root = seed % 2 == 0;
        mover_make(&made, &source);
        mover_make(&made, &target);
        static moved first;
        mover_random_pose(&source, &rng, 1.0, from.t, from.r);
        // A root joint goes along the ground and has no turn of its own.
        if (made.root)
        {
            from.r[0] = source.base_r[0];
            from.t[0].y = source.base_t[0].y;
        }
        memcpy(&first, &from, sizeof first);
        move(&def);
        memcpy(&from, &to, sizeof from);
        move(&def);
        for (int j = 0; j < source.count; ++j)
        {
            assert_true(angle_between(first.r[j], to.r[j]) < 1e-9);
            assert_true(sft_v3d_distance(first.t[j], to.t[j]) < 1e-9);
        }
    }
}

// Hands of unlike numbers of joints swap all the same: chains are resampled, nothing is left behind.
static void test_retarget_transfer_root__a_lopsided_rig_mirrors(void** state)
{
    (void)state;
    mover_def made = mover_default();
    made.digits = 2;
    made.finger_joints[0] = 3;
    made.finger_joints[1] = 1;
    mover_make(&made, &source);
    mover_make(&made, &target);
    mover_rest(&source, &from);
    const int left = mover_find(&source, SFT_PART_FINGER, SFT_LEG_LEFT, 2);
    const int right = mover_find(&source, SFT_PART_FINGER, SFT_LEG_RIGHT, 0);
    from.r[right] = sft_quatd_exp(sft_v3d_make(0, 0, 0.5));
    sft_transfer_def def = sft_default_transfer_def();
    def.mirror = true;
    move(&def);
    // The right thumb bends: its image bends the left one, whose joints share it.
    const sft_quatd image = sft_quatd_exp(sft_v3d_make(0, 0, -0.5));
    assert_true(angle_between(to.figure[left].r, image) < 0.6);
    for (int j = 0; j < target.count; ++j)
        assert_true(fabs(sft_quatd_dot(to.r[j], to.r[j]) - 1.0) < 1e-14);
}

// ---- figures that dance ----

// Two figures that make the same changes, each built by itself: one's dance moved onto the other is the other's.
static void test_retarget_transfer_root__one_figures_dance_is_the_others(void** state)
{
    (void)state;
    for (int k = 0; k < 24; ++k)
    {
        static figure a, b;
        figure_def def = figure_default();
        def.axes = (figure_axes)(k % 3);
        def.stance = (figure_stance)(k % 4);
        def.seed = (uint64_t)k + 1;
        // Well away from the axes: a rig takes a rest pose that faces one within a few degrees to face it.
        def.facing = SFT_PI / 2.0 * (k % 4) + (k % 3 == 0 ? 0.0 : 0.5);
        def.spine_count = 1 + k % 7;
        def.neck_count = k % 3;
        def.root_joint = k % 2 == 0;
        figure_make(&def, &a);
        def.axes = (figure_axes)((k / 3) % 3);
        def.stance = (figure_stance)((k / 2) % 3);
        def.seed += 77;
        def.scale = 0.6;
        def.leg_scale = 1.2;
        def.arm_scale = 0.9;
        def.facing = -SFT_PI / 2.0 * (k % 3) - 0.7;
        def.spine_count = 1 + (k * 3) % 7;
        def.twist_count = k % 4;
        def.twist_aside = k % 5 == 0;
        def.root_joint = k % 4 < 2;
        figure_make(&def, &b);
        sft_clip *dance_a = figure_dance(&a, 30, 1.0 / 30.0), *dance_b = figure_dance(&b, 30, 1.0 / 30.0), *out = NULL;
        sft_rig *from_rig = figure_rig(&a, dance_a), *onto = figure_rig(&b, dance_b);
        sft_retarget_map* map = mover_map(from_rig, onto);
        sft_transfer_report report;
        const sft_transfer_def how = sft_default_transfer_def();
        assert_int_equal(sft_retarget_clip(&how, map, dance_a, NULL, &out, &report), SFT_OK);
        assert_true(report.direction_error < 1e-9);
        double worst = 0.0;
        for (int f = 0; f < 30; ++f)
        {
            sft_xformd have[FIGURE_JOINTS], want[FIGURE_JOINTS];
            figure_model(&b, out, f, have);
            figure_model(&b, dance_b, f, want);
            const int joints[9] = {b.hips,    b.chest,   b.head,    b.hand[0],   b.hand[1],
                                   b.foot[0], b.foot[1], b.shin[0], b.forearm[1]};
            for (int n = 0; n < 7; ++n)
                worst = sft_maxd(worst, angle_between(have[joints[n]].r, want[joints[n]].r));
        }
        assert_true(worst < 1e-9);
        sft_retarget_map_destroy(map);
        sft_rig_destroy(from_rig, NULL);
        sft_rig_destroy(onto, NULL);
        sft_clip_destroy(out, NULL);
        sft_clip_destroy(dance_a, NULL);
        sft_clip_destroy(dance_b, NULL);
    }
}

// Frames of a clip do not change sign from one to the next.
static void test_retarget_transfer_root__quaternions_go_on_without_a_jump(void** state)
{
    (void)state;
    make(&source, 1.0, 0.5, false, 16);
    make(&target, 0.6, -1.5, false, 17);
    sft_clip *clip = NULL, *out = NULL;
    assert_int_equal(sft_clip_create(source.count, 200, 0.01, NULL, &clip), SFT_OK);
    for (int f = 0; f < 200; ++f)
        for (int j = 0; j < source.count; ++j)
        {
            clip->translations[f * source.count + j] = source.base_t[j];
            const sft_quatd q = sft_quatd_mul(source.pose_r[j], sft_quatd_exp(sft_v3d_make(0.05 * f, 0.02 * j, 0)));
            // Files do not mind their signs.
            const double sign = (f * 7 + j * 3) % 5 < 2 ? -1.0 : 1.0;
            clip->rotations[f * source.count + j] = (sft_quatd){sign * q.x, sign * q.y, sign * q.z, sign * q.w};
        }
    sft_retarget_map* map = mover_map(&source.rig, &target.rig);
    const sft_transfer_def def = sft_default_transfer_def();
    assert_int_equal(sft_retarget_clip(&def, map, clip, NULL, &out, NULL), SFT_OK);
    for (int i = target.count; i < 200 * target.count; ++i)
        assert_true(sft_quatd_dot(out->rotations[i], out->rotations[i - target.count]) >= 0.0);
    sft_clip_destroy(clip, NULL);
    sft_clip_destroy(out, NULL);
    sft_retarget_map_destroy(map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_transfer_root__a_quarter_turn_between_the_axes),
        cmocka_unit_test(test_retarget_transfer_root__a_turn_about_a_bone_stays_one),
        cmocka_unit_test(test_retarget_transfer_root__stride),
        cmocka_unit_test(test_retarget_transfer_root__grip),
        cmocka_unit_test(test_retarget_transfer_root__a_crouch_leaves_the_scale),
        cmocka_unit_test(test_retarget_transfer_root__travel_has_one_owner),
        cmocka_unit_test(test_retarget_transfer_root__in_place_stays_in_place),
        cmocka_unit_test(test_retarget_transfer_root__scale_and_lift_as_asked),
        cmocka_unit_test(test_retarget_transfer_root__bones_stretch_only_when_asked),
        cmocka_unit_test(test_retarget_transfer_root__mirrored),
        cmocka_unit_test(test_retarget_transfer_root__mirrored_twice_is_the_original),
        cmocka_unit_test(test_retarget_transfer_root__a_lopsided_rig_mirrors),
        cmocka_unit_test(test_retarget_transfer_root__one_figures_dance_is_the_others),
        cmocka_unit_test(test_retarget_transfer_root__quaternions_go_on_without_a_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
