# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: what MuJoCo makes of MJCF files, and their terms at random states.

Use: mujoco_terms.py OUT.json STATES SEED FRAMES FILE... Writes one entry for each file: `error` and `warnings` of
the compiler; without an error `absent`, the names of absent meshes, bodies (without the world) and joints in MuJoCo's
order, gravity, and for each state qpos, qvel, poses of bodies, M (rows) and the bias force. If FRAMES is not 0, each
state also has `motion`: poses of bodies in so many frames, FRAME s apart, without constraints, actuators and fluid.

Meshes whose files are absent become tetrahedra, and images go. `is_weighed` is false for a body whose mass is that of
such a tetrahedron.
"""

import json
import sys
from pathlib import Path

import mujoco
import numpy as np

FRAME, STEP = 0.1, 1e-4
TYPES = ("free", "ball", "slide", "hinge")


CORNERS = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
FACES = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]


def model_of(path):
    """Return the model of a file, the names of absent meshes, and the numbers of bodies whose masses need these."""
    try:
        return mujoco.MjModel.from_xml_path(path), set(), set()
    except ValueError as error:
        if "Error opening file" not in str(error):
            raise
    spec = mujoco.MjSpec.from_file(path)
    absent = set()
    for mesh in spec.meshes:
        if mesh.file and not is_there(path, spec.meshdir, mesh.file):
            absent.add(mesh.name or Path(mesh.file).stem)
            mesh.name = mesh.name or Path(mesh.file).stem
            mesh.file, mesh.uservert, mesh.userface = "", CORNERS, FACES
    for texture in spec.textures:
        if not all(is_there(path, spec.texturedir, file) for file in (texture.file, *texture.cubefiles) if file):
            texture.file, texture.cubefiles = "", [""] * 6
            texture.builtin = mujoco.mjtBuiltin.mjBUILTIN_FLAT
            texture.width, texture.height = 2, 2 if texture.type == mujoco.mjtTexture.mjTEXTURE_2D else 12
    for skin in list(spec.skins):
        spec.delete(skin)
    from_geoms = spec.compiler.inertiafromgeom == mujoco.mjtInertiaFromGeom.mjINERTIAFROMGEOM_TRUE
    vague = [
        body
        for body in spec.bodies
        if (from_geoms or not body.explicitinertial) and any(geom.meshname in absent for geom in body.geoms)
    ]
    model = spec.compile()
    return model, absent, {body.id for body in vague}


def is_there(path, folder, file):
    return (Path(path).parent / folder / file).exists()


def bodies_of(model, vague):
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
                "is_weighed": i not in vague,
            }
        )
    return found


def joints_of(model):
    home = model.qpos0
    for i in range(model.nkey):
        if model.key(i).name.lower() == "home":
            home = model.key_qpos[i]
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
                "home": float(home[model.jnt_qposadr[i]]),
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


def motion_of(model, state, frames):
    """Poses of bodies in the frames after a state, by Runge and Kutta's method."""
    model.opt.integrator, model.opt.timestep = mujoco.mjtIntegrator.mjINT_RK4, STEP
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_ACTUATION
    model.opt.density = model.opt.viscosity = 0.0
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = state["qpos"], state["qvel"]
    found = []
    for _ in range(frames):
        for _ in range(round(FRAME / STEP)):
            mujoco.mj_step(model, data)
        mujoco.mj_kinematics(model, data)
        found.append(np.hstack([data.xpos, data.xquat])[1:].tolist())
    assert not any(warning.number for warning in data.warning), "MuJoCo's own motion is not stable"
    return found


def told(path, states, frames, rng):
    warnings = []
    mujoco.set_mju_user_warning(warnings.append)
    try:
        model, absent, vague = model_of(path)
    except (ValueError, RuntimeError) as error:
        return {"error": str(error), "warnings": warnings}
    warnings = [*warnings]  # without those of random states
    data = mujoco.MjData(model)
    found = [state_of(model, data, rng) for _ in range(states)]
    if frames:
        found = [{**state, "motion": motion_of(model, state, frames)} for state in found]
    return {
        "error": "",
        "warnings": warnings,
        "absent": sorted(absent),
        "gravity": model.opt.gravity.tolist(),
        "bodies": bodies_of(model, vague),
        "joints": joints_of(model),
        "states": found,
    }


def main(out, states, seed, frames, *paths):
    rng = np.random.default_rng(int(seed))
    found = [told(path, int(states), int(frames), rng) for path in paths]
    with open(out, "w") as file:
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
