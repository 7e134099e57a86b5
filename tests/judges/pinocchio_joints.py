# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: Pinocchio's accelerations of chains whose joints it builds by its own API.

Use: pinocchio_joints.py CHAINS.json. A chain is a list of stages, each on the one before: {joint, placement, body,
mass, com, inertia, q, v, tau}. `joint` is one of Pinocchio's joint models and its arguments, or a list of such, one
after another about one point; `placement` is the joint's frame in the one before, `body` the link's in the joint's, as
rotation matrix and place; q, v and tau are in Pinocchio's own coordinates. Prints the accelerations of each chain.
"""

import json
import sys

import numpy as np
import pinocchio as pin


def joint_of(description):
    if isinstance(description[0], list):
        composite = pin.JointModelComposite()
        for part in description:
            composite.addJoint(joint_of(part))
        return composite
    name, *arguments = description
    return getattr(pin, f"JointModel{name}")(*[np.array(a) if isinstance(a, list) else a for a in arguments])


def accelerations(chain):
    model = pin.Model()
    model.gravity.linear = np.array([0.0, 0.0, -9.81])
    parent, spread = 0, {"q": [], "v": [], "tau": []}
    for i, stage in enumerate(chain):
        R, p = (np.array(part) for part in stage["placement"])
        parent = model.addJoint(parent, joint_of(stage["joint"]), pin.SE3(R, p), f"joint{i}")
        inertia = pin.Inertia(stage["mass"], np.array(stage["com"]), np.array(stage["inertia"]))
        R, p = (np.array(part) for part in stage["body"])
        model.appendBodyToJoint(parent, inertia, pin.SE3(R, p))
        for key, values in spread.items():
            values.extend(stage[key])
    q, v, tau = (np.array(spread[key]) for key in ("q", "v", "tau"))
    return pin.aba(model, model.createData(), q, v, tau).tolist()


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        print(json.dumps([accelerations(chain) for chain in json.load(file)]))
