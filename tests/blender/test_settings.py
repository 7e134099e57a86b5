# SPDX-License-Identifier: GPL-3.0-or-later
"""Settings by name in scenes: a scan gives what core's `set_property` gives, and nothing that is set is lost."""

import dataclasses
import json

import bpy
import numpy as np
import pytest

from limberjack.addon import ids
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.addon.bridge.scene.set_properties import store_setting
from limberjack.core import cli as core_cli
from limberjack.core.cli.framework import OPEN_SCENE, load
from limberjack.core.formats import read
from limberjack.core.geometry import Mesh, pieces
from limberjack.core.geometry.shape_mass import solid_properties
from limberjack.core.model import ModelError
from limberjack.core.model.properties import Setting, set_property
from support.concave import SHAPES

from .conftest import joint, link
from .test_cli import run
from .test_inputs import ON_AXIS, key


def numbers(value, path=""):
    """Every number, word and truth value of a model, by its path."""
    if dataclasses.is_dataclass(value):
        value = {item.name: getattr(value, item.name) for item in dataclasses.fields(value)}
    if isinstance(value, list | tuple):
        value = dict(enumerate(value))
    if isinstance(value, dict):
        return {k: v for key, item in value.items() for k, v in numbers(item, f"{path}.{key}").items()}
    return {path: value.tobytes() if isinstance(value, np.ndarray) else value}


def make(scene, *texts, first=None):
    """Make settings as the command does; returns what was told."""
    reading = scan_scene(scene, first=first)
    return [note for text in texts for note in store_setting(Setting.parse(text), reading, scene, first)]


def require_as_core(scene, *texts, first=None):
    """Make settings in the scene; core makes them in the model that was scanned before."""
    expected = scan_scene(scene, first=first).model.copy()
    before = numbers(expected)
    for text in texts:
        set_property(expected, Setting.parse(text))
    assert make(scene, *texts, first=first) == []
    assert numbers(expected) != before
    found = numbers(scan_scene(scene, first=first).model)
    assert found == {path: about(value) for path, value in numbers(expected).items()}


def about(value):
    return pytest.approx(value, rel=1e-6) if isinstance(value, float) else value


def arm(build, kind="revolute", **settings):
    """A cube named hand that a joint named wrist holds in the world."""
    hand = build.cube("hand")
    build.tag(hand)
    wrist = build.join(hand, type=kind)
    wrist.name = "wrist"
    for name, value in settings.items():
        setattr(joint(wrist).axes[0], name, value)
    return hand, wrist


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize(
    ("kind", "texts"),
    [
        ("revolute", ["damping=2.5", "friction=0.5", "armature=0.01", "effort=7.5", "velocity=3", "effort=inf"]),
        ("prismatic", ["lower=-0.3", "upper=0.7", "stiffness=inf", "restitution=0.5", "velocity=1.5"]),
        ("prismatic", ["spring_stiffness=40", "spring_reference=0.2", "home=0.3"]),
        ("prismatic", ["drive_mode=position", "drive_target=0.4", "drive_stiffness=5", "drive_damping=0.2"]),
        ("prismatic", ["drive_target=0.4", "drive_mode=force"]),
        ("revolute", ["lower=0.4"]),
        ("revolute", ["home=1.2", "lower=-1", "upper=1"]),
        ("revolute", ["enabled=off"]),
        ("revolute", ["released_at=0.5"]),
        ("revolute", ["break_force=120", "break_torque=7.5", "break_force=inf"]),
        ("screw", ["pitch=-0.02", "home=9"]),
        ("ball", ["damping=3", "home=3,0,0,4"]),
        ("universal", ["home=0.1,-0.2", "upper=2"]),
        ("d6", ["home=0.1,0.2,0.3,0,0,1", "damping=4"]),
    ],
)
def test_joints(scene, build, unit, kind, texts):
    """Guards every kind of property of joints, in the scene's units."""
    scene.unit_settings.scale_length = unit
    arm(build, kind)
    require_as_core(scene, *(f"wrist.{text}" for text in texts))


def test_a_joint_from_before_its_type_had_axes(scene, build):
    """Guards files of old versions, whose joints have fewer axes and coordinates than their type."""
    _, wrist = arm(build)
    joint(wrist).axes.clear()
    joint(wrist).coordinates.clear()
    require_as_core(scene, "wrist.damping=2", "wrist.home=0.5")


def test_times_are_counted_from_the_first_frame(scene, build):
    """Guards a bake with a range of its own: half a second after its first frame."""
    scene.render.fps = 24
    _, wrist = arm(build)
    require_as_core(scene, "wrist.released_at=0.5", first=10)
    assert joint(wrist).released_at == 22.0


@pytest.mark.parametrize("mode", ["off", "position", "velocity", "force"])
@pytest.mark.parametrize("text", ["drive_stiffness=5", "drive_damping=3", "drive_target=1", "effort=3", "damping=1"])
def test_a_weakened_drive(scene, build, mode, text):
    """Guards Strength: what is set is what acts, and the drive's other numbers are no stronger than they were."""
    drive = {"drive_stiffness": 10.0, "drive_damping": 4.0, "drive_target": 0.5, "use_effort": True, "effort": 8.0}
    _, wrist = arm(build, drive_mode=mode, **drive)
    joint(wrist).drive_strength = 0.25
    require_as_core(scene, f"wrist.{text}")


@pytest.mark.parametrize("mode", ["off", "velocity", "force"])
def test_another_mode_of_a_weakened_drive(scene, build, mode):
    """Guards a target that Strength left alone, and would not in another mode."""
    _, wrist = arm(build, drive_mode="position", drive_stiffness=10.0, drive_damping=4.0, drive_target=0.5)
    joint(wrist).drive_strength = 0.25
    require_as_core(scene, f"wrist.drive_mode={mode}")


@pytest.mark.parametrize("source", ["DENSITY", "MASS", "CUSTOM"])
def test_the_mass_of_links(scene, build, source):
    """Guards mass wherever it came from: spread as before, and four times as hard to turn at four times the mass."""
    hand, _ = arm(build)
    link(hand).mass_source, link(hand).mass = source, 2.0
    link(hand).com, link(hand).inertia = (0.1, 0.2, 0.3), (1.0, 0.1, 0.2, 2.0, 0.3, 2.5)
    before = scan_scene(scene).model.link("hand")
    require_as_core(scene, f"hand.mass={4 * before.mass}")
    after = scan_scene(scene).model.link("hand")
    assert after.mass == pytest.approx(4 * before.mass)
    assert after.inertia == pytest.approx([4 * part for part in before.inertia])
    assert after.com == before.com
    assert link(hand).mass_source == ("CUSTOM" if source == "CUSTOM" else "MASS")


@pytest.mark.parametrize("source", ["DENSITY", "MASS"])
def test_what_links_are_made_of(scene, build, source):
    """Guards density and material by hand computation: 8 cubes of 1 m, then of 1 cm, and what they are in steel."""
    hand, _ = arm(build)
    link(hand).mass_source = source
    assert make(scene, "hand.material=Steel") == []
    assert scan_scene(scene).model.link("hand").mass == pytest.approx(8 * 7850.0)
    assert link(hand).material == "steel"
    scene.unit_settings.scale_length = 0.01
    assert make(scene, "hand.mass=3", "hand.density=250") == []
    found = scan_scene(scene).model.link("hand")
    assert found.mass == pytest.approx(8e-6 * 250.0)
    assert found.inertia[0] == pytest.approx(found.mass * 0.02**2 / 6.0)


def test_a_mass_by_hand_has_no_density(scene, build):
    """Guards an imported link, whose meshes say nothing of its mass: the error says what to do."""
    hand, _ = arm(build)
    link(hand).mass_source = "CUSTOM"
    with pytest.raises(ModelError, match=r"link 'hand': its mass is Custom, .*: set its mass, or choose Material"):
        make(scene, "hand.material=steel")
    assert link(hand).mass_source == "CUSTOM"


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize(
    "texts",
    [
        ["hand.linear_damping=0.5", "hand.angular_damping=0.25"],
        ["hand.gravity=false"],
        ["hand.force=1,2,-3", "hand.torque=0.5,0,0"],
        ["world.gravity=0,0,-1.62"],
        ["world.gravity=0,0,0"],
        ["world.wind=4,0,-0.5"],
    ],
)
def test_the_rest_of_links_and_the_world(scene, build, unit, texts):
    """Guards flags, vectors and what is around the model, in the scene's units."""
    scene.unit_settings.scale_length = unit
    arm(build)
    require_as_core(scene, *texts)


def test_gravity_where_there_was_none(scene, build):
    """Guards gravity that was switched off in the scene."""
    arm(build)
    scene.use_gravity = False
    require_as_core(scene, "world.gravity=0,-3.7,0")


ON_START = f"{ids.JOINT}.coordinates[0]."


@pytest.mark.parametrize(
    ("owner", "path", "values", "text", "words"),
    [
        ("wrist", f"{ON_AXIS}damping", (0.0, 1.0), "wrist.damping=2", "joint 'wrist': its damping"),
        ("wrist", f"{ON_AXIS}upper_angle", (0.0, 1.0), "wrist.upper=2", "joint 'wrist': its upper"),
        ("wrist", f"{ON_AXIS}use_effort", (False, True), "wrist.effort=2", "joint 'wrist': its effort"),
        ("wrist", f"{ON_AXIS}drive_target_angle", (0.0, 1.0), "wrist.drive_target=2", "joint 'wrist': its drive targ"),
        ("wrist", f"{ON_AXIS}drive_mode", ("off", "force"), "wrist.drive_mode=off", "joint 'wrist': its drive mode"),
        ("wrist", f"{ids.JOINT}.drive_strength", (0.0, 1.0), "wrist.effort=2", "joint 'wrist': its strength"),
        ("wrist", f"{ids.JOINT}.enabled", (False, True), "wrist.enabled=on", "joint 'wrist': its enabled"),
        ("wrist", f"{ids.JOINT}.use_released_at", (False, True), "wrist.released_at=2", "its released at"),
        ("wrist", f"{ON_START}home_angle", (0.0, 1.0), "wrist.home=0.5", "joint 'wrist': its start"),
        ("hand", f"{ids.LINK}.mass", (1.0, 2.0), "hand.mass=3", "link 'hand': its mass"),
        ("hand", f"{ids.LINK}.mass_source", ("MASS", "DENSITY"), "hand.mass=3", "link 'hand': its mass source"),
        ("hand", f"{ids.LINK}.density", (1.0, 2.0), "hand.material=steel", "link 'hand': its density"),
        ("hand", f"{ids.LINK}.force", ((0, 0, 1), (0, 0, 2)), "hand.force=0,0,3", "link 'hand': its force"),
        ("hand", f"{ids.LINK}.gravity", (True, False), "hand.gravity=on", "link 'hand': its gravity"),
        ("", "gravity", ((0, 0, 1), (0, 0, 2)), "world.gravity=0,0,3", "the scene's gravity"),
        ("", "use_gravity", (True, False), "world.gravity=0,0,3", "the scene's gravity"),
        ("", f"{ids.SCENE}.wind", ((0, 0, 1), (0, 0, 2)), "world.wind=0,0,3", "the scene's wind"),
    ],
)
def test_what_is_animated_is_not_set(scene, build, owner, path, values, text, words):
    """Guards against a setting that the next frame would undo: told, and nothing has changed."""
    arm(build, drive_mode="position")
    key(scene.objects[owner] if owner else scene, path, (1, values[0]), (24, values[1]))
    before = numbers(scan_scene(scene).model)
    with pytest.raises(ModelError, match=f"{words}.* is animated, .*: delete its keys, driver or strip in the scene"):
        make(scene, text)
    assert numbers(scan_scene(scene).model) == before


@pytest.mark.parametrize("how", ["driver", "strip"])
def test_drivers_and_strips_animate_too(scene, build, how):
    """Guards against looking at keys alone."""
    _, wrist = arm(build)
    if how == "driver":
        wrist.driver_add(f"{ON_AXIS}friction").driver.expression = "0.5"
    else:
        key(wrist, f"{ON_AXIS}friction", (1, 0.0), (24, 1.0))
        data = wrist.animation_data
        action, data.action = data.action, None
        data.nla_tracks.new().strips.new("strip", 1, action)
    with pytest.raises(ModelError, match="joint 'wrist': its friction is animated"):
        make(scene, "wrist.friction=2")


def test_other_animation_stands_in_no_way(scene, build):
    """Guards drives that are animated: other numbers and the mode can be set, and the keys mean what they did."""
    _, wrist = arm(build, drive_mode="position", drive_damping=4.0)
    key(wrist, f"{ids.JOINT}.drive_strength", (1, 0.5), (24, 1.0))
    key(wrist, f"{ON_AXIS}drive_target_angle", (1, 0.5), (24, 1.0))
    scene.frame_set(1)
    assert make(scene, "wrist.damping=2", "wrist.drive_mode=velocity") == []
    for frame, strength in ((1, 0.5), (24, 1.0)):
        scene.frame_set(frame)
        axis = scan_scene(scene).model.joint("wrist").axes[0]
        assert (axis.damping, axis.drive_mode, axis.drive_damping) == (2.0, "velocity", 4.0 * strength)


def test_what_blender_cannot_keep_is_told(scene, build):
    """Guards numbers that single precision or a property's bounds make others."""
    arm(build)
    assert make(scene, "hand.density=1e-9") == ["link 'hand': its density 1e-09 cannot be kept: it is 1e-06 here"]
    assert "its damping 1e+300 cannot be kept" in make(scene, "wrist.damping=1e300")[0]
    assert "the wind (1e+300, 0.0, 0.0) cannot be kept" in make(scene, "world.wind=1e300,0,0")[0]


def saved(scene, build, folder, capsys):
    path = folder / "arm.blend"
    hand, _ = arm(build)
    base = build.cube("base", (5.0, 0.0, 0.0))
    build.tag(base)
    link(base).motion = "STATIC"
    link(hand).mass_source, link(hand).mass = "MASS", 2.0
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    capsys.readouterr()  # Blender's own words
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("hand.colour=red", "link 'hand' has no property 'colour'; it has: mass, density, material"),
        ("wrist.damping=much", "joint 'wrist' (revolute): damping takes a number, found 'much'"),
        ("hand.material=cheese", "link 'hand': no material 'cheese'; there are: foam, cork"),
        ("hand.density=0", "link 'hand': density takes a number above 0, found '0'"),
        ("foot.mass=1", "no joint or link 'foot'; there are: base_static, wrist"),
        ("world.mass=1", "world has no property 'mass'; it has: gravity, wind"),
        ("base_static.enabled=off", "joint 'base_static' only stands for the Motion of link 'base', which is not Free"),
        ("mass=1", "write OWNER.PROPERTY=VALUE"),
    ],
)
@pytest.mark.parametrize("verb", ["info", "bake"])
def test_what_cannot_be_set_is_one_line(scene, build, tmp_path, capsys, verb, text, words):
    """Guards the command: exit 2, a line that says what was found and what there is, and nothing written."""
    path = saved(scene, build, tmp_path, capsys)
    argv = ["-o", tmp_path / "out.blend"] if verb == "bake" else []
    assert run(verb, path, *argv, "--set", text) == core_cli.UNUSABLE
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(f"limberjack: error: --set {text}: {words}")
    assert len(told.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "argv",
    [
        ["check"],
        ["info"],
        ["convert", "{folder}/out.sdf"],
        ["simulate", "--duration", "1"],
        ["plot", "-o", "{folder}/out.svg"],
        ["plot", "-o", "{folder}/out.svg", "--duration", "1"],
        ["ik", "--target", "hand=0,0,0"],
        ["bake", "-o", "{folder}/out.npz"],
    ],
    ids=" ".join,
)
def test_each_verb_makes_settings_in_scenes(scene, build, tmp_path, capsys, argv):
    """Guards that no verb reads a scene without its settings."""
    verb, *rest = (word.format(folder=tmp_path) for word in argv)
    path = saved(scene, build, tmp_path, capsys)
    assert run(verb, path, *rest, "--set", "foot.mass=1") == core_cli.UNUSABLE
    assert "--set foot.mass=1: no joint or link 'foot'" in capsys.readouterr().err


def test_info_and_convert_have_the_numbers(scene, build, tmp_path, capsys):
    """Guards settings on the way out, in the order that they were given."""
    path, out = saved(scene, build, tmp_path, capsys), tmp_path / "out.sdf"
    settings = ["--set", "hand.material=steel", "--set", "hand.mass=5", "--set", "wrist.upper=1.5"]
    assert run("info", path, "--json", *settings) == core_cli.DONE
    told = json.loads(capsys.readouterr().out)
    assert [item["mass"] for item in told["links"] if item["name"] == "hand"] == [5.0]
    assert run("convert", path, out, *settings) == core_cli.DONE
    model = read(out).model
    assert (model.link("hand").mass, model.joint("wrist").axes[0].upper) == (5.0, 1.5)


def test_the_open_scene(scene, build):
    """Guards the command inside Blender, where no file is named: settings are made in the scene that is open."""
    arm(build)
    reading = load(OPEN_SCENE, (), ["hand.mass=5"], with_surroundings=True)
    assert reading.model.link("hand").mass == scan_scene(scene).model.link("hand").mass == 5.0
    assert reading.files == []


@pytest.mark.parametrize(
    ("text", "takes"),
    [
        ("wrist.damping=-1", "0 or a number above it"),
        ("wrist.friction=-1", "0 or a number above it"),
        ("wrist.spring_stiffness=-0.5", "0 or a number above it"),
        ("wrist.effort=-3", "0 or a number above it"),
        ("wrist.velocity=-3", "0 or a number above it"),
        ("wrist.restitution=1.5", "a number from 0 to 1"),
        ("hand.mass=-1", "a number above 0"),
    ],
)
def test_a_number_out_of_bounds_is_refused_alike(scene, build, tmp_path, capsys, text, takes):
    """Guards --set: a scene, which cannot keep such a number, and a file refuse it by the same sentence."""
    path, file = saved(scene, build, tmp_path, capsys), tmp_path / "arm.sdf"
    assert run("convert", path, file) == core_cli.DONE
    capsys.readouterr()
    told = set()
    for argv in (["check", path], ["check", file], ["bake", path, "-o", tmp_path / "out.csv", "--frames", 1, 3]):
        assert run(*argv, "--set", text) == core_cli.UNUSABLE
        told.add(capsys.readouterr().err)
    target, _, value = text.partition("=")
    name = target.partition(".")[2]
    (sentence,) = told
    assert sentence.startswith(f"limberjack: error: --set {text}: ")
    assert sentence.endswith(f": {name} takes {takes}, found '{value}'\n")


def test_a_bake_is_of_what_was_set(scene, build, tmp_path, capsys):
    """Guards the main use: the file has the keys of the moon's gravity, and its numbers."""
    path, out = saved(scene, build, tmp_path, capsys), tmp_path / "out.blend"
    settings = ["--set", "world.gravity=0,0,-1.62", "--set", "wrist.enabled=off", "--set", "hand.mass=7"]
    assert run("bake", path, "-o", out, "--frames", 1, 25, *settings) == core_cli.DONE
    bpy.ops.wm.open_mainfile(filepath=str(out))
    scene = bpy.context.scene
    scene.frame_set(25)
    assert bpy.data.objects["hand"].matrix_world.translation.z == pytest.approx(-0.5 * 1.62, abs=1e-5)
    assert scan_scene(scene).model.gravity == (0.0, 0.0, -1.62)
    assert scan_scene(scene).model.link("hand").mass == 7.0


def test_a_link_of_a_library(scene, build, tmp_path, capsys):
    """Guards against a setting that only seems to be in the saved file: it counts, and the note says that it goes."""
    kit = bpy.data.collections.new("kit")
    scene.collection.children.link(kit)
    kit.objects.link(build.cube("hand"))
    link(bpy.data.objects["hand"]).is_link = True
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "kit.blend"))
    bpy.ops.wm.read_factory_settings(use_empty=True)
    with bpy.data.libraries.load(str(tmp_path / "kit.blend"), link=True) as (_, wanted):
        wanted.collections = ["kit"]
    bpy.context.scene.collection.children.link(wanted.collections[0])
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    capsys.readouterr()
    assert run("info", tmp_path / "shot.blend", "--json", "--set", "hand.mass=7") == core_cli.DONE
    told = capsys.readouterr()
    assert json.loads(told.out)["links"][0]["mass"] == 7.0
    assert "link 'hand' comes from a library: what is set counts now, and no saved file keeps it" in told.err


def test_a_link_is_held_in_the_world(scene, build):
    """Guards `--fix-base` on scenes: the link's Motion becomes Static, and the scene reads as what was meant."""
    bars, joints = build.pendulum(2)
    bpy.data.objects.remove(joints[0])
    reading = scan_scene(scene)
    assert store_setting(Setting.parse("bar0.static=true"), reading, scene) == []
    assert link(bars[0]).motion == "STATIC"
    found, meant = ({item.name: item for item in model.joints} for model in (scan_scene(scene).model, reading.model))
    assert found == meant
    assert store_setting(Setting.parse("*.static=true"), scan_scene(scene), scene) == []  # though nothing floats now
    assert [obj.name for obj in bars if link(obj).motion == "STATIC"] == ["bar0"]


@pytest.mark.skipif(not pieces.is_available(), reason="needs CoACD: pip install limberjack[pieces]")
def test_convex_pieces_are_kept(scene, build):
    """Guards `--set LINK.collisions=pieces` of scenes: the pieces are objects of the scene, whose volumes are a U's.

    A link that collides with chosen objects keeps them.
    """
    shown = []
    vertices, faces = SHAPES["U"]
    vertices = 1.037 * vertices  # of a size of its own: what another test has divided is divided already
    mesh = bpy.data.meshes.new("cup")
    mesh.from_pydata(vertices.tolist(), [], faces.tolist())
    cup = bpy.data.objects.new("cup", mesh)
    scene.collection.objects.link(cup)
    build.tag(cup)
    setting = Setting.parse("cup.collisions=pieces")
    assert store_setting(setting, scan_scene(scene), scene, on_progress=shown.append) == []
    assert shown[0].startswith("Dividing 'cup' into convex pieces: ")
    found = scan_scene(scene, with_shapes=True).model.link("cup").collisions
    assert len(found) >= 3
    whole = solid_properties(Mesh(vertices=vertices, faces=faces)).volume
    assert sum(solid_properties(shape.geometry).volume for shape in found) == pytest.approx(whole, rel=0.02)
    for child in cup.children:
        link(child).is_fitted = False
    with pytest.raises(ModelError, match="objects that you chose"):
        make(scene, "cup.collisions=pieces")
    with pytest.raises(ModelError, match="takes 'pieces'"):
        make(scene, "cup.collisions=hull")
