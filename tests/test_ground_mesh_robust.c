// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Meshes that are degenerate, hostile or large; memory that runs out; the tree itself.
#include "support/ground_reference.h"

#include "ground/mesh.h"

static const sft_v3d down = {0.0, -1.0, 0.0};

static const float square[12] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1};
static const int32_t square_index[6] = {0, 1, 3, 3, 2, 0};
static const sft_ground_mesh_def square_def = {4, square, 2, square_index, NULL};

static sft_ground_mesh* make(const sft_ground_mesh_def* def)
{
    sft_ground_mesh* mesh = NULL;
    assert_int_equal(sft_ground_mesh_create(def, NULL, &mesh, NULL), SFT_OK);
    return mesh;
}

// ---- input ----

static void test_ground_mesh__bad_defs_are_refused_and_outputs_kept(void** state)
{
    (void)state;
    float v[12];
    int32_t index[6];
    sft_ground_mesh* const before = (sft_ground_mesh*)&index;
    sft_ground_mesh* mesh = before;
    int32_t skipped = 77;
    memcpy(v, square, sizeof v);
    memcpy(index, square_index, sizeof index);
    const sft_ground_mesh_def good = {4, v, 2, index, NULL};
    const float bad_numbers[] = {NAN, INFINITY, -INFINITY, 3e38f, -1.1e6f};
    for (size_t i = 0; i < SFT_COUNT_OF(bad_numbers); ++i)
    {
        v[7] = bad_numbers[i];
        assert_int_equal(sft_ground_mesh_create(&good, NULL, &mesh, &skipped), SFT_ERR_RANGE);
    }
    v[7] = 0.0f;
    const int32_t bad_indices[] = {-1, 4, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < SFT_COUNT_OF(bad_indices); ++i)
    {
        index[5] = bad_indices[i];
        assert_int_equal(sft_ground_mesh_create(&good, NULL, &mesh, &skipped), SFT_ERR_RANGE);
    }
    index[5] = 0;
    sft_ground_mesh_def def = good;
    def.triangle_count = -1;
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &mesh, &skipped), SFT_ERR_ARG);
    def = good;
    def.vertex_count = INT32_MIN;
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &mesh, &skipped), SFT_ERR_ARG);
    def = good;
    def.vertices = NULL;
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &mesh, &skipped), SFT_ERR_ARG);
    def = good;
    def.indices = NULL;
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &mesh, &skipped), SFT_ERR_ARG);
    // Counts that lie are refused before anything is read.
    def = good;
    def.triangle_count = INT32_MAX;
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &mesh, &skipped), SFT_ERR_LIMIT);
    assert_int_equal(sft_ground_mesh_create(NULL, NULL, &mesh, &skipped), SFT_ERR_ARG);
    assert_int_equal(sft_ground_mesh_create(&good, NULL, NULL, &skipped), SFT_ERR_ARG);
    assert_true(mesh == before && skipped == 77);
    sft_ground_mesh_destroy(NULL, NULL);
}

static void test_ground_mesh__nothing_is_a_mesh_too(void** state)
{
    (void)state;
    const sft_ground_mesh_def empty = {0, NULL, 0, NULL, NULL}, lone = {4, square, 0, NULL, NULL};
    const sft_ground_mesh_def* defs[] = {&empty, &lone};
    for (size_t i = 0; i < 2; ++i)
    {
        sft_ground_mesh* mesh = make(defs[i]);
        const sft_ground ground = sft_ground_from_mesh(mesh);
        sft_ground_hit hit;
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 1, 0), down, 5.0, 0.0, &hit));
        assert_false(sft_ground_cast(&ground, sft_v3d_make(0, 1, 0), down, 5.0, 2.0, &hit));
        sft_ground_drop(&ground, 1, &(sft_v3d){0, 1, 0}, 5.0, &hit);
        assert_int_equal(hit.triangle, -2);
        sft_ground_mesh_destroy(mesh, NULL);
    }
    const sft_ground none = sft_ground_from_mesh(NULL);
    sft_ground_hit hit;
    assert_false(sft_ground_cast(&none, sft_v3d_make(0, 1, 0), down, 5.0, 0.0, &hit));
}

static void test_ground_mesh__triangles_of_no_area_are_left_out(void** state)
{
    (void)state;
    // A point, a doubled corner, three on a line (also far out), and last a good one, which keeps its number.
    const float v[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 0, 1, 1000.1f, 1000.1f, 1000.1f, 2000.2f, 2000.2f, 2000.2f};
    const int32_t index[] = {0, 0, 0, 0, 1, 1, 0, 1, 2, 0, 4, 5, 3, 3, 1, 0, 1, 3};
    const int32_t bodies[] = {1, 2, 3, 4, 5, 6};
    const sft_ground_mesh_def def = {6, v, 6, index, bodies};
    sft_ground_mesh* mesh = NULL;
    int32_t skipped = 0;
    assert_int_equal(sft_ground_mesh_create(&def, NULL, &mesh, &skipped), SFT_OK);
    assert_int_equal(skipped, 5);
    const sft_ground ground = sft_ground_from_mesh(mesh);
    sft_ground_hit hit;
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.25, 1, 0.25), down, 5.0, 0.0, &hit));
    assert_int_equal(hit.triangle, 5);
    assert_int_equal(hit.body, 6);
    assert_false(sft_ground_cast(&ground, sft_v3d_make(1.5, 1, 0), down, 5.0, 0.0, &hit));
    sft_ground_mesh_destroy(mesh, NULL);
    // All of no area.
    const sft_ground_mesh_def bad = {6, v, 5, index, NULL};
    assert_int_equal(sft_ground_mesh_create(&bad, NULL, &mesh, &skipped), SFT_OK);
    assert_int_equal(skipped, 5);
    const sft_ground nothing = sft_ground_from_mesh(mesh);
    assert_false(sft_ground_cast(&nothing, sft_v3d_make(0, 1, 0), down, 5.0, 0.5, &hit));
    sft_ground_mesh_destroy(mesh, NULL);
}

static void test_ground_mesh__edge_on_triangles_are_not_hit_but_their_neighbours_are(void** state)
{
    (void)state;
    // A tread, a riser, the next tread; the ray goes down within the riser.
    const float v[] = {0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 1, 0, 0.5f, 1, 1, 0.5f, 1, 0, 0.5f, 2, 1, 0.5f, 2};
    const int32_t index[] = {0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4, 4, 5, 7, 4, 7, 6};
    const sft_ground_mesh_def def = {8, v, 6, index, NULL};
    sft_ground_mesh* mesh = make(&def);
    const sft_ground ground = sft_ground_from_mesh(mesh);
    sft_ground_hit hit;
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.3, 2, 1), down, 5.0, 0.0, &hit));
    assert_true(hit.distance == 1.5 && hit.normal.y == 1.0);
    // Under the upper tread, still within the riser: the lower tread's edge.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.3, 0.25, 1), down, 5.0, 0.0, &hit));
    assert_true(hit.distance == 0.25 && hit.normal.y == 1.0);
    // Against the riser.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.3, 0.25, 0), sft_v3d_make(0, 0, 1), 5.0, 0.0, &hit));
    assert_true(hit.distance == 1.0 && hit.normal.z == -1.0);
    // Along the lower tread, in its plane: the riser's foot.
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.3, 0, 0.5), sft_v3d_make(0, 0, 1), 5.0, 0.0, &hit));
    assert_true(hit.distance == 0.5);
    sft_ground_mesh_destroy(mesh, NULL);
}

static void test_ground_mesh__hostile_queries(void** state)
{
    (void)state;
    sft_ground_mesh* mesh = make(&square_def);
    const sft_ground ground = sft_ground_from_mesh(mesh);
    const double numbers[] = {0.0, -0.0, 1e-320, -1e-200, 1e-30, 0.5, 1.0, 1e6, -1e6, 1e300, INFINITY, NAN};
    const size_t n = SFT_COUNT_OF(numbers);
    support_rng rng = {3};
    for (int i = 0; i < 300000; ++i)
    {
        double x[8];
        for (int k = 0; k < 8; ++k)
            x[k] = numbers[(size_t)support_uniform(&rng, 0.0, (double)n)];
        sft_ground_hit hit = {.triangle = -9};
        const sft_v3d o = {x[0], x[1], x[2]}, d = {x[3], x[4], x[5]};
        const bool found = sft_ground_cast(&ground, o, d, x[6], x[7], &hit);
        if (!found)
        {
            assert_int_equal(hit.triangle, -9);
            continue;
        }
        assert_true(sft_v3d_in_range(hit.point) && fabs(sft_v3d_length(hit.normal) - 1.0) < 1e-12);
        assert_true(hit.distance >= 0.0 && hit.distance <= x[6] && !signbit(hit.distance));
    }
    // Hits far away.
    sft_ground_hit hit;
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.5, 1e6, 0.25), down, INFINITY, 0.0, &hit));
    assert_true(hit.distance == 1e6);
    assert_true(sft_ground_cast(&ground, sft_v3d_make(0.5, 1e6, 0.25), down, INFINITY, 0.25, &hit));
    assert_true(fabs(hit.distance - 999999.75) < 1e-9);
    assert_true(sft_ground_cast(&ground, sft_v3d_make(1e6, 1e6, 0.25), sft_v3d_make(-999999.5, -1e6, 0.0), INFINITY,
                                0.0, &hit));
    assert_true(fabs(hit.point.x - 0.5) < 1e-9 && fabs(hit.point.y) < 1e-9);
    sft_ground_mesh_destroy(mesh, NULL);
}

// ---- memory ----

static void random_soup(float* v, int32_t* index, int32_t count, uint64_t seed)
{
    support_rng rng = {seed};
    for (int32_t t = 0; t < count; ++t)
    {
        const sft_v3d middle = ref_point(&rng, -1.0, 1.0);
        for (int c = 0; c < 3; ++c)
        {
            const sft_v3d p = sft_v3d_add(middle, ref_point(&rng, -0.05, 0.05));
            v[9 * t + 3 * c] = (float)p.x;
            v[9 * t + 3 * c + 1] = (float)p.y;
            v[9 * t + 3 * c + 2] = (float)p.z;
            index[3 * t + c] = 3 * t + c;
        }
    }
}

static void test_ground_mesh__every_allocation_may_fail(void** state)
{
    (void)state;
    enum
    {
        COUNT = 3000
    };
    static float v[9 * COUNT];
    static int32_t index[3 * COUNT], bodies[COUNT];
    random_soup(v, index, COUNT, 5);
    const sft_ground_mesh_def def = {3 * COUNT, v, COUNT, index, bodies};
    long at = 0;
    for (;; ++at)
    {
        support_heap heap = {.fail_at = at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_ground_mesh* mesh = NULL;
        int32_t skipped = 55;
        const sft_result result = sft_ground_mesh_create(&def, &allocator, &mesh, &skipped);
        if (result == SFT_OK)
        {
            assert_true(heap.live_blocks > 0);
            sft_ground_mesh_destroy(mesh, &allocator);
        }
        else
        {
            assert_int_equal(result, SFT_ERR_MEMORY);
            assert_true(mesh == NULL && skipped == 55);
        }
        assert_int_equal(heap.live_blocks, 0);
        if (result == SFT_OK) break;
    }
    assert_in_range(at, 3, 40);
}

// Under 100 bytes a triangle, also while it is built, and whatever the triangles.
static void test_ground_mesh__memory_a_triangle_is_bounded(void** state)
{
    (void)state;
    enum
    {
        COUNT = 20000
    };
    static float v[9 * COUNT];
    static int32_t index[3 * COUNT];
    for (int kind = 0; kind < 4; ++kind)
    {
        random_soup(v, index, COUNT, 6);
        for (int32_t t = 0; t < COUNT && kind > 0; ++t)
            for (int c = 0; c < 3; ++c)
            {
                float* p = v + 9 * t + 3 * c;
                // All the same; ever smaller towards one point; long and thin.
                if (kind == 1) memcpy(p, square + 3 * c, 3 * sizeof *p);
                if (kind == 2)
                    for (int k = 0; k < 3; ++k)
                        p[k] = (float)(1e5 * exp(-0.004 * t) * (1.0 + 0.001 * (double)square[3 * c + k]));
                if (kind == 3) p[0] *= 1e5f;
            }
        const sft_ground_mesh_def def = {3 * COUNT, v, COUNT, index, NULL};
        support_heap heap = {.fail_at = -1};
        const sft_allocator allocator = support_allocator(&heap);
        sft_ground_mesh* mesh = NULL;
        assert_int_equal(sft_ground_mesh_create(&def, &allocator, &mesh, NULL), SFT_OK);
        const double kept = (double)heap.live_bytes / mesh->triangle_count;
        const double peak = (double)heap.peak_bytes / mesh->triangle_count;
        printf("kind %d: %.1f bytes a triangle, %.1f while built\n", kind, kept, peak);
        assert_true(kept < 85.0 && peak < 115.0);
        sft_ground_mesh_destroy(mesh, &allocator);
        assert_int_equal(heap.live_blocks, 0);
    }
}

// ---- the tree ----

static int depth_of(const sft_ground_mesh* mesh, uint32_t node, uint8_t* seen)
{
    int deepest = 0;
    const mesh_node* n = &mesh->nodes[node];
    for (int i = 0; i < MESH_WIDE; ++i)
    {
        if (n->lo[0][i] > n->hi[0][i]) continue;
        if ((n->child[i] & MESH_IS_LEAF) != 0)
        {
            const uint32_t first = (n->child[i] & ~MESH_IS_LEAF) / MESH_LEAF, count = n->child[i] % MESH_LEAF + 1;
            for (uint32_t t = first; t < first + count; ++t)
            {
                seen[mesh->triangles[t].number] += 1;
                for (int c = 0; c < 3; ++c)
                    for (int k = 0; k < 3; ++k)
                        assert_true(mesh->triangles[t].v[c][k] >= n->lo[k][i] &&
                                    mesh->triangles[t].v[c][k] <= n->hi[k][i]);
            }
            continue;
        }
        const mesh_node* child = &mesh->nodes[n->child[i]];
        for (int j = 0; j < MESH_WIDE; ++j)
            for (int k = 0; k < 3; ++k)
                assert_true(child->lo[0][j] > child->hi[0][j] ||
                            (child->lo[k][j] >= n->lo[k][i] && child->hi[k][j] <= n->hi[k][i]));
        const int d = depth_of(mesh, n->child[i], seen);
        deepest = d > deepest ? d : deepest;
    }
    return deepest + 1;
}

static void test_ground_mesh__tree_holds_every_triangle_once_within_its_depth(void** state)
{
    (void)state;
    enum
    {
        COUNT = 30000
    };
    static float v[9 * COUNT];
    static int32_t index[3 * COUNT];
    static uint8_t seen[COUNT];
    int deepest = 0;
    for (int kind = 0; kind < 4; ++kind)
    {
        random_soup(v, index, COUNT, 7);
        for (int32_t t = 0; t < COUNT && kind > 0; ++t)
            for (int c = 0; c < 3; ++c)
                for (int k = 0; k < 3; ++k)
                {
                    float* p = v + 9 * t + 3 * c + k;
                    if (kind == 1) *p = square[3 * c + k];
                    // Each a thousandth nearer to a point than the one before: bins take off a few at a time.
                    if (kind == 2) *p = (float)(1e6 * exp(-0.0009 * t) * (0.5 + 0.0005 * (double)square[3 * c + k]));
                    if (kind == 3) *p = (float)(exp(-0.0025 * t) * ((double)square[3 * c + k] + (k == 0 ? 1.0 : 0.0)));
                }
        const sft_ground_mesh_def def = {3 * COUNT, v, COUNT, index, NULL};
        sft_ground_mesh* mesh = make(&def);
        memset(seen, 0, sizeof seen);
        const int depth = depth_of(mesh, 0, seen);
        printf("kind %d: %d triangles, %d nodes, depth %d\n", kind, mesh->triangle_count, mesh->node_count, depth);
        assert_true(depth < MESH_DEPTH);
        deepest = depth > deepest ? depth : deepest;
        int32_t held = 0;
        for (int32_t t = 0; t < COUNT; ++t)
        {
            assert_true(seen[t] <= 1);
            held += seen[t];
        }
        assert_int_equal(held, mesh->triangle_count);
        sft_ground_mesh_destroy(mesh, NULL);
    }
    // Halving was needed, so its bound is tested.
    assert_true(deepest > 12);
}

static void test_ground_mesh__same_input_gives_the_same_tree(void** state)
{
    (void)state;
    enum
    {
        COUNT = 5000
    };
    static float v[9 * COUNT];
    static int32_t index[3 * COUNT];
    random_soup(v, index, COUNT, 8);
    const sft_ground_mesh_def def = {3 * COUNT, v, COUNT, index, NULL};
    sft_ground_mesh *a = make(&def), *b = make(&def);
    assert_int_equal(a->node_count, b->node_count);
    assert_memory_equal(a->nodes, b->nodes, (size_t)a->node_count * sizeof *a->nodes);
    assert_memory_equal(a->triangles, b->triangles, (size_t)a->triangle_count * sizeof *a->triangles);
    sft_ground_mesh_destroy(a, NULL);
    sft_ground_mesh_destroy(b, NULL);
}

// A sheet folded like an accordion and needles as long as the world.
static void test_ground_mesh__thin_and_long_triangles_are_found(void** state)
{
    (void)state;
    enum
    {
        COUNT = 2000
    };
    static float v[9 * COUNT];
    static int32_t index[3 * COUNT];
    support_rng rng = {9};
    for (int32_t t = 0; t < COUNT; ++t)
    {
        const double x = support_uniform(&rng, -5e4, 5e4), z = support_uniform(&rng, -5e4, 5e4);
        const double p[9] = {x, 0.001 * t, z, -x, 0.001 * t, -z, -x, 0.001 * t, -z + 0.25};
        for (int k = 0; k < 9; ++k)
            v[9 * t + k] = (float)p[k];
        for (int c = 0; c < 3; ++c)
            index[3 * t + c] = 3 * t + c;
    }
    const sft_ground_mesh_def def = {3 * COUNT, v, COUNT, index, NULL};
    sft_ground_mesh* mesh = make(&def);
    const sft_ground ground = sft_ground_from_mesh(mesh);
    for (int32_t t = 0; t < COUNT; ++t)
    {
        double c[3] = {0, 0, 0};
        for (int k = 0; k < 9; ++k)
            c[k % 3] += (double)v[9 * t + k] / 3.0;
        sft_ground_hit hit;
        // From right above its own middle: its own height, or another of the same.
        assert_true(sft_ground_cast(&ground, sft_v3d_make(c[0], c[1] + 0.0004, c[2]), down, 0.0008, 0.0, &hit));
        assert_int_equal(hit.triangle, t);
    }
    sft_ground_mesh_destroy(mesh, NULL);
}

// Storeys of a fine sloping patch and one triangle far away: all of the patch lies in few cells of the grid that rays
// straight down look into, each with many more parts than it keeps. Heights are known: y = x / 2 - z / 4 + storey.
static void test_ground_mesh__rays_down_find_the_next_storey_of_a_crowded_cell(void** state)
{
    (void)state;
    enum
    {
        SIDE = 17,
        STOREYS = 24,
        VERTICES = SIDE * SIDE * STOREYS + 3,
        TRIANGLES = 2 * (SIDE - 1) * (SIDE - 1) * STOREYS + 1
    };
    static float v[3 * VERTICES];
    static int32_t index[3 * TRIANGLES];
    int32_t* at = index;
    for (int s = 0; s < STOREYS; ++s)
        for (int k = 0; k < SIDE; ++k)
            for (int i = 0; i < SIDE; ++i)
            {
                const int32_t a = (s * SIDE + k) * SIDE + i;
                const float x = (float)i / 64.0f, z = (float)k / 64.0f;
                const float p[3] = {x, 0.5f * x - 0.25f * z + (float)s, z};
                memcpy(v + 3 * a, p, sizeof p);
                const int32_t two[6] = {a, a + SIDE + 1, a + 1, a, a + SIDE, a + SIDE + 1};
                if (i + 1 == SIDE || k + 1 == SIDE) continue;
                memcpy(at, two, sizeof two);
                at += 6;
            }
    const float far[9] = {5000, 0, 5000, 5001, 0, 5000, 5000, 0, 5001};
    const int32_t last[3] = {VERTICES - 3, VERTICES - 2, VERTICES - 1};
    memcpy(v + 3 * (VERTICES - 3), far, sizeof far);
    memcpy(at, last, sizeof last);
    const sft_ground_mesh_def def = {VERTICES, v, TRIANGLES, index, NULL};
    sft_ground_mesh* mesh = make(&def);
    const sft_ground ground = sft_ground_from_mesh(mesh);
    const double end = (SIDE - 1) / 64.0;
    for (int n = 0; n < 4000; ++n)
    {
        // Corners, edges and insides alike: steps of a quarter of a square.
        const double x = n % 65 / 256.0, z = n / 65 % 65 / 256.0;
        const int s = n * 7 % STOREYS;
        const sft_v3d origin = sft_v3d_make(x, 0.5 * x - 0.25 * z + s + 0.5, z);
        sft_ground_hit one = {.triangle = -2}, many;
        assert_true(sft_ground_cast(&ground, origin, down, 0.75, 0.0, &one));
        assert_true(fabs(one.distance - 0.5) < 1e-12);
        sft_ground_drop(&ground, 1, &origin, 0.75, &many);
        assert_true(many.triangle == one.triangle && many.distance == one.distance);
        assert_false(sft_ground_cast(&ground, sft_v3d_make(x, origin.y, z), down, 0.25, 0.0, &one));
    }
    sft_ground_hit hit;
    assert_true(sft_ground_cast(&ground, sft_v3d_make(5000.25, 1, 5000.25), down, 2.0, 0.0, &hit));
    assert_int_equal(hit.triangle, TRIANGLES - 1);
    assert_false(sft_ground_cast(&ground, sft_v3d_make(2500, 1, 2500), down, 2.0, 0.0, &hit));
    assert_false(sft_ground_cast(&ground, sft_v3d_make(-1e-9, 1, 0), down, 2.0, 0.0, &hit));
    assert_false(sft_ground_cast(&ground, sft_v3d_make(end + 1e-9, 1, 0), down, 2.0, 0.0, &hit));
    assert_true(sft_ground_cast(&ground, sft_v3d_make(end, 1, end), down, 2.0, 0.0, &hit));
    sft_ground_mesh_destroy(mesh, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ground_mesh__bad_defs_are_refused_and_outputs_kept),
        cmocka_unit_test(test_ground_mesh__nothing_is_a_mesh_too),
        cmocka_unit_test(test_ground_mesh__triangles_of_no_area_are_left_out),
        cmocka_unit_test(test_ground_mesh__edge_on_triangles_are_not_hit_but_their_neighbours_are),
        cmocka_unit_test(test_ground_mesh__hostile_queries),
        cmocka_unit_test(test_ground_mesh__every_allocation_may_fail),
        cmocka_unit_test(test_ground_mesh__memory_a_triangle_is_bounded),
        cmocka_unit_test(test_ground_mesh__tree_holds_every_triangle_once_within_its_depth),
        cmocka_unit_test(test_ground_mesh__same_input_gives_the_same_tree),
        cmocka_unit_test(test_ground_mesh__rays_down_find_the_next_storey_of_a_crowded_cell),
        cmocka_unit_test(test_ground_mesh__thin_and_long_triangles_are_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
