# SPDX-License-Identifier: GPL-3.0-or-later
"""Articulated models and their exact motion, in Blender and without it.

    import limberjack as lj

    model = lj.read("crane.sdf").model            # or lj.Model, lj.Link, lj.Joint by hand; print(model) shows the tree
    motion = lj.simulate(model, duration=5.0)     # q, qd, X_WL in arrays; motion.link("hook"), motion.joint("reach")
    X = lj.transform(model, {"reach": 0.2}, "hook")      # where a link is, at joints by name
    J = lj.jacobian(model, {"reach": 0.2}, "hook")
    tau = lj.gravity_forces(model)                       # so inverse_dynamics, mass_matrix, forward_dynamics, ...
    lj.write(model, "crane.urdf")                        # says what the format cannot
    lj.show(model, path="crane.png")

SI units, radians, right-handed, Z up; quaternions w x y z; poses x y z qw qx qy qz. docs/api.md lists all names.
"""

# This file is the Blender extension's too. Blender's start waits for it, so names are found when they are first used
# (PEP 562), and every import stands inside a function.
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .core.api import *  # noqa: F403 - what `__getattr__` finds


def __getattr__(name: str):
    told = f"module '{__name__}' has no attribute '{name}'"
    if name != "__all__" and name.startswith(("_", "bl_")):  # what Blender and Python ask modules for
        raise AttributeError(told)
    from .core import api

    if name == "__all__":
        return api.__all__
    if name in api.__all__:
        return getattr(api, name)
    import difflib

    near = difflib.get_close_matches(name, api.__all__, 1, 0.7)
    raise AttributeError(f"{told}; did you mean '{near[0]}'?" if near else f"{told}; docs/api.md lists what there is")


def __dir__() -> list[str]:
    from .core import api

    return [*api.__all__, *(name for name in globals() if name.startswith("__"))]


def register():
    import gc

    was_enabled = gc.isenabled()
    gc.disable()  # collections go through all that Blender has loaded: 16 of 61 ms in 4.5, 5 of 51 ms in 5.2
    try:
        from .addon import command, registry

        registry.register()
        command.start()
    finally:
        if was_enabled:
            gc.enable()


def unregister():
    from .addon import command, registry

    command.stop()
    registry.unregister()
