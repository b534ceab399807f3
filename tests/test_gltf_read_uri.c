// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// URIs: what they decode to, and what must not get through.

#include "support/support.h"

#include "gltf/read.h"

static void decodes_to(const char* uri, const char* expected, size_t size)
{
    uint8_t* bytes = NULL;
    size_t got = 0, where = 0;
    assert_int_equal(sft_gltf_decode_data_uri(uri, strlen(uri), SIZE_MAX, NULL, &bytes, &got, &where), GLTF_URI_OK);
    assert_int_equal(got, size);
    assert_memory_equal(bytes, expected, size);
    free(bytes);
}

static void test_gltf_uri__base64(void** state)
{
    (void)state;
    // The examples of RFC 4648, with padding, without, and with escapes.
    decodes_to("data:;base64,", "", 0);
    decodes_to("data:;base64,Zg==", "f", 1);
    decodes_to("data:;base64,Zg", "f", 1);
    decodes_to("data:;base64,Zm8=", "fo", 2);
    decodes_to("data:;base64,Zm8", "fo", 2);
    decodes_to("data:;base64,Zm9v", "foo", 3);
    decodes_to("data:;base64,Zm9vYg==", "foob", 4);
    decodes_to("data:;base64,Zm9vYmE=", "fooba", 5);
    decodes_to("data:;base64,Zm9vYmFy", "foobar", 6);
    decodes_to("data:application/octet-stream;base64,Zm9vYmFy", "foobar", 6);
    decodes_to("DATA:text/plain;charset=utf-8;BASE64,Zm9v", "foo", 3);
    decodes_to("data:;base64,Zm8%3D", "fo", 2);
    decodes_to("data:;base64,Zg%3d%3D", "f", 1);
    decodes_to("data:;base64,%5Am9vYmFy", "foobar", 6);
    decodes_to("data:;base64,+/+/", "\xfb\xff\xbf", 3);
    decodes_to("data:;base64,%2B%2f%2B%2F", "\xfb\xff\xbf", 3);
}

static void test_gltf_uri__data_without_base64(void** state)
{
    (void)state;
    decodes_to("data:,", "", 0);
    decodes_to("data:,ab%20c", "ab c", 4);
    decodes_to("data:application/octet-stream,%00%01%fF", "\x00\x01\xff", 3);
    decodes_to("data:,100%", "100%", 4);
    decodes_to("data:,%zz%4", "%zz%4", 5);
}

static void faulty(const char* uri, gltf_uri_fault fault, size_t at)
{
    uint8_t* bytes = NULL;
    size_t got = 7, where = 0;
    const gltf_uri_fault found = sft_gltf_decode_data_uri(uri, strlen(uri), 1000, NULL, &bytes, &got, &where);
    if (found != fault || where != at) fail_msg("%s: fault %d at %zu", uri, (int)found, where);
    assert_null(bytes);
    assert_int_equal(got, 7);
}

static void test_gltf_uri__bad_data(void** state)
{
    (void)state;
    faulty("data:", GLTF_URI_NO_COMMA, 0);
    faulty("data:;base64", GLTF_URI_NO_COMMA, 0);
    faulty("data:;base64,Zm9v Zm9v", GLTF_URI_BASE64, 17);
    faulty("data:;base64,Zm9v\nZm9v", GLTF_URI_BASE64, 17);
    faulty("data:;base64,Zm9*", GLTF_URI_BASE64, 16);
    faulty("data:;base64,Zm9-", GLTF_URI_BASE64, 16);
    faulty("data:;base64,Zm9%2A", GLTF_URI_BASE64, 16);
    faulty("data:;base64,Z", GLTF_URI_BASE64, 14);
    faulty("data:;base64,Zm9vZ", GLTF_URI_BASE64, 18);
    faulty("data:;base64,====", GLTF_URI_BASE64, 13);
    faulty("data:;base64,Z===", GLTF_URI_BASE64, 14);
    faulty("data:;base64,Zg==Zg==", GLTF_URI_BASE64, 17);
    faulty("data:;base64,Zm9v=", GLTF_URI_BASE64, 17);
    faulty("data:;base64,Zm8==", GLTF_URI_BASE64, 17);
}

static void test_gltf_uri__data_within_its_limit(void** state)
{
    (void)state;
    uint8_t* bytes = NULL;
    size_t size = 0, where = 0;
    const char* uri = "data:;base64,Zm9vYmFy";
    assert_int_equal(sft_gltf_decode_data_uri(uri, strlen(uri), 5, NULL, &bytes, &size, &where), GLTF_URI_LIMIT);
    assert_int_equal(sft_gltf_decode_data_uri("data:,abc", 9, 2, NULL, &bytes, &size, &where), GLTF_URI_LIMIT);
    assert_int_equal(sft_gltf_decode_data_uri("data:;base64,Zm8", 16, 1, NULL, &bytes, &size, &where), GLTF_URI_LIMIT);
    assert_int_equal(sft_gltf_decode_data_uri(uri, strlen(uri), 6, NULL, &bytes, &size, &where), GLTF_URI_OK);
    free(bytes);
}

static void path_is(const char* uri, const char* expected)
{
    char out[256] = "";
    const gltf_uri_fault fault = sft_gltf_resource_path(uri, strlen(uri), out);
    if (fault != GLTF_URI_OK) fail_msg("%s: fault %d", uri, (int)fault);
    assert_string_equal(out, expected);
}

static void test_gltf_uri__paths(void** state)
{
    (void)state;
    path_is("a.bin", "a.bin");
    path_is("./a.bin", "a.bin");
    path_is("a/./b/c.bin", "a/b/c.bin");
    path_is("././a", "a");
    path_is("my%20file.bin", "my file.bin");
    path_is("a%2Fb.bin", "a/b.bin");
    path_is("%e6%ad%a9.bin", "\xe6\xad\xa9.bin");
    path_is("\xe6\xad\xa9.bin", "\xe6\xad\xa9.bin");
    path_is("100%.bin", "100%.bin");
    path_is("%2", "%2");
    // Once, not twice.
    path_is("%252e%252e", "%2e%2e");
    path_is("..a", "..a");
    path_is("a..", "a..");
    path_is(".hidden", ".hidden");
    path_is("buffer.bin?v=1#x", "buffer.bin?v=1#x");
}

static void path_refused(const char* uri, gltf_uri_fault fault)
{
    char out[256];
    const gltf_uri_fault found = sft_gltf_resource_path(uri, strlen(uri), out);
    if (found != fault) fail_msg("%s: fault %d, not %d", uri, (int)found, (int)fault);
    assert_true(sft_gltf_uri_advice(fault)[0] != '\0');
}

static void test_gltf_uri__paths_that_must_not_get_through(void** state)
{
    (void)state;
    static const struct
    {
        const char* uri;
        gltf_uri_fault fault;
    } cases[] = {{"", GLTF_URI_EMPTY},
                 {".", GLTF_URI_EMPTY},
                 {"./.", GLTF_URI_EMPTY},
                 {"/etc/passwd", GLTF_URI_ABSOLUTE},
                 {"//host/share", GLTF_URI_ABSOLUTE},
                 {"%2Fetc/passwd", GLTF_URI_ABSOLUTE},
                 {"..", GLTF_URI_OUTSIDE},
                 {"../a", GLTF_URI_OUTSIDE},
                 {"a/../../b", GLTF_URI_OUTSIDE},
                 {"a/../b", GLTF_URI_OUTSIDE},
                 {"%2e%2e/a", GLTF_URI_OUTSIDE},
                 {"%2E./a", GLTF_URI_OUTSIDE},
                 {"..%2fa", GLTF_URI_OUTSIDE},
                 {".../a", GLTF_URI_OUTSIDE},
                 {".. /a", GLTF_URI_OUTSIDE},
                 {" /a", GLTF_URI_OUTSIDE},
                 {"..%20/a", GLTF_URI_OUTSIDE},
                 {"a\\b", GLTF_URI_BYTES},
                 {"..\\a", GLTF_URI_BYTES},
                 {"%5c%5chost", GLTF_URI_BYTES},
                 {"a//b", GLTF_URI_BYTES},
                 {"a/", GLTF_URI_BYTES},
                 {"a%00b", GLTF_URI_BYTES},
                 {"a\nb", GLTF_URI_BYTES},
                 {"a%7f", GLTF_URI_BYTES},
                 {"a%ff", GLTF_URI_BYTES},
                 {"%c0%af", GLTF_URI_BYTES},
                 {"%e0%80%af", GLTF_URI_BYTES},
                 {"%ed%a0%80", GLTF_URI_BYTES},
                 {"%f4%90%80%80", GLTF_URI_BYTES},
                 {"%e6%ad", GLTF_URI_BYTES},
                 {"C:/a", GLTF_URI_SCHEME},
                 {"c:a", GLTF_URI_SCHEME},
                 {"c%3Aa", GLTF_URI_SCHEME},
                 {"http://x/a", GLTF_URI_SCHEME},
                 {"file:a", GLTF_URI_SCHEME},
                 {":", GLTF_URI_SCHEME},
                 {"a.bin:stream", GLTF_URI_SCHEME}};
    for (size_t i = 0; i < SFT_COUNT_OF(cases); ++i)
        path_refused(cases[i].uri, cases[i].fault);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_uri__base64),   cmocka_unit_test(test_gltf_uri__data_without_base64),
        cmocka_unit_test(test_gltf_uri__bad_data), cmocka_unit_test(test_gltf_uri__data_within_its_limit),
        cmocka_unit_test(test_gltf_uri__paths),    cmocka_unit_test(test_gltf_uri__paths_that_must_not_get_through),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
