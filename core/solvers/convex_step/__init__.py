# SPDX-License-Identifier: GPL-3.0-or-later
"""The convex time step: one step solves for all velocities at once, with contacts, stops, friction, drives and loops.

It uses the contact points, collision state, dynamics and rates of the packages below, and the `System` of
`core.solvers`; `hybrid_contact` decides when these steps are taken. Event location, error control and anything that
only the event-driven steps need do not belong here.
"""
