# SPDX-License-Identifier: GPL-3.0-or-later
"""Batches of jobs that need Blender: keys as of single commands, and workers that keep nothing from job to job."""

import json
import shutil
from pathlib import Path

import bpy
import numpy as np
import pytest

from limberjack.addon.cli import VERBS
from limberjack.core.batch.worker import Answer, Worker
from limberjack.core.cli import DONE, SIMULATION_FAILED, framework

pytestmark = pytest.mark.slow

SCENES = Path(__file__).parents[2] / "sample_scenes"
LONGEST = 120.0
BAKES = 50
MEGABYTE = 2**20


@pytest.fixture
def folder(tmp_path):
    """With a scene and the model that it shows."""
    for name in ("crane.blend", "crane.sdf"):
        shutil.copy(SCENES / name, tmp_path / name)
    return tmp_path


def _command(*argv: object) -> int:
    """One command, as a process of its own does it."""
    return framework.run_command(VERBS, [*map(str, argv)])


def _asked(worker: Worker, folder: Path, *argv: object) -> Answer:
    answer = worker.ask(folder, [*map(str, argv)], LONGEST)
    assert answer.code == DONE, answer.err
    return answer


@pytest.fixture
def workers():
    """Makes workers, and ends them."""
    made = []

    def make() -> Worker:
        made.append(Worker())
        return made[-1]

    yield make
    for worker in made:
        worker.close()


def _keys(path: Path) -> dict[tuple, bytes]:
    """Every key of every curve in a file, to the last bit, by slot, property and index."""
    bpy.ops.wm.open_mainfile(filepath=str(path), load_ui=False)
    found = {}
    for action in bpy.data.actions:
        for bag in action.layers[0].strips[0].channelbags:
            for curve in bag.fcurves:
                keys = np.empty(2 * len(curve.keyframe_points), np.float32)
                curve.keyframe_points.foreach_get("co", keys)
                found[bag.slot.identifier, curve.data_path, curve.array_index] = keys.tobytes()
    assert found
    return found


def test_keys_are_those_of_single_commands(folder, monkeypatch):
    """Guards the main promise: a scene and a model, swept, on two workers, have the very keys of commands by hand."""
    (folder / "JOBS.toml").write_text(
        'files = ["crane.blend", "crane.sdf"]\nname = "{number}"\noutputs = "out/{number}.blend"\n'
        '[bake]\nframes = [1, 8]\n[grid]\n"lift.damping" = [0.5, 2000]\n'
    )
    found = _bake_both_ways(folder, monkeypatch)
    assert len(found) == 4
    assert found[0] != found[1]
    assert found[2] != found[3]


def _bake_both_ways(folder: Path, monkeypatch) -> list[dict[tuple, bytes]]:
    """The keys of each job, which are those of its command by hand."""
    assert _command("batch", folder / "JOBS.toml", "--workers", 2) == DONE
    records = [json.loads(path.read_text()) for path in sorted((folder / "JOBS.records").iterdir())]
    monkeypatch.chdir(folder)
    found = []
    for record in records:
        ((_, verb, file, *options),) = record["commands"]
        (output,) = record["outputs"]
        options[options.index(output)] = single = f"single{record['name']}.blend"
        assert _command(verb, file, *options) == DONE
        found.append(_keys(folder / output))
        assert found[-1] == _keys(folder / single)
    return found


def test_what_touches_has_the_keys_of_single_commands(tmp_path, monkeypatch):
    """Guards contact in batches: two workers and a swept surface give the very keys of commands by hand."""
    shutil.copy(SCENES / "tumble.blend", tmp_path)
    (tmp_path / "JOBS.toml").write_text(
        'files = ["tumble.blend"]\nname = "{number}"\noutputs = "out/{number}.blend"\n'
        '[bake]\nframes = [1, 24]\n[grid]\n"pelvis.friction" = [0.1, 0.9]\n'
    )
    slippery, rough = _bake_both_ways(tmp_path, monkeypatch)
    assert slippery != rough


def test_a_worker_keeps_nothing_from_one_job_to_the_next(folder, workers):
    """Guards reuse: after scenes, models and failures of all kinds, each job gives what a fresh process gives."""
    jobs = {
        "a.blend": ("bake", "crane.blend", "-o", "a.blend", "--frames", 1, 8, "--set", "lift.damping=7"),
        "b.npz": ("simulate", "crane.sdf", "-o", "b.npz", "--duration", 0.5),
        "c.sdf": ("convert", "crane.blend", "c.sdf", "--set", "hook.mass=90"),
        "d.blend": ("bake", "crane.sdf", "-o", "d.blend", "--frames", 5, 9, "--accuracy", "draft"),
        "e.blend": ("bake", "crane.blend", "-o", "e.blend", "--frames", 1, 8),
    }

    def results() -> dict:
        text = {name: (folder / name).read_bytes() for name in ("b.npz", "c.sdf")}
        return text | {name: _keys(folder / name) for name in jobs if name.endswith(".blend")}

    for command in jobs.values():
        _asked(workers(), folder, *command)
    fresh = results()
    reused = workers()
    for order in (list(jobs), list(reversed(jobs))):
        assert reused.ask(folder, ["bake", "nothing.blend", "-o", "f.blend"], LONGEST).code != DONE
        failing = ["bake", "crane.blend", "-o", "f.blend", "--set", "lift.spring_stiffness=1e300"]
        assert reused.ask(folder, failing, LONGEST).code == SIMULATION_FAILED
        for name in order:
            _asked(reused, folder, *jobs[name])
        assert results() == fresh


def test_memory_of_a_worker_comes_to_an_end(folder, workers):
    """Guards long batches: the later half of fifty bakes adds next to nothing to what the earlier half has taken."""
    worker = workers()
    command = ("bake", "crane.blend", "-o", "out.blend", "--frames", 1, 8)
    memory = [_asked(worker, folder, *command).memory for _ in range(BAKES)]
    if memory[0] is None:
        pytest.skip("this system does not tell how much memory a process has had")
    assert memory[-1] - memory[BAKES // 2] < 10 * MEGABYTE, [round(taken / MEGABYTE) for taken in memory]
