# SPDX-License-Identifier: GPL-3.0-or-later
"""Meshes: as Blender evaluates them, as solids, and from files.

Which meshes shape a link is decided in `links`.
"""
