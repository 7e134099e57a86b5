# SPDX-License-Identifier: GPL-3.0-or-later
"""What Blender calls at every redraw, and at every frame, does not look at each object of a large scene.

Nothing is timed: calls of Python functions, and reads of objects' settings, are counted in a scene of a few objects and
in one of many.
"""

import gc
import sys
from types import SimpleNamespace

import bpy
import pytest

from limberjack.addon import ops, watch
from limberjack.addon.bridge.animation.keyed_motion import follow_keys
from limberjack.addon.bridge.rig import last_rig, show_rig
from limberjack.addon.overlays import model as overlay
from limberjack.addon.preferences import preferences
from limberjack.addon.preview import begin, current, end
from limberjack.addon.props.members import has_joints, has_links, joints_in, links_in

from . import rigs
from .baked import bake
from .conftest import joint, link
from .paper import draw

FEW, MANY = 20, 1500
"""Objects beside the machine."""

SHORT = 10
"""Number of bones in the shorter of two chains."""


def bystanders(scene, count, mesh=None):
    mesh = mesh or bpy.data.meshes.new("stone")
    for number in range(count):
        scene.collection.objects.link(bpy.data.objects.new(f"stone{number}", mesh))
    bpy.context.view_layer.update()


def python_calls(work):
    """Return how many Python functions are called by `work()`, after a first time that may fill caches.

    Python's garbage collector would call functions, too, for objects that earlier tests have left.
    """
    work()
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    gc.collect()
    gc.disable()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(None)
        gc.enable()
    return count


def poll_all():
    """Ask every operator of ours whether it can be used."""
    for cls in ops.CLASSES:
        if issubclass(cls, bpy.types.Operator) and hasattr(cls, "poll"):
            cls.poll(Context())


class Context:
    """The context, and a place for the messages of polls."""

    def __getattr__(self, name):
        return getattr(bpy.context, name)


def draw_all_panels():
    draw(bpy.context.object)


def draw_overlay():
    scene, look = bpy.context.scene, preferences()
    rig = last_rig(scene)
    watch.moves += 1  # as after each movement of the mouse while something is dragged
    overlay.up_to_date(rig, bpy.context, look)


def follow():
    scene = bpy.context.scene
    follow_keys(scene, bpy.context.evaluated_depsgraph_get())


def stop_dragging():
    """What the handler of changes does with one object that was moved."""
    watch.note_change([bpy.context.scene.objects["bar0"]])


WORK = (poll_all, draw_all_panels, draw_overlay, follow, stop_dragging)


def machine(scene, build):
    bars, empties = build.pendulum(2)
    joint(empties[0]).coordinates[0].value_angle = 0.4
    bake(scene)
    show_rig(scene)
    build.select(*bars)
    return bars


@pytest.mark.parametrize("work", WORK, ids=lambda work: work.__name__)
def test_calls_do_not_grow_with_the_scene(scene, build, work, monkeypatch):
    """Guards redraws: the same number of calls with 20 objects beside a machine and with 1500."""
    for cls in ops.CLASSES:
        monkeypatch.setattr(cls, "poll_message_set", lambda *_: None, raising=False)
    monkeypatch.setattr(overlay, "Lines", lambda *numbers: numbers)  # which needs a graphics card
    machine(scene, build)
    bystanders(scene, FEW)
    few = python_calls(work)
    bystanders(scene, MANY)
    assert python_calls(work) == few
    assert few > 0


def show_frame_of_play():
    preview = current()
    preview.on_frame_set(bpy.context.scene)


@pytest.fixture
def _no_preview_stays():
    yield
    end()


@pytest.mark.usefixtures("_no_preview_stays")
@pytest.mark.parametrize("work", [draw_overlay, show_frame_of_play], ids=lambda work: work.__name__)
def test_calls_grow_with_the_length_of_a_chain(scene, work, monkeypatch):
    """Guards frames of Play: a bone is not looked at again for each bone below it, so four times as many bones take
    four times as many calls, and not sixteen times."""
    monkeypatch.setattr(overlay, "Lines", lambda *numbers: numbers)
    counts = []
    for count in (SHORT, 4 * SHORT):
        rig = rigs.chain(count)
        rigs.hang_up(rigs.tag(rig)[0])
        show_rig(scene)
        begin(scene).tick(0.0)
        counts.append(python_calls(work))
        bpy.data.objects.remove(rig)
    assert counts[1] < 5 * counts[0]


@pytest.mark.parametrize("work", [poll_all, draw_all_panels], ids=lambda work: work.__name__)
def test_a_scene_without_links(scene, build, work, monkeypatch):
    """Guards scenes that have nothing of ours, where no first link ends a search."""
    for cls in ops.CLASSES:
        monkeypatch.setattr(cls, "poll_message_set", lambda *_: None, raising=False)
    build.cube("alone")
    bystanders(scene, FEW)
    show_rig(scene)
    few = python_calls(work)
    bystanders(scene, MANY)
    show_rig(scene)
    assert python_calls(work) == few


def test_members_follow_every_change(scene, build, tmp_path):
    """Guards what is kept of links and joints: names, tags, deletions, copies, other scenes, files and undo."""
    bars, empties = build.pendulum(2)
    bystanders(scene, 3)
    assert (links_in(scene), joints_in(scene)) == (bars, empties)
    bars[0].name = "another name"
    assert links_in(scene) == bars
    link(bars[0]).is_link = False
    assert links_in(scene) == [bars[1]]
    link(bars[0]).is_link = True
    assert set(links_in(scene)) == set(bars)
    bpy.data.objects.remove(empties[0])
    assert joints_in(scene) == [empties[1]]
    build.select(bars[1])
    bpy.ops.object.duplicate()
    assert len(links_in(scene)) == 3
    other = bpy.data.scenes.new("other")
    assert not has_links(other)
    other.collection.objects.link(bars[0])
    assert links_in(other) == [bars[0]]
    assert not has_joints(other)
    scene.collection.objects.unlink(bars[0])
    bystanders(scene, 1)
    assert bars[0] not in links_in(scene)
    path = str(tmp_path / "saved.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert len(links_in(bpy.data.scenes["Scene"])) == 2


def test_an_object_in_the_place_of_another(scene, build):
    """Guards a script that takes one object away and adds a link: their number is the same as before."""
    stone = build.cube("stone")
    bar = build.tagged_cube("bar")
    scene.collection.objects.unlink(bar)
    bpy.context.view_layer.update()
    assert not has_links(scene)
    bpy.data.objects.remove(stone)
    scene.collection.objects.link(bar)
    bpy.context.view_layer.update()
    assert has_links(scene)


def test_the_list_of_the_model(scene, build):
    """Guards the rows of the panel Model: links and joints in the order of the tree, and a search by name."""
    bars, empties = build.pendulum(2)
    bystanders(scene, 5)
    show_rig(scene)
    rows = bpy.types.LIMBERJACK_UL_model
    looking = SimpleNamespace(filter_name="", use_filter_invert=False, bitflag_filter_item=1)
    flags, order = rows.filter_items(looking, bpy.context, scene, "objects")
    shown = sorted((order[number], obj.name) for number, obj in enumerate(scene.objects) if flags[number])
    assert [name for _, name in shown] == ["bar0_joint", "bar0", "bar1_joint", "bar1"]
    assert sorted(order) == list(range(len(scene.objects)))
    looking.filter_name = "JOINT"
    flags, _ = rows.filter_items(looking, bpy.context, scene, "objects")
    assert {obj.name for number, obj in enumerate(scene.objects) if flags[number]} == {"bar0_joint", "bar1_joint"}
    assert {*bars, *empties} <= set(scene.objects)
