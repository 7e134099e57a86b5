# SPDX-License-Identifier: GPL-3.0-or-later
"""Exports of characters whose meshes are split among their bones: each face once, where Blender shows it."""

import bpy
import numpy as np
import pytest
from scipy.spatial import cKDTree

from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.core.kinematics import link_poses
from limberjack.core.spatial import compose

from .characters import character, choose
from .conftest import link
from .rigs import tag
from .test_bones_on_command_line import run

LINKS = ("hips", "chest", "head", "thigh", "shin", "arm", "hand")
"""Bones that become links. The finger and its tip, which follow the hand, do not."""


@pytest.fixture
def body(scene):
    """A character in a pose, of which all bones but the fingers are links, and its mesh."""
    rig, body = character()
    tag(rig, *LINKS)
    bones = rig.pose.bones
    bones["thigh"].rotation_quaternion = (0.9, 0.3, 0.1, 0.0)
    bones["arm"].rotation_quaternion = (0.8, 0.0, 0.2, -0.4)
    rig.location, rig.rotation_euler, rig.scale = (0.3, -0.2, 0.1), (0.1, 0.2, 0.9), (1.5, 1.5, 1.5)
    bpy.context.view_layer.update()
    return body


def shown(*objects):
    """Centres of the faces of objects in the world, as Blender evaluates them, in the order of their coordinates."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = [obj.evaluated_get(depsgraph) for obj in objects]
    return ordered([obj.matrix_world @ face.center for obj in evaluated for face in obj.data.polygons])


def corners_of(*objects):
    """Return the corners of all faces in the world [m], shape (n, 3). glTF divides faces into triangles."""
    depsgraph = bpy.context.evaluated_depsgraph_get()
    evaluated = [obj.evaluated_get(depsgraph) for obj in objects]
    return np.array([obj.matrix_world @ vertex.co for obj in evaluated for vertex in obj.data.vertices])


def ordered(points):
    points = np.array(points, dtype=np.float64)
    return points[np.lexsort(points.round(4).T)]


def exported(model):
    """Centres of the faces of all visual meshes in the world."""
    centres, poses = [], link_poses(model, {joint.name: joint.home for joint in model.joints})
    for body in model.links:
        for shape in body.visuals:
            vertices = np.array(shape.geometry.vertices) * shape.geometry.scale
            for face in shape.geometry.faces:
                centre = (*vertices[list(face)].mean(axis=0).tolist(), 1.0, 0.0, 0.0, 0.0)
                centres.append(compose(poses[body.name], compose(shape.pose, centre))[:3])
    return ordered(centres)


def test_each_face_is_exported_once_where_it_is_shown(scene, body):
    """Guards the pieces of a posed, scaled character: together they are its mesh, and each has the right bone."""
    model = scan_scene(scene, with_shapes=True, split_meshes=True).model
    np.testing.assert_allclose(exported(model), shown(body), rtol=0.0, atol=2e-6)
    faces = {each.name: sum(len(shape.geometry.faces) for shape in each.visuals) for each in model.links}
    tube = len(body.data.polygons) // len(body.id_data.parent.pose.bones)
    assert faces == {f"Rig:{name}": tube for name in LINKS} | {"Rig:hand": 3 * tube}
    assert all(type(shape.geometry).__name__ == "Capsule" for each in model.links for shape in each.collisions)


def test_without_the_option_bones_are_capsules(scene, body):
    """Guards the default, which writes fitted shapes only."""
    model = scan_scene(scene, with_shapes=True).model
    assert {type(shape.geometry).__name__ for each in model.links for shape in each.visuals} == {"Capsule"}


def test_faces_that_follow_no_link_are_told(scene, body):
    """Guards a character of which only a leg is a link: the rest of its mesh is left out, and a note says so."""
    link(body.parent.pose.bones["hips"]).is_link = False
    for name in ("chest", "head", "arm", "hand"):
        link(body.parent.pose.bones[name]).is_link = False
    reading = scan_scene(scene, with_shapes=True, split_meshes=True)
    tube = len(body.data.polygons) // 9
    assert sum(len(shape.geometry.faces) for each in reading.model.links for shape in each.visuals) == 2 * tube
    (note,) = [note for note in reading.notes if "Body" in note]
    assert note.startswith(f"{7 * tube} faces of object 'Body' follow bones without a link, and are left out")


@pytest.mark.parametrize("meshes", ["obj", "gltf"])
def test_the_command_splits_meshes(scene, body, tmp_path, meshes):
    """Guards `convert --split-meshes`: a file for each bone beside the SDF. Back in Blender, all faces are there."""
    for bone in body.parent.pose.bones:
        bone.rotation_quaternion = (1.0, 0.0, 0.0, 0.0)  # files begin with all joints at 0, in the rest pose
    bpy.context.view_layer.update()
    corners = corners_of(body)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "body.blend"))
    out = tmp_path / "body.sdf"
    assert run("convert", tmp_path / "body.blend", out, "--split-meshes", "--meshes", meshes) == 0
    assert run("convert", out, tmp_path / "back.blend") == 0
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "back.blend"))
    pieces = [obj for obj in bpy.context.scene.objects if obj.type == "MESH" and obj.name.startswith("Body")]
    assert len(pieces) == len(LINKS)
    found = corners_of(*pieces)
    assert cKDTree(found).query(corners)[0].max() < 1e-5
    assert cKDTree(corners).query(found)[0].max() < 1e-5


def test_the_operator_splits_meshes(scene, body, tmp_path):
    """Guards Split Meshes in the export dialog."""
    choose(body.parent)
    out = tmp_path / "body.urdf"
    result = bpy.ops.limberjack.export_urdf(filepath=str(out), split_meshes=True)
    assert result == {"FINISHED"}
    assert len(list(tmp_path.glob("**/*.obj"))) == len(LINKS)
