# SPDX-License-Identifier: GPL-3.0-or-later
"""Shapes and masses of the parts of a ragdoll, as the model has them."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.geometry import Capsule
from limberjack.core.geometry.densities import SUBSTANCES
from limberjack.core.geometry.shape_mass import solid_properties
from support.cases import some

from .characters import character, skin
from .humanoids import HUMANOIDS, RADII, skin_of
from .ragdolls import make, names_of, stray_weights, told
from .rigs import armature

LIMBS = ("upper arm", "forearm", "thigh", "shin")
"""Parts that consist of one tube; others also have what the bones below them move."""


@pytest.fixture(params=some(HUMANOIDS, ["unreal", "makehuman"]))
def kind(request):
    return HUMANOIDS[request.param]


def matrix_of(pose):
    return np.array(Matrix.Translation(pose[:3]) @ Quaternion(pose[3:]).to_matrix().to_4x4())


def capsule_in(scene, name, rig="Rig"):
    """Radius [m], and the middles of both half-spheres in the world [m], of the capsule of a bone in the model."""
    (shape,) = read_scene(scene, with_shapes=True).link(f"{rig}:{name}").collisions
    assert isinstance(shape.geometry, Capsule)
    place = np.array(bpy.data.objects[rig].matrix_world @ bpy.data.objects[rig].pose.bones[name].matrix)
    place[:3, :3] /= np.linalg.norm(place[:3, :3], axis=0)
    place = place @ matrix_of(shape.pose)
    half = 0.5 * shape.geometry.length * place[:3, 2]
    return shape.geometry.radius, place[:3, 3] - half, place[:3, 3] + half


def distances(points, start, end):
    """Distance of points from a line segment, shape (n,)."""
    along = end - start
    part = np.clip((points - start) @ along / max(along @ along, 1e-12), 0.0, 1.0)
    return np.linalg.norm(points - start - part[:, None] * along, axis=1)


def test_capsules_lie_along_limbs(scene, kind):
    """Guards bones that point along, across or up (o3de#2609): the axis of each limb's capsule is that of the tube that
    the bone moves, centred, and nine of ten of its vertices are within a tenth of the radius of the surface."""
    rig, _ = kind.build()
    _, tubes = skin_of(kind, rig)
    make(rig)
    for part in LIMBS:
        for side in kind.sides:
            name = kind.names[part].format(side)
            half = kind.halves.get(part, "").format(side)
            points = np.concatenate([tubes[name], *([tubes[half]] if half else [])])
            radius, start, end = capsule_in(scene, name)
            off = np.abs(distances(points, start, end) - radius)
            assert radius == pytest.approx(RADII[part], rel=0.02)
            assert np.mean(off < 0.1 * radius) >= 0.9, name
            head, tail = points.reshape(-1, 16, 3).mean(axis=1)[[0, -1]]
            np.testing.assert_allclose(0.5 * (start + end), 0.5 * (head + tail), atol=0.1 * radius)


def test_children_that_merge_count_for_the_shape(scene, kind):
    """Guards feet: the toes follow the foot, so its capsule reaches over them."""
    rig, _ = kind.build()
    _, tubes = skin_of(kind, rig)
    make(rig, shapes="CAPSULE")
    foot, toes = (kind.names[part].format(kind.sides[0]) for part in ("foot", "toes"))
    radius, start, end = capsule_in(scene, foot)
    assert distances(tubes[toes], start, end).max() < 1.6 * radius
    bare, *_ = kind.build("Bare")
    skin_of(kind, bare, [name for name in tubes if name != toes])
    make(bare, shapes="CAPSULE")
    _, *ends = capsule_in(scene, foot, "Bare")
    assert np.linalg.norm(end - start) > np.linalg.norm(ends[1] - ends[0]) + 0.015


def test_stray_weights_do_not_blow_up_a_shape(scene):
    """Guards automatic weights: some vertices of the head follow the thigh, whose capsule stays that of its tube."""
    rig, body = character()
    stray_weights(body)
    make(rig)
    radius, start, end = capsule_in(scene, "thigh")
    assert radius == pytest.approx(0.08, rel=0.05)
    assert np.linalg.norm(end - start) == pytest.approx(rig.data.bones["thigh"].length, rel=0.05)


def test_without_a_mesh_shapes_are_those_of_a_usual_body(scene, kind):
    """Guards rigs without weights (FlaxEngine#4260): each limb has a capsule from its head to its tail, whatever way
    its bone points, and it is told."""
    rig, _ = kind.build()
    make(rig)
    parts = kind.parts()
    for part in LIMBS:
        name = kind.names[part].format(kind.sides[1])
        head, tail = parts[name][1], parts[kind.halves[part].format(kind.sides[1]) if kind.halves else name][2]
        radius, start, end = capsule_in(scene, name)
        along = np.array((tail - head).normalized())
        outer = [start - radius * along, end + radius * along]
        np.testing.assert_allclose(outer, [head, tail], atol=0.03 * (tail - head).length)
        assert 0.1 < radius / (tail - head).length < 0.2
    assert "no mesh follows the bones of 'Rig' by weights, so their shapes are those of a usual body" in told()


def test_a_mesh_whose_groups_no_bone_has_is_no_skin(scene):
    """Guards meshes with an Armature modifier whose groups were renamed: it is told that nothing follows by weights."""
    rig, body = character()
    for group in body.vertex_groups:
        group.name = f"old {group.name}"
    make(rig)
    assert "no mesh follows the bones of 'Rig' by weights" in told()
    assert len(names_of(rig)) == 7


def test_all_of_several_children_get_a_body(scene):
    """Guards bones with several children (godot#72395), in a creature whose names tell nothing."""
    arms = [(f"arm{n}", (0, 0, 0), (math.cos(n), math.sin(n), 0.2), "core") for n in range(7)]
    rig = armature([("core", (0, 0, -0.5), (0, 0, 0), ""), *arms])
    skin(rig, radii={"core": 0.2, **{f"arm{n}": 0.05 for n in range(7)}})
    make(rig)
    assert names_of(rig) == ["core", *(f"arm{n}" for n in range(7))]
    for n in range(7):
        _, start, end = capsule_in(scene, f"arm{n}")
        along, bone = (end - start) / np.linalg.norm(end - start), rig.data.bones[f"arm{n}"]
        np.testing.assert_allclose(along, np.array((bone.tail_local - bone.head_local).normalized()), atol=0.02)


# ---- masses


def density():
    return next(each.density for each in SUBSTANCES if each.name == "body")


def test_masses_of_a_body(scene, kind):
    """Guards the weight: it is what the user types; left and right weigh alike; thighs weigh 14.47 : 4.57 of shins."""
    rig, _ = kind.build()
    skin_of(kind, rig)
    make(rig, weight=80.0)
    masses = {item.name.partition(":")[2]: item.mass for item in read_scene(scene).links}
    assert sum(masses.values()) == pytest.approx(80.0, rel=1e-6)
    left, right = ([kind.names[part].format(side) for part in LIMBS] for side in kind.sides)
    np.testing.assert_allclose([masses[name] for name in left], [masses[name] for name in right], rtol=1e-5)
    thigh, shin = (masses[kind.names[part].format(kind.sides[0])] for part in ("thigh", "shin"))
    assert thigh / shin == pytest.approx(14.47 / 4.57, rel=1e-5)


def closed_tube(height, radius, rings=17, sides=32):
    """A closed prism along z, and its volume."""
    angles = [2.0 * math.pi * side / sides for side in range(sides)]
    points = [
        (radius * math.cos(angle), radius * math.sin(angle), height * ring / (rings - 1))
        for ring in range(rings)
        for angle in angles
    ]
    faces = [
        (
            sides * ring + side,
            sides * ring + (side + 1) % sides,
            sides * ring + (side + 1) % sides + sides,
            sides * ring + side + sides,
        )
        for ring in range(rings - 1)
        for side in range(sides)
    ]
    faces += [(*reversed(range(sides)),), (*range(sides * (rings - 1), sides * rings),)]
    mesh = bpy.data.meshes.new("Body")
    mesh.from_pydata(points, [], faces)
    obj = bpy.data.objects.new("Body", mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj, 0.5 * sides * radius**2 * math.sin(2.0 * math.pi / sides) * height


def test_the_weight_follows_from_the_volume(scene):
    """Guards the default: a closed mesh of about the size of its capsules weighs its volume times the density of a
    body, in the world, whatever its scale, also if it is mirrored; one that is far wider than its capsules weighs as
    these do."""
    rig = armature([("core", (0, 0, 0), (0, 0, 1), ""), ("tip", (0, 0, 1), (0, 0, 1.6), "core")])
    body, volume = closed_tube(1.6, 0.1)
    for name, chosen in (("core", lambda z: z <= 1.0), ("tip", lambda z: z >= 1.0)):
        body.vertex_groups.new(name=name).add([v.index for v in body.data.vertices if chosen(v.co.z)], 1.0, "REPLACE")
    body.modifiers.new("Armature", "ARMATURE").object = rig
    body.parent = rig
    for scale, side in ((1.0, 1.0), (1.0, -1.0), (0.5, 1.0)):
        rig.scale, body.scale.x = (scale,) * 3, side
        bpy.context.view_layer.update()
        make(rig)
        assert sum(item.mass for item in read_scene(scene).links) == pytest.approx(
            volume * scale**3 * density(), rel=1e-3
        )
    hall, _ = closed_tube(3.0, 3.0)
    hall.vertex_groups.new(name="core").add([0], 1.0, "REPLACE")
    hall.modifiers.new("Armature", "ARMATURE").object = rig
    make(rig)
    links = read_scene(scene, with_shapes=True).links
    capsules = sum(solid_properties(item.collisions[0].geometry).volume for item in links)
    assert sum(item.mass for item in links) == pytest.approx(capsules * density(), rel=1e-4)
