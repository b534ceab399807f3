// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Keys that are kept with their own interpolation: what STEP and CUBICSPLINE can say is found again, in memory and in
// the file that is written.

#include "support/support.h"

#include "gltf/gltf.h"
#include "support/gltf_taken.h"

#define KEYS 6

/// A leg that turns and moves by sparse, uneven keys; a second joint is keyed at 60 frames a second, which makes the
/// frames.
typedef struct keyed
{
    scene* s;
    float *times, *turns, *moves;
    int parts;
} keyed;

static const float key_times[KEYS] = {0.0f, 0.3f, 0.45f, 0.9f, 1.2f, 1.5f};

static keyed keyed_leg(int interpolation)
{
    keyed k = {.s = scene_new(), .parts = interpolation == SCENE_CUBICSPLINE ? 3 : 1};
    const int root = scene_add(k.s, "Root", -1), leg = scene_add(k.s, "Leg", root),
              dense = scene_add(k.s, "Dense", root);
    scene_skin_over(k.s, (int[]){root, leg, dense}, 3);
    k.times = scene_floats(k.s, KEYS);
    k.turns = scene_floats(k.s, (size_t)(KEYS * 4 * k.parts));
    k.moves = scene_floats(k.s, (size_t)(KEYS * 3 * k.parts));
    memcpy(k.times, key_times, sizeof key_times);
    float *frames = scene_floats(k.s, 91), *still = scene_floats(k.s, 91 * 4);
    for (int f = 0; f < 91; ++f)
    {
        frames[f] = (float)(f / 60.0);
        still[4 * f + 3] = 1.0f;
    }
    scene_channel_add(k.s, 0, (scene_channel){leg, SCENE_ROTATION, interpolation, KEYS, k.times, k.turns});
    scene_channel_add(k.s, 0, (scene_channel){leg, SCENE_TRANSLATION, interpolation, KEYS, k.times, k.moves});
    scene_channel_add(k.s, 0, (scene_channel){dense, SCENE_ROTATION, SCENE_LINEAR, 91, frames, still});
    return k;
}

// Values near a straight leg, and tangents; `smooth`: in and out are one.
static void draw(support_rng* rng, double spread, bool smooth, keyed* k)
{
    for (int i = 0; i < KEYS; ++i)
    {
        float* turn = k->turns + (ptrdiff_t)4 * i * k->parts;
        float* move = k->moves + (ptrdiff_t)3 * i * k->parts;
        for (int p = 0; p < k->parts; ++p)
        {
            const bool value = k->parts == 1 || p == 1;
            for (int c = 0; c < 4; ++c)
                turn[4 * p + c] = (float)support_uniform(rng, -spread, spread) + (value && c == 3 ? 1.0f : 0.0f);
            for (int c = 0; c < 3; ++c)
                move[3 * p + c] = (float)support_uniform(rng, -spread, spread) + (value && c == 1 ? 1.0f : 0.0f);
            if (!value) continue;
            const float* q = turn + (ptrdiff_t)4 * p;
            const double length = sqrt((double)q[0] * (double)q[0] + (double)q[1] * (double)q[1] +
                                       (double)q[2] * (double)q[2] + (double)q[3] * (double)q[3]);
            for (int c = 0; c < 4; ++c)
                turn[4 * p + c] = (float)((double)turn[4 * p + c] / length);
        }
        if (!smooth || k->parts == 1) continue;
        memcpy(turn, turn + 8, 4 * sizeof *turn);
        memcpy(move, move + 6, 3 * sizeof *move);
    }
}

static sft_gltf_applied keep(taken* t, const sft_clip* wanted)
{
    static const uint8_t leg[3] = {0, 1, 0};
    sft_gltf_apply_def def = sft_default_gltf_apply_def();
    def.keep_keys = true;
    sft_gltf_applied applied;
    sft_error error = {0};
    if (sft_gltf_apply(t->gltf, 0, &t->frames, wanted, NULL, leg, leg, &def, &applied, &error) != SFT_OK)
        fail_msg("%s", error.message);
    return applied;
}

// The document as a GLB, read again.
static sft_gltf* again(const sft_gltf* gltf, void** bytes)
{
    sft_gltf_write_def def = sft_default_gltf_write_def();
    def.glb = true;
    sft_gltf_output* output = NULL;
    sft_gltf* read = NULL;
    sft_error error = {0};
    assert_int_equal(sft_gltf_write(gltf, &def, NULL, &output), SFT_OK);
    const sft_gltf_file* file = &output->files[output->file_count - 1];
    char* to = *bytes = malloc((size_t)file->size);
    for (int32_t i = 0; i < file->part_count; ++i)
    {
        memcpy(to, file->parts[i].data, file->parts[i].size);
        to += file->parts[i].size;
    }
    if (sft_gltf_read(NULL, *bytes, (size_t)file->size, NULL, &read, &error) != SFT_OK) fail_msg("%s", error.message);
    sft_gltf_output_destroy(output, NULL);
    return read;
}

// Largest turn [rad] and distance [m] between the wanted motion of the leg and what the written file says, which also
// must have kept times, number of keys and interpolation.
static void compare_file(const taken* t, const sft_clip* wanted, gltf_interpolation interpolation, double* turn,
                         double* distance)
{
    void* bytes;
    sft_gltf* file = again(t->gltf, &bytes);
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_gltf_frames frames;
    assert_int_equal(sft_gltf_to_clip(file, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
    assert_int_equal(clip->frame_count, wanted->frame_count);
    *turn = *distance = 0.0;
    for (int32_t f = 0; f < clip->frame_count; ++f)
    {
        const size_t at = 3 * (size_t)f + 1;
        const double cosine = fabs(sft_quatd_dot(clip->rotations[at], wanted->rotations[at]));
        *turn = sft_maxd(*turn, 2.0 * acos(sft_mind(cosine, 1.0)));
        *distance = sft_maxd(*distance, sft_v3d_distance(clip->translations[at], wanted->translations[at]));
    }
    const gltf_animation* a = &file->animations[0];
    for (int c = 0; c < 2; ++c)
    {
        const gltf_sampler* sampler = &a->samplers[a->channels[c].sampler];
        double times[KEYS];
        assert_int_equal(sampler->interpolation, interpolation);
        assert_int_equal(file->accessors[sampler->input].count, KEYS);
        sft_gltf_read_values(file, sampler->input, 0, KEYS, times);
        for (int k = 0; k < KEYS; ++k)
            assert_true(times[k] == (double)key_times[k]);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_gltf_destroy(file);
    free(bytes);
}

// A motion that is a spline by the source's own keys: its numbers come back, tangents and all.
static void test_gltf_kept__splines_find_what_splines_can_say(void** state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; ++seed)
    {
        support_rng rng = {seed};
        const bool smooth = seed % 2 == 0;
        keyed k = keyed_leg(SCENE_CUBICSPLINE);
        draw(&rng, 0.3, smooth, &k);
        taken wanted = take(k.s, 0, NULL);
        float moves[KEYS * 9];
        memcpy(moves, k.moves, sizeof moves);
        // Before, the same keys said something else.
        draw(&rng, 0.3, smooth, &k);
        taken t = take(k.s, 0, NULL);
        const sft_gltf_applied applied = keep(&t, wanted.clip);
        const gltf_keys* keys = t.gltf->animations[0].channels[1].keys;
        assert_int_equal(keys->count, KEYS);
        // The first key's in-tangent and the last one's out-tangent say nothing.
        for (int i = 3; i < KEYS * 9 - 3; ++i)
            if (fabsf(keys->values[i] - moves[i]) > 2e-4f) fail_msg("seed %d, number %d", (int)seed, i);
        if (smooth)
            for (int key = 1; key + 1 < KEYS; ++key)
                for (int c = 0; c < 2; ++c)
                {
                    const gltf_keys* own = t.gltf->animations[0].channels[c].keys;
                    const size_t width = c == 0 ? 4 : 3;
                    const float* in = own->values + 3 * width * (size_t)key;
                    assert_memory_equal(in, in + 2 * width, width * sizeof *in);
                }
        double turn, distance;
        compare_file(&t, wanted.clip, GLTF_CUBICSPLINE, &turn, &distance);
        assert_true(distance < 1e-5);
        // Of turns the length is taken out as it was before, which is not quite as it is after.
        if (turn > 0.02) fail_msg("seed %d: %g rad", (int)seed, turn);
        assert_true(fabs(turn - applied.rotation_error) < 1e-4);
        drop(&wanted);
        drop(&t);
        scene_free(k.s);
    }
}

// A small change, as clean-up makes it: splines follow it better than lines between the same keys do.
static void test_gltf_kept__splines_follow_a_smooth_change(void** state)
{
    (void)state;
    double error[2];
    for (int linear = 0; linear < 2; ++linear)
    {
        support_rng rng = {77};
        keyed k = keyed_leg(linear ? SCENE_LINEAR : SCENE_CUBICSPLINE);
        draw(&rng, 0.1, true, &k);
        taken t = take(k.s, 0, NULL);
        sft_clip* wanted = support_copy_clip(t.clip);
        for (int32_t f = 0; f < wanted->frame_count; ++f)
        {
            const double x = f / 60.0;
            wanted->translations[3 * f + 1].x += 0.05 * sin(4.0 * x);
            const sft_quatd by = sft_quatd_normalize((sft_quatd){0.05 * sin(4.0 * x), 0, 0.03 * cos(3.0 * x), 1});
            wanted->rotations[3 * f + 1] = sft_quatd_mul(by, wanted->rotations[3 * f + 1]);
        }
        (void)keep(&t, wanted);
        double turn, distance;
        compare_file(&t, wanted, linear ? GLTF_LINEAR : GLTF_CUBICSPLINE, &turn, &distance);
        error[linear] = turn;
        sft_clip_destroy(wanted, NULL);
        drop(&t);
        scene_free(k.s);
    }
    // A sine of 4 rad/s and 0.1 rad over 0.45 s: its sagitta is 0.1 * 16 * 0.45^2 / 8 = 0.04 rad, half of which a
    // fitted line leaves on either side; the cubic's own error is h^4/384 of the fourth derivative, 0.003.
    assert_true(error[1] > 0.01);
    assert_true(error[0] < 0.003);
}

// STEP holds: a motion that holds comes back; one that goes on within a hold is held at its mean.
static void test_gltf_kept__steps_stay_steps(void** state)
{
    (void)state;
    support_rng rng = {5};
    keyed k = keyed_leg(SCENE_STEP);
    draw(&rng, 0.3, false, &k);
    taken wanted = take(k.s, 0, NULL);
    float turns[KEYS * 4], moves[KEYS * 3];
    memcpy(turns, k.turns, sizeof turns);
    memcpy(moves, k.moves, sizeof moves);
    draw(&rng, 0.3, false, &k);
    taken t = take(k.s, 0, NULL);
    (void)keep(&t, wanted.clip);
    const gltf_keys* got[2] = {t.gltf->animations[0].channels[0].keys, t.gltf->animations[0].channels[1].keys};
    for (int i = 0; i < KEYS * 4; ++i)
        assert_true(fabsf(got[0]->values[i] - turns[i]) < 1e-6f);
    for (int i = 0; i < KEYS * 3; ++i)
        assert_true(fabsf(got[1]->values[i] - moves[i]) < 1e-6f);
    double turn, distance;
    compare_file(&t, wanted.clip, GLTF_STEP, &turn, &distance);
    assert_true(turn < 1e-6 && distance < 1e-6);
    drop(&t);
    // Upwards by a centimetre a frame: 18 frames are held from 0 s to 0.3 s, whose mean is 8.5 cm.
    t = take(k.s, 0, NULL);
    for (int32_t f = 0; f < wanted.clip->frame_count; ++f)
        wanted.clip->translations[3 * f + 1] = (sft_v3d){0, 0.01 * f, 0};
    (void)keep(&t, wanted.clip);
    const float* first = t.gltf->animations[0].channels[1].keys->values;
    assert_true(fabsf(first[1] - 0.085f) < 1e-6f && fabsf(first[4] - 0.22f) < 1e-6f);
    drop(&t);
    drop(&wanted);
    scene_free(k.s);
}

// Keys at every frame have nothing to fit, but hold as before.
static void test_gltf_kept__steps_at_the_frames_stay_steps(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int root = scene_add(s, "Root", -1), leg = scene_add(s, "Leg", root);
    scene_skin_over(s, (int[]){root, leg}, 2);
    float *times = scene_floats(s, 12), *turns = scene_floats(s, 48);
    for (int i = 0; i < 12; ++i)
    {
        times[i] = (float)(i / 12.0);
        turns[4 * i + 3] = 1.0f;
    }
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_ROTATION, SCENE_STEP, 12, times, turns});
    taken t = take(s, 0, NULL);
    assert_int_equal(t.clip->frame_count, 12);
    t.clip->rotations[2 * 7 + 1] = sft_quatd_normalize((sft_quatd){0.1, 0, 0, 1});
    static const uint8_t both[2] = {1, 1};
    for (int kept = 0; kept < 2; ++kept)
    {
        taken own = take(s, 0, NULL);
        sft_gltf_apply_def def = sft_default_gltf_apply_def();
        def.keep_keys = kept == 1;
        assert_int_equal(sft_gltf_apply(own.gltf, 0, &own.frames, t.clip, NULL, both, NULL, &def, NULL, NULL), SFT_OK);
        const gltf_keys* keys = own.gltf->animations[0].channels[0].keys;
        assert_int_equal(keys->count, 12);
        assert_int_equal(keys->interpolation, kept == 1 ? GLTF_STEP : GLTF_LINEAR);
        drop(&own);
    }
    drop(&t);
    scene_free(s);
}

// Keys at the frames: nothing tells tangents, but what the values' change asks for. Between the keys the curve must be
// the old one with the change added, which is 0.05 m times a sine.
static void test_gltf_kept__splines_at_the_frames_do_not_ripple(void** state)
{
    (void)state;
    enum
    {
        count = 13
    };
    scene* s = scene_new();
    const int root = scene_add(s, "Root", -1), leg = scene_add(s, "Leg", root);
    scene_skin_over(s, (int[]){root, leg}, 2);
    float *times = scene_floats(s, count), *turns = scene_floats(s, 3 * 4 * count), *moves = scene_floats(s, 9 * count);
    for (int k = 0; k < count; ++k)
    {
        times[k] = (float)(k / 12.0);
        turns[12 * k + 7] = 1.0f;
        // Up at a metre a second.
        moves[9 * k + 1] = moves[9 * k + 7] = 1.0f;
        moves[9 * k + 4] = times[k];
    }
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_ROTATION, SCENE_CUBICSPLINE, count, times, turns});
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_TRANSLATION, SCENE_CUBICSPLINE, count, times, moves});
    taken t = take(s, 0, NULL);
    assert_int_equal(t.clip->frame_count, count);
    for (int f = 0; f < count; ++f)
        t.clip->translations[2 * f + 1].y += 0.05 * sin(4.0 * f / 12.0);
    sft_gltf_apply_def def = sft_default_gltf_apply_def();
    def.keep_keys = true;
    static const uint8_t both[2] = {1, 1};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, both, both, &def, NULL, NULL), SFT_OK);
    const gltf_keys* keys = t.gltf->animations[0].channels[1].keys;
    for (int k = 0; k + 1 < count; ++k)
        for (int q = 1; q < 4; ++q)
        {
            const double u = 0.25 * q, h = 1.0 / 12.0;
            const float *a = keys->values + (ptrdiff_t)9 * k, *b = a + 9;
            const double y = (1.0 + 2.0 * u) * (1.0 - u) * (1.0 - u) * (double)a[4] +
                             h * u * (1.0 - u) * (1.0 - u) * (double)a[7] + u * u * (3.0 - 2.0 * u) * (double)b[4] +
                             h * u * u * (u - 1.0) * (double)b[1];
            const double at = (k + u) * h;
            // Slopes by differences are off by h^2/6 of the sine's third derivative, 3.2 m/s^3, that is 0.0037 m/s, and
            // a tangent counts 0.15 h; at the ends one side alone is known: by h/2 of the second, 0.8 m/s^2.
            const double limit = k == 0 || k + 2 == count ? 6e-4 : 1e-4;
            if (fabs(y - at - 0.05 * sin(4.0 * at)) > limit) fail_msg("at %g s: %g", at, y - at - 0.05 * sin(4.0 * at));
        }
    drop(&t);
    scene_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_kept__splines_find_what_splines_can_say),
        cmocka_unit_test(test_gltf_kept__splines_follow_a_smooth_change),
        cmocka_unit_test(test_gltf_kept__splines_at_the_frames_do_not_ripple),
        cmocka_unit_test(test_gltf_kept__steps_stay_steps),
        cmocka_unit_test(test_gltf_kept__steps_at_the_frames_stay_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
