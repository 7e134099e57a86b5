# SPDX-License-Identifier: GPL-3.0-or-later
"""Tutorials of other programs, done with the public names: each runs, and is at most twice its page in length."""

import ast
import re
import runpy
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "docs" / "examples"
SCRIPTS = sorted(FOLDER.glob("*.py"))


def lines_of(script):
    """Lines with code: no blank ones, no comments, not the text at the head, nor what comes from where."""
    tree = ast.parse(script.read_text(encoding="utf-8"))
    kept = [node for node in tree.body[1:] if not isinstance(node, ast.Import | ast.ImportFrom)]
    return len({line for node in kept for line in range(node.lineno, node.end_lineno + 1)} & _with_code(script))


def _with_code(script):
    text = script.read_text(encoding="utf-8").splitlines()
    return {number for number, line in enumerate(text, 1) if line.strip() and not line.strip().startswith("#")}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_runs(script, monkeypatch, tmp_path, capsys):
    """Guards what a newcomer copies: it runs, and what it asserts of itself is so."""
    monkeypatch.chdir(tmp_path)
    runpy.run_path(str(script))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_it_is_short_and_asks_for_nothing_hidden(script):
    """Guards the promise: at most twice the page's length, and one door."""
    text = script.read_text(encoding="utf-8")
    head = ast.get_docstring(ast.parse(text))
    if told := re.search(r"The page takes (\d+) lines", head):
        assert lines_of(script) <= 2 * int(told[1])
    else:
        assert "The page has no code for it" in head
    assert "limberjack." not in text.replace("import limberjack as lj", "")


def test_the_page_names_them_all():
    """Guards the list in the examples' README, and that the README names none that is gone."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert sorted(set(re.findall(r"\(([a-z_]+\.py)\)", page))) == [script.name for script in SCRIPTS]


def test_the_readme_runs(monkeypatch, capsys):
    """Guards the first lines of Python that anybody sees."""
    root = FOLDER.parents[1]
    monkeypatch.chdir(root)
    (snippet,) = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.S)
    exec(compile(snippet, "README.md", "exec"), {})
    assert capsys.readouterr().out.count("\n") >= 7
