# SPDX-License-Identifier: GPL-3.0-or-later
"""What is in the extension's plain zip; those with wheels are that and the wheels."""

import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def plain_zip(tmp_path_factory) -> zipfile.ZipFile:
    """As Blender's own builder makes it and Blender's validator accepts it, else the program fails."""
    dist = tmp_path_factory.mktemp("dist")
    subprocess.run([sys.executable, ROOT / ".ci" / "build_extension.py", "--plain", "--into", dist], check=True)
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text())["version"]
    return zipfile.ZipFile(dist / f"limberjack-{version}.zip")


def test_it_holds_what_runs_and_no_more(plain_zip):
    """All modules, translations, samples and the licence are in; tests, tools and pages for developers are not."""
    names = set(plain_zip.namelist())
    modules = {path.relative_to(ROOT).as_posix() for tree in ("core", "addon") for path in (ROOT / tree).rglob("*.py")}
    translations = {path.relative_to(ROOT).as_posix() for path in (ROOT / "addon" / "locale").glob("*.json")}
    assert translations
    assert modules | translations <= names
    beside = {name for name in names if not name.startswith(("core/", "addon/", "sample_scenes/"))}
    texts = {"LICENSE", "README.md", "CHANGELOG.md"}
    assert beside == {"__init__.py", "__main__.py", "blender_manifest.toml", "py.typed", *texts}
    samples = {Path(name) for name in names if name.startswith("sample_scenes/")}
    assert any(sample.suffix == ".blend" for sample in samples)
    assert not [sample for sample in samples if sample.suffix == ".py" or len(sample.parts) != 2]
    assert not [name for name in names if "__pycache__" in name or name.endswith((".whl", ".so", ".pyd", ".dll"))]


def test_its_manifest_is_the_checkouts(plain_zip):
    """Only zips for a platform name platforms and wheels: the checkout has none, and Blender loads it as it is."""
    assert plain_zip.read("blender_manifest.toml") == (ROOT / "blender_manifest.toml").read_bytes()
    assert not {"wheels", "platforms"} & tomllib.loads(plain_zip.read("blender_manifest.toml").decode()).keys()


def test_its_licence_is_whole(plain_zip):
    """GPL 3 demands its own text with every copy."""
    text = plain_zip.read("LICENSE").decode()
    assert "GNU GENERAL PUBLIC LICENSE" in text
    assert "Version 3, 29 June 2007" in text
