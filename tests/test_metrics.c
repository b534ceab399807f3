// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/support.h"

#include "metrics/metrics_internal.h"

#define FRAMES 240
#define DT (1.0 / 60.0)

// One or two feet of still points, to be changed by each test.
typedef struct scene
{
    sft_v3d pelvis[FRAMES], heel[2][FRAMES], toe[2][FRAMES], toe_end[2][FRAMES], hip[2][FRAMES], knee[2][FRAMES];
    sft_quatd rotation[8][FRAMES];
    float plant[2 * FRAMES], touch[2 * FRAMES];
    sft_foot_tracks feet[2];
    const sft_v3d *hips[2], *knees[2];
    const sft_quatd* rotations[8];
    sft_contact_input tracks;
    sft_contact_labels labels;
    sft_metrics_input input;
} scene;

static scene* new_scene(int32_t frames, double dt, int32_t feet)
{
    scene* s = calloc(1, sizeof *s);
    assert_non_null(s);
    for (int f = 0; f < 2; ++f)
    {
        for (int i = 0; i < FRAMES; ++i)
        {
            s->pelvis[i] = sft_v3d_make(0, 0.9, 0);
            s->hip[f][i] = sft_v3d_make(0.1 * f, 0.9, 0);
            s->knee[f][i] = sft_v3d_make(0.1 * f, 0.5, 0.02);
            s->heel[f][i] = sft_v3d_make(0.1 * f, 0.08, 0);
            s->toe[f][i] = sft_v3d_make(0.1 * f, 0.02, 0.15);
            s->toe_end[f][i] = sft_v3d_make(0.1 * f, 0.01, 0.2);
        }
        s->feet[f] = (sft_foot_tracks){s->heel[f], s->toe[f], s->toe_end[f]};
        s->hips[f] = s->hip[f];
        s->knees[f] = s->knee[f];
    }
    for (int j = 0; j < 8; ++j)
    {
        for (int i = 0; i < FRAMES; ++i)
            s->rotation[j][i] = sft_quatd_identity();
        s->rotations[j] = s->rotation[j];
    }
    s->tracks = (sft_contact_input){frames, dt, 0, s->pelvis, s->feet, feet, 0.9, NULL};
    s->labels = (sft_contact_labels){frames, feet, s->plant, s->touch};
    s->input = (sft_metrics_input){&s->tracks, &s->labels, 0.75, 0.0, {0, 0, 0}, s->hips, s->knees, s->rotations, NULL};
    return s;
}

static void label(scene* s, int foot, int32_t begin, int32_t end)
{
    for (int32_t i = begin; i < end; ++i)
        s->plant[foot * s->tracks.frame_count + i] = s->touch[foot * s->tracks.frame_count + i] = 1.0f;
}

static void measure(const scene* s, sft_metrics_foot* feet, sft_metrics_clip* clip)
{
    assert_int_equal(sft_metrics_measure(&s->input, NULL, feet, clip), SFT_OK);
}

static void near(double a, double b, double tolerance)
{
    if (!(fabs(a - b) <= tolerance)) fail_msg("%.17g is not %.17g to %g", a, b, tolerance);
}

static void test_metrics__a_still_clip_has_no_faults(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 2);
    label(s, 0, 0, FRAMES);
    label(s, 1, 20, 60);
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    measure(s, feet, &clip);
    assert_int_equal(feet[0].planted_frames, FRAMES);
    assert_int_equal(feet[1].planted_frames, 40);
    assert_int_equal(feet[1].touch_frames, 40);
    assert_int_equal(feet[1].plant_count, 1);
    for (int f = 0; f < 2; ++f)
    {
        assert_true(feet[f].slide_mean_cm_s == 0.0 && feet[f].slide_max_cm_s == 0.0 && feet[f].slide_total_cm == 0.0);
        assert_true(feet[f].penetration_max_cm == 0.0 && feet[f].penetration_mean_cm == 0.0);
        assert_true(feet[f].float_max_cm == 0.0 && feet[f].leg_change_max_cm == 0.0);
        assert_true(feet[f].pop_max_rad_s2 == 0.0 && feet[f].pop_count == 0);
        assert_int_equal(feet[f].pop_frame, -1);
        assert_int_equal(feet[f].penetration_max_frame, -1);
    }
    near(clip.pelvis_height_mean, 0.9, 1e-12);
    assert_true(clip.pelvis_accel_max == 0.0 && clip.pop_count == 0 && clip.pop_foot == -1);
    assert_true(clip.published.gmd_skating_ratio == 0.0 && clip.published.edge_pfc == 0.0);
    free(s);
}

static void test_metrics__slide_is_the_planted_toes_speed(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 2);
    // 3 cm/s along X throughout, planted over frames 10 to 29: 19 steps. One step of 6 cm/s between frames 19 and 20.
    for (int i = 0; i < FRAMES; ++i)
        s->toe[0][i].x = 0.03 * DT * (i + (i >= 20));
    label(s, 0, 10, 30);
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    measure(s, feet, &clip);
    near(feet[0].slide_mean_cm_s, 3.0 * 20.0 / 19.0, 1e-9);
    near(feet[0].slide_max_cm_s, 6.0, 1e-9);
    assert_int_equal(feet[0].slide_max_frame, 20);
    near(feet[0].slide_total_cm, 3.0 * DT * 20.0, 1e-9);
    near(clip.slide_mean_cm_s, feet[0].slide_mean_cm_s, 1e-9);
    assert_int_equal(clip.slide_max_foot, 0);
    assert_int_equal(clip.slide_max_frame, 20);
    // The heel stands still, so the foot turns on it and touch does not slide.
    assert_true(feet[0].touch_slide_mean_cm_s == 0.0);
    // Nothing of the other foot is planted.
    assert_int_equal(feet[1].slide_max_frame, -1);

    // Over ground that moves along, only the odd step is left.
    s->input.ground_velocity = sft_v3d_make(0.03, 0, 0);
    measure(s, feet, &clip);
    near(feet[0].slide_mean_cm_s, 3.0 / 19.0, 1e-9);
    near(feet[0].slide_max_cm_s, 3.0, 1e-9);

    // A gap between two plants is no slide; 3-D counts.
    for (int i = 0; i < FRAMES; ++i)
        s->toe[0][i] = sft_v3d_make(i >= 20 ? 1.0 : 0.0, i >= 25 ? 0.02 + 0.05 * DT : 0.02, 0.15);
    s->plant[19] = 0.75f;
    s->input.ground_velocity = sft_v3d_make(0, 0, 0);
    measure(s, feet, &clip);
    assert_int_equal(feet[0].plant_count, 2);
    near(feet[0].slide_max_cm_s, 5.0, 1e-9);
    assert_int_equal(feet[0].slide_max_frame, 25);
    free(s);
}

static void test_metrics__depth_is_below_the_foots_own_support(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 1);
    label(s, 0, 20, 80);
    label(s, 0, 120, 180);
    // The heel dips by 1.5 cm once in a plant, the toe end by 0.7 cm once in the swing.
    s->heel[0][50].y -= 0.015;
    s->toe_end[0][100].y -= 0.007;
    sft_metrics_foot foot;
    sft_metrics_clip clip;
    label(s, 0, 200, 240);
    label(s, 0, 0, 10);
    measure(s, &foot, &clip);
    near(foot.penetration_max_cm, 1.5, 1e-9);
    assert_int_equal(foot.penetration_max_frame, 50);
    near(foot.penetration_mean_cm, (1.5 + 0.7) / FRAMES, 1e-9);
    assert_int_equal(clip.penetration_max_foot, 0);
    assert_int_equal(clip.penetration_max_frame, 50);
    // Up from the heel at frame 50 no more: the toe end is left.
    s->heel[0][50].y += 0.015;
    measure(s, &foot, &clip);
    near(foot.penetration_max_cm, 0.7, 1e-9);
    assert_int_equal(foot.penetration_max_frame, 100);
    assert_true(foot.float_max_cm == 0.0);
    s->toe[0][60].y += 0.004;
    measure(s, &foot, &clip);
    near(foot.float_max_cm, 0.4, 1e-9);
    assert_int_equal(foot.float_max_frame, 60);
    free(s);
}

static void test_metrics__locking_a_toe_at_its_usual_height_is_not_deeper(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 1);
    label(s, 0, 20, 81);
    label(s, 0, 0, 10);
    label(s, 0, 120, 180);
    label(s, 0, 200, 240);
    // The toe wavers by 3 mm about 2 cm while planted; the heel dips by 5 mm once. Then the toe is locked at 2 cm: the
    // heel is as deep as it was, and the toe no more.
    for (int i = 20; i < 81; ++i)
        s->toe[0][i].y = 0.02 + (i % 3 - 1) * 0.003;
    s->heel[0][50].y -= 0.005;
    sft_metrics_foot before, after;
    sft_metrics_clip clip;
    measure(s, &before, &clip);
    for (int i = 20; i < 81; ++i)
        s->toe[0][i].y = 0.02;
    measure(s, &after, &clip);
    near(before.penetration_max_cm, 0.5, 1e-9);
    near(after.penetration_max_cm, 0.5, 1e-9);
    free(s);
}

static void test_metrics__steps_and_slopes_are_no_fault(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 1);
    // Stairs: four plants of 30 frames, 0.17 m apart; in between the foot swings over the next edge.
    for (int i = 0; i < FRAMES; ++i)
    {
        const int step = i / 60;
        const double level = 0.17 * (i % 60 < 30 ? step : step + 1) + (i % 60 < 30 ? 0.0 : 0.05);
        s->heel[0][i].y = 0.08 + level;
        s->toe[0][i].y = 0.02 + level;
        s->toe_end[0][i].y = 0.01 + level;
        s->plant[i] = s->touch[i] = i % 60 < 30 ? 1.0f : 0.0f;
    }
    sft_metrics_foot foot;
    sft_metrics_clip clip;
    measure(s, &foot, &clip);
    assert_int_equal(foot.plant_count, 4);
    near(foot.penetration_max_cm, 0.0, 1e-9);
    near(foot.float_max_cm, 0.0, 1e-9);
    near(foot.support_range_cm, 51.0, 1e-9);
    // The same stairs down.
    for (int i = 0; i < FRAMES / 2; ++i)
    {
        sft_v3d* tracks[3] = {s->heel[0], s->toe[0], s->toe_end[0]};
        for (int p = 0; p < 3; ++p)
        {
            const sft_v3d swap = tracks[p][i];
            tracks[p][i] = tracks[p][FRAMES - 1 - i];
            tracks[p][FRAMES - 1 - i] = swap;
        }
        const float swap = s->plant[i];
        s->plant[i] = s->plant[FRAMES - 1 - i];
        s->plant[FRAMES - 1 - i] = swap;
    }
    measure(s, &foot, &clip);
    near(foot.penetration_max_cm, 0.0, 1e-9);
    near(foot.support_range_cm, 51.0, 1e-9);
    free(s);
}

static void test_metrics__without_plants_the_lowest_twentieth_is_the_floor(void** state)
{
    (void)state;
    scene* s = new_scene(201, DT, 1);
    // Heights 0, 1, ... 200 mm, shuffled by a stride: the 5th percentile is 10 mm.
    for (int i = 0; i < 201; ++i)
        s->toe[0][i].y = 0.001 * (i * 7 % 201);
    sft_metrics_foot foot;
    sft_metrics_clip clip;
    measure(s, &foot, &clip);
    near(foot.penetration_max_cm, 1.0, 1e-9);
    assert_int_equal(foot.planted_frames, 0);
    free(s);
}

static void test_metrics__quantiles_are_numpys(void** state)
{
    (void)state;
    // numpy.percentile([3, 1, 4, 1, 5, 9, 2, 6], (0, 10, 50, 90, 99.9, 100))
    const double q[6] = {0.0, 0.1, 0.5, 0.9, 0.999, 1.0}, wanted[6] = {1.0, 1.0, 3.5, 6.9, 8.979, 9.0};
    for (int k = 0; k < 6; ++k)
    {
        double values[8] = {3, 1, 4, 1, 5, 9, 2, 6};
        near(metrics_quantile(values, 8, q[k]), wanted[k], 1e-12);
    }
    double one[1] = {7};
    near(metrics_quantile(one, 1, 0.999), 7.0, 0.0);
    near(metrics_quantile(one, 0, 0.5), 0.0, 0.0);
}

static void test_metrics__leg_lengths(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 1);
    s->knee[0][77] = sft_v3d_make(0.0, 0.9 - sqrt(0.4 * 0.4 + 0.02 * 0.02) - 0.003, 0.0);
    sft_metrics_foot foot;
    sft_metrics_clip clip;
    measure(s, &foot, &clip);
    const double shin = sqrt(0.42 * 0.42 + 0.02 * 0.02);
    const double changed = s->knee[0][77].y - 0.08;
    near(foot.leg_change_max_cm, 100.0 * sft_maxd(0.003, fabs(shin - changed)), 1e-9);
    s->input.knees = NULL;
    measure(s, &foot, &clip);
    near(foot.leg_change_max_cm, 0.0, 1e-12);
    free(s);
}

static void spin(scene* s, int joint, double (*angle)(int))
{
    for (int i = 0; i < FRAMES; ++i)
        s->rotation[joint][i] = sft_quatd_exp(sft_v3d_make(angle(i), 0, 0));
}

static double steady(int i)
{
    return 0.01 * i;
}

// Half of 20 rad/s^2 times t^2.
static double quadratic(int i)
{
    return 10.0 * (i * DT) * (i * DT);
}

static double jump_at_113(int i)
{
    return 0.002 * i + (i >= 113 ? 0.1 : 0.0);
}

static double spike_at_113(int i)
{
    return 0.002 * i + (i == 113 ? 0.1 : 0.0);
}

static void test_metrics__pops_are_angular_acceleration(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 1);
    sft_metrics_foot foot;
    sft_metrics_clip clip;
    spin(s, SFT_METRICS_KNEE, steady);
    measure(s, &foot, &clip);
    near(foot.pop_max_rad_s2, 0.0, 1e-8);

    spin(s, SFT_METRICS_KNEE, quadratic);
    measure(s, &foot, &clip);
    near(foot.pop_max_rad_s2, 20.0, 1e-6);
    near(foot.pop_p999_rad_s2, 20.0, 1e-6);
    assert_int_equal(foot.pop_max_joint, SFT_METRICS_KNEE);
    assert_int_equal(foot.pop_count, 0);

    // 0.1 rad from one frame to the next is 360 rad/s^2 at 60 Hz, in and out again.
    spin(s, SFT_METRICS_KNEE, jump_at_113);
    measure(s, &foot, &clip);
    near(foot.pop_max_rad_s2, 360.0, 1e-6);
    assert_int_equal(foot.pop_count, 1);
    near(foot.pop_over_its_limit, 360.0 / 150.0, 1e-6);
    assert_int_equal(foot.pop_joint, SFT_METRICS_KNEE);
    assert_true(foot.pop_frame == 112 || foot.pop_frame == 113);
    assert_int_equal(clip.pop_count, 1);
    assert_int_equal(clip.pop_foot, 0);

    // A single frame out of line turns there and back: twice as much, in its middle.
    spin(s, SFT_METRICS_KNEE, spike_at_113);
    measure(s, &foot, &clip);
    near(foot.pop_max_rad_s2, 720.0, 1e-6);
    assert_int_equal(foot.pop_frame, 113);
    assert_int_equal(foot.pop_max_frame, 113);
    assert_int_equal(foot.pop_count, 1);
    s->input.pop_limit = 800.0;
    measure(s, &foot, &clip);
    assert_int_equal(foot.pop_count, 0);
    assert_int_equal(foot.pop_frame, -1);
    // A quaternion of the other sign is the same rotation.
    for (int i = 0; i < FRAMES; i += 2)
    {
        sft_quatd* q = &s->rotation[SFT_METRICS_KNEE][i];
        *q = (sft_quatd){-q->x, -q->y, -q->z, -q->w};
    }
    measure(s, &foot, &clip);
    near(foot.pop_max_rad_s2, 720.0, 1e-6);
    s->input.rotations = NULL;
    measure(s, &foot, &clip);
    assert_true(foot.pop_max_rad_s2 == 0.0 && foot.pop_max_frame == -1);
    free(s);
}

static void test_metrics__pelvis(void** state)
{
    (void)state;
    scene* s = new_scene(101, DT, 0);
    for (int i = 0; i < 101; ++i)
        s->pelvis[i] = sft_v3d_make(0, 1.0 + 0.5 * 3.0 * (i * DT) * (i * DT), 0);
    s->pelvis[50].y += 0.01;
    sft_metrics_clip clip;
    measure(s, NULL, &clip);
    near(clip.pelvis_accel_max, 2.0 * 0.01 * 3600.0 - 3.0, 1e-6);
    assert_int_equal(clip.pelvis_accel_max_frame, 50);
    double mean = 0.0;
    for (int i = 0; i < 101; ++i)
        mean += s->pelvis[i].y / 101.0;
    near(clip.pelvis_height_mean, mean, 1e-12);
    assert_true(isnan(clip.published.gmd_skating_ratio) && isnan(clip.published.lafan_contact_ratio));
    free(s);
}

static void test_metrics__gmd_and_kimodo_by_hand(void** state)
{
    (void)state;
    scene* s = new_scene(21, 1.0 / 20.0, 2);
    // One toe skates at 0.6 m/s on the floor, the other hangs high and still. 20 steps; the mean over five is too low
    // in the two steps at either end, where the window reaches out of the clip.
    for (int i = 0; i < 21; ++i)
    {
        s->toe[0][i] = sft_v3d_make(0.6 * i / 20.0, 0.0, 0.0);
        s->toe[1][i].y = 1.0;
        s->heel[1][i].y = s->toe_end[1][i].y = 1.0;
    }
    for (int i = 0; i < 21; ++i)
        s->toe_end[0][i].y = 0.0;
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    measure(s, feet, &clip);
    near(clip.published.gmd_skating_ratio, 16.0 / 20.0, 1e-12);
    // 0.6 m/s up from 0.049 m: the height test wants both ends low, so the last low step does not count.
    for (int i = 0; i < 21; ++i)
        s->toe[0][i].y = i < 10 ? 0.0 : 0.051;
    measure(s, feet, &clip);
    near(clip.published.gmd_skating_ratio, 7.0 / 20.0, 1e-12);
    free(s);

    s = new_scene(31, 1.0 / 30.0, 2);
    for (int i = 0; i < 31; ++i)
    {
        // 0.3 m/s for ten steps, then 0.1 m/s, always low; the other toe high.
        s->toe[0][i] = sft_v3d_make(i <= 10 ? 0.3 * i / 30.0 : 0.1 + 0.1 * (i - 10) / 30.0, 0.01, 0.0);
        s->toe[1][i].y = s->heel[1][i].y = s->toe_end[1][i].y = 1.0;
        s->toe_end[0][i].y = 0.0;
    }
    measure(s, feet, &clip);
    near(clip.published.kimodo_skate_ratio, 10.0 / 30.0, 1e-7);
    near(clip.published.kimodo_toe_speed, (10 * 0.3 + 20 * 0.1) / 30.0, 1e-7);
    // d (2 - 2^(h/H)): h = 0.01 m; 0.01 m a frame, then 0.01/3 m a frame; over 31 frames, in millimetres.
    const double weight = 2.0 - pow(2.0, 0.01 / 0.05);
    near(clip.published.height_weighted_slide, 1000.0 * weight * (10 * 0.01 + 20 * 0.01 / 3.0) / 31.0, 1e-9);
    for (int i = 0; i < 31; ++i)
        s->pelvis[i].y = 0.6;
    measure(s, feet, &clip);
    assert_true(clip.published.height_weighted_slide == 0.0);
    free(s);
}

static void test_metrics__edge_pfc_by_hand(void** state)
{
    (void)state;
    scene* s = new_scene(4, 1.0 / 30.0, 2);
    // Root accelerations 1 and 2, in units of their largest a half and one; foot steps 1 to 2 and 2 to 3.
    const double root[4] = {0, 0, 1, 4};
    const double heel[2][4] = {{0, 5, 5.1, 5.3}, {0, 7, 7.2, 7.4}};
    const double toe[2][4] = {{0, 2, 2.3, 2.4}, {0, 9, 9.1, 9.5}};
    for (int i = 0; i < 4; ++i)
    {
        s->pelvis[i].x = root[i];
        for (int f = 0; f < 2; ++f)
        {
            s->heel[f][i].z = heel[f][i];
            s->toe[f][i].z = toe[f][i];
            // Height does not count.
            s->toe[f][i].y = 0.1 * i;
        }
    }
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    measure(s, feet, &clip);
    near(clip.published.edge_pfc, 10000.0 * (0.5 * 0.1 * 0.1 + 1.0 * 0.1 * 0.2) / 2.0, 1e-9);
    // Falling is free.
    for (int i = 0; i < 4; ++i)
        s->pelvis[i] = sft_v3d_make(0, 1.0 - 0.1 * i * i, 0);
    measure(s, feet, &clip);
    assert_true(clip.published.edge_pfc == 0.0);
    s->feet[1].heel = NULL;
    measure(s, feet, &clip);
    assert_true(isnan(clip.published.edge_pfc));
    free(s);
}

static void test_metrics__contact_rules_of_datasets(void** state)
{
    (void)state;
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    // LaFAN1: 0.02 cm^2 a frame is 0.14142 cm. Of four points, one just below, one just above, two still.
    scene* s = new_scene(31, 1.0 / 30.0, 2);
    for (int i = 0; i < 31; ++i)
    {
        s->toe[0][i].x = 0.0014142 * i;
        s->toe[1][i].x = 0.0014143 * i;
    }
    measure(s, feet, &clip);
    near(clip.published.lafan_contact_ratio, 3.0 / 4.0, 1e-12);
    free(s);
    // HumanML3D: 0.002 m^2 a frame at 20 Hz is 4.472 cm.
    s = new_scene(21, 1.0 / 20.0, 2);
    for (int i = 0; i < 21; ++i)
    {
        s->toe[0][i].x = 0.04472 * i;
        s->toe[1][i].x = 0.04473 * i;
    }
    measure(s, feet, &clip);
    near(clip.published.humanml_contact_ratio, 3.0 / 4.0, 1e-12);
    free(s);
}

static void test_metrics__published_figures_do_not_depend_on_the_frame_rate(void** state)
{
    (void)state;
    const double rates[4] = {15.0, 30.0, 60.0, 120.0};
    double first[4] = {0};
    for (int k = 0; k < 4; ++k)
    {
        // Two seconds; smooth enough for cubic interpolation.
        scene* s = new_scene((int32_t)(2.0 * rates[k]) + 0 < FRAMES ? (int32_t)(2.0 * rates[k]) + 1 : FRAMES,
                             1.0 / rates[k], 2);
        for (int i = 0; i < s->tracks.frame_count; ++i)
        {
            const double t = i / rates[k];
            for (int f = 0; f < 2; ++f)
            {
                s->toe[f][i] = sft_v3d_make(0.8 * t, 0.06 + 0.06 * sin(3.1415926 * t + f), 0.1 * sin(5.0 * t));
                s->heel[f][i] = sft_v3d_make(0.8 * t, 0.1, 0.2 * sin(5.0 * t));
            }
            s->pelvis[i] = sft_v3d_make(0.8 * t, 0.9, 0.05 * sin(2.0 * t));
            s->toe_end[0][i].y = 0.0;
        }
        sft_metrics_foot feet[2];
        sft_metrics_clip clip;
        measure(s, feet, &clip);
        const double now[4] = {clip.published.gmd_skating_ratio, clip.published.kimodo_skate_ratio,
                               clip.published.kimodo_toe_speed, clip.published.height_weighted_slide};
        for (int m = 0; m < 4; ++m)
        {
            if (k == 0) first[m] = now[m];
            near(now[m] / first[m], 1.0, 0.06);
        }
        free(s);
    }
}

static void test_metrics__reference_frames_are_never_looked_at(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 2);
    label(s, 0, 0, FRAMES);
    sft_metrics_foot feet[2], plain[2];
    sft_metrics_clip clip;
    s->tracks.first_frame = 1;
    measure(s, plain, &clip);
    s->toe[0][0] = sft_v3d_make(NAN, NAN, NAN);
    s->pelvis[0].y = 1e300;
    s->rotation[1][0] = (sft_quatd){0, 0, 0, 0};
    measure(s, feet, &clip);
    assert_memory_equal(feet, plain, sizeof feet);
    near(clip.pelvis_height_mean, 0.9, 1e-12);
    assert_int_equal(feet[0].planted_frames, FRAMES - 1);
    free(s);
}

static void expect(scene* s, sft_result wanted)
{
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    memset(feet, 0x5A, sizeof feet);
    memset(&clip, 0x5A, sizeof clip);
    unsigned char before[sizeof feet + sizeof clip];
    memset(before, 0x5A, sizeof before);
    assert_int_equal(sft_metrics_measure(&s->input, NULL, feet, &clip), wanted);
    assert_memory_equal(feet, before, sizeof feet);
    assert_memory_equal(&clip, before, sizeof clip);
}

static void test_metrics__refuses_bad_input_and_leaves_outputs_alone(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 2);
    const sft_metrics_input good = s->input;
    const sft_contact_input tracks = s->tracks;
    s->input.tracks = NULL;
    expect(s, SFT_ERR_ARG);
    s->input = good;
    s->labels.frame_count = FRAMES - 1;
    expect(s, SFT_ERR_ARG);
    s->labels.frame_count = FRAMES;
    s->tracks.first_frame = FRAMES;
    expect(s, SFT_ERR_ARG);
    s->tracks = tracks;
    s->tracks.frame_time = NAN;
    expect(s, SFT_ERR_RANGE);
    s->tracks = tracks;
    s->input.contact_threshold = NAN;
    expect(s, SFT_ERR_RANGE);
    s->input = good;
    s->toe_end[1][FRAMES - 1].z = NAN;
    expect(s, SFT_ERR_RANGE);
    s->toe_end[1][FRAMES - 1].z = 0.0;
    s->plant[3] = NAN;
    expect(s, SFT_ERR_RANGE);
    s->plant[3] = 0.0f;
    s->rotation[7][5] = (sft_quatd){0, 0, 0, 0};
    expect(s, SFT_ERR_RANGE);
    s->rotation[7][5] = sft_quatd_identity();
    s->feet[0].toe = NULL;
    expect(s, SFT_ERR_ARG);
    free(s);
}

static void test_metrics__reports_exhausted_memory_at_every_allocation(void** state)
{
    (void)state;
    scene* s = new_scene(FRAMES, DT, 2);
    for (long fail = 0;; ++fail)
    {
        support_heap heap = {.fail_at = fail};
        const sft_allocator allocator = support_allocator(&heap);
        sft_metrics_foot feet[2];
        sft_metrics_clip clip;
        const sft_result result = sft_metrics_measure(&s->input, &allocator, feet, &clip);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_true(fail < 10);
    }
    // One frame, and a frame time of a day, are answers too.
    s->tracks.frame_count = s->labels.frame_count = 1;
    sft_metrics_foot feet[2];
    sft_metrics_clip clip;
    measure(s, feet, &clip);
    assert_true(isnan(clip.published.gmd_skating_ratio));
    s->tracks.frame_count = s->labels.frame_count = FRAMES;
    s->tracks.frame_time = 86400.0;
    measure(s, feet, &clip);
    assert_true(isnan(clip.published.kimodo_skate_ratio));
    s->tracks.frame_time = 1e-9;
    measure(s, feet, &clip);
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_metrics__a_still_clip_has_no_faults),
        cmocka_unit_test(test_metrics__slide_is_the_planted_toes_speed),
        cmocka_unit_test(test_metrics__depth_is_below_the_foots_own_support),
        cmocka_unit_test(test_metrics__locking_a_toe_at_its_usual_height_is_not_deeper),
        cmocka_unit_test(test_metrics__steps_and_slopes_are_no_fault),
        cmocka_unit_test(test_metrics__without_plants_the_lowest_twentieth_is_the_floor),
        cmocka_unit_test(test_metrics__quantiles_are_numpys),
        cmocka_unit_test(test_metrics__leg_lengths),
        cmocka_unit_test(test_metrics__pops_are_angular_acceleration),
        cmocka_unit_test(test_metrics__pelvis),
        cmocka_unit_test(test_metrics__gmd_and_kimodo_by_hand),
        cmocka_unit_test(test_metrics__edge_pfc_by_hand),
        cmocka_unit_test(test_metrics__contact_rules_of_datasets),
        cmocka_unit_test(test_metrics__published_figures_do_not_depend_on_the_frame_rate),
        cmocka_unit_test(test_metrics__reference_frames_are_never_looked_at),
        cmocka_unit_test(test_metrics__refuses_bad_input_and_leaves_outputs_alone),
        cmocka_unit_test(test_metrics__reports_exhausted_memory_at_every_allocation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
