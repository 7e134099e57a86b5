# SPDX-License-Identifier: GPL-3.0-or-later
"""The platforms for which libraries are built. A new one needs one entry in `PLATFORMS`."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """A platform that Blender supports.

    Attributes:
        triple: the name of the platform in LLVM. linker: the name of it in zig.
        processor: the oldest processor on which the library runs. Nothing is chosen at run time, since a bake must not
            depend on the processor.
        suffix: of shared libraries.
        wheel: the tag of wheels.
    """

    triple: str
    linker: str
    processor: str
    suffix: str
    wheel: str


PLATFORMS = {
    "linux-x64": Platform(
        "x86_64-unknown-linux-gnu", "x86_64-linux-gnu.2.28", "x86-64-v2", ".so", "manylinux_2_28_x86_64"
    ),
    "windows-x64": Platform("x86_64-pc-windows-gnu", "x86_64-windows-gnu", "x86-64-v2", ".dll", "win_amd64"),
    "macos-arm64": Platform(
        "arm64-apple-macosx11.0.0", "aarch64-macos.11.0", "apple-m1", ".dylib", "macosx_11_0_arm64"
    ),
    "linux-arm64": Platform(
        "aarch64-unknown-linux-gnu", "aarch64-linux-gnu.2.28", "generic", ".so", "manylinux_2_28_aarch64"
    ),
    "macos-x64": Platform(
        "x86_64-apple-macosx11.0.0", "x86_64-macos.11.0", "x86-64-v2", ".dylib", "macosx_11_0_x86_64"
    ),
    "windows-arm64": Platform("aarch64-pc-windows-gnu", "aarch64-windows-gnu", "generic", ".dll", "win_arm64"),
}
"""The platforms by Blender's names for them."""
