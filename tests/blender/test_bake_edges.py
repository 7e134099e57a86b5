# SPDX-License-Identifier: GPL-3.0-or-later
"""Corners of the bake that went wrong once."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.restore import is_baked
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.trajectory.files.reading import read_trajectory

from .conftest import link
from .test_bake import bake, require_exact

Q = "limberjack_joint.coordinates[0].q"


def led_arm(build):
    """A bar that rises as it is animated, from z = 2 to z = 4, and two that hang on it."""
    bars, empties = build.pendulum(3)
    bpy.data.objects.remove(empties[0])  # or the joint would hold it in the world
    link(bars[0]).motion = "KINEMATIC"
    for frame, z in ((1, 2.0), (24, 4.0)):
        bars[0].location.z = z
        bars[0].keyframe_insert("location", frame=frame)
    return bars


@pytest.mark.slow
def test_a_motion_comes_back_onto_a_link_that_leads(scene, build, tmp_path):
    """What hangs on an animated link is replayed on it, from all of a motion or from joint curves alone."""
    led_arm(build)
    run = bake(scene)
    for kind in ("CSV", "JOINTS"):
        path = tmp_path / f"{kind}.csv"
        bpy.ops.limberjack.export_trajectory(filepath=str(path), kind=kind)
        bpy.ops.limberjack.bake_clear()
        bpy.ops.limberjack.import_trajectory(filepath=str(path))
        require_exact(scene, run)


def test_a_pose_beside_a_link_that_leads(scene, build):
    """A link that was keyed, and then moved by hand, starts where it was moved to."""
    led_arm(build)
    cube = build.cube("loose", (5.0, 0.0, 5.0))
    build.tag(cube)
    cube.keyframe_insert("location", frame=1)
    cube.location = (5.0, 3.0, 9.0)
    bpy.context.view_layer.update()
    run = bake(scene, start="POSE", overwrite=True)
    row = run.trajectory.link_names.index("loose")
    assert run.trajectory.X_WL[0, row, :3] == pytest.approx((5.0, 3.0, 9.0), abs=1e-6)


def test_what_is_disabled_in_viewports_is_followed(scene, build, tmp_path):
    """A link that is disabled in viewports is sampled as one that is seen."""
    cube = build.cube("cube")
    build.tag(cube)
    for frame, x in ((1, 0.0), (24, 2.3)):
        cube.location.x = x
        cube.keyframe_insert("location", frame=frame)
    scene.frame_set(12)
    seen = cube.matrix_world.translation.x
    scene.frame_set(1)
    cube.hide_viewport = True
    run = bake(scene, start="KEYS", first=12, last=14, overwrite=True)
    assert run.trajectory.X_WL[0, 0, 0] == pytest.approx(seen, abs=1e-5)
    assert cube.hide_viewport
    path = tmp_path / "motion.npz"
    bpy.ops.limberjack.export_trajectory(filepath=str(path), kind="NPZ")
    assert np.ptp(read_trajectory(path).X_WL[:, 0, 0]) > 0.5


@pytest.mark.parametrize(("first", "last"), [(0.5, 2.5), (0.0, -3.2)])
def test_turns_are_kept(scene, build, first, last):
    """A joint that was keyed over more than half a turn starts with as many turns as its keys say."""
    _, empties = build.pendulum(1)
    bpy.ops.limberjack.pose_key(what="JOINTS")
    curve = next(iter(fcurves_of(empties[0])))
    curve.keyframe_points[0].co = (1.0, first * math.pi)
    curve.keyframe_points.insert(12.0, last * math.pi)
    curve.update()
    run = bake(scene, start="KEYS", first=12, onto="BOTH", overwrite=True)
    assert run.trajectory.q[0, 0] == pytest.approx(last * math.pi, abs=1e-5)
    curve = next(curve for curve in fcurves_of(empties[0]) if curve.data_path == Q)
    assert curve.evaluate(1) == pytest.approx(first * math.pi, abs=1e-5)


def test_an_export_takes_no_other_files_name(scene, build, tmp_path):
    """A name with a point in it gets the suffix behind, and the file that it resembles stays as it is."""
    build.pendulum(1)
    (tmp_path / "arm.csv").write_text("precious")
    bpy.ops.limberjack.export_trajectory(filepath=str(tmp_path / "arm.v2"), kind="JOINTS")
    assert (tmp_path / "arm.csv").read_text() == "precious"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["arm.csv", "arm.v2.csv"]


def test_a_scene_that_is_gone(scene, build):
    """An undo or another file in the middle, from wherever it came: a clear word, and nothing hangs."""
    other = bpy.data.scenes.new("Other")
    build.pendulum(1)
    run = SimulationBake(scene, last=1000)
    run.step(0.0)
    bpy.context.window.scene = other
    bpy.data.scenes.remove(scene)
    with pytest.raises(BakeError, match="was undone or closed"):
        run.step(0.0)
    run.cancel()
    assert not bpy.data.actions


def test_clear_where_something_else_was_keyed_since(scene, build):
    """Links that joints lead go back though their visibility was keyed meanwhile, and these keys stay."""
    bars, _ = build.pendulum(2)
    stood = [bar.matrix_world.copy() for bar in bars]
    bake(scene, onto="JOINTS")
    scene.frame_set(20)
    bars[0].keyframe_insert("hide_render", frame=3)
    bpy.ops.limberjack.bake_clear()
    bpy.context.view_layer.update()
    for bar, matrix in zip(bars, stood, strict=True):
        assert (bar.matrix_world.translation - matrix.translation).length < 1e-6
        assert not bar.limberjack_before.is_kept
    assert [curve.data_path for curve in fcurves_of(bars[0])] == ["hide_render"]


def test_an_envelope_goes_on_beside_a_bake(scene, build):
    """The control points of an envelope are carried over with their curve."""
    bars, _ = build.pendulum(1)
    bars[0]["glow"] = 1.0
    for frame in (1, 24):
        bars[0].keyframe_insert('["glow"]', frame=frame)
    curve = next(iter(fcurves_of(bars[0])))
    modifier = curve.modifiers.new("ENVELOPE")
    for frame in (1, 24):
        modifier.control_points.add(frame)
    modifier.control_points.foreach_set("min", (-2.0, -0.3))  # Blender may crash if one is written alone
    modifier.control_points.foreach_set("max", (2.0, 0.3))
    expected = [curve.evaluate(frame) for frame in range(1, 25)]
    bake(scene)
    carried = next(curve for curve in fcurves_of(bars[0]) if curve.data_path == '["glow"]')
    assert [carried.evaluate(frame) for frame in range(1, 25)] == pytest.approx(expected, abs=1e-6)


def test_keys_between_frames_before_a_release(scene, build):
    """With a step below 1, what was keyed between the frames before the release stays."""
    cube = build.cube("cube")
    build.tag(cube)
    for number, x in enumerate((0.0, 4.0, 0.0, 4.0, 0.0)):
        cube.location.x = x
        cube.keyframe_insert("location", frame=1.0 + 0.5 * number)
    bake(scene, start="KEYS", first=12, step=0.5, overwrite=True)
    scene.frame_set(1, subframe=0.5)
    assert cube.matrix_world.translation.x == pytest.approx(4.0, abs=1e-5)


def test_a_driver_on_a_joint_that_gets_keys(scene, build):
    """What would fight the keys of a joint is named before anything is computed."""
    _, empties = build.pendulum(1)
    empties[0].driver_add(Q)
    with pytest.raises(BakeError, match="joint 'bar0_joint' has a driver on its"):
        SimulationBake(scene, onto="BOTH")
    SimulationBake(scene)


def test_an_edited_bake_of_joints_is_asked_about(scene, build):
    """Baking onto links takes an edited bake of joints away: only after a question, and it stays in the file."""
    _, empties = build.pendulum(1)
    bake(scene, onto="JOINTS")
    edited = empties[0].animation_data.action
    next(iter(fcurves_of(empties[0]))).keyframe_points[3].co.y += 0.5
    with pytest.raises(BakeError, match="'bar0_joint' is animated already"):
        SimulationBake(scene)
    bake(scene, overwrite=True)
    assert edited in list(bpy.data.actions)
    assert edited.use_fake_user
    assert not is_baked(empties[0])


def test_a_bake_whose_action_was_unlinked(scene, build):
    """X on the bake's action does not make the bake forget what was there before."""
    bars, _ = build.pendulum(1)
    bars[0].keyframe_insert("location", frame=1)
    mine = bars[0].animation_data.action
    bake(scene, overwrite=True)
    bars[0].animation_data.action = None
    bake(scene)
    bpy.ops.limberjack.bake_clear()
    assert bars[0].animation_data.action == mine


def test_an_axis_that_is_none(scene, build):
    """A link that turns about no axis, as a script may leave it, carries another when keys are reduced."""
    base = build.cube("base", rotation_mode="AXIS_ANGLE")
    base.rotation_axis_angle = (0.0, 0.0, 0.0, 0.0)
    child = build.cube("child", (3.0, 0.0, 1.0))
    child.parent = base
    bpy.context.view_layer.update()
    build.tag(base, child)
    scene.limberjack.bake.reduces = True
    bake(scene)
    assert is_baked(child)
