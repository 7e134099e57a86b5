# SPDX-License-Identifier: GPL-3.0-or-later
"""Everything here is judged by another program."""

import pytest


def pytest_collection_modifyitems(items):
    for item in items:
        if item.path.is_relative_to(__file__.rpartition("/")[0]):
            item.add_marker(pytest.mark.judges)
