"""What the doctor said of a scene's last simulation: kept, and its remedies put into Blender's properties."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from types import SimpleNamespace
from typing import TYPE_CHECKING

import bpy

from ...core.joints import Unit
from ...core.model import ModelError
from .. import ids
from ..props import axes_in_use, core_joint, is_joint, is_link
from .dials import view_joint
from .fields import LINK_FIELDS, drive_of, fields_on, write_fields
from .numbers import length_in_words, units_of
from .rigging import set_home

if TYPE_CHECKING:
    from ...core.solvers import Diagnosis
    from ..props.findings import FindingProperties

FORCE = {Unit.ANGLE: "N m", Unit.LENGTH: "N"}
STIFFNESS = {Unit.ANGLE: "N m/rad", Unit.LENGTH: "N/m"}
DAMPING = {Unit.ANGLE: "N m s/rad", Unit.LENGTH: "N s/m"}
UNITS = {
    "effort": FORCE,
    "friction": FORCE,
    "stiffness": STIFFNESS,
    "spring_stiffness": STIFFNESS,
    "drive_stiffness": STIFFNESS,
    "damping": DAMPING,
    "drive_damping": DAMPING,
}
"""Of an axis's fields, by what its coordinate measures."""


def keep_findings(scene: bpy.types.Scene, diagnoses: Iterable[Diagnosis]) -> None:
    """Let these be all that there is to say of the last simulation."""
    findings = getattr(scene, ids.SCENE).findings
    findings.clear()
    for diagnosis in diagnoses:
        finding = findings.add()
        finding.code, finding.message = diagnosis.code, diagnosis.message
        if not diagnosis.subject.startswith("model "):
            finding.name, finding.culprit = diagnosis.name, scene.objects.get(diagnosis.name)
        if diagnosis.remedy:
            finding.kind, finding.axis = diagnosis.remedy.kind, diagnosis.remedy.axis
            finding.changes = json.dumps(dict(diagnosis.remedy.changes))


def forget_findings(scene: bpy.types.Scene, code: str, culprit: bpy.types.Object) -> None:
    """Of what was mended otherwise."""
    findings = getattr(scene, ids.SCENE).findings
    for number in reversed(range(len(findings))):
        if (findings[number].code, findings[number].culprit) == (code, culprit):
            findings.remove(number)


def obstacle_to(finding: FindingProperties, scene: bpy.types.Scene) -> str:
    """Why a finding's remedy cannot be applied; empty where it can."""
    if not finding.kind:
        return "There is no button for this: the message says what to do"
    if finding.kind == "run":
        return ""
    obj = finding.culprit
    if obj is None or obj.name not in scene.objects:
        return f"'{finding.name}' is no longer in the scene"
    if not (is_joint(obj) if finding.kind == "joint" else is_link(obj)):
        return f"'{obj.name}' is no {finding.kind} any more"
    if finding.kind == "joint" and not _fields_of(finding) >= json.loads(finding.changes).keys():
        return f"joint '{obj.name}' has another type now, where this means nothing: simulate again"
    return ""


def _fields_of(finding: FindingProperties) -> set[str]:
    """What can be changed on the joint's axis, as the joint is now."""
    joint = getattr(finding.culprit, ids.JOINT)
    if finding.axis >= len(axes_in_use(joint)):
        return set()
    known = core_joint(joint)
    fields = {field.name for field in fields_on(known.kind.slot(finding.axis))}
    return fields if known.place_of(finding.axis) is None else fields | {"home"}


def apply_remedy(finding: FindingProperties, scene: bpy.types.Scene) -> None:
    """Put a remedy's values where they belong.

    Raises:
        ModelError: there is no remedy, or what it changes is gone.
    """
    if obstacle := obstacle_to(finding, scene):
        raise ModelError(obstacle)
    changes, units = _changes(finding), units_of(scene)
    if finding.kind == "run":
        for name, value in changes.items():
            setattr(getattr(scene, ids.SCENE), name, value)
    elif "static" in changes:
        getattr(finding.culprit, ids.LINK).motion = "STATIC"
    elif finding.kind == "link":
        fields = [field for field in LINK_FIELDS if field.name in changes]
        write_fields(fields, getattr(finding.culprit, ids.LINK), SimpleNamespace(**changes), units)
    elif "home" in changes:
        dials = view_joint(finding.culprit, scene).dials
        set_home(finding.culprit, scene, next(dial for dial in dials if dial.axis == finding.axis), changes["home"])
    else:
        joint = getattr(finding.culprit, ids.JOINT)
        known = core_joint(joint)
        fields = [field for field in fields_on(known.kind.slot(finding.axis)) if field.name in changes]
        coordinate = known.axis_unit(finding.axis)
        write_fields(fields, joint.axes[finding.axis], SimpleNamespace(**changes), units, coordinate)


def _changes(finding: FindingProperties) -> dict:
    """Of a joint's drive, at its whole strength, as the panel has it: core knows but what is left of that."""
    changes = json.loads(finding.changes)
    if finding.kind != "joint":
        return changes
    joint = getattr(finding.culprit, ids.JOINT)
    scaled, strength = drive_of(joint.axes[finding.axis]).scales, joint.drive_strength
    return {name: value / strength if name in scaled and strength else value for name, value in changes.items()}


def remedy_label(finding: FindingProperties, scene: bpy.types.Scene) -> str:
    """What its button says, in the scene's units; of one that can be applied."""
    unit = Unit.NUMBER
    if finding.kind == "joint":
        unit = core_joint(getattr(finding.culprit, ids.JOINT)).axis_unit(finding.axis)
    match _changes(finding):
        case {"static": _}:
            return "Fix Base"
        case {"lower": _, "upper": _}:
            return "Swap Limits"
        case {"drive_mode": mode}:
            return f"Turn Drive {mode.title()}"
        case {"accuracy": accuracy}:
            return f"Choose Accuracy {accuracy.title()}"
        case {"home": start}:
            return f"Start at {length_in_words(scene, start) if unit is Unit.LENGTH else f'{math.degrees(start):.4g}°'}"
        case numbers:
            return f"Set {' and '.join(_told(name, value, unit) for name, value in numbers.items())}"


def _told(name: str, value: float, unit: Unit) -> str:
    return f"{name.replace('_', ' ').title()} to {value:.4g} {UNITS.get(name, {}).get(unit, '')}".rstrip()
