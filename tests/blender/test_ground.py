# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground, as artists reach it: by one switch, with its bounciness beside it, also in the Physics tab."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.addon.panels.main import LIMBERJACK_PT_main
from limberjack.addon.panels.physics import LIMBERJACK_PT_main_physics
from limberjack.core import cli as core_cli
from limberjack.core.formats import read
from limberjack.core.geometry import Plane
from limberjack.core.trajectory.files.reading import read_trajectory

from .paper import Paper
from .test_cli import run


def test_one_click_is_enough(scene, build):
    """Guards a ground through which everything falls, since contact was off: as in scenes from before there was any."""
    build.tag(build.cube())
    scene.limberjack.contact = False
    assert bpy.ops.limberjack.ground() == {"FINISHED"}
    assert scene.limberjack.ground
    assert scene.limberjack.contact
    assert bpy.ops.limberjack.ground() == {"FINISHED"}
    assert not scene.limberjack.ground
    assert scene.limberjack.contact, "other links pass through each other once the ground is switched off"


@pytest.mark.parametrize("unit", [1.0, 0.01])
def test_its_bounciness_is_that_of_the_model(scene, build, unit):
    """The slider says what simulations take: 0 as long as nobody has moved it, whatever the scene's unit of length."""
    scene.unit_settings.scale_length = unit
    build.tag(build.cube())
    bpy.ops.limberjack.ground()
    settings = scene.limberjack
    assert settings.ground_bounce == 0.0
    settings.ground_bounce = 0.625
    assert settings.ground_bounce == 0.625
    shape = next(link for link in read_scene(scene).links if isinstance(link.collisions[0].geometry, Plane)).collisions[
        0
    ]
    assert shape.surface.restitution == 0.625
    assert shape.surface.friction == type(shape.surface)().friction, "the slider has changed the friction"


def test_it_is_saved(scene, build, tmp_path):
    """A number that is only shown would be lost with the window."""
    build.tag(build.cube())
    bpy.ops.limberjack.ground()
    scene.limberjack.ground_bounce = 0.5
    path = str(tmp_path / "bounce.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert bpy.context.scene.limberjack.ground
    assert bpy.context.scene.limberjack.ground_bounce == 0.5


def test_the_physics_tab_tags_what_is_untagged(scene, build):
    """Guards artists who look for physics where Blender has it: the panel offers to tag, then to bake."""
    cube = build.cube()
    bpy.context.view_layer.objects.active = cube
    offered = _drawn().operators
    assert {ids.OP_LINK_TAG, ids.OP_COLLIDER_ADD, ids.OP_GROUND} <= set(offered)
    assert ids.OP_SIMULATE not in offered
    build.tag(cube)
    offered = _drawn().operators
    assert {ids.OP_GROUND, ids.OP_PREVIEW, ids.OP_SIMULATE} <= set(offered)
    assert ids.OP_LINK_TAG not in offered


@pytest.mark.parametrize("panel", [LIMBERJACK_PT_main, LIMBERJACK_PT_main_physics])
def test_the_ground_and_its_bounciness_are_in_both_panels(build, panel):
    """Guards artists who want a bounce: the switch is in the tab and in Physics, with its bounciness."""
    cube = build.cube()
    bpy.context.view_layer.objects.active = cube
    assert ids.OP_GROUND in _drawn(panel).operators
    assert "ground_bounce" not in _drawn(panel).props
    bpy.ops.limberjack.ground()
    assert ids.OP_GROUND in _drawn(panel).operators
    assert "ground_bounce" in _drawn(panel).props


def _drawn(panel=LIMBERJACK_PT_main_physics) -> Paper:
    paper = Paper()
    panel.draw(SimpleNamespace(layout=paper), bpy.context)
    return paper


def test_links_are_posed_above_the_ground(scene, build):
    """Guards sliders, IK drag and stored poses while the ground is on: it has no object, and nothing poses it."""
    _, joints = build.pendulum(1)
    scene.limberjack.ground = scene.limberjack.contact = True
    bpy.context.view_layer.update()
    posing = Posing(scene)
    assert posing.set_coordinate(joints[0].name, 0, 0.4) == pytest.approx(0.4)
    assert bpy.ops.limberjack.pose_add(name="raised") == {"FINISHED"}


@pytest.fixture
def grounded(scene, build, tmp_path):
    """A file with a hinged bar, a free cube above it, and the ground."""
    build.pendulum(1)
    build.tagged_cube("free", (0.0, 5.0, 3.0))
    bpy.ops.limberjack.ground()
    scene.frame_end = 6
    path = tmp_path / "grounded.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    return path


def test_commands_on_a_scene_with_a_ground(grounded, tmp_path, capsys):
    """Guards every command that reads links by their objects: the ground is a link without one."""
    motion, baked = tmp_path / "motion.npz", tmp_path / "baked.blend"
    for verb in ("check", "info"):
        assert run(verb, grounded) == core_cli.DONE
    assert run("simulate", grounded, "--duration", 0.25, "--fps", 24, "-o", motion) == core_cli.DONE
    assert run("plot", grounded, "-o", tmp_path / "still.svg") == core_cli.DONE
    assert run("plot", grounded, "--trajectory", motion, "-o", tmp_path / "moving.svg") == core_cli.DONE
    assert run("convert", grounded, tmp_path / "grounded.sdf") == core_cli.DONE
    assert "ground" in {link.name for link in read(tmp_path / "grounded.sdf").model.links}
    for onto in ("links", "joints", "both"):
        assert run("bake", grounded, "-o", baked, "--onto", onto) == core_cli.DONE, capsys.readouterr().err
        assert run("record", baked, "-o", tmp_path / f"{onto}.npz") == core_cli.DONE, capsys.readouterr().err
        seen, simulated = read_trajectory(tmp_path / f"{onto}.npz"), read_trajectory(motion)
        assert seen.q_names == simulated.q_names
        assert seen.link("ground") == pytest.approx(np.tile([0.0, 0, 0, 1, 0, 0, 0], (6, 1)), abs=0.0)
        for name in ("bar0", "free"):
            assert seen.link(name) == pytest.approx(simulated.link(name)[:6], abs=1e-5)


def test_a_bake_onto_joints_keys_the_joint_alone(grounded, scene):
    """Guards the links of joints that have keys while the ground, which is fixed to the world too, is on."""
    settings = bpy.context.scene.limberjack.bake
    settings.onto = "JOINTS"
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    keyed = {obj.name for obj in bpy.context.scene.objects if list(fcurves_of(obj))}
    assert keyed == {"bar0_joint", "free"}


def test_the_ground_takes_settings_of_its_surface_only(grounded, tmp_path, capsys):
    """Guards `--set` of the ground: its surface is stored in the scene, and it has no mass that could be."""
    assert run("bake", grounded, "-o", tmp_path / "out.blend", "--set", "ground.restitution=0.5") == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert bpy.context.scene.limberjack.ground_bounce == 0.5
    for setting in ("mass=2", "material=steel", "collisions=pieces", "nonsense=1"):
        assert run("check", grounded, "--set", f"ground.{setting}") == 2
        refused = f"scene's ground, which has no property '{setting.split('=')[0]}'; it has: friction, "
        assert refused in capsys.readouterr().err
