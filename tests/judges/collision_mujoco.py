"""Run by the judges' Python: how far MuJoCo has solids apart, of pairs as `told` of tests/support/contacts.py has them.

Use: collision_mujoco.py PAIRS.json. Prints a list of [distance, the segment between both in six numbers].
"""

import json
import sys

import mujoco
import numpy as np

KINDS = {
    "plane": "PLANE",
    "ball": "SPHERE",
    "capsule": "CAPSULE",
    "box": "BOX",
    "cylinder": "CYLINDER",
    "ellipsoid": "ELLIPSOID",
    "hull": "MESH",
}


def size_of(solid):
    x, y, z = solid["half"]
    if solid["kind"] == "plane":
        return [0, 0, 1]
    if solid["kind"] in ("ball", "capsule"):
        return [solid["radius"], z, 0]
    return [x, z, 0] if solid["kind"] == "cylinder" else [x, y, z]


def add(spec, solid, number):
    quat = np.zeros(4)
    mujoco.mju_mat2Quat(quat, np.ravel(solid["rotation"]))
    geom = spec.worldbody.add_geom(
        type=getattr(mujoco.mjtGeom, f"mjGEOM_{KINDS[solid['kind']]}"), pos=solid["position"], quat=quat
    )
    if solid["kind"] == "hull":
        mesh = spec.add_mesh(name=f"mesh{number}", uservert=np.ravel(solid["points"]))
        mesh.inertia = mujoco.mjtMeshInertia.mjMESH_INERTIA_CONVEX
        geom.meshname = mesh.name
    else:
        geom.size = size_of(solid)


def main(path):
    with open(path) as file:
        pairs = json.load(file)
    spec = mujoco.MjSpec()
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-10, 500
    for number, solid in enumerate(solid for pair in pairs for solid in pair):
        add(spec, solid, number)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    told = []
    for i in range(len(pairs)):
        between = np.zeros(6)
        distance = mujoco.mj_geomDistance(model, data, 2 * i, 2 * i + 1, 1e6, between)
        told.append([distance, *between])
    print(json.dumps(told))


if __name__ == "__main__":
    main(*sys.argv[1:])
