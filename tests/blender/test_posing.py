# SPDX-License-Identifier: GPL-3.0-or-later
"""What the handles of a joint do, by their operators: lead, aim, limit, start and zero."""

import math
from types import SimpleNamespace

import bpy
import pytest
from mathutils import Matrix, Vector

from limberjack.addon.bridge.findings.problems import displaced_links
from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.joints.frames import was_moved_since_stored
from limberjack.addon.bridge.joints.joint_edits import set_home
from limberjack.addon.bridge.joints.storing_frames import store_moved_frames
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.addon.bridge.viewport.rays import Ray, value_under
from limberjack.addon.gizmos.joint import handles_of
from limberjack.addon.gizmos.typed import Typed
from limberjack.core.joints import JOINT_TYPES
from support.models import dump

from .conftest import joint


def choose(build, obj):
    build.select(obj)
    bpy.context.view_layer.update()
    return obj


def four_bar(build):
    """A crank, a coupler and a rocker in the XZ plane, all hinged about y, the fourth bar being the world."""
    places = {"crank": (0.0, 1.0), "coupler": (1.0, 1.5), "rocker": (2.0, 0.75)}
    bars = {name: build.cube(name, (x, 0.0, z), size=0.2) for name, (x, z) in places.items()}
    build.tag(*bars.values())
    pins = {}
    for name, child, parent, at in (
        ("a", "crank", None, (0.0, 0.0, 0.0)),
        ("b", "coupler", "crank", (0.0, 0.0, 1.0)),
        ("c", "rocker", "coupler", (2.0, 0.0, 1.5)),
        ("d", "rocker", None, (2.0, 0.0, 0.0)),
    ):
        bpy.context.scene.cursor.location = at
        pins[name] = build.join(bars[child], bars.get(parent), origin="CURSOR")
        pins[name].name = name
        joint(pins[name]).axes[0].xyz = (0.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    return bars, pins


def distance(bars, one, other, at_one, at_other):
    bpy.context.view_layer.update()
    return (bars[one].matrix_world @ Vector(at_one) - bars[other].matrix_world @ Vector(at_other)).length


@pytest.mark.parametrize("name", ["a", "b", "c", "d"])
def test_four_bar_stays_closed(scene, build, name):
    """Whichever of its joints is led, the pin between coupler and rocker stays one point, and the model is the same."""
    bars, pins = four_bar(build)
    before = dump(read_scene(scene))
    choose(build, pins[name])
    bpy.ops.limberjack.joint_pose(value=0.4)
    assert distance(bars, "coupler", "rocker", (1.0, 0.0, 0.0), (0.0, 0.0, 0.75)) < 1e-6
    assert view_joint(pins[name], scene).q[0] == pytest.approx(0.4, abs=1e-6)
    assert bars["crank"].matrix_world.translation.length == pytest.approx(1.0, abs=1e-6)
    assert dump(read_scene(scene)) == before


def test_back_to_start(scene, build):
    """All links go back where simulations start, to the last digit that single precision keeps."""
    bars, pins = four_bar(build)
    stood = {name: bar.matrix_world.copy() for name, bar in bars.items()}
    choose(build, pins["a"])
    bpy.ops.limberjack.joint_pose(value=1.0)
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    for name, bar in bars.items():
        assert (
            max(
                abs(a - b)
                for rows in zip(bar.matrix_world, stood[name], strict=True)
                for a, b in zip(*rows, strict=True)
            )
            < 1e-6
        )


def test_leading_carries_what_hangs_on_the_link(scene, build):
    """A chain turns as one about the joint that is led, parented objects among it, and nothing else moves."""
    bars, joints = build.pendulum(3)
    bars[2].parent = bars[1]
    bars[2].matrix_parent_inverse = bars[1].matrix_world.inverted()
    bpy.context.view_layer.update()
    stood = [bar.matrix_world.copy() for bar in bars]
    choose(build, joints[1])
    bpy.ops.limberjack.joint_pose(value=0.5)
    bpy.context.view_layer.update()
    turn = Matrix.Translation((1.0, 0.0, 2.0)) @ Matrix.Rotation(0.5, 4, "Y") @ Matrix.Translation((-1.0, 0.0, -2.0))
    for bar, before, moved in zip(bars, stood, (Matrix.Identity(4), turn, turn), strict=True):
        wanted = moved @ before
        assert max((bar.matrix_world.col[i] - wanted.col[i]).length for i in range(4)) < 1e-5


@pytest.mark.parametrize("mode", ["QUATERNION", "AXIS_ANGLE", "XYZ", "ZYX"])
def test_every_rotation_mode(build, mode):
    """A link is turned in whatever way it keeps its rotation, deltas and scale apart, and its scale stays exactly."""
    bars, joints = build.pendulum(1, rotation_mode=mode)
    bars[0].delta_rotation_euler = (0.0, 0.3, 0.0)
    bars[0].delta_location = (0.1, 0.0, 0.0)
    bars[0].scale = (1.0, -0.1, 0.3)
    bpy.context.view_layer.update()
    build.select(joints[0])
    bpy.ops.limberjack.joint_frames_from_empty()
    stood, size = bars[0].matrix_world.copy(), tuple(bars[0].scale)
    bpy.ops.limberjack.joint_pose(value=0.5)
    bpy.context.view_layer.update()
    turn = Matrix.Translation((0.0, 0.0, 2.0)) @ Matrix.Rotation(0.5, 4, "Y") @ Matrix.Translation((0.0, 0.0, -2.0))
    assert max((bars[0].matrix_world.col[i] - (turn @ stood).col[i]).length for i in range(4)) < 1e-5
    assert tuple(bars[0].scale) == size


def test_limits_hold_the_pose(build, scene):
    """A joint is led as far as its limit, and the user is told that it goes no farther."""
    _, joints = build.pendulum(1)
    choose(build, joints[0])
    bpy.ops.limberjack.joint_limits(lower=-0.2, upper=0.3)
    bpy.ops.limberjack.joint_pose(value=1.0)
    bpy.context.view_layer.update()
    assert view_joint(joints[0], scene).q[0] == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("kind", [kind for kind in JOINT_TYPES if kind not in ("fixed", "free", "distance", "cable")])
def test_aiming_leaves_the_links(scene, build, kind):
    """Of every type with an axis to aim: it points where it is aimed, no link moves, and the model keeps its poses."""
    _, joints = build.pendulum(2)
    joint(joints[1]).type = kind
    bpy.context.view_layer.update()
    axes = [axis for axis in view_joint(joints[1], scene).axes if axis.kind != "cone" or axis.is_pointed]
    before = {item.name: item.pose for item in read_scene(scene).links}
    choose(build, joints[1])
    bpy.ops.limberjack.joint_aim(axis=axes[0].number + 1, direction=(1.0, 2.0, -2.0))
    bpy.context.view_layer.update()
    seen = next(axis for axis in view_joint(joints[1], scene).axes if axis.number == axes[0].number)
    assert (seen.direction - Vector((1.0, 2.0, -2.0)) / 3.0).length < 1e-6
    after = {item.name: item.pose for item in read_scene(scene).links}
    for name, pose in before.items():
        assert after[name] == pytest.approx(pose, abs=1e-6)


def test_zero_here(scene, build):
    """The joint counts from where it is; links, limits' numbers and the start's place stay."""
    bars, joints = build.pendulum(2)
    axis = joint(joints[1]).axes[0]
    axis.use_upper, axis.upper = True, 1.0
    choose(build, joints[1])
    bpy.ops.limberjack.joint_pose(value=0.4)
    bpy.context.view_layer.update()
    stood = bars[1].matrix_world.copy()
    bpy.ops.limberjack.joint_zero_here()
    bpy.context.view_layer.update()
    view = view_joint(joints[1], scene)
    assert view.q[0] == pytest.approx(0.0, abs=1e-6)
    assert view.axes[0].home == pytest.approx(-0.4, abs=1e-6)
    assert view.axes[0].upper == pytest.approx(1.0)
    assert bars[1].matrix_world == stood


def test_start_here(scene, build):
    """A simulation begins with the joint where the user has left it."""
    bars, joints = build.pendulum(1)
    choose(build, joints[0])
    bpy.ops.limberjack.joint_pose(value=0.7)
    bpy.context.view_layer.update()
    stood = bars[0].matrix_world.copy()
    bpy.ops.limberjack.joint_start_here()
    assert read_scene(scene).joints[0].home == pytest.approx((0.7,), abs=1e-6)
    bpy.ops.limberjack.simulate()
    scene.frame_set(1)
    bpy.context.view_layer.update()
    assert max((bars[0].matrix_world.col[i] - stood.col[i]).length for i in range(4)) < 1e-5


@pytest.mark.parametrize("kind", list(JOINT_TYPES))
def test_every_type_has_its_handles(scene, build, kind):
    """What can be limited has a handle for each end, what can be led one for its position and one for its start, and
    marks stand where the coordinate puts them."""
    _, joints = build.pendulum(2)
    joint(joints[1]).type = kind
    bpy.context.view_layer.update()
    view = view_joint(joints[1], scene)
    handles = list(handles_of(view, 0.5))
    known = view.joint
    roles = [role for role, *_ in handles]
    limited = [i for i in range(known.axis_count) if "upper" in known.kind.slot(i).fields]
    assert roles.count("upper") == len(limited)
    assert roles.count("lower") == sum("lower" in known.kind.slot(i).fields for i in limited)
    assert roles.count("pose") == roles.count("home") == len(known.columns)
    assert all(math.isfinite(sum(point)) for *_, point in handles)


def test_slider_marks_are_in_blender_units(scene, build):
    """On a slider in a scene of centimetres, the limit's handle is where the limit is, and typed limits are lengths."""
    scene.unit_settings.scale_length = 0.01
    cube = build.cube(location=(3.0, 0.0, 0.0))
    build.tag(cube)
    empty = choose(build, build.join(cube, type="prismatic"))
    bpy.ops.limberjack.joint_limits(lower=-2.0, upper=5.0)
    view = view_joint(empty, scene)
    assert (view.axes[0].lower, view.axes[0].upper) == pytest.approx((-0.02, 0.05))
    ends = {role: point for role, _, _, point in handles_of(view, 1.0)}
    assert (ends["upper"] - Vector((3.0, 0.0, 5.0))).length < 1e-6
    bpy.ops.limberjack.joint_pose(value=4.0)
    bpy.context.view_layer.update()
    assert (cube.matrix_world.translation - Vector((3.0, 0.0, 4.0))).length < 1e-6


def test_deltas_of_an_empty_do_not_lead_it_astray(scene, build):
    """An Empty with delta transforms stays where it is, however often its joint is settled."""
    _, joints = build.pendulum(2)
    joints[1].delta_location = (0.1, 0.0, 0.0)
    joints[1].delta_rotation_euler = (0.0, 0.0, 0.2)
    bpy.context.view_layer.update()
    stood = joints[1].matrix_world.copy()
    for _ in range(3):
        store_moved_frames(scene)
        bpy.context.view_layer.update()
        assert not was_moved_since_stored(joints[1])
        assert max((joints[1].matrix_world.col[i] - stood.col[i]).length for i in range(4)) < 1e-6


def test_a_link_of_no_size_ends_no_settling(scene, build):
    """One link that cannot be used leaves the other joints to be settled, and is told as a problem."""
    bars, joints = build.pendulum(3)
    bars[0].scale.x = 0.0
    joints[2].location.x += 0.25
    bpy.context.view_layer.update()
    store_moved_frames(scene)
    assert not was_moved_since_stored(joints[2])
    assert any("scale of zero" in problem.message for problem in show_rig(scene).problems)


@pytest.mark.parametrize("case", ["off-centre", "after a locked axis"])
def test_zero_here_is_exact(scene, build, case):
    """The joint stays closed, and at zero, where its axis passes its origin by, and where a locked one comes before."""
    _, joints = build.pendulum(2)
    settings = joint(joints[1])
    settings.type = "custom" if case == "off-centre" else "universal"
    axis = 1
    if case == "off-centre":
        settings.axes[0].xyz, settings.axes[0].point = (0.0, 1.0, 0.0), (0.5, 0.0, 0.2)
    else:
        settings.axes[0].locked, settings.use_home = True, True
        settings.coordinates[0].home = 0.7
        axis = 2
    choose(build, joints[1])
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    bpy.ops.limberjack.joint_pose(axis=axis, value=0.4)
    bpy.context.view_layer.update()
    bpy.ops.limberjack.joint_zero_here(axis=axis)
    bpy.context.view_layer.update()
    assert view_joint(joints[1], scene).q == pytest.approx((0.0,), abs=1e-6)
    assert not displaced_links(scene, scan_scene(scene))


def test_zero_here_keeps_what_follows(scene, build):
    """A follower stands where it stood when its leader counts from elsewhere, and the start is the same."""
    bars, joints = build.pendulum(2)
    follower = joint(joints[1])
    follower.use_mimic, follower.mimic.leader, follower.mimic.multiplier = True, joints[0], 1.0
    choose(build, joints[0])
    bpy.ops.limberjack.joint_pose(value=0.5)
    bpy.ops.limberjack.joint_start_here()
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    stood = [bar.matrix_world.copy() for bar in bars]
    assert view_joint(joints[1], scene).q == pytest.approx((0.5,), abs=1e-6)
    bpy.ops.limberjack.joint_zero_here()
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    for bar, before in zip(bars, stood, strict=True):
        assert max((bar.matrix_world.col[i] - before.col[i]).length for i in range(4)) < 1e-5


@pytest.mark.parametrize("size", [(-0.5, 1.0, 1.0), (1.0, -1.0, 1.0), (2.0, 1.0, 0.5)])
def test_aiming_on_a_mirrored_parent(scene, build, size):
    """The axis points where it is aimed whatever scale the parent has."""
    bars, joints = build.pendulum(2)
    bars[0].scale, bars[0].rotation_euler = size, (0.3, 0.5, -0.4)
    joint(joints[1]).type = "euler_zyx"
    bpy.context.view_layer.update()
    build.select(joints[1])
    bpy.ops.limberjack.joint_frames_from_empty()
    bpy.ops.limberjack.joint_aim(axis=1, direction=(0.6, 0.8, 0.0))
    bpy.context.view_layer.update()
    assert (view_joint(joints[1], scene).axes[0].direction - Vector((0.6, 0.8, 0.0))).length < 1e-6


def test_aiming_a_posed_joint(scene, build):
    """The link stays where it is, at the coordinate that it has, and the joint stays closed."""
    bars, joints = build.pendulum(2)
    choose(build, joints[1])
    bpy.ops.limberjack.joint_pose(value=0.4)
    bpy.context.view_layer.update()
    stood = bars[1].matrix_world.copy()
    bpy.ops.limberjack.joint_aim(axis=1, direction=(0.0, 1.0, 1.0))
    bpy.context.view_layer.update()
    assert bars[1].matrix_world == stood
    assert view_joint(joints[1], scene).q[0] == pytest.approx(0.4, abs=1e-6)
    assert not displaced_links(scene, scan_scene(scene))


def test_zero_here_of_a_follower(scene, build):
    """A follower that counts from elsewhere stands where it stood."""
    bars, joints = build.pendulum(2)
    follower = joint(joints[1])
    follower.use_mimic, follower.mimic.leader, follower.mimic.offset = True, joints[0], 0.3
    choose(build, joints[1])
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    stood = bars[1].matrix_world.copy()
    bpy.ops.limberjack.joint_zero_here()
    assert follower.mimic.offset == pytest.approx(0.0, abs=1e-6)
    bpy.ops.limberjack.pose_reset()
    bpy.context.view_layer.update()
    assert max((bars[1].matrix_world.col[i] - stood.col[i]).length for i in range(4)) < 1e-5


def test_start_of_one_axis_keeps_the_others(scene, build):
    """Numbers of a start that was switched off do not come back when one axis is given another."""
    _, joints = build.pendulum(1)
    settings = joint(joints[0])
    settings.type = "universal"
    settings.coordinates[1].home = 0.7
    bpy.context.view_layer.update()
    set_home(joints[0], scene, view_joint(joints[0], scene).axes[0], 0.1)
    assert read_scene(scene).joints[0].home == pytest.approx((0.1, 0.0))


def test_a_swing_stops_at_the_cone(scene, build):
    """A ball that is turned farther than its cone stops on it."""
    cube = build.cube()
    build.tag(cube)
    empty = choose(build, build.join(cube, type="ball"))
    cone = joint(empty).axes[3]
    cone.use_upper, cone.upper = True, 0.3
    Posing(scene).set_rotation(empty.name, (math.cos(0.6), math.sin(0.6), 0.0, 0.0))
    bpy.context.view_layer.update()
    swung = view_joint(empty, scene).axes[0].value
    assert swung == pytest.approx(0.3, abs=1e-5)


def test_a_slider_in_the_making(scene, build):
    """An axis that neither turns nor slides yet has no handles, and brings nothing down."""
    _, joints = build.pendulum(1)
    joint(joints[0]).type = "custom"
    joint(joints[0]).axes[0].turn = 0.0
    bpy.context.view_layer.update()
    assert not list(handles_of(view_joint(joints[0], scene), 1.0))


def test_typed_numbers():
    """Digits that are typed twice count twice, though Blender calls the second a double click."""
    typed = Typed()
    for key, character, value in (
        ("MINUS", "-", "PRESS"),
        ("ONE", "1", "PRESS"),
        ("ONE", "1", "RELEASE"),
        ("ZERO", "0", "PRESS"),
        ("ZERO", "0", "DOUBLE_CLICK"),
        ("PERIOD", ".", "PRESS"),
        ("FIVE", "5", "PRESS"),
    ):
        typed.add_key(SimpleNamespace(type=key, unicode=character, value=value))
    assert typed.value == -100.5
    typed.add_key(SimpleNamespace(type="BACK_SPACE", unicode="", value="PRESS"))
    assert typed.value == -100.0


@pytest.mark.parametrize("radius", [0.05, 1.0, 10.0])
def test_a_ring_seen_from_its_side(scene, build, radius):
    """The mouse at half the radius of a ring means 30 degrees, whatever its size, and a still mouse means no motion."""
    _, joints = build.pendulum(1)
    bpy.context.view_layer.update()
    axis = view_joint(joints[0], scene).axes[0]
    ray = Ray.__new__(Ray)
    ray.direction = Vector((1.0, 0.0, 0.0))
    ray.origin = Vector((-50.0, 0.0, 2.0 + 0.5 * radius))
    first = value_under(ray, axis, -0.5, radius)
    assert abs(math.degrees(first)) == pytest.approx(30.0, abs=1e-3)
    assert value_under(ray, axis, first, radius) == pytest.approx(first, abs=1e-6)


def test_a_joint_of_a_link_in_an_excluded_collection(scene, build):
    """The joint goes where the view layer shows it, and is selected."""
    away = bpy.data.collections.new("A")
    scene.collection.children.link(away)
    cube = build.cube()
    build.tag(cube)
    away.objects.link(cube)
    bpy.context.view_layer.layer_collection.children["A"].exclude = True
    assert bpy.context.object == cube
    empty = build.join(cube)
    assert empty.select_get()
