# SPDX-License-Identifier: GPL-3.0-or-later
"""The links and joints that the user means by the chosen nodes: a bone may stand for another one, which is the link.

Artists select controls, while the links of a rig by Rigify are bones that they do not see. So panels show the link for
which the active bone stands, and operators change those for which the selected bones stand.
"""

from __future__ import annotations

import bpy

from ..nodes import Node, is_part
from ..nodes.chosen import active_node, selected_nodes
from ..nodes.copied_bones import copied_bone, steered_bone
from .settings import is_link_bone


def link_for(node: Node) -> Node:
    """Return the node that is to be the link if the user chooses a node.

    That is another bone if the chosen one only copies it, or is a control of it, and is no link itself.
    """
    if not is_part(node) or is_link_bone(node):
        return node
    return copied_bone(node) or steered_bone(node) or node


def meant_node(node: Node) -> Node:
    """Return the link for which a bone stands, if there is one; else the node itself."""
    link = link_for(node)
    return link if is_part(link) and is_link_bone(link) else node


def meant_active_node(context: bpy.types.Context) -> Node | None:
    """Return the node that the user means by the active one; None if none is active."""
    node = active_node(context)
    return None if node is None else meant_node(node)


def meant_nodes(context: bpy.types.Context) -> list[Node]:
    """Return the nodes that the user means by the selected ones, each once."""
    return list(dict.fromkeys(map(meant_node, selected_nodes(context))))
