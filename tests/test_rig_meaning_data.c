// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What joints of real files mean, joint by joint, against tables read off their hierarchies by eye; and the same files
// with meaningless names.

#include "support/support.h"

#include "surefoot/rig.h"

// Joints that have a meaning, "name=part". In names '%' stands for Left and Right, '@' for l and r (or L and R), '~'
// for a space; "L:" and "R:" before the part where the name says no side. Behind the part: a finger's digit, "p" and
// the pair of an animal's girdle, a twist joint's carrier. All joints that are not listed mean nothing.

static const char CMU_MB[] =
    "Hips=hips %UpLeg=thigh %Leg=shin %Foot=foot %ToeBase=toe LowerBack=spine Spine=spine Spine1=spine Neck=neck "
    "Neck1=neck Head=head %Shoulder=clavicle %Arm=upper_arm %ForeArm=forearm %Hand=hand %FingerBase=finger1 "
    "%HandIndex1=finger1 @Thumb=finger0";

static const char CMU_FINGERS[] =
    "Hips=hips %UpLeg=thigh %Leg=shin %Foot=foot %ToeBase=toe LowerBack=spine Spine=spine Spine1=spine Neck=neck "
    "Neck1=neck Head=head %Shoulder=clavicle %Arm=upper_arm %ForeArm=forearm %Hand=hand %FingerBase=finger "
    "@Fingers=finger @Thumb=finger0";

static const char CMU_DAZ[] =
    "hip=hips abdomen=spine chest=spine neck=neck head=head @Collar=clavicle @Shldr=upper_arm @ForeArm=forearm "
    "@Hand=hand @Thumb1=finger0 @Thumb2=finger0 @Index1=finger1 @Index2=finger1 @Mid1=finger2 @Mid2=finger2 "
    "@Ring1=finger3 @Ring2=finger3 @Pinky1=finger4 @Pinky2=finger4 @Thigh=thigh @Shin=shin @Foot=foot";

static const char CMU_MAX[] =
    "Hips=hips %Hip=thigh %Knee=shin %Ankle=foot %Toe=toe lowerback=spine Chest=spine Chest2=spine lowerneck=neck "
    "Neck=neck Head=head %Collar=clavicle %Shoulder=upper_arm %Elbow=forearm %Wrist=hand @hand=finger "
    "@Fingers=finger @Thumb=finger0";

static const char FAIR[] =
    "Hips=hips Spine=spine Spine1=spine Spine2=spine Spine3=spine Neck=neck Head=head %Shoulder=clavicle "
    "%Arm=upper_arm %ForeArm=forearm %Hand=hand %HandThumb1=finger0 %UpLeg=thigh %Leg=shin %Foot=foot "
    "%ToeBase=toe";

static const char MIXAMO[] =
    "mixamorig:Hips=hips mixamorig:Spine=spine mixamorig:Spine1=spine mixamorig:Spine2=spine mixamorig:Neck=neck "
    "mixamorig:Head=head mixamorig:%Shoulder=clavicle mixamorig:%Arm=upper_arm mixamorig:%ForeArm=forearm "
    "mixamorig:%Hand=hand mixamorig:%HandThumb1=finger0 mixamorig:%HandThumb2=finger0 "
    "mixamorig:%HandThumb3=finger0 mixamorig:%HandIndex1=finger1 mixamorig:%HandIndex2=finger1 "
    "mixamorig:%HandIndex3=finger1 mixamorig:%HandMiddle1=finger2 mixamorig:%HandMiddle2=finger2 "
    "mixamorig:%HandMiddle3=finger2 mixamorig:%HandRing1=finger3 mixamorig:%HandRing2=finger3 "
    "mixamorig:%HandRing3=finger3 mixamorig:%HandPinky1=finger4 mixamorig:%HandPinky2=finger4 "
    "mixamorig:%HandPinky3=finger4 mixamorig:%UpLeg=thigh mixamorig:%Leg=shin mixamorig:%Foot=foot "
    "mixamorig:%ToeBase=toe";

static const char MOCAPBANK[] =
    "Hips=hips Chest=spine Chest2=spine %Collar=clavicle %Shoulder=upper_arm %Elbow=forearm %Wrist=hand Neck=neck "
    "Head=head %Hip=thigh %Knee=shin %Ankle=foot";

static const char XSENS[] =
    "Hips=hips Chest=spine Chest2=spine Chest3=spine Chest4=spine Neck=neck Head=head %Collar=clavicle "
    "%Shoulder=upper_arm %Elbow=forearm %Wrist=hand %Hip=thigh %Knee=shin %Ankle=foot %Toe=toe";

static const char MAKEHUMAN_WALK[] =
    "Root=hips Spine1=spine Spine2=spine Spine3=spine Neck=neck Head=head Clavicle_@=clavicle UpArm_@=upper_arm "
    "LoArm_@=forearm Hand_@=hand Thumb1_@=finger0 Thumb2_@=finger0 Thumb3_@=finger0 Index1_@=finger1 "
    "Index2_@=finger1 Index3_@=finger1 Middle1_@=finger2 Middle2_@=finger2 Middle3_@=finger2 Ring1_@=finger3 "
    "Ring2_@=finger3 Ring3_@=finger3 Pinky1_@=finger4 Pinky2_@=finger4 Pinky3_@=finger4 UpLeg_@=thigh "
    "LoLeg_@=shin Foot_@=foot Toe_@=toe";

static const char MAKEHUMAN[] =
    "root=hips upperleg01.@=thigh upperleg02.@=twist(upperleg01.@) lowerleg01.@=shin "
    "lowerleg02.@=twist(lowerleg01.@) foot.@=foot metatarsal1.@=toe toe1-1.@=toe spine05=spine spine04=spine "
    "spine03=spine spine02=spine spine01=spine clavicle.@=clavicle shoulder01.@=clavicle upperarm01.@=upper_arm "
    "upperarm02.@=twist(upperarm01.@) lowerarm01.@=forearm lowerarm02.@=twist(lowerarm01.@) wrist.@=hand "
    "finger1-1.@=finger0 finger1-2.@=finger0 finger1-3.@=finger0 metacarpal4.@=finger4 finger5-1.@=finger4 "
    "finger5-2.@=finger4 finger5-3.@=finger4 metacarpal3.@=finger3 finger4-1.@=finger3 finger4-2.@=finger3 "
    "finger4-3.@=finger3 metacarpal1.@=finger1 finger2-1.@=finger1 finger2-2.@=finger1 finger2-3.@=finger1 "
    "metacarpal2.@=finger2 finger3-1.@=finger2 finger3-2.@=finger2 finger3-3.@=finger2 neck01=neck neck02=neck "
    "neck03=neck head=head";

static const char GENO[] =
    "Hips=hips Spine=spine Spine1=spine Spine2=spine Spine3=spine Neck=neck Neck1=neck Head=head "
    "%Shoulder=clavicle %Arm=upper_arm %ForeArm=forearm %Hand=hand %HandThumb1=finger0 %HandThumb2=finger0 "
    "%HandThumb3=finger0 %HandIndex1=finger1 %HandIndex2=finger1 %HandIndex3=finger1 %HandMiddle1=finger2 "
    "%HandMiddle2=finger2 %HandMiddle3=finger2 %HandRing1=finger3 %HandRing2=finger3 %HandRing3=finger3 "
    "%HandPinky1=finger4 %HandPinky2=finger4 %HandPinky3=finger4 %UpLeg=thigh %Leg=shin %Foot=foot %ToeBase=toe";

static const char KINECT[] =
    "Hips=hips %UpLeg=thigh %Leg=shin %Foot=foot Spine=spine Spine1=spine %Shoulder=clavicle %Arm=upper_arm "
    "%ForeArm=forearm %Hand=hand %HandThumb1=finger0 %HandThumb2=finger0 %HandThumb3=finger0 %HandIndex1=finger1 "
    "%HandIndex2=finger1 %HandIndex3=finger1 %HandMiddle1=finger2 %HandMiddle2=finger2 %HandMiddle3=finger2 "
    "%HandRing1=finger3 %HandRing2=finger3 %HandRing3=finger3 %HandPinky1=finger4 %HandPinky2=finger4 "
    "%HandPinky3=finger4 Neck=neck Head=head";

static const char BOXING[] =
    "Hips=hips Ab=spine Chest=spine Neck=neck Head=head %Collar=clavicle %Shoulder=upper_arm %Elbow=forearm "
    "%Wrist=hand %Hip=thigh %Knee=shin %Ankle=foot %Toes=toe";

static const char OPENSIM[] = "pelvis=hips femur_@=thigh tibia_@=shin talus_@=foot calcn_@=toe toes_@=toe torso=spine";

static const char MIXED[] =
    "Hips=hips Spine=spine Spine1=spine Spine2=spine Spine3=spine Neck=neck Neck1=neck Head=head "
    "%Shoulder=clavicle %Arm=upper_arm %ForeArm=forearm %Hand=hand %UpLeg=thigh %Leg=shin %Foot=foot %ToeBase=toe";

static const char M2M_HUMAN[] =
    "root=root pelvis=hips spine_01=spine spine_02=spine spine_03=spine neck_01=neck head=head "
    "clavicle_@=clavicle upperarm_@=upper_arm lowerarm_@=forearm hand_@=hand index_01_@=finger1 "
    "index_02_@=finger1 index_03_@=finger1 middle_01_@=finger2 middle_02_@=finger2 middle_03_@=finger2 "
    "pinky_01_@=finger4 pinky_02_@=finger4 pinky_03_@=finger4 ring_01_@=finger3 ring_02_@=finger3 "
    "ring_03_@=finger3 thumb_01_@=finger0 thumb_02_@=finger0 thumb_03_@=finger0 thigh_@=thigh calf_@=shin "
    "foot_@=foot ball_@=toe";

static const char KAYKIT[] =
    "root=root hips=hips spine=spine chest=spine upperarm.@=upper_arm lowerarm.@=forearm wrist.@=hand "
    "hand.@=finger head=head upperleg.@=thigh lowerleg.@=shin foot.@=foot toes.@=toe";

static const char CESIUM[] =
    "node~2=hips node~11=spine node~12=spine node~19=neck node~20=head node~16=L:upper_arm node~17=L:forearm "
    "node~18=L:hand node~13=R:upper_arm node~14=R:forearm node~15=R:hand node~7=L:thigh node~8=L:shin "
    "node~9=L:foot node~10=L:toe node~3=R:thigh node~4=R:shin node~5=R:foot node~6=R:toe";

static const char GREENMAN[] = "Armature=root root=hips body_low=spine hand_@=hand hip_@=thigh leg_@=shin";

static const char BITMOJI[] =
    "C_spine0001_bind_JNT=hips C_spine0002_bind_JNT=spine C_spine0006_bind_JNT=spine C_neck0001_bind_JNT=neck "
    "C_neck0002_bind_JNT=neck C_head0001_bind_JNT=head @_clavicle_bind_JNT=clavicle "
    "@_armUpper0001_bind_JNT=upper_arm @_armUpper0003_bind_JNT=twist(@_armUpper0001_bind_JNT) "
    "@_armLower0001_bind_JNT=forearm @_hand0001_bind_JNT=hand @_handThumb0001_bind_JNT=finger0 "
    "@_handThumb0002_bind_JNT=finger0 @_handThumb0003_bind_JNT=finger0 @_handPinky0002_bind_JNT=finger4 "
    "@_handPinky0003_bind_JNT=finger4 @_handPinky0004_bind_JNT=finger4 @_handRing0002_bind_JNT=finger3 "
    "@_handRing0003_bind_JNT=finger3 @_handRing0004_bind_JNT=finger3 @_handMiddle0002_bind_JNT=finger2 "
    "@_handMiddle0003_bind_JNT=finger2 @_handMiddle0004_bind_JNT=finger2 @_handPointer0002_bind_JNT=finger1 "
    "@_handPointer0003_bind_JNT=finger1 @_handPointer0004_bind_JNT=finger1 "
    "@_armLower0003_bind_JNT=twist(@_armLower0001_bind_JNT) @_legUpper0001_bind_JNT=thigh "
    "@_legLower0001_bind_JNT=shin @_foot0001_bind_JNT=foot @_foot0002_bind_JNT=toe";

static const char FOX_M2M[] =
    "root=root Hips=hips Spine_1=spine Spine_2=spine Spine_2.001=spine Spine_3=neck Spine_4=neck Head=head "
    "Front_Leg_Shoulder_@=claviclep1 Front_Leg_Upper_@=thighp1 Front_Leg_Lower_@=shinp1 Front_Leg_Ankle_@=footp1 "
    "Front_Leg_Foot_@=toep1 Tail_Base=tail Tail_Mid=tail Tail_Mid.001=tail Tail_End=tail Back_Leg_Upper_@=thigh "
    "Back_Leg_Lower_@=shin Back_Leg_Ankle_@=foot Back_Leg_Foot_@=toe Back_Leg_Foot_1_@=toe";

static const char FOX[] =
    "_rootJoint=root b_Root_00=root b_Hip_01=hips b_Spine01_02=spine b_Spine02_03=spine b_Neck_04=neck "
    "b_Head_05=head b_%UpperArm_06=thighp1 b_%ForeArm_07=shinp1 b_%Hand_08=footp1 b_%UpperArm_09=thighp1 "
    "b_%ForeArm_010=shinp1 b_%Hand_011=footp1 b_Tail01_012=tail b_Tail02_013=tail b_Tail03_014=tail "
    "b_%Leg01_015=thigh b_%Leg02_016=shin b_%Foot01_017=foot b_%Foot02_018=toe b_%Leg01_019=thigh "
    "b_%Leg02_020=shin b_%Foot01_021=foot b_%Foot02_022=toe";

static const char SPIDER[] =
    "root=root hips=hips spine_1=spine spine_2=neck head=head legs_anchor_1_@=claviclep3 leg_a_1_@=thighp3 "
    "leg_a_2_@=shinp3 leg_a_3_@=footp3 leg_a_tip_@=toep3 legs_anchor_2_@=claviclep2 leg_b_1_@=thighp2 "
    "leg_b_2_@=shinp2 leg_b_3_@=footp2 leg_b_tip_@=toep2 legs_anchor_3_@=claviclep1 leg_c_1_@=thighp1 "
    "leg_c_2_@=shinp1 leg_c_3_@=footp1 leg_c_tip_@=toep1 leg_d_1_@=thigh leg_d_2_@=shin leg_d_3_@=foot "
    "leg_d_tip_@=toe tail_1=tail tail_2=tail tail_3=tail";

static const char BIRD[] =
    "root=root hips=hips spine_0=spine spine_1=spine spine_2=neck spine_3=neck head=head wing_1_@=upper_arm "
    "wing_2_@=forearm wing_3_@=hand wing_4_@=finger wing_5_@=finger tail_1=tail tail_2=tail tail_3=tail "
    "UpperLeg_@=thigh LowerLeg_@=shin AnkleLeg_@=foot Foot_@=toe";

static const char OZZ[] =
    "Hips=root Pelvis=hips Spine=spine Spine1=spine Spine2=spine Spine3=spine Neck=neck Head=head "
    "%Shoulder=clavicle %Arm=upper_arm %ForeArm=forearm %hand=hand %HandThumb1=finger0 %HandThumb2=finger0 "
    "%HandThumb3=finger0 %HandIndex1=finger1 %HandIndex2=finger1 %HandIndex3=finger1 %HandMiddle1=finger2 "
    "%HandMiddle2=finger2 %HandMiddle3=finger2 %HandRing1=finger3 %HandRing2=finger3 %HandRing3=finger3 "
    "%HandRingPinky1=finger4 %HandRingPinky2=finger4 %HandRingPinky3=finger4 %Hand=hand %HandPinky1=finger4 "
    "%HandPinky2=finger4 %HandPinky3=finger4 %UpLeg=thigh %Leg=shin %Foot=foot %FootThumb1=toe";

static const char HUMAN_IK[] =
    "Character1_Hips=hips Character1_%UpLeg=thigh Character1_%Leg=shin Character1_%Foot=foot "
    "Character1_%ToeBase=toe Character1_Spine=spine Character1_Spine1=spine Character1_Spine2=spine "
    "Character1_%Shoulder=clavicle Character1_%Arm=upper_arm Character1_%ForeArm=forearm Character1_%Hand=hand "
    "Character1_%HandThumb1=finger0 Character1_%HandThumb2=finger0 Character1_%HandThumb3=finger0 "
    "Character1_%HandThumb4=finger0 Character1_%HandIndex1=finger1 Character1_%HandIndex2=finger1 "
    "Character1_%HandIndex3=finger1 Character1_%HandIndex4=finger1 Character1_%HandMiddle1=finger2 "
    "Character1_%HandMiddle2=finger2 Character1_%HandMiddle3=finger2 Character1_%HandMiddle4=finger2 "
    "Character1_%HandRing1=finger3 Character1_%HandRing2=finger3 Character1_%HandRing3=finger3 "
    "Character1_%HandRing4=finger3 Character1_%HandPinky1=finger4 Character1_%HandPinky2=finger4 "
    "Character1_%HandPinky3=finger4 Character1_%HandPinky4=finger4 Character1_Neck=neck Character1_Head=head";

typedef struct expected
{
    const char* file;
    const char* table;
    int32_t differ; ///< main joints that mean something else without names
} expected;

// Without names: of a fox the head carries ears and chin on a nose joint, which passes for the head; hips of spider and
// of 3ds Max bipeds are the joint the legs hang from; wings and long bird feet have no proportions of arms and legs.
static const expected TABLE[] = {
    {"bvh/cmu_05_20_dance_mb.bvh", CMU_MB, 0},
    {"bvh/cmu_01_01_playground.bvh", CMU_FINGERS, 0},
    {"bvh/cmu_12_01_walk.bvh", CMU_MB, 0},
    {"bvh/cmu_rest_pose.bvh", CMU_MB, 0},
    {"bvh/xia_neutral_01_000.bvh", CMU_MB, 0},
    {"bvh/xia_angry_13_000.bvh", CMU_MB, 0},
    {"bvh/xia_depressed_13_000.bvh", CMU_MB, 0},
    {"bvh/xia_strutting_01_000.bvh", CMU_MB, 0},
    {"bvh/dme_demo_3d_1_raw.bvh", CMU_MB, 0},
    {"bvh/dme_demo_3d_1_fixed.bvh", CMU_MB, 0},
    {"bvh/dme_demo_video_1_raw.bvh", CMU_MB, 0},
    {"bvh/dme_demo_video_1_fixed.bvh", CMU_MB, 0},
    {"bvh/dme_demo_video_2_raw.bvh", CMU_MB, 0},
    {"bvh/dme_demo_video_2_fixed.bvh", CMU_MB, 0},
    {"bvh/cmu_05_20_dance_daz.bvh", CMU_DAZ, 0},
    {"bvh/cmu_jumping_jacks_max.bvh", CMU_MAX, 0},
    {"bvh/fair_dab.bvh", FAIR, 0},
    {"bvh/fair_zombie_walk.bvh", FAIR, 0},
    {"bvh/mixamo_names_69f.bvh", MIXAMO, 0},
    {"bvh/mocapbank_crlf.bvh", MOCAPBANK, 0},
    {"bvh/xsens_a_40fps.bvh", XSENS, 0},
    {"bvh/xsens_23_standing.bvh", XSENS, 0},
    {"bvh/makehuman_walk1.bvh", MAKEHUMAN_WALK, 0},
    {"bvh/makehuman_dance1.bvh", MAKEHUMAN_WALK, 0},
    {"bvh/makehuman_tpose.bvh", MAKEHUMAN, 0},
    {"bvh/geno_stance_6ch.bvh", GENO, 0},
    {"bvh/bvhacker_walk_cycle_42.bvh", BOXING, 0},
    {"bvh/bvhacker_walk_cycle_43.bvh", BOXING, 0},
    {"bvh/kinect_brekel_a.bvh", KINECT, 0},
    {"bvh/boxing_toes.bvh", BOXING, 0},
    {"bvh/opensim_gait2354_walk_overground.bvh", OPENSIM, 0},
    {"bvh/opensim_gait2354_walk_treadmill.bvh", OPENSIM, 0},
    {"bvh/mixed_orders_zup.bvh", MIXED, 0},
    {"gltf/mixamo_sample_rig.glb", MIXAMO, 0},
    {"gltf/m2m_rig-human.glb", M2M_HUMAN, 0},
    {"gltf/m2m_no_animation.glb", M2M_HUMAN, 0},
    {"gltf/kaykit_Knight.glb", KAYKIT, 0},
    {"gltf/khronos_CesiumMan.gltf", CESIUM, 0},
    {"gltf/raylib_greenman.glb", GREENMAN, 8},
    {"gltf/bitmoji_model.glb", BITMOJI, 0},
    {"gltf/bitmoji_walk.glb", BITMOJI, 0},
    {"gltf/bitmoji_idle.glb", BITMOJI, 0},
    {"gltf/m2m_fox-animations.glb", FOX_M2M, 2},
    {"gltf/khronos_Fox.glb", FOX, 0},
    {"gltf/m2m_spider-animations.glb", SPIDER, 2},
    {"gltf/m2m_rig-spider.glb", SPIDER, 2},
    {"gltf/m2m_bird-animations.glb", BIRD, 22},
    {"fbx/ozz_arnaud.fbx", OZZ, 4},
    {"fbx/ozz_walk.fbx", OZZ, 4},
    {"fbx/ozz_jog.fbx", OZZ, 4},
    {"fbx/cmu_91_48_makehuman.fbx", CMU_DAZ, 0},
    {"fbx/cmu_91_50_makehuman.fbx", CMU_DAZ, 0},
    {"fbx/mixamo_original_rig.fbx", MIXAMO, 0},
    {"fbx/geno_stance.fbx", GENO, 0},
    {"fbx/ufbx_maya_human_ik_7400_binary.fbx", HUMAN_IK, 0},
};

#define TABLE_COUNT (sizeof TABLE / sizeof TABLE[0])

typedef struct scene
{
    sft_skeleton* skeleton;
    sft_clip* clip;
    const char** names;
    char (*plain)[12];
    sft_joint_meaning* got;
    sft_joint_meaning* want;
} scene;

// FBX goes through the command, where it is built.
static bool path_of(const char* file, char* out, size_t capacity)
{
    if (!support_data(file, out, capacity)) return false;
    if (strncmp(file, "fbx/", 4) != 0) return true;
    const char* bin = getenv("SFT_BIN");
    char fbx[1024], glb[512], command[4096];
    snprintf(fbx, sizeof fbx, "%s", out);
    snprintf(glb, sizeof glb, "%s/surefoot-fbx", bin != NULL ? bin : ".");
    FILE* program = fopen(glb, "rb");
    if (program == NULL)
    {
        printf("SKIP %s: no surefoot-fbx in SFT_BIN\n", file);
        return false;
    }
    fclose(program);
    snprintf(glb, sizeof glb, "%s/test_rig_meaning_data.glb", bin);
    snprintf(command, sizeof command, "\"%s/surefoot\" convert \"%s\" -o \"%s\" >/dev/null 2>&1", bin, fbx, glb);
    assert_int_equal(system(command), 0);
    snprintf(out, capacity, "%s", glb);
    return true;
}

static void in_metres(const sft_io_contents* v, scene* s)
{
    sft_space space;
    assert_int_equal(sft_clip_infer_space(s->skeleton, s->clip, NULL, &space), SFT_OK);
    if (v->up >= 0) space.up = (sft_axis)v->up;
    const double height = space.figure_height * v->unit_metres;
    if (v->unit_metres > 0.0 && height >= 0.1 && height <= 20.0) space.unit_metres = v->unit_metres;
    assert_int_equal(sft_clip_rescale(s->skeleton, s->clip, &space), SFT_OK);
}

static sft_io_document* open_file(const char* file)
{
    char path[1024];
    if (!path_of(file, path, sizeof path)) return NULL;
    sft_io_document* document = NULL;
    sft_error error = {0};
    if (sft_io_read_file(NULL, path, NULL, &document, &error) != SFT_OK) printf("%s: %s\n", path, error.message);
    assert_non_null(document);
    return document;
}

// First clip that moves joints, else the rest pose.
static int32_t first_clip(const sft_io_contents* v)
{
    for (int32_t i = 0; i < v->clip_count; ++i)
        if (v->clips[i].problem == NULL && v->clips[i].channel_count > 0) return i;
    return -1;
}

static void take(const sft_io_document* document, int32_t index, scene* s)
{
    const sft_io_contents* v = sft_io_view(document);
    sft_gltf_clip_def def = sft_default_gltf_clip_def();
    sft_error error = {0};
    def.fps = v->frame_rate;
    assert_int_equal(sft_io_to_clip(document, index, &def, NULL, &s->skeleton, &s->clip, NULL, &error), SFT_OK);
    in_metres(v, s);
    const size_t n = (size_t)s->skeleton->joint_count;
    s->names = calloc(n, sizeof *s->names);
    s->plain = calloc(n, sizeof *s->plain);
    s->got = calloc(n, sizeof *s->got);
    s->want = calloc(n, sizeof *s->want);
    for (size_t j = 0; j < n; ++j)
    {
        s->names[j] = s->skeleton->names[j];
        snprintf(s->plain[j], sizeof s->plain[j], "j%d", (int)j);
    }
}

static bool load(const char* file, scene* s)
{
    sft_io_document* document = open_file(file);
    if (document == NULL) return false;
    take(document, first_clip(sft_io_view(document)), s);
    sft_io_destroy(document);
    return true;
}

static void unload(scene* s)
{
    free(s->names);
    free(s->plain);
    free(s->got);
    free(s->want);
    sft_clip_destroy(s->clip, NULL);
    sft_skeleton_destroy(s->skeleton, NULL);
}

// ---- the tables ----

static bool matches(const char* pattern, size_t size, const char* word, const char* name)
{
    size_t at = 0;
    const size_t length = strlen(name);
    for (size_t i = 0; i < size; ++i)
    {
        if (pattern[i] == '%' || pattern[i] == '@')
        {
            if (word == NULL || strncmp(name + at, word, strlen(word)) != 0) return false;
            at += strlen(word);
        }
        else if (at < length && name[at] == (pattern[i] == '~' ? ' ' : pattern[i]))
            ++at;
        else
            return false;
    }
    return at == length;
}

// Side of a name that fits a pattern; -1 where it does not fit.
static int fits(const char* pattern, size_t size, const char* name)
{
    static const char* const words[2][3] = {{"Left", "l", "L"}, {"Right", "r", "R"}};
    const bool long_words = memchr(pattern, '%', size) != NULL, short_words = memchr(pattern, '@', size) != NULL;
    if (!long_words && !short_words) return matches(pattern, size, NULL, name) ? SFT_LEG_MIDDLE : -1;
    for (int side = 0; side < 2; ++side)
        for (int k = long_words ? 0 : 1; k < (long_words ? 1 : 3); ++k)
            if (matches(pattern, size, words[side][k], name)) return side;
    return -1;
}

static int32_t find_joint(const scene* s, const char* pattern, size_t size, int side)
{
    for (int32_t j = 0; j < s->skeleton->joint_count; ++j)
        if ((s->skeleton->flags[j] & SFT_JOINT_END_SITE) == 0 && fits(pattern, size, s->names[j]) == side) return j;
    return -1;
}

static void read_meaning(const scene* s, const char* text, int side, sft_joint_meaning* m)
{
    size_t size = strcspn(text, " ");
    m->side = (sft_leg_side)side;
    if (text[1] == ':')
    {
        m->side = text[0] == 'L' ? SFT_LEG_LEFT : SFT_LEG_RIGHT;
        text += 2, size -= 2;
    }
    for (int part = 1; part <= SFT_PART_TWIST; ++part)
    {
        const char* word = sft_part_word((sft_part)part);
        const size_t length = strlen(word);
        if (size < length || strncmp(text, word, length) != 0) continue;
        m->part = (sft_part)part;
        const char* rest = text + length;
        if (*rest >= '0' && *rest <= '4') m->digit = *rest++ - '0';
        if (*rest == 'p') m->pair = rest[1] - '0';
        if (*rest == '(') m->carrier = find_joint(s, rest + 1, strcspn(rest + 1, ")"), side);
        return;
    }
    fail_msg("no part in '%s'", text);
}

static bool same_kind(const sft_joint_meaning* a, const sft_joint_meaning* b)
{
    return a->part == b->part && a->side == b->side && a->pair == b->pair && a->digit == b->digit &&
           a->carrier == b->carrier;
}

static void read_table(scene* s, const char* table)
{
    const int32_t n = s->skeleton->joint_count;
    for (int32_t j = 0; j < n; ++j)
    {
        s->want[j] = (sft_joint_meaning){.side = SFT_LEG_MIDDLE, .digit = -1, .carrier = -1};
        if ((s->skeleton->flags[j] & SFT_JOINT_END_SITE) != 0) continue;
        for (const char* p = table; *p != '\0'; p += strcspn(p, " "))
        {
            p += *p == ' ';
            const size_t size = strcspn(p, "=");
            const int side = fits(p, size, s->names[j]);
            if (side >= 0) read_meaning(s, p + size + 1, side, &s->want[j]);
        }
        for (int32_t k = 0; k < j; ++k)
            if (s->want[j].part != SFT_PART_NONE && same_kind(&s->want[j], &s->want[k])) ++s->want[j].index;
    }
}

static void ask(scene* s, bool named)
{
    sft_leg legs[SFT_MAX_LEGS];
    int32_t count = 0;
    sft_skeleton skeleton = *s->skeleton;
    const char** names = calloc((size_t)skeleton.joint_count, sizeof *names);
    for (int32_t j = 0; j < skeleton.joint_count; ++j)
        names[j] = named ? s->names[j] : s->plain[j];
    skeleton.names = names;
    assert_int_equal(sft_leg_find(&skeleton, s->clip, NULL, legs, SFT_MAX_LEGS, &count), SFT_OK);
    assert_int_equal(sft_rig_find_meanings(&skeleton, s->clip, legs, count, NULL, s->got), SFT_OK);
    for (int32_t i = 0; i < count; ++i)
    {
        assert_int_equal(s->got[legs[i].hip].part, SFT_PART_THIGH);
        assert_int_equal(s->got[legs[i].knee].part, SFT_PART_SHIN);
        assert_int_equal(s->got[legs[i].heel].part, SFT_PART_FOOT);
    }
    free(names);
}

static void test_rig_meaning_data__every_joint_of_real_files(void** state)
{
    (void)state;
    int wrong = 0, joints = 0, files = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        scene s = {0};
        if (!load(TABLE[i].file, &s)) continue;
        read_table(&s, TABLE[i].table);
        ask(&s, true);
        int here = 0, own = 0;
        for (int32_t j = 0; j < s.skeleton->joint_count; ++j)
        {
            const sft_joint_meaning *g = &s.got[j], *w = &s.want[j];
            own += (s.skeleton->flags[j] & SFT_JOINT_END_SITE) == 0;
            if (same_kind(g, w) && g->index == w->index) continue;
            printf("%s: %s is %s %d, not %s %d (%s)\n", TABLE[i].file, s.names[j], sft_part_word(g->part),
                   (int)g->index, sft_part_word(w->part), (int)w->index, g->reason);
            ++here;
        }
        printf("%s: %d of %d joints right\n", TABLE[i].file, own - here, own);
        wrong += here;
        joints += own;
        ++files;
        unload(&s);
    }
    printf("%d files, %d joints, %d wrong\n", files, joints, wrong);
    assert_int_equal(wrong, 0);
}

static bool is_main(const scene* s, const sft_joint_meaning* meanings, int32_t joint)
{
    const sft_part part = meanings[joint].part;
    if (part == SFT_PART_HIPS || part == SFT_PART_HEAD) return true;
    if (part >= SFT_PART_UPPER_ARM && part <= SFT_PART_HAND) return true;
    if (part >= SFT_PART_THIGH && part <= SFT_PART_TOE) return true;
    if (part != SFT_PART_SPINE) return false;
    for (int32_t j = 0; j < s->skeleton->joint_count; ++j)
        if (meanings[j].part == SFT_PART_SPINE && meanings[j].index > meanings[joint].index) return false;
    return true;
}

static void test_rig_meaning_data__main_joints_without_names(void** state)
{
    (void)state;
    int differ = 0, joints = 0, files = 0, wrong = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        scene s = {0};
        if (!load(TABLE[i].file, &s)) continue;
        read_table(&s, TABLE[i].table);
        ask(&s, false);
        int here = 0, own = 0;
        for (int32_t j = 0; j < s.skeleton->joint_count; ++j)
        {
            const bool wanted = is_main(&s, s.want, j), found = is_main(&s, s.got, j);
            own += wanted || found;
            here += (wanted || found) && (wanted != found || s.got[j].part != s.want[j].part ||
                                          s.got[j].side != s.want[j].side || s.got[j].pair != s.want[j].pair);
        }
        printf("%s: %d of %d main joints right without names\n", TABLE[i].file, own - here, own);
        if (here != TABLE[i].differ)
            printf("%s: %d differ, not %d\n", TABLE[i].file, here, (int)TABLE[i].differ), ++wrong;
        differ += here;
        joints += own;
        ++files;
        unload(&s);
    }
    printf("%d files, %d main joints, %d other without names\n", files, joints, differ);
    assert_int_equal(wrong, 0);
}

// Every clip of a file, and its rest pose alone, say the same.
static void test_rig_meaning_data__every_clip_says_the_same(void** state)
{
    (void)state;
    int clips = 0, wrong = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        sft_io_document* document = open_file(TABLE[i].file);
        if (document == NULL) continue;
        const sft_io_contents* v = sft_io_view(document);
        for (int32_t k = -1; k < v->clip_count; ++k)
        {
            if (k >= 0 && (v->clips[k].problem != NULL || v->clips[k].channel_count == 0)) continue;
            scene s = {0};
            take(document, k, &s);
            read_table(&s, TABLE[i].table);
            ask(&s, true);
            for (int32_t j = 0; j < s.skeleton->joint_count; ++j)
                wrong += !same_kind(&s.got[j], &s.want[j]) || s.got[j].index != s.want[j].index;
            ++clips;
            unload(&s);
        }
        sft_io_destroy(document);
    }
    printf("%d clips and rest poses, %d joints wrong\n", clips, wrong);
    assert_int_equal(wrong, 0);
}

// A rig means the same as BVH and as GLB: End Sites become joints, leaves get End Sites of no length.
static void test_rig_meaning_data__other_formats_say_the_same(void** state)
{
    (void)state;
    int files = 0, wrong = 0;
    for (size_t i = 0; i < TABLE_COUNT; ++i)
    {
        sft_io_document *document = open_file(TABLE[i].file), *other = NULL;
        if (document == NULL) continue;
        sft_io_convert_def def = sft_default_io_convert_def();
        def.format = sft_io_view(document)->format == SFT_IO_BVH ? SFT_IO_GLB : SFT_IO_BVH;
        def.clip = first_clip(sft_io_view(document));
        assert_int_equal(sft_io_convert(document, &def, NULL, &other, NULL, NULL), SFT_OK);
        scene s = {0};
        take(other, first_clip(sft_io_view(other)), &s);
        // BVH has no spaces in names.
        for (int32_t j = 0; j < s.skeleton->joint_count; ++j)
            for (char* p = (char*)s.names[j]; *p != '\0'; ++p)
                if (*p == ' ' || (def.format == SFT_IO_BVH && strncmp(s.names[j], "node_", 5) == 0 && *p == '_'))
                    *p = ' ';
        read_table(&s, TABLE[i].table);
        ask(&s, true);
        for (int32_t j = 0; j < s.skeleton->joint_count; ++j)
        {
            if (same_kind(&s.got[j], &s.want[j]) && s.got[j].index == s.want[j].index) continue;
            printf("%s in the other format: %s is %s, not %s\n", TABLE[i].file, s.names[j],
                   sft_part_word(s.got[j].part), sft_part_word(s.want[j].part));
            ++wrong;
        }
        ++files;
        unload(&s);
        sft_io_destroy(other);
        sft_io_destroy(document);
    }
    printf("%d files, %d joints wrong\n", files, wrong);
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_meaning_data__every_joint_of_real_files),
        cmocka_unit_test(test_rig_meaning_data__main_joints_without_names),
        cmocka_unit_test(test_rig_meaning_data__every_clip_says_the_same),
        cmocka_unit_test(test_rig_meaning_data__other_formats_say_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
