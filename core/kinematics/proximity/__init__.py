# SPDX-License-Identifier: GPL-3.0-or-later
"""Distances between the links of a model in a given pose, and links that overlap or start deep in the ground.

It uses core/collision. Contact forces belong to core/contact.
"""

from .distances import Proximity, Separation, distance, overlaps, pairs_nearer

__all__ = ["Proximity", "Separation", "distance", "overlaps", "pairs_nearer"]
