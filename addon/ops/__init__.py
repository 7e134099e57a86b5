"""What the user can do, one theme a file."""

from . import axes, bake, exchange, joints, links

CLASSES = (*links.CLASSES, *joints.CLASSES, *axes.CLASSES, *bake.CLASSES, *exchange.CLASSES)

add_to_menus = exchange.add_to_menus
remove_from_menus = exchange.remove_from_menus

__all__ = ["CLASSES", "add_to_menus", "remove_from_menus"]
