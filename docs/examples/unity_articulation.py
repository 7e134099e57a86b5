# SPDX-License-Identifier: GPL-3.0-or-later
"""Unity, ArticulationBody from SDF: a joint's drive, limits and losses as SDF has them. The page takes 27 lines.

Nothing is swapped or aligned: limits, axes and targets are SDF's own, in SDF's frames.
"""

from math import inf

import limberjack as lj

axis = lj.Axis(xyz=(0.0, 0.6, 0.8), lower=-1.0, upper=2.0)
axis.effort, axis.velocity = 50.0, 3.0  # of the drive; inf for none
axis.spring_stiffness, axis.spring_reference = 20.0, 0.5
axis.damping, axis.friction = 0.8, 0.1
model = lj.Model("gate", links=[lj.Link("post"), lj.Link("wing")])
model.joints.append(lj.Joint("mount", "fixed", "world", "post"))
model.joints.append(lj.Joint("hinge", "revolute", "post", "wing", axes=[axis]))
lj.write(model, "gate.sdf")

read = lj.read("gate.sdf").model
assert (read.parent("wing"), read.carrier("wing")) == ("post", read.joint("hinge"))
found = read.joint("hinge").axes[0]
assert (found.lower, found.upper, found.effort, found.velocity) == (-1.0, 2.0, 50.0, 3.0)
assert (found.spring_stiffness, found.spring_reference, found.damping, found.friction) == (20.0, 0.5, 0.8, 0.1)

for other in ("continuous", "prismatic", "ball", "universal", "fixed"):  # each the type of SDF's name
    new = lj.replace_joint(read, "hinge", other)
    print(other, new.nq, new.nv, new.range_of(0) if new.axis_count else (-inf, inf))
