# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: what MuJoCo makes of MJCF files, and their terms at random states.

Use: mujoco_terms.py OUT.json STATES SEED FILE... Writes one entry for each file: `error` and `warnings` of the
compiler; without an error bodies (without the world) and joints in MuJoCo's order, gravity, and for each state qpos,
qvel, poses of bodies, M (rows) and the bias force.
"""

import json
import sys

import mujoco
import numpy as np

TYPES = ("free", "ball", "slide", "hinge")


def bodies_of(model):
    found = []
    for i in range(1, model.nbody):
        R = np.zeros(9)
        mujoco.mju_quat2Mat(R, model.body_iquat[i])
        R = R.reshape(3, 3)
        inertia = R @ np.diag(model.body_inertia[i]) @ R.T
        found.append(
            {
                "name": model.body(i).name,
                "mass": float(model.body_mass[i]),
                "com": model.body_ipos[i].tolist(),
                "inertia": inertia[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]].tolist(),
                "gravcomp": float(model.body_gravcomp[i]),
            }
        )
    return found


def joints_of(model):
    found = []
    for i in range(model.njnt):
        dof = model.jnt_dofadr[i]
        found.append(
            {
                "name": model.joint(i).name,
                "type": TYPES[model.jnt_type[i]],
                "body": int(model.jnt_bodyid[i]) - 1,
                "q": int(model.jnt_qposadr[i]),
                "v": int(dof),
                "range": model.jnt_range[i].tolist() if model.jnt_limited[i] else None,
                "damping": float(np.ravel(model.dof_damping[dof])[0]),
                "friction": float(model.dof_frictionloss[dof]),
                "armature": float(model.dof_armature[dof]),
                "stiffness": float(np.ravel(model.jnt_stiffness[i])[0]),
                "home": float(model.qpos0[model.jnt_qposadr[i]]),
                "rest": float(model.qpos_spring[model.jnt_qposadr[i]]),
            }
        )
    return found


def state_of(model, data, rng):
    mujoco.mj_resetData(model, data)
    mujoco.mj_integratePos(model, data.qpos, rng.uniform(-1.0, 1.0, model.nv), 1.0)
    data.qvel[:] = rng.uniform(-1.0, 1.0, model.nv)
    mujoco.mj_fwdPosition(model, data)
    mujoco.mj_fwdVelocity(model, data)
    M = np.zeros((model.nv, model.nv))
    if model.nv:
        mujoco.mj_fullM(model, data, M)
    return {
        "qpos": data.qpos.tolist(),
        "qvel": data.qvel.tolist(),
        "poses": np.hstack([data.xpos, data.xquat])[1:].tolist(),
        "M": M.tolist(),
        "bias": data.qfrc_bias.tolist(),
    }


def told(path, states, rng):
    warnings = []
    mujoco.set_mju_user_warning(warnings.append)
    try:
        model = mujoco.MjModel.from_xml_path(path)
    except (ValueError, RuntimeError) as error:
        return {"error": str(error), "warnings": warnings}
    warnings = [*warnings]  # without those of random states
    data = mujoco.MjData(model)
    return {
        "error": "",
        "warnings": warnings,
        "gravity": model.opt.gravity.tolist(),
        "bodies": bodies_of(model),
        "joints": joints_of(model),
        "states": [state_of(model, data, rng) for _ in range(states)],
    }


def main(out, states, seed, *paths):
    rng = np.random.default_rng(int(seed))
    found = [told(path, int(states), rng) for path in paths]
    with open(out, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
