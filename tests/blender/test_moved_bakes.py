# SPDX-License-Identifier: GPL-3.0-or-later
"""A baked machine that is moved, copied, scaled or carried: it is told, with a way out, and its bake can move along.

Gravity is the same everywhere, so a machine elsewhere, or turned about gravity, moves as it does here: bakes that went
along are compared with fresh ones made there.
"""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bake.receipts.receipt import is_edited, receipt_of
from limberjack.addon.bake.receipts.restore import baked_objects, clear_bake
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.animation.motion_sources import is_bake
from limberjack.addon.bridge.findings.problems import moved_bakes
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import action_of, fcurves_of
from limberjack.core.model import ModelError

from .baked import bake, matrices_at, show
from .conftest import joint, link

FRAMES = (1, 7, 16, 24)
NEAR = 3e-5
"""What single precision leaves of keys that were moved by some metres."""


def told(scene):
    return out_of_date(scene, read_scene(scene))


def codes(scene):
    bpy.context.view_layer.update()
    return [problem.code for problem in moved_bakes(scene)]


def go_along():
    bpy.context.view_layer.update()
    return bpy.ops.limberjack.bake_move_along()


def machine(build, mode="XYZ", parented=False):
    """Two bars on hinges that turn about different axes."""
    bars, empties = build.pendulum(2)
    empties[0].limberjack_joint.axes[0].xyz = (0.3, 1.0, 0.2)
    for bar in bars:
        bar.rotation_mode = mode
    if parented:
        build.select(bars[1], bars[0])
        bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
        assert bars[1].parent == bars[0]
    bpy.context.view_layer.update()
    return bars, empties


def displaced(scene, move):
    """Move and turn everything, as a user does who has selected all."""
    for obj in scene.objects:
        if obj.parent is None:
            size = obj.scale.copy()
            obj.matrix_world = Matrix(move.tolist()) @ obj.matrix_world
            obj.scale = size  # to the last digit, as Blender's own operators leave it
    bpy.context.view_layer.update()


def moved_by(way, angle=0.0, axis="Z"):
    """Turned about an axis of the world, and then moved, shape (4, 4)."""
    return np.array(Matrix.Translation(way) @ Matrix.Rotation(angle, 4, axis))


MOVES = {
    "moved": moved_by((3.0, -2.0, 1.5)),
    "turned": moved_by((3.0, -2.0, 1.5), 0.7),
    "quarter": moved_by((0.0, 0.0, 0.0), math.pi / 2),
}


@pytest.mark.parametrize("move", MOVES.values(), ids=MOVES)
@pytest.mark.parametrize("mode", ["XYZ", "ZYX", "QUATERNION", "AXIS_ANGLE"])
def test_moved_as_a_whole(scene, build, mode, move):
    """Guards that all keys go along: the machine plays at its new place what a fresh bake gives there, is up to date,
    and Clear Bake leaves it there."""
    bars, _ = machine(build, mode)
    rest = matrices_at(scene, bars, (1,))[0]
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    displaced(scene, move)
    assert codes(scene) == ["bake-left-behind"]
    assert go_along() == {"FINISHED"}
    assert codes(scene) == []
    assert told(scene) == ""
    assert not is_edited(action_of(bars[0]))
    moved = matrices_at(scene, bars, FRAMES)
    assert np.abs(moved - move @ here).max() < NEAR
    bake(scene)
    assert np.abs(matrices_at(scene, bars, FRAMES) - moved).max() < NEAR
    clear_bake(baked_objects(scene))
    assert np.abs(matrices_at(scene, bars, (1,))[0] - move @ rest).max() < NEAR


@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize("reduces", [False, True], ids=["every", "reduced"])
def test_kinds_of_bakes(scene, build, onto, reduces):
    """Guards the handles of reduced keys, links that joints lead, and links that are carried by others."""
    bars, _ = machine(build, "ZYX", parented=True)
    panel = scene.limberjack.bake
    panel.onto, panel.reduces = onto, reduces
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    displaced(scene, MOVES["turned"])
    go_along()
    assert codes(scene) == []
    assert told(scene) == ""
    moved = matrices_at(scene, bars, FRAMES)
    assert np.abs(moved - MOVES["turned"] @ here).max() < (1e-3 if reduces else NEAR)
    bake(scene)
    assert np.abs(matrices_at(scene, bars, FRAMES) - moved).max() < (2e-3 if reduces else NEAR)


def test_links_that_joints_lead(scene, build):
    """Guards keys of joint values, which bring links back that were dragged away without their joints: it is told."""
    bars, _ = machine(build)
    scene.limberjack.bake.onto = "JOINTS"
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    for bar in bars:
        bar.location.y += 2.0
    assert codes(scene) == ["bake-moved"]
    mend(bars[0], "bake-moved", "Back to Keys")
    assert codes(scene) == []
    assert np.abs(matrices_at(scene, bars, FRAMES) - here).max() < NEAR


def test_tilted(scene, build):
    """Guards that keys go along with any turn, and that gravity then being another one is told."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    tilt = moved_by((0.0, 0.0, 0.0), 0.5, "X")
    displaced(scene, tilt)
    go_along()
    assert np.abs(matrices_at(scene, bars, FRAMES) - tilt @ here).max() < NEAR
    assert told(scene) == "links, joints or gravity were changed"


def test_stale_stays_stale(scene, build):
    """Guards that a bake that was out of date is not called right because it was moved."""
    bars, _ = machine(build)
    bake(scene)
    link(bars[1]).density = 3.0
    joint(bpy.data.objects["bar1_joint"]).axes[0].damping = 2.0
    assert told(scene) != ""
    displaced(scene, MOVES["moved"])
    go_along()
    assert told(scene) != ""


def test_animation_before(scene, build):
    """Guards what a bake took the place of: Clear Bake gives it back, moved along, and the starting motion with it."""
    bars, _ = machine(build)
    for frame, height in ((1, 2.0), (12, 3.0)):
        bars[0].location.z = height
        bars[0].keyframe_insert("location", frame=frame)
    show(scene, 1)
    own = action_of(bars[0])
    scene.limberjack.bake.start = "KEYS"
    bake(scene, overwrite=True)
    displaced(scene, MOVES["moved"])
    go_along()
    assert told(scene) == ""
    clear_bake(baked_objects(scene))
    assert action_of(bars[0]) == own
    show(scene, 12)
    assert tuple(bars[0].location) == pytest.approx((3.0, -2.0, 4.5), abs=1e-5)


def test_edited_by_hand(scene, build):
    """Guards that a bake whose keys somebody has changed goes along, too, and stays that somebody's work."""
    bars, _ = machine(build)
    bake(scene)
    next(iter(fcurves_of(bars[0]))).keyframe_points[3].co.y += 0.5
    assert is_edited(action_of(bars[0]))
    show(scene, 20)
    displaced(scene, MOVES["moved"])
    go_along()
    assert is_edited(action_of(bars[0]))


def test_edited_copy(scene, build):
    """Guards copies of a bake that somebody has changed by hand: a bake of their own, which is that somebody's, too."""
    bars, _ = machine(build)
    bake(scene)
    next(iter(fcurves_of(bars[0]))).keyframe_points[3].co.y += 0.5
    copies = duplicate(scene)
    translate_selected((0.0, 4.0, 0.0))
    assert go_along() == {"FINISHED"}
    assert go_along() == {"CANCELLED"}
    assert is_edited(action_of(bars[0]))
    assert is_edited(action_of(copies["bar0"]))
    assert action_of(copies["bar0"]) == action_of(copies["bar1"])


def duplicate(scene, objects=None, linked=False, copies_actions=True):
    """As Shift-D or Alt-D; returns the copies by the name of what each is of."""
    bpy.context.preferences.edit.use_duplicate_action = copies_actions
    for obj in scene.objects:
        obj.select_set(objects is None or obj in objects)
    before = set(scene.objects)
    bpy.ops.object.duplicate(linked=linked)
    bpy.context.preferences.edit.use_duplicate_action = True
    return {obj.name.rpartition(".")[0]: obj for obj in scene.objects if obj not in before}


def translate_selected(way):
    bpy.ops.transform.translate(value=way)
    bpy.context.view_layer.update()


@pytest.mark.parametrize("linked", [False, True], ids=["shift-d", "alt-d"])
@pytest.mark.parametrize("copies_actions", [True, False], ids=["own", "shared"])
@pytest.mark.parametrize("onto", ["LINKS", "JOINTS"])
def test_copied(scene, build, onto, linked, copies_actions):
    """Guards that a copy has a bake of its own, where it was put, whatever Blender does with the action; and that the
    first one keeps its own."""
    bars, empties = machine(build)
    scene.limberjack.bake.onto = onto
    rest = matrices_at(scene, bars, (1,))[0]
    bake(scene)
    first = action_of(bars[0]) or action_of(empties[0])
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    copies = duplicate(scene, linked=linked, copies_actions=copies_actions)
    translate_selected((5.0, 0.0, 0.0))
    assert go_along() == {"FINISHED"}
    assert codes(scene) == []
    assert told(scene) == ""
    others = [copies[bar.name] for bar in bars]
    moved = moved_by((5.0, 0.0, 0.0))
    assert np.abs(matrices_at(scene, bars, FRAMES) - here).max() < 1e-6
    assert np.abs(matrices_at(scene, others, FRAMES) - moved @ here).max() < NEAR
    played = {action_of(obj) for obj in copies.values()} - {None}
    assert len(played) == 1
    assert first not in played
    assert {action for action in bpy.data.actions if is_bake(action)} == {first, *played}
    assert not any(map(is_edited, (first, *played)))
    assert joint(copies["bar1_joint"]).parent == others[0]
    clear_bake(baked_objects(scene))
    assert np.abs(matrices_at(scene, bars, (1,))[0] - rest).max() < 1e-6
    assert np.abs(matrices_at(scene, others, (1,))[0] - moved @ rest).max() < NEAR
    bake(scene)
    assert np.abs(matrices_at(scene, others, FRAMES) - moved @ here).max() < NEAR


def test_animation_before_of_a_copy(scene, build):
    """Guards what the bake of a copy took the place of: Clear Bake gives each its own, the copy where it stands."""
    bars, _ = machine(build)
    for frame, height in ((1, 2.0), (12, 3.0)):
        bars[0].location.z = height
        bars[0].keyframe_insert("location", frame=frame)
    show(scene, 1)
    bake(scene, overwrite=True)
    copies = duplicate(scene)
    translate_selected((0.0, 4.0, 0.0))
    go_along()
    clear_bake(baked_objects(scene))
    assert action_of(bars[0]) != action_of(copies["bar0"])
    show(scene, 12)
    assert tuple(bars[0].location) == pytest.approx((0.0, 0.0, 3.0), abs=1e-5)
    assert tuple(copies["bar0"].location) == pytest.approx((0.0, 4.0, 3.0), abs=1e-5)


def test_two_at_once(scene, build):
    """Guards several machines that are moved together, and copied together: none is left behind by another."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    second = duplicate(scene)
    translate_selected((0.0, 4.0, 0.0))
    go_along()
    show(scene, 10)
    displaced(scene, MOVES["turned"])
    go_along()
    assert codes(scene) == []
    assert told(scene) == ""
    there = MOVES["turned"] @ moved_by((0.0, 4.0, 0.0))
    assert np.abs(matrices_at(scene, bars, FRAMES) - MOVES["turned"] @ here).max() < NEAR
    assert np.abs(matrices_at(scene, [second["bar0"], second["bar1"]], FRAMES) - there @ here).max() < NEAR
    show(scene, 10)
    duplicate(scene)
    translate_selected((20.0, 0.0, 0.0))
    go_along()
    assert codes(scene) == []
    assert told(scene) == ""
    assert np.abs(matrices_at(scene, bars, FRAMES) - MOVES["turned"] @ here).max() < NEAR


def test_copied_in_place(scene, build):
    """Guards that a copy that was put nowhere yet is its own already, and that both are up to date."""
    bars, _ = machine(build)
    bake(scene)
    copies = duplicate(scene, copies_actions=False)
    go_along()
    assert told(scene) == ""
    assert action_of(copies["bar0"]) != action_of(bars[0])
    assert go_along() == {"CANCELLED"}
    show(scene, 5)
    displaced_copy = duplicate(scene)
    translate_selected((0.0, 4.0, 0.0))
    go_along()
    assert told(scene) == ""
    assert displaced_copy["bar0"].matrix_world.translation.y == pytest.approx(bars[0].matrix_world.translation.y + 4.0)


def test_copied_in_part(scene, build):
    """Guards that a copy of the last bar alone, on the first one's joint, is told as soon as it is dragged away."""
    bars, empties = machine(build)
    bake(scene)
    show(scene, 10)
    copies = duplicate(scene, [bars[1], empties[1]])
    assert joint(copies["bar1_joint"]).parent == bars[0]
    assert joint(copies["bar1_joint"]).child == copies["bar1"]
    translate_selected((0.0, 3.0, 0.0))
    assert codes(scene) == ["bake-moved"]
    assert go_along() == {"CANCELLED"}
    mend(copies["bar1"], "bake-moved", "Back to Keys")
    assert codes(scene) == []


def mend(obj, code, label=""):
    bpy.ops.limberjack.problem_mend(name=obj.name, code=code, label=label)
    bpy.context.view_layer.update()


def test_root_alone(scene, build):
    """Guards that one link that was dragged away is told, and that the whole machine can follow it."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    bars[0].location.x += 3.0
    assert codes(scene) == ["bake-moved"]
    assert go_along() == {"CANCELLED"}
    mend(bars[0], "bake-moved", "Move Bake Along")
    assert codes(scene) == []
    assert told(scene) == ""
    moved = moved_by((3.0, 0.0, 0.0))
    assert np.abs(matrices_at(scene, bars, FRAMES) - moved @ here).max() < NEAR


def test_back_to_keys(scene, build):
    """Guards the other choice: links and joints are where they were, nothing is told, and the bake is up to date."""
    bars, empties = machine(build)
    bake(scene)
    show(scene, 10)
    before = [np.array(obj.matrix_world) for obj in (*bars, *empties)]
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    displaced(scene, MOVES["turned"])
    assert codes(scene) == ["bake-left-behind"]
    mend(bars[0], "bake-left-behind", "Back to Keys")
    assert codes(scene) == []
    assert told(scene) == ""
    after = [np.array(obj.matrix_world) for obj in (*bars, *empties)]
    assert np.abs(np.array(after) - np.array(before)).max() < 1e-6
    assert np.abs(matrices_at(scene, bars, FRAMES) - here).max() < 1e-6


def test_several_at_once(scene, build):
    """Guards the button: one problem for all machines that were moved, and one press lets all their bakes move."""
    bars, _ = machine(build)
    bake(scene)
    second = duplicate(scene)
    translate_selected((0.0, 4.0, 0.0))
    go_along()
    here = matrices_at(scene, [*bars, second["bar0"]], FRAMES)
    show(scene, 10)
    displaced(scene, MOVES["moved"])
    assert codes(scene) == ["bake-left-behind"]
    mend(bars[0], "bake-left-behind", "Move Bake Along")
    assert codes(scene) == []
    assert np.abs(matrices_at(scene, [*bars, second["bar0"]], FRAMES) - MOVES["moved"] @ here).max() < NEAR


def test_a_copy_is_told(scene, build):
    """Guards copies that were put nowhere yet: it is told that they play the bake of another machine."""
    machine(build)
    bake(scene)
    duplicate(scene, copies_actions=False)
    (problem,) = moved_bakes(scene)
    assert problem.code == "bake-left-behind"
    assert "play the bake of what they are copies of" in problem.message


def test_a_moved_machine_is_not_simulated_before_the_choice(scene, build):
    """Guards a bake of a machine whose joints are elsewhere than its keys have its links: it is refused."""
    machine(build)
    bake(scene)
    show(scene, 10)
    displaced(scene, MOVES["moved"])
    with pytest.raises(ModelError, match="press Move Bake Along or Back to Keys first"):
        bake(scene)
    go_along()
    bake(scene)


def test_scaled(scene, build):
    """Guards that a scaled bake is told, and can have its size back."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    bars[1].scale = (2.0, 0.1, 0.3)
    assert codes(scene) == ["bake-scaled"]
    assert go_along() == {"CANCELLED"}
    mend(bars[1], "bake-scaled")
    assert codes(scene) == []
    assert np.abs(matrices_at(scene, bars, FRAMES) - here).max() < 1e-6


def test_carried(scene, build):
    """Guards parents that are given later: moved with all of the machine, it is the same machine elsewhere."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    cart = bpy.data.objects.new("cart", None)
    scene.collection.objects.link(cart)
    bpy.context.view_layer.update()
    build.select(*bars, cart)
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    assert codes(scene) == []
    cart.location = (0.0, 2.0, 1.0)
    go_along()
    assert codes(scene) == []
    assert told(scene) == ""
    moved = moved_by((0.0, 2.0, 1.0))
    assert np.abs(matrices_at(scene, bars, FRAMES) - moved @ here).max() < NEAR
    bake(scene)
    assert np.abs(matrices_at(scene, bars, FRAMES) - moved @ here).max() < NEAR


def test_parent_of_one(scene, build):
    """Guards that a parent that carries one link away is told, and that the keys can be left alone by it."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    cart = bpy.data.objects.new("cart", None)
    scene.collection.objects.link(cart)
    bars[1].parent = cart
    cart.location.y = 2.0
    assert codes(scene) == ["bake-carried"]
    mend(bars[1], "bake-carried")
    assert codes(scene) == []
    assert np.abs(matrices_at(scene, bars, FRAMES) - here).max() < NEAR


def test_parent_that_moves(scene, build):
    """Guards that a link which was parented to another moving one, at any frame, is told: it would move twice."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    show(scene, 10)
    build.select(bars[1], bars[0])
    bpy.ops.object.parent_set(type="OBJECT", keep_transform=True)
    assert codes(scene) == ["bake-carried"]
    mend(bars[1], "bake-carried")
    assert codes(scene) == []
    assert np.abs(matrices_at(scene, bars, FRAMES) - here).max() < NEAR


def test_appended(scene, build, tmp_path):
    """Guards a baked machine that is appended into another scene: it plays there, is moved, and is no mystery."""
    bars, _ = machine(build)
    bake(scene)
    here = matrices_at(scene, bars, FRAMES)
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    with bpy.data.libraries.load(path) as (source, target):
        target.objects = list(source.objects)
    for obj in target.objects:
        scene.collection.objects.link(obj)
    bars = [scene.objects["bar0"], scene.objects["bar1"]]
    show(scene, 10)
    assert codes(scene) == []
    displaced(scene, MOVES["moved"])
    go_along()
    assert codes(scene) == []
    assert np.abs(matrices_at(scene, bars, FRAMES) - MOVES["moved"] @ here).max() < NEAR


def test_nothing_moved(scene, build):
    """Guards against crying wolf, and against an undo step for nothing."""
    machine(build)
    assert go_along() == {"CANCELLED"}
    bake(scene)
    for frame in (1, 9.5, 24, 40):
        show(scene, frame)
        assert codes(scene) == []
        assert go_along() == {"CANCELLED"}
    assert receipt_of(action_of(scene.objects["bar0"])) is not None
