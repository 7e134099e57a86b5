# SPDX-License-Identifier: GPL-3.0-or-later
"""MATLAB, rigidBodyJoint: an arm on a base that floats, placed and turned. The page takes 13 lines."""

from math import cos, pi, sin
from pathlib import Path

import numpy as np

import limberjack as lj

robot = lj.Model("floating")
lj.add_link(robot, lj.Link("floatingBase"), lj.Joint("j1", "floating", "world", "floatingBase"))
lj.graft(robot, lj.read(Path(__file__).with_name("arm.urdf")).model, onto="floatingBase")

c, s = cos(pi / 6), sin(pi / 6)
turn = (c * c, -s * s, s * c, s * c)  # pi/3 about y, then pi/3 about z
q = {"j1": (-1.1, 0.2, 0.3, *turn)}
lj.show(robot, q, path="floating.png")
assert np.allclose(lj.transform(robot, q, "base"), q["j1"])

# and, which that page rules out for floating joints: inverse kinematics
found = lj.inverse_kinematics(robot, [lj.Target("tool", place=(0.5, 0.0, 0.5))], q=q, moves_base=True)
assert found.reach.is_reached
