# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of a motion for a model: all links and all coordinates, from those that are given.

It uses kinematics, and computes no forces.
"""
