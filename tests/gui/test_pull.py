# SPDX-License-Identifier: GPL-3.0-or-later
"""Links taken by the hand in the viewport: with the tool of the toolbar, and the mouse."""

import itertools
import math
import time

import bpy
import harness
import sidebar
from harness import move, on_screen, over_viewport, press, screenshot, send
from mathutils import Vector
from mechanisms import largest_gap, mechanisms, write

from support.plan import walk

CLOSED = 1e-6
"""Metres by which a joint may stand open while it is pulled."""

STEPS = 48


class Watched:
    """The operator's modal function: how long each event takes, and how far joints stand open after it."""

    def __init__(self):
        self.cls = harness.module("ops.posing.pull").LIMBERJACK_OT_link_pull
        self.plain, self.times, self.gaps, self.headers = self.cls.modal, [], [], []

    def __enter__(self):
        plain, times, gaps = self.plain, self.times, self.gaps

        def modal(operator, context, event):
            begun = time.perf_counter()
            result = plain(operator, context, event)
            if event.type == "MOUSEMOVE":
                times.append(time.perf_counter() - begun)
                gaps.append(largest_gap())
            return result

        self.cls.modal = modal
        return self

    def __exit__(self, *_):
        self.cls.modal = self.plain

    def require(self, name: str):
        median = sorted(self.times)[len(self.times) // 2]
        print(
            f"PULL {name}: {len(self.times)} events, median {median * 1e3:.1f} ms, longest {max(self.times) * 1e3:.1f} "
            f"ms, largest gap {max(self.gaps):.1e} m",
            flush=True,
        )
        assert len(self.times) >= 40, f"only {len(self.times)} events came through"
        assert max(self.gaps) <= CLOSED, f"a joint stood open by {max(self.gaps):.2e} m"


def look_at(point, distance, turn=(1.0, 0.0, 0.0, 0.0)) -> harness.Steps:
    view = harness.viewport().spaces.active.region_3d
    view.view_location, view.view_distance = point, distance
    view.view_rotation = turn
    bpy.ops.ed.undo_push(message="Made")
    harness.region().tag_redraw()
    yield from harness.at_rest()  # places on the screen are known once it is drawn


def choose_tool() -> harness.Steps:
    """And wait until it is as quick as it gets."""
    warming = harness.module("kernel_compilation")
    warming.compile_posing()
    yield from harness.until(
        lambda: not warming.KernelCompilation.is_needed(warming.POSING), "posing is compiled", timeout=200
    )
    with bpy.context.temp_override(window=harness.window(), area=harness.viewport(), region=harness.region()):
        bpy.ops.wm.tool_set_by_id(name="limberjack.pull_links", space_type="VIEW_3D")
    yield from harness.drawn()  # its keys are there once the toolbar is drawn


def hold_along(path: list[Vector]) -> harness.Steps:
    """Press the mouse on the first of these points of the world, and move it to the others, with the button down."""
    places = [on_screen(point) for point in path]
    yield from move((places[0][0] - 3, places[0][1] - 3))
    yield from move(places[0])
    send("LEFTMOUSE", "PRESS")
    yield from harness.drawn()
    for place in places[1:]:
        yield from move(place)


def release() -> harness.Steps:
    send("LEFTMOUSE", "RELEASE")
    yield from harness.at_rest()


def undo() -> harness.Steps:
    yield from over_viewport()
    yield from press("Z", ctrl=True)
    send("LEFT_CTRL", "RELEASE")  # what is simulated holds it until then
    yield from harness.at_rest()


def places() -> dict[str, tuple]:
    return {
        obj.name: tuple(round(number, 5) for row in obj.matrix_world for number in row)
        for obj in bpy.context.scene.objects
        if obj.limberjack_link.is_link
    }


def circle(center: Vector, start: Vector, around: Vector, angle: float) -> list[Vector]:
    """From a point along an arc about a center, and back."""
    way = start - center
    turns = [angle * math.sin(math.pi * i / STEPS) for i in range(STEPS + 1)]
    return [center + _turned(way, around, turn) for turn in turns]


def _turned(way: Vector, axis: Vector, angle: float) -> Vector:
    return way * math.cos(angle) + axis.cross(way) * math.sin(angle)


def loop(start: Vector, one: Vector, other: Vector) -> list[Vector]:
    """From a point around a closed curve in the plane of two vectors, and on to its third quarter again."""
    angles = [1.5 * math.pi * i / STEPS for i in range(STEPS + 1)]
    return [start + one * math.sin(angle) + other * (1.0 - math.cos(angle)) for angle in angles]


def _pulled_and_back(name: str, path: list[Vector], picture: str) -> harness.Steps:
    """Along a path: closed and quick at every event; then one undo, and Esc in another drag, give all back."""
    before = places()
    bridge = harness.module("bridge.rig")
    show, reads = bridge.show_rig, []
    yield from harness.at_rest()  # the scene is read when it has come to rest
    bridge.show_rig = lambda *arguments: (reads.append(arguments), show(*arguments))[1]
    try:
        with Watched() as watched:
            yield from hold_along(path)
            yield from screenshot(picture)
            during = len(reads)
            yield from release()
    finally:
        bridge.show_rig = show
    assert not during, "the scene was read while a link was pulled"
    assert places() != before, f"nothing of {name} has moved"
    watched.require(name)
    yield from undo()
    assert places() == before, "one undo does not take the drag back"
    yield from hold_along(path[: STEPS // 2])
    assert places() != before, "the second drag does nothing"
    yield from press("ESC")
    yield from release()
    assert places() == before, "Esc does not take the drag back"


def test_a_four_bar_is_pulled():
    """A crank that is led along its circle: the four-bar stays closed, quickly, and the drag is one step of undo."""
    write(mechanisms().four_bar())
    yield from look_at((1.0, 0.6, 0.0), 6.0)
    yield from choose_tool()
    path = circle(Vector(), Vector((0.0, 0.6, 0.03)), Vector((0.0, 0.0, 1.0)), -0.9)
    yield from _pulled_and_back("four-bar", path[: STEPS // 2 + 1] * 2, "four_bar_pulled")


def test_a_stewart_platform_is_pulled():
    """A platform on six legs, by its edge."""
    objects = write(mechanisms().stewart("universal"))
    yield from look_at((0.0, 0.0, 0.6), 5.0, (0.75, 0.55, 0.2, 0.3))
    yield from choose_tool()
    edge = objects["platform"].matrix_world @ _between(objects, "head0", "head1")
    view = harness.viewport().spaces.active.region_3d.view_rotation
    one, other = view @ Vector((0.15, 0.0, 0.0)), view @ Vector((0.0, 0.1, 0.0))
    yield from _pulled_and_back("Stewart platform", loop(edge, one, other), "stewart_pulled")


def _between(objects, one: str, other: str) -> Vector:
    """In their child, half-way between two joints."""
    frames = [objects[name].limberjack_joint.X_CJ.split()[:3] for name in (one, other)]
    return 0.5 * sum((Vector([float(word) for word in frame]) for frame in frames), Vector())


def test_a_bricard_linkage_is_pulled():
    """Six bars in a ring, rigid by count, by the middle of one far from the world's."""
    objects = write(mechanisms().bricard())
    yield from look_at((0.5, -0.5, 0.5), 4.0, (0.8, 0.45, 0.15, 0.35))
    yield from choose_tool()
    start = Vector((1.0, -1.0, 0.5))
    assert objects["bar3"].matrix_world.translation.length < 1e-6, "the bars' frames are not where they were drawn"
    ends = [start, Vector((0.68, -1.2, 0.04)), Vector((0.13, -1.3, -0.24))]  # close to the way that it can go
    path = [one.lerp(other, i * 2 / STEPS) for one, other in itertools.pairwise(ends) for i in range(STEPS // 2)]
    yield from _pulled_and_back("Bricard linkage", [*path, ends[-1]], "bricard_pulled")


def test_out_of_reach():
    """Beyond what limits allow, the link comes as near as it can, a red line leads on, and the header says why."""
    support = mechanisms()
    model = support.Model("arm", [support.Link(f"bar{i}", pose=(float(i), 0, 0, 1, 0, 0, 0)) for i in range(3)])
    for i in range(3):
        parent = f"bar{i - 1}" if i else support.WORLD
        end = (float(i + 1), 0.0, 0.0)
        support.join(model, f"hinge{i}", "revolute", parent, f"bar{i}", (float(i), 0.0, 0.0), support.Y)
        if i == 2:
            model.links.append(support.Link("hand", pose=(*end, 1.0, 0.0, 0.0, 0.0)))
            support.join(model, "wrist", "fixed", "bar2", "hand", end)
    objects = write(model)
    axis = objects["hinge1"].limberjack_joint.axes[0]
    axis.use_lower = axis.use_upper = True
    axis.lower, axis.upper = -0.4, 0.4
    objects["bar0"].limberjack_link.pin = "PLACE"
    yield from look_at((1.5, 0.0, 1.0), 9.0, (0.7071068, 0.7071068, 0.0, 0.0))
    yield from choose_tool()
    tip = Vector((3.0, 0.0, 0.0))
    way = Vector((-1.5, 0.0, 3.5))
    header = []
    operator = harness.module("ops.posing.pull").LIMBERJACK_OT_link_pull
    plain = operator._header_text
    operator._header_text = lambda *arguments: (header.append(plain(*arguments)), header[-1])[1]
    try:
        yield from hold_along([tip + way * (i / STEPS) for i in range(STEPS + 1)])
        yield from screenshot("arm_unreachable")
    finally:
        operator._header_text = plain
    yield from release()
    hand = objects["hand"].matrix_world.translation
    assert hand.length < 3.0 + 1e-4, "the arm is longer than it was"
    assert (hand - tip - way).length > 0.5, "the hand is where it cannot be"
    assert header, "no header was written"
    assert header[-1].startswith(("hand  moved", "bar2  moved")), f"the header does not say how far: {header[-1]}"
    assert "from its target" in header[-1], f"the header does not say what is missing: {header[-1]}"


def test_a_click_selects_and_a_drag_beside_links_too():
    """With the tool, a click selects the link under it, a drag over nothing selects by a box, and no link moves."""
    objects = write(mechanisms().four_bar())
    for obj in bpy.context.scene.objects:
        obj.select_set(False)
    yield from look_at((1.0, 0.6, 0.0), 6.0)
    yield from choose_tool()
    before = places()
    yield from harness.click(on_screen(Vector((0.0, 0.6, 0.03))))
    chosen = [obj.name for obj in bpy.context.selected_objects]
    assert chosen == ["crank sticks"], f"a click selects {chosen}"
    yield from harness.drag(on_screen(Vector((-0.6, -0.4, 0.0))), on_screen(Vector((2.6, 2.0, 0.0))))
    chosen = {obj.name for obj in bpy.context.selected_objects}
    assert set(objects) <= chosen, f"a drag beside all links selects {sorted(chosen)}"
    assert places() == before, "selecting has moved a link"


@walk
def test_the_tool_from_the_sidebar():
    """The panel's button switches the tool on, and a link can be pulled at once."""
    write(mechanisms().four_bar())
    yield from look_at((1.0, 0.6, 0.0), 6.0)
    yield from sidebar.open_tab()
    yield from sidebar.open_panel("LIMBERJACK_PT_pull")
    yield from sidebar.click_button("wm.tool_set_by_id")
    yield from harness.at_rest()
    tool = bpy.context.workspace.tools.from_space_view3d_mode("OBJECT")
    assert tool.idname == "limberjack.pull_links", f"the tool is {tool.idname}"
    yield from screenshot("pull_panel")
    before = places()
    path = circle(Vector(), Vector((0.0, 0.6, 0.03)), Vector((0.0, 0.0, 1.0)), -0.5)
    yield from hold_along(path[: STEPS // 2])
    yield from release()
    assert places() != before, "the link does not follow the mouse"
