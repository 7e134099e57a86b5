# SPDX-License-Identifier: GPL-3.0-or-later
"""Make the sample scenes of the folder above: `python sample_scenes/making/make.py [NAME…]`, all where none is named.

Each module here that has `build()` makes one: NAME.blend, and by the add-on's own export NAME.sdf, unless that is what
the scene is made of. Run it where `limberjack` and the bpy wheel are installed.
"""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import bpy
import zstandard
from workshop import SCENES, gather

import limberjack
from limberjack.addon import ids
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.core.formats import write

TOOLS = ("make", "puppet", "skinned", "workshop")
IMPORTED = ("crane", "double_pendulum")
"""Scenes whose SDF came first; the others' are exports."""

LEVEL = 19
"""The highest level of compression that needs no more memory to decompress than a usual one. Blender takes 3."""


def names() -> list[str]:
    """Of the scenes that can be made."""
    return sorted(path.stem for path in Path(__file__).parent.glob("*.py") if path.stem not in TOOLS)


def make(name: str) -> None:
    bpy.ops.wm.read_factory_settings(use_empty=True)
    importlib.import_module(name).build()
    gather(bpy.context.scene)
    bpy.context.preferences.filepaths.save_version = 0
    blend, sdf = SCENES / f"{name}.blend", SCENES / f"{name}.sdf"
    bpy.ops.wm.save_as_mainfile(filepath=str(blend))
    compress(blend)
    print(f"made {blend.name} ({blend.stat().st_size / 1000:.0f} kB)")
    if name not in IMPORTED:
        for loss in export(bpy.context.scene, sdf):
            print(f"made {sdf.name}: loss: {loss}")


def compress(blend: Path) -> None:
    """Compress a .blend file as Blender does, but as well as can be: this saves a fifth."""
    blend.write_bytes(zstandard.ZstdCompressor(level=LEVEL).compress(blend.read_bytes()))


def export(scene: bpy.types.Scene, path: Path) -> list[str]:
    """Write the scene's model, and what was lost; as a world where things touch, as those of one model do not."""
    return write(scan_scene(scene, with_shapes=True).model, path, world=getattr(scene, ids.SCENE).contact)


if __name__ == "__main__":
    limberjack.register()
    for chosen in sys.argv[1:] or names():
        make(chosen)
    limberjack.unregister()  # or bpy ends with a crash
