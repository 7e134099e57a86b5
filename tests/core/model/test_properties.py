# SPDX-License-Identifier: GPL-3.0-or-later
"""Changes by name."""

import math

import pytest

from limberjack.core.geometry import Box, Shape, Surface
from limberjack.core.geometry.densities import SUBSTANCES
from limberjack.core.model import WORLD, Joint, Link, Model, ModelError
from limberjack.core.model.properties import SURFACE_PROPERTIES, Setting, set_property


@pytest.fixture
def model():
    joints = [Joint("lead", "screw", WORLD, "nut"), Joint("socket", "ball", "nut", "arm")]
    nut = Link("nut", mass=2.0, inertia=(4.0, 0.1, 0.2, 5.0, 0.3, 6.0))
    nut.collisions = [Shape("half", Box((1.0, 0.5, 0.2))), Shape("other", Box((1.0, 0.5, 0.2)))]
    return Model(links=[nut, Link("arm")], joints=joints)


def put(model, text):
    return set_property(model, Setting.parse(text))


def test_numbers_of_joints_arrive(model):
    """Guards each kind of property: of an axis, pitch, a home of several coordinates, words and times."""
    for text in ("lead.damping=2.5", "lead.upper=inf", "lead.pitch=-0.02", "lead.drive_mode=velocity"):
        assert put(model, text) is model.joints[0]
    for text in ("socket.home=0,1,0,0", "socket.enabled=off", "socket.released_at=1.5"):
        put(model, text)
    lead, socket = model.joints
    assert (lead.axes[0].damping, lead.axes[0].upper, lead.pitch) == (2.5, math.inf, -0.02)
    assert lead.axes[0].drive_mode == "velocity"
    assert (socket.home, socket.enabled, socket.released_at) == ((0.0, 1.0, 0.0, 0.0), False, 1.5)
    assert put(model, "socket.released_at=inf").released_at == math.inf
    assert put(model, "socket.break_force=120").break_force == 120.0
    assert put(model, "socket.break_torque=inf").break_torque == math.inf
    with pytest.raises(ModelError, match="a number above 0"):
        put(model, "socket.break_force=0")


def test_a_number_of_an_axis_goes_to_all_axes_that_have_it(model):
    put(model, "socket.damping=3")
    assert [axis.damping for axis in model.joints[1].axes[:3]] == [3.0, 3.0, 3.0]


def test_a_link_that_weighs_more_is_as_much_harder_to_turn(model):
    """Guards mass, density and material against hand computation: two boxes of 0.1 m^3 of steel, then twice as much."""
    put(model, "nut.mass=3")
    assert model.links[0].inertia == pytest.approx((6.0, 0.15, 0.3, 7.5, 0.45, 9.0))
    put(model, "nut.material=Steel")
    assert model.links[0].mass == pytest.approx(0.2 * 7850.0)
    put(model, "nut.density=15700")
    nut = model.links[0]
    assert nut.mass == pytest.approx(3140.0)
    assert nut.inertia == pytest.approx([part * 1570.0 for part in (4.0, 0.1, 0.2, 5.0, 0.3, 6.0)])


def test_a_number_of_a_surface_goes_to_all_collisions_of_a_link(model):
    """Guards each field, what the collisions said before, and the switch for the link's own family."""
    nut = model.links[0]
    nut.collisions[0].surface = Surface(restitution=0.4)
    given = ("0.3", "0.5", "0.1", "1e5", "0.7", "0.01", "0.02", "0.003")
    for name, text in zip(SURFACE_PROPERTIES, given, strict=True):
        assert put(model, f"nut.{name}={text}") is nut
        if name == "friction":
            assert [shape.surface for shape in nut.collisions] == [Surface(0.3, restitution=0.4), Surface(0.3)]
    assert [shape.surface for shape in nut.collisions] == [Surface(*map(float, given[:-1]), slip_speed=0.003)] * 2
    put(model, "nut.stiffness=inf")
    put(model, "nut.self_collide=on")
    assert (nut.collisions[1].surface.stiffness, nut.self_collide) == (math.inf, True)


def test_a_material_is_its_surface_too(model):
    """Guards that what is said of stiffness stays, and that a density says nothing of surfaces."""
    nut = model.links[0]
    put(model, "nut.density=1000")
    assert [shape.surface for shape in nut.collisions] == [None, None]
    put(model, "nut.stiffness=1e5")
    put(model, "nut.static_friction=2")
    put(model, "nut.material=ice")
    ice = next(substance for substance in SUBSTANCES if substance.name == "ice")
    assert [shape.surface for shape in nut.collisions] == [
        Surface(ice.friction, None, ice.restitution, stiffness=1e5)
    ] * 2
    nut.collisions, nut.visuals = [], nut.collisions
    put(model, "nut.material=steel")
    assert nut.visuals[0].surface.friction == ice.friction


def test_the_rest_of_a_link_and_the_world(model):
    """Guards flags, vectors and what is around the model."""
    for text in ("arm.gravity=false", "arm.force=1,2,-3", "arm.linear_damping=0.5"):
        assert put(model, text) is model.links[1]
    arm = model.links[1]
    assert (arm.gravity, arm.force, arm.linear_damping) == (False, (1.0, 2.0, -3.0), 0.5)
    assert put(model, "world.gravity=0,0,-1.62") is model
    put(model, "world.wind=4,0,0")
    assert (model.gravity, model.wind) == ((0.0, 0.0, -1.62), (4.0, 0.0, 0.0))


def test_a_joint_and_a_link_of_one_name(model):
    """Guards names that both have: the property tells which is meant."""
    model.joints[1].name = "arm"
    assert put(model, "arm.damping=1") is model.joints[1]
    assert put(model, "arm.mass=4") is model.links[1]
    assert put(model, "arm.friction=1") is model.joints[1]
    model.links[1].collisions = [Shape("hull", Box((1.0, 1.0, 1.0)))]
    assert put(model, "arm.spinning_friction=1") is model.links[1]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("led.damping=1", "no joint or link 'led'; there are: lead, socket, nut, arm"),
        ("lead.dampnig=1", r"joint 'lead' \(screw\) has no property 'dampnig'; it has: home, pitch, lower"),
        ("socket.velocity=1", r"joint 'socket' \(ball\) has no property 'velocity'; it has: home, lower"),
        ("lead.damping=much", "damping takes a number, found 'much'"),
        ("lead.damping=nan", "found 'nan'"),
        ("lead.damping=inf", "found 'inf'"),
        ("lead.drive_mode=sideways", "drive_mode takes one of off, position, velocity, force, found 'sideways'"),
        ("lead.enabled=perhaps", "enabled takes true or false, found 'perhaps'"),
        ("socket.home=1,0", "home takes 4 numbers with commas between, found '1,0'"),
        ("socket.home=0,0,0,0", "a quaternion of length 0"),
        ("nut.mass=0", "link 'nut': mass takes a number above 0, found '0'"),
        ("nut.density=-1", "density takes a number above 0, found '-1'"),
        ("nut.material=cheese", "no material 'cheese'; there are: foam, cork"),
        ("arm.density=1000", "link 'arm' has no shape whose volume is known: set its mass instead"),
        ("arm.com=0,0,1", "link 'arm' has no property 'com'; it has: mass, density"),
        ("arm.friction=1", "link 'arm' has no collision shape, so it has no friction: give it one"),
        ("nut.friction=-1", "link 'nut': friction takes 0 or a number above it, found '-1'"),
        ("nut.friction=inf", "link 'nut': friction takes a number, found 'inf'"),
        ("nut.restitution=1.5", "restitution takes a number from 0 to 1, found '1.5'"),
        ("nut.stiffness=0", "stiffness takes a number above 0, found '0'"),
        ("nut.self_collide=often", "self_collide takes true or false, found 'often'"),
        ("world.wind=1", "world: wind takes 3 numbers with commas between, found '1'"),
        ("world.mass=1", "world has no property 'mass'; it has: gravity, wind"),
        ("damping=1", "write OWNER.PROPERTY=VALUE"),
        ("lead.damping", "write OWNER.PROPERTY=VALUE"),
    ],
)
def test_what_cannot_be_set_is_explained_and_changes_nothing(model, text, words):
    """Guards --set: what was found, what there is."""
    before = model.copy()
    with pytest.raises(ModelError, match=words):
        put(model, text)
    assert model == before
