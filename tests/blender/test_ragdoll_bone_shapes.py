# SPDX-License-Identifier: GPL-3.0-or-later
"""Boxes and hulls as shapes of the parts of a ragdoll: chosen for all or for one, fitted, mirrored, kept in files."""

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion
from scipy.spatial import ConvexHull

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.props.ragdoll import ragdoll_bones
from limberjack.core.geometry import Box, Capsule, Mesh
from limberjack.core.geometry.shape_mass import solid_properties
from limberjack.core.kinematics.proximity.distances import overlaps
from support.cases import some

from .characters import character, choose, tube_around
from .conftest import link
from .humanoids import HUMANOIDS, skin_of
from .ragdolls import appended, make, names_of, stray_weights, told
from .rigs import armature, select_bones

KINDS = {"CAPSULE": Capsule, "BOX": Box, "HULL": Mesh}

PALM = np.array((0.09, 0.2, 0.03))
"""Size of the hand that is a box: across, along and through it [m]."""

ROLL = 0.5
"""Angle of that hand about its bone [rad]."""


@pytest.fixture(params=some(HUMANOIDS, ["unreal", "makehuman"]))
def kind(request):
    return HUMANOIDS[request.param]


def shape_in(scene, name, rig="Rig"):
    """The collision of a bone in the model."""
    (shape,) = read_scene(scene, with_shapes=True).link(f"{rig}:{name}").collisions
    return shape


def matrix_of(pose):
    return np.array(Matrix.Translation(pose[:3]) @ Quaternion(pose[3:]).to_matrix().to_4x4())


def frame_in(scene, name, rig="Rig"):
    """The matrix from the frame of a bone's shape to the world."""
    armature_object = bpy.data.objects[rig]
    place = np.array(armature_object.matrix_world @ armature_object.pose.bones[name].matrix)
    place[:3, :3] /= np.linalg.norm(place[:3, :3], axis=0)
    return place @ matrix_of(shape_in(scene, name, rig).pose)


def corners_in(scene, name, rig="Rig"):
    """The corners of the box or hull of a bone in the world."""
    geometry = shape_in(scene, name, rig).geometry
    if isinstance(geometry, Mesh):
        local = geometry.vertices
    else:
        local = 0.5 * np.array([(x, y, z) for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * geometry.size
    frame = frame_in(scene, name, rig)
    return local @ frame[:3, :3].T + frame[:3, 3]


# ---- which shape


def test_automatic_shapes(scene, kind):
    """Guards the default: hands and feet are boxes, all other parts capsules."""
    rig, _ = kind.build()
    skin_of(kind, rig)
    make(rig)
    found = {name: type(shape_in(scene, name).geometry) for name in names_of(rig)}
    boxes = {kind.names[part].format(side) for part in ("hand", "foot") for side in kind.sides}
    assert found == {name: Box if name in boxes else Capsule for name in names_of(rig)}


@pytest.mark.parametrize("shape", KINDS)
def test_one_shape_for_all(scene, shape):
    """Guards the choice of the user: all parts have it, and none that may collide overlap at the start."""
    rig, _ = character()
    make(rig, shapes=shape)
    assert {type(shape_in(scene, name).geometry) for name in names_of(rig)} == {KINDS[shape]}
    assert overlaps(read_scene(scene, with_shapes=True)) == []


def test_the_shape_of_one_part(scene):
    """Guards the panel: the shape of one bone is changed and changed back, its mass stays, and its centre and inertia
    are those of the new shape."""
    rig, _ = character()
    make(rig, weight=60.0)
    chest = link(rig.pose.bones["chest"])
    before = shape_in(scene, "chest")
    for shape, kind in KINDS.items():
        chest.bone_shape = shape
        item = read_scene(scene, with_shapes=True).link("Rig:chest")
        found = item.collisions[0]
        assert isinstance(found.geometry, kind)
        known, frame = solid_properties(found.geometry), matrix_of(found.pose)
        np.testing.assert_allclose(item.com, frame[:3, :3] @ known.com + frame[:3, 3], atol=1e-6)
        inertia = frame[:3, :3] @ known.inertia @ frame[:3, :3].T * (item.mass / known.volume)
        np.testing.assert_allclose(item.inertia, inertia[np.triu_indices(3)], rtol=1e-5, atol=1e-7)
        assert item.mass == pytest.approx(chest.mass)
        assert isinstance(shape_in(scene, "head").geometry, Capsule)
    chest.bone_shape = "CAPSULE"
    assert shape_in(scene, "chest").geometry == before.geometry


def test_without_a_mesh_all_are_capsules(scene, kind):
    """Guards rigs without weights: nothing tells how wide a hand is, so it has the capsule of a usual body. A box that
    the user chooses then is the one around that capsule."""
    rig, _ = kind.build()
    make(rig, shapes="BOX")
    assert {type(shape_in(scene, name).geometry) for name in names_of(rig)} == {Capsule}
    name = kind.names["forearm"].format(kind.sides[0])
    capsule, frame = shape_in(scene, name).geometry, frame_in(scene, name)
    link(rig.pose.bones[name]).bone_shape = "BOX"
    size = shape_in(scene, name).geometry.size
    assert size == pytest.approx((2.0 * capsule.radius, capsule.length + 2.0 * capsule.radius, 2.0 * capsule.radius))
    np.testing.assert_allclose(frame_in(scene, name)[:3, 3], frame[:3, 3], atol=1e-6)
    link(rig.pose.bones[name]).bone_shape = "HULL"
    assert shape_in(scene, name).geometry == capsule


def test_too_little_of_a_mesh(scene):
    """Guards bones that only a flat piece of the mesh follows: there is no hull, so the part is a capsule, and it is
    told."""
    rig, body = character()
    for vertex in body.data.vertices:
        if any(body.vertex_groups[item.group].name == "head" for item in vertex.groups):
            vertex.co.y = 0.0
    make(rig, shapes="HULL")
    assert isinstance(shape_in(scene, "head").geometry, Capsule)
    assert "'Rig:head': too little of a mesh follows for the chosen shape, so it is a capsule" in told()


# ---- measures


def with_a_hand():
    """A forearm with a hand that is a box, turned about its bone: the armature, its mesh, and the hand's vertices."""
    rig = armature(
        [("forearm.L", (0, 0, 0), (0.1, 0.3, 0.1), ""), ("hand.L", (0.1, 0.3, 0.1), (0.2, 0.4, 0.2), "forearm.L")]
    )
    bones = rig.data.bones
    vertices, faces, owners = tube_around([bones["forearm.L"]], lambda name: 0.03)
    first = len(vertices)
    steps = np.linspace(-0.5, 0.5, 9)
    turn = Matrix.Rotation(ROLL, 4, "Y")
    for axis in range(3):
        for side in (-0.5, 0.5):
            start = len(vertices)
            for u in steps:
                for v in steps:
                    local = np.insert((u, v), axis, side) * PALM + (0.0, 0.1, 0.0)
                    vertices.append(bones["hand.L"].matrix_local @ turn @ type(vertices[0])(local))
            faces += [
                (start + 9 * i + j, start + 9 * i + j + 1, start + 9 * i + j + 10, start + 9 * i + j + 9)
                for i in range(8)
                for j in range(8)
            ]
    mesh = bpy.data.meshes.new("Arm")
    mesh.from_pydata(vertices, [], faces)
    obj = bpy.data.objects.new("Arm", mesh)
    bpy.context.scene.collection.objects.link(obj)
    obj.parent = rig
    owners["hand.L"] = range(first, len(vertices))
    for name, own in owners.items():
        obj.vertex_groups.new(name=name).add(list(own), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    return rig, obj, np.array([vertices[number] for number in owners["hand.L"]])


def test_a_box_lies_along_the_bone(scene):
    """Guards boxes of hands: along the bone, centred, turned as the hand, and nine of ten vertices are within a tenth
    of half the thickness of its surface."""
    rig, _, points = with_a_hand()
    make(rig, shapes="BOX")
    size = np.array(shape_in(scene, "hand.L").geometry.size)
    np.testing.assert_allclose(size, PALM, rtol=0.03)
    frame = frame_in(scene, "hand.L")
    np.testing.assert_allclose(frame[:3, 3], points.mean(axis=0), atol=1e-3)
    along = np.array((rig.data.bones["hand.L"].tail_local - rig.data.bones["hand.L"].head_local).normalized())
    assert frame[:3, 1] @ along == pytest.approx(1.0, abs=1e-6)
    beyond = np.abs((points - frame[:3, 3]) @ frame[:3, :3]) - 0.5 * size
    inside = np.minimum(beyond.max(axis=1), 0.0)
    off = np.abs(np.linalg.norm(np.maximum(beyond, 0.0), axis=1) + inside)
    assert np.mean(off < 0.1 * 0.5 * PALM.min()) >= 0.9


def test_feet_stand_flat(scene, kind):
    """Guards feet: the bone slopes from the ankle to the ball, and the lower face of the box is horizontal, where the
    lowest vertex of foot and toes is."""
    rig, _ = kind.build()
    _, tubes = skin_of(kind, rig)
    make(rig)
    for side in kind.sides:
        foot, toes = (kind.names[part].format(side) for part in ("foot", "toes"))
        corners = corners_in(scene, foot)
        lowest = np.sort(corners[:, 2])[:4]
        sole = np.concatenate([tubes[foot], tubes[toes]])[:, 2].min()
        np.testing.assert_allclose(lowest, sole, atol=2e-3)
        assert np.ptp(lowest) < 1e-4


def test_stray_weights_do_not_blow_up_a_box_or_a_hull(scene):
    """Guards automatic weights: some vertices of the head follow the thigh, whose box and hull stay those of its
    tube."""
    rig, body = character()
    stray_weights(body)
    for shape in ("BOX", "HULL"):
        make(rig, shapes=shape)
        corners = corners_in(scene, "thigh")
        assert corners[:, 2].max() < 1.03
        assert ConvexHull(corners).volume < 1.02 * 0.16 * 0.16 * rig.data.bones["thigh"].length


def test_a_hull_encloses_what_follows_the_bone(scene):
    """Guards hulls: of a tube, no vertex is outside by more than a twentieth of its length, and the volume is that of
    the tube."""
    rig, body = character()
    make(rig, shapes="HULL")
    group = body.vertex_groups["thigh"].index
    own = np.array([body.matrix_world @ v.co for v in body.data.vertices if v.groups[0].group == group])
    hull = ConvexHull(corners_in(scene, "thigh"))
    assert (own @ hull.equations[:, :3].T + hull.equations[:, 3]).max() < 0.05 * 0.5
    assert hull.volume == pytest.approx(ConvexHull(own).volume, rel=0.12)


# ---- kept, fitted again, mirrored


@pytest.mark.parametrize("shape", ["BOX", "HULL"])
def test_shapes_survive_a_file_and_come_along(scene, tmp_path, shape):
    """Guards saving, opening and appending: the armature alone brings the shapes along, since no object has them."""
    rig, _ = character()
    make(rig, shapes=shape)
    expected = corners_in(scene, "chest")
    path = str(tmp_path / "hero.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    np.testing.assert_allclose(corners_in(bpy.context.scene, "chest"), expected, atol=1e-6)
    scene = appended(path)
    np.testing.assert_allclose(corners_in(scene, "chest"), expected, atol=1e-6)


@pytest.mark.parametrize("shape", ["BOX", "HULL"])
def test_shapes_follow_the_scale(scene, shape):
    """Guards an armature that is scaled later: its shapes are as much larger."""
    rig, _ = character()
    make(rig, shapes=shape)
    before = corners_in(scene, "chest")
    rig.scale = (1.5, 1.5, 1.5)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(corners_in(scene, "chest"), 1.5 * before, atol=1e-5)


@pytest.mark.parametrize("shape", ["CAPSULE", "BOX", "HULL"])
def test_fit_to_mesh_keeps_shape_and_direction(scene, kind, shape):
    """Guards Fit to Mesh on rigs whose bones point across the limbs: after a change by hand, the shape is as Make
    Ragdoll had fitted it, along the limb."""
    rig, _ = kind.build()
    skin_of(kind, rig)
    make(rig, shapes=shape)
    names = [kind.names[part].format(kind.sides[0]) for part in ("forearm", "thigh")]
    before = {name: (shape_in(scene, name), frame_in(scene, name)) for name in names}
    for name in names:
        own = link(rig.pose.bones[name])
        own.bone_radius, own.box_size, own.bone_hull = 0.5, (1.0, 1.0, 1.0), "0 0 0 1 0 0 0 1 0 0 0 1"
    select_bones(rig, *names)
    assert bpy.ops.limberjack.bones_fit_to_mesh(selected_only=True) == {"FINISHED"}
    choose(rig)
    for name, (known, frame) in before.items():
        found = shape_in(scene, name)
        np.testing.assert_allclose(frame_in(scene, name), frame, atol=1e-4)
        if shape == "HULL":
            np.testing.assert_allclose(found.geometry.vertices, known.geometry.vertices, atol=1e-5)
        elif shape == "BOX":
            np.testing.assert_allclose(found.geometry.size, known.geometry.size, rtol=1e-3)
        else:
            assert found.geometry.radius == pytest.approx(known.geometry.radius, rel=1e-4)


@pytest.mark.parametrize("shape", ["BOX", "HULL"])
def test_mirrored_shapes(scene, shape):
    """Guards Mirror across X: the shape of the other side is the mirror image in the world."""
    rows = [("root", (0, 0, 0), (0, 0, 0.2), "")]
    for side, sign in (("L", 1.0), ("R", -1.0)):
        rows.append((f"arm.{side}", (sign * 0.2, 0.0, 0.1), (sign * 0.6, 0.1, 0.3), "root", sign * 0.4))
    rig = armature(rows)
    vertices, faces, owners = tube_around([rig.data.bones["arm.L"]], lambda name: 0.05)
    mesh = bpy.data.meshes.new("Arm")
    mesh.from_pydata([(x, y + 0.3 * (z > 0.25), z) for x, y, z in vertices], [], faces)
    obj = bpy.data.objects.new("Arm", mesh)
    scene.collection.objects.link(obj)
    obj.vertex_groups.new(name="arm.L").add(list(owners["arm.L"]), 1.0, "REPLACE")
    obj.modifiers.new("Armature", "ARMATURE").object = rig
    bpy.context.view_layer.update()
    make(rig, shapes=shape)
    select_bones(rig, "arm.L")
    assert bpy.ops.limberjack.mirror() == {"FINISHED"}
    left, right = (corners_in(scene, f"arm.{side}") for side in "LR")
    image = left * (-1.0, 1.0, 1.0)
    assert len(right) == len(image)
    apart = np.linalg.norm(right[:, None] - image[None], axis=2).min(axis=1)
    assert apart.max() < 2e-5


def test_a_part_is_removed_with_its_shape(scene):
    """Guards Remove Ragdoll: nothing of boxes and hulls stays on the bones."""
    rig, _ = character()
    make(rig, shapes="HULL")
    choose(rig)
    assert bpy.ops.limberjack.remove_ragdoll() == {"FINISHED"}
    assert ragdoll_bones(rig) == []
    assert not any(bone.is_property_set("limberjack_link") for bone in rig.pose.bones)
