"""Run by the judges' Python: Pinocchio's accelerations for states that stand in a file beside a URDF.

Use: pinocchio_aba.py MODEL.urdf STATES.json. A state is {joint: [q, qd, tau]}, each a list, for every joint that moves,
in Limberjack's conventions; the base, if it floats, is named by the key "base". Prints a list of {joint: qdd}.
"""

import json
import sys

import numpy as np
import pinocchio as pin


def accelerations(model, data, state, base):
    q, v, tau = pin.neutral(model), np.zeros(model.nv), np.zeros(model.nv)
    spans = {}
    for name, (own_q, own_v, own_tau) in state.items():
        joint = model.joints[1 if name == base else model.getJointId(name)]
        spans[name] = slice(joint.idx_v, joint.idx_v + joint.nv)
        v[spans[name]], tau[spans[name]] = own_v, own_tau
        if joint.nq == 7:  # Pinocchio's quaternions end with w
            own_q = [*own_q[:3], *own_q[4:], own_q[3]]
        if (joint.nq, joint.nv) == (2, 1):  # and its endless hinges are a cosine and a sine
            own_q = [np.cos(own_q[0]), np.sin(own_q[0])]
        q[joint.idx_q : joint.idx_q + joint.nq] = own_q
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
