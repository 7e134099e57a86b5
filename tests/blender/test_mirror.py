# SPDX-License-Identifier: GPL-3.0-or-later
"""The other half of a machine: links and joints as a mirror in the plane x = 0 shows them."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.joints.frames import was_moved_since_stored
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.core.simulation import Simulation
from support.exponentials import matrix_of

from .conftest import joint, link
from .scenes import lopsided, put

S = np.diag([-1.0, 1.0, 1.0, 1.0])


def reflected(pose):
    return S @ matrix_of(pose) @ S


def mirror(build, *objects, **options):
    build.select(*objects)
    return bpy.ops.limberjack.mirror(**options)


def points_of(name):
    """Of the mesh of an object, in the world."""
    obj = bpy.data.objects[name]
    return np.array([obj.matrix_world @ vertex.co for vertex in obj.data.vertices])


@pytest.fixture
def arm(scene, build):
    """A body in the middle, an arm on its left with a shape, and a hand that is parented to the arm."""
    body = put("body", lopsided("body"), location=(0.0, 0.1, 0.2))
    upper = put(
        "arm.L", lopsided("arm"), location=(1.0, 0.2, 0.3), rotation_euler=(0.3, -0.4, 0.5), scale=(1.0, 0.5, 2.0)
    )
    put("sleeve.L", upper.data, upper, location=(0.1, 0.2, 0.3), rotation_euler=(0.5, 0.1, 0.0), scale=(1.0, -2.0, 0.5))
    hand = put("hand.L", lopsided("hand"), upper, location=(0.5, 0.1, 0.2), rotation_mode="QUATERNION")
    hand.rotation_quaternion = (0.9, 0.1, -0.3, 0.2)
    hand.matrix_parent_inverse = Matrix.Diagonal((1.0, 2.0, 0.5, 1.0))
    bpy.context.view_layer.update()
    build.tag(body, upper, hand)
    build.join(body, type="fixed")
    shoulder, wrist = build.join(upper, body), build.join(hand, upper)
    joint(shoulder).axes[0].xyz = (0.3, 0.5, 0.8)
    return body, upper, hand, shoulder, wrist


def test_poses_and_frames_are_mirrored(scene, build, arm):
    """Links, joint frames and every point that is seen stand where a mirror shows them; the middle carries both."""
    body, upper, hand, *_ = arm
    before = read_scene(scene)
    mirror(build, body, upper, hand)
    model = read_scene(scene)
    assert len(model.links) == 5
    assert {obj.name for obj in bpy.context.selected_objects} == {"arm.R", "hand.R"}
    for name, image in (("arm.L", "arm.R"), ("hand.L", "hand.R")):
        assert matrix_of(model.link(image).pose) == pytest.approx(reflected(model.link(name).pose), abs=1e-12)
        assert matrix_of(model.link(name).pose) == pytest.approx(matrix_of(before.link(name).pose), abs=0.0)
        assert points_of(image) == pytest.approx(points_of(name) * (-1.0, 1.0, 1.0), abs=1e-5)
        assert bpy.data.objects[image].data == bpy.data.objects[name].data
    assert points_of("sleeve.R") == pytest.approx(points_of("sleeve.L") * (-1.0, 1.0, 1.0), abs=1e-5)
    one, other = model.joint("arm.L_joint"), model.joint("arm.R_joint")
    assert (other.parent, other.child, model.joint("hand.R_joint").parent) == ("body", "arm.R", "arm.R")
    for found, image in ((one, other), (model.joint("hand.L_joint"), model.joint("hand.R_joint"))):
        X_WJ, X_WI = (matrix_of(model.link(end.child).pose) @ matrix_of(end.X_CJ) for end in (found, image))
        assert X_WI == pytest.approx(S @ X_WJ @ S, abs=1e-9)
    assert other.axes[0].xyz == pytest.approx((one.axes[0].xyz[0], -one.axes[0].xyz[1], -one.axes[0].xyz[2]))
    for image in ("arm.R_joint", "hand.R_joint"):
        assert not was_moved_since_stored(bpy.data.objects[image])


@pytest.mark.parametrize("x", [0.0, 0.7])
def test_a_joint_to_a_turned_link_that_is_not_mirrored(scene, build, x):
    """Guards the frame in a link that both sides share: it stands where a mirror shows it, however the link is turned.

    With x = 0 the link is in the middle; else the arm's image hangs on the same link, since there is no other side.
    """
    body = put("body", lopsided("body"), location=(x, 0.1, 0.2), rotation_euler=(0.2, 0.5, -0.4))
    upper = put("arm.L", lopsided("arm"), location=(1.0, 0.2, 0.3), rotation_euler=(0.3, -0.4, 0.5))
    build.tag(body, upper)
    build.join(upper, body)
    mirror(build, upper)
    model = read_scene(scene)
    one, other = model.joint("arm.L_joint"), model.joint("arm.R_joint")
    assert (other.parent, other.child) == ("body", "arm.R")
    X_WB = matrix_of(model.link("body").pose)
    assert X_WB @ matrix_of(other.X_PJ) == pytest.approx(S @ X_WB @ matrix_of(one.X_PJ) @ S, abs=1e-6)


@pytest.mark.parametrize(("limited", "tolerance"), [(False, 1e-9), (True, 1e-7)])  # stops are met within a tolerance
@pytest.mark.parametrize("kind", ["revolute", "ball", "planar", "cylindrical", "d6"])
def test_they_move_as_mirror_images(scene, build, arm, kind, limited, tolerance):
    """Simulated for half a second, both arms move as mirror images of each other, springs and limits included."""
    _, upper, hand, shoulder, wrist = arm
    for empty in (shoulder, wrist):
        settings = joint(empty)
        settings.type = kind
        for axis in settings.axes:
            axis.damping, axis.spring_stiffness, axis.spring_reference = 0.3, 20.0, 0.4
            axis.use_upper, axis.upper = limited, 0.05
            axis.stiffness = 1e3
    mirror(build, upper, hand)
    model = read_scene(scene)
    motion = Simulation(model, np.linspace(0.0, 0.5, 6), accuracy="exact").run()
    index = motion.link_names.index
    for name, image in (("arm.L", "arm.R"), ("hand.L", "hand.R")):
        path = motion.X_WL[:, index(name)]
        assert np.abs(path[-1] - path[0]).max() > 5e-5
        for pose, seen in zip(path, motion.X_WL[:, index(image)], strict=True):
            assert matrix_of(seen) == pytest.approx(reflected(pose), abs=tolerance)


def test_custom_masses(scene, build, arm):
    """A typed centre of mass and inertia are mirrored, and a weighed one follows from the mesh."""
    _, upper, hand, *_ = arm
    link(hand).mass_source = "CUSTOM"
    link(hand).com, link(hand).inertia = (0.1, 0.2, 0.3), (1.0, 0.1, 0.2, 1.1, 0.3, 1.2)
    mirror(build, upper, hand)
    model = read_scene(scene)
    typed, weighed, source = model.link("hand.R"), model.link("arm.R"), model.link("arm.L")
    assert (typed.com, typed.inertia) == ((-0.1, 0.2, 0.3), (1.0, -0.1, -0.2, 1.1, 0.3, 1.2))
    assert weighed.mass == pytest.approx(source.mass, rel=1e-12)
    assert weighed.com == pytest.approx(np.multiply(source.com, (-1.0, 1.0, 1.0)))
    assert weighed.inertia == pytest.approx(np.multiply(source.inertia, (1.0, -1.0, -1.0, 1.0, 1.0, 1.0)))


def test_all_settings_are_copied(scene, build, arm):
    """Limits, drives, friction, release, start and collections go along; a slide that the type fixes changes sign."""
    _, upper, _, shoulder, _ = arm
    left = bpy.data.collections.new("left")
    scene.collection.children.link(left)
    left.objects.link(upper)
    settings = joint(shoulder)
    settings.type = "translation"
    axis = settings.axes[0]
    axis.use_lower, axis.lower, axis.use_upper, axis.upper = True, -0.2, True, 1.5
    axis.drive_mode, axis.drive_target, axis.friction = "force", 3.0, 0.5
    settings.use_home, settings.coordinates[0].home = True, 0.7
    settings.use_released_at, settings.released_at = True, 12.0
    mirror(build, upper)
    image = read_scene(scene).joint("arm.R_joint")
    found = image.axes[0]
    assert (found.lower, found.upper, found.drive_target, found.friction) == (-1.5, 0.2, -3.0, 0.5)
    assert image.home == (-0.7, 0.0, 0.0)
    assert image.released_at == read_scene(scene).joint("arm.L_joint").released_at
    assert left in bpy.data.objects["arm.R"].users_collection


def test_mimics(scene, build, arm):
    """A follower's image follows the leader's image, with the sign that both coordinates ask for."""
    _, upper, hand, shoulder, wrist = arm
    joint(shoulder).type = "cylindrical"
    settings = joint(wrist)
    settings.use_mimic, settings.mimic.leader = True, shoulder
    settings.mimic.multiplier, settings.mimic.leader_axis, settings.mimic.reference = 2.0, 1, 0.25
    mirror(build, upper, hand)
    mimic = read_scene(scene).joint("hand.R_joint").mimic
    assert (mimic.leader, mimic.multiplier, mimic.reference) == ("arm.R_joint", -2.0, -0.25)
    mirror(build, hand)
    assert read_scene(scene).joint("hand.R_joint.001").mimic.leader == "arm.L_joint"


def test_a_second_step_finds_the_other_side(scene, build, arm):
    """Mirrored alone later, the hand is joined to the arm of its own side, not to the one that it came from."""
    _, upper, hand, *_ = arm
    mirror(build, upper)
    mirror(build, hand)
    model = read_scene(scene)
    assert model.joint("hand.R_joint").parent == "arm.R"
    assert matrix_of(model.link("hand.R").pose) == pytest.approx(reflected(model.link("hand.L").pose), abs=1e-6)


def test_the_middle(scene, build, arm):
    """A link on the plane is kept as it is, unless the user wants its image too; alone, there is nothing to do."""
    body, *_ = arm
    with pytest.raises(RuntimeError, match="'body' lies on the plane x = 0"):
        mirror(build, body)
    mirror(build, body, skip_middle=False)
    assert matrix_of(read_scene(scene).link("body.mirrored").pose)[0, 3] == pytest.approx(0.0)


def test_a_loop_onto_the_middle(scene, build, arm):
    """A joint by which a copied link holds the middle is copied too, so that a loop stays one."""
    body, upper, hand, *_ = arm
    build.join(body, hand)
    mirror(build, upper, hand)
    model = read_scene(scene)
    assert {(found.parent, found.child) for found in model.joints} >= {("hand.L", "body"), ("hand.R", "body")}


def test_baked_links(scene, build, arm):
    """The image of a baked link stands where the link was drawn, whatever frame is shown, and plays nothing."""
    _, upper, hand, *_ = arm
    before = read_scene(scene)
    SimulationBake(scene).run()
    scene.frame_set(20)
    assert matrix_of(read_scene(scene).link("hand.L").pose) == pytest.approx(matrix_of(before.link("hand.L").pose))
    mirror(build, upper, hand)
    model = read_scene(scene)
    for name, image in (("arm.L", "arm.R"), ("hand.L", "hand.R")):
        assert matrix_of(model.link(image).pose) == pytest.approx(reflected(before.link(name).pose), abs=1e-6)
        obj = bpy.data.objects[image]
        assert obj.animation_data is None
        assert np.array(obj.matrix_world.translation) == pytest.approx(
            reflected(before.link(name).pose)[:3, 3], abs=1e-5
        )
        assert not obj.limberjack_before.is_kept


def test_names(scene, build):
    """Names change sides as Blender's do; those without a side say that they are images."""
    names = {"leg_l": "leg_r", "LeftEye": "RightEye", "fin.L.001": "fin.R.001", "l_1_x": "r_1_x", "lid": "lid.mirrored"}
    cubes = [build.cube(name, (2.0, 0.0, 0.0)) for name in names]
    build.tag(*cubes)
    mirror(build, *cubes)
    assert {obj.name for obj in bpy.context.selected_objects} == set(names.values())


def test_twice_is_where_it_was(scene, build, arm):
    """The image of the image stands where the first stood, with an even scale of the same signs."""
    _, upper, *_ = arm
    mirror(build, upper)
    mirror(build, bpy.data.objects["arm.R"])
    again = bpy.data.objects["arm.L.001"]
    assert [*map(tuple, again.matrix_world)] == [*map(tuple, upper.matrix_world)]
    assert tuple(again.scale) == tuple(upper.scale)


def test_nothing_is_changed_on_error(scene, build, arm):
    """Where a joint cannot be used, no copy is made."""
    _, upper, hand, shoulder, _ = arm
    joint(shoulder).axes[0].xyz = (0.0, 0.0, 0.0)
    before = len(bpy.data.objects)
    with pytest.raises(RuntimeError, match=r"its axis is \(0, 0, 0\)"):
        mirror(build, hand, upper)
    assert len(bpy.data.objects) == before


def test_other_units(scene, build):
    """In a scene in centimetres, frames and limits are mirrored as they are, not scaled."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube("box.L", (100.0, 0.0, 0.0), size=50.0)
    build.tag(cube)
    axis = joint(build.join(cube, type="prismatic")).axes[0]
    axis.xyz, axis.use_upper, axis.upper = (1.0, 0.0, 0.0), True, 30.0
    mirror(build, cube)
    found = read_scene(scene).joint("box.R_joint")
    assert found.X_PJ[:3] == pytest.approx((-1.0, 0.0, 0.0))
    assert (found.axes[0].xyz, found.axes[0].upper) == ((-1.0, 0.0, 0.0), 0.3)
    assert math.isinf(found.axes[0].lower)
