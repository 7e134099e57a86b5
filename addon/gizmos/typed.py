# SPDX-License-Identifier: GPL-3.0-or-later
"""Numbers that are typed during a drag."""

DIGITS = "0123456789"


class Typed:
    """The text that was typed during a drag; empty as long as the mouse decides."""

    def __init__(self):
        self.text = ""

    def add_key(self, event) -> bool:
        """Add a key press to the typed text. Return whether the key belongs to a number."""
        if event.value not in ("PRESS", "DOUBLE_CLICK"):  # a quick second press is a double click
            return False
        if event.type == "BACK_SPACE" and self.text:
            self.text = self.text[:-1]
        elif event.type in ("MINUS", "NUMPAD_MINUS"):
            self.text = self.text.removeprefix("-") if self.text.startswith("-") else f"-{self.text}"
        elif event.type in ("PERIOD", "NUMPAD_PERIOD") and "." not in self.text:
            self.text += "."
        elif event.unicode and event.unicode in DIGITS:
            self.text += event.unicode
        else:
            return False
        return True

    @property
    def value(self) -> float | None:
        """The number; None as long as there is none."""
        return float(self.text) if any(character.isdigit() for character in self.text) else None
