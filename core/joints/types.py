"""The joint types, one entry each. A new entry here is all that a new type needs.

Columns follow each other outward; where slides come before turns, a joint is one body to the kernels, and any other
order is split by `compile_model` (Featherstone, Rigid Body Dynamics Algorithms, section 4.4: Table 4.1 holds these and
more).
"""

from __future__ import annotations

import math

from ..spatial import Vec3
from .parts import (
    BALL_CHART,
    DIRECTION,
    DRIVE,
    ENDLESS,
    FREE_CHART,
    LIMITS,
    LOSSES,
    SPRING,
    STOPS,
    UPPER,
    Column,
    JointType,
    Row,
    Slot,
    Unit,
)
from .rows import CONE, DISTANCE, TWIST

X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


def _turns(*directions: tuple[str, Vec3], after: int = 0) -> tuple[tuple[Column, ...], tuple[Slot, ...]]:
    """Columns that turn about fixed directions, and their slots; they number their axes from `after`."""
    columns = tuple(Column(axis=after + i, turn=1.0) for i in range(len(directions)))
    return columns, tuple(Slot(name).fixed_to(direction) for name, direction in directions)


def _slides(*directions: tuple[str, Vec3]) -> tuple[tuple[Column, ...], tuple[Slot, ...]]:
    columns = tuple(Column(axis=i, slide=1.0) for i in range(len(directions)))
    return columns, tuple(Slot(name).fixed_to(direction) for name, direction in directions)


def _euler(order: str) -> JointType:
    columns, axes = _turns(*((letter, {"x": X, "y": Y, "z": Z}[letter]) for letter in order))
    upper = order.upper()
    return JointType(
        f"euler_{order}",
        f"Euler {upper}",
        f"Three hinges about {upper[0]}, then {upper[1]}, then {upper[2]}",
        columns=columns,
        axes=axes,
    )


_PLANE_SLIDES, _PLANE_SLIDE_SLOTS = _slides(("x", X), ("y", Y))
_PLANE_TURN, _PLANE_TURN_SLOT = _turns(("turn", Z), after=2)
_SLIDES, _SLIDE_SLOTS = _slides(("x", X), ("y", Y), ("z", Z))
_TURNS, _TURN_SLOTS = _turns(("rx", X), ("ry", Y), ("rz", Z), after=3)

_ELASTIC = LOSSES | SPRING | DRIVE
_BALL_AXES = (
    *(Slot(name, _ELASTIC, direction, unit=Unit.ANGLE) for name, direction in (("x", X), ("y", Y), ("z", Z))),
    Slot("cone", DIRECTION | UPPER | STOPS, unit=Unit.ANGLE),
    Slot("twist", LIMITS, along=3, unit=Unit.ANGLE),
)

JOINT_TYPES: dict[str, JointType] = {
    entry.name: entry
    for entry in (
        JointType("fixed", "Fixed", "Holds two links together", sdf="fixed", urdf="fixed"),
        JointType(
            "revolute", "Revolute", "Hinge with limits", columns=(Column(turn=1.0),), sdf="revolute", urdf="revolute"
        ),
        JointType(
            "continuous",
            "Continuous",
            "Hinge that turns without end",
            columns=(Column(turn=1.0),),
            axes=(Slot(fields=ENDLESS),),
            sdf="continuous",
            urdf="continuous",
        ),
        JointType("prismatic", "Prismatic", "Slider", columns=(Column(slide=1.0),), sdf="prismatic", urdf="prismatic"),
        JointType(
            "screw",
            "Screw",
            "Turns and slides along its thread",
            columns=(Column(turn=1.0, threaded=True),),
            sdf="screw",
        ),
        JointType(
            "universal",
            "Universal",
            "Two crossed hinges, as on a drive shaft",
            columns=(Column(axis=0, turn=1.0), Column(axis=1, turn=1.0)),
            sdf="universal",
        ),
        JointType(
            "revolute2",
            "Two Hinges",
            "Two hinges in series, as on a steered wheel",
            columns=(Column(axis=0, turn=1.0), Column(axis=1, turn=1.0)),
            sdf="revolute2",
        ),
        JointType(
            "cylindrical",
            "Cylindrical",
            "Slides along its axis and turns about it",
            columns=(Column(axis=0, slide=1.0), Column(axis=1, turn=1.0)),
            axes=(Slot("slide"), Slot("turn", ENDLESS - DIRECTION | LIMITS, along=0)),
        ),
        JointType(
            "planar",
            "Planar",
            "Slides in the joint's XY plane and turns in it",
            columns=_PLANE_SLIDES + _PLANE_TURN,
            axes=_PLANE_SLIDE_SLOTS + _PLANE_TURN_SLOT,
        ),
        _euler("zyx"),
        _euler("xyz"),
        _euler("yxz"),
        _euler("zxy"),
        JointType("translation", "Translation", "Slides every way, never turns", columns=_SLIDES, axes=_SLIDE_SLOTS),
        JointType(
            "d6",
            "Six Axes",
            "Three slides and three hinges, each free, limited or locked",
            columns=_SLIDES + _TURNS,
            axes=_SLIDE_SLOTS + _TURN_SLOTS,
        ),
        JointType("custom", "Custom", "Any turns, slides and screws, one after the other", is_open=True),
        JointType(
            "ball",
            "Ball",
            "Turns every way about a point",
            chart=BALL_CHART,
            axes=_BALL_AXES,
            rows=(Row(CONE, 3, 0.0, math.pi), Row(TWIST, 4, -math.pi, math.pi)),
            law=(0, 1, 2),
            sdf="ball",
        ),
        JointType("free", "Free", "Moves and turns every way", chart=FREE_CHART, urdf="floating"),
        JointType(
            "distance",
            "Distance",
            "Keeps two points between a nearest and a farthest distance, as a rope or rod does",
            chart=FREE_CHART,
            axes=(Slot("distance", LIMITS, Z, unit=Unit.LENGTH),),
            rows=(Row(DISTANCE, 0, 0.0, math.inf),),
        ),
        JointType(
            "cable",
            "Cable",
            "Holds a piece of cable along Z by its stiffness against stretch, bend and twist",
            chart=FREE_CHART,
            axes=(
                Slot("stretch", LOSSES | {"spring_stiffness"}, Z, unit=Unit.LENGTH),
                Slot("bend", LOSSES | {"spring_stiffness"}, X, unit=Unit.ANGLE),
                Slot("twist", LOSSES | SPRING, Z, unit=Unit.ANGLE),
            ),
            law=(0, 0, 0, 1, 1, 2),
        ),
    )
}
"""Every joint type, by name, in the order of a menu."""
