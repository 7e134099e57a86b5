# SPDX-License-Identifier: GPL-3.0-or-later
"""Keep parts of a model that scenes cannot express, as text on the objects that they belong to."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterable

from ....core.extras import Extra
from ....core.geometry import Foreign
from ....core.geometry.shapes import Heightmap
from ....core.model import ModelError
from ...nodes import Node
from ...props.settings import link_settings


def format_extras(extras: tuple[Extra, ...]) -> str:
    return json.dumps([dataclasses.asdict(extra) for extra in extras], ensure_ascii=False) if extras else ""


def parse_extras(text: str, where: str) -> tuple[Extra, ...]:
    """Return the extras that `format_extras` wrote.

    Args:
        where: the owner of the text, for the error.

    Raises:
        ModelError: if the text cannot be parsed.
    """
    if not text:
        return ()
    try:
        found = json.loads(text)
        if not isinstance(found, list):
            raise TypeError("it is no list")
        extras = tuple(Extra(**{**item, "within": tuple(item["within"])}) for item in found)
        _require_words(
            word for extra in extras for word in (extra.format, extra.tag, extra.text, extra.scope, *extra.within)
        )
        return extras
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ModelError(f"{where}: what was kept of its file cannot be read: {error}; import it again") from error


def format_foreign(foreign: Foreign) -> str:
    """Return the text of a shape that no object can be: of terrain, with its heights."""
    return json.dumps(dataclasses.asdict(foreign), ensure_ascii=False)


def parse_foreign(text: str, where: str) -> Foreign:
    """Return the shape that `format_foreign` wrote.

    Args:
        where: the owner of the text, for the error.

    Raises:
        ModelError: if the text cannot be parsed.
    """
    try:
        found = json.loads(text)
        _require_words(found[name] for name in ("format", "tag", "text"))
        if "heights" not in found:
            return Foreign(**{name: found[name] for name in ("format", "tag", "text")})
        vectors = {name: tuple(map(float, found[name])) for name in ("size", "position")}
        return Heightmap(**found | vectors | {"heights": tuple(tuple(map(float, row)) for row in found["heights"])})
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise ModelError(f"{where}: the shape kept of its file cannot be read: {error}; import it again") from error


def _require_words(found: Iterable[object]) -> None:
    """Raise `TypeError` unless all items are strings."""
    for word in found:
        if not isinstance(word, str):
            raise TypeError(f"{word!r} is no text")


def store_original_name(obj: Node, name: str) -> None:
    """Store the name that an object has in its file. Blender may have to change it, since its names are unique."""
    settings = link_settings(obj)
    settings.name_in_file, settings.name_here = name, obj.name


def original_name(obj: Node) -> str:
    """Return the name that the object had in its file.

    It is the object's own name if the user has changed that since, or if the object came from no file.
    """
    settings = link_settings(obj)
    return settings.name_in_file if settings.name_in_file and settings.name_here == obj.name else obj.name
