# SPDX-License-Identifier: GPL-3.0-or-later
"""Solvers, which advance the state of a model from one frame to the next.

`protocol` is the interface to `simulation`, and `system` has the arrays and rates of change that all solvers share.
`integration` has smooth motion, `joint_events` stops and friction of joints, `hybrid_contact` contact by events, and
`convex_step` contact by time stepping.
"""
