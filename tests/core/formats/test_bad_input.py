# SPDX-License-Identifier: GPL-3.0-or-later
"""Input that is wrong: one clear line each, never a traceback, and nothing written."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from limberjack.core import cli, formats
from limberjack.core.files import xml
from limberjack.core.model import ModelError

DATA = Path(__file__).parents[2] / "data"
SDF = '<sdf version="1.9">\n<model name="m">\n<link name="a"/>\n<link name="b"/>\n{}\n</model>\n</sdf>\n'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
URDF = (
    f'<robot name="m">\n<link name="a">{INERTIAL}</link>\n<link name="b">{INERTIAL}</link>\n'
    '<joint name="i" type="fixed"><parent link="a"/><child link="b"/></joint>\n{}\n</robot>\n'
)
JOINT = '<joint name="j" type="{}">{}<axis><xyz>{}</xyz></axis></joint>'
ENDS = "<parent>a</parent><child>b</child>"

SDF_ERRORS = {
    "unknown-joint-type": JOINT.format("hinge", ENDS, "0 0 1"),
    "no-parent": JOINT.format("revolute", "<child>b</child>", "0 0 1"),
    "unknown-parent": JOINT.format("revolute", "<parent>z</parent><child>b</child>", "0 0 1"),
    "unknown-child": JOINT.format("revolute", "<parent>a</parent><child>z</child>", "0 0 1"),
    "child-is-world": JOINT.format("revolute", "<parent>a</parent><child>world</child>", "0 0 1"),
    "parent-is-child": JOINT.format("revolute", "<parent>b</parent><child>b</child>", "0 0 1"),
    "zero-axis": JOINT.format("revolute", ENDS, "0 0 0"),
    "bad-number": JOINT.format("revolute", ENDS, "0 one 1"),
    "repeated-name": '<link name="a"/>',
    "reserved-name": '<link name="__x__"/>',
    "no-name": "<link/>",
    "negative-mass": '<link name="c"><inertial><mass>-1</mass></inertial></link>',
    "frame-cycle": '<frame name="F" attached_to="G"/><frame name="G" attached_to="F"/>',
    "unknown-frame": '<link name="c"><pose relative_to="z">0 0 0 0 0 0</pose></link>',
}
URDF_ERRORS = {
    "unknown-joint-type": '<link name="c"/><joint name="j" type="hinge"><parent link="a"/><child link="c"/></joint>',
    "joint-type-not-supported": (
        '<link name="c"/><drake:joint name="j" type="curvilinear"><parent link="a"/><child link="c"/></drake:joint>'
    ),
    "no-parent": '<joint name="j" type="fixed"><child link="b"/></joint>',
    "unknown-parent": '<link name="c"/><joint name="j" type="fixed"><parent link="z"/><child link="c"/></joint>',
    "second-parent": '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>',
    "several-roots": f'<link name="c">{INERTIAL}</link>',
    "repeated-name": '<link name="a"/>',
}
SDF_ERRORS_ELSEWHERE = {
    "bad-number": ('<link name="a"><inertial>\n<mass>nan</mass></inertial></link>', 4),
    "no-links": ("", 2),
    "root-model-relative": ('<pose relative_to="world">0 0 0 0 0 0</pose><link name="a"/>', 3),
}


def one_error(path, code, line, capsys):
    """check prints that error alone; info and convert print it too, and convert writes nothing."""
    reading = formats.read(path, strict=True)
    errors = [issue for issue in reading.issues if issue.is_error]
    assert [(issue.code, issue.line) for issue in errors] == [(code, line)]
    for argv in (["check", str(path)], ["info", str(path)], ["convert", str(path), str(path.with_name("out.sdf"))]):
        assert cli.main([*argv, "--strict"]) == cli.HAS_ERRORS
        told = "".join(capsys.readouterr())
        assert told.startswith(f"{path}:{line}: error {code}: ") or f"\n{path}:{line}: error {code}: " in told
    assert sorted(entry.name for entry in path.parent.iterdir()) == [path.name]


@pytest.mark.parametrize("code", SDF_ERRORS)
def test_sdf_errors(code, tmp_path, capsys):
    """Each mistake in an SDF file is one error with its line."""
    path = tmp_path / "in.sdf"
    path.write_text(SDF.format(SDF_ERRORS[code]))
    one_error(path, code, 5, capsys)


@pytest.mark.parametrize("code", SDF_ERRORS_ELSEWHERE)
def test_sdf_errors_of_the_model(code, tmp_path, capsys):
    """Likewise for those that need a model of their own."""
    body, line = SDF_ERRORS_ELSEWHERE[code]
    path = tmp_path / "in.sdf"
    path.write_text(f'<sdf version="1.9">\n<model name="m">\n{body}\n</model>\n</sdf>\n')
    one_error(path, code, line, capsys)


@pytest.mark.parametrize("code", URDF_ERRORS)
def test_urdf_errors(code, tmp_path, capsys):
    """Each mistake in a URDF file is one error with its line."""
    path = tmp_path / "in.urdf"
    path.write_text(URDF.format(URDF_ERRORS[code]))
    one_error(path, code, 5, capsys)


def test_urdf_loop(tmp_path, capsys):
    """Links that hang on each other are reported once, by the first of them."""
    path = tmp_path / "in.urdf"
    path.write_text(URDF.format('<joint name="j" type="fixed"><parent link="b"/><child link="a"/></joint>'))
    one_error(path, "loop", 2, capsys)


def test_all_errors_come_at_once(tmp_path):
    """The reader goes on after an error, and sorts what it found by line."""
    path = tmp_path / "in.sdf"
    path.write_text(SDF.format("\n".join([*list(SDF_ERRORS.values())[:4]]).replace('name="j"', 'name="j{}"')))
    codes = [issue.code for issue in formats.read(path).issues]
    assert codes[:1] == ["unknown-joint-type"]
    assert len(codes) > 1


BOMB = b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><sdf version="1.9"><model name="&b;"/></sdf>'
UNREADABLE = {
    "empty": b"",
    "text": b"hello",
    "truncated": (DATA / "frames_1_9.sdf").read_bytes()[:700],
    "bomb": BOMB,
    "other root": b"<scene/>",
    "xacro": b'<robot name="r"><xacro:macro name="x"/></robot>',
    "deep": b"<sdf>" + b"<model>" * 5000,
    "binary": bytes(range(256)),
    "encoding": b'<?xml version="1.0" encoding="klingon"?><sdf/>',
}


@pytest.mark.parametrize("name", UNREADABLE)
def test_unreadable(name, tmp_path, capsys):
    """What is no model file at all: exit 2, one line on stderr, nothing written."""
    path = tmp_path / "in.sdf"
    path.write_bytes(UNREADABLE[name])
    assert cli.main(["convert", str(path), str(tmp_path / "out.sdf")]) == cli.UNUSABLE
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(str(path))
    assert ": error unreadable: " in told.err
    assert told.err.count("\n") == 1
    assert not (tmp_path / "out.sdf").exists()


def test_missing_file_and_folder(tmp_path, capsys):
    """A path that leads nowhere, or to a folder, is said to."""
    for path in (tmp_path / "none.sdf", tmp_path):
        assert cli.main(["check", str(path)]) == cli.UNUSABLE
        assert capsys.readouterr().err.startswith(f"{path}: error unreadable: ")


def test_truncated_file_names_its_line(tmp_path):
    """The line is where the text ends."""
    path = tmp_path / "in.sdf"
    path.write_text("<sdf version='1.9'>\n<model name='m'>\n<link name=")
    with pytest.raises(formats.UnreadableError) as caught:
        formats.read(path)
    assert caught.value.line == 3


VALID = [(DATA / name).read_bytes() for name in ("frames_1_9.sdf", "world_1_11.sdf", "tree.urdf")]


@st.composite
def mutations(draw):
    """A valid file, cut off somewhere or with pieces of it moved or replaced."""
    data = bytearray(draw(st.sampled_from(VALID)))
    for _ in range(draw(st.integers(1, 6))):
        at = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 20))
        start = draw(st.integers(0, len(data)))
        words = st.sampled_from(
            [b"nan", b"-1", b"::", b"world", b"__model__", b"arm", b"base", b"1e999", b"<link>", b""]
        )
        new = draw(st.one_of(words, st.binary(max_size=4), st.just(bytes(data[start : start + length]))))
        data[at : at + draw(st.integers(0, 12))] = new
    return bytes(data[: draw(st.integers(0, len(data)))] if draw(st.booleans()) else data)


@given(mutations())
def test_hostile_files_raise_nothing_else(tmp_path_factory, data):
    """Whatever is done to a valid file, it is read, reported or refused; no other exception leaves the reader."""
    path = tmp_path_factory.mktemp("hostile") / "in.sdf"
    path.write_bytes(data)
    try:
        reading = formats.read(path)
    except formats.UnreadableError:
        return
    assert all(issue.format(path) for issue in reading.issues)
    assert reading.ok or any(issue.is_error for issue in reading.issues)


WORDS = ["a", "b", "m", "F", "world", "__model__", "a::b", "m::a", "", "i::x"]
PLACES = st.sampled_from(WORDS)


@given(st.lists(st.tuples(st.sampled_from(["link", "frame", "joint", "model"]), PLACES, PLACES, PLACES), max_size=12))
def test_any_references_are_answered(tmp_path_factory, items):
    """Frames that refer to each other in any way at all end in poses or in findings, never in an endless walk."""
    body = "".join(
        f'<{tag} name="{name}" type="fixed" attached_to="{one}" canonical_link="{one}" placement_frame="{two}">'
        f'<pose relative_to="{two}">1 0 0 0 0 0</pose><parent>{one}</parent><child>{two}</child>'
        f'<link name="x"/></{tag}>'
        for tag, name, one, two in items
    )
    path = tmp_path_factory.mktemp("frames") / "in.sdf"
    path.write_text(f'<sdf version="1.9"><model name="m"><link name="a"/>{body}</model></sdf>')
    assert formats.read(path).partial.links


def test_tolerated_xml():
    """Blanks and a BOM before <?xml, "--" in comments, unbound prefixes: simulators take them, and lines stay right."""
    root = xml.parse(
        b'\xef\xbb\xbf\n\n<?xml version="1.0"?>\n<!-- a -- b\n -->\n<sdf>\n'
        b'<drake:joint name="x"/><![CDATA[<!-- -->]]></sdf>'
    )
    assert (root.line, root.children[0].line, root.children[0].tag) == (6, 7, "drake:joint")
    assert root.text == "<!-- -->"


LOST_PARENT = (
    "<robot name='r'><link name='a'/><link name='b'/><joint name='j' type='revolute'><parent link='a'/>"
    "<child link='nobody'/><limit effort='1' velocity='1'/></joint><joint name='k' type='elbow'><parent link='a'/>"
    "<child link='b'/></joint></robot>"
)


def test_a_model_with_errors_is_not_taken_for_the_file(tmp_path):
    """Guards scripts: a joint that could not be read is no reason to let its link fall in silence."""
    path = tmp_path / "r.urdf"
    path.write_text(LOST_PARENT)
    reading = formats.read(path)
    assert not reading.ok
    with pytest.raises(ModelError) as caught:
        _ = reading.model
    *told, way = str(caught.value).splitlines()
    assert len(told) == len([issue for issue in reading.issues if issue.is_error]) >= 2
    assert all(line.startswith(f"{path}:1: error ") for line in told)
    assert way == "read(…, allow_errors=True) gives what could be read"
    with pytest.warns(UserWarning, match="not complete"):
        allowed = formats.read(path, allow_errors=True)
    assert [link.name for link in allowed.model.links] == ["a", "b"]


def test_a_model_without_errors_is_given_without_a_warning(tmp_path, recwarn):
    """Guards `allow_errors` for files that have none."""
    path = tmp_path / "r.urdf"
    path.write_text("<robot name='r'><link name='a'/></robot>")
    assert formats.read(path, allow_errors=True).model.links[0].name == "a"
    assert not recwarn.list
