# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: a body that nothing holds has a free joint of its own. The page takes 8 lines."""

from math import sqrt

import numpy as np

import limberjack as lj

tf = (1.0, 2.0, 3.0, sqrt(0.5), 0.0, 0.0, sqrt(0.5))  # half a right angle's cosine first: w x y z
model = lj.Model(links=[lj.Link("stone", pose=tf)])
compiled = lj.compile_model(model)
assert np.allclose(lj.transform(compiled, None, "stone"), tf)
assert (compiled.nq, compiled.nv) == (7, 6)
