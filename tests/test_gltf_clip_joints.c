// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Which nodes of a glTF document are joints.

#include "support/support.h"

#include "gltf/gltf.h"
#include "support/gltf_scene.h"

// Joints as one text: "name<parent" each, "-" for roots.
static void expect_joints(const scene* s, const char* expected)
{
    void* bytes;
    size_t size;
    scene_glb(s, &bytes, &size);
    sft_gltf* gltf;
    sft_error error = {0};
    if (sft_gltf_read(NULL, bytes, size, NULL, &gltf, &error) != SFT_OK) fail_msg("%s", error.message);
    sft_skeleton* skeleton;
    sft_clip* clip;
    assert_int_equal(sft_gltf_to_clip(gltf, -1, NULL, NULL, &skeleton, &clip, NULL, &error), SFT_OK);
    char text[2048] = "";
    size_t length = 0;
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    assert_int_equal(view->joint_count, skeleton->joint_count);
    for (int32_t j = 0; j < skeleton->joint_count; ++j)
    {
        const int32_t parent = skeleton->parents[j];
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s<%s", j > 0 ? " " : "", skeleton->names[j],
                                   parent >= 0 ? skeleton->names[parent] : "-");
        assert_int_equal(view->node_joints[view->joint_nodes[j]], j);
    }
    assert_string_equal(text, expected);
    sft_skeleton_destroy(skeleton, NULL);
    sft_clip_destroy(clip, NULL);
    sft_gltf_destroy(gltf);
    free(bytes);
}

static void move(scene* s, int node, int path)
{
    float* times = scene_floats(s, 2);
    float* values = scene_floats(s, 8);
    times[1] = 1.0f;
    values[3] = values[7] = 1.0f;
    scene_channel_add(s, 0, (scene_channel){node, path, SCENE_LINEAR, 2, times, values});
}

static void test_gltf_clip_joints__a_skin_and_what_lies_between(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int armature = scene_add(s, "Armature", -1);
    const int hips = scene_add(s, "Hips", armature);
    const int between = scene_add(s, "Between", hips);
    const int foot = scene_add(s, "Foot", between);
    const int toe = scene_add(s, "Toe", foot);
    const int body = scene_add(s, "Body", armature);
    s->nodes[body].mesh = true;
    (void)toe;
    scene_skin_over(s, (int[]){foot, hips}, 2);
    // The toe hangs below and carries nothing; the armature does not move.
    expect_joints(s, "Hips<- Between<Hips Foot<Between Toe<Foot");
    // skin.skeleton is a hint and no more, right or wrong.
    s->skins[0].skeleton = armature;
    expect_joints(s, "Hips<- Between<Hips Foot<Between Toe<Foot");
    s->skins[0].skeleton = body;
    expect_joints(s, "Hips<- Between<Hips Foot<Between Toe<Foot");
    scene_free(s);
}

static void test_gltf_clip_joints__what_moves_above(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int world = scene_add(s, "World", -1);
    const int rig = scene_add(s, "Rig", world);
    const int armature = scene_add(s, "Armature", rig);
    const int hips = scene_add(s, "Hips", armature);
    const int mesh = scene_add(s, "Mesh", rig);
    s->nodes[mesh].mesh = true;
    scene_skin_over(s, (int[]){hips}, 1);
    move(s, rig, SCENE_TRANSLATION);
    move(s, mesh, SCENE_ROTATION);
    expect_joints(s, "Rig<- Armature<Rig Hips<Armature");
    scene_free(s);
    // Morph weights move no node.
    s = scene_new();
    const int face = scene_add(s, "Face", -1);
    s->nodes[face].mesh = true;
    const int jaw = scene_add(s, "Jaw", face);
    scene_skin_over(s, (int[]){jaw}, 1);
    move(s, face, SCENE_WEIGHTS);
    expect_joints(s, "Jaw<-");
    scene_free(s);
}

static void test_gltf_clip_joints__several_roots_meet(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int scene_root = scene_add(s, "Scene", -1);
    const int armature = scene_add(s, "Armature", scene_root);
    const int group = scene_add(s, "Group", armature);
    const int hips = scene_add(s, "Hips", group);
    const int left = scene_add(s, "IK.L", armature);
    const int right = scene_add(s, "IK.R", armature);
    scene_skin_over(s, (int[]){right, hips, left}, 3);
    expect_joints(s, "Armature<- Group<Armature Hips<Group IK.L<Armature IK.R<Armature");
    scene_free(s);
    // Nothing above both: two roots.
    s = scene_new();
    const int one = scene_add(s, "One", -1), two = scene_add(s, "Two", -1);
    scene_skin_over(s, (int[]){two, one, two}, 3);
    expect_joints(s, "One<- Two<-");
    scene_free(s);
}

static void test_gltf_clip_joints__several_skins(void** state)
{
    (void)state;
    // On one skeleton: the head's skin hangs in the body's.
    scene* s = scene_new();
    const int hips = scene_add(s, "Hips", -1);
    const int spine = scene_add(s, "Spine", hips);
    const int neck = scene_add(s, "Neck", spine);
    const int head = scene_add(s, "Head", neck);
    scene_skin_over(s, (int[]){hips, spine}, 2);
    scene_skin_over(s, (int[]){head}, 1);
    expect_joints(s, "Hips<- Spine<Hips Neck<Spine Head<Neck");
    scene_free(s);
    // Two characters side by side stay apart.
    s = scene_new();
    const int stage = scene_add(s, "Stage", -1);
    const int a = scene_add(s, "A", stage), b = scene_add(s, "B", stage);
    const int a1 = scene_add(s, "A1", a), b1 = scene_add(s, "B1", b);
    scene_skin_over(s, (int[]){a1, a}, 2);
    scene_skin_over(s, (int[]){b, b1}, 2);
    expect_joints(s, "A<- A1<A B<- B1<B");
    scene_free(s);
}

static void test_gltf_clip_joints__things_in_hands_are_none(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int hand = scene_add(s, "Hand", -1);
    const int slot = scene_add(s, "Slot", hand);
    const int holder = scene_add(s, "Holder", slot);
    const int sword = scene_add(s, "Sword", holder);
    const int lens = scene_add(s, "Lens", hand);
    const int thumb = scene_add(s, "Thumb", hand);
    const int nail = scene_add(s, "Nail", thumb);
    s->nodes[sword].mesh = true;
    s->nodes[lens].camera = true;
    (void)nail;
    scene_skin_over(s, (int[]){hand}, 1);
    expect_joints(s, "Hand<- Thumb<Hand Nail<Thumb");
    s->skins[0] = (scene_skin){2, {hand, slot}, -1};
    expect_joints(s, "Hand<- Slot<Hand Thumb<Hand Nail<Thumb");
    // A mesh that joints hang from is one of them; so is a camera.
    s->skins[0] = (scene_skin){2, {hand, sword}, -1};
    expect_joints(s, "Hand<- Slot<Hand Holder<Slot Sword<Holder Thumb<Hand Nail<Thumb");
    const int tip = scene_add(s, "Tip", lens);
    s->skins[0] = (scene_skin){2, {hand, tip}, -1};
    expect_joints(s, "Hand<- Lens<Hand Tip<Lens Thumb<Hand Nail<Thumb");
    scene_free(s);
}

static void test_gltf_clip_joints__without_skins(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int top = scene_add(s, "Top", -1);
    const int upper = scene_add(s, "Upper", top);
    const int still = scene_add(s, "Still", upper);
    const int lower = scene_add(s, "Lower", still);
    const int tip = scene_add(s, "Tip", lower);
    const int box = scene_add(s, "Box", lower);
    const int other = scene_add(s, "Other", -1);
    s->nodes[box].mesh = s->nodes[other].mesh = true;
    (void)tip;
    // Nothing moves: all nodes of the scene, things among them.
    expect_joints(s, "Top<- Upper<Top Still<Upper Lower<Still Tip<Lower Box<Lower Other<-");
    s->nodes[other].out = true;
    expect_joints(s, "Top<- Upper<Top Still<Upper Lower<Still Tip<Lower Box<Lower");
    move(s, upper, SCENE_ROTATION);
    move(s, lower, SCENE_ROTATION);
    move(s, other, SCENE_TRANSLATION);
    expect_joints(s, "Upper<- Still<Upper Lower<Still Tip<Lower Other<-");
    scene_free(s);
}

static void test_gltf_clip_joints__things_side_by_side_are_no_skeleton(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int a = scene_add(s, "A", -1), b = scene_add(s, "B", -1);
    s->nodes[a].mesh = s->nodes[b].camera = true;
    expect_joints(s, "");
    move(s, a, SCENE_WEIGHTS);
    expect_joints(s, "");
    s->nodes[b].camera = false;
    expect_joints(s, "A<- B<-");
    scene_free(s);
    s = scene_new();
    expect_joints(s, "");
    scene_free(s);
}

static void test_gltf_clip_joints__names(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int a = scene_add(s, NULL, -1);
    const int b = scene_add(s, "same", a);
    const int c = scene_add(s, "same", b);
    const int d = scene_add(s, "", c);
    scene_skin_over(s, (int[]){a, b, c, d}, 4);
    expect_joints(s, "node 0<- same<node 0 same<same node 3<same");
    scene_free(s);
}

static void test_gltf_clip_joints__nodes_no_scene_reaches(void** state)
{
    (void)state;
    scene* s = scene_new();
    const int shown = scene_add(s, "Shown", -1);
    const int hidden = scene_add(s, "Hidden", -1);
    const int below = scene_add(s, "Below", hidden);
    s->nodes[hidden].out = true;
    (void)shown;
    (void)below;
    expect_joints(s, "Shown<-");
    scene_skin_over(s, (int[]){hidden}, 1);
    expect_joints(s, "Hidden<- Below<Hidden");
    scene_free(s);
}

// A pointer that moves what is above the skeleton moves the skeleton: not to be overlooked.
static void test_gltf_clip_joints__pointers_move_too(void** state)
{
    (void)state;
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"children\":[1]},{}],\"skins\":[{\"joints\":[1]}],"
        "\"accessors\":[{\"componentType\":5126,\"count\":1,\"type\":\"SCALAR\"},"
        "{\"componentType\":5126,\"count\":1,\"type\":\"VEC3\"}],\"animations\":[{\"samplers\":[{\"input\":0,"
        "\"output\":1}],\"channels\":[{\"sampler\":0,\"target\":{\"path\":\"pointer\",\"extensions\":"
        "{\"KHR_animation_pointer\":{\"pointer\":\"/nodes/0/translation\"}}}}]}]}";
    sft_gltf* gltf;
    sft_error error = {0};
    if (sft_gltf_read(NULL, text, sizeof text - 1, NULL, &gltf, &error) != SFT_OK) fail_msg("%s", error.message);
    const sft_gltf_contents* view = sft_gltf_view(gltf);
    assert_int_equal(view->joint_count, 2);
    assert_non_null(strstr(view->animations[0].problem, "KHR_animation_pointer"));
    sft_skeleton* skeleton = NULL;
    sft_clip* clip = NULL;
    assert_int_equal(sft_gltf_to_clip(gltf, 0, NULL, NULL, &skeleton, &clip, NULL, &error), SFT_ERR_UNSUPPORTED);
    assert_non_null(strstr(error.message, "KHR_animation_pointer"));
    sft_gltf_destroy(gltf);
}

// A chain as deep as a skeleton may be, a comb of wrappers with roots at every depth: linear, and no recursion.
static void test_gltf_clip_joints__depth_costs_nothing(void** state)
{
    (void)state;
    const int32_t count = 60000;
    for (int comb = 0; comb < 2; ++comb)
    {
        char* text = malloc((size_t)count * 80 + 1000);
        size_t n = (size_t)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[");
        for (int32_t i = 0; i < count; ++i)
        {
            const int32_t next = comb != 0 ? i + 2 : i + 1;
            n += (size_t)sprintf(text + n, "%s{\"scale\":[-1,1,1]", i > 0 ? "," : "");
            if (comb == 0 && next < count) n += (size_t)sprintf(text + n, ",\"children\":[%d]", next);
            if (comb != 0 && i % 2 == 0 && next < count)
                n += (size_t)sprintf(text + n, ",\"children\":[%d,%d]", i + 1, next);
            text[n++] = '}';
        }
        n += (size_t)sprintf(text + n, "],\"skins\":[");
        // Every joint a skin of its own in the comb, so that they do not meet.
        for (int32_t i = 0; i < (comb != 0 ? count / 2 - 1 : 1); ++i)
            n += (size_t)sprintf(text + n, "%s{\"joints\":[%d]}", i > 0 ? "," : "", comb != 0 ? 2 * i + 1 : 0);
        n += (size_t)sprintf(text + n, "]}");
        sft_gltf* gltf;
        sft_error error = {0};
        if (sft_gltf_read(NULL, text, n, NULL, &gltf, &error) != SFT_OK) fail_msg("%s", error.message);
        assert_int_equal(sft_gltf_view(gltf)->joint_count, comb != 0 ? count / 2 - 1 : count);
        sft_skeleton* skeleton;
        sft_clip* clip;
        if (sft_gltf_to_clip(gltf, -1, NULL, NULL, &skeleton, &clip, NULL, &error) != SFT_OK)
            fail_msg("%s", error.message);
        sft_skeleton_destroy(skeleton, NULL);
        sft_clip_destroy(clip, NULL);
        sft_gltf_destroy(gltf);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gltf_clip_joints__a_skin_and_what_lies_between),
        cmocka_unit_test(test_gltf_clip_joints__what_moves_above),
        cmocka_unit_test(test_gltf_clip_joints__several_roots_meet),
        cmocka_unit_test(test_gltf_clip_joints__several_skins),
        cmocka_unit_test(test_gltf_clip_joints__things_in_hands_are_none),
        cmocka_unit_test(test_gltf_clip_joints__without_skins),
        cmocka_unit_test(test_gltf_clip_joints__things_side_by_side_are_no_skeleton),
        cmocka_unit_test(test_gltf_clip_joints__names),
        cmocka_unit_test(test_gltf_clip_joints__nodes_no_scene_reaches),
        cmocka_unit_test(test_gltf_clip_joints__pointers_move_too),
        cmocka_unit_test(test_gltf_clip_joints__depth_costs_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
