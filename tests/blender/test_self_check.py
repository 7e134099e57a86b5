# SPDX-License-Identifier: GPL-3.0-or-later
"""The self-check of the preferences."""

from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.ops.self_check import LIMBERJACK_OT_self_check
from limberjack.addon.ops.waiting import WaitsForSolver
from limberjack.addon.preferences import LimberjackPreferences
from limberjack.core import self_check
from limberjack.core.compilation import jit, kernel_cache

from .paper import Paper


def status():
    return getattr(bpy.context.window_manager, ids.STATUS)


def shown():
    """What the preferences say."""
    return " ".join(drawn().texts)


def drawn():
    """The preferences."""
    paper = Paper()
    own = SimpleNamespace(layout=paper, bl_rna=LimberjackPreferences.bl_rna)
    paper.prop = lambda *_, **__: None
    LimberjackPreferences.draw(own, bpy.context)
    return paper


def test_at_once_from_a_script():
    """`bpy.ops.limberjack.self_check()` needs no window; verdict, versions and speed show in the preferences."""
    assert bpy.ops.limberjack.self_check() == {"FINISHED"}
    for part in ("The solver is right", f"Blender {bpy.app.version_string}", "seconds of the pendulum in a second"):
        assert part in status().self_check
        assert part in shown()


def test_a_wrong_solver_is_an_error(monkeypatch):
    """An installation that computes something else says so, as an error."""
    model = self_check.pendulum()
    model.gravity = (0.0, 0.0, -9.8)
    monkeypatch.setattr(self_check, "pendulum", lambda: model)
    with pytest.raises(RuntimeError, match="The solver is WRONG"):
        bpy.ops.limberjack.self_check()


def test_the_window_lives_while_the_solver_is_compiled(monkeypatch):
    """The same bar as for Simulate; nothing else can be simulated meanwhile, Esc ends it, and keys go on to others."""
    events = []

    class Slow:
        is_needed = staticmethod(lambda: True)
        is_done = False
        seconds = 61.0

        def cancel(self):
            events.append("cancelled")

    class Driven(WaitsForSolver):
        modal, execute = LIMBERJACK_OT_self_check.modal, LIMBERJACK_OT_self_check.execute
        reports = []

        def report(self, kind, message):
            self.reports.append(message)

    monkeypatch.setattr("limberjack.addon.ops.waiting.KernelCompilation", Slow)
    driven, tick, esc, key = Driven(), *(SimpleNamespace(type=kind) for kind in ("TIMER", "ESC", "A"))
    driven.compile(bpy.context)
    assert driven.modal(bpy.context, tick) == {"PASS_THROUGH"}
    assert driven.modal(bpy.context, key) == {"PASS_THROUGH"}
    assert "Compiling the solver, once for this version: 61 s" in shown()
    assert not bpy.ops.limberjack.simulate.poll()
    assert driven.modal(bpy.context, esc) == {"CANCELLED"}
    assert events == ["cancelled"]
    assert not status().running
    driven.compile(bpy.context)
    driven._compilation.is_done = True
    assert driven.modal(bpy.context, tick) == {"FINISHED"}
    if jit.way() is jit.Way.NUMBA:
        assert "once compiled, which took 61 s" in status().self_check


def test_clear_cache(tmp_path, monkeypatch):
    """Kernels go, of this version and of others; a file that is not ours stays, though it lies in the same folder."""
    monkeypatch.setattr(kernel_cache, "_root", tmp_path)
    monkeypatch.setattr(kernel_cache, "_filled", set())
    for name in (kernel_cache.cache_folder().name, "0123456789abcdef", "letters"):
        (tmp_path / name / "solvers").mkdir(parents=True)
        (tmp_path / name / "solvers" / "aba.run-1.py311.1.nbc").write_bytes(bytes(1000))
    assert kernel_cache.cache_size() == 2000
    assert bpy.ops.limberjack.cache_clear() == {"FINISHED"}
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]
    assert bpy.ops.limberjack.cache_clear() == {"FINISHED"}, "an empty cache can be cleared, too"


@pytest.mark.parametrize(
    ("has_library", "is_filled", "is_shown"),
    [(True, False, False), (True, True, True), (False, False, True), (False, True, True)],
)
def test_clear_cache_is_shown_where_there_is_one(tmp_path, monkeypatch, has_library, is_filled, is_shown):
    """Guards against a button that has nothing to do: a library keeps no cache; an older version may have left one."""
    monkeypatch.setattr(kernel_cache, "_root", tmp_path)
    monkeypatch.setattr(jit, "library", lambda: has_library)
    if is_filled:
        (tmp_path / "0123456789abcdef").mkdir()
    buttons = drawn().operators
    assert ids.OP_SELF_CHECK in buttons
    assert (ids.OP_CACHE_CLEAR in buttons) == is_shown


def test_without_numba_the_panel_says_so(monkeypatch):
    """Where Simulate is: why it is slow, how slow, and what to do."""
    from limberjack.addon.panels.simulation import simulate

    from .paper import draw_all

    monkeypatch.setattr(simulate, "why_uncompiled", lambda: "numba is not installed")
    said = draw_all(None)
    assert "numba is not installed" in said
    assert "times slower" in said
    monkeypatch.setattr(simulate, "why_uncompiled", lambda: "")
    assert "uncompiled" not in draw_all(None)
