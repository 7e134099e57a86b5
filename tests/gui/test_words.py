# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's search (F3) leads from an artist's own word to what answers it."""

import bpy
import harness
from harness import Steps, over_viewport, press, screenshot, send
from scenes import hanging_bars, select

ROWS = 10
"""Number of results that the search shows at once."""


def choose_first(word: str) -> Steps:
    """Type a word into the search over the viewport, and take the first result."""
    yield from over_viewport()
    yield from press("F3")
    for letter in word:
        send(letter.upper(), "PRESS", unicode=letter)
        send(letter.upper(), "RELEASE")
        yield from harness.drawn()
    yield from screenshot(f"search_{word}")
    for key in (*["UP_ARROW"] * ROWS, "RET"):  # from the result under the mouse to the first one
        yield from press(key)
    yield from harness.at_rest()


def test_words_of_the_scene():
    """floor and gravity are switches."""
    scene = bpy.context.scene
    yield from choose_first("floor")
    assert scene.limberjack.ground
    assert scene.limberjack.contact
    yield from choose_first("gravity")
    assert not scene.use_gravity


def test_words_of_a_link():
    """bounciness gives the selected link a surface, and rope a joint that turns every way."""
    hanging_bars()
    lower = bpy.data.objects["Lower"]
    select("Lower")
    yield from choose_first("bounciness")
    assert lower.limberjack_link.surface.source == "CUSTOM"
    assert lower.limberjack_link.surface.restitution > 0.0
    yield from choose_first("rope")
    assert bpy.context.object.limberjack_joint.child == lower
    assert bpy.context.object.limberjack_joint.type == "ball"


def test_motor_of_a_joint():
    """motor switches the drive of the selected joint on."""
    hanging_bars()
    joint = bpy.data.objects["Lower_joint"].limberjack_joint
    joint.type = "revolute"
    select("Lower_joint")
    yield from choose_first("motor")
    assert joint.axes[0].drive_mode != "off", joint.axes[0].drive_mode
