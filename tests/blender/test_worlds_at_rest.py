# SPDX-License-Identifier: GPL-3.0-or-later
"""A scene with a floor and links leaves as a world that libsdformat accepts, and comes to rest alike in Drake."""

import json
import shutil
import subprocess
from pathlib import Path

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.simulation_bake import SimulationBake
from limberjack.addon.bridge.scene.read import scan_scene
from limberjack.core.formats import write
from support.judges import PYTHON, needs_python_judges

from .conftest import joint, link

JUDGES = Path(__file__).parents[1] / "judges"
IGN = shutil.which("ign")
SECONDS = 8.0


@pytest.fixture
def yard(scene, build):
    """A block that is put down, a ball that rolls into a trough, and a flap on a hinge that falls onto a stone."""
    floor = build.cube("floor", (0.0, 0.0, -0.5), 1.0, scale=(10.0, 10.0, 1.0))
    stone = build.cube("stone", (0.6, 3.0, 0.2), 0.4)
    trough = [
        build.cube(
            f"side{sign}", (-3.0 + 0.5 * sign, 0.0, 0.3), 1.0, scale=(1.2, 1.0, 0.1), rotation_euler=(0, -0.5 * sign, 0)
        )
        for sign in (-1, 1)
    ]
    build.select(floor, stone, *trough)
    bpy.ops.limberjack.collider_add()
    block = build.cube("block", (0.0, -3.0, 0.253), 0.5, rotation_euler=(0.0, 0.0, 0.3))
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.2, location=(-2.8, 0.0, 1.0))
    ball = bpy.context.object
    ball.name = "ball"
    link(ball).primitive = "SPHERE"
    flap = build.cube("flap", (0.0, 3.0, 1.0), 1.0, scale=(1.0, 0.4, 0.05))
    for vertex in flap.data.vertices:
        vertex.co.x += 0.5
    bpy.context.view_layer.update()
    build.tag(block, ball, flap)
    hinge = build.join(flap)
    joint(hinge).axes[0].xyz = (0.0, 1.0, 0.0)
    joint(hinge).axes[0].damping = 0.5
    link(ball).surface.source, link(ball).surface.rolling_friction = "CUSTOM", 0.0
    scene.frame_end = 1 + int(SECONDS * 24)
    return scene


@pytest.fixture
def world(yard, tmp_path):
    """The world, exported."""
    model = scan_scene(yard, with_shapes=True, with_surroundings=True).model
    write(model, tmp_path / "yard.sdf", world=True)
    return tmp_path / "yard.sdf"


@pytest.mark.judges
@needs_python_judges
def test_drake_comes_to_rest_alike(yard, world):
    """Guards surfaces, floors and joints of exported worlds: Drake's rest is ours, within a millimetre."""
    run = SimulationBake(yard)
    run.run()
    program = [PYTHON, JUDGES / "drake_rest.py", world, str(SECONDS)]
    told = json.loads(subprocess.run(program, capture_output=True, text=True, check=True).stdout)
    assert told.pop("") < 0.01
    for name in ("block", "flap", "ball", "floor"):
        ours = run.trajectory.X_WL[-1, run.trajectory.link_names.index(name)]
        theirs = np.array(told[name])
        assert np.abs(ours[:3] - theirs[:3]).max() < 1e-3, name
        if name != "ball":  # which may have turned in any way
            assert abs(ours[3:] @ theirs[3:]) > 1.0 - 1e-5, name


@pytest.mark.judges
@pytest.mark.skipif(IGN is None, reason="judges not installed (make judges): no ign")
def test_libsdformat_takes_the_world(world):
    """Guards the world against libsdformat's own description of the format, without a warning."""
    done = subprocess.run([IGN, "sdf", "-k", world], capture_output=True, text=True, check=False)
    assert "Valid" in done.stdout
    assert [line for line in (done.stdout + done.stderr).splitlines() if "Warning" in line or "Error" in line] == []
