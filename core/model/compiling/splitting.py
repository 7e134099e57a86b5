# SPDX-License-Identifier: GPL-3.0-or-later
"""Loop joints as ordinary joints: each carries a part of a link, and a weld fixes that part to the rest of the link.

So a loop joint has coordinates, springs, dampers and limits like a joint of the tree, without code of its own. The six
equations of the weld close the loop.

Source: Sherman, Seth, Delp, Simbody: multibody dynamics for biomedical research, Procedia IUTAM 2 (2011), section 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...spatial import (
    ZERO_SYM,
    Pose,
    compose,
    inertia_rotate,
    inverse,
    quat_to_mat,
    rigid_from,
    scale,
)
from ..elements import Joint
from ..errors import ModelError
from ..graph import Branch

if TYPE_CHECKING:
    from .compile import Body, ModelBuilder

WORLD_BODY = 0
"""Number of the body of the world."""


@dataclass(frozen=True)
class Weld:
    """The weld between the part of a link that a loop joint carries and the rest of that link.

    Attributes:
        branch: the joint that closes the loop, and whether its outer link is its parent.
        part_body, body: the body of the part, and the body of the rest.
        X_part, X_rest: pose of the joint's frame on that link, in each of these bodies [m].
        is_cut: whether the part has a body of its own. It is False for a fixed joint, for which the body of the inner
            link takes the place of the part.
    """

    branch: Branch
    part_body: int
    body: int
    X_part: Pose
    X_rest: Pose
    is_cut: bool

    @property
    def joint(self) -> Joint:
        return self.branch.joint


def split_at(builder: ModelBuilder, joints: Iterable[Joint]) -> tuple[Weld, ...]:
    """Add to `builder` a body for each loop joint with coordinates. Return the welds of all loop joints.

    The mass of the joint's outer link is divided equally among the link and its parts.

    Raises:
        ModelError: if neither link of a joint has a mass to divide.
    """
    welds = tuple(_cut_link(builder, joint) for joint in joints if not joint.has_no_effect)
    cut = [weld for weld in welds if weld.is_cut]
    parts = Counter(weld.body for weld in cut)
    wholes = {number: _rigid(builder.bodies[number]) for number in parts}
    for weld in cut:
        if weld.body == WORLD_BODY:
            # A part of the world never moves, so it may have any mass.
            whole = _compact(builder.bodies[builder.bodies[weld.part_body].parent])
        else:
            onto = compose(weld.X_part, inverse(weld.X_rest))
            share = _scaled(wholes[weld.body], 1.0 / (1 + parts[weld.body]))
            whole = rigid_from(inertia_rotate(quat_to_mat(onto[3:]), share), onto[:3])
        _set_rigid(builder.bodies[weld.part_body], whole)
    for number, count in parts.items():
        if number != WORLD_BODY:
            _set_rigid(builder.bodies[number], _scaled(wholes[number], 1.0 / (1 + count)))
    return welds


def _cut_link(builder: ModelBuilder, joint: Joint) -> Weld:
    """Add the body that a loop joint carries: a part of its child or parent link. Return the weld to that link.

    The link is cut only if its body has mass, which can be divided, or is the world.

    Raises:
        ModelError: if neither link can be cut.
    """
    ends = [Branch(joint), Branch(joint, backward=True)][: 1 if joint.kind.chart else 2]
    is_cut = joint.nv > 0 or not builder.merge_fixed
    if is_cut:
        heavy = [end for end in ends if builder.bodies[builder.link_frames[end.outer][0]].mass > 0.0]
        grounded = [end for end in ends if builder.link_frames[end.outer][0] == WORLD_BODY]
        ends = heavy + grounded
    if not ends:
        raise ModelError(
            f"joint '{joint.name}' closes a loop, but link '{joint.child}' has no mass; give it a mass, or mark "
            "another joint of the loop to close it"
        )
    branch = ends[0]
    part_body, X_part = builder.add_joint(branch)
    body, X_rest = builder.link_frames[branch.outer]
    X_LJ = joint.X_PJ if branch.backward else joint.X_CJ
    return Weld(branch, part_body, body, compose(X_part, X_LJ), compose(X_rest, X_LJ), is_cut)


def _rigid(body: Body) -> tuple:
    return body.mass, body.moment, body.inertia


def _set_rigid(body: Body, rigid: tuple) -> None:
    body.mass, body.moment, body.inertia = rigid


def _scaled(rigid: tuple, part: float) -> tuple:
    mass, moment, inertia = rigid
    return mass * part, scale(moment, part), tuple(number * part for number in inertia)


def _compact(body: Body) -> tuple:
    """Return (mass, moment, inertia) of a body with the same mass, and with its com at the origin.

    All its moments of inertia are equal to the largest one of `body`.
    """
    xx, _, _, yy, _, zz = body.inertia
    largest = max(xx, yy, zz)
    return body.mass, (0.0, 0.0, 0.0), (largest, *ZERO_SYM[1:3], largest, 0.0, largest)
