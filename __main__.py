"""The `limberjack` command: core's verbs, and the add-on's where Blender's Python module can be imported."""

from __future__ import annotations

import importlib.util
import sys


def main(argv: list[str] | None = None) -> int:
    """Run the command with `argv` (default: the process's own). Returns its exit code."""
    from .core import cli

    if importlib.util.find_spec("bpy") is None:
        return cli.main(argv)
    from .addon import cli as addon_cli

    return addon_cli.main(argv)


if __name__ == "__main__":
    sys.exit(main())
