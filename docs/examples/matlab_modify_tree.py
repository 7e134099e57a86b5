# SPDX-License-Identifier: GPL-3.0-or-later
"""MATLAB, rigidBodyJoint: a joint replaced, a subtree cut off and put back. The page takes 15 lines."""

from pathlib import Path

import limberjack as lj

arm = lj.read(Path(__file__).with_name("arm.urdf")).model
lj.show(arm, path="arm.png")
before = str(arm)
print(before)

link_3, joint_3 = arm.link("link_3").copy(), arm.joint("joint_3").copy()
print(arm.children("link_3"))

lj.replace_joint(arm, "joint_3", "prismatic", name="slide")  # links stay as drawn
print(arm)

subtree = lj.remove_link(arm, "link_4")
print(subtree.base)  # the link that it was cut from

lj.remove_link(arm, "link_3")
lj.add_link(arm, link_3, joint_3)
lj.graft(arm, subtree)  # onto its base
assert str(arm) == before
