# SPDX-License-Identifier: GPL-3.0-or-later
"""Links of a human that Rigify has generated: the bones of the original rig, whichever of their bones are tagged.

The rig that Rigify generates from, with the parents that its author gave to the bones, is the truth.
"""

import addon_utils
import bpy
import numpy as np
import pytest
from mathutils import Quaternion, Vector

from limberjack.addon.bridge.joints.bone_joints import add_bone_joint
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.addon.nodes import copied_bones
from limberjack.addon.panels import link as link_panels
from limberjack.addon.panels.joints import joint as joint_panels
from limberjack.addon.props.members import joints_in, links_in
from limberjack.addon.props.settings import window_status

from .characters import skin
from .conftest import joint, link
from .rigs import in_mode, select_bones
from .test_bone_panels import drawn

SPINE = ("spine", *(f"spine.00{number}" for number in range(1, 7)))
LIMBS = ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
BODY = (*SPINE, *(f"{name}.{side}" for side in "LR" for name in LIMBS))
"""Bones of the original rig for a whole body: pelvis, spine, neck and head, arms and legs."""

FINGERS = tuple(
    f"{finger}.0{number}.{side}"
    for finger in ("thumb", "f_index", "f_middle", "f_ring", "f_pinky")
    for number in (1, 2, 3)
    for side in "LR"
)

HALVES = ("upper_arm", "forearm", "thigh", "shin")
"""Limbs of which Rigify makes two bones that deform meshes."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory, _add_on):
    """A file with the original rig and the one that Rigify generates, which takes three seconds."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    bpy.ops.pose.rigify_generate()
    path = str(tmp_path_factory.mktemp("rigify") / "human.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    addon_utils.disable("rigify", default_set=True)
    return path


@pytest.fixture
def rig(scene, generated):
    bpy.ops.wm.open_mainfile(filepath=generated)
    return bpy.data.objects["rig"]


def deforming(name):
    """The bones of the rig that deform what one of the original rig stands for."""
    stem, dot, side = name.partition(".")
    return [f"DEF-{name}", *([f"DEF-{stem}{dot}{side}.001"] if stem in HALVES else [])]


def controls(name):
    """Controls of a bone of the original rig that artists select. The first bones of the neck have tweaks only."""
    if name.startswith("spine"):
        return ["head"] if name == "spine.006" else [f"tweak_{name}"]
    stem, _, side = name.partition(".")
    return [f"{stem}_fk.{side}"] if stem in LIMBS and stem != "shoulder" else [name]


def inverse_kinematics(name):
    """Return the control for inverse kinematics, or of the spine for forward kinematics; else as `controls` does."""
    stem, dot, side = name.partition(".")
    if stem in ("upper_arm", "hand", "thigh", "foot", "toe"):
        return [f"{stem}_ik.{side}"]
    return [f"spine_fk{dot}{side}"] if name in SPINE[:4] else controls(name)


def original(name):
    return [f"ORG-{name}"]


def link_of(name):
    """The bone that becomes the link: in the spine a tweak, which both the deforming and the original bone follow."""
    return f"tweak_{name}" if name in SPINE[:4] else f"ORG-{name}"


def tag(rig, names, show=("DEF", "ORG")):
    """Tag bones by the operator, in Pose Mode, where only visible bones are selected."""
    for name in show:
        rig.data.collections_all[name].is_visible = True
    select_bones(rig, *names)
    assert bpy.ops.limberjack.link_tag() == {"FINISHED"}


def tree_of(scene):
    """Parent of each link by name, without the words of Rigify; "" for roots."""
    model = read_scene(scene)
    parents = {joint.child: joint.parent for joint in model.joints}
    assert len(parents) == len(model.joints), "a link has two joints"
    short = {item.name: item.name.removeprefix("rig:ORG-").removeprefix("rig:tweak_") for item in model.links} | {
        "": ""
    }
    return {short[item.name]: short[parents.get(item.name, "")] for item in model.links}


def tree_of_metarig(names):
    """Parent of each bone among these in the original rig: the nearest one above."""
    bones = bpy.data.objects["metarig"].data.bones
    return {
        name: next((above.name for above in bones[name].parent_recursive if above.name in names), "") for name in names
    }


@pytest.mark.parametrize("chosen", [deforming, original, controls, inverse_kinematics])
def test_a_body_is_the_tree_of_its_original_rig(scene, rig, chosen):
    """Guards bones that deform, whose parents jump, and controls, which are in no hierarchy: all give one tree."""
    tag(
        rig,
        [bone for name in BODY for bone in chosen(name)],
        show=() if "control" in chosen.__name__ else ("DEF", "ORG"),
    )
    expected = tree_of_metarig(BODY)
    assert tree_of(bpy.context.scene) == expected
    assert [name for name, parent in expected.items() if not parent] == ["spine"]


@pytest.mark.parametrize("chosen", [deforming, original, controls])
def test_fingers_hang_on_hands(scene, rig, chosen):
    """Guards fingers, whose bones hang on a bone that deforms the hand: the link of the hand is found."""
    names = ("hand.L", "hand.R", *FINGERS)
    tag(rig, [bone for name in names for bone in chosen(name)])
    assert tree_of(bpy.context.scene) == tree_of_metarig(names)


def test_the_whole_rig_is_one_tree(scene, rig):
    """Guards the face and all other bones that deform: one root, and each head bone hangs on the head."""
    names = [bone.name for bone in rig.data.bones if bone.use_deform]
    tag(rig, names)
    tree = tree_of(bpy.context.scene)
    assert [name for name, parent in tree.items() if not parent] == ["spine"]
    assert {tree[name] for name in ("jaw", "nose", "ear.L", "lip.T.R", "brow.B.L")} == {"spine.006"}


def test_what_is_tagged_in_place_of_the_chosen_is_told(scene, rig):
    """Guards users who look for a link on the bone that they chose: one sentence names what became the link."""
    status = window_status(bpy.context.window_manager)
    tag(rig, ["DEF-thigh.L"])
    assert "'rig:DEF-thigh.L' copies 'rig:ORG-thigh.L', which is tagged in its place" in status.notes.split("\n")
    tag(rig, ["thigh_fk.R"])
    assert "'rig:thigh_fk.R' steers 'rig:ORG-thigh.R', which is tagged in its place" in status.notes.split("\n")
    tag(rig, ["DEF-shin.L", "DEF-shin.L.001", "DEF-foot.L"])
    told = "3 bones, such as 'rig:DEF-shin.L', copy others, which are tagged in their place"
    assert told in status.notes.split("\n")
    assert [bone.name for bone in links_in(bpy.context.scene)] == [
        f"ORG-{name}" for name in ("thigh.L", "shin.L", "foot.L", "thigh.R")
    ]


def test_untag_takes_the_bones_that_were_chosen(scene, rig):
    """Guards artists, who see neither of the bones that became links: the same controls untag them."""
    tag(rig, ["thigh_fk.L", "shin_fk.L"], show=())
    select_bones(rig, "shin_fk.L")
    assert bpy.ops.limberjack.link_untag() == {"FINISHED"}
    assert [bone.name for bone in links_in(bpy.context.scene)] == ["ORG-thigh.L"]


@pytest.mark.parametrize(
    ("control", "original"), [("hand_ik.L", "ORG-hand.L"), ("DEF-shin.R", "ORG-shin.R"), ("spine_fk", "tweak_spine")]
)
def test_panels_show_the_link_of_a_control(scene, rig, control, original):
    """Guards artists who select a control: the tab shows the link that it moves, says so, and its buttons change it."""
    tag(rig, ["DEF-hand.L", "DEF-shin.R", "DEF-spine", "DEF-forearm.L", "DEF-thigh.R"])
    rig.data.bones.active = rig.data.bones[control]
    panels = [panel for panel in (*link_panels.PANELS, *joint_panels.PANELS) if panel.poll(bpy.context)]
    assert all(map(drawn, panels))
    assert {"Link", "Collision", "Initial Velocity", "Joint"} <= {panel.bl_label for panel in panels}
    assert f"Link of 'rig:{original}'" in drawn(link_panels.LIMBERJACK_PT_link)
    assert f"Joint of 'rig:{original}'" in drawn(joint_panels.LIMBERJACK_PT_joint)
    link(rig.pose.bones[original]).motion = "STATIC"
    assert "Static (fixed): held" in drawn(link_panels.LIMBERJACK_PT_link)
    rig.data.bones.active = rig.data.bones[original]
    assert "Link of" not in drawn(link_panels.LIMBERJACK_PT_link)


def test_a_control_of_no_link_has_no_panel(scene, rig):
    """Guards controls of bones that are no links, and of several bones."""
    tag(rig, ["DEF-hand.L"])
    for control in ("hand_ik.R", "palm.L", "torso"):
        rig.data.bones.active = rig.data.bones[control]
        assert not any(panel.poll(bpy.context) for panel in (*link_panels.PANELS, *joint_panels.PANELS))


def test_operators_change_the_links_of_selected_controls(scene, rig):
    """Guards the buttons of the panels: each changes the bone that is shown, and not the control."""
    tag(rig, ["DEF-hand.L", "DEF-forearm.L"])
    hand, control = rig.pose.bones["ORG-hand.L"], rig.pose.bones["hand_ik.L"]
    select_bones(rig, control.name)
    rig.data.bones.active = control.bone
    assert bpy.ops.limberjack.joint_preset(preset="knee") == {"FINISHED"}
    assert joint(hand).type == "revolute"
    assert bpy.ops.limberjack.joint_limits(lower=-0.3, upper=0.4) == {"FINISHED"}
    assert joint(hand).axes[0].upper == pytest.approx(0.4)
    assert bpy.ops.limberjack.surface_preset(material="ice") == {"FINISHED"}
    assert link(hand).surface.source == "CUSTOM"
    assert bpy.ops.limberjack.link_mass_by_hand() == {"FINISHED"}
    assert link(hand).mass_source == "CUSTOM"
    assert bpy.ops.limberjack.link_pin(pin="POSE") == {"FINISHED"}
    assert link(hand).pin == "POSE"
    assert not control.is_property_set("limberjack_joint") or not joint(control).is_joint


def test_a_link_is_tagged_itself(scene, rig):
    """Guards Bones as Colliders, whose links are the bones that deform: they do not become others."""
    link(rig.pose.bones["DEF-thigh.L"]).is_link = True
    tag(rig, ["DEF-thigh.L"])
    assert [bone.name for bone in links_in(bpy.context.scene)] == ["DEF-thigh.L"]


def test_controls_of_several_bones_are_tagged_themselves(scene, rig):
    """Guards controls that move no bone alone, such as the palm's: nothing is guessed."""
    tag(rig, ["palm.L", "torso"], show=())
    assert {bone.name for bone in links_in(bpy.context.scene)} == {"palm.L", "torso"}


def test_a_mesh_is_split_among_the_bones_of_the_original_rig(scene, rig):
    """Guards exports: what a bone deforms belongs to the link that it copies, or to the nearest one above that."""
    in_mode(rig, "OBJECT")
    names = [bone for name in BODY for bone in deforming(name)]
    body = skin(rig, [*names, "DEF-f_index.03.L", "DEF-jaw"])
    links = [name for name in BODY if name not in ("spine.002", "toe.L")]
    for name in links:
        link(rig.pose.bones[link_of(name)]).is_link = True
        add_bone_joint(rig.pose.bones[link_of(name)])
    scene = bpy.context.scene
    tube = len(body.data.polygons) // len(body.vertex_groups)
    reading = scan_scene(scene, with_shapes=True, split_meshes=True)
    faces = {
        item.name.removeprefix("rig:ORG-").removeprefix("rig:tweak_"): sum(
            len(shape.geometry.faces) for shape in item.visuals
        )
        for item in reading.model.links
    }
    expected = {name: tube * len(deforming(name)) for name in links}
    for name in ("spine.001", "foot.L", "hand.L", "spine.006"):  # with spine.002, toe, finger and jaw
        expected[name] += tube
    assert faces == expected
    assert not [note for note in reading.notes if "follow bones without a link" in note]


def test_bones_that_copy_are_searched_once(scene, rig, monkeypatch):
    """Guards the cost of panels and readings on a rig of 700 bones, and that a new constraint is noticed."""
    for name in BODY:
        link(rig.pose.bones[link_of(name)]).is_link = True
        add_bone_joint(rig.pose.bones[link_of(name)])
    scene, searched = bpy.context.scene, []
    bpy.context.view_layer.update()
    find = copied_bones._find_copies
    monkeypatch.setattr(copied_bones, "_find_copies", lambda armature: searched.append(armature) or find(armature))
    for _ in range(3):
        assert len(joints_in(scene)) == len(BODY) - 1
        scan_scene(scene, faults=[])  # as for panels
    assert len(searched) == 1
    assert len(rig.pose.bones) > 700
    rig.pose.bones["DEF-thigh.L"].constraints[0].mute = True
    bpy.context.view_layer.update()
    scan_scene(scene, faults=[])
    assert len(searched) == 2


def test_links_are_where_the_bones_of_the_original_rig_are(scene, rig):
    """Guards frames: each link has the head and the axes of a bone of the original rig, also if others were tagged."""
    tag(rig, [bone for name in BODY for bone in deforming(name)])
    metarig = bpy.data.objects["metarig"]
    for item in read_scene(bpy.context.scene).links:
        bone = metarig.data.bones[item.name.removeprefix("rig:ORG-").removeprefix("rig:tweak_")]
        expected = metarig.matrix_world @ bone.matrix_local
        np.testing.assert_allclose(item.pose[:3], expected.translation, atol=1e-5)
        along = Quaternion(item.pose[3:]) @ Vector((0.0, 1.0, 0.0))
        np.testing.assert_allclose(along, expected.col[1][:3], atol=1e-4)
