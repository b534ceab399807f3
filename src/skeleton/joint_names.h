// SPDX-FileCopyrightText: Surefoot contributors
// SPDX-License-Identifier: MIT

// What a joint's name says, in the vocabularies of the usual exporters. A help, never the ground of a decision: names
// add to or take from what topology and geometry say, and a skeleton with meaningless names must still be read.
#ifndef SUREFOOT_SKELETON_JOINT_NAMES_H
#define SUREFOOT_SKELETON_JOINT_NAMES_H

#include "surefoot/base.h"

enum
{
    SFT_NAME_HIP = 1 << 0,     ///< hip, buttock: the hip joint in some rigs, the pelvis' side in others
    SFT_NAME_THIGH = 1 << 1,   ///< thigh, upper leg, femur
    SFT_NAME_SHIN = 1 << 2,    ///< knee, shin, calf, lower leg, tibia
    SFT_NAME_FOOT = 1 << 3,    ///< foot, ankle, talus, paw, hoof
    SFT_NAME_HEEL = 1 << 4,    ///< heel, calcaneus
    SFT_NAME_TOE = 1 << 5,     ///< toe, ball, metatarsal
    SFT_NAME_LEG = 1 << 6,     ///< "leg" without saying which part
    SFT_NAME_ARM = 1 << 7,     ///< shoulder to finger
    SFT_NAME_LOOSE = 1 << 8,   ///< what hangs or flaps: tail, hair, skirt, cape, wing, ear
    SFT_NAME_TRUNK = 1 << 9,   ///< pelvis, spine, chest, neck, head
    SFT_NAME_HELPER = 1 << 10, ///< control, IK target, pole: not part of the body
    SFT_NAME_TWIST = 1 << 11,  ///< twist or roll helper
    // Which part of an arm, beside SFT_NAME_ARM: fore legs of animals are named so.
    SFT_NAME_CLAVICLE = 1 << 12,  ///< shoulder blade, collar bone
    SFT_NAME_UPPER_ARM = 1 << 13, ///< upper arm, humerus
    SFT_NAME_FOREARM = 1 << 14,   ///< forearm, elbow, radius, ulna
    SFT_NAME_HAND = 1 << 15,      ///< hand, wrist, carpus
    // Which part of the trunk, beside SFT_NAME_TRUNK.
    SFT_NAME_PELVIS = 1 << 16, ///< pelvis, hips
    SFT_NAME_SPINE = 1 << 17,  ///< belly to chest
    SFT_NAME_NECK = 1 << 18,
    SFT_NAME_HEAD = 1 << 19,
    SFT_NAME_BESIDE = 1 << 20,   ///< what the body carries: face, weapons, sockets
    SFT_NAME_FINGER = 1 << 21,   ///< beside SFT_NAME_ARM: fingers, palm
    SFT_NAME_TAIL = 1 << 22,     ///< beside SFT_NAME_LOOSE
    SFT_NAME_ROOT = 1 << 23,     ///< root, armature, world
    SFT_NAME_END = 1 << 24,      ///< end, tip, nub: marks where a bone ends
    SFT_NAME_SHOULDER = 1 << 25, ///< beside SFT_NAME_ARM: the collar bone of some rigs, the upper arm of others
    // Which finger; "middle" and "little" are said of other things too.
    SFT_NAME_THUMB = 1 << 26,
    SFT_NAME_INDEX = 1 << 27,
    SFT_NAME_MIDDLE = 1 << 28,
    SFT_NAME_RING = 1 << 29,
    SFT_NAME_LITTLE = 1 << 30,
    SFT_NAME_ANY_LEG = SFT_NAME_THIGH | SFT_NAME_SHIN | SFT_NAME_FOOT | SFT_NAME_HEEL | SFT_NAME_TOE | SFT_NAME_LEG
};

/// Beside SFT_NAME_LOOSE: a limb to birds. (One bit more than an int has.)
#define SFT_NAME_WING 0x80000000u

/// SFT_NAME_* of a joint name (UTF-8). Pure.
uint32_t sft_name_parts(const char* name);

/// -1 left, +1 right, 0 where the name does not say. Pure.
int sft_name_side(const char* name);

#endif
