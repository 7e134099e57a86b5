# SPDX-License-Identifier: GPL-3.0-or-later
"""Webots, Joint: a joint between a solid and its end point keeps where it stood. The page takes 4 lines."""

import limberjack as lj

model = lj.Model(links=[lj.Link("end", com=(0.1, 0, 0))], joints=[lj.Joint("hinge", "hinge", "world", "end")])
model.joints[0].axes[0].xyz = (0.0, 1.0, 0.0)
first = lj.simulate(model, 1.0, q={"hinge": 0.3})
again = lj.simulate(model, 1.0, initial=first.state(-1))  # on from the positions at the end
assert abs(again.q[0, 0] - first.q[-1, 0]) < 1e-12
