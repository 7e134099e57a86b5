# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes docs/joints.md from the registry of joint types: `make docs`. A test holds the file against it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from limberjack.core.joints import JOINT_TYPES, Column, JointType, Slot
from limberjack.core.joints.limited_quantities import CONE, DISTANCE, TWIST
from limberjack.core.joints.parts import DIRECTION, DRIVE, ENDLESS, FULL, LOWER, SCREW, STOPS, UPPER
from limberjack.core.model import WORLD, Joint

PAGE = Path(__file__).with_name("joints.md")

HEAD = """<!-- Written by `make docs` from core/joints/types.py: change it there. -->
# Joint types

A joint has a frame in its parent link and a frame in its child link. At q = 0 the two coincide; at q, X_J(q) transforms
one into the other. `S(q)` is the motion subspace: relative to the parent frame, the child frame moves with the twist
`S(q) qd`, here in axes of the child frame, linear part first. `x y z` are the axes of the joint frame, `a` is an axis
that you choose, and `R(a, t)` is a rotation by t about a. Each type is one entry of data in `core/joints/types.py`.

A *full* axis has a lock, limits with stops (stiffness, dissipation, restitution), effort and velocity limits,
armature, damping, friction, a spring and a drive. All of these act in simulations, on axes and on rows. (A *row* is
one more quantity of a joint that limits apply to, such as a distance or a cone's angle.) Limits are rigid or compliant
stops. If lower = upper, the axis is held at that value. Joints of any type may close a loop and keep all these
features.

| type | in the menu | coordinates q | velocities qd | S(q) | rows | SDF | URDF |
|---|---|---|---|---|---|---|---|
"""

QUANTITIES = {
    DISTANCE: "the distance between the origins of the two frames",
    CONE: "the angle between the axis and its initial direction",
    TWIST: "the rotation about the axis that remains after removing the swing",
}

PARTS = (
    ("turn, slide and point of the screw", SCREW),
    ("lower limit", LOWER),
    ("upper limit", UPPER),
    ("stops", STOPS),
    ("damping", {"damping"}),
    ("friction", {"friction"}),
    ("armature", {"armature"}),
    ("spring stiffness", {"spring_stiffness"}),
    ("spring reference", {"spring_reference"}),
    ("drive", DRIVE),
)


@dataclass(frozen=True)
class Motion:
    """A column of S(q): `angular` and `linear` times an axis, which later turns have carried away.

    Attributes:
        axis: "x", "a1" and so on.
        turns: (axis, coordinate) of the turns after it, the last first; their inverses carry it.
    """

    axis: str
    angular: str
    linear: str
    turns: tuple[tuple[str, str], ...]

    def __str__(self) -> str:
        carried = "".join(f"R({axis}, -{coordinate}) " for axis, coordinate in self.turns) + self.axis
        return f"({_times(self.linear, carried)}; {_times(self.angular, carried)})"


def motions(kind: JointType) -> list[Motion]:
    """The columns of S(q) of a type whose screws all lead through one point, slides before turns."""
    names = [_axis_name(kind, column) for column in kind.columns]
    single = len(names) == 1
    coordinates = ["q" if single else f"q{i + 1}" for i in range(len(names))]
    found = []
    for i, column in enumerate(kind.columns):
        later = [(names[j], coordinates[j]) for j in range(len(names)) if j > i and kind.columns[j].turn]
        later = [turn for turn in later if turn[0] != names[i]] if all(t[0] == names[i] for t in later) else later
        linear = "pitch/2π" if column.threaded else f"{column.slide:g}"
        found.append(Motion(names[i], f"{column.turn:g}", linear, tuple(reversed(later))))
    return found


def page() -> str:
    """The whole text."""
    table = "".join(_row(kind) for kind in JOINT_TYPES.values())
    return HEAD + table + "".join(_section(kind) for kind in JOINT_TYPES.values())


def _axis_name(kind: JointType, column: Column) -> str:
    slot = kind.axes[column.axis]
    number = column.axis if slot.along is None else slot.along
    direction = kind.axes[number].direction
    if direction:
        return "xyz"[direction.index(1.0)]
    pointed = [i for i, other in enumerate(kind.axes) if other.is_pointed]
    return "a" if len(pointed) == 1 else f"a{pointed.index(number) + 1}"


def _times(factor: str, vector: str) -> str:
    if factor == "0":
        return "0"
    return vector if factor == "1" else f"{factor} {vector}"


def _joint(kind: JointType) -> Joint:
    return Joint("joint", kind.name, WORLD, "link")


def _subspace(kind: JointType) -> str:
    if kind.chart:
        return "1 (6 x 6)" if len(kind.chart.qd_units) == 6 else "(0; 1)"
    if kind.is_open:
        return "Ad(exp(s(i+1) q(i+1)) ...)^-1 s(i)"
    return "<br>".join(map(str, motions(kind))) or "-"


def _units(units: tuple, rate: bool) -> str:
    if not units:
        return "-"
    words = [f"{name or 'q'} [{(unit.velocity if rate else unit.value) or '1'}]" for name, unit in units]
    return ", ".join(words)


def _row(kind: JointType) -> str:
    joint = _joint(kind)
    if kind.is_open:
        q, qd = "one a column", "one a column"
    else:
        q, qd = _units(joint.q_units, rate=False), _units(joint.qd_units, rate=True)
    rows = ", ".join(kind.axes[row.axis].name for row in kind.limited_quantities) or "-"
    cells = (f"`{kind.name}`", kind.label, q, qd, f"{_subspace(kind)}", rows, kind.sdf or "-", kind.urdf or "-")
    return f"| {' | '.join(cells)} |\n"


def _section(kind: JointType) -> str:
    slots = [("each axis", kind.slot(0))] if kind.is_open else [(slot.name or "axis", slot) for slot in kind.axes]
    alike: dict[str, list[str]] = {}
    for name, slot in slots:
        alike.setdefault(_parts(slot), []).append(f"**{name}** {_direction(kind, slot)}")
    lines = [f"{'; '.join(names)}: {parts}" for parts, names in alike.items()]
    for row in kind.limited_quantities:
        springs = " A spring and a damper act on it." if "damping" in kind.axes[row.axis].fields else ""
        name, quantity = kind.axes[row.axis].name, QUANTITIES[row.code]
        lines.append(f"Limited quantity `{name}`: {quantity}, kept within the limits of that axis.{springs}")
    if kind.spring_axes:
        parts = [name for name, _ in kind.chart.qd_units]
        by_axis = {
            kind.axes[n].name: [p for p, m in zip(parts, kind.spring_axes, strict=True) if m == n]
            for n in kind.spring_axes
        }
        law = "; ".join(f"{name} on {', '.join(own)}" for name, own in by_axis.items())
        what = "resistance" if kind.is_free else "springs and dampers"
        rest = "" if kind.is_free else ", rotations as rotation vector from rest"
        lines.append(f"Force law: {what} per component{rest}: {law}.")
    text = f"\n## {kind.label} (`{kind.name}`)\n\n{kind.summary}.\n"
    return text + "".join(f"\n- {line}" for line in lines) + ("\n" if lines else "")


def _direction(kind: JointType, slot: Slot) -> str:
    if slot.along is not None:
        return f"along the {kind.axes[slot.along].name} axis"
    if kind.is_free:
        return "in every direction alike"
    return f"along {'xyz'[slot.direction.index(1.0)]}" if slot.direction else "in a direction that you choose"


def _parts(slot: Slot) -> str:
    if slot.fields >= FULL - DIRECTION:
        return "full" + (", with turn, slide and point of its screw" if slot.fields >= SCREW else "")
    if slot.fields >= ENDLESS - DIRECTION:
        return "full, except for limits"
    return ", ".join(words for words, fields in PARTS if fields & slot.fields)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
