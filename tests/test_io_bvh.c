// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The BVH reader and writer: what exporters write, what they get wrong, and that everything comes back.

#include "support/support.h"

static const char walker[] = "HIERARCHY\n"
                             "ROOT Hips\n"
                             "{\n"
                             "\tOFFSET 0.0 0.0 0.0\n"
                             "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
                             "\tJOINT Left Leg\n"
                             "\t{\n"
                             "\t\tOFFSET 9.0 -4.0 0.0\n"
                             "\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
                             "\t\tEnd Site\n"
                             "\t\t{\n"
                             "\t\t\tOFFSET 0.0 -42.0 -0.0\n"
                             "\t\t}\n"
                             "\t}\n"
                             "}\n"
                             "MOTION\n"
                             "Frames: 2\n"
                             "Frame Time: 0.0333333\n"
                             "0 94 0 -0 0 0 20 0.1 1.5e-07\n"
                             "2 94.3 3.5 0 0 0.25 12 0 -5\n";

static sft_bvh* read_text(const char* text)
{
    sft_bvh* bvh = NULL;
    sft_error error;
    const sft_result result = sft_bvh_read(NULL, text, strlen(text), NULL, &bvh, &error);
    if (result != SFT_OK) fail_msg("line %u: %s", error.line, error.message);
    return bvh;
}

static void test_io_bvh__reads_what_stands_there(void** state)
{
    (void)state;
    sft_bvh* bvh = read_text(walker);
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    assert_int_equal(view->joint_count, 3);
    assert_int_equal(view->channel_count, 9);
    assert_int_equal(view->frame_count, 2);
    assert_true(view->frame_time == 0.0333333);
    assert_string_equal(view->joints[1].name, "Left Leg");
    assert_string_equal(view->joints[2].name, "Left Leg");
    assert_true(view->joints[2].end_site);
    assert_int_equal(view->joints[2].parent, 1);
    assert_true(view->joints[1].offset.x == 9.0 && view->joints[1].offset.y == -4.0);
    assert_true(signbit(view->joints[2].offset.z));
    assert_true(signbit(view->values[3]) && view->values[3] == 0.0);
    assert_true(view->values[8] == 1.5e-07);
    assert_true(view->values[9 + 8] == -5.0);
    assert_int_equal(view->warning_count, 0);
    sft_bvh_destroy(bvh);
}

static void test_io_bvh__writes_what_it_read(void** state)
{
    (void)state;
    sft_bvh* bvh = read_text(walker);
    char* text = NULL;
    size_t size = 0;
    assert_int_equal(sft_bvh_write(bvh, NULL, &text, &size), SFT_OK);
    assert_int_equal(strlen(text), size);
    sft_bvh* again = read_text(text);
    const sft_bvh_contents *a = sft_bvh_view(bvh), *b = sft_bvh_view(again);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_memory_equal(a->values, b->values, 18 * sizeof(double));
    free(text);
    sft_bvh_destroy(again);
    sft_bvh_destroy(bvh);
}

// ---- what exporters write ----

#define ONE_ROOT                                                                                                       \
    "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n}\n"

static void assert_values(const char* text, const double* expected, int32_t frames, int32_t columns, int warnings)
{
    sft_bvh* bvh = read_text(text);
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    assert_int_equal(view->frame_count, frames);
    assert_int_equal(view->channel_count, columns);
    for (int32_t i = 0; i < frames * columns; ++i)
        assert_true(view->values[i] == expected[i]);
    if (view->warning_count != warnings)
        fail_msg("%d warnings: %s", view->warning_count, view->warning_count > 0 ? view->warnings[0].message : "-");
    sft_bvh_destroy(bvh);
}

static void test_io_bvh__numbers_that_run_together_are_parted(void** state)
{
    (void)state;
    const double expected[] = {0.0, 0.0, 0.0, -7.5094748, 1e-7, -2.0};
    assert_values(ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.01\n0.0 0.0 0.0-7.5094748 1e-7-2\n", expected, 1, 6, 1);
}

static void test_io_bvh__any_layout_of_blanks_and_lines(void** state)
{
    (void)state;
    const double expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const char* const texts[] = {
        ONE_ROOT "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2 3 4 5 6\n7 8 9 10 11 12",
        ONE_ROOT "MOTION\nFrames:\t2\nFrame Time:\t.01\n\t1\t2 3   4 5 6 \n\n\n 7 8 9 10 11 12\n\n",
        ONE_ROOT "MOTION Frames: 2 Frame Time: 1e-2\n1 2 3 4 5 6\n7 8 9 10 11 12\n",
        ONE_ROOT "motion\nframes:2\nframe time:0.01\n1 2 3 4 5 6\n7 8 9 10 11 12\n",
        ONE_ROOT "MOTION\nFrames 2\nFrameTime 0.01\n1 2 3 4 5 6\n7 8 9 10 11 12\n",
        ONE_ROOT "MOTION\nFrame Time: 0.01\nFrames: 2\n1. +2 3.0 4e0 50e-1 .6e1\n7 8 9 10 11 12\n",
        "\xef\xbb\xbfhierarchy\r\nroot r\r\n{\r\noffset 0 0 0\r\nchannels 6 xPOSITION yposition zposition zrotation "
        "xrotation yrotation\r\n}\r\nMotion\r\nFrames: 2\r\nFrame Time: 0.01\r\n1 2 3 4 5 6\r\n7 8 9 10 11 12\r\n",
        "HIERARCHY\rROOT r\r{\rOFFSET 0 0 0\rCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation "
        "Yrotation\r}\rMOTION\rFrames: 2\rFrame Time: 0.01\r1 2 3 4 5 6\r7 8 9 10 11 12\r",
        "HIERARCHY ROOT r { OFFSET 0 0 0 CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation } "
        "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2 3 4 5 6\n7 8 9 10 11 12\n"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
        assert_values(texts[i], expected, 2, 6, 0);
    // Wrapped rows, and rows that do not end where lines end but come out even: read, with a word.
    assert_values(ONE_ROOT "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2\n3 4 5 6\n7 8 9 10\n11 12\n", expected, 2, 6, 1);
    assert_values(ONE_ROOT "MOTION\nFrames: 2\nFrame Time: 0.01\n1 2 3 4 5 6 7 8\n9 10 11 12\n", expected, 2, 6, 1);
}

static void test_io_bvh__last_row_needs_no_newline(void** state)
{
    (void)state;
    const double expected[] = {1, 2, 3, 4, 5, 6};
    assert_values(ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 5 6", expected, 1, 6, 0);
}

static void test_io_bvh__frame_counts_that_are_wrong_shift_nothing(void** state)
{
    (void)state;
    const double expected[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    static const char* const counts[] = {"0", "1", "3", "2000000000", "99999999999999999999"};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; ++i)
    {
        char text[1024];
        snprintf(text, sizeof text, "%sMOTION\nFrames: %s\nFrame Time: 0.01\n1 2 3 4 5 6\n7 8 9 10 11 12\n", ONE_ROOT,
                 counts[i]);
        assert_values(text, expected, 2, 6, 1);
    }
    // A cut row is left out: one word for it, one for the count.
    assert_values(ONE_ROOT "MOTION\nFrames: 3\nFrame Time: 0.01\n1 2 3 4 5 6\n7 8 9 10 11 12\n13 14 15 16 1", expected,
                  2, 6, 2);
    assert_values(ONE_ROOT "MOTION\nFrames: 3\nFrame Time: 0.01\n1 2 3 4 5 6\n7 8 9 10 11 12\n13 14 15 16 17 1e",
                  expected, 2, 6, 2);
}

static void test_io_bvh__frame_time_that_is_a_rate_is_mended(void** state)
{
    (void)state;
    static const struct
    {
        const char* written;
        double seconds;
        int warnings;
    } cases[] = {{"0.0083333", 0.0083333, 0}, {".0083333", 0.0083333, 0}, {"1", 1.0, 0},
                 {"30", 1.0 / 30.0, 1},       {"120.0", 1.0 / 120.0, 1},  {"29.97", 1.0 / 29.97, 1},
                 {"33.3333", 0.0333333, 1},   {"16.667", 0.016667, 1},    {"8.3333", 0.0083333, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[1024];
        snprintf(text, sizeof text, "%sMOTION\nFrames: 1\nFrame Time: %s\n1 2 3 4 5 6\n", ONE_ROOT, cases[i].written);
        sft_bvh* bvh = read_text(text);
        assert_true(fabs(sft_bvh_view(bvh)->frame_time - cases[i].seconds) < 1e-12);
        assert_int_equal(sft_bvh_view(bvh)->warning_count, cases[i].warnings);
        // What was mended is written in seconds and reads without a word.
        char* out = NULL;
        size_t size = 0;
        assert_int_equal(sft_bvh_write(bvh, NULL, &out, &size), SFT_OK);
        sft_bvh* again = read_text(out);
        assert_true(sft_bvh_view(again)->frame_time == sft_bvh_view(bvh)->frame_time);
        assert_int_equal(sft_bvh_view(again)->warning_count, 0);
        free(out);
        sft_bvh_destroy(again);
        sft_bvh_destroy(bvh);
    }
}

static void test_io_bvh__odd_hierarchies_read(void** state)
{
    (void)state;
    sft_bvh* bvh = read_text("HIERARCHY\n"
                             "ROOT  My \xc3\xa9 \xff root (1)  \n{\nOFFSET 1 2 3\nCHANNELS 1 Yrotation\n"
                             "JOINT same\n{\nOFFSET 0 0 0\nCHANNELS 0\nJOINT same\n{\nCHANNELS 3 Zposition Xposition "
                             "Yposition\nOFFSET 0 1 0\n}\nEnd Site\n{\n}\n}\n}\n"
                             "ROOT second{\nOFFSET 0 0 0\nEnd Effector\n{\nOFFSET 0 0 1\n}\n}\n"
                             "MOTION\nFrames: 1\nFrame Time: 0.01\n5 0 0 1\n");
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    assert_int_equal(view->joint_count, 6);
    assert_string_equal(view->joints[0].name, "My \xc3\xa9 \xff root (1)");
    assert_int_equal(view->joints[1].channel_count, 0);
    assert_string_equal(view->joints[1].name, view->joints[2].name);
    assert_int_equal(view->joints[2].parent, 1);
    assert_int_equal(view->joints[2].channel_first, 1);
    assert_int_equal(view->joints[2].channels[0], SFT_BVH_ZPOSITION);
    assert_true(view->joints[3].end_site && view->joints[3].parent == 1);
    assert_int_equal(view->joints[4].parent, -1);
    assert_string_equal(view->joints[4].name, "second");
    assert_int_equal(view->joints[4].channel_count, 0);
    assert_string_equal(view->joints[5].name, "second");
    // The End Site without OFFSET is the one thing to say.
    assert_int_equal(view->warning_count, 1);
    char* text = NULL;
    size_t size = 0;
    assert_int_equal(sft_bvh_write(bvh, NULL, &text, &size), SFT_OK);
    assert_non_null(strstr(text, "End Effector"));
    sft_bvh* again = read_text(text);
    for (int32_t j = 0; j < 6; ++j)
        assert_string_equal(sft_bvh_view(again)->joints[j].name, view->joints[j].name);
    free(text);
    sft_bvh_destroy(again);
    sft_bvh_destroy(bvh);
}

static void test_io_bvh__writes_line_ends_and_indent_as_read(void** state)
{
    (void)state;
    static const char* const ends[] = {"\n", "\r\n", "\r"};
    for (size_t e = 0; e < 3; ++e)
    {
        char text[1024] = "";
        static const char* const lines[] = {
            "HIERARCHY", "ROOT r", "{",         "   OFFSET 1 2 3",  "   CHANNELS 1 Xrotation",
            "}",         "MOTION", "Frames: 1", "Frame Time: 0.25", "7.5"};
        for (size_t i = 0; i < sizeof lines / sizeof lines[0]; ++i)
        {
            strcat(text, lines[i]);
            strcat(text, ends[e]);
        }
        sft_bvh* bvh = read_text(text);
        char* out = NULL;
        size_t size = 0;
        assert_int_equal(sft_bvh_write(bvh, NULL, &out, &size), SFT_OK);
        assert_string_equal(out, text);
        free(out);
        sft_bvh_destroy(bvh);
    }
}

static void test_io_bvh__padding_behind_the_text_is_skipped(void** state)
{
    (void)state;
    static const char text[] = ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.01\n1 2 3 4 5 6\n\x1a\0\0\0";
    sft_bvh* bvh = NULL;
    assert_int_equal(sft_bvh_read(NULL, text, sizeof text, NULL, &bvh, NULL), SFT_OK);
    assert_int_equal(sft_bvh_view(bvh)->frame_count, 1);
    assert_int_equal(sft_bvh_view(bvh)->warning_count, 1);
    sft_bvh_destroy(bvh);
}

// ---- what is refused, and how it is said ----

static void test_io_bvh__errors_say_where_and_what_to_do(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        uint32_t line;
        const char* joint;
        const char* says;
    } cases[] = {
        {"", 1, "", "HIERARCHY"},
        {"hello\n", 1, "", "HIERARCHY"},
        {"HIERARCHY\n", 2, "", "ROOT"},
        {"\xff\xfeH", 1, "", "UTF-8"},
        {"HIERARCHY\nROOT a\nOFFSET 0 0 0\n", 3, "a", "brace"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 0\n}\n", 5, "a", "OFFSET"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0,5 0 0\n}\n", 4, "a", "comma"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 nan 0\n}\n", 4, "a", "finite"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nOFFSET 0 0 0\n}\n", 5, "a", "second"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 2 Xrotation Yrotaton\n}\n", 4, "a", "Yrotaton"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 2 Xposition Xposition\n}\n", 4, "a", "twice"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 9 Xposition\n}\n", 4, "a", "9"},
        {"HIERARCHY\nROOT a\n{\nCHANNELS 1.5 Xposition\n}\n", 4, "a", "how many"},
        {"HIERARCHY\nROOT a\n{\nJOINT b\n{\nOFFSET 0 0 0\n}\nOFFSET 0 0 0\n}\n", 8, "a", "above"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\nJOINT b\n{\n}\n", 6, "", "brace"},
        {"HIERARCHY\nROOT a\n{\nROOT b\n{\n}\n}\n", 4, "a", "brace"},
        {"HIERARCHY\nROOT a\n{\nEnd Site\n{\nJOINT b\n{\n}\n}\n}\n", 6, "a", "End Site"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\nMOTION\n", 5, "a", "line 2"},
        {"HIERARCHY\nROOT a\n{\nOFFSET 0 0 0\n}\n", 6, "", "MOTION"},
        {"HIERARCHY\nMOTION\n", 2, "", "ROOT"},
        {ONE_ROOT "MOTION\nFrame: 2\n", 8, "", "Frames"},
        {ONE_ROOT "MOTION\nFrames: -2\n", 8, "", "-2"},
        {ONE_ROOT "MOTION\nFrames: 1.5\n", 8, "", "1.5"},
        {ONE_ROOT "MOTION\nFrames: 1\n", 9, "", "Frame Time"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0\n", 9, "", "seconds"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: -0.1\n", 9, "", "seconds"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0,1\n", 9, "", "comma"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 NaN 6\n", 10, "r", "Xrotation"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 -1.#IND 6\n", 10, "r", "finite"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 1e999 6\n", 10, "r", "large"},
        {ONE_ROOT "MOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3 4 5 6\n1 2 3,5 4 5 6\n", 11, "r", "frame 1, r Zposition"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 5x 6\n", 10, "r", "5x"},
        {ONE_ROOT "MOTION\nFrames: 1\nFrame Time: 0.1\n1 2 3 4 5 1.2.3\n", 10, "r", "1.2.3"},
        // A row in the middle with a number too few, or too many: reading on would shift the rest.
        {ONE_ROOT "MOTION\nFrames: 3\nFrame Time: 0.1\n1 2 3 4 5 6\n1 2 3 4 5\n1 2 3 4 5 6\n", 11, "", "5 numbers"},
        {ONE_ROOT "MOTION\nFrames: 3\nFrame Time: 0.1\n1 2 3 4 5 6\n1 2 3 4 5 6 7\n1 2 3 4 5 6\n", 11, "", "7 numbers"},
        {ONE_ROOT "MOTION\nFrames: 3\nFrame Time: 0.1\n1 2 3 4 5 6\n1 2 3 4 5\n1 2 3 4 5 6 7\n", 11, "", "5 numbers"},
        {ONE_ROOT "MOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3 4 5 6 7\n1 2 3 4 5 6 7\n", 10, "", "7 numbers"},
        {ONE_ROOT "MOTION\nFrames: 2\nFrame Time: 0.1\n1 2 3\n", 11, "", "cut"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        sft_bvh* bvh = (sft_bvh*)(void*)state;
        sft_bvh* const untouched = bvh;
        sft_error error = {.code = SFT_OK};
        const sft_result result = sft_bvh_read(NULL, cases[i].text, strlen(cases[i].text), NULL, &bvh, &error);
        if (result == SFT_OK) fail_msg("case %zu was read", i);
        assert_int_equal(result, error.code);
        assert_ptr_equal(bvh, untouched);
        if (error.line != cases[i].line || strcmp(error.joint, cases[i].joint) != 0 ||
            strstr(error.message, cases[i].says) == NULL)
            fail_msg("case %zu: line %u, joint '%s': %s", i, error.line, error.joint, error.message);
    }
}

static void test_io_bvh__warnings_are_bounded(void** state)
{
    (void)state;
    char* text = malloc(100000);
    int n = sprintf(text, "HIERARCHY\n");
    for (int i = 0; i < 500; ++i)
        n += sprintf(text + n, "ROOT r%d\n{\n}\n", i);
    sprintf(text + n, "MOTION\nFrames: 0\nFrame Time: 1\n");
    sft_bvh* bvh = read_text(text);
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    assert_int_equal(view->warning_count, 32);
    assert_non_null(strstr(view->warnings[31].message, "469 more"));
    assert_int_equal(view->warnings[1].line, 5);
    sft_bvh_destroy(bvh);
    free(text);
}

static void test_io_bvh__settings_are_checked(void** state)
{
    (void)state;
    sft_bvh* bvh = NULL;
    sft_bvh_read_def def = {0};
    assert_int_equal(sft_bvh_read(&def, walker, strlen(walker), NULL, &bvh, NULL), SFT_ERR_DEF);
    def = sft_default_bvh_read_def();
    def.positions = (sft_bvh_positions)7;
    assert_int_equal(sft_bvh_read(&def, walker, strlen(walker), NULL, &bvh, NULL), SFT_ERR_DEF);
    def = sft_default_bvh_read_def();
    def.max_bytes = 10;
    assert_int_equal(sft_bvh_read(&def, walker, strlen(walker), NULL, &bvh, NULL), SFT_ERR_LIMIT);
    assert_int_equal(sft_bvh_read(NULL, NULL, 5, NULL, &bvh, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_bvh_read(NULL, walker, strlen(walker), NULL, NULL, NULL), SFT_ERR_ARG);
    assert_null(bvh);
    assert_null(sft_bvh_view(NULL));
    sft_bvh_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_bvh__reads_what_stands_there),
        cmocka_unit_test(test_io_bvh__writes_what_it_read),
        cmocka_unit_test(test_io_bvh__numbers_that_run_together_are_parted),
        cmocka_unit_test(test_io_bvh__any_layout_of_blanks_and_lines),
        cmocka_unit_test(test_io_bvh__last_row_needs_no_newline),
        cmocka_unit_test(test_io_bvh__frame_counts_that_are_wrong_shift_nothing),
        cmocka_unit_test(test_io_bvh__frame_time_that_is_a_rate_is_mended),
        cmocka_unit_test(test_io_bvh__odd_hierarchies_read),
        cmocka_unit_test(test_io_bvh__writes_line_ends_and_indent_as_read),
        cmocka_unit_test(test_io_bvh__padding_behind_the_text_is_skipped),
        cmocka_unit_test(test_io_bvh__errors_say_where_and_what_to_do),
        cmocka_unit_test(test_io_bvh__warnings_are_bounded),
        cmocka_unit_test(test_io_bvh__settings_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
