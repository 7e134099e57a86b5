# SPDX-License-Identifier: GPL-3.0-or-later
"""`--json` with Blender: one documented object on stdout at each exit, also inside Blender."""

from pathlib import Path

import bpy
import pytest

from limberjack.addon.cli import main, main_inside_blender
from limberjack.core.simulation import Simulation, SimulationError
from support.output_schema import validated

from .samples import SAMPLES

PENDULUM = SAMPLES / "double_pendulum.blend"
MOTION = ["--frames", "1", "5"]


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (0, ["info", PENDULUM]),
        (0, ["check", PENDULUM]),
        (0, ["convert", PENDULUM, "out.sdf"]),
        (0, ["simulate", PENDULUM, "--duration", "0.1"]),
        (0, ["bake", PENDULUM, "-o", "out.blend", "-o", "out.npz", *MOTION]),
        (0, ["record", PENDULUM, "-o", "out.csv", *MOTION]),
        (1, ["bake", PENDULUM, "-o", "out.npz", "--initial", "bad.json", *MOTION]),
        (2, ["bake", PENDULUM]),
        (2, ["bake", PENDULUM, "-o", "out.npz", "--onto", "paper"]),
        (2, ["bake", PENDULUM, "-o", "out.npz", "--frames", "5", "1"]),
        (2, ["bake", "nowhere.blend", "-o", "out.npz"]),
        (2, ["record", "nowhere.blend", "-o", "out.npz"]),
        (2, ["record", PENDULUM, "-o", "out.npz", "--joints"]),
        (2, ["ragdoll", PENDULUM, "-o", "out.blend"]),
        (2, ["ragdoll", PENDULUM, "--armature", "Rig", "-o", "out.blend"]),
    ],
    ids=lambda value: " ".join(Path(word).name for word in value) if isinstance(value, list) else str(value),
)
def test_each_exit_prints_one_object(tmp_path, monkeypatch, capfd, code, words):
    """Guards pipelines that parse stdout: every code of Blender's verbs gives one object, and Blender adds nothing."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.json").write_text('{"q": {"nobody": 1}}')
    capfd.readouterr()
    assert main([*map(str, words), "--json"]) == code
    validated(words[0], code, capfd.readouterr().out)


def test_a_bake_replayed_or_failed_prints_one_object(tmp_path, monkeypatch, capfd):
    """Guards the object of a replay, which has no report of a solver, and of a bake whose simulation fails."""
    monkeypatch.chdir(tmp_path)
    assert main(["bake", str(PENDULUM), "-o", "motion.npz", *MOTION]) == 0
    capfd.readouterr()
    assert main(["bake", str(PENDULUM), "-o", "again.npz", "--trajectory", "motion.npz", "--json"]) == 0
    assert validated("bake", 0, capfd.readouterr().out)["source"] == "motion.npz"

    def fail(self, frames=None):
        yield 1
        raise SimulationError("link 'lower': lost at frame 2")

    monkeypatch.setattr(Simulation, "parts", fail)
    assert main(["bake", str(PENDULUM), "-o", "out.npz", *MOTION, "--json"]) == 3
    found = validated("bake", 3, capfd.readouterr().out)
    assert (found["error"], found["output"]) == ("link 'lower': lost at frame 2", None)


def test_inside_blender_it_is_the_same(monkeypatch, capsys):
    """Guards `blender -b FILE --command limberjack`: the open scene, the same object, and errors as objects too."""
    monkeypatch.setattr("limberjack.addon.cli.end_output", lambda: None)  # would close this process's stdout
    bpy.ops.wm.open_mainfile(filepath=str(PENDULUM))
    capsys.readouterr()
    assert main_inside_blender(["info", "--json"]) == 0
    assert validated("info", 0, capsys.readouterr().out)["joints"]
    assert main_inside_blender(["info", "--json", "--nonsense"]) == 2
    validated("info", 2, capsys.readouterr().out)
