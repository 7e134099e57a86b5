# SPDX-License-Identifier: GPL-3.0-or-later
"""Our texts in other languages, which Blender shows to who has chosen one: addon/locale/LANGUAGE.json."""

import json
from pathlib import Path

import bpy

FOLDER = Path(__file__).with_name("locale")
TEMPLATE = "messages"
"""The file of all messages, written by `make messages`: what a new language begins as a copy of."""

PACKAGE = __package__.rpartition(".")[0]

CONTEXTS = ("*", bpy.app.translations.contexts.operator_default)
"""Blender tells apart what is on buttons of operators from all else; we do not."""


def languages() -> list[str]:
    """As Blender calls them, such as de_DE."""
    return sorted(path.stem for path in FOLDER.glob("*.json") if path.stem != TEMPLATE)


def read_messages(name: str) -> dict[str, str]:
    """Of a file in `FOLDER`, each message and its translation, empty where there is none yet."""
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def start() -> None:
    """Blender's own translation goes before ours where it knows a word, so that "Mass" is the same everywhere."""
    texts = {}
    for language in languages():
        pairs = read_messages(language).items()
        texts[language] = {(context, message): text for message, text in pairs if text for context in CONTEXTS}
    bpy.app.translations.register(PACKAGE, texts)


def stop() -> None:
    bpy.app.translations.unregister(PACKAGE)
