# SPDX-License-Identifier: GPL-3.0-or-later
"""pxr where there is none: these tests run with and without it."""

import sys

import pytest

from limberjack.core.files.errors import UnreadableError
from limberjack.core.formats.registry import USD
from support.usd import body, reading_of, stage


@pytest.fixture
def no_pxr(monkeypatch):
    """No module of pxr can be imported."""
    monkeypatch.setitem(sys.modules, "pxr", None)
    for name in [name for name in sys.modules if name.startswith("pxr.")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.usefixtures("no_pxr")
def test_no_pxr():
    """Without pxr, one line says how to install it."""
    assert not USD.is_readable
    with pytest.raises(UnreadableError) as caught:
        reading_of(stage(body("a")))
    assert "pip install usd-core" in str(caught.value)
    assert "\n" not in str(caught.value)
