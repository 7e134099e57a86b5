# SPDX-License-Identifier: GPL-3.0-or-later
"""The page that helps: what it says that Limberjack says, Limberjack says."""

import re

from limberjack.addon import ops, panels
from limberjack.addon.ops.simulation.repairs import REPAIRS
from support.pages import ROOT, text_of

PAGE = text_of(ROOT / "docs" / "troubleshooting.md")
SOURCES = "\n".join(text_of(path) for part in ("core", "addon") for path in (ROOT / part).rglob("*.py"))


def test_its_codes_are_those_of_findings():
    """Guards the codes that a reader searches for: each is one that a check, the doctor or the panel tells."""
    codes = set(re.findall(r"`([a-z]+(?:-[a-z]+)+)`", PAGE))
    assert len(codes) > 20
    assert {code for code in codes if f'"{code}"' not in SOURCES} == set()


def test_its_quotes_are_our_words():
    """Guards what it quotes, word by word."""
    quotes = [quote.removesuffix("…").strip() for quote in re.findall(r'"([^"\n]+)"', PAGE)]
    assert len(quotes) > 5
    assert [quote for quote in quotes if quote not in SOURCES] == []


def test_its_buttons_are_there():
    """Guards the names of buttons, by which they are looked for: in bold, in capitals."""
    labels = {cls.bl_label for cls in (*ops.CLASSES, *panels.CLASSES) if hasattr(cls, "bl_label")}
    labels |= {mend.label for mends in REPAIRS.values() for mend in mends}
    named = set(re.findall(r"\*\*([A-Z][\w-]*(?: [A-Z][\w-]*)*)\*\*", PAGE))
    assert len(named) > 5
    assert {name for name in named if name not in labels} == set()
