# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: where Pinocchio has the links of a URDF, for coordinates that stand in a file beside it.

Use: pinocchio_frames.py MODEL.urdf STATES.json. A state is {joint: q}, a list for every joint that moves, in
Limberjack's conventions; the base, if it floats, is named by the key "base". Prints a list of {link: its pose as a
matrix}.
"""

import json
import sys

import pinocchio as pin
from pinocchio_aba import their_q


def positions(model, state, base):
    q = pin.neutral(model)
    for name, own in state.items():
        joint = model.joints[1 if name == base else model.getJointId(name)]
        q[joint.idx_q : joint.idx_q + joint.nq] = their_q(joint, own)
    return q


def frames(model, data, q):
    pin.framesForwardKinematics(model, data, q)
    return {
        frame.name: data.oMf[i].homogeneous.tolist()
        for i, frame in enumerate(model.frames)
        if frame.type == pin.FrameType.BODY
    }


def main(urdf, states_path):
    with open(states_path) as file:
        asked = json.load(file)
    root = [pin.JointModelFreeFlyer()] if asked["base"] else []
    model = pin.buildModelFromUrdf(urdf, *root)
    data = model.createData()
    print(json.dumps([frames(model, data, positions(model, state, asked["base"])) for state in asked["states"]]))


if __name__ == "__main__":
    main(*sys.argv[1:])
