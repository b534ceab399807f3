// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Sound documents, and odd ones that are read all the same.

#include "support/glb.h"

#include "gltf/gltf.h"

#define HEAD "{\"asset\":{\"version\":\"2.0\"}"

static void near(double a, double b)
{
    if (!(a - b < 1e-12 && b - a < 1e-12)) fail_msg("%.17g is not %.17g", a, b);
}

static void v3_is(sft_v3d v, double x, double y, double z)
{
    near(v.x, x);
    near(v.y, y);
    near(v.z, z);
}

// The same rotation, whatever the sign.
static void quat_is(sft_quatd q, double x, double y, double z, double w)
{
    const double s = q.x * x + q.y * y + q.z * z + q.w * w < 0.0 ? -1.0 : 1.0;
    near(s * q.x, x);
    near(s * q.y, y);
    near(s * q.z, z);
    near(s * q.w, w);
}

static void warns(const sft_gltf* gltf, int32_t count, const char* part)
{
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    if (view->warning_count != count)
        fail_msg("%d warnings, first: %s", view->warning_count,
                 view->warning_count > 0 ? view->warnings[0].message : "");
    bool said = count == 0;
    for (int32_t i = 0; i < count; ++i)
        said = said || strstr(view->warnings[i].message, part) != NULL;
    if (!said) fail_msg("no warning says '%s', but: %s", part, view->warnings[0].message);
}

static void read_warning(const char* json, const char* part)
{
    sft_gltf* gltf = support_read_gltf(json);
    warns(gltf, 1, part);
    sft_gltf_destroy(gltf);
}

// ---- nodes ----

static void test_gltf_read__smallest_document(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_gltf(HEAD "}");
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    assert_false(view->glb);
    assert_int_equal(view->node_count + view->joint_count + view->animation_count + view->warning_count, 0);
    assert_string_equal(view->generator, "");
    assert_null(sft_gltf_image_path(gltf, 0));
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__transforms_of_nodes(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_gltf(
        HEAD ",\"nodes\":[{},{\"translation\":[1,-2,3e-1],\"scale\":[2,3,-4],\"rotation\":[0.6,0,0,0.8]},"
             "{\"rotation\":[0.0004,0,0,1.0002],\"name\":\"H\\u00fcfte\"}]}");
    warns(gltf, 0, "");
    const gltf_node* n = gltf->nodes;
    v3_is(n[0].t, 0, 0, 0);
    v3_is(n[0].s, 1, 1, 1);
    quat_is(n[0].r, 0, 0, 0, 1);
    assert_null(n[0].name);
    assert_null(n[0].matrix);
    v3_is(n[1].t, 1, -2, 0.3);
    v3_is(n[1].s, 2, 3, -4);
    quat_is(n[1].r, 0.6, 0, 0, 0.8);
    // Made unit: length sqrt(0.0004^2 + 1.0002^2) = 1.00020008...
    near(n[2].r.x * n[2].r.x + n[2].r.w * n[2].r.w, 1.0);
    near(n[2].r.x / n[2].r.w, 0.0004 / 1.0002);
    assert_string_equal(n[2].name, "H\xc3\xbc"
                                   "fte");
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__matrices_are_taken_apart(void** state)
{
    (void)state;
    // Column major. A quarter turn about z with scale 2, 3, 4: x to 2y, y to -3x, z to 4z. Then the same, mirrored in
    // x: x to -2y with y and z as before is scale -2, 3, 4. Then a half turn about y. Then a flat one.
    sft_gltf* gltf = support_read_gltf(HEAD ",\"nodes\":[{\"matrix\":[0,2,0,0, -3,0,0,0, 0,0,4,0, 5,6,7,1]},"
                                            "{\"matrix\":[0,-2,0,0, -3,0,0,0, 0,0,4,0, 5,6,7,1]},"
                                            "{\"matrix\":[-1,0,0,0, 0,1,0,0, 0,0,-1,0, 0,0,0,1]},"
                                            "{\"matrix\":[1e-7,0,0,0, 0,0,1e-7,0, 0,0,0,0, 0,0,0,1]},"
                                            "{\"matrix\":[0,0,0,0, 0,0,0,0, 0,0,0,0, 1,0,0,1]}]}");
    warns(gltf, 0, "");
    const double h = 0.70710678118654752;
    const gltf_node* n = gltf->nodes;
    v3_is(n[0].t, 5, 6, 7);
    v3_is(n[0].s, 2, 3, 4);
    quat_is(n[0].r, 0, 0, h, h);
    assert_true(n[0].matrix[4] == -3.0 && n[0].matrix[15] == 1.0);
    v3_is(n[1].s, -2, 3, 4);
    quat_is(n[1].r, 0, 0, h, h);
    v3_is(n[2].s, 1, 1, 1);
    quat_is(n[2].r, 0, 1, 0, 0);
    v3_is(n[3].s, 1e-7, 1e-7, 0);
    quat_is(n[3].r, h, 0, 0, h); // y to z: a quarter turn about x
    v3_is(n[4].t, 1, 0, 0);
    v3_is(n[4].s, 0, 0, 0);
    quat_is(n[4].r, 0, 0, 0, 1);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__matrices_compose_back(void** state)
{
    (void)state;
    // Seeded: any rotation, scale and translation, also mirrored, must come back as the same matrix.
    support_rng rng = {7};
    for (int round = 0; round < 200; ++round)
    {
        const sft_v3d turn = {support_uniform(&rng, -3, 3), support_uniform(&rng, -3, 3), support_uniform(&rng, -3, 3)};
        const sft_quatd q = sft_quatd_exp(turn);
        double e[16] = {0};
        for (int c = 0; c < 3; ++c)
        {
            const double s = support_uniform(&rng, 0.1, 10.0) * (support_uniform(&rng, 0, 1) < 0.5 ? -1.0 : 1.0);
            const sft_v3d axis = sft_quatd_rotate(q, sft_v3d_make(c == 0 ? s : 0, c == 1 ? s : 0, c == 2 ? s : 0));
            e[4 * c] = axis.x;
            e[4 * c + 1] = axis.y;
            e[4 * c + 2] = axis.z;
        }
        e[15] = 1.0;
        char json[1024];
        int at = snprintf(json, sizeof json, HEAD ",\"nodes\":[{\"matrix\":[");
        for (int i = 0; i < 16; ++i)
            at += snprintf(json + at, sizeof json - (size_t)at, "%s%.17g", i > 0 ? "," : "", e[i]);
        snprintf(json + at, sizeof json - (size_t)at, "]}]}");
        sft_gltf* gltf = support_read_gltf(json);
        warns(gltf, 0, "");
        const gltf_node* n = &gltf->nodes[0];
        const double s[3] = {n->s.x, n->s.y, n->s.z};
        for (int c = 0; c < 3; ++c)
        {
            const sft_v3d axis =
                sft_quatd_rotate(n->r, sft_v3d_make(c == 0 ? s[0] : 0, c == 1 ? s[1] : 0, c == 2 ? s[2] : 0));
            assert_true(fabs(axis.x - e[4 * c]) + fabs(axis.y - e[4 * c + 1]) + fabs(axis.z - e[4 * c + 2]) < 1e-12);
        }
        sft_gltf_destroy(gltf);
    }
}

static void test_gltf_read__odd_transforms_warn(void** state)
{
    (void)state;
    read_warning(HEAD ",\"nodes\":[{\"matrix\":[1,0,0,0, 0.1,1,0,0, 0,0,1,0, 0,0,0,1],\"name\":\"Skew\"}]}",
                 "the matrix of node 0 'Skew' shears");
    read_warning(HEAD ",\"nodes\":[{\"matrix\":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,2]}]}", "last row");
    read_warning(HEAD ",\"nodes\":[{\"matrix\":[1,0,0,0, 0,1,0,0, 0,0,1,0, 0,0,0,1],\"scale\":[1,1,1]}]}",
                 "a matrix beside");
    read_warning(HEAD ",\"nodes\":[{\"rotation\":[0,0,0,1.5]}]}", "quaternion of length 1.5");
}

static void test_gltf_read__children_and_roots_in_file_order(void** state)
{
    (void)state;
    // Scenes 1 (3, 0) and 2 (0, 5) decide the order of roots; 4 is in no scene.
    sft_gltf* gltf = support_read_gltf(HEAD ",\"scene\":1,\"scenes\":[{\"nodes\":[3,0]},{\"nodes\":[0,5]}],"
                                            "\"nodes\":[{\"children\":[2,1]},{},{},{},{\"children\":[6]},{},{}]}");
    warns(gltf, 0, "");
    const gltf_node* n = gltf->nodes;
    assert_int_equal(gltf->first_root, 3);
    assert_int_equal(n[3].next_sibling, 0);
    assert_int_equal(n[0].next_sibling, 5);
    assert_int_equal(n[5].next_sibling, 4);
    assert_int_equal(n[4].next_sibling, -1);
    assert_int_equal(n[0].first_child, 2);
    assert_int_equal(n[2].next_sibling, 1);
    assert_int_equal(n[1].next_sibling, -1);
    assert_int_equal(n[6].parent, 4);
    assert_true(n[3].in_scene && n[0].in_scene && n[5].in_scene);
    assert_false(n[4].in_scene || n[1].in_scene);
    assert_int_equal(sft_gltf_view(gltf)->scene_count, 2);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__odd_scenes_warn(void** state)
{
    (void)state;
    read_warning(HEAD ",\"scenes\":[{\"nodes\":[9]}],\"nodes\":[{}]}", "scene 0 names a node that is not there");
    read_warning(HEAD ",\"scenes\":[{\"nodes\":[1]}],\"nodes\":[{\"children\":[1]},{}]}", "is no root");
    read_warning(HEAD ",\"scene\":4}", "default scene");
    read_warning(HEAD ",\"scene\":\"x\"}", "default scene");
}

static void test_gltf_read__what_nodes_carry(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_gltf(
        HEAD ",\"meshes\":[{},{}],\"skins\":[{\"joints\":[0]}],\"nodes\":[{\"mesh\":1,\"skin\":0},{\"camera\":0},"
             "{\"extensions\":{\"KHR_lights_punctual\":{\"light\":0}}},{\"mesh\":-7,\"skin\":5},{}]}");
    const gltf_node* n = gltf->nodes;
    assert_true(n[0].carries && n[0].mesh == 1 && n[0].skin == 0);
    assert_true(n[1].carries && n[1].camera == 0 && n[1].mesh == -1);
    assert_true(n[2].carries);
    assert_true(n[3].carries && n[3].mesh == -1 && n[3].skin == -1);
    assert_true(!n[4].carries);
    assert_int_equal(sft_gltf_view(gltf)->mesh_count, 2);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__skins(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_gltf(HEAD ",\"nodes\":[{},{},{}],\"skins\":[{\"joints\":[2,0],\"skeleton\":1,"
                                            "\"inverseBindMatrices\":99},{\"joints\":[1]}]}");
    warns(gltf, 0, "");
    assert_int_equal(gltf->skin_count, 2);
    assert_int_equal(gltf->skins[0].joint_count, 2);
    assert_int_equal(gltf->skins[0].joints[0], 2);
    assert_int_equal(gltf->skins[0].joints[1], 0);
    assert_int_equal(gltf->skins[0].skeleton, 1);
    assert_int_equal(gltf->skins[1].skeleton, -1);
    sft_gltf_destroy(gltf);
    read_warning(HEAD ",\"nodes\":[{\"name\":\"Hip\"},{}],\"skins\":[{\"joints\":[0,1,0]}]}",
                 "skin 0 names node 0 'Hip' twice");
    read_warning(HEAD ",\"nodes\":[{}],\"skins\":[{\"joints\":[]}]}", "skin 0 has no joints");
    read_warning(HEAD ",\"nodes\":[{}],\"skins\":[{\"joints\":[0],\"skeleton\":1}]}", "skeleton of skin 0");
}

// ---- containers and text ----

static void test_gltf_read__glb_and_its_chunks(void** state)
{
    (void)state;
    const uint8_t bin[] = {1, 2, 3, 4, 5, 6};
    size_t size = 0;
    uint8_t* glb = support_glb(HEAD ",\"buffers\":[{\"byteLength\":6},{\"byteLength\":9}]}", bin, sizeof bin, &size);
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.keep_bytes = true;
    sft_gltf* gltf = NULL;
    assert_int_equal(sft_gltf_read(&def, glb, size, NULL, &gltf, NULL), SFT_OK);
    warns(gltf, 0, "");
    assert_true(sft_gltf_view(gltf)->glb);
    assert_int_equal(gltf->chunk_count, 2);
    assert_int_equal(gltf->bin_chunk, 1);
    assert_int_equal(gltf->buffers[0].kind, GLTF_BUFFER_BIN);
    assert_int_equal(gltf->buffers[0].size, 6);
    assert_int_equal(gltf->buffers[0].held, 8);
    assert_int_equal(gltf->buffers[1].kind, GLTF_BUFFER_NONE);
    // Not copied.
    assert_ptr_equal(gltf->buffers[0].bytes, glb + size - 8);
    assert_memory_equal(glb + gltf->json_start + gltf->json_size - 2, "]}", 2);
    sft_gltf_destroy(gltf);
    // Copied: the caller's bytes may go.
    assert_int_equal(sft_gltf_read(NULL, glb, size, NULL, &gltf, NULL), SFT_OK);
    memset(glb, 0, size);
    free(glb);
    assert_memory_equal(gltf->buffers[0].bytes, bin, sizeof bin);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__odd_containers_warn(void** state)
{
    (void)state;
    const uint8_t bin[16] = {0};
    size_t size = 0;
    sft_gltf* gltf = NULL;
    uint8_t* glb = support_glb(HEAD "}    ", NULL, 0, &size);
    uint8_t more[256] = {0};
    memcpy(more, glb, size);
    // A byte more than the header says.
    assert_int_equal(sft_gltf_read(NULL, more, size + 1, NULL, &gltf, NULL), SFT_OK);
    warns(gltf, 1, "1 bytes behind the length");
    sft_gltf_destroy(gltf);
    // Zeros in place of blanks.
    memset(more + size - 3, 0, 3);
    assert_int_equal(sft_gltf_read(NULL, more, size, NULL, &gltf, NULL), SFT_OK);
    warns(gltf, 1, "zeros instead of blanks");
    sft_gltf_destroy(gltf);
    free(glb);
    // More in BIN than the buffer says and than filling explains.
    gltf = support_read_glb(HEAD ",\"buffers\":[{\"byteLength\":12}]}", bin, 16);
    warns(gltf, 1, "the BIN chunk has 4 bytes more");
    sft_gltf_destroy(gltf);
    gltf = support_read_glb(HEAD ",\"buffers\":[{\"byteLength\":13}]}", bin, 16);
    warns(gltf, 0, "");
    sft_gltf_destroy(gltf);
    read_warning("\xef\xbb\xbf" HEAD "}", "byte-order mark");
}

static void test_gltf_read__buffers_from_data_uris(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_gltf(
        HEAD ",\"buffers\":[{\"uri\":\"data:application\\/octet-stream;base64,+\\/+\\/\",\"byteLength\":2},"
             "{\"uri\":\"data:application/gltf-buffer;base64,Zm9vYg\",\"byteLength\":4},"
             "{\"uri\":\"data:,a%00b\",\"byteLength\":3}]}");
    assert_int_equal(gltf->buffer_count, 3);
    assert_memory_equal(gltf->buffers[0].bytes, "\xfb\xff\xbf", 3);
    assert_int_equal(gltf->buffers[0].held, 3);
    assert_int_equal(gltf->buffers[0].size, 2);
    assert_memory_equal(gltf->buffers[1].bytes, "foob", 4);
    assert_memory_equal(gltf->buffers[2].bytes, "a\0b", 3);
    for (int i = 0; i < 3; ++i)
        assert_int_equal(gltf->buffers[i].kind, GLTF_BUFFER_DATA);
    sft_gltf_destroy(gltf);
}

// ---- files ----

typedef struct shelf
{
    int calls;
    char path[64];
    size_t max_bytes;
    size_t size;
} shelf;

static sft_result take(void* user, const char* path, size_t max_bytes, const sft_allocator* allocator, void** bytes,
                       size_t* size, sft_error* error)
{
    shelf* s = user;
    ++s->calls;
    snprintf(s->path, sizeof s->path, "%s", path);
    s->max_bytes = max_bytes;
    if (strcmp(path, "gone.bin") == 0) return sft_core_fail(error, SFT_ERR_IO, 0, 0, NULL, "there is no such file");
    uint8_t* block = allocator->allocate(allocator->user, s->size + 1);
    if (block == NULL) return sft_core_fail(error, SFT_ERR_MEMORY, 0, 0, NULL, "out of memory");
    memset(block, 7, s->size + 1);
    *bytes = block;
    *size = s->size;
    return SFT_OK;
}

static sft_result read_with(shelf* s, size_t max_bytes, const char* json, sft_gltf** gltf, sft_error* error)
{
    sft_gltf_read_def def = sft_default_gltf_read_def();
    def.load = take;
    def.load_user = s;
    if (max_bytes > 0) def.max_bytes = max_bytes;
    memset(error, 0, sizeof *error);
    return sft_gltf_read(&def, json, strlen(json), NULL, gltf, error);
}

static void test_gltf_read__buffers_from_files(void** state)
{
    (void)state;
    shelf s = {.size = 10};
    sft_gltf* gltf = NULL;
    sft_error error;
    assert_int_equal(read_with(&s, 0,
                               HEAD
                               ",\"buffers\":[{\"uri\":\"./my%20a.bin\",\"byteLength\":10},"
                               "{\"uri\":\"my a.bin\",\"byteLength\":9}],\"images\":[{\"uri\":\"b%2fc.png\"},"
                               "{\"uri\":\"../d.png\"},{\"bufferView\":0},{\"uri\":\"data:,x\"},{\"uri\":\"e.png\"}]}",
                               &gltf, &error),
                     SFT_OK);
    // The same file is fetched and held once.
    assert_int_equal(s.calls, 1);
    assert_string_equal(s.path, "my a.bin");
    assert_string_equal(gltf->buffers[0].uri, "./my%20a.bin");
    assert_string_equal(gltf->buffers[0].path, "my a.bin");
    assert_int_equal(gltf->buffers[0].kind, GLTF_BUFFER_FILE);
    assert_ptr_equal(gltf->buffers[0].bytes, gltf->buffers[1].bytes);
    assert_string_equal(sft_gltf_image_path(gltf, 0), "b/c.png");
    assert_string_equal(sft_gltf_image_path(gltf, 1), "e.png");
    assert_null(sft_gltf_image_path(gltf, 2));
    assert_null(sft_gltf_image_path(gltf, -1));
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__files_that_do_not_come(void** state)
{
    (void)state;
    shelf s = {.size = 10};
    sft_gltf* gltf = NULL;
    sft_error error;
    assert_int_equal(read_with(&s, 0, HEAD ",\"buffers\":[{\"uri\":\"gone.bin\",\"byteLength\":1}]}", &gltf, &error),
                     SFT_ERR_IO);
    assert_non_null(strstr(error.message, "/buffers/0/uri: buffer 0, file 'gone.bin': there is no such file"));
    assert_int_equal(read_with(&s, 0, HEAD ",\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":14}]}", &gltf, &error),
                     SFT_ERR_SYNTAX);
    assert_non_null(strstr(error.message, "buffer 0 has 10 bytes of the 14"));
    assert_non_null(strstr(error.message, "4 bytes are missing"));
    // Both together are larger than allowed; the loader is told what is left.
    const char* two = HEAD ",\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":1},{\"uri\":\"b.bin\",\"byteLength\":1}]}";
    s.size = 80;
    assert_int_equal(read_with(&s, 150, two, &gltf, &error), SFT_ERR_LIMIT);
    assert_int_equal(s.max_bytes, 70);
    assert_non_null(strstr(error.message, "buffer 1"));
    support_refuse_gltf(HEAD ",\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":1}]}", &error);
    assert_int_equal(error.code, SFT_ERR_IO);
    assert_non_null(strstr(error.message, "'a.bin'"));
    assert_null(gltf);
}

static void test_gltf_read__files_far_longer_than_said(void** state)
{
    (void)state;
    shelf s = {.size = 10};
    sft_gltf* gltf = NULL;
    sft_error error;
    const char* one = HEAD ",\"buffers\":[{\"uri\":\"a.bin\",\"byteLength\":3}]}";
    assert_int_equal(read_with(&s, 0, one, &gltf, &error), SFT_OK);
    // 64 MiB + 16 * 3: the loader is told, so that a film beside a document of 60 bytes is not held.
    assert_int_equal(s.max_bytes, 67108912);
    sft_gltf_destroy(gltf);
    gltf = NULL;
    s.size = 67108913;
    assert_int_equal(read_with(&s, 0, one, &gltf, &error), SFT_ERR_LIMIT);
    assert_non_null(strstr(error.message, "buffer 0, file 'a.bin': is far longer than the 3 bytes"));
    assert_null(gltf);
    // Where the document's own limit is closer, that is what is said.
    assert_int_equal(read_with(&s, 1000, one, &gltf, &error), SFT_ERR_LIMIT);
    assert_int_equal(s.max_bytes, 1000);
    assert_non_null(strstr(error.message, "max_bytes"));
    assert_null(gltf);
}

// ---- animations ----

#define CLIP                                                                                                           \
    HEAD ",\"nodes\":[{\"name\":\"Hip\"},{}],\"buffers\":[{\"byteLength\":48}],\"bufferViews\":[{\"buffer\":0,"        \
         "\"byteLength\":8},{\"buffer\":0,\"byteOffset\":8,\"byteLength\":32}],\"accessors\":[{\"bufferView\":0,"      \
         "\"componentType\":5126,\"count\":2,\"type\":\"SCALAR\"},{\"bufferView\":1,\"componentType\":5126,\"count\":" \
         "2,"                                                                                                          \
         "\"type\":\"VEC4\"}],\"animations\":[{\"name\":\"walk\",\"extras\":{\"a\": 1},\"samplers\":[{\"input\":0,"    \
         "\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}]}]}"

typedef struct clip_bytes
{
    float times[2], rotations[8], unused[2];
} clip_bytes;

static const clip_bytes sound = {{0.0f, 0.5f}, {0, 0, 0, 1, 0.6f, 0, 0, 0.8f}, {0, 0}};

static void test_gltf_read__animations(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_glb(CLIP, &sound, sizeof sound);
    warns(gltf, 0, "");
    const gltf_animation* a = &gltf->animations[0];
    assert_int_equal(gltf->animation_count, 1);
    assert_string_equal(a->name, "walk");
    assert_int_equal(a->channel_count, 1);
    assert_int_equal(a->sampler_count, 1);
    assert_int_equal(a->samplers[0].user_count, 1);
    assert_int_equal(a->samplers[0].interpolation, GLTF_LINEAR);
    assert_int_equal(a->channels[0].node, 0);
    assert_int_equal(a->channels[0].path, GLTF_ROTATION);
    assert_string_equal(gltf->infos[0].problem, "");
    size_t size = 0;
    const char* extras = sft_gltf_extras(gltf, SFT_GLTF_ANIMATION, 0, &size);
    assert_int_equal(size, 8);
    assert_memory_equal(extras, "{\"a\": 1}", 8);
    assert_null(sft_gltf_extras(gltf, SFT_GLTF_ANIMATION, 1, &size));
    assert_null(sft_gltf_extras(gltf, SFT_GLTF_ASSET, 0, &size));
    assert_null(sft_gltf_extras(gltf, SFT_GLTF_NODE, 0, &size));
    assert_null(sft_gltf_extras(gltf, SFT_GLTF_NODE, -1, &size));
    assert_int_equal(size, 0);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__keys_that_warn(void** state)
{
    (void)state;
    clip_bytes b = sound;
    b.times[0] = -1.0f;
    sft_gltf* gltf = support_read_glb(CLIP, &b, sizeof b);
    warns(gltf, 1, "sampler 0 of animation 0 begins at -1 s");
    sft_gltf_destroy(gltf);
    b.times[0] = b.times[1];
    gltf = support_read_glb(CLIP, &b, sizeof b);
    warns(gltf, 1, "keys 0 and 1 at one time");
    assert_string_equal(gltf->infos[0].problem, "");
    sft_gltf_destroy(gltf);
    b = sound;
    b.rotations[7] = 0.7f; // length sqrt(0.36 + 0.49) = 0.921954
    gltf = support_read_glb(CLIP, &b, sizeof b);
    warns(gltf, 1, "0.92195");
    assert_string_equal(gltf->infos[0].problem, "");
    sft_gltf_destroy(gltf);
}

static void has_problem(const char* json, const void* bin, size_t size, const char* part)
{
    sft_gltf* gltf = support_read_glb(json, bin, size);
    const char* problem = gltf->infos[0].problem;
    if (strstr(problem, part) == NULL) fail_msg("'%s' does not say '%s'", problem, part);
    sft_gltf_destroy(gltf);
}

// The text of CLIP with `before` replaced.
static const char* clip_with(const char* before, const char* after, char out[2048])
{
    const char* at = strstr(CLIP, before);
    assert_non_null(at);
    snprintf(out, 2048, "%.*s%s%s", (int)(at - CLIP), CLIP, after, at + strlen(before));
    return out;
}

static void test_gltf_read__problems_of_keys(void** state)
{
    (void)state;
    char json[2048];
    clip_bytes b = sound;
    b.times[1] = -1.0f;
    has_problem(CLIP, &b, sizeof b, "sampler 0: key 1 at -1 s does not come after key 0 at 0 s (accessor 0)");
    b.times[1] = (float)NAN;
    has_problem(CLIP, &b, sizeof b, "the time of key 1 (accessor 0) is no finite number");
    b.times[1] = (float)INFINITY;
    has_problem(CLIP, &b, sizeof b, "the time of key 1 (accessor 0) is no finite number");
    b = sound;
    b.rotations[5] = (float)NAN;
    has_problem(CLIP, &b, sizeof b, "sampler 0: value 1 (accessor 1) is no number");
    memset(b.rotations, 0, sizeof b.rotations);
    has_problem(CLIP, &b, sizeof b, "value 0 (accessor 1) is a quaternion of no length");
    has_problem(clip_with("\"count\":2,\"type\":\"SCALAR\"", "\"count\":1,\"type\":\"SCALAR\"", json), &sound,
                sizeof sound, "sampler 0: 1 keys (accessor 0) and 2 values (accessor 1)");
    has_problem(clip_with("\"output\":1", "\"output\":1,\"interpolation\":\"CUBICSPLINE\"", json), &sound, sizeof sound,
                "where three a key should be");
    has_problem(clip_with("\"output\":1", "\"output\":1,\"interpolation\":\"BEZIER\"", json), &sound, sizeof sound,
                "none of LINEAR, STEP and CUBICSPLINE");
    has_problem(clip_with("\"path\":\"rotation\"}}",
                          "\"path\":\"rotation\"}},{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"rotation\"}}",
                          json),
                &sound, sizeof sound, "channel 1: another channel sets the rotation of node 0 'Hip' too");
    // A zero key count, and three keys at one time: zeros without bytes may claim any number of them.
    has_problem(clip_with("\"bufferView\":0,\"componentType\":5126,\"count\":2",
                          "\"componentType\":5126,\"count\":4294967295", json),
                &sound, sizeof sound, "4294967295 keys");
    has_problem(
        clip_with("\"bufferView\":0,\"componentType\":5126,\"count\":2", "\"componentType\":5126,\"count\":0", json),
        &sound, sizeof sound, "it has no keys");
}

static void test_gltf_read__problems_of_extensions(void** state)
{
    (void)state;
    char json[2048];
    has_problem(
        clip_with("\"byteLength\":32}", "\"byteLength\":32,\"extensions\":{\"EXT_meshopt_compression\":{}}}", json),
        &sound, sizeof sound,
        "sampler 0: its output accessor 1 is compressed with EXT_meshopt_compression; export without");
    has_problem(clip_with("\"path\":\"rotation\"}}",
                          "\"path\":\"rotation\"}},{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{"
                          "\"KHR_animation_pointer\":{\"pointer\":\"/nodes/0/scale\"}}}}",
                          json),
                &sound, sizeof sound, "channel 1: KHR_animation_pointer moves the joint node 0 'Hip'");
}

// A pointer to what is no joint, and weights with any accessors, are nobody's business here.
static void test_gltf_read__channels_that_pass_through(void** state)
{
    (void)state;
    sft_gltf* gltf = support_read_gltf(
        HEAD
        ",\"nodes\":[{}],\"accessors\":[{\"componentType\":5126,\"count\":9,\"type\":\"SCALAR\"}],\"animations\":"
        "[{\"samplers\":[{\"input\":0,\"output\":0}],\"channels\":["
        "{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"weights\"}},{\"sampler\":0,\"target\":{\"path\":\"scale\"}},"
        "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":"
        "\"/materials/0/alphaCutoff\"}}}},{\"sampler\":0,\"target\":{\"node\":0,\"path\":\"visible\"}},"
        "{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{\"KHR_animation_pointer\":{\"pointer\":"
        "\"/nodes/0/scale\"}}}},{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":{"
        "\"KHR_animation_pointer\":{\"pointer\":\"/nodes/00000000099999999999/scale\"}}}}]}]}");
    static const gltf_path paths[] = {GLTF_WEIGHTS, GLTF_SCALE, GLTF_POINTER, GLTF_OTHER, GLTF_POINTER, GLTF_POINTER};
    static const int32_t nodes[] = {0, -1, -1, 0, 0, -1};
    for (size_t i = 0; i < SFT_COUNT_OF(paths); ++i)
    {
        assert_int_equal(gltf->animations[0].channels[i].path, paths[i]);
        assert_int_equal(gltf->animations[0].channels[i].node, nodes[i]);
    }
    assert_int_equal(gltf->animations[0].samplers[0].user_count, 6);
    sft_gltf_destroy(gltf);
}

static void test_gltf_read__many_warnings_are_counted(void** state)
{
    (void)state;
    char json[8192];
    int at = snprintf(json, sizeof json, HEAD ",\"scenes\":[{\"nodes\":[");
    for (int i = 0; i < 40; ++i)
        at += snprintf(json + at, sizeof json - (size_t)at, "%s%d", i > 0 ? "," : "", 5 + i);
    snprintf(json + at, sizeof json - (size_t)at, "]}]}");
    sft_gltf* gltf = support_read_gltf(json);
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    assert_int_equal(view->warning_count, 32);
    assert_string_equal(view->warnings[31].message, "and 9 more warnings");
    assert_int_equal(view->warnings[30].line, 1);
    sft_gltf_destroy(gltf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_read__smallest_document),
        cmocka_unit_test(test_gltf_read__transforms_of_nodes),
        cmocka_unit_test(test_gltf_read__matrices_are_taken_apart),
        cmocka_unit_test(test_gltf_read__matrices_compose_back),
        cmocka_unit_test(test_gltf_read__odd_transforms_warn),
        cmocka_unit_test(test_gltf_read__children_and_roots_in_file_order),
        cmocka_unit_test(test_gltf_read__odd_scenes_warn),
        cmocka_unit_test(test_gltf_read__what_nodes_carry),
        cmocka_unit_test(test_gltf_read__skins),
        cmocka_unit_test(test_gltf_read__glb_and_its_chunks),
        cmocka_unit_test(test_gltf_read__odd_containers_warn),
        cmocka_unit_test(test_gltf_read__buffers_from_data_uris),
        cmocka_unit_test(test_gltf_read__buffers_from_files),
        cmocka_unit_test(test_gltf_read__files_that_do_not_come),
        cmocka_unit_test(test_gltf_read__files_far_longer_than_said),
        cmocka_unit_test(test_gltf_read__animations),
        cmocka_unit_test(test_gltf_read__keys_that_warn),
        cmocka_unit_test(test_gltf_read__problems_of_keys),
        cmocka_unit_test(test_gltf_read__problems_of_extensions),
        cmocka_unit_test(test_gltf_read__channels_that_pass_through),
        cmocka_unit_test(test_gltf_read__many_warnings_are_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
