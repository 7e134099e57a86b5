# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that are too small for how far from the world's origin they are."""

import pytest

from limberjack.addon.bridge.links.precision import coarse_places
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.cli.blend import load_open_scene

from .conftest import link


def told(scene, unit=1.0):
    return list(coarse_places(scan_scene(scene, with_shapes=True), unit))


@pytest.fixture
def cube(scene, build):
    """A cube of 0.5 m that touches, 600 km from the origin, as scenes with map coordinates have it."""
    cube = build.tagged_cube("cube", (600e3, 0.0, 5.0))
    link(cube).collides = True
    return cube


def test_what_is_far_and_small_is_told(scene, cube):
    """Guards Blender's single precision: from 2^19 m to 2^20 m, its numbers are 1/16 m apart, an eighth of the cube."""
    ((name, message),) = told(scene)
    assert name == "cube"
    assert "is 0.5 m large" in message
    assert "steps of 0.0625 m" in message
    forget_rigs()
    (problem,) = [item for item in show_rig(scene).problems if item.code == "coarse-place"]
    assert (problem.severity, problem.message) == ("warning", message)
    (issue,) = [item for item in load_open_scene().issues if item.code == "coarse-place"]
    assert issue.name == "cube"
    assert issue.message == problem.text


@pytest.mark.parametrize(("x", "is_told"), [(0.0, False), (60e3, False), (70e3, True), (-70e3, True)])
def test_from_where_on_it_is_told(scene, cube, x, is_told):
    """Guards the bound, 1 % of 0.5 m: steps are 1/256 m below 2^16 m, and 1/128 m above."""
    cube.location.x = x
    assert bool(told(scene)) == is_told


def test_the_unit_scale(scene, cube):
    """Guards lengths in metres: steps grow with the unit, as the cube does, so both figures in the sentence do."""
    scene.unit_settings.scale_length = 0.001
    ((_, message),) = told(scene, 0.001)
    assert "is 0.0005 m large" in message
    assert "steps of 6.25e-05 m" in message


def test_what_touches_nothing_may_be_anywhere(scene, build):
    """Guards scenes without contact, whose links nobody sees to be a little off."""
    far = build.tagged_cube("far", (600e3, 0.0, 5.0))
    link(far).collides = False
    assert told(scene) == []
