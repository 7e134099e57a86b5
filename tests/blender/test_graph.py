# SPDX-License-Identifier: GPL-3.0-or-later
"""Graphs over the viewport, as far as they can be seen without one: what they show, where it lies, and when it goes."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.findings.last_run import last_run, store_run
from limberjack.addon.cli import main
from limberjack.addon.overlays.graph import panels_to_show
from limberjack.addon.overlays.graph_layout import MOST_CURVES, Box, plots_of, round_numbers
from limberjack.addon.watch import _replaced
from limberjack.core.plots import Curve, Panel

from .baked import bake
from .conftest import joint

TIMES = np.linspace(0.0, 2.0, 49)
WAVE = np.sin(TIMES)
VIEW = Box(50.0, 20.0, 1450.0, 820.0)


def plot(numbers=WAVE, view=VIEW, scale=1.0, count=1, **limits):
    curves = tuple(Curve(f"c{i}", "c", np.asarray(numbers) + i, **limits) for i in range(count))
    (found,) = plots_of([Panel("values", "m", TIMES, curves)], 11.0 + 24.0 * TIMES, view, scale)
    return found


def test_a_bake_is_kept_until_it_is_cleared(scene, build):
    """A bake leaves its motion, drives' efforts too, at the scene's frames; Clear Bake takes it away."""
    _, joints = build.pendulum(2)
    axis = joint(joints[0]).axes[0]
    axis.drive_mode, axis.drive_target = "force", 3.0
    assert last_run(scene) is None
    run = bake(scene, first=5, last=20)
    kept = last_run(scene)
    assert kept.trajectory.q.tobytes() == run.trajectory.q.tobytes()
    assert kept.frames == pytest.approx(np.arange(5, 21))
    (efforts,) = panels_to_show(kept, "efforts", "")
    assert efforts.curves[0].numbers == pytest.approx(np.full(16, 3.0))
    bpy.ops.limberjack.bake_clear()
    assert last_run(scene) is None


def test_an_undo_and_a_new_file_forget_all_runs(scene, build):
    """What an undo has changed is no longer what was simulated, and no scene is what it was after loading."""
    build.pendulum(1)
    for forget in (_replaced, bpy.ops.wm.read_homefile):
        scene = bpy.context.scene
        store_run(scene, None, None, 1, 24.0)
        assert last_run(scene) is not None
        forget()
        assert last_run(bpy.context.scene) is None


def test_a_run_that_fails_leaves_the_last_one(scene, build):
    """Graphs stay as long as the keys do: a bake that was given up changes neither."""
    build.pendulum(1)
    bake(scene)
    kept = last_run(scene)
    run = SimulationBake(scene, overwrite=True)
    run.step()
    run.cancel()
    assert last_run(scene) is kept


def test_the_active_joint_or_all(scene, build):
    """One joint by its name; all where none is active, or it does not move."""
    _, joints = build.pendulum(3)
    joint(joints[2]).type = "fixed"
    bake(scene)
    kept = last_run(scene)
    names = [joints[0].name, joints[1].name]
    for asked, found in (("", names), (names[1], names[1:]), (joints[2].name, names)):
        (panel,) = panels_to_show(kept, "values", asked)
        assert [curve.name for curve in panel.curves] == found


@pytest.mark.parametrize("scale", [1.0, 2.0])
def test_a_plot_lies_within_the_lower_part_of_the_view(scale):
    """A quarter of the view's height, with room for text on all sides at any scale."""
    found = plot(scale=scale)
    assert (found.frame.left, found.frame.right) == (VIEW.left + 8.0 * scale, VIEW.right - 8.0 * scale)
    assert found.frame.top == VIEW.bottom + max(0.25 * VIEW.height, 130.0 * scale)
    assert found.frame.left + 40.0 * scale < found.box.left < found.box.right < found.frame.right - 100.0 * scale
    assert found.frame.bottom + 14.0 * scale < found.box.bottom < found.box.top < found.frame.top - 14.0 * scale


def test_there_is_no_plot_without_room():
    """A small view is left alone, and two plots share a large one."""
    panels = [Panel("values", unit, TIMES, (Curve("c", "c", TIMES),)) for unit in ("m", "°")]
    assert plots_of(panels, TIMES, Box(0.0, 0.0, 400.0, 800.0), 1.0) == []
    assert plots_of(panels, TIMES, Box(0.0, 0.0, 1400.0, 150.0), 1.0) == []
    one, other = plots_of(panels, TIMES, VIEW, 1.0)
    assert one.frame.right < other.frame.left
    assert one.frame.width == pytest.approx(other.frame.width)


def test_curves_lie_where_their_numbers_are():
    """The first frame at the left, the last at the right, and heights in proportion."""
    found = plot()
    path = found.path(found.curves[0])
    assert path.shape == (48, 2, 3)
    assert (path[0, 0, 0], path[-1, 1, 0]) == pytest.approx((found.box.left, found.box.right))
    heights = path[:, 0, 1] - path[0, 0, 1]
    assert heights / heights[10] == pytest.approx(np.sin(TIMES[:-1]) / math.sin(TIMES[10]))
    assert found.box.bottom < path[..., 1].min() < path[..., 1].max() < found.box.top
    assert float(found.across(35.0)) == pytest.approx(0.5 * (found.box.left + found.box.right))


def test_gaps_limits_and_bands():
    """No line leads over what is no number; limits are dashed, and bands are as wide as the time at a limit."""
    numbers = np.clip(TIMES, 0.0, 1.0)
    numbers[3] = np.nan
    found = plot(numbers, upper=1.0, lower=-99.0)
    (curve,) = found.curves
    assert len(found.path(curve)) == 46
    dashes = found.dashes(curve)
    assert set(dashes[..., 1].ravel()) == {float(found.up(1.0))}
    assert dashes[..., 0].max() <= found.box.right
    (band,) = found.bands(curve)
    assert band.left == pytest.approx(float(found.across(11.0 + 24.0 - 0.5)))
    assert band.right == pytest.approx(found.box.right)


def test_numbers_at_the_playhead():
    """Between frames on the line between them; none before, after, and where the joint does not act."""
    numbers = TIMES.copy()
    numbers[40:] = np.nan
    found = plot(numbers)
    (curve,) = found.curves
    assert found.number_at(curve, 11.0 + 12.0) == pytest.approx(0.5)
    assert found.number_at(curve, 11.0 + 12.5) == pytest.approx(12.5 / 24.0)
    assert found.number_at(curve, 11.0 + 39.0) == pytest.approx(39.0 / 24.0)
    assert all(math.isnan(found.number_at(curve, frame)) for frame in (10.0, 59.5, 11.0 + 45.0))


def test_crowds_are_cut():
    """Twelve curves are all that can be told apart."""
    assert len(plot(count=50).curves) == MOST_CURVES


@pytest.mark.parametrize(
    ("low", "high", "most", "found"),
    [(-1.2, 1.3, 5, [-1, -0.5, 0, 0.5, 1]), (1.0, 250.0, 6, [50, 100, 150, 200, 250]), (3.0, 3.0, 5, [3.0])],
)
def test_round_numbers(low, high, most, found):
    """Marks are at numbers that people count in."""
    assert round_numbers(low, high, most) == pytest.approx(found)


@pytest.mark.parametrize("power", range(-12, 13, 3))
def test_round_numbers_are_few(power):
    """Neither none nor too many, at any size."""
    for span in (1.0, 1.7, 3.3, 9.9):
        found = round_numbers(-0.3 * span * 10.0**power, span * 10.0**power, 6)
        assert 2 <= len(found) <= 7


def test_the_panel_and_its_settings(scene):
    """The quantities to choose from are those that core plots."""
    from limberjack.core.plots import QUANTITIES

    settings = getattr(scene, ids.SCENE)
    assert [item.identifier for item in settings.bl_rna.properties["graph"].enum_items] == list(QUANTITIES)
    settings.graph, settings.shows_graph = "loop-error", True
    assert hasattr(bpy.types, ids.PT_GRAPH)


def test_plot_of_a_blend_file(tmp_path, scene, build, capsys):
    """The command draws what the links of a file are animated as, whatever moves them."""
    build.pendulum(1)
    bake(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "m.blend"))
    assert main(["plot", str(tmp_path / "m.blend"), "-o", str(tmp_path / "m.png")]) == 0
    assert capsys.readouterr().out.endswith("m.png: Joint values [°], Joint velocities [°/s]\n")
    assert (tmp_path / "m.png").stat().st_size > 5000
