# SPDX-License-Identifier: GPL-3.0-or-later
"""A machine that is linked from another file, as File > Link shows it: the tab says what it is, and a click takes it
out of its instance."""

import bpy
import harness
from harness import over_viewport, press, screenshot, until
from sidebar import click_button, open_tab

MACHINE = "Double Pendulum"
SAMPLE = "/mnt/host/source/sample_scenes/double_pendulum.blend"


def test_a_linked_machine_is_taken_out_of_its_instance():
    """One click makes its links objects that a simulation can move, and one Ctrl-Z gives the instance back."""
    with bpy.data.libraries.load(SAMPLE, link=True) as (_, here):
        here.collections = [MACHINE]
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.instance_type, holder.instance_collection = "COLLECTION", here.collections[0]
    bpy.ops.ed.undo_push(message="A linked machine")
    yield from open_tab()
    yield from screenshot("instance_in_tab")
    yield from click_button("limberjack.problem_mend")
    yield from until(lambda: sorted(harness.links()) == ["floor", "lower", "stand", "upper"], "its links are objects")
    yield from harness.at_rest()
    yield from screenshot("instance_taken_out")
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    yield from until(lambda: "holder" in bpy.context.scene.objects and not harness.links(), "undo gives it back")
