# SPDX-License-Identifier: GPL-3.0-or-later
"""Contact of few points, solved exactly: the kinematics of contact points, their loads, and their impacts.

It uses the solids and manifolds of `core.collision` and the articulated-body passes of `core.dynamics`; the
event-driven steps of `core.solvers` call it. Convex time steps, the location of events, and anything that advances time
do not belong here.
"""
