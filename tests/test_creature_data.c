// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Legs of real glTF files, in every clip, against a table read off their hierarchies by eye; with other joint axes;
// and their in-place walks, labelled and cleaned.

#include "support/support.h"

typedef struct expected
{
    const char* file;
    double unit;              // [m], as legs are looked for in metres
    const char *left, *right; // for %
    int pairs;
    // Hind to fore; null: none. Unnamed joints are "node N".
    const char* joints[4][6];
    const char* none; ///< where there are no pairs: part of the reason
} expected;

static const expected TABLE[] = {
    {"m2m_fox-animations.glb",
     1.0,
     "L",
     "R",
     2,
     {{"Hips", "Back_Leg_Upper_%", "Back_Leg_Lower_%", "Back_Leg_Ankle_%", "Back_Leg_Foot_1_%", "Back_Leg_Tip_%"},
      {"Spine_2.001", "Front_Leg_Upper_%", "Front_Leg_Lower_%", "Front_Leg_Ankle_%", "Front_Leg_Foot_%",
       "Front_Leg_Tip_%"}},
     NULL},
    {"m2m_spider-animations.glb",
     1.0,
     "l",
     "r",
     4,
     {{"spine_1", "leg_d_1_%", "leg_d_2_%", "leg_d_3_%", "leg_d_tip_%", NULL},
      {"spine_1", "leg_c_1_%", "leg_c_2_%", "leg_c_3_%", "leg_c_tip_%", NULL},
      {"spine_1", "leg_b_1_%", "leg_b_2_%", "leg_b_3_%", "leg_b_tip_%", NULL},
      {"spine_1", "leg_a_1_%", "leg_a_2_%", "leg_a_3_%", "leg_a_tip_%", NULL}},
     NULL},
    {"m2m_rig-spider.glb",
     1.0,
     "l",
     "r",
     4,
     {{"spine_1", "leg_d_1_%", "leg_d_2_%", "leg_d_3_%", "leg_d_tip_%", NULL},
      {"spine_1", "leg_c_1_%", "leg_c_2_%", "leg_c_3_%", "leg_c_tip_%", NULL},
      {"spine_1", "leg_b_1_%", "leg_b_2_%", "leg_b_3_%", "leg_b_tip_%", NULL},
      {"spine_1", "leg_a_1_%", "leg_a_2_%", "leg_a_3_%", "leg_a_tip_%", NULL}},
     NULL},
    {"m2m_bird-animations.glb",
     1.0,
     "L",
     "R",
     1,
     {{"hips", "UpperLeg_%", "LowerLeg_%", "AnkleLeg_%", "Foot_%", "Toes_tip_%"}},
     NULL},
    {"m2m_rig-human.glb", 1.0, "l", "r", 1, {{"pelvis", "thigh_%", "calf_%", "foot_%", "ball_%", "ball_leaf_%"}}, NULL},
    {"m2m_no_animation.glb",
     1.0,
     "l",
     "r",
     1,
     {{"pelvis", "thigh_%", "calf_%", "foot_%", "ball_%", "ball_leaf_%"}},
     NULL},
    {"mixamo_sample_rig.glb",
     1.0,
     "Left",
     "Right",
     1,
     {{"mixamorig:Hips", "mixamorig:%UpLeg", "mixamorig:%Leg", "mixamorig:%Foot", "mixamorig:%ToeBase",
       "mixamorig:%Toe_End"}},
     NULL},
    {"kaykit_Knight.glb", 1.0, "l", "r", 1, {{"hips", "upperleg.%", "lowerleg.%", "foot.%", "toes.%", NULL}}, NULL},
    {"bitmoji_idle.glb",
     1.0,
     "L",
     "R",
     1,
     {{"C_spine0001_bind_JNT", "%_legUpper0001_bind_JNT", "%_legLower0001_bind_JNT", "%_foot0001_bind_JNT",
       "%_foot0002_bind_JNT", NULL}},
     NULL},
    {"bitmoji_walk.glb",
     1.0,
     "L",
     "R",
     1,
     {{"C_spine0001_bind_JNT", "%_legUpper0001_bind_JNT", "%_legLower0001_bind_JNT", "%_foot0001_bind_JNT",
       "%_foot0002_bind_JNT", NULL}},
     NULL},
    {"khronos_Fox.glb",
     0.01,
     "Left",
     "Right",
     2,
     {{"b_Hip_01", "b_%Leg01_", "b_%Leg02_", "b_%Foot01_", "b_%Foot02_", NULL},
      {"b_Spine02_03", "b_%UpperArm_", "b_%ForeArm_", "b_%Hand_", "b_%Hand_", NULL}},
     NULL},
    {"khronos_CesiumMan.gltf", 1.0, "", "", 1, {{"", "", "", "", "", NULL}}, NULL},
    {"raylib_greenman.glb", 1.0, "", "", 0, {{0}}, "two bones"},
    {"khronos_InterpolationTest.gltf", 1.0, "", "", 0, {{0}}, "two bones"},
    {"khronos_SimpleSkin.gltf", 1.0, "", "", 0, {{0}}, "two bones"},
};

#define TABLE_COUNT (sizeof TABLE / sizeof TABLE[0])

static sft_io_document* open_file(const expected* want)
{
    char relative[128], path[1024];
    snprintf(relative, sizeof relative, "gltf/%s", want->file);
    if (!support_data(relative, path, sizeof path)) return NULL;
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read_file(NULL, path, NULL, &document, &error) != SFT_OK) printf("%s: %s\n", path, error.message);
    assert_non_null(document);
    return document;
}

static void take(const expected* want, const sft_io_document* document, int32_t index, sft_skeleton** s,
                 sft_clip** clip)
{
    const sft_space space = {want->unit, SFT_AXIS_Y, 0.0, true, true, ""};
    assert_int_equal(sft_io_to_clip(document, index, NULL, NULL, s, clip, NULL, NULL), SFT_OK);
    assert_int_equal(sft_clip_rescale(*s, *clip, &space), SFT_OK);
}

// Names may go on: exporters put numbers behind them.
static bool is_joint(const sft_skeleton* s, int32_t joint, const char* pattern, const char* word)
{
    if (pattern == NULL) return joint == -1;
    if (joint < 0) return false;
    char name[64];
    const char* mark = strchr(pattern, '%');
    if (mark == NULL)
        snprintf(name, sizeof name, "%s", pattern);
    else
        snprintf(name, sizeof name, "%.*s%s%s", (int)(mark - pattern), pattern, word, mark + 1);
    const size_t n = strlen(name);
    return n == 0 || (name[n - 1] == '_' ? strncmp(s->names[joint], name, n) == 0 : strcmp(s->names[joint], name) == 0);
}

static int check(const expected* want, const sft_skeleton* s, const sft_clip* clip, const char* how)
{
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    bool same = count == 2 * want->pairs;
    for (int32_t i = 0; same && i < count; ++i)
    {
        const sft_leg* l = &legs[i];
        const int32_t joints[6] = {l->pelvis, l->hip, l->knee, l->heel, l->toe, l->toe_end};
        same = l->pair == i / 2 && l->side == (i % 2 == 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT);
        for (int k = 0; same && k < 6; ++k)
            same = is_joint(s, joints[k], want->joints[i / 2][k], i % 2 == 0 ? want->left : want->right);
    }
    if (same) return 0;
    printf("%s (%s): %d legs\n", want->file, how, (int)count);
    for (int32_t i = 0; i < count; ++i)
        printf("   %d %d: %s %s %s %s %s %s\n", (int)legs[i].pair, (int)legs[i].side, s->names[legs[i].pelvis],
               s->names[legs[i].hip], s->names[legs[i].knee], s->names[legs[i].heel], s->names[legs[i].toe],
               legs[i].toe_end >= 0 ? s->names[legs[i].toe_end] : "-");
    return 1;
}

static void test_creature_data__legs_of_every_clip(void** state)
{
    (void)state;
    int faults = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        sft_io_document* document = open_file(&TABLE[i]);
        if (document == NULL) continue;
        for (int32_t c = -1; c < sft_io_view(document)->clip_count; ++c)
        {
            sft_skeleton* s = NULL;
            sft_clip* clip = NULL;
            take(&TABLE[i], document, c, &s, &clip);
            faults += check(&TABLE[i], s, clip, c < 0 ? "rest pose" : sft_io_view(document)->clips[c].name);
            if (TABLE[i].pairs == 0)
            {
                char why[SFT_LEG_NONE_SIZE];
                assert_int_equal(sft_leg_explain_none(s, clip, NULL, why), SFT_OK);
                if (strstr(why, TABLE[i].none) == NULL) printf("%s: %s\n", TABLE[i].file, why);
                faults += strstr(why, TABLE[i].none) == NULL;
            }
            sft_skeleton_destroy(s, NULL);
            sft_clip_destroy(clip, NULL);
        }
        sft_io_destroy(document);
    }
    assert_int_equal(faults, 0);
}

static sft_quatd random_turn(support_rng* rng)
{
    const sft_quatd q = {support_uniform(rng, -1, 1), support_uniform(rng, -1, 1), support_uniform(rng, -1, 1),
                         support_uniform(rng, -1, 1)};
    return sft_quatd_normalize(q);
}

// The same positions with any other axes in the joints.
static sft_skeleton* rolled(const sft_skeleton* s, support_rng* rng)
{
    static sft_quatd own[512], turns[512];
    static sft_v3d offsets[512];
    assert_true(s->joint_count <= 512);
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        const int32_t p = s->parents[j];
        own[j] = random_turn(rng);
        const sft_quatd turn = sft_quatd_mul(s->rest_rotations[j], own[j]);
        offsets[j] = p >= 0 ? sft_quatd_unrotate(own[p], s->rest_translations[j]) : s->rest_translations[j];
        turns[j] = p >= 0 ? sft_quatd_mul(sft_quatd_conjugate(own[p]), turn) : turn;
    }
    sft_skeleton def = *s;
    def.rest_translations = offsets;
    def.rest_rotations = turns;
    sft_skeleton* made = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &made), SFT_OK);
    return made;
}

static void test_creature_data__joint_axes_do_not_matter(void** state)
{
    (void)state;
    support_rng rng = {51};
    int faults = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        sft_io_document* document = open_file(&TABLE[i]);
        if (document == NULL) continue;
        sft_skeleton* s = NULL;
        sft_clip* clip = NULL;
        take(&TABLE[i], document, -1, &s, &clip);
        for (int round = 0; round < 8; ++round)
        {
            sft_skeleton* other = rolled(s, &rng);
            faults += check(&TABLE[i], other, NULL, "rolled");
            sft_skeleton_destroy(other, NULL);
        }
        sft_skeleton_destroy(s, NULL);
        sft_clip_destroy(clip, NULL);
        sft_io_destroy(document);
    }
    assert_int_equal(faults, 0);
}

typedef struct walk
{
    int file; // of the table
    const char* clip;
    double slowest, fastest; // [m/s] of the ground
    int planted;             // share of all frames that each foot stands, at least [%]
} walk;

static void label_and_clean(const walk* w, const sft_skeleton* s, sft_clip* clip)
{
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    const size_t n = (size_t)clip->frame_count;
    sft_v3d* points = calloc((1 + (size_t)count) * n, sizeof *points);
    assert_non_null(points);
    sft_clip_joint_track(s, clip, legs[0].pelvis, points);
    sft_foot_tracks feet[SFT_MAX_LEGS];
    for (int32_t l = 0; l < count; ++l)
    {
        sft_clip_joint_track(s, clip, legs[l].toe, points + (1 + (size_t)l) * n);
        feet[l] = (sft_foot_tracks){NULL, points + (1 + (size_t)l) * n, NULL};
    }
    const sft_contact_input input = {.frame_count = clip->frame_count,
                                     .frame_time = clip->frame_time,
                                     .pelvis = points,
                                     .feet = feet,
                                     .foot_count = count,
                                     .leg_length = 0.9};
    sft_contact_labels* labels = NULL;
    sft_contact_mismatch m;
    assert_int_equal(sft_contact_labels_create(clip->frame_count, count, NULL, &labels), SFT_OK);
    const sft_contact_def def = sft_default_contact_def();
    assert_int_equal(sft_contact_label(&def, &input, NULL, labels, &m), SFT_OK);
    const double speed = sft_v3d_length(m.ground_velocity);
    printf("%s %s: %s\n", TABLE[w->file].file, w->clip, m.text);
    assert_true(m.known && m.moving_ground && speed > w->slowest && speed < w->fastest);
    sft_cleanup_def clean = sft_default_cleanup_def();
    clean.ground_velocity = m.ground_velocity;
    sft_cleanup_report report;
    assert_int_equal(sft_cleanup_clip(&clean, s, legs, count, labels, NULL, clip, NULL, &report), SFT_OK);
    assert_true(report.residual_m < 2e-4);
    for (int32_t l = 0; l < count; ++l)
    {
        sft_v3d* toe = points + (1 + (size_t)l) * n;
        const float* plant = labels->plant + (size_t)l * n;
        size_t planted = plant[0] > 0.75f;
        sft_clip_joint_track(s, clip, legs[l].toe, toe);
        for (size_t i = 1; i < n; ++i)
        {
            planted += plant[i] > 0.75f;
            if (!(plant[i] > 0.75f && plant[i - 1] > 0.75f)) continue;
            const sft_v3d step = sft_v3d_madd(sft_v3d_sub(toe[i], toe[i - 1]), -clip->frame_time, m.ground_velocity);
            assert_true(sft_v3d_length(step) < 4e-4);
        }
        assert_true(100 * planted >= (size_t)w->planted * n);
    }
    sft_cleanup_report_release(&report, NULL);
    sft_contact_labels_destroy(labels, NULL);
    free(points);
}

static void test_creature_data__walks_in_place(void** state)
{
    (void)state;
    static const walk walks[] = {{0, "Walk", 1.0, 2.0, 35}, {0, "Sneak", 0.6, 1.2, 40}, {1, "Walk", 0.9, 1.8, 30}};
    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; ++i)
    {
        const expected* want = &TABLE[walks[i].file];
        sft_io_document* document = open_file(want);
        if (document == NULL) continue;
        sft_skeleton* s = NULL;
        sft_clip* clip = NULL;
        take(want, document, sft_io_find_clip(document, walks[i].clip), &s, &clip);
        label_and_clean(&walks[i], s, clip);
        sft_skeleton_destroy(s, NULL);
        sft_clip_destroy(clip, NULL);
        sft_io_destroy(document);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_data__legs_of_every_clip),
        cmocka_unit_test(test_creature_data__joint_axes_do_not_matter),
        cmocka_unit_test(test_creature_data__walks_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
