# SPDX-License-Identifier: GPL-3.0-or-later
"""`Link` and `Joint`: the elements of a model, in SI units and radians."""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass, field, replace
from typing import Any

from ..extras import Extra
from ..geometry import Shape
from ..joints import JOINT_TYPES, Column, JointType, LimitedQuantity, Unit, type_name, unknown_type
from ..spatial import IDENTITY, ZERO, Pose, Sym3, Vec3, norm, scale
from .axis import Axis, AxisList, placed
from .errors import ModelError
from .record import Record
from .text import counted

WORLD = "world"


BREAKING = ("break_force", "break_torque")
"""Names of the attributes of a joint that give the loads at which it breaks."""


@dataclass(repr=False)
class Mimic(Record):
    """On a joint that follows another: its coordinate is multiplier * (the leader's - reference) + offset.

    Attributes:
        axis, leader_axis: number of the axis that follows, and of the axis that it follows.
    """

    leader: str
    multiplier: float = 1.0
    offset: float = 0.0
    reference: float = 0.0
    axis: int = 0
    leader_axis: int = 0


@dataclass(repr=False)
class Link(Record):
    """A rigid body.

    Attributes:
        mass [kg]; com: in the link frame [m].
        inertia: (xx, xy, xz, yy, yz, zz) about the com, in the link's axes [kg m^2].
        pose: X_WL in the pose as drawn, q = 0 [m].
        linear_damping, angular_damping: rates at which the velocity of the com relative to the air, and the angular
            velocity, would decay if nothing else acted [1/s].
        force [N]: acts at the com. torque [N m]. Both are in world axes, or in the link's axes if `force_turns_along`.
        gravity: whether gravity acts on this link.
        velocity: of the com when a simulation begins [m/s]. angular_velocity: when it begins [rad/s]. Both are in
            world axes. They apply to a link that floats, and move the links that hang on it along. The `qd` of an
            initial state takes precedence.
        visuals, collisions: shapes in the link frame.
        extras: what its file says besides.
        self_collide: whether the link may collide with links of its own family; one of two links is enough.
        family: links of one family do not collide unless `self_collide` says so. "" means all links that joints connect
            with this one, not counting connections through the world.
    """

    name: str
    mass: float = 1.0
    com: Vec3 = (0.0, 0.0, 0.0)
    inertia: Sym3 = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    pose: Pose = IDENTITY
    linear_damping: float = 0.0
    angular_damping: float = 0.0
    gravity: bool = True
    force: Vec3 = ZERO
    torque: Vec3 = ZERO
    force_turns_along: bool = False
    visuals: list[Shape] = field(default_factory=list)
    collisions: list[Shape] = field(default_factory=list)
    extras: tuple[Extra, ...] = ()
    self_collide: bool = field(default=False, metadata={"since": "0.2.0"})
    family: str = field(default="", metadata={"since": "0.2.0"})
    velocity: Vec3 = field(default=ZERO, metadata={"since": "0.2.0"})
    angular_velocity: Vec3 = field(default=ZERO, metadata={"since": "0.2.0"})

    def __post_init__(self):
        _require_text(self, self.name)

    @property
    def shapes(self) -> list[Shape]:
        """Visuals and collisions."""
        return [*self.visuals, *self.collisions]


@dataclass(repr=False)
class ContactPair(Record):
    """Whether links `a` and `b` may collide. This takes precedence over joints and families."""

    a: str
    b: str
    meets: bool


@dataclass(repr=False)
class Joint(Record):
    """Lets `child` move against `parent` as its type allows. The parent may be "world".

    Attributes:
        type: a name in `JOINT_TYPES`, or an alias that `type_name` knows. When it changes, the joint keeps the axes
            that fit, and its home if that has the right count of numbers.
        parent, child: names of links.
        X_PJ, X_CJ: the joint's frame in the parent and in the child link; they coincide at q = 0 [m].
        axes: as many as the type has; on an open type, any number. Those left out are free. A list with fewer axes than
            a `d6` has names those that move, by their directions: `Axis(x)` turns about x, `Axis(x, slide=1.0)` slides
            along it, and all others are locked. The joint keeps copies of the axes that it is given: to change one
            later, write `joint.axes[0].damping = 1.0`.
        pitch: of a screw [m/turn], right-handed.
        home: coordinates, or the one number of a joint that has one, at which a simulation starts; those of locked axes
            belong to them. () becomes q = 0, or the nearest values within the limits.
        mimic: set if this joint follows another one; the joint keeps a copy.
        closes_loop: keep this joint out of the spanning tree, whatever `Model.loops` would choose.
        enabled: when off, simulations ignore the joint.
        released_at: when the joint breaks in a simulation [s]; its links keep their velocities.
        break_force, break_torque: largest force [N] and largest moment about the child-side origin [N m] that the
            joint carries. If its wrench (`Trajectory.wrenches`) exceeds one of them, the joint breaks in a simulation;
            inf for never.
        extras: what its file says besides.
    """

    name: str
    type: str
    parent: str
    child: str
    X_PJ: Pose = IDENTITY
    X_CJ: Pose = IDENTITY
    axes: list[Axis] = field(default_factory=list)
    pitch: float = 0.0
    home: tuple[float, ...] = ()
    mimic: Mimic | None = None
    closes_loop: bool = False
    enabled: bool = True
    released_at: float = math.inf
    break_force: float = field(default=math.inf, metadata={"since": "0.2.0"})
    break_torque: float = field(default=math.inf, metadata={"since": "0.2.0"})
    extras: tuple[Extra, ...] = ()

    def __post_init__(self):
        _require_text(self, self.name)
        if self.axes and not (self.kind.axes or self.kind.is_open):
            raise ModelError(
                f"joint '{self.name}': found {counted(self.axes, 'axis', 'axes')}, but a {self.type} joint has none; "
                "leave them out, or choose another type"
            )
        self._complete()

    def __setattr__(self, name: str, value: Any) -> None:
        if name == "type":
            value = self._known_type(value)
        elif name in ("parent", "child") and not isinstance(value, str):
            hint = f"; give its name, '{value.name}'" if isinstance(value, Link) else ""
            raise TypeError(f"joint '{self.name}': {name} takes the name of a link, found {value!r}{hint}")
        elif name == "axes":
            found: list[Any] = [value] if isinstance(value, Axis) else list(value)
            if isinstance(value, Axis) or not all(isinstance(axis, Axis) for axis in found):
                raise TypeError(
                    f"joint '{self.name}': axes takes a list of Axis, found {value!r}; write axes=[Axis(xyz=(0, 0, 1))]"
                )
            value = AxisList(placed(f"joint '{self.name}' ({self.type})", self.kind, found))
        elif name == "mimic":
            value = copy.copy(value)
        elif name == "home" and (isinstance(value, int | float) or getattr(value, "shape", None) == ()):  # of NumPy
            value = (value,)
        super().__setattr__(name, value)
        if name == "type" and "extras" in vars(self):  # another one than it was made with
            if not self.kind.is_open:
                super().__setattr__("axes", AxisList(self.axes[: len(self.kind.axes)]))
            self._complete()
            if len(self.home) != len(self.neutral):
                self.home = self.neutral_within_limits

    def __copy__(self) -> Joint:
        """Return a joint with axes and a mimic of its own. Nothing is checked."""
        made = object.__new__(type(self))
        vars(made).update(vars(self), axes=AxisList(self.axes), mimic=copy.copy(self.mimic))
        return made

    def _known_type(self, word: object) -> str:
        known = type_name(word)
        if known is None:
            raise ModelError(f"joint '{self.name}': type {unknown_type(word)}")
        return known

    def _complete(self) -> None:
        """Add the axes and the home that the type requires, if they are missing."""
        slots = self.kind.axes
        self.axes.extend(Axis() for _ in slots[len(self.axes) :])
        for number, slot in enumerate(slots):
            if not slot.is_pointed:
                self.axes[number] = replace(self.axes[number], xyz=self.direction(number))
        try:
            self.home = tuple(float(value) for value in self.home) or self.neutral_within_limits
        except (TypeError, ValueError):
            raise TypeError(
                f"joint '{self.name}': home takes a number for each coordinate, found {self.home!r}; write home=(0.5,)"
            ) from None

    @property
    def kind(self) -> JointType:
        return JOINT_TYPES[self.type]

    @property
    def axis_count(self) -> int:
        """The number of `axes` that have an effect."""
        return len(self.axes) if self.kind.is_open else len(self.kind.axes)

    @property
    def has_no_effect(self) -> bool:
        """Whether the joint lets its links move every way and nothing resists."""
        return self.kind.is_free and not any(axis.damping or axis.friction or axis.armature for axis in self.axes)

    def direction(self, number: int) -> Vec3:
        """Return the direction of axis `number` in the parent-side joint frame at q = 0, with its given length."""
        slot = self.kind.slot(number)
        return slot.direction or self.axes[number if slot.along is None else slot.along].xyz

    def unit_direction(self, number: int) -> Vec3:
        """Return the direction of axis `number`, with length 1.

        Raises:
            ModelError: if it is 0 0 0.
        """
        direction = self.direction(number)
        length = norm(direction)
        if not length > 0.0:
            raise ModelError(f"joint '{self.name}': axis {number + 1} is 0 0 0; give it a direction")
        return direction if length == 1.0 else scale(direction, 1.0 / length)

    @property
    def all_columns(self) -> tuple[Column, ...]:
        """The screws in series, from the parent to the child, including those of locked axes."""
        if not self.kind.is_open:
            return self.kind.columns
        return tuple(Column(i, axis.turn, axis.slide, point=axis.point) for i, axis in enumerate(self.axes))

    @property
    def columns(self) -> tuple[Column, ...]:
        """The screws that have a coordinate."""
        return tuple(column for column in self.all_columns if not self.is_locked(column.axis))

    def acts_at(self, time: float) -> bool:
        """Return whether the joint is enabled and has not broken yet at `time` [s]."""
        return self.enabled and self.released_at > time

    @property
    def is_breakable(self) -> bool:
        """Whether the joint can break under load."""
        return min(self.break_force, self.break_torque) < math.inf

    @property
    def is_permanent(self) -> bool:
        """Whether the joint is enabled and never breaks."""
        return self.enabled and math.isinf(self.released_at) and not self.is_breakable

    @property
    def holds_rigidly(self) -> bool:
        """Whether its links never move relative to each other."""
        return self.is_permanent and self.nv == 0 and self.child != self.parent

    def is_locked(self, number: int) -> bool:
        return self.axes[number].locked and "locked" in self.kind.slot(number).fields

    def place_of(self, number: int) -> int | None:
        """Return the number of the coordinate of axis `number`, or None if it has none."""
        return next((place for place, column in enumerate(self.columns) if column.axis == number), None)

    def range_of(self, number: int) -> tuple[float, float]:
        """Return (lower, upper) limit of axis `number`; infinite if it has none."""
        axis, slot = self.axes[number], self.kind.slot(number)
        lower = axis.lower if "lower" in slot.fields else -math.inf
        return lower, axis.upper if "upper" in slot.fields else math.inf

    @property
    def fixed_columns(self) -> list[tuple[int, float]]:
        """(place, value) of each coordinate whose two limits are equal."""
        return [
            (place, self.axes[column.axis].lower)
            for place, column in enumerate(self.columns)
            if self.kind.slot(column.axis).limited and self.axes[column.axis].has_no_room
        ]

    @property
    def fixed_quantities(self) -> list[tuple[LimitedQuantity, float]]:
        """(row, value) of each limited quantity whose limits keep it at one value.

        Measures at the end of their range are left out, since their gradient is zero there.
        """
        found = [(row, self.axes[row.axis]) for row in self.kind.limited_quantities]
        return [(row, axis.lower) for row, axis in found if axis.has_no_room and row.least < axis.lower < row.most]

    @property
    def nq(self) -> int:
        """The number of position coordinates."""
        return len(self.kind.chart.home) if self.kind.chart else len(self.columns)

    @property
    def nv(self) -> int:
        """The number of velocity coordinates."""
        return len(self.kind.chart.qd_units) if self.kind.chart else len(self.columns)

    @property
    def neutral(self) -> tuple[float, ...]:
        """The coordinates at which the two joint frames coincide, in the form of `home`."""
        return self.kind.chart.home if self.kind.chart else (0.0,) * len(self.all_columns)

    @property
    def neutral_within_limits(self) -> tuple[float, ...]:
        """The coordinates nearest to `neutral` that limits allow, where a joint without a home starts."""
        if self.kind.chart:
            return self.kind.chart.home
        return tuple(
            min(max(0.0, self.axes[column.axis].lower), self.axes[column.axis].upper)
            if self.kind.slot(column.axis).limited
            else 0.0
            for column in self.all_columns
        )

    @property
    def q_home(self) -> tuple[float, ...]:
        """`home` without locked axes, shape (nq,)."""
        return self._unlocked(self.home)

    @property
    def q_neutral(self) -> tuple[float, ...]:
        """`neutral` without locked axes, shape (nq,)."""
        return self._unlocked(self.neutral)

    @property
    def q_middle(self) -> tuple[float, ...]:
        """The coordinates from which whole turns are counted: the middle of two limits, else `q_neutral`."""
        if self.kind.chart:
            return self.q_neutral
        ranges = [self.range_of(column.axis) for column in self.columns]
        middles = [0.5 * (lower + upper) for lower, upper in ranges]
        return tuple(a if math.isfinite(a) else b for a, b in zip(middles, self.q_neutral, strict=True))

    @property
    def home_units(self) -> tuple[tuple[str, Unit], ...]:
        """Name ("" if there is only one) and unit of each number of `home`."""
        if self.kind.chart:
            return self.kind.chart.q_units
        return tuple((self.kind.slot(column.axis).name, column.unit) for column in self.all_columns)

    @property
    def q_units(self) -> tuple[tuple[str, Unit], ...]:
        """Name ("" if there is only one) and unit of each position coordinate."""
        return self._unlocked(self.home_units)

    @property
    def qd_units(self) -> tuple[tuple[str, Unit], ...]:
        """Name and unit of each velocity coordinate; `Unit.velocity` is the unit to print."""
        return self.kind.chart.qd_units if self.kind.chart else self.q_units

    def axis_unit(self, number: int) -> Unit:
        """Return the unit of the coordinate about or along axis `number`."""
        for column in self.all_columns:
            if column.axis == number:
                return column.unit
        return self.kind.slot(number).unit or Unit.NUMBER

    def _unlocked(self, values: tuple) -> tuple:
        if self.kind.chart:
            return values
        return tuple(
            value for value, column in zip(values, self.all_columns, strict=True) if not self.is_locked(column.axis)
        )


def _require_text(part: Link | Joint, name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"a {type(part).__name__.lower()} takes its name first, a text, found {name!r}")
