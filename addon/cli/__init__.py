# SPDX-License-Identifier: GPL-3.0-or-later
"""The `limberjack` command with Blender: .blend files, the open scene, and the verbs that need one."""

import os
import sys

from ...core import cli as core_cli
from ...core.batch import LAUNCH
from ...core.cli.framework import LOADERS, OPEN_SCENE, SAVERS, run_command
from ...core.cli.plot import RECORDERS
from .bake import BAKE
from .blend import load_blend, load_open_scene, save_blend
from .demo import DEMO
from .record import RECORD, record_motion

EXTENSION = __package__.removesuffix(".addon.cli")
"""By the name that Blender knows it by."""

VERBS = (*core_cli.VERBS, BAKE, RECORD, DEMO)

LOADERS[".blend"] = load_blend
LOADERS[str(OPEN_SCENE)] = load_open_scene
SAVERS[".blend"] = save_blend
RECORDERS[".blend"] = RECORDERS[str(OPEN_SCENE)] = record_motion


def main(argv: list[str] | None = None) -> int:
    """Run the command outside Blender; the bpy module is asked for only by what needs it. Returns the exit code."""
    return run_command(VERBS, argv)


def main_inside_blender(argv: list[str]) -> int:
    """Run `blender --command limberjack …`: the add-on is on, and FILE may be left out for the open scene."""
    import bpy

    if bpy.app.binary_path:  # which the bpy module has none of
        # Named, since who has enabled it by an option has it in no preferences that a worker would read
        LAUNCH[:] = [bpy.app.binary_path, "--background", "--addons", EXTENSION, "--command", "limberjack"]
    code = run_command(VERBS, argv, file_is_optional=True)
    end_output()
    return code


def end_output() -> None:
    """Let nothing follow the results: at its end, Blender prints what it has kept back, after what may be JSON."""
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def end(code: int) -> int:
    """Leave with the exit code, all being written. It is given back where Blender's module was not needed.

    Where it was, the process ends here: the module may crash when Python takes it apart, and never ends where a scene
    has drivers in Python.
    """
    end_output()
    sys.stderr.flush()
    if "bpy" in sys.modules:
        os._exit(code)
    return code
