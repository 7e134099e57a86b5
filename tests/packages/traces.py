# SPDX-License-Identifier: GPL-3.0-or-later
"""What an add-on leaves in Blender: everything that it can hang itself into and that Python can look at."""

import gc
import sys
from pathlib import Path
from types import FunctionType

import bpy

Traces = dict[str, set[str]]
"""By where they are, the names of what is there."""


def traces() -> Traces:
    return {
        "types": set(dir(bpy.types)),
        "properties": set(_properties()),
        "menus and panels": set(_drawn_beside()),
        "handlers": set(_handlers()),
        "timers": set(_timers()),
        "keymaps": set(_shortcuts()),
        "tools": set(_tools()),
        "sys.modules": {name for name in sys.modules if "limberjack" in name},
        "sys.path": set(sys.path),
        "files": set(_files()),
    }


def left(before: Traces) -> list[str]:
    """What is there now and was not before, a line each."""
    now = traces()
    return [f"{where}: {name}" for where in now for name in sorted(now[where] - before[where])]


def extensions_folder() -> Path:
    return Path(bpy.utils.user_resource("EXTENSIONS"))


def _properties():
    for name in dir(bpy.types):
        rna = getattr(getattr(bpy.types, name), "bl_rna", None)
        for prop in rna.properties.keys() if rna else ():
            yield f"{name}.{prop}"


def _drawn_beside():
    """What add-ons draw there. Blender's own function joins the list, and stays in it, with the first of theirs."""
    for name in dir(bpy.types):
        for function in getattr(getattr(getattr(bpy.types, name), "draw", None), "_draw_funcs", ()):
            if function.__qualname__ != f"{name}.draw":
                yield f"{name}: {_name(function)}"


def _handlers():
    for name in dir(bpy.app.handlers):
        functions = getattr(bpy.app.handlers, name)
        for function in functions if isinstance(functions, list) else ():
            yield f"{name}: {_name(function)}"


def _timers():
    """Blender keeps no list of them; asked of a function, it says whether it is one."""
    for function in gc.get_objects():
        if isinstance(function, FunctionType) and bpy.app.timers.is_registered(function):
            yield _name(function)


def _shortcuts():
    """As registered. The user's own are what Blender merges from these, where tools that are gone keep theirs."""
    keyconfigs = bpy.context.window_manager.keyconfigs
    for keyconfig in filter(None, (keyconfigs.default, keyconfigs.addon)):
        for keymap in keyconfig.keymaps:
            for item in keymap.keymap_items:
                yield f"{keyconfig.name}, {keymap.name}: {item.idname} {item.to_string()}"


def _tools():
    from bl_ui.space_toolsystem_toolbar import VIEW3D_PT_tools_active

    for mode, tools in VIEW3D_PT_tools_active.tools_all():
        for tool in VIEW3D_PT_tools_active._tools_flatten(tools):
            if tool:
                yield f"{mode}: {tool.idname}"


def _files():
    folder = extensions_folder()
    for path in folder.rglob("*"):
        if path.is_file():
            yield str(path.relative_to(folder))


def _name(function) -> str:
    return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', function)}"
