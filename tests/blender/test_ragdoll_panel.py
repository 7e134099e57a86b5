# SPDX-License-Identifier: GPL-3.0-or-later
"""The panel of a ragdoll, and what the tab shows beside it."""

import re
from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.panels import link as link_panels
from limberjack.addon.panels.joints import joint as joint_panels
from limberjack.addon.panels.main import LIMBERJACK_PT_main
from limberjack.addon.panels.ragdoll import LIMBERJACK_PT_ragdoll
from limberjack.addon.props.ragdoll import ragdoll_bones
from limberjack.addon.props.settings import window_status

from .baked import bake
from .characters import character, choose
from .conftest import joint, link
from .paper import Paper, draw

ADVANCED = (link_panels.LIMBERJACK_PT_link, joint_panels.LIMBERJACK_PT_joint)


@pytest.fixture
def rig(scene):
    """A ragdoll in Pose Mode, with its thigh active."""
    rig, _ = character()
    choose(rig)
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    activate(rig, "thigh")
    yield rig
    window_status(bpy.context.window_manager).shows_part_panels = False
    bpy.ops.object.mode_set(mode="OBJECT")


def activate(rig, name):
    rig.data.bones.active = rig.data.bones[name]


def panel():
    """The panel of the ragdoll alone, drawn."""
    paper = Paper()
    LIMBERJACK_PT_ragdoll.draw(SimpleNamespace(layout=paper), bpy.context)
    return paper


def shown(panel):
    return panel.poll(bpy.context)


@pytest.mark.parametrize(
    ("bone", "labels"),
    [
        ("thigh", ["Swing", "Twist From", "Twist To"]),
        ("shin", ["Bend From", "Bend To"]),
        ("hips", []),
    ],
)
def test_the_part_that_is_active(rig, bone, labels):
    """Guards the words of the limits of a ball and of a hinge; the part at the top has no joint."""
    activate(rig, bone)
    paper = draw(rig)
    words = ("Swing", "Twist From", "Twist To", "Bend From", "Bend To")
    assert [text for text in paper.labelled if text in words] == labels
    assert any(text.endswith(f": {bone}") for text in paper.texts)
    assert {"ragdoll_mass", "follows", "mass", "bone_radius"} <= set(paper.props)
    assert ("drive_strength" in paper.props) == bool(labels)


def test_settings_without_effect_look_so(rig):
    """Guards a part that follows the animation: its weight, stiffness and limits are dimmed."""
    assert panel().active
    link(rig.pose.bones["thigh"]).follows = "KINEMATIC"
    assert not panel().active


def test_sides_have_the_button_of_the_mirror(rig):
    """Guards who looks for the button that the guide names: it is in the panel of a part that has a side."""
    assert ids.OP_MIRROR not in panel().operators
    rig.data.bones["thigh"].name = "thigh.L"
    assert ids.OP_MIRROR in panel().operators


def test_a_bone_without_a_body(rig):
    """Guards who selects a bone that is no part: the panel says which part it follows, also two bones above."""
    activate(rig, "tip")
    assert {"tip", "Follows hand"} <= set(draw(rig).texts)


def test_tooltips_of_a_part_have_its_words(rig):
    """Guards tooltips: they tell what the labels of the panel say, and not only what a link or a drive has."""
    own, its_joint = link(rig.pose.bones["thigh"]).bl_rna, joint(rig.pose.bones["thigh"]).bl_rna
    assert "part of a ragdoll" in own.properties["mass"].description
    assert "the stiffness of a part of a ragdoll" in its_joint.properties["drive_strength"].description
    axis = joint(rig.pose.bones["thigh"]).axes[0].bl_rna
    assert "Of a cone" in axis.properties["upper_angle"].description


def test_a_joint_of_another_type(rig):
    """Guards a part whose joint the user has changed: each axis has its name."""
    joint(rig.pose.bones["thigh"]).type = "universal"
    assert {"From", "To"} <= set(draw(rig).labelled)


def test_no_word_link_on_the_way(rig):
    """Guards artists who make a ragdoll and play it: titles and tooltips do not have the word."""
    for mode in ("POSE", "OBJECT"):
        bpy.ops.object.mode_set(mode=mode)
        paper = draw(rig)
        titles = [cls.bl_label for cls in (LIMBERJACK_PT_main, LIMBERJACK_PT_ragdoll, *ADVANCED) if _is_drawn(cls)]
        operators = {name: getattr(bpy.ops.limberjack, name.partition(".")[2]) for name, _ in paper.buttons}
        own = (ids.OP_RAGDOLL, ids.OP_RAGDOLL_REMOVE, ids.OP_PREVIEW, ids.OP_SIMULATE, ids.OP_BONE_FIT, ids.OP_GROUND)
        tips = [operators[name].get_rna_type().description for name in own if name in operators]
        assert not [text for text in (*titles, *tips[:2]) if re.search(r"\blinks?\b", text, re.IGNORECASE)]


def _is_drawn(panel):
    return not hasattr(panel, "poll") or panel.poll(bpy.context)


def test_all_settings_on_request(rig):
    """Guards the panels Link and Joint of a part: hidden in the tab until All Settings is on, there in Physics."""
    assert not any(map(shown, ADVANCED))
    in_physics = [getattr(bpy.types, f"{panel.bl_idname}_physics") for panel in ADVANCED]
    assert all(map(shown, in_physics))
    window_status(bpy.context.window_manager).shows_part_panels = True
    assert all(map(shown, ADVANCED))


def test_a_mesh_shows_the_panel(rig):
    """Guards who selects the body in Object Mode, where the button is, too: the panel of its armature is shown."""
    bpy.ops.object.mode_set(mode="OBJECT")
    choose(bpy.data.objects["Body"])
    assert shown(LIMBERJACK_PT_ragdoll)
    assert "ragdoll_mass" in draw(bpy.data.objects["Body"]).props


def motions(rig):
    return {bone.name: link(bone).motion for bone in ragdoll_bones(rig)}


def test_what_a_part_follows(rig):
    """Guards Follows: what a part hangs on follows the animation with it, and what hangs on a part falls with it."""
    arm, chest = link(rig.pose.bones["arm"]), link(rig.pose.bones["chest"])
    arm.follows = "KINEMATIC"
    assert {name for name, motion in motions(rig).items() if motion == "KINEMATIC"} == {"arm", "chest", "hips"}
    chest.follows = "FREE"
    assert {name for name, motion in motions(rig).items() if motion == "KINEMATIC"} == {"hips"}
    assert arm.follows == "FREE"
    link(rig.pose.bones["hips"]).follows = "FREE"
    assert set(motions(rig).values()) == {"FREE"}
    bpy.context.scene.frame_end = 3
    arm.follows = "KINEMATIC"
    run = bake(bpy.context.scene)
    assert run.trajectory.X_WL[-1, run.trajectory.link_names.index("Rig:arm"), :3] == pytest.approx((0.2, 0.0, 1.5))
