# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that edit a model: add, rename, replace, freeze.

They change the model in place, or raise an error and leave it unchanged. Descendants of a link keep their pose relative
to it, and a link that need not move keeps its pose to the last bit. `grafting.py` and `placing.py` have more functions.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ...joints import JOINT_TYPES, JointType, type_name
from ...spatial import IDENTITY, Pose, compose, inverse
from ..couplings import Coupling, Gearbox, mimic_equation
from ..elements import BREAKING, WORLD, Axis, Joint, Link
from ..errors import ModelError, StateError
from ..graph import Tree
from ..model import Model
from ..naming import STATIC, claim, equations_with, rename, require_new, require_terms
from ..screws import joint_pose, screws_of
from .placing import as_pose, drawn, frame_at, is_along_z, pose_of, settle

BASES = ("base", "base_link", "world", "pedestal")
"""Usual names of the base link in robot files."""

REPLACEABLE = ("axes", "pitch", "home", "mimic", "closes_loop", "enabled", "released_at", *BREAKING)
"""The properties that `replace_joint` accepts besides the type."""


def add_link(model: Model, link: Link, joint: Joint | None = None) -> None:
    """Add a link. A joint between it and another link, or the world, places it.

    Without a joint, the link floats at its own pose. So it does with a free joint without frames: X_PJ becomes the
    pose. A joint's end may be a named frame of the model, as for `add_joint`. The model takes the objects themselves,
    not copies.

    Raises:
        ModelError: a name is taken or reserved, the joint does not lead to the link, or as `add_joint`.
    """
    require_new("link", link.name, model.links)
    if joint is None:
        model.links.append(link)
        return
    if not isinstance(joint, Joint):
        raise TypeError(f"link '{link.name}' is added with a Joint, found {joint!r}")
    if link.name not in (joint.parent, joint.child):
        raise ModelError(
            f"joint '{joint.name}' joins '{joint.parent}' and '{joint.child}'; one must be the new link '{link.name}'"
        )
    unplaced = joint.kind.is_free and joint.child == link.name and joint.X_PJ == joint.X_CJ == IDENTITY
    _take_ends(joint, *_require_joint(model, joint, link))
    if unplaced:
        joint.X_PJ = compose(inverse(pose_of(model, joint.parent)), link.pose)
    if joint.child == link.name:
        link.pose = compose(pose_of(model, joint.parent), drawn(joint))
    else:
        link.pose = compose(pose_of(model, joint.child), inverse(drawn(joint)))
    model.links.append(link)
    model.joints.append(joint)


def add_joint(model: Model, joint: Joint, point: ArrayLike | None = None, axis: ArrayLike | None = None) -> None:
    """Add a joint between links of the model. A floating piece that it is the first to hold moves to fit it.

    With `point`, both links stay where they are drawn: the joint's frames are put at that point. Their z axis points
    along `axis`, which a hinge or a slider turns about or slides along, unless its own `Axis` has another direction.

    If the links are connected already, nothing moves. The joint closes a loop, which is drawn open if the joint's
    frames do not coincide. It is marked `closes_loop` if the tree would otherwise let it carry a link and cut another
    joint.

    If an end is the name of a frame of the model, the end becomes the frame's link, and X_PJ or X_CJ is relative to the
    frame. The model takes the object itself, not a copy. Frames that are 4 x 4 matrices become poses.

    Args:
        point: where the joint is, in the world [m].
        axis: the direction of the frames' z axis in world axes, of any length except 0. The frames are turned by the
            smallest rotation that does this. If it is None, they are parallel to the world's axes.

    Raises:
        ModelError: the name is taken or reserved, an end is no link, both ends are one, the child is the world, a frame
            is no pose, home does not fit the type, an axis has no direction, the mimic names a coordinate that there
            is not, or the joints do not fit together. Also if `axis` comes without `point`, or one of these along with
            frames or with an `Axis` of another direction than z.
    """
    ends = _require_joint(model, joint)
    if point is not None or axis is not None:
        ends = _ends_at(model, joint, ends, point, axis)
    before = model.tree()
    _take_ends(joint, *ends)
    joints = [*model.joints, joint]
    if before.root_of(joint.parent) != before.root_of(joint.child):
        settle(model, joints, before, joint.name)
        return
    model.joints = joints
    if _carriers(model.tree()) != _carriers(before):
        joint.closes_loop = True


def fix_base(model: Model, link: str | None = None) -> Joint:
    """Fix a link to the world where it is drawn, with a fixed joint LINK_static, so that the model does not fall.

    Args:
        link: None for the only link that floats.

    Returns:
        The joint.

    Raises:
        ModelError: there is no such link, or it is fixed already; or no link is named, and none or several float.
    """
    tree = model.tree()
    if link is None:
        if len(tree.roots) != 1:
            found = f"these float: {', '.join(tree.roots)}; name one" if tree.roots else "the world holds all links"
            raise ModelError(f"there is not one link that floats: {found}")
        (link,) = tree.roots
    base = model.link(link)
    if tree.root_of(link) == WORLD:
        raise ModelError(f"link '{link}' does not float: it hangs in the world already")
    name = claim(f"{link}{STATIC}", {joint.name for joint in model.joints})
    fixed = Joint(name, "fixed", WORLD, link, X_PJ=base.pose)
    add_joint(model, fixed)
    return fixed


def proposed_bases(model: Model) -> list[str]:
    """The links that float and are bases by custom, which files leave loose: by their name, or having no mass."""
    roots = [model.link(name) for name in model.tree().roots]
    return [root.name for root in roots if root.name.rpartition("::")[2].lower() in BASES or root.mass == 0.0]


def add_coupling(model: Model, coupling: Coupling | Gearbox) -> None:
    """Add a coupling between joints of the model. The model takes the object itself, not a copy.

    Raises:
        ModelError: the name is taken or reserved, a joint or axis that it names has no coordinate, or a gearbox finds
            no hinges on its reference link.
    """
    require_new("coupling", coupling.name, model.couplings)
    require_terms(coupling.equation(model.joints), model.joints, f"coupling '{coupling.name}'")
    model.couplings.append(coupling)


def rename_link(model: Model, old: str, new: str) -> None:
    """Give a link another name; joints, gearboxes and contact pairs follow.

    Raises:
        ModelError: no such link, or a name that is taken or reserved.
    """
    model.link(old)
    require_new("link", new, [link for link in model.links if link.name != old])
    rename(model, {old: new}, {})


def rename_joint(model: Model, old: str, new: str) -> None:
    """Give a joint another name; mimics and couplings follow.

    Raises:
        ModelError: no such joint, or a name that is taken or reserved.
    """
    model.joint(old)
    require_new("joint", new, [joint for joint in model.joints if joint.name != old])
    rename(model, {}, {old: new})


def replace_joint(model: Model, joint: str, new: str | Joint, /, **properties: Any) -> Joint:
    """Replace a joint by one of another type, with the same links and frames. Links stay as drawn.

    A link moves only if a loop was drawn open: to where the joint that now carries it puts it.

    The directions of axes are carried over as far as both types let the user choose them, a custom joint takes over all
    screws, and the mimic stays, as does what mimics and couplings say of the joint. Limits, springs and the like start
    anew. Where a locked axis held the two frames apart, X_CJ takes that up.

    A `Joint` in the place of a type brings all its properties along, and nothing is carried over. If it has frames, or
    an end at a named frame, links that it carries move to fit them. If both are the identity, the old ones stay.

    Args:
        joint: its name.
        new: a type, or a `Joint` between the same links, of which the model takes a copy. If it has another name than
            the old joint, mimics and couplings follow.
        properties: `REPLACEABLE` ones of the new joint, as `Joint` has them; with another `name`, mimics and couplings
            follow. Only along with a type.

    Returns:
        The new joint.

    Raises:
        ModelError: no such joint, type or property; a name that is taken; a home that does not fit the type; a `Joint`
            between other links; or a mimic or a coupling names an axis that the new type does not move.
    """
    name, old = joint, model.joint(joint)
    changed: tuple[str, ...] = ()
    if isinstance(new, Joint):
        made, has_frames = _as_given(model, old, new, properties)
        changed = (name,) if has_frames else ()
    else:
        made = _of_type(old, new, properties)
    new_name, made.name = made.name, name
    if new_name != name:
        require_new("joint", new_name, model.joints)
    joints = [made if joint is old else joint for joint in model.joints]
    for subject, equation, coupling in equations_with(model, name):
        if coupling:
            equation = coupling.equation(joints)
        elif equation.name == name:
            continue
        require_terms(equation, joints, subject)
    if made.mimic:
        require_terms(mimic_equation(name, made.mimic), joints, f"the mimic of joint '{name}'")
    settle(model, joints, model.tree(), *changed)
    rename(model, {}, {name: new_name})
    return made


def freeze_joint(model: Model, name: str, q: Sequence[float] | float | None = None) -> None:
    """Fix a joint at coordinates q. The links that it carries move there in the drawn pose.

    Args:
        q: shape (nq,) [rad, m]; home if left out.

    Raises:
        StateError: q has not as many finite numbers as the joint has coordinates, or its quaternion is zero.
        ModelError: no such joint, or a mimic or a coupling names it.
    """
    joint = model.joint(name)
    if speaking := [subject for subject, _, _ in equations_with(model, name)]:
        raise ModelError(f"joint '{name}' cannot be frozen: {', '.join(speaking)} names it; take that away first")
    at = joint.q_home if q is None else _numbers(joint, f"joint '{name}'", q, joint.nq)
    X_PJ = compose(joint.X_PJ, joint_pose(joint, at))
    kept = {name: getattr(joint, name) for name in ("closes_loop", "enabled", "released_at", *BREAKING)}
    fixed = Joint(name, "fixed", joint.parent, joint.child, X_PJ, joint.X_CJ, **kept)
    settle(model, [fixed if other is joint else other for other in model.joints], model.tree(), name)


def _carriers(tree: Tree) -> list[tuple[str, str]]:
    return [(branch.inner, branch.joint.name) for branch in tree.branches]


def _take_ends(joint: Joint, parent: tuple[str, Pose], child: tuple[str, Pose]) -> None:
    joint.parent, joint.X_PJ = parent
    joint.child, joint.X_CJ = child


def _of_type(old: Joint, new_type: str, properties: dict[str, Any]) -> Joint:
    """Return a joint of another type in the place of `old`; see `replace_joint`."""
    if unknown := sorted(properties.keys() - {"name", *REPLACEABLE}):
        raise ModelError(
            f"joint '{old.name}': cannot set {', '.join(unknown)} along with the type; allowed are name, "
            f"{', '.join(REPLACEABLE)}"
        )
    kept = {field: getattr(old, field) for field in REPLACEABLE if field not in ("axes", "home")}
    if known := type_name(new_type):
        kept["axes"] = _carried_axes(old, JOINT_TYPES[known]) if known in JOINT_TYPES else []
    kept |= {"name": old.name}
    made = Joint(type=new_type, parent=old.parent, child=old.child, X_PJ=old.X_PJ, X_CJ=old.X_CJ, **(kept | properties))
    _require_home(made)
    _keep_apart(made, old)
    return made


def _as_given(model: Model, old: Joint, given: Joint, properties: dict[str, Any]) -> tuple[Joint, bool]:
    """Return a copy of a joint for the place of `old`, and whether it has frames of its own; see `replace_joint`."""
    subject = f"joint '{old.name}'"
    if properties:
        raise ModelError(
            f"{subject}: cannot set {', '.join(sorted(properties))} along with a Joint; set it in the Joint itself"
        )
    made = copy.copy(given)
    _take_ends(made, *_ends_of(model, made, [WORLD, *(link.name for link in model.links)]))
    has_frames = (made.X_PJ, made.X_CJ) != (IDENTITY, IDENTITY)
    if (made.parent, made.child) != (old.parent, old.child):
        raise ModelError(
            f"{subject} has the parent '{old.parent}' and the child '{old.child}', and the Joint for its place "
            f"'{made.parent}' and '{made.child}'; give it the same links"
        )
    if not has_frames:
        made.X_PJ, made.X_CJ = old.X_PJ, old.X_CJ
        _keep_apart(made, old)
    return made, has_frames


def _keep_apart(made: Joint, old: Joint) -> None:
    """Change X_CJ of a joint with the frames of `old` so that its links are drawn as `old` has them."""
    apart, now = (joint_pose(joint, joint.q_neutral) for joint in (old, made))
    if apart != now:
        made.X_CJ = compose(made.X_CJ, compose(inverse(apart), now))


def _ends_at(
    model: Model,
    joint: Joint,
    ends: tuple[tuple[str, Pose], tuple[str, Pose]],
    point: ArrayLike | None,
    axis: ArrayLike | None,
) -> tuple[tuple[str, Pose], tuple[str, Pose]]:
    """Return both ends of a joint with its frame at a point and along an axis of the world; see `add_joint`."""
    subject = f"joint '{joint.name}'"
    if any(as_pose(X, subject) != IDENTITY for X in (joint.X_PJ, joint.X_CJ)):
        raise ModelError(f"{subject} has frames and a point; leave out X_PJ and X_CJ, or point and axis")
    pointed = next((own for number, own in enumerate(joint.axes) if joint.kind.slot(number).is_pointed), None)
    if axis is not None and pointed and not is_along_z(pointed.xyz):
        raise ModelError(
            f"{subject} has two directions, axis={axis!r} in the world and {pointed.xyz} of its Axis in the "
            "joint's frame; leave out xyz, or leave out axis: xyz is in world axes then"
        )
    X_WJ = frame_at(subject, point, axis)
    (parent, _), (child, _) = ends
    X_PJ = compose(inverse(pose_of(model, parent)), X_WJ)
    X_CJ = compose(inverse(pose_of(model, child)), compose(X_WJ, joint_pose(joint, joint.q_neutral)))
    return (parent, X_PJ), (child, X_CJ)


def _require_joint(model: Model, joint: Joint, link: Link | None = None) -> tuple[tuple[str, Pose], tuple[str, Pose]]:
    """Raise an error if a joint cannot be added, together with the new `link`.

    Return both ends otherwise: the link, and the joint's frame in it as a pose.
    """
    require_new("joint", joint.name, model.joints)
    links = [WORLD, *(other.name for other in model.links), *([link.name] if link else [])]
    ends = _ends_of(model, joint, links)
    if joint.mimic:
        require_terms(
            mimic_equation(joint.name, joint.mimic), [*model.joints, joint], f"the mimic of joint '{joint.name}'"
        )
    return ends


def _ends_of(model: Model, joint: Joint, links: Sequence[str]) -> tuple[tuple[str, Pose], tuple[str, Pose]]:
    """Return both ends of a joint: the link, and the joint's frame in it as a pose.

    Args:
        links: names that ends may have, besides those of frames.

    Raises:
        ModelError: if an end is none of them, if both are one, or if the joint cannot be computed by itself.
    """
    parent, child = (
        _end(model, links, joint, end, as_pose(getattr(joint, side), f"joint '{joint.name}': {side}"))
        for end, side in ((joint.parent, "X_PJ"), (joint.child, "X_CJ"))
    )
    if parent[0] == child[0]:
        raise ModelError(f"joint '{joint.name}' joins '{child[0]}' with itself; name two links")
    if child[0] == WORLD:
        raise ModelError(f"joint '{joint.name}': the world cannot be a child; swap parent and child")
    _require_home(joint)
    screws_of(joint)  # an axis without direction is refused here
    return parent, child


def _end(model: Model, links: Sequence[str], joint: Joint, name: str, X: Pose) -> tuple[str, Pose]:
    """Return the link of a joint's end, named directly or by a frame of the model, and the joint's frame in it."""
    if name in links:
        return name, X
    frame = next((frame for frame in model.frames if frame.name == name), None)
    if frame is None:
        frames = f"; frames: {', '.join(each.name for each in model.frames)}" if model.frames else ""
        raise ModelError(f"joint '{joint.name}': there is no link '{name}'; there are: {', '.join(links)}{frames}")
    return frame.link, compose(frame.pose, X)


def _require_home(joint: Joint) -> None:
    _numbers(joint, f"joint '{joint.name}' ({joint.type}): home", joint.home, len(joint.neutral))


def _carried_axes(old: Joint, kind: JointType) -> list[Axis]:
    if kind.is_open:
        return [
            Axis(
                xyz=old.direction(column.axis),
                turn=column.turn,
                slide=column.slide_with(old.pitch),
                point=column.point,
            )
            for column in old.all_columns
        ]
    pointed = [number < old.axis_count and old.kind.slot(number).is_pointed for number in range(len(kind.axes))]
    return [
        Axis(old.direction(number)) if slot.is_pointed and pointed[number] else Axis()
        for number, slot in enumerate(kind.axes)
    ]


def _numbers(joint: Joint, subject: str, found: Sequence[float] | float, count: int) -> list[float]:
    """Return `count` coordinates of a joint as a list. Raises `StateError` with `subject` in its message."""
    try:
        values = np.atleast_1d(np.asarray(found, dtype=np.float64))
    except (TypeError, ValueError):
        values = np.full(1, np.nan)
    if values.shape != (count,) or not np.isfinite(values).all():
        raise StateError(f"{subject} takes {count} finite number(s), found {found!r}")
    if joint.kind.chart and not values[-4:].any():
        raise StateError(f"{subject} needs a quaternion w x y z, found {found!r}")
    return values.tolist()
