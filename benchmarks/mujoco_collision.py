# SPDX-License-Identifier: GPL-3.0-or-later
"""Contacts by MuJoCo, in the judges' Python: the first line of standard input is an MJCF file, then a job a line.

A job {"step": seconds} moves the scene on and tells its geoms: `kind`, `size`, `position`, `rotation`, `group` (the
bodies that are welded together), the pairs `excluded` by their groups, and how many `contacts` there are. A job
{"time": calls} tells how long a call of mj_collision takes, the best of so many [s].
"""

import json
import sys
import time

import mujoco

KINDS = {
    mujoco.mjtGeom.mjGEOM_PLANE: "plane",
    mujoco.mjtGeom.mjGEOM_SPHERE: "ball",
    mujoco.mjtGeom.mjGEOM_CAPSULE: "capsule",
    mujoco.mjtGeom.mjGEOM_BOX: "box",
    mujoco.mjtGeom.mjGEOM_CYLINDER: "cylinder",
    mujoco.mjtGeom.mjGEOM_ELLIPSOID: "ellipsoid",
}


def scene(model: mujoco.MjModel, data: mujoco.MjData) -> dict:
    weld = model.body_weldid
    excluded = [(int(code) >> 16, int(code) & 0xFFFF) for code in model.exclude_signature]
    parents = [(int(weld[weld[parent]]), i) for i, parent in enumerate(model.body_parentid) if parent > 0]
    return {
        "kind": [KINDS[mujoco.mjtGeom(kind)] for kind in model.geom_type],
        "size": model.geom_size.tolist(),
        "position": data.geom_xpos.tolist(),
        "rotation": data.geom_xmat.tolist(),
        "group": weld[model.geom_bodyid].tolist(),
        "excluded": [(int(weld[a]), int(weld[b])) for a, b in excluded + parents],
        "contacts": int(data.ncon),
    }


def main() -> None:
    model = mujoco.MjModel.from_xml_path(sys.stdin.readline().strip())
    model.opt.iterations, model.opt.ls_iterations = 5, 10  # poses of a pile are wanted, not its exact motion
    model.opt.cone = mujoco.mjtCone.mjCONE_PYRAMIDAL
    data = mujoco.MjData(model)
    for line in sys.stdin:
        job = json.loads(line)
        if "step" in job:
            for _ in range(round(job["step"] / model.opt.timestep)):
                mujoco.mj_step(model, data)
            mujoco.mj_fwdPosition(model, data)
            told = scene(model, data)
        else:
            best = float("inf")
            for _ in range(job["time"]):
                begun = time.perf_counter()
                mujoco.mj_collision(model, data)
                best = min(best, time.perf_counter() - begun)
            told = best
        print(json.dumps(told), flush=True)


if __name__ == "__main__":
    main()
