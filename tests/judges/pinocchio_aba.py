# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: Pinocchio's accelerations for states that stand in a file beside a URDF.

Use: pinocchio_aba.py MODEL.urdf STATES.json. A state is {joint: [q, qd, tau]}, each a list, for every joint that moves,
in Limberjack's conventions; the base, if it floats, is named by the key "base". Prints a list of {joint: qdd}.
"""

import json
import sys

import numpy as np
import pinocchio as pin


def their_q(joint, q):
    """A joint's coordinates as Pinocchio has them."""
    if joint.nq == 7:  # its quaternions end with w
        return [*q[:3], *q[4:], q[3]]
    if (joint.nq, joint.nv) == (2, 1):  # and its endless hinges are a cosine and a sine
        return [np.cos(q[0]), np.sin(q[0])]
    return q


def accelerations(model, data, state, base):
    q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    spans = {}
    for name, (own_q, own_v, own_tau) in state.items():
        joint = model.joints[1 if name == base else model.getJointId(name)]
        spans[name] = slice(joint.idx_v, joint.idx_v + joint.nv)
        v[spans[name]], tau[spans[name]] = own_v, own_tau
        q[joint.idx_q : joint.idx_q + joint.nq] = their_q(joint, own_q)
    qdd = pin.aba(model, data, q, v, tau)
    return {name: qdd[span].tolist() for name, span in spans.items()}


def main(urdf, states_path):
    with open(states_path) as file:
        asked = json.load(file)
    root = [pin.JointModelFreeFlyer()] if asked["base"] else []
    model = pin.buildModelFromUrdf(urdf, *root)
    data = model.createData()
    print(json.dumps([accelerations(model, data, state, asked["base"]) for state in asked["states"]]))


if __name__ == "__main__":
    main(*sys.argv[1:])
