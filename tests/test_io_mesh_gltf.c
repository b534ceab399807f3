// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Ground from glTF: nodes move meshes, every layout of points and corners comes out the same, and what cannot be read
// is named.

#include "support/glb.h"
#include "support/mesh.h"

#define HEAD "{\"asset\":{\"version\":\"2.0\"},"

// A square of side 1 in the floor plane, once as floats, once as 16-bit integers, and its corners in three widths.
typedef struct square
{
    float points[12];       // 0
    uint16_t quantised[12]; // 48
    uint8_t list8[8];       // 72
    uint16_t list16[6];     // 80
    uint32_t list32[6];     // 92
    uint8_t strip[4];       // 116
    uint8_t fan[4];         // 120
    float other[3];         // 124, for the sparse ones
    uint8_t which[4];       // 136
} square;

static const square bin = {.points = {0, 0, 0, 1, 0, 0, 1, 0, 1, 0, 0, 1},
                           .quantised = {0, 0, 0, 65535, 0, 0, 65535, 0, 65535, 0, 0, 65535},
                           .list8 = {0, 2, 1, 0, 3, 2},
                           .list16 = {0, 2, 1, 0, 3, 2},
                           .list32 = {0, 2, 1, 0, 3, 2},
                           .strip = {0, 3, 1, 2},
                           .fan = {0, 3, 2, 1},
                           .other = {1, 7, 1},
                           .which = {2}};

static const char tables[] =
    "\"buffers\":[{\"byteLength\":140}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48},"
    "{\"buffer\":0,\"byteOffset\":48,\"byteLength\":24,\"byteStride\":6},{\"buffer\":0,\"byteOffset\":72,"
    "\"byteLength\":"
    "8},{\"buffer\":0,\"byteOffset\":80,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":92,\"byteLength\":24},"
    "{\"buffer\":0,\"byteOffset\":116,\"byteLength\":4},{\"buffer\":0,\"byteOffset\":120,\"byteLength\":4},"
    "{\"buffer\":0,\"byteOffset\":124,\"byteLength\":12},{\"buffer\":0,\"byteOffset\":136,\"byteLength\":4}],"
    "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":1,\"componentType\":5123,\"normalized\":true,\"count\":4,\"type\":\"VEC3\"},"
    "{\"bufferView\":2,\"componentType\":5121,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":3,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":4,\"componentType\":5125,\"count\":6,\"type\":\"SCALAR\"},"
    "{\"bufferView\":5,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"},"
    "{\"bufferView\":6,\"componentType\":5121,\"count\":4,\"type\":\"SCALAR\"},"
    "{\"bufferView\":0,\"componentType\":5126,\"count\":4,\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":"
    "{\"bufferView\":8,\"componentType\":5121},\"values\":{\"bufferView\":7}}},"
    "{\"bufferView\":1,\"componentType\":5123,\"count\":4,\"type\":\"VEC3\"}]";

static uint8_t* make(const char* rest, size_t* size)
{
    char text[6000];
    snprintf(text, sizeof text, "%s%s,%s}", HEAD, tables, rest);
    return support_glb(text, &bin, sizeof bin, size);
}

static sft_io_mesh* read_scene(const char* rest)
{
    size_t size;
    uint8_t* glb = make(rest, &size);
    sft_io_mesh* mesh = support_read_mesh(NULL, glb, size);
    free(glb);
    return mesh;
}

static void refuse(const char* rest, sft_result code, const char* message, sft_error* error)
{
    size_t size;
    uint8_t* glb = make(rest, &size);
    support_refuse_mesh(NULL, glb, size, code, message, error);
    free(glb);
}

#define ONE_NODE "\"nodes\":[{\"name\":\"Floor\",\"mesh\":0}],\"scenes\":[{\"nodes\":[0]}],"

static void test_io_mesh_gltf__every_layout_gives_the_same_square(void** state)
{
    (void)state;
    static const char* const primitives[] = {
        "\"attributes\":{\"POSITION\":0},\"indices\":2", "\"attributes\":{\"POSITION\":0},\"indices\":3,\"mode\":4",
        "\"attributes\":{\"POSITION\":1},\"indices\":4", "\"attributes\":{\"POSITION\":0},\"indices\":5,\"mode\":5",
        "\"attributes\":{\"POSITION\":1},\"indices\":6,\"mode\":6"};
    for (size_t i = 0; i < sizeof primitives / sizeof primitives[0]; ++i)
    {
        char text[400];
        snprintf(text, sizeof text, "%s\"meshes\":[{\"primitives\":[{%s}]}]", ONE_NODE, primitives[i]);
        sft_io_mesh* m = read_scene(text);
        const sft_io_mesh_contents* v = sft_io_mesh_view(m);
        assert_int_equal(v->ground.triangle_count, 2);
        assert_true(fabs(support_mesh_total(&v->ground) - 1.0) < 1e-6);
        assert_true(fabs(support_mesh_area(&v->ground).y - 1.0) < 1e-6); // front side up
        assert_int_equal(v->body_count, 1);
        assert_string_equal(v->body_names[0], "Floor");
        sft_io_mesh_destroy(m);
    }
}

static void test_io_mesh_gltf__without_indices_points_come_as_they_stand(void** state)
{
    (void)state;
    sft_io_mesh* m = read_scene(ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":6},"
                                         "{\"attributes\":{\"POSITION\":0}}]}]");
    const sft_ground_mesh_def* g = &sft_io_mesh_view(m)->ground;
    // A fan of four points is two triangles; a list of four is one, and one point is left over.
    assert_int_equal(g->triangle_count, 3);
    assert_int_equal(g->vertex_count, 4); // shared
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_gltf__sparse_points_replace_those_below(void** state)
{
    (void)state;
    sft_io_mesh* m =
        read_scene(ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":7},\"indices\":2}]}]");
    assert_true(sft_io_mesh_view(m)->ground.vertices[7] == 7.0f);
    sft_io_mesh_destroy(m);
}

static void assert_vertex(const sft_ground_mesh_def* g, int32_t i, double x, double y, double z)
{
    const float* v = g->vertices + 3 * (size_t)i;
    if (!(fabs((double)v[0] - x) < 1e-5 && fabs((double)v[1] - y) < 1e-5 && fabs((double)v[2] - z) < 1e-5))
        fail_msg("vertex %d is (%g, %g, %g), not (%g, %g, %g)", i, (double)v[0], (double)v[1], (double)v[2], x, y, z);
}

static void test_io_mesh_gltf__nodes_move_turn_mirror_and_shear(void** state)
{
    (void)state;
    // Quarter turn about Y: x to -z, z to x.
    sft_io_mesh* m =
        read_scene("\"nodes\":[{\"translation\":[10,0,0],\"rotation\":[0,0.70710678,0,0.70710678],\"children\":[1,2]},"
                   "{\"name\":\"Mirror\",\"scale\":[-2,1,1],\"mesh\":0},"
                   "{\"name\":\"Shear\",\"matrix\":[1,0.5,0,0, 0,1,0,0, 0,0,1,0, 0,3,0,1],\"mesh\":0}],"
                   "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]");
    const sft_io_mesh_contents* v = sft_io_mesh_view(m);
    const sft_ground_mesh_def* g = &v->ground;
    assert_int_equal(g->triangle_count, 4);
    assert_vertex(g, 2, 11, 0, 2);    // (1, 0, 1) is (-2, 0, 1), turned (1, 0, 2)
    assert_vertex(g, 6, 11, 3.5, -1); // (1, 0, 1) is (1, 3.5, 1), turned (1, 3.5, -1)
    assert_int_equal(g->bodies[0], 1);
    assert_int_equal(g->bodies[3], 2);
    assert_int_equal(v->body_count, 3);
    assert_string_equal(v->body_names[0], "");
    assert_string_equal(v->body_names[2], "Shear");
    // The front stays the front in a mirror: both squares look up.
    assert_true(fabs(support_mesh_area(g).y - 3.0) < 1e-5);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_gltf__quantised_points_are_unfolded_by_their_node(void** state)
{
    (void)state;
    sft_io_mesh* m = read_scene("\"nodes\":[{\"scale\":[0.0001,1,0.0001],\"mesh\":0}],"
                                "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":8},\"indices\":2}]}]");
    assert_vertex(&sft_io_mesh_view(m)->ground, 2, 6.5535, 0, 6.5535);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_gltf__the_default_scene_alone(void** state)
{
    (void)state;
    static const char mesh[] = "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}],"
                               "\"nodes\":[{\"mesh\":0},{\"children\":[2]},{\"mesh\":0,\"translation\":[0,5,0]},"
                               "{\"mesh\":0,\"translation\":[0,9,0]}]";
    static const struct
    {
        const char* scenes;
        int32_t triangles;
        double y;
    } cases[] = {{",\"scenes\":[{\"nodes\":[0]},{\"nodes\":[1]}],\"scene\":1", 2, 5.0},
                 {",\"scenes\":[{\"nodes\":[1]},{\"nodes\":[0]}]", 2, 5.0},
                 {",\"scenes\":[{\"nodes\":[2]}]", 2, 5.0}, // no root, but what it is is clear
                 {",\"scenes\":[{\"nodes\":[1,2]}]", 2, 5.0},
                 {"", 6, 0.0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[600];
        snprintf(text, sizeof text, "%s%s", mesh, cases[i].scenes);
        sft_io_mesh* m = read_scene(text);
        assert_int_equal(sft_io_mesh_view(m)->ground.triangle_count, cases[i].triangles);
        assert_vertex(&sft_io_mesh_view(m)->ground, 0, 0, cases[i].y, 0);
        sft_io_mesh_destroy(m);
    }
}

static void test_io_mesh_gltf__points_lines_and_skins_are_left_out(void** state)
{
    (void)state;
    sft_io_mesh* m = read_scene(
        "\"nodes\":[{\"mesh\":0},{\"mesh\":0,\"skin\":0},{\"mesh\":0,\"extensions\":{\"EXT_mesh_gpu_instancing\":{}}}],"
        "\"skins\":[{\"joints\":[0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2},"
        "{\"attributes\":{\"POSITION\":0},\"mode\":0},{\"attributes\":{\"POSITION\":0},\"mode\":3},"
        "{\"attributes\":{}}]}]");
    const sft_io_mesh_contents* v = sft_io_mesh_view(m);
    assert_int_equal(v->ground.triangle_count, 2);
    assert_int_equal(v->warning_count, 2);
    assert_non_null(strstr(v->warnings[0].message, "skinned"));
    assert_non_null(strstr(v->warnings[1].message, "EXT_mesh_gpu_instancing"));
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_gltf__unit_and_up_axis(void** state)
{
    (void)state;
    size_t size;
    uint8_t* glb =
        make(ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]", &size);
    sft_io_mesh_def def = sft_default_io_mesh_def();
    def.unit_metres = 2.0;
    def.up = SFT_AXIS_Z;
    sft_io_mesh* m = support_read_mesh(&def, glb, size);
    assert_vertex(&sft_io_mesh_view(m)->ground, 2, 2, 2, 0);
    sft_io_mesh_destroy(m);
    free(glb);
}

static void test_io_mesh_gltf__faults_are_named_with_their_node(void** state)
{
    (void)state;
    static const struct
    {
        const char* rest;
        sft_result code;
        const char* message;
        const char* node;
    } cases[] = {{ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":9},\"indices\":2}]}]",
                  SFT_ERR_SYNTAX, "accessor 9", "Floor"},
                 {ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":2},\"indices\":2}]}]",
                  SFT_ERR_SYNTAX, "vectors of three", "Floor"},
                 {ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":0}]}]",
                  SFT_ERR_SYNTAX, "unsigned whole numbers", "Floor"},
                 {ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":9}]}]",
                  SFT_ERR_SYNTAX, "mode", "Floor"},
                 {ONE_NODE "\"meshes\":[]", SFT_ERR_SYNTAX, "not there", "Floor"},
                 {ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"mode\":1}]}]",
                  SFT_ERR_SYNTAX, "no triangles", ""},
                 {"\"nodes\":[{\"name\":\"Body\",\"mesh\":0,\"skin\":0}],\"skins\":[{\"joints\":[0]}],"
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]",
                  SFT_ERR_SYNTAX, "skinned", ""},
                 {"\"nodes\":[{\"name\":\"Far\",\"mesh\":0,\"scale\":[1e7,1,1]}],"
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]",
                  SFT_ERR_RANGE, "vertex 1", "Far"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        sft_error e;
        refuse(cases[i].rest, cases[i].code, cases[i].message, &e);
        assert_string_equal(e.joint, cases[i].node);
    }
}

// Corners beyond the points, in every width.
static void test_io_mesh_gltf__corners_beyond_the_points_are_refused(void** state)
{
    (void)state;
    square bad = bin;
    bad.list8[5] = bad.which[0] = 4;
    char text[6000];
    snprintf(text, sizeof text, "%s%s,%s}", HEAD, tables,
             ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]");
    size_t size;
    uint8_t* glb = support_glb(text, &bad, sizeof bad, &size);
    sft_error e;
    support_refuse_mesh(NULL, glb, size, SFT_ERR_SYNTAX, "names vertex 4 at index 5", &e);
    assert_string_equal(e.joint, "Floor");
    free(glb);
}

static void refuse_compressed(const char* accessor, const char* view, const char* primitive, const char* name)
{
    char text[2000];
    snprintf(text, sizeof text,
             HEAD "\"buffers\":[{\"byteLength\":48}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":48%s}],"
                  "\"accessors\":[{%s\"componentType\":5126,\"count\":4,\"type\":\"VEC3\"}]," ONE_NODE
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}%s}]}]}",
             view, accessor, primitive);
    size_t size;
    uint8_t* glb = support_glb(text, bin.points, sizeof bin.points, &size);
    sft_error e;
    support_refuse_mesh(NULL, glb, size, SFT_ERR_UNSUPPORTED, name, &e);
    assert_string_equal(e.joint, "Floor");
    free(glb);
}

static void test_io_mesh_gltf__compressed_primitives_are_refused_by_name(void** state)
{
    (void)state;
    refuse_compressed("", "", ",\"extensions\":{\"KHR_draco_mesh_compression\":{\"bufferView\":0}}",
                      "KHR_draco_mesh_compression");
    refuse_compressed("\"bufferView\":0,",
                      ",\"extensions\":{\"EXT_meshopt_compression\":{\"buffer\":0,\"byteLength\":8,\"byteStride\":12,"
                      "\"count\":4,\"mode\":\"ATTRIBUTES\"}}",
                      "", "EXT_meshopt_compression");
    // Where the plain data lies beside the compressed, it is taken.
    char text[6000];
    snprintf(text, sizeof text, "%s%s,%s}", HEAD, tables,
             ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2,\"extensions\":"
                      "{\"KHR_draco_mesh_compression\":{\"bufferView\":0}}}]}]");
    size_t size;
    uint8_t* glb = support_glb(text, &bin, sizeof bin, &size);
    sft_io_mesh* m = support_read_mesh(NULL, glb, size);
    assert_int_equal(sft_io_mesh_view(m)->ground.triangle_count, 2);
    sft_io_mesh_destroy(m);
    free(glb);
}

static void test_io_mesh_gltf__few_bytes_cannot_ask_for_much(void** state)
{
    (void)state;
    sft_error e;
    // A billion points that are all zero but one.
    refuse(ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":9}}]}]", SFT_ERR_SYNTAX, "accessor",
           &e);
    char text[3000];
    snprintf(text, sizeof text,
             HEAD "\"buffers\":[{\"byteLength\":48}],\"bufferViews\":[{\"buffer\":0,\"byteLength\":12},"
                  "{\"buffer\":0,\"byteLength\":4}],\"accessors\":[{\"componentType\":5126,\"count\":1000000000,"
                  "\"type\":\"VEC3\",\"sparse\":{\"count\":1,\"indices\":{\"bufferView\":1,\"componentType\":5121},"
                  "\"values\":{\"bufferView\":0}}}]," ONE_NODE
                  "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}");
    size_t size;
    uint8_t* glb = support_glb(text, bin.points, sizeof bin.points, &size);
    support_heap heap = {.fail_at = -1};
    const sft_allocator a = support_allocator(&heap);
    sft_io_mesh* mesh = NULL;
    assert_int_equal(sft_io_mesh_read(NULL, glb, size, &a, &mesh, &e), SFT_ERR_LIMIT);
    assert_true(heap.peak_bytes < 200000);
    free(glb);
    // One mesh of many primitives, and many nodes that show it.
    char* big = malloc(700000);
    size_t n = (size_t)sprintf(big, HEAD "%s,\"meshes\":[{\"primitives\":[{\"mode\":0}", tables);
    for (int i = 0; i < 5000; ++i)
        n += (size_t)sprintf(big + n, ",{\"mode\":0}");
    n += (size_t)sprintf(big + n, "]}],\"nodes\":[{\"mesh\":0}");
    for (int i = 0; i < 20000; ++i)
        n += (size_t)sprintf(big + n, ",{\"mesh\":0}");
    sprintf(big + n, "]}");
    glb = support_glb(big, &bin, sizeof bin, &size);
    support_refuse_mesh(NULL, glb, size, SFT_ERR_LIMIT, "primitives", &e);
    free(glb);
    free(big);
    sft_io_mesh_def def = sft_default_io_mesh_def();
    def.max_triangles = 1;
    glb = make(ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]", &size);
    support_refuse_mesh(&def, glb, size, SFT_ERR_LIMIT, "1 triangles", &e);
    free(glb);
}

static void test_io_mesh_gltf__every_allocation_may_fail_and_every_cut_is_borne(void** state)
{
    (void)state;
    size_t size;
    uint8_t* glb =
        make("\"nodes\":[{\"name\":\"a\",\"mesh\":0,\"children\":[1]},{\"mesh\":0,\"skin\":0}],\"skins\":[{"
             "\"joints\":[0]}],\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":7},\"indices\":3}]}]",
             &size);
    long fail_at = 0;
    for (; fail_at < 1000; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator a = support_allocator(&heap);
        sft_io_mesh* mesh = NULL;
        sft_error error = {.code = SFT_OK};
        const sft_result result = sft_io_mesh_read(NULL, glb, size, &a, &mesh, &error);
        sft_io_mesh_destroy(mesh);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
        assert_int_equal(result, SFT_ERR_MEMORY);
    }
    assert_true(fail_at > 10 && fail_at < 1000);
    support_rng rng = {11};
    for (int round = 0; round < 3000; ++round)
    {
        const size_t part = round < (int)size ? (size_t)round : size;
        uint8_t* copy = malloc(part + 1);
        memcpy(copy, glb, part);
        if (part == size)
            for (int k = 0; k < 3; ++k)
                copy[(size_t)support_uniform(&rng, 0, (double)size)] = (uint8_t)support_uniform(&rng, 0, 256);
        sft_io_mesh* mesh = NULL;
        sft_error error = {.code = SFT_OK};
        if (sft_io_mesh_read(NULL, copy, part, NULL, &mesh, &error) != SFT_OK) assert_true(error.message[0] != '\0');
        sft_io_mesh_destroy(mesh);
        free(copy);
    }
    free(glb);
}

static void test_io_mesh_gltf__files_with_their_buffers_beside(void** state)
{
    (void)state;
    char text[6000];
    snprintf(text, sizeof text, "%s%s,%s}", HEAD, tables,
             ONE_NODE "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":2}]}]");
    char* at = strstr(text, "{\"byteLength\":140");
    assert_non_null(at);
    char whole[6000];
    snprintf(whole, sizeof whole, "%.*s{\"uri\":\"test_io_mesh.bin\",%s", (int)(at - text), text, at + 1);
    assert_int_equal(sft_file_write("test_io_mesh.gltf", whole, strlen(whole), NULL), SFT_OK);
    assert_int_equal(sft_file_write("test_io_mesh.bin", &bin, sizeof bin, NULL), SFT_OK);
    sft_io_mesh* m = NULL;
    sft_error error = {.code = SFT_OK};
    if (sft_io_mesh_read_file(NULL, "test_io_mesh.gltf", NULL, &m, &error) != SFT_OK) fail_msg("%s", error.message);
    assert_int_equal(sft_io_mesh_view(m)->ground.triangle_count, 2);
    sft_io_mesh_destroy(m);
    m = NULL;
    // From memory there is nothing beside.
    support_refuse_mesh(NULL, whole, strlen(whole), SFT_ERR_IO, "test_io_mesh.bin", &error);
    remove("test_io_mesh.bin");
    assert_int_equal(sft_io_mesh_read_file(NULL, "test_io_mesh.gltf", NULL, &m, &error), SFT_ERR_IO);
    remove("test_io_mesh.gltf");
    assert_int_equal(sft_io_mesh_read_file(NULL, "test_io_mesh.gltf", NULL, &m, &error), SFT_ERR_IO);
    assert_null(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_mesh_gltf__every_layout_gives_the_same_square),
        cmocka_unit_test(test_io_mesh_gltf__without_indices_points_come_as_they_stand),
        cmocka_unit_test(test_io_mesh_gltf__sparse_points_replace_those_below),
        cmocka_unit_test(test_io_mesh_gltf__nodes_move_turn_mirror_and_shear),
        cmocka_unit_test(test_io_mesh_gltf__quantised_points_are_unfolded_by_their_node),
        cmocka_unit_test(test_io_mesh_gltf__the_default_scene_alone),
        cmocka_unit_test(test_io_mesh_gltf__points_lines_and_skins_are_left_out),
        cmocka_unit_test(test_io_mesh_gltf__unit_and_up_axis),
        cmocka_unit_test(test_io_mesh_gltf__faults_are_named_with_their_node),
        cmocka_unit_test(test_io_mesh_gltf__corners_beyond_the_points_are_refused),
        cmocka_unit_test(test_io_mesh_gltf__compressed_primitives_are_refused_by_name),
        cmocka_unit_test(test_io_mesh_gltf__few_bytes_cannot_ask_for_much),
        cmocka_unit_test(test_io_mesh_gltf__every_allocation_may_fail_and_every_cut_is_borne),
        cmocka_unit_test(test_io_mesh_gltf__files_with_their_buffers_beside),
    };
    return cmocka_run_group_tests_name("io_mesh_gltf", tests, NULL, NULL);
}
