# SPDX-License-Identifier: GPL-3.0-or-later
"""The `limberjack` command with Blender: .blend files, the open scene, and the verbs that need them."""

import os
import sys

from ...core import cli as core_cli
from ...core.batch import LAUNCH
from ...core.cli.framework import LOADERS, OPEN_SCENE, SAVERS, run_command
from ...core.cli.plot import RECORDERS
from .bake import BAKE
from .blend import load_blend, load_open_scene, save_blend
from .demo import DEMO
from .ragdoll import RAGDOLL
from .record import RECORD, record_motion

EXTENSION = __package__.removesuffix(".addon.cli")
"""Name of the extension in Blender."""

VERBS = (*core_cli.VERBS, BAKE, RECORD, RAGDOLL, DEMO)

LOADERS[".blend"] = load_blend
LOADERS[str(OPEN_SCENE)] = load_open_scene
SAVERS[".blend"] = save_blend
RECORDERS[".blend"] = RECORDERS[str(OPEN_SCENE)] = record_motion


def main(argv: list[str] | None = None) -> int:
    """Run the command outside Blender, and return the exit code. The bpy module is imported only if a verb needs it."""
    return run_command(VERBS, argv)


def main_inside_blender(argv: list[str]) -> int:
    """Run `blender --command limberjack …`, and return the exit code.

    The add-on is enabled already, and FILE may be left out for the open scene.
    """
    import bpy

    if bpy.app.binary_path:  # empty for the bpy module
        # Workers need --addons: an add-on that was enabled by an option is not in the preferences
        LAUNCH[:] = [bpy.app.binary_path, "--background", "--addons", EXTENSION, "--command", "limberjack"]
    code = run_command(VERBS, argv, file_is_optional=True)
    end_output()
    return code


def end_output() -> None:
    """Discard all further output to stdout.

    At its end, Blender prints buffered messages, which would follow results that may be JSON.
    """
    sys.stdout.flush()
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def end(code: int) -> int:
    """End with the exit code, after all output is written. Return the code if the bpy module was not imported.

    If it was imported, the process ends here: the module may crash during Python's shutdown, and it never ends if a
    scene has drivers in Python.
    """
    end_output()
    sys.stderr.flush()
    if "bpy" in sys.modules:
        os._exit(code)
    return code
