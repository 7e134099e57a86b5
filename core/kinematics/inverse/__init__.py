# SPDX-License-Identifier: GPL-3.0-or-later
"""Inverse kinematics: configurations at which links reach targets and constraints are satisfied.

It uses forward kinematics and Jacobians from the package above.
It contains no dynamics: poses are found regardless of masses.
"""
