# SPDX-License-Identifier: GPL-3.0-or-later
"""Mirror links and joints in the world's plane x = 0, as new objects."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix

from ....core.model import Joint
from ....core.model.editing.mirroring import (
    mirrored_inertia,
    mirrored_joint,
    mirrored_mimic,
    mirrored_point,
    mirrored_pose,
)
from ....core.spatial import IDENTITY, Pose, compose, inverse, quat_to_mat
from ...props import is_joint, is_link
from ...props.settings import before_bake, joint_settings, link_settings
from ..animation.motion_sources import active_constraints, is_animated, starting_basis
from ..joints.frames import store_frames
from ..joints.moved_frames import joint_frames
from ..joints.read_joints import read_joint
from ..model_objects import objects_present
from ..posing.link_poses import drawn_pose, matrix_of_pose, own_scale, pose_of_matrix, to_array, world_scale
from ..values.fields import MIMIC_FIELDS, write_fields
from ..values.numbers import format_pose, unit_length, units_of
from .write import store_joint

REFLECTION = np.diag([-1.0, 1.0, 1.0, 1.0])
SUFFIX = ".mirrored"
OTHER_SIDE = {"L": "R", "l": "r", "Left": "Right", "left": "right", "LEFT": "RIGHT"}
OTHER_SIDE |= {right: left for left, right in OTHER_SIDE.items()}
SIDE = re.compile(rf"(?<![^\W_])({'|'.join(OTHER_SIDE)})(?![^\W_])")
"""Pattern of a side in a name, such as L or Left, between characters that are neither letters nor digits."""

Object = bpy.types.Object


@dataclass
class Mirrored:
    """The objects that `mirror` made.

    Attributes:
        copies: the mirror image of each object.
        notes: messages for the user.
    """

    copies: dict[Object, Object] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def is_in_the_middle(link: Object) -> bool:
    """Return whether the link's origin lies on the mirror plane, within a millionth of the link's size."""
    x, *_ = drawn_pose(link)
    return abs(x) <= 1e-6 * max(*link.dimensions, 1e-3)


def mirror(links: list[Object], scene: bpy.types.Scene) -> Mirrored:
    """Copy links with all their shapes, and joints, as their mirror images.

    A joint is copied if its child is one of the links, or if it joins a link on the mirror plane to one of them. If the
    other link of a joint is not copied, the copy joins the link with the name of the other side, or else the same link.

    Raises:
        ModelError: if a link or joint cannot be used; nothing is changed then.
    """
    joints = [obj for obj in objects_present(scene) if is_joint(obj) and _is_to_be_copied(obj, links)]
    images = {obj: _Image.of(obj) for link in links for obj in _with_shapes(link, scene)}
    joint_models = {obj: read_joint(obj, scene) for obj in joints}
    mirrored_joints = {obj: mirrored_joint(joint) for obj, joint in joint_models.items()}
    substitutes = {
        end: _substitute(end, links, scene) for obj in joints for end in _ends(obj) if end and end not in links
    }
    frames = {obj: _frames(obj, joint_models[obj], links, substitutes, unit_length(scene)) for obj in joints}
    result = Mirrored()
    result.copies = {obj: _copy(obj, result) for obj in (*images, *joints)}
    for obj, image in images.items():
        image.apply_to(result.copies[obj], result.copies.get(obj.parent) if obj.parent else None)
    for link in links:
        _mirror_link(result.copies[link], images[link].drawn)
    for obj in joints:
        copy = result.copies[obj]
        settings = joint_settings(copy)
        parent, child = _ends(obj)
        settings.parent_node = (result.copies.get(parent) or substitutes[parent]) if parent else None
        settings.child_node = result.copies.get(child) or substitutes[child]
        result.notes += store_joint(mirrored_joints[obj], copy, scene)
        store_frames(copy, *frames[obj])
        if mimic := joint_models[obj].mimic:
            leader = joint_settings(obj).mimic.leader_node
            settings.mimic.leader_node = result.copies.get(leader, leader)
            image = mirrored_mimic(mimic, joint_models[obj], joint_models.get(leader))
            result.notes += write_fields(MIMIC_FIELDS, settings.mimic, image, units_of(scene))
    return result


def _ends(joint: Object) -> tuple[Object | None, Object]:
    settings = joint_settings(joint)
    return settings.parent_node, settings.child_node


def _substitute(link: Object, links: list[Object], scene: bpy.types.Scene) -> Object:
    """Return the link to which the image of a joint is attached if this link is not copied.

    It is the link with the name of the other side, or else this link.
    """
    other = scene.objects.get(flipped_name(link.name))
    if other is None or other in links or not is_link(other) or is_in_the_middle(link):
        return link
    return other


def _with_shapes(link: Object, scene: bpy.types.Scene) -> list[Object]:
    """Return the link and the objects that it carries, without links and joints, parents first."""
    found, here = [link], set(scene.objects)
    for obj in found:
        found += [child for child in obj.children if child in here and not is_link(child) and not is_joint(child)]
    return found


def _is_to_be_copied(joint: Object, links: list[Object]) -> bool:
    settings = joint_settings(joint)
    if settings.child_node in links:
        return True
    return settings.parent_node in links and settings.child_node is not None and is_in_the_middle(settings.child_node)


def _frames(
    obj: Object, joint: Joint, links: list[Object], substitutes: dict[Object, Object], unit: float
) -> tuple[Pose, Pose]:
    """Return X_PJ and X_CJ of the joint's image [Blender units]."""
    X_PJ, X_CJ = joint_frames(obj, joint, unit)
    parent, child = _ends(obj)
    return _image_on(parent, X_PJ, links, substitutes), _image_on(child, X_CJ, links, substitutes)


def _image_on(link: Object | None, X_LJ: Pose, links: list[Object], substitutes: dict[Object, Object]) -> Pose:
    """Return the mirror image of a joint's frame, in the link's copy or in the link that is used instead."""
    if link is None or link in links:
        return mirrored_pose(X_LJ)
    return compose(inverse(drawn_pose(substitutes[link])), mirrored_pose(compose(drawn_pose(link), X_LJ)))


@dataclass
class _Image:
    """The pose of an object's mirror image, computed before anything is changed.

    Attributes:
        drawn: the pose in which a link was drawn [Blender units].
        basis: the object's own transform without animation.
        parent_space: matrix from the space of this transform to the world, shape (4, 4).
        is_animated: whether the object is animated.
    """

    drawn: Pose
    basis: np.ndarray
    parent_space: np.ndarray
    is_animated: bool

    @classmethod
    def of(cls, obj: Object) -> _Image:
        own_scale(obj)  # raises an error if a factor is 0
        drawn = drawn_pose(obj) if is_link(obj) else IDENTITY
        inverse_of_parent = to_array(obj.matrix_parent_inverse)
        parent_space = _matrix_drawn(obj.parent) @ inverse_of_parent if obj.parent else np.eye(4)
        moved = is_animated(obj)
        basis = np.linalg.inv(parent_space) @ _matrix_drawn(obj) if moved else to_array(obj.matrix_basis)
        return cls(drawn, basis, parent_space, moved)

    def apply_to(self, copy: Object, parent: Object | None) -> None:
        """Apply the mirror image to a copy.

        The copy's own transform becomes the image of the object's. The remaining part goes into its parent inverse.
        """
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
            parent_inverse = to_array(copy.matrix_parent_inverse)  # a new parent resets it
            copy.parent = parent
            copy.matrix_parent_inverse = Matrix((parent_inverse @ REFLECTION).tolist())
        else:
            X_WP = _matrix_drawn(copy.parent)
            copy.matrix_parent_inverse = Matrix(
                (np.linalg.inv(X_WP) @ REFLECTION @ self.parent_space @ REFLECTION).tolist()
            )


def _matrix_drawn(obj: Object) -> np.ndarray:
    """Return the object's world matrix in the pose in which the model was drawn, independent of the present frame."""
    if not is_animated(obj):
        return to_array(obj.matrix_world)
    if is_link(obj):
        return matrix_of_pose(drawn_pose(obj)) @ np.diag((*world_scale(obj), 1.0))
    basis = starting_basis(obj)
    return _matrix_drawn(obj.parent) @ to_array(obj.matrix_parent_inverse) @ basis if obj.parent else basis


def _set_basis(obj: Object, basis: np.ndarray) -> None:
    """Set location and rotation, with deltas at zero. The scale keeps its signs."""
    pose = pose_of_matrix(basis, own_scale(obj))
    obj.delta_location = (0.0, 0.0, 0.0)
    obj.delta_rotation_euler, obj.delta_rotation_quaternion = (0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0)
    turn = Matrix(np.reshape(quat_to_mat(pose[3:]), (3, 3)).tolist()).to_quaternion()
    obj.location = pose[:3]
    obj.rotation_quaternion = turn
    obj.rotation_euler = turn.to_euler(obj.rotation_mode if len(obj.rotation_mode) == 3 else "XYZ")
    axis, angle = turn.to_axis_angle()
    obj.rotation_axis_angle = (angle, *axis)


def _copy(obj: Object, result: Mirrored) -> Object:
    """Return a copy of an object with the same data, in the same collections, without animation and constraints.

    Its name is that of the other side.
    """
    constraints = active_constraints(obj)
    if constraints:
        result.notes.append(f"'{obj.name}': its constraint '{constraints[0].name}' is not mirrored")
    copy = obj.copy()
    for collection in obj.users_collection:
        collection.objects.link(copy)
    copy.animation_data_clear()
    copy.constraints.clear()
    wanted = _name_of_image(obj.name)
    copy.name = wanted
    if copy.name != wanted:
        result.notes.append(f"the image of '{obj.name}' is named '{copy.name}', since there is a '{wanted}'")
    return copy


def flipped_name(name: str) -> str:
    """Return the name with left and right exchanged.

    It does this as Blender does for bones, and also for sides within a name, as in arm.L_joint.
    """
    flipped = bpy.utils.flip_name(name)
    return SIDE.sub(lambda found: OTHER_SIDE[found[0]], name) if flipped == name else flipped


def _name_of_image(name: str) -> str:
    flipped = flipped_name(name)
    return flipped if flipped != name else name + SUFFIX


def _mirror_link(copy: Object, drawn: Pose) -> None:
    """Mirror the settings of a link.

    Args:
        drawn: the pose in which the original was drawn.
    """
    settings = link_settings(copy)
    settings.rest_pose = format_pose(mirrored_pose(drawn))
    settings.com = mirrored_point(tuple(settings.com))
    settings.inertia = mirrored_inertia(tuple(settings.inertia))
    settings.name_in_file = settings.name_here = ""
    before = before_bake(copy)
    before.is_kept, before.numbers, before.action, before.slot = False, "", None, ""
