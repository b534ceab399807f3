// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The JSON reader on what is made to hurt: depth, sizes, memory that runs out, texts cut and patched anywhere.

#include "support/support.h"

#include "json/json.h"

/// A text of `pattern` over and over.
typedef struct hostile
{
    const char *head, *pattern, *tail;
    size_t times;
} hostile;

static char* make(const hostile* h, size_t* size)
{
    const size_t head = strlen(h->head), one = strlen(h->pattern), tail = strlen(h->tail);
    char* text = malloc(head + one * h->times + tail + 1);
    memcpy(text, h->head, head);
    for (size_t i = 0; i < h->times; ++i)
        memcpy(text + head + i * one, h->pattern, one);
    memcpy(text + head + h->times * one, h->tail, tail);
    *size = head + one * h->times + tail;
    return text;
}

#define DEEP_50 "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]],"

static void test_json__memory_stays_within_six_times_any_text(void** state)
{
    (void)state;
    static const hostile texts[] = {
        {"[", "[],", "[]]", 100000},
        {"[", "1,", "1]", 100000},
        {"[1", ",\"\"", "]", 100000},
        {"[[]", ",1,[]", "]", 100000},
        {"[", "{},", "{}]", 100000},
        {"[", DEEP_50, "0]", 2000},
        {"{\"\":0", ",\"\":0", "}", 100000},
        {"{\"\":[]", ",\"\":[]", "}", 100000},
        {"[", "{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":{\"\":0}}}}}}}},", "0]", 20000},
        {"[\"", "[{:", "\"]", 100000},
        {"[", "[", "", 500000},
        {"", "{\"\":", "", 100},
        {"[", "[{:", "", 100000},
        {"[", "          ", "]", 10000},
        {"\"", "\\u0041", "\"", 10000},
        {"", "9", "", 100000},
        {"[", "", "]", 0},
        {"", "", "", 0},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
    {
        size_t size;
        char* text = make(&texts[i], &size);
        support_heap heap = {.fail_at = -1};
        const sft_allocator allocator = support_allocator(&heap);
        sft_json* json = NULL;
        if (sft_json_parse(&allocator, text, size, NULL, &json, NULL) == SFT_OK)
        {
            sft_json_value key;
            assert_int_equal(sft_json_find_duplicate(json, (sft_json_value){0}, &key), SFT_OK);
        }
        // A document of a few bytes costs its own record.
        if (heap.peak_bytes > 6 * size + 256)
            fail_msg("text %d: %d bytes of memory for %d of text", (int)i, (int)heap.peak_bytes, (int)size);
        sft_json_destroy(json);
        assert_int_equal(heap.live_blocks, 0);
        free(text);
    }
}

static void test_json__depth_is_limited_and_costs_no_stack(void** state)
{
    (void)state;
    const size_t deep = 2000000;
    const char* const kinds[] = {"[", "{\"\":"};
    for (size_t k = 0; k < 2; ++k)
    {
        const size_t one = strlen(kinds[k]);
        char* text = malloc(deep * (one + 1) + 1);
        for (size_t i = 0; i < deep; ++i)
            memcpy(text + i * one, kinds[k], one);
        // The innermost member needs a value.
        size_t size = deep * one;
        text[size - 1] = k == 0 ? '[' : ':';
        if (k == 1) text[size++] = '0';
        memset(text + size, k == 0 ? ']' : '}', deep);
        size += deep;
        sft_json* json = NULL;
        sft_error error = {0};
        assert_int_equal(sft_json_parse(NULL, text, size, NULL, &json, &error), SFT_ERR_LIMIT);
        assert_int_equal(error.byte, 512 * one);
        assert_non_null(strstr(error.message, "512"));
        sft_json_options options = sft_json_default_options();
        options.max_depth = (uint32_t)deep;
        assert_int_equal(sft_json_parse(NULL, text, size, &options, &json, &error), SFT_OK);
        sft_json_value v = sft_json_root(json);
        for (int i = 0; i < 1000; ++i)
            v = k == 0 ? sft_json_at(json, v, 0) : sft_json_get(json, v, "");
        assert_int_equal(v.kind, k == 0 ? SFT_JSON_ARRAY : SFT_JSON_OBJECT);
        assert_int_equal(v.start, 1000 * one);
        sft_json_destroy(json);
        options.max_depth = (uint32_t)deep - 1;
        assert_int_equal(sft_json_parse(NULL, text, size, &options, &json, &error), SFT_ERR_LIMIT);
        // Cut in the middle: an error, not a crash.
        options.max_depth = UINT32_MAX;
        assert_int_equal(sft_json_parse(NULL, text, deep * one, &options, &json, &error), SFT_ERR_SYNTAX);
        free(text);
    }
}

static void test_json__values_are_limited(void** state)
{
    (void)state;
    const char* text = "[1,[2,{\"a\":3}],\"4\"]";
    sft_json_options options = sft_json_default_options();
    sft_json* json = NULL;
    sft_error error = {0};
    options.max_values = 7;
    assert_int_equal(sft_json_parse(NULL, text, strlen(text), &options, &json, &error), SFT_OK);
    sft_json_destroy(json);
    options.max_values = 6;
    assert_int_equal(sft_json_parse(NULL, text, strlen(text), &options, &json, &error), SFT_ERR_LIMIT);
    assert_int_equal(error.byte, 15);
    assert_non_null(strstr(error.message, "6 values"));
    options.max_values = 0;
    assert_int_equal(sft_json_parse(NULL, "1", 1, &options, &json, &error), SFT_ERR_LIMIT);
}

static void test_json__refuses_what_is_too_large_and_bad_arguments(void** state)
{
    (void)state;
    sft_json* json = NULL;
    sft_error error = {0};
    // Refused before a byte is read.
    assert_int_equal(sft_json_parse(NULL, "{}", (size_t)UINT32_MAX, NULL, &json, &error), SFT_ERR_LIMIT);
    assert_non_null(strstr(error.message, "4 GiB"));
    assert_int_equal(sft_json_parse(NULL, NULL, 1, NULL, &json, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_json_parse(NULL, "{}", 2, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_json_parse(NULL, NULL, 0, NULL, &json, &error), SFT_ERR_SYNTAX);
    assert_null(json);
}

static const char* const SAMPLE =
    "{\"asset\":{\"version\":\"2.0\",\"generator\":\"caf\\u00e9 \xC3\xA9 \\ud83d\\ude00\"},\"nodes\":[{\"name\":\"a\","
    "\"translation\":[0.5,-1e-3,2.25E+2],\"children\":[1,2]},{},{\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,0,0,0,1]}],"
    "\"extras\":{\"t\":true,\"f\":false,\"n\":null,\"e\":[],\"o\":{},\"s\":\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"}}";

// Everything a caller may ask, of everything there is.
static size_t visit(const sft_json* json, sft_json_value v)
{
    size_t size, seen = 1;
    const char* text = sft_json_text(json, &size);
    assert_true(v.kind != SFT_JSON_NONE && v.start < v.end && v.end <= size);
    double d;
    int32_t i;
    char room[16];
    seen += (size_t)sft_json_double(json, v, &d) + (size_t)(sft_json_int32(json, v, &i) == SFT_JSON_EXACT);
    seen += sft_json_decode(json, v, room, sizeof room) + (size_t)(text[v.end - 1] != 0);
    for (sft_json_iter it = sft_json_iterate(json, v); sft_json_next(json, &it);)
        seen += visit(json, it.value) + sft_json_decode(json, it.key, NULL, 0);
    return seen;
}

static void test_json__every_cut_is_refused_at_its_end(void** state)
{
    (void)state;
    for (size_t size = 0; size < strlen(SAMPLE); ++size)
    {
        char* text = malloc(size + (size == 0));
        memcpy(text, SAMPLE, size);
        sft_json* json = NULL;
        sft_error error = {0};
        assert_int_equal(sft_json_parse(NULL, text, size, NULL, &json, &error), SFT_ERR_SYNTAX);
        // A cut inside a character of two bytes is seen at its first.
        assert_true(error.byte == size || (error.byte + 1 == size && (unsigned char)text[size - 1] >= 0xC0));
        free(text);
    }
}

static void test_json__every_patched_byte_is_read_or_refused(void** state)
{
    (void)state;
    const size_t size = strlen(SAMPLE);
    char* text = malloc(size);
    size_t taken = 0;
    for (size_t at = 0; at < size; ++at)
        for (unsigned byte = 0; byte < 256; ++byte)
        {
            memcpy(text, SAMPLE, size);
            text[at] = (char)byte;
            sft_json* json = NULL;
            sft_error error = {0};
            if (sft_json_parse(NULL, text, size, NULL, &json, &error) == SFT_OK)
            {
                taken += visit(json, sft_json_root(json)) > 0;
                sft_json_destroy(json);
            }
            else
                assert_true(error.byte <= size && error.message[0] != '\0' && (error.line == 1 || error.line == 2));
        }
    assert_true(taken > size);
    free(text);
}

static void test_json__memory_may_run_out_anywhere(void** state)
{
    (void)state;
    sft_json* json = NULL;
    long k = 0;
    for (sft_result result = SFT_ERR_MEMORY; result != SFT_OK; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_error error = {0};
        json = NULL;
        result = sft_json_parse(&allocator, SAMPLE, strlen(SAMPLE), NULL, &json, &error);
        if (result != SFT_OK)
        {
            assert_int_equal(result, SFT_ERR_MEMORY);
            assert_int_equal(error.code, SFT_ERR_MEMORY);
            assert_null(json);
        }
        sft_json_destroy(json);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_int_equal(k, 3);
    // Objects of many members want memory to be searched for duplicates; strings and texts want some for themselves.
    const char* many =
        "{\"a\":1,\"b\":1,\"c\":1,\"d\":1,\"e\":1,\"f\":1,\"g\":1,\"h\":1,\"i\":1,\"j\":1,\"k\":1,\"l\":1,"
        "\"m\":1,\"n\":1,\"o\":1,\"p\":1,\"q\":\"text\",\"b\":2}";
    support_heap heap = {.fail_at = -1};
    const sft_allocator allocator = support_allocator(&heap);
    assert_int_equal(sft_json_parse(&allocator, many, strlen(many), NULL, &json, NULL), SFT_OK);
    sft_json_value key = {0};
    heap.fail_at = heap.calls;
    assert_int_equal(sft_json_find_duplicate(json, sft_json_root(json), &key), SFT_ERR_MEMORY);
    assert_int_equal(key.kind, SFT_JSON_NONE);
    char* text = NULL;
    size_t length = 99;
    assert_int_equal(sft_json_string(json, sft_json_get(json, sft_json_root(json), "q"), &allocator, &text, &length),
                     SFT_ERR_MEMORY);
    assert_true(text == NULL && length == 99);
    sft_json_out out = {.allocator = &allocator};
    sft_json_out_string(&out, "abc", 3);
    sft_json_out_double(&out, 1.5);
    assert_true(out.failed && out.size == 0);
    sft_json_out_free(&out);
    heap.fail_at = -1;
    assert_int_equal(sft_json_find_duplicate(json, sft_json_root(json), &key), SFT_OK);
    assert_true(sft_json_equals(json, key, "b"));
    sft_json_destroy(json);
    assert_int_equal(heap.live_blocks, 0);
}

static void test_json__large_objects_are_searched_for_duplicates_quickly(void** state)
{
    (void)state;
    // 200,000 members; quadratic work would take minutes. One key is there twice, once escaped.
    const size_t count = 200000;
    char* text = malloc(count * 24);
    size_t size = 0;
    text[size++] = '{';
    for (size_t i = 0; i < count; ++i)
        size += (size_t)sprintf(text + size, "%s\"key%zu\":%zu", i > 0 ? "," : "", (i * 7919) % count, i);
    const size_t second = size + 1;
    size += (size_t)sprintf(text + size, ",\"\\u006bey77\":0}");
    sft_json* json = NULL;
    assert_int_equal(sft_json_parse(NULL, text, size, NULL, &json, NULL), SFT_OK);
    sft_json_value key = {0};
    assert_int_equal(sft_json_find_duplicate(json, (sft_json_value){0}, &key), SFT_OK);
    assert_int_equal(key.start, second);
    int32_t value = -1;
    assert_int_equal(sft_json_int32(json, sft_json_get(json, sft_json_root(json), "key77"), &value), SFT_JSON_EXACT);
    assert_int_equal(value, 0);
    assert_int_equal(sft_json_count(json, sft_json_root(json)), count + 1);
    sft_json_destroy(json);
    // And as many equal ones, which any hash puts in one place.
    size = 0;
    text[size++] = '{';
    for (size_t i = 0; i < count; ++i)
        size += (size_t)sprintf(text + size, "%s\"k\":0", i > 0 ? "," : "");
    text[size++] = '}';
    assert_int_equal(sft_json_parse(NULL, text, size, NULL, &json, NULL), SFT_OK);
    assert_int_equal(sft_json_find_duplicate(json, (sft_json_value){0}, &key), SFT_OK);
    assert_int_equal(key.start, 7);
    sft_json_destroy(json);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__memory_stays_within_six_times_any_text),
        cmocka_unit_test(test_json__depth_is_limited_and_costs_no_stack),
        cmocka_unit_test(test_json__values_are_limited),
        cmocka_unit_test(test_json__refuses_what_is_too_large_and_bad_arguments),
        cmocka_unit_test(test_json__every_cut_is_refused_at_its_end),
        cmocka_unit_test(test_json__every_patched_byte_is_read_or_refused),
        cmocka_unit_test(test_json__memory_may_run_out_anywhere),
        cmocka_unit_test(test_json__large_objects_are_searched_for_duplicates_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
