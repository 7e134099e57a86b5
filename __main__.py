"""The `limberjack` command. Verbs that need Blender ask for its Python module only when they are used."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command with the process's own arguments. Returns its exit code."""
    from .addon import cli

    code = cli.main()
    cli.end_output()
    return code


if __name__ == "__main__":
    sys.exit(main())
