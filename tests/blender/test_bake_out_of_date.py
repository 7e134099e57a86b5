# SPDX-License-Identifier: GPL-3.0-or-later
"""A bake that is not what it would be now says so in words, and one that is says nothing."""

import math

import bpy
import pytest

from limberjack.addon.bake.receipts.receipt import is_edited, receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of

from .baked import bake, show, turning_holder
from .conftest import joint, link
from .paper import draw_all

MODEL = "links, joints or gravity were changed"
MOTION = "the animation that it begins with was changed"


def told(scene):
    return out_of_date(scene, read_scene(scene))


def machine(build):
    """Two bars, and a cube that has nothing to do with them."""
    bars, empties = build.pendulum(2)
    return bars, empties, build.cube("bystander", (0.0, 9.0, 0.0))


@pytest.mark.parametrize("reduces", [False, True], ids=["every", "reduced"])
@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize("start", ["HOME", "POSE", "KEYS"])
def test_fresh(scene, build, tmp_path, start, onto, reduces):
    """Guards against crying wolf: at any frame, after a selection, a new name elsewhere, a save and a load."""
    _, empties, bystander = machine(build)
    if start == "POSE":
        joint(empties[0]).coordinates[0].value_angle = 0.4
        bpy.context.view_layer.update()
    panel = scene.limberjack.bake
    panel.start, panel.onto, panel.reduces, panel.step = start, onto, reduces, 0.7
    bake(scene)
    for frame in (1, 9, 24, -3, 7.5):
        show(scene, frame)
        assert told(scene) == ""
    build.select(bystander)
    bystander.name = "somebody"
    bystander.location.x += 1.0
    bpy.context.view_layer.update()
    assert told(scene) == ""
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    assert told(scene) == ""
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    assert bake_of(scene) is not None
    assert not is_edited(bake_of(scene))
    for frame in (1, 12):
        show(scene, frame)
        assert told(scene) == ""


def test_the_receipt(scene, build):
    """Guards what the receipt holds: what was asked for, in metres and radians, and what came of it."""
    machine(build)
    scene.render.fps, scene.render.fps_base = 30, 1.001
    panel = scene.limberjack.bake
    panel.reduces, panel.distance, panel.angle, panel.step = True, 1e-3, math.radians(0.2), 0.5
    run = bake(scene)
    receipt = receipt_of(bake_of(scene))
    assert (receipt.source, receipt.first, receipt.last, receipt.step) == ("simulation", 1, 24, 0.5)
    assert (receipt.accuracy, receipt.start, receipt.onto) == ("good", "HOME", "LINKS")
    assert receipt.fps == pytest.approx(30 / 1.001, rel=1e-6)
    assert (receipt.distance, receipt.angle) == pytest.approx((1e-3, math.radians(0.2)), rel=1e-6)
    assert receipt.possible == len(run.frames) * 2 * 6
    assert receipt.written == sum(len(c.keyframe_points) for o in scene.objects for c in fcurves_of(o))
    assert receipt.result == f"{scene.limberjack.last_result}: {scene.limberjack.last_details}"


def change_damping(scene, bars, empties):
    joint(empties[1]).axes[0].damping = 2.0


def change_limit(scene, bars, empties):
    joint(empties[1]).axes[0].use_upper = True


def change_mass(scene, bars, empties):
    link(bars[1]).mass_source, link(bars[1]).mass = "CUSTOM", 3.5


def change_density(scene, bars, empties):
    link(bars[0]).density *= 2.0


def change_gravity(scene, bars, empties):
    scene.gravity = (0.0, 0.0, -1.62)


def switch_gravity_off(scene, bars, empties):
    scene.use_gravity = False


def delete_joint(scene, bars, empties):
    bpy.data.objects.remove(empties[1])


def switch_joint_off(scene, bars, empties):
    joint(empties[1]).enabled = False


def edit_mesh(scene, bars, empties):
    for vertex in bars[1].data.vertices:
        vertex.co.x *= 1.5
    bars[1].data.update()


def change_home(scene, bars, empties):
    joint(empties[0]).use_home, joint(empties[0]).coordinates[0].home = True, 0.3


def move_joint(scene, bars, empties):
    empties[1].location.x -= 0.1


def rename_link(scene, bars, empties):
    bars[1].name = "forearm"


def change_rate(scene, bars, empties):
    scene.render.fps = 25


def change_rate_base(scene, bars, empties):
    scene.render.fps_base = 1.001


def change_last(scene, bars, empties):
    scene.frame_end = 30


def own_range(scene, bars, empties):
    panel = scene.limberjack.bake
    panel.use_range, panel.first, panel.last = True, 1, 20


def backward_range(scene, bars, empties):
    panel = scene.limberjack.bake
    panel.use_range, panel.first, panel.last = True, 20, 1


def set_on_panel(name, value):
    def change(scene, bars, empties):
        setattr(scene.limberjack.bake, name, value)

    change.__name__ = name
    return change


def change_accuracy(scene, bars, empties):
    scene.limberjack.accuracy = "exact"


CHANGES = {
    **dict.fromkeys([change_damping, change_limit, change_mass, change_density, change_gravity, delete_joint], MODEL),
    **dict.fromkeys([switch_gravity_off, switch_joint_off, edit_mesh, change_home, move_joint, rename_link], MODEL),
    **dict.fromkeys([change_rate, change_rate_base], "the frame rate was changed"),
    **dict.fromkeys([change_last, own_range, backward_range], "the frame range was changed"),
    set_on_panel("step", 2.0): "the step was changed",
    set_on_panel("onto", "BOTH"): "what gets the keys was changed",
    set_on_panel("reduces", True): "the reduction of keys was changed",
    set_on_panel("start", "POSE"): "what it starts from was changed",
    change_accuracy: "the accuracy was changed",
}


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_out_of_date_in_words(scene, build, change):
    """Guards every input of a bake: changed, it is named, at whatever frame; baked again, all is well."""
    bars, empties, _ = machine(build)
    bake(scene)
    show(scene, 11)
    change(scene, bars, empties)
    bpy.context.view_layer.update()
    assert told(scene) == CHANGES[change]
    if change is backward_range:
        return
    bpy.ops.limberjack.simulate()
    assert told(scene) == ""


@pytest.mark.parametrize(
    ("change", "changed"),
    [
        (lambda scene: setattr(scene.render, "fps_base", 1.001), "the frame rate"),
        (lambda scene: setattr(scene.limberjack, "contact", not scene.limberjack.contact), "Contact"),
    ],
    ids=["fps_base", "contact"],
)
def test_the_panel_looks_again_after_every_setting(scene, build, change, changed):
    """Guards what the panel keeps between redraws: 23.98 in place of 24 frames a second is told at the next one."""
    bars, _, _ = machine(build)
    bake(scene)
    show_rig(scene)
    assert "out of date" not in draw_all(bars[0])
    change(scene)
    assert f"The bake is out of date: {changed} was changed" in draw_all(bars[0])


@pytest.mark.parametrize(("name", "value"), [("distance", 2e-4), ("angle", 0.01)])
def test_another_tolerance(scene, build, name, value):
    """Guards the tolerances of a reduced bake."""
    machine(build)
    scene.limberjack.bake.reduces = True
    bake(scene)
    assert told(scene) == ""
    setattr(scene.limberjack.bake, name, value)
    assert told(scene) == "the reduction of keys was changed"


def test_a_link_that_was_moved(scene, build):
    """Guards the place of links: a bake takes back a move of one, and one that was moved before is fresh."""
    bars, _, _ = machine(build)
    bake(scene)
    show(scene, 5)
    bars[1].location.x += 0.5  # gone at the next frame, as everywhere in Blender
    bpy.context.view_layer.update()
    assert told(scene) == ""
    bpy.ops.limberjack.bake_clear()
    assert told(scene) == ""
    bars[1].location.x += 0.5
    bpy.context.view_layer.update()
    bake(scene)
    assert told(scene) == ""


def key_and_bake(scene, bars, empties, what):
    for frame, value in ((1, 0.0), (15, 0.8), (30, -0.2)):
        show(scene, frame)
        joint(empties[0]).coordinates[0].value_angle = value
        bpy.context.view_layer.update()
        bpy.ops.limberjack.pose_key(what=what)
    panel = scene.limberjack.bake
    panel.start, panel.use_range, panel.first, panel.last = "KEYS", True, 20, 40
    bake(scene, overwrite=True)
    assert told(scene) == ""


def move_key(curve):
    curve.keyframe_points[1].co.y += 0.1


def move_handle(curve):
    curve.keyframe_points[1].handle_right_type = "FREE"
    curve.keyframe_points[1].handle_right.y += 0.5


def add_noise(curve):
    curve.modifiers.new("NOISE")


@pytest.mark.parametrize("what", ["LINKS", "JOINTS"])
@pytest.mark.parametrize("edit", [move_key, move_handle, add_noise], ids=lambda edit: edit.__name__)
def test_the_animation_that_it_begins_with(scene, build, what, edit):
    """Guards a start from keys: these wait in their action while the bake plays, and an edit of them is told."""
    bars, empties, _ = machine(build)
    key_and_bake(scene, bars, empties, what)
    show(scene, 33)
    assert told(scene) == ""
    kept = next(action for action in bpy.data.actions if action != bake_of(scene))
    curves = [
        curve
        for slot in kept.slots
        for layer in kept.layers
        for strip in layer.strips
        for curve in strip.channelbag(slot).fcurves
    ]
    edit(curves[-1])
    assert told(scene) == MOTION


def test_the_animation_of_a_link_that_leads(scene, build):
    """Guards kinematic links: another animation of theirs, or of what carries them, is another bake."""
    bars, empties, _ = machine(build)
    bpy.data.objects.remove(empties[0])
    holder = turning_holder(scene)
    show(scene, 1)
    bars[0].parent, bars[0].matrix_parent_inverse = holder, holder.matrix_world.inverted()
    link(bars[0]).motion = "KINEMATIC"
    bpy.context.view_layer.update()
    build.tag(*bars)
    bake(scene)
    for frame in (1, 13):
        show(scene, frame)
        assert told(scene) == ""
    next(fcurves_of(holder)).keyframe_points[1].co.y += 0.3
    assert told(scene) == MOTION


def test_a_carrier_that_was_moved(scene, build):
    """What a baked link hangs on, moved or animated afterwards, takes the link elsewhere: that is told."""
    bars, _ = build.pendulum(1)
    holder = bpy.data.objects.new("holder", None)
    scene.collection.objects.link(holder)
    bars[0].parent = holder
    bpy.context.view_layer.update()
    bake(scene)
    assert told(scene) == ""
    holder.location.x = 1.0
    assert told(scene) == "what carries its links was moved"
    holder.location.x = 0.0
    assert told(scene) == ""
    holder.keyframe_insert("location", frame=3)
    assert told(scene) == "what carries its links was moved"
