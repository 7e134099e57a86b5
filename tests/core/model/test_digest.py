# SPDX-License-Identifier: GPL-3.0-or-later
"""Equal models have equal digests, and different ones have different digests."""

import numpy as np
import pytest

from limberjack.core.geometry import Box, Mesh, Shape
from limberjack.core.geometry.contact_properties import Surface
from limberjack.core.model import WORLD, Axis, Coupling, Frame, Joint, Link, Mimic, Model
from limberjack.core.simulation import Simulation


def model_of(number, vector, whole, flag):
    """A model whose numbers were made by functions of a number, a vector, a whole number and a truth value."""
    axis = Axis(vector(0, 0, 1), number(-10), number(10), damping=number(0), locked=flag(0))
    joints = [
        Joint("one", "revolute", WORLD, "a", vector(0, 0, 2, 1, 0, 0, 0), axes=[axis], released_at=number(9)),
        Joint("two", "revolute", WORLD, "b", axes=[axis], enabled=flag(1), home=vector(0)),
        Joint("three", "revolute", "b", "c", mimic=Mimic("two", number(2), number(0), axis=whole(0))),
    ]
    surface = Surface(number(1), static_friction=number(2), velocity=vector(0, 1, 0))
    box = Shape("box", Box(vector(1, 2, 3)), vector(0, 0, 0, 1, 0, 0, 0), surface=surface, layers=whole(3))
    faces = tuple((whole(0), whole(1), whole(2)) for _ in range(2))
    mesh = Shape("mesh", Mesh(scale=vector(1, 1, 2), vertices=np.eye(3), faces=faces))
    links = [Link(name, number(2), vector(0, 0, 0), velocity=vector(0, 0, 0), gravity=flag(1)) for name in "abc"]
    links[0].collisions += [box, mesh]
    couplings = [Coupling("gear", "gear", [("one", whole(0)), ("two", whole(0))], number(3), number(0))]
    frames = [Frame("tip", "a", vector(0, 0, 1, 1, 0, 0, 0))]
    return Model("m", links, joints, vector(0, 0, -9), couplings, frames, wind=vector(0, 0, 0))


def negative(number):
    return -0.0 if number == 0 else float(number)


def floats(*numbers):
    return tuple(map(float, numbers))


WAYS = {
    "whole numbers": (int, lambda *numbers: numbers, int, bool),
    "lists": (float, lambda *numbers: [float(number) for number in numbers], int, bool),
    "lists of whole numbers": (int, lambda *numbers: [*numbers], int, bool),
    "arrays": (float, lambda *numbers: np.array(numbers, float), int, bool),
    "arrays of whole numbers": (int, lambda *numbers: np.array(numbers), int, bool),
    "double": (np.float64, lambda *numbers: tuple(map(np.float64, numbers)), np.int64, np.bool_),
    "single": (np.float32, lambda *numbers: tuple(map(np.float32, numbers)), np.int32, np.bool_),
    "numbers for truth values": (float, floats, int, int),
    "negative zeros": (negative, lambda *numbers: tuple(map(negative, numbers)), int, bool),
}
"""Other ways to write the numbers of a model."""


@pytest.mark.parametrize("way", WAYS)
def test_equal_models_have_equal_digests(way):
    """Guards receipts of bakes and stored findings: -10 is -10.0, 0.0 is -0.0, and a list is as good as a tuple."""
    number, vector, whole, flag = WAYS[way]
    wanted, found = model_of(float, floats, int, bool), model_of(number, vector, whole, flag)
    assert found.digest() == wanted.digest()


def test_different_models_have_different_digests():
    """Guards against a digest that leaves out too much: the last bit of a number counts, and infinity is no number."""
    digests = {model_of(float, floats, int, bool).digest()}
    changes = [
        lambda m: setattr(m.joints[0].axes[0], "lower", np.nextafter(-10.0, 0.0)),
        lambda m: setattr(m.joints[0].axes[0], "upper", np.inf),
        lambda m: setattr(m.joints[0].axes[0], "locked", True),
        lambda m: setattr(m.joints[2].mimic, "axis", 1),
        lambda m: setattr(m.links[0], "com", (0.0, 0.0, 5e-324)),
        lambda m: setattr(m.links[0].collisions[0], "layers", 2),
        lambda m: setattr(m.couplings[0], "axes", [("one", 0), ("two", 1)]),
        lambda m: setattr(m.links[0], "velocity", (0.0, 0.0, 1e-300)),
    ]
    for change in changes:
        model = model_of(float, floats, int, bool)
        change(model)
        digests.add(model.digest())
    assert len(digests) == len(changes) + 1


def test_a_saved_state_fits_an_equal_model():
    """Guards states in files: they go on in a model that writes 0 as -0.0, or 10.0 as 10, bit for bit."""
    times = np.arange(9) / 24.0

    def pendulum(zero, ten):
        axis = Axis((0.0, 1.0, zero), lower=-ten, upper=ten, spring_reference=zero)
        arm = Link("arm", com=(zero, zero, -1.0))
        return Model(links=[arm], joints=[Joint("hinge", "revolute", WORLD, "arm", axes=[axis], home=1.0)])

    whole = Simulation(pendulum(0.0, 10.0), times).run()
    first = Simulation(pendulum(0.0, 10.0), times[:5])
    first.run()
    second = Simulation(pendulum(-0.0, 10), times[4:], initial=first.state)
    assert np.array_equal(second.run().q, whole.q[4:])
    assert not second.report.notes
