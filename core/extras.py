# SPDX-License-Identifier: GPL-3.0-or-later
"""What a file says that means nothing here, kept for its way back."""

from __future__ import annotations

from dataclasses import dataclass

OF_WORLD = "world"
"""Where an element stands that belongs to the world around a model."""


@dataclass(frozen=True)
class Extra:
    """An element of a model file, such as a plugin or a sensor, that comes back when its format is written again.

    Attributes:
        format: name of the format that it belongs to, as in `formats.FORMATS`.
        tag: of the element.
        text: the whole element, as XML.
        within: tags of what it stands in, from its owner's element inward; () for a child of the owner's element. A
            model's may begin with `OF_WORLD`, for what stands in the world around the model.
        scope: the inner model that it belongs to, as names have it (`outer::inner`); empty for the model itself.
    """

    format: str
    tag: str
    text: str
    within: tuple[str, ...] = ()
    scope: str = ""

    @property
    def is_of_world(self) -> bool:
        """Whether it stands in the world around the model that has it."""
        return self.within[:1] == (OF_WORLD,)
