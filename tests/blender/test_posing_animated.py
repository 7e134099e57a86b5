# SPDX-License-Identifier: GPL-3.0-or-later
"""Posing links that are animated: keys give way for a moment, and whatever does not is named."""

import bpy
import pytest

from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.scene.read import read_scene
from support.models import dump

from .test_posing import choose


@pytest.mark.parametrize("how", ["keyed", "baked"])
def test_an_animated_link_is_posed_until_the_next_frame(scene, build, how):
    """Keys let a link be posed, and take it back when the frame changes; the model is the same all the while."""
    bars, joints = build.pendulum(2)
    if how == "keyed":
        bars[1].keyframe_insert("location", frame=1)
        bars[1].keyframe_insert("rotation_euler", frame=1)
    else:
        bpy.ops.limberjack.simulate()
    scene.frame_set(1)
    before, stood = dump(read_scene(scene)), bars[1].matrix_world.copy()
    choose(build, joints[1])
    bpy.ops.limberjack.joint_pose(value=1.0)
    bpy.context.view_layer.update()
    assert view_joint(joints[1], scene).q[0] == pytest.approx(1.0, abs=1e-6)
    assert dump(read_scene(scene)) == before
    scene.frame_set(2)
    scene.frame_set(1)
    assert max((bars[1].matrix_world.col[i] - stood.col[i]).length for i in range(4)) < 1e-6


def constrained(bar):
    bar.constraints.new("COPY_LOCATION").target = bar


def driven(bar):
    bar.driver_add("location", 0)


def striped(bar):
    bar.keyframe_insert("location", frame=1)
    data = bar.animation_data
    data.nla_tracks.new().strips.new("swing", 1, data.action)
    data.action = None


def carried(bar):
    bar.parent = bpy.data.objects.new("cart", None)
    bpy.context.scene.collection.objects.link(bar.parent)
    bar.parent.keyframe_insert("location", frame=1)


@pytest.mark.parametrize(
    ("hold", "words"),
    [
        (constrained, "its constraint 'Copy Location' would take it back: mute it"),
        (driven, "the driver on its location would take it back: remove it"),
        (striped, "strip 'swing' of its nonlinear animation would take it back"),
        (carried, "'cart' carries it and is animated: unparent it"),
    ],
)
def test_a_held_link_is_not_posed(build, hold, words):
    """What would take a link back at once is named, and nothing moves."""
    bars, joints = build.pendulum(2)
    hold(bars[1])
    bpy.context.view_layer.update()
    stood = [bar.matrix_world.copy() for bar in bars]
    choose(build, joints[0])
    with pytest.raises(RuntimeError, match=f"link 'bar1' cannot be posed, as {words}"):
        bpy.ops.limberjack.joint_pose(value=1.0)
    bpy.context.view_layer.update()
    assert [bar.matrix_world for bar in bars] == stood
