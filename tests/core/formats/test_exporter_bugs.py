# SPDX-License-Identifier: GPL-3.0-or-later
"""Bugs that users of other exporters and converters have reported, each by its number in our list of them.

What a file must hold is read off its XML here. Those that need a scene (1, 11) are in tests/blender, those of URDF (21,
23) in test_urdf_read.py, those of included files (22) in test_sdf_include.py; tests/judges asks Gazebo's and Drake's
readers about every file of the corpus and about random models.
"""

from __future__ import annotations

import math
from xml.etree import ElementTree

import numpy as np
import pytest

from limberjack.core import formats
from limberjack.core.formats.substitutes import substituted
from limberjack.core.geometry import Box, Mesh, Shape
from limberjack.core.kinematics import tree_poses
from limberjack.core.model import Axis, Gearbox, Joint, Link, Mimic, Model
from limberjack.core.spatial import IDENTITY_QUAT, compose, inverse, quat_of_rotvec, quat_to_mat
from support.models import matrix

TILTED = (0.3, -0.2, 0.5, *quat_of_rotvec((0.4, -0.3, 0.8)))
ASKEW = (-0.1, 0.4, 0.2, *quat_of_rotvec((-0.7, 0.2, 0.1)))
AXIS = (0.48, 0.6, 0.64)
TRIANGLE = Mesh(vertices=np.eye(3), faces=((0, 1, 2),))


def pair(kind: str = "revolute", **changes) -> Model:
    """Two tilted links and a joint whose frame is tilted in both, of axis AXIS."""
    model = Model("pair", [Link("a", pose=TILTED), Link("b", pose=ASKEW)])
    X_WJ = compose(compose(TILTED, ASKEW), TILTED)
    frames = {"X_PJ": compose(inverse(TILTED), X_WJ), "X_CJ": compose(inverse(ASKEW), X_WJ)}
    model.joints = [Joint("j", kind, "a", "b", **frames, **({"axes": [Axis(AXIS)]} | changes))]
    return model


def written(model: Model, tmp_path, **options) -> ElementTree.Element:
    path = tmp_path / "model.sdf"
    formats.write(model, path, **options)
    return ElementTree.parse(path).getroot()


def pose_in(element: ElementTree.Element | None) -> np.ndarray:
    """The matrix of a <pose>, by its own arithmetic: fixed axes x, y, z."""
    x, y, z, roll, pitch, yaw = map(float, (element.text if element is not None else "0 0 0 0 0 0").split())
    cr, sr, cp, sp, cy, sy = (f(angle) for angle in (roll, pitch, yaw) for f in (math.cos, math.sin))
    X = np.eye(4)
    X[:3, :3] = (
        np.array([[cy, -sy, 0], [sy, cy, 0], [0, 0, 1]])
        @ np.array([[cp, 0, sp], [0, 1, 0], [-sp, 0, cp]])
        @ np.array([[1, 0, 0], [0, cr, -sr], [0, sr, cr]])
    )
    X[:3, 3] = x, y, z
    return X


def test_bug_2_poses_need_no_relative_to(tmp_path):
    """Gazebo 9 ignores relative_to: a link's pose is in the model, a joint's in its child, and none says otherwise."""
    root = written(pair(), tmp_path)
    assert not any("relative_to" in element.attrib for element in root.iter())
    for link, expected in zip(root.findall("model/link"), (TILTED, ASKEW), strict=True):
        assert pose_in(link.find("pose")) == pytest.approx(matrix(expected), abs=1e-12)


def test_bug_3_joints_are_anchored_in_the_child(tmp_path):
    """A joint's pose is where it is in its child, whose frame lies elsewhere."""
    model = pair()
    root = written(model, tmp_path)
    X_WJ = pose_in(root.findall("model/link/pose")[1]) @ pose_in(root.find("model/joint/pose"))
    assert X_WJ == pytest.approx(matrix(TILTED) @ matrix(model.joints[0].X_PJ), abs=1e-12)


OLD = (
    '<sdf version="{version}"><model name="m"><pose>1 2 3 0.3 0.2 0.1</pose><link name="a"/><link name="b">'
    '<pose>0 0 1 0.1 0.7 -0.4</pose></link><joint name="j" type="revolute"><pose>0.1 0 0 -0.5 0.4 0.9</pose>'
    "<parent>a</parent><child>b</child><axis><xyz>0.48 0.6 0.64</xyz>{told}</axis></joint></model></sdf>"
)
PARENT = "<use_parent_model_frame>{}</use_parent_model_frame>"


@pytest.mark.parametrize(
    ("version", "told", "in_model"),
    [
        ("1.4", "", True),
        ("1.5", "", False),
        ("1.5", PARENT.format("true"), True),
        ("1.6", PARENT.format(0), False),
        ("1.9", "", False),
    ],
)
def test_bug_4_axes_in_the_frame_that_the_version_means(tmp_path, version, told, in_model):
    """Up to 1.4 an axis is in the model's axes, later in the joint's, unless the file says so: all three turned."""
    path = tmp_path / "m.sdf"
    path.write_text(OLD.format(version=version, told=told))
    model = formats.read(path).model
    X_WM, X_ML, X_LJ = (pose_in(element) for element in ElementTree.parse(path).getroot().iter("pose"))
    base = X_WM if in_model else X_WM @ X_ML @ X_LJ
    joint = model.joint("j")
    found = matrix(compose(model.link("b").pose, joint.X_CJ))[:3, :3] @ joint.axes[0].xyz
    assert found == pytest.approx(base[:3, :3] @ AXIS, abs=1e-12)


def test_bug_5_axes_are_in_the_joints_frame_alone(tmp_path):
    """expressed_in="__model__" does not follow the link in Drake, and fails in nested models: it is never written."""
    model = pair()
    root = written(model, tmp_path)
    assert not any("expressed_in" in element.attrib for element in root.iter())
    assert root.findtext("model/joint/axis/xyz") == "0.48 0.6 0.64"


def test_bug_6_an_inertials_pose_is_relative_to_nothing(tmp_path):
    """Drake refuses relative_to there."""
    model = pair()
    model.links[0].com = (0.1, 0.2, 0.3)
    (pose,) = written(model, tmp_path).findall("model/link/inertial/pose")
    assert (pose.text, pose.attrib) == ("0.1 0.2 0.3 0 0 0", {})


def test_bug_7_limits_stand_within_limit(tmp_path):
    """Outside of <limit>, libsdformat passes over them in silence."""
    axis = written(pair(axes=[Axis(AXIS, lower=-1.0, upper=2.0)]), tmp_path).find("model/joint/axis")
    assert (axis.findtext("limit/lower"), axis.findtext("limit/upper")) == ("-1", "2")
    assert {child.tag for child in axis} == {"xyz", "limit"}


def test_bug_8_names_are_unique(tmp_path):
    """Two collisions of one name: the model is not spawned."""
    model = pair()
    box = Box((1.0, 1.0, 1.0))
    model.links[0].collisions = [
        Shape(name, box) for name in ("Cube", "Cube", "Cube.001", "a::b", "a/b c", "Würfel", "")
    ]
    names = [element.get("name") for element in written(model, tmp_path).iter("collision")]
    assert len(set(names)) == 7
    assert names[0] == "Cube"
    assert all(names)


def test_bug_9_version_material_and_mesh_path(tmp_path):
    """The attribute is `version`, a shape may have no material, and a mesh lies where its uri says."""
    model = pair()
    model.links[0].visuals = [
        Shape("bare", TRIANGLE),
        Shape("empty", Mesh(vertices=np.zeros((0, 3)))),
        Shape("none", None),
    ]
    root = written(model, tmp_path)
    assert root.attrib == {"version": "1.9"}
    uris = [uri.text for uri in root.iter("uri")]
    assert uris == ["meshes/a_bare.obj", "meshes/a_empty.obj"]
    assert all((tmp_path / uri).is_file() for uri in uris)


def test_bug_10_no_newer_version_than_needed(tmp_path):
    """A simulator refuses a file newer than itself: 1.9 unless a feature needs more, which is said; and choosable."""
    assert written(pair(), tmp_path).get("version") == "1.9"
    follower = pair(mimic=Mimic("k"))
    follower.links.append(Link("c"))
    follower.joints.append(Joint("k", "revolute", "a", "c"))
    assert written(follower, tmp_path).get("version") == "1.11"
    assert "SDF 1.11" in formats.write(follower, tmp_path / "model.sdf")[0]
    assert written(follower, tmp_path, sdf_version="1.8").get("version") == "1.8"


def test_bug_12_parts_are_added_by_the_parallel_axis_theorem(tmp_path):
    """Two cubes at the ends of a bar, one of them turned and twice as dense, against the sum by hand."""
    (tmp_path / "m.sdf").write_text(
        '<sdf version="1.11"><model name="m"><link name="l"><inertial auto="true"/>'
        '<collision name="a"><pose>1 0 0 0 0 0</pose><geometry><box><size>1 1 1</size></box></geometry></collision>'
        '<collision name="b"><density>2000</density><pose>-1 0 0 0.3 0.2 0.1</pose><geometry><box><size>1 1 1</size>'
        "</box></geometry></collision></link></model></sdf>"
    )
    link = formats.read(tmp_path / "m.sdf").model.link("l")
    com = -1.0 / 3.0
    across = 3000.0 / 6.0 + 1000.0 * (1.0 - com) ** 2 + 2000.0 * (1.0 + com) ** 2
    assert link.mass == pytest.approx(3000.0)
    assert link.com == pytest.approx((com, 0.0, 0.0))
    assert link.inertia == pytest.approx((500.0, 0.0, 0.0, across, 0.0, across), abs=1e-9)


@pytest.mark.parametrize("mass", [0.0, 1e-9, 1e-6])
@pytest.mark.parametrize("inertia", [(0.0,) * 6, (1e-12, 0, 0, 1e-12, 0, 1e-12), (1e-9, 0, 0, 1e-9, 0, 3e-9)])
def test_bug_13_light_and_thin_links_stay(tmp_path, mass, inertia):
    """No link is dropped for its mass or inertia, nor its joint; what is not physical is a warning."""
    model = pair()
    model.links[1].mass, model.links[1].inertia = mass, inertia
    written(model, tmp_path)
    reading = formats.read(tmp_path / "model.sdf")
    assert reading.ok
    assert (reading.model.link("b").mass, reading.model.link("b").inertia) == (mass, inertia)
    assert reading.model.joint("j").child == "b"


def test_bug_14_endless_hinges_have_no_limits(tmp_path):
    """A continuous joint is written as one, without 0 and 0; an unlimited hinge says nothing either."""
    for kind in ("continuous", "revolute"):
        joint = written(pair(kind), tmp_path).find("model/joint")
        assert joint.get("type") == kind
        assert not list(joint.find("axis/limit"))


def test_bug_15_limits_are_in_radians(tmp_path):
    """A hinge of 90 degrees."""
    root = written(pair(axes=[Axis(AXIS, upper=math.radians(90.0))]), tmp_path)
    assert float(root.findtext("model/joint/axis/limit/upper")) == pytest.approx(1.5707963267948966)


@pytest.mark.parametrize(
    ("version", "tag", "value"), [("1.9", "thread_pitch", -math.tau / 0.01), ("1.10", "screw_thread_pitch", 0.01)]
)
def test_bug_16_the_pitch_of_a_screw(tmp_path, version, tag, value):
    """A centimetre a turn, right-handed: -2 pi / pitch in rad/m before 1.10, in metres since."""
    joint = written(pair("screw", pitch=0.01), tmp_path, sdf_version=version).find("model/joint")
    assert float(joint.findtext(tag)) == pytest.approx(value, rel=1e-15)
    assert len([child for child in joint if "pitch" in child.tag]) == 1


def test_bug_17_a_gearbox_names_a_body(tmp_path):
    """Its reference is the link that carries both hinges."""
    model = pair()
    model.links.append(Link("c"))
    model.joints.append(Joint("k", "revolute", "a", "c"))
    model.couplings = [Gearbox("g", "b", "c", "a", 3.0)]
    assert written(model, tmp_path).findtext("model/joint[@type='gearbox']/gearbox_reference_body") == "a"


def test_bug_18_what_a_ball_loses_is_told(tmp_path):
    """SDF has no place for a ball's damping or limits: one line, not silence."""
    cone = [Axis(damping=0.5), Axis(), Axis(), Axis(upper=1.0)]
    losses = formats.write(pair("ball", axes=cone), tmp_path / "model.sdf")
    assert len(losses) == 1
    assert "no axes on a ball" in losses[0]


def test_bug_19_followers(tmp_path):
    """An offset, a negative multiplier, a chain, a leader that slides."""
    model = Model("m", [Link(name) for name in "abcd"])
    model.joints = [
        Joint("slide", "prismatic", "a", "b"),
        Joint("one", "revolute", "a", "c", mimic=Mimic("slide", -20.0, 0.3, 0.05)),
        Joint("two", "revolute", "a", "d", mimic=Mimic("one", 0.5)),
    ]
    written(model, tmp_path)
    back = formats.read(tmp_path / "model.sdf").model
    assert [joint.mimic for joint in back.joints] == [joint.mimic for joint in model.joints]


def test_bug_20_what_has_no_word_is_told(tmp_path):
    """A plane, a cable: each one line that names the joint, and its child is not dropped."""
    for kind in ("planar", "cable", "cylindrical"):
        losses = formats.write(pair(kind, axes=[]), tmp_path / "model.sdf")
        assert [loss for loss in losses if "joint 'j'" in loss] == losses
        assert len(losses) == 1
        assert [link.name for link in formats.read(tmp_path / "model.sdf").model.links] == ["a", "b"]


def test_bug_24_a_models_own_pose_counts(tmp_path):
    """Links and world joints of a model that is moved and turned; and as a nested one, moved again."""
    (tmp_path / "m.sdf").write_text(
        '<sdf version="1.9"><model name="outer"><pose>0 5 0 0 0 1.5707963267948966</pose><link name="own"/>'
        '<model name="inner"><pose>2 0 0 0 0 0</pose><link name="l"><pose>0 0 1 0 0 0</pose></link></model>'
        '<joint name="j" type="fixed"><parent>world</parent><child>inner::l</child></joint></model></sdf>'
    )
    model = formats.read(tmp_path / "m.sdf").model
    assert model.link("inner::l").pose[:3] == pytest.approx((0.0, 7.0, 1.0))
    assert model.joint("j").X_PJ[:3] == pytest.approx((0.0, 7.0, 1.0))


def test_bug_25_several_joints_between_two_bodies_keep_their_order(tmp_path):
    """Three hinges at three places about three axes, away from zero: as the chain that stands for them in SDF."""
    axes = [
        Axis((1.0, 0.0, 0.0), point=(0.1, 0.0, 0.0)),
        Axis((0.0, 0.6, 0.8), point=(0.0, 0.2, 0.0)),
        Axis((0.0, 0.0, 1.0), point=(0.0, 0.3, 0.1)),
    ]
    model = pair("custom", axes=axes, home=(0.2, -0.4, 0.7))
    chain, _ = substituted(model, lambda joint: joint.kind.sdf is not None)
    formats.write(chain, tmp_path / "model.sdf", sdf_version="1.12")
    back = formats.read(tmp_path / "model.sdf").model
    before, after = tree_poses(model, model.home()), tree_poses(back, back.home())
    assert matrix(compose(inverse(after["a"]), after["b"])) == pytest.approx(
        matrix(compose(inverse(before["a"]), before["b"])), abs=1e-9
    )


def test_bug_26_products_of_inertia_stay(tmp_path):
    """A tensor whose principal axes are turned, out and in again, and through a turned <inertial>."""
    model = pair()
    model.links[0].inertia = (2.0, 0.1, -0.2, 2.5, 0.3, 3.0)
    written(model, tmp_path)
    assert formats.read(tmp_path / "model.sdf").model.link("a").inertia == model.links[0].inertia
    text = (tmp_path / "model.sdf").read_text()
    (tmp_path / "model.sdf").write_text(text.replace("<inertial>", "<inertial><pose>0 0 0 0.3 0.2 0.1</pose>", 1))
    R = pose_in(ElementTree.fromstring("<pose>0 0 0 0.3 0.2 0.1</pose>"))[:3, :3]
    xx, xy, xz, yy, yz, zz = model.links[0].inertia
    turned = R @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R.T
    found = formats.read(tmp_path / "model.sdf").model.link("a").inertia
    assert found == pytest.approx(turned[np.triu_indices(3)])


def test_axes_of_this_file_are_unit_vectors():
    """Guards the fixtures: what is compared to the last digit must not be normalized on the way."""
    assert math.hypot(*AXIS) == pytest.approx(1.0, abs=1e-15)
    assert quat_to_mat(IDENTITY_QUAT) == (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
