# SPDX-License-Identifier: GPL-3.0-or-later
"""The `limberjack` command. Verbs that need Blender ask for its Python module only when they are used."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command with the process's own arguments. Returns its exit code, or ends the process with it."""
    from .core import answer
    from .core.processes import interrupts

    interrupts.heed(answer.stopped() if answer.is_asked_for(sys.argv[1:]) else "")
    from .addon import cli

    return cli.end(cli.main())


if __name__ == "__main__":
    sys.exit(main())
