# SPDX-License-Identifier: GPL-3.0-or-later
"""Primitive shapes for meshes: the smallest that encloses one, the one that a mesh approximates, and its facets.

It uses the shapes of the package above. It knows nothing of links or collisions.
"""
