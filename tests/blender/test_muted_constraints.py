# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones with constraints: a bake switches them off for its frames only, and Clear Bake leaves no trace."""

import bpy
import numpy as np
import pytest

from limberjack.addon import preview as previews
from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.receipt import is_edited
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.settings import Tolerance
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import action_of

from .baked import bake
from .bone_rig import ACCURACY, NAMES, SIZE, armature, assert_exact, errors, key_others, pose_of, tag
from .conftest import joint, link
from .test_bone_files import everything

FIRST, LAST = 11, 30
"""Frames of the bakes."""

OUTSIDE = (1, 5, 9.5, 10, LAST + 1, LAST + 1.5, 37)
"""Frames at which a bake changes nothing."""


def goal(scene):
    """An animated object that constraints follow."""
    made = bpy.data.objects.new("goal", None)
    scene.collection.objects.link(made)
    for frame, turn in ((1, 0.0), (15, 0.9), (40, -0.4)):
        made.location, made.rotation_euler = (3.0 + turn, turn, 3.5), (turn, -turn, 0.5 * turn)
        made.keyframe_insert("location", frame=frame)
        made.keyframe_insert("rotation_euler", frame=frame)
    return made


def constrain(rig, bone, kind, target, **settings):
    made = rig.pose.bones[bone].constraints.new(kind)
    if target is not None:
        made.target = target
    for name, value in settings.items():
        setattr(made, name, value)
    return made


def copied(rig, target):
    """A bone that copies all of another one."""
    return constrain(rig, "upper", "COPY_TRANSFORMS", rig, subtarget="control")


def partly_turned(rig, target):
    """A bone that adds a part of another rotation to its own keys."""
    return constrain(rig, "lower", "COPY_ROTATION", target, influence=0.4)


def driven(rig, target):
    """A bone whose constraint has a driven influence, as the limbs of Rigify have."""
    made = constrain(rig, "lower", "COPY_ROTATION", target)
    driver = made.driver_add("influence").driver
    driver.type, driver.expression = "SCRIPTED", "0.7 if frame > 3 else 0.0"
    return made


def limited(rig, _target):
    return constrain(
        rig, "upper", "LIMIT_ROTATION", None, use_limit_x=True, max_x=0.1, use_limit_z=True, owner_space="LOCAL"
    )


def reached(rig, target):
    """A chain that inverse kinematics of its last bone moves."""
    return constrain(rig, "lower", "IK", target, chain_count=3)


def reached_by_another(rig, target):
    """A chain that inverse kinematics of a bone moves that is no link."""
    link(rig.pose.bones["tip"]).is_link = joint(rig.pose.bones["tip"]).is_joint = False
    return constrain(rig, "tip", "IK", target, chain_count=4)


CASES = (copied, partly_turned, driven, limited, reached, reached_by_another)


@pytest.fixture(params=CASES, ids=lambda case: case.__name__)
def rig(scene, request):
    """An armature with keys of the user, a control bone, links, and one constraint."""
    rig = armature(scene)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    control = rig.data.edit_bones.new("control")
    control.head, control.tail = (0.8, 0.1, 4.1), (1.2, 0.5, 4.3)
    bpy.ops.object.mode_set(mode="OBJECT")
    key_others(rig)
    for frame, turn in ((1, 0.0), (20, 0.8), (40, -0.5)):
        rig.pose.bones["control"].rotation_quaternion = (1.0, turn, 0.3 * turn, -turn)
        rig.pose.bones["control"].keyframe_insert("rotation_quaternion", frame=frame)
        rig.pose.bones["lower"].rotation_quaternion = (1.0, 0.2 * turn, 0.0, turn)
        rig.pose.bones["lower"].keyframe_insert("rotation_quaternion", frame=frame)
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.frame_set(FIRST)
    tag(rig)
    request.param(rig, goal(scene))
    scene.frame_set(FIRST)
    return rig


def shown_at(scene, rig, frames):
    return np.array([[pose_of(scene, rig, name, frame) for name in (*NAMES, "control")] for frame in frames])


@pytest.mark.parametrize("start", ["HOME", "KEYS"])
def test_constraints_act_outside_of_the_bake_only(scene, rig, start):
    """Guards exact keys of bones with constraints, and an animation that is unchanged before the bake and after it."""
    before = shown_at(scene, rig, OUTSIDE)
    scene.frame_set(FIRST)
    run = SimulationBake(scene, overwrite=True, start=start)
    assert any("switched off by keys in frames" in note for note in run.run().notes)
    assert_exact(scene, run)
    if start == "HOME":
        np.testing.assert_allclose(shown_at(scene, rig, OUTSIDE), before, rtol=0.0, atol=2e-6)


def test_clear_bake_leaves_no_trace(scene, rig):
    """Guards Clear Bake after two bakes, at a frame of the bake: every value of bones, constraints and actions."""
    before = everything(scene)
    for _ in range(2):
        bake(scene, overwrite=True)
    scene.frame_set(FIRST + 5)
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    scene.frame_set(FIRST)
    assert everything(scene) == before


@pytest.mark.parametrize("onto", ["JOINTS", "BOTH"])
def test_keys_on_joints(scene, rig, onto):
    """Guards bones that joint values move: constraints do not override these either."""
    assert_exact(scene, bake(scene, overwrite=True, onto=onto))


def test_a_bake_is_up_to_date_at_every_frame(scene, rig):
    """Guards the digests: constraints that are switched off at some frames are no edit of the model or of the bake."""
    bake(scene, overwrite=True)
    for frame in (1, FIRST, 20, LAST, 35):
        scene.frame_set(frame)
        assert out_of_date(scene, read_scene(scene)) == ""
    assert not is_edited(action_of(rig))


def test_a_second_bake_is_the_same(scene, rig):
    """Guards bakes over bakes: at frames at which the first one has switched constraints off, too."""
    first = bake(scene, overwrite=True)
    scene.frame_set(20)
    second = bake(scene, overwrite=True)
    np.testing.assert_array_equal(second.trajectory.X_WL, first.trajectory.X_WL)
    assert_exact(scene, second)


def test_a_cancelled_bake_leaves_no_trace(scene, rig):
    """Guards bakes that are stopped while keys are fitted, when constraints are switched off for a moment."""
    before = everything(scene)
    run = SimulationBake(scene, overwrite=True)
    while not run.step(0.01):
        continue
    run.cancel()
    assert everything(scene) == before


def test_a_switch_that_is_animated_is_told(scene):
    """Guards constraints whose switch has keys or a driver already: one sentence names it, before anything is done."""
    rig = armature(scene)
    tag(rig)
    made = copied(rig, None)
    made.keyframe_insert("enabled", frame=1)
    with pytest.raises(BakeError, match="keys switch the constraint 'Copy Transforms' of 'Rig': key its influence"):
        bake(scene)
    rig.animation_data_clear()
    made.driver_add("enabled").driver.expression = "1"
    with pytest.raises(BakeError, match="a driver switches the constraint 'Copy Transforms' of 'Rig': let it drive"):
        bake(scene)


def test_inverse_kinematics_of_kinematic_and_free_links_is_told(scene):
    """Guards chains of which only a part is simulated: keys could not let the rest follow its animation."""
    rig = armature(scene)
    tag(rig)
    link(rig.pose.bones["upper"]).motion = "KINEMATIC"
    reached(rig, goal(scene))
    with pytest.raises(BakeError, match="constraint 'IK' moves the kinematic bone 'Rig:upper', and links that are"):
        bake(scene, overwrite=True)


def test_play_shows_the_simulation(scene, rig):
    """Guards previews, in which constraints are off until they are stopped: the poses are those of the simulation."""
    motion = SimulationBake(scene, overwrite=True).simulation.run()
    before = everything(scene)
    preview = previews.begin(scene)
    try:
        preview.tick(0.0)
        for number in range(12):
            shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
            for column, name in enumerate(motion.link_names):
                place = (shown.matrix_world @ shown.pose.bones[name.split(":")[1]].matrix).translation
                assert np.abs(np.array(place) - motion.X_WL[number, column, :3]).max() < ACCURACY * SIZE
            preview.tick(1.0 / 24.0)
            bpy.context.view_layer.update()
    finally:
        preview.stop()
        previews.end()
    scene.frame_set(FIRST)
    assert everything(scene) == before


def rename(bone, constraint):
    bone.name, constraint.name = "forearm", "reach"


def rename_and_move(bone, constraint):
    """The constraint gets another name and another place among those of the bone."""
    constraint.name = "reach"
    bone.constraints.move(list(bone.constraints).index(constraint), 0)


def swap_names(bone, constraint):
    other = bone.constraints["first"]
    other.name, constraint.name = "reach", "first"


def delete_another(bone, _constraint):
    bone.constraints.remove(bone.constraints["first"])


@pytest.mark.parametrize("change", [rename, rename_and_move, swap_names, delete_another])
def test_constraints_act_again_after_play(scene, change):
    """Guards constraints that are renamed, moved or deleted in Play: those that Play has switched off act again.

    Those that the user has switched off stay off.
    """
    rig = armature(scene)
    tag(rig)
    bone = rig.pose.bones["lower"]
    target = goal(scene)
    first, made, off = (constrain(rig, "lower", "COPY_ROTATION", target, influence=0.2) for _ in range(3))
    first.name, made.name, off.name, off.mute = "first", "second", "off", True
    bpy.context.view_layer.update()
    preview = previews.begin(scene)
    try:
        preview.tick(0.1)
        assert [each.mute for each in bone.constraints] == [True, True, True]
        change(bone, made)
        bpy.context.view_layer.update()
        preview.tick(0.1)
        assert all(each.mute for each in bone.constraints)
    finally:
        preview.stop()
        previews.end()
    assert [each.name for each in bone.constraints if each.mute] == ["off"]


@pytest.mark.parametrize("way", ["constraint", "driver", "above"])
def test_what_carries_a_link_and_follows_another_is_told(scene, way):
    """Guards circles: a bone that carries a link, and that a constraint or a driver moves along with a link below."""
    rig = armature(scene)
    tag(rig, ("middle", "tip"), to_world=("middle",))
    follower = rig.pose.bones["root" if way == "above" else "upper"]
    if way == "driver":
        variable = follower.driver_add("location", 0).driver.variables.new()
        variable.type, variable.targets[0].id, variable.targets[0].bone_target = "TRANSFORMS", rig, "tip"
    else:
        constrain(rig, follower.name, "COPY_ROTATION", rig, subtarget="tip", influence=0.5)
    bpy.context.view_layer.update()
    message = f"'Rig:{follower.name}' carries a link and follows the link 'Rig:tip', so that each would move the other"
    with pytest.raises(BakeError, match=message):
        bake(scene)


def test_renamed_bones_and_constraints_are_no_edit(scene):
    """Guards Clear Bake after bones and constraints were renamed: the bake knows its own keys by their group."""
    rig = armature(scene)
    tag(rig)
    made = reached(rig, goal(scene))
    bake(scene)
    scene.frame_set(8)
    rig.pose.bones["lower"].name, made.name = "forearm", "reach"
    assert made.mute
    assert not is_edited(action_of(rig))
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert not made.mute


def test_reduced_keys_stay_within_their_tolerance(scene, rig):
    """Guards fewer keys beside constraints, also of connected bones, which have no location."""
    tolerance = Tolerance(1e-4, 1e-4)
    run = bake(scene, overwrite=True, tolerance=tolerance)
    way, turned = errors(scene, run, 1.0)
    assert way < 1.1e-4
    assert turned < 1.1e-4
    assert not is_edited(action_of(rig))
