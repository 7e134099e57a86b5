# SPDX-License-Identifier: GPL-3.0-or-later
"""pxr, the library that opens files of USD. Blender brings its own; elsewhere it is the package usd-core."""

from __future__ import annotations

import tempfile
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace

MODULES = ("Sdf", "Tf", "Usd", "UsdGeom", "UsdUtils")
"""Modules of pxr that are used. UsdPhysics is not among them: its attributes are read by their names."""

INSTALL = "USD files are opened by the package usd-core; install it with: pip install usd-core"
"""Sentence for users who have no pxr."""


def pxr() -> SimpleNamespace:
    """Return the modules of pxr by their names.

    Raises:
        ImportError: if there is no pxr, or one that lacks a module.
    """
    return SimpleNamespace(**{name: import_module(f"pxr.{name}") for name in MODULES})


def binary(text: str, suffix: str) -> bytes:
    """Return a text of USD as the content of a binary file: .usdc, or .usdz, which is an archive of one."""
    modules = pxr()
    layer = modules.Sdf.Layer.CreateAnonymous(".usda")
    layer.ImportFromString(text)
    with tempfile.TemporaryDirectory(prefix="limberjack-") as folder:
        crate, archive = Path(folder, "model.usdc"), Path(folder, "model.usdz")
        layer.Export(str(crate))
        if suffix == ".usdz":
            modules.UsdUtils.CreateNewUsdzPackage(modules.Sdf.AssetPath(str(crate)), str(archive))
        return (archive if suffix == ".usdz" else crate).read_bytes()
