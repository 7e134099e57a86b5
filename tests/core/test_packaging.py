"""What is installed is whole: the Python package, its pins, and the version that both it and the extension have."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def test_every_package_is_listed():
    """Guards installed wheels: setuptools is told of each folder with modules, and of no other."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {path.parent for tree in ("core", "addon") for path in (ROOT / tree).rglob("__init__.py")}
    assert listed == {"limberjack"} | {".".join(("limberjack", *path.relative_to(ROOT).parts)) for path in found}


@pytest.mark.slow
def test_an_installed_package_knows_its_version(tmp_path):
    """Guards the one place of the version: setuptools reads it from the manifest, which a wheel therefore carries."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    sources = tmp_path / "sources"
    told = subprocess.run(["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, told.stdout.decode().split("\0")):
        if (ROOT / name).is_file():  # built from a copy, as setuptools writes beside its sources
            (sources / name).parent.mkdir(parents=True, exist_ok=True)
            (sources / name).write_bytes((ROOT / name).read_bytes())
    build = [*pip, "wheel", "--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", tmp_path, sources]
    subprocess.run(build, check=True, capture_output=True)
    wheel = next(tmp_path.glob("*.whl"))
    subprocess.run(
        [*pip, "install", "--quiet", "--no-deps", "--target", tmp_path / "installed", wheel],
        check=True,
        capture_output=True,
    )
    script = "from limberjack.core import version; print(version.VERSION, version.__file__)"
    where = {"PYTHONPATH": str(tmp_path / "installed")}
    told = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=where, capture_output=True, text=True)
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text())["version"]
    assert told.stdout.split() == [version, str(tmp_path / "installed" / "limberjack" / "core" / "version.py")]
    assert wheel.name.startswith(f"limberjack-{version}-")


def test_pins_name_no_registry():
    """Guards users behind mirrors: no index address in the pinned files."""
    for path in (ROOT / "requirements").glob("*.txt"):
        assert "://" not in path.read_text()
        assert "--hash=sha256:" in path.read_text()


def test_zips_carry_what_is_developed_with():
    """Guards users against a numba that no test has seen: wheels are pinned as in dev.txt."""
    pinned = set((ROOT / "requirements" / "dev.txt").read_text().splitlines())
    wheels = [line for line in (ROOT / "requirements" / "wheels.txt").read_text().splitlines() if "==" in line]
    assert wheels
    assert set(wheels) <= pinned
