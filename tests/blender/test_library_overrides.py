# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that come from other files: linked, overridden, baked, saved and opened again."""

from types import SimpleNamespace

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bridge.findings.problems import find_problems
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.addon.ops.files.samples import samples
from limberjack.addon.panels import main
from limberjack.addon.panels.simulation.problems import LIMBERJACK_PT_problems
from limberjack.core.formats import write

from .baked import bake, matrices_at
from .conftest import joint, link
from .paper import Paper

FRAMES = (1, 7, 13)


def save(path):
    bpy.ops.wm.save_as_mainfile(filepath=str(path))


def make_machine(scene, build, name="machine"):
    """A double pendulum whose second joint follows the first, in a collection of its own."""
    bars, joints = build.pendulum(2)
    for bar in bars:
        link(bar).mass_source, link(bar).mass = "MASS", 1.0
    joint(joints[1]).use_mimic, joint(joints[1]).mimic.leader, joint(joints[1]).mimic.multiplier = True, joints[0], 0.5
    scene.frame_end = FRAMES[-1]
    collection = bpy.data.collections.new(name)
    scene.collection.children.link(collection)
    for obj in (*bars, *joints):
        scene.collection.objects.unlink(obj)
        collection.objects.link(obj)
    return bars, joints


def empty_scene():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, FRAMES[-1]
    return scene


def link_machine(path, name="machine"):
    with bpy.data.libraries.load(str(path), link=True) as (_, here):
        here.collections = [name]
    return here.collections[0]


def override(scene, collection):
    """As Object > Library Override > Make does with all that the collection holds."""
    made = collection.override_hierarchy_create(scene, bpy.context.view_layer, do_fully_editable=True)
    if made.name not in scene.collection.children:
        scene.collection.children.link(made)
    bpy.context.view_layer.update()
    return made


def in_order(scene):
    return sorted((obj for obj in scene.objects if link(obj).is_link), key=lambda obj: obj.name)


@pytest.fixture
def library(scene, build, tmp_path):
    """A file with the machine, and where a bake there puts its links, shape (F, 2, 4, 4)."""
    bars, _ = make_machine(scene, build)
    save(tmp_path / "yard.blend")
    bake(scene)
    return tmp_path / "yard.blend", matrices_at(scene, bars, FRAMES)


def reopen(path, capfd=None):
    save(path)
    if capfd:
        capfd.readouterr()
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def test_an_override_is_baked_saved_and_opened(library, tmp_path, capfd):
    """Guards the crane that lost the parents of all joints: its model, its keys and its bake are those of the original,
    and Blender reports no property that it could not read."""
    path, expected = library
    scene = empty_scene()
    override(scene, link_machine(path))
    bake(scene)
    assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-6
    scene = reopen(tmp_path / "shot.blend", capfd)
    told = capfd.readouterr()
    assert "expected" not in told.out + told.err
    model = read_scene(scene)
    assert [(item.parent, item.child) for item in model.joints] == [("world", "bar0"), ("bar0", "bar1")]
    assert model.joint("bar1_joint").mimic.leader == "bar0_joint"
    assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-6
    bpy.ops.limberjack.bake_clear()
    bake(scene)
    assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-6


def test_a_bake_onto_joints_of_an_override(library, tmp_path):
    """Guards the keys of joint values, which move the links of an override, too, once the file is opened again."""
    path, expected = library
    scene = empty_scene()
    override(scene, link_machine(path))
    bake(scene, onto="JOINTS")
    scene = reopen(tmp_path / "shot.blend")
    assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-4


def test_what_is_changed_on_an_override_stays(library, build, tmp_path):
    """Guards settings of joints: limits, drives and the parent itself are those of the override, not of the library."""
    path, _ = library
    scene = empty_scene()
    override(scene, link_machine(path))
    stored = joint(scene.objects["bar1_joint"])
    stored.axes[0].use_upper, stored.axes[0].upper, stored.axes[0].damping = True, 0.25, 3.0
    stored.use_mimic, stored.parent = False, None
    build.select(scene.objects["bar1_joint"])
    bpy.ops.limberjack.joint_frames_from_empty()
    scene = reopen(tmp_path / "shot.blend")
    found = read_scene(scene).joint("bar1_joint")
    assert (found.axes[0].upper, found.axes[0].damping, found.mimic, found.parent) == (0.25, 3.0, None, "world")


def test_overrides_of_one_machine_twice(library, tmp_path):
    """Guards two copies of one machine in a shot: each has its own names, joints and bake, before and after saving."""
    path, expected = library
    scene = empty_scene()
    linked = link_machine(path)
    for _ in range(2):
        override(scene, linked)
    names = [item.name for item in read_scene(scene).links]
    assert len(set(names)) == 4
    bake(scene)
    scene = reopen(tmp_path / "shot.blend")
    assert [item.name for item in read_scene(scene).links] == names
    found = matrices_at(scene, in_order(scene), FRAMES)
    assert np.abs(found[:, [0, 2]] - expected).max() < 1e-6
    assert np.abs(found[:, [1, 3]] - expected).max() < 1e-6


@pytest.fixture
def two_libraries(library, build, tmp_path):
    """Two files with machines whose objects have the same names."""
    path, _ = library
    scene = empty_scene()
    bars, _ = make_machine(scene, build)
    link(bars[0]).mass = 5.0
    save(tmp_path / "harbour.blend")
    return path, tmp_path / "harbour.blend"


def test_linked_machines_with_equal_names(two_libraries, tmp_path):
    """Guards two machines from two libraries: names are unique by their libraries, stay so when the file is opened
    again, and stand in exports, and nobody is asked to rename linked data."""
    scene = empty_scene()
    for path in two_libraries:
        scene.collection.children.link(link_machine(path))
    bpy.context.view_layer.update()
    expected = {f"bar{i} [{path.name}]" for i in range(2) for path in two_libraries}
    model = read_scene(scene)
    assert {item.name for item in model.links} == expected
    assert [model.link(f"bar0 [{path.name}]").mass for path in two_libraries] == [1.0, 5.0]
    for item in model.joints:
        library = item.name.partition(" ")[2]
        assert item.child.endswith(library)
        assert item.parent == "world" or item.parent.endswith(library)
    forget_rigs()
    problems = show_rig(scene).problems
    assert [problem.code for problem in problems].count("linked") == 2
    assert not [problem for problem in problems if problem.severity == "error"]
    assert not [line for line in write(model, tmp_path / "shot.sdf") if "left out" in line]
    digest = model.digest()
    scene = reopen(tmp_path / "shot.blend")
    assert read_scene(scene).digest() == digest


def test_one_linked_machine_keeps_its_names(library):
    """Guards exports of a machine that is linked alone: nothing is added to its names."""
    path, _ = library
    scene = empty_scene()
    scene.collection.children.link(link_machine(path))
    bpy.context.view_layer.update()
    assert [item.name for item in read_scene(scene).links] == ["bar0", "bar1"]


def indentation(obj) -> int:
    """Return by how many steps the list of the panel Model indents an object."""

    class Indented(Paper):
        steps = 0

        def separator(self, **_):
            self.steps += 1

        def row(self, **_):
            return self

    paper = Indented()
    rows = bpy.types.LIMBERJACK_UL_model
    rows.draw_item(SimpleNamespace(), bpy.context, paper, None, obj, 0, None, "", 0, 0)
    return paper.steps


def test_linked_beside_local_names(library, build, tmp_path):
    """Guards a local object with the name of a linked one: the local one keeps its name, and is selected by it."""
    path, _ = library
    scene = empty_scene()
    scene.collection.children.link(link_machine(path))
    own = build.cube("bar0")
    build.tag(own)
    own.name = "bar0"
    assert own.name == "bar0"
    model = read_scene(scene)
    assert {item.name for item in model.links} == {"bar0", "bar0 [yard.blend]", "bar1"}
    assert model.joint("bar0_joint").child == "bar0 [yard.blend]"
    show_rig(scene)
    linked = next(obj for obj in scene.objects if obj.name == "bar1" and obj.library)
    namesake = next(obj for obj in scene.objects if obj.name == "bar0" and obj.library)
    assert (indentation(own), indentation(namesake), indentation(linked)) == (0, 1, 3)
    bpy.ops.limberjack.problem_select(name="bar0 [yard.blend]")
    assert bpy.context.view_layer.objects.active.library
    bpy.ops.limberjack.problem_select(name="bar0")
    assert bpy.context.view_layer.objects.active == own


def test_a_linked_machine_is_told_once(library):
    """Guards what the user reads: one line for all links of a library, with the menu to use, and so in the bake."""
    path, _ = library
    scene = empty_scene()
    scene.collection.children.link(link_machine(path))
    bpy.context.view_layer.update()
    (problem,) = [item for item in find_problems(scene, scan_scene(scene), []) if item.code == "linked"]
    assert problem.message.startswith(
        "link 'bar0' and 1 more link come from the library 'yard.blend', and a bake cannot"
    )
    with pytest.raises(
        BakeError, match="link 'bar0' comes from a library and cannot be keyed: make it local, or override"
    ):
        bake(scene)


def test_instances_of_a_machine_are_told(library, build):
    """Guards a collection instance: it shows links that no simulation moves, and one sentence says what to do."""
    path, _ = library
    scene = empty_scene()
    holder = bpy.data.objects.new("crane", None)
    scene.collection.objects.link(holder)
    holder.instance_type, holder.instance_collection = "COLLECTION", link_machine(path)
    told = (
        "object 'crane' shows the collection 'machine' as an instance, and its 2 links are not simulated: select it "
        "and use Object > Library Override > Make"
    )
    with pytest.raises(BakeError, match=told.replace(".", r"\.")):
        bake(scene)
    with pytest.raises(RuntimeError, match="shows the collection 'machine' as an instance"):
        bpy.ops.limberjack.simulate()
    forget_rigs()
    (alone,) = show_rig(scene).problems  # a scene without any link of its own, as File > Link makes it
    cube = build.cube("cube")
    build.tag(cube)
    forget_rigs()
    (problem,) = [item for item in show_rig(scene).problems if item.code == "instanced-links"]
    assert alone == problem
    assert (problem.severity, problem.name, problem.message) == ("warning", "crane", told)
    assert told in scan_scene(scene).notes


def test_an_instance_that_is_overridden_is_simulated(library, tmp_path):
    """Guards what that sentence promises: the override that the menu makes keeps its bake in the file."""
    path, expected = library
    scene = empty_scene()
    holder = bpy.data.objects.new("crane", None)
    scene.collection.objects.link(holder)
    holder.instance_type, holder.instance_collection = "COLLECTION", link_machine(path)
    bpy.context.view_layer.update()
    bpy.context.view_layer.objects.active = holder
    holder.select_set(True)
    bpy.ops.object.make_override_library()
    bpy.context.view_layer.update()
    bake(scene)
    assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-6
    scene = reopen(tmp_path / "shot.blend")
    assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-6
    assert [item.parent for item in read_scene(scene).joints] == ["world", "bar0"]


@pytest.mark.parametrize("is_linked", [True, False])
def test_a_button_takes_links_out_of_an_instance(library, is_linked):
    """Guards a tab that said "Open a Sample" to whoever had linked a machine, as if there were nothing: it says what
    the instance is, in the sentence of `check`, and its button lets the links be baked, joints and all."""
    path, expected = library
    scene = empty_scene()
    with bpy.data.libraries.load(str(path), link=is_linked) as (_, here):
        here.collections = ["machine"]
    holder = bpy.data.objects.new("crane", None)
    scene.collection.objects.link(holder)
    holder.instance_type, holder.instance_collection = "COLLECTION", here.collections[0]
    bpy.context.view_layer.update()
    forget_rigs()
    show_rig(scene)
    tab, problems = drawn(main.LIMBERJACK_PT_main), drawn(LIMBERJACK_PT_problems)
    (sentence,) = scan_scene(scene).instanced
    assert sentence.removeprefix("object 'crane' ") in " ".join(tab.texts)
    assert ids.OP_PROBLEM_MEND in tab.operators
    assert tab.operators.count(ids.OP_SAMPLE_OPEN) == len(samples()), "samples stand beside the arrow's menu, too"
    assert not problems.operators, "the sentence stands in the tab twice"
    assert bpy.ops.limberjack.problem_mend(name="crane", code="instanced-links") == {"FINISHED"}
    bpy.context.view_layer.update()
    assert [item.parent.removesuffix(".001") for item in read_scene(scene).joints] == ["world", "bar0"]
    assert not scan_scene(scene).instanced
    if is_linked:  # whose keys in its own file are left behind when instances are made real
        bake(scene)
        assert np.abs(matrices_at(scene, in_order(scene), FRAMES) - expected).max() < 1e-6


def drawn(panel):
    """What a panel shows of the scene."""
    paper = Paper()
    context = SimpleNamespace(
        scene=bpy.context.scene,
        window_manager=bpy.context.window_manager,
        preferences=bpy.context.preferences,
        region=None,
        object=bpy.context.object,
    )
    panel.draw(SimpleNamespace(layout=paper), context)
    return paper
