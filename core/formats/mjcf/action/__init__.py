# SPDX-License-Identifier: GPL-3.0-or-later
"""Readers of actuators, tendons, equality constraints, contact and the initial pose of an MJCF file.

These modules refer to bodies, joints and geoms by names, which `tree.assembly` has collected.
"""
