// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a converted file says of the file it was: extras, and extras that nobody should trust.
#include "support/convert.h"
#include "support/gltf_random.h"

static char* glb_text(const char* bvh, size_t size, size_t* glb_size)
{
    sft_io_document* from = read_text(bvh, size);
    const sft_space space = {.unit_metres = 0.01, .up = SFT_AXIS_Y};
    sft_io_convert_def def = sft_default_io_convert_def();
    def.format = SFT_IO_GLTF;
    def.space = &space;
    sft_io_document* to = converted_with(from, &def);
    void* bytes = NULL;
    assert_int_equal(sft_io_write(to, SFT_IO_GLTF, NULL, &bytes, glb_size, NULL), SFT_OK);
    sft_io_destroy(from);
    sft_io_destroy(to);
    return bytes;
}

static char* replaced(const char* in, const char* what, const char* with)
{
    assert_non_null(in);
    const char* at = strstr(in, what);
    if (at == NULL) fail_msg("no %s in\n%.3000s", what, in);
    char* out = malloc(strlen(in) + strlen(with) + 1);
    if (out == NULL) abort();
    sprintf(out, "%.*s%s%s", (int)(at - in), in, with, at + strlen(what));
    return out;
}

static void test_io_convert__extras_say_what_the_bvh_was(void** state)
{
    (void)state;
    size_t size = 0;
    char* json = glb_text(small_bvh, sizeof small_bvh - 1, &size);
    static const char* const there[] = {
        "\"extras\":{\"surefoot\":{\"source\":\"bvh\",\"unit_metres\":0.01,\"up\":\"Y\"}}",
        ("{\"surefoot\":{\"channels\":\"Xposition Yposition Zposition Zrotation Xrotation Yrotation\",\"positions\":"
         "\"replace\"}}"),
        "{\"surefoot\":{\"channels\":\"Xrotation\",\"offset\":[0,-40.5,0.12345678901234566]}}",
        "\"name\":\"Knee_end\"",
        "{\"surefoot\":{\"end_site\":true}}",
        "\"extras\":{\"surefoot\":{\"frame_time\":\".0333330\",\"frames\":3}}"};
    for (size_t i = 0; i < sizeof there / sizeof *there; ++i)
        if (strstr(json, there[i]) == NULL) fail_msg("no %s in\n%s", there[i], json);
    free(json);
}

static void test_io_convert__extras_that_do_not_fit_are_not_followed(void** state)
{
    (void)state;
    static const struct
    {
        const char *what, *with;
        int warnings;
    } cases[] = {
        {"\"channels\":\"Xrotation\"", "\"channels\":\"Yrotation\"", 1},
        {"\"channels\":\"Xrotation\"", "\"channels\":\"\"", 1},
        {"\"channels\":\"Xrotation\"", "\"channels\":\"Xrotation Xrotation\"", 1},
        {"\"channels\":\"Xrotation\"", "\"channels\":\"Xrotation \"", 1},
        {"\"channels\":\"Xrotation\"", "\"channels\":[1,2,{}]", 1},
        {"\"channels\":\"Xrotation\"", "\"channels\":\"Zposition\"", 1},
        {"\"channels\":\"Xrotation\"",
         "\"channels\":\"Xrotation Yrotation Zrotation Xposition Yposition Zposition Xrotation\"", 1},
        {"\"channels\":\"Xrotation\"", "\"end_site\":true", 1},
        {"\"channels\":\"Xrotation\"", "\"end_site\":true,\"channels\":\"Xrotation\"", 1},
        {"\"positions\":\"replace\"", "\"positions\":\"both\"", 1},
        {"\"positions\":\"replace\"", "\"positions\":\"add\"", 0},
        {"\"offset\":[0,-40.5,0.12345678901234566]", "\"offset\":[0,-40.5,7]", 0},
        {"\"offset\":[0,-40.5,0.12345678901234566]", "\"offset\":[0,-1e999,0]", 1},
        {"\"offset\":[0,-40.5,0.12345678901234566]", "\"offset\":\"far\"", 1},
        {"\"frame_time\":\".0333330\"", "\"frame_time\":\".05\"", 1},
        {"\"frame_time\":\".0333330\"", "\"frame_time\":\"-.0333330\"", 1},
        {"\"frame_time\":\".0333330\"", "\"frame_time\":\".0333330\\nMOTION\"", 1},
        {"\"frame_time\":\".0333330\"", "\"frame_time\":\"0.033333000000000000000000000000000000000000000000001\"", 1},
        {"\"frame_time\":\".0333330\"", "\"frame_time\":33", 1},
        {"\"unit_metres\":0.01", "\"unit_metres\":0", 1},
        {"\"unit_metres\":0.01", "\"unit_metres\":-1e300", 1},
        {"\"unit_metres\":0.01", "\"unit_metres\":\"cm\"", 1},
        {"\"up\":\"Y\"", "\"up\":\"W\"", 1},
        {"\"up\":\"Y\"", "\"up\":[]", 1},
        {"{\"surefoot\":{\"end_site\":true}}", "{\"surefoot\":7}", 0},
        {"{\"surefoot\":{\"end_site\":true}}", "[[[]]]", 0},
        {"{\"surefoot\":{\"end_site\":true}}", "{\"surefoot\":{\"end_site\":1}}", 1},
    };
    size_t size = 0;
    char* json = glb_text(small_bvh, sizeof small_bvh - 1, &size);
    sft_io_document* plain = read_text(small_bvh, sizeof small_bvh - 1);
    const sft_bvh_contents* want = bvh_of(plain);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
    {
        char* bent = replaced(json, cases[i].what, cases[i].with);
        sft_io_document* gltf = read_text(bent, strlen(bent));
        sft_io_document* bvh = converted(gltf, SFT_IO_BVH);
        if (bvh_of(bvh)->warning_count != cases[i].warnings)
            fail_msg("%s: %d warnings: %s", cases[i].with, bvh_of(bvh)->warning_count,
                     bvh_of(bvh)->warning_count > 0 ? bvh_of(bvh)->warnings[0].message : "");
        bvh = reread(bvh);
        const sft_bvh_contents* got = bvh_of(bvh);
        mat a[8], b[8];
        assert_true(got->joint_count <= 8);
        for (int32_t f = 0; f < 3; ++f)
        {
            bvh_world(want, f, a);
            bvh_world(got, f, b);
            // Hips, knee and what was its End Site.
            for (int j = 0; j < 3; ++j)
                if (!(0.01 * distance(a[j].t, b[j].t) <= CLOSE))
                    fail_msg("%s: joint %d is off by %g cm", cases[i].with, j, distance(a[j].t, b[j].t));
        }
        sft_io_destroy(bvh);
        sft_io_destroy(gltf);
        free(bent);
    }
    sft_io_destroy(plain);
    free(json);
}

// Documents bent at random: whatever is still read is converted, or refused, and what comes out is read again.
static void test_io_convert__bent_documents_are_harmless(void** state)
{
    (void)state;
    size_t size = 0;
    char* json = glb_text(small_bvh, sizeof small_bvh - 1, &size);
    char* bent = malloc(size + 1);
    assert_non_null(bent);
    support_rng rng = {23};
    int read = 0, went = 0;
    for (int round = 0; round < 4000; ++round)
    {
        memcpy(bent, json, size + 1);
        for (int edits = 1 + random_below(&rng, 3); edits > 0; --edits)
        {
            static const char digits[] = "0123456789-e.";
            const int at = random_below(&rng, (int)size);
            if (bent[at] >= '0' && bent[at] <= '9')
                bent[at] = digits[random_below(&rng, 13)];
            else if (random_below(&rng, 3) == 0)
                bent[at] = json[random_below(&rng, (int)size)];
        }
        sft_io_document *document = NULL, *out = NULL;
        if (sft_io_read(NULL, bent, size, NULL, &document, NULL) != SFT_OK) continue;
        ++read;
        sft_io_convert_def def = sft_default_io_convert_def();
        def.format = round % 2 == 0 ? SFT_IO_BVH : SFT_IO_GLB;
        sft_error error = {0};
        if (sft_io_convert(document, &def, NULL, &out, NULL, &error) == SFT_OK)
        {
            ++went;
            sft_io_destroy(reread(out));
        }
        else
            assert_true(error.message[0] != '\0');
        sft_io_destroy(document);
    }
    assert_true(read > 400 && went > 200);
    free(bent);
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_convert__extras_say_what_the_bvh_was),
        cmocka_unit_test(test_io_convert__extras_that_do_not_fit_are_not_followed),
        cmocka_unit_test(test_io_convert__bent_documents_are_harmless),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
