# SPDX-License-Identifier: GPL-3.0-or-later
"""What is drawn over the viewport, as far as it can be seen without one: where the lines lie."""

import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from mathutils import Vector

from limberjack.addon import watch
from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.joints.frames import store_frames
from limberjack.addon.bridge.rig import last_rig, show_rig
from limberjack.addon.overlays import model as model_overlay
from limberjack.addon.overlays.joint_glyphs import dashed, glyph, limits
from limberjack.addon.overlays.model import JOINT, LOOP, PROBLEM, joint_layout, mass_layout
from limberjack.addon.panels.model import tree_places
from limberjack.addon.preferences import preferences
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.spatial import IDENTITY

from .conftest import joint, link


def laid_out(rig, scene):
    """Of every joint."""
    return joint_layout(rig, scene, preferences(), rig.model.joints)


@pytest.mark.parametrize("kind", list(JOINT_TYPES))
def test_every_type_is_drawn(scene, build, kind):
    """No type is invisible, and none is drawn with a number that is none."""
    _, joints = build.pendulum(2)
    joint(joints[1]).type = kind
    bpy.context.view_layer.update()
    lines = glyph(view_joint(joints[1], scene), 0.5)
    assert len(lines) > 2
    assert np.isfinite(lines).all()
    assert np.abs(lines - np.array((1.0, 0.0, 2.0))).max() < 1.0


def test_arc_of_a_hinge(scene, build):
    """The arc begins and ends where the limits put the link's middle, at one distance from the axis."""
    _, joints = build.pendulum(1)
    axis = joint(joints[0]).axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = -0.5, 1.25
    lines = limits(view_joint(joints[0], scene), 2.0)
    arc = lines[:-2] - np.array((0.0, 0.0, 2.0))
    assert np.linalg.norm(arc.reshape(-1, 3), axis=1) == pytest.approx(2.0)
    for point, angle in ((arc[0, 0], -0.5), (arc[-1, 1], 1.25)):
        assert point == pytest.approx((2.0 * math.cos(angle), 0.0, -2.0 * math.sin(angle)), abs=1e-6)


def test_cone_of_a_ball(scene, build):
    """The rim lies where a swing by the limit takes the cone's axis."""
    cube = build.cube()
    build.tag(cube)
    empty = build.join(cube, type="ball")
    cone = joint(empty).axes[3]
    cone.use_upper, cone.upper = True, math.radians(60.0)
    bpy.context.view_layer.update()
    rim = limits(view_joint(empty, scene), 1.0)[:20, 0]
    assert rim[:, 2] == pytest.approx(0.5, abs=1e-6)
    assert np.hypot(rim[:, 0], rim[:, 1]) == pytest.approx(math.sin(math.radians(60.0)), abs=1e-6)


def test_lines_follow_the_objects(scene, build):
    """Laid out once, the lines stay with their joints wherever these go, and what is hidden is not drawn."""
    bars, joints = build.pendulum(2)
    layout = laid_out(show_rig(scene), scene)
    bars[0].location.x += 5.0
    bars[0].rotation_euler.y = 0.7
    bpy.context.view_layer.update()
    frames = np.array([np.array(scene.objects[name].matrix_world) for name in layout.names])
    fresh = laid_out(show_rig(scene), scene)
    placed, expected = layout.placed(frames), fresh.placed(frames)
    of_second = np.array(layout.names)[layout.owners] == joints[1].name
    origin = np.array(joints[1].matrix_world.translation)
    reach, wanted = (np.linalg.norm(lines[of_second].reshape(-1, 3) - origin, axis=1) for lines in (placed, expected))
    assert np.sort(reach) == pytest.approx(np.sort(wanted), abs=1e-5)
    assert placed[of_second][0] == pytest.approx(expected[of_second][0], abs=1e-5)  # its axis
    frames[layout.names.index(joints[1].name)] = np.nan
    assert np.isnan(layout.placed(frames)[of_second]).all()


@pytest.fixture
def drawn(scene, monkeypatch):
    """What a redraw of the 3D view would draw of the joints themselves: segments in the world."""
    monkeypatch.setattr(model_overlay, "Lines", lambda points, _: points)
    look = SimpleNamespace(**{key: getattr(preferences(), key) for key in model_overlay._STYLE_KEYS})
    look.show_lines = look.show_masses = False

    def draw():
        bpy.context.view_layer.update()
        return model_overlay.up_to_date(last_rig(scene), bpy.context, look).lines[0]

    yield draw
    model_overlay.forget()


def test_a_spring_is_drawn_between_its_ends_wherever_they_are(scene, build, drawn):
    """The line of a distance joint leads from the parent's point to the child's after each move, with nothing read."""
    post, weight = build.cube("post"), build.cube("weight", (0.0, 0.0, -3.0), 0.5)
    build.tag(post, weight)
    store_frames(build.join(weight, post, type="distance"), IDENTITY, IDENTITY)
    build.select(post)
    version = show_rig(scene).version
    for place in ((0.0, 0.0, -3.0), (2.0, 0.5, -1.0), (-1.0, 0.0, 2.0)):
        weight.location = place
        watch.moves += 1  # as Blender tells it of each frame and each drag
        last_dash = 1.0 - 1.0 / 24.0
        missed = np.linalg.norm(drawn().reshape(-1, 3) - last_dash * np.array(place), axis=1).min()
        assert missed < 1e-5, f"no line comes to {place}"
    assert last_rig(scene).version == version


def test_only_what_has_changed_its_shape_is_laid_out_anew(scene, build, drawn, monkeypatch):
    """Guards large machines: of two universal joints, the one that is bent is; neither when another object moves."""
    bars, joints = build.pendulum(2)
    for each in joints:
        joint(each).type = "universal"
    other = build.cube("other", (9.0, 0.0, 0.0))
    bpy.context.view_layer.objects.active = None
    show_rig(scene)
    drawn()
    laid_out, plain = [], model_overlay._lines_of_joint
    monkeypatch.setattr(
        model_overlay, "_lines_of_joint", lambda rig, obj, *rest: (laid_out.append(obj), plain(rig, obj, *rest))[1]
    )
    other.location.x += 1.0
    watch.moves += 1
    drawn()
    assert laid_out == []
    bars[1].rotation_euler.y += 0.5
    watch.moves += 1
    drawn()
    assert laid_out == [joints[1]]


def test_rings_of_later_axes_turn_with_those_before(scene, build, drawn):
    """A universal joint's second ring turns with the cross that its first axis turns."""
    _, joints = build.pendulum(1)
    joint(joints[0]).type = "universal"
    axes = joint(joints[0]).axes
    axes[0].xyz, axes[1].xyz = (0.0, 1.0, 0.0), (1.0, 0.0, 0.0)
    bpy.context.view_layer.update()
    show_rig(scene)
    drawn()
    bpy.ops.limberjack.joint_pose(value=0.7)
    bpy.context.view_layer.objects.active = None
    lines = drawn()
    along = (lines[:, 1] - lines[:, 0]) / np.linalg.norm(lines[:, 1] - lines[:, 0], axis=1)[:, None]
    turned = np.array((math.cos(0.7), 0.0, -math.sin(0.7)))
    assert np.abs(along @ turned).max() == pytest.approx(1.0, abs=1e-6)


def test_zero_stays_and_the_mark_goes_with_the_link(scene, build):
    """A joint that is posed keeps its zero in the parent, and its mark points at the link."""
    bars, joints = build.pendulum(2)
    zero = view_joint(joints[1], scene).axes[0].zero.copy()
    build.select(joints[1])
    bpy.ops.limberjack.joint_pose(value=0.8)
    bpy.context.view_layer.update()
    axis = view_joint(joints[1], scene).axes[0]
    assert (axis.zero - zero).length < 1e-5
    way = axis.point_at(axis.value, 1.0) - axis.origin
    assert way.angle(bars[1].matrix_world @ Vector((0.5, 0.0, 0.0)) - axis.origin) < 1e-4


def test_problems_and_loops_have_colours_of_their_own(scene, build):
    """Of three joints, one closes a loop and one is at fault, and each is drawn so."""
    bars, joints = build.pendulum(2)
    loop = build.join(bars[1], type="ball")
    axis = joint(joints[0]).axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = 1.0, -1.0
    bpy.context.view_layer.update()
    rig = show_rig(scene)
    layout = laid_out(rig, scene)
    names = np.array(layout.names)[layout.owners]
    drawn = {name: set(layout.colors[names == name].tolist()) for name in set(names)}
    closing = next(iter(rig.loops))
    assert drawn[joints[0].name] == {PROBLEM}
    assert LOOP in drawn[closing]
    others = {loop.name, joints[1].name} - {closing}
    assert all(JOINT in drawn[name] for name in others)


def test_box_of_inertia(scene, build):
    """Of a cuboid of even density, the box of inertia is the cuboid, in metres whatever the unit."""
    scene.unit_settings.scale_length = 0.1
    cube = build.cube(size=1.0, scale=(1.0, 2.0, 3.0))
    build.tag(cube)
    model = show_rig(scene).model
    box = mass_layout(model, 0.1, 1.0).points[:12].reshape(-1, 3)
    assert np.ptp(box, axis=0) == pytest.approx((1.0, 2.0, 3.0), rel=1e-6)


def test_dashes_have_gaps():
    """A dashed line begins at its start, and half of it is drawn."""
    dashes = dashed(np.zeros((1, 3)), np.array([[12.0, 0.0, 0.0]]), 6)
    assert dashes[0, 0, 0] == 0.0
    assert np.ptp(dashes, axis=1)[:, 0] == pytest.approx(1.0)
    assert len(dashes) == 6


def test_tree_of_the_model(scene, build):
    """Each link stands below the joint that carries it, and a joint that closes a loop below its parent."""
    bars, joints = build.pendulum(3)
    loop = build.join(bars[2])
    rig = show_rig(scene)
    places = tree_places(rig.model)
    assert set(places) == {obj.name for obj in scene.objects}
    by_row = sorted(places, key=places.__getitem__)
    assert by_row[0] == joints[0].name
    assert len({row for row, _ in places.values()}) == len(places)
    carried = rig.model.tree().above
    for child, branch in carried.items():
        assert places[child] == (places[branch.joint.name][0] + 1, places[branch.joint.name][1] + 1)
    assert len(rig.loops) == 1
    assert loop.name in places


def test_a_click_in_the_tree_selects(scene, build):
    """The row that is active is the active object's, both ways."""
    bars, joints = build.pendulum(2)
    settings = scene.limberjack
    settings.row = scene.objects.find(bars[1].name)
    assert bpy.context.view_layer.objects.active == bars[1]
    assert [obj for obj in scene.objects if obj.select_get()] == [bars[1]]
    bpy.context.view_layer.objects.active = joints[0]
    assert settings.row == scene.objects.find(joints[0].name)


def test_loops_and_problems_are_known_by_name(scene, build):
    """What the overlays colour follows from the scene as it is, and holds no object of Blender's."""
    bars, joints = build.pendulum(2)
    build.join(bars[1], type="ball")
    link(bars[0]).mass_source, link(bars[0]).mass = "CUSTOM", 0.0
    rig = show_rig(scene)
    assert len(rig.loops) == 1
    assert "bar0" in rig.troubled
    assert not any(isinstance(value, bpy.types.ID) for value in vars(rig).values())
    assert Vector(view_joint(joints[0], scene).X_WJ[:3]) == Vector((0.0, 0.0, 2.0))
