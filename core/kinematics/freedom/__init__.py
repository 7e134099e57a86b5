# SPDX-License-Identifier: GPL-3.0-or-later
"""Degrees of freedom of a mechanism: how many there are, which velocities constraints allow, and where it is singular.

It uses Jacobians of constraints from the package above.
"""
