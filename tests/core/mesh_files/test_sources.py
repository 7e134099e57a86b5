# SPDX-License-Identifier: GPL-3.0-or-later
"""Mesh files of strangers: what they name goes through the gate, what they claim is held against their size."""

import json
import os
import struct

import pytest

from limberjack.core.formats import read, write
from limberjack.core.mesh_files.images import is_image
from limberjack.core.mesh_files.sources import MeshSource, MeshSourceError

PNG = b"\x89PNG\r\n\x1a\n"
CORNERS = "v 0 0 0\nv 1 0 0\nv 0 1 0\n"


@pytest.fixture
def places(tmp_path):
    """A project, and beside it what nobody may read from inside."""
    for name in ("project/textures", "secret", "copy"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "secret" / "s.mtl").write_text("newmtl secret\nKd 1 0 0\n")
    (tmp_path / "secret" / "s.png").write_bytes(PNG)
    (tmp_path / "project" / "textures" / "i.png").write_bytes(PNG)
    return tmp_path


def source(places, name, content, within=()):
    path = places / "project" / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return MeshSource(path, within, places / "copy")


@pytest.mark.parametrize(
    "way", ["../secret/s.mtl", "{}/secret/s.mtl", "\\\n ../secret/s.mtl", "textures/../../secret/s.mtl"]
)
def test_an_obj_names_no_library_outside(places, way):
    """Guards `mtllib /etc/passwd`, by each way to write it."""
    found = source(places, "a.obj", f"mtllib {way.format(places)}\n{CORNERS}usemtl secret\nf 1 2 3\n")
    text = found.path.read_text()
    assert "mtllib" not in text
    assert CORNERS in text
    assert not list((places / "copy").glob("*.mtl"))
    assert "leads out of" in found.notes[0]


def test_an_obj_keeps_what_it_may_name(places):
    """Guards looks: libraries and images of the project are named by where they lie; images outside are left out."""
    (places / "project" / "m.mtl").write_text(
        "newmtl one\nmap_Kd -s 1 1 1 -clamp on textures/i.png\nnewmtl two\nmap_Kd ../secret/s.png\nmap_Kd m.mtl\n"
    )
    found = source(places, "a.obj", f"mtllib m.mtl\n{CORNERS}usemtl one\nf 1 2 3\n")
    assert found.path.read_text().startswith("mtllib 0.mtl\n")
    library = (places / "copy" / "0.mtl").read_text()
    assert f"map_Kd {places}/project/textures/i.png" in library
    assert library.count("map_Kd") == 1
    assert len(found.notes) == 2
    assert "is no image" in found.notes[1]


def test_a_library_of_the_same_name_is_looked_at(places):
    """Guards the library that Blender reads though nobody names it."""
    (places / "project" / "a.mtl").write_text("newmtl one\nmap_Kd ../secret/s.png\n")
    found = source(places, "a.obj", f"{CORNERS}f 1 2 3\n")
    assert found.path.parent == places / "copy"
    assert not found.path.with_suffix(".mtl").exists()
    assert "map_Kd" not in (places / "copy" / "0.mtl").read_text()


def test_a_file_that_names_nothing_is_not_copied(places):
    """Guards time and room: most meshes are read from where they lie."""
    assert source(places, "a.obj", f"{CORNERS}f 1 2 3\n").path == places / "project" / "a.obj"


@pytest.mark.parametrize(
    "uri", ["../secret/s.mtl", "/etc/passwd", "%2e%2e/secret/s.mtl", "/dev/zero", "file:///etc/passwd"]
)
def test_a_gltf_reads_no_buffer_outside(places, uri):
    """Guards a buffer's uri, which the importer joins to its folder whatever it is."""
    with pytest.raises(MeshSourceError, match="its buffer"):
        source(places, "a.gltf", json.dumps({"buffers": [{"uri": uri, "byteLength": 4}]}))


def test_a_gltf_keeps_what_it_may_name(places):
    """Guards models whose buffers and images lie beside them or in a folder that is searched."""
    (places / "project" / "a b.bin").write_bytes(bytes(36))
    said = {
        "buffers": [{"uri": "a%20b.bin", "byteLength": 36}],
        "bufferViews": [{"buffer": 0, "byteLength": 36}],
        "accessors": [{"bufferView": 0, "componentType": 5126, "count": 3, "type": "VEC3"}],
        "images": [{"uri": "textures/i.png"}, {"uri": "../secret/s.png"}],
    }
    found = source(places, "a.gltf", json.dumps(said))
    told = json.loads(found.path.read_text())
    assert told["buffers"][0]["uri"] == f"{places}/project/a%20b.bin"
    assert told["images"][0]["uri"].endswith("/project/textures/i.png")
    assert told["images"][1]["uri"].startswith("data:")
    searched = source(places, "b.gltf", json.dumps(said), within=[places / "secret"])
    assert json.loads(searched.path.read_text())["images"][1]["uri"].endswith("/secret/s.png")


def ply(count, rows=b""):
    return (
        f"ply\nformat binary_little_endian 1.0\nelement vertex {count}\nproperty float x\nend_header\n".encode() + rows
    )


def glb(said):
    text = json.dumps(said).encode()
    text += b" " * (-len(text) % 4)
    return struct.pack("<4sIII4s", b"glTF", 2, 20 + len(text), len(text), b"JSON") + text


ACCESSOR = {"componentType": 5126, "count": 1_500_000_000, "type": "VEC3"}
VIEW = {"bufferViews": [{"buffer": 0, "byteLength": 2**40}], "buffers": [{"byteLength": 2**40}]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.ply", ply(2_000_000_000)),
        ("a.ply", ply(4_000_000_000, bytes(400))),
        ("a.ply", ply(10**30)),
        ("a.glb", glb({"accessors": [ACCESSOR]})),
        ("a.glb", glb({"accessors": [ACCESSOR | {"bufferView": 0}], **VIEW})),
        ("a.dae", b'<COLLADA><float_array id="x" count="2000000000">0</float_array></COLLADA>'),
    ],
)
def test_counts_are_held_against_the_size(places, name, content):
    """Guards memory: what a file says that it has must find room in it."""
    with pytest.raises(MeshSourceError, match="bytes cannot hold"):
        source(places, name, content)


@pytest.mark.parametrize(
    "said", [{"accessors": 1}, {"buffers": 2}, {"accessors": [{"count": 1, "type": []}]}, {"images": {}}]
)
def test_a_strange_gltf_is_left_to_the_importer(places, said):
    """Guards against an exception where a file has not the types that it should."""
    assert source(places, "a.glb", glb(said)).notes == []


def test_counts_that_fit_are_taken(places):
    """Guards whole files."""
    source(places, "a.ply", ply(100, bytes(400)))
    text = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nend_header\n0 0\n1 1"
    source(places, "b.ply", text)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b'<!DOCTYPE x [<!ENTITY y SYSTEM "/etc/passwd">]><COLLADA/>', "document type definition"),
        (b'<COLLADA><instance_geometry url="../secret/x.dae#a"/></COLLADA>', "names another document"),
    ],
)
def test_collada_leads_nowhere(places, content, words):
    """Guards entities and other documents, which its reader would open."""
    with pytest.raises(MeshSourceError, match=words):
        source(places, "a.dae", content)


def test_images_of_collada(places):
    """Guards images: those of the project are kept by where they lie, others are left out; ids are no files."""
    text = "<COLLADA>{}<surface><init_from>id</init_from></surface></COLLADA>"
    image = "<image id='id'><init_from>{}</init_from></image>"
    found = source(places, "a.dae", text.format(image.format("textures/i.png") + image.format("../secret/s.png")))
    told = found.path.read_text()
    assert f"<init_from>{places}/project/textures/i.png</init_from>" in told
    assert "secret" not in told
    assert "<surface><init_from>id</init_from></surface>" in told


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes with names")
def test_pipes_and_devices_are_no_files(tmp_path):
    """Guards `bake` against a mesh that keeps silent for ever."""
    os.mkfifo(tmp_path / "a.obj")
    path = tmp_path / "m.urdf"
    mesh = '<visual><geometry><mesh filename="a.obj"/></geometry></visual>'
    path.write_text(f'<robot name="m"><link name="a">{mesh}</link></robot>')
    reading = read(path)
    assert "'a.obj' is a pipe or a device; name a regular file" in reading.notes[0]
    assert reading.model.links[0].visuals[0].geometry.path == ""
    with pytest.raises(MeshSourceError, match="a pipe or a device"):
        MeshSource(tmp_path / "a.obj", (), tmp_path)


@pytest.mark.parametrize("name", ["/etc/passwd", "../secret/s.png", "not_an_image.png"])
def test_textures_of_urdf_go_through_the_gate(places, monkeypatch, name):
    """Guards against copying any file of this machine along: what is no image, or outside, is left out and told."""
    (places / "project" / "not_an_image.png").write_text("secret")
    path = places / "project" / "m.urdf"
    look = f'<material name="m"><texture filename="{name}"/></material>'
    look = f'<visual><geometry><sphere radius="1"/></geometry>{look}</visual>'
    path.write_text(f'<robot name="m"><link name="a">{look}</link></robot>')
    monkeypatch.chdir(places / "project" / "textures")
    reading = read(path)
    assert len(reading.notes) == 1
    write(reading.model, places / "copy" / "m.urdf")
    assert [entry.name for entry in (places / "copy").iterdir()] == ["m.urdf"]


def test_what_is_an_image(tmp_path):
    """Guards both sides: by what it begins with, never by its name."""
    for content, expected in ((PNG, True), (b"\xff\xd8\xff\xe0", True), (b"root:x:0:0", False), (b"", False)):
        (tmp_path / "a.png").write_bytes(content)
        assert is_image(tmp_path / "a.png") == expected
    assert not is_image("/dev/zero")
    assert not is_image(tmp_path)
