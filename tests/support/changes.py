# SPDX-License-Identifier: GPL-3.0-or-later
"""Which test files a change affects, and how closely: their distance from the changed files in the import graph.

The graph is read from the sources, without importing them, and includes imports inside functions. It cannot see child
processes, modules that are imported by a computed name, and files that are not Python, such as sample scenes and
translations. A test file that may depend on a change in such a way counts as affected, but at the largest distance.
Tests mirror the code, so the tests of a changed file's own package are near it whatever the graph says.
"""

from __future__ import annotations

import ast
import re
import subprocess
from collections import deque
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "limberjack"
UNSEEN = 99
"""Distance of a test file that may depend on a change in a way that the import graph does not show."""

MIRRORED = 2
"""Largest distance of tests in the folder that mirrors a changed file's: tests/core/contact mirrors core/contact."""

STARTS_PROCESSES = re.compile(r"\bsubprocess\b|\bsys\.executable\b|\bProcessPoolExecutor\b|\bimport_module\(")
"""Found in files that start child processes, or import modules by a computed name."""

SESSION_HOURS = 4
"""Commits of the last hours before HEAD count as one change, if there is no branch to compare with [h]."""


def changed_since(base: str | None = None) -> list[str]:
    """Return the files that differ from a commit, uncommitted and untracked ones included, relative to the root.

    Args:
        base: the commit. None takes `default_base`.

    Raises:
        subprocess.CalledProcessError: if git does not know the commit.
    """
    tracked = _git("diff", "--name-only", "-z", base or default_base())
    untracked = _git("ls-files", "--others", "--exclude-standard", "-z")
    return sorted(name for name in (tracked + untracked).split("\0") if name)


def commit() -> str:
    """Return the hash of HEAD; "" where git knows no repository."""
    return subprocess.run(["git", "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True).stdout.strip()


def default_base() -> str:
    """Return the commit where HEAD left origin/main; if HEAD is part of it, the last one before the newest session."""
    merged = subprocess.run(["git", "merge-base", "HEAD", "origin/main"], cwd=ROOT, capture_output=True, text=True)
    head = _git("rev-parse", "HEAD").strip()
    if merged.returncode == 0 and merged.stdout.strip() != head:
        return merged.stdout.strip()
    seconds = int(_git("log", "-1", "--format=%ct", "HEAD")) - SESSION_HOURS * 3600
    return _git("rev-list", "-1", f"--before={seconds}", "HEAD").strip() or head


def distances(changed: Iterable[str], test_files: Iterable[str]) -> dict[str, int]:
    """Return the distance of each affected test file from the nearest changed file.

    0 means that the test file itself has changed, 1 that it imports a changed file or names a changed data file, and
    so on. Test files that no change can affect are left out.

    Args:
        changed, test_files: paths relative to the repository's root, with forward slashes.
    """
    changed = list(changed)
    imports = read_imports()
    by_imports = _distances_by_imports(imports, changed)
    unseen = any(not name.endswith(".md") for name in changed)  # only tests that name a page read it
    affected = {}
    for test_file in test_files:
        near = list(_near(test_file, changed))
        if test_file in by_imports:
            near.append(by_imports[test_file])
        close_files = [test_file, *(name for name in imports.get(test_file, ()) if name.startswith("tests/"))]
        if unseen and any(STARTS_PROCESSES.search(_text_of(name)) for name in close_files):
            near.append(UNSEEN)
        if near:
            affected[test_file] = min(near)
    return affected


def _near(test_file: str, changed: list[str]) -> Iterator[int]:
    for name in changed:
        if name.endswith(".py"):
            if Path(test_file).parent == _mirrored_folder(name):
                yield MIRRORED
        elif Path(name).name in _text_of(test_file) or f'"{Path(name).stem}"' in _text_of(test_file):
            yield 1


def _mirrored_folder(name: str) -> Path:
    """Return the folder of tests that mirrors a file's folder, or the nearest one above it that exists."""
    folder = Path("tests", name).parent
    while not (ROOT / folder).is_dir():
        folder = folder.parent
    return folder


def _distances_by_imports(imports: dict[str, list[str]], changed: Iterable[str]) -> dict[str, int]:
    """Return, for each file that imports a changed one, directly or through others, the least number of imports."""
    importers: dict[str, list[str]] = {}
    for importer, imported in imports.items():
        for name in imported:
            importers.setdefault(name, []).append(importer)
    found = dict.fromkeys(changed, 0)
    queue = deque(found)
    while queue:
        name = queue.popleft()
        for importer in importers.get(name, ()):
            if importer not in found:
                found[importer] = found[name] + 1
                queue.append(importer)
    return found


@cache
def read_imports() -> dict[str, list[str]]:
    """Return the files that each Python file of the repository imports, inside functions too."""
    listed = _git("ls-files", "--cached", "--others", "--exclude-standard", "-z", "*.py")
    files = {name for name in listed.split("\0") if name}
    found = {}
    for name in sorted(files):
        modules = _imported_modules(name, ast.parse(_text_of(name)))
        found[name] = list(dict.fromkeys(file for module in modules if (file := _file_of(module, files))))
    return found


def _file_of(module: str, files: set[str]) -> str | None:
    """Return the file of a module, such as "limberjack.core.compilation.jit" or "support.cases"."""
    inside = module == PACKAGE or module.startswith(f"{PACKAGE}.")
    path = (module.removeprefix(PACKAGE).lstrip(".") if inside else module).replace(".", "/")
    for folder in [""] if inside else ["tests/", ""]:
        for candidate in (f"{folder}{path}.py", f"{folder}{path}/__init__.py".lstrip("/")):
            if candidate in files:
                return candidate
    return None


@cache
def _text_of(name: str) -> str:
    path = ROOT / name
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _imported_modules(name: str, tree: ast.AST) -> Iterator[str]:
    """Yield full names of modules that a file may import; of `from a import b`, both `a` and `a.b`."""
    package = [PACKAGE, *Path(name).parent.parts] if not name.startswith("tests/") else list(Path(name).parent.parts)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout
