# SPDX-License-Identifier: GPL-3.0-or-later
"""Blender's menus have what the add-on can do, and are as they were once it is off."""

from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.panels import menus
from limberjack.core.model.presets import PRESETS

from .characters import character
from .paper import Paper
from .rigs import in_mode


class Noting(Paper):
    """What a menu offers, by the labels that the search (F3) reads."""

    def operator(self, name, text="", **_):
        filled = super().operator(name)
        self.texts.append(text or filled._kind.name)
        return filled

    def prop(self, data, name, text="", **_):
        super().prop(data, name)
        self.texts.append(text or data.bl_rna.properties[name].name)

    def menu(self, name, text="", **_):
        self.texts.append(text or getattr(bpy.types, name).bl_label)
        super().menu(name)


@pytest.mark.parametrize(
    "word",
    [
        *("Play", "Simulate", "Bake", "Joint", "Limit", "Pin", "Hierarchy", "Mass", "Pose", "Throw", "Let Go"),
        *(
            "Floor",
            "Bounce",
            "Bounciness",
            "Gravity",
            "Collision",
            "Weight",
            "Physics",
            "Rope",
            "Motor",
            "Ragdoll",
            "Character",
            "Fall",
            "Limp",
        ),
    ],
)
def test_the_search_finds_it(build, word):
    """F3 looks through menus for what the user types, and finds no operator that stands in none."""
    _, joints = build.pendulum()
    bpy.context.view_layer.objects.active = joints[0]
    paper = Noting()
    getattr(bpy.types, ids.MT_OBJECT).draw(SimpleNamespace(layout=paper), bpy.context)
    assert any(word in text for text in paper.texts), paper.texts


@pytest.mark.parametrize(
    "entry",
    [
        *("Floor (Ground)", "Gravity", "Motor (Drive)", "Tag as Links (Physics)", "Recalculate Mass (Weight)"),
        *("Join in a Chain (Rope)", "Rig from Hierarchy (Ragdoll)", "Bounce, Bounciness, Friction (Surface Preset)"),
    ],
)
def test_the_entry_has_the_artists_word(build, entry):
    """Guards entries whose word stands in others too, such as a sample or a preset, which would not answer it."""
    _, joints = build.pendulum()
    bpy.context.view_layer.objects.active = joints[0]
    paper = Noting()
    getattr(bpy.types, ids.MT_OBJECT).draw(SimpleNamespace(layout=paper), bpy.context)
    assert entry in paper.texts


@pytest.mark.parametrize("name", [name for name, _ in menus.PLACES])
def test_blenders_menus_lead_to_ours(build, name):
    """Object, Add and the right click; a menu twice there would be a trace of an add-on switched off and on."""
    build.pendulum()
    drawn = [draw for draw in getattr(bpy.types, name).draw._draw_funcs if draw.__module__ == menus.__name__]
    assert len(drawn) == 1
    paper = Noting()
    drawn[0](SimpleNamespace(layout=paper), bpy.context)
    if name == "VIEW3D_MT_add":
        assert {"Limberjack Joint", "Limberjack Ground", "Limberjack Sample"} <= set(paper.texts)


def test_the_pie_draws():
    """It stops Play while there is one, and has eight entries at the most: there is no room for more."""
    paper = Noting()
    getattr(bpy.types, ids.MT_PIE).draw(SimpleNamespace(layout=paper), bpy.context)
    assert len(paper.texts) == 8
    assert {"Collider", "Floor (Ground)", "Chain (Rope)"} <= set(paper.texts)


def test_the_pie_of_characters(scene):
    """Guards Pose Mode, where nothing becomes a collider by the button for objects: a ragdoll is made there."""
    rig, _ = character()
    in_mode(rig, "POSE")
    paper = Noting()
    getattr(bpy.types, ids.MT_PIE).draw(SimpleNamespace(layout=paper), bpy.context)
    bpy.ops.object.mode_set(mode="OBJECT")
    assert len(paper.texts) == 8
    assert "Make Ragdoll" in paper.texts
    assert "Collider" not in paper.texts


def test_a_joint_is_added_as_a_preset(build):
    """In one step: a knee is asked for, and not a hinge that is then made a knee."""
    bars, _ = build.pendulum()
    bpy.ops.object.select_all(action="DESELECT")
    bars[0].select_set(True)
    bpy.context.view_layer.objects.active = bars[0]
    preset = next(iter(PRESETS.values()))
    assert bpy.ops.limberjack.joint_add(preset=preset.name) == {"FINISHED"}
    added = bpy.context.object.limberjack_joint
    assert added.type == preset.type
    assert added.axes[0].upper == pytest.approx(preset.axes[0]["upper"])
