# SPDX-License-Identifier: GPL-3.0-or-later
"""Find links that Blender shows but a bake cannot key: links of libraries, and of collection instances."""

from __future__ import annotations

from collections.abc import Iterator

import bpy

from ..nodes import Node, model_name, owner_of
from ..props import carrier_of, is_link

LINKED = "linked"
"""Code of the problem that links belong to a library."""

INSTANCED = "instanced-links"
"""Code of the problem that links are in a collection instance."""


def instanced_links(scene: bpy.types.Scene) -> Iterator[tuple[str, str]]:
    """Yield for each instance of a collection with links the name of its Empty, and a sentence that says what to do.

    Simulations move objects, and an instance contains none. An instance that a link carries is a shape of that link,
    and is not yielded.
    """
    for obj in scene.objects:
        collection = obj.instance_collection if obj.is_instancer else None
        if collection is None or carrier_of(obj) is not None:
            continue
        count = sum(map(is_link, collection.all_objects))
        if count:
            name = model_name(obj)
            yield (
                name,
                f"object '{name}' shows the collection '{collection.name}' as an instance, and its {_way(count, obj)}",
            )


def _way(count: int, instance: bpy.types.Object) -> str:
    collection = instance.instance_collection
    links = f"{count} links are" if count > 1 else "link is"
    if collection and (collection.library or instance.library):
        return f"{links} not simulated: select it and use Object > Library Override > Make"
    return (
        f"{links} not simulated: put the collection itself into the scene, or use Object > Apply > Make Instances Real"
    )


def links_of_libraries(links: list[Node]) -> Iterator[tuple[str, str]]:
    """Yield for each library the name of one of its links, and a sentence that says how to bake its links."""
    libraries: dict[bpy.types.Library, list[Node]] = {}
    for link in links:
        if library := owner_of(link).library:
            libraries.setdefault(library, []).append(link)
    for library, found in libraries.items():
        name, more = model_name(found[0]), len(found) - 1
        others = f" and {more} more link{'s' if more > 1 else ''} come" if more else " comes"
        yield (
            name,
            f"link '{name}'{others} from the library '{library.name}', and a bake cannot key them: use Object > "
            "Library Override > Make, or Object > Relations > Make Local",
        )
