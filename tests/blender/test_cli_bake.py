# SPDX-License-Identifier: GPL-3.0-or-later
"""The options of `limberjack bake`, and `limberjack record`, in the real bpy."""

import json
import math

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.addon.bake.receipts.staleness import out_of_date
from limberjack.addon.bridge.scene.read import read_scene
from limberjack.addon.nodes.animation import fcurves_of
from limberjack.core import cli as core_cli
from limberjack.core.formats import read
from limberjack.core.simulation import Simulation
from limberjack.core.trajectory.files.reading import read_trajectory

from .test_cli import PENDULUM, RAISED, SAMPLES, run, state_file


def opened(path):
    bpy.ops.wm.open_mainfile(filepath=str(path))
    return bpy.context.scene


def test_the_file_says_how_it_was_baked(tmp_path, capsys):
    """Guards that whoever opens the file finds the options in the panel, and the bake up to date."""
    out = tmp_path / "out.blend"
    options = ["--frames", 3, 60, "--step", 0.5, "--onto", "both", "--reduce", 1e-4, 0.05, "--accuracy", "exact"]
    assert run("bake", SAMPLES / "crane.blend", "-o", out, *options, "--json") == core_cli.DONE
    told = json.loads(capsys.readouterr().out)
    scene = opened(out)
    stored, receipt = scene.limberjack.bake, receipt_of(bake_of(scene))
    assert (stored.use_range, stored.first, stored.last, stored.step) == (True, 3, 60, 0.5)
    assert (stored.onto, stored.reduces, stored.angle) == ("BOTH", True, pytest.approx(math.radians(0.05)))
    assert scene.limberjack.accuracy == receipt.accuracy == "exact"
    assert told["keys"] == receipt.written < receipt.possible
    assert out_of_date(scene, read_scene(scene)) == ""


def test_a_baked_model_file_is_up_to_date(tmp_path):
    """Guards a bake of SDF, whose numbers have more digits than the scene that it becomes."""
    out = tmp_path / "out.blend"
    assert run("bake", PENDULUM, "-o", out, "--frames", 1, 20, "--set", "elbow.damping=0.123456789") == core_cli.DONE
    scene = opened(out)
    assert out_of_date(scene, read_scene(scene)) == ""


def test_from_a_pose(tmp_path):
    """Guards --start pose: what was posed and saved is where the motion begins."""
    scene = opened(SAMPLES / "crane.blend")
    bpy.ops.limberjack.bake_clear.poll() and bpy.ops.limberjack.bake_clear()
    joints = [obj for obj in scene.objects if obj.limberjack_joint.is_joint and obj.limberjack_joint.type == "revolute"]
    joints[0].limberjack_joint.coordinates[0].value_angle += 0.1
    bpy.context.view_layer.update()
    stood = {obj.name: np.array(obj.matrix_world) for obj in scene.objects if obj.limberjack_link.is_link}
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "posed.blend"))
    out = tmp_path / "out.blend"
    assert run("bake", tmp_path / "posed.blend", "-o", out, "--start", "pose", "--frames", 5, 9) == core_cli.DONE
    opened(out).frame_set(5)
    for name, matrix in stood.items():
        assert np.array(bpy.data.objects[name].matrix_world) == pytest.approx(matrix, abs=2e-6), name


def test_replay(tmp_path, capsys):
    """Guards --trajectory: what `simulate` wrote gives the keys that `bake` gives of the same model."""
    state = state_file(tmp_path, RAISED)
    motion, one, other = (tmp_path / name for name in ("motion.npz", "one.blend", "other.blend"))
    assert run("simulate", PENDULUM, "--duration", 2, "--initial", state, "-o", motion) == core_cli.DONE
    assert run("bake", PENDULUM, "-o", one, "--trajectory", motion) == core_cli.DONE
    assert run("bake", PENDULUM, "-o", other, "--initial", state, "--frames", 1, 49) == core_cli.DONE
    assert keys_in(one) == pytest.approx(keys_in(other), abs=1e-6)


def keys_in(path):
    links = sorted((obj for obj in opened(path).objects if obj.limberjack_link.is_link), key=lambda obj: obj.name)
    return np.array([tuple(point.co) for obj in links for curve in fcurves_of(obj) for point in curve.keyframe_points])


def test_record(tmp_path, capsys):
    """Guards `record`: the joint values of a bake are those of the simulation, whole and as joint curves."""
    baked, whole, curves = tmp_path / "baked.blend", tmp_path / "all.npz", tmp_path / "curves.csv"
    assert run("bake", PENDULUM, "-o", baked, "--initial", state_file(tmp_path, RAISED), "--frames", 1, 40) == 0
    assert run("record", baked, "-o", whole, "--frames", 1, 40) == core_cli.DONE
    assert run("record", baked, "-o", curves, "--frames", 1, 40, "--joints") == core_cli.DONE
    motion = Simulation(read(PENDULUM).model, np.arange(40) / 24, "good", RAISED).run()
    found = read_trajectory(whole)
    assert found.q_names == motion.q_names
    assert found.q == pytest.approx(motion.q, abs=1e-5)
    slopes = np.gradient(motion.q, motion.times, axis=0)
    assert found.qd[1:-1] == pytest.approx(slopes[1:-1], abs=1e-3)
    assert read_trajectory(curves).q == pytest.approx(motion.q, abs=1e-5)


def test_a_record_ends_with_the_motion(tmp_path, capsys):
    """Guards short bakes in long scenes: of the scene's 120 frames, those in which nothing moves are left out."""
    baked, motion = tmp_path / "baked.blend", tmp_path / "motion.npz"
    assert run("bake", PENDULUM, "-o", baked, "--initial", state_file(tmp_path, RAISED), "--frames", 1, 10) == 0
    bpy.ops.wm.open_mainfile(filepath=str(baked))
    bpy.context.scene.limberjack.bake.use_range, bpy.context.scene.frame_end = False, 120
    bpy.ops.wm.save_as_mainfile(filepath=str(baked))
    capsys.readouterr()
    assert run("record", baked, "-o", motion) == core_cli.DONE
    assert len(read_trajectory(motion)) == 10
    assert "nothing moves after frame 10" in capsys.readouterr().err
    assert run("record", baked, "-o", motion, "--frames", 1, 20) == core_cli.DONE
    assert len(read_trajectory(motion)) == 20


@pytest.mark.parametrize(
    ("argv", "code", "words"),
    [
        (["bake", PENDULUM, "-o", "{out}", "--step", 0], 2, "is not a number above 0"),
        (["bake", PENDULUM, "-o", "{out}", "--step", 1e-7], 2, "the least is 0.02"),
        (["bake", PENDULUM, "-o", "{out}", "--start", "pose", "--trajectory", "x.csv"], 2, "give one of them"),
        (["bake", PENDULUM, "-o", "{out}", "--trajectory", "{folder}/none.csv"], 2, "none.csv: no such file"),
        (["bake", PENDULUM, "-o", "{out}", "--reduce", 1, 0], 2, "is not a number above 0"),
        (["record", PENDULUM, "-o", "{folder}/x.npz", "--joints"], 2, "--joints writes a .csv"),
        (["record", PENDULUM, "-o", "{folder}/x.txt"], 2, "must end in .npz or .csv"),
    ],
)
def test_bad_use(tmp_path, capsys, argv, code, words):
    """Guards one clear line and the exit code, with nothing written."""
    out = tmp_path / "out.blend"
    assert run(*(str(word).format(out=out, folder=tmp_path) for word in argv)) == code
    told = capsys.readouterr().err
    assert words in told
    assert "Traceback" not in told
    assert list(tmp_path.iterdir()) == []


def test_a_motion_of_another_model(tmp_path, capsys):
    """Guards a wrong trajectory: named with its file, exit 1, nothing written."""
    path = tmp_path / "motion.csv"
    path.write_text("time,knee\n0,0\n1,1\n")
    assert run("bake", PENDULUM, "-o", tmp_path / "out.blend", "--trajectory", path) == core_cli.HAS_ERRORS
    told = capsys.readouterr().err
    assert "motion.csv: the model has no coordinate 'knee'" in told
    assert "Traceback" not in told
    assert not (tmp_path / "out.blend").exists()


def test_a_bake_that_takes_too_long_keeps_what_it_is_told_to(tmp_path, capsys):
    """Guards --time-limit: exit 3 and one sentence; nothing is written but with --keep-partial."""
    words = ["bake", PENDULUM, "-o", tmp_path / "out.npz", "--frames", 1, 100_000, "--time-limit", 0.3]
    assert run(*words) == core_cli.SIMULATION_FAILED
    assert "took longer than --time-limit 0.3 s: " in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert run(*words, "--keep-partial") == core_cli.SIMULATION_FAILED
    assert 1 < len(read_trajectory(tmp_path / "out.npz").times) < 100_000


def test_a_failed_bake_tells_what_it_reached(tmp_path, capsys, monkeypatch):
    """Guards --json where the simulation fails: the report of what was done, with the error, and exit 3."""
    from limberjack.core.simulation import SimulationError

    def fail(self, frames=None):
        yield 1
        raise SimulationError("link 'lower': lost at frame 2")

    monkeypatch.setattr(Simulation, "parts", fail)
    assert run("bake", PENDULUM, "-o", tmp_path / "out.blend", "--json") == core_cli.SIMULATION_FAILED
    told = json.loads(capsys.readouterr().out)
    assert told["error"] == "link 'lower': lost at frame 2"
    assert told["output"] is None
