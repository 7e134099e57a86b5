# SPDX-License-Identifier: GPL-3.0-or-later
"""What acts on the bodies of an MJCF file: actuators, tendons, equality constraints, contact, and the initial pose.

These modules refer to bodies, joints and geoms by names, which `tree.assembly` has collected.
"""
