# SPDX-License-Identifier: GPL-3.0-or-later
"""Load an MJCF file in MuJoCo, and simulate it without contact."""

from told import answer_with, is_finite, one_line  # pyright: ignore[reportMissingImports]

STEP = 2.5e-4
"""Time step of the Runge-Kutta method [s]. Its error in smooth motion is far below a micrometre."""

FINE_STEP = 5e-5
"""Time step of the implicit method [s], for models that are too stiff for the other one."""

KEY = "home"
"""Name of the key that is the start."""


def judge(request):
    """Return the answer to a request; see told.py."""
    import mujoco  # pyright: ignore[reportMissingImports]

    warnings = []
    mujoco.set_mju_user_warning(warnings.append)
    answer = {"version": mujoco.__version__, "warnings": warnings}
    try:
        model = mujoco.MjModel.from_xml_path(request["file"])
    except (ValueError, RuntimeError) as error:
        return dict(answer, error=one_line(error))
    answer["warnings"] = list(warnings)
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT
    data = started(mujoco, model)
    answer["masses"] = {model.body(i).name: float(model.body_mass[i]) for i in range(1, model.nbody)}
    answer["start"] = poses(model, data)
    if not request["seconds"]:
        return answer
    for integrator, step, method in (
        (mujoco.mjtIntegrator.mjINT_RK4, STEP, "Runge-Kutta"),
        (mujoco.mjtIntegrator.mjINT_IMPLICITFAST, FINE_STEP, "implicit"),
    ):
        model.opt.integrator, model.opt.timestep = integrator, request["seconds"] / steps_of(request, step)
        data = started(mujoco, model)
        for _ in range(steps_of(request, step)):
            mujoco.mj_step(model, data)
            if data.warning[mujoco.mjtWarning.mjWARN_BADQACC].number:
                break
        else:
            mujoco.mj_forward(model, data)
            end = poses(model, data)
            if is_finite(end):
                return dict(answer, end=end, method=f"{method}, {step:g} s")
    return dict(answer, motion_error="the motion grows without end, whatever the time step")


def steps_of(request, step):
    """Return the number of steps of about this length."""
    return max(1, round(request["seconds"] / step))


def started(mujoco, model):
    """Return the state of a model at its key, or as drawn."""
    data = mujoco.MjData(model)
    key = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_KEY, KEY)
    if key >= 0:
        mujoco.mj_resetDataKeyframe(model, data, key)
    mujoco.mj_forward(model, data)
    return data


def poses(model, data):
    """Return the pose of each body."""
    return {model.body(i).name: [*data.xpos[i].tolist(), *data.xquat[i].tolist()] for i in range(1, model.nbody)}


if __name__ == "__main__":
    answer_with(judge)
