# SPDX-License-Identifier: GPL-3.0-or-later
"""Machines that play a bake: whether they were moved, scaled, parented or copied since.

It reads objects and their keys. `bake` writes bakes and moves them along.
"""

from typing import TYPE_CHECKING

from ...late import late_modules

if TYPE_CHECKING:
    from . import changed_bones, displacement_problems, displacements, keyed_poses, machines

__getattr__ = late_modules(__name__)
