// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Labels as text: exact, read back, and safe from anything.

#include "support/support.h"

#include "core/core.h"

static const char* const names[2] = {"LeftToe", "Right, \"Toe\""};

static sft_contact_labels* small_labels(void)
{
    sft_contact_labels* labels;
    assert_int_equal(sft_contact_labels_create(3, 2, NULL, &labels), SFT_OK);
    const float plant[6] = {0, 1, 0.75f, 0.1f, 0.333333343f, 1}, touch[6] = {1, 1, 0, 0, 0.5f, 1};
    memcpy(labels->plant, plant, sizeof plant);
    memcpy(labels->touch, touch, sizeof touch);
    return labels;
}

static void test_contact_csv__text_is_exact_and_reads_back(void** state)
{
    (void)state;
    sft_contact_labels *labels = small_labels(), *back;
    char* text;
    size_t size;
    assert_int_equal(sft_contact_format_csv(labels, 1.0 / 30.0, names, NULL, &text, &size), SFT_OK);
    assert_string_equal(text, "frame,time,LeftToe,LeftToe:touch,\"Right, \"\"Toe\"\"\",\"Right, \"\"Toe\"\":touch\"\n"
                              "0,0,0,1,0.1,0\n"
                              "1,0.033333,1,1,0.33333334,0.5\n"
                              "2,0.066667,0.75,0,1,1\n");
    assert_int_equal(strlen(text), size);
    assert_int_equal(sft_contact_labels_create(3, 2, NULL, &back), SFT_OK);
    sft_error error;
    assert_int_equal(sft_contact_parse_csv(text, size, names, NULL, back, &error), SFT_OK);
    assert_memory_equal(back->plant, labels->plant, 6 * sizeof(float));
    assert_memory_equal(back->touch, labels->touch, 6 * sizeof(float));
    free(text);
    sft_contact_labels_destroy(labels, NULL);
    sft_contact_labels_destroy(back, NULL);
}

static sft_result parse(const char* text, sft_contact_labels* labels, sft_error* error)
{
    return sft_contact_parse_csv(text, strlen(text), names, NULL, labels, error);
}

static void test_contact_csv__of_other_hands_is_read(void** state)
{
    (void)state;
    sft_contact_labels* labels = small_labels();
    sft_error error;
    // Other order, CRLF, BOM, blanks, no touch for one foot, no time, blank lines, no last newline.
    const char* text = "\xEF\xBB\xBF\"Right, \"\"Toe\"\"\" , LeftToe:touch,frame,LeftToe\r\n"
                       "1.0,0,2,.5\r\n\r\n 0e0 ,1,0,+1\r\n0.25,1E-1,1,0";
    assert_int_equal(parse(text, labels, &error), SFT_OK);
    const float plant[6] = {1, 0, 0.5f, 0, 0.25f, 1}, touch[6] = {1, 0.1f, 0, 0, 0.25f, 1};
    assert_memory_equal(labels->plant, plant, sizeof plant);
    assert_memory_equal(labels->touch, touch, sizeof touch);
    // CR only.
    assert_int_equal(parse("frame,LeftToe,\"Right, \"\"Toe\"\"\"\r0,1,1\r1,0,0\r2,1,0\r", labels, &error), SFT_OK);
    assert_true(labels->touch[0] == 1.0f && labels->touch[4] == 0.0f);
    sft_contact_labels_destroy(labels, NULL);
}

static void test_contact_csv__of_joints_with_one_name(void** state)
{
    (void)state;
    // Two toes called alike are told apart by their order.
    const char* const same[2] = {"toe", "toe"};
    sft_contact_labels *labels = small_labels(), *back = small_labels();
    memset(back->plant, 0, 6 * sizeof(float));
    char* text;
    size_t size;
    assert_int_equal(sft_contact_format_csv(labels, 0.01, same, NULL, &text, &size), SFT_OK);
    sft_error error;
    assert_int_equal(sft_contact_parse_csv(text, size, same, NULL, back, &error), SFT_OK);
    assert_memory_equal(back->plant, labels->plant, 6 * sizeof(float));
    free(text);
    sft_contact_labels_destroy(labels, NULL);
    sft_contact_labels_destroy(back, NULL);
}

static void test_contact_csv__faults_name_their_line(void** state)
{
    (void)state;
#define HEAD "frame,LeftToe,\"Right, \"\"Toe\"\"\"\n"
    static const struct
    {
        const char* text;
        uint32_t line;
        const char* says;
    } cases[] = {
        {"", 1, "column ''"},
        {"time,LeftToe\n", 1, "no 'frame' column"},
        {"frame,LeftToe\n", 1, "Right, \"Toe\""},
        {"frame,LeftToe,Elbow\n", 1, "'Elbow'"},
        {"frame,frame,LeftToe\n", 1, "'frame'"},
        {HEAD "0,1,1\n1,1,0\n", 4, "frame 2 is missing"},
        {HEAD "0,1,1\n0,1,0\n", 3, "frame 0 is there twice"},
        {HEAD "0,1,1\n3,1,0\n", 3, "frame '3'"},
        {HEAD "0,1,1\n-1,1,0\n", 3, "frame '-1'"},
        {HEAD "0,1,1\n0.5,1,0\n", 3, "frame '0.5'"},
        {HEAD "0,1,1\n1,1.5,0\n", 3, "label '1.5'"},
        {HEAD "0,1,1\n1,-0.1,0\n", 3, "label '-0.1'"},
        {HEAD "0,1,1\n1,nan,0\n", 3, "'nan' is not a number"},
        {HEAD "0,1,1\n1,0,1,0\n", 3, "more fields"},
        {HEAD "0,1,1\n1,0\n", 3, "fewer fields"},
        {HEAD "0,1,1\n1,,0\n", 3, "'' is not a number"},
        {HEAD "0,1,1\n1,\"0\n0\",0\n", 3, "is not a number"},
        {HEAD "0,1,1\n1,\"0,0\n", 3, "no closing quote"},
        {HEAD "0,1,1\n1,\"0\"x,0\n", 3, "follows a closing quote"},
        {"frame,LeftToe,LeftToe:touch,\"Right, \"\"Toe\"\"\",\"Right, \"\"Toe\"\":touch\",time,more\n", 1,
         "more columns"},
        {HEAD "0,1,1\n1,1e999999999999,0\n", 3, "label"},
    };
    sft_contact_labels* labels = small_labels();
    for (size_t i = 0; i < SFT_COUNT_OF(cases); ++i)
    {
        sft_error error = {0};
        const sft_result result = parse(cases[i].text, labels, &error);
        assert_true(result == SFT_ERR_SYNTAX || result == SFT_ERR_LIMIT);
        assert_int_equal(error.code, result);
        assert_int_equal(error.line, cases[i].line);
        if (strstr(error.message, cases[i].says) == NULL) fail_msg("case %zu says: %s", i, error.message);
        assert_true(labels->plant[2] == 0.75f);
    }
#undef HEAD
    assert_int_equal(sft_contact_parse_csv(NULL, 0, names, NULL, labels, NULL), SFT_ERR_SYNTAX);
    assert_int_equal(sft_contact_parse_csv(NULL, 5, names, NULL, labels, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_contact_parse_csv("", 0, NULL, NULL, labels, NULL), SFT_ERR_ARG);
    labels->plant[1] = (float)NAN;
    char* text = NULL;
    size_t size;
    assert_int_equal(sft_contact_format_csv(labels, 0.01, names, NULL, &text, &size), SFT_ERR_RANGE);
    labels->plant[1] = 0.5f;
    assert_int_equal(sft_contact_format_csv(labels, 0.0, names, NULL, &text, &size), SFT_ERR_RANGE);
    assert_true(text == NULL);
    sft_contact_labels_destroy(labels, NULL);
}

static void test_contact_csv__survives_any_bytes(void** state)
{
    (void)state;
    sft_contact_labels* labels = small_labels();
    char* text;
    size_t size;
    assert_int_equal(sft_contact_format_csv(labels, 1.0 / 60.0, names, NULL, &text, &size), SFT_OK);
    for (size_t cut = 0; cut <= size; ++cut)
    {
        // A copy of just that size lets the sanitizer see a byte too far.
        char* copy = malloc(cut > 0 ? cut : 1);
        memcpy(copy, text, cut);
        (void)sft_contact_parse_csv(copy, cut, names, NULL, labels, NULL);
        free(copy);
    }
    support_rng rng = {3};
    char* copy = malloc(size);
    for (int round = 0; round < 5000; ++round)
    {
        memcpy(copy, text, size);
        for (int k = 0; k < 1 + round % 4; ++k)
            copy[(size_t)support_uniform(&rng, 0, (double)size)] = (char)support_uniform(&rng, -128, 128);
        sft_error error;
        (void)sft_contact_parse_csv(copy, size, names, NULL, labels, &error);
        for (int i = 0; i < 6; ++i)
            assert_true(labels->plant[i] >= 0.0f && labels->plant[i] <= 1.0f);
    }
    free(copy);
    for (long k = 0;; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator a = support_allocator(&heap);
        const sft_result result = sft_contact_parse_csv(text, size, names, &a, labels, NULL);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
    }
    free(text);
    sft_contact_labels_destroy(labels, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_csv__text_is_exact_and_reads_back),
        cmocka_unit_test(test_contact_csv__of_other_hands_is_read),
        cmocka_unit_test(test_contact_csv__of_joints_with_one_name),
        cmocka_unit_test(test_contact_csv__faults_name_their_line),
        cmocka_unit_test(test_contact_csv__survives_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
