"""What a model asks for and the engine does not do yet, in words for the user: nothing is left out in silence."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..joints import Row
from ..joints.rows import CONE, DISTANCE, TWIST
from ..model import WORLD, Axis, CompiledModel, Joint, Model

_AXIS_FEATURES: tuple[tuple[str, str, Callable[[Axis], bool]], ...] = (
    ("dry friction", "friction", lambda axis: axis.friction > 0.0),
    ("velocity limits", "velocity", lambda axis: math.isfinite(axis.velocity)),
    ("effort limits", "effort", lambda axis: math.isfinite(axis.effort)),
    ("drives", "drive_mode", lambda axis: axis.drive_mode != "off"),
)
"""What to call it, the field of an `Axis` that asks for it, and when that does."""

_POSITIONS = "position limits"
_MEASURES = {DISTANCE: "nearest and farthest distances", CONE: "cone limits", TWIST: "twist limits"}

FEATURES = (_POSITIONS, *_MEASURES.values(), *(feature for feature, _, _ in _AXIS_FEATURES))
"""In the order in which a person is told of them."""


def unsupported_features(model: Model, compiled: CompiledModel) -> list[str]:
    """One sentence a feature, with the joints or links that it concerns."""
    held = _held_by_loops(compiled)
    loose = [name for name in compiled.floating if name not in held]
    notes = [f"link '{name}' is not joined to the world: it floats, and falls" for name in loose]
    asked = {joint.name: unsupported_on(joint) for joint in model.joints}
    for feature in FEATURES:
        joints = [name for name, features in asked.items() if feature in features]
        if joints:
            notes.append(f"{feature} are kept but do not act in the simulation yet: {_listed(joints)}")
    return notes


def unsupported_on(joint: Joint) -> list[str]:
    """The `FEATURES` that a joint asks for, by what means something on its axes that move.

    Limits that leave no room are no such feature: they hold the joint.
    """
    held = [row for row, _ in joint.held_rows]
    idle = [row for row in joint.kind.rows if row not in held and _asks(row, joint.axes[row.axis])]
    found = {_MEASURES[row.measure] for row in idle}
    for column in joint.columns:
        axis = joint.axes[column.axis]
        if joint.kind.slot(column.axis).limited and not (axis.has_no_room or axis.is_unlimited):
            found.add(_POSITIONS)
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        fields = frozenset() if joint.is_locked(number) else joint.kind.slot(number).fields
        found |= {feature for feature, name, asks in _AXIS_FEATURES if name in fields and asks(axis)}
    return [feature for feature in FEATURES if feature in found]


def _held_by_loops(compiled: CompiledModel) -> set[str]:
    """The floating links that joints which are marked to close loops hold in the world after all."""
    tree = compiled.tree
    bonds = [
        (tree.root_of(joint.parent), tree.root_of(joint.child)) for joint in tree.loops if not joint.kind.holds_nothing
    ]
    held = {WORLD}
    for _ in bonds:  # as often as a chain of them can be long
        held |= {end for bond in bonds if held & set(bond) for end in bond}
    return held


def _asks(row: Row, axis: Axis) -> bool:
    """Whether a row keeps its measure from something."""
    return axis.lower > row.least or axis.upper < row.most


def _listed(names: list[str], most: int = 4) -> str:
    shown = ", ".join(f"'{name}'" for name in names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
