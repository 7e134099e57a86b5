# SPDX-License-Identifier: GPL-3.0-or-later
MOST_SHOWN = 120
"""Characters of what was found, in a message."""


class BatchError(Exception):
    """A batch cannot be run as it is asked for: one sentence for the user."""


def shown(value: object) -> str:
    """What was found, short enough for a line."""
    text = repr(value)
    return text if len(text) <= MOST_SHOWN else f"{text[:MOST_SHOWN]}…"
