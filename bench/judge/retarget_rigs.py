# SPDX-FileCopyrightText: Surefoot contributors
# SPDX-License-Identifier: MIT
"""The humanoid rigs of the optional data folder, by tables of names that were checked by hand.

Nothing here is found by rule: a judge that guessed joints could guess as wrongly as what it judges. Joints are given
by name (End Sites of BVH as '<joint>:end'), or by node index where a file has no names.

    pelvis      the joint that carries the legs
    chest       the joint that carries neck and arms
    head        the head joint
    arm, elbow, wrist, hip, knee, ankle, toe     by side; toe may be None
    finger, thumb  points fixed to the hand that show how it is turned (the bases of middle finger and thumb), or None
    index, little  the bases of these fingers, of some rigs: between two that have them they count for the thumb
    tip         what ends the toe, of rigs whose rest pose does not stand (see soles); else found below the toe
"""

import os

from clips import CMU

PARTS = ("arm", "elbow", "wrist", "hip", "knee", "ankle", "toe", "finger", "thumb")
LIMBS = {"upper arm": ("arm", "elbow"), "forearm": ("elbow", "wrist"), "thigh": ("hip", "knee"),
         "shin": ("knee", "ankle")}
SIDES = ("left", "right")


def sided(left, right, names):
    """{(part, side): name}; '*' in a name stands for the side's spelling."""
    out = {}
    for part, name in zip(PARTS, names):
        for side, spelling in (("left", left), ("right", right)):
            if name is not None:
                out[part, side] = name.replace("*", spelling)
    return out


def family(pelvis, chest, head, left, right, *names):
    out = sided(left, right, names)
    out.update({("pelvis", ""): pelvis, ("chest", ""): chest, ("head", ""): head})
    return {key: name for key, name in out.items() if name is not None}


def prefixed(prefix, table):
    return {key: prefix + name for key, name in table.items()}


CMU_MB = family("Hips", "Spine1", "Head", "Left", "Right", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot",
                "*ToeBase", "*HandIndex1", None)
CMU_MAX = family("Hips", "Chest2", "Head", "Left", "Right", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle",
                 "*Toe", None, None)
CMU_MAX.update({("finger", "left"): "LFingers", ("finger", "right"): "RFingers"})
DAZ = family("hip", "chest", "head", "l", "r", "*Shldr", "*ForeArm", "*Hand", "*Thigh", "*Shin", "*Foot", "*Foot:end",
             "*Mid1", "*Thumb1")
DAZ_FBX = {key: name for key, name in DAZ.items() if not name.endswith(":end")}
COLLAR = family("Hips", "Chest", "Head", "Left", "Right", "*Shoulder", "*Elbow", "*Wrist", "*Hip", "*Knee", "*Ankle",
                "*Ankle:end", "*Wrist:end", None)
BOXING = COLLAR | {("toe", "left"): "LeftToes", ("toe", "right"): "RightToes"}
MOCAPBANK = COLLAR | {("chest", ""): "Chest2"}
XSENS = COLLAR | {("chest", ""): "Chest4", ("toe", "left"): "LeftToe", ("toe", "right"): "RightToe"}
HUMAN_IK = family("Hips", "Spine3", "Head", "Left", "Right", "*Arm", "*ForeArm", "*Hand", "*UpLeg", "*Leg", "*Foot",
                  "*ToeBase", "*HandMiddle1", "*HandThumb1")
FAIR = HUMAN_IK | {("finger", s): n + "HandEnd" for s, n in (("left", "Left"), ("right", "Right"))}
FAIR = {key: name for key, name in FAIR.items() if key[0] != "thumb"}
MIXED = FAIR | {("finger", s): n + "Hand:end" for s, n in (("left", "Left"), ("right", "Right"))}
SPINE2 = HUMAN_IK | {("chest", ""): "Spine2"}
KINECT = HUMAN_IK | {("chest", ""): "Spine1", ("toe", "left"): "LeftFoot:end", ("toe", "right"): "RightFoot:end"}
OZZ = HUMAN_IK | {("wrist", "left"): "Lefthand", ("toe", "left"): "LeftFootThumb1",
                  ("toe", "right"): "RightFootThumb1", ("pelvis", ""): "Pelvis"}
OZZ_CLIP = OZZ | {("tip", "left"): "Bip01LToe0Nub", ("tip", "right"): "Bip01RToe0Nub"}
OPENSIM = family("pelvis", "torso", None, "l", "r", None, None, None, "femur_*", "tibia_*", "talus_*", "toes_*")
MAKEHUMAN = family("Hips", "Spine3", "Head", "L", "R", "UpArm_*", "LoArm_*", "Hand_*", "UpLeg_*", "LoLeg_*", "Foot_*",
                   "Toe_*", "Middle1_*", "Thumb1_*")
MAKEHUMAN_173 = family("root", "spine01", "head", "L", "R", "upperarm01.*", "lowerarm01.*", "wrist.*", "upperleg01.*",
                       "lowerleg01.*", "foot.*", "toe1-1.*", "finger3-1.*", "finger1-1.*")
MANNEQUIN = family("pelvis", "spine_03", "head", "l", "r", "upperarm_*", "lowerarm_*", "hand_*", "thigh_*", "calf_*",
                   "foot_*", "ball_*", "middle_01_*", "thumb_01_*")
KAYKIT = family("hips", "chest", "head", "l", "r", "upperarm.*", "lowerarm.*", "wrist.*", "upperleg.*", "lowerleg.*",
                "foot.*", "toes.*", "hand.*", None)
BITMOJI = family("C_spine0001_bind_JNT", "C_spine0006_bind_JNT", "C_head0001_bind_JNT", "L", "R",
                 "*_armUpper0001_bind_JNT", "*_armLower0001_bind_JNT", "*_hand0001_bind_JNT", "*_legUpper0001_bind_JNT",
                 "*_legLower0001_bind_JNT", "*_foot0001_bind_JNT", "*_foot0002_bind_JNT",
                 "*_handMiddle0002_bind_JNT", "*_handThumb0001_bind_JNT")
MAKEHUMAN_173 |= {(part, side): "finger%d-1.%s" % (n, s) for part, n in (("index", 2), ("little", 5))
                  for side, s in (("left", "L"), ("right", "R"))}
BITMOJI |= {(part, side): "%s_hand%s0002_bind_JNT" % (s, n) for part, n in (("index", "Pointer"), ("little", "Pinky"))
            for side, s in (("left", "L"), ("right", "R"))}
CESIUM = {("pelvis", ""): 2, ("chest", ""): 12, ("head", ""): 20,
          ("arm", "left"): 16, ("elbow", "left"): 17, ("wrist", "left"): 18,
          ("arm", "right"): 13, ("elbow", "right"): 14, ("wrist", "right"): 15,
          ("hip", "left"): 7, ("knee", "left"): 8, ("ankle", "left"): 9, ("toe", "left"): 10,
          ("hip", "right"): 3, ("knee", "right"): 4, ("ankle", "right"): 5, ("toe", "right"): 6}


# of ozz_arnaud and bitmoji_model; of kinect_brekel_a as it stands in its clip, whose rest pose has no foot. The clips of
# ozz have a joint at the toes' end that arnaud lacks: where the walk's foot stands flat it is as low as the toe's joint, and
# as the foot leaves the ground the walk takes it 2.9 cm under that (frame 34), the toe's joint 4.9 cm over it.
OZZ_SOLES = {"ankle": 0.119, "toe": 0.002}
OZZ_CLIP_SOLES = OZZ_SOLES | {"tip": 0.0}
BITMOJI_SOLES = {"ankle": 0.065, "toe": 0.013}
KINECT_SOLES = {"ankle": 0.08, "toe": 0.0}


class Rig:
    """stem: of the file. folder: bvh, gltf, fbx. unit: metres a unit (of FBX: of what `surefoot convert` makes of it).
    reference: 'rest' (the pose without motion), or the frame that shows how the figure stands when the rest pose does not.
    odd_rest: nothing in the file stands straight, so that facing and heights of the rest pose mean little. soles: heights of
    ankle, toe and tip over the ground of the same rig where it stands in another file."""

    def __init__(self, stem, suffix, table, unit, up="Y", clips=(None,), reference="rest", odd_rest=False,
                 target=True, positions="auto", soles=None):
        self.stem, self.suffix, self.table, self.unit, self.up = stem, suffix, table, unit, up
        self.folder = "gltf" if suffix in ("glb", "gltf") else suffix
        self.clips, self.reference, self.odd_rest, self.target = list(clips), reference, odd_rest, target
        self.positions, self.soles = positions, soles

    def path(self, data):
        return os.path.join(data, self.folder, self.stem + "." + self.suffix)


def _all():
    bvh = lambda stem, table, unit, **more: Rig(stem, "bvh", table, unit, **more)
    glb = lambda stem, table, unit=1.0, **more: Rig(stem, "glb", table, unit, **more)
    fbx = lambda stem, table, unit=1.0, **more: Rig(stem, "fbx", table, unit, **more)
    return [
        bvh("cmu_12_01_walk", CMU_MB, CMU),
        bvh("cmu_01_01_playground", CMU_MB | {("finger", "left"): "LFingers", ("finger", "right"): "RFingers"}, CMU,
            target=False),
        bvh("cmu_05_20_dance_mb", CMU_MB, CMU, target=False),
        bvh("cmu_05_20_dance_daz", DAZ, 0.01),
        bvh("cmu_jumping_jacks_max", CMU_MAX, CMU),
        bvh("cmu_rest_pose", CMU_MB, CMU),
        bvh("xia_neutral_01_000", CMU_MB, CMU),
        bvh("xia_angry_13_000", CMU_MB, CMU, target=False),
        bvh("xia_strutting_01_000", CMU_MB, CMU, target=False),
        bvh("xia_depressed_13_000", CMU_MB, CMU, target=False),
        bvh("dme_demo_video_1_fixed", CMU_MB, CMU, target=False),
        bvh("dme_demo_3d_1_fixed", CMU_MB, CMU, target=False),
        # About 4 cm a unit, which no file says; this is what `info` takes it for. Reports give the ground in its metres,
        # and by another unit a ground far from 0 would lie elsewhere.
        bvh("fair_dab", FAIR, 0.03808010181029943, up="Z"),
        bvh("fair_zombie_walk", FAIR, 0.03808010181029943, up="Z", target=False),
        bvh("mixamo_names_69f", prefixed("mixamorig:", SPINE2), 0.01),
        bvh("mocapbank_crlf", MOCAPBANK, 0.01),
        bvh("xsens_23_standing", XSENS, 0.01),
        bvh("xsens_a_40fps", XSENS, 0.01),
        bvh("mixed_orders_zup", MIXED, 0.0254, up="Z"),
        bvh("makehuman_walk1", MAKEHUMAN, 0.1, up="Z"),
        bvh("makehuman_tpose", MAKEHUMAN_173, 0.1, up="Z"),
        bvh("makehuman_dance1", MAKEHUMAN, 0.1, up="Z", target=False),
        bvh("geno_stance_6ch", HUMAN_IK, 0.01, reference=0),
        bvh("bvhacker_walk_cycle_42", COLLAR, 0.01),
        bvh("kinect_brekel_a", KINECT, 0.01, soles=KINECT_SOLES),
        bvh("boxing_toes", BOXING, 0.01),
        bvh("opensim_gait2354_walk_overground", OPENSIM, 1.0),
        bvh("opensim_gait2354_walk_treadmill", OPENSIM, 1.0, target=False),
        glb("m2m_rig-human", MANNEQUIN, clips=()),
        glb("m2m_no_animation", MANNEQUIN, clips=()),
        glb("mixamo_sample_rig", prefixed("mixamorig:", SPINE2)),
        glb("kaykit_Knight", KAYKIT, clips=("Walking_A", "Running_A", "1H_Melee_Attack_Chop", "Cheer", "Sit_Floor_Down")),
        glb("bitmoji_model", BITMOJI, clips=()),
        glb("bitmoji_walk", BITMOJI, odd_rest=True, soles=BITMOJI_SOLES, target=False),
        glb("bitmoji_idle", BITMOJI, odd_rest=True, soles=BITMOJI_SOLES, target=False),
        Rig("khronos_CesiumMan", "gltf", CESIUM, 1.0),
        fbx("ozz_arnaud", OZZ, clips=()),
        fbx("ozz_walk", OZZ_CLIP, odd_rest=True, soles=OZZ_CLIP_SOLES),
        fbx("ozz_jog", OZZ_CLIP, odd_rest=True, soles=OZZ_CLIP_SOLES, target=False),
        fbx("mixamo_original_rig", prefixed("mixamorig:", SPINE2), clips=("mixamo.com",)),
        fbx("geno_stance", HUMAN_IK),
        fbx("cmu_91_48_makehuman", DAZ_FBX, 0.01),
        fbx("cmu_91_50_makehuman", DAZ_FBX, 0.01, target=False),
        fbx("ufbx_maya_human_ik_7400_binary", prefixed("Character1_", SPINE2), clips=()),
    ]


RIGS = {rig.stem: rig for rig in _all()}


def stem_of(path):
    return os.path.splitext(os.path.basename(str(path)))[0]


def rig_of(path):
    """The rig of a file, by its stem; KeyError for a file that has no table."""
    return RIGS[stem_of(path)]
