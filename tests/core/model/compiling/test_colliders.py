# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes in files touch: as hulls if they move, as drawn if they stand; a mesh that cannot be used is a warning."""

import numpy as np
import png
import pytest

from limberjack.core.collision import hulls
from limberjack.core.diagnosis import diagnose
from limberjack.core.formats import read
from limberjack.core.geometry import Mesh, Shape, Sphere, pieces
from limberjack.core.geometry.shape_mass import solid_properties
from limberjack.core.model import WORLD, Joint, Link, Model, ModelError
from limberjack.core.model.compiling import colliders as module
from limberjack.core.model.properties import Setting, set_property
from limberjack.core.simulation import Simulation

FLOOR = "v -2 -2 0\nv 2 -2 0\nv 2 2 0\nv -2 2 0\nf 1 2 3 4\n"
WEDGE = "v -0.1 -0.1 0.2\nv 0.1 -0.1 0.2\nv 0.06 -0.1 0\nv -0.06 -0.1 0\n"
WEDGE += "v -0.1 0.1 0.2\nv 0.1 0.1 0.2\nv 0.06 0.1 0\nv -0.06 0.1 0\n"
WEDGE += "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 4 8 7 3\nf 1 5 8 4\nf 2 3 7 6\n"

SDF = """<sdf version="1.9"><world name="w">
<model name="floor"><static>true</static><link name="l"><collision name="c"><geometry>{floor}</geometry></collision>
</link></model>
<model name="body"><pose>0.3 0.2 0.5 0 0 0</pose><link name="b"><inertial><mass>1</mass><inertia><ixx>0.004</ixx>
<iyy>0.004</iyy><izz>0.004</izz></inertia></inertial><collision name="c"><geometry>{body}</geometry></collision></link>
</model></world></sdf>"""
BALL = "<sphere><radius>0.1</radius></sphere>"


def mesh(uri, inside=""):
    return f"<mesh><uri>{uri}</uri>{inside}</mesh>"


@pytest.fixture
def files(tmp_path):
    (tmp_path / "floor.obj").write_text(FLOOR)
    (tmp_path / "wedge.obj").write_text(WEDGE)
    return tmp_path


def model_of(files, floor, body):
    path = files / "scene.sdf"
    path.write_text(SDF.format(floor=floor, body=body))
    return read(path)


def height_at_rest(reading):
    """The height at which the body lies after two seconds."""
    return Simulation(reading.model, np.linspace(0.0, 2.0, 49)).run().X_WL[-1, -1, 2]


@pytest.mark.parametrize(
    ("floor", "body", "height"),
    [
        (mesh("floor.obj"), BALL, 0.1),
        (mesh("floor.obj", "<scale>-1 1 1</scale>"), BALL, 0.1),
        ("<plane/>", mesh("wedge.obj"), 0.0),
        ("<plane/>", mesh("wedge.obj", "<scale>1 1 2</scale><submesh><name>x</name></submesh>"), None),
        (mesh("floor.obj"), mesh("wedge.obj"), 0.0),
    ],
)
def test_bodies_rest_on_meshes_and_as_meshes(files, floor, body, height):
    """The heights follow from the shapes; a wrong sub-mesh is a warning and falls."""
    reading = model_of(files, floor, body)
    if height is None:
        (issue,) = reading.issues
        assert "it has no sub-mesh 'x'" in issue.message
    else:
        assert not reading.issues
        assert height_at_rest(reading) == pytest.approx(height, abs=1e-6)


def test_a_ball_rests_on_a_height_map(files):
    """A slope of 2 m over 10 m, from black to white and placed 1 m up: the ball is near it, and stays on it."""
    rows = [[3000 * column for column in range(21)]] * 21
    with (files / "slope.png").open("wb") as file:
        png.Writer(21, 21, greyscale=True, bitdepth=16).write(file, rows)
    terrain = "<heightmap><uri>slope.png</uri><size>10 10 2</size><pos>0 0 -1</pos></heightmap>"
    reading = model_of(files, terrain, BALL)
    assert not reading.issues
    x, _, z = Simulation(reading.model, np.linspace(0.0, 1.0, 25)).run().X_WL[-1, -1, :3]
    along, up = 10.0 / np.hypot(10.0, 2.0), 2.0 / np.hypot(10.0, 2.0)
    assert along * z - up * x == pytest.approx(0.1, abs=1e-6)  # its distance from the plane z = 0.2 x
    assert x < 0.3


@pytest.mark.parametrize(
    ("geometry", "words"),
    [
        (mesh("gone.dae"), "is the mesh 'gone.dae', and touches nothing: it was not found"),
        (mesh("scene.step"), "'.step' files are not read"),
        (mesh("empty.obj"), "it has no faces"),
        ("<heightmap><uri>h.png</uri></heightmap>", "is the height map 'h.png', and touches nothing: it was not found"),
        ("<heightmap><uri>floor.obj</uri></heightmap>", "it is no PNG that can be read"),
        ("<voxels/>", "is a voxels, which is not known here, and touches nothing"),
    ],
)
def test_a_shape_that_touches_nothing_is_a_warning(files, geometry, words):
    """Guards floors that let bodies fall through without a word. One line for each file, with its line in the model."""
    (files / "empty.obj").write_text("v 0 0 0\n")
    (files / "scene.step").write_text("")
    reading = model_of(files, geometry, geometry)
    found = [issue for issue in reading.issues if issue.code == "collision-shape"]
    assert words in found[0].message
    assert found[0].line == 2
    assert len(found) == (1 if "uri" in geometry else 2)
    assert not any("not found" in note for note in reading.notes)


def test_the_volume_of_a_mesh_is_weighed(files):
    """<inertial auto> of a wedge, whose volume and middle are those of a prism with a trapezoid as its base."""
    (files / "auto.sdf").write_text(
        '<sdf version="1.11"><model name="m"><link name="b"><inertial auto="true"><density>500</density></inertial>'
        f'<collision name="c"><geometry>{mesh("wedge.obj")}</geometry></collision></link></model></sdf>'
    )
    (link,) = read(files / "auto.sdf").model.links
    top, bottom, high, deep = 0.2, 0.12, 0.2, 0.2
    volume = 0.5 * (top + bottom) * high * deep
    assert link.mass == pytest.approx(500.0 * volume)
    assert link.com == pytest.approx((0.0, 0.0, high * (bottom + 2.0 * top) / (3.0 * (bottom + top))), abs=1e-12)


U_SHAPE = """v 0 0 0\nv 3 0 0\nv 3 0 2\nv 2 0 2\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2
v 0 1 0\nv 3 1 0\nv 3 1 2\nv 2 1 2\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2
f 1 2 3 4 5 6 7 8\nf 16 15 14 13 12 11 10 9\nf 9 10 2 1\nf 10 11 3 2\nf 11 12 4 3\nf 12 13 5 4\nf 13 14 6 5
f 14 15 7 6\nf 15 16 8 7\nf 16 9 1 8
"""


@pytest.mark.skipif(not pieces.is_available(), reason="needs CoACD: pip install limberjack[pieces]")
def test_meshes_are_divided_on_request(files):
    """A U is as much as its three bars, where its hull would be a box; a link without a mesh is told so."""
    (files / "u.obj").write_text(U_SHAPE)
    link = model_of(files, BALL, mesh("u.obj")).model.link("body::b")
    model = Model(links=[link, Link("plain")])
    set_property(model, Setting.parse("body::b.collisions=pieces"))
    volumes = [solid_properties(shape.geometry).volume for shape in link.collisions]
    assert len(volumes) >= 3
    assert sum(volumes) == pytest.approx(5.0, rel=0.02)
    assert link.collisions[0].name == "c_1"
    for text, words in (("plain.collisions=pieces", "has no mesh"), ("plain.collisions=hull", "takes 'pieces'")):
        with pytest.raises(ModelError, match=words):
            set_property(model, Setting.parse(text))


def two_links(files, *, meet):
    """Two links with one mesh, which may meet or are joined."""
    shape = Mesh("wedge.obj", path=str(files / "wedge.obj"))
    links = [Link(name, collisions=[Shape("c", shape)]) for name in "ab"]
    if meet:
        joints = [Joint(name, "free", WORLD, name) for name in "ab"]
        joints[0].home = (0.0, 0.0, 5.0, 1.0, 0.0, 0.0, 0.0)
        return Model(links=links, joints=joints)
    return Model(links=links, joints=[Joint("hold", "revolute", WORLD, "a"), Joint("bend", "revolute", "a", "b")])


@pytest.mark.parametrize(("meet", "expected"), [(True, 1), (False, 0)])
def test_hulls_are_made_once_and_only_for_what_may_touch(files, monkeypatch, meet, expected):
    """Guards the time of bakes: two runs of links with one mesh make one hull, and joined links none."""
    made = []

    def counted(points):
        made.append(len(points))
        return hulls.convex_hull(points)

    monkeypatch.setattr(module, "kept_hull", module.cached_by_content(4)(counted))
    for _ in range(2):
        run = Simulation(two_links(files, meet=meet), [0.0, 0.1])
        run.run()
        assert run.report.energy_drift < 1e-9
    assert len(made) == expected


def test_whether_any_may_meet_is_what_the_pairs_say():
    """Tables of all pairs against the rule that kernels ask for each pair, on random models."""
    random = np.random.default_rng(46)
    seen = set()
    for _ in range(300):
        count = int(random.integers(2, 6))
        links = [
            Link(
                f"l{k}",
                collisions=[
                    Shape("s", Sphere(1.0), layers=int(random.integers(1, 4)), meets=int(random.integers(0, 3)))
                ]
                if random.random() < 0.8
                else [],
                family=str(random.choice(["", "f"])),
                self_collide=bool(random.random() < 0.2),
            )
            for k in range(count)
        ]
        joints = [
            Joint(
                f"j{k}",
                str(random.choice(["revolute", "fixed", "free"])),
                WORLD if k == 0 else f"l{random.integers(k)}",
                f"l{k}",
            )
            for k in range(count)
            if random.random() < 0.7
        ]
        model = Model(links=links, joints=joints)
        collision_filter = module.collision_filter_of(model)
        pairs = (
            collision_filter.may_meet(i, j) and links[i].collisions[0].may_meet(links[j].collisions[0])
            for i in range(count)
            for j in range(i)
            if links[i].collisions and links[j].collisions
        )
        expected = any(pairs)
        assert module.any_may_collide(links, collision_filter) == expected
        seen.add(expected)
    assert seen == {True, False}


def test_the_doctor_names_a_floor_that_touches_nothing(files):
    """Guards against the advice to add a floor, where there is one whose mesh is missing."""
    reading = model_of(files, mesh("gone.dae"), BALL)
    run = Simulation(reading.model, np.linspace(0.0, 2.0, 49))
    run.run()
    (found,) = [each for each in diagnose(run) if each.code == "fell-out"]
    assert (
        "collision 'c' of link 'floor::l' is the mesh 'gone.dae', and touches nothing: it was not found"
        in found.message
    )
    assert "add a floor" not in found.message
