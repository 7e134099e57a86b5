# SPDX-License-Identifier: GPL-3.0-or-later
"""Masses, inertias and fitted primitives of MJCF's geoms, as MuJoCo compiles them."""

import json
import subprocess
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial import cKDTree
from scipy.spatial.transform import Rotation

from limberjack.core.formats.mjcf.tree.builtin_meshes import BUILTIN_MESHES, make_builtin
from limberjack.core.formats.mjcf.tree.obj_polygons import cut_as_mujoco
from limberjack.core.formats.mjcf.tree.solids import MESH_MODES, fitted, mesh_solid, primitive_solid
from limberjack.core.geometry import Box, Capsule, Cylinder, Ellipsoid, Sphere
from limberjack.core.mesh_files import read_parts
from limberjack.core.spatial import quat_to_mat
from support.judges import PYTHON, needs
from support.round_meshes import shaft

pytestmark = needs(PYTHON)
COMPILE = Path(__file__).with_name("mjcf_compile.py")
ARRAYS = ("body_mass", "body_ipos", "body_inertia", "body_iquat", "geom_size", "geom_pos", "geom_quat")
DENSITY = 700.0


def compiled(tmp_path, texts, more=()):
    """Return MuJoCo's arrays of the body and the geom of each text, or its error."""
    (tmp_path / "texts.json").write_text(json.dumps(texts))
    command = [PYTHON, COMPILE, tmp_path / "texts.json", *ARRAYS, *more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-400:]
    return json.loads(done.stdout)


def document(geom, assets="", compiler=""):
    return f"""<mujoco><compiler {compiler}/><asset>{assets}</asset><worldbody>
    <body><freejoint align="false"/><geom density="{DENSITY}" {geom}/></body></worldbody></mujoco>"""


def inertia_of(reading):
    """Inertia of the body about its centre of mass, in its axes."""
    axes = np.reshape(quat_to_mat(reading["body_iquat"][1]), (3, 3))
    return axes @ np.diag(reading["body_inertia"][1]) @ axes.T


def require_same(solid, reading, rel=1e-9):
    assert "error" not in reading, reading
    assert DENSITY * solid.volume == pytest.approx(reading["body_mass"][1], rel=rel)
    np.testing.assert_allclose(solid.com, reading["body_ipos"][1], rtol=0.0, atol=1e-12)
    expected = inertia_of(reading)
    np.testing.assert_allclose(DENSITY * solid.inertia, expected, rtol=0.0, atol=rel * np.abs(expected).max())


SIZES = {
    Box: ("box", lambda box: np.divide(box.size, 2.0)),
    Sphere: ("sphere", lambda sphere: [sphere.radius]),
    Cylinder: ("cylinder", lambda cylinder: [cylinder.radius, cylinder.length / 2.0]),
    Capsule: ("capsule", lambda capsule: [capsule.radius, capsule.length / 2.0]),
    Ellipsoid: ("ellipsoid", lambda ellipsoid: ellipsoid.radii),
}
"""The `type` and the `size` of each geometry."""


@pytest.mark.parametrize("is_shell", [False, True])
def test_primitives(tmp_path, is_shell):
    """Guards mass and inertia of each primitive, solid and as a shell."""
    shapes = [Box((0.2, 0.6, 1.4)), Sphere(0.3), Cylinder(0.3, 1.6), Capsule(0.3, 1.6), Ellipsoid((0.1, 0.3, 0.7))]
    shapes += [Ellipsoid((0.004, 0.003, 0.01)), Capsule(0.002, 0.3), Box((0.001, 0.5, 0.5))]
    texts = []
    for shape in shapes:
        kind, sizes = SIZES[type(shape)]
        numbers = " ".join(repr(float(size)) for size in sizes(shape))
        texts.append(document(f'type="{kind}" size="{numbers}" shellinertia="{str(is_shell).lower()}"'))
    for shape, reading in zip(shapes, compiled(tmp_path, texts), strict=True):
        # MuJoCo subtracts two ellipsoids that differ by 1e-6 m, and so loses five digits.
        rel = 1e-6 if is_shell and isinstance(shape, Ellipsoid) else 1e-9
        require_same(primitive_solid(shape, is_shell), reading, rel)


def single(vertices):
    """Vertices as MuJoCo stores them."""
    return np.float32(vertices).astype(float)


def bumpy(seed, size):
    """A closed mesh without symmetry, far from the origin."""
    random = np.random.default_rng(seed)
    vertices, faces = shaft(12, 1.0, 2.0, rings=4, caps="fan", triangles=True)
    vertices = vertices * random.uniform(0.3, 1.0, 3) + 0.1 * random.normal(size=vertices.shape)
    return single(size * (vertices @ Rotation.random(random_state=seed).as_matrix().T + (0.5, -1.0, 2.0))), faces


def soup(seed, size):
    """Triangles between random points."""
    random = np.random.default_rng(seed)
    points = single(size * random.normal(size=(30, 3)))
    return points, [random.choice(30, 3, replace=False).tolist() for _ in range(20)]


def prism(corners, size, turn):
    """A regular prism, which has two equal moments of inertia."""
    vertices, faces = shaft(corners, 0.5, 2.0, caps="fan", triangles=True)
    return single(size * (vertices @ Rotation.from_rotvec(turn).as_matrix().T)), faces


MESHES = {
    **{f"bumpy {seed}": bumpy(seed, 10.0 ** (seed % 4 - 3)) for seed in range(8)},
    **{f"soup {seed}": soup(seed, 0.1) for seed in range(4)},
    "prism": prism(16, 0.1, (0.0, 0.0, 0.0)),
    "turned prism": prism(16, 0.1, (0.4, -1.1, 0.7)),
    "square prism": prism(4, 0.05, (0.3, 0.2, -0.5)),
    "points": (bumpy(9, 0.1)[0], []),
}


def mesh_document(vertices, faces, attributes="", geom='type="mesh"', compiler=""):
    points = " ".join(map(repr, np.ravel(vertices).tolist()))
    corners = " ".join(str(int(corner)) for face in faces for corner in face)
    given = f'face="{corners}"' if corners else ""
    asset = f'<mesh name="m" vertex="{points}" {given} {attributes}/>'
    return document(f'mesh="m" {geom}', asset, compiler)


@pytest.mark.parametrize("mode", MESH_MODES)
def test_meshes(tmp_path, mode):
    """Guards all modes for closed meshes of 1 mm to 1 m, open ones, hulls, and meshes with equal moments."""
    texts = [mesh_document(*mesh, f'inertia="{mode}"') for mesh in MESHES.values()]
    refused = 0
    for (name, mesh), reading in zip(MESHES.items(), compiled(tmp_path, texts), strict=True):
        if "error" in reading:
            refused += 1
            with pytest.raises(ValueError):  # noqa: PT011 - what it says is tested in tests/core
                mesh_solid(*mesh, mode)
            continue
        try:
            require_same(mesh_solid(*mesh, mode), reading)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from error
    assert refused == (4 if mode == "exact" else 0)


@pytest.mark.parametrize("fit_aabb", [False, True])
@pytest.mark.parametrize("kind", ["sphere", "capsule", "cylinder", "ellipsoid", "box"])
def test_fitted_primitives(tmp_path, kind, fit_aabb):
    """Guards size and pose of primitives fitted to meshes, with the axes where two moments are equal."""
    meshes = {name: mesh for name, mesh in MESHES.items() if "soup" not in name}
    geom = f'type="{kind}" fitscale="1.25"'
    compiler = f'fitaabb="{str(fit_aabb).lower()}"'
    texts = [mesh_document(*mesh, "", geom, compiler) for mesh in meshes.values()]
    for (name, (vertices, faces)), reading in zip(meshes.items(), compiled(tmp_path, texts), strict=True):
        solid = mesh_solid(vertices, faces)
        if "error" in reading:
            with pytest.raises(ValueError, match="not positive"):
                fitted(kind, solid, vertices, fit_aabb, 1.25)
            continue
        geometry, pose = fitted(kind, solid, vertices, fit_aabb, 1.25)
        sizes = np.asarray(SIZES[type(geometry)][1](geometry))
        np.testing.assert_allclose(sizes, reading["geom_size"][0][: len(sizes)], rtol=1e-9, err_msg=name)
        np.testing.assert_allclose(pose[:3], reading["geom_pos"][0], atol=1e-9 * sizes.max(), err_msg=name)
        turned = np.abs(np.dot(pose[3:], reading["geom_quat"][0]))
        assert turned == pytest.approx(1.0, abs=1e-12), name


BUILTIN = (
    *(("sphere", str(count)) for count in range(5)),
    *(("hemisphere", count) for count in ("0", "1", "2", "5", "10")),
    *(("cone", params) for params in ("3 0", "5 0.5", "8 1")),
    *(("supersphere", params) for params in ("3 1 1", "30 0.2 0.3", "12 1 2", "7 2 0.5", "5 0 0")),
    *(("supertorus", params) for params in ("3 0.5 1 1", "30 0.5 0.4 2", "9 1 1.5 0.7")),
    *(("wedge", params) for params in ("5 4 90 45 0", "7 8 150 60 0.4", "4 4 180 90 1")),
    ("plate", "3 3"),
    ("plate", "6 8"),
)
"""Kinds and parameters of meshes that MuJoCo makes. It refuses some other plates, as too flat, because of rounding."""


def test_builtin_meshes(tmp_path):
    """Guards vertices, mass and inertia of each kind of mesh that MuJoCo makes, scaled and in all modes."""
    texts, found = [], []
    for number, (kind, params) in enumerate(BUILTIN):
        mode = MESH_MODES[number % 4] if kind != "plate" else "shell"
        mesh = f'<mesh name="m" builtin="{kind}" params="{params}" scale="0.4 0.5 0.3" inertia="{mode}"/>'
        geom = 'type="mesh" mesh="m" contype="0" conaffinity="0"'
        texts.append(document(geom, mesh))
        found.append(mesh_solid(*surface_of(kind, params), mode))
    names = ("mesh_vert", "mesh_pos", "mesh_quat")
    for case, solid, reading in zip(BUILTIN, found, compiled(tmp_path, texts, names), strict=True):
        try:
            require_same(solid, reading)
            R = np.reshape(quat_to_mat(reading["mesh_quat"][0]), (3, 3))
            theirs = np.array(reading["mesh_vert"]) @ R.T + reading["mesh_pos"][0]
            ours = surface_of(*case)[0]
            assert len(ours) == len(theirs)
            assert max(cKDTree(theirs).query(ours)[0].max(), cKDTree(ours).query(theirs)[0].max()) < 1e-6
        except AssertionError as error:
            raise AssertionError(f"{case}: {error}") from error


def surface_of(kind, params):
    vertices, triangles = make_builtin(BUILTIN_MESHES[kind], [float(word) for word in params.split()])
    return vertices.astype(float) * (0.4, 0.5, 0.3), triangles


def polygon_mesh(seed):
    """Return an OBJ file with star-shaped polygons of 3 to 12 corners, somewhat bent, at random places."""
    random = np.random.default_rng(seed)
    size = 10.0 ** random.uniform(-3.0, 0.0)
    vertices, faces = [], []
    for _ in range(40):
        count = int(random.integers(3, 13))
        angles = np.sort(random.uniform(0.0, 2.0 * np.pi, count))
        radii = random.uniform(0.3, 1.0, count)
        flat = np.column_stack([radii * np.cos(angles), radii * np.sin(angles), random.normal(0.0, 0.02, count)])
        faces.append(range(len(vertices) + 1, len(vertices) + count + 1))
        vertices += (
            size * (flat @ Rotation.random(random_state=random).as_matrix().T + random.normal(size=3))
        ).tolist()
    lines = [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in vertices]
    return "\n".join(lines + [f"f {' '.join(map(str, face))}" for face in faces])


def test_polygons_of_obj_files(tmp_path):
    """Guards how polygons are cut: areas and second moments of their triangles, from which MuJoCo drops some."""
    texts, found = [], []
    for seed in range(12):
        path = tmp_path / f"{seed}.obj"
        path.write_text(polygon_mesh(seed))
        texts.append(document('type="mesh" mesh="m"', f'<mesh name="m" file="{path}" inertia="shell"/>'))
        (part,) = read_parts(path)
        assert part.polygons is not None
        triangles = cut_as_mujoco(*part.polygons, part.vertices)
        found.append(mesh_solid(single(part.vertices), triangles, "shell"))
    readings = compiled(tmp_path, texts)
    same = 0
    for solid, reading in zip(found, readings, strict=True):
        same += DENSITY * solid.volume == pytest.approx(reading["body_mass"][1], rel=1e-9)
    assert same == len(found)


def test_msh_files(tmp_path):
    """Guards MuJoCo's own format: normals and texture coordinates lie before the faces."""
    vertices, faces = bumpy(5, 0.1)
    count = len(vertices)
    header = np.array([count, count, count, len(faces)], "<i4")
    unused = np.full(5 * count, 0.5, "<f4")
    data = [header, vertices.astype("<f4"), unused, np.array(faces, "<i4")]
    path = tmp_path / "a.msh"
    path.write_bytes(b"".join(part.tobytes() for part in data))
    (reading,) = compiled(tmp_path, [document('type="mesh" mesh="m"', f'<mesh name="m" file="{path}"/>')])
    (part,) = read_parts(path)
    require_same(mesh_solid(part.vertices, part.triangles), reading)
