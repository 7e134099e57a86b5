# SPDX-License-Identifier: GPL-3.0-or-later
"""The project's pages: their links, their headings, and the commands that they tell a reader to type."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob("[a-z]*/README.md")])

_FENCED = re.compile(r"^```.*?^```$", re.M | re.S)
_COMMAND = re.compile(r"^(?: {4}| {10})(\S.*)$", re.M)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def links_of(page: Path) -> list[str]:
    """Targets of links and pictures."""
    prose = re.sub(r"`[^`\n]*`", "", _FENCED.sub("", text_of(page)))
    return re.findall(r"\]\(([^)\s]+)\)", prose) + re.findall(r'src="([^"]+)"', prose)


def anchors_of(page: Path) -> set[str]:
    """Of its headings, as the hosts of Markdown name them."""
    headings = re.findall(r"^#+ (.+)$", _FENCED.sub("", text_of(page)), re.M)
    plain = (re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "") for heading in headings)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in plain}


def commands_of(page: Path) -> list[str]:
    """Indented lines, without what `#` says of them."""
    found = _COMMAND.findall(_FENCED.sub("", text_of(page)))
    return [line.split("   #")[0].split(" # ")[0].strip() for line in found]
