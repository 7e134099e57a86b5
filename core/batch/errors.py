# SPDX-License-Identifier: GPL-3.0-or-later
MOST_SHOWN = 120
"""Largest number of characters of a value in a message."""


class BatchError(Exception):
    """The error if a batch cannot be run as requested. Its message is one sentence for the user."""


def shown(value: object) -> str:
    """Return a value as text that is short enough for a line of a message."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
