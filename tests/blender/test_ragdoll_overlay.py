# SPDX-License-Identifier: GPL-3.0-or-later
"""The drawing of a ragdoll, as far as it can be seen without a window: places and colours of its shapes."""

import math
import re

import bpy
import numpy as np
import pytest

from limberjack.addon import watch
from limberjack.addon.bridge.links.bone_shapes import shape_of
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.overlays import ragdoll as overlay
from limberjack.addon.overlays.model import capsule_layout, shown_joints
from limberjack.addon.overlays.outlines import outline_of
from limberjack.addon.overlays.surfaces import TRIANGLES, capsule_surface, surface_of
from limberjack.addon.preferences import preferences
from limberjack.addon.props.ragdoll import ragdoll_of
from limberjack.core.geometry import Capsule
from limberjack.core.geometry.shape_mass import solid_properties

from .baked import bake
from .characters import character, choose
from .conftest import link
from .rigs import chain, tag


@pytest.fixture
def rig(scene):
    rig, _ = character()
    choose(rig)
    assert bpy.ops.limberjack.make_ragdoll() == {"FINISHED"}
    return rig


class Recorded:
    """In the place of triangles and lines, which need a window: what would be drawn."""

    def __init__(self, *content):
        self.content = content


@pytest.fixture
def drawn(monkeypatch):
    """Return a function that returns the surfaces and the outlines of the active object's ragdoll."""
    monkeypatch.setattr(overlay, "Triangles", Recorded)
    monkeypatch.setattr(overlay, "Lines", Recorded)
    overlay.forget()
    yield lambda: overlay.up_to_date(bpy.context, preferences())
    overlay.forget()


@pytest.mark.parametrize("length", [0.0, 0.7])
def test_the_surface_of_a_capsule(length):
    """Guards each corner and each triangle: on the surface, seen from outside, and closed, by the volume enclosed."""
    radius, turn = 0.3, math.sqrt(0.5)
    points, normals = capsule_surface(Capsule(radius, length), (1.0, 2.0, 3.0, turn, turn, 0.0, 0.0))  # z becomes -y
    local = points - (1.0, 2.0, 3.0)
    nearest = np.clip(local[:, 1], -length / 2.0, length / 2.0)
    out = local - np.column_stack([0.0 * nearest, nearest, 0.0 * nearest])
    np.testing.assert_allclose(out, radius * normals, atol=1e-12)
    a, b, c = (points[TRIANGLES[:, corner]] for corner in range(3))
    volume = np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6.0
    whole = math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
    assert 0.93 * whole < volume < whole


@pytest.mark.parametrize("shape", ["BOX", "HULL"])
def test_the_surface_of_a_box_and_of_a_hull(scene, rig, shape):
    """Guards each face: its corners are those of the shape, its normal points outward, and the triangles enclose the
    volume that core computes."""
    bone = rig.pose.bones["thigh"]
    link(bone).bone_shape = shape
    found = shape_of(bone, 1.0)
    points, normals, triangles = surface_of(found)
    a, b, c = (points[triangles[:, corner]] for corner in range(3))
    middle = points.mean(axis=0)
    assert np.einsum("ni,ni->n", normals, points - middle).min() > 0.0
    across = np.cross(b - a, c - a)
    np.testing.assert_allclose(across / np.linalg.norm(across, axis=1)[:, None], normals[triangles[:, 0]], atol=1e-5)
    volume = np.einsum("ni,ni->n", a, np.cross(b, c)).sum() / 6.0
    assert volume == pytest.approx(solid_properties(found.geometry).volume, rel=1e-6)
    edges = outline_of(found)
    corners = len(np.unique(np.round(points, 9), axis=0))
    assert corners - len(edges) + len(np.unique(np.round(normals, 4), axis=0)) == 2  # Euler's formula


def of_parts(values, parts):
    """The values of the points of each part."""
    return np.split(values, np.cumsum([len(part.points) for part in parts])[:-1])


def test_the_shapes_follow_the_bones(scene, rig, drawn):
    """Guards a posed character: each shape is where its bone is, and its colour says what it follows."""
    arm = rig.pose.bones["arm"]
    link(arm).follows = "KINEMATIC"
    (shapes,) = drawn().shapes
    before, triangles, colors = shapes.content
    arm.rotation_mode, arm.rotation_euler = "XYZ", (0.0, 0.0, 0.7)
    bpy.context.view_layer.update()
    (shapes,) = drawn().shapes
    after = shapes.content[0]
    parts = drawn().parts
    assert len(triangles) == sum(len(part.triangles) for part in parts)
    moved = {
        part.bone for part, own in zip(parts, of_parts(np.abs(after - before), parts), strict=True) if own.max() > 1e-3
    }
    assert moved == {"arm", "hand"}
    led = {"arm", "chest", "hips"}  # what an animated part hangs on is animated, too
    blue = np.array(preferences().physics_color)
    for part, shade in zip(parts, of_parts(colors, parts), strict=True):
        color = np.array(preferences().animation_color) if part.bone in led else blue
        assert shade[:, 3] == pytest.approx(color[3])
        assert (shade[:, :3] <= color[:3] + 1e-9).all()
        assert shade[:, :3].max(axis=0) / color[:3] == pytest.approx(1.0, abs=0.1)


def test_the_shapes_follow_in_play(rig, drawn):
    """Guards Play, whose motion is no change of the scene: the shapes are moved, and not computed again."""
    before = drawn().shapes[0].content[0]
    parts = drawn().parts
    with watch.ignoring_changes():
        rig.pose.bones["thigh"].rotation_quaternion = (0.7, 0.7, 0.0, 0.0)
        bpy.context.view_layer.update()
    assert np.abs(drawn().shapes[0].content[0] - before).max() > 0.3
    assert drawn().parts is parts


def test_the_active_part_stands_out(rig, drawn):
    """Guards the part that the panel shows: it alone is less translucent, and has an outline, in Pose Mode."""
    assert not drawn().outlines
    bpy.ops.object.mode_set(mode="POSE")
    rig.data.bones.active = rig.data.bones["shin"]
    found = drawn()
    opacity = found.shapes[0].content[2][:, 3]
    of_each = zip(found.parts, of_parts(opacity, found.parts), strict=True)
    bright = {part.bone for part, own in of_each if own[0] > opacity.min() + 0.1}
    assert bright == {"shin"}
    assert len(found.outlines) == 1
    bpy.ops.object.mode_set(mode="OBJECT")


def test_a_mesh_shows_its_ragdoll(rig, drawn):
    """Guards artists who select the body, and not the armature in it."""
    body = bpy.data.objects["Body"]
    choose(body)
    assert ragdoll_of(body) == rig
    assert len(drawn().parts) == len(ragdoll_of(body).pose.bones) - 2  # without finger and tip
    choose(bpy.context.scene.objects["Rig"])
    bpy.ops.limberjack.remove_ragdoll()
    assert drawn().shapes == []


def test_nothing_is_computed_again(rig, drawn, monkeypatch):
    """Guards the time of a redraw: the shapes are computed after a change only."""
    first = drawn()
    shapes = first.shapes
    monkeypatch.setattr(overlay, "_layout", None)
    assert drawn() is first
    assert drawn().shapes is shapes


def test_joints_of_ragdolls_do_not_hide_the_character(scene, rig):
    """Guards the view: glyphs and outlines of a ragdoll are left out while its shapes are drawn, others not."""
    other = tag(chain(2, "Other"))
    names = {f"Other:{bone.name}" for bone in other}
    found, style = show_rig(scene), preferences()
    assert {joint.name for joint in shown_joints(found, scene, style)} <= names
    assert set(capsule_layout(found, scene, style).names) == names
    hidden = type("Style", (), {"show_ragdolls": False})
    assert len(shown_joints(found, scene, hidden)) == len(found.model.joints)
    assert {"Rig:shin", *names} <= set(capsule_layout(found, scene, hidden).names)


def test_a_fall_is_no_problem(scene, rig):
    """Guards a ragdoll without a floor: it is meant to fall, so there is a note with the button Ground, no warning."""
    (problem,) = show_rig(scene).problems
    assert (problem.severity, problem.code) == ("note", "no-floor")
    assert "link" not in problem.message
    scene.frame_end = 6
    assert bake(scene).diagnose() == []
    bpy.ops.limberjack.bake_clear()
    choose(rig)
    assert bpy.ops.limberjack.problem_mend(name=problem.name, code=problem.code, label="Ground") == {"FINISHED"}
    (problem,) = show_rig(scene).problems
    assert problem.message.startswith("the ground: its collision 'ground_collision' overlaps"), problem
    assert not re.search(r"\blink\b", problem.message)
    rig.location.z += 0.1
    bpy.context.view_layer.update()
    assert show_rig(scene).problems == []
