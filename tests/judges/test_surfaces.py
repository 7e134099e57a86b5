# SPDX-License-Identifier: GPL-3.0-or-later
"""How collisions touch, as Drake reads it in what we write, and as libsdformat turns our URDF into SDF."""

import json
import shutil
import subprocess
from pathlib import Path
from xml.etree import ElementTree

import pytest

from limberjack.core.formats import write
from limberjack.core.geometry import Box, Shape, Surface
from limberjack.core.model import Link, Model
from support.judges import PYTHON, needs_python_judges

SURFACES = {
    "plain": Surface(0.3),
    "sticky": Surface(0.3, 0.4),
    "soft": Surface(0.5, stiffness=2e5, dissipation=0.7),
    "rigid": Surface(0.5, stiffness=1e12),
    "silent": None,
}
EXPECTED = {
    "plain": [0.3, 0.3, None, None],
    "sticky": [0.4, 0.3, None, None],
    "soft": [0.5, 0.5, 0.7, 2e5],
    "rigid": [0.5, 0.5, None, None],
}
IGN = shutil.which("ign")


def model():
    shapes = [Shape(name, Box((1.0, 1.0, 1.0)), surface=surface) for name, surface in SURFACES.items()]
    return Model("m", [Link("a", collisions=shapes)])


@needs_python_judges
@pytest.mark.parametrize("suffix", [".sdf", ".urdf"])
def test_drake_reads_what_we_say_of_surfaces(tmp_path, suffix):
    """Guards SDF's mu and mu2, which Drake takes for static and sliding friction, and its own words in both formats."""
    path = tmp_path / f"m{suffix}"
    write(model(), path)
    program = [PYTHON, Path(__file__).with_name("drake_surfaces.py"), path]
    done = subprocess.run(program, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    assert {name: found[name] for name in EXPECTED} == EXPECTED
    assert found["silent"][2:] == [None, None]


@pytest.mark.skipif(IGN is None, reason="judges not installed (make judges): no ign")
def test_libsdformat_reads_gazebos_words_of_our_urdf(tmp_path):
    """Guards mu1, mu2, kp and selfCollide, by the SDF that Gazebo makes of a URDF."""
    robot = model()
    (a,) = robot.links
    a.collisions, a.self_collide = [Shape("c", Box((1.0, 1.0, 1.0)), surface=Surface(0.3, stiffness=2e5))], True
    write(robot, tmp_path / "m.urdf")
    done = subprocess.run([IGN, "sdf", "-p", tmp_path / "m.urdf"], capture_output=True, text=True, check=True)
    link = ElementTree.fromstring(done.stdout[done.stdout.index("<sdf") :]).find("model/link")
    assert link.findtext("self_collide") in ("1", "true")
    surface = link.find("collision/surface")
    read = {tag: float(surface.findtext(at)) for tag, at in (("mu", "friction/ode/mu"), ("mu2", "friction/ode/mu2"))}
    assert read == {"mu": 0.3, "mu2": 0.3}
    assert float(surface.findtext("contact/ode/kp")) == 2e5


@pytest.mark.skipif(IGN is None, reason="judges not installed (make judges): no ign")
def test_libsdformat_takes_our_surfaces(tmp_path):
    """Guards each element of <surface> against libsdformat's own description of the format."""
    robot = model()
    robot.links[0].collisions.append(
        Shape("all", Box((1.0, 1.0, 1.0)), surface=Surface(0.5, 0.6, 0.3, 2e5, 0.1, 0.0, 0.02), layers=2, meets=0xFF)
    )
    robot.links[0].self_collide = True
    write(robot, tmp_path / "m.sdf")
    done = subprocess.run([IGN, "sdf", "-k", tmp_path / "m.sdf"], capture_output=True, text=True, check=False)
    assert "Valid" in done.stdout
    told = [line for line in (done.stdout + done.stderr).splitlines() if "Warning" in line or "Error" in line]
    assert told == []
