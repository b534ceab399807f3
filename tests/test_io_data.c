// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Files of real exporters, and files broken in known ways, from the optional data folder.

#include "support/support.h"

static sft_bvh* read_file(const char* path, sft_result* result, sft_error* error)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_bvh* bvh = NULL;
    assert_int_equal(sft_file_read(path, (size_t)1 << 30, NULL, &bytes, &size, error), SFT_OK);
    *result = sft_bvh_read(NULL, bytes, size, NULL, &bvh, error);
    free(bytes);
    return bvh;
}

static void assert_same_document(const sft_bvh_contents* a, const sft_bvh_contents* b)
{
    assert_int_equal(a->joint_count, b->joint_count);
    assert_int_equal(a->channel_count, b->channel_count);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_memory_equal(&a->frame_time, &b->frame_time, sizeof a->frame_time);
    assert_int_equal(a->positions, b->positions);
    for (int32_t j = 0; j < a->joint_count; ++j)
    {
        assert_string_equal(a->joints[j].name, b->joints[j].name);
        assert_int_equal(a->joints[j].parent, b->joints[j].parent);
        assert_int_equal(a->joints[j].end_site, b->joints[j].end_site);
        assert_int_equal(a->joints[j].channel_count, b->joints[j].channel_count);
        assert_memory_equal(a->joints[j].channels, b->joints[j].channels, 6);
        assert_memory_equal(&a->joints[j].offset, &b->joints[j].offset, sizeof a->joints[j].offset);
    }
    const size_t count = (size_t)a->frame_count * (size_t)a->channel_count;
    if (count > 0) assert_memory_equal(a->values, b->values, count * sizeof(double));
}

static void check_round_trip(const sft_bvh* bvh)
{
    char* text = NULL;
    size_t size = 0;
    sft_bvh* again = NULL;
    sft_error error;
    assert_int_equal(sft_bvh_write(bvh, NULL, &text, &size), SFT_OK);
    if (sft_bvh_read(NULL, text, size, NULL, &again, &error) != SFT_OK) fail_msg("own text: %s", error.message);
    assert_same_document(sft_bvh_view(bvh), sft_bvh_view(again));
    assert_int_equal(sft_bvh_view(again)->warning_count, 0);
    free(text);
    sft_bvh_destroy(again);
}

// Each line of the manifest that begins with bvh/, without asking the system for a folder's list.
static void test_io_data__every_real_file_reads_and_comes_back(void** state)
{
    (void)state;
    char path[1024], line[4096];
    if (!support_data("MANIFEST.tsv", path, sizeof path)) skip();
    FILE* manifest = fopen(path, "r");
    assert_non_null(manifest);
    int files = 0;
    while (fgets(line, sizeof line, manifest) != NULL)
    {
        if (strncmp(line, "bvh/", 4) != 0) continue;
        *strchr(line, '\t') = '\0';
        if (!support_data(line, path, sizeof path)) continue;
        sft_error error;
        sft_result result;
        sft_bvh* bvh = read_file(path, &result, &error);
        if (result != SFT_OK) fail_msg("%s, line %u: %s", line, error.line, error.message);
        check_round_trip(bvh);
        ++files;
        sft_bvh_destroy(bvh);
    }
    fclose(manifest);
    assert_true(files > 30);
}

static void test_io_data__broken_files_do_what_is_expected(void** state)
{
    (void)state;
    char path[2048], line[1024], name[1100];
    if (!support_data("malformed_bvh/EXPECT.tsv", path, sizeof path)) skip();
    FILE* expect = fopen(path, "r");
    assert_non_null(expect);
    int files = 0;
    while (fgets(line, sizeof line, expect) != NULL)
    {
        char* wanted = strchr(line, '\t');
        if (wanted == NULL || strncmp(line, "file\t", 5) == 0) continue;
        *wanted++ = '\0';
        *strchr(wanted, '\t') = '\0';
        snprintf(name, sizeof name, "malformed_bvh/%s", line);
        assert_true(support_data(name, path, sizeof path));
        sft_error error;
        sft_result result;
        sft_bvh* bvh = read_file(path, &result, &error);
        const bool ok = result == SFT_OK;
        const bool warned = ok && sft_bvh_view(bvh)->warning_count > 0;
        if (strcmp(wanted, "accept") == 0 && !ok) fail_msg("%s must read: %s", line, error.message);
        if (strcmp(wanted, "error") == 0 && ok) fail_msg("%s must be refused", line);
        if (strcmp(wanted, "warn_ok") == 0 && !warned) fail_msg("%s must read with a warning", line);
        if (strcmp(wanted, "error_or_warn") == 0 && ok && !warned) fail_msg("%s read without a word", line);
        if (!ok) assert_true(error.line > 0 && strlen(error.message) > 20);
        if (ok) check_round_trip(bvh);
        sft_bvh_destroy(bvh);
        ++files;
    }
    fclose(expect);
    assert_true(files > 20);
}

static void test_io_data__position_channels_are_understood(void** state)
{
    (void)state;
    // Root and inner joints: 1 replace, 2 add, 0 does not matter.
    static const struct
    {
        const char* file;
        int root, inner;
    } cases[] = {{"bvh/geno_stance_6ch.bvh", 1, 1},
                 {"bvh/bvhacker_walk_cycle_42.bvh", 0, 1},
                 {"bvh/bvhacker_walk_cycle_43.bvh", 0, 1},
                 {"bvh/kinect_brekel_a.bvh", 1, 1},
                 {"bvh/makehuman_tpose.bvh", 1, 2},
                 {"bvh/makehuman_walk1.bvh", 2, 0},
                 {"bvh/makehuman_dance1.bvh", 1, 0},
                 {"bvh/opensim_gait2354_walk_overground.bvh", 0, 1},
                 {"bvh/opensim_gait2354_walk_treadmill.bvh", 0, 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char path[1024];
        if (!support_data(cases[i].file, path, sizeof path)) continue;
        sft_error error;
        sft_result result;
        sft_bvh* bvh = read_file(path, &result, &error);
        assert_int_equal(result, SFT_OK);
        const sft_bvh_contents* view = sft_bvh_view(bvh);
        if (cases[i].root != 0) assert_int_equal(view->joints[0].positions_replace, cases[i].root == 1);
        for (int32_t j = 1; j < view->joint_count && cases[i].inner != 0; ++j)
            assert_int_equal(view->joints[j].positions_replace, cases[i].inner == 1);
        if (cases[i].inner != 0) assert_int_equal(view->positions, cases[i].inner);
        assert_true(strlen(view->positions_reason) > 10);
        sft_bvh_destroy(bvh);
    }
}

static void test_io_data__wrong_count_says_both_numbers(void** state)
{
    (void)state;
    char path[1024];
    if (!support_data("bvh/boxing_toes.bvh", path, sizeof path)) skip();
    sft_error error;
    sft_result result;
    sft_bvh* bvh = read_file(path, &result, &error);
    assert_int_equal(result, SFT_OK);
    const sft_bvh_contents* view = sft_bvh_view(bvh);
    assert_int_equal(view->frame_count, 3070);
    assert_int_equal(view->warning_count, 1);
    assert_non_null(strstr(view->warnings[0].message, "3069"));
    assert_non_null(strstr(view->warnings[0].message, "3070"));
    sft_bvh_destroy(bvh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_data__every_real_file_reads_and_comes_back),
        cmocka_unit_test(test_io_data__broken_files_do_what_is_expected),
        cmocka_unit_test(test_io_data__position_channels_are_understood),
        cmocka_unit_test(test_io_data__wrong_count_says_both_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
