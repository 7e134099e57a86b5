# SPDX-License-Identifier: GPL-3.0-or-later
"""No module needs another one that needs it, whether at its top or inside a function."""

import ast
import graphlib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules(package: str) -> dict[str, Path]:
    """By dotted name; a package has the name of its folder."""
    files = (path for path in (ROOT / package).rglob("*.py") if "kernels" not in path.parts)
    return {".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path for path in files}


def needed(name: str, path: Path) -> Iterator[str]:
    """Names that a module's relative imports may mean, without those for type checkers alone."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    pending: list[ast.AST] = [ast.parse(path.read_text(encoding="utf-8"))]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        pending.extend(ast.iter_child_nodes(node))
        if isinstance(node, ast.ImportFrom) and node.level:
            parts = package.split(".")
            base = ".".join([*parts[: len(parts) - node.level + 1], *filter(None, [node.module])])
            for alias in node.names:
                yield f"{base}.{alias.name}"
                yield base


def graph(known: dict[str, Path]) -> dict[str, set[str]]:
    """For each module, the modules that it imports from: a submodule counts, and not the package it stands in."""
    found = {}
    for name, path in known.items():
        names = list(needed(name, path))
        pairs = zip(names[::2], names[1::2], strict=True)
        found[name] = {inner if inner in known else base for inner, base in pairs} & known.keys() - {name}
    return found


@pytest.mark.parametrize("package", ["core", "addon"])
def test_no_circles(package):
    """Guards the order in which modules can be read and tested: a circle is one module in several files."""
    imports = graph(modules(package))
    assert len(imports) > 50
    graphlib.TopologicalSorter(imports).prepare()


def test_it_finds_circles(tmp_path, monkeypatch):
    """Guards the search itself: imports inside functions count, those for type checkers do not."""
    (tmp_path / "p").mkdir()
    texts = {
        "__init__": "",
        "a": "def f():\n    from .b import x\n",
        "b": "from . import c\n",
        "c": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from . import a\n",
    }
    for name, text in texts.items():
        (tmp_path / "p" / f"{name}.py").write_text(text)
    monkeypatch.setitem(globals(), "ROOT", tmp_path)
    imports = graph(modules("p"))
    assert imports["p.a"] == {"p.b"}
    graphlib.TopologicalSorter(imports).prepare()
    (tmp_path / "p" / "c.py").write_text("from .a import f\n")
    with pytest.raises(graphlib.CycleError):
        graphlib.TopologicalSorter(graph(modules("p"))).prepare()
