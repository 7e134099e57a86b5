# SPDX-License-Identifier: GPL-3.0-or-later
"""Model to SDF: what comes back is what went, and what cannot be said is told."""

import dataclasses
import math
import os
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from limberjack.core import formats
from limberjack.core.formats.sdf.layout import UNSPEAKABLE
from limberjack.core.geometry import Box, Cylinder, Material, Mesh, Plane, Shape, Sphere
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import WORLD, Axis, Coupling, Joint, Link, Mimic, Model
from limberjack.core.spatial import IDENTITY, compose, inverse, quat_normalized, quat_of_rpy, quat_to_mat

SDF_TYPES = [name for name, kind in JOINT_TYPES.items() if kind.sdf]
TETRAHEDRON = Mesh(
    vertices=np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1 / 3]]),
    faces=((0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)),
    scale=(1.0, 2.0, 3.0),
)

finite = st.floats(-1e3, 1e3)
positive = st.floats(1e-6, 1e6)
vectors = st.tuples(finite, finite, finite)
quats = st.tuples(*[st.floats(-1, 1)] * 4).filter(lambda q: np.linalg.norm(q) > 0.1).map(quat_normalized)
upright = st.sampled_from([-1, 1]).flatmap(
    lambda sign: st.builds(
        quat_of_rpy, st.floats(-3, 3), st.floats(-1e-6, 1e-6).map(lambda e: sign * math.pi / 2 + e), st.floats(-3, 3)
    )
)
poses = st.builds(lambda p, q: p + q, vectors, quats | upright)
colors = st.tuples(*[st.floats(0, 1)] * 4)
geometries = st.one_of(
    st.builds(Box, st.tuples(positive, positive, positive)),
    st.builds(Sphere, positive),
    st.builds(Cylinder, positive, positive),
    st.just(Plane()),
    st.builds(Mesh, st.just("model://m/a.stl"), st.tuples(positive, positive, positive)),
)


def unit(v):
    return tuple(float(x) for x in np.array(v) / np.linalg.norm(v))


@st.composite
def axes(draw, limited, aside):
    direction = draw(vectors.filter(lambda v: np.linalg.norm(v) > 0.1).map(unit))
    lower = draw(st.floats(-100, 100) | st.just(-math.inf))
    upper = draw(st.floats(max(lower, -100), 200) | st.just(math.inf))
    return Axis(
        xyz=aside or direction,
        lower=lower if limited else -math.inf,
        upper=upper if limited else math.inf,
        effort=draw(positive | st.just(math.inf)),
        velocity=draw(positive | st.just(math.inf)),
        stiffness=draw(positive),
        dissipation=draw(positive),
        damping=draw(positive | st.just(0.0)),
        friction=draw(positive | st.just(0.0)),
        spring_reference=draw(finite),
        spring_stiffness=draw(positive | st.just(0.0)),
    )


@st.composite
def models(draw):
    """A random tree of every joint type that SDF has, with frames anywhere."""
    model = Model("tree")
    for i in range(draw(st.integers(1, 6))):
        shapes = [Shape("s", draw(geometries), draw(poses), draw(colors.map(Material) | st.none()))]
        link = Link(f"link {i}", draw(positive), draw(vectors), (2.0, 0.1, 0.2, 2.5, 0.3, 3.0), draw(poses))
        link.visuals, link.gravity = shapes, draw(st.booleans())
        link.linear_damping, link.angular_damping = draw(positive | st.just(0.0)), draw(positive | st.just(0.0))
        parent = draw(st.sampled_from(model.links)) if model.links else None
        model.links.append(link)
        kind = JOINT_TYPES[draw(st.sampled_from(SDF_TYPES))]
        X_CJ = draw(poses)
        count = len(kind.columns)
        asides = [None] if count < 2 else [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)]
        model.joints.append(
            Joint(
                f"joint {i}",
                kind.name,
                parent.name if parent else WORLD,
                link.name,
                compose(inverse(parent.pose if parent else IDENTITY), compose(link.pose, X_CJ)),
                X_CJ,
                [draw(axes(kind.axes[0].limited, aside)) for aside in asides[:count]],
                pitch=draw(positive) if kind.threaded else 0.0,
            )
        )
    return model


def assert_same_pose(a, b):
    size = 1.0 + max(map(abs, a[:3]))
    assert np.allclose(a[:3], b[:3], rtol=0, atol=1e-9 * size)
    assert np.allclose(quat_to_mat(a[3:]), quat_to_mat(b[3:]), rtol=0, atol=1e-9)


def assert_same(model, back, pitch_digits):
    for a, b in zip(model.links, back.links, strict=True):
        assert (a.name, a.mass, a.com, a.inertia) == (b.name, b.mass, b.com, b.inertia)
        assert (a.gravity, a.linear_damping, a.angular_damping) == (b.gravity, b.linear_damping, b.angular_damping)
        assert_same_pose(a.pose, b.pose)
        for s, t in zip(a.visuals, b.visuals, strict=True):
            assert (s.name, s.color) == (t.name, t.color)
            assert repr(s.geometry) == repr(t.geometry)
            assert_same_pose(s.pose, t.pose)
    for a, b in zip(model.joints, back.joints, strict=True):
        assert (a.name, a.type, a.parent, a.child, a.axes) == (b.name, b.type, b.parent, b.child, b.axes)
        assert a.pitch == pytest.approx(b.pitch, rel=pitch_digits)
        assert_same_pose(a.X_CJ, b.X_CJ)
        assert np.allclose(quat_to_mat(a.X_PJ[3:]), quat_to_mat(b.X_PJ[3:]), rtol=0, atol=1e-8)
        assert np.allclose(a.X_PJ[:3], b.X_PJ[:3], rtol=0, atol=1e-8 * 1e4)


@settings(deadline=None)
@given(models(), st.sampled_from([("1.9", 1e-15), ("1.12", 0.0)]))
def test_round_trip(tmp_path_factory, model, version):
    """Model -> SDF -> Model: every number to the last bit, poses to 1e-9 even at a pitch of 90 degrees."""
    path = tmp_path_factory.mktemp("trip") / "m.sdf"
    assert formats.write(model, path, sdf_version=version[0]) == []
    reading = formats.read(path)
    assert reading.ok
    assert all("model://m/a.stl" in note for note in reading.notes)
    assert_same(model, reading.model, version[1])


@settings(deadline=None)
@example(["", "link"])
@example(["a", "", "joint"])
@given(
    st.lists(
        st.sampled_from(["a", "a::b", "a__b", "world", "__x__", "", " a", "a\nb", "é<&>\"'", "m", "link", "joint"])
        | st.text(max_size=4)
    )
)
def test_any_name_can_be_written(tmp_path_factory, names):
    """Whatever links are called, the file reads without an error, and each change is told, and undone on reading."""
    names = [name for name in dict.fromkeys(names) if name != WORLD] or ["a"]
    model = Model("m", [Link(name) for name in names])
    model.joints = [Joint(name, "fixed", names[0], name) for name in names[1:]]
    path = tmp_path_factory.mktemp("names") / "m.sdf"
    losses = formats.write(model, path)
    reading = formats.read(path)
    assert reading.ok
    assert len(reading.model.links) == len(names)
    legal = {element.get("name") for element in ElementTree.parse(path).iter("link")}
    assert not any("::" in name or name == WORLD or (name.startswith("__") and name.endswith("__")) for name in legal)
    lost = {name for name in names if "" in name.split("::") or UNSPEAKABLE.search(name)}
    assert {name for name in names if name not in lost} <= {link.name for link in reading.model.links}
    assert sum(loss.startswith("link") and "' is named '" in loss for loss in losses) >= len(lost)


def one_link(**changes):
    return Model("m", [Link("a", **changes), Link("b")], [Joint("j", "revolute", "a", "b")])


def test_losses_are_told(tmp_path):
    """What SDF 1.9 cannot say is one line each: free joint, mimic, armature, home, limits of a ball, frames apart."""
    model = Model("m", [Link(name) for name in "abcdef"])
    model.joints = [
        Joint("free", "free", "a", "b"),
        Joint("lead", "revolute", "a", "c", axes=[Axis(armature=0.1)]),
        Joint("follow", "revolute", "a", "d", mimic=Mimic("lead"), home=(0.5,)),
        Joint("ball", "ball", "a", "e", axes=[Axis(lower=-1.0)]),
        Joint("apart", "fixed", "a", "f", X_PJ=(1.0, 0, 0, 1, 0, 0, 0)),
    ]
    losses = formats.write(model, tmp_path / "m.sdf")
    assert "written as SDF 1.11, since 1.9 has no mimics" in losses[0]
    losses = formats.write(model, tmp_path / "m.sdf", sdf_version="1.9")
    for word in ("no free joint", "armature", "mimic of 'lead'", "home 0.5", "no axes on a ball", "two frames differ"):
        assert sum(word in loss for loss in losses) == 1, word
    assert len(losses) == 6


def test_mimic_of_second_axes(tmp_path):
    """Guards mimics between the second axes of two joints, which SDF tells by the element that holds them."""
    model = Model("m", [Link("a"), Link("b"), Link("c")])
    model.joints = [
        Joint("lead", "universal", "a", "b", axes=[Axis(), Axis(xyz=(1.0, 0.0, 0.0))]),
        Joint(
            "follow",
            "universal",
            "a",
            "c",
            axes=[Axis(), Axis(xyz=(1.0, 0.0, 0.0))],
            mimic=Mimic("lead", 2.0, axis=1, leader_axis=1),
        ),
    ]
    assert formats.write(model, tmp_path / "m.sdf", sdf_version="1.11") == []
    assert formats.read(tmp_path / "m.sdf").model.joint("follow").mimic == model.joints[1].mimic


def test_locks_and_drives_are_losses(tmp_path):
    """Guards what no SDF can say: a locked axis gets limits without room, and the rest is told."""
    model = Model("m", [Link(name) for name in "abcd"])
    axis = Axis(locked=True, restitution=0.5, drive_mode="position")
    model.joints = [Joint("hinge", "continuous", "a", "b", axes=[axis])]
    model.joints += [Joint(name, "continuous", "a", name) for name in "cd"]
    model.couplings = [Coupling("mesh", "gear", [("c", 0), ("d", 0)])]
    losses = formats.write(model, tmp_path / "m.sdf")
    for word in ("no locks", "no restitution; 0.5", "position drive", "coupling 'mesh' is left out"):
        assert any(word in loss for loss in losses), word
    again = formats.read(tmp_path / "m.sdf").model.joint("hinge")
    assert (again.type, again.axes[0].lower, again.axes[0].upper) == ("revolute", 0.0, 0.0)


def test_joints_that_are_off_and_that_let_go(tmp_path):
    """Guards files that simulators take: nothing refers to a joint that is left out, and each loss is told once."""
    model = Model("m", [Link(name) for name in "abcd"])
    model.joints = [
        Joint("off", "revolute", "a", "b", enabled=False, released_at=1.0),
        Joint("follower", "revolute", "a", "c", mimic=Mimic("off")),
        Joint("later", "revolute", "a", "d", released_at=0.5),
    ]
    losses = formats.write(model, tmp_path / "m.sdf", sdf_version="1.11")
    assert losses == [
        "joint 'off' is switched off; left out, since SDF cannot say so",
        "joint 'follower': mimic of 'off' is left out, as that joint is",
        "joint 'later': SDF cannot say when a joint breaks; it is written as holding",
    ]
    again = formats.read(tmp_path / "m.sdf").model
    assert [(joint.name, joint.mimic) for joint in again.joints] == [("follower", None), ("later", None)]


def test_mimic_of_a_type_that_sdf_lacks(tmp_path):
    """Guards files that simulators take: a leader that cannot be written is not named either."""
    model = Model("m", [Link(name) for name in "abc"])
    model.joints = [Joint("slide", "cylindrical", "a", "b"), Joint("turn", "revolute", "a", "c", mimic=Mimic("slide"))]
    losses = formats.write(model, tmp_path / "m.sdf", sdf_version="1.11")
    assert "joint 'turn': mimic of 'slide' is left out, as that joint is" in losses
    assert formats.read(tmp_path / "m.sdf").model.joint("turn").mimic is None


def test_mimic_in_1_11(tmp_path):
    """SDF 1.11 says a mimic in full."""
    model = Model("m", [Link("a"), Link("b"), Link("c")])
    mimic = Mimic("lead", -2.0, 0.5, 0.25)
    model.joints = [Joint("lead", "revolute", "a", "b"), Joint("follow", "prismatic", "a", "c", mimic=mimic)]
    assert formats.write(model, tmp_path / "m.sdf", sdf_version="1.11") == []
    assert formats.read(tmp_path / "m.sdf").model.joint("follow").mimic == mimic


def test_meshes_lie_beside_the_file(tmp_path):
    """A mesh held in the model becomes an OBJ with all its digits, named by a relative uri, with a model.config."""
    twins = [replace(TETRAHEDRON, vertices=TETRAHEDRON.vertices.copy()) for _ in range(2)]
    shapes = [Shape("x", TETRAHEDRON), Shape("X", twins[0]), Shape("é/..", twins[1]), Shape("again", TETRAHEDRON)]
    formats.write(one_link(visuals=shapes), tmp_path / "m.sdf")
    back = formats.read(tmp_path / "m.sdf").model.link("a").visuals
    assert [shape.geometry.scale for shape in back] == [(1.0, 2.0, 3.0)] * 4
    uris = [shape.geometry.uri for shape in back]
    assert len({uri.lower() for uri in uris}) == 3
    assert uris[3] == uris[0]  # the same points lie in one file
    for uri in uris:
        lines = (tmp_path / uri).read_text().splitlines()
        read = np.array([line.split()[1:] for line in lines if line.startswith("v ")], float)
        assert np.array_equal(read, TETRAHEDRON.vertices)
        assert "f 1 3 2" in lines
    config = ElementTree.parse(tmp_path / "model.config").getroot()
    assert config.find("sdf").text == "m.sdf"


def test_mesh_that_is_only_named(tmp_path):
    """A uri is kept; one that leads somewhere relative is told."""
    shapes = [Shape("x", Mesh("meshes/a.stl")), Shape("y", Mesh("model://m/a.stl"))]
    losses = formats.write(one_link(visuals=shapes), tmp_path / "m.sdf")
    assert [shape.geometry.uri for shape in formats.read(tmp_path / "m.sdf").model.link("a").visuals] == [
        "meshes/a.stl",
        "model://m/a.stl",
    ]
    assert len(losses) == 1
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["m.sdf"]


def test_models_in_one_folder_keep_their_meshes_apart(tmp_path):
    """Two exports in one folder overwrite neither the other's mesh nor a model.config that is there."""
    formats.write(one_link(visuals=[Shape("x", TETRAHEDRON)]), tmp_path / "one.sdf")
    losses = formats.write(one_link(visuals=[Shape("x", TETRAHEDRON)]), tmp_path / "two.sdf")
    assert sorted(entry.name for entry in (tmp_path / "meshes").iterdir()) == ["one_a_x.obj", "two_a_x.obj"]
    assert "one.sdf" in (tmp_path / "model.config").read_text()
    assert ["model.config" in loss for loss in losses] == [True]


def test_gravity_needs_a_world(tmp_path):
    """The Moon's gravity comes back; the Earth's needs no world unless it is asked for."""
    path = tmp_path / "m.sdf"
    formats.write(dataclasses.replace(one_link(), gravity=(0.0, 0.0, -1.62)), path)
    assert formats.read(path).model.gravity == (0.0, 0.0, -1.62)
    formats.write(one_link(), path)
    assert "<world" not in path.read_text()
    formats.write(one_link(), path, world=True)
    assert "<world" in path.read_text()


def test_gravity_and_decay_of_a_link(tmp_path):
    """As the spec has it: children of <link>, `linear` and `angular` in <velocity_decay>; nothing where it is usual."""
    path = tmp_path / "m.sdf"
    formats.write(one_link(gravity=False, linear_damping=0.5, angular_damping=0.25), path)
    one, other = ElementTree.parse(path).getroot().iter("link")
    assert one.find("gravity").text == "false"
    assert [(part.tag, part.text) for part in one.find("velocity_decay")] == [("linear", "0.5"), ("angular", "0.25")]
    assert other.find("gravity") is other.find("velocity_decay") is None


@pytest.mark.parametrize("spoil", ["folder missing", "target is a folder", "suffix", "version", "model has errors"])
def test_nothing_is_written_when_it_cannot_be(tmp_path, spoil):
    """A bad target or a bad model is refused with a reason, and leaves no file behind."""
    model, path, options = one_link(), tmp_path / "m.sdf", {}
    if spoil == "folder missing":
        path = tmp_path / "none" / "m.sdf"
    elif spoil == "target is a folder":
        path = tmp_path / "d.sdf"
        path.mkdir()
    elif spoil == "suffix":
        path = tmp_path / "m.obj"
    elif spoil == "version":
        options = {"sdf_version": "2.0"}
    else:
        model.links[0].mass = math.nan
    with pytest.raises(formats.UnwritableError):
        formats.write(model, path, **options)
    assert [entry for entry in tmp_path.rglob("*") if entry.is_file()] == []


def test_failure_midway_leaves_the_old_file(tmp_path, monkeypatch):
    """When moving into place fails, the target is as it was and no temporary folder stays."""
    path = tmp_path / "m.sdf"
    path.write_text("old")

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(formats.UnwritableError, match="no space left"):
        formats.write(one_link(visuals=[Shape("x", TETRAHEDRON)]), path)
    assert path.read_text() == "old"
    assert [entry.name for entry in tmp_path.iterdir() if entry.name.startswith(".")] == []


def test_numbers_are_short(tmp_path):
    """No -0, no digits that say nothing, nothing where the default would do."""
    formats.write(one_link(com=(-0.0, 0.1, 1.0)), tmp_path / "m.sdf")
    text = (tmp_path / "m.sdf").read_text()
    assert "<pose>0 0.1 1 0 0 0</pose>" in text
    assert "-0 " not in text
    assert "<limit />" in text
    assert "<dynamics>" not in text
