# SPDX-License-Identifier: GPL-3.0-or-later
"""What `limberjack bake` writes, one file or several, and what its --json says of files."""

import json
import resource

import bpy
import numpy as np
import pytest

from limberjack.core import cli as core_cli
from limberjack.core.simulation import Simulation, SimulationError
from limberjack.core.trajectory.files.reading import read_trajectory

from .test_bake_files import OLD, limberjack, require_one_line
from .test_cli import PENDULUM, RAISED, SAMPLES, evaluated_poses, matrices, run, state_file

CRANE = SAMPLES / "crane.blend"


def outputs(folder, *names):
    """Paths, and the options that ask for them."""
    paths = [folder / name for name in names]
    return paths, [word for path in paths for word in ("-o", path)]


@pytest.mark.parametrize("step", [1, 0.5, 7])
def test_the_trajectory_is_that_of_the_keys(tmp_path, capsys, step):
    """Guards several outputs at once: at every frame with keys, Blender has the links where both files have them."""
    (blend, npz, table), asked = outputs(tmp_path, "a.blend", "b.npz", "c.csv")
    assert run("bake", CRANE, *asked, "--frames", 3, 30, "--step", step) == core_cli.DONE
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(": ")[0] for line in told] == [str(path) for path in (blend, npz, table)]
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    motion = read_trajectory(npz)
    frames = 3 + motion.times * 24
    assert np.allclose(np.append(np.arange(3, 30, step), 30), frames)
    scene, found = bpy.context.scene, []
    for frame in frames:
        scene.frame_set(int(frame), subframe=float(frame % 1))
        found.append([np.array(bpy.data.objects[name].matrix_world) for name in motion.link_names])
    assert np.abs(np.array(found) - matrices(motion.X_WL)).max() < 1e-5
    assert np.ptp(motion.X_WL[..., :3], axis=0).max() > 0.01
    assert np.array_equal(read_trajectory(table).X_WL, motion.X_WL)


def test_a_trajectory_alone(tmp_path):
    """Guards a bake that is only measured: the numbers of `simulate` on the same file, and no .blend."""
    state = state_file(tmp_path, RAISED)
    (ours, theirs), _ = outputs(tmp_path, "ours.npz", "theirs.npz")
    assert run("bake", PENDULUM, "-o", ours, "--initial", state, "--frames", 1, 25) == core_cli.DONE
    assert run("simulate", PENDULUM, "-o", theirs, "--initial", state, "--duration", 1) == core_cli.DONE
    assert np.array_equal(read_trajectory(ours).q, read_trajectory(theirs).q)
    assert not list(tmp_path.glob("*.blend"))


def test_a_replayed_trajectory(tmp_path):
    """Guards --trajectory: what is written is the motion as it was replayed, at the scene's frames."""
    (coarse, fine, blend), _ = outputs(tmp_path, "coarse.csv", "fine.npz", "out.blend")
    coarse.write_text("time,shoulder,elbow\n0,0,0\n2,1,-0.5\n")
    assert run("bake", PENDULUM, "--trajectory", coarse, "-o", fine, "-o", blend) == core_cli.DONE
    motion = read_trajectory(fine)
    assert len(motion) == 49
    assert motion.q[[0, 24, 48]] == pytest.approx(np.array([[0.0, 0.0], [0.5, -0.25], [1.0, -0.5]]))
    bpy.ops.wm.open_mainfile(filepath=str(blend))
    found = evaluated_poses(motion.link_names, range(1, 50))
    assert np.abs(found - matrices(motion.X_WL)).max() < 1e-5


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("nowhere/b.npz", "nowhere'; make it first"),
        ("b.sdf", "must end in .blend or .npz or .csv or .json, found '.sdf'"),
    ],
)
def test_a_bad_second_output_is_told_before_any_work(tmp_path, capsys, monkeypatch, second, words):
    """Guards an hour of simulating: it does not even begin."""
    monkeypatch.setattr(Simulation, "parts", lambda *_: pytest.fail("it began"))
    _, asked = outputs(tmp_path, "a.blend", second)
    assert run("bake", CRANE, *asked) == core_cli.UNUSABLE
    assert words in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_all_outputs_or_none(tmp_path):
    """Guards a disk that has room for the first file only: neither appears, and what was there stays."""
    (table, blend), asked = outputs(tmp_path, "a.csv", "b.blend")
    argv = ["bake", PENDULUM, "--frames", 1, 3]
    assert limberjack(*argv, "-o", table).returncode == core_cli.DONE
    room = table.stat().st_size
    table.write_bytes(OLD)
    full = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (room, room))}
    require_one_line(limberjack(*argv, *asked, **full), f"{blend}: error unwritable: cannot be saved: ")
    assert list(tmp_path.iterdir()) == [table]
    assert table.read_bytes() == OLD
    assert limberjack(*argv, "-o", table, **full).returncode == core_cli.DONE


def test_files_of_a_bake(tmp_path, capsys):
    """Guards --json for pipelines: all that was read, and all that was written."""
    state, motion = state_file(tmp_path, RAISED), tmp_path / "motion.csv"
    motion.write_text("time,shoulder,elbow\n0,0,0\n1,1,0\n")
    (blend, npz), asked = outputs(tmp_path, "a.blend", "b.npz")
    assert run("bake", PENDULUM, *asked, "--initial", state, "--frames", 1, 3, "--json") == core_cli.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["inputs"] == [str(PENDULUM), str(state)]
    assert (told["output"], told["outputs"]) == (str(blend), [str(blend), str(npz)])
    assert run("bake", PENDULUM, "-o", npz, "--trajectory", motion, "--json") == core_cli.DONE
    told = json.loads(capsys.readouterr().out)
    assert told["inputs"] == [str(PENDULUM), str(motion)]
    assert told["output"] == str(npz)


def link_collection(path, name):
    """Link a collection of another file into the scene that is open."""
    with bpy.data.libraries.load(str(path), link=True, relative=True) as (_, wanted):
        wanted.collections = [name]
    return next(found for found in bpy.data.collections if found.name == name and found.library)


def test_libraries_of_a_scene_are_inputs(scene, build, tmp_path, capsys):
    """Guards a farm that copies what a shot needs: the libraries that it uses, and those that they use."""
    folder = tmp_path / "kits"
    folder.mkdir()
    inner, outer, shot = folder / "inner.blend", folder / "outer.blend", tmp_path / "shot.blend"
    for path, name, source in ((inner, "bolts", None), (outer, "kit", inner)):
        kit = bpy.data.collections.new(name)
        bpy.context.scene.collection.children.link(kit)
        kit.objects.link(bpy.data.objects.new(f"of {name}", None))
        if source:
            kit.children.link(link_collection(source, "bolts"))
        bpy.ops.wm.save_as_mainfile(filepath=str(path))
        bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    build.pendulum(1)
    bpy.context.scene.collection.children.link(link_collection(outer, "kit"))
    bpy.ops.wm.save_as_mainfile(filepath=str(shot))
    capsys.readouterr()  # Blender's own words
    assert run("bake", shot, "-o", tmp_path / "out.npz", "--frames", 1, 3, "--json") == core_cli.DONE
    found = json.loads(capsys.readouterr().out)["inputs"]
    assert (found[0], sorted(found[1:])) == (str(shot), [str(inner), str(outer)])
    assert run("simulate", shot, "--duration", 0.1, "--json") == core_cli.DONE
    assert json.loads(capsys.readouterr().out)["inputs"] == found


def test_files_of_a_failed_bake(tmp_path, capsys, monkeypatch):
    """Guards --json where the simulation fails: what was read, and that nothing was written."""

    def fail(self, frames=None):
        yield 1
        raise SimulationError("link 'lower': lost at frame 2")

    monkeypatch.setattr(Simulation, "parts", fail)
    _, asked = outputs(tmp_path, "a.blend", "b.npz")
    assert run("bake", PENDULUM, *asked, "--json") == core_cli.SIMULATION_FAILED
    told = json.loads(capsys.readouterr().out)
    assert (told["inputs"], told["output"], told["outputs"]) == ([str(PENDULUM)], None, [])
    assert list(tmp_path.iterdir()) == []
