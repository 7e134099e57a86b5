# SPDX-License-Identifier: GPL-3.0-or-later
"""Repairs for links that collide as the hull of a concave mesh."""

from __future__ import annotations

import bpy

from ....core.model import ModelError
from ....core.model.text import counted
from ... import bridge
from ...nodes import Node, model_name
from ...nodes.naming import node_named
from ..report import select_only


def divide(context, obj) -> str:
    """Divide the mesh of a link into convex pieces. In a window, this can be cancelled."""
    bridge.links.collisions.require_fitted_collisions(obj)
    _divide(context, [obj])
    return f"'{model_name(obj)}' touches with convex pieces of its mesh, once these are found"


def select_hollow(context, _obj) -> str:
    """Select all links whose hollows are filled."""
    links = _hollow_links(context.scene)
    select_only(context, *links)
    return f"{counted(links, 'link')} whose hollows are filled selected"


def divide_all(context, _obj) -> str:
    """Divide the meshes of all links whose hollows are filled, except links that collide with chosen objects.

    Raises:
        ModelError: if all of them collide with chosen objects, or if a mesh cannot be divided; none is divided then.
    """
    links, reasons = [], []
    for link in _hollow_links(context.scene):
        try:
            bridge.links.collisions.require_fitted_collisions(link)
            links.append(link)
        except ModelError as error:
            reasons.append(error)
    if not links and reasons:
        raise reasons[0]
    _divide(context, links)
    left = f"; {counted(reasons, 'link')} with chosen shapes left as they are" if reasons else ""
    return f"{counted(links, 'link')} touch with convex pieces of their meshes, once these are found{left}"


def _hollow_links(scene: bpy.types.Scene) -> list[Node]:
    """Return the links that the problem `hollows.HOLLOWS` of the scene names."""
    problems = bridge.rig.show_rig(scene).problems
    names = [name for each in problems if each.code == bridge.findings.hollows.HOLLOWS for name in each.names]
    return [link for link in (node_named(scene, name) for name in names) if link is not None]


def _divide(context, links: list[Node]) -> None:
    select_only(context, *links)
    try:
        bpy.ops.limberjack.collision_add("INVOKE_DEFAULT", type="PIECES")
    except RuntimeError as error:
        raise ModelError(str(error).removeprefix("Error: ").strip()) from None
