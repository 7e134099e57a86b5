# SPDX-License-Identifier: GPL-3.0-or-later
"""Ragdolls in simulations: they begin at rest, gain no energy, and move alike whatever the units of their armature."""

import dataclasses
import math

import bpy
import numpy as np
import pytest
from mathutils import Vector

from limberjack.addon.bridge.links.capsule_views import view_capsule
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.gizmos.capsule import handles_of
from limberjack.addon.gizmos.capsule_drags import CAPSULE_DRAGS
from limberjack.addon.props.pairs import overlapping_parts, pair_of, set_pair
from limberjack.addon.props.settings import link_settings
from limberjack.core.geometry import Capsule
from support.cases import some

from .baked import bake
from .bone_rig import assert_exact
from .conftest import joint, link
from .humanoids import HEIGHT, HUMANOIDS, RADII, skin_of
from .ragdolls import make, names_of, remove
from .rigs import armature

FAT = {part: 1.8 * radius for part, radius in RADII.items()}
"""Radii of a body whose parts overlap at rest: arms and trunk, thighs, head and shoulders."""


@pytest.fixture(params=some(HUMANOIDS, ["mixamo"]))
def kind(request):
    return HUMANOIDS[request.param]


def bend(rig, name, *angles):
    """Turn a bone about its own axes [degrees]."""
    bone = rig.pose.bones[name]
    bone.rotation_mode, bone.rotation_euler = "XYZ", [math.radians(angle) for angle in angles]
    bpy.context.view_layer.update()


def excluded(scene):
    return {frozenset((pair.a.partition(":")[2], pair.b.partition(":")[2])) for pair in read_scene(scene).contact_pairs}


def largest_motion(run):
    X_WL = run.trajectory.X_WL
    return np.abs(X_WL - X_WL[:1]).max()


@pytest.mark.parametrize("posed", [False, True], ids=["rest", "posed"])
def test_nothing_moves_at_the_start_without_gravity(scene, kind, posed):
    """Guards explosions: parts that overlap at rest or in the pose are excluded, limits contain the pose, and drives
    pull to it, so a body with self-collision stays where it is for a second."""
    rig, _ = kind.build()
    skin_of(kind, rig, radii=FAT)
    if posed:
        for number, part in enumerate(("upper arm", "forearm", "thigh", "shin", "foot")):
            bend(rig, kind.names[part].format(kind.sides[number % 2]), 40.0 * (-1) ** number, 15.0, 35.0)
        bend(rig, kind.names["head"], 70.0, -30.0, 20.0)
    make(rig, stiffness=1.0)
    scene.limberjack.bake.start, scene.use_gravity = "POSE", False
    assert scene.limberjack.contact
    assert excluded(scene)
    assert largest_motion(bake(scene)) < 1e-6


def test_overlapping_pairs_are_excluded_and_no_others(scene):
    """Guards the list of pairs: in a body whose thighs are so thick that they overlap, these are excluded and hands and
    feet are not; neighbours need no pair. Thin thighs collide."""
    kind = HUMANOIDS["makehuman"]
    rig, _ = kind.build()
    skin_of(kind, rig, radii=FAT)
    make(rig)
    found = excluded(scene)
    assert frozenset(("upperleg01.L", "upperleg01.R")) in found
    assert not any("wrist.L" in pair and "foot.L" in pair for pair in found)
    neighbours = [{item.parent.partition(":")[2], item.child.partition(":")[2]} for item in read_scene(scene).joints]
    assert not any(set(pair) in neighbours for pair in found)
    bpy.data.objects.remove(bpy.data.objects["Body"])
    skin_of(kind, rig, radii={part: 0.7 * radius for part, radius in RADII.items()})
    make(rig)
    assert frozenset(("upperleg01.L", "upperleg01.R")) not in excluded(scene)


def test_pairs_that_overlap_in_the_pose_are_excluded(scene):
    """Guards characters whose pose crosses two limbs: the pair is excluded, which at rest it is not, and the body stays
    at rest."""
    arms = [(f"arm{n}", (0.5 * n, 0, 1), (0.5 * n, 1, 1), "core") for n in (0, 1)]
    rig = armature([("core", (0, -0.5, 1), (0, 0, 1), ""), *arms])
    make(rig, stiffness=1.0)
    assert excluded(scene) == set()
    bend(rig, "arm1", 0.0, 0.0, 60.0)
    make(rig, stiffness=1.0)
    assert excluded(scene) == {frozenset(("arm0", "arm1"))}
    scene.limberjack.bake.start, scene.use_gravity = "POSE", False
    run = bake(scene)
    assert largest_motion(run) < 1e-6


def test_shapes_that_overlap_after_a_drag_are_excluded(scene):
    """Guards who enlarges a shape by its handles: what it overlaps then does not collide with it, neighbours need no
    pair, and a pair that the user has set stays."""
    arms = [(f"arm{n}", (0.5 * n, 0, 1), (0.5 * n, 1, 1), "core") for n in range(3)]
    rig = armature([("core", (0, -0.5, 1), (0, 0, 1), ""), *arms])
    make(rig)
    set_pair(scene, rig.pose.bones["arm1"], rig.pose.bones["arm2"], True)
    bone = rig.pose.bones["arm1"]
    view = view_capsule(bone, scene)
    axis = next(axis for role, axis, _, _ in handles_of(view, Vector((0, 0, -1))) if role == "capsule_radius")
    drag = CAPSULE_DRAGS["capsule_radius"](bpy.context, bone, view, axis, 0.0)
    drag.set_value(bpy.context, 0.45)
    drag.confirm(bpy.context)
    assert [{a.name, b.name} for a, b in overlapping_parts(rig)] == [{"arm0", "arm1"}]
    assert pair_of(scene, bone, rig.pose.bones["arm2"]).meets


@pytest.mark.parametrize("is_on", [True, False])
def test_limbs_collide_with_each_other(scene, is_on):
    """Guards self-collision: the limp arms of a fat body fall onto its sides and stay outside; they fall through if the
    setting is off."""
    kind = HUMANOIDS["makehuman"]
    rig, _ = kind.build()
    skin_of(kind, rig, radii=FAT)
    make(rig, stiffness=0.0, self_collision=is_on)
    for name in ("spine05", "spine03", "spine01"):
        link(rig.pose.bones[name]).motion = "STATIC"
    run = bake(scene)
    wrist = run.trajectory.X_WL[:, run.trajectory.link_names.index("Rig:wrist.L")]
    middle = 0.5 * (FAT["spine"] + FAT["hips"])
    assert wrist[:, 2].min() < 1.1, "the arm does not fall"
    assert (np.abs(wrist[:, 0]).min() > middle) == is_on, (np.abs(wrist[:, 0]).min(), middle)


def test_a_limp_body_gains_no_energy(scene, kind):
    """Guards limits that a pose has widened: a body without muscles that starts at its limits, with gravity and without
    contact, never has more energy than at the start."""
    rig, _ = kind.build()
    for number, part in enumerate(("upper arm", "forearm", "thigh", "shin", "hand")):
        for side in kind.sides:
            bend(rig, kind.names[part].format(side), 75.0 * (-1) ** number, 20.0, -60.0)
    make(rig, stiffness=0.0)
    scene.limberjack.bake.start, scene.limberjack.contact = "POSE", False
    run = bake(scene)
    energy = run.trajectory.kinetic + run.trajectory.potential
    scale = run.trajectory.kinetic.max()
    assert scale > 100.0, "it does not fall"
    assert (energy - energy[0]).max() < 1e-5 * scale


def motion_of(scene, rig, hips):
    """The trajectory of a body that is held by its hips, while its limbs sag against their muscles. Its joints have no
    dry friction, since whether a limb sticks or slips depends on the last digits of single precision."""
    scene.limberjack.contact = False
    for name in names_of(rig):
        for axis in joint(rig.pose.bones[name]).axes:
            axis.friction = 0.0
    link(rig.pose.bones[hips]).motion = "STATIC"
    return bake(scene).trajectory


UNITS = [(0.01, 0.0), (100.0, 0.0), (1.0, 0.5 * math.pi), (0.01, -0.7)]


@pytest.mark.parametrize(
    ("scale", "turn"), [UNITS[-1], *(pytest.param(*each, marks=pytest.mark.slow) for each in UNITS[:-1])]
)
def test_the_motion_does_not_depend_on_the_units_of_an_armature(scene, scale, turn):
    """Guards scale and axes (godot#52971): the same body in an armature of other units, turned, has the same masses,
    sags in the same way, and keeps its scale."""
    kind = HUMANOIDS["vrm"]
    plain, _ = kind.build()
    skin_of(kind, plain)
    make(plain, weight=70.0)
    frictions = turning_frictions(read_scene(scene))
    expected = motion_of(scene, plain, "J_Bip_C_Hips")
    masses = {item.name: item.mass for item in read_scene(scene).links}
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 24
    other = dataclasses.replace(kind, scale=scale, turn=turn)
    rig, _ = other.build()
    skin_of(other, rig)
    make(rig, weight=70.0)
    assert tuple(rig.scale) == pytest.approx((scale,) * 3)
    np.testing.assert_allclose(turning_frictions(read_scene(scene)), frictions, rtol=1e-3)
    found = motion_of(scene, rig, "J_Bip_C_Hips")
    assert {item.name: item.mass for item in read_scene(scene).links} == pytest.approx(masses, rel=1e-3)
    assert found.link_names == expected.link_names
    assert np.ptp(found.X_WL[:, :, 2], axis=0).max() > 0.2
    np.testing.assert_allclose(found.X_WL[:, :, :3], expected.X_WL[:, :, :3], atol=2e-3 * HEIGHT)


def test_blender_units_of_a_centimetre(scene):
    """Guards scenes with a unit scale of 0.01: the weight of the volume, and the motion in metres, are the same."""
    kind = HUMANOIDS["mixamo"]
    rig, _ = kind.build()
    skin_of(kind, rig)
    make(rig)
    masses = {item.name: item.mass for item in read_scene(scene).links}
    expected = motion_of(scene, rig, "mixamorig:Hips")
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end, scene.unit_settings.scale_length = 1, 24, 0.01
    scene.gravity = (0.0, 0.0, -981.0)
    rig, _ = kind.build()
    skin_of(kind, rig)
    rig.scale = (1.0,) * 3  # 100 times as large in Blender units
    bpy.context.view_layer.update()
    make(rig)
    found = motion_of(scene, rig, "mixamorig:Hips")
    assert {item.name: item.mass for item in read_scene(scene).links} == pytest.approx(masses, rel=1e-3)
    np.testing.assert_allclose(found.X_WL[:, :, :3], expected.X_WL[:, :, :3], atol=2e-3 * HEIGHT)


def test_bones_show_the_motion(scene, kind):
    """Guards the bake of a ragdoll, with turned limits and capsules: bones are where the trajectory has their links."""
    rig, _ = kind.build()
    skin_of(kind, rig)
    make(rig)
    scene.limberjack.contact = False
    run = bake(scene)
    assert set(run.trajectory.link_names) == {f"Rig:{name}" for name in names_of(rig)}
    assert_exact(scene, run, HEIGHT)


def test_a_body_stands_up_to_its_stiffness(scene):
    """Guards the slider: on a trunk that is held, a stiff arm sags less than a relaxed one, and a limp one falls."""
    kind = HUMANOIDS["makehuman"]
    sags = []
    for stiffness in (1.0, 0.3, 0.0):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        scene = bpy.context.scene
        scene.frame_start, scene.frame_end = 1, 36
        rig, _ = kind.build()
        make(rig, stiffness=stiffness)
        for name in ("spine05", "spine03", "spine01"):
            link(rig.pose.bones[name]).motion = "STATIC"
        scene.limberjack.contact = False
        run = bake(scene)
        wrist = run.trajectory.X_WL[:, run.trajectory.link_names.index("Rig:wrist.L"), 2]
        sags.append(wrist[0] - wrist[-1])
    assert 0.0 < sags[0] < sags[1] < sags[2]
    assert sags[2] > 0.25
    assert joint(rig.pose.bones["lowerarm01.L"]).drive_strength == 0.0


def test_bodies_are_of_flesh(scene, kind):
    """Guards bodies that come to rest: limbs resist rolling and spinning, in proportion to their radius, and each axis
    of a joint has friction, which follows the weight of the body; Remove Ragdoll takes it away."""
    rig, _ = kind.build()
    skin_of(kind, rig)
    make(rig, weight=70.0)
    model = read_scene(scene, with_shapes=True)
    for part in model.links:
        for shape in part.collisions:
            assert shape.surface.rolling_friction == shape.surface.spinning_friction > 0.0
            if isinstance(shape.geometry, Capsule):
                assert shape.surface.rolling_friction == pytest.approx(0.15 * shape.geometry.radius, rel=1e-5)
    before = turning_frictions(model)
    assert before.min() > 0.0
    link_settings(rig).ragdoll_mass = 140.0
    np.testing.assert_allclose(turning_frictions(read_scene(scene)), 2.0 * before, rtol=1e-5)
    remove(rig)
    assert all(link_settings(bone).surface.source == "AUTO" for bone in rig.pose.bones)


def turning_frictions(model):
    """The friction of each axis about which the joints of a ragdoll turn [N m]."""
    counts = {"ball": 3, "revolute": 1}
    return np.array([axis.friction for item in model.joints for axis in item.axes[: counts.get(item.type, 0)]])
