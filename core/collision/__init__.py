# SPDX-License-Identifier: GPL-3.0-or-later
"""Collision detection of convex solids: distances, contact points and candidate pairs. No model, no motion.

    solids.py            the kinds of solids, with all functions that depend on the kind
    hulls.py             the convex hull of any points, by quickhull.py
    content_cache.py     a cache for hulls and other results that depend on arrays
    packing.py           conversion of solids to the arrays of kernels
    collision_filter.py  the rule that decides which solids may collide
    broad_phase.py       poses and bounding boxes of solids, and candidate pairs
    distance/            the signed distance of a pair (narrow phase), and the time of impact of a moving pair
    support_features.py  the face, edge or point of a solid that is extreme along a direction
    manifold.py          the contact points of a pair
    meshes.py            triangle meshes that collide as drawn
    mesh_contacts.py     signed distances and contact points of a mesh and a solid
    pairs.py             signed distances and contact points of many pairs

Lengths are in metres. Poses are in the world or in a body, as each docstring states. A negative gap is a depth.
"""
