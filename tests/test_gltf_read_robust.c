// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Short memory, cut and bent bytes, and files that claim much: no crash, no leak, memory in proportion.

#include "support/glb.h"

#include "core/core.h"

#define HEAD "{\"asset\":{\"version\":\"2.0\"}"

// Everything the reader keeps: names, matrix, skin, sparse accessor, data URI with escapes, image, animation.
static const char* const rich = HEAD
    ",\"scenes\":[{\"nodes\":[0]}],\"nodes\":[{\"name\":\"Hip\",\"children\":[1],\"matrix\":[1,0,0,0,0,1,0,0,0,0,1,0,"
    "1,2,3,1]},{\"name\":\"Knee\",\"rotation\":[0,0,0,1]}],\"skins\":[{\"joints\":[0,1]}],\"buffers\":[{\"byteLength\":"
    "64},{\"uri\":\"data:;base64,AAAA\\/w==\",\"byteLength\":4}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":8},"
    "{\"buffer\":0,\"byteOffset\":16,\"byteLength\":32},{\"buffer\":1,\"byteLength\":2}],\"accessors\":["
    "{\"bufferView\":0,\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},{\"bufferView\":1,"
    "\"componentType\":5126,\"count\":2,\"type\":\"VEC4\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":2,"
    "\"componentType\":5121},\"values\":{\"bufferView\":1}}}],\"images\":[{\"uri\":\"a%20b.png\"}],\"animations\":["
    "{\"name\":\"walk\",\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":1,"
    "\"path\":\"rotation\"}}]}]}";

static uint8_t* rich_glb(size_t* size)
{
    float bin[16] = {0.0f, 1.0f};
    bin[7] = bin[11] = 1.0f; // w of the two rotations
    return support_glb(rich, bin, sizeof bin, size);
}

static void test_gltf_robust__every_allocation_may_fail(void** state)
{
    (void)state;
    size_t size = 0;
    uint8_t* glb = rich_glb(&size);
    long calls = 0;
    for (long fail_at = -1; fail_at < 1000; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_gltf* gltf = NULL;
        sft_error error = {.code = SFT_OK};
        const sft_result result = sft_gltf_read(NULL, glb, size, &allocator, &gltf, &error);
        if (fail_at == -1)
        {
            if (result != SFT_OK) fail_msg("%s", error.message);
            assert_int_equal(sft_gltf_view(gltf)->warning_count, 0);
            assert_string_equal(sft_gltf_view(gltf)->animations[0].problem, "");
            assert_string_equal(sft_gltf_image_path(gltf, 0), "a b.png");
            calls = heap.calls;
        }
        else if (fail_at < calls)
        {
            if (result != SFT_ERR_MEMORY)
                fail_msg("allocation %ld failing gives %d: %s", fail_at, (int)result, error.message);
            assert_int_equal(error.code, SFT_ERR_MEMORY);
            assert_null(gltf);
        }
        sft_gltf_destroy(gltf);
        assert_int_equal(heap.live_blocks, 0);
        assert_int_equal(heap.live_bytes, 0);
        if (fail_at >= calls) break;
    }
    assert_true(calls > 5);
    free(glb);
}

// Reads a copy of exactly these bytes, so that a sanitizer sees any step beyond.
static sft_result read_exact(const uint8_t* bytes, size_t size, sft_error* error)
{
    uint8_t* copy = malloc(size + (size == 0));
    if (copy == NULL) abort();
    memcpy(copy, bytes, size);
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.keep_bytes = true;
    sft_gltf* gltf = NULL;
    memset(error, 0, sizeof *error);
    const sft_result result = sft_gltf_read(&def, copy, size, NULL, &gltf, error);
    if (result == SFT_OK)
        sft_gltf_destroy(gltf);
    else
        assert_true(gltf == NULL && error->message[0] != '\0' && error->byte <= size);
    free(copy);
    return result;
}

static void test_gltf_robust__every_truncation(void** state)
{
    (void)state;
    size_t size = 0;
    uint8_t* glb = rich_glb(&size);
    sft_error error;
    for (size_t n = 0; n < size; ++n)
        if (read_exact(glb, n, &error) == SFT_OK) fail_msg("read with %d of %d bytes", (int)n, (int)size);
    assert_int_equal(read_exact(glb, size, &error), SFT_OK);
    for (size_t n = 0; n < strlen(rich); ++n)
        if (read_exact((const uint8_t*)rich, n, &error) == SFT_OK) fail_msg("text read with %d bytes", (int)n);
    free(glb);
}

static void test_gltf_robust__bent_bytes(void** state)
{
    (void)state;
    size_t size = 0;
    uint8_t* glb = rich_glb(&size);
    static const char letters[] = "{}[],:\"0-9.eE\\ \n";
    support_rng rng = {3};
    sft_error error;
    for (int round = 0; round < 20000; ++round)
    {
        uint8_t bent[2048];
        assert_true(size <= sizeof bent);
        memcpy(bent, glb, size);
        const int changes = 1 + (int)support_uniform(&rng, 0, 4);
        for (int i = 0; i < changes; ++i)
        {
            const size_t at = (size_t)support_uniform(&rng, 0, (double)size);
            const bool letter = support_uniform(&rng, 0, 1) < 0.5;
            bent[at] = letter ? (uint8_t)letters[(size_t)support_uniform(&rng, 0, sizeof letters - 1)]
                              : (uint8_t)support_uniform(&rng, 0, 256);
        }
        (void)read_exact(bent, size, &error);
    }
    free(glb);
}

// Peak of what reading takes beside the input.
static size_t peak_of(const char* json, const void* bin, size_t bin_size)
{
    size_t size = 0;
    uint8_t* glb = support_glb(json, bin, bin_size, &size);
    support_heap heap = {.fail_at = -1};
    const sft_allocator allocator = support_allocator(&heap);
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.keep_bytes = true;
    sft_gltf* gltf = NULL;
    if (sft_gltf_read(&def, glb, size, &allocator, &gltf, NULL) == SFT_OK) sft_gltf_destroy(gltf);
    assert_int_equal(heap.live_blocks, 0);
    free(glb);
    return heap.peak_bytes;
}

static void test_gltf_robust__claims_cost_nothing(void** state)
{
    (void)state;
    static const char* const claims[] = {
        HEAD ",\"buffers\":[{\"byteLength\":4294967292}]}",
        HEAD ",\"buffers\":[{\"byteLength\":9007199254740991,\"uri\":\"data:;base64,AAAA\"}]}",
        HEAD
        ",\"nodes\":[{}],\"accessors\":[{\"componentType\":5126,\"count\":4294967295,\"type\":\"SCALAR\"},"
        "{\"componentType\":5126,\"count\":4294967295,\"type\":\"VEC4\"}],\"animations\":[{\"samplers\":[{\"input\":0,"
        "\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}]}",
        HEAD
        ",\"nodes\":[{}],\"buffers\":[{\"byteLength\":16}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":16}],"
        "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4294967295,\"type\":\"SCALAR\"},"
        "{\"componentType\":5126,\"count\":4294967295,\"type\":\"VEC4\"}],\"animations\":[{\"samplers\":[{\"input\":0,"
        "\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}]}"};
    const float bin[4] = {0};
    for (size_t i = 0; i < SFT_COUNT_OF(claims); ++i)
    {
        // The document itself, its warnings and the first block of what it keeps.
        const size_t peak = peak_of(claims[i], bin, sizeof bin), most = 32000;
        if (peak > most) fail_msg("claim %d takes %d bytes", (int)i, (int)peak);
    }
}

// `times` of `part`, parted by commas, between `before` and `after`.
static char* repeat(const char* before, const char* part, size_t times, const char* after)
{
    const size_t one = strlen(part);
    char* out = malloc(strlen(before) + times * (one + 1) + strlen(after) + 1);
    if (out == NULL) abort();
    char* p = out + strlen(before);
    memcpy(out, before, strlen(before));
    for (size_t i = 0; i < times; ++i)
    {
        if (i > 0) *p++ = ',';
        memcpy(p, part, one);
        p += one;
    }
    memcpy(p, after, strlen(after) + 1);
    return out;
}

static void test_gltf_robust__lists_cost_a_few_times_their_text(void** state)
{
    (void)state;
    static const struct
    {
        const char *before, *part, *after;
    } lists[] = {
        {HEAD ",\"accessors\":[", "{}", "]}"},
        {HEAD ",\"accessors\":[", "{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}", "]}"},
        {HEAD ",\"accessors\":[",
         "{\"componentType\":5126,\"count\":2,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":0,"
         "\"componentType\":5121},\"values\":{\"bufferView\":0}}}",
         "],\"bufferViews\":[{\"buffer\":0,\"byteLength\":1}],\"buffers\":[{\"byteLength\":1}]}"},
        {HEAD ",\"bufferViews\":[", "{}", "]}"},
        {HEAD ",\"bufferViews\":[", "{\"buffer\":0,\"byteLength\":1}", "],\"buffers\":[{\"byteLength\":1}]}"},
        {HEAD ",\"buffers\":[", "{}", "]}"},
        {HEAD ",\"buffers\":[", "{\"byteLength\":0}", "]}"},
        {HEAD ",\"buffers\":[", "{\"byteLength\":1,\"uri\":\"data:,a\"}", "]}"},
        {HEAD ",\"images\":[", "{\"uri\":\"a\"}", "]}"},
        {HEAD ",\"images\":[", "{}", "]}"},
        {HEAD ",\"skins\":[", "{}", "]}"},
        {HEAD ",\"nodes\":[{}],\"skins\":[", "{\"joints\":[0]}", "]}"},
        {HEAD ",\"nodes\":[{}],\"skins\":[{\"joints\":[", "0", "]}]}"},
        {HEAD ",\"scenes\":[", "{}", "]}"},
        {HEAD ",\"nodes\":[{}],\"scenes\":[{\"nodes\":[", "0", "]}]}"},
        {HEAD ",\"animations\":[", "{}", "]}"},
        {HEAD ",\"animations\":[", "{\"channels\":[],\"samplers\":[]}", "]}"},
        {HEAD ",\"animations\":[{\"channels\":[", "{}", "],\"samplers\":[]}]}"},
        {HEAD ",\"animations\":[{\"samplers\":[", "{}", "],\"channels\":[]}]}"},
        {HEAD ",\"nodes\":[{}],\"accessors\":[{\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"},"
              "{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"animations\":[{\"samplers\":[{\"input\":0,"
              "\"output\":1}],\"channels\":[",
         "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"scale\"}}", "]}]}"},
        {HEAD ",\"extras\":[", "[]", "]}"},
        {HEAD ",\"extras\":[", "0", "]}"},
    };
    for (size_t i = 0; i < SFT_COUNT_OF(lists); ++i)
    {
        char* json = repeat(lists[i].before, lists[i].part, 20000, lists[i].after);
        const size_t peak = peak_of(json, NULL, 0), most = 14 * strlen(json) + 40000;
        if (peak > most) fail_msg("%d bytes of %s take %d", (int)strlen(json), lists[i].part, (int)peak);
        free(json);
    }
    // Nodes are the exception, as short as they may be; their number has a limit.
    char* json = repeat(HEAD ",\"nodes\":[", "{}", 20000, "]}");
    const size_t peak = peak_of(json, NULL, 0);
    if (peak > 400 * 20000u) fail_msg("20000 nodes take %d", (int)peak);
    free(json);
}

// Keys that many animations share are walked once, also where the last of them is bad.
static void test_gltf_robust__shared_bad_keys_are_walked_once(void** state)
{
    (void)state;
    enum
    {
        KEYS = 200000,
        ANIMATIONS = 20000
    };
    float* keys = malloc(KEYS * sizeof *keys);
    if (keys == NULL) abort();
    for (int i = 0; i < KEYS; ++i)
        keys[i] = (float)i;
    keys[KEYS - 1] = 0.0f;
    char before[1024];
    snprintf(before, sizeof before,
             HEAD
             ",\"nodes\":[{}],\"buffers\":[{\"byteLength\":%d}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":%d}],"
             "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":%d,\"type\":\"SCALAR\"},"
             "{\"componentType\":5126,\"count\":%d,\"type\":\"VEC3\"}],\"animations\":[",
             KEYS * 4, KEYS * 4, KEYS, KEYS);
    char* json =
        repeat(before,
               "{\"samplers\":[{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,"
               "\"path\":\"scale\"}}]}",
               ANIMATIONS, "]}");
    sft_gltf* gltf = support_read_glb(json, keys, KEYS * sizeof *keys);
    const sft_gltf_animation* all = sft_gltf_view(gltf)->animations;
    assert_non_null(strstr(all[0].problem, "key 199999 at 0 s does not come after key 199998 at 199998 s"));
    assert_non_null(strstr(all[ANIMATIONS - 1].problem, "sampler 0: key times (accessor 0) that fall"));
    sft_gltf_destroy(gltf);
    free(json);
    free(keys);
}

static void test_gltf_robust__deep_and_long_trees(void** state)
{
    (void)state;
    // A chain through all nodes, then all nodes in one ring.
    enum
    {
        NODES = 60000
    };
    for (int ring = 0; ring < 2; ++ring)
    {
        char* json = malloc(NODES * 24 + 200);
        if (json == NULL) abort();
        size_t at = (size_t)sprintf(json, HEAD ",\"nodes\":[");
        for (int i = 0; i < NODES; ++i)
        {
            const bool last = i == NODES - 1;
            at += (size_t)(last && !ring
                               ? sprintf(json + at, "{}")
                               : sprintf(json + at, "{\"children\":[%d]}%s", last ? 0 : i + 1, last ? "" : ","));
        }
        sprintf(json + at, "]}");
        sft_gltf* gltf = NULL;
        sft_error error = {.code = SFT_OK};
        const sft_result result = sft_gltf_read(NULL, json, strlen(json), NULL, &gltf, &error);
        assert_int_equal(result, ring ? SFT_ERR_SYNTAX : SFT_OK);
        if (ring) assert_non_null(strstr(error.message, "nodes hang in a ring"));
        sft_gltf_destroy(gltf);
        free(json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_robust__every_allocation_may_fail),
        cmocka_unit_test(test_gltf_robust__every_truncation),
        cmocka_unit_test(test_gltf_robust__bent_bytes),
        cmocka_unit_test(test_gltf_robust__claims_cost_nothing),
        cmocka_unit_test(test_gltf_robust__lists_cost_a_few_times_their_text),
        cmocka_unit_test(test_gltf_robust__shared_bad_keys_are_walked_once),
        cmocka_unit_test(test_gltf_robust__deep_and_long_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
