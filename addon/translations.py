# SPDX-License-Identifier: GPL-3.0-or-later
"""The add-on's texts in other languages, which Blender shows if the user has chosen one: addon/locale/LANGUAGE.json."""

import json
from pathlib import Path

import bpy

FOLDER = Path(__file__).with_name("locale")
TEMPLATE = "messages"
"""Name of the file of all messages, written by `make messages`. A new language begins as a copy of it."""

PACKAGE = __package__.rpartition(".")[0]

CONTEXTS = ("*", bpy.app.translations.contexts.operator_default)
"""Contexts in which each message is translated. Blender distinguishes labels of operators; this add-on does not."""


def languages() -> list[str]:
    """Return the names of the languages as Blender writes them, such as de_DE."""
    return sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != TEMPLATE)


def read_messages(name: str) -> dict[str, str]:
    """Return the messages of a file in `FOLDER` with their translations, which are empty if there are none yet."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def start() -> None:
    """Register the translations with Blender.

    Blender's own translation of a word takes precedence, so that "Mass" is the same everywhere.
    """
    texts = {}
    for language in languages():
        pairs = read_messages(language).items()
        texts[language] = {(context, message): text for message, text in pairs if text for context in CONTEXTS}
    bpy.app.translations.register(PACKAGE, texts)


def stop() -> None:
    bpy.app.translations.unregister(PACKAGE)
