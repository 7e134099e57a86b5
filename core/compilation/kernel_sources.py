# SPDX-License-Identifier: GPL-3.0-or-later
"""Finds the files that kernels are made of. Only an edit of one of these files requires compiling again."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path, PurePosixPath

CORE_FOLDER = Path(__file__).parents[1]

COMPILER = "compilation/compiler.py"
"""The file of core that contains the options of numba."""

MARKS = {"kernel", "jitable", "subroutine"}
"""Decorators of functions that are compiled."""

MARKED = re.compile(rb"^@(%s)$" % "|".join(sorted(MARKS)).encode(), re.MULTILINE)
"""Pattern of a decorator of a compiled function."""


def sources(folder: Path = CORE_FOLDER) -> dict[str, bytes]:
    """Return the text of all files below a folder that kernels are made of, by the file's path in the folder.

    These are the files with functions that are compiled, and those that define what these functions and constants use.
    Other changes, such as a word of the command line, require no compilation.
    """
    texts = {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*.py")}
    files = {path: _File(path, text) for path, text in texts.items()}
    found = {path for path, text in texts.items() if path == COMPILER or MARKED.search(text)}
    pending = sorted(found)
    while pending:
        file = files[pending.pop()]
        homes = {_home(file, name, files) for name in file.used if name in file.imports}
        pending += sorted(homes - found - {""})
        found |= homes - {""}
    return {path: texts[path] for path in sorted(found)}


class _File:
    """A file of core: its path there, and its content."""

    def __init__(self, path: str, text: bytes):
        self.path, self.text = path, text

    @cached_property
    def body(self) -> list[ast.stmt]:
        return ast.parse(self.text).body

    @cached_property
    def used(self) -> set[str]:
        """The names that its compiled functions and the values of its constants use."""
        functions = [node for node in self.body if isinstance(node, ast.FunctionDef)]
        compiled = [node for node in functions if MARKS & _names(*node.decorator_list)]
        values = [node.value for node in self.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
        return _names(*compiled, *values)

    @cached_property
    def imports(self) -> dict[str, tuple[PurePosixPath, str]]:
        """For each imported name: the place in core that it comes from, and its name there."""
        found = {}
        above = PurePosixPath(self.path).parents
        for node in self.body:
            if isinstance(node, ast.ImportFrom) and 0 < node.level <= len(above):
                place = above[node.level - 1] / (node.module or "").replace(".", "/")
                found |= {each.asname or each.name: (place, each.name) for each in node.names}
        return found


def _home(file: _File, name: str, files: Mapping[str, _File]) -> str:
    """Return the file that defines a name of a file, through all files that re-export it, or "" for a module."""
    if name not in file.imports:
        return file.path
    place, original = file.imports[name]
    for path in (f"{place}.py", f"{place}/__init__.py"):
        if path in files:
            return _home(files[path], original, files)
    return ""


def _names(*nodes: ast.AST) -> set[str]:
    return {found.id for node in nodes for found in ast.walk(node) if isinstance(found, ast.Name)}
