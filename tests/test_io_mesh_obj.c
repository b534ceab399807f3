// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// OBJ as ground: what stands in the text comes out as triangles, and what is wrong is named with its line.

#include "support/mesh.h"

static sft_io_mesh* read_text(const char* text)
{
    return support_read_mesh(NULL, text, strlen(text));
}

static void refuse(const char* text, sft_result code, uint32_t line, const char* message)
{
    sft_error error;
    support_refuse_mesh(NULL, text, strlen(text), code, message, &error);
    if (error.line != line) fail_msg("line %u, not %u: %s", error.line, line, error.message);
}

static void assert_indices(const sft_ground_mesh_def* g, const int32_t* wanted, int32_t triangles)
{
    assert_int_equal(g->triangle_count, triangles);
    for (int32_t i = 0; i < 3 * triangles; ++i)
        assert_int_equal(g->indices[i], wanted[i]);
}

static void test_io_mesh_obj__a_quad_is_two_triangles(void** state)
{
    (void)state;
    sft_io_mesh* m = read_text("v 0 0 0\nv 1 0 0\nv 1 0.5 1\nv 0 0 1\nf 1 2 3 4\n");
    const sft_io_mesh_contents* v = sft_io_mesh_view(m);
    assert_int_equal(v->ground.vertex_count, 4);
    assert_indices(&v->ground, (const int32_t[]){0, 1, 2, 0, 2, 3}, 2);
    assert_true(v->ground.vertices[7] == 0.5f);
    assert_int_equal(v->body_count, 1);
    assert_string_equal(v->body_names[0], "");
    assert_int_equal(v->ground.bodies[1], 0);
    assert_int_equal(v->warning_count, 0);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_obj__all_ways_to_write_a_corner(void** state)
{
    (void)state;
    static const char head[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nvt 0 0\nvn 0 1 0\n";
    static const char* const faces[] = {
        "f 1 2 3",    "f 1/1 2/1 3/1",       "f 1//1 2//1 3//1",       "f 1/1/1 2/1/1 3/1/1",
        "f -3 -2 -1", "f -3/-1 -2/-1 -1/-1", "f -3//-1 -2//-1 -1//-1", "f 1/1/ 2/1/ 3/1/",
        "fo 1 2 3",   "f\t1  2\t3  # end"};
    for (size_t i = 0; i < sizeof faces / sizeof faces[0]; ++i)
    {
        char text[200];
        snprintf(text, sizeof text, "%s%s", head, faces[i]);
        sft_io_mesh* m = read_text(text);
        assert_indices(&sft_io_mesh_view(m)->ground, (const int32_t[]){0, 1, 2}, 1);
        sft_io_mesh_destroy(m);
    }
}

static void test_io_mesh_obj__lines_end_and_go_on_in_all_ways(void** state)
{
    (void)state;
    static const char* const texts[] = {
        "v 0 0 0\r\nv 1 0 0\r\nv 0 0 1\r\nf 1 2 3\r\n",
        "v 0 0 0\rv 1 0 0\rv 0 0 1\rf 1 2 3",
        "\xef\xbb\xbf# mark\nv 0 0 \\\n0\nv 1 0 0\nv 0 0 1\nf 1 \\\r\n2 \\\n3",
        "# a comment that ends in a backslash \\\nv 0 0 0\nv 1 0 0 # here too\nv 0 0 1\n\n   f 1 2 3",
        "v 0 0 0 1.0\nv 1 0 0 0.2 0.3 0.4\nv 0 0 1\nl 1 2\np 1\ns off\nf 1 2 3\n",
        "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 0 1"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; ++i)
    {
        sft_io_mesh* m = read_text(texts[i]);
        const sft_io_mesh_contents* v = sft_io_mesh_view(m);
        assert_indices(&v->ground, (const int32_t[]){0, 1, 2}, 1);
        assert_true(v->ground.vertices[3] == 1.0f && v->ground.vertices[8] == 1.0f);
        assert_int_equal(v->warning_count, 0);
        sft_io_mesh_destroy(m);
    }
}

static void test_io_mesh_obj__indices_from_the_end_count_from_where_they_stand(void** state)
{
    (void)state;
    sft_io_mesh* m = read_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf -1 -2 -3\nv 5 0 0\nv 6 0 0\nv 5 0 1\nf -1 -2 -3\n");
    assert_indices(&sft_io_mesh_view(m)->ground, (const int32_t[]){2, 1, 0, 5, 4, 3}, 2);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_obj__unit_and_up_axis(void** state)
{
    (void)state;
    static const char text[] = "v 100 200 300\nv 0 1 0\nv 0 0 1\nf 1 2 3\n";
    sft_io_mesh_def def = sft_default_io_mesh_def();
    def.unit_metres = 0.01;
    def.up = SFT_AXIS_Z;
    sft_io_mesh* m = support_read_mesh(&def, text, strlen(text));
    const float* p = sft_io_mesh_view(m)->ground.vertices;
    // Z up: (x, y, z) is (x, z, -y) inside.
    assert_true(fabsf(p[0] - 1.0f) < 1e-6f && fabsf(p[1] - 3.0f) < 1e-6f && fabsf(p[2] + 2.0f) < 1e-6f);
    sft_io_mesh_destroy(m);
}

// A comb: every second tooth is deep, so that no fan can do. Its area is known from how it is drawn.
static void test_io_mesh_obj__concave_faces_keep_their_area(void** state)
{
    (void)state;
    for (int flip = 0; flip < 2; ++flip)
        for (int plane = 0; plane < 3; ++plane)
        {
            char text[4000];
            size_t size = 0;
            const int teeth = 20;
            double x[64], y[64], area = 0.0;
            int n = 0;
            x[n] = 0.0, y[n++] = -1.0;
            x[n] = teeth, y[n++] = -1.0;
            for (int i = teeth; i >= 0; --i)
                x[n] = i, y[n++] = i % 2 == 0 ? 3.0 : 0.0;
            for (int i = 0; i < n; ++i)
                area += 0.5 * (x[i] * y[(i + 1) % n] - x[(i + 1) % n] * y[i]);
            assert_true(area == 1.0 * teeth + 0.5 * 3.0 * teeth);
            for (int i = 0; i < n; ++i)
            {
                const double p[3] = {plane == 0 ? 0.0 : x[i],
                                     plane == 1   ? 0.0
                                     : plane == 0 ? x[i]
                                                  : y[i],
                                     plane == 2 ? 0.25 * x[i] : y[i]};
                size += (size_t)snprintf(text + size, sizeof text - size, "v %g %g %g\n", p[0], p[1], p[2]);
            }
            size += (size_t)snprintf(text + size, sizeof text - size, "f");
            for (int i = 0; i < n; ++i)
                size += (size_t)snprintf(text + size, sizeof text - size, " %d", flip ? n - i : i + 1);
            sft_io_mesh* m = read_text(text);
            const sft_ground_mesh_def* g = &sft_io_mesh_view(m)->ground;
            assert_int_equal(g->triangle_count, n - 2);
            const double wanted = area * (plane == 2 ? sqrt(1.0 + 0.25 * 0.25) : 1.0);
            assert_true(fabs(support_mesh_total(g) - wanted) < 1e-4);
            assert_true(fabs(sft_v3d_length(support_mesh_area(g)) - wanted) < 1e-4);
            assert_int_equal(sft_io_mesh_view(m)->warning_count, 0);
            sft_io_mesh_destroy(m);
        }
}

static void test_io_mesh_obj__a_hole_reached_by_a_bridge_stays_open(void** state)
{
    (void)state;
    // A square of 4 by 4 with a hole of 2 by 2, walked as one face: out, over the bridge, round the hole, and back.
    sft_io_mesh* m = read_text("v 0 0 0\nv 4 0 0\nv 4 0 4\nv 0 0 4\nv 1 0 1\nv 1 0 3\nv 3 0 3\nv 3 0 1\n"
                               "f 1 2 3 4 1 5 6 7 8 5\n");
    const sft_ground_mesh_def* g = &sft_io_mesh_view(m)->ground;
    assert_true(fabs(support_mesh_total(g) - 12.0) < 1e-6);
    assert_true(fabs(support_mesh_area(g).y + 12.0) < 1e-6);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_obj__random_stars_keep_their_area(void** state)
{
    (void)state;
    support_rng rng = {7};
    for (int round = 0; round < 200; ++round)
    {
        const int n = 4 + round % 60;
        double x[64], z[64], area = 0.0;
        char text[8000];
        size_t size = 0;
        for (int i = 0; i < n; ++i)
        {
            const double angle = 2.0 * SFT_PI * i / n, r = support_uniform(&rng, 0.2, 5.0);
            char line[100];
            snprintf(line, sizeof line, "%.6f %.6f", 100.0 + r * cos(angle), r * sin(angle));
            sscanf(line, "%lf %lf", &x[i], &z[i]);
            size += (size_t)snprintf(text + size, sizeof text - size, "v %.6f 1 %.6f\n", x[i], z[i]);
        }
        size += (size_t)snprintf(text + size, sizeof text - size, "f");
        for (int i = 0; i < n; ++i)
        {
            area += 0.5 * (x[i] * z[(i + 1) % n] - x[(i + 1) % n] * z[i]);
            size += (size_t)snprintf(text + size, sizeof text - size, " %d", i + 1);
        }
        sft_io_mesh* m = read_text(text);
        const sft_ground_mesh_def* g = &sft_io_mesh_view(m)->ground;
        assert_true(fabs(support_mesh_total(g) - area) < 2e-3 * area);
        assert_true(fabs(-support_mesh_area(g).y - area) < 2e-3 * area);
        sft_io_mesh_destroy(m);
    }
}

static void test_io_mesh_obj__faces_that_cross_themselves_are_said(void** state)
{
    (void)state;
    sft_io_mesh* m = read_text("v 0 0 0\nv 1 0 1\nv 1 0 0\nv 0 0 1.5\nf 1 2 3 4\nf 1 2 3 4\n");
    assert_int_equal(sft_io_mesh_view(m)->ground.triangle_count, 4);
    assert_true(sft_io_mesh_view(m)->warning_count <= 1);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_obj__bodies_by_objects_else_groups_else_materials(void** state)
{
    (void)state;
    static const char head[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\n";
    static const struct
    {
        const char* text;
        int32_t bodies[3], count;
        const char* names[3];
    } cases[] = {{"f 1 2 3\no Stair one\ng low\nf 1 2 3\no Lift\nf 1 2 3", {0, 1, 2}, 3, {"", "Stair one", "Lift"}},
                 {"g a\nusemtl wood\nf 1 2 3\ng b c \nf 1 2 3\ng a\nf 1 2 3", {0, 1, 0}, 2, {"a", "b c"}},
                 {"usemtl wood\nf 1 2 3\nusemtl iron\r\nf 1 2 3\nusemtl wood\nf 1 2 3", {0, 1, 0}, 2, {"wood", "iron"}},
                 {"o Empty\no\ng x\nf 1 2 3\ng\nf 1 2 3\ng y\nf 1 2 3\n", {0, 1, 2}, 3, {"x", "", "y"}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        char text[300];
        snprintf(text, sizeof text, "%s%s", head, cases[i].text);
        sft_io_mesh* m = read_text(text);
        const sft_io_mesh_contents* v = sft_io_mesh_view(m);
        assert_int_equal(v->ground.triangle_count, 3);
        for (int k = 0; k < 3; ++k)
            assert_int_equal(v->ground.bodies[k], cases[i].bodies[k]);
        assert_int_equal(v->body_count, cases[i].count);
        for (int32_t k = 0; k < v->body_count; ++k)
            assert_string_equal(v->body_names[k], cases[i].names[k]);
        sft_io_mesh_destroy(m);
    }
}

static void test_io_mesh_obj__faults_are_named_with_their_line(void** state)
{
    (void)state;
    refuse("v 0 0 0\nv 1 0\n", SFT_ERR_SYNTAX, 2, "three numbers");
    refuse("v 0 0 0\nv 1 \\\n 0 x\n", SFT_ERR_SYNTAX, 3, "'x'");
    refuse("v 0 0 nan\n", SFT_ERR_RANGE, 1, "nan");
    refuse("v 0 0 1e999\n", SFT_ERR_RANGE, 1, "1e999");
    refuse("v 0 0 0\n\nv 0 2e6 0\n", SFT_ERR_RANGE, 3, "unit");
    refuse("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2\n", SFT_ERR_SYNTAX, 4, "three corners");
    refuse("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 4\n", SFT_ERR_SYNTAX, 4, "vertex 4");
    refuse("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 -4\n", SFT_ERR_SYNTAX, 4, "counts back");
    refuse("v 0 0 0\nf 1 1 0\n", SFT_ERR_SYNTAX, 2, "count from 1");
    refuse("v 0 0 0\nf 1 1 1.5\n", SFT_ERR_SYNTAX, 2, "1.5");
    refuse("v 0 0 0\nf 1 1 1/x\n", SFT_ERR_SYNTAX, 2, "1/x");
    refuse("v 0 0 0\nf 1 1 99999999999999999999\n", SFT_ERR_SYNTAX, 2, "9999");
    refuse("v 0 0 0\nf 1 1 -99999999999999999999\n", SFT_ERR_SYNTAX, 2, "9999");
    refuse("v 0 0 0\nl 1 1\n", SFT_ERR_SYNTAX, 0, "no face");
    refuse("Dear reader,\nthis is a letter.\n", SFT_ERR_SYNTAX, 1, "no OBJ");
    refuse("", SFT_ERR_SYNTAX, 1, "empty");
    refuse("HIERARCHY\nROOT a\n", SFT_ERR_UNSUPPORTED, 0, "BVH");
    sft_error error;
    support_refuse_mesh(NULL, "v 0\0 0 0\n", 9, SFT_ERR_SYNTAX, "no text", &error);
    support_refuse_mesh(NULL, "\xff\xfev\0", 4, SFT_ERR_SYNTAX, "UTF-16", &error);
}

static void test_io_mesh_obj__odd_lines_are_said_once(void** state)
{
    (void)state;
    sft_io_mesh* m = read_text("v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\nwhat 1\nwhat 2\ncurv 1\nsurf 2\nend\n");
    const sft_io_mesh_contents* v = sft_io_mesh_view(m);
    assert_int_equal(v->warning_count, 2);
    assert_int_equal(v->warnings[0].line, 7);
    assert_int_equal(v->warnings[1].line, 5);
    sft_io_mesh_destroy(m);
}

static void test_io_mesh_obj__limits_hold(void** state)
{
    (void)state;
    sft_error error;
    sft_io_mesh_def def = sft_default_io_mesh_def();
    def.max_triangles = 2;
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3 1 2\n";
    support_refuse_mesh(&def, text, strlen(text), SFT_ERR_LIMIT, "2 triangles", &error);
    assert_int_equal(error.line, 4);
    // A concave face of more corners than can be cut in good time.
    const int n = 3000;
    char* big = malloc(40 * (size_t)n);
    size_t size = 0;
    for (int i = 0; i < n; ++i)
        size += (size_t)sprintf(big + size, "v %d 0 %d\n", i < n / 2 ? i : n - i, i < n / 2 ? 10 + i % 2 : -10);
    size += (size_t)sprintf(big + size, "f");
    for (int i = 0; i < n; ++i)
        size += (size_t)sprintf(big + size, " %d", i + 1);
    support_refuse_mesh(NULL, big, size, SFT_ERR_LIMIT, "concave", &error);
    free(big);
    def = sft_default_io_mesh_def();
    def.max_bytes = 10;
    support_refuse_mesh(&def, text, strlen(text), SFT_ERR_LIMIT, "10", &error);
    def.cookie = 0;
    support_refuse_mesh(&def, text, strlen(text), SFT_ERR_DEF, "sft_default_io_mesh_def", &error);
}

static void test_io_mesh_obj__memory_stays_in_proportion(void** state)
{
    (void)state;
    // What costs most: names that change before every face, and faces of many corners.
    static const char* const lines[] = {"g\nf 1 1 1\n", "f 1 1 1\n", "v 0 0 0\n", "o a\nf 1 1 1\n"};
    for (size_t k = 0; k <= sizeof lines / sizeof lines[0]; ++k)
    {
        const size_t copies = 20000;
        char* text = malloc(16 * copies + 64);
        size_t size = (size_t)sprintf(text, "v 0 0 0\nf 1 1 1");
        for (size_t i = 0; i < copies; ++i)
        {
            const char* line = k < sizeof lines / sizeof lines[0] ? lines[k] : " 1";
            if (i == 0 && *line != ' ') text[size++] = '\n';
            memcpy(text + size, line, strlen(line));
            size += strlen(line);
        }
        support_heap heap = {.fail_at = -1};
        const sft_allocator a = support_allocator(&heap);
        sft_io_mesh* mesh = NULL;
        assert_int_equal(sft_io_mesh_read(NULL, text, size, &a, &mesh, NULL), SFT_OK);
        if (heap.peak_bytes > 40 * size + 20000) fail_msg("case %zu: %zu bytes for %zu", k, heap.peak_bytes, size);
        sft_io_mesh_destroy(mesh);
        free(text);
    }
}

static void test_io_mesh_obj__every_allocation_may_fail_and_every_cut_is_borne(void** state)
{
    (void)state;
    static const char text[] = "o a\nv 0 0 0\nv 1 0 0\nv 0.2 0 0.2\nv 0 0 1\nf 1 2 3 4\no b\ncurv\nf 1/1/1 2//1 3\n";
    for (long fail_at = 0; fail_at < 100; ++fail_at)
    {
        support_heap heap = {.fail_at = fail_at};
        const sft_allocator a = support_allocator(&heap);
        sft_io_mesh* mesh = NULL;
        sft_error error = {.code = SFT_OK};
        const sft_result result = sft_io_mesh_read(NULL, text, strlen(text), &a, &mesh, &error);
        sft_io_mesh_destroy(mesh);
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK)
        {
            assert_true(fail_at > 8);
            break;
        }
        assert_int_equal(result, SFT_ERR_MEMORY);
        assert_int_equal(error.code, SFT_ERR_MEMORY);
    }
    for (size_t size = 0; size < strlen(text); ++size)
    {
        char* copy = malloc(size + 1); // exactly so many bytes, for sanitizers
        memcpy(copy, text, size);
        sft_io_mesh* mesh = NULL;
        sft_error error = {.code = SFT_OK};
        if (sft_io_mesh_read(NULL, copy, size, NULL, &mesh, &error) != SFT_OK) assert_true(error.message[0] != '\0');
        sft_io_mesh_destroy(mesh);
        free(copy);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_mesh_obj__a_quad_is_two_triangles),
        cmocka_unit_test(test_io_mesh_obj__all_ways_to_write_a_corner),
        cmocka_unit_test(test_io_mesh_obj__lines_end_and_go_on_in_all_ways),
        cmocka_unit_test(test_io_mesh_obj__indices_from_the_end_count_from_where_they_stand),
        cmocka_unit_test(test_io_mesh_obj__unit_and_up_axis),
        cmocka_unit_test(test_io_mesh_obj__concave_faces_keep_their_area),
        cmocka_unit_test(test_io_mesh_obj__a_hole_reached_by_a_bridge_stays_open),
        cmocka_unit_test(test_io_mesh_obj__random_stars_keep_their_area),
        cmocka_unit_test(test_io_mesh_obj__faces_that_cross_themselves_are_said),
        cmocka_unit_test(test_io_mesh_obj__bodies_by_objects_else_groups_else_materials),
        cmocka_unit_test(test_io_mesh_obj__faults_are_named_with_their_line),
        cmocka_unit_test(test_io_mesh_obj__odd_lines_are_said_once),
        cmocka_unit_test(test_io_mesh_obj__limits_hold),
        cmocka_unit_test(test_io_mesh_obj__memory_stays_in_proportion),
        cmocka_unit_test(test_io_mesh_obj__every_allocation_may_fail_and_every_cut_is_borne),
    };
    return cmocka_run_group_tests_name("io_mesh_obj", tests, NULL, NULL);
}
