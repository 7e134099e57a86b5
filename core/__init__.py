# SPDX-License-Identifier: GPL-3.0-or-later
"""Limberjack's core: articulated models, their motion, and the files that define them. It does not depend on Blender.

Conventions, valid everywhere:

- SI units, radians, right-handed, Z up. float64.
- Quaternions are (w, x, y, z). Poses are (x, y, z, qw, qx, qy, qz).
- `X_AB` is the pose of frame B in frame A, so X_AC = X_AB X_BC. W is the world, L a link, P and C a joint's parent and
  child link, J a joint's frame.
- Public 6-vectors have the linear part first. `V_WL` is the twist of link L in world axes, taken at its origin.
- A joint has a frame in its parent link, `X_PJ`, and one in its child link, `X_CJ`. At coordinates q their relative
  pose is X_J(q): X_WC = X_WP X_PJ X_J(q) X_CJ^-1. Axes are given in the parent-side joint frame at q = 0.
- `q`, `qd`, `tau`: generalized positions, velocities, forces. A dof is one velocity coordinate.
- ball: q is a quaternion, qd the angular velocity in the child-side joint frame. free: q is a position, then a
  quaternion; qd the linear velocity of the child-side origin, then the angular velocity, both in child-side axes.
- A screw's pitch is in metres per turn, right-handed.
- q = 0 (the identity, for a chart) is the pose in which the model was drawn.
"""
