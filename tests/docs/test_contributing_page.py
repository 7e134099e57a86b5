# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of where a new thing goes: as much of it as a machine can know."""

import re
import tomllib
from pathlib import Path

import pytest

from support.pages import ROOT

PAGE = ROOT / "CONTRIBUTING.md"
SECTION = PAGE.read_text(encoding="utf-8").partition("## Where a new thing goes")[2].partition("\n## ")[0]
LINES = SECTION.splitlines()
PLACES = dict([line.strip("| ").split(" | ") for line in LINES if line.startswith("| ")][1:])
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
A_PATH = re.compile(r"^\.?[\w/.-]+(/|\.(py|md|json|sdf|blend))$")


def named(place: str) -> tuple[list[Path], list[str]]:
    """The files and folders that a cell names, each in full or from the folder of one before it, and names of code."""
    paths: list[Path] = []
    names = []
    for word in re.findall(r"`([^`]+)`", place):
        if not A_PATH.match(word):
            names.append(word)
            continue
        folders = [ROOT, *(path if path.is_dir() else path.parent for path in reversed(paths))]
        paths.append(next((folder / word for folder in folders if (folder / word).exists()), ROOT / word))
    return paths, names


@pytest.mark.parametrize("thing", PLACES)
def test_a_place_is_there(thing):
    """Guards the table against what was renamed: each file is there, and each name of code is in one of the row's."""
    paths, names = named(PLACES[thing].replace("NAME", "crane"))
    assert paths or "where it is drawn" in PLACES[thing]
    assert [path for path in paths if not path.exists()] == []
    files = [file for path in paths for file in ([path] if path.is_file() else path.glob("*.py"))]
    text = "\n".join(file.read_text(encoding="utf-8") for file in files if file.suffix != ".blend")
    words = {name for name in names if re.fullmatch(r"[A-Za-z_]+", name)}
    assert [word for word in sorted(words) if not re.search(rf"\b{word}\b", text)] == []


def test_layers_are_listed_once_and_are_all():
    """Guards the list of layers: every module and package of both halves is in one, since others would not be held."""
    contracts = PROJECT["tool"]["importlinter"]["contracts"]
    for half in ("core", "addon"):
        (layers,) = [one["layers"] for one in contracts if one.get("containers") == [f"limberjack.{half}"]]
        listed = {name for layer in layers for name in re.split(r" *[|:] *", layer)}
        there = {
            path.stem
            for path in (ROOT / half).iterdir()
            if (path.suffix == ".py" and path.stem != "__init__") or (path / "__init__.py").is_file()
        }
        assert listed == there - {"child"}  # which is run, and imports nothing of ours by its name


def test_numba_is_tried_up_to_its_bound():
    """Guards numba's upper bound: what we are developed and tested with is the newest that is allowed."""
    (bound,) = re.findall(r"numba>=[\d.]+,<0\.(\d+)", PROJECT["project"]["optional-dependencies"]["fast"][0])
    pinned = (ROOT / "requirements" / "dev.txt").read_text(encoding="utf-8")
    assert re.findall(r"^numba==0\.(\d+)\.", pinned, re.M) == [str(int(bound) - 1)]
