# SPDX-License-Identifier: GPL-3.0-or-later
"""How the command ends: by itself once all is written, and at Ctrl-C at any moment, with nothing left half done."""

import signal
import subprocess
import sys
import time

import bpy
import numpy as np
import pytest

from limberjack.core.answer import INTERRUPTED, STOPPED
from support.batches import heed_the_keyboard
from support.cases import some
from support.output_schema import validated

from .samples import SAMPLES

CRANE = SAMPLES / "crane.blend"
PATIENCE = 120.0
STARTED = 0.15
"""Seconds after which Python itself has begun and our code is at work."""


def limberjack(*argv, **options):
    command = [sys.executable, "-m", "limberjack", *map(str, argv)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command, preexec_fn=heed_the_keyboard, **pipes, **options)


@pytest.fixture(scope="module")
def rigged(tmp_path_factory):
    """A scene with a driver in Python beside its machine, as ordinary rigs have them."""
    bpy.ops.wm.open_mainfile(filepath=str(CRANE))
    obj = bpy.data.objects[0]
    obj["dial"] = 1.0
    obj.driver_add('["dial"]').driver.expression = "len('abc') + noise.noise((frame, 0, 0))"
    path = tmp_path_factory.mktemp("rigged") / "rigged.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(path), copy=True)
    return path


@pytest.mark.parametrize("verb", some(["info", "check", "convert", "record", "bake"], ["info", "bake"]))
def test_it_ends_with_drivers_in_python(rigged, tmp_path, verb):
    """Guards pipelines: bpy never ends by itself over a driver in Python; all is written, and the code is right."""
    out = {"convert": tmp_path / "out.sdf", "record": tmp_path / "out.npz", "bake": tmp_path / "out.blend"}.get(verb)
    options = {"convert": [out], "record": ["-o", out], "bake": ["-o", out, "--frames", 1, 3]}.get(verb, [])
    child = limberjack(verb, rigged, *options)
    try:
        told, said = child.communicate(timeout=PATIENCE)
    finally:
        child.kill()
    assert child.returncode == 0, said
    assert out.stat().st_size > 0 if out else told
    assert "Freeing memory" not in said


def test_it_ends_with_its_code_where_blender_was_needed(rigged, tmp_path):
    """Guards exit codes on the way out: an error of the input, told once Blender is there, is no success."""
    child = limberjack("bake", rigged, "-o", tmp_path / "out.blend", "--set", "nobody.damping=1")
    _, said = child.communicate(timeout=PATIENCE)
    assert child.returncode == 2
    assert "nobody" in said


@pytest.mark.parametrize("after", some(np.arange(0.1, 3.0, 0.1).round(2).tolist(), [0.3, 0.9, 1.5]))
def test_ctrl_c_at_any_moment(tmp_path, after):
    """Guards the keyboard: 130, a line, an object of JSON, while Python, Blender or a file loads, or it computes."""
    child = limberjack("bake", CRANE, "-o", tmp_path / "out.blend", "--frames", 1, 100_000, "--json")
    time.sleep(after)
    child.send_signal(signal.SIGINT)
    told, said = child.communicate(timeout=PATIENCE)
    is_loading = "    from .core" in said  # a busy machine takes longer to come to what answers Ctrl-C
    if after > STARTED and not is_loading:
        assert said.splitlines()[-1:] == [STOPPED], said
        assert child.returncode == INTERRUPTED
        validated("bake", INTERRUPTED, told)
    else:  # Python's own way, which shells call 130 as well
        is_at_its_start = "import the site module" in said  # of Python itself, which then ends with 1
        assert child.returncode in (INTERRUPTED, -signal.SIGINT) or is_at_its_start, said
    assert list(tmp_path.iterdir()) == []
