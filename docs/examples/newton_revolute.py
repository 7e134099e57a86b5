# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: one hinge that starts at 0.5 rad with 10 rad/s. The page takes 12 lines."""

import numpy as np

import limberjack as lj

model = lj.Model(links=[lj.Link("bar")], joints=[lj.Joint("hinge", "revolute", "world", "bar")])
q, qd = {"hinge": 0.5}, {"hinge": 10.0}
X_WL, V_WL = lj.forward_kinematics(model, q, qd)  # Newton: eval_fk
assert np.allclose(X_WL[0, 3:], [np.cos(0.25), 0, 0, np.sin(0.25)])
assert np.allclose(V_WL[0], [0, 0, 0, 0, 0, 10.0])

back = lj.joint_coordinates(model, X_WL, V_WL)  # Newton: eval_ik
assert np.allclose([back.q, back.qd], [[0.5], [10.0]])
