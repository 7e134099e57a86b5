# SPDX-License-Identifier: GPL-3.0-or-later
"""Files that a model file includes."""

from pathlib import Path

import pytest

from limberjack.core.files.xml_rules import XmlRules
from limberjack.core.formats.xml.included import IncludeError, open_included, refuse_cycle


def test_a_circle_names_its_files():
    """Guards the way of the error: it names the files of the circle, and none of those that only lead to it."""
    main, a, b = (Path("folder") / name for name in ("main.xml", "a.xml", "b.xml"))
    refuse_cycle(b, "b.xml", "include", (main, a))
    with pytest.raises(IncludeError) as caught:
        refuse_cycle(a, "a.xml", "model", (main, a, b))
    assert str(caught.value) == "'a.xml' includes itself: a.xml -> b.xml -> a.xml; take one <model> out"


def test_an_included_file_knows_where_it_is_from(tmp_path):
    """Guards findings, which name the file that an element is from."""
    path = tmp_path / "part.xml"
    path.write_text("<part/>")
    root = open_included(path, "part.xml")
    assert (root.tag, root.included_file) == ("part", str(path))


def test_a_broken_file_is_told_with_its_line(tmp_path):
    """Guards the error: it has both names of the file, the line, and the code of the finding."""
    path = tmp_path / "part.xml"
    path.write_text("<part>\n</other>")
    with pytest.raises(IncludeError) as caught:
        open_included(path, "near/part.xml")
    assert caught.value.code == "include-unreadable"
    assert str(caught.value).startswith(f"'near/part.xml' cannot be read: {path}:2: ")


def test_the_format_decides_what_can_be_read(tmp_path):
    """Guards rules of formats: a blank that is missing between attributes is an error, unless the format mends it."""
    path = tmp_path / "part.xml"
    path.write_text('<part a="1"b="2"/>')
    with pytest.raises(IncludeError):
        open_included(path, "part.xml")
    assert open_included(path, "part.xml", XmlRules(mends_blanks=True)).attributes == {"a": "1", "b": "2"}
