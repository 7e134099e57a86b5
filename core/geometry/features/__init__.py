# SPDX-License-Identifier: GPL-3.0-or-later
"""Geometric features of meshes to which joints are fitted: holes, shafts, cones, balls, rims and edges.

It uses least-squares fits and the connectivity of polygons. It knows nothing of joints.
"""
