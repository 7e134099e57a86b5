"""Panels in every state that a user can bring them into. The session looks for complaints in Blender's log."""

from collections import Counter

import bpy
from harness import PACKAGE, click_button, open_tab, region, screenshot, status, until
from scenes import hanging_bars, select

drawn: Counter[str] = Counter()


def _panels() -> list[type]:
    return [cls for cls in bpy.types.Panel.__subclasses__() if cls.__module__.startswith(f"{PACKAGE}.")]


def _count_draws() -> None:
    """Blender asks the class for `draw` each time, so a wrapper put there later counts."""
    for cls in _panels():
        cls.draw = _counting(cls.__name__, cls.draw)


def _counting(name: str, draw):
    def wrapper(self, context):
        draw(self, context)
        drawn[name] += 1

    return wrapper


def _redraw():
    """Until the tab's last panel is drawn, so that those above it are, too."""
    before = drawn.copy()
    region("UI").tag_redraw()
    yield from until(
        lambda: all(drawn[name] > before[name] for name in ("LIMBERJACK_PT_main", "LIMBERJACK_PT_exchange")),
        "all panels of the tab are drawn without an exception",
    )


def test_every_panel_draws_in_every_state():
    """A panel that raises shows half of its rows, and says so only where no user looks: in the terminal."""
    originals = {cls: cls.draw for cls in _panels()}
    _count_draws()
    try:
        yield from _through_all_states()
    finally:
        for cls, draw in originals.items():
            cls.draw = draw
    missing = sorted(cls.__name__ for cls in originals if not drawn[cls.__name__])
    assert not missing, f"never drawn: {missing}"


def _through_all_states():
    yield from open_tab()
    hanging_bars()
    bpy.data.objects["Lower_joint"].limberjack_joint.type = "universal"
    select("Lower_joint")
    yield from _open_all_panels()
    select("Upper")
    yield from _redraw()
    yield from _links()
    yield from _joints()
    status().error = "An error, long enough for two lines of the sidebar at the least"
    yield from _redraw()
    status().running = True
    yield from _redraw()
    yield from screenshot("panels_running")
    status().running, status().error = False, ""


def _open_all_panels():
    """Ctrl and a click on the main panel's header close all that are below it, or open them all."""
    for _ in range(3):
        yield from click_button("limberjack.link_tag", rows_below=-1.5, ctrl=True)
        region("UI").tag_redraw()
        yield 0.5
        if all(drawn[name] for name in ("LIMBERJACK_PT_axes", "LIMBERJACK_PT_home", "LIMBERJACK_PT_exchange")):
            return
    raise AssertionError(f"the panels do not open; drawn so far: {sorted(drawn)}")


def _links():
    select("Lower")
    for source in ("DENSITY", "CUSTOM"):
        bpy.data.objects["Lower"].limberjack_link.mass_source = source
        yield from _redraw()
    shape = bpy.data.objects.new("Shape", bpy.data.objects["Lower"].data)
    shape.parent = bpy.data.objects["Lower"]
    bpy.context.scene.collection.objects.link(shape)
    select("Shape")
    yield from _redraw()
    yield from screenshot("panels_shape")


def _joints():
    obj = bpy.data.objects["Lower_joint"]
    joint = obj.limberjack_joint
    select(obj.name)
    for kind in joint.bl_rna.properties["type"].enum_items:
        joint.type = kind.identifier
        yield from _redraw()
        for axis in joint.axes:
            axis.use_lower = axis.use_upper = True
            axis.spring_stiffness = 1.0
        yield from _redraw()
    joint.use_home = joint.use_mimic = True
    obj.location.x += 1.0
    yield from _redraw()
    yield from screenshot("panels_joint")
