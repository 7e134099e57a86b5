"""The solver is compiled beside the window, with a bar that tells the truth, and leaves no rubbish."""

import sys
from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids, warming_child
from limberjack.addon.ops.preview import LIMBERJACK_OT_preview
from limberjack.addon.ops.waiting import WaitsForSolver
from limberjack.addon.warming import Pace
from limberjack.core import jit

SECONDS = {"a.first": 10.0, "a.long": 70.0, "b.third": 5.0, "b.last": 15.0}


def watched(slowness, already=()):
    """(share of the time that has passed, progress, seconds told, seconds that are left) twice a second."""
    left = {name: slowness * seconds for name, seconds in SECONDS.items() if name not in already}
    total, compiled, clock = sum(left.values()), set(already), 0.0
    pace, rows = Pace(SECONDS, compiled, clock), []
    while left:
        clock += 0.5
        first = next(iter(left))
        left[first] -= 0.5
        if left[first] <= 0.0:
            compiled = compiled | {first}
            del left[first]
        pace.note(compiled, clock)
        rows.append((clock / total, pace.progress(clock), pace.seconds_left(clock), total - clock))
    return rows


@pytest.mark.parametrize("slowness", [0.5, 1.0, 3.0])
def test_the_bar_moves_evenly_on_fast_and_slow_machines(slowness):
    """Kernels of very different length, on a machine of whatever speed: the bar only grows, comes to its end, is near
    the share of time, and once the first kernel is done the time told is right to a factor of two."""
    rows = watched(slowness)
    progress = [row[1] for row in rows]
    assert progress == sorted(progress)
    assert progress[-1] == pytest.approx(1.0)
    assert max(abs(share - at) for share, at, _, _ in rows) < 0.25
    later = [(told, left) for share, _, told, left in rows if 0.1 < share < 0.9]
    assert all(left / 2.0 - 1.0 < told < 2.0 * left + 1.0 for told, left in later)


def test_what_was_compiled_before_counts():
    """After Esc and another try the bar starts where the first has ended, and tells only the time that is left."""
    (_, at, told, left), *_ = watched(1.0, already=("a.first", "a.long"))
    assert at > 0.8
    assert told == pytest.approx(left, abs=1.0)


def test_kernels_of_older_versions_are_removed(tmp_path, monkeypatch):
    """A new version's kernels take the place of older ones in an extension's own folder; what another Python or nobody
    of ours has put there stays."""
    monkeypatch.setattr(jit, "_cache_root", tmp_path)
    mark = f"py{sys.version_info.major}{sys.version_info.minor}"
    kept = [jit.cache_folder(), tmp_path / "0123456789abcdee", tmp_path / "notes"]
    older = tmp_path / "0123456789abcdef"
    for folder, tag in ((kept[0], mark), (kept[1], "py399"), (kept[2], mark), (older, mark)):
        (folder / "solvers").mkdir(parents=True)
        (folder / "solvers" / f"aba.run-1.{tag}.nbi").touch()
    jit.remove_older_kernels()
    assert sorted(tmp_path.iterdir()) == sorted(kept)


def test_only_an_extension_removes_older_kernels(monkeypatch):
    """The cache of the command line belongs to all checkouts on a machine: filling it removes nothing."""
    removed = []
    jit_of_child = SimpleNamespace(set_cache_root=print, remove_older_kernels=lambda: removed.append(True))
    modules = {"core.jit": jit_of_child, "core.solvers.warm_up": SimpleNamespace(warm_up=lambda: None)}
    monkeypatch.setattr(warming_child.importlib, "import_module", lambda name: modules[name.partition("jack.")[2]])
    folder = str(jit.CORE_FOLDER.parent)
    for package, times in (("checkout.limberjack", 0), ("bl_ext.user_default.limberjack", 1)):
        for name in ("checkout", "bl_ext", "bl_ext.user_default", package):
            monkeypatch.setitem(sys.modules, name, None)
        warming_child.main(package, folder, "unused", "solvers.warm_up")
        assert len(removed) == times


def test_play_tells_of_the_compilation_too(build, monkeypatch):
    """Who presses Play first sees the same bar, and nothing else is simulated meanwhile; then the preview begins."""
    build.pendulum()
    status = getattr(bpy.context.window_manager, ids.STATUS)
    status.running = True
    events = []
    warming = SimpleNamespace(is_done=False, seconds=1.0, look=lambda: (Pace(SECONDS, {"a.first"}, 0.0), 0.0))

    class Play(WaitsForSolver):
        is_exclusive, _warming = LIMBERJACK_OT_preview.is_exclusive, warming
        begin_once_compiled = LIMBERJACK_OT_preview._begin_once_compiled
        _begin = staticmethod(events.append)

    play = Play()
    assert play.begin_once_compiled(bpy.context) == {"PASS_THROUGH"}
    assert not events
    assert status.text.startswith("Compiling the solver, once: 1 of 4")
    assert status.running
    warming.is_done = True
    play.begin_once_compiled(bpy.context)
    assert events
    assert not status.running
