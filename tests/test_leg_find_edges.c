// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The leg finder and unit search where there is little, too much, or nonsense; and legs given by their joints.

#include "support/rigs.h"
#include "support/support.h"

static int rig_named(const char* title)
{
    rig r;
    for (int i = 0; i < rig_count(); ++i)
    {
        rig_make(i, &r);
        if (strcmp(r.title, title) == 0) return i;
    }
    fail_msg("no rig %s", title);
    return -1;
}

static int32_t joint_named(const rig* r, const char* name)
{
    for (int j = 0; j < r->count; ++j)
        if (strcmp(r->names[j], name) == 0) return j;
    fail_msg("no joint %s", name);
    return -1;
}

// A clip that holds one pose: each listed joint turned about X by its angle.
typedef struct turned
{
    const char* joint;
    double about_x;
} turned;

static sft_clip* hold(const rig* r, int frames, const turned* turns, int count)
{
    sft_clip* clip = NULL;
    assert_int_equal(sft_clip_create(r->count, frames, 0.02, NULL, &clip), SFT_OK);
    for (int f = 0; f < frames; ++f)
        for (int j = 0; j < r->count; ++j)
            clip->translations[(size_t)f * (size_t)r->count + (size_t)j] = r->offsets[j];
    for (int i = 0; i < count; ++i)
        for (int f = 0; f < frames; ++f)
            clip->rotations[(size_t)f * (size_t)r->count + (size_t)joint_named(r, turns[i].joint)] =
                sft_quatd_exp(sft_v3d_make(turns[i].about_x, 0, 0));
    return clip;
}

static void assert_legs(const rig* r, const sft_clip* clip)
{
    sft_skeleton* s = rig_skeleton(r);
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    assert_int_equal(count, r->leg_count);
    for (int i = 0; i < count; ++i)
    {
        assert_int_equal(legs[i].hip, r->legs[i].hip);
        assert_int_equal(legs[i].knee, r->legs[i].knee);
        assert_int_equal(legs[i].heel, r->legs[i].heel);
        assert_int_equal(legs[i].toe, r->legs[i].toe);
        assert_int_equal(legs[i].side, r->legs[i].side < 0 ? SFT_LEG_LEFT : SFT_LEG_RIGHT);
    }
    sft_skeleton_destroy(s, NULL);
}

static void test_leg_find_edges__lying_sitting_and_push_ups(void** state)
{
    (void)state;
    const turned lying[] = {{"Hips", -0.5 * SFT_PI}};
    const turned sitting[] = {{"LeftHip", -0.5 * SFT_PI},
                              {"RightHip", -0.5 * SFT_PI},
                              {"LeftKnee", 0.5 * SFT_PI},
                              {"RightKnee", 0.5 * SFT_PI}};
    const turned push_up[] = {
        {"Hips", 0.43 * SFT_PI}, {"LeftShoulder", -0.45 * SFT_PI}, {"RightShoulder", -0.45 * SFT_PI}};
    const turned handstand[] = {{"Hips", SFT_PI}, {"LeftShoulder", SFT_PI}, {"RightShoulder", SFT_PI}};
    const struct
    {
        const turned* turns;
        int count;
    } poses[] = {{lying, 1}, {sitting, 4}, {push_up, 3}, {handstand, 3}};
    support_rng rng = {5};
    for (size_t i = 0; i < sizeof poses / sizeof poses[0]; ++i)
        for (int nameless = 0; nameless < 2; ++nameless)
        {
            rig r;
            rig_make(rig_named("suit names, N-pose"), &r);
            sft_clip* clip = hold(&r, 20, poses[i].turns, poses[i].count);
            if (nameless != 0) rig_rename(&r, &rng);
            assert_legs(&r, clip);
            sft_skeleton* s = rig_skeleton(&r);
            sft_space space;
            assert_int_equal(sft_clip_infer_space(s, clip, NULL, &space), SFT_OK);
            assert_int_equal(space.up, SFT_AXIS_Y);
            assert_true(space.unit_metres == 1.0);
            sft_skeleton_destroy(s, NULL);
            sft_clip_destroy(clip, NULL);
        }
}

// On hands and knees all the time, and the rest pose no help: the arms stand like fore legs, but they are called arms.
static void test_leg_find_edges__crawling_person_keeps_two_legs(void** state)
{
    (void)state;
    rig r;
    support_rng rng = {6};
    rig_make(rig_named("suit names, N-pose"), &r);
    const turned crawl[] = {
        {"Hips", 0.5 * SFT_PI},     {"LeftShoulder", -0.5 * SFT_PI}, {"RightShoulder", -0.5 * SFT_PI},
        {"LeftHip", -0.5 * SFT_PI}, {"RightHip", -0.5 * SFT_PI},     {"LeftKnee", 0.4},
        {"RightKnee", 0.4}};
    for (int kind = RIG_AXES_RANDOM; kind <= RIG_AXES_AGAINST_X; ++kind)
    {
        sft_skeleton* s = NULL;
        sft_clip* clip = NULL;
        sft_quatd axes[RIG_JOINTS];
        rig_animate(&r, &rng, 40, 0.0, (rig_axes)kind, axes, &s, &clip);
        for (size_t i = 0; i < sizeof crawl / sizeof crawl[0]; ++i)
        {
            const int32_t j = joint_named(&r, crawl[i].joint), p = r.parents[j];
            const sft_quatd turn = sft_quatd_mul(sft_quatd_exp(sft_v3d_make(crawl[i].about_x, 0, 0)), axes[j]);
            for (int f = 0; f < 40; ++f)
                clip->rotations[(size_t)f * (size_t)r.count + (size_t)j] =
                    p >= 0 ? sft_quatd_mul(sft_quatd_conjugate(axes[p]), turn) : turn;
        }
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = -1;
        assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
        assert_int_equal(count, 2);
        assert_int_equal(legs[0].hip, r.legs[0].hip);
        assert_int_equal(legs[1].heel, r.legs[1].heel);
        sft_skeleton_destroy(s, NULL);
        sft_clip_destroy(clip, NULL);
    }
}

static void test_leg_find_edges__nothing_to_find(void** state)
{
    (void)state;
    rig r = {.title = "empty"};
    sft_leg legs[4];
    int32_t count = -1;
    for (int joints = 0; joints < 4; ++joints)
    {
        sft_skeleton* s = rig_skeleton(&r);
        assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 4, &count), SFT_OK);
        assert_int_equal(count, 0);
        sft_space space;
        assert_int_equal(sft_clip_infer_space(s, NULL, NULL, &space), SFT_OK);
        assert_int_equal(space.up, SFT_AXIS_Y);
        assert_true(space.unit_metres > 0.0 && !space.unit_sure && !space.up_sure && space.reason[0] != '\0');
        assert_int_equal(sft_clip_travel_joint(s, NULL, 0), joints == 0 ? -1 : 0);
        sft_skeleton_destroy(s, NULL);
        rig_add(&r, joints - 1, "base", 0, joints == 0 ? 0 : 5, 0);
    }
    assert_int_equal(sft_leg_find(NULL, NULL, NULL, legs, 4, &count), SFT_ERR_ARG);
    sft_skeleton* s = rig_skeleton(&r);
    assert_int_equal(sft_leg_find(s, NULL, NULL, NULL, 4, &count), SFT_ERR_ARG);
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 4, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, -1, &count), SFT_ERR_ARG);
    sft_clip* other = NULL;
    assert_int_equal(sft_clip_create(9, 2, 0.1, NULL, &other), SFT_OK);
    assert_int_equal(sft_leg_find(s, other, NULL, legs, 4, &count), SFT_ERR_ARG);
    sft_space space;
    assert_int_equal(sft_clip_infer_space(s, other, NULL, &space), SFT_ERR_ARG);
    assert_int_equal(sft_clip_infer_space(NULL, NULL, NULL, &space), SFT_ERR_ARG);
    sft_clip_destroy(other, NULL);
    sft_skeleton_destroy(s, NULL);
}

static void test_leg_find_edges__one_leg_needs_its_name(void** state)
{
    (void)state;
    rig r;
    rig_make(rig_named("one named leg"), &r);
    sft_skeleton* s = rig_skeleton(&r);
    sft_leg legs[4];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 4, &count), SFT_OK);
    assert_int_equal(count, 1);
    assert_int_equal(legs[0].side, SFT_LEG_LEFT);
    assert_int_equal(legs[0].pelvis, 0);
    assert_int_equal(legs[0].hip, 1);
    assert_int_equal(legs[0].toe, 4);
    sft_skeleton_destroy(s, NULL);
    support_rng rng = {1};
    rig_rename(&r, &rng);
    s = rig_skeleton(&r);
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 4, &count), SFT_OK);
    assert_int_equal(count, 0);
    sft_skeleton_destroy(s, NULL);
}

static void test_leg_find_edges__same_name_everywhere(void** state)
{
    (void)state;
    rig r;
    rig_make(rig_named("mixamo"), &r);
    for (int j = 0; j < r.count; ++j)
        snprintf(r.names[j], sizeof r.names[j], "LeftLeg");
    sft_skeleton* s = rig_skeleton(&r);
    sft_leg legs[4];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 4, &count), SFT_OK);
    assert_in_range(count, 0, 4);
    sft_skeleton_destroy(s, NULL);
}

// Roots stacked above the pelvis, on the ground, up in the air and a street away, and a file that has all the length
// there.
static void test_leg_find_edges__stems_above_the_pelvis(void** state)
{
    (void)state;
    const sft_v3d ways[] = {{0, 0, 0}, {0, 0.9, 0}, {0, -2, 0}, {30, 0, -50}, {0, 1e4, 0}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; ++i)
        for (int depth = 1; depth < 5; ++depth)
        {
            rig body, r = {.title = "stacked"};
            rig_make(rig_named("asf names"), &body);
            int parent = -1;
            for (int k = 0; k < depth; ++k)
                parent = rig_add(&r, parent, "stem", k == 1 ? ways[i].x : 0.0, k == 1 ? ways[i].y : 0.0,
                                 k == 1 ? ways[i].z : 0.0);
            for (int j = 0; j < body.count; ++j)
            {
                const sft_v3d o = j == 0 && depth == 1 ? ways[i] : body.offsets[j];
                const int made = rig_add(&r, j == 0 ? parent : body.parents[j] + depth, body.names[j], o.x, o.y, o.z);
                r.flags[made] = body.flags[j];
            }
            sft_skeleton* s = rig_skeleton(&r);
            sft_leg legs[4];
            int32_t count = -1;
            assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 4, &count), SFT_OK);
            assert_int_equal(count, 2);
            assert_int_equal(legs[0].hip, body.legs[0].hip + depth);
            assert_int_equal(legs[1].toe, body.legs[1].toe + depth);
            sft_space space;
            assert_int_equal(sft_clip_infer_space(s, NULL, NULL, &space), SFT_OK);
            assert_true(space.unit_metres == 1.0 && space.up == SFT_AXIS_Y);
            sft_skeleton_destroy(s, NULL);
        }
}

static void test_leg_find_edges__capacity_cuts(void** state)
{
    (void)state;
    rig r;
    rig_make(rig_named("spider"), &r);
    sft_skeleton* s = rig_skeleton(&r);
    sft_leg legs[8];
    for (int32_t capacity = 0; capacity <= 8; ++capacity)
    {
        int32_t count = -1;
        memset(legs, 0x5A, sizeof legs);
        assert_int_equal(sft_leg_find(s, NULL, NULL, legs, capacity, &count), SFT_OK);
        assert_int_equal(count, capacity);
        if (capacity < 8) assert_int_equal(legs[capacity].hip, 0x5A5A5A5A);
    }
    sft_skeleton_destroy(s, NULL);
}

static void test_leg_find_edges__two_people_in_one_file(void** state)
{
    (void)state;
    rig one, both;
    rig_make(rig_named("body model with leaf feet"), &one);
    both = one;
    for (int j = 0; j < one.count; ++j)
    {
        const int made =
            rig_add(&both, one.parents[j] < 0 ? -1 : one.parents[j] + one.count, one.names[j],
                    one.offsets[j].x + (one.parents[j] < 0 ? 1.5 : 0.0), one.offsets[j].y, one.offsets[j].z);
        both.flags[made] = one.flags[j];
    }
    sft_skeleton* s = rig_skeleton(&both);
    sft_leg legs[8];
    int32_t count = -1;
    assert_int_equal(sft_leg_find(s, NULL, NULL, legs, 8, &count), SFT_OK);
    assert_int_equal(count, 4);
    for (int i = 0; i < 4; i += 2)
    {
        assert_int_equal(legs[i].pelvis, legs[i + 1].pelvis);
        assert_int_equal(legs[i].side, SFT_LEG_LEFT);
        assert_int_equal(legs[i + 1].side, SFT_LEG_RIGHT);
    }
    sft_skeleton_destroy(s, NULL);
}

static void test_leg_find_edges__no_size_no_length(void** state)
{
    (void)state;
    rig r;
    for (int i = 0; i < rig_count(); ++i)
    {
        rig_make(i, &r);
        const double scales[] = {0.0, 1e-12, 1e12, -1.0};
        for (int k = 0; k < 4; ++k)
        {
            rig_make(i, &r);
            rig_scale(&r, scales[k]);
            sft_skeleton* s = rig_skeleton(&r);
            sft_leg legs[SFT_MAX_LEGS];
            int32_t count = -1;
            sft_space space;
            assert_int_equal(sft_clip_infer_space(s, NULL, NULL, &space), SFT_OK);
            assert_true(space.unit_metres > 0.0 && isfinite(space.unit_metres));
            assert_int_equal(sft_leg_find(s, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
            for (int32_t l = 0; l < count; ++l)
            {
                assert_true(fabs(sft_v3d_length(legs[l].knee_side) - 1.0) < 1e-12);
                assert_true(isfinite(legs[l].heel_min) && isfinite(legs[l].toe_min));
            }
            sft_skeleton_destroy(s, NULL);
        }
    }
}

// Random trees of 60,000 joints, deep, flat and bushy: an answer in a moment, whatever it is.
static void test_leg_find_edges__sixty_thousand_joints(void** state)
{
    (void)state;
    const int32_t n = 60000;
    const char** names = malloc((size_t)n * sizeof *names);
    int32_t* parents = malloc((size_t)n * sizeof *parents);
    sft_v3d* offsets = malloc((size_t)n * sizeof *offsets);
    assert_true(names != NULL && parents != NULL && offsets != NULL);
    support_rng rng = {21};
    for (int kind = 0; kind < 5; ++kind)
    {
        for (int32_t j = 0; j < n; ++j)
        {
            names[j] = j % 3 == 0 ? "LeftLeg" : "RightFoot";
            const int32_t any = (int32_t)support_uniform(&rng, 0, (double)j - 1e-6);
            parents[j] = j == 0      ? -1
                         : kind == 0 ? j - 1
                         : kind == 1 ? 0
                         : kind == 2 ? any
                         : kind == 3 ? (j < 50000 || j % 5 != 0 ? j - 1 : 49999)
                                     : (j % 4 == 1 ? 0 : j - 1);
            offsets[j] = sft_v3d_make(support_uniform(&rng, -0.1, 0.1), support_uniform(&rng, -0.3, 0.0),
                                      support_uniform(&rng, -0.1, 0.1));
        }
        const sft_skeleton def = {n, names, parents, NULL, offsets, NULL};
        sft_skeleton* s = NULL;
        assert_int_equal(sft_skeleton_create(&def, NULL, &s), SFT_OK);
        sft_clip* clip = NULL;
        assert_int_equal(sft_clip_create(n, 5, 0.1, NULL, &clip), SFT_OK);
        for (int32_t i = 0; i < 5 * n; ++i)
            clip->translations[i] = offsets[i % n];
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = -1;
        sft_space space;
        assert_int_equal(sft_leg_find(s, clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
        assert_in_range(count, 0, SFT_MAX_LEGS);
        assert_int_equal(sft_clip_infer_space(s, clip, NULL, &space), SFT_OK);
        assert_int_equal(sft_clip_first_frame(s, clip, NULL), 0);
        assert_int_equal(sft_clip_travel_joint(s, clip, 0), 0);
        sft_clip_destroy(clip, NULL);
        sft_skeleton_destroy(s, NULL);
    }
    free(names);
    free(parents);
    free(offsets);
}

static void test_leg_find_edges__every_allocation_may_fail(void** state)
{
    (void)state;
    rig r;
    rig_make(rig_named("dog"), &r);
    sft_skeleton* s = rig_skeleton(&r);
    bool done = false;
    for (long fail_at = 0; !done; ++fail_at)
    {
        support_heap heap = {0, fail_at, 0, 0, 0};
        const sft_allocator allocator = support_allocator(&heap);
        sft_leg legs[8];
        int32_t count = 77;
        sft_space space = {.unit_metres = 42.0};
        const sft_result found = sft_leg_find(s, NULL, &allocator, legs, 8, &count);
        assert_int_equal(heap.live_blocks, 0);
        assert_true(found == SFT_OK ? count == 4 : found == SFT_ERR_MEMORY && count == 77);
        heap = (support_heap){0, fail_at, 0, 0, 0};
        const sft_result inferred = sft_clip_infer_space(s, NULL, &allocator, &space);
        assert_int_equal(heap.live_blocks, 0);
        assert_true(inferred == SFT_OK ? space.unit_metres == 1.0
                                       : inferred == SFT_ERR_MEMORY && space.unit_metres == 42.0);
        done = found == SFT_OK && inferred == SFT_OK;
    }
    sft_skeleton_destroy(s, NULL);
}

// ---- legs given by their joints ----

static void test_leg_find_edges__complete_agrees_with_find(void** state)
{
    (void)state;
    for (int i = 0; i < rig_count(); ++i)
    {
        rig r;
        rig_make(i, &r);
        sft_skeleton* s = rig_skeleton(&r);
        sft_leg legs[SFT_MAX_LEGS];
        int32_t count = -1;
        assert_int_equal(sft_leg_find(s, NULL, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
        for (int32_t k = 0; k < count; ++k)
        {
            sft_leg given = {SFT_LEG_MIDDLE,
                             0,
                             -1,
                             legs[k].hip,
                             legs[k].knee,
                             legs[k].heel,
                             legs[k].toe,
                             legs[k].toe_end,
                             {0, 0, 0},
                             -1,
                             -1,
                             -1,
                             ""};
            sft_error error;
            assert_int_equal(sft_leg_complete(s, NULL, &given, &error), SFT_OK);
            assert_int_equal(given.side, legs[k].side);
            assert_true(given.pelvis >= 0 && given.pelvis < s->joint_count);
            assert_true(given.heel_min == legs[k].heel_min && given.toe_min == legs[k].toe_min);
            // The last resort, facing, is not known to complete(); all other sources are the same.
            if (strstr(legs[k].reason, "facing") == NULL)
                assert_true(sft_v3d_distance(given.knee_side, legs[k].knee_side) < 1e-12);
        }
        sft_skeleton_destroy(s, NULL);
    }
}

static void test_leg_find_edges__complete_names_the_wrong_joint(void** state)
{
    (void)state;
    rig r;
    rig_make(rig_named("mixamo"), &r);
    sft_skeleton* s = rig_skeleton(&r);
    const rig_leg* l = &r.legs[0];
    const sft_leg good = {SFT_LEG_LEFT, 0,         l->pelvis, l->hip, l->knee, l->heel, l->toe,
                          l->toe_end,   {0, 0, 0}, 0,         0,      0,       ""};
    struct
    {
        int role;
        int32_t joint;
        const char* said;
    } wrong[] = {{0, -1, "hip"},          {0, 9999, "hip"},          {1, l->hip, "knee"},
                 {1, l->pelvis, "knee"},  {2, l->hip, "heel"},       {3, l->knee, "toe"},
                 {4, l->heel, "toe end"}, {3, r.legs[1].toe, "toe"}, {2, -7, "heel"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; ++i)
    {
        sft_leg leg = good;
        int32_t* const roles[5] = {&leg.hip, &leg.knee, &leg.heel, &leg.toe, &leg.toe_end};
        *roles[wrong[i].role] = wrong[i].joint;
        sft_error error = {0};
        const sft_leg before = leg;
        assert_int_equal(sft_leg_complete(s, NULL, &leg, &error), SFT_ERR_ARG);
        assert_int_equal(error.code, SFT_ERR_ARG);
        assert_non_null(strstr(error.message, wrong[i].said));
        assert_memory_equal(&leg, &before, sizeof leg);
        assert_int_equal(sft_leg_complete(s, NULL, &leg, NULL), SFT_ERR_ARG);
    }
    sft_leg leg = good;
    assert_int_equal(sft_leg_complete(NULL, NULL, &leg, NULL), SFT_ERR_ARG);
    assert_int_equal(sft_leg_complete(s, NULL, NULL, NULL), SFT_ERR_ARG);
    sft_skeleton_destroy(s, NULL);
}

// A leg in the plane x = 0 whose knee bulges by `bend` towards +Z, foot along `foot`.
static sft_leg lone_leg(double bend, sft_v3d foot, sft_skeleton** s)
{
    rig r = {.title = "lone"};
    const int hip = rig_add(&r, -1, "a", 0, 1, 0);
    const int knee = rig_add(&r, hip, "b", 0, -0.45, bend);
    const int heel = rig_add(&r, knee, "c", 0, -0.45, -bend);
    const int toe = rig_end(&r, heel, foot.x, foot.y, foot.z);
    *s = rig_skeleton(&r);
    return (sft_leg){SFT_LEG_MIDDLE, 0, -1, hip, knee, heel, toe, -1, {0, 0, 0}, 0, 0, 0, ""};
}

static void test_leg_find_edges__knee_side_sign_and_sources(void** state)
{
    (void)state;
    const sft_v3d forward = {0, -0.05, 0.15}, backward = {0, -0.05, -0.15}, none = {0, 0, 0}, down = {0, -0.1, 0};
    struct
    {
        double bend;
        sft_v3d foot;
        double x;
        const char* from;
    } cases[] = {
        {0.2, forward, 1, "bend"},     // plainly bent: the bend decides
        {-0.2, forward, -1, "bend"},   // a bird's ankle, an elbow: bent against the foot
        {0.2, backward, 1, "bend"},    //
        {0.0, forward, 1, "foot"},     // straight: knees bend towards the toes
        {0.0, backward, -1, "foot"},   //
        {0.003, backward, -1, "foot"}, // straight within noise
        {0.0, none, 1, "facing"},      // nothing but +Z to go by
        {0.0, down, 1, "facing"},      //
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i)
    {
        sft_skeleton* s = NULL;
        sft_leg leg = lone_leg(cases[i].bend, cases[i].foot, &s);
        assert_int_equal(sft_leg_complete(s, NULL, &leg, NULL), SFT_OK);
        assert_true(sft_v3d_distance(leg.knee_side, sft_v3d_make(cases[i].x, 0, 0)) < 1e-9);
        assert_non_null(strstr(leg.reason, cases[i].from));
        // By definition: (heel - hip) x side points to where the knee bulges, and bending turns the shin about it.
        if (fabs(cases[i].bend) > 0.1)
        {
            const sft_v3d bulge = sft_v3d_cross(sft_v3d_make(0, -1, 0), leg.knee_side);
            assert_true(bulge.z * cases[i].bend > 0.0);
            const sft_quatd more = sft_quatd_exp(sft_v3d_scale(0.3, leg.knee_side));
            const sft_v3d shin = sft_quatd_rotate(more, sft_v3d_make(0, -0.45, -cases[i].bend));
            const sft_v3d heel = sft_v3d_add(sft_v3d_make(0, -0.45, cases[i].bend), shin);
            assert_true(sft_v3d_length(heel) < 0.9);
        }
        sft_skeleton_destroy(s, NULL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leg_find_edges__lying_sitting_and_push_ups),
        cmocka_unit_test(test_leg_find_edges__crawling_person_keeps_two_legs),
        cmocka_unit_test(test_leg_find_edges__nothing_to_find),
        cmocka_unit_test(test_leg_find_edges__one_leg_needs_its_name),
        cmocka_unit_test(test_leg_find_edges__same_name_everywhere),
        cmocka_unit_test(test_leg_find_edges__stems_above_the_pelvis),
        cmocka_unit_test(test_leg_find_edges__capacity_cuts),
        cmocka_unit_test(test_leg_find_edges__two_people_in_one_file),
        cmocka_unit_test(test_leg_find_edges__no_size_no_length),
        cmocka_unit_test(test_leg_find_edges__sixty_thousand_joints),
        cmocka_unit_test(test_leg_find_edges__every_allocation_may_fail),
        cmocka_unit_test(test_leg_find_edges__complete_agrees_with_find),
        cmocka_unit_test(test_leg_find_edges__complete_names_the_wrong_joint),
        cmocka_unit_test(test_leg_find_edges__knee_side_sign_and_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
