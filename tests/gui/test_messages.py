# SPDX-License-Identifier: GPL-3.0-or-later
"""Messages are where the user looks: a popup at the mouse for what was refused, and lines below the tab's buttons."""

import bpy
import harness
import numpy as np
from harness import over_viewport, press, screenshot, until
from scenes import hanging_bars
from sidebar import button_at, click_button, find_button, open_tab

from support.plan import walk


@walk
def test_messages_move_no_button():
    """An error and a note that appear in the tab leave the button Simulate and Bake where it is."""
    hanging_bars()
    yield from harness.at_rest()
    yield from open_tab()
    place = yield from find_button("limberjack.simulate", across=0.8)
    status = harness.status()
    status.error, status.notes = "link 'Upper': something is wrong with it, in a long sentence", "a note\nanother note"
    harness.region("UI").tag_redraw()
    yield from harness.drawn()
    yield from screenshot("messages_in_the_tab")
    assert (yield from button_at(place)).startswith("limberjack.simulate"), "a message has moved the button"
    yield from harness.click(place)
    yield from until(lambda: not status.running and bpy.context.scene.limberjack.last_result, "the bake is made")


def test_a_refused_tag_pops_up():
    """Of two objects, a camera cannot be a link: a popup says so at the mouse, and the tab afterwards."""
    bpy.ops.mesh.primitive_cube_add()
    cube = bpy.context.object
    bpy.ops.object.camera_add(location=(3.0, 0.0, 0.0))
    bpy.context.object.instance_type = "NONE"
    bpy.ops.object.light_add(location=(5.0, 0.0, 0.0))
    bpy.ops.object.select_all(action="SELECT")
    bpy.context.view_layer.objects.active = cube
    yield from open_tab()
    yield from harness.at_rest()
    _, y = yield from find_button("limberjack.link_tag", across=0.25)
    yield from click_button("limberjack.link_tag", across=0.25)
    yield from harness.drawn()
    yield from screenshot("refused_tag")
    yield from over_viewport()
    yield from press("ESC")
    yield from screenshot("refused_tag_later")
    assert harness.status().notes
    place = slice(y - 60, y), slice(harness.region("UI").x - 100, harness.region("UI").x - 20)
    shown, later = (pixels(f"{name}.png")[place] for name in ("refused_tag", "refused_tag_later"))
    assert np.abs(shown - later).mean() > 0.02, "nothing was drawn over the viewport beside the button"


def pixels(name: str) -> np.ndarray:
    """Return the brightness of a screenshot, shape (height, width), from the lower left corner."""
    image = bpy.data.images.load(str(harness.OUT / name))
    try:
        colours = np.empty(len(image.pixels), np.float32)
        image.pixels.foreach_get(colours)
        return colours.reshape(image.size[1], image.size[0], -1)[..., :3].mean(axis=2)
    finally:
        bpy.data.images.remove(image)
