# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs in a process of its own: calls a function of core, by the name and the cache of the package that asks for it."""

import importlib
import importlib.util
import os
import sys
import threading
import types
from pathlib import Path


def main(package: str, folder: str, cache: str, module: str, function: str, *words: str) -> None:
    import_as(package, folder)
    importlib.import_module(f"{package}.core.kernel_cache").set_cache_root(Path(cache))
    getattr(importlib.import_module(f"{package}.core.{module}"), function)(*words)


def import_as(package: str, folder: str) -> None:
    """Import what lies in the folder by the name that it has in the other process, such as an extension's."""
    parts = package.split(".")
    for depth in range(1, len(parts)):
        name = ".".join(parts[:depth])
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = []
    spec = importlib.util.spec_from_file_location(
        package, Path(folder) / "__init__.py", submodule_search_locations=[folder]
    )
    assert spec is not None  # as for every .py file
    assert spec.loader is not None
    module = sys.modules[package] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def end_with_parent() -> None:
    """Wait for the end of the pipe that the parent holds, however it ends."""
    os.read(0, 1)  # not sys.stdin, whose lock would keep Python from ending
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    main(*sys.argv[1:])
