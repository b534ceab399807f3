// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Channels to transforms and back, against plain matrices built from the raw numbers by libm.

#include <math.h>

#include "support/support.h"

#include "bvh/bvh.h"

static const char* const axis_names[3] = {"Xrotation", "Yrotation", "Zrotation"};

// All twelve orders of three axes whose neighbours differ.
static const uint8_t orders[12][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0},
                                      {0, 1, 0}, {0, 2, 0}, {1, 0, 1}, {1, 2, 1}, {2, 0, 2}, {2, 1, 2}};

static sft_bvh* read_text(const char* text)
{
    sft_bvh* bvh = NULL;
    sft_error error;
    if (sft_bvh_read(NULL, text, strlen(text), NULL, &bvh, &error) != SFT_OK)
        fail_msg("line %u: %s", error.line, error.message);
    return bvh;
}

// ---- an independent forward kinematics: 3x3 matrices, libm, straight from the columns ----

typedef struct place
{
    double r[3][3], t[3];
} place;

static void turn(double r[3][3], int axis, double degrees)
{
    const double a = degrees * 3.14159265358979323846 / 180.0, c = cos(a), s = sin(a);
    const int p = (axis + 1) % 3, q = (axis + 2) % 3;
    double m[3][3] = {{0}}, out[3][3] = {{0}};
    m[axis][axis] = 1.0;
    m[p][p] = m[q][q] = c;
    m[p][q] = -s;
    m[q][p] = s;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j)
            for (int k = 0; k < 3; ++k)
                out[i][j] += r[i][k] * m[k][j];
    memcpy(r, out, sizeof out);
}

static void naive_forward(const sft_bvh_contents* view, int32_t frame, place* out)
{
    const double* row = view->values + (size_t)frame * (size_t)view->channel_count;
    for (int32_t j = 0; j < view->joint_count; ++j)
    {
        const sft_bvh_joint* joint = &view->joints[j];
        const double offset[3] = {joint->offset.x, joint->offset.y, joint->offset.z};
        double t[3] = {offset[0], offset[1], offset[2]};
        place parent = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {0, 0, 0}};
        if (joint->parent >= 0) parent = out[joint->parent];
        place own = parent;
        for (int32_t c = 0; c < joint->channel_count; ++c)
        {
            const int channel = joint->channels[c];
            const double v = row[joint->channel_first + c];
            if (channel < 3)
                t[channel] = joint->positions_replace ? v : offset[channel] + v;
            else
                turn(own.r, channel - 3, v);
        }
        for (int i = 0; i < 3; ++i)
            own.t[i] = parent.t[i] + parent.r[i][0] * t[0] + parent.r[i][1] * t[1] + parent.r[i][2] * t[2];
        out[j] = own;
    }
}

static void check_forward(const sft_bvh* bvh, double tolerance)
{
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    const size_t n = (size_t)view->joint_count;
    place* expected = calloc(n, sizeof *expected);
    sft_xformd* model = calloc(n, sizeof *model);
    for (int32_t f = 0; f < view->frame_count; ++f)
    {
        naive_forward(view, f, expected);
        sft_skeleton_forward(skeleton, clip->translations + (size_t)f * n, clip->rotations + (size_t)f * n, model);
        for (size_t j = 0; j < n; ++j)
        {
            assert_true(fabs(model[j].t.x - expected[j].t[0]) < tolerance);
            assert_true(fabs(model[j].t.y - expected[j].t[1]) < tolerance);
            assert_true(fabs(model[j].t.z - expected[j].t[2]) < tolerance);
        }
    }
    free(expected);
    free(model);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
}

static char* arm_text(const uint8_t order[3], support_rng* rng, int frames)
{
    char* text = malloc(65536);
    int n = sprintf(text,
                    "HIERARCHY\nROOT a\n{\nOFFSET 1 2 3\nCHANNELS 6 Zrotation Xposition Xrotation Zposition Yrotation "
                    "Yposition\nJOINT b\n{\nOFFSET 3 -7 2\nCHANNELS 3 %s %s %s\nJOINT c\n{\nOFFSET 1 -5 0.5\nCHANNELS "
                    "1 %s\nEnd Site\n{\nOFFSET 2 2 2\n}\n}\n}\n}\nMOTION\nFrames: %d\nFrame Time: 0.01\n",
                    axis_names[order[0]], axis_names[order[1]], axis_names[order[2]], axis_names[order[1]], frames);
    double angle[3] = {10.0, 20.0, 30.0};
    for (int f = 0; f < frames; ++f)
    {
        for (int i = 0; i < 6; ++i)
            n += sprintf(text + n, "%.6f ", support_uniform(rng, -200.0, 200.0));
        for (int i = 0; i < 3; ++i)
            n += sprintf(text + n, "%.6f ", angle[i] += support_uniform(rng, -9.0, 9.0));
        n += sprintf(text + n, "%.6f\n", support_uniform(rng, -200.0, 200.0));
    }
    return text;
}

static void test_io_apply__forward_kinematics_of_every_order(void** state)
{
    (void)state;
    support_rng rng = {1};
    for (size_t o = 0; o < 12; ++o)
    {
        char* text = arm_text(orders[o], &rng, 20);
        sft_bvh* bvh = read_text(text);
        check_forward(bvh, 1e-10);
        sft_bvh_destroy(bvh);
        free(text);
    }
}

static void test_io_apply__forward_kinematics_of_real_files(void** state)
{
    (void)state;
    static const char* const files[] = {"bvh/mixed_orders_zup.bvh",
                                        "bvh/rotation_first_root.bvh",
                                        "bvh/makehuman_tpose.bvh",
                                        "bvh/makehuman_walk1.bvh",
                                        "bvh/kinect_brekel_a.bvh",
                                        "bvh/cmu_jumping_jacks_max.bvh",
                                        "bvh/opensim_gait2354_walk_overground.bvh"};
    for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i)
    {
        char path[1024];
        if (!support_data(files[i], path, sizeof path)) continue;
        void* bytes = NULL;
        size_t size = 0;
        sft_bvh* bvh = NULL;
        assert_int_equal(sft_file_read(path, (size_t)1 << 30, NULL, &bytes, &size, NULL), SFT_OK);
        assert_int_equal(sft_bvh_read(NULL, bytes, size, NULL, &bvh, NULL), SFT_OK);
        check_forward(bvh, 1e-9);
        free(bytes);
        sft_bvh_destroy(bvh);
    }
}

// A case another reader got wrong: bones along y, an End Site beside, nothing turned.
static void test_io_apply__zero_rotations_are_identity(void** state)
{
    (void)state;
    sft_bvh* bvh =
        read_text("HIERARCHY\nROOT Bone\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Xrotation "
                  "Yrotation Zrotation\nJOINT Bone.001\n{\nOFFSET 0 0 1\nCHANNELS 3 Xrotation Yrotation "
                  "Zrotation\nEnd Site\n{\nOFFSET -0.5 0 1.5\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: "
                  "0.04\n0 0 0 0 0 0 0 0 0\n");
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    for (int j = 0; j < 3; ++j)
    {
        const sft_quatd q = clip->rotations[j];
        assert_true(q.x == 0.0 && q.y == 0.0 && q.z == 0.0 && q.w == 1.0);
    }
    sft_xformd model[3];
    sft_skeleton_forward(skeleton, clip->translations, clip->rotations, model);
    assert_true(model[1].t.z == 1.0 && model[2].t.x == -0.5 && model[2].t.z == 2.5);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    sft_bvh_destroy(bvh);
}

// ---- Euler angles ----

static double quat_distance(sft_quatd a, sft_quatd b)
{
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b)));
}

static void test_io_apply__angles_of_every_order_come_back(void** state)
{
    (void)state;
    support_rng rng = {2};
    for (size_t o = 0; o < 12; ++o)
        for (int n = 0; n < 3000; ++n)
        {
            double in[3], near[3], out[3];
            for (int i = 0; i < 3; ++i)
            {
                in[i] = support_uniform(&rng, -720.0, 720.0);
                near[i] = in[i] + support_uniform(&rng, -20.0, 20.0);
            }
            // Every tenth at gimbal lock, every other tenth next to it.
            const double lock = o < 6 ? 90.0 : 180.0;
            if (n % 10 == 0) in[1] = near[1] = n % 20 == 0 ? lock : -lock;
            if (n % 10 == 1) in[1] = near[1] = lock + support_uniform(&rng, -1e-9, 1e-9);
            const sft_quatd q = sft_euler_to_quat(in, orders[o], 3);
            sft_euler_from_quat(q, orders[o], 3, near, out);
            assert_true(quat_distance(q, sft_euler_to_quat(out, orders[o], 3)) < 2e-11);
            if (n % 10 < 2) continue;
            // Two solutions, each up to whole turns: the one found is no farther from `near` than what went in.
            double found = 0.0, given = 0.0;
            for (int i = 0; i < 3; ++i)
            {
                found += (out[i] - near[i]) * (out[i] - near[i]);
                given += (in[i] - near[i]) * (in[i] - near[i]);
            }
            assert_true(found <= given + 1e-4);
        }
}

static void test_io_apply__locked_first_angle_stays(void** state)
{
    (void)state;
    const uint8_t order[3] = {2, 0, 1};
    const double in[3] = {33.0, 90.0, -21.0}, near[3] = {12.0, 89.0, -4.0};
    double out[3];
    sft_euler_from_quat(sft_euler_to_quat(in, order, 3), order, 3, near, out);
    assert_true(out[0] == 12.0);
    assert_true(fabs(out[1] - 90.0) < 1e-6);
    assert_true(quat_distance(sft_euler_to_quat(in, order, 3), sft_euler_to_quat(out, order, 3)) < 1e-11);
}

// ---- apply ----

static void test_io_apply__unchanged_clip_changes_no_number(void** state)
{
    (void)state;
    support_rng rng = {3};
    for (size_t o = 0; o < 12; ++o)
    {
        char* text = arm_text(orders[o], &rng, 30);
        sft_bvh* bvh = read_text(text);
        sft_bvh* before = read_text(text);
        const sft_bvh_contents* view = sft_bvh_view(bvh);
        const uint8_t mask[4] = {1, 1, 1, 1};
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        const sft_space space = {.unit_metres = 0.05644, .up = SFT_AXIS_Z};
        assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
        assert_int_equal(sft_clip_rescale(skeleton, clip, &space), SFT_OK);
        sft_error error;
        if (sft_bvh_apply(bvh, clip, &space, mask, mask, &error) != SFT_OK) fail_msg("%s", error.message);
        assert_memory_equal(view->values, sft_bvh_view(before)->values,
                            (size_t)view->frame_count * (size_t)view->channel_count * sizeof(double));
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        sft_bvh_destroy(bvh);
        sft_bvh_destroy(before);
        free(text);
    }
}

static void test_io_apply__solved_rotations_come_back_and_stay_continuous(void** state)
{
    (void)state;
    support_rng rng = {4};
    for (size_t o = 0; o < 12; ++o)
    {
        char* text = arm_text(orders[o], &rng, 200);
        sft_bvh* bvh = read_text(text);
        sft_bvh* before = read_text(text);
        const sft_bvh_contents *view = sft_bvh_view(bvh), *old = sft_bvh_view(before);
        const uint8_t mask[4] = {0, 1, 0, 0};
        sft_skeleton* skeleton = NULL;
        sft_clip *clip = NULL, *again = NULL;
        assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
        for (int32_t f = 50; f < 150; ++f)
        {
            const double w = 0.05 * sin(0.0314159 * (f - 50));
            sft_quatd* q = &clip->rotations[4 * f + 1];
            *q = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(w, -0.5 * w, 0.3 * w)), *q);
        }
        assert_int_equal(sft_bvh_apply(bvh, clip, NULL, mask, NULL, NULL), SFT_OK);
        sft_skeleton* skeleton_again = NULL;
        assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton_again, &again), SFT_OK);
        for (int32_t f = 0; f < 200; ++f)
        {
            assert_true(quat_distance(clip->rotations[4 * f + 1], again->rotations[4 * f + 1]) < 2e-11);
            for (int32_t c = 0; c < 10; ++c)
            {
                const bool solved = c >= 6 && c < 9 && f > 50 && f < 150;
                const double v = view->values[f * 10 + c];
                if (!solved) assert_true(v == old->values[f * 10 + c]);
                // Ten decimals at most: that is what keeps the text short.
                if (solved) assert_true(v == floor(v * 1e10 + 0.5) / 1e10);
                // The file turns up to 9 degrees a frame and angle; near gimbal lock more is right, a flip is not.
                if (solved) assert_true(fabs(v - view->values[(f - 1) * 10 + c]) < 175.0);
            }
        }
        sft_skeleton_destroy(skeleton, NULL);
        sft_skeleton_destroy(skeleton_again, NULL);
        sft_clip_destroy(clip, NULL);
        sft_clip_destroy(again, NULL);
        sft_bvh_destroy(bvh);
        sft_bvh_destroy(before);
        free(text);
    }
}

// The file passes gimbal lock and keeps its middle angle within a right angle, so that the others turn by half turns
// there. What is solved ends later, in front of rows that keep their numbers: it must change over where the file does,
// not at its end.
static void test_io_apply__solved_frames_meet_kept_ones_on_the_same_branch(void** state)
{
    (void)state;
    enum
    {
        FRAMES = 60,
        POLE = 30,
        FIRST = 5,
        END = 50
    };
    char text[4096];
    int n = sprintf(text,
                    "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\n"
                    "Frames: %d\nFrame Time: 0.01\n",
                    FRAMES);
    for (int f = 0; f < FRAMES; ++f)
    {
        const double middle = 89.0 + 2.0 * (f - POLE);
        if (middle < 90.0)
            n += sprintf(text + n, "10 %g -20\n", middle);
        else
            n += sprintf(text + n, "190 %g 160\n", 180.0 - middle);
    }
    sft_bvh* bvh = read_text(text);
    sft_skeleton *skeleton = NULL, *skeleton_again = NULL;
    sft_clip *clip = NULL, *again = NULL;
    const uint8_t mask[1] = {1};
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    for (int f = FIRST; f < END; ++f)
        clip->rotations[f] = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(0.0005, -0.002, 0.001)), clip->rotations[f]);
    assert_int_equal(sft_bvh_apply(bvh, clip, NULL, mask, NULL, NULL), SFT_OK);
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton_again, &again), SFT_OK);
    const double* values = sft_bvh_view(bvh)->values;
    int half_turns = 0;
    for (int f = 0; f < FRAMES; ++f)
    {
        assert_true(quat_distance(clip->rotations[f], again->rotations[f]) < 2e-11);
        double most = 0.0;
        for (int i = 0; f > 0 && i < 3; ++i)
            most = fmax(most, fabs(values[3 * f + i] - values[3 * f - 3 + i]));
        if (most < 90.0) continue;
        ++half_turns;
        assert_true(f > POLE - 5 && f < POLE + 5);
    }
    assert_int_equal(half_turns, 1);
    sft_skeleton_destroy(skeleton, NULL);
    sft_skeleton_destroy(skeleton_again, NULL);
    sft_clip_destroy(clip, NULL);
    sft_clip_destroy(again, NULL);
    sft_bvh_destroy(bvh);
}

// The file turns past half a turn and wraps there; later it moves fast. What is written does neither wrap.
static void test_io_apply__whole_turns_are_carried_through_fast_motion(void** state)
{
    (void)state;
    char text[4096];
    int n = sprintf(text, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 3 Zrotation Xrotation Yrotation\n}\nMOTION\n"
                          "Frames: 40\nFrame Time: 0.01\n");
    double angle = 150.0;
    for (int f = 0; f < 40; ++f)
    {
        n += sprintf(text + n, "%g 0 0\n", angle > 180.0 ? angle - 360.0 : angle);
        angle += f < 10 ? 5.0 : f < 13 ? 30.0 : 5.0;
    }
    sft_bvh* bvh = read_text(text);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    for (int f = 2; f < 40; ++f)
        clip->rotations[f] = sft_quatd_mul(clip->rotations[f], sft_quatd_exp(sft_v3d_make(0.02, 0.0, 0.01)));
    const uint8_t mask[1] = {1};
    assert_int_equal(sft_bvh_apply(bvh, clip, NULL, mask, NULL, NULL), SFT_OK);
    const double* values = sft_bvh_view(bvh)->values;
    for (int f = 1; f < 40; ++f)
        for (int c = 0; c < 3; ++c)
            assert_true(fabs(values[3 * f + c] - values[3 * f - 3 + c]) < 40.0);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    sft_bvh_destroy(bvh);
}

static const char lacking[] = "HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
                              "Xrotation Yrotation\nJOINT hinge\n{\nOFFSET 0 -1 0\nCHANNELS 1 Xrotation\nJOINT "
                              "fixed\n{\nOFFSET 0 -1 0\nCHANNELS 0\nJOINT two\n{\nOFFSET 0 -1 0\nCHANNELS 2 Zrotation "
                              "Xrotation\n}\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.01\n0 1 0 0 0 0 20 10 30\n";

static void apply_turned(int joint, sft_v3d by, sft_result expected, const char* named)
{
    sft_bvh* bvh = read_text(lacking);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    const sft_quatd wanted = sft_quatd_mul(clip->rotations[joint], sft_quatd_exp(by));
    clip->rotations[joint] = wanted;
    // The root changes too, and must not when another joint fails.
    clip->rotations[0] = sft_quatd_exp(sft_v3d_make(0.1, 0.2, 0.3));
    const uint8_t mask[4] = {1, 1, 1, 1};
    sft_error error = {.code = SFT_OK};
    assert_int_equal(sft_bvh_apply(bvh, clip, NULL, mask, mask, &error), expected);
    sft_bvh* fresh = read_text(lacking);
    if (expected != SFT_OK)
    {
        assert_string_equal(error.joint, named);
        assert_memory_equal(sft_bvh_view(bvh)->values, sft_bvh_view(fresh)->values, 9 * sizeof(double));
    }
    else
    {
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
        assert_true(quat_distance(clip->rotations[joint], wanted) < 1e-11);
    }
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    sft_bvh_destroy(fresh);
    sft_bvh_destroy(bvh);
}

static void test_io_apply__fewer_channels_hold_what_they_can(void** state)
{
    (void)state;
    apply_turned(1, sft_v3d_make(0.4, 0.0, 0.0), SFT_OK, NULL);
    apply_turned(1, sft_v3d_make(0.4, 0.01, 0.0), SFT_ERR_UNSUPPORTED, "hinge");
    apply_turned(2, sft_v3d_make(0.0, 0.01, 0.0), SFT_ERR_UNSUPPORTED, "fixed");
    apply_turned(3, sft_v3d_make(-0.3, 0.0, 0.0), SFT_OK, NULL);
    apply_turned(3, sft_v3d_make(0.0, 0.2, 0.0), SFT_ERR_UNSUPPORTED, "two");
}

static void test_io_apply__translations_add_or_replace(void** state)
{
    (void)state;
    for (int mode = SFT_BVH_POSITIONS_REPLACE; mode <= SFT_BVH_POSITIONS_ADD; ++mode)
    {
        sft_bvh_read_def def = sft_default_bvh_read_def();
        def.positions = (sft_bvh_positions)mode;
        const char* text = "HIERARCHY\nROOT a\n{\nOFFSET 1 10 2\nCHANNELS 6 Xposition Yposition Zposition Zrotation "
                           "Xrotation Yrotation\nJOINT b\n{\nOFFSET 0 -1 0\n}\n}\nMOTION\nFrames: 1\nFrame Time: "
                           "0.01\n0.1 0.25 -0.5 0 0 0\n";
        sft_bvh* bvh = NULL;
        assert_int_equal(sft_bvh_read(&def, text, strlen(text), NULL, &bvh, NULL), SFT_OK);
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        const sft_space space = {.unit_metres = 0.1, .up = SFT_AXIS_Z};
        assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
        const bool add = mode == SFT_BVH_POSITIONS_ADD;
        assert_true(clip->translations[0].y == (add ? 10.25 : 0.25));
        assert_int_equal(sft_clip_rescale(skeleton, clip, &space), SFT_OK);
        // Up by 0.2 m inside is +2 on z in the file; x and y keep their doubles.
        clip->translations[0].y += 0.2;
        const uint8_t mask[2] = {1, 0};
        assert_int_equal(sft_bvh_apply(bvh, clip, &space, NULL, mask, NULL), SFT_OK);
        const double* values = sft_bvh_view(bvh)->values;
        assert_true(values[0] == 0.1 && values[1] == 0.25);
        assert_true(fabs(values[2] - 1.5) < 1e-12);
        // Joint b has no channels for a new place.
        clip->translations[1].x += 0.01;
        const uint8_t inner[2] = {0, 1};
        sft_error error;
        assert_int_equal(sft_bvh_apply(bvh, clip, &space, NULL, inner, &error), SFT_ERR_UNSUPPORTED);
        assert_string_equal(error.joint, "b");
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        sft_bvh_destroy(bvh);
    }
}

static void test_io_apply__refuses_nan(void** state)
{
    (void)state;
    sft_bvh* bvh = read_text(lacking);
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    const uint8_t mask[4] = {1, 0, 0, 0};
    clip->rotations[0].x = NAN;
    assert_int_equal(sft_bvh_apply(bvh, clip, NULL, mask, NULL, NULL), SFT_ERR_RANGE);
    clip->translations[0].x = INFINITY;
    assert_int_equal(sft_bvh_apply(bvh, clip, NULL, NULL, mask, NULL), SFT_ERR_RANGE);
    assert_int_equal(sft_bvh_set_value(bvh, 0, 0, NAN), SFT_ERR_RANGE);
    assert_int_equal(sft_bvh_set_value(bvh, 1, 0, 0.0), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_set_value(bvh, 0, 9, 0.0), SFT_ERR_ARG);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    sft_bvh_destroy(bvh);
}

// ---- slice, from_clip, create ----

static void test_io_apply__slice_keeps_rows(void** state)
{
    (void)state;
    support_rng rng = {5};
    char* text = arm_text(orders[4], &rng, 12);
    sft_bvh *bvh = read_text(text), *part = NULL;
    assert_int_equal(sft_bvh_slice(bvh, 3, 9, NULL, &part), SFT_OK);
    assert_int_equal(sft_bvh_view(part)->frame_count, 6);
    assert_memory_equal(sft_bvh_view(part)->values, sft_bvh_view(bvh)->values + 30, 60 * sizeof(double));
    assert_string_equal(sft_bvh_view(part)->joints[3].name, "c");
    sft_bvh* none = NULL;
    assert_int_equal(sft_bvh_slice(bvh, 4, 13, NULL, &none), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_slice(bvh, 5, 4, NULL, &none), SFT_ERR_ARG);
    sft_bvh_destroy(part);
    sft_bvh_destroy(bvh);
    free(text);
}

static void test_io_apply__from_clip_gives_the_same_numbers(void** state)
{
    (void)state;
    support_rng rng = {6};
    for (size_t o = 0; o < 12; ++o)
    {
        char* text = arm_text(orders[o], &rng, 40);
        sft_bvh *bvh = read_text(text), *made = NULL;
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Z};
        assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
        assert_int_equal(sft_clip_rescale(skeleton, clip, &space), SFT_OK);
        assert_int_equal(sft_bvh_from_clip(bvh, clip, &space, NULL, &made), SFT_OK);
        // Six decimals went in, so rounding to ten brings the very doubles back where no angle changed its branch.
        const sft_bvh_contents *a = sft_bvh_view(bvh), *b = sft_bvh_view(made);
        int equal = 0;
        for (int i = 0; i < 400; ++i)
            equal += a->values[i] == b->values[i];
        assert_true(equal > 350);
        sft_skeleton* skeleton_again = NULL;
        sft_clip* again = NULL;
        assert_int_equal(sft_bvh_to_clip(made, NULL, &skeleton_again, &again), SFT_OK);
        assert_int_equal(sft_clip_rescale(skeleton_again, again, &space), SFT_OK);
        for (int i = 0; i < 160; ++i)
            assert_true(quat_distance(clip->rotations[i], again->rotations[i]) < 2e-11);
        sft_skeleton_destroy(skeleton, NULL);
        sft_skeleton_destroy(skeleton_again, NULL);
        sft_clip_destroy(clip, NULL);
        sft_clip_destroy(again, NULL);
        sft_bvh_destroy(made);
        sft_bvh_destroy(bvh);
        free(text);
    }
}

static void test_io_apply__created_document_reads_back(void** state)
{
    (void)state;
    const char* names[4] = {"root", "a{b", "moves", ""};
    const int32_t parents[4] = {-1, 0, 1, 2};
    const uint32_t flags[4] = {0, 0, 0, SFT_JOINT_END_SITE};
    const sft_v3d rest[4] = {{0, 1, 0}, {0.1, -0.5, 0}, {0, -0.4, 0}, {0, 0, 0.1}};
    const sft_skeleton def = {4, names, parents, flags, rest, NULL};
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &skeleton), SFT_OK);
    assert_int_equal(sft_clip_create(4, 30, 0.02, NULL, &clip), SFT_OK);
    for (int f = 0; f < 30; ++f)
        for (int j = 0; j < 4; ++j)
        {
            clip->translations[4 * f + j] = rest[j];
            if (j < 3) clip->rotations[4 * f + j] = sft_quatd_exp(sft_v3d_make(0.03 * f, -0.05 * j * f, 0.2));
        }
    for (int f = 0; f < 30; ++f)
    {
        clip->translations[4 * f].z = 0.03 * f;
        clip->translations[4 * f + 2].y = -0.4 - 0.001 * f;
    }
    sft_bvh *bvh = NULL, *read = NULL;
    char* text = NULL;
    size_t size = 0;
    assert_int_equal(sft_bvh_create(skeleton, clip, NULL, &bvh), SFT_OK);
    assert_int_equal(sft_bvh_write(bvh, NULL, &text, &size), SFT_OK);
    assert_int_equal(sft_bvh_read(NULL, text, size, NULL, &read, NULL), SFT_OK);
    const sft_bvh_contents* view = sft_bvh_view(read);
    assert_int_equal(view->channel_count, 6 + 3 + 6);
    assert_string_equal(view->joints[1].name, "a_b");
    assert_true(view->joints[3].end_site);
    sft_skeleton* skeleton_again = NULL;
    sft_clip* again = NULL;
    assert_int_equal(sft_bvh_to_clip(read, NULL, &skeleton_again, &again), SFT_OK);
    for (int i = 0; i < 120; ++i)
    {
        assert_true(quat_distance(clip->rotations[i], again->rotations[i]) < 2e-11);
        assert_true(sft_v3d_length(sft_v3d_sub(clip->translations[i], again->translations[i])) < 1e-9);
    }
    sft_skeleton_destroy(skeleton, NULL);
    sft_skeleton_destroy(skeleton_again, NULL);
    sft_clip_destroy(clip, NULL);
    sft_clip_destroy(again, NULL);
    sft_bvh_destroy(read);
    sft_bvh_destroy(bvh);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_apply__forward_kinematics_of_every_order),
        cmocka_unit_test(test_io_apply__forward_kinematics_of_real_files),
        cmocka_unit_test(test_io_apply__zero_rotations_are_identity),
        cmocka_unit_test(test_io_apply__angles_of_every_order_come_back),
        cmocka_unit_test(test_io_apply__locked_first_angle_stays),
        cmocka_unit_test(test_io_apply__unchanged_clip_changes_no_number),
        cmocka_unit_test(test_io_apply__solved_rotations_come_back_and_stay_continuous),
        cmocka_unit_test(test_io_apply__solved_frames_meet_kept_ones_on_the_same_branch),
        cmocka_unit_test(test_io_apply__whole_turns_are_carried_through_fast_motion),
        cmocka_unit_test(test_io_apply__fewer_channels_hold_what_they_can),
        cmocka_unit_test(test_io_apply__translations_add_or_replace),
        cmocka_unit_test(test_io_apply__refuses_nan),
        cmocka_unit_test(test_io_apply__slice_keeps_rows),
        cmocka_unit_test(test_io_apply__from_clip_gives_the_same_numbers),
        cmocka_unit_test(test_io_apply__created_document_reads_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
