# SPDX-License-Identifier: GPL-3.0-or-later
"""Both kinds of nodes, objects and bones, against the matrices that Blender evaluates."""

import itertools
import math
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon import nodes
from limberjack.addon.bridge.animation.motion_sources import basis_at, has_own_keys
from limberjack.addon.nodes import animation
from limberjack.addon.nodes.space import space_of

from . import rigs

ROUNDING = 2e-6
"""Largest error of a matrix of these scenes, which Blender computes in single precision."""

ADD_ON = Path(nodes.__file__).parents[1]

ABOUT_BONES = {
    "bridge/baked_machines/changed_bones.py",
    "bridge/characters/ragdoll_plans.py",
    "bridge/characters/skeletons.py",
    "bridge/joints/bone_joints.py",
    "bridge/links/bone_capsules.py",
    "bridge/links/bone_shapes.py",
    "bridge/links/capsule_views.py",
    "bridge/scene/mirroring_bones.py",
    "bridge/skins/bone_fitting.py",
    "bridge/skins/solid_fitting.py",
    "bridge/skins/split_meshes.py",
    "gizmos/drags.py",
    "ops/links/bone_colliders.py",
    "props/settings.py",
}
"""Files outside of the package of nodes that name the type of bones: they, or a function in them, are about bones."""

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX", "YXZ")


@pytest.fixture
def armature(scene):
    """An armature, placed and turned, with a bone, a connected one and one that is offset and rolled."""
    bones = [
        ("hip", (0.1, 0.0, 1.0), (0.3, 0.2, 2.0), "", 0.4),
        ("thigh", (0.3, 0.2, 2.0), (1.0, 0.0, 2.5), "hip", -0.7),
        ("hand", (1.5, 0.3, 2.0), (1.5, 0.9, 2.2), "thigh", 1.1),
    ]
    obj = rigs.armature(bones)
    obj.location, obj.rotation_euler = (0.5, -1.0, 0.2), (0.3, 0.2, -0.5)
    return obj


@pytest.fixture
def chain(scene):
    """Three objects, each the child of the one before, with parent inverses and deltas."""
    made = [bpy.data.objects.new(name, None) for name in ("base", "arm", "tip")]
    for number, obj in enumerate(made):
        scene.collection.objects.link(obj)
        obj.parent = made[number - 1] if number else None
        obj.matrix_parent_inverse = Matrix.Rotation(0.3, 4, "X") @ Matrix.Translation((0.1, 0.2, 0.3))
        obj.delta_location, obj.delta_rotation_euler = (0.1, 0.0, -0.2), (0.0, 0.2, 0.1)
        obj.delta_rotation_quaternion = (math.cos(0.2), math.sin(0.2), 0.0, 0.0)
    return made


def bones_of(armature):
    return [armature.pose.bones[name] for name in ("hip", "thigh", "hand")]


@pytest.fixture(params=["objects", "bones"])
def three(request, chain, armature):
    """Three nodes of one kind, from the first parent to the last child."""
    return chain if request.param == "objects" else bones_of(armature)


def pose(node, mode, seed):
    """Give a node a location and a rotation in a mode, and keep its scale."""
    rng = np.random.default_rng(seed)
    node.rotation_mode = mode
    node.location = rng.uniform(-0.5, 0.5, 3)
    node.rotation_euler = rng.uniform(-1.0, 1.0, 3)
    node.rotation_quaternion = rng.normal(size=4)
    node.rotation_axis_angle = (0.9, *rng.normal(size=3))


def assert_same(found, expected):
    np.testing.assert_allclose(found, np.array(expected), atol=ROUNDING * max(1.0, np.abs(np.array(expected)).max()))


@pytest.mark.parametrize("mode", MODES)
def test_spaces_and_own_transforms_give_the_world_matrix(three, mode):
    """Guards `parent_inverse`, `own_matrix` and `world_matrix` of each kind: they are those of Blender's evaluation."""
    for seed, node in enumerate(three):
        pose(node, mode, seed)
    bpy.context.view_layer.update()
    for node in three:
        parent = nodes.parent_of(node)
        above = nodes.world_matrix(parent) if parent else np.eye(4)
        space = above @ nodes.parent_inverse(node) if parent else np.eye(4)
        assert nodes.attachment_of(node) == ""
        assert_same(nodes.world_matrix(node), space @ nodes.own_matrix(node))
        owner = nodes.owner_of(node)
        evaluated = owner.matrix_world if node == owner else owner.matrix_world @ node.matrix
        assert_same(nodes.world_matrix(node), evaluated)


@pytest.mark.parametrize("mode", MODES)
def test_channels_compose_as_blender_composes_them(three, mode):
    """Guards `compose_channels`: the values of a node's channels give its own transform, deltas included."""
    for seed, node in enumerate(three):
        pose(node, mode, seed + 10)
        bpy.context.view_layer.update()
        values = {name: list(getattr(node, name)) for name in nodes.channels_of(node)}
        assert_same(nodes.compose_channels(node, values), nodes.own_matrix(node))


@pytest.mark.parametrize("mode", MODES)
def test_a_transform_that_is_set_is_taken(three, mode):
    """Guards `set_transform`: a node takes a location and a rotation in any rotation mode and below any deltas."""
    for seed, node in enumerate(three):
        pose(node, mode, seed + 20)
        goal = Matrix.Rotation(0.7, 3, "Z") @ Matrix.Rotation(-0.4, 3, "X")
        nodes.set_transform(node, Matrix.Translation((0.3, -0.2, 0.1)).translation, goal)
        bpy.context.view_layer.update()
        own = nodes.own_matrix(node)
        assert_same(own[:3, :3], goal)
        is_connected = not isinstance(node, bpy.types.Object) and node.bone.use_connect
        assert_same(own[:3, 3], (0.0, 0.0, 0.0) if is_connected else (0.3, -0.2, 0.1))


def test_a_bone_has_its_own_curves_only(armature):
    """Guards F-curves of bones in the action of their armature: each bone has those below its prefix."""
    hip, thigh, hand = bones_of(armature)
    hip.rotation_mode = "XYZ"
    for frame, angle in ((1, 0.0), (11, 1.0)):
        hip.rotation_euler.x = angle
        animation.insert_key(hip, "rotation_euler", frame)
    armature.keyframe_insert("location", frame=1)
    assert len([*animation.fcurves_of(hip)]) == 3
    assert {animation.path_in(hip, curve) for curve in animation.fcurves_of(hip)} == {"rotation_euler"}
    assert [has_own_keys(bone) for bone in (hip, thigh, hand)] == [True, False, False]
    turned = np.array(Matrix.Rotation(basis_x(armature, 6), 4, "X"))
    assert_same(basis_at(hip, 6.0), turned)
    bpy.context.scene.frame_set(6)
    assert_same(basis_at(hip, 6.0), nodes.own_matrix(hip))


def basis_x(armature, frame):
    """Return the value of the hip's rotation about x at a frame, from its F-curve."""
    path = 'pose.bones["hip"].rotation_euler'
    bags = armature.animation_data.action.layers[0].strips[0].channelbags
    return bags[0].fcurves.find(path, index=0).evaluate(frame)


def test_names_and_keys_of_bones(armature, scene):
    """Guards names in models, keys of caches, children and selection of bones."""
    hip, thigh, hand = bones_of(armature)
    assert nodes.model_name(hand) == "Rig:hand"
    assert len({nodes.uid_of(node) for node in (armature, hip, thigh, hand)}) == 4
    assert [nodes.parent_of(thigh), nodes.parent_of(hip)] == [hip, armature]
    sword = bpy.data.objects.new("sword", None)
    scene.collection.objects.link(sword)
    sword.parent, sword.parent_type, sword.parent_bone = armature, "BONE", "hand"
    assert [nodes.children_of(hand), nodes.children_of(hip)] == [(sword,), ()]
    nodes.select(hand, True)
    assert nodes.is_selected(hand)
    assert nodes.is_visible(hand)
    nodes.select(hand, False)
    assert not nodes.is_selected(hand)


INHERITANCE = [*itertools.product(("FULL", "FIX_SHEAR", "ALIGNED", "AVERAGE", "NONE", "NONE_LEGACY"), (0, 1), (0, 1))]


@pytest.mark.parametrize(("scale", "rotation", "location"), INHERITANCE)
@pytest.mark.parametrize("size", [(1.0, 1.0, 1.0), (1.4, 1.4, 1.4)])
def test_the_space_of_a_bone_is_that_of_blender(armature, scale, rotation, location, size):
    """Guards `space_of`: for all ways to inherit, below a parent of any size, it gives the matrix of Blender."""
    hip, thigh, hand = bones_of(armature)
    for bone in (hip.bone, hand.bone):
        bone.inherit_scale, bone.use_inherit_rotation = scale, bool(rotation)
        bone.use_local_location = bool(location)
    for seed, node in enumerate((hip, thigh, hand)):
        pose(node, "QUATERNION", seed + 30)
    thigh.scale = size
    bpy.context.view_layer.update()
    for bone in (hip, hand):
        space, own = space_of(bone, nodes.world_matrix), nodes.own_matrix(bone)
        assert_same(space.world_of(own), nodes.world_matrix(bone))
        assert_same(space.own_of(space.world_of(own)), own)


def test_kinds_are_told_apart_in_one_package():
    """Guards new kinds of nodes: no file but those about bones names their type, so others treat all kinds alike."""
    naming = {path.relative_to(ADD_ON).as_posix() for path in ADD_ON.rglob("*.py") if "PoseBone" in path.read_text()}
    assert {name for name in naming if not name.startswith("nodes/")} == ABOUT_BONES


def test_questions_about_kinds(three):
    """Guards what the add-on asks instead of the type: bones are parts of armatures, and join themselves."""
    for node in three:
        is_bone = isinstance(node, bpy.types.PoseBone)
        assert nodes.is_part(node) == nodes.joins_itself(node) == (not nodes.has_own_shape(node)) == is_bone
        assert nodes.is_part(node) == (nodes.owner_of(node) != node)
    assert nodes.parts_among(three) == [node for node in three if isinstance(node, bpy.types.PoseBone)]
