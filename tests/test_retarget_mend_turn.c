// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// How far mending turns legs: no further than what it mends warrants.

#include "sample/walker.h"
#include "support/reshaped.h"

static walk walk_of(walker* made)
{
    walk w = {.skeleton = made->skeleton, .clip = made->clip, .labels = &made->labels, .first = made->first_frame};
    assert_int_equal(sft_leg_find(w.skeleton, w.clip, NULL, w.legs, SFT_MAX_LEGS, &w.leg_count), SFT_OK);
    assert_int_equal(w.leg_count, 2);
    return w;
}

// A clip that came back as it was has its own slide alone to mend: that is sft_cleanup_clip's, bit for bit, here of a
// walk whose root is scaled and of one that walks knee-deep in what is called its ground.
static void test_retarget_mend__a_figure_onto_itself_is_cleaned_and_no_more(void** state)
{
    (void)state;
    for (int deep = 0; deep < 2; ++deep)
    {
        walker made;
        walker_def how = walker_default_def();
        how.root_scale = 1.1;
        assert_int_equal(walker_create(&how, &made), SFT_OK);
        walk w = walk_of(&made);
        reshaped r;
        reshape_walk(&w, &(reshape){1, 1, 1, 1, 1, 1}, -1, &r);
        sft_clip *mended = walk_copy(&w), *cleaned = walk_copy(&w);
        sft_mend_def def = sft_default_mend_def();
        def.scale = 1.0;
        def.source_ground = def.ground = r.source_ground + (deep ? 0.4 : 0.0);
        const sft_mend_input in = {.rigs = {&r.source_rig, &r.source_rig}, .source_clip = w.clip, .labels = w.labels};
        sft_mend_report report;
        assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
        const sft_cleanup_def clean = sft_default_cleanup_def();
        assert_int_equal(sft_cleanup_clip(&clean, w.skeleton, w.legs, w.leg_count, w.labels, NULL, cleaned, NULL, NULL),
                         SFT_OK);
        const size_t cells = (size_t)w.clip->joint_count * (size_t)w.clip->frame_count;
        assert_memory_equal(mended->translations, cleaned->translations, cells * sizeof *mended->translations);
        assert_memory_equal(mended->rotations, cleaned->rotations, cells * sizeof *mended->rotations);
        assert_true(report.plant_count > 1 && report.pelvis_shift_max > 0.05);
        sft_mend_report_release(&report, NULL);
        sft_clip_destroy(mended, NULL);
        sft_clip_destroy(cleaned, NULL);
        reshape_release(&r);
        walker_release(&made);
    }
}

// ---- a figure that stands and moves its hips ----

enum
{
    SWAY_FRAMES = 240
};
static const double SWAY_FPS = 60.0, SWAY = 0.25; // rad

// Stands with bent knees and both feet on their places while the pelvis turns about `axis`; by construction nothing
// slides. One sway takes `seconds`.
static sft_clip* swaying(const walk* w, sft_v3d axis, double seconds)
{
    const sft_skeleton* s = w->skeleton;
    const size_t n = (size_t)s->joint_count;
    sft_clip* clip;
    assert_int_equal(sft_clip_create(s->joint_count, SWAY_FRAMES, 1.0 / SWAY_FPS, NULL, &clip), SFT_OK);
    sft_leg_solve_def how = sft_default_leg_solve_def();
    how.keep_foot = true;
    for (int32_t i = 0; i < SWAY_FRAMES; ++i)
    {
        sft_v3d* t = clip->translations + (size_t)i * n;
        sft_quatd* r = clip->rotations + (size_t)i * n;
        memcpy(t, s->rest_translations, n * sizeof *t);
        memcpy(r, s->rest_rotations, n * sizeof *r);
        const double angle = SWAY * cos(2.0 * SFT_PI * (double)i / (seconds * SWAY_FPS));
        const sft_quatd turn = sft_quatd_exp(sft_v3d_scale(angle, axis));
        t[WALKER_HIPS].y -= 0.08;
        for (int32_t j = 1; j < s->joint_count; ++j)
            if (s->parents[j] == WALKER_HIPS) r[j] = sft_quatd_mul(sft_quatd_conjugate(turn), r[j]);
        r[WALKER_HIPS] = sft_quatd_mul(turn, r[WALKER_HIPS]);
        for (int32_t l = 0; l < 2; ++l)
        {
            const sft_v3d toe = sft_skeleton_joint_model(s, s->rest_translations, s->rest_rotations, w->legs[l].toe).t;
            sft_leg_pose before, after;
            assert_int_equal(sft_leg_pose_read(s, w->legs + l, t, r, &before), SFT_OK);
            after = before;
            sft_leg_report report;
            assert_int_equal(sft_leg_solve(&how, w->legs + l, toe, &after, &report), SFT_OK);
            assert_true(report.reached);
            assert_int_equal(sft_leg_pose_write(w->legs + l, &before, &after, r), SFT_OK);
        }
    }
    return clip;
}

static sft_xformd at(const reshaped* r, const sft_clip* clip, int32_t frame, int32_t joint)
{
    const size_t base = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(r->skeleton, clip->translations + base, clip->rotations + base, joint);
}

// Hips twice as wide: by the same turn their sockets go twice as far. The line from socket to socket halfway between
// the source's and its mean has half the angle, for two unit vectors' mean halves it, and brings the sockets where the
// source's are but for d (1 - cos) / 4 = 1.5 mm, so legs keep their directions: they turned by 4.2 degrees when the
// pelvis did all that the source's did. That holds for quick shakes too. Where a clip begins or ends in a turn of the
// hips, the mean is not known so well. What hangs on the pelvis keeps its rotation in space.
static void test_retarget_mend__wide_hips_give_way_and_not_the_legs(void** state)
{
    (void)state;
    const sft_v3d AXES[3] = {sft_v3d_make(0, 0, 1), sft_v3d_make(0, 1, 0), sft_v3d_make(0, 0, 1)};
    const double SECONDS[3] = {2.0, 2.0, 0.5};
    for (int k = 0; k < 3; ++k)
    {
        walker made;
        const walker_def how = walker_default_def();
        assert_int_equal(walker_create(&how, &made), SFT_OK);
        walk w = walk_of(&made);
        sft_clip* sway = swaying(&w, AXES[k], SECONDS[k]);
        float ones[2 * SWAY_FRAMES];
        for (int i = 0; i < 2 * SWAY_FRAMES; ++i)
            ones[i] = 1.0f;
        sft_contact_labels labels = {SWAY_FRAMES, 2, ones, ones};
        w.clip = sway;
        w.labels = &labels;
        reshaped r;
        reshape_walk(&w, &(reshape){1, 1, 1, 1, 2, 1}, -1, &r);
        sft_clip* moved = r.clip;
        w.clip = moved;
        sft_clip* mended = walk_copy(&w);
        sft_mend_def def = sft_default_mend_def();
        def.scale = 1.0;
        def.source_ground = r.source_ground;
        def.ground = r.source_ground;
        const sft_mend_input in = {.rigs = {&r.source_rig, &r.target_rig}, .source_clip = sway, .labels = &labels};
        sft_mend_report report;
        assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
        assert_int_equal(report.miss_count, 0);
        for (int leg = 2; leg < 4; ++leg)
            if (!(report.limb_turn_max[leg] < 1.0 * SFT_PI / 180.0))
                fail_msg("case %d: leg %d turned by %g degrees", k, leg, report.limb_turn_max[leg] * 180.0 / SFT_PI);
        for (int32_t i = 0; i < SWAY_FRAMES; ++i)
        {
            const double angle = SWAY * cos(2.0 * SFT_PI * (double)i / (SECONDS[k] * SWAY_FPS));
            const sft_v3d line =
                sft_v3d_sub(at(&r, mended, i, WALKER_LEFT_HIP).t, at(&r, mended, i, WALKER_RIGHT_HIP).t);
            const double found = k != 1 ? atan2(line.y, line.x) : atan2(-line.z, line.x);
            const bool ends = k == 1 && (i < 60 || i >= SWAY_FRAMES - 60);
            if (!(fabs(found - 0.5 * angle) < (ends ? 0.08 : 0.03)))
                fail_msg("case %d: frame %d: hips turned by %g, not %g", k, i, found, 0.5 * angle);
            const sft_quatd a = at(&r, moved, i, WALKER_SPINE).r, b = at(&r, mended, i, WALKER_SPINE).r;
            assert_true(fabs(sft_quatd_dot(a, b)) > 1.0 - 1e-14);
        }
        sft_mend_report_release(&report, NULL);
        sft_clip_destroy(mended, NULL);
        reshape_release(&r);
        sft_clip_destroy(sway, NULL);
        walker_release(&made);
    }
}

// Stands for 1.8 s, turns by a right angle in a jump of 0.4 s, stands again: the figure turns as a whole, so where it
// heads is where its hips do, and hips twice as wide have nothing to give way to. Before, the jump's turn went on in
// the stands and twisted the pelvis over both feet, by up to 0.5 rad.
static double jump_turn(int32_t frame)
{
    const double x = sft_clampd(((double)frame / SWAY_FPS - 1.8) / 0.4, 0.0, 1.0);
    return 0.5 * SFT_PI * x * x * (3.0 - 2.0 * x);
}

static void test_retarget_mend__a_jump_that_turns_does_not_twist_who_stands(void** state)
{
    (void)state;
    walker made;
    const walker_def how = walker_default_def();
    assert_int_equal(walker_create(&how, &made), SFT_OK);
    walk w = walk_of(&made);
    sft_clip* jump = swaying(&w, sft_v3d_make(0, 0, 0), 1.0);
    const size_t n = (size_t)w.skeleton->joint_count;
    float plant[2 * SWAY_FRAMES];
    for (int32_t i = 0; i < SWAY_FRAMES; ++i)
    {
        sft_quatd* hips = jump->rotations + (size_t)i * n + WALKER_HIPS;
        *hips = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0, jump_turn(i), 0)), *hips);
        const double x = sft_clampd(((double)i / SWAY_FPS - 1.8) / 0.4, 0.0, 1.0);
        jump->translations[(size_t)i * n + WALKER_HIPS].y += 0.4 * x * (1.0 - x);
        plant[i] = plant[SWAY_FRAMES + i] = x > 0.0 && x < 1.0 ? 0.0f : 1.0f;
    }
    sft_contact_labels labels = {SWAY_FRAMES, 2, plant, plant};
    w.clip = jump;
    w.labels = &labels;
    reshaped r;
    reshape_walk(&w, &(reshape){1, 1, 1, 1, 2, 1}, -1, &r);
    w.clip = r.clip;
    sft_clip* mended = walk_copy(&w);
    sft_mend_def def = sft_default_mend_def();
    def.scale = 1.0;
    def.source_ground = def.ground = r.source_ground;
    const sft_mend_input in = {.rigs = {&r.source_rig, &r.target_rig}, .source_clip = jump, .labels = &labels};
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
    for (int32_t i = 0; i < SWAY_FRAMES; ++i)
    {
        const sft_v3d line = sft_v3d_sub(at(&r, mended, i, WALKER_LEFT_HIP).t, at(&r, mended, i, WALKER_RIGHT_HIP).t);
        const double off = fabs(atan2(-line.z, line.x) - jump_turn(i));
        if (!(off < (i < 70 || i >= SWAY_FRAMES - 70 ? 0.1 : 0.3))) fail_msg("frame %d: hips are %g rad off", i, off);
    }
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(mended, NULL);
    reshape_release(&r);
    sft_clip_destroy(jump, NULL);
    walker_release(&made);
}

// Stands on toe joints at the ground and heels 2 cm below their height, as captures do whose marker sat too low. What
// the source does the target may: thighs and shins of other lengths, by which legs straighten or bend no further, leave
// leg and foot as they point. Before, the foot was pitched by 8 degrees to bring the heel up.
static void test_retarget_mend__heels_may_sink_as_far_as_the_source_s(void** state)
{
    (void)state;
    walker made;
    const walker_def how = walker_default_def();
    assert_int_equal(walker_create(&how, &made), SFT_OK);
    walk w = walk_of(&made);
    sft_clip* sunk = swaying(&w, sft_v3d_make(0, 0, 0), 1.0);
    const size_t n = (size_t)w.skeleton->joint_count;
    double ground = 0.0, heel = 0.0;
    for (int32_t i = 0; i < SWAY_FRAMES; ++i)
        for (int32_t l = 0; l < 2; ++l)
        {
            const sft_leg* g = w.legs + l;
            const sft_v3d *t = sunk->translations + (size_t)i * n, foot = t[g->toe];
            sft_quatd* r = sunk->rotations + (size_t)i * n;
            const double pitch = asin(0.02 / sqrt(foot.y * foot.y + foot.z * foot.z));
            r[g->heel] = sft_quatd_mul(r[g->heel], sft_quatd_exp(sft_v3d_make(-pitch, 0, 0)));
            ground = sft_skeleton_joint_model(w.skeleton, t, r, g->toe).t.y;
            heel = sft_skeleton_joint_model(w.skeleton, t, r, g->heel).t.y;
        }
    float ones[2 * SWAY_FRAMES];
    for (int i = 0; i < 2 * SWAY_FRAMES; ++i)
        ones[i] = 1.0f;
    sft_contact_labels labels = {SWAY_FRAMES, 2, ones, ones};
    w.clip = sunk;
    w.labels = &labels;
    reshaped r;
    reshape_walk(&w, &(reshape){1, 1.1, 0.9, 1, 1, 1}, -1, &r);
    const double toe_min = r.source_pose[w.legs[0].toe].t.y, heel_min = r.source_pose[w.legs[0].heel].t.y;
    ground -= toe_min;
    assert_true(heel - ground - heel_min < -0.018 && heel - ground - heel_min > -0.022);
    sft_clip* before = r.clip;
    w.clip = before;
    sft_clip* mended = walk_copy(&w);
    sft_mend_def def = sft_default_mend_def();
    def.scale = r.scale;
    def.source_ground = ground;
    def.ground = r.scale * ground;
    const sft_mend_input in = {.rigs = {&r.source_rig, &r.target_rig}, .source_clip = sunk, .labels = &labels};
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
    const double degree = SFT_PI / 180.0;
    for (int leg = 2; leg < 4; ++leg)
        if (!(report.limb_turn_max[leg] < 0.5 * degree))
            fail_msg("leg %d turned by %g degrees", leg, report.limb_turn_max[leg] / degree);
    for (int32_t i = 0; i < SWAY_FRAMES; ++i)
        for (int32_t l = 0; l < 2; ++l)
        {
            const sft_quatd a = at(&r, before, i, w.legs[l].heel).r, b = at(&r, mended, i, w.legs[l].heel).r;
            const double turn = 2.0 * acos(sft_mind(fabs(sft_quatd_dot(a, b)), 1.0));
            if (!(turn < 0.5 * degree)) fail_msg("frame %d: foot pitched by %g degrees", i, turn / degree);
        }
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(mended, NULL);
    reshape_release(&r);
    sft_clip_destroy(sunk, NULL);
    walker_release(&made);
}

// A figure that stands still with every leg as `turn_leg` leaves it; all frames alike and all labelled as plants.
typedef struct posed
{
    walker made;
    walk w;
    sft_clip* clip;
    float ones[2 * SWAY_FRAMES];
    sft_contact_labels labels;
} posed;

static void pose_figure(posed* p, int32_t frames, void (*turn_leg)(const sft_leg* leg, int32_t which, sft_quatd* r))
{
    const walker_def how = walker_default_def();
    assert_int_equal(walker_create(&how, &p->made), SFT_OK);
    p->w = walk_of(&p->made);
    const sft_skeleton* s = p->w.skeleton;
    const size_t n = (size_t)s->joint_count;
    assert_int_equal(sft_clip_create(s->joint_count, frames, 1.0 / SWAY_FPS, NULL, &p->clip), SFT_OK);
    for (int32_t i = 0; i < frames; ++i)
    {
        memcpy(p->clip->translations + (size_t)i * n, s->rest_translations, n * sizeof(sft_v3d));
        memcpy(p->clip->rotations + (size_t)i * n, s->rest_rotations, n * sizeof(sft_quatd));
        for (int32_t l = 0; l < 2; ++l)
            turn_leg(p->w.legs + l, l, p->clip->rotations + (size_t)i * n);
    }
    for (int i = 0; i < 2 * SWAY_FRAMES; ++i)
        p->ones[i] = 1.0f;
    p->labels = (sft_contact_labels){frames, 2, p->ones, p->ones};
    p->w.clip = p->clip;
    p->w.labels = &p->labels;
}

static void posed_release(posed* p)
{
    sft_clip_destroy(p->clip, NULL);
    walker_release(&p->made);
}

// Height of the heel over the sole of a foot that stands level in its reference pose.
static double heel_over_sole(const sft_xformd* pose, const sft_leg* g)
{
    return pose[g->heel].t.y - sft_mind(pose[g->toe].t.y, pose[g->toe_end].t.y);
}

static void onto_heels(const sft_leg* leg, int32_t which, sft_quatd* r)
{
    (void)which;
    r[leg->hip] = sft_quatd_mul(r[leg->hip], sft_quatd_exp(sft_v3d_make(-0.4, 0, 0)));
    r[leg->knee] = sft_quatd_mul(r[leg->knee], sft_quatd_exp(sft_v3d_make(0.8, 0, 0)));
    r[leg->heel] = sft_quatd_mul(r[leg->heel], sft_quatd_exp(sft_v3d_make(-1.1, 0, 0)));
}

// Stands on its heels, toes up by 40 degrees, as who sits down does. Onto other legs the transfer keeps the pitch; what
// touches the ground is the point of the sole below the heel, rigidly heel_min under it in the reference: cos(0.7)
// heel_min in height. Before, toes were asked to stand within 3 % of a leg of the ground, which
// took heels 5 cm into it.
static void test_retarget_mend__a_foot_on_its_heel_stands_on_it(void** state)
{
    (void)state;
    posed p;
    pose_figure(&p, 60, onto_heels);
    reshaped r;
    reshape_walk(&p.w, &(reshape){1, 1.1, 0.95, 1, 1, 1}, -1, &r);
    const sft_leg* g = p.w.legs;
    const size_t n = (size_t)r.skeleton->joint_count;
    const double own_heel =
        sft_skeleton_joint_model(p.w.skeleton, p.clip->translations, p.clip->rotations, g->heel).t.y;
    const double own_min = heel_over_sole(r.source_pose, g);
    sft_mend_def def = sft_default_mend_def();
    def.scale = r.scale;
    def.source_ground = own_heel - cos(0.7) * own_min;
    def.ground = r.scale * def.source_ground;
    sft_clip* mended = r.clip;
    const sft_mend_input in = {.rigs = {&r.source_rig, &r.target_rig}, .source_clip = p.clip, .labels = &p.labels};
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
    assert_int_equal(report.miss_count, 0);
    for (int32_t i = 0; i < mended->frame_count; ++i)
        for (int32_t l = 0; l < 2; ++l)
        {
            const sft_v3d* t = mended->translations + (size_t)i * n;
            const sft_quatd* q = mended->rotations + (size_t)i * n;
            const sft_xformd heel = sft_skeleton_joint_model(r.skeleton, t, q, p.w.legs[l].heel);
            const sft_quatd turn = sft_quatd_mul(heel.r, sft_quatd_conjugate(r.target_pose[g->heel].r));
            const double upright = sft_quatd_rotate(turn, sft_v3d_make(0, 1, 0)).y;
            const double over = heel.t.y - upright * heel_over_sole(r.target_pose, g);
            if (!(fabs(over - def.ground) < 0.005))
                fail_msg("frame %d: heel %g m off, pitch %g", i, over - def.ground, upright);
        }
    sft_mend_report_release(&report, NULL);
    reshape_release(&r);
    posed_release(&p);
}

static void kick(const sft_leg* leg, int32_t which, sft_quatd* r)
{
    if (which == 1) r[leg->hip] = sft_quatd_mul(r[leg->hip], sft_quatd_exp(sft_v3d_make(-2.6, 0, 0)));
}

// One frame in which a leg points up, 150 degrees from where it hangs, and both feet are labelled: nothing moves in it.
// The foot over its hip stands on nothing; longer thighs leave its leg pointing as it does, and nothing is missed.
static void test_retarget_mend__a_foot_over_its_hip_stands_on_nothing(void** state)
{
    (void)state;
    posed p;
    pose_figure(&p, 1, kick);
    reshaped r;
    reshape_walk(&p.w, &(reshape){1, 1.3, 0.9, 1, 1, 1}, -1, &r);
    sft_clip *before = r.clip, *mended = support_copy_clip(r.clip);
    sft_mend_def def = sft_default_mend_def();
    def.scale = r.scale;
    const sft_mend_input in = {.rigs = {&r.source_rig, &r.target_rig}, .source_clip = p.clip, .labels = &p.labels};
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
    assert_int_equal(report.miss_count, 0);
    assert_int_equal(report.plant_count, 1);
    const sft_leg* g = p.w.legs + 1;
    const int32_t joints[3] = {g->hip, g->knee, g->heel};
    for (int k = 0; k < 3; ++k)
        assert_true(fabs(sft_quatd_dot(before->rotations[joints[k]], mended->rotations[joints[k]])) > 1.0 - 1e-12);
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(mended, NULL);
    reshape_release(&r);
    posed_release(&p);
}

// Stands still; both feet strike with the heel at frame 60, toes up by 50 degrees, and roll down onto them in a fifth
// of a second that the labels call planted, as those of coarse clips do. The heels stand where they should all along,
// so the toes come down by the feet's pitch and the body stays up. Before, the pelvis asked to go down by what the toes
// were up.
static void test_retarget_mend__a_heel_that_strikes_leaves_the_body_up(void** state)
{
    (void)state;
    enum
    {
        STRIKE = 60,
        DOWN = 12
    };
    walker made;
    const walker_def how = walker_default_def();
    assert_int_equal(walker_create(&how, &made), SFT_OK);
    walk w = walk_of(&made);
    sft_clip* strike = swaying(&w, sft_v3d_make(0, 0, 0), 1.0);
    const size_t n = (size_t)w.skeleton->joint_count;
    float plant[2 * SWAY_FRAMES];
    for (int32_t i = 0; i < 2 * SWAY_FRAMES; ++i)
    {
        const int32_t frame = i % SWAY_FRAMES;
        const double up = 0.87 * sft_clampd((double)(STRIKE + DOWN - frame) / DOWN, 0.0, 1.0);
        sft_quatd* heel = strike->rotations + (size_t)frame * n + (size_t)w.legs[i / SWAY_FRAMES].heel;
        *heel = sft_quatd_mul(*heel, sft_quatd_exp(sft_v3d_make(-up, 0, 0)));
        plant[i] = frame >= STRIKE ? 1.0f : 0.0f;
    }
    sft_contact_labels labels = {SWAY_FRAMES, 2, plant, plant};
    w.clip = strike;
    w.labels = &labels;
    reshaped r;
    reshape_walk(&w, &(reshape){1, 0.7, 0.7, 1.3, 1, 1}, -1, &r);
    w.clip = r.clip;
    sft_clip* mended = walk_copy(&w);
    sft_mend_def def = sft_default_mend_def();
    def.scale = r.scale;
    def.source_ground = r.source_ground;
    def.ground = r.scale * r.source_ground;
    const sft_mend_input in = {.rigs = {&r.source_rig, &r.target_rig}, .source_clip = strike, .labels = &labels};
    sft_mend_report report;
    assert_int_equal(sft_retarget_mend(&def, &in, NULL, mended, NULL, &report), SFT_OK);
    const double stands = at(&r, mended, SWAY_FRAMES - 1, WALKER_HIPS).t.y;
    for (int32_t i = STRIKE - 1; i < SWAY_FRAMES; ++i)
    {
        const double y = at(&r, mended, i, WALKER_HIPS).t.y;
        if (!(y > stands - 0.02)) fail_msg("frame %d: hips %g m under where they stand", i, stands - y);
    }
    sft_mend_report_release(&report, NULL);
    sft_clip_destroy(mended, NULL);
    reshape_release(&r);
    sft_clip_destroy(strike, NULL);
    walker_release(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_retarget_mend__a_jump_that_turns_does_not_twist_who_stands),
        cmocka_unit_test(test_retarget_mend__a_foot_on_its_heel_stands_on_it),
        cmocka_unit_test(test_retarget_mend__a_foot_over_its_hip_stands_on_nothing),
        cmocka_unit_test(test_retarget_mend__a_heel_that_strikes_leaves_the_body_up),
        cmocka_unit_test(test_retarget_mend__heels_may_sink_as_far_as_the_source_s),
        cmocka_unit_test(test_retarget_mend__wide_hips_give_way_and_not_the_legs),
        cmocka_unit_test(test_retarget_mend__a_figure_onto_itself_is_cleaned_and_no_more),
    };
    return cmocka_run_group_tests_name("test_retarget_mend_turn", tests, NULL, NULL);
}
