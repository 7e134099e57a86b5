# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: how far MuJoCo has solids apart, of pairs as `told` of tests/support/contacts.py has them.

Use: collision_mujoco.py PAIRS.json. Prints a list of [distance, the segment between both in six numbers]; infinity
where it takes no such shape.
"""

import json
import sys

import mujoco
import numpy as np

AT_ONCE = 500
"""Pairs of one model: compiling takes ever longer with more."""

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


def is_taken(solid):
    """Whether MuJoCo's compiler takes it: it wants sizes above 0, and meshes with a volume in single precision."""
    if solid["kind"] == "hull":
        points = np.array(solid["points"])
        return len(points) > 3 and np.linalg.svd(points - points.mean(axis=0), compute_uv=False)[2] > 1e-4
    used = {"plane": 0, "ball": 1, "capsule": 2, "cylinder": 2}.get(solid["kind"], 3)
    return all(size > 1e-15 for size in size_of(solid)[:used])


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


def distances(pairs):
    spec = mujoco.MjSpec()
    spec.option.ccd_tolerance, spec.option.ccd_iterations = 1e-10, 500
    taken = [all(map(is_taken, pair)) for pair in pairs]
    chosen = [pair for pair, is_one in zip(pairs, taken, strict=True) if is_one]
    for number, solid in enumerate(solid for pair in chosen for solid in pair):
        add(spec, solid, number)
    model = spec.compile()
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    i = 0
    for is_one in taken:
        between, distance = np.zeros(6), float("inf")
        if is_one:
            distance = mujoco.mj_geomDistance(model, data, 2 * i, 2 * i + 1, 1e6, between)
            i += 1
        yield [distance, *between]


def main(path):
    with open(path) as file:
        pairs = json.load(file)
    print(json.dumps([row for i in range(0, len(pairs), AT_ONCE) for row in distances(pairs[i : i + AT_ONCE])]))


if __name__ == "__main__":
    main(*sys.argv[1:])
