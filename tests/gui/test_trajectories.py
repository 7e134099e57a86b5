# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion leaves by the panel's button and the file dialog, and comes back by them."""

import tempfile
from pathlib import Path

import bpy
from harness import screenshot, simulated
from scenes import hanging_bars
from sidebar import click_button, open_tab
from test_exchange import file_dialog, info_lines, leave_file_dialog, open_exchange, open_file_dialog

from support.plan import walk


@walk
def test_a_bake_is_exported_and_imported():
    """What comes back plays as what has left, and both are told, with their frames."""
    hanging_bars()
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    baked = places()
    yield from open_exchange()
    yield from screenshot("exchange_of_motion")
    folder = Path(tempfile.mkdtemp(prefix="motions_"))

    yield from export(folder / "curves.csv", "JOINTS")
    header, *rows = (folder / "curves.csv").read_text().splitlines()
    assert "Lower_joint" in header, f"the joint has no column: {header}"
    assert len(rows) == 24, f"{len(rows)} lines for 24 frames"
    yield from export(folder / "swing.npz", "NPZ")
    assert f"Written: {folder / 'swing.npz'}, 24 frames" in info_lines(), info_lines()
    yield from screenshot("exported_trajectory")

    for name in ("swing.npz", "curves.csv"):
        yield from click_button("limberjack.bake_clear")
        assert places() != baked, "Clear Bake has changed nothing"
        yield from open_file_dialog("limberjack.import_trajectory")
        yield from screenshot("import_trajectory")
        yield from leave_file_dialog("execute", folder / name)
        assert f"{name}: Baked frames 1–24 on 2 links" in info_lines(), info_lines()
        assert distance(places(), baked) < 1e-5, f"{name} plays {distance(places(), baked):.1e} m away from the bake"
    yield from screenshot("imported_trajectory")


def export(path: Path, kind: str):
    yield from open_file_dialog("limberjack.export_trajectory")
    browser = file_dialog()[1]
    browser.spaces.active.active_operator.kind = kind
    browser.tag_redraw()
    yield from screenshot(f"export_trajectory_{kind.lower()}")
    yield from leave_file_dialog("execute", path)
    assert path.is_file(), f"{path.name} is not written: {info_lines()}"


def places() -> list[float]:
    """Where the bar that swings is drawn, at some frames."""
    scene, found = bpy.context.scene, []
    for frame in (1, 8, 16, 24):
        scene.frame_set(frame)
        found += [number for row in bpy.data.objects["Lower"].matrix_world for number in row]
    return found


def distance(here: list[float], there: list[float]) -> float:
    return max(abs(one - other) for one, other in zip(here, there, strict=True))
