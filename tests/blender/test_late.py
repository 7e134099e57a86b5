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
from limberjack.addon import bake, bridge

ROOT = Path(limberjack.__file__).parent
PACKAGES = {"bake": bake, "bridge": bridge}


@pytest.mark.parametrize("package", PACKAGES)
def test_checkers_are_told_of_what_is_used(package):
    """Guards type checks: what the add-on finds late in a package is imported there for checkers, and nothing else."""
    tree = ast.parse((ROOT / "addon" / package / "__init__.py").read_text(encoding="utf-8"))
    hidden = next(node for node in tree.body if isinstance(node, ast.If))
    told = {alias.name for node in hidden.body for alias in node.names}
    texts = [path.read_text(encoding="utf-8") for path in (ROOT / "addon").rglob("*.py")]
    used = {name for text in texts for name in re.findall(rf"(?<![\w.]){package}\.([a-z_]+)\.\w", text)}
    assert told == {name for name in used if (ROOT / "addon" / package / f"{name}.py").is_file()}


@pytest.mark.parametrize("package", PACKAGES.values())
def test_modules_are_found_by_their_names(package):
    """Guards `bridge.picking.hit_of(...)`: each module answers, and a wrong name is told as Python tells it."""
    for path in Path(package.__file__).parent.glob("[a-z]*.py"):
        assert getattr(package, path.stem) is importlib.import_module(f"{package.__name__}.{path.stem}")
    with pytest.raises(AttributeError, match=rf"module '{package.__name__}' has no attribute 'pickin'"):
        _ = package.pickin


def test_only_what_is_used_is_loaded():
    """Guards Blender's start: an error's class, which most of the add-on names, brings no compiler of models along."""
    script = """
import os, sys, bpy
import limberjack.addon.ops
from limberjack.core.model import ModelError
print([name for name in ("core.model.compiling.compile", "addon.bridge.posing") if f"limberjack.{name}" in sys.modules])
sys.stdout.flush()
os._exit(0)  # bpy may crash at its end
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"  # Blender may begin with words of its own
