# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as they come from other programs: their names of bones, helpers, directions of bones, and units."""

import math
from dataclasses import dataclass, field

import bpy
import numpy as np
from mathutils import Matrix, Vector

from .rigs import armature

HEIGHT = 1.7
"""Height of each character [m]."""

PLACES = {
    "hips": (None, (0.0, 0.01, 0.95), (0.0, 0.0, 1.05)),
    "spine": ("hips", (0.0, 0.0, 1.05), (0.0, 0.01, 1.18)),
    "chest": ("spine", (0.0, 0.01, 1.18), (0.0, 0.02, 1.32)),
    "neck": ("chest", (0.0, 0.03, 1.43), (0.0, 0.02, 1.52)),
    "head": ("neck", (0.0, 0.02, 1.52), (0.0, 0.02, 1.7)),
    "shoulder": ("chest", (0.03, 0.02, 1.4), (0.15, 0.03, 1.41)),
    "upper arm": ("shoulder", (0.16, 0.03, 1.41), (0.43, 0.05, 1.41)),
    "forearm": ("upper arm", (0.43, 0.05, 1.41), (0.68, 0.03, 1.41)),
    "hand": ("forearm", (0.68, 0.03, 1.41), (0.78, 0.02, 1.4)),
    "thigh": ("hips", (0.1, 0.01, 0.92), (0.11, 0.0, 0.5)),
    "shin": ("thigh", (0.11, 0.0, 0.5), (0.12, 0.04, 0.09)),
    "foot": ("shin", (0.12, 0.04, 0.09), (0.13, -0.1, 0.02)),
    "toes": ("foot", (0.13, -0.1, 0.02), (0.13, -0.16, 0.02)),
}
"""Parent, head and tail of each part of a body [m]: those of the left side, and those in the middle."""

MIDDLE = ("hips", "spine", "chest", "neck", "head")


@dataclass(frozen=True)
class Humanoid:
    """A kind of rig.

    Attributes:
        names: of the bones, by part of the body; with {} for the side.
        sides: words for left and right.
        helpers: other bones, which are not to become links: name and parent by name, without the sides.
        direction: where each bone points: "along" the body's part, "across" it, or "up".
        scale: length of a unit of the armature [m].
        turn: by which the armature is turned about x [rad], as an importer does with files whose y axis is up.
    """

    names: dict[str, str]
    sides: tuple[str, str]
    helpers: tuple[tuple[str, str], ...] = ()
    direction: str = "along"
    scale: float = 1.0
    turn: float = 0.0
    halves: dict[str, str] = field(default_factory=dict)

    def parts(self):
        """Parent, head and tail [m] of each bone that is to become a link, by name, parents first."""
        found = {}
        for part, (parent, head, tail) in PLACES.items():
            for side, sign in ((None, 1.0),) if part in MIDDLE else zip(self.sides, (1.0, -1.0), strict=True):
                head_here, tail_here = (Vector((sign * x, y, z)) for x, y, z in (head, tail))
                name = self.names[part].format(side)
                above = self._last(parent).format(side) if parent else ""
                if part in self.halves:
                    middle = 0.5 * (head_here + tail_here)
                    found[name] = (above, head_here, middle)
                    found[self.halves[part].format(side)] = (name, middle, tail_here)
                else:
                    found[name] = (above, head_here, tail_here)
        return found

    def _last(self, part):
        """The bone of a part to which the next part belongs."""
        return self.halves.get(part, self.names[part])

    def build(self, name="Rig"):
        """The armature, and the names of the bones that are to become links."""
        parts, to_armature = self.parts(), Matrix.Rotation(-self.turn, 3, "X") * (1.0 / self.scale)
        rows = [(helper, (0.0, 0.0, 0.0), (0.0, 0.1, 0.0), above) for helper, above in self.helpers if not above]
        for number, (bone, (above, head, tail)) in enumerate(parts.items()):
            end = {"along": tail, "across": head + Vector((0.0, 0.06, 0.0)), "up": head + Vector((0.0, 0.0, 0.08))}
            root = rows[0][0] if rows and not above else above
            rows.append((bone, head, end[self.direction], root, 0.0 if self.direction == "along" else 0.3 * number))
        known = {row[0]: Vector(row[1]) for row in rows}
        for helper, above in self.helpers:
            if above:
                known[helper] = known[above] + Vector((0.02, 0.03, 0.04))
                rows.append((helper, known[helper], known[helper] + Vector((0.0, 0.05, 0.0)), above))
        scaled = [
            (bone, to_armature @ Vector(head), to_armature @ Vector(tail), *rest) for bone, head, tail, *rest in rows
        ]
        rig = armature(scaled, name)
        rig.scale, rig.rotation_euler.x = (self.scale,) * 3, self.turn
        bpy.context.view_layer.update()
        return rig, [*parts]


RADII = {
    **{"hips": 0.13, "spine": 0.12, "chest": 0.13, "neck": 0.05, "head": 0.09, "shoulder": 0.05},
    **{"upper arm": 0.045, "forearm": 0.035, "hand": 0.03, "thigh": 0.07, "shin": 0.05, "foot": 0.035, "toes": 0.025},
}
"""Radius of the tube around each part [m]."""

SIDES, RINGS = 16, 9


def skin_of(kind, rig, names=None, radii=RADII):
    """A mesh that an armature of this kind deforms: an open tube along each part, whatever way its bone points.

    Args:
        names: of the bones that get a tube; all if None.

    Returns:
        The mesh, and the vertices of each bone's tube in the world, shape (n, 3), by name.
    """
    words = {
        word.format(side): part for part, word in (*kind.names.items(), *kind.halves.items()) for side in kind.sides
    }
    points, faces, owners = [], [], {}
    for name, (_, head, tail) in kind.parts().items():
        if names is None or name in names:
            first = len(points)
            points += _tube(head, tail, radii[words[name]])
            owners[name] = range(first, len(points))
            faces += [
                (at + a, at + b, at + b + SIDES, at + a + SIDES)
                for at in range(first, len(points) - SIDES, SIDES)
                for a, b in zip(range(SIDES), (*range(1, SIDES), 0), strict=True)
            ]
    mesh = bpy.data.meshes.new("Body")
    to_rig = rig.matrix_world.inverted()
    mesh.from_pydata([to_rig @ point for point in points], [], faces)
    obj = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.parent = rig
    for name, own in owners.items():
        obj.vertex_groups.new(name=name).add(list(own), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    return obj, {name: np.array([points[number] for number in own]) for name, own in owners.items()}


def _tube(head, tail, radius):
    along = tail - head
    turn = along.to_track_quat("Z", "Y").to_matrix()
    return [
        head + along * (ring / (RINGS - 1)) + turn @ Vector((radius * math.cos(angle), radius * math.sin(angle), 0.0))
        for ring in range(RINGS)
        for angle in (2.0 * math.pi * side / SIDES for side in range(SIDES))
    ]


def _named(*names):
    return dict(zip(PLACES, names, strict=True))


HUMANOIDS = {
    "mixamo": Humanoid(
        _named(
            *("mixamorig:Hips", "mixamorig:Spine", "mixamorig:Spine1", "mixamorig:Neck", "mixamorig:Head"),
            *(f"mixamorig:{{}}{part}" for part in ("Shoulder", "Arm", "ForeArm", "Hand")),
            *(f"mixamorig:{{}}{part}" for part in ("UpLeg", "Leg", "Foot", "ToeBase")),
        ),
        ("Left", "Right"),
        (("mixamorig:HeadTop_End", "mixamorig:Head"), ("mixamorig:LeftToe_End", "mixamorig:LeftToeBase")),
        scale=0.01,
        turn=math.pi / 2.0,
    ),
    "unreal": Humanoid(
        _named(
            *("pelvis", "spine_01", "spine_02", "neck_01", "head"),
            *(f"{part}_{{}}" for part in ("clavicle", "upperarm", "lowerarm", "hand")),
            *(f"{part}_{{}}" for part in ("thigh", "calf", "foot", "ball")),
        ),
        ("l", "r"),
        (
            *(("root", ""), ("ik_foot_root", "root"), ("ik_foot_l", "ik_foot_root"), ("ik_foot_r", "ik_foot_root")),
            *(("ik_hand_root", "root"), ("ik_hand_gun", "ik_hand_root"), ("ik_hand_l", "ik_hand_gun")),
            *(("upperarm_twist_01_l", "upperarm_l"), ("thigh_twist_01_r", "thigh_r")),
        ),
        direction="across",
        scale=0.01,
    ),
    "makehuman": Humanoid(
        _named(
            *("spine05", "spine03", "spine01", "neck01", "head"),
            *(f"{part}.{{}}" for part in ("clavicle", "upperarm01", "lowerarm01", "wrist")),
            *(f"{part}.{{}}" for part in ("upperleg01", "lowerleg01", "foot", "toe1-1")),
        ),
        ("L", "R"),
        (("root", ""), ("breast.L", "spine01"), ("jaw", "head"), ("eye.L", "head")),
        scale=0.1,
        halves={
            part: f"{word}02.{{}}"
            for part, word in (
                *(("upper arm", "upperarm"), ("forearm", "lowerarm")),
                *(("thigh", "upperleg"), ("shin", "lowerleg")),
            )
        },
    ),
    "vrm": Humanoid(
        _named(
            *(f"J_Bip_C_{part}" for part in ("Hips", "Spine", "Chest", "Neck", "Head")),
            *(f"J_Bip_{{}}_{part}" for part in ("Shoulder", "UpperArm", "LowerArm", "Hand")),
            *(f"J_Bip_{{}}_{part}" for part in ("UpperLeg", "LowerLeg", "Foot", "ToeBase")),
        ),
        ("L", "R"),
        (("Root", ""), ("J_Sec_Hair1_01", "J_Bip_C_Head"), ("J_Sec_Hair2_01", "J_Sec_Hair1_01")),
        direction="up",
    ),
}
"""Kinds of rigs, with the names that their makers give to bones."""
