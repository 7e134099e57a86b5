"""What can be said of an object that comes from another file by a library override."""

from typing import Literal

from bpy.types import PropertyGroup

ALLOWED: set[Literal["LIBRARY_OVERRIDABLE"]] = {"LIBRARY_OVERRIDABLE"}
"""Without it, Blender takes a value, and has forgotten it when the file is opened again."""


def let_override(group: type[PropertyGroup]) -> type[PropertyGroup]:
    """Let all that a property group stores be stored on overrides too. For a class that is not registered yet."""
    for stored in group.__annotations__.values():
        if "get" not in stored.keywords:  # what is computed is nowhere to be stored
            stored.keywords["override"] = ALLOWED
    return group
