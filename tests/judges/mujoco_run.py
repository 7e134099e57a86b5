# SPDX-License-Identifier: GPL-3.0-or-later
"""Run by the judges' Python: MuJoCo's own motion of MJCF files, with all that acts in it.

Use: mujoco_run.py SECONDS FILE... Prints a list with an object for each file: `time` of the last step; at that time
`qpos`, `positions` of bodies by name, and `joints`, the coordinates of hinges and slides by name; the number of
`sensors`, and the `warnings` of the compiler. The motion begins at the key named home, if there is one.
"""

import json
import sys

import mujoco


def run(path, seconds):
    warnings = []
    mujoco.set_mju_user_warning(warnings.append)
    model = mujoco.MjModel.from_xml_path(path)
    compiled = [*warnings]
    data = mujoco.MjData(model)
    for number in range(model.nkey):
        if model.key(number).name == "home":
            mujoco.mj_resetDataKeyframe(model, data, number)
    for _ in range(round(seconds / model.opt.timestep)):
        mujoco.mj_step(model, data)
    mujoco.mj_kinematics(model, data)
    simple = [i for i in range(model.njnt) if model.jnt_type[i] in (2, 3)]  # slides and hinges
    return {
        "time": data.time,
        "qpos": data.qpos.tolist(),
        "positions": {model.body(i).name: data.xpos[i].tolist() for i in range(1, model.nbody)},
        "joints": {model.joint(i).name: float(data.qpos[model.jnt_qposadr[i]]) for i in simple},
        "sensors": model.nsensor,
        "warnings": compiled,
    }


def main():
    print(json.dumps([run(path, float(sys.argv[1])) for path in sys.argv[2:]]))


if __name__ == "__main__":
    main()
