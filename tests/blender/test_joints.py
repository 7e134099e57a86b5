# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining links, and the errors that a user can make."""

import math

import bpy
import pytest
from mathutils import Matrix

from limberjack.addon.bridge.findings.problems import find_problems
from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.joints.frames import frames_at_empty, was_moved_since_stored
from limberjack.addon.bridge.joints.storing_frames import store_moved_frames
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.addon.bridge.values.fields import AXIS_FIELDS, INERTIAL_FIELDS, JOINT_FIELDS, LINK_FIELDS, MIMIC_FIELDS
from limberjack.core.kinematics import link_poses
from limberjack.core.model import Axis, Joint, Link, Mimic, ModelError
from support.models import dump

from .conftest import joint, link


def test_every_field_of_the_core_is_in_the_table():
    """A field that is added to core's axis, link, joint or mimic cannot be forgotten in the bridge."""
    handled_by_name = {
        Link: {"name", "pose", "visuals", "collisions", "extras", "self_collide", "family"},
        Joint: {"name", "type", "parent", "child", "X_PJ", "X_CJ", "axes", "home", "mimic", "extras"},
        Mimic: {"leader"},
        Axis: set(),
    }
    tables = {Link: (*INERTIAL_FIELDS, *LINK_FIELDS), Joint: JOINT_FIELDS, Mimic: MIMIC_FIELDS, Axis: AXIS_FIELDS}
    for cls, fields in tables.items():
        assert {field.name for field in fields} | handled_by_name[cls] == set(cls.__dataclass_fields__)


def test_defaults_are_the_cores(scene, build):
    """A new joint has the very defaults that core gives an axis."""
    cube = build.cube()
    build.tag(cube)
    build.join(cube)
    assert read_scene(scene).joints[0].axes == [Axis()]


def test_joint_between_links(scene, build):
    """The active link is the child, the other the parent; the joint sits at the child's origin, along the world."""
    a, b = build.cube("a"), build.cube("b", (0.0, 0.0, 3.0), rotation_euler=(0.5, 0.0, 0.0))
    build.tag(a, b)
    empty = build.join(b, a)
    found = read_scene(scene).joints[0]
    assert (found.parent, found.child, found.type) == ("a", "b", "revolute")
    assert found.X_PJ == pytest.approx((0.0, 0.0, 3.0, 1.0, 0.0, 0.0, 0.0), abs=1e-6)
    assert empty.parent == a
    assert tuple(empty.matrix_world.translation) == pytest.approx((0.0, 0.0, 3.0), abs=1e-6)
    assert joint(empty).child == b
    assert empty.empty_display_type == "PLAIN_AXES"  # the overlays say the axis, which arrows would contradict


def test_joint_to_the_world(scene, build):
    """A link that is selected alone is joined to the world."""
    cube = build.cube(location=(1.0, 2.0, 3.0))
    build.tag(cube)
    build.join(cube, type="prismatic")
    model = read_scene(scene)
    assert (model.joints[0].parent, model.joints[0].type) == ("world", "prismatic")
    assert model.links[0].pose == pytest.approx((1.0, 2.0, 3.0, 1.0, 0.0, 0.0, 0.0), abs=1e-9)


def test_joint_at_the_cursor(scene, build):
    """The joint can be put at the 3D cursor, and the link stays where it is."""
    cube = build.cube(location=(1.0, 2.0, 3.0))
    build.tag(cube)
    scene.cursor.location = (1.0, 2.0, 4.0)
    build.join(cube, origin="CURSOR")
    model = read_scene(scene)
    assert model.joints[0].X_PJ[:3] == (1.0, 2.0, 4.0)
    assert model.joints[0].X_CJ[:3] == (0.0, 0.0, 1.0)
    assert model.links[0].pose[:3] == (1.0, 2.0, 3.0)


def test_joint_on_a_scaled_link(scene, build):
    """An uneven scale on the parent neither moves nor stretches the joint."""
    a = build.cube("a", size=1.0, scale=(3.0, 0.2, 0.5), rotation_euler=(0.2, 0.3, 0.4))
    b = build.cube("b", (2.0, 1.0, 3.0))
    build.tag(a, b)
    empty = build.join(b, a)
    bpy.context.view_layer.update()
    assert tuple(empty.matrix_world.translation) == pytest.approx((2.0, 1.0, 3.0), abs=1e-5)
    assert empty.matrix_world.to_scale()[:] == pytest.approx((1.0, 1.0, 1.0), abs=1e-5)
    assert read_scene(scene).link("b").pose == pytest.approx((2.0, 1.0, 3.0, 1.0, 0.0, 0.0, 0.0), abs=1e-6)
    assert not was_moved_since_stored(empty)


def test_limits_show_in_degrees_and_metres(scene, build):
    """One stored number has a face in degrees and one in metres; infinity is a switch."""
    cube = build.cube()
    build.tag(cube)
    axis = joint(build.join(cube)).axes[0]
    axis.use_upper = True
    axis.upper_angle = math.radians(45.0)
    assert axis.upper == pytest.approx(math.pi / 4.0)
    found = read_scene(scene).joints[0].axes[0]
    assert found.upper == pytest.approx(math.pi / 4.0)
    assert found.lower == -math.inf


def test_sliding_limits_follow_the_unit_scale(scene, build):
    """On a slider, limits are lengths and so are converted to metres; on a hinge they are angles and are not."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube()
    build.tag(cube)
    empty = build.join(cube, type="prismatic")
    axis = joint(empty).axes[0]
    axis.use_upper, axis.upper_length = True, 50.0
    assert read_scene(scene).joints[0].axes[0].upper == pytest.approx(0.5)
    joint(empty).type = "revolute"
    assert read_scene(scene).joints[0].axes[0].upper == 50.0


@pytest.mark.parametrize(
    ("kind", "axes", "coordinates"), [("universal", 2, 2), ("ball", 5, 4), ("free", 2, 7), ("custom", 1, 1)]
)
def test_axes_and_coordinates_follow_the_type(scene, build, kind, axes, coordinates):
    """Choosing a type gives the joint the axes and coordinates that it needs, and loses none that it had."""
    cube = build.cube()
    build.tag(cube)
    settings = joint(build.join(cube))
    settings.axes[0].damping = 0.25
    settings.type = kind
    assert (len(settings.axes), len(settings.coordinates)) == (axes, coordinates)
    assert settings.axes[0].damping == 0.25
    assert read_scene(scene).joints[0].type == kind


def test_home(scene, build):
    """A start that is switched on reaches the model; off, the model finds its own."""
    cube = build.cube()
    build.tag(cube)
    settings = joint(build.join(cube))
    settings.coordinates[0].home_angle = 1.5
    assert read_scene(scene).joints[0].home == (0.0,)
    settings.use_home = True
    assert read_scene(scene).joints[0].home == (1.5,)


def test_moving_the_empty_moves_the_joint(scene, build):
    """The joint is where its Empty is put, and its links stay where they are; Esc and going back lose nothing."""
    bars, empties = build.pendulum()
    before = read_scene(scene)
    kept = joint(empties[1]).X_PJ
    empties[1].matrix_world = Matrix.Translation((1.5, 0.0, 2.0))
    bpy.context.view_layer.update()
    for settle in (lambda: None, lambda: store_moved_frames(scene)):
        settle()
        after = read_scene(scene)
        assert after.joint(empties[1].name).X_PJ[:3] == pytest.approx((1.5, 0.0, 0.0), abs=1e-6)
        assert after.joint(empties[1].name).X_CJ[:3] == pytest.approx((0.5, 0.0, 0.0), abs=1e-6)
        for bar in bars:
            assert after.link(bar.name).pose == pytest.approx(before.link(bar.name).pose, abs=1e-6)
    assert joint(empties[1]).X_PJ != kept
    assert not was_moved_since_stored(empties[1])


def test_moving_the_empty_of_a_posed_joint(scene, build):
    """A joint that is not at zero keeps its coordinate when its Empty is moved, and no link jumps."""
    bars, empties = build.pendulum()
    build.select(empties[1])
    bpy.ops.limberjack.joint_pose(value=0.6)
    bpy.context.view_layer.update()
    stood = bars[1].matrix_world.copy()
    empties[1].location.x += 0.25
    bpy.context.view_layer.update()
    store_moved_frames(scene)
    bpy.context.view_layer.update()
    assert bars[1].matrix_world == stood
    found = view_joint(empties[1], scene)
    assert found.q[0] == pytest.approx(0.6, abs=1e-6)
    assert not find_problems(scene, scan_scene(scene), [])


def test_animated_empty_moves_no_joint(scene, build):
    """What an animation does to the Empty is no edit of the joint."""
    _, empties = build.pendulum()
    before = dump(read_scene(scene))
    empties[1].keyframe_insert("location", frame=1)
    empties[1].location.z += 1.0
    empties[1].keyframe_insert("location", frame=10)
    scene.frame_set(10)
    store_moved_frames(scene)
    assert dump(read_scene(scene)) == before


def test_join_here(scene, build):
    """A link that was moved by hand is joined where it is, when the user says so."""
    bars, empties = build.pendulum()
    bars[1].location.x += 0.5
    bpy.context.view_layer.update()
    assert [problem.code for problem in find_problems(scene, scan_scene(scene), [])] == ["link-left"]
    build.select(empties[1])
    bpy.ops.limberjack.joint_frames_from_empty()
    assert read_scene(scene).link("bar1").pose[:3] == pytest.approx((1.5, 0.0, 2.0), abs=1e-6)
    assert not find_problems(scene, scan_scene(scene), [])


def test_another_link(scene, build):
    """Frames in one link are not used in another: the user places the joint anew, and all links stay."""
    bars, empties = build.pendulum(3)
    before = read_scene(scene)
    joint(empties[2]).parent = bars[0]
    with pytest.raises(ModelError, match="'bar2_joint' was given another link"):
        read_scene(scene)
    build.select(empties[2])
    bpy.ops.limberjack.joint_frames_from_empty()
    after = read_scene(scene)
    assert after.joint(empties[2].name).parent == "bar0"
    assert after.joint(empties[2].name).X_PJ[:3] == pytest.approx((2.0, 0.0, 0.0), abs=1e-6)
    assert after.link("bar2").pose == pytest.approx(before.link("bar2").pose, abs=1e-6)
    assert empties[2].parent == bars[0]


def test_deleted_link(scene, build):
    """A joint whose parent was deleted is not joined to the world in silence."""
    bars, _ = build.pendulum(2)
    build.select(bars[0])
    bpy.ops.object.delete()
    with pytest.raises(ModelError, match="'bar0' is not in this scene"):
        read_scene(scene)


def test_renaming_keeps_everything_together(scene, build):
    """A renamed link is known under its new name, everywhere."""
    bars, _ = build.pendulum()
    bars[0].name = "crank"
    model = read_scene(scene)
    assert {item.parent for item in model.joints} == {"world", "crank"}
    assert set(link_poses(model)) == {"crank", "bar1"}


def test_too_many_or_untagged(build):
    """Three links, an object that is no link, or nothing: each is refused with what to do about it."""
    a, b, c = build.cube("a"), build.cube("b"), build.cube("c")
    build.tag(a, b)
    build.select(c, b)
    with pytest.raises(RuntimeError, match="'c' is no link: tag it"):
        bpy.ops.limberjack.joint_add()
    build.tag(c)
    build.select(a, b, c)
    with pytest.raises(RuntimeError, match="3 links are selected"):
        bpy.ops.limberjack.joint_add()
    build.select()
    with pytest.raises(RuntimeError, match="Select the parent link"):
        bpy.ops.limberjack.joint_add()
    assert len(bpy.context.scene.objects) == 3


def break_itself(settings, other):
    settings.parent = settings.child


def break_no_child(settings, other):
    settings.child = None


def break_untagged(settings, other):
    link(settings.child).is_link = False


def break_elsewhere(settings, other):
    bpy.context.scene.collection.objects.unlink(settings.child)


def break_axis(settings, other):
    settings.axes[0].xyz = (0.0, 0.0, 0.0)


def break_frame(settings, other):
    settings.X_PJ = "0 0 zero"


def break_mimic(settings, other):
    settings.use_mimic = True


def break_name(settings, other):
    other.name = "world"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (break_itself, "joins 'bar1' with itself"),
        (break_no_child, "'bar1_joint' has no child"),
        (break_untagged, "its child 'bar1' is no link"),
        (break_elsewhere, "its child 'bar1' is not in this scene"),
        (break_axis, r"its axis is \(0, 0, 0\)"),
        (break_frame, "seven numbers"),
        (break_mimic, "follows no joint"),
        (break_name, "the name of the world"),
    ],
)
def test_broken_joint(scene, build, damage, message):
    """Whatever is wrong with a joint, the error names the object, says what was found and what to do."""
    bars, empties = build.pendulum()
    damage(joint(empties[1]), bars[0])
    with pytest.raises(ModelError, match=message):
        read_scene(scene)
    with pytest.raises(RuntimeError, match=message):
        bpy.ops.limberjack.simulate()
    assert bpy.context.window_manager.limberjack_status.error


def test_parent_that_was_deleted(scene, build):
    """Blender empties the pointer without a word: that is an error to mend, and no choice of the world."""
    bars, empties = build.pendulum(2)
    bpy.data.objects.remove(empties[0])
    bpy.data.objects.remove(bars[0])
    assert joint(empties[1]).parent is None
    for read in (lambda: read_scene(scene), lambda: frames_at_empty(empties[1])):
        with pytest.raises(ModelError, match="'bar1_joint' has lost its parent: choose another, or tick Join to World"):
            read()
    joint(empties[1]).to_world = True
    build.select(empties[1])
    bpy.ops.limberjack.joint_frames_from_empty()
    assert read_scene(scene).joints[0].parent == "world"


def test_parent_and_world_never_contradict_each_other(build):
    """Whichever of the two the user or a script sets, the other follows, and the frames are asked for anew."""
    bars, empties = build.pendulum(2)
    settings = joint(empties[1])
    assert joint(empties[0]).to_world
    assert not settings.to_world
    settings.to_world = True
    assert (settings.parent, settings.X_PJ) == (None, "")
    settings.parent = bars[0]
    assert not settings.to_world
    settings.parent = None
    assert settings.to_world


def test_frames_of_several_joints(build):
    """With one faulty joint among the selected, none is changed."""
    _, empties = build.pendulum(3)
    empties[0].location.x += 1.0
    empties[2].location.x += 1.0
    joint(empties[1]).child = None
    before = [(joint(empty).X_PJ, joint(empty).X_CJ) for empty in empties]
    build.select(*empties)
    with pytest.raises(RuntimeError, match="'bar1_joint' has no child"):
        bpy.ops.limberjack.joint_frames_from_empty()
    assert [(joint(empty).X_PJ, joint(empty).X_CJ) for empty in empties] == before


def test_axis_of_any_length(scene, build):
    """An axis is a direction: its length does not reach the model."""
    _, empties = build.pendulum(1)
    joint(empties[0]).axes[0].xyz = (0.0, 2.0, 0.0)
    assert read_scene(scene).joints[0].axes[0].xyz == (0.0, 1.0, 0.0)
