# SPDX-License-Identifier: GPL-3.0-or-later
"""Lines about everything that URDF cannot express, or that only some loaders read."""

from __future__ import annotations

from collections.abc import Iterator

from ...model import Axis, Joint, Light, Link, Model
from ..breaking import losses_of_breaking
from ..drake.elements import ROTOR_INERTIA
from ..drake.output import IN_DRAKE
from ..xml.kept import foreign_lines
from .extras import FORMAT
from .surface import losses_of_collision_filters, losses_of_surfaces

STANDARD_GRAVITY = Model().gravity
"""Gravity that needs no line, since it is the default of a model [m/s^2]."""

STOPS = ("stiffness", "dissipation")
"""Fields of an `Axis` that describe its compliant stops."""

ELSEWHERE = "which Gazebo reads, and other loaders pass over"
"""Words of messages about Gazebo's elements."""


def losses_of_model(model: Model) -> Iterator[str]:
    """Yield lines about gravity, wind, lights, contact pairs and kept elements of a model."""
    if tuple(model.gravity) != STANDARD_GRAVITY:
        yield f"URDF has no gravity; {' '.join(f'{value:g}' for value in model.gravity)} is left out"
    if any(model.wind):
        yield f"URDF has no wind; {' '.join(f'{value:g}' for value in model.wind)} is left out"
    for light in model.lights:
        yield _light(light)
    yield from losses_of_collision_filters(model)
    yield from _extras(f"model '{model.name}'", model.extras)


def _light(light: Light) -> str:
    return f"light '{light.name}' is left out: URDF has no lights"


def losses_of_link(link: Link) -> Iterator[str]:
    """Yield lines about a link and its shapes."""
    subject = f"link '{link.name}'"
    if not link.gravity:
        yield f"{subject}: that gravity does not pull at it is said in <gazebo>, {ELSEWHERE}"
    if any(link.force) or any(link.torque):
        yield f"{subject}: URDF has no steady forces; what pushes it is left out"
    if any(link.velocity) or any(link.angular_velocity):
        yield f"{subject}: URDF has no initial velocity of links; it is left out"
    if link.linear_damping or link.angular_damping:
        yield f"{subject}: its damping is said in <gazebo>, {ELSEWHERE}"
    yield from losses_of_surfaces(link)
    yield from _extras(subject, link.extras)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for shape in shapes:
            yield from _extras(f"{subject}: {tag} '{shape.name}'", shape.extras)
            material = shape.material
            if material and any(c not in (None, material.diffuse) for c in (material.ambient, material.specular)):
                yield f"{subject}: {tag} '{shape.name}': URDF has one colour; ambient and specular are left out"
            if material and material.emissive and any(material.emissive[:3]):
                yield f"{subject}: {tag} '{shape.name}': URDF has nothing that shines; its emissive colour is left out"


def losses_of_joint(joint: Joint) -> Iterator[str]:
    """Yield lines about a joint that is written, in its original form."""
    subject = f"joint '{joint.name}'"
    if joint.home != Joint("", joint.type, "", "", axes=joint.axes).home:
        home = " ".join(f"{value:g}" for value in joint.home)
        yield f"{subject}: URDF has no start position; home {home} is left out"
    yield from (f"{subject}: {line}" for line in losses_of_breaking(joint, "URDF"))
    yield from _extras(subject, joint.extras)
    single = len(joint.columns) == 1
    for number, axis in enumerate(joint.axes[: joint.axis_count]):
        fields = joint.kind.slot(number).fields
        name = joint.kind.slot(number).name
        yield from _axis(f"{subject}, axis {name}" if name else subject, axis, fields, single)


def _axis(subject: str, axis: Axis, fields: frozenset[str], single: bool) -> Iterator[str]:
    default = Axis()
    limited = "lower" in fields and not axis.is_unlimited
    if limited and not single:
        yield f"{subject}: URDF has no limits on a joint of several axes; {axis.lower:g} .. {axis.upper:g} is left out"
    if limited and any(getattr(axis, name) != getattr(default, name) for name in STOPS if name in fields):
        yield f"{subject}: URDF cannot say how its stops give way; their stiffness and dissipation are left out"
    if "spring_stiffness" in fields and axis.spring_stiffness:
        if single:
            yield f"{subject}: its spring is said in <gazebo>, {ELSEWHERE}"
        else:
            yield f"{subject}: URDF has no springs; {axis.spring_stiffness:g} is left out"
    if single and axis.armature and "armature" in fields:
        yield f"{subject}: its armature is said in <{ROTOR_INERTIA}>, {IN_DRAKE}"
    for name in ("restitution",) if single else ("armature", "restitution"):
        if name in fields and getattr(axis, name):
            yield f"{subject}: URDF has no {name}; {getattr(axis, name):g} is left out"
    for name in ("effort", "velocity", "friction"):
        if name in fields and not single and getattr(axis, name) != getattr(default, name):
            yield f"{subject}: URDF has no {name} on a joint of several axes; {getattr(axis, name):g} is left out"
    if "drive_mode" in fields and axis.drive_mode != "off":
        yield f"{subject}: URDF has no drives; its {axis.drive_mode} drive is left out"


def _extras(subject: str, extras: tuple) -> Iterator[str]:
    for line in foreign_lines(extras, FORMAT, "is of another format; left out"):
        yield f"{subject}: {line}"
