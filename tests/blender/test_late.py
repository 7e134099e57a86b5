# SPDX-License-Identifier: GPL-3.0-or-later
"""Packages whose modules are loaded when these are first used."""

import ast
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import limberjack

ROOT = Path(limberjack.__file__).parent
ADDON = ROOT / "addon"
PACKAGES = sorted(
    path.parent.relative_to(ADDON).as_posix().replace("/", ".")
    for name in ("bake", "bridge")
    for path in (ADDON / name).rglob("__init__.py")
    if "late_modules" in path.read_text(encoding="utf-8")
)


def members_of(package):
    """The modules and packages in a package."""
    folder = ADDON / package.replace(".", "/")
    return {path.stem for path in folder.glob("[a-z]*.py")} | {
        path.parent.name for path in folder.glob("*/__init__.py")
    }


@pytest.mark.parametrize("package", PACKAGES)
def test_checkers_are_told_of_what_is_used(package):
    """Guards type checks: what the add-on finds late in a package is imported there for checkers, and nothing else."""
    tree = ast.parse((ADDON / package.replace(".", "/") / "__init__.py").read_text(encoding="utf-8"))
    hidden = next(node for node in tree.body if isinstance(node, ast.If))
    told = {alias.name for node in hidden.body for alias in node.names}
    texts = [path.read_text(encoding="utf-8") for path in ADDON.rglob("*.py")]
    pattern = rf"(?<![\w.]){re.escape(package)}\.([a-z_]+)\.\w"
    used = {name for text in texts for name in re.findall(pattern, text)}
    assert told == used & members_of(package)


@pytest.mark.parametrize("package", PACKAGES)
def test_modules_are_found_by_their_names(package):
    """Guards `bridge.viewport.picking.hit_of(...)`: each module answers, and Python's error names a wrong name."""
    found = importlib.import_module(f"limberjack.addon.{package}")
    for name in members_of(package):
        assert getattr(found, name) is importlib.import_module(f"{found.__name__}.{name}")
    with pytest.raises(AttributeError, match=rf"module '{found.__name__}' has no attribute 'pickin'"):
        _ = found.pickin


def test_only_what_is_used_is_loaded():
    """Guards Blender's start: an error's class, which most of the add-on names, brings no compiler of models along."""
    script = """
import os, sys, bpy
import limberjack.addon.ops
from limberjack.core.model import ModelError
heavy = "limberjack.core.model.compiling.compile", "limberjack.addon.bridge.posing.posing"
print([name for name in heavy if name in sys.modules])
sys.stdout.flush()
os._exit(0)  # bpy may crash at its end
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"  # Blender may begin with words of its own
