# SPDX-License-Identifier: GPL-3.0-or-later
"""A skinned character who stumbles at the top of a flight of stairs, and falls down.

The body is made here: its armature has names as in Rigify's metarigs, and Make Ragdoll does the rest. What it must do
has no formula: joints stay within their limits, nothing sinks in, energy only decreases, and it comes to rest.
"""

from __future__ import annotations

import bpy
from skinned import Bone, Limb, armature, bend, mirrored, skin
from workshop import begin, box, collide, film

from limberjack.addon import ids

STEPS, RISE, TREAD, WIDTH = 8, 0.18, 0.26, 2.0
TOP = STEPS * RISE
"""Height of the landing [m]."""

LANDING = 1.4
"""Depth of the landing [m]."""

LAST_FRAME = 120

WEIGHT = 72.0
"""Of the character [kg]."""

SPEED = 2.4
"""At which it walks over the edge [m/s]."""

TRIP = 1.6
"""Rate at which it falls over forward when it stumbles [rad/s]."""

CELL = 0.038
"""Length of the edges of the mesh [m]."""

SHIRT, SKIN, TROUSERS, SHOES, HAIR, EYES = "shirt", "skin", "trousers", "shoes", "hair", "black"
PAINTS = {
    "shirt": (0.62, 0.13, 0.08),
    "skin": (0.78, 0.50, 0.36),
    "trousers": (0.09, 0.16, 0.30),
    "shoes": (0.16, 0.11, 0.08),
    "hair": (0.13, 0.07, 0.04),
}

BONES = mirrored(
    [
        Bone("hips", (0.0, 0.0, 0.93), (0.0, 0.0, 1.03)),
        Bone("spine.001", (0.0, 0.0, 1.03), (0.0, 0.0, 1.15), "hips"),
        Bone("spine.002", (0.0, 0.0, 1.15), (0.0, 0.0, 1.28), "spine.001"),
        Bone("chest", (0.0, 0.0, 1.28), (0.0, 0.0, 1.45), "spine.002"),
        Bone("neck", (0.0, 0.01, 1.45), (0.0, 0.0, 1.55), "chest"),
        Bone("head", (0.0, 0.0, 1.55), (0.0, 0.0, 1.77), "neck"),
        Bone("shoulder.L", (0.03, 0.0, 1.42), (0.165, 0.0, 1.42), "chest"),
        Bone("upper_arm.L", (0.17, 0.0, 1.42), (0.45, 0.0, 1.42), "shoulder.L"),
        Bone("forearm.L", (0.45, 0.0, 1.42), (0.7, 0.0, 1.42), "upper_arm.L"),
        Bone("hand.L", (0.7, 0.0, 1.42), (0.87, 0.0, 1.42), "forearm.L"),
        Bone("thigh.L", (0.1, 0.0, 0.91), (0.1, 0.0, 0.5), "hips"),
        Bone("shin.L", (0.1, 0.0, 0.5), (0.1, 0.0, 0.09), "thigh.L"),
        Bone("foot.L", (0.1, 0.0, 0.09), (0.1, -0.14, 0.03), "shin.L"),
        Bone("toe.L", (0.1, -0.14, 0.03), (0.1, -0.2, 0.03), "foot.L"),
    ]
)

TRUNK = (
    ("hips", (0.066, 0.01, 0.92, 0.1), (0.06, 0.005, 1.03, 0.088), TROUSERS),
    ("spine.001", (0.06, 0.005, 1.03, 0.088), (0.058, 0.0, 1.15, 0.085), SHIRT),
    ("spine.002", (0.058, 0.0, 1.15, 0.085), (0.068, 0.0, 1.27, 0.095), SHIRT),
    ("chest", (0.068, 0.0, 1.27, 0.095), (0.078, 0.0, 1.36, 0.097), SHIRT),
)
"""Rods of the trunk, which consists of three of each side by side: bone, x, y, z and radius of both ends, color."""

LIMBS = mirrored(
    [
        *(
            Limb(
                bone, (side * x, y, low), (side * x_above, y_above, high), radius, radius_above, color, f"trunk {side}"
            )
            for side in (-1.0, 0.0, 1.0)
            for bone, (x, y, low, radius), (x_above, y_above, high, radius_above), color in TRUNK
        ),
        Limb("chest", (0.0, 0.0, 1.36), (0.0, 0.005, 1.415), 0.085, 0.063, SHIRT),
        Limb("neck", (0.0, 0.02, 1.43), (0.0, 0.0, 1.55), 0.058, 0.052, SKIN),
        Limb("head", (0.0, -0.005, 1.66), (0.0, -0.03, 1.63), 0.088, 0.075, SKIN),
        Limb("head", (0.0, -0.055, 1.585), (0.0, -0.04, 1.6), 0.045, 0.05, SKIN),
        Limb("head", (0.0, 0.012, 1.688), (0.0, 0.03, 1.645), 0.09, 0.08, HAIR, is_apart=True),
        Limb("head", (0.0, -0.118, 1.62), (0.0, -0.108, 1.645), 0.014, 0.009, SKIN, is_apart=True),
        Limb("head", (-0.034, -0.098, 1.655), (-0.034, -0.098, 1.656), 0.013, 0.013, EYES, is_apart=True),
        Limb("head", (0.034, -0.098, 1.655), (0.034, -0.098, 1.656), 0.013, 0.013, EYES, is_apart=True),
        Limb("shoulder.L", (0.05, 0.005, 1.42), (0.15, 0.0, 1.415), 0.06, 0.06, SHIRT),
        Limb("upper_arm.L", (0.18, 0.0, 1.42), (0.34, 0.0, 1.42), 0.058, 0.05, SHIRT, "arm.L"),
        Limb("upper_arm.L", (0.34, 0.0, 1.42), (0.45, 0.0, 1.42), 0.047, 0.04, SKIN, "arm.L"),
        Limb("forearm.L", (0.45, 0.0, 1.42), (0.53, 0.0, 1.42), 0.04, 0.043, SKIN, "arm.L"),
        Limb("forearm.L", (0.53, 0.0, 1.42), (0.69, 0.0, 1.42), 0.043, 0.03, SKIN, "arm.L"),
        Limb("hand.L", (0.73, -0.018, 1.42), (0.86, -0.022, 1.418), 0.028, 0.018, SKIN),
        Limb("hand.L", (0.73, 0.018, 1.42), (0.85, 0.022, 1.418), 0.028, 0.018, SKIN),
        Limb("hand.L", (0.72, -0.03, 1.418), (0.79, -0.075, 1.41), 0.02, 0.016, SKIN),
        Limb("thigh.L", (0.1, 0.0, 0.88), (0.1, 0.0, 0.5), 0.088, 0.06, TROUSERS, "leg.L"),
        Limb("shin.L", (0.1, 0.0, 0.5), (0.1, 0.01, 0.36), 0.06, 0.06, TROUSERS, "leg.L"),
        Limb("shin.L", (0.1, 0.01, 0.36), (0.1, 0.0, 0.13), 0.06, 0.048, TROUSERS, "leg.L"),
        Limb("foot.L", (0.1, 0.025, 0.045), (0.1, -0.12, 0.04), 0.045, 0.042, SHOES),
        Limb("foot.L", (0.1, 0.0, 0.09), (0.1, -0.06, 0.06), 0.045, 0.042, SHOES),
        Limb("toe.L", (0.1, -0.13, 0.036), (0.1, -0.19, 0.033), 0.04, 0.033, SHOES),
    ]
)

SIDEWAYS, AHEAD, UP = (1.0, 0.0, 0.0), (0.0, -1.0, 0.0), (0.0, 0.0, 1.0)
POSE = (
    ("hips", SIDEWAYS, 14.0),
    ("chest", SIDEWAYS, 6.0),
    ("head", SIDEWAYS, -12.0),
    ("upper_arm.L", AHEAD, -62.0),
    ("upper_arm.R", AHEAD, 62.0),
    ("upper_arm.L", SIDEWAYS, 20.0),
    ("upper_arm.R", SIDEWAYS, -35.0),
    ("forearm.L", UP, -50.0),
    ("forearm.R", UP, 35.0),
    ("thigh.L", SIDEWAYS, -38.0),
    ("shin.L", SIDEWAYS, 30.0),
    ("thigh.R", SIDEWAYS, 4.0),
    ("shin.R", SIDEWAYS, 34.0),
    ("foot.R", SIDEWAYS, 20.0),
)
"""A stride in which the left foot swings ahead over the edge: bones, axes of the armature at rest, degrees."""

PLACE = (0.0, 0.12, TOP + 0.03)
"""Of the armature, so that the right foot is just above the landing."""


def build() -> None:
    begin("Stairs", last_frame=LAST_FRAME, contact=True)
    _stairs()
    rig = character()
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limberjack.make_ragdoll(weight=WEIGHT)
    hips = getattr(rig.pose.bones["hips"], ids.LINK)
    hips.velocity, hips.angular_velocity = (0.0, -SPEED, 0.0), (TRIP, 0.0, 0.0)
    film((5.2, -5.9, 2.7), (0.0, -1.2, 1.1), lens=46.0)


def character() -> bpy.types.Object:
    """Return the armature of the character, in mid-stride, with its mesh."""
    rig = armature("Character", BONES)
    skin("Body", rig, LIMBS, CELL, PAINTS)
    rig.location = PLACE
    for name, axis, degrees in POSE:
        bend(rig, name, axis, degrees)
    bpy.context.view_layer.update()
    return rig


def _stairs() -> None:
    steps = []
    for number in range(STEPS):
        far, near = (LANDING if number == 0 else -number * TREAD), -(number + 1) * TREAD
        height = TOP - number * RISE
        name = "landing" if number == 0 else f"step {number}"
        at = (0.0, 0.5 * (far + near), 0.5 * height)
        steps.append(box(name, (WIDTH, far - near, height), at, "paper", collection="Stand"))
    floor = box("floor", (6.0, 8.0, 0.1), (0.0, -2.5, -0.05), "slate", collection="Stand")
    collide(*steps, floor)
