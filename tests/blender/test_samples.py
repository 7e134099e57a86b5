# SPDX-License-Identifier: GPL-3.0-or-later
"""Every sample scene: what its script makes, tidy, without a fault at any accuracy, and described for the menu."""

import json
import re

import bpy
import numpy as np
import pytest

from limberjack.addon.bridge.animation.motion_sources import is_animated
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.props.members import links_in
from support.cases import some

from .baked import bake, matrix_at
from .conftest import joint, link
from .samples import NAMES, SAMPLES, maker, open_sample

MOST_BYTES, MOST_VERTICES, LONGEST_WORD = 300_000, 2500, 100

APART = [name for name in NAMES if "contact" not in json.loads((SAMPLES / f"{name}.json").read_text())]
"""In which nothing touches; test_sample_contact.py has the others."""

each = pytest.mark.parametrize("name", NAMES)
each_that_exports = pytest.mark.parametrize("name", [name for name in NAMES if name not in maker("make").IMPORTED])


def test_every_scene_has_all_its_files_and_a_script():
    """Guards the folder: a .blend, a .sdf and a .json of one name, and a module that makes them."""
    for suffix in ("blend", "sdf"):
        assert sorted(path.stem for path in SAMPLES.glob(f"*.{suffix}")) == NAMES
    assert maker("make").names() == NAMES


def test_what_the_menu_says():
    """Guards the menu's words: a title, a line without a full stop that fits, and an order without ties."""
    told = [json.loads((SAMPLES / f"{name}.json").read_text()) for name in NAMES]
    assert all(item["title"] for item in told)
    assert all(0 < len(item["says"]) <= LONGEST_WORD and not item["says"].endswith(".") for item in told)
    assert len({item["order"] for item in told}) == len({item["title"] for item in told}) == len(NAMES)


@each
def test_the_file_is_what_the_script_makes(name):
    """Guards the committed scene: nobody has changed it, or the script, alone."""
    kept = everything_in(open_sample(name))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    maker(name).build()
    assert_same(everything_in(bpy.context.scene), kept)


@each
def test_a_machine_is_appended_whole(name):
    """Guards joints that stayed behind, as they were in a collection of their own: the collection with the machine's
    name, appended to another file, gives the same links and joints."""
    scene = open_sample(name)
    before, title, touches, fps = machine_in(scene), scene.name, scene.limberjack.contact, scene.render.fps
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(SAMPLES / f"{name}.blend"), link=False) as (_, here):
        here.collections = [title]
    scene = bpy.context.scene
    scene.limberjack.contact, scene.render.fps = touches, fps  # the scene's: shapes are read, frames become seconds
    scene.collection.children.link(here.collections[0])
    bpy.context.view_layer.update()
    assert machine_in(scene) == before


@pytest.mark.parametrize("name", ["cradle", "crane"])
def test_the_script_gathers_the_machine(name):
    """Guards the collections of a scene that is made again; the crane's collision shapes stay hidden in theirs."""
    open_sample(name)
    kept = collections_below(bpy.context.view_layer.layer_collection)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    maker(name).build()
    maker("workshop").gather(bpy.context.scene)
    assert collections_below(bpy.context.view_layer.layer_collection) == kept


def collections_below(layer):
    """The tree of collections in a view layer: the name of each, whether it is hidden, and what is below it."""
    return layer.name, layer.hide_viewport, [collections_below(child) for child in layer.children]


def machine_in(scene):
    """The links and joints of a scene's model with all their attributes, as text."""
    model = scan_scene(scene).model
    return [repr(part) for part in (*model.links, *model.joints)]


def everything_in(scene):
    """The scene's model with all its attributes, as text."""
    model = scan_scene(scene, with_shapes=True, with_surroundings=True).model
    return json.dumps(vars(model), default=_plain)


def _plain(part):
    """Of a model's part, what JSON knows; of a mesh file of what only is seen, its size."""
    if isinstance(part, bytes):
        return len(part)
    return part.tolist() if isinstance(part, np.ndarray) else vars(part)


@each_that_exports
def test_the_sdf_is_what_the_scene_exports(name, tmp_path):
    """Guards the committed SDF, whose numbers others have judged."""
    maker("make").export(open_sample(name), tmp_path / "again.sdf")
    assert_same((tmp_path / "again.sdf").read_text(), (SAMPLES / f"{name}.sdf").read_text())


def assert_same(text, kept):
    """The words exactly, and the numbers but for their last digits, which hang on the processor."""
    number = r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?(?![\w.])"
    assert re.sub(number, "#", text) == re.sub(number, "#", kept)
    numbers, kept_numbers = (np.array(re.findall(number, one), dtype=float) for one in (text, kept))
    np.testing.assert_allclose(numbers, kept_numbers, rtol=1e-9, atol=1e-12)


@each
def test_a_tidy_scene(name):
    """Guards what a user opens: no problems, no bake, names of our own, a camera for Workbench, small meshes, and no
    letters of Empties across the joints' handles."""
    scene = open_sample(name)
    assert show_rig(scene).problems == []
    free = [node for node in links_in(scene) if link(node).motion == "FREE"]
    assert free
    assert not any(map(is_animated, free))
    assert scene.camera
    assert scene.render.engine == "BLENDER_WORKBENCH"
    named = [*bpy.data.objects, *bpy.data.meshes, *bpy.data.materials, *bpy.data.collections]
    assert not [item.name for item in named if re.search(r"\.\d{3}$", item.name)]
    assert {obj.empty_display_type for obj in scene.objects if joint(obj).is_joint} <= {"PLAIN_AXES"}
    assert {obj.users_collection[0].name for obj in scene.objects if joint(obj).is_joint} <= {"Joints"}
    assert max(len(mesh.vertices) for mesh in bpy.data.meshes) <= MOST_VERTICES
    assert (SAMPLES / f"{name}.blend").stat().st_size < MOST_BYTES


@pytest.mark.parametrize("name", some(APART, ["crane", "four_bar"]))
def test_a_healthy_scene(name):
    """Guards the first press of Simulate: whatever the accuracy, the doctor has nothing to say, and energy is kept."""
    scene = open_sample(name)
    for accuracy, drift in (("draft", 1e-3), ("good", 1e-5), ("exact", 1e-8)):
        run = bake(scene, accuracy=accuracy)
        assert run.diagnose() == []
        assert run.report.relative_drift < drift


@pytest.mark.parametrize("name", ["double_pendulum", "crane"])
def test_a_bake_is_where_another_engine_has_it(name):
    """Guards the scene's starts and its keys: what Blender shows at whole seconds is where Drake has the link."""
    scene = open_sample(name)
    bake(scene, accuracy="exact")
    for moved, rows in json.loads((SAMPLES / f"{name}.json").read_text())["positions"].items():
        for seconds, *place in rows:
            frame = scene.frame_start + seconds * scene.render.fps
            assert matrix_at(scene, scene.objects[moved], frame)[:3, 3] == pytest.approx(place, abs=2e-6)
