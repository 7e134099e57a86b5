# SPDX-License-Identifier: GPL-3.0-or-later
"""A simulation that fails half-way: its good frames can be kept as a bake, which says where it ends."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.addon.ops.simulation.bake import failed_run
from limberjack.core.cli import SIMULATION_FAILED
from limberjack.core.simulation import Simulation, SimulationError

from .baked import bake, matrices_at
from .paper import draw
from .test_cli import PENDULUM, run

FAILS_AFTER = 10
"""Frames of the scene, from its first one, that are computed."""


@pytest.fixture
def failing(monkeypatch):
    """Let simulations fail after FAILS_AFTER frames, as they do where a motion cannot be followed."""

    def some(simulation, frames=None):
        for done in simulation:
            yield done
            if done >= FAILS_AFTER:
                raise SimulationError("link 'bar1': the motion cannot be followed past 0.38 s, frame 10")

    def install():
        monkeypatch.setattr(Simulation, "parts", some)

    yield install
    monkeypatch.undo()


def simulate_and_fail():
    with pytest.raises(RuntimeError, match="cannot be followed"):
        bpy.ops.limberjack.simulate()


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize("reduces", [False, True], ids=["every", "reduced"])
def test_kept(scene, build, failing, onto, reduces):
    """Guards the frames that are kept: those of a bake that does not fail, and none after them."""
    bars, _ = build.pendulum(2)
    panel = scene.limberjack.bake
    panel.onto, panel.reduces = onto, reduces
    bake(scene)
    wanted = matrices_at(scene, bars, range(1, FAILS_AFTER + 1))
    bpy.ops.limberjack.bake_clear()
    failing()
    simulate_and_fail()
    assert bake_of(scene) is None
    paper = draw(bars[0])
    assert f"The simulation failed after frame {FAILS_AFTER}" in paper.texts
    assert ("limberjack.bake_keep_partial", f"Keep Frames 1–{FAILS_AFTER}") in paper.buttons
    assert bpy.ops.limberjack.bake_keep_partial() == {"FINISHED"}
    assert np.abs(matrices_at(scene, bars, range(1, FAILS_AFTER + 1)) - wanted).max() < (2e-3 if reduces else 1e-6)
    curves = [curve for obj in scene.objects for curve in fcurves_of(obj)]
    assert max(curve.range()[1] for curve in curves) == FAILS_AFTER


def test_it_is_marked(scene, build, failing):
    """Guards what is told of such a bake: where it ends and why; it is up to date, and a new range makes it not so."""
    build.pendulum(2)
    failing()
    simulate_and_fail()
    bpy.ops.limberjack.bake_keep_partial()
    receipt = receipt_of(bake_of(scene))
    assert (receipt.first, receipt.last, receipt.asked_frame) == (1, FAILS_AFTER, 24)
    assert "Baked frames 1–10 on 2 links" in scene.limberjack.last_result
    assert "the bake ends at frame 10, where the simulation ended" in scene.limberjack.last_notes
    assert out_of_date(scene, read_scene(scene)) == ""
    assert failed_run(scene) is None
    scene.frame_end = 30
    assert out_of_date(scene, read_scene(scene)) == "the frame range was changed"


def test_nothing_to_keep(scene, build, failing, monkeypatch):
    """Guards the button against runs that are over: another simulation, other objects, or no frame at all."""
    build.pendulum(2)
    assert not bpy.ops.limberjack.bake_keep_partial.poll()
    failing()
    simulate_and_fail()
    assert bpy.ops.limberjack.bake_keep_partial.poll()
    monkeypatch.undo()
    bpy.ops.limberjack.simulate()
    assert not bpy.ops.limberjack.bake_keep_partial.poll()
    failing()
    simulate_and_fail()
    bpy.data.objects.remove(scene.objects["bar1"])
    with pytest.raises(RuntimeError, match="was deleted while it was simulated"):
        bpy.ops.limberjack.bake_keep_partial()


def test_the_command_line(failing, tmp_path, capsys):
    """Guards `bake --keep-partial`: the file has the good frames, and the exit code is that of a failure."""
    failing()
    out = tmp_path / "out.blend"
    assert run("bake", PENDULUM, "-o", out) == SIMULATION_FAILED
    assert not out.exists()
    assert run("bake", PENDULUM, "-o", out, "--keep-partial") == SIMULATION_FAILED
    bpy.ops.wm.open_mainfile(filepath=str(out))
    receipt = receipt_of(bake_of(bpy.context.scene))
    assert receipt.last < receipt.asked_frame
    assert receipt.last == receipt.first + FAILS_AFTER - 1
