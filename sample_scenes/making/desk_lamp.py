# SPDX-License-Identifier: GPL-3.0-or-later
"""A desk lamp that was pulled out of balance: springs bring it back to where they carry its weight, and it nods.

Each arm is one side of a parallelogram, so that the elbow and the bracket of the shade never turn. What hangs on an arm
thus only rises and falls with it, and the arms are in balance each for itself: at a minimum of
    S g sin(t) + k (l(t) - l0)^2,   l^2 = r^2 + |p|^2 - 2 r (p_x cos(t) + p_z sin(t))
with t the arm's angle from level, S its load [kg m], and two springs of stiffness k from the point p beside its pivot
to the distance r along it. `Arm` says this in Python; the springs are as stiff as it takes at the drawn angles.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import bpy
from workshop import (
    ball,
    bar,
    begin,
    box,
    coil,
    collection_of,
    collide,
    film,
    join,
    link,
    plate,
    rod,
    shape,
    spring,
    start,
    strap,
    tie,
    weigh,
)

from limberjack.core.geometry import Cone

Point = tuple[float, float, float]
Corner = tuple[float, float]
Corners = list[Corner]

GRAVITY = 9.81
AXIS = (0.0, -1.0, 0.0)  # towards who looks: a positive turn is counterclockwise
MASSES = {
    "base": 2.5,
    "lower arm": 0.15,
    "lower rod": 0.08,
    "elbow": 0.12,
    "upper arm": 0.15,
    "upper rod": 0.08,
    "bracket": 0.06,
    "shade": 0.35,
}


@dataclass(frozen=True)
class Arm:
    """One side of a parallelogram.

    Attributes:
        length: from pivot to pivot. load: S [kg m]. balance: the angle from level that is drawn.
        anchor: from the pivot to where its springs are held, in x and z. reach: how far along the arm they pull.
        stretch: by how much they are longer than at rest in balance.
    """

    length: float
    load: float
    balance: float
    anchor: tuple[float, float]
    reach: float
    stretch: float

    def spring_length(self, angle: float) -> float:
        x, z = self.anchor
        return math.hypot(self.reach * math.cos(angle) - x, self.reach * math.sin(angle) - z)

    @property
    def rest(self) -> float:
        return self.spring_length(self.balance) - self.stretch

    @property
    def stiffness(self) -> float:
        """Of each of the two springs [N/m]."""
        x, z = self.anchor
        cosine, sine = math.cos(self.balance), math.sin(self.balance)
        lever = self.reach * (x * sine - z * cosine) / self.spring_length(self.balance)
        return -self.load * GRAVITY * cosine / (2.0 * self.stretch * lever)

    def potential(self, angle: float) -> float:
        stretch = self.spring_length(angle) - self.rest
        return self.load * GRAVITY * math.sin(angle) + self.stiffness * stretch**2


def _load(length: float, own: tuple[str, ...], carried: tuple[str, ...]) -> float:
    return length * (sum(MASSES[name] for name in own) / 2.0 + sum(MASSES[name] for name in carried))


UPPER_PARTS = ("upper arm", "upper rod")
HEAD = ("bracket", "shade")
LOWER_LENGTH, UPPER_LENGTH = 0.34, 0.32
LOWER_LOAD = _load(LOWER_LENGTH, ("lower arm", "lower rod"), ("elbow", *UPPER_PARTS, *HEAD))
UPPER_LOAD = _load(UPPER_LENGTH, UPPER_PARTS, HEAD)
LOWER = Arm(LOWER_LENGTH, LOWER_LOAD, math.radians(115.0), anchor=(0.10, 0.05), reach=0.20, stretch=0.015)
UPPER = Arm(UPPER_LENGTH, UPPER_LOAD, math.radians(28.0), anchor=(0.0, 0.10), reach=0.15, stretch=0.05)
PIVOT = (-0.12, 0.0, 0.13)
BEHIND, ABOVE = (-0.042, 0.0), (0.0, 0.046)
"""From an arm's pivots to those of the rod beside it, in x and z."""

PUSHED = 0.32, -0.55  # rad, by which the arms start off their balance
NOD = 0.5  # rad, by which the shade does
TILT = math.radians(20.0)  # of the shade, forward from straight down
UP = (-math.sin(TILT), 0.0, math.cos(TILT))  # from the shade's mouth to its tip
SHADE, SHADE_HEIGHT, COLLAR, BULB = 0.085, 0.115, 0.03, 0.036
COLLAR_RADIUS, COLLAR_ENDS = 0.022, (0.012, 0.065)
SPRING_OF_SHADE = 1.2  # N m/rad


def _beyond(place: Point, angle: float, length: float) -> Point:
    return place[0] + length * math.cos(angle), place[1], place[2] + length * math.sin(angle)


def _beside(place: Point, offset: Corner, y: float = 0.0) -> Point:
    return place[0] + offset[0], y, place[2] + offset[1]


ELBOW = _beyond(PIVOT, LOWER.balance, LOWER.length)
TIP = _beyond(ELBOW, UPPER.balance, UPPER.length)


def build() -> None:
    begin("Desk Lamp", last_frame=192, contact=True)
    base, links = _base(), _arms()
    links |= {"elbow": _elbow(), "bracket": _bracket(), "shade": _shade()}
    link(base, motion="STATIC")
    link(*links.values())
    links["base"] = base
    for name, mass in MASSES.items():
        weigh(links[name], mass)
    _hinge_all(base, links)
    _springs("lower", LOWER, base, links["lower arm"], PIVOT)
    _springs("upper", UPPER, links["elbow"], links["upper arm"], ELBOW)
    _desk()
    film((0.55, -2.0, 0.74), (0.01, 0.0, 0.315), lens=55.0)


def _arms() -> dict:
    return {
        "lower arm": strap("lower arm", 0.012, PIVOT, ELBOW, 0.012, AXIS, "red", origin=PIVOT),
        "lower rod": _rod("lower rod", PIVOT, ELBOW, BEHIND),
        "upper arm": strap("upper arm", 0.012, ELBOW, TIP, 0.012, AXIS, "red", origin=ELBOW),
        "upper rod": _rod("upper rod", ELBOW, TIP, ABOVE),
    }


def _rod(name: str, one: Point, other: Point, offset: Corner):
    one, other = _beside(one, offset), _beside(other, offset)
    return strap(name, 0.006, one, other, 0.008, AXIS, "red", origin=one)


def _cheeks(name: str, place: Point, corners: Corners, owner=None):
    """Two rounded plates with pins between them, about corners in x and z from the place; the owner carries them.

    Where there is no owner, the plate in front is the link, and carries the rest.
    """
    outline, (x, _, z) = _rounded(corners, 0.014), place
    front_name = f"{name} front" if owner else name
    front = plate(front_name, [outline], 0.004, (x, -0.012, z), "slate", along=AXIS, origin=place, parent=owner)
    owner = owner or front
    plate(f"{name} back", [outline], 0.004, (x, 0.016, z), "slate", along=AXIS, parent=owner)
    for number, corner in enumerate(corners, 1):
        ends = (_beside(place, corner, y) for y in (-0.026, 0.026))
        rod(f"{name} pin {number}", 0.005, *ends, "steel", parent=owner)
    return owner


def _rounded(corners: Corners, radius: float) -> Corners:
    """The outline about discs at the corners of a convex polygon, counterclockwise."""
    outline = []
    sides = zip(corners[-1:] + corners[:-1], corners, strict=True)
    outward = [math.atan2(z - z0, x - x0) - math.pi / 2 for (x0, z0), (x, z) in sides]
    for (x, z), first, last in zip(corners, outward, outward[1:] + outward[:1], strict=True):
        sweep = (last - first) % math.tau
        angles = [first + sweep * i / 8 for i in range(9)]
        outline += [(x + radius * math.cos(angle), z + radius * math.sin(angle)) for angle in angles]
    return outline


def _base():
    x, _, z = PIVOT
    foot = rod("base", 0.105, (x, 0.0, 0.0), (x, 0.0, 0.026), "slate")
    rod("base post", 0.012, (x - 0.01, 0.0, 0.02), (x - 0.01, 0.0, z), "slate", parent=foot)
    _cheeks("base bracket", PIVOT, [(0.0, 0.0), LOWER.anchor, BEHIND], foot)
    return foot


def _elbow():
    return _cheeks("elbow", ELBOW, [(0.0, 0.0), UPPER.anchor, BEHIND])


def _bracket():
    return _cheeks("bracket", TIP, [(0.0, 0.0), ABOVE])


def _shade():
    """Round about a line through the tip of the upper arm; what its spring has to hold is in `_sag`."""
    shade = shape("shade", Cone(SHADE, SHADE_HEIGHT), _down(COLLAR + SHADE_HEIGHT / 2.0), "red", along=UP, origin=TIP)
    rod("collar", COLLAR_RADIUS, *map(_down, COLLAR_ENDS), "slate", parent=shade)
    ball("bulb", BULB, _down(COLLAR + SHADE_HEIGHT), "lamp", parent=shade)
    return shade


def _down(way: float) -> Point:
    """A point of the shade's middle line."""
    x, y, z = (place - way * part for place, part in zip(TIP, UP, strict=True))
    return x, y, z


def _sag() -> float:
    """Where the shade's spring must be at rest [rad], for the shade to be in balance as it is drawn."""
    shapes = (
        (SHADE**2 * SHADE_HEIGHT / 3.0, COLLAR + 0.75 * SHADE_HEIGHT),
        (COLLAR_RADIUS**2 * (COLLAR_ENDS[1] - COLLAR_ENDS[0]), sum(COLLAR_ENDS) / 2.0),
        (4.0 / 3.0 * BULB**3, COLLAR + SHADE_HEIGHT),
    )
    middle = sum(volume * way for volume, way in shapes) / sum(volume for volume, _ in shapes)
    return MASSES["shade"] * GRAVITY * middle * math.sin(TILT) / SPRING_OF_SHADE


def _hinge_all(base, links: dict) -> None:
    lower, upper = PUSHED
    for name, parent, child, place, damping, push in (
        ("shoulder", base, "lower arm", PIVOT, 0.12, lower),
        ("lower rod foot", base, "lower rod", _beside(PIVOT, BEHIND), 0.0, lower),
        ("elbow hinge", links["lower arm"], "elbow", ELBOW, 0.0, -lower),
        ("upper arm hinge", links["elbow"], "upper arm", ELBOW, 0.06, upper),
        ("upper rod foot", links["elbow"], "upper rod", _beside(ELBOW, ABOVE), 0.0, upper),
        ("bracket hinge", links["upper arm"], "bracket", TIP, 0.0, -upper),
        ("shade hinge", links["bracket"], "shade", TIP, 0.012, NOD),
    ):
        hinge = join(name, "revolute", parent, links[child], place, [AXIS], size=0.03)
        hinge.axes[0].damping = damping
        start(hinge, push)
    spring(hinge.axes[0], SPRING_OF_SHADE, 0.012, _sag())
    for name, parent, child, place in (
        ("lower rod head", "elbow", "lower rod", _beside(ELBOW, BEHIND)),
        ("upper rod head", "bracket", "upper rod", _beside(TIP, ABOVE)),
    ):
        join(name, "revolute", links[parent], links[child], place, [AXIS], size=0.03).closes_loop = True


def _springs(name: str, arm: Arm, holder, lever, pivot: Point) -> None:
    """Two, on either side of the arm."""
    for y, side in ((-0.024, "front"), (0.024, "back")):
        one = _beside(pivot, arm.anchor, y)
        x, _, z = _beyond(pivot, arm.balance, arm.reach)
        axis = tie(f"{name} spring {side}", holder, lever, one, (x, y, z))
        spring(axis, arm.stiffness, 0.0, arm.rest)
        _show_spring(f"{name} coil {side}", holder, lever, one, (x, y, z))


def _show_spring(name: str, holder, lever, one: Point, other: Point) -> None:
    """A coil between two Empties that the links carry."""
    ends = []
    for owner, place, end in ((holder, one, "foot"), (lever, other, "head")):
        mark = bpy.data.objects.new(f"{name} {end}", None)
        mark.empty_display_size, mark.location = 0.01, place
        collection_of("Stand").objects.link(mark)
        mark.parent, mark.matrix_parent_inverse = owner, owner.matrix_world.inverted()
        ends.append(mark)
    bpy.context.view_layer.update()
    coil(name, 0.0075, 0.0016, 16, *ends, "steel")


def _desk() -> None:
    desk = box("desk", (0.95, 0.46, 0.03), (0.02, 0.0, -0.015), "wood", collection="Stand")
    book = box("book", (0.17, 0.23, 0.022), (0.21, 0.02, 0.011), "teal", collection="Stand")
    box("notebook", (0.14, 0.19, 0.010), (0.205, 0.0, 0.027), "paper", collection="Stand")
    bar("pencil", 0.0035, (0.16, -0.05, 0.0355), (0.255, 0.03, 0.0355), "ochre", collection="Stand")
    collide(desk, book)
