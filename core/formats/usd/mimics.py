# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that follow others, by Newton's and PhysX's schemas."""

from __future__ import annotations

from typing import Any

from ...model import Joint, Mimic
from ..findings import Findings
from .bodies import RADIAN
from .stage import Stage

NEWTON, PHYSX = "NewtonMimicAPI", "PhysxMimicJointAPI:"


def read_mimic(prim: Any, joint: Joint, joints: dict[str, Joint], stage: Stage, findings: Findings) -> None:
    """Let a joint follow another one, if its prim says so. joints: by the paths of their prims."""
    applied = stage.applied(prim)
    if NEWTON in applied and stage.flag(prim, "newton:mimicEnabled", True):
        targets = stage.targets(prim, "newton:mimicJoint")
        factor = stage.number(prim, "newton:mimicCoef1", 1.0, infinite=False)
        offset = stage.number(prim, "newton:mimicCoef0", 0.0, infinite=False)
    elif name := next((each for each in sorted(applied) if each.startswith(PHYSX)), ""):
        prefix = f"physxMimicJoint:{name.removeprefix(PHYSX)}:"
        targets = stage.targets(prim, f"{prefix}referenceJoint")
        factor = -stage.number(prim, f"{prefix}gearing", 1.0, infinite=False)
        offset = -stage.number(prim, f"{prefix}offset", 0.0, infinite=False)
    else:
        return
    leader = joints.get(str(targets[0])) if targets else None
    if leader is None or leader is joint:
        message = "it follows a joint that is not there; it moves by itself"
        findings.warning(stage.place(prim), "unknown-leader", message)
        return
    turns = [each.type not in ("prismatic",) for each in (joint, leader)]
    units = [RADIAN if turn else stage.unit for turn in turns]
    joint.mimic = Mimic(leader.name, factor * units[0] / units[1], offset * units[0])
