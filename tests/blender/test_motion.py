# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that are held, and links that lead as they are animated."""

import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.restore import objects_with_user_animation
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.core.formats import read
from limberjack.core.simulation import Controls, Simulation
from limberjack.core.spatial import compose
from support.models import dump

from .conftest import joint, link
from .paper import draw_all
from .scenes import put


def gap(scene, run, hinge):
    """The largest distance [m] of the two frames of a joint in the simulation, over all frames."""
    known = run.model.joint(hinge)
    trajectory = run.simulation.trajectory
    parent, child = (trajectory.link_names.index(name) for name in (known.parent, known.child))
    return max(
        math.dist(
            compose(tuple(poses[parent]), known.X_PJ)[:3],
            compose(tuple(poses[child]), known.X_CJ)[:3],
        )
        for poses in trajectory.X_WL
    )


def hung(build, **keys):
    """A bar that hangs on a hand by a hinge about y, the hand kinematic."""
    hand = build.cube("hand", (0.0, 0.0, 2.0), size=0.3)
    bar = build.cube("bar", (0.0, 0.0, 1.5), size=1.0)
    for vertex in bar.data.vertices:
        vertex.co.x, vertex.co.y = 0.1 * vertex.co.x, 0.1 * vertex.co.y
        vertex.co.z -= 0.5
    bar.location.z = 2.0
    bpy.context.view_layer.update()
    build.tag(hand, bar)
    hinge = build.join(bar, hand)
    joint(hinge).axes[0].xyz = (0.0, 1.0, 0.0)
    link(hand).motion = "KINEMATIC"
    return hand, bar, hinge


def wave(hand):
    """Move and turn the hand: by keys, with an ease that Blender makes of them."""
    for frame, x, turn in ((1, 0.5, 0.0), (9, 1.5, 1.0), (17, 0.2, -1.0), (40, 1.0, 4.0)):
        hand.location.x, hand.rotation_euler.z = x, turn
        for path in ("location", "rotation_euler"):
            hand.keyframe_insert(path, frame=frame)


def drive(hand):
    hand.driver_add("location", 0).driver.expression = "sin(frame / 6)"


def strip(hand):
    wave(hand)
    data = hand.animation_data
    data.nla_tracks.new().strips.new("strip", 1, data.action)
    data.action = None


def carry(hand):
    """Let an animated object that is no link carry the hand."""
    carrier = put("carrier", None)
    wave(carrier)
    hand.parent = carrier


@pytest.mark.parametrize("move", [wave, drive, strip, carry])
def test_a_pendulum_follows_its_hand(scene, build, move):
    """Whatever animates the hand: the hand's animation stays, the pendulum follows it, and the hand does the work."""
    hand, bar, hinge = hung(build)
    move(hand)
    scene.frame_end = 40
    seen = []
    for frame in range(1, 41):
        scene.frame_set(frame)
        seen.append(np.array(hand.matrix_world))
    scene.frame_set(7)
    curves = [tuple(point.co) for curve in curves_of(hand) for point in curve.keyframe_points]
    run = SimulationBake(scene)
    assert scene.frame_current == 7
    run.run()
    trajectory = run.simulation.trajectory
    led = trajectory.X_WL[:, trajectory.link_names.index("hand")]
    assert np.abs(led[:, :3] - np.array(seen)[:, :3, 3]).max() < 1e-6
    print("gap", gap(scene, run, hinge.name), "m, drift", run.simulation.report.relative_drift)
    assert gap(scene, run, hinge.name) < 1e-6
    assert np.ptp(trajectory.supplied) > 1e-3
    assert not any("floats" in note for note in run.simulation.report.notes)
    assert run.simulation.report.relative_drift < 1e-5
    assert curves == [tuple(point.co) for curve in curves_of(hand) for point in curve.keyframe_points]
    ends = []
    for frame, before in zip(range(1, 41), seen, strict=True):
        scene.frame_set(frame)
        assert np.array(hand.matrix_world) == pytest.approx(before, abs=1e-6)
        ends.append((bar.matrix_world.translation - hand.matrix_world.translation).length)
    assert max(ends) < 2e-6
    action = hand.animation_data.action if hand.animation_data else None
    bpy.ops.limberjack.bake_clear()
    assert bar.animation_data is None or bar.animation_data.action is None
    assert (hand.animation_data.action if hand.animation_data else None) == action


def curves_of(obj):
    data = obj.animation_data
    if data is None or data.action is None:
        return []
    (layer,) = data.action.layers
    return list(layer.strips[0].channelbag(data.action_slot).fcurves)


def test_as_closely_as_a_formula(scene, build):
    """The pendulum moves as under the very formula that the driver has: the samples' spline adds next to nothing."""
    hand, _, _ = hung(build)
    drive(hand)
    scene.frame_end, scene.render.fps = 48, 24
    run = SimulationBake(scene, accuracy="exact")
    run.run()
    found = run.simulation.trajectory
    model = read_scene(scene)
    model.joints = [each for each in model.joints if each.name != "hand_kinematic"]
    lead = Controls(links={"hand": lambda time: (math.sin((1.0 + 24.0 * time) / 6.0), 0, 2, 1, 0, 0, 0)})
    model.link("hand").pose = lead.links["hand"](0.0)
    expected = Simulation(model, [i / 24 for i in range(48)], accuracy="exact", controls=lead).run()
    number = found.link_names.index("bar")
    off = np.abs(found.X_WL[:, number] - expected.X_WL[:, expected.link_names.index("bar")]).max()
    print("off by", off)
    assert off < 1e-4
    assert np.abs(expected.X_WL[:, number, 0]).max() > 0.5


def test_same_model_at_every_frame(scene, build):
    """Where the hand is at a frame says nothing about the model, before and after a bake."""
    hand, _, _ = hung(build)
    wave(hand)
    scene.frame_set(1)
    before = dump(read_scene(scene))
    scene.frame_set(20)
    assert dump(read_scene(scene)) == before
    bpy.ops.limberjack.simulate()
    scene.frame_set(13)
    assert dump(read_scene(scene)) == before


def test_kinematic_without_animation_stays(scene, build):
    """Nothing moves it, and no keys are written on it."""
    hand, bar, _ = hung(build)
    bar.rotation_euler.y = 0.5
    bpy.context.view_layer.update()
    bpy.ops.limberjack.simulate()
    scene.frame_set(24)
    assert tuple(hand.matrix_world.translation) == pytest.approx((0.0, 0.0, 2.0), abs=1e-7)
    assert hand.animation_data is None
    assert bar.animation_data.action


def test_operator_does_not_ask(scene, build):
    """The animation of a link that leads is not in the way of a bake; that of another still is."""
    hand, bar, _ = hung(build)
    wave(hand)
    assert objects_with_user_animation([hand, bar]) == []
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    bpy.ops.limberjack.bake_clear()
    wave(bar)
    assert objects_with_user_animation([hand, bar]) == [bar]
    with pytest.raises(RuntimeError, match="'bar' is animated already"):
        bpy.ops.limberjack.simulate()


def test_a_fixed_joint_gives_way(scene, build):
    """A link that a file called kinematic comes with a fixed joint to the world: once it is animated, it leads."""
    hand, bar, hinge = hung(build)
    wave(hand)
    held = build.join(hand, type="fixed")
    model = read_scene(scene)
    assert sorted(each.name for each in model.joints) == sorted([held.name, hinge.name])
    run = SimulationBake(scene)
    run.run()
    number = run.simulation.trajectory.link_names.index("hand")
    assert np.ptp(run.simulation.trajectory.X_WL[:, number, 0]) > 1.0
    assert gap(scene, run, hinge.name) < 1e-6
    assert bar.animation_data.action


def test_two_hands(scene, build):
    """Two links that lead pull a chain between them, which closes a loop, along their own ways."""
    bars, joints = build.pendulum(3)
    hands = [build.cube(f"hand{i}", (x, 0.0, 2.0), size=0.2) for i, x in enumerate((0.0, 3.0))]
    build.tag(*hands)
    bpy.data.objects.remove(joints[0])
    first = build.join(bars[0], hands[0], type="ball")
    scene.cursor.location = (3.0, 0.0, 2.0)
    last = build.join(bars[2], hands[1], type="ball", origin="CURSOR")
    for i, hand in enumerate(hands):
        link(hand).motion = "KINEMATIC"
        for frame, x in ((1, 0.0), (24, 0.5)):
            hand.location.x = 3.0 * i + x * (1 - 2 * i)
            hand.keyframe_insert("location", frame=frame)
    run = SimulationBake(scene)
    run.run()
    assert gap(scene, run, first.name) < 1e-6
    assert gap(scene, run, last.name) < 1e-6


def test_what_cannot_lead(scene, build):
    """A link that is to move as animated cannot hang on one that is simulated, nor play an earlier bake."""
    hand, bar, _ = hung(build)
    hand.parent = put("holder", None)
    wave(hand)
    other = build.cube("other", (5.0, 0.0, 0.0))
    build.tag(other)
    hand.parent = other
    with pytest.raises(RuntimeError, match="'hand' is to move as it is animated, but hangs on link 'other'"):
        bpy.ops.limberjack.simulate()
    hand.parent = None
    bpy.ops.limberjack.simulate()
    link(bar).motion = "KINEMATIC"
    with pytest.raises(RuntimeError, match="'bar' is to move as it is animated, but plays an earlier bake"):
        bpy.ops.limberjack.simulate()


def test_what_is_not_animated_cannot_hang_on_a_simulated_link(scene, build):
    """Guards kinematic links without keys: a carrier that is simulated moves them, so they are refused as those with
    keys are. They were simulated as if they stood still, and the bake was out of date at once."""
    hand, *_ = hung(build)
    hand.parent = build.cube("other", (5.0, 0.0, 0.0))
    build.tag(hand.parent)
    with pytest.raises(RuntimeError, match="'hand' is to move as it is animated, but hangs on link 'other'"):
        bpy.ops.limberjack.simulate()
    link(hand.parent).motion = "KINEMATIC"
    assert bpy.ops.limberjack.simulate() == {"FINISHED"}
    assert not out_of_date(scene, read_scene(scene))


def test_what_hangs_on_a_static_link_stands_still(scene, build):
    """Guards kinematic links on static ones: the keys by which a bake holds the carrier do not move them, so the bake
    is up to date, and a second one is not refused."""
    hand, *_ = hung(build)
    hand.parent = build.cube("other", (5.0, 0.0, 0.0))
    build.tag(hand.parent)
    link(hand.parent).motion = "STATIC"
    for _ in range(2):
        assert bpy.ops.limberjack.simulate() == {"FINISHED"}
        assert not out_of_date(scene, read_scene(scene))


def test_all_lead(scene, build):
    """Where every link leads there is nothing to simulate, which is said."""
    cube = build.cube()
    build.tag(cube)
    link(cube).motion = "KINEMATIC"
    with pytest.raises(RuntimeError, match="all links move as they are animated"):
        bpy.ops.limberjack.simulate()


def test_static(scene, build):
    """A static link is fixed to the world where it was drawn; what hangs on it swings, and it stays."""
    bars, _ = build.pendulum(2)
    link(bars[0]).motion = "STATIC"
    model = read_scene(scene)
    held = model.joint("bar0_static")
    assert (held.type, held.parent, held.child) == ("fixed", "world", "bar0")
    assert held.X_PJ == model.link("bar0").pose
    bpy.ops.limberjack.simulate()
    scene.frame_set(12)
    assert tuple(bars[0].matrix_world.translation) == pytest.approx((0.0, 0.0, 2.0), abs=1e-6)
    assert abs(bars[1].matrix_world.to_euler().y) > 0.1
    assert dump(read_scene(scene)) == dump(model)


def test_static_names(scene, build):
    """The joint's name is one that nothing else has, and a link that a joint holds already gets none."""
    cube, other, third = build.cube("a"), build.cube("a_static", (5, 0, 0)), build.cube("b", (9, 0, 0))
    build.tag(cube, other, third)
    fixed = build.join(third, type="fixed")
    for obj in (cube, third):
        link(obj).motion = "STATIC"
    model = read_scene(scene)
    assert sorted(each.name for each in model.joints) == sorted(["a_static_2", fixed.name])
    joint(fixed).enabled = False
    assert "b_static" in {each.name for each in read_scene(scene).joints}


def test_files(scene, build, tmp_path):
    """A static link leaves as fixed to the world, a kinematic one too, which is told; both come back so."""
    hand, _, hinge = hung(build)
    wave(hand)
    block = build.cube("block", (5.0, 0.0, 0.0))
    build.tag(block)
    link(block).motion = "STATIC"
    reading = scan_scene(scene, with_shapes=True)
    assert any("'hand' moves as it is animated, which files cannot express" in note for note in reading.notes)
    path = tmp_path / "out.sdf"
    assert bpy.ops.limberjack.export_sdf(filepath=str(path)) == {"FINISHED"}
    model = read(path).model
    for name, held in (("hand", "hand_kinematic"), ("block", "block_static")):
        found = model.joint(held)
        assert (found.type, found.parent, found.child) == ("fixed", "world", name)
    assert model.joint(hinge.name).parent == "hand"


def test_panel(scene, build):
    """The panel says what held and led links do."""
    cube = build.cube()
    build.tag(cube)
    assert "animated" not in draw_all(cube)
    for motion, words in (("STATIC", "Static (fixed)"), ("KINEMATIC", "drives the links joined")):
        link(cube).motion = motion
        assert words in draw_all(cube)


def stepped(platform, interpolation):
    """Return keys of a platform that moves aside by 3 m, from one frame to the next or on the way between them."""
    for frame, x in ((1, 0.0), (9, 0.0), (10, 3.0)):
        platform.location.x = x
        platform.keyframe_insert("location", frame=frame)
    for curve in curves_of(platform):
        for key in curve.keyframe_points:
            key.interpolation = interpolation


@pytest.mark.parametrize("interpolation", ["CONSTANT", "LINEAR", "BEZIER"])
def test_stepped_keys_jump_and_fast_keys_move(scene, build, interpolation):
    """Guards stepped keys: a box on such a platform falls straight down, and the doctor has the platform and the frame.

    The same keys with another interpolation are fast motion, and no jump.
    """
    platform = build.cube("platform", (0.0, 0.0, 2.0), size=1.0)
    box = build.cube("box", (0.0, 0.0, 2.6), size=0.2)
    build.tag(platform, box)
    stepped(platform, interpolation)
    link(platform).motion = "KINEMATIC"
    scene.frame_end, scene.render.fps = 20, 24
    run = SimulationBake(scene, contact=interpolation == "CONSTANT")
    run.run()
    found = [cause for cause in run.diagnose() if cause.code == "motion-jumps"]
    if interpolation != "CONSTANT":
        assert found == []
        return
    (cause,) = found
    assert cause.subject == "link 'platform'"
    assert "jumps by 3 m at 0.375 s, frame 10" in cause.message
    motion = run.simulation.trajectory
    fallen = motion.X_WL[:, motion.link_names.index("box"), :3]
    times = np.maximum(motion.times - 9 / 24, 0.0)
    assert fallen[:, 2] == pytest.approx(2.6 - 0.5 * 9.81 * times**2, abs=1e-4)
    assert np.abs(fallen[:, :2]).max() < 1e-6


def test_a_platform_that_moves_and_then_jumps_back_keeps_its_speed(scene, build):
    """Guards jumps of what moves: up to the jump it moves as before, so what it carries goes on with its speed."""
    platform = build.cube("platform", (0.0, 0.0, 2.0), size=1.0)
    box = build.cube("box", (0.0, 0.0, 2.6), size=0.2)
    build.tag(platform, box)
    driver = platform.driver_add("location", 0).driver
    driver.expression = "(frame - 1) / 24 if frame < 10 else -40"
    link(platform).motion = "KINEMATIC"
    scene.frame_end, scene.render.fps = 14, 24
    run = SimulationBake(scene, contact=True)
    run.run()
    motion = run.simulation.trajectory
    carried = motion.X_WL[:, motion.link_names.index("box"), 0]
    rates = np.diff(carried[6:]) * 24.0
    assert rates[0] > 0.9
    assert rates == pytest.approx(rates[0], abs=0.1)
