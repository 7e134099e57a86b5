# SPDX-License-Identifier: GPL-3.0-or-later
"""Sliders of joints: numbers that follow the links, and that the links follow."""

import math

import bpy
import pytest
from mathutils import Vector

from limberjack.addon import ids
from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.posing import posing_cache
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import read_scene
from support.models import dump

from .conftest import joint
from .paper import draw
from .test_posing import distance, four_bar


def coordinate(obj, number=0):
    return joint(obj).coordinates[number]


def limit(obj, lower, upper, number=0):
    axis = joint(obj).axes[number]
    axis.use_lower, axis.lower, axis.use_upper, axis.upper = True, lower, True, upper


def status():
    return getattr(bpy.context.window_manager, ids.STATUS)


@pytest.mark.parametrize("is_read", [False, True])
def test_a_slider_turns_the_link(scene, build, is_read):
    """What is set is where the link's end comes by trigonometry, and what is read, with the scene read or not."""
    bars, joints = build.pendulum(2)
    bpy.context.view_layer.update()
    if is_read:
        show_rig(scene)
    coordinate(joints[0]).value_angle = 0.6
    coordinate(joints[1]).value_angle = -0.2
    bpy.context.view_layer.update()
    assert coordinate(joints[0]).value_angle == pytest.approx(0.6, abs=1e-6)
    assert coordinate(joints[1]).value_plain == pytest.approx(-0.2, abs=1e-6)
    elbow = Vector((math.cos(0.6), 0.0, 2.0 - math.sin(0.6)))
    assert (bars[1].matrix_world.translation - elbow).length < 1e-6
    end = elbow + Vector((math.cos(0.4), 0.0, -math.sin(0.4)))
    assert (bars[1].matrix_world @ Vector((1.0, 0.0, 0.0)) - end).length < 1e-6


def test_a_number_follows_the_link(scene, build):
    """A link that was turned by other means shows at once, though the scene was not read anew."""
    bars, joints = build.pendulum(1)
    bpy.context.view_layer.update()
    show_rig(scene)
    assert coordinate(joints[0]).value_angle == pytest.approx(0.0, abs=1e-6)
    bars[0].rotation_euler.y = 0.3
    bpy.context.view_layer.update()
    assert coordinate(joints[0]).value_angle == pytest.approx(0.3, abs=1e-6)


def test_limits_stop_a_slider(build):
    """Beyond its limits a joint does not go, and the bar shows the part of the way between them."""
    _, joints = build.pendulum(1)
    limit(joints[0], -0.5, 1.5)
    coordinate(joints[0]).value_angle = 4.0
    assert coordinate(joints[0]).value_angle == pytest.approx(1.5, abs=1e-6)
    assert coordinate(joints[0]).share == pytest.approx(100.0, abs=1e-4)
    coordinate(joints[0]).share = 25.0
    assert coordinate(joints[0]).value_angle == pytest.approx(0.0, abs=1e-6)


def test_limits_beyond_half_a_turn(build):
    """A place within limits reads as such, and not as the same place a turn away."""
    _, joints = build.pendulum(1)
    limit(joints[0], 0.0, 6.0)
    coordinate(joints[0]).value_angle = 5.0
    assert coordinate(joints[0]).value_angle == pytest.approx(5.0, abs=1e-6)
    assert coordinate(joints[0]).share == pytest.approx(500.0 / 6.0, abs=1e-4)


def test_a_slider_in_centimetres(scene, build):
    """Lengths are the user's own: 4 units are 4 units, in a scene where these are centimetres."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube(location=(3.0, 0.0, 0.0))
    build.tag(cube)
    empty = build.join(cube, type="prismatic")
    limit(empty, -2.0, 6.0)
    coordinate(empty).value_length = 4.0
    bpy.context.view_layer.update()
    assert (cube.matrix_world.translation - Vector((3.0, 0.0, 4.0))).length < 1e-6
    assert coordinate(empty).value_length == pytest.approx(4.0, abs=1e-6)
    assert coordinate(empty).share == pytest.approx(75.0, abs=1e-4)


def test_numbers_beyond_a_locked_axis(build):
    """A locked axis has no place among the coordinates that move, and the next ones are not mistaken for it."""
    _, joints = build.pendulum(1)
    joint(joints[0]).type = "universal"
    joint(joints[0]).axes[0].locked = True
    bpy.context.view_layer.update()
    coordinate(joints[0], 1).value_angle = 0.3
    assert coordinate(joints[0], 1).value_angle == pytest.approx(0.3, abs=1e-6)
    assert coordinate(joints[0], 0).value_angle == 0.0
    coordinate(joints[0], 0).value_angle = 1.0
    assert "unlock the axis" in status().error


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_a_loop_stays_closed_while_a_slider_is_dragged(scene, build, name):
    """Many small moves, as a drag makes, leave the four-bar closed, the model as it was, and read the scene once."""
    bars, pins = four_bar(build)
    before = dump(read_scene(scene))
    rig = show_rig(scene)
    posings = set()
    for step in range(1, 9):
        coordinate(pins[name]).value_angle = 0.05 * step
        posings.add(id(posing_cache._cache[scene.session_uid, True][1]))
    assert posing_cache._cache[scene.session_uid, True][0] is rig
    assert len(posings) == 1
    assert distance(bars, "coupler", "rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 0.75)) < 1e-6
    assert coordinate(pins[name]).value_angle == pytest.approx(0.4, abs=1e-6)
    assert dump(read_scene(scene)) == before


def test_what_was_moved_meanwhile_is_seen(scene, build):
    """A link moved between two moves of a slider, and a scene that was dropped by an undo, are read anew."""
    bars, joints = build.pendulum(2)
    bpy.context.view_layer.update()
    show_rig(scene)
    coordinate(joints[1]).value_angle = 0.5
    first = posing_cache.posing_of(scene)
    bars[0].rotation_euler.y = 0.2
    bpy.context.view_layer.update()
    coordinate(joints[1]).value_angle = 0.1
    assert view_joint(joints[0], scene).q[0] == pytest.approx(0.2, abs=1e-6)
    assert posing_cache.posing_of(scene) is not first
    forget_rigs()
    kept = posing_cache.posing_of(scene)
    assert posing_cache.posing_of(scene) is not kept  # nothing is kept of a scene that was not read


def test_an_error_reaches_the_panel(build):
    """A link that something holds is named in the panel, nothing moves, and the next move that succeeds clears it."""
    bars, joints = build.pendulum(2)
    tied = bars[1].constraints.new("COPY_LOCATION")
    tied.target = bars[0]
    coordinate(joints[1]).value_angle = 0.5
    assert status().error.startswith("link 'bar1' cannot be posed, as its constraint 'Copy Location'")
    bars[1].constraints.remove(tied)
    bpy.context.view_layer.update()
    coordinate(joints[1]).value_angle = 0.5
    assert status().error == ""
    joint(joints[1]).enabled = False
    coordinate(joints[1]).value_angle = 0.2
    assert "is not enabled" in status().error


def test_the_panel_has_a_slider_for_each_coordinate(scene, build):
    """A joint with limits has bar and number, one without the number, a ball a word, and locked axes nothing."""
    _, joints = build.pendulum(4)
    limit(joints[0], -1.0, 1.0)
    joint(joints[1]).type, joint(joints[2]).type = "ball", "planar"
    joint(joints[2]).axes[0].locked = True
    joint(joints[3]).type = "fixed"
    bpy.context.view_layer.update()
    show_rig(scene)
    paper = draw(joints[0])
    assert paper.props.count("share") == 1
    assert paper.props.count("value_angle") + paper.props.count("value_length") == 3
    assert any("Turned in the viewport" in text for text in paper.texts)


def test_mid_limits(build):
    """Selected joints go to the middle of their limits, or all if none is selected; without limits none moves."""
    _, joints = build.pendulum(3)
    limit(joints[0], 0.0, 1.0)
    limit(joints[2], -0.2, 0.8)
    build.select(joints[2])
    bpy.ops.limberjack.pose_mid_limits()
    assert [coordinate(obj).value_angle for obj in joints] == pytest.approx([0.0, 0.0, 0.3], abs=1e-6)
    build.select()
    bpy.ops.limberjack.pose_mid_limits()
    assert [coordinate(obj).value_angle for obj in joints] == pytest.approx([0.5, 0.0, 0.3], abs=1e-6)
    build.select(joints[1])
    with pytest.raises(RuntimeError, match="None of these joints has two limits"):
        bpy.ops.limberjack.pose_mid_limits()


def test_mid_limits_pass_over_fixed_joints(build):
    """Guards imported robots, of which all joints are selected: what cannot move is skipped."""
    _, joints = build.pendulum(3)
    limit(joints[0], 0.0, 1.0)
    joint(joints[1]).type = "fixed"
    joint(joints[2]).enabled = False
    build.select(*joints)
    bpy.ops.limberjack.pose_mid_limits()
    assert coordinate(joints[0]).value_angle == pytest.approx(0.5, abs=1e-6)


def test_mid_limits_in_a_loop(build):
    """One joint of a four-bar gets its middle; where two cannot both have it, the loop stays closed."""
    bars, pins = four_bar(build)
    limit(pins["a"], 0.0, 0.6)
    build.select()
    bpy.ops.limberjack.pose_mid_limits()
    assert coordinate(pins["a"]).value_angle == pytest.approx(0.3, abs=1e-6)
    limit(pins["d"], -0.5, 0.0)
    bpy.ops.limberjack.pose_mid_limits()
    assert distance(bars, "coupler", "rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 0.75)) < 1e-6
    assert coordinate(pins["a"]).value_angle != pytest.approx(0.3, abs=1e-3)


def test_start_here_for_all(scene, build):
    """With no joint selected, all of them start where they are."""
    _, joints = build.pendulum(2)
    coordinate(joints[0]).value_angle, coordinate(joints[1]).value_angle = 0.2, 0.4
    build.select()
    bpy.ops.limberjack.joint_start_here()
    assert [known.home[0] for known in read_scene(scene).joints] == pytest.approx([0.2, 0.4], abs=1e-6)
