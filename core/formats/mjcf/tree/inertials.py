# SPDX-License-Identifier: GPL-3.0-or-later
"""Mass, centre of mass and inertia of bodies, from <inertial> or from their geoms.

Source: MuJoCo documentation, XML Reference, "compiler" (inertiafromgeom to settotalmass) and "body/inertial".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

import numpy as np

from ....files.xml import Element
from ....geometry.shape_mass import combined
from ....model import Link
from ....spatial import Sym3, sym_to_mat
from ....spatial.arrays import eigh, matmul
from ...alike import turned_inertia
from ...findings import Findings
from ..poses import pose_of
from ..settings import Settings
from .bodies import Body
from .geoms import Geom, GeomReader

LEAST_MASS = 1e-14
"""Mass of a geom at or below which MuJoCo ignores it [kg]."""


def read_inertial(body: Body, geoms: Sequence[Geom], link: Link, reader: GeomReader, findings: Findings) -> None:
    """Set mass, com and inertia of a body's link."""
    settings = body.around.file.settings
    given = body.all("inertial")
    if len(given) > 1:
        message = f"<inertial> stands in it twice; the one in line {given[0].element.line} is read: take one out"
        findings.excuse(given[1].element, "repeated-element", message, f"body '{body.name}'")
    if given and settings.inertia_from_geoms is not True:
        _from_element(given[0].element, link, settings, findings)
    elif settings.inertia_from_geoms is not False:
        _from_geoms(geoms, link, settings, reader)
    _bound(link, settings)


def _from_element(element: Element, link: Link, settings: Settings, findings: Findings) -> None:
    X_LI = pose_of(element, settings, findings)
    link.com = X_LI[:3]
    link.mass = findings.attribute(element, "mass", 0.0)
    full, diagonal = (name in element.attributes for name in ("fullinertia", "diaginertia"))
    if full and diagonal:
        message = "it has both fullinertia and diaginertia; take one out"
        findings.error(element, "two-inertias", message)
    if full:
        xx, yy, zz, xy, xz, yz = findings.attribute_vector(element, "fullinertia", (0.0,) * 6)
        link.inertia = (xx, xy, xz, yy, yz, zz)
    else:
        xx, yy, zz = findings.attribute_vector(element, "diaginertia", (0.0, 0.0, 0.0))
        link.inertia = turned_inertia(X_LI, (xx, 0.0, 0.0, yy, 0.0, zz))


def _from_geoms(geoms: Sequence[Geom], link: Link, settings: Settings, reader: GeomReader) -> None:
    least, most = settings.inertia_groups
    solids = [reader.solid_of(geom) for geom in geoms if least <= geom.group <= most]
    heavy = [solid for solid in solids if solid and solid[0].volume * solid[2] > LEAST_MASS]
    if heavy:
        link.mass, link.com, link.inertia = combined(heavy)


def _bound(link: Link, settings: Settings) -> None:
    """Raise mass and principal moments to their least values, and make moments equal that no body can have."""
    if settings.bound_mass:
        link.mass = max(link.mass, settings.bound_mass)
    if not settings.bound_inertia and not settings.balance_inertia:
        return
    moments, axes = eigh(np.array(sym_to_mat(link.inertia)).reshape(3, 3))
    bounded = np.maximum(moments, settings.bound_inertia)
    if settings.balance_inertia and bounded.sum() < 2.0 * bounded.max():
        bounded = np.full(3, bounded.sum() / 3.0)
    if (bounded != moments).any():
        turned = matmul(axes * bounded, axes.T)
        link.inertia = cast(Sym3, tuple(turned[[0, 0, 0, 1, 1, 2], [0, 1, 2, 1, 2, 2]].tolist()))


def scale_to_total(links: Sequence[Link], total: float) -> None:
    """Scale masses and inertias, so that all links together weigh `total` [kg]."""
    weight = sum(link.mass for link in links)
    if weight > 0.0:
        for link in links:
            link.mass *= total / weight
            link.inertia = cast(Sym3, tuple(part * total / weight for part in link.inertia))
