# SPDX-License-Identifier: GPL-3.0-or-later
"""Links that the mouse pulls in Play against what is in their way, however far behind it the mouse is."""

import bpy
import numpy as np
import pytest
from mathutils import Vector

from limberjack.addon import preview as previews
from limberjack.addon.preview.preview_motion import MOST_FORCE

from .conftest import joint
from .samples import maker, open_sample

THIN = 0.002
"""Metres: the wall, which begins at x = 1."""

SUNK = {"draft": 0.0225, "good": 1e-3}
"""Metres by which an edge may be in the wall at the end of a frame: less than half of the thinnest link."""

FAR = Vector((50.0, 0.3, 0.2))


@pytest.fixture(autouse=True)
def _no_preview_stays():
    yield
    previews.end()


@pytest.fixture
def wall(scene, build):
    obj = build.cube("wall", (1.0 + THIN / 2.0, 0.0, 0.0), 1.0, scale=(THIN, 20.0, 20.0))
    bpy.ops.object.transform_apply(location=False, rotation=False)
    build.select(obj)
    bpy.ops.limberjack.collider_add()
    scene.frame_end = 48
    return obj


def shown(preview):
    """Go on by one frame, whatever time that takes."""
    before = preview.shown
    for _ in range(2000):
        preview.tick(1.0 / 24.0)
        if preview.shown != before or preview.problem:
            break
    assert preview.problem == ""
    bpy.context.view_layer.update()
    return preview


def pulled(scene, accuracy, strength, link, point):
    """A preview in which a link is taken, in the second frame, by a point of the world."""
    scene.limberjack.accuracy, scene.limberjack.preview.pace = accuracy, "EVERY"
    scene.limberjack.preview.strength = strength
    preview = shown(previews.begin(scene))
    preview.begin_pull(link, point)
    return preview


def farthest(*links):
    """The greatest x of their corners."""
    return max((link.matrix_world @ vertex.co).x for link in links for vertex in link.data.vertices)


def nearest(*links):
    """The greatest x of their middles."""
    return max(sum((link.matrix_world @ Vector(corner)).x for corner in link.bound_box) / 8.0 for link in links)


def pulled_to_the_wall(preview, accuracy, *links):
    """Pull there, away and there again; nothing passes in any frame."""
    pressed = 0
    for frame in range(46):
        preview.pull_to(FAR if frame % 24 < 18 else Vector((-1.0, 0.0, 0.0)))
        shown(preview)
        assert farthest(*links) < 1.0 + SUNK[accuracy], frame
        assert nearest(*links) < 1.0, frame
        pressed += farthest(*links) > 1.0 - 1e-3
    assert pressed > 10


@pytest.mark.parametrize("strength", [1.0, 10.0])
@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_a_loose_link_stops_at_a_wall(scene, build, wall, accuracy, strength):
    """Guards thin walls: a cube that is pulled at its corner towards a place 50 m behind one never passes it."""
    cube = build.cube("cube", (0.0, 0.0, 0.0), 0.2)
    build.tag(cube)
    pulled_to_the_wall(pulled(scene, accuracy, strength, cube, Vector((0.1, 0.05, 0.08))), accuracy, cube)


@pytest.mark.parametrize("strength", [1.0, 10.0])
@pytest.mark.parametrize("accuracy", ["draft", "good"])
def test_links_on_joints_stop_at_a_wall(scene, build, wall, accuracy, strength):
    """Guards a chain that hangs beside a wall and is pulled at its end: no bar of it passes while it whips."""
    bars = []
    for number in range(4):
        bar = build.cube(f"bar{number}", (0.0, 0.0, 1.5 - 0.4 * number), 1.0)
        for vertex in bar.data.vertices:
            x, y, z = vertex.co
            vertex.co = 0.06 * x, 0.06 * y, 0.39 * (z - 0.5)
        bars.append(bar)
    bpy.context.view_layer.update()
    build.tag(*bars)
    for number, bar in enumerate(bars):
        joint(build.join(bar, bars[number - 1] if number else None)).axes[0].xyz = (0.0, 1.0, 0.0)
    pulled_to_the_wall(pulled(scene, accuracy, strength, bars[-1], Vector((0.0, 0.0, -0.05))), accuracy, *bars)


def test_a_wall_bears_the_hardest_pull(scene, build, wall):
    """Guards the bound, by statics: wall, weight and a pull of so many weights are in balance on a pressed cube."""
    cube = build.cube("cube", (0.8, 0.0, 0.0), 0.2)
    build.tag(cube)
    preview = pulled(scene, "good", 2.0, cube, Vector((0.8, 0.0, 0.0)))
    for _ in range(40):
        preview.pull_to(FAR)
        shown(preview)
    weight = 1000.0 * 0.2**3 * 9.81
    points, forces = preview.motion.touching[preview.shown]
    assert np.abs(points[:, 0] - 1.0).max() < 1e-6
    borne = forces.sum(axis=0) * np.sign(-forces[:, 0].sum())  # on the cube, which the wall pushes back
    assert np.linalg.norm(borne - (0.0, 0.0, weight)) == pytest.approx(2.0 * MOST_FORCE * weight, rel=1e-3)


@pytest.mark.parametrize("accuracy", ["draft", "good"])
@pytest.mark.parametrize("name", ["hand.L", "head"])
def test_a_puppet_is_pulled_at_stairs(accuracy, name):
    """Guards a light link of a heavy machine among many contacts: it is not shaken apart, and goes through no step.

    A spring that bears the whole puppet shook its hand faster than a convex step can follow.
    """
    scene, puppet = open_sample("tumble"), maker("puppet").LINKS
    scene.render.fps, scene.limberjack.accuracy, scene.limberjack.preview.pace = 24, accuracy, "EVERY"
    preview = previews.begin(scene)
    for frame in range(80):
        if frame == 40:
            preview.begin_pull(scene.objects[name], scene.objects[name].matrix_world.translation.copy())
        if frame >= 40:
            preview.pull_to(Vector((0.0, -0.5 - 3.0 * (frame // 10 % 2), -3.0)))
        shown(preview)
        motion = preview.motion.simulation.trajectory
        poses = preview.motion.poses(preview.shown)
        assert all(pose[2] > 0.0 for name, pose in poses.items() if name in puppet), frame
        assert np.abs(motion.qd[preview.shown]).max() < 200.0, frame
