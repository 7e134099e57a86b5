# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether every link inside the site leads to a page, and to a heading of it, that are there. See `make site`."""

import html.parser
import sys
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse


class Page(html.parser.HTMLParser):
    """What a page links to, and the places in it that can be linked to."""

    def __init__(self, path: Path):
        super().__init__()
        self.links: set[str] = set()
        self.places = {""}
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.places.add(told.get("id") or "")
        if tag == "a":
            self.links.add(told.get("href") or "")


def broken(site: Path) -> list[str]:
    """A line for each link that leads nowhere."""
    pages = {path.resolve(): Page(path) for path in site.rglob("*.html")}
    found = []
    for path, page in sorted(pages.items()):
        for link in sorted(page.links):
            if urlparse(link).scheme in ("http", "https", "mailto"):
                continue
            target, place = urldefrag(link)
            there = (path.parent / unquote(urlparse(target).path)).resolve() if target else path
            if not there.exists() or (there in pages and unquote(place) not in pages[there].places):
                found.append(f"{path.relative_to(site.resolve())}: nothing is at {link}")
    return found


if __name__ == "__main__":
    lines = broken(Path(sys.argv[1]))
    print("\n".join(lines), file=sys.stderr)
    sys.exit(1 if lines else 0)
