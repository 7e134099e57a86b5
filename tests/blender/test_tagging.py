# SPDX-License-Identifier: GPL-3.0-or-later
"""What is tagged is looked at when it is tagged, and not when a simulation fails."""

import bpy
import pytest

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.rig import forget_rigs, show_rig
from limberjack.addon.props import is_link

from .conftest import link
from .test_hierarchy import put


def add(name, data=None):
    obj = bpy.data.objects.new(name, data)
    bpy.context.scene.collection.objects.link(obj)
    bpy.context.view_layer.update()
    return obj


def refused(build, *objects):
    """What is told where none can be tagged."""
    with pytest.raises(RuntimeError) as error:
        build.tag(*objects)
    assert not any(map(is_link, objects))
    return str(error.value).removeprefix("Error: ").strip()


def skinned(build, name="skin"):
    """A cube that an armature deforms, as Ctrl-P leaves it, and the armature."""
    bpy.ops.object.armature_add()
    armature, skin = bpy.context.object, build.cube(name)
    skin.parent = armature
    modifier = skin.modifiers.new("Armature", "ARMATURE")
    modifier.object = armature
    bpy.context.view_layer.update()
    return skin, armature


@pytest.mark.parametrize(
    ("kind", "make"),
    [
        ("light", lambda: bpy.data.lights.new("lamp", "POINT")),
        ("camera", lambda: bpy.data.cameras.new("eye")),
        ("speaker", lambda: bpy.data.speakers.new("horn")),
    ],
)
def test_what_has_no_mass_is_refused(build, kind, make):
    """Guards lights, cameras and speakers, which became links of 1 kg: the sentence says what carries them."""
    assert refused(build, add("thing", make())) == (
        f"object 'thing' is a {kind}, which has no mass: parent it to the link that is to carry it"
    )


def test_an_empty_is_tagged_and_its_mass_told(build, capfd):
    """Guards Empties, which rigs use as bodies: their mass is assumed, and that is told."""
    frame = add("frame")
    build.tag(frame)
    assert (is_link(frame), link(frame).mass_source, link(frame).mass) == (True, "CUSTOM", 1.0)
    assert "Warning: link 'frame' has no mesh to weigh: its mass is set to 1 kg" in capfd.readouterr().out


def test_a_skin_is_refused(build):
    """Guards a mesh that would fall off its skeleton; without the modifier, or with one that is off, it is as any."""
    skin, armature = skinned(build)
    assert refused(build, skin).startswith(f"object 'skin' is deformed by the armature '{armature.name}', and a link")
    skin.modifiers[0].show_viewport = skin.modifiers[0].show_render = False
    build.tag(skin)
    assert is_link(skin)


def test_a_skin_of_old_is_refused(build):
    """Guards the parent that deforms by itself."""
    skin, _ = skinned(build)
    skin.modifiers.clear()
    skin.parent_type = "ARMATURE"
    assert refused(build, skin).endswith("or unparent it")


def test_a_link_that_gets_a_skeleton_later_is_a_problem(scene, build):
    """Guards what was tagged before its modifier."""
    bars, _ = build.pendulum(1)
    bpy.ops.object.armature_add()
    bars[0].modifiers.new("Armature", "ARMATURE").object = bpy.context.object
    forget_rigs()
    assert [(item.severity, item.code, item.name) for item in show_rig(scene).problems] == [
        ("warning", "deformed", "bar0")
    ]


def with_modifier(kind):
    def change(shape):
        shape.modifiers.new("it", kind)

    return change


def with_keys_on_a_modifier(shape):
    bend = shape.modifiers.new("it", "SIMPLE_DEFORM")
    for frame, angle in ((1, 0.0), (20, 1.0)):
        bend.angle = angle
        bend.keyframe_insert("angle", frame=frame)


def with_a_hook(shape):
    hand = add("hand")
    for frame in (1, 20):
        hand.location.x = frame
        hand.keyframe_insert("location", frame=frame)
    shape.modifiers.new("it", "HOOK").object = hand


def with_shape_keys(shape):
    shape.shape_key_add(name="as it was")
    swollen = shape.shape_key_add(name="swollen")
    for frame, value in ((1, 0.0), (20, 1.0)):
        swollen.value = value
        swollen.keyframe_insert("value", frame=frame)


@pytest.mark.parametrize("of_child", [False, True], ids=["link", "shape"])
@pytest.mark.parametrize(
    ("change", "what"),
    [
        (with_modifier("WAVE"), "the modifier 'it', and"),
        (with_modifier("CLOTH"), "the modifier 'it', and"),
        (with_keys_on_a_modifier, "the modifier 'it', and"),
        (with_a_hook, "the modifier 'it', and"),
        (with_shape_keys, "its shape keys, and"),
    ],
    ids=["wave", "cloth", "keys", "hook", "shape keys"],
)
def test_what_changes_its_form_is_told(scene, build, capfd, change, what, of_child):
    """Guards a mesh that deforms from being taken as rigid in silence: as it is tagged, and in Problems later."""
    cube = build.cube("thing")
    shape = cube
    if of_child:
        shape = build.cube("flag")
        shape.parent = cube
    change(shape)
    build.tag(cube)
    words = f"object '{shape.name}' changes its form by {what} a link is rigid"
    assert f"Warning: {words}" in capfd.readouterr().out
    forget_rigs()
    (told,) = [item for item in show_rig(scene).problems if item.code == "deformed"]
    assert (told.severity, told.name) == ("warning", "thing")
    assert told.message.startswith(words)


def test_what_keeps_its_form_is_not_told(scene, build, capfd):
    """Guards against false alarms: modifiers and shape keys at rest, one that is off, and what moves with the link."""
    cube = build.cube("thing")
    cube.modifiers.new("bevel", "BEVEL")
    cube.modifiers.new("wave", "WAVE").show_viewport = False
    cube.shape_key_add(name="as it was")
    cube.keyframe_insert("location", frame=1)
    guide = add("guide")
    guide.parent = cube
    cube.modifiers.new("hook", "HOOK").object = guide
    build.tag(cube)
    forget_rigs()
    assert "changes its form" not in capfd.readouterr().out
    assert "deformed" not in [item.code for item in show_rig(scene).problems]


def test_an_armature_needs_a_mesh(build, capfd):
    """Guards an armature that weighed 0 kg; one that carries meshes is one rigid body, which is told."""
    _, armature = skinned(build)
    bones = bpy.data.objects.new("bones", armature.data)
    bpy.context.scene.collection.objects.link(bones)
    assert "'bones' is an armature with no mesh to weigh" in refused(build, bones)
    build.tag(armature)
    assert link(armature).mass_shown == pytest.approx(8000.0)
    assert f"Warning: link '{armature.name}' is an armature: all of it moves as one" in capfd.readouterr().out


def test_a_constraint_is_told_at_once(scene, build, capfd):
    """Guards a constraint that nobody heard of before Simulate failed: the same words at once, and in Problems."""
    words = "link 'Cube' has the constraint 'Copy Location', which would fight the simulated motion: mute it or remove"
    cube = build.cube()
    cube.constraints.new("COPY_LOCATION").target = add("there")
    build.tag(cube)
    assert f"Warning: {words}" in capfd.readouterr().out
    assert [item.message for item in show_rig(scene).problems if item.code == "constrained"] == [f"{words} it"]
    with pytest.raises(RuntimeError, match=words):
        bpy.ops.limberjack.simulate()
    bpy.ops.limberjack.problem_mend(name="Cube", code="constrained")
    forget_rigs()
    assert [item.code for item in show_rig(scene).problems] == ["falls-freely"]
    bpy.ops.limberjack.simulate()


@pytest.mark.parametrize("solo", [False, True])
def test_tracks_that_move_a_link_are_muted_by_a_button(scene, build, solo):
    """Guards a problem without a button: strips would fight the simulation, and a solo track silences a mute of all
    others. Strips of what moves nothing keep playing."""
    cube = build.cube()
    build.tag(cube)
    for name, path, value in (("Swing", "location", 5.0), ("Lift", "location", 7.0), ("Grow", "color", 0.5)):
        cube.keyframe_insert(path, index=0, frame=1)
        setattr(cube, path, (value, *getattr(cube, path)[1:]))
        cube.keyframe_insert(path, index=0, frame=10)
        action = cube.animation_data.action
        track = cube.animation_data.nla_tracks.new()
        track.name = name
        track.strips.new(name, 1, action)
        cube.animation_data.action = None
    tracks = cube.animation_data.nla_tracks
    tracks["Swing"].is_solo = solo
    forget_rigs()
    assert "plays-strips" in [item.code for item in show_rig(scene).problems]
    assert bpy.ops.limberjack.problem_mend(name="Cube", code="plays-strips") == {"FINISHED"}
    assert [track.mute for track in tracks] == [True, True, False]
    forget_rigs()
    assert "plays-strips" not in [item.code for item in show_rig(scene).problems]
    bpy.ops.limberjack.simulate()


def test_a_kinematic_link_may_have_constraints(scene, build):
    """Guards against a false alarm: it moves as it is animated, by constraints too."""
    cube = build.cube()
    cube.constraints.new("COPY_LOCATION").target = add("there")
    build.tag(cube)
    link(cube).motion = "KINEMATIC"
    forget_rigs()
    assert "constrained" not in [item.code for item in show_rig(scene).problems]


def test_of_several_those_that_can_be_are_tagged(build, capfd):
    """Guards a box selection: what can be is tagged, and each other one is named with its reason."""
    cube, skin = build.cube(), skinned(build)[0]
    lamp = add("lamp", bpy.data.lights.new("lamp", "POINT"))
    build.tag(lamp, cube, skin)
    assert [is_link(obj) for obj in (lamp, cube, skin)] == [False, True, False]
    told = capfd.readouterr().out
    assert "Info: 1 link tagged, but not '" in told
    assert "Warning: object 'lamp' is a light" in told
    assert "Warning: object 'skin' is deformed" in told
    assert refused(build, lamp, skin).endswith("; and 1 more cannot be links either")


def test_a_hierarchy_leaves_out_what_cannot_be(build, capfd):
    """Guards a character among machine parts: the rest is rigged."""
    base = put(build, "base", (0.0, 0.0, 0.0))
    arm = put(build, "arm", (1.0, 0.0, 0.0), base)
    skin, armature = skinned(build)
    armature.parent = base
    build.select(base)
    bpy.ops.limberjack.rig_from_hierarchy()
    assert [is_link(obj) for obj in (base, arm, skin)] == [True, True, False]
    assert "Warning: object 'skin' is deformed" in capfd.readouterr().out
    build.select(skin)
    with pytest.raises(RuntimeError, match="'skin' is deformed"):
        bpy.ops.limberjack.rig_from_hierarchy(whole=False)


@pytest.fixture
def from_library(build, tmp_path):
    """A cube that lies in another file, linked into this one; and where this one may be saved."""
    build.cube("part")
    path = str(tmp_path / "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(path, link=True) as (_, into):
        into.objects = ["part"]
    bpy.context.scene.collection.objects.link(into.objects[0])
    bpy.context.view_layer.update()
    return into.objects[0], str(tmp_path / "scene.blend")


def test_what_a_library_has_is_refused(build, from_library):
    """Guards a link that was none any more once the file was saved: the sentence says how to make it one's own."""
    part, _ = from_library
    assert refused(build, part) == (
        "object 'part' comes from the library 'library.blend', and what is changed of it here is not saved: make it "
        "yours by Object > Library Override > Make, or Object > Relations > Make Local"
    )


def test_a_library_override_is_kept(build, from_library):
    """Guards what the sentence promises: an override is a link, with its numbers and its bake, in the saved file."""
    linked, path = from_library
    part = linked.override_create(remap_local_usages=True)
    build.tag(part)
    link(part).mass_source, link(part).mass, link(part).force = "MASS", 3.0, (6.0, 0.0, 0.0)
    part.location = (2.0, 0.0, 0.0)
    bpy.ops.wm.save_as_mainfile(filepath=path)

    def part_again():
        bpy.ops.wm.open_mainfile(filepath=path)
        return next(obj for obj in bpy.context.scene.objects if obj.name == "part")

    part = part_again()
    assert part.override_library
    assert (is_link(part), link(part).mass_shown, tuple(link(part).force)) == (True, 3.0, (6.0, 0.0, 0.0))
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 25
    SimulationBake(bpy.context.scene).run()
    bpy.ops.wm.save_mainfile()
    part = part_again()
    bpy.context.scene.frame_set(25)
    assert part.matrix_world.translation.x == pytest.approx(2.0 + 0.5 * 2.0, abs=1e-4)  # 2 m/s^2 for 1 s
    bpy.ops.limberjack.bake_clear()
    assert tuple(part.location) == (2.0, 0.0, 0.0)
