# SPDX-License-Identifier: GPL-3.0-or-later
"""Robots whose files have no masses: weighed by their meshes, posed, keyed and exported."""

import json

import bpy
import numpy as np
import pytest
import trimesh

from limberjack.addon.cli import main
from limberjack.core.formats import read

JOINT = (
    '<joint name="j" type="revolute"><origin xyz="0 0 1"/><parent link="a"/><child link="b"/><axis xyz="0 1 0"/>'
    '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
)


def robot(folder, **meshes):
    links = "".join(
        f'<link name="{name}"><{role}><origin xyz="0 0 0.5"/><geometry><mesh filename="{mesh}" scale="2 1 -1"/>'
        f"</geometry></{role}></link>"
        for name, (role, mesh) in meshes.items()
    )
    path = folder / "arm.urdf"
    path.write_text(f'<robot name="arm">{links}{JOINT}</robot>')
    return path


@pytest.fixture
def meshes(tmp_path):
    box = trimesh.creation.box((0.5, 1.0, 2.0))
    for suffix in ("obj", "stl", "ply"):
        box.export(tmp_path / f"box.{suffix}")
    trimesh.creation.box((0.5, 2.0, 1.0)).export(tmp_path / "box.glb")  # Y up
    box.update_faces(np.arange(len(box.faces)) > 1)
    box.export(tmp_path / "open.stl")
    return tmp_path


@pytest.mark.parametrize("suffix", ["obj", "stl", "ply", "glb"])
def test_density_weighs_meshes(meshes, capsys, suffix):
    """Guards robots of meshes alone: a box, scaled and mirrored, weighs what its formula says; an open one its hull."""
    path = robot(meshes, a=("visual", f"box.{suffix}"), b=("collision", "open.stl"))
    held = len(bpy.data.meshes)
    assert main(["info", str(path), "--density", "500", "--json"]) == 0
    told = capsys.readouterr()
    a, b = json.loads(told.out)["links"]
    for link in (a, b):
        assert link["mass"] == pytest.approx(1000.0, rel=1e-6)
        inertia = link["inertia_com_linkaxes"]
        expected = np.divide([1.0 + 4.0, 1.0 + 4.0, 1.0 + 1.0], 12.0) * 1000.0
        assert [inertia[word] for word in ("ixx", "iyy", "izz")] == pytest.approx(expected.tolist(), rel=1e-6)
    assert told.err.count("is open, so its convex hull was weighed") == 1
    assert "link 'b'" in told.err
    assert len(bpy.data.meshes) == held


def test_density_tells_of_meshes_that_are_not_there(meshes, capsys):
    """Guards against silence: the mesh is named, and what to do."""
    path = robot(meshes, a=("visual", "box.obj"), b=("visual", "gone.stl"))
    assert main(["check", str(path), "--density", "500"]) == 0
    told = capsys.readouterr().out
    assert "warning weighed-as: link 'b': its " in told
    assert "is not weighed: the mesh 'gone.stl': it was not found" in told
    assert "warning not-weighed: link 'b'" in told
    assert main(["convert", "x.blend", "x.sdf", "--density", "5"]) == 2
    assert "for a scene, use --set" in capsys.readouterr().err


def test_robots_without_masses_are_posed_keyed_and_exported(scene, meshes, capsys):
    """Guards kinematics: a pose is set and keyed, moves the link, and the exports have the joints that came in."""
    path = robot(meshes, a=("visual", "box.obj"), b=("visual", "box.stl"))
    assert bpy.ops.limberjack.import_model(filepath=str(path)) == {"FINISHED"}
    joint, link = bpy.data.objects["j"], bpy.data.objects["b"]
    bpy.context.view_layer.objects.active = joint
    for frame, angle in ((1, 0.0), (20, 0.5)):
        scene.frame_set(frame)
        assert bpy.ops.limberjack.joint_pose(value=angle) == {"FINISHED"}
        assert bpy.ops.limberjack.pose_key(what="LINKS") == {"FINISHED"}
    for frame, angle in ((1, 0.0), (20, 0.5)):
        scene.frame_set(frame)
        bpy.context.view_layer.update()
        assert link.matrix_world.to_euler().y == pytest.approx(angle, abs=1e-5)
    scene.frame_set(1)
    for suffix in ("sdf", "urdf"):
        out = meshes / f"out.{suffix}"
        assert getattr(bpy.ops.limberjack, f"export_{suffix}")(filepath=str(out)) == {"FINISHED"}
        again = read(out)
        assert again.ok
        assert ("j", "revolute") in [(item.name, item.type) for item in again.model.joints]
        assert [item.mass for item in again.model.links] == [0.0, 0.0]
