# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers by which files store the entries of enums."""

import zlib


def number_of(name: str) -> int:
    """Return the number of an enum's entry.

    It follows from the entry's name, so that a new entry in the middle of a list does not change what files have
    stored.
    """
    return zlib.crc32(name.encode()) & 0x7FFFFFFF
