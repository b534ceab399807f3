// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// The vocabularies of the field on one made body: each is a hierarchy as its tool makes it, with what its joints mean.

#include "support/vocabulary.h"

static bool is_main(const char* meaning)
{
    static const char* const words[] = {"hips", "head", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; ++i)
        if (strncmp(meaning, words[i], strlen(words[i])) == 0) return true;
    return false;
}

// The same body, its joints called j0, j1, ...: hips, head and limbs are the same, and nothing else is taken for them.
static int check_without_names(const char* what, const char* rows, const char* left, const char* right)
{
    static vocabulary_body b;
    vocabulary_build(&b, rows, left, right);
    for (int32_t i = 0; i < b.count; ++i)
        snprintf(b.text[i], sizeof b.text[i], "j%d", (int)i);
    vocabulary_ask(&b);
    int wrong = 0;
    for (int32_t i = 0; i < b.count; ++i)
    {
        char got[64];
        vocabulary_write(&b.got[i], got);
        if (strcmp(got, b.want[i]) == 0 || (!is_main(b.want[i]) && !is_main(got))) continue;
        printf("%s without names: %s is '%s', not '%s' (%s)\n", what, b.text[i], got, b.want[i], b.got[i].reason);
        ++wrong;
    }
    return wrong;
}

static const char UNREAL[] =
    "root<@ground=root pelvis<root@hips=hips spine_01<pelvis@s1=spine spine_02<spine_01@s2=spine1 "
    "spine_03<spine_02@s3=spine2 neck_01<spine_03@neck=neck head<neck_01@head=head clavicle_%<spine_03@clav=clavicle "
    "upperarm_%<clavicle_%@uarm=upper_arm lowerarm_%<upperarm_%@farm=forearm hand_%<lowerarm_%@hand=hand "
    "thumb_01_%<hand_%@thumb1=finger.0 thumb_02_%<thumb_01_%@thumb2=finger1.0 index_01_%<hand_%@index1=finger.1 "
    "index_02_%<index_01_%@index2=finger1.1 lowerarm_twist_01_%<lowerarm_%@ftw=twist "
    "upperarm_twist_01_%<upperarm_%@utw=twist thigh_%<pelvis@thigh=thigh calf_%<thigh_%@shin=shin "
    "calf_twist_01_%<calf_%@stw=twist foot_%<calf_%@foot=foot ball_%<foot_%@toe=toe thigh_twist_01_%<thigh_%@ttw=twist "
    "ik_foot_root<root@ground ik_foot_%<ik_foot_root@foot ik_hand_root<root@ground ik_hand_gun<ik_hand_root@gun "
    "ik_hand_%<ik_hand_gun@hand";

static const char VROID[] =
    "Root<@ground=root J_Bip_C_Hips<Root@hips=hips J_Bip_C_Spine<J_Bip_C_Hips@s1=spine "
    "J_Bip_C_Chest<J_Bip_C_Spine@s2=spine1 J_Bip_C_UpperChest<J_Bip_C_Chest@s3=spine2 "
    "J_Bip_C_Neck<J_Bip_C_UpperChest@neck=neck J_Bip_C_Head<J_Bip_C_Neck@head=head J_Adj_%_FaceEye<J_Bip_C_Head@eye "
    "J_Sec_Hair1_%<J_Bip_C_Head@hair1 J_Sec_Hair2_%<J_Sec_Hair1_%@hair2 J_Sec_Hair3_%<J_Sec_Hair2_%@hair3 "
    "J_Sec_Hair4_%<J_Sec_Hair3_%@hair4 J_Sec_%_Bust1<J_Bip_C_UpperChest@bust J_Sec_%_Bust2<J_Sec_%_Bust1@bust2 "
    "J_Bip_%_Shoulder<J_Bip_C_UpperChest@clav=clavicle J_Bip_%_UpperArm<J_Bip_%_Shoulder@uarm=upper_arm "
    "J_Bip_%_LowerArm<J_Bip_%_UpperArm@farm=forearm J_Bip_%_Hand<J_Bip_%_LowerArm@hand=hand "
    "J_Bip_%_Thumb1<J_Bip_%_Hand@thumb1=finger.0 J_Bip_%_Thumb2<J_Bip_%_Thumb1@thumb2=finger1.0 "
    "J_Bip_%_Little1<J_Bip_%_Hand@pinky1=finger.4 J_Bip_%_Little2<J_Bip_%_Little1@pinky2=finger1.4 "
    "J_Sec_%_CoatSkirtSide_01<J_Bip_C_Hips@skirt1 J_Sec_%_CoatSkirtSide_02<J_Sec_%_CoatSkirtSide_01@skirt2 "
    "J_Sec_%_CoatSkirtSide_03<J_Sec_%_CoatSkirtSide_02@skirt3 J_Bip_%_UpperLeg<J_Bip_C_Hips@thigh=thigh "
    "J_Bip_%_LowerLeg<J_Bip_%_UpperLeg@shin=shin J_Bip_%_Foot<J_Bip_%_LowerLeg@foot=foot "
    "J_Bip_%_ToeBase<J_Bip_%_Foot@toe=toe";

#define RIGIFY(P)                                                                                                      \
    P "spine<root@hips"                                                                                                \
      " " P "spine.001<" P "spine@s1"                                                                                  \
      " " P "spine.002<" P "spine.001@s2"                                                                              \
      " " P "spine.003<" P "spine.002@s3"                                                                              \
      " " P "spine.004<" P "spine.003@neck"                                                                            \
      " " P "spine.006<" P "spine.004@head"                                                                            \
      " " P "shoulder.%<" P "spine.003@clav"                                                                           \
      " " P "upper_arm.%<" P "shoulder.%@uarm"                                                                         \
      " " P "forearm.%<" P "upper_arm.%@farm"                                                                          \
      " " P "hand.%<" P "forearm.%@hand"                                                                               \
      " " P "thigh.%<" P "spine@thigh"                                                                                 \
      " " P "shin.%<" P "thigh.%@shin"                                                                                 \
      " " P "foot.%<" P "shin.%@foot"                                                                                  \
      " " P "toe.%<" P "foot.%@toe"

static const char RIGIFY_DEFORM[] = "root<@ground=root " RIGIFY("ORG-") " " RIGIFY(
    "MCH-") " DEF-spine<root@hips=hips DEF-spine.001<DEF-spine@s1=spine "
            "DEF-spine.002<DEF-spine.001@s2=spine1 DEF-spine.003<DEF-spine.002@s3=spine2 "
            "DEF-spine.004<DEF-spine.003@neck=neck "
            "DEF-spine.006<DEF-spine.004@head=head DEF-pelvis.%<DEF-spine@butt "
            "DEF-shoulder.%<DEF-spine.003@clav=clavicle "
            "DEF-upper_arm.%<DEF-shoulder.%@uarm=upper_arm DEF-upper_arm.%.001<DEF-upper_arm.%@utw=twist "
            "DEF-forearm.%<DEF-upper_arm.%.001@farm=forearm DEF-forearm.%.001<DEF-forearm.%@ftw=twist "
            "DEF-hand.%<DEF-forearm.%.001@hand=hand DEF-f_index.01.%<DEF-hand.%@index1=finger.1 "
            "DEF-f_index.02.%<DEF-f_index.01.%@index2=finger1.1 DEF-thumb.01.%<DEF-hand.%@thumb1=finger.0 "
            "DEF-thumb.02.%<DEF-thumb.01.%@thumb2=finger1.0 DEF-thigh.%<DEF-spine@thigh=thigh "
            "DEF-thigh.%.001<DEF-thigh.%@ttw=twist DEF-shin.%<DEF-thigh.%.001@shin=shin "
            "DEF-shin.%.001<DEF-shin.%@stw=twist "
            "DEF-foot.%<DEF-shin.%.001@foot=foot DEF-toe.%<DEF-foot.%@toe=toe";

static const char RIGIFY_ORIGINAL[] =
    "root<@ground=root ORG-spine<root@hips=hips ORG-spine.001<ORG-spine@s1=spine ORG-spine.002<ORG-spine.001@s2=spine1 "
    "ORG-spine.003<ORG-spine.002@s3=spine2 ORG-spine.004<ORG-spine.003@neck=neck ORG-spine.006<ORG-spine.004@head=head "
    "ORG-shoulder.%<ORG-spine.003@clav=clavicle ORG-upper_arm.%<ORG-shoulder.%@uarm=upper_arm "
    "ORG-forearm.%<ORG-upper_arm.%@farm=forearm ORG-hand.%<ORG-forearm.%@hand=hand ORG-thigh.%<ORG-spine@thigh=thigh "
    "ORG-shin.%<ORG-thigh.%@shin=shin ORG-foot.%<ORG-shin.%@foot=foot ORG-toe.%<ORG-foot.%@toe=toe";

#define BIPED(UP)                                                                                                      \
    "Bip01<@hips=root Bip01~Pelvis<Bip01@hips=hips Bip01~Spine<Bip01~Pelvis@s1=spine "                                 \
    "Bip01~Spine1<Bip01~Spine@s2=spine1 Bip01~Spine2<Bip01~Spine1@s3=spine2 Bip01~Neck<Bip01~Spine2@neck=neck "        \
    "Bip01~Head<Bip01~Neck@head=head Bip01~HeadNub<Bip01~Head@top Bip01~%~Clavicle<Bip01~Neck@clav=clavicle "          \
    "Bip01~%~UpperArm<Bip01~%~Clavicle@uarm=upper_arm Bip01~%~Forearm<Bip01~%~UpperArm@farm=forearm "                  \
    "Bip01~%~Hand<Bip01~%~Forearm@hand=hand Bip01~%~Finger0<Bip01~%~Hand@thumb1=finger.0 "                             \
    "Bip01~%~Finger01<Bip01~%~Finger0@thumb2=finger1.0 Bip01~%~Finger0Nub<Bip01~%~Finger01@thumb3 "                    \
    "Bip01~%~Finger1<Bip01~%~Hand@index1=finger.1 Bip01~%~Finger11<Bip01~%~Finger1@index2=finger1.1 "                  \
    "Bip01~%~Finger1Nub<Bip01~%~Finger11@index3 Bip01~%~Thigh<" UP "@thigh=thigh "                                     \
    "Bip01~%~Calf<Bip01~%~Thigh@shin=shin Bip01~%~Foot<Bip01~%~Calf@foot=foot Bip01~%~Toe0<Bip01~%~Foot@toe=toe "      \
    "Bip01~%~Toe0Nub<Bip01~%~Toe0@tip"

static const char MIXAMO_ROLL[] =
    "Reference<@ground=root Hips<Reference@hips=hips Spine<Hips@s1=spine Spine1<Spine@s2=spine1 "
    "Spine2<Spine1@s3=spine2 "
    "Neck<Spine2@neck=neck Neck1<Neck@neck2=neck1 Head<Neck1@head=head %Shoulder<Spine2@clav=clavicle "
    "%Arm<%Shoulder@uarm=upper_arm %ArmRoll<%Arm@utw=twist %ForeArm<%Arm@farm=forearm %ForeArmRoll<%ForeArm@ftw=twist "
    "%Hand<%ForeArm@hand=hand %HandThumb1<%Hand@thumb1=finger.0 %HandThumb2<%HandThumb1@thumb2=finger1.0 "
    "%InHandIndex<%Hand@hand=finger.1 %HandIndex1<%InHandIndex@index1=finger1.1 %UpLeg<Hips@thigh=thigh "
    "%UpLegRoll<%UpLeg@ttw=twist %Leg<%UpLeg@shin=shin %LegRoll<%Leg@stw=twist %Foot<%Leg@foot=foot "
    "%ToeBase<%Foot@toe=toe";

static const char SMPL[] =
    "Pelvis<@hips=hips %_Hip<Pelvis@thigh=thigh %_Knee<%_Hip@shin=shin %_Ankle<%_Knee@foot=foot %_Foot<%_Ankle@toe=toe "
    "Spine1<Pelvis@s1=spine Spine2<Spine1@s2=spine1 Spine3<Spine2@s3=spine2 Neck<Spine3@neck=neck Head<Neck@head=head "
    "%_Collar<Spine3@clav=clavicle %_Shoulder<%_Collar@uarm=upper_arm %_Elbow<%_Shoulder@farm=forearm "
    "%_Wrist<%_Elbow@hand=hand %_Hand<%_Wrist@index1=finger";

static const char AMASS[] =
    "pelvis<@hips=hips %_hip<pelvis@thigh=thigh %_knee<%_hip@shin=shin %_ankle<%_knee@foot=foot %_foot<%_ankle@toe=toe "
    "spine1<pelvis@s1=spine spine2<spine1@s2=spine1 spine3<spine2@s3=spine2 neck<spine3@neck=neck head<neck@head=head "
    "jaw<head@eye %_eye_smplhf<head@eye %_collar<spine3@clav=clavicle %_shoulder<%_collar@uarm=upper_arm "
    "%_elbow<%_shoulder@farm=forearm "
    "%_wrist<%_elbow@hand=hand %_index1<%_wrist@index1=finger.1 %_index2<%_index1@index2=finger1.1 "
    "%_thumb1<%_wrist@thumb1=finger.0 %_thumb2<%_thumb1@thumb2=finger1.0";

static const char MMD[] =
    "全ての親<@ground=root センター<全ての親@centre=hips 上半身<センター@s1=spine 上半身2<上半身@s3=spine1 "
    "首<上半身2@neck=neck 頭<首@head=head %目<頭@eye %肩<上半身2@clav=clavicle %腕<%肩@uarm=upper_arm "
    "%腕捩<%腕@utw=twist %ひじ<%腕捩@farm=forearm %手捩<%ひじ@ftw=twist %手首<%手捩@hand=hand "
    "%親指０<%手首@thumb1=finger.0 %親指１<%親指０@thumb2=finger1.0 %人指１<%手首@index1=finger.1 "
    "%人指２<%人指１@index2=finger1.1 下半身<センター@s1 %足<下半身@thigh=thigh %ひざ<%足@shin=shin "
    "%足首<%ひざ@foot=foot %つま先<%足首@toe=toe %足ＩＫ<全ての親@foot %つま先ＩＫ<%足ＩＫ@toe";

static const char GENESIS[] =
    "hip<@hips=hips pelvis<hip@hips %ThighBend<pelvis@thigh=thigh %ThighTwist<%ThighBend@ttw=twist "
    "%Shin<%ThighTwist@shin=shin %Foot<%Shin@foot=foot %Metatarsals<%Foot@meta=toe %Toe<%Metatarsals@toe=toe1 "
    "abdomenLower<hip@s1=spine abdomenUpper<abdomenLower@s2=spine1 chestLower<abdomenUpper@s3=spine2 "
    "chestUpper<chestLower@s4=spine3 %Collar<chestUpper@clav=clavicle %ShldrBend<%Collar@uarm=upper_arm "
    "%ShldrTwist<%ShldrBend@utw=twist %ForearmBend<%ShldrTwist@farm=forearm %ForearmTwist<%ForearmBend@ftw=twist "
    "%Hand<%ForearmTwist@hand=hand %Thumb1<%Hand@thumb1=finger.0 %Thumb2<%Thumb1@thumb2=finger1.0 "
    "%Carpal1<%Hand@hand=finger.1 %Index1<%Carpal1@index1=finger1.1 %Index2<%Index1@index2=finger2.1 "
    "neckLower<chestUpper@neck=neck neckUpper<neckLower@neck2=neck1 head<neckUpper@head=head %Eye<head@eye "
    "%Pectoral<chestLower@bust";

static const char REALLUSION[] =
    "CC_Base_BoneRoot<@ground=root CC_Base_Hip<CC_Base_BoneRoot@hips=hips CC_Base_Pelvis<CC_Base_Hip@hips "
    "CC_Base_%_Thigh<CC_Base_Pelvis@thigh=thigh CC_Base_%_ThighTwist01<CC_Base_%_Thigh@ttw=twist "
    "CC_Base_%_Calf<CC_Base_%_Thigh@shin=shin CC_Base_%_CalfTwist01<CC_Base_%_Calf@stw=twist "
    "CC_Base_%_Foot<CC_Base_%_Calf@foot=foot CC_Base_%_ToeBase<CC_Base_%_Foot@toe=toe "
    "CC_Base_Waist<CC_Base_Hip@s1=spine CC_Base_Spine01<CC_Base_Waist@s2=spine1 "
    "CC_Base_Spine02<CC_Base_Spine01@s3=spine2 "
    "CC_Base_NeckTwist01<CC_Base_Spine02@neck=neck CC_Base_NeckTwist02<CC_Base_NeckTwist01@neck2=neck1 "
    "CC_Base_Head<CC_Base_NeckTwist02@head=head CC_Base_%_Eye<CC_Base_Head@eye "
    "CC_Base_%_Clavicle<CC_Base_Spine02@clav=clavicle CC_Base_%_Upperarm<CC_Base_%_Clavicle@uarm=upper_arm "
    "CC_Base_%_UpperarmTwist01<CC_Base_%_Upperarm@utw=twist CC_Base_%_Forearm<CC_Base_%_Upperarm@farm=forearm "
    "CC_Base_%_ForearmTwist01<CC_Base_%_Forearm@ftw=twist CC_Base_%_Hand<CC_Base_%_Forearm@hand=hand "
    "CC_Base_%_Thumb1<CC_Base_%_Hand@thumb1=finger.0 CC_Base_%_Thumb2<CC_Base_%_Thumb1@thumb2=finger1.0 "
    "CC_Base_%_Pinky1<CC_Base_%_Hand@pinky1=finger.4 CC_Base_%_Pinky2<CC_Base_%_Pinky1@pinky2=finger1.4";

static const char OPTITRACK[] =
    "Hip<@hips=hips Ab<Hip@s1=spine Chest<Ab@s3=spine1 Neck<Chest@neck=neck Head<Neck@head=head "
    "%Shoulder<Chest@clav=clavicle %UArm<%Shoulder@uarm=upper_arm %FArm<%UArm@farm=forearm %Hand<%FArm@hand=hand "
    "%Thigh<Hip@thigh=thigh %Shin<%Thigh@shin=shin %Foot<%Shin@foot=foot %Toe<%Foot@toe=toe";

static const char ACCLAIM[] =
    "root<@hips=hips lowerback<root@s1=spine upperback<lowerback@s2=spine1 thorax<upperback@s3=spine2 "
    "lowerneck<thorax@neck=neck upperneck<lowerneck@neck2=neck1 head<upperneck@head=head "
    "%clavicle<thorax@clav=clavicle "
    "%humerus<%clavicle@uarm=upper_arm %radius<%humerus@farm=forearm %wrist<%radius@hand=hand "
    "%hand<%wrist@index1=finger "
    "%fingers<%hand@index2=finger1 %thumb<%wrist@thumb1=finger.0 %hipjoint<root@butt %femur<%hipjoint@thigh=thigh "
    "%tibia<%femur@shin=shin %foot<%tibia@foot=foot %toes<%foot@toe=toe";

static const char ROKOKO[] =
    "Root<@ground=root Hips<Root@hips=hips Spine1<Hips@s1=spine Spine2<Spine1@s2=spine1 Spine3<Spine2@s3=spine2 "
    "Neck<Spine3@neck=neck Head<Neck@head=head HeadTip<Head@top %Shoulder<Spine3@clav=clavicle "
    "%Arm<%Shoulder@uarm=upper_arm "
    "%ForeArm<%Arm@farm=forearm %Hand<%ForeArm@hand=hand %Finger1Metacarpal<%Hand@thumb1=finger.0 "
    "%Finger1Proximal<%Finger1Metacarpal@thumb2=finger1.0 %Finger1Tip<%Finger1Proximal@thumb3 "
    "%Finger2Metacarpal<%Hand@hand=finger.1 "
    "%Finger2Proximal<%Finger2Metacarpal@index1=finger1.1 %Finger2Tip<%Finger2Proximal@index2 %Thigh<Hips@thigh=thigh "
    "%Shin<%Thigh@shin=shin "
    "%Foot<%Shin@foot=foot %Toe<%Foot@toe=toe %ToeTip<%Toe@tip";

static const char GERMAN[] =
    "Becken<@hips=hips Wirbel1<Becken@s1=spine Wirbel2<Wirbel1@s3=spine1 Hals<Wirbel2@neck=neck Kopf<Hals@head=head "
    "Schulter_%<Wirbel2@clav=clavicle Oberarm_%<Schulter_%@uarm=upper_arm Unterarm_%<Oberarm_%@farm=forearm "
    "Hand_%<Unterarm_%@hand=hand Oberschenkel_%<Becken@thigh=thigh Unterschenkel_%<Oberschenkel_%@shin=shin "
    "Fuss_%<Unterschenkel_%@foot=foot Zehen_%<Fuss_%@toe=toe";

static void test_rig_meaning_words__vocabularies(void** state)
{
    (void)state;
    int wrong = vocabulary_check("Unreal", UNREAL, "l", "r");
    wrong += vocabulary_check("VRoid", VROID, "L", "R");
    wrong += vocabulary_check("Rigify, deforming bones", RIGIFY_DEFORM, "L", "R");
    wrong += vocabulary_check("Rigify, original bones", RIGIFY_ORIGINAL, "L", "R");
    wrong += vocabulary_check("3ds Max", BIPED("Bip01~Pelvis"), "L", "R");
    wrong += vocabulary_check("3ds Max, legs on the spine", BIPED("Bip01~Spine"), "L", "R");
    wrong += vocabulary_check("HumanIK with roll joints", MIXAMO_ROLL, "Left", "Right");
    wrong += vocabulary_check("SMPL", SMPL, "L", "R");
    wrong += vocabulary_check("AMASS", AMASS, "left", "right");
    wrong += vocabulary_check("MMD", MMD, "左", "右");
    wrong += vocabulary_check("Genesis", GENESIS, "l", "r");
    wrong += vocabulary_check("Reallusion", REALLUSION, "L", "R");
    wrong += vocabulary_check("OptiTrack", OPTITRACK, "L", "R");
    wrong += vocabulary_check("Acclaim", ACCLAIM, "l", "r");
    wrong += vocabulary_check("Rokoko", ROKOKO, "Left", "Right");
    wrong += vocabulary_check("German", GERMAN, "L", "R");
    assert_int_equal(wrong, 0);
}

static void test_rig_meaning_words__without_names(void** state)
{
    (void)state;
    int wrong = check_without_names("Unreal", UNREAL, "l", "r");
    wrong += check_without_names("VRoid", VROID, "L", "R");
    wrong += check_without_names("Rigify, original bones", RIGIFY_ORIGINAL, "L", "R");
    wrong += check_without_names("3ds Max", BIPED("Bip01~Pelvis"), "L", "R");
    wrong += check_without_names("HumanIK with roll joints", MIXAMO_ROLL, "Left", "Right");
    wrong += check_without_names("SMPL", SMPL, "L", "R");
    wrong += check_without_names("AMASS", AMASS, "left", "right");
    wrong += check_without_names("MMD", MMD, "左", "右");
    wrong += check_without_names("Genesis", GENESIS, "l", "r");
    wrong += check_without_names("Reallusion", REALLUSION, "L", "R");
    wrong += check_without_names("OptiTrack", OPTITRACK, "L", "R");
    wrong += check_without_names("Acclaim", ACCLAIM, "l", "r");
    wrong += check_without_names("Rokoko", ROKOKO, "Left", "Right");
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rig_meaning_words__vocabularies),
        cmocka_unit_test(test_rig_meaning_words__without_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
