# SPDX-License-Identifier: GPL-3.0-or-later
"""The tree of bodies: frames, copies, and models that are attached."""

import math

import numpy as np
import pytest

from limberjack.core.formats import read
from limberjack.core.formats.mjcf.tree.bodies import MAX_BODIES
from limberjack.core.spatial import compose, quat_of_rotvec
from support.mjcf_texts import MASS, errors_of, model_of

QUARTER = math.pi / 2.0
ARM = f"""<mujoco model="arm"><compiler angle="radian"/>
<default><default class="x"><joint damping="5"/></default></default>
<worldbody>
  <frame name="mount" pos="0 0 1"><body name="base" pos="1 0 0">{MASS}<joint name="turn" class="x" range="-1 1"/>
    <geom name="g" size="0.1"/><site name="tip"/></body></frame>
  <body name="other">{MASS}</body>
</worldbody>
<actuator><motor name="drive" joint="turn" ctrlrange="-3 3"/></actuator>
<contact><exclude body1="base" body2="other"/></contact>
</mujoco>"""


def pose(x, y, z, rotvec=(0.0, 0.0, 0.0)):
    return (x, y, z, *quat_of_rotvec(rotvec))


def attached(tmp_path, content, arm=ARM, compiler=""):
    """A file that attaches the arm."""
    (tmp_path / "arm.xml").write_text(arm)
    path = tmp_path / "main.xml"
    path.write_text(
        f"""<mujoco>{compiler}<asset><model name="arm" file="arm.xml"/></asset>
        <worldbody>{content}</worldbody></mujoco>"""
    )
    return read(path)


def names_of(model):
    return [link.name for link in model.links]


def test_bodies_are_in_their_parents_frames():
    """Poses compose from the world down, and a body without a joint is fixed to its parent."""
    model = model_of(
        f"""<body name="a" pos="1 0 0" euler="0 0 90">{MASS}<body name="b" pos="1 0 0">{MASS}</body></body>"""
    )
    assert model.link("b").pose == pytest.approx(pose(1, 1, 0, (0, 0, QUARTER)))
    assert [(joint.type, joint.parent, joint.child) for joint in model.joints] == [
        ("fixed", "world", "a"),
        ("fixed", "a", "b"),
    ]


def test_names():
    """Bodies without names get some; the same name twice is an error."""
    assert len({*names_of(model_of(f"<body>{MASS}<body>{MASS}</body></body><body>{MASS}</body>"))}) == 3
    assert errors_of(f'<body name="a">{MASS}</body><body name="a">{MASS}</body>') == ["repeated-name"]


def test_several_worldbodies():
    """28 % of public files have more than one <worldbody>, since they include others."""
    reading = model_of(f'<body name="a">{MASS}</body>', f'<worldbody><body name="b">{MASS}</body></worldbody>')
    assert names_of(reading) == ["b", "a"]


def test_frames_move_all_that_is_in_them():
    """Frames in frames: bodies, geoms, sites, joints' points and axes are moved by both."""
    model = model_of(
        f"""<frame pos="1 0 0" euler="0 0 90"><frame pos="1 0 0"><body name="b">{MASS}
        <frame pos="0 0 1" euler="90 0 0"><joint name="j" axis="0 1 0" pos="0 0 2"/>
        <geom size="0.1" pos="0 0 3"/><site name="s" pos="0 0 4"/></frame></body></frame></frame>"""
    )
    assert model.link("b").pose == pytest.approx(pose(1, 1, 0, (0, 0, QUARTER)))
    joint, (visual,), (frame,) = model.joint("j"), model.link("b").visuals, model.frames
    assert joint.axes[0].xyz == pytest.approx((0, 0, 1))
    assert joint.X_CJ[:3] == pytest.approx((0, -2, 1))
    assert visual.pose == pytest.approx(pose(0, -3, 1, (QUARTER, 0, 0)))
    assert frame.pose == pytest.approx(pose(0, -4, 1, (QUARTER, 0, 0)))


def test_inertials_are_not_moved_by_frames():
    """An <inertial> stands in its body directly, as MuJoCo's grammar has it, and keeps its pose there."""
    model = model_of(
        '<frame pos="1 0 0"><body name="b"><inertial pos="0 0 1" mass="2" diaginertia="1 1 1"/></body></frame>'
    )
    assert model.link("b").com == (0.0, 0.0, 1.0)


def test_copies_have_names_and_poses():
    """Copy i is moved and turned i times, and its names end in i with as many digits as the count has."""
    model = model_of(
        f"""<replicate count="12" offset="0 0 1" sep="-"><body name="b">{MASS}<joint name="j"/></body></replicate>"""
    )
    assert names_of(model)[:2] + names_of(model)[-1:] == ["b-00", "b-01", "b-11"]
    assert [joint.name for joint in model.joints][:2] == ["j-00", "j-01"]
    assert [link.pose[2] for link in model.links] == pytest.approx(np.arange(12.0))


def test_copies_are_turned():
    """Each copy is moved along the axes of the one before it, and turned by as much again."""
    model = model_of(f'<replicate count="4" offset="1 0 0" euler="0 0 90"><body name="b">{MASS}</body></replicate>')
    step, expected = pose(1, 0, 0, (0, 0, QUARTER)), pose(0, 0, 0)
    for link in model.links:
        assert link.pose[:3] == pytest.approx(expected[:3], abs=1e-12)
        assert abs(np.dot(link.pose[3:], expected[3:])) == pytest.approx(1.0)
        expected = compose(expected, step)


def test_copies_of_copies():
    """The names of copies in copies end in the inner number, then the outer one."""
    model = model_of(
        f"""<replicate count="2" offset="10 0 0" sep="o"><replicate count="2" offset="1 0 0" sep="i">
        <body name="b">{MASS}</body></replicate></replicate>"""
    )
    assert names_of(model) == ["bi0o0", "bi1o0", "bi0o1", "bi1o1"]
    assert [link.pose[0] for link in model.links] == [0.0, 1.0, 10.0, 11.0]


def test_too_many_copies():
    """Guards against files of a line that make millions of bodies."""
    copies = '<replicate count="300">' * 3 + f"<body>{MASS}</body>" + "</replicate>" * 3
    assert "too-many-elements" in errors_of(copies)
    for count in ("0", "-3", str(MAX_BODIES + 1), "1e300"):
        assert "bad-number" in errors_of(f'<replicate count="{count}"><body>{MASS}</body></replicate>')


@pytest.mark.parametrize(
    ("attributes", "names", "place"),
    [
        ('body="base"', ["holder", "l_base"], pose(1, 0, 0)),
        ('frame="mount"', ["holder", "l_base"], pose(1, 0, 1)),
        ("", ["holder", "l_base", "l_other"], pose(1, 0, 1)),
    ],
)
def test_attached_models(attributes, names, place, tmp_path):
    """A body, a frame or the world of another file is put into a body, with a prefix and that file's settings."""
    content = f'<body name="holder">{MASS}<attach model="arm" {attributes} prefix="l_"/></body>'
    reading = attached(tmp_path, content)
    assert reading.ok, reading.issues
    model = reading.model
    assert names_of(model) == names
    assert model.link("l_base").pose == pytest.approx(place)
    axis = model.joint("l_turn").axes[0]
    assert (axis.upper, axis.damping, axis.effort) == (1.0, 5.0, 3.0)
    assert [frame.name for frame in model.frames] == ["l_tip"]


def test_the_same_model_twice(tmp_path):
    """Guards two arms of one file: each prefix has joints and drives of its own."""
    content = """<attach model="arm" body="base" prefix="l_"/>
    <frame pos="0 5 0"><attach model="arm" body="base" prefix="r_"/></frame>"""
    model = attached(tmp_path, content).model
    assert names_of(model) == ["l_base", "r_base"]
    assert model.link("r_base").pose[:3] == pytest.approx((1, 5, 0))
    assert [model.joint(f"{side}_turn").axes[0].effort for side in "lr"] == [3.0, 3.0]


def test_attached_contacts(tmp_path):
    """An attached file brings its excluded pairs, where both bodies are there."""
    whole = attached(tmp_path, '<attach model="arm" prefix="l_"/>').model
    assert [(pair.a, pair.b, pair.meets) for pair in whole.contact_pairs] == [("l_base", "l_other", False)]
    part = attached(tmp_path, '<attach model="arm" body="base" prefix="l_"/>')
    assert part.ok
    assert part.model.contact_pairs == []


def test_own_bodies_are_attached():
    """<attach> without a model puts a copy of a body of the same file into another place."""
    model = model_of(
        f"""<body name="a" pos="1 0 0">{MASS}<joint name="j"/></body>
        <frame pos="0 0 2"><attach body="a" prefix="c_"/></frame>"""
    )
    assert names_of(model) == ["a", "c_a"]
    assert model.link("c_a").pose[:3] == (1.0, 0.0, 2.0)
    assert [joint.name for joint in model.joints] == ["j", "c_j"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ('<attach model="leg" body="base" prefix="l_"/>', "unknown-model"),
        ('<attach model="arm" body="nobody" prefix="l_"/>', "unknown-body"),
        ('<attach model="arm" frame="nowhere" prefix="l_"/>', "unknown-frame"),
        (f'<body name="a">{MASS}<attach body="a" prefix="c_"/></body>', "attach-cycle"),
    ],
)
def test_wrong_attachments(content, code, tmp_path):
    """Guards refusals: each text gives exactly one error."""
    errors = [issue.code for issue in attached(tmp_path, content).issues if issue.is_error]
    assert errors[:1] == [code]


def test_bodies_that_attach_each_other():
    """Guards against an endless walk: two bodies, each of which has a copy of the other."""
    found = errors_of(
        f"""<body name="a">{MASS}<attach body="b" prefix="p"/></body>
        <body name="b">{MASS}<attach body="a" prefix="q"/></body>"""
    )
    assert "attach-cycle" in found


def test_models_that_need_each_other(tmp_path):
    """A file that names itself as an asset, through another one, is one error."""
    circle = ARM.replace("<worldbody>", '<asset><model name="m" file="main.xml"/></asset><worldbody>', 1)
    reading = attached(tmp_path, '<attach model="arm" body="base" prefix="l_"/>', circle)
    assert [issue.code for issue in reading.issues if issue.is_error] == ["include-cycle"]


def test_nothing_moves_the_world():
    """Joints and masses of the world are errors, as in MuJoCo."""
    assert errors_of(f"<joint/><body>{MASS}</body>") == ["part-of-world"]
    assert errors_of(f"{MASS}<body>{MASS}</body>") == ["part-of-world"]


def test_geoms_of_the_world_are_scenery():
    """They are one link that is fixed to the world, so that it collides."""
    model = model_of(f'<geom type="plane" size="1 1 1"/><body name="a">{MASS}<freejoint/></body>')
    assert names_of(model) == ["worldbody", "a"]
    assert len(model.link("worldbody").collisions) == 1
    assert [(joint.type, joint.parent) for joint in model.joints] == [("fixed", "world")]
