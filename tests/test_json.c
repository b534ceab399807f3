// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "support/support.h"

#include "json/json.h"

static void test_json__reads_members_elements_and_scalars(void** state)
{
    (void)state;
    const char* text = "{ \"a\" : [1, -2.5e0, \"x\\u00e9\\n\", {\"b\":null}, [], true], \"k\\u0041\":1e1 ,\"c\":{}}";
    sft_json* json = NULL;
    assert_int_equal(sft_json_parse(NULL, text, strlen(text), NULL, &json, NULL), SFT_OK);
    const sft_json_value root = sft_json_root(json);
    const sft_json_value a = sft_json_get(json, root, "a");
    assert_int_equal(sft_json_count(json, a), 6);
    double number = 0;
    assert_true(sft_json_double(json, sft_json_at(json, a, 1), &number));
    assert_true(number == -2.5);
    assert_true(sft_json_equals(json, sft_json_at(json, a, 2), "x\xC3\xA9\n"));
    assert_int_equal(sft_json_get(json, sft_json_at(json, a, 3), "b").kind, SFT_JSON_NULL);
    assert_int_equal(sft_json_at(json, a, 5).kind, SFT_JSON_TRUE);
    int32_t whole = 0;
    assert_int_equal(sft_json_int32(json, sft_json_get(json, root, "kA"), &whole), SFT_JSON_EXACT);
    assert_int_equal(whole, 10);
    assert_int_equal(sft_json_get(json, root, "none").kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_count(json, root), 3);
    sft_json_value twice;
    assert_int_equal(sft_json_find_duplicate(json, (sft_json_value){0}, &twice), SFT_OK);
    assert_int_equal(twice.kind, SFT_JSON_NONE);
    sft_json_destroy(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__reads_members_elements_and_scalars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
