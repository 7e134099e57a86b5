# SPDX-License-Identifier: GPL-3.0-or-later
"""What the overlays cost, in a window: nothing while nothing changes."""

import time

import bpy
import harness
from harness import screenshot, until

JOINTS = 500
IDLE = 1e-3
"""Seconds of Python for a redraw in which nothing has changed; the least of many, as clocks and machines wander."""


def many_joints():
    """A comb of short chains, by the operators' own functions."""
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    mesh = bpy.data.meshes.new("stick")
    mesh.from_pydata(
        [(x, y, z) for x in (-0.05, 0.05) for y in (-0.05, 0.05) for z in (-0.5, 0.0)],
        [],
        [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)],
    )
    joining = harness.module("bridge.joints.joining")
    above = None
    for i in range(JOINTS):
        column, row = divmod(i, 10)
        obj = bpy.data.objects.new(f"stick{i}", mesh)
        bpy.context.scene.collection.objects.link(obj)
        obj.location = (0.5 * (column % 10), 0.5 * (column // 10), 5.0 - 0.5 * row)
        obj.limberjack_link.is_link = True
        above = None if row == 0 else above
        bpy.context.view_layer.update()
        joining.new_joint(obj, above, "universal", (*obj.location, 1.0, 0.0, 0.0, 0.0))
        above = obj


class Clock:
    """Measures a function of the add-on's modules while it is in use."""

    def __init__(self, owner, name):
        self.owner, self.name, self.plain, self.times = owner, name, getattr(owner, name), []
        setattr(owner, name, self)

    def __call__(self, *arguments):
        begun = time.perf_counter()
        try:
            return self.plain(*arguments)
        finally:
            self.times.append(time.perf_counter() - begun)

    def stop(self):
        setattr(self.owner, self.name, self.plain)


class Driver:
    """In the place of a batch: what drawing it takes is not Python's."""

    def __init__(self, lines):
        self.lines, self.batch, self.times = lines, lines._batch, []
        lines._batch = self

    def draw(self, shader):
        begun = time.perf_counter()
        self.batch.draw(shader)
        self.times.append(time.perf_counter() - begun)

    def stop(self):
        self.lines._batch = self.batch


def redraws(count: int) -> harness.Steps:
    for _ in range(count):
        harness.region().tag_redraw()
        yield from harness.drawn()


def test_five_hundred_joints_at_rest():
    """Of 500 joints, a redraw costs Python less than a millisecond, reads nothing and lays out nothing anew."""
    many_joints()
    overlays, watch, rig = harness.module("overlays"), harness.module("watch"), harness.module("bridge.rig")
    model, group = harness.module("overlays.model"), harness.module("gizmos.joint")
    yield from until(lambda: rig.last_rig(bpy.context.scene), "the scene is read", timeout=60)
    yield from redraws(5)
    yield from screenshot("five_hundred_joints")
    read, laid_out = Clock(model, "joint_layout"), Clock(model, "_place")
    driver = [Driver(lines) for lines in model._drawings[bpy.context.scene.session_uid].lines]
    drawn, handled = Clock(overlays.model, "draw"), Clock(watch, "note_change")
    handles = Clock(group.LIMBERJACK_GGT_joint, "_place")
    version = rig.last_rig(bpy.context.scene).version
    yield from redraws(40)
    for clock in (read, laid_out, drawn, handled, handles):
        clock.stop()
    assert len(drawn.times) >= 20, f"only {len(drawn.times)} redraws were seen"
    assert not [*read.times, *laid_out.times], "lines are laid out while nothing changes"
    assert not handled.times, f"{len(handled.times)} changes were noted while nothing changed"
    assert not handles.times, "handles are placed while nothing changes"
    assert rig.last_rig(bpy.context.scene).version == version, "the scene was read while nothing changed"
    for draw in driver:
        draw.stop()
    assert len(driver[0].times) == len(drawn.times), "a redraw draws something else than before"
    spent = [sum(each) for each in zip(*(draw.times for draw in driver), strict=True)]
    times = sorted(whole - gl for whole, gl in zip(drawn.times, spent, strict=True))
    print(f"OVERLAYS graphics driver: median {sorted(spent)[len(spent) // 2] * 1e3:.1f} ms", flush=True)
    print(f"OVERLAYS idle: least {times[0] * 1e3:.3f} ms, median {times[len(times) // 2] * 1e3:.3f} ms", flush=True)
    assert times[0] < IDLE, f"a redraw costs {times[0] * 1e3:.3f} ms at least"

    moved = Clock(model, "_place")
    for _ in range(5):
        bpy.data.objects["stick0"].location.x += 0.01
        yield from redraws(2)
    moved.stop()
    assert moved.times, "the lines do not follow a link that moves"
    print(f"OVERLAYS moving: least {min(moved.times) * 1e3:.2f} ms", flush=True)
    began = time.perf_counter()
    rig.show_rig(bpy.context.scene)
    print(f"OVERLAYS reading the scene: {(time.perf_counter() - began) * 1e3:.0f} ms", flush=True)
