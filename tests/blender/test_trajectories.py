# SPDX-License-Identifier: GPL-3.0-or-later
"""A motion leaves a scene as a file, and a file comes in as a bake."""

import bpy
import numpy as np
import pytest

from limberjack.addon.bake.receipts.receipt import receipt_of
from limberjack.addon.bake.receipts.restore import bake_of
from limberjack.core.trajectory.files.reading import read_trajectory

from .test_bake import bake, require_exact


def test_there_and_back(scene, build, tmp_path):
    """A bake that is exported, cleared and imported again moves the links as before."""
    build.pendulum(2)
    run = bake(scene)
    path = tmp_path / "motion.csv"
    bpy.ops.limberjack.export_trajectory(filepath=str(path), kind="CSV")
    bpy.ops.limberjack.bake_clear()
    bpy.ops.limberjack.import_trajectory(filepath=str(path))
    require_exact(scene, run)
    assert receipt_of(bake_of(scene)).source == "motion.csv"


def test_joint_curves(scene, build, tmp_path):
    """Joint positions alone bring the motion back, and are those of the simulation."""
    build.pendulum(2)
    run = bake(scene)
    path = tmp_path / "curves.csv"
    bpy.ops.limberjack.export_trajectory(filepath=str(path), kind="JOINTS")
    assert path.read_text().splitlines()[0] == "time [s],bar0_joint [rad],bar1_joint [rad]"
    motion = read_trajectory(path)
    assert motion.q == pytest.approx(run.trajectory.q, abs=1e-5)
    bpy.ops.limberjack.bake_clear()
    bpy.ops.limberjack.import_trajectory(filepath=str(path))
    require_exact(scene, run)


def test_a_log_of_a_controller(scene, build, tmp_path):
    """A table with bare names, degrees and another rate is replayed over as many frames as it lasts."""
    bars, _ = build.pendulum(1)
    path = tmp_path / "log.csv"
    times = np.arange(0.0, 2.0001, 0.01)
    path.write_text("time,bar0_joint [deg]\n" + "".join(f"{t},{90.0 * np.sin(t)}\n" for t in times))
    bpy.ops.limberjack.import_trajectory(filepath=str(path))
    assert receipt_of(bake_of(scene)).last == 49
    scene.frame_set(25)
    angle = 0.5 * np.pi * np.sin(1.0)
    bpy.context.view_layer.update()
    assert bars[0].matrix_world.to_euler().y == pytest.approx(angle, abs=1e-5)


def test_another_models_motion(scene, build, tmp_path):
    """A file of another model is refused in one line, and changes nothing."""
    build.pendulum(1)
    path = tmp_path / "log.csv"
    path.write_text("time,knee\n0,0\n1,1\n")
    with pytest.raises(RuntimeError, match="no coordinate 'knee'"):
        bpy.ops.limberjack.import_trajectory(filepath=str(path))
    assert not bpy.data.actions
