# SPDX-License-Identifier: GPL-3.0-or-later
"""The links of a model with the joints that carry them or close loops, as records, for the wrenches of joints."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...spatial import add, compose, quat_rotate, quat_to_mat, sym_rotate
from ..elements import WORLD, Joint
from .compiled import CompiledModel, cached

CARRIED_LINK = np.dtype(
    [
        ("body", np.int64),
        ("inner", np.int64),  # row of the link to which the joint leads; -1 for the world
        ("mass", np.float64),  # [kg]
        ("com", np.float64, 3),  # from the body's origin, in the body's axes [m]
        ("inertia", np.float64, 6),  # about the com, in the body's axes [kg m^2]
        ("linear_damping", np.float64),  # [1/s]
        ("angular_damping", np.float64),  # [1/s]
        ("has_gravity", np.int64),
        ("joint_body", np.int64),  # body of the joint's child; 0 for the world
        ("joint_origin", np.float64, 3),  # of the joint's child-side frame, in that body's frame [m]
    ],
    align=True,
)
"""A link, and the joint that carries it."""

LOOP_JOINT = np.dtype(
    [
        ("body", np.int64),  # of the rest of the link that the weld holds
        ("weld_origin", np.float64, 3),  # of the joint's frame on that link, in that body's frame [m]
        ("part_body", np.int64),  # of the part that was cut from the link; -1 if none was
        ("outer", np.int64),  # rows of the joint's links in CARRIED_LINK records; -1 for the world
        ("inner", np.int64),
        ("joint_body", np.int64),  # as in CARRIED_LINK
        ("joint_origin", np.float64, 3),
    ],
    align=True,
)
"""A joint that closes a loop, and the weld of `Weld`."""


class CarriedLinks(NamedTuple):
    """All links of a model.

    Attributes:
        joints: names of the joints that carry them, from the base to the tips.
        records: CARRIED_LINK records, in the reverse order: a link comes after all that it carries.
        rows: row of each link of the model in `records`, shape (L,).
        loop_joints: LOOP_JOINT records, in the order of `compiled.welds`.
    """

    joints: tuple[str, ...]
    records: np.recarray
    rows: np.ndarray
    loop_joints: np.recarray


def carried_links_of(compiled: CompiledModel) -> CarriedLinks:
    """Return the links of a compiled model with the joints of its tree, and the free joints of links that float."""
    return cached(compiled, _carried_links_of)


def _carried_links_of(compiled: CompiledModel) -> CarriedLinks:
    model, number = compiled.model, {name: row for row, name in enumerate(compiled.link_names)}
    floats = [(span.joint, WORLD, span.link) for span in compiled.spans.values() if span.link in compiled.floating]
    carriers = [*floats, *((branch.joint, branch.inner, branch.outer) for branch in compiled.tree.branches)][::-1]
    place = {outer: row for row, (_, _, outer) in enumerate(carriers)}
    records = np.zeros(len(carriers), CARRIED_LINK).view(np.recarray)
    for record, (joint, inner, outer) in zip(records, carriers, strict=True):
        link, X_BL = model.links[number[outer]], compiled.X_BL[number[outer]].tolist()
        record.body, record.inner = compiled.link_body[number[outer]], place.get(inner, -1)
        record.mass, record.com = link.mass, add(tuple(X_BL[:3]), quat_rotate(tuple(X_BL[3:]), link.com))
        record.inertia = sym_rotate(quat_to_mat(tuple(X_BL[3:])), link.inertia)
        record.linear_damping, record.angular_damping = link.linear_damping, link.angular_damping
        record.has_gravity = link.gravity
        record.joint_body, record.joint_origin = _child_side(compiled, joint)
    rows = np.array([place[name] for name in compiled.link_names], dtype=np.int64)
    loop_joints = np.zeros(len(compiled.welds), LOOP_JOINT).view(np.recarray)
    for record, weld in zip(loop_joints, compiled.welds, strict=True):
        record.body, record.weld_origin = weld.body, weld.X_rest[:3]
        record.part_body = weld.part_body if weld.is_cut else -1
        record.outer, record.inner = place.get(weld.branch.outer, -1), place.get(weld.branch.inner, -1)
        record.joint_body, record.joint_origin = _child_side(compiled, weld.joint)
    return CarriedLinks(tuple(joint.name for joint, _, _ in reversed(carriers)), records, rows, loop_joints)


def _child_side(compiled: CompiledModel, joint: Joint) -> tuple[int, tuple[float, ...]]:
    """Return the body of a joint's child, and the origin of the child-side frame in the body's frame [m]."""
    if joint.child == WORLD:
        return 0, joint.X_CJ[:3]
    row = compiled.link_names.index(joint.child)
    return int(compiled.link_body[row]), compose(tuple(compiled.X_BL[row].tolist()), joint.X_CJ)[:3]
