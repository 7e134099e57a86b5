# SPDX-License-Identifier: GPL-3.0-or-later
"""pxr, the library that opens files of USD. Blender brings its own; elsewhere it is the package usd-core."""

from __future__ import annotations

from importlib import import_module
from types import SimpleNamespace

MODULES = ("Sdf", "Tf", "Usd", "UsdGeom")
"""Modules of pxr that readers use. UsdPhysics is not among them: its attributes are read by their names."""

INSTALL = "USD files are opened by the package usd-core; install it with: pip install usd-core"
"""Sentence for users who have no pxr."""


def pxr() -> SimpleNamespace:
    """Return the modules of pxr by their names.

    Raises:
        ImportError: if there is no pxr, or one that lacks a module.
    """
    return SimpleNamespace(**{name: import_module(f"pxr.{name}") for name in MODULES})
