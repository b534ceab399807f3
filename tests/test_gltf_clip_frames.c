// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Frames of glTF animations, and values at and between keys.

#include "support/support.h"

#include "support/gltf_random.h"
#include "support/gltf_taken.h"

static scene* bones(int count)
{
    scene* s = scene_new();
    int joints[SCENE_NODES];
    for (int i = 0; i < count; ++i)
        joints[i] = scene_add(s, NULL, i - 1);
    scene_skin_over(s, joints, count);
    return s;
}

// A channel with keys at given times: translations (k, 0, 0), rotations about X that grow by 0.05 a key.
static void keys_at(scene* s, int node, int path, int interpolation, const float* times, int count)
{
    const int width = path == SCENE_ROTATION ? 4 : 3, parts = interpolation == SCENE_CUBICSPLINE ? 3 : 1;
    float* values = scene_floats(s, (size_t)(count * width * parts));
    float* copy = scene_floats(s, (size_t)count);
    memcpy(copy, times, (size_t)count * sizeof *times);
    for (int k = 0; k < count; ++k)
    {
        float* v = values + (k * parts + parts / 2) * width;
        v[0] = path == SCENE_ROTATION ? (float)sin(0.05 * k) : path == SCENE_SCALE ? 1.0f : (float)k;
        if (path == SCENE_SCALE) v[1] = v[2] = 1.0f;
        if (path == SCENE_ROTATION) v[3] = (float)cos(0.05 * k);
    }
    scene_channel_add(s, 0, (scene_channel){node, path, interpolation, count, copy, values});
}

static const float* grid(scene* s, double start, double step, int count)
{
    float* times = scene_floats(s, (size_t)count);
    for (int k = 0; k < count; ++k)
        times[k] = (float)(start + step * k);
    return times;
}

static void expect(const taken* t, bool stored, int32_t count, double start, double frame_time)
{
    if (t->frames.stored != stored || t->frames.frame_count != count || fabs(t->frames.start - start) > 1e-6 ||
        t->frames.frame_time != frame_time)
        fail_msg("stored %d, %d frames from %.9g, every %.17g; expected %d, %d, %.9g, %.17g", t->frames.stored,
                 t->frames.frame_count, t->frames.start, t->frames.frame_time, stored, count, start, frame_time);
}

static void test_gltf_clip_frames__rates_that_floats_cannot_tell_apart(void** state)
{
    (void)state;
    const double rates[] = {1.0,  6.0,  12.0,  24.0,  25.0,  30.0,   48.0,         50.0,         60.0,
                            90.0, 99.0, 100.0, 120.0, 240.0, 1000.0, 24.0 / 1.001, 30.0 / 1.001, 60.0 / 1.001};
    const double starts[] = {0.0, 1.0 / 24.0, 0.5, 61.7};
    for (size_t r = 0; r < sizeof rates / sizeof rates[0]; ++r)
        for (size_t b = 0; b < sizeof starts / sizeof starts[0]; ++b)
        {
            scene* s = bones(2);
            keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, starts[b], 1.0 / rates[r], 37), 37);
            taken t = take(s, 0, NULL);
            const double whole = floor(rates[r] + 0.5);
            const double want = fabs(whole - rates[r]) < 1e-9 ? 1.0 / whole : 1001.0 / (1000.0 * floor(rates[r] + 1));
            expect(&t, true, 37, starts[b], want);
            assert_true(t.info.even);
            assert_true(t.info.frame_time == want);
            assert_int_equal(t.info.key_count, 37);
            drop(&t);
            scene_free(s);
        }
}

// A rate that is no whole number stays what the keys say.
static void test_gltf_clip_frames__other_rates_stay(void** state)
{
    (void)state;
    scene* s = bones(2);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, 0.0371, 101), 101);
    taken t = take(s, 0, NULL);
    assert_true(fabs(t.frames.frame_time - 0.0371) < 1e-8);
    assert_int_equal(t.frames.frame_count, 101);
    drop(&t);
    scene_free(s);
}

// At minute 50 floats are 0.24 ms apart.
static void test_gltf_clip_frames__late_keys_are_even_within_their_floats(void** state)
{
    (void)state;
    scene* s = bones(2);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 3000.0, 1.0 / 60.0, 600), 600);
    taken t = take(s, 0, NULL);
    expect(&t, true, 600, 3000.0, 1.0 / 60.0);
    drop(&t);
    scene_free(s);
}

static void test_gltf_clip_frames__a_tenth_of_a_millisecond_is_even(void** state)
{
    (void)state;
    for (int far = 0; far < 2; ++far)
    {
        scene* s = bones(2);
        float* times = (float*)(uintptr_t)grid(s, 0.0, 1.0 / 30.0, 31);
        times[7] += far != 0 ? 1.2e-4f : 0.8e-4f;
        keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, times, 31);
        taken t = take(s, 0, NULL);
        if (far == 0)
            expect(&t, true, 31, 0.0, 1.0 / 30.0);
        else
            expect(&t, false, 61, 0.0, 1.0 / 60.0);
        assert_int_equal(t.info.even, far == 0);
        drop(&t);
        sft_gltf_clip_def def = sft_default_gltf_clip_def();
        def.fps = 25.0;
        t = take(s, 0, &def);
        expect(&t, far == 0, far == 0 ? 31 : 26, 0.0, far == 0 ? 1.0 / 30.0 : 1.0 / 25.0);
        drop(&t);
        scene_free(s);
    }
}

// The grid goes on until it covers every channel, but not before time 0.
static void test_gltf_clip_frames__the_grid_covers_all_channels(void** state)
{
    (void)state;
    scene* s = bones(3);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.5, 1.0 / 30.0, 31), 31);
    const float early[2] = {0.4f, 0.9f}, late[2] = {1.0f, 1.99f};
    keys_at(s, 0, SCENE_TRANSLATION, SCENE_LINEAR, early, 2);
    keys_at(s, 2, SCENE_SCALE, SCENE_STEP, late, 2);
    taken t = take(s, 0, NULL);
    // 0.4 is three frames before 0.5; 1.99 lies between frames 44 (1.9667) and 45 (2.0) of the keys' own grid.
    expect(&t, true, 3 + 46, 0.4, 1.0 / 30.0);
    assert_int_equal(t.frames.first, 3);
    assert_int_equal(t.frames.channel, 0);
    assert_true(t.info.start == (double)0.4f && t.info.end == (double)1.99f);
    // Held before its first key and behind its last.
    assert_memory_equal(&t.clip->rotations[1], &t.clip->rotations[3 * 3 + 1], sizeof(sft_quatd));
    assert_memory_equal(&t.clip->rotations[3 * 48 + 1], &t.clip->rotations[3 * 33 + 1], sizeof(sft_quatd));
    drop(&t);
    scene_free(s);
    // 0.04 less two frames would be below 0.
    s = bones(2);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.04, 1.0 / 30.0, 31), 31);
    const float zero[2] = {0.0f, 1.0f};
    keys_at(s, 0, SCENE_TRANSLATION, SCENE_LINEAR, zero, 2);
    t = take(s, 0, NULL);
    expect(&t, true, 32, (double)0.04f - 1.0 / 30.0, 1.0 / 30.0);
    drop(&t);
    scene_free(s);
}

// Start times that are the same but for a float: no frame more, and no key missed.
static void test_gltf_clip_frames__float_rounding_adds_no_frame(void** state)
{
    (void)state;
    scene* s = bones(3);
    const float* times = grid(s, 10.0, 1.0 / 24.0, 49);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, times, 49);
    float* other = scene_floats(s, 49);
    for (int k = 0; k < 49; ++k)
        other[k] = nextafterf(times[k], k % 2 == 0 ? 0.0f : 100.0f);
    keys_at(s, 2, SCENE_ROTATION, SCENE_STEP, other, 49);
    keys_at(s, 2, SCENE_TRANSLATION, SCENE_STEP, other, 49);
    taken t = take(s, 0, NULL);
    expect(&t, true, 49, 10.0, 1.0 / 24.0);
    // A STEP key that comes a float later than its frame is that frame's all the same.
    for (int k = 0; k < 49; ++k)
        assert_true(t.clip->translations[3 * k + 2].x == (double)k);
    drop(&t);
    scene_free(s);
}

static void test_gltf_clip_frames__one_key_or_none(void** state)
{
    (void)state;
    scene* s = bones(2);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.25, 1.0, 1), 1);
    taken t = take(s, 0, NULL);
    expect(&t, false, 1, 0.25, 1.0 / 60.0);
    assert_int_equal(t.info.key_count, 1);
    assert_false(t.info.even);
    drop(&t);
    scene_free(s);
    // Only a node that is no joint moves.
    s = bones(2);
    const int prop = scene_add(s, "prop", -1);
    s->nodes[prop].mesh = true;
    s->nodes[1].t[1] = 7.0;
    keys_at(s, prop, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.25, 1.0, 5), 5);
    t = take(s, 0, NULL);
    expect(&t, false, 1, 0.0, 1.0 / 60.0);
    assert_int_equal(t.info.channel_count, 0);
    assert_int_equal(t.info.other_count, 1);
    assert_true(t.clip->translations[1].y == 7.0);
    drop(&t);
    scene_free(s);
}

// Pairs of keys hold constants; they are even whatever they are.
static void test_gltf_clip_frames__pairs_of_keys(void** state)
{
    (void)state;
    scene* s = bones(3);
    keys_at(s, 0, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, 2.0, 2), 2);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, 0.02, 101), 101);
    keys_at(s, 2, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, 2.0, 2), 2);
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    const uint8_t solved[3] = {0, 0, 1};
    def.solved = solved;
    taken t = take(s, 0, &def);
    expect(&t, true, 101, 0.0, 1.0 / 50.0);
    assert_int_equal(t.frames.channel, 1);
    drop(&t);
    scene_free(s);
    for (int close = 0; close < 2; ++close)
    {
        s = bones(2);
        keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, close != 0 ? 1.0 / 30.0 : 2.0, 2), 2);
        t = take(s, 0, NULL);
        if (close != 0)
            expect(&t, true, 2, 0.0, 1.0 / 30.0);
        else
            expect(&t, false, 121, 0.0, 1.0 / 60.0);
        drop(&t);
        scene_free(s);
    }
}

// Face joints at 30 keys a second, legs at 60: the legs decide where they are what is solved.
static void test_gltf_clip_frames__solved_joints_decide(void** state)
{
    (void)state;
    scene* s = bones(3);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, 1.0 / 60.0, 61), 61);
    keys_at(s, 2, SCENE_ROTATION, SCENE_LINEAR, grid(s, 0.0, 1.0 / 30.0, 31), 31);
    taken t = take(s, 0, NULL);
    expect(&t, true, 61, 0.0, 1.0 / 60.0);
    drop(&t);
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    const uint8_t solved[3] = {1, 0, 1};
    def.solved = solved;
    t = take(s, 0, &def);
    expect(&t, true, 31, 0.0, 1.0 / 30.0);
    drop(&t);
    scene_free(s);
}

// Even keys far apart are frames too, unless asked otherwise.
static void test_gltf_clip_frames__sparse_even_keys(void** state)
{
    (void)state;
    scene* s = bones(2);
    keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, grid(s, 1.0, 0.25, 5), 5);
    taken t = take(s, 0, NULL);
    expect(&t, true, 5, 1.0, 0.25);
    drop(&t);
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.resample = true;
    def.fps = 30.0;
    t = take(s, 0, &def);
    expect(&t, false, 31, 1.0, 1.0 / 30.0);
    drop(&t);
    scene_free(s);
}

// Without rotations, translations decide.
static void test_gltf_clip_frames__translations_alone(void** state)
{
    (void)state;
    scene* s = bones(2);
    keys_at(s, 1, SCENE_TRANSLATION, SCENE_LINEAR, grid(s, 0.0, 0.04, 26), 26);
    taken t = take(s, 0, NULL);
    expect(&t, true, 26, 0.0, 1.0 / 25.0);
    drop(&t);
    scene_free(s);
}

// ---- limits ----

static void test_gltf_clip_frames__hostile_spans_are_refused_before_memory_is_asked_for(void** state)
{
    (void)state;
    const float wide[4] = {0.0f, 0.001f, 0.5f, 1e9f};
    const float tight[3] = {0.0f, 1e-30f, 2e-30f};
    const float* lists[2] = {wide, tight};
    for (int i = 0; i < 2; ++i)
    {
        scene* s = bones(5);
        keys_at(s, 1, SCENE_ROTATION, SCENE_LINEAR, lists[i], i == 0 ? 4 : 3);
        if (i == 1) keys_at(s, 2, SCENE_TRANSLATION, SCENE_LINEAR, wide, 4);
        void* bytes;
        size_t size;
        scene_glb(s, &bytes, &size);
        sft_gltf* gltf;
        assert_int_equal(sft_gltf_read(NULL, bytes, size, NULL, &gltf, NULL), SFT_OK);
        sft_skeleton* skeleton = NULL;
        sft_clip* clip = NULL;
        sft_error error = {0};
        support_heap heap = {.fail_at = -1};
        const sft_allocator allocator = support_allocator(&heap);
        assert_int_equal(sft_gltf_to_clip(gltf, 0, NULL, &allocator, &skeleton, &clip, NULL, &error), SFT_ERR_LIMIT);
        assert_true(heap.peak_bytes < 100000);
        assert_int_equal(heap.live_blocks, 0);
        assert_non_null(strstr(error.message, "frame rate"));
        sft_gltf_destroy(gltf);
        free(bytes);
        scene_free(s);
    }
}

// ---- between keys ----

static void test_gltf_clip_frames__values_between_keys_follow_the_standard(void** state)
{
    (void)state;
    scene* s = bones(4);
    // Uneven, so that frames fall between.
    const float times[4] = {0.0f, 0.5f, 0.8f, 2.0f};
    keys_at(s, 1, SCENE_TRANSLATION, SCENE_LINEAR, times, 4);
    keys_at(s, 2, SCENE_TRANSLATION, SCENE_STEP, times, 4);
    // One spline from 0 to 1 with a tangent of 2 a second going out and 0 coming in, over half a second.
    float* spline = scene_floats(s, 4 * 9);
    for (int k = 0; k < 4; ++k)
        spline[9 * k + 3] = k == 0 ? 0.0f : 1.0f;
    spline[6] = 2.0f;
    scene_channel_add(s, 0, (scene_channel){3, SCENE_TRANSLATION, SCENE_CUBICSPLINE, 4, times, spline});
    // From 0 to a turn of 90 degrees about X, given with the other sign: the short way is 45 degrees in the middle.
    float* turns = scene_floats(s, 16);
    turns[3] = 1.0f;
    for (int k = 1; k < 4; ++k)
        turns[4 * k] = turns[4 * k + 3] = -(float)sqrt(0.5);
    scene_channel_add(s, 0, (scene_channel){1, SCENE_ROTATION, SCENE_LINEAR, 4, times, turns});
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = 4.0;
    taken t = take(s, 0, &def);
    expect(&t, false, 9, 0.0, 0.25);
    const sft_v3d* p = t.clip->translations + 4;
    assert_true(fabs(p[1].x - 0.5) < 1e-12);
    assert_true(p[2].x == 0.0);
    // h00 0 + h10 0.5 * 2 + h01 1 at a half: 0.125 + 0.5.
    assert_true(fabs(p[3].x - 0.625) < 1e-12);
    const sft_quatd q = t.clip->rotations[4 + 1];
    assert_true(fabs(q.x - sin(SFT_PI / 8)) < 1e-7 && fabs(q.w - cos(SFT_PI / 8)) < 1e-7);
    // 1.0 lies a sixth of the way from 0.8 to 2.
    assert_true(fabs(t.clip->translations[4 * 4 + 1].x - (2.0 + 1.0 / 6.0)) < 1e-7);
    assert_true(t.clip->translations[4 * 4 + 2].x == 2.0);
    assert_true(t.clip->translations[4 * 8 + 2].x == 3.0);
    drop(&t);
    scene_free(s);
}

static void test_gltf_clip_frames__splines_of_rotations_are_made_unit(void** state)
{
    (void)state;
    scene* s = bones(2);
    const float times[3] = {0.0f, 1.0f, 1.7f};
    float* v = scene_floats(s, 36);
    // No sign is flipped: the standard mixes the numbers as they stand.
    const double a[4] = {0, 0, 0, 1}, b[4] = {0.6, 0, 0, -0.8};
    for (int i = 0; i < 4; ++i)
    {
        v[4 + i] = (float)a[i];
        v[12 + 4 + i] = (float)b[i];
        v[24 + 4 + i] = (float)b[i];
    }
    scene_channel_add(s, 0, (scene_channel){1, SCENE_ROTATION, SCENE_CUBICSPLINE, 3, times, v});
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    def.fps = 4.0;
    taken t = take(s, 0, &def);
    // A quarter of the way: 27/32 of a and 5/32 of b, then unit.
    double want[4], length = 0.0;
    for (int i = 0; i < 4; ++i)
    {
        want[i] = 27.0 / 32.0 * a[i] + 5.0 / 32.0 * b[i];
        length += want[i] * want[i];
    }
    const sft_quatd q = t.clip->rotations[2 + 1];
    assert_true(fabs(q.x - want[0] / sqrt(length)) < 1e-7 && fabs(q.w - want[3] / sqrt(length)) < 1e-7);
    drop(&t);
    scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_clip_frames__rates_that_floats_cannot_tell_apart),
        cmocka_unit_test(test_gltf_clip_frames__other_rates_stay),
        cmocka_unit_test(test_gltf_clip_frames__late_keys_are_even_within_their_floats),
        cmocka_unit_test(test_gltf_clip_frames__a_tenth_of_a_millisecond_is_even),
        cmocka_unit_test(test_gltf_clip_frames__the_grid_covers_all_channels),
        cmocka_unit_test(test_gltf_clip_frames__float_rounding_adds_no_frame),
        cmocka_unit_test(test_gltf_clip_frames__one_key_or_none),
        cmocka_unit_test(test_gltf_clip_frames__pairs_of_keys),
        cmocka_unit_test(test_gltf_clip_frames__solved_joints_decide),
        cmocka_unit_test(test_gltf_clip_frames__sparse_even_keys),
        cmocka_unit_test(test_gltf_clip_frames__translations_alone),
        cmocka_unit_test(test_gltf_clip_frames__hostile_spans_are_refused_before_memory_is_asked_for),
        cmocka_unit_test(test_gltf_clip_frames__values_between_keys_follow_the_standard),
        cmocka_unit_test(test_gltf_clip_frames__splines_of_rotations_are_made_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
