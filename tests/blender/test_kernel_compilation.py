# SPDX-License-Identifier: GPL-3.0-or-later
"""Where no library brings it, the solver is compiled beside the window, which says so, and leaves no rubbish."""

import sys
from types import SimpleNamespace

import bpy

from limberjack.addon import ids, kernel_compilation
from limberjack.addon.ops.simulation.preview import LIMBERJACK_OT_preview
from limberjack.addon.ops.waiting import WaitsForSolver
from limberjack.core.compilation import kernel_cache


def test_kernels_of_older_versions_are_removed(tmp_path, monkeypatch):
    """A new version's kernels take the place of older ones in an extension's own folder; what another Python or nobody
    of ours has put there stays."""
    monkeypatch.setattr(kernel_cache, "_root", tmp_path)
    mark = f"py{sys.version_info.major}{sys.version_info.minor}"
    kept = [kernel_cache.cache_folder(), tmp_path / "0123456789abcdee", tmp_path / "notes"]
    older = tmp_path / "0123456789abcdef"
    for folder, tag in ((kept[0], mark), (kept[1], "py399"), (kept[2], mark), (older, mark)):
        (folder / "solvers").mkdir(parents=True)
        (folder / "solvers" / f"aba.run-1.{tag}.nbi").touch()
    kernel_cache.remove_older_kernels()
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_only_an_extension_removes_older_kernels(monkeypatch):
    """The cache of the command line belongs to all checkouts on a machine: filling it removes nothing."""
    removed = []
    monkeypatch.setattr(kernel_compilation, "remove_older_kernels", lambda: removed.append(True))
    monkeypatch.setattr(kernel_compilation.helper, "start", lambda *_: None)
    for package, times in (("checkout.limberjack", 0), ("bl_ext.user_default.limberjack", 1)):
        monkeypatch.setattr(kernel_compilation, "ROOT_PACKAGE", package)
        kernel_compilation.KernelCompilation()
        assert len(removed) == times


def test_play_tells_of_the_compilation_too(build, monkeypatch):
    """Who presses Play first is told, and nothing else is simulated meanwhile; then the preview begins."""
    build.pendulum()
    status = getattr(bpy.context.window_manager, ids.STATUS)
    status.running = True
    events = []
    warming = SimpleNamespace(is_done=False, seconds=12.0)

    class Play(WaitsForSolver):
        is_exclusive, _compilation = LIMBERJACK_OT_preview.is_exclusive, warming
        begin_once_compiled = LIMBERJACK_OT_preview._begin_once_compiled
        _begin = staticmethod(events.append)

    play = Play()
    assert play.begin_once_compiled(bpy.context) == {"PASS_THROUGH"}
    assert not events
    assert status.text == "Compiling the solver, once for this version: 12 s"
    assert status.running
    warming.is_done = True
    play.begin_once_compiled(bpy.context)
    assert events
    assert not status.running
