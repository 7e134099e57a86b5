# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers of Chrono's joint tests (src/tests/unit_tests/joints), which compare 5 s of motion with ADAMS.

`chrono_adams.txt` has ADAMS's positions, quaternions, reaction forces and torques at two instants of each case. Chrono
gives a body by its centre of mass, a joint by its place and turn in the world, and the reaction on the ground; here
recorded wrenches act on the child, about the child's joint frame. ADAMS takes torques about the
joint's first place, also of what slides.
"""

from math import pi, sqrt
from pathlib import Path

import numpy as np
import pytest

import limberjack as lj
from support.peers import add_body, at, axis, differs, moments, point_at, pose_error, rotation, rpy, wrench_of

GRAVITY = (0, 0, -9.80665)
"""Of ADAMS [m/s^2]."""

ORIGIN, PLACE = (0, 0, 0), (1, 2, 3)
QUARTER, EIGHTH = rpy(-pi / 2, 0, 0), rpy(-pi / 4, 0, 0)
"""Turns of joints by -90 and -45 degrees about x."""


def pendulum(joint, place, turn, axes=None, inertia=(0.04, 0.1, 0.1), arm=(2, 0, 0)):
    """Return a pendulum of 1 kg, whose centre of mass is an arm [m, in the joint's axes] away from its joint."""
    model = lj.Model("pendulum", gravity=GRAVITY)
    child = at(*(-part for part in arm))
    add_body(model, "body", joint, at=at(*place, turn), child=child, axes=axes, mass=1, inertia=moments(*inertia))
    return model


def on_a_rope(hook, hold, place, rope, turn=(1, 0, 0, 0)):
    """Return a free body of 1 kg that a distance joint holds at a point to a hook in the world [m, in world axes]."""
    model = lj.Model("rope", gravity=GRAVITY)
    lj.add_link(model, lj.Link("body", mass=1, inertia=moments(0.04, 0.1, 0.1), pose=at(*place, turn)))
    model.joints.append(lj.Joint("floats", "free", "world", "body", X_PJ=at(*place, turn)))
    held = rotation(turn).T @ (np.array(hold, float) - place)
    ends = {"X_PJ": at(*hook), "X_CJ": at(*held), "axes": [rope]}
    model.joints.append(lj.Joint("to body", "distance", "world", "body", closes_loop=True, **ends))
    return model


def on_a_massless_rod(hinge, along, hold, place):
    """Return a body of 1 kg on a ball at the end of a massless rod, which turns about a hinge in the world.

    Chrono has one constraint for both joints. Its reaction on body 1 is the hinge's.
    """
    model = lj.Model("rod", gravity=GRAVITY)
    rod = {"mass": 0, "inertia": (0,) * 6}
    add_body(model, "rod", "revolute", at=at(*hinge), axes=[axis(along)], **rod)
    ball = {"at": at(*np.subtract(hold, hinge)), "child": at(*np.subtract(hold, place))}
    add_body(model, "body", "ball", "rod", mass=1, inertia=moments(0.1, 0.04, 0.1), **ball)
    return model


def universal(turn):
    return pendulum("universal", ORIGIN, turn, [axis((1, 0, 0)), axis((0, 1, 0))], (0.1, 0.1, 0.04), (0, 0, -2))


def actuator(turn):
    return pendulum("prismatic", ORIGIN, turn, [axis()], (1, 1, 1), ORIGIN)


FIXED_LENGTH, SPRING = axis(lower=2, upper=2), axis(spring_stiffness=100, damping=5, spring_reference=2)
DIAGONAL = (0, sqrt(0.5), sqrt(0.5))

CASES = {
    "Revolute_Case01": pendulum("revolute", ORIGIN, QUARTER),
    "Revolute_Case02": pendulum("revolute", PLACE, EIGHTH),
    "Spherical_Case01": pendulum("ball", ORIGIN, rpy(0, 0, 0)),
    "Spherical_Case02": pendulum("ball", PLACE, EIGHTH),
    "Cylindrical_Case01": pendulum("cylindrical", ORIGIN, rpy(0, 0, 0)),
    "Cylindrical_Case02": pendulum("cylindrical", ORIGIN, QUARTER),
    "Cylindrical_Case03": pendulum("cylindrical", PLACE, EIGHTH),
    "Prismatic_Case01": pendulum("prismatic", ORIGIN, rpy(0, 0, 0)),
    "Prismatic_Case02": pendulum("prismatic", PLACE, EIGHTH),
    "Prismatic_Case03": pendulum("prismatic", PLACE, QUARTER),
    "Universal_Case01": universal(rpy(pi / 2, 0, 0)),
    "Universal_Case02": universal(rpy(0, pi / 2, 0)),
    "RotSpring_Case01": pendulum("revolute", ORIGIN, QUARTER, [axis(spring_stiffness=200, damping=10)]),
    "Distance_Case01": on_a_rope(ORIGIN, (0, 2, 0), (0, 2, 0), FIXED_LENGTH),
    "Distance_Case02": on_a_rope(PLACE, (1, 4, 3), (-1, 4, 3), FIXED_LENGTH),
    "Distance_Case03": on_a_rope(ORIGIN, (0, 2, 0), (0, 4, 0), FIXED_LENGTH, rpy(0, 0, -pi / 2)),
    "TranSpring_Case01": on_a_rope(ORIGIN, ORIGIN, ORIGIN, axis(spring_stiffness=10, damping=0.5)),
    "TranSpring_Case02": on_a_rope(ORIGIN, (0, 2, 0), (0, 2, 0), SPRING),
    "RevSpherical_Case01": on_a_massless_rod(ORIGIN, (0, 0, 1), (2, 0, 0), (2, 2, 0)),
    "RevSpherical_Case02": on_a_massless_rod(PLACE, DIAGONAL, (3, 2, 3), (3, 4, 3)),
    "LinActuator_Case01": actuator(rpy(0, 0, 0)),
    "LinActuator_Case02": actuator(rpy(0, pi / 4, 0)),
}
SPEEDS = {"LinActuator_Case01": 1.0, "LinActuator_Case02": 0.5}
"""Prescribed speeds of actuators [m/s]."""


def adams():
    """Return, by case, (frame at 10 frames a second, pose, force and torque) of each line of the file."""
    found = {}
    for line in Path(__file__).with_name("chrono_adams.txt").read_text().splitlines():
        if not line.startswith("#"):
            case, *numbers = line.split()
            time, *rest = map(float, numbers)
            found.setdefault(case, []).append((round(10 * time), np.array(rest[:7]), np.array(rest[7:])))
    return found


ADAMS = adams()


@pytest.fixture(scope="module", params=CASES)
def motion(request):
    """(case, motion, joint in the world) over 5 s, with 10 frames a second."""
    case, model = request.param, CASES[request.param]
    joint = "to rod" if case.startswith("RevSpherical") else "to body"
    controls = lj.Controls(joints={joint: lambda t: SPEEDS[case] * t}) if case in SPEEDS else None
    run = {"frame_rate": 10, "accuracy": "exact", "record": ["wrenches"], "controls": controls}
    return case, lj.simulate(model, 5, **run), model.joint(joint)


def test_motion(motion):
    """Guards where the body is and how it has turned, to the tolerance that Chrono has for itself."""
    case, found, _ = motion
    for frame, pose, _ in ADAMS[case]:
        assert pose_error(found.link("body")[frame], pose) < 1e-3


def test_reaction(motion):
    """Guards the reaction on the ground: Chrono's tolerance, and the sixth digit of ADAMS's numbers."""
    case, found, joint = motion
    for frame, _, expected in ADAMS[case]:
        wrench = -wrench_of(found, joint.name, frame)
        moved = point_at(found.link(joint.child)[frame], joint.X_CJ[:3]) - joint.X_PJ[:3]
        wrench[3:] += np.cross(moved, wrench[:3])
        assert differs(wrench, expected) < 2e-2 + 2e-5 * np.abs(expected).max()
