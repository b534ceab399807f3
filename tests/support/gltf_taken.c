// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

#include "gltf_taken.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

taken take(const scene* s, int32_t animation, const sft_gltf_clip_def* def)
{
    taken t = {0};
    size_t size;
    sft_error error = {0};
    memset(t.all, 1, sizeof t.all);
    scene_glb(s, &t.bytes, &size);
    if (sft_gltf_read(NULL, t.bytes, size, NULL, &t.gltf, &error) != SFT_OK) fail_msg("%s", error.message);
    if (sft_gltf_to_clip(t.gltf, animation, def, NULL, &t.skeleton, &t.clip, &t.frames, &error) != SFT_OK)
        fail_msg("%s: %s", error.joint, error.message);
    if (animation >= 0) t.info = sft_gltf_view(t.gltf)->animations[animation];
    assert_int_equal(t.frames.frame_count, t.clip->frame_count);
    assert_true(t.frames.frame_time == t.clip->frame_time);
    return t;
}

void drop(taken* t)
{
    sft_skeleton_destroy(t->skeleton, NULL);
    sft_clip_destroy(t->clip, NULL);
    sft_gltf_destroy(t->gltf);
    free(t->bytes);
}

double time_of_frame(const scene* s, const taken* t, int32_t frame)
{
    if (!t->frames.stored) return t->frames.start + frame * t->frames.frame_time;
    const scene_channel* c = &s->animations[0].channels[t->frames.channel];
    const int32_t key = frame - t->frames.first;
    if (key >= 0 && key < c->count) return (double)c->times[key];
    return key < 0 ? t->frames.start + frame * t->frames.frame_time
                   : (double)c->times[c->count - 1] + (key - c->count + 1) * t->frames.frame_time;
}
