# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters: which part of a body each bone is, how its joint may move, and what it weighs.

It uses models and vectors, and knows neither Blender nor meshes. Shapes of limbs do not belong here
(`core/geometry/primitives/limbs.py`).
"""
