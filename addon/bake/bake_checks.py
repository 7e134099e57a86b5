# SPDX-License-Identifier: GPL-3.0-or-later
"""Check whether a scene can be simulated, before any work is done."""

from __future__ import annotations

from ...core.check import check_definition
from ...core.model import Joint, Model
from ..bridge.animation.animated import lasting_issues
from ..bridge.links.deforming import deforming_colliders
from ..bridge.scene.read import SceneReading
from ..nodes import Node
from ..nodes.muting import muted
from ..props import is_kinematic
from .errors import BakeError
from .keys.muting import Muting
from .keys.spaces import require_separable
from .keys.transforms import require_bakeable

OF_HOME = ("home-outside-limits", "led-outside-limits", "gimbal-lock")
"""Codes of core's warnings about joints that start at home."""


def links_to_move(reading: SceneReading) -> list[Node]:
    """Return the links that a simulation moves.

    Raises:
        BakeError: if there are none, or if one of them cannot be keyed.
    """
    objects = list(reading.objects.values())
    if not objects:
        found = [*reading.instanced, "there are no links in the scene: select objects and tag them as links"]
        raise BakeError(found[0])
    moved = [obj for obj in objects if not is_kinematic(obj)]
    if not moved:
        raise BakeError("all links move as they are animated: there is nothing to simulate")
    for obj in moved:
        require_bakeable(obj)
    muting = Muting(moved)
    muting.require_possible(filter(is_kinematic, objects))
    with muted(muting.constraints):
        require_separable(set(moved))
    return moved


def require_rigid_colliders(reading: SceneReading) -> None:
    """Raise BakeError if a collider changes its form over time."""
    for _, message, _ in deforming_colliders(reading):
        raise BakeError(message)


def warnings_of_check(reading: SceneReading) -> dict[str, tuple[str, str]]:
    """Return the warnings of core's check that hold at every frame, each with its code and the name of its object.

    Raises:
        BakeError: if the check finds an error.
    """
    issues = lasting_issues(check_definition(reading.model), reading.animated)
    for issue in issues:
        if issue.is_error:
            raise BakeError(f"{issue.subject}: {issue.message}")
    return {f"{issue.subject}: {issue.message}": (issue.code, issue.name) for issue in issues}


def note_on_excluded_poses(model: Model) -> list[str]:
    """Return a note about the joints whose limits exclude the pose in which their links were drawn; else no note.

    They start within their limits, so their links jump at the first frame.
    """
    found = [joint for joint in model.joints if _starts_at_a_limit(joint)]
    if not found:
        return []
    first, more = found[0], len(found) - 1
    others = f" and {more} more joint{'s' if more > 1 else ''} start" if more else " starts"
    return [
        f"joint '{first.name}'{others} at a limit, since the limits exclude the pose in which the links were drawn: "
        "move the limits, or pose the links within them"
    ]


def _starts_at_a_limit(joint: Joint) -> bool:
    """Return whether a joint's limits exclude its neutral pose, and no other start was chosen."""
    return joint.enabled and joint.home != joint.neutral and joint.home == joint.neutral_within_limits
