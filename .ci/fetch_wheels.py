"""Download the wheels that the extension's zips carry into build/wheels: those pinned in requirements/wheels.txt.

`build_extension.py` says for which platforms there are zips.
"""

import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
WHEELS = ROOT / "build" / "wheels"


@dataclass(frozen=True)
class Platform:
    """What Blenders for a platform can load: wheels of this tag, for the Pythons that they come with."""

    wheel_tag: str
    pythons: tuple[str, ...]


LONG_TERM = ("3.11", "3.13")
"""Of Blender 4.5 LTS and 5.2 LTS, as blender.org gives them."""

DISTRIBUTIONS = "3.14"
"""Of the 5.2 that Linux distributions build with their own Python. Blender refuses a zip that has no wheel for it."""

PLATFORMS = {
    "linux-x64": Platform("manylinux_2_28_x86_64", (*LONG_TERM, DISTRIBUTIONS)),
    "windows-x64": Platform("win_amd64", LONG_TERM),
    "macos-arm64": Platform("macosx_12_0_arm64", LONG_TERM),
}
"""By Blender's name for them."""


def main() -> None:
    shutil.rmtree(WHEELS, ignore_errors=True)
    for platform in PLATFORMS.values():
        for python in platform.pythons:
            _download(platform.wheel_tag, python)


def _download(tag: str, python: str) -> None:
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps"]
    command += ["--require-hashes", "--only-binary", ":all:", "--implementation", "cp", "--python-version", python]
    command += ["--platform", tag, "--dest", str(WHEELS), "--requirement", str(ROOT / "requirements" / "wheels.txt")]
    subprocess.run(command, check=True)


if __name__ == "__main__":
    main()
