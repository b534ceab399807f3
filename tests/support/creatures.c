// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Animals with two to eight legs, beings and things without any, as the rigs of modelling programs have them: leaves
// are ordinary joints, wrappers and controls lie about. Vocabularies are those of rigs in use, all proportions are made
// up. A rig is a list of chains: `@parent`, then `name x y z` from joint to joint downwards, each below the one before;
// `@-` starts at the top. A chain with `%` in its names is there twice, on the right with x negated.

#include "support/rigs.h"

static const rig_text CREATURES[] = {
    {"horse, anatomical names",
     "l",
     "r",
     "@- root 0 0 0 hips 0 1.35 -.55 spine_1 0 .05 .3 spine_2 0 0 .3 spine_3 0 .05 .3 neck_1 0 .15 .25 neck_2 0 .25 .2 "
     "neck_3 0 .25 .15 head 0 .12 .1 head_tip 0 -.25 .4 @head jaw 0 -.15 .2 @head ear_% .06 .1 0 ear_tip_% .01 .15 0 "
     "@hips tail_1 0 .08 -.15 tail_2 0 -.15 -.12 tail_3 0 -.3 -.03 tail_4 0 -.3 0 @hips thigh_% .14 -.1 -.05 gaskin_% "
     ".02 -.32 .18 hind_cannon_% -.02 -.38 -.23 hind_pastern_% -.01 -.33 .02 hind_hoof_% 0 -.15 .08 hind_hoof_tip_% 0 "
     "-.07 .06 @spine_3 scapula_% .08 .05 0 upperarm_% .1 -.4 .27 forearm_% -.02 -.15 -.2 front_cannon_% -.02 -.42 .01 "
     "front_pastern_% -.01 -.33 .01 front_hoof_% 0 -.13 .07 front_hoof_tip_% 0 -.07 .06",
     {{"hips", "thigh_%", "gaskin_%", "hind_cannon_%", "hind_hoof_%", "hind_hoof_tip_%"},
      {"spine_3", "upperarm_%", "forearm_%", "front_cannon_%", "front_hoof_%", "front_hoof_tip_%"}},
     false},
    {"horse, joints numbered down each leg",
     "L",
     "R",
     "@- Armature 0 0 0 Body 0 1.3 0 Pelvis 0 .02 -.5 Tail 0 .02 -.2 Tail1 0 -.3 -.15 Tail2 0 -.4 -.02 @Pelvis "
     "HindLeg1.% .13 -.08 -.05 HindLeg2.% .02 -.33 .16 HindLeg3.% -.02 -.36 -.22 HindLeg4.% -.01 -.32 .03 HindLeg5.% 0 "
     "-.21 .09 @Body Chest 0 .05 .4 Neck 0 .2 .2 Neck1 0 .3 .22 Neck2 0 .25 .1 Head 0 .1 .1 Nose 0 -.2 .4 @Chest "
     "ForeLeg1.% .14 -.2 .15 ForeLeg2.% 0 -.22 -.18 ForeLeg3.% 0 -.42 .02 ForeLeg4.% 0 -.32 0 ForeLeg5.% 0 -.19 .06",
     {{"Pelvis", "HindLeg1.%", "HindLeg2.%", "HindLeg3.%", "HindLeg5.%", NULL},
      {"Chest", "ForeLeg1.%", "ForeLeg2.%", "ForeLeg3.%", "ForeLeg5.%", NULL}},
     false},
    {"horse, upper and lower leg named, a humerus above them",
     "_l",
     "_r",
     "@- root 0 0 0 hips 0 1.35 -.55 spine_1 0 .05 .3 spine_2 0 0 .3 spine_3 0 .05 .3 spine_4 0 .3 .3 spine_5 0 .3 .3 "
     "head 0 .2 .1 head_tip 0 -.25 .4 @hips tail_1 0 .08 -.15 tail_2 0 -.15 -.12 tail_3 0 -.3 -.03 tail_4 0 -.3 0 "
     "@hips back_leg_pelvis% .06 .05 .1 back_leg_upper% .08 -.15 -.15 back_leg_lower% .02 -.32 .18 back_leg_ankle% "
     "-.02 -.38 -.23 back_leg_foot% -.01 -.33 .02 back_leg_toe% 0 -.17 .08 back_leg_toe_leaf% 0 -.04 .06 @spine_3 "
     "front_scapula% .08 .05 0 front_humerus% .1 -.4 .27 front_leg_upper% -.02 -.15 -.2 front_leg_lower% -.02 -.42 .01 "
     "front_leg_ankle% -.01 -.33 .01 front_leg_foot% 0 -.16 .07 front_leg_foot_leaf% 0 -.04 .06",
     {{"hips", "back_leg_upper%", "back_leg_lower%", "back_leg_ankle%", "back_leg_toe%", "back_leg_toe_leaf%"},
      {"spine_3", "front_humerus%", "front_leg_upper%", "front_leg_lower%", "front_leg_foot%", "front_leg_foot_leaf%"}},
     true},
    {"dog, body-model names",
     "L",
     "R",
     "@- pelvis 0 .5 -.3 Tail1 0 .02 -.08 Tail2 0 -.02 -.1 Tail3 0 -.05 -.1 Tail4 0 -.06 -.08 @pelvis %LegBack1 .07 "
     "-.02 0 %LegBack2 .01 -.17 .08 %LegBack3 0 -.15 -.13 %FootBack 0 -.13 .03 @pelvis spine 0 .02 .2 spine1 0 .02 .2 "
     "Neck 0 .12 .12 Head 0 .1 .1 Mouth 0 -.03 .12 @Head %Ear .05 .06 -.02 @spine1 %Leg1 .07 -.05 .08 %Leg2 .01 -.16 "
     "-.09 %Leg3 0 -.19 .02 %Foot 0 -.11 .03",
     {{"pelvis", "%LegBack1", "%LegBack2", "%LegBack3", "%FootBack", NULL},
      {"spine1", "%Leg1", "%Leg2", "%Leg3", "%Foot", NULL}},
     false},
    {"cat, toes fanned out, controls beside the legs",
     ".L",
     ".R",
     "@- master 0 0 0 ROOT 0 .3 -.2 DEF-spine 0 .01 .14 DEF-spine.001 0 0 .14 DEF-spine.002 0 .05 .08 DEF-head 0 .05 "
     ".06 DEF-nose 0 -.02 .06 @master foot_ik% .08 .1 -.35 foot_roll% 0 -.08 .05 @master paw_ik% .08 .05 .2 @ROOT "
     "DEF-tail.001 0 .02 -.08 DEF-tail.002 0 .08 -.12 DEF-tail.003 0 .12 -.06 DEF-tail.004 0 .1 .02 @ROOT DEF-thigh% "
     ".05 -.01 -.02 DEF-shin% 0 -.1 .07 DEF-foot% 0 -.09 -.1 DEF-toe% 0 -.09 .04 DEF-toe_b% -.01 -.005 .03 @DEF-toe% "
     "DEF-toe_a% .01 -.005 .02 @ROOT MCH-thigh_parent% .05 -.01 -.02 @DEF-spine.001 DEF-shoulder% .04 .01 0 "
     "DEF-upper_arm% .01 -.08 .06 DEF-forearm% 0 -.09 -.05 DEF-hand% 0 -.11 .01 DEF-paw% 0 -.02 .02",
     {{"ROOT", "DEF-thigh%", "DEF-shin%", "DEF-foot%", "DEF-toe%", "DEF-toe_b%"},
      {"DEF-spine.001", "DEF-upper_arm%", "DEF-forearm%", "DEF-hand%", "DEF-paw%", NULL}},
     true},
    {"walking robot, abduction joints above the thighs",
     "L",
     "R",
     "@- base 0 .32 0 imu 0 .03 0 @base F%_hip .05 0 .18 F%_thigh .08 0 0 F%_calf 0 -.13 -.16 F%_foot 0 -.15 .14 @base "
     "H%_hip .05 0 -.18 H%_thigh .08 0 0 H%_calf 0 -.13 -.16 H%_foot 0 -.15 .14",
     {{"base", "H%_thigh", "H%_calf", "H%_foot", "H%_foot", NULL},
      {"base", "F%_thigh", "F%_calf", "F%_foot", "F%_foot", NULL}},
     true},
    {"giraffe, the head far above",
     "_l",
     "_r",
     "@- root 0 0 0 pelvis 0 2.2 -.5 spine1 0 .25 .4 spine2 0 .3 .45 neck1 0 .5 .3 neck2 0 .6 .25 neck3 0 .6 .2 head 0 "
     ".3 .1 snout 0 -.2 .4 @pelvis tail1 0 0 -.2 tail2 0 -.4 -.05 tail3 0 -.5 0 @pelvis thigh% .2 -.2 0 calf% 0 -.55 "
     ".2 hock% 0 -.6 -.25 toe% 0 -.75 .02 hoof% 0 -.1 .08 @spine2 shoulder% .2 -.3 .2 upperarm% 0 -.35 .1 forearm% 0 "
     "-.4 -.15 wrist% 0 -.8 .02 hand% 0 -.8 0 fhoof% 0 -.1 .08",
     {{"pelvis", "thigh%", "calf%", "hock%", "hoof%", NULL},
      {"spine2", "upperarm%", "forearm%", "wrist%", "hand%", "fhoof%"}},
     true},
    {"elephant, the trunk on the ground",
     ".L",
     ".R",
     "@- root 0 0 0 hip 0 2 -.8 spine 0 .2 .7 chest 0 .1 .7 neck 0 .1 .3 head 0 .1 .35 trunk.001 0 -.3 .3 trunk.002 0 "
     "-.4 .15 trunk.003 0 -.5 .05 trunk.004 0 -.6 0 trunk.005 0 -.4 .1 trunk.006 0 -.1 .2 @hip tail.001 0 .1 -.2 "
     "tail.002 0 -.5 -.1 tail.003 0 -.5 0 @hip upperleg% .35 -.3 0 lowerleg% 0 -.75 .1 foot% 0 -.75 -.1 foot_tip% 0 "
     "-.2 .2 @head ear% .3 .1 0 ear_end% .4 -.2 -.2 ear_tip% .1 -.4 0 @head tusk% .2 -.3 .3 tusk_tip% .05 -.2 .6 "
     "@chest upperarm% .35 -.4 0 forearm% 0 -.8 -.1 hand% 0 -.75 .1 hand_tip% 0 -.2 .15",
     {{"hip", "upperleg%", "lowerleg%", "foot%", "foot_tip%", NULL},
      {"chest", "upperarm%", "forearm%", "hand%", "hand_tip%", NULL}},
     false},
    {"kangaroo on its tail, arms short",
     "Left",
     "Right",
     "@- Hips 0 .8 0 Spine 0 .2 .15 Spine1 0 .25 .15 Neck 0 .2 .1 Head 0 .15 .1 Nose 0 -.05 .2 @Hips Tail1 0 -.1 -.2 "
     "Tail2 0 -.25 -.3 Tail3 0 -.3 -.35 Tail4 0 -.13 -.4 @Spine1 %Arm .12 0 .05 %ForeArm .02 -.2 .03 %Hand 0 -.15 .12 "
     "@Hips %UpLeg .12 -.05 0 %Leg .02 -.25 .28 %Foot 0 -.4 -.32 %ToeBase 0 -.07 .25 %Toe_End 0 -.02 .15",
     {{"Hips", "%UpLeg", "%Leg", "%Foot", "%ToeBase", "%Toe_End"}},
     false},
    {"giant lizard upright, arms called front legs",
     "L",
     "R",
     "@- root 0 0 0 Hips 0 1.4 0 Spine_1 0 .3 .25 Spine_2 0 .35 .28 Spine_3 0 .3 .2 Head 0 .3 .2 Nose 0 -.05 .4 @Hips "
     "Tail_Base 0 -.05 -.3 Tail_Mid 0 -.3 -.5 Tail_Mid.001 0 -.4 -.5 Tail_End 0 -.3 -.5 @Spine_2 Front_Leg_Shoulder_% "
     ".2 -.05 .1 Front_Leg_Upper_% .15 -.15 0 Front_Leg_Lower_% .1 -.35 -.05 Hand_% 0 -.3 .15 Hand_Tip_% 0 -.1 .1 "
     "@Hips Back_Leg_Pelvis_% .1 .05 .1 Back_Leg_Upper_% .2 -.1 -.1 Back_Leg_Lower_% .05 -.45 .3 Back_Leg_Ankle_% 0 "
     "-.45 -.35 Back_Leg_Foot_% 0 -.35 .1 Back_Leg_Foot_1_% 0 -.1 .15 Back_Leg_Tip_% 0 0 .15",
     {{"Hips", "Back_Leg_Upper_%", "Back_Leg_Lower_%", "Back_Leg_Ankle_%", "Back_Leg_Foot_1_%", "Back_Leg_Tip_%"}},
     false},
    {"dragon, wings spread and drooping",
     "_l",
     "_r",
     "@- root 0 0 0 hips 0 1.2 -.8 spine_0 0 .1 .5 spine_1 0 .1 .5 spine_2 0 .4 .4 spine_3 0 .4 .3 head 0 .3 .3 jaw 0 "
     "-.1 .3 @hips tail_1 0 0 -.4 tail_2 0 -.2 -.5 tail_3 0 -.3 -.5 tail_4 0 -.2 -.5 @hips back_leg_hip% .25 -.05 0 "
     "back_leg% .1 -.45 .25 back_ankle% 0 -.4 -.4 back_foot% 0 -.25 .1 back_toes% 0 -.05 .2 @spine_1 front_leg_collar% "
     ".15 -.1 .1 front_leg% .15 -.35 .05 front_ankle% .02 -.45 -.15 front_foot% 0 -.32 .1 front_toes% 0 -.08 .15 "
     "@spine_1 shoulder% .1 .15 0 wing_1% .4 .5 -.1 wing_2% 1 .1 -.2 wing_3% 1.2 -.6 -.3 wing_4% .6 -.8 -.3 wing_5% .2 "
     "-.6 -.2",
     {{"hips", "back_leg_hip%", "back_leg%", "back_ankle%", "back_foot%", "back_toes%"},
      {"spine_1", "front_leg_collar%", "front_leg%", "front_ankle%", "front_foot%", "front_toes%"}},
     true},
    {"centaur",
     "Left",
     "Right",
     "@- Root 0 1.1 -.5 Barrel 0 0 .5 Withers 0 .05 .45 Spine 0 .2 .05 Spine1 0 .2 0 Neck 0 .25 0 Head 0 .12 0 Top 0 "
     ".2 0 @Root Tail 0 0 -.2 Tail1 0 -.4 -.1 Tail2 0 -.3 0 @Root Hind%UpLeg .14 -.05 0 Hind%Leg 0 -.35 .15 Hind%Foot "
     "0 -.35 -.2 Hind%Toe 0 -.33 .05 @Spine1 %Shoulder .06 .18 0 %Arm .13 0 0 %ForeArm .05 -.28 0 %Hand 0 -.25 .05 "
     "%Fingers 0 -.15 .02 @Withers Fore%UpLeg .14 -.15 .1 Fore%Leg 0 -.35 -.05 Fore%Foot 0 -.35 .02 Fore%Toe 0 -.3 .05",
     {{"Root", "Hind%UpLeg", "Hind%Leg", "Hind%Foot", "Hind%Toe", NULL},
      {"Withers", "Fore%UpLeg", "Fore%Leg", "Fore%Foot", "Fore%Toe", NULL}},
     true},
    {"ostrich, the neck longer than the legs",
     "L",
     "R",
     "@- root 0 1.2 0 spine 0 .05 .25 neck1 0 .2 .2 neck2 0 .4 .05 neck3 0 .4 0 head 0 .3 .05 beak 0 0 .2 @root tail 0 "
     ".1 -.3 tail_tip 0 0 -.3 @root %_wing1 .2 .1 .1 %_wing2 .1 -.2 -.3 %_wing3 0 -.1 -.4 @root %_femur .15 -.1 .05 "
     "%_tibia .02 -.25 .22 %_tarsus 0 -.4 -.3 %_toe 0 -.4 .1 %_toe_end 0 -.05 .15",
     {{"root", "%_femur", "%_tibia", "%_tarsus", "%_toe", "%_toe_end"}},
     false},
    {"crab with claws",
     "_l",
     "_r",
     "@- root 0 .15 0 @root eye% .04 .06 .12 @root claw1% .1 0 .12 claw2% .15 .1 .1 claw3% -.05 .05 .2 claw4% -.05 0 "
     ".1 @claw3% pincer% -.03 .02 .08 @root legA1% .14 0 .06 legA2% .15 .12 .08 legA3% .15 -.1 .06 legA4% .05 -.17 .02 "
     "@root legB1% .15 0 .02 legB2% .17 .12 .03 legB3% .17 -.1 .02 legB4% .06 -.17 0 @root legC1% .15 0 -.03 legC2% "
     ".17 .12 -.04 legC3% .17 -.1 -.03 legC4% .06 -.17 -.01 @root legD1% .13 0 -.08 legD2% .14 .12 -.12 legD3% .14 -.1 "
     "-.1 legD4% .05 -.17 -.03",
     {{"root", "legD1%", "legD2%", "legD3%", "legD4%", NULL},
      {"root", "legC1%", "legC2%", "legC3%", "legC4%", NULL},
      {"root", "legB1%", "legB2%", "legB3%", "legB4%", NULL},
      {"root", "legA1%", "legA2%", "legA3%", "legA4%", NULL}},
     true},
    {"scorpion, the tail over the back",
     "L",
     "R",
     "@- Root 0 .1 0 Abdomen 0 .01 -.12 Tail1 0 .05 -.1 Tail2 0 .1 -.08 Tail3 0 .12 .02 Tail4 0 .06 .12 Sting 0 -.05 "
     ".06 @Root %Pincer1 .05 0 .1 %Pincer2 .1 .03 .12 %Pincer3 -.02 -.02 .14 @Root %LegA1 .05 0 .05 %LegA2 .08 .07 .06 "
     "%LegA3 .1 -.09 .06 %LegA4 .04 -.08 .02 @Root %LegB1 .05 0 .01 %LegB2 .09 .07 .02 %LegB3 .11 -.09 .02 %LegB4 .04 "
     "-.08 0 @Root %LegC1 .05 0 -.04 %LegC2 .09 .07 -.03 %LegC3 .11 -.09 -.03 %LegC4 .04 -.08 -.01 @Root %LegD1 .05 0 "
     "-.08 %LegD2 .09 .07 -.07 %LegD3 .11 -.09 -.09 %LegD4 .04 -.08 -.03",
     {{"Root", "%LegD1", "%LegD2", "%LegD3", "%LegD4", NULL},
      {"Root", "%LegC1", "%LegC2", "%LegC3", "%LegC4", NULL},
      {"Root", "%LegB1", "%LegB2", "%LegB3", "%LegB4", NULL},
      {"Root", "%LegA1", "%LegA2", "%LegA3", "%LegA4", NULL}},
     true},
    {"person with controls: foot rolls, knee and hand targets",
     ".l",
     ".r",
     "@- root 0 0 0 hips 0 .41 0 spine 0 .19 0 chest 0 .37 0 head 0 .27 0 @chest upperarm% .21 .13 0 lowerarm% .24 0 "
     "-.01 wrist% .26 0 .01 hand% .07 0 0 handslot% .1 -.06 0 @hips upperleg% .17 .11 0 lowerleg% 0 -.23 .01 foot% 0 "
     "-.15 -.03 toes% 0 -.12 .11 @root kneeIK% .17 .29 .58 @root control-toe-roll% .17 .03 .25 control-heel-roll% 0 0 "
     "-.36 control-foot-roll% 0 0 .21 heelIK% 0 .12 -.11 @control-foot-roll% IK-foot% 0 .12 -.11 @control-heel-roll% "
     "IK-toe% 0 0 0 @root elbowIK% .45 1.1 -.6 @root handIK% .71 1.1 0",
     {{"hips", "upperleg%", "lowerleg%", "foot%", "toes%", NULL}},
     false},
    {"person with a second, controlling skeleton in the same place",
     "L",
     "R",
     "@- rig 0 0 0 ORG-spine 0 1 0 ORG-chest 0 .4 0 ORG-head 0 .3 0 @ORG-chest ORG-upper_arm.% .18 .1 0 ORG-forearm.% "
     ".28 0 0 ORG-hand.% .25 0 0 @ORG-spine ORG-thigh.% .1 0 0 ORG-shin.% 0 -.46 .01 ORG-foot.% 0 -.44 -.03 ORG-toe.% "
     "0 -.08 .13 @rig DEF-spine 0 1 0 DEF-chest 0 .4 0 DEF-head 0 .3 0 @DEF-chest DEF-upper_arm.% .18 .1 0 "
     "DEF-forearm.% .28 0 0 DEF-hand.% .25 0 0 @DEF-spine DEF-thigh.% .1 0 0 DEF-shin.% 0 -.46 .01 DEF-foot.% 0 -.44 "
     "-.03 DEF-toe.% 0 -.08 .13",
     {{"DEF-spine", "DEF-thigh.%", "DEF-shin.%", "DEF-foot.%", "DEF-toe.%", NULL}},
     false},
    {"person, controls and deforming legs below the same hips",
     ".L",
     ".R",
     "@- root 0 0 0 hips 0 1 0 spine 0 .3 0 chest 0 .2 0 neck 0 .15 0 head 0 .1 0 @chest upper_arm% .18 .1 0 forearm% "
     ".28 0 0 hand% .25 0 0 @hips thigh_ik% .1 0 0 shin_ik% 0 -.46 .01 foot_ik% 0 -.44 -.03 toe_ik% 0 -.08 .13 @hips "
     "thigh_fk% .1 0 0 shin_fk% 0 -.46 .01 foot_fk% 0 -.44 -.03 toe_fk% 0 -.08 .13 @hips thigh% .1 0 0 shin% 0 -.46 "
     ".01 foot% 0 -.44 -.03 toe% 0 -.08 .13",
     {{"hips", "thigh%", "shin%", "foot%", "toe%", NULL}},
     false},
    {"person of a game, bind joints among face joints",
     "L",
     "R",
     "@- root 0 0 0 C_hip0001_bind_JNT 0 .6 0 C_spine0001_bind_JNT 0 .1 0 C_spine0002_bind_JNT 0 .12 0 "
     "C_neck0001_bind_JNT 0 .1 0 C_head_bind_JNT 0 .05 0 C_jaw 0 -.02 .08 @C_head_bind_JNT %_eye .05 .08 .08 "
     "@C_head_bind_JNT %_brow .05 .12 .09 @C_head_bind_JNT %_cheek .07 .03 .06 @C_hip0001_bind_JNT "
     "%_legUpper0001_bind_JNT .07 -.02 0 %_legLower0001_bind_JNT .01 -.27 .01 %_foot0001_bind_JNT 0 -.25 -.03 "
     "%_foot0002_bind_JNT 0 -.05 .1 @C_spine0002_bind_JNT %_armClav0001_bind_JNT .03 .06 0 %_armUpper0001_bind_JNT .08 "
     "0 0 %_armLower0001_bind_JNT .14 0 0 %_hand0001_bind_JNT .13 0 0 %_hand0002_bind_JNT .08 0 0",
     {{"C_hip0001_bind_JNT", "%_legUpper0001_bind_JNT", "%_legLower0001_bind_JNT", "%_foot0001_bind_JNT",
       "%_foot0002_bind_JNT", NULL}},
     false},
    {"turtle",
     "L",
     "R",
     "@- root 0 .25 0 shell 0 .05 0 head1 0 0 .3 head2 0 .05 .15 @shell tail 0 -.05 -.3 tail2 0 -.05 -.1 @shell "
     "hind1_% .2 -.05 -.2 hind2_% .1 -.05 -.08 hind3_% .02 -.17 .03 hind4_% .01 -.02 .06 @shell fore1_% .2 -.05 .2 "
     "fore2_% .12 -.03 .05 fore3_% .02 -.18 -.02 fore4_% .01 -.02 .06",
     {{"shell", "hind1_%", "hind2_%", "hind3_%", "hind4_%", NULL},
      {"shell", "fore1_%", "fore2_%", "fore3_%", "fore4_%", NULL}},
     true},
};

// Nothing to stand on.
static const rig_text FOOTLESS[] = {
    {"shark",
     "_l",
     "_r",
     "@- root 0 0 0 pelvis 0 1 -.3 neck 0 0 .8 head 0 0 .5 snout 0 -.05 .5 @head jaw 0 -.1 .3 @pelvis front_fin_1% .35 "
     "-.15 .3 front_fin_2% .35 -.2 -.2 front_fin_tip% .3 -.15 -.2 @pelvis back_fin_1% .15 -.15 -.9 back_fin_2% .15 -.1 "
     "-.15 back_fin_tip% .1 -.06 -.1 @pelvis dorsal_fin_1 0 .3 .1 dorsal_fin_2 0 .3 -.2 @pelvis tail_1 0 0 -.4 tail_2 "
     "0 0 -.4 tail_3 0 0 -.4 tail_4 0 0 -.4 tail_5 0 .02 -.3 tail_top 0 .4 -.3 @tail_5 tail_bottom 0 -.25 -.2",
     {{0}},
     false},
    {"shark, head first",
     "_l",
     "_r",
     "@- head 0 0 1.2 neck 0 0 -.5 pelvis 0 0 -.6 tail_1 0 0 -.4 tail_2 0 0 -.4 tail_3 0 0 -.4 tail_4 0 0 -.4 tail_5 0 "
     "0 -.4 tail_6 0 .3 -.3 @tail_5 tail_7 0 -.3 -.3 @neck front_fin_1% .3 -.1 -.1 front_fin_2% .3 -.25 -.1 "
     "front_fin_leaf% .1 -.15 -.1 @pelvis back_fin_1% .1 -.1 -.2 back_fin_2% .1 -.1 -.1 back_fin_leaf% .1 -.1 -.1",
     {{0}},
     false},
    {"fish",
     "L",
     "R",
     "@- Root 0 0 0 Body 0 .2 0 Head 0 0 .1 Mouth 0 -.01 .08 @Body PectoralFin%1 .03 -.03 .05 PectoralFin%2 .04 -.03 "
     "-.02 PectoralFin%3 .04 -.03 -.03 @Body PelvicFin%1 .02 -.05 -.03 PelvicFin%2 .02 -.03 -.02 PelvicFin%3 .01 -.02 "
     "-.02 @Body Tail1 0 0 -.1 Tail2 0 0 -.1 Tail3 0 0 -.08",
     {{0}},
     false},
    {"whale",
     "_L",
     "_R",
     "@- body 0 2 0 chest 0 0 2 head 0 0 2 jaw 0 -.5 .5 @chest flipper_1% .8 -.5 0 flipper_2% .8 -.4 -.3 flipper_3% .6 "
     "-.3 -.3 @body tail_1 0 0 -2 tail_2 0 0 -2 tail_3 0 0 -1.5 @tail_3 fluke_1% .6 0 -.4 fluke_2% .8 0 -.4",
     {{0}},
     false},
    {"snake, its root amidships",
     "L",
     "R",
     "@- root 0 .05 0 spine1 0 0 .2 spine2 0 0 .2 spine3 0 0 .2 spine4 0 0 .2 spine5 0 .05 .2 neck 0 .1 .15 head 0 .03 "
     ".1 jaw 0 -.02 .08 @head tongue1 0 0 .1 @tongue1 tongue2% .01 0 .05 tongue3% .01 -.01 .03 @root tail1 0 0 -.2 "
     "tail2 0 0 -.2 tail3 0 0 -.2 tail4 0 0 -.2 tail5 0 0 -.2",
     {{0}},
     false},
    {"snake coiled and raised, head first",
     "L",
     "R",
     "@- head 0 .6 .3 neck 0 -.1 -.1 tail01 0 -.2 -.05 tail02 0 -.15 .05 tail03 .05 -.1 .1 tail04 .1 0 .05 tail05 .1 0 "
     "-.05 tail06 .05 0 -.12 tail07 -.05 0 -.12 tail08 -.12 0 -.05 tail09 -.12 0 .02 tail10 -.1 0 .1 tail11 -.02 0 .12",
     {{0}},
     false},
    {"worm of two bones", "L", "R", "@- Bone 0 .1 0 Bone.001 0 0 .2 Bone.002 0 0 .2", {{0}}, false},
    {"rope hanging",
     "L",
     "R",
     "@- rope_0 0 2 0 rope_1 0 -.25 0 rope_2 0 -.25 0 rope_3 0 -.25 0 rope_4 0 -.25 0 rope_5 0 -.25 0 rope_6 0 -.25 0 "
     "rope_7 0 -.25 0",
     {{0}},
     false},
    {"flag on a pole",
     "L",
     "R",
     "@- pole 0 0 0 pole_top 0 3 0 flag_a1 0 0 .3 flag_a2 0 0 .3 flag_a3 0 0 .3 @pole_top flag_b1 0 -.4 .3 flag_b2 0 0 "
     ".3 flag_b3 0 0 .3 @pole_top flag_c1 0 -.8 .3 flag_c2 0 0 .3 flag_c3 0 0 .3",
     {{0}},
     false},
    {"tree",
     "L",
     "R",
     "@- trunk_1 0 0 0 trunk_2 0 1 0 trunk_3 0 1 0 trunk_4 0 .8 0 top 0 .8 0 @trunk_3 branch_%a1 .1 .2 0 branch_%a2 .6 "
     ".3 0 branch_%a3 .6 .2 0 @trunk_4 branch_%b1 .05 .1 .05 branch_%b2 .4 .3 .2 branch_%b3 .4 .1 .1",
     {{0}},
     false},
    {"arm of its own with a hand",
     "L",
     "R",
     "@- shoulder 0 1.4 0 upperarm .1 0 0 forearm .3 0 0 hand .26 0 0 middle1 .09 0 0 middle2 .04 0 0 middle3 .03 0 0 "
     "@hand thumb1 .03 -.02 .04 thumb2 .03 -.01 .02 thumb3 .02 0 .01 @hand index1 .09 0 .03 index2 .04 0 0 index3 .03 "
     "0 0 @hand ring1 .09 0 -.02 ring2 .04 0 0 ring3 .03 0 0",
     {{0}},
     false},
    {"two arms of a game seen by its player",
     "L",
     "R",
     "@- root 0 0 0 camera 0 1.6 0 @camera upperarm_% .2 -.25 .1 lowerarm_% .05 -.15 .25 hand_% -.05 .08 .25 "
     "index_01_% 0 .02 .09 index_02_% 0 0 .05 index_03_% 0 0 .03 @hand_% thumb_01_% -.03 .02 .03 thumb_02_% -.01 .01 "
     ".03 thumb_03_% 0 0 .02",
     {{0}},
     false},
    {"hand alone, fingers down",
     "L",
     "R",
     "@- wrist 0 .2 0 middle1 .01 -.05 .06 middle2 0 -.05 .02 middle3 0 -.05 .01 @wrist thumb1 .04 -.02 .03 thumb2 .02 "
     "-.04 .02 thumb3 .01 -.03 .01 @wrist index1 .03 -.05 .05 index2 0 -.05 .02 index3 0 -.04 .01 @wrist ring1 -.01 "
     "-.05 .06 ring2 0 -.05 .02 ring3 0 -.04 .01 @wrist pinky1 -.03 -.05 .05 pinky2 0 -.04 .02 pinky3 0 -.03 .01",
     {{0}},
     false},
    {"car",
     "L",
     "R",
     "@- car 0 0 0 body 0 .5 0 steering 0 .3 .3 @body door_% .8 .2 .1 @car suspension_F% .5 .35 1.3 wheel_F% .25 -.02 "
     "0 wheel_spin_F% .1 0 0 @car suspension_R% .5 .35 -1.3 wheel_R% .25 -.02 0 wheel_spin_R% .1 0 0",
     {{0}},
     false},
    {"face",
     "L",
     "R",
     "@- head 0 1.6 0 jaw 0 -.05 .05 chin 0 -.04 .06 @jaw lip_low_% .02 -.01 .07 @head brow_% .03 .06 .09 @head eye_% "
     ".03 .03 .08 lid_up_% 0 .01 .01 @eye_% lid_low_% 0 -.01 .01 @head cheek_% .05 -.02 .06 @head ear_% .08 0 0 @head "
     "nose 0 0 .1",
     {{0}},
     false},
    {"butterfly",
     "_L",
     "_R",
     "@- body 0 .1 0 head 0 0 .03 @head antenna_1% .005 .01 .01 antenna_2% .01 .02 .02 antenna_3% .01 .01 .02 @body "
     "wing_up_1% .01 0 .01 wing_up_2% .04 .02 .01 wing_up_3% .04 .02 .01 @body wing_low_1% .01 0 -.01 wing_low_2% .04 "
     "-.02 -.01 wing_low_3% .03 -.02 -.02 @body abdomen 0 0 -.05",
     {{0}},
     false},
    {"octopus",
     "L",
     "R",
     "@- head 0 .5 0 mantle 0 .3 -.1 @head tentacle_%a1 .1 -.1 .08 tentacle_%a2 .12 -.15 .1 tentacle_%a3 .15 -.1 .12 "
     "tentacle_%a4 .15 -.05 .12 @head tentacle_%b1 .12 -.1 0 tentacle_%b2 .16 -.15 0 tentacle_%b3 .2 -.1 0 "
     "tentacle_%b4 .2 -.05 0 @head tentacle_%c1 .1 -.1 -.08 tentacle_%c2 .12 -.15 -.1 tentacle_%c3 .15 -.1 -.12 "
     "tentacle_%c4 .15 -.05 -.12",
     {{0}},
     false},
    {"jellyfish",
     "L",
     "R",
     "@- bell 0 1 0 top 0 .2 0 @bell tentacle_%a1 .1 -.1 .08 tentacle_%a2 .02 -.3 .1 tentacle_%a3 .01 -.3 .02 @bell "
     "tentacle_%b1 .1 -.1 -.08 tentacle_%b2 .02 -.3 -.02 tentacle_%b3 .01 -.3 -.02",
     {{0}},
     false},
};

static void add_chain(rig* r, const rig_text* text, const char* const* words, int count, int side)
{
    char name[48];
    int parent = -1;
    if (strcmp(words[0], "@-") != 0)
    {
        rig_side_name(words[0] + 1, side > 0 ? text->right : text->left, name, sizeof name);
        for (int j = 0; j < r->count; ++j)
            if (strcmp(r->names[j], name) == 0) parent = j;
        if (parent < 0) abort();
    }
    for (int i = 1; i + 3 < count; i += 4)
    {
        rig_side_name(words[i], side > 0 ? text->right : text->left, name, sizeof name);
        const double x = strtod(words[i + 1], NULL), y = strtod(words[i + 2], NULL), z = strtod(words[i + 3], NULL);
        parent = rig_add(r, parent, name, side > 0 ? -x : x, y, z);
    }
}

static void read_chains(rig* r, const rig_text* text, char* copy)
{
    const char* words[1024];
    int count = 0;
    for (char* p = copy; *p != '\0';)
    {
        while (*p == ' ')
            *p++ = '\0';
        if (*p == '\0') break;
        if (count + 1 >= 1024) abort();
        words[count++] = p;
        while (*p != '\0' && *p != ' ')
            ++p;
    }
    for (int from = 0, to = 1; from < count; from = to++)
    {
        bool twice = false;
        for (; to < count && words[to][0] != '@'; ++to)
            twice = twice || strchr(words[to], '%') != NULL;
        add_chain(r, text, words + from, to - from, -1);
        if (twice) add_chain(r, text, words + from, to - from, 1);
    }
}

#define COUNT_OF(a) ((int)(sizeof(a) / sizeof(a)[0]))

int creature_count(void)
{
    return COUNT_OF(CREATURES) + COUNT_OF(FOOTLESS);
}

void creature_make(int index, rig* out)
{
    const rig_text* text = index < COUNT_OF(CREATURES) ? &CREATURES[index] : &FOOTLESS[index - COUNT_OF(CREATURES)];
    const size_t size = strlen(text->text) + 1;
    char* copy = malloc(size);
    if (copy == NULL) abort();
    memcpy(copy, text->text, size);
    memset(out, 0, sizeof *out);
    out->title = text->title;
    out->loose = text->loose;
    read_chains(out, text, copy);
    free(copy);
    rig_name_legs(text, out);
}
