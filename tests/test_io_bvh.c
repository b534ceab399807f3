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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_bvh__reads_what_stands_there),
        cmocka_unit_test(test_io_bvh__writes_what_it_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
