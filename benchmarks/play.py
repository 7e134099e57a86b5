# SPDX-License-Identifier: GPL-3.0-or-later
"""Frames a second of Play, without a window, where things touch, and while one of them is pulled. See README.md.

    .venv/bin/python benchmarks/play.py
    .venv/bin/python benchmarks/play.py --accuracy good --only pile100

Each frame is computed and put into the scene as Play does it, one after the other; what a window draws comes on top.
"""

from __future__ import annotations

import argparse
import sys
import time

import bpy
from contact_cases.scenes import shared_scenes, world_of
from mathutils import Vector
from models import ROOT
from targets import as_json, table

import limberjack
from limberjack.addon import preview
from limberjack.addon.bridge.scene.write import write_scene

SAMPLES = ROOT / "sample_scenes"
PULLED = {"tumble": "chest", "pile100": "", "car": "chassis"}
"""Scenes, samples or those of ../shared/contact, and the link that is pulled, or the last one."""
SECONDS, SPEED = 2.0, 1.0
"""Before a link is pulled, and again while it is; metres a second sideways."""


def open_scene(name: str, accuracy: str) -> bpy.types.Object:
    """Returns the link to pull."""
    path = SAMPLES / f"{name}.blend"
    if path.exists():
        bpy.ops.wm.open_mainfile(filepath=str(path))
    else:
        bpy.ops.wm.read_factory_settings(use_empty=True)
        write_scene(world_of(shared_scenes()[name]["make"]()).model, bpy.context.scene)
    scene = bpy.context.scene
    scene.render.fps, scene.frame_end = 24, scene.frame_start + round(2.0 * SECONDS * 24)
    scene.limberjack.accuracy, scene.limberjack.contact, scene.limberjack.preview.pace = accuracy, True, "EVERY"
    links = [obj for obj in scene.objects if obj.limberjack_link.is_link]
    return next((obj for obj in links if obj.name == PULLED[name]), links[-1])


def rate_of(shown: preview.Preview, frames: int, place: Vector | None = None) -> tuple[float, float]:
    """Frames a second, and the longest one [s]; `place`: where the mouse is at first."""
    longest, begun, first = 0.0, time.perf_counter(), shown.playhead
    while shown.playhead < first + frames:
        frame = time.perf_counter()
        if place is not None:
            shown.pull_to(place + Vector((SPEED * (shown.playhead - first) / 24.0, 0.0, 0.0)))
        shown.tick(1.0 / 24.0)
        if shown.problem:
            raise SystemExit(f"benchmark: {shown.problem}")
        longest = max(longest, time.perf_counter() - frame)
    return frames / (time.perf_counter() - begun), longest


def measured(name: str, accuracy: str) -> dict[str, float]:
    link = open_scene(name, accuracy)
    shown, frames = preview.begin(bpy.context.scene), round(SECONDS * 24)
    shown.play()
    alone, longest = rate_of(shown, frames)
    place = link.matrix_world.translation.copy()
    shown.take(link, place)
    pulled, longest_pulled = rate_of(shown, frames, place)
    shown.stop()
    preview.end()
    key = f"play.{name}.{accuracy}"
    return {
        f"{key}.fps": alone,
        f"{key}.pulled_fps": pulled,
        f"{key}.longest_s": longest,
        f"{key}.pulled_longest_s": longest_pulled,
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default=",".join(PULLED), help="scenes, with commas between them")
    parser.add_argument("--accuracy", default="draft,good", help="of draft, good, exact, with commas between them")
    parser.add_argument("--json", action="store_true", help="one JSON object, on the last line")
    asked = parser.parse_args()
    limberjack.register()
    figures = {}
    for accuracy in asked.accuracy.split(","):
        for name in asked.only.split(","):
            measured(name, accuracy)  # once for what is loaded and compiled
            figures |= measured(name, accuracy)
    limberjack.unregister()  # or bpy ends with a crash
    print(table(figures))
    if asked.json:
        print(as_json(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
