// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Solved joints back into glTF documents: what the document then says is evaluated with plain 4x4 matrices.

#include "support/support.h"

#include "gltf/gltf.h"
#include "support/gltf_random.h"
#include "support/gltf_taken.h"

// The new keys of the document as channels of the scene, so that the scene says what the document says.
static void adopt_keys(scene* s, const taken* t)
{
    const gltf_animation* a = &t->gltf->animations[0];
    for (int32_t i = 0; i < a->channel_count; ++i)
    {
        const gltf_channel* c = &a->channels[i];
        if (c->keys == NULL) continue;
        scene_channel channel = {.node = c->node, .path = (int)c->path, .count = (int)c->keys->count};
        channel.interpolation = (int)c->keys->interpolation;
        double* times = calloc(c->keys->count, sizeof *times);
        float* copy = scene_floats(s, c->keys->count);
        if (c->keys->input >= 0) sft_gltf_read_values(t->gltf, c->keys->input, 0, c->keys->count, times);
        for (uint32_t k = 0; k < c->keys->count; ++k)
            copy[k] = c->keys->input >= 0 ? (float)times[k] : c->keys->times[k];
        free(times);
        channel.times = copy;
        const size_t floats = (size_t)c->keys->count * (c->path == GLTF_ROTATION ? 4 : 3);
        float* values = scene_floats(s, floats);
        memcpy(values, c->keys->values, floats * sizeof *values);
        channel.values = values;
        if (c->sampler >= 0)
            s->animations[0].channels[i] = channel;
        else
            scene_channel_add(s, 0, channel);
    }
}

// Largest distance between the clip's joints and the scene's nodes, over the farthest joint's distance from the origin
// (at least 1).
static double position_error(const scene* s, const taken* t, const double* times)
{
    double(*world)[16] = calloc(SCENE_NODES, sizeof *world);
    double worst = 0.0, size = 1.0;
    for (int32_t f = 0; f < t->clip->frame_count; ++f)
    {
        scene_world(s, 0, times[f], world);
        for (int32_t j = 0; j < t->clip->joint_count; ++j)
        {
            const size_t row = (size_t)f * (size_t)t->clip->joint_count;
            const sft_xformd x =
                sft_skeleton_joint_model(t->skeleton, t->clip->translations + row, t->clip->rotations + row, j);
            const double* m = world[t->gltf->joint_nodes[j]];
            const sft_v3d p = {m[12], m[13], m[14]};
            size = sft_maxd(size, sft_v3d_length(p));
            worst = sft_maxd(worst, sft_v3d_distance(p, x.t));
        }
    }
    free(world);
    return worst / size;
}

static double* times_of(const scene* s, const taken* t)
{
    double* times = calloc((size_t)t->clip->frame_count, sizeof *times);
    for (int32_t f = 0; f < t->clip->frame_count; ++f)
        times[f] = time_of_frame(s, t, f);
    return times;
}

// ---- nothing to do ----

static void test_gltf_apply__an_unchanged_clip_changes_nothing(void** state)
{
    (void)state;
    support_rng rng = {424242};
    for (int round = 0; round < 200; ++round)
    {
        scene* s = random_scene(&rng, (random_scales)(round % SCALES_KINDS));
        if (s->animation_count == 0)
        {
            scene_free(s);
            continue;
        }
        taken t = take(s, 0, NULL);
        sft_gltf_applied applied;
        sft_error error = {0};
        if (sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, t.all, NULL, &applied, &error) != SFT_OK)
            fail_msg("round %d: %s: %s", round, error.joint, error.message);
        assert_int_equal(applied.channels_replaced + applied.channels_added, 0);
        assert_true(applied.rotation_error < 1e-8 && applied.translation_error < 1e-8);
        assert_false(t.gltf->changed);
        drop(&t);
        scene_free(s);
    }
}

// The same through metres and another up axis.
static void test_gltf_apply__spaces_go_and_come_back(void** state)
{
    (void)state;
    support_rng rng = {77};
    for (int round = 0; round < 60; ++round)
    {
        scene* s = random_scene(&rng, SCALES_UNIFORM);
        if (s->animation_count == 0)
        {
            scene_free(s);
            continue;
        }
        taken t = take(s, 0, NULL);
        const sft_space space = {.unit_metres = 0.0254, .up = (sft_axis)(round % 6)};
        assert_int_equal(sft_clip_rescale(t.skeleton, t.clip, &space), SFT_OK);
        sft_gltf_applied applied;
        sft_error error = {0};
        if (sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, &space, t.all, t.all, NULL, &applied, &error) != SFT_OK)
            fail_msg("round %d: %s: %s", round, error.joint, error.message);
        assert_int_equal(applied.channels_replaced + applied.channels_added, 0);
        drop(&t);
        scene_free(s);
    }
}

// ---- new motion ----

static void disturb(support_rng* rng, const taken* t, const uint8_t* turns, const uint8_t* moves)
{
    for (int32_t f = 0; f < t->clip->frame_count; ++f)
        for (int32_t j = 0; j < t->clip->joint_count; ++j)
        {
            const size_t at = (size_t)f * (size_t)t->clip->joint_count + (size_t)j;
            double q[4];
            random_turn(rng, q);
            if (turns[j] != 0) t->clip->rotations[at] = (sft_quatd){q[0], q[1], q[2], q[3]};
            if (moves[j] != 0)
                t->clip->translations[at] =
                    (sft_v3d){support_uniform(rng, -1, 1), support_uniform(rng, -1, 1), support_uniform(rng, -1, 1)};
        }
}

static void test_gltf_apply__new_motion_is_what_the_document_says(void** state)
{
    (void)state;
    support_rng rng = {31337};
    for (int round = 0; round < 300; ++round)
    {
        const random_scales scales = (random_scales)(round % SCALES_ANY);
        scene* s = random_scene(&rng, scales);
        if (s->animation_count == 0)
        {
            scene_free(s);
            continue;
        }
        taken t = take(s, 0, NULL);
        uint8_t turns[SCENE_NODES], moves[SCENE_NODES];
        for (int j = 0; j < SCENE_NODES; ++j)
        {
            turns[j] = random_below(&rng, 2) == 0;
            moves[j] = random_below(&rng, 3) == 0;
        }
        disturb(&rng, &t, turns, moves);
        double* times = times_of(s, &t);
        sft_gltf_applied applied;
        sft_error error = {0};
        if (sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, turns, moves, NULL, &applied, &error) != SFT_OK)
            fail_msg("round %d: %s: %s", round, error.joint, error.message);
        adopt_keys(s, &t);
        // Float32 values: 6e-8 a joint, more below small scales. Float32 times: 3e-8 s, and joints here turn by up to
        // 200 rad/s.
        const double worst = position_error(s, &t, times);
        if (!(worst < 3e-5)) fail_msg("round %d: off by %g", round, worst);
        assert_true(applied.rotation_error < 5e-7 && applied.translation_error < 5e-6);
        // Taken out again it is the same clip.
        sft_skeleton* skeleton;
        sft_clip* clip;
        sft_gltf_frames frames;
        assert_int_equal(sft_gltf_to_clip(t.gltf, 0, NULL, NULL, &skeleton, &clip, &frames, &error), SFT_OK);
        // (Where the frames are the same: new keys may be the densest now. Times are floats, and joints here are fast.)
        if (clip->frame_count == t.clip->frame_count && fabs(frames.start - t.frames.start) < 1e-6)
            for (int32_t i = 0; i < clip->frame_count * clip->joint_count; ++i)
                assert_true(fabs(sft_quatd_dot(clip->rotations[i], t.clip->rotations[i])) > 1.0 - 1e-8);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        free(times);
        drop(&t);
        scene_free(s);
    }
}

// ---- shears ----

static scene* sheared(void)
{
    scene* s = scene_new();
    const int root = scene_add(s, "Root", -1);
    const int spine = scene_add(s, "Spine", root);
    const int arm = scene_add(s, "Arm", spine);
    const int hand = scene_add(s, "Hand", arm);
    s->nodes[spine].t[1] = s->nodes[arm].t[0] = s->nodes[hand].t[0] = 1.0;
    s->nodes[spine].s[1] = 1.5;
    scene_skin_over(s, (int[]){root, spine, arm, hand}, 4);
    float* times = scene_floats(s, 3);
    float* turns = scene_floats(s, 12);
    for (int k = 0; k < 3; ++k)
    {
        times[k] = (float)k / 30.0f;
        turns[4 * k + 3] = 1.0f;
    }
    scene_channel_add(s, 0, (scene_channel){arm, SCENE_ROTATION, SCENE_LINEAR, 3, times, turns});
    return s;
}

static void test_gltf_apply__a_shear_is_named(void** state)
{
    (void)state;
    scene* s = sheared();
    taken t = take(s, 0, NULL);
    t.clip->rotations[4 + 2] = (sft_quatd){0.6, 0.0, 0.0, 0.8};
    sft_gltf_applied applied = {.channels_added = 99};
    sft_error error = {0};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, &applied, &error),
                     SFT_ERR_UNSUPPORTED);
    assert_string_equal(error.joint, "Arm");
    assert_non_null(strstr(error.message, "frame 1"));
    assert_int_equal(applied.channels_added, 99);
    assert_false(t.gltf->changed);
    // The joint with the uneven scale may turn, and what hangs below may move.
    t.clip->rotations[4 + 2] = sft_quatd_identity();
    t.clip->rotations[4 + 1] = (sft_quatd){0.6, 0.0, 0.0, 0.8};
    t.clip->translations[4 + 2] = (sft_v3d){1.0, 3.0, 0.0};
    double times[3] = {0.0, (double)(1.0f / 30.0f), (double)(2.0f / 30.0f)};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, t.all, NULL, &applied, &error), SFT_OK);
    assert_int_equal(applied.channels_added, 2);
    adopt_keys(s, &t);
    assert_true(position_error(s, &t, times) < 1e-6);
    drop(&t);
    scene_free(s);
}

// ---- what is written ----

// A swing of one joint over dense keys.
static scene* swinging(int keys, double start, bool negative)
{
    scene* s = scene_new();
    const int root = scene_add(s, "Root", -1);
    const int leg = scene_add(s, "Leg", root);
    const int foot = scene_add(s, "Foot", leg);
    s->nodes[leg].t[1] = 1.0;
    s->nodes[foot].t[1] = -0.5;
    scene_skin_over(s, (int[]){root, leg, foot}, 3);
    float* times = scene_floats(s, (size_t)keys);
    float* turns = scene_floats(s, (size_t)keys * 4);
    for (int k = 0; k < keys; ++k)
    {
        const double angle = 0.5 * sin(0.3 * k), sign = negative ? -1.0 : 1.0;
        times[k] = (float)(start + k / 30.0);
        turns[4 * k] = (float)(sign * sin(angle));
        turns[4 * k + 3] = (float)(sign * cos(angle));
    }
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_ROTATION, SCENE_LINEAR, keys, times, turns});
    return s;
}

static void test_gltf_apply__keys_at_the_frames_share_the_times_of_the_file(void** state)
{
    (void)state;
    scene* s = swinging(20, 0.5, true);
    taken t = take(s, 0, NULL);
    assert_int_equal(t.clip->frame_count, 20);
    // Turns frame 7 only, and gives the foot, which has no channel, one.
    t.clip->rotations[3 * 7 + 1] = sft_quatd_normalize((sft_quatd){0.1, 0.2, 0.3, 0.9});
    t.clip->rotations[3 * 9 + 2] = sft_quatd_normalize((sft_quatd){0.0, 0.2, 0.0, 0.9});
    sft_gltf_applied applied;
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, t.all, NULL, &applied, NULL), SFT_OK);
    assert_int_equal(applied.channels_replaced, 1);
    assert_int_equal(applied.channels_added, 1);
    const gltf_animation* a = &t.gltf->animations[0];
    assert_int_equal(a->channel_count, 2);
    assert_int_equal(a->channels[0].keys->input, a->samplers[0].input);
    assert_int_equal(a->channels[1].keys->input, a->samplers[0].input);
    assert_int_equal(a->channels[1].sampler, -1);
    assert_int_equal(a->channels[1].node, 2);
    assert_int_equal(t.gltf->infos[0].channel_count, 2);
    // Keys that did not change keep their bits; signs follow the file's first key.
    const float* turns = s->animations[0].channels[0].values;
    for (int k = 0; k < 20; ++k)
        if (k != 7) assert_memory_equal(a->channels[0].keys->values + 4 * k, turns + 4 * k, 16);
    assert_true(a->channels[0].keys->values[4 * 7 + 3] < 0.0f);
    drop(&t);
    scene_free(s);
}

static void test_gltf_apply__signs_are_continuous(void** state)
{
    (void)state;
    support_rng rng = {8};
    scene* s = swinging(50, 0.0, false);
    taken t = take(s, 0, NULL);
    // A steady turn through more than a whole revolution, with signs thrown about.
    for (int f = 0; f < 50; ++f)
    {
        const double sign = support_uniform(&rng, -1, 1) < 0 ? -1.0 : 1.0;
        t.clip->rotations[3 * f + 1] = (sft_quatd){sign * sin(0.1 * f), 0, 0, sign * cos(0.1 * f)};
    }
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_OK);
    const float* v = t.gltf->animations[0].channels[0].keys->values;
    assert_true(v[3] > 0.0f);
    for (int f = 1; f < 50; ++f)
        assert_true(v[4 * f] * v[4 * f - 4] + v[4 * f + 3] * v[4 * f - 1] > 0.9f);
    drop(&t);
    scene_free(s);
}

static void test_gltf_apply__sampled_frames_get_times_of_their_own(void** state)
{
    (void)state;
    scene* s = swinging(6, 0.0, false);
    // Uneven keys: the frames are 60 a second.
    float* times = (float*)(uintptr_t)s->animations[0].channels[0].times;
    times[2] += 0.01f;
    taken t = take(s, 0, NULL);
    assert_false(t.frames.stored);
    assert_int_equal(t.clip->frame_count, 11);
    for (int f = 0; f < 11; ++f)
        t.clip->rotations[3 * f + 1] = (sft_quatd){0, 0, 0.6, 0.8};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_OK);
    const gltf_keys* keys = t.gltf->animations[0].channels[0].keys;
    assert_int_equal(keys->input, -1);
    assert_int_equal(keys->count, 11);
    for (int f = 0; f < 11; ++f)
        assert_true(keys->times[f] == (float)(f / 60.0));
    // And can be changed again, with frames taken before or after.
    t.clip->rotations[3 * 4 + 1] = (sft_quatd){0, 0.6, 0, 0.8};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_OK);
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_gltf_frames frames;
    assert_int_equal(sft_gltf_to_clip(t.gltf, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
    assert_true(frames.stored);
    assert_true(fabs(clip->rotations[3 * 4 + 1].y - 0.6) < 1e-7);
    clip->rotations[3 * 4 + 1] = (sft_quatd){0.6, 0, 0, 0.8};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &frames, clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_OK);
    assert_true(t.gltf->animations[0].channels[0].keys->values[4 * 4] > 0.59f);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    drop(&t);
    scene_free(s);
}

static void test_gltf_apply__a_matrix_becomes_translation_rotation_scale(void** state)
{
    (void)state;
    scene* s = swinging(20, 0.0, false);
    s->nodes[2].has_matrix = true;
    const double m[16] = {0, 2, 0, 0, -2, 0, 0, 0, 0, 0, 2, 0, 0, -0.5, 0, 1};
    memcpy(s->nodes[2].matrix, m, sizeof m);
    taken t = take(s, 0, NULL);
    double* times = times_of(s, &t);
    for (int f = 0; f < 20; ++f)
        t.clip->rotations[3 * f + 2] = (sft_quatd){0, 0, 0.6, 0.8};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_OK);
    assert_true(t.gltf->nodes[2].as_trs);
    s->nodes[2].has_matrix = false;
    memcpy(s->nodes[2].t, ((double[3]){0, -0.5, 0}), sizeof s->nodes[2].t);
    memcpy(s->nodes[2].s, ((double[3]){2, 2, 2}), sizeof s->nodes[2].s);
    adopt_keys(s, &t);
    assert_true(position_error(s, &t, times) < 1e-6);
    free(times);
    drop(&t);
    // One that shears cannot.
    s->nodes[2].has_matrix = true;
    s->nodes[2].matrix[5] = 1.0;
    s->animations[0].channel_count = 1;
    t = take(s, 0, NULL);
    t.clip->rotations[2] = (sft_quatd){0, 0, 0.6, 0.8};
    sft_error error = {0};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, &error),
                     SFT_ERR_UNSUPPORTED);
    assert_string_equal(error.joint, "Foot");
    drop(&t);
    scene_free(s);
}

// ---- keeping keys ----

// Sparse uneven keys, and a clip that keys at the same times can say exactly: they are found again.
static void test_gltf_apply__kept_keys_find_what_keys_can_say(void** state)
{
    (void)state;
    support_rng rng = {55};
    const float at[6] = {0.1f, 0.4f, 0.55f, 1.0f, 1.3f, 1.35f};
    scene* s = scene_new();
    const int root = scene_add(s, "Root", -1);
    const int leg = scene_add(s, "Leg", root);
    scene_skin_over(s, (int[]){root, leg}, 2);
    float *times = scene_floats(s, 6), *turns = scene_floats(s, 24), *moves = scene_floats(s, 18);
    memcpy(times, at, sizeof at);
    for (int pass = 0; pass < 2; ++pass)
        for (int k = 0; k < 6; ++k)
        {
            double q[4] = {support_uniform(&rng, -0.3, 0.3), support_uniform(&rng, -0.3, 0.3), 0.2, 0.9};
            const double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
            for (int i = 0; i < 4; ++i)
                turns[4 * k + i] = (float)(q[i] / length);
            for (int i = 0; i < 3; ++i)
                moves[3 * k + i] = (float)support_uniform(&rng, -1, 1);
        }
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_ROTATION, SCENE_LINEAR, 6, times, turns});
    scene_channel_add(s, 0, (scene_channel){leg, SCENE_TRANSLATION, SCENE_LINEAR, 6, times, moves});
    taken wanted = take(s, 0, NULL);
    // The same keys, other values: what the document says before.
    float keep[24], keep_moves[18];
    memcpy(keep, turns, sizeof keep);
    memcpy(keep_moves, moves, sizeof keep_moves);
    for (int k = 0; k < 6; ++k)
    {
        memcpy(turns + 4 * k, ((float[4]){0, 0, 0, 1}), 16);
        memcpy(moves + 3 * k, ((float[3]){0, 1, 0}), 12);
    }
    taken t = take(s, 0, NULL);
    sft_gltf_apply_def def = sft_default_gltf_apply_def();
    def.keep_keys = true;
    sft_gltf_applied applied;
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, wanted.clip, NULL, t.all, t.all, &def, &applied, NULL),
                     SFT_OK);
    assert_true(applied.rotation_error < 1e-6 && applied.translation_error < 1e-6);
    for (int c = 0; c < 2; ++c)
    {
        const gltf_keys* keys = t.gltf->animations[0].channels[c].keys;
        assert_int_equal(keys->count, 6);
        assert_int_equal(keys->input, t.gltf->animations[0].samplers[c].input);
        for (int i = 0; i < (c == 0 ? 24 : 18); ++i)
            assert_true(fabsf(keys->values[i] - (c == 0 ? keep[i] : keep_moves[i])) < 1e-6f);
    }
    drop(&wanted);
    drop(&t);
    scene_free(s);
}

// What keys cannot say: the fit is no worse than sampling at the keys, and the error is what independent evaluation of
// the written keys finds.
static void test_gltf_apply__kept_keys_say_their_error(void** state)
{
    (void)state;
    support_rng rng = {21};
    for (int round = 0; round < 20; ++round)
    {
        scene* s = swinging(9, 0.0, false);
        float* times = (float*)(uintptr_t)s->animations[0].channels[0].times;
        for (int k = 0; k < 9; ++k)
            times[k] = (float)(0.15 * k + (k > 0 && k < 8 ? support_uniform(&rng, -0.03, 0.03) : 0.0));
        s->animations[0].channels[0].interpolation = round % 2 == 0 ? SCENE_LINEAR : SCENE_STEP;
        taken t = take(s, 0, NULL);
        double* at = times_of(s, &t);
        // A key that float rounding put behind its frame holds there already.
        const double late = round % 2 == 0 ? 0.0 : 1e-6;
        const int32_t frames = t.clip->frame_count;
        for (int32_t f = 0; f < frames; ++f)
        {
            const double x = at[f] + round;
            t.clip->rotations[3 * f + 1] =
                sft_quatd_normalize((sft_quatd){0.4 * sin(9 * x), 0.3 * cos(7 * x), 0.2 * sin(17 * x), 1.0});
        }
        sft_gltf_apply_def def = sft_default_gltf_apply_def();
        def.keep_keys = true;
        sft_gltf_applied applied;
        assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, &def, &applied, NULL), SFT_OK);
        adopt_keys(s, &t);
        double(*world)[16] = calloc(SCENE_NODES, sizeof *world);
        double worst = 0.0, squares = 0.0;
        int32_t where = -1;
        for (int32_t f = 0; f < frames; ++f)
        {
            scene_world(s, 0, at[f] + late, world);
            // Cosine of the angle from the trace of the one rotation transposed times the other.
            const sft_quatd q = t.clip->rotations[3 * f + 1];
            double trace = 0.0;
            for (int c = 0; c < 3; ++c)
            {
                const sft_v3d axis = sft_quatd_rotate(q, (sft_v3d){c == 0, c == 1, c == 2});
                trace += world[1][4 * c] * axis.x + world[1][4 * c + 1] * axis.y + world[1][4 * c + 2] * axis.z;
            }
            const double angle = acos(sft_clampd(0.5 * (trace - 1.0), -1.0, 1.0));
            squares += angle * angle;
            if (angle > worst)
            {
                worst = angle;
                where = f;
            }
        }
        assert_true(fabs(worst - applied.rotation_error) < 1e-6);
        assert_int_equal(applied.rotation_joint, 1);
        assert_int_equal(applied.rotation_frame, where);
        // No small turn of any key makes it better: a minimum, near enough.
        float* values = (float*)(uintptr_t)s->animations[0].channels[0].values;
        for (int i = 0; i < 9 * 4; ++i)
        {
            const float before = values[i];
            values[i] += i % 2 == 0 ? 2e-3f : -2e-3f;
            double other = 0.0;
            for (int32_t f = 0; f < frames; ++f)
            {
                scene_world(s, 0, at[f] + late, world);
                const sft_quatd q = t.clip->rotations[3 * f + 1];
                double trace = 0.0;
                for (int c = 0; c < 3; ++c)
                {
                    const sft_v3d axis = sft_quatd_rotate(q, (sft_v3d){c == 0, c == 1, c == 2});
                    trace += world[1][4 * c] * axis.x + world[1][4 * c + 1] * axis.y + world[1][4 * c + 2] * axis.z;
                }
                const double angle = acos(sft_clampd(0.5 * (trace - 1.0), -1.0, 1.0));
                other += angle * angle;
            }
            values[i] = before;
            if (!(other > squares * (1.0 - 2e-3))) fail_msg("round %d: %g beats %g", round, other, squares);
        }
        free(world);
        free(at);
        drop(&t);
        scene_free(s);
    }
}

// ---- failures ----

static void test_gltf_apply__arguments_are_checked(void** state)
{
    (void)state;
    scene* s = swinging(10, 0.0, false);
    taken t = take(s, 0, NULL);
    assert_int_equal(sft_gltf_apply(NULL, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_apply(t.gltf, 1, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_gltf_apply(t.gltf, -1, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    sft_gltf_apply_def def = {0};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, &def, NULL, NULL), SFT_ERR_DEF);
    sft_gltf_frames frames = t.frames;
    frames.frame_count -= 1;
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &frames, t.clip, NULL, t.all, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    const sft_space space = {0};
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, &space, t.all, NULL, NULL, NULL, NULL), SFT_ERR_ARG);
    sft_error error = {0};
    t.clip->rotations[4].w = 3.0;
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.all, NULL, NULL, NULL, &error),
                     SFT_ERR_RANGE);
    assert_string_equal(error.joint, "Leg");
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, t.none, NULL, NULL, NULL, &error), SFT_OK);
    t.clip->translations[5].x = (double)NAN;
    assert_int_equal(sft_gltf_apply(t.gltf, 0, &t.frames, t.clip, NULL, NULL, t.all, NULL, NULL, &error),
                     SFT_ERR_RANGE);
    assert_string_equal(error.joint, "Foot");
    assert_false(t.gltf->changed);
    drop(&t);
    scene_free(s);
}

static void test_gltf_apply__failing_allocations_leave_the_document_alone(void** state)
{
    (void)state;
    for (int keep = 0; keep < 2; ++keep)
    {
        scene* s = swinging(6, 0.0, false);
        ((float*)(uintptr_t)s->animations[0].channels[0].times)[2] += 0.01f;
        void* bytes;
        size_t size;
        scene_glb(s, &bytes, &size);
        for (long k = 0;; ++k)
        {
            support_heap heap = {.fail_at = -1};
            const sft_allocator allocator = support_allocator(&heap);
            sft_gltf* gltf;
            sft_skeleton* skeleton;
            sft_clip* clip;
            sft_gltf_frames frames;
            assert_int_equal(sft_gltf_read(NULL, bytes, size, &allocator, &gltf, NULL), SFT_OK);
            assert_int_equal(sft_gltf_to_clip(gltf, 0, NULL, NULL, &skeleton, &clip, &frames, NULL), SFT_OK);
            for (int32_t i = 0; i < 3 * clip->frame_count; ++i)
            {
                clip->rotations[i] = (sft_quatd){0, 0.6, 0, 0.8};
                clip->translations[i].z += 1.0;
            }
            const gltf_channel* channels = gltf->animations[0].channels;
            sft_gltf_apply_def def = sft_default_gltf_apply_def();
            def.keep_keys = keep != 0;
            const uint8_t all[3] = {1, 1, 1};
            sft_error error = {0};
            heap.fail_at = heap.calls + k;
            const sft_result result = sft_gltf_apply(gltf, 0, &frames, clip, NULL, all, all, &def, NULL, &error);
            sft_skeleton_destroy(skeleton, NULL);
            sft_clip_destroy(clip, NULL);
            if (result != SFT_OK)
            {
                assert_int_equal(result, SFT_ERR_MEMORY);
                assert_false(gltf->changed);
                assert_ptr_equal(gltf->animations[0].channels, channels);
                assert_int_equal(gltf->animations[0].channel_count, 1);
                assert_null(gltf->animations[0].channels[0].keys);
            }
            sft_gltf_destroy(gltf);
            assert_int_equal(heap.live_blocks, 0);
            if (result == SFT_OK)
            {
                assert_true(k > 8);
                break;
            }
        }
        free(bytes);
        scene_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_apply__an_unchanged_clip_changes_nothing),
        cmocka_unit_test(test_gltf_apply__spaces_go_and_come_back),
        cmocka_unit_test(test_gltf_apply__new_motion_is_what_the_document_says),
        cmocka_unit_test(test_gltf_apply__a_shear_is_named),
        cmocka_unit_test(test_gltf_apply__keys_at_the_frames_share_the_times_of_the_file),
        cmocka_unit_test(test_gltf_apply__signs_are_continuous),
        cmocka_unit_test(test_gltf_apply__sampled_frames_get_times_of_their_own),
        cmocka_unit_test(test_gltf_apply__a_matrix_becomes_translation_rotation_scale),
        cmocka_unit_test(test_gltf_apply__kept_keys_find_what_keys_can_say),
        cmocka_unit_test(test_gltf_apply__kept_keys_say_their_error),
        cmocka_unit_test(test_gltf_apply__arguments_are_checked),
        cmocka_unit_test(test_gltf_apply__failing_allocations_leave_the_document_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
