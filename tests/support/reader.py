# SPDX-License-Identifier: GPL-3.0-or-later
"""The files that whoever follows the pages has at hand: an arm, a scene, a character, a world, a batch."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from limberjack.core.formats import read, write
from limberjack.core.geometry import Box, Shape
from limberjack.core.model import WORLD, Link, Model

from .mechanisms import Y, Z, join
from .pages import ROOT

JOINTS = (
    ("waist", (0.0, 0.0, 0.1), Z),
    ("shoulder", (0.0, 0.0, 0.3), Y),
    ("elbow", (0.0, 0.0, 0.7), Y),
    ("roll", (0.0, 0.0, 0.9), Z),
    ("wrist", (0.0, 0.0, 1.1), Y),
    ("flange", (0.0, 0.0, 1.2), Z),
)
"""Of an arm that stands straight up as drawn: place and axis in the world."""

STATE = '{"q": {"shoulder": 1.0}, "qd": {"elbow": -2.0}}'
JOBS = """
files = "arm.sdf"
outputs = "out/{name}.npz"
[simulate]
duration = 0.1
[grid]
"elbow.damping" = [0.1, 1]
"""

SCENE = """
import sys, bpy, limberjack
limberjack.register()
bpy.ops.wm.read_factory_settings(use_empty=True)
blocks = []
for name, z in (("hand", -0.6), ("arm", -0.2)):
    bpy.ops.mesh.primitive_cube_add(size=0.2, location=(0.1, 0.0, z))
    bpy.context.object.name = name
    blocks.append(bpy.context.object)
for block in blocks:
    block.select_set(True)
bpy.ops.limberjack.link_tag()
hand, arm = blocks
for parent, child, z in ((None, arm, 0.0), (arm, hand, -0.4)):
    for block in blocks:
        block.select_set(block in (parent, child))
    bpy.context.view_layer.objects.active = child
    bpy.context.scene.cursor.location = (0.0, 0.0, z)
    bpy.ops.limberjack.joint_add(type="revolute", origin="CURSOR")
    bpy.context.object.name = "shoulder" if child is arm else "elbow"
    bpy.context.object.limberjack_joint.axes[0].xyz = (0.0, 1.0, 0.0)
bpy.context.scene.frame_end = 24
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[1])
bpy.ops.wm.read_factory_settings(use_empty=True)
hero = bpy.data.objects.new("Hero", bpy.data.armatures.new("Hero"))
bpy.context.scene.collection.objects.link(hero)
bpy.context.view_layer.objects.active = hero
bpy.ops.object.mode_set(mode="EDIT")
bones = hero.data.edit_bones
for name, head, tail, parent in (
    ("hips", (0.0, 0.0, 1.0), (0.0, 0.0, 1.2), ""),
    ("spine", (0.0, 0.0, 1.2), (0.0, 0.0, 1.5), "hips"),
    ("head", (0.0, 0.0, 1.5), (0.0, 0.0, 1.8), "spine"),
    ("thigh.L", (0.1, 0.0, 1.0), (0.1, 0.0, 0.5), "hips"),
    ("shin.L", (0.1, 0.0, 0.5), (0.1, 0.05, 0.1), "thigh.L"),
    ("thigh.R", (-0.1, 0.0, 1.0), (-0.1, 0.0, 0.5), "hips"),
    ("shin.R", (-0.1, 0.0, 0.5), (-0.1, 0.05, 0.1), "thigh.R"),
):
    bone = bones.new(name)
    bone.head, bone.tail, bone.parent = head, tail, bones[parent] if parent else None
bpy.ops.object.mode_set(mode="OBJECT")
bpy.ops.wm.save_as_mainfile(filepath=sys.argv[2])
limberjack.unregister()
"""


def arm() -> Model:
    """Six hinges, and a gripper at the end; every place within 0.8 m of the shoulder can be had, in every direction."""
    names = ("base", "upper", "fore", "turret", "palm", "gripper")
    shape = Shape("body", Box((0.05, 0.05, 0.1)))
    model = Model("arm", [Link(name, 1.0, visuals=[shape]) for name in names])
    for (joint, place, axis), parent, child in zip(JOINTS, (WORLD, *names), names, strict=False):
        made = join(model, joint, "revolute", parent, child, place, axis)
        made.axes[0].lower, made.axes[0].upper = -3.1, 3.1
        made.axes[0].effort, made.axes[0].velocity = 100.0, 10.0
    return model


def prepare(folder: Path) -> None:
    """Put them there."""
    crane = read(ROOT / "sample_scenes" / "crane.sdf").model
    for name in ("arm.sdf", "arm.urdf"):
        write(arm(), folder / name)
    for name in ("robot.sdf", "robot.xml"):
        write(crane, folder / name)
    write(crane, folder / "yard.world", world=True)
    (folder / "start.json").write_text(STATE)
    (folder / "JOBS.toml").write_text(JOBS)
    for place in ("out", "models", "packages"):
        (folder / place).mkdir()
    made = [folder / "scene.blend", folder / "hero.blend"]
    subprocess.run([sys.executable, "-c", SCENE, *made], check=True, capture_output=True)
    for name in ("shot.blend", "animated.blend"):
        shutil.copy(folder / "scene.blend", folder / name)
