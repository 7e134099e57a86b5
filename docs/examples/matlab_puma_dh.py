# SPDX-License-Identifier: GPL-3.0-or-later
"""MATLAB, rigidBodyJoint: a Puma from its Denavit-Hartenberg table, [a alpha d theta] a row. The page takes 36 lines.

The numbers are those of Corke and Armstrong-Helouvry (1994).
"""

from math import pi

import numpy as np

import limberjack as lj

TABLE = [
    (0.0, pi / 2, 0.0, 0.0),
    (0.4318, 0.0, 0.0, 0.0),
    (0.0203, -pi / 2, 0.15005, 0.0),
    (0.0, pi / 2, 0.4318, 0.0),
    (0.0, -pi / 2, 0.0, 0.0),
    (0.0, 0.0, 0.0, 0.0),
]
robot = lj.Model("puma")
parent = "world"
for number, row in enumerate(TABLE, 1):
    body = f"body{number}"
    lj.add_link(robot, lj.Link(body), lj.Joint(f"jnt{number}", "revolute", parent, body))
    lj.set_dh(robot, f"jnt{number}", *row)
    parent = body
print(robot)
lj.show(robot, path="puma.png")

# drawn, the hand stands where the rows, multiplied as matrices, put it
hand = np.eye(4)
for a, alpha, d, theta in TABLE:
    ca, sa, ct, st = np.cos(alpha), np.sin(alpha), np.cos(theta), np.sin(theta)
    row = [[ct, -st * ca, st * sa, a * ct], [st, ct * ca, -ct * sa, a * st], [0, sa, ca, d], [0, 0, 0, 1]]
    hand = hand @ row
assert np.allclose(lj.transform(robot, None, "body6")[:3], hand[:3, 3])
