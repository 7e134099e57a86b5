# SPDX-License-Identifier: GPL-3.0-or-later
"""Joints that break under load: kept in a scene, shown, in Play, in bakes onto links and joints, and headless."""

import json

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.model_digest import _unanimated_joint_values
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.animation.animated import animated_inputs
from limberjack.addon.bridge.findings.problems import find_problems
from limberjack.addon.bridge.scene.read import read_scene, scan_scene
from limberjack.addon.bridge.scene.write import write_scene
from limberjack.addon.preview import session as previews
from limberjack.core import cli as core_cli
from limberjack.core.model import Joint, Link, Model

from .conftest import joint, link
from .paper import draw
from .test_bake_onto_joints import require_close
from .test_cli import run

G = 9.81
FPS = 24.0


def hanging_bar(scene, build, force, unit=1.0):
    """A bar of 2 kg and 2 units that two hinges hold at its ends; they bear `force` [N]."""
    scene.unit_settings.scale_length, scene.gravity.z = unit, -G / unit
    scene.render.fps, scene.frame_start, scene.frame_end = 24, 1, 13
    bar = build.cube("bar", size=1.0)
    bar.scale.x = 2.0
    build.tag(bar)
    link(bar).mass_source, link(bar).mass = "CUSTOM", 2.0
    link(bar).inertia = (1.0, 0.0, 0.0, 1.0, 0.0, 1.0)
    empties = []
    for x in (-1.0, 1.0):
        scene.cursor.location = (x, 0.0, 0.0)
        empties.append(build.join(bar, type="revolute", origin="CURSOR"))
        joint(empties[-1]).use_break_force, joint(empties[-1]).break_force = True, force
    return bar, empties


def depth(scene, bar, frame):
    """How far the bar has fallen at a frame [Blender units]."""
    scene.frame_set(frame)
    return -bar.evaluated_get(bpy.context.evaluated_depsgraph_get()).matrix_world.translation.z


@pytest.mark.parametrize("unit", [1.0, 0.01])
@pytest.mark.parametrize("onto", ["LINKS", "JOINTS", "BOTH"])
@pytest.mark.parametrize(("share", "breaks"), [(0.99, True), (1.01, False)])
def test_a_bake_breaks_at_the_load_of_statics(scene, build, unit, onto, share, breaks):
    """Guards the way from the panel to the keys, at any unit: half of the weight on each hinge, then a free fall."""
    bar, _ = hanging_bar(scene, build, share * G, unit)
    scene.limberjack.bake.onto = onto
    result = SimulationBake(scene, onto=onto).run()
    fall = 0.5 * G * 0.5**2 / unit if breaks else 0.0
    assert depth(scene, bar, 13) == pytest.approx(fall, rel=1e-4, abs=1e-5 / unit)
    told = [note for note in result.notes if "broke" in note]
    assert len(told) == (2 if breaks else 0)
    assert all("broke at the start, under 9.81 N (it bears 9.71" in note for note in told)
    assert scene.limberjack.last_notes.count("broke") == len(told)


def swinging(scene, build):
    """Two bars that swing down from level. The lower joint breaks on the way."""
    bars, empties = build.pendulum(2)
    joint(empties[1]).use_break_force, joint(empties[1]).break_force = True, 85.0
    for bar in bars:
        link(bar).mass_source, link(bar).mass, link(bar).inertia = "CUSTOM", 2.0, (0.2, 0.0, 0.0, 0.2, 0.0, 0.2)
    return bars, {"qd": {empty.name: 6.0 for empty in empties}}


@pytest.mark.parametrize("onto", ["JOINTS", "BOTH"])
def test_a_bake_onto_joints_plays_the_break(scene, build, onto):
    """Guards links that fly off while joints have the keys: Blender shows the simulated poses at every frame."""
    _, throw = swinging(scene, build)
    bake = SimulationBake(scene, initial=throw, onto=onto)
    bake.run()
    (broken,) = bake.simulation.breaks
    assert 1.0 < broken.frame < scene.frame_end
    assert require_close(scene, bake) > 0.1
    scene.frame_set(scene.frame_end)
    assert find_problems(scene, scan_scene(scene), []) == []


def test_play_breaks_as_the_bake_does(scene, build):
    """Guards Play: the same poses, and nothing left behind."""
    bar, _ = hanging_bar(scene, build, 0.99 * G)
    wanted = SimulationBake(scene).simulation.run()
    preview = previews.begin(scene)
    preview.tick(0.0)
    for _ in range(1000):
        preview.tick(1.0 / FPS)
        if preview.motion.done == 13:
            break
    shown = preview.motion.simulation
    assert np.array_equal(shown.trajectory.X_WL, wanted.X_WL)
    assert len(shown.breaks) == 2
    preview.stop()
    assert tuple(bar.location) == (0.0, 0.0, 0.0)


def test_a_scene_keeps_the_strengths(scene, tmp_path):
    """Guards import, saving and export: numbers in N and N m, whatever the unit of length; unset is endless."""
    scene.unit_settings.scale_length = 0.01
    weak = Joint("weak", "fixed", "world", "a", break_force=120.0, break_torque=7.5)
    objects, notes = write_scene(Model("m", [Link("a"), Link("b")], [weak, Joint("strong", "fixed", "a", "b")]), scene)
    assert notes == []
    assert (joint(objects["weak"]).break_force, joint(objects["weak"]).break_torque) == (120.0, 7.5)
    assert not (joint(objects["strong"]).use_break_force)
    assert not (joint(objects["strong"]).use_break_torque)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "m.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "m.blend"))
    again = read_scene(bpy.context.scene)
    assert (again.joint("weak").break_force, again.joint("weak").break_torque) == (120.0, 7.5)
    assert not again.joint("strong").is_breakable


def test_the_panel_shows_the_strengths(scene, build):
    """Guards the panel: both loads with their units, and their boxes."""
    _, empties = hanging_bar(scene, build, 5.0)
    paper = draw(empties[0])
    assert {"use_break_force", "break_force", "use_break_torque", "break_torque"} <= set(paper.props)


def test_a_keyed_strength_leaves_the_bake_up_to_date(scene, build):
    """Guards the digest of a bake: it does not depend on the frame that is shown, nor on strengths that are not set."""
    _, empties = hanging_bar(scene, build, 50.0)
    settings = joint(empties[0])
    for frame, force in ((1, 50.0), (13, 20.0)):
        settings.break_force = force
        settings.keyframe_insert("break_force", frame=frame)
    SimulationBake(scene).run()
    for frame in (1, 7, 13):
        scene.frame_set(frame)
        assert out_of_date(scene, read_scene(scene)) == "", frame


def test_bakes_of_older_versions_stay_up_to_date(scene, build):
    """Guards receipts: what is digested of a joint with keys has nothing of strengths that are not set."""
    _, empties = hanging_bar(scene, build, 50.0)
    joint(empties[0]).use_break_force = False
    joint(empties[0]).property_unset("break_force")
    joint(empties[0]).axes[0].keyframe_insert("damping", frame=1)
    values = [*_unanimated_joint_values(empties[0], animated_inputs(scene))]
    assert any(value.startswith("closes_loop ") for value in values)
    assert not [value for value in values if "break_" in value]


def test_headless_bakes_tell_what_broke(scene, build, tmp_path, capsys):
    """Guards pipelines: the report of `bake --json` names each joint and its load, and `simulate` does."""
    hanging_bar(scene, build, 0.99 * G)
    path = tmp_path / "bar.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path))
    for words in (["bake", path, "-o", tmp_path / "out.blend"], ["simulate", path, "--duration", 0.5]):
        capsys.readouterr()
        assert run(*words, "--json") == core_cli.DONE
        breaks = json.loads(capsys.readouterr().out)["breaks"]
        assert [each["force"] for each in breaks] == pytest.approx([G, G], rel=1e-6)
        assert [each["time"] for each in breaks] == [0.0, 0.0]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out.blend"))
    assert depth(bpy.context.scene, bpy.data.objects["bar"], 13) == pytest.approx(0.5 * G * 0.25, rel=1e-4)
