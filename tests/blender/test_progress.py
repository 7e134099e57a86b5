# SPDX-License-Identifier: GPL-3.0-or-later
"""Progress in the window: how often it is drawn, and what is stored in between."""

from types import SimpleNamespace

from limberjack.addon import ids
from limberjack.addon.ops import progress

RATE = 100
"""Calls per second of the operator that shows its progress."""


class Clock:
    """A clock that stands still until `now` is set [s]."""

    now = 1000.0

    def monotonic(self) -> float:
        return self.now


def region(kind: str, redraws: list[str]) -> SimpleNamespace:
    return SimpleNamespace(type=kind, tag_redraw=lambda: redraws.append(kind))


def window_context(redraws: list[str], texts: list[str]) -> SimpleNamespace:
    """A context with one window that shows a view with a sidebar, and the preferences."""
    view = SimpleNamespace(
        type="VIEW_3D",
        regions=[region("WINDOW", redraws), region("UI", redraws)],
        tag_redraw=lambda: redraws.append("whole view"),
    )
    preferences = SimpleNamespace(type="PREFERENCES", regions=[], tag_redraw=lambda: redraws.append("preferences"))
    manager = SimpleNamespace(
        windows=[SimpleNamespace(screen=SimpleNamespace(areas=[view, preferences]))],
        progress_update=lambda factor: None,
    )
    setattr(manager, ids.STATUS, SimpleNamespace(factor=0.0, text=""))
    workspace = SimpleNamespace(status_text_set=texts.append)
    return SimpleNamespace(window_manager=manager, workspace=workspace)


def test_progress_is_drawn_a_few_times_a_second(monkeypatch):
    """An operator that shows its progress 100 times a second redraws at most four times a second, and no view."""
    clock, redraws, texts = Clock(), [], []
    monkeypatch.setattr(progress, "time", clock)
    context, display = window_context(redraws, texts), progress.ProgressDisplay()
    for number in range(3 * RATE):
        clock.now = 1000.0 + number / RATE
        display.show(context, number / (3 * RATE), f"Frame {number} of {3 * RATE}")
    assert 3 <= len(texts) <= 4 * 3, texts
    assert texts[0] == f"Frame 0 of {3 * RATE}. Esc cancels"
    assert sorted(redraws) == ["UI"] * len(texts) + ["preferences"] * len(texts)
    assert getattr(context.window_manager, ids.STATUS).text == f"Frame {3 * RATE - 1} of {3 * RATE}"


def test_unchanged_progress_is_not_drawn_again(monkeypatch):
    """While the words and the bar stay as they are, nothing is redrawn, however long that takes."""
    clock, redraws, texts = Clock(), [], []
    monkeypatch.setattr(progress, "time", clock)
    context, display = window_context(redraws, texts), progress.ProgressDisplay()
    for number in range(50):
        clock.now = 1000.0 + number
        display.show(context, 0.25, "Dividing 'Hook' into convex pieces: 4 s")
    assert len(texts) == 1
