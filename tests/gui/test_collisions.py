"""Convex pieces are searched for while the window lives; Esc leaves all as it was; one Ctrl-Z takes them back."""

import importlib

import bpy
import harness
from harness import PACKAGE, open_panel, open_tab, over_viewport, press, screenshot, status, until
from scenes import select


def torus() -> bpy.types.Object:
    """A link, selected, whose pieces take a second or two."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with over_3d_view():
        bpy.ops.mesh.primitive_torus_add(major_segments=64, minor_segments=24)
        bpy.ops.limberjack.link_tag()
    select("Torus")
    bpy.ops.ed.undo_push(message="A torus")
    return bpy.data.objects["Torus"]


def over_3d_view():
    return bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region())


def add(kind: str) -> None:
    with over_3d_view():
        bpy.ops.limberjack.collision_add("INVOKE_DEFAULT", type=kind)


def pieces() -> list[str]:
    return sorted(obj.name for obj in bpy.data.objects if obj.limberjack_link.is_fitted)


def test_pieces_in_the_window():
    """Without the library, as in a zip for any system, the hull is taken at once."""
    torus()
    yield from open_tab()
    if not importlib.import_module(f"{PACKAGE}.core.geometry.pieces").is_available():
        add("AUTO")
        assert pieces() == ["Torus_collision"], pieces()
        return
    add("PIECES")
    assert status().running, "the pieces were waited for"
    yield from until(lambda: status().text.startswith("Dividing 'Torus' into convex pieces"), "the window says so")
    yield from screenshot("pieces_searched")
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: not status().running, "Esc ends the search", timeout=5)
    assert not pieces(), f"called off, it has left {pieces()}"
    add("AUTO")
    assert status().running, "the second search does not begin"
    yield from until(lambda: not status().running, "the pieces are found", timeout=200)
    assert len(pieces()) > 4, f"a ring has {pieces()}"
    select("Torus")
    yield from open_panel("LIMBERJACK_PT_link_shape")
    yield from screenshot("pieces")
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    yield from until(lambda: not pieces(), "one undo takes all pieces back")
    assert "Torus" in bpy.data.objects
