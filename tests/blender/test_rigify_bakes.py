# SPDX-License-Identifier: GPL-3.0-or-later
"""Bakes of Rigify's human: its bones move as simulated, its controls and the rest of its animation stay as they are."""

import addon_utils
import bpy
import numpy as np
import pytest

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.joints.bone_joints import add_bone_joint
from limberjack.addon.nodes.animation import fcurves_of

from .baked import bake, show
from .bone_rig import errors
from .conftest import joint, link
from .test_bone_files import everything

HEIGHT = 2.0
"""Height of the human [m]."""

FIRST, LAST = 11, 34

LEGS = {"thigh": "spine", "shin": "thigh", "foot": "shin", "toe": "foot"}
ARMS = {"shoulder": "spine.003", "upper_arm": "shoulder", "forearm": "upper_arm", "hand": "forearm"}
SPINE = {"spine": "", "spine.001": "spine", "spine.002": "spine.001", "spine.003": "spine.002"}
HEAD = {"spine.004": "spine.003", "spine.006": "spine.004"}
"""Bones by the parents of their joints, as in the metarig, without the side."""


def link_of(name):
    """The bone that is the link: in the spine a tweak, which both the deforming and the original bone follow."""
    return f"tweak_{name}" if name in SPINE else f"ORG-{name}"


def both(limbs):
    """Bones of both sides by their parents, of which those of the spine have no side."""
    return {f"{name}.{s}": upper if upper in SPINE else f"{upper}.{s}" for s in "LR" for name, upper in limbs.items()}


BODY = SPINE | HEAD | both(LEGS) | both(ARMS)

LED = (*SPINE, *both(LEGS), "shoulder.L", "shoulder.R")
"""Bones that follow the animation while head and arms are simulated."""


@pytest.fixture(scope="module")
def generated(tmp_path_factory, _add_on):
    """A file with Rigify's human and a walk on its controls: hips, chest, feet and hands."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    addon_utils.enable("rigify", default_set=True)
    bpy.ops.object.armature_human_metarig_add()
    metarig = bpy.context.object
    bpy.ops.pose.rigify_generate()
    (rig,) = (obj for obj in bpy.context.scene.objects if obj.type == "ARMATURE" and obj != metarig)
    bpy.data.objects.remove(metarig)
    for frame, swing in ((1, 0.0), (12, 0.6), (24, -0.4), (40, 0.5)):
        walk(rig, frame, swing)
    path = tmp_path_factory.mktemp("rigify") / "human.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    addon_utils.disable("rigify", default_set=True)
    return path


def walk(rig, frame, swing):
    for name, location in {
        "torso": (0.0, 0.1 * swing, 0.05 * swing),
        "hand_ik.L": (0.1 * swing, -0.2 * swing, 0.3 * swing),
        "foot_ik.R": (0.0, -0.3 * swing, 0.1 * abs(swing)),
        "foot_ik.L": (0.0, 0.3 * swing, 0.1 * abs(swing)),
    }.items():
        rig.pose.bones[name].location = location
        rig.pose.bones[name].keyframe_insert("location", frame=frame)
    rig.pose.bones["chest"].rotation_quaternion = (1.0, 0.0, 0.3 * swing, 0.0)
    rig.pose.bones["chest"].keyframe_insert("rotation_quaternion", frame=frame)


@pytest.fixture
def rig(scene, generated):
    """The human, whose bones are links that pass through each other."""
    bpy.ops.wm.open_mainfile(filepath=str(generated))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = FIRST, LAST
    scene.frame_set(FIRST)
    (rig,) = (obj for obj in scene.objects if obj.type == "ARMATURE")
    for name, parent in BODY.items():
        bone = rig.pose.bones[link_of(name)]
        link(bone).is_link, link(bone).collides = True, False
        add_bone_joint(bone)
        if parent:
            joint(bone).parent_node = rig.pose.bones[link_of(parent)]
    return rig


def shown(rig, frames):
    """Matrices of all bones of the rig in the world, shape (F, bones, 4, 4)."""
    found = []
    for frame in frames:
        show(bpy.context.scene, frame)
        evaluated = rig.evaluated_get(bpy.context.evaluated_depsgraph_get())
        found.append([evaluated.matrix_world @ bone.matrix for bone in evaluated.pose.bones])
    return np.array(found)


@pytest.mark.parametrize("led", [(), LED], ids=["all falls", "head and arms swing"])
def test_the_human_moves_as_simulated(rig, led):
    """Guards a rig whose bones copy, reach and stretch: exact keys, and the animation as it was before and after."""
    scene = bpy.context.scene
    for name in led:
        link(rig.pose.bones[link_of(name)]).motion = "KINEMATIC"
    outside = (1, 6.5, FIRST - 1, LAST + 1, 40)
    before, untouched = shown(rig, outside), everything(scene)
    scene.frame_set(FIRST)
    run = SimulationBake(scene, start="KEYS")
    assert any("constraints were switched off by keys" in note for note in run.run().notes)
    way, turned = errors(scene, run, HEIGHT, 2e-5, [f"rig:{link_of(name)}" for name in led])
    assert max(way, turned) < 1e-5
    np.testing.assert_allclose(shown(rig, outside), before, rtol=0.0, atol=5e-6)
    show(scene, outside[-1])
    bpy.ops.limberjack.bake_clear()
    assert everything(scene) == untouched


def test_deform_bones_follow(rig):
    """Guards the meshes of the rig: the bones that deform them bend with the bones that are baked."""
    scene = bpy.context.scene
    bake(scene, start="KEYS")
    scene.frame_set(LAST)
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    for name in (*SPINE, "spine.004", "thigh.L", "shin.R", "upper_arm.L", "forearm.R"):
        assert (bones[f"DEF-{name}"].head - bones[link_of(name)].head).length < 1e-4
        allowed = 0.1 if name in SPINE else 0.01  # bones of the spine stretch to the next tweak
        if name in SPINE:
            assert bones[f"DEF-{name}"].length == pytest.approx(bones[f"ORG-{name}"].length, rel=0.05)
        assert bones[f"DEF-{name}"].vector.angle(bones[f"ORG-{name}"].vector) < allowed


def test_controls_get_no_keys(rig):
    """Guards bones that are no links: only those that are baked get F-curves, and the walk plays on."""
    walked = {curve.data_path for curve in fcurves_of(rig)}
    bake(bpy.context.scene, start="KEYS")
    others = {curve.data_path for curve in fcurves_of(rig)} - walked
    assert others
    keyed = [path for path in others if not path.endswith(".enabled")]
    assert all(path.startswith(('pose.bones["ORG-', 'pose.bones["tweak_spine')) for path in keyed)


def test_bones_without_links_do_not_stay_behind(rig):
    """Guards the mesh of a ragdoll: toes and the middle of the neck copy controls, which do not fall with the links."""
    for side in "LR":
        toe = rig.pose.bones[f"ORG-toe.{side}"]
        link(toe).is_link = joint(toe).is_joint = False
    bake(bpy.context.scene, start="KEYS")
    show(bpy.context.scene, LAST)
    bones = rig.evaluated_get(bpy.context.evaluated_depsgraph_get()).pose.bones
    for name, above in (("toe.L", "foot.L"), ("toe.R", "foot.R"), ("spine.005", "spine.004")):
        own, parent = bones[f"ORG-{name}"], bones[f"ORG-{above}"]
        rest = parent.bone.matrix_local.inverted() @ own.bone.matrix_local
        np.testing.assert_allclose(parent.matrix.inverted() @ own.matrix, rest, atol=1e-4)
        assert (bones[f"DEF-{name}"].head - own.head).length < 1e-4
