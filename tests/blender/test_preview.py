# SPDX-License-Identifier: GPL-3.0-or-later
"""The preview without its window: what it shows, what it keeps, and what a change of the scene does to it."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from limberjack.addon import preview as previews
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.findings.last_run import last_run
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.preview import PreviewOverError, current
from limberjack.addon.preview import preview_motion as motion_module
from limberjack.addon.preview.preview_bake import PreviewBake
from limberjack.addon.preview.preview_motion import NUMBERS_PER_LINK, SNAPSHOT_INTERVAL, PreviewMotion
from limberjack.core.model import ModelError

FPS = 24.0


@pytest.fixture(autouse=True)
def _no_preview_stays():
    yield
    previews.end()


@pytest.fixture
def chain(build, scene):
    """Two bars that hang from the world on hinges, drawn level: they fall as soon as they are let go."""
    bars, joints = build.pendulum(2)
    for obj, name in zip((*bars, *joints), ("upper", "lower", "shoulder", "elbow"), strict=True):
        obj.name = name
    scene.frame_set(7)
    return bars


def tip(bar):
    """The end of a bar, in the world."""
    return bar.matrix_world @ Vector((1.0, 0.0, 0.0))


def matrices(scene):
    bpy.context.view_layer.update()
    return {obj.name: [*map(tuple, obj.matrix_world)] for obj in scene.objects}


def played(preview, frames, seconds=1.0 / FPS):
    """Let time go by, frame by frame; Blender tells of changes as in its window."""
    for _ in range(frames):
        preview.tick(seconds)
        bpy.context.view_layer.update()
    return preview


def settled(preview):
    """Let what is at the playhead be computed, however long it takes, with no time going by."""
    for _ in range(2000):
        preview.tick(0.0)
        bpy.context.view_layer.update()
        if preview.problem or not (preview.is_behind or preview.is_touched):
            return preview
    raise AssertionError("it never comes to where it is to be")


def started(scene):
    preview = previews.begin(scene)
    preview.tick(0.0)
    return preview


def test_it_shows_what_a_bake_would_key(scene, chain):
    """Guards that preview and bake agree: the same poses at every frame, to the last digit, and no key is made."""
    motion = SimulationBake(scene).simulation.run()
    preview = started(scene)
    for number in range(24):
        assert preview.shown == number
        assert scene.frame_current == 1 + number
        for row, name in enumerate(motion.link_names):
            shown = scene.objects[name].matrix_world.translation
            assert tuple(shown) == pytest.approx(motion.X_WL[number, row, :3], abs=1e-6)
        assert np.array_equal(preview.motion.simulation.trajectory.X_WL[number], motion.X_WL[number])
        preview.tick(1.0 / FPS)
    assert not preview.is_playing
    assert all(obj.animation_data is None for obj in scene.objects)


def test_stopping_puts_everything_back(scene, chain):
    """Guards Esc: every matrix to the last bit, the frame, and what the scene is read as."""
    before, model = matrices(scene), read_scene(scene)
    preview = played(started(scene), 10)
    assert matrices(scene) != before
    assert read_scene(scene).digest() == model.digest()
    preview.stop()
    assert matrices(scene) == before
    assert scene.frame_current == 7
    assert read_scene(scene).digest() == model.digest()
    assert all(not obj.limberjack_link.before_preview for obj in scene.objects)


def test_any_computed_frame_is_shown_again(scene, chain):
    """Guards scrubbing: back and forth in what is computed, and the frame that the timeline is set to."""
    preview = played(started(scene), 12)
    there = matrices(scene)
    preview.step(-5)
    preview.tick(0.1)
    assert (preview.shown, scene.frame_current, preview.is_playing) == (7, 8, False)
    assert matrices(scene) != there
    scene.frame_set(13)
    preview.tick(0.1)
    assert preview.shown == 12
    assert matrices(scene) == there
    scene.frame_set(20)  # not computed yet: it is, and no further
    settled(preview)
    assert (preview.shown, preview.motion.done) == (19, 20)
    preview.play()
    played(preview, 1)
    assert preview.shown == 20


def test_a_pull_leads_a_link_and_stays_in_the_motion(scene, chain):
    """Guards pulling: the point comes to where it is pulled, what was computed beyond is no more, and all is kept."""
    preview = played(started(scene), 6)
    lower = chain[1]
    held = tip(lower)
    preview.begin_pull(lower, held)
    assert preview.is_playing
    aim = Vector((1.0, 0.0, 3.2))
    preview.pull_to(aim)
    played(preview, 17)
    assert preview.line is not None
    near = (tip(lower) - aim).length
    assert near < 0.35 * (held - aim).length
    pulled = matrices(scene)
    preview.end_pull()
    preview.scrub(2)
    preview.tick(0.0)
    preview.scrub(24)
    settled(preview)
    assert matrices(scene) == pulled
    assert preview.motion.is_pulled


def test_a_pull_from_an_earlier_frame_takes_the_place_of_what_came_after(scene, chain):
    """Guards that the cache is cut where the mouse takes hold, and comes there anew as it was."""
    preview = played(started(scene), 20)
    tenth = preview.motion.poses(9)
    preview.scrub(10)
    preview.tick(0.0)
    preview.begin_pull(chain[1], tip(chain[1]))
    preview.pull_to(Vector((1.0, 0.0, 3.5)))
    assert preview.is_behind
    played(settled(preview), 2)
    assert preview.motion.poses(9) == tenth
    assert 10 <= preview.shown < 20


def test_a_pull_in_the_past_goes_on_from_there(scene, chain):
    """Guards kept states: next to nothing is computed again, and every bit is as if all had been."""
    preview = played(started(scene), 20)
    preview.scrub(10)
    preview.tick(0.0)
    preview.begin_pull(chain[1], tip(chain[1]))
    assert 10 - SNAPSHOT_INTERVAL < preview.motion.done <= 11
    preview.pull_to(Vector((1.0, 0.0, 3.5)))
    played(settled(preview), 9)
    preview.scrub(15)
    preview.tick(0.0)
    preview.begin_pull(chain[0], tip(chain[0]))
    preview.pull_to(Vector((0.5, 0.0, -1.0)))
    motion = played(settled(preview), 9).motion
    anew = PreviewMotion(scene, motion.inputs.settings, motion.inputs.reading, {})
    anew.adopt_pulls(motion)
    while anew.done < motion.done:
        anew.compute(motion.done, 60.0)
    for name in ("q", "qd", "X_WL", "supplied", "efforts"):
        one, other = (getattr(each.simulation.trajectory, name) for each in (motion, anew))
        assert np.array_equal(one, other), name


def test_play_goes_on_beyond_the_range(scene, chain):
    """Guards the frames after the last one of the range, which have numbers of their own."""
    motion = started(scene).motion
    wanted = len(motion.inputs.frames) + 3
    motion.compute(wanted, 60.0)
    assert motion.done == wanted


@pytest.mark.parametrize("step", [1.0, 0.5])
def test_memory_beyond_the_range_is_bounded(scene, chain, monkeypatch, step):
    """Guards the bound on stored numbers: so many states beyond the range, whether a frame has one of them or two."""
    links = 2
    monkeypatch.setattr(motion_module, "MOST_EXTRA_NUMBERS", 10.0 * NUMBERS_PER_LINK * links)
    scene.limberjack.bake.step = step
    motion = started(scene).motion
    assert len(motion.inputs.model.links) == links
    assert len(motion.frames) - len(motion.inputs.frames) == 10


def test_a_change_is_computed_anew_from_the_first_frame(scene, chain):
    """Guards that nothing stale is shown: after a change the motion is that of the changed scene, at the same frame."""
    preview = played(started(scene), 12)
    preview.pause()
    axis = scene.objects["elbow"].limberjack_joint.axes[0]
    axis.damping = 50.0
    scene.objects["elbow"].update_tag()
    bpy.context.view_layer.update()
    assert preview.is_touched
    settled(preview)
    assert preview.shown == 12
    shown = preview.motion.simulation.trajectory.X_WL[12].copy()
    preview.stop()
    previews.end()
    assert np.array_equal(SimulationBake(scene).simulation.run().X_WL[12], shown)


def test_what_drives_it_may_change_elsewhere(scene, chain):
    """Guards inputs: keys and drivers act in a preview as in a bake, and a number that a driver reads is no secret."""
    axis = scene.objects["elbow"].limberjack_joint.axes[0]
    axis.drive_mode, axis.drive_stiffness, axis.drive_damping = "position", 300.0, 30.0
    knob = bpy.data.objects.new("knob", None)
    scene.collection.objects.link(knob)
    knob["aim"] = 0.5
    curve = scene.objects["elbow"].driver_add("limberjack_joint.axes[0].drive_target")
    variable = curve.driver.variables.new()
    variable.targets[0].id, variable.targets[0].data_path = knob, '["aim"]'
    curve.driver.expression = f"{variable.name} + 0.01 * frame"
    preview = played(started(scene), 8)
    before = preview.motion.poses(8)
    knob["aim"] = -0.9
    knob.update_tag()
    bpy.context.view_layer.update()
    settled(preview)
    assert preview.motion.poses(8) != before
    preview.scrub(9)
    settled(preview)
    shown = preview.motion.simulation.trajectory.X_WL[8].copy()
    preview.stop()
    previews.end()
    assert np.array_equal(SimulationBake(scene).simulation.run().X_WL[8], shown)


def test_pulls_stay_through_a_change(scene, chain):
    """Guards that what the mouse has done is done again after a change."""
    preview = played(started(scene), 2)
    preview.begin_pull(chain[1], tip(chain[1]))
    preview.pull_to(Vector((0.8, 0.0, 3.4)))
    played(preview, 10)
    preview.end_pull()
    before = np.array(preview.motion.poses(12)["lower"])
    chain[0].limberjack_link.density = 1001.0
    preview.is_touched = True
    settled(preview)
    assert preview.motion.is_pulled
    assert preview.motion.poses(12)["lower"] == pytest.approx(before, abs=0.05)
    assert preview.motion.poses(12)["lower"] != tuple(before)


def test_what_cannot_be_simulated_any_more_is_put_back_until_it_can(scene, chain):
    """Guards a link that is deleted: one line that names the joint, links as they were, and no crash."""
    before = matrices(scene)
    preview = played(started(scene), 8)
    bpy.data.objects.remove(chain[1])
    preview.is_touched = True
    settled(preview)
    assert "elbow" in preview.problem
    found = matrices(scene)
    assert found == {name: before[name] for name in found}
    bpy.data.objects.remove(scene.objects["elbow"])
    preview.is_touched = True
    played(preview, 4)
    assert preview.problem == ""
    assert list(preview.motion.poses(0)) == ["upper"]
    preview.stop()
    assert matrices(scene) == {name: before[name] for name in matrices(scene)}


def test_a_scene_that_is_gone_ends_it(scene, chain):
    """Guards scenes that are deleted."""
    preview = started(scene)
    other = bpy.data.scenes.new("other")
    bpy.context.window.scene = other
    bpy.data.scenes.remove(scene)
    assert not preview.has_scene
    with pytest.raises(PreviewOverError):
        preview.tick(0.1)


def test_a_file_is_written_as_it_is_without_the_preview(scene, chain, tmp_path):
    """Guards saving: the file has the links where they were, and the preview goes on."""
    before = matrices(scene)
    preview = played(started(scene), 9)
    shown = matrices(scene)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "saved.blend"), copy=True)
    assert matrices(scene) == shown
    played(preview, 1)
    assert matrices(scene) != shown
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "saved.blend"))
    assert current() is None
    found = matrices(bpy.context.scene)
    assert {name: found[name] for name in before} == before
    assert bpy.context.scene.frame_current == 7


def test_links_that_a_preview_has_left_elsewhere_come_back_with_their_file(scene, chain, tmp_path):
    """Guards what Blender saves by itself, without telling anybody first: reading it puts the links back."""
    before = matrices(scene)
    preview = played(started(scene), 9)
    there = matrices(scene)
    previews.stop()  # so that nobody puts links back before it is written
    preview.on_undo()
    preview.tick(0.0)
    assert matrices(scene) == there
    path = str(tmp_path / "auto.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path, copy=True)
    previews.start()
    bpy.ops.wm.open_mainfile(filepath=path)
    found = matrices(bpy.context.scene)
    assert {name: found[name] for name in before} == before


def test_a_pose_is_kept(scene, chain):
    """Guards Keep as Pose: links stay, joints are as they were, and a simulation may start from there."""
    preview = played(started(scene), 9)
    there = matrices(scene)
    bpy.ops.limberjack.preview_keep_pose()
    assert current() is None
    assert matrices(scene) == there
    scene.limberjack.bake.start = "POSE"
    motion = SimulationBake(scene).simulation.run()
    assert motion.X_WL[0] == pytest.approx(preview.motion.simulation.trajectory.X_WL[9], abs=1e-5)


def test_a_bake_is_kept(scene, chain):
    """Guards Keep as Bake without pulls: the keys of a bake, up to date, the rest of the range computed with them."""
    played(started(scene), 9)
    assert bpy.ops.limberjack.preview_keep_bake() == {"FINISHED"}
    assert current() is None
    kept = {obj.name: [list(point.co) for curve in _curves(obj) for point in curve.keyframe_points] for obj in chain}
    assert all(kept.values())
    assert out_of_date(scene, read_scene(scene)) == ""
    bpy.ops.limberjack.bake_clear()
    SimulationBake(scene).run()
    assert kept == {
        obj.name: [list(point.co) for curve in _curves(obj) for point in curve.keyframe_points] for obj in chain
    }


def test_pulls_are_kept_in_a_bake(scene, chain):
    """Guards Keep as Bake with pulls: the frames that were seen have keys as they were seen, also on every second."""
    preview = played(started(scene), 3)
    preview.begin_pull(chain[1], tip(chain[1]))
    preview.pull_to(Vector((0.8, 0.0, 3.4)))
    played(preview, 10)
    preview.end_pull()
    seen = {number: preview.motion.poses(number)["lower"][:3] for number in (4, 8, 12)}
    motion = preview.motion
    preview.stop()
    previews.end()
    scene.limberjack.bake.step = 2.0
    PreviewBake(scene, motion).run()
    for number, place in seen.items():
        scene.frame_set(1 + number)
        assert tuple(chain[1].matrix_world.translation) == pytest.approx(place, abs=1e-5)


@pytest.mark.parametrize("step", [0.3, 1.0, 2.5, 5.0])
def test_it_agrees_with_a_bake_in_any_step(scene, chain, step):
    """Guards keys apart: a bake follows what is keyed between its keys, and the preview shows the same there."""
    elbow = scene.objects["elbow"]
    for frame, acts in ((1, True), (7, False), (10, True)):
        elbow.limberjack_joint.enabled = acts
        elbow.keyframe_insert("limberjack_joint.enabled", frame=frame)
    scene.limberjack.bake.step = step
    run = SimulationBake(scene)
    run.run()
    preview = started(scene)
    for number, frame in enumerate(run.frames.tolist()):
        preview.scrub(frame)
        settled(preview)
        assert preview.motion.frames[preview.shown] == pytest.approx(frame)
        assert np.array_equal(preview.motion.simulation.trajectory.X_WL[preview.shown], run.trajectory.X_WL[number])


def test_what_waits_to_be_mended_can_be_stepped_through(scene, chain):
    """Guards buttons and keys while the scene cannot be simulated: nothing happens, and nothing breaks."""
    preview = played(started(scene), 5)
    chain[1].limberjack_link.is_link = False
    preview.is_touched = True
    played(preview, 1)
    assert preview.problem
    bpy.ops.limberjack.preview_step(frames=1)
    assert not bpy.ops.limberjack.preview_keep_bake.poll()
    chain[1].limberjack_link.is_link = True
    preview.is_touched = True
    settled(preview)
    assert preview.problem == ""


def test_hidden_links_on_a_carrier_come_along(scene, chain):
    """Guards links that Blender does not evaluate: they are where the motion has them, and not farther each time."""
    carrier = bpy.data.objects.new("carrier", None)
    scene.collection.objects.link(carrier)
    carrier.rotation_euler.y, carrier.location.z = 0.5, 1.0
    bpy.context.view_layer.update()
    for bar in chain:
        bar.parent = carrier
        bar.matrix_parent_inverse = carrier.matrix_world.inverted()
    chain[1].hide_viewport = True
    bpy.context.view_layer.update()
    preview = played(started(scene), 10)
    there = preview.motion.poses(preview.shown)["lower"][:3]
    preview.keep_pose()
    previews.end()
    chain[1].hide_viewport = False
    bpy.context.view_layer.update()
    assert tuple(chain[1].matrix_world.translation) == pytest.approx(there, abs=1e-5)


def test_another_name_is_the_same_link(scene, chain):
    """Guards a link that is renamed in flight: the motion begins where it began, and not where it is shown."""
    scene.limberjack.bake.start = "POSE"
    preview = played(started(scene), 10)
    first = preview.motion.poses(0)["lower"]
    chain[1].name = "forearm"
    preview.is_touched = True
    settled(preview)
    assert preview.motion.poses(0)["forearm"] == pytest.approx(first, abs=1e-6)


def test_graphs_of_a_bake_come_back(scene, chain):
    """Guards the graphs: they show the preview while it is on, and after Esc the bake again."""
    SimulationBake(scene).run()
    run = last_run(scene)
    preview = played(started(scene), 5)
    assert last_run(scene) is not run
    preview.stop()
    assert last_run(scene) is run


def test_posing_by_hand_waits(scene, chain):
    """Guards that two do not move the links at once."""
    started(scene)
    with pytest.raises((ModelError, RuntimeError), match="preview"):
        bpy.ops.limberjack.link_pull(link="lower", place=(0.0, 0.0, 3.0))


def _curves(obj):
    from limberjack.addon.nodes.animation import fcurves_of

    return list(fcurves_of(obj))
