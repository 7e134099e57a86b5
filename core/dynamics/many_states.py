# SPDX-License-Identifier: GPL-3.0-or-later
"""The equations of motion for one state or many.

The functions are decorated here, since an edit of `equations.py`, which has kernels, requires compiling these again.
"""

from __future__ import annotations

from ..kinematics.batches import batched
from . import equations

mass_matrix = batched(equations.mass_matrix)
inverse_dynamics = batched(equations.inverse_dynamics)
forward_dynamics = batched(equations.forward_dynamics)
