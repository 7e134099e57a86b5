# SPDX-License-Identifier: GPL-3.0-or-later
"""Height fields as terrain: their numbers, images and binary files, and what is written of them."""

import struct
from xml.etree import ElementTree

import numpy as np
import png
import pytest

from limberjack.core.formats import read, write
from limberjack.core.geometry import Heightmap, Shape
from limberjack.core.geometry.mesh_data import heights_of
from limberjack.core.mesh_files import terrain
from limberjack.core.model import WORLD, Joint, Link, Model
from limberjack.core.model.compiling.colliders import solid_of
from limberjack.core.simulation import Simulation
from support.mjcf_texts import errors_of, issues_of, model_of

GEOM = '<geom type="hfield" hfield="h" pos="0 0 1"/>'


def field(elevation="0 4 2  6 8 10", rows=2, columns=3, size="2 1 0.5 0.1"):
    given = f'elevation="{elevation}"' if elevation else ""
    return f'<asset><hfield name="h" nrow="{rows}" ncol="{columns}" size="{size}" {given}/></asset>'


def terrain_of(model) -> Heightmap:
    (shape,) = model.link("worldbody").collisions
    assert shape.pose[:3] == (0.0, 0.0, 1.0)
    return shape.geometry


def surface(shape: Heightmap):
    vertices, triangles = terrain(heights_of(shape), shape.size, shape.rises)
    return vertices + shape.position, triangles


def height_at(shape: Heightmap, x, y):
    """The height of the terrain's triangles over a point."""
    vertices, triangles = surface(shape)
    for a, b, c in vertices[triangles]:
        parts = np.linalg.solve(np.vstack([np.column_stack([a, b, c])[:2], np.ones(3)]), [x, y, 1.0])
        if parts.min() >= -1e-12:
            return float(parts @ [a[2], b[2], c[2]])
    raise AssertionError("outside")


def test_numbers():
    """The first row has the greatest y, and numbers are scaled from the least to the largest one."""
    shape = terrain_of(model_of(GEOM, field()))
    assert shape.heights == ((0.0, float(np.float32(0.4)), float(np.float32(0.2))), pytest.approx((0.6, 0.8, 1.0)))
    assert height_at(shape, -2.0, 1.0) == 0.0
    assert height_at(shape, 2.0, -1.0) == pytest.approx(0.5)
    assert height_at(shape, -2.0, -1.0) == pytest.approx(0.3)


def test_the_edge_in_a_cell_rises():
    """It goes from the least x and y to the greatest: a ridge where these corners are high, a valley otherwise."""
    assert height_at(terrain_of(model_of(GEOM, field("0 1 1 0", 2, 2))), 0.0, 0.0) == pytest.approx(0.5)
    assert height_at(terrain_of(model_of(GEOM, field("1 0 0 1", 2, 2))), 0.0, 0.0) == pytest.approx(0.0)


@pytest.mark.parametrize("elevation", ["", "3 3 3 3 3 3"])
def test_flat_ground(elevation):
    """Without numbers, and with equal ones, it is at height 0."""
    assert not surface(terrain_of(model_of(GEOM, field(elevation))))[0][:, 2].any()


def written_png(path, rows, **kind):
    with path.open("wb") as file:
        png.Writer(3, len(rows), **kind).write(file, rows)


def model_in(folder, attributes):
    path = folder / "m.xml"
    path.write_text(
        f'<mujoco><asset><hfield name="h" size="2 1 0.5 0.1" {attributes}/></asset>'
        f"<worldbody>{GEOM}</worldbody></mujoco>"
    )
    reading = read(path)
    assert reading.ok
    return reading.model


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([[50, 100, 75], [150, 200, 250]], {"greyscale": True}),
        ([[50, 0, 9, 100, 9, 9, 75, 9, 9], [150, 9, 9, 200, 9, 9, 250, 9, 9]], {"greyscale": False}),
        ([[50 * 256 + 9, 100 * 256, 75 * 256], [150 * 256, 200 * 256, 250 * 256 + 200]], {"bitdepth": 16}),
    ],
    ids=["grey", "colours", "16 bits"],
)
def test_images(tmp_path, rows, kind):
    """The darkest pixel is at height 0; of colours the red counts, of 16 bits the upper 8, as in MuJoCo."""
    written_png(tmp_path / "h.png", rows, **{"greyscale": True, **kind})
    shape = terrain_of(model_in(tmp_path, 'file="h.png"'))
    assert (shape.uri, shape.path) == ("h.png", str(tmp_path / "h.png"))
    expected = 0.5 * (np.array([50, 100, 75, 150, 200, 250]) - 50.0) / 200.0
    assert surface(shape)[0][:, 2] == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("grey", [0, 7])
def test_an_image_of_one_grey(tmp_path, grey):
    written_png(tmp_path / "h.png", [[grey] * 3] * 2, greyscale=True)
    assert not surface(terrain_of(model_in(tmp_path, 'file="h.png"')))[0][:, 2].any()


def test_a_binary_file(tmp_path):
    """Its rows begin with the least y, in contrast to texts and images."""
    (tmp_path / "h.bin").write_bytes(struct.pack("<2i6f", 2, 3, 6, 8, 10, 0, 4, 2))
    found = terrain_of(model_in(tmp_path, 'file="h.bin"'))
    assert found.heights == terrain_of(model_of(GEOM, field())).heights


@pytest.mark.parametrize("data", [b"", b"12345", struct.pack("<2i6f", 2, 2, *range(6)), struct.pack("<2i", -1, 5)])
def test_a_binary_file_of_another_size(tmp_path, data):
    """Guards the memory, and a model without ground: a warning tells it."""
    (tmp_path / "h.bin").write_bytes(data)
    path = tmp_path / "m.xml"
    path.write_text(
        '<mujoco><asset><hfield name="h" size="2 1 0.5 0.1" file="h.bin"/></asset>'
        f"<worldbody>{GEOM}</worldbody></mujoco>"
    )
    (issue,) = [issue for issue in read(path).issues if issue.code == "not-read"]
    assert "no height field of MuJoCo's" in issue.message


def test_a_file_that_is_not_there():
    assets = '<asset><hfield name="h" size="2 1 0.5 0.1" file="none.png"/></asset>'
    assert issues_of(GEOM, assets) == [("warning", "collision-shape")]


@pytest.mark.parametrize(
    ("assets", "code"),
    [
        ("", "unknown-hfield"),
        (field(size="2 1 0 0.1"), "bad-size"),
        (field(rows=3), "bad-number"),
        (field(elevation="0 1 2 3 4 x"), "bad-number"),
        (field(elevation="0 1 2 3 4 nan"), "bad-number"),
        (field(elevation="", rows=1), "bad-number"),
        (field(elevation="", rows=1_000_000, columns=1_000_000), "bad-number"),
    ],
)
def test_mistakes(assets, code):
    assert code in errors_of(GEOM, assets)


def test_mass():
    """In a body, a height field weighs as a box, as in MuJoCo: 4 m, 2 m, and 0.5 m / 2 + 0.1 m."""
    link = model_of(f'<body name="b">{GEOM}</body>', field()).link("b")
    assert link.mass == pytest.approx(1000.0 * 4.0 * 2.0 * 0.35)
    assert link.com == pytest.approx((0.0, 0.0, 1.0))


def test_a_ball_rests_on_a_slope():
    """A ball on a slide along z rests at its radius from the plane of the numbers, less what the surface gives way."""
    rows = [" ".join(str(column) for column in range(5))] * 4
    ball = '<body pos="0.3 0.2 2"><joint type="slide" axis="0 0 1" damping="30"/><geom size="0.1" friction="0"/></body>'
    model = model_of(GEOM.replace('1"', '0"') + ball, field(" ".join(rows), 4, 5))
    z = Simulation(model, np.linspace(0.0, 3.0, 31)).run().X_WL[-1, -1, 2]
    slope = 0.5 / 4.0
    plane = slope * (0.3 + 2.0) + 0.1 * np.hypot(1.0, slope)
    assert z == pytest.approx(plane, abs=1e-3)


# ---- written


def written(model, folder, suffix=".xml"):
    folder.mkdir(exist_ok=True)
    losses = write(model, folder / f"out{suffix}")
    return read(folder / f"out{suffix}"), losses


def test_numbers_are_written_again(tmp_path):
    """The terrain comes back the same, without a loss."""
    before = terrain_of(model_of(GEOM, field()))
    reading, losses = written(model_of(GEOM, field()), tmp_path)
    found = terrain_of(reading.model)
    assert losses == []
    assert (found.heights, found.size, found.base, found.rises) == (before.heights, (4.0, 2.0, 0.5), 0.1, True)


def test_many_numbers_become_a_file(tmp_path):
    """Guards the direction of rows in binary files, which is another one than in texts."""
    elevation = " ".join(map(str, range(120 * 100)))
    before = model_of(GEOM, field(elevation, 120, 100))
    reading, _ = written(before, tmp_path)
    assert terrain_of(reading.model).heights == terrain_of(before).heights
    asset = ElementTree.parse(tmp_path / "out.xml").find("asset/hfield")
    assert (tmp_path / asset.get("file")).stat().st_size == 8 + 4 * 120 * 100


@pytest.mark.parametrize("suffix", [".xml", ".sdf"])
def test_images_are_written_again(tmp_path, suffix):
    """An image is named by MJCF and by SDF, with the size and the position that give the same heights in both."""
    written_png(tmp_path / "h.png", [[50, 100, 75], [150, 200, 250]], greyscale=True)
    before = model_in(tmp_path, 'file="h.png"')
    reading, losses = written(before, tmp_path, suffix)
    (shape,) = reading.model.links[0].collisions
    expected = surface(terrain_of(before))[0] + (0.0, 0.0, 1.0)
    assert surface(shape.geometry)[0] + shape.pose[:3] == pytest.approx(expected, abs=1e-12)
    assert losses == []


def test_numbers_in_sdf_are_told(tmp_path):
    """SDF has images only."""
    _, losses = written(model_of(GEOM, field()), tmp_path, ".sdf")
    assert any("is a hfield, which SDF has not" in line for line in losses)


def test_terrain_of_sdf(tmp_path):
    """Gazebo counts heights from black, MuJoCo from the darkest pixel; the other diagonal is told."""
    written_png(tmp_path / "h.png", [[50, 100, 75], [150, 200, 250]], greyscale=True)
    path = tmp_path / "a.sdf"
    path.write_text(
        '<sdf version="1.9"><model name="m"><static>true</static><link name="l"><collision name="c"><geometry>'
        "<heightmap><uri>h.png</uri><size>4 2 0.5</size><pos>1 2 3</pos></heightmap></geometry></collision></link>"
        "</model></sdf>"
    )
    before = read(path).model.links[0].collisions[0]
    reading, losses = written(read(path).model, tmp_path)
    after = reading.model.links[0].collisions[0]
    expected = surface(before.geometry)[0] + before.pose[:3]
    assert surface(after.geometry)[0] + after.pose[:3] == pytest.approx(expected, abs=1e-12)
    assert len([line for line in losses if "the other diagonal" in line]) == 1


def test_an_image_that_is_not_there_is_told(tmp_path):
    shape = Heightmap("SDF", "heightmap", "<heightmap/>", "none.png")
    model = Model("m", [Link("l", 1.0)], [Joint("j", "fixed", WORLD, "l")])
    model.links[0].collisions.append(Shape("c", shape))
    _, losses = written(model, tmp_path)
    assert any("its height map 'none.png': it was not found" in line for line in losses)
    assert solid_of(shape)[0] is None
