"""What a cubic metre of common materials weighs.

Source: typical values as handbooks give them, rounded: CRC Handbook of Chemistry and Physics (metals, water, ice),
Ashby, Materials Selection in Mechanical Design, appendix A (woods, plastics, foam, glass, concrete, carbon fibre), and
Winter, Biomechanics and Motor Control of Human Movement, chapter 4 (the body as a whole, bone).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Substance:
    """name: for files, never changed. label: for people. density [kg/m^3], of no other substance."""

    name: str
    label: str
    density: float


SUBSTANCES = (
    Substance("foam", "Foam", 30.0),
    Substance("cork", "Cork", 180.0),
    Substance("wood", "Wood (Pine)", 500.0),
    Substance("plywood", "Plywood", 680.0),
    Substance("hardwood", "Hardwood (Oak)", 750.0),
    Substance("ice", "Ice", 917.0),
    Substance("water", "Water", 1000.0),
    Substance("body", "Body (Flesh and Bone)", 1010.0),
    Substance("abs", "Plastic (ABS)", 1050.0),
    Substance("rubber", "Rubber", 1100.0),
    Substance("carbon_fibre", "Carbon Fibre", 1600.0),
    Substance("bone", "Bone", 1900.0),
    Substance("concrete", "Concrete", 2400.0),
    Substance("glass", "Glass", 2500.0),
    Substance("aluminium", "Aluminium", 2700.0),
    Substance("titanium", "Titanium", 4500.0),
    Substance("steel", "Steel", 7850.0),
    Substance("brass", "Brass", 8500.0),
    Substance("lead", "Lead", 11340.0),
)
"""The lightest first."""

SAME = 1e-6
"""By how much of itself a density may differ from a substance's and still be that: single precision rounds it."""


def substance_of(density: float) -> Substance | None:
    """The one that has this density [kg/m^3]."""
    return next((known for known in SUBSTANCES if abs(density - known.density) <= SAME * known.density), None)
