# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that include others, and files that are no proper XML."""

import os
import time

import pytest

from limberjack.core.formats import UnreadableError, read
from limberjack.core.formats.mjcf.document import MAX_INCLUDES
from support.mjcf_texts import MASS, errors_of, issues_of, reading_of


def laid_out(folder, **texts):
    """Files in a folder by their stems, with "__" for a folder between; the path of `main`."""
    for name, text in texts.items():
        path = folder / f"{name.replace('__', '/')}.xml"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder / "main.xml"


def including(*files, rest=""):
    includes = "".join(f'<include file="{file}"/>' for file in files)
    return f"<mujoco>{includes}{rest}</mujoco>"


def world(name):
    return f'<mujoco><worldbody><body name="{name}">{MASS}</body></worldbody></mujoco>'


def links_of(path):
    reading = read(path)
    assert reading.ok, reading.issues
    return [link.name for link in reading.model.links]


def codes_of(path, strict=False):
    return [(issue.severity, issue.code) for issue in read(path, strict=strict).issues]


def test_content_takes_the_place_of_the_include(tmp_path):
    """Guards the order of bodies, on which MuJoCo's coordinates depend, and that any root tag will do."""
    inner = f'<anything><body name="b">{MASS}</body><body name="c">{MASS}</body></anything>'
    text = f"""<mujoco><worldbody><body name="a">{MASS}</body><include file="inner.xml"/>
    <body name="d">{MASS}</body></worldbody></mujoco>"""
    assert links_of(laid_out(tmp_path, main=text, inner=inner)) == ["a", "b", "c", "d"]


def test_paths_are_relative_to_the_main_file_first(tmp_path):
    """Guards MuJoCo's rule: a file in a folder names others from the main file's folder, then from its own."""
    main = laid_out(
        tmp_path,
        main=including("parts/outer.xml"),
        parts__outer=including("inner.xml", "only_here.xml"),
        inner=world("beside_main"),
        parts__inner=world("beside_outer"),
        parts__only_here=world("only_here"),
    )
    assert links_of(main) == ["beside_main", "only_here"]


def test_meshes_of_included_files_are_relative_to_the_main_file(tmp_path):
    """Guards meshdir, which holds for all files and starts at the main one."""
    asset = '<mujoco><asset><mesh name="m" file="a.obj"/></asset></mujoco>'
    geom = '<compiler meshdir="shapes"/><worldbody><body><geom type="mesh" mesh="m"/></body></worldbody>'
    main = laid_out(tmp_path, main=including("parts/assets.xml", rest=geom), parts__assets=asset)
    (tmp_path / "shapes").mkdir()
    (tmp_path / "shapes" / "a.obj").write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    )
    reading = read(main)
    assert reading.ok, reading.issues
    assert reading.model.links[0].mass == pytest.approx(1000.0 / 6.0)


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ({"main": including("a.xml", "a.xml"), "a": world("a")}, "include-cycle"),
        ({"main": including("main.xml")}, "include-cycle"),
        ({"main": including("a.xml"), "a": including("b.xml"), "b": including("a.xml")}, "include-cycle"),
        ({"main": including("none.xml")}, "include-not-found"),
        ({"main": "<mujoco><include/></mujoco>"}, "include-not-found"),
        ({"main": including("../above.xml")}, "include-not-found"),
        ({"main": including("/etc/passwd")}, "include-not-found"),
        ({"main": including("file:///etc/passwd")}, "include-not-found"),
        ({"main": including("https://example.org/a.xml")}, "include-not-found"),
        ({"main": including("a.xml"), "a": "<mujoco><worldbody>"}, "include-unreadable"),
    ],
    ids=["twice", "itself", "circle", "missing", "no name", "above", "absolute", "uri", "web", "broken"],
)
def test_includes_that_cannot_be_read(files, code, tmp_path):
    """Guards refusals: each gives one error with its line, and no file outside of the folder is opened."""
    folder = tmp_path / "inside"
    (tmp_path / "above.xml").write_text(world("secret"))
    main = laid_out(folder, **files)
    reading = read(main)
    assert [issue.code for issue in reading.issues if issue.is_error][:1] == [code]
    assert "secret" not in [link.name for link in reading.partial.links]
    assert all("\n" not in issue.format(main) for issue in reading.issues)


def test_a_pipe_is_not_opened(tmp_path):
    """Guards against files that never end."""
    os.mkfifo(tmp_path / "pipe.xml")
    assert ("error", "include-not-found") in codes_of(laid_out(tmp_path, main=including("pipe.xml")))


def test_findings_in_included_files_name_them(tmp_path):
    """A finding has the line in the file that contains it."""
    main = laid_out(tmp_path, main=including("a.xml"), a='<mujoco>\n<compiler angle="turns"/>\n</mujoco>')
    found = next(issue for issue in read(main).issues if issue.code == "bad-value")
    assert (found.line, found.file) == (2, str(tmp_path / "a.xml"))


def test_too_many_files(tmp_path):
    """Guards against a chain of files without end."""
    for number in range(MAX_INCLUDES + 2):
        (tmp_path / f"f{number}.xml").write_text(including(f"f{number + 1}.xml"))
    assert ("error", "too-many-includes") in codes_of(tmp_path / "f0.xml")


def test_blanks_that_are_missing(tmp_path):
    """Guards files that MuJoCo reads and expat refuses, also included ones; --strict refuses them."""
    text = world("a").replace('name="a"', 'name="a"pos="1 0 0"')
    assert 'a"pos' in text
    main = laid_out(tmp_path, main=including("a.xml"), a=text)
    assert links_of(main) == ["a"]
    assert codes_of(main)[0] == ("warning", "missing-blank")
    assert codes_of(main, strict=True)[0] == ("error", "missing-blank")
    assert reading_of(text).model.link("a").pose[:3] == (1.0, 0.0, 0.0)


def test_an_empty_attribute_is_none():
    """Guards files with range="" or pos="", which MuJoCo reads as if they were not there."""
    joint = '<joint name="j" range="" axis="" limited=""/>'
    assert errors_of(f'<body pos="" quat="">{MASS}{joint}</body>') == []


@pytest.mark.parametrize(("depth", "is_read"), [(480, True), (501, False)])
def test_depth(depth, is_read):
    """MuJoCo reads 480 nested bodies; a deeper file is refused in one line, soon."""
    begun = time.process_time()
    text = f"<mujoco><worldbody>{f'<body>{MASS}' * depth}{'</body>' * depth}</worldbody></mujoco>"
    if is_read:
        assert len(reading_of(text).model.links) == depth
    else:
        with pytest.raises(UnreadableError) as caught:
            reading_of(text)
        assert "\n" not in caught.value.message
    assert time.process_time() - begun < 5.0


def test_a_long_attribute():
    """Guards meshes in the file itself: public ones have 240,999 characters in one attribute."""
    vertices = " ".join(["0 0 0 1 0 0 0 1 0 0 0 1"] * 12_000)
    assets = f'<asset><mesh name="m" vertex="{vertices}" face="0 2 1 0 1 3 0 3 2 1 2 3"/></asset>'
    assert issues_of('<body><geom type="mesh" mesh="m"/></body>', assets) == []
