# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror across X in Pose Mode: bones give their settings to those of the other side."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.kinematics import tree_poses
from limberjack.core.model.editing.mirroring import mirrored_pose

from .conftest import joint, link
from .humanoids import HUMANOIDS
from .ragdolls import make
from .rigs import armature, in_mode, select_bones, tag


@pytest.fixture
def arms(scene):
    """An armature with a spine and one arm, tagged, and its image by Blender's Symmetrize, which is not tagged."""
    rig = armature(
        [
            ("spine", (0.0, 0.0, 1.0), (0.0, 0.0, 1.5), ""),
            ("arm.L", (0.2, 0.0, 1.5), (0.6, 0.1, 1.3), "spine", 0.4),
            ("hand.L", (0.6, 0.1, 1.3), (0.9, -0.1, 1.2), "arm.L", -0.3),
        ]
    )
    in_mode(rig, "EDIT")
    bpy.ops.armature.select_all(action="SELECT")
    bpy.ops.armature.symmetrize()
    bpy.ops.object.mode_set(mode="OBJECT")
    bones = rig.pose.bones
    tag(rig, "spine", "arm.L", "hand.L")
    joint(bones["spine"]).to_world = True
    joint(bones["hand.L"]).type = "revolute"
    joint(bones["hand.L"]).axes[0].xyz = (0.5, 0.3, 0.8)
    joint(bones["hand.L"]).axes[0].use_upper, joint(bones["hand.L"]).axes[0].upper = True, 0.7
    link(bones["hand.L"]).mass_source, link(bones["hand.L"]).mass = "CUSTOM", 0.6
    link(bones["hand.L"]).com = (0.1, 0.2, 0.3)
    bpy.context.view_layer.update()
    return rig


def test_settings_are_mirrored(scene, arms):
    """Guards both sides of a character: at equal values of the joints, the hands are mirror images of each other."""
    select_bones(arms, "arm.L", "hand.L", "spine")
    assert bpy.ops.limberjack.mirror() == {"FINISHED"}
    model = read_scene(scene)
    poses = tree_poses(model, {"Rig:hand.L": 0.4, "Rig:hand.R": 0.4})
    np.testing.assert_allclose(poses["Rig:hand.R"][:3], mirrored_pose(poses["Rig:hand.L"])[:3], atol=1e-6)
    turned = abs(np.dot(poses["Rig:hand.R"][3:], mirrored_pose(poses["Rig:hand.L"])[3:]))
    assert turned == pytest.approx(1.0, abs=1e-9)
    assert model.joint("Rig:hand.R").axes[0].upper == pytest.approx(0.7)
    image = model.link("Rig:hand.R")
    assert (image.mass, image.com) == (pytest.approx(0.6), pytest.approx((-0.1, 0.2, 0.3)))


@pytest.mark.parametrize("kind", ["mixamo", "makehuman"])
def test_parts_of_ragdolls_are_mirrored(scene, kind):
    """Guards names whose side Blender does not know, as mixamorig:LeftArm: the other arm gets limits and shape."""
    maker = HUMANOIDS[kind]
    rig, _ = maker.build()
    make(rig)
    left, right = (rig.pose.bones[maker.names["forearm"].format(side)] for side in maker.sides)
    joint(left).axes[0].upper_angle, link(left).bone_radius = 1.1, 0.5
    select_bones(rig, left.name)
    assert bpy.ops.limberjack.mirror() == {"FINISHED"}
    assert joint(right).axes[0].upper_angle == pytest.approx(1.1)
    assert link(right).bone_radius == pytest.approx(0.5)


def test_what_cannot_be_mirrored_is_told(scene, arms):
    """Guards bones in the middle, and bones whose other side has another roll: nothing is changed then."""
    select_bones(arms, "spine")
    with pytest.raises(RuntimeError, match="'spine' is on no side"):
        bpy.ops.limberjack.mirror()
    in_mode(arms, "EDIT")
    arms.data.edit_bones["arm.R"].roll += 0.5
    select_bones(arms, "arm.L", "hand.L")
    with pytest.raises(RuntimeError, match=r"'Rig:arm.R' is not the mirror image of 'arm.L'"):
        bpy.ops.limberjack.mirror()
    assert not link(arms.pose.bones["hand.R"]).is_link
