# SPDX-License-Identifier: GPL-3.0-or-later
"""Functions that change the topology of a model: cut a subtree off, graft it on, or choose another base.

They change the model in place, or raise an error and leave it unchanged. Links keep their poses as drawn.
"""

from __future__ import annotations

from dataclasses import replace

from numpy.typing import ArrayLike

from ...joints.limited_quantities import TWIST
from ...spatial import IDENTITY, Pose, compose, inverse, quat_rotate
from ..couplings import Gearbox
from ..elements import WORLD, Axis, Joint
from ..errors import ModelError
from ..graph import Branch
from ..model import Model
from ..naming import equations_with, free_name, joints_of, links_of, rename
from ..screws import joint_pose
from .placing import as_pose, drawn_step, pose_of

STANDING_BY = ("frames", "lights")
"""Lists of a model whose items are placed on links and have no effect on its motion."""


def remove_link(model: Model, name: str) -> Model:
    """Remove a link with its subtree. Return the subtree as a separate model, which `graft` can add elsewhere.

    The world of the new model is the frame of the link that carried `name`, which the model stores as `base`. Poses and
    gravity of the new model are given in that frame. The joint that carried `name`, and every other joint between that
    link and the subtree, connects the subtree with that world. Joints between the subtree and other links are in
    neither model. The same holds for mimics, couplings and contact pairs across the cut. Frames and lights stay on
    their links.

    Raises:
        ModelError: if there is no such link, or if `name` is "world".
    """
    _require_link(model, name, "removed")
    tree = model.tree()
    path = tree.path(name)
    carrier = path[-1].inner if path else WORLD
    X_KW = inverse(pose_of(model, carrier))
    gone = set(tree.links_from(name))
    within = gone | {carrier}

    turned = X_KW[3:] != IDENTITY[3:]
    piece = Model(name, gravity=quat_rotate(X_KW[3:], model.gravity) if turned else model.gravity, base=carrier)
    cut = {joint.name for joint in model.joints if gone & {joint.parent, joint.child}}
    piece.links = [link for link in model.links if link.name in gone]
    piece.joints = [joint for joint in model.joints if {joint.parent, joint.child} <= within]
    inside = {joint.name for joint in piece.joints}
    for coupling in model.couplings:
        links, joints = links_of(coupling), joints_of(coupling)
        if links <= within and joints <= inside:
            piece.couplings.append(coupling)
    piece.contact_pairs = [pair for pair in model.contact_pairs if {pair.a, pair.b} <= gone]
    model.contact_pairs = [pair for pair in model.contact_pairs if not {pair.a, pair.b} & gone]
    for what in STANDING_BY:
        setattr(piece, what, [item for item in getattr(model, what) if item.link in gone])
        setattr(model, what, [item for item in getattr(model, what) if item.link not in gone])
    model.links = [link for link in model.links if link.name not in gone]
    model.joints = [joint for joint in model.joints if joint.name not in cut]
    model.couplings = [c for c in model.couplings if not links_of(c) & gone and not joints_of(c) & cut]
    for joint in model.joints:
        if joint.mimic and joint.mimic.leader in cut:
            joint.mimic = None
    for joint in piece.joints:
        if joint.mimic and joint.mimic.leader not in inside:
            joint.mimic = None
    for link in piece.links:
        link.pose = _in(X_KW, link.pose)
    rename(piece, {carrier: WORLD}, {})
    return piece


def graft(
    model: Model,
    subtree: Model,
    onto: str | None = None,
    prefix: str = "",
    with_base: bool = True,
    X_LS: ArrayLike = IDENTITY,
) -> None:
    """Add a copy of another model. The world of the copy becomes a frame in link `onto`.

    Mimics and couplings of the subtree may name joints of the model; a name that both have means the subtree's joint. A
    fixed joint connects each floating link of the subtree with `onto`. It has the link's name, with underscores before
    it if that is taken. The subtree's gravity is ignored.

    Args:
        onto: a link, or "world"; None for the subtree's `base`, the link that it was cut from.
        prefix: put before the names of the subtree's links, joints, couplings, frames, lights and families.
        with_base: if False, the base links of the subtree are left out, and joints on them connect to `onto` instead.
            Base links are those that float, and those that a chain of joints without a coordinate connects to such a
            link or to the subtree's world. Joints between two base links are left out too. A contact pair with a base
            link then refers to `onto`.
        X_LS: pose of the subtree's world in `onto` [m], as a pose or a 4 x 4 matrix.

    Raises:
        ModelError: if there is no link `onto`; if X_LS is not a pose; if names are taken; if a mimic, a coupling or a
            contact pair names something that neither model has; or if the joints of the subtree do not fit together.
    """
    onto = subtree.base if onto is None else onto
    X_WL = pose_of(model, onto)
    X_LS = as_pose(X_LS, f"the subtree's place in link '{onto}'")
    X_WS = _in(X_WL, X_LS)
    added = subtree.copy()
    tree = added.tree()
    bases = {WORLD: X_LS}
    if with_base:
        _fix_roots(model, added, tree.roots, prefix)
    else:
        bases |= {root: _in(X_LS, added.link(root).pose) for root in tree.roots}
        for branch in tree.branches:
            if branch.inner in bases and not branch.joint.nv:
                bases[branch.outer] = _in(bases[branch.inner], drawn_step(branch))
    lost = {joint.name for joint in added.joints if {joint.parent, joint.child} <= bases.keys()}
    added.links = [link for link in added.links if link.name not in bases]
    added.joints = [joint for joint in added.joints if joint.name not in lost]
    _hang(added, bases)
    for item in (*added.frames, *added.lights):
        item.pose = _in(bases.get(item.link, IDENTITY), item.pose)
    _require_references(model, added, lost, bases)
    rename(
        added,
        {link.name: prefix + link.name for link in added.links} | dict.fromkeys(bases, onto),
        {joint.name: prefix + joint.name for joint in added.joints},
    )
    for item in (*added.couplings, *added.frames, *added.lights):
        item.name = prefix + item.name
    for link in added.links:
        link.pose = _in(X_WS, link.pose)
        link.family = prefix + link.family if link.family else ""
    added.contact_pairs = [pair for pair in added.contact_pairs if pair.a != pair.b and WORLD not in (pair.a, pair.b)]
    _require_no_clash(model, added)
    model.links += added.links
    model.joints += added.joints
    model.couplings += added.couplings
    model.frames += added.frames
    model.lights += added.lights
    model.contact_pairs += added.contact_pairs


def re_root(model: Model, link: str) -> None:
    """Make a link the base of its connected component. All links keep their poses as drawn.

    The joints that connected the old base with the world connect the new one with it, at the same place in the world. A
    component that floated gets a free joint to its new base. It has the link's name, with underscores before it if that
    is taken. On the path between the two bases, each joint of one axis exchanges its parent and child, and its axis is
    negated, so that its coordinate keeps its value. Joints of several axes stay as they are, and the tree passes them
    backward.

    The tree cannot pass ball joints and other joints with a quaternion backward. They exchange parent and child as
    well, and their coordinates become those of the inverse motion, as do their home, twist limits, and targets of
    springs and drives. Springs and drives whose parameters differ between axes act about the axes of the other link
    afterwards.

    Joints that closed loops still close them: they are marked if the tree would choose others.

    Raises:
        ModelError: if there is no such link, if `link` is "world", or if a gearbox uses a joint between the old base
            and the world.
    """
    _require_link(model, link, "a base")
    before = model.tree()
    path = before.path(link)
    is_fixed = bool(path) and path[0].inner == WORLD
    if len(path) == is_fixed:
        return
    between = path[1:] if is_fixed else path
    old = between[0].inner
    holding = [joint for joint in model.joints if {joint.parent, joint.child} == {WORLD, old}]
    _require_no_gearbox(model, holding, link)
    X_new_old = IDENTITY
    for branch in between:
        X_new_old = compose(inverse(drawn_step(branch)), X_new_old)
    for joint in holding:
        if joint.child == old:
            joint.child, joint.X_CJ = link, compose(X_new_old, joint.X_CJ)
        else:
            joint.parent, joint.X_PJ = link, compose(X_new_old, joint.X_PJ)
    if not is_fixed:
        X_WL = compose(pose_of(model, old), inverse(X_new_old))
        name = free_name(link, {joint.name for joint in model.joints})
        model.joints.append(Joint(name, "free", WORLD, link, X_PJ=X_WL))
    for branch in between:
        if _turns_round(branch):
            turn_round(branch.joint)
    if {joint.name for joint in model.tree().loops} != {joint.name for joint in before.loops}:
        for joint in before.loops:
            joint.closes_loop = True


def _require_link(model: Model, name: str, what: str) -> None:
    if name == WORLD:
        raise ModelError(f"the world is no link, and cannot be {what}; name a link")
    model.link(name)


def _require_no_gearbox(model: Model, holding: list[Joint], link: str) -> None:
    """Check that no gearbox uses the joints `holding`, which `re_root` moves from the old base to `link`.

    Raises:
        ModelError: if one does.
    """
    for joint in holding:
        for subject, _, coupling in equations_with(model, joint.name):
            if isinstance(coupling, Gearbox):
                raise ModelError(
                    f"link '{link}' cannot become the base: {subject} counts on joint '{joint.name}', which would hold "
                    "it then; take the gearbox away first"
                )


def _in(X_AB: Pose, X_BC: Pose) -> Pose:
    """Return X_AC = X_AB X_BC. If X_AB is the identity, the result equals X_BC to the last bit."""
    return X_BC if X_AB == IDENTITY else compose(X_AB, X_BC)


def _fix_roots(model: Model, added: Model, roots: tuple[str, ...], prefix: str) -> None:
    """Add a fixed joint from the world to each root of `added`.

    Its name is new in `added` and, after `prefix`, in `model`.
    """
    theirs = {joint.name.removeprefix(prefix) for joint in model.joints if joint.name.startswith(prefix)}
    for root in roots:
        name = free_name(root, theirs | {joint.name for joint in added.joints})
        added.joints.append(Joint(name, "fixed", WORLD, root, X_PJ=added.link(root).pose))


def _hang(added: Model, bases: dict[str, Pose]) -> None:
    """Express joint frames and gearbox axes that are relative to a base in the frame of the link `onto`.

    `bases` maps the names of base links to their poses in `onto` [m].
    """
    for joint in added.joints:
        if joint.parent in bases:
            joint.X_PJ = _in(bases[joint.parent], joint.X_PJ)
        if joint.child in bases:
            joint.X_CJ = _in(bases[joint.child], joint.X_CJ)
    for coupling in added.couplings:
        if isinstance(coupling, Gearbox) and coupling.reference in bases:
            quat = bases[coupling.reference][3:]
            coupling.axis, coupling.axis2 = quat_rotate(quat, coupling.axis), quat_rotate(quat, coupling.axis2)


def _require_references(model: Model, added: Model, lost: set[str], bases: dict[str, Pose]) -> None:
    """Check that mimics, couplings and contact pairs of `added` name only what one of the models will have.

    Raises:
        ModelError: if one of them names something else.
    """
    joints = {joint.name for joint in added.joints} | {joint.name for joint in model.joints if joint.name not in lost}
    links = {link.name for link in (*added.links, *model.links)} | bases.keys()
    wanted = [
        (f"the mimic of joint '{joint.name}'", {joint.mimic.leader} - joints) for joint in added.joints if joint.mimic
    ]
    for coupling in added.couplings:
        wanted.append((f"coupling '{coupling.name}'", (joints_of(coupling) - joints) | (links_of(coupling) - links)))
    for pair in added.contact_pairs:
        wanted.append((f"the contact pair '{pair.a}', '{pair.b}'", {pair.a, pair.b} - links))
    for subject, missing in wanted:
        if missing:
            names = ", ".join(f"'{name}'" for name in sorted(missing))
            raise ModelError(f"{subject} names {names}, which would be nowhere; take it away, or graft that as well")


def _require_no_clash(model: Model, added: Model) -> None:
    clashes = []
    for what in ("links", "joints", "couplings", *STANDING_BY):
        taken = {item.name for item in getattr(model, what)} | {WORLD}
        if both := [f"'{item.name}'" for item in getattr(added, what) if item.name in taken]:
            clashes.append(f"{what} {', '.join(both)}")
    if clashes:
        raise ModelError(f"names that are taken already: {'; '.join(clashes)}; give a prefix")


def _turns_round(branch: Branch) -> bool:
    """Return whether the tree would pass the joint backward from the new base, and `turn_round` can prevent it."""
    joint = branch.joint
    if branch.backward:
        return False
    columns = joint.all_columns
    return bool(joint.kind.chart) or not columns or (len(columns) == 1 and joint.kind.slot(columns[0].axis).is_pointed)


def turn_round(joint: Joint) -> None:
    """Exchange parent and child of a joint that has at most one column, or a chart.

    The axes of a joint without a chart are negated, so that its coordinate keeps its value. With a chart, the
    coordinates become those of the inverse motion.
    """
    joint.parent, joint.child = joint.child, joint.parent
    joint.X_PJ, joint.X_CJ = joint.X_CJ, joint.X_PJ
    if not joint.kind.chart:
        joint.axes = [replace(axis, xyz=_negated(axis.xyz)) for axis in joint.axes]
        return
    home = inverse(joint_pose(joint, joint.home))
    joint.home = tuple(value + 0.0 for value in home[-joint.nq :])  # -0.0 becomes 0.0
    twists = {row.axis for row in joint.kind.limited_quantities if row.code == TWIST}
    joint.axes = [
        _inverted(axis, number in joint.kind.spring_axes, number in twists) for number, axis in enumerate(joint.axes)
    ]


def _inverted(axis: Axis, in_law: bool, twists: bool) -> Axis:
    """Return the axis of a joint with a chart for the inverse motion.

    Targets of springs and drives change their sign if the axis is one of the chart's own (`in_law`), and limits do if
    they are limits of a twist.
    """
    if in_law:
        axis = replace(axis, spring_reference=0.0 - axis.spring_reference, drive_target=0.0 - axis.drive_target)
    return replace(axis, lower=0.0 - axis.upper, upper=0.0 - axis.lower) if twists else axis


def _negated(v: tuple) -> tuple:
    return tuple(0.0 - x for x in v)
