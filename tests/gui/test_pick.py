# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints picked in the viewport: with the button of the tab, with the tool of the toolbar, and the mouse."""

import bpy
import harness
from harness import links, move, on_screen, over_viewport, press, screenshot, send
from mathutils import Vector
from sidebar import click_button, open_tab
from test_handles import look_at

from support.plan import walk

BESIDE = 6
"""Pixels from an edge to the mouse, outside the object."""


def joints() -> list[bpy.types.Object]:
    return [obj for obj in bpy.context.scene.objects if obj.limberjack_joint.is_joint]


def one_cube() -> harness.Steps:
    """From above, a link by itself: nothing is behind it."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    bpy.context.object.select_set(False)
    bpy.context.view_layer.objects.active = None
    look_at((0.0, 0.0, 0.0), 6.0, (1.0, 0.0, 0.0, 0.0))
    bpy.ops.ed.undo_push(message="A cube")
    yield from harness.at_rest()


def beside_edge(pixels: int) -> harness.Position:
    """Of the upper edge at the cube's right, as it is seen from above."""
    x, y = on_screen(Vector((0.5, 0.1, 0.5)))
    return x + pixels, y


def require_joint_on_edge():
    (made,) = joints()
    place = made.matrix_world.translation
    assert (place - Vector((0.5, 0.0, 0.5))).length < 1e-5, f"the joint is at {place[:]}, and not midway on the edge"
    along = made.matrix_world.to_3x3().col[2]
    assert abs(along.y) > 0.9999, f"the joint's axis is {along[:]}, and not the edge's"


def test_an_edge_is_picked_from_beside_it():
    """Six pixels outside a cube, its edge is shown and a click joins it there; ten more pixels off, nothing is."""
    yield from one_cube()
    yield from open_tab()
    yield from click_button("limberjack.joint_pick", across=0.25)
    yield from move(beside_edge(BESIDE + 10))
    yield from screenshot("pick_nothing")
    yield from press("LEFTMOUSE")
    assert not joints(), "a joint was made where nothing is"
    yield from move(beside_edge(BESIDE))
    yield from screenshot("pick_edge_beside")
    yield from press("LEFTMOUSE")
    require_joint_on_edge()
    assert links() == ["Cube"], "what was pointed at is no link"
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    assert not joints(), "one undo does not take the joint away"


@walk
def test_the_tool_picks_with_each_click():
    """With the tool chosen, a click on an edge makes the joint, one beside all objects is Blender's own, and the tool
    stays."""
    yield from one_cube()
    ids = harness.module("ids")
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.wm.tool_set_by_id(name=ids.TOOL_PICK)
    yield from harness.at_rest()
    yield from move((harness.region().x + 200, harness.region().y + 200))
    yield from press("LEFTMOUSE")
    assert not joints(), "a joint was made where nothing is"
    yield from move(beside_edge(BESIDE))
    send("LEFTMOUSE", "PRESS")
    yield from harness.at_rest()
    yield from screenshot("pick_tool_held")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    yield from screenshot("pick_tool")
    require_joint_on_edge()
    chosen = bpy.context.workspace.tools.from_space_view3d_mode("OBJECT")
    assert chosen.idname == ids.TOOL_PICK, f"the tool is now {chosen.idname}"
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.wm.tool_set_by_id(name="builtin.select_box")
