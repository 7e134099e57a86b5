# SPDX-License-Identifier: GPL-3.0-or-later
"""The table of fields: each attribute of core with its property. Both sides use the same names.

The measure of a field says how its number is converted between Blender's units and those of core. Blender's numbers
cannot be infinite, so a field with a toggle is infinite while the toggle is off. The panel shows the fields of an axis
in the order of this table.
"""

import math
from collections.abc import Callable, Iterable
from enum import Enum
from typing import NamedTuple

import numpy as np

from ....core.joints import Slot, Unit
from ....core.model.drives import DRIVES, OFF, Aim, DriveMode
from .numbers import Units, shortest, shortest_all


class Measure(Enum):
    PLAIN = "the same on both sides"
    LENGTH = "in Blender units, or in metres"
    COORDINATE = "a length on a sliding axis, an angle on a turning one"
    SPEED = "a coordinate per second"
    FORCE = "a force, or a torque on a turning axis"
    STIFFNESS = "a force per coordinate"
    DAMPING = "a force per speed"
    INERTIA = "a mass, or a moment of inertia on a turning axis"
    TIME = "a frame, or seconds since the first frame"


class Field(NamedTuple):
    """An attribute of core, and the property of the same name.

    Attributes:
        measure: the kind of quantity, or a function that returns it for an axis of core or for Blender's properties.
        infinite: the value in core while the toggle is off; None if the field is always finite.
        section: the part of the panel that shows it.
        is_followed: whether simulations follow its animation.
    """

    name: str
    measure: Measure | Callable[[object], Measure] = Measure.PLAIN
    infinite: float | None = None
    section: str = ""
    is_followed: bool = False

    @property
    def toggle(self) -> str:
        """Name of the property that is off while the field is infinite; empty if the field is always finite."""
        return "" if self.infinite is None else f"use_{self.name}"

    def measure_on(self, owner) -> Measure:
        """Return the kind of quantity of this field.

        Args:
            owner: the object of core that has the attribute, or Blender's properties.
        """
        return self.measure if isinstance(self.measure, Measure) else self.measure(owner)


UNITS = {
    Measure.FORCE: {Unit.ANGLE: "N m", Unit.LENGTH: "N"},
    Measure.STIFFNESS: {Unit.ANGLE: "N m/rad", Unit.LENGTH: "N/m"},
    Measure.DAMPING: {Unit.ANGLE: "N m s/rad", Unit.LENGTH: "N s/m"},
    Measure.INERTIA: {Unit.ANGLE: "kg m²", Unit.LENGTH: "kg"},
}
"""Unit symbols of quantities for which Blender has no unit, on axes that turn and on axes that slide."""

AIMS = {Aim.PLACE: Measure.COORDINATE, Aim.SPEED: Measure.SPEED, Aim.FORCE: Measure.FORCE}


def drive_of(axis) -> DriveMode:
    """Return the drive mode of an axis of core or of Blender's properties.

    The mode is `OFF` if only a newer version knows it.
    """
    return DRIVES.get(axis.drive_mode, OFF)


def _aim(axis) -> Measure:
    """Return the kind of quantity of a drive's target. Without a drive, the target is a coordinate."""
    return AIMS[drive_of(axis).aim or Aim.PLACE]


AXIS_FIELDS = (
    Field("locked"),
    Field("xyz", section="direction"),
    Field("turn"),
    Field("slide", Measure.LENGTH),
    Field("point", Measure.LENGTH),
    Field("lower", Measure.COORDINATE, infinite=-math.inf, section="limits"),
    Field("upper", Measure.COORDINATE, infinite=math.inf, section="limits"),
    Field("stiffness", infinite=math.inf, section="stops"),  # without unit: its numbers are too long for one
    Field("dissipation", section="stops"),
    Field("restitution", section="stops"),
    Field("velocity", Measure.SPEED, infinite=math.inf, section="stops"),
    Field("damping", Measure.DAMPING, section="losses", is_followed=True),
    Field("friction", Measure.FORCE, section="losses"),
    Field("armature", Measure.INERTIA, section="losses"),
    Field("spring_stiffness", Measure.STIFFNESS, section="spring"),
    Field("spring_reference", Measure.COORDINATE, section="spring"),
    Field("drive_mode", section="drive"),
    Field("drive_target", _aim, section="drive", is_followed=True),
    Field("drive_stiffness", Measure.STIFFNESS, section="drive", is_followed=True),
    Field("drive_damping", Measure.DAMPING, section="drive", is_followed=True),
    Field("effort", Measure.FORCE, infinite=math.inf, section="drive", is_followed=True),
)
INERTIAL_FIELDS = (Field("mass"), Field("com", Measure.LENGTH), Field("inertia"))
"""Fields of a link whose mass does not come from its meshes."""
LINK_FIELDS = (
    Field("linear_damping", section="air"),
    Field("angular_damping", section="air"),
    Field("gravity", section="air"),
    Field("force", section="forces", is_followed=True),
    Field("torque", section="forces", is_followed=True),
    Field("force_turns_along", section="forces"),
    Field("velocity", Measure.LENGTH, section="start"),
    Field("angular_velocity", section="start"),
)
SURFACE_FIELDS = (
    Field("friction"),
    Field("restitution"),
    Field("stiffness", infinite=math.inf),
    Field("dissipation"),
    Field("rolling_friction", Measure.LENGTH),
    Field("spinning_friction", Measure.LENGTH),
    Field("velocity", Measure.LENGTH),
    Field("slip_speed", Measure.LENGTH),
)
"""Fields of a surface, except static friction, which may be unset on both sides."""
MEETING_FIELDS = (Field("self_collide"), Field("family"))
JOINT_FIELDS = (
    Field("pitch", Measure.LENGTH),
    Field("closes_loop"),
    Field("enabled", is_followed=True),
    Field("released_at", Measure.TIME, infinite=math.inf),
    Field("break_force", infinite=math.inf),
    Field("break_torque", infinite=math.inf),
)
MIMIC_FIELDS = (Field("multiplier"), Field("offset"), Field("reference"), Field("axis"), Field("leader_axis"))


COORDINATE_SUFFIXES = {Unit.ANGLE: "_angle", Unit.LENGTH: "_length", Unit.NUMBER: ""}
"""Suffixes of the properties that show a coordinate in its unit. These properties can be keyed."""


def fields_on(slot: Slot) -> list[Field]:
    """Return the fields that an axis has in its slot. Only these are shown, read and written."""
    return [field for field in AXIS_FIELDS if field.name in slot.fields and (field.name != "xyz" or slot.is_pointed)]


def read_fields(fields: Iterable[Field], properties, units: Units, coordinate: Unit = Unit.NUMBER) -> dict:
    """Return the values of fields for core, by name.

    Args:
        properties: Blender's.
        coordinate: the unit of the axis's coordinate.
    """
    return {field.name: _read(field, properties, _scale(field, properties, units, coordinate)) for field in fields}


def write_fields(
    fields: Iterable[Field], properties, source, units: Units, coordinate: Unit = Unit.NUMBER
) -> list[str]:
    """Write the values of an object of core to Blender's properties.

    Returns:
        A sentence for each value that the property could not store, since properties have bounds.
    """
    changes = []
    for field in fields:
        value, scale = getattr(source, field.name), _scale(field, source, units, coordinate)
        _write(field, properties, value, scale)
        kept = _read(field, properties, scale)
        if not _are_same(kept, value):
            changes.append(f"its {field.name.replace('_', ' ')} {value} cannot be kept: it is {kept} here")
    return changes


class _Scale(NamedTuple):
    """A conversion between numbers: core = (Blender - origin) * factor / divisor.

    Factor and divisor are separate so that short decimals stay short.
    """

    factor: float = 1.0
    divisor: float = 1.0
    origin: float = 0.0

    def to_core(self, number: float) -> float:
        return (number - self.origin) * self.factor / self.divisor

    def to_blender(self, number: float) -> float:
        return number * self.divisor / self.factor + self.origin


def _scale(field: Field, owner, units: Units, coordinate: Unit) -> _Scale:
    measure = field.measure_on(owner)
    if measure is Measure.TIME:
        return _Scale(divisor=units.frame_rate, origin=units.first)
    slides = measure in (Measure.COORDINATE, Measure.SPEED) and coordinate is Unit.LENGTH
    return _Scale(factor=units.length) if slides or measure is Measure.LENGTH else _Scale()


def _are_same(kept, value) -> bool:
    return kept == value if isinstance(value, str) else np.allclose(kept, value, rtol=1e-6, atol=1e-30)


def _read(field: Field, properties, scale: _Scale):
    if field.infinite is not None and not getattr(properties, field.toggle):
        return field.infinite
    value = getattr(properties, field.name)
    if isinstance(value, int | str):  # bool is a subclass of int
        return value
    if isinstance(value, float):
        return scale.to_core(shortest(value))
    return tuple(map(scale.to_core, shortest_all(value)))


def _write(field: Field, properties, value, scale: _Scale) -> None:
    if field.toggle:
        setattr(properties, field.toggle, math.isfinite(value))
        if not math.isfinite(value):
            return
    if isinstance(getattr(properties, field.name), int | str):
        setattr(properties, field.name, value)
        return
    is_number = isinstance(value, int | float)
    setattr(properties, field.name, scale.to_blender(value) if is_number else [*map(scale.to_blender, value)])
