# SPDX-License-Identifier: GPL-3.0-or-later
"""Newton, articulations: two arms on one root, held together by a joint that closes a loop. The page takes 27 lines."""

import limberjack as lj

model = lj.Model("loop")
lj.add_link(model, lj.Link("root"), lj.Joint("mount", "fixed", "world", "root"))
for name, x in (("child_a", 1.0), ("child_b", -1.0)):
    joint = lj.Joint(f"hinge_{name[-1]}", "revolute", "root", name, (x, 0, 0, 1, 0, 0, 0))
    lj.add_link(model, lj.Link(name), joint)
lj.add_joint(model, lj.Joint("weld", "fixed", "child_a", "child_b", (-2.0, 0, 0, 1, 0, 0, 0)))

(loop,) = model.loops()  # found by itself, drawn closed, and kept closed by simulations
print(loop)
assert loop.joint.name == "weld"
assert lj.mobility(model).by_rank == 0  # two hinges at two places, welded: nothing moves
