// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Accessors: every component type against numbers worked out by hand from the standard's rules.

#include "support/glb.h"

#include "gltf/gltf.h"

#define HEAD "{\"asset\":{\"version\":\"2.0\"},"

// A document of one buffer, given views and accessors.
static sft_gltf* with(const char* views, const char* accessors, const void* bin, size_t size)
{
    char json[2048];
    snprintf(json, sizeof json, HEAD "\"buffers\":[{\"byteLength\":%zu}],\"bufferViews\":[%s],\"accessors\":[%s]}",
             size, views, accessors);
    return support_read_glb(json, bin, size);
}

static void values_are(sft_gltf* gltf, int32_t accessor, const double* expected, size_t count)
{
    sft_error error = {.code = SFT_OK};
    const sft_result result = sft_gltf_check_accessor(gltf, accessor, &error);
    if (result != SFT_OK) fail_msg("%s", error.message);
    const gltf_accessor* a = &gltf->accessors[accessor];
    assert_int_equal((size_t)a->count * a->width, count);
    double out[64];
    sft_gltf_read_values(gltf, accessor, 0, a->count, out);
    for (size_t i = 0; i < count; ++i)
        if (!(out[i] == expected[i])) fail_msg("value %zu is %.17g, not %.17g", i, out[i], expected[i]);
    // Every stretch of elements says the same as the whole.
    for (uint32_t first = 0; first < a->count; ++first)
        for (uint32_t n = 1; n <= a->count - first; ++n)
        {
            double part[64];
            sft_gltf_read_values(gltf, accessor, first, n, part);
            assert_memory_equal(part, out + (size_t)first * a->width, n * a->width * sizeof *part);
        }
}

static void refused(sft_gltf* gltf, int32_t accessor, sft_result code, const char* part)
{
    sft_error error = {.code = SFT_OK};
    assert_int_equal(sft_gltf_check_accessor(gltf, accessor, &error), code);
    if (strstr(error.message, part) == NULL) fail_msg("'%s' does not say '%s'", error.message, part);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__floats_as_they_are(void** state)
{
    (void)state;
    const float v[] = {0.0f, -1.5f, 3.25f, 1e-40f, 3.0e38f, 0.1f};
    sft_gltf* gltf = with("{\"buffer\":0,\"byteLength\":24}",
                          "{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"VEC3\"}", v, sizeof v);
    const double expected[] = {0.0, -1.5, 3.25, (double)v[3], (double)v[4], (double)v[5]};
    values_are(gltf, 0, expected, 6);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__normalised_integers(void** state)
{
    (void)state;
    // -128 and -127 are both -1: the standard's max(c / 127, -1).
    const uint8_t bytes[] = {0x80, 0x81, 0xff, 0x00, 0x40, 0x7f, 0xff, 0x33, //
                             0x00, 0x80, 0x01, 0x80, 0xff, 0x7f, 0x01, 0x00};
    const char* views = "{\"buffer\":0,\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":8}";
    const char* accessors =
        "{\"bufferView\":0,\"componentType\":5120,\"normalized\":true,\"count\":6,\"type\":\"SCALAR\"},"
        "{\"bufferView\":0,\"componentType\":5121,\"normalized\":true,\"count\":4,\"type\":\"VEC2\"},"
        "{\"bufferView\":1,\"componentType\":5122,\"normalized\":true,\"count\":1,\"type\":\"VEC4\"},"
        "{\"bufferView\":1,\"componentType\":5123,\"normalized\":true,\"count\":1,\"type\":\"VEC4\"}";
    sft_gltf* gltf = with(views, accessors, bytes, sizeof bytes);
    values_are(gltf, 0, (const double[]){-1.0, -1.0, -1.0 / 127.0, 0.0, 64.0 / 127.0, 1.0}, 6);
    values_are(gltf, 1,
               (const double[]){128.0 / 255.0, 129.0 / 255.0, 1.0, 0.0, 64.0 / 255.0, 127.0 / 255.0, 1.0, 51.0 / 255.0},
               8);
    values_are(gltf, 2, (const double[]){-1.0, -1.0, 1.0, 1.0 / 32767.0}, 4);
    values_are(gltf, 3, (const double[]){32768.0 / 65535.0, 32769.0 / 65535.0, 32767.0 / 65535.0, 1.0 / 65535.0}, 4);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__plain_integers(void** state)
{
    (void)state;
    const uint8_t bytes[] = {0x80, 0xff, 0x7f, 0x01, 0xff, 0xff, 0xff, 0xff};
    const char* accessors = "{\"bufferView\":0,\"componentType\":5120,\"count\":4,\"type\":\"SCALAR\"},"
                            "{\"bufferView\":0,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"},"
                            "{\"bufferView\":0,\"componentType\":5122,\"count\":4,\"type\":\"SCALAR\"},"
                            "{\"bufferView\":0,\"componentType\":5123,\"count\":4,\"type\":\"SCALAR\"},"
                            "{\"bufferView\":0,\"componentType\":5125,\"count\":2,\"type\":\"SCALAR\"}";
    sft_gltf* gltf = with("{\"buffer\":0,\"byteLength\":8}", accessors, bytes, sizeof bytes);
    values_are(gltf, 0, (const double[]){-128.0, -1.0, 127.0, 1.0}, 4);
    values_are(gltf, 1, (const double[]){128.0, 255.0, 127.0, 1.0}, 4);
    values_are(gltf, 2, (const double[]){-128.0, 383.0, -1.0, -1.0}, 4); // 0xff80, 0x017f, 0xffff
    values_are(gltf, 3, (const double[]){65408.0, 383.0, 65535.0, 65535.0}, 4);
    values_are(gltf, 4, (const double[]){25165696.0, 4294967295.0}, 2); // 0x017fff80
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__interleaved_views(void** state)
{
    (void)state;
    // Three elements of five floats: a scalar, then a VEC3 four bytes in; the last element ends with the view.
    const float v[] = {1, 10, 11, 12, 99, 2, 20, 21, 22, 99, 3, 30, 31, 32};
    const char* accessors = "{\"bufferView\":0,\"componentType\":5126,\"count\":3,\"type\":\"SCALAR\"},"
                            "{\"bufferView\":0,\"byteOffset\":4,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"},"
                            "{\"bufferView\":0,\"byteOffset\":8,\"componentType\":5126,\"count\":3,\"type\":\"VEC3\"}";
    sft_gltf* gltf = with("{\"buffer\":0,\"byteLength\":56,\"byteStride\":20}", accessors, v, sizeof v);
    values_are(gltf, 0, (const double[]){1, 2, 3}, 3);
    values_are(gltf, 1, (const double[]){10, 11, 12, 20, 21, 22, 30, 31, 32}, 9);
    refused(gltf, 2, SFT_ERR_SYNTAX, "accessor 2 needs 52 bytes from byte 8 of buffer view 0, which has 56");
}

static void test_gltf_read__views_and_accessors_add_their_offsets(void** state)
{
    (void)state;
    const uint8_t bytes[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    sft_gltf* gltf = with("{\"buffer\":0,\"byteOffset\":3,\"byteLength\":6}",
                          "{\"bufferView\":0,\"byteOffset\":2,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"},"
                          "{\"bufferView\":0,\"byteOffset\":1,\"componentType\":5123,\"count\":2,\"type\":\"SCALAR\"}",
                          bytes, sizeof bytes);
    values_are(gltf, 0, (const double[]){5, 6, 7, 8}, 4);
    // Not aligned, which the standard forbids; the numbers are plain all the same.
    values_are(gltf, 1, (const double[]){0x0504, 0x0706}, 2);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__matrices_without_padding(void** state)
{
    (void)state;
    // MAT2 of bytes: columns at 0 and 4. MAT3 of shorts: columns at 0, 8 and 16.
    const uint8_t two[] = {1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8};
    sft_gltf* gltf = with("{\"buffer\":0,\"byteLength\":14}",
                          "{\"bufferView\":0,\"componentType\":5121,\"count\":2,\"type\":\"MAT2\"}", two, sizeof two);
    values_are(gltf, 0, (const double[]){1, 2, 3, 4, 5, 6, 7, 8}, 8);
    sft_gltf_destroy(gltf);
    const uint16_t three[] = {1, 2, 3, 0, 4, 5, 6, 0, 7, 8, 9, 0};
    gltf = with("{\"buffer\":0,\"byteLength\":24}",
                "{\"bufferView\":0,\"componentType\":5123,\"count\":1,\"type\":\"MAT3\"}", three, sizeof three);
    values_are(gltf, 0, (const double[]){1, 2, 3, 4, 5, 6, 7, 8, 9}, 9);
    sft_gltf_destroy(gltf);
}

#define SPARSE(base, type, count)                                                                                      \
    "{" base "\"componentType\":5126,\"count\":5,\"type\":\"VEC2\",\"sparse\":{\"count\":" count                       \
    ",\"indices\":{\"bufferView\":1,\"componentType\":" type "},\"values\":{\"bufferView\":2}}}"
#define SPARSE_VIEWS                                                                                                   \
    "{\"buffer\":0,\"byteLength\":40},{\"buffer\":0,\"byteOffset\":40,\"byteLength\":8},"                              \
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":16}"

typedef struct sparse_bytes
{
    float base[10];
    uint8_t indices[8];
    float values[4];
} sparse_bytes;

static void test_gltf_read__sparse_elements(void** state)
{
    (void)state;
    sparse_bytes b = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 4, 0, 0, 4, 0, 0, 0}, {-1, -2, -3, -4}};
    const char* accessors = SPARSE("\"bufferView\":0,", "5121", "2") "," SPARSE("", "5121", "2");
    sft_gltf* gltf = with(SPARSE_VIEWS, accessors, &b, sizeof b);
    values_are(gltf, 0, (const double[]){0, 1, -1, -2, 4, 5, 6, 7, -3, -4}, 10);
    values_are(gltf, 1, (const double[]){0, 0, -1, -2, 0, 0, 0, 0, -3, -4}, 10);
    sft_gltf_destroy(gltf);
    b.indices[1] = 0;
    b.indices[2] = 4;
    gltf = with(SPARSE_VIEWS, SPARSE("\"bufferView\":0,", "5123", "2"), &b, sizeof b);
    values_are(gltf, 0, (const double[]){0, 1, -1, -2, 4, 5, 6, 7, -3, -4}, 10);
    sft_gltf_destroy(gltf);
    b.indices[2] = 0;
    gltf = with(SPARSE_VIEWS, SPARSE("\"bufferView\":0,", "5125", "2"), &b, sizeof b);
    values_are(gltf, 0, (const double[]){0, 1, -1, -2, 4, 5, 6, 7, -3, -4}, 10);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__sparse_faults(void** state)
{
    (void)state;
    sparse_bytes b = {{0}, {4, 1, 0, 0}, {0}};
    refused(with(SPARSE_VIEWS, SPARSE("", "5121", "2"), &b, sizeof b), 0, SFT_ERR_SYNTAX,
            "sparse index 1 of accessor 0 is 1: indices must grow and stay below 5");
    b.indices[1] = 4;
    refused(with(SPARSE_VIEWS, SPARSE("", "5121", "2"), &b, sizeof b), 0, SFT_ERR_SYNTAX, "sparse index 1");
    b.indices[1] = 5;
    refused(with(SPARSE_VIEWS, SPARSE("", "5121", "2"), &b, sizeof b), 0, SFT_ERR_SYNTAX, "is 5");
    b.indices[0] = 0;
    b.indices[1] = 1;
    refused(with(SPARSE_VIEWS, SPARSE("", "5121", "6"), &b, sizeof b), 0, SFT_ERR_SYNTAX, "replaces 6 elements");
    refused(with(SPARSE_VIEWS, SPARSE("", "5121", "3"), &b, sizeof b), 0, SFT_ERR_SYNTAX, "needs 24 bytes");
    refused(with(SPARSE_VIEWS, SPARSE("", "5121", "0"), &b, sizeof b), 0, SFT_ERR_SYNTAX, "at least 1");
    refused(with(SPARSE_VIEWS, SPARSE("", "5126", "2"), &b, sizeof b), 0, SFT_ERR_SYNTAX, "sparse indices");
}

static void test_gltf_read__accessors_without_view_are_zeros(void** state)
{
    (void)state;
    sft_gltf* gltf = with("", "{\"componentType\":5126,\"count\":4294967295,\"type\":\"VEC3\"}", "", 0);
    sft_error error;
    assert_int_equal(sft_gltf_check_accessor(gltf, 0, &error), SFT_OK);
    double out[6] = {1, 1, 1, 1, 1, 1};
    sft_gltf_read_values(gltf, 0, 4294967293u, 2, out);
    for (int i = 0; i < 6; ++i)
        assert_true(out[i] == 0.0);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__accessors_beyond_their_bytes(void** state)
{
    (void)state;
    static const char* const accessors[] = {
        "{\"bufferView\":0,\"componentType\":5126,\"count\":5,\"type\":\"SCALAR\"}",
        "{\"bufferView\":0,\"componentType\":5126,\"count\":4294967295,\"type\":\"MAT4\"}",
        "{\"bufferView\":0,\"byteOffset\":1,\"componentType\":5126,\"count\":4,\"type\":\"SCALAR\"}",
        "{\"bufferView\":0,\"byteOffset\":9007199254740992,\"componentType\":5121,\"count\":1,\"type\":\"SCALAR\"}",
        "{\"bufferView\":0,\"byteOffset\":16,\"componentType\":5121,\"count\":1,\"type\":\"SCALAR\"}",
        "{\"bufferView\":1,\"componentType\":5121,\"count\":1,\"type\":\"SCALAR\"}",
        "{\"bufferView\":2,\"componentType\":5121,\"count\":1,\"type\":\"SCALAR\"}",
        "{\"bufferView\":3,\"componentType\":5126,\"count\":2,\"type\":\"VEC2\"}",
        "{\"bufferView\":9,\"componentType\":5121,\"count\":1,\"type\":\"SCALAR\"}"};
    static const char* const parts[] = {
        "accessor 0 needs 20 bytes",  "needs 274877906880 bytes",        "needs 16 bytes from byte 1",
        "from byte 9007199254740992", "needs 1 bytes from byte 16",      "goes 1 bytes beyond the end of buffer 0",
        "beyond the end of buffer 0", "more than the stride of 4 bytes", "names buffer view 9"};
    const char* views = "{\"buffer\":0,\"byteLength\":16},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":9},"
                        "{\"buffer\":0,\"byteOffset\":9007199254740992,\"byteLength\":9007199254740992},"
                        "{\"buffer\":0,\"byteLength\":16,\"byteStride\":4}";
    const uint8_t bytes[16] = {0};
    for (size_t i = 0; i < SFT_COUNT_OF(accessors); ++i)
        refused(with(views, accessors[i], bytes, sizeof bytes), 0, SFT_ERR_SYNTAX, parts[i]);
}

static void test_gltf_read__compressed_views_are_named(void** state)
{
    (void)state;
    const uint8_t bytes[16] = {0};
    refused(with("{\"buffer\":0,\"byteLength\":16,\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0}}}",
                 "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"SCALAR\"}", bytes, sizeof bytes),
            0, SFT_ERR_UNSUPPORTED, "accessor 0 is compressed with EXT_meshopt_compression");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_read__floats_as_they_are),
        cmocka_unit_test(test_gltf_read__normalised_integers),
        cmocka_unit_test(test_gltf_read__plain_integers),
        cmocka_unit_test(test_gltf_read__interleaved_views),
        cmocka_unit_test(test_gltf_read__views_and_accessors_add_their_offsets),
        cmocka_unit_test(test_gltf_read__matrices_without_padding),
        cmocka_unit_test(test_gltf_read__sparse_elements),
        cmocka_unit_test(test_gltf_read__sparse_faults),
        cmocka_unit_test(test_gltf_read__accessors_without_view_are_zeros),
        cmocka_unit_test(test_gltf_read__accessors_beyond_their_bytes),
        cmocka_unit_test(test_gltf_read__compressed_views_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
