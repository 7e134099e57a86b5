# SPDX-License-Identifier: GPL-3.0-or-later
"""What the user has animated is never lost to a bake: it goes on beside it, or waits until the bake is cleared."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.restore import bake_of, objects_with_user_animation
from limberjack.addon.bridge.animation.motion_sources import is_bake
from limberjack.addon.nodes.animation import fcurves_of

from .baked import bake, coordinates, keys_of, matrices_at, show
from .conftest import joint

FRAMES = np.arange(1, 25)
ANIMATED = "'bar0' is animated already"


def curve_of(obj, path, index=0):
    return next(curve for curve in fcurves_of(obj) if (curve.data_path, curve.array_index) == (path, index))


def keyed(obj):
    """A slide along x by two keys."""
    for frame, x in ((1, 0.0), (24, 1.0)):
        obj.location.x = x
        obj.keyframe_insert("location", frame=frame)
    return obj.animation_data.action


def others_played(obj, scene):
    """Whether the object is hidden, and its property, at each frame."""
    found = []
    for frame in FRAMES.tolist():
        show(scene, frame)
        found.append((obj.hide_viewport, obj["wear"]))
    return found


def wear(obj):
    """Animate what has nothing to do with motion, with modifiers."""
    obj["wear"] = 0.0
    for frame, hidden, value in ((1, False, 0.0), (12, True, 1.0), (24, False, 3.0)):
        obj.hide_viewport, obj["wear"] = hidden, value
        obj.keyframe_insert("hide_viewport", frame=frame)
        obj.keyframe_insert('["wear"]', frame=frame)
    curve = curve_of(obj, '["wear"]')
    noise = curve.modifiers.new("NOISE")
    noise.strength, noise.scale, noise.phase = 0.5, 3.0, 1.7
    limits = curve.modifiers.new("LIMITS")
    limits.use_max_y, limits.max_y = True, 2.5
    return obj.animation_data.action


@pytest.mark.parametrize("moves", [False, True], ids=["still", "moving"])
@pytest.mark.parametrize("onto", ["LINKS", "BOTH"])
def test_other_channels_go_on(scene, build, moves, onto):
    """Guards visibility, properties and modifiers: they play beside a bake as before, and again once it is cleared."""
    bars, _ = build.pendulum(2)
    if moves:
        keyed(bars[0])
    action = wear(bars[0])
    kept, played = keys_of(bars[0]), others_played(bars[0], scene)
    assert len({value for _, value in played}) > 10
    for _ in range(2):
        bake(scene, onto=onto, overwrite=True)
        assert is_bake(bars[0].animation_data.action)
        assert others_played(bars[0], scene) == played
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert bars[0].animation_data.action == action
    assert list(bpy.data.actions) == [action]
    assert keys_of(bars[0]) == kept
    assert others_played(bars[0], scene) == played
    assert [modifier.type for modifier in curve_of(bars[0], '["wear"]').modifiers] == ["NOISE", "LIMITS"]


def test_onto_joints_leaves_other_channels(scene, build):
    """Guards links that get no keys of a bake: what else their actions animate still plays."""
    bars, _ = build.pendulum(2)
    action = wear(bars[0])
    played = others_played(bars[0], scene)
    bake(scene, onto="JOINTS")
    assert others_played(bars[0], scene) == played
    bpy.ops.limberjack.bake_clear()
    assert bars[0].animation_data.action == action
    assert list(bpy.data.actions) == [action]


def test_muted_curves(scene, build):
    """Guards muted curves: they are asked about as any others, and come back muted, with all their keys."""
    bars, _ = build.pendulum(2)
    keyed(bars[0])
    wear(bars[0])
    for path in ("location", '["wear"]'):
        curve_of(bars[0], path).mute = True
    kept = keys_of(bars[0])
    assert objects_with_user_animation(bars) == [bars[0]]
    bake(scene, overwrite=True)
    assert curve_of(bars[0], '["wear"]').mute
    assert not curve_of(bars[0], "location").mute
    bpy.ops.limberjack.bake_clear()
    assert keys_of(bars[0]) == kept
    assert [curve_of(bars[0], path).mute for path in ("location", '["wear"]', "hide_viewport")] == [True, True, False]


def test_an_action_that_two_objects_share(scene, build):
    """Guards a shared action: another object goes on playing it, and both links have it again after Clear Bake."""
    bars, _ = build.pendulum(2)
    lone = build.cube("lone", (0.0, 5.0, 0.0))
    action = keyed(bars[0])
    slot = bars[0].animation_data.action_slot
    for obj in (bars[1], lone):
        obj.animation_data_create().action = action
        obj.animation_data.action_slot = slot
    before = matrices_at(scene, [*bars, lone], FRAMES)
    bake(scene, overwrite=True)
    assert lone.animation_data.action == action
    assert np.array_equal(matrices_at(scene, [lone], FRAMES), before[:, 2:])
    bpy.ops.limberjack.bake_clear()
    assert {obj.animation_data.action_slot.identifier for obj in (*bars, lone)} == {slot.identifier}
    assert list(bpy.data.actions) == [action]
    assert np.array_equal(matrices_at(scene, [*bars, lone], FRAMES), before)


def move_a_key(action, obj):
    point = curve_of(obj, "location", 2).keyframe_points[5]
    point.co.y += 0.25
    curve_of(obj, "location", 2).update()


def add_a_key(action, obj):
    curve_of(obj, "location", 2).keyframe_points.insert(5.5, 1.0)


def mute_a_curve(action, obj):
    curve_of(obj, "location", 2).mute = True


def delete_a_curve(action, obj):
    bag = action.layers[0].strips[0].channelbag(obj.animation_data.action_slot)
    bag.fcurves.remove(curve_of(obj, "location", 2))


def bend_a_handle(action, obj):
    curve = curve_of(obj, "location", 2)
    curve.keyframe_points[0].interpolation = "BEZIER"
    curve.keyframe_points[0].handle_right_type = "FREE"
    curve.keyframe_points[0].handle_right.y += 1.0


EDITS = (move_a_key, add_a_key, mute_a_curve, delete_a_curve, bend_a_handle)


@pytest.mark.parametrize("edit", EDITS, ids=lambda edit: edit.__name__)
def test_an_edited_bake_is_the_users_own(scene, build, edit):
    """Guards work put into a bake: nothing takes its place unasked, and when asked, it stays in the file."""
    bars, _ = build.pendulum(2)
    bpy.ops.limberjack.simulate()
    action = bars[0].animation_data.action
    assert objects_with_user_animation(bars) == []
    edit(action, bars[0])
    seen = keys_of(bars[0])
    with pytest.raises(RuntimeError, match=ANIMATED):
        bpy.ops.limberjack.simulate()
    assert bars[0].animation_data.action == action
    assert keys_of(bars[0]) == seen
    assert bpy.ops.limberjack.simulate(overwrite=True) == {"FINISHED"}
    assert action in list(bpy.data.actions)
    assert action.use_fake_user
    assert not is_bake(action)
    assert bake_of(scene) != action
    bpy.ops.limberjack.simulate()  # the new one is untouched: nobody is asked
    bpy.ops.limberjack.bake_clear()
    assert list(bpy.data.actions) == [action]


def test_a_handle_of_a_reduced_bake_is_an_edit(scene, build):
    """Guards reduced bakes, whose handles are most of what they are: one that was moved makes them the user's own."""
    bars, _ = build.pendulum(2)
    panel = scene.limberjack.bake
    panel.reduces = True
    bpy.ops.limberjack.simulate()
    curve = curve_of(bars[0], "rotation_euler", 1)
    assert objects_with_user_animation(bars) == []
    curve.keyframe_points[0].handle_right.y += 0.5
    assert objects_with_user_animation(bars) == bars


def state(scene, bars, empties):
    return matrices_at(scene, bars, FRAMES), [coordinates(empty) for empty in empties]


@pytest.mark.parametrize("keyed_by_hand", [False, True], ids=["still", "keyed"])
def test_from_one_target_to_another(scene, build, keyed_by_hand):
    """Guards changes of Keys On: no action is left over, no joint plays an old bake, and Clear Bake restores all."""
    bars, empties = build.pendulum(2)
    if keyed_by_hand:
        keyed(bars[0])
        for frame, value in ((1, 0.1), (24, 0.5)):
            joint(empties[1]).coordinates[0].q = value
            empties[1].keyframe_insert("limberjack_joint.coordinates[0].q", frame=frame)
    show(scene, 1)
    actions = set(bpy.data.actions)
    before, values = state(scene, bars, empties)
    for onto in ("BOTH", "LINKS", "JOINTS", "LINKS", "JOINTS", "BOTH"):
        bake(scene, onto=onto, overwrite=True)
        ours = [action for action in bpy.data.actions if is_bake(action)]
        assert len(ours) == 1
        assert set(bpy.data.actions) == actions | set(ours)
        playing = {obj.name for obj in (*bars, *empties) if is_bake(getattr(obj.animation_data, "action", None))}
        assert {obj.name for obj in bars} <= playing or onto == "JOINTS"
        assert playing.isdisjoint(obj.name for obj in empties) == (onto == "LINKS")
    for onto in ("BOTH", "LINKS", "JOINTS", "BOTH"):
        bake(scene, onto=onto, overwrite=True)
        bpy.ops.limberjack.bake_clear()
        show(scene, 1)
        found = state(scene, bars, empties)
        assert np.array_equal(found[0], before)
        assert found[1] == values
        assert set(bpy.data.actions) == actions
        assert all(obj.animation_data is None for obj in (*bars, *empties) if not actions)
