# SPDX-License-Identifier: GPL-3.0-or-later
"""Store the findings about a scene's last simulation, and write their remedies to Blender's properties."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable
from dataclasses import replace
from types import SimpleNamespace
from typing import TYPE_CHECKING

import bpy

from ....core.joints import Unit
from ....core.model import ModelError
from ....core.model.drives import DRIVES
from ....core.spatial import IDENTITY
from ...nodes import Node, model_name, owner_of
from ...nodes.naming import node_named
from ...props import axes_in_use, core_joint, is_joint, is_link
from ...props.scene import SceneProperties
from ...props.settings import joint_settings, link_settings, scene_settings
from ..animation.animated import animated_inputs, is_followed
from ..joints.axis_views import view_joint
from ..joints.joint_edits import set_home
from ..values.fields import LINK_FIELDS, drive_of, fields_on, write_fields
from ..values.numbers import length_in_words, units_of
from ..values.stored_json import known_fields, parse_stored

if TYPE_CHECKING:
    from ....core.diagnosis import Diagnosis
    from ....core.model import Model
    from ...props.findings import FindingProperties
    from .problems import Problem

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
"""Unit symbols of an axis's fields, by the unit of its coordinate."""


def store_findings(scene: bpy.types.Scene, diagnoses: Iterable[Diagnosis]) -> None:
    """Store findings in place of those about the simulation before."""
    findings = scene_settings(scene).findings
    findings.clear()
    for diagnosis in diagnoses:
        finding = findings.add()
        finding.code, finding.message = diagnosis.code, diagnosis.message
        if not diagnosis.subject.startswith("model "):
            finding.name, finding.culprit_node = diagnosis.name, node_named(scene, diagnosis.name)
        if diagnosis.remedy:
            finding.kind, finding.axis = diagnosis.remedy.kind, diagnosis.remedy.axis
            finding.changes = json.dumps(dict(diagnosis.remedy.changes))


def name_of(finding: FindingProperties) -> str:
    """Return the present name of the object that caused a finding."""
    return model_name(finding.culprit_node) if finding.culprit_node else finding.name


def unreported_findings(scene: bpy.types.Scene, problems: Iterable[Problem]) -> list[tuple[int, FindingProperties]]:
    """Return the findings with their indices, without those that a problem reports already."""
    reported = {(problem.code, problem.name) for problem in problems}
    findings = enumerate(scene_settings(scene).findings)
    return [(number, finding) for number, finding in findings if (finding.code, name_of(finding)) not in reported]


def remove_outdated_findings(scene: bpy.types.Scene, model: Model) -> None:
    """Remove findings whose cause has been changed since. Another simulation will show whether they remain.

    Findings about animated objects stay, because these differ from frame to frame.

    Args:
        model: of the scene, as it is read now.
    """
    findings = scene_settings(scene).findings
    if not findings:
        return
    animated = {known.owner for known in animated_inputs(scene) if is_followed(known)}
    for number in reversed(range(len(findings))):
        finding = findings[number]
        if finding.name in animated or (animated and not finding.name):
            continue
        now = _digest_of_cause(finding, scene, model)
        if not finding.seen:
            finding.seen = now
        elif finding.seen != now:
            findings.remove(number)


def _digest_of_cause(finding: FindingProperties, scene: bpy.types.Scene, model: Model) -> str:
    """Return a digest of the properties that a finding depends on.

    These are the joint or link that caused it and the joints and links attached to it, without their names. If there is
    no such object, it is the whole model. The accuracy is included if the finding is about that.
    """
    name = name_of(finding)
    accuracy = scene_settings(scene).accuracy if finding.kind == "run" or not name else ""
    if not name:
        return f"{model.digest()} {accuracy}"
    joints = [joint for joint in model.joints if name in (joint.name, joint.parent, joint.child)]
    ends = {name} | {end for joint in joints if joint.name == name for end in (joint.parent, joint.child)}
    links = [replace(link, pose=IDENTITY) for link in model.links if link.name in ends]
    text = repr([*links, *joints]).replace(repr(name), "")
    return f"{hashlib.sha256(text.encode()).hexdigest()} {accuracy}"


def remove_findings(scene: bpy.types.Scene, code: str, culprit: Node) -> None:
    """Remove the findings with a code and an object, after another repair."""
    findings = scene_settings(scene).findings
    for number in reversed(range(len(findings))):
        if (findings[number].code, findings[number].culprit_node) == (code, culprit):
            findings.remove(number)


def obstacle_to(finding: FindingProperties, scene: bpy.types.Scene) -> str:
    """Return why a finding's remedy cannot be applied; empty if it can."""
    if not finding.kind:
        return "There is no button for this: the message says what to do"
    if not _stored_changes(finding):
        return "What it changes cannot be read: simulate again"
    if finding.kind == "run":
        return ""
    obj = finding.culprit_node
    if obj is None or scene not in owner_of(obj).users_scene:
        return f"'{finding.name}' is no longer in the scene"
    if not (is_joint(obj) if finding.kind == "joint" else is_link(obj)):
        return f"'{obj.name}' is no {finding.kind} any more"
    if finding.kind == "joint" and not _fields_of(finding) >= _stored_changes(finding).keys():
        return f"joint '{obj.name}' has another type now, where this means nothing: simulate again"
    return ""


def _fields_of(finding: FindingProperties) -> set[str]:
    """Return the names of the fields that the joint's axis has at present."""
    joint = joint_settings(finding.culprit_node)
    if finding.axis >= len(axes_in_use(joint)):
        return set()
    known = core_joint(joint)
    fields = {field.name for field in fields_on(known.kind.slot(finding.axis))}
    return fields if known.place_of(finding.axis) is None else fields | {"home"}


def apply_remedy(finding: FindingProperties, scene: bpy.types.Scene) -> None:
    """Write the values of a remedy to the properties.

    Raises:
        ModelError: if there is no remedy, or if the object that it changes does not exist any more.
    """
    if obstacle := obstacle_to(finding, scene):
        raise ModelError(obstacle)
    changes, units = _changes(finding), units_of(scene)
    if finding.kind == "run":
        for name, value in changes.items():
            setattr(scene_settings(scene), name, value)
    elif "static" in changes:
        link_settings(finding.culprit_node).motion = "STATIC"
    elif finding.kind == "link":
        fields = [field for field in LINK_FIELDS if field.name in changes]
        write_fields(fields, link_settings(finding.culprit_node), SimpleNamespace(**changes), units)
    elif "home" in changes:
        axes = view_joint(finding.culprit_node, scene).axes
        set_home(
            finding.culprit_node,
            scene,
            next(axis for axis in axes if axis.number == finding.axis),
            changes["home"],
        )
    else:
        joint = joint_settings(finding.culprit_node)
        known = core_joint(joint)
        fields = [field for field in fields_on(known.kind.slot(finding.axis)) if field.name in changes]
        coordinate = known.axis_unit(finding.axis)
        write_fields(fields, joint.axes[finding.axis], SimpleNamespace(**changes), units, coordinate)


def _stored_changes(finding: FindingProperties) -> dict:
    """Return the values that a finding's remedy sets.

    It is empty if they cannot be read, or if no remedy can contain them.
    """
    stored = parse_stored(finding.changes)
    accuracies = SceneProperties.bl_rna.properties["accuracy"].enum_items.keys()
    words = {"run": {"accuracy": accuracies}, "joint": {"drive_mode": DRIVES}}.get(finding.kind, {})
    numbers = {name: float for name in stored if name not in words and name != "static" and finding.kind != "run"}
    known = known_fields(stored, numbers | {"static": bool})
    known |= {name: stored[name] for name, allowed in words.items() if stored.get(name) in allowed}
    return known if known.keys() == stored.keys() else {}


def _changes(finding: FindingProperties) -> dict:
    """Return the values that a finding's remedy sets, as the panel shows them.

    Values of a drive are divided by the joint's drive strength, because core knows them only after multiplication by
    it.
    """
    changes = _stored_changes(finding)
    if finding.kind != "joint":
        return changes
    joint = joint_settings(finding.culprit_node)
    scaled, strength = drive_of(joint.axes[finding.axis]).scales, joint.drive_strength
    return {name: value / strength if name in scaled and strength else value for name, value in changes.items()}


def remedy_label(finding: FindingProperties, scene: bpy.types.Scene) -> str:
    """Return the label of the button of a remedy that can be applied, in the scene's units."""
    unit = Unit.NUMBER
    if finding.kind == "joint":
        unit = core_joint(joint_settings(finding.culprit_node)).axis_unit(finding.axis)
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
            return f"Set {' and '.join(_change_in_words(name, value, unit) for name, value in numbers.items())}"


def _change_in_words(name: str, value: float, unit: Unit) -> str:
    return f"{name.replace('_', ' ').title()} to {value:.4g} {UNITS.get(name, {}).get(unit, '')}".rstrip()
