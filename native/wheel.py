# SPDX-License-Identifier: GPL-3.0-or-later
"""A step of building wheels that pyproject.toml cannot express: wheels with compiled kernels have a platform."""

import json
import sys
from pathlib import Path

from setuptools.command.bdist_wheel import bdist_wheel

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "core" / "kernels" / "kernels.json"


class BuiltWheel(bdist_wheel):
    """A wheel for any Python, since kernels do not use Python. Without kernels, it is for any platform too."""

    def initialize_options(self) -> None:
        super().initialize_options()
        if TABLE.is_file():
            self.distribution.has_ext_modules = lambda: True  # setuptools then gives the wheel a platform

    def get_tag(self) -> tuple[str, str, str]:
        return ("py3", "none", _platform_tag()) if TABLE.is_file() else super().get_tag()


def _platform_tag() -> str:
    sys.path.insert(0, str(ROOT))  # the builder of the wheel need not have the repository in its path
    from native.platforms import PLATFORMS

    return PLATFORMS[json.loads(TABLE.read_text(encoding="utf-8"))["platform"]].wheel
