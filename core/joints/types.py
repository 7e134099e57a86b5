# SPDX-License-Identifier: GPL-3.0-or-later
"""The joint types, one entry each. A new type needs only a new entry here.

Columns are listed from the parent to the child. A joint whose slides come before its rotations is one body in the
kernels; `compile_model` divides any other order into several bodies.

Source: Featherstone, Rigid Body Dynamics Algorithms (2008), section 4.4 and table 4.1, for motion subspaces.
"""

from __future__ import annotations

import math

from ..spatial import Vec3
from .limited_quantities import CONE, DISTANCE, TWIST
from .parts import (
    BALL_CHART,
    DIRECTION,
    DRIVE,
    ENDLESS,
    FREE_CHART,
    LIMITS,
    LOSSES,
    SPRING,
    STOPS,
    UPPER,
    Column,
    JointType,
    LimitedQuantity,
    Slot,
    Unit,
)

PREFIXES = ("articulationjointtype", "jointtype", "jointmodel", "physics", "mjjnt", "joint")
"""What Unity, RBDL, Pinocchio, USD, MuJoCo and PyBullet put before the names of all joint types, the longest first."""

SPELT_ALIKE = 0.7
"""Similarity from which a name is suggested for a misspelt one, as `difflib` measures it; 1 is the same word."""

X: Vec3 = (1.0, 0.0, 0.0)
Y: Vec3 = (0.0, 1.0, 0.0)
Z: Vec3 = (0.0, 0.0, 1.0)


def _turning(*axes: int) -> tuple[Column, ...]:
    return tuple(Column(axis, turn=1.0) for axis in axes)


def _sliding(*axes: int) -> tuple[Column, ...]:
    return tuple(Column(axis, slide=1.0) for axis in axes)


def _along(direction: Vec3, name: str) -> Slot:
    """Return the slot of an axis with all features, whose direction the type defines."""
    return Slot(name).fixed_to(direction)


def _euler(order: str) -> JointType:
    first, second, third = order.upper()
    return JointType(
        f"euler_{order}",
        f"Euler {first}{second}{third}",
        f"Three hinges about {first}, then {second}, then {third}",
        columns=_turning(0, 1, 2),
        axes=tuple(_along({"x": X, "y": Y, "z": Z}[letter], letter) for letter in order),
    )


_RESISTANCE = LOSSES | {"armature"}
_ROTARY = _RESISTANCE | SPRING | DRIVE

JOINT_TYPES: dict[str, JointType] = {
    entry.name: entry
    for entry in (
        JointType(
            "fixed",
            "Fixed",
            "Holds two links together",
            sdf="fixed",
            urdf="fixed",
            common=4,
            elsewhere=("weld", "rigid", "static"),
        ),
        JointType(
            "revolute",
            "Revolute",
            "Turns about an axis, as a door does, between limits where it has any",
            columns=_turning(0),
            sdf="revolute",
            urdf="revolute",
            known_as="Hinge",
            common=1,
            elsewhere=(
                *("pin", "rotary", "rotational", "revolutex", "revolutey", "revolutez"),
                *("rx", "ry", "rz", "revoluteunaligned"),
            ),
        ),
        JointType(
            "continuous",
            "Continuous",
            "Turns without end, as a wheel does",
            columns=_turning(0),
            axes=(Slot(fields=ENDLESS),),
            sdf="continuous",
            urdf="continuous",
            known_as="Wheel",
            common=6,
            elsewhere=("rubx", "ruby", "rubz", "revoluteunbounded", "revoluteunboundedunaligned"),
        ),
        JointType(
            "prismatic",
            "Prismatic",
            "Slides along an axis, as a drawer does",
            columns=_sliding(0),
            sdf="prismatic",
            urdf="prismatic",
            known_as="Slider",
            common=2,
            elsewhere=(
                *("slide", "linear", "translational", "prismaticx", "prismaticy", "prismaticz"),
                *("px", "py", "pz", "prismaticunaligned"),
            ),
        ),
        JointType(
            "screw",
            "Screw",
            "Turns and slides along its thread",
            columns=(Column(turn=1.0, threaded=True),),
            sdf="screw",
            common=8,
            elsewhere=("helical", "leadscrew", "hx", "hy", "hz", "helicalunaligned"),
        ),
        JointType(
            "universal",
            "Universal",
            "Two crossed hinges, as on a drive shaft",
            columns=_turning(0, 1),
            sdf="universal",
            common=5,
            elsewhere=("hooke", "cardan"),
        ),
        JointType(
            "revolute2",
            "Two Hinges",
            "Two hinges in series, as on a steered wheel",
            columns=_turning(0, 1),
            sdf="revolute2",
            aliases=("hinge2",),
        ),
        JointType(
            "cylindrical",
            "Cylindrical",
            "Slides along its axis and turns about it",
            columns=_sliding(0) + _turning(1),
            axes=(Slot("slide"), Slot("turn", ENDLESS - DIRECTION | LIMITS, along=0)),
            common=7,
            elsewhere=("piston",),
        ),
        JointType(
            "planar",
            "Planar",
            "Slides in the joint's XY plane and turns in it",
            columns=_sliding(0, 1) + _turning(2),
            axes=(_along(X, "x"), _along(Y, "y"), _along(Z, "turn")),
            urdf="planar",
        ),
        _euler("zyx"),
        _euler("xyz"),
        _euler("yxz"),
        _euler("zxy"),
        JointType(
            "translation",
            "Translation",
            "Slides every way, never turns",
            columns=_sliding(0, 1, 2),
            axes=(_along(X, "x"), _along(Y, "y"), _along(Z, "z")),
            elsewhere=("translationxyz", "cartesian"),
        ),
        JointType(
            "d6",
            "Six Axes",
            "Three slides and three hinges, each free, limited or locked",
            columns=_sliding(0, 1, 2) + _turning(3, 4, 5),
            axes=(
                _along(X, "x"),
                _along(Y, "y"),
                _along(Z, "z"),
                _along(X, "rx"),
                _along(Y, "ry"),
                _along(Z, "rz"),
            ),
            picks=True,
            elsewhere=("configurable", "generic", "genericspring"),
        ),
        JointType("custom", "Custom", "Any sequence of rotations, slides and screws", is_open=True),
        JointType(
            "ball",
            "Ball",
            "Turns every way about a point",
            chart=BALL_CHART,
            axes=(
                Slot("x", _ROTARY, X, unit=Unit.ANGLE),
                Slot("y", _ROTARY, Y, unit=Unit.ANGLE),
                Slot("z", _ROTARY, Z, unit=Unit.ANGLE),
                Slot("cone", DIRECTION | UPPER | STOPS, unit=Unit.ANGLE),
                Slot("twist", LIMITS, along=3, unit=Unit.ANGLE),
            ),
            limited_quantities=(LimitedQuantity(CONE, 3, 0.0, math.pi), LimitedQuantity(TWIST, 4, -math.pi, math.pi)),
            spring_axes=(0, 1, 2),
            sdf="ball",
            common=3,
            aliases=("spherical",),
            elsewhere=("socket", "ballandsocket", "point", "point2point", "character", "ballrpy"),
        ),
        JointType(
            "free",
            "Free",
            "Moves and turns every way",
            chart=FREE_CHART,
            axes=(Slot("move", _RESISTANCE, Z, unit=Unit.LENGTH), Slot("turn", _RESISTANCE, Z, unit=Unit.ANGLE)),
            spring_axes=(0, 0, 0, 1, 1, 1),
            urdf="floating",
            elsewhere=(
                *("6dof", "sixdof", "floatingbase", "freeflyer"),
                *("quaternionfloating", "rpyfloating"),
            ),
        ),
        JointType(
            "distance",
            "Distance",
            "Keeps two points between a nearest and a farthest distance, as a rope or rod does",
            chart=FREE_CHART,
            axes=(Slot("distance", LIMITS | SPRING | {"damping"}, Z, unit=Unit.LENGTH),),
            limited_quantities=(LimitedQuantity(DISTANCE, 0, 0.0, math.inf),),
            elsewhere=("rope", "spring"),
        ),
        JointType(
            "cable",
            "Cable",
            "Holds a piece of cable along Z by its stiffness against stretch, bend and twist",
            chart=FREE_CHART,
            axes=(
                Slot("stretch", LOSSES | {"spring_stiffness"}, Z, unit=Unit.LENGTH),
                Slot("bend", LOSSES | {"spring_stiffness"}, X, unit=Unit.ANGLE),
                Slot("twist", LOSSES | SPRING, Z, unit=Unit.ANGLE),
            ),
            spring_axes=(0, 0, 0, 1, 1, 2),
        ),
    )
}
"""All joint types by name."""


def type_name(word: object) -> str | None:
    """Return the name of the joint type that a word denotes, or None. `unknown_type` has words for an error then.

    The word is the type's name, the artist's word for it, or its name in a format or another program. The latter are in
    lower case: "hinge", "slider", "spherical", "floating".
    """
    if not isinstance(word, str) or word in JOINT_TYPES:
        return word if isinstance(word, str) else None
    for entry in JOINT_TYPES.values():
        if word in (entry.known_as.lower(), entry.sdf, entry.urdf, *entry.aliases):
            return entry.name
    return None


def stem_of(word: str) -> str:
    """Return a word in lower case, without punctuation and without what programs put around the names of all types.

    "JointTypeRevolute" of RBDL, "RevoluteJoint" of Drake, "PhysicsRevoluteJoint" of USD and "JOINT_REVOLUTE" of
    PyBullet become "revolute".
    """
    letters = "".join(letter for letter in word.lower() if letter.isalnum())
    for before in PREFIXES:
        if letters.startswith(before) and len(letters) > len(before):
            letters = letters.removeprefix(before)
            break
    return letters.removesuffix("joint") or letters


def unknown_type(word: object) -> str:
    """Return the words of an error about a joint type that is not known.

    They name the type that another program calls so, or whose name is spelt nearly so, and all allowed types.
    """
    from difflib import get_close_matches  # late, for start-up time: only errors need it

    names, foreign = {}, {}
    for entry in JOINT_TYPES.values():
        own = (entry.name, entry.known_as, entry.sdf, entry.urdf, *entry.aliases)
        names |= {stem_of(known): entry.name for known in own if known}
        foreign |= dict.fromkeys(entry.elsewhere, entry.name)
    stem = stem_of(word) if isinstance(word, str) else ""
    near = [stem] if stem in foreign else get_close_matches(stem, names, 1, SPELT_ALIKE)
    hint = f"did you mean '{(names | foreign)[near[0]]}'? Allowed are" if near else "allowed are"
    return f"'{word}' is not known; {hint} {', '.join(JOINT_TYPES)}"
