# SPDX-License-Identifier: GPL-3.0-or-later
"""A four-legged creature with a tail, on a crate that tips over the edge of a ledge.

Make Ragdoll treats it as a creature: all joints have the same range, and its parts weigh by their volume. The crate's
middle is beyond the edge, so it tips without a push.
"""

from __future__ import annotations

import bpy
from skinned import Bone, Limb, armature, bend, mirrored, skin
from workshop import begin, box, collide, film, link, weigh

LEDGE = (1.6, 1.2, 0.7)
"""Size of the ledge [m], whose edge is at y = 0."""

CRATE = (0.46, 0.66, 0.5)
"""Size of the crate [m]."""

BEYOND = 0.05
"""Distance of the crate's middle from the edge [m]."""

CRATE_WEIGHT, WEIGHT = 9.0, 14.0
"""Of the crate and of the creature [kg]."""

ABOVE = 0.012
"""Height above the crate at which the creature starts, since the capsules of its paws are thicker than the mesh [m]."""

LAST_FRAME = 110

CELL = 0.028
"""Length of the edges of the mesh [m]."""

FUR, WHITE, DARK = "fur", "cream", "black"
PAINTS = {"fur": (0.70, 0.30, 0.07), "cream": (0.90, 0.82, 0.68)}

BONES = mirrored(
    [
        Bone("pelvis", (0.0, 0.22, 0.37), (0.0, 0.1, 0.375)),
        Bone("spine", (0.0, 0.1, 0.375), (0.0, -0.04, 0.38), "pelvis"),
        Bone("chest", (0.0, -0.04, 0.38), (0.0, -0.2, 0.38), "spine"),
        Bone("neck", (0.0, -0.2, 0.39), (0.0, -0.29, 0.49), "chest"),
        Bone("head", (0.0, -0.29, 0.49), (0.0, -0.44, 0.49), "neck"),
        Bone("ear.L", (0.04, -0.28, 0.545), (0.075, -0.27, 0.64), "head"),
        Bone("tail.001", (0.0, 0.23, 0.38), (0.0, 0.34, 0.4), "pelvis"),
        Bone("tail.002", (0.0, 0.34, 0.4), (0.0, 0.45, 0.43), "tail.001"),
        Bone("tail.003", (0.0, 0.45, 0.43), (0.0, 0.55, 0.47), "tail.002"),
        Bone("tail.004", (0.0, 0.55, 0.47), (0.0, 0.64, 0.52), "tail.003"),
        Bone("tail.005", (0.0, 0.64, 0.52), (0.0, 0.71, 0.58), "tail.004"),
        Bone("front_leg_upper.L", (0.075, -0.17, 0.34), (0.08, -0.14, 0.19), "chest"),
        Bone("front_leg_lower.L", (0.08, -0.14, 0.19), (0.08, -0.16, 0.04), "front_leg_upper.L"),
        Bone("front_paw.L", (0.08, -0.16, 0.04), (0.08, -0.23, 0.025), "front_leg_lower.L"),
        Bone("hind_leg_upper.L", (0.075, 0.2, 0.34), (0.085, 0.13, 0.2), "pelvis"),
        Bone("hind_leg_lower.L", (0.085, 0.13, 0.2), (0.085, 0.22, 0.06), "hind_leg_upper.L"),
        Bone("hind_paw.L", (0.085, 0.22, 0.06), (0.085, 0.13, 0.025), "hind_leg_lower.L"),
    ]
)

LIMBS = mirrored(
    [
        Limb("pelvis", (0.0, 0.2, 0.36), (0.0, 0.1, 0.36), 0.09, 0.085, FUR, "trunk"),
        Limb("spine", (0.0, 0.1, 0.36), (0.0, -0.04, 0.355), 0.085, 0.092, FUR, "trunk"),
        Limb("chest", (0.0, -0.04, 0.355), (0.0, -0.15, 0.36), 0.092, 0.1, FUR, "trunk"),
        Limb("chest", (0.0, -0.19, 0.335), (0.0, -0.17, 0.31), 0.068, 0.06, WHITE),
        Limb("neck", (0.0, -0.2, 0.4), (0.0, -0.28, 0.48), 0.062, 0.055, FUR),
        Limb("head", (0.0, -0.3, 0.5), (0.0, -0.32, 0.495), 0.075, 0.07, FUR),
        Limb("head", (0.0, -0.36, 0.475), (0.0, -0.435, 0.465), 0.042, 0.026, WHITE),
        Limb("head", (0.0, -0.455, 0.475), (0.0, -0.458, 0.475), 0.014, 0.012, DARK, is_apart=True),
        Limb("head", (0.035, -0.366, 0.525), (0.035, -0.366, 0.526), 0.011, 0.011, DARK, is_apart=True),
        Limb("head", (-0.035, -0.366, 0.525), (-0.035, -0.366, 0.526), 0.011, 0.011, DARK, is_apart=True),
        Limb("ear.L", (0.045, -0.275, 0.555), (0.075, -0.27, 0.63), 0.034, 0.019, FUR),
        Limb("tail.001", (0.0, 0.24, 0.38), (0.0, 0.34, 0.4), 0.03, 0.036, FUR, "tail"),
        Limb("tail.002", (0.0, 0.34, 0.4), (0.0, 0.45, 0.43), 0.036, 0.045, FUR, "tail"),
        Limb("tail.003", (0.0, 0.45, 0.43), (0.0, 0.55, 0.47), 0.045, 0.05, FUR, "tail"),
        Limb("tail.004", (0.0, 0.55, 0.47), (0.0, 0.64, 0.52), 0.05, 0.042, FUR, "tail"),
        Limb("tail.005", (0.0, 0.64, 0.52), (0.0, 0.71, 0.58), 0.042, 0.016, WHITE, "tail"),
        Limb("front_leg_upper.L", (0.07, -0.16, 0.33), (0.08, -0.14, 0.19), 0.05, 0.033, FUR, "front.L"),
        Limb("front_leg_lower.L", (0.08, -0.14, 0.19), (0.08, -0.16, 0.05), 0.033, 0.025, DARK, "front.L"),
        Limb("front_paw.L", (0.08, -0.165, 0.03), (0.08, -0.215, 0.027), 0.029, 0.027, DARK),
        Limb("hind_leg_upper.L", (0.07, 0.19, 0.33), (0.085, 0.13, 0.2), 0.065, 0.04, FUR, "hind.L"),
        Limb("hind_leg_lower.L", (0.085, 0.13, 0.2), (0.085, 0.215, 0.07), 0.04, 0.026, FUR, "hind.L"),
        Limb("hind_paw.L", (0.085, 0.21, 0.035), (0.085, 0.13, 0.027), 0.029, 0.027, DARK),
    ]
)

SIDEWAYS, ACROSS = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
POSE = (("head", ACROSS, 14.0), ("tail.001", ACROSS, -12.0), ("tail.002", ACROSS, -14.0), ("tail.003", ACROSS, -10.0))
"""It looks to one side, and its tail is bent to one: bones, axes of the armature at rest, degrees."""


def build() -> None:
    begin("Creature", last_frame=LAST_FRAME, contact=True)
    _, deep, high = LEDGE
    ledge = box("ledge", LEDGE, (0.0, 0.5 * deep, 0.5 * high), "paper", collection="Stand")
    floor = box("floor", (5.0, 6.0, 0.1), (0.0, -0.8, -0.05), "slate", collection="Stand")
    collide(ledge, floor)
    crate = box("crate", CRATE, (0.0, -BEYOND, high + 0.5 * CRATE[2]), "wood")
    link(crate, material="wood")
    weigh(crate, CRATE_WEIGHT)
    rig = armature("Creature", BONES)
    skin("Body", rig, LIMBS, CELL, PAINTS)
    rig.location = (0.0, -BEYOND, high + CRATE[2] + ABOVE)
    for name, axis, degrees in POSE:
        bend(rig, name, axis, degrees)
    bpy.ops.object.select_all(action="DESELECT")
    rig.select_set(True)
    bpy.context.view_layer.objects.active = rig
    bpy.ops.limberjack.make_ragdoll(preset="CREATURE", weight=WEIGHT)
    film((3.6, -3.2, 1.9), (0.0, -0.45, 0.68), lens=50.0)
