# SPDX-License-Identifier: GPL-3.0-or-later
"""Scale Back and Play in Place on baked bones: what was changed above a bone is restored, and nothing else."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.baked_machines.displacement_problems import problems_of_machines
from limberjack.addon.bridge.joints.joining import rebind
from limberjack.addon.nodes import model_name

from .baked import bake
from .bone_rig import NAMES, armature, pose_of, tag
from .conftest import joint

FRAMES = (1, 9, 24)


@pytest.fixture
def rig(scene):
    rig = armature(scene)
    rig.location, rig.rotation_euler, rig.scale = (0.3, 0.2, 0.1), (0.2, -0.1, 0.4), (1.2, 1.2, 1.2)
    rig.pose.bones["middle"].location, rig.pose.bones["middle"].scale = (0.1, 0.05, 0.0), (1.1, 1.1, 1.1)
    bpy.context.view_layer.update()
    return rig


def shown(scene, rig):
    return np.array([[pose_of(scene, rig, name, frame) for name in NAMES] for frame in FRAMES])


def problems(scene):
    bpy.context.view_layer.update()
    return [(code, model_name(node)) for code, node, _ in problems_of_machines(scene)]


def mend(scene, code):
    ((found, name),) = problems(scene)
    assert found == code
    assert bpy.ops.limberjack.problem_mend(name=name, code=code) == {"FINISHED"}


def scale_armature(rig):
    rig.scale *= 1.5


def scale_armature_unevenly(rig):
    rig.scale = (1.7, 1.2, 0.9)


def scale_parent(rig):
    """The armature is parented to an object of another size."""
    rig.parent = bpy.data.objects.new("cart", None)
    bpy.context.scene.collection.objects.link(rig.parent)
    rig.parent.scale = (2.0, 2.0, 2.0)


def scale_first(rig):
    rig.pose.bones["root"].scale = (2.0, 2.0, 2.0)


def baked_and_changed(scene, rig, change):
    """Tag all bones, bake, and change something in mid-motion. Return the poses that the bake has shown."""
    tag(rig)
    bake(scene)
    before = shown(scene, rig)
    scene.frame_set(9)
    change(rig)
    return before


def scale_inner(rig):
    rig.pose.bones["lower"].scale *= 0.5


def scale_between(rig):
    """A bone that is no link, between two that are."""
    rig.pose.bones["middle"].scale *= 2.0


@pytest.mark.parametrize(
    "change", [scale_armature, scale_armature_unevenly, scale_first, scale_inner, scale_between, scale_parent]
)
def test_scale_back(scene, rig, change):
    """Guards bones of another size than they were baked with: they, and all others, play as when they were baked."""
    before = baked_and_changed(scene, rig, change)
    mend(scene, "bake-scaled")
    if change == scale_parent:  # it has moved the armature, too
        assert problems(scene) == [("bake-left-behind", "Rig:root")]
        rig.parent, rig.scale = None, (1.2, 1.2, 1.2)
    assert problems(scene) == []
    np.testing.assert_allclose(shown(scene, rig), before, rtol=0.0, atol=3e-6)


def test_scale_back_of_a_moved_armature(scene, rig):
    """Guards an armature that was moved and scaled: it has its size again, at its new place."""
    tag(rig)
    bake(scene)
    before = shown(scene, rig)
    rig.scale *= 0.5
    rig.location.x += 2.0
    mend(scene, "bake-scaled")
    assert problems(scene) == [("bake-left-behind", "Rig:root")]
    np.testing.assert_allclose(rig.scale, (1.2, 1.2, 1.2), rtol=1e-6)
    rig.location.x -= 2.0
    np.testing.assert_allclose(shown(scene, rig), before, rtol=0.0, atol=3e-6)


def move_between(rig):
    """A bone that is no link, between two that are."""
    rig.pose.bones["middle"].location.x += 0.2


def turn_between(rig):
    rig.pose.bones["middle"].rotation_quaternion = (1.0, 0.3, 0.0, -0.2)


@pytest.mark.parametrize("change", [move_between, turn_between])
def test_play_in_place_after_a_bone_was_moved(scene, rig, change):
    """Guards keys below a bone that is no link and was moved: it goes back, and all bones play as baked."""
    before = baked_and_changed(scene, rig, change)
    mend(scene, "bake-carried")
    assert problems(scene) == []
    np.testing.assert_allclose(shown(scene, rig), before, rtol=0.0, atol=3e-6)


def move_armature(rig):
    rig.location.x += 1.0
    rig.rotation_euler.z += 0.5


def parent_armature(rig):
    rig.parent = bpy.data.objects.new("cart", None)
    bpy.context.scene.collection.objects.link(rig.parent)
    rig.parent.location = (1.0, 0.0, 2.0)


@pytest.mark.parametrize("change", [move_armature, parent_armature])
def test_play_in_place_after_the_armature_was_moved(scene, rig, build, change):
    """Guards an armature that was moved away from another link of its machine."""
    tag(rig)
    ball = build.tagged_cube("ball", (5.0, -0.3, 5.0))
    hinge = build.join(ball)
    joint(hinge).to_world, joint(hinge).parent_node, joint(hinge).X_PJ = False, rig.pose.bones["tip"], ""
    rebind([hinge])
    bake(scene)
    before = shown(scene, rig)
    scene.frame_set(9)
    change(rig)
    mend(scene, "bake-carried")
    assert problems(scene) == []
    np.testing.assert_allclose(shown(scene, rig), before, rtol=0.0, atol=3e-6)


def test_several_changes_are_told(scene, rig):
    """Guards changes of several nodes at once: nothing is guessed, and one sentence says what to do."""
    tag(rig)
    bake(scene)
    rig.pose.bones["middle"].scale *= 2.0
    rig.pose.bones["middle"].location.x += 0.3
    rig.pose.bones["lower"].scale *= 0.7
    matrices = [rig.matrix_world.copy(), *(bone.matrix_basis.copy() for bone in rig.pose.bones)]
    ((code, name),) = problems(scene)
    with pytest.raises(RuntimeError, match="no change of one bone or of 'Rig' alone explains its size: give what"):
        bpy.ops.limberjack.problem_mend(name=name, code=code)
    assert matrices == [rig.matrix_world, *(bone.matrix_basis for bone in rig.pose.bones)]
