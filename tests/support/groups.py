# SPDX-License-Identifier: GPL-3.0-or-later
"""Which fifth of the tests a run of one group includes. Imports nothing, so every test runner can use it."""

import zlib

GROUPS = 5
"""Number of groups. Runs of all groups together include every test."""


def group_of(name: str) -> int:
    """Return the group of a test, from 0 to GROUPS - 1.

    The group depends on the name alone: it is the same on every machine and does not change when tests are added.

    Args:
        name: identifies the test in its suite, such as "test_bake.test_undo_after_clear_bake".
    """
    return zlib.crc32(name.encode()) % GROUPS
