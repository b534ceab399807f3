// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/support.h"

#include "core/core.h"

static void test_math__trigonometry_matches_libm(void** state)
{
    (void)state;
    support_rng rng = {1};
    for (int i = 0; i < 200000; ++i)
    {
        const double x = support_uniform(&rng, -30.0, 30.0);
        assert_true(fabs(sft_sin(x) - sin(x)) < 2.3e-16 && fabs(sft_cos(x) - cos(x)) < 2.3e-16);
        const double far = support_uniform(&rng, -1e6, 1e6);
        assert_true(fabs(sft_sin(far) - sin(far)) < 2.3e-16 && fabs(sft_cos(far) - cos(far)) < 2.3e-16);
        const double y = support_uniform(&rng, -2.0, 2.0), z = support_uniform(&rng, -2.0, 2.0);
        assert_true(fabs(sft_atan2(y, z) - atan2(y, z)) < 9e-16);
        const double c = support_uniform(&rng, -1.0, 1.0);
        assert_true(fabs(sft_acos(c) - acos(c)) < 9e-16);
        const double e = support_uniform(&rng, -700.0, 700.0);
        assert_true(fabs(sft_exp(e) / exp(e) - 1.0) < 6e-16);
    }
}

static void test_math__trigonometry_edges(void** state)
{
    (void)state;
    double s, c;
    const double quarter[] = {0, 90, 180, 270, -90, 360e7 + 90, 720, -450};
    const double sines[] = {0, 1, 0, -1, -1, 1, 0, -1};
    const double cosines[] = {1, 0, -1, 0, 0, 0, 1, 0};
    for (size_t i = 0; i < SFT_COUNT_OF(quarter); ++i)
    {
        sft_sincos_deg(quarter[i], &s, &c);
        assert_true(s == sines[i] && c == cosines[i]);
    }
    sft_sincos_deg(1e300, &s, &c);
    assert_true(fabs(s * s + c * c - 1.0) < 1e-15);
    sft_sincos_deg((double)NAN, &s, &c);
    assert_true(s == 0.0 && c == 1.0);
    assert_true(sft_sin((double)INFINITY) == 0.0 && sft_cos((double)NAN) == 1.0);
    assert_true(sft_atan2(0.0, 0.0) == 0.0 && sft_atan2((double)NAN, 1.0) == 0.0);
    assert_true(fabs(sft_atan2(0.0, -1.0) - SFT_PI) < 1e-15 && fabs(sft_atan2(-1.0, 0.0) + SFT_PI / 2) < 1e-15);
    assert_true(sft_acos(2.0) == 0.0 && fabs(sft_acos(-2.0) - SFT_PI) < 1e-15);
    assert_true(sft_exp(-1e9) == 0.0 && sft_exp(1e9) > 1e308 && sft_exp(0.0) == 1.0);
}

static void test_math__between_turns_every_pair(void** state)
{
    (void)state;
    const sft_v3d axes[] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
    for (size_t i = 0; i < 6; ++i)
        for (size_t j = 0; j < 6; ++j)
        {
            const sft_quatd q = sft_quatd_between(sft_v3d_scale(3.0, axes[i]), sft_v3d_scale(0.25, axes[j]));
            assert_true(fabs(sft_quatd_dot(q, q) - 1.0) < 1e-14);
            assert_true(sft_v3d_distance(sft_quatd_rotate(q, axes[i]), axes[j]) < 1e-14);
        }
    support_rng rng = {7};
    for (int i = 0; i < 20000; ++i)
    {
        const sft_v3d a = {support_uniform(&rng, -1, 1), support_uniform(&rng, -1, 1), support_uniform(&rng, -1, 1)};
        const double tiny = support_uniform(&rng, 0, 1) < 0.5 ? 1e-7 : 1.0;
        const sft_v3d b = sft_v3d_madd(sft_v3d_scale(-1.0, a), tiny,
                                       sft_v3d_make(support_uniform(&rng, -1, 1), support_uniform(&rng, -1, 1), 0));
        if (sft_v3d_length(a) < 0.1 || sft_v3d_length(b) < 0.1) continue;
        const sft_v3d to = sft_v3d_normalize_or(b, sft_v3d_make(0, 0, 0));
        const sft_v3d got = sft_quatd_rotate(sft_quatd_between(a, b), sft_v3d_normalize_or(a, to));
        assert_true(sft_v3d_distance(got, to) < 2e-7);
    }
    const sft_quatd none = sft_quatd_between(sft_v3d_make(0, 0, 0), sft_v3d_make(1, 0, 0));
    assert_true(none.w == 1.0);
}

static void test_math__log_and_exp_are_inverse(void** state)
{
    (void)state;
    support_rng rng = {3};
    for (int i = 0; i < 20000; ++i)
    {
        const sft_v3d v = {support_uniform(&rng, -1.8, 1.8), support_uniform(&rng, -1.8, 1.8),
                           support_uniform(&rng, -1.8, 1.8)};
        const double small = i % 3 == 0 ? 1e-9 : 1.0;
        const sft_v3d w = sft_v3d_scale(small, v);
        assert_true(sft_v3d_distance(sft_quatd_log(sft_quatd_exp(w)), w) < 1e-14 * (1.0 + 1e3 * small));
    }
}

static void test_math__select_and_sort(void** state)
{
    (void)state;
    support_rng rng = {9};
    double a[101], b[101];
    for (int round = 0; round < 500; ++round)
    {
        const size_t count = 1 + (size_t)support_uniform(&rng, 0, 100.99);
        for (size_t i = 0; i < count; ++i)
            a[i] = b[i] = floor(support_uniform(&rng, 0, round % 2 == 0 ? 5 : 1000));
        sft_core_sort(a, count);
        for (size_t i = 1; i < count; ++i)
            assert_true(a[i - 1] <= a[i]);
        const size_t k = (size_t)support_uniform(&rng, 0, (double)count - 0.01);
        assert_true(sft_core_select(b, count, k) == a[k]);
    }
}

static void test_core__format_without_locale(void** state)
{
    (void)state;
    char text[64];
    sft_core_format(text, sizeof text, "%s %d %u %z %g|%g|%g|%g|%g", "a", -5, 7u, (size_t)9, 0.05, 1.25, -33.0, 1e-7,
                    1e20);
    assert_string_equal(text, "a -5 7 9 0.05|1.25|-33|1e-7|1e20");
    assert_int_equal(sft_core_format(text, 4, "%s", "abcdef"), 3);
    assert_string_equal(text, "abc");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_math__trigonometry_matches_libm), cmocka_unit_test(test_math__trigonometry_edges),
        cmocka_unit_test(test_math__between_turns_every_pair),  cmocka_unit_test(test_math__log_and_exp_are_inverse),
        cmocka_unit_test(test_math__select_and_sort),           cmocka_unit_test(test_core__format_without_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
