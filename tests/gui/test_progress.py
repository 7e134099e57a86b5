# SPDX-License-Identifier: GPL-3.0-or-later
"""What a window draws while an operator of ours works."""

import time

import bpy
import harness
from harness import status, until
from scenes import hanging_bars
from sidebar import click_button, open_tab

REDRAWS_PER_SECOND = 4
"""Upper bound of the rate at which progress may be drawn [1/s]; slower machines draw less often."""

SLICES = 12
"""Number of slices of work during which drawings are counted."""


def test_a_bake_draws_its_progress_and_no_view():
    """While a bake works, only the sidebar is drawn, a few times a second: drawing must not cost more than the work."""
    hanging_bars(frames=50_000)
    drawn, slices = {"WINDOW": 0, "UI": 0}, []
    handlers = [(_counting(drawn, kind), kind) for kind in drawn]
    bake = harness.module("bake.baking").Bake
    step = bake.step
    bake.step = lambda self, seconds: slices.append(seconds) or step(self, seconds)  # which appends None
    try:
        yield from open_tab()
        yield from click_button("limberjack.simulate", across=0.6)
        yield from until(lambda: len(slices) >= 3, "the first slices of the bake, during which the click is drawn")
        before, slices_before, begun = dict(drawn), len(slices), time.monotonic()
        yield from until(lambda: len(slices) >= slices_before + SLICES, "slices of the bake", timeout=100)
        seconds = time.monotonic() - begun
        assert status().running, "the bake was at its end before its drawings were counted"
        since = {kind: count - before[kind] for kind, count in drawn.items()}
    finally:
        bake.step = step
        for handler, kind in handlers:
            bpy.types.SpaceView3D.draw_handler_remove(handler, kind)
        yield from harness.press("ESC")
    yield from until(lambda: not status().running, "Esc ends the bake")
    assert since["WINDOW"] == 0, f"the views were drawn {since['WINDOW']} times while nothing in them changed"
    most = REDRAWS_PER_SECOND * seconds + 1
    assert 1 <= since["UI"] <= most, f"the sidebar was drawn {since['UI']} times in {seconds:.1f} s"


def _counting(drawn: dict[str, int], kind: str):
    """Add and return a handler that counts the drawings of a kind of region of 3D views."""

    def count():
        drawn[kind] += 1

    return bpy.types.SpaceView3D.draw_handler_add(count, (), kind, "POST_PIXEL")
