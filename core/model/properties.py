# SPDX-License-Identifier: GPL-3.0-or-later
"""Properties of a model that are set by name: what `--set OWNER.PROPERTY=VALUE` and batches can change."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from ..geometry import Surface
from ..geometry.densities import SUBSTANCES, Substance
from ..geometry.shape_mass import solid_properties
from ..joints.parts import MAY_BE_INFINITE
from ..spatial import Sym3
from .drives import DRIVES
from .editing.editing import fix_base
from .elements import BREAKING, WORLD, Axis, Joint, Link
from .errors import ModelError
from .model import Model

AXIS_PROPERTIES = tuple(field.name for field in dataclasses.fields(Axis) if isinstance(field.default, float))
"""The fields of `Axis` that are numbers, recognised by their defaults. Directions, words and switches are left out."""

NEVER_NEGATIVE = (
    "damping",
    "friction",
    "armature",
    "spring_stiffness",
    "stiffness",
    "dissipation",
    "restitution",
    "drive_stiffness",
    "drive_damping",
)
"""Fields of `Axis` that would add energy to the joint if they were negative."""

FLOATING = "*"
"""Owner that stands for the link that floats, if there is exactly one."""

SURFACE_PROPERTIES = tuple(field.name for field in dataclasses.fields(Surface) if field.name != "velocity")
"""The fields of `Surface` that are numbers."""

PIECES = "pieces"
"""Value of the property `collisions` of a link."""

OnProgress = Callable[[str], None]
"""A function that shows the user what is being done, with its progress."""

FLAGS = {"true": True, "false": False, "on": True, "off": False, "1": True, "0": False}
"""Texts that switches accept, in lower case."""


@dataclasses.dataclass(frozen=True)
class Setting:
    """A new value of a property, as text.

    Attributes:
        owner: a joint, a link, "world" for gravity and wind, or `FLOATING`.
    """

    owner: str
    name: str
    text: str

    @classmethod
    def parse(cls, text: str) -> Setting:
        """Return the setting that OWNER.PROPERTY=VALUE describes.

        Raises:
            ModelError: if the text has another form.
        """
        target, equals, value = text.partition("=")
        owner, dot, name = target.rpartition(".")
        if not (equals and dot and owner and name):
            raise ModelError("write OWNER.PROPERTY=VALUE, such as elbow.damping=2 or hand.mass=0.4")
        return cls(owner, name, value)

    def __str__(self) -> str:
        return f"{self.owner}.{self.name}={self.text}"


def set_property(model: Model, setting: Setting, on_progress: OnProgress = lambda _text: None) -> Joint | Link | Model:
    """Set a property of a joint, a link or the world.

    Of a joint: one of `AXIS_PROPERTIES` or drive_mode, on all its axes; pitch, home, enabled, released_at, break_force,
    break_torque. The numbers of a home with several coordinates have commas between them, and its quaternion is
    normalised.

    Of a link: `mass` [kg], which scales its inertia; `density` [kg/m^3] or `material`, one of `SUBSTANCES`, which set
    the mass by the volume of its collision shapes, or of its visuals if it has none; linear_damping, angular_damping,
    gravity, force, torque; velocity [m/s] and angular_velocity [rad/s], its initial velocities if it floats;
    self_collide; `collisions`, "pieces" to divide its meshes into convex parts; and one of `SURFACE_PROPERTIES`, on all
    its collision shapes. A material sets their friction and restitution, too. If a joint has the link's name and a
    property of this name, the joint's property is set.

    Of a link, too: `static`, true to fix it to the world where it is drawn, as `fix_base` does. The owner "*" has this
    property only. It stands for the one link that floats, or for none if the world holds all links.

    Of "world": gravity [m/s^2] and wind [m/s], three numbers.

    Args:
        on_progress: called many times a second with a text for the user while meshes are divided.

    Returns:
        The owner: the joint, the link, or the model.

    Raises:
        ModelError: if there is no such owner or property, or if the value is not allowed. The model is unchanged then.
    """
    if setting.owner == WORLD:
        return _set_one(_WORLD, model, WORLD, setting)
    if setting.name == "static" and not any(joint.name == setting.owner for joint in model.joints):
        return _set_static(model, setting)
    joint = next((joint for joint in model.joints if joint.name == setting.owner), None)
    link = next((link for link in model.links if link.name == setting.owner), None)
    setters = _setters_of(joint) if joint else {}
    if joint and not (link and setting.name in _LINK and setting.name not in setters):
        return _set_one(setters, joint, f"joint '{joint.name}' ({joint.type})", setting)
    if link:
        setters = _LINK | {"collisions": partial(_set_collisions, on_progress=on_progress)}
        return _set_one(setters, link, f"link '{link.name}'", setting)
    known = ", ".join(item.name for item in (*model.joints, *model.links))
    raise ModelError(f"no joint or link '{setting.owner}'; there are: {known or 'none'}")


def density_of(setting: Setting) -> float:
    """Return the density [kg/m^3] that a setting of `density` or `material` means.

    Raises:
        ModelError: if the value is not a density or not a known material.
    """
    if setting.name == "density":
        try:
            return _positive(setting)
        except _TextError as error:
            raise ModelError(f"link '{setting.owner}': density takes {error}, found '{setting.text}'") from error
    return _substance(setting).density


def _substance(setting: Setting) -> Substance:
    substance = next((known for known in SUBSTANCES if known.name == setting.text.lower()), None)
    if substance is None:
        names = ", ".join(known.name for known in SUBSTANCES)
        raise ModelError(f"link '{setting.owner}': no material '{setting.text}'; there are: {names}")
    return substance


Setter = Callable[[Any, Setting], None]
"""A function that sets a property of its first argument, or raises `_TextError`."""


class _TextError(Exception):
    """A value that a property does not accept. The message says what it accepts."""


def _set_one(setters: Mapping[str, Setter], owner: Any, label: str, setting: Setting) -> Any:
    setter = setters.get(setting.name)
    if setter is None:
        raise ModelError(f"{label} has no property '{setting.name}'; it has: {', '.join(setters) or 'none'}")
    try:
        setter(owner, setting)
    except _TextError as error:
        raise ModelError(f"{label}: {setting.name} takes {error}, found '{setting.text}'") from error
    return owner


def _setters_of(joint: Joint) -> dict[str, Setter]:
    """Return {property: its setter} of the properties that have a meaning on the type of the joint."""
    settable = frozenset().union(*(joint.kind.slot(number).fields for number in range(joint.axis_count)))
    setters: dict[str, Setter] = {}
    if joint.neutral:
        setters["home"] = _set_home
    if joint.kind.threaded:
        setters["pitch"] = _set_number
    setters |= {name: _set_on_axes for name in AXIS_PROPERTIES if name in settable}
    if "drive_mode" in settable:
        setters["drive_mode"] = _set_drive_mode
    setters |= dict.fromkeys(BREAKING, _set_strength)
    return setters | {"enabled": _set_flag, "released_at": _set_number}


def _set_number(owner: Joint, setting: Setting) -> None:
    (number,) = _numbers(setting, 1)
    setattr(owner, setting.name, number)


def _set_strength(joint: Joint, setting: Setting) -> None:
    setattr(joint, setting.name, _positive(setting))


def _set_positive(link: Link, setting: Setting) -> None:
    setattr(link, setting.name, _positive(setting, zero_too=True))


def _set_flag(owner: Joint | Link, setting: Setting) -> None:
    if setting.text.lower() not in FLAGS:
        raise _TextError("true or false")
    setattr(owner, setting.name, FLAGS[setting.text.lower()])


def _set_vector(owner: Link | Model, setting: Setting) -> None:
    setattr(owner, setting.name, _numbers(setting, 3))


def _set_on_axes(joint: Joint, setting: Setting) -> None:
    (number,) = _numbers(setting, 1)
    if setting.name == "restitution" and not 0.0 <= number <= 1.0:
        raise _TextError("a number from 0 to 1")
    if number < 0.0 and setting.name in (*NEVER_NEGATIVE, "effort", "velocity"):
        raise _TextError("0 or a number above it")
    for axis in _axes_with(joint, setting.name):
        setattr(axis, setting.name, number)


def _set_drive_mode(joint: Joint, setting: Setting) -> None:
    if setting.text not in DRIVES:
        raise _TextError(f"one of {', '.join(DRIVES)}")
    for axis in _axes_with(joint, setting.name):
        setattr(axis, setting.name, setting.text)


def _axes_with(joint: Joint, name: str) -> list[Axis]:
    axes = enumerate(joint.axes[: joint.axis_count])
    return [axis for number, axis in axes if name in joint.kind.slot(number).fields]


def _set_home(joint: Joint, setting: Setting) -> None:
    values = _numbers(setting, len(joint.neutral))
    if joint.kind.chart:
        length = math.hypot(*values[-4:])
        if not 0.0 < length < math.inf:
            raise ModelError(
                f"joint '{joint.name}': home '{setting.text}' ends in a quaternion of length {length:g}, which is no "
                "rotation; write 1,0,0,0 for no turn"
            )
        values = values[:-4] + tuple(value / length for value in values[-4:])
    joint.home = values


def _set_static(model: Model, setting: Setting) -> Link | Model:
    if FLAGS.get(setting.text.lower()) is not True:
        raise ModelError(f"'{setting.owner}': static takes true, found '{setting.text}'; what holds a link is a joint")
    if setting.owner == FLOATING and not model.tree().roots:
        return model  # so that a batch may set it in all its files, even if some have a fixed base
    return model.link(fix_base(model, None if setting.owner == FLOATING else setting.owner).child)


def _set_mass(link: Link, setting: Setting) -> None:
    _weigh(link, _positive(setting))


def _set_density(link: Link, setting: Setting) -> None:
    density, volume = density_of(setting), 0.0
    for shape in link.collisions or link.visuals:
        try:
            solid = solid_properties(shape.geometry)
        except ValueError as error:
            raise ModelError(f"link '{link.name}' has no volume, {error}: set its mass instead") from error
        volume += solid.volume if solid else 0.0
    if not volume > 0.0:
        raise ModelError(f"link '{link.name}' has no shape whose volume is known: set its mass instead")
    _weigh(link, density * volume)


def _set_material(link: Link, setting: Setting) -> None:
    substance = _substance(setting)
    _set_density(link, setting)
    _touch(link, friction=substance.friction, static_friction=None, restitution=substance.restitution)


def _set_on_surfaces(link: Link, setting: Setting) -> None:
    """Set a number of the surfaces of a link's collision shapes, within the range that `Surface` allows.

    Static friction may be less than sliding friction, which acts in that case.
    """
    if not link.collisions:
        raise ModelError(f"link '{link.name}' has no collision shape, so it has no {setting.name}: give it one")
    (number,) = _numbers(setting, 1)
    if setting.name == "restitution" and not 0.0 <= number <= 1.0:
        raise _TextError("a number from 0 to 1")
    if number < 0.0 or (setting.name == "stiffness" and number == 0.0):
        raise _TextError("a number above 0" if setting.name == "stiffness" else "0 or a number above it")
    _touch(link, **{setting.name: number})


def _set_collisions(link: Link, setting: Setting, on_progress: OnProgress = lambda _text: None) -> None:
    if setting.text != PIECES:
        raise _TextError(f"'{PIECES}', for meshes as convex pieces")
    from .editing.dividing import divide_collisions  # late, for start-up time: few need it

    divide_collisions(link, on_progress)


def _touch(link: Link, **values: float | None) -> None:
    """Set fields of the surfaces of all collision shapes of a link."""
    for shape in link.collisions:
        shape.surface = dataclasses.replace(shape.surface or Surface(), **values)


def _weigh(link: Link, mass: float) -> None:
    """Set the mass of a link [kg], and scale its inertia with it.

    Raises:
        ModelError: if the link has no mass yet.
    """
    if not link.mass > 0.0:
        raise ModelError(f"link '{link.name}' has no mass that could be spread otherwise: give it one in its file")
    link.inertia = cast(Sym3, tuple(part * mass / link.mass for part in link.inertia))
    link.mass = mass


def _positive(setting: Setting, zero_too: bool = False) -> float:
    (number,) = _numbers(setting, 1)
    if not (number > 0.0 or (zero_too and number == 0.0)):
        raise _TextError("a number above 0" if not zero_too else "0 or a number above it")
    return number


def _numbers(setting: Setting, count: int) -> tuple[float, ...]:
    try:
        values = tuple(float(part) for part in setting.text.split(","))
    except ValueError:
        values = ()
    endless = setting.name in (*MAY_BE_INFINITE, "released_at", *BREAKING)
    if len(values) != count or not all(not math.isnan(value) and (endless or math.isfinite(value)) for value in values):
        raise _TextError("a number" if count == 1 else f"{count} numbers with commas between")
    return values


_LINK: dict[str, Setter] = {
    "mass": _set_mass,
    "density": _set_density,
    "material": _set_material,
    "linear_damping": _set_positive,
    "angular_damping": _set_positive,
    "gravity": _set_flag,
    "force": _set_vector,
    "torque": _set_vector,
    "velocity": _set_vector,
    "angular_velocity": _set_vector,
    "self_collide": _set_flag,
    "collisions": _set_collisions,
} | dict.fromkeys(SURFACE_PROPERTIES, _set_on_surfaces)
_WORLD: dict[str, Setter] = {"gravity": _set_vector, "wind": _set_vector}
