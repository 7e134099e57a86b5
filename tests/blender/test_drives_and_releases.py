# SPDX-License-Identifier: GPL-3.0-or-later
"""Drives, joints that are switched off and joints that let go: kept in a scene, shown, simulated and baked."""

import math

import bpy
import pytest

from limberjack.addon import cli
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.scene.write import store_joint, write_scene
from limberjack.core import cli as core_cli
from limberjack.core.model import Axis, Joint, Link, Mimic, Model
from limberjack.core.model.drives import DRIVES
from support.models import dump

from .conftest import joint, link
from .paper import draw

G = 9.81
NUMBERS = {"drive_stiffness": 250.0, "drive_damping": 12.5, "drive_target": 0.75, "effort": 40.0}


def held(build, kind="prismatic", **settings):
    """A cube of 2 kg that a joint about or along z holds in the world, and the joint."""
    cube = build.cube(size=2.0)
    build.tag(cube)
    link(cube).mass_source, link(cube).mass, link(cube).inertia = "CUSTOM", 2.0, (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    empty = build.join(cube, type=kind)
    for name, value in settings.items():
        setattr(joint(empty).axes[0], name, value)
    return cube, empty


def heights(cube, scene):
    """Where the cube is at each frame [Blender units]."""
    found = {}
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        found[frame] = cube.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.z
    return found


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
@pytest.mark.parametrize("mode", DRIVES)
@pytest.mark.parametrize("kind", ["revolute", "prismatic", "ball"])
def test_a_drive_goes_through_a_scene(scene, kind, mode, scale_length):
    """Guards the unit of each mode's target: lengths and their speeds are in the scene's unit, forces never are."""
    scene.unit_settings.scale_length = scale_length
    numbers = {name: value for name, value in NUMBERS.items() if kind != "ball" or name != "effort"}
    expected = Joint("j", kind, "world", "body", axes=[Axis(drive_mode=mode, **numbers)])
    objects, notes = write_scene(Model("m", [Link("body")], [expected]), scene)
    assert notes == []
    stored = joint(objects["j"]).axes[0]
    is_length = kind == "prismatic" and mode != "force"
    assert stored.drive_mode == mode
    assert stored.drive_target == pytest.approx(0.75 / (scale_length if is_length else 1.0))
    assert stored.drive_stiffness == 250.0
    assert read_scene(scene).joint("j").axes == expected.axes


@pytest.mark.parametrize("rate", [(24, 1.0), (30, 1.001)])
def test_what_is_off_and_when_it_lets_go_goes_through_a_scene(scene, rate):
    """Guards both fields and the frames that a user reads: time 0 is the scene's first frame."""
    scene.render.fps, scene.render.fps_base = rate
    scene.frame_start = 11
    joints = [Joint(name + name, "revolute", "world", name) for name in "abc"]
    model = Model("m", [Link(name) for name in "abc"], joints)
    model.joint("bb").enabled = False
    model.joint("cc").released_at = 24 / rate[0] * rate[1]
    objects, notes = write_scene(model, scene)
    assert notes == []
    assert [joint(objects[name]).enabled for name in ("aa", "bb", "cc")] == [True, False, True]
    assert [joint(objects[name]).use_released_at for name in ("aa", "bb", "cc")] == [False, False, True]
    assert joint(objects["cc"]).released_at == 35.0
    found = read_scene(scene)
    assert {item.name: item.enabled for item in found.joints} == {"aa": True, "bb": False, "cc": True}
    frame_rate = rate[0] / scene.render.fps_base
    released = {item.name: item.released_at for item in found.joints}
    assert released == {"aa": math.inf, "bb": math.inf, "cc": 24 / frame_rate}
    scene.frame_start = 12
    assert read_scene(scene).joint("cc").released_at == 23 / frame_rate


def test_a_release_at_no_time_is_told(scene):
    """Guards what a frame cannot say: a joint that never held comes back as one that holds, and a note says so."""
    model = Model("m", [Link("a")], [Joint("j", "revolute", "world", "a", released_at=-math.inf)])
    _, notes = write_scene(model, scene)
    assert notes == ["joint 'j': its released at -inf cannot be kept: it is inf here"]


def drive_shown(empty):
    return {name for name in draw(empty).props if name.startswith("drive") or "effort" in name}


def test_panel_of_a_drive(build):
    """Guards the panel: what matters in a mode and nothing else, the target in the unit that it has there."""
    _, empty = held(build)
    axis = joint(empty).axes[0]
    assert drive_shown(empty) == {"drive_mode"}
    limit = {"use_effort", "effort"}
    for mode, more in (
        ("position", {"drive_target_length", "drive_stiffness", "drive_damping"}),
        ("velocity", {"drive_target_sliding", "drive_damping"}),
        ("force", {"drive_target"}),
    ):
        axis.drive_mode = mode
        assert drive_shown(empty) == {"drive_mode", "drive_strength"} | limit | more
    joint(empty).type = "continuous"
    axis.drive_mode = "position"
    assert "drive_target_angle" in drive_shown(empty)
    axis.drive_mode = "velocity"
    assert "drive_target_turning" in drive_shown(empty)
    joint(empty).type = "ball"
    for axis in joint(empty).axes:
        axis.show_drive = True
    assert drive_shown(empty) == {"drive_mode", "drive_strength", "drive_target_turning", "drive_damping"}
    joint(empty).type = "distance"
    assert drive_shown(empty) == set()


def test_faces_of_a_target(build):
    """Guards what a user types: every face writes the one number, and shows it."""
    axis = joint(held(build)[1]).axes[0]
    for face in ("angle", "length", "turning", "sliding"):
        setattr(axis, f"drive_target_{face}", 0.25)
        assert axis.drive_target == 0.25
        axis.drive_target = 0.5
        assert getattr(axis, f"drive_target_{face}") == 0.5


def test_panel_of_stops(build):
    """Guards against numbers without effect: stops show where a limit is on, and those of a soft or of a rigid one.

    A soft stop as stiff as by default is rigid.
    """
    _, empty = held(build)
    axis = joint(empty).axes[0]
    stops = {"use_stiffness", "stiffness", "dissipation", "restitution"}
    assert not stops & set(draw(empty).props)
    axis.use_upper = True
    assert stops & set(draw(empty).props) == {"use_stiffness", "stiffness", "restitution"}
    axis.stiffness = 1e5
    assert stops & set(draw(empty).props) == {"use_stiffness", "stiffness", "dissipation"}
    axis.use_stiffness = False
    assert stops & set(draw(empty).props) == {"use_stiffness", "stiffness", "restitution"}


def test_panel_of_a_joint(build):
    """Guards that a joint can be switched off, and let go, in the panel."""
    _, empty = held(build)
    assert {"enabled", "use_released_at", "released_at"} <= set(draw(empty).props)


@pytest.mark.parametrize("scale_length", [1.0, 0.1])
def test_a_position_drive_reaches_its_target(scene, build, scale_length):
    """Guards the way from the panel to the keys: against gravity, m g / k below where the drive pulls to.

    Critically damped at 20 rad/s, 3 s leave exp(-60).
    """
    scene.unit_settings.scale_length = scale_length
    scene.gravity = (0.0, 0.0, -G / scale_length)
    scene.frame_end = 73
    stiffness, damping = 2.0 * 20.0**2, 2.0 * 2.0 * 20.0
    drive = {"drive_mode": "position", "drive_stiffness": stiffness, "drive_damping": damping}
    cube, _ = held(build, **drive, drive_target_length=0.5 / scale_length)
    assert SimulationBake(scene).run().notes == []
    found = heights(cube, scene)
    assert found[1] == 0.0
    assert found[73] == pytest.approx((0.5 - 2.0 * G / stiffness) / scale_length, rel=1e-5)


@pytest.mark.parametrize("scale_length", [1.0, 0.1])
def test_force_and_speed_drives_bake(scene, build, scale_length):
    """Guards the units of the other modes: a parabola F t^2 / 2 m, and an even speed with limits to the force."""
    scene.unit_settings.scale_length = scale_length
    scene.use_gravity = False
    scene.frame_end = 25
    cube, empty = held(build, drive_mode="force", drive_target=6.0)
    SimulationBake(scene).run()
    assert heights(cube, scene)[25] == pytest.approx(1.5 / scale_length, rel=1e-5)
    axis = joint(empty).axes[0]
    axis.drive_mode, axis.drive_damping, axis.drive_target_sliding = "velocity", 1e6, 3.0 / scale_length
    axis.use_effort, axis.effort = True, 12.0  # 6 m/s^2: the speed is reached after 0.5 s and 0.75 m
    SimulationBake(scene).run()
    assert heights(cube, scene)[25] == pytest.approx((0.75 + 1.5) / scale_length, rel=1e-4)


@pytest.mark.parametrize("kind", ["fixed", "revolute"])
@pytest.mark.parametrize(("start", "first"), [(1, None), (5, None), (1, 4)])
def test_a_joint_lets_go_at_its_frame(scene, build, kind, start, first):
    """Guards the frame: up to it the link hangs still, from it on it falls freely, wherever the bake begins."""
    scene.frame_start, scene.frame_end = start, 24
    cube, empty = held(build, kind)
    settings = joint(empty)
    settings.use_released_at, settings.released_at = True, 12.0
    result = SimulationBake(scene, first=first).run()
    assert not [note for note in result.notes if "hold" in note]
    for frame, z in heights(cube, scene).items():
        time = max(0.0, (frame - 12) / 24.0)
        assert z == pytest.approx(-0.5 * G * time**2, abs=2e-5), frame


def test_let_go_in_a_swing(scene, build):
    """Guards that the link moves on as it moves: thrown by a turning arm, it leaves straight, and spins on."""
    scene.use_gravity = False
    cube = build.cube(size=1.0, location=(2.0, 0.0, 0.0))
    build.tag(cube)
    empty = build.join(cube, type="continuous", origin="CURSOR")
    joint(empty).use_released_at, joint(empty).released_at = True, 13.0
    SimulationBake(scene, initial={"qd": {empty.name: 2.0}}).run()
    turned, time = 2.0 * 12 / 24.0, 11 / 24.0
    scene.frame_set(13)
    assert cube.matrix_world.translation.xy[:] == pytest.approx((2 * math.cos(turned), 2 * math.sin(turned)), abs=1e-5)
    scene.frame_set(24)
    leaves = (-4.0 * math.sin(turned), 4.0 * math.cos(turned))
    expected = (2 * math.cos(turned) + leaves[0] * time, 2 * math.sin(turned) + leaves[1] * time)
    assert cube.matrix_world.translation.xy[:] == pytest.approx(expected, abs=1e-5)
    assert cube.matrix_world.to_euler().z == pytest.approx(turned + 2.0 * time, abs=1e-5)


def test_a_joint_that_is_off(scene, build):
    """Guards "as if it were not there": the link starts where its object is, not where the joint would have it."""
    cube, empty = held(build, "fixed")
    cube.location.z = 1.5
    bpy.context.view_layer.update()
    assert read_scene(scene).link("Cube").pose[2] == 0.0
    joint(empty).enabled = False
    assert read_scene(scene).link("Cube").pose[2] == 1.5
    result = SimulationBake(scene).run()
    assert any(note.startswith("link 'Cube': nothing holds it, so it falls; ") for note in result.notes)
    found = heights(cube, scene)
    assert found[1] == 1.5
    assert found[24] == pytest.approx(1.5 - 0.5 * G * (23 / 24.0) ** 2, abs=2e-5)
    baked = dump(read_scene(scene))
    scene.frame_set(7)
    assert dump(read_scene(scene)) == baked


def test_off_in_a_chain(scene, build):
    """Guards what hangs on a link that nothing holds: it follows that link's object, and parents still come first."""
    bars, empties = build.pendulum(3)
    joint(empties[1]).enabled = False
    bars[1].location.z += 1.0
    bpy.context.view_layer.update()
    found = read_scene(scene)
    assert [found.link(f"bar{i}").pose[2] for i in range(3)] == [2.0, 3.0, 3.0]
    assert [item.name for item in found.links] == ["bar0", "bar1", "bar2"]


def test_follower_of_a_joint_that_is_off(scene, build):
    """Guards that a bake says why nothing is followed."""
    still = [Link("a"), Link("b")]
    joints = [Joint("lead", "revolute", "world", "a", enabled=False)]
    joints.append(Joint("follow", "revolute", "world", "b", mimic=Mimic("lead")))
    write_scene(Model("m", still, joints), scene)
    assert "joint 'follow': mimics 'lead', which is switched off" in "\n".join(SimulationBake(scene).run().notes)


def test_a_drive_that_does_nothing_is_told(scene, build):
    """Guards a user's first try: a drive is chosen, and its stiffness is still zero. It is told once."""
    held(build, drive_mode="position", drive_target_length=1.0)
    result = SimulationBake(scene).run()
    assert sum("stiffness or damping" in told for told in (*result.notes, *result.diagnoses)) == 1


def test_store_joint_keeps_the_frame(scene, build):
    """Guards bakes that begin elsewhere: seconds are counted from the same frame on the way in and out."""
    _, empty = held(build)
    joint(empty).use_released_at, joint(empty).released_at = True, 30.0
    model = SimulationBake(scene, first=10).model
    assert model.joints[0].released_at == 20 / 24
    assert store_joint(model.joints[0], empty, scene, first=10) == []
    assert joint(empty).released_at == 30.0


def test_let_go_on_the_command_line(scene, build, tmp_path):
    """Guards --frames: the joint lets go at the frame that the file names, with and without settings made."""
    _, empty = held(build, "prismatic")
    joint(empty).axes[0].locked = True
    joint(empty).use_released_at, joint(empty).released_at = True, 12.0
    source = tmp_path / "in.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    for settings in ([], ["--set", f"{empty.name}.damping=2"]):
        out = tmp_path / f"out{len(settings)}.blend"
        argv = ["bake", source, "-o", out, "--frames", 6, 24, *settings]
        assert cli.main([str(word) for word in argv]) == core_cli.DONE
        bpy.ops.wm.open_mainfile(filepath=str(out))
        assert bpy.data.objects["Cube_joint"].limberjack_joint.released_at == 12.0
        found = heights(bpy.data.objects["Cube"], bpy.context.scene)
        assert found[12] == pytest.approx(0.0, abs=1e-6)
        assert found[24] == pytest.approx(-0.5 * G * 0.25, abs=2e-5)
