# SPDX-License-Identifier: GPL-3.0-or-later
"""A rig made, changed and mended with the mouse."""

import math
from itertools import pairwise

import bpy
import harness
import scenes
import sidebar
from harness import click_object, drag, links, over_viewport, press, screenshot, until
from mathutils import Matrix
from sidebar import click_button, find_button, open_tab
from test_first_bake import add_joint
from test_handles import axis, handle, look_at, on_ring, redo, undo

from support.plan import walk

CORNERS = {"Ground": (0.0, 0.0), "Crank": (0.0, 1.5), "Coupler": (3.0, 2.5), "Rocker": (3.0, 0.0)}
"""Where the pins of the four-bar are, in x and y: each cube carries the pin at its own middle."""

HINGES = (("Ground", "Crank"), ("Crank", "Coupler"), ("Coupler", "Rocker"), ("Rocker", "Ground"))
TOP = (-0.2, 0.2, 0.25)
"""A point of a cube that is seen from above, beside the arrows of a joint in its middle."""


def four_cubes():
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    for name, (x, y) in CORNERS.items():
        bpy.ops.mesh.primitive_cube_add(size=0.5, location=(x, y, 0.0))
        bpy.context.object.name = name
    bpy.ops.object.select_all(action="DESELECT")
    look_at((1.5, 1.2, 0.0), 8.0, (0.94, 0.34, 0.0, 0.0))
    bpy.ops.ed.undo_push(message="Four cubes")


def between(parent: str, child: str) -> harness.Steps:
    """Click one link, then the other with Shift, and add a hinge."""
    yield from click_object(bpy.data.objects[parent], TOP)
    yield from click_object(bpy.data.objects[child], TOP, shift=True)
    joint = yield from add_joint("revolute")
    ends = (joint.limberjack_joint.parent.name, joint.limberjack_joint.child.name)
    assert ends == (parent, child), f"{parent} was clicked first, then {child}; the joint goes from {ends}"
    return joint


def rig_of_four_bar() -> harness.Steps:
    four_cubes()
    yield from open_tab()
    yield from over_viewport()
    yield from press("A")
    yield from click_button("limberjack.link_tag", across=0.25)
    assert set(links()) == set(CORNERS), f"tagged as links: {links()}"
    yield from click_object(bpy.data.objects["Ground"], TOP)
    yield from add_joint("fixed")
    for parent, child in HINGES:
        yield from between(parent, child)
    yield from until(lambda: rig() and len(rig().model.joints) == 5, "the scene is read")


def four_bar() -> harness.Steps:
    """The same rig, made without the mouse."""
    four_cubes()
    yield from open_tab()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        scenes.select(*CORNERS)
        bpy.ops.limberjack.link_tag()
        scenes.select("Ground")
        bpy.ops.limberjack.joint_add(type="fixed")
        for parent, child in HINGES:
            scenes.select(parent, child)
            bpy.ops.limberjack.joint_add(type="revolute")
    bpy.ops.ed.undo_push(message="A four-bar")
    yield from until(lambda: rig() and len(rig().model.joints) == 5, "the scene is read")


def rig():
    return harness.module("bridge.rig").last_rig(bpy.context.scene)


def choose(name: str) -> harness.Steps:
    """Select a joint as the model's tree does."""
    scene = bpy.context.scene
    scene.limberjack.row = scene.objects.find(name)
    harness.module("watch").note_change()
    yield from harness.at_rest()


def spans():
    """Distances between neighbouring pins of the four-bar, which its links keep."""
    names = list(CORNERS)
    places = {name: bpy.data.objects[name].matrix_world.translation.copy() for name in names}
    return [(places[one] - places[other]).length for one, other in pairwise(names)]


@walk
def test_four_bar_from_four_cubes():
    """Tagged and joined with the mouse alone; one joint closes the loop and is shown so; what is led takes the rest."""
    yield from rig_of_four_bar()
    assert len(rig().loops) == 1, f"a four-bar has one loop; {rig().loops} close one"
    assert not [item for item in rig().problems if item.severity != "note"], rig().problems
    yield from screenshot("four_bar")

    yield from choose("Crank_joint")
    before = spans()
    stood = bpy.data.objects["Rocker"].matrix_world.copy()
    yield from drag(handle("pose"), on_ring(0.5, 0.7))
    yield from screenshot("four_bar_posed")
    after = spans()
    assert bpy.data.objects["Rocker"].matrix_world != stood, "the rocker does not follow"
    gap = max(abs(a - b) for a, b in zip(before, after, strict=True))
    assert gap < 1e-5, f"pins have moved apart by {gap}"
    yield from undo()
    assert bpy.data.objects["Rocker"].matrix_world == stood, "one undo does not put all links back"
    yield from redo()
    assert spans() == after, "redo does not pose the four-bar again"
    yield from undo()

    yield from choose("Crank_joint")
    yield from drag(handle("upper"), on_ring(0.9))
    limits = (axis().lower, axis().upper)
    assert abs(limits[1] - 0.9) < 0.05, f"the upper limit was dragged to 0.9 rad: {limits}"
    yield from drag(handle("lower"), on_ring(-0.3))
    assert abs(axis().lower + 0.3) < 0.05, f"the lower limit was dragged to -0.3 rad: {axis().lower}"
    yield from undo()
    assert (axis().lower, axis().upper) == limits, "undo does not give the lower limit back"
    yield from redo()
    assert abs(axis().lower + 0.3) < 0.05, "redo does not bring the lower limit again"
    yield from screenshot("four_bar_limits")

    yield from drag(handle("aim"), tuple(a + b for a, b in zip(handle("aim"), (40, 20), strict=True)))
    aimed = tuple(axis().xyz)
    assert aimed[2] < 0.999, "the axis does not follow its handle"
    yield from screenshot("four_bar_aimed")
    yield from undo()
    assert tuple(axis().xyz) == (0.0, 0.0, 1.0), "undo does not give the axis back"
    yield from redo()
    assert tuple(axis().xyz) == aimed, "redo does not aim the axis again"
    yield from undo()


def moved_by(before: Matrix) -> float:
    """Return how far the rocker's axes or origin are from a matrix."""
    columns = zip(bpy.data.objects["Rocker"].matrix_world.col, before.col, strict=True)
    return max((now - then).length for now, then in columns)


def left() -> list:
    """The problems of links that are not where their joints hold them."""
    return [item for item in rig().problems if item.code == "link-left"]


def test_a_problem_is_seen_and_mended():
    """A link that was moved away from its joint is red in the view and named in the panel, whose buttons lead to it and
    put it back, in one step of undo each."""
    yield from four_bar()
    rocker = bpy.data.objects["Rocker"]
    stood = rocker.matrix_world.copy()
    yield from click_object(rocker, TOP)
    yield from over_viewport()
    yield from press("G")
    yield from harness.move((harness.region().x + harness.region().width // 3 + 40, harness.region().y + 120))
    yield from press("LEFTMOUSE")
    yield from until(left, "the problem is found")
    blamed = left()[0].name
    yield from screenshot("problem")
    yield from click_button("limberjack.problem_select")
    assert bpy.context.object.limberjack_joint.is_joint, "a click on the problem does not select its joint"
    yield from screenshot("problem_selected")
    yield from click_button(f'limberjack.problem_mend(name="{blamed}", code="link-left", label="Put Back"')
    yield from until(lambda: moved_by(stood) < 1e-5, "the rocker is where it was")
    yield from until(lambda: not left(), "the problem is gone")
    yield from screenshot("problem_mended")
    yield from undo()
    assert moved_by(stood) > 0.1, "one undo does not take the mending back"


def test_a_limit_is_typed_into_the_panel():
    """A number typed into the panel's field is the limit, in degrees, and one step of undo."""
    yield from four_bar()
    yield from choose("Crank_joint")
    axis().use_upper = True
    bpy.ops.ed.undo_push(message="Limit on")
    place = yield from find_button('bpy.data.objects["Crank_joint"].limberjack_joint.axes[0].upper_angle', across=0.75)
    yield from harness.click(place, ctrl=True)
    yield from press("A", ctrl=True)
    yield from harness.type_text("25")
    yield from screenshot("limit_typed")
    yield from press("RET")
    assert math.isclose(math.degrees(axis().upper), 25.0, abs_tol=1e-4), math.degrees(axis().upper)
    yield from screenshot("limit_in_the_panel")
    yield from undo()
    assert axis().upper == 0.0, "one undo does not take the typed limit back"


def test_a_chain_is_clicked():
    """Three clicks and Return join each link to the one before, as one step of undo; Backspace takes a click back."""
    four_cubes()
    yield from open_tab()
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        scenes.select(*CORNERS)
        bpy.ops.limberjack.link_tag()
    bpy.ops.ed.undo_push(message="Four links")
    yield from sidebar.click_beside("limberjack.joint_pick", across=0.46)
    yield from harness.choose_from_menu(0)
    for name in ("Ground", "Crank", "Rocker"):
        yield from click_object(bpy.data.objects[name], TOP)
    yield from press("BACK_SPACE")
    yield from click_object(bpy.data.objects["Coupler"], TOP)
    yield from screenshot("chain")
    yield from press("RET")
    yield from harness.at_rest()
    joints = [obj.limberjack_joint for obj in bpy.context.scene.objects if obj.limberjack_joint.is_joint]
    ends = {(joint.parent.name if joint.parent else "world", joint.child.name) for joint in joints}
    assert {("Ground", "Crank"), ("Crank", "Coupler")} <= ends, ends
    assert not any("Rocker" in pair for pair in ends), f"what was taken back is joined: {ends}"
    yield from undo()
    left = [obj.name for obj in bpy.context.scene.objects if obj.limberjack_joint.is_joint]
    assert not left, f"one undo leaves {left}"
