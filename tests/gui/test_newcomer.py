# SPDX-License-Identifier: GPL-3.0-or-later
"""From Blender's own first scene to baked motion, counted; and a hinge picked on a drilled plate."""

import math

import bmesh
import bpy
import harness
from harness import click_object, on_screen, over_viewport, press, screenshot, send, status, until
from mathutils import Matrix, Vector
from sidebar import click_button, click_tab, open_tab
from test_handles import look_at, redo, undo

from support.plan import walk

MOST = 9
"""Clicks and keys, from the default cube to a double pendulum that swings."""


class Counted:
    """What a user does, one line an action."""

    def __init__(self):
        self.done: list[str] = []

    def __call__(self, what: str, steps: harness.Steps) -> harness.Steps:
        self.done.append(what)
        result = yield from steps
        return result


def click_world(point, **modifiers) -> harness.Steps:
    yield from harness.click(on_screen(Vector(point)), **modifiers)


def rig():
    return harness.module("bridge.rig").last_rig(bpy.context.scene)


@walk
def test_default_cube_to_double_pendulum():
    """Nine actions: two boxes on hinges along their edges, which swing, and are baked."""
    look_at((0.0, 2.0, 0.0), 22.0, (0.72, 0.51, 0.27, 0.38))
    bpy.context.scene.frame_end = 48
    yield from harness.at_rest()
    cube = bpy.data.objects["Cube"]
    act = Counted()
    yield from over_viewport()
    start = on_screen(Vector((0.0, 0.0, 0.0)))
    yield from harness.move(start)
    yield from act("Shift-D: a second cube", press("D", shift=True))
    yield from harness.move((start[0] + 20, start[1] + 6))
    yield from harness.move(on_screen(Vector((0.0, 3.0, 0.0))))
    yield from act("click: it is put down beside the first", press("LEFTMOUSE"))
    second = bpy.context.object
    assert second != cube, "Shift-D has made no copy"
    yield from act("Shift-click the first cube", click_object(cube, (0.3, -0.5, 1.0), shift=True))
    if harness.region("UI").width <= 1:
        yield from over_viewport()
        yield from act("N: the sidebar", press("N"))
        yield from harness.at_rest()
    act.done.append("click the tab Limberjack")
    yield from click_tab()
    yield from act("Pick Joint", click_button("limberjack.joint_pick", across=0.25))
    edge = cube.matrix_world @ Vector((0.3, 0.97, 1.0))
    yield from harness.move(on_screen(edge))
    yield from harness.at_rest()
    yield from screenshot("newcomer_picking")
    yield from act("Shift-click the edge between them", click_world(edge, shift=True))
    assert sorted(harness.links()) == sorted([cube.name, second.name]), harness.links()
    joints = [obj for obj in bpy.context.scene.objects if obj.limberjack_joint.is_joint]
    assert len(joints) == 1, f"{len(joints)} joints: {status().error}"
    first = joints[0]
    far = second.matrix_world @ Vector((0.3, 0.97, 1.0))
    yield from harness.move(on_screen(far))
    yield from harness.at_rest()
    yield from act("click its far edge", click_world(far))
    ground = bpy.context.object
    assert ground.limberjack_joint.is_joint, f"no joint: {status().error}"
    assert ground.limberjack_joint.parent is None, "the second joint does not hang in the world"
    yield from screenshot("newcomer_rigged")
    for joint in (first, ground):
        axis = joint.matrix_world.to_quaternion() @ Vector((0.0, 0.0, 1.0))
        assert abs(abs(axis.x) - 1.0) < 1e-5, f"the hinge {joint.name} does not lie along the edge: {axis}"
    yield from act("Simulate and Bake", click_button("limberjack.simulate", across=0.6))
    yield from harness.simulated()
    print("NEWCOMER", len(act.done), act.done, flush=True)
    places = []
    for frame in (1, 24, 48):
        bpy.context.scene.frame_set(frame)
        places.append((cube.matrix_world.translation.copy(), second.matrix_world.translation.copy()))
    yield from screenshot("newcomer_swinging")
    for number in range(2):
        way = max((places[0][number] - place[number]).length for place in places[1:])
        assert way > 0.3, f"cube {number} has swung by {way} only"
    assert len(act.done) <= MOST, f"{len(act.done)} actions: {act.done}"


def drilled_plate():
    """A plate with a hole of radius 0.3 at (0.7, 0.4), cut by a modifier, turned and moved, and a bar above it."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    plate = add_mesh(
        "Plate", lambda mesh: bmesh.ops.create_cube(mesh, size=1.0, matrix=Matrix.Diagonal((3, 2, 0.4, 1)))
    )
    drill = add_mesh(
        "Drill",
        lambda mesh: bmesh.ops.create_cone(mesh, cap_ends=True, segments=32, radius1=0.3, radius2=0.3, depth=2.0),
    )
    drill.location = (0.7, 0.4, 0.0)
    drill.parent = plate
    drill.hide_set(True)
    cut = plate.modifiers.new("Hole", "BOOLEAN")
    cut.object, cut.operation, cut.solver = drill, "DIFFERENCE", "EXACT"
    plate.matrix_world = Matrix.Translation((0.5, -0.3, 0.2)) @ Matrix.Rotation(0.4, 4, (1.0, 0.5, 0.2))
    bar = add_mesh("Bar", lambda mesh: box(mesh, (0.3, 0.3, 3.0)))
    bar.location = (-2.5, 0.0, 0.0)
    look_at((0.3, 0.0, 0.2), 7.0, (0.92, 0.38, 0.05, 0.1))
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.object.select_all(action="DESELECT")
        for obj in (plate, bar):
            obj.select_set(True)
        bpy.context.view_layer.objects.active = bar
        bpy.ops.limberjack.link_tag()
    bpy.ops.ed.undo_push(message="A drilled plate")
    return plate, bar


def box(mesh, size):
    bmesh.ops.create_cube(mesh, size=1.0, matrix=Matrix.Diagonal((*size, 1.0)))


def add_mesh(name, make):
    mesh, content = bpy.data.meshes.new(name), bmesh.new()
    make(content)
    content.to_mesh(mesh)
    content.free()
    obj = bpy.data.objects.new(name, mesh)
    bpy.context.scene.collection.objects.link(obj)
    return obj


def test_hinge_is_picked_on_a_drilled_plate():
    """The hole's wall under the mouse is said and drawn, a click puts the hinge in its middle, and elsewhere a click
    does nothing but say so; Esc leaves nothing, undo takes the joint back as one step."""
    plate, bar = drilled_plate()
    yield from open_tab()
    middle = plate.matrix_world @ Vector((0.7, 0.4, 0.0))
    along = plate.matrix_world.to_quaternion() @ Vector((0.0, 0.0, 1.0))
    wall = plate.matrix_world @ Vector((0.7, 0.4 + 0.3, 0.0))

    yield from click_button("limberjack.joint_pick", across=0.25)
    yield from harness.move((harness.region().x + 200, harness.region().y + 100))
    yield from harness.at_rest()
    yield from screenshot("pick_nothing")
    send("LEFTMOUSE", "PRESS")
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()
    assert not any(obj.limberjack_joint.is_joint for obj in bpy.context.scene.objects), "a joint out of nothing"
    yield from press("ESC")
    yield from click_button("limberjack.joint_pick", across=0.25)
    yield from harness.move(on_screen(wall))
    yield from harness.at_rest()
    yield from screenshot("pick_hole")
    yield from harness.click(on_screen(wall))
    joint = bpy.context.object
    assert joint.limberjack_joint.is_joint, f"no joint: {status().error}"
    ends = (joint.limberjack_joint.parent, joint.limberjack_joint.child)
    assert ends == (plate, bar), f"the plate was to carry the bar; the joint goes from {ends}"
    off = joint.matrix_world.translation - middle
    axis = joint.matrix_world.to_quaternion() @ Vector((0.0, 0.0, 1.0))
    assert off.length < 1e-5, f"the hinge is {off.length} from the hole's middle"
    tilt = math.degrees(min(axis.angle(along), axis.angle(-along)))
    assert tilt < 1e-3, f"the hinge leans by {tilt}° against the hole"
    yield from screenshot("pick_done")
    yield from undo()
    assert not any(obj.limberjack_joint.is_joint for obj in bpy.context.scene.objects), "one undo leaves the joint"
    yield from redo()
    yield from until(lambda: rig() and rig().model.joints, "redo brings the joint again")
