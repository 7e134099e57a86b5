# SPDX-License-Identifier: GPL-3.0-or-later
"""Docstrings name arguments, attributes and files that exist."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

FILES = [path for package in ("core", "addon", "native") for path in sorted((ROOT / package).rglob("*.py"))]

SECTION = re.compile(r"^( *)(Args|Attributes):\n((?:(?:\1 +.*)?\n)*)", re.MULTILINE)
"""A section of a docstring: its indentation, its title and its lines."""

ENTRY = re.compile(r"^ {4}((?:\*{0,2}\w+, )*\*{0,2}\w+): ", re.MULTILINE)
"""The names before the colon of an entry."""

OUR_FILE = re.compile(r"(?<![\w/.-])((?:core|addon|native|tests|docs|benchmarks)/[a-z0-9_/]+\.\w+)")
"""A path from the root of the repository."""


def documented(docstring: str, title: str) -> Iterator[str]:
    """Names that a section of a docstring describes."""
    for indent, found, lines in SECTION.findall(docstring + "\n"):
        if found == title:
            text = "\n".join(line[len(indent) :] for line in lines.splitlines())
            for names in ENTRY.findall(text):
                yield from (name.lstrip("*") for name in names.split(", "))


def functions_of(tree: ast.AST) -> Iterator[tuple[str, str, set[str]]]:
    """Name, docstring and arguments of each function. The docstring of a class describes those of its `__init__`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, ast.get_docstring(node) or "", _arguments(node)
        elif isinstance(node, ast.ClassDef):
            makers = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.name == "__init__"]
            if makers:
                yield node.name, ast.get_docstring(node) or "", _arguments(makers[0])


def _arguments(node: ast.FunctionDef) -> set[str]:
    arguments = node.args
    named = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {each.arg for each in named if each}


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def test_arguments_are_there():
    """Guards descriptions of arguments against renames: a reader searches for the name that is described."""
    found = [
        (where(path), name, word)
        for path in FILES
        for name, text, arguments in functions_of(ast.parse(path.read_text(encoding="utf-8")))
        for word in documented(text, "Args")
        if word not in arguments
    ]
    assert found == []


def test_attributes_are_there():
    """Guards descriptions of attributes: each is a name in the code of the file, besides docstrings."""
    found = []
    for path in FILES:
        text = path.read_text(encoding="utf-8")
        words = set(re.findall(r"\w+", re.sub(r'"""(?:.|\n)*?"""', "", text)))
        classes = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ClassDef))
        found += [
            (where(path), node.name, word)
            for node in classes
            for word in documented(ast.get_docstring(node) or "", "Attributes")
            if word not in words
        ]
    assert found == []


def test_files_are_there():
    """Guards paths in docstrings and comments against moves."""
    texts = {where(path): path.read_text(encoding="utf-8") for path in FILES}
    found = [(place, name) for place, text in texts.items() for name in OUR_FILE.findall(text)]
    assert [(place, name) for place, name in found if not (ROOT / name).exists()] == []
