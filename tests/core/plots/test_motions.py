# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs of a motion in one call, against its arrays."""

import matplotlib
import numpy as np
import pytest

import limberjack as lj


@pytest.fixture(scope="module")
def model():
    hinge = lj.Joint("hinge", "revolute", "world", "arm", axes=[lj.Axis((0.0, 1.0, 0.0), lower=-1.0, upper=0.5)])
    slide = lj.Joint("slide", "prismatic", "arm", "tool")
    model = lj.Model("arm", [lj.Link("arm"), lj.Link("tool")])
    model.joints = [hinge, slide]
    return model


@pytest.fixture(scope="module")
def motion(model):
    times = np.linspace(0.0, 1.0, 11)
    return lj.Trajectory.of(model, times, {"hinge": 0.5 * times, "slide": 0.2 * times})


def titles(figure):
    return [axes.get_title(loc="left") for axes in figure.axes]


def test_a_plan_is_drawn_as_a_simulation_is(model, motion, tmp_path):
    """Guards the panels, their units and curves, and the file; no window is opened and no setting changes."""
    before = dict(matplotlib.rcParams)
    figure = lj.plot(model, motion, path=tmp_path / "plan.svg")
    assert titles(figure) == [
        "Joint values [°]",
        "Joint values [m]",
        "Joint velocities [°/s]",
        "Joint velocities [m/s]",
        "Energy [J]",
    ]
    curves = [line.get_ydata() for line in figure.axes[0].get_lines()]
    assert any(np.array_equal(curve, np.degrees(motion.q[:, 0])) for curve in curves)
    assert (tmp_path / "plan.svg").read_bytes().startswith(b"<?xml")
    assert dict(matplotlib.rcParams) == before


def test_quantities_and_joints_are_chosen(model, motion):
    """Guards the choice, by one name or several, of a model that is compiled."""
    compiled = lj.compile_model(model)
    assert titles(lj.plot(compiled, motion, "values", "slide")) == ["Joint values [m]"]
    assert titles(lj.plot(compiled, motion, ["velocities", "values"], ["hinge"])) == [
        "Joint values [°]",
        "Joint velocities [°/s]",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"quantities": "speed"}, "no graph of 'speed'; there are: values, velocities"),
        ({"quantities": "efforts"}, "the motion has nothing of efforts that is not 0"),
        ({"joints": "knee"}, "no joint 'knee' moves; there are: hinge, slide"),
        ({"path": "plan.pdf"}, r"saved as \.png or \.svg, not '\.pdf'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(model, motion, arguments, message):
    """Guards the messages."""
    with pytest.raises(ValueError, match=message):
        lj.plot(model, motion, **arguments)
