# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts and sides that are read from the names of bones, for the names that the makers of rigs give."""

import unicodedata

import pytest

from limberjack.core.characters import bone_names
from limberjack.core.characters.body_parts import PARTS
from limberjack.core.characters.bone_names import LEFT, MIDDLE, RIGHT, name_of_other_side, read_bone_name

MIDDLE_NAMES = {
    "Rigify": {"hips": "", "spine": "spine DEF-spine DEF-spine.003 ORG-spine.006", "face": "jaw DEF-jaw nose.001"},
    "Mixamo": {
        "hips": "mixamorig:Hips Hips mixamorig9:Hips",
        "spine": "mixamorig:Spine mixamorig:Spine1 mixamorig:Spine2",
        "neck": "mixamorig:Neck",
        "head": "mixamorig:Head",
        "helper": "mixamorig:HeadTop_End",
    },
    "Unreal": {
        "hips": "pelvis",
        "spine": "spine_01 spine_05",
        "neck": "neck_01 neck_02",
        "head": "head",
        "helper": "root ik_foot_root ik_hand_gun ik_hand_root",
    },
    "MakeHuman": {
        "spine": "spine05 spine01",
        "neck": "neck01 neck03",
        "head": "head",
        "face": "jaw tongue00 special06.eye",
        "helper": "root",
    },
    "VRM": {
        "hips": "J_Bip_C_Hips",
        "spine": "J_Bip_C_Spine J_Bip_C_Chest J_Bip_C_UpperChest",
        "neck": "J_Bip_C_Neck",
        "head": "J_Bip_C_Head",
        "helper": "Root J_Sec_Hair1_01 J_Sec_Hair12_03",
    },
    "Biped": {
        "hips": "Bip01_Pelvis Bip001_Pelvis",
        "spine": "Bip01_Spine Bip01_Spine2",
        "neck": "Bip01_Neck Bip001_Neck1",
        "head": "Bip01_Head",
        "tail": "Bip01_Tail Bip01_Tail1",
        "": "Bip01 Bip001",
    },
    "Valve": {
        "hips": "ValveBiped.Bip01_Pelvis",
        "spine": "ValveBiped.Bip01_Spine ValveBiped.Bip01_Spine4",
        "neck": "ValveBiped.Bip01_Neck1",
        "head": "ValveBiped.Bip01_Head1",
    },
    "MMD": {
        "hips": "下半身 腰",
        "spine": "上半身 上半身2",
        "neck": "首",
        "head": "頭",
        "face": "両目 舌 顎",
        "": "センター グルーブ 全ての親",
    },
    "generic": {
        "hips": "Hips hip pelvis Pelvis.001",
        "spine": "Spine Chest torso upper_chest abdomen",
        "head": "Head HEAD head.001",
        "tail": "tail Tail_01 tail.003",
        "": "Bone Bone.001 Cube wheel",
    },
}
"""Names of bones in the middle of a body by part, for each maker."""

SIDED = {
    "Rigify": (
        {
            "clavicle": "shoulder.{}",
            "upper_arm": "upper_arm.{} DEF-upper_arm.{} DEF-upper_arm.{}.001 ORG-upper_arm.{}",
            "forearm": "forearm.{} DEF-forearm.{}.001",
            "hand": "hand.{} DEF-hand.{}",
            "finger": "thumb.01.{} DEF-f_index.01.{} f_pinky.03.{} DEF-palm.01.{}",
            "thigh": "thigh.{} DEF-thigh.{}.001",
            "shin": "shin.{} DEF-shin.{}",
            "foot": "foot.{}",
            "toes": "toe.{} DEF-toe.{}",
            "helper": "heel.02.{} breast.{} pelvis_helper.{}",
            "face": "lip.T.{} ear.{}.004 cheek.B.{} DEF-eye.{}",
        },
        ("L", "R"),
    ),
    "Mixamo": (
        {
            "clavicle": "mixamorig:{}Shoulder",
            "arm": "mixamorig:{}Arm",
            "forearm": "mixamorig:{}ForeArm",
            "hand": "mixamorig:{}Hand",
            "finger": "mixamorig:{}HandThumb1 mixamorig:{}HandIndex4 mixamorig:{}HandPinky2 mixamorig:{}HandMiddle1",
            "thigh": "mixamorig:{}UpLeg",
            "leg": "mixamorig:{}Leg",
            "foot": "mixamorig:{}Foot",
            "toes": "mixamorig:{}ToeBase",
            "helper": "mixamorig:{}Toe_End",
        },
        ("Left", "Right"),
    ),
    "Unreal": (
        {
            "clavicle": "clavicle_{}",
            "upper_arm": "upperarm_{}",
            "forearm": "lowerarm_{}",
            "hand": "hand_{}",
            "finger": "thumb_01_{} index_metacarpal_{} middle_03_{} ring_02_{} pinky_01_{}",
            "thigh": "thigh_{}",
            "shin": "calf_{}",
            "foot": "foot_{}",
            "toes": "ball_{}",
            "twist": "upperarm_twist_01_{} lowerarm_twist_02_{} thigh_twist_01_{} calf_twist_01_{}",
            "helper": "ik_foot_{} ik_hand_{} weapon_{}",
        },
        ("l", "r"),
    ),
    "MakeHuman": (
        {
            "clavicle": "clavicle.{}",
            "upper_arm": "upperarm01.{} upperarm02.{}",
            "forearm": "lowerarm01.{} lowerarm02.{}",
            "hand": "wrist.{}",
            "finger": "finger1-1.{} finger5-3.{} metacarpal1.{}",
            "thigh": "upperleg01.{} upperleg02.{}",
            "shin": "lowerleg01.{}",
            "foot": "foot.{}",
            "toes": "toe1-1.{} toe5-3.{}",
            "helper": "breast.{}",
        },
        ("L", "R"),
    ),
    "VRM": (
        {
            "clavicle": "J_Bip_{}_Shoulder",
            "upper_arm": "J_Bip_{}_UpperArm",
            "forearm": "J_Bip_{}_LowerArm",
            "hand": "J_Bip_{}_Hand",
            "finger": "J_Bip_{}_Thumb1 J_Bip_{}_Little3 J_Bip_{}_Index2",
            "thigh": "J_Bip_{}_UpperLeg",
            "shin": "J_Bip_{}_LowerLeg",
            "foot": "J_Bip_{}_Foot",
            "toes": "J_Bip_{}_ToeBase",
            "helper": "J_Sec_{}_Bust1 J_Sec_{}_CoatSkirtSide2_01",
            "face": "J_Adj_{}_FaceEye",
        },
        ("L", "R"),
    ),
    "Biped": (
        {
            "clavicle": "Bip01_{}_Clavicle",
            "upper_arm": "Bip01_{}_UpperArm",
            "forearm": "Bip01_{}_Forearm",
            "hand": "Bip01_{}_Hand",
            "finger": "Bip01_{}_Finger0 Bip01_{}_Finger01 Bip001_{}_Finger42",
            "thigh": "Bip01_{}_Thigh",
            "shin": "Bip01_{}_Calf",
            "foot": "Bip01_{}_Foot",
            "toes": "Bip01_{}_Toe0 Bip001_{}_Toe01",
            "twist": "Bip01_{}_ForeTwist Bip01_{}_ThighTwist",
            "helper": "Bip01_{}_Toe0Nub",
        },
        ("L", "R"),
    ),
    "Valve": (
        {
            "clavicle": "ValveBiped.Bip01_{}_Clavicle",
            "upper_arm": "ValveBiped.Bip01_{}_UpperArm",
            "forearm": "ValveBiped.Bip01_{}_Forearm",
            "hand": "ValveBiped.Bip01_{}_Hand",
            "finger": "ValveBiped.Bip01_{}_Finger0 ValveBiped.Bip01_{}_Finger41",
            "thigh": "ValveBiped.Bip01_{}_Thigh",
            "shin": "ValveBiped.Bip01_{}_Calf",
            "foot": "ValveBiped.Bip01_{}_Foot",
            "toes": "ValveBiped.Bip01_{}_Toe0",
        },
        ("L", "R"),
    ),
    "MMD": (
        {
            "clavicle": "{}肩",
            "arm": "{}腕",
            "forearm": "{}ひじ",
            "hand": "{}手首",
            "finger": "{}親指1 {}人指2 {}中指3 {}薬指1 {}小指2",
            "thigh": "{}足 {}足D",
            "shin": "{}ひざ {}ひざD",
            "foot": "{}足首 {}足首D",
            "toes": "{}つま先 {}足先EX",
            "twist": "{}腕捩 {}手捩 {}腕捩1",
            "helper": "{}足IK {}つま先IK {}親指先 {}手先 {}胸",
            "face": "{}目",
        },
        ("左", "右"),
    ),
    "Daz": (
        {
            **{"thigh": "{}ThighBend {}Thigh", "shin": "{}Shin", "foot": "{}Foot", "toes": "{}Toe {}SmallToe2_2"},
            **{"clavicle": "{}Collar", "upper_arm": "{}ShldrBend {}Shldr", "forearm": "{}ForearmBend {}ForeArm"},
            **{"hand": "{}Hand", "finger": "{}Thumb1 {}Index1 {}Mid1 {}Pinky3", "helper": "{}Pectoral"},
            "twist": "{}ThighTwist {}ShldrTwist {}ForearmTwist {}_thightwist1 {}_upperarmtwist2 {}_forearmtwist1",
        },
        ("l", "r"),
    ),
    "MMD in Blender": (
        {
            "arm": "腕.{}",
            "forearm": "ひじ.{}",
            "thigh": "足.{}",
            "shin": "ひざ.{}",
            "foot": "足首.{}",
            "finger": "親指0.{}",
        },
        ("L", "R"),
    ),
    "generic": (
        {
            "upper_arm": "upper_arm_{} UpperArm.{} upperarm{} upper-arm-{}",
            "forearm": "forearm_{} lower_arm_{} Elbow.{} lowerarm.{}.001",
            "hand": "hand_{} Hand{} wrist_{}",
            "thigh": "thigh_{} upper_leg_{} Thigh.{} femur_{}",
            "shin": "shin_{} calf.{} lower_leg_{} Knee{}",
            "foot": "foot_{} Ankle_{}",
            "arm": "arm_{} Arm.{}",
            "leg": "leg_{} Leg{}",
        },
        ("Left", "Right"),
    ),
    "words first": (
        {"hand": "{}_hand {}Hand {}.hand", "thigh": "{}_thigh {}Thigh", "leg": "{}Leg", "forearm": "{}_forearm"},
        ("left", "right"),
    ),
}
"""Names of bones of one side by part, with {} for the side, and the words for left and right."""


@pytest.mark.parametrize(
    ("name", "part"),
    [(name, part) for rows in MIDDLE_NAMES.values() for part, names in rows.items() for name in names.split()],
)
def test_names_of_the_middle(name, part):
    """Guards each maker's names of bones in the middle of a body."""
    assert read_bone_name(name) == (part, MIDDLE)


@pytest.mark.parametrize(
    ("name", "part", "side"),
    [
        (name.format(word), part, side)
        for rows, words in SIDED.values()
        for part, names in rows.items()
        for name in names.split()
        for word, side in zip(words, (LEFT, RIGHT), strict=True)
    ],
)
def test_names_of_both_sides(name, part, side):
    """Guards each maker's names of bones of the left and the right side."""
    assert read_bone_name(name) == (part, side)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        tuple(name.format(word) for word in words)
        for rows, words in SIDED.values()
        for names in rows.values()
        for name in names.split()
    ],
)
def test_names_of_the_other_side(left, right):
    """Guards each maker's names: the other side has the same name but for the word of the side, both ways."""
    assert name_of_other_side(left) == right
    assert name_of_other_side(right) == left


@pytest.mark.parametrize("name", ["mixamorig:Spine1", "pelvis", "上半身", "Lamp", "leftover", "", "armor"])
def test_names_without_a_side_stay(name):
    """Guards bones in the middle, and words that only begin like a side."""
    assert name_of_other_side(name) == name


@pytest.mark.parametrize("name", ["Bip01 L Thigh", "Bip01 L UpperArm", "LeftThigh", "thigh.L", "左足"])
def test_names_are_read_whatever_their_case_and_form(name):
    """Guards names in capitals, and Japanese names whose characters a file stores in another form of Unicode."""
    found = read_bone_name(name)
    assert found.side == LEFT
    assert read_bone_name(unicodedata.normalize("NFD", name)) == found
    if " " in name or "." in name:
        assert read_bone_name(name.upper().replace("UPPERARM", "UPPER_ARM")) == found


@pytest.mark.parametrize(
    "name", ["armor_L", "Legend", "Handle", "Footstool", "Headlamp", "kneeler", "Shinbone2", "l", "", "."]
)
def test_words_that_only_contain_a_part(name):
    """Guards objects whose names only begin like parts of a body: nothing is guessed."""
    assert read_bone_name(name).part == ""


def test_all_parts_that_names_tell_are_known():
    """Guards the table of words: each part is one of a body, or half a limb that the bones around must tell."""
    assert {part for part, _ in bone_names._WORDS} - {"arm", "leg"} <= set(PARTS)
    assert {part for rows, _ in SIDED.values() for part in rows} <= {*PARTS, "arm", "leg"}
