# SPDX-License-Identifier: GPL-3.0-or-later
"""Inertias that MuJoCo accepts: it refuses a file in which one body has another, even by rounding.

It also refuses a body with joints if neither the body nor what is fixed to it has mass and three principal moments.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from xml.etree.ElementTree import Element

from ....model import Link
from ....model.editing.mending import principal_axes, principal_moments
from ....spatial import Sym3
from ...xml.output import numbers

MARGIN = 1e-10
"""Margin by which the triangle inequality of principal moments holds, as a part of the largest one."""

LEAST_FULL = 1e-13
"""Principal moment from which on an inertia is written as a matrix [kg m^2]. MuJoCo refuses matrices with eigenvalues
below 1e-14 (mjEPS), and takes principal moments of any size."""

LEAST_MOVING = 2e-15
"""Mass [kg] and principal moments [kg m^2] that a moving body needs: above MuJoCo's mjMINVAL, 1e-15."""

BOUND_MASS = 1e-9
"""Mass of a body that moves without any [kg]."""

BOUND_INERTIA = 1e-12
"""Least principal moment of a moving body that has none [kg m^2]."""

JOINTS = ("joint", "freejoint")
"""Tags of joints in a body."""


def strictly_physical(inertia: Sym3) -> Sym3:
    """Return an inertia whose principal moments keep the triangle inequality by a margin [kg m^2].

    A flat body has A + B = C, and rounding may make that A + B < C. The same number is added to all three moments.
    """
    small, middle, large = principal_moments(inertia).tolist()
    lack = large * (1.0 + MARGIN) - small - middle
    if lack <= 0.0:
        return inertia
    xx, xy, xz, yy, yz, zz = inertia
    return xx + lack, xy, xz, yy + lack, yz, zz + lack


def inertial(link: Link) -> Element:
    """Return the <inertial> of a link with mass."""
    inertia = strictly_physical(link.inertia)
    element = Element("inertial", pos=numbers(link.com), mass=numbers((link.mass,)))
    xx, xy, xz, yy, yz, zz = inertia
    if min(principal_moments(inertia)) >= LEAST_FULL:
        element.set("fullinertia", numbers((xx, yy, zz, xy, xz, yz)))
    elif xy == xz == yz == 0.0:
        element.set("diaginertia", numbers((xx, yy, zz)))
    else:
        moments, quat = principal_axes(inertia)
        element.set("quat", numbers(quat))
        element.set("diaginertia", numbers(max(moment, 0.0) for moment in moments))
    return element


def put_inertials(bodies: Mapping[str, Element], links: Mapping[str, Link]) -> list[str]:
    """Write the inertia of each link into its body, and return lines about numbers that MuJoCo asks for.

    Args:
        bodies: the element of each link that has a body of its own. links: by name.
    """
    owners = {id(body): name for name, body in bodies.items()}
    written, losses = dict(links), []
    for name, body in bodies.items():
        if not _has_joints(body):
            continue
        parts = [links[owners[id(part)]] for part in _fixed_parts(body)]
        if any(link.mass >= LEAST_MOVING and _least_moment(link) >= LEAST_MOVING for link in parts):
            continue
        heaviest = max(parts, key=lambda link: link.mass)
        mended = _with_least(heaviest if heaviest.mass > 0.0 else links[name])
        written[mended.name] = mended
        losses.append(
            f"link '{mended.name}' has {mended.mass:g} kg and principal moments from {BOUND_INERTIA:g} kg m^2 on in "
            "MJCF, since MuJoCo moves no body without"
        )
    for name, body in bodies.items():
        if written[name].mass > 0.0:
            body.insert(sum(child.tag in JOINTS for child in body), inertial(written[name]))
    return losses


def _with_least(link: Link) -> Link:
    """Return a link with the mass and the principal moments that MuJoCo needs, added in all directions alike."""
    lack = max(BOUND_INERTIA - _least_moment(link), 0.0)
    xx, xy, xz, yy, yz, zz = link.inertia
    return replace(link, mass=max(link.mass, BOUND_MASS), inertia=(xx + lack, xy, xz, yy + lack, yz, zz + lack))


def _least_moment(link: Link) -> float:
    return float(principal_moments(link.inertia)[0])


def _has_joints(body: Element) -> bool:
    return any(child.tag in JOINTS for child in body)


def _fixed_parts(body: Element) -> list[Element]:
    """Return a body and all bodies that are fixed to it."""
    found, waiting = [], [body]
    while waiting:
        part = waiting.pop()
        found.append(part)
        waiting += [child for child in part if child.tag == "body" and not _has_joints(child)]
    return found
