# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: the same with the free joint written down; the link's pose stays. The page takes 11 lines."""

from math import sqrt

import numpy as np

import limberjack as lj

tf = (1.0, 2.0, 3.0, sqrt(0.5), 0.0, 0.0, sqrt(0.5))
model = lj.Model()
lj.add_link(model, lj.Link("stone", pose=tf), lj.Joint("loose", "free", "world", "stone"))
compiled = lj.compile_model(model)
assert np.allclose(lj.transform(compiled, None, "stone"), tf)
assert compiled.nq == 7
assert np.allclose(compiled.q_home, (0, 0, 0, 1, 0, 0, 0))  # counted from where it is drawn
