# SPDX-License-Identifier: GPL-3.0-or-later
"""Characters: which part of a body each bone is, how its joint may move, what it weighs, and skins that follow bones.

It uses models and vectors, and does not know Blender. Shapes of limbs do not belong here
(`core/geometry/primitives/limbs.py`).
"""
