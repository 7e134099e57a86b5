# SPDX-License-Identifier: GPL-3.0-or-later
"""The modal operator and the panels, driven without a window."""

from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids, kernel_compilation
from limberjack.addon.kernel_compilation import KernelCompilation
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.addon.ops.simulation import bake as bake_operators
from limberjack.addon.ops.simulation.bake import RunsBake
from limberjack.core.compilation import jit, kernel_cache
from limberjack.core.diagnosis import Diagnosis
from limberjack.core.processes import helper
from limberjack.core.simulation import Simulation, SimulationError

from .conftest import joint
from .paper import draw_all

TICK, ESC, KEY = (SimpleNamespace(type=kind) for kind in ("TIMER", "ESC", "A"))


class Driven(RunsBake):
    """Stands in for Blender, which alone may make operators: what they do, without the operator itself."""

    overwrite = False

    def __init__(self):
        self.reports = []
        self.compile(bpy.context)

    def report(self, kind, message):
        self.reports.append((kind, message))

    def modal_until(self, wanted, limit=20000):
        for _ in range(limit):
            result = self.modal(bpy.context, TICK)
            if result != {"RUNNING_MODAL"}:
                break
        assert result == wanted
        return result


@pytest.fixture
def warm(monkeypatch):
    monkeypatch.setattr(KernelCompilation, "is_needed", staticmethod(lambda: False))


@pytest.fixture
def short_slices(monkeypatch):
    """Each tick computes one frame, however fast the machine is."""
    monkeypatch.setattr(bake_operators, "SLICE", 0.0)


def status():
    return getattr(bpy.context.window_manager, ids.STATUS)


def test_modal_bake(scene, build, warm, short_slices):
    """Ticks bring the simulation to its end; progress shows meanwhile, and other keys change nothing."""
    bars, _ = build.pendulum()
    scene.frame_end = 2000
    driven = Driven()
    assert status().running
    assert driven.modal(bpy.context, KEY) == {"RUNNING_MODAL"}
    assert driven.modal(bpy.context, TICK) == {"RUNNING_MODAL"}
    assert 0.0 < status().factor < 1.0
    assert "of 2000" in status().text
    driven.modal_until({"FINISHED"})
    assert not status().running
    assert len(next(fcurves_of(bars[0])).keyframe_points) == 2000


def test_esc(scene, build, warm, short_slices):
    """Esc half-way leaves the evaluated scene exactly as it was, and no action."""
    bars, _ = build.pendulum()
    scene.frame_end = 2000
    depsgraph = bpy.context.evaluated_depsgraph_get()
    before = [[tuple(row) for row in bar.evaluated_get(depsgraph).matrix_world] for bar in bars]
    driven = Driven()
    driven.modal(bpy.context, TICK)
    assert driven.modal(bpy.context, ESC) == {"CANCELLED"}
    depsgraph = bpy.context.evaluated_depsgraph_get()
    assert [[tuple(row) for row in bar.evaluated_get(depsgraph).matrix_world] for bar in bars] == before
    assert not bpy.data.actions
    assert all(bar.animation_data is None for bar in bars)
    assert not status().running


@pytest.mark.parametrize("kind", ["MOUSEMOVE", "WHEELUPMOUSE", "TRACKPADPAN", "NDOF_MOTION", "NDOF_BUTTON_TOP"])
def test_the_view_can_be_turned_meanwhile(build, warm, kind):
    """Guards those who look around while a bake runs, by whatever device; other keys stay with the operator."""
    build.pendulum()
    driven = Driven()
    assert driven.modal(bpy.context, SimpleNamespace(type=kind)) == {"PASS_THROUGH"}
    assert driven.modal(bpy.context, KEY) == {"RUNNING_MODAL"}
    assert driven.modal(bpy.context, ESC) == {"CANCELLED"}


def test_errors_unlock_the_window(scene, build, warm):
    """A failure on the way ends the modal state, and says what it was."""
    _, joints = build.pendulum()
    driven = Driven()
    driven._run = None
    joint(joints[0]).child = None
    assert driven.modal(bpy.context, TICK) == {"CANCELLED"}
    assert "has no child" in status().error
    assert not status().running


def test_a_failure_with_findings_is_said_once(scene, build, monkeypatch):
    """The pop-up says it, and Problems keeps it with its buttons: the line at the top of the tab does not repeat it."""
    build.pendulum()
    for found in ([Diagnosis("too-stiff", "joint 'bar0_joint'", "its spring is too stiff")], []):

        def failing(*_, found=found):
            raise SimulationError("joint 'bar0_joint': its spring is too stiff", found)

        monkeypatch.setattr(Simulation, "parts", failing)
        with pytest.raises(RuntimeError, match="too stiff"):
            bpy.ops.limberjack.simulate()
        assert bool(status().error) == (not found)
    assert [finding.message for finding in scene.limberjack.findings] == ["its spring is too stiff"]


def test_compiling_beforehand(scene, build, monkeypatch):
    """While the solver is compiled elsewhere, the operator waits and says so; Esc stops that, too."""
    build.pendulum()
    events = []

    class Slow:
        is_needed = staticmethod(lambda: True)
        is_done = False
        seconds = 61.0

        def cancel(self):
            events.append("cancelled")

    monkeypatch.setattr("limberjack.addon.ops.waiting.KernelCompilation", Slow)
    driven = Driven()
    driven.modal(bpy.context, TICK)
    assert status().text == "Compiling the solver, once for this version: 61 s"
    assert driven.modal(bpy.context, ESC) == {"CANCELLED"}
    assert events == ["cancelled"]
    driven = Driven()
    driven._compilation.is_done = True
    driven.modal_until({"FINISHED"})


@pytest.mark.skipif(jit.way() is not jit.Way.NUMBA, reason="numba is not used here, so nothing is compiled")
@pytest.mark.slow
def test_child_process_fills_the_cache(tmp_path, monkeypatch):
    """The child compiles for a package of another name, as an extension has, into the cache that it is told."""
    monkeypatch.setattr(kernel_cache, "_filled", set())
    monkeypatch.setattr(kernel_cache, "_root", tmp_path)
    assert KernelCompilation.is_needed(kernel_compilation.POSING)
    assert child_of_extension(monkeypatch, kernel_compilation.POSING) == 0
    markers = list(tmp_path.glob("*/posing"))
    assert len(markers) == 1
    assert markers[0].parent != kernel_cache.cache_folder()  # that name is of this process's own package


def test_child_process_runs_the_solver(monkeypatch, tmp_path):
    """As for poses, for all that a simulation imports and calls; not compiled, since that is no other matter here."""
    monkeypatch.setattr(kernel_cache, "_root", tmp_path)
    monkeypatch.setenv("LIMBERJACK_KERNELS", "python")
    assert child_of_extension(monkeypatch, kernel_compilation.SOLVER) == 0


def child_of_extension(monkeypatch, what):
    """The exit code of a child that was started from a package with an extension's name."""
    monkeypatch.setattr(helper, "ROOT_PACKAGE", "bl_ext.user_default.limberjack")
    return KernelCompilation(what)._child.wait()


def test_panels_draw(scene, build):
    """Every panel draws for links, shapes and joints of every type, and says what must be said."""
    bars, joints = build.pendulum()
    assert "Contact is off" not in draw_all(bars[0])
    scene.limberjack.contact = False
    assert "Contact is off" in draw_all(bars[0])
    for kind in joint(joints[1]).bl_rna.properties["type"].enum_items:
        joint(joints[1]).type = kind.identifier
        draw_all(joints[1])
    draw_all(None)


def test_errors_show_in_the_panel(build):
    """The last error can be read in the panel until something succeeds."""
    bars, joints = build.pendulum()
    child = joint(joints[0]).child
    joint(joints[0]).child = None
    with pytest.raises(RuntimeError):
        bpy.ops.limberjack.simulate()
    assert "has no child" in draw_all(bars[0])
    joint(joints[0]).child = child
    assert "A link was changed" in draw_all(joints[0])
    build.select(joints[0])
    bpy.ops.limberjack.joint_frames_from_empty()
    bpy.ops.limberjack.simulate()
    assert "has no child" not in draw_all(bars[0])


def test_failure_after_the_dialog(build):
    """What fails after the user agreed to replace animation is told in words."""
    bars, _ = build.pendulum(1)
    bars[0].driver_add("location", 0)
    with pytest.raises(RuntimeError, match="has a driver") as caught:
        bpy.ops.limberjack.simulate_overwriting("EXEC_DEFAULT")
    assert "Traceback" not in str(caught.value)
    assert status().error.startswith("link 'bar0' has a driver")


def test_lost_parent_shows_in_the_panel(build):
    """The panel tells a lost parent from the world, and offers the world."""
    bars, joints = build.pendulum(2)
    assert "was deleted" not in draw_all(joints[0])
    bpy.data.objects.remove(bars[0])
    assert "The parent was deleted" in draw_all(joints[1])
