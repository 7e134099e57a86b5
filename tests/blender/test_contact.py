# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact in the viewport: baked, previewed, on the command line and by the core alone, the same motion."""

import json
import math

import bpy
import numpy as np
import pytest

from limberjack.addon import preview
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.findings.last_run import last_run
from limberjack.addon.bridge.rig import show_rig
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.overlays.contact import segments
from limberjack.core.simulation import Simulation
from limberjack.core.trajectory.files.reading import read_trajectory
from support.concave import SHAPES

from .baked import matrix_at
from .conftest import link
from .paper import draw
from .test_cli import run

RUBBER = 0.75
"""Its restitution, of core's table of materials."""


@pytest.fixture
def bounce(scene, build):
    """A rubber cube of one metre whose lower side hangs two metres above a floor that holds still."""
    floor, cube = build.cube("floor", (0.0, 0.0, -1.0), scale=(5.0, 5.0, 1.0)), build.cube("cube", (0, 0, 2.5), 1.0)
    build.tag(floor, cube)
    link(floor).motion, link(cube).material = "STATIC", "rubber"
    scene.frame_end = 60
    return cube


def heights(scene, obj):
    frames = range(scene.frame_start, scene.frame_end + 1)
    return np.array([matrix_at(scene, obj, frame)[2, 3] for frame in frames])


def told(capsys):
    """The JSON object that a command has printed last."""
    return json.loads(capsys.readouterr().out.strip().splitlines()[-1])


def test_a_bake_bounces_as_the_closed_form(scene, bounce):
    """Guards bakes: a cube falls two metres in sqrt(2 h / g), and comes back to e^2 of that height."""
    bpy.ops.limberjack.simulate()
    found = heights(scene, bounce) - 0.5
    fall = math.sqrt(4.0 / 9.81)
    times = np.arange(len(found)) / 24.0
    first = times < fall
    assert found[first] == pytest.approx(2.0 - 4.905 * times[first] ** 2, abs=1e-5)
    rise = RUBBER * 9.81 * fall
    second = (times > fall) & (times < fall + 2.0 * rise / 9.81)
    since = times[second] - fall
    assert found[second] == pytest.approx(rise * since - 4.905 * since**2, abs=1e-5)
    assert found[second].max() == pytest.approx(RUBBER**2 * 2.0, rel=0.01)


def test_without_contact_it_falls_through(scene, bounce):
    """Guards the switch: off, as in scenes that were made before there was contact, nothing is in the way."""
    scene.limberjack.contact = False
    assert not any(each.collisions for each in read_scene(scene).links)
    bpy.ops.limberjack.simulate()
    assert heights(scene, bounce)[-1] < -20.0


def test_the_switch_is_on_in_new_scenes_alone(scene, build):
    """Guards old scenes: one that has links already, and says nothing of contact, goes on without."""
    cube, other = build.cube("cube"), build.cube("other", (5, 0, 0))
    link(cube).is_link = True  # as a file of 0.1.0 has it
    assert not scene.limberjack.contact
    build.tag(other)
    assert not scene.limberjack.contact
    link(cube).is_link = link(other).is_link = False
    build.tag(cube)
    assert scene.limberjack.contact


def test_every_way_of_baking_gives_the_same_motion(scene, bounce, tmp_path):
    """Guards that the preview is the bake: panel, Play, command line and core have the same poses, to the last bit."""
    panel = SimulationBake(scene)
    panel.run()
    bpy.ops.limberjack.bake_clear()
    shown = preview.begin(scene)
    while shown.motion.done < scene.frame_end:
        shown.motion.compute(scene.frame_end, 1.0)
    played = shown.motion.simulation.trajectory
    shown.stop()
    preview.end()
    model, times = read_scene(scene), (np.arange(1, scene.frame_end + 1) - 1) / 24.0
    alone = Simulation(model, times, "good").run()
    path = tmp_path / "bounce.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert run("bake", path, "-o", tmp_path / "out.npz", "-o", tmp_path / "out.blend") == 0
    headless = read_trajectory(tmp_path / "out.npz")
    for other in (played, alone, headless):
        assert np.array_equal(other.X_WL, panel.trajectory.X_WL)
    assert headless.contacts is None
    assert len(panel.trajectory.impacts) >= 2
    assert set(panel.trajectory.impacts.first) == {"floor"}


def test_no_contact_on_the_command_line(scene, bounce, tmp_path, capsys):
    """Guards --no-contact and --contact: they say what the scene is to be, and the saved scene says it too."""
    path, out = tmp_path / "bounce.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    capsys.readouterr()
    assert run("bake", path, "-o", out, "--no-contact", "--json") == 0
    assert told(capsys)["impacts"] == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    assert not bpy.context.scene.limberjack.contact
    assert heights(bpy.context.scene, bpy.data.objects["cube"])[-1] < -20.0
    assert run("bake", out, "-o", tmp_path / "on.blend", "--contact", "--json") == 0
    assert told(capsys)["impacts"] >= 2


def test_a_bake_says_when_contact_has_changed(scene, bounce):
    """Guards the note that a bake is out of date: after the switch, after a surface, and not before."""
    bpy.ops.limberjack.simulate()
    assert out_of_date(scene, show_rig(scene).model) == ""
    scene.limberjack.contact = False
    assert out_of_date(scene, show_rig(scene).model) == "Contact was changed"
    scene.limberjack.contact = True
    link(bounce).surface.source = "CUSTOM"
    bounce.update_tag()
    bpy.context.view_layer.update()
    assert out_of_date(scene, show_rig(scene).model) == "links, joints or gravity were changed"


def test_surfaces_of_links_shapes_and_materials(scene, build):
    """Guards who says how a shape touches: the shape, else its link, else the link's material; and layers together."""
    base, part = build.cube("base"), build.cube("part", (0.0, 0.0, 2.0))
    part.parent = base
    build.tag(base)
    touches = lambda: {shape.name: shape for shape in read_scene(scene).links[0].collisions}  # noqa: E731
    assert touches()["base_collision"].surface is None  # of water, by which nothing is known of a shape
    link(base).material = "ice"
    assert touches()["base_collision"].surface.friction == touches()["part_collision"].surface.friction == 0.03
    link(base).surface.source, link(base).surface.friction = "CUSTOM", 0.7
    link(base).surface.layers[3] = False
    link(part).surface.source, link(part).surface.restitution = "CUSTOM", 0.25
    link(part).surface.use_static_friction, link(part).surface.static_friction = True, 1.5
    link(part).surface.layers[0] = False
    own, others = touches()["base_collision"], touches()["part_collision"]
    assert (own.surface.friction, own.layers) == (0.7, 0xFFFF - 8)
    assert (others.surface.friction, others.surface.static_friction, others.surface.restitution) == (1.0, 1.5, 0.25)
    assert others.layers == 0xFFFF - 9
    link(base).collides = False
    assert touches() == {}


def test_many_surfaces_at_once(scene, build):
    """Guards presets and copies: all that is selected gets them, shapes and links alike, and nothing else."""
    cubes = [build.cube(f"cube{number}", (3.0 * number, 0, 0)) for number in range(4)]
    build.tag(*cubes)
    build.select(*cubes[:3])
    assert bpy.ops.limberjack.surface_preset(material="steel") == {"FINISHED"}
    frictions = {each.name: each.collisions[0].surface for each in read_scene(scene).links}
    assert [frictions[f"cube{number}"] and frictions[f"cube{number}"].friction for number in range(4)] == [
        *(0.6, 0.6, 0.6),
        None,
    ]
    link(cubes[3]).surface.source, link(cubes[3]).surface.friction = "CUSTOM", 0.9
    link(cubes[3]).self_collide = True
    build.select(cubes[0], cubes[3])
    assert bpy.ops.limberjack.surface_copy() == {"FINISHED"}
    found = {each.name: each for each in read_scene(scene).links}
    assert found["cube0"].collisions[0].surface.friction == 0.9
    assert found["cube0"].self_collide
    assert found["cube1"].collisions[0].surface.friction == 0.6


def test_pairs_of_links(scene, build):
    """Guards Never Collide and Always Collide, what becomes of a pair whose link is deleted, and renaming."""
    cubes = [build.cube(f"cube{number}", (3.0 * number, 0, 0)) for number in range(3)]
    build.tag(*cubes)
    build.select(*cubes)
    assert bpy.ops.limberjack.contact_pair_add(how="PASS") == {"FINISHED"}
    assert len(read_scene(scene).contact_pairs) == 3
    build.select(*cubes[:2])
    bpy.ops.limberjack.contact_pair_add(how="MEET")
    cubes[0].name = "renamed"
    said = {frozenset((pair.a, pair.b)): pair.meets for pair in read_scene(scene).contact_pairs}
    assert said == {
        frozenset(("renamed", "cube1")): True,
        frozenset(("renamed", "cube2")): False,
        frozenset(("cube1", "cube2")): False,
    }
    bpy.data.objects.remove(cubes[2])
    assert len(read_scene(scene).contact_pairs) == 1
    scene.limberjack.pair = 0
    assert bpy.ops.limberjack.contact_pair_remove() == {"FINISHED"}


def test_a_box_on_the_joint_lets_its_links_collide(scene, build, tmp_path):
    """Guards whoever sees two joined links pass through each other: the box says the same as Always Collide in the list
    of pairs, unticking it leaves Never Collide alone, and it is saved."""
    bars, (to_world, between) = build.pendulum()
    assert "collide_ends" in draw(between).props
    joint = between.limberjack_joint
    assert not joint.collide_ends
    joint.collide_ends = True
    assert joint.collide_ends
    (pair,) = read_scene(scene).contact_pairs
    assert ({pair.a, pair.b}, pair.meets) == ({bar.name for bar in bars}, True)
    path = str(tmp_path / "pair.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)
    scene = bpy.context.scene
    joint, to_world = (bpy.data.objects[obj].limberjack_joint for obj in ("bar1_joint", "bar0_joint"))
    assert joint.collide_ends
    joint.collide_ends = False
    assert not read_scene(scene).contact_pairs
    build.select(joint.parent, joint.child)
    bpy.ops.limberjack.contact_pair_add(how="PASS")
    assert not joint.collide_ends
    joint.collide_ends = False
    assert [pair.meets for pair in read_scene(scene).contact_pairs] == [False]
    bpy.ops.limberjack.contact_pair_add(how="MEET")
    assert joint.collide_ends, "the list of pairs and the box contradict each other"
    to_world.collide_ends = True  # it has one link, so there is nothing to collide with
    assert not to_world.collide_ends
    assert "collide_ends" not in draw(to_world.id_data).props


def test_the_ground(scene, build):
    """Guards the switch Ground: a cube falls onto the world's z = 0 and stays, with the ground's own surface."""
    cube = build.cube("ground", (0.0, 0.0, 1.0), 1.0, rotation_euler=(0.0, 0.0, 0.4))
    build.tag(cube)
    scene.limberjack.ground = True
    surface = scene.limberjack.ground_surface
    surface.source, surface.friction = "CUSTOM", 0.35
    model = read_scene(scene)
    assert len(model.links) == 2
    floor = next(each for each in model.links if each.name != "ground")
    assert floor.collisions[0].surface.friction == 0.35
    assert show_rig(scene).problems == []
    bpy.ops.limberjack.simulate()
    assert heights(scene, cube)[-1] == pytest.approx(0.5, abs=1e-6)
    assert len(SimulationBake(scene, overwrite=True).reading.objects) == 1


def test_impacts_as_markers(scene, bounce):
    """Guards Mark Impacts: one marker for each blow, at the frames of the closed form; a second press adds none."""
    bpy.ops.limberjack.simulate()
    for _ in range(2):
        assert bpy.ops.limberjack.impact_markers() == {"FINISHED"}
    fall = math.sqrt(4.0 / 9.81)
    wanted = [fall, fall * (1 + 2 * RUBBER), fall * (1 + 2 * RUBBER + 2 * RUBBER**2)]
    frames = [marker.frame for marker in sorted(scene.timeline_markers, key=lambda marker: marker.frame)]
    assert frames == [round(1 + 24 * time) for time in wanted if 1 + 24 * time < 60]
    assert all("cube, floor" in marker.name for marker in scene.timeline_markers)


def test_surfaces_that_are_set_on_the_command_line(scene, bounce, tmp_path, capsys):
    """Guards --set LINK.restitution of a scene: it acts, and the saved scene keeps it."""
    path, out = tmp_path / "bounce.blend", tmp_path / "out.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    assert run("bake", path, "-o", out, "--set", "cube.restitution=0", "--set", "floor.friction=0.2") == 0
    bpy.ops.wm.open_mainfile(filepath=str(out))
    found = {each.name: each.collisions[0].surface for each in read_scene(bpy.context.scene).links}
    assert (found["cube"].restitution, found["cube"].friction, found["floor"].friction) == (0.0, 1.0, 0.2)
    assert heights(bpy.context.scene, bpy.data.objects["cube"])[-1] == pytest.approx(0.5, abs=1e-6)


def test_overlapping_links_are_problems_with_buttons(scene, build):
    """Guards what starts inside of something else: it is told, and each button ends that."""
    floor, cube = build.cube("floor", (0.0, 0.0, -1.0), scale=(5.0, 5.0, 1.0)), build.cube("cube", (0, 0, 0.3), 1.0)
    build.select(floor)
    bpy.ops.limberjack.collider_add()
    build.tag(cube)
    codes = lambda: [item.code for item in show_rig(scene).problems]  # noqa: E731
    assert codes() == ["overlapping"]
    (name,) = [item.name for item in show_rig(scene).problems]
    bpy.ops.limberjack.problem_mend(name=name, code="overlapping", label="Leave Pair Out")
    assert codes() == []
    scene.limberjack.pairs.clear()
    assert codes() == ["overlapping"]
    bpy.ops.limberjack.problem_mend(name=name, code="overlapping", label="Move Apart")
    assert codes() == []
    assert cube.location.z == pytest.approx(0.5, abs=1e-4)
    assert tuple(floor.location) == (0.0, 0.0, -1.0)


def test_what_overlaps_may_be_made_smaller(scene, build):
    """Guards Shrink: the smaller link's shapes give way about their middles, its look and its place stay."""
    floor, cube = build.cube("floor", (0.0, 0.0, -1.0), scale=(5.0, 5.0, 1.0)), build.cube("cube", (0, 0, 0.4), 1.0)
    build.select(floor)
    bpy.ops.limberjack.collider_add()
    build.tag(cube)
    codes = lambda: [item.code for item in show_rig(scene).problems]  # noqa: E731
    assert codes() == ["overlapping"]
    (name,) = [item.name for item in show_rig(scene).problems]
    assert bpy.ops.limberjack.problem_mend(name=name, code="overlapping", label="Shrink") == {"FINISHED"}
    assert codes() == []
    (shape,) = cube.children
    assert max(shape.dimensions) == pytest.approx(0.8, abs=1e-3)
    assert tuple(shape.matrix_world.translation) == pytest.approx((0.0, 0.0, 0.4), abs=1e-6)
    assert tuple(cube.dimensions) == (1.0, 1.0, 1.0)
    assert cube.location.z == pytest.approx(0.4)


def test_what_is_deep_in_another_is_not_made_smaller(scene, build):
    """Guards Shrink where it would leave next to nothing: a line says so, and no shape is made."""
    floor, cube = build.cube("floor", (0.0, 0.0, -1.0), scale=(5.0, 5.0, 1.0)), build.cube("cube", (0, 0, 0.1), 1.0)
    build.select(floor)
    bpy.ops.limberjack.collider_add()
    build.tag(cube)
    (name,) = [item.name for item in show_rig(scene).problems]
    with pytest.raises(RuntimeError, match="link 'cube' is in others by more than a quarter of its size"):
        bpy.ops.limberjack.problem_mend(name=name, code="overlapping", label="Shrink")
    assert not cube.children


def test_a_filled_hollow_is_a_problem_with_a_button(scene, build):
    """Guards a bowl that would act as if it were full: it is told how much fuller, and the button ends that."""
    vertices, faces = SHAPES["U"]
    mesh = bpy.data.meshes.new("channel")
    mesh.from_pydata(vertices.tolist(), [], [list(map(int, face)) for face in faces])
    channel = bpy.data.objects.new("channel", mesh)
    scene.collection.objects.link(channel)
    bpy.context.view_layer.update()
    build.tag(channel)
    hollow = lambda: [item for item in show_rig(scene).problems if item.code == "hollow-filled"]  # noqa: E731
    (told,) = hollow()
    assert (told.severity, told.name) == ("note", "channel")
    assert "has 29 % more volume" in told.message  # 9 cells, of which 2 are empty
    link(channel).motion = "KINEMATIC"
    assert hollow() == []
    link(channel).motion = "FREE"
    scene.limberjack.contact = False
    assert hollow() == []
    scene.limberjack.contact = True
    assert bpy.ops.limberjack.problem_mend(name="channel", code="hollow-filled") == {"FINISHED"}
    assert hollow() == []
    assert len(channel.children) > 1


def test_forces_that_are_drawn(scene, build):
    """Guards the overlay: at rest, the forces on a cube that is drawn hold its weight, and stand where it touches."""
    cube = build.cube("cube", (0.0, 0.0, 0.5), 1.0)
    build.tag(cube)
    scene.limberjack.ground = True
    bpy.ops.limberjack.simulate()
    baked = last_run(scene)
    points, forces = baked.touching_at(baked.number_at(20))
    assert forces.sum(axis=0) == pytest.approx((0.0, 0.0, 9810.0), rel=1e-6, abs=1e-3)
    assert np.abs(points[:, :2]).max() <= 0.5 + 1e-9
    lines = segments(baked, 20.0)
    assert len(lines) == 4 * len(points)
    assert np.abs(lines[-len(points) :, 1, 2] - lines[-len(points) :, 0, 2]).max() > 0.3
    assert segments(baked, 400.0).shape == (0, 2, 3)
    bpy.ops.limberjack.bake_clear()
    shown = preview.begin(scene)
    shown.motion.compute(10, 5.0)
    shown.tick(0.04)
    played = last_run(scene)
    assert played.touching_at(3)[1].sum(axis=0) == pytest.approx((0.0, 0.0, 9810.0), rel=1e-6, abs=1e-3)
    shown.stop()
    preview.end()


def channels(scene, build, count):
    """Links whose meshes are a U, one wider than the other."""
    vertices, faces = SHAPES["U"]
    made = []
    for number in range(count):
        mesh = bpy.data.meshes.new("channel")
        mesh.from_pydata((np.asarray(vertices) * (1.0 + 0.1 * number)).tolist(), [], np.asarray(faces).tolist())
        made.append(bpy.data.objects.new(f"channel{number}", mesh))
        made[-1].location.x = 10.0 * number
        scene.collection.objects.link(made[-1])
    bpy.context.view_layer.update()
    build.tag(*made)
    return made


def test_many_filled_hollows_are_one_problem(scene, build):
    """Guards hands of many fingers: one entry with a count and names, whose buttons select and divide all of them.

    A link that collides with chosen objects is left as it is.
    """
    made = channels(scene, build, 5)
    hollow = lambda: [item for item in show_rig(scene).problems if "hollow-filled" in item.code]  # noqa: E731
    (told,) = hollow()
    assert (told.severity, told.code, told.name) == ("note", "many-hollow-filled", "")
    assert told.message.startswith("the meshes of 5 links move, ")
    assert "'channel0' by 29 %, 'channel1' by 29 %, 'channel2' by 29 % and 2 more; " in told.message
    assert told.names == tuple(obj.name for obj in made)
    build.select()
    assert bpy.ops.limberjack.problem_mend(code="many-hollow-filled", label="Select Them") == {"FINISHED"}
    assert set(bpy.context.selected_objects) == set(made)
    assert bpy.ops.limberjack.problem_mend(code="many-hollow-filled", label="Convex Pieces") == {"FINISHED"}
    assert not hollow()
    assert all(len(obj.children) > 1 for obj in made)
    link(made[0]).motion = link(made[1]).motion = "STATIC"
    assert not hollow()


def test_three_filled_hollows_are_three_problems(scene, build):
    """Guards the limit: up to three stand by themselves, each with its button."""
    made = channels(scene, build, 3)
    found = [item.name for item in show_rig(scene).problems if item.code == "hollow-filled"]
    assert found == [obj.name for obj in made]


def stack(build, count):
    """Cubes of 1 m on a floor, each 0.1 m too low, so that it is in the one below."""
    floor = build.cube("floor", (0.0, 0.0, -0.5), 1.0)
    cubes = [build.cube(f"cube{i:02}", (0.0, 0.0, 0.4 + 0.9 * i), 1.0) for i in range(count)]
    build.tag(floor, *cubes)
    link(floor).motion = "STATIC"
    return floor, cubes


def test_many_overlaps_are_one_problem(scene, build):
    """Guards a pile of links: one entry with a count, which selects them all, and moves them apart at once."""
    floor, cubes = stack(build, 12)
    (problem,) = [problem for problem in show_rig(scene).problems if "overlapping" in problem.code]
    assert (problem.code, problem.name) == ("many-overlapping", "")
    assert problem.message.startswith("12 pairs of links overlap where they start: ")
    assert problem.message.count(" by 100 mm") == 3
    assert " and 9 more; " in problem.message
    assert show_rig(scene).troubled >= {"floor", *(cube.name for cube in cubes)}
    bpy.ops.limberjack.problem_mend(code="many-overlapping", label="Select Them")
    assert set(bpy.context.selected_objects) == {floor, *cubes}
    bpy.ops.limberjack.problem_mend(code="many-overlapping", label="Move Apart")
    assert not [problem for problem in show_rig(scene).problems if "overlapping" in problem.code]
    heights = [cube.matrix_world.translation.z for cube in cubes]
    assert heights == pytest.approx([0.5 + i for i in range(12)], abs=1e-3)


def test_jammed_links_stay(scene, build):
    """Guards links that cannot all be moved: none is, and it is said how many pairs are left."""
    floor, cubes = stack(build, 5)
    for cube in cubes:
        link(cube).motion = "STATIC"
    cubes[2].parent = floor
    link(cubes[4]).motion = "FREE"
    build.join(cubes[4])
    before = [cube.matrix_world.copy() for cube in cubes]
    with pytest.raises(RuntimeError, match="jammed, joined or held"):
        bpy.ops.limberjack.problem_mend(code="many-overlapping", label="Move Apart")
    assert [cube.matrix_world for cube in cubes] == before
