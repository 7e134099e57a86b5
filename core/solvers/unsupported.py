"""What a model asks for and the engine does not do yet, in words for the user: nothing is left out in silence."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..joints import FREE
from ..model import Axis, CompiledModel, Joint, Model

_AXIS_FEATURES: tuple[tuple[str, Callable[[Axis], bool]], ...] = (
    ("position limits", lambda axis: math.isfinite(axis.lower) or math.isfinite(axis.upper)),
    ("dry friction", lambda axis: axis.friction > 0.0),
    ("velocity limits", lambda axis: math.isfinite(axis.velocity)),
    ("drives", lambda axis: axis.drive_mode != "off"),
)


def unsupported_features(model: Model, compiled: CompiledModel) -> list[str]:
    """One sentence a feature, with the joints or links that it concerns."""
    notes = [f"link '{name}' is not joined to the world: it floats, and falls" for name in compiled.floating]
    for feature, asked in _AXIS_FEATURES:
        joints = [joint.name for joint in model.joints if any(map(asked, _moving_axes(joint)))]
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


def _moving_axes(joint: Joint) -> list[Axis]:
    return [axis for number, axis in enumerate(joint.axes[: joint.axis_count]) if not joint.is_locked(number)]


def _listed(names: list[str], most: int = 4) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
