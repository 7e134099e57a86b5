# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene of a newer version is told, and what this version does not know is neither lost nor taken for another."""

from contextlib import contextmanager

import bpy
import pytest
from bpy.props import CollectionProperty, EnumProperty, FloatProperty, PointerProperty, StringProperty

import limberjack
from limberjack.addon import migration
from limberjack.addon.bake.errors import BakeError
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.settings import settings_of
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.bridge.values import choices
from limberjack.addon.props.axis import AxisProperties
from limberjack.addon.props.bake import BakeProperties
from limberjack.addon.props.joint import JointProperties, type_items
from limberjack.addon.props.link import LinkProperties
from limberjack.addon.props.scene import SceneProperties
from limberjack.core import cli as core_cli
from limberjack.core.model import ModelError
from limberjack.core.version import VERSION

from .conftest import Build, joint, link
from .paper import draw, draw_all
from .test_cli import run

NEWER = "98.7.6"
TOLD = (
    f"This file was saved by Limberjack {NEWER}, and this is {VERSION}: settings that this version does not know are "
    "kept, but do not act. Update Limberjack"
)


class Gearing(bpy.types.PropertyGroup):
    """A kind of settings that this version has none of."""

    ratio: FloatProperty()
    driven: PointerProperty(type=bpy.types.Object)


def choice(name, default):
    """One of the entries that this version has, or a newer one's."""
    known = {"type": type_items()}.get(name) or [(word, word, "", number) for number, word in enumerate((default,))]
    return EnumProperty(items=[*known, ("NEWER", "Newer", "", 4242)], default=default)


ADDED = {
    SceneProperties: {
        "note": StringProperty(),
        "gearing": PointerProperty(type=Gearing),
        "gearings": CollectionProperty(type=Gearing),
        "accuracy": choice("accuracy", "good"),
    },
    BakeProperties: {"start": choice("start", "HOME")},
    LinkProperties: {
        "bend": FloatProperty(),
        "motion": choice("motion", "FREE"),
        "mass_source": choice("mass_source", "DENSITY"),
        "role": choice("role", "AUTO"),
    },
    AxisProperties: {"backlash": FloatProperty(), "drive_mode": choice("drive_mode", "off")},
    JointProperties: {"type": choice("type", "revolute")},
}


@contextmanager
def newer_limberjack(monkeypatch):
    """The add-on as a newer version may have it, then as it is again."""
    limberjack.unregister()
    bpy.utils.register_class(Gearing)
    with monkeypatch.context() as patch:
        for kind, added in ADDED.items():
            for name, prop in added.items():
                patch.setitem(kind.__annotations__, name, prop)
        patch.setattr("limberjack.core.version.VERSION", NEWER)
        patch.setattr(migration, "VERSION", NEWER)
        limberjack.register()
        choices._choices_of.cache_clear()  # a newer version is loaded anew, with caches of its own
        yield
        limberjack.unregister()
    bpy.utils.unregister_class(Gearing)
    limberjack.register()
    choices._choices_of.cache_clear()


@pytest.fixture
def path(monkeypatch, tmp_path):
    """A file of a newer version: two bars, and what this version does not know, on all of them."""
    with newer_limberjack(monkeypatch):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        bars, joints = Build().pendulum(2)
        settings = bpy.context.scene.limberjack
        settings.note, settings.gearing.ratio, settings.gearing.driven = "kept", 2.5, bars[0]
        settings.gearings.add().ratio = 3.5
        link(bars[0]).bend, joint(joints[0]).axes[0].backlash = 0.25, 0.125
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "newer.blend"))
    return tmp_path / "newer.blend"


def opened(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def choosing(monkeypatch, path, choose):
    """The file, in which a newer version has made a choice."""
    with newer_limberjack(monkeypatch):
        choose(opened(path))
        bpy.ops.wm.save_mainfile()
    return opened(path)


def codes(scene):
    return [(problem.code, problem.name) for problem in show_rig(scene).problems]


def test_it_is_told(path, capsys):
    """Guards the words in the panel and on the command line, once each, with both versions and what to do."""
    scene = opened(path)
    problems = [problem for problem in show_rig(scene).problems if problem.code == "newer-version"]
    assert [(problem.severity, problem.message) for problem in problems] == [("warning", TOLD)]
    assert f"This file was saved by Limberjack {NEWER}" in draw_all(scene.objects["bar0"])
    for command in (["info", path], ["bake", path, "-o", path.with_name("out.blend"), "--frames", 1, 3]):
        capsys.readouterr()
        assert run(*command) == core_cli.DONE
        assert capsys.readouterr().err.count(f"{path}: warning newer-version: {TOLD}\n") == 1


def test_nothing_is_lost(path, monkeypatch):
    """Guards a newer file that is worked on here: edited, baked, saved, it is as new as it was, and has all it had."""
    scene = opened(path)
    scene.limberjack.accuracy, link(scene.objects["bar0"]).linear_damping = "draft", 0.5
    joint(scene.objects["bar0_joint"]).axes[0].damping = 0.75
    SimulationBake(scene).run()
    bpy.ops.wm.save_mainfile()
    assert opened(path).limberjack.version == NEWER
    with newer_limberjack(monkeypatch):
        scene = opened(path)
        settings, first, hinge = scene.limberjack, scene.objects["bar0"], joint(scene.objects["bar0_joint"])
        assert (settings.note, settings.gearing.ratio, settings.gearing.driven) == ("kept", 2.5, first)
        assert [gearing.ratio for gearing in settings.gearings] == [3.5]
        assert (link(first).bend, link(first).linear_damping) == (0.25, 0.5)
        assert (hinge.axes[0].backlash, hinge.axes[0].damping) == (0.125, 0.75)
        assert (settings.version, link(first).version) == (NEWER, NEWER)


def test_what_is_added_here_says_so(path):
    """Guards the newer version, which migrates what this one adds to its file, and not what it has made itself."""
    scene = opened(path)
    build = Build()
    build.tag(build.cube("late"))
    bpy.ops.wm.save_mainfile()
    scene = opened(path)
    assert (link(scene.objects["late"]).version, link(scene.objects["bar0"]).version) == (VERSION, NEWER)


def test_linked_from_a_newer_file(path):
    """Guards libraries: they are named, as another file is then the newer one."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    with bpy.data.libraries.load(str(path), link=True) as (_, wanted):
        wanted.objects = ["bar0"]
    scene.collection.objects.link(wanted.objects[0])
    (message,) = (problem.message for problem in show_rig(scene).problems if problem.code == "newer-version")
    assert message == TOLD.replace("This file", "What is linked from 'newer.blend'")


@pytest.mark.parametrize("version", ["banana", "1", "0.1.0.0", "x.y.z", "²"])
def test_what_is_no_version(path, version, capsys):
    """Guards a version that is none: told, left as it is, and the scene is read."""
    scene = opened(path)
    for owner in (scene, *scene.objects):
        migration.settings_of(owner).version = version if owner == scene else ""
    bpy.ops.wm.save_mainfile()
    scene = opened(path)
    assert scene.limberjack.version == version
    assert [code for code, _ in codes(scene)] == ["no-version"]
    assert run("info", path) == core_cli.DONE
    assert f"made by Limberjack '{version}', which is no version" in capsys.readouterr().err


def joint_type(scene):
    joint(scene.objects["bar1_joint"]).type = "NEWER"


def drive_mode(scene):
    joint(scene.objects["bar1_joint"]).axes[0].drive_mode = "NEWER"


def motion(scene):
    link(scene.objects["bar1"]).motion = "NEWER"


def mass_source(scene):
    link(scene.objects["bar1"]).mass_source = "NEWER"


def role(scene):
    """Of what link bar1 carries."""
    shape = bpy.data.objects.new("shape", scene.objects["bar1"].data)
    scene.collection.objects.link(shape)
    shape.parent = scene.objects["bar1"]
    link(shape).role = "NEWER"


UNKNOWN = {
    joint_type: ("bar1_joint", "joint 'bar1_joint' is of a type that this version of Limberjack does not know: update"),
    drive_mode: ("bar1_joint", "joint 'bar1_joint': its Drive is one that this version of Limberjack does not know"),
    motion: ("bar1", "link 'bar1': its Motion is one that this version of Limberjack does not know: update"),
    mass_source: ("bar1", "link 'bar1': its Mass is one that this version of Limberjack does not know: update"),
    role: ("bar1", "object 'shape': its Shape is one that this version of Limberjack does not know: update"),
}


@pytest.mark.parametrize("choose", UNKNOWN, ids=lambda choose: choose.__name__)
def test_a_choice_of_a_newer_version(monkeypatch, path, choose, capsys):
    """Guards against taking what is not known for something else: told, drawn, kept in the file."""
    scene = choosing(monkeypatch, path, choose)
    name, message = UNKNOWN[choose]
    with pytest.raises(ModelError) as caught:
        read_scene(scene)
    assert str(caught.value).startswith(message)
    assert name in [problem.name for problem in show_rig(scene).problems if problem.severity == "error"]
    for obj in scene.objects:
        draw(obj)
    scene.frame_set(5)
    bpy.context.view_layer.objects.active = scene.objects["bar1_joint"]
    assert not bpy.ops.limberjack.joint_axis_add.poll()
    assert run("info", path) == core_cli.HAS_ERRORS
    assert message in capsys.readouterr().err
    opened(path)
    bpy.ops.wm.save_mainfile()
    with newer_limberjack(monkeypatch):
        scene = opened(path)
        hinge, bar = joint(scene.objects["bar1_joint"]), link(scene.objects["bar1"])
        roles = [link(obj).role for obj in scene.objects]
        assert "NEWER" in (hinge.type, hinge.axes[0].drive_mode, bar.motion, bar.mass_source, *roles)


def accuracy(scene):
    scene.limberjack.accuracy = "NEWER"


def start(scene):
    scene.limberjack.bake.start = "NEWER"


@pytest.mark.parametrize(("choose", "label"), [(accuracy, "Accuracy"), (start, "Start From")])
def test_a_bake_of_a_newer_kind(monkeypatch, path, choose, label):
    """Guards the scene's own choices: no bake is made of what is not known, and an older bake is not blamed for it."""
    SimulationBake(opened(path)).run()
    bpy.ops.wm.save_mainfile()
    scene = choosing(monkeypatch, path, choose)
    with pytest.raises(BakeError, match=f"the scene's {label} is one that this version .* choose another"):
        settings_of(scene)
    assert out_of_date(scene, read_scene(scene)) == ""
    draw(scene.objects["bar0"])
    out = path.with_name("out.blend")
    options = ["--frames", 1, 3, "--onto", "links"]
    assert run("bake", path, "-o", out, *options) != core_cli.DONE
    assert run("bake", path, "-o", out, *options, "--accuracy", "draft", "--start", "home") == core_cli.DONE
