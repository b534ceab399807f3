// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Resampling against curves that are known in closed form.

#include <math.h>

#include "support/support.h"

// Clip of two joints: one moves along p(t) and turns about a fixed axis by a(t), the other stands still.
typedef double (*curve)(double t);

static double line(double t)
{
    return 0.5 + 2.0 * t;
}

static double parabola(double t)
{
    return 0.3 - 1.5 * t + 4.0 * t * t;
}

static sft_v3d axis_of(void)
{
    return sft_v3d_make(2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0);
}

static sft_quatd turn(double angle)
{
    const sft_v3d a = axis_of();
    const double s = sin(0.5 * angle);
    return (sft_quatd){s * a.x, s * a.y, s * a.z, cos(0.5 * angle)};
}

static sft_clip* make(int32_t frames, double dt, curve c)
{
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(2, frames, dt, NULL, &clip), SFT_OK);
    for (int32_t f = 0; f < frames; ++f)
    {
        const double x = c((double)f * dt);
        clip->translations[2 * f] = sft_v3d_make(x, -2.0 * x, 1.0);
        clip->rotations[2 * f] = turn(x);
        clip->translations[2 * f + 1] = sft_v3d_make(0.25, 0.5, 0.75);
    }
    return clip;
}

// Angle between two rotations, good down to 1e-12.
static double apart(sft_quatd a, sft_quatd b)
{
    return sft_v3d_length(sft_quatd_log(sft_quatd_mul(sft_quatd_conjugate(a), b)));
}

static void assert_follows(const sft_clip* got, curve c, double from, double to, double slack)
{
    for (int32_t f = 0; f < got->frame_count; ++f)
    {
        const double t = (double)f * got->frame_time;
        if (t < from - 1e-9 || t > to + 1e-9) continue;
        const double x = c(t);
        assert_true(sft_v3d_distance(got->translations[2 * f], sft_v3d_make(x, -2.0 * x, 1.0)) < slack);
        assert_true(apart(got->rotations[2 * f], turn(x)) < slack);
        assert_true(sft_v3d_distance(got->translations[2 * f + 1], sft_v3d_make(0.25, 0.5, 0.75)) < 1e-15);
        assert_true(fabs(sft_quatd_dot(got->rotations[2 * f], got->rotations[2 * f]) - 1.0) < 1e-14);
    }
}

// Catmull-Rom reproduces lines and parabolas exactly wherever both neighbours exist; so do turns about one axis.
static void test_clip_resample__exact_for_lines_and_parabolas(void** state)
{
    (void)state;
    const double rates[] = {60.0, 24.0, 120.0, 50.0, 29.97, 10.0, 1000.0};
    const curve curves[] = {line, parabola};
    for (size_t k = 0; k < 2; ++k)
        for (size_t i = 0; i < sizeof rates / sizeof rates[0]; ++i)
        {
            sft_clip* clip = make(31, 1.0 / 30.0, curves[k]);
            sft_clip* out = NULL;
            assert_int_equal(sft_clip_resample(clip, 1.0 / rates[i], 0, NULL, &out), SFT_OK);
            assert_int_equal(out->frame_count, (int32_t)floor(rates[i] + 0.5) + 1);
            assert_true(out->frame_time == 1.0 / rates[i]);
            assert_follows(out, curves[k], 1.0 / 30.0, 29.0 / 30.0, 1e-12);
            sft_clip_destroy(out, NULL);
            sft_clip_destroy(clip, NULL);
        }
}

static double wave(double t)
{
    return 0.4 * sin(2.0 * SFT_PI * 1.5 * t);
}

// Error of the cubic falls with the third power of the frame time or faster.
static void test_clip_resample__converges(void** state)
{
    (void)state;
    double worst[2] = {0, 0};
    for (int k = 0; k < 2; ++k)
    {
        const double dt = k == 0 ? 1.0 / 30.0 : 1.0 / 60.0;
        sft_clip* clip = make(k == 0 ? 31 : 61, dt, wave);
        sft_clip* out = NULL;
        assert_int_equal(sft_clip_resample(clip, dt / 5.0, 0, NULL, &out), SFT_OK);
        for (int32_t f = 5; f + 5 < out->frame_count; ++f)
        {
            const double x = wave((double)f * dt / 5.0);
            worst[k] = fmax(worst[k], fabs(out->translations[2 * f].x - x));
            worst[k] = fmax(worst[k], apart(out->rotations[2 * f], turn(x)));
        }
        sft_clip_destroy(out, NULL);
        sft_clip_destroy(clip, NULL);
    }
    assert_true(worst[0] < 2e-3);
    assert_true(worst[1] < worst[0] / 7.0);
}

static void test_clip_resample__frames_come_back_bit_for_bit(void** state)
{
    (void)state;
    support_rng rng = {4};
    sft_clip* clip = make(40, 0.0083333, parabola);
    for (int32_t i = 0; i < 80; ++i)
    {
        clip->translations[i].z = support_uniform(&rng, -9, 9);
        clip->rotations[i] =
            sft_quatd_exp(sft_v3d_make(support_uniform(&rng, -2, 2), support_uniform(&rng, -2, 2), 0.1));
    }
    for (int32_t part = 1; part <= 5; ++part)
    {
        sft_clip* out = NULL;
        assert_int_equal(sft_clip_resample(clip, 0.0083333 / (double)part, 0, NULL, &out), SFT_OK);
        assert_int_equal(out->frame_count, 39 * part + 1);
        for (int32_t f = 0; f < 40; ++f)
        {
            assert_memory_equal(&out->translations[2 * f * part], &clip->translations[2 * f], 2 * sizeof(sft_v3d));
            assert_memory_equal(&out->rotations[2 * f * part], &clip->rotations[2 * f], 2 * sizeof(sft_quatd));
        }
        sft_clip_destroy(out, NULL);
    }
    // Six-digit frame times of one rate: 0.033333 onto 0.0083333 is every fourth frame.
    sft_clip* slow = make(10, 0.033333, parabola);
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_resample(slow, 0.00833325, 0, NULL, &out), SFT_OK);
    assert_memory_equal(&out->translations[2 * 4 * 7], &slow->translations[2 * 7], sizeof(sft_v3d));
    sft_clip_destroy(out, NULL);
    sft_clip_destroy(slow, NULL);
    sft_clip_destroy(clip, NULL);
}

// A reference pose stays, and nothing of it leaks into the frames after it.
static void test_clip_resample__reference_pose_is_never_mixed_in(void** state)
{
    (void)state;
    sft_clip* clip = make(21, 0.05, line);
    for (int32_t f = 0; f < 3; ++f)
    {
        clip->translations[2 * f] = sft_v3d_make(1e6, 1e6, 1e6);
        clip->rotations[2 * f] = turn(3.0);
    }
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_resample(clip, 0.02, 3, NULL, &out), SFT_OK);
    // 17 steps of 0.05 s are 42.5 steps of 0.02 s: 43 and one more, after the three that are kept.
    assert_int_equal(out->frame_count, 3 + 44);
    for (int32_t f = 0; f < 3; ++f)
    {
        assert_memory_equal(&out->translations[2 * f], &clip->translations[2 * f], sizeof(sft_v3d));
        assert_memory_equal(&out->rotations[2 * f], &clip->rotations[2 * f], sizeof(sft_quatd));
    }
    for (int32_t k = 0; k < 44; ++k)
    {
        const double t = fmin((double)k * 0.02, 0.85), x = line(0.15 + t);
        const sft_v3d p = out->translations[2 * (3 + k)];
        assert_true(fabs(p.x - x) < (t < 0.05 || t > 0.8 ? 0.02 : 1e-12));
    }
    sft_clip_destroy(out, NULL);
    sft_clip_destroy(clip, NULL);
}

// Quaternions of either sign are the same rotations, and the curve takes the shorter way.
static void test_clip_resample__sign_of_quaternions_does_not_matter(void** state)
{
    (void)state;
    sft_clip* clip = make(31, 1.0 / 30.0, parabola);
    for (int32_t f = 0; f < 31; f += 2)
    {
        sft_quatd* q = &clip->rotations[2 * f];
        *q = (sft_quatd){-q->x, -q->y, -q->z, -q->w};
    }
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_resample(clip, 1.0 / 100.0, 0, NULL, &out), SFT_OK);
    assert_follows(out, parabola, 1.0 / 30.0, 29.0 / 30.0, 1e-12);
    sft_clip_destroy(out, NULL);
    sft_clip_destroy(clip, NULL);
}

static void test_clip_resample__refuses_and_fails_cleanly(void** state)
{
    (void)state;
    sft_clip* clip = make(5, 0.1, line);
    sft_clip* out = NULL;
    assert_int_equal(sft_clip_resample(NULL, 0.1, 0, NULL, &out), SFT_ERR_ARG);
    assert_int_equal(sft_clip_resample(clip, 0.1, 0, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_clip_resample(clip, 0.0, 0, NULL, &out), SFT_ERR_ARG);
    assert_int_equal(sft_clip_resample(clip, (double)NAN, 0, NULL, &out), SFT_ERR_ARG);
    assert_int_equal(sft_clip_resample(clip, 0.1, -1, NULL, &out), SFT_ERR_ARG);
    assert_int_equal(sft_clip_resample(clip, 0.1, 5, NULL, &out), SFT_ERR_ARG);
    assert_int_equal(sft_clip_resample(clip, 1e-12, 0, NULL, &out), SFT_ERR_LIMIT);
    assert_null(out);
    // One frame stays one frame.
    assert_int_equal(sft_clip_resample(clip, 0.01, 4, NULL, &out), SFT_OK);
    assert_int_equal(out->frame_count, 5);
    sft_clip_destroy(out, NULL);
    // Denormal frame times, on either side.
    clip->frame_time = 5e-324;
    assert_int_equal(sft_clip_resample(clip, 0.1, 0, NULL, &out), SFT_OK);
    assert_int_equal(out->frame_count, 1);
    assert_memory_equal(out->translations, clip->translations, 2 * sizeof *out->translations);
    sft_clip_destroy(out, NULL);
    out = NULL;
    clip->frame_time = 0.1;
    assert_int_equal(sft_clip_resample(clip, 5e-324, 0, NULL, &out), SFT_ERR_LIMIT);
    for (long fail_at = 0; fail_at < 3; ++fail_at)
    {
        support_heap heap = {0, fail_at, 0, 0, 0};
        const sft_allocator allocator = support_allocator(&heap);
        out = NULL;
        assert_int_equal(sft_clip_resample(clip, 0.05, 0, &allocator, &out), SFT_ERR_MEMORY);
        assert_null(out);
        assert_int_equal(heap.live_blocks, 0);
    }
    sft_clip_destroy(clip, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clip_resample__exact_for_lines_and_parabolas),
        cmocka_unit_test(test_clip_resample__converges),
        cmocka_unit_test(test_clip_resample__frames_come_back_bit_for_bit),
        cmocka_unit_test(test_clip_resample__reference_pose_is_never_mixed_in),
        cmocka_unit_test(test_clip_resample__sign_of_quaternions_does_not_matter),
        cmocka_unit_test(test_clip_resample__refuses_and_fails_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
