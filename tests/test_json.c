// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The JSON reader against lists written from RFC 8259, production by production, and against what numbers and strings
// are known to say.

#include <float.h>
#include <math.h>

#include "support/support.h"

#include "json/json.h"

static sft_json* parse(const char* text)
{
    sft_json* json = NULL;
    sft_error error = {0};
    if (sft_json_parse(NULL, text, strlen(text), NULL, &json, &error) != SFT_OK)
        fail_msg("refused: %s\n  at byte %d: %s", text, (int)error.byte, error.message);
    return json;
}

static void test_json__takes_every_production(void** state)
{
    (void)state;
    static const char* const texts[] = {
        // ws value ws
        "null",
        "true",
        "false",
        " null",
        "null ",
        "\t\n\r null \t\n\r",
        "0",
        "\"\"",
        "[]",
        "{}",
        // object
        "{\"a\":1}",
        "{ \"a\" : 1 }",
        "{\"a\":1,\"b\":2}",
        "{\"a\":1 , \"b\":2}",
        "{\"\":\"\"}",
        "{\"a\":{\"a\":{}}}",
        "{\"a\":[],\"b\":{},\"c\":null}",
        "{\"a\":1,\"a\":2}",
        "{ }",
        "{\n}",
        // array
        "[1]",
        "[ 1 ]",
        "[1,2]",
        "[1 ,2]",
        "[[]]",
        "[[],[]]",
        "[ ]",
        "[null,true,false,0,\"\",[],{}]",
        "[{},{}]",
        // number
        "-0",
        "1",
        "-1",
        "10",
        "123456789012345678901234567890",
        "0.0",
        "-0.5",
        "1.25",
        "0.000001",
        "1e0",
        "1E0",
        "1e+0",
        "1e-0",
        "0e0",
        "0E+00",
        "-1.5e-10",
        "1e999",
        "-1e999",
        "1e00000000001",
        "0.1e1",
        "[0]",
        "[-0,0]",
        "1.0E+2",
        // string
        "\"a\"",
        "\"\\\"\"",
        "\"\\\\\"",
        "\"\\/\"",
        "\"/\"",
        "\"\\b\\f\\n\\r\\t\"",
        "\"\\u0041\"",
        "\"\\u0000\"",
        "\"\\uABCD\"",
        "\"\\uabcd\"",
        "\"\\ud83d\\ude00\"",
        "\"\\ud83d\"",
        "\"\\ude00\\ud83d\"",
        "\"\\ud83dx\"",
        "\"\x7f\"",
        "\"\xC2\x80\"",
        "\"\xDF\xBF\"",
        "\"\xE0\xA0\x80\"",
        "\"\xED\x9F\xBF\"",
        "\"\xEE\x80\x80\"",
        "\"\xEF\xBF\xBF\"",
        "\"\xF0\x90\x80\x80\"",
        "\"\xF4\x8F\xBF\xBF\"",
        "\"12345678\"",
        "\"1234567\\\"89\"",
        "\"[{]},:\"",
        "\"\\\\\\\"\"",
        "[\"\\\\\",\"\\\\\\\\\"]",
        "{\"\\u0061\":1}",
        "{\"\xC3\xA9\":\"\xC3\xA9\"}",
        // much of it
        "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
        "        [        1        ,                \n                2        ]        ",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; ++i)
        sft_json_destroy(parse(texts[i]));
}

typedef struct refusal
{
    const char* text;
    size_t byte;
    const char* says; ///< part of the message
} refusal;

static const refusal REFUSALS[] = {
    // no value, or more than one
    {"", 0, "empty"},
    {"  ", 2, "empty"},
    {"1 2", 2, "behind the end"},
    {"[]]", 2, "behind the end"},
    {"{}{}", 2, "behind the end"},
    {"null,", 4, "behind the end"},
    {",", 0, "value is missing"},
    {":", 0, "value is missing"},
    {"]", 0, "value is missing"},
    {"}", 0, "value is missing"},
    {"/", 0, "comments"},
    // words
    {"nul", 3, "inside the word null"},
    {"tru", 3, "inside the word true"},
    {"nulL", 0, "none of true"},
    {"True", 0, "none of true"},
    {"nullx", 0, "none of true"},
    {"true1", 0, "none of true"},
    {"NaN", 0, "NaN"},
    {"Infinity", 0, "Infinity"},
    {"-Infinity", 1, "digit"},
    {"undefined", 0, "none of true"},
    {"[a]", 1, "double quotes"},
    {"falsee", 0, "none of true"},
    {"[nul,1]", 1, "none of true"},
    // numbers
    {"-", 1, "digit"},
    {"[-]", 2, "digit"},
    {"+1", 0, "plus"},
    {".5", 0, "digit before"},
    {"1.", 2, "point"},
    {"[1.]", 3, "point"},
    {"1.e5", 2, "point"},
    {"1e", 2, "digit"},
    {"1e+", 3, "digit"},
    {"[1e+]", 4, "e of a number"},
    {"01", 0, "zero"},
    {"-01", 0, "zero"},
    {"00", 0, "zero"},
    {"1.5.5", 3, "behind the end"},
    {"0x10", 1, "behind the end"},
    {"[1_000]", 2, "comma"},
    {"[1 000]", 3, "comma"},
    {"[1", 2, "inside an array"},
    {"[1.", 3, "inside a number"},
    {"1,5", 1, "behind the end"},
    {"--1", 1, "digit"},
    {"1e5.5", 3, "behind the end"},
    {"[0 1]", 3, "comma"},
    // strings
    {"\"", 1, "inside a string"},
    {"\"abc", 4, "inside a string"},
    {"\"\\\"", 3, "inside a string"},
    {"\"\\", 2, "inside a string"},
    {"\"\\u12", 5, "inside a string"},
    {"\"\\u12G4\"", 1, "hexadecimal"},
    {"\"\\u 123\"", 1, "hexadecimal"},
    {"\"\\x41\"", 1, "no such escape"},
    {"\"\\'\"", 1, "no such escape"},
    {"\"\\U0041\"", 1, "no such escape"},
    {"\"\\\n\"", 1, "no such escape"},
    {"'a'", 0, "double quote"},
    {"\"a\nb\"", 2, "end on its line"},
    {"\"a\rb\"", 2, "end on its line"},
    {"\"a\tb\"", 2, "control"},
    {"\"\x01\"", 1, "control"},
    {"\"\x1f\"", 1, "control"},
    {"\"12345678\x02\"", 9, "control"},
    // what is no UTF-8: alone, cut, overlong, surrogates, too large
    {"\"\x80\"", 1, "UTF-8"},
    {"\"\xBF\"", 1, "UTF-8"},
    {"\"\xC0\x80\"", 1, "UTF-8"},
    {"\"\xC1\xBF\"", 1, "UTF-8"},
    {"\"\xC3\"", 1, "UTF-8"},
    {"\"\xE2\x82\"", 1, "UTF-8"},
    {"\"\xE0\x9F\xBF\"", 1, "UTF-8"},
    {"\"\xED\xA0\x80\"", 1, "UTF-8"},
    {"\"\xED\xBF\xBF\"", 1, "UTF-8"},
    {"\"\xF0\x8F\xBF\xBF\"", 1, "UTF-8"},
    {"\"\xF4\x90\x80\x80\"", 1, "UTF-8"},
    {"\"\xF5\x80\x80\x80\"", 1, "UTF-8"},
    {"\"\xF0\x9F\x98\"", 1, "UTF-8"},
    {"\"\xFF\"", 1, "UTF-8"},
    {"\"\xC3", 1, "UTF-8"},
    {"\"caf\xE9 \"", 4, "UTF-8"},
    {"{\"\xE9\":1}", 2, "UTF-8"},
    {"\xC3\xA9", 0, "value is missing"},
    {"[\xC2\xA0]", 1, "value is missing"},
    // arrays
    {"[", 1, "inside an array"},
    {"[1,", 3, "inside an array"},
    {"[1,]", 3, "comma too many"},
    {"[,1]", 1, "value is missing"},
    {"[1,,2]", 3, "value is missing"},
    {"[1 2]", 3, "comma"},
    {"[1}", 2, "closes nothing"},
    {"[1:2]", 2, "comma"},
    {"[[]", 3, "inside an array"},
    {"[\"a\" \"b\"]", 5, "comma"},
    {"[1//x\n]", 2, "comments"},
    {"[}", 1, "value is missing"},
    {"[ ", 2, "inside an array"},
    {"[{}", 3, "inside an array"},
    {"[1;2]", 2, "comma"},
    {"[[],", 4, "inside an array"},
    // objects
    {"{", 1, "inside an object"},
    {"{\"a\"", 4, "inside an object"},
    {"{\"a\":", 5, "inside an object"},
    {"{\"a\":1", 6, "inside an object"},
    {"{\"a\":1,", 7, "inside an object"},
    {"{\"a\":1,}", 7, "comma"},
    {"{,}", 1, "key"},
    {"{\"a\"}", 4, "colon"},
    {"{\"a\" 1}", 5, "colon"},
    {"{\"a\"::1}", 5, "value is missing"},
    {"{\"a\":}", 5, "value is missing"},
    {"{\"a\":1 \"b\":2}", 7, "comma"},
    {"{\"a\":1]", 6, "closes nothing"},
    {"{a:1}", 1, "key"},
    {"{1:1}", 1, "key"},
    {"{null:1}", 1, "key"},
    {"{'a':1}", 1, "key"},
    {"{[]:1}", 1, "key"},
    {"{\"a\":1,,\"b\":2}", 7, "key"},
    {"{]", 1, "key"},
    {"{\"a\":1;}", 6, "comma"},
    {"{/**/}", 1, "comments"},
    {"{\"a\"=1}", 4, "colon"},
    {"{ ", 2, "inside an object"},
    {"{\"a\" ", 5, "inside an object"},
    {"{\"a\n\":1}", 3, "end on its line"},
    {"{\"a", 3, "inside a string"},
    // white space that is none
    {"\f1", 0, "value is missing"},
    {"\v1", 0, "value is missing"},
    {"1\f", 1, "behind the end"},
    // other encodings
    {"\xEF\xBB\xBF{}", 0, "byte-order mark"},
    {"\xFE\xFF", 0, "UTF-16"},
    {"\xFF\xFE", 0, "UTF-16"},
};

static void test_json__refuses_what_is_none_and_says_where_and_why(void** state)
{
    (void)state;
    for (size_t i = 0; i < sizeof REFUSALS / sizeof *REFUSALS; ++i)
    {
        const refusal* r = &REFUSALS[i];
        // A block of its own size, so that a sanitizer sees any step behind it.
        const size_t size = strlen(r->text);
        char* text = malloc(size + (size == 0));
        memcpy(text, r->text, size);
        sft_json* json = NULL;
        sft_error error = {0};
        const sft_result result = sft_json_parse(NULL, text, size, NULL, &json, &error);
        if (result != SFT_ERR_SYNTAX || error.code != result || json != NULL) fail_msg("taken: %s", r->text);
        if (error.byte != r->byte || strstr(error.message, r->says) == NULL)
            fail_msg("%s: byte %d, not %d; says \"%s\", not \"%s\"", r->text, (int)error.byte, (int)r->byte,
                     error.message, r->says);
        assert_int_equal(error.line, 1 + (memchr(r->text, '\n', r->byte) != NULL));
        free(text);
    }
}

static void test_json__refuses_zero_bytes(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        size_t size, byte;
    } cases[] = {{"{}\0", 3, 2}, {"[\0]", 3, 1}, {"\"\0\"", 3, 1}, {"{\0", 2, 0},
                 {"\0{", 2, 0},  {"\0", 1, 0},   {"[1\0]", 4, 2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        sft_json* json = NULL;
        sft_error error = {0};
        assert_int_equal(sft_json_parse(NULL, cases[i].text, cases[i].size, NULL, &json, &error), SFT_ERR_SYNTAX);
        assert_int_equal(error.byte, cases[i].byte);
    }
}

static void test_json__counts_lines_of_every_ending(void** state)
{
    (void)state;
    sft_json* json = NULL;
    sft_error error = {0};
    const char* text = "[\n1,\r\n2,\r3,\n\n!]";
    assert_int_equal(sft_json_parse(NULL, text, strlen(text), NULL, &json, &error), SFT_ERR_SYNTAX);
    assert_int_equal(error.line, 6);
    json = parse("[1,\n2\r\n]");
    assert_int_equal(sft_json_line(json, 0), 1);
    assert_int_equal(sft_json_line(json, 3), 1);
    assert_int_equal(sft_json_line(json, 4), 2);
    assert_int_equal(sft_json_line(json, 7), 3);
    assert_int_equal(sft_json_line(json, 1000), 3);
    assert_int_equal(sft_json_fail(json, 4, SFT_ERR_RANGE, "no.", &error), SFT_ERR_RANGE);
    assert_int_equal(error.line, 2);
    assert_int_equal(error.byte, 4);
    assert_string_equal(error.message, "no.");
    sft_json_destroy(json);
}

static void test_json__accepts_a_mark_only_when_told(void** state)
{
    (void)state;
    const char* text = "\xEF\xBB\xBF {\"a\":1}";
    sft_json_options options = sft_json_default_options();
    options.allow_bom = true;
    sft_json* json = NULL;
    assert_int_equal(sft_json_parse(NULL, text, strlen(text), &options, &json, NULL), SFT_OK);
    assert_true(sft_json_has_bom(json));
    assert_int_equal(sft_json_root(json).start, 4);
    assert_int_equal(sft_json_get(json, sft_json_root(json), "a").kind, SFT_JSON_NUMBER);
    sft_json_destroy(json);
    json = parse("{}");
    assert_false(sft_json_has_bom(json));
    sft_json_destroy(json);
}

static void assert_span(const sft_json* json, sft_json_value v, sft_json_kind kind, const char* expected)
{
    size_t size;
    const char* text = sft_json_text(json, &size);
    assert_int_equal(v.kind, kind);
    assert_true(v.end <= size && v.start < v.end);
    assert_int_equal(v.end - v.start, strlen(expected));
    assert_memory_equal(text + v.start, expected, v.end - v.start);
}

static void test_json__keeps_spans(void** state)
{
    (void)state;
    sft_json* json =
        parse(" { \"a\" : [1 , -2.5e0\n, \"x\\\"]\", {\"b\":null} , [] , true,false ] ,\"k\\u0041\":1e1 ,\"c\":{} } ");
    const sft_json_value root = sft_json_root(json);
    const sft_json_value a = sft_json_get(json, root, "a");
    assert_span(json, sft_json_at(json, a, 0), SFT_JSON_NUMBER, "1");
    assert_span(json, sft_json_at(json, a, 1), SFT_JSON_NUMBER, "-2.5e0");
    assert_span(json, sft_json_at(json, a, 2), SFT_JSON_STRING, "\"x\\\"]\"");
    assert_span(json, sft_json_at(json, a, 3), SFT_JSON_OBJECT, "{\"b\":null}");
    assert_span(json, sft_json_get(json, sft_json_at(json, a, 3), "b"), SFT_JSON_NULL, "null");
    assert_span(json, sft_json_at(json, a, 4), SFT_JSON_ARRAY, "[]");
    assert_span(json, sft_json_at(json, a, 5), SFT_JSON_TRUE, "true");
    assert_span(json, sft_json_at(json, a, 6), SFT_JSON_FALSE, "false");
    assert_int_equal(sft_json_at(json, a, 7).kind, SFT_JSON_NONE);
    assert_span(json, sft_json_get(json, root, "kA"), SFT_JSON_NUMBER, "1e1");
    assert_span(json, sft_json_get(json, root, "c"), SFT_JSON_OBJECT, "{}");
    sft_json_iter it = sft_json_iterate(json, root);
    assert_true(sft_json_next(json, &it));
    assert_span(json, it.key, SFT_JSON_STRING, "\"a\"");
    assert_int_equal(it.index, 0);
    assert_true(sft_json_next(json, &it));
    assert_span(json, it.key, SFT_JSON_STRING, "\"k\\u0041\"");
    assert_int_equal(it.index, 1);
    assert_true(sft_json_next(json, &it));
    assert_false(sft_json_next(json, &it));
    assert_false(sft_json_next(json, &it));
    assert_int_equal(sft_json_count(json, root), 3);
    assert_int_equal(sft_json_count(json, a), 7);
    sft_json_destroy(json);
}

static void test_json__asking_nothing_gives_nothing(void** state)
{
    (void)state;
    sft_json* json = parse("{\"a\":1,\"s\":\"x\",\"o\":{}}");
    const sft_json_value none = {0}, root = sft_json_root(json), one = sft_json_get(json, root, "a");
    assert_int_equal(sft_json_get(json, sft_json_get(json, root, "b"), "c").kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_get(json, one, "a").kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_get(json, root, "").kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_get(json, sft_json_get(json, root, "o"), "").kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_at(json, root, 0).kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_count(json, none), 0);
    assert_int_equal(sft_json_count(json, one), 0);
    sft_json_iter it = sft_json_iterate(json, one);
    assert_false(sft_json_next(json, &it));
    double d = 7;
    uint64_t u = 7;
    assert_false(sft_json_double(json, none, &d));
    assert_false(sft_json_double(json, sft_json_get(json, root, "s"), &d));
    assert_false(sft_json_doubles(json, root, &d, 1));
    assert_int_equal(sft_json_uint64(json, none, &u), SFT_JSON_NOT_NUMBER);
    assert_true(d == 7 && u == 7);
    assert_int_equal(sft_json_decode(json, one, NULL, 0), 0);
    assert_false(sft_json_equals(json, one, "1"));
    char* text;
    size_t length;
    assert_int_equal(sft_json_string(json, one, NULL, &text, &length), SFT_ERR_ARG);
    assert_string_equal(sft_json_kind_name(SFT_JSON_OBJECT), "an object");
    sft_json_destroy(json);
    sft_json_destroy(NULL);
}

static double number(const char* text)
{
    sft_json* json = parse(text);
    double value = NAN;
    assert_true(sft_json_double(json, sft_json_root(json), &value));
    sft_json_destroy(json);
    return value;
}

static void test_json__rounds_numbers_correctly(void** state)
{
    (void)state;
    assert_true(number("0.1") == 0.1);
    assert_true(number("-0") == 0.0 && signbit(number("-0")));
    assert_true(number("1e23") == 0x1.52d02c7e14af6p+76);
    assert_true(number("9007199254740993") == 9007199254740992.0);
    assert_true(number("9007199254740993.0000000000000000000000000000000001") == 9007199254740994.0);
    assert_true(number("2.2250738585072011e-308") == 0x0.fffffffffffffp-1022);
    assert_true(number("2.4703282292062328e-324") == 0x0.0000000000001p-1022);
    assert_true(number("2.4703282292062327e-324") == 0.0);
    assert_true(number("1.7976931348623157e308") == DBL_MAX);
    assert_true(number("1e-400") == 0.0);
    assert_true(number("123456.789E-3") == 123.456789);
    sft_json* json = parse("[1e309,-1e999,1.7976931348623159e308]");
    double kept = 3.0;
    for (size_t i = 0; i < 3; ++i)
        assert_false(sft_json_double(json, sft_json_at(json, sft_json_root(json), i), &kept));
    assert_true(kept == 3.0);
    sft_json_destroy(json);
}

static void test_json__reads_arrays_of_so_many_numbers(void** state)
{
    (void)state;
    sft_json* json = parse("[[1,2.5,-3],[1,2],[1,2,3,4],[1,\"2\",3],[],{}]");
    const sft_json_value root = sft_json_root(json);
    double v[3] = {0};
    assert_true(sft_json_doubles(json, sft_json_at(json, root, 0), v, 3));
    assert_true(v[0] == 1 && v[1] == 2.5 && v[2] == -3);
    for (size_t i = 1; i < 6; ++i)
        assert_false(sft_json_doubles(json, sft_json_at(json, root, i), v, 3));
    assert_true(sft_json_doubles(json, sft_json_at(json, root, 4), NULL, 0));
    sft_json_destroy(json);
}

static void test_json__takes_integers_in_any_spelling(void** state)
{
    (void)state;
    static const struct
    {
        const char* text;
        sft_json_fit fit; ///< as int64
        int64_t value;
    } cases[] = {
        {"0", SFT_JSON_EXACT, 0},
        {"-0", SFT_JSON_EXACT, 0},
        {"0.000", SFT_JSON_EXACT, 0},
        {"-0e5", SFT_JSON_EXACT, 0},
        {"0e-99999999999999999999", SFT_JSON_EXACT, 0},
        {"0e99999999999999999999", SFT_JSON_EXACT, 0},
        {"1", SFT_JSON_EXACT, 1},
        {"1.0", SFT_JSON_EXACT, 1},
        {"1e0", SFT_JSON_EXACT, 1},
        {"10e-1", SFT_JSON_EXACT, 1},
        {"0.1e1", SFT_JSON_EXACT, 1},
        {"0.001E+3", SFT_JSON_EXACT, 1},
        {"1000000000000000000000000e-24", SFT_JSON_EXACT, 1},
        {"-12.50e1", SFT_JSON_EXACT, -125},
        {"1.5e1", SFT_JSON_EXACT, 15},
        {"105", SFT_JSON_EXACT, 105},
        {"100200300.000", SFT_JSON_EXACT, 100200300},
        {"9007199254740993", SFT_JSON_EXACT, 9007199254740993},
        {"9223372036854775807", SFT_JSON_EXACT, INT64_MAX},
        {"-9223372036854775808", SFT_JSON_EXACT, INT64_MIN},
        {"9223372036854775.807e3", SFT_JSON_EXACT, INT64_MAX},
        {"0.5", SFT_JSON_FRACTION, 0},
        {"1.5", SFT_JSON_FRACTION, 0},
        {"15e-1", SFT_JSON_FRACTION, 0},
        {"1e-400", SFT_JSON_FRACTION, 0},
        {"1e-99999999999999999999", SFT_JSON_FRACTION, 0},
        {"9223372036854775807.5", SFT_JSON_FRACTION, 0},
        {"123456789012345678901234567890.5", SFT_JSON_FRACTION, 0},
        {"1.00000000000000000000000000000001", SFT_JSON_FRACTION, 0},
        {"9223372036854775808", SFT_JSON_OUT_OF_RANGE, 0},
        {"-9223372036854775809", SFT_JSON_OUT_OF_RANGE, 0},
        {"1e19", SFT_JSON_OUT_OF_RANGE, 0},
        {"1e400", SFT_JSON_OUT_OF_RANGE, 0},
        {"1e99999999999999999999", SFT_JSON_OUT_OF_RANGE, 0},
        {"123456789012345678901234567890", SFT_JSON_OUT_OF_RANGE, 0},
        {"\"1\"", SFT_JSON_NOT_NUMBER, 0},
        {"true", SFT_JSON_NOT_NUMBER, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        sft_json* json = parse(cases[i].text);
        int64_t value = 77;
        const sft_json_fit fit = sft_json_int64(json, sft_json_root(json), &value);
        if (fit != cases[i].fit || value != (fit == SFT_JSON_EXACT ? cases[i].value : 77))
            fail_msg("%s: fit %d, value %lld", cases[i].text, (int)fit, (long long)value);
        sft_json_destroy(json);
    }
}

static void test_json__knows_the_ends_of_integer_types(void** state)
{
    (void)state;
    sft_json* json =
        parse("[18446744073709551615, 18446744073709551616, 1844674407370955161.5e1, -1, 2147483647, 2147483648, "
              "-2147483648, -2147483649, 18446744073709551620, -1e-1]");
    const sft_json_value root = sft_json_root(json);
    uint64_t u = 0;
    int32_t i = 0;
    assert_int_equal(sft_json_uint64(json, sft_json_at(json, root, 0), &u), SFT_JSON_EXACT);
    assert_true(u == UINT64_MAX);
    assert_int_equal(sft_json_uint64(json, sft_json_at(json, root, 1), &u), SFT_JSON_OUT_OF_RANGE);
    assert_int_equal(sft_json_uint64(json, sft_json_at(json, root, 2), &u), SFT_JSON_EXACT);
    assert_true(u == UINT64_MAX);
    assert_int_equal(sft_json_uint64(json, sft_json_at(json, root, 3), &u), SFT_JSON_OUT_OF_RANGE);
    assert_int_equal(sft_json_int32(json, sft_json_at(json, root, 4), &i), SFT_JSON_EXACT);
    assert_true(i == INT32_MAX);
    assert_int_equal(sft_json_int32(json, sft_json_at(json, root, 5), &i), SFT_JSON_OUT_OF_RANGE);
    assert_int_equal(sft_json_int32(json, sft_json_at(json, root, 6), &i), SFT_JSON_EXACT);
    assert_true(i == INT32_MIN);
    assert_int_equal(sft_json_int32(json, sft_json_at(json, root, 7), &i), SFT_JSON_OUT_OF_RANGE);
    assert_int_equal(sft_json_uint64(json, sft_json_at(json, root, 8), &u), SFT_JSON_OUT_OF_RANGE);
    assert_int_equal(sft_json_uint64(json, sft_json_at(json, root, 9), &u), SFT_JSON_FRACTION);
    sft_json_destroy(json);
}

static void test_json__decodes_strings(void** state)
{
    (void)state;
    static const struct
    {
        const char *text, *decoded;
        size_t length;
    } cases[] = {
        {"\"\"", "", 0},
        {"\"plain\"", "plain", 5},
        {"\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"", "\"\\/\b\f\n\r\t", 8},
        {"\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"", "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10},
        {"\"a\\u0000b\"", "a\0b", 3},
        {"\"\\ud83d\"", "\xEF\xBF\xBD", 3},
        {"\"\\ude00\"", "\xEF\xBF\xBD", 3},
        {"\"\\ud83dx\"", "\xEF\xBF\xBDx", 4},
        {"\"\\ud83d\\n\"", "\xEF\xBF\xBD\n", 4},
        {"\"\\ud83d\\u0041\"", "\xEF\xBF\xBD\x41", 4},
        {"\"\\ud83d\\ud83d\\ude00\"", "\xEF\xBF\xBD\xF0\x9F\x98\x80", 7},
        {"\"\\udbff\\udfff\\ud800\\udc00\"", "\xF4\x8F\xBF\xBF\xF0\x90\x80\x80", 8},
        {"\"\\uffff\\ud7ff\\ue000\"", "\xEF\xBF\xBF\xED\x9F\xBF\xEE\x80\x80", 9},
        {"\"\xC3\xA9\\n\xF0\x9F\x98\x80\"", "\xC3\xA9\n\xF0\x9F\x98\x80", 7},
        {"\"\\\\u0041\"", "\\u0041", 6},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        sft_json* json = parse(cases[i].text);
        const sft_json_value root = sft_json_root(json);
        char* text = NULL;
        size_t length = 0;
        assert_int_equal(sft_json_string(json, root, NULL, &text, &length), SFT_OK);
        assert_int_equal(length, cases[i].length);
        assert_memory_equal(text, cases[i].decoded, length + 1);
        if (strlen(text) == length) assert_true(sft_json_equals(json, root, text));
        assert_false(sft_json_equals(json, root, "other"));
        // Any room: the longest head of whole characters that fits, and always the whole length.
        for (size_t room = 0; room <= length + 1; ++room)
        {
            char cut[32];
            memset(cut, 'x', sizeof cut);
            assert_int_equal(sft_json_decode(json, root, cut, room), length);
            if (room == 0) continue;
            size_t fits = room - 1 < length ? room - 1 : length;
            while (fits > 0 && fits < length && ((unsigned char)text[fits] & 0xC0) == 0x80)
                --fits;
            assert_memory_equal(cut, text, fits);
            assert_int_equal(cut[fits], 0);
            assert_int_equal(cut[room], 'x');
        }
        free(text);
        sft_json_destroy(json);
    }
}

static void test_json__compares_keys_decoded_and_takes_the_last(void** state)
{
    (void)state;
    sft_json* json =
        parse("{\"name\":1,\"n\\u0061me\":2,\"na\":3,\"names\":4,\"\\u0000\":5,\"\":6,\"\\ud83d\\ude00\":7}");
    const sft_json_value root = sft_json_root(json);
    assert_span(json, sft_json_get(json, root, "name"), SFT_JSON_NUMBER, "2");
    assert_span(json, sft_json_get(json, root, "na"), SFT_JSON_NUMBER, "3");
    assert_span(json, sft_json_get(json, root, ""), SFT_JSON_NUMBER, "6");
    assert_span(json, sft_json_get(json, root, "\xF0\x9F\x98\x80"), SFT_JSON_NUMBER, "7");
    sft_json_destroy(json);
}

static void assert_duplicate(const char* text, size_t at)
{
    sft_json* json = parse(text);
    sft_json_value key = {0};
    assert_int_equal(sft_json_find_duplicate(json, (sft_json_value){0}, &key), SFT_OK);
    if (at == SIZE_MAX)
        assert_int_equal(key.kind, SFT_JSON_NONE);
    else
    {
        assert_int_equal(key.kind, SFT_JSON_STRING);
        assert_int_equal(key.start, at);
    }
    sft_json_destroy(json);
}

static void test_json__finds_the_first_duplicate(void** state)
{
    (void)state;
    assert_duplicate("{}", SIZE_MAX);
    assert_duplicate("1", SIZE_MAX);
    assert_duplicate("[{\"a\":1},{\"a\":1}]", SIZE_MAX);
    assert_duplicate("{\"a\":{\"a\":1},\"b\":{\"a\":{\"b\":1}}}", SIZE_MAX);
    assert_duplicate("{\"a\":1,\"a\":2}", 7);
    assert_duplicate("{\"a\":1,\"\\u0061\":2}", 7);
    assert_duplicate("{\"\\u0061\":1,\"a\":2,\"a\":3}", 12);
    assert_duplicate("{\"a\":1,\"b\":2,\"b\":3,\"a\":4}", 13);
    assert_duplicate("{\"x\":{\"a\":1,\"a\":2},\"x\":1}", 12);
    assert_duplicate("{\"x\":1,\"y\":[{\"a\":1,\"a\":2}],\"x\":1}", 19);
    assert_duplicate("{\"ab\":1,\"a\":2,\"\":3,\"b\":4}", SIZE_MAX);
    sft_json* json = parse("{\"x\":{\"a\":1,\"a\":2},\"y\":{\"a\":1}}");
    sft_json_value key = {0};
    assert_int_equal(sft_json_find_duplicate(json, sft_json_root(json), &key), SFT_OK);
    assert_int_equal(key.kind, SFT_JSON_NONE);
    assert_int_equal(sft_json_find_duplicate(json, sft_json_get(json, sft_json_root(json), "x"), &key), SFT_OK);
    assert_int_equal(key.start, 12);
    sft_json_destroy(json);
}

// What is written must be what any correct reader reads back: strtod and strtof are the judges here.
static void assert_float_text(float value, const char* expected)
{
    sft_json_out out = {0};
    sft_json_out_float(&out, value);
    sft_json_out_bytes(&out, "", 1);
    assert_false(out.failed);
    if (expected != NULL) assert_string_equal(out.data, expected);
    const float direct = strtof(out.data, NULL), narrowed = (float)strtod(out.data, NULL);
    assert_memory_equal(&direct, &value, sizeof value);
    assert_memory_equal(&narrowed, &value, sizeof value);
    // No shorter text may do: nine digits always suffice, and printf knows the nearest of each length.
    size_t digits = 0;
    for (const char* p = out.data; *p != '\0' && *p != 'e'; ++p)
        digits += *p >= '0' && *p <= '9' && (digits > 0 || *p != '0');
    for (int shorter = 1; expected == NULL && shorter < (int)digits && fabsf(value) < 1e6f; ++shorter)
    {
        char text[64];
        snprintf(text, sizeof text, "%.*e", shorter - 1, (double)value);
        if (strtof(text, NULL) == value) fail_msg("%s does as well as %s", text, out.data);
    }
    sft_json_out_free(&out);
}

static void test_json__writes_the_shortest_floats(void** state)
{
    (void)state;
    assert_float_text(0.1f, "0.1");
    assert_float_text(0.0f, "0");
    assert_float_text(-0.0f, "-0");
    assert_float_text(1.0f, "1");
    assert_float_text(-2.5f, "-2.5");
    assert_float_text(16777216.0f, "16777216");
    assert_float_text(0.33333334f, "0.33333334");
    assert_float_text(FLT_MAX, NULL);
    assert_float_text(FLT_MIN, NULL);
    assert_float_text(0x1p-149f, NULL);
    assert_float_text(0x1p-126f - 0x1p-149f, NULL);
    support_rng rng = {7};
    for (int i = 0; i < 20000; ++i)
    {
        const uint32_t bits = (uint32_t)support_uniform(&rng, 0, 4294967296.0);
        float value;
        memcpy(&value, &bits, sizeof value);
        if (isfinite(value)) assert_float_text(value, NULL);
    }
}

static void test_json__writes_numbers_and_strings_that_read_back(void** state)
{
    (void)state;
    sft_json_out out = {0};
    sft_json_out_text(&out, "[");
    sft_json_out_double(&out, 0.1);
    sft_json_out_text(&out, ",");
    sft_json_out_double(&out, 5e-324);
    sft_json_out_text(&out, ",");
    sft_json_out_double(&out, DBL_MAX);
    sft_json_out_text(&out, ",");
    sft_json_out_double(&out, (double)NAN);
    sft_json_out_text(&out, ",");
    sft_json_out_double(&out, -(double)INFINITY);
    sft_json_out_text(&out, ",");
    sft_json_out_int64(&out, INT64_MIN);
    sft_json_out_text(&out, ",");
    sft_json_out_uint64(&out, UINT64_MAX);
    sft_json_out_text(&out, ",");
    const char odd[] = "a\"\\/\b\f\n\r\t\x01\x1f\x7f\xC3\xA9\xF0\x9F\x98\x80\xFFz\xC3";
    sft_json_out_string(&out, odd, sizeof odd - 1);
    sft_json_out_text(&out, ",");
    sft_json_out_string(&out, "\0", 1);
    sft_json_out_text(&out, "]");
    const char* expected =
        "[0.1,5e-324,1.7976931348623157e308,0,0,-9223372036854775808,18446744073709551615,"
        "\"a\\\"\\\\/\\b\\f\\n\\r\\t\\u0001\\u001f\x7f\xC3\xA9\xF0\x9F\x98\x80\xEF\xBF\xBDz\xEF\xBF\xBD\","
        "\"\\u0000\"]";
    assert_int_equal(out.size, strlen(expected));
    assert_memory_equal(out.data, expected, out.size);
    sft_json* json = NULL;
    assert_int_equal(sft_json_parse(NULL, out.data, out.size, NULL, &json, NULL), SFT_OK);
    sft_json_destroy(json);
    sft_json_out_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json__takes_every_production),
        cmocka_unit_test(test_json__refuses_what_is_none_and_says_where_and_why),
        cmocka_unit_test(test_json__refuses_zero_bytes),
        cmocka_unit_test(test_json__counts_lines_of_every_ending),
        cmocka_unit_test(test_json__accepts_a_mark_only_when_told),
        cmocka_unit_test(test_json__keeps_spans),
        cmocka_unit_test(test_json__asking_nothing_gives_nothing),
        cmocka_unit_test(test_json__rounds_numbers_correctly),
        cmocka_unit_test(test_json__reads_arrays_of_so_many_numbers),
        cmocka_unit_test(test_json__takes_integers_in_any_spelling),
        cmocka_unit_test(test_json__knows_the_ends_of_integer_types),
        cmocka_unit_test(test_json__decodes_strings),
        cmocka_unit_test(test_json__compares_keys_decoded_and_takes_the_last),
        cmocka_unit_test(test_json__finds_the_first_duplicate),
        cmocka_unit_test(test_json__writes_the_shortest_floats),
        cmocka_unit_test(test_json__writes_numbers_and_strings_that_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
