# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters as UsdSkel: pxr alone skins their meshes to where Blender shows them, in each frame."""

import bpy
import numpy as np
import pytest

from limberjack.core.formats import read
from support.usd_played import complaints, points_by_pxr, skinned_meshes

from .characters import character, choose
from .conftest import link
from .ragdolls import make, told
from .rigs import tag
from .samples import open_sample
from .scenes import material
from .test_bones_on_command_line import run

Usd = pytest.importorskip("pxr.Usd", reason="no pxr: pip install usd-core")

ACCURACY = 1e-4
"""Largest distance between a point that pxr skins and Blender's [m]."""

FRAMES = 20


def scatter_weights(rig, body, most=6):
    """Give vertices random weights, which do not add up to 1, of up to `most` bones, and to each tenth none at all."""
    rng = np.random.default_rng(7)
    names = [bone.name for bone in rig.data.bones]
    for group in body.vertex_groups:
        group.remove(range(len(body.data.vertices)))
    for vertex in range(len(body.data.vertices)):
        if vertex % 10:
            for name in rng.choice(names, rng.integers(1, most + 1), replace=False):
                body.vertex_groups[name].add([vertex], rng.uniform(0.05, 0.6), "REPLACE")


def points_shown(body, unit=1.0):
    """Points of an object in the world as Blender evaluates them [m], shape (p, 3)."""
    shown = body.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return unit * np.array([shown.matrix_world @ vertex.co for vertex in shown.data.vertices], dtype=np.float64)


def farthest(scene, path, *bodies, unit=1.0):
    """The largest distance between points by pxr and by Blender in all frames [m]."""
    stage = Usd.Stage.Open(str(path))
    found = 0.0
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        for body in bodies:
            apart = points_by_pxr(stage, body.name, float(frame - scene.frame_start)) - points_shown(body, unit)
            found = max(found, float(np.linalg.norm(apart, axis=1).max()))
    return found


def largest_turn(scene, rig):
    """The largest angle between a bone and the bone above it, after the bake [rad]."""
    scene.frame_set(scene.frame_end)
    return max((bone.matrix_basis.to_quaternion().angle for bone in rig.pose.bones), default=0.0)


@pytest.fixture
def falling(scene):
    """A character whose ragdoll is baked by `fall`, and its mesh."""
    scene.frame_start, scene.frame_end = 1, FRAMES
    return character()


def fall(scene, rig):
    """Bake a body that is held at its hips, so that its limbs swing and its bones turn against each other."""
    make(rig)
    scene.limberjack.contact = False  # random weights make shapes that overlap
    link(rig.pose.bones["hips"]).motion = "STATIC"
    choose(rig)
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}


def export(path, **options):
    """Export with motion. Return the lines that the user reads."""
    assert bpy.ops.limberjack.export_usda(filepath=str(path), motion=True, **options) == {"FINISHED"}
    return told().splitlines()


def plain(rig, body):
    pass


def scaled(rig, body):
    """An armature that is turned and scaled unevenly, with a mesh that is scaled below it."""
    rig.location, rig.rotation_euler, rig.scale = (0.3, -0.2, 0.5), (0.1, 0.2, 0.9), (1.5, 1.5, 1.5)
    body.data.transform(body.matrix_basis.Scale(0.01, 4))
    body.scale = (100.0, 100.0, 100.0)


def mirrored(rig, body):
    """A mesh in axes of its own, mirrored and beside the armature."""
    body.location, body.rotation_euler, body.scale = (0.4, 0.2, -0.3), (0.3, 0.0, 0.5), (-1.2, 0.9, 1.1)


def masked(rig, body):
    """A modifier that deforms by a vertex group."""
    group = body.vertex_groups.new(name="mask")
    for vertex in range(0, len(body.data.vertices), 2):
        group.add([vertex], vertex / len(body.data.vertices), "REPLACE")
    body.modifiers["Armature"].vertex_group = "mask"
    body.modifiers["Armature"].invert_vertex_group = True


def subdivided(rig, body):
    """A subdivision before the armature, which gives the new points weights between those of the old ones."""
    body.modifiers.new("Subdivision", "SUBSURF").levels = 1
    body.modifiers.move(1, 0)


def parented(rig, body):
    """An armature below an Empty that is scaled and turned, and a mesh without a parent."""
    holder = bpy.data.objects.new("holder", None)
    bpy.context.scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler, holder.scale = (0.2, 0.1, 0.4), (0.5, 0.4, 0.7), (0.5, 0.5, 0.5)
    rig.parent, body.parent = holder, None
    body.matrix_world = holder.matrix_basis


@pytest.mark.parametrize("change", [plain, scaled, mirrored, masked, subdivided, parented])
def test_pxr_shows_a_baked_character_as_blender_does(scene, falling, tmp_path, change):
    """Guards matrices, weights and their sums, unweighted vertices, and more than 4 bones at one vertex."""
    rig, body = falling
    scatter_weights(rig, body)
    change(rig, body)
    bpy.context.view_layer.update()
    fall(scene, rig)
    path = tmp_path / "played.usda"
    lines = export(path)
    assert not [line for line in lines if "skin" in line]
    assert complaints(path) == []
    assert largest_turn(scene, rig) > 0.25
    assert farthest(scene, path, body) < ACCURACY


def test_units_of_a_scene(scene, falling, tmp_path):
    """Guards Unit Scale 0.01: the file is in metres."""
    rig, body = falling
    scene.unit_settings.scale_length = 0.01
    rig.scale = (100.0, 100.0, 100.0)
    scene.gravity = (0.0, 0.0, -981.0)
    bpy.context.view_layer.update()
    fall(scene, rig)
    path = tmp_path / "played.usda"
    export(path)
    assert largest_turn(scene, rig) > 0.25
    assert farthest(scene, path, body, unit=0.01) < ACCURACY


def test_a_keyed_character_moves_with_its_armature(scene, falling, tmp_path):
    """Guards armatures that are animated as a whole, and bones that grow, whose scale is stored in three digits."""
    rig, body = falling
    tag(rig, "hips", "chest", "thigh")
    scatter_weights(rig, body)
    for bone in rig.pose.bones:
        link(bone).motion = "KINEMATIC"
    finger, tip = rig.pose.bones["finger"], rig.pose.bones["tip"]
    for frame, turn, size in ((1, 0.0, (1.0, 1.0, 1.0)), (FRAMES, 2.0, (1.5, 1.5, 1.5))):
        rig.location, rig.rotation_euler = (turn, 0.3, -turn), (turn, 0.2, 0.5 * turn)
        finger.scale, tip.rotation_quaternion = size, (1.0, turn, 0.0, 0.0)
        rig.keyframe_insert("location", frame=frame)
        rig.keyframe_insert("rotation_euler", frame=frame)
        finger.keyframe_insert("scale", frame=frame)
        tip.keyframe_insert("rotation_quaternion", frame=frame)
    path = tmp_path / "played.usda"
    lines = export(path)
    assert complaints(path) == []
    far = [float(line.partition("up to ")[2].partition(" m ")[0]) for line in lines if line.startswith("skin 'Body'")]
    assert farthest(scene, path, body) < max([ACCURACY, *(1.06 * each for each in far)])


def test_meshes_keep_their_texture_coordinates_and_colour(scene, falling, tmp_path):
    """Guards faces with their corners, texture coordinates and the colour of the first material."""
    from pxr import UsdGeom

    rig, body = falling
    fall(scene, rig)
    layer = body.data.uv_layers.new()
    for number, corner in enumerate(layer.uv):
        corner.vector = (number / len(layer.uv), 0.25)
    made, _ = material("skin", (0.8, 0.5, 0.25, 1.0))
    body.data.materials.append(made)
    export(tmp_path / "played.usda")
    stage = Usd.Stage.Open(str(tmp_path / "played.usda"))
    mesh = UsdGeom.Mesh(skinned_meshes(stage)["Body"])
    assert list(mesh.GetFaceVertexCountsAttr().Get()) == [len(face.vertices) for face in body.data.polygons]
    assert list(mesh.GetFaceVertexIndicesAttr().Get()) == [loop.vertex_index for loop in body.data.loops]
    uvs = UsdGeom.PrimvarsAPI(mesh).GetPrimvar("st")
    assert uvs.GetInterpolation() == "faceVarying"
    np.testing.assert_allclose(uvs.Get(), [corner.vector[:] for corner in layer.uv], atol=1e-6)
    assert tuple(mesh.GetDisplayColorAttr().Get()[0]) == pytest.approx((0.8, 0.5, 0.25), abs=1e-6)


def test_two_characters_and_several_meshes(scene, tmp_path):
    """Guards names, armatures that are hidden, and that each mesh follows its own skeleton."""
    scene.frame_start, scene.frame_end = 1, FRAMES
    (one, body), (other, coat) = character(), character("Other")
    other.location.x = 3.0
    hat = bpy.data.objects.new("Hat", body.data.copy())
    scene.collection.objects.link(hat)
    for group in body.vertex_groups:
        hat.vertex_groups.new(name=group.name)
    hat.modifiers.new("Armature", "ARMATURE").object = one
    bpy.context.view_layer.update()
    make(one, other)
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    one.hide_viewport = other.hide_viewport = True
    path = tmp_path / "played.usda"
    export(path)
    assert complaints(path) == []
    stage = Usd.Stage.Open(str(path))
    assert len(skinned_meshes(stage)) == 3
    coat.name = coat.name.replace(".", "_")  # as the name of its prim
    assert farthest(scene, path, body, coat, hat) < ACCURACY


def test_the_command_writes_skins(scene, falling, tmp_path, capsys):
    """Guards `record -o OUT.usda`: the same points as those of the export."""
    rig, _ = falling
    fall(scene, rig)
    export(tmp_path / "dialog.usda")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "baked.blend"))
    path = tmp_path / "command.usda"
    assert run("record", tmp_path / "baked.blend", "-o", path, "--frames", 1, FRAMES) == 0
    stages = [Usd.Stage.Open(str(each)) for each in (path, tmp_path / "dialog.usda")]
    for frame in range(FRAMES):
        found, expected = (points_by_pxr(stage, "Body", float(frame)) for stage in stages)
        np.testing.assert_allclose(found, expected, rtol=0.0, atol=1e-6)


def test_bones_are_not_drawn_beside_their_skin(scene, falling, tmp_path):
    """Guards that a capsule of a bone is a collider only, which renderers do not show; bodies and joints are the same.

    Without a motion there is no skin, and the capsules are drawn."""
    rig, _ = falling
    fall(scene, rig)
    export(tmp_path / "skin.usda", split_meshes=True)
    assert bpy.ops.limberjack.export_usda(filepath=str(tmp_path / "bare.usda")) == {"FINISHED"}
    skin, bare = read(tmp_path / "skin.usda").model, read(tmp_path / "bare.usda").model
    assert [link.name for link in skin.links] == [link.name for link in bare.links]
    assert {joint.name for joint in bare.joints} <= {joint.name for joint in skin.joints}
    assert all(link.visuals for link in bare.links)
    assert not any(link.visuals for link in skin.links)
    collisions = [[type(shape.geometry) for link in model.links for shape in link.collisions] for model in (skin, bare)]
    assert collisions[0] == collisions[1]


def keep_volume(rig, body):
    body.modifiers["Armature"].use_deform_preserve_volume = True
    return "Preserve Volume"


def use_envelopes(rig, body):
    body.modifiers["Armature"].use_bone_envelopes = True
    return "Bone Envelopes"


def smooth(rig, body):
    body.modifiers.new("Smooth it", "SMOOTH").factor = 1.0
    return "modifier 'Smooth it'"


def bend_bones(rig, body):
    bpy.context.view_layer.objects.active = rig
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in rig.data.edit_bones:
        bone.bbone_segments = 8
    bpy.ops.object.mode_set(mode="OBJECT")
    return "bendy bones"


def key_shapes(rig, body):
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="fat")
    for point in key.data:
        point.co = 1.2 * point.co
    for frame, value in ((1, 0.0), (FRAMES, 1.0)):
        key.value = value
        key.keyframe_insert("value", frame=frame)
    return "changes of shape keys"


def move_apart(rig, body):
    for frame in (1, FRAMES):
        body.location.x = 0.1 * frame
        body.keyframe_insert("location", frame=frame)
    return "its own motion beside that of the armature"


@pytest.mark.parametrize("change", [keep_volume, use_envelopes, smooth, bend_bones, key_shapes, move_apart])
def test_what_skins_leave_out_is_told_once(scene, falling, tmp_path, change):
    """Guards one line for each object, which names the cause and the distance from Blender's points."""
    rig, body = falling
    scatter_weights(rig, body)
    fall(scene, rig)
    cause = change(rig, body)
    bpy.context.view_layer.update()
    path = tmp_path / "played.usda"
    (line,) = [line for line in export(path) if line.startswith("object 'Body'")]
    assert line.endswith(f"left out: {cause}")
    far = float(line.partition("up to ")[2].partition(" m ")[0])
    assert far > ACCURACY
    assert farthest(scene, path, body) == pytest.approx(far, rel=0.06)


def test_a_mesh_whose_number_of_points_changes_is_told(scene, falling, tmp_path):
    """Guards modifiers that build a mesh over time."""
    rig, body = falling
    fall(scene, rig)
    body.modifiers.new("Build", "BUILD").frame_duration = FRAMES
    lines = export(tmp_path / "played.usda")
    assert [line for line in lines if line.startswith("object 'Body': its number of points changes")]
    assert complaints(tmp_path / "played.usda") == []


def test_a_mesh_that_is_a_shape_of_a_link_is_told(scene, build, falling, tmp_path):
    """Guards a character below a link: its mesh is a part of this link, and is not drawn again as a skin."""
    rig, _ = falling
    car = build.tagged_cube("car")
    rig.parent = car
    bpy.context.view_layer.update()
    make(rig)
    path = tmp_path / "played.usda"
    lines = export(path)
    assert "object 'Body' is a shape of link 'car', and is written as rigid, not as a skin" in lines
    assert skinned_meshes(Usd.Stage.Open(str(path))) == {}


@pytest.mark.parametrize("name", ["stairs", "creature"])
def test_characters_of_the_samples(name, tmp_path):
    """Guards whole scenes: skins beside other links. Our own reader has the bodies and joints that it has without."""
    scene = open_sample(name)
    scene.frame_end = scene.frame_start + FRAMES
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    path = tmp_path / f"{name}.usda"
    lines = export(path)
    assert not [line for line in lines if "skin" in line]
    assert complaints(path) == []
    meshes = skinned_meshes(Usd.Stage.Open(str(path)))
    assert meshes
    assert farthest(scene, path, *(bpy.data.objects[name] for name in meshes)) < ACCURACY
    bare = tmp_path / "bare.usda"
    assert bpy.ops.limberjack.export_usda(filepath=str(bare)) == {"FINISHED"}
    skinned, plain_model = read(path).model, read(bare).model
    assert [link.name for link in skinned.links] == [link.name for link in plain_model.links]
    assert {joint.name for joint in plain_model.joints} <= {joint.name for joint in skinned.joints}
