"""Packages that load their modules when these are asked for."""

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

import limberjack
from limberjack.core import geometry, model, trajectory

ROOT = Path(limberjack.__file__).parent
PACKAGES = ("core/geometry", "core/model", "core/trajectory", "addon/bake", "addon/bridge")


def told_to_checkers(tree: ast.Module) -> set[tuple[str, str]]:
    """Module and name of each import that only type checkers see."""
    hidden = next(node for node in tree.body if isinstance(node, ast.If))
    return {(node.module, alias.name) for node in hidden.body for alias in node.names}


def told_to_python(tree: ast.Module) -> set[tuple[str, str]]:
    """Those in the table for `late`."""
    table = next(node for node in ast.walk(tree) if isinstance(node, ast.Dict))
    return {(module, name) for module, names in ast.literal_eval(table).items() for name in names.split()}


@pytest.mark.parametrize("package", PACKAGES)
def test_checkers_and_python_are_told_the_same(package):
    """What a package offers to type checkers is what it has, and hides none of its modules."""
    folder = ROOT / package
    tree = ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))
    offered = told_to_python(tree)
    assert told_to_checkers(tree) == offered
    assert not {name for _, name in offered} & {path.stem for path in folder.glob("*.py")}


@pytest.mark.parametrize("package", [geometry, model, trajectory])
def test_all_that_is_offered_is_there(package):
    """Each name of a table is found in its module."""
    tree = ast.parse(Path(package.__file__).read_text(encoding="utf-8"))
    for module, name in told_to_python(tree):
        assert getattr(package, name) is getattr(importlib.import_module(f"{package.__name__}.{module}"), name)


def test_what_is_not_offered():
    """A wrong name is told as Python tells it."""
    with pytest.raises(AttributeError, match=r"module 'limberjack\.core\.model' has no attribute 'Modle'"):
        _ = model.Modle


def test_only_what_is_asked_for_is_loaded():
    """An error's class, which most of the add-on names, does not bring the compiler of models along."""
    asked = "from limberjack.core.model import ModelError"
    script = f"import sys; {asked}; print('limberjack.core.model.compile' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
