# SPDX-License-Identifier: GPL-3.0-or-later
"""The contents of an SDF link besides its shapes: its pose, its inertial, gravity and damping."""

from __future__ import annotations

import math
from typing import cast

import numpy as np

from ...files.xml import Element
from ...geometry.shape_mass import combined, solid_properties
from ...model import Link
from ...spatial import IDENTITY, Pose, Sym3, quat_of_rpy
from ..alike import turned_inertia, unit_quat
from ..findings import Findings
from ..xml.kept import known

INERTIA_DEFAULTS = {"ixx": 1.0, "ixy": 0.0, "ixz": 0.0, "iyy": 1.0, "iyz": 0.0, "izz": 1.0}
"""Elements of <inertia>, each with its default [kg m^2]."""

WATER = 1000.0
"""Density of water, which is the default density [kg/m^3]."""
LINK_KNOWN = known(
    *("pose", "gravity", "kinematic", "self_collide", "visual", "collision", "light"),
    inertial=known("pose", "mass", "inertia", "density", "auto_inertia_params"),
    velocity_decay=known("linear", "angular"),
)
"""Elements of a <link> that are read."""

UNTURNED = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
"""The identity as x y z roll pitch yaw [m, rad]."""


def read_pose(element: Element | None, findings: Findings) -> Pose:
    """Return the pose in a <pose>, in any of SDF's forms of a rotation; the identity if there is none."""
    if element is None or not element.text:
        return IDENTITY
    kind = element.attributes.get("rotation_format", "euler_rpy")
    if kind == "quat_xyzw":
        values = findings.parse(element, "<pose>", element.text, IDENTITY)
        if values is None:
            return IDENTITY
        return values[:3] + unit_quat(element, values[3:], findings)
    if kind != "euler_rpy":
        findings.error(element, "bad-value", f"rotation_format is '{kind}'; write euler_rpy or quat_xyzw")
        return IDENTITY
    x, y, z, roll, pitch, yaw = findings.parse(element, "<pose>", element.text, UNTURNED) or UNTURNED
    unit = math.radians(1.0) if findings.flag(element.attributes.get("degrees", ""), element) else 1.0
    return (x, y, z, *quat_of_rpy(roll * unit, pitch * unit, yaw * unit))


def read_inertial(element: Element | None, link: Link, findings: Findings) -> None:
    """Set mass, centre of mass and inertia of a link.

    The inertia is rotated from the inertial's axes into those of the link. A link to which the file gives neither mass
    nor inertia has the defaults of SDF, 1 kg and 1 kg m^2, and its name goes to `Findings.without_mass`.
    """
    if element is None or not (element.child("mass") or element.child("inertia")):
        findings.without_mass.add(link.name)
    if element is None:
        return
    pose = element.child("pose")
    if pose is not None and pose.attributes.get("relative_to"):
        findings.note(f"relative_to on the pose of an inertial means nothing ({element.subject}, line {pose.line})")
    X_LI = read_pose(pose, findings)
    given = element.child("inertia")
    xx, xy, xz, yy, yz, zz = (findings.number(given, tag, default) for tag, default in INERTIA_DEFAULTS.items())
    link.mass = findings.number(element, "mass", 1.0)
    link.com = X_LI[:3]
    link.inertia = turned_inertia(X_LI, (xx, xy, xz, yy, yz, zz))


def read_motion(element: Element, link: Link, findings: Findings) -> None:
    """Set whether gravity acts on a link, and the rates at which its velocity decays [1/s].

    Simulators interpret <velocity_decay> differently; here both numbers are the rates of `Link`.
    """
    gravity, decay = element.child("gravity"), element.child("velocity_decay")
    if gravity is not None:
        link.gravity = findings.flag(gravity.text, gravity, link.gravity)
    link.linear_damping = findings.number(decay, "linear", link.linear_damping)
    link.angular_damping = findings.number(decay, "angular", link.angular_damping)


def compute_inertial(element: Element, link: Link, findings: Findings) -> None:
    """Set mass and inertia from the collisions and their densities.

    <inertial auto="true"> requests that, in SDF 1.11 and later. If there is no collision with a known volume, the
    inertial stays as it is, and a warning says so.
    """
    inertial = element.child("inertial")
    if inertial is None or not findings.flag(inertial.attributes.get("auto", ""), inertial):
        return
    of_all = findings.number(inertial, "density", WATER)
    solids = []
    for shape, at in zip(link.collisions, element.all("collision"), strict=True):
        try:
            solid = solid_properties(shape.geometry)
        except ValueError as error:
            findings.warning(at, "auto-inertia", f"{error}; it is passed over: give it a size")
            continue
        if solid is None:
            findings.warning(at, "auto-inertia", "its mass cannot be computed here, and is left out: give the inertial")
        else:
            solids.append((solid, shape.pose, findings.number(at, "density", of_all)))
    if not solids:
        findings.warning(inertial, "auto-inertia", "it has no collisions to compute its inertial from; give it")
        return
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        mass, com, inertia = combined(solids)
    if not (mass > 0.0 and np.isfinite((mass, *com, *inertia)).all()):
        findings.warning(inertial, "auto-inertia", f"its collisions weigh {mass:g} kg; give it a mass and an inertia")
        return
    link.mass, link.com, link.inertia = mass, com, inertia
    findings.without_mass.discard(link.name)
    if inertial.child("mass") is not None:
        given = findings.number(inertial, "mass", link.mass)
        link.inertia = cast(Sym3, tuple(part * given / link.mass for part in link.inertia))
        link.mass = given
