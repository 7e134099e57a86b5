# SPDX-License-Identifier: GPL-3.0-or-later
"""RBDL, joint modeling: a ball joint's quaternion, and angular velocities integrated. The page has no code for it."""

import numpy as np

import limberjack as lj

model = lj.Model(links=[lj.Link("bob")], joints=[lj.Joint("socket", "spherical", "world", "bob")])
start = lj.compile_model(model).q_home  # w x y z; of a free joint x y z before it
end = lj.integrate(model, start, {"socket": (0.0, 0.0, 0.5)}, dt=2.0)  # 1 rad about z
assert np.allclose(end, [np.cos(0.5), 0.0, 0.0, np.sin(0.5)])
assert np.allclose(lj.difference(model, start, end), [0.0, 0.0, 1.0])
