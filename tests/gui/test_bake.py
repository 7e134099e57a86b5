# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake in the window: given up, disturbed, undone, and told in the panel."""

import re
from collections.abc import Callable

import bpy
import harness
import scenes
import sidebar
from baked_keys import keys_of_bake
from harness import (
    Steps,
    choose_from_menu,
    click,
    over_viewport,
    press,
    region,
    screenshot,
    simulated,
    status,
    type_text,
    until,
)
from scenes import action_of, hanging_bars, motion
from sidebar import click_button, find_button, open_tab, turn_wheel
from test_exchange import info_lines
from test_handles import redo, undo
from test_same_keys import SOURCE, open_file

from support.plan import walk

TO_KEYFRAMES = 1.6
"""Rows from Clear Bake, where nothing is told below it, to the header of the panel Keyframes."""

SETTINGS = 'bpy.data.scenes["Scene"].limberjack'
"""How the paths of the scene's own settings begin."""


def everything() -> tuple:
    """Where all objects are drawn, every key, and what the add-on stores with objects and scene."""
    stored = [
        (obj.name, name, values_of(getattr(obj, name)))
        for obj in bpy.data.objects
        for name in ("limberjack_link", "limberjack_joint", "limberjack_before")
    ]
    actions = [(obj.name, action_of(obj.name)) for obj in bpy.data.objects]
    own = values_of(bpy.context.scene.limberjack)
    return motion(), bpy.data.actions.keys(), actions, keys_of_bake(), stored, own


def values_of(group: bpy.types.PropertyGroup) -> dict:
    """All that a property group holds, groups within it too, as plain values."""
    return {
        prop.identifier: _value_of(group, prop) for prop in group.bl_rna.properties if prop.identifier != "rna_type"
    }


def _value_of(group, prop):
    value = getattr(group, prop.identifier)
    if prop.type == "COLLECTION":
        return [values_of(item) for item in value]
    if isinstance(value, bpy.types.PropertyGroup):
        return values_of(value)
    if prop.type == "POINTER":
        return value.name if value else None
    return tuple(value) if getattr(prop, "is_array", False) else value


def bake() -> Steps:
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    yield from simulated()
    assert keys_of_bake(), "Simulate and Bake has made no keys"


def start_long_bake() -> Steps:
    yield from open_tab()
    yield from click_button("limberjack.simulate", across=0.6)
    assert status().running, f"Simulate and Bake has started nothing, or is at its end: {status().error}"


def escape() -> Steps:
    yield from over_viewport()
    yield from press("ESC")
    yield from until(lambda: not status().running, "Esc ends the simulation")
    yield from harness.at_rest()


def assert_as_it_was(before: tuple) -> None:
    for name, was, now in zip(
        ("poses", "actions", "playing", "keys", "objects", "scene"), before, everything(), strict=True
    ):
        assert now == was, f"{name} have changed: {was} to {now}"


def test_escape_in_the_middle_changes_nothing_at_all():
    """Poses, actions and everything the add-on stores are as before, and the user is told so."""
    hanging_bars(frames=50_000)
    before = everything()
    yield from start_long_bake()
    yield from until(lambda: status().factor > 0.05, "frames are simulated", timeout=300)
    yield from screenshot("simulating_in_the_middle")
    yield from escape()
    assert_as_it_was(before)
    yield from screenshot("escaped_in_the_middle")
    assert "Cancelled: the scene is as it was" in info_lines(), info_lines()


def test_escape_while_keys_are_fitted_changes_nothing_at_all():
    """Some objects have their curves by then, in an action that nobody plays: it goes, too."""
    yield from open_file(SOURCE / "sample_scenes" / "crane.blend")
    scene = bpy.context.scene
    scene.frame_end, scene.limberjack.accuracy, scene.limberjack.bake.reduces = 4_000, "draft", True
    bpy.ops.ed.undo_push(message="A long bake")
    before = everything()
    yield from start_long_bake()
    fitted = re.compile(r"Fitting keys, object [2-9]\b")  # of ten; a busy machine may skip one between two looks
    yield from until(lambda: fitted.match(status().text), "keys are fitted", timeout=300)
    assert status().running, "the bake was at its end before Esc"
    yield from escape()
    yield from screenshot("escaped_while_fitting")
    assert_as_it_was(before)
    assert "Cancelled: the scene is as it was" in info_lines(), info_lines()


def test_a_link_is_deleted_while_it_is_simulated():
    """What a script does to the scene meanwhile ends in one clear line, with nothing baked."""
    hanging_bars(frames=50_000)
    yield from start_long_bake()
    yield from until(lambda: status().factor > 0.05, "frames are simulated", timeout=300)
    assert status().running, "the simulation was at its end before the link was deleted"
    bpy.data.objects.remove(bpy.data.objects["Lower"])
    before = everything()
    yield from until(lambda: not status().running, "the simulation ends", timeout=300)
    yield from screenshot("link_deleted")
    told = "link 'Lower' was deleted while it was simulated: simulate again"
    assert status().error == told, f"the panel says '{status().error}'"
    assert info_lines().count(told) == 1, info_lines()
    assert_as_it_was(before)


def test_undo_after_clear_bake():
    """Clear Bake is one step of undo and redo, and so is the bake before it."""
    hanging_bars()
    before = motion()
    yield from bake()
    baked, keys = motion(), keys_of_bake()
    yield from click_button("limberjack.bake_clear")
    assert motion() == before, "Clear Bake does not give back the poses from before the bake"
    assert not action_of("Lower"), f"Clear Bake leaves the action {action_of('Lower')}"

    yield from undo()
    assert motion() == baked, "one Ctrl-Z does not bring the bake again"
    assert keys_of_bake() == keys, "the keys are others after Clear Bake and Ctrl-Z"
    yield from screenshot("clear_undone")
    yield from undo()
    assert motion() == before, "a second Ctrl-Z does not take the bake back"
    yield from redo()
    assert motion() == baked, "Shift-Ctrl-Z does not bring the bake again"
    yield from redo()
    assert motion() == before, "a second Shift-Ctrl-Z does not clear the bake again"
    assert not action_of("Lower"), f"redone, Clear Bake leaves the action {action_of('Lower')}"
    yield from screenshot("clear_redone")


def paragraphs() -> Steps:
    """The paragraphs that the panels Simulate and Keyframes show now, each once, however often they are drawn."""
    panels, told = harness.module("panels.simulation.simulate"), []
    original: Callable = panels.paragraph
    panels.paragraph = lambda layout, context, text, **icon: (
        told.append(text),
        original(layout, context, text, **icon),
    )
    try:
        region("UI").tag_redraw()
        yield from harness.at_rest()
    finally:
        panels.paragraph = original
    assert told, "the panel tells nothing at all"
    return list(dict.fromkeys(told))


def out_of_date() -> Steps:
    """The lines that say so."""
    told = yield from paragraphs()
    return [text for text in told if "out of date" in text]


def open_keyframes() -> Steps:
    yield from open_tab()
    yield from sidebar.open_panel("LIMBERJACK_PT_simulate")
    if not (yield from sidebar.is_open("LIMBERJACK_PT_keys")):
        yield from sidebar.click_beside(f"{SETTINGS}.preview.strength", 0.3, found_at=0.75, rows_below=TO_KEYFRAMES)
    assert (yield from sidebar.is_open("LIMBERJACK_PT_keys")), "the panel Keyframes does not open"


def ask_for_few_keys_on_both() -> Steps:
    settings = bpy.context.scene.limberjack.bake
    yield from click_button(f"{SETTINGS}.bake.onto", across=0.7)
    yield from screenshot("keys_on_menu")
    yield from choose_from_menu(2)
    assert settings.onto == "BOTH", f"Both was chosen, {settings.onto} is set"
    yield from click_button(f"{SETTINGS}.bake.reduces", across=0.5)
    assert settings.reduces, "Reduce Keys was clicked, and is off"
    place = yield from find_button(f"{SETTINGS}.bake.distance", across=0.75)
    yield from click(place, ctrl=True)
    yield from press("A", ctrl=True)
    yield from type_text("0.002")
    yield from screenshot("distance_typed")
    yield from press("RET")
    assert abs(settings.distance - 0.002) < 1e-9, f"0.002 was typed, the distance is {settings.distance}"


@walk
def test_the_panel_tells_what_was_baked_and_when_it_is_out_of_date():
    """Options by the mouse, a receipt, and a bake that is out of date when a setting is changed, and not before."""
    hanging_bars()
    yield from open_keyframes()
    yield from screenshot("keyframes")
    yield from ask_for_few_keys_on_both()
    yield from bake()
    paths = {curve.split(" ", 1)[1] for curve in keys_of_bake()}
    assert any(path.startswith("limberjack_joint.coordinates[") for path in paths), f"joints have no keys: {paths}"
    assert any(path.startswith("location") for path in paths), f"links have no keys: {paths}"
    told = "\n".join((yield from paragraphs()))
    count = sum(map(len, keys_of_bake().values()))
    assert f"Frames 1 to 24, good accuracy, from the initial pose, {count} of " in told, told
    assert "\nOff by " in told, told
    yield from scroll_to_end()
    yield from screenshot("receipt")
    assert not (yield from out_of_date()), "the bake is out of date at once"

    yield from over_viewport()
    for key in ("RIGHT_ARROW", "RIGHT_ARROW", "LEFT_ARROW"):
        yield from press(key)
    scenes.select("Upper")
    assert not (yield from out_of_date()), "frames and a selection have put the bake out of date"
    yield from choose_accuracy(2)
    told = yield from out_of_date()
    assert told == ["The bake is out of date: the accuracy was changed"], told
    yield from screenshot("out_of_date")
    yield from choose_accuracy(1)
    assert not (yield from out_of_date()), "with its accuracy again, the bake is still out of date"


def scroll_to_end() -> Steps:
    yield from find_button(f"{SETTINGS}.bake.distance", across=0.75)
    yield from turn_wheel(10)


def choose_accuracy(number: int) -> Steps:
    yield from click_button(f"{SETTINGS}.accuracy", across=0.7)
    yield from choose_from_menu(number)
    accuracy = bpy.context.scene.limberjack.accuracy
    assert accuracy == ("draft", "good", "exact")[number], f"{accuracy} is set"
