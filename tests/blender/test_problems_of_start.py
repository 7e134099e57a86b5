# SPDX-License-Identifier: GPL-3.0-or-later
"""What falls or stands still once it is played is told before, and mended by a button."""

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.panels.simulation.problems import _findings

from .conftest import joint, link
from .paper import draw


def told(scene):
    forget_rigs()
    return [(item.severity, item.code, item.name) for item in show_rig(scene).problems]


def mend(code, name):
    bpy.ops.limberjack.problem_mend(name=name, code=code)
    bpy.context.view_layer.update()


def travel(scene):
    """How far the last link goes in the scene's range, in metres."""
    run = SimulationBake(scene)
    run.run()
    poses = run.simulation.trajectory.X_WL
    return float(abs(poses[:, -1, :3] - poses[0, -1, :3]).max())


@pytest.fixture
def robot(build):
    """Two bars on a hinge, with nothing that holds them."""
    bars, joints = build.pendulum(2)
    bpy.data.objects.remove(joints[0])
    bpy.context.view_layer.update()
    return bars


def test_a_robot_without_a_base_is_told_and_held(scene, robot):
    """Guards the first ten minutes: it falls for ever, and nothing said so. The button holds its base."""
    assert told(scene) == [("warning", "falls-freely", "bar0")]
    mend("falls-freely", "bar0")
    assert link(robot[0]).motion == "STATIC"
    assert told(scene) == []
    assert read_scene(scene).joints[0].parent == "world"


def test_it_is_told_once(scene, robot):
    """Guards against two notices and two buttons for one thing; what was mended is told no more by the doctor."""
    bpy.ops.limberjack.simulate()
    findings = getattr(scene, ids.SCENE).findings
    assert [finding.code for finding in findings] == ["falls-freely"]
    bpy.ops.limberjack.bake_clear()
    forget_rigs()
    assert _findings(scene, show_rig(scene)) == []
    mend("falls-freely", "bar0")
    assert not findings


def test_a_body_alone_gets_a_note_and_is_simulated(scene, build):
    """Guards a ball that is dropped: nothing hinders it."""
    build.tag(build.cube("ball"))
    assert told(scene) == [("note", "falls-freely", "ball")]
    assert travel(scene) > 1.0


def test_what_is_pushed_or_weightless_does_not_fall(scene, robot):
    """Guards against false alarms: an animated force, gravity that is off or animated, a start with a speed."""
    link(robot[0]).keyframe_insert("force", frame=1)
    assert told(scene) == []
    robot[0].animation_data_clear()
    assert told(scene)
    scene.keyframe_insert("gravity", frame=1)
    assert told(scene) == []
    scene.animation_data_clear()
    getattr(scene, ids.SCENE).bake.start = "KEYS"
    assert told(scene) == []
    getattr(scene, ids.SCENE).bake.start = "HOME"
    scene.use_gravity = False
    assert [code for _, code, _ in told(scene)] == ["nothing-moves"]


def test_a_broken_joint_lets_nothing_seem_loose(scene, build):
    """Guards against a second, wrong cause: what cannot be read is left out, and would seem to hold nothing."""
    _, joints = build.pendulum(2)
    joint(joints[0]).axes[0].xyz = (0.0, 0.0, 0.0)
    assert [code for _, code, _ in told(scene)] == ["zero-axis"]


def test_axes_along_a_chain_are_told_and_turned(scene, build):
    """Guards a chain whose hinges gravity cannot turn: one note, whose button lets all of them swing."""
    bars, joints = build.pendulum(3)
    places = [bar.matrix_world.copy() for bar in bars]
    for obj in joints:
        joint(obj).axes[0].xyz = (1.0, 0.0, 0.0)
    assert told(scene) == [("note", "gravity-cannot-turn", "bar0_joint")]
    mend("gravity-cannot-turn", "bar0_joint")
    assert [abs(joint(obj).axes[0].xyz[1]) for obj in joints] == pytest.approx([1.0] * 3)
    assert [bar.matrix_world for bar in bars] == places
    assert told(scene) == []
    assert travel(scene) > 0.1


def test_what_is_driven_or_led_is_not_said_to_stand(scene, build):
    """Guards a wheel with a motor, a drive that has keys, and a link that moves as it is animated."""
    bars, joints = build.pendulum(1)
    axis = joint(joints[0]).axes[0]
    axis.xyz = (1.0, 0.0, 0.0)
    assert [code for _, code, _ in told(scene)] == ["gravity-cannot-turn"]
    axis.keyframe_insert("drive_target", frame=1)
    assert told(scene) == []
    joints[0].animation_data_clear()
    axis.drive_mode, axis.drive_stiffness = "position", 1.0
    assert told(scene) == []
    axis.drive_mode = "off"
    bars[0].keyframe_insert("location", frame=1)
    link(bars[0]).motion = "KINEMATIC"
    assert "gravity-cannot-turn" not in [code for _, code, _ in told(scene)]


def test_a_body_that_falls_is_no_problem(scene, build):
    """Guards a cube that is dropped: a note and no problem, with a button for a floor; with it, nothing is told."""
    cube = build.cube("cube", (0.0, 0.0, 3.0))
    build.tag(cube)
    getattr(scene, ids.SCENE).contact = False
    assert told(scene) == [("note", "falls-freely", "cube")]
    said = draw(cube)
    assert "Notes" in said.texts
    assert "Problems" not in said.texts
    bpy.ops.limberjack.problem_mend(name="cube", code="falls-freely", label="Ground")
    assert (getattr(scene, ids.SCENE).contact, getattr(scene, ids.SCENE).ground) == (True, True)
    assert told(scene) == []
    run = SimulationBake(scene)
    run.run()
    motion = run.simulation.trajectory
    assert motion.X_WL[-1, motion.link_names.index("cube"), 2] > 0.9  # on the floor, or above it


def test_many_bodies_get_a_floor_together(scene, build):
    """Guards the note on many bodies, which names no object: its button is about the scene."""
    for number in range(5):
        build.tag(build.cube(f"cube{number}", (3.0 * number, 0.0, 3.0)))
    assert told(scene) == [("note", "falls-freely", "")]
    assert bpy.ops.limberjack.problem_mend(code="falls-freely", label="Ground") == {"FINISHED"}
    assert told(scene) == []
