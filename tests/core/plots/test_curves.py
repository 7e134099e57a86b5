# SPDX-License-Identifier: GPL-3.0-or-later
"""What graphs show: which curves, in which units, limited by what, and when they are at a limit."""

import math

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from limberjack.core.model import WORLD, Axis, Joint, Link, Model
from limberjack.core.plots import Curve, Panel, PlotError, panels_of
from limberjack.core.plots.turning import rotation_vectors
from limberjack.core.simulation import Simulation
from support.mechanisms import four_bar

TIMES = np.linspace(0.0, 2.0, 49)


def lifted() -> Model:
    """A hoist that a motor, too weak at first, lifts to its stop, beside an arm that hangs and a stone that falls."""
    hoist = Axis(upper=0.5, stiffness=math.inf, velocity=0.8, effort=25.0, drive_mode="position", drive_target=9.0)
    hoist.drive_stiffness, hoist.drive_damping = 100.0, 20.0
    arm = Axis(xyz=(0.0, 1.0, 0.0), lower=-1.0, upper=math.pi / 2, stiffness=math.inf)
    return Model(
        links=[Link("cage", 2.0), Link("arm", 1.0, (0.5, 0.0, 0.0)), Link("stone")],
        joints=[
            Joint("hoist", "prismatic", WORLD, "cage", axes=[hoist]),
            Joint("swing", "revolute", WORLD, "arm", axes=[arm]),
        ],
    )


@pytest.fixture(scope="module")
def motion():
    return Simulation(lifted(), TIMES, "exact", record=["efforts"]).run()


def curve(panels, heading, name):
    panel = next(panel for panel in panels if panel.heading == heading)
    return panel, next(found for found in panel.curves if found.name == name)


def test_angles_are_in_degrees_and_slides_in_metres(motion):
    """Guards units: a panel for each, numbers and limits converted alike, and none for what there is not."""
    panels = panels_of(lifted(), motion)
    assert [panel.heading for panel in panels] == [
        "Joint values [m]",
        "Joint values [°]",
        "Joint velocities [m/s]",
        "Joint velocities [°/s]",
        "Efforts [N]",
        "Energy [J]",
    ]
    _, swing = curve(panels, "Joint values [°]", "swing")
    assert swing.numbers == pytest.approx(np.degrees(motion.q[:, motion.q_names.index(("swing", "rad"))]))
    assert swing.limits == pytest.approx((math.degrees(-1.0), 90.0))
    _, hoist = curve(panels, "Joint velocities [m/s]", "hoist")
    assert hoist.limits == (-0.8, 0.8)
    assert [found.name for found in panels[4].curves] == ["hoist"]


def test_spans_are_when_limits_are_reached(motion):
    """Guards the marks: saturated until the speed is reached, at the speed until the stop, then at the stop, where the
    drive is saturated again. By hand: a = 25 / 2 - 9.81, up to 0.8 m/s, and 0.5 m at last."""
    panels = panels_of(lifted(), motion)
    quick = 0.8 / (25.0 / 2.0 - 9.81)
    there = quick + (0.5 - 0.4 * quick) / 0.8
    half = TIMES[1] / 2.0 + 1e-9
    panel, speed = curve(panels, "Joint velocities [m/s]", "hoist")
    assert panel.spans(speed) == [pytest.approx((quick, there), abs=2.0 * half)]
    panel, place = curve(panels, "Joint values [m]", "hoist")
    assert panel.spans(place) == [pytest.approx((there, 2.0), abs=2.0 * half)]
    panel, effort = curve(panels, "Efforts [N]", "hoist")
    assert panel.spans(effort) == [(0.0, 2.0)]
    assert effort.limits == (-25.0, 25.0)


def test_energy_is_balanced(motion):
    """Guards the balance: what comes in and goes out is counted, so that it stays as it was."""
    _, balance = curve(panels_of(lifted(), motion, ["energy"]), "Energy [J]", "balance")
    assert balance.numbers == pytest.approx(np.full(49, balance.numbers[0]), abs=1e-4)


def test_joints_are_chosen_by_name(motion):
    """Guards selection: joints, links that float, and a name that is neither, with those there are."""
    panels = panels_of(lifted(), motion, ["values"], ["swing", "stone"])
    names = [found.name for panel in panels for found in panel.curves]
    assert names == ["swing", "stone.rx", "stone.ry", "stone.rz", "stone.x", "stone.y", "stone.z"]
    assert {found.owner for panel in panels for found in panel.curves} == {"swing", "stone"}
    with pytest.raises(PlotError, match="no joint 'knee' moves; there are: hoist, stone, swing"):
        panels_of(lifted(), motion, joints=["knee"])


def test_the_gap_of_a_loop_has_a_panel_and_a_tree_has_none(motion):
    """Guards the loop error: it is there for loops, numbers as recorded."""
    model = four_bar()
    model.gravity = (0.0, -9.81, 0.0)
    closed = Simulation(model, TIMES).run()
    (panel,) = panels_of(model, closed, ["loop-error"])
    assert panel.curves[0].numbers is closed.loop_error
    assert panels_of(lifted(), motion, ["loop-error"]) == []


def test_what_does_not_act_is_a_gap():
    """Guards joints that let go: from then on their curve is no number, and at no limit."""
    model = lifted()
    model.joint("hoist").released_at = 1.0
    found = Simulation(model, TIMES).run()
    panel, hoist = curve(panels_of(model, found), "Joint values [m]", "hoist")
    assert np.isnan(hoist.numbers[TIMES >= 1.0]).all()
    assert panel.spans(hoist)[-1][1] < 1.05
    assert np.isfinite(panel.window).all()


def test_far_limits_do_not_press_curves_flat():
    """Guards the window: it holds the curves, and a limit no farther off than these reach."""
    numbers = np.array([0.0, 1.0, np.nan])
    near, far = (Panel("values", "m", np.arange(3.0), (Curve("a", "a", numbers, -9.0, up),)) for up in (1.5, 9.0))
    low, high = near.window
    assert -0.5 < low < 0.0
    assert 1.5 < high < 2.0
    assert far.window[1] < 1.5


@pytest.mark.parametrize("rate", [(9.0, 0.0, 0.0), (2.0, -5.0, 7.0)])
def test_rotation_vectors_count_turns(rate):
    """Guards orientations: about one axis the vector grows evenly through whole turns, whatever the signs."""
    vectors = TIMES[:, None] * np.array(rate)
    quaternions = np.roll(Rotation.from_rotvec(vectors).as_quat(), 1, axis=1)
    quaternions[::3] *= -1.0
    assert np.abs(vectors).max() > 2.0 * math.tau
    assert rotation_vectors(quaternions) == pytest.approx(vectors, abs=1e-9)
    quaternions[20] = np.nan
    assert np.isnan(rotation_vectors(quaternions)[20]).all()
    after = Rotation.from_rotvec(rotation_vectors(quaternions)[21:])
    assert (after.inv() * Rotation.from_rotvec(vectors[21:])).magnitude().max() < 1e-9
