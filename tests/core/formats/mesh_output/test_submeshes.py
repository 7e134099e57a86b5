# SPDX-License-Identifier: GPL-3.0-or-later
"""Sub-meshes: SDF chooses them again, and URDF, which cannot, gets the chosen part as a file."""

import numpy as np
import pytest

from limberjack.core.formats import read, write
from limberjack.core.geometry.mesh_data import mesh_triangles

TWO = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\no low\nf 1 3 2\no tetra\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
SDF = (
    '<sdf version="1.9"><model name="m"><link name="l"><collision name="c"><geometry><mesh><uri>two.obj</uri>'
    "<submesh><name>{}</name><center>true</center></submesh><scale>2 2 2</scale></mesh></geometry></collision></link>"
    "</model></sdf>"
)


def model_with(folder, name):
    (folder / "two.obj").write_text(TWO)
    (folder / "in.sdf").write_text(SDF.format(name))
    return read(folder / "in.sdf").model


@pytest.mark.parametrize("suffix", ["sdf", "urdf"])
def test_a_part_stays_the_part(tmp_path, suffix):
    """Check the corners in space after a round trip: four triangles about their middle, at twice the size."""
    lost = write(model_with(tmp_path, "tetra"), tmp_path / f"out.{suffix}")
    assert [("is written as a mesh of its own" in line) for line in lost] == ([True] if suffix == "urdf" else [])
    (link,) = read(tmp_path / f"out.{suffix}").model.links
    vertices, triangles = mesh_triangles(link.collisions[0].geometry)
    assert len(triangles) == 4
    expected = 2.0 * np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]) - 1.0
    np.testing.assert_array_equal(np.unique(vertices[triangles].reshape(-1, 3), axis=0), np.unique(expected, axis=0))


def test_a_part_that_is_missing_is_a_loss(tmp_path):
    """Guards the whole mesh in place of a part that nobody finds: the line says so."""
    (lost,) = write(model_with(tmp_path, "leg"), tmp_path / "out.urdf")
    assert (
        "the whole mesh 'two.obj' stands for its sub-mesh 'leg': it has no sub-mesh 'leg'; it has 'low', 'tetra'"
        in lost
    )
