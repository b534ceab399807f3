// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// Rigs are written as text: `name x y z { children }`, `*` for an End Site, and `~{ ... }` for what is there twice, on
// the left as written and on the right with x negated; `%` in names becomes the side's word. The vocabularies are those
// of common exporters; all proportions are made up.

#include "support/rigs.h"

// Trunk with arms in T-pose, used by many: %A is not known here, so arms carry plain names.
#define TRUNK                                                                                                          \
    "Spine 0 .12 0 { Chest 0 .2 0 { Neck 0 .22 0 { Head 0 .1 .02 { * 0 .17 0 } } ~{ %Shoulder .05 .15 0 { "            \
    "%Arm .12 0 0 { %ForeArm .28 0 0 { %Hand .25 0 0 { * .17 0 0 } } } } } } } "

static const rig_text RIGS[] = {
    {"mixamo",
     "Left",
     "Right",
     "mixamorig:Hips 0 1 0 { mixamorig:Spine 0 .1 -.01 { mixamorig:Spine1 0 .12 0 { mixamorig:Neck 0 .28 0 { "
     "mixamorig:Head 0 .1 0 { mixamorig:HeadTop_End 0 .2 .07 { * 0 0 0 } } } ~{ mixamorig:%Shoulder .06 .2 0 { "
     "mixamorig:%Arm .13 0 -.02 { mixamorig:%ForeArm .27 0 0 { mixamorig:%Hand .27 0 0 { mixamorig:%HandIndex1 .12 0 "
     ".04 "
     "{ * .1 0 0 } mixamorig:%HandThumb1 .03 -.02 .04 { * .1 0 .02 } } } } } } } } "
     "~{ mixamorig:%UpLeg .09 -.07 0 { mixamorig:%Leg 0 -.41 -.01 { mixamorig:%Foot 0 -.42 -.03 { mixamorig:%ToeBase 0 "
     "-.1 .13 { * 0 0 .1 } } } } } }",
     {{"mixamorig:Hips", "mixamorig:%UpLeg", "mixamorig:%Leg", "mixamorig:%Foot", "mixamorig:%ToeBase",
       "mixamorig:%ToeBase*"}},
     false},
    {"legs last and first, DAZ classic, no toe",
     "l",
     "r",
     "hip 0 1 0 { ~{ %Buttock .09 .04 .01 { %Thigh 0 -.02 -.02 { %Shin 0 -.37 .01 { %Foot -.01 -.45 -.05 { * .01 -.04 "
     ".12 } } } } } abdomen 0 .2 0 { chest 0 .12 0 { neck 0 .22 0 { head 0 .07 .01 { * 0 .16 0 } } ~{ %Collar .03 .19 "
     "-.05 { %Shldr .09 0 .01 { %ForeArm .28 0 0 { %Hand .23 0 .07 { * .1 0 0 } } } } } } } }",
     {{"hip", "%Thigh", "%Shin", "%Foot", "%Foot*", NULL}},
     false},
    {"hip joints of no length above the thighs",
     "Left",
     "Right",
     "Hips 0 .9 0 { ~{ %HipJoint 0 0 0 { %UpLeg .08 -.1 .05 { %Leg .14 -.38 0 { %Foot .145 -.4 0 { %ToeBase .01 -.02 "
     ".13 { * 0 0 .07 } } } } } } LowerBack 0 0 0 { Spine 0 .12 -.01 { Spine1 0 .12 0 { Neck 0 0 0 { Neck1 0 .1 0 { "
     "Head "
     "0 .1 0 { * 0 .1 0 } } } ~{ %Shoulder 0 0 0 { %Arm .19 .07 -.02 { %ForeArm .28 0 0 { %Hand .2 0 0 { %FingerBase 0 "
     "0 0 { * .05 0 0 } %Thumb 0 0 0 { * .03 0 .03 } } } } } } } } } }",
     {{"Hips", "%UpLeg", "%Leg", "%Foot", "%ToeBase", "%ToeBase*"}},
     false},
    {"asf names",
     "l",
     "r",
     "root 0 .95 0 { ~{ %hipjoint .02 -.02 0 { %femur .08 -.06 .03 { %tibia .01 -.4 0 { %foot .01 -.41 0 { %toes 0 "
     "-.04 "
     ".13 { * 0 0 .05 } } } } } } lowerback 0 .05 0 { upperback 0 .12 0 { thorax 0 .12 0 { lowerneck 0 .1 0 { head 0 "
     ".1 "
     "0 { * 0 .12 0 } } ~{ %clavicle .02 .1 0 { %humerus .15 0 0 { %radius .28 0 0 { %wrist .2 0 0 { %hand .06 0 0 { * "
     ".08 0 0 } %thumb .05 0 .04 { * .04 0 0 } } } } } } } } }",
     {{"root", "%femur", "%tibia", "%foot", "%toes", "%toes*"}},
     false},
    {"anatomical names, two joints in the heel",
     "_l",
     "_r",
     "pelvis 0 .95 0 { ~{ femur% .085 -.07 -.07 { tibia% 0 -.46 0 { talus% 0 -.42 0 { calcn% .01 -.047 -.05 { toes% 0 "
     "-.002 .18 { * 0 .005 .08 } heel% 0 .02 -.02 { * 0 0 0 } } } } } } torso 0 .08 -.1 { * 0 .7 .07 } }",
     {{"pelvis", "femur%", "tibia%", "calcn%", "toes%", "toes%*"}},
     false},
    {"twist joints in thigh and shin, metatarsals and toes",
     "l",
     "r",
     "hip 0 1 0 { pelvis 0 .02 0 { ~{ %ThighBend .08 -.12 0 { %ThighTwist 0 -.2 0 { %Shin 0 -.22 0 { %Foot 0 -.42 -.02 "
     "{ "
     "%Metatarsals 0 -.03 .04 { %Toe 0 -.03 .09 { %BigToe -.02 0 .02 { %BigToe_2 0 0 .02 { * 0 0 .03 } } %SmallToe1 "
     ".01 "
     "0 .02 { * 0 0 .03 } } } } } } } } } abdomenLower 0 .02 0 { abdomenUpper 0 .08 0 { chestLower 0 .08 0 { neckLower "
     "0 .25 0 { head 0 .1 0 { * 0 .15 0 } } ~{ %Collar .03 .2 0 { %ShldrBend .1 0 0 { %ForearmBend .27 0 0 { %Hand .25 "
     "0 0 { * .15 0 0 } } } } } } } } }",
     {{"pelvis", "%ThighBend", "%Shin", "%Foot", "%Toe", "%BigToe_2*"}},
     false},
    {"suit names, N-pose",
     "Left",
     "Right",
     "Hips 0 .95 0 { Chest 0 .1 0 { Chest2 0 .12 0 { Chest3 0 .1 0 { Neck 0 .2 0 { Head 0 .1 0 { * 0 .18 0 } } ~{ "
     "%Collar .03 .1 0 { %Shoulder .15 0 0 { %Elbow 0 -.3 0 { %Wrist 0 -.26 0 { * 0 -.19 0 } } } } } } } } ~{ %Hip "
     ".085 "
     "0 0 { %Knee 0 -.44 0 { %Ankle 0 -.43 0 { %Toe 0 -.08 .18 { * 0 0 .07 } } } } } }",
     {{"Hips", "%Hip", "%Knee", "%Ankle", "%Toe", "%Toe*"}},
     false},
    {"side behind the part, feet without End Sites",
     "Left",
     "Right",
     "SpineBase 0 .9 0 { SpineMid 0 .3 0 { Neck 0 .2 0 { Head 0 .15 0 { } } ~{ Shoulder% .18 .05 0 { Elbow% .25 -.05 0 "
     "{ Wrist% .23 -.02 0 { Hand% .07 0 0 { } } } } } } ~{ Hip% .08 -.05 0 { Knee% .02 -.4 .01 { Ankle% 0 -.38 -.02 { "
     "Foot% .02 -.06 .12 { } } } } } }",
     {{"SpineBase", "Hip%", "Knee%", "Ankle%", "Foot%", NULL}},
     false},
    {"deforming bones cut in two",
     ".L",
     ".R",
     "root 0 0 0 { DEF-spine 0 .95 0 { DEF-spine.001 0 .15 0 { DEF-spine.003 0 .2 0 { DEF-spine.006 0 .25 0 { * 0 .2 0 "
     "} "
     "~{ DEF-shoulder% .03 .12 .03 { DEF-upper_arm% .14 0 0 { DEF-upper_arm%.001 .13 0 0 { DEF-forearm% .13 0 0 { "
     "DEF-forearm%.001 .12 0 0 { DEF-hand% .12 0 0 { * .1 0 0 } } } } } } } } } ~{ DEF-thigh% .09 -.02 0 { "
     "DEF-thigh%.001 "
     "0 -.21 0 { DEF-shin% 0 -.21 .01 { DEF-shin%.001 0 -.21 -.01 { DEF-foot% 0 -.2 -.02 { DEF-heel.02% .03 -.08 -.04 "
     "{ "
     "} DEF-toe% 0 -.07 .12 { * 0 0 .06 } } } } } } } } }",
     {{"DEF-spine", "DEF-thigh%", "DEF-shin%", "DEF-foot%", "DEF-toe%", "DEF-toe%*"}},
     false},
    {"avatar with skirt and hair",
     "L",
     "R",
     "Root 0 0 0 { J_Bip_C_Hips 0 .9 0 { ~{ J_Sec_%_SkirtFront .06 -.02 .1 { J_Sec_%_SkirtFront2 .02 -.25 .04 { "
     "J_Sec_%_SkirtFront3 .02 -.25 .04 { * 0 -.25 .02 } } } J_Sec_%_SkirtBack .06 -.02 -.1 { J_Sec_%_SkirtBack2 .02 "
     "-.25 "
     "-.04 { J_Sec_%_SkirtBack3 .02 -.25 -.04 { * 0 -.25 -.02 } } } } J_Bip_C_Spine 0 .08 0 { J_Bip_C_Chest 0 .2 0 { "
     "J_Bip_C_Neck 0 .2 0 { J_Bip_C_Head 0 .08 0 { ~{ J_Sec_Hair1_% .06 .1 -.05 { J_Sec_Hair2_% .02 -.35 -.04 { "
     "J_Sec_Hair3_% .01 -.4 -.02 { * 0 -.4 0 } } } } } } ~{ J_Bip_%_Shoulder .03 .15 0 { J_Bip_%_UpperArm .09 0 0 { "
     "J_Bip_%_LowerArm .22 0 0 { J_Bip_%_Hand .2 0 0 { * .1 0 0 } } } } } } } ~{ J_Bip_%_UpperLeg .08 -.04 0 { "
     "J_Bip_%_LowerLeg 0 -.38 .01 { J_Bip_%_Foot 0 -.39 -.02 { J_Bip_%_ToeBase 0 -.08 .11 { * 0 0 .05 } } } } } } }",
     {{"J_Bip_C_Hips", "J_Bip_%_UpperLeg", "J_Bip_%_LowerLeg", "J_Bip_%_Foot", "J_Bip_%_ToeBase", "J_Bip_%_ToeBase*"}},
     false},
    {"characters of Japan",
     "\xE5\xB7\xA6",
     "\xE5\x8F\xB3",
     "\xE5\x85\xA8\xE3\x81\xA6\xE3\x81\xAE\xE8\xA6\xAA 0 0 0 { \xE4\xB8\x8B\xE5\x8D\x8A\xE8\xBA\xAB 0 1 0 { ~{ "
     "%\xE8\xB6\xB3 .08 -.08 0 { %\xE3\x81\xB2\xE3\x81\x96 0 -.4 0 { %\xE8\xB6\xB3\xE9\xA6\x96 0 -.42 0 { "
     "%\xE3\x81\xA4\xE3\x81\xBE\xE5\x85\x88 0 -.08 .13 { * 0 0 .04 } } } } } "
     "\xE4\xB8\x8A\xE5\x8D\x8A\xE8\xBA\xAB 0 .08 0 { \xE9\xA6\x96 0 .35 0 { \xE9\xA0\xAD 0 .1 0 { * 0 .18 0 } } ~{ "
     "%\xE8\x82\xA9 .03 .3 0 { %\xE8\x85\x95 .1 0 0 { %\xE3\x81\xB2\xE3\x81\x98 .2 -.15 0 { %\xE6\x89\x8B\xE9\xA6\x96 "
     ".18 "
     "-.14 0 { * .08 -.06 0 } } } } } } } }",
     {{"\xE4\xB8\x8B\xE5\x8D\x8A\xE8\xBA\xAB", "%\xE8\xB6\xB3", "%\xE3\x81\xB2\xE3\x81\x96",
       "%\xE8\xB6\xB3\xE9\xA6\x96", "%\xE3\x81\xA4\xE3\x81\xBE\xE5\x85\x88", "%\xE3\x81\xA4\xE3\x81\xBE\xE5\x85\x88*"}},
     false},
    {"engine mannequin with twists and IK bones",
     "_l",
     "_r",
     "root 0 0 0 { pelvis 0 .96 0 { spine_01 0 .1 0 { spine_02 0 .18 0 { spine_03 0 .14 0 { neck_01 0 .17 0 { head 0 "
     ".1 0 "
     "{ * 0 .15 0 } } ~{ clavicle% .04 .12 0 { upperarm% .15 0 0 { lowerarm% .28 0 0 { hand% .26 0 0 { index_01% .1 0 "
     ".02 { * .08 0 0 } } lowerarm_twist_01% .13 0 0 { } } upperarm_twist_01% .01 0 0 { } } } } } } } ~{ thigh% .09 "
     "-.01 "
     "0 { calf% 0 -.42 0 { calf_twist_01% 0 -.2 0 { } foot% 0 -.4 -.02 { ball% 0 -.1 .16 { } } } thigh_twist_01% 0 "
     "-.21 "
     "0 { } } } } ik_foot_root 0 0 0 { ~{ ik_foot% .09 .13 -.02 { } } } ik_hand_root 0 0 0 { ~{ ik_hand% .7 1.4 0 { } "
     "} } "
     "}",
     {{"pelvis", "thigh%", "calf%", "foot%", "ball%", NULL}},
     false},
    {"five toes and pelvis halves",
     ".L",
     ".R",
     "root 0 1 0 { ~{ pelvis% 0 -.01 -.08 { upperleg01% .1 -.01 .01 { upperleg02% .01 -.08 -.01 { lowerleg01% .03 -.32 "
     "-.02 { lowerleg02% .02 -.2 .01 { foot% .02 -.2 .01 { metatarsal5% .02 -.03 .06 { toe5-1% .02 -.03 .06 { * 0 0 "
     ".03 "
     "} } metatarsal1% -.01 -.03 .07 { toe1-1% -.01 -.03 .07 { toe1-2% 0 0 .03 { * 0 0 .03 } } } metatarsal3% 0 -.03 "
     ".065 "
     "{ toe3-1% 0 -.03 .065 { * 0 0 .04 } } } } } } } } } spine05 0 0 -.08 { spine03 0 .15 .02 { spine01 0 .3 0 { "
     "neck01 "
     "0 .2 0 { head 0 .1 0 { jaw 0 0 .06 { * 0 -.03 .05 } * 0 .15 0 } } ~{ clavicle% .02 .1 .04 { upperarm01% .15 0 0 "
     "{ "
     "lowerarm01% .2 -.14 0 { wrist% .18 -.13 0 { * .12 -.09 0 } } } } } } } } }",
     {{"root", "upperleg01%", "lowerleg01%", "foot%", "toe1-1%", "toe1-2%*"}},
     false},
    {"character with a reference joint",
     "Left",
     "Right",
     "Reference 0 0 0 { Hips 0 .97 0 { ~{ Character1_%UpLeg .09 0 0 { Character1_%UpLegRoll 0 -.21 0 { Character1_%Leg "
     "0 "
     "-.2 0 { Character1_%LegRoll 0 -.2 0 { Character1_%Foot 0 -.21 0 { Character1_%ToeBase 0 -.1 .12 { * 0 0 .08 } } "
     "} "
     "} } } } " TRUNK "} }",
     {{"Hips", "Character1_%UpLeg", "Character1_%Leg", "Character1_%Foot", "Character1_%ToeBase",
       "Character1_%ToeBase*"}},
     false},
    {"body model with leaf feet",
     "L",
     "R",
     "Pelvis 0 .95 0 { ~{ %_Hip .06 -.09 0 { %_Knee .04 -.38 0 { %_Ankle -.01 -.4 -.04 { %_Foot .04 -.06 .12 { } } } } "
     "} "
     "Spine1 0 .12 0 { Spine2 0 .13 0 { Spine3 0 .05 0 { Neck 0 .21 0 { Head 0 .09 .05 { } } ~{ %_Collar .07 .11 0 { "
     "%_Shoulder .12 .04 0 { %_Elbow .26 -.01 0 { %_Wrist .25 0 0 { %_Hand .08 0 0 { } } } } } } } } } }",
     {{"Pelvis", "%_Hip", "%_Knee", "%_Ankle", "%_Foot", NULL}},
     false},
    {"tail, hair to the floor, skirt to the floor, arms to the shin",
     "l",
     "r",
     "base 0 0 0 { hips 0 .95 0 { tail1 0 0 -.1 { tail2 0 -.3 -.2 { tail3 0 -.35 -.1 { tail4 0 -.2 -.2 { * 0 -.05 -.3 "
     "} } "
     "} } ~{ skirt_%1 .1 -.05 .1 { skirt_%2 .03 -.3 .03 { skirt_%3 .03 -.3 .03 { * .03 -.28 .03 } } } } spine 0 .15 0 "
     "{ "
     "chest 0 .25 0 { head 0 .3 0 { * 0 .2 0 ~{ hair_%1 .07 .1 -.08 { hair_%2 .02 -.5 -.05 { hair_%3 0 -.6 -.02 { * 0 "
     "-.6 "
     "0 } } } } } ~{ arm_%1 .2 .15 0 { arm_%2 .03 -.55 0 { arm_%3 .02 -.5 .02 { * 0 -.2 0 } } } } } } ~{ leg_%1 .1 "
     "-.05 0 "
     "{ leg_%2 .01 -.42 .01 { leg_%3 0 -.4 -.03 { leg_%4 0 -.07 .13 { * 0 0 .06 } } } } } } }",
     {{"hips", "leg_%1", "leg_%2", "leg_%3", "leg_%4", "leg_%4*"}},
     false},
    {"short legs, large head",
     ".l",
     ".r",
     "rig 0 0 0 { hips 0 .4 0 { spine 0 .2 0 { chest 0 .3 0 { head 0 .27 0 { * 0 .5 0 } ~{ upperarm% .21 .13 0 { "
     "lowerarm% .24 0 0 { hand% .26 0 0 { * .1 0 0 } } } } } } ~{ upperleg% .17 0 0 { lowerleg% 0 -.2 0 { foot% 0 -.14 "
     "0 "
     "{ toes% 0 -.05 .12 { * 0 0 .06 } } } } } } }",
     {{"hips", "upperleg%", "lowerleg%", "foot%", "toes%", "toes%*"}},
     false},
    {"dog",
     "L",
     "R",
     "root 0 0 0 { Hips 0 .55 -.3 { Tail1 0 .03 -.1 { Tail2 0 -.1 -.15 { * 0 -.1 -.15 } } Spine 0 .03 .3 { Chest 0 0 "
     ".3 { "
     "Neck 0 .1 .15 { Head 0 .15 .12 { * 0 0 .2 } } ~{ FrontShoulder_% .07 -.02 .02 { FrontUpper_% .01 -.17 .08 { "
     "FrontLower_% 0 -.17 -.09 { FrontPaw_% 0 -.16 .01 { FrontToe_% 0 -.05 .03 { * 0 0 .04 } } } } } } } } ~{ "
     "HindUpper_% "
     ".08 -.03 0 { HindLower_% 0 -.18 .07 { HindHock_% 0 -.17 -.13 { HindToe_% 0 -.15 .04 { * 0 -.01 .06 } } } } } } }",
     {{"Hips", "HindUpper_%", "HindLower_%", "HindHock_%", "HindToe_%", "HindToe_%*"},
      {"Chest", "FrontUpper_%", "FrontLower_%", "FrontPaw_%", "FrontToe_%", "FrontToe_%*"}},
     true},
    {"fox with arms for names",
     "Left",
     "Right",
     "b_Root 0 0 0 { b_Hip 0 .4 -.3 { b_Spine01 0 .02 .25 { b_Spine02 0 .02 .25 { b_Neck 0 .12 .1 { b_Head 0 .12 .1 { "
     "* 0 "
     "0 .15 } } ~{ b_%UpperArm .07 -.05 0 { b_%ForeArm 0 -.17 -.02 { b_%Hand 0 -.17 .03 { * 0 -.04 .04 } } } } } } "
     "b_Tail01 0 .04 -.1 { b_Tail02 0 -.02 -.2 { b_Tail03 0 -.02 -.2 { * 0 0 -.2 } } } ~{ b_%Leg01 .06 -.03 0 { "
     "b_%Leg02 0 "
     "-.13 .05 { b_%Foot01 0 -.12 -.1 { b_%Foot02 0 -.11 .03 { * 0 -.01 .05 } } } } } } }",
     {{"b_Hip", "b_%Leg01", "b_%Leg02", "b_%Foot01", "b_%Foot02", "b_%Foot02*"},
      {"b_Spine02", "b_%UpperArm", "b_%ForeArm", "b_%Hand", "b_%Hand*", NULL}},
     true},
    {"bird with wings",
     "_L",
     "_R",
     "root 0 .45 0 { spine_0 0 .05 .1 { spine_1 0 .08 .1 { neck 0 .15 .05 { head 0 .1 .03 { beak 0 0 .1 { * 0 0 .05 } "
     "} } "
     "~{ wing_1% .06 .03 0 { wing_2% .25 .03 -.03 { wing_3% .25 0 -.05 { wing_tip% .2 0 -.05 { * .1 0 0 } } } } } } } "
     "tail_1 0 .03 -.15 { tail_2 0 .02 -.15 { * 0 .02 -.15 } } ~{ UpperLeg% .05 -.03 0 { LowerLeg% .01 -.1 .08 { "
     "AnkleLeg% 0 -.13 -.1 { Foot% 0 -.17 .03 { Toes% 0 -.01 .06 { * 0 0 .05 } } } } } }",
     {{"root", "UpperLeg%", "LowerLeg%", "AnkleLeg%", "Foot%", "Toes%*"}},
     true},
    {"spider",
     "_l",
     "_r",
     "root 0 0 0 { body 0 .25 0 { abdomen 0 .05 -.15 { * 0 .05 -.3 } head 0 0 .12 { * 0 0 .1 } ~{ leg_a1% .06 0 .08 { "
     "leg_a2% .2 .2 .25 { leg_a3% .15 -.2 .2 { * .1 -.25 .12 } } } leg_b1% .07 0 .03 { leg_b2% .28 .2 .07 { leg_b3% "
     ".22 "
     "-.2 .06 { * .13 -.25 .03 } } } leg_c1% .07 0 -.03 { leg_c2% .28 .2 -.1 { leg_c3% .22 -.2 -.08 { * .13 -.25 -.05 "
     "} } "
     "} leg_d1% .06 0 -.08 { leg_d2% .2 .2 -.3 { leg_d3% .16 -.2 -.24 { * .1 -.25 -.14 } } } } } }",
     {{"body", "leg_d1%", "leg_d2%", "leg_d3%", "leg_d3%*", NULL},
      {"body", "leg_c1%", "leg_c2%", "leg_c3%", "leg_c3%*", NULL},
      {"body", "leg_b1%", "leg_b2%", "leg_b3%", "leg_b3%*", NULL},
      {"body", "leg_a1%", "leg_a2%", "leg_a3%", "leg_a3%*", NULL}},
     false},
    {"ant with a girdle for each pair",
     "L",
     "R",
     "petiole 0 .12 0 { gaster 0 .02 -.1 { * 0 .02 -.15 } thorax1 0 0 0 { ~{ coxa%3 .02 0 -.02 { femur%3 .08 .08 -.06 "
     "{ "
     "tibia%3 .08 -.1 -.08 { * .03 -.1 -.03 } } } } thorax2 0 0 .05 { ~{ coxa%2 .02 0 0 { femur%2 .1 .08 0 { tibia%2 "
     ".08 "
     "-.1 0 { * .04 -.1 0 } } } } thorax3 0 0 .05 { ~{ coxa%1 .02 0 .02 { femur%1 .07 .08 .05 { tibia%1 .07 -.1 .06 { "
     "* "
     ".03 -.1 .03 } } } } head 0 .02 .06 { ~{ antenna%1 .01 .02 .03 { * .03 .04 .06 } } * 0 0 .04 } } } } }",
     {{"thorax1", "coxa%3", "femur%3", "tibia%3", "tibia%3*", NULL},
      {"thorax2", "coxa%2", "femur%2", "tibia%2", "tibia%2*", NULL},
      {"thorax3", "coxa%1", "femur%1", "tibia%1", "tibia%1*", NULL}},
     false},
    {"lizard with a long tail",
     "L",
     "R",
     "pelvis 0 .1 -.1 { tail1 0 0 -.12 { tail2 0 0 -.15 { tail3 0 -.02 -.15 { tail4 0 -.02 -.2 { * 0 0 -.2 } } } } "
     "spine1 "
     "0 0 .1 { spine2 0 0 .12 { neck 0 .01 .08 { head 0 0 .08 { * 0 0 .06 } } ~{ arm1% .03 -.01 0 { arm2% .06 .02 -.04 "
     "{ "
     "arm3% .03 -.07 .02 { * .01 -.03 .04 } } } } } } ~{ leg1% .03 -.01 0 { leg2% .06 .02 .05 { leg3% .03 -.07 -.05 { "
     "* "
     ".01 -.03 .05 } } } } }",
     {{"pelvis", "leg1%", "leg2%", "leg3%", "leg3%*", NULL}, {"spine2", "arm1%", "arm2%", "arm3%", "arm3%*", NULL}},
     false},
    {"snake",
     "L",
     "R",
     "s0 0 .05 0 { s1 0 0 .2 { s2 0 0 .2 { s3 0 0 .2 { s4 0 0 .2 { s5 0 0 .2 { head 0 0 .2 { ~{ eye% .02 .02 .03 { * 0 "
     "0 "
     ".01 } } * 0 0 .1 } } } } } } }",
     {{NULL, NULL, NULL, NULL, NULL, NULL}},
     false},
    {"one named leg",
     "L",
     "R",
     "Hips 0 1 0 { LeftUpLeg .1 -.05 0 { LeftLeg 0 -.4 0 { LeftFoot 0 -.4 0 { * 0 -.08 .14 } } } }",
     {{NULL, NULL, NULL, NULL, NULL, NULL}},
     true},
};

int rig_count(void)
{
    return (int)(sizeof RIGS / sizeof RIGS[0]);
}

int rig_add(rig* r, int parent, const char* name, double x, double y, double z)
{
    const int j = r->count++;
    if (j >= RIG_JOINTS) abort();
    const size_t length = strlen(name);
    if (length >= sizeof r->names[j]) abort();
    memmove(r->names[j], name, length + 1);
    r->parents[j] = parent;
    r->flags[j] = 0;
    r->offsets[j] = sft_v3d_make(x, y, z);
    return j;
}

int rig_end(rig* r, int parent, double x, double y, double z)
{
    const int j = rig_add(r, parent, r->names[parent], x, y, z);
    r->flags[j] = SFT_JOINT_END_SITE;
    return j;
}

void rig_side_name(const char* pattern, const char* side, char* out, size_t size)
{
    size_t n = 0;
    for (const char* p = pattern; *p != '\0' && n + 1 < size; ++p)
    {
        if (*p != '%')
        {
            out[n++] = *p;
            continue;
        }
        for (const char* s = side; *s != '\0' && n + 1 < size; ++s)
            out[n++] = *s;
    }
    out[n] = '\0';
}

static const char* next_word(const char* p, char* word, size_t size)
{
    while (*p == ' ')
        ++p;
    size_t n = 0;
    while (*p != '\0' && *p != ' ')
    {
        if (n + 1 < size) word[n++] = *p;
        ++p;
    }
    word[n] = '\0';
    return p;
}

static const char* parse(rig* r, const rig_text* text, const char* p, int parent, int side)
{
    char word[48], name[48], number[24];
    for (;;)
    {
        const char* after = next_word(p, word, sizeof word);
        if (word[0] == '\0' || strcmp(word, "}") == 0) return after;
        if (strcmp(word, "~{") == 0)
        {
            parse(r, text, after, parent, -1);
            p = parse(r, text, after, parent, 1);
            continue;
        }
        double v[3];
        p = after;
        for (int i = 0; i < 3; ++i)
        {
            p = next_word(p, number, sizeof number);
            v[i] = strtod(number, NULL);
        }
        if (side > 0) v[0] = -v[0];
        if (strcmp(word, "*") == 0)
        {
            rig_end(r, parent, v[0], v[1], v[2]);
            continue;
        }
        rig_side_name(word, side > 0 ? text->right : text->left, name, sizeof name);
        const int j = rig_add(r, parent, name, v[0], v[1], v[2]);
        p = next_word(p, word, sizeof word);
        if (strcmp(word, "{") != 0) abort();
        p = parse(r, text, p, j, side);
    }
}

static int joint_of(const rig* r, const char* pattern, const char* side)
{
    if (pattern == NULL) return -1;
    char name[48];
    rig_side_name(pattern, side, name, sizeof name);
    const size_t n = strlen(name);
    const bool end = n > 0 && name[n - 1] == '*';
    if (end) name[n - 1] = '\0';
    for (int j = 0; j < r->count; ++j)
        if (strcmp(r->names[j], name) == 0 && ((r->flags[j] & SFT_JOINT_END_SITE) != 0) == end) return j;
    fprintf(stderr, "rig %s has no %s\n", r->title, name);
    abort();
}

void rig_make(int index, rig* out)
{
    const rig_text* text = &RIGS[index];
    memset(out, 0, sizeof *out);
    out->title = text->title;
    out->loose = text->loose;
    parse(out, text, text->text, -1, 0);
    rig_name_legs(text, out);
}

void rig_name_legs(const rig_text* text, rig* out)
{
    for (int p = 0; p < 5 && text->legs[p].hip != NULL; ++p)
        for (int side = -1; side <= 1; side += 2)
        {
            const char* word = side < 0 ? text->left : text->right;
            const rig_leg_names* l = &text->legs[p];
            out->legs[out->leg_count++] = (rig_leg){side,
                                                    joint_of(out, l->pelvis, word),
                                                    joint_of(out, l->hip, word),
                                                    joint_of(out, l->knee, word),
                                                    joint_of(out, l->heel, word),
                                                    joint_of(out, l->toe, word),
                                                    joint_of(out, l->toe_end, word)};
        }
}

void rig_rename(rig* r, support_rng* rng)
{
    for (int j = 0; j < r->count; ++j)
        if ((r->flags[j] & SFT_JOINT_END_SITE) == 0)
            snprintf(r->names[j], sizeof r->names[j], "joint_%d", (int)support_uniform(rng, 0, 100000));
    for (int j = 0; j < r->count; ++j)
        if ((r->flags[j] & SFT_JOINT_END_SITE) != 0) memcpy(r->names[j], r->names[r->parents[j]], sizeof r->names[j]);
}

static void remap(int* joint, const int* to)
{
    if (*joint >= 0) *joint = to[*joint];
}

void rig_shuffle(rig* r, support_rng* rng)
{
    const rig old = *r;
    int to[RIG_JOINTS], made = 0;
    bool done[RIG_JOINTS] = {false};
    while (made < old.count)
    {
        // Any joint whose parent is placed may come next.
        int ready[RIG_JOINTS], count = 0;
        for (int j = 0; j < old.count; ++j)
            if (!done[j] && (old.parents[j] < 0 || done[old.parents[j]])) ready[count++] = j;
        const int j = ready[(int)support_uniform(rng, 0, (double)count - 1e-9)];
        done[j] = true;
        to[j] = made;
        memcpy(r->names[made], old.names[j], sizeof r->names[made]);
        r->parents[made] = old.parents[j] < 0 ? -1 : to[old.parents[j]];
        r->flags[made] = old.flags[j];
        r->offsets[made] = old.offsets[j];
        ++made;
    }
    for (int i = 0; i < r->leg_count; ++i)
    {
        rig_leg* l = &r->legs[i];
        int* const joints[6] = {&l->pelvis, &l->hip, &l->knee, &l->heel, &l->toe, &l->toe_end};
        for (int k = 0; k < 6; ++k)
            remap(joints[k], to);
    }
}

void rig_scale(rig* r, double k)
{
    for (int j = 0; j < r->count; ++j)
        r->offsets[j] = sft_v3d_scale(k, r->offsets[j]);
}

void rig_turn_to(rig* r, sft_axis up)
{
    const sft_space space = {1.0, up, 0.0, true, true, ""};
    for (int j = 0; j < r->count; ++j)
        r->offsets[j] = sft_space_to_file(&space, r->offsets[j]);
}

void rig_mirror(rig* r)
{
    for (int j = 0; j < r->count; ++j)
        r->offsets[j].x = -r->offsets[j].x;
    for (int i = 0; i < r->leg_count; ++i)
        r->legs[i].side = -r->legs[i].side;
}

sft_skeleton* rig_skeleton(const rig* r)
{
    const char* names[RIG_JOINTS];
    for (int j = 0; j < r->count; ++j)
        names[j] = r->names[j];
    const sft_skeleton def = {r->count, names, r->parents, r->flags, r->offsets, NULL};
    sft_skeleton* made = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &made), SFT_OK);
    return made;
}

static sft_quatd random_turn(support_rng* rng);

sft_skeleton* rig_skeleton_rolled(const rig* r, support_rng* rng)
{
    const char* names[RIG_JOINTS];
    sft_quatd own[RIG_JOINTS], turns[RIG_JOINTS];
    sft_v3d offsets[RIG_JOINTS];
    for (int j = 0; j < r->count; ++j)
    {
        const int p = r->parents[j];
        names[j] = r->names[j];
        own[j] = random_turn(rng);
        offsets[j] = p >= 0 ? sft_quatd_unrotate(own[p], r->offsets[j]) : r->offsets[j];
        turns[j] = p >= 0 ? sft_quatd_mul(sft_quatd_conjugate(own[p]), own[j]) : own[j];
    }
    const sft_skeleton def = {r->count, names, r->parents, r->flags, offsets, turns};
    sft_skeleton* made = NULL;
    assert_int_equal(sft_skeleton_create(&def, NULL, &made), SFT_OK);
    return made;
}

static sft_quatd random_turn(support_rng* rng)
{
    const sft_quatd q = {support_uniform(rng, -1, 1), support_uniform(rng, -1, 1), support_uniform(rng, -1, 1),
                         support_uniform(rng, -1, 1)};
    return sft_quatd_normalize(q);
}

// Rotation of a joint of the walking rig in the rig's own axes.
static sft_quatd walking_turn(const rig* r, int joint, double phase, double swing)
{
    for (int i = 0; i < r->leg_count; ++i)
    {
        const double p = phase + (i % 2 == 0 ? 0.0 : SFT_PI);
        if (r->legs[i].hip == joint) return sft_quatd_exp(sft_v3d_make(-swing * sft_sin(p) - 0.3 * swing, 0, 0));
        if (r->legs[i].knee == joint) return sft_quatd_exp(sft_v3d_make(swing * (1.0 - sft_cos(p + 0.5)), 0, 0));
    }
    return sft_quatd_identity();
}

static sft_quatd own_axes(const rig* r, int joint, rig_axes kind, support_rng* rng)
{
    if (kind == RIG_AXES_PLAIN) return sft_quatd_identity();
    if (kind == RIG_AXES_RANDOM) return random_turn(rng);
    const sft_v3d x = sft_v3d_make(kind == RIG_AXES_ALONG_X ? 1.0 : -1.0, 0, 0);
    for (int k = joint + 1; k < r->count; ++k)
        if (r->parents[k] == joint && r->parents[joint] >= 0) return sft_quatd_between(x, r->offsets[k]);
    return sft_quatd_identity();
}

void rig_animate(const rig* r, support_rng* rng, int frames, double swing, rig_axes kind, sft_quatd* axes,
                 sft_skeleton** skeleton, sft_clip** clip)
{
    sft_quatd own[RIG_JOINTS];
    rig file = *r;
    for (int j = 0; j < r->count; ++j)
    {
        own[j] = own_axes(r, j, kind, rng);
        if (axes != NULL) axes[j] = own[j];
        if (r->parents[j] >= 0) file.offsets[j] = sft_quatd_unrotate(own[r->parents[j]], r->offsets[j]);
    }
    *skeleton = rig_skeleton(&file);
    assert_int_equal(sft_clip_create(r->count, frames, 1.0 / 30.0, NULL, clip), SFT_OK);
    for (int f = 0; f < frames; ++f)
    {
        const double phase = 2.0 * SFT_PI * (double)f / 31.0;
        for (int j = 0; j < r->count; ++j)
        {
            const size_t at = (size_t)f * (size_t)r->count + (size_t)j;
            const int p = r->parents[j];
            const sft_quatd turn = sft_quatd_mul(walking_turn(r, j, phase, swing), own[j]);
            (*clip)->rotations[at] = p >= 0 ? sft_quatd_mul(sft_quatd_conjugate(own[p]), turn) : turn;
            (*clip)->translations[at] = file.offsets[j];
            if (p < 0) (*clip)->translations[at].z += 0.03 * (double)f;
        }
    }
}
