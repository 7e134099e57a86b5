# SPDX-License-Identifier: GPL-3.0-or-later
"""What armatures of many bones cost: bones without tags, long chains, and references to bones."""

import bpy
import numpy as np

from limberjack.addon import ids, watch
from limberjack.addon.bridge.animation.keyed_joints import keyed_numbers
from limberjack.addon.bridge.animation.motion_sources import is_animated
from limberjack.addon.bridge.posing import link_poses
from limberjack.addon.bridge.posing.link_poses import world_scale
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes import animation
from limberjack.addon.preview.display import restore_own_poses
from limberjack.addon.props import settings
from limberjack.addon.props.members import links_in

from .conftest import joint
from .rigs import chain, hang_up, tag

MANY = 60
"""Number of bones of an armature whose costs are counted."""

DEEP = 1100
"""Number of bones in a row, more than Python allows of nested calls."""


def test_bones_without_tags_get_no_settings(scene, tmp_path):
    """Guards files with armatures that have nothing of ours: Blender would save every group that was read."""
    rig = chain(3)
    hang_up(*tag(rig, "b0"))
    assert len(links_in(scene)) == 1
    watch.note_change([rig])
    restore_own_poses(bpy.data.objects)
    show_rig(scene)
    read_scene(scene, with_shapes=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"))
    bones = [bone for armature in bpy.data.objects for bone in armature.pose.bones]
    for name in (ids.LINK, ids.JOINT, ids.BEFORE):
        assert [bone.name for bone in bones if bone.is_property_set(name)] in ([], ["b0"])


def test_bones_of_groups_are_found_by_one_search(scene, tmp_path, monkeypatch):
    """Guards the first reading of all joints of an armature, as after an undo: each group does not cost a search."""
    tag(chain(MANY))
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    monkeypatch.setattr(settings, "_bone_names", {})
    compared = []
    groups_like = settings._groups_like
    monkeypatch.setattr(settings, "_groups_like", lambda *given: compared.append(given) or groups_like(*given))
    bones = bpy.data.objects["Rig"].pose.bones
    assert [settings.node_with(joint(bone)) for bone in bones] == list(bones)
    assert len(compared) < 5 * MANY


def test_long_chains(scene):
    """Guards ropes of bones: what depends on all bones above one is not found by nested calls."""
    last = chain(DEEP).pose.bones[-1]
    np.testing.assert_allclose(world_scale(last), 1.0)
    assert not is_animated(last)


def test_scales_of_a_hierarchy_are_computed_once(scene, monkeypatch):
    """Guards readings of long chains, where the scale of each bone depends on those of all bones above."""
    hang_up(tag(chain(MANY))[0])
    computed = []
    compute = link_poses._world_scale
    monkeypatch.setattr(link_poses, "_world_scale", lambda *given: computed.append(given) or compute(*given))
    read_scene(scene, with_shapes=True)
    assert len(computed) < 3 * MANY


def test_a_frame_change_searches_the_curves_of_an_armature_once(scene, monkeypatch):
    """Guards playback of armatures with keys on all bones, as after a bake: only keys of joint values are of interest.

    The values of a joint of a bone are found as those of any other.
    """
    rig = chain(MANY)
    hang_up(tag(rig)[0])
    for bone in rig.pose.bones:
        bone.keyframe_insert("rotation_quaternion", frame=1)
    searched = []
    curves_in = animation.curves_in
    monkeypatch.setattr(animation, "curves_in", lambda *given: searched.append(given) or curves_in(*given))
    assert keyed_numbers(scene, 1.0) == {}
    assert len(searched) == 1
    coordinates = joint(rig.pose.bones["b7"]).coordinates
    coordinates[1].q = 0.5
    rig.keyframe_insert(f'pose.bones["b7"].{ids.JOINT}.coordinates[1].q', frame=1)
    assert keyed_numbers(scene, 1.0) == {"Rig:b7": {1: 0.5}}
