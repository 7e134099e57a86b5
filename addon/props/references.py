# SPDX-License-Identifier: GPL-3.0-or-later
"""References of property groups to nodes.

Blender's pointers refer to data-blocks only. Code outside of the property groups reads and sets nodes, so that a
reference to a part of an object can be stored here as the object and more.
"""

from __future__ import annotations

from ..nodes import Node


def node_at(pointer: str) -> property:
    """Return a Python property for the node to which a pointer of the group refers; None if there is none.

    Args:
        pointer: name of the PointerProperty that stores the object.
    """

    def read(group) -> Node | None:
        return getattr(group, pointer)

    def refer_to(group, node: Node | None) -> None:
        setattr(group, pointer, node)

    return property(read, refer_to)
