// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Documents that are refused: where the error points and what it says.

#include "support/glb.h"

#include "core/core.h"

#define HEAD "{\"asset\":{\"version\":\"2.0\"},"

static void says(const sft_error* error, const char* part)
{
    if (strstr(error->message, part) == NULL) fail_msg("'%s' does not say '%s'", error->message, part);
}

// `at` is the text that the error's byte must point to.
static void refused(const char* json, sft_result code, const char* at, const char* part)
{
    sft_error error;
    support_refuse_gltf(json, &error);
    says(&error, part);
    assert_int_equal(error.code, code);
    const char* place = json + error.byte;
    if (at != NULL && strncmp(place, at, strlen(at)) != 0) fail_msg("byte %d is '%.20s'", (int)error.byte, place);
}

// ---- text ----

static void test_gltf_bad__no_document(void** state)
{
    (void)state;
    refused("", SFT_ERR_SYNTAX, "", "empty");
    refused("[]", SFT_ERR_SYNTAX, "[", "must be a JSON object, this is an array");
    refused("\xff\xfe{", SFT_ERR_SYNTAX, "\xff", "UTF-16");
    refused(" {\"asset\":{\"version\":\"2.0\"}", SFT_ERR_SYNTAX, NULL, "");
    refused("{}", SFT_ERR_SYNTAX, "{", "no 'asset'");
    refused("{\"asset\":[]}", SFT_ERR_SYNTAX, "[", "/asset: 'asset' must be an object, not an array");
    refused("{\"asset\":{}}", SFT_ERR_SYNTAX, "{}", "must be text such as \"2.0\"");
    refused("{\"asset\":{\"version\":2.0}}", SFT_ERR_SYNTAX, "{\"v", "must be text");
    refused("{\"asset\":{\"version\":\"2\"}}", SFT_ERR_SYNTAX, NULL, "must be text");
    refused("{\"asset\":{\"version\":\"2.0.1\"}}", SFT_ERR_SYNTAX, NULL, "must be text");
    refused("{\"asset\":{\"version\":\"1.0\"}}", SFT_ERR_UNSUPPORTED, "\"1.0", "/asset/version: this is glTF 1.0");
    refused("{\"asset\":{\"version\":\"2.0\",\"minVersion\":\"2.1\"}}", SFT_ERR_UNSUPPORTED, "\"2.1", "glTF 2.1");
    sft_gltf_destroy(support_read_gltf("{\"asset\":{\"version\":\"2.1\",\"minVersion\":\"2.0\"}}"));
}

static void test_gltf_bad__lines_and_paths(void** state)
{
    (void)state;
    sft_error error;
    support_refuse_gltf(HEAD "\n\"nodes\":[\r\n{},\r{\"name\":\"Left~1/Foot\",\n\"children\":[0,\n7]}]}", &error);
    assert_int_equal(error.line, 6);
    says(&error, "/nodes/1/children/1: node 1 'Left~1/Foot' names node 7, which is not there (there are 2)");
    assert_string_equal(error.joint, "Left~1/Foot");
}

static void test_gltf_bad__duplicate_members(void** state)
{
    (void)state;
    refused(HEAD "\"nodes\":[],\"nodes\":[]}", SFT_ERR_SYNTAX, "\"nodes\":[]}", "two members 'nodes'");
    refused(HEAD "\"nodes\":[{\"name\":\"a\",\"n\\u0061me\":\"b\"}]}", SFT_ERR_SYNTAX, "\"n\\u0061me",
            "two members 'name'");
    refused(HEAD "\"nodes\":[{\"children\":[1],\"children\":[]},{}]}", SFT_ERR_SYNTAX, "\"children\":[]",
            "two members 'children'");
    // What is not looked at may say anything twice.
    sft_gltf_destroy(support_read_gltf(HEAD "\"nodes\":[{\"extras\":{\"a\":1,\"a\":2},\"x\":1,\"x\":2}]}"));
}

// ---- nodes ----

static void test_gltf_bad__trees(void** state)
{
    (void)state;
    refused(HEAD "\"nodes\":[{\"name\":\"A\",\"children\":[0]}]}", SFT_ERR_SYNTAX, "0]", "node 0 'A' is its own child");
    refused(HEAD "\"nodes\":[{\"children\":[1,1]},{}]}", SFT_ERR_SYNTAX, "1]", "node 1 is a child of node 0 twice");
    refused(HEAD "\"nodes\":[{\"children\":[2]},{\"children\":[2]},{\"name\":\"C\"}]}", SFT_ERR_SYNTAX, "2]},{\"name",
            "/nodes/1/children/0: node 2 'C' has two parents, node 0 and node 1");
    refused(HEAD "\"nodes\":[{},{\"children\":[3]},{\"children\":[1]},{\"children\":[2]}]}", SFT_ERR_SYNTAX,
            "{\"children\":[3]", "nodes hang in a ring");
    refused(HEAD "\"nodes\":[{\"children\":{}}]}", SFT_ERR_SYNTAX, "{}", "must be an array");
    refused(HEAD "\"nodes\":[{\"children\":[-1]}]}", SFT_ERR_SYNTAX, "-1", "names node -1");
    refused(HEAD "\"nodes\":[{\"children\":[0.5]}]}", SFT_ERR_SYNTAX, "0.5", "a whole number");
    refused(HEAD "\"nodes\":[{\"children\":[99999999999999999999999999]}]}", SFT_ERR_SYNTAX, "999",
            "beyond all numbers");
    refused(HEAD "\"nodes\":[7]}", SFT_ERR_SYNTAX, "7", "/nodes/0: node 0 must be an object, not a number");
    refused(HEAD "\"nodes\":{}}", SFT_ERR_SYNTAX, "{}", "/nodes: must be an array");
}

static void test_gltf_bad__transforms(void** state)
{
    (void)state;
    refused(HEAD "\"nodes\":[{\"name\":\"Knee\",\"rotation\":[0,0,0,0]}]}", SFT_ERR_RANGE, "[0,0",
            "the rotation of node 0 'Knee' is a quaternion of no length");
    refused(HEAD "\"nodes\":[{\"rotation\":[0,0,1e999,0]}]}", SFT_ERR_SYNTAX, "[0,0", "must be 4 numbers");
    refused(HEAD "\"nodes\":[{\"translation\":[0,0]}]}", SFT_ERR_SYNTAX, "[0,0", "the translation of node 0 must be 3");
    refused(HEAD "\"nodes\":[{\"scale\":[1,1,1e61]}]}", SFT_ERR_RANGE, "[1,1", "of sensible size");
    refused(HEAD "\"nodes\":[{\"scale\":\"1\"}]}", SFT_ERR_SYNTAX, "\"1", "the scale of node 0 must be 3 numbers");
    refused(HEAD "\"nodes\":[{\"matrix\":[1,0,0,0,1,0,0,0,1]}]}", SFT_ERR_SYNTAX, "[1,0", "must be 16 numbers");
}

static void test_gltf_bad__skins(void** state)
{
    (void)state;
    refused(HEAD "\"skins\":[{}]}", SFT_ERR_SYNTAX, "{}", "skin 0 has no array 'joints'");
    refused(HEAD "\"nodes\":[{}],\"skins\":[{\"joints\":[0]},{\"joints\":[0,1]}]}", SFT_ERR_SYNTAX, "1]}]",
            "/skins/1/joints/1: skin 1 names node 1, which is not there");
}

// ---- buffers and accessors ----

static void test_gltf_bad__buffers(void** state)
{
    (void)state;
    refused(HEAD "\"buffers\":[{}]}", SFT_ERR_SYNTAX, "{}", "buffer 0 must have a byteLength");
    refused(HEAD "\"buffers\":[{\"byteLength\":-1}]}", SFT_ERR_SYNTAX, "-1", "/buffers/0/byteLength");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":\"data:;base64,AA==\"}]}", SFT_ERR_SYNTAX, "{\"byte",
            "buffer 0 has 1 bytes of the 2 that its byteLength says (1 bytes are missing)");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":\"data:;base64,AA*A\"}]}", SFT_ERR_SYNTAX, "*A",
            "no base64 from its byte 15 on");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":\"data:x\"}]}", SFT_ERR_SYNTAX, "\"data", "without a comma");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":7}]}", SFT_ERR_SYNTAX, "7", "must be a string");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":\"../a.bin\"}]}", SFT_ERR_UNSUPPORTED, "\"../",
            "/buffers/0/uri: the uri of buffer 0 leaves the document's folder");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":\"http://x/a.bin\"}]}", SFT_ERR_UNSUPPORTED, "\"http",
            "nothing is fetched from elsewhere");
    refused(HEAD "\"buffers\":[{\"byteLength\":2,\"uri\":\"a\\u0000.bin\"}]}", SFT_ERR_UNSUPPORTED, "\"a", "no path");
}

#define ANIMATED(accessors, rest)                                                                                      \
    HEAD "\"nodes\":[{}],\"accessors\":[" accessors "],\"animations\":[{\"samplers\":[{\"input\":0,\"output\":1}],"    \
         "\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]" rest "}]}"
#define TIMES "{\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"}"

static void test_gltf_bad__accessors_of_animations(void** state)
{
    (void)state;
    refused(ANIMATED(TIMES ",{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}", ""), SFT_ERR_SYNTAX, NULL,
            "accessor 1 is VEC3, but rotation of sampler 0 of animation 0 must be VEC4");
    refused(ANIMATED(TIMES ",{\"componentType\":5126,\"count\":1,\"type\":\"MAT2\"}", ""), SFT_ERR_SYNTAX, NULL,
            "accessor 1 is a matrix");
    refused(ANIMATED("{\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}," TIMES, ""), SFT_ERR_SYNTAX, NULL,
            "the key times of sampler 0 of animation 0 must be SCALAR");
    refused(ANIMATED(TIMES ",{\"componentType\":5124,\"count\":1,\"type\":\"VEC4\"}", ""), SFT_ERR_SYNTAX, "5124",
            "/accessors/1/componentType: ");
    refused(ANIMATED(TIMES ",{\"componentType\":5126,\"count\":1,\"type\":\"VEC5\",\"x\":0}", ""), SFT_ERR_SYNTAX,
            "\"VEC5", "type must be");
    refused(ANIMATED(TIMES ",{\"componentType\":5126,\"count\":4294967296,\"type\":\"VEC4\"}", ""), SFT_ERR_SYNTAX,
            "4294967296", "count must be a whole number");
    refused(ANIMATED(TIMES ",{\"bufferView\":3,\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}", ""),
            SFT_ERR_SYNTAX, "3,", "accessor 1 names buffer view 3");
    refused(ANIMATED(TIMES ",{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}", ""),
            SFT_ERR_SYNTAX, NULL, "accessor 1 names buffer view 0");
}

static void test_gltf_bad__views_of_animations(void** state)
{
    (void)state;
#define VIEWED(view)                                                                                                   \
    HEAD "\"nodes\":[{}],\"buffers\":[{\"byteLength\":16}],\"bufferViews\":[" view "],\"accessors\":[" TIMES           \
         ",{\"bufferView\":0,\"componentType\":5126,\"count\":1,\"type\":\"VEC4\"}],\"animations\":[{\"samplers\":["   \
         "{\"input\":0,\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}]}"
    refused(VIEWED("{\"buffer\":0,\"byteLength\":16}"), SFT_ERR_SYNTAX, NULL,
            "/bufferViews/0: accessor 1 needs buffer 0, which has no data");
    refused(VIEWED("{\"buffer\":4,\"byteLength\":16,\"x\":0}"), SFT_ERR_SYNTAX, "4", "buffer view 0 names buffer 4");
    refused(VIEWED("{\"buffer\":0,\"byteLength\":1.5,\"x\":0}"), SFT_ERR_SYNTAX, "1.5", "/bufferViews/0/byteLength");
    refused(VIEWED("{\"buffer\":0}"), SFT_ERR_SYNTAX, "{\"buffer\":0}", "buffer view 0 has no 'byteLength'");
}

// Without a use for them, the same entries pass through.
static void test_gltf_bad__meshes_are_not_judged(void** state)
{
    (void)state;
    sft_gltf_destroy(support_read_gltf(
        HEAD "\"bufferViews\":[{\"buffer\":4,\"byteLength\":16,\"x\":0}],\"accessors\":[{\"bufferView\":7,"
             "\"componentType\":5124,\"count\":-1,\"type\":\"VEC5\"}],\"meshes\":[{\"primitives\":[{\"attributes\":{"
             "\"POSITION\":99}}]}],\"materials\":7,\"images\":{},\"textures\":[{\"source\":44}],\"cameras\":null}"));
}

static void test_gltf_bad__animations(void** state)
{
    (void)state;
#define BAD(animation) HEAD "\"nodes\":[{}],\"accessors\":[" TIMES "],\"animations\":[" animation "]}"
#define S "\"samplers\":[{\"input\":0,\"output\":0}]"
    refused(BAD("{}"), SFT_ERR_SYNTAX, "{}", "animation 0 must have an array 'channels'");
    refused(BAD("{\"channels\":[]}"), SFT_ERR_SYNTAX, NULL, "animation 0 must have an array 'samplers'");
    refused(BAD("{\"channels\":[],\"samplers\":{}}"), SFT_ERR_SYNTAX, "{}}", "/animations/0/samplers");
    refused(BAD("{\"channels\":[],\"samplers\":[{\"input\":0}]}"), SFT_ERR_SYNTAX, "{\"input",
            "sampler 0 of animation 0 must have a number 'output'");
    refused(BAD("{\"channels\":[],\"samplers\":[{\"input\":0,\"output\":2}]}"), SFT_ERR_SYNTAX, "2}",
            "/animations/0/samplers/0/output: sampler 0 of animation 0 names accessor 2");
    refused(BAD("{" S ",\"channels\":[{}]}"), SFT_ERR_SYNTAX, "{}",
            "channel 0 of animation 0 must have a number 'sampler'");
    refused(BAD("{" S ",\"channels\":[{\"sampler\":0}]}"), SFT_ERR_SYNTAX, NULL, "must have an object 'target'");
    refused(BAD("{" S ",\"channels\":[{\"sampler\":1,\"target\":{\"path\":\"scale\"}}]}"), SFT_ERR_SYNTAX, "1,",
            "channel 0 of animation 0 names sampler 1");
    refused(BAD("{" S ",\"channels\":[{\"sampler\":0,\"target\":{}}]}"), SFT_ERR_SYNTAX, "{}",
            "must have a string 'path'");
    refused(BAD("{" S ",\"channels\":[{\"sampler\":0,\"target\":{\"path\":\"scale\",\"node\":1}}]}"), SFT_ERR_SYNTAX,
            "1}", "/animations/0/channels/0/target/node: channel 0 of animation 0 names node 1");
}

// ---- containers ----

static void glb_refused(const uint8_t* glb, size_t size, sft_result code, size_t byte, const char* part)
{
    sft_gltf* gltf = NULL;
    sft_error error = {.code = SFT_OK};
    if (sft_gltf_read(NULL, glb, size, NULL, &gltf, &error) == SFT_OK) fail_msg("read, and should not be: %s", part);
    says(&error, part);
    assert_int_equal(error.code, code);
    assert_int_equal(error.byte, byte);
}

static void test_gltf_bad__containers(void** state)
{
    (void)state;
    const uint8_t bin[8] = {0};
    size_t size = 0;
    uint8_t* glb = support_glb("{\"asset\":{\"version\":\"2.0\"}} ", bin, sizeof bin, &size);
    assert_int_equal(size, 12 + 8 + 28 + 8 + 8);
    glb_refused(glb, 4, SFT_ERR_SYNTAX, 4, "ends inside its header: 8 bytes are missing");
    glb_refused(glb, size - 3, SFT_ERR_SYNTAX, size - 3,
                "its header says 64 bytes, the file has 61, so 3 bytes are missing");
    uint8_t bad[64];
#define WITH(offset, value)                                                                                            \
    memcpy(bad, glb, sizeof bad);                                                                                      \
    bad[offset] = (value);
    WITH(4, 1)
    glb_refused(bad, size, SFT_ERR_UNSUPPORTED, 4, "version 1 of its container");
    WITH(8, 11)
    glb_refused(bad, size, SFT_ERR_SYNTAX, 8, "a length of 11 bytes");
    WITH(8, 12)
    glb_refused(bad, size, SFT_ERR_SYNTAX, 12, "no JSON chunk");
    WITH(8, 16)
    glb_refused(bad, size, SFT_ERR_SYNTAX, 12, "inside the header of its JSON chunk");
    WITH(8, 44)
    glb_refused(bad, size, SFT_ERR_SYNTAX, 12, "chunk 0 (JSON) goes 4 bytes beyond");
    WITH(51, 1)
    glb_refused(bad, size, SFT_ERR_SYNTAX, 48, "chunk 1 (BIN) goes 16777216 bytes beyond");
    WITH(16, 'X')
    glb_refused(bad, size, SFT_ERR_SYNTAX, 12, "must be JSON, here it is 'XSON'");
    WITH(16, 7)
    glb_refused(bad, size, SFT_ERR_SYNTAX, 12, "here it is '1313821447'"); // 0x4e4f5307
    WITH(20, '[')
    glb_refused(bad, size, SFT_ERR_SYNTAX, 20 + 8, ""); // the colon behind ["asset"
    free(glb);
}

static void test_gltf_bad__errors_in_a_glb_count_from_the_file(void** state)
{
    (void)state;
    const char* json = HEAD "\n\"nodes\":[\n{\"children\":[5]}]}";
    size_t size = 0;
    uint8_t* glb = support_glb(json, NULL, 0, &size);
    sft_gltf* gltf = NULL;
    sft_error error = {.code = SFT_OK};
    assert_int_equal(sft_gltf_read(NULL, glb, size, NULL, &gltf, &error), SFT_ERR_SYNTAX);
    assert_int_equal(error.byte, 20 + (strstr(json, "5]") - json));
    assert_int_equal(error.line, 3);
    free(glb);
}

// ---- settings ----

static void test_gltf_bad__settings(void** state)
{
    (void)state;
    const char* json = HEAD "\"nodes\":[{},{}],\"extras\":[[[0]]]}";
    const size_t size = strlen(json);
    sft_gltf* gltf = NULL;
    sft_error error;
    sft_gltf_read_def def = sft_default_gltf_read_def();
    assert_int_equal(sft_gltf_read(&def, NULL, 1, NULL, &gltf, &error), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, NULL, &error), SFT_ERR_ARG);
    def.cookie = 0;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, &error), SFT_ERR_DEF);
    def = sft_default_gltf_read_def();
    def.max_bytes = size - 1;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, &error), SFT_ERR_LIMIT);
    def.max_bytes = size;
    def.max_nodes = 1;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, &error), SFT_ERR_LIMIT);
    says(&error, "2 entries are more than the limit of 1");
    def.max_nodes = 0;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, &error), SFT_ERR_DEF);
    def.max_nodes = 2;
    def.max_depth = 3;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, &error), SFT_ERR_LIMIT);
    def.max_depth = 0;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, NULL), SFT_ERR_DEF);
    assert_null(gltf);
    def.max_depth = 4;
    assert_int_equal(sft_gltf_read(&def, json, size, NULL, &gltf, &error), SFT_OK);
    sft_gltf_destroy(gltf);
    sft_gltf_destroy(NULL);
    assert_null(sft_gltf_view(NULL));
    assert_null(sft_gltf_image_path(NULL, 0));
    assert_null(sft_gltf_extras(NULL, SFT_GLTF_ASSET, 0, NULL));
}

static void test_gltf_bad__names_cannot_steer_a_terminal(void** state)
{
    (void)state;
    sft_error error;
    support_refuse_gltf(HEAD "\"nodes\":[{\"name\":\"\\u001b[2J\\u009b2J\\u0000x\",\"children\":[0]}]}", &error);
    says(&error, "node 0 '?[2J??2J'");
    for (const char* p = error.message; *p != '\0'; ++p)
        assert_true((unsigned char)*p >= 32);
    assert_string_equal(error.joint, "?[2J??2J");
    // Cut between characters: 60 letters of two bytes do not fit.
    char json[512] = HEAD "\"nodes\":[{\"name\":\"x";
    for (int i = 0; i < 60; ++i)
        strcat(json, "\xc3\xa9");
    strcat(json, "\",\"children\":[0]}]}");
    support_refuse_gltf(json, &error);
    const size_t length = strlen(error.joint);
    assert_true(length >= 60 && (unsigned char)error.joint[length - 1] == 0xa9);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_bad__no_document),
        cmocka_unit_test(test_gltf_bad__lines_and_paths),
        cmocka_unit_test(test_gltf_bad__duplicate_members),
        cmocka_unit_test(test_gltf_bad__trees),
        cmocka_unit_test(test_gltf_bad__transforms),
        cmocka_unit_test(test_gltf_bad__skins),
        cmocka_unit_test(test_gltf_bad__buffers),
        cmocka_unit_test(test_gltf_bad__accessors_of_animations),
        cmocka_unit_test(test_gltf_bad__views_of_animations),
        cmocka_unit_test(test_gltf_bad__meshes_are_not_judged),
        cmocka_unit_test(test_gltf_bad__animations),
        cmocka_unit_test(test_gltf_bad__containers),
        cmocka_unit_test(test_gltf_bad__errors_in_a_glb_count_from_the_file),
        cmocka_unit_test(test_gltf_bad__settings),
        cmocka_unit_test(test_gltf_bad__names_cannot_steer_a_terminal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
