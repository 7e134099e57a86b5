# SPDX-License-Identifier: GPL-3.0-or-later
"""Wavefront OBJ output: the text of a mesh, of its materials, and the images that these name."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from pathlib import Path

import numpy as np

from ...geometry import Material, Mesh
from ...mesh_files.images import is_image


def obj_files(mesh: Mesh, stem: str) -> dict[str, str | bytes]:
    """Return {file name: content} of all files of a mesh, for one folder, with `STEM.obj` first.

    The name of an image contains a digest of its content, so that meshes that share an image name the same file. A
    missing image is named only.

    Raises:
        OSError: if an image exists and cannot be read.
    """
    assert mesh.vertices is not None
    if not mesh.materials:
        return {f"{stem}.obj": write_obj(mesh.vertices, mesh.faces, stem, uvs=mesh.uvs)}
    names = [f"{stem}_{number}" for number in range(len(mesh.materials))]
    numbers = mesh.face_materials or (0,) * len(mesh.faces)
    images = {material.texture: image_file(material.texture) for material in mesh.materials if material.texture}
    text = write_obj(
        mesh.vertices,
        mesh.faces,
        stem,
        uvs=mesh.uvs,
        library=f"{stem}.mtl",
        face_materials=[names[number] for number in numbers],
    )
    library = write_mtl(mesh.materials, names, {texture: name for texture, (name, _) in images.items()})
    files = {name: content for name, content in images.values() if content}
    return {f"{stem}.obj": text, f"{stem}.mtl": library} | files


def image_file(texture: str) -> tuple[str, bytes]:
    """Return the name under which an image is written, and its content; `texture` and b"" if there is no image.

    Only an absolute path names a file, since a relative name would mean another file in each folder.

    Raises:
        OSError: if the image exists and cannot be read.
    """
    path = Path(texture)
    if not (path.is_absolute() and is_image(path)):
        return texture, b""
    content = path.read_bytes()
    safe = re.sub(r"[^a-z0-9_-]+", "_", path.stem.lower())  # a space would end the name in an .mtl file
    return f"{safe}_{hashlib.sha256(content).hexdigest()[:8]}{path.suffix.lower()}", content


def write_obj(
    vertices: np.ndarray,
    faces: Iterable[tuple[int, ...]],
    name: str,
    *,
    uvs: np.ndarray | None = None,
    library: str = "",
    face_materials: Sequence[str] = (),
) -> str:
    """Return the text of an OBJ file, in metres, Z up.

    Args:
        uvs: of each corner of each face in turn, shape (corners, 2).
        library: the .mtl file of the materials.
        face_materials: name of the material of each face.
    """
    lines = [f"mtllib {library}"] if library else []
    lines.append(f"o {name}")
    lines += [f"v {x!r} {y!r} {z!r}" for x, y, z in vertices.tolist()]
    texts = None
    if uvs is not None and len(uvs):
        places, numbers = np.unique(uvs, axis=0, return_inverse=True)
        lines += [f"vt {u!r} {v!r}" for u, v in places.tolist()]
        texts = iter((numbers.ravel() + 1).tolist())
    lines += _face_lines(faces, texts, face_materials)
    return "\n".join(lines) + "\n"


def _face_lines(faces: Iterable[tuple[int, ...]], texts: Iterable[int] | None, materials: Sequence[str]) -> list[str]:
    lines, current = [], None
    for number, face in enumerate(faces):
        if materials and materials[number] != current:
            current = materials[number]
            lines.append(f"usemtl {current}")
        corners = [str(corner + 1) for corner in face]
        if texts is not None:
            corners = [f"{corner}/{text}" for corner, text in zip(corners, islice(texts, len(face)), strict=True)]
        lines.append("f " + " ".join(corners))
    return lines


def write_mtl(materials: Iterable[Material], names: Iterable[str], images: dict[str, str] | None = None) -> str:
    """Return the text of a material library.

    images: {texture: its name in the library}; textures that are not in it keep their names.
    """
    lines = []
    for material, name in zip(materials, names, strict=True):
        lines.append(f"newmtl {name}")
        colors = {"Ka": material.ambient, "Kd": material.diffuse, "Ks": material.specular, "Ke": material.emissive}
        lines += [f"{word} {_triple(color)}" for word, color in colors.items() if color is not None]
        if material.diffuse is not None:
            lines.append(f"d {float(material.diffuse[3])!r}")
        if material.texture:
            lines.append(f"map_Kd {(images or {}).get(material.texture, material.texture)}")
    return "\n".join(lines) + "\n"


def _triple(color: tuple[float, float, float, float]) -> str:
    return " ".join(repr(float(part)) for part in color[:3])
