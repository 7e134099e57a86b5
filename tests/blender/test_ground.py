# SPDX-License-Identifier: GPL-3.0-or-later
"""The ground, as artists reach it: by one switch, with its bounciness beside it, also in the Physics tab."""

from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.panels.main import LIMBERJACK_PT_main
from limberjack.addon.panels.physics import LIMBERJACK_PT_main_physics
from limberjack.core.geometry import Plane

from .paper import Paper


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
