# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of the program, from the manifest, where Blender requires it."""

import re
import tomllib
from pathlib import Path

with (Path(__file__).parents[1] / "blender_manifest.toml").open("rb") as _manifest:
    VERSION: str = tomllib.load(_manifest)["version"]


def numbers_of(version: str) -> tuple[int, int, int] | None:
    """Return the numbers by which versions are compared, or None if the text is not a version.

    0.10.0 comes after 0.9.0. A suffix, as in 0.9.0-beta, does not count.
    """
    found = re.fullmatch(r"(\d{1,9})\.(\d{1,9})\.(\d{1,9})([-+][\w.+-]*)?", version, re.ASCII)
    return (int(found[1]), int(found[2]), int(found[3])) if found else None
