# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: where other programs have a free body whose state is given in their own coordinates.

Use: free_joints.py STATES.json: {program: [positions, velocities]}, for "pinocchio", "drake" and "mujoco". Prints
{program: [pose, twist, world]}: x y z qw qx qy qz; the twist of the body's origin in world axes as the program orders
it; and the name that the program gives to its fixed frame.
"""

import json
import sys

import mujoco
import numpy as np
import pinocchio as pin
from pydrake.multibody.plant import MultibodyPlant
from pydrake.multibody.tree import SpatialInertia, UnitInertia

MJCF = (
    '<mujoco><worldbody><body pos="1 2 3"><freejoint/><inertial pos="0.1 0.2 0.3" mass="1" diaginertia="1 1 1"/>'
    "</body></worldbody></mujoco>"
)


def pinocchio(q, v):
    model = pin.Model()
    joint = model.addJoint(0, pin.JointModelFreeFlyer(), pin.SE3.Identity(), "free")
    data = model.createData()
    pin.forwardKinematics(model, data, q, v)
    X, V = data.oMi[joint], pin.getVelocity(model, data, joint, pin.ReferenceFrame.LOCAL_WORLD_ALIGNED)
    return [*X.translation, *np.roll(pin.Quaternion(X.rotation).coeffs(), 1)], V.vector, model.names[0]


def drake(q, v):
    plant = MultibodyPlant(0.0)
    body = plant.AddRigidBody("body", SpatialInertia(1.0, np.array([0.1, 0.2, 0.3]), UnitInertia(1.0, 1.0, 1.0)))
    plant.Finalize()
    context = plant.CreateDefaultContext()
    plant.SetPositions(context, q)
    plant.SetVelocities(context, v)
    X, V = plant.EvalBodyPoseInWorld(context, body), plant.EvalBodySpatialVelocityInWorld(context, body)
    return [*X.translation(), *X.rotation().ToQuaternion().wxyz()], V.get_coeffs(), plant.world_body().name()


def mujoco_(q, v):
    model = mujoco.MjModel.from_xml_string(MJCF)
    data = mujoco.MjData(model)
    data.qpos[:], data.qvel[:] = q, v
    mujoco.mj_forward(model, data)
    V = np.zeros(6)
    mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, 1, V, 0)
    return [*data.xpos[1], *data.xquat[1]], V, model.body(0).name


PROGRAMS = {"pinocchio": pinocchio, "drake": drake, "mujoco": mujoco_}


if __name__ == "__main__":
    with open(sys.argv[1]) as file:
        states = json.load(file)
    found = {name: PROGRAMS[name](*(np.array(part) for part in state)) for name, state in states.items()}
    print(
        json.dumps({name: [list(map(float, pose)), list(map(float, V)), at] for name, (pose, V, at) in found.items()})
    )
