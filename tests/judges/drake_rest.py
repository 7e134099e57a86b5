# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: where links are when Drake has simulated a world for a while.

Use: drake_rest.py FILE SECONDS. Prints {link: [x, y, z, qw, qx, qy, qz]}, in the world [m], and the largest speed
[m/s] as "".
"""

import json
import sys

from pydrake.geometry import SceneGraphConfig
from pydrake.multibody.parsing import Parser
from pydrake.multibody.plant import AddMultibodyPlantSceneGraph
from pydrake.systems.analysis import Simulator
from pydrake.systems.framework import DiagramBuilder

STEP, STIFFNESS = 1e-3, 1e8
"""Seconds of a step, and how hard surfaces are of which the file says nothing [N/m]."""


def rest(path, seconds):
    builder = DiagramBuilder()
    plant, graph = AddMultibodyPlantSceneGraph(builder, STEP)
    config = SceneGraphConfig()
    config.default_proximity_properties.point_stiffness = STIFFNESS
    graph.set_config(config)
    models = Parser(plant).AddModels(path)
    plant.Finalize()
    simulator = Simulator(builder.Build())
    simulator.AdvanceTo(seconds)
    context = plant.GetMyContextFromRoot(simulator.get_context())
    found = {"": 0.0}
    for model in models:
        for body in map(plant.get_body, plant.GetBodyIndices(model)):
            pose, twist = body.EvalPoseInWorld(context), body.EvalSpatialVelocityInWorld(context)
            found[""] = max(found[""], float(abs(twist.translational()).max()))
            found[body.name()] = [*pose.translation(), *pose.rotation().ToQuaternion().wxyz()]
    return found


print(json.dumps(rest(sys.argv[1], float(sys.argv[2]))))
