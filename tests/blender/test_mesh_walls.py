# SPDX-License-Identifier: GPL-3.0-or-later
"""Hostile meshes, as a user meets them: a robot that names one becomes a scene, and nothing outside is opened."""

import base64
import json
import os
import struct
import subprocess
import sys

import bpy
import pytest

from limberjack.addon.bridge.scene.write import write_scene
from limberjack.core.geometry import Mesh, Shape
from limberjack.core.model import Link, Model

TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"
FLOATS = struct.pack("<9f", 0, 0, 0, 1, 0, 0, 0, 1, 0)
MESH = {
    "meshes": [{"primitives": [{"attributes": {"POSITION": 0}}]}],
    "nodes": [{"mesh": 0}],
    "scenes": [{"nodes": [0]}],
}
HUGE = (
    b"ply\nformat binary_little_endian 1.0\nelement vertex %d\nproperty float x\nproperty float y\nproperty float z\n"
)
MOST_MEMORY = 24 * 2**30


def gltf(count, uri):
    """Triangles whose corners lie in another file."""
    accessor = {"bufferView": 0, "componentType": 5126, "count": count, "type": "VEC3"}
    accessor |= {"min": [0, 0, 0], "max": [1, 1, 0]}
    length = 12 * count
    views = {"bufferViews": [{"buffer": 0, "byteLength": length}], "buffers": [{"uri": uri, "byteLength": length}]}
    return json.dumps({"asset": {"version": "2.0"}, "scene": 0, "accessors": [accessor], **views, **MESH}).encode()


def test_materials_outside_are_not_shown(scene, tmp_path):
    """Guards `mtllib ../../x`: nothing of a library outside of the project gets into the scene."""
    (tmp_path / "project").mkdir()
    (tmp_path / "secret.mtl").write_text("newmtl secret\nKd 0.125 0.25 0.5\n")
    path = tmp_path / "project" / "a.obj"
    path.write_text(f"mtllib ../secret.mtl\n{TRIANGLE}usemtl secret\nf 1 2 3\n")
    _, notes = write_scene(Model("m", [Link("a", visuals=[Shape("v", Mesh("a.obj", path=str(path)))])]), scene)
    assert len(bpy.data.objects["v"].data.polygons) == 1
    told = [tuple(round(part, 3) for part in material.diffuse_color[:3]) for material in bpy.data.materials]
    assert (0.125, 0.25, 0.5) not in told
    assert any("leads out of" in note for note in notes)


def test_buffers_outside_are_not_shown(scene, tmp_path):
    """Guards a glTF's `../../x`: numbers of a file outside of the project become no mesh."""
    (tmp_path / "project").mkdir()
    (tmp_path / "secret.bin").write_bytes(FLOATS)
    path = tmp_path / "project" / "a.gltf"
    path.write_bytes(gltf(3, "../secret.bin"))
    _, notes = write_scene(Model("m", [Link("a", visuals=[Shape("v", Mesh("a.gltf", path=str(path)))])]), scene)
    assert any("leads out of" in note for note in notes)
    assert len(bpy.data.meshes) == 0
    path.write_bytes(gltf(3, f"data:application/octet-stream;base64,{base64.b64encode(FLOATS).decode()}"))
    _, notes = write_scene(Model("m", [Link("b", visuals=[Shape("w", Mesh("a.gltf", path=str(path)))])]), scene)
    assert len(bpy.data.objects["w"].data.polygons) == 1  # so that the buffer above was all that was wrong


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has neither FIFOs nor limits of memory")
@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("fifo.stl", None),
        ("4e9.ply", HUGE % 4_000_000_000 + b"end_header\n" + bytes(400)),
        ("zero.gltf", gltf(3, "/dev/zero")),
        ("1e9.gltf", gltf(1_500_000_000, f"data:;base64,{base64.b64encode(FLOATS).decode()}")),
    ],
)
def test_a_hostile_mesh_is_told_in_a_line(tmp_path, name, content):
    """Guards bakes: what hangs, ends the process or fills the memory is a line, and the scene is written without it."""
    import resource

    mesh = tmp_path / name
    if content is None:
        os.mkfifo(mesh)
    else:
        mesh.write_bytes(content)
    (tmp_path / "m.urdf").write_text(
        f'<robot name="m"><link name="a"><inertial><mass value="1"/></inertial><visual><geometry>'
        f'<mesh filename="{name}"/></geometry></visual></link></robot>'
    )
    command = [sys.executable, "-m", "limberjack", "convert", "m.urdf", "m.blend"]
    done = subprocess.run(
        command,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY)),
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "m.blend").exists()
    assert name in done.stderr
    assert "Traceback" not in done.stderr
