# SPDX-License-Identifier: GPL-3.0-or-later
"""The default cube, half in the ground or in a plane: told before Play, lifted by a button, and pushed out by Play."""

import bpy
import pytest
from mathutils import Vector

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.findings.problems import codes_below_play
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.cli.blend import load_open_scene
from limberjack.core.check.overlapping import SUNK

from .conftest import link

GROUNDS = ["ground", "plane"]


def told(scene):
    forget_rigs()
    return [(item.code, item.name) for item in show_rig(scene).problems if item.severity != "note"]


def ground(scene, build, kind):
    """The scene's ground, or a plane of 10 m as a collider."""
    if kind == "ground":
        scene.limberjack.ground = True
        return
    bpy.ops.mesh.primitive_plane_add(size=10.0)
    build.select(bpy.context.object)
    bpy.ops.limberjack.collider_add()


def lift(name):
    return bpy.ops.limberjack.problem_mend(name=name, code=SUNK, label="Lift")


@pytest.fixture(params=GROUNDS)
def cube(request, scene, build):
    """A cube of 2 m in the origin, turned about Z, and the ground at height 0."""
    cube = build.cube("cube")
    cube.rotation_euler.z = 0.3
    build.tag(cube)
    ground(scene, build, request.param)
    return cube


def test_it_is_told_beside_play_and_lifted(scene, cube):
    """Guards what an artist does first: one warning below Play, whose button lets the cube just touch the ground."""
    assert told(scene) == [(SUNK, "cube")]
    assert SUNK in codes_below_play(is_playing=False)
    (message,) = [item.text for item in show_rig(scene).problems if item.code == SUNK]
    assert message.startswith("it starts 1 m deep in link")
    assert lift("cube") == {"FINISHED"}
    assert told(scene) == []
    assert cube.location[:2] == (0.0, 0.0)
    assert cube.location.z == pytest.approx(1.0, abs=1e-4)
    assert min((cube.matrix_world @ Vector(corner)).z for corner in cube.bound_box) > 0.0


def test_the_command_lifts_all_machines(scene, cube, build):
    """Guards the command of the menu and of scripts: every machine in the ground is lifted, and a second time none."""
    build.tag(build.cube("other", (6.0, 0.0, 0.4)) if scene.limberjack.ground else build.cube("other", (3.0, 0.0, 0.4)))
    assert bpy.ops.limberjack.lift_out_of_ground() == {"FINISHED"}
    assert told(scene) == []
    assert bpy.data.objects["other"].location.z == pytest.approx(1.0, abs=1e-4)
    with pytest.raises(RuntimeError, match="No machine starts deep in the ground"):
        bpy.ops.limberjack.lift_out_of_ground()


def test_without_contact_nothing_is_told(scene, cube):
    """Guards against a warning about what has no effect."""
    scene.limberjack.contact = False
    assert told(scene) == []


def test_played_as_it_is_the_cube_is_pushed_out(scene, cube):
    """Guards Play without the button: the cube stands on the ground at the end, and is never below where it began."""
    scene.frame_end = 120
    run = SimulationBake(scene)
    run.run()
    trajectory = run.simulation.trajectory
    heights = trajectory.X_WL[:, trajectory.link_names.index("cube"), 2]
    assert heights.min() > -1e-6
    assert heights[-1] == pytest.approx(1.0, abs=1e-4)


def test_the_command_line_finds_it_too(scene, cube):
    """Guards `limberjack check scene.blend`: the same warning, and none in a scene without contact."""
    found = [issue for issue in load_open_scene(is_released=True).issues if issue.code == SUNK]
    assert [(issue.severity, issue.name) for issue in found] == [("warning", "cube")]
    scene.limberjack.contact = False
    assert not [issue for issue in load_open_scene(is_released=True).issues if issue.code == SUNK]


def test_a_machine_is_lifted_with_its_joints(scene, build):
    """Guards machines: all links and joints go up together, also with Unit Scale 0.01, and joints keep their links."""
    scene.unit_settings.scale_length = 0.01
    bars, joints = build.pendulum(2)
    bpy.data.objects.remove(joints[0])
    for obj in bars:
        obj.location.z = 0.0
    bpy.context.view_layer.update()
    scene.limberjack.ground = True
    sunk = [name for code, name in told(scene) if code == SUNK]
    assert len(sunk) == 1
    places = {obj: obj.matrix_world.translation.copy() for obj in (*bars, joints[1])}
    lift(sunk[0])
    assert not [code for code, _ in told(scene) if code in (SUNK, "link-left")]
    ways = [obj.matrix_world.translation - before for obj, before in places.items()]
    assert all((way - ways[0]).length < 1e-5 for way in ways)
    assert ways[0].z > 0.0


def test_what_is_animated_is_not_lifted(scene, cube):
    """Guards the button where it could not keep what it does: the keys would put the cube back."""
    cube.keyframe_insert("location", frame=1)
    bpy.context.view_layer.update()
    with pytest.raises(RuntimeError, match="'cube' is animated"):
        lift("cube")
    assert cube.location.z == 0.0


def test_what_stands_on_the_ground_gets_no_warning(scene, build):
    """Guards a right scene: a cube on the ground, and a link that is held in the world and reaches through it."""
    build.tag(build.cube("cube", (0.0, 0.0, 1.0)))
    post = build.cube("post", (5.0, 0.0, 0.0))
    build.tag(post)
    link(post).motion = "STATIC"
    scene.limberjack.ground = True
    assert told(scene) == []
