# SPDX-License-Identifier: GPL-3.0-or-later
"""How `read` chooses a format: by first bytes, by suffix, or by the root element. The formats here are not XML."""

import json
from dataclasses import dataclass

import pytest

from limberjack.core import formats
from limberjack.core.files.errors import UnreadableError
from limberjack.core.formats.registry import Format
from limberjack.core.model import Link, Model

ROBOT = "<robot name='r'><link name='a'/></robot>"


@dataclass(frozen=True)
class Prim:
    """A place in a file that has paths and no lines."""

    prim: str
    subject: str = "link 'arm'"
    line: None = None
    file: str = ""


def read_json(source, findings, files):
    """Return a model whose links are the names in a list."""
    found = json.loads(source.data.removeprefix(b"#json "))
    places = {("link", name): Prim(f"/links/{name}", f"link '{name}'") for name in found}
    for name in found:
        if name.startswith("odd"):
            findings.warning(places["link", name], "odd-name", "has an odd name")
    return Model("listed", links=[Link(name, mass=-1.0 if name == "void" else 1.0) for name in found]), places


BY_BYTES = Format("List", (".list",), "", read_json, beginnings=(b"#json",))
BY_SUFFIX = Format("Names", (".names",), "", read_json)


@pytest.fixture(autouse=True)
def with_more_formats(monkeypatch):
    monkeypatch.setattr(formats, "FORMATS", (*formats.FORMATS, BY_BYTES, BY_SUFFIX))


@pytest.mark.parametrize("name", ["a.list", "a.urdf", "a"])
def test_first_bytes_decide_whatever_the_suffix(tmp_path, name):
    (tmp_path / name).write_bytes(b'#json ["arm", "hand"]')
    assert [link.name for link in formats.read(tmp_path / name).model.links] == ["arm", "hand"]


def test_a_suffix_decides_where_files_have_no_first_bytes_of_their_own(tmp_path):
    (tmp_path / "a.names").write_text('["arm"]')
    assert formats.read(tmp_path / "a.names").model.name == "listed"


@pytest.mark.parametrize("name", ["a.urdf", "a.sdf", "a"])
def test_a_root_element_decides_for_xml(tmp_path, name):
    (tmp_path / name).write_text(ROBOT)
    assert formats.read(tmp_path / name).model.name == "r"


def test_another_root_element_names_the_formats_of_xml(tmp_path):
    (tmp_path / "a.xml").write_text("<world/>")
    with pytest.raises(UnreadableError, match=r"<world>; <sdf> \(SDF\) or <robot> \(URDF\) or <mujoco> \(MJCF\) is "):
        formats.read(tmp_path / "a.xml")


def test_findings_point_at_prims(tmp_path):
    """Guards places without lines, of a reader's findings and of the check after it."""
    (tmp_path / "a.list").write_bytes(b'#json ["odd", "void"]')
    issues = {issue.subject: issue for issue in formats.read(tmp_path / "a.list").issues}
    assert issues["link 'odd'"].prim == "/links/odd"
    assert issues["link 'void'"].is_error
    line = issues["link 'void'"].format("a.list")
    assert line.startswith("a.list</links/void>: error ")
