# SPDX-License-Identifier: GPL-3.0-or-later
"""The part of a body that each bone is, and the direction in which the body faces."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from limberjack.core.characters.anatomy import MOST_SPINE_BONES, Bone, anatomy_of
from limberjack.core.characters.body_parts import LIMBS
from limberjack.core.characters.bone_names import LEFT, MIDDLE, RIGHT
from support.skeletons import NAMES, POSES, UPWARD, body

Z = (0.0, 0.0, 1.0)

EXTRUDED = (
    {
        **NAMES,
        **{"hips": "Body", "upper_arm": "arm.{}", "forearm": "arm.{}.001", "hand": "arm.{}.002"},
        **{"clavicle": "collar.{}", "thigh": "leg.{}", "shin": "leg.{}.001", "foot": "leg.{}.002", "toes": "toes.{}"},
    },
    ("L", "R"),
)
"""Names that Blender gives to bones that are extruded from others, and hips whose name tells nothing."""

SCHEMES = {
    "extruded": EXTRUDED,
    "plain": (NAMES, (".L", ".R")),
    "Mixamo": (
        {
            **dict(zip(NAMES, ("Hips", "Spine", "Spine1", "Neck", "Head"), strict=False)),
            **{part: f"mixamorig:{{}}{word}" for part, word in (("clavicle", "Shoulder"), ("upper_arm", "Arm"))},
            **{part: f"mixamorig:{{}}{word}" for part, word in (("forearm", "ForeArm"), ("hand", "Hand"))},
            **{part: f"mixamorig:{{}}{word}" for part, word in (("thigh", "UpLeg"), ("shin", "Leg"))},
            **{part: f"mixamorig:{{}}{word}" for part, word in (("foot", "Foot"), ("toes", "ToeBase"))},
        },
        ("Left", "Right"),
    ),
    "MMD": (
        {
            **dict(zip(NAMES, ("下半身", "上半身", "上半身2", "首", "頭"), strict=False)),
            **{"clavicle": "{}肩", "upper_arm": "{}腕", "forearm": "{}ひじ", "hand": "{}手首"},
            **{"thigh": "{}足", "shin": "{}ひざ", "foot": "{}足首", "toes": "{}つま先"},
        },
        ("左", "右"),
    ),
    "numbered spine": (
        {
            **NAMES,
            "hips": "spine",
            "spine": "spine.001",
            "chest": "spine.002",
            "neck": "spine.003",
            "head": "spine.004",
        },
        (".L", ".R"),
    ),
    "arm and leg": ({**NAMES, "upper_arm": "arm", "forearm": "arm2", "thigh": "leg", "shin": "leg2"}, ("_l", "_r")),
    "elbow and knee": (
        {**NAMES, "clavicle": "collar", "upper_arm": "shoulder", "forearm": "elbow", "thigh": "leg", "shin": "knee"},
        ("Left", "Right"),
    ),
    "joints": (
        {
            **dict(zip(NAMES, ("Hips", "Chest", "Chest2", "Neck", "Head"), strict=False)),
            **{"clavicle": "{}Collar", "upper_arm": "{}Shoulder", "forearm": "{}Elbow", "hand": "{}Wrist"},
            **{"thigh": "{}Hip", "shin": "{}Knee", "foot": "{}Ankle", "toes": "{}Toe"},
        },
        ("Left", "Right"),
    ),
}
"""Names of the parts of one body, and words for the sides. The last one is that of motion capture in BVH."""


def parts_of(bones, **options):
    return {name: (place.part, place.side) for name, place in anatomy_of(bones, Z, **options).places.items()}


@pytest.mark.parametrize("scheme", SCHEMES)
def test_parts_of_a_body(scheme):
    """Guards each kind of names: the bones are the parts at whose places they are, also if their names tell only half
    of it."""
    names, sides = SCHEMES[scheme]
    found = anatomy_of(body(names=names, sides=sides), Z)
    assert found.is_humanoid
    expected = [
        ("spine" if part == "chest" else part, side)
        for part in NAMES
        for side in ((MIDDLE,) if part in ("hips", "spine", "chest", "neck", "head") else (LEFT, RIGHT))
    ]
    assert sorted((place.part, place.side) for place in found.places.values()) == sorted(expected)
    assert {place.part for place in found.places.values() if place.merges} == {"toes"}


@pytest.mark.parametrize("pose", POSES)
@pytest.mark.parametrize("turn", [*Rotation.create_group("O")], ids=lambda turn: str(np.round(turn.as_rotvec(), 1)))
def test_a_body_faces_forward_in_all_axes_of_an_armature(pose, turn):
    """Guards armatures of other programs, whose y axis is up or whose characters look along another axis."""
    axes = anatomy_of(body(pose, turn.as_matrix()), (0.0, 0.0, 1.0)).axes
    np.testing.assert_allclose(
        turn.inv().apply([axes.left, axes.front, axes.up]), [(1, 0, 0), (0, -1, 0), (0, 0, 1)], atol=1e-12
    )


@given(st.tuples(*[st.floats(-3.0, 3.0)] * 3), st.floats(0.01, 100.0))
def test_axes_are_orthogonal_and_near_the_body(rotvec, scale):
    """Guards bodies that lean in the axes of their armature: up is at most 32 degrees (whose cosine is 0.85) from the
    legs, and the other axes are perpendicular to it and lead to the left and to the front."""
    turn = Rotation.from_rotvec(rotvec)
    axes = np.array(anatomy_of(body(turn=turn.as_matrix(), scale=scale), Z).axes)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-9)
    assert np.linalg.det(axes) == pytest.approx(-1.0)  # left, front and up are a left-handed set
    left, front, up = turn.inv().apply(axes)
    assert up[2] >= 0.85 - 1e-9
    assert left[0] > 0.8
    assert front[1] < -0.7


@pytest.mark.parametrize("lean", [0.0, 20.0, 45.0, 70.0])
def test_a_body_that_stands_is_upright(lean):
    """Guards armatures whose axes are not those of the body: legs that lead a little forward do not tilt a body that
    stands in the world; one that leans there, in an armature of its own axes, leans with it."""
    turn = Rotation.from_euler("x", lean, degrees=True)
    bones = [
        bone._replace(head=(bone.head[0], bone.head[1] - 0.04 * ("foot" in bone.name), bone.head[2])) for bone in body()
    ]
    turned = [
        bone._replace(**{end: tuple(turn.apply(getattr(bone, end))) for end in ("head", "tail")}) for bone in bones
    ]
    np.testing.assert_allclose(anatomy_of(turned, tuple(turn.apply(Z))).axes.up, turn.apply(Z), atol=1e-12)
    np.testing.assert_allclose(anatomy_of(bones, tuple(turn.apply(Z))).axes.up, Z, atol=1e-12)


def test_without_legs_the_sky_is_up():
    """Guards busts and creatures: up is what is given, and a body without pairs looks along -y."""
    bones = [Bone("hips", None, (0, 0, 0), (0, 0, 1)), Bone("spine", "hips", (0, 0, 1), (0, 0, 2))]
    axes = anatomy_of(bones, Z).axes
    assert axes == ((1.0, 0.0, 0.0), (0.0, -1.0, 0.0), Z)
    sideways = anatomy_of(bones, (0.0, 1.0, 0.0)).axes
    assert (sideways.up, sideways.front) == ((0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def test_a_bone_above_the_hips_is_no_part_of_the_body():
    """Guards rigs whose hips hang on a bone of the whole, which would be a rod on the floor: MMD's centre, Biped's
    Bip01, and an unnamed one."""
    for name in ("センター", "Bip01", "Armature", "COG"):
        bones = [Bone(name, None, (0, 0, 0), (0, 0, 0.3)), *body()]
        bones[1] = bones[1]._replace(parent=name)
        place = anatomy_of(bones, Z).places[name]
        assert (place.part, bool(place.merges)) == ("helper", True), name


def test_bones_below_ends_belong_to_them():
    """Guards faces, fingers and toes whose names tell nothing or something else, and twist bones."""
    more = [
        ("sausage", "head", ("face", MIDDLE)),
        ("left_brush", "sausage", ("face", LEFT)),
        ("claw", "hand.L", ("finger", LEFT)),
        ("claw2", "claw", ("finger", LEFT)),
        ("f_index", "hand.R", ("finger", RIGHT)),
        ("sock", "foot.L", ("toes", LEFT)),
        ("upper_arm_twist.L", "upper_arm.L", ("twist", LEFT)),
        ("upper_arm.L.001", "upper_arm.L", ("twist", LEFT)),
        ("thigh.R.001", "thigh.R", ("twist", RIGHT)),
        ("hips.001", "hips", ("helper", MIDDLE)),
        ("pelvis.L", "hips", ("helper", LEFT)),
        ("breast.L", "chest", ("helper", LEFT)),
        ("tail", "hips", ("tail", MIDDLE)),
        ("whip", "tail", ("tail", MIDDLE)),
        ("sword", "hips", ("limb", MIDDLE)),
    ]
    bones = [*body(), *(Bone(name, parent, (0, 0, 0), (0, 0, 0.1)) for name, parent, _ in more)]
    found = parts_of(bones)
    assert {name: found[name] for name, _, _ in more} == {name: expected for name, _, expected in more}
    merged = {name for name, place in anatomy_of(bones, Z).places.items() if place.merges}
    assert merged == {name for name, *_ in more if name not in ("tail", "whip", "sword")} | {"toes.L", "toes.R"}
    with_fingers = {name for name, place in anatomy_of(bones, Z, with_fingers=True).places.items() if place.merges}
    assert merged - with_fingers == {"claw", "claw2", "f_index", "sock", "toes.L", "toes.R"}


@pytest.mark.parametrize("count", [1, 3, 4, 7, 24])
def test_of_a_long_spine_some_bones_bend(count):
    """Guards spines of many bones: of these, three bend, and the topmost one, which carries the arms, is among them."""
    bones = body()
    chest = next(number for number, bone in enumerate(bones) if bone.name == "chest")
    upper = [
        bone._replace(parent=f"spine{count}" if bone.parent == "chest" else bone.parent) for bone in bones[chest + 1 :]
    ]
    middle = [
        Bone(
            f"spine{n}",
            f"spine{n - 1}" if n > 1 else "hips",
            (0, 0, 1 + 0.4 * (n - 1) / count),
            (0, 0, 1 + 0.4 * n / count),
        )
        for n in range(1, count + 1)
    ]
    lower = [bone for bone in bones[:chest] if bone.name != "spine"]
    found = anatomy_of([*lower, *middle, *upper], Z)
    kept = [name for name, place in found.places.items() if place.part == "spine" and not place.merges]
    assert len(kept) == min(count, MOST_SPINE_BONES)
    assert kept[-1] == f"spine{count}"
    assert found.is_humanoid


def test_necks_and_heads_are_one_bone_each():
    """Guards necks of two bones, as Rigify's and Unreal's: the second one follows the first, and so do eyes a head."""
    bones = body()
    place = next(number for number, bone in enumerate(bones) if bone.name == "head")
    bones[place] = bones[place]._replace(parent="neck2")
    bones.insert(place, Bone("neck2", "neck", (0.0, 0.0, 1.5), (0.0, 0.0, 1.55)))
    bones.append(Bone("head_top", "head", (0.0, 0.0, 1.75), (0.0, 0.0, 1.8)))
    places = anatomy_of(bones, Z).places
    assert [name for name in ("neck", "neck2", "head", "head_top") if places[name].merges] == ["neck2", "head_top"]
    assert places["neck2"].merges == "one of many bones of the Neck"


def test_creatures():
    """Guards bodies without the parts of a human one: whatever names tell of these does not count, tails do."""
    bones = [Bone("trunk", None, (0, 0, 1), (0, 1, 1)), Bone("wing.L", "trunk", (0, 0, 1), (1, 0, 1))]
    bones += [Bone("hand.L", "wing.L", (1, 0, 1), (2, 0, 1)), Bone("tail", "trunk", (0, 0, 1), (0, -1, 1))]
    bones += [Bone("tail2", "tail", (0, -1, 1), (0, -2, 1)), Bone("ik_target", "trunk", (0, 0, 0), (0, 0, 1))]
    found = anatomy_of(bones, Z)
    assert not found.is_humanoid
    assert [place.part for place in found.places.values()] == ["limb", "limb", "limb", "tail", "tail", "helper"]
    assert [bool(place.merges) for place in found.places.values()] == [False] * 5 + [True]
    as_creature = anatomy_of(body(), Z, as_human=False)
    assert not as_creature.is_humanoid
    assert {place.part for place in as_creature.places.values()} == {"limb"}
    assert not any(place.merges for place in as_creature.places.values())


def chain(names, parent, head, step):
    """Bones one after the other along a direction."""
    heads = [tuple(np.array(head, dtype=float) + n * np.array(step)) for n in range(len(names) + 1)]
    return [
        Bone(name, above, start, end)
        for name, above, start, end in zip(names, (parent, *names), heads, heads[1:], strict=False)
    ]


def test_a_creature_that_was_extruded_is_whole():
    """Guards creatures drawn in Blender: the unnamed bone that carries the chest and the legs is a limb, and so is each
    numbered bone of a leg, also the third one, which is a foot."""
    bones = [Bone("Body", None, (0, 0, 1), (0, -0.4, 1.1)), Bone("Chest", "Body", (0, -0.4, 1.1), (0, -0.8, 1.2))]
    bones += [Bone("Head", "Chest", (0, -0.8, 1.2), (0, -1.1, 1.2)), Bone("Tail", "Body", (0, 0, 1), (0, 0.5, 1))]
    for side, x in (("L", 0.2), ("R", -0.2)):
        names = [f"Leg.{side}", f"Leg.{side}.001", f"Leg.{side}.002", f"Leg.{side}.003"]
        bones += chain(names, "Body", (x, 0, 1), (0, 0, -0.25))
    found = anatomy_of(bones, Z)
    assert not found.is_humanoid
    assert {name: place.part for name, place in found.places.items() if place.part != "limb"} == {"Tail": "tail"}
    assert not any(place.merges for place in found.places.values())


def test_the_bone_that_carries_the_legs_is_the_hips():
    """Guards hips whose name tells nothing: they are the bone beside the thighs, and not one at the floor above it."""
    bones = body(names=EXTRUDED[0], sides=EXTRUDED[1])
    bones = [Bone("Scene", None, (0, 0, 0), (0, 0, 0.2)), bones[0]._replace(parent="Scene"), *bones[1:]]
    places = anatomy_of(bones, Z).places
    assert [(name, place.part) for name, place in places.items()][:3] == [
        ("Scene", "helper"),
        ("Body", "hips"),
        ("spine", "spine"),
    ]
    bones = [bone._replace(parent="Scene" if bone.parent == "Body" else bone.parent) for bone in bones]
    places = anatomy_of([bone for bone in bones if bone.name != "Body"], Z).places
    assert (places["Scene"].part, places["spine"].part) == ("helper", "hips")


def test_words_for_fingers_count_below_hands_only():
    """Guards bones named middle, ring, little or index elsewhere, which would follow the bone above them."""
    more = [("ring", "hips", "limb"), ("spine_middle", "chest", "spine"), ("little_wing.L", "chest", "limb")]
    more += [("f_index.01.L", "hand.L", "finger"), ("middle.R", "hand.R", "finger"), ("thumb.L", "forearm.L", "finger")]
    bones = [*body(), *(Bone(name, parent, (0, 0, 1.3), (0, 0, 1.4)) for name, parent, _ in more)]
    found = parts_of(bones)
    assert {name: found[name][0] for name, *_ in more} == {name: part for name, _, part in more}


def test_a_character_of_daz():
    """Guards Genesis 8: two hips, limbs of two halves, and four bones of the trunk; the parts are those of a body.

    The list is that of Daz's own bones, without those of face, fingers and toes but one each.
    """
    below = {
        "hip": "pelvis abdomenLower",
        "pelvis": "lThighBend rThighBend",
        "abdomenLower": "abdomenUpper",
        "abdomenUpper": "chestLower",
        "chestLower": "chestUpper lPectoral",
        "chestUpper": "lCollar rCollar neckLower",
        "neckLower": "neckUpper",
        "neckUpper": "head",
        "head": "upperTeeth lEye",
        **{"lThighBend": "lThighTwist", "lThighTwist": "lShin", "lShin": "lFoot", "lFoot": "lMetatarsals lToe"},
        **{"lCollar": "lShldrBend", "lShldrBend": "lShldrTwist", "lShldrTwist": "lForearmBend"},
        **{"lForearmBend": "lForearmTwist", "lForearmTwist": "lHand", "lHand": "lCarpal1 lThumb1"},
        **{"lCarpal1": "lMid1", "rCollar": "rShldrBend", "rThighBend": "rShin"},
    }
    heights = {
        "hip": 1.0,
        "pelvis": 1.0,
        "lThighBend": 0.9,
        "rThighBend": 0.9,
        "lShin": 0.5,
        "rShin": 0.5,
        "lFoot": 0.1,
    }
    bones = [Bone("hip", None, (0, 0, 1.0), (0, 0, 1.1))]
    for parent, names in below.items():
        for name in names.split():
            x = {"l": 0.1, "r": -0.1}.get(name[0] if name[1].isupper() else "", 0.0)
            z = heights.get(name, 1.2 + 0.01 * len(bones))
            bones.append(Bone(name, parent, (x, 0, z), (x, 0, z - 0.05)))
    found = anatomy_of(bones, Z)
    assert found.is_humanoid
    kept = {name: (place.part, place.side) for name, place in found.places.items() if not place.merges}
    assert kept == {
        "hip": ("hips", MIDDLE),
        **dict.fromkeys(("abdomenLower", "chestLower", "chestUpper"), ("spine", MIDDLE)),
        **{"neckLower": ("neck", MIDDLE), "head": ("head", MIDDLE)},
        **{"lThighBend": ("thigh", LEFT), "lShin": ("shin", LEFT), "lFoot": ("foot", LEFT)},
        **{"lCollar": ("clavicle", LEFT), "lShldrBend": ("upper_arm", LEFT), "lForearmBend": ("forearm", LEFT)},
        **{"lHand": ("hand", LEFT), "rCollar": ("clavicle", RIGHT), "rShldrBend": ("upper_arm", RIGHT)},
        **{"rThighBend": ("thigh", RIGHT), "rShin": ("shin", RIGHT)},
    }


def test_an_animal_on_four_legs_is_no_human():
    """Guards rigs of animals, whose bones have the names of human parts: their spines lie across their legs. Whoever
    wants it gets a human body."""
    lying = Rotation.from_euler("x", 90.0, degrees=True).as_matrix()
    bones = []
    for bone in body():
        is_of_leg = bone.name.partition(".")[0] in ("thigh", "shin", "foot", "toes")
        ends = (np.array(end) - (0.0, 0.0, 0.95) for end in (bone.head, bone.tail))
        bones.append(
            bone._replace(
                **dict(zip(("head", "tail"), (tuple(end if is_of_leg else lying @ end) for end in ends), strict=True))
            )
        )
    assert not anatomy_of(bones, Z).is_humanoid
    assert anatomy_of(bones, Z, as_human=True).is_humanoid
    assert anatomy_of(body("hanging"), Z).is_humanoid


def test_parents_come_first():
    """Guards callers: a bone before its parent is refused by name."""
    with pytest.raises(ValueError, match="bone 'spine' comes before its parent 'hips'"):
        anatomy_of([Bone("spine", "hips", (0, 0, 1), (0, 0, 2)), Bone("hips", None, (0, 0, 0), (0, 0, 1))], Z)


@pytest.mark.parametrize("order", range(4))
def test_the_order_of_bones_does_not_matter(order):
    """Guards armatures whose bones were made in another order, as long as parents come first."""
    bones = body(names=SCHEMES["arm and leg"][0])
    expected, shuffled, rest = parts_of(bones), [], [*bones]
    random = np.random.default_rng(order)
    while rest:
        ready = [bone for bone in rest if bone.parent in (None, *(each.name for each in shuffled))]
        shuffled.append(ready[random.integers(len(ready))])
        rest.remove(shuffled[-1])
    assert shuffled != bones
    assert parts_of(shuffled) == expected


def test_limbs_are_a_set_of_both_sides():
    """Guards the table of parts that are one rigid piece: each of them is found on both sides of a body."""
    found = parts_of(body())
    for part, side in itertools.product(LIMBS, (LEFT, RIGHT)):
        assert (part, side) in found.values()
    assert UPWARD.tolist() == [*Z]
