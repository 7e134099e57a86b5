# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: how long calls of Pinocchio's functions take from Python.

Use: pinocchio_calls.py MODEL.urdf. For each line of standard input, a number of calls, it prints one JSON object: the
time of one call of each function [s], by its name in `calls.py`.
"""

import json
import sys
import time

import numpy as np
import pinocchio as pin


def calls(model, data):
    rng = np.random.default_rng(0)
    q, v, tau = pin.randomConfiguration(model), rng.normal(size=model.nv), rng.normal(size=model.nv)
    frame = model.nframes - 1
    return {
        "forward_dynamics": lambda: pin.aba(model, data, q, v, tau),
        "inverse_dynamics": lambda: pin.rnea(model, data, q, v, tau),
        "mass_matrix": lambda: pin.crba(model, data, q),
        "forward_kinematics": lambda: pin.framesForwardKinematics(model, data, q),
        "jacobian": lambda: pin.computeFrameJacobian(model, data, q, frame, pin.LOCAL_WORLD_ALIGNED),
    }


def seconds(call, count):
    begun = time.perf_counter()
    for _ in range(count):
        call()
    return (time.perf_counter() - begun) / count


def main(urdf):
    model = pin.buildModelFromUrdf(urdf)
    known = calls(model, model.createData())
    for line in sys.stdin:
        print(json.dumps({name: seconds(call, int(line)) for name, call in known.items()}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
