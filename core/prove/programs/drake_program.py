# SPDX-License-Identifier: GPL-3.0-or-later
"""Load an SDF or URDF file in Drake, and simulate it without contact.

Drake enforces joint limits, mimics and loops in discrete time only, and its steps have an error in proportion to their
length. So the motion is computed in continuous time if it needs none of these, and otherwise extrapolated from two
lengths of steps.
"""

import importlib.metadata
import logging
import math
import os

from told import answer_with, is_finite, one_line  # pyright: ignore[reportMissingImports]

STEPS = (1e-3, 5e-4)
"""Lengths of steps in discrete time, the second half of the first [s]."""

ACCURACY = 1e-8
"""Accuracy of the integrator in continuous time."""

CHECK_INTERVAL = 0.01
"""Interval at which joints are compared with their limits in continuous time [s]."""

SLACK = 1e-9
"""Excess over a limit that is rounding [rad or m]."""


def judge(request):
    """Return the answer to a request; see told.py."""
    warnings = []
    listen(warnings)
    answer = {"version": importlib.metadata.version("drake"), "warnings": warnings}
    try:
        plant = loaded(request, STEPS[0])
    except Exception as error:  # Drake raises RuntimeError and others, for whatever it refuses
        return dict(answer, error=one_line(error))
    answer["warnings"] = list(warnings)
    context = plant.CreateDefaultContext()
    bodies = [plant.get_body(index) for index in body_indices(plant)]
    answer["masses"] = {body.name(): float(body.get_mass(context)) for body in bodies}
    answer["start"] = poses(plant, context, bodies)
    if not request["seconds"]:
        return answer
    try:
        end, method = moved(request, plant)
    except Exception as error:  # as above
        return dict(answer, motion_error=one_line(error))
    if not is_finite(end):
        return dict(answer, motion_error="the motion is not finite")
    return dict(answer, end=end, method=method)


def listen(warnings):
    """Collect what Drake logs as a warning."""
    from pydrake.common import configure_logging  # pyright: ignore[reportMissingImports]

    class Collector(logging.Handler):
        def emit(self, record):
            warnings.append(one_line(record.getMessage()))

    configure_logging()
    log = logging.getLogger("drake")
    log.handlers, log.propagate = [Collector()], False
    log.setLevel(logging.WARNING)


def loaded(request, step):
    """Return a plant without geometry, so that nothing collides. A step of 0 means continuous time."""
    from pydrake.multibody.parsing import Parser  # pyright: ignore[reportMissingImports]
    from pydrake.multibody.plant import (  # pyright: ignore[reportMissingImports]
        DiscreteContactApproximation,
        MultibodyPlant,
    )

    plant = MultibodyPlant(step)
    if step:
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    parser = Parser(plant)
    parser.SetAutoRenaming(True)
    packages = parser.package_map()
    for folder in request["folders"]:
        for path in [folder, *(entry.path for entry in os.scandir(folder) if entry.is_dir())]:
            name = os.path.basename(os.path.abspath(path))
            if name and not packages.Contains(name):
                packages.Add(name, os.path.abspath(path))
    parser.AddModels(request["file"])
    plant.Finalize()
    return plant


def body_indices(plant):
    """Return the indices of all bodies but the world."""
    from pydrake.multibody.tree import BodyIndex  # pyright: ignore[reportMissingImports]

    return [BodyIndex(i) for i in range(1, plant.num_bodies())]


def poses(plant, context, bodies):
    """Return the pose of each body."""
    found = {}
    for body in bodies:
        X = plant.EvalBodyPoseInWorld(context, body)
        found[body.name()] = [*X.translation().tolist(), *X.rotation().ToQuaternion().wxyz().tolist()]
    return found


def moved(request, plant):
    """Return the poses at the end, and how they were computed."""
    if not plant.num_constraints():
        end = end_of(request, 0.0)
        if end:
            return end, f"continuous, accuracy {ACCURACY:g}"
    coarse, fine = (end_of(request, step) or {} for step in STEPS)
    return {name: extrapolated(coarse[name], fine[name]) for name in fine}, f"discrete, from {STEPS[0]:g} s and half"


def end_of(request, step):
    """Return the poses at the end; in continuous time None if a joint passes a limit."""
    from pydrake.systems.analysis import Simulator  # pyright: ignore[reportMissingImports]

    plant = loaded(request, step)
    bodies = [plant.get_body(index) for index in body_indices(plant)]
    simulator = Simulator(plant)
    if not step:
        simulator.get_mutable_integrator().set_target_accuracy(ACCURACY)
    simulator.Initialize()
    context, seconds = simulator.get_mutable_context(), request["seconds"]
    lower, upper = plant.GetPositionLowerLimits(), plant.GetPositionUpperLimits()
    count = max(1, math.ceil(seconds / CHECK_INTERVAL))
    for number in range(1, count + 1):
        simulator.AdvanceTo(seconds * number / count)
        q = plant.GetPositions(context)
        if not step and ((q < lower - SLACK) | (q > upper + SLACK)).any():
            return None
    return poses(plant, context, bodies)


def extrapolated(coarse, fine):
    """Return a pose to which two converge, of steps of some length and of half of it."""
    sign = 1.0 if sum(a * b for a, b in zip(coarse[3:], fine[3:])) >= 0.0 else -1.0  # noqa: B905 - for Python 3.9
    guess = [2.0 * f - c for c, f in zip(coarse[:3], fine[:3])]  # noqa: B905
    turn = [2.0 * f - sign * c for c, f in zip(coarse[3:], fine[3:])]  # noqa: B905
    length = math.sqrt(sum(value * value for value in turn)) or 1.0
    return [*guess, *(value / length for value in turn)]


if __name__ == "__main__":
    answer_with(judge)
