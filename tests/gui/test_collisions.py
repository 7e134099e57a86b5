# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex pieces are searched for while the window lives; Esc leaves all as it was; one Ctrl-Z takes them back. Problems
of collision shapes are mended by a click, and are there again after one undo."""

import importlib

import bpy
import harness
from harness import PACKAGE, over_viewport, press, screenshot, status, until
from scenes import select
from sidebar import click_button, open_panel, open_tab
from test_handles import redo, undo

from support.plan import walk


def torus(radius: float = 1.0) -> bpy.types.Object:
    """A link, selected, whose pieces take a second or two.

    radius: another one than in other tests of the window, since pieces of a mesh that was divided are found at once.
    """
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with over_3d_view():
        bpy.ops.mesh.primitive_torus_add(major_radius=radius, major_segments=64, minor_segments=24)
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
    torus(1.1)
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
    yield from until(lambda: not status().running, "Esc ends the search")
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


def problems() -> list[tuple[str, str]]:
    """Name and code of what the panel tells of, but that what nothing holds falls."""
    rig = harness.module("bridge.rig").last_rig(bpy.context.scene)
    assert rig, "the scene was not read yet"
    return [(item.name, item.code) for item in rig.problems if item.code in ("hollow-filled", "overlapping")]


def button(name: str, code: str, label: str) -> str:
    """The button of a problem, as the sidebar calls what is under the mouse."""
    return f'limberjack.problem_mend(name="{name}", code="{code}", label="{label}"'


def test_a_filled_hollow_is_divided_by_a_click():
    """Guards Convex Pieces in Problems: it runs to its end, the note goes, and one undo brings back the note alone."""
    if not importlib.import_module(f"{PACKAGE}.core.geometry.pieces").is_available():
        return
    torus()
    yield from open_tab()
    yield from until(lambda: problems() == [("Torus", "hollow-filled")], "the hull of a ring is told of")
    yield from screenshot("hollow_filled")
    yield from click_button(button("Torus", "hollow-filled", "Convex Pieces"))
    yield from until(lambda: status().running or pieces(), "the search begins")
    yield from until(lambda: not status().running, "the pieces are found", timeout=200)
    divided = pieces()
    assert len(divided) > 4, f"a ring has {divided}"
    yield from until(lambda: not problems(), "the note goes")
    yield from screenshot("hollow_divided")
    yield from undo()
    yield from until(lambda: problems() == [("Torus", "hollow-filled")], "one undo brings the note back")
    assert not pieces(), f"undone, it still has {pieces()}"
    yield from redo()
    yield from until(lambda: not problems(), "redo mends it again")
    assert pieces() == divided


def overlapping_cubes() -> None:
    """`Big`, of 2 m, and `Small`, of 1 m, whose side is 10 cm inside it."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    with over_3d_view():
        for name, size, x in (("Big", 2.0, 0.0), ("Small", 1.0, 1.4)):
            bpy.ops.mesh.primitive_cube_add(size=size, location=(x, 0.0, 1.0))
            bpy.context.object.name = name
        select("Big", "Small")
        bpy.ops.limberjack.link_tag()
    select()
    bpy.ops.ed.undo_push(message="Overlapping cubes")


@walk
def test_overlapping_links_are_shrunk_by_a_click():
    """Guards Shrink in Problems: the smaller link's shape gives way, both look as they did, and one undo takes it back.

    A cube of 1 m about its middle has to lose 20 cm, where it is 10 cm inside another.
    """
    overlapping_cubes()
    yield from open_tab()
    yield from until(lambda: [code for _, code in problems()] == ["overlapping"], "the overlap is found")
    ((name, code),) = problems()
    yield from screenshot("overlapping")
    yield from click_button(button(name, code, "Shrink"))
    yield from until(lambda: not problems(), "the problem goes")
    yield from screenshot("overlapping_shrunk")
    (shape,) = bpy.data.objects["Small"].children
    assert abs(max(shape.dimensions) - 0.8) < 0.01, f"the shape has {tuple(shape.dimensions)}"
    assert tuple(bpy.data.objects["Small"].dimensions) == (1.0, 1.0, 1.0)
    assert not bpy.data.objects["Big"].children
    yield from undo()
    yield from until(lambda: problems() == [(name, code)], "one undo brings the problem back")
    assert not bpy.data.objects["Small"].children
    yield from redo()
    yield from until(lambda: not problems(), "redo shrinks it again")
