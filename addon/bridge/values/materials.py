# SPDX-License-Identifier: GPL-3.0-or-later
"""Convert the appearance of surfaces between Blender's Principled shader and the core's `Material`.

The shader's base colour or its image, alpha, emission, and specular level with tint are converted. The numbers are the
same on both sides. A specular level at Blender's default is left out of the model.
"""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import bpy

from ....core.files.resources import project_of
from ....core.geometry import Color, Material
from ....core.mesh_files.images import is_image
from ... import ids
from .numbers import shortest, shortest_all, significant

DEFAULT_LEVEL = 0.5
WHITE = (1.0, 1.0, 1.0)
FORMAT_SUFFIXES = {"JPEG": ".jpg", "TARGA": ".tga", "TARGA_RAW": ".tga", "TIFF": ".tif", "BMP": ".bmp"}


class MaterialReader:
    """Reads each material once.

    Images that are in no file are written to a temporary folder of Blender's, which Blender deletes.

    Attributes:
        notes: what could not be converted.
    """

    def __init__(self):
        self.notes: list[str] = []
        self._cache: dict[bpy.types.Material, Material] = {}
        self._folder: Path | None = None

    def read(self, material: bpy.types.Material) -> Material:
        if material not in self._cache:
            self._cache[material] = self._read(material)
        return self._cache[material]

    def _read(self, material: bpy.types.Material) -> Material:
        ambient = _color(material[ids.AMBIENT]) if ids.AMBIENT in material else None
        shader = principled(material)
        if shader is None:
            return Material(_color(material.diffuse_color), ambient)
        alpha = shortest(shader.inputs["Alpha"].default_value)
        base = shader.inputs["Base Color"]
        diffuse, texture = _color((*base.default_value[:3], alpha)), ""
        if base.is_linked:
            image = image_at(base)
            texture = self._file_of(image, material.name) if image else ""
            diffuse = (*WHITE, alpha) if texture else _color(material.diffuse_color)
        return Material(diffuse, ambient, _specular(shader), _emissive(shader), texture)

    def _file_of(self, image: bpy.types.Image, owner: str) -> str:
        """Return the path of a file with the image; empty if no file can contain it."""
        if image.source not in ("FILE", "GENERATED"):
            self.notes.append(
                f"material '{owner}': its image '{image.name}' is {image.source.lower()} and left out; bake it to one"
            )
            return ""
        path = Path(bpy.path.abspath(image.filepath_from_user(), library=image.library)) if image.filepath else None
        if path and path.exists() and not image.packed_file and not image.is_dirty:
            return self._named(path.resolve(), image, owner)
        return self._written(image, owner)

    def _named(self, path: Path, image: bpy.types.Image, owner: str) -> str:
        """Return the path of the image's own file; empty if it is no image.

        It adds a note if the file lies outside of the folder of the scene or of the image's library.
        """
        if not is_image(path):
            self.notes.append(
                f"material '{owner}': its image '{image.name}' names '{path}', which is no image, and is left out; "
                "name a PNG or a JPEG, say"
            )
            return ""
        scene = bpy.path.abspath(image.library.filepath) if image.library else bpy.data.filepath
        if scene and not path.is_relative_to(project_of(Path(scene))):
            self.notes.append(
                f"material '{owner}': its image '{path}' lies outside of the scene's folder, and is taken along; "
                "look whether it may be"
            )
        return str(path)

    def _written(self, image: bpy.types.Image, owner: str) -> str:
        if self._folder is None:
            self._folder = Path(tempfile.mkdtemp(prefix="limberjack-", dir=bpy.app.tempdir or None))
        stem = re.sub(r"[^A-Za-z0-9_-]+", "_", Path(image.name).stem) or "image"
        packed = None if image.is_dirty else image.packed_file
        suffix = FORMAT_SUFFIXES.get(image.file_format, ".png")
        path = self._folder / f"{stem}_{len(list(self._folder.iterdir()))}{suffix}"
        try:
            if packed:
                path.write_bytes(packed.data)
            else:
                image.save(filepath=str(path), save_copy=True)
        except RuntimeError as error:  # Blender raises it for every failure
            self.notes.append(f"material '{owner}': its image '{image.name}' is left out: {str(error).strip()}")
            return ""
        return str(path)


def principled(material: bpy.types.Material) -> bpy.types.Node | None:
    nodes = material.node_tree.nodes if material.node_tree is not None else ()
    return next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)


def image_at(socket: bpy.types.NodeSocket) -> bpy.types.Image | None:
    """Return the image of the texture node that is linked directly to the socket; None if there is none."""
    node = socket.links[0].from_node if socket.links else None
    return node.image if node is not None and node.type == "TEX_IMAGE" else None


def _color(values) -> Color:
    red, green, blue, alpha = shortest_all(values)
    return red, green, blue, alpha


def _specular(shader: bpy.types.Node) -> Color | None:
    level = shortest(shader.inputs["Specular IOR Level"].default_value)
    tint = shortest_all(shader.inputs["Specular Tint"].default_value[:3])
    if level == DEFAULT_LEVEL and tint == WHITE:
        return None
    red, green, blue = (significant(level * part) for part in tint)
    return red, green, blue, 1.0


def _emissive(shader: bpy.types.Node) -> Color | None:
    strength = shortest(shader.inputs["Emission Strength"].default_value)
    color = shortest_all(shader.inputs["Emission Color"].default_value[:3])
    red, green, blue = (significant(strength * part) for part in color)
    return (red, green, blue, 1.0) if max(red, green, blue) > 0.0 else None


def new_material(name: str, appearance: Material) -> bpy.types.Material:
    """Return a new Blender material with a given appearance."""
    material = bpy.data.materials.new(name)
    material.use_nodes = True
    if appearance.diffuse:
        material.diffuse_color = appearance.diffuse
    if appearance.ambient:
        material[ids.AMBIENT] = appearance.ambient
    shader = principled(material)
    if shader is None:
        return material
    if appearance.diffuse:
        shader.inputs["Base Color"].default_value = (*appearance.diffuse[:3], 1.0)
        shader.inputs["Alpha"].default_value = appearance.diffuse[3]
    if appearance.specular:
        level = max(appearance.specular[:3])
        shader.inputs["Specular IOR Level"].default_value = level
        tint = [part / level for part in appearance.specular[:3]] if level else WHITE
        shader.inputs["Specular Tint"].default_value = (*tint, 1.0)
    if appearance.emissive:
        shader.inputs["Emission Color"].default_value = (*appearance.emissive[:3], 1.0)
        shader.inputs["Emission Strength"].default_value = 1.0 if any(appearance.emissive[:3]) else 0.0
    if appearance.texture and Path(appearance.texture).is_absolute() and is_image(appearance.texture):
        node = material.node_tree.nodes.new("ShaderNodeTexImage")
        node.image = bpy.data.images.load(appearance.texture, check_existing=True)
        node.location = (-300.0, 300.0)
        material.node_tree.links.new(node.outputs["Color"], shader.inputs["Base Color"])
    return material
