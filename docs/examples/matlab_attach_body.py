# SPDX-License-Identifier: GPL-3.0-or-later
"""MATLAB, rigidBodyJoint: a body is attached to a tree by a joint. The page takes 7 lines."""

import limberjack as lj

robot = lj.Model("robot")
lj.add_link(robot, lj.Link("b1"), lj.Joint("jnt1", "revolute", "world", "b1"))
print(robot)  # as showdetails

assert (robot.parent("b1"), robot.joint("jnt1").type) == ("world", "revolute")
