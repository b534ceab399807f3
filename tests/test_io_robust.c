// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Hostile and unlucky input: cut, flipped, deep, lying about its size; memory that runs out; memory that is measured.

#include "support/support.h"

// Small, and with everything in it: two roots, End Sites, odd names, all kinds of numbers.
static const char corpus[] =
    "HIERARCHY\n"
    "ROOT Hips \xc3\xa9\n{\n\tOFFSET 0.0 93.5 -0.0\n"
    "\tCHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation\n"
    "\tJOINT Leg\n\t{\n\t\tOFFSET 9.0 -4.0 1e-3\n\t\tCHANNELS 3 Zrotation Xrotation Yrotation\n"
    "\t\tEnd Site\n\t\t{\n\t\t\tOFFSET 0 -42 0\n\t\t}\n\t}\n}\n"
    "ROOT Prop\r\n{\r\n\tOFFSET 1 2 3\r\n\tCHANNELS 1 Yrotation\r\n}\r\n"
    "MOTION\nFrames: 3\nFrame Time: 0.0333333\n"
    "0 94 0 -0 0 0 20 0.1 1.5e-07 4\n"
    "2 94.3 3.5-7.25 0 0.25 12 0 -5 3.00000000000000000000001\n"
    "3 94.3 3.5 -7.25 0 0.25 12 0 0.30000000000000004 1\n";

// Reads, and if that works writes, reads again, and makes a clip. The copy has exactly `size` bytes, so that a
// sanitizer sees a step beyond.
static void exercise(const char* bytes, size_t size)
{
    char* copy = malloc(size > 0 ? size : 1);
    memcpy(copy, bytes, size);
    sft_bvh *bvh = NULL, *again = NULL;
    sft_error error = {.code = SFT_OK};
    const sft_result result = sft_bvh_read(NULL, copy, size, NULL, &bvh, &error);
    free(copy);
    if (result != SFT_OK)
    {
        assert_int_equal(error.code, result);
        assert_true(error.byte <= size && error.message[0] != '\0');
        assert_null(bvh);
        return;
    }
    char* text = NULL;
    size_t length = 0;
    assert_int_equal(sft_bvh_write(bvh, NULL, &text, &length), SFT_OK);
    if (sft_bvh_read(NULL, text, length, NULL, &again, &error) != SFT_OK)
        fail_msg("own text, line %u: %s", error.line, error.message);
    const sft_bvh_contents *a = sft_bvh_view(bvh), *b = sft_bvh_view(again);
    assert_int_equal(a->frame_count, b->frame_count);
    assert_int_equal(a->channel_count, b->channel_count);
    const size_t count = (size_t)a->frame_count * (size_t)a->channel_count;
    if (count > 0) assert_memory_equal(a->values, b->values, count * sizeof(double));
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    if (sft_bvh_to_clip(bvh, NULL, &skeleton, &clip) == SFT_OK)
    {
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
    }
    free(text);
    sft_bvh_destroy(bvh);
    sft_bvh_destroy(again);
}

static void test_io_robust__every_truncation(void** state)
{
    (void)state;
    for (size_t size = 0; size < sizeof corpus; ++size)
        exercise(corpus, size);
}

static void test_io_robust__every_byte_flipped_many_ways(void** state)
{
    (void)state;
    char text[sizeof corpus];
    memcpy(text, corpus, sizeof corpus);
    static const unsigned char flips[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};
    static const char others[] = "\0 \n\r{}-.,e9:";
    for (size_t i = 0; i + 1 < sizeof corpus; ++i)
    {
        for (size_t f = 0; f < sizeof flips; ++f)
        {
            text[i] = (char)(corpus[i] ^ (char)flips[f]);
            exercise(text, sizeof corpus - 1);
        }
        for (size_t o = 0; o + 1 < sizeof others; ++o)
        {
            text[i] = others[o];
            exercise(text, sizeof corpus - 1);
        }
        text[i] = corpus[i];
    }
}

static void test_io_robust__pieces_moved_about(void** state)
{
    (void)state;
    support_rng rng = {9};
    char text[2 * sizeof corpus];
    for (int n = 0; n < 4000; ++n)
    {
        size_t size = sizeof corpus - 1;
        memcpy(text, corpus, size);
        for (int edits = 0; edits < 3; ++edits)
        {
            const size_t from = (size_t)support_uniform(&rng, 0.0, (double)size);
            const size_t length = (size_t)support_uniform(&rng, 0.0, 40.0);
            const size_t to = (size_t)support_uniform(&rng, 0.0, (double)size);
            if (from + length > size || to + length > size) continue;
            if (n % 2 == 0)
                memmove(text + to, text + from, length); // copied over
            else
            {
                memmove(text + from, text + from + length, size - from - length); // taken out
                size -= length;
            }
        }
        exercise(text, size);
    }
}

// ---- memory ----

static void test_io_robust__every_allocation_may_fail(void** state)
{
    (void)state;
    for (long fail_at = 0;; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_bvh *bvh = NULL, *part = NULL, *made = NULL, *fresh = NULL;
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        char* text = NULL;
        size_t size = 0;
        sft_error error = {.code = SFT_OK};
        sft_result r = sft_bvh_read(NULL, corpus, sizeof corpus - 1, &allocator, &bvh, &error);
        if (r != SFT_OK) assert_int_equal(error.code, SFT_ERR_MEMORY);
        if (r == SFT_OK) r = sft_bvh_to_clip(bvh, &allocator, &skeleton, &clip);
        if (r == SFT_OK) r = sft_bvh_slice(bvh, 1, 3, &allocator, &part);
        if (r == SFT_OK) r = sft_bvh_from_clip(bvh, clip, NULL, &allocator, &made);
        if (r == SFT_OK) r = sft_bvh_create(skeleton, clip, &allocator, &fresh);
        if (r == SFT_OK) r = sft_bvh_write(bvh, &allocator, &text, &size);
        assert_true(r == SFT_OK || r == SFT_ERR_MEMORY);
        if (text != NULL) allocator.release(allocator.user, text, size + 1);
        sft_bvh_destroy(bvh);
        sft_bvh_destroy(part);
        sft_bvh_destroy(made);
        sft_bvh_destroy(fresh);
        sft_skeleton_destroy(skeleton, &allocator);
        sft_clip_destroy(clip, &allocator);
        assert_int_equal(heap.live_blocks, 0);
        assert_int_equal(heap.live_bytes, 0);
        if (r == SFT_OK)
        {
            assert_true(fail_at > 20);
            return;
        }
    }
}

static char* long_text(int rows, int columns, long declared, size_t* size)
{
    char* text = malloc((size_t)rows * (size_t)columns * 12 + 4096 + (size_t)columns * 64);
    int n = sprintf(text, "HIERARCHY\n");
    for (int c = 0; c < columns; ++c)
        n += sprintf(text + n, "ROOT r%d\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\n", c);
    char* p = text + n + sprintf(text + n, "MOTION\nFrames: %ld\nFrame Time: 0.01\n", declared);
    for (int r = 0; r < rows; ++r)
    {
        for (int c = 0; c < columns; ++c)
            p += sprintf(p, "%d.%04d ", (r * 7 + c) % 360, (r * 31 + c * 17) % 10000);
        p[-1] = '\n';
    }
    *size = (size_t)(p - text);
    return text;
}

static size_t peak_of_reading(int rows, int columns, long declared)
{
    size_t size = 0;
    char* text = long_text(rows, columns, declared, &size);
    support_heap heap = {.fail_at = -1};
    const sft_allocator allocator = support_allocator(&heap);
    sft_bvh* bvh = NULL;
    assert_int_equal(sft_bvh_read(NULL, text, size, &allocator, &bvh, NULL), SFT_OK);
    assert_int_equal(sft_bvh_view(bvh)->frame_count, rows);
    sft_bvh_destroy(bvh);
    assert_int_equal(heap.live_bytes, 0);
    free(text);
    return heap.peak_bytes;
}

static void test_io_robust__memory_is_at_most_twice_the_numbers(void** state)
{
    (void)state;
    const int rows = 4000, columns = 60;
    const size_t numbers = (size_t)rows * (size_t)columns * sizeof(double), hierarchy = 64 * 1024;
    // The right count costs the numbers once; wrong ones at most twice, however wrong.
    assert_true(peak_of_reading(rows, columns, rows) <= numbers + hierarchy);
    const long declared[] = {0, 1, 3999, 2000, 4001, 4800, 5200, 100000, 2147483647, 2000000000000};
    for (size_t i = 0; i < sizeof declared / sizeof declared[0]; ++i)
        assert_true(peak_of_reading(rows, columns, declared[i]) <= 2 * numbers + hierarchy);
}

static void test_io_robust__a_lying_count_allocates_nothing(void** state)
{
    (void)state;
    assert_true(peak_of_reading(1, 6, 2000000000) < 64 * 1024);
}

// ---- size ----

static void test_io_robust__sixty_thousand_joints_deep(void** state)
{
    (void)state;
    const int depth = 60000;
    char* text = malloc((size_t)depth * 64 + 1024);
    char* p = text + sprintf(text, "HIERARCHY\nROOT j\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n");
    for (int i = 1; i < depth; ++i)
        p += sprintf(p, "JOINT j\n{\nOFFSET 0 0 1\nCHANNELS 1 Yrotation\n");
    for (int i = 0; i < depth; ++i)
        p += sprintf(p, "}\n");
    p += sprintf(p, "MOTION\nFrames: 1\nFrame Time: 0.01\n");
    for (int i = 0; i < depth; ++i)
        p += sprintf(p, "%d ", i % 90);
    sft_bvh *bvh = NULL, *again = NULL;
    sft_error error;
    if (sft_bvh_read(NULL, text, (size_t)(p - text), NULL, &bvh, &error) != SFT_OK) fail_msg("%s", error.message);
    assert_int_equal(sft_bvh_view(bvh)->joint_count, depth);
    assert_int_equal(sft_bvh_view(bvh)->joints[depth - 1].parent, depth - 2);
    char* out = NULL;
    size_t size = 0;
    assert_int_equal(sft_bvh_write(bvh, NULL, &out, &size), SFT_OK);
    assert_int_equal(sft_bvh_read(NULL, out, size, NULL, &again, NULL), SFT_OK);
    assert_memory_equal(sft_bvh_view(bvh)->values, sft_bvh_view(again)->values, (size_t)depth * sizeof(double));
    free(out);
    free(text);
    sft_bvh_destroy(again);
    sft_bvh_destroy(bvh);
}

static void test_io_robust__too_many_joints_is_a_limit(void** state)
{
    (void)state;
    const int count = SFT_MAX_JOINTS + 1;
    char* text = malloc((size_t)count * 16 + 1024);
    char* p = text + sprintf(text, "HIERARCHY\n");
    for (int i = 0; i < count; ++i)
        p += sprintf(p, "ROOT j\n{\n}\n");
    sft_bvh* bvh = NULL;
    sft_error error;
    assert_int_equal(sft_bvh_read(NULL, text, (size_t)(p - text), NULL, &bvh, &error), SFT_ERR_LIMIT);
    assert_int_equal(error.line, 3 * SFT_MAX_JOINTS + 2);
    free(text);
}

// Digits without end cost time in proportion, no more.
static void test_io_robust__very_long_numbers(void** state)
{
    (void)state;
    const size_t digits = 3000000;
    char* text = malloc(digits + 1024);
    char* p = text + sprintf(text, "HIERARCHY\nROOT r\n{\nOFFSET 0 0 0\nCHANNELS 1 Xrotation\n}\nMOTION\nFrames: 1\n"
                                   "Frame Time: 0.01\n0.");
    memset(p, '3', digits);
    sft_bvh* bvh = NULL;
    assert_int_equal(sft_bvh_read(NULL, text, (size_t)(p - text) + digits, NULL, &bvh, NULL), SFT_OK);
    assert_true(sft_bvh_view(bvh)->values[0] == 1.0 / 3.0);
    sft_bvh_destroy(bvh);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_robust__every_truncation),
        cmocka_unit_test(test_io_robust__every_byte_flipped_many_ways),
        cmocka_unit_test(test_io_robust__pieces_moved_about),
        cmocka_unit_test(test_io_robust__every_allocation_may_fail),
        cmocka_unit_test(test_io_robust__memory_is_at_most_twice_the_numbers),
        cmocka_unit_test(test_io_robust__a_lying_count_allocates_nothing),
        cmocka_unit_test(test_io_robust__sixty_thousand_joints_deep),
        cmocka_unit_test(test_io_robust__too_many_joints_is_a_limit),
        cmocka_unit_test(test_io_robust__very_long_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
