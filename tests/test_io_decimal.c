// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Decimal text and doubles. The C library's strtod and %.*e, correctly rounded in glibc, are the independent word here.

#define _POSIX_C_SOURCE 200809L

#include <locale.h>
#include <math.h>

#include "support/support.h"

#include "decimal/decimal.h"

static uint64_t next_bits(uint64_t* state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double from_bits(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void check_read(const char* text)
{
    char* end = NULL;
    const double expected = strtod(text, &end);
    double value = 12345.0;
    const char* next = NULL;
    const sft_decimal_status status = sft_decimal_read(text, text + strlen(text), &value, &next);
    if (isinf(expected))
    {
        assert_int_equal(status, SFT_DECIMAL_HUGE);
        return;
    }
    if (status != SFT_DECIMAL_OK || memcmp(&value, &expected, sizeof value) != 0 || next != end)
        fail_msg("%s read as %.17g, is %.17g (status %d)", text, value, expected, status);
}

static void test_io_decimal__reads_hard_cases(void** state)
{
    (void)state;
    static const char* const cases[] = {
        // Halfway between doubles, and a hair to either side.
        "9007199254740993", "9007199254740992.99999999999999999999999999",
        "9007199254740993.00000000000000000000000001", "0.1000000000000000055511151231257827021181583404541015625",
        "0.10000000000000000832667268468867405317723751068115234375",
        "0.100000000000000008326672684688674053177237510681152343750000000000000000000000000000000000000001", "1e23",
        "8.41e+21", "1448997445238699", "6.66133815e-16", "5.30257262e-14", "1.2e-40",
        // The ends of the range.
        "2.2250738585072011e-308", "2.2250738585072012e-308", "2.2250738585072014e-308", "4.9406564584124654e-324",
        "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "1.7976931348623157e308",
        "1.7976931348623158e308", "1.7976931348623159e308", "1e309", "1e400",
        "17976931348623157000000000000000000000000000000000000000000000000000000000000000000000000000e216",
        // Shapes.
        "0", "-0", "+5", "5.", ".5", "-.5e+1", "1E-5", "00000000000000000000000000000000000001.50", "1e0000000000001",
        "0e999999999999", "123456789012345678901234567890", "1e-99999999999999999999",
        "0.000000000000000000000000000000000000000000000000000000000000000000000000000001e77"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
        check_read(cases[i]);
}

static void test_io_decimal__reads_what_is_no_number_as_none(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        sft_decimal_status status;
    } cases[] = {{"", SFT_DECIMAL_NONE},        {"-", SFT_DECIMAL_CUT},        {"1e", SFT_DECIMAL_CUT},
                 {"1e-", SFT_DECIMAL_CUT},      {".", SFT_DECIMAL_CUT},        {"- 1", SFT_DECIMAL_NONE},
                 {"1e x", SFT_DECIMAL_NONE},    {"x", SFT_DECIMAL_NONE},       {"nan", SFT_DECIMAL_WORD},
                 {"-NaN", SFT_DECIMAL_WORD},    {"inf", SFT_DECIMAL_WORD},     {"-Infinity", SFT_DECIMAL_WORD},
                 {"1.#QNAN", SFT_DECIMAL_WORD}, {"-1.#IND", SFT_DECIMAL_WORD}, {"--1", SFT_DECIMAL_NONE}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        double value = 7.0;
        const char* next = NULL;
        const char* end = cases[i].text + strlen(cases[i].text);
        assert_int_equal(sft_decimal_read(cases[i].text, end, &value, &next), cases[i].status);
        assert_true(value == 7.0 && next == NULL);
    }
}

static void test_io_decimal__reads_any_digits_of_any_double(void** state)
{
    (void)state;
    uint64_t seed = 1;
    char text[1200];
    for (int i = 0; i < 60000; ++i)
    {
        const uint64_t bits = next_bits(&seed);
        double v = from_bits(bits);
        if (i % 8 == 0) v = from_bits(bits & (UINT64_C(0x000fffffffffffff) >> (bits % 52))); // subnormal
        if (!isfinite(v)) continue;
        snprintf(text, sizeof text, "%.*e", (int)(next_bits(&seed) % 25), v);
        check_read(text);
        if (i % 50 == 0)
        {
            snprintf(text, sizeof text, "%.*e", (int)(next_bits(&seed) % 800), v);
            check_read(text);
        }
        snprintf(text, sizeof text, "%.*f", (int)(next_bits(&seed) % 21), (double)(int64_t)bits * 0x1p-55);
        check_read(text);
    }
}

static void test_io_decimal__midpoints_go_to_even(void** state)
{
    (void)state;
    uint64_t seed = 2;
    char text[1200];
    for (int i = 0; i < 2000; ++i)
    {
        // Mantissas with one bit more than a double holds, exact in long double, so the text is an exact midpoint.
        const uint64_t odd = (next_bits(&seed) >> 10) | (UINT64_C(1) << 53) | 1;
        const long double mid = ldexpl((long double)odd, (int)(next_bits(&seed) % 600) - 300);
        snprintf(text, sizeof text, "%.800Le", mid);
        check_read(text);
    }
}

// What %.*e needs to come back, digits without zeros at the end.
static int shortest_length(double v)
{
    char text[64];
    for (int p = 1; p < 17; ++p)
    {
        snprintf(text, sizeof text, "%.*e", p - 1, v);
        if (strtod(text, NULL) == v) return p;
    }
    return 17;
}

static int digits_in(const char* text)
{
    int count = 0, zeros = 0;
    for (; *text != '\0' && *text != 'e'; ++text)
    {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        ++count;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

static void check_print(double v, int hint)
{
    char text[SFT_DECIMAL_MAX + 1];
    const size_t length = sft_decimal_print(text, v, &hint);
    assert_true(length <= SFT_DECIMAL_MAX);
    text[length] = '\0';
    const double back = strtod(text, NULL);
    if (memcmp(&back, &v, sizeof v) != 0) fail_msg("%.17g was written as %s", v, text);
    if (v != 0.0 && digits_in(text) > shortest_length(v)) fail_msg("%.17g was written as %s: too long", v, text);
}

static void test_io_decimal__prints_fewest_digits_of_any_double(void** state)
{
    (void)state;
    uint64_t seed = 3;
    for (int i = 0; i < 40000; ++i)
    {
        const uint64_t bits = next_bits(&seed);
        const int hint = (int)(bits % 30) - 2;
        const double w = (double)(int64_t)bits * 0x1p-63;
        check_print(floor(w * 1e6) / 1e4, hint);
        check_print(w * 180.0, hint);
        check_print(w * 1e-14, hint);
        if (i % 10 == 0) check_print(w * 1e16, hint);
        if (i % 20 == 0 && isfinite(from_bits(bits))) check_print(from_bits(bits), hint);
        if (i % 20 == 1) check_print(from_bits(bits & (UINT64_C(0x000fffffffffffff) >> (bits % 52))), hint);
    }
    for (uint64_t e = 1; e < 2047; ++e)
        check_print(from_bits(e << 52), 4); // powers of two: the neighbour below is nearer
}

static void test_io_decimal__prints_in_the_usual_shape(void** state)
{
    (void)state;
    static const struct
    {
        double value;
        const char* text;
    } cases[] = {{0.0, "0"},
                 {-0.0, "-0"},
                 {1.0, "1"},
                 {-94.25, "-94.25"},
                 {0.5, "0.5"},
                 {0.0001, "0.0001"},
                 {0.00005, "5e-5"},
                 {1.0 / 3.0, "0.3333333333333333"},
                 {0.1 + 0.2, "0.30000000000000004"},
                 {100000.0, "100000"},
                 {1e22, "1e22"},
                 {5e-324, "5e-324"},
                 {1.7976931348623157e308, "1.7976931348623157e308"},
                 {8.881784197001252e-16, "8.881784197001252e-16"},
                 {123456789012345680.0, "123456789012345680"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[SFT_DECIMAL_MAX + 1];
        int hint = 0;
        text[sft_decimal_print(text, cases[i].value, &hint)] = '\0';
        assert_string_equal(text, cases[i].text);
    }
}

// A locale with decimal commas: one of the machine's, or one made for this test where its parts are at hand.
static bool set_comma_locale(void)
{
    static const char* const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8", "fr_FR"};
    for (int made = 0; made < 2; ++made)
    {
        for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i)
            if (setlocale(LC_ALL, names[i]) != NULL && localeconv()->decimal_point[0] == ',') return true;
        char folder[] = "/tmp/sft_locale_XXXXXX", command[256];
        if (made == 1 || mkdtemp(folder) == NULL) break;
        snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1", folder);
        if (system(command) == 0) setenv("LOCPATH", folder, 1);
        const bool found = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
        snprintf(command, sizeof command, "rm -rf %s", folder);
        if (system(command) != 0) printf("%s was left behind\n", folder);
        if (found) return localeconv()->decimal_point[0] == ',';
    }
    return false;
}

static void test_io_decimal__does_not_hear_the_locale(void** state)
{
    (void)state;
    if (!set_comma_locale()) printf("SKIP: no locale with decimal commas on this machine\n");
    double value = 0.0;
    const char* text = "0.25 ";
    const char* next = NULL;
    assert_int_equal(sft_decimal_read(text, text + 5, &value, &next), SFT_DECIMAL_OK);
    assert_true(value == 0.25 && next == text + 4);
    char out[SFT_DECIMAL_MAX];
    int hint = 0;
    assert_int_equal(sft_decimal_print(out, 0.25, &hint), 4);
    assert_memory_equal(out, "0.25", 4);
    setlocale(LC_ALL, "C");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_decimal__reads_hard_cases),
        cmocka_unit_test(test_io_decimal__reads_what_is_no_number_as_none),
        cmocka_unit_test(test_io_decimal__reads_any_digits_of_any_double),
        cmocka_unit_test(test_io_decimal__midpoints_go_to_even),
        cmocka_unit_test(test_io_decimal__prints_fewest_digits_of_any_double),
        cmocka_unit_test(test_io_decimal__prints_in_the_usual_shape),
        cmocka_unit_test(test_io_decimal__does_not_hear_the_locale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
