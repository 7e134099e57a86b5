"""Changes to a model by name, as the command line and scripts ask for them."""

from __future__ import annotations

import dataclasses
import math

from ..joints.parts import MAY_BE_INFINITE
from .elements import Axis, Joint, ModelError
from .model import Model

AXIS_PROPERTIES = tuple(field.name for field in dataclasses.fields(Axis) if field.type == "float")


def set_joint_property(model: Model, joint_name: str, name: str, text: str) -> Joint:
    """Set a property of a joint to a number: one of `AXIS_PROPERTIES` (on all its axes), "pitch" or "home".

    Returns the joint. A home of several coordinates is given as numbers with commas between, and
    its quaternion made one of length 1.

    Raises:
        ModelError: no such joint or property, or no such number.
    """
    joint = model.joint(joint_name)
    if name == "home":
        joint.home = _home(joint, text)
    elif name == "pitch" and joint.kind.threaded:
        (joint.pitch,) = _numbers(joint, name, text, 1)
    elif axes := [
        axis for number, axis in enumerate(joint.axes[: joint.axis_count]) if name in _settable(joint, number)
    ]:
        (value,) = _numbers(joint, name, text, 1, may_be_infinite=name in MAY_BE_INFINITE)
        for axis in axes:
            setattr(axis, name, value)
    else:
        allowed = ["home"] * bool(joint.neutral) + ["pitch"] * joint.kind.threaded
        known = set().union(*(_settable(joint, number) for number in range(joint.axis_count)))
        allowed += [name for name in AXIS_PROPERTIES if name in known]
        raise ModelError(
            f"joint '{joint.name}' ({joint.type}) has no property '{name}'; it has: {', '.join(allowed) or 'none'}"
        )
    return joint


def _settable(joint: Joint, number: int) -> frozenset[str]:
    return joint.kind.slot(number).fields & frozenset(AXIS_PROPERTIES)


def _home(joint: Joint, text: str) -> tuple[float, ...]:
    values = _numbers(joint, "home", text, len(joint.neutral))
    if not joint.kind.chart:
        return values
    length = math.hypot(*values[-4:])
    if not 0.0 < length < math.inf:
        raise ModelError(
            f"joint '{joint.name}': home '{text}' ends in a quaternion of length {length:g}, which is no rotation; "
            "write 1,0,0,0 for no turn"
        )
    return values[:-4] + tuple(value / length for value in values[-4:])


def _numbers(joint: Joint, name: str, text: str, count: int, may_be_infinite: bool = False) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in text.split(","))
    except ValueError:
        values = ()
    usable = all(not math.isnan(value) and (may_be_infinite or math.isfinite(value)) for value in values)
    if len(values) != count or not usable:
        raise ModelError(f"joint '{joint.name}': {name} takes {count} number(s), found '{text}'")
    return values
