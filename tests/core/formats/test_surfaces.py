# SPDX-License-Identifier: GPL-3.0-or-later
"""How collisions touch, and which links meet, in SDF and URDF: read, written, told where it is lost."""

import math
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from limberjack.core import formats
from limberjack.core.extras import Extra
from limberjack.core.geometry import Box, Shape, Surface
from limberjack.core.geometry.shapes import ALL_LAYERS
from limberjack.core.model import ContactPair, Joint, Link, Model
from limberjack.core.model.compiling.collision_filter import collision_filter_of

BOX = "<geometry><box><size>1 1 1</size></box></geometry>"
URDF_BOX = '<geometry><box size="1 1 1"/></geometry>'
INERTIAL = '<inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>'
DRAKES = (
    "<drake:proximity_properties><drake:mu_dynamic>0.4</drake:mu_dynamic><drake:mu_static>0.6</drake:mu_static>"
    "<drake:hunt_crossley_dissipation>2</drake:hunt_crossley_dissipation><drake:point_contact_stiffness>2e6"
    "</drake:point_contact_stiffness><drake:hydroelastic_modulus>1e7</drake:hydroelastic_modulus>"
    "</drake:proximity_properties>"
)


def read_sdf(tmp_path, inside, name="in.sdf"):
    (tmp_path / name).write_text(f'<sdf version="1.9" xmlns:drake="drake.mit.edu">{inside}</sdf>')
    return formats.read(tmp_path / name)


def collision_of(tmp_path, inside, codes=()):
    """The only collision of a model, what its <collision> says being `inside`, and the codes of what is wrong."""
    collision = f"<collision name='c'>{BOX}{inside}</collision>"
    reading = read_sdf(tmp_path, f"<model name='m'><link name='a'>{collision}</link></model>")
    assert tuple(issue.code for issue in reading.issues) == tuple(codes)
    return reading.model.links[0].collisions[0], reading


def read_urdf(tmp_path, inside, name="in.urdf"):
    (tmp_path / name).write_text(f'<robot name="m" xmlns:drake="http://drake.mit.edu">{inside}</robot>')
    return formats.read(tmp_path / name)


def one_link(*shapes, **changes):
    """A model of a link with these collisions."""
    return Model("m", [Link("a", collisions=list(shapes), **changes)])


def box(name="c", surface=None, **masks):
    return Shape(name, Box((1.0, 1.0, 1.0)), surface=surface, **masks)


def element_of(path, tag):
    return next(ElementTree.parse(path).getroot().iter(tag))


# ---- SDF


def test_sdf_says_all_that_a_surface_has_a_word_for(tmp_path):
    """Guards each of SDF's words, the torque of a patch against Gazebo's formula, and masks in hexadecimal digits."""
    shape, reading = collision_of(
        tmp_path,
        "<surface><friction><ode><mu>0.5</mu><mu2>0.5</mu2></ode><torsional><coefficient>0.8</coefficient><patch_radius>"
        "0.05</patch_radius></torsional></friction><bounce><restitution_coefficient>0.3</restitution_coefficient>"
        "</bounce><contact><collide_bitmask>0x0f</collide_bitmask><category_bitmask>16</category_bitmask><ode><kp>2e6"
        "</kp></ode></contact></surface>",
    )
    assert shape.surface == Surface(
        0.5, restitution=0.3, stiffness=2e6, spinning_friction=pytest.approx(0.8 * 0.05 * 3 * math.pi / 16)
    )
    assert (shape.meets, shape.layers) == (15, 16)
    assert (shape.extras, reading.notes) == ((), [])


def test_a_collision_that_says_nothing_has_no_surface(tmp_path):
    shape, _ = collision_of(tmp_path, "")
    assert (shape.surface, shape.layers, shape.meets) == (None, ALL_LAYERS, ALL_LAYERS)


def test_a_category_that_is_not_said_is_the_mask_itself(tmp_path):
    """Guards what SDF says of category_bitmask, without which two masks that share no bit would meet."""
    shape, _ = collision_of(tmp_path, "<surface><contact><collide_bitmask>2</collide_bitmask></contact></surface>")
    assert (shape.layers, shape.meets, shape.surface) == (2, 2, None)
    assert not shape.may_meet(box(layers=1, meets=1))


@pytest.mark.parametrize("text", ["-1", "inf", "-1.000000"])
def test_friction_below_0_has_no_bound(tmp_path, text):
    """Guards what Gazebo makes of such numbers, which old files are full of."""
    friction = f"<surface><friction><ode><mu>{text}</mu><mu2>{text}</mu2></ode></friction></surface>"
    shape, _ = collision_of(tmp_path, friction)
    assert 100.0 <= shape.surface.friction < math.inf


def test_of_two_directions_the_smaller_counts_and_both_come_back(tmp_path):
    """Guards fields that differ along two directions: told once, written again, until friction is more than either."""
    text = "<surface><friction><ode><mu>0.9</mu><mu2>0.5</mu2><fdir1>1 0 0</fdir1></ode></friction></surface>"
    shape, reading = collision_of(tmp_path, text)
    assert shape.surface.friction == 0.5
    assert "friction that differs along two directions (mu 0.9, mu2 0.5 in collision 'c', line 1)" in reading.notes[0]
    out = tmp_path / "out.sdf"
    for friction, expected in ((0.5, ("0.9", "0.5")), (0.2, ("0.9", "0.2")), (0.95, ("0.95", "0.95"))):
        shape.surface = Surface(friction)
        formats.write(reading.model, out)
        ode = element_of(out, "ode")
        assert sorted(child.tag for child in ode) == ["fdir1", "mu", "mu2"]
        assert (ode.findtext("mu"), ode.findtext("mu2")) == expected


def test_drakes_words_come_before_sdfs(tmp_path):
    """Guards drake:proximity_properties in SDF; what means nothing here is kept in its place."""
    shape, _ = collision_of(tmp_path, f"<surface><friction><ode><mu>1</mu></ode></friction></surface>{DRAKES}")
    assert shape.surface == Surface(0.4, 0.6, stiffness=2e6, dissipation=2.0)
    assert [(extra.tag, extra.within) for extra in shape.extras] == [
        ("drake:hydroelastic_modulus", ("drake:proximity_properties",))
    ]


def test_one_friction_alone_is_both_to_drake(tmp_path):
    alone = "<drake:proximity_properties><drake:mu_static>0.7</drake:mu_static></drake:proximity_properties>"
    assert collision_of(tmp_path, alone)[0].surface == Surface(0.7, 0.7)


def test_layers_beyond_those_of_sdf_are_reported(tmp_path):
    """Guards masks of 32 bits: SDF keeps the first 16, and all layers stay all of them."""
    for layers, meets, lost in ((1 << 20 | 2, 6, 1), (ALL_LAYERS, 6, 0), (2, ALL_LAYERS, 0)):
        shape = Shape("shape", Box((1.0, 1.0, 1.0)), layers=layers, meets=meets)
        losses = formats.write(Model("m", links=[Link("a", collisions=[shape])]), tmp_path / "out.sdf")
        assert sum("16 layers" in loss for loss in losses) == lost == len(losses)
        back = formats.read(tmp_path / "out.sdf").model.links[0].collisions[0]
        all_or_first = [bits if bits == ALL_LAYERS else bits & 0xFFFF for bits in (layers, meets)]
        assert [back.layers, back.meets] == all_or_first


def test_a_surface_comes_back_from_sdf_as_it_was(tmp_path):
    """Guards the round trip of fields and of what is kept besides; only rolling is lost, and what Drake has is told."""
    kept = (
        "<surface><bounce><threshold>0.1</threshold></bounce><friction><bullet><friction>1</friction></bullet></friction>"
        "<contact><ode><kd>10</kd><max_vel>0.1</max_vel></ode></contact></surface>"
    )
    shape, reading = collision_of(tmp_path, kept)
    assert shape.surface is None
    shape.surface = Surface(0.3, 0.4, 0.2, 1e5, 0.7, 0.01, 0.02)
    shape.layers, shape.meets = 3, 0xFF00
    losses = formats.write(reading.model, tmp_path / "out.sdf")
    subject = "link 'a': collision 'c': SDF has no"
    assert losses == [
        f"{subject} static friction; it is said to Drake alone",
        f"{subject} dissipation; it is said to Drake alone",
        f"{subject} rolling friction; 0.01 m is left out",
    ]
    back = formats.read(tmp_path / "out.sdf").model.links[0].collisions[0]
    assert back.surface.velocity == shape.surface.velocity
    found, given = ({**vars(surface), "velocity": 0.0} for surface in (back.surface, shape.surface))
    assert found == pytest.approx(given | {"rolling_friction": 0.0}, rel=1e-12)
    assert (back.layers, back.meets) == (3, 0xFF00)
    assert (
        {extra.tag for extra in back.extras}
        == {"threshold", "bullet", "kd", "max_vel"}
        == {extra.tag for extra in shape.extras}
    )


def test_strange_repetitions_are_written_again(tmp_path):
    """Guards what nobody should write: two numbers of a direction, of which one is none, and prefixes inside."""
    shape, reading = collision_of(
        tmp_path,
        "<surface><own:word/><friction><ode><mu>0.9</mu><mu>x</mu><mu2>0.5</mu2></ode></friction><contact><own:word/>"
        "<collide_bitmask>010</collide_bitmask></contact></surface>",
        ["repeated-element"],
    )
    assert (shape.surface.friction, shape.meets) == (0.5, 10)
    formats.write(reading.partial, tmp_path / "out.sdf")
    back = formats.read(tmp_path / "out.sdf").model.links[0].collisions[0]
    assert [extra.tag for extra in back.extras].count("own:word") == 2
    robot = f"<link name='a'>{INERTIAL}<collision name='c'>{URDF_BOX}</collision></link>"
    words = "<mu1>0.9</mu1><mu1>x</mu1><mu2>0.5</mu2><own:word/>"
    reading = read_urdf(tmp_path, f"{robot}<gazebo reference='a'>{words}</gazebo>")
    formats.write(reading.partial, tmp_path / "out.urdf")
    assert formats.read(tmp_path / "out.urdf").model.links


def test_rigid_numbers_of_files_come_back_as_they_were(tmp_path):
    """Guards kp 1e12 and 1e13, which mean rigid and are numbers of a file all the same; Drake is not told of them."""
    shape, reading = collision_of(tmp_path, "<surface><contact><ode><kp>1e13</kp></ode></contact></surface>")
    assert (shape.surface.stiffness, shape.surface.contact_stiffness) == (1e13, math.inf)
    formats.write(reading.model, tmp_path / "out.sdf")
    assert float(element_of(tmp_path / "out.sdf", "kp").text) == 1e13
    assert "drake" not in (tmp_path / "out.sdf").read_text()


def test_a_patch_that_grows_with_depth_is_kept(tmp_path):
    """Guards use_patch_radius false, of which no coefficient can be told."""
    text = (
        "<surface><friction><torsional><coefficient>1</coefficient><use_patch_radius>0</use_patch_radius>"
        "<surface_radius>0.1</surface_radius></torsional></friction></surface>"
    )
    shape, _ = collision_of(tmp_path, text)
    assert (shape.surface, [extra.tag for extra in shape.extras]) == (None, ["torsional"])
    shape, _ = collision_of(tmp_path, "<surface><friction><torsional/></friction></surface>")
    assert shape.surface is None


@pytest.mark.parametrize(
    ("inside", "words"),
    [
        ("<friction><ode><mu>much</mu></ode></friction>", "<mu> is 'much'; give a number"),
        (
            "<contact><collide_bitmask>all</collide_bitmask></contact>",
            "<collide_bitmask> is 'all'; give a whole number",
        ),
        ("<friction><ode><mu>nan</mu></ode></friction>", "<mu> is 'nan'"),
        ("<contact><ode><kp>-5</kp></ode></contact>", "collision 'c': stiffness is -5 N/m; give more than 0"),
        ("<bounce><restitution_coefficient>2</restitution_coefficient></bounce>", "restitution is 2; give 0"),
    ],
)
def test_numbers_that_are_none_are_found_by_line(tmp_path, inside, words):
    collision = f"<collision name='c'>{BOX}\n<surface>{inside}</surface></collision>"
    (issue,) = read_sdf(tmp_path, f"<model name='m'>\n<link name='a'>{collision}</link></model>").issues
    assert words in issue.message
    assert issue.line in (2, 3)


# ---- families


def meeting_pairs(model):
    meeting, names = collision_filter_of(model), [link.name for link in model.links]
    numbers = range(len(names))
    return {f"{names[i]} {names[j]}" for i in numbers for j in numbers if i < j and meeting.may_meet(i, j)}


def link(name, inside=""):
    return f"<link name='{name}'><collision name='c'>{BOX}</collision>{inside}</link>"


def hinge(parent, child):
    return (
        f"<joint name='{parent}_{child}' type='revolute'><parent>{parent}</parent><child>{child}</child>"
        "<axis><xyz>0 0 1</xyz></axis></joint>"
    )


SELF = "<self_collide>true</self_collide>"


def test_links_of_one_sdf_model_do_not_meet_unless_they_say_so(tmp_path):
    """Guards families without joints, the model's own word, and a link's word over it."""
    loose = link("a") + link("b") + link("c")
    model = read_sdf(tmp_path, f"<model name='m'>{loose}</model>").model
    assert ({part.family for part in model.links}, meeting_pairs(model)) == ({"m"}, set())
    one = link("a", SELF) + link("b") + link("c")
    assert meeting_pairs(read_sdf(tmp_path, f"<model name='m'>{one}</model>").model) == {"a b", "a c"}
    no = "<self_collide>0</self_collide>"
    all_but = f"<model name='m'>{SELF}{link('a', no)}{link('b', no)}{link('c')}</model>"
    assert meeting_pairs(read_sdf(tmp_path, all_but).model) == {"a c", "b c"}


def test_models_of_a_world_meet_and_models_in_models_where_no_joint_connects_them(tmp_path):
    """Guards the innermost model as the family, and joints that make one of two."""
    inner = f"<model name='in'>{link('c')}</model>"
    world = f"<world name='w'><model name='m'>{link('a')}{hinge('a', 'b')}{link('b')}{inner}</model></world>"
    assert meeting_pairs(read_sdf(tmp_path, world).model) == {"a in::c", "b in::c"}
    joined = world.replace("<model name='in'>", hinge("b", "in::c").replace("b_in::c", "j") + "<model name='in'>")
    assert meeting_pairs(read_sdf(tmp_path, joined).model) == set()
    two = f"<world name='w'><model name='m'>{link('a')}</model><model name='n'>{link('a')}</model></world>"
    assert meeting_pairs(read_sdf(tmp_path, two).model) == {"m::a n::a"}


def test_a_machine_needs_no_family(tmp_path):
    """Guards that "" stays where joints, or standing still, say all."""
    for inside in (link("a") + link("b") + hinge("a", "b"), "<static>1</static>" + link("a") + link("b")):
        model = read_sdf(tmp_path, f"<model name='m'>{inside}</model>").model
        assert [part.family for part in model.links] == ["", ""]
        assert meeting_pairs(model) == set()


@pytest.mark.parametrize("world", [False, True])
def test_families_come_back_from_sdf(tmp_path, world):
    """Guards the round trip of who meets whom: loose links of a model, machines, models in models, self_collide."""
    inner = f"<model name='in'>{link('c')}{link('d')}{SELF}</model>"
    text = f"<model name='m'>{link('a')}{hinge('a', 'b')}{link('b')}{link('x')}{inner}</model>"
    if world:
        text = f"<world name='w'>{text}<model name='n'>{link('a')}{link('b')}</model></world>"
    first = read_sdf(tmp_path, text).model
    assert formats.write(first, tmp_path / "out.sdf", world=world) == []
    assert meeting_pairs(formats.read(tmp_path / "out.sdf").model) == meeting_pairs(first) != set()


def test_a_family_stays_one_model_in_a_world(tmp_path):
    """Guards loose links of a model, which a world with a model for each articulation would else part."""
    first = read_sdf(tmp_path, f"<model name='m'>{link('a')}{link('b')}</model>").model
    first.links.append(Link("c", collisions=[box()]))
    assert formats.write(first, tmp_path / "out.sdf", world=True) == []
    back = formats.read(tmp_path / "out.sdf").model
    assert meeting_pairs(back) == meeting_pairs(first) == {"a c", "b c"}


def test_a_merged_model_hands_nothing_over(tmp_path):
    """Guards <include merge="true">: its links are of the model around it, whose self_collide counts."""
    (tmp_path / "part.sdf").write_text(f'<sdf version="1.9"><model name="p">{SELF}{link("a")}{link("b")}</model></sdf>')
    include = "<include merge='true'><uri>part.sdf</uri></include>"
    model = read_sdf(tmp_path, f"<model name='m'>{include}{link('c')}</model>").model
    assert ({part.family for part in model.links}, meeting_pairs(model)) == ({"m"}, set())


def test_what_sdf_cannot_say_of_collision_filter_of_is_told(tmp_path):
    """Guards loose links in one model, families that no model is, and pairs."""
    model = Model("m", [Link("a", collisions=[box()]), Link("b", collisions=[box()])])
    model.contact_pairs = [ContactPair("a", "b", False)]
    told = formats.write(model, tmp_path / "out.sdf")
    assert told == [
        "links 'a' and 'b' do not meet, which is said in <drake:collision_filter_group>, which Drake reads, and other "
        "loaders pass over",
        "links 'a' and 'b' may meet; in SDF they do not, as they stand in one model; write a world, with a model for "
        "each articulation",
    ]
    (told,) = formats.write(model, tmp_path / "out.sdf", world=True)
    assert "do not meet by a contact pair, which SDF has not between models" in told
    model.contact_pairs = []
    assert formats.write(model, tmp_path / "out.sdf", world=True) == []
    model.links[0].name, model.links[1].name = "p::a", "q::b"
    model.links[0].family = model.links[1].family = "kit"
    (told,) = formats.write(model, tmp_path / "out.sdf")
    assert told.startswith("links 'p::a' and 'q::b' are of one family and do not meet; in SDF they may")


def test_pairs_within_a_model_of_a_world_are_kept(tmp_path):
    """Guards ragdolls, whose parts collide with each other but for those that overlap: in a world, they are one model
    of several, and its pairs are written and read again, also with names that begin with that of the model."""
    for prefix in ("", "Rig::"):
        names = [f"{prefix}{name}" for name in ("hips", "chest", "head")]
        links = [Link(name, collisions=[box()], self_collide=True) for name in names]
        model = Model(
            "scene",
            [*links, Link("floor", collisions=[box()])],
            [Joint(f"{child}_joint", "ball", parent, child) for parent, child in pairwise(names)],
        )
        model.contact_pairs = [ContactPair(names[0], names[2], False), ContactPair(names[2], "floor", False)]
        told = formats.write(model, tmp_path / "out.sdf", world=True)
        (left_out,) = (line for line in told if "not between models" in line)
        assert left_out.startswith(f"links '{names[2]}' and 'floor' do not meet")
        (pair,) = formats.read(tmp_path / "out.sdf").model.contact_pairs
        assert {pair.a.split("::")[-1], pair.b.split("::")[-1]} == {"hips", "head"}
        assert not pair.meets


# ---- URDF


def test_gazebos_words_are_of_all_collisions_of_a_link(tmp_path):
    """Guards both ways to write a number, the smaller of two frictions, and the rest, which is kept."""
    collisions = f"<collision name='c'>{URDF_BOX}</collision><collision name='d'>{URDF_BOX}</collision>"
    words = '<mu1>0.9</mu1><mu2 value="0.5"/><kp value="1e6"/><kd>10</kd><selfCollide>true</selfCollide>'
    robot = f"<link name='a'>{INERTIAL}{collisions}</link><gazebo reference='a'>{words}</gazebo>"
    reading = read_urdf(tmp_path, robot)
    (a,) = reading.model.links
    assert not reading.issues
    assert [shape.surface for shape in a.collisions] == [Surface(0.5, stiffness=1e6)] * 2
    assert a.self_collide
    assert [extra.text for extra in a.extras] == ['<gazebo reference="a"><mu1>0.9</mu1><kd>10</kd></gazebo>']
    formats.write(reading.model, tmp_path / "out.urdf")
    again = formats.read(tmp_path / "out.urdf")
    assert again.model.links[0].collisions == a.collisions
    assert again.model.links[0].self_collide
    assert [extra.text for extra in again.model.links[0].extras] == [extra.text for extra in a.extras]


def test_drakes_words_come_before_gazebos(tmp_path):
    """Guards a collision of its own friction on a link of which <gazebo> says another."""
    drakes = '<drake:proximity_properties><drake:mu_dynamic value="0.2"/></drake:proximity_properties>'
    collisions = f"<collision name='c'>{URDF_BOX}{drakes}</collision><collision name='d'>{URDF_BOX}</collision>"
    robot = f"<link name='a'>{INERTIAL}{collisions}</link><gazebo reference='a'><mu1>0.7</mu1></gazebo>"
    (a,) = read_urdf(tmp_path, robot).model.links
    assert [shape.surface.friction for shape in a.collisions] == [0.2, 0.7]


def test_a_surface_comes_back_from_urdf_as_far_as_it_goes(tmp_path):
    """Guards the round trip, and a line for each thing that is lost, or that few read."""
    surface = Surface(0.3, 0.4, 0.2, 1e5, 0.7, 0.01, 0.02)
    model = one_link(box("a_c", surface, meets=1), self_collide=True)
    told = formats.write(model, tmp_path / "out.urdf")
    assert [line.partition(": ")[2] for line in told] == [
        "that it meets its own family is said in <gazebo>, which other loaders pass over",
        "how it touches is said to Gazebo and to Drake, and other loaders pass over it",
        "collision 'a_c': URDF has no restitution; 0.2 is left out",
        "collision 'a_c': URDF has no rolling friction; 0.01 is left out",
        "collision 'a_c': URDF has no spinning friction; 0.02 is left out",
        "collision 'a_c': URDF has no layers; what it meets is left out",
    ]
    (back,) = formats.read(tmp_path / "out.urdf").model.links
    assert back.collisions[0].surface == Surface(0.3, 0.4, stiffness=1e5, dissipation=0.7)
    assert back.self_collide
    gazebo = element_of(tmp_path / "out.urdf", "gazebo")
    assert [(child.tag, child.text) for child in gazebo] == [
        ("selfCollide", "true"),
        ("mu1", "0.3"),
        ("mu2", "0.3"),
        ("kp", "100000"),
    ]


def test_collisions_that_differ_are_said_to_drake_alone(tmp_path):
    """Guards against one friction for all, which is what Gazebo's words could say."""
    model = one_link(box("c", Surface(0.2)), box("d"))
    (told,) = formats.write(model, tmp_path / "out.urdf")
    assert told == "link 'a': how it touches differs from collision to collision; it is said to Drake alone"
    (back,) = formats.read(tmp_path / "out.urdf").model.links
    assert [shape.surface for shape in back.collisions] == [Surface(0.2), None]


def test_collisions_are_named_as_gazebo_asks(tmp_path):
    """Guards what <gazebo> says: libsdformat applies it to no collision whose name does not begin with the link's.

    Where other words of a <gazebo> are kept, which may speak of a collision by name, that stays.
    """
    model = one_link(box("c", Surface(0.2)), box("a_d", Surface(0.2)))
    told = formats.write(model, tmp_path / "out.urdf")
    assert "link 'a': collision 'c' is named 'a_c'" in told
    (back,) = formats.read(tmp_path / "out.urdf").model.links
    assert [shape.name for shape in back.collisions] == ["a_c", "a_d"]
    model.links[0].extras = (Extra("URDF", "gazebo", '<gazebo reference="a"><sensor name="s"/></gazebo>'),)
    assert not any("is named" in line for line in formats.write(model, tmp_path / "out.urdf"))


def test_pairs_and_families_are_lost_to_urdf(tmp_path):
    model = one_link(box())
    model.links += [Link("b", family="x", collisions=[box()])]
    model.joints = [Joint("j", "revolute", "a", "b")]
    model.contact_pairs = [ContactPair("a", "b", True)]
    assert formats.write(model, tmp_path / "out.urdf") == [
        "links 'a' and 'b' meet by a contact pair, which URDF has not; it is left out",
        "family 'x' is left out: to Gazebo, all links of a URDF are one",
    ]


def test_a_link_without_collisions_keeps_gazebos_words(tmp_path):
    """Guards what has no collision to be of."""
    (a,) = read_urdf(
        tmp_path, f"<link name='a'>{INERTIAL}</link><gazebo reference='a'><mu1>1</mu1></gazebo>"
    ).model.links
    assert [extra.text for extra in a.extras] == ['<gazebo reference="a"><mu1>1</mu1></gazebo>']


def test_drakes_numbers_have_to_be_there(tmp_path):
    drakes = "<drake:proximity_properties><drake:mu_dynamic/></drake:proximity_properties>"
    robot = f"<link name='a'>{INERTIAL}<collision name='c'>{URDF_BOX}{drakes}</collision></link>"
    assert "<drake:mu_dynamic> is ''" in read_urdf(tmp_path, robot).issues[0].message


# ---- from one to the other


def test_what_both_say_goes_from_one_to_the_other(tmp_path):
    """Guards surfaces as fields: what was text of one format means something in the other."""
    friction = "<surface><friction><ode><mu>0.25</mu><mu2>0.25</mu2></ode></friction></surface>"
    _, reading = collision_of(tmp_path, friction)
    formats.write(reading.model, tmp_path / "out.urdf")
    robot = formats.read(tmp_path / "out.urdf").model
    assert robot.links[0].collisions[0].surface == Surface(0.25)
    formats.write(robot, tmp_path / "back.sdf")
    assert element_of(tmp_path / "back.sdf", "mu").text == "0.25"
