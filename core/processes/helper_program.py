# SPDX-License-Identifier: GPL-3.0-or-later
"""The program of a separate process, which calls a function of core.

It uses the package name and the cache of the process that started it.
"""

import importlib
import importlib.util
import os
import sys
import threading
import types
from pathlib import Path


def main(package: str, folder: str, cache: str, module: str, function: str, *words: str) -> None:
    import_as(package, folder)
    importlib.import_module(f"{package}.core.compilation.kernel_cache").set_cache_root(Path(cache))
    getattr(importlib.import_module(f"{package}.core.{module}"), function)(*words)


def import_as(package: str, folder: str) -> None:
    """Import the package in a folder by the name that it has in the other process, such as that of an extension."""
    parts = package.split(".")
    for depth in range(1, len(parts)):
        name = ".".join(parts[:depth])
        sys.modules[name] = types.ModuleType(name)
        sys.modules[name].__path__ = []
    spec = importlib.util.spec_from_file_location(
        package, Path(folder) / "__init__.py", submodule_search_locations=[folder]
    )
    assert spec is not None  # true for every .py file
    assert spec.loader is not None
    module = sys.modules[package] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)


def end_with_parent() -> None:
    """Wait until the pipe from the parent process closes, however the parent ends, and end this process."""
    os.read(0, 1)  # the lock of sys.stdin would keep Python from ending
    os._exit(1)


if __name__ == "__main__":
    threading.Thread(target=end_with_parent, daemon=True).start()
    main(*sys.argv[1:])
