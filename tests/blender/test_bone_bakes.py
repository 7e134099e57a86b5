"""Bakes of bones, compared with the trajectory in the matrices that Blender evaluates."""

import itertools

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.joints.bone_joints import add_bone_joint
from limberjack.addon.nodes import animation

from .baked import bake, show, turns_of, turns_of_poses
from .conftest import joint, link

ACCURACY = 1e-5
"""Largest distance between a bone and the trajectory, relative to the size of the rig, and largest angle [rad]."""

NAMES = ("root", "upper", "middle", "lower", "tip")

SIZE = 4.0
"""Length of the rig with all of its bones [Blender units of the armature]."""


def armature(scene, name="Rig"):
    """An armature with a chain of bones with roll: connected ones, one that is offset, and one that is not tagged."""
    obj = bpy.data.objects.new(name, bpy.data.armatures.new(name))
    scene.collection.objects.link(obj)
    bpy.context.view_layer.objects.active = obj
    bpy.ops.object.mode_set(mode="EDIT")
    root, upper, middle, lower, tip = (obj.data.edit_bones.new(each) for each in NAMES)
    places = {
        root: ((0.1, 0.0, 4.0), (0.8, 0.1, 4.1)),
        upper: ((0.8, 0.1, 4.1), (1.5, 0.3, 3.8)),
        middle: ((1.7, 0.2, 3.9), (2.3, 0.1, 3.9)),
        lower: ((2.3, 0.1, 3.9), (2.9, 0.0, 4.2)),
        tip: ((2.9, 0.0, 4.2), (3.4, -0.3, 4.3)),
    }
    for number, (bone, (head, tail)) in enumerate(places.items()):
        bone.head, bone.tail, bone.roll = head, tail, 0.5 * number - 0.8
    upper.parent, middle.parent, lower.parent, tip.parent = root, upper, middle, lower
    upper.use_connect = tip.use_connect = True
    bpy.ops.object.mode_set(mode="OBJECT")
    return obj


def tag(obj, names=("root", "upper", "lower", "tip"), to_world=("root",)):
    """Tag bones as links with ball joints. Those of `to_world` hang on the world."""
    for name in names:
        bone = obj.pose.bones[name]
        link(bone).is_link = True
        add_bone_joint(bone)
        joint(bone).to_world = name in to_world
    bpy.context.view_layer.update()
    return [obj.pose.bones[name] for name in names]


def errors(scene, run, size):
    """How far, relative to the size of the rig, and how much turned [rad] the bones are, the worst of all frames."""
    names, X_WL = run.trajectory.link_names, run.trajectory.X_WL
    way = turned = 0.0
    assert len(names) > 0
    seen = np.empty((len(run.frames), len(names), 4, 4))
    for number, frame in enumerate(run.frames.tolist()):
        show(scene, frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for column, name in enumerate(names):
            owner, bone = name.split(":")
            shown = bpy.data.objects[owner].evaluated_get(depsgraph)
            seen[number, column] = np.array(shown.matrix_world, dtype=np.float64) @ shown.pose.bones[bone].matrix
    for column in range(len(names)):
        matrices = seen[:, column]
        scale = np.linalg.norm(matrices[:, :3, :3], axis=1)
        assert np.ptp(scale, axis=0).max() < 1e-5 * scale.max()
        way = max(way, np.abs(matrices[:, :3, 3] - X_WL[:, column, :3]).max() / size)
        apart = turns_of_poses(X_WL[:, column]).inv() * turns_of(matrices, scale[0])
        turned = max(turned, apart.magnitude().max())
    moved = np.abs(X_WL[:, :, :3] - X_WL[:1, :, :3]).max()
    assert moved > 0.05 * size, "nothing moves"
    return way, turned


def assert_exact(scene, run, size=SIZE):
    way, turned = errors(scene, run, size)
    assert max(way, turned) < ACCURACY, (way, turned)


def test_a_chain_of_bones_moves_as_simulated(scene):
    """Guards keys of bones with roll and offset, connected or not, with one between them that is not tagged."""
    tag(armature(scene))
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_every_rotation_mode_is_keyed_and_kept(scene, mode):
    """Guards keys in the rotation mode of each bone, which stays as it is."""
    bones = tag(armature(scene))
    for bone in bones:
        bone.rotation_mode = mode
    assert_exact(scene, bake(scene))
    assert {bone.rotation_mode for bone in bones} == {mode}
    keyed = {animation.path_in(bone, curve) for bone in bones for curve in animation.fcurves_of(bone)}
    assert len(keyed) == 2  # location of the root, which is not connected, and one kind of rotation


INHERITANCE = [*itertools.product(("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"), (0, 1), (0, 1))]


@pytest.mark.parametrize(("scale", "rotation", "location"), INHERITANCE)
def test_every_way_to_inherit_is_undone(scene, scale, rotation, location):
    """Guards keys of bones, and of those between them, that inherit rotation, scale or location only in part."""
    rig = armature(scene)
    for bone in rig.data.bones:
        bone.inherit_scale, bone.use_inherit_rotation = scale, bool(rotation)
        bone.use_local_location = bool(location)
    tag(rig)
    assert_exact(scene, bake(scene))


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_an_armature_has_any_scale_place_and_parent(scene, scale):
    """Guards keys below an armature that is scaled, turned and parented to an object."""
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler = (1.0, -2.0, 0.5), (0.3, -0.2, 0.7)
    rig = armature(scene)
    rig.parent = holder
    rig.location, rig.rotation_euler, rig.scale = (0.5, 0.2, -0.3), (0.4, 0.1, -0.6), (scale, scale, scale)
    scene.gravity = (0.0, 0.0, -9.81 * scale)
    tag(rig)
    assert_exact(scene, bake(scene), SIZE * scale)


@pytest.mark.parametrize(("fps", "first"), [(24, 1), (30, 117), (60, 0)])
def test_any_frame_rate_and_start(scene, fps, first):
    """Guards keys at other frame rates, and from a frame in the middle of the timeline on."""
    scene.render.fps = fps
    scene.frame_start, scene.frame_end = first, first + fps
    tag(armature(scene))
    run = bake(scene)
    assert_exact(scene, run)
    assert list(run.frames[[0, -1]]) == [first, first + fps]


def test_reduced_keys_stay_within_their_tolerance(scene):
    """Guards the reduction of keys of bones: children compensate for the errors of their parents."""
    settings = scene.limberjack.bake
    settings.reduces, settings.distance, settings.angle = True, 1e-3, 1e-3
    tag(armature(scene))
    run = bake(scene)
    way, turned = errors(scene, run, 1.0)
    assert way < 1.1e-3
    assert turned < 1.1e-3


def curves_of(rig):
    return {
        (curve.data_path, curve.array_index): [
            (*point.co, *point.handle_left, *point.handle_right, point.interpolation) for point in curve.keyframe_points
        ]
        for curve in animation.fcurves_of(rig)
    }


def key_others(rig):
    """Give the armature an action of the user: keys of a bone that is no link, of a baked one, and of the armature."""
    bones = rig.pose.bones
    for frame, angle in ((1, 0.0), (10, 0.7), (24, -0.3)):
        bones["middle"].rotation_mode = "XYZ"
        bones["middle"].rotation_euler = (angle, 0.2 * angle, -angle)
        bones["middle"].keyframe_insert("rotation_euler", frame=frame, group="middle")
        bones["upper"].rotation_quaternion = (1.0, angle, 0.0, 0.0)
        bones["upper"].keyframe_insert("rotation_quaternion", frame=frame)
        rig.location.x = angle
        rig.keyframe_insert("location", index=0, frame=frame)
        bones["upper"]["stretch"] = angle
        bones["upper"].keyframe_insert('["stretch"]', frame=frame)
    scene = bpy.context.scene
    scene.frame_set(scene.frame_current)


def test_animation_of_other_bones_plays_on(scene):
    """Guards a user's action: keys of the armature and of a bone between two baked ones play on, and are compensated."""
    rig = armature(scene)
    key_others(rig)
    before = curves_of(rig)
    tag(rig)
    assert_exact(scene, bake(scene, overwrite=True))
    after = curves_of(rig)
    kept = {key: keys for key, keys in before.items() if 'bones["upper"].rotation' not in key[0]}
    assert len(kept) == 5
    assert {key: after[key] for key in kept} == kept
    assert any("stretch" in path for path, _ in kept)


def dump(scene):
    """All that a bake of bones changes and Clear Bake restores."""
    found = {}
    for obj in scene.objects:
        data = obj.animation_data
        found[obj.name] = (
            [*itertools.chain(*obj.matrix_basis)],
            (data.action.name if data.action else "", data.action_slot.identifier if data.action_slot else "")
            if data
            else None,
            curves_of(obj),
        )
        for bone in obj.pose.bones if obj.pose else ():
            channels = [*bone.location, *bone.rotation_euler, *bone.rotation_quaternion, *bone.rotation_axis_angle]
            found[obj.name, bone.name] = [*channels, *bone.scale, bone.rotation_mode]
    found["actions"] = sorted(
        (action.name, action.use_fake_user, [slot.identifier for slot in action.slots], [*action.keys()])
        for action in bpy.data.actions
    )
    return found


@pytest.mark.parametrize("has_action", [False, True])
@pytest.mark.parametrize("times", [1, 2])
def test_clear_bake_restores_action_slot_and_pose(scene, has_action, times):
    """Guards Clear Bake after one or two bakes: poses of all bones, action, slot and the list of actions are as before."""
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
