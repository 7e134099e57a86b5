"""Packages whose modules are loaded when one of their names is first asked for.

Blender starts all its add-ons before it shows anything, and most of what they are able to do is not asked for.
"""

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def late(package: str, offered: Mapping[str, str]) -> Callable[[str], Any]:
    """The `__getattr__` of a package. What it gives is also imported under `TYPE_CHECKING`, for checkers and readers.

    offered: by the package's modules, the names that they give it, with spaces between. None may be that of a module.
    """
    home = {name: module for module, names in offered.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in home:
            raise AttributeError(f"module '{package}' has no attribute '{name}'")
        found = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, found)  # asked for once only
        return found

    return find
