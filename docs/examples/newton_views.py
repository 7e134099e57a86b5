# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: two robots of one make through a view, in arrays. The page takes 41 lines."""

import numpy as np

import limberjack as lj

model = lj.Model("herd")
for number in range(2):
    base, arm, place = f"robot{number}::base", f"robot{number}::arm", (2.0 * number, 0, 0, 1, 0, 0, 0)
    lj.add_link(model, lj.Link(base), lj.Joint(f"robot{number}::mount", "fixed", "world", base, place))
    lj.add_link(model, lj.Link(arm), lj.Joint(f"robot{number}::hinge", "hinge", base, arm))

view = lj.ArticulationView(model, "robot*", include=["hinge", "slider"], exclude=["floating", "spherical"])
q, qd = view.worlds(1)  # one world; shapes (1, nq) and (1, nv)
assert view.count == 2
assert view.q(q).shape == view.qd(qd).shape == (1, 2, 1)  # worlds, articulations, dofs
assert view.link_poses(q).shape == (1, 2, 2, 7)
assert view.link_twists(q, qd).shape == (1, 2, 2, 6)

view.set_q(q, 0.5)
view.set_axis("damping", 0.1)
assert np.allclose(view.q(q), 0.5)
assert np.allclose(view.axis("damping"), 0.1)

roots = view.root_poses(q[0])
roots[:, 0] += 0.2  # along x of the world
view.set_root_poses(q[0], roots)
assert np.allclose(view.root_poses(q)[0, :, 0], [0.2, 2.2])
