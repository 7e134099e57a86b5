# SPDX-License-Identifier: GPL-3.0-or-later
"""The axes about which hinges from a hierarchy turn."""

import math

import bpy
import pytest

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.props import is_joint

from .conftest import joint


def bar(name, location, parent=None, rotation=(0.0, 0.0, 0.0), along=2, start=0.5):
    """A thin bar, of which `start` lies beyond its origin along one of its own axes: 0.5 all, 0 half of it."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=location, rotation=rotation)
    obj = bpy.context.object
    obj.name = name
    for vertex in obj.data.vertices:
        for i in range(3):
            vertex.co[i] = vertex.co[i] + start if i == along else 0.1 * vertex.co[i]
    if parent:
        bpy.context.view_layer.update()
        obj.parent, obj.matrix_parent_inverse = parent, parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    return obj


def rig(build, obj, **options):
    """The joints, and where the axis of each points in the world."""
    build.select(obj)
    bpy.ops.limberjack.rig_from_hierarchy(**options)
    bpy.context.view_layer.update()
    joints = [found for found in bpy.context.scene.objects if is_joint(found)]
    return {found.name: tuple(found.matrix_world.to_3x3() @ joint(found).axes[0].xyz) for found in joints}


def lying(rotation, along):
    above = None
    for i in range(3):
        above = bar(f"bar{i}", (float(i), 0.0, 2.0), above, rotation, along)
    return bpy.data.objects["bar0"]


@pytest.mark.parametrize(
    ("rotation", "along"), [((0.0, math.pi / 2.0, 0.0), 2), ((0.0, 0.0, 0.0), 0), ((0.7, 0.0, 0.0), 0)]
)
def test_a_lying_chain_swings(scene, build, rotation, along):
    """Guards a chain of bars whose own z lies along them, or is upright: gravity can turn every hinge."""
    axes = rig(build, lying(rotation, along))
    for axis in axes.values():
        assert axis[0] == pytest.approx(0.0, abs=1e-6)  # across the bar
        assert abs(axis[1]) > 0.7  # more level than upright
    forget_rigs()
    assert show_rig(scene).problems == []
    run = SimulationBake(scene)
    run.run()
    poses = run.simulation.trajectory.X_WL
    assert abs(poses[:, -1, 2] - poses[0, -1, 2]).max() > 0.1


def test_z_stays_where_it_is_as_good(build):
    """Guards objects that were made with their hinge along z: it is level and across, and stays."""
    axes = rig(build, lying((math.pi / 2.0, 0.0, 0.0), 0))
    assert [joint(bpy.data.objects[name]).axes[0].xyz[2] for name in axes] == [1.0, 1.0, 1.0]


def test_what_hangs_turns_across(build):
    """Guards a leg: its hinges lie across a figure that looks along y, and never along the leg."""
    thigh = bar("thigh", (0.0, 0.0, 2.0), rotation=(math.pi, 0.0, 0.0))
    bar("shin", (0.0, 0.0, 1.0), thigh, rotation=(math.pi, 0.0, 0.0))
    for axis in rig(build, thigh).values():
        assert axis == pytest.approx((1.0, 0.0, 0.0), abs=1e-6)


def test_origins_in_the_middle_go_by_the_parent(build):
    """Guards parts as Blender makes them, with their origins in their centres: hinges lie across the chain."""
    first = bar("first", (0.0, 0.0, 0.0), along=0, start=0.0)
    bar("last", (2.0, 0.0, 0.0), first, along=0, start=0.0)
    assert [abs(part) for part in rig(build, first)["last_joint"]] == pytest.approx([0.0, 1.0, 0.0], abs=1e-6)


@pytest.mark.parametrize("kind", ["prismatic", "screw", "universal"])
def test_other_joints_stay_along_z(build, kind):
    """Guards what gravity has no say in: sliders, and joints of several axes."""
    rig(build, lying((0.0, 0.0, 0.0), 0), type=kind)
    assert [tuple(joint(obj).axes[0].xyz) for obj in bpy.context.scene.objects if is_joint(obj)] == [(0, 0, 1)] * 3
