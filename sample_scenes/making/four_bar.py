# SPDX-License-Identifier: GPL-3.0-or-later
"""A four-bar linkage that draws: a crank at a steady speed leads a pen along the line that is printed on the board.

It is Hoeken's: with ground, coupler and rocker of 2, 2.5 and 2.5 cranks, and the pen a coupler's length beyond the
rocker, the pen goes straight for nearly half a turn, and back in an arch. A speed drive turns the crank; gravity acts.

The truth is plane trigonometry: `crank_pin`, `rocker_pin` and `pen` give every place at a crank's angle: by
Freudenstein or, which is the same, by two circles that meet. The printed line is drawn with them.
"""

from __future__ import annotations

import math

from workshop import begin, box, collide, drive, film, join, link, plate, rod, strap, weigh

Place = tuple[float, float]
"""x and z in the linkage's plane, from the crank's bearing [m]."""
Point = tuple[float, float, float]

CRANK, GROUND, COUPLER, ROCKER, REACH = 0.08, 0.16, 0.20, 0.20, 0.40
"""Lengths [m]; the reach is from the crank's pin to the pen."""

SPEED = math.tau / 2.5  # rad/s
AXIS = (0.0, -1.0, 0.0)  # towards who looks: a positive turn is counterclockwise
HEIGHT = 0.16  # of the crank's and the rocker's bearing, above the table
BEARING = (0.0, 0.0, HEIGHT)
OTHER_BEARING = (GROUND, 0.0, HEIGHT)
BACK, MIDDLE = 0.0, -0.014  # layers, one behind the other
MASSES = {"board": 4.0, "crank": 0.3, "coupler": 0.25, "rocker": 0.2}
LINE = 0.0022  # half the printed line's width
START = math.pi / 2.0


def crank_pin(angle: float) -> Place:
    """angle: from the line of the bearings."""
    return CRANK * math.cos(angle), CRANK * math.sin(angle)


def rocker_pin(angle: float) -> Place:
    """Where the circle about the crank's pin meets the one about the rocker's bearing, above."""
    x, z = crank_pin(angle)
    across, up = GROUND - x, -z
    apart = math.hypot(across, up)
    along = (apart**2 + COUPLER**2 - ROCKER**2) / (2.0 * apart)
    beside = math.sqrt(COUPLER**2 - along**2)
    return x + (along * across - beside * up) / apart, z + (along * up + beside * across) / apart


def pen(angle: float) -> Place:
    (x, z), (rocker_x, rocker_z) = crank_pin(angle), rocker_pin(angle)
    return x + REACH / COUPLER * (rocker_x - x), z + REACH / COUPLER * (rocker_z - z)


def build() -> None:
    begin("Four-Bar", last_frame=180, contact=True)
    frame = _board()
    crank_end, rocker_end, tip = (place(START) for place in (crank_pin, rocker_pin, pen))
    crank = _strap("crank", 0.020, (0.0, 0.0), crank_end, BACK, "red", origin=BEARING)
    _pin("crank hub", 0.011, (0.0, 0.0), BACK, parent=crank)
    _pin("crank pin", 0.007, crank_end, MIDDLE, parent=crank)
    rocker = _strap("rocker", 0.016, (GROUND, 0.0), rocker_end, BACK, "teal", origin=OTHER_BEARING)
    _pin("rocker hub", 0.011, (GROUND, 0.0), BACK, parent=rocker)
    _pin("rocker pin", 0.007, rocker_end, MIDDLE, parent=rocker)
    coupler = _strap("coupler", 0.013, crank_end, tip, MIDDLE, "ochre", origin=_at(tip, MIDDLE))
    rod("pen", 0.0065, _at(tip, MIDDLE - 0.022), _at(tip, 0.014), "black", parent=coupler)
    link(frame, motion="STATIC")
    link(crank, rocker, coupler)
    for obj in (frame, crank, rocker, coupler):
        weigh(obj, MASSES[obj.name])
    main = join("main bearing", "revolute", frame, crank, BEARING, [AXIS])
    join("crank pin bearing", "revolute", crank, coupler, _at(crank_end, MIDDLE), [AXIS])
    join("rocker bearing", "revolute", frame, rocker, OTHER_BEARING, [AXIS])
    join("rocker pin bearing", "revolute", coupler, rocker, _at(rocker_end, MIDDLE), [AXIS]).closes_loop = True
    drive(main.axes[0], "velocity", SPEED, damping=2.0)
    collide(box("table", (1.1, 0.5, 0.03), (0.15, 0.0, -0.045), "green", collection="Stand"))
    film((0.62, -1.42, 0.52), (0.155, 0.0, 0.295), lens=51.0)


def _at(place: Place, y: float) -> Point:
    return place[0], y, place[1] + HEIGHT


def _strap(name: str, radius: float, one: Place, other: Place, layer: float, color: str, origin: Point):
    return strap(name, radius, _at(one, layer), _at(other, layer), 0.012, AXIS, color, origin=origin)


def _pin(name: str, radius: float, place: Place, layer: float, parent) -> None:
    """From the board's side to a head in front of the layer."""
    rod(name, radius, _at(place, layer + 0.018), _at(place, layer - 0.010), "slate", parent=parent)


def _board():
    """The board with its paper, the printed line and the bearings."""
    board = box("board", (0.62, 0.02, 0.64), (0.15, 0.035, 0.32), "wood")
    box("paper", (0.56, 0.004, 0.58), (0.15, 0.023, 0.32), "paper", parent=board)
    box("foot", (0.70, 0.20, 0.03), (0.15, 0.0, -0.015), "slate", parent=board)
    for name, place in (("main boss", BEARING), ("rocker boss", OTHER_BEARING)):
        rod(name, 0.026, (place[0], 0.024, HEIGHT), (place[0], 0.012, HEIGHT), "steel", parent=board)
    _printed_line(board)
    return board


def _printed_line(board) -> None:
    """An extrusion along the pen's path, as wide as the line."""
    path = [pen(math.tau * i / 240) for i in range(240)]
    sides = [[], []]
    for (x0, z0), (x, z), (x1, z1) in zip(path[-1:] + path, path, path[1:] + path[:1], strict=False):
        length = math.hypot(x1 - x0, z1 - z0)
        across = (z1 - z0) / length * LINE, (x0 - x1) / length * LINE
        for side, sign in zip(sides, (1.0, -1.0), strict=True):
            side.append((x + sign * across[0], z + sign * across[1]))
    plate("printed line", sides, 0.002, (0.0, 0.0215, HEIGHT), "blue", along=AXIS, role="VISUAL", parent=board)
