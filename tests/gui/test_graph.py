# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs over the 3D view: there when asked for, of what was baked, and gone when that is undone."""

import importlib
import math

import bpy
import harness
import numpy as np
from harness import OUT, Steps, over_viewport, region, screenshot, simulated
from scenes import select
from sidebar import click_button, open_tab
from test_handles import undo
from test_same_keys import SOURCE, open_file

from support.plan import walk

FRAME = 60
"""At which numbers are compared."""


def picture(name: str) -> Steps:
    """What is on the screen, from the lowest row upward, shape (height, width, 4)."""
    region().tag_redraw()
    yield from harness.at_rest()
    yield from screenshot(name)
    image = bpy.data.images.load(str(OUT / f"{name}.png"))
    seen = np.empty(len(image.pixels), dtype=np.float32)
    image.pixels.foreach_get(seen)
    seen = seen.reshape(image.size[1], image.size[0], 4)
    bpy.data.images.remove(image)
    return seen


def plots() -> list:
    (shown,) = harness.module("overlays.graph")._pictures.values()
    return shown.plots


def change(before: np.ndarray, after: np.ndarray, box) -> float:
    """The share of pixels in a box of the view that are others."""
    x, y = region().x, region().y
    rows, columns = slice(round(y + box.bottom), round(y + box.top)), slice(round(x + box.left), round(x + box.right))
    return float((np.abs(after[rows, columns] - before[rows, columns]).max(axis=2) > 0.02).mean())


def turned(link: bpy.types.Object, frame: int) -> float:
    """How far a link is turned from where it was at frame 1 [degrees]."""
    turns = []
    for each in (1, frame):
        bpy.context.scene.frame_set(each)
        turns.append(link.matrix_world.to_quaternion())
    return math.degrees(turns[0].rotation_difference(turns[1]).angle)


def keep_a_swing() -> None:
    """A run of the crane's `slew`, which swings between its stops, and of `lift`, over frames 1 to 97."""
    model = importlib.import_module(f"{harness.PACKAGE}.core.model")
    motions = importlib.import_module(f"{harness.PACKAGE}.core.trajectory.trajectory")
    axes = {"slew": model.Axis(lower=-1.0, upper=1.0), "lift": model.Axis()}
    joints = [model.Joint(name, "revolute", "world", name, axes=[axis]) for name, axis in axes.items()]
    times = np.arange(97) / 24.0
    q = np.stack([np.clip(1.4 * np.sin(2.0 * times), -1.0, 1.0), 0.5 * times], axis=1)
    names, rates = (tuple((name, unit) for name in axes) for unit in ("rad", "rad/s"))
    unknown = [np.full(97, np.nan)] * 4
    motion = motions.Trajectory(times, (), np.zeros((97, 0, 7)), names, q, rates, np.gradient(q, axis=0), *unknown)
    harness.module("bridge.findings.last_run").store_run(bpy.context.scene, model.Model(joints=joints), motion, 1, 24.0)


def test_a_run_is_drawn():
    """The strip lies along the lower edge, takes no more of the view, says so where there is nothing to draw, and is
    drawn at any size of text; what goes on at a limit has its band."""
    yield from open_file(SOURCE / "sample_scenes" / "crane.blend")
    settings, view = bpy.context.scene.limberjack, bpy.context.preferences.view
    bpy.context.scene.frame_set(FRAME)
    select()
    yield from over_viewport()
    keep_a_swing()
    before = yield from picture("graph_off")
    settings.shows_graph = True
    after = yield from picture("graph_of_a_run")
    (plot,) = plots()
    assert change(before, after, plot.frame) > 0.9
    above = type(plot.box)(plot.frame.left, plot.frame.top + 10, plot.frame.right, plot.frame.top + 200)
    assert change(before, after, above) < 0.02
    assert len(plot.bands(plot.curves[0])) == 3
    settings.graph = "efforts"
    yield from picture("graph_of_nothing")
    assert not plots()
    settings.graph = "values"
    view.ui_scale = 2.0
    yield from harness.at_rest()
    yield from picture("graph_large")
    assert bpy.context.preferences.system.ui_scale > 1.5
    assert [plot.scale for plot in plots()] == [bpy.context.preferences.system.ui_scale]
    view.ui_scale = 1.0
    yield from harness.at_rest()


@walk
def test_graphs_of_a_bake():
    """A bake can be seen at once, with the numbers at each frame, of the active joint alone; and an undo takes the
    graphs away with it."""
    yield from open_file(SOURCE / "sample_scenes" / "crane.blend")
    bpy.context.scene.frame_end = 120
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    bpy.context.scene.frame_set(FRAME)
    bpy.context.scene.limberjack.shows_graph = True
    joint = bpy.data.objects["slew"]
    select("slew")
    yield from picture("graph_of_one")
    (plot,) = plots()
    (curve,) = plot.curves
    assert curve.name == "slew"
    for frame in (20, FRAME, 100):
        expected = turned(joint.limberjack_joint.child, frame)
        assert abs(abs(plot.number_at(curve, frame)) - expected) < 0.01, (frame, expected)
    assert abs(plot.number_at(curve, 100)) > 1.0

    select()
    for quantity in ("velocities", "energy"):
        bpy.context.scene.limberjack.graph = quantity
        yield from picture(f"graph_{quantity}")

    runs = harness.module("bridge.findings.last_run")
    assert runs.last_run(bpy.context.scene) is not None
    yield from undo()
    assert runs.last_run(bpy.context.scene) is None
