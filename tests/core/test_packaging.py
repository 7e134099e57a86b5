"""What stands in two places must agree."""

import tomllib
from pathlib import Path

from limberjack.core.version import VERSION

ROOT = Path(__file__).parents[2]


def test_every_package_is_listed():
    """Guards installed wheels: setuptools is told of each folder with modules, and of no other."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {path.parent for tree in ("core", "addon") for path in (ROOT / tree).rglob("__init__.py")}
    assert listed == {"limberjack"} | {".".join(("limberjack", *path.relative_to(ROOT).parts)) for path in found}


def test_the_extension_has_the_packages_version():
    """Guards the manifest against a forgotten release number."""
    assert tomllib.loads((ROOT / "blender_manifest.toml").read_text())["version"] == VERSION


def test_pins_name_no_registry():
    """Guards users behind mirrors: no index address in the pinned files."""
    for path in (ROOT / "requirements").glob("*.txt"):
        assert "://" not in path.read_text()
        assert "--hash=sha256:" in path.read_text()
