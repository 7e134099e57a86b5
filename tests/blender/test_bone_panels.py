# SPDX-License-Identifier: GPL-3.0-or-later
"""The panels of links and joints in Pose Mode, where they show the active bone."""

from types import SimpleNamespace
from unittest.mock import MagicMock

import bpy
import pytest

from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.nodes.chosen import active_node, selected_nodes
from limberjack.addon.panels import link as link_panels
from limberjack.addon.panels.joints import joint as joint_panels
from limberjack.addon.panels.main import LIMBERJACK_PT_main
from limberjack.addon.panels.model import LIMBERJACK_PT_model, in_tree_order
from limberjack.addon.panels.physics import LIMBERJACK_PT_main_physics
from limberjack.addon.props.members import joints_in, links_in

from .conftest import joint
from .rigs import chain, in_mode, select_bones, tag


@pytest.fixture
def rig(scene):
    """Three bones, of which the first two are links, in Pose Mode."""
    rig = chain(3)
    tag(rig, "b0", "b1")
    show_rig(scene)
    in_mode(rig, "POSE")
    yield rig
    bpy.ops.object.mode_set(mode="OBJECT")


def activate(rig, name):
    rig.data.bones.active = rig.data.bones[name]


def drawn(panel) -> str:
    """Text of all labels and names of all properties that a panel draws."""
    layout = MagicMock()
    for parts in ("panel", "panel_prop"):
        getattr(layout, parts).return_value = (layout, layout)
    for part in ("column", "row", "split", "box"):
        getattr(layout, part).return_value = layout
    panel.draw(SimpleNamespace(layout=layout), bpy.context)
    return str(layout.mock_calls)


def shown(panels):
    return [panel.bl_label for panel in panels if panel.poll(bpy.context)]


def test_panels_show_the_active_bone(rig):
    """Guards panels in Pose Mode: those of the active bone as link and joint, and none for a bone that is no link."""
    activate(rig, "b1")
    assert active_node(bpy.context) == rig.pose.bones["b1"]
    assert "Link" in shown(link_panels.PANELS)
    assert "Joint" in shown(joint_panels.PANELS)
    for panel in (*link_panels.PANELS, *joint_panels.PANELS, LIMBERJACK_PT_main, LIMBERJACK_PT_main_physics):
        if getattr(panel, "poll", lambda _: True)(bpy.context):
            drawn(panel)
    assert "Joined to Rig:b0" in drawn(joint_panels.LIMBERJACK_PT_joint)
    activate(rig, "b2")
    assert shown((*link_panels.PANELS, *joint_panels.PANELS)) == []


def test_a_root_can_be_joined_to_the_world(rig):
    """Guards the first bone of a chain, whose joint does not act: the panel still offers the world as its parent."""
    activate(rig, "b0")
    assert "'to_world'" in drawn(joint_panels.LIMBERJACK_PT_joint)
    joint(rig.pose.bones["b0"]).to_world = True
    assert "Joined to" not in drawn(joint_panels.LIMBERJACK_PT_joint)


@pytest.mark.parametrize("kind", ["d6", "revolute", "distance"])
def test_panels_of_every_kind_of_joint_are_drawn(rig, kind):
    """Guards axes, drives and starts of a bone's joint, for which Blender has no data path."""
    activate(rig, "b1")
    joint(rig.pose.bones["b1"]).type = kind
    joint(rig.pose.bones["b1"]).use_home = True
    for panel in joint_panels.PANELS:
        if panel.poll(bpy.context):
            drawn(panel)


def test_lists_of_bones(scene, rig):
    """Guards the panel Model: it counts bones, lists them in Pose Mode only, and a click on a row selects the bone."""
    assert "Links: 2, joints: 1" in drawn(LIMBERJACK_PT_model)
    rows = SimpleNamespace(filter_name="", use_filter_invert=False, bitflag_filter_item=1)
    shown = [*links_in(scene), *joints_in(scene)]
    flags, order = in_tree_order(rows, bpy.context, scene, shown)
    assert (flags, sorted(order)) == ([0], [0])
    flags, order = in_tree_order(rows, bpy.context, rig.pose, shown)
    bones = [bone.name for bone in rig.pose.bones]
    assert [name for name, flag in zip(bones, flags, strict=True) if flag] == [link.name for link in links_in(scene)]
    assert sorted(order) == [*range(len(bones))]
    select_bones(rig, "b0")
    scene.limberjack.bone_row = bones.index("b1")
    assert (bpy.context.active_pose_bone.name, scene.limberjack.bone_row) == ("b1", bones.index("b1"))
    assert [bone.name for bone in bpy.context.selected_pose_bones] == ["b1"]


def test_operators_take_the_selected_bones(scene, rig):
    """Guards Joint Preset, Edit as Custom and Recalculate Mass in Pose Mode."""
    select_bones(rig, "b1")
    assert selected_nodes(bpy.context) == [rig.pose.bones["b1"]]
    assert bpy.ops.limberjack.joint_preset(preset="knee") == {"FINISHED"}
    assert joint(rig.pose.bones["b1"]).type == "revolute"
    assert bpy.ops.limberjack.link_mass_by_hand() == {"FINISHED"}
    assert bpy.ops.limberjack.link_weigh() == {"FINISHED"}
