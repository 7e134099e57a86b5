# SPDX-License-Identifier: GPL-3.0-or-later
"""What users do to a rig besides rigging: copy it, move it, append it, hide it, take parts of it away."""

import math

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.findings.problems import displaced_links
from limberjack.addon.bridge.joints.axis_views import view_joint
from limberjack.addon.bridge.joints.frames import was_moved_since_stored
from limberjack.addon.bridge.joints.storing_frames import store_moved_frames
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.addon.props import is_joint, is_link
from limberjack.core.model import ModelError
from limberjack.core.simulation import Simulation
from support.models import dump

from .conftest import joint
from .test_bake import require_exact


@pytest.fixture
def machine(scene, build):
    """Three bars; the last joint follows the one before it."""
    bars, joints = build.pendulum(3)
    settings = joint(joints[2])
    settings.use_mimic, settings.mimic.leader, settings.mimic.multiplier = True, joints[1], -0.5
    axis = joint(joints[1]).axes[0]
    axis.use_upper, axis.upper, axis.damping = True, 0.6, 0.05
    return bars, joints


def moved(objects, by):
    """As the grab tool does: of what is selected, only what hangs on nothing selected moves."""
    for obj in objects:
        if obj.parent not in objects:
            obj.matrix_world = Matrix.Translation(by) @ obj.matrix_world
    bpy.context.view_layer.update()


def path_of(motion, name):
    return motion.X_WL[:, motion.link_names.index(name)]


def simulated(scene):
    return Simulation(read_scene(scene), np.linspace(0.0, 0.5, 6)).run()


@pytest.mark.parametrize("linked", [False, True])
def test_duplicate_of_a_whole_machine(scene, build, machine, linked):
    """Pointers follow to the copies, which stand where the user puts them, and both machines move alike."""
    bars, joints = machine
    before = read_scene(scene)
    build.select(*bars, *joints)
    bpy.ops.object.duplicate(linked=linked)
    copies = list(bpy.context.selected_objects)
    moved(copies, (0.0, 5.0, 1.0))
    for name in ("bar1_joint", "bar2_joint"):
        copy = joint(bpy.data.objects[f"{name}.001"])
        assert copy.parent.name == f"{joint(bpy.data.objects[name]).parent.name}.001"
    assert joint(bpy.data.objects["bar2_joint.001"]).mimic.leader.name == "bar1_joint.001"
    model = read_scene(scene)
    assert (len(model.links), len(model.joints)) == (6, 6)
    for name in ("bar0", "bar1", "bar2"):
        assert model.link(name).pose == before.link(name).pose
        expected = np.add(before.link(name).pose[:3], (0.0, 5.0, 1.0))
        assert model.link(f"{name}.001").pose[:3] == pytest.approx(expected, abs=1e-6)
    motion = simulated(scene)
    for name in ("bar0", "bar1", "bar2"):
        shift = path_of(motion, f"{name}.001") - path_of(motion, name)
        assert shift[:, :3] == pytest.approx(np.tile((0.0, 5.0, 1.0), (6, 1)), abs=1e-6)
        assert shift[:, 3:] == pytest.approx(0.0, abs=1e-6)


def test_duplicate_of_one_link_with_its_joint(scene, build, machine):
    """The copy of the last bar hangs on the same parent as the bar does."""
    bars, joints = machine
    build.select(bars[2], joints[2])
    bpy.ops.object.duplicate()
    found = read_scene(scene).joint("bar2_joint.001")
    assert (found.parent, found.child, found.mimic.leader) == ("bar1", "bar2.001", "bar1_joint")


def test_moving_a_whole_machine(scene, build, machine):
    """Links and joints that are moved and turned together stay one machine there, before and after a bake."""
    bars, joints = machine
    turn = Matrix.Translation((2.0, 1.0, 0.5)) @ Matrix.Rotation(0.7, 4, (0.3, 0.2, 1.0))
    for obj in (*bars, joints[0]):
        obj.matrix_world = turn @ obj.matrix_world
    bpy.context.view_layer.update()
    model = read_scene(scene)
    for bar in bars:
        assert model.link(bar.name).pose[:3] == pytest.approx(tuple(bar.matrix_world.translation), abs=1e-5)
    store_moved_frames(scene)
    assert not was_moved_since_stored(joints[0])
    for found in read_scene(scene).links:
        assert found.pose == pytest.approx(model.link(found.name).pose, abs=1e-6)
    run = SimulationBake(scene)
    run.run()
    require_exact(scene, run)
    scene.frame_set(17)
    for found in read_scene(scene).links:
        assert found.pose == pytest.approx(model.link(found.name).pose, abs=1e-6)
    build.select(*joints)
    scene.frame_set(1)
    bpy.ops.limberjack.joint_frames_from_empty()
    assert read_scene(scene).link("bar2").pose == pytest.approx(model.link("bar2").pose, abs=1e-5)


def test_moving_a_posed_machine(scene, build, machine):
    """A machine that stands elsewhere than at zero keeps its joints' places in it when the whole of it is moved."""
    bars, joints = machine
    build.select(joints[0])
    bpy.ops.limberjack.joint_pose(value=0.5)
    bpy.context.view_layer.update()
    turn = Matrix.Translation((2.0, 1.0, 0.5)) @ Matrix.Rotation(0.7, 4, (0.3, 0.2, 1.0))
    for obj in (*bars, joints[0]):
        obj.matrix_world = turn @ obj.matrix_world
    bpy.context.view_layer.update()
    store_moved_frames(scene)
    assert view_joint(joints[0], scene).q[0] == pytest.approx(0.5, abs=1e-5)
    assert not displaced_links(scene, scan_scene(scene))


@pytest.mark.parametrize("kind", ["revolute", "ball"])
def test_turning_a_machine_about_its_own_hinge(scene, machine, kind):
    """A turn that the joint itself could make is still a turn of the whole machine, and no pose of it."""
    bars, joints = machine
    joint(joints[0]).type = kind
    if kind == "revolute":
        joint(joints[0]).axes[0].xyz = (0.0, 1.0, 0.0)
    bpy.context.view_layer.update()
    center = Matrix.Translation(joints[0].matrix_world.translation)
    turn = center @ Matrix.Rotation(0.7, 4, "Y") @ center.inverted()
    for obj in (*bars, joints[0]):
        obj.matrix_world = turn @ obj.matrix_world
    bpy.context.view_layer.update()
    store_moved_frames(scene)
    model = read_scene(scene)
    for bar in bars:
        assert model.link(bar.name).pose[:3] == pytest.approx(tuple(bar.matrix_world.translation), abs=1e-5)


def test_moving_only_a_link(scene, machine):
    """A link that is moved alone edits nothing: its joint holds it where it was."""
    bars, _ = machine
    bars[1].location.z += 0.3
    bpy.context.view_layer.update()
    assert read_scene(scene).link("bar1").pose[2] == pytest.approx(2.0)


@pytest.fixture
def library(scene, build, machine, tmp_path):
    """A file with the machine in a collection, and what it reads as."""
    bars, joints = machine
    rig = bpy.data.collections.new("rig")
    scene.collection.children.link(rig)
    for obj in (*bars, *joints):
        scene.collection.objects.unlink(obj)
        rig.objects.link(obj)
    model = read_scene(scene)
    path = str(tmp_path / "rig.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    return path, model


def bring_in(path, link=False):
    with bpy.data.libraries.load(path, link=link) as (_, here):
        here.collections = ["rig"]
    bpy.context.scene.collection.children.link(here.collections[0])
    bpy.context.view_layer.update()


def test_save_and_reload(library):
    """A rig that is saved and opened again reads as the very same model."""
    path, model = library
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.open_mainfile(filepath=path)
    assert dump(read_scene(bpy.context.scene)) == dump(model)


def test_append(library):
    """Appended, the rig is the same; appended again beside equal names, there are two, each with its own parts."""
    path, model = library
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    bring_in(path)
    found = read_scene(scene)
    assert [item.pose for item in found.links] == [item.pose for item in model.links]
    assert [vars(item) for item in found.joints] == [vars(item) for item in model.joints]
    bring_in(path)
    found = read_scene(scene)
    assert len(found.links) == 6
    for name in ("bar1_joint", "bar2_joint"):
        one, other = found.joint(name), found.joint(f"{name}.001")
        assert (other.parent, other.child) == (f"{one.parent}.001", f"{one.child}.001")
    assert found.joint("bar2_joint.001").mimic.leader == "bar1_joint.001"


def test_a_linked_library(library):
    """A linked rig reads as the same model; a bake says that its objects must be made local."""
    path, model = library
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    bring_in(path, link=True)
    assert [item.pose for item in read_scene(scene).links] == [item.pose for item in model.links]
    with pytest.raises(RuntimeError, match="'bar0' comes from a library and cannot be keyed: make it local"):
        bpy.ops.limberjack.simulate()


def test_renaming(scene, machine):
    """Renamed links, joints and leaders are known under their new names, everywhere."""
    bars, joints = machine
    before = read_scene(scene)
    for obj in (*bars, *joints):
        obj.name = f"new {obj.name}"
    model = read_scene(scene)
    assert [item.name for item in model.links] == [f"new {item.name}" for item in before.links]
    assert {item.mimic.leader for item in model.joints if item.mimic} == {"new bar1_joint"}
    assert model.joint("new bar2_joint").parent == "new bar1"


@pytest.mark.parametrize(
    ("gone", "message"),
    [
        ("bar1", "'bar1_joint' has no child|'bar1_joint': its child 'bar1' is not in this scene"),
        ("bar0", "'bar0_joint' has no child|'bar0_joint': its child 'bar0' is not in this scene"),
        ("bar1_joint", "'bar2_joint' follows no joint of this scene: choose its leader"),
    ],
)
@pytest.mark.parametrize("way", ["delete", "remove"])
def test_what_was_deleted(scene, build, machine, gone, message, way):
    """A deleted link or leader is told by the joint that misses it, whichever way it was deleted."""
    obj = bpy.data.objects[gone]
    if way == "remove":
        bpy.data.objects.remove(obj)
    else:
        build.select(obj)
        bpy.ops.object.delete()
    with pytest.raises(ModelError, match=message):
        read_scene(scene)


def disable(machine, collection):
    for obj in machine:
        obj.hide_viewport = True


def close_eyes(machine, collection):
    for obj in machine:
        obj.hide_set(True)


def disable_in_renders(machine, collection):
    for obj in machine:
        obj.hide_render = True


def disable_collection(machine, collection):
    collection.hide_viewport = True


def close_eye_of_collection(machine, collection):
    bpy.context.view_layer.layer_collection.children[collection.name].hide_viewport = True


@pytest.fixture
def in_collection(scene, machine):
    """The machine in a collection of its own, each bar thickened by a modifier."""
    objects = [*machine[0], *machine[1]]
    collection = bpy.data.collections.new("machine")
    scene.collection.children.link(collection)
    for obj in objects:
        scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
        if is_link(obj):
            obj.modifiers.new("twice", "ARRAY").count = 2
    bpy.context.view_layer.update()
    return objects, collection


@pytest.mark.parametrize("hide", [disable, close_eyes, disable_in_renders, disable_collection, close_eye_of_collection])
def test_hiding_is_a_matter_of_looks(scene, in_collection, hide):
    """However links are hidden, they are simulated, weigh the same and get the same keys; they stay hidden."""
    objects, collection = in_collection
    before = read_scene(scene)
    shown = SimulationBake(scene)
    shown.run()
    require_exact(scene, shown)
    bpy.ops.limberjack.bake_clear()
    scene.frame_set(1)
    hide(objects, collection)
    bpy.context.view_layer.update()
    looks = [(obj.hide_viewport, obj.hide_get(), obj.hide_render, obj.visible_get()) for obj in objects]
    assert dump(read_scene(scene)) == dump(before)
    hidden = SimulationBake(scene)
    hidden.run()
    assert np.array_equal(hidden.simulation.trajectory.X_WL, shown.simulation.trajectory.X_WL)
    assert [(obj.hide_viewport, obj.hide_get(), obj.hide_render, obj.visible_get()) for obj in objects] == looks
    for obj in objects:
        obj.hide_viewport = obj.hide_render = False
        obj.hide_set(False)
    collection.hide_viewport = False
    bpy.context.view_layer.layer_collection.children[collection.name].hide_viewport = False
    require_exact(scene, hidden)


def test_excluded_collections(scene, build, in_collection):
    """What every view layer excludes takes no part; what one of them shows does."""
    cube = build.cube("cube", (0.0, 9.0, 0.0))
    build.tag(cube)
    bpy.context.view_layer.layer_collection.children["machine"].exclude = True
    assert [item.name for item in read_scene(scene).links] == ["cube"]
    scene.view_layers.new("other")
    assert len(read_scene(scene).links) == 4


def test_a_link_in_an_excluded_collection(scene, build, machine):
    """A joint whose link is excluded is told so, and not simulated without it."""
    bars, _ = machine
    collection = bpy.data.collections.new("away")
    scene.collection.children.link(collection)
    scene.collection.objects.unlink(bars[1])
    collection.objects.link(bars[1])
    bpy.context.view_layer.layer_collection.children["away"].exclude = True
    with pytest.raises(ModelError, match="'bar1' is in excluded collections only: include one in the view layer"):
        read_scene(scene)
    scene.view_layers[0].layer_collection.children["away"].exclude = False
    scene.collection.children.unlink(collection)
    with pytest.raises(ModelError, match="'bar1' is not in this scene, as it was deleted or unlinked"):
        read_scene(scene)
    bpy.data.scenes.new("other").collection.children.link(collection)
    with pytest.raises(ModelError, match="'bar1' is not in this scene, but in 'other'"):
        read_scene(scene)


def test_several_scenes(scene, build, machine):
    """Each scene has a model of its own, with its own gravity and names; a link in both scenes is in both models."""
    bars, _ = machine
    other = bpy.data.scenes.new("other")
    other.gravity = (0.0, 0.0, -1.62)
    other.collection.objects.link(bars[0])
    floating = read_scene(other)
    assert [item.name for item in floating.links] == ["bar0"]
    assert not floating.joints
    assert floating.gravity == (0.0, 0.0, -1.62)
    assert len(read_scene(scene).links) == 3
    assert read_scene(scene).gravity == pytest.approx((0.0, 0.0, -9.81))
    assert floating.links[0].mass == read_scene(scene).link("bar0").mass


def test_full_copy_of_a_scene(scene, machine):
    """A full copy of the scene is a second model, whose joints point at its own links."""
    bpy.ops.scene.new(type="FULL_COPY")
    copy = bpy.context.scene
    assert copy != scene
    model, first = read_scene(copy), read_scene(scene)
    assert [item.pose for item in model.links] == [item.pose for item in first.links]
    assert not {item.name for item in model.links} & {item.name for item in first.links}
    for obj in copy.objects:
        if is_joint(obj):
            assert joint(obj).child.name in copy.objects
    assert math.isclose(sum(item.mass for item in model.links), sum(item.mass for item in first.links))


def test_copy_of_a_baked_machine(scene, build, machine):
    """Copied while it is baked, the machine's copy has the same model, and clearing the bake clears both."""
    bars, joints = machine
    before = read_scene(scene)
    SimulationBake(scene).run()
    scene.frame_set(11)
    build.select(*bars, *joints)
    bpy.ops.object.duplicate()
    scene.frame_set(13)
    model = read_scene(scene)
    for name in ("bar0", "bar1", "bar2"):
        assert model.link(f"{name}.001").pose == pytest.approx(before.link(name).pose, abs=1e-6)
    bpy.ops.limberjack.bake_clear()
    bpy.context.view_layer.update()
    for name in ("bar1", "bar1.001"):
        place = tuple(bpy.data.objects[name].matrix_world.translation)
        assert place == pytest.approx(before.link("bar1").pose[:3], abs=1e-5)
        assert not bpy.data.objects[name].limberjack_before.is_kept
