# SPDX-License-Identifier: GPL-3.0-or-later
"""Handles of the capsules of bones: where they are, and what a drag of them changes."""

import bpy
import numpy as np
import pytest
from mathutils import Euler, Vector

from limberjack.addon.bridge.links.capsule_views import set_ends, set_radius, view_capsule
from limberjack.addon.gizmos.capsule import handles_of, has_handles
from limberjack.addon.gizmos.capsule_drags import CAPSULE_DRAGS

from .characters import character
from .conftest import link
from .rigs import chain, in_mode, tag

LOOK = Vector((0.0, 1.0, 0.0))
"""Direction of the eye."""


@pytest.fixture(params=[1.0, 0.01], ids=["metres", "centimetres"])
def thigh(request, scene):
    """A part of a ragdoll whose capsule is turned and beside the bone, on an armature that is turned and scaled."""
    scene.unit_settings.scale_length = request.param
    rig, _ = character()
    rig.rotation_euler, rig.scale = (0.4, 0.2, 1.0), (2.0, 2.0, 2.0)
    in_mode(rig, "OBJECT")
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    bone = rig.pose.bones["thigh"]
    bone.rotation_mode, bone.rotation_euler = "XYZ", (0.3, 0.1, 0.2)
    own = link(bone)
    own.bone_turn, own.bone_offset = (0.3, -0.2, 0.5), (0.1, -0.05)
    own.bone_radius, own.bone_start, own.bone_end = 0.2, -0.1, 0.9
    bpy.context.view_layer.update()
    return bone


def on_axis(bone, along, beside=(0.0, 0.0, 0.0)):
    """A point of the capsule's axis in the world, by the definition of its settings."""
    own, matrix = link(bone), bone.id_data.matrix_world @ bone.matrix
    local = Euler(own.bone_turn).to_matrix() @ Vector((own.bone_offset[0], along, own.bone_offset[1]))
    return matrix @ (local * bone.bone.length + Vector(beside))


def places(bone):
    return {role: point for role, _, _, point in handles_of(view_capsule(bone, bpy.context.scene), LOOK)}


def dragged(role, bone):
    view = view_capsule(bone, bpy.context.scene)
    axis = next(axis for kind, axis, _, _ in handles_of(view, LOOK) if kind == role)
    return CAPSULE_DRAGS[role](bpy.context, bone, view, axis, 0.0)


def settings(bone):
    return [getattr(link(bone), name) for name in ("bone_start", "bone_end", "bone_radius")]


def test_handles_are_on_the_surface(thigh):
    """Guards Turn and Offset: the handles of the ends are on the axis, and that of the radius is beside its middle."""
    found = places(thigh)
    assert (found["capsule_start"] - on_axis(thigh, -0.1)).length < 1e-5
    assert (found["capsule_end"] - on_axis(thigh, 0.9)).length < 1e-5
    out = found["capsule_radius"] - on_axis(thigh, 0.4)
    length = thigh.bone.length * 2.0  # the scale of the armature
    assert out.length == pytest.approx(0.2 * length, rel=1e-5)
    assert abs(out.dot(on_axis(thigh, 1.0) - on_axis(thigh, 0.0))) < 1e-5
    assert abs(out.dot(LOOK)) < 1e-5, "it is hidden behind the capsule"


def test_a_short_capsule_is_a_ball(thigh):
    """Guards settings whose ends are nearer than the radius allows: the handles are on the ball that it is."""
    link(thigh).bone_end = 0.1
    found = places(thigh)
    assert (found["capsule_start"] - found["capsule_end"]).length == pytest.approx(0.4 * thigh.bone.length * 2.0)


def test_ends_are_dragged(thigh, scene):
    """Guards a drag of an end: it moves alone, by Ctrl with the other one, and not beyond a ball; Esc restores it."""
    unit, before = scene.unit_settings.scale_length, settings(thigh)
    length = thigh.bone.length * 2.0 * unit
    drag = dragged("capsule_end", thigh)
    assert drag.value == pytest.approx(0.9 * length, rel=1e-5)
    drag.set_value(bpy.context, 1.5 * length)
    assert settings(thigh) == pytest.approx([-0.1, 1.5, 0.2], abs=1e-5)
    drag.set_value(bpy.context, 1.5 * length, with_ctrl=True)
    assert settings(thigh) == pytest.approx([-0.7, 1.5, 0.2], abs=1e-5)
    drag.set_value(bpy.context, -3.0 * length)
    assert settings(thigh) == pytest.approx([-0.1, 0.3, 0.2], abs=1e-5)
    drag.cancel()
    assert settings(thigh) == before
    drag = dragged("capsule_start", thigh)
    drag.set_value(bpy.context, 0.2 * length)
    assert settings(thigh) == pytest.approx([0.2, 0.9, 0.2], abs=1e-5)
    assert drag.from_typed_number(2.0) == pytest.approx(2.0 * unit), "a typed number is in Blender units"


def test_the_radius_is_dragged(thigh, scene):
    """Guards a drag of the radius: the ends stay, unless the capsule becomes a ball, and come back with the mouse."""
    length = thigh.bone.length * 2.0 * scene.unit_settings.scale_length
    drag = dragged("capsule_radius", thigh)
    drag.set_value(bpy.context, 0.7 * length)
    assert settings(thigh) == pytest.approx([-0.3, 1.1, 0.7], abs=1e-5)
    drag.set_value(bpy.context, -0.3 * length)  # the mouse is on the other side
    assert settings(thigh) == pytest.approx([-0.1, 0.9, 0.3], abs=1e-5)
    assert drag.value > 0.0


def test_both_sides_are_dragged(scene):
    """Guards X-Axis Mirror of Blender: the same bone of the other side gets the same shape, and Esc restores both."""
    rig = chain(2)
    rig.data.bones["b0"].name, rig.data.bones["b1"].name = "leg.L", "leg.R"
    left, right = tag(rig, "leg.L", "leg.R")
    drag = dragged("capsule_radius", left)
    drag.set_value(bpy.context, 0.25)
    assert link(right).bone_radius == pytest.approx(0.1)
    drag.cancel()
    rig.pose.use_mirror_x = True
    drag = dragged("capsule_radius", left)
    drag.set_value(bpy.context, 0.25)
    assert link(right).bone_radius == link(left).bone_radius == pytest.approx(0.25 / left.bone.length)
    drag.cancel()
    assert link(right).bone_radius == pytest.approx(0.1)


def test_which_bones_have_handles(scene, thigh):
    """Guards the view: parts of ragdolls and fitted capsules have handles, other bones only those of joints."""
    rig = thigh.id_data
    assert has_handles(thigh)
    assert not has_handles(rig.pose.bones["finger"])
    assert not has_handles(rig)
    assert not has_handles(None)
    other = tag(chain(2, "Other"), "b0")[0]
    assert not has_handles(other)
    link(other).is_fitted = True
    assert has_handles(other)


def test_changes_of_ends_and_radius(thigh, scene):
    """Guards the units of the settings, which are relative to the length of the bone in the world."""
    length = thigh.bone.length * 2.0 * scene.unit_settings.scale_length
    set_ends(thigh, scene, 0.25 * length, 0.75 * length)
    set_radius(thigh, scene, 0.125 * length)
    np.testing.assert_allclose(settings(thigh), (0.25, 0.75, 0.125), rtol=1e-5)
