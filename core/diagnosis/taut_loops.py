# SPDX-License-Identifier: GPL-3.0-or-later
"""Loops without slack: one link of the loop is as long as all others together, so that these are stretched out."""

from __future__ import annotations

from collections.abc import Iterator

from ..model import WORLD, Joint, Model
from ..model.model import Loop
from ..model.text import in_metres
from ..spatial import IDENTITY, compose, norm, sub
from .case import OPEN, Case
from .diagnosis import Diagnosis

NO_SLACK = 1e-6
"""Slack of a loop as a part of its longest side, up to which it is the rounding of a drawing in single precision."""


def taut_loops(run: Case) -> Iterator[Diagnosis]:
    """Report loops that cannot move across their length, if the run failed or a loop gapes.

    In a loop of hinges and balls, the points of the joints are the corners of a polygon whose sides keep their lengths.
    If the longest side is the sum of all others, these lie in a line. To hold a load across it takes infinite forces.
    """
    if not (run.failed or run.report.loop_error > OPEN):
        return
    model = run.compiled.model
    for loop in model.loops():
        if not is_taut(model, loop):
            continue
        sides = sides_of(model, loop)
        longest, rest = max(sides), sum(sides) - max(sides)
        message = (
            f"closes a loop that has no slack: it is stretched out, since {len(sides) - 1} of its links are "
            f"{in_metres(rest)} long in all and span {in_metres(longest)}, so they cannot give way across that, "
            "whatever force pulls; bring the ends of the loop nearer together, or make a link longer"
        )
        yield Diagnosis("no-slack", f"joint '{loop.joint.name}'", message)


def is_taut(model: Model, loop: Loop) -> bool:
    """Return whether one side of a loop is as long as all others together; never if a joint of the loop slides."""
    sides = sides_of(model, loop)
    longest = max(sides, default=0.0)
    return len(sides) > 2 and sum(sides) - 2.0 * longest <= NO_SLACK * longest


def sides_of(model: Model, loop: Loop) -> list[float]:
    """Return the lengths between successive joints of a loop, as drawn [m]; nothing if one of the joints slides.

    Links that are fixed to each other are one side.
    """
    ring = _in_order(loop)
    if loop.loose or any(_slides(joint) for joint in ring):
        return []
    poses = {WORLD: IDENTITY} | {link.name: link.pose for link in model.links}
    points = [compose(poses[joint.parent], joint.X_PJ)[:3] for joint in ring if joint.nv]
    return [norm(sub(one, other)) for one, other in zip(points, [*points[1:], *points[:1]], strict=True)]


def _in_order(loop: Loop) -> list[Joint]:
    """Return the joints of a loop as a walk around it meets them."""
    ring, left, link = [loop.joint], [branch.joint for branch in loop.around], loop.joint.child
    while left:
        joint = next((each for each in left if link in (each.parent, each.child)), None)
        if joint is None:
            return []
        left.remove(joint)
        ring.append(joint)
        link = joint.child if joint.parent == link else joint.parent
    return ring


def _slides(joint: Joint) -> bool:
    """Return whether a joint lets the points at its two frames move apart."""
    return joint.type != "ball" and (joint.kind.chart is not None or any(column.slide for column in joint.columns))
