// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Two characters in one file: each must come out as if its file held nothing else.

#include "support/support.h"

#include "sample/walker.h"

#define FRAMES 150

/// Two walkers as one skeleton of two roots, the second's joints behind the first's.
typedef struct pair
{
    walker alone[2];
    sft_skeleton* skeleton;
    sft_clip* clip;
} pair;

static void pair_release(pair* p)
{
    walker_release(&p->alone[0]);
    walker_release(&p->alone[1]);
    sft_clip_destroy(p->clip, NULL);
    sft_skeleton_destroy(p->skeleton, NULL);
}

// Rest poses in one place, as exporters leave them that put a character's place into its frames.
static void pair_create(const walker_def* first, const walker_def* second, double apart, pair* out)
{
    enum
    {
        n = WALKER_JOINTS
    };
    const char* names[2 * n];
    int32_t parents[2 * n];
    uint32_t flags[2 * n];
    sft_v3d translations[2 * n];
    sft_quatd rotations[2 * n];
    assert_int_equal(walker_create(first, &out->alone[0]), SFT_OK);
    assert_int_equal(walker_create(second, &out->alone[1]), SFT_OK);
    for (int32_t f = 0; f < FRAMES; ++f)
        out->alone[1].clip->translations[(size_t)f * n].x += apart;
    for (int k = 0; k < 2 * n; ++k)
    {
        const sft_skeleton* own = out->alone[k / n].skeleton;
        const int j = k % n;
        names[k] = own->names[j];
        parents[k] = own->parents[j] < 0 ? -1 : own->parents[j] + k / n * n;
        flags[k] = own->flags[j];
        translations[k] = own->rest_translations[j];
        rotations[k] = own->rest_rotations[j];
    }
    const sft_skeleton def = {2 * n, names, parents, flags, translations, rotations};
    assert_int_equal(sft_skeleton_create(&def, NULL, &out->skeleton), SFT_OK);
    assert_int_equal(sft_clip_create(2 * n, FRAMES, 1.0 / first->fps, NULL, &out->clip), SFT_OK);
    for (size_t f = 0; f < FRAMES; ++f)
        for (size_t k = 0; k < 2 * n; ++k)
        {
            const sft_clip* own = out->alone[k / n].clip;
            out->clip->translations[f * 2 * n + k] = own->translations[f * n + k % n];
            out->clip->rotations[f * 2 * n + k] = own->rotations[f * n + k % n];
        }
}

/// A clip labelled and cleaned.
typedef struct cleaned
{
    sft_leg legs[8];
    int32_t leg_count;
    sft_tracks* tracks;
    sft_contact_labels* labels;
    sft_contact_mismatch mismatches[8];
    sft_cleanup_report report;
} cleaned;

static void clean(const sft_skeleton* skeleton, sft_clip* clip, cleaned* out)
{
    assert_int_equal(sft_leg_find(skeleton, clip, NULL, out->legs, 8, &out->leg_count), SFT_OK);
    const sft_tracks_body body = {skeleton, out->legs, out->leg_count, 0};
    assert_int_equal(sft_tracks_create(&body, clip, NULL, &out->tracks), SFT_OK);
    assert_int_equal(sft_contact_labels_create(FRAMES, out->leg_count, NULL, &out->labels), SFT_OK);
    const sft_contact_def contact = sft_default_contact_def();
    assert_int_equal(sft_contact_label_bodies(&contact, &out->tracks->input, NULL, out->labels, out->mismatches),
                     SFT_OK);
    sft_v3d grounds[8];
    for (int32_t i = 0; i < out->leg_count; ++i)
        grounds[i] = sft_contact_ground_velocity(&contact, &out->mismatches[i]);
    sft_cleanup_def def = sft_default_cleanup_def();
    def.ground_velocities = grounds;
    assert_int_equal(
        sft_cleanup_clip(&def, skeleton, out->legs, out->leg_count, out->labels, NULL, clip, NULL, &out->report),
        SFT_OK);
}

static void cleaned_release(cleaned* c)
{
    sft_cleanup_report_release(&c->report, NULL);
    sft_contact_labels_destroy(c->labels, NULL);
    sft_tracks_destroy(c->tracks, NULL);
}

// The first walks north and its root goes too far; the second walks east, slower, too short, or on a belt.
static void check_pair(bool treadmill)
{
    walker_def first = walker_default_def(), second = walker_default_def();
    first.frames = second.frames = FRAMES;
    first.root_scale = 1.25;
    second.heading = 0.5 * SFT_PI;
    second.speed = 1.0;
    second.step_length = 0.5;
    second.start = 0.3;
    second.treadmill = treadmill;
    second.root_scale = treadmill ? 1.0 : 0.75;
    pair p;
    pair_create(&first, &second, 2.0, &p);
    cleaned both, alone[2];
    clean(p.skeleton, p.clip, &both);
    assert_int_equal(both.leg_count, 4);
    assert_int_equal(both.report.character_count, 2);
    int32_t planted = 0;
    for (int k = 0; k < 2; ++k)
    {
        clean(p.alone[k].skeleton, p.alone[k].clip, &alone[k]);
        assert_int_equal(alone[k].leg_count, 2);
        assert_int_equal(alone[k].report.character_count, 1);
        planted += alone[k].report.planted_frames;
        for (int i = 0; i < 2; ++i)
        {
            assert_int_equal(both.legs[2 * k + i].toe, alone[k].legs[i].toe + k * WALKER_JOINTS);
            assert_int_equal(both.legs[2 * k + i].side, alone[k].legs[i].side);
            assert_int_equal(both.legs[2 * k + i].pair, k);
            assert_string_equal(both.mismatches[2 * k + i].text, alone[k].mismatches[i].text);
            assert_memory_equal(both.labels->plant + (size_t)(2 * k + i) * FRAMES,
                                alone[k].labels->plant + (size_t)i * FRAMES, FRAMES * sizeof(float));
        }
        // Every joint ends where it would alone.
        const size_t n = WALKER_JOINTS;
        for (size_t f = 0; f < FRAMES; ++f)
        {
            assert_memory_equal(p.clip->translations + f * 2 * n + (size_t)k * n, p.alone[k].clip->translations + f * n,
                                n * sizeof(sft_v3d));
            assert_memory_equal(p.clip->rotations + f * 2 * n + (size_t)k * n, p.alone[k].clip->rotations + f * n,
                                n * sizeof(sft_quatd));
        }
    }
    assert_true(fabs(both.mismatches[0].root_travel - 1.25) < 0.01);
    assert_true(both.mismatches[2].moving_ground == treadmill);
    if (!treadmill) assert_true(fabs(both.mismatches[2].root_travel - 0.75) < 0.01);
    assert_int_equal(both.report.planted_frames, planted);
    for (int k = 0; k < 2; ++k)
        cleaned_release(&alone[k]);
    cleaned_release(&both);
    pair_release(&p);
}

static void test_characters__each_is_cleaned_as_if_alone(void** state)
{
    (void)state;
    check_pair(false);
    check_pair(true);
}

// A second skeleton that goes along with the first, as control joints do with those that bend the mesh.
static void test_characters__two_skeletons_of_one_figure_are_one(void** state)
{
    (void)state;
    walker_def def = walker_default_def();
    def.frames = FRAMES;
    pair p;
    pair_create(&def, &def, 0.0, &p);
    sft_leg legs[8];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(p.skeleton, p.clip, NULL, legs, 8, &count), SFT_OK);
    assert_int_equal(count, 2);
    assert_int_equal(sft_leg_root(p.skeleton, &legs[0]), sft_leg_root(p.skeleton, &legs[1]));
    pair_release(&p);
}

// A rig is one figure: that of the first.
static void test_characters__a_rig_is_one_of_them(void** state)
{
    (void)state;
    walker_def def = walker_default_def(), other = walker_default_def();
    def.frames = other.frames = FRAMES;
    other.heading = 2.0;
    pair p;
    pair_create(&def, &other, 1.5, &p);
    sft_rig* rig = NULL;
    const sft_rig_def rig_def = sft_default_rig_def();
    assert_int_equal(sft_rig_create(&rig_def, p.skeleton, p.clip, NULL, &rig), SFT_OK);
    assert_int_equal(rig->leg_count, 2);
    assert_int_equal(rig->hips, WALKER_HIPS);
    sft_rig_destroy(rig, NULL);
    pair_release(&p);
}

// Whichever allocation fails, the clip stays as it was.
static void test_characters__out_of_memory_changes_nobody(void** state)
{
    (void)state;
    walker_def def = walker_default_def(), other = walker_default_def();
    def.frames = other.frames = FRAMES;
    def.root_scale = 1.25;
    other.heading = 1.0;
    pair p;
    pair_create(&def, &other, 1.5, &p);
    sft_leg legs[8];
    int32_t count = 0;
    assert_int_equal(sft_leg_find(p.skeleton, p.clip, NULL, legs, 8, &count), SFT_OK);
    sft_contact_labels* labels = NULL;
    assert_int_equal(sft_contact_labels_create(FRAMES, 4, NULL, &labels), SFT_OK);
    const size_t cells = (size_t)FRAMES * 2 * WALKER_JOINTS;
    sft_quatd* before = malloc(cells * sizeof *before);
    memcpy(before, p.clip->rotations, cells * sizeof *before);
    sft_result result = SFT_ERR_MEMORY;
    long tried = 0;
    for (; result == SFT_ERR_MEMORY; ++tried)
    {
        support_heap heap = {.fail_at = tried};
        const sft_allocator allocator = support_allocator(&heap);
        const sft_tracks_body body = {p.skeleton, legs, count, 0};
        const sft_contact_def contact = sft_default_contact_def();
        const sft_cleanup_def cleanup = sft_default_cleanup_def();
        sft_tracks* tracks = NULL;
        sft_leg again[8];
        result = sft_leg_find(p.skeleton, p.clip, &allocator, again, 8, &count);
        if (result == SFT_OK) result = sft_tracks_create(&body, p.clip, &allocator, &tracks);
        if (result == SFT_OK) result = sft_contact_label_bodies(&contact, &tracks->input, &allocator, labels, NULL);
        if (result == SFT_OK)
            result = sft_cleanup_clip(&cleanup, p.skeleton, legs, count, labels, &allocator, p.clip, NULL, NULL);
        sft_tracks_destroy(tracks, &allocator);
        assert_int_equal(heap.live_blocks, 0);
        if (result != SFT_OK) assert_memory_equal(before, p.clip->rotations, cells * sizeof *before);
    }
    assert_int_equal(result, SFT_OK);
    assert_true(tried > 20);
    free(before);
    sft_contact_labels_destroy(labels, NULL);
    pair_release(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_characters__each_is_cleaned_as_if_alone),
        cmocka_unit_test(test_characters__two_skeletons_of_one_figure_are_one),
        cmocka_unit_test(test_characters__a_rig_is_one_of_them),
        cmocka_unit_test(test_characters__out_of_memory_changes_nobody),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
