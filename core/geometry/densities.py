# SPDX-License-Identifier: GPL-3.0-or-later
"""Density, friction and restitution of common materials.

Densities are typical values of handbooks, rounded: CRC Handbook of Chemistry and Physics (metals, water, ice), Ashby,
Materials Selection in Mechanical Design, appendix A (woods, plastics, foam, glass, concrete, carbon fibre), and Winter,
Biomechanics and Motor Control of Human Movement, chapter 4 (the body as a whole, bone).

Friction coefficients are those of dry sliding, of the material on itself or on the material that it commonly slides on.
They are chosen so that the smaller of two is close to the handbooks' value for the pair: Marks' Standard Handbook for
Mechanical Engineers, section 3.2, and the CRC Handbook (metals, woods, glass, rubber, ice), Derler and Gerhardt,
Tribology of skin (2012), manufacturers' tables (plastics, foam, cork). One number for each material cannot reproduce
all pairs: rubber on wood, 0.7 to 0.95 in tables, gets wood's 0.45, and bare aluminium on itself exceeds 1 in tables.

Restitution coefficients are those of a ball on a thick plate of the same material at a few metres per second: Newton,
Principia, scholium to the laws of motion (glass 15/16, steel and cork about 5/9), Goldsmith, Impact (1960), and Higa,
Arakawa and Maeno (1996, ice). For metals, the coefficient is larger at lower speeds.
"""

from __future__ import annotations

from typing import NamedTuple


class Substance(NamedTuple):
    """A material that a link can consist of.

    Attributes:
        name: identifier in files, which never changes.
        label: name that users see.
        density: [kg/m^3]; no two substances have the same.
        friction: coefficient of sliding friction of its `Surface`.
        restitution: coefficient of restitution of its `Surface`.
    """

    name: str
    label: str
    density: float
    friction: float
    restitution: float


SUBSTANCES = (
    Substance("foam", "Foam", 30.0, 0.6, 0.3),
    Substance("cork", "Cork", 180.0, 0.5, 0.55),
    Substance("wood", "Wood (Pine)", 500.0, 0.45, 0.5),
    Substance("plywood", "Plywood", 680.0, 0.45, 0.5),
    Substance("hardwood", "Hardwood (Oak)", 750.0, 0.48, 0.55),
    Substance("ice", "Ice", 917.0, 0.03, 0.8),
    Substance("water", "Water", 1000.0, 0.1, 0.0),
    Substance("body", "Body (Flesh, Bone)", 1010.0, 0.46, 0.2),
    Substance("abs", "Plastic (ABS)", 1050.0, 0.4, 0.6),
    Substance("rubber", "Rubber", 1100.0, 1.0, 0.75),
    Substance("carbon_fibre", "Carbon Fibre", 1600.0, 0.3, 0.6),
    Substance("bone", "Bone", 1900.0, 0.4, 0.5),
    Substance("concrete", "Concrete", 2400.0, 0.8, 0.3),
    Substance("glass", "Glass", 2500.0, 0.4, 0.94),
    Substance("aluminium", "Aluminium", 2700.0, 0.5, 0.5),
    Substance("titanium", "Titanium", 4500.0, 0.4, 0.6),
    Substance("steel", "Steel", 7850.0, 0.6, 0.56),
    Substance("brass", "Brass", 8500.0, 0.44, 0.4),
    Substance("lead", "Lead", 11340.0, 0.9, 0.15),
)
"""All known materials, in order of density."""

SAME_DENSITY = 1e-6
"""Largest relative difference of a density from that of a substance which it denotes. Single precision rounds it."""


def substance_of(density: float) -> Substance | None:
    """Return the substance that has this density [kg/m^3], or None."""
    return next((known for known in SUBSTANCES if abs(density - known.density) <= SAME_DENSITY * known.density), None)
