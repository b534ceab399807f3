// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Creatures as data: seen in skeletons, written as JSON, read back, refused with a place and a remedy.

#include "support/figures.h"
#include "support/roamers.h"

#include <math.h>

#include "creature/fields.h"

#define DEGREES(d) ((d) * (3.14159265358979323846 / 180.0))

// ---- there and back ----

static char* format(const sft_creature_def* def, const sft_skeleton* skeleton, size_t* size)
{
    char* text = NULL;
    assert_int_equal(sft_creature_format(def, skeleton, NULL, &text, size), SFT_OK);
    return text;
}

static void test_creature_file__what_is_written_reads_back_the_same(void** state)
{
    (void)state;
    for (int k = 0; k < ROAMER_KINDS; ++k)
    {
        roamer made;
        make_roamer((roamer_kind)k, &made);
        made.def.motion.max_turn_speed = 1.2345678901234567;
        made.def.legs[1].step_angle = 0.1 + 0.2;
        made.def.scale = 1.0 / 3.0;
        size_t size = 0, again_size = 0;
        char* text = format(&made.def, made.skeleton, &size);
        sft_creature_def back;
        sft_error error = {0};
        const sft_result result = sft_creature_parse(text, size, made.skeleton, NULL, &back, &error);
        if (result != SFT_OK) fail_msg("line %u: %s", error.line, error.message);
        char* again = format(&back, made.skeleton, &again_size);
        assert_int_equal(size, again_size);
        assert_memory_equal(text, again, size);
        assert_true(back.legs[1].step_angle == 0.1 + 0.2);
        assert_true(back.motion.max_turn_speed == 1.2345678901234567);
        assert_true(back.scale == 1.0 / 3.0);
        assert_int_equal(back.gaits, made.def.gaits);
        assert_int_equal(back.leg_count, made.def.leg_count);
        for (int32_t l = 0; l < back.leg_count; ++l)
        {
            assert_memory_equal(back.legs[l].group, made.def.legs[l].group, sizeof back.legs[l].group);
            assert_memory_equal(back.legs[l].joints, made.def.legs[l].joints,
                                sizeof(int32_t) * (size_t)back.legs[l].joint_count);
            assert_memory_equal(&back.legs[l].home, &made.def.legs[l].home, sizeof(sft_v3d));
        }
        free(text);
        free(again);
        release_roamer(&made);
    }
}

static void test_creature_file__angles_are_degrees_that_people_write(void** state)
{
    (void)state;
    // 35 degrees are 35, not 35.00000000000001. Not every radian has a degree that reads back to it, since doubles of
    // degrees lie less dense in places; but the way there and back costs a last bit at most, and once only.
    for (int d = -180; d <= 180; ++d)
        assert_true(sft_creature_degrees(sft_creature_radians(d)) == d);
    uint64_t random = 12345;
    for (int i = 0; i < 20000; ++i)
    {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const double radians = ((double)(random >> 11) * 0x1p-53 - 0.5) * 6.3;
        const double back = sft_creature_radians(sft_creature_degrees(radians));
        assert_true(fabs(back - radians) <= fabs(radians) * 0x1p-52);
        assert_true(sft_creature_radians(sft_creature_degrees(back)) == back);
    }
}

// ---- a file by hand ----

static const char small_file[] = "{\n"
                                 "  \"surefoot_creature\": 1,\n"
                                 "  \"body\": \"hips\",\n"
                                 "  \"legs\": [\n"
                                 "    {\"joints\": [\"l0_0\", \"l0_1\", \"l0_2\"], \"step_distance\": 0.05},\n"
                                 "    {\"joints\": [\"r0_0\", \"r0_1\", \"r0_2\"]},\n"
                                 "    {\"joints\": [\"l1_0\", \"l1_1\", \"l1_2\"], \"pair\": 1},\n"
                                 "    {\"joints\": [\"r1_0\", \"r1_1\", \"r1_2\"], \"pair\": 1}],\n"
                                 "  \"swing\": {\"max_slope_degrees\": 20}\n"
                                 "}\n";

static void test_creature_file__what_is_missing_comes_from_rest_pose_and_defaults(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    sft_creature_def def;
    sft_error error = {0};
    const sft_result result = sft_creature_parse(small_file, sizeof small_file - 1, made.skeleton, NULL, &def, &error);
    if (result != SFT_OK) fail_msg("line %u: %s", error.line, error.message);
    assert_int_equal(def.leg_count, 4);
    assert_true(def.legs[0].step_distance == 0.05);
    // Thigh (0.06, 0.04, 0.02) and shin (0.03, -0.125, -0.01) by hand: 0.07483 and 0.12894.
    const double length =
        sqrt(0.06 * 0.06 + 0.04 * 0.04 + 0.02 * 0.02) + sqrt(0.03 * 0.03 + 0.125 * 0.125 + 0.01 * 0.01);
    assert_true(fabs(def.legs[1].reach_max - (0.97 * length)) < 1e-12);
    assert_true(fabs(def.legs[1].home.x - (-0.14)) < 1e-12);
    assert_true(fabs(def.legs[1].ankle_offset - (0.015)) < 1e-12);
    assert_int_equal(def.legs[0].side, SFT_LEG_LEFT);
    assert_int_equal(def.legs[1].side, SFT_LEG_RIGHT);
    assert_true(fabs(def.swing.max_slope - (DEGREES(20))) < 1e-15);
    assert_true(def.swing.lift == sft_default_creature_def().swing.lift);
    // Diagonal pairs by side and order: left hind with right fore.
    assert_true((def.gaits & 1u << SFT_GAIT_DIAGONAL) != 0);
    assert_int_equal(def.legs[0].group[SFT_GAIT_DIAGONAL], def.legs[3].group[SFT_GAIT_DIAGONAL]);
    assert_int_equal(def.legs[1].group[SFT_GAIT_DIAGONAL], def.legs[2].group[SFT_GAIT_DIAGONAL]);
    assert_int_not_equal(def.legs[0].group[SFT_GAIT_DIAGONAL], def.legs[1].group[SFT_GAIT_DIAGONAL]);
    release_roamer(&made);
}

typedef struct bad_file
{
    const char *find, *put; ///< in small_file
    uint32_t line;
    sft_result code;
    const char* says;
} bad_file;

static const bad_file bad_files[] = {
    {"\"surefoot_creature\": 1", "\"surefoot_creature\": 2", 2, SFT_ERR_UNSUPPORTED, "another version"},
    {"\"surefoot_creature\": 1", "\"surefoot_map\": 1", 1, SFT_ERR_SYNTAX, "this is no creature"},
    {"\"body\": \"hips\"", "\"body\": \"Hips\"", 3, SFT_ERR_RANGE, "the skeleton has no joint 'Hips'"},
    {"\"body\": \"hips\"", "\"body\": 1000", 3, SFT_ERR_RANGE, "from 0 to"},
    {"\"body\": \"hips\"", "\"body\": \"head\"", 0, SFT_ERR_DEF, "must hang below the body joint"},
    {"\"body\": \"hips\",", "", 1, SFT_ERR_SYNTAX, "needs a 'body'"},
    {"\"step_distance\": 0.05", "\"step_distance\": -1", 5, SFT_ERR_RANGE, "'step_distance' must be from"},
    {"\"step_distance\": 0.05", "\"step_distance\": \"far\"", 5, SFT_ERR_SYNTAX, "must be a number, not a string"},
    {"\"step_distance\": 0.05", "\"step_distance\": 1e999", 5, SFT_ERR_SYNTAX, "must be a number"},
    {"\"step_distance\": 0.05", "\"stepdistance\": 0.05", 5, SFT_ERR_SYNTAX, "no member 'stepdistance'"},
    {"\"step_distance\": 0.05", "\"pair\": 0.5", 5, SFT_ERR_RANGE, "'pair' is a whole number"},
    {"\"step_distance\": 0.05", "\"pair\": 0, \"pair\": 1", 5, SFT_ERR_SYNTAX, "says 'pair' twice"},
    {"\"step_distance\": 0.05", "\"home\": [1, 2]", 5, SFT_ERR_SYNTAX, "'home' must be three numbers"},
    {"\"step_distance\": 0.05", "\"groups\": {\"gallop\": 1}", 5, SFT_ERR_SYNTAX, "no member 'gallop'"},
    {"\"step_distance\": 0.05", "\"side\": \"port\"", 5, SFT_ERR_SYNTAX, "'side' is"},
    {"\"step_distance\": 0.05", "\"reach_max\": 5", 0, SFT_ERR_RANGE, "reach_max must be less than"},
    {"[\"l0_0\", \"l0_1\", \"l0_2\"]", "[\"l0_0\", \"l0_1\"]", 5, SFT_ERR_LIMIT, "3 to 5 entries"},
    {"[\"l0_0\", \"l0_1\", \"l0_2\"]", "[\"l0_0\", \"l0_2\", \"l0_1\"]", 0, SFT_ERR_DEF, "l0_"},
    {"[\"r1_0\", \"r1_1\", \"r1_2\"]", "[\"r1_0\", \"r1_1\", {}]", 8, SFT_ERR_SYNTAX, "a joint is a name"},
    {"\"max_slope_degrees\": 20", "\"max_slope_degrees\": 120", 9, SFT_ERR_RANGE, "from 0 to 89"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"swing\": []", 9, SFT_ERR_SYNTAX, "'swing' must be an object"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"gaits\": {\"tripod\": 1}", 9, SFT_ERR_SYNTAX, "not every leg"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"gaits\": {}", 9, SFT_ERR_SYNTAX, "names none"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"spine\": [{\"share\": 1}]", 9, SFT_ERR_SYNTAX, "'joint' is missing"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"tail\": {\"joints\": \"tail_0\"}", 9, SFT_ERR_SYNTAX, "list of"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"arms\": [{\"side\": \"left\"}]", 9, SFT_ERR_SYNTAX, "needs 'joints'"},
    {"\"swing\": {\"max_slope_degrees\": 20}", "\"arms\": [{\"joints\": [\"l0_0\", \"l0_1\", \"l0_2\"]}]", 0,
     SFT_ERR_DEF, "must not carry a leg"},
    {"\"swing\": {\"max_slope_degrees\": 20}\n}", "\"swing\": {", 10, SFT_ERR_SYNTAX, ""},
};

static void test_creature_file__bad_files_are_refused_with_line_and_remedy(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    for (size_t i = 0; i < sizeof bad_files / sizeof bad_files[0]; ++i)
    {
        const bad_file* b = &bad_files[i];
        char text[2048];
        const char* at = strstr(small_file, b->find);
        assert_non_null(at);
        const int head = (int)(at - small_file);
        const int size = snprintf(text, sizeof text, "%.*s%s%s", head, small_file, b->put, at + strlen(b->find));
        sft_creature_def def, before;
        memset(&def, 0x5a, sizeof def);
        memcpy(&before, &def, sizeof def);
        sft_error error = {0};
        support_heap heap = {.fail_at = -1};
        const sft_allocator allocator = support_allocator(&heap);
        const sft_result result = sft_creature_parse(text, (size_t)size, made.skeleton, &allocator, &def, &error);
        if (result != b->code || (b->line != 0 && error.line != b->line) || strstr(error.message, b->says) == NULL)
            fail_msg("%s: %s, line %u: %s", b->put, sft_result_string(result), error.line, error.message);
        assert_true(error.message[0] != '\0');
        assert_memory_equal(&def, &before, sizeof def);
        assert_int_equal(heap.live_blocks, 0);
    }
    release_roamer(&made);
}

static void test_creature_file__memory_that_fails_anywhere_is_said_and_given_back(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    sft_result result = SFT_ERR_MEMORY;
    for (long at = 0; result != SFT_OK && at < 500; ++at)
    {
        support_heap heap = {.fail_at = at};
        const sft_allocator allocator = support_allocator(&heap);
        sft_creature_def def;
        result = sft_creature_parse(small_file, sizeof small_file - 1, made.skeleton, &allocator, &def, NULL);
        assert_true(result == SFT_OK || result == SFT_ERR_MEMORY);
        assert_int_equal(heap.live_blocks, 0);
    }
    assert_int_equal(result, SFT_OK);
    release_roamer(&made);
}

static void test_creature_file__names_that_repeat_go_by_number(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    const char* names[ROAMER_JOINTS];
    for (int32_t j = 0; j < made.skeleton->joint_count; ++j)
        names[j] = "bone";
    sft_skeleton plan = *made.skeleton, *same = NULL;
    plan.names = names;
    assert_int_equal(sft_skeleton_create(&plan, NULL, &same), SFT_OK);
    size_t size = 0;
    char* text = format(&made.def, same, &size);
    sft_creature_def back;
    sft_error error = {0};
    assert_int_equal(sft_creature_parse(text, size, same, NULL, &back, &error), SFT_OK);
    assert_int_equal(back.body, made.def.body);
    assert_int_equal(back.legs[3].joints[2], made.def.legs[3].joints[2]);
    // By name, nobody knows which.
    const char bad[] = "{\"surefoot_creature\": 1, \"body\": \"bone\"}";
    assert_int_equal(sft_creature_parse(bad, sizeof bad - 1, same, NULL, &back, &error), SFT_ERR_RANGE);
    assert_non_null(strstr(error.message, "by its number, the first is 0"));
    free(text);
    sft_skeleton_destroy(same, NULL);
    release_roamer(&made);
}

// ---- seen in skeletons ----

static void test_creature_file__a_lizard_is_seen_as_what_it_is(void** state)
{
    (void)state;
    roamer made;
    make_roamer(ROAMER_LIZARD, &made);
    sft_creature_def def;
    sft_error error = {0};
    const sft_result result = sft_creature_find(made.skeleton, NULL, NULL, &def, &error);
    if (result != SFT_OK) fail_msg("%s", error.message);
    assert_int_equal(def.leg_count, 4);
    assert_int_equal(def.body, made.def.body);
    for (int32_t l = 0; l < 4; ++l)
    {
        assert_int_equal(def.legs[l].joints[0], made.def.legs[l].joints[0]);
        assert_int_equal(def.legs[l].joints[2], made.def.legs[l].joints[2]);
        // Four tenths of a threshold ahead and behind is what a foot uses at full speed: that must be within the leg.
        sft_v3d hip = {0, 0, 0};
        for (int32_t j = def.legs[l].joints[0]; j >= 0; j = made.skeleton->parents[j])
            hip = sft_v3d_add(hip, made.skeleton->rest_translations[j]);
        const sft_v3d d = sft_v3d_sub(def.legs[l].home, hip);
        const double along = fabs(d.z) + 0.4 * def.legs[l].step_distance;
        assert_true(sqrt(d.x * d.x + d.y * d.y + along * along) < def.legs[l].reach_max);
        assert_true(def.legs[l].step_distance > 0.04);
    }
    assert_true(fabs(def.forward.z - (1)) < 1e-6);
    assert_true(def.tail_count >= 6);
    assert_true(def.head_count >= 1);
    assert_int_equal(def.eye_count, 2);
    sft_creature* creature = NULL;
    assert_int_equal(sft_creature_create(&def, made.skeleton, NULL, &creature, &error), SFT_OK);
    sft_creature_destroy(creature, NULL);
    release_roamer(&made);
}

static void test_creature_file__people_with_straight_legs_stand_lower(void** state)
{
    (void)state;
    sft_skeleton* skeleton = figure_person();
    sft_creature_def def;
    sft_error error = {0};
    const sft_result result = sft_creature_find(skeleton, NULL, NULL, &def, &error);
    if (result != SFT_OK) fail_msg("%s", error.message);
    assert_int_equal(def.leg_count, 2);
    sft_xformd* rest = calloc((size_t)skeleton->joint_count, sizeof *rest);
    assert_non_null(rest);
    sft_skeleton_forward(skeleton, skeleton->rest_translations, skeleton->rest_rotations, rest);
    for (int32_t l = 0; l < 2; ++l)
    {
        const sft_v3d hip = rest[def.legs[l].joints[0]].t;
        const double stand = sft_v3d_length(sft_v3d_sub(def.legs[l].home, hip));
        assert_true(stand <= 0.92 / 0.97 * def.legs[l].reach_max);
        // Room for what of the threshold a foot uses at full speed, fore and aft; a step is longer than half a leg.
        const double d = 0.4 * def.legs[l].step_distance, down = hip.y - def.legs[l].home.y;
        assert_true(sqrt(down * down + d * d) < def.legs[l].reach_max);
        assert_true(def.legs[l].step_distance > 0.5 * def.legs[l].reach_max);
    }
    free(rest);
    sft_skeleton_destroy(skeleton, NULL);
}

static void test_creature_file__arms_are_written_and_read_back(void** state)
{
    (void)state;
    sft_skeleton* skeleton = figure_person();
    sft_creature_def def, back;
    sft_error error = {0};
    assert_int_equal(sft_creature_find(skeleton, NULL, NULL, &def, &error), SFT_OK);
    assert_int_equal(def.arm_count, 2);
    def.arms[1].swing = 0.1 + 0.2;
    size_t size = 0;
    char* text = format(&def, skeleton, &size);
    if (sft_creature_parse(text, size, skeleton, NULL, &back, &error) != SFT_OK) fail_msg("%s", error.message);
    assert_int_equal(back.arm_count, 2);
    for (int32_t i = 0; i < 2; ++i)
    {
        assert_int_equal(back.arms[i].side, def.arms[i].side);
        assert_memory_equal(back.arms[i].joints, def.arms[i].joints, sizeof def.arms[i].joints);
        assert_true(back.arms[i].hang == def.arms[i].hang && back.arms[i].bend == def.arms[i].bend);
    }
    assert_true(back.arms[1].swing == 0.1 + 0.2);
    free(text);
    sft_skeleton_destroy(skeleton, NULL);
}

static void test_creature_file__what_has_no_legs_is_refused_with_a_reason(void** state)
{
    (void)state;
    const char* names[3] = {"a", "b", "c"};
    const int32_t parents[3] = {-1, 0, 1};
    const sft_v3d offsets[3] = {{0, 1, 0}, {0, 0.1, 0}, {0, 0.1, 0}};
    sft_skeleton plan = {.joint_count = 3, .names = names, .parents = parents, .rest_translations = offsets}, *s = NULL;
    assert_int_equal(sft_skeleton_create(&plan, NULL, &s), SFT_OK);
    sft_creature_def def;
    sft_error error = {0};
    assert_int_equal(sft_creature_find(s, NULL, NULL, &def, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "no legs"));
    assert_int_equal(sft_creature_find(NULL, NULL, NULL, &def, &error), SFT_ERR_ARG);
    sft_skeleton_destroy(s, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_creature_file__what_is_written_reads_back_the_same),
        cmocka_unit_test(test_creature_file__angles_are_degrees_that_people_write),
        cmocka_unit_test(test_creature_file__what_is_missing_comes_from_rest_pose_and_defaults),
        cmocka_unit_test(test_creature_file__bad_files_are_refused_with_line_and_remedy),
        cmocka_unit_test(test_creature_file__memory_that_fails_anywhere_is_said_and_given_back),
        cmocka_unit_test(test_creature_file__names_that_repeat_go_by_number),
        cmocka_unit_test(test_creature_file__a_lizard_is_seen_as_what_it_is),
        cmocka_unit_test(test_creature_file__people_with_straight_legs_stand_lower),
        cmocka_unit_test(test_creature_file__arms_are_written_and_read_back),
        cmocka_unit_test(test_creature_file__what_has_no_legs_is_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
