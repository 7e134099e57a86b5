# SPDX-License-Identifier: GPL-3.0-or-later
"""Baked motion is the simulated motion, and nothing of the user's is lost."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bake import bake_checks
from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.keys import spaces
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.animation.motion_sources import is_bake
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core.check import Issue
from limberjack.core.spatial import quat_to_mat
from support.models import dump

from .conftest import joint, link
from .paper import draw

MODES = ("QUATERNION", "AXIS_ANGLE", "XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX")


def bake(scene, **options):
    run = SimulationBake(scene, **options)
    run.run()
    return run


def require_exact(scene, run):
    """Evaluated matrices are the trajectory, at every frame."""
    scale = {name: np.array(obj.matrix_world.to_scale()) for name, obj in run.reading.objects.items()}
    trajectory = run.simulation.trajectory
    for number, frame in enumerate(run.frames.tolist()):
        scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for i, name in enumerate(trajectory.link_names):
            matrix = run.reading.objects[name].evaluated_get(depsgraph).matrix_world
            pose = trajectory.X_WL[number, i]
            assert np.array(matrix.translation) == pytest.approx(pose[:3], abs=1e-5), f"{name} at {frame}"
            turned = np.array(matrix.to_3x3().normalized())
            expected = np.array(quat_to_mat(pose[3:])).reshape(3, 3)
            assert turned == pytest.approx(expected, abs=1e-5), f"{name} at {frame}"
            assert np.array(matrix.to_scale()) == pytest.approx(scale[name], rel=1e-4)


def chaotic(build, **settings):
    """Two bars on ball joints, thrown so that they turn every way."""
    bars, empties = build.pendulum(**settings)
    for empty in empties:
        joint(empty).type = "ball"
    throw = {"qd": {empty.name: [3.0, 5.0, -9.0] for empty in empties}}
    return bars, throw


@pytest.mark.parametrize("mode", MODES)
def test_rotation_modes(scene, build, mode):
    """In every rotation mode the baked object is where the simulation says, and no angle jumps between frames."""
    bars, throw = chaotic(build)
    for bar in bars:
        bar.rotation_mode = mode
    scene.frame_end = 60
    require_exact(scene, bake(scene, initial=throw))
    for bar in bars:
        for curve in fcurves_of(bar):
            points = np.empty(2 * len(curve.keyframe_points))
            curve.keyframe_points.foreach_get("co", points)
            limit = 1.9 if mode == "AXIS_ANGLE" else 1.6
            assert np.abs(np.diff(points[1::2])).max() < limit * (2.0 if len(mode) == 3 else 1.0), curve.data_path


def test_parented_to_the_other_link(scene, build):
    """A link that is parented to another baked link, with its scale, is where it should be."""
    bars, throw = chaotic(build)
    bars[0].scale = (0.5, 0.5, 0.5)
    bars[1].parent = bars[0]
    bars[1].matrix_parent_inverse = Matrix.Translation((0.1, 0.2, 0.3))
    bpy.context.view_layer.update()
    build.tag(*bars)
    require_exact(scene, bake(scene, initial=throw))


def test_parented_to_a_still_object(scene, build):
    """A still parent with a pose and an even scale of its own is taken into account."""
    bars, throw = chaotic(build)
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    holder.location, holder.rotation_euler, holder.scale = (1, -2, 0.5), (0.4, 0.5, 0.6), (2, 2, 2)
    bars[0].parent = holder
    bpy.context.view_layer.update()
    require_exact(scene, bake(scene, initial=throw))


def test_parented_to_a_moving_object(scene, build):
    """A parent that is animated is followed frame by frame, and its motion does not show in the link's."""
    bars, throw = chaotic(build)
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    for frame, x in ((1, 0.0), (24, 5.0)):
        holder.location.x = x
        holder.keyframe_insert("location", frame=frame)
    bars[0].parent = holder
    require_exact(scene, bake(scene, initial=throw))


def test_parented_to_a_bone(scene, build):
    """A link on a moving bone is where the simulation says."""
    bars, throw = chaotic(build)
    bpy.ops.object.armature_add()
    rig = bpy.context.object
    bone = rig.pose.bones[0]
    for frame, x in ((1, 0.0), (24, 2.0)):
        bone.location.x = x
        bone.keyframe_insert("location", frame=frame)
    bars[0].parent, bars[0].parent_type, bars[0].parent_bone = rig, "BONE", bone.name
    require_exact(scene, bake(scene, initial=throw))


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "ZYX"])
def test_delta_transforms(scene, build, mode):
    """Delta transforms stay as they are, and the keys make up for them."""
    bars, throw = chaotic(build)
    for bar in bars:
        bar.rotation_mode = mode
        bar.delta_location = (0.3, 0.2, 0.1)
        bar.delta_rotation_euler = (0.3, 0.2, 0.1)
        bar.delta_rotation_quaternion = (0.9, 0.1, 0.2, 0.3)
        bar.delta_scale = (1.0, 2.0, 1.0)
    require_exact(scene, bake(scene, initial=throw))


def test_mirrored_links(scene, build):
    """A negative scale is kept, and the motion is right."""
    bars, throw = chaotic(build)
    bars[0].scale = (-1.0, 0.1, 0.1)
    bpy.context.view_layer.update()
    run = SimulationBake(scene, initial=throw)
    run.run()
    for number, frame in enumerate(run.frames.tolist()):
        scene.frame_set(frame)
        place = np.array(bars[0].matrix_world.translation)
        assert place == pytest.approx(run.simulation.trajectory.X_WL[number, 0, :3], abs=1e-5)


def test_unit_scale(scene, build):
    """In a scene in centimetres, keys are in Blender units and the simulation in metres."""
    scene.unit_settings.scale_length = 0.01
    bars, _ = build.pendulum()
    run = bake(scene)
    scene.frame_set(24)
    expected = run.simulation.trajectory.X_WL[-1, 1, :3] / 0.01
    assert np.array(bars[1].matrix_world.translation) == pytest.approx(expected, abs=1e-4)


def test_frame_rate(scene, build):
    """Frames are as far apart in time as the scene's frame rate says, base included."""
    build.pendulum(1)
    scene.render.fps, scene.render.fps_base = 30, 1.001
    run = bake(scene, first=5, last=10)
    assert run.simulation.trajectory.times == pytest.approx(np.arange(6) * 1.001 / 30.0)
    assert list(run.frames) == [5, 6, 7, 8, 9, 10]


def test_turns_do_not_wrap(scene, build):
    """A wheel that turns many times shows its turns in its Euler angle."""
    bars, empties = build.pendulum(1)
    scene.use_gravity = False
    joint(empties[0]).type = "continuous"
    bake(scene, initial={"qd": {empties[0].name: 20.0}})
    scene.frame_set(24)
    assert bars[0].rotation_euler.y == pytest.approx(20.0 * 23.0 / 24.0, rel=1e-4)


def test_through_gimbal_lock(scene, build):
    """Straight through the pose where two Euler angles are one, the angles stay continuous."""
    bars, empties = build.pendulum(1)
    scene.use_gravity = False
    joint(empties[0]).type = "continuous"
    bars[0].rotation_mode = "XYZ"
    rate = math.pi / 2.0 / 6.0 * 24.0  # a quarter turn about y in six frames, exactly
    run = bake(scene, initial={"qd": {empties[0].name: rate}})
    require_exact(scene, run)
    scene.frame_set(24)
    assert bars[0].rotation_euler[:] == pytest.approx((0.0, rate * 23.0 / 24.0, 0.0), abs=1e-5)


def test_sheared_parent(scene, build):
    """An uneven parent would shear the turning link: the error names both, and nothing is written."""
    bars, throw = chaotic(build)
    bars[1].parent = bars[0]
    bars[1].matrix_parent_inverse = bars[0].matrix_world.inverted()
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    holder.scale = (1.0, 3.0, 1.0)
    bars[0].parent = holder
    bpy.context.view_layer.update()
    with pytest.raises(BakeError, match=r"'bar0'.*'holder'.*shear"):
        bake(scene, initial=throw)
    assert not bpy.data.actions


def test_constraint_in_the_way(scene, build):
    """A constraint that would fight the bake is named before anything is computed; muted, it is no matter."""
    bars, _ = build.pendulum()
    constraint = bars[1].constraints.new("LIMIT_LOCATION")
    with pytest.raises(BakeError, match="'bar1' has the constraint 'Limit Location'"):
        SimulationBake(scene)
    constraint.mute = True
    SimulationBake(scene)


def test_driver_in_the_way(scene, build):
    """A driver on a link's location is named as well."""
    bars, _ = build.pendulum()
    bars[0].driver_add("location", 0)
    with pytest.raises(BakeError, match="'bar0' has a driver"):
        SimulationBake(scene)


def keyed(obj):
    obj.keyframe_insert("location", frame=1)
    obj.location.x += 1.0
    obj.keyframe_insert("location", frame=24)
    return obj.animation_data.action


def test_animation_is_never_lost(scene, build):
    """A script has to say overwrite; then the action is kept, and clearing the bake gives it back."""
    bars, _ = build.pendulum()
    action = keyed(bars[1])
    with pytest.raises(RuntimeError, match="'bar1' is animated already"):
        bpy.ops.limberjack.simulate()
    assert bars[1].animation_data.action == action
    assert len(bpy.data.actions) == 1
    assert bpy.ops.limberjack.simulate(overwrite=True) == {"FINISHED"}
    assert action.use_fake_user
    assert is_bake(bars[1].animation_data.action)
    assert bpy.ops.limberjack.bake_clear() == {"FINISHED"}
    assert bars[1].animation_data.action == action
    assert list(bpy.data.actions) == [action]
    scene.frame_set(24)
    assert bars[1].matrix_world.translation.x == pytest.approx(2.0, abs=1e-6)


def test_clear_puts_everything_back(scene, build):
    """Bake and clear leave the objects exactly where they were, with no animation and no action."""
    bars, _ = build.pendulum()
    before = [[tuple(row) for row in bar.matrix_world] for bar in bars]
    bpy.ops.limberjack.simulate()
    scene.frame_set(20)
    bpy.ops.limberjack.simulate()
    bpy.ops.limberjack.bake_clear()
    bpy.context.view_layer.update()
    assert [[tuple(row) for row in bar.matrix_world] for bar in bars] == before
    assert not bpy.data.actions
    assert all(bar.animation_data is None for bar in bars)


def test_baking_again_replaces_the_bake(scene, build):
    """A second bake leaves one action, and is the same as the first, at whatever frame it was started."""
    bars, _ = build.pendulum()
    bpy.ops.limberjack.simulate()
    first = [[point.co[1] for point in curve.keyframe_points] for curve in fcurves_of(bars[1])]
    scene.frame_set(17)
    bpy.ops.limberjack.simulate()
    assert [[point.co[1] for point in curve.keyframe_points] for curve in fcurves_of(bars[1])] == first
    assert len(bpy.data.actions) == 1


def test_one_action_for_all(scene, build):
    """A bake is one action with a slot for every link."""
    bars, _ = build.pendulum(3)
    bpy.ops.limberjack.simulate()
    actions = {bar.animation_data.action for bar in bars}
    assert len(actions) == 1
    assert len(actions.pop().slots) == 3


def test_no_links(scene):
    """Without links the button is grey, and says what to do."""
    with pytest.raises(RuntimeError, match="tag them as links"):
        bpy.ops.limberjack.simulate()


def test_empty_range(scene, build):
    """A range that ends before it begins is refused."""
    build.pendulum(1)
    with pytest.raises(BakeError, match="lies before"):
        SimulationBake(scene, first=10, last=5)


def test_scene_is_untouched_until_the_end(scene, build):
    """A run that is left half-way, as Esc does, leaves no trace in the scene."""
    bars, _ = build.pendulum()
    bpy.ops.limberjack.simulate()
    scene.frame_set(12)

    def state():
        depsgraph = bpy.context.evaluated_depsgraph_get()
        places = [[tuple(row) for row in bar.evaluated_get(depsgraph).matrix_world] for bar in bars]
        return places, list(bpy.data.actions), [link(bar).rest_pose for bar in bars], scene.limberjack.last_result

    before = state()
    run = SimulationBake(scene)
    run.step(0.0)
    run.step(0.01)
    assert run.frames_done
    run.cancel()
    assert state() == before


def test_notes_reach_the_user(scene, build):
    """What the engine remarks on a run is among the result's notes, and in the scene."""
    build.tag(build.cube())
    result = SimulationBake(scene).run()
    assert any(note.startswith("link 'Cube': nothing holds it, so it falls; ") for note in result.notes)
    assert scene.limberjack.last_notes.splitlines() == result.notes
    assert scene.limberjack.last_result == "Baked frames 1–24 on 1 link"


def test_what_stands_still_is_told_below_the_result(scene, build):
    """The result's row is as wide as the tab, and cut what was put behind it: "Baked frames 1–2...s. Nothing moves"."""
    bars, _ = build.pendulum(1)
    link(bars[0]).motion = "STATIC"
    result = SimulationBake(scene).run()
    assert result.summary == "Baked frames 1–24 on 1 link. Nothing moves"
    texts = draw(bars[0]).texts
    assert "Baked frames 1–24 on 1 link" in texts
    assert "Nothing moves" in texts


def test_diagnoses_reach_the_panel(scene, build):
    """What the doctor finds is kept with the scene, and drawn; a cleared bake takes it along."""
    _, empties = build.pendulum(1)
    axis = joint(empties[0]).axes[0]
    axis.use_lower, axis.lower = True, -0.5
    result = SimulationBake(scene, initial={"q": {empties[0].name: -1.0}}).run()
    assert "overlapping-start" in [diagnosis.code for diagnosis in result.findings]
    kept = scene.limberjack.findings
    assert [f"joint '{finding.name}': {finding.message}" for finding in kept] == result.diagnoses
    assert f"Findings: {len(kept)}, see Problems" in draw(empties[0]).texts
    bpy.ops.limberjack.bake_clear()
    assert len(scene.limberjack.findings) == 0


def test_findings_stop_a_bake_or_reach_the_user(scene, build, monkeypatch):
    """What core's check calls an error is refused before anything is computed; a warning is among the notes."""
    bars, _ = build.pendulum(2)
    link(bars[0]).mass_source = "CUSTOM"
    link(bars[0]).inertia = (1.0, 0.0, 0.0, 1.0, 0.0, 5.0)
    assert any("'bar0': principal moments" in note for note in SimulationBake(scene).run().notes)
    error = Issue("error", "some-code", "joint 'bar0_joint'", "is impossible")
    monkeypatch.setattr(bake_checks, "check_definition", lambda model: [error])
    with pytest.raises(BakeError, match="'bar0_joint': is impossible"):
        SimulationBake(scene)


def test_another_scene(scene, build):
    """A scene that is not the one in the window is read and baked all the same."""
    bars, _ = build.pendulum(2)
    other = bpy.data.scenes.new("Other")
    bpy.context.window.scene = other
    expected = SimulationBake(scene).run()
    assert expected.action.name == "Scene Limberjack Bake"
    assert is_bake(bars[0].animation_data.action)


def test_reading_is_not_changed_by_reading(scene, build):
    """Reading leaves the scene as it is."""
    build.pendulum()
    assert dump(read_scene(scene)) == dump(read_scene(scene))


def holder_of(obj, scene):
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    obj.parent = holder
    for frame, x in ((1, 0.0), (24, 5.0)):
        holder.location.x = x
        holder.keyframe_insert("location", frame=frame)
    return holder


def push_down(obj):
    """Turn the object's action into a strip."""
    data = obj.animation_data
    data.nla_tracks.new().strips.new("strip", 1, data.action)
    data.action = None


def test_strips_on_a_carrier(scene, build):
    """A carrier that plays strips is followed as one with keys of its own, and the frame stays where it was."""
    bars, throw = chaotic(build)
    push_down(holder_of(bars[0], scene))
    scene.frame_set(7)
    run = bake(scene, initial=throw)
    assert scene.frame_current == 7
    require_exact(scene, run)


def test_frame_after_a_failure(scene, build, monkeypatch):
    """The frame stays where it was even if something fails while the carriers are followed."""
    bars, _ = build.pendulum(1)
    holder_of(bars[0], scene)
    scene.frame_set(7)
    run = SimulationBake(scene)
    convert = spaces.world_matrix

    def fail(matrix):
        if scene.frame_current == 12:
            raise RuntimeError("out of order")
        return convert(matrix)

    monkeypatch.setattr(spaces, "world_matrix", fail)
    with pytest.raises(RuntimeError, match="out of order"):
        run.run()
    assert scene.frame_current == 7
    assert not any(is_bake(action) for action in bpy.data.actions)


def test_carrier_between_links(scene, build):
    """A link on something that moves by itself on another link cannot be met: both are named."""
    bars, _ = build.pendulum(2)
    holder = holder_of(bars[1], scene)
    holder.parent = bars[0]
    with pytest.raises(BakeError, match="'holder' moves by itself between the links it joins, 'bar0'"):
        bake(scene)


def test_strips_in_the_way(scene, build):
    """Strips on a link would fight the bake."""
    bars, _ = build.pendulum(1)
    keyed(bars[0])
    push_down(bars[0])
    with pytest.raises(BakeError, match="link 'bar0' plays strips"):
        SimulationBake(scene)


def test_link_from_a_library(scene, build, tmp_path):
    """A linked object cannot be keyed."""
    build.pendulum(1)
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = ["bar0", "bar0_joint"]
    for obj in into.objects:
        bpy.context.scene.collection.objects.link(obj)
    with pytest.raises(BakeError, match="'bar0' comes from a library"):
        SimulationBake(bpy.context.scene)


def test_link_deleted_meanwhile(scene, build):
    """A link that is gone when the simulation is done is named, and nothing is written."""
    bars, _ = build.pendulum(2)
    run = SimulationBake(scene)
    run.step(60.0)
    bpy.data.objects.remove(bars[1])
    with pytest.raises(BakeError, match="'bar1' was deleted while it was simulated"):
        run.finish()
    assert not bpy.data.actions


def test_slot_and_fake_user_are_given_back(scene, build):
    """Clearing gives each link its own slot again, and keeps actions in the file only if the user did."""
    bars, _ = build.pendulum(2)
    action = keyed(bars[0])
    bars[1].animation_data_create().action = action
    bars[1].animation_data.action_slot = action.slots.new("OBJECT", "second")
    action.slots.new("OBJECT", "third")
    slots = [bar.animation_data.action_slot.identifier for bar in bars]
    for kept in (False, True):
        action.use_fake_user = kept
        bpy.ops.limberjack.simulate(overwrite=True)
        assert action.use_fake_user
        bpy.ops.limberjack.bake_clear()
        assert [bar.animation_data.action_slot.identifier for bar in bars] == slots
        assert action.use_fake_user is kept


def test_bake_keeps_where_the_model_was_drawn(scene, build):
    """A root that was moved after it was tagged is, once baked, read where it was moved to."""
    cube = build.cube()
    build.tag(cube)
    cube.location = (1.5, 0.0, 0.0)
    bpy.context.view_layer.update()
    bake(scene)
    scene.frame_set(20)
    assert read_scene(scene).links[0].pose[:3] == (1.5, 0.0, 0.0)


def test_progress_is_cheap(scene, build, monkeypatch):
    """Asking how far a run is does not go through all its frames."""
    build.pendulum(1)
    run = SimulationBake(scene)
    run.step(60.0)
    monkeypatch.setattr(type(run.simulation), "report", None)
    assert (run.frames_done, run.progress) == (24, 1.0)
