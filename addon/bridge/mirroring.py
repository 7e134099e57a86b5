# SPDX-License-Identifier: GPL-3.0-or-later
"""Copies of links and joints as a mirror in the world's plane x = 0 shows them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix

from ...core.model import Joint
from ...core.model.mirroring import mirrored_inertia, mirrored_joint, mirrored_mimic, mirrored_point, mirrored_pose
from ...core.spatial import IDENTITY, Pose, compose, inverse, quat_to_mat
from .. import ids
from ..props import is_joint, is_link
from .fields import MIMIC_FIELDS, write_fields
from .following import joint_frames
from .frames import store_frames
from .motion import active_constraints, is_animated, starting_basis
from .numbers import format_pose, unit_length, units_of
from .poses import drawn_pose, matrix_of_pose, own_scale, pose_of_matrix, to_array, world_scale
from .present import objects_present
from .read_joints import read_joint
from .write import store_joint

S = np.diag([-1.0, 1.0, 1.0, 1.0])
SUFFIX = ".mirrored"
OTHER_SIDE = {"L": "R", "l": "r", "Left": "Right", "left": "right", "LEFT": "RIGHT"}
OTHER_SIDE |= {right: left for left, right in OTHER_SIDE.items()}
SIDE = re.compile(rf"(?<![^\W_])({'|'.join(OTHER_SIDE)})(?![^\W_])")
"""A side that stands by itself, between anything but letters and digits."""

Object = bpy.types.Object


@dataclass
class Mirrored:
    """What was made. copies: of each object, its image. notes: what the user should know."""

    copies: dict[Object, Object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_in_the_middle(link: Object) -> bool:
    """Whether the link's origin lies on the plane, within a millionth of its size."""
    x, *_ = drawn_pose(link)
    return abs(x) <= 1e-6 * max(*link.dimensions, 1e-3)


def mirror(links: list[Object], scene: bpy.types.Scene) -> Mirrored:
    """Copy the links with all their shapes, and the joints whose child is one of them, or that hold one to a link of
    the middle. Where a joint's other link has no copy, its namesake of the other side serves, or else it serves both.

    Raises:
        ModelError: a link or joint cannot be used; nothing is changed.
    """
    joints = [obj for obj in objects_present(scene) if is_joint(obj) and _is_to_be_copied(obj, links)]
    images = {obj: _Image.of(obj) for link in links for obj in _with_shapes(link, scene)}
    known = {obj: read_joint(obj, scene) for obj in joints}
    changed = {obj: mirrored_joint(joint) for obj, joint in known.items()}
    serving = {end: _serving(end, links, scene) for obj in joints for end in _ends(obj) if end and end not in links}
    frames = {obj: _frames(obj, known[obj], links, serving, unit_length(scene)) for obj in joints}
    done = Mirrored()
    done.copies = {obj: _copy(obj, done) for obj in (*images, *joints)}
    for obj, image in images.items():
        image.put(done.copies[obj], done.copies.get(obj.parent) if obj.parent else None)
    for link in links:
        _mirror_link(done.copies[link], images[link].drawn)
    for obj in joints:
        copy = done.copies[obj]
        settings = getattr(copy, ids.JOINT)
        parent, child = _ends(obj)
        settings.parent = (done.copies.get(parent) or serving[parent]) if parent else None
        settings.child = done.copies.get(child) or serving[child]
        done.notes += store_joint(changed[obj], copy, scene)
        store_frames(copy, *frames[obj])
        if mimic := known[obj].mimic:
            leader = getattr(obj, ids.JOINT).mimic.leader
            settings.mimic.leader = done.copies.get(leader, leader)
            image = mirrored_mimic(mimic, known[obj], known.get(leader))
            done.notes += write_fields(MIMIC_FIELDS, settings.mimic, image, units_of(scene))
    return done


def _ends(joint: Object) -> tuple[Object | None, Object]:
    settings = getattr(joint, ids.JOINT)
    return settings.parent, settings.child


def _serving(link: Object, links: list[Object], scene: bpy.types.Scene) -> Object:
    """The link that the image of a joint hangs on where this one is not copied: that of the other side, or itself."""
    other = scene.objects.get(flipped_name(link.name))
    if other is None or other in links or not is_link(other) or is_in_the_middle(link):
        return link
    return other


def _with_shapes(link: Object, scene: bpy.types.Scene) -> list[Object]:
    """The link and what it carries that is neither a link nor a joint, parents first."""
    found, here = [link], set(scene.objects)
    for obj in found:
        found += [child for child in obj.children if child in here and not is_link(child) and not is_joint(child)]
    return found


def _is_to_be_copied(joint: Object, links: list[Object]) -> bool:
    settings = getattr(joint, ids.JOINT)
    if settings.child in links:
        return True
    return settings.parent in links and settings.child is not None and is_in_the_middle(settings.child)


def _frames(
    obj: Object, joint: Joint, links: list[Object], serving: dict[Object, Object], unit: float
) -> tuple[Pose, Pose]:
    """X_PJ and X_CJ [Blender units] of the joint's image."""
    X_PJ, X_CJ = joint_frames(obj, joint, unit)
    parent, child = _ends(obj)
    return _image_on(parent, X_PJ, links, serving), _image_on(child, X_CJ, links, serving)


def _image_on(link: Object | None, X_LJ: Pose, links: list[Object], serving: dict[Object, Object]) -> Pose:
    """Of a joint's frame in the link, in the link's copy, or in the one that serves in its stead."""
    if link is None or link in links:
        return mirrored_pose(X_LJ)
    return compose(inverse(drawn_pose(serving[link])), mirrored_pose(compose(drawn_pose(link), X_LJ)))


@dataclass
class _Image:
    """Where an object's image stands, found before anything is changed.

    Attributes:
        drawn: the pose of a link as it was drawn [Blender units].
        basis: the object's own transform without animation. carried: the matrix in the world that it stands in.
    """

    drawn: Pose
    basis: np.ndarray
    carried: np.ndarray
    is_animated: bool

    @classmethod
    def of(cls, obj: Object) -> _Image:
        own_scale(obj)  # raises where it is zero
        drawn = drawn_pose(obj) if is_link(obj) else IDENTITY
        inverse_of_parent = to_array(obj.matrix_parent_inverse)
        carried = _matrix_drawn(obj.parent) @ inverse_of_parent if obj.parent else np.eye(4)
        moved = is_animated(obj)
        basis = np.linalg.inv(carried) @ _matrix_drawn(obj) if moved else to_array(obj.matrix_basis)
        return cls(drawn, basis, carried, moved)

    def put(self, copy: Object, parent: Object | None) -> None:
        """The copy's own transform is the image of the object's; what carries it takes the rest."""
        if self.is_animated:
            _set_basis(copy, self.basis)
        copy.location.x *= -1.0
        copy.delta_location.x *= -1.0
        for name in ("rotation_euler", "delta_rotation_euler"):
            x, y, z = getattr(copy, name)
            setattr(copy, name, (x, -y, -z))
        for name in ("rotation_quaternion", "delta_rotation_quaternion"):
            w, x, y, z = getattr(copy, name)
            setattr(copy, name, (w, x, -y, -z))
        angle, x, y, z = copy.rotation_axis_angle
        copy.rotation_axis_angle = (angle, x, -y, -z)
        copy.scale.x *= -1.0
        if copy.parent is None:
            return
        if parent is not None:
            held = to_array(copy.matrix_parent_inverse)  # which a new parent resets
            copy.parent = parent
            copy.matrix_parent_inverse = Matrix((held @ S).tolist())
        else:
            X_WP = _matrix_drawn(copy.parent)
            copy.matrix_parent_inverse = Matrix((np.linalg.inv(X_WP) @ S @ self.carried @ S).tolist())


def _matrix_drawn(obj: Object) -> np.ndarray:
    """The object's matrix in the world as the model was drawn, wherever an animation has it now."""
    if not is_animated(obj):
        return to_array(obj.matrix_world)
    if is_link(obj):
        return matrix_of_pose(drawn_pose(obj)) @ np.diag((*world_scale(obj), 1.0))
    basis = starting_basis(obj)
    return _matrix_drawn(obj.parent) @ to_array(obj.matrix_parent_inverse) @ basis if obj.parent else basis


def _set_basis(obj: Object, basis: np.ndarray) -> None:
    """Location and rotation without deltas; the scale stays, with its signs."""
    pose = pose_of_matrix(basis, own_scale(obj))
    obj.delta_location = (0.0, 0.0, 0.0)
    obj.delta_rotation_euler, obj.delta_rotation_quaternion = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    turn = Matrix(np.reshape(quat_to_mat(pose[3:]), (3, 3)).tolist()).to_quaternion()
    obj.location = pose[:3]
    obj.rotation_quaternion = turn
    obj.rotation_euler = turn.to_euler(obj.rotation_mode if len(obj.rotation_mode) == 3 else "XYZ")
    axis, angle = turn.to_axis_angle()
    obj.rotation_axis_angle = (angle, *axis)


def _copy(obj: Object, done: Mirrored) -> Object:
    """In the same collections, showing the same data, under the other side's name, and without animation."""
    constraints = active_constraints(obj)
    if constraints:
        done.notes.append(f"'{obj.name}': its constraint '{constraints[0].name}' is not mirrored")
    copy = obj.copy()
    for collection in obj.users_collection:
        collection.objects.link(copy)
    copy.animation_data_clear()
    copy.constraints.clear()
    wanted = _name_of_image(obj.name)
    copy.name = wanted
    if copy.name != wanted:
        done.notes.append(f"the image of '{obj.name}' is named '{copy.name}', since there is a '{wanted}'")
    return copy


def flipped_name(name: str) -> str:
    """As Blender flips the names of bones, and also where the side stands within the name, as in arm.L_joint."""
    flipped = bpy.utils.flip_name(name)
    return SIDE.sub(lambda found: OTHER_SIDE[found[0]], name) if flipped == name else flipped


def _name_of_image(name: str) -> str:
    flipped = flipped_name(name)
    return flipped if flipped != name else name + SUFFIX


def _mirror_link(copy: Object, drawn: Pose) -> None:
    """drawn: the pose of the link that was copied."""
    settings = getattr(copy, ids.LINK)
    settings.rest_pose = format_pose(mirrored_pose(drawn))
    settings.com = mirrored_point(tuple(settings.com))
    settings.inertia = mirrored_inertia(tuple(settings.inertia))
    settings.name_in_file = settings.name_here = ""
    before = getattr(copy, ids.BEFORE)
    before.is_kept, before.numbers, before.action, before.slot = False, "", None, ""
