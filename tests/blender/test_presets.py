# SPDX-License-Identifier: GPL-3.0-or-later
"""Joint presets on joints of a scene."""

import math

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.check import check_model
from limberjack.core.model.presets import PRESETS

from .conftest import joint
from .paper import Paper


def preset(build, name, *joints):
    build.select(*joints)
    return bpy.ops.limberjack.joint_preset(preset=name)


@pytest.mark.parametrize("name", PRESETS)
def test_each_is_sound(scene, build, name):
    """Put on two joints at once, every preset leaves a scene without findings, which bakes, with all links in place."""
    bars, joints = build.pendulum()
    before = read_scene(scene)
    preset(build, name, *joints)
    model = read_scene(scene)
    assert check_model(model) == []
    for bar in bars:
        assert model.link(bar.name).pose == pytest.approx(before.link(bar.name).pose)
    for found in model.joints:
        assert (found.X_PJ, found.X_CJ) == (before.joint(found.name).X_PJ, before.joint(found.name).X_CJ)
        assert found.type == PRESETS[name].type
    scene.frame_end = 6
    SimulationBake(scene).run()


def test_direction_stays(scene, build):
    """The hinge keeps the direction that it had, to the digit, and the caster rolls across it."""
    _, joints = build.pendulum(1)
    joint(joints[0]).axes[0].xyz = (1.0, 1.0, 0.0)
    preset(build, "caster", *joints)
    axes = joint(joints[0]).axes
    assert tuple(axes[0].xyz) == (1.0, 1.0, 0.0)
    assert sum(a * b for a, b in zip(axes[0].xyz, axes[1].xyz, strict=True)) == pytest.approx(0.0, abs=1e-6)


def test_settings_of_before_do_not_linger(scene, build):
    """Limits, springs, drives and the start of the type before are gone."""
    _, (empty,) = build.pendulum(1)
    axis = joint(empty).axes[0]
    axis.use_upper, axis.upper, axis.spring_stiffness, axis.drive_mode = True, 0.1, 99.0, "force"
    joint(empty).use_home, joint(empty).coordinates[0].home = True, 0.05
    preset(build, "door_hinge", empty)
    found = read_scene(scene).joints[0]
    assert (found.axes[0].spring_stiffness, found.axes[0].drive_mode, found.home) == (0.0, "off", (0.0,))
    assert found.axes[0].upper == pytest.approx(math.radians(110.0))


def test_drawer_in_centimetres(scene, build):
    """0.4 m are 40 units where a unit is a centimetre."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube()
    build.tag(cube)
    preset(build, "drawer", build.join(cube))
    assert joint(bpy.context.object).axes[0].upper == pytest.approx(40.0)
    assert read_scene(scene).joints[0].axes[0].upper == pytest.approx(0.4)


def test_all_or_nothing(scene, build):
    """With a faulty joint among the selected, none is changed, and the message names it."""
    _, joints = build.pendulum(2)
    joint(joints[1]).child = None
    with pytest.raises(RuntimeError, match="'bar1_joint' has no child"):
        preset(build, "elbow", *joints)
    assert not joint(joints[0]).axes[0].use_upper


def test_menu(build):
    """The menu offers every preset by an operator that there is, with a tooltip that tells its numbers."""
    drawn = []

    class Layout(Paper):
        def operator(self, name, text=""):
            drawn.append(text)
            return super().operator(name)

    menu = getattr(bpy.types, ids.MT_JOINT_PRESETS)
    fake = type("Fake", (), {"layout": Layout()})()
    menu.draw(fake, bpy.context)
    assert drawn == [entry.label for entry in PRESETS.values()]
