# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake of bones keeps the user's animation, Clear Bake restores it, and what cannot follow is refused."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.restore import baked_objects, clear_bake
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.baked_machines.displacement_problems import problems_of_machines
from limberjack.addon.bridge.baked_machines.machines import LEFT_BEHIND
from limberjack.addon.bridge.scene.read import read_scene

from .baked import bake, show
from .bone_rig import armature, assert_exact, curves_of, dump, key_others, pose_of, tag
from .conftest import joint, link


@pytest.mark.parametrize("has_action", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_clear_bake_restores_action_slot_and_pose(scene, has_action, times):
    """Guards Clear Bake after one or two bakes: poses of bones, action, slot and the list of actions are as before."""
    rig = armature(scene)
    rig.pose.bones["lower"].rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
    rig.pose.bones["middle"].location = (0.1, 0.0, 0.05)
    if has_action:
        key_others(rig)
    tag(rig)
    before = dump(scene)
    for _ in range(times):
        bake(scene, overwrite=True)
        scene.frame_set(17)
    assert dump(scene) != before
    scene.frame_set(1)
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert dump(scene) == before


def test_bones_that_are_tagged_after_a_bake_are_restored_too(scene):
    """Guards a second bake with one more bone: clearing one bone restores all as before the first bake."""
    rig = armature(scene)
    key_others(rig)
    tag(rig, ("root", "lower"))
    before = dump(scene)
    bake(scene, overwrite=True)
    scene.frame_set(1)
    tag(rig, ("root", "upper", "lower"))
    bake(scene, overwrite=True)
    scene.frame_set(1)
    clear_bake([rig.pose.bones["upper"]])
    assert not baked_objects(scene)
    assert dump(scene) == before


def test_what_the_user_keys_after_the_bake_is_kept(scene):
    """Guards new keys of other bones, made while a bake plays: they do not count as an edit of it, and survive it."""
    rig = armature(scene)
    key_others(rig)
    tag(rig)
    bake(scene, overwrite=True)
    rig.pose.bones["middle"].location = (0.0, 0.3, 0.0)
    rig.pose.bones["middle"].keyframe_insert("location", frame=5)
    bake(scene)  # without overwriting
    bpy.ops.limberjack.bake_clear()
    assert ('pose.bones["middle"].location', 1) in curves_of(rig)
    assert len(bpy.data.actions) == 1


def test_a_renamed_bone_keeps_its_bake(scene):
    """Guards baked bones that are renamed: the bake counts as unchanged, and Clear Bake removes it."""
    rig = armature(scene)
    tag(rig)
    before = dump(scene)
    bake(scene)
    rig.data.bones["upper"].name = "arm.L"
    bake(scene)  # raises if the bake counts as edited
    rig.data.bones["arm.L"].name = "upper"
    scene.frame_set(1)
    bpy.ops.limberjack.bake_clear()
    assert dump(scene) == before


def test_a_bone_that_is_no_link_any_more_loses_its_bake(scene):
    """Guards a bake after a bone was untagged: the bone plays its own animation again."""
    rig = armature(scene)
    key_others(rig)
    own = curves_of(rig)
    tag(rig)
    bake(scene, overwrite=True)
    for name in ("upper", "lower", "tip"):
        bone = rig.pose.bones[name]
        link(bone).is_link = joint(bone).is_joint = False
    bake(scene, overwrite=True)
    path = 'pose.bones["upper"].rotation_quaternion'
    assert {key: keys for key, keys in curves_of(rig).items() if key[0] == path} == {
        key: keys for key, keys in own.items() if key[0] == path
    }


@pytest.mark.parametrize("has_action", [False, True])
def test_a_bake_of_bones_is_up_to_date_until_something_changes(scene, has_action):
    """Guards the digests of a scene with bones: the same at every frame of a bake, and others after a change."""
    rig = armature(scene)
    if has_action:
        key_others(rig)
    tag(rig)
    bake(scene, overwrite=True)
    for frame in (1, 9, 24):
        show(scene, frame)
        assert out_of_date(scene, read_scene(scene)) == ""
    link(rig.pose.bones["tip"]).density *= 2.0
    assert out_of_date(scene, read_scene(scene)) == "links, joints or gravity were changed"


def test_a_connected_bone_that_cannot_follow_is_told(scene):
    """Guards a connected bone whose parent does not turn with the simulation: an error, and nothing has changed."""
    rig = armature(scene)
    rig.data.bones["middle"].use_inherit_rotation = False
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones["lower"].use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    tag(rig)
    before = dump(scene)
    with pytest.raises(BakeError, match=r"'Rig:lower' moves .* away from the bone to which it is connected"):
        bake(scene)
    assert dump(scene) == before


def test_an_armature_at_rest_is_told(scene):
    """Guards an armature that shows its rest position, in which keys have no effect."""
    rig = armature(scene)
    tag(rig)
    rig.data.pose_position = "REST"
    bpy.context.view_layer.update()
    with pytest.raises(BakeError, match="shows its rest position only"):
        bake(scene)


@pytest.mark.parametrize(("chain_count", "is_moved"), [(2, False), (3, True), (0, True)])
def test_inverse_kinematics_that_moves_a_link_is_switched_off(scene, chain_count, is_moved):
    """Guards a constraint on another bone that moves a link against its keys; one with a shorter chain acts on."""
    rig = armature(scene)
    tag(rig, ("root", "upper"))
    goal = bpy.data.objects.new("goal", None)
    scene.collection.objects.link(goal)
    goal.location = (2.5, 0.4, 4.0)
    constraint = rig.pose.bones["lower"].constraints.new("IK")
    constraint.target, constraint.chain_count = goal, chain_count
    bpy.context.view_layer.update()
    assert_exact(scene, bake(scene))
    scene.frame_set(5)
    assert constraint.mute == is_moved


def test_inverse_kinematics_between_two_links_is_switched_off(scene):
    """Guards a bone between two links that a constraint on a third bone moves: it moves along with the upper link."""
    rig = armature(scene)
    bpy.ops.object.mode_set(mode="EDIT")
    side = rig.data.edit_bones.new("side")
    side.head, side.tail, side.parent = (2.9, 0.0, 4.2), (3.0, 0.8, 4.2), rig.data.edit_bones["lower"]
    bpy.ops.object.mode_set(mode="OBJECT")
    tag(rig, ("root", "upper", "side"))
    goal = bpy.data.objects.new("goal", None)
    scene.collection.objects.link(goal)
    constraint = rig.pose.bones["tip"].constraints.new("IK")
    constraint.target, constraint.chain_count, constraint.use_tail = goal, 1, False
    bpy.context.view_layer.update()
    assert_exact(scene, bake(scene))


def test_a_deleted_bone_ends_the_bake(scene):
    """Guards a bake during which a baked bone is deleted in Edit Mode."""
    rig = armature(scene)
    tag(rig)
    run = SimulationBake(scene)
    while not run.step():
        continue
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    rig.data.edit_bones.remove(rig.data.edit_bones["tip"])
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(BakeError, match=r"'Rig:.*' was deleted while it was simulated"):
        run.finish()
    assert not bpy.data.actions


def test_a_bake_moves_along_with_its_armature(scene):
    """Guards an armature that is moved after its bake: the bake moves along, and is up to date."""
    rig = armature(scene)
    tag(rig)
    bake(scene)
    before = pose_of(scene, rig, "tip", 12)
    scene.frame_set(1)
    rig.location.x += 1.0
    bpy.context.view_layer.update()
    assert [code for code, _, _ in problems_of_machines(scene)] == [LEFT_BEHIND]
    assert bpy.ops.limberjack.bake_move_along() == {"FINISHED"}
    moved = pose_of(scene, rig, "tip", 12) - before
    np.testing.assert_allclose(moved[:3, 3], (1.0, 0.0, 0.0), atol=1e-6)
    assert not [*problems_of_machines(scene)]
    assert out_of_date(scene, read_scene(scene)) == ""


@pytest.mark.parametrize("is_linked", [False, True])
def test_a_copy_of_a_baked_armature_gets_a_bake_of_its_own(scene, is_linked):
    """Guards a duplicated armature, with a copy of the action or with the same one: both can be baked and cleared."""
    rig = armature(scene)
    tag(rig)
    bake(scene)
    scene.frame_set(1)
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.duplicate()
    copy = bpy.context.object
    if is_linked:
        bpy.data.actions.remove(copy.animation_data.action)
        copy.animation_data.action = rig.animation_data.action
        copy.animation_data.action_slot = rig.animation_data.action_slot
    copy.location.y += 2.0
    bpy.context.view_layer.update()
    assert [code for code, _, _ in problems_of_machines(scene)] == [LEFT_BEHIND]
    assert bpy.ops.limberjack.bake_move_along() == {"FINISHED"}
    assert copy.animation_data.action != rig.animation_data.action
    assert_exact(scene, bake(scene))
    bpy.ops.limberjack.bake_clear()
    assert not bpy.data.actions
