# SPDX-License-Identifier: GPL-3.0-or-later
"""The operators, one subject in each file."""

from . import self_check
from .characters import ragdoll
from .files import exchange, samples
from .joints import axes, chain, drives, hierarchy, joints, limits, pick, presets
from .links import bone_colliders, colliders, collisions, contact, gravity, ground, lifting, links, mirror, throws
from .posing import keying, pins, poses, posing, pull
from .simulation import bake, moved_bakes, preview, remedies, repairs

THEMES = (
    *(
        links,
        colliders,
        bone_colliders,
        ragdoll,
        collisions,
        contact,
        ground,
        joints,
        pick,
        chain,
        hierarchy,
        mirror,
        presets,
        limits,
        axes,
    ),
    *(posing, poses, keying, drives, pull, pins, throws, gravity, lifting, repairs, remedies),
    *(preview, bake, moved_bakes, exchange, samples, self_check),
)
CLASSES = tuple(cls for theme in THEMES for cls in theme.CLASSES)

start = samples.start
stop = samples.stop
add_to_menus = exchange.add_to_menus
remove_from_menus = exchange.remove_from_menus

__all__ = ["CLASSES", "add_to_menus", "remove_from_menus", "start", "stop"]
