# SPDX-License-Identifier: GPL-3.0-or-later
"""A script that runs in a process of its own and imports mesh files for the Blender that started it."""

import importlib
import importlib.util
import sys
from pathlib import Path


def main(package: str, folder: str) -> None:
    """Import the package as in the other process, and serve its requests.

    Args:
        package: name of Limberjack's package in the other process.
        folder: its path.
    """
    program = Path(folder) / "core" / "processes" / "helper_program.py"
    spec = importlib.util.spec_from_file_location("limberjack_child", program)
    assert spec is not None  # never None for a .py file
    assert spec.loader is not None
    child = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(child)
    child.import_as(package, folder)
    importlib.import_module(f"{package}.addon.bridge.meshes.mesh_importers").serve()


if __name__ == "__main__":
    main(*sys.argv[-2:])
