# SPDX-License-Identifier: GPL-3.0-or-later
"""What links weigh, against exact integrals over the very same polyhedra."""

import math
import zlib
from fractions import Fraction

import bmesh
import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.links.mass import UPPER
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.core.geometry.densities import SUBSTANCES
from limberjack.core.spatial import quat_to_mat

from .conftest import link
from .paper import draw
from .scenes import put

DENSITY = 1000


def turn(x, y, z):
    """The matrix of Blender's XYZ Euler angles."""
    cx, cy, cz = map(math.cos, (x, y, z))
    sx, sy, sz = map(math.sin, (x, y, z))
    about_x = np.array([[1, 0, 0], [0, cx, -sx], [0, sx, cx]])
    about_y = np.array([[cy, 0, sy], [0, 1, 0], [-sy, 0, cy]])
    about_z = np.array([[cz, -sz, 0], [sz, cz, 0], [0, 0, 1]])
    return about_z @ about_y @ about_x


def placed(location=(0, 0, 0), angles=(0, 0, 0), scale=(1, 1, 1)):
    matrix = np.eye(4)
    matrix[:3, :3] = turn(*angles) * np.array(scale, dtype=float)
    matrix[:3, 3] = location
    return matrix


def polyhedron(obj, matrix, unit=1):
    """The evaluated mesh's corner points in the world [m], exactly, shape (n, 3, 3)."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    mesh.calc_loop_triangles()
    rows = [[Fraction(float(number)) for number in row] for row in matrix[:3]]
    points = [
        tuple(unit * (sum(a * Fraction(x) for a, x in zip(row, vertex.co, strict=False)) + row[3]) for row in rows)
        for vertex in mesh.vertices
    ]
    corners = [tuple(points[i] for i in triangle.vertices) for triangle in mesh.loop_triangles]
    evaluated.to_mesh_clear()
    return corners if np.linalg.det(matrix[:3, :3]) > 0 else [corner[::-1] for corner in corners]


def exact(triangles):
    """Volume, first moments and second moments (xx, yy, zz, xy, yz, zx) of what triangles enclose, as fractions.

    Source: Eberly, Polyhedral Mass Properties (Revisited), 2002: surface integrals by the divergence theorem.
    """
    common = math.lcm(*(x.denominator for corners in triangles for point in corners for x in point))
    sums = [0] * 10
    for corners in triangles:
        a, b, c = ([int(x * common) for x in point] for point in corners)
        u, v = ([p - q for p, q in zip(other, a, strict=True)] for other in (b, c))
        normal = [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]
        f2, g = [0] * 3, [None] * 3
        for k in range(3):
            w0, w1, w2 = a[k], b[k], c[k]
            f1 = w0 + w1 + w2
            square = w0 * w0 + w1 * (w0 + w1)
            f2[k] = square + w2 * f1
            f3 = w0**3 + w1 * square + w2 * f2[k]
            g[k] = [f2[k] + w * (f1 + w) for w in (w0, w1, w2)]
            if k == 0:
                sums[0] += normal[0] * f1
            sums[1 + k] += normal[k] * f2[k]
            sums[4 + k] += normal[k] * f3
        for k in range(3):
            after = (k + 1) % 3
            sums[7 + k] += normal[k] * sum(p[after] * q for p, q in zip((a, b, c), g[k], strict=True))
    powers = [3, 4, 4, 4, 5, 5, 5, 5, 5, 5]
    parts = [6, 24, 24, 24, 60, 60, 60, 120, 120, 120]
    return [Fraction(s, part * common**power) for s, part, power in zip(sums, parts, powers, strict=True)]


def truth(*solids):
    """Mass [kg], com [m] and inertia (3, 3) in the world of solids, each a list of triangles."""
    volume, x, y, z, xx, yy, zz, xy, yz, zx = map(sum, zip(*map(exact, solids), strict=True))
    com = x / volume, y / volume, z / volume
    covariance = [[xx, xy, zx], [xy, yy, yz], [zx, yz, zz]]
    central = [[covariance[i][j] - volume * com[i] * com[j] for j in range(3)] for i in range(3)]
    trace = sum(central[i][i] for i in range(3))
    inertia = [[(trace if i == j else 0) - central[i][j] for j in range(3)] for i in range(3)]
    return float(volume), np.array(com, dtype=float), np.array(inertia, dtype=float)


def in_world(found):
    """The inertia of a link of the model, and its centre of mass, in the world's axes."""
    rotation = np.array(quat_to_mat(found.pose[3:])).reshape(3, 3)
    inertia = np.zeros((3, 3))
    inertia[UPPER] = found.inertia
    inertia = inertia + np.triu(inertia, 1).T
    return rotation @ np.array(found.com) + found.pose[:3], rotation @ inertia @ rotation.T


def worst(found, volume, com, inertia, mass=None):
    """The largest error of mass, centre of mass and inertia, each as a part of its size."""
    mass = DENSITY * volume if mass is None else mass
    com_found, inertia_found = in_world(found)
    expected = inertia * (mass / volume)
    size = math.sqrt(np.trace(expected) / mass)
    errors = (
        abs(found.mass / mass - 1.0),
        np.abs(com_found - com).max() / (size + np.abs(com).max()),
        np.abs(inertia_found - expected).max() / np.abs(expected).max(),
    )
    print("worst relative error", max(errors))
    return max(errors)


def plain(operator, **options):
    operator(**options)
    return bpy.context.object


def drilled_plate():
    bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=1.0, location=(0.4, -0.3, 0.0))
    drill = bpy.context.object
    bpy.ops.mesh.primitive_cube_add(size=1.0)
    plate = bpy.context.object
    for vertex in plate.data.vertices:
        vertex.co = (2.0 * vertex.co.x, 2.5 * vertex.co.y, 0.2 * vertex.co.z)
    cut = plate.modifiers.new("drill", "BOOLEAN")
    cut.operation, cut.object, cut.solver = "DIFFERENCE", drill, "EXACT"
    drill.hide_set(True)
    return plate


def half_a_body():
    """Half of a lump that a mirror modifier makes whole."""
    bpy.ops.mesh.primitive_ico_sphere_add(subdivisions=3, radius=0.7)
    obj = bpy.context.object
    for vertex in obj.data.vertices:
        vertex.co.x += 1.0
        vertex.co.z *= 1.5
    obj.modifiers.new("mirror", "MIRROR").use_axis = (True, False, False)
    return obj


SHAPES = {
    "box": lambda: plain(bpy.ops.mesh.primitive_cube_add, size=1.7),
    "uv sphere": lambda: plain(bpy.ops.mesh.primitive_uv_sphere_add, radius=0.8),
    "ico sphere": lambda: plain(bpy.ops.mesh.primitive_ico_sphere_add, radius=0.8, subdivisions=3),
    "cylinder": lambda: plain(bpy.ops.mesh.primitive_cylinder_add, radius=0.3, depth=1.9),
    "torus": lambda: plain(bpy.ops.mesh.primitive_torus_add, major_radius=1.1, minor_radius=0.27),
    "drilled plate": drilled_plate,
    "mirror modifier": half_a_body,
}

PLACES = {
    "as made": {},
    "turned": {"location": (1.0, -2.0, 0.5), "angles": (0.3, -1.1, 2.0)},
    "stretched": {"location": (1.0, -2.0, 0.5), "angles": (0.3, -1.1, 2.0), "scale": (0.7, 2.0, 1.3)},
    "mirrored": {"location": (0.2, 0.3, 0.4), "angles": (0.1, 0.2, 0.3), "scale": (-1.5, 1.0, 0.4)},
}


def put_at(obj, location=(0, 0, 0), angles=(0, 0, 0), scale=(1, 1, 1)):
    obj.location, obj.rotation_euler, obj.scale = location, angles, scale
    bpy.context.view_layer.update()


@pytest.mark.parametrize("where", PLACES)
@pytest.mark.parametrize("shape", SHAPES)
def test_exact(scene, build, shape, where):
    """Mass, centre of mass and inertia are those of the very polyhedron, with modifiers, turns and scales."""
    obj = SHAPES[shape]()
    if shape != "drilled plate":
        put_at(obj, **PLACES[where])
    matrix = placed() if shape == "drilled plate" else placed(**PLACES[where])
    build.tag(obj)
    expected = truth(polyhedron(obj, matrix))
    assert worst(read_scene(scene).links[0], *expected) < 1e-6
    assert link(obj).mass_note == ""


@pytest.mark.parametrize("scale", [(2.0, 2.0, 2.0), (-1.0, 1.0, 1.0), (-2.0, 3.0, 0.5), (-2.0, -2.0, -2.0)])
def test_scale_of_what_carries_the_link(scene, build, scale):
    """A parent's scale, mirrored too, is in the link's mass."""
    obj = SHAPES["mirror modifier"]()
    carrier = put("carrier", None, location=(0.3, 0.2, 0.1), scale=scale)
    obj.parent = carrier
    put_at(obj, location=(1.0, 2.0, 3.0), scale=(1.0, 0.5, -1.5))
    build.tag(obj)
    matrix = placed((0.3, 0.2, 0.1), scale=scale) @ placed((1.0, 2.0, 3.0), scale=(1.0, 0.5, -1.5))
    assert worst(read_scene(scene).links[0], *truth(polyhedron(obj, matrix))) < 1e-6


@pytest.mark.parametrize("unit", [1, Fraction(1, 100)])
def test_dumbbell(scene, build, unit):
    """Three objects in a link, turned children among them, combine by the parallel-axis theorem; in centimetres too."""
    scene.unit_settings.scale_length = float(unit)
    bar = SHAPES["cylinder"]()
    base = {"location": (0.5, 0.1, -0.2), "angles": (0.4, 0.5, 0.6), "scale": (1.2, 1.2, 1.2)}
    ends = [
        (SHAPES["torus"](), {"location": (0.0, 0.1, 1.0), "angles": (1.0, 0.2, -0.5)}),
        (SHAPES["ico sphere"](), {"location": (0.2, 0.0, -1.3), "angles": (0.3, 0.9, 2.0), "scale": (0.5, -0.7, 1.0)}),
    ]
    put_at(bar, **base)
    for obj, where in ends:
        obj.parent = bar
        put_at(obj, **where)
    build.tag(bar)
    solids = [polyhedron(bar, placed(**base), unit)]
    solids += [polyhedron(obj, placed(**base) @ placed(**where), unit) for obj, where in ends]
    assert worst(read_scene(scene).links[0], *truth(*solids)) < 1e-6


def test_by_value(scene, build):
    """A typed mass is the mass exactly, spread over the meshes as the density's would be."""
    obj = SHAPES["mirror modifier"]()
    put_at(obj, **PLACES["stretched"])
    build.tag(obj)
    by_density = read_scene(scene).links[0]
    settings = link(obj)
    settings.mass_source, settings.mass = "MASS", 3.7
    found = read_scene(scene).links[0]
    assert found.mass == 3.7
    assert found.com == by_density.com
    assert found.inertia == pytest.approx(np.array(by_density.inertia) * (3.7 / by_density.mass), rel=1e-12)
    volume, com, inertia = truth(polyhedron(obj, placed(**PLACES["stretched"])))
    assert worst(found, volume, com, inertia, mass=3.7) < 1e-6
    assert settings.mass_shown == pytest.approx(3.7)


def shells(*pieces):
    """One mesh of boxes, each (centre, size, whether it looks inward)."""
    mesh = bmesh.new()
    for centre, size, inward in pieces:
        made = bmesh.ops.create_cube(mesh, size=1.0)
        for vertex in made["verts"]:
            vertex.co = [c + s * x for c, s, x in zip(centre, np.broadcast_to(size, 3), vertex.co, strict=True)]
        if inward:
            faces = {face for vertex in made["verts"] for face in vertex.link_faces}
            bmesh.ops.reverse_faces(mesh, faces=list(faces))
    data = bpy.data.meshes.new("shells")
    mesh.to_mesh(data)
    mesh.free()
    return put("shells", data)


OVERLAP, INSIDE_OUT = "overlap, and count twice", "inside out"

SHELLS = {
    "crossing": ([((0, 0, 0), 1, False), ((0.7, 0.3, 0.2), 1, False)], 2.0, OVERLAP),
    "crossing beams of one height": ([((0, 0, 0), (3, 1, 1), False), ((0, 0, 0), (1, 3, 1), False)], 6.0, OVERLAP),
    "one inside another": ([((0, 0, 0), 2, False), ((0.1, 0.2, 0), 1, False)], 9.0, OVERLAP),
    "apart": ([((0, 0, 0), 1, False), ((2, 0, 0), 1, False)], 2.0, ""),
    "face on face": ([((0, 0, 0), 1, False), ((1, 0, 0), 1, False)], 2.0, ""),
    "standing on another": ([((0, 0, 0), 2, False), ((0.2, 0.3, 1.5), 1, False)], 9.0, ""),
    "edge on edge": ([((0, 0, 0), 1, False), ((1, 1, 0), 1, False)], 2.0, ""),
    "a cavity": ([((0, 0, 0), 2, False), ((0.1, 0.2, 0), 1, True)], 7.0, ""),
    "a body in a cavity": ([((0, 0, 0), 3, False), ((0, 0, 0), 2, True), ((0, 0, 0), 1, False)], 20.0, ""),
    "all inside out, with a cavity": ([((0, 0, 0), 2, True), ((0.1, 0.2, 0), 1, False)], 7.0, ""),
    "one of two inside out": ([((0, 0, 0), 1, False), ((2, 0, 0), 1, True)], 2.0, INSIDE_OUT),
}


@pytest.mark.parametrize("case", SHELLS)
def test_shells(scene, build, case):
    """Closed surfaces in one mesh: cavities are empty, what overlaps counts twice and is told, what touches is not."""
    pieces, volume, said = SHELLS[case]
    obj = shells(*pieces)
    build.tag(obj)
    assert read_scene(scene).links[0].mass == pytest.approx(DENSITY * volume, rel=1e-6)
    note = link(obj).mass_note
    assert said in note if said else note == ""


def test_crossing_from_a_modifier(scene, build):
    """An array whose copies run into each other is told, as the mesh is weighed with its modifiers."""
    cube = build.cube()
    array = cube.modifiers.new("array", "ARRAY")
    array.relative_offset_displace = (0.4, 0.13, 0.07)
    build.tag(cube)
    assert OVERLAP in link(cube).mass_note
    assert read_scene(scene).links[0].mass == pytest.approx(16000.0, rel=1e-6)
    assert any(OVERLAP in note for note in scan_scene(scene).notes)


def test_twisted_into_itself(scene, build):
    """A single closed surface that runs through itself is told; a bent one that does not is not."""
    for twist, said in ((0.4, ""), (2.5, OVERLAP)):
        bpy.ops.mesh.primitive_cylinder_add(radius=0.3, depth=4.0, vertices=16)
        rod = bpy.context.object
        bpy.ops.object.mode_set(mode="EDIT")
        bpy.ops.mesh.select_all(action="SELECT")
        bpy.ops.mesh.subdivide(number_cuts=12)
        bpy.ops.object.mode_set(mode="OBJECT")
        bend = rod.modifiers.new("bend", "SIMPLE_DEFORM")
        bend.deform_method, bend.deform_axis, bend.angle = "BEND", "X", twist * math.pi
        build.tag(rod)
        assert said in link(rod).mass_note if said else link(rod).mass_note == ""


def test_a_wall_inside(scene, build):
    """A wall inside a box is no part of its surface: it is told, and does not change the mass of a convex mesh."""
    corners = [(x, y, z) for z in (0, 1, 3) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))]
    sides = [(4 * k + i, 4 * k + (i + 1) % 4, 4 * k + 4 + (i + 1) % 4, 4 * k + 4 + i) for k in (0, 1) for i in range(4)]
    mesh = bpy.data.meshes.new("walled")
    mesh.from_pydata(corners, [], [*sides, (3, 2, 1, 0), (4, 5, 6, 7), (8, 9, 10, 11)])
    box = put("walled", mesh)
    build.tag(box)
    assert read_scene(scene).links[0].mass == pytest.approx(3000.0)
    assert "faces inside" in link(box).mass_note


def test_open_bowl(scene, build):
    """Of an open mesh the hull is weighed, exactly, and this is said with the object's name."""
    bpy.ops.mesh.primitive_cylinder_add(radius=0.8, depth=1.3)
    whole = bpy.context.object
    expected = truth(polyhedron(whole, placed()))
    mesh = bmesh.new()
    mesh.from_mesh(whole.data)
    bmesh.ops.delete(mesh, geom=[face for face in mesh.faces if face.normal.z > 0.5], context="FACES_ONLY")
    mesh.to_mesh(whole.data)
    mesh.free()
    build.tag(whole)
    assert worst(read_scene(scene).links[0], *expected) < 1e-6
    assert link(whole).mass_note == f"the mesh '{whole.name}' is open, so its convex hull was weighed"


def test_by_hand(scene, build):
    """The weighed numbers become typed ones, in the scene's units, and the link stays as heavy as it was."""
    scene.unit_settings.scale_length = 0.01
    obj = SHAPES["mirror modifier"]()
    put_at(obj, scale=(100.0, 120.0, 80.0))
    for vertex in obj.data.vertices:
        vertex.co.y += 0.5
    build.tag(obj)
    before = read_scene(scene).links[0]
    assert bpy.ops.limberjack.link_mass_by_hand() == {"FINISHED"}
    assert link(obj).mass_source == "CUSTOM"
    after = read_scene(scene).links[0]
    assert after.mass == pytest.approx(before.mass, rel=1e-6)
    assert after.com == pytest.approx(before.com, rel=1e-6, abs=1e-7)
    assert after.inertia == pytest.approx(before.inertia, rel=1e-6, abs=1e-6 * max(before.inertia))
    link(obj).com[1] += 10.0
    assert read_scene(scene).links[0].com[1] == pytest.approx(before.com[1] + 0.1)
    with pytest.raises(RuntimeError, match="Select links whose mass is typed, or follows a material"):
        bpy.ops.limberjack.link_mass_by_hand()


def test_materials(build):
    """A material is but a face of the density: choosing one sets it, and a density that is nobody's is Custom."""
    cube = build.cube()
    build.tag(cube)
    settings = link(cube)
    assert settings.material == "water"
    for substance in SUBSTANCES:
        settings.material = substance.name
        assert settings.density == pytest.approx(substance.density)
        assert settings.material == substance.name
        assert settings.mass_shown == pytest.approx(8.0 * substance.density)
    settings.density = 1234.5
    assert settings.material == "OTHER"
    settings.material = "OTHER"
    assert settings.density == 1234.5


def test_materials_and_sources_keep_their_numbers():
    """Files keep numbers: an entry's depends neither on the order nor on the list, and old ones mean what they did."""
    items = link(put("any", None)).bl_rna.properties
    numbers = {item.identifier: item.value for item in items["material"].enum_items}
    assert numbers["steel"] == zlib.crc32(b"steel") & 0x7FFFFFFF
    assert len(set(numbers.values())) == len(numbers) == len(SUBSTANCES) + 1
    assert len({substance.density for substance in SUBSTANCES}) == len(SUBSTANCES)
    sources = {item.identifier: item.value for item in items["mass_source"].enum_items}
    assert sources == {"MASS": 2, "DENSITY": 0, "CUSTOM": 1}
    assert items["mass_source"].default == "DENSITY"


@pytest.mark.parametrize("source", ["MASS", "DENSITY", "CUSTOM"])
def test_panel_shows_what_the_link_weighs(build, source):
    """Whatever the mass comes from, the panel shows it; material and density only where they count."""
    cube = build.cube()
    build.tag(cube)
    link(cube).mass_source = source
    paper = draw(cube)
    shown = paper.props
    mass = 8000.0 if source == "DENSITY" else link(cube).mass
    assert ("Weighs 8 t" if source == "DENSITY" else "Weighs 1 kg") in paper.texts
    assert ("material" in shown, "density" in shown) == (source == "DENSITY",) * 2
    assert ("com" in shown) == (source == "CUSTOM")
    assert link(cube).mass_shown == pytest.approx(mass)
    if source == "DENSITY":
        cube.scale = (2.0, 1.0, 1.0)
        bpy.context.view_layer.update()
        show_rig(bpy.context.scene)
        assert "Weighs 16 t" in draw(cube).texts
        cube.scale = (1e-3, 1e-3, 1e-3)
        bpy.context.view_layer.update()
        show_rig(bpy.context.scene)
        assert "Weighs 8 mg" in draw(cube).texts


@pytest.mark.parametrize(("parent_tagged", "masses"), [(True, [8000.0, 8000.0]), (False, [16000.0])])
def test_tagging_families(scene, build, parent_tagged, masses):
    """A parent and its child selected together become two links; a parent alone takes the child as a shape."""
    parent, child = build.cube("parent"), build.cube("child", (3.0, 0.0, 0.0))
    child.parent = parent
    bpy.context.view_layer.update()
    build.tag(*((parent, child) if parent_tagged else (parent,)))
    found = read_scene(scene, with_shapes=True)
    assert [item.mass for item in found.links] == pytest.approx(masses)
    assert sum(len(item.visuals) for item in found.links) == 2
