# SPDX-License-Identifier: GPL-3.0-or-later
"""Nothing between a file and its motion calls functions of NumPy whose last digits depend on the processor."""

from pathlib import Path

import numpy as np
import pytest
import trimesh

from limberjack.core.check import check_motion
from limberjack.core.formats import read
from limberjack.core.geometry import Mesh
from limberjack.core.geometry.features import fits
from limberjack.core.geometry.features.features import Surface
from limberjack.core.geometry.primitives.fitting import fitting_shape
from limberjack.core.geometry.shape_mass import solid_properties
from limberjack.core.simulation import Simulation
from support.processor import DependsOnProcessorError, recording
from support.round_meshes import cone, flat_arrays, plate_with_hole, shaft, sphere

SAMPLES = sorted((Path(__file__).parents[2] / "sample_scenes").glob("*.sdf"))


def require_none(calls):
    """Those of other packages count too, unless they only show something."""
    assert not [call for call in calls if "/tests/" not in call]


def test_calls_are_found():
    """Guards the guard: an operator, a ufunc and a function are each found."""
    a = np.eye(3)
    with recording() as calls:
        assert (a @ a == a).all()
        np.sin(a)
        with pytest.raises(DependsOnProcessorError, match=r"numpy.linalg.norm"):
            np.linalg.norm(a)
        np.sqrt(a * a + 1.0)
    assert [call.split()[0] for call in calls] == ["matmul", "sin"]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_samples(path):
    with recording() as calls:
        reading = read(path)
        Simulation(reading.model, np.arange(4) / 24.0).run()
    require_none(calls)


@pytest.mark.parametrize("suffix", [".obj", ".stl", ".ply", ".glb"])
def test_meshes_that_collide_and_are_weighed(tmp_path, suffix):
    body = trimesh.creation.icosphere(2, 0.2)
    body.export(tmp_path / f"body{suffix}")
    mesh = f"<geometry><mesh><uri>body{suffix}</uri><scale>1 1 -1</scale></mesh></geometry>"
    (tmp_path / "scene.sdf").write_text(
        '<sdf version="1.11"><world name="w"><model name="floor"><static>true</static><link name="l">'
        f'<collision name="c">{mesh}</collision></link></model><model name="m"><pose>0 0 0.41 0.1 0.2 0.3</pose>'
        f'<link name="b"><inertial auto="true"/><collision name="c">{mesh}</collision></link></model></world></sdf>'
    )
    with recording() as calls:
        reading = read(tmp_path / "scene.sdf")
        check_motion(reading.model)
        run = Simulation(reading.model, np.arange(8) / 24.0)
        run.run()
    assert not reading.issues
    assert reading.model.link("m::b").mass > 1.0
    require_none(calls)


def test_shapes_that_fit():
    """Guards collision shapes and masses that are found for meshes."""
    made = trimesh.creation
    meshes = [made.annulus(0.3, 0.5, 1.0, sections=24), made.icosphere(2, 0.3), made.box((1.0, 2.0, 3.0))]
    tables = [(np.array(mesh.vertices), np.array(mesh.faces)) for mesh in meshes]
    with recording() as calls:
        for vertices, triangles in tables:
            fitting_shape(vertices, triangles)
            solid_properties(Mesh(vertices=vertices, faces=tuple(map(tuple, triangles.tolist()))))
        fits.fit_line(tables[0][0])
    require_none(calls)


def test_axes_that_are_picked():
    """Guards joints whose axes come from holes, shafts, cones, balls and planes of meshes."""
    meshes = [plate_with_hole(16, rings=2), cone(16, 0.4), sphere(), shaft(16)]
    with recording() as calls:
        for vertices, faces in meshes:
            surface = Surface(vertices, *flat_arrays(faces))
            middles = [vertices[list(face)].mean(axis=0) for face in faces]
            assert sum(surface.feature_at(face, middles[face], 0.0) is not None for face in range(0, len(faces), 3))
    require_none(calls)
