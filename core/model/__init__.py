# SPDX-License-Identifier: GPL-3.0-or-later
"""Models as a user edits them: links, joints and couplings, which are found by name.

`compile` makes a `CompiledModel`, which kernels read. `editing`, `grafting`, `placing`, `presets`, `properties`,
`mirroring` and `zeroing` change models.
"""

from typing import TYPE_CHECKING

from ..late import late_names

if TYPE_CHECKING:
    from .axis import Axis
    from .couplings import COUPLING_TYPES, Coupling, Equation, Gearbox
    from .elements import WORLD, ContactPair, Joint, Link, Mimic
    from .errors import ModelError, StateError
    from .frames_and_lights import Frame, Light
    from .model import Loop, Model

__all__ = [
    "COUPLING_TYPES",
    "WORLD",
    "Axis",
    "ContactPair",
    "Coupling",
    "Equation",
    "Frame",
    "Gearbox",
    "Joint",
    "Light",
    "Link",
    "Loop",
    "Mimic",
    "Model",
    "ModelError",
    "StateError",
]

MODULES = ("errors", "axis", "elements", "couplings", "frames_and_lights", "model")
"""Modules that define the names of `__all__`. Those that import least come first."""

__getattr__, __dir__ = late_names(__name__, __all__, MODULES)
