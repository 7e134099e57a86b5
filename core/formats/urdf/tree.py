# SPDX-License-Identifier: GPL-3.0-or-later
"""A model as one tree, as URDF needs it: joints lead from parent to child, and each has the frame of its child link."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ...joints import FREE
from ...model import WORLD, Joint, Link, Model
from ...model.editing.grafting import turn_round
from ...model.editing.placing import is_drawn_apart
from ...model.naming import claim
from ...model.screws import joint_pose
from ...spatial import IDENTITY, IDENTITY_QUAT, ZERO, Pose, compose, inverse, quat_of_z, quat_rotate
from ..alike import turned_inertia


def can_say(joint: Joint) -> bool:
    """Return whether URDF has the joint.

    A floating joint must be on the world, since only Pinocchio accepts other parents.
    """
    if not joint.nv:
        return True
    if joint.kind.urdf is None or len(joint.columns) < len(joint.all_columns):
        return False
    return joint.kind.code != FREE or joint.parent == WORLD


@dataclass
class UrdfTree:
    """The tree of a model.

    Attributes:
        model: its joints lead from parent to child and have the frame of the child, except for rotated planar joints;
            locked axes are part of frames. It shares unchanged parts with the original model.
        has_world: whether a link represents the world.
        moved: X_LL' of the links whose frame was moved to their joint [m].
        losses: lines about what was left out or changed.
    """

    model: Model
    has_world: bool
    moved: dict[str, Pose]
    losses: list[str]


def urdf_tree(model: Model, remedy: str = "") -> UrdfTree:
    """Return a model as a tree: some joints are left out, reversed or added, and frames are moved.

    Joints that close loops or that URDF does not have are left out. Joints that lead toward the root are reversed.

    A link that no joint connects with the world is connected by a `floating` joint, unless it is the only one and is at
    the origin of the world: URDF has one root, and MuJoCo and Pinocchio read a free body at another pose in this way.
    Drake leaves such a link free at the origin of the world, and says so; libsdformat before 13 refuses it.

    remedy: words to add to a line about a joint that is left out because URDF has no such joint.
    """
    losses: list[str] = []
    acting = [joint for joint in model.joints if _is_on(joint, losses)]
    looping = {joint.name for joint in replace(model, joints=acting).tree().loops}
    sayable = [joint for joint in acting if _is_sayable(joint, joint.name in looping, remedy, losses)]
    joints = [_fixed_where_held(joint, losses) for joint in sayable]
    tree = replace(model, joints=joints).tree()
    losses += [_of_loop(joint) for joint in tree.loops]
    joints = [joint for joint in joints if joint not in tree.loops]
    for branch in tree.branches:
        if branch.backward:
            _turn(branch.joint, losses)
    losses += _apart(model, joints)
    joints += _floating(model, joints, tree.roots)
    moved = _move_frames(joints, _parents_first(joints))
    result = replace(
        model,
        joints=joints,
        links=[_seen_from(link, moved[link.name]) if link.name in moved else link for link in model.links],
        frames=[replace(f, pose=after_move(moved, f.link, f.pose)) for f in model.frames],
    )
    return UrdfTree(result, any(joint.parent == WORLD for joint in joints), moved, losses)


def _is_on(joint: Joint, losses: list[str]) -> bool:
    if not joint.enabled:
        losses.append(f"joint '{joint.name}' is switched off; left out, since URDF cannot say so")
    return joint.enabled


def _of_loop(joint: Joint) -> str:
    return f"joint '{joint.name}' closes a loop; left out, since URDF is a tree"


def _is_sayable(joint: Joint, loops: bool, remedy: str, losses: list[str]) -> bool:
    """Return whether URDF has such a joint. If not, add a line that says why.

    loops: whether the joint would close a loop besides.
    """
    subject = f"joint '{joint.name}'"
    if can_say(joint):
        return True
    if loops:
        losses.append(_of_loop(joint))
    elif joint.kind.urdf is None:
        losses.append(f"{subject} is left out, as URDF has no {joint.type} joint{remedy}")
    elif joint.kind.code == FREE:
        losses.append(f"{subject} is written as floating on '{joint.parent}', which only Pinocchio reads{remedy}")
        return True
    else:
        losses.append(f"{subject} is left out, as URDF cannot lock some axes of a {joint.type} joint{remedy}")
    return False


def _fixed_where_held(joint: Joint, losses: list[str]) -> Joint:
    """Return a copy of the joint; a fixed joint if all axes are locked, since some simulators ignore equal limits."""
    if joint.nv or not joint.all_columns:
        return replace(joint)
    losses.append(f"joint '{joint.name}' is locked, which URDF cannot say; it is written as fixed where it stands")
    X_PJ = compose(joint.X_PJ, joint_pose(joint, ()))
    return replace(joint, type="fixed", X_PJ=X_PJ, axes=[], home=(), pitch=0.0, mimic=None)


def _turn(joint: Joint, losses: list[str]) -> None:
    """Reverse a joint. The coordinates of a joint of several axes become those of the inverse motion."""
    if len(joint.all_columns) <= 1:
        turn_round(joint)
        return
    joint.parent, joint.child = joint.child, joint.parent
    joint.X_PJ, joint.X_CJ = joint.X_CJ, joint.X_PJ
    losses.append(f"joint '{joint.name}' is turned round, so its coordinates are those of the inverse motion")


def _apart(model: Model, joints: list[Joint]) -> list[str]:
    """Return lines about joints whose links are not drawn where their frames coincide."""
    poses = {link.name: link.pose for link in model.links} | {WORLD: IDENTITY}
    losses_found = []
    for joint in joints:
        if is_drawn_apart(joint, poses[joint.parent], poses[joint.child]):
            losses_found.append(
                f"joint '{joint.name}': '{joint.child}' is not drawn where its frames put it; URDF puts it there"
            )
    return losses_found


def _floating(model: Model, joints: list[Joint], roots: tuple[str, ...]) -> list[Joint]:
    """Return joints that connect the floating components with the world."""
    poses = {link.name: link.pose for link in model.links}
    on_world = any(joint.parent == WORLD for joint in joints)
    if len(roots) == 1 and not on_world and poses[roots[0]] == IDENTITY:
        return []
    taken = {joint.name for joint in model.joints}
    found = []
    for root in roots:
        name = claim(f"{root}_floats", taken)
        found.append(Joint(name, "free", WORLD, root, X_PJ=poses[root]))
    return found


def _parents_first(joints: list[Joint]) -> list[Joint]:
    """Return the joints in an order in which the joint of a link comes before the joints on that link."""
    below: dict[str, list[Joint]] = {}
    for joint in joints:
        below.setdefault(joint.parent, []).append(joint)
    children = {joint.child for joint in joints}
    waiting = [name for name in below if name not in children]
    ordered = []
    while waiting:
        found = below.get(waiting.pop(), [])
        ordered += found
        waiting += [joint.child for joint in found]
    return ordered


def _move_frames(joints: list[Joint], ordered: list[Joint]) -> dict[str, Pose]:
    """Set every X_CJ to the identity, except of rotated planar joints.

    Return X_LL' of the links whose frame changes for that [m].
    """
    moved: dict[str, Pose] = {}
    for joint in ordered:
        joint.X_PJ = after_move(moved, joint.parent, joint.X_PJ)
        if not joint.nv:  # a fixed joint needs no frame of its own
            if joint.X_CJ != IDENTITY:
                joint.X_PJ, joint.X_CJ = compose(joint.X_PJ, inverse(joint.X_CJ)), IDENTITY
        elif joint.X_CJ != IDENTITY and not is_turned_planar(joint):
            moved[joint.child], joint.X_CJ = joint.X_CJ, IDENTITY
    return moved


def is_turned_planar(joint: Joint) -> bool:
    """Return whether the frame of a planar joint is rotated against that of its child as URDF expects.

    The rotation must be the smallest one that takes z to the normal that URDF names.
    """
    if len(joint.columns) < 2 or joint.X_CJ[:3] != ZERO or joint.X_CJ[3:] == IDENTITY_QUAT:
        return False
    turn = quat_of_z(quat_rotate(joint.X_CJ[3:], (0.0, 0.0, 1.0)))
    return max(abs(a - b) for a, b in zip(turn, joint.X_CJ[3:], strict=True)) < 1e-12


def after_move(moved: dict[str, Pose], link: str, pose: Pose) -> Pose:
    """Return a pose in a link, relative to its new frame [m]."""
    return compose(inverse(moved[link]), pose) if link in moved else pose


def _seen_from(link: Link, X_LM: Pose) -> Link:
    """Return the link with its frame moved to M."""
    X_ML = inverse(X_LM)
    return replace(
        link,
        pose=compose(link.pose, X_LM),
        com=compose(X_ML, (*link.com, *IDENTITY_QUAT))[:3],
        inertia=turned_inertia(X_ML, link.inertia),
        visuals=[replace(shape, pose=compose(X_ML, shape.pose)) for shape in link.visuals],
        collisions=[replace(shape, pose=compose(X_ML, shape.pose)) for shape in link.collisions],
    )
