// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The vocabularies that files of the field most often have, joint by joint as their makers publish them, with prefixes
// and namespaces.

#include "support/vocabulary.h"

// Leaves beyond the last bone that bends are ends, in rigs whose toes and head end in a joint.
#define MIXAMO(P)                                                                                                      \
    P "Hips<@hips=hips " P "Spine<" P "Hips@s1=spine " P "Spine1<" P "Spine@s2=spine1 " P "Spine2<" P                  \
      "Spine1@s3=spine2 " P "Neck<" P "Spine2@neck=neck " P "Head<" P "Neck@head=head " P "HeadTop_End<" P             \
      "Head@top " P "%Shoulder<" P "Spine2@clav=clavicle " P "%Arm<" P "%Shoulder@uarm=upper_arm " P "%ForeArm<" P     \
      "%Arm@farm=forearm " P "%Hand<" P "%ForeArm@hand=hand " P "%HandThumb1<" P "%Hand@thumb1=finger.0 " P            \
      "%HandThumb2<" P "%HandThumb1@thumb2=finger1.0 " P "%HandThumb3<" P "%HandThumb2@thumb3 " P "%HandIndex1<" P     \
      "%Hand@index1=finger.1 " P "%HandIndex2<" P "%HandIndex1@index2=finger1.1 " P "%HandIndex3<" P                   \
      "%HandIndex2@index3 " P "%HandPinky1<" P "%Hand@pinky1=finger.4 " P "%HandPinky2<" P "%HandPinky1@pinky2 " P     \
      "%UpLeg<" P "Hips@thigh=thigh " P "%Leg<" P "%UpLeg@shin=shin " P "%Foot<" P "%Leg@foot=foot " P "%ToeBase<" P   \
      "%Foot@toe=toe " P "%Toe_End<" P "%ToeBase@tip"

static const char VRM[] =
    "hips<@hips=hips spine<hips@s1=spine chest<spine@s2=spine1 upperChest<chest@s3=spine2 neck<upperChest@neck=neck "
    "head<neck@head=head %Eye<head@eye jaw<head@eye %Shoulder<upperChest@clav=clavicle "
    "%UpperArm<%Shoulder@uarm=upper_arm %LowerArm<%UpperArm@farm=forearm %Hand<%LowerArm@hand=hand "
    "%ThumbMetacarpal<%Hand@thumb1=finger.0 %ThumbProximal<%ThumbMetacarpal@thumb2=finger1.0 "
    "%IndexProximal<%Hand@index1=finger.1 %IndexIntermediate<%IndexProximal@index2=finger1.1 "
    "%LittleProximal<%Hand@pinky1=finger.4 %LittleIntermediate<%LittleProximal@pinky2=finger1.4 "
    "%UpperLeg<hips@thigh=thigh %LowerLeg<%UpperLeg@shin=shin %Foot<%LowerLeg@foot=foot %Toes<%Foot@toe=toe";

static const char UNREAL5[] =
    "root<@ground=root pelvis<root@hips=hips spine_01<pelvis@s1=spine spine_02<spine_01@s2=spine1 "
    "spine_03<spine_02@s2=spine2 spine_04<spine_03@s3=spine3 spine_05<spine_04@s4=spine4 neck_01<spine_05@neck=neck "
    "neck_02<neck_01@neck2=neck1 head<neck_02@head=head clavicle_%<spine_05@clav=clavicle "
    "clavicle_out_%<clavicle_%@clav clavicle_scap_%<clavicle_%@clav upperarm_%<clavicle_%@uarm=upper_arm "
    "upperarm_correctiveRoot_%<upperarm_%@uarm upperarm_bck_%<upperarm_correctiveRoot_%@uarm "
    "upperarm_twist_01_%<upperarm_%@utw=twist lowerarm_%<upperarm_%@farm=forearm "
    "lowerarm_correctiveRoot_%<lowerarm_%@farm lowerarm_twist_01_%<lowerarm_%@ftw=twist hand_%<lowerarm_%@hand=hand "
    "thumb_01_%<hand_%@thumb1=finger.0 thumb_02_%<thumb_01_%@thumb2=finger1.0 "
    "index_metacarpal_%<hand_%@hand=finger.1 index_01_%<index_metacarpal_%@index1=finger1.1 "
    "index_02_%<index_01_%@index2=finger2.1 pinky_metacarpal_%<hand_%@hand=finger.4 "
    "pinky_01_%<pinky_metacarpal_%@pinky1=finger1.4 thigh_%<pelvis@thigh=thigh "
    "thigh_correctiveRoot_%<thigh_%@thigh thigh_twist_01_%<thigh_%@ttw=twist calf_%<thigh_%@shin=shin "
    "calf_correctiveRoot_%<calf_%@shin calf_twist_01_%<calf_%@stw=twist foot_%<calf_%@foot=foot ball_%<foot_%@toe=toe "
    "ik_foot_root<root@ground ik_foot_%<ik_foot_root@foot ik_hand_root<root@ground ik_hand_gun<ik_hand_root@gun "
    "ik_hand_%<ik_hand_gun@hand interaction<root@ground center_of_mass<root@centre";

static const char XSENS[] =
    "Pelvis<@hips=hips L5<Pelvis@s1=spine L3<L5@s2=spine1 T12<L3@s3=spine2 T8<T12@s4=spine3 Neck<T8@neck=neck "
    "Head<Neck@head=head %Shoulder<T8@clav=clavicle %UpperArm<%Shoulder@uarm=upper_arm %ForeArm<%UpperArm@farm=forearm "
    "%Hand<%ForeArm@hand=hand %UpperLeg<Pelvis@thigh=thigh %LowerLeg<%UpperLeg@shin=shin %Foot<%LowerLeg@foot=foot "
    "%Toe<%Foot@toe=toe";

static const char MAKEHUMAN[] =
    "root<@hips=hips spine05<root@s1=spine spine04<spine05@s2=spine1 spine03<spine04@s2=spine2 "
    "spine02<spine03@s3=spine3 spine01<spine02@s4=spine4 neck01<spine01@neck=neck neck02<neck01@neck2=neck1 "
    "neck03<neck02@neck2=neck2 head<neck03@head=head jaw<head@eye eye.%<head@eye breast.%<spine02@bust "
    "clavicle.%<spine01@clav=clavicle shoulder01.%<clavicle.%@clav=clavicle1 upperarm01.%<shoulder01.%@uarm=upper_arm "
    "upperarm02.%<upperarm01.%@utw=twist lowerarm01.%<upperarm02.%@farm=forearm lowerarm02.%<lowerarm01.%@ftw=twist "
    "wrist.%<lowerarm02.%@hand=hand finger1-1.%<wrist.%@thumb1=finger.0 finger1-2.%<finger1-1.%@thumb2=finger1.0 "
    "finger1-3.%<finger1-2.%@thumb3 "
    "metacarpal1.%<wrist.%@hand=finger.1 finger2-1.%<metacarpal1.%@index1=finger1.1 "
    "finger2-2.%<finger2-1.%@index2=finger2.1 finger2-3.%<finger2-2.%@index3 metacarpal4.%<wrist.%@hand=finger.4 "
    "finger5-1.%<metacarpal4.%@pinky1=finger1.4 finger5-2.%<finger5-1.%@pinky2 pelvis.%<root@butt "
    "upperleg01.%<pelvis.%@thigh=thigh "
    "upperleg02.%<upperleg01.%@ttw=twist lowerleg01.%<upperleg02.%@shin=shin lowerleg02.%<lowerleg01.%@stw=twist "
    "foot.%<lowerleg02.%@foot=foot toe1-1.%<foot.%@toe=toe toe1-2.%<toe1-1.%@tip";

static const char CMU[] =
    "Hips<@hips=hips %2HipJoint<Hips@hips %1UpLeg<%2HipJoint@thigh=thigh %1Leg<%1UpLeg@shin=shin "
    "%1Foot<%1Leg@foot=foot %1ToeBase<%1Foot@toe=toe LowerBack<Hips@hips=spine Spine<LowerBack@s1=spine1 "
    "Spine1<Spine@s3=spine2 Neck<Spine1@neck=neck Neck1<Neck@neck2=neck1 Head<Neck1@head=head "
    "%1Shoulder<Spine1@clav=clavicle %1Arm<%1Shoulder@uarm=upper_arm %1ForeArm<%1Arm@farm=forearm "
    "%1Hand<%1ForeArm@hand=hand %1FingerBase<%1Hand@hand=finger.1 %1HandIndex1<%1FingerBase@index1=finger1.1 "
    "%2Thumb<%1Hand@thumb1=finger.0";

static const char DAZ[] =
    "hip<@hips=hips abdomen<hip@s1=spine chest<abdomen@s3=spine1 neck<chest@neck=neck head<neck@head=head "
    "%Eye<head@eye %Collar<chest@clav=clavicle %Shldr<%Collar@uarm=upper_arm %ForeArm<%Shldr@farm=forearm "
    "%Hand<%ForeArm@hand=hand %Thumb1<%Hand@thumb1=finger.0 %Thumb2<%Thumb1@thumb2=finger1.0 "
    "%Index1<%Hand@index1=finger.1 %Index2<%Index1@index2=finger1.1 %Pinky1<%Hand@pinky1=finger.4 "
    "%Buttock<hip@butt %Thigh<%Buttock@thigh=thigh %Shin<%Thigh@shin=shin %Foot<%Shin@foot=foot %Toe<%Foot@toe=toe";

static const char METARIG[] =
    "spine<@hips=hips spine.001<spine@s1=spine spine.002<spine.001@s2=spine1 spine.003<spine.002@s3=spine2 "
    "spine.004<spine.003@neck=neck spine.005<spine.004@neck2=neck1 spine.006<spine.005@head=head "
    "pelvis.%<spine@butt breast.%<spine.003@bust shoulder.%<spine.003@clav=clavicle "
    "upper_arm.%<shoulder.%@uarm=upper_arm forearm.%<upper_arm.%@farm=forearm hand.%<forearm.%@hand=hand "
    "palm.01.%<hand.%@hand=finger f_index.01.%<palm.01.%@index1=finger.1 f_index.02.%<f_index.01.%@index2=finger1.1 "
    "thumb.01.%<palm.01.%@thumb1=finger.0 thumb.02.%<thumb.01.%@thumb2=finger1.0 thigh.%<spine@thigh=thigh "
    "shin.%<thigh.%@shin=shin foot.%<shin.%@foot=foot heel.02.%<foot.%@foot toe.%<foot.%@toe=toe";

#define PLAIN(P, S)                                                                                                    \
    P "hips<@hips=hips " P "spine<" P "hips@s1=spine " P "chest<" P "spine@s3=spine1 " P "neck<" P                     \
      "chest@neck=neck " P "head<" P "neck@head=head " P "shoulder" S "<" P "chest@clav=clavicle " P "upper_arm" S     \
      "<" P "shoulder" S "@uarm=upper_arm " P "forearm" S "<" P "upper_arm" S "@farm=forearm " P "hand" S "<" P        \
      "forearm" S "@hand=hand " P "thigh" S "<" P "hips@thigh=thigh " P "shin" S "<" P "thigh" S "@shin=shin " P       \
      "foot" S "<" P "shin" S "@foot=foot " P "toe" S "<" P "foot" S "@toe=toe"

static const char VRCHAT[] =
    "Hips<@hips=hips Spine<Hips@s1=spine Chest<Spine@s3=spine1 Neck<Chest@neck=neck Head<Neck@head=head "
    "%~shoulder<Chest@clav=clavicle %~arm<%~shoulder@uarm=upper_arm %~elbow<%~arm@farm=forearm "
    "%~wrist<%~elbow@hand=hand %~leg<Hips@thigh=thigh %~knee<%~leg@shin=shin %~ankle<%~knee@foot=foot "
    "%~toe<%~ankle@toe=toe";

static const char ADVANCED[] =
    "Root_M<@hips=hips Spine1_M<Root_M@s1=spine Chest_M<Spine1_M@s3=spine1 Neck_M<Chest_M@neck=neck "
    "Head_M<Neck_M@head=head Scapula_%<Chest_M@clav=clavicle Shoulder_%<Scapula_%@uarm=upper_arm "
    "Elbow_%<Shoulder_%@farm=forearm Wrist_%<Elbow_%@hand=hand ThumbFinger1_%<Wrist_%@thumb1=finger.0 "
    "IndexFinger1_%<Wrist_%@index1=finger.1 Hip_%<Root_M@thigh=thigh Knee_%<Hip_%@shin=shin Ankle_%<Knee_%@foot=foot "
    "Toes_%<Ankle_%@toe=toe";

static const char AUTORIG[] =
    "root.x<@hips=hips spine_01.x<root.x@s1=spine spine_02.x<spine_01.x@s2=spine1 spine_03.x<spine_02.x@s3=spine2 "
    "neck.x<spine_03.x@neck=neck head.x<neck.x@head=head shoulder.%<spine_03.x@clav=clavicle "
    "arm_stretch.%<shoulder.%@uarm=upper_arm arm_twist.%<arm_stretch.%@utw=twist "
    "forearm_stretch.%<arm_stretch.%@farm=forearm forearm_twist.%<forearm_stretch.%@ftw=twist "
    "hand.%<forearm_stretch.%@hand=hand thumb1.%<hand.%@thumb1=finger.0 index1.%<hand.%@index1=finger.1 "
    "thigh_stretch.%<root.x@thigh=thigh thigh_twist.%<thigh_stretch.%@ttw=twist "
    "leg_stretch.%<thigh_stretch.%@shin=shin "
    "leg_twist.%<leg_stretch.%@stw=twist foot.%<leg_stretch.%@foot=foot toes_01.%<foot.%@toe=toe";

static void test_rig_meaning_names__published_joint_names(void** state)
{
    (void)state;
    int wrong = vocabulary_check("Mixamo", MIXAMO("mixamorig:"), "Left", "Right");
    wrong += vocabulary_check("Mixamo, numbered", MIXAMO("mixamorig9:"), "Left", "Right");
    wrong += vocabulary_check("Mixamo, without a colon", MIXAMO("mixamorig_"), "Left", "Right");
    wrong += vocabulary_check("MotionBuilder", MIXAMO("Character1_"), "Left", "Right");
    wrong += vocabulary_check("VRM", VRM, "left", "right");
    wrong += vocabulary_check("Unreal 5", UNREAL5, "l", "r");
    wrong += vocabulary_check("Xsens", XSENS, "Left", "Right");
    wrong += vocabulary_check("MakeHuman", MAKEHUMAN, "L", "R");
    wrong += vocabulary_check("CMU", CMU, "Left L", "Right R");
    wrong += vocabulary_check("DAZ", DAZ, "l", "r");
    wrong += vocabulary_check("Rigify, meta-rig", METARIG, "L", "R");
    wrong += vocabulary_check("VRChat", VRCHAT, "Left", "Right");
    wrong += vocabulary_check("Advanced Skeleton", ADVANCED, "L", "R");
    wrong += vocabulary_check("Auto-Rig Pro", AUTORIG, "l", "r");
    assert_int_equal(wrong, 0);
}

// Sides as builders spell them, before and behind, and what exporters put in front of names.
static void test_rig_meaning_names__sides_and_prefixes(void** state)
{
    (void)state;
    int wrong = vocabulary_check("Blender .L", PLAIN("", ".%"), "L", "R");
    wrong += vocabulary_check("Blender .l", PLAIN("", ".%"), "l", "r");
    wrong += vocabulary_check("_l", PLAIN("", "_%"), "l", "r");
    wrong += vocabulary_check("_L", PLAIN("", "_%"), "L", "R");
    wrong += vocabulary_check("-left", PLAIN("", "-%"), "left", "right");
    wrong += vocabulary_check(".Left", PLAIN("", ".%"), "Left", "Right");
    wrong += vocabulary_check("_l_001", PLAIN("", "_%_001"), "l", "r");
    wrong += vocabulary_check("namespace", PLAIN("hero:", "_%"), "l", "r");
    wrong += vocabulary_check("namespaces", PLAIN("set:hero01:", "_%"), "L", "R");
    wrong += vocabulary_check("path", PLAIN("Armature|hero|", ".%"), "L", "R");
    wrong += vocabulary_check("prefix", PLAIN("hero_", "_%"), "l", "r");
    wrong += vocabulary_check("prefix of 3ds Max", PLAIN("Bip001~", "~%"), "L", "R");
    wrong += vocabulary_check("deforming", PLAIN("DEF-", ".%"), "L", "R");
    wrong += vocabulary_check("joints", PLAIN("jnt_", "_%"), "L", "R");
    wrong += vocabulary_check("bones", PLAIN("b_", "_%"), "l", "r");
    wrong += vocabulary_check("rig", PLAIN("rig_", "_%_jnt"), "l", "r");
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_meaning_names__published_joint_names),
        cmocka_unit_test(test_rig_meaning_names__sides_and_prefixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
