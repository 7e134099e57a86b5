# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages whose modules are imported on first use, such as `rays` in `bridge.viewport.rays.ray_under(...)`.

Blender enables all add-ons before it shows anything, and most of their functions are not used in a session.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def late_modules(package: str) -> Callable[[str], ModuleType]:
    """Return the `__getattr__` of a package, which imports the package's own modules only.

    Args:
        package: its name.
    """

    def find(name: str) -> ModuleType:
        if name.startswith("_") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return import_module(f"{package}.{name}")

    return find
