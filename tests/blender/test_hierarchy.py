# SPDX-License-Identifier: GPL-3.0-or-later
"""Parents in the outliner that become joints."""

import bpy
import pytest

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.props import is_joint, is_link
from support.models import dump

from .conftest import joint, link
from .test_bake import require_exact


def put(build, name, location, parent=None, **settings):
    obj = build.cube(name, location, size=0.5, **settings)
    if parent:
        obj.parent = parent
        obj.matrix_parent_inverse = parent.matrix_world.inverted()
    bpy.context.view_layer.update()
    return obj


def empty(name, location, parent=None):
    obj = bpy.data.objects.new(name, None)
    bpy.context.scene.collection.objects.link(obj)
    obj.location, obj.parent = location, parent
    bpy.context.view_layer.update()
    return obj


@pytest.fixture
def arm(build):
    """Three levels, an Empty between the last two, and all of them turned and scaled."""
    upper = put(build, "upper", (0.0, 0.0, 3.0), rotation_euler=(0.3, 0.2, 0.1), scale=(1.0, 2.0, 1.0))
    fore = put(build, "fore", (1.0, 0.0, 3.0), upper)
    wrist = empty("wrist", (1.0, 0.2, 0.1), fore)
    hand = build.cube("hand", size=0.3)
    hand.parent, hand.rotation_euler = wrist, (0.0, 0.5, 0.0)
    hand.location = (0.4, 0.0, 0.0)
    bpy.context.view_layer.update()
    return upper, fore, hand


def rig(build, *objects, **options):
    build.select(*objects)
    return bpy.ops.limberjack.rig_from_hierarchy(**options)


def joints(scene):
    return {(found.parent, found.child) for found in read_scene(scene).joints}


def test_parents_become_joints(scene, build, arm):
    """Each pair has a joint at the child's origin along the child's own axes; an Empty between is passed through."""
    before = {obj: obj.matrix_world.copy() for obj in arm}
    rig(build, arm[0], type="revolute")
    assert joints(scene) == {("world", "upper"), ("upper", "fore"), ("fore", "hand")}
    assert not is_link(bpy.data.objects["wrist"])
    for found in read_scene(scene).joints:
        assert found.X_CJ == pytest.approx((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0), abs=1e-6)
    assert [obj.parent.name if obj.parent else None for obj in arm] == [None, "upper", "wrist"]
    for obj, matrix in before.items():
        assert [*map(tuple, obj.matrix_world)] == [*map(tuple, matrix)]


def test_bake_on_a_hierarchy(scene, build, arm):
    """Simulated and baked, evaluated matrices are the trajectory, through parents, scales and the Empty between."""
    rig(build, arm[0], type="ball")
    for obj in [obj for obj in scene.objects if is_joint(obj)]:
        joint(obj).axes[0].damping = 0.01
    for obj in arm:
        link(obj).density = 300.0
    run = SimulationBake(scene)
    run.run()
    assert abs(run.simulation.trajectory.X_WL[-1, -1, 2] - run.simulation.trajectory.X_WL[0, -1, 2]) > 0.1
    require_exact(scene, run)
    assert set(run.reading.objects) == {"upper", "fore", "hand"}


def test_only_the_selected(scene, build, arm):
    """Without their children, only the selected become links, and those without a parent among them are roots."""
    rig(build, arm[1], arm[2], whole=False, to_world=False)
    assert joints(scene) == {("fore", "hand")}
    assert not is_link(arm[0])


def test_roots_are_held_or_float(scene, build, arm):
    """A root is joined to the world only if that is wished."""
    rig(build, arm[0], to_world=False)
    assert joints(scene) == {("upper", "fore"), ("fore", "hand")}


def test_twice_changes_nothing(scene, build, arm):
    """What is rigged already stays, and joint Empties never become links."""
    rig(build, arm[0])
    before = dump(read_scene(scene))
    build.select(*arm)
    for obj in scene.objects:
        obj.select_set(True)
    bpy.ops.limberjack.rig_from_hierarchy()
    assert dump(read_scene(scene)) == before
    assert not any(is_link(obj) for obj in scene.objects if is_joint(obj))


def test_below_a_link_that_is_there(scene, build, arm):
    """What hangs on a link of the model is joined to it, though it is not selected."""
    build.tag(arm[0])
    rig(build, arm[1])
    assert joints(scene) == {("upper", "fore"), ("fore", "hand")}


def test_collision_shapes_stay_shapes(scene, build, arm):
    """An object that only collides is a shape of the link above it."""
    link(arm[2]).role = "COLLISION"
    rig(build, arm[0])
    assert joints(scene) == {("world", "upper"), ("upper", "fore")}


def test_all_or_nothing(scene, build, arm):
    """Where one object cannot be a link, none becomes one, and the message names it."""
    arm[2].scale.y = 0.0
    with pytest.raises(RuntimeError, match="'hand' has a scale of zero"):
        rig(build, arm[0])
    assert not any(is_link(obj) or is_joint(obj) for obj in scene.objects)


def test_nothing_solid(scene, build):
    """An Empty without anything solid below it is refused with what to do."""
    alone = empty("alone", (0.0, 0.0, 0.0))
    with pytest.raises(RuntimeError, match="nothing solid is at or below 'alone'"):
        rig(build, alone)
