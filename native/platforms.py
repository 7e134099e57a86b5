# SPDX-License-Identifier: GPL-3.0-or-later
"""For which machines there are libraries. A new one is a line here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Platform:
    """One that Blender runs on.

    Attributes:
        triple: LLVM's name for it. linker: zig's.
        processor: the oldest that will do. Nothing is chosen at run time: a bake must not depend on the processor.
        suffix: of its shared libraries.
        wheel: the tag of wheels for it.
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
"""By Blender's name for them."""
