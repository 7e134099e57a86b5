# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes on how a model can move: its loops, its mobility, and why it cannot be simulated."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..kinematics import coordinates_at, mobility, tree_poses
from ..model import WORLD, Model, ModelError
from ..model.compiling.compile import compile_model
from ..model.model import Loop
from ..model.screws import joint_pose
from ..model.soundness.issue import Issue, name_of, note
from ..model.text import quoted
from ..spatial import IDENTITY, compose, inverse, norm, rotvec_of_quat

OPEN = 1e-6
"""Largest gap of a loop as drawn, or distance of a link from its pose as drawn, that counts as none [m, rad]."""

MOST_UNKNOWNS = 1500
"""Largest number of velocities for which mobility is computed. The time grows with its cube, and this many take a few
seconds.
"""


def loops(model: Model) -> Iterator[Issue]:
    """Yield a note on each loop joint, with a code that tells how the loop arises."""
    for loop in model.loops():
        code, why = _origin(loop)
        yield note(code, name_of(loop.joint), why if loop.loose else why + _ring(loop))


def _origin(loop: Loop) -> tuple[str, str]:
    joint = loop.joint
    if loop.loose:
        return (
            "no-loop",
            f"is marked to close a loop, but nothing else holds link '{loop.loose}': it holds it all the same, so the "
            "mark can go",
        )
    if joint.closes_loop:
        return "loop", "is marked to close a loop"
    ring = [joint, *(branch.joint for branch in loop.around)]
    if len({each.parent for each in ring}) == len({each.child for each in ring}) == len(ring):
        return "cycle", "goes back to where its joints began"
    holder = next((branch.joint for branch in loop.around if branch.outer == joint.child), None)
    if holder is not None and holder.child == joint.child:
        return "second-parent", f"holds link '{joint.child}', which joint '{holder.name}' holds as well"
    return "loop", "closes a loop"


def _ring(loop: Loop) -> str:
    names = [branch.joint.name for branch in loop.around]
    return f", round by {quoted(names)}" if len(names) > 1 else ""


def no_room(model: Model) -> Iterator[Issue]:
    for joint in model.joints:
        axes = [joint.axes[column.axis] for column in joint.columns]
        limited = all(joint.kind.slot(column.axis).limited for column in joint.columns)
        if axes and limited and all(axis.has_no_room for axis in axes):
            yield note("no-room", name_of(joint), "its limits leave no room, so it cannot move; widen them to let it")


def not_as_drawn(model: Model) -> Iterator[Issue]:
    """Yield a note on each link whose own pose differs from where its joints hold it at q = 0, which is what counts.

    Links without joints stay where they are drawn. They are not examined, since there may be very many.
    """
    touched = {end for joint in model.joints for end in (joint.parent, joint.child)}
    touched_links = [link for link in model.links if link.name in touched]
    poses = tree_poses(Model(model.name, touched_links, model.joints)) if touched_links else {}
    for link in touched_links:
        off = compose(inverse(poses[link.name]), link.pose)
        distance, angle = norm(off[:3]), norm(rotvec_of_quat(off[3:]))
        if max(distance, angle) > OPEN * max(1.0, norm(link.pose[:3])):
            yield note(
                "not-as-drawn",
                name_of(link),
                f"its pose is {distance:.3g} m and {angle:.3g} rad from where its joints hold it at q = 0, which "
                "counts; move it there, or mend the joints' frames",
            )


def open_loops(model: Model) -> Iterator[Issue]:
    found = model.loops()
    poses = {WORLD: IDENTITY} | tree_poses(model) if found else {}
    for loop in found:
        joint = loop.joint
        X_WP, X_WC = compose(poses[joint.parent], joint.X_PJ), compose(poses[joint.child], joint.X_CJ)
        X = compose(inverse(X_WP), X_WC)
        q = coordinates_at(joint, X, np.array(joint.q_neutral))
        gap = compose(inverse(joint_pose(joint, q.tolist())), X)
        distance, angle = norm(gap[:3]), norm(rotvec_of_quat(gap[3:]))
        if max(distance, angle) > OPEN:
            yield note(
                "open-loop",
                name_of(joint),
                f"as drawn, its two sides are {distance:.3g} m and {angle:.3g} rad apart; move one of its links there",
            )


def mobility_by_rank(model: Model) -> Iterator[Issue]:
    """Yield notes on the mobility, then on redundant loops, then on chains that can spin about their own axis."""
    found_loops = model.loops()
    if not found_loops:
        return
    subject = f"model '{model.name}'"
    unknowns = compile_model(model, split_loops=False).nv + sum(loop.joint.nv for loop in found_loops)
    if unknowns > MOST_UNKNOWNS:
        yield note("mobility", subject, f"has {unknowns} velocities, and is counted up to {MOST_UNKNOWNS} only")
        return
    found = mobility(model)
    freedom = "1 degree of freedom" if found.by_rank == 1 else f"{found.by_rank} degrees of freedom"
    yield note("mobility", subject, f"has {freedom} as drawn; by Gruebler's count, {found.by_count}")
    for entry in found.redundancies:
        if entry.redundant:
            given = "is given" if entry.redundant == 1 else "are given"
            yield note(
                "redundant-loop",
                name_of(entry.loop.joint),
                f"{entry.redundant} of its {entry.constraints} constraints {given} already by {_rest(entry.loop)}; "
                "that is no error, but forces along them cannot be told apart",
            )
    for chain in found.spins:
        subject, own = ("link", "its") if len(chain) == 1 else ("links", "their")
        yield note(
            "spin",
            f"{subject} {quoted(chain)}",
            f"can spin about {own} own axis while all else stands still; that does no harm, and nothing decides how",
        )


def _rest(loop: Loop) -> str:
    return quoted(branch.joint.name for branch in loop.around) or "the links that it joins"


def cannot_simulate(model: Model) -> Iterator[Issue]:
    """Yield a note why the model cannot be simulated although it has no errors."""
    try:
        compiled = compile_model(model)
    except ModelError as reason:  # a loop of massless links; other reasons are errors found before
        joint = next(loop.joint for loop in model.loops() if str(reason).startswith(name_of(loop.joint)))
        message = str(reason).removeprefix(name_of(joint)).strip()
        yield note("massless-loop", name_of(joint), f"cannot be simulated as it is: {message}")
        return
    try:
        compiled.require_simulable()
    except ModelError as reason:
        subject, _, message = str(reason).partition(": ")
        yield note("massless-moving", subject, f"cannot be simulated as it is: {message}")


FINDINGS = (no_room, loops, not_as_drawn, open_loops, mobility_by_rank, cannot_simulate)
