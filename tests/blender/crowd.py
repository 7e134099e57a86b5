# SPDX-License-Identifier: GPL-3.0-or-later
"""Twenty armatures with meshes: those of other test files, Rigify's metarigs, and bodies of unusual proportions."""

import math

import addon_utils
import bpy

from .characters import BODY, RADII, character, skin
from .humanoids import HUMANOIDS, skin_of
from .humanoids import RADII as HUMAN_RADII
from .rigs import armature, in_mode

METARIGS = ("human", "basic_human", "basic_quadruped", "bird", "cat", "horse", "shark", "wolf")

SLENDER = 0.22
"""Radius of the tube around a bone of a metarig, relative to the length of the bone."""

WIDEST = 0.13
"""Greatest radius of these tubes, relative to the height of the rig."""


def dressed(rig, slender=SLENDER):
    """Give each deforming bone of a rig a tube, and return the rig."""
    bones = [bone for bone in rig.data.bones if bone.use_deform]
    height = max(bone.tail_local.z for bone in bones) - min(bone.head_local.z for bone in bones)
    skin(rig, [bone.name for bone in bones], {bone.name: min(slender * bone.length, WIDEST * height) for bone in bones})
    return rig


def metarig(name):
    """A metarig of Rigify's."""
    was_enabled = addon_utils.check("rigify")[1]
    addon_utils.enable("rigify", default_set=True)
    getattr(bpy.ops.object, f"armature_{name}_metarig_add")()
    rig = bpy.context.object
    rig.name = "Rig"
    if not was_enabled:
        addon_utils.disable("rigify", default_set=True)
    return rig


def humanoid(kind, radii=HUMAN_RADII, scale=1.0):
    rig, _ = HUMANOIDS[kind].build()
    skin_of(HUMANOIDS[kind], rig, radii=radii)
    rig.scale = [scale * each for each in rig.scale]
    bpy.context.view_layer.update()
    return rig


def with_lowered_arms():
    """Rigify's simple human in the A-pose: its arms are 50 degrees lower than they were drawn."""
    rig = metarig("basic_human")
    in_mode(rig, "POSE")
    for side, sign in (("L", 1.0), ("R", -1.0)):
        bone = rig.pose.bones[f"upper_arm.{side}"]
        bone.rotation_mode, bone.rotation_euler = "XYZ", (0.0, 0.0, -sign * math.radians(50.0))
    bpy.ops.pose.armature_apply()
    in_mode(rig, "OBJECT")
    return dressed(rig)


def spider():
    """A body with six legs of three bones each."""
    rows = [("core", (0.0, 0.3, 0.5), (0.0, -0.3, 0.5), "")]
    for number in range(3):
        for side, sign in (("L", 1.0), ("R", -1.0)):
            y = 0.2 - 0.2 * number
            points = [
                (0.1 * sign, y, 0.5),
                (0.4 * sign, 1.5 * y, 0.7),
                (0.7 * sign, 2.0 * y, 0.4),
                (0.8 * sign, 2.2 * y, 0),
            ]
            above = "core"
            for part in range(3):
                name = f"claw{number}{part}.{side}"
                rows.append((name, points[part], points[part + 1], above))
                above = name
    rig = armature(rows)
    skin(rig, radii={name: 0.15 if name == "core" else 0.04 for name, *_ in rows})
    return rig


def lizard():
    """A creature with a tail of twelve bones, each thicker than it is long."""
    rows = [("pelvis", (0.0, 0.0, 0.3), (0.0, -0.3, 0.3), ""), ("skull", (0.0, -0.3, 0.3), (0.0, -0.6, 0.3), "pelvis")]
    for number in range(12):
        above = f"tail.{number - 1:03}" if number else "pelvis"
        rows.append((f"tail.{number:03}", (0.0, 0.1 * number, 0.3), (0.0, 0.1 * (number + 1), 0.3), above))
    rig = armature(rows)
    skin(rig, radii={name: 0.12 - 0.007 * number for number, (name, *_) in enumerate(rows)})
    return rig


def ring():
    """A creature whose limbs lie side by side, nearer to each other than they are thick."""
    rows = [("core", (0.0, 0.0, 0.0), (0.0, 0.0, 0.5), "")]
    for number in range(6):
        x, y = 0.12 * math.cos(number * math.pi / 3.0), 0.12 * math.sin(number * math.pi / 3.0)
        rows.append((f"arm{number}", (x, y, 0.5), (x, y, 1.2), "core"))
        rows.append((f"end{number}", (x, y, 1.2), (x, y, 1.7), f"arm{number}"))
    rig = armature(rows)
    skin(rig, radii={name: 0.15 if name == "core" else 0.08 for name, *_ in rows})
    return rig


def thick_figure():
    rig = armature(BODY)
    skin(rig, radii={name: 2.2 * radius for name, radius in RADII.items()})
    return rig


CROWD = {
    "figure": lambda: character()[0],
    "thick figure": thick_figure,
    **{kind: lambda kind=kind: humanoid(kind) for kind in HUMANOIDS},
    "fat trunk": lambda: humanoid("makehuman", {**HUMAN_RADII, "hips": 0.3, "spine": 0.32, "chest": 0.3}),
    "thick limbs": lambda: humanoid("unreal", {part: 2.0 * radius for part, radius in HUMAN_RADII.items()}),
    "child": lambda: humanoid("vrm", scale=0.3),
    "giant": lambda: humanoid("mixamo", scale=10.0),
    "lowered arms": with_lowered_arms,
    **{name: lambda name=name: dressed(metarig(name)) for name in METARIGS},
    "six legs": spider,
    "long tail": lizard,
    "bundle": ring,
}
"""Functions that build an armature and its mesh in the empty scene, and return the armature."""
