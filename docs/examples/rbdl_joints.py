# SPDX-License-Identifier: GPL-3.0-or-later
"""RBDL, joint modeling: a planar joint by its motion subspace, and three Euler angles. The page takes 7 lines."""

import numpy as np

import limberjack as lj

S = [lj.Axis((1, 0, 0), turn=0, slide=1), lj.Axis((0, 1, 0), turn=0, slide=1), lj.Axis((0, 0, 1))]
model = lj.Model(links=[lj.Link("slab"), lj.Link("head"), lj.Link("hat")])
model.joints.append(lj.Joint("planar", "custom", "world", "slab", axes=S))  # or type "planar"
model.joints.append(lj.Joint("neck", "euler_zyx", "slab", "head"))
model.joints.append(lj.Joint("glue", "fixed", "head", "hat"))
assert np.allclose(lj.jacobian(model, None, "slab")[:, :3], np.eye(6)[:, [0, 1, 5]])
assert lj.compile_model(model).nv == 6  # what is fixed costs nothing: it has the body of what it is fixed to
