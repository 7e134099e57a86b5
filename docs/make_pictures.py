# SPDX-License-Identifier: GPL-3.0-or-later
"""The pictures of the pages: four of the real window, and renders of the samples. `make pictures` runs this.

Needs what tests in a window need (tests/gui/run.py says what is missing), and OpenGL to render.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
from bridge_scene import build as build_bridge
from PIL import Image

import limberjack
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.contact_sheet import render_contact_sheet

DOCS = Path(__file__).parent
ROOT = DOCS.parent
SAMPLES = ROOT / "sample_scenes"
SCREENS = ROOT / "out" / "gui"
QUALITY = 85
TILE = (480, 360)
COLUMNS = 4
GROUND = (221, 225, 229)
MOVING = ("tumble", "dominoes", "crane", "gripper")
"""Samples that README's first picture shows side by side, in rows of two."""
SHOTS, SHOWN_FOR = 60, 5.0
"""Of each; seconds that they take, which is one sample's time or a good part of it."""


def window_pictures() -> None:
    """What test_pictures.py has seen."""
    subprocess.run([sys.executable, ROOT / "tests" / "gui" / "run.py", "test_pictures"], check=True)
    for screen in sorted(SCREENS.glob("picture_*.png")):
        save(Image.open(screen), screen.stem.removeprefix("picture_"))


def save(picture: Image.Image, name: str) -> None:
    path = DOCS / f"{name}.jpg"
    picture.convert("RGB").save(path, quality=QUALITY)
    print(f"{path.relative_to(ROOT)}: {picture.width} x {picture.height}, {path.stat().st_size / 1000:.0f} kB")


def in_twelve_frames(name: str, folder: Path) -> None:
    simulate(name)
    render_contact_sheet(bpy.context.scene, folder / f"{name}.png")
    save(Image.open(folder / f"{name}.png"), name)


def simulate(name: str) -> None:
    bpy.ops.wm.open_mainfile(filepath=str(SAMPLES / f"{name}.blend"))
    SimulationBake(bpy.context.scene, overwrite=True).run()


def all_samples(folder: Path) -> None:
    """Each as its camera sees it, in mid-motion."""
    numbers = {path.stem: json.loads(path.read_text()) for path in SAMPLES.glob("*.json")}
    names = sorted(numbers, key=lambda name: numbers[name]["order"])
    rows = -(-len(names) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * TILE[0], rows * TILE[1]), "white")
    for number, name in enumerate(names):
        simulate(name)
        scene = bpy.context.scene
        scene.frame_set(numbers[name].get("picture_frame", (scene.frame_start + scene.frame_end) // 2))
        sheet.paste(rendered(scene, folder / f"{name}.png"), at(number))
    save(sheet, "samples")


def broken_bridge(folder: Path) -> None:
    """Six frames of a bridge whose joints break."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    build_bridge()
    SimulationBake(bpy.context.scene).run()
    render_contact_sheet(bpy.context.scene, folder / "bridge.png", columns=3, rows=2)
    save(Image.open(folder / "bridge.png"), "bridge")


def in_one_frame(name: str, folder: Path) -> None:
    """A sample as its camera sees it, in the frame that its file names."""
    simulate(name)
    scene = bpy.context.scene
    scene.frame_set(json.loads((SAMPLES / f"{name}.json").read_text())["picture_frame"])
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(folder / f"{name}.png")
    bpy.ops.render.render(write_still=True)
    save(Image.open(folder / f"{name}.png"), name)


def moving_picture(folder: Path) -> None:
    """A loop that README shows: what falls, hits, swings and holds."""
    sheets = [Image.new("RGB", (2 * TILE[0], 2 * TILE[1]), "white") for _ in range(SHOTS)]
    for number, name in enumerate(MOVING):
        simulate(name)
        scene = bpy.context.scene
        scene.render.resolution_percentage = 50  # four seconds a picture otherwise, for what is made smaller anyway
        last = min(scene.frame_end, scene.frame_start + round(SHOWN_FOR * scene.render.fps))
        for shot, sheet in enumerate(sheets):
            scene.frame_set(scene.frame_start + round((last - scene.frame_start) * shot / (SHOTS - 1)))
            sheet.paste(rendered(scene, folder / f"{name}.png"), at(number, columns=2))
    path = DOCS / "moving.webp"
    told = {"duration": round(1000.0 * SHOWN_FOR / SHOTS), "loop": 0, "quality": 60, "method": 6}
    sheets[0].save(path, save_all=True, append_images=sheets[1:], **told)
    print(f"{path.relative_to(ROOT)}: {SHOTS} frames, {path.stat().st_size / 1000:.0f} kB")


def at(number: int, columns: int = COLUMNS) -> tuple[int, int]:
    row, column = divmod(number, columns)
    return column * TILE[0], row * TILE[1]


def rendered(scene: bpy.types.Scene, path: Path) -> Image.Image:
    """In the middle of a tile, whole."""
    scene.render.film_transparent = True
    scene.render.image_settings.file_format = "PNG"
    scene.render.filepath = str(path)
    bpy.ops.render.render(write_still=True)
    picture = Image.open(path).convert("RGBA")
    ground = Image.new("RGBA", picture.size, (*GROUND, 255))
    ground.alpha_composite(picture)
    scale = min(TILE[0] / ground.width, TILE[1] / ground.height)
    small = ground.resize((round(ground.width * scale), round(ground.height * scale)), Image.Resampling.LANCZOS)
    tile = Image.new("RGB", TILE, GROUND)
    tile.paste(small.convert("RGB"), ((TILE[0] - small.width) // 2, (TILE[1] - small.height) // 2))
    return tile


if __name__ == "__main__":
    window_pictures()
    limberjack.register()
    folder = ROOT / "out" / "pictures"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    in_twelve_frames("crane", folder)
    in_one_frame("stairs", folder)
    broken_bridge(folder)
    all_samples(folder)
    moving_picture(folder)
    limberjack.unregister()  # or bpy ends with a crash
