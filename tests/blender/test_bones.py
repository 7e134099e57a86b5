# SPDX-License-Identifier: GPL-3.0-or-later
"""Parts that hang on bones: what Rig from Hierarchy says of them, and where the handles of their joints point."""

import bpy
import pytest
from mathutils import Vector

from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.props import is_joint, is_link

from .conftest import joint, link
from .rigs import armature
from .test_bake import bake


@pytest.fixture
def rig(scene):
    """An armature, turned, of two bones in a row."""
    middle = (0.0, 0.0, 1.0)
    found = armature([("upper", (0.0, 0.0, 2.0), middle, ""), ("lower", middle, (0.0, 0.0, 0.0), "upper")], "rig")
    found.rotation_euler = (0.5, 0.3, 0.2)
    return found


def hang(obj, armature, bone=""):
    """Parent an object to an armature, or to a bone of it, where it stands."""
    bpy.context.view_layer.update()
    stands = obj.matrix_world.copy()
    obj.parent, obj.parent_type, obj.parent_bone = armature, "BONE" if bone else "OBJECT", bone
    bpy.context.view_layer.update()
    obj.matrix_world = stands
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def parts(build, rig):
    """A cube on each bone."""
    places = {"upper": (0.2, 0.0, 1.5), "lower": (0.2, 0.0, 0.5)}
    return [hang(build.cube(name, place, size=0.5), rig, name) for name, place in places.items()]


def refused(build, obj):
    build.select(obj)
    with pytest.raises(RuntimeError) as caught:
        bpy.ops.limberjack.rig_from_hierarchy()
    return str(caught.value)


def made():
    return [obj.name for obj in bpy.data.objects if is_link(obj) or is_joint(obj)]


def test_a_hierarchy_on_bones_is_refused(build, rig, parts):
    """Guards a hinge to the world for every part of a character: one sentence says what to do, and nothing is made,
    also where an Empty hangs between a part and its bone."""
    told = refused(build, rig)
    assert "object 'upper' and 1 more hang on bones of 'rig': tag these bones as links in Pose Mode" in told
    assert not made()
    for part in parts:
        holder = bpy.data.objects.new(f"{part.name} holder", None)
        bpy.context.scene.collection.objects.link(holder)
        hang(holder, rig, part.name)
        part.parent, part.parent_type = holder, "OBJECT"
    bpy.context.view_layer.update()
    assert "and 1 more hang on bones of 'rig'" in refused(build, rig)
    assert not made()


def test_what_it_says_helps(scene, build, rig, parts):
    """Guards the sentence: parts that are parented to each other are rigged, whatever the bones do then."""
    upper, lower = parts
    for part, parent in ((upper, None), (lower, upper)):
        stands = part.matrix_world.copy()
        part.parent, part.parent_type = parent, "OBJECT"
        part.matrix_world = stands
        bpy.context.view_layer.update()
    rig.pose.bones["upper"].constraints.new("COPY_TRANSFORMS").target = upper
    build.select(upper)
    assert bpy.ops.limberjack.rig_from_hierarchy() == {"FINISHED"}
    ends = {(item.parent, item.child) for item in (joint(obj) for obj in scene.objects if is_joint(obj))}
    assert ends == {(None, upper), (upper, lower)}
    bake(scene)


def test_a_mesh_that_bones_deform_is_refused(build, rig):
    """Guards a character that became one statue: Rigify's meshes are deformed by an armature."""
    body = hang(build.cube("body"), rig)
    body.modifiers.new("Armature", "ARMATURE").object = rig
    assert "object 'body' is deformed by the armature 'rig', and a link is rigid" in refused(build, rig)
    assert not made()


def test_what_hangs_on_a_kinematic_link_is_rigged(scene, build, rig, parts):
    """Guards tails and bags: a Kinematic link follows its bone, needs no joint to the world, and carries links."""
    head, _ = parts
    build.tag(head)
    link(head).motion = "KINEMATIC"
    bag = build.cube("bag", (0.2, 0.0, 1.0), size=0.2)
    bag.parent, bag.matrix_parent_inverse = head, head.matrix_world.inverted()
    build.select(head)
    assert bpy.ops.limberjack.rig_from_hierarchy() == {"FINISHED"}
    (made_joint,) = [joint(obj) for obj in scene.objects if is_joint(obj)]
    assert (made_joint.parent, made_joint.child) == (head, bag)
    bake(scene)


def test_handles_do_not_flip_at_a_bake(scene, build, parts):
    """Guards a handle that turned by 180° though nothing moved: the middles of these links lie on their axes, but for
    rounding, which is other rounding with the keys of a bake than before them."""
    build.tag(*parts)
    joints = []
    for parent, child in ((None, parts[0]), tuple(parts)):
        build.select(*([parent] if parent else []), child)
        bpy.ops.limberjack.joint_add(type="revolute")
        joints.append(bpy.context.object)
        joint(joints[-1]).axes[0].xyz = (1.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    before = handles(joints, scene)
    bake(scene)
    for frame in (1, 2, 12, 24):
        scene.frame_set(frame)
        for handle, there in zip(handles(joints, scene), before, strict=True):
            assert handle.angle(there) < 1e-3, f"at frame {frame}, a handle has turned by {handle.angle(there)} rad"


def handles(joints, scene) -> list[Vector]:
    """Where the handle of each joint's first axis points, in the world."""
    axes = [view_joint(obj, scene).axes[0] for obj in joints]
    return [axis.point_at(axis.value, 1.0) - axis.origin for axis in axes]
