# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a process of its own, as a script: imports mesh files for the Blender that has started it."""

import importlib
import importlib.util
import sys
from pathlib import Path


def main(package: str, folder: str) -> None:
    """package, folder: the name and place of Limberjack's package in the other process."""
    spec = importlib.util.spec_from_file_location("limberjack_child", Path(folder) / "core" / "child.py")
    assert spec is not None  # as for every .py file
    assert spec.loader is not None
    child = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(child)
    child.import_as(package, folder)
    importlib.import_module(f"{package}.addon.bridge.mesh_importers").serve()


if __name__ == "__main__":
    main(*sys.argv[-2:])
