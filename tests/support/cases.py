# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of many cases every run tries."""

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def some(cases: Iterable[Any], quick: Collection[Any]) -> list[Any]:
    """All cases of a parametrized test: `make test` runs the quick ones, and `make test-all` the rest as well."""
    return [case if case in quick else pytest.param(case, marks=pytest.mark.slow) for case in cases]
