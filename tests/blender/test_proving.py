# SPDX-License-Identifier: GPL-3.0-or-later
"""The comparison with other simulators in Blender, with a simulator that is made up."""

import json
import os
import sys
import time

import bpy
import pytest

from limberjack.addon import bridge, ids, preferences
from limberjack.addon.ops.files import proving
from limberjack.core.prove import judges
from limberjack.core.prove.comparing import behaviour_of

FAKE = """#!{python}
import json, sys, time
if sys.argv[1] == "-c":
    print(json.dumps(["mujoco"]))
    sys.exit()
if {hangs}:
    time.sleep(600)
json.dump({told}, open(sys.argv[3], "w"))
"""

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the simulator is a script with a first line of #!")


@pytest.fixture
def simulator(tmp_path, monkeypatch):
    """A function that installs a simulator by its answer."""
    monkeypatch.setattr(judges.shutil, "which", lambda name: None)
    monkeypatch.setattr(proving, "_found", {})

    def install(told, hangs=False):
        fake = tmp_path / "python"
        fake.write_text(FAKE.format(python=sys.executable, told=json.loads(json.dumps(told)), hangs=hangs))
        fake.chmod(0o755)
        monkeypatch.setattr(preferences._AT_FIRST, "judge_python", str(fake))

    return install


@pytest.fixture
def pendulum(build):
    """A scene with two links."""
    return build.pendulum()


def status():
    return getattr(bpy.context.window_manager, ids.STATUS)


def truth():
    """The right answer about the open scene."""
    found = behaviour_of(bridge.scene.read.read_scene(bpy.context.scene), 0.0)
    return {"version": "9.9", "masses": found.masses, "start": {name: [*pose] for name, pose in found.start.items()}}


def test_a_simulator_that_agrees(pendulum, simulator):
    """Guards the verdict, that what is absent is told with the way to install it, and that the scene is unchanged."""
    before = len(bpy.data.objects), len(bpy.data.meshes)
    simulator(truth())
    assert bpy.ops.limberjack.prove(seconds=0.0) == {"FINISHED"}
    assert "Drake was not found; to ask it: pip install drake" in status().notes
    assert "off" not in status().notes
    assert (len(bpy.data.objects), len(bpy.data.meshes)) == before


def test_a_simulator_that_differs(pendulum, simulator):
    """Guards the sentence about a mass that a simulator has otherwise: it names the file, the link and the figure."""
    told = truth()
    link = next(iter(told["masses"]))
    told["masses"][link] *= 1.5
    simulator(told)
    assert bpy.ops.limberjack.prove(seconds=0.0) == {"FINISHED"}
    assert f"model.xml in MuJoCo: the mass of link '{link}' differs by 50 %" in status().notes


def test_an_export_that_is_compared(pendulum, simulator, tmp_path):
    """Guards the option of the export dialog: the file is written, and the comparison is made."""
    simulator({"error": "it cannot be read"})
    path = tmp_path / "arm.sdf"
    assert bpy.ops.limberjack.export_sdf(filepath=str(path), compares=True) == {"FINISHED"}
    assert path.is_file()
    assert "MuJoCo has no model of model.xml: it cannot be read" in status().notes


def test_a_dialog_does_not_wait_for_simulators(pendulum, simulator):
    """Guards the search beside the window: nothing is known at first, and MuJoCo soon."""
    simulator({})
    assert proving.known_judges() == {}
    proving.look_for_judges()
    end = time.monotonic() + 60.0
    while not proving.known_judges() and time.monotonic() < end:
        time.sleep(0.01)
    assert [*proving.known_judges()] == ["MuJoCo"]


def test_esc_ends_a_simulator_that_hangs(pendulum, simulator):
    """Guards Esc: the thread and the process of the simulator end at once, and there is no result."""
    simulator({}, hangs=True)
    comparison = proving._Comparison(bridge.scene.read.read_scene(bpy.context.scene), 0.0, proving.judges())
    comparison.start()
    end = time.monotonic() + 60.0
    while not comparison.step.startswith("MuJoCo") and time.monotonic() < end:
        time.sleep(0.01)
    assert comparison.is_running
    comparison.stop()
    comparison._thread.join(10.0)
    assert not comparison.is_running
    assert (comparison.proof, comparison.error) == (None, None)


def test_an_error_of_the_program_is_told(pendulum, simulator, monkeypatch):
    """Guards what goes wrong in the thread: it is reported as an error of the operator."""
    simulator({})
    monkeypatch.setattr("limberjack.core.prove.proving.prove", lambda *_: 1 / 0)
    with pytest.raises(RuntimeError, match="division by zero"):
        bpy.ops.limberjack.prove(seconds=0.0)
