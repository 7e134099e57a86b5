# SPDX-License-Identifier: GPL-3.0-or-later
"""show to a .blend: what Blender opens stands as the model does in the pose that was asked for."""

import bpy
import numpy as np
import pytest

import limberjack as lj
from support.pages import ROOT


def test_a_pose_is_saved_as_a_scene(tmp_path):
    """Guards the pose in the file: links stand where kinematics has them, loops and all."""
    model = lj.read(ROOT / "sample_scenes" / "crane.sdf").model
    q = {"slew": 0.5, "reach": 0.2}
    lj.show(model, q, tmp_path / "crane.blend")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "crane.blend"))
    compiled = lj.compile_model(model, split_loops=True)
    closed, _ = lj.closed_state(compiled, q)
    for name in ("turret", "bucket", "hook"):
        X = lj.transform(compiled, closed, name)
        placed = bpy.data.objects[name].matrix_world
        assert np.array(placed.translation) == pytest.approx(X[:3], abs=1e-4)
