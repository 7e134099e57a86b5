# SPDX-License-Identifier: GPL-3.0-or-later
"""Links in the pages lead somewhere."""

import subprocess

import pytest

from support.pages import PAGES, ROOT, anchors_of, links_of


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_somewhere(page):
    """Guards every link and picture inside the project: the file is there, git keeps it, and it has the heading."""
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    kept = set(subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines())
    for link in links_of(page):
        if link.startswith(("https://", "mailto:")):
            continue
        place, _, anchor = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        name = str(target.relative_to(ROOT))
        assert target.is_dir() or name in kept, f"{page.name}: {link}"
        assert not anchor or anchor in anchors_of(target), f"{page.name}: {link}"


def test_no_page_is_lost():
    """Guards guides that nobody could find: each page in docs/ is linked to from another page."""
    linked = {
        (page.parent / link.partition("#")[0]).resolve() for page in PAGES for link in links_of(page) if ":" not in link
    }
    assert [page.name for page in PAGES if page.parent.name == "docs" and page not in linked] == []
