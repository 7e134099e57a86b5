# SPDX-License-Identifier: GPL-3.0-or-later
"""Forward and inverse dynamics, momentum and energy.

Functions that take a model are for single calls: they take a `CompiledModel`, or a `Model` that they compile, and
states as arrays or by the names of joints. Kernels take `CompiledModel.arrays` and the records of
`kinematics.make_work`, and are for calls in a loop. Functions satisfy loops, mimics, couplings and equal limits, or
raise an error. Kernels, and functions named `tree_…`, use only the spanning tree.
"""

from .aba import articulated_body
from .accelerations import bias_acceleration, link_accelerations
from .crba import composite_body
from .energy import mechanical_energy
from .equations import (
    forward_dynamics,
    inverse_dynamics,
    mass_matrix,
    passive_forces,
    tree_inverse_dynamics,
    tree_mass_matrix,
)
from .momentum import centre_of_mass, com_jacobian, momentum, tree_com_jacobian
from .residual import forward_residual
from .rnea import newton_euler
from .terms import gravity_forces, velocity_forces
from .wrenches import joint_wrenches, tree_wrenches

__all__ = [
    "articulated_body",
    "bias_acceleration",
    "centre_of_mass",
    "com_jacobian",
    "composite_body",
    "forward_dynamics",
    "forward_residual",
    "gravity_forces",
    "inverse_dynamics",
    "joint_wrenches",
    "link_accelerations",
    "mass_matrix",
    "mechanical_energy",
    "momentum",
    "newton_euler",
    "passive_forces",
    "tree_com_jacobian",
    "tree_inverse_dynamics",
    "tree_mass_matrix",
    "tree_wrenches",
    "velocity_forces",
]
