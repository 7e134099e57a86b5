# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: what Drake makes of its own elements in a file.

Use: drake_elements.py FILE SECONDS Q... prints where the joints are that long after they start at rest at Q [rad].
drake_elements.py FILE prints the number of constraints, and the pairs of bodies that may not collide.
"""

import json
import sys

from pydrake.geometry import Role
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph, DiscreteContactApproximation
from pydrake.systems.analysis import ResetIntegratorFromFlags, Simulator
from pydrake.systems.framework import DiagramBuilder

LONGEST_STEP = 1e-3
"""Of the integrator [s]."""


def built(path, step):
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, step)
    if step:
        plant.set_discrete_contact_approximation(DiscreteContactApproximation.kSap)
    Parser(plant).AddModels(path)
    plant.Finalize()
    return plant, graph, builder.Build()


def motion(path, seconds, q):
    """Positions after a while, of a continuous plant that starts at rest at q."""
    plant, _, diagram = built(path, 0.0)
    simulator = Simulator(diagram)
    ResetIntegratorFromFlags(simulator, "runge_kutta3", LONGEST_STEP).set_target_accuracy(1e-10)
    context = plant.GetMyMutableContextFromRoot(simulator.get_mutable_context())
    plant.SetPositions(context, q)
    simulator.Initialize()
    simulator.AdvanceTo(seconds)
    return plant.GetPositions(context).tolist()


def constraints(path):
    plant, graph, _ = built(path, 1e-3)
    inspector = graph.model_inspector()
    shapes = inspector.GetAllGeometryIds(Role.kProximity)
    found = [(plant.GetBodyFromFrameId(inspector.GetFrameId(shape)).name(), shape) for shape in shapes]
    filtered = [sorted((a, b)) for a, g in found for b, h in found if a < b and inspector.CollisionFiltered(g, h)]
    return plant.num_constraints(), filtered


def main():
    path, *numbers = sys.argv[1:]
    if numbers:
        seconds, *q = map(float, numbers)
        print(json.dumps(motion(path, seconds, q)))
    else:
        print(json.dumps(constraints(path)))


main()
