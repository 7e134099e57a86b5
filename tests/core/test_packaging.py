# SPDX-License-Identifier: GPL-3.0-or-later
"""What is installed is whole: the Python package, its pins, and the version that both it and the extension have."""

import base64
import csv
import hashlib
import importlib
import json
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib.machinery import PathFinder
from pathlib import Path

import pytest
from packaging.metadata import Metadata
from packaging.utils import parse_wheel_filename

ROOT = Path(__file__).parents[2]


def copy_of_sources(folder: Path) -> Path:
    """What git keeps and would add: setuptools writes beside its sources."""
    told = subprocess.run(["git", "ls-files", "-zco", "--exclude-standard"], cwd=ROOT, capture_output=True, check=True)
    for name in filter(None, told.stdout.decode().split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    return folder


def test_every_package_is_listed():
    """Guards installed wheels: setuptools is told of each folder with modules, and of no other."""
    listed = set(tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["setuptools"]["packages"])
    found = {path.parent for tree in ("core", "addon") for path in (ROOT / tree).rglob("__init__.py")}
    assert listed == {"limberjack"} | {".".join(("limberjack", *path.relative_to(ROOT).parts)) for path in found}


@pytest.mark.slow
def test_an_installed_package_knows_its_version(tmp_path):
    """Guards the one place of the version: setuptools reads it from the manifest, which a wheel therefore carries."""
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    sources = copy_of_sources(tmp_path / "sources")
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


def test_shell_scripts_name_their_licence():
    """Guards who copies a single file; ruff (CPY001) holds Python's files to the same line."""
    for path in (ROOT / ".ci" / "run", *(ROOT / "tests").rglob("*.sh")):
        first, second, *_ = path.read_text(encoding="utf-8").splitlines()
        assert (first[:2], second) == ("#!", "# SPDX-License-Identifier: GPL-3.0-or-later"), path


@pytest.fixture
def kernels(tmp_path) -> Path:
    """A folder as `make kernels` leaves it, whose library is none."""
    folder = tmp_path / "kernels"
    folder.mkdir()
    (folder / "kernels-123.dll").write_bytes(bytes(range(256)))
    (folder / "kernels.json").write_text('{"platform": "windows-x64", "library": "kernels-123.dll"}')
    (folder / "kernels-of-yesterday.dll").write_bytes(b"not told of")
    return folder


@pytest.fixture
def write_wheel(monkeypatch):
    monkeypatch.syspath_prepend(ROOT / ".ci")
    return importlib.import_module("kernel_wheels").write_wheel


def test_a_wheel_of_kernels_is_as_the_specification_has_it(kernels, write_wheel, tmp_path):
    """Guards what Blender and every index of packages demand: its name, its metadata, and a record of all it holds."""
    path = write_wheel(kernels, tmp_path, "1.2.3", "win_amd64", 1_700_000_000)
    name, version, build, tags = parse_wheel_filename(path.name)
    assert (name, version.base_version, version.is_postrelease, version.local) == (
        "limberjack-kernels",
        "1.2.3",
        True,
        None,
    )
    assert (build, {str(tag) for tag in tags}) == ((), {"py3-none-win_amd64"})
    wheel = zipfile.ZipFile(path)
    about = f"limberjack_kernels-{version}.dist-info"
    metadata = Metadata.from_email(wheel.read(f"{about}/METADATA"))
    assert (metadata.name, metadata.version) == ("limberjack-kernels", version)
    assert metadata.license_expression == "GPL-3.0-or-later"
    assert wheel.read(f"{about}/licenses/{metadata.license_files[0]}") == (ROOT / "LICENSE").read_bytes()
    assert "Tag: py3-none-win_amd64" in wheel.read(f"{about}/WHEEL").decode().splitlines()
    recorded = list(csv.reader(wheel.read(f"{about}/RECORD").decode().splitlines()))
    assert [row[0] for row in recorded] == wheel.namelist()
    for file, digest, size in recorded[:-1]:
        content = wheel.read(file)
        told = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
        assert (digest, size) == (f"sha256={told}", str(len(content)))
    assert recorded[-1] == [f"{about}/RECORD", "", ""]


def test_a_wheel_of_kernels_is_found_once_it_is_installed(kernels, write_wheel, tmp_path):
    """Guards the loader's way to it: a package of that name, which need not be imported, with these two files."""
    path = write_wheel(kernels, tmp_path, "1.2.3", "any", 1_700_000_000)
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", tmp_path / "installed", path], check=True, capture_output=True)
    spec = PathFinder.find_spec("limberjack_kernels", [str(tmp_path / "installed")])
    (folder,) = spec.submodule_search_locations
    table = json.loads((Path(folder) / "kernels.json").read_bytes())
    assert table["platform"] == "windows-x64"
    assert (Path(folder) / table["library"]).read_bytes() == (kernels / "kernels-123.dll").read_bytes()
    assert not list((tmp_path / "installed").glob("*/kernels-of-yesterday.dll"))


def test_what_does_not_fit_is_added_to_nothing(kernels, monkeypatch, tmp_path, capsys):
    """Guards the window's tests: where the checkout's library is of another machine or of other sources, the extension
    is built without one, and says why."""
    monkeypatch.syspath_prepend(ROOT / ".ci")
    module = importlib.import_module("kernel_wheels")
    monkeypatch.setattr(module, "CORE_FOLDER", kernels.parent)
    staged = tmp_path / "staged"
    staged.mkdir()
    assert module.main(staged) == 1
    (kernels / "kernels.json").unlink()
    assert module.main(staged) == 1
    assert not list(staged.iterdir())
    assert [line.split(":")[0] for line in capsys.readouterr().out.splitlines()] == ["no library of kernels"] * 2


def test_the_animators_table_has_every_zip(monkeypatch):
    """Guards who looks for the zip of a system: one for each that kernels are compiled for, and the plain one."""
    monkeypatch.syspath_prepend(ROOT)
    platforms = importlib.import_module("native.platforms").PLATFORMS
    page = (ROOT / "docs" / "animator.md").read_text(encoding="utf-8")
    told = re.findall(r"^\| `limberjack-VERSION(.*)\.zip` \|", page, re.MULTILINE)
    assert sorted(told) == sorted(["", *(f"-{name.replace('-', '_')}" for name in platforms)])


def test_the_same_kernels_give_the_same_wheel(kernels, write_wheel, tmp_path):
    """Guards who compares what is published with what they have built: nothing of the day or the machine is in it."""
    (tmp_path / "again").mkdir()
    first = write_wheel(kernels, tmp_path, "1.2.3", "win_amd64", 1_700_000_000)
    (kernels / "kernels.json").touch()
    again = write_wheel(kernels, tmp_path / "again", "1.2.3", "win_amd64", 1_700_000_000)
    assert first.name == again.name
    assert first.read_bytes() == again.read_bytes()


def test_other_kernels_have_another_version(kernels, write_wheel, tmp_path):
    """Guards who installs a zip over one of the same version: Blender keeps a wheel whose version is there already."""
    first = write_wheel(kernels, tmp_path, "1.2.3", "win_amd64", 1_700_000_000)
    (kernels / "kernels-123.dll").rename(kernels / "kernels-124.dll")
    (kernels / "kernels.json").write_text('{"platform": "windows-x64", "library": "kernels-124.dll"}')
    again = write_wheel(kernels, tmp_path, "1.2.3", "win_amd64", 1_700_000_000)
    assert parse_wheel_filename(first.name)[1] != parse_wheel_filename(again.name)[1]
    names = [zipfile.ZipFile(path).namelist() for path in (first, again)]
    folders = [{Path(name).parent for name in each if name.endswith(".dll")} for each in names]
    assert not folders[0] & folders[1]


@pytest.mark.slow
@pytest.mark.parametrize("has_kernels", [False, True])
def test_a_wheel_says_for_which_systems_it_is(kernels, tmp_path, has_kernels):
    """Guards who installs it: with kernels in it, it is for their platform and any Python; without, for any system."""
    sources = copy_of_sources(tmp_path / "sources")
    if has_kernels:
        shutil.copytree(kernels, sources / "core" / "kernels")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet", "--no-deps"]
    command = [*pip, "--no-build-isolation", "--wheel-dir", tmp_path, sources]
    subprocess.run(command, check=True, capture_output=True)
    wheel = zipfile.ZipFile(next(tmp_path.glob("*.whl")))
    assert Path(wheel.filename).stem.endswith("-py3-none-win_amd64" if has_kernels else "-py3-none-any")
    about = next(name for name in wheel.namelist() if name.endswith("/WHEEL"))
    assert f"Root-Is-Purelib: {str(not has_kernels).lower()}" in wheel.read(about).decode()
    assert ("limberjack/core/kernels/kernels-123.dll" in wheel.namelist()) == has_kernels
    assert "limberjack/core/compilation/jit.py" in wheel.namelist()


@pytest.fixture
def bundled(monkeypatch, tmp_path):
    """The program that fetches wheels, with a folder of its own to put them into."""
    monkeypatch.syspath_prepend(ROOT / ".ci")
    module = importlib.import_module("bundled_wheels")
    monkeypatch.setattr(module, "BUILD", tmp_path)
    return module


def test_what_is_bundled_is_what_is_tested():
    """Guards artists: the zips bring along the very files that the tests here have run with."""
    pins = [(ROOT / "requirements" / name).read_text() for name in ("bundled.txt", "dev.txt")]
    bundled, tested = (set(re.findall(r"^(?:coacd|pypng)==\S+|sha256:\w+", text, re.MULTILINE)) for text in pins)
    assert any(name.startswith("coacd==") for name in bundled)
    assert bundled < tested


def test_bundled_wheels_are_asked_for_by_hash_and_platform(bundled, monkeypatch):
    """Guards the zips: pip is to take nothing that is not pinned, nor what is for another system or one Python; what it
    has found once is not asked for again."""
    asked = []

    def pip(command, **_options):
        asked.append(command)
        folder = Path(command[command.index("--dest") + 1])
        folder.mkdir(parents=True)
        (folder / "coacd-1.0-cp39-abi3-win_amd64.whl").touch()
        return subprocess.CompletedProcess(command, 0)

    monkeypatch.setattr(bundled.subprocess, "run", pip)
    for _ in range(2):
        assert [path.name for path in bundled.fetch(["windows-x64"])["windows-x64"]] == [
            "coacd-1.0-cp39-abi3-win_amd64.whl"
        ]
    (command,) = asked
    assert {"--require-hashes", "--no-deps", "abi3"} <= set(command)
    assert command[command.index("--platform") + 1] == "win_amd64"
    assert "manylinux_2_17_x86_64" in bundled.tags("linux-x64")


def test_wheels_that_cannot_be_had_are_told(bundled, monkeypatch, capsys):
    """Guards who builds without a registry: one line says which zips do without, and the next build asks again."""
    asked = []

    def refuse(command, **_):
        asked.append(command)
        return subprocess.CompletedProcess(command, 1, "", "Looking …\nno answer\n")

    monkeypatch.setattr(bundled.subprocess, "run", refuse)
    for _ in range(2):
        assert bundled.fetch(["macos-x64", "windows-arm64"]) == {}
    assert len(asked) == 4
    printed = capsys.readouterr()
    told = printed.out.splitlines()[0]
    assert re.fullmatch(
        r"coacd==\S+, pypng==\S+: no wheel to be had for macos-x64, windows-arm64; their zips do without .*", told
    )
    assert printed.err.splitlines()[0] == "pip download for macos-x64: no answer"


def test_two_builds_may_fetch_wheels_at_once(bundled, monkeypatch):
    """Guards CI, which builds zips beside the window tests: the wheels of whichever build is first are kept."""

    def download_twice(command, **_):
        target = Path(command[command.index("--dest") + 1])
        target.mkdir()
        (target / "coacd.whl").write_bytes(b"mine")
        if not begun:
            begun.append(True)
            others.append(bundled.fetch_for("linux-x64"))
        return subprocess.CompletedProcess(command, 0, "", "")

    begun, others = [], []
    monkeypatch.setattr(bundled.subprocess, "run", download_twice)
    assert bundled.fetch_for("linux-x64") == others[0]
    assert [path.name for path in others[0]] == ["coacd.whl"]


def test_a_manifest_names_all_wheels(kernels, monkeypatch, tmp_path):
    """Guards what is brought along: Blender installs what the manifest names, of what is in the zip."""
    monkeypatch.syspath_prepend(ROOT / ".ci")
    other = tmp_path / "coacd-1.0-cp39-abi3-win_amd64.whl"
    other.write_bytes(b"a wheel")
    staged = tmp_path / "staged"
    staged.mkdir()
    shutil.copyfile(ROOT / "blender_manifest.toml", staged / "blender_manifest.toml")
    importlib.import_module("kernel_wheels").add_wheels(staged, {"windows-x64": kernels}, [other])
    named = tomllib.loads((staged / "blender_manifest.toml").read_text())["wheels"]
    assert f"./wheels/{other.name}" in named
    assert sorted(path.name for path in (staged / "wheels").iterdir()) == sorted(Path(each).name for each in named)
    assert (staged / "wheels" / other.name).read_bytes() == b"a wheel"
    texts = {path.name: path.read_text() for path in (staged / "licenses").iterdir()}
    assert "Mozilla Public License Version 2.0" in texts["MPL-2.0.txt"]
    assert re.search(r"Apache License\s+Version 2.0", texts["Apache-2.0.txt"])
    assert "Copyright (c) 2016 Gabi Melman" in texts["MIT-spdlog.txt"]


def test_a_zip_follows_from_its_content(monkeypatch, tmp_path):
    """Guards who compares a zip with what they have built: neither times, permissions, order nor folders count, and a
    wheel's own description stays last."""
    monkeypatch.syspath_prepend(ROOT / ".ci")
    even_out = importlib.import_module("even_zips").even_out
    contents = {"b/x.py": b"x", "a-1.dist-info/RECORD": b"r", "a.py": b"a" * 1000}
    built = []
    for number, names in enumerate((contents, reversed(contents))):
        path = tmp_path / f"{number}.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if number else zipfile.ZIP_STORED) as stream:
            stream.writestr("b/", b"")
            for name in names:
                entry = zipfile.ZipInfo(name, (2020 + number, 1, 1, 0, 0, 0))
                entry.external_attr = (0o100600 if number else 0o100664) << 16
                stream.writestr(entry, contents[name])
        even_out(path, 1_700_000_000)
        built.append(path.read_bytes())
    assert built[0] == built[1]
    with zipfile.ZipFile(path) as stream:
        assert {name: stream.read(name) for name in stream.namelist()} == contents
        assert stream.namelist()[-1] == "a-1.dist-info/RECORD"
        assert stream.testzip() is None
        assert {info.date_time for info in stream.infolist()} == {(2023, 11, 14, 22, 13, 20)}
