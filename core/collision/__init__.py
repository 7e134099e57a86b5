# SPDX-License-Identifier: GPL-3.0-or-later
"""Convex solids: how far apart two are, where they touch, and which of many are near. No model, no motion.

    solids.py     the kinds: what a solid is, and all that the rest asks of one
    hulls.py      the convex hull of any points
    packing.py    from solids as they are told to arrays
    meeting.py    who may meet whom
    broad.py      where solids are, and which pairs are near
    narrow.py     the signed distance of a pair: closed.py, gjk.py with simplex.py, epa.py, ascent.py
    manifold.py   the points in which a pair touches
    touching.py   the same for many pairs

Lengths are in metres, poses in the world or in a body as told. A gap below 0 is a depth.
"""
