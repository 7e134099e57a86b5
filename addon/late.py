# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages whose modules are loaded when they are first used, as `bridge.picking` is in `bridge.picking.hit_of(...)`.

Blender loads all add-ons before it shows anything, and most of what they can do is not used in a session.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType


def late_modules(package: str) -> Callable[[str], ModuleType]:
    """The `__getattr__` of a package, called with the package's name. Its modules alone are found so."""

    def find(name: str) -> ModuleType:
        if name.startswith("_") or find_spec(f"{package}.{name}") is None:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        return import_module(f"{package}.{name}")

    return find
