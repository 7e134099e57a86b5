# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that keys drive: out of date when these are edited, and never because another frame is shown."""

import bpy
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.receipts.restore import bake_of, objects_with_user_animation
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.animation.motion_sources import is_bake
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of

from .baked import bake, show
from .conftest import joint, link
from .test_inputs import ON_AXIS, animate, body, key, wheel

CHANGED = "the animation that drives it was changed"


def reason(scene):
    return out_of_date(scene, read_scene(scene))


def machine(scene, build, way="keys"):
    """A driven wheel of which everything that can be followed is animated; cube and joint."""
    cube, empty = wheel(build, drive_mode="position", drive_stiffness=20.0, drive_damping=3.0)
    animate(empty, f"{ON_AXIS}drive_target_angle", 24, 2.0, way)
    if way == "keys":
        key(empty, f"{ids.JOINT}.drive_strength", (1, 1.0), (24, 0.2))
        key(empty, f"{ids.JOINT}.enabled", (1, True), (20, False))
        key(scene, "gravity", (1, (0.0, 0.0, 0.0)), (24, (0.0, 0.0, -6.0)))
        key(scene, f"{ids.SCENE}.wind", (1, (0.0, 0.0, 0.0)), (24, (4.0, 0.0, 0.0)))
        key(cube, f"{ids.LINK}.force", (1, (0.0, 0.0, 8.0)), (24, (0.0, 0.0, 0.0)))
    return cube, empty


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize("way", ["keys", "driver", "strip"])
def test_the_playhead_changes_nothing(scene, build, way, onto):
    """Guards the panel: at whatever frame, and at whatever it was baked, the bake is what the scene would give."""
    machine(scene, build, way)
    show(scene, 9)
    bake(scene, onto=onto)
    getattr(scene, ids.SCENE).bake.onto = onto
    for frame in (1, 9, 12.5, 22, 24, 40):
        show(scene, frame)
        assert reason(scene) == "", frame


def curve(owner, path):
    return next(curve for curve in fcurves_of(owner) if curve.data_path == path)


def move_key(curve):
    curve.keyframe_points[1].co.y += 0.5
    curve.update()


@pytest.mark.parametrize(
    "path", [f"{ON_AXIS}drive_target_angle", f"{ids.JOINT}.drive_strength", f"{ids.JOINT}.enabled", "wind", "gravity"]
)
def test_a_key_that_was_moved(scene, build, path):
    """Guards every kind of key that a simulation follows."""
    _, empty = machine(scene, build)
    bake(scene)
    owner = empty if path.startswith(ids.JOINT) else scene
    move_key(curve(owner, f"{ids.SCENE}.wind" if path == "wind" else path))
    assert reason(scene) == CHANGED


def test_a_strip_that_was_moved(scene, build):
    """Guards the nonlinear animation: a strip that comes later is another motion."""
    _, empty = machine(scene, build, "strip")
    bake(scene)
    strip = empty.animation_data.nla_tracks[0].strips[0]
    strip.frame_end += 3
    assert reason(scene) == CHANGED


@pytest.mark.parametrize("what", ["expression", "value", "key"])
def test_a_driver_that_was_changed(scene, build, what):
    """Guards drivers: what they say, and the number or the keys that they read."""
    _, empty = wheel(build, drive_mode="position", drive_stiffness=20.0)
    empty["dial"] = 1.0
    if what == "key":
        empty.keyframe_insert('["dial"]', frame=1)
    driver = empty.driver_add(f"{ON_AXIS}drive_target_angle").driver
    variable = driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = empty, '["dial"]'
    driver.expression = "var"
    bake(scene)
    show(scene, 10)
    assert reason(scene) == ""
    if what == "expression":
        driver.expression = "var + 1"
    elif what == "value":
        empty["dial"] = 2.0
    else:
        empty["dial"] = 2.0
        empty.keyframe_insert('["dial"]', frame=20)
    bpy.context.view_layer.update()
    assert reason(scene) == CHANGED


@pytest.mark.parametrize("name", ["drive_stiffness", "drive_damping", "friction"])
def test_what_is_not_animated_counts_as_ever(scene, build, name):
    """Guards numbers beside animated ones: with the strength keyed, a stiffness typed anew is another model."""
    _, empty = machine(scene, build)
    bake(scene)
    setattr(joint(empty).axes[0], name, 5.0)
    assert reason(scene) == "links, joints or gravity were changed"


def test_a_force_that_is_edited_beside_a_bake(scene, build):
    """Guards the loop of work: bake, move a key of the force that pushes the baked link, and bake again, unasked."""
    cube, _ = machine(scene, build)
    bake(scene)
    assert is_bake(cube.animation_data.action)
    move_key(curve(cube, f"{ids.LINK}.force"))
    assert reason(scene) == CHANGED
    assert objects_with_user_animation([cube]) == []
    bake(scene)
    assert reason(scene) == ""


@pytest.mark.parametrize("had_keys", [False, True])
def test_keys_made_beside_a_bake_outlive_it(scene, build, had_keys):
    """Guards keys that went into a bake's action, as that is the one the link plays: Clear Bake leaves them."""
    cube = build.cube(size=0.5)
    build.tag(cube)
    body(cube)
    if had_keys:
        key(cube, f"{ids.LINK}.force", (1, (0.0, 0.0, 1.0)), (12, (0.0, 0.0, 2.0)))
    bake(scene)
    key(cube, f"{ids.LINK}.force", (20, (0.0, 0.0, 7.0)))
    bpy.ops.limberjack.bake_clear()
    assert bake_of(scene) is None
    assert {curve.data_path for curve in fcurves_of(cube)} == {f"{ids.LINK}.force"}
    show(scene, 20)
    assert link(cube).force[2] == 7.0
    assert cube.matrix_world.translation.z == 0.0


def driven_by(empty, target, path, kind="SINGLE_PROP"):
    """A driver of the wheel's target, as stored, that hands on what it reads."""
    driver = empty.driver_add(f"{ON_AXIS}drive_target").driver
    variable = driver.variables.new()
    variable.type = kind
    if kind == "SINGLE_PROP":
        variable.targets[0].id_type = "SCENE" if isinstance(target, bpy.types.Scene) else "OBJECT"
        variable.targets[0].data_path = path
    variable.targets[0].id = target
    driver.expression = f"0.1 * {variable.name}"


@pytest.mark.parametrize("path", ["frame_current", "location.x", "location[0]"])
def test_a_driver_that_reads_what_changes_with_time(scene, build, path):
    """Guards the playhead once more: the time itself, and a component of a keyed place, are no change of the scene."""
    _, empty = wheel(build, drive_mode="position", drive_stiffness=20.0, drive_damping=3.0)
    knob = bpy.data.objects.new("knob", None)
    scene.collection.objects.link(knob)
    key(knob, "location", (1, (0.0, 0.0, 0.0)), (24, (9.0, 0.0, 0.0)))
    driven_by(empty, scene if path == "frame_current" else knob, path)
    bake(scene)
    for frame in (1, 9, 24):
        show(scene, frame)
        assert reason(scene) == "", frame
    if path != "frame_current":
        move_key(curve(knob, "location"))
        assert reason(scene) == CHANGED


def test_a_driver_that_looks_at_an_object(scene, build):
    """Guards drivers of places: the object that one measures is moved."""
    _, empty = wheel(build, drive_mode="position", drive_stiffness=20.0, drive_damping=3.0)
    knob = bpy.data.objects.new("knob", None)
    scene.collection.objects.link(knob)
    driven_by(empty, knob, "", "TRANSFORMS")
    bake(scene)
    assert reason(scene) == ""
    knob.location.x = 3.0
    bpy.context.view_layer.update()
    assert reason(scene) == CHANGED


@pytest.mark.parametrize("what", ["interpolation", "modifier"])
def test_what_lies_between_keys(scene, build, what):
    """Guards all that decides what a curve says: how it goes from key to key, and what is added to it."""
    _, empty = machine(scene, build)
    target = curve(empty, f"{ON_AXIS}drive_target_angle")
    for point in target.keyframe_points:
        point.interpolation = "BEZIER"
    noise = target.modifiers.new("NOISE")
    bake(scene)
    if what == "modifier":
        noise.strength = 9.0
    else:
        target.keyframe_points[0].interpolation = "CONSTANT"
    assert reason(scene) == CHANGED


def test_the_still_parts_of_what_is_animated(scene, build):
    """Guards vectors of which one component has keys: the others count as they are."""
    cube, _ = wheel(build, drive_mode="position", drive_stiffness=20.0, drive_damping=3.0)
    link(cube).force = (0.0, 0.0, 1.0)
    cube.keyframe_insert(f"{ids.LINK}.force", index=2, frame=1)
    scene.keyframe_insert("gravity", index=2, frame=1)
    bake(scene)
    assert reason(scene) == ""
    scene.gravity[0] = 5.0
    assert reason(scene)
    scene.gravity[0] = 0.0
    assert reason(scene) == ""
    link(cube).force[0] = 50.0
    assert reason(scene)


def test_a_track_that_plays_alone(scene, build):
    """Guards solo tracks, which silence all others."""
    _, empty = machine(scene, build, "strip")
    bake(scene)
    assert reason(scene) == ""
    track = empty.animation_data.nla_tracks.new()
    track.is_solo = True
    assert reason(scene)
