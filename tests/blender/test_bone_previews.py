# SPDX-License-Identifier: GPL-3.0-or-later
"""Bones in previews, on the command line and by the operators of Pose Mode."""

import bpy
import numpy as np
import pytest

from limberjack.addon import preview as previews
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.core import cli as core_cli

from .baked import turns_of, turns_of_poses
from .bone_rig import ACCURACY, SIZE, armature, curves_of, dump, key_others, tag
from .conftest import link
from .test_cli import run as run_command


@pytest.fixture
def _no_preview_stays():
    yield
    previews.end()


@pytest.mark.usefixtures("_no_preview_stays")
@pytest.mark.parametrize("has_action", [False, True])
def test_play_moves_bones_and_stopping_restores_them(scene, has_action):
    """Guards previews of bones: the poses of the bake, and those before once it is stopped or undone."""
    rig = armature(scene)
    if has_action:
        key_others(rig)
    bones = tag(rig)
    scene.frame_set(7)
    motion = SimulationBake(scene, overwrite=True).simulation.run()
    before = dump(scene)
    preview = previews.begin(scene)
    preview.tick(0.0)
    for number in range(24):
        assert preview.shown == number
        shown = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        for column, name in enumerate(motion.link_names):
            matrix = np.array(shown.matrix_world @ shown.pose.bones[name.split(":")[1]].matrix)[None]
            pose = motion.X_WL[number, column]
            assert np.abs(matrix[0, :3, 3] - pose[:3]).max() < ACCURACY * SIZE
            assert (turns_of(matrix, np.ones(3)).inv() * turns_of_poses(pose[None])).magnitude()[0] < ACCURACY
        preview.tick(1.0 / 24.0)
        bpy.context.view_layer.update()
    assert all(link(bone).before_preview for bone in bones)
    preview.stop()
    assert scene.frame_current == 7
    assert dump(scene) == before
    assert not any(link(bone).before_preview for bone in bones)


def test_the_command_bakes_the_same_keys(scene, tmp_path):
    """Guards `limberjack bake` on a scene with bones: the keys are those of the operator."""
    rig = armature(scene)
    tag(rig)
    source, out = tmp_path / "rig.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(source))
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT") == {"FINISHED"}
    keys = curves_of(rig)
    assert run_command("bake", source, "-o", out) == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert curves_of(bpy.data.objects["Rig"]) == keys
    assert len(keys) == 2 * 3 + 4 * 4


def test_operators_run_in_pose_mode(scene):
    """Guards Simulate and Bake and Clear Bake in Pose Mode, with the same keys as in Object Mode."""
    rig = armature(scene)
    tag(rig)
    before = dump(scene)
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT") == {"FINISHED"}
    keys = curves_of(rig)
    bpy.ops.limberjack.bake_clear()
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="POSE")
    assert bpy.ops.limberjack.simulate("EXEC_DEFAULT") == {"FINISHED"}
    assert curves_of(rig) == keys
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    bpy.ops.object.mode_set(mode="OBJECT")
    assert dump(scene) == before
