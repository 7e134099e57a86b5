"""What a model asks for and the engine does not do yet, in words for the user: nothing is left out in silence."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

from ..joints import FREE
from ..model import CompiledModel, Joint, Model

_AXIS_FEATURES: tuple[tuple[str, tuple[str, ...], Callable[[Any], bool]], ...] = (
    ("position limits", ("lower", "upper"), math.isfinite),
    ("dry friction", ("friction",), lambda friction: friction > 0.0),
    ("velocity limits", ("velocity",), math.isfinite),
    ("effort limits", ("effort",), math.isfinite),
    ("drives", ("drive_mode",), lambda mode: mode != "off"),
)
"""What to call it, the fields of an `Axis` that ask for it, and which of their values do."""


def unsupported_features(model: Model, compiled: CompiledModel) -> list[str]:
    """One sentence a feature, with the joints or links that it concerns."""
    notes = [f"link '{name}' is not joined to the world: it floats, and falls" for name in compiled.floating]
    for feature, fields, asks in _AXIS_FEATURES:
        joints = [joint.name for joint in model.joints if any(map(asks, _values(joint, fields)))]
        if joints:
            notes.append(f"{feature} are kept but do not act in the simulation yet: {_listed(joints)}")
    slack = [joint.name for joint in model.joints if joint.kind.code == FREE and joint.kind.rows]
    if slack:
        notes.append(f"distances are not held in the simulation yet, so these joints let go: {_listed(slack)}")
    followers = [joint.name for joint in model.joints if joint.mimic]
    if followers:
        notes.append(f"mimic joints are kept but move freely in the simulation yet: {_listed(followers)}")
    if model.couplings:
        names = [coupling.name for coupling in model.couplings]
        notes.append(f"couplings are kept but do not act in the simulation yet: {_listed(names)}")
    return notes


def _values(joint: Joint, fields: tuple[str, ...]) -> Iterator[Any]:
    """Of the fields that mean something on the joint's axes that move."""
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        if not joint.is_locked(number):
            yield from (getattr(axis, field) for field in fields if field in joint.kind.slot(number).fields)


def _listed(names: list[str], most: int = 4) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
