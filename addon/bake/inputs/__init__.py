# SPDX-License-Identifier: GPL-3.0-or-later
"""Inputs of a bake: the initial state, sampled settings, and links that their own animation moves."""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import simulation_inputs

__getattr__ = late_modules(__name__)
