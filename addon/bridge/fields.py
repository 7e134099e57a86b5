"""The table of fields: which attribute of the core is which property. Both sides use the same names.

A field's number is converted between Blender units and metres as its measure tells. Blender's numbers cannot be
infinite, so a field with a toggle is infinite while that is off. The panel shows an axis's fields in this order.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum

import numpy as np

from ...core.joints import Slot, Unit
from ...core.joints.parts import DRIVE
from ...core.model import Axis
from .numbers import shortest, shortest_all


class Measure(Enum):
    PLAIN = "the same number on both sides"
    LENGTH = "in Blender units, or in metres"
    COORDINATE = "a length on a sliding axis, an angle on a turning one"


@dataclass(frozen=True)
class Field:
    name: str
    measure: Measure = Measure.PLAIN
    infinite: float | None = None

    @property
    def toggle(self) -> str:
        """The property that is off where the field is infinite; empty for one that is always finite."""
        return "" if self.infinite is None else f"use_{self.name}"


AXIS_FIELDS = (
    Field("locked"),
    Field("xyz"),
    Field("turn"),
    Field("slide", Measure.LENGTH),
    Field("point", Measure.LENGTH),
    Field("lower", Measure.COORDINATE, infinite=-math.inf),
    Field("upper", Measure.COORDINATE, infinite=math.inf),
    Field("stiffness", infinite=math.inf),
    Field("dissipation"),
    Field("restitution"),
    Field("effort", infinite=math.inf),
    Field("velocity", Measure.COORDINATE, infinite=math.inf),
    Field("damping"),
    Field("friction"),
    Field("armature"),
    Field("spring_stiffness"),
    Field("spring_reference", Measure.COORDINATE),
)
INERTIAL_FIELDS = (Field("mass"), Field("com", Measure.LENGTH), Field("inertia"))
"""Of a link, where its mass is not found by weighing."""
LINK_FIELDS = (Field("linear_damping"), Field("angular_damping"), Field("gravity"))
JOINT_FIELDS = (Field("pitch", Measure.LENGTH), Field("closes_loop"))
MIMIC_FIELDS = (Field("multiplier"), Field("offset"), Field("reference"), Field("axis"), Field("leader_axis"))

NOT_IN_SCENES = DRIVE
"""Fields of core's `Axis` that Blender has no properties for yet."""


def fields_on(slot: Slot) -> list[Field]:
    """An axis's fields that mean something in its slot: these alone are shown, read and written."""
    return [field for field in AXIS_FIELDS if field.name in slot.fields and (field.name != "xyz" or slot.is_pointed)]


def has_more_than_scenes(axis: Axis) -> bool:
    """Whether the axis asks for something that a scene cannot keep."""
    return any(getattr(axis, name) != getattr(Axis(), name) for name in NOT_IN_SCENES)


def read_fields(fields: Iterable[Field], properties, unit: float, coordinate: Unit = Unit.NUMBER) -> dict:
    """Values for the core. unit: metres in a Blender unit; coordinate: what the axis measures."""
    return {field.name: _read(field, properties, _factor(field, unit, coordinate)) for field in fields}


def write_fields(fields: Iterable[Field], properties, source, unit: float, coordinate: Unit = Unit.NUMBER) -> list[str]:
    """The values of a core object into Blender's properties. Returns what these could not take, as they have bounds."""
    changes = []
    for field in fields:
        value, factor = getattr(source, field.name), _factor(field, unit, coordinate)
        _write(field, properties, value, factor)
        kept = _read(field, properties, factor)
        if not np.allclose(kept, value, rtol=1e-6, atol=1e-30):
            changes.append(f"its {field.name.replace('_', ' ')} {value} cannot be kept: it is {kept} here")
    return changes


def _factor(field: Field, unit: float, coordinate: Unit) -> float:
    is_length = field.measure is Measure.LENGTH or (field.measure is Measure.COORDINATE and coordinate is Unit.LENGTH)
    return unit if is_length else 1.0


def _read(field: Field, properties, factor: float) -> float | tuple[float, ...]:
    if field.infinite is not None and not getattr(properties, field.toggle):
        return field.infinite
    value = getattr(properties, field.name)
    if isinstance(value, int):  # True and False too
        return value
    if isinstance(value, float):
        return shortest(value) * factor
    return tuple(number * factor for number in shortest_all(value))


def _write(field: Field, properties, value, factor: float) -> None:
    if field.toggle:
        setattr(properties, field.toggle, math.isfinite(value))
        if not math.isfinite(value):
            return
    if isinstance(getattr(properties, field.name), int):
        setattr(properties, field.name, value)
        return
    numbers = value / factor if isinstance(value, int | float) else [number / factor for number in value]
    setattr(properties, field.name, numbers)
