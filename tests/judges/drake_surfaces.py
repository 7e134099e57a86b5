# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: what Drake reads of how collisions touch.

Use: drake_surfaces.py FILE. Prints {collision: [static friction, sliding friction, dissipation, stiffness]}; null where
the file says nothing.
"""

import json
import sys

from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.framework import DiagramBuilder


def surfaces(path):
    plant, graph = AddMultibodyPlantSceneGraph(DiagramBuilder(), 0.0)
    inspector = graph.model_inspector()
    found = {}
    for model in Parser(plant).AddModels(path):
        for body in map(plant.get_body, plant.GetBodyIndices(model)):
            for geometry in plant.GetCollisionGeometriesForBody(body):
                told = inspector.GetProximityProperties(geometry)
                names = ("coulomb_friction", "hunt_crossley_dissipation", "point_contact_stiffness")
                pair, *rest = [told.GetPropertyOrDefault("material", name, None) for name in names]
                frictions = [pair.static_friction(), pair.dynamic_friction()] if pair else [None, None]
                found[inspector.GetName(geometry).rpartition("::")[2]] = [*frictions, *rest]
    return found


print(json.dumps(surfaces(sys.argv[1])))
