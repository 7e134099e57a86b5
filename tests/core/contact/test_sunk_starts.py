# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that start deep in the ground or in a sheet of triangles, and what hangs over a ridge of a sheet."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose

from limberjack.core.geometry import Box, Mesh, Plane, Shape
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.simulation import Simulation
from support.touching import LEVEL, G, solid, turned

SIDE, MASS = 2.0, 1000.0
"""Size and mass of Blender's default cube [m, kg]."""

CORNERS = np.array([(-5.0, -5.0, 0.0), (5.0, -5.0, 0.0), (5.0, 5.0, 0.0), (-5.0, 5.0, 0.0)])
SEAMS = {
    "plane": Plane(),
    "one diagonal": Mesh(vertices=CORNERS, faces=((0, 1, 2), (0, 2, 3))),
    "other diagonal": Mesh(vertices=CORNERS, faces=((0, 1, 3), (1, 2, 3))),
}
"""A ground, and a square sheet whose two triangles meet below the cube."""

YAWS = [0.0, 0.1, 0.3, math.pi / 8.0, 0.6, math.pi / 4.0, 1.2, 1.5, 2.0, 2.9]

FLUSH = {"draft": 3e-3, "good": 5e-5}
"""Metres by which the cube may stand too low: 100 times what its weight presses it in within a step of the accuracy."""


def standing_in(ground, yaw: float, height: float = 0.0, surface: Surface | None = None) -> Model:
    """The default cube with its middle at a height over a floor that stands still [m]."""
    surface = surface or Surface()
    cube = solid("cube", Box((SIDE,) * 3), MASS, surface)
    floor = Link("floor", collisions=[Shape("floor", ground, surface=surface)])
    held = Joint("held", "fixed", WORLD, "floor")
    free = Joint("free", "free", WORLD, "cube", X_PJ=(0.0, 0.0, height, *turned("z", yaw)))
    model = Model("scene", [floor, cube], [held, free])
    model.gravity = LEVEL
    return model


def simulated(model: Model, times, accuracy="good", **initial) -> Simulation:
    simulation = Simulation(model, times, accuracy, **initial)
    simulation.run()
    return simulation


@pytest.mark.parametrize("seam", SEAMS)
@pytest.mark.parametrize("yaw", YAWS)
def test_a_half_sunk_cube_is_pushed_out(seam, yaw):
    """Guards the default cube on a plane through its middle: it rises without turning, never goes below, and stands.

    The work that this takes is m g h, and it counts as supplied.
    """
    found = simulated(standing_in(SEAMS[seam], yaw), np.linspace(0.0, 5.0, 121)).trajectory
    place = found.X_WL[:, 1]
    assert place[:, 2].min() > -1e-6
    assert_allclose(place[-1, 2], 0.5 * SIDE, atol=FLUSH["good"])
    assert_allclose(place[:, :2], 0.0, atol=1e-6)
    assert np.abs(place[:, 3:] @ turned("z", yaw)).min() > 1.0 - 1e-9
    assert_allclose(found.potential[-1] - found.potential[0], MASS * G * place[-1, 2], rtol=1e-6)
    balance = found.kinetic + found.potential + found.dissipated - found.supplied
    assert_allclose(balance, balance[0], atol=2e-3 * MASS * G)
    assert found.kinetic[-1] < 1e-6


def test_it_rises_no_faster_than_thirty_steps_of_free_fall():
    """Guards against an explosion: overlaps part gently, whatever their depth."""
    found = simulated(standing_in(SEAMS["one diagonal"], 0.3), np.linspace(0.0, 1.0, 25)).trajectory
    speeds = np.diff(found.X_WL[:, 1, 2]) * 24.0
    assert_allclose(speeds, 30.0 * G * 1e-3, rtol=1e-2)


def test_draft_pushes_out_too():
    """Guards the accuracy of playing at ease: steps eight times as long end on the ground as well."""
    for ground in SEAMS.values():
        found = simulated(standing_in(ground, 0.3), np.linspace(0.0, 3.0, 73), "draft").trajectory
        assert found.X_WL[:, 1, 2].min() > -1e-6
        assert_allclose(found.X_WL[-1, 1, 2], 0.5 * SIDE, atol=FLUSH["draft"])


@pytest.mark.parametrize("height", [0.3, -0.3])
def test_a_sheet_pushes_to_the_side_of_the_middle(height):
    """Guards which side is out: a cube whose middle is below a sheet falls away from it as from a ceiling."""
    found = simulated(standing_in(SEAMS["one diagonal"], 0.3, height), np.linspace(0.0, 4.0, 97)).trajectory
    end = found.X_WL[-1, 1, 2]
    if height > 0.0:
        assert_allclose(end, 0.5 * SIDE, atol=FLUSH["good"])
    else:
        assert end < -0.5 * G * 3.0**2


@pytest.mark.parametrize("seam", ["one diagonal", "other diagonal"])
def test_a_middle_that_rounding_puts_below_a_sheet(seam):
    """Guards places in single precision: a cube whose middle is 0.1 micrometres below the sheet is pushed up."""
    found = simulated(standing_in(SEAMS[seam], 0.3, -1e-7), np.linspace(0.0, 0.25, 7)).trajectory
    assert (np.diff(found.X_WL[:, 1, 2]) > 0.01).all()


def test_a_cube_sunk_by_rounding_is_left_as_it_is():
    """Guards the motion of scenes that stand on the ground: a millimetre of overlap is kept, as before."""
    found = simulated(standing_in(Plane(), 0.3, 0.5 * SIDE - 1e-3), np.linspace(0.0, 0.5, 13)).trajectory
    assert_allclose(found.X_WL[:, 1, 2], 0.5 * SIDE - 1e-3, atol=1e-7)


def test_what_a_joint_holds_is_not_pushed():
    """Guards machines with a mount: a wheel on an axle in the world, half in the ground, turns as before."""
    model = standing_in(Plane(), 0.0, surface=Surface(friction=0.0))
    model.joints[1] = Joint("axle", "revolute", WORLD, "cube")
    model.joints[1].axes[0].xyz = (0.0, 0.0, 1.0)
    found = simulated(model, np.linspace(0.0, 1.0, 25), initial={"qd": {"axle": 1.0}}).trajectory
    assert_allclose(found.q[:, 0], found.times, atol=1e-6)
    assert found.supplied[-1] == 0.0


def test_the_motion_goes_on_from_a_state_on_the_way_out():
    """Guards saved states: a cube that is being pushed out is pushed out further by another simulation."""
    model = standing_in(SEAMS["one diagonal"], 0.3)
    times = np.linspace(0.0, 4.0, 97)
    whole = simulated(model, times)
    half = simulated(model, times[:13])
    rest = simulated(model, times[12:], initial=half.state)
    assert_allclose(rest.trajectory.X_WL, whole.trajectory.X_WL[12:], atol=0.0)


def roof(angle: float) -> Mesh:
    """A sheet that is level up to x = 0 and falls by an angle [rad] beyond."""
    x, z = 3.0 * math.cos(angle), -3.0 * math.sin(angle)
    rows = [(-3.0, 0.0), (0.0, 0.0), (x, z)]
    vertices = np.array([(x, y, z) for x, z in rows for y in (-2.0, 2.0)])
    return Mesh(vertices=vertices, faces=((0, 2, 3, 1), (2, 4, 5, 3)))


@pytest.mark.parametrize("degrees", [10, 20, 30, 45, 60, 90])
@pytest.mark.parametrize("is_mirrored", [False, True], ids=["normals up", "normals down"])
def test_a_box_slides_over_the_ridge_of_a_sheet(degrees, is_mirrored):
    """Guards ridges of open meshes: a face that turns its back on a box beyond the ridge does not push it back.

    Without friction the box keeps its speed and its height until its middle is over the ridge.
    """
    sheet = roof(math.radians(degrees))
    if is_mirrored:
        sheet = Mesh(vertices=sheet.vertices, faces=tuple(face[::-1] for face in sheet.faces))
    surface, speed = Surface(friction=0.0), 0.6
    box = solid("box", Box((0.3, 0.2, 0.1)), 1.0, surface)
    floor = Link("floor", collisions=[Shape("floor", sheet, surface=surface)])
    free = Joint("free", "free", WORLD, "box", X_PJ=(-0.5, 0.0, 0.05, *turned("z", 0.0)))
    model = Model("scene", [floor, box], [Joint("held", "fixed", WORLD, "floor"), free])
    model.gravity = LEVEL
    times = np.linspace(0.0, 0.8, 21)
    found = simulated(model, times, initial={"qd": {"free": [speed, 0.0, 0.0, 0.0, 0.0, 0.0]}})
    assert_allclose(found.trajectory.X_WL[:, 1, 0], speed * times - 0.5, atol=1e-6)
    assert_allclose(found.trajectory.X_WL[:, 1, 2], 0.05, atol=1e-6)
