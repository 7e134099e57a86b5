# SPDX-License-Identifier: GPL-3.0-or-later
"""The command `blender -b FILE --command limberjack …`, which Blender offers while the extension is enabled.

It is separate from `registry`, since verbs of the command enable the add-on themselves when they run outside Blender.
"""

import bpy

from . import ids

_handles = []


def start():
    """Add the command to Blender."""
    _handles.append(bpy.utils.register_cli_command(ids.COMMAND, _run))


def stop():
    """Remove the command from Blender."""
    while _handles:
        bpy.utils.unregister_cli_command(_handles.pop())


def _run(argv: list[str]) -> int:
    """Run the command with the arguments after its name. Return the exit code."""
    from .cli import main_inside_blender  # late: importing it would delay Blender's start

    return main_inside_blender(argv)
