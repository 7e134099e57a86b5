# SPDX-License-Identifier: GPL-3.0-or-later
"""What setuptools cannot be told in pyproject.toml: a wheel with compiled kernels in it is one for their platform."""

import json
import sys
from pathlib import Path

from setuptools.command.bdist_wheel import bdist_wheel

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "core" / "kernels" / "kernels.json"


class BuiltWheel(bdist_wheel):
    """Of any Python, since kernels touch nothing of it; where there are none, of any platform too."""

    def initialize_options(self) -> None:
        super().initialize_options()
        if TABLE.is_file():
            self.distribution.has_ext_modules = lambda: True  # what setuptools takes for "of a platform"

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", _platform_tag()) if TABLE.is_file() else super().get_tag()


def _platform_tag() -> str:
    sys.path.insert(0, str(ROOT))  # where nobody else needs it, whatever builds the wheel
    from native.platforms import PLATFORMS

    return PLATFORMS[json.loads(TABLE.read_text(encoding="utf-8"))["platform"]].wheel
