# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/features.md, what acts on which joint type: `make docs`.

Cells follow from the fields of each type's slots, so that a new type or a new field finds its place. That the page is
up to date tests/docs/test_features_page.py tells; that each cell is true, tests/core/solvers/test_features.py.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from limberjack.core.joints import JOINT_TYPES, JointType
from limberjack.core.joints.limited_quantities import CONE, DISTANCE, TWIST
from limberjack.core.model import WORLD, Axis, Joint

PAGE = Path(__file__).with_name("features.md")

HEAD = """<!-- Written by `make docs` from core/joints/types.py and docs/make_features.py: change it there. -->
# What acts on which joint

Each row is a [joint type](joints.md), each column a feature.

- *yes*: the feature works, on joints that carry a link and on joints that close a loop.
- *tree*: it works on joints that carry a link only.
- `-`: it does not apply, since no axis of the type has such a property.
- *contact* means that objects that hit the link, or lie on it, feel it move as the joint allows.

The table is generated from the data of the types. `tests/core/solvers/test_features.py` tests each cell with a motion
that is known in advance.

"""

BOTH, TREE, NOTHING = "yes", "tree", "-"


@dataclass(frozen=True)
class Feature:
    """What can be asked of a joint.

    Attributes:
        name: as tests call it. label: as the page does.
        fits: whether it means something on axis `number` of a joint; the number is None for `of_joint`.
        asks: fields of an axis (or, for `of_joint`, of the joint) that ask for it.
        of_joint: whether it is asked of the joint as a whole.
    """

    name: str
    label: str
    fits: Callable[[Joint, int | None], bool]
    asks: dict = field(default_factory=dict)
    of_joint: bool = False


def _is_column(joint: Joint, number: int | None) -> bool:
    return any(column.axis == number for column in joint.all_columns)


def _has(name: str) -> Callable[[Joint, int | None], bool]:
    return lambda joint, number: name in joint.kind.slot(number).fields


def _stops_column(joint: Joint, number: int | None) -> bool:
    return _is_column(joint, number) and joint.kind.slot(number).limited


def _stops_row(measure: int) -> Callable[[Joint, int | None], bool]:
    return lambda joint, number: any((row.code, row.axis) == (measure, number) for row in joint.kind.limited_quantities)


FEATURES = (
    Feature("rigid_limits", "position limits, rigid", _stops_column, {"upper": 1.0, "stiffness": float("inf")}),
    Feature("compliant_limits", "position limits, compliant", _stops_column, {"upper": 1.0}),
    Feature("distance_limits", "distance limits", _stops_row(DISTANCE), {"upper": 1.0}),
    Feature("cone_limits", "cone limits", _stops_row(CONE), {"upper": 1.0}),
    Feature("twist_limits", "twist limits", _stops_row(TWIST), {"upper": 1.0}),
    Feature("velocity_limit", "velocity limit", _has("velocity"), {"velocity": 1.0}),
    Feature("friction", "friction", _has("friction"), {"friction": 1.0}),
    Feature("damping", "damping", _has("damping"), {"damping": 1.0}),
    Feature("armature", "armature", _has("armature"), {"armature": 1.0}),
    Feature("spring", "spring", _has("spring_stiffness"), {"spring_stiffness": 1.0}),
    Feature("position_drive", "position drive", _has("drive_mode"), {"drive_mode": "position"}),
    Feature("velocity_drive", "velocity drive", _has("drive_mode"), {"drive_mode": "velocity"}),
    Feature("force_drive", "force drive", _has("drive_mode"), {"drive_mode": "force"}),
    Feature("effort_limit", "effort limit", _has("effort"), {"effort": 1.0}),
    Feature("coupling", "mimic, coupling", _is_column),
    Feature("locked", "lock", _has("locked"), {"locked": True}),
    Feature("prescribed", "prescribed motion", lambda joint, _: joint.nv > 0, of_joint=True),
    Feature(
        "release",
        "disable, release",
        lambda joint, _: not joint.kind.is_free,
        {"enabled": False, "released_at": 1.0},
        of_joint=True,
    ),
    Feature(
        "breaking",
        "break force, torque",
        lambda joint, _: not joint.kind.is_free,
        {"break_force": 1.0, "break_torque": 1.0},
        of_joint=True,
    ),
    Feature("contact", "contact", lambda joint, _: True, of_joint=True),
)


def axes_for(feature: Feature, joint: Joint) -> list[int | None]:
    """The axes of a joint on which a feature means something; [None] where it does to the joint as a whole."""
    numbers: list[int | None] = [None] if feature.of_joint else [*range(joint.axis_count)]
    return [number for number in numbers if feature.fits(joint, number)]


def forms(kind: JointType) -> tuple[str, ...]:
    """Return where a joint of a type can act. A free joint closes no loop."""
    return ("tree",) if kind.is_free else ("tree", "loop")


def cell(feature: Feature, kind: JointType) -> str:
    joint = Joint("joint", kind.name, WORLD, "link", axes=[Axis()] if kind.is_open else [])
    numbers = axes_for(feature, joint)
    if not numbers:
        return NOTHING
    return BOTH if "loop" in forms(kind) else TREE


def page() -> str:
    """The whole text."""
    rows = [["type", *(feature.label for feature in FEATURES)], ["---"] * (1 + len(FEATURES))]
    rows += [[f"`{kind.name}`", *(cell(feature, kind) for feature in FEATURES)] for kind in JOINT_TYPES.values()]
    return HEAD + "".join(f"| {' | '.join(row)} |\n" for row in rows)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
