# SPDX-License-Identifier: GPL-3.0-or-later
"""Find the settings of a scene's model that keys, drivers or strips animate, and those that simulations follow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import bpy

from ....core.check import Issue
from ... import ids
from ...nodes import is_node, model_name
from ...nodes.animation import Animated, all_curves_of, animation_of, path_in
from ...props import is_joint, is_link
from ...props.settings import tagged_bones
from ..values.fields import AXIS_FIELDS, INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS, Field

SCENE = ""
"""`Input.owner` of gravity and wind, which belong to the scene and to no object."""

STRENGTH = "drive_strength"

ANIMATED = "animated"
"""Name of the property that lets a free link follow its own keys."""

WORDS = {STRENGTH: "strength", "home": "start", ANIMATED: "switch Animated"}
"""Words for messages, by the name of the property, where panels use another word than the name."""

ON_AXIS = re.compile(rf"{ids.JOINT}\.axes\[(\d+)\]\.(\w+?)(?:_angle|_length|_turning|_sliding)?")
ON_OBJECT = re.compile(rf"(?:{ids.JOINT}|{ids.LINK})\.(?:mimic\.)?(\w+)")
ON_START = re.compile(rf"{ids.JOINT}\.(?:use_home|coordinates\[\d+\]\.home(?:_angle|_length)?)")
SCENE_PATHS = {"gravity": "gravity", "use_gravity": "gravity", f"{ids.SCENE}.wind": "wind"}

READS_A_JOINT = re.compile(rf"{ids.JOINT}\.coordinates\[")


class Input(NamedTuple):
    """A setting of the model, of one number or several.

    Attributes:
        owner: name of the joint or link, or `SCENE`.
        field: name of the property.
        axis: number of the joint's axis; -1 if the setting belongs to no axis.
    """

    owner: str
    field: str
    axis: int = -1

    def __str__(self) -> str:
        what = WORDS.get(self.field, self.field.removeprefix("use_").replace("_", " "))
        if self.owner == SCENE:
            return f"the scene's {what}"
        kind = "joint" if self.axis >= 0 or self.field in OF_JOINTS else "link"
        return f"{kind} '{self.owner}': its {what}"


def _followed(fields: Iterable[Field]) -> set[str]:
    return {field.name for field in fields if field.is_followed}


def _names(fields: Iterable[Field]) -> set[str]:
    """Return the names of the fields and of their toggles."""
    return {name for field in fields for name in (field.name, field.toggle) if name}


FOLLOWED_ON_AXES = _followed(AXIS_FIELDS)
OF_JOINTS = _names((*JOINT_FIELDS, *MIMIC_FIELDS)) | {STRENGTH, "home"}
FOLLOWED = _followed(JOINT_FIELDS) | _followed(LINK_FIELDS) | {STRENGTH, ANIMATED, *SCENE_PATHS.values()}
KNOWN_ON_AXES = _names(AXIS_FIELDS)
KNOWN = FOLLOWED | OF_JOINTS | _names((*LINK_FIELDS, *INERTIAL_FIELDS)) | {"density", "material", "mass_source"}


def animated_inputs(scene: bpy.types.Scene) -> dict[Input, list[bpy.types.FCurve]]:
    """Return the animated settings of the scene's model, each with the F-curves, drivers included, that animate it."""
    found: dict[Input, list[bpy.types.FCurve]] = {}
    for owner in _owners(scene):
        for curve in curves_moving(owner):
            setting = _input_at(owner, path_in(owner, curve))
            if setting:
                found.setdefault(setting, []).append(curve)
    return found


def is_followed(setting: Input) -> bool:
    """Return whether simulations follow the animation of a setting."""
    return setting.field in (FOLLOWED_ON_AXES if setting.axis >= 0 else FOLLOWED)


def notes_on(animated: dict[Input, list[bpy.types.FCurve]]) -> list[str]:
    """Return sentences about animated settings that simulations do not treat as their user may expect."""
    found = []
    for setting, curves in animated.items():
        if not is_followed(setting):
            found.append(
                f"{setting} is animated, which simulations do not follow: it counts as it is at the frame that is shown"
            )
            continue
        read = {target.id.name for curve in curves for target in targets_of(curve) if _is_a_joints_place(target)}
        found += [
            f"{setting} has a driver that reads joint '{name}', and finds it where it stood before the simulation"
            for name in sorted(read)
        ]
    return found


def lasting_issues(issues: Iterable[Issue], animated: Iterable[Input]) -> list[Issue]:
    """Return the issues without those that may hold at this frame only.

    These are issues about drives without effect, if an axis or the drive strength of the joint is animated.
    """
    driven = {setting.owner for setting in animated if setting.axis >= 0 or setting.field == STRENGTH}
    return [issue for issue in issues if issue.code != "idle-drive" or issue.name not in driven]


def notes_on_export(animated: Iterable[Input]) -> list[str]:
    """Return a sentence for each animated setting: files cannot express the animation."""
    return [
        f"{setting} is animated, which files cannot express: it is exported as it is at this frame"
        for setting in animated
    ]


def curves_moving(owner: Animated) -> Iterator[bpy.types.FCurve]:
    """Yield the F-curves of the owner's action and strips and those of its drivers, except muted ones."""
    for curve in all_curves_of(owner):
        if not curve.mute and not (curve.group and curve.group.mute):
            yield curve


def targets_of(curve: bpy.types.FCurve) -> list[bpy.types.DriverTarget]:
    """Return the targets that a driver reads; empty for an F-curve with keys."""
    variables = curve.driver.variables if curve.driver else ()
    return [target for variable in variables for target in variable.targets if target.id]


def _is_a_joints_place(target: bpy.types.DriverTarget) -> bool:
    return bool(READS_A_JOINT.match(target.data_path))


def _owners(scene: bpy.types.Scene) -> Iterator[Animated]:
    if scene.animation_data:
        yield scene
    for obj in scene.objects:
        if animation_of(obj):
            yield from (node for node in (obj, *tagged_bones(obj)) if is_joint(node) or is_link(node))


def _input_at(owner: Animated, path: str) -> Input | None:
    if isinstance(owner, bpy.types.Scene):
        return Input(SCENE, SCENE_PATHS[path]) if path in SCENE_PATHS else None
    if not is_node(owner):
        return None
    if found := ON_AXIS.fullmatch(path):
        return Input(model_name(owner), found[2], int(found[1])) if found[2] in KNOWN_ON_AXES else None
    if ON_START.fullmatch(path):
        return Input(model_name(owner), "home")
    found = ON_OBJECT.fullmatch(path)
    return Input(model_name(owner), found[1]) if found and found[1] in KNOWN else None
