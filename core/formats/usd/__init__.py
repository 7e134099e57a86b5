# SPDX-License-Identifier: GPL-3.0-or-later
"""USD with physics (UsdPhysics): https://openusd.org/release/api/usd_physics_page_front.html.

`read.py` is the way in. `stage.py` opens a file by pxr, the library of USD, and gives its values in our units and axes.
`bodies.py`, `shapes.py`, `masses.py` and `joints.py` read the prims. No other module imports pxr, so that one of
another version, or none, changes nothing else.
"""
