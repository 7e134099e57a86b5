# SPDX-License-Identifier: GPL-3.0-or-later
"""Writes addon/locale/messages.json, every text of the add-on that can be translated: `make messages`.

These are the names and tooltips of operators, properties and their choices, the titles of panels and menus, and the
texts that code gives to buttons and labels. Sentences that are put together from numbers and names are not among them.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterator
from pathlib import Path

import bpy

ADDON = Path(__file__).parents[1] / "addon"
PAGE = ADDON / "locale" / "messages.json"
DRAWN = ("text", "heading", "confirm_text")
"""Arguments that Blender translates."""


def messages() -> list[str]:
    """All of them, in alphabetical order. Needs Blender's module, with the add-on switched on."""
    from limberjack.addon.bake.baking import SUMMARIES
    from limberjack.addon.ops.files.samples import NEXT
    from limberjack.addon.ops.simulation.repairs import REPAIRS
    from limberjack.addon.registry import CLASSES
    from limberjack.core.characters.body_parts import PARTS

    found = {message for cls in CLASSES for message in _of_class(cls)}
    found.update((NEXT, *SUMMARIES, *(part.title for part in PARTS.values())))
    found.update(text for repairs in REPAIRS.values() for repair in repairs for text in (repair.label, repair.tip))
    for path in (*(ADDON / "panels").rglob("*.py"), *(ADDON / "ops").rglob("*.py"), ADDON / "preferences.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        found.update(_drawn(tree))
        if (ADDON / "panels") in path.parents:
            found.update(_words(tree))
    return sorted(message for message in found if message[:1].isalpha())


def page() -> str:
    """The template: each message with nothing for its translation."""
    return json.dumps(dict.fromkeys(messages(), ""), indent=1, ensure_ascii=False) + "\n"


def _of_class(cls) -> Iterator[str]:
    """What Blender is told of a class by itself: not what it inherits from Blender's own."""
    yield getattr(cls, "bl_label", "")
    is_operator = issubclass(cls, bpy.types.Operator)
    if is_operator:
        yield cls.__doc__
    kind = getattr(bpy.ops.limberjack, cls.bl_idname.partition(".")[2]).get_rna_type() if is_operator else cls.bl_rna
    blenders = {prop.description for prop in bpy.types.PropertyGroup.bl_rna.properties}
    bases = [base for base in cls.__mro__ if ".addon" in base.__module__]
    for name in sorted({name for base in bases for name in vars(base).get("__annotations__", ())}):
        prop = kind.properties.get(name)
        if prop is None or prop.is_hidden or prop.name == prop.identifier or prop.description in blenders:
            continue
        yield from (prop.name, prop.description)
        for item in getattr(prop, "enum_items", ()):
            yield from (item.name, item.description)


def _drawn(tree: ast.AST) -> Iterator[str]:
    """Texts that are given to buttons, labels, the reasons why a button is grey, and Blender's translation itself."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        yield from (text for word in node.keywords if word.arg in DRAWN for text in _constants(word.value))
        is_reason = isinstance(node.func, ast.Attribute) and node.func.attr == "poll_message_set"
        if is_reason or (isinstance(node.func, ast.Name) and node.func.id == "pgettext_iface"):
            yield from (text for argument in node.args for text in _constants(argument))


def _constants(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.IfExp):
        yield from (*_constants(node.body), *_constants(node.orelse))


def _words(tree: ast.AST) -> Iterator[str]:
    """Of a panel's file, what looks like words for people: docstrings and parts of longer sentences are none."""
    skipped = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in ast.walk(node)}
    skipped |= {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            text = node.value
            if text[:1].isupper() and text[1:2].islower() and "_" not in text:
                yield text


if __name__ == "__main__":
    import limberjack

    limberjack.register()
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(page(), encoding="utf-8")
    os._exit(0)  # Blender's module may crash when the interpreter ends while classes are registered
