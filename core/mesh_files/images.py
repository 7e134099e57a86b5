# SPDX-License-Identifier: GPL-3.0-or-later
"""The check whether a file is an image. It examines the first bytes, since a suffix may be wrong."""

from __future__ import annotations

import os
import stat
from pathlib import Path

MAX_BYTES = 512 * 2**20
"""Largest size of an image that is copied [bytes]."""

_BEGINNINGS = (
    *(b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"BM", b"GIF87a", b"GIF89a", b"II*\0", b"MM\0*", b"\x76\x2f\x31\x01"),
    *(
        b"#?RADIANCE",
        b"#?RGBE",
        b"DDS ",
        b"8BPS",
        b"\x01\xda",
        b"SDPX",
        b"XPDS",
        b"\0\0\0\x0cjP  ",
        b"\xff\x4f\xff\x51",
    ),
    *(b"\xabKTX", b"P5\n", b"P6\n"),
)
"""First bytes of images.

PNG, JPEG, BMP, GIF, TIFF, OpenEXR, Radiance, DDS, Photoshop, IRIS, Cineon, DPX, JPEG 2000, KTX and PNM.
"""

_TARGA_KINDS = (1, 2, 3, 9, 10, 11)
_TARGA_DEPTHS = (8, 15, 16, 24, 32)
_HEAD = 18
"""Size of the header of a Targa image [bytes], which has no first bytes of its own."""


def is_image(path: str | Path) -> bool:
    """Return whether a path is that of a regular file that begins like an image of a kind that Blender reads."""
    try:
        status = os.stat(path)
        if not stat.S_ISREG(status.st_mode) or status.st_size > MAX_BYTES:
            return False
        with open(path, "rb") as file:
            head = file.read(_HEAD)
    except (OSError, ValueError):
        return False
    if head.startswith(_BEGINNINGS) or (head[:4] == b"RIFF" and head[8:12] == b"WEBP"):
        return True
    is_targa = Path(path).suffix.lower() in (".tga", ".targa") and len(head) == _HEAD
    return is_targa and head[1] <= 1 and head[2] in _TARGA_KINDS and head[16] in _TARGA_DEPTHS
