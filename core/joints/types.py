"""The joint types, one entry each. A new entry here is all that a new type needs.

A type's coordinates are either constant screw columns in series or one of the two quaternion charts. A column turns and
slides about one of the joint's axes; columns follow each other outward, slides before turns (Featherstone, Rigid Body
Dynamics Algorithms, section 4.4: Table 4.1 holds these and more).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum

SCREWS, BALL, FREE = 0, 1, 2
"""What kernels tell apart: a joint made of columns, and the two charts. No algorithm asks for more."""


class Unit(Enum):
    """What a coordinate measures; velocities and forces follow from it."""

    ANGLE = "rad"
    LENGTH = "m"
    NUMBER = ""

    @property
    def velocity(self) -> str:
        return f"{self.value}/s"


@dataclass(frozen=True)
class Column:
    """One screw: a unit of its coordinate turns by `turn` [rad] and slides by `slide` [m] about axis number `axis`.

    A `threaded` column slides by the joint's pitch [m/turn] besides.
    """

    axis: int = 0
    turn: float = 0.0
    slide: float = 0.0
    threaded: bool = False

    @property
    def unit(self) -> Unit:
        return Unit.ANGLE if self.turn else Unit.LENGTH

    def slide_with(self, pitch: float) -> float:
        """Metres per unit of the coordinate, on a joint of `pitch` [m/turn]."""
        return self.slide + (pitch / math.tau if self.threaded else 0.0)


@dataclass(frozen=True)
class Chart:
    """Coordinates with a quaternion in them: nq positions, nv velocities, and where they start."""

    code: int
    home: tuple[float, ...]
    q_units: tuple[tuple[str, Unit], ...]
    qd_units: tuple[tuple[str, Unit], ...]


_XYZ = tuple((name, Unit.LENGTH) for name in ("x", "y", "z"))
_QUAT = tuple((name, Unit.NUMBER) for name in ("qw", "qx", "qy", "qz"))
_OMEGA = tuple((name, Unit.ANGLE) for name in ("wx", "wy", "wz"))
_VELOCITY = tuple((name, Unit.LENGTH) for name in ("vx", "vy", "vz"))

BALL_CHART = Chart(BALL, (1.0, 0.0, 0.0, 0.0), _QUAT, _OMEGA)
FREE_CHART = Chart(FREE, (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), _XYZ + _QUAT, _VELOCITY + _OMEGA)


@dataclass(frozen=True)
class JointType:
    """A joint type, as data.

    Attributes:
        name: what a `Joint` calls it.
        label, summary: what a person reads in a menu.
        columns: the screws in series, outward; empty for a chart or a fixed joint.
        chart: the quaternion chart, or None.
        sdf, urdf: its name in those formats, or None where they have none.
        limited: whether position limits mean something on its axes.
    """

    name: str
    label: str
    summary: str
    columns: tuple[Column, ...] = ()
    chart: Chart | None = None
    sdf: str | None = None
    urdf: str | None = None
    limited: bool = True

    @property
    def code(self) -> int:
        """SCREWS, BALL or FREE."""
        return self.chart.code if self.chart else SCREWS

    @property
    def axis_count(self) -> int:
        return len({column.axis for column in self.columns})

    @property
    def threaded(self) -> bool:
        return any(column.threaded for column in self.columns)

    @property
    def home(self) -> tuple[float, ...]:
        """Coordinates at which the two joint frames coincide, shape (nq,)."""
        return self.chart.home if self.chart else (0.0,) * len(self.columns)

    @property
    def nq(self) -> int:
        return len(self.home)

    @property
    def nv(self) -> int:
        return len(self.chart.qd_units) if self.chart else len(self.columns)

    @property
    def q_units(self) -> tuple[tuple[str, Unit], ...]:
        """Name (empty where there is but one) and unit of each position coordinate."""
        return self.chart.q_units if self.chart else self._column_units()

    @property
    def qd_units(self) -> tuple[tuple[str, Unit], ...]:
        """Name and unit of each velocity coordinate; `Unit.velocity` is the unit to print."""
        return self.chart.qd_units if self.chart else self._column_units()

    def _column_units(self) -> tuple[tuple[str, Unit], ...]:
        single = len(self.columns) == 1
        return tuple(("" if single else str(i + 1), column.unit) for i, column in enumerate(self.columns))


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
            sdf="continuous",
            urdf="continuous",
            limited=False,
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
        JointType("ball", "Ball", "Turns every way about a point", chart=BALL_CHART, sdf="ball"),
        JointType("free", "Free", "Moves and turns every way", chart=FREE_CHART, urdf="floating"),
    )
}
"""Every joint type, by name, in the order of a menu."""
