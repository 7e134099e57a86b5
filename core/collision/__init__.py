# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision detection of convex solids: distances, contact points and candidate pairs. No model, no motion.

    solids.py     the kinds of solids, with all functions that depend on the kind
    hulls.py      the convex hull of any points, by quickhull.py, cached by keeping.py
    packing.py    conversion of solids to the arrays of kernels
    collision_filter.py   the rule that decides which solids may collide
    broad_phase.py      poses and boxes of solids, and the pairs that are near (broad phase)
    distance/     the signed distance of a pair (narrow phase), and the time at which a moving pair touches
    manifold.py   the contact points of a pair
    meshes.py     triangle meshes that collide as drawn; mesh_contacts.py has their distances and contact points
    touching.py   the contact points of many pairs

Lengths are in metres. Poses are in the world or in a body, as each docstring states. A negative gap is a depth.
"""
