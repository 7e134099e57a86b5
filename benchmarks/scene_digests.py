# SPDX-License-Identifier: GPL-3.0-or-later
"""One digest for the keys of each sample scene's bake: two machines, or two choices of BLAS kernels, must agree.

    OPENBLAS_CORETYPE=Prescott python benchmarks/scene_digests.py > a.txt
    OPENBLAS_CORETYPE=Haswell python benchmarks/scene_digests.py > b.txt
    diff a.txt b.txt

Needs Blender's module bpy.
"""

from __future__ import annotations

import argparse
import hashlib
from pathlib import Path

import bpy
import numpy as np

import limberjack
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.nodes.animation import fcurves_of

SAMPLES = Path(__file__).parents[1] / "sample_scenes"
FRAMES = 40


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=FRAMES, help="frames that are baked of each scene")
    frames = parser.parse_args().frames
    limberjack.register()
    try:
        for path in sorted(SAMPLES.glob("*.blend")):
            print(f"{path.stem:24s} {digest(path, frames)}", flush=True)
    finally:
        limberjack.unregister()


def digest(path: Path, frames: int) -> str:
    """Return the SHA-256 of all keys that a bake of so many frames writes, bit for bit."""
    bpy.ops.wm.open_mainfile(filepath=str(path))
    scene = bpy.context.scene
    scene.frame_end = scene.frame_start + frames
    SimulationBake(scene).run()
    found = hashlib.sha256()
    for obj in sorted(scene.objects, key=lambda each: each.name):
        for curve in fcurves_of(obj):
            values = np.empty(2 * len(curve.keyframe_points), np.float32)
            curve.keyframe_points.foreach_get("co", values)
            found.update(f"{obj.name} {curve.data_path} {curve.array_index}".encode() + values.tobytes())
    return found.hexdigest()[:16]


if __name__ == "__main__":
    main()
