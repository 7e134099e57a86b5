# SPDX-License-Identifier: GPL-3.0-or-later
"""The table in docs/formats.md of what is not read of public stages."""

import pytest

from support.documents import DOCS, load
from support.shared import needs_corpus

pytest.importorskip("pxr", reason="usd-core is not installed")

make_usd_unread = load("make_usd_unread")


@needs_corpus
def test_the_table_is_that_of_the_stages():
    """Guards counts and reasons: the table is what the script makes, and each finding about a stage has a reason."""
    assert make_usd_unread.table() in (DOCS / "formats.md").read_text(encoding="utf-8")
