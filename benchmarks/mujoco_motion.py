# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion by MuJoCo, in the judges' Python: a job as JSON on standard input, what came of it on standard output.

The job: `file` (MJCF), `gravity` [m/s^2], `hinge_speed` [rad/s] that all hinges start with, `seconds`; `limit` [rad]
to either side or null, and `friction` [N m] of all hinges. Told: `second`,
wall time per simulated second of mj_step alone [s], and `drift`, the largest change of energy [J], null where
coordinates stopped being numbers; the motion ends there.
"""

import json
import math
import sys
import time

import mujoco
import numpy as np

DT = 0.002
STEPS = 50
"""In one call, between looks at the energy: Python's share is below 1 %."""


def energy(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    mujoco.mj_forward(model, data)
    mujoco.mj_energyPos(model, data)
    mujoco.mj_energyVel(model, data)
    return float(data.energy.sum())


def compiled(job: dict) -> mujoco.MjModel:
    if job["limit"] is None:
        return mujoco.MjModel.from_xml_path(job["file"])
    spec = mujoco.MjSpec.from_file(job["file"])
    for joint in spec.joints:
        if joint.type == mujoco.mjtJoint.mjJNT_HINGE:
            joint.limited, joint.range, joint.frictionloss = True, [-job["limit"], job["limit"]], job["friction"]
    return spec.compile()


def main() -> None:
    job = json.load(sys.stdin)
    model = compiled(job)
    model.opt.timestep = DT
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_AUTORESET
    model.opt.gravity[:] = job["gravity"]
    data = mujoco.MjData(model)
    data.qvel[model.jnt_dofadr[model.jnt_type == mujoco.mjtJoint.mjJNT_HINGE]] = job["hinge_speed"]
    start = energy(model, data)
    drift, spent, passed = 0.0, 0.0, 0.0
    while drift is not None and passed < job["seconds"] - DT:
        begun = time.perf_counter()
        mujoco.mj_step(model, data, nstep=STEPS)
        spent += time.perf_counter() - begun
        passed += STEPS * DT
        change = abs(energy(model, data) - start)
        drift = max(drift, change) if math.isfinite(change) and np.isfinite(data.qpos).all() else None
    print(json.dumps({"second": spent / passed, "drift": drift}))


if __name__ == "__main__":
    main()
