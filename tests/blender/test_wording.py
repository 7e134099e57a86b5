# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes in panels send no artist to a command line."""

import re
from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.panels.base import paragraph
from limberjack.core.check.links import REMEDY
from limberjack.core.files.resources import ResourceError, Resources
from limberjack.core.model.naming import way_to_hold
from limberjack.core.records.contact_report import ContactReport

from .conftest import joint, link
from .paper import Paper


def of_a_missing_file(tmp_path):
    with pytest.raises(ResourceError) as caught:
        Resources(tmp_path).find("nowhere.stl", tmp_path)
    return str(caught.value)


IN_TOOLTIPS = {
    ids.LINK: {
        "mass": "weight",
        "com": "balance point",
        "inertia": "resistance to turning",
        "linear_damping": "air drag",
        "angular_damping": "air drag",
    },
    "surface": {
        "friction": "grip",
        "restitution": "bounciness",
        "stiffness": "hardness",
        "dissipation": "bounce absorption",
    },
    "axis": {
        "restitution": "bounciness",
        "dissipation": "cushioning",
        "damping": "drag",
        "armature": "flywheel",
        "effort": "motor strength",
    },
    ids.SCENE: {"ground": "floor"},
}
"""Words of artists, by the setting that they mean."""


@pytest.mark.parametrize(("owner", "name"), [(owner, name) for owner, names in IN_TOOLTIPS.items() for name in names])
def test_a_tooltip_has_the_artists_word(scene, build, owner, name):
    """Guards whoever knows a setting by another word: its tooltip has the technical term, then theirs in brackets."""
    bars, joints = build.pendulum(1)
    settings = {
        ids.LINK: link(bars[0]),
        "surface": link(bars[0]).surface,
        "axis": joint(joints[0]).axes[0],
        ids.SCENE: getattr(scene, ids.SCENE),
    }[owner]
    tooltip = settings.bl_rna.properties[name].description
    word = re.escape(IN_TOOLTIPS[owner][name])
    assert re.match(rf"[A-Z][a-z ]+ \({word}\b", tooltip), tooltip


SENTENCES = {
    "falls": (lambda _: f"it falls: {way_to_hold('base')}", "hold it in the world: Motion Static of 'base'"),
    "overlaps": (lambda _: ContactReport(overlapping=2).note(), "Problems names them"),
    "inertia": (lambda _: f"its inertia is impossible: {REMEDY}", "compute it anew"),
    "missing": (of_a_missing_file, "name a folder to search (Search In)"),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_an_artist_reads_what_an_artist_can_do(tmp_path, name):
    """Guards a note that says "--fix-base" to whoever has no command line: core's sentences serve all readers."""
    make, wanted = SENTENCES[name]
    text = make(tmp_path)
    assert re.search(r"--[a-z]", text), "core's sentence has changed: is the entry of FOR_OTHERS of any use?"
    paper = Paper()
    paragraph(paper, SimpleNamespace(region=None, preferences=bpy.context.preferences), text)
    shown = " ".join(paper.texts)
    assert not re.search(r"--[a-z]|limberjack |Python", shown), shown
    assert wanted in shown
