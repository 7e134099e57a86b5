# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of a package that are imported from its modules at their first use (PEP 562).

Blender loads all add-ons before it shows anything, and making a dataclass takes half a millisecond.
"""

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any


def late_names(package: str, names: Sequence[str], modules: Sequence[str]) -> tuple[Callable[[str], Any], Callable]:
    """Return `__getattr__` and `__dir__` of a package with these public names.

    Its modules are searched in the given order.
    """

    def find(name: str) -> Any:
        if name in names:
            for module in modules:
                found = vars(import_module(f"{package}.{module}"))
                if name in found:
                    return found[name]
        raise AttributeError(f"module '{package}' has no attribute '{name}'")

    return find, lambda: sorted(names)
