// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Whole-clip clean-up on the synthetic walker, whose true contacts and unslid motion are known.

#include "support/support.h"

#include "sample/walker.h"

typedef struct scene
{
    walker w;
    sft_leg legs[4];
    int32_t leg_count;
    sft_clip* before; // the clip as it was
    uint8_t changed[WALKER_JOINTS];
    sft_cleanup_report report;
} scene;

static sft_clip* copy_clip(const sft_clip* clip)
{
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_create(clip->joint_count, clip->frame_count, clip->frame_time, NULL, &out), SFT_OK);
    const size_t count = (size_t)clip->joint_count * (size_t)clip->frame_count;
    memcpy(out->translations, clip->translations, count * sizeof *out->translations);
    memcpy(out->rotations, clip->rotations, count * sizeof *out->rotations);
    return out;
}

static scene scene_create(const walker_def* def)
{
    scene s;
    memset(&s, 0, sizeof s);
    assert_int_equal(walker_create(def, &s.w), SFT_OK);
    assert_int_equal(sft_leg_find(s.w.skeleton, s.w.clip, NULL, s.legs, 4, &s.leg_count), SFT_OK);
    assert_int_equal(s.leg_count, 2);
    s.before = copy_clip(s.w.clip);
    return s;
}

static void scene_release(scene* s)
{
    sft_cleanup_report_release(&s->report, NULL);
    sft_clip_destroy(s->before, NULL);
    walker_release(&s->w);
}

static sft_cleanup_def scene_def(const scene* s)
{
    sft_cleanup_def def = sft_default_cleanup_def();
    def.first_frame = s->w.first_frame;
    return def;
}

static sft_result scene_clean(scene* s, const sft_cleanup_def* def)
{
    sft_cleanup_report_release(&s->report, NULL);
    return sft_cleanup_clip(def, s->w.skeleton, s->legs, s->leg_count, &s->w.labels, NULL, s->w.clip, s->changed,
                            &s->report);
}

static sft_v3d toe_at(const sft_skeleton* skeleton, const sft_clip* clip, const sft_leg* leg, int32_t frame)
{
    const size_t base = (size_t)frame * (size_t)clip->joint_count;
    return sft_skeleton_joint_model(skeleton, clip->translations + base, clip->rotations + base, leg->toe).t;
}

static bool planted(const scene* s, int32_t leg, int32_t frame)
{
    return s->w.labels.plant[(size_t)leg * (size_t)s->w.labels.frame_count + (size_t)frame] > 0.75f;
}

// Fastest planted toe against ground that moves at `ground`, and largest spread of height within one plant.
static double slide_max(const scene* s, const sft_clip* clip, sft_v3d ground)
{
    double worst = 0.0;
    for (int32_t l = 0; l < s->leg_count; ++l)
        for (int32_t i = s->w.first_frame + 1; i < clip->frame_count; ++i)
        {
            if (!planted(s, l, i)) continue;
            const sft_v3d step = sft_v3d_sub(toe_at(s->w.skeleton, clip, s->legs + l, i),
                                             toe_at(s->w.skeleton, clip, s->legs + l, i - 1));
            const sft_v3d speed = sft_v3d_scale(1.0 / clip->frame_time, step);
            worst = sft_maxd(worst, sft_v3d_distance(speed, ground));
        }
    return worst;
}

static double turn_between(sft_quatd a, sft_quatd b)
{
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b)));
}

static double largest_turn(const sft_clip* a, const sft_clip* b)
{
    double worst = 0.0;
    const size_t count = (size_t)a->joint_count * (size_t)a->frame_count;
    for (size_t k = 0; k < count; ++k)
        worst = sft_maxd(worst, turn_between(a->rotations[k], b->rotations[k]));
    return worst;
}

static double accel_max(const sft_clip* clip, int32_t joint, int32_t first)
{
    const size_t n = (size_t)clip->joint_count;
    double worst = 0.0;
    sft_v3d before = {0};
    for (int32_t i = first; i + 1 < clip->frame_count; ++i)
    {
        const sft_quatd a = clip->rotations[(size_t)i * n + (size_t)joint];
        const sft_quatd b = clip->rotations[(size_t)(i + 1) * n + (size_t)joint];
        const sft_v3d turn = sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b));
        if (i > first) worst = sft_maxd(worst, sft_v3d_distance(turn, before));
        before = turn;
    }
    return worst / (clip->frame_time * clip->frame_time);
}

static const double SCALES[3] = {0.75, 1.0, 1.25};

static void test_cleanup__planted_toes_stand_still(void** state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
        for (int fps = 30; fps <= 120; fps *= 2)
        {
            walker_def def = walker_default_def();
            def.fps = fps;
            def.frames = 4 * fps;
            def.root_scale = SCALES[k];
            def.heading = 0.7;
            scene s = scene_create(&def);
            const sft_cleanup_def clean = scene_def(&s);
            assert_int_equal(scene_clean(&s, &clean), SFT_OK);
            assert_true(s.report.converged);
            assert_int_equal(s.report.miss_count, 0);
            assert_true(slide_max(&s, s.w.clip, sft_v3d_make(0, 0, 0)) < 1e-8);
            assert_true(fabs(s.report.pelvis_height_mean_change) < 0.01);
            scene_release(&s);
        }
}

// A label that begins a fifth of the stance too early, while the foot is still in the air, must not make the foot hover
// for the rest of the plant: it stands where it settled, here at the walk's own level.
static void test_cleanup__early_labels_do_not_lift_the_plant(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.fps = 60;
    def.frames = 240;
    enum
    {
        EARLY = 6
    };
    scene s = scene_create(&def);
    float* plant = s.w.labels.plant;
    int32_t starts = 0, stance = -1;
    for (int32_t i = 1; i < 240; ++i)
    {
        if (!(plant[i] > 0.75f) || plant[i - 1] > 0.75f) continue;
        for (int32_t k = 1; k <= EARLY && i - k > 0; ++k)
            plant[i - k] = 1.0f;
        stance = starts++ == 1 ? i : stance;
    }
    assert_true(starts >= 2 && stance > EARLY && stance + 10 < 240);
    const double level = toe_at(s.w.skeleton, s.before, s.legs, stance + 6).y;
    assert_true(toe_at(s.w.skeleton, s.before, s.legs, stance - EARLY).y > level + 0.01);
    const sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_true(fabs(toe_at(s.w.skeleton, s.w.clip, s.legs, stance + 6).y - level) < 0.003);
    scene_release(&s);
}

static void test_cleanup__slide_from_edited_hips_and_noise_goes_too(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.hip_edit = 0.05;
    def.noise = 0.002;
    def.root_scale = 1.1;
    scene s = scene_create(&def);
    const sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_int_equal(s.report.miss_count, 0);
    assert_true(slide_max(&s, s.w.clip, sft_v3d_make(0, 0, 0)) < 1e-8);
    scene_release(&s);
}

static void test_cleanup__joints_accelerate_hardly_more_than_before(void** state)
{
    (void)state;
    for (int k = 0; k < 3; ++k)
    {
        walker_def def = walker_default_def();
        def.root_scale = SCALES[k];
        def.hip_edit = 0.03;
        scene s = scene_create(&def);
        const sft_cleanup_def clean = scene_def(&s);
        assert_int_equal(scene_clean(&s, &clean), SFT_OK);
        for (int32_t l = 0; l < 2; ++l)
        {
            const int32_t joints[3] = {s.legs[l].hip, s.legs[l].knee, s.legs[l].heel};
            for (int j = 0; j < 3; ++j)
                assert_true(accel_max(s.w.clip, joints[j], 0) <= 1.5 * accel_max(s.before, joints[j], 0));
        }
        scene_release(&s);
    }
}

// A walk that was right before its root was scaled comes back: the root takes the scale out, legs hardly turn.
static void test_cleanup__scaled_root_is_recovered(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    walker truth;
    assert_int_equal(walker_create(&def, &truth), SFT_OK);
    def.root_scale = 1.25;
    scene s = scene_create(&def);
    const sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    const size_t n = WALKER_JOINTS, last = (size_t)(def.frames - 1) * n;
    const double travel = sft_v3d_distance(truth.clip->translations[last], truth.clip->translations[0]);
    const double cleaned = sft_v3d_distance(s.w.clip->translations[last], s.w.clip->translations[0]);
    assert_true(fabs(cleaned - travel) < 0.02 * travel);
    assert_true(largest_turn(s.w.clip, truth.clip) < 0.06);
    walker_release(&truth);
    scene_release(&s);
}

static void test_cleanup__touches_only_leg_rotations_and_travel(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.root_scale = 0.75;
    def.reference = true;
    scene s = scene_create(&def);
    assert_int_equal(s.w.first_frame, 1);
    const sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    uint8_t expected[WALKER_JOINTS] = {0};
    expected[WALKER_HIPS] = 2;
    for (int l = 0; l < 2; ++l)
        expected[s.legs[l].hip] = expected[s.legs[l].knee] = expected[s.legs[l].heel] = 1;
    assert_memory_equal(s.changed, expected, sizeof expected);
    for (int32_t i = 0; i < def.frames; ++i)
        for (int32_t j = 0; j < WALKER_JOINTS; ++j)
        {
            const size_t at = (size_t)i * WALKER_JOINTS + (size_t)j;
            if (i == 0 || !(expected[j] & 1))
                assert_memory_equal(s.w.clip->rotations + at, s.before->rotations + at, sizeof(sft_quatd));
            if (i == 0 || !(expected[j] & 2))
                assert_memory_equal(s.w.clip->translations + at, s.before->translations + at, sizeof(sft_v3d));
        }
    scene_release(&s);
}

static void test_cleanup__second_cleaning_changes_nothing(void** state)
{
    (void)state;
    for (int give = 0; give < 3; ++give)
    {
        walker_def def = walker_default_def();
        def.root_scale = 1.25;
        def.hip_edit = 0.04;
        scene s = scene_create(&def);
        sft_cleanup_def clean = scene_def(&s);
        clean.give_way = (sft_give_way)give;
        assert_int_equal(scene_clean(&s, &clean), SFT_OK);
        sft_clip* once = copy_clip(s.w.clip);
        assert_int_equal(scene_clean(&s, &clean), SFT_OK);
        assert_true(largest_turn(once, s.w.clip) < 1e-6);
        sft_clip_destroy(once, NULL);
        scene_release(&s);
    }
}

static void test_cleanup__legs_give_way_keeps_the_root_number_for_number(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.root_scale = 0.9;
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    clean.give_way = SFT_GIVE_WAY_LEGS;
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    const size_t count = (size_t)def.frames * WALKER_JOINTS;
    assert_memory_equal(s.w.clip->translations, s.before->translations, count * sizeof(sft_v3d));
    assert_true(slide_max(&s, s.w.clip, sft_v3d_make(0, 0, 0)) < 1e-8);
    assert_int_equal(s.report.miss_count, 0);
    scene_release(&s);
}

static double leg_change(const scene* s)
{
    return largest_turn(s->before, s->w.clip);
}

static void test_cleanup__root_gives_way_more_than_both(void** state)
{
    (void)state;
    double change[2];
    for (int k = 0; k < 2; ++k)
    {
        walker_def def = walker_default_def();
        def.root_scale = 1.25;
        scene s = scene_create(&def);
        sft_cleanup_def clean = scene_def(&s);
        clean.give_way = k == 0 ? SFT_GIVE_WAY_BOTH : SFT_GIVE_WAY_ROOT;
        assert_int_equal(scene_clean(&s, &clean), SFT_OK);
        change[k] = leg_change(&s);
        scene_release(&s);
    }
    assert_true(change[1] < change[0]);
}

static void test_cleanup__planted_toes_ride_a_treadmill(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.treadmill = true;
    def.hip_edit = 0.04;
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    clean.ground_velocity = s.w.ground_velocity;
    assert_true(slide_max(&s, s.before, s.w.ground_velocity) > 0.01);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_int_equal(s.report.miss_count, 0);
    assert_true(slide_max(&s, s.w.clip, s.w.ground_velocity) < 1e-8);
    scene_release(&s);
}

static void test_cleanup__stairs_and_slopes_keep_their_heights(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.rise = 0.1;
    def.root_scale = 1.1;
    scene s = scene_create(&def);
    const sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_int_equal(s.report.miss_count, 0);
    for (int32_t l = 0; l < 2; ++l)
        for (int32_t i = 0; i < def.frames; ++i)
        {
            if (!planted(&s, l, i)) continue;
            const double before = toe_at(s.w.skeleton, s.before, s.legs + l, i).y;
            assert_true(fabs(toe_at(s.w.skeleton, s.w.clip, s.legs + l, i).y - before) < 1e-3);
        }
    scene_release(&s);
}

// The largest distance of a joint in the last frame from where it is in the first, both as seen from under the pelvis,
// which stays where the clip is in place.
static double seam_of(const scene* s, const sft_clip* clip)
{
    sft_xformd first[WALKER_JOINTS], last[WALKER_JOINTS];
    const size_t at = (size_t)(clip->frame_count - 1) * WALKER_JOINTS;
    sft_skeleton_forward(s->w.skeleton, clip->translations, clip->rotations, first);
    sft_skeleton_forward(s->w.skeleton, clip->translations + at, clip->rotations + at, last);
    const int32_t pelvis = s->legs[0].pelvis;
    double most = 0.0;
    for (int32_t j = 0; j < WALKER_JOINTS; ++j)
    {
        const double x = last[j].t.x - last[pelvis].t.x - first[j].t.x + first[pelvis].t.x;
        const double y = last[j].t.y - first[j].t.y;
        const double z = last[j].t.z - last[pelvis].t.z - first[j].t.z + first[pelvis].t.z;
        const double distance = sqrt(x * x + y * y + z * z);
        most = distance > most ? distance : most;
    }
    return most;
}

// A cycle that nobody said is one opens at its ends, and the report says by how much.
static void test_cleanup__opened_seams_are_told(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.fps = 60;
    walker probe;
    assert_int_equal(walker_create(&def, &probe), SFT_OK);
    def.frames = (int32_t)(probe.stride_time * def.fps + 0.5) + 1;
    walker_release(&probe);
    def.root_scale = 0.9;
    for (int loop = 0; loop < 2; ++loop)
    {
        scene s = scene_create(&def);
        sft_cleanup_def clean = scene_def(&s);
        clean.loop = loop == 1;
        clean.give_way = SFT_GIVE_WAY_LEGS;
        assert_int_equal(scene_clean(&s, &clean), SFT_OK);
        const double opened = seam_of(&s, s.w.clip) - seam_of(&s, s.before);
        if (loop == 0) assert_true(opened > 0.01);
        if (loop == 1) assert_true(fabs(opened) < 1e-6);
        assert_true(fabs(s.report.seam_opened - (loop == 0 ? opened : 0.0)) < 1e-9);
        scene_release(&s);
    }
    // One that is cut in mid-stride is none.
    def.frames -= 20;
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_true(s.report.seam_opened == 0.0);
    scene_release(&s);
}

// A walk of whole cycles, cut at two different phases: leg rotations must not know where the seam is.
static void test_cleanup__cycle_has_no_seam(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.fps = 60;
    walker probe;
    assert_int_equal(walker_create(&def, &probe), SFT_OK);
    const int32_t cycle = (int32_t)(probe.stride_time * def.fps + 0.5);
    walker_release(&probe);
    assert_true(fabs((double)cycle / def.fps - 2.0 * def.step_length / def.speed) < 1e-9);
    for (int closing = 0; closing < 2; ++closing)
    {
        sft_clip* cleaned[2];
        double travel[2];
        const int32_t cut = cycle / 5;
        for (int k = 0; k < 2; ++k)
        {
            walker_def d = def;
            d.frames = cycle + closing;
            d.root_scale = 0.9;
            d.start = k == 0 ? 0.0 : (double)cut / (double)cycle;
            scene s = scene_create(&d);
            sft_cleanup_def clean = scene_def(&s);
            clean.loop = true;
            clean.give_way = SFT_GIVE_WAY_LEGS;
            assert_int_equal(scene_clean(&s, &clean), SFT_OK);
            assert_int_equal(s.report.loop_closed, closing);
            assert_int_equal(s.report.miss_count, 0);
            assert_true(slide_max(&s, s.w.clip, sft_v3d_make(0, 0, 0)) < 1e-8);
            cleaned[k] = copy_clip(s.w.clip);
            const size_t last = (size_t)(d.frames - 1) * WALKER_JOINTS;
            travel[k] = sft_v3d_distance(s.w.clip->translations[last], s.w.clip->translations[0]);
            assert_true(fabs(travel[k] - sft_v3d_distance(s.before->translations[last], s.before->translations[0])) <
                        1e-12);
            scene_release(&s);
        }
        for (int32_t i = 0; i < cycle; ++i)
            for (int32_t j = 0; j < WALKER_JOINTS; ++j)
            {
                const size_t a = (size_t)((i + cut) % cycle) * WALKER_JOINTS + (size_t)j;
                const size_t b = (size_t)i * WALKER_JOINTS + (size_t)j;
                const double turn = turn_between(cleaned[0]->rotations[a], cleaned[1]->rotations[b]);
                if (turn > 1e-4) fail_msg("frame %d joint %d closing %d: %g rad", i, j, closing, turn);
            }
        if (closing)
            for (int32_t j = 0; j < WALKER_JOINTS; ++j)
                assert_true(turn_between(cleaned[0]->rotations[j],
                                         cleaned[0]->rotations[(size_t)cycle * WALKER_JOINTS + (size_t)j]) < 1e-6);
        sft_clip_destroy(cleaned[0], NULL);
        sft_clip_destroy(cleaned[1], NULL);
    }
}

static void test_cleanup__unreachable_frames_are_named_with_their_distance(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.root_scale = 3.0; // strides no leg can make while the root keeps its path
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    clean.give_way = SFT_GIVE_WAY_LEGS;
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_true(s.report.miss_count > 0);
    double worst = 0.0;
    for (int32_t k = 0; k < s.report.miss_count; ++k)
    {
        const sft_cleanup_miss* m = s.report.misses + k;
        assert_true(m->gave_up != 0);
        assert_true(m->frame >= 0 && m->frame < def.frames && m->foot >= 0 && m->foot < 2);
        assert_true(planted(&s, m->foot, m->frame) || planted(&s, m->foot, m->frame + 1));
        assert_true(m->distance > 0.0 && m->distance < 5.0);
        if (m->gave_up & SFT_GAVE_SLIDE) worst = sft_maxd(worst, m->distance);
    }
    assert_true(fabs(worst - s.report.residual_m) < 1e-12);
    const size_t count = (size_t)def.frames * WALKER_JOINTS;
    for (size_t k = 0; k < count; ++k)
        assert_true(fabs(sft_quatd_dot(s.w.clip->rotations[k], s.w.clip->rotations[k]) - 1.0) < 1e-9);
    scene_release(&s);
}

static void test_cleanup__stretch_reaches_what_legs_cannot(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.root_scale = 3.0;
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    clean.give_way = SFT_GIVE_WAY_LEGS;
    clean.allow_stretch = true;
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    int stretched = 0;
    for (int32_t k = 0; k < s.report.miss_count; ++k)
    {
        assert_false(s.report.misses[k].gave_up & SFT_GAVE_SLIDE);
        stretched += (s.report.misses[k].gave_up & SFT_GAVE_STRETCH) != 0;
    }
    assert_true(stretched > 0);
    assert_true(s.changed[s.legs[0].knee] == 3 && s.changed[s.legs[0].heel] == 3);
    assert_true(s.report.residual_m < 1e-9);
    // Frames whose neighbour is in the same plant and not given up stand.
    int standing = 0;
    for (int32_t k = 0; k + 1 < s.report.miss_count; ++k)
    {
        const sft_cleanup_miss* a = s.report.misses + k;
        const sft_cleanup_miss* b = a + 1;
        if (a->foot != b->foot || b->frame != a->frame + 1) continue;
        if (!(a->gave_up & b->gave_up & SFT_GAVE_STRETCH)) continue;
        const sft_v3d at = toe_at(s.w.skeleton, s.w.clip, s.legs + a->foot, a->frame);
        assert_true(sft_v3d_distance(at, toe_at(s.w.skeleton, s.w.clip, s.legs + a->foot, b->frame)) < 1e-9);
        ++standing;
    }
    assert_true(standing > 0);
    scene_release(&s);
}

static void test_cleanup__no_plants_and_no_legs_leave_the_clip_alone(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    scene s = scene_create(&def);
    const size_t count = (size_t)def.frames * WALKER_JOINTS;
    const sft_cleanup_def clean = scene_def(&s);
    memset(s.w.labels.plant, 0, 2 * (size_t)def.frames * sizeof(float));
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_int_equal(s.report.plant_count, 0);
    sft_contact_labels none = s.w.labels;
    none.foot_count = 0;
    assert_int_equal(sft_cleanup_clip(&clean, s.w.skeleton, NULL, 0, &none, NULL, s.w.clip, NULL, NULL), SFT_OK);
    assert_memory_equal(s.w.clip->rotations, s.before->rotations, count * sizeof(sft_quatd));
    assert_memory_equal(s.w.clip->translations, s.before->translations, count * sizeof(sft_v3d));
    scene_release(&s);
}

static void test_cleanup__clips_of_few_frames_and_all_planted(void** state)
{
    (void)state;
    for (int32_t frames = 1; frames <= 9; ++frames)
        for (int loop = 0; loop < 2; ++loop)
            for (int all = 0; all < 2; ++all)
            {
                walker_def def = walker_default_def();
                def.frames = frames;
                def.root_scale = 1.25;
                def.start = 0.35;
                scene s = scene_create(&def);
                for (int32_t k = 0; all && k < 2 * frames; ++k)
                    s.w.labels.plant[k] = 1.0f;
                sft_cleanup_def clean = scene_def(&s);
                clean.loop = loop != 0;
                assert_int_equal(scene_clean(&s, &clean), SFT_OK);
                if (!loop) assert_true(slide_max(&s, s.w.clip, sft_v3d_make(0, 0, 0)) < 1e-6);
                scene_release(&s);
            }
}

static void test_cleanup__refuses_what_it_cannot_read(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.root_scale = 1.25;
    scene s = scene_create(&def);
    const sft_cleanup_def good = scene_def(&s);
    sft_cleanup_def bad = good;
    bad.cookie = 0;
    assert_int_equal(scene_clean(&s, &bad), SFT_ERR_DEF);
    bad = good;
    bad.contact_threshold = -1.0;
    assert_int_equal(scene_clean(&s, &bad), SFT_ERR_DEF);
    bad = good;
    bad.travel_joint = WALKER_JOINTS;
    assert_int_equal(scene_clean(&s, &bad), SFT_ERR_ARG);
    assert_int_equal(sft_cleanup_clip(&good, s.w.skeleton, s.legs, 1, &s.w.labels, NULL, s.w.clip, NULL, NULL),
                     SFT_ERR_ARG);
    sft_leg upside = s.legs[0];
    upside.knee = upside.toe;
    assert_int_equal(sft_cleanup_clip(&good, s.w.skeleton, (sft_leg[]){upside, s.legs[1]}, 2, &s.w.labels, NULL,
                                      s.w.clip, NULL, NULL),
                     SFT_ERR_ARG);
    const double kept = s.w.clip->translations[30].x;
    s.w.clip->translations[30].x = (double)NAN;
    assert_int_equal(scene_clean(&s, &good), SFT_ERR_RANGE);
    s.w.clip->translations[30].x = kept;
    const size_t count = (size_t)def.frames * WALKER_JOINTS;
    assert_memory_equal(s.w.clip->rotations, s.before->rotations, count * sizeof(sft_quatd));
    scene_release(&s);
}

static void test_cleanup__every_failing_allocation_leaves_the_clip_untouched(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.frames = 90;
    def.root_scale = 4.0; // misses, so that the report allocates too
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    clean.give_way = SFT_GIVE_WAY_LEGS;
    const size_t count = (size_t)def.frames * WALKER_JOINTS;
    for (int method = 0; method < 2; ++method)
    {
        clean.method = (sft_cleanup_method)method;
        clean.relax_sweeps = 10;
        for (long at = 0;; ++at)
        {
            support_heap heap = {0};
            heap.fail_at = at;
            const sft_allocator allocator = support_allocator(&heap);
            sft_clip* clip = copy_clip(s.before);
            sft_cleanup_report report;
            memset(&report, 0x5a, sizeof report);
            const sft_result r =
                sft_cleanup_clip(&clean, s.w.skeleton, s.legs, 2, &s.w.labels, &allocator, clip, NULL, &report);
            if (r == SFT_OK)
            {
                sft_cleanup_report_release(&report, &allocator);
                assert_true(at > 5);
            }
            else
            {
                assert_int_equal(r, SFT_ERR_MEMORY);
                assert_memory_equal(clip->rotations, s.before->rotations, count * sizeof(sft_quatd));
                assert_memory_equal(clip->translations, s.before->translations, count * sizeof(sft_v3d));
            }
            sft_clip_destroy(clip, NULL);
            assert_int_equal(heap.live_blocks, 0);
            if (r == SFT_OK) break;
        }
    }
    scene_release(&s);
}

static void test_cleanup__memory_is_linear_in_frames(void** state)
{
    (void)state;
    size_t peak[2];
    for (int k = 0; k < 2; ++k)
    {
        walker_def def = walker_default_def();
        def.frames = k == 0 ? 500 : 5000;
        def.root_scale = 1.25;
        scene s = scene_create(&def);
        const sft_cleanup_def clean = scene_def(&s);
        support_heap heap = {0};
        heap.fail_at = -1;
        const sft_allocator allocator = support_allocator(&heap);
        assert_int_equal(
            sft_cleanup_clip(&clean, s.w.skeleton, s.legs, 2, &s.w.labels, &allocator, s.w.clip, NULL, NULL), SFT_OK);
        peak[k] = heap.peak_bytes;
        scene_release(&s);
    }
    assert_true(peak[1] < 11 * peak[0]);
}

// Article 000's relaxation takes out most of the slide on the particles; what is left is its own.
// However far the root has got from where it was: a pull back to the source would lean the legs of a long clip.
static void test_cleanup__long_clips_take_no_more_steps(void** state)
{
    (void)state;
    int32_t steps[2];
    for (int k = 0; k < 2; ++k)
    {
        walker_def def = walker_default_def();
        def.frames = k == 0 ? 500 : 20000;
        def.root_scale = 0.75;
        scene s = scene_create(&def);
        const sft_cleanup_def cleanup = scene_def(&s);
        assert_int_equal(scene_clean(&s, &cleanup), SFT_OK);
        assert_true(s.report.converged);
        steps[k] = s.report.iterations;
        scene_release(&s);
    }
    assert_int_equal(steps[0], steps[1]);
}

static void test_cleanup__relaxation_takes_out_most_of_the_slide(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.frames = 150;
    def.root_scale = 1.25;
    scene s = scene_create(&def);
    sft_cleanup_def clean = scene_def(&s);
    assert_int_equal(clean.relax_sweeps, 25000);
    assert_true(clean.relax_soft == 0.05 && clean.relax_hard == 0.9);
    clean.method = SFT_CLEANUP_RELAX;
    assert_int_equal(scene_clean(&s, &clean), SFT_OK);
    assert_int_equal(s.report.iterations, 25000);
    const double before = slide_max(&s, s.before, sft_v3d_make(0, 0, 0));
    const double after = slide_max(&s, s.w.clip, sft_v3d_make(0, 0, 0));
    assert_true(after < 0.5 * before);
    scene_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cleanup__planted_toes_stand_still),
        cmocka_unit_test(test_cleanup__early_labels_do_not_lift_the_plant),
        cmocka_unit_test(test_cleanup__slide_from_edited_hips_and_noise_goes_too),
        cmocka_unit_test(test_cleanup__joints_accelerate_hardly_more_than_before),
        cmocka_unit_test(test_cleanup__scaled_root_is_recovered),
        cmocka_unit_test(test_cleanup__touches_only_leg_rotations_and_travel),
        cmocka_unit_test(test_cleanup__second_cleaning_changes_nothing),
        cmocka_unit_test(test_cleanup__legs_give_way_keeps_the_root_number_for_number),
        cmocka_unit_test(test_cleanup__root_gives_way_more_than_both),
        cmocka_unit_test(test_cleanup__planted_toes_ride_a_treadmill),
        cmocka_unit_test(test_cleanup__stairs_and_slopes_keep_their_heights),
        cmocka_unit_test(test_cleanup__cycle_has_no_seam),
        cmocka_unit_test(test_cleanup__opened_seams_are_told),
        cmocka_unit_test(test_cleanup__unreachable_frames_are_named_with_their_distance),
        cmocka_unit_test(test_cleanup__stretch_reaches_what_legs_cannot),
        cmocka_unit_test(test_cleanup__no_plants_and_no_legs_leave_the_clip_alone),
        cmocka_unit_test(test_cleanup__clips_of_few_frames_and_all_planted),
        cmocka_unit_test(test_cleanup__refuses_what_it_cannot_read),
        cmocka_unit_test(test_cleanup__every_failing_allocation_leaves_the_clip_untouched),
        cmocka_unit_test(test_cleanup__memory_is_linear_in_frames),
        cmocka_unit_test(test_cleanup__long_clips_take_no_more_steps),
        cmocka_unit_test(test_cleanup__relaxation_takes_out_most_of_the_slide),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
