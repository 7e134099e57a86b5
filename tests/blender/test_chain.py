# SPDX-License-Identifier: GPL-3.0-or-later
"""Joining links in a row, by clicks and by names."""

from types import SimpleNamespace

import bpy
import pytest
from mathutils import Matrix

from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.ops.joints import chain
from limberjack.addon.ops.joints.chain import LIMBERJACK_OT_joint_chain
from limberjack.addon.props import is_joint


def event(kind, value="PRESS", at=None):
    return SimpleNamespace(type=kind, value=value, at=at)


class Driven:
    """Stands in for Blender, which alone may make operators: the operator's own functions, on a plain object."""

    type, origin, to_world = "revolute", "CHILD", False

    def __init__(self):
        self.reports, self.names = [], []
        self.links = SimpleNamespace(clear=self.names.clear, add=self._add, __iter__=self.names.__iter__)
        self.begin(bpy.context)

    def _add(self):
        self.names.append(SimpleNamespace(name=""))
        return self.names[-1]

    def report(self, kind, message):
        self.reports.append((kind, message))

    def click(self, obj):
        return self.modal(bpy.context, event("LEFTMOUSE", at=obj))

    def press(self, key):
        return self.modal(bpy.context, event(key))

    def execute(self, context):
        self.links = self.names
        return LIMBERJACK_OT_joint_chain.execute(self, context)


for name, value in vars(LIMBERJACK_OT_joint_chain).items():
    if name in ("begin", "modal", "cancel") or (name.startswith("_") and not name.startswith("__")):
        setattr(Driven, name, value)


@pytest.fixture(autouse=True)
def _mouse(monkeypatch):
    """An event says itself what lies under the mouse, since there is no view to cast a ray through."""
    monkeypatch.setattr(chain, "object_under", lambda context, event: event.at)


@pytest.fixture
def row(build):
    bars = [build.cube(f"bar{i}", (3.0 * i, 0.0, 0.5 * i)) for i in range(4)]
    build.tag(*bars)
    build.select()
    return bars


def joints(scene):
    return [obj for obj in scene.objects if is_joint(obj)]


def pairs(scene):
    return {(found.parent, found.child) for found in read_scene(scene).joints}


def by_name(*names, **options):
    return bpy.ops.limberjack.joint_chain(links=[{"name": name} for name in names], **options)


def test_by_name(scene, row):
    """Names in order make a joint between each two neighbours, at the child's origin and along the world."""
    assert by_name("bar2", "bar0", "bar1", type="prismatic") == {"FINISHED"}
    model = read_scene(scene)
    assert {(found.parent, found.child, found.type) for found in model.joints} == {
        ("bar2", "bar0", "prismatic"),
        ("bar0", "bar1", "prismatic"),
    }
    last = next(found for found in model.joints if found.child == "bar1")
    assert last.X_PJ == pytest.approx((3.0, 0.0, 0.5, 1.0, 0.0, 0.0, 0.0), abs=1e-6)
    assert {obj.name for obj in bpy.context.selected_objects} == {obj.name for obj in joints(scene)}


def test_between_and_at_the_world(scene, row):
    """The joint can be half-way between both origins; the first link can be held by the world, at its own origin."""
    by_name("bar0", "bar1", origin="BETWEEN", to_world=True)
    model = read_scene(scene)
    assert pairs(scene) == {("world", "bar0"), ("bar0", "bar1")}
    places = {found.child: found.X_PJ[:3] for found in model.joints}
    assert places["bar0"] == pytest.approx((0.0, 0.0, 0.0))
    assert places["bar1"] == pytest.approx((1.5, 0.0, 0.25))
    assert model.link("bar1").pose[:3] == pytest.approx((3.0, 0.0, 0.5))


def test_clicks(scene, build, row):
    """Each click adds a link, a shape counting as its link, and selects the chain; Enter joins all at once."""
    shape = build.cube("shape", parent=row[1])
    build.select(row[3])
    driven = Driven()
    assert "Click the first link" in driven._next()
    driven.click(row[0])
    driven.click(shape)
    assert set(bpy.context.selected_objects) == {row[0], row[1]}
    assert "2 in the chain" in driven._next()
    assert "'bar1'" in driven._next()
    assert driven.click(row[2]) == {"RUNNING_MODAL"}
    assert not joints(scene)
    assert driven.press("RET") == {"FINISHED"}
    assert pairs(scene) == {("bar0", "bar1"), ("bar1", "bar2")}


@pytest.mark.parametrize("end", [event("RIGHTMOUSE"), event("LEFTMOUSE", "DOUBLE_CLICK"), event("NUMPAD_ENTER")])
def test_other_ways_to_finish(scene, row, end):
    """A right click or a double click ends the chain as Enter does, and the double click adds nothing."""
    driven = Driven()
    driven.click(row[0])
    end.at = row[1]
    driven.click(row[1])
    assert driven.modal(bpy.context, end) == {"FINISHED"}
    assert pairs(scene) == {("bar0", "bar1")}


def test_backspace(scene, row):
    """Backspace takes the last link back, also off an empty chain; letting the key go does nothing."""
    driven = Driven()
    driven.press("BACK_SPACE")
    for bar in row[:3]:
        driven.click(bar)
    driven.press("BACK_SPACE")
    driven.modal(bpy.context, event("BACK_SPACE", "RELEASE"))
    assert set(bpy.context.selected_objects) == set(row[:2])
    assert bpy.context.view_layer.objects.active == row[1]
    driven.click(row[3])
    driven.press("RET")
    assert pairs(scene) == {("bar0", "bar1"), ("bar1", "bar3")}


def test_esc(scene, build, row):
    """Esc leaves the scene as it was, with what was selected and active."""
    build.select(row[3], row[2])
    before = len(bpy.data.objects)
    driven = Driven()
    driven.click(row[0])
    driven.click(row[1])
    assert driven.press("ESC") == {"CANCELLED"}
    assert len(bpy.data.objects) == before
    assert set(bpy.context.selected_objects) == {row[2], row[3]}
    assert bpy.context.view_layer.objects.active == row[2]


def test_navigation_passes_through(row):
    """The view can be turned and zoomed between clicks; other keys change nothing."""
    driven = Driven()
    for kind in ("MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE", "MOUSEMOVE"):
        assert driven.press(kind) == {"PASS_THROUGH"}
    assert driven.press("X") == {"RUNNING_MODAL"}


def test_wrong_clicks_are_refused_with_a_word(scene, build, row):
    """No link, the same link, neighbours that are joined: a line says so, and the chain goes on."""
    build.cube("c")
    build.join(row[1], row[0])
    driven = Driven()
    driven.click(None)
    assert not driven.reports
    cases = [
        (bpy.data.objects["c"], "'c' is no link: tag it first"),
        (row[0], ""),
        (row[0], "'bar0' is the last of the chain already"),
        (row[1], "'bar1' is joined to 'bar0' already, by 'bar1_joint'"),
        (row[2], ""),
        (row[0], "'bar0' is next to 'bar2' in the chain already"),
    ]
    for obj, message in cases:
        driven.reports.clear()
        driven.click(obj)
        assert [text.startswith(message) for _, text in driven.reports] == [True] * bool(message), message
    driven.press("RET")
    assert pairs(scene) == {("bar0", "bar1"), ("bar0", "bar2")}


def test_a_chain_may_close(scene, row):
    """The first link may be clicked again at the end: a ring."""
    by_name("bar0", "bar1", "bar2", "bar0")
    assert pairs(scene) == {("bar0", "bar1"), ("bar1", "bar2"), ("bar2", "bar0")}
    assert len(read_scene(scene).loops()) == 1


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("bar0", "nobody"), "there is no object 'nobody'"),
        (("bar0", "c"), "'c' is no link: tag it first"),
        (("bar0",), "The chain has 1 link: it takes two at least"),
        (("bar0", "bar1", "bar2", "flat"), "'flat' has a scale of zero"),
    ],
)
def test_all_or_nothing(scene, build, row, names, message):
    """Where one link cannot be joined, no joint is made at all."""
    build.cube("c")
    flat = build.cube("flat")
    build.tag(flat)
    flat.scale.x = 0.0
    with pytest.raises(RuntimeError, match=message):
        by_name(*names)
    assert not joints(scene)


def seen_from_above(scene):
    """A context with a view of 100 pixels a side, which shows x and y from -5 to 5, beside a sidebar."""
    camera = SimpleNamespace(
        is_perspective=False,
        view_perspective="ORTHO",
        view_matrix=Matrix.Translation((0.0, 0.0, -10.0)),
        perspective_matrix=Matrix.Diagonal((0.2, 0.2, -0.02, 1.0)) @ Matrix.Translation((0.0, 0.0, -10.0)),
    )
    regions = [
        SimpleNamespace(type="WINDOW", x=50, y=0, width=100, height=100),
        SimpleNamespace(type="UI", x=130, y=0, width=20, height=100),
    ]
    area = SimpleNamespace(
        type="VIEW_3D",
        **{"x": 50, "y": 0, "width": 100, "height": 100},
        regions=regions,
        spaces=SimpleNamespace(active=SimpleNamespace(region_3d=camera)),
    )
    return SimpleNamespace(
        screen=SimpleNamespace(areas=[area]),
        scene=scene,
        visible_objects=list(scene.objects),
        evaluated_depsgraph_get=bpy.context.evaluated_depsgraph_get,
    )


@pytest.mark.parametrize(
    ("x", "y", "found"),
    [(0.0, 0.0, "upper"), (-3.0, 0.0, "bare"), (-3.0, 1.0, "bare"), (0.0, 4.0, None), (3.5, 0.0, None)],
)
def test_what_lies_under_the_mouse(scene, build, monkeypatch, x, y, found):
    """The ray meets what is in front; a link without a mesh is found near its origin; sidebars cover what is below."""
    monkeypatch.undo()
    build.cube("lower", size=1.0)
    build.cube("upper", (0.0, 0.0, 2.0), size=1.0)
    build.cube("below the sidebar", (3.5, 0.0, 0.0), size=1.0)
    bare = bpy.data.objects.new("bare", None)
    scene.collection.objects.link(bare)
    bare.location.x = -3.0
    bpy.context.view_layer.update()
    build.tag(bare)
    mouse = SimpleNamespace(mouse_x=round(100 + 10 * x), mouse_y=round(50 + 10 * y))
    under = chain.object_under(seen_from_above(scene), mouse)
    assert (under.name if under else None) == found


def test_nothing_to_click_on(row, monkeypatch):
    """Beside all 3D views a click finds nothing, and is no error."""
    monkeypatch.undo()
    nowhere = SimpleNamespace(screen=None)
    assert chain.object_under(nowhere, SimpleNamespace(mouse_x=1, mouse_y=1)) is None
