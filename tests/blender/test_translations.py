# SPDX-License-Identifier: GPL-3.0-or-later
"""The texts in other languages."""

import importlib.util
import json
import re
import sys
from pathlib import Path

import bpy
import pytest

import limberjack
from limberjack.addon import translations
from limberjack.addon.translations import TEMPLATE, languages, read_messages

ROOT = Path(limberjack.__file__).parent
PLACEHOLDER = re.compile(r"\{\w*\}|%[sdf]")


@pytest.fixture(scope="module")
def make_messages():
    spec = importlib.util.spec_from_file_location("make_messages", ROOT / "docs" / "make_messages.py")
    module = sys.modules["make_messages"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_template_is_up_to_date(make_messages):
    """Guards translators: who adds or changes a text runs `make messages`."""
    assert (translations.FOLDER / f"{TEMPLATE}.json").read_text(encoding="utf-8") == make_messages.page()


def test_the_template_has_what_users_see(make_messages):
    """A panel's title, a property, a tooltip, a choice, a button's own text, a reason why it is grey, a sentence."""
    found = make_messages.messages()
    for message in ("Gravity and Wind", "Accuracy", "How accurately the equations of motion are solved", "Draft"):
        assert message in found
    for message in ("Open a Sample", "There is no preview", "Resume", "Simulate and Bake", "Import / Export"):
        assert message in found
    for message in ("Weighs {mass}", "Baked frames {first}–{last} on {links} links", "Pause or Resume"):
        assert message in found
    assert any("{reason}" in message for message in found)


@pytest.mark.parametrize("language", languages())
def test_translations_fit(language):
    """Each belongs to a text that there is, with the same placeholders, and a tooltip keeps Blender's habit of no final
    full stop; what is not translated yet is empty, not left out."""
    texts = read_messages(language)
    assert list(texts) == list(read_messages(TEMPLATE))
    for message, text in texts.items():
        if text:
            assert sorted(PLACEHOLDER.findall(text)) == sorted(PLACEHOLDER.findall(message)), message
            assert text.strip() == text, message
            assert not text.endswith("."), message


def test_german_is_whole():
    """All that is seen is translated: a half-German panel is worse than an English one."""
    assert [message for message, text in read_messages("de_DE").items() if not text] == []


def test_blender_hears_of_them(monkeypatch):
    """Buttons of operators and all else are two contexts to Blender: each text is registered for both, and what is
    empty for none. (That they show is for a window to tell: this bpy has no languages.)"""
    heard = []

    class Listening:
        contexts = bpy.app.translations.contexts

        @staticmethod
        def register(package, texts):
            heard.append((package, texts))

    monkeypatch.setattr(translations, "bpy", type("", (), {"app": type("", (), {"translations": Listening})}))
    monkeypatch.setattr(translations, "read_messages", lambda _: {"Play": "Abspielen", "Pause": ""})
    translations.start()
    ((package, texts),) = heard
    assert package == "limberjack"
    assert texts["de_DE"] == {("*", "Play"): "Abspielen", ("Operator", "Play"): "Abspielen"}


def test_files_are_plain():
    """Any editor can open them: UTF-8, one message a line."""
    for path in translations.FOLDER.glob("*.json"):
        text = path.read_text(encoding="utf-8")
        assert len(text.splitlines()) == len(json.loads(text)) + 2
