"""Everything that is wrong or suspect in a scene's model, with the object that is to blame."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import bpy

from ...core.check import check_model
from ...core.spatial import norm
from .. import ids
from ..props import axes_in_use, core_joint, has_lost_its_parent, is_joint, is_link
from .live import gap_now
from .motion import is_animated
from .numbers import unit_length

if TYPE_CHECKING:
    from .read import Fault, SceneReading

ORDER = {"error": 0, "warning": 1, "note": 2}
NAMED = re.compile(r"(?:link|joint|object) '(.*?)'(?:[ :,]|$)")


@dataclass(frozen=True)
class Problem:
    """severity: "error", "warning" or "note". code: of its kind. name: of the object to blame; empty for none."""

    severity: str
    code: str
    name: str
    message: str

    @property
    def text(self) -> str:
        """The message without the object's name in front."""
        return re.sub(rf"^(?:link|joint|object) '{re.escape(self.name)}',?:? ?", "", self.message)


def find_problems(scene: bpy.types.Scene, reading: SceneReading, faults: list[Fault]) -> list[Problem]:
    """faults: what could not be read; it is in `reading` no more."""
    found = [_of_fault(scene, fault) for fault in faults]
    found += [_of_issue(issue) for issue in check_model(reading.model)] if reading.model.links else []
    found += left_links(scene, reading)
    return sorted(found, key=lambda problem: ORDER[problem.severity])


def _of_fault(scene: bpy.types.Scene, fault: Fault) -> Problem:
    obj = scene.objects.get(fault.name)
    return Problem("error", _code_of(obj) if obj and is_joint(obj) else "unreadable", fault.name, fault.message)


def _code_of(obj: bpy.types.Object) -> str:
    """Why a joint could not be read, as far as there is a button for it."""
    joint = getattr(obj, ids.JOINT)
    ends = [link for link in (joint.child, joint.parent) if link is not None]
    checks = (
        ("no-child", _is_gone(joint.child)),
        ("lost-parent", has_lost_its_parent(joint) or (joint.parent is not None and _is_gone(joint.parent))),
        ("joins-itself", joint.child == joint.parent),
        ("no-link", not all(map(is_link, ends))),
        ("no-frames", not (joint.X_PJ and joint.X_CJ)),
        ("no-leader", joint.use_mimic and _is_gone(joint.mimic.leader)),
        ("zero-axis", _has_zero_axis(joint)),
    )
    return next((code for code, holds in checks if holds), "unreadable")


def _is_gone(obj: bpy.types.Object | None) -> bool:
    """Whether there is none, or it was deleted: a pointer to it keeps it in the file, but in no scene."""
    return obj is None or not obj.users_scene


def _has_zero_axis(joint) -> bool:
    kind = core_joint(joint).kind
    return any(kind.slot(i).is_pointed and not norm(axis.xyz) for i, axis in enumerate(axes_in_use(joint)))


def _of_issue(issue) -> Problem:
    named = NAMED.match(issue.subject)
    return Problem(issue.severity, issue.code, named[1] if named else "", f"{issue.subject}: {issue.message}")


def left_links(scene: bpy.types.Scene, reading: SceneReading) -> list[Problem]:
    """Joints whose links were moved by hand to where the joint could not hold them."""
    found = []
    unit = unit_length(scene)
    for joint in reading.model.joints:
        obj = scene.objects.get(joint.name)
        if obj is None or not is_joint(obj) or not joint.enabled:
            continue
        settings = getattr(obj, ids.JOINT)
        if any(link is not None and is_animated(link) for link in (settings.parent, settings.child)):
            continue
        gap = gap_now(obj, joint, unit)
        if gap:
            message = (
                f"joint '{joint.name}': '{joint.child}' was moved {gap:.3g} m or rad away from where the joint holds "
                "it, and a simulation would put it back: join it where it is, or put it back"
            )
            found.append(Problem("warning", "link-left", joint.name, message))
    return found
