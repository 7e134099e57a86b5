# SPDX-License-Identifier: GPL-3.0-or-later
"""Every joint type of the registry in Blender: chosen, stored, read back and shown, by its data alone."""

import dataclasses
import math
import subprocess
import sys

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.core.joints import JOINT_TYPES
from limberjack.core.model import Axis, Coupling, Joint, Link, Mimic, Model, ModelError
from limberjack.core.model.drives import DRIVES

from .conftest import joint
from .paper import draw, draw_all


def jointed(build, kind="revolute", size=2.0):
    """A cube that a joint of this type holds in the world."""
    cube = build.cube(size=size)
    build.tag(cube)
    return build.join(cube, type=kind)


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_chosen_type_is_read(scene, build, name):
    """A type chosen in the panel reaches the model with the directions of its slots, and the user's where he points."""
    settings = joint(jointed(build))
    settings.type = name
    pointed = (0.0, 0.6, 0.8)
    for axis in settings.axes:
        axis.xyz = pointed
    found = read_scene(scene).joints[0]
    kind = JOINT_TYPES[name]
    assert found.type == name
    assert len(found.axes) == (1 if kind.is_open else len(kind.axes))
    assert found.home == found.neutral
    for number, axis in enumerate(found.axes):
        assert axis.xyz == pytest.approx(kind.slot(number).direction or pointed)


@pytest.mark.parametrize("name", JOINT_TYPES)
def test_every_type_bakes(scene, build, name):
    """A new joint of any type is one that can be simulated as it is, and of which nothing is suspect."""
    jointed(build, name)
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    assert "parallel" not in bpy.context.scene.limberjack.last_notes


def random_axis(rng, slot, number):
    """Something in every field that means something; every second axis is locked and has rigid stops."""
    odd = number % 2 == 1
    special = {
        "locked": odd,
        "xyz": tuple((unit := rng.normal(size=3)) / np.linalg.norm(unit)),
        "point": tuple(rng.normal(size=3)),
        "lower": -rng.uniform(0.5, 0.9),
        "stiffness": math.inf if odd else rng.uniform(1e4, 1e6),
    }
    special["drive_mode"] = list(DRIVES)[number % len(DRIVES)]
    return Axis(**{name: special[name] if name in special else rng.uniform(0.1, 0.9) for name in sorted(slot.fields)})


def random_joint(name):
    kind = JOINT_TYPES[name]
    rng = np.random.default_rng(list(JOINT_TYPES).index(name))
    axes = [random_axis(rng, kind.slot(i), i) for i in range(3 if kind.is_open else len(kind.axes))]
    found = Joint("j", name, "world", "body", axes=axes, pitch=rng.uniform(0.1, 0.9), closes_loop=True)
    home = rng.uniform(0.02, 0.09, size=len(found.neutral))
    if kind.chart:
        home[-4:] /= np.linalg.norm(home[-4:])
    found.home = tuple(home.tolist())
    return found


def numbers_in(item):
    return {
        f"{name}[{i}]": float(number)
        for name, value in dataclasses.asdict(item).items()
        if isinstance(value, int | float | tuple)
        for i, number in enumerate(np.ravel(value).tolist())
    }


@pytest.mark.parametrize("scale_length", [1.0, 0.01])
@pytest.mark.parametrize("name", JOINT_TYPES)
def test_written_and_read_back(scene, name, scale_length):
    """No number of a joint is lost or changed on the way through a scene, in metres or in centimetres."""
    scene.unit_settings.scale_length = scale_length
    expected = random_joint(name)
    _, notes = write_scene(Model("m", [Link("body")], [expected]), scene)
    assert notes == []
    found = read_scene(scene).joint("j")
    assert found.type == name
    assert numbers_in(found) == pytest.approx(numbers_in(expected), rel=2e-6)
    assert len(found.axes) == len(expected.axes)
    for mine, theirs in zip(found.axes, expected.axes, strict=True):
        assert numbers_in(mine) == pytest.approx(numbers_in(theirs), rel=2e-6)
        assert mine.drive_mode == theirs.drive_mode


def test_units_of_numbers(scene, build):
    """Lengths are in the scene's unit, angles are not, whether a column, a row or a law is what measures them."""
    scene.unit_settings.scale_length = 0.01
    settings = joint(jointed(build, "custom"))
    axis = settings.axes[0]
    axis.turn, axis.slide, axis.point, axis.use_upper, axis.upper = 0.5, 20.0, (30.0, 0.0, 0.0), True, 2.0
    found = read_scene(scene).joints[0].axes[0]
    assert (found.turn, found.slide, found.point, found.upper) == (0.5, 0.2, (0.3, 0.0, 0.0), 2.0)
    axis.turn = 0.0  # a slide, so what it measures is a length
    assert read_scene(scene).joints[0].axes[0].upper == 0.02
    settings.type = "distance"
    assert read_scene(scene).joints[0].axes[0].upper == 0.02
    settings.type = "ball"
    settings.axes[3].use_upper, settings.axes[3].upper = True, 0.7
    assert read_scene(scene).joints[0].axes[3].upper == 0.7


def test_home_of_a_locked_axis(scene, build):
    """A locked axis has a start, which the joint is held at, and the others keep theirs."""
    settings = joint(jointed(build, "d6"))
    settings.use_home = True
    for number in range(6):
        settings.coordinates[number].home = 0.1 * (number + 1)
    settings.axes[2].locked = settings.axes[4].locked = True
    found = read_scene(scene).joints[0]
    assert found.home == pytest.approx((0.1, 0.2, 0.3, 0.4, 0.5, 0.6))
    assert found.q_home == pytest.approx((0.1, 0.2, 0.4, 0.6))


def test_fields_without_a_meaning_stay_behind(scene, build):
    """What a type does not show does not act in secret, and is there again on the way back."""
    settings = joint(jointed(build))
    settings.axes[0].use_upper, settings.axes[0].upper = True, 1.5
    settings.type = "continuous"
    assert read_scene(scene).joints[0].axes == [Axis()]
    settings.type = "revolute"
    assert read_scene(scene).joints[0].axes[0].upper == 1.5


def test_older_file(scene, build):
    """A file in which the type had fewer axes still gives a model; the panel says how to see the new ones."""
    empty = jointed(build, "ball")
    joint(empty).axes.clear()
    assert read_scene(scene).joints[0].axes == Joint("j", "ball", "a", "b").axes
    assert "choose its type again" in draw_all(empty)
    joint(empty).type = "ball"
    assert "choose its type again" not in draw_all(empty)


def test_axis_without_direction_is_named(scene, build):
    """With several axes, the error says which of them is at fault; one that is not pointed cannot be."""
    settings = joint(jointed(build, "universal"))
    settings.axes[1].xyz = (0.0, 0.0, 0.0)
    with pytest.raises(ModelError, match=r"joint 'Cube_joint': its axis '2' is \(0, 0, 0\): give it a direction"):
        read_scene(scene)
    settings.type = "euler_xyz"
    assert len(read_scene(scene).joints[0].axes) == 3


def test_axes_of_an_open_type(scene, build):
    """Axes are added outermost and taken from anywhere; starts and the numbers in mimics move with them."""
    empty, follower = jointed(build, "custom"), jointed(build, "universal")
    settings = joint(empty)
    for _ in range(2):
        build.select(empty)
        assert bpy.ops.limberjack.joint_axis_add() == {"FINISHED"}
    for number in range(3):
        settings.axes[number].damping = settings.coordinates[number].home = 0.25 * (number + 1)
    settings.use_home = joint(follower).use_mimic = True
    mimic = joint(follower).mimic
    mimic.leader, mimic.leader_axis = empty, 2
    assert bpy.ops.limberjack.joint_axis_remove(number=2) == {"FINISHED"}
    found = read_scene(scene).joint(empty.name)
    assert [axis.damping for axis in found.axes] == [0.25, 0.75]
    assert found.home == (0.25, 0.75)
    assert read_scene(scene).joint(follower.name).mimic == Mimic(empty.name, leader_axis=1)
    with pytest.raises(RuntimeError, match="has no axis 3: choose one from 1 to 2"):
        bpy.ops.limberjack.joint_axis_remove(number=3)


def test_open_type_with_no_axes(scene, build):
    """All axes may be taken away: the joint then holds still, and can be given axes again."""
    empty = jointed(build, "custom")
    bpy.ops.limberjack.joint_axis_remove()
    assert read_scene(scene).joints[0].axes == []
    draw_all(empty)
    with pytest.raises(RuntimeError, match="'Cube_joint' has no axes to remove"):
        bpy.ops.limberjack.joint_axis_remove()
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    bpy.ops.limberjack.joint_axis_add()
    assert read_scene(scene).joints[0].axes == [Axis()]


def test_axes_of_other_types_are_kept_apart(scene, build):
    """A custom joint starts with one axis, whatever the joint was before; what it was is there on the way back."""
    settings = joint(jointed(build, "d6"))
    settings.axes[5].damping = 0.5
    settings.type = "custom"
    assert len(read_scene(scene).joints[0].axes) == 1
    bpy.ops.limberjack.joint_axis_add()
    bpy.ops.limberjack.joint_axis_remove(number=2)
    settings.type = "d6"
    assert [axis.damping for axis in read_scene(scene).joints[0].axes] == [0.0] * 5 + [0.5]


def test_open_types_only(build):
    """The buttons of an open type say why they are off elsewhere."""
    jointed(build, "revolute")
    for operator in (bpy.ops.limberjack.joint_axis_add, bpy.ops.limberjack.joint_axis_remove):
        with pytest.raises(RuntimeError, match="Select a joint of type Custom"):
            operator()


def test_one_undo_step_for_an_axis(scene, build):
    """Adding an axis is undone as a whole, and so is removing one."""
    jointed(build, "custom")
    bpy.ops.ed.undo_push(message="before")
    for operator, count in ((bpy.ops.limberjack.joint_axis_add, 2), (bpy.ops.limberjack.joint_axis_remove, 0)):
        operator("EXEC_DEFAULT", True)  # True: with an undo step, as from the window
        assert len(read_scene(bpy.context.scene).joints[0].axes) == count
        bpy.ops.ed.undo()
        assert len(read_scene(bpy.context.scene).joints[0].axes) == 1


def ring(**closing):
    """Three links in a ring of hinges, on one that the world holds. closing: names of joints that are to close it."""
    ends = [("world", "a"), ("a", "b"), ("b", "c"), ("a", "c")]
    still = (1.0, 0.0, 0.0, 0.0)
    at = {"world": (0.0, 0.0, 0.0), "a": (0.0, 0.0, 0.0), "b": (1.0, 0.0, 0.0), "c": (1.0, 1.0, 0.0)}
    joints = []
    for parent, child in ends:
        X_PJ = (*np.subtract(at[child], at[parent]).tolist(), *still)
        joints.append(Joint(parent + child, "revolute", parent, child, X_PJ, closes_loop=parent + child in closing))
    return Model("ring", [Link(name, pose=(*at[name], *still)) for name in "abc"], joints)


@pytest.mark.parametrize("closing", ["ab", "bc", "ac"])
def test_chosen_loop_joint(scene, closing):
    """The joint that the user marks closes the loop, links are placed by the others, and parents still come first."""
    expected = ring(**{closing: True})
    objects, _ = write_scene(expected, scene)
    assert joint(objects[closing]).closes_loop
    found = read_scene(scene)
    assert [loop.joint.name for loop in found.loops()] == [closing]
    for there in expected.links:
        assert found.link(there.name).pose == pytest.approx(there.pose, abs=1e-9)
    depth = {"ab": ["a", "c", "b"], "bc": ["a", "b", "c"], "ac": ["a", "b", "c"]}
    assert [item.name for item in found.links] == depth[closing]


def crossed_bars():
    """A four-bar that falls, drawn closed: a crank and a rocker in the world, and a coupler between them."""
    still = (1.0, 0.0, 0.0, 0.0)
    pivots, pins = [(0.0, 0.0, 0.0), (2.5, 0.0, 0.0)], [(0.3, 0.0, 1.0), (2.0, 0.0, 1.5)]
    at = {"world": (0.0, 0.0, 0.0), "crank": pivots[0], "rocker": pivots[1], "coupler": pins[0]}
    ends = [("world", "crank", pivots[0]), ("crank", "coupler", pins[0]), ("world", "rocker", pivots[1])]
    joints = []
    for number, (parent, child, place) in enumerate([*ends, ("coupler", "rocker", pins[1])]):
        X_PJ, X_CJ = ((*np.subtract(place, at[end]).tolist(), *still) for end in (parent, child))
        joints.append(Joint(f"hinge{number}", "revolute", parent, child, X_PJ, X_CJ, [Axis(xyz=(0.0, 1.0, 0.0))]))
    links = [Link(name, com=(0.1, 0.0, 0.6), pose=(*at[name], *still)) for name in ("crank", "coupler", "rocker")]
    return Model("four_bar", links, joints)


def frame_of(obj, X_LJ):
    """Where a link's object carries a frame, at the frame that the scene is at."""
    evaluated = obj.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return evaluated.matrix_world @ Matrix.LocRotScale(X_LJ[:3], Quaternion(X_LJ[3:]), None)


@pytest.mark.parametrize("closing", [None, "hinge0", "hinge1"])
def test_a_loop_bakes_and_stays_closed(scene, closing):
    """A four-bar falls, and on every frame the two frames of each joint meet in one hinge, whichever closes it."""
    model = crossed_bars()
    for item in model.joints:
        item.closes_loop = item.name == closing
    objects, notes = write_scene(model, scene)
    assert notes == []
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    assert "loops closed to" in scene.limberjack.last_details
    assert scene.limberjack.last_notes == ""
    places = []
    for frame in range(scene.frame_start, scene.frame_end + 1):
        scene.frame_set(frame)
        places.append(objects["coupler"].matrix_world.translation.copy())
        for item in model.joints:
            one, other = (
                frame_of(objects[name], X) if name in objects else Matrix.LocRotScale(X[:3], Quaternion(X[3:]), None)
                for name, X in ((item.parent, item.X_PJ), (item.child, item.X_CJ))
            )
            assert (one.translation - other.translation).length < 1e-5, (frame, item.name)
            assert (one.col[1] - other.col[1]).length < 1e-5, (frame, item.name)
    assert (places[-1] - places[0]).length > 0.5


def test_a_loop_of_no_mass_is_one_clear_line(scene):
    """A loop between links that weigh nothing is one line that names the joint and the way out; nothing is baked."""
    hollow = [Link(name, 0.0, inertia=(0.0,) * 6) for name in ("tip", "hook")]
    ends = [("world", "a"), ("world", "b"), ("a", "tip"), ("b", "hook"), ("tip", "hook")]
    joints = [Joint(parent + child, "revolute", parent, child) for parent, child in ends]
    write_scene(Model("m", [Link("a"), Link("b"), *hollow], joints), scene)
    with pytest.raises(
        RuntimeError, match=r"Error: joint 'tiphook' closes a loop, but link .* has no mass; give it a mass"
    ):
        bpy.ops.limberjack.simulate()
    assert not bpy.data.actions


def test_axis_numbers_of_a_mimic(scene):
    """Which axis follows which goes through the scene, and a number that there is no axis for is refused in words."""
    still = [Link(name) for name in "ab"]
    leader = Joint("leader", "universal", "world", "a", axes=[Axis(), Axis((1.0, 0.0, 0.0))])
    follower = Joint("follower", "cylindrical", "world", "b", mimic=Mimic("leader", 2.0, 0.5, 0.1, 1, 1))
    objects, notes = write_scene(Model("m", still, [leader, follower]), scene)
    assert notes == []
    assert read_scene(scene).joint("follower").mimic == follower.mimic
    mimic = joint(objects["follower"]).mimic
    assert (mimic.axis_number, mimic.leader_axis_number) == (2, 2)
    mimic.axis_number = 3
    with pytest.raises(ModelError, match="'follower' follows with axis 3 of 'follower', which has 2: choose one from"):
        read_scene(scene)
    joint(objects["follower"]).type = "revolute"
    assert read_scene(scene).joint("follower").mimic.axis == 0


def test_couplings_are_left_out_aloud(scene):
    """A scene has no place for them yet, and says so."""
    joints = [Joint(name, "revolute", "world", name) for name in "ab"]
    model = Model("m", [Link("a"), Link("b")], joints, couplings=[Coupling("pair", "gear", [("a", 0), ("b", 0)])])
    _, notes = write_scene(model, scene)
    notes = [note for note in notes if "is named" not in note]
    assert notes == ["coupling 'pair' is left out: a scene cannot keep couplings yet"]


def shown(empty):
    """The properties that the panels draw, of an axis and of a mimic."""
    return draw(empty).props


def test_panel_shows_what_means_something(build):
    """Of each axis only what its slot has: directions where they are chosen, stops where there is a limit."""
    empty = jointed(build, "ball")
    settings = joint(empty)
    for axis in settings.axes:
        axis.show_expanded = True
        axis.use_lower = True
        axis.stiffness = 1e5
    props = shown(empty)
    assert props.count("xyz") == 1  # the cone's
    assert props.count("upper_angle") == 2
    assert props.count("lower_angle") == props.count("stiffness") == props.count("dissipation") == 1
    assert props.count("damping") == 3
    assert not {"locked", "restitution", "effort", "turn"} & set(props)
    settings.axes[4].use_stiffness = False
    props = shown(empty)
    assert "restitution" in props
    assert "dissipation" not in props
    texts = draw_all(empty)
    for label in ("X", "Y", "Z", "Cone", "Twist"):
        assert label in texts


def test_physics_tab_shows_what_the_sidebar_shows(build):
    """Links and joints stand in the Properties editor, too: whoever looks beside Rigid Body finds all of it there."""
    bars, joints = build.pendulum()
    joint(joints[0]).axes[0].drive_mode = "position"
    for obj in (bars[0], joints[0]):
        beside = draw(obj, "PROPERTIES").props
        assert len(beside) > 4
        assert not set(beside) - set(draw(obj).props)
    assert {"drive_target_angle", "use_home", "damping", "child"} <= set(draw(joints[0], "PROPERTIES").props)
    assert not draw(None, "PROPERTIES").props


def test_crossed_limits_are_seen_in_their_fields(build):
    """Typed or dragged, a lower limit above the upper one is red where it stands, not only once a simulation fails."""
    settings = joint(jointed(build, "revolute"))
    axis = settings.axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = 1.0, -1.0
    assert draw(settings.id_data).alerts >= {"lower_angle", "upper_angle"}
    axis.lower = -2.0
    assert not draw(settings.id_data).alerts


def test_panel_of_a_locked_axis(build):
    """A locked axis shows its lock alone, and its start."""
    empty = jointed(build, "prismatic")
    joint(empty).axes[0].locked = True
    props = shown(empty)
    assert "locked" in props
    assert "home_length" in props
    assert not {"xyz", "damping", "use_upper"} & set(props)


def test_panel_of_an_open_type(build):
    """A custom joint's axes are told apart by number, and say how they move."""
    empty = jointed(build, "custom")
    bpy.ops.limberjack.joint_axis_add()
    joint(empty).axes[1].turn = 0.0
    paper = draw(empty)
    assert [text for text in paper.texts if text.startswith("Axis")] == ["Axis 1", "Axis 2"] * 2  # and their drives
    assert paper.props.count("turn") == paper.props.count("slide") == paper.props.count("point") == 2
    assert {"home_angle", "home_length"} <= set(paper.props)


def test_panel_of_a_mimic(build):
    """Numbers of axes show only where there is more than one to choose from."""
    leader, follower = jointed(build, "universal"), jointed(build, "revolute")
    joint(follower).use_mimic, joint(follower).mimic.leader = True, leader
    assert "leader_axis_number" in shown(follower)
    assert "axis_number" not in shown(follower)
    joint(follower).type, joint(leader).type = "cylindrical", "revolute"
    assert "axis_number" in shown(follower)
    assert "leader_axis_number" not in shown(follower)


def test_panel_of_a_distance(build):
    """A distance has a spring and a damper between its points, in lengths."""
    empty = jointed(build, "distance")
    props = shown(empty)
    assert {"damping", "spring_stiffness", "upper_length"} <= set(props)
    assert "spring_reference_length" not in props
    joint(empty).axes[0].spring_stiffness = 5.0
    assert "spring_reference_length" in shown(empty)
    assert not {"xyz", "friction", "effort", "locked"} & set(shown(empty))


NEW_TYPE = """
import os, sys, bpy, limberjack
from limberjack.core.joints import JOINT_TYPES, Column, JointType

columns = (Column(axis=0, turn=1, slide=0.05), Column(axis=1, turn=1, slide=-0.02, point=(0.1, 0.2, 0.0)))
JOINT_TYPES["skew_screws"] = JointType("skew_screws", "Skew Screws", "Two screws about skew lines", columns)
limberjack.register()
bpy.ops.mesh.primitive_cube_add(size=1.0)
cube = bpy.context.object
bpy.ops.limberjack.link_tag()
bpy.ops.limberjack.joint_add(type="skew_screws")
settings = bpy.context.object.limberjack_joint
print("CHOICES", *settings.bl_rna.properties["type"].enum_items.keys())
print("AXES", *(tuple(axis.xyz) for axis in settings.axes))
bpy.context.scene.frame_end = 24
print("BAKE", bpy.ops.limberjack.simulate())
for frame in (1, 24):
    bpy.context.scene.frame_set(frame)
    print("PLACE", *cube.matrix_world.translation)
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.skipif(bool(bpy.app.binary_path), reason="inside Blender, whose Python cannot import bpy by itself")
def test_new_type_is_one_entry():
    """A type that is put into the registry can be chosen, simulated and baked with no other line of code."""
    done = subprocess.run([sys.executable, "-c", NEW_TYPE], capture_output=True, text=True)
    said = [line.split(" ", 1) for line in done.stdout.splitlines() if " " in line]
    found = {}
    for word, rest in said:
        found.setdefault(word, []).append(rest)
    assert found.get("BAKE") == ["{'FINISHED'}"], done.stdout + done.stderr
    assert "skew_screws" in found["CHOICES"][0].split()
    first, last = (np.array(place.split(), dtype=float) for place in found["PLACE"])
    assert np.linalg.norm(last - first) > 0.01
    assert "skew_screws" not in JOINT_TYPES
