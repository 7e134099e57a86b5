# SPDX-License-Identifier: GPL-3.0-or-later
"""What operators say: in the words of CONTRIBUTING.md, one thing in the singular, several in the plural."""

import re
from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.ops.report import succeed
from limberjack.addon.watch import note_change

from .conftest import joint

ON_LINKS = (
    (ids.OP_LINK_TAG, {}),
    (ids.OP_LINK_PIN, {"pin": "POSE"}),
    (ids.OP_LINK_BY_HAND, {}),
    (ids.OP_LINK_WEIGH, {}),
)
ON_JOINTS = (
    (ids.OP_JOINT_FRAMES, {}),
    (ids.OP_START_HERE, {}),
    (ids.OP_POSE_MIDDLE, {}),
    (ids.OP_POSE_ADD, {}),
    (ids.OP_PRESET, {"preset": "door_hinge"}),
    (ids.OP_JOINT_HOLD, {}),
    (ids.OP_RELEASE_ALL, {}),
)


@pytest.mark.parametrize("count", [1, 2])
def test_one_is_not_many(scene, build, capfd, count):
    """Guards "1 joints are held": each operator on one link or one joint, and on two."""
    bars, joints = build.pendulum(count)
    for made in joints:
        axis = joint(made).axes[0]
        axis.use_lower = axis.use_upper = True
        axis.lower, axis.upper = -1.0, 1.0
    note_change()  # as Blender's own panels do
    scene.frame_end = 2
    for objects, operators in (
        (bars, ON_LINKS),
        (joints, ON_JOINTS),
        (bars, ((ids.OP_SIMULATE, {}), (ids.OP_BAKE_CLEAR, {}))),
    ):
        bpy.ops.object.select_all(action="DESELECT")
        for obj in objects:
            obj.select_set(True)
        bpy.context.view_layer.objects.active = objects[0]
        for name, arguments in operators:
            operator = getattr(bpy.ops.limberjack, name.partition(".")[2])
            capfd.readouterr()
            assert operator(**arguments) == {"FINISHED"}, name
            told = capfd.readouterr().out
            wrong = r"\b1 \w+s\b(?! editor)" if count == 1 else r"\b2 (link|joint)\b"
            assert re.search(rf"\b{count} (new )?(link|joint)", told), f"{name} does not say on how many: {told}"
            assert not re.search(wrong, told), told
            assert not re.search(r"\b(held|released)\b", told), f"'{told}': posing locks joints"


def test_a_note_is_told_once():
    """Guards ten warnings about two meshes that are missing: each shape of a link led to the same sentence."""
    told = []
    operator = SimpleNamespace(report=lambda kind, text: told.append(text))
    succeed(operator, bpy.context, "Done", ["the mesh is not read", "the base is held", "the mesh is not read"])
    assert told == ["Done", "the mesh is not read", "the base is held", "Done: 2 warnings, see the tab Limberjack"]
