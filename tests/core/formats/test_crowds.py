# SPDX-License-Identifier: GPL-3.0-or-later
"""Large files: what is too large is refused in a line before it takes memory, and time grows with size alone."""

import time

import pytest

from limberjack.core.check import check_definition
from limberjack.core.files import xml
from limberjack.core.formats import UnreadableError, read
from limberjack.core.model import Link, Model


def links(count):
    return "".join(f'<link name="l{i}"/>' for i in range(count))


def test_time_grows_with_the_number_of_loose_links():
    """Guards against a pass over all links for each link: sixteen times as many would take 256 times as long."""

    def seconds(count):
        model = Model("m", [Link(f"l{i}") for i in range(count)])
        begun = time.process_time()
        assert check_definition(model) == []
        model.tree()
        return time.process_time() - begun

    few = min(seconds(1_000) for _ in range(2))
    assert seconds(16_000) < 130.0 * few


def test_links_have_a_limit_of_their_own(tmp_path, monkeypatch):
    """Guards memory: a link takes some kilobytes where its element takes bytes."""
    monkeypatch.setattr(xml, "MAX_LINKS", 50)
    path = tmp_path / "m.sdf"
    path.write_text(f'<sdf version="1.9"><model name="m">{links(50)}</model></sdf>')
    assert read(path).ok
    path.write_text(f'<sdf version="1.9"><model name="m">{links(51)}</model></sdf>')
    with pytest.raises(UnreadableError, match="more than 50 <link> elements; split the model"):
        read(path)


@pytest.mark.parametrize(("limit", "words"), [("MAX_LINKS", "<link> elements"), ("MAX_ELEMENTS", "elements; split")])
def test_one_limit_holds_for_all_that_is_included(tmp_path, monkeypatch, limit, words):
    """Guards against small files that draw in one large file thousands of times; told once."""
    monkeypatch.setattr(xml, limit, 100)
    (tmp_path / "inner.sdf").write_text(f'<sdf version="1.9"><model name="i">{links(30)}</model></sdf>')
    includes = "".join(f"<include><name>n{i}</name><uri>inner.sdf</uri></include>\n" for i in range(20))
    path = tmp_path / "w.sdf"
    path.write_text(f'<sdf version="1.9"><world name="w">{includes}</world></sdf>')
    issues = read(path).issues
    assert [issue.code for issue in issues if issue.is_error] == ["too-many-elements"]
    assert words in issues[0].message
