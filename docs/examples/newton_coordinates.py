# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: what belongs to one joint in q, qd, axes and limits. The page takes 36 lines."""

import numpy as np

import limberjack as lj

slide, turn = lj.Axis((1.0, 0.0, 0.0), -0.5, 0.5, slide=1.0, turn=0.0), lj.Axis((0.0, 0.0, 1.0), -1.0, 1.0)
joint = lj.Joint("pin_slot", "custom", "world", "pin", axes=[slide, turn])
model = lj.Model(links=[lj.Link("pin")], joints=[joint])

q = {"pin_slot": (0.1, 0.2)}  # by name: there is no index to keep
qd = {"pin_slot": (0.3, 0.4)}
tau = lj.inverse_dynamics(model, q, qd)

compiled = lj.compile_model(model)  # as arrays: where a joint's part lies
print(compiled.layout())
span = compiled.spans["pin_slot"]
assert np.allclose(compiled.positions(q)[span.q], (0.1, 0.2))
assert np.allclose(compiled.velocities(qd)[span.v], (0.3, 0.4))
assert len(tau[span.v]) == joint.nv == 2

first, second = joint.axes
assert np.allclose([first.xyz, second.xyz], [(1, 0, 0), (0, 0, 1)])
assert [first.lower, second.lower] == [-0.5, -1.0]
