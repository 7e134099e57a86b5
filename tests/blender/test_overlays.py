"""What is drawn over the viewport, as far as it can be seen without one: where the lines lie."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from limberjack.addon.bridge.dials import view_joint
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.overlays.model import JOINT, LOOP, PROBLEM, joint_layout, mass_layout
from limberjack.addon.overlays.shapes import dashed, glyph, limits
from limberjack.addon.panels.model import tree_places
from limberjack.addon.preferences import preferences
from limberjack.core.joints import JOINT_TYPES

from .conftest import joint, link


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
    layout = joint_layout(show_rig(scene), scene, preferences())
    bars[0].location.x += 5.0
    bars[0].rotation_euler.y = 0.7
    bpy.context.view_layer.update()
    frames = np.array([np.array(scene.objects[name].matrix_world) for name in layout.names])
    fresh = joint_layout(show_rig(scene), scene, preferences())
    placed, expected = layout.placed(frames), fresh.placed(frames)
    of_second = np.array(layout.names)[layout.owners] == joints[1].name
    origin = np.array(joints[1].matrix_world.translation)
    reach, wanted = (np.linalg.norm(lines[of_second].reshape(-1, 3) - origin, axis=1) for lines in (placed, expected))
    assert np.sort(reach) == pytest.approx(np.sort(wanted), abs=1e-5)
    assert placed[of_second][0] == pytest.approx(expected[of_second][0], abs=1e-5)  # its axis
    frames[layout.names.index(joints[1].name)] = np.nan
    assert np.isnan(layout.placed(frames)[of_second]).all()


def test_zero_stays_and_the_mark_goes_with_the_link(scene, build):
    """A joint that is posed keeps its zero in the parent, and its mark points at the link."""
    bars, joints = build.pendulum(2)
    zero = view_joint(joints[1], scene).dials[0].zero.copy()
    build.select(joints[1])
    bpy.ops.limberjack.joint_pose(value=0.8)
    bpy.context.view_layer.update()
    dial = view_joint(joints[1], scene).dials[0]
    assert (dial.zero - zero).length < 1e-5
    way = dial.point(dial.value, 1.0) - dial.origin
    assert way.angle(bars[1].matrix_world @ Vector((0.5, 0.0, 0.0)) - dial.origin) < 1e-4


def test_problems_and_loops_have_colours_of_their_own(scene, build):
    """Of three joints, one closes a loop and one is at fault, and each is drawn so."""
    bars, joints = build.pendulum(2)
    loop = build.join(bars[1], type="ball")
    axis = joint(joints[0]).axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = 1.0, -1.0
    bpy.context.view_layer.update()
    rig = show_rig(scene)
    layout = joint_layout(rig, scene, preferences())
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
