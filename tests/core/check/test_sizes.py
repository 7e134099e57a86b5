# SPDX-License-Identifier: GPL-3.0-or-later
"""Sizes that no collision shape can have are errors: in Python, in files and in scenes."""

import math

import numpy as np
import pytest

from limberjack.core.check import check_model
from limberjack.core.formats import read
from limberjack.core.geometry import Box, Capsule, Cone, Cylinder, Ellipsoid, Mesh, Plane, Polyline, Shape, Sphere
from limberjack.core.model import Link, Model, ModelError
from limberjack.core.simulation import Simulation

CORNERS = np.array([(0.0, 0.0, 0.0), (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)])
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))
SQUARE = (((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)),)

KINDS = {
    "size along y": lambda size: Box((1.0, size, 1.0)),
    "radius": Sphere,
    "radius of a cylinder": lambda size: Cylinder(size, 1.0),
    "length": lambda size: Cylinder(1.0, size),
    "radius of a capsule": lambda size: Capsule(size, 1.0),
    "radius of a cone": lambda size: Cone(size, 1.0),
    "length of a cone": lambda size: Cone(1.0, size),
    "radius along z": lambda size: Ellipsoid((1.0, 1.0, size)),
    "height": lambda size: Polyline(SQUARE, size),
    "point": lambda size: Polyline((((0.0, 0.0), (1.0, 0.0), (0.0, size * 1e30 if size else math.nan)),), 1.0),
    "scale": lambda size: Mesh(scale=(1.0, 0.0 if size < 0.0 else size, 1.0), vertices=CORNERS, faces=FACES),
    "vertex": lambda size: Mesh(vertices=np.vstack([CORNERS, [(0.0, size * 1e30 if size else math.nan, 0.0)]])),
    "normal": lambda size: Plane((0.0, 0.0, 0.0 if math.isfinite(size) else size)),
}


def model_of(geometry) -> Model:
    return Model("m", [Link("a", collisions=[Shape("s", geometry)])])


@pytest.mark.parametrize("size", [-1.0, 0.0, math.nan, math.inf, 1e30])
@pytest.mark.parametrize("what", KINDS)
def test_an_impossible_size_is_an_error(what, size):
    """Guards sizes in Python: one line from `check_model`, and the same one from `Simulation`, which refuses it."""
    model = model_of(KINDS[what](size))
    found = [issue for issue in check_model(model) if issue.code in ("bad-size", "collision-shape")]
    if what == "normal" and math.isfinite(size):
        assert [issue.message for issue in found] == [
            "collision 's': its normal is 0 0 0, which is no direction; write 0 0 1, say"
        ]
    (issue,) = found
    if what == "radius" and size == 0.0:
        assert not issue.is_error  # a point, as files have it, which touches nothing
        return
    assert issue.is_error
    assert issue.subject == "link 'a'"
    assert what.partition(" of ")[0] in issue.message
    with pytest.raises(ModelError) as refused:
        Simulation(model, [0.0, 0.1])
    assert str(refused.value) == f"{issue.subject}: {issue.message}"


@pytest.mark.parametrize(
    "geometry",
    [
        Box((1e-6, 1e3, 1.0)),
        Capsule(0.1, 0.0),
        Mesh(scale=(1.0, -1.0, 1.0), vertices=CORNERS, faces=FACES),
        Plane((0.0, 0.0, 2.0)),
        Sphere(1e-9),
        Sphere(1e9),
    ],
)
def test_a_possible_size_is_none(geometry):
    """Guards against refusing what works: a capsule without length is a ball, a negative scale of a mesh mirrors it."""
    assert not [issue for issue in check_model(model_of(geometry)) if issue.is_error]


@pytest.mark.parametrize("radius", ["-0.1", "1e-12", "nan", "inf", "1e30"])
@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_an_impossible_size_in_a_file_is_an_error(tmp_path, suffix, radius):
    """Guards sizes in files: the reading has an error that says so."""
    if suffix == ".sdf":
        shape = f'<collision name="s"><geometry><sphere><radius>{radius}</radius></sphere></geometry></collision>'
        text = f'<sdf version="1.9"><model name="m"><link name="a">{shape}</link></model></sdf>'
    else:
        shape = f'<collision><geometry><sphere radius="{radius}"/></geometry></collision>'
        text = f'<robot name="m"><link name="a">{shape}</link></robot>'
    file = tmp_path / f"m{suffix}"
    file.write_text(text, encoding="utf-8")
    reading = read(file)
    assert any(issue.is_error for issue in reading.issues)
