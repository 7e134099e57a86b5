# SPDX-License-Identifier: GPL-3.0-or-later
"""COLLADA 1.4 and 1.5: the geometry of the scene, converted to metres with Z up according to <asset>.

Skins are read in the pose in which they were bound, since no code here moves bones.
Source: Khronos Group, COLLADA Digital Asset Schema Release 1.4.1 (2008), chapter 5.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..files.errors import UnreadableError
from ..files.resources import FilesBeside
from ..files.xml import Element, parse
from ..spatial import cos_sin, quat_to_mat
from ..spatial.arrays import matmul, norm
from .errors import MeshFileError
from .parts import MeshPart, cut_polygons, placed

UP = {
    "X_UP": [[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]],
    "Y_UP": [[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]],
    "Z_UP": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
}
"""Rotations from the file's axes to those with Z up, by <up_axis>."""

MAX_INSTANCES = 100_000
"""Largest number of nodes that a scene may show. Nodes that show other nodes can multiply."""


def read_collada(data: bytes, _files: FilesBeside) -> list[MeshPart]:
    """Return the meshes of the scene, one for each instance.

    Raises:
        MeshFileError: if the file is not COLLADA, or breaks its rules.
    """
    try:
        root = parse(data.rstrip(b"\0"))  # some exporters pad the last block with zeros
    except UnreadableError as error:
        raise MeshFileError(f"{error.message}" + (f" (line {error.line})" if error.line else "")) from error
    if root.tag != "COLLADA":
        raise MeshFileError(f"it is no COLLADA: its root is <{root.tag}>; export it again")
    document = _Document(root)
    return [placed(part, matrix) for part, matrix in document.shown(_global_matrix(root))]


def _global_matrix(root: Element) -> np.ndarray:
    """Return the matrix from the file's unit and axes to metres with Z up, shape (4, 4)."""
    unit, up = root.child("asset", "unit"), root.child("asset", "up_axis")
    metres = _floats(unit.attributes.get("meter", "1"), unit)[0] if unit is not None else 1.0
    matrix = np.eye(4)
    matrix[:3, :3] = metres * np.array(UP.get(up.text if up is not None else "Y_UP", UP["Y_UP"]))
    return matrix


class _Document:
    """The elements of a document by tag and id, and the meshes that were read.

    The tag is part of the key, since exporters may give a node the id of its scene.
    """

    def __init__(self, root: Element):
        self.root = root
        self.by_id = {
            (element.tag, element.attributes["id"]): element for element in root.walk() if "id" in element.attributes
        }
        self._meshes: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        self._shown = 0

    def shown(self, above: np.ndarray) -> Iterator[tuple[MeshPart, np.ndarray]]:
        """Yield each mesh with the matrix that places it, shape (4, 4)."""
        instance = self.root.child("scene", "instance_visual_scene")
        scene = (
            self._named(instance, "visual_scene")
            if instance is not None
            else self.root.child("library_visual_scenes", "visual_scene")
        )
        if scene is None:  # without a scene, all meshes of the libraries are shown
            for library in self.root.all("library_geometries"):
                for geometry in library.all("geometry"):
                    yield self._part(geometry, ()), above
            return
        for node in scene.all("node"):
            yield from self._node(node, above, ())

    def _node(
        self, node: Element, above: np.ndarray, around: tuple[Element, ...]
    ) -> Iterator[tuple[MeshPart, np.ndarray]]:
        self._shown += 1
        if node in around or self._shown > MAX_INSTANCES:
            raise MeshFileError(f"line {node.line}: nodes contain each other, or show too much; export it again")
        matrix = above
        for child in node.children:
            if child.tag in _TRANSFORMS:
                matrix = matmul(matrix, _TRANSFORMS[child.tag](child))
        names = tuple(node.attributes[key] for key in ("name", "id") if key in node.attributes)
        for child in node.children:
            if child.tag == "instance_geometry":
                yield self._part(self._named(child, "geometry"), names), matrix
            elif child.tag == "instance_controller":
                skin = self._named(child, "controller").child("skin")
                if skin is not None:
                    bound = skin.child("bind_shape_matrix")
                    own = _matrix(bound) if bound is not None else np.eye(4)
                    yield self._part(self._named(skin, "geometry", "source"), names), matmul(matrix, own)
            elif child.tag == "instance_node":
                yield from self._node(self._named(child, "node"), matrix, (*around, node))
            elif child.tag == "node":
                yield from self._node(child, matrix, (*around, node))

    def _named(self, at: Element, tag: str, attribute: str = "url") -> Element:
        """Return the element with a tag that an attribute such as url="#id" names."""
        name = at.attributes.get(attribute, "")
        found = self.by_id.get((tag, name.removeprefix("#")))
        if found is None:
            raise MeshFileError(
                f"line {at.line}: <{at.tag}> names '{name}', which is not in the file; export it again, all in one file"
            )
        return found

    def _part(self, geometry: Element, names: tuple[str, ...]) -> MeshPart:
        if id(geometry) not in self._meshes:
            self._meshes[id(geometry)] = self._mesh(geometry)
        own = tuple(geometry.attributes[key] for key in ("name", "id") if key in geometry.attributes)
        return MeshPart(tuple(dict.fromkeys((*names, *own))), *self._meshes[id(geometry)])

    def _mesh(self, geometry: Element) -> tuple[np.ndarray, np.ndarray]:
        """Return the vertices and triangles of a geometry; none if it has splines only."""
        mesh = geometry.child("mesh")
        vertices, triangles, before = [np.zeros((0, 3))], [np.zeros((0, 3), np.int64)], 0
        for primitive in mesh.children if mesh is not None else ():
            if primitive.tag in _POLYGONS:
                counts, numbers, points = self._polygons(primitive)
                triangles.append(cut_polygons(counts, numbers, points) + before)
                vertices.append(points)
                before += len(points)
        return np.vstack(vertices), np.vstack(triangles)

    def _polygons(self, primitive: Element) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the number of corners of each polygon, their vertex numbers in turn, and the vertices."""
        inputs = list(primitive.all("input"))
        vertex = next((each for each in inputs if each.attributes.get("semantic") == "VERTEX"), None)
        if vertex is None:
            raise MeshFileError(f"line {primitive.line}: <{primitive.tag}> has no input VERTEX; export it again")
        positions = self._named(vertex, "vertices", "source")
        position = next(
            (each for each in positions.all("input") if each.attributes.get("semantic") == "POSITION"), None
        )
        if position is None:
            raise MeshFileError(f"line {positions.line}: <vertices> has no input POSITION; export it again")
        points = self._source(self._named(position, "source", "source"))
        offset = _whole(vertex, "offset", 0)
        stride = 1 + max(_whole(each, "offset", 0) for each in inputs)
        counts, numbers = _POLYGONS[primitive.tag](primitive, stride, offset)
        return counts, numbers, points

    def _source(self, source: Element) -> np.ndarray:
        """Return the rows of three numbers that a <source> has, shape (n, 3)."""
        accessor = source.child("technique_common", "accessor")
        array = source.child("float_array")
        if accessor is None or array is None:
            raise MeshFileError(f"line {source.line}: <source> has no accessor or no float_array; export it again")
        values = np.array(_floats(array.text, array))
        count, stride, offset = (
            _whole(accessor, key, default) for key, default in (("count", 0), ("stride", 1), ("offset", 0))
        )
        if stride < 3 or offset + count * stride > len(values):
            raise MeshFileError(
                f"line {accessor.line}: <accessor> asks for {count} rows of {stride} numbers from {offset} on, and the "
                f"array has {len(values)}; export it again"
            )
        return values[offset : offset + count * stride].reshape(count, stride)[:, :3]


def _triangles(primitive: Element, stride: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    numbers = _numbers(primitive, stride)[:, offset]
    return np.full(len(numbers) // 3, 3), numbers[: len(numbers) // 3 * 3]


def _polylist(primitive: Element, stride: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    counted, numbers = primitive.child("vcount"), _numbers(primitive, stride)[:, offset]
    counts = np.array(_wholes(counted), np.int64) if counted is not None else np.zeros(0, np.int64)
    if counts.sum() != len(numbers) or (counts < 0).any():
        raise MeshFileError(
            f"line {primitive.line}: <vcount> counts {counts.sum()} corners, and <p> has {len(numbers)}; export again"
        )
    return counts, numbers


def _polygons(primitive: Element, stride: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    outlines = [*primitive.all("p"), *(outline for holed in primitive.all("ph") for outline in holed.all("p"))]
    rows = [_rows(outline, stride)[:, offset] for outline in outlines]
    return np.array([len(row) for row in rows], np.int64), np.concatenate([np.zeros(0, np.int64), *rows])


def _strips(primitive: Element, stride: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    found = []
    for strip in primitive.all("p"):
        row = _rows(strip, stride)[:, offset]
        corners = np.stack([row[:-2], row[1:-1], row[2:]], axis=1) if len(row) > 2 else np.zeros((0, 3), np.int64)
        corners[1::2] = corners[1::2, [1, 0, 2]]
        found.append(corners.ravel())
    numbers = np.concatenate([np.zeros(0, np.int64), *found])
    return np.full(len(numbers) // 3, 3), numbers


def _fans(primitive: Element, stride: int, offset: int) -> tuple[np.ndarray, np.ndarray]:
    found = []
    for fan in primitive.all("p"):
        row = _rows(fan, stride)[:, offset]
        found += [row[[0, k, k + 1]] for k in range(1, len(row) - 1)]
    numbers = np.concatenate([np.zeros(0, np.int64), *found])
    return np.full(len(numbers) // 3, 3), numbers


_POLYGONS = {
    "triangles": _triangles,
    "polylist": _polylist,
    "polygons": _polygons,
    "tristrips": _strips,
    "trifans": _fans,
}
"""Functions from a primitive, the stride and the offset of its vertices to the corners and their vertex numbers."""


def _numbers(primitive: Element, stride: int) -> np.ndarray:
    indices = primitive.child("p")
    return _rows(indices, stride) if indices is not None else np.zeros((0, stride), np.int64)


def _rows(indices: Element, stride: int) -> np.ndarray:
    numbers = np.array(_wholes(indices), np.int64)
    if len(numbers) % stride:
        raise MeshFileError(
            f"line {indices.line}: <p> has {len(numbers)} numbers, no multiple of {stride}; export it again"
        )
    return numbers.reshape(-1, stride)


def _wholes(at: Element) -> list[int]:
    try:
        return [int(word) for word in at.text.split()]
    except ValueError as error:
        raise MeshFileError(f"line {at.line}: <{at.tag}> must hold whole numbers ({error}); export it again") from error


def _whole(at: Element, attribute: str, default: int) -> int:
    text = at.attributes.get(attribute, str(default))
    if not text.strip().isdecimal() or len(text) > 18:
        raise MeshFileError(f"line {at.line}: {attribute} is '{text}'; it must be a whole number")
    return int(text)


def _floats(text: str, at: Element) -> list[float]:
    try:
        found = [float(word) for word in text.split()]
    except ValueError as error:
        raise MeshFileError(f"line {at.line}: <{at.tag}> must hold numbers ({error}); export it again") from error
    if not found:
        raise MeshFileError(f"line {at.line}: <{at.tag}> has no numbers; export it again")
    return found


def _given(at: Element, count: int) -> np.ndarray:
    found = _floats(at.text, at)
    if len(found) != count:
        raise MeshFileError(f"line {at.line}: <{at.tag}> has {len(found)} numbers; it takes {count}")
    return np.array(found)


def _matrix(at: Element) -> np.ndarray:
    return _given(at, 16).reshape(4, 4)


def _translate(at: Element) -> np.ndarray:
    matrix = np.eye(4)
    matrix[:3, 3] = _given(at, 3)
    return matrix


def _scale(at: Element) -> np.ndarray:
    return np.diag([*_given(at, 3), 1.0])


def _rotate(at: Element) -> np.ndarray:
    x, y, z, degrees = _given(at, 4).tolist()
    length = float(norm(np.array([x, y, z])))
    matrix = np.eye(4)
    if length > 0.0:
        c, s = cos_sin(0.5 * np.pi / 180.0 * degrees)
        matrix[:3, :3] = np.reshape(quat_to_mat((c, s * x / length, s * y / length, s * z / length)), (3, 3))
    return matrix


def _look_at(at: Element) -> np.ndarray:
    eye, target, up = _given(at, 9).reshape(3, 3)
    back = eye - target
    right = np.cross(up, back)
    if not (norm(back) > 0.0 and norm(right) > 0.0):
        raise MeshFileError(f"line {at.line}: <lookat> has no direction; export it again")
    back, right = back / norm(back), right / norm(right)
    matrix = np.eye(4)
    matrix[:3] = np.column_stack([right, np.cross(back, right), back, eye])
    return matrix


_TRANSFORMS = {"matrix": _matrix, "translate": _translate, "scale": _scale, "rotate": _rotate, "lookat": _look_at}
"""Functions from an element of a node to its matrix, shape (4, 4)."""
