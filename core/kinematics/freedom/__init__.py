# SPDX-License-Identifier: GPL-3.0-or-later
"""Degrees of freedom of a mechanism: their number, gimbal lock, and links that can spin about their own axis.

It uses Jacobians of constraints from the package above, and `inverse.closing` for poses in which loops are closed. The
velocities that constraints allow are in `allowed_velocities.py` of the package above, since `inverse` needs them too.
"""
