# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others, by Newton's and PhysX's schemas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from ...model import Mimic
from ..findings import Findings
from .bodies import RADIAN
from .coordinates import ReadJoint, axis_number
from .stage import Stage

NEWTON, PHYSX = "NewtonMimicAPI", "PhysxMimicJointAPI:"
"""Names of API schemas; PhysX's is followed by the degree of freedom that follows."""


class Follows(NamedTuple):
    """A rule that a prim gives: coordinate = factor * the leader's + offset, in degrees and units of the stage.

    Attributes:
        leader: path of the joint, "" if none is named. dof, leader_dof: of the coordinates; "" for the only ones.
    """

    leader: str
    factor: float
    offset: float
    dof: str = ""
    leader_dof: str = ""


def read_mimics(found: Sequence[ReadJoint], stage: Stage, findings: Findings) -> None:
    """Let joints follow others where their prims say so."""
    by_path = {str(each.prim.GetPath()): each for each in found}
    for each in found:
        if follows := _follows(each.prim, stage):
            _set(each, by_path.get(follows.leader), follows, stage, findings)


def _follows(prim: Any, stage: Stage) -> Follows | None:
    applied = stage.applied(prim)
    if NEWTON in applied and stage.flag(prim, "newton:mimicEnabled", True):
        factor = stage.number(prim, "newton:mimicCoef1", 1.0, infinite=False)
        offset = stage.number(prim, "newton:mimicCoef0", 0.0, infinite=False)
        return Follows(_first(stage.targets(prim, "newton:mimicJoint")), factor, offset)
    name = next((each for each in sorted(applied) if each.startswith(PHYSX)), "")
    if not name:
        return None
    dof = name.removeprefix(PHYSX)
    prefix = f"physxMimicJoint:{dof}:"
    factor = stage.number(prim, f"{prefix}gearing", 1.0, infinite=False)
    offset = stage.number(prim, f"{prefix}offset", 0.0, infinite=False)
    leader_dof = stage.word(prim, f"{prefix}referenceJointAxis", "")
    return Follows(_first(stage.targets(prim, f"{prefix}referenceJoint")), -factor, -offset, dof, leader_dof)


def _first(targets: Sequence[Any]) -> str:
    return str(targets[0]) if targets else ""


def _set(each: ReadJoint, leader: ReadJoint | None, follows: Follows, stage: Stage, findings: Findings) -> None:
    place = stage.place(each.prim)
    if leader is None or leader is each:
        findings.warning(place, "unknown-leader", "it follows a joint that is not there; it moves by itself")
        return
    dofs = each.dof or follows.dof, leader.dof or follows.leader_dof
    joints = each.joint, leader.joint
    axis, leader_axis = (axis_number(joint, dof) if dof else None for joint, dof in zip(joints, dofs, strict=True))
    if axis is None or leader_axis is None or each.joint.mimic:
        message = "it follows, or is followed, in other than one axis; it moves by itself"
        findings.warning(place, "left-out", message)
        return
    units = [stage.unit if dof.startswith("trans") else RADIAN for dof in dofs]
    factor = follows.factor * units[0] / units[1]
    each.joint.mimic = Mimic(leader.joint.name, factor, follows.offset * units[0], axis=axis, leader_axis=leader_axis)
