# SPDX-License-Identifier: GPL-3.0-or-later
"""The scenes that tell a version's files from those of later ones: `python tests/data/scenes/make.py`, in bpy 4.5.

Run it once, just before a version is left behind, and commit what it writes: two .blend files, and the keys that this
version bakes from them. Nothing that it has written before is touched. tests/blender/test_versions.py opens them all.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import bpy

import limberjack
from limberjack.addon import ids
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.version import VERSION

FOLDER = Path(__file__).parent / VERSION


def main() -> None:
    FOLDER.mkdir()
    limberjack.register()
    for name, make in (("baked", make_baked), ("driven", make_driven)):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 24
        make()
        bpy.ops.wm.save_as_mainfile(filepath=str(FOLDER / f"{name}.blend"), compress=True)
        bpy.ops.wm.open_mainfile(filepath=str(FOLDER / f"{name}.blend"))
        SimulationBake(bpy.context.scene, overwrite=True).run()
        (FOLDER / f"{name}.json").write_text(json.dumps(keys_of(bpy.context.scene), indent=1) + "\n")
    sys.stdout.flush()
    os._exit(0)  # bpy may crash when the interpreter ends while classes are registered


def make_baked() -> None:
    """A double pendulum from a raised start, baked onto links and joints, in the place of a user's own animation."""
    arm, hand = link("arm", (0.0, 0.0, 3.0)), link("hand", (1.0, 0.0, 3.0))
    shoulder, elbow = joint(arm, None), joint(hand, arm)
    setting(hand).mass_source, setting(hand).mass = "MASS", 2.5
    shoulder.use_home, shoulder.coordinates[0].home = True, -0.7
    elbow.axes[0].damping, elbow.axes[0].use_lower, elbow.axes[0].lower = 0.3, True, -0.4
    hand.location.z += 0.25
    hand.keyframe_insert("location", frame=3)
    hand.location.z -= 0.25
    hand.keyframe_insert("location", frame=1)
    bpy.context.scene.limberjack.bake.onto = "BOTH"
    bpy.ops.limberjack.pose_add()
    SimulationBake(bpy.context.scene, overwrite=True).run()


def make_driven() -> None:
    """A joint for each kind of drive, a coupling, a release, a link that its joint's keys lead, and keyed settings."""
    scene = bpy.context.scene
    lead, servo, motor, gear, pushed, load = (
        link(name, (3.0 * number, 0.0, 5.0))
        for number, name in enumerate(("lead", "servo", "motor", "gear", "pushed", "load"))
    )
    leading = joint(lead, None)
    setting(lead).motion = "KINEMATIC"
    for frame, angle in ((1, 0.0), (24, 1.2)):
        scene.frame_set(frame)
        leading.coordinates[0].value_angle = angle
        select(leading.id_data)
        bpy.ops.limberjack.pose_key(what="JOINTS")
    scene.frame_set(1)
    serving = joint(servo, lead)
    drive(serving, "position", 0.0, stiffness=400.0, damping=40.0)
    for frame, angle in ((1, 0.0), (12, 0.8)):
        serving.axes[0].drive_target_angle = angle
        assert serving.id_data.keyframe_insert(f"{ids.JOINT}.axes[0].drive_target_angle", frame=frame)
    turning = joint(motor, None)
    drive(turning, "velocity", 3.0, damping=25.0)
    turning.axes[0].use_effort, turning.axes[0].effort = True, 60.0
    turning.drive_strength = 1.0
    assert turning.id_data.keyframe_insert(f"{ids.JOINT}.drive_strength", frame=1)
    turning.drive_strength = 0.4
    assert turning.id_data.keyframe_insert(f"{ids.JOINT}.drive_strength", frame=20)
    following = joint(gear, None)
    following.use_mimic, following.mimic.leader = True, turning.id_data
    following.mimic.multiplier, following.mimic.offset = -0.5, 0.1
    pushing = joint(pushed, None, "prismatic")
    drive(pushing, "force", 150.0)
    holding = joint(load, pushed, "fixed")
    holding.use_released_at, holding.released_at = True, 10.0
    setting(load).force = (0.0, 20.0, 0.0)
    scene.limberjack.wind = (0.0, 2.0, 0.0)
    setting(motor).angular_damping = 0.2


def link(name: str, place) -> bpy.types.Object:
    """A bar of one metre along x, 100 kg, tagged."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=place)
    bar = bpy.context.object
    bar.name = name
    for vertex in bar.data.vertices:
        vertex.co.x += 0.5
    bar.scale = (1.0, 0.316227766, 0.316227766)
    bpy.context.view_layer.update()
    select(bar)
    bpy.ops.limberjack.link_tag()
    return bar


def joint(child: bpy.types.Object, parent: bpy.types.Object | None, kind: str = "revolute"):
    """At the child's origin, about or along y."""
    select(*([parent, child] if parent else [child]))
    bpy.ops.limberjack.joint_add(type=kind)
    made = getattr(bpy.context.object, ids.JOINT)
    for axis in made.axes:
        axis.xyz = (0.0, 1.0, 0.0)
    return made


def drive(joint, mode: str, target: float, stiffness: float = 0.0, damping: float = 0.0) -> None:
    axis = joint.axes[0]
    axis.drive_mode, axis.drive_target = mode, target
    axis.drive_stiffness, axis.drive_damping = stiffness, damping


def setting(obj: bpy.types.Object):
    return getattr(obj, ids.LINK)


def select(*objects: bpy.types.Object) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for obj in objects:
        obj.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]


def keys_of(scene: bpy.types.Scene) -> dict[str, list[float]]:
    """By "object data_path[index]", frames and values by turns."""
    return {
        f"{obj.name} {curve.data_path}[{curve.array_index}]": [
            round(number, 7) for point in curve.keyframe_points for number in point.co
        ]
        for obj in scene.objects
        for curve in fcurves_of(obj)
    }


if __name__ == "__main__":
    main()
