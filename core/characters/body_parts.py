# SPDX-License-Identifier: GPL-3.0-or-later
"""The parts of a body, one entry each: their shares of its mass, their joints with the part above, and their tone.

Angles are in degrees, as the sources give them. Directions are (out, front, up) of a body that stands: away from its
middle, to where it looks, and to the sky. Shares of the mass: de Leva, Adjustments to Zatsiorsky-Seluyanov's segment
inertia parameters, J. Biomechanics 29 (1996), the mean of women and men. Ranges: Rajagopal and others, Full-body
musculoskeletal model, IEEE Trans. Biomed. Eng. 63 (2016), and clinical ranges where that model has none.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..spatial import Vec3
from .choices import BOX, CAPSULE


@dataclass(frozen=True)
class Hinge:
    """A joint that bends in one direction, as an elbow does.

    Attributes:
        toward: direction to which the part moves when it bends, if both parts are straight.
        low, high: range of the angle between straight and bent [degrees].
    """

    toward: Vec3
    low: float
    high: float


@dataclass(frozen=True)
class Swing:
    """A joint that swings within a cone and twists, as a shoulder does.

    Attributes:
        cone: largest angle from the middle of the cone [degrees].
        twist: largest twist to either side [degrees].
        middle: direction of the part in the middle of the cone; None for the direction in which it was drawn.
        is_shared: whether the ranges are those of all parts of this name and of the same `group` together, as in a
            spine.
    """

    cone: float
    twist: float
    middle: Vec3 | None = None
    is_shared: bool = False


@dataclass(frozen=True)
class BodyPart:
    """A part of a body.

    Attributes:
        title: the name that users see.
        joint: how it moves relative to the part above it.
        group: a key of `MASS_SHARES`; empty if the mass follows from the volume only.
        tone: factor of the stiffness that the muscles of the part have, relative to those of a limb.
        thickness: radius relative to the length of the part, if no mesh tells its shape.
        shape: its shape if the user chooses none: "CAPSULE", "BOX" or "HULL".
        is_level: whether its box stands upright at rest, as a sole does, and does not lie along the bone.
        merges: why the part gets no link of its own and follows the part above it; empty if it gets one.
    """

    title: str
    joint: Hinge | Swing
    group: str = ""
    tone: float = 1.0
    thickness: float = 0.15
    shape: str = CAPSULE
    is_level: bool = False
    merges: str = ""


OUT, FRONT, UP = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
BACK, DOWN = (0.0, -1.0, 0.0), (0.0, 0.0, -1.0)

MASS_SHARES = {
    "trunk": 43.0,
    "head": 6.8,
    "upper arm": 2.63,
    "forearm": 1.5,
    "hand": 0.58,
    "thigh": 14.47,
    "shin": 4.57,
    "foot": 1.33,
}
"""Shares of the mass of the body [percent]. Of parts on both sides, each side has the share. Several parts of a group
divide it in proportion to their volumes."""

ROOT = "hips"
"""Name of the part that all others hang on."""

# Hands and feet have boxes, so that feet stand flat. In 20 random falls of the sample `stairs` at good, the deepest
# overlap was 0.12 mm, with capsules 0.60 mm, in the same time. Boxes would be closer to the vertices of hips and spine
# (root mean square 14 and 10 mm, capsules 19 and 20 mm), but an overlap at draft was 11 mm deep, with capsules 2.4 mm;
# so these have capsules.
PARTS: dict[str, BodyPart] = {
    "hips": BodyPart("Hips", Swing(30.0, 30.0), "trunk", thickness=0.9),
    "spine": BodyPart("Spine", Swing(70.0, 45.0, is_shared=True), "trunk", tone=1.5, thickness=0.7),
    "neck": BodyPart("Neck", Swing(60.0, 70.0, is_shared=True), "head", tone=1.5, thickness=0.5),
    "head": BodyPart("Head", Swing(60.0, 70.0, is_shared=True), "head", tone=1.5, thickness=0.5),
    "clavicle": BodyPart("Shoulder", Swing(20.0, 10.0), "trunk", tone=3.0, thickness=0.4),
    "upper_arm": BodyPart("Upper Arm", Swing(85.0, 70.0, middle=(0.8, 0.5, -0.35)), "upper arm"),
    "forearm": BodyPart("Forearm", Hinge(FRONT, 0.0, 145.0), "forearm"),
    "hand": BodyPart("Hand", Swing(60.0, 80.0), "hand", tone=0.7, thickness=0.4, shape=BOX),
    "thigh": BodyPart("Thigh", Swing(62.0, 40.0, middle=(0.15, 0.7, -0.7)), "thigh"),
    "shin": BodyPart("Shin", Hinge(BACK, 0.0, 140.0), "shin", thickness=0.13),
    "foot": BodyPart("Foot", Swing(35.0, 20.0), "foot", thickness=0.3, shape=BOX, is_level=True),
    "toes": BodyPart("Toes", Swing(35.0, 5.0), "foot", merges="toes"),
    "finger": BodyPart("Finger", Swing(50.0, 8.0), "hand", merges="finger"),
    "tail": BodyPart("Tail", Swing(35.0, 15.0), tone=0.7),
    "limb": BodyPart("Limb", Swing(45.0, 20.0)),
    "face": BodyPart("Face", Swing(20.0, 10.0), "head", merges="part of a face"),
    "twist": BodyPart("Twist Bone", Swing(10.0, 90.0), merges="twist bone"),
    "helper": BodyPart("Helper", Swing(45.0, 20.0), merges="helper"),
}
"""The parts by name. `limb` is whatever the name of its bone does not tell."""

LIMBS = frozenset({"upper_arm", "forearm", "hand", "thigh", "shin", "foot"})
"""Parts that a body has on both sides, and that consist of one rigid piece each: further bones merge into the first."""

CENTRAL = frozenset({"hips", "spine", "neck", "head"})
"""Parts in the middle of a body."""
