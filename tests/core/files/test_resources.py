# SPDX-License-Identifier: GPL-3.0-or-later
"""Where uris lead, and where they may not."""

import os
import socket
from pathlib import Path

import pytest

from limberjack.core.files.resources import ENVIRONMENT, FilesBeside, ResourceError, Resources

OUTSIDE = "leads out of"
NOWHERE = "is not found"


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in ENVIRONMENT:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def ground(tmp_path):
    """A model beside another one, a search path, and a secret that none of them may reach."""
    for name in (
        "models/arm/model.config",
        "models/arm/model.sdf",
        "models/arm/meshes/hand.obj",
        "models/arm/meshes/große hand.obj",
        "models/arm/meshes/100%.obj",
        "models/leg/model.config",
        "models/leg/foot.obj",
        "extra/wheel/wheel.obj",
        "extra/plain.obj",
        "secret.txt",
    ):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return tmp_path


def beside(ground, search=()) -> FilesBeside:
    path = ground / "models/arm/model.sdf"
    return FilesBeside(Resources(path, [ground / folder for folder in search]), path)


def refusal(files: FilesBeside, uri: str) -> str:
    with pytest.raises(ResourceError) as caught:
        files.find(uri)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    return str(caught.value)


@pytest.mark.parametrize(
    ("uri", "expected"),
    [
        ("meshes/hand.obj", "models/arm/meshes/hand.obj"),
        ("./meshes/../meshes/hand.obj", "models/arm/meshes/hand.obj"),
        (" meshes/hand.obj\n", "models/arm/meshes/hand.obj"),
        ("meshes", "models/arm/meshes"),
        ("meshes/große hand.obj", "models/arm/meshes/große hand.obj"),
        ("meshes/100%.obj", "models/arm/meshes/100%.obj"),
        (r"meshes\hand.obj", "models/arm/meshes/hand.obj"),
        ("model://arm/meshes/hand.obj", "models/arm/meshes/hand.obj"),
        ("model://arm", "models/arm"),
        ("model://arm/", "models/arm"),
        ("package://arm/meshes/gro%C3%9Fe%20hand.obj", "models/arm/meshes/große hand.obj"),
        ("package://arm/meshes/große hand.obj", "models/arm/meshes/große hand.obj"),
        ("file://meshes/hand.obj", "models/arm/meshes/hand.obj"),
        ("model://leg/foot.obj", "models/leg/foot.obj"),
    ],
)
def test_what_a_uri_means(ground, uri, expected):
    """Beside the file, in its own package, and in packages beside that one."""
    assert beside(ground).find(uri) == ground / expected


def test_absolute_paths_within_reach(ground):
    """A path of this machine is taken where it leads into the file's own folders."""
    hand = ground / "models/arm/meshes/hand.obj"
    assert beside(ground).find(str(hand)) == hand
    assert beside(ground).find(f"file://{hand}") == hand
    assert beside(ground).find(f"file://localhost{hand}") == hand


@pytest.mark.parametrize("variable", ENVIRONMENT)
def test_search_paths(ground, monkeypatch, variable):
    """Folders that a person names, and those of each variable, the former first."""
    assert NOWHERE in refusal(beside(ground), "model://wheel/wheel.obj")
    wheel = ground / "extra/wheel/wheel.obj"
    assert beside(ground, ["extra"]).find("model://wheel/wheel.obj") == wheel
    assert beside(ground, ["extra"]).find("plain.obj") == ground / "extra/plain.obj"
    monkeypatch.setenv(variable, os.pathsep.join([str(ground / "none"), "", str(ground / "extra")]))
    assert beside(ground).find("package://wheel/wheel.obj") == wheel
    (ground / "first/wheel").mkdir(parents=True)
    (ground / "first/wheel/wheel.obj").write_text("x")
    assert beside(ground, ["first"]).find("model://wheel/wheel.obj") == ground / "first/wheel/wheel.obj"


@pytest.mark.parametrize(
    "uri",
    [
        "../../secret.txt",
        "meshes/../../../secret.txt",
        r"..\..\secret.txt",
        "file://../../secret.txt",
        "file://%2e%2e/%2e%2e/secret.txt",
        "model://arm/../../secret.txt",
        "model://arm/%2E%2E/%2E%2E/secret.txt",
        "model://arm/..%2f..%2fsecret.txt",
        "package://leg/../../secret.txt",
        r"model://arm/..\..\secret.txt",
        r"package://leg/..%5C..%5Csecret.txt",
    ],
)
def test_ways_out_are_refused(ground, uri):
    """Nothing outside of the allowed folders is opened, however the way there is written."""
    assert OUTSIDE in refusal(beside(ground), uri)


@pytest.mark.parametrize(
    "uri", ["model://../secret.txt", "model://%2e%2e/x", "model://", "package:///x", "model://.", "model://C:/x"]
)
def test_packages_that_are_none(ground, uri):
    """A package's name is a name, and no way."""
    assert "names no" in refusal(beside(ground), uri)


def test_absolute_paths_out_of_reach(ground):
    """Nor is a path of this machine that the file happens to know."""
    secret = ground / "secret.txt"
    for uri in (str(secret), f"file://{secret}", "/etc/passwd", "file:///etc/passwd", "model://arm//etc/passwd"):
        assert OUTSIDE in refusal(beside(ground), uri)


def test_symlinks_out_of_reach(ground):
    """A link within the folder to a file or a folder outside does not open the way."""
    arm = ground / "models/arm"
    (arm / "way").symlink_to(ground)
    (arm / "text.txt").symlink_to(ground / "secret.txt")
    (arm / "hand.obj").symlink_to(arm / "meshes/hand.obj")
    for uri in ("way/secret.txt", "text.txt", "model://arm/way/secret.txt", "file://text.txt"):
        assert OUTSIDE in refusal(beside(ground), uri)
    assert beside(ground).find("hand.obj") == arm / "meshes/hand.obj"
    (ground / "models/tail").symlink_to(ground / "extra")
    assert OUTSIDE in refusal(beside(ground), "model://tail/plain.obj")


def test_loops_of_symlinks(ground):
    """A link to itself, and a folder that holds itself, are answered."""
    arm = ground / "models/arm"
    (arm / "self").symlink_to(arm / "self")
    (arm / "again").symlink_to(arm)
    assert NOWHERE in refusal(beside(ground), "self")
    assert NOWHERE in refusal(beside(ground), "self/x")
    assert beside(ground).find("again/" * 30 + "meshes/hand.obj") == arm / "meshes/hand.obj"
    (ground / "deep").symlink_to(ground / "deep")
    assert Resources(ground / "deep" / "x.sdf").root


@pytest.mark.parametrize(
    "uri",
    [
        "https://example.org/hand.obj",
        "http://127.0.0.1/x",
        "HTTP://example.org/x",
        "ftp://x/y",
        "fuel://x",
        r"C:\meshes\hand.obj",
        "C:/meshes/hand.obj",
        "file:///C:/meshes/hand.obj",
        r"\\server\share\hand.obj",
        "//server/share/hand.obj",
        "x" * 300,
        "x/" * 5000,
        "model://" + "x" * 5000,
        "model://arm/" + "x" * 300,
        "a" * 100_000,
        "~/secret.txt",
        "$HOME/secret.txt",
        "meshes/none.obj",
        "meshes/hand.obj/x",
        "line\nbreak",
        "model://arm/%00",
        "\ud800",
        "",
        " ",
        "a\0b",
    ],
)
def test_what_leads_nowhere_is_answered(ground, uri, monkeypatch):
    """Guards that one line reports it, whatever the system does with such a name, and that no host is asked."""

    def refuse(*words, **named):
        raise AssertionError(f"a socket is used: {words} {named}")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    told = refusal(beside(ground), uri)
    assert ";" in told


def test_schemes_are_told_in_any_case(ground):
    """As in any uri."""
    assert beside(ground).find("Model://arm/meshes/hand.obj") == ground / "models/arm/meshes/hand.obj"


def test_included_files_look_beside_themselves(ground):
    """What an included file names, it names from its own folder; what may be reached stays the same."""
    meshes = beside(ground).of(ground / "models/arm/meshes/part.sdf")
    assert meshes.find("hand.obj") == ground / "models/arm/meshes/hand.obj"
    assert meshes.find("../model.sdf") == ground / "models/arm/model.sdf"
    assert OUTSIDE in refusal(meshes, "../../../secret.txt")
    assert NOWHERE in refusal(meshes, "meshes/hand.obj")
    leg = beside(ground).of(Path(ground / "models/leg/model.sdf"))
    assert leg.find("model://leg/foot.obj") == ground / "models/leg/foot.obj"


def test_a_file_alone_reaches_its_folder(ground):
    """Without a mark such as model.config, what lies in the file's folder is its own."""
    files = FilesBeside(Resources(ground / "extra/x.sdf"), ground / "extra/x.sdf")
    assert files.find("wheel/wheel.obj") == ground / "extra/wheel/wheel.obj"
    assert OUTSIDE in refusal(files, "../secret.txt")


@pytest.mark.parametrize("uri", ["../meshes/a.stl", "package://robot/meshes/a.stl", "model://robot/meshes/a.stl"])
def test_a_package_without_a_mark_is_told_by_its_folders(tmp_path, uri):
    """Guards robots as most people keep them, without package.xml: robot/urdf/x.urdf beside robot/meshes."""
    (tmp_path / "robot/urdf").mkdir(parents=True)
    (tmp_path / "robot/meshes").mkdir()
    (tmp_path / "robot/meshes/a.stl").write_text("")
    (tmp_path / "secret.stl").write_text("")
    resources = Resources(tmp_path / "robot/urdf/x.urdf")
    assert resources.find(uri, tmp_path / "robot/urdf") == (tmp_path / "robot/meshes/a.stl").resolve()
    with pytest.raises(ResourceError, match="leads out"):
        resources.find("../../secret.stl", tmp_path / "robot/urdf")
