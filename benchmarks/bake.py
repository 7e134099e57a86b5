# SPDX-License-Identifier: GPL-3.0-or-later
"""How long a chain of bars takes to simulate and bake, beside Blender's rigid bodies, in turns. See README.md."""

from __future__ import annotations

import argparse
import importlib.util
import json
import math
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
from peers import PeerError
from targets import as_json, table

from limberjack.addon.cli import end
from limberjack.addon.cli.bpy_session import open_scene, require_blender

ROUNDS = 3
FPS = 24
HALF = 0.5
THICKNESS = 0.1
SLICE = 0.005  # seconds: short, so that simulating and writing can be told apart
"""Of the bars, each a metre long with its origin in the middle, where rigid bodies have their centre of mass [m]."""

SIDES = (-0.5 * THICKNESS, 0.5 * THICKNESS)
CORNERS = [(x, y, z) for x in (-HALF, HALF) for y in SIDES for z in SIDES]
FACES = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
ABOUT_Y = (0.5 * math.pi, 0.0, 0.0)
"""Turns a hinge, which turns about its z, so that it turns about y."""


@dataclass(frozen=True)
class Bake:
    """One run of ours: times [s]; largest gaps in a joint, as simulated and as Blender shows the keys [m]."""

    simulate_s: float
    write_s: float
    drift: float
    gap_simulated: float
    gap: float

    @property
    def seconds(self) -> float:
        return self.simulate_s + self.write_s


@dataclass(frozen=True)
class Stepping:
    """One run of Blender's: its time [s], and the largest gap in a joint [m]."""

    seconds: float
    gap: float


def lay_bars(count: int, frames: int):
    """An empty scene but for bars along x, end to end from the world's origin; returns them."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = open_scene()
    scene.render.fps = FPS
    scene.frame_start, scene.frame_end = 1, frames
    mesh = bpy.data.meshes.new("bar")
    mesh.from_pydata(CORNERS, [], FACES)
    bars = [bpy.data.objects.new(f"bar{number:05}", mesh) for number in range(count)]
    for number, bar in enumerate(bars):
        bar.location.x = number + HALF
        scene.collection.objects.link(bar)
    bpy.context.view_layer.update()
    return bars


def bake(count: int, frames: int, looks: bool = True) -> Bake:
    """Simulate and bake the chain; `looks`: measure the gap in what Blender shows."""
    import bpy

    from limberjack.addon.bake.simulation_bake import SimulationBake
    from limberjack.addon.bridge.joints.joining import frame_along, new_joint
    from limberjack.addon.ops.links.links import tag_links

    bars = lay_bars(count, frames)
    tag_links(bpy.context, bars)
    for number, bar in enumerate(bars):
        place = frame_along((float(number), 0.0, 0.0), (0.0, 1.0, 0.0))
        new_joint(bar, bars[number - 1] if number else None, "revolute", place)
    begun = time.perf_counter()
    run = SimulationBake(bpy.context.scene, first=1, last=frames, accuracy="good")
    while run.frames_done < frames:
        run.step(SLICE)
    simulated = time.perf_counter()
    run.run()
    written = time.perf_counter()
    motion = run.simulation.trajectory
    X_WL = motion.X_WL[:, [motion.link_names.index(bar.name) for bar in bars]]
    return Bake(
        simulated - begun,
        written - simulated,
        run.simulation.report.relative_drift,
        largest_gap(X_WL[..., :3], long_axes(X_WL[..., 3:])),
        shown_gap(bars, frames) if looks else math.nan,
    )


def step_rigid_bodies(count: int, frames: int, looks: bool = True) -> Stepping:
    """The same chain of Blender's rigid bodies with hinges, at default settings but undamped and without collisions."""
    import bpy

    bars = lay_bars(count, frames)
    scene = bpy.context.scene
    add_rigid_bodies(bars)
    bpy.context.view_layer.update()
    begun = time.perf_counter()
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
    seconds = time.perf_counter() - begun
    return Stepping(seconds, shown_gap(bars, frames) if looks else math.nan)


def add_rigid_bodies(bars) -> None:
    import bpy

    scene = bpy.context.scene
    bpy.ops.rigidbody.world_add()
    world = scene.rigidbody_world
    world.collection, world.constraints = bpy.data.collections.new("bodies"), bpy.data.collections.new("hinges")
    anchor = bpy.data.objects.new("anchor", bars[0].data)
    anchor.location.x = -HALF
    scene.collection.objects.link(anchor)
    for bar in (anchor, *bars):
        world.collection.objects.link(bar)
        bar.rigid_body.linear_damping = bar.rigid_body.angular_damping = 0.0
        bar.rigid_body.collision_collections = [False] * len(bar.rigid_body.collision_collections)
    anchor.rigid_body.type = "PASSIVE"
    for number, (before, bar) in enumerate(zip((anchor, *bars), bars, strict=False)):
        hinge = bpy.data.objects.new(f"hinge{number:05}", None)
        hinge.location.x, hinge.rotation_euler = number, ABOUT_Y
        scene.collection.objects.link(hinge)
        world.constraints.objects.link(hinge)
        settings = hinge.rigid_body_constraint
        settings.type, settings.object1, settings.object2 = "HINGE", before, bar


def shown_gap(bars, frames: int) -> float:
    """The largest gap in a joint [m] in what Blender shows at the frames."""
    import bpy

    scene, largest = bpy.context.scene, 0.0
    for frame in range(1, frames + 1):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        matrices = np.array([bar.evaluated_get(depsgraph).matrix_world for bar in bars])
        largest = max(largest, largest_gap(matrices[:, :3, 3], matrices[:, :3, 0]))
    return largest


def long_axes(quaternions: np.ndarray) -> np.ndarray:
    """The x axes of frames turned by w x y z, shape (..., 3)."""
    w, x, y, z = np.moveaxis(quaternions, -1, 0)
    return np.stack([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z), 2.0 * (x * z - w * y)], axis=-1)


def largest_gap(middles: np.ndarray, along: np.ndarray) -> float:
    """Between the end of a bar and the start of the next, the world's origin before all [m]; shapes (..., L, 3)."""
    starts, ends = middles - HALF * along, middles + HALF * along
    before = np.concatenate([np.zeros_like(ends[..., :1, :]), ends[..., :-1, :]], axis=-2)
    return float(np.linalg.norm(starts - before, axis=-1).max())


def measure(count: int, frames: int, with_rigid_bodies: bool = True) -> dict[str, float]:
    """The figures of README.md; NaN is what was not measured."""
    bake(2, 3)
    if with_rigid_bodies:
        step_rigid_bodies(2, 3)
    bakes, steppings = [], []
    for number in range(ROUNDS):
        looks = number == ROUNDS - 1
        bakes.append(bake(count, frames, looks))
        if with_rigid_bodies:
            steppings.append(step_rigid_bodies(count, frames, looks))
    ours = min(bakes, key=lambda run: run.seconds)
    theirs = min((run.seconds for run in steppings), default=math.nan)
    return {
        "links": count,
        "frames": frames,
        "simulate_s": ours.simulate_s,
        "write_s": ours.write_s,
        "rigid_bodies_s": theirs,
        "ratio": ours.seconds / theirs,
        "drift": ours.drift,
        "gap": bakes[-1].gap,
        "gap_simulated": max(run.gap_simulated for run in bakes),
        "rigid_bodies_gap": steppings[-1].gap if steppings else math.nan,
        "peak_mb": peak_mb(),
    }


def peak_mb() -> float:
    """The most memory that this process has held [MB]; macOS tells bytes, Linux KB."""
    held = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return held / (1e6 if sys.platform == "darwin" else 1e3)


def over_rigid_bodies() -> dict[str, float]:
    """The figures of `run.py`, from a process of its own, since Blender stays as long as its process.

    Raises:
        PeerError: there is no Blender as a module.
    """
    if importlib.util.find_spec("bpy") is None:
        raise PeerError("there is no Blender as a module (make setup)")
    done = subprocess.run([sys.executable, __file__, "--json"], capture_output=True, text=True, check=True)
    found = json.loads(done.stdout.splitlines()[-1])
    return {
        "bake_over_rigid_bodies": found["ratio"],
        "bake_s.ours": found["simulate_s"] + found["write_s"],
        "bake_s.rigid_bodies": found["rigid_bodies_s"],
        "bake_gap.simulated": found["gap_simulated"],
        "bake_gap.shown": found["gap"],
        "bake_gap.rigid_bodies": found["rigid_bodies_gap"],
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--links", type=int, default=100, help="bars of the chain; 100 if left out")
    parser.add_argument("--frames", type=int, default=250, help="at 24 a second; 250 if left out")
    parser.add_argument("--no-rigid-bodies", action="store_true", help="leave Blender's own out")
    parser.add_argument("--json", action="store_true", help="one JSON object, as the last line")
    arguments = parser.parse_args()
    if arguments.links < 1 or arguments.frames < 2:
        parser.error("give at least 1 link and 2 frames")
    require_blender()
    figures = measure(arguments.links, arguments.frames, not arguments.no_rigid_bodies)
    print(table(figures))
    if arguments.json:
        print(as_json(figures))
    return end(0)


if __name__ == "__main__":
    sys.exit(main())
