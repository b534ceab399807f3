// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Unit, up axis, reference pose, travel joint and legs of real files, against a table read off their hierarchies by
// eye.

#include "support/support.h"

typedef struct expected
{
    const char* file;
    double unit;       // [m], and how far off it may be
    double unit_slack; // part
    sft_axis up;
    bool reference_pose; // frame 0 is one
    const char* travel;
    const char *left, *right; // for %
    // `name*` is the End Site of name; null: none. No legs where hip is null.
    const char *pelvis, *hip, *knee, *heel, *toe, *toe_end;
} expected;

#define CMU_UNIT (0.0254 / 0.45)
#define LEFT_RIGHT "Left", "Right"
#define CMU_LEGS LEFT_RIGHT, "Hips", "%UpLeg", "%Leg", "%Foot", "%ToeBase", "%ToeBase*"
#define MVN_LEGS LEFT_RIGHT, "Hips", "%Hip", "%Knee", "%Ankle", "%Toe", "%Toe*"
#define ANKLE_LEGS LEFT_RIGHT, "Hips", "%Hip", "%Knee", "%Ankle", "%Ankle*", NULL
#define BONE_LEGS "_l", "_r", "pelvis", "femur%", "tibia%", "talus%", "toes%", "toes%*"
#define MAKEHUMAN_LEGS "_L", "_R", "Hips", "UpLeg%", "LoLeg%", "Foot%", "Toe%", "Toe%*"
#define NO_LEGS NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL

static const expected TABLE[] = {
    {"boxing_toes", 0.01, 0, SFT_AXIS_Y, false, "Hips", LEFT_RIGHT, "Hips", "%Hip", "%Knee", "%Ankle", "%Toes",
     "%Toes*"},
    {"bvhacker_walk_cycle_42", 0.01, 0, SFT_AXIS_Y, false, "Hips", ANKLE_LEGS},
    {"bvhacker_walk_cycle_43", 0.01, 0, SFT_AXIS_Y, false, "Hips", ANKLE_LEGS},
    {"cmu_01_01_playground", CMU_UNIT, 0, SFT_AXIS_Y, true, "Hips", CMU_LEGS},
    {"cmu_05_20_dance_daz", 0.01, 0, SFT_AXIS_Y, true, "hip", "l", "r", "hip", "%Thigh", "%Shin", "%Foot", "%Foot*",
     NULL},
    {"cmu_05_20_dance_mb", CMU_UNIT, 0, SFT_AXIS_Y, true, "Hips", CMU_LEGS},
    {"cmu_12_01_walk", CMU_UNIT, 0, SFT_AXIS_Y, true, "Hips", CMU_LEGS},
    {"cmu_jumping_jacks_max", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", MVN_LEGS},
    {"cmu_rest_pose", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"dme_demo_3d_1_fixed", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"dme_demo_3d_1_raw", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"dme_demo_video_1_fixed", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"dme_demo_video_1_raw", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"dme_demo_video_2_fixed", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"dme_demo_video_2_raw", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"fair_dab", 0.04, 0.08, SFT_AXIS_Z, false, "Hips", CMU_LEGS},
    {"fair_zombie_walk", 0.04, 0.08, SFT_AXIS_Z, false, "Hips", CMU_LEGS},
    {"full_precision_frame_time", 0, 0, SFT_AXIS_Y, false, "Hips", NO_LEGS},
    {"geno_stance_6ch", 0.01, 0, SFT_AXIS_Y, false, "Hips", LEFT_RIGHT, "Hips", "%UpLeg", "%Leg", "%Foot", "%ToeBase",
     "%ToeBaseEnd"},
    {"kinect_brekel_a", 0.01, 0, SFT_AXIS_Y, false, "Hips", LEFT_RIGHT, "Hips", "%UpLeg", "%Leg", "%Foot", "%Foot*",
     NULL},
    {"makehuman_dance1", 0.1, 0, SFT_AXIS_Z, false, "Root", MAKEHUMAN_LEGS},
    {"makehuman_tpose", 0.1, 0, SFT_AXIS_Z, false, "root", ".L", ".R", "root", "upperleg01%", "lowerleg01%", "foot%",
     "toe1-1%", "toe1-2%*"},
    {"makehuman_walk1", 0.1, 0, SFT_AXIS_Z, false, "Root", MAKEHUMAN_LEGS},
    {"mixamo_names_69f", 0.01, 0, SFT_AXIS_Y, false, "mixamorig:Hips", LEFT_RIGHT, "mixamorig:Hips", "mixamorig:%UpLeg",
     "mixamorig:%Leg", "mixamorig:%Foot", "mixamorig:%ToeBase", "mixamorig:%ToeBase*"},
    {"mixed_orders_zup", 0.0254, 0, SFT_AXIS_Z, false, "Hips", CMU_LEGS},
    {"mocapbank_crlf", 0.01, 0, SFT_AXIS_Y, false, "Hips", ANKLE_LEGS},
    {"opensim_gait2354_walk_overground", 1, 0, SFT_AXIS_Y, false, "pelvis", BONE_LEGS},
    {"opensim_gait2354_walk_treadmill", 1, 0, SFT_AXIS_Y, false, "pelvis", BONE_LEGS},
    {"rotation_first_root", 0, 0, SFT_AXIS_Y, false, "Hips", NO_LEGS},
    {"sinusoidal_chain", 0, 0, SFT_AXIS_Y, false, "base", NO_LEGS},
    {"xia_angry_13_000", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"xia_depressed_13_000", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"xia_neutral_01_000", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"xia_strutting_01_000", CMU_UNIT, 0, SFT_AXIS_Y, false, "Hips", CMU_LEGS},
    {"xsens_23_standing", 0.01, 0, SFT_AXIS_Y, false, "Hips", MVN_LEGS},
    {"xsens_a_40fps", 0.01, 0, SFT_AXIS_Y, true, "Hips", MVN_LEGS},
};

#define TABLE_COUNT (sizeof TABLE / sizeof TABLE[0])

static bool load(const char* path, sft_skeleton** skeleton, sft_clip** clip)
{
    void* bytes = NULL;
    size_t size = 0;
    sft_error error;
    if (sft_file_read(path, (size_t)1 << 30, NULL, &bytes, &size, &error) != SFT_OK) return false;
    sft_bvh* bvh = NULL;
    const sft_result result = sft_bvh_read(NULL, bytes, size, NULL, &bvh, &error);
    free(bytes);
    if (result != SFT_OK) return false;
    const sft_result made = sft_bvh_to_clip(bvh, NULL, skeleton, clip);
    sft_bvh_destroy(bvh);
    return made == SFT_OK;
}

static void fill_in(const char* pattern, const char* word, char* out)
{
    const char* mark = strchr(pattern, '%');
    if (mark == NULL)
        snprintf(out, 64, "%s", pattern);
    else
        snprintf(out, 64, "%.*s%s%s", (int)(mark - pattern), pattern, word, mark + 1);
}

static bool is_joint(const sft_skeleton* s, int32_t joint, const char* pattern, const char* word)
{
    if (pattern == NULL) return joint == -1;
    if (joint < 0) return false;
    char name[64];
    fill_in(pattern, word, name);
    const size_t n = strlen(name);
    const bool end = name[n - 1] == '*';
    if (end) name[n - 1] = '\0';
    return strcmp(s->names[joint], name) == 0 && ((s->flags[joint] & SFT_JOINT_END_SITE) != 0) == end;
}

static int check_leg(const expected* want, const sft_skeleton* s, const sft_leg* leg, bool left)
{
    const char* word = left ? want->left : want->right;
    const bool ok = leg->side == (left ? SFT_LEG_LEFT : SFT_LEG_RIGHT) && leg->pair == 0 &&
                    is_joint(s, leg->pelvis, want->pelvis, word) && is_joint(s, leg->hip, want->hip, word) &&
                    is_joint(s, leg->knee, want->knee, word) && is_joint(s, leg->heel, want->heel, word) &&
                    is_joint(s, leg->toe, want->toe, word) && is_joint(s, leg->toe_end, want->toe_end, word) &&
                    fabs(sft_v3d_length(leg->knee_side) - 1.0) < 1e-12;
    if (!ok)
        printf("%s: leg %d is %s %s %s %s %s %s\n", want->file, (int)leg->side, s->names[leg->pelvis],
               s->names[leg->hip], s->names[leg->knee], s->names[leg->heel], s->names[leg->toe],
               leg->toe_end >= 0 ? s->names[leg->toe_end] : "-");
    return ok ? 0 : 1;
}

// A person's foot: heel at most 15 cm and toe at most 5 cm over the sole.
static int check_heights(const expected* want, const sft_leg* leg)
{
    const bool ok = leg->heel_min >= 0.0 && leg->heel_min < 0.15 && leg->toe_min >= 0.0 && leg->toe_min < 0.05 &&
                    leg->toe_end_min >= 0.0 && leg->toe_end_min < 0.05;
    if (!ok) printf("%s: heights %g %g %g\n", want->file, leg->heel_min, leg->toe_min, leg->toe_end_min);
    return ok ? 0 : 1;
}

static int check_file(const expected* want, sft_skeleton* s, sft_clip* clip)
{
    int faults = 0;
    sft_space space;
    assert_int_equal(sft_clip_infer_space(s, clip, NULL, &space), SFT_OK);
    const bool unit = want->unit <= 0.0 || fabs(space.unit_metres / want->unit - 1.0) <= want->unit_slack + 1e-12;
    const bool sure = (want->unit_slack <= 0.0 && want->unit > 0.0) == space.unit_sure;
    if (!unit || !sure || space.up != want->up)
    {
        printf("%s: unit %g (sure: %d), up %d: %s\n", want->file, space.unit_metres, space.unit_sure, (int)space.up,
               space.reason);
        ++faults;
    }
    assert_int_equal(sft_clip_rescale(s, clip, &space), SFT_OK);
    char reason[128];
    const int32_t first = sft_clip_first_frame(s, clip, reason);
    if ((first > 0) != want->reference_pose || (first > 0) != (reason[0] != '\0') || first > 12)
    {
        printf("%s: first frame %d (%s)\n", want->file, first, reason);
        ++faults;
    }
    const int32_t travel = sft_clip_travel_joint(s, clip, first);
    if (!is_joint(s, travel, want->travel, ""))
    {
        printf("%s: travel joint %d\n", want->file, travel);
        ++faults;
    }
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    if (count != (want->hip != NULL ? 2 : 0))
    {
        printf("%s: %d legs\n", want->file, count);
        return faults + 1;
    }
    for (int32_t i = 0; i < count; ++i)
        faults += check_leg(want, s, &legs[i], i == 0) + check_heights(want, &legs[i]);
    return faults;
}

static void test_leg_find_data__every_real_file(void** state)
{
    (void)state;
    int faults = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        char relative[128], path[1024];
        snprintf(relative, sizeof relative, "bvh/%s.bvh", TABLE[i].file);
        if (!support_data(relative, path, sizeof path)) continue;
        sft_skeleton* s = NULL;
        sft_clip* clip = NULL;
        if (!load(path, &s, &clip))
        {
            printf("%s does not read\n", TABLE[i].file);
            ++faults;
            continue;
        }
        faults += check_file(&TABLE[i], s, clip);
        sft_skeleton_destroy(s, NULL);
        sft_clip_destroy(clip, NULL);
    }
    assert_int_equal(faults, 0);
}

static sft_skeleton* without_names(const sft_skeleton* s)
{
    static char text[512][16];
    static const char* names[512];
    assert_true(s->joint_count <= 512);
    for (int32_t j = 0; j < s->joint_count; ++j)
    {
        snprintf(text[j], sizeof text[j], "q%d", j);
        names[j] = text[j];
    }
    sft_skeleton def = *s;
    def.names = names;
    sft_skeleton* made = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &made), SFT_OK);
    return made;
}

// Names are a help only: without them the clips give the same legs, sides and space.
static void test_leg_find_data__names_taken_away(void** state)
{
    (void)state;
    int faults = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        char relative[128], path[1024];
        snprintf(relative, sizeof relative, "bvh/%s.bvh", TABLE[i].file);
        sft_skeleton* s = NULL;
        sft_clip* clip = NULL;
        if (!support_data(relative, path, sizeof path) || !load(path, &s, &clip)) continue;
        sft_skeleton* bare = without_names(s);
        sft_space with, without;
        assert_int_equal(sft_clip_infer_space(s, clip, NULL, &with), SFT_OK);
        assert_int_equal(sft_clip_infer_space(bare, clip, NULL, &without), SFT_OK);
        bool same = with.up == without.up && with.unit_metres == without.unit_metres;
        assert_int_equal(sft_clip_rescale(s, clip, &with), SFT_OK);
        assert_int_equal(sft_clip_rescale(bare, NULL, &with), SFT_OK);
        sft_leg a[SFT_MAX_LEGS], b[SFT_MAX_LEGS];
        int32_t na = -1, nb = -1;
        assert_int_equal(sft_leg_find(s, clip, NULL, a, SFT_MAX_LEGS, &na), SFT_OK);
        assert_int_equal(sft_leg_find(bare, clip, NULL, b, SFT_MAX_LEGS, &nb), SFT_OK);
        same = same && na == nb;
        for (int32_t k = 0; same && k < na; ++k)
            same = a[k].side == b[k].side && a[k].hip == b[k].hip && a[k].knee == b[k].knee && a[k].heel == b[k].heel &&
                   a[k].toe == b[k].toe && a[k].toe_end == b[k].toe_end;
        if (!same) printf("%s: differs without names\n", TABLE[i].file);
        faults += same ? 0 : 1;
        sft_skeleton_destroy(bare, NULL);
        sft_skeleton_destroy(s, NULL);
        sft_clip_destroy(clip, NULL);
    }
    assert_int_equal(faults, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_find_data__every_real_file),
        cmocka_unit_test(test_leg_find_data__names_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
