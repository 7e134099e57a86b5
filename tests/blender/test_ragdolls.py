# SPDX-License-Identifier: GPL-3.0-or-later
"""Make Ragdoll and Remove Ragdoll: which bones become parts, with which parents, shapes, masses, limits and pairs."""

import bpy
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.ops.characters.making import RagdollOptions, make_ragdoll
from limberjack.addon.props.pairs import set_pair
from limberjack.addon.props.ragdoll import ragdoll_bones
from limberjack.core.cli import describe
from limberjack.core.model import ModelError

from .baked import bake
from .characters import BODY, character, choose, skin
from .conftest import joint, link
from .humanoids import HUMANOIDS
from .ragdolls import differing, make, names_of, parents_in, remove, stored, told, whole_dump
from .rigs import armature, chain, select_bones, tag
from .test_library_overrides import empty_scene, link_machine, override, reopen

PARTS = ("hips", "chest", "head", "thigh", "shin", "arm", "hand")
"""Bones of the character that become parts: all but those of its finger."""


@pytest.fixture
def figure(scene):
    return character()


@pytest.fixture(params=HUMANOIDS)
def kind(request):
    return HUMANOIDS[request.param]


# ---- which bones


def test_parts_and_parents_of_a_character(scene, figure):
    """Guards the tree: each part hangs on the bone above it, the hips on nothing, and fingers belong to the hand."""
    rig, _ = figure
    make(rig)
    assert sorted(names_of(rig)) == sorted(PARTS)
    above = {name: parent for name, _, _, parent in BODY}
    assert parents_in(scene) == {name: above[name] for name in PARTS if above[name]}
    assert told() == "2 bones follow the bones above them: 2 × finger"


def test_what_is_as_it_should_be_is_no_warning(scene, figure, capfd):
    """Guards the status bar: that fingers follow the hand is told in the panel, but not as a warning."""
    make(figure[0])
    output = capfd.readouterr().out
    assert "2 bones follow the bones above them: 2 × finger" in output
    assert "WARNING" not in output.upper()


def test_parts_and_parents_of_each_kind_of_rig(scene, kind):
    """Guards names, helpers and halves of limbs of each maker: the parts are those of the body, without toes and
    halves, at most 20, and hang on each other as the body's do."""
    rig, _ = kind.build()
    make(rig)
    names = names_of(rig)
    halves = {name.format(side) for name in kind.halves.values() for side in kind.sides}
    toes = {kind.names["toes"].format(side) for side in kind.sides}
    tree = {name: above for name, (above, *_) in kind.parts().items() if name not in halves | toes}
    whole = {
        half.format(side): kind.names[part].format(side) for part, half in kind.halves.items() for side in kind.sides
    }
    assert set(names) == set(tree)
    assert len(names) <= 20
    assert parents_in(scene) == {name: whole.get(above, above) for name, above in tree.items() if above}
    assert link(rig.pose.bones[kind.names["shin"].format(kind.sides[0])]).body_part == "shin"


def test_an_upper_body_beside_the_hips_hangs_on_them(scene):
    """Guards rigs as MMD's, whose trunk and legs are siblings on a bone of the whole: they are one body."""
    rows = [
        ("センター", (0, 0, 0.8), (0, 0, 1.0), ""),
        ("下半身", (0, 0, 1.0), (0, 0, 0.85), "センター"),
        ("上半身", (0, 0, 1.0), (0, 0, 1.3), "センター"),
        ("頭", (0, 0, 1.4), (0, 0, 1.7), "上半身"),
    ]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        rows += [
            (f"足.{side}", (sign * 0.1, 0, 0.9), (sign * 0.1, 0, 0.5), "下半身"),
            (f"ひざ.{side}", (sign * 0.1, 0, 0.5), (sign * 0.1, 0, 0.1), f"足.{side}"),
        ]
    rig = armature(rows)
    make(rig)
    assert parents_in(scene) == {
        "上半身": "下半身",
        "頭": "上半身",
        **{f"足.{side}": "下半身" for side in "LR"},
        **{f"ひざ.{side}": f"足.{side}" for side in "LR"},
    }
    assert len(names_of(rig)) == 7


def test_bones_that_are_links_already_stay_as_they_are(scene, figure):
    """Guards bones that the user has set up: they keep their mass and joint, other parts hang on them, and it is told.
    If none is left, it is refused."""
    rig, _ = figure
    tag(rig, "chest")
    chest = rig.pose.bones["chest"]
    link(chest).mass_source, link(chest).mass = "MASS", 3.0
    joint(chest).type = "revolute"
    before = stored(rig)
    make(rig, weight=50.0)
    assert not any("chest" in key for key in differing(stored(rig), before))
    assert sorted(names_of(rig)) == sorted(set(PARTS) - {"chest"})
    assert sum(link(bone).mass for bone in ragdoll_bones(rig)) == pytest.approx(50.0)
    assert parents_in(scene)["head"] == "chest"
    assert joint(rig.pose.bones["head"]).axes[3].upper < 3.0, "the head has no limits"
    assert "'Rig:chest': links already, so left as they are" in told()
    remove(rig)
    tag(rig)
    choose(rig)
    with pytest.raises(RuntimeError, match="the bones of armature 'Rig' are links already: untag them first"):
        bpy.ops.limberjack.make_ragdoll()


# ---- one ragdoll after the other, and none


def walk(rig):
    """Give the character an action, a constraint and a custom property of the user's."""
    for frame, angle in ((1, 0.0), (12, 0.5), (24, -0.2)):
        bone = rig.pose.bones["thigh"]
        bone.rotation_mode, bone.rotation_euler = "XYZ", (angle, 0.1 * angle, 0.0)
        bone.keyframe_insert("rotation_euler", frame=frame)
    rig.pose.bones["head"].constraints.new("LIMIT_ROTATION").max_x = 0.5
    rig.pose.bones["arm"]["mood"] = 3.0
    bpy.context.view_layer.update()


def test_remove_takes_everything_away(scene, figure):
    """Guards the way back: bones, actions, constraints, settings of the scene and what a file saves are as before, also
    if the ragdoll was changed and baked."""
    rig, _ = figure
    walk(rig)
    choose(rig)
    scene.frame_end = 3
    scene.frame_set(scene.frame_current)
    before = whole_dump(scene)
    make(rig, weight=60.0, fingers=True)
    assert whole_dump(scene) != before
    link(rig).ragdoll_stiffness = 0.5
    bake(scene, overwrite=True)
    remove(rig)
    scene.frame_set(scene.frame_current)
    assert differing(before, whole_dump(scene)) == []
    assert not bpy.ops.limberjack.remove_ragdoll.poll()


def test_remove_leaves_other_links(scene, figure):
    """Guards what the user has made: other links, also bones of the character, and pairs of these stay."""
    rig, _ = figure
    other = armature([("boom", (3, 0, 0), (3, 0, 1), "")], "Crane")
    tag(other)
    tag(rig, "chest")
    boom, chest = other.pose.bones["boom"], rig.pose.bones["chest"]
    set_pair(scene, boom, chest, False)
    before = whole_dump(scene)
    make(rig)
    set_pair(scene, boom, rig.pose.bones["head"], False)
    remove(rig)
    assert [{pair.a_node, pair.b_node} for pair in scene.limberjack.pairs] == [{boom, chest}]
    assert differing(before, whole_dump(scene)) == []


def test_making_it_twice_is_making_it_once(scene, figure):
    """Guards users who press again: nothing changes. With other options, it is as if it had been made so only."""
    rig, _ = figure
    make(rig, weight=60.0)
    first, model, pairs = stored(rig), describe(read_scene(scene)), len(scene.limberjack.pairs)
    make(rig, weight=60.0)
    assert differing(stored(rig), first) == []
    make(rig, weight=80.0, fingers=True, preset="CREATURE", stiffness=0.9)
    assert "finger" in names_of(rig)
    make(rig, weight=60.0)
    assert sorted(names_of(rig)) == sorted(PARTS)
    assert describe(read_scene(scene)) == model  # axes that a former type had are stored, and not used
    assert len(scene.limberjack.pairs) == pairs


def test_selected_bones_only(scene, figure):
    """Guards Pose Mode: the chosen bones become parts and hang on the bone above, others follow the ones above or stay
    animated; the mode and the selection stay. All of them, or none, stand for the whole body."""
    rig, _ = figure
    select_bones(rig, "chest", "arm")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert bpy.context.mode == "POSE"
    assert sorted(names_of(rig)) == ["arm", "chest", "hips"]
    assert parents_in(scene) == {"arm": "chest", "chest": "hips", "hips": "world"}
    assert "4 × not chosen" in told()
    before = stored(rig)
    select_bones(rig, "hand")
    assert bpy.ops.limberjack.make_ragdoll(weight=1.0) == {"FINISHED"}
    assert sorted(names_of(rig)) == ["arm", "chest", "hand", "hips"]
    assert parents_in(scene) == {"arm": "chest", "chest": "hips", "hips": "world", "hand": "arm"}
    hand = joint(rig.pose.bones["hand"])
    assert link(rig.pose.bones["hand"]).mass == pytest.approx(1.0)
    assert (hand.axes[3].use_upper, hand.axes[0].drive_mode) == (True, "position")
    assert {key for key in differing(stored(rig), before) if "hand" not in key} == set()
    assert "links already" not in told()
    for chosen in ((), ("",)):
        select_bones(rig, *chosen)
        assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
        assert sorted(names_of(rig)) == sorted(PARTS)


def test_chosen_bones_hang_on_the_body(scene, figure):
    """Guards who lets only an arm fall: the bone above it follows the animation, and the arm stays on it. The typed
    weight is that of what falls."""
    rig, _ = figure
    select_bones(rig, "arm", "hand")
    assert bpy.ops.limberjack.make_ragdoll(weight=5.0) == {"FINISHED"}
    motions = {bone.name: link(bone).motion for bone in ragdoll_bones(rig)}
    assert motions == {"chest": "KINEMATIC", "arm": "FREE", "hand": "FREE"}
    assert "'Rig:chest': not chosen, but chosen bones hang on it, so it follows the animation" in told()
    assert sum(link(rig.pose.bones[name]).mass for name in ("arm", "hand")) == pytest.approx(5.0)
    assert bpy.ops.limberjack.remove_ragdoll() == {"FINISHED"}
    select_bones(rig, "arm", "thigh")
    assert bpy.ops.limberjack.make_ragdoll(weight=5.0) == {"FINISHED"}
    assert "'Rig:chest', 'Rig:hips': not chosen, but chosen bones hang on them, so they follow the animation" in told()
    assert capsule_length(rig, "chest") < 0.6 * rig.dimensions.z, "its shape is that of the whole body"
    select_bones(rig, "chest", "hips")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    assert {link(bone).motion for bone in ragdoll_bones(rig)} == {"FREE"}


def capsule_length(rig, name):
    """Length of the capsule of a bone [m]."""
    own = link(rig.pose.bones[name])
    return (own.bone_end - own.bone_start) * rig.data.bones[name].length


def test_a_chosen_bone_that_is_no_part(scene, figure):
    """Guards who presses for one bone more: the message says why it cannot be a part, without the word link."""
    rig, _ = figure
    make(rig)
    select_bones(rig, "finger")
    with pytest.raises(RuntimeError, match=r"bone 'finger' follows the bone above it: finger\. Select other bones"):
        bpy.ops.limberjack.make_ragdoll()


def test_a_body_on_a_helper_is_whole(scene):
    """Guards creatures whose trunk has the name of a control: it is a part, since all others hang on it."""
    rig = armature(
        [
            ("root", (0, 0, 1), (0, 0, 1.4), ""),
            ("wing.L", (0.2, 0, 1.3), (0.8, 0, 1.3), "root"),
            ("wing.R", (-0.2, 0, 1.3), (-0.8, 0, 1.3), "root"),
        ]
    )
    skin(rig, radii={"root": 0.15, "wing.L": 0.05, "wing.R": 0.05})
    make(rig)
    assert parents_in(scene) == {"wing.L": "root", "wing.R": "root"}
    assert "pieces" not in told()


def test_a_body_in_pieces(scene):
    """Guards bones that hang on none: it is told that they fall apart, and which ones they are."""
    rig = armature([("one", (0, 0, 1), (0, 0, 1.5), ""), ("other", (0.5, 0, 1), (0.5, 0, 1.5), "")])
    skin(rig, radii={"one": 0.1, "other": 0.1})
    make(rig)
    assert "'Rig' falls apart into 2 pieces: 'Rig:one', 'Rig:other'." in told()


def test_several_characters_at_once(scene):
    """Guards a crowd: each selected armature, and each whose mesh is selected, becomes a ragdoll of its own."""
    rigs = [character(f"Rig{number}") for number in range(3)]
    rigs[1][0].location.x = 3.0
    bpy.context.view_layer.update()
    make(rigs[0][0], rigs[1][1])
    assert [sorted(names_of(rig)) for rig, _ in rigs] == [sorted(PARTS), sorted(PARTS), []]
    assert len(read_scene(scene).joints) == 2 * (len(PARTS) - 1)


def test_settings_of_the_whole(scene, figure):
    """Guards the three settings of the panel: weight keeps the shares and the motion, stiffness and self-collision hold
    for all parts."""
    rig, _ = figure
    make(rig, weight=50.0)
    settings = link(rig)
    assert settings.ragdoll_mass == pytest.approx(50.0)
    before = {bone: (link(bone).mass, joint(bone).axes[0].drive_stiffness) for bone in ragdoll_bones(rig)}
    settings.ragdoll_mass = 100.0
    for bone, (mass, stiffness) in before.items():
        assert link(bone).mass == pytest.approx(2.0 * mass)
        assert joint(bone).axes[0].drive_stiffness == pytest.approx(2.0 * stiffness)
    settings.ragdoll_stiffness, settings.ragdoll_self_collision = 0.7, False
    assert settings.ragdoll_stiffness == pytest.approx(0.7)
    assert not settings.ragdoll_self_collision
    assert not any(item.self_collide for item in read_scene(scene).links)
    settings.ragdoll_self_collision = True
    assert all(item.self_collide for item in read_scene(scene).links)


def test_it_survives_a_file(scene, figure, tmp_path):
    """Guards saving and opening: settings, pairs and the model are the same."""
    rig, _ = figure
    bone = rig.pose.bones["thigh"]
    bone.rotation_mode, bone.rotation_euler = "XYZ", (0.4, 0.2, -0.3)
    bpy.context.view_layer.update()
    make(rig, weight=66.0)
    before, model = stored(rig), describe(read_scene(scene))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    rig = bpy.data.objects["Rig"]
    assert differing(stored(rig), before) == []
    assert describe(read_scene(bpy.context.scene)) == model
    assert link(rig).ragdoll_mass == pytest.approx(66.0)


def save_in_collection(scene, objects, path):
    """Move objects to a collection "Hero", and save the file."""
    collection = bpy.data.collections.new("Hero")
    scene.collection.children.link(collection)
    for obj in objects:
        scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def test_a_character_of_another_file(scene, figure, tmp_path):
    """Guards library overrides: a linked character is refused with a reason, its override becomes a ragdoll like the
    original, which is still there after the file was opened again."""
    save_in_collection(scene, figure, tmp_path / "hero.blend")
    rig, _ = figure
    make(rig, weight=60.0)
    expected = stored(rig)
    scene = empty_scene()
    linked = link_machine(tmp_path / "hero.blend", "Hero")
    override(scene, linked)
    rig = scene.objects["Rig"]
    make(rig, weight=60.0)
    assert differing(stored(rig), expected) == []
    scene = reopen(tmp_path / "shot.blend")
    rig = scene.objects["Rig"]
    assert differing(stored(rig), expected) == []
    assert len(read_scene(scene).joints) == len(PARTS) - 1


def test_a_linked_character_is_refused(scene, figure, tmp_path):
    """Guards armatures that cannot be changed: one sentence says what to do."""
    save_in_collection(scene, figure, tmp_path / "hero.blend")
    scene = empty_scene()
    scene.collection.children.link(link_machine(tmp_path / "hero.blend", "Hero"))
    with pytest.raises(ModelError, match="make it yours by Object > Library Override > Make"):
        make_ragdoll(bpy.context, scene.objects["Rig"], RagdollOptions())


def test_what_cannot_become_a_ragdoll(scene, build):
    """Guards refusals: no armature, a preset that does not fit, and a scale of zero."""
    build.select(build.cube())
    assert not bpy.ops.limberjack.make_ragdoll.poll()
    rig = chain(3)
    choose(rig)
    with pytest.raises(RuntimeError, match="no bones that are known as hips, thighs and shins"):
        bpy.ops.limberjack.make_ragdoll(preset="HUMAN")
    assert names_of(rig) == []
    rig.scale = (0.0, 1.0, 1.0)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="has a scale of zero: give it a size"):
        bpy.ops.limberjack.make_ragdoll()
