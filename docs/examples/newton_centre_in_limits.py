# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: each coordinate in the middle of its limits, where it has both. The page takes 53 lines."""

from math import isfinite
from pathlib import Path

import numpy as np

import limberjack as lj

model = lj.read(Path(__file__).with_name("arm.urdf")).model
model.joint("joint_1").axes[0].lower = -1.0
model.joint("joint_4").type = "ball"  # its quaternion has no middle, and stays at home

q: dict[str, float] = {}
for joint in model.joints:
    if joint.nq == 1 and all(map(isfinite, joint.range_of(0))):
        q[joint.name] = 0.5 * sum(joint.range_of(0))

X_WL, _ = lj.forward_kinematics(model, q)
assert np.allclose(lj.compile_model(model).positions(q)[:4], (0.95, 0.0, 0.0, 1.0))
