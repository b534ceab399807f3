// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Labels of real clips (optional data): against force plates, and slid copies against the plain rule on the original.

#include "support/support.h"

#include "core/core.h"

typedef struct subject
{
    int32_t frames, first, feet;
    double dt, leg;
    sft_v3d* pelvis;
    sft_v3d* at[SFT_MAX_LEGS][3];
    char toe_names[SFT_MAX_LEGS][64];
    sft_foot_tracks tracks[SFT_MAX_LEGS];
} subject;

static void subject_free(subject* s)
{
    free(s->pelvis);
    for (int32_t f = 0; f < s->feet; ++f)
        for (int k = 0; k < 3; ++k)
            free(s->at[f][k]);
}

static sft_v3d* track(const sft_skeleton* skeleton, const sft_clip* clip, int32_t joint)
{
    if (joint < 0) return NULL;
    sft_v3d* out = calloc((size_t)clip->frame_count, sizeof *out);
    sft_clip_joint_track(skeleton, clip, joint, out);
    return out;
}

// A clip of the data folder in metres with its legs; false where absent.
static bool load(const char* name, subject* s)
{
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "bvh/%s.bvh", name);
    if (!support_data(relative, path, sizeof path)) return false;
    void* bytes;
    size_t size;
    sft_bvh* bvh;
    sft_skeleton* skeleton;
    sft_clip* clip;
    sft_space space;
    sft_leg legs[SFT_MAX_LEGS];
    memset(s, 0, sizeof *s);
    assert_int_equal(sft_file_read(path, (size_t)1 << 28, NULL, &bytes, &size, NULL), SFT_OK);
    const sft_bvh_read_def def = sft_default_bvh_read_def();
    assert_int_equal(sft_bvh_read(&def, bytes, size, NULL, &bvh, NULL), SFT_OK);
    assert_int_equal(sft_bvh_to_clip(bvh, NULL, &skeleton, &clip), SFT_OK);
    assert_int_equal(sft_clip_infer_space(skeleton, clip, NULL, &space), SFT_OK);
    assert_int_equal(sft_clip_rescale(skeleton, clip, &space), SFT_OK);
    assert_int_equal(sft_leg_find(skeleton, clip, NULL, legs, SFT_MAX_LEGS, &s->feet), SFT_OK);
    assert_int_equal(s->feet, 2);
    s->frames = clip->frame_count;
    s->dt = clip->frame_time;
    s->first = sft_clip_first_frame(skeleton, clip, NULL);
    s->pelvis = track(skeleton, clip, legs[0].pelvis);
    for (int32_t f = 0; f < s->feet; ++f)
    {
        const int32_t joints[3] = {legs[f].heel, legs[f].toe, legs[f].toe_end};
        for (int k = 0; k < 3; ++k)
            s->at[f][k] = track(skeleton, clip, joints[k]);
        s->tracks[f] = (sft_foot_tracks){s->at[f][0], s->at[f][1], s->at[f][2]};
        snprintf(s->toe_names[f], sizeof s->toe_names[f], "%s", skeleton->names[legs[f].toe]);
    }
    sft_clip_destroy(clip, NULL);
    sft_skeleton_destroy(skeleton, NULL);
    sft_bvh_destroy(bvh);
    free(bytes);
    return true;
}

// Root travel by `more` of itself: p becomes p + more * (p - p0) on the ground.
static void slide(subject* s, double more)
{
    const sft_v3d origin = s->pelvis[s->first];
    for (int32_t i = s->first; i < s->frames; ++i)
    {
        const sft_v3d by = {more * (s->pelvis[i].x - origin.x), 0, more * (s->pelvis[i].z - origin.z)};
        s->pelvis[i] = sft_v3d_add(s->pelvis[i], by);
        for (int32_t f = 0; f < s->feet; ++f)
            for (int k = 0; k < 3; ++k)
                if (s->at[f][k] != NULL) s->at[f][k][i] = sft_v3d_add(s->at[f][k][i], by);
    }
}

static sft_contact_labels* label(const subject* s, bool plain, sft_contact_mismatch* mismatch)
{
    const sft_contact_input in = {s->frames, s->dt, s->first, s->pelvis, s->tracks, s->feet, s->leg, NULL};
    const sft_contact_def def = sft_default_contact_def();
    sft_contact_labels* labels;
    assert_int_equal(sft_contact_labels_create(s->frames, s->feet, NULL, &labels), SFT_OK);
    assert_int_equal(plain ? sft_contact_label_plain(&def, &in, NULL, labels)
                           : sft_contact_label(&def, &in, NULL, labels, mismatch),
                     SFT_OK);
    return labels;
}

static bool edge(const float* b, int32_t n, int32_t i)
{
    return (i > 0 && b[i] != b[i - 1]) || (i + 1 < n && b[i] != b[i + 1]);
}

// F1 of two labellings, frames beside a boundary of either left out where `inner`.
static double f1(const float* a, const float* b, int32_t n, int32_t feet, bool inner)
{
    double both = 0, sum = 0;
    for (int32_t f = 0; f < feet; ++f, a += n, b += n)
        for (int32_t i = 0; i < n; ++i)
        {
            if (inner && (edge(a, n, i) || edge(b, n, i))) continue;
            both += a[i] > 0.75f && b[i] > 0.75f;
            sum += (a[i] > 0.75f) + (b[i] > 0.75f);
        }
    return sum > 0 ? 2 * both / sum : 1.0;
}

static void test_contact_clips__slid_clips_keep_their_plants(void** state)
{
    (void)state;
    static const char* const clips[] = {
        "cmu_12_01_walk",         "xia_neutral_01_000",  "xia_strutting_01_000",   "xia_angry_13_000",
        "xia_depressed_13_000",   "mixamo_names_69f",    "fair_zombie_walk",       "dme_demo_video_1_fixed",
        "dme_demo_video_2_fixed", "dme_demo_3d_1_fixed", "bvhacker_walk_cycle_43", "opensim_gait2354_walk_overground",
    };
    for (size_t c = 0; c < SFT_COUNT_OF(clips); ++c)
        for (int k = -1; k <= 1; ++k)
        {
            subject s;
            if (!load(clips[c], &s)) return;
            sft_contact_labels* want = label(&s, true, NULL);
            slide(&s, 0.25 * k);
            sft_contact_mismatch m;
            sft_contact_labels* got = label(&s, false, &m);
            const double score = f1(got->plant, want->plant, s.frames, s.feet, true);
            if (score < 0.99) fail_msg("%s at %g: F1 %.3f", clips[c], 1 + 0.25 * k, score);
            assert_true(m.known && !m.moving_ground);
            assert_true(fabs(m.root_travel / (1 + 0.25 * k) - 1.0) < 0.04);
            sft_contact_labels_destroy(got, NULL);
            sft_contact_labels_destroy(want, NULL);
            subject_free(&s);
        }
}

static void test_contact_clips__no_mismatch_is_invented(void** state)
{
    (void)state;
    static const char* const clips[] = {
        "xsens_23_standing",   "xsens_a_40fps",         "boxing_toes",         "fair_dab",
        "cmu_05_20_dance_mb",  "mocapbank_crlf",        "kinect_brekel_a",     "mixed_orders_zup",
        "cmu_05_20_dance_daz", "cmu_jumping_jacks_max", "cmu_01_01_playground"};
    for (size_t c = 0; c < SFT_COUNT_OF(clips); ++c)
    {
        subject s;
        if (!load(clips[c], &s)) return;
        sft_contact_mismatch m;
        sft_contact_labels_destroy(label(&s, false, &m), NULL);
        if (m.root_travel != 1.0 || m.moving_ground) fail_msg("%s: %s", clips[c], m.text);
        subject_free(&s);
    }
}

// Reads `"key": [0, 1, ...]` of a JSON text into out; the number of entries.
static int32_t read_bits(const char* json, const char* key, float* out, int32_t capacity)
{
    char quoted[64];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char* at = strstr(json, quoted);
    assert_non_null(at);
    at = strchr(at, '[');
    int32_t count = 0;
    for (++at; *at != ']' && *at != '\0' && count < capacity; ++at)
        if (*at == '0' || *at == '1') out[count++] = (float)(*at - '0');
    return count;
}

static void test_contact_clips__walk_against_force_plates(void** state)
{
    (void)state;
    char path[1024];
    if (!support_data("contacts/opensim_gait2354_walk_contacts.json", path, sizeof path)) return;
    void* json;
    size_t size;
    assert_int_equal(sft_file_read(path, (size_t)1 << 28, NULL, &json, &size, NULL), SFT_OK);
    static const char* const clips[] = {"opensim_gait2354_walk_overground", "opensim_gait2354_walk_treadmill"};
    for (int c = 0; c < 2; ++c)
        for (int k = -1; k <= (c == 0 ? 1 : -1); ++k)
        {
            subject s;
            if (!load(clips[c], &s)) break;
            if (c == 0) slide(&s, 0.25 * k);
            sft_contact_mismatch m;
            sft_contact_labels* got = label(&s, false, &m);
            float* want = calloc(2 * (size_t)s.frames, sizeof *want);
            for (int32_t f = 0; f < 2; ++f)
            {
                const bool left = s.toe_names[f][strlen(s.toe_names[f]) - 1] == 'l';
                assert_int_equal(
                    read_bits(json, left ? "contact_left" : "contact_right", want + f * s.frames, s.frames), s.frames);
            }
            assert_true(f1(got->touch, want, s.frames, 2, false) >= 0.98);
            assert_true(m.moving_ground == (c == 1));
            if (c == 1) assert_true(sft_v3d_distance(m.ground_velocity, (sft_v3d){-1.127, 0, 0}) < 0.03);
            free(want);
            sft_contact_labels_destroy(got, NULL);
            subject_free(&s);
        }
    free(json);
}

#define RUN_COLUMNS 29

// Marker tracks of a run on a treadmill: heel, fifth metatarsal as the toe joint, toe. Returns frames, 0 where absent.
static int32_t read_run(double (**rows)[RUN_COLUMNS])
{
    char path[1024];
    if (!support_data("contacts/opensim_rajagopal_run_treadmill.csv", path, sizeof path)) return 0;
    FILE* file = fopen(path, "rb");
    char line[2048];
    *rows = calloc(1000, sizeof **rows);
    int32_t n = 0;
    if (fgets(line, sizeof line, file) == NULL) n = -1;
    while (n >= 0 && n < 1000 && fgets(line, sizeof line, file) != NULL)
    {
        const char* at = line;
        for (int c = 0; c < RUN_COLUMNS; ++c)
        {
            char* end;
            (*rows)[n][c] = strtod(at, &end);
            at = *end == ',' ? end + 1 : end;
        }
        ++n;
    }
    fclose(file);
    return n;
}

// Every `step`-th frame of the run with the belt's speed added; want[foot * frames + frame]: the plates' contacts.
static subject run_subject(double (*rows)[RUN_COLUMNS], int32_t count, int32_t step, double belt, float** want)
{
    subject s = {.frames = (count + step - 1) / step, .feet = 2, .dt = 0.01 * step};
    const size_t n = (size_t)s.frames;
    *want = calloc(2 * n, sizeof **want);
    s.pelvis = calloc(n, sizeof *s.pelvis);
    for (int32_t f = 0; f < 2; ++f)
    {
        for (int k = 0; k < 3; ++k)
            s.at[f][k] = calloc(n, sizeof(sft_v3d));
        s.tracks[f] = (sft_foot_tracks){s.at[f][0], s.at[f][1], s.at[f][2]};
    }
    for (int32_t i = 0; i < s.frames; ++i)
    {
        const double* r = rows[i * step];
        const double x = belt * i * s.dt;
        s.pelvis[i] = (sft_v3d){0.5 * (r[12] + r[26]) + x, 0.5 * (r[13] + r[27]), 0.5 * (r[14] + r[28])};
        for (int32_t f = 0; f < 2; ++f)
        {
            const double* m = r + (f == 0 ? 3 : 17);
            s.at[f][0][i] = (sft_v3d){m[0] + x, m[1], m[2]};
            s.at[f][1][i] = (sft_v3d){m[6] + x, m[7], m[8]};
            s.at[f][2][i] = (sft_v3d){m[3] + x, m[4], m[5]};
            (*want)[f * s.frames + i] = r[f == 0 ? 2 : 16] > 0.5 ? 1.0f : 0.0f;
        }
    }
    return s;
}

static void test_contact_clips__run_against_force_plates(void** state)
{
    (void)state;
    double(*rows)[RUN_COLUMNS];
    const int32_t n = read_run(&rows);
    if (n == 0) return;
    assert_int_equal(n, 510);
    for (int32_t step = 1; step <= 4; ++step)
        for (int k = 0; k < 4; ++k)
        {
            // Over ground, slid both ways, and as it was on the belt.
            const double more[] = {0.0, -0.25, 0.25, 0.0};
            float* want;
            subject s = run_subject(rows, n, step, k == 3 ? 0.0 : 3.96, &want);
            slide(&s, more[k]);
            sft_contact_mismatch m;
            sft_contact_labels *got = label(&s, false, &m), *bare = label(&s, true, NULL);
            assert_true(f1(got->touch, want, s.frames, 2, false) >= 0.97);
            assert_true(f1(bare->touch, want, s.frames, 2, false) < 0.8);
            assert_true(m.known && m.moving_ground == (k == 3));
            if (k == 3) assert_true(sft_v3d_distance(m.ground_velocity, (sft_v3d){-3.96, 0, 0}) < 0.15);
            sft_contact_labels_destroy(got, NULL);
            sft_contact_labels_destroy(bare, NULL);
            subject_free(&s);
            free(want);
        }
    free(rows);
}

// Slide that no root travel explains: a network's output, against the plain rule on the same clip after its authors
// fixed its feet. There the plain rule finds next to nothing.
static void test_contact_clips__slide_from_rotations_keeps_plants(void** state)
{
    (void)state;
    static const struct
    {
        const char *raw, *fixed;
        double least;
    } pairs[] = {{"dme_demo_video_1_raw", "dme_demo_video_1_fixed", 0.65},
                 {"dme_demo_video_2_raw", "dme_demo_video_2_fixed", 0.8},
                 {"dme_demo_3d_1_raw", "dme_demo_3d_1_fixed", 0.45}};
    for (size_t c = 0; c < SFT_COUNT_OF(pairs); ++c)
    {
        subject raw, fixed;
        if (!load(pairs[c].raw, &raw)) return;
        if (!load(pairs[c].fixed, &fixed))
        {
            subject_free(&raw);
            return;
        }
        sft_contact_labels *want = label(&fixed, true, NULL), *bare = label(&raw, true, NULL);
        sft_contact_labels* got = label(&raw, false, NULL);
        assert_true(f1(bare->plant, want->plant, raw.frames, 2, false) < 0.2);
        const double score = f1(got->plant, want->plant, raw.frames, 2, false);
        if (score < pairs[c].least) fail_msg("%s: F1 %.3f", pairs[c].raw, score);
        sft_contact_labels_destroy(got, NULL);
        sft_contact_labels_destroy(bare, NULL);
        sft_contact_labels_destroy(want, NULL);
        subject_free(&raw);
        subject_free(&fixed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contact_clips__slid_clips_keep_their_plants),
        cmocka_unit_test(test_contact_clips__no_mismatch_is_invented),
        cmocka_unit_test(test_contact_clips__walk_against_force_plates),
        cmocka_unit_test(test_contact_clips__run_against_force_plates),
        cmocka_unit_test(test_contact_clips__slide_from_rotations_keeps_plants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
