// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Takes: what comes out of a document, what goes back, and tracks of feet against the walker's formulas.

#include <math.h>

#include "sample/walker.h"
#include "support/support.h"

// ---- a walker in a BVH of inches with Z up ----

typedef struct fixture
{
    walker walker;
    sft_io_document* document;
} fixture;

static const sft_space inches = {.unit_metres = 0.0254, .up = SFT_AXIS_Z, .unit_sure = true, .up_sure = true};

static void setup(fixture* f)
{
    walker_def def = walker_default_def();
    def.frames = 90;
    def.reference = true;
    assert_int_equal(walker_create(&def, &f->walker), SFT_OK);
    // The walker stands in metres, Y up; a document of the same joints in another space is made of it.
    sft_bvh* plain = NULL;
    assert_int_equal(sft_bvh_create(f->walker.skeleton, f->walker.clip, NULL, &plain), SFT_OK);
    sft_io_document* metres = NULL;
    char* text = NULL;
    size_t size = 0;
    assert_int_equal(sft_bvh_write(plain, NULL, &text, &size), SFT_OK);
    assert_int_equal(sft_io_read(NULL, text, size, NULL, &metres, NULL), SFT_OK);
    free(text);
    sft_io_convert_def convert = sft_default_io_convert_def();
    const sft_space as_is = {.unit_metres = 1.0, .up = SFT_AXIS_Y};
    convert.format = SFT_IO_BVH;
    convert.space = &as_is;
    convert.unit_metres = inches.unit_metres;
    convert.up = (int32_t)inches.up;
    assert_int_equal(sft_io_convert(metres, &convert, NULL, &f->document, NULL, NULL), SFT_OK);
    sft_io_destroy(metres);
    sft_bvh_destroy(plain);
}

static void teardown(fixture* f)
{
    sft_io_destroy(f->document);
    walker_release(&f->walker);
}

static sft_take* take_of(const fixture* f)
{
    sft_take* take = NULL;
    sft_error error = {0};
    sft_take_def def = sft_default_take_def();
    def.unit_metres = inches.unit_metres;
    def.up = (int32_t)inches.up;
    if (sft_take_create(&def, f->document, 0, NULL, &take, &error) != SFT_OK) fail_msg("%s", error.message);
    if (sft_take_find_legs(take, f->document, NULL, &error) != SFT_OK) fail_msg("%s", error.message);
    return take;
}

static void test_take__is_in_metres_with_its_legs(void** state)
{
    (void)state;
    fixture f = {0};
    setup(&f);
    sft_take* take = take_of(&f);
    assert_int_equal(take->leg_count, 2);
    assert_int_equal(take->first_frame, f.walker.first_frame);
    assert_int_equal(take->frame_count, f.walker.clip->frame_count);
    assert_int_equal(take->travel, WALKER_HIPS);
    assert_string_equal(take->space.reason, "unit and up axis given");
    assert_true(take->space.unit_sure && take->space.up_sure);
    // The legs are those that the walker was built with.
    assert_int_equal(take->legs[0].hip, WALKER_LEFT_HIP);
    assert_int_equal(take->legs[0].toe, WALKER_LEFT_HIP + 3);
    assert_int_equal(take->legs[1].hip, WALKER_RIGHT_HIP);
    sft_take_destroy(take, NULL);
    teardown(&f);
}

static void assert_near(sft_v3d a, sft_v3d b, double most)
{
    if (!(sft_v3d_distance(a, b) < most)) fail_msg("%g m apart", sft_v3d_distance(a, b));
}

// The walker's feet follow formulas; the tracks must say the same places.
static void test_tracks__feet_are_where_the_formulas_put_them(void** state)
{
    (void)state;
    fixture f = {0};
    setup(&f);
    sft_take* take = take_of(&f);
    sft_tracks* tracks = NULL;
    assert_int_equal(sft_take_tracks(take, take->clip, NULL, &tracks), SFT_OK);
    walker_def def = walker_default_def();
    const double dt = 1.0 / def.fps;
    for (int32_t i = take->first_frame; i < take->frame_count; ++i)
        for (int side = 0; side < 2; ++side)
        {
            const walker_foot foot = walker_foot_at(&def, side, (i - take->first_frame) * dt);
            // Degrees and inches of the file are rounded to 1e-10.
            assert_near(tracks->feet[side].heel[i], foot.heel, 1e-8);
            assert_near(tracks->feet[side].toe[i], foot.toe, 1e-8);
            assert_near(tracks->feet[side].toe_end[i], foot.toe_end, 1e-8);
        }
    // Thigh, shin and foot of the rest pose, which do not stretch: summed by hand.
    double length = 0.0;
    for (int k = 1; k < 4; ++k)
        length += sft_v3d_length(f.walker.skeleton->rest_translations[WALKER_LEFT_HIP + k]);
    assert_true(fabs(tracks->input.leg_length - length) < 1e-8);
    sft_tracks_destroy(tracks, NULL);
    sft_take_destroy(take, NULL);
    teardown(&f);
}

static void write(const sft_io_document* document, void** bytes, size_t* size)
{
    assert_int_equal(sft_io_write(document, SFT_IO_AUTO, NULL, bytes, size, NULL), SFT_OK);
}

static void test_take__what_no_solver_changed_goes_out_as_it_came(void** state)
{
    (void)state;
    fixture f = {0};
    setup(&f);
    sft_take* take = take_of(&f);
    void *before, *after;
    size_t before_size, after_size;
    write(f.document, &before, &before_size);
    uint8_t changed[WALKER_JOINTS] = {0};
    // A changed number that is not said to be changed stays where it is.
    take->clip->translations[WALKER_HIPS].x += 1.0;
    const sft_take_solved solved = {take->clip, changed};
    assert_int_equal(sft_take_put(take, f.document, &solved, NULL, NULL, NULL), SFT_OK);
    write(f.document, &after, &after_size);
    assert_int_equal(before_size, after_size);
    assert_memory_equal(before, after, before_size);
    free(before);
    free(after);
    sft_take_destroy(take, NULL);
    teardown(&f);
}

static void test_take__a_solved_joint_alone_is_written(void** state)
{
    (void)state;
    fixture f = {0};
    setup(&f);
    sft_take* take = take_of(&f);
    const int32_t joint = WALKER_LEFT_HIP + 1, frame = 40;
    const sft_bvh_contents* view = sft_bvh_view(sft_io_bvh(f.document));
    const size_t cells = (size_t)view->frame_count * (size_t)view->channel_count;
    double* before = malloc(cells * sizeof *before);
    memcpy(before, view->values, cells * sizeof *before);
    const int32_t first = view->joints[joint].channel_first, last = first + view->joints[joint].channel_count;

    uint8_t changed[WALKER_JOINTS] = {0};
    changed[joint] = 1;
    sft_quatd* r = &take->clip->rotations[(size_t)frame * WALKER_JOINTS + (size_t)joint];
    *r = sft_quatd_mul(*r, sft_quatd_exp(sft_v3d_make(0.1, 0.0, 0.0)));
    const sft_take_solved solved = {take->clip, changed};
    assert_int_equal(sft_take_put(take, f.document, &solved, NULL, NULL, NULL), SFT_OK);
    const double* after = sft_bvh_view(sft_io_bvh(f.document))->values;
    int32_t others = 0, own = 0;
    for (size_t i = 0; i < cells; ++i)
    {
        const int32_t column = (int32_t)(i % (size_t)view->channel_count);
        const bool solved_here =
            column >= first && column < last && (int32_t)(i / (size_t)view->channel_count) == frame;
        *(solved_here ? &own : &others) += before[i] != after[i];
    }
    assert_int_equal(others, 0);
    assert_true(own > 0);
    // And it reads back as what was put, in metres and Y up.
    sft_clip* again = NULL;
    assert_int_equal(sft_take_again(take, f.document, NULL, &again), SFT_OK);
    const sft_quatd read = again->rotations[(size_t)frame * WALKER_JOINTS + (size_t)joint];
    assert_true(fabs(sft_quatd_dot(read, *r)) > 1.0 - 1e-14);
    sft_clip_destroy(again, NULL);
    free(before);
    sft_take_destroy(take, NULL);
    teardown(&f);
}

static void test_take__refuses_what_does_not_fit(void** state)
{
    (void)state;
    fixture f = {0};
    setup(&f);
    sft_take* take = NULL;
    sft_error error = {0};
    assert_int_equal(sft_take_create(NULL, f.document, 1, NULL, &take, &error), SFT_ERR_ARG);
    assert_non_null(strstr(error.message, "no clip 1"));
    sft_take_def def = sft_default_take_def();
    def.unit_metres = -1.0;
    assert_int_equal(sft_take_create(&def, f.document, 0, NULL, &take, &error), SFT_ERR_DEF);
    def = (sft_take_def){.up = -1};
    assert_int_equal(sft_take_create(&def, f.document, 0, NULL, &take, &error), SFT_ERR_DEF);
    def = sft_default_take_def();
    def.space = &inches;
    def.up = 1;
    assert_int_equal(sft_take_create(&def, f.document, 0, NULL, &take, &error), SFT_ERR_DEF);
    assert_null(take);
    take = take_of(&f);
    sft_leg leg = take->legs[0];
    leg.toe = take->joint_count;
    assert_int_equal(sft_take_set_legs(take, f.document, &leg, 1, NULL, &error), SFT_ERR_ARG);
    sft_tracks* tracks = NULL;
    const sft_tracks_body body = {take->skeleton, &leg, 1, 0};
    assert_int_equal(sft_tracks_create(&body, take->clip, NULL, &tracks), SFT_ERR_ARG);
    assert_null(tracks);
    sft_take_destroy(take, NULL);
    teardown(&f);
}

static void test_take__memory_that_runs_out_leaves_nothing(void** state)
{
    (void)state;
    fixture f = {0};
    setup(&f);
    bool done = false;
    long k = 0;
    for (; !done && k < 400; ++k)
    {
        support_heap heap = {.fail_at = k};
        const sft_allocator allocator = support_allocator(&heap);
        sft_take* take = NULL;
        sft_tracks* tracks = NULL;
        sft_clip* again = NULL;
        sft_result result = sft_take_create(NULL, f.document, 0, &allocator, &take, NULL);
        if (result == SFT_OK) result = sft_take_find_legs(take, f.document, &allocator, NULL);
        if (result == SFT_OK) result = sft_take_tracks(take, take->clip, &allocator, &tracks);
        if (result == SFT_OK) result = sft_take_again(take, f.document, &allocator, &again);
        assert_true(result == SFT_OK || result == SFT_ERR_MEMORY);
        done = result == SFT_OK;
        sft_clip_destroy(again, &allocator);
        sft_tracks_destroy(tracks, &allocator);
        sft_take_destroy(take, &allocator);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_true(done && k > 10);
    teardown(&f);
}

// ---- how high planted feet stand, worked out by hand ----

static void test_tracks__plant_level_is_the_median_of_plants(void** state)
{
    (void)state;
    enum
    {
        FRAMES = 8
    };
    // Lowest of heel and toe a frame: foot 0 has plants of levels 0.02 (0.01, 0.02, 0.03) and 0.06; foot 1 one of 0.05,
    // and one at 1.2 m that is over its hip at 1 m. Median of 0.02, 0.06, 0.05: 0.05.
    sft_v3d heel[2][FRAMES] = {{{0}}}, toe[2][FRAMES] = {{{0}}}, hip[FRAMES];
    const double low[2][FRAMES] = {{0.01, 0.03, 0.02, 9, 0.06, 0.06, 9, 9}, {1.2, 1.2, 9, 9, 9, 0.05, 0.05, 0.05}};
    const float plant[2 * FRAMES] = {1, 1, 1, 0, 1, 0.8f, 0.75f, 0, 1, 1, 0, 0, 0, 1, 1, 1};
    for (int i = 0; i < FRAMES; ++i)
    {
        hip[i] = sft_v3d_make(0, 1, 0);
        for (int k = 0; k < 2; ++k)
        {
            heel[k][i].y = low[k][i] + (i % 2 == 0 ? 0.1 : 0.0);
            toe[k][i].y = low[k][i] + (i % 2 == 0 ? 0.0 : 0.1);
        }
    }
    sft_tracks tracks = {.input = {.frame_count = FRAMES, .frame_time = 0.1, .foot_count = 2},
                         .feet = {{heel[0], toe[0], NULL}, {heel[1], toe[1], NULL}},
                         .hips = {hip, hip}};
    float copy[2 * FRAMES];
    memcpy(copy, plant, sizeof copy);
    const sft_contact_labels labels = {FRAMES, 2, copy, copy};
    double level = 7.0;
    bool found = false;
    assert_int_equal(sft_tracks_plant_level(&tracks, &labels, 0.75, NULL, &level, &found), SFT_OK);
    assert_true(found);
    assert_true(level == 0.05);
    // Nothing above the threshold: no level.
    assert_int_equal(sft_tracks_plant_level(&tracks, &labels, 1.0, NULL, &level, &found), SFT_OK);
    assert_true(!found && level == 0.0);
}

static void test_tracks__the_way_is_to_the_furthest_place(void** state)
{
    (void)state;
    enum
    {
        FRAMES = 5
    };
    // A reference pose far off, then out by (3, 4) and back: 5 m by atan2(3, 4), 36.87 degrees from +Z.
    sft_v3d pelvis[FRAMES] = {{90, 1, 90}, {0.1234567, 1, -0.8219}, {1.5, 1, 2}, {3.1234567, 1.2, 3.1781}, {1, 1, 1}};
    sft_v3d heel[FRAMES] = {{0}}, toe[FRAMES];
    for (int i = 0; i < FRAMES; ++i)
        toe[i] = sft_v3d_make(i == 0 ? 50 : -0.1, 0, 0);
    sft_tracks tracks = {
        .input = {.frame_count = FRAMES, .frame_time = 0.1, .first_frame = 1, .pelvis = pelvis, .foot_count = 1},
        .feet = {{heel, toe, NULL}}};
    tracks.input.feet = tracks.feet;
    sft_tracks_way way;
    assert_int_equal(sft_tracks_find_way(&tracks, &way), SFT_OK);
    assert_true(fabs(way.travel - 5.0) < 1e-12 && !way.in_place);
    assert_true(fabs(way.heading - 0.6435011087932844) < 1e-12);
    assert_true(way.heading_degrees == 37.0);
    // The numbers that text says, not a thousandth 822 times over.
    assert_true(way.origin.x == 0.123 && way.origin.y == 1.0 && way.origin.z == -0.822);
    // In place it heads where the feet point, by the frames that count.
    for (int i = 1; i < FRAMES; ++i)
        pelvis[i] = sft_v3d_make(0.01 * i, 1, 0);
    assert_int_equal(sft_tracks_find_way(&tracks, &way), SFT_OK);
    assert_true(way.in_place && way.heading_degrees == -90.0);
    assert_true(sft_tracks_approach(0.0) == 0.4 && sft_tracks_approach(2.13) == 0.53 &&
                sft_tracks_approach(9.0) == 1.5);
    tracks.input.first_frame = FRAMES;
    assert_int_equal(sft_tracks_find_way(&tracks, &way), SFT_ERR_ARG);
    assert_int_equal(sft_tracks_find_way(NULL, &way), SFT_ERR_ARG);
    assert_int_equal(sft_tracks_find_way(&tracks, NULL), SFT_ERR_ARG);
}

static void test_contact__ground_velocity_is_the_given_one_first(void** state)
{
    (void)state;
    sft_contact_def def = sft_default_contact_def();
    sft_contact_mismatch belt = {.known = true, .moving_ground = true, .ground_velocity = {0, 0, -1.5}};
    assert_true(sft_contact_ground_velocity(&def, &belt).z == -1.5);
    belt.known = false;
    assert_true(sft_contact_ground_velocity(&def, &belt).z == 0.0);
    assert_true(sft_contact_ground_velocity(&def, NULL).z == 0.0);
    belt.known = true;
    def.given_ground = true;
    def.ground_velocity.x = 0.5;
    assert_true(sft_contact_ground_velocity(&def, &belt).x == 0.5 && sft_contact_ground_velocity(&def, &belt).z == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_take__is_in_metres_with_its_legs),
        cmocka_unit_test(test_tracks__feet_are_where_the_formulas_put_them),
        cmocka_unit_test(test_take__what_no_solver_changed_goes_out_as_it_came),
        cmocka_unit_test(test_take__a_solved_joint_alone_is_written),
        cmocka_unit_test(test_take__refuses_what_does_not_fit),
        cmocka_unit_test(test_take__memory_that_runs_out_leaves_nothing),
        cmocka_unit_test(test_tracks__plant_level_is_the_median_of_plants),
        cmocka_unit_test(test_tracks__the_way_is_to_the_furthest_place),
        cmocka_unit_test(test_contact__ground_velocity_is_the_given_one_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
