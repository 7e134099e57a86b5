# SPDX-License-Identifier: GPL-3.0-or-later
"""Read skinned characters from the frames of a scene, as core's `Character`, for files that play them alone.

Meshes are read in the rest position of their armature, modifiers applied, as the Armature modifier gets them. In each
frame, the points of linear blend skinning are compared with those that Blender shows, so that whatever a skeleton and
weights cannot express is measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix

from ....core.characters.skins import REPORTED_DISTANCE, Character, Skeleton, Skin, influences, transformed
from ....core.spatial.arrays import det, inverse, matmul, norm
from ...nodes import Node, armature_bones, model_name, owner_of, parts_among
from ...props import carrier_of, is_link
from ..meshes.meshes import data_of
from ..model_objects import nodes_present
from ..posing.link_poses import to_array
from ..values.materials import MaterialReader
from ..values.numbers import significant, unit_length
from .bound_meshes import armatures_of, meshes_bound_to, weights_of
from .rest_skins import at_rest

LEAST_TOTAL = 1e-4
"""Sum of the weights of a vertex up to which the Armature modifier does not move it. Source: `armature_deform.cc` of
Blender, `contrib_threshold`."""


def meshes_by_armature(links: Iterable[Node], scene: bpy.types.Scene) -> dict[bpy.types.Object, list[bpy.types.Object]]:
    """Return the meshes that become skins, by their armature: visible meshes that are not shapes of links.

    Of the armatures that deform a mesh, the first one with bones among the links has it.

    Args:
        links: those of the scene; armatures without a bone among them are left out.
    """
    found: dict[bpy.types.Object, list[bpy.types.Object]] = {}
    taken: set[bpy.types.Object] = set()
    for armature in dict.fromkeys(map(owner_of, parts_among(links))):
        bound = [obj for obj in _visible_meshes(armature, scene) if obj not in taken and carrier_of(obj) is None]
        if bound and deforming_bones(armature)[0]:
            found[armature] = bound
            taken.update(bound)
    return found


def _visible_meshes(armature: bpy.types.Object, scene: bpy.types.Scene) -> list[bpy.types.Object]:
    return [obj for obj in meshes_bound_to(armature, scene) if obj.visible_get()]


def _rigid_meshes(armatures: Iterable[bpy.types.Object], scene: bpy.types.Scene) -> Iterator[str]:
    """Yield a line for each visible mesh that an armature deforms and that is a shape of a link, so not a skin."""
    for obj in dict.fromkeys(obj for armature in armatures for obj in _visible_meshes(armature, scene)):
        if carrier := carrier_of(obj):
            link = model_name(carrier)
            yield f"object '{obj.name}' is a shape of link '{link}', and is written as rigid, not as a skin"


@dataclass(eq=False)
class _Mesh:
    """A mesh that follows an armature.

    Attributes:
        skin: as the first frame has it.
        largest_distance: the largest so far between its points and those that Blender shows [m].
        moves_separately: whether its origin has moved relative to the armature.
        changes: whether its number of points has changed.
    """

    obj: bpy.types.Object
    skin: Skin
    largest_distance: float = 0.0
    moves_separately: bool = False
    changes: bool = False


@dataclass(eq=False)
class _Rig:
    """An armature, its deforming bones, parents first, and what was read of it.

    Attributes:
        size: metres per unit of the armature's axes, from its scale and the scene's unit.
        bind: as that of `Skeleton`. places, poses: likewise, of the frames so far.
    """

    obj: bpy.types.Object
    bones: list[str]
    parents: list[int]
    size: float
    bind: np.ndarray
    meshes: list[_Mesh] = field(default_factory=list)
    places: list[np.ndarray] = field(default_factory=list)
    poses: list[np.ndarray] = field(default_factory=list)


class SkinRecorder:
    """Records skinned characters. It is called with the dependency graph of each frame, the first one first."""

    def __init__(self, scene: bpy.types.Scene):
        """Find the armatures that have bones among the links, with their meshes.

        Args:
            scene: the scene that is recorded.
        """
        self._unit = unit_length(scene)
        links = [node for node in nodes_present(scene) if is_link(node)]
        self._meshes = meshes_by_armature(links, scene)
        self._rigid = list(_rigid_meshes(map(owner_of, parts_among(links)), scene))
        self._materials = MaterialReader()
        self._rigs: list[_Rig] | None = None

    def __call__(self, depsgraph: bpy.types.Depsgraph) -> None:
        """Record a frame."""
        if self._rigs is None:
            self._rigs = [self._rig(armature, meshes, depsgraph) for armature, meshes in self._meshes.items()]
        for rig in self._rigs:
            shown = rig.obj.evaluated_get(depsgraph)
            rig.places.append(_in_metres(to_array(shown.matrix_world), rig.size, self._unit))
            rig.poses.append(_poses_of(shown, rig.bones, rig.size))
            for mesh in rig.meshes:
                self._compare(mesh, rig, depsgraph)

    def motions(self) -> list[np.ndarray]:
        """Return the transforms of each armature, shape (F, 4, 4), and of its bones, shape (F, n, 4, 4)."""
        return [np.array(each) for rig in self._rigs or () for each in (rig.places, rig.poses)]

    def characters(self, count: int) -> list[Character]:
        """Return what was recorded in the first frames. count: of these frames."""
        found = []
        for rig in self._rigs or ():
            places, poses = np.array(rig.places[:count]), np.array(rig.poses[:count])
            skeleton = Skeleton(rig.obj.name, tuple(rig.bones), tuple(rig.parents), rig.bind, poses, places)
            found.append(Character(skeleton, tuple(mesh.skin for mesh in rig.meshes)))
        return found

    @property
    def losses(self) -> list[str]:
        """A line for each mesh that Blender shows differently, with what changes it there."""
        pairs = [(mesh, rig) for rig in self._rigs or () for mesh in rig.meshes]
        lines = [_loss(*pair) for pair in pairs if pair[0].changes or pair[0].largest_distance > REPORTED_DISTANCE]
        return [*self._rigid, *lines]

    def _rig(self, armature: bpy.types.Object, meshes: list[bpy.types.Object], depsgraph: bpy.types.Depsgraph) -> _Rig:
        """Read an armature and its meshes at rest. The dependency graph shows the first frame, also at the end."""
        place = to_array(armature.evaluated_get(depsgraph).matrix_world)
        size = self._unit * _size_of(place)
        bones, parents = deforming_bones(armature)
        bind = np.array([_bone_pose(_data_of(armature).bones[name].matrix_local, size) for name in bones])
        rig = _Rig(armature, bones, parents, size, bind.reshape(-1, 4, 4))
        matrices = [to_array(obj.evaluated_get(depsgraph).matrix_world) for obj in meshes]
        layer = depsgraph.view_layer
        assert layer is not None  # a dependency graph is made for one
        with at_rest(armature, layer):
            for obj, matrix in zip(meshes, matrices, strict=True):
                in_armature = matmul(inverse(place), matrix)
                rig.meshes.append(_Mesh(obj, self._skin(obj, rig, in_armature, _size_of(matrix), depsgraph)))
        return rig

    def _skin(
        self, obj: bpy.types.Object, rig: _Rig, matrix: np.ndarray, scale: float, depsgraph: bpy.types.Depsgraph
    ) -> Skin:
        """Return a mesh at rest, modifiers applied, with its weights.

        Args:
            matrix: from the axes of the mesh to those of the armature, shape (4, 4).
            scale: of the mesh in the world.
        """
        shown = obj.evaluated_get(depsgraph)
        mesh = shown.to_mesh()
        data = data_of(mesh)
        vertices, names, weights = weights_of(mesh, obj, rig.obj)
        number_of = {name: number for number, name in enumerate(rig.bones)}
        numbers = np.array([number_of[name] for name in names], dtype=np.int64)
        totals = np.bincount(vertices, weights, len(data.vertices))[vertices]
        has_bones = totals > LEAST_TOTAL
        mask = _mask_of(mesh, obj, rig.obj)
        shares = weights[has_bones] / totals[has_bones] * mask[vertices[has_bones]]
        bones, weights = influences(len(data.vertices), vertices[has_bones], numbers[has_bones], shares)
        shown.to_mesh_clear()
        size = self._unit * scale
        slots = [slot.material for slot in obj.material_slots if slot.material]
        color = self._materials.read(slots[0]).diffuse if slots else None
        return Skin(
            obj.name,
            size * data.vertices,
            np.diff(np.append(data.starts, len(data.corners))),
            data.corners,
            _in_metres(matrix, size, rig.size),
            bones,
            weights,
            data.uvs,
            color[:3] if color else None,
        )

    def _compare(self, mesh: _Mesh, rig: _Rig, depsgraph: bpy.types.Depsgraph) -> None:
        """Compare the points of a skin in the last frame with those that Blender shows."""
        shown = mesh.obj.evaluated_get(depsgraph)
        evaluated = shown.to_mesh()
        points = np.empty(3 * len(evaluated.vertices), dtype=np.float32)
        evaluated.vertices.foreach_get("co", points)
        shown.to_mesh_clear()
        if len(points) != mesh.skin.points.size:
            mesh.changes = True
            return
        matrix = to_array(shown.matrix_world)
        expected = self._unit * transformed(matrix, points.reshape(-1, 3).astype(np.float64))
        found = transformed(rig.places[-1], mesh.skin.points_at(rig.bind, rig.poses[-1]))
        mesh.largest_distance = max(mesh.largest_distance, float(norm(found - expected).max(initial=0.0)))
        origin = transformed(rig.places[-1], mesh.skin.place[None, :3, 3])[0]
        mesh.moves_separately |= bool(np.abs(self._unit * matrix[:3, 3] - origin).max() > REPORTED_DISTANCE)


def deforming_bones(armature: bpy.types.Object) -> tuple[list[str], list[int]]:
    """Return the names of the bones that deform meshes, parents first, and the number of the bone above each.

    It is -1 for a bone below none of them. Blender lists the bones of an armature's data after their parents.
    """
    numbers: dict[str, int] = {}
    parents = []
    for bone in _data_of(armature).bones:
        if bone.use_deform:
            above = bone.parent
            while above is not None and above.name not in numbers:
                above = above.parent
            parents.append(numbers[above.name] if above is not None else -1)
            numbers[bone.name] = len(numbers)
    return list(numbers), parents


def _poses_of(shown: bpy.types.Object, bones: list[str], size: float) -> np.ndarray:
    """Return the poses of bones in the skeleton's space [m], shape (n, 4, 4). size: metres per unit of the armature."""
    pose = shown.pose
    assert pose is not None  # the object is an armature
    return np.array([_bone_pose(pose.bones[name].matrix, size) for name in bones]).reshape(-1, 4, 4)


def _bone_pose(matrix: Matrix, size: float) -> np.ndarray:
    """Return the matrix of a bone with its position in metres, shape (4, 4). size: metres per unit of the armature."""
    found = to_array(matrix)
    found[:3, 3] *= size
    return found


def _data_of(armature: bpy.types.Object) -> bpy.types.Armature:
    data = armature.data
    assert isinstance(data, bpy.types.Armature)
    return data


def _in_metres(matrix: np.ndarray, inner: float, outer: float) -> np.ndarray:
    """Return a transform with metres as the unit of both of its spaces, shape (4, 4).

    Args:
        inner: metres per unit of the space from which it leads. outer: of that to which it leads.
    """
    found = matrix.copy()
    found[:3, :3] *= outer / inner
    found[:3, 3] *= outer
    return found


def _size_of(matrix: np.ndarray) -> float:
    """Return the mean scale of a transform, to six digits and not negative; 1 if it makes all things flat."""
    return significant(abs(float(det(matrix[:3, :3]))) ** (1.0 / 3.0)) or 1.0


def _modifiers_of(obj: bpy.types.Object, armature: bpy.types.Object) -> list[bpy.types.ArmatureModifier]:
    found = [each for each in obj.modifiers if isinstance(each, bpy.types.ArmatureModifier) and each.show_viewport]
    return [modifier for modifier in found if modifier.object == armature]


def _mask_of(mesh: bpy.types.Mesh, obj: bpy.types.Object, armature: bpy.types.Object) -> np.ndarray:
    """Return by how much an armature deforms each vertex: the vertex group of its modifier, shape (vertices,)."""
    mask = np.ones(len(mesh.vertices))
    for modifier in _modifiers_of(obj, armature):
        group = obj.vertex_groups.get(modifier.vertex_group)
        if group is None:
            continue
        own = np.zeros(len(mask))
        for vertex in mesh.vertices:
            own[vertex.index] = next((each.weight for each in vertex.groups if each.group == group.index), 0.0)
        mask *= 1.0 - own if modifier.invert_vertex_group else own
    return mask


def _loss(mesh: _Mesh, rig: _Rig) -> str:
    """Return the line about a mesh that Blender shows differently."""
    causes = ", ".join(_causes(mesh, rig))
    subject = f"object '{mesh.obj.name}'"
    if mesh.changes:
        words = "its number of points changes, which a skin cannot express; the skin has the points of the first frame"
        return f"{subject}: {words}"
    far = f"its skin, linear in USD, is up to {mesh.largest_distance:.2g} m from where Blender shows it"
    return f"{subject}: {far}; left out: {causes}" if causes else f"{subject}: {far}"


def _causes(mesh: _Mesh, rig: _Rig) -> list[str]:
    """Return what may change a mesh beyond linear blend skinning, by the names of Blender."""
    obj, found = mesh.obj, []
    modifiers = _modifiers_of(obj, rig.obj)
    if any(modifier.use_deform_preserve_volume for modifier in modifiers):
        found.append("Preserve Volume")
    if any(modifier.use_bone_envelopes for modifier in modifiers):
        found.append("Bone Envelopes")
    if any(bone.bone.bbone_segments > 1 for bone in armature_bones(rig.obj) if bone.bone.use_deform):
        found.append("bendy bones")
    if getattr(obj.data, "shape_keys", None):
        found.append("changes of shape keys")
    others = [each for each in obj.modifiers if each.show_viewport and each not in modifiers]
    found += [f"modifier '{each.name}'" for each in others if each.type != "ARMATURE"]
    found += [f"armature '{other.name}'" for other in armatures_of(obj) if other != rig.obj]
    if mesh.moves_separately:
        found.append("its own motion beside that of the armature")
    return found
