# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: Pinocchio's gravity and velocity forces, Jacobians, steps and differences of states.

Use: pinocchio_terms.py MODEL.urdf STATES.json. A state is {joint: [q, qd, q + qd]}, each a list, for every joint that
moves, in Limberjack's conventions, the last one stepped by Limberjack; the base, if it floats, is named by the key
"base". Prints for each: gravity, velocity, difference: {joint: list}, com: {joint: columns of 3}, links: {link: {joint:
columns of 6, linear first, in world axes}}, and by how much its own step differs.
"""

import json
import sys

import numpy as np
import pinocchio as pin
from pinocchio_aba import their_q


def told(model, data, state, base):
    q, end, v = pin.neutral(model), pin.neutral(model), np.zeros(model.nv)
    spans = {}
    for name, (own_q, own_v, own_end) in state.items():
        joint = model.joints[1 if name == base else model.getJointId(name)]
        spans[name] = slice(joint.idx_v, joint.idx_v + joint.nv)
        v[spans[name]] = own_v
        at = slice(joint.idx_q, joint.idx_q + joint.nq)
        q[at], end[at] = their_q(joint, own_q), their_q(joint, own_end)
    gravity = pin.computeGeneralizedGravity(model, data, q).copy()
    velocity = pin.nonLinearEffects(model, data, q, v) - gravity
    com = pin.jacobianCenterOfMass(model, data, q).copy()
    pin.computeJointJacobians(model, data, q)
    pin.updateFramePlacements(model, data)
    links = {
        frame.name: pin.getFrameJacobian(model, data, i, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
        for i, frame in enumerate(model.frames)
        if frame.type == pin.FrameType.BODY
    }
    return {
        "gravity": {name: gravity[span].tolist() for name, span in spans.items()},
        "velocity": {name: velocity[span].tolist() for name, span in spans.items()},
        "difference": {name: pin.difference(model, q, end)[span].tolist() for name, span in spans.items()},
        "com": {name: com[:, span].T.tolist() for name, span in spans.items()},
        "links": {link: {name: J[:, span].T.tolist() for name, span in spans.items()} for link, J in links.items()},
        "step": float(pin.distance(model, pin.integrate(model, q, v), end)),
    }


def main(urdf, states_path):
    with open(states_path) as file:
        asked = json.load(file)
    root = [pin.JointModelFreeFlyer()] if asked["base"] else []
    model = pin.buildModelFromUrdf(urdf, *root)
    data = model.createData()
    print(json.dumps([told(model, data, state, asked["base"]) for state in asked["states"]]))


if __name__ == "__main__":
    main(*sys.argv[1:])
