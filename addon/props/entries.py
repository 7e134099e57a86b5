# SPDX-License-Identifier: GPL-3.0-or-later
"""The numbers by which files keep the entries of enums."""

import zlib


def number_of(name: str) -> int:
    """Of an enum's entry: a new one in the middle of the list must not change what files have stored."""
    return zlib.crc32(name.encode()) & 0x7FFFFFFF
