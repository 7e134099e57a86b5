# SPDX-License-Identifier: GPL-3.0-or-later
"""Data that .blend files of strangers claim this add-on has stored: all that it would not store is dropped."""

import json

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.receipts.receipt import Receipt, receipt_of
from limberjack.addon.bridge.findings.stored_findings import apply_remedy, obstacle_to
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.values.file_extras import parse_extras, parse_foreign
from limberjack.addon.bridge.values.stored_json import are_numbers, known_fields, parse_stored
from limberjack.addon.preview.display import CHANNELS, SWITCHED_OFF, restore_own_poses
from limberjack.core.model import ModelError

from .baked import bake
from .bone_rig import armature, tag
from .conftest import link

DEEP = "[" * 200_000
HUGE = '{"step": 1' + "0" * 400 + "}"
NONE = ["", "[]", "7", "null", '"text"', "{", DEEP, f'{{"version": {DEEP}']


@pytest.mark.parametrize("text", [*NONE, None, 7, b"{}"], ids=lambda text: repr(text)[:12])
def test_what_is_no_object_counts_as_nothing(text):
    """Guards the reader: text that ends early, other kinds, lists inside each other without end."""
    assert parse_stored(text) == {}


def test_fields_have_their_types():
    """Guards against words for numbers, truth values for numbers, numbers without end, and names nobody knows."""
    kinds = {"a": float, "b": int, "c": str, "d": bool}
    right = {"a": 1, "b": 2, "c": "x", "d": True}
    assert known_fields(right | {"e": 1}, kinds) == right
    assert known_fields({"a": "1", "b": 1.5, "c": 3, "d": 1}, kinds) == {}
    assert known_fields({"a": True, "b": False, "c": None, "d": []}, kinds) == {}
    assert known_fields(json.loads('{"a": NaN, "b": 1}'), kinds) == {"b": 1}
    assert known_fields(parse_stored(HUGE), {"step": float}) == {}
    assert are_numbers([1, 2.0, 3], 3)
    assert not are_numbers([1, 2, float("inf")], 3)
    assert not are_numbers("123", 3)


@pytest.fixture
def cube(scene, build):
    scene.frame_end = 6
    return build.tagged_cube("cube")


@pytest.mark.parametrize("text", [*NONE, '{"first": "1", "fps": [], "version": 4}', HUGE], ids=lambda text: text[:12])
def test_receipts(scene, cube, text):
    """Guards panels, `check` and bakes over a receipt that holds anything: what it does not tell has its default."""
    bake(scene)
    action = cube.animation_data.action
    action[ids.BAKE_MARK] = text
    assert receipt_of(action) in (None, Receipt())
    forget_rigs()
    show_rig(scene)
    bake(scene, overwrite=True)
    assert receipt_of(cube.animation_data.action).last == 6


@pytest.mark.parametrize(
    "stored",
    [
        {"name": "hijacked"},
        {
            "location": [1, 2, 3],
            "rotation_euler": [0, 0, 0],
            "rotation_quaternion": [1, 0, 0, 0],
            "hide_viewport": True,
        },
        {"location": "abc"},
        {"location": [1, 2]},
        {"location": [float("nan")] * 3},
        [],
    ],
    ids=lambda stored: str(stored)[:20],
)
def test_a_pose_before_a_preview(scene, cube, stored, capfd):
    """Guards objects against names from a file: nothing but a whole pose is put back, and nothing else is touched."""
    link(cube).before_preview = json.dumps(stored)
    restore_own_poses([cube])
    assert (cube.name, tuple(cube.location), cube.hide_viewport) == ("cube", (0.0, 0.0, 5.0), False)
    assert link(cube).before_preview == ""
    assert "nobody can read where it was before a preview" in capfd.readouterr().out


def test_a_whole_pose_is_put_back(scene, cube):
    """Guards what the text is for, beside a field that nobody knows."""
    pose = {"location": [1, 2, 3], "rotation_euler": [0, 0, 0], "rotation_quaternion": [1, 0, 0, 0]}
    link(cube).before_preview = json.dumps(pose | {"rotation_axis_angle": [0, 0, 1, 0], "name": "hijacked"})
    restore_own_poses([cube])
    assert (cube.name, tuple(cube.location)) == ("cube", (1.0, 2.0, 3.0))


def test_constraints_that_a_preview_has_switched_off(scene):
    """Guards constraints against entries that we have not written: only the one that was described is switched on."""
    rig = armature(scene)
    bone = tag(rig)[1]
    for name in ("ours", "mine"):
        made = bone.constraints.new("COPY_ROTATION")
        made.name, made.mute = name, True
    ours = {"bone": "upper", "number": 1, "name": "ours", "type": "COPY_ROTATION", "names": ["ours", "mine"]}
    foreign = [7, "x", [], {}, ours | {"number": "1"}, ours | {"bone": "x", "number": 10**9}, ours | {"type": "IK"}]
    foreign += [ours | {"name": "x", "names": names} for names in (5, None, {}, ["mine", "ours"])]
    pose = {name: [*getattr(bone, name)] for name in CHANNELS}
    for entries, is_off in ((foreign, True), ("upper", True), ([*foreign, ours], False)):
        link(bone).before_preview = json.dumps(pose | {SWITCHED_OFF: entries})
        restore_own_poses([rig])
        assert [each.mute for each in bone.constraints] == [is_off, True]


@pytest.mark.parametrize(
    ("kind", "changes"),
    [
        ("run", '{"name": "hijacked"}'),
        ("run", '{"accuracy": "finest"}'),
        ("run", '{"accuracy": "exact", "frame_start": 5}'),
        ("link", '{"mass": "heavy"}'),
        ("link", '{"mass": NaN}'),
        ("link", '{"static": 1}'),
        *(("run", text) for text in NONE),
    ],
    ids=lambda part: str(part)[:24],
)
def test_remedies(scene, cube, kind, changes):
    """Guards the buttons of the doctor's findings: they set what a doctor's remedy sets, and nothing else."""
    finding = getattr(scene, ids.SCENE).findings.add()
    finding.name, finding.culprit, finding.kind, finding.changes = "cube", cube, kind, changes
    assert obstacle_to(finding, scene) == "What it changes cannot be read: simulate again"
    with pytest.raises(ModelError):
        apply_remedy(finding, scene)
    assert (scene.name, getattr(scene, ids.SCENE).accuracy, link(cube).motion) == ("Scene", "good", "FREE")


@pytest.mark.parametrize(
    "text", ["7", "{}", '[{"format": "sdf"}]', DEEP, '[{"format": 1, "tag": 2, "text": 3, "within": []}]']
)
def test_what_was_kept_of_a_file(text):
    """Guards elements that go back to a file: one sentence, whatever is stored."""
    with pytest.raises(ModelError, match="import it again"):
        parse_extras(text, "link 'a'")
    with pytest.raises(ModelError, match="import it again"):
        parse_foreign(text, "link 'a'")


def test_one_bad_object_stops_no_other(scene, build):
    """Guards Problems of the whole scene against a mesh that is inside out, open, or of no volume."""
    build.tagged_cube("floor", (0.0, 0.0, -1.0), 2.0)
    for number, harm in enumerate(("flip", "open", "flat", "none")):
        cube = build.tagged_cube(harm, (3.0 * number, 0.0, 5.0))
        if harm == "flip":
            cube.data.flip_normals()
        elif harm == "flat":
            for vertex in cube.data.vertices:
                vertex.co.z = 0.0
        else:
            cube.data.clear_geometry()
            if harm == "open":
                cube.data.from_pydata(
                    [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)], [], [(0, 1, 2), (0, 1, 3), (1, 2, 3)]
                )
    bpy.context.view_layer.update()
    forget_rigs()
    rig = show_rig(scene)
    assert {"floor", "flip", "open"} <= {each.name for each in rig.model.links}
    assert {"flat", "none"} <= {problem.name for problem in rig.problems}
