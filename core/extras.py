# SPDX-License-Identifier: GPL-3.0-or-later
"""Content of model files that has no meaning here, and is kept for writing it again."""

from __future__ import annotations

from dataclasses import dataclass

OF_WORLD = "world"
"""Place of an element that belongs to the world around a model."""


@dataclass(frozen=True)
class Extra:
    """An element of a model file, such as a plugin or a sensor, that is written again in the same format.

    Attributes:
        format: name of the format that it belongs to, as in `formats.FORMATS`.
        tag: of the element.
        text: the whole element, in the syntax of its format.
        within: tags of the elements that contain it, from its owner's element inward; () for a child of the owner's
            element. For a model, it may begin with `OF_WORLD`, for an element of the world around the model.
        scope: the inner model that it belongs to, as in names (`outer::inner`); empty for the model itself.
    """

    format: str
    tag: str
    text: str
    within: tuple[str, ...] = ()
    scope: str = ""

    @property
    def is_of_world(self) -> bool:
        """Whether it belongs to the world around the model that has it."""
        return self.within[:1] == (OF_WORLD,)
