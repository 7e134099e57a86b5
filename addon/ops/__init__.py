"""What the user can do, one theme a file."""

from . import (
    axes,
    bake,
    chain,
    collisions,
    exchange,
    hierarchy,
    joints,
    keying,
    limits,
    links,
    mirror,
    pick,
    pins,
    poses,
    posing,
    presets,
    problems,
    pull,
)

THEMES = (
    *(links, collisions, joints, pick, chain, hierarchy, mirror, presets, limits, axes),
    *(posing, poses, keying, pull, pins, problems, bake, exchange),
)
CLASSES = tuple(cls for theme in THEMES for cls in theme.CLASSES)

add_to_menus = exchange.add_to_menus
remove_from_menus = exchange.remove_from_menus

__all__ = ["CLASSES", "add_to_menus", "remove_from_menus"]
