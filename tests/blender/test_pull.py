# SPDX-License-Identifier: GPL-3.0-or-later
"""Links taken by the hand, by the operator and its events: what follows, what stays, and what cannot be pulled."""

import math
from types import SimpleNamespace

import bpy
import numpy as np
import pytest
from bl_ui.space_toolsystem_common import ToolSelectPanelHelper
from mathutils import Matrix, Quaternion, Vector

import limberjack
from limberjack.addon.bridge.posing.posing import Posing
from limberjack.addon.bridge.posing.pulling import Pull, moves_only_with_base
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.addon.bridge.viewport.guides import Guide
from limberjack.addon.bridge.viewport.rays import Ray
from limberjack.addon.ops.posing.pull import LIMBERJACK_OT_link_pull
from limberjack.addon.overlays import pull as overlay
from limberjack.addon.overlays.model import pin_layout
from limberjack.addon.panels.simulation.pull import PullLinks
from limberjack.addon.panels.tools import PickJoint
from limberjack.core.model import Link, Model, ModelError
from support.mechanisms import four_bar, join

from .conftest import joint, link

Y, Z = (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)
NEAR = 1e-5
"""Blender units: what single precision leaves of places a few units from the origin."""


def arm():
    """Three bars of 1 m along x, hinged about y, then z, then y; each bar's origin is at its inner hinge."""
    model = Model("arm", [Link(f"bar{i}", pose=(float(i), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)) for i in range(3)])
    for i, axis in enumerate((Y, Z, Y)):
        join(model, f"hinge{i}", "revolute", f"bar{i - 1}" if i else "world", f"bar{i}", (float(i), 0.0, 0.0), axis)
    return model


def written(model, scene):
    """The objects of a model in the scene, by name."""
    objects, _ = write_scene(model, scene)
    bpy.context.view_layer.update()
    return objects


def q_index_of(obj, point=(0.0, 0.0, 0.0)):
    bpy.context.view_layer.update()
    return obj.matrix_world @ Vector(point)


def turned(obj, before):
    """By how much [rad] an object has turned since its matrix was `before`."""
    bpy.context.view_layer.update()
    return obj.matrix_world.to_quaternion().rotation_difference(before.to_quaternion()).angle


def pull(name, place, point=(0.0, 0.0, 0.0)):
    result = bpy.ops.limberjack.link_pull(link=name, place=place, point=point)
    bpy.context.view_layer.update()
    return result


def test_an_arm_follows_its_tip(scene):
    """The tip is where it was asked to be, and the bars still hang together end to end."""
    bars = written(arm(), scene)
    wanted = Vector((1.7, 0.6, 0.9))
    assert pull("bar2", wanted, (1.0, 0.0, 0.0)) == {"FINISHED"}
    assert (q_index_of(bars["bar2"], (1.0, 0.0, 0.0)) - wanted).length < 1e-4
    assert q_index_of(bars["bar0"]).length < NEAR
    for inner, outer in (("bar0", "bar1"), ("bar1", "bar2")):
        assert (q_index_of(bars[inner], (1.0, 0.0, 0.0)) - q_index_of(bars[outer])).length < NEAR


def test_a_four_bar_follows_its_coupler(scene):
    """The pins of a four-bar stay in their holes when a pin is pulled along the circle that it can go along."""
    bars = written(four_bar(), scene)
    wanted = (math.sin(0.4), math.cos(0.4), 0.0)
    pull("coupler", wanted, (0.0, 1.0, 0.0))
    assert (q_index_of(bars["crank"], (0.0, 1.0, 0.0)) - Vector(wanted)).length < 1e-4
    for one, other, point in (("crank", "coupler", (0.0, 1.0, 0.0)), ("coupler", "rocker", (2.0, 1.5, 0.0))):
        assert (q_index_of(bars[one], point) - q_index_of(bars[other], point)).length < NEAR
    assert (q_index_of(bars["rocker"], (2.0, 0.0, 0.0)) - Vector((2.0, 0.0, 0.0))).length < NEAR


def test_out_of_reach(scene):
    """What is asked for beyond the arm's length is told, and the arm points there, at full length."""
    bars = written(arm(), scene)
    tip = (1.0, 0.0, 0.0)
    reach = Pull(scene, bars["bar2"], q_index_of(bars["bar2"], tip)).to(Vector((0.0, 0.0, 6.0)))
    assert not reach.is_reached
    assert reach.words
    assert reach.distance == pytest.approx(3.0, abs=0.01)
    assert (q_index_of(bars["bar2"], tip) - Vector((0.0, 0.0, 3.0))).length < 0.1


@pytest.mark.parametrize(("pin", "may_turn"), [("PLACE", True), ("POSE", False)])
def test_pinned_links_stay(scene, pin, may_turn):
    """A pinned link keeps its origin while the tip is pulled, and its orientation where all of it is pinned."""
    bars = written(arm(), scene)
    link(bars["bar1"]).pin = pin
    before = bars["bar1"].matrix_world.copy()
    pull("bar2", (2.0, 0.8, 0.5), (1.0, 0.0, 0.0))
    assert (q_index_of(bars["bar1"]) - before.translation).length < NEAR
    assert (turned(bars["bar1"], before) > 0.1) == may_turn


def test_handles_respect_pins(scene):
    """A joint that would take a pinned link along is not led anywhere, another one is."""
    bars = written(arm(), scene)
    link(bars["bar1"]).pin = "PLACE"
    assert Posing(scene).set_coordinate("hinge0", 0, 0.5) == pytest.approx(0.0, abs=1e-3)
    assert Posing(scene).set_coordinate("hinge1", 0, 0.5) == pytest.approx(0.5, abs=1e-6)


def test_held_joints_stay(scene):
    """A joint that is held keeps its angle while the tip is pulled, and its handle does not lead it."""
    bars = written(arm(), scene)
    joint(bars["hinge1"]).is_held = True
    pull("bar2", (2.0, 1.0, 0.8), (1.0, 0.0, 0.0))
    assert Posing(scene).coordinate("hinge1", 0) == pytest.approx(0.0, abs=NEAR)
    assert abs(Posing(scene).coordinate("hinge0", 0)) > 0.05
    with pytest.raises(ModelError, match="joint 'hinge1' is held: release it"):
        Posing(scene).set_coordinate("hinge1", 0, 1.0)


def test_keep_orientation(scene):
    """With Keep Orientation, a hand on three hinges about one axis goes where it is pulled, and stays level."""
    model = arm()
    for item in model.joints:
        item.axes[0].xyz = Y
    bars = written(model, scene)
    before = bars["bar2"].matrix_world.copy()
    scene.limberjack.keeps_turn = True
    pull("bar2", (1.2, 0.0, 0.7))
    assert (q_index_of(bars["bar2"]) - Vector((1.2, 0.0, 0.7))).length < 1e-4
    assert turned(bars["bar2"], before) < 1e-3


def floating():
    """A base with an arm of two bars, and a lid screwed onto the base for good; nothing joins them to the world."""
    model = Model("floating", [Link("base"), Link("lid"), Link("upper"), Link("fore")])
    join(model, "screws", "fixed", "base", "lid", (0.0, 0.0, 0.2))
    join(model, "shoulder", "ball", "base", "upper", (0.0, 0.0, 0.0))
    join(model, "elbow", "revolute", "upper", "fore", (1.0, 0.0, 0.0), Y)
    return model


def test_what_carries_the_rest():
    """Of a piece that floats, the base and what is fixed to it move all of it; the others move by their joints."""
    model = floating()
    carriers = {item.name for item in model.links if moves_only_with_base(model, item.name, ())}
    assert carriers == {"base", "lid"}
    assert moves_only_with_base(model, "upper", {"shoulder"})
    assert not moves_only_with_base(arm(), "bar0", ())


def test_a_floating_piece(scene):
    """Its hand moves against a base that stays; its base takes everything along; with Move Base it may come along."""
    objects = written(floating(), scene)
    pull("fore", (1.2, 0.5, 0.6), (2.0, 0.0, 0.0))
    assert q_index_of(objects["base"]).length < NEAR
    assert (q_index_of(objects["fore"], (2.0, 0.0, 0.0)) - Vector((1.2, 0.5, 0.6))).length < 1e-4
    tip = q_index_of(objects["fore"], (2.0, 0.0, 0.0)) - q_index_of(objects["base"])
    pull("lid", (0.0, 3.0, 0.0))
    assert (q_index_of(objects["lid"]) - Vector((0.0, 3.0, 0.0))).length < 1e-4
    assert (q_index_of(objects["fore"], (2.0, 0.0, 0.0)) - q_index_of(objects["base"]) - tip).length < 1e-4
    scene.limberjack.moves_base = True
    pull("fore", (9.0, 9.0, 0.0))
    assert (q_index_of(objects["fore"]) - Vector((9.0, 9.0, 0.0))).length < 1e-4


def test_a_link_alone(scene, build):
    """A link that nothing joins goes where it is pulled."""
    cube = build.cube()
    build.tag(cube)
    pull("Cube", (1.0, 2.0, 3.0))
    assert (q_index_of(cube) - Vector((1.0, 2.0, 3.0))).length < 1e-4


def test_other_units(scene):
    """Places are Blender units, whatever these are in metres."""
    scene.unit_settings.scale_length = 0.01
    bars = written(arm(), scene)
    wanted = Vector((170.0, 60.0, 90.0))
    pull("bar2", wanted, (100.0, 0.0, 0.0))
    assert (q_index_of(bars["bar2"], (100.0, 0.0, 0.0)) - wanted).length < 1e-2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"motion": "STATIC"}, "link 'bar0' is static: let its motion be free"),
        ({"motion": "KINEMATIC"}, "link 'bar0' moves as it is animated"),
        ({"pin": "POSE"}, "link 'bar0' is pinned as it stands: unpin it"),
        ({}, "link 'bar0' cannot be pulled: no joint lets it move"),
    ],
)
def test_what_cannot_be_pulled(scene, change, message):
    """What stays whatever is done to it is told apart, and nothing moves."""
    bars = written(arm(), scene)
    joint(bars["hinge0"]).is_held = True
    for name, value in change.items():
        setattr(link(bars["bar0"]), name, value)
    with pytest.raises(RuntimeError, match=message):
        pull("bar0", (0.0, 0.0, 1.0), (1.0, 0.0, 0.0))
    assert (q_index_of(bars["bar0"], (1.0, 0.0, 0.0)) - Vector((1.0, 0.0, 0.0))).length < NEAR


def test_no_such_link(scene):
    """A name that is no link's is told, joints' names too."""
    written(arm(), scene)
    for name in ("nobody", "hinge0"):
        with pytest.raises(RuntimeError, match=f"there is no link '{name}' in this scene"):
            pull(name, (0.0, 0.0, 0.0))


class View:
    """A 3D view that looks along an axis, without perspective, in which a pixel is a Blender unit."""

    view_distance = 10.0
    perspective_matrix = window_matrix = Matrix()

    def __init__(self, turn=(1.0, 0.0, 0.0, 0.0)):
        self.view_rotation = Quaternion(turn)

    def ray(self, x, y):
        ray = Ray.__new__(Ray)
        ray.direction = self.view_rotation @ Vector((0.0, 0.0, -1.0))
        ray.origin = self.view_rotation @ Vector((x, y, 50.0))
        return ray


class Driven:
    """Stands in for Blender, which alone may make operators: the operator's own functions, on a plain object."""

    link = ""

    def __init__(self, view, obj, point):
        self.reports = []
        self.header = ""
        area = SimpleNamespace(header_text_set=self.say)
        self.context = SimpleNamespace(
            scene=bpy.context.scene,
            area=area,
            region=SimpleNamespace(width=100),
            region_data=view,
            workspace=None,
            screen=None,
            window_manager=bpy.context.window_manager,
            selected_objects=[],
            mode="OBJECT",
        )
        self.begin(self.context, obj, Vector(point))

    def say(self, text):
        self.header = text

    def report(self, kind, message):
        self.reports.append((kind, message))

    def event(self, kind, value="NOTHING", at=(0.0, 0.0), shift=False):
        result = self.modal(self.context, SimpleNamespace(type=kind, value=value, at=at, shift=shift))
        bpy.context.view_layer.update()
        return result

    def move(self, x, y):
        return self.event("MOUSEMOVE", at=(x, y))


for _name, _value in vars(LIMBERJACK_OT_link_pull).items():
    if _name in ("begin", "modal", "cancel") or (_name.startswith("_") and not _name.startswith("__")):
        setattr(Driven, _name, _value)


@pytest.fixture
def from_above(monkeypatch):
    """A cube that nothing joins, seen from above, taken at its corner."""
    monkeypatch.setattr(
        "limberjack.addon.bridge.viewport.rays.ray_under", lambda context, event: context.region_data.ray(*event.at)
    )
    bpy.ops.mesh.primitive_cube_add(size=2.0)
    cube = bpy.context.object
    bpy.ops.limberjack.link_tag()
    bpy.context.scene.limberjack.keeps_turn = True
    return Driven(View(), cube, (1.0, 1.0, 1.0)), cube


def test_a_drag_and_its_end(from_above):
    """The point stays under the mouse and at its depth, the header says how far it came, and release keeps it."""
    driven, cube = from_above
    assert driven.move(4.0, 5.0) == {"RUNNING_MODAL"}
    assert (q_index_of(cube, (1.0, 1.0, 1.0)) - Vector((4.0, 5.0, 1.0))).length < 1e-4
    assert driven.header.startswith("Cube  moved 5 m")
    assert len(overlay._shown) == 1
    assert driven.event("LEFTMOUSE", "RELEASE") == {"FINISHED"}
    assert driven.header is None
    assert not overlay._shown
    assert (q_index_of(cube) - Vector((3.0, 4.0, 0.0))).length < 1e-4


@pytest.mark.parametrize("key", ["ESC", "RIGHTMOUSE"])
def test_a_drag_is_taken_back(from_above, key):
    """Esc and the right button put everything back, to the last bit, and leave nothing on the screen."""
    driven, cube = from_above
    before = cube.matrix_world.copy()
    driven.move(4.0, 5.0)
    assert driven.event(key, "PRESS") == {"CANCELLED"}
    assert cube.matrix_world == before
    assert driven.header is None
    assert not overlay._shown


def test_what_is_missing_is_said_where_it_is_seen(from_above):
    """A hinged cube follows the mouse around its hinge; a way off the circle is told, less than a pixel is not."""
    driven, cube = from_above
    driven.event("LEFTMOUSE", "RELEASE")
    bpy.context.scene.limberjack.keeps_turn = False
    bpy.ops.limberjack.joint_add(type="revolute")
    bpy.context.view_layer.update()
    driven = Driven(View(), cube, (1.0, 0.0, 1.0))
    pixel = 2.0 / driven.context.region.width
    driven.move(0.6 * (1.0 + pixel), 0.8 * (1.0 + pixel))
    assert driven.header == "Cube  moved 89.44 cm"
    driven.move(0.6 * (1.0 + 3.0 * pixel), 0.8 * (1.0 + 3.0 * pixel))
    assert driven.header.endswith("link 'Cube' stays 0.06 m from its target: out of reach")
    assert (q_index_of(cube, (1.0, 0.0, 1.0)) - Vector((0.6, 0.8, 1.0))).length < 1e-4


def test_a_press_without_a_drag(from_above):
    """A release before any movement changes nothing, and is no step of undo."""
    driven, cube = from_above
    assert driven.event("LEFTMOUSE", "RELEASE") == {"CANCELLED"}
    assert cube.matrix_world.translation.length == 0.0


def test_a_drag_along_and_across(from_above):
    """X keeps to the line, Shift-X to the plane, and the same key again sets free; R lets the link turn or not."""
    driven, cube = from_above
    driven.move(4.0, 5.0)
    driven.event("X", "PRESS", at=(4.0, 5.0))
    assert (q_index_of(cube) - Vector((3.0, 0.0, 0.0))).length < 1e-4
    assert "along X" in driven.header
    driven.event("Y", "PRESS", at=(4.0, 5.0))
    assert (q_index_of(cube) - Vector((0.0, 4.0, 0.0))).length < 1e-4
    driven.event("Y", "PRESS", at=(4.0, 5.0))
    assert (q_index_of(cube) - Vector((3.0, 4.0, 0.0))).length < 1e-4
    assert "keeps its orientation" in driven.header
    driven.event("R", "PRESS", at=(4.0, 5.0))
    assert "keeps its orientation" not in driven.header


def test_the_wheel_moves_in_depth(from_above):
    """Turned up, the wheel takes the link away from the eye, turned down, towards it."""
    driven, cube = from_above
    driven.event("WHEELUPMOUSE", "PRESS", at=(1.0, 1.0))
    assert q_index_of(cube).z < -0.1
    for _ in range(2):
        driven.event("WHEELDOWNMOUSE", "PRESS", at=(1.0, 1.0))
    assert q_index_of(cube).z > 0.1


def test_a_guide_that_is_seen_from_its_end():
    """A line that is seen as a point, and a plane that is seen as a line, say nothing of where the mouse is."""
    ray = View().ray(2.0, 3.0)
    up = Vector((0.0, 0.0, 1.0))
    assert Guide(2).point(ray, Vector(), up) is None
    assert Guide(0, is_across=True).point(ray, Vector(), up) is None
    assert Guide(2, is_across=True).point(ray, Vector(), up) == Vector((2.0, 3.0, 0.0))


def test_pin_and_hold_and_let_go(scene, build):
    """Pin and Hold act on what is selected, once more undoes them, and Release All clears the scene."""
    bars, joints = build.pendulum(3)
    build.select(bars[0], bars[1], joints[2])
    bpy.ops.limberjack.link_pin()
    bpy.ops.limberjack.joint_hold()
    assert [link(bar).pin for bar in bars] == ["POSE", "POSE", "NONE"]
    assert [joint(item).is_held for item in joints] == [False, False, True]
    bpy.ops.limberjack.link_pin(pin="PLACE")
    assert [link(bar).pin for bar in bars] == ["PLACE", "PLACE", "NONE"]
    bpy.ops.limberjack.link_pin(pin="PLACE")
    bpy.ops.limberjack.joint_hold()
    assert [link(bar).pin for bar in bars] == ["NONE"] * 3
    assert not joint(joints[2]).is_held
    bpy.ops.limberjack.link_pin(object=bars[2].name)
    joint(joints[0]).is_held = True
    assert [link(bar).pin for bar in bars] == ["NONE", "NONE", "POSE"]
    bpy.ops.limberjack.release_all()
    assert {link(bar).pin for bar in bars} == {"NONE"}
    assert not any(joint(item).is_held for item in joints)


def test_the_file_keeps_it(scene, build, tmp_path):
    """Pins, held joints and the choices of the tool are there when the file is opened again."""
    bars, joints = build.pendulum(2)
    link(bars[0]).pin, joint(joints[1]).is_held = "PLACE", True
    scene.limberjack.keeps_turn = scene.limberjack.moves_base = True
    file = str(tmp_path / "kept.blend")
    bpy.ops.wm.save_as_mainfile(filepath=file)
    names = bars[0].name, joints[1].name
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=file)
    settings = bpy.context.scene.limberjack
    assert (link(bpy.data.objects[names[0]]).pin, joint(bpy.data.objects[names[1]]).is_held) == ("PLACE", True)
    assert settings.keeps_turn
    assert settings.moves_base


def test_marks_of_pins(scene, build):
    """A pinned link has its mark about its origin, round where it may turn and square where not; others have none."""
    bars, _ = build.pendulum(3)
    link(bars[0]).pin, link(bars[1]).pin = "PLACE", "POSE"
    layout = pin_layout(show_rig(scene), scene, 1.0)
    assert layout.names == [bars[0].name, bars[1].name]
    round_one, square = (layout.points[layout.owners == i][3:].reshape(-1, 3) for i in range(2))
    assert np.ptp(np.linalg.norm(round_one, axis=1)) == pytest.approx(0.0, abs=1e-6)
    assert len(np.unique(np.abs(square).round(9), axis=0)) == 1
    assert np.abs(layout.points.reshape(-1, 3).mean(axis=0)) == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("tool", [PullLinks, PickJoint])
def test_the_tools_stand_in_the_toolbar(tool):
    """Each is there once, with an icon that this Blender has, also after switching off and on, and gone when off."""

    def found():
        tools = ToolSelectPanelHelper._tool_class_from_space_type("VIEW_3D").tools_from_context(bpy.context, "OBJECT")
        return [each for each in ToolSelectPanelHelper._tools_flatten(tools) if each and each.idname == tool.bl_idname]

    assert len(found()) == 1
    assert ToolSelectPanelHelper._icon_value_from_icon_handle(tool.bl_icon) != 0
    limberjack.unregister()
    assert not found()
    limberjack.register()
    assert len(found()) == 1
