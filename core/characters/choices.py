# SPDX-License-Identifier: GPL-3.0-or-later
"""Choices of how a ragdoll is made, as the operator and the command line offer them."""

from __future__ import annotations

from typing import NamedTuple


class Choice(NamedTuple):
    """A value of an option, with the texts of its menu entry."""

    name: str
    label: str
    help: str


AUTO, HUMAN, CREATURE = "AUTO", "HUMAN", "CREATURE"

PRESETS = (
    Choice(AUTO, "Automatic", "As a human body if its parts are recognized and it stands upright, else as a creature"),
    Choice(HUMAN, "Human", "Ranges and weights of a human body; an error if its parts are not recognized"),
    Choice(CREATURE, "Creature", "The same range for all joints, and weight by volume"),
)
"""Kinds of bodies."""

AS_HUMAN = {AUTO: None, HUMAN: True, CREATURE: False}
"""The argument `as_human` of `anatomy_of` for each preset."""

BY_BODY, BY_RIG, BY_ANIMATION = "BODY", "IK", "ACTION"

LIMITS = (
    Choice(BY_BODY, "Body", "From the ranges of the preset"),
    Choice(BY_RIG, "Rig", "From the rig's limits for inverse kinematics, where bones have some; else as Body"),
    Choice(BY_ANIMATION, "Animation", "From the range of the animation over the scene's frames, with a margin of 10 %"),
)
"""Sources of the limits of joints."""

CAPSULE, BOX, HULL = "CAPSULE", "BOX", "HULL"

BONE_SHAPES = (
    Choice(CAPSULE, "Capsule", "A cylinder with round ends along the limb: the fastest"),
    Choice(BOX, "Box", "A box around what follows the bone: it stands flat"),
    Choice(HULL, "Hull", "The convex hull of what follows the bone: the closest, and the slowest"),
)
"""Shapes of bones."""

SHAPES = (
    Choice(AUTO, "Automatic", "Boxes for hands and feet, capsules for all other parts"),
    *BONE_SHAPES,
)
"""Shapes of the parts of a ragdoll."""
